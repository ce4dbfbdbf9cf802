//! One reduction as a file that the other commands read, schedules of the user, roots and ranks.

use num_bigint::BigUint;
use serde_json::Value;

use crate::common::{Folder, first, read};

/// Writes the file in each format that takes schedules executed once.
#[track_caller]
fn exports(folder: &Folder, file: &str) {
    for format in ["mpi", "simgrid", "goal", "events"] {
        let out = folder.path(&format!("run.{format}"));
        oneport!("export {file} --to {format} {out}")
            .ok()
            .prints(&[format]);
    }
}

/// Written, verified, shown, drawn, exported. Every reader names a changed date.
#[test]
fn the_file_goes_everywhere() {
    let folder = Folder::new();
    let file = folder.path("one.json");
    for arguments in [
        "homogeneous --n 12 --transfer 2 --compute 3",
        "homogeneous --n 9 --transfer 1 --compute 1/2 --root 4",
        "homogeneous --n 9 --transfer 1 --compute 2 --max-transfers 2",
        "homogeneous --ready 6,7,2,11,8,12,12 --transfer 4 --compute 3",
        "heterogeneous --times 10,5,5,5,4,2,2 --destination 0",
        "heterogeneous --classes 2:6,3:7",
        "heterogeneous --times 3,4,5,7,11",
    ] {
        oneport!("reduce {arguments} -o {file}").ok();
        oneport!("verify {file}")
            .ok()
            .prints(&["ok: reduction of", "(optimal"]);
        oneport!("show {file}")
            .ok()
            .prints(&["length", "(optimal", "at "]);
        let [gantt, graph, tree] =
            ["gantt.svg", "graph.svg", "tree.dot"].map(|name| folder.path(name));
        oneport!("show {file} --gantt {gantt} --graph {graph} --tree {tree}").ok();
        assert!(
            read(&gantt).contains("<svg")
                && read(&graph).contains("<svg")
                && read(&tree).contains("digraph")
        );
        let windows = folder.path("windows.svg");
        let drawn = oneport!("show {file} --windows {windows}");
        match first(arguments) {
            "heterogeneous" => assert!(
                drawn.ok().stdout.contains("windows.svg") && read(&windows).contains("<circle")
            ),
            _ => _ = drawn.refused(2, &["--windows", "a time per sender"]),
        }
        exports(&folder, &file);
        let text = read(&file);
        let wrong = text.replacen("\"length\": \"", "\"length\": \"1", 1);
        let broken = folder.write("broken.json", wrong.replace("\"optimal\"", "\"feasible\""));
        for command in [
            format!("verify {broken}"),
            format!("show {broken}"),
            format!("export {broken} --to goal {graph}"),
        ] {
            oneport!("{command}").refused(1, &["broken.json: violation", "length"]);
        }
    }
    oneport!("verify {file} --platform {file}").refused(1, &["one reduction has no platform"]);
    oneport!("show {file} --timeline {}", folder.path("t.svg"))
        .refused(2, &["--timeline", "--gantt"]);
    oneport!("export {file} --to mpi --pieces 3 {}", folder.path("x.c")).refused(1, &["--pieces"]);
}

