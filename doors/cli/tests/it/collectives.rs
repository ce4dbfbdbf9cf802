//! Every collective under every port model, process groups, and refusals.

use crate::common;

use common::{Folder, Run, first, fixture, read};
use serde_json::Value;

const MODELS: [&str; 4] = ["full-duplex", "half-duplex", "multiport", "links"];

/// Four processors, a router, and a switch between two of them. Everything is connected.
const MIXED: &str = r#"
format = "oneport-platform/1"
node = [
  { name = "a", compute = "1/2" }, { name = "b", compute = 1 }, { name = "c", compute = "3/2" }, { name = "d", compute = 1 },
  { name = "router" }, { name = "switch", replicates = false },
]
link = [
  { from = "a", to = "b", cost = 1, duplex = true }, { from = "b", to = "c", cost = "2/3", duplex = true },
  { from = "c", to = "d", cost = "1/2", duplex = true }, { from = "a", to = "router", cost = "1/4", duplex = true },
  { from = "router", to = "d", cost = "1/3", duplex = true }, { from = "b", to = "switch", cost = "1/5", duplex = true },
  { from = "switch", to = "d", cost = "1/5", duplex = true },
]
"#;

/// Three processors in a line.
const THREE: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [{ from = "a", to = "b", cost = 1, duplex = true }, { from = "b", to = "c", cost = 1, duplex = true }]
"#;

/// The collectives with the options that they need.
const COLLECTIVES: [&str; 9] = [
    "scatter --source a",
    "gather --target a",
    "all-to-all",
    "broadcast --source a",
    "all-gather",
    "reduce --target a",
    "reduce-scatter",
    "all-reduce --commutative",
    "scan",
];

fn solve(platform: &str, arguments: &str) -> Run {
    oneport!("solve {arguments} --platform {platform}")
}

/// A rational as numerator and denominator.
fn fraction(value: &Value) -> (u128, u128) {
    let text = value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"));
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    (
        p.parse().expect("a numerator"),
        q.parse().expect("a denominator"),
    )
}

#[test]
fn every_collective_under_every_model() {
    let folder = Folder::new();
    let platform = folder.write("mixed.toml", MIXED);
    for collective in COLLECTIVES {
        // Full-duplex attains at least the throughput of half-duplex, and links at least that of full-duplex.
        let mut throughputs = Vec::new();
        for model in ["half-duplex", "full-duplex", "multiport", "links"] {
            let plan = folder.path(&format!("{}-{model}.json", first(collective)));
            let object = solve(
                &platform,
                &format!("{collective} --model {model} --json -o {plan}"),
            )
            .ok()
            .object();
            assert_eq!(
                (object["collective"].as_str(), object["model"].as_str()),
                (Some(first(collective)), Some(model))
            );
            let (throughput, bound) = (
                fraction(&object["throughput"]),
                fraction(&object["upper_bound"]),
            );
            assert!(throughput.0 * bound.1 <= bound.0 * throughput.1, "{object}");
            assert_eq!(
                object["status"] == "optimal",
                throughput == bound,
                "{object}"
            );
            if !["all-reduce", "scan"].contains(&first(collective)) {
                assert_eq!(object["status"], "optimal", "{object}");
            }
            throughputs.push(throughput);
            let verified = oneport!("verify {plan}").ok();
            assert!(verified.stdout.contains("executed"), "{verified:?}");
        }
        // Compositions and schemes are not proved best. Optimal ones are ordered. One port each way is full-duplex.
        if !["all-reduce", "scan"].contains(&first(collective)) {
            assert_eq!(throughputs[1], throughputs[2], "{collective:?}");
            for pair in throughputs.windows(2) {
                assert!(
                    pair[0].0 * pair[1].1 <= pair[1].0 * pair[0].1,
                    "{collective:?}: {throughputs:?}"
                );
            }
        }
    }
}

#[test]
fn the_platform_of_papers_004() {
    let (folder, platform) = (Folder::new(), fixture("toy-broadcast.toml"));
    let plan = folder.path("plan.json");
    let object = solve(
        &platform,
        &format!("broadcast --source Ps --json -o {plan}"),
    )
    .ok()
    .object();
    assert_eq!(
        (object["throughput"].as_str(), object["status"].as_str()),
        (Some("4/5"), Some("optimal"))
    );
    let compact = "broadcast --source Ps --json --formulation compact";
    assert_eq!(
        solve(&platform, compact).ok().object()["upper_bound"],
        "4/5"
    );
    // The claim of the paper's abstract: trees and directed acyclic graphs are both weaker.
    for (model, throughput) in MODELS.iter().zip(["1", "4/5", "1", "2"]) {
        let object = solve(
            &platform,
            &format!("broadcast --source Ps --json --model {model}"),
        )
        .ok()
        .object();
        assert_eq!(
            (object["throughput"].as_str(), object["status"].as_str()),
            (Some(throughput), Some("optimal"))
        );
    }
    let shown = oneport!("show {plan}").ok().stdout;
    assert!(shown.contains("Ps -> P1 -> P2 -> P4, P1 -> P3"), "{shown}");
    for (option, file) in [
        ("--gantt", "g.svg"),
        ("--graph", "p.svg"),
        ("--timeline", "t.svg"),
        ("--tree", "b.svg"),
    ] {
        oneport!("show {plan} {option} {}", folder.path(file)).ok();
    }
    for file in ["g.svg", "p.svg", "t.svg", "b-1.svg", "b-2.svg"] {
        assert!(read(folder.path(file)).contains("</svg>"), "{file}");
    }
}

