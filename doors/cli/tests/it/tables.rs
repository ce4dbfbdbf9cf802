//! Answers of `batch` with a table hold the numbers of `compare --json` and `time --json`.

use oneport::{Rational, decimal, parse_rational};
use serde_json::{Value, json};

use crate::common::{Folder, fixture};

/// Answers of questions, by the command.
fn rows(questions: &[Value]) -> Vec<Value> {
    let folder = Folder::new();
    let lines: String = questions.iter().map(|one| format!("{one}\n")).collect();
    let file = folder.write("q.jsonl", &lines);
    let run = oneport!("batch {file}");
    assert_eq!(run.code, Some(0), "{run:#?}");
    run.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(value: &Value) -> Option<Rational> {
    value.as_str().map(|text| parse_rational(text).unwrap())
}

/// A number of the command, which may be rounded to `digits`.
fn rounded(exact: &Value, digits: usize) -> Value {
    number(exact).map(|exact| decimal(&exact, digits)).into()
}

/// A value of the command without the plain numbers beside its exact ones.
fn exact(value: &Value) -> Value {
    match value {
        Value::Object(keys) => {
            let keys = keys.iter().filter(|(key, _)| !key.ends_with("_number"));
            keys.map(|(key, value)| (key.clone(), exact(value)))
                .collect()
        }
        Value::Array(list) => list.iter().map(exact).collect(),
        value => value.clone(),
    }
}

/// Keys whose values are the same in both.
#[track_caller]
fn same(row: &Value, command: &Value, keys: &[&str]) {
    for key in keys {
        let theirs = exact(&command[key]);
        assert_eq!(row[key], theirs, "{key}: {row:#} {command:#}");
    }
}

const PLATFORMS: [(&str, &str); 4] = [
    ("toy-scatter.toml", "scatter --root Ps --targets P0,P1"),
    ("star.json", "all-gather"),
    ("dgx1.toml", "all-to-all --participants box0.gpu0..2"),
    ("toy-broadcast.toml", "broadcast --root Ps"),
];

/// The question of a line: collective and options.
fn question(platform: &str, line: &str, ask: &str) -> (Value, String) {
    let mut words = line.split(' ');
    let mut question = json!({
        "platform": fixture(platform), "collective": words.next(), "ask": ask,
    });
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        question[option.trim_start_matches('-')] = json!(value);
    }
    (question, format!("{line} --platform {platform}"))
}

#[test]
fn a_comparison_has_the_numbers_of_the_command() {
    let asked = PLATFORMS.map(|(platform, line)| question(platform, line, "compare"));
    let questions: Vec<Value> = asked.iter().map(|(question, _)| question.clone()).collect();
    for (row, (_, line)) in rows(&questions).iter().zip(&asked) {
        let command = oneport!("compare {line} --json").object();
        same(
            row,
            &command,
            &[
                "throughput",
                "upper_bound",
                "status",
                "collective",
                "model",
                "lower_bound",
                "time",
            ],
        );
        let (all, theirs) = (
            row["rows"].as_array().unwrap(),
            command["rows"].as_array().unwrap(),
        );
        assert_eq!(all.len(), theirs.len(), "{line}");
        for (own, other) in all.iter().zip(theirs) {
            // The searches for shapes end by the clock.
            if own.get("programs").is_none() {
                same(
                    own,
                    other,
                    &[
                        "name",
                        "about",
                        "own",
                        "compared",
                        "in_order",
                        "throughput",
                        "share",
                        "run_by",
                        "limited_by",
                        "odd_set",
                    ],
                );
            }
            let bus = number(&own["busbw"]);
            let units = other["busbw_number"].as_f64();
            assert_eq!(bus.is_some(), units.is_some(), "{own} {other}");
        }
    }
}

#[test]
fn times_have_the_numbers_of_the_command() {
    let asked = [
        (
            "dgx1.toml",
            "all-gather --participants box0.gpu0..2 --bytes 1MiB",
        ),
        (
            "toy-scatter.toml",
            "scatter --root Ps --targets P0,P1 --size 3",
        ),
    ]
    .map(|(platform, line)| question(platform, line, "time"));
    let questions: Vec<Value> = asked.iter().map(|(question, _)| question.clone()).collect();
    for (row, (_, line)) in rows(&questions).iter().zip(&asked) {
        let command = oneport!("time {line} --json").object();
        let [size] = &row["sizes"].as_array().unwrap()[..] else {
            panic!("{row:#}");
        };
        same(
            size,
            &command,
            &[
                "bytes",
                "name",
                "pieces",
                "time",
                "algbw",
                "busbw",
                "lower_bound",
                "nccl",
            ],
        );
        same(row, &command, &["latencies", "collective", "model"]);
        assert_eq!(rounded(&size["gap"], 10), command["gap"], "{line}");
        let (all, theirs) = (
            size["rows"].as_array().unwrap(),
            command["rows"].as_array().unwrap(),
        );
        assert_eq!(all.len(), theirs.len(), "{line}");
        for (own, other) in all.iter().zip(theirs) {
            same(own, other, &["name", "pieces", "time", "algbw", "busbw"]);
        }
    }
}

/// With sizes, a measurement and an algorithm of the user's: times by size, then the comparison of one size.
#[test]
fn measurements_and_algorithms_of_the_user_count_in_both() {
    let folder = Folder::new();
    let ring = folder.write("ring.json", r#"{"format": "oneport-algorithm/1", "name": "mine", "ring": ["box0.gpu0", "box0.gpu2", "box0.gpu1"]}"#);
    let platform = fixture("dgx1.toml");
    let base = json!({
        "platform": platform, "collective": "all-gather", "participants": "box0.gpu0..2", "with": [ring],
    });
    let with = |more: Value| {
        let mut question = base.clone();
        question
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        question
    };
    let found = rows(&[
        with(json!({ "ask": "time", "sizes": "64KiB:256KiB:x4" })),
        with(json!({ "ask": "compare", "bytes": "1 MiB", "measured": "10 GB/s" })),
    ]);
    let line = format!(
        "all-gather --platform {platform} --participants box0.gpu0..2 --with {ring} --json"
    );
    let time = oneport!("time {line} --sizes 64KiB:256KiB:x4").object();
    for (own, other) in found[0]["sizes"]
        .as_array()
        .unwrap()
        .iter()
        .zip(time["sizes"].as_array().unwrap())
    {
        same(
            own,
            other,
            &["bytes", "name", "pieces", "time", "busbw", "lower_bound"],
        );
        let names = |row: &Value| -> Vec<Value> {
            let rows = row["rows"].as_array().unwrap().iter();
            rows.map(|row| row["name"].clone()).collect()
        };
        assert!(
            names(own).contains(&json!("mine (yours)")) && names(own) == names(other),
            "{own:#}"
        );
    }
    let compare = oneport!("compare {line} --bytes '1 MiB' --measured '10 GB/s'").object();
    same(
        &found[1],
        &compare,
        &[
            "lower_bound",
            "time",
            "pieces",
            "measured",
            "nccl",
            "latencies",
        ],
    );
    let rows = found[1]["rows"].as_array().unwrap();
    assert!(
        rows.iter().any(|row| row["own"] == json!(true)),
        "{rows:#?}"
    );
    for (own, other) in rows.iter().zip(compare["rows"].as_array().unwrap()) {
        same(
            own,
            other,
            &["name", "own", "time", "pieces", "nccl_expects", "share"],
        );
        assert_eq!(rounded(&own["share_once"], 6), other["share_once"]);
        assert_eq!(rounded(&own["measured_share"], 6), other["measured_share"]);
    }
}
