//! `oneport reduce`: lengths, schedules, drawings, refusals.

use crate::common;

use common::{Folder, read};
use serde_json::Value;

fn homogeneous(arguments: &str) -> Value {
    oneport!("reduce homogeneous --json {arguments}")
        .ok()
        .object()
}

fn heterogeneous(arguments: &str) -> Value {
    oneport!("reduce heterogeneous --json {arguments}")
        .ok()
        .object()
}

/// Figure 1 of RR-7898: four values with d = c take 4 d, transfers start at 0, d and 2d.
#[test]
fn figure_1_comes_out() {
    let report = homogeneous("--n 4 --transfer 1/3 --compute 1/3");
    assert_eq!(
        (&report["length"], &report["status"]),
        (&"4/3".into(), &"optimal".into()),
        "{report}"
    );
    assert_eq!(report["rechecked"], true);
    let mut starts: Vec<&str> = report["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["start"].as_str().unwrap())
        .collect();
    starts.sort_unstable();
    assert_eq!(starts, ["0", "1/3", "2/3"]);
}

/// Limits make it longer, and the schedule of every strategy is at least the optimum.
#[test]
fn limits_and_strategies_are_ordered() {
    let costs = "--n 30 --transfer 2 --compute 3";
    let length = |more: &str| {
        let report = homogeneous(&format!("{costs} {more}"));
        report["length"].as_str().unwrap().parse::<u64>().unwrap()
    };
    let free = length("");
    for option in ["--max-transfers", "--max-reducers"] {
        let lengths: Vec<u64> = ["1", "2", "4", "30"]
            .map(|most| length(&format!("{option} {most}")))
            .to_vec();
        assert!(lengths.is_sorted_by(|a, b| a >= b), "{option}: {lengths:?}");
        assert_eq!(lengths[3], free);
    }
    for strategy in ["binomial", "fibonacci", "chain", "flat"] {
        assert!(
            length(&format!("--strategy {strategy}")) >= free,
            "{strategy}"
        );
    }
    let report = homogeneous(&format!("{costs} --strategy flat"));
    assert_eq!(
        (&report["status"], &report["lower_bound"]),
        (&"feasible".into(), &free.to_string().into())
    );
}

#[test]
fn lengths_alone_are_counted_for_any_number() {
    let report = homogeneous("--n 1000000000000000000 --transfer 3 --compute 5");
    assert_eq!(
        (&report["length"], &report["status"]),
        (&"386".into(), &"optimal".into()),
        "{report}"
    );
    assert!(report.get("tree").is_none());
    for free in [["0", "0", "0"], ["1", "0", "63"], ["0", "1/2", "63/2"]] {
        let report = homogeneous(&format!(
            "--n 9223372036854775808 --transfer {} --compute {}",
            free[0], free[1]
        ));
        assert_eq!(report["length"], free[2]);
    }
    let one = homogeneous("--n 1 --transfer 7 --compute 5");
    assert_eq!(
        (&one["length"], &one["status"]),
        (&"0".into(), &"optimal".into())
    );
}

/// The example of Liu-Kuo-Wang 2009, figures 1 to 5: 11 is the shortest.
#[test]
fn the_example_with_a_slow_destination_comes_out() {
    let report = heterogeneous("--times 10,5,5,5,4,2,2 --destination 0");
    assert_eq!(
        (&report["length"], &report["status"]),
        (&"11".into(), &"optimal".into()),
        "{report}"
    );
    assert_eq!(report["sequence"].as_array().unwrap().len(), 6);
    assert_eq!(report["destination"], 0);
}

/// Figure 8: x = 3/2, the destination is slow or outside.
#[test]
fn figure_8_depends_on_the_destination() {
    let times = "3/2,3/2,3/2,3/2,1,1,1,1,1,1,1,1";
    assert_eq!(
        heterogeneous(&format!("--times {times} --destination 2"))["length"],
        "4"
    );
    assert_eq!(heterogeneous(&format!("--times {times}"))["length"], "9/2");
    let snf = heterogeneous(&format!("--times {times} --destination 2 --method snf"));
    assert_eq!(
        (&snf["length"], &snf["status"]),
        (&"9/2".into(), &"feasible".into()),
        "{snf}"
    );
}

/// All exact methods agree with one another, on lists and on classes.
#[test]
fn methods_agree() {
    let methods = |question: &str, methods: &[&str]| {
        let found: Vec<Value> = methods
            .iter()
            .map(|method| heterogeneous(&format!("{question} --method {method}")))
            .collect();
        for report in &found {
            assert_eq!(
                (&report["length"], &report["status"]),
                (&found[0]["length"], &"optimal".into()),
                "{report}"
            );
        }
    };
    methods(
        "--classes 2:5,3:7",
        &["auto", "exact", "dp", "levels", "slots", "search"],
    );
    methods(
        "--classes 2:3,3:3,7/2:4",
        &["auto", "exact", "dp", "slots", "search"],
    );
    methods("--times 4,6,6,6,9,9,9,10", &["auto", "slots", "search"]);
}

#[test]
fn large_classes_are_lengths_alone() {
    let report = heterogeneous("--classes 2:1000000000,3:1e9");
    assert_eq!(report["senders"], 2_000_000_000_u64);
    assert_eq!(report["status"], "optimal", "{report}");
    assert!(report.get("tree").is_none() && report.get("sequence").is_none());
    let even = heterogeneous("--classes 5:9223372036854775807");
    assert_eq!(
        (&even["length"], &even["status"]),
        (&"315".into(), &"optimal".into()),
        "{even}"
    );
}

/// Processors of classes are numbered in the order of the command line, and the report states it.
#[test]
fn classes_say_which_processors_are_theirs() {
    let report = heterogeneous("--classes 2:1,7:1,3:2");
    let numbering = serde_json::json!([
        { "time": "2", "first": 0, "last": 0 }, { "time": "7", "first": 1, "last": 1 }, { "time": "3", "first": 2, "last": 3 }
    ]);
    assert_eq!(report["numbering"], numbering, "{report}");
    // A sender's transfer takes the time of its class: the one of 7 ends 7 after it begins.
    let listed = heterogeneous("--times 2,7,3,3");
    assert_eq!(
        (&report["length"], &report["sequence"]),
        (&listed["length"], &listed["sequence"]),
        "{report}"
    );
    assert!(listed.get("numbering").is_none(), "{listed}");
}

/// A search that is stopped gives only its schedule and its bound.
#[test]
fn stopped_searches_state_their_gap() {
    let times = "11,13,17,19,23,29,31,37,41,43,47,53,59,61,67";
    let report = heterogeneous(&format!("--times {times} --method search --max-states 10"));
    assert_eq!(report["status"], "feasible", "{report}");
    let number = |key: &str| report[key].as_str().unwrap().parse::<u64>().unwrap();
    assert!(number("lower_bound") < number("length"), "{report}");
    let text = oneport!("reduce heterogeneous --times {times} --method search --max-states 10")
        .ok()
        .stdout;
    assert!(
        text.contains("feasible; none is shorter than") && text.contains('%'),
        "{text}"
    );
}

/// A schedule may come out shorter than the placement it is made of. If a method's input is too large, auto takes
/// another.
#[test]
fn unfinished_and_unwieldy_questions_are_answered() {
    let report = heterogeneous("--classes 5:3,10:2,8:3 --max-states 1");
    assert_eq!(report["length"], "23", "{report}");
    for classes in [
        "100000:2,100001:2,1:2",
        "300000:2,300001:2,7:2",
        "3e9:1,6:4,8:2",
    ] {
        let report = heterogeneous(&format!("--classes {classes}"));
        assert_eq!(report["status"], "optimal", "{report}");
        assert_eq!(
            report["length"],
            heterogeneous(&format!("--classes {classes} --method search"))["length"]
        );
    }
    let fine = heterogeneous("--times 1e40,1,3");
    assert_eq!(fine["method"], "snf", "{fine}");
    let far = homogeneous("--n 1e10 --transfer 1 --compute 1 --broadcast");
    assert!(
        far["status"] == "optimal" && far.get("tree").is_none(),
        "{far}"
    );
}

#[test]
fn drawings_are_written() {
    let folder = Folder::new();
    let (gantt, tree, dot, json) = (
        folder.path("g.svg"),
        folder.path("t.svg"),
        folder.path("t.dot"),
        folder.path("t.json"),
    );
    for question in [
        "homogeneous --n 9 --transfer 2 --compute 1",
        "heterogeneous --times 10,5,5,5,4,2,2 --destination 0",
        "heterogeneous --classes 1:3,2:2",
    ] {
        for tree in [&tree, &dot, &json] {
            oneport!("reduce {question} --gantt {gantt} --tree {tree}").ok();
        }
        assert!(read(&gantt).starts_with("<svg") && read(&tree).contains("<circle"));
        assert!(read(&dot).starts_with("digraph"));
        let rows: Vec<Value> = serde_json::from_str(&read(&json)).unwrap();
        assert!(
            rows.iter()
                .all(|row| row["processor"].is_u64() && row["start"].is_string()),
            "{rows:?}"
        );
    }
    oneport!(
        "reduce homogeneous --n 9 --transfer 2 --compute 1 --tree {}",
        folder.path("t.txt")
    )
    .refused(2, &["--tree", "t.txt", ".svg, .png, .dot, .gv or .json"]);
    oneport!(
        "reduce homogeneous --n 9 --transfer 2 --compute 1 --gantt {}.svg",
        common::unwritable(&folder)
    )
    .refused(1, &["cannot write"]);
}

#[test]
fn further_questions_are_answered() {
    let released = homogeneous("--ready 0,5,1,2 --transfer 1 --compute 1");
    assert_eq!(released["n"], 4);
    let broadcast = homogeneous("--n 9 --transfer 1 --compute 0 --broadcast");
    assert_eq!(
        (&broadcast["length"], &broadcast["status"]),
        (&"4".into(), &"optimal".into()),
        "{broadcast}"
    );
    let all = heterogeneous("--times 4,3,2,1 --all-reduce");
    assert_eq!(all["collective"], "all-reduce", "{all}");
    oneport!("reduce heterogeneous --times 1,1 --all-reduce").ok();
}

#[test]
fn bad_questions_are_named_and_refused() {
    let equal = |n: &str, d: &str, c: &str| {
        oneport!("reduce homogeneous --n {n} --transfer {d} --compute {c}")
    };
    oneport!("reduce homogeneous --n 1e9 --transfer 1 --compute 1 --tree x.json")
        .refused(1, &["1000000000 values", "at most 100000000"]);
    oneport!("reduce homogeneous --n 9 --transfer 1 --compute 1 --gantt x.gif")
        .refused(2, &["x.gif", ".svg or .png"]);
    oneport!("reduce heterogeneous '--times=1\n2'").refused(2, &["--times"]);
    equal("0", "1", "1").refused(2, &["--n", "'0'", "1 to 2^63"]);
    equal("9223372036854775809", "1", "1").refused(2, &["--n", "2^63"]);
    equal("-3", "1", "1").refused(2, &["--n", "'-3'"]);
    equal("four", "1", "1").refused(2, &["--n", "'four'"]);
    equal("4", "-1", "1").refused(2, &["--transfer", "-1", "0 or more"]);
    equal("4", "1", "x").refused(2, &["--compute", "'x'"]);
    equal("4", "1/0", "1").refused(2, &["--transfer", "1/0"]);
    let limited = |option: &str, k: &str| {
        oneport!("reduce homogeneous --n 4 --transfer 1 --compute 1 {option} {k}")
    };
    limited("--max-transfers", "0").refused(2, &["--max-transfers", "'0'"]);
    limited("--max-reducers", "0").refused(2, &["--max-reducers", "'0'"]);
    oneport!("reduce homogeneous --n 4 --transfer 1 --compute 1 --max-reducers 2 --strategy flat")
        .refused(1, &["flat", "limit"]);
    oneport!("reduce homogeneous --n 3 --ready 0,1 --transfer 1 --compute 1")
        .refused(2, &["--n", "3", "2"]);
    let times = |times: &str| oneport!("reduce heterogeneous --times '{times}'");
    times("1,0,2").refused(1, &["processor 1", "positive"]);
    times("1,-2").refused(1, &["processor 1", "-2"]);
    times("1,x").refused(2, &["--times", "entry 1", "'x'"]);
    times("").refused(2, &["--times"]);
    let classes = |classes: &str| oneport!("reduce heterogeneous --classes '{classes}'");
    classes("3:0").refused(2, &["--classes", "class 0", "empty"]);
    classes("3:2,4").refused(2, &["--classes", "class 1", "TIME:COUNT"]);
    classes("0:2").refused(1, &["class 0", "positive"]);
    classes("3:9223372036854775809").refused(2, &["--classes", "2^63"]);
    classes("3:9223372036854775807,2:9223372036854775807").refused(1, &["2^63"]);
    classes("3:x").refused(2, &["--classes", "'x'"]);
    for destination in ["3", "-1", "x"] {
        oneport!("reduce heterogeneous --times 1,2,3 --destination {destination}")
            .refused(2, &["--destination", destination, "0 to 2"]);
    }
    oneport!("reduce heterogeneous").misused(&["--times", "--classes"]);
    oneport!("reduce heterogeneous --times 1,2,3 --method levels").refused(1, &["levels"]);
    // One processor, or equal speeds: both are valid.
    assert_eq!(heterogeneous("--times 5 --destination 0")["length"], "0");
    assert_eq!(heterogeneous("--times 2,2,2")["length"], "4");
}

/// The first of many processors have rows, and always the destination, with all that it receives.
#[test]
fn a_large_gantt_chart_shows_the_destination() {
    let folder = Folder::new();
    let gantt = folder.path("gantt.svg");
    let report = heterogeneous(&format!("--classes 10:150,20:150 --gantt {gantt}"));
    let svg = read(&gantt);
    assert!(svg.contains(">300</text>") && svg.contains("101 more processors are not shown"));
    let received = report["tree"]
        .as_array()
        .map(|rows| rows.iter().filter(|row| row["receiver"] == 300).count());
    // The tooltip is at both ends if both have a row, and at the destination in any case.
    let senders: std::collections::BTreeSet<&str> = svg
        .split("<title>")
        .filter_map(|text| text.split_once(" to 300,"))
        .map(|(sender, _)| sender)
        .collect();
    assert_eq!(Some(senders.len()), received, "{report}");
    assert!(senders.len() > 4);
}

/// The limit of written schedules is named together with the file option.
#[test]
fn what_is_too_large_for_a_file_is_said() {
    let text = oneport!("reduce homogeneous --n 1000000000000 --transfer 2 --compute 3")
        .ok()
        .stdout;
    assert!(
        text.contains("--tree F.json writes schedules of at most 100000000"),
        "{text}"
    );
}
