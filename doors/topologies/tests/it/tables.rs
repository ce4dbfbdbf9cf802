//! Tables of bandwidths and of connections: lists of links, matrices between GPUs, AMD's commands, and files that are
//! recognised and not read.

use std::path::Path;

use oneport_topologies::{Format, ImportOptions, PlatformFormat, Rational, Topic, Unread};

use crate::{
    bandwidths, check_whole, cut, fixture, folded, import, import_with, names, rate, reached,
    refused, says, try_import,
};

fn rates<const N: usize>(
    platform: &oneport_topologies::Platform,
    pairs: [(&str, &str); N],
) -> [String; N] {
    pairs.map(|(from, to)| rate(platform, from, to))
}

#[test]
fn bandwidths_between_gpus_by_cuda_samples() {
    let text = fixture("p2p-bandwidth-latency-test.txt");
    let imported = import(&text);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::GpuMatrix);
    assert_eq!(names(platform), ["gpu0", "gpu1", "gpu2"]);
    // One direction, with peer access.
    assert_eq!(
        rates(
            platform,
            [
                ("gpu0", "gpu1"),
                ("gpu1", "gpu0"),
                ("gpu1", "gpu2"),
                ("gpu2", "gpu0")
            ]
        ),
        ["97/2", "48", "41/4", "10"]
    );
    assert_eq!(platform.model().name(), "full-duplex");
    assert_eq!(imported.accelerators.len(), 3);
    assert!(says(
        &imported,
        Topic::LeftOut,
        "all matrices but 'Unidirectional P2P=Enabled"
    ));
    check_whole(&imported);
    // A part of the output is enough, under any name.
    let lines = |from: &str, count| -> String {
        let all = text.lines().skip_while(|line| !line.starts_with(from));
        all.take(count).map(|line| format!("{line}\n")).collect()
    };
    let alone = lines("Unidirectional P2P=Enabled", 5);
    for name in ["a.txt", "a.csv", "a.mat", "stdin"] {
        assert_eq!(
            Format::detect(Path::new(name), alone.as_bytes()),
            Format::GpuMatrix
        );
    }
    assert!(import(&alone).platform == *platform);
    let off = import(&lines("Unidirectional P2P=Disabled", 5)).platform;
    assert_eq!(rates(&off, [("gpu0", "gpu1")]), ["21/2"]);
    let none = ImportOptions::default();
    refused(
        &lines("Bidirectional", 5),
        &none,
        &["no matrix of one direction"],
    );
    refused(&lines("Unidirectional P2P=Enabled", 4), &none, &["2 rows"]);
    refused(
        &alone.replace("48.00 900", "900"),
        &none,
        &["file:4", "2 cells"],
    );
    refused(&alone.replace("48.50", "fast"), &none, &["file:3", "fast"]);
}

#[test]
fn bandwidths_between_gpus_by_nvbandwidth() {
    let text = fixture("nvbandwidth.txt");
    let imported = import(&text);
    assert_eq!(imported.format, Format::GpuMatrix);
    // The row's GPU reads: the column's sends.
    assert_eq!(
        rates(&imported.platform, [("gpu1", "gpu0"), ("gpu0", "gpu1")]),
        ["250", "240"]
    );
    assert!(says(
        &imported,
        Topic::LeftOut,
        "'device_to_device_memcpy_read_ce'"
    ));
    let write = text
        .replace("GPU(row) <- GPU", "GPU(row) -> GPU")
        .replace("memcpy_read", "memcpy_write");
    assert_eq!(rates(&import(&write).platform, [("gpu0", "gpu1")]), ["250"]);
    let host = text.replace(
        "Running device_to_device_memcpy_read_ce",
        "Running all_to_one_read_ce_bidirectional",
    );
    refused(
        &host,
        &ImportOptions::default(),
        &["-t device_to_device_memcpy_write_ce"],
    );
}

