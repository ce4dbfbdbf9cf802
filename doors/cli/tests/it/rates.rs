//! `oneport show --rates` and `oneport extract`: round trips, and refusals.

use serde_json::Value;

use crate::common;

use common::{Folder, fixture, read};

/// solve -> show --rates --json -> extract -> verify: the same throughput, and the same proved bound.
#[test]
fn the_papers_variables_there_and_back() {
    let folder = Folder::new();
    let (plan, rates, again) = (
        folder.path("plan.json"),
        folder.path("rates.json"),
        folder.path("again.json"),
    );
    let schema: Value = serde_json::from_str(&read(format!(
        "{}/../../fixtures/schemas/rates.schema.json",
        env!("CARGO_MANIFEST_DIR")
    )))
    .unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (name, model, question) in [
        (
            "toy-scatter.toml",
            "full-duplex",
            "scatter --source Ps --targets P0,P1",
        ),
        ("star.json", "half-duplex", "gather --target hub"),
        ("four-sites.csv", "full-duplex", "all-to-all"),
        ("toy-broadcast.toml", "half-duplex", "broadcast --source Ps"),
        (
            "toy-broadcast.toml",
            "full-duplex",
            "broadcast --source Ps --targets P3,P4",
        ),
        ("dgx-a100-2.toml", "links", "all-gather"),
        ("toy-reduce.toml", "full-duplex", "reduce --target 0"),
        (
            "toy-reduce.toml",
            "full-duplex",
            "reduce --target 1 --commutative",
        ),
        (
            "two-racks.toml",
            "full-duplex",
            "reduce-scatter --participants a0,b1,a1,b2 --size 64MiB",
        ),
        ("star.json", "full-duplex", "reduce-scatter"),
    ] {
        let answer =
            oneport!("solve {question} --platform {name} --model {model} -o {plan} --json");
        if answer.code == Some(2) {
            panic!("{answer:#?}");
        }
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
        let written = oneport!("show {plan} --rates --json").ok().stdout;
        let errors: Vec<String> = schema
            .iter_errors(&serde_json::from_str(&written).unwrap())
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name} {question:?}: {errors:#?}");
        folder.write("rates.json", &written);
        let told = oneport!("extract {rates} --platform {name} --model {model} -o {again}");
        assert_eq!(told.code, Some(0), "{name} {question:?}: {told:#?}");
        assert!(
            told.stdout
                .contains(&format!("({})", answer["status"].as_str().unwrap())),
            "{told:#?}"
        );
        assert!(oneport!("verify {again}").ok().stdout.starts_with("ok: "));
        let made: Value = serde_json::from_str(&read(&again)).unwrap();
        assert_eq!(
            made["throughput"], answer["throughput"],
            "{name} {question:?}"
        );
        // These rates again: extraction changes patterns, not their sum.
        let rewritten = oneport!("show {again} --rates --json").ok().stdout;
        let value =
            |text: &str, key: &str| serde_json::from_str::<Value>(text).unwrap()[key].clone();
        for key in ["sends", "cons", "busy", "alpha"] {
            assert_eq!(
                value(&rewritten, key),
                value(&written, key),
                "{name} {question:?}: {key}"
            );
        }
    }
}

#[test]
fn variables_as_text_and_as_a_table() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    oneport!("solve reduce --platform toy-reduce.toml --target 0 -o {plan}");
    let text = oneport!("show {plan} --rates").ok().stdout;
    for part in [
        "TP = ",
        "send(",
        "v[",
        "cons(0, T[0,",
        "s(",
        "alpha(0)",
        "v(",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let csv = oneport!("show {plan} --rates --csv").ok().stdout;
    assert!(
        csv.starts_with("variable,demand,place,what,amount\nTP,,,,"),
        "{csv}"
    );
    assert!(
        csv.lines().any(|line| line.starts_with("cons,0,0,\"T[0,")),
        "{csv}"
    );
    oneport!("show {plan} --json").misused(&["--rates"]);
    // Every task of every tree, links too.
    let patterns = oneport!("show {plan} --patterns").ok().stdout;
    assert!(
        patterns.contains(" -> 0") && patterns.contains("into 0: "),
        "{patterns}"
    );
    oneport!("solve all-reduce --platform toy-reduce.toml -o {plan}");
    oneport!("show {plan} --rates").refused(1, &["all-reduce: rates", "only patterns do"]);
}

