//! Questions as values, and answers as lines.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::time::Duration;
mod bound;
mod tables;
mod what_if;

use oneport::files::plan_from_json;
use oneport::referee::verify;
use oneport::watch::{Limit, Watch};
use oneport::{Goal, parse_rational};
use oneport_questions::{
    Answered, KEYS, Kind, Manner, Question, READING_KEYS, Reading, answer_line, answer_line_until,
    ask, failed_line,
};
use serde_json::{Value, json};

/// The platform of RR-4872, figure 2, whose scatter has the throughput 1/2.
fn toy() -> Value {
    let node = |name: &str| json!({ "name": name, "compute": "1" });
    let link = |from: &str, to: &str, cost: &str| json!({ "from": from, "to": to, "cost": cost });
    json!({
        "format": "oneport-platform/1",
        "node": [node("Ps"), { "name": "Pa" }, { "name": "Pb" }, node("P0"), node("P1")],
        "link": [
            link("Ps", "Pa", "1"), link("Ps", "Pb", "1"), link("Pa", "P0", "2/3"),
            link("Pb", "P0", "4/3"), link("Pb", "P1", "4/3"),
        ],
    })
}

fn scatter(more: Value) -> Value {
    let mut question = json!({ "platform": toy(), "collective": "scatter", "source": "Ps", "targets": ["P0", "P1"] });
    let keys = question.as_object_mut().unwrap();
    keys.extend(more.as_object().unwrap().clone());
    question
}

fn answer(question: &Value) -> Value {
    let row = answer_line(1, &question.to_string());
    assert!(!row.contains('\n'));
    serde_json::from_str(&row).unwrap()
}

/// The fields that serde expects.
fn expected(error: &str) -> Vec<String> {
    let (_, list) = error.split_once("expected one of ").unwrap();
    let quoted = list.split('`').skip(1).step_by(2);
    quoted.map(str::to_string).collect()
}

#[test]
fn the_lists_of_keys_are_those_of_the_values() {
    let unknown = json!({ "no such key": 1 });
    let error = serde_json::from_value::<Question>(unknown.clone()).unwrap_err();
    assert_eq!(expected(&error.to_string()), KEYS);
    let error = serde_json::from_value::<Reading>(unknown).unwrap_err();
    assert_eq!(expected(&error.to_string()), READING_KEYS);
}

#[test]
fn a_sentence_names_options_in_the_callers_manner() {
    let sentence =
        "reduce takes no --max-loss; it takes --in-order, --participants or --output FILE, a--size";
    for (manner, expected) in [
        (Manner::Option, sentence),
        (
            Manner::Keyword,
            "reduce takes no max_loss=; it takes commutative=False, participants= or --output FILE, a--size",
        ),
        (
            Manner::Key,
            "reduce takes no \"max_loss\"; it takes \"commutative\": false, \"participants\" or --output FILE, a--size",
        ),
    ] {
        assert_eq!(manner.spell(sentence), expected);
    }
}

#[test]
fn a_sentence_gives_values_in_the_callers_manner() {
    for (sentence, keyword, key) in [
        (
            "give --link-bandwidth node=100Gbit/s --link-bandwidth leaf=25; --latency KIND=TIME or none",
            "give link_bandwidth={\"node\": \"100Gbit/s\", \"leaf\": 25}; latency={\"KIND\": TIME} or none",
            "give \"link_bandwidth\": {\"node\": \"100Gbit/s\", \"leaf\": 25}; \"latency\": {\"KIND\": TIME} or none",
        ),
        (
            "--replicate N --fabric rail,25 joins N machines; --replicate joins",
            "replicate=N, fabric=\"rail,25\" joins N machines; replicate= joins",
            "\"replicate\": N, \"fabric\": \"rail,25\" joins N machines; \"replicate\" joins",
        ),
        (
            "scatter needs --source NODE, or --in-order I; --capacity ATTRIBUTE[,UNITS]",
            "scatter needs source=NODE, or commutative=False I; capacity=ATTRIBUTE[,UNITS]",
            "scatter needs \"source\": NODE, or \"commutative\": false I; \"capacity\": ATTRIBUTE[,UNITS]",
        ),
    ] {
        assert_eq!(Manner::Option.spell(sentence), sentence);
        assert_eq!(Manner::Keyword.spell(sentence), keyword);
        assert_eq!(Manner::Key.spell(sentence), key);
    }
}

