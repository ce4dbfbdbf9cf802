//! `oneport solve reduce` and `reduce-scatter`: answers, options, drawings, refusals.

use crate::common;

use common::{Folder, first, fixture, read};
use serde_json::{Value, json};

fn toy() -> String {
    fixture("toy-reduce.toml")
}

fn solve(options: &str) -> Value {
    let run = oneport!("solve reduce --platform toy-reduce.toml --json {options}").ok();
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn figure_6_sustains_one_reduction_per_unit_of_time() {
    let report = solve("--target 0");
    for (key, value) in [
        ("collective", json!("reduce")),
        ("model", json!("full-duplex")),
        ("throughput", json!("1")),
        ("upper_bound", json!("1")),
        ("status", json!("optimal")),
        ("period", json!("1")),
        ("schedule_throughput", json!("1")),
        ("patterns", json!(1)),
    ] {
        assert_eq!(report[key], value, "{key}: {report}");
    }
}

#[test]
fn both_formulations_agree_on_every_form_of_volumes() {
    let folder = Folder::new();
    let table = folder.write("table.json", r#"[["1","2","3"],["1/2","5"],["2"]]"#);
    let at = format!("@{table}");
    for options in [
        "--size 1 --work 10".to_string(),
        "--size 1/2+1/3n --work 2n".to_string(),
        format!("--size {at} --work {at}"),
        "--size 3 --work 0".to_string(),
    ] {
        for order in ["0,1,2", "2,0,1"] {
            let question = format!("--target 1 --participants {order} {options}");
            let columns = solve(&question);
            let compact = solve(&format!("{question} --formulation compact"));
            assert_eq!(columns["status"], "optimal");
            assert_eq!(
                columns["throughput"], compact["throughput"],
                "{options:?} {order}"
            );
        }
    }
}

#[test]
fn plans_of_reductions_are_verified_shown_and_drawn() {
    let folder = Folder::new();
    let (path, platform) = (folder.path("plan.json"), toy());
    for question in [
        "reduce --target 0 --work 10",
        "reduce --target 2 --participants 1,0 --commutative",
        "reduce-scatter",
        "reduce-scatter --commutative --participants 2,1",
        "reduce --target 0 --work 7 --period 100",
        "reduce --target 0 --work 7 --max-instances 1",
    ] {
        oneport!("solve {question} --platform {platform} -o {path}").ok();
        let verdict = oneport!("verify {path} --platform {platform}").ok().stdout;
        assert!(
            verdict.starts_with("ok: ") && verdict.contains("executed"),
            "{verdict}"
        );
        let shown = oneport!("show {path}").ok().stdout;
        // Values go by the names of their owners: here 0, 1 and 2.
        for word in [
            first(question),
            "throughput",
            "tree",
            "into ",
            " + ",
            " at ",
            "slot",
            "a merge takes",
        ] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
        let (gantt, graph, tree) = (
            folder.path("gantt.svg"),
            folder.path("graph.svg"),
            folder.path("tree.svg"),
        );
        let drawn = oneport!("show {path} --gantt {gantt} --graph {graph} --tree {tree}")
            .ok()
            .stdout;
        let trees = drawn.lines().filter(|line| line.contains("tree")).count();
        let plan: Value = serde_json::from_str(&read(&path)).unwrap();
        assert_eq!(trees, plan["patterns"].as_array().unwrap().len(), "{drawn}");
        for line in drawn.lines() {
            assert!(read(line).contains("</svg>"), "{line}");
        }
        assert!(read(&gantt).contains(">comp<"), "a row for merges");
        let dot = folder.path("tree.dot");
        let drawn = oneport!("show {path} --tree {dot}").ok().stdout;
        assert!(
            drawn.lines().all(|line| read(line).starts_with("digraph")),
            "{drawn}"
        );
    }
}

#[test]
fn every_tampered_task_is_found() {
    let folder = Folder::new();
    let (path, platform) = (folder.path("plan.json"), toy());
    oneport!("solve reduce --platform {platform} --target 0 --work 10 -o {path}").ok();
    let original: Value = serde_json::from_str(&read(&path)).unwrap();
    for list in ["/patterns", "/schedule/patterns"] {
        for (tree, pattern) in original
            .pointer(list)
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            for index in 0..pattern["tasks"].as_array().unwrap().len() {
                let mut changed = original.clone();
                changed
                    .pointer_mut(&format!("{list}/{tree}/tasks"))
                    .unwrap()
                    .as_array_mut()
                    .unwrap()
                    .remove(index);
                let tampered = folder.write("tampered.json", changed.to_string());
                oneport!("verify {tampered}").refused(1, &["tampered.json"]);
            }
        }
    }
}

/// Nodes that own a value or receive the result, and merge nothing.
const IDLE: &str = r#"
format = "oneport-platform/1"
node = [{ name = "0", compute = "1/2" }, { name = "1" }, { name = "2", compute = 1 }, { name = "3", replicates = false }]
link = [
  { from = "1", to = "0", cost = 1 }, { from = "2", to = "0", cost = 1 }, { from = "1", to = "2", cost = 1, duplex = true },
  { from = "0", to = "3", cost = 1, duplex = true },
]
"#;

#[test]
fn a_node_without_compute_owns_a_value_or_wants_the_result() {
    let folder = Folder::new();
    let (platform, plan) = (folder.write("idle.toml", IDLE), folder.path("plan.json"));
    let ask = |options: &str| oneport!("solve reduce --platform {platform} --json {options}");
    for (target, participants) in [("0", "0,1,2"), ("0", "1,2"), ("1", "2,1"), ("2", "1,2")] {
        let question = format!("--target {target} --participants {participants} -o {plan}");
        let columns = ask(&question).ok().object();
        assert_eq!(columns["status"], "optimal", "{columns}");
        let compact = ask(&format!("{question} --formulation compact"));
        assert_eq!(columns["throughput"], compact.ok().object()["throughput"]);
        oneport!("verify {plan}").ok();
    }
    let question = "--target 0 --participants 0,1,2";
    assert_eq!(ask(question).ok().object()["throughput"], "1");
    ask(&format!("{question} --commutative")).refused(1, &["'1'", "only processors"]);
    ask("--target 0 --participants 0,3").refused(1, &["'3'", "switch"]);
}

#[test]
fn bad_questions_are_named_and_refused() {
    let folder = Folder::new();
    let ask = |options: &str| oneport!("solve reduce --platform toy-reduce.toml {options}");
    ask("--target 9").refused(1, &["--target", "'9'", "'0', '1', '2'"]);
    ask("").refused(2, &["reduce needs --target"]);
    ask("--target 0 --participants 1,2,1").refused(1, &["'1'", "twice"]);
    ask("--target 0 --participants 0")
        .refused(1, &["single participant", "own result", "unbounded"]);
    let elsewhere = ask("--target 0 --participants 1");
    assert!(
        !elsewhere.stderr.contains("unbounded"),
        "{}",
        elsewhere.stderr
    );
    elsewhere.refused(1, &["single participant", "nothing is combined", "gather"]);
    ask("--target 0 --work -1").refused(2, &["--work", "-1", "0 or more"]);
    ask("--target 0 --work one").refused(2, &["--work", "one"]);
    ask("--target 0 --size 0").refused(2, &["--size", "positive"]);
    ask("--target 0 --source 1").refused(2, &["takes no --source"]);
    ask("--target 0 --commutative --formulation compact").refused(1, &["compact", "commutative"]);
    let short = folder.write("short.json", r#"[["1","2"],["1"]]"#);
    ask(&format!("--target 0 --work @{short}")).refused(2, &["--work", "3 operands need 3 rows"]);
    ask("--target 0 --size @missing.json").refused(1, &["missing.json"]);
    let table = folder.write("table.json", r#"[["1","2","3"],["1","5"],["2"]]"#);
    ask(&format!("--target 0 --commutative --size @{table}"))
        .refused(2, &["--size", "commutative"]);

    let routed = r#"
        format = "oneport-platform/1"
        node = [{ name = "a", compute = 1 }, { name = "r" }, { name = "b", compute = 1 }]
        link = [{ from = "a", to = "r", cost = 1 }, { from = "r", to = "b", cost = 1 }]
    "#;
    let routed = folder.write("routed.toml", routed);
    let ask = |options: &str| oneport!("solve reduce --platform {routed} {options}");
    ask("--target r --commutative").refused(1, &["target 'r'", "router"]);
    let idle = "--target b --participants a,r";
    ask(&format!("{idle} --commutative")).refused(1, &["participant 'r'", "router"]);
    ask(idle).ok();
    ask("--target a").refused(1, &["infeasible", "from 'b' to 'a'"]);
    ask("--target b").ok();
}

#[test]
fn a_time_limit_answers_with_a_bound() {
    let report = solve("--target 0 --work 7 --time-limit 0");
    assert!(
        report["status"] == "feasible" || report["status"] == "optimal",
        "{report}"
    );
    assert_ne!(report["throughput"], "0");
}
