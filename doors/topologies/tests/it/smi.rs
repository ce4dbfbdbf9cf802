//! Tables of `nvidia-smi topo -m`.

use oneport_testkit::whole;
use oneport_topologies::{Fabric, Format, ImportOptions, Topic};

use crate::{
    check_whole, cut, fixture, folded, import, import_with, rate, reached, refused, replicated,
    says, try_import,
};

/// A table of `nvidia-smi topo -m`: columns, rows without their labels.
fn table(labels: &str, rows: &[&str]) -> String {
    let head = format!(
        "\t\u{1b}[4m{}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u{1b}[0m\n",
        labels.replace(' ', "\t")
    );
    let row = |(label, cells): (&str, &&str)| {
        format!(
            "{label}\t{}\n",
            cells.split_whitespace().collect::<Vec<_>>().join("\t")
        )
    };
    let rows: String = labels.split(' ').zip(rows).map(row).collect();
    format!(
        "{head}{rows}\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_0\n"
    )
}

#[test]
fn four_gpus_with_direct_nvlinks() {
    let text = table(
        "GPU0 GPU1 GPU2 GPU3",
        &[
            "X NV4 NV4 NV4 0-31 0 N/A",
            "NV4 X NV4 NV4 0-31 0 N/A",
            "NV4 NV4 X NV4 32-63 1 N/A",
            "NV4 NV4 NV4 X 32-63 1 N/A",
        ],
    );
    let imported = import(&text);
    assert_eq!(imported.format, Format::NvidiaSmi);
    // Four links of 20 GB/s. Three times four are fewer than a GPU may have.
    assert_eq!(rate(&imported.platform, "gpu0", "gpu3"), "80");
    assert_eq!(rate(&imported.platform, "gpu0", "cpu0"), "24");
    assert_eq!(rate(&imported.platform, "gpu3", "cpu1"), "24");
    assert_eq!(rate(&imported.platform, "cpu0", "cpu1"), "16");
    assert!(says(&imported, Topic::Assumed, "NVLinks lead straight"));
    assert_eq!(reached(&imported.platform), 4);
    assert_eq!(imported.accelerators.len(), 4);
    check_whole(&imported);
}

#[test]
fn eight_gpus_with_nvswitches_and_cards() {
    let labels = "GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 GPU6 GPU7 NIC0 NIC1";
    let rows: Vec<String> = (0..10)
        .map(|row| {
            let cell = |column| match (row, column) {
                _ if row == column => "X",
                (8.., 8..) => "SYS",
                (card @ 8.., gpu) | (gpu, card @ 8..) if gpu / 4 == card - 8 => "PXB",
                (8.., _) | (_, 8..) => "SYS",
                _ => "NV18",
            };
            let affinity = if row < 8 {
                format!(" 0-55,112-167 {} N/A", row / 4)
            } else {
                String::new()
            };
            (0..10).map(cell).collect::<Vec<_>>().join(" ") + &affinity
        })
        .collect();
    let text = table(labels, &rows.iter().map(String::as_str).collect::<Vec<_>>());
    let imported = import(&text);
    // 18 links of 20.6 GB/s, not seven times that number.
    assert_eq!(rate(&imported.platform, "gpu5", "nvswitch"), "1854/5");
    assert_eq!(rate(&imported.platform, "gpu5", "gpu6"), "none");
    assert!(says(
        &imported,
        Topic::Merged,
        "more than the 18 of any GPU"
    ));
    // PXB joins four GPUs and a card below one switch. 18 NVLinks are those of an H100, whose PCI is of generation 5.
    assert_eq!(rate(&imported.platform, "nic1", "pcis1"), "48");
    assert_eq!(rate(&imported.platform, "gpu7", "pcis1"), "48");
    assert_eq!(rate(&imported.platform, "pcis1", "cpu1"), "48");
    assert_eq!(rate(&imported.platform, "cpu0", "cpu1"), "22");
    refused(
        &text,
        &replicated(2, Fabric::Rail, None),
        &["does not say how fast", "--fabric"],
    );
    let mut net = replicated(2, Fabric::Rail, None);
    net.link_bandwidth.insert("net".to_string(), whole(40));
    assert_eq!(
        rate(&import_with(&text, &net).platform, "box0.nic0", "rail0"),
        "40"
    );
    let two = import_with(&text, &replicated(2, Fabric::Rail, Some(50))).platform;
    assert_eq!(rate(&two, "box1.nic1", "rail1"), "50");
    assert_eq!(reached(&two), 16);
}