/// Files of broadcasts and all-reductions, with equal costs and with a time per sender.
#[test]
fn broadcasts_and_all_reductions_go_everywhere() {
    let folder = Folder::new();
    let file = folder.path("one.json");
    for (question, verified) in [
        (
            "homogeneous --n 12 --transfer 2 --compute 3 --broadcast",
            "ok: broadcast to 12 processors, length",
        ),
        (
            "homogeneous --n 9 --transfer 1 --compute 2 --max-transfers 2 --broadcast",
            "ok: broadcast to 9 processors, length",
        ),
        (
            "heterogeneous --times 10,5,5,5,4,2,2 --broadcast --source 0",
            "ok: broadcast to 7 processors, length",
        ),
        (
            "heterogeneous --times 3,4,5,7,11 --all-reduce",
            "ok: all-reduction among 5 processors, length",
        ),
        (
            "heterogeneous --times 10,5,5,5,4,2,2 --all-reduce --destination 0 --method snf",
            "ok: all-reduction among 7 processors, length",
        ),
        (
            "heterogeneous --classes 3:3,5:2 --all-reduce",
            "ok: all-reduction among 5 processors, length",
        ),
    ] {
        let printed = oneport!("reduce {question} -o {file} --json").ok().object();
        let length = printed["length"].as_str().unwrap();
        let verdict = format!("{verified} {length} (");
        oneport!("verify {file}")
            .ok()
            .prints(&[&verdict, "the referee repeated it"]);
        oneport!("show {file}")
            .ok()
            .prints(&["length", length, "at "]);
        let [gantt, tree] = ["gantt.svg", "tree.dot"].map(|name| folder.path(name));
        oneport!("show {file} --gantt {gantt}").ok();
        assert!(read(&gantt).contains("<svg"));
        let drawn = oneport!("show {file} --tree {tree}");
        if question.contains("--broadcast") {
            drawn.refused(2, &["--tree", "drawn with --gantt"]);
        } else {
            drawn.ok();
        }
        exports(&folder, &file);
        // A raised bound, and a length that is not the schedule's.
        let text = read(&file);
        let bound = printed["lower_bound"].as_str().unwrap();
        let raised = text.replace(
            &format!("\"lower_bound\": \"{bound}\""),
            &format!("\"lower_bound\": \"{length}\""),
        );
        let raised = folder.write("raised.json", raised);
        let verdict = oneport!("verify {raised}");
        if length == bound {
            verdict.ok();
        } else {
            verdict.refused(1, &["raised.json: violation", "is not proved"]);
        }
        let wrong = text.replacen("length\": \"", "length\": \"1", 1);
        let broken = folder.write("broken.json", wrong.replace("\"optimal\"", "\"feasible\""));
        for command in [format!("verify {broken}"), format!("show {broken}")] {
            oneport!("{command}").refused(1, &["broken.json", "length"]);
        }
        oneport!("verify {file} --whole-messages").refused(1, &["has no period"]);
    }
}

/// The root may be any processor: of more values than can be written down, under limits, and with release dates.
#[test]
fn any_root_under_any_limit() {
    let folder = Folder::new();
    let file = folder.path("one.json");
    let many = "homogeneous --n 1e18 --transfer 3 --compute 5 --json";
    let (first, other) = (
        oneport!("reduce {many}").ok().object(),
        oneport!("reduce {many} --root 17").ok().object(),
    );
    assert_eq!(
        (
            &first["length"],
            &other["length"],
            &other["status"],
            &other["root"]
        ),
        (
            &other["length"],
            &"386".into(),
            &"optimal".into(),
            &17.into()
        )
    );
    for question in [
        "homogeneous --n 9 --transfer 1 --compute 2 --max-transfers 2",
        "homogeneous --n 9 --transfer 3 --compute 2 --max-reducers 2",
        "homogeneous --n 13 --transfer 1 --compute 4 --max-reducers 1",
    ] {
        let best = oneport!("reduce {question} --json").ok().object();
        for root in ["0", "1", "4", "8"] {
            let arguments = format!("{question} --root {root} --json -o {file}");
            let report = oneport!("reduce {arguments}").ok().object();
            assert_eq!(report["length"], best["length"], "{report}");
            assert_eq!(report["root"].to_string(), root);
            oneport!("verify {file}")
                .ok()
                .prints(&["(optimal", "the referee repeated it"]);
            assert!(read(&file).contains(&format!("\"root\": {root},")));
        }
    }
    // Ready at 0 and 9: for every root, the late value is merged at 9 or has to be sent at 9.
    let late = "homogeneous --ready 0,9 --transfer 4 --compute 1 --json --root";
    for (root, length) in [("0", "14"), ("1", "10")] {
        let report = oneport!("reduce {late} {root}").ok().object();
        assert_eq!(
            (&report["length"], &report["root"].to_string()[..]),
            (&length.into(), root)
        );
    }
    for (question, words) in [
        (
            "homogeneous --ready 0,9 --transfer 4 --compute 1 --root 2",
            &["--root", "'2'", "0 to 1"][..],
        ),
        (
            "homogeneous --ready 0,9 --transfer 4 --compute 1 --max-transfers 1",
            &["--ready", "there is no method", "limit"],
        ),
        (
            "homogeneous --ready 0,9 --transfer 4 --compute 1 --within 20",
            &["--within", "all ready at 0"],
        ),
        (
            "homogeneous --ready 0,9 --transfer 4 --compute 1 --rank 1",
            &["--rank", "all dates", "--tree F.json"],
        ),
        (
            "homogeneous --n 4 --transfer 4 --compute 1 --max-reducers 2 --rank 1",
            &["--rank", "limit", "--tree F.json"],
        ),
    ] {
        oneport!("reduce {question}").refused(2, words);
    }
}

