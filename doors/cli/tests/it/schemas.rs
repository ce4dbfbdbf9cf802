//! Answers as JSON: the rules of fixtures/schemas for them, and several platforms in one call.

use jsonschema::Validator;
use oneport::platform::whole;
use oneport_questions::Question;
use serde_json::{Value, json};

use crate::common;

use common::{Folder, Run, each, fixture, read};

fn schema(name: &str) -> Validator {
    let file = format!(
        "{}/../../fixtures/schemas/{name}.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let schema: Value = serde_json::from_str(&read(&file)).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Every line of the answer, each valid.
#[track_caller]
fn answers(schema: &Validator, run: &Run) -> Vec<Value> {
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!answers.is_empty(), "{run:#?}");
    for answer in &answers {
        let errors: Vec<String> = schema
            .iter_errors(answer)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?} {answer:#}");
    }
    answers
}

/// Without a key, with one too many, or with a number in place of a rational, it is valid no more.
#[track_caller]
fn is_strict(schema: &Validator, answer: &Value) {
    let object = answer.as_object().unwrap();
    // Only forms with counts have them. Plain numbers accompany fractions.
    let needed = |key: &&String| *key != "counts" && !key.ends_with("_number");
    for key in object.keys().filter(needed) {
        let mut less = object.clone();
        less.remove(key);
        assert!(!schema.is_valid(&less.into()), "without {key}: {answer}");
    }
    for (key, value) in [
        ("throughputs", json!("1")),
        ("version", json!(1)),
        ("nodes", json!("5")),
    ] {
        let mut other = object.clone();
        other.insert(key.into(), value);
        assert!(!schema.is_valid(&other.into()), "{key}: {answer}");
    }
}

#[test]
fn answers_of_solve_are_as_the_schema_says() {
    let (schema, folder) = (schema("solve"), Folder::new());
    let cut = folder.write("cut.csv", "a;b\n0;1\n0;0\n");
    let box_of_eight = folder.path("box.toml");
    oneport!("generate dgx-a100 -o {box_of_eight}").ok();
    let cluster = "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" \
                   radical=\"0-5999\" suffix=\"\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/></zone></platform>";
    let cluster = folder.write("star.xml", cluster);
    let cases: &[(&str, &str)] = &[
        // Without a schedule.
        (
            &format!("reduce-scatter --commutative --work 0 --platform {cluster}"),
            "optimal",
        ),
        ("scatter --source Ps --platform toy-scatter.toml", "optimal"),
        (
            &format!("all-gather --platform {box_of_eight} --size '64 MiB'"),
            "optimal",
        ),
        (
            "reduce --target a0 --platform two-racks.toml --time-limit 0",
            "feasible",
        ),
        (&format!("all-to-all --platform {cut}"), "infeasible"),
        (
            "all-gather-v --participants a0,a1 --counts 1,2 --platform two-racks.toml",
            "optimal",
        ),
        (
            "all-gather --platform torus-4x4.toml --group P0,P1 --group P2,P3",
            "optimal",
        ),
    ];
    for (arguments, status) in cases {
        let run = oneport!("solve --json {arguments}");
        let [answer] = &answers(&schema, &run)[..] else {
            panic!("{run:#?}")
        };
        // A limit of 0 may still find the optimum.
        assert!(
            answer["status"] == *status || *status == "feasible",
            "{answer}"
        );
        if answer["units"].is_null() && answer["status"] != "infeasible" {
            assert!(
                ["size", "algbw", "busbw"]
                    .iter()
                    .all(|key| answer[key].is_null()),
                "{answer}"
            );
        }
        if arguments.contains("64 MiB") {
            // 8 messages. Of every 8 a GPU receives 7.
            let number =
                |key: &str| oneport::parse_rational(answer[key].as_str().unwrap()).unwrap();
            assert_eq!(answer["size"], (8u64 << 26).to_string());
            assert_eq!(number("busbw") * whole(8), number("algbw") * whole(7));
            // The platform's time is in seconds.
            assert_eq!(
                number("algbw") * whole(1_000_000_000),
                number("throughput") * number("size")
            );
        }
        is_strict(&schema, answer);
    }
}

#[test]
fn answers_of_whatif_are_as_the_schema_says() {
    let schema = schema("whatif");
    let whatif = |rest: &str| oneport!("whatif --json {rest}");
    for run in [
        whatif("reduce-scatter --platform toy-reduce.toml"),
        whatif("all-reduce --platform torus-4x4.toml --time-limit 0.2 --model half-duplex"),
        whatif("all-to-all --platform torus-4x4.toml --change 'P0 -> P1: bandwidth x2'"),
        whatif("all-to-all --platform torus-4x4.toml --change 'P0 <-> *: remove'"),
    ] {
        let [answer] = &answers(&schema, &run)[..] else {
            panic!("{run:#?}")
        };
        is_strict(&schema, answer);
        let mut bent = answer.clone();
        bent["rows"][0]["status"] = "stopped".into();
        assert!(
            answer["rows"][0]["status"] == "stopped" || !schema.is_valid(&bent),
            "{answer}"
        );
    }
}

#[test]
fn several_platforms_answer_line_by_line() {
    let (schema, folder) = (schema("solve"), Folder::new());
    let (toy, star) = (fixture("toy-scatter.toml"), fixture("star.json"));
    let cut = folder.write("cut.csv", "a;b\n0;1\n0;0\n");
    let broken = folder.write("broken.toml", "format = \n");
    let ask = |paths: &[&str], rest: &str| {
        let platforms = each("--platform", paths);
        oneport!("solve all-to-all {platforms} {rest}")
    };
    let together = ask(&[&toy, &cut, &broken, &star], "--json");
    assert_eq!(together.code, Some(1));
    let lines = answers(&schema, &together);
    let told: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            (
                line["platform"].as_str().unwrap(),
                line["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (&*toy, "infeasible"),
            (&cut, "infeasible"),
            (&broken, "error"),
            (&star, "optimal")
        ]
    );
    assert_eq!(together.stderr.lines().count(), 3, "{together:#?}");
    assert!(
        together
            .stderr
            .lines()
            .zip([&toy, &cut, &broken])
            .all(|(line, file)| line.contains(file.as_str()))
    );
    // Each answer equals that of a separate call.
    let alone = ask(&[&star], "--json").ok().object();
    for key in ["throughput", "upper_bound", "period", "bottleneck"] {
        assert_eq!(lines[3][key], alone[key]);
    }
    let text = ask(&[&star, &star], "").ok().stdout;
    assert_eq!(
        (
            text.matches(&star).count(),
            text.matches("throughput  ").count()
        ),
        (2, 2),
        "{text}"
    );
    let plan = folder.path("plan.json");
    ask(&[&star, &star], &format!("-o {plan}")).refused(2, &["--output", "one plan"]);
    ask(&[&star, &star], "--size 0 --json").refused(2, &["--size"]);
}

/// The schema of questions has the keys of the value that reads them, and both refuse the same mistakes.
#[test]
fn questions_are_as_the_schema_says() {
    let valid = schema("question");
    let file = format!(
        "{}/../../fixtures/schemas/question.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let listed: Value = serde_json::from_str(&read(&file)).unwrap();
    let keys = |properties: &Value| -> Vec<String> {
        properties.as_object().unwrap().keys().cloned().collect()
    };
    let sorted = |keys: &[&str]| {
        let mut keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
        keys.sort();
        keys
    };
    let properties = &listed["properties"];
    assert_eq!(keys(properties), sorted(&oneport_questions::KEYS));
    assert_eq!(
        keys(&properties["read"]["properties"]),
        sorted(&oneport_questions::READING_KEYS)
    );
    let question = |more: Value| {
        let mut question = json!({ "platform": "p.toml", "collective": "all-reduce" });
        let keys = question.as_object_mut().unwrap();
        keys.extend(more.as_object().unwrap().clone());
        question
    };
    let reads = |question: &Value| Question::read_json(&question.to_string()).is_ok();
    for right in [
        json!({ "id": [1], "ask": "bound", "size": 2, "participants": "all", "time_limit": "2 min" }),
        json!({ "platform": { "generate": "dgx-h100", "boxes": 2 }, "bytes": "64 MiB", "max_loss": "1%" }),
        json!({ "platform": { "generate": "torus", "sides": [4, 4], "latency": { "link": "1us" } } }),
        json!({ "groups": ["a,b@2", ["a", 1], { "nodes": ["a"], "rate": 3 }], "commutative": null }),
        json!({ "read": { "replicate": 2, "fabric": "rail", "link_bandwidth": { "nvlink": 25 }, "reduce_in_switch": true } }),
        json!({ "ask": null, "read": null, "changes": null, "groups": null, "demands": null, "keep": null }),
        json!({ "exact_period": null, "whole_messages": null, "formulation": null, "model": null }),
        json!({ "demands": { "format": "oneport-demands/1", "demands": [] }, "counts": [[0, 1], [1, 0]], "keep": "plan" }),
        json!({ "ask": "time", "sizes": "8:4GiB:x2", "measured": "run.json", "with": ["ring.json"] }),
        json!({ "ask": "time", "sizes": [8, "64 KiB"], "with": "ring.json", "keep": "numbers", "tuning": null }),
        json!({ "ask": "compare", "bytes": "1 MiB", "measured": 3, "tuning": "log", "period": null }),
        json!({ "with": [], "sizes": null }),
    ] {
        let question = question(right);
        assert!(valid.is_valid(&question) && reads(&question), "{question}");
    }
    for wrong in [
        json!({ "sizes": 1 }),
        json!({ "size": true }),
        json!({ "ask": "all" }),
        json!({ "participants": {} }),
        json!({ "read": { "model": "links", "speed": 1 } }),
        json!({ "groups": [{ "nodes": ["a"], "rate": 0 }] }),
        json!({ "exact_period": "yes" }),
        json!({ "platform": 3 }),
        json!({ "platform": "" }),
        json!({ "counts": { "a": 1 } }),
        json!({ "idle": "away" }),
        json!({ "measured": "212 GB/s" }),
        json!({ "ask": "compare", "sizes": [8] }),
        json!({ "ask": "time", "tuning": "log" }),
        json!({ "ask": "rate", "with": "ring.json" }),
        json!({ "ask": "time", "max_loss": "1%" }),
        json!({ "ask": "compare", "keep": "plan" }),
        json!({ "ask": "compare", "formulation": "compact" }),
        json!({ "ask": "time", "sizes": {} }),
        json!({ "ask": "compare", "with": [1] }),
    ] {
        let question = question(wrong);
        assert!(
            !valid.is_valid(&question) && !reads(&question),
            "{question}"
        );
    }
}

#[test]
fn answers_of_batch_are_as_the_schema_says() {
    let (schema, folder) = (schema("answer"), Folder::new());
    let toy = fixture("toy-broadcast.toml");
    let box_of_eight = json!({ "generate": "dgx1" });
    let asked: String = [
        json!({ "platform": toy, "collective": "broadcast", "source": "Ps", "keep": "plan" }),
        json!({ "platform": toy, "collective": "all-gather" }),
        json!({ "platform": box_of_eight, "collective": "all-gather", "bytes": "1 GiB", "participants": "gpu0..3" }),
        json!({ "platform": box_of_eight, "collective": "all-gather", "ask": "bound", "keep": "certificate" }),
        json!({ "platform": { "generate": "complete", "nodes": 3, "model": "half-duplex" }, "collective": "all-to-all", "ask": "rate" }),
        json!({ "platform": { "generate": "random", "nodes": 60 }, "collective": "all-reduce", "time_limit": "0" }),
        json!({ "platform": "no file", "collective": "all-gather" }),
        json!({ "platform": toy, "collective": "broadcast", "source": "Ps", "ask": "compare" }),
        json!({ "platform": box_of_eight, "collective": "all-gather", "participants": "box0.gpu0..2", "ask": "compare", "bytes": "1 MiB", "measured": "30 GB/s" }),
        json!({ "platform": box_of_eight, "collective": "all-gather", "participants": "box0.gpu0..2", "ask": "time", "sizes": "64KiB,1MiB" }),
        json!({ "platform": toy, "collective": "all-gather", "ask": "time" }),
        json!({ "platform": { "generate": "complete", "nodes": 3, "model": "half-duplex" }, "collective": "all-gather", "ask": "time" }),
    ]
    .iter()
    .map(|question| question.to_string() + "\n")
    .collect();
    let asked = folder.write("q.jsonl", asked);
    for more in ["", "--timings"] {
        let run = oneport!("batch {asked} {more}");
        let rows = answers(&schema, &run);
        assert_eq!(rows.len(), 12);
        for row in rows.iter().filter(|row| row["status"] != json!("error")) {
            let own = match (row.get("sizes"), row.get("rows")) {
                (Some(_), _) => ["sizes", "latencies", "units"],
                (_, Some(_)) => ["throughput", "rows", "measured"],
                _ => ["throughput", "gap", "bottleneck"],
            };
            let head = ["line", "question", "id", "status", "ended_by"];
            for key in head.into_iter().chain(own) {
                let mut less = row.clone();
                less.as_object_mut().unwrap().remove(key);
                assert!(!schema.is_valid(&less), "without {key}: {row}");
            }
        }
    }
}