#[test]
fn gpus_behind_one_switch_and_one_host_bridge() {
    let text = table(
        "GPU0 GPU1 GPU2 mlx5_0",
        &[
            "X PIX PHB SYS 0-7 N/A",
            "PIX X PHB SYS 0-7 N/A",
            "PHB PHB X SYS 0-7 N/A",
            "SYS SYS SYS X",
        ],
    );
    let platform = import(&text).platform;
    assert_eq!(rate(&platform, "gpu0", "pci0"), "24");
    assert_eq!(rate(&platform, "gpu1", "pci0"), "24");
    assert_eq!(rate(&platform, "pci0", "cpu0"), "24");
    assert_eq!(rate(&platform, "gpu2", "cpu0"), "24");
    assert_eq!(rate(&platform, "mlx5_0", "cpu1"), "24");
}

#[test]
fn squeezed_columns_and_rows_left_out() {
    let rows = [
        "X NV18 PIX NODENODE 0-7 0 N/A",
        "NV18X NODEPIXNODE 0-7 0 N/A",
    ];
    let imported = import(&table(
        "GPU0 GPU1 NIC0 NIC1 NIC2",
        &["X NV18 PIX NODENODE 0-7 0 N/A", rows[1]],
    ));
    // The rows of the cards follow from their columns.
    let platform = &imported.platform;
    assert_eq!(
        (
            rate(platform, "gpu0", "gpu1"),
            rate(platform, "nic0", "pci0")
        ),
        ("1854/5".into(), "48".into())
    );
    assert_eq!(
        (
            rate(platform, "gpu1", "pci1"),
            rate(platform, "nic1", "pci1")
        ),
        ("48".into(), "48".into())
    );
    assert_eq!(rate(platform, "nic2", "cpu0"), "48");
    assert!(says(
        &imported,
        Topic::Assumed,
        "network cards without a row"
    ));
    let squeezed = format!(
        "\tGPU0\tGPU1\nGPU0 X {}\nGPU1 NV1 X\n",
        "NV1".repeat(1_000_000)
    );
    refused(
        &squeezed,
        &ImportOptions::default(),
        &["GPU0, GPU1", "NV1NV1", "characters"],
    );
    let reach = table("GPU0 GPU1", &["X OK", "OK X"]);
    refused(
        &reach,
        &ImportOptions::default(),
        &["-p2p", "give `nvidia-smi topo -m`"],
    );
}

/// Pasted text loses tabs: the last label and the last cell are glued to the following word.
#[test]
fn glued_columns() {
    let text = fixture("smi-glued.txt");
    let glued = import(&text).platform;
    let apart = text
        .replace("GPU3CPU", "GPU3 CPU")
        .replace("NV120-31", "NV12 0-31");
    assert!(import(&apart).platform == glued);
    // 3 x 12 NVLinks would be more than 18: NVSwitches. Twelve are an A100's.
    assert_eq!(rate(&glued, "gpu0", "nvswitch"), "240");
    assert_eq!(rate(&glued, "gpu3", "cpu0"), "24");
    // If no other cell determines the number, it is the largest that a GPU has.
    let two = "        GPU0 GPU1CPU Affinity\nGPU0 X NV180-31\nGPU1 NV18 X 0-31\n";
    assert_eq!(rate(&import(two).platform, "gpu0", "gpu1"), "1854/5");
    let pci = "  GPU0 GPU1CPU Affinity\nGPU0 X SYS0-7\nGPU1 SYS X 8-15\n";
    assert_eq!(rate(&import(pci).platform, "gpu0", "cpu0"), "24");
}

#[test]
fn of_two_tables_the_one_that_says_connections_is_read() {
    let text = fixture("smi-two-tables.txt");
    let imported = import(&text);
    assert!(says(&imported, Topic::LeftOut, "1 of 2 tables"));
    // The file names the GPUs: those of a B200 have NVLinks of 40.1 GB/s, and PCI 5.0.
    assert_eq!(rate(&imported.platform, "gpu0", "nvswitch"), "3609/5");
    assert_eq!(rate(&imported.platform, "gpu0", "cpu0"), "48");
    let (first, second) = text
        .split_once("--- nvidia-smi topo -p2p n ---")
        .expect("two tables");
    assert!(import(&format!("{second}{first}")).platform == imported.platform);
    assert!(import(first).platform == imported.platform);
    refused(second, &ImportOptions::default(), &["-p2p"]);
}

