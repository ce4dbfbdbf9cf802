//! Questions whose answers are tables: times by size, and known algorithms beside the optimum.

use oneport::watch::Watch;
use oneport::{Rational, parse_rational};
use oneport_questions::{Question, answer_line, ask};
use serde_json::{Value, json};

use crate::answer;

/// Four processors behind a switch, at 10 GB/s each way.
fn star() -> Value {
    with_latency("0 us")
}

fn with_latency(latency: &str) -> Value {
    let node = |name: &str| json!({ "name": name, "compute": "1 s/GB" });
    let link = |from: &str, to: &str| json!({ "from": from, "to": to, "bandwidth": "10 GB/s", "latency": latency });
    let names = ["a", "b", "c", "d"];
    let mut links: Vec<Value> = Vec::new();
    for name in names {
        links.extend([link(name, "switch"), link("switch", name)]);
    }
    let mut nodes: Vec<Value> = names.map(node).to_vec();
    nodes.push(json!({ "name": "switch", "switch": true }));
    json!({ "format": "oneport-platform/1", "units": "GB/s", "node": nodes, "link": links })
}

fn number(value: &Value) -> Rational {
    parse_rational(
        value
            .as_str()
            .unwrap_or_else(|| panic!("{value} is no number")),
    )
    .unwrap()
}

/// All-gather of M bytes among 4 ranks behind a switch at 10 GB/s: each receives 3/4 M, so the bus bandwidth is at most
/// 10 GB/s. A ring attains it.
#[test]
fn a_ring_attains_the_bound_of_a_star() {
    let row = answer(&json!({ "platform": star(), "collective": "all-gather", "ask": "compare" }));
    assert_eq!(
        (&row["status"], &row["busbw"], &row["units"], &row["nodes"]),
        (&json!("optimal"), &json!("10"), &json!("GB/s"), &json!(5)),
        "{row}"
    );
    let rows = row["rows"].as_array().unwrap();
    let ring = rows.iter().find(|row| row["name"] == "ring").unwrap();
    assert_eq!(
        (&ring["share"], &ring["busbw"], &ring["compared"]),
        (&json!("1"), &json!("10"), &json!(true)),
        "{ring}"
    );
    for other in rows {
        assert!(number(&other["share"]) <= number(&ring["share"]), "{other}");
        assert!(
            other["time"].is_null() && other["pieces"].is_null(),
            "{other}"
        );
    }
    assert!(
        row["lower_bound"].is_null() && row["latencies"].is_null(),
        "{row}"
    );
}

/// The same operation of 4 MB with 1 us of latency on each link: 3 MB arrive at each rank, in 300 us at least, and
/// every message takes two hops.
#[test]
fn one_operation_takes_at_least_its_data_and_its_latency() {
    let least = parse_rational("302/1000000").unwrap();
    let question = |ask: &str| {
        answer(
            &json!({ "platform": with_latency("1 us"), "collective": "all-gather", "ask": ask, "bytes": "4 MB" }),
        )
    };
    let (time, compare) = (question("time"), question("compare"));
    let [size] = &time["sizes"].as_array().unwrap()[..] else {
        panic!("{time}");
    };
    assert_eq!(size["bytes"], json!("4000000"));
    assert_eq!(time["status"], json!("feasible"), "{time}");
    assert!(number(&size["lower_bound"]) >= least, "{size}");
    let best = number(&size["time"]);
    assert!(best >= number(&size["lower_bound"]), "{size}");
    let one = parse_rational("1").unwrap();
    assert_eq!(
        number(&size["gap"]),
        &best / number(&size["lower_bound"]) - &one
    );
    // Bytes over time, in GB/s; three quarters of it for the bus.
    let giga = parse_rational("1000000000").unwrap();
    let algbw = number(&size["bytes"]) / &best / giga;
    assert_eq!(number(&size["algbw"]), algbw);
    assert_eq!(
        number(&size["busbw"]),
        algbw * parse_rational("3/4").unwrap()
    );
    assert_eq!(size["rows"][0]["time"], size["time"]);
    assert_eq!(time["latencies"][0]["links"], json!(8));
    // Both questions have the same bound and the same latencies; a comparison is in the order of times.
    assert_eq!(compare["latencies"], time["latencies"]);
    assert!(number(&compare["lower_bound"]) >= least, "{compare}");
    let rows = compare["rows"].as_array().unwrap().iter();
    let times: Vec<Rational> = rows
        .filter(|row| row["compared"] == json!(true) && !row["time"].is_null())
        .map(|row| number(&row["time"]))
        .collect();
    assert!(times.len() > 1 && times.is_sorted(), "{compare}");
    for row in compare["rows"].as_array().unwrap() {
        if let Some(share) = row["share_once"].as_str() {
            let share = parse_rational(share).unwrap();
            assert_eq!(
                share,
                number(&compare["lower_bound"]) / number(&row["time"])
            );
        }
    }
}