/// Plans of several collectives are one library. A reduction is one of them.
#[test]
fn one_library_of_several_plans() {
    let folder = Folder::new();
    let (gather, reduction) = (folder.path("gather.json"), folder.path("reduction.json"));
    oneport!("solve all-gather --platform dgx1.toml -o {gather}").ok();
    oneport!("reduce heterogeneous --times 5,5,4,2 -o {reduction}").ok();
    let out = folder.path("library.c");
    let both = format!("export {gather} {reduction} --to mpi-preload {out} --at-least");
    oneport!("{both} 64k,0").ok().prints(&["mpi-preload"]);
    let text = read(&out);
    assert!(
        text.contains("Plan 1: all-gather on 8 ranks, messages of 65536 bytes or more"),
        "{text}"
    );
    assert!(
        text.contains("Plan 2: reduce on 5 ranks, messages of 1 bytes or more"),
        "{text}"
    );
    oneport!("{both} 1,2,3").refused(2, &["--at-least has 3 numbers for 2 plans"]);
    oneport!("{both} x").refused(2, &["--at-least", "'x' is not a number of bytes"]);
    oneport!("{both} 0 --hosts").refused(1, &["plan 2 is for P0", "the same nodes"]);
    oneport!("export {gather} {gather} --to mpi {out}").refused(2, &["--to mpi takes one PLAN"]);
    oneport!("export {gather} --to mpi {out} --hosts")
        .refused(2, &["for --to mpi-preload, not mpi"]);
    oneport!("export {gather} --to mpi").refused(2, &["one file is given", "OUT"]);
    oneport!("export {gather} --to mpi-preload {out} --hosts")
        .ok()
        .prints(&["2 files"]);
    assert_eq!(read(format!("{out}.hosts")).lines().count(), 8);
}

#[test]
fn a_sequence_is_judged_beside_the_best() {
    let question = "heterogeneous --times 5,5,5,4,2,2";
    let judged = |sequence: &str| {
        oneport!("reduce {question} --json --sequence {sequence}")
            .ok()
            .object()
    };
    for (sequence, length) in [
        ("0,1,2,3,4,5", "11"),
        ("4,5,3,0,1,2", "14"),
        ("0,3,4,1,2,5", "12"),
    ] {
        let report = judged(sequence);
        assert_eq!(
            (&report["length"], &report["best"]),
            (&length.into(), &"11".into()),
            "{report}"
        );
        assert_eq!(report["lower_bound"], "11");
    }
    oneport!("reduce {question} --sequence 4,5,3,0,1,2")
        .ok()
        .prints(&["length  14 (feasible", "best    11"]);
    oneport!("reduce {question} --sequence 0,1,2,3,4").refused(1, &["processor 5 is missing"]);
    oneport!("reduce {question} --sequence 0,1,x").refused(2, &["--sequence", "entry 2", "'x'"]);
    oneport!("reduce {question} --sequence 0,1,2,3,4,6").refused(1, &["destination"]);
}

