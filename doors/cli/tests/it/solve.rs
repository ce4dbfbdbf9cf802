//! `oneport solve`: the JSON contract, exit codes, and every option that can be given wrongly.

use crate::common;

use common::{Folder, Run, fixture, read, toy, unwritable};
use serde_json::{Value, json};

/// The toy scatter with further options.
fn solve(options: &str) -> Run {
    oneport!("solve scatter --platform toy-scatter.toml --source Ps --targets P0,P1 {options}")
}

/// A rational in lowest terms: `p` or `p/q`.
#[track_caller]
fn rational(value: &Value) -> (u64, u64) {
    let text = value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"));
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    let (p, q): (u64, u64) = (
        p.parse().expect("a numerator"),
        q.parse().expect("a denominator"),
    );
    assert!(q >= 1 && (q > 1 || !text.contains('/')), "{text}");
    assert!(
        (2..=q.min(1000)).all(|d| p % d != 0 || q % d != 0),
        "{text} is not in lowest terms"
    );
    (p, q)
}

#[test]
fn json_says_what_the_contract_asks_for() {
    let object = solve("--json").ok().object();
    for (key, expected) in [
        ("collective", "scatter"),
        ("model", "full-duplex"),
        ("throughput", "1/2"),
        ("upper_bound", "1/2"),
        ("status", "optimal"),
        ("period", "2"),
        ("schedule_throughput", "1/2"),
    ] {
        assert_eq!(object[key], expected, "{key}");
    }
    for key in ["throughput", "upper_bound", "schedule_throughput", "period"] {
        rational(&object[key]);
    }
    assert_eq!(object["patterns"], 2);
    assert!(
        object["slots"].as_u64().is_some_and(|slots| slots >= 3),
        "{object}"
    );
    assert!(
        object["solve_seconds"]
            .as_f64()
            .is_some_and(|seconds| (0.0..60.0).contains(&seconds)),
        "{object}"
    );
}