#[test]
fn lists_of_links() {
    let text = fixture("edges.csv");
    let imported = import(&text);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::Edges);
    assert_eq!(names(platform), ["n1", "n2", "old"]);
    // Gbit/s are eighths of GB/s.
    assert_eq!(
        rates(
            platform,
            [("n1", "n2"), ("n2", "n1"), ("n1", "old"), ("old", "n2")]
        ),
        ["59/5", "117/10", "6/5", "none"]
    );
    assert_eq!(platform.model().name(), "full-duplex");
    assert!(says(
        &imported,
        Topic::Assumed,
        "1 pairs are listed in one direction only"
    ));
    assert!(says(
        &imported,
        Topic::Assumed,
        "combines values at 1000 GB/s"
    ));
    check_whole(&imported);
    for head in [
        "source;target;Gbit/s",
        "from;to;bw_gbps",
        "client;server;x;bandwidth (Gbit/s)",
    ] {
        let columns = head.split(';').count();
        let alike = text
            .replace("src,dst,gbps", head)
            .replace(',', if columns == 4 { ";1;" } else { ";" })
            .replace("n1;1;n", "n1;n")
            .replace("n2;1;n", "n2;n")
            .replace("n1;1;o", "n1;o")
            .replace("n2;1;o", "n2;o")
            .replace("old;1;n", "old;n");
        assert!(import(&alike).platform == *platform, "{alike}");
    }
    // Units in the cells, or in a comment, and no row of names.
    let bare = text.replace("src,dst,gbps\n", "");
    let quantities = bare
        .replace("4\n", "4 Gbit/s\n")
        .replace("6\n", "6 Gbit/s\n")
        .replace("2\n", "2 Gbit/s\n");
    assert!(import(&quantities).platform == *platform);
    assert!(import(&format!("# in Gbit/s\n{bare}")).platform == *platform);
    let none = ImportOptions::default();
    refused(
        &bare,
        &none,
        &["file:2", "94.4 of which unit?", "--capacity 3,Gbit/s"],
    );
    refused(&text.replace("gbps", "speed"), &none, &["of which unit?"]);
    refused(
        &text.replace("gbps", "colour"),
        &none,
        &["none of the columns", "Gbit/s"],
    );
    let given = ImportOptions {
        capacity: Some(oneport_topologies::Capacity {
            attribute: "3".to_string(),
            units: oneport_platform_units(),
        }),
        ..ImportOptions::default()
    };
    assert!(import_with(&bare, &given).platform == *platform);
    // Each pair once means both directions. A pair measured twice: the fastest counts.
    let once = import("from to GB/s\na b 2\nb c 3\na b 1\n");
    assert_eq!(
        rates(
            &once.platform,
            [("a", "b"), ("b", "a"), ("c", "b"), ("a", "c")]
        ),
        ["2", "2", "3", "none"]
    );
    assert!(says(&once, Topic::Assumed, "each row is a link in both"));
    assert!(says(
        &once,
        Topic::Merged,
        "1 rows for pairs that have a row"
    ));
    refused("src,dst,gbps\na,b\n", &none, &["file:2", "2 cells"]);
    refused("src,dst,gbps\na,b,-4\n", &none, &["file:2", "-4"]);
    // A matrix of two nodes with their names is not a list of links.
    assert_eq!(
        Format::detect(Path::new("m.csv"), b"a,0,5\nb,5,0\n"),
        Format::Own(PlatformFormat::Matrix)
    );
}

fn oneport_platform_units() -> oneport_platform::Units {
    oneport_platform::Units::parse("Gbit/s").expect("units")
}

#[test]
fn a_matrix_without_a_diagonal() {
    let imported = import(&fixture("matrix-na.csv"));
    let platform = &imported.platform;
    assert_eq!((names(platform).len(), platform.links().len()), (3, 6));
    assert_eq!(
        platform.units().map(|units| units.to_string()).as_deref(),
        Some("Gbit/s")
    );
    assert_eq!(
        platform.nodes()[0].compute,
        Some(Rational::new(1.into(), 8000.into()))
    );
    assert!(says(
        &imported,
        Topic::Assumed,
        "combines values at 1000 GB/s"
    ));
}