#[test]
fn sizes_are_texts_or_lists() {
    let sizes = |sizes: Value| {
        let question = json!({ "platform": star(), "collective": "all-gather", "ask": "time", "sizes": sizes });
        let row = answer(&question);
        let rows = row["sizes"].as_array().unwrap_or_else(|| panic!("{row}"));
        let bytes: Vec<Value> = rows.iter().map(|row| row["bytes"].clone()).collect();
        json!(bytes)
    };
    let three = json!(["8", "16", "32"]);
    for same in [json!("8:32:x2"), json!("8,16,32"), json!([8, "16 B", 32])] {
        assert_eq!(sizes(same), three);
    }
    assert_eq!(sizes(json!(["1 KiB"])), json!(["1024"]));
}

/// A row has its keys in one order, without a clock: two answers are equal.
#[test]
fn a_table_has_its_keys_in_one_order() {
    for (ask, keys) in [
        ("time", vec!["status", "sizes", "latencies", "ended_by"]),
        (
            "compare",
            vec![
                "status",
                "throughput",
                "upper_bound",
                "busbw",
                "lower_bound",
                "rows",
                "measured",
            ],
        ),
    ] {
        let question =
            json!({ "platform": star(), "collective": "all-gather", "ask": ask, "bytes": "64 B" });
        let row = answer_line(7, &question.to_string());
        assert_eq!(row, answer_line(7, &question.to_string()));
        let head = [
            "line",
            "question",
            "id",
            "version",
            "platform",
            "nodes",
            "links",
            "collective",
        ];
        let begins = head
            .iter()
            .chain(&keys)
            .map(|key| row.find(&format!("\"{key}\":")));
        let begins: Vec<usize> = begins.map(|begin| begin.unwrap()).collect();
        assert!(begins.is_sorted(), "{begins:?} {row}");
    }
}

/// A key of another kind of answer is refused by name, and so is a file that is missing.
#[test]
fn keys_belong_to_kinds_of_answers() {
    for (more, words) in [
        (
            json!({ "sizes": "8:64:x2" }),
            vec!["solve takes no \"sizes\""],
        ),
        (
            json!({ "ask": "rate", "with": ["a.json"] }),
            vec!["rate takes no \"with\""],
        ),
        (
            json!({ "ask": "time", "max_loss": "1%" }),
            vec![
                "time takes no \"max_loss\"",
                "\"sizes\", \"measured\", \"with\"",
            ],
        ),
        (
            json!({ "ask": "compare", "sizes": [8] }),
            vec!["compare takes no \"sizes\"", "\"tuning\""],
        ),
        (
            json!({ "ask": "compare", "keep": "plan" }),
            vec!["compare takes no \"keep\""],
        ),
        (
            json!({ "ask": "time", "sizes": [8], "bytes": 8 }),
            vec!["\"sizes\" and \"bytes\""],
        ),
        (
            json!({ "ask": "time", "sizes": "8:4:x2" }),
            vec!["\"sizes\"", "8:4:x2"],
        ),
        (
            json!({ "ask": "time", "sizes": {} }),
            vec!["\"sizes\"", "list"],
        ),
        (
            json!({ "ask": "compare", "with": [1] }),
            vec!["\"with\"", "path"],
        ),
        (
            json!({ "ask": "compare", "with": "no file" }),
            vec!["no file"],
        ),
        (
            json!({ "ask": "compare", "measured": "fast" }),
            vec!["\"measured\"", "fast"],
        ),
        (
            json!({ "ask": "compare", "tuning": "no log" }),
            vec!["no log"],
        ),
    ] {
        let mut question = json!({ "platform": star(), "collective": "all-gather" });
        question
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let row = answer(&question);
        assert_eq!(row["status"], json!("error"), "{question}: {row}");
        let message = row["error"]["message"].as_str().unwrap();
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
    let times = json!({ "platform": star(), "collective": "all-gather", "ask": "time" });
    let question = Question::read_json(&times.to_string()).unwrap();
    assert!(
        ask(&question, Watch::unlimited()).is_err(),
        "it has no schedule"
    );
}

#[test]
fn a_table_of_messages_that_cannot_arrive_is_infeasible() {
    let mut platform = star();
    platform["link"].as_array_mut().unwrap().pop();
    for ask in ["time", "compare"] {
        let question = json!({ "platform": platform, "collective": "all-gather", "ask": ask });
        let row = answer(&question);
        assert_eq!(row["status"], json!("infeasible"), "{row}");
        assert!(!row["unreachable"].as_array().unwrap().is_empty(), "{row}");
    }
}

/// A measurement of 5 GB/s is half of the bound of 10 GB/s; one of 20 GB/s is impossible.
#[test]
fn a_measurement_stands_beside_the_bound() {
    let measured = |measured: &str| {
        let question = json!({ "platform": star(), "collective": "all-gather", "ask": "compare", "measured": measured });
        answer(&question)["measured"].clone()
    };
    let half = measured("5 GB/s");
    assert_eq!(
        (&half["share"], &half["possible"], &half["shown"]),
        (&json!("1/2"), &json!(true), &json!("5 GB/s")),
        "{half}"
    );
    assert_eq!(measured("20 GB/s")["possible"], json!(false));
}