/// A value that has no effect is refused: facts of a file for a platform that is not read from one, and a fabric
/// without machines.
#[test]
fn what_is_read_from_no_file_takes_no_facts_of_files() {
    let refused = |platform: Value, read: Value| {
        let question = json!({ "platform": platform, "collective": "barrier", "read": read });
        let row: Value = serde_json::from_str(&answer_line(1, &question.to_string())).unwrap();
        row["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    let ring = || json!({ "generate": "ring", "nodes": 3 });
    let told = refused(ring(), json!({ "link_bandwidth": { "nvlink": 25 } }));
    assert!(
        told.contains("\"link_bandwidth\" has no effect on a generated platform"),
        "{told}"
    );
    assert!(refused(ring(), json!({ "replicate": 2 })).contains("\"replicate\" has no effect"));
    assert_eq!(refused(ring(), json!({ "model": "links" })), "");
    let dump = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/topologies/nccl-topo.xml"
    );
    for key in ["fabric", "fabric_bandwidth"] {
        let told = refused(json!(dump), json!({ key: "25" }));
        assert!(
            told.contains(&format!(
                "\"{key}\" joins several machines; give their number"
            )),
            "{told}"
        );
    }
}

#[test]
fn an_answer_has_its_keys_in_one_order() {
    let row = answer_line(7, &scatter(json!({ "id": {"b": 1, "a": [2]} })).to_string());
    let begins = |index: usize| {
        let key = [
            "\"line\":7",
            "\"question\":\"",
            "\"id\":{",
            "\"version\":\"",
            "\"platform\":\"",
        ][index];
        row.find(key).unwrap()
    };
    assert!(
        (0..4).all(|index| begins(index) < begins(index + 1)),
        "{row}"
    );
    let value: Value = serde_json::from_str(&row).unwrap();
    for (key, expected) in [
        ("status", json!("optimal")),
        ("throughput", json!("1/2")),
        ("upper_bound", json!("1/2")),
        ("gap", json!("0")),
        ("nodes", json!(5)),
        ("schedule_throughput", json!("1/2")),
        ("loss", json!("0")),
        ("ended_by", Value::Null),
        ("id", json!({"a": [2], "b": 1})),
    ] {
        assert_eq!(value[key], expected, "{key}: {row}");
    }
    let read = Answered::read(row.as_bytes()).unwrap();
    assert_eq!((read.line, read.is_error()), (7, false));
}

/// A question has one answer, in texts, lists and numbers.
#[test]
fn values_have_several_forms() {
    let same = [
        scatter(json!({})),
        scatter(json!({ "targets": "P0,P1", "size": 1, "period": null })),
        scatter(json!({ "targets": ["P0..1"], "size": "1.0", "read": {} })),
        json!({ "platform": toy(), "collective": "scatter", "groups": [["Ps", "P0", "P1"]] }),
        json!({ "platform": toy(), "collective": "scatter", "groups": [{"nodes": ["Ps", "P0", "P1"], "rate": 1}] }),
        json!({ "platform": toy(), "collective": "MPI_Scatter", "groups": ["Ps,P0,P1"], "ask": "solve" }),
    ];
    for question in same {
        let answer = answer(&question);
        assert_eq!(answer["throughput"], json!("1/2"), "{question}: {answer}");
    }
    let counts = |counts: Value| {
        let question = json!({ "platform": toy(), "collective": "scatter-v", "source": "Ps", "targets": ["P0", "P1"], "counts": counts });
        answer(&question)["throughput"].clone()
    };
    assert_eq!(counts(json!([1, 1])), json!("1/2"));
    assert_eq!(counts(json!("2,2")), json!("1/4"));
    let changed = scatter(json!({ "changes": ["Ps -> *: bandwidth x2"] }));
    assert_ne!(
        answer(&changed)["platform"],
        answer(&scatter(json!({})))["platform"]
    );
}

#[test]
fn generators_take_the_options_of_the_command() {
    let all_gather = |platform: Value| {
        answer(&json!({ "platform": platform, "collective": "all-gather", "bytes": "1 GiB" }))
    };
    let torus = all_gather(json!({ "generate": "torus", "sides": [2, 2], "bandwidth": "50 GB/s" }));
    assert_eq!(
        (&torus["nodes"], &torus["units"]),
        (&json!(4), &json!("GB/s")),
        "{torus}"
    );
    assert_eq!(torus["status"], json!("optimal"), "{torus}");
    assert_eq!(all_gather(json!({ "generate": "dgx1" }))["nodes"], json!(8));
    for (wrong, word) in [
        (json!({ "generate": "torus" }), "sides"),
        (json!({ "generate": "toros", "sides": [2] }), "toros"),
        (
            json!({ "generate": "torus", "sides": [2, 2], "seed": 7 }),
            "\"seed\"",
        ),
        (json!({ "generate": "ring", "nodes": 3, "nods": 4 }), "nods"),
    ] {
        let error = all_gather(wrong)["error"].to_string();
        assert!(error.replace('\\', "").contains(word), "{word}: {error}");
    }
}

/// An error names its key, and is an answer.
#[test]
fn wrong_questions_are_rows() {
    for (question, kind, words) in [
        ("{".to_string(), "question", vec!["no JSON"]),
        (
            "[1]".to_string(),
            "question",
            vec!["a question is a JSON object"],
        ),
        (
            scatter(json!({ "colective": 1 })).to_string(),
            "question",
            vec!["\"colective\"", "\"collective\""],
        ),
        (
            scatter(json!({ "read": {"fabrik": 1} })).to_string(),
            "question",
            vec!["\"read\"", "\"fabrik\"", "\"fabric\""],
        ),
        (
            scatter(json!({ "read": [] })).to_string(),
            "question",
            vec!["\"read\"", "object"],
        ),
        (
            scatter(json!({ "size": true })).to_string(),
            "question",
            vec!["\"size\"", "true"],
        ),
        (
            scatter(json!({ "size": "0" })).to_string(),
            "question",
            vec!["\"size\": '0' is not positive"],
        ),
        (
            scatter(json!({ "size": 1, "bytes": 2 })).to_string(),
            "question",
            vec!["\"bytes\" and \"size\""],
        ),
        (
            scatter(json!({ "participants": ["P0"] })).to_string(),
            "question",
            vec!["takes no \"participants\"", "\"source\""],
        ),
        (
            scatter(json!({ "collective": "scater" })).to_string(),
            "question",
            vec!["did you mean 'scatter'?"],
        ),
        (
            scatter(json!({ "source": "Px" })).to_string(),
            "platform",
            vec!["\"source\"", "no node 'Px'"],
        ),
        (
            scatter(json!({ "platform": "no such file" })).to_string(),
            "platform",
            vec!["no such file"],
        ),
        (
            scatter(json!({ "platform": "-" })).to_string(),
            "question",
            vec!["\"platform\""],
        ),
        (
            scatter(json!({ "max_loss": "2" })).to_string(),
            "question",
            vec!["\"max_loss\""],
        ),
        (
            scatter(json!({ "time_limit": "soon" })).to_string(),
            "question",
            vec!["\"time_limit\""],
        ),
        (
            scatter(json!({ "changes": ["Ps: faster"] })).to_string(),
            "question",
            vec!["\"changes\""],
        ),
        (
            json!({ "collective": "scatter" }).to_string(),
            "question",
            vec!["\"platform\" is missing"],
        ),
        (
            scatter(json!({ "id": 1 }))
                .to_string()
                .replace("\"id\":1", "\"id\":{\"a\":1,\"a\":2}"),
            "question",
            vec!["\"id\": key 'a' is given twice"],
        ),
        (
            "{\"collective\": \"scatter\", \"collective\": \"gather\"}".to_string(),
            "question",
            vec!["key 'collective' is given twice"],
        ),
        (
            "{\"id\": 1}\r{\"id\": 2}".to_string(),
            "question",
            vec!["carriage return", "line feed"],
        ),
        (
            "{\"id\": 1} {\"id\": 2}".to_string(),
            "question",
            vec!["a second JSON value begins at column 11"],
        ),
        (
            "{\"id\": [1".to_string(),
            "question",
            vec!["ends after column 9", "close each brace"],
        ),
        (
            scatter(json!({ "platform": { "generate": "ring", "nodes": "x" } })).to_string(),
            "question",
            vec!["\"nodes\": \"x\" does not fit; give a whole number"],
        ),
        (
            scatter(json!({ "platform": { "generate": "ring" } })).to_string(),
            "question",
            vec!["\"nodes\" is missing; give a whole number"],
        ),
        (
            scatter(json!({ "read": { "multicast": 3 } })).to_string(),
            "question",
            vec!["\"read\": \"multicast\": 3 does not fit; give true or false"],
        ),
    ] {
        let row: Value = serde_json::from_str(&answer_line(3, &question)).unwrap();
        assert_eq!(row["status"], json!("error"), "{question}: {row}");
        assert_eq!(row["error"]["kind"], json!(kind), "{question}: {row}");
        let message = row["error"]["message"].as_str().unwrap();
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
    let row = failed_line(2, b"\xff", "killed", "twice".to_string());
    assert!(Answered::read(row.as_bytes()).unwrap().is_error(), "{row}");
}

/// A value of a wrong type is refused by a sentence of ours, for each key: none of serde's words.
#[test]
fn no_sentence_has_words_of_serde() {
    let values = [
        json!(true),
        json!(7),
        json!("?"),
        json!([{}]),
        json!({ "a": 1 }),
    ];
    for key in KEYS.iter().filter(|key| **key != "id") {
        for value in &values {
            let keys = [((*key).to_string(), value.clone())].into_iter().collect();
            let row = answer(&scatter(Value::Object(keys)));
            let message = row["error"]["message"].as_str().unwrap_or_default();
            let (words, mut of_serde) = (
                message.to_string(),
                ["invalid type", "expected", "unknown variant", "field"].iter(),
            );
            assert!(
                !of_serde.any(|word| words.contains(word)),
                "{key}: {value}: {message}"
            );
        }
    }
    for key in READING_KEYS {
        let keys = [(key.to_string(), json!([{}]))].into_iter().collect();
        let row = answer(&scatter(json!({ "read": Value::Object(keys) })));
        let message = row["error"]["message"].as_str().unwrap_or_default();
        assert!(
            message.contains(&format!("\"read\": \"{key}\": ")),
            "{message}"
        );
    }
}

/// `null` stands for a key that is absent, and a text for its number.
#[test]
fn null_is_absence_and_a_text_is_its_number() {
    let given = |keys: &[&str]| {
        let keys = keys.iter().map(|key| ((*key).to_string(), Value::Null));
        answer(&scatter(Value::Object(keys.collect())))["throughput"].clone()
    };
    let others: Vec<&str> = KEYS[..]
        .iter()
        .copied()
        .filter(|key| !["platform", "collective", "source", "targets"].contains(key))
        .collect();
    assert_eq!(given(&others), json!("1/2"));
    let nodes = |nodes: Value| {
        let platform = json!({ "generate": "ring", "nodes": nodes, "seed": null });
        answer(&json!({ "platform": platform, "collective": "all-gather" }))["nodes"].clone()
    };
    assert_eq!((nodes(json!(4)), nodes(json!("4"))), (json!(4), json!(4)));
}

#[test]
fn messages_that_cannot_arrive_have_an_answer() {
    let back =
        json!({ "platform": toy(), "collective": "scatter", "source": "P0", "targets": ["Ps"] });
    let row = answer(&back);
    assert_eq!(row["status"], json!("infeasible"), "{row}");
    assert_eq!(row["unreachable"], json!(["from 'P0' to 'Ps'"]), "{row}");
    let question = Question::read_json(&back.to_string()).unwrap();
    let error = question.problem().unwrap_err();
    assert_eq!(error.kind, Kind::Infeasible);
    assert_eq!(error.unreachable, [("P0".to_string(), "Ps".to_string())]);
}

/// A plan in a row is a plan file, whose claims the referee confirms.
#[test]
fn a_plan_in_a_row_is_a_plan_file() {
    let row = answer(&scatter(json!({ "keep": "plan" })));
    let text = row["plan"].to_string();
    let (claim, stated) = plan_from_json("row", text.as_bytes()).unwrap();
    let judged = verify(claim, &stated, &Watch::unlimited()).unwrap();
    assert_eq!(judged.throughput(), Some(&parse_rational("1/2").unwrap()));
    assert!(!row["certificate"].as_array().unwrap().is_empty());
    let shares = row["reasons"].as_array().unwrap().iter();
    let shares = shares.map(|reason| parse_rational(reason["share"].as_str().unwrap()).unwrap());
    assert_eq!(
        shares.sum::<oneport::Rational>(),
        parse_rational("2").unwrap()
    );
}

/// The goal decides which numbers an answer has. The bound does not depend on it.
#[test]
fn what_is_asked_decides_what_is_answered() {
    let [solve, rate, bound] =
        ["solve", "rate", "bound"].map(|ask| answer(&scatter(json!({ "ask": ask }))));
    assert!(solve["period"].is_string() && rate["period"].is_null() && bound["period"].is_null());
    assert!(rate["patterns"].is_u64());
    for row in [&rate, &bound] {
        assert_eq!(row["upper_bound"], solve["upper_bound"], "{row}");
    }
    let question = Question::read_json(&scatter(json!({ "ask": "rate" })).to_string()).unwrap();
    assert_eq!(question.options().unwrap().goal, Goal::Rate);
    let solved = ask(&question, Watch::unlimited()).unwrap();
    assert_eq!(
        solved.answer.throughput(),
        Some(&parse_rational("1/2").unwrap())
    );
}

/// The caller's wish ends a line that would take long.
#[test]
fn a_line_ends_when_its_caller_wants() {
    let line = json!({ "platform": { "generate": "torus", "sides": [8, 8] }, "collective": "all-reduce", "commutative": false });
    let row = answer_line_until(1, &line.to_string(), || {
        Some((Limit::Interrupt, Duration::from_secs(3600)))
    });
    let row: Value = serde_json::from_str(&row).unwrap();
    assert_eq!(row["ended_by"], "interrupt", "{row}");
}