#[test]
fn a_table_of_rocm_smi() {
    let text = fixture("rocm-smi.txt");
    let advice = [
        "how fast the XGMI links are",
        "--link-bandwidth xgmi=48",
        "NCCL_TOPO_DUMP_FILE",
    ];
    refused(&text, &ImportOptions::default(), &advice);
    let imported = import_with(&text, &bandwidths(&[("xgmi", 48)]));
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::Rocm);
    // Every pair is of type XGMI with one hop. The weight shows the joined pairs: a ring of four.
    assert_eq!(
        rates(
            platform,
            [
                ("gpu0", "gpu1"),
                ("gpu3", "gpu0"),
                ("gpu0", "gpu2"),
                ("gpu1", "gpu3")
            ]
        ),
        ["48", "48", "none", "none"]
    );
    assert!(says(&imported, Topic::LeftOut, "4 pairs of type XGMI"));
    assert_eq!(
        rates(
            platform,
            [("gpu1", "cpu0"), ("gpu2", "cpu1"), ("cpu0", "cpu1")]
        ),
        ["24", "24", "16"]
    );
    assert_eq!((reached(platform), imported.accelerators.len()), (4, 4));
    check_whole(&imported);
    // Over PCI alone, no bandwidth is needed from the user.
    let pci = import(&text.replace("XGMI", "PCIE")).platform;
    assert_eq!(
        (rates(&pci, [("gpu0", "gpu1")]), reached(&pci)),
        (["none".to_string()], 4)
    );
    let cut = text.replace(
        "GPU2   XGMI         XGMI         0            XGMI",
        "GPU2   XGMI",
    );
    refused(
        &cut,
        &bandwidths(&[("xgmi", 48)]),
        &["the row of GPU2 has 1 cells"],
    );
}

#[test]
fn a_table_of_amd_smi() {
    let text = fixture("amd-smi.txt");
    let imported = import(&text);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::Rocm);
    // MB/s, from that of one link to that of all.
    assert_eq!(
        rates(
            platform,
            [("gpu0", "gpu1"), ("gpu2", "gpu0"), ("gpu1", "gpu2")]
        ),
        ["200", "50", "100"]
    );
    assert_eq!(platform.nodes().len(), 3);
    assert!(says(&imported, Topic::LeftOut, "PCI"));
    check_whole(&imported);
    // Some drivers print no bandwidths. Then the user gives them.
    let silent = text
        .replace("50000-200000", "0-0")
        .replace("50000-50000", "0-0")
        .replace("50000-100000", "0-0");
    refused(
        &silent,
        &ImportOptions::default(),
        &["--link-bandwidth xgmi=48"],
    );
    let given = import_with(&silent, &bandwidths(&[("xgmi", 48)])).platform;
    assert_eq!(
        rates(&given, [("gpu0", "gpu1"), ("gpu2", "gpu0")]),
        ["48", "48"]
    );
    // If other pairs have a bandwidth, a pair without one is not joined (issue 5763 of rocm-systems).
    let apart = import(&text.replace("50000-50000", "0-0")).platform;
    assert_eq!(
        rates(&apart, [("gpu0", "gpu2"), ("gpu0", "gpu1")]),
        ["none", "200"]
    );
}

#[test]
fn files_that_are_named_and_not_read() {
    let none = ImportOptions::default();
    let iperf = r#"{"start": {"connected": []}, "intervals": [], "end": {}}"#;
    for (text, unread, parts) in [
        (
            fixture("npu-smi.txt"),
            Unread::NpuSmi,
            ["npu-smi", "src,dst,Gbit/s"],
        ),
        (
            fixture("nccl-debug.log"),
            Unread::NcclLog,
            ["NCCL_DEBUG", "NCCL_TOPO_DUMP_FILE"],
        ),
        (
            fixture("nccl-tests-wrong.log"),
            Unread::Measurements,
            ["measurements", "--measured"],
        ),
        (
            fixture("osu-allgather.txt"),
            Unread::Measurements,
            ["measurements", "--measured"],
        ),
        (
            "GPU 0: X (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n".to_string(),
            Unread::NvLinkStatus,
            ["nvidia-smi nvlink", "topo -m"],
        ),
        (
            "| NVIDIA-SMI 550.54   Driver Version: 550.54 |\n".to_string(),
            Unread::NvidiaSmi,
            ["nvidia-smi", "topo -m"],
        ),
        (
            iperf.to_string(),
            Unread::OnePair,
            ["one pair of hosts", "src,dst,Gbit/s"],
        ),
        (
            "                    RDMA_Write BW Test\n Dual-port : OFF\n".to_string(),
            Unread::OnePair,
            ["one pair of hosts", "matrix"],
        ),
        (
            r#"{"system": {"(Topology) Weight between DRM devices 0 and 1": "15"}}"#.to_string(),
            Unread::AmdJson,
            ["rocm-smi", "--showtopo"],
        ),
        (
            r#"{"nvbandwidth": {"testcases": []}}"#.to_string(),
            Unread::NvBandwidthJson,
            ["nvbandwidth", "--json"],
        ),
        (
            "Dear administrator,\nthe cluster = slow.\n".to_string(),
            Unread::Unknown,
            ["not recognised", "edges"],
        ),
        (
            "a:\n  - b\n  - c: d\n".to_string(),
            Unread::Unknown,
            ["not recognised", "slurm-yaml"],
        ),
        (
            "00:01.0 PCI bridge: Some Bridge\n00:02.0 VGA controller: Some GPU\n".to_string(),
            Unread::Unknown,
            ["not recognised", "toml"],
        ),
    ] {
        assert_eq!(
            Format::detect(Path::new("file"), text.as_bytes()),
            Format::Unread(unread),
            "{text}"
        );
        refused(&text, &none, &parts);
    }
    refused(
        "<html><body/></html>",
        &none,
        &["<html>", "<system>", "<platform>"],
    );
    // A mistake in a file of ours is reported as one of that file.
    refused("modell = \"links\"\n", &none, &["modell"]);
    refused("1 2 3\n4 5\n", &none, &["2 rows"]);
}