/// The table does not name the GPUs. The number of NVLinks of one identifies them.
#[test]
fn generations_follow_from_nvlinks() {
    let pair = |count: &str, rest: &str| {
        let rows = [
            format!("X {count} 0-31 0 {rest}"),
            format!("{count} X 32-63 1 {rest}"),
        ];
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let imported = import(&table("GPU0 GPU1", &rows));
        let rate_of = |from, to| rate(&imported.platform, from, to);
        [
            rate_of("gpu0", "gpu1"),
            rate_of("gpu0", "cpu0"),
            rate_of("cpu0", "cpu1"),
        ]
    };
    // 18 x 20.6, 12 x 20, 6 x 20, else 20 each, and PCI 4.0.
    assert_eq!(pair("NV18", "N/A"), ["1854/5", "48", "22"]);
    assert_eq!(pair("NV12", "N/A"), ["240", "24", "16"]);
    assert_eq!(pair("NV6", "N/A"), ["120", "12", "10"]);
    assert_eq!(pair("NV4", "N/A"), ["80", "24", "16"]);
    // Fewer than four to each other: before an A100.
    assert_eq!(pair("NV2", "N/A"), ["40", "12", "10"]);
    // Memory of GPUs that is a NUMA node means Grace: 18 x 40.1.
    assert_eq!(pair("NV18", "2"), ["3609/5", "48", "6"]);
    let named = |name: &str| {
        let rows = ["X SYS 0-31 0 N/A", "SYS X 32-63 1 N/A"];
        let text = format!("GPU 0: {name} (UUID: GPU-0)\n{}", table("GPU0 GPU1", &rows));
        rate(&import(&text).platform, "gpu0", "cpu0")
    };
    assert_eq!(
        [
            "Tesla V100-SXM2-16GB",
            "NVIDIA A100-SXM4-80GB",
            "NVIDIA H100 80GB HBM3",
            "Tesla K80"
        ]
        .map(named),
        ["12", "24", "48", "12"]
    );
}

#[test]
fn tables_that_are_wrong() {
    let none = ImportOptions::default();
    let rows = ["X NV4 0-31 0 N/A", "NV4 X 0-31 0 N/A"];
    let good = table("GPU0 GPU1", &rows);
    import(&good);
    refused(
        &good.replace("GPU1\tNV4\tX", "GPU1\tNV4"),
        &none,
        &["GPU1", "'0-31'"],
    );
    refused(
        &good.replace("GPU1\tNV4\tX\t0-31\t0\tN/A", "GPU1\tNV4"),
        &none,
        &["the row of GPU1 is missing or cut off"],
    );
    refused(
        &good.replacen("NV4", "NV", 1),
        &none,
        &["file:2", "GPU0, GPU1", "'NV'", "PIX"],
    );
    refused(
        &good.replacen("NV4", "NV99999999999", 1),
        &none,
        &["file:2", "NV99999999999"],
    );
    refused(&good.replacen("NV4", "X", 1), &none, &["file:2", "'X'"]);
    refused(
        &format!("{good}GPU0\tX\tNV4\n"),
        &none,
        &["'GPU0' is given twice"],
    );
    let wide: String = (0..2000).map(|gpu| format!("GPU{gpu} ")).collect();
    refused(
        &format!("{wide} CPU Affinity\nGPU0 X\n"),
        &none,
        &["over 500 devices"],
    );
}