#[test]
fn every_collective_has_the_same_keys() {
    let keys = |object: &Value| {
        object
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let expected = keys(&solve("--json").ok().object());
    for arguments in [
        "solve all-to-all --platform star.json --json",
        "solve gather --platform star.json --target hub --json",
        "solve scatter --platform star.json --source hub --json --formulation compact",
    ] {
        let object = oneport!("{arguments}").ok().object();
        assert_eq!(keys(&object), expected);
        assert_eq!(object["collective"], arguments.split(' ').nth(1).unwrap());
        assert_eq!(
            (object["status"].as_str(), &object["throughput"]),
            (Some("optimal"), &object["upper_bound"])
        );
    }
}

#[test]
fn the_formulations_print_the_same_throughput() {
    let throughput = |formulation| {
        oneport!("solve all-to-all --platform two-racks.toml --json --formulation {formulation}")
            .ok()
            .object()["throughput"]
            .clone()
    };
    assert_eq!(throughput("columns"), throughput("compact"));
}

#[test]
fn defaults_are_every_processor() {
    let throughput = |options: &str| {
        oneport!("solve scatter --platform toy-scatter.toml --source Ps --json {options}")
            .ok()
            .object()["throughput"]
            .clone()
    };
    let expected = throughput("--targets Pa,Pb,P0,P1");
    assert_eq!(throughput(""), expected);
    assert_eq!(throughput("--targets all"), expected);
    assert_eq!(throughput("--targets 'P1, P0 ,Pb,Pa'"), expected);
    assert_ne!(throughput("--targets P0,P1"), expected);
}

#[test]
fn a_text_report_is_for_people() {
    let run = solve("").ok();
    for word in [
        "scatter",
        "throughput",
        "1/2",
        "optimal",
        "period",
        "patterns",
    ] {
        assert!(run.stdout.contains(word), "{run:#?}");
    }
}

#[test]
fn the_same_question_gives_the_same_plan() {
    let folder = Folder::new();
    let plans = ["one.json", "two.json"].map(|name| {
        let path = folder.path(name);
        solve(&format!("-o {path}")).ok();
        read(&path)
    });
    assert_eq!(plans[0], plans[1]);
    assert_eq!(folder.names(), ["one.json", "two.json"]);
}

#[test]
fn periods_are_kept_or_refused() {
    let object = solve("--json --period 7").ok().object();
    assert_eq!(object["period"], "7");
    let (p, q) = rational(&object["schedule_throughput"]);
    assert!(p * 2 <= q && p > 0, "{object}");
    assert_eq!(object["throughput"], "1/2");
    assert_eq!(
        solve("--json --period 4.0").ok().object()["schedule_throughput"],
        "1/2"
    );
    assert_eq!(
        solve("--json --exact-period").ok().object()["schedule_throughput"],
        "1/2"
    );
    assert_eq!(
        solve("--json --max-instances 1").ok().object()["schedule_throughput"],
        "1/2"
    );
    solve("--period 1/10").refused(1, &["period", "1/10"]);
    solve("--period 0").refused_with_either_code(&["period", "0", "positive"]);
    solve("--period=-1").refused_with_either_code(&["period", "-1"]);
    for text in ["abc", "1/0", "nan", "inf", "", "1e2000", "0x10"] {
        solve(&format!("--period={text}")).refused(2, &["--period", text]);
    }
}

/// Six processors, every two linked, at costs whose all-to-all has a long period.
fn uneven(folder: &Folder) -> String {
    let nodes: Vec<Value> = (0..6)
        .map(|index| json!({ "name": format!("p{index}"), "compute": 1 }))
        .collect();
    let pairs = (0..6)
        .flat_map(|from| (0..6).map(move |to| (from, to)))
        .filter(|(from, to)| from != to);
    let cost = |from: usize, to: usize| {
        format!(
            "{}/{}",
            7 + (5 * from + 3 * to) % 11,
            3 + (from + 2 * to) % 5
        )
    };
    let links: Vec<Value> = pairs
        .map(|(from, to)| json!({ "from": format!("p{from}"), "to": format!("p{to}"), "cost": cost(from, to) }))
        .collect();
    let platform = json!({ "format": "oneport-platform/1", "node": nodes, "link": links });
    folder.write("uneven.json", platform.to_string())
}

#[test]
fn a_long_period_is_shortened_at_a_stated_loss() {
    let folder = Folder::new();
    let platform = uneven(&folder);
    let run = |options: &str| oneport!("solve all-to-all --platform {platform} {options}").ok();
    let solve = |options: &str| {
        let object = run(&format!("{options} --json")).object();
        let instances: u64 = object["instances"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("a number");
        // The lost and the attained throughput add up to the whole.
        let ((lost, of), (kept, whole)) = (
            rational(&object["loss"]),
            rational(&object["schedule_share"]),
        );
        assert_eq!((of, kept), (whole, whole - lost), "{object}");
        (instances, lost as f64 / of as f64)
    };
    let (long, _) = solve("--max-instances 10000");
    assert!(long > 64, "{long} instances attain the optimum");
    let (short, loss) = solve("");
    assert!(
        short < long && loss > 0.0 && loss <= 0.01,
        "{short} instances lose {loss}"
    );
    assert!(run("").stdout.contains(" % below the throughput"));
    for options in ["1%", "'1 %'", "0.01", "1/100"] {
        assert_eq!(
            solve(&format!("--max-loss {options}")),
            (short, loss),
            "{options}"
        );
    }
    let (fewer, more_loss) = solve("--max-loss 20%");
    assert!(
        fewer < short && more_loss <= 0.2,
        "{fewer} instances lose {more_loss}"
    );
    // Without a loss: as without the option, if only the instances are limited.
    for limit in ["3", "10000"] {
        assert_eq!(
            solve(&format!("--max-loss 0 --max-instances {limit}")),
            solve(&format!("--max-instances {limit}"))
        );
    }
    // Both: within the limit, with any loss.
    let (two, lost) = solve("--max-loss 1% --max-instances 2");
    assert!(two <= 2 && lost > 0.01, "{two} instances lose {lost}");
    assert_eq!(
        solve("--max-loss 20% --max-instances 9999"),
        (fewer, more_loss)
    );
}

#[test]
fn impossible_numbers_are_refused() {
    for text in ["-1", "-1%", "1", "100%", "101%", "5"] {
        solve(&format!("--max-loss={text}")).refused(2, &["--max-loss", text, "1%"]);
    }
    for text in ["abc", "%", "", "1%%", "nan", "1/0"] {
        solve(&format!("--max-loss={text}")).refused(2, &["--max-loss", "1%"]);
    }

    solve("--max-instances 0").refused_with_either_code(&["max-instances", "0"]);
    for text in ["-1", "1.5", "abc", "99999999999999999999", ""] {
        solve(&format!("--max-instances={text}")).misused(&["--max-instances"]);
    }
    for text in ["0", "-1"] {
        solve(&format!("--size={text}")).refused_with_either_code(&["size", text, "positive"]);
    }
    for text in ["nan", "abc", "1/0", ""] {
        solve(&format!("--size={text}")).refused(2, &["--size", text]);
    }
    for text in ["-1", "nan", "inf", "abc", "1e400", ""] {
        solve(&format!("--time-limit={text}")).refused(2, &["--time-limit", text]);
    }
    // With a time limit of 0, there is an answer, or a reason why it is missing.
    let run = solve("--time-limit=0");
    if run.code != Some(0) {
        run.refused(1, &["time limit"]);
    }
}

#[test]
fn contradictory_options_are_refused() {
    for options in [
        "--period 2 --max-instances 3",
        "--period 2 --exact-period",
        "--max-instances 3 --exact-period",
        "--max-loss 1% --exact-period",
        "--max-loss 1% --period 2",
        "--json --json",
        "--formulation simplex",
        "--no-such-option",
        "--size 1 --size 2",
    ] {
        solve(options).misused(&[]);
    }
    solve("--target P0").refused(2, &["scatter", "--target"]);
    solve("--participants P0").refused(2, &["scatter", "--participants"]);
    solve("--work 1").refused(2, &["scatter", "--work"]);
    for (collective, option) in [
        ("gather", "--source"),
        ("gather", "--targets"),
        ("all-to-all", "--target"),
    ] {
        oneport!("solve {collective} --platform toy-scatter.toml {option} P0")
            .refused(2, &[collective, option, "--participants"]);
    }
    oneport!("solve scatter --platform toy-scatter.toml").refused(2, &["scatter", "--source"]);
    oneport!("solve gather --platform toy-scatter.toml").refused(2, &["gather", "--target"]);
    oneport!("solve scatter --source Ps").misused(&["--platform"]);
    oneport!("solve").misused(&[]);
    oneport!("solve no-such-collective --platform toy-scatter.toml")
        .misused(&["no-such-collective", "scatter"]);
    oneport!("no-such-command").misused(&["no-such-command"]);
}

#[test]
fn nodes_that_do_not_fit_are_named() {
    let scatter = |source: &str, targets: &str| {
        oneport!(
            "solve scatter --platform toy-scatter.toml --source {source} --targets '{targets}'"
        )
    };
    scatter("Px", "P0").refused(1, &["--source", "Px", "Pa"]);
    scatter("Ps", "P0,Px").refused(1, &["--targets", "Px"]);
    scatter("Ps", "P0,P0").refused(1, &["P0", "twice"]);
    scatter("Ps", "P0,Ps").refused(1, &["Ps", "itself"]);
    scatter("Ps", "").refused(2, &["--targets", "empty name"]);
    scatter("Ps", "P0,").refused(2, &["--targets", "'P0,'", "empty name"]);
    scatter("ps", "P0").refused(1, &["'ps'", "did you mean 'Ps'?"]);
    scatter("P0", "P1").refused(1, &["P0", "P1", "no path"]);
    oneport!("solve scatter --platform two-racks.toml --source core")
        .refused(1, &["core", "router"]);
}

#[test]
fn an_infeasible_question_is_answered_in_json_too() {
    let run = oneport!(
        "solve gather --platform toy-scatter.toml --target P0 --participants P1,Ps --json"
    );
    assert_eq!(run.code, Some(1), "{run:#?}");
    let object = run.object();
    assert_eq!(
        (object["status"].as_str(), object["throughput"].as_str()),
        (Some("infeasible"), Some("0"))
    );
    for key in [
        "collective",
        "model",
        "upper_bound",
        "period",
        "schedule_throughput",
        "patterns",
        "slots",
    ] {
        assert!(object.get(key).is_some(), "{key}: {object}");
    }
    run.one_error(&["P1", "P0", "no path"]);
}

#[test]
fn the_port_model_is_the_files_or_the_options() {
    let throughput = |run: Run| rational(&run.ok().object()["throughput"]);
    let ours = |model: &str| throughput(solve(&format!("--model {model} --json")));
    assert_eq!((ours("full-duplex"), ours("multiport")), ((1, 2), (1, 2)));
    // Pa and Pb can no longer receive while they send. Without ports the links of the source bound.
    let (half, links) = (ours("half-duplex"), ours("links"));
    assert!(
        2 * half.0 < half.1 && 2 * links.0 > links.1,
        "{half:?} {links:?}"
    );
    solve("--model no-such-model").refused(2, &["--model", "no-such-model", "half-duplex"]);
    let folder = Folder::new();
    let file = folder.write(
        "half.toml",
        read(toy()).replace("full-duplex", "half-duplex"),
    );
    let arguments = format!("solve scatter --platform {file} --source Ps --targets P0,P1 --json");
    assert_eq!(throughput(oneport!("{arguments}")), half);
    // The option overrides the file.
    assert_eq!(
        throughput(oneport!("{arguments} --model full-duplex")),
        (1, 2)
    );
}

#[test]
fn a_plan_is_written_whole_or_not_at_all() {
    let folder = Folder::new();
    let plan = folder.write("plan.json", "oneport: precious");
    let out = format!("-o {plan}");
    // Refusals of every kind leave existing files unchanged.
    solve(&format!("{out} --period 1/10")).refused(1, &[]);
    solve(&format!("{out} --model wires")).refused(2, &[]);
    oneport!("solve scatter --platform toy-scatter.toml --source P0 -o {plan}")
        .refused(1, &["no path"]);
    assert_eq!(read(&plan), "oneport: precious");
    assert_eq!(folder.names(), ["plan.json"]);
    solve(&out).ok();
    assert!(read(&plan).contains("oneport-plan/3"));
    assert_eq!(folder.names(), ["plan.json"]);
    // No report of success if nothing was written.
    let nowhere = folder.path("no-such-folder/plan.json");
    solve(&format!("-o {nowhere}")).refused(1, &["cannot write", "no-such-folder"]);
    solve(&format!("--json -o {}", folder.path(""))).refused(1, &["cannot write"]);
    let inside = unwritable(&folder);
    solve(&format!("--json -o {inside}")).refused(1, &["cannot write", "a-file"]);
    assert_eq!(folder.names(), ["a-file", "plan.json"]);
}

impl Run {
    /// Refused. This test accepts both codes: usage (2) and a problem without an answer (1).
    #[track_caller]
    fn refused_with_either_code(self, words: &[&str]) -> Run {
        let code = self.code.unwrap_or_default();
        assert!(code == 1 || code == 2, "{self:#?}");
        self.refused(code, words)
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_oneport"))
        .args([
            "solve",
            "scatter",
            "--platform",
            &toy(),
            "--source",
            "Ps",
            "--targets",
            "P0,P1",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Complementary slackness, seen from outside: every resource that an optimal certificate charges is busy all the time,
/// and the shares are parts of one whole.
#[test]
fn the_bottleneck_is_busy_all_the_time() {
    let fixtures = [
        "toy-scatter.toml",
        "two-racks.toml",
        "dgx1.toml",
        "dgx-a100-2.toml",
    ];
    for (fixture_name, collective) in fixtures.iter().flat_map(|name| {
        ["all-gather", "all-to-all", "all-reduce"].map(|collective| (name, collective))
    }) {
        let answer = oneport!("solve {collective} --platform {fixture_name} --json");
        if answer.code != Some(0) || answer.object()["status"] != "optimal" {
            continue;
        }
        let answer = answer.object();
        let limiting = answer["bottleneck"].as_array().unwrap();
        assert!(!limiting.is_empty(), "{fixture_name}, {collective}");
        let number =
            |class: &Value, key: &str| class[key].as_str().unwrap().parse::<f64>().unwrap();
        assert!(
            limiting.iter().all(|class| class["busy"] == "1"),
            "{fixture_name}, {collective}: {limiting:?}"
        );
        let sum: f64 = limiting.iter().map(|class| number(class, "share")).sum();
        assert!(
            (sum - 1.0).abs() < 1e-6,
            "{fixture_name}, {collective}: {sum}"
        );
        assert_eq!(answer["gap"], "0");
    }
}

#[test]
fn the_report_says_what_limits_and_what_is_probably_not_meant() {
    let says = |arguments: &str, lines: &[&str]| {
        let run = oneport!("{arguments}").ok();
        for line in lines {
            assert!(run.stdout.contains(line), "'{line}' is not said: {run:#?}");
        }
        run.stdout
    };
    let scatter = "solve scatter --platform toy-scatter.toml --source Ps --targets P0,P1";
    let text = says(
        scatter,
        &[
            "0.5 (= 1/2)",
            "limited by  send port of 'Ps', 100 % busy",
            "next        receive port of 'P0', 'P1'",
        ],
    );
    assert!(!text.contains("hint"), "{text}");
    let folder = Folder::new();
    let racks = read(fixture("two-racks.toml")).replace("switch = true", "");
    let racks = folder.write("routers.toml", racks);
    says(
        &format!("solve all-reduce --platform {racks}"),
        &["router 'switch-b'", "switch = true"],
    );
    let reduce = "solve reduce --platform toy-reduce.toml --target 0";
    let ordered = format!("{reduce} --in-order");
    let json = oneport!("{ordered} --json").ok().object();
    assert!(
        json["hints"]
            .to_string()
            .contains("any order may give more"),
        "{json}"
    );
    assert_eq!(json["in_order"], true);
    let told = oneport!("{ordered}").ok().stdout;
    assert!(told.contains("operands in their order"), "{told}");
    let any = oneport!("{reduce} --json").ok().object();
    let number = |object: &Value| {
        object["throughput_decimal"]
            .as_str()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let more = (number(&any) / number(&json) - 1.0) * 100.0;
    match more > 0.0 {
        true => assert!(
            told.contains("any order gives ")
                && told.contains(&format!("{}", (more + 1e-6).floor())),
            "{more}: {told}"
        ),
        false => assert!(!told.contains("any order"), "{told}"),
    }
    let any_order = says(
        &format!("{reduce} --commutative"),
        &["optimal", "operands in any order"],
    );
    assert!(!any_order.contains("hint"), "{any_order}");
    assert_eq!(any["in_order"], false);
}