/// A table of `count` GPUs in columns of `width`, each under a title.
fn square(
    title: &str,
    count: usize,
    width: usize,
    cell: impl Fn(usize, usize) -> String,
) -> String {
    let labels: Vec<String> = (0..count).map(|gpu| format!("GPU{gpu}")).collect();
    let line = |first: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:<width$}")).collect();
        format!("{first:<7}{cells}\n")
    };
    let rows = (0..count).map(|row| {
        line(
            &labels[row],
            (0..count).map(|column| cell(row, column)).collect(),
        )
    });
    format!(
        "{title}\n{}{}\n",
        line("", labels.clone()),
        rows.collect::<String>()
    )
}

/// A matrix of `count` GPUs as CUDA samples print it.
fn p2p(count: usize) -> String {
    let head: String = (0..count).map(|gpu| format!("{gpu:6} ")).collect();
    let row = |row: usize| {
        let cells: String = (0..count)
            .map(|column| format!("{:6}.25 ", 100 + row * count + column))
            .collect();
        format!("{row:6} {cells}\n")
    };
    let rows: String = (0..count).map(row).collect();
    format!(
        "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D {head}\n{rows}"
    )
}

#[test]
fn tables_that_were_wrapped_or_cut_are_refused() {
    let type_of = |row: usize, column: usize| if row == column { "0" } else { "XGMI" }.to_string();
    let weight = |row: usize, column: usize| if row == column { "0" } else { "15" }.to_string();
    let rocm = square("=== Weight between two GPUs ===", 8, 13, weight)
        + &square("=== Link Type between two GPUs ===", 8, 13, type_of);
    let amd = fixture("amd-smi.txt");
    let nvbandwidth = p2p(12).replace(
        "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D",
        "Running device_to_device_memcpy_write_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n      ",
    );
    let options = bandwidths(&[("xgmi", 48)]);
    let none = ImportOptions::default();
    for (text, options) in [
        (&rocm, &options),
        (&amd, &none),
        (&p2p(12), &none),
        (&nvbandwidth, &none),
    ] {
        let whole = import_with(text, options);
        for width in 10..150 {
            for changed in [
                folded(text, width, false),
                folded(text, width, true),
                cut(text, width),
            ] {
                if let Ok(read) = try_import(&changed, options) {
                    assert!(read.platform == whole.platform, "{width}\n{changed}");
                }
            }
        }
        // The last rows are missing.
        let lines: Vec<&str> = text.lines().collect();
        for end in 1..lines.len() {
            if let Ok(read) = try_import(&lines[..end].join("\n"), options) {
                assert!(read.platform == whole.platform, "{end} lines of\n{text}");
            }
        }
    }
    refused(
        &folded(&rocm, 80, false),
        &options,
        &["file:3", "other GPUs than the first", "wrapped"],
    );
    refused(&cut(&rocm, 80), &options, &["GPU6 has a row and no column"]);
    refused(&folded(&p2p(12), 80, false), &none, &["rows"]);
}