#[test]
fn start_times_are_judged() {
    let folder = Folder::new();
    let question = "heterogeneous --times 5,5,5,4,2,2 --starts";
    let crowded = folder.write("crowded.json", "[0, 1, 6, 2, 0, 4, null]");
    let told = [
        "crowded.json: violation",
        "at 4 A = 4",
        "C = 1",
        "2 A + C = 9",
        "7 processors",
    ];
    oneport!("reduce {question} {crowded}").refused(1, &told);
    let late = folder.write("late.json", "[0, 0, 6, 6, 20, 22, null]");
    let report = oneport!("reduce {question} {late} --json").ok().object();
    assert_eq!(
        (&report["given_length"], &report["best"]),
        (&"24".into(), &"11".into()),
        "{report}"
    );
    for (text, parts) in [
        ("[0, 1]", &["2 start times", "give 7"][..]),
        ("[0, 1, 6, 2, 0, 4, 3]", &["processor 6 is the destination"]),
        (
            "[0, 1, null, 2, 0, 4, null]",
            &["processor 2 has no start time"],
        ),
        ("[0, 1, -6, 2, 0, 4, null]", &["processor 2", "-6"]),
        ("{}", &["'starts' is missing"]),
    ] {
        let file = folder.write("wrong.json", text);
        oneport!("reduce {question} {file}").refused(1, &[&["wrong.json"], parts].concat());
    }
    let file = folder.path("own.json");
    oneport!("reduce {question} {late} -o {file}").ok();
    oneport!("verify {file}")
        .ok()
        .prints(&["ok: reduction of 7 values"]);
    // A file of one reduction has start times.
    oneport!("reduce {question} {file}")
        .ok()
        .prints(&["inequality (1) holds"]);
}

#[test]
fn a_tree_is_judged() {
    let folder = Folder::new();
    let costs = "homogeneous --transfer 2 --compute 3 --tree-in";
    let chain = folder.write("chain.json", "[null, 0, 1]");
    let report = oneport!("reduce {costs} {chain} --json").ok().object();
    assert_eq!(
        (&report["length"], &report["best"], &report["commutative"]),
        (&"10".into(), &"8".into(), &false.into())
    );
    let crossed = folder.write("crossed.json", "[null, 0, 0, 1]");
    let file = folder.path("own.json");
    oneport!("reduce {costs} {crossed} -o {file}")
        .ok()
        .prints(&["the operator must commute", "best"]);
    oneport!("verify {file}").ok();
    let text = read(&file).replace("\"commutative\": true", "\"commutative\": false");
    oneport!("verify {}", folder.write("ordered.json", &text))
        .refused(1, &["only neighbours may be merged"]);
    for (text, part) in [
        ("[0, 1]", "must be null"),
        ("[null, 2, 1]", "never reaches the root"),
        ("[]", "one per processor"),
    ] {
        let wrong = folder.write("wrong.json", text);
        oneport!("reduce {costs} {wrong}").refused(1, &["wrong.json", part]);
    }
}

/// A rank's neighbours are those of the file, for any root. For a billion billion values they come at once.
#[test]
fn ranks_are_those_of_the_tree() {
    let folder = Folder::new();
    let file = folder.path("one.json");
    let question = "homogeneous --n 20 --transfer 2 --compute 3";
    oneport!("reduce {question} --root 13 -o {file}").ok();
    let written: serde_json::Value = serde_json::from_str(&read(&file)).unwrap();
    for rank in 0..20 {
        let report = oneport!("reduce {question} --root 13 --json --rank {rank}")
            .ok()
            .object();
        assert_eq!(report["receiver"], written["receivers"][rank]);
        for child in report["children"].as_array().unwrap() {
            assert_eq!(written["receivers"][child.as_u64().unwrap() as usize], rank);
        }
    }
    let many = "homogeneous --n 1000000000000000000 --transfer 1 --compute 1";
    let at = "--root 333333333333333333 --rank 999999999999999999";
    let run = oneport!("reduce {many} {at}").ok();
    assert!(run.time < std::time::Duration::from_secs(5), "{run:?}");
    run.prints(&["length 87", "to 999999999999999997, 43 transfers"]);
    oneport!("reduce {many} --root 5 -o {file}").refused(1, &["at most 100000000"]);
    oneport!("reduce {question} --root 20").refused(2, &["--root", "'20'", "0 to 19"]);
    oneport!("reduce {question} --rank -1").refused(2, &["--rank", "'-1'"]);
}

