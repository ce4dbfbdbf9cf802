//! The effect of changes as values, on two links in a row.

use std::sync::Arc;

use oneport::watch::Watch;
use oneport::{Answer, Options, Rational, parse_rational};
use oneport_questions::what_if::{ChangeRow, ChangeStatus, Trial, changed, each_class};
use oneport_questions::{Question, ask};
use serde_json::{Value, json};

/// A message from x to z over y. Each link carries one message at a time, the second one in `cost`.
fn row_of_links(cost: &str) -> Question {
    let link = |from: &str, to: &str, cost: &str| json!({ "from": from, "to": to, "cost": cost });
    let question = json!({
        "platform": {
            "format": "oneport-platform/1",
            "model": "links",
            "node": [{ "name": "x", "compute": "1" }, { "name": "y" }, { "name": "z", "compute": "1" }],
            "link": [link("x", "y", "1"), link("y", "z", cost)],
        },
        "collective": "scatter",
        "source": "x",
        "targets": ["z"],
        "ask": "rate",
    });
    Question::read_json(&question.to_string()).unwrap()
}

fn base(question: &Question) -> Arc<Answer> {
    Arc::new(ask(question, Watch::unlimited()).unwrap().answer)
}

fn ratio(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// The row of a class and its share, exactly.
#[track_caller]
fn is(rows: &[ChangeRow], name: &str, trial: Trial, share: &str) {
    let is_wanted = |row: &&ChangeRow| {
        row.name == name && row.change.as_ref().is_some_and(|(_, own)| *own == trial)
    };
    let row = rows.iter().find(is_wanted).unwrap();
    assert_eq!(row.share, Some([ratio(share), ratio(share)]), "{row:?}");
}

/// The throughput of a row of links is the inverse of the largest cost.
#[test]
fn a_class_gains_until_the_next_one_limits() {
    let base = base(&row_of_links("2/3"));
    let found = each_class(&base, &Options::default(), &mut |_| {}).unwrap();
    assert_eq!(found.rows.len(), 6);
    is(&found.rows, "x -> y", Trial::Doubled, "3/2");
    is(&found.rows, "x -> y", Trial::Halved, "1/2");
    is(&found.rows, "x -> y", Trial::Removed, "0");
    is(&found.rows, "y -> z", Trial::Doubled, "1");
    is(&found.rows, "y -> z", Trial::Halved, "3/4");
    assert!(found.together.is_empty(), "a class alone gains");
    let enough: Vec<_> = found
        .rows
        .iter()
        .filter_map(|row| row.enough.as_ref())
        .collect();
    assert_eq!(enough.len(), 1);
    assert_eq!(
        (&enough[0].factor, enough[0].is_least),
        (&ratio("3/2"), true)
    );
    let removed = found
        .rows
        .iter()
        .find(|row| row.status == ChangeStatus::Infeasible)
        .unwrap();
    let keys = removed.json(|_| String::new());
    assert_eq!(keys["unreachable"], json!(["from 'x' to 'z'"]), "{keys}");
    assert_eq!(
        (&keys["throughput"], &keys["change"]),
        (&json!("0"), &json!("removed"))
    );
}

#[test]
fn two_links_that_limit_together_gain_together() {
    let base = base(&row_of_links("1"));
    let found = each_class(&base, &Options::default(), &mut |_| {}).unwrap();
    is(&found.rows, "x -> y", Trial::Doubled, "1");
    is(&found.rows, "y -> z", Trial::Doubled, "1");
    let [both] = &found.together[..] else {
        panic!("one pair: {:?}", found.together);
    };
    assert_eq!(
        (both.share.clone(), both.change.is_none()),
        (Some([ratio("2"), ratio("2")]), true)
    );
    assert_eq!((found.pairs, found.triples), (1, 0));
}

/// Changes that the caller gives. Without a path the throughput is 0.
#[test]
fn changes_of_the_caller_have_a_row() {
    let question = row_of_links("1");
    let base = base(&question);
    for (change, status, share, throughput) in [
        ("x -> y: bandwidth x2", ChangeStatus::Optimal, "1", "1"),
        ("* -> *: bandwidth x2", ChangeStatus::Optimal, "2", "2"),
        ("y -> z: remove", ChangeStatus::Infeasible, "0", "0"),
    ] {
        let changes = vec![change.to_string()];
        let asked = Question {
            changes,
            ..question.clone()
        }
        .asked(&|_| {})
        .unwrap();
        let (row, answer) =
            changed(&base, change.to_string(), &asked, &Options::default()).unwrap();
        assert_eq!(
            (row.status, answer.is_some()),
            (status, share != "0"),
            "{row:?}"
        );
        assert_eq!(row.share, Some([ratio(share), ratio(share)]), "{row:?}");
        let keys: Value = row.json(|_| String::new());
        assert_eq!(
            (&keys["name"], &keys["throughput"]),
            (&json!(change), &json!(throughput))
        );
        assert_eq!(keys.get("bottleneck").is_some(), answer.is_some(), "{keys}");
    }
}
