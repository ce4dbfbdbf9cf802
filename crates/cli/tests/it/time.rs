//! `oneport time`: one operation, with latency.

use crate::common;

use common::{Folder, oneport};
use serde_json::Value;

/// Three nodes in a row at 1 GB/s: latency 10 us, overhead 1 us.
const ROW: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = "1 us" }, { name = "b", compute = "1 us" }, { name = "c", compute = "1 us" }]
[[link]]
from = "a"
to = "b"
bandwidth = "1 GB/s"
latency = "10 us"
overhead = "1 us"
duplex = true
[[link]]
from = "b"
to = "c"
bandwidth = "1 GB/s"
latency = "10 us"
overhead = "1 us"
duplex = true
"#;

fn row(folder: &Folder) -> String {
    let path = folder.path("row.toml");
    std::fs::write(&path, ROW).expect("written");
    path
}

fn rational(value: &Value) -> f64 {
    let text = value.as_str().expect("a rational");
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
}

#[test]
fn one_operation_has_a_time_and_a_bound() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question = ["time", "broadcast", "--source=a", "--platform", &platform, "--bytes"];
    let two = oneport(&[&question[..], &["8000", "--targets=b", "--json"]].concat()).ok().object();
    // 8 us to send, overhead, latency: the bound is met.
    assert_eq!((&two["time"], &two["lower_bound"]), (&"19/1000000".into(), &"19/1000000".into()));
    assert_eq!((&two["pieces"], &two["algbw"], &two["busbw"]), (&1.into(), &"8/19".into(), &"8/19".into()));

    let report = oneport(&[&question[..], &["1MB", "--json"]].concat()).ok().object();
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.len() > 4 && report["pieces"].as_u64() > Some(4), "{report}");
    // Never slower than a named algorithm, never faster than the bound.
    assert!(rows.iter().all(|other| rational(&other["time"]) >= rational(&report["time"])), "{report}");
    assert!(rational(&report["lower_bound"]) <= rational(&report["time"]), "{report}");
    assert!(rational(&report["time"]) < 1.2 * rational(&report["lower_bound"]), "{report}");
    let text = oneport(&[&question[..], &["1MB"]].concat()).ok().stdout;
    for word in ["time ", "no schedule takes less than", "chain", "the referee executed the best"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn sizes_make_a_table_and_a_curve() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question =
        ["time", "all-reduce", "--commutative", "--work=0", "--platform", &platform, "--sizes=1KiB:1MiB:x32"];
    let report = oneport(&[&question[..], &["--json"]].concat()).ok().object();
    let sizes = report["sizes"].as_array().expect("sizes");
    let bytes: Vec<&str> = sizes.iter().filter_map(|size| size["bytes"].as_str()).collect();
    assert_eq!(bytes, ["1024", "32768", "1048576"]);
    assert!(sizes.windows(2).all(|pair| rational(&pair[0]["time"]) < rational(&pair[1]["time"])), "{report}");
    let text = oneport(&question).ok().stdout;
    assert!(text.contains("32 KiB") && text.contains("no less than"), "{text}");
    let (csv, svg) = (folder.path("curve.csv"), folder.path("curve.svg"));
    oneport(&[&question[..], &["-o", &csv]].concat()).ok();
    oneport(&[&question[..], &["-o", &svg]].concat()).ok();
    let csv = std::fs::read_to_string(csv).expect("written");
    assert!(csv.starts_with("bytes,algorithm,pieces,time,lower_bound") && csv.contains("\n1048576,\"ring\","), "{csv}");
    let svg = std::fs::read_to_string(svg).expect("drawn");
    assert!(svg.contains("proved bound") && svg.contains("bus bandwidth"), "{svg}");
}

#[test]
fn sizes_are_checked() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question = ["time", "broadcast", "--source=a", "--platform", &platform];
    for sizes in ["--sizes=8", "--sizes=8:4:x2", "--sizes=8:64:x1", "--sizes=0:64:x2", "--sizes=8 us:64:x2"] {
        oneport(&[&question[..], &[sizes]].concat()).refused(2, &["--sizes"]);
    }
    oneport(&[&question[..], &["--sizes=8:64:x2", "--bytes=8"]].concat()).misused(&["--bytes"]);
}