/// An odd set is part of the proof if three half-duplex nodes talk in a triangle.
#[test]
fn odd_sets_prove_and_are_checked() {
    let folder = Folder::new();
    let triangle = r#"format = "oneport-platform/1"
model = "half-duplex"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [{ from = "a", to = "b", cost = 1, duplex = true }, { from = "b", to = "c", cost = 1, duplex = true }, { from = "a", to = "c", cost = 1, duplex = true }]
"#;
    let (platform, plan) = (
        folder.write("triangle.toml", triangle),
        folder.path("plan.json"),
    );
    let object = solve(&platform, &format!("all-to-all --json -o {plan}"))
        .ok()
        .object();
    assert_eq!(object["throughput"], "1/6", "six messages, one at a time");
    let text = read(&plan);
    assert!(text.contains("\"odd_sets\""), "{text}");
    let without = text.replacen("\"odd_sets\": [", "\"odd_sets_\": [", 1);
    oneport!("verify {}", folder.write("renamed.json", without)).refused(1, &["odd_sets_"]);
    let value: Value = serde_json::from_str(&text).expect("a plan is JSON");
    let raised = common::with(&value, "/upper_bound", Value::from("1/4"));
    oneport!("verify {}", folder.write("raised.json", raised.to_string())).refused(1, &["bound"]);
}

#[test]
fn groups_run_side_by_side() {
    let (folder, platform) = (Folder::new(), fixture("dgx1.toml"));
    let plan = folder.path("plan.json");
    let groups = "--group box0.gpu0,box0.gpu1,box0.gpu2 --group box0.gpu4,box0.gpu5@2";
    for collective in [
        "all-gather",
        "broadcast",
        "scatter",
        "gather",
        "all-to-all",
        "reduce",
        "reduce-scatter",
    ] {
        let object = solve(
            &platform,
            &format!("{collective} --json -o {plan} {groups}"),
        )
        .ok()
        .object();
        assert_eq!(
            (object["collective"].as_str(), object["groups"].as_u64()),
            (Some(collective), Some(2))
        );
        assert_eq!(object["status"], "optimal", "{object}");
        oneport!("verify {plan}").ok();
    }
    // Twice as often is twice the rate of a group alone.
    let alone = |group: &str| {
        let object = solve(&platform, &format!("all-gather --json --group {group}"))
            .ok()
            .object();
        fraction(&object["throughput"])
    };
    let (once, twice) = (alone("box0.gpu4,box0.gpu5"), alone("box0.gpu4,box0.gpu5@2"));
    assert_eq!(once.0 * twice.1, 2 * twice.0 * once.1);
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new();
    let platform = folder.write("mixed.toml", MIXED);
    let refused: [(&str, i32, &[&str]); 12] = [
        ("broadcast", 2, &["needs --source"]),
        (
            "broadcast --source switch",
            1,
            &["'switch' is a router", "compute"],
        ),
        (
            "all-gather --participants a,switch",
            1,
            &["'switch' is a router", "keeps nothing"],
        ),
        (
            "all-reduce --participants a,router",
            1,
            &["'router' is a router", "only processors"],
        ),
        (
            "all-gather --source a",
            2,
            &["takes no --source", "--participants"],
        ),
        (
            "broadcast --source a --commutative",
            2,
            &["takes no --commutative"],
        ),
        ("broadcast --source a --targets a,b", 1, &["'a'", "itself"]),
        ("all-reduce --participants a", 1, &["single participant"]),
        (
            "all-gather --group a,b --participants c",
            2,
            &["--group", "leave out"],
        ),
        ("all-gather --group a,b@0", 2, &["'0' is not a rate"]),
        (
            "all-gather --group a,b --group c",
            1,
            &["group 2", "at least 2"],
        ),
        ("scan --formulation compact", 1, &["scan", "columns"]),
    ];
    for (arguments, code, words) in refused {
        solve(&platform, arguments).refused(code, words);
    }
    let odd = MIXED.replacen(
        "{ name = \"d\", compute = 1 }",
        "{ name = \"d\", compute = 1, replicates = false }",
        1,
    );
    let odd = folder.write("odd.toml", odd);
    solve(&odd, "broadcast --source a").refused(1, &["'d' has replicates = false"]);
    let below = MIXED.replacen("cost = \"2/3\"", "cost = -1", 1);
    solve(&folder.write("below.toml", below), "broadcast --source a")
        .refused(1, &["cost", "0 or more"]);
    let apart = MIXED.replacen(
        "{ from = \"c\", to = \"d\", cost = \"1/2\", duplex = true },",
        "",
        1,
    );
    let apart = apart.replacen(
        "{ from = \"b\", to = \"c\", cost = \"2/3\", duplex = true },",
        "",
        1,
    );
    let apart = folder.write("apart.toml", apart);
    let run = solve(&apart, "all-gather --json --group a,b --group a,c");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.object()["status"], "infeasible");
    run.one_error(&["no path from 'a' to 'c'"]);
}

