//! Latencies: given, stated, assumed and left out.

use crate::common;

use common::{Folder, read};

const SMI: &str = "     GPU0 GPU1 CPU Affinity NUMA Affinity\n\
                   GPU0 X    NV4  0-31         0\n\
                   GPU1 NV4  X    0-31         0\n";

/// Assumed latencies are reported, in text and JSON. Given ones replace them, and none leaves them out.
#[test]
fn a_time_says_which_latencies_are_assumed() {
    let folder = Folder::new();
    let smi = folder.write("smi.txt", SMI);
    let question = format!("time broadcast --source=gpu0 --bytes=8 --platform {smi}");
    let ask = |more: &str| oneport!("{question} {more}").noted(&["note: "]);
    let text = ask("").stdout;
    for part in [
        "latency assumed: ",
        "nvlink 600 ns",
        "--latency KIND=TIME or none",
        "for the assumed latencies",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let object = ask("--json").object();
    let nvlink = object["latencies"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["kind"] == "nvlink"))
        .expect("nvlink");
    assert_eq!(nvlink["latency"], "3/5000000");
    assert_eq!(
        (&nvlink["origin"], &nvlink["links"]),
        (&"assumed".into(), &2.into())
    );
    // 8 bytes at 82.4 or 80 GB/s after 3 us.
    let given = ask("--latency=nvlink=3us,none").stdout;
    assert!(
        given.contains("latency given: nvlink 3 us per link\n"),
        "{given}"
    );
    assert!(!given.contains("assumed"), "{given}");
    let without = ask("--latency=none").stdout;
    assert!(without.contains("no link has latency"), "{without}");
    for (wrong, parts) in [
        ("pcie=1us", ["no links of kind 'pcie'", "nvlink"]),
        ("nvlink=1", ["'1' has no unit of time", "nvlink=1us"]),
        ("nvlink=1GB", ["nvlink=1us", "GB"]),
        ("nvlink=1us,nvlink=2us", ["keep one", "nvlink=2us"]),
        ("nvlink=-1us", ["below 0", "nvlink=1us"]),
    ] {
        let run = oneport!("{question} --latency {wrong}");
        assert_eq!(run.code, Some(2), "{wrong}");
        parts
            .iter()
            .for_each(|part| assert!(run.stderr.contains(part), "{part}: {}", run.stderr));
    }
}

/// `generate` and `convert` write latencies into the file, so later commands assume no latency.
#[test]
fn files_keep_the_latencies_that_were_given() {
    let folder = Folder::new();
    let (boxes, mesh) = (folder.path("boxes.toml"), folder.path("mesh.toml"));
    oneport!("generate dgx-a100 --boxes=2 --latency=nvlink=1us,net=5us -o {boxes}").ok();
    let text = read(&boxes);
    for seconds in ["1/1000000", "1/200000"] {
        assert_eq!(
            text.matches(&format!("latency = \"{seconds}\"")).count(),
            16,
            "{text}"
        );
    }
    let inspected = oneport!("inspect {boxes}").ok().stdout;
    for part in ["latency", "1 us", "5 us"] {
        assert!(inspected.contains(part), "{part}: {inspected}");
    }
    let smi = folder.write("smi.txt", SMI);
    oneport!("convert {smi} {mesh} --latency=5us").noted(&["note: "]);
    let timed = oneport!("time broadcast --source=gpu0 --bytes=8 --platform {mesh}").ok();
    assert!(!timed.stdout.contains("assumed"), "{}", timed.stdout);
    assert!(timed.stdout.contains("5.0001 us"), "{}", timed.stdout);
    let run = oneport!("generate ring --nodes=3 --latency=net=1");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the kinds are link"), "{}", run.stderr);
}

/// The last size is the requested one, a larger operation takes at least as long, and its bound is at least as high.
#[test]
fn times_and_bounds_grow_with_the_size() {
    let report = oneport!(
        "time all-gather --latency=5us --platform dgx-a100-1.toml --sizes=64KiB:100KiB:x4/3 --json"
    )
    .ok()
    .object();
    let sizes = report["sizes"].as_array().expect("sizes");
    let bytes: Vec<&str> = sizes
        .iter()
        .filter_map(|size| size["bytes"].as_str())
        .collect();
    assert_eq!((bytes.len(), bytes[0], bytes[2]), (3, "65536", "102400"));
    let number = |value: &serde_json::Value| {
        let text = value.as_str().expect("a number");
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
    };
    for size in sizes {
        let (time, least) = (number(&size["time"]), number(&size["lower_bound"]));
        assert!(
            (number(&size["gap"]) - (time / least - 1.0)).abs() < 1e-6,
            "{size}"
        );
        assert!(time <= 1.05 * least, "{size}");
    }
    for key in ["time", "lower_bound"] {
        let grows = |pair: &[serde_json::Value]| number(&pair[0][key]) <= number(&pair[1][key]);
        assert!(sizes.windows(2).all(grows), "{report}");
    }
}

/// A log of nccl-tests: each size next to its own row. 10 us and 100 GB/s are fitted to the values made from them.
#[test]
fn measured_times_stand_beside_their_sizes() {
    let folder = Folder::new();
    let mut log = "# Collective test starting: all_gather_perf\n".to_string();
    for power in 14..20_u32 {
        let bytes = 1_u64 << power;
        let (time, factor) = (10.0 + bytes as f64 / 100_000.0, 7.0 / 8.0);
        let bus = bytes as f64 / time / 1000.0 * factor;
        log += &format!(
            "{bytes} {} float none -1 {time:.3} {:.4} {bus:.6} 0\n",
            bytes / 4,
            bus / factor
        );
    }
    let log = folder.write("gather.log", log);
    let question =
        format!("time all-gather --platform dgx-a100-1.toml --latency=1us --measured {log}");
    let report = oneport!("{question} --json").ok().object();
    let sizes = report["sizes"].as_array().expect("the sizes of the log");
    assert_eq!(sizes.len(), 6);
    let number = |value: &serde_json::Value| -> f64 {
        value
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("a decimal")
    };
    assert!(
        (number(&sizes[0]["measured"]) - 10.164e-6).abs() < 1e-9,
        "{report}"
    );
    let line = &report["fitted"][0];
    assert!((number(&line["latency"]) - 10e-6).abs() < 1e-8, "{line}");
    assert!((number(&line["algbw"]) - 100.0).abs() < 0.1, "{line}");
    assert_eq!(report["fitted"].as_array().map(Vec::len), Some(1));
    let text = oneport!("{question} --bytes=16384").ok().stdout;
    for part in ["\n measured ", "10.16", "fitted ", " GB/s (algbw)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = folder.path("curve.svg");
    oneport!("{question} -o {svg}").ok();
    assert!(read(&svg).contains("measured"));
    let wrong = oneport!("time all-reduce --platform dgx-a100-1.toml --measured {log}");
    wrong.refused(1, &["measures all-gather", "all-reduce is asked for"]);
}
