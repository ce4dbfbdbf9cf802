//! The bound of a collective as values.

use oneport::{Options, parse_rational};
use oneport_questions::bound::{BoundResult, bounded, collective, problem};
use oneport_questions::{Question, forms};
use serde_json::json;

/// x sends to y and y to z, whose link carries half as much: no broadcast exceeds 1/2, and one attains it.
#[test]
fn the_slowest_link_of_a_row_bounds_a_broadcast() {
    let link = |from: &str, to: &str, cost: &str| json!({ "from": from, "to": to, "cost": cost });
    let node = |name: &str| json!({ "name": name, "compute": "1" });
    let question = json!({
        "platform": {
            "format": "oneport-platform/1",
            "node": [node("x"), node("y"), node("z")],
            "link": [link("x", "y", "1"), link("y", "z", "2")],
        },
        "collective": "broadcast",
        "source": "x",
    });
    let question = Question::read_json(&question.to_string()).unwrap();
    let platform = question.read_platform(&|_| {}).unwrap();
    let nodes: Vec<_> = platform.node_ids().collect();
    let form = forms().find(|form| form.name == "broadcast").unwrap();
    let own = problem(&platform, collective(form, &nodes, None).unwrap()).unwrap();
    let BoundResult::Bounded(found) = bounded(&own, &nodes, &Options::default()).unwrap() else {
        panic!("the platform is small");
    };
    let half = parse_rational("1/2").unwrap();
    assert_eq!(
        (&found.bound, found.known.as_ref(), found.status),
        (&half, Some(&half), "attained")
    );
    let keys = json!(found);
    assert_eq!(
        (&keys["bound"], &keys["gap"], &keys["collective"]),
        (&json!("1/2"), &json!("0"), &json!("broadcast"))
    );
    if let Some(cut) = &found.cut {
        assert_eq!(&cut.capacity / &cut.messages, half, "{cut:?}");
        assert!(cut.outside.contains(&"z".to_string()) && cut.inside.contains(&"x".to_string()));
    }
    // In the other direction nothing arrives.
    let back = collective(form, &nodes, Some(nodes[2])).unwrap();
    assert!(problem(&platform, back).is_err());
}