/// `--max-instances` has the meaning of `solve`: the period has at most that number, and the loss is stated.
#[test]
fn periods_have_as_many_instances_as_asked() {
    let folder = Folder::new();
    let (plan, rates, again) = (
        folder.path("plan.json"),
        folder.path("rates.json"),
        folder.path("again.json"),
    );
    oneport!("solve all-to-all --platform four-sites.csv -o {plan}").ok();
    folder.write(
        "rates.json",
        oneport!("show {plan} --rates --json").ok().stdout,
    );
    let extract =
        |rest: &str| oneport!("extract {rates} --platform four-sites.csv -o {again} {rest}");
    let mut fastest: Option<Vec<u64>> = None;
    for most in [1_u64, 2, 3, 50] {
        let run = extract(&format!("--max-instances {most}")).ok();
        assert!(oneport!("verify {again}").ok().stdout.starts_with("ok: "));
        let made: Value = serde_json::from_str(&read(&again)).unwrap();
        let schedule = &made["schedule"];
        let number = |key: &str| schedule[key].as_str().expect("a number").to_string();
        let instances: u64 = number("instances").parse().expect("a whole number");
        assert!((1..=most).contains(&instances), "{run:#?}");
        let (top, below) = number("period").split_once('/').map_or_else(
            || (number("period").parse::<u64>().unwrap(), 1),
            |(top, below)| (top.parse().unwrap(), below.parse().unwrap()),
        );
        // Instances per unit of time as a fraction. More instances never make it less.
        let rate = vec![instances * below, top];
        if let Some(less) = &fastest {
            assert!(rate[0] * less[1] >= less[0] * rate[1], "{run:#?}");
        }
        let said = if instances == 1 {
            "for 1 instance".to_string()
        } else {
            format!("for {instances} instances")
        };
        assert!(run.stdout.contains(&said), "{run:#?}");
        let throughput = oneport!("solve all-to-all --platform four-sites.csv --json")
            .ok()
            .object();
        let whole = throughput["throughput"].as_str().unwrap() == lowest(&rate);
        assert_eq!(
            !whole,
            run.stdout.contains("below the throughput"),
            "{run:#?}"
        );
        fastest = Some(rate);
    }
    extract("--max-instances 0")
        .refused(2, &["--max-instances: '0' is not a whole number from 1 on"]);
    extract("--max-instances 2 --exact-period").misused(&["--exact-period"]);
}

/// A fraction in lowest terms.
fn lowest(rate: &[u64]) -> String {
    let (mut a, mut b) = (rate[0], rate[1]);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    if rate[1] == a {
        (rate[0] / a).to_string()
    } else {
        format!("{}/{}", rate[0] / a, rate[1] / a)
    }
}

#[test]
fn what_does_not_balance_is_refused_by_place_and_amount() {
    let folder = Folder::new();
    let (plan, rates, again) = (
        folder.path("plan.json"),
        folder.path("rates.json"),
        folder.path("again.json"),
    );
    oneport!("solve scatter --platform toy-scatter.toml --source Ps --targets P0,P1 -o {plan}")
        .ok();
    let written = oneport!("show {plan} --rates --json").ok().stdout;
    let mut changed: Value = serde_json::from_str(&written).unwrap();
    changed.as_object_mut().unwrap().remove("busy");
    let extract = |rates: &Value| {
        folder.write("rates.json", rates.to_string());
        let run = oneport!(
            "extract {} --platform toy-scatter.toml -o {again}",
            folder.path("rates.json")
        );
        assert!(!std::path::Path::new(&again).exists(), "nothing is written");
        run
    };
    let mut less = changed.clone();
    less["throughput"] = "1/3".into();
    extract(&less).refused(
        1,
        &[
            "rates.json: demand 0",
            "'P0' gains 1/2 messages; the throughput says 1/3",
        ],
    );
    let mut lost = changed.clone();
    let first = lost["sends"]
        .as_array()
        .unwrap()
        .iter()
        .position(|send| send["from"] != "Ps")
        .unwrap();
    lost["sends"][first]["rate"] = "1/7".into();
    extract(&lost).refused(1, &["rates.json: demand 0"]);
    changed["busy"] = serde_json::json!([{ "from": "Ps", "to": "Pa", "s": "9" }]);
    extract(&changed).refused(1, &["rates.json:1: busy[0].s: is 9, but the rates give"]);
    assert_eq!(read(&rates), changed.to_string());
}