/// The machine of NVIDIA/nccl issue 1453: eight H100, a card below the PCI switch of each, one that is far from all.
#[test]
fn a_machine_of_an_issue() {
    let labels: Vec<String> = (0..8)
        .map(|gpu| format!("GPU{gpu}"))
        .chain((0..9).map(|card| format!("NIC{card}")))
        .collect();
    let row = |gpu: usize| {
        let cell = |other: usize| match other {
            _ if other == gpu => "X",
            0..8 => "NV18",
            _ if gpu + other == 16 => "PIX",
            _ if other > 8 && (other < 13) == (gpu >= 4) => "NODE",
            _ => "SYS",
        };
        let affinity = if gpu < 4 {
            "0-79 0 N/A"
        } else {
            "80-159 1 N/A"
        };
        (0..17)
            .map(cell)
            .chain(affinity.split(' '))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows: Vec<String> = (0..8).map(row).collect();
    let imported = import(&table(
        &labels.join(" "),
        &rows.iter().map(String::as_str).collect::<Vec<_>>(),
    ));
    let platform = &imported.platform;
    assert_eq!(
        (
            rate(platform, "gpu0", "nvswitch"),
            rate(platform, "gpu7", "nvswitch")
        ),
        ("1854/5".into(), "1854/5".into())
    );
    // GPU 0 and card 8 share the first switch, GPU 7 and card 1 the last.
    assert_eq!(
        (
            rate(platform, "gpu0", "pci0"),
            rate(platform, "nic8", "pci0")
        ),
        ("48".into(), "48".into())
    );
    assert_eq!(
        (
            rate(platform, "gpu7", "pci7"),
            rate(platform, "nic1", "pci7")
        ),
        ("48".into(), "48".into())
    );
    assert_eq!(
        (
            rate(platform, "pci3", "cpu0"),
            rate(platform, "pci4", "cpu1")
        ),
        ("48".into(), "48".into())
    );
    assert_eq!(
        (
            rate(platform, "nic0", "cpu2"),
            rate(platform, "cpu2", "cpu0")
        ),
        ("48".into(), "22".into())
    );
    assert_eq!((platform.processors().count(), reached(platform)), (8, 8));
    check_whole(&imported);
}

/// Eight GPUs and eight cards, as the command prints them: tabs, an underlined head.
fn wide_table() -> String {
    let labels: Vec<String> = (0..16)
        .map(|at| {
            if at < 8 {
                format!("GPU{at}")
            } else {
                format!("NIC{}", at - 8)
            }
        })
        .collect();
    let row = |one: usize| {
        let cell = |other: usize| match (one.min(other), one.max(other)) {
            _ if one == other => "X",
            (_, ..8) => "NV18",
            (gpu, card) if gpu + 8 == card => "PIX",
            (a, b) if a % 8 / 4 == b % 8 / 4 => "NODE",
            _ => "SYS",
        };
        let cells: Vec<&str> = (0..16).map(cell).collect();
        let end = match one {
            0..4 => " 0-47,96-143 0 N/A",
            4..8 => " 48-95,144-191 1 N/A",
            _ => "",
        };
        cells.join(" ") + end
    };
    let rows: Vec<String> = (0..16).map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    table(&labels.join(" "), &rows).replace("  NIC0: mlx5_0\n", "")
}

/// A text that a terminal of this width or `fold` wraps, and one whose lines are cut there.
#[test]
fn tables_that_were_wrapped_or_cut_are_refused() {
    let few = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-7\t0\nGPU1\tNV4\t X \t8-15\t1\n\n\
        Legend:\n\n  X    = Self\n  NODE = Connection traversing PCIe as well as the interconnect\n";
    for (text, cells) in [(wide_table(), 17 * 8), (few.to_string(), 20)] {
        let whole = import(&text);
        for width in 6..200 {
            for folded in [folded(&text, width, false), folded(&text, width, true)] {
                if let Ok(read) = try_import(&folded, &ImportOptions::default()) {
                    assert!(read.platform == whole.platform, "{width}\n{folded}");
                }
            }
            let cut = cut(&text, width);
            let Ok(read) = try_import(&cut, &ImportOptions::default()) else {
                continue;
            };
            assert!(width >= cells, "cut at {width}:\n{cut}");
            let silent = !cut.contains("0-") && !says(&read, Topic::Assumed, "no affinities");
            assert!(!silent, "cut at {width}:\n{cut}");
        }
    }
    let wide = wide_table();
    let none = ImportOptions::default();
    refused(
        &folded(&wide, 80, false),
        &none,
        &["file:2", "wrapped", "nvidia-smi topo -m > FILE"],
    );
    refused(
        &folded(&wide, 120, true),
        &none,
        &["file:2", "goes on with the one above"],
    );
    let wide = wide.replace("\u{1b}[4m", "").replace("\u{1b}[0m", "");
    refused(&cut(&wide, 80), &none, &["NIC1", "no column in the head"]);
    // If rows of cards were left out, the missing columns are still noticed: the legend has the cards.
    let rows: String = wide
        .lines()
        .take(9)
        .map(|line| format!("{line}\n"))
        .collect();
    let legend = "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC7: mlx5_7\n";
    import(&format!("{rows}{legend}"));
    refused(
        &format!("{}{legend}", cut(&rows, 80)),
        &none,
        &["NIC7 is in the legend and has no column"],
    );
    refused(
        &wide.replacen("\tNIC7", "", 1),
        &none,
        &["GPU0", "more cells than the head has devices"],
    );
}