/// A request to the wrong command, or in a wrong form, is answered by the right one.
#[test]
fn mistakes_are_told_what_was_meant() {
    let folder = Folder::new();
    let list = folder.write("list.json", "[{\"values\": [\"a\"], \"wanted\": [\"b\"]}]");
    oneport!("solve custom --platform star.json --demands {list}")
        .refused(1, &["a list", "\"demands\": [...]"]);
    oneport!("time scatter --source=hub --latency=1us --platform star.json")
        .refused(2, &["--latency: '1us' has a unit", "--units"]);
    let completions = oneport!("completions bash").ok().stdout;
    assert!(
        completions.contains("complete -F _oneport"),
        "{completions}"
    );
    let page = oneport!("man").ok().stdout;
    assert!(page.starts_with(".") && page.contains("oneport"), "{page}");
}

/// The number of counts is that of their nodes, in the order that the refusal lists. A platform on which they do not
/// fit ends no others.
#[test]
fn counts_are_for_the_nodes_that_are_listed() {
    let folder = Folder::new();
    let mixed = folder.write("mixed.toml", MIXED);
    let ask = |rest: &str| solve(&mixed, rest);
    let v = |name: &'static str, rest: &str| ask(&format!("{name} {rest}"));
    let two = "--source a --targets b,c";
    let given = |counts: &'static str| v("scatter-v", &format!("{two} --counts {counts}"));
    v("scatter-v", two).refused(
        2,
        &["needs --counts: 2 counts, for 'b', 'c', in this order"],
    );
    given("1,2,3").refused(
        1,
        &["3 counts are given; scatter-v needs 2 counts, for 'b', 'c'"],
    );
    given("-1,2").refused(2, &["'-1' is no count"]);
    given("0,0").refused(1, &["every count is 0"]);
    let pairs = |counts: &'static str| {
        v(
            "all-to-all-v",
            &format!("--participants a,b --counts {counts}"),
        )
    };
    let rows = "all-to-all-v needs 2 rows of 2 counts separated by ',', for 'a', 'b'";
    pairs("0,2").refused(1, &["1 row is given", rows]);
    pairs("0,2;1").refused(1, &["the row of 'b' has 1 count", rows]);
    pairs("5,2;1,0").refused(1, &["'a' would send 5 messages to itself; write 0 there"]);
    let read = pairs("0,2;1,0").ok();
    assert!(
        read.stdout.starts_with("all-to-all-v of 3 messages on "),
        "{}",
        read.stdout
    );
    let file = folder.write("counts.txt", "\u{feff}0,2\n1,0\n");
    let from_file = ask(&format!(
        "all-to-all-v --participants a,b --json --counts @{file}"
    ));
    assert_eq!(from_file.ok().object()["counts"], serde_json::json!([2, 1]));
    let three = folder.write("three.toml", THREE);
    let both =
        oneport!("solve all-gather-v --platform {mixed} --platform {three} --counts 1,2,3 --json");
    let status: Vec<serde_json::Value> = both
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["status"].clone())
        .collect();
    assert_eq!(
        (both.code, &status[..]),
        (Some(1), &["error".into(), "optimal".into()][..])
    );
    oneport!("program p --platform {mixed} --collective scatter-v --source a")
        .refused(2, &["scatter-v has no program", "all-gather"]);
}

/// A router that owns messages does not only forward, and an all-to-all of sources and targets has its own name.
#[test]
fn routers_that_take_part_are_told_no_hint_on_forwarding() {
    let folder = Folder::new();
    let platform = folder.write(
        "routers.toml",
        r#"
format = "oneport-platform/1"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [{ from = "a", to = "b", cost = 1, duplex = true }, { from = "b", to = "c", cost = 1, duplex = true }]
"#,
    );
    let ask = |sources: &str| {
        solve(
            &platform,
            &format!("all-to-all --sources {sources} --targets c"),
        )
    };
    let told = ask("b").ok().stdout;
    assert!(told.contains("'b'") && !told.contains("forwards"), "{told}");
    // If a is the source, b only forwards.
    let told = ask("a").ok().stdout;
    assert!(told.contains("limited by"), "{told}");
    let refused = ask("a,a").refused(1, &["all-to-all: source 'a' is listed twice"]);
    assert!(
        !refused.stderr.contains("sources-to-targets"),
        "{refused:?}"
    );
}