/// A product of three matrices, by work of every task: the optimum of another program, there and back.
#[test]
fn work_by_task_there_and_back() {
    let folder = Folder::new();
    let (plan, again) = (folder.path("plan.json"), folder.path("again.json"));
    let volumes = |name: &str| {
        format!(
            "@{}/../../fixtures/volumes/matrix-chain-{name}.json",
            env!("CARGO_MANIFEST_DIR")
        )
    };
    for (work, throughput) in [("work", "29/15"), ("unrelated", "862/555")] {
        let (size, work) = (volumes("size"), volumes(work));
        for formulation in ["columns", "compact"] {
            assert_eq!(
                oneport!(
                    "solve reduce --platform toy-reduce.toml --target 0 --size {size} \
                     --work {work} --formulation {formulation} -o {plan} --json"
                )
                .ok()
                .object()["throughput"],
                throughput,
                "{formulation}"
            );
            oneport!("verify {plan}").ok();
        }
        assert!(
            oneport!("show {plan}")
                .ok()
                .stdout
                .contains("work by task and processor")
        );
        let rates = folder.write(
            "rates.json",
            oneport!("show {plan} --rates --json").ok().stdout,
        );
        oneport!("extract {rates} --platform toy-reduce.toml -o {again}").ok();
        oneport!("verify {again}").ok();
        assert_eq!(
            serde_json::from_str::<Value>(&read(&again)).unwrap()["throughput"],
            throughput
        );
        // Rates of a merge at a processor that cannot do it are refused.
        let mut other: Value = serde_json::from_str(&read(&rates)).unwrap();
        other.as_object_mut().unwrap().remove("alpha");
        let entries = other["work"].as_array_mut().unwrap();
        entries.retain(|entry| entry["task"] != serde_json::json!([0, 1, 2]));
        entries.push(serde_json::json!({ "task": [0, 1, 2], "node": "1", "work": 1 }));
        let other = folder.write("other.json", other.to_string());
        let refused = oneport!(
            "extract {other} --platform toy-reduce.toml -o {}",
            folder.path("none.json")
        );
        assert!(
            refused.code == Some(1) && refused.stderr.contains("gives it no time there"),
            "{refused:#?}"
        );
    }
    let part = folder.write("part.json", "[{\"task\": [0, 0, 1], \"work\": 1}]");
    let part = format!("@{part}");
    oneport!("solve reduce --platform toy-reduce.toml --target 0 --work {part}")
        .misused(&["--work", "no entry gives the work of T[0,0,2]"]);
    oneport!("solve all-reduce --platform toy-reduce.toml --work {part}").misused(&[
        "--work",
        "work by task",
        "reduce",
    ]);
}

/// RR-4872's flows of the toy (slide 29), for which the paper has a period of 48 that cuts no message. 4 is enough.
const SLIDE_29: &str = r#"{
  "format": "oneport-rates/1",
  "collective": {"name": "scatter", "source": "Ps", "targets": ["P0", "P1"]},
  "model": "full-duplex", "size": "1", "throughput": "1/2", "per": "1",
  "sends": [
    {"demand": 0, "from": "Ps", "to": "Pa", "rate": "1/4"}, {"demand": 0, "from": "Pa", "to": "P0", "rate": "1/4"},
    {"demand": 0, "from": "Ps", "to": "Pb", "rate": "1/4"}, {"demand": 0, "from": "Pb", "to": "P0", "rate": "1/4"},
    {"demand": 1, "from": "Ps", "to": "Pb", "rate": "1/2"}, {"demand": 1, "from": "Pb", "to": "P1", "rate": "1/2"}
  ]
}"#;

#[test]
fn rates_of_ones_own_with_whole_messages_and_a_given_period() {
    let folder = Folder::new();
    let (platform, plan) = (fixture("toy-scatter.toml"), folder.path("plan.json"));
    let rates = folder.write("rates.json", SLIDE_29);
    let extract =
        |options: &str| oneport!("extract {rates} --platform {platform} -o {plan} {options}");
    let whole = extract("--whole-messages").ok().stdout;
    assert!(
        whole.contains("period 4 ") && whole.contains("no message is cut"),
        "{whole}"
    );
    oneport!("verify {plan} --whole-messages").ok();
    let fixed = extract("--period 12").ok().stdout;
    assert!(fixed.contains("period 12 for 6 instances"), "{fixed}");
    // Within 5 units the best whole numbers of messages lose throughput.
    let short = extract("--period 5 --whole-messages").ok().stdout;
    assert!(
        short.contains("below the throughput") && short.contains("period 5"),
        "{short}"
    );
    extract("--period 0").refused(2, &["--period", "positive"]);
    extract("--period 4 --exact-period").misused(&["--exact-period"]);
}