#[test]
fn bounds_degree_depth_and_values_within_a_time() {
    let question = "homogeneous --n 1024 --transfer 2 --compute 3 --within 20";
    let report = oneport!("reduce {question} --json").ok().object();
    assert_eq!(
        (&report["degree"], &report["depth"]),
        (&13.into(), &8.into()),
        "{report}"
    );
    assert_eq!(
        (&report["bound_below"], &report["bound_above"]),
        (&"30".into(), &"50".into())
    );
    let within: u64 = report["within"]["values"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let just = |n: u64| {
        let n = n.to_string();
        let report = oneport!("reduce homogeneous --n {n} --transfer 2 --compute 3 --json")
            .ok()
            .object();
        report["length"].as_str().unwrap().parse::<u64>().unwrap()
    };
    assert!(just(within) <= 20 && just(within + 1) > 20);
    oneport!("reduce {question}").ok().prints(&[
        "bounds",
        "within  20",
        "tree    13 transfers into the root, 8 transfers",
    ]);
}

#[test]
fn all_reductions_and_broadcasts() {
    let folder = Folder::new();
    let [gantt, tree] = ["all.svg", "all.json"].map(|name| folder.path(name));
    let all = |more: &str| {
        oneport!("reduce heterogeneous --all-reduce --json {more}")
            .ok()
            .object()
    };
    let times = "--times 2,3,5,7,11,13,17";
    let length =
        |report: &serde_json::Value| report["length"].as_str().unwrap().parse::<u64>().unwrap();
    let [best, simple] = [all(times), all(&format!("{times} --method snf"))];
    assert!(length(&best) <= length(&simple));
    assert_eq!(
        (&best["destination"], &best["model"]),
        (&0.into(), &"heterogeneous".into()),
        "{best}"
    );
    let slow = all(&format!(
        "{times} --destination 6 --gantt {gantt} --tree {tree}"
    ));
    assert_eq!(slow["destination"], 6);
    assert!(read(&gantt).contains("All-reduction") && read(&tree).contains("\"broadcast\""));
    let classes = all("--classes 2:3,3:4");
    assert_eq!(length(&classes), length(&all("--times 2,2,2,3,3,3,3")));
    let report = oneport!("reduce heterogeneous --broadcast --json {times}")
        .ok()
        .object();
    assert_eq!(
        (&report["source"], &report["method"]),
        (&0.into(), &"fnf".into()),
        "{report}"
    );
    assert_eq!(report["length"], best["broadcast_length"]);
    let far = oneport!("reduce heterogeneous --broadcast --json --source 6 {times}")
        .ok()
        .object();
    assert!(length(&far) > length(&report));
    oneport!("reduce heterogeneous --broadcast --source 7 {times}")
        .refused(2, &["--source", "0 to 6"]);
    oneport!("reduce heterogeneous --classes 2:3 --destination 0")
        .refused(2, &["--destination", "--classes"]);
}

/// Files with claims beyond the proof: without a proof the referee counts if costs are equal, and nothing else is
/// called "optimal".
#[test]
fn a_length_is_optimal_only_if_that_is_proved() {
    let folder = Folder::new();
    let file = folder.path("reduction.json");
    let make = |arguments: &str| {
        oneport!("reduce {arguments} -o {file}").ok();
        serde_json::from_str::<Value>(&read(&file)).unwrap()
    };
    let verify =
        |object: &Value| oneport!("verify {}", folder.write("said.json", object.to_string()));
    // A binomial tree takes 16 while 15 is possible.
    let binomial = "--n=9 --transfer=2 --compute=3 --strategy=binomial --tie=newest";
    let mut one = make(&format!("homogeneous {binomial}"));
    verify(&one)
        .ok()
        .prints(&["length 16 (feasible; none is shorter than 15"]);
    one.as_object_mut().unwrap().remove("proof");
    verify(&one).ok().prints(&[
        "length 16 (feasible; none is shorter than 15",
        "the referee repeated it",
    ]);
    one["lower_bound"] = "16".into();
    one["status"] = "optimal".into();
    verify(&one).refused(1, &["violation", "16 is not proved", "combined sooner"]);
    one["status"] = "feasible".into();
    verify(&one).refused(1, &["violation", "16 is not proved"]);
    // A sequence of senders takes 14 while 11 is possible. With times alone nothing is counted.
    let sequence = "heterogeneous --times=10,5,5,5,4,2,2 --destination=0 --sequence=6,5,3,2,1,4";
    let mut one = make(sequence);
    verify(&one)
        .ok()
        .prints(&["length 14 (feasible; none is shorter than 11"]);
    one.as_object_mut().unwrap().remove("proof");
    one["lower_bound"] = "14".into();
    one["status"] = "optimal".into();
    verify(&one).refused(1, &["status", "no proof of the lower bound is given"]);
    one["status"] = "feasible".into();
    let told = verify(&one).ok().stdout;
    assert!(
        told.contains("length 14 (feasible; a bound that is not proved here: 14"),
        "{told}"
    );
    assert!(!told.contains("optimal"), "{told}");
    // Values that are there late: the referee counts, and grows trees.
    let ready = "homogeneous --ready=0,3,3,1,7,2 --transfer=1 --compute=2";
    let report = oneport!("reduce {ready} --json").ok().object();
    assert_eq!(
        (&report["status"], &report["rechecked"]),
        (&"optimal".into(), &true.into())
    );
    let one = make(ready);
    assert_eq!(one["status"], "feasible");
    verify(&one)
        .ok()
        .prints(&["(optimal", "the referee repeated it"]);
}

/// Beyond machine integers the numbers are exact, and "any number" is printed for costs 0 only.
#[test]
fn values_within_a_long_time_are_counted() {
    let within = |costs: [&str; 2], time: &str, more: &str| {
        let [transfer, compute] = costs;
        let question =
            format!("homogeneous --n 5 --transfer {transfer} --compute {compute} --within {time}");
        oneport!("reduce {question} {more}").ok()
    };
    // Both costs 1: Fibonacci's numbers.
    let (mut now, mut before) = (1_u128, 1_u128);
    for _ in 2..150 {
        (now, before) = (now + before, now);
    }
    let (low, lower) = (BigUint::from(now), BigUint::from(before));
    // F(m + n + 1) = F(m + 1) F(n + 1) + F(m) F(n), if F(t + 1) values are combined within t.
    let twice = &low * &low + &lower * &lower;
    let report = within(["1", "1"], "298", "--json").object();
    assert_eq!(report["within"]["values"], twice.to_string());
    let text = within(["1", "1"], "298", "").stdout;
    assert!(
        text.contains(&format!("within  298: {twice} values")),
        "{text}"
    );
    let far = within(["1", "2"], "1e30", "--json").object();
    assert_eq!(far["within"]["at_least"], format!("2^{}", "3".repeat(30)));
    within(["1", "2"], "1e30", "").prints(&["at least 2^333"]);
    assert_eq!(
        within(["0", "0"], "0", "--json").object()["within"]["values"],
        "any"
    );
    within(["0", "0"], "0", "").prints(&["any number of values"]);
}
