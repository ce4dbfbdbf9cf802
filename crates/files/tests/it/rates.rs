//! Files of rates: refusals and their locations.

use oneport_files::{RatesFile, rates_from_json};
use oneport_plan::{DemandRates, Value};
use oneport_platform::{Node, Platform};
use oneport_testkit::number;

/// a, b, c in a triangle of links of cost 1/4, computes of 1/2.
fn complete() -> Platform {
    let mut builder = Platform::builder();
    let nodes =
        ["a", "b", "c"].map(|name| builder.node(Node::processor(name, number("1/2"))).unwrap());
    for from in 0..3 {
        for to in 0..3 {
            if from != to {
                builder.link(nodes[from], nodes[to], number("1/4")).unwrap();
            }
        }
    }
    builder.build().unwrap()
}

/// A reduction to a: b's and c's values are merged at b in half of the cases, at a in the others.
const REDUCE: &str = r#"{
  "format": "oneport-rates/1",
  "collective": {"name": "reduce", "target": "a", "participants": ["a", "b", "c"], "commutative": false},
  "size": "1", "work": "1", "throughput": "3", "per": "6",
  "sends": [
    {"demand": 0, "from": "c", "to": "b", "value": [2,2], "rate": "3"},
    {"demand": 0, "from": "b", "to": "a", "value": [1,2], "rate": 3}
  ],
  "cons": [
    {"node": "b", "task": [1,1,2], "rate": "3"},
    {"node": "a", "task": [0,0,2], "rate": "3"}
  ],
  "busy": [
    {"from": "c", "to": "b", "s": "3/4", "price": "1"},
    {"from": "b", "to": "a", "s": "3/4"},
    {"from": "a", "to": "b", "price": "1"}],
  "alpha": [{"node": "b", "alpha": "3/2"}, {"node": "a", "alpha": "3/2"}],
  "prices": [{"resource": "receive", "node": "b", "price": "1"}]
}"#;

const GATHER: &str = r#"{
  "format": "oneport-rates/1",
  "collective": {"name": "all-gather", "participants": ["a", "b", "c"]},
  "size": "1", "throughput": "1",
  "copies": [
    {"demand": 0, "from": "a", "to": "b", "rate": "1", "towards": {"b": "1", "c": "1"}},
    {"demand": 0, "from": "b", "to": "c", "rate": "1", "towards": {"c": "1"}},
    {"demand": 1, "from": "b", "to": "c", "rate": "1"},
    {"demand": 1, "from": "c", "to": "a", "rate": "1"},
    {"demand": 2, "from": "c", "to": "a", "rate": "1"},
    {"demand": 2, "from": "a", "to": "b", "rate": "1"}
  ]
}"#;

fn read(text: &str) -> Result<RatesFile, String> {
    rates_from_json("r.json", text.as_bytes(), &complete()).map_err(|error| error.to_string())
}

#[test]
fn rates_are_per_unit_of_time() {
    let file = read(REDUCE).unwrap();
    assert_eq!(file.rates.throughput, number("1/2"));
    let [DemandRates::Combine(rates)] = &file.rates.demands[..] else {
        panic!("a reduction")
    };
    assert!(
        rates
            .sends
            .values()
            .chain(rates.merges.values())
            .all(|rate| *rate == number("1/2"))
    );
    assert_eq!(
        rates.merges.keys().next().unwrap().2,
        Value::from(oneport_plan::Interval { first: 1, last: 2 })
    );
    assert_eq!(file.certificate.rows.len(), 1);
    assert!(read(GATHER).is_ok());
    // Without their demands, only the sum of the copies is given.
    let together: Vec<String> = [("a", "b", 2), ("b", "c", 2), ("c", "a", 2)]
        .map(|(from, to, rate)| format!(r#"{{"from": "{from}", "to": "{to}", "rate": {rate}}}"#))
        .to_vec();
    let text = format!(
        "{}\"copies\": [{}]}}",
        GATHER.split("\"copies\"").next().unwrap(),
        together.join(",")
    );
    let file = read(&text).unwrap();
    assert_eq!(
        (file.rates.together.len(), file.rates.demands.len()),
        (3, 3)
    );
}

/// A change of the file, and the text of its refusal.
#[track_caller]
fn refused(file: &str, from: &str, to: &str, said: &str) {
    assert!(file.contains(from), "{from}");
    let error = read(&file.replacen(from, to, 1)).unwrap_err();
    assert!(
        error.starts_with("r.json") && error.contains(said),
        "{error}"
    );
}

/// A list of derived values is complete or absent: its missing entries are named, with their values.
#[test]
fn derived_lists_are_complete_or_absent() {
    let change = |from: &str, to: &str, said: &str| refused(REDUCE, from, to, said);
    let leave = "add it, or leave the whole list out";
    change(
        ",\n    {\"from\": \"b\", \"to\": \"a\", \"s\": \"3/4\"}",
        "",
        &format!("busy: has no s of link 'b -> a', which the rates give as 1/8; {leave}"),
    );
    change(
        ",\n    {\"from\": \"a\", \"to\": \"b\", \"price\": \"1\"}",
        "",
        &format!(
            "busy: has no price of link 'a -> b', which the prices of resources give as 1; {leave}"
        ),
    );
    change(
        "\"s\": \"3/4\", \"price\"",
        "\"price\"",
        &format!("busy: has no s of link 'c -> b', which the rates give as 1/8; {leave}"),
    );
    change(
        ", {\"node\": \"a\", \"alpha\": \"3/2\"}",
        "",
        &format!("alpha: has no alpha of 'a', which the rates give as 1/4; {leave}"),
    );
    change(
        "\"from\": \"a\", \"to\": \"b\", \"price\"",
        "\"from\": \"c\", \"to\": \"b\", \"price\"",
        "busy[2]: lists the link a second time",
    );
    change(
        "{\"node\": \"a\", \"alpha\"",
        "{\"node\": \"b\", \"alpha\"",
        "alpha[1]: lists the node a second time",
    );
    let between = |from: &str, to: &str| {
        let (start, rest) = REDUCE.split_once(from).expect("a key");
        (
            start.to_string(),
            rest.split_once(to).expect("a later key").1.to_string(),
        )
    };
    let whole = read(REDUCE).unwrap();
    // Without a list the values are open, an empty one means that all are 0. Prices alone leave s open.
    let (start, rest) = between("\"busy\": [", "],");
    assert_eq!(read(&format!("{start}{rest}")).as_ref(), Ok(&whole));
    let empty = read(&format!("{start}\"busy\": [],{rest}")).unwrap_err();
    assert!(empty.contains("busy: has no s of link"), "{empty}");
    let prices = ["a", "c"]
        .map(|from| format!(r#"{{"from": "{from}", "to": "b", "price": "1"}}"#))
        .join(", ");
    assert_eq!(
        read(&format!("{start}\"busy\": [{prices}],{rest}")).as_ref(),
        Ok(&whole)
    );
    let (start, rest) = between("\"alpha\": [", "],");
    assert_eq!(read(&format!("{start}{rest}")).as_ref(), Ok(&whole));
    // Prices that are not listed are 0.
    let (start, rest) = between("\"prices\": [", "]");
    let free = format!("{start}\"prices\": []{rest}")
        .replace(", \"price\": \"1\"", "")
        .replace("\"price\": \"1\"", "\"s\": \"0\"");
    assert!(read(&free).unwrap().certificate.rows.is_empty());
}

#[test]
fn hostile_files_are_refused_by_location() {
    let change = |from: &str, to: &str, said: &str| refused(REDUCE, from, to, said);
    change(
        "oneport-rates/1",
        "oneport-rates/2",
        "write \"oneport-rates/1\"",
    );
    change(
        "\"per\": \"6\"",
        "\"per\": \"0\"",
        "per: \"0\" is not a positive length of time",
    );
    change("\"per\": \"6\"", "\"pre\": \"6\"", "unknown key 'pre'");
    change("\"throughput\": \"3\", ", "", "'throughput' is missing");
    change(
        "\"throughput\": \"3\"",
        "\"throughput\": \"-3\"",
        "throughput: \"-3\" is not a rate; a rate is 0 or more",
    );
    change(
        "\"rate\": 3",
        "\"rate\": 3.0",
        "sends[1].rate: 3.0 is not exact; write a fraction as a string",
    );
    change("\"rate\": 3", "\"rate\": 3e0", "is not exact");
    change("\"rate\": 3", "\"rate\": \"1/0\"", "sends[1].rate");
    change(
        "\"from\": \"c\"",
        "\"from\": \"d\"",
        "sends[0].from: no node is named 'd'",
    );
    change(
        "\"to\": \"b\"",
        "\"to\": \"c\"",
        "sends[0].to: \"c\" is not joined to 'c' by a link",
    );
    change("[2,2]", "[2,3]", "operand 3 does not exist; there are 3");
    change(
        "[2,2]",
        "[2,1]",
        "is not a partial result [k,m] with k <= m",
    );
    change("[2,2]", "[2]", "is not a partial result, [k,m]");
    change(
        "\"value\": [2,2]",
        "\"operands\": [0,2]",
        "consecutive operands; the operator is not commutative",
    );
    change("\"value\": [2,2]", "\"operands\": [2,2]", "list each once");
    change("\"value\": [2,2], ", "", "'value' is missing");
    change(
        "\"value\": [2,2]",
        "\"value\": [2,2], \"operands\": [2]",
        "both 'value' and 'operands'",
    );
    change(
        "[1,1,2]",
        "[1,2,2]",
        "is not a merge [k,l,m] with k <= l < m",
    );
    change("[1,1,2]", "[1,2]", "is not a merge, [k,l,m]");
    change(
        "\"task\": [1,1,2]",
        "\"left\": [1,2], \"right\": [2]",
        "inputs share an operand",
    );
    change(
        "\"demand\": 0",
        "\"demand\": 1",
        "demand 1 does not exist; there are 1",
    );
    change(
        "\"node\": \"a\", \"task\": [0,0,2]",
        "\"node\": \"b\", \"task\": [1,1,2]",
        "is given a second time",
    );
    change(
        "\"s\": \"3/4\"",
        "\"s\": \"1/2\"",
        "busy[0].s: is 1/12, but the rates give 1/8; correct it or leave it out",
    );
    change(
        "\"price\": \"1\"}],\n  \"alpha\"",
        "\"price\": \"2\"}],\n  \"alpha\"",
        "is 2, but the prices of resources give 1",
    );
    change(
        "\"alpha\": \"3/2\"",
        "\"alpha\": \"1\"",
        "alpha[0].alpha: is 1/6, but the rates give 1/4",
    );
    change(
        "\"name\": \"reduce\"",
        "\"name\": \"all-reduce\"",
        "unknown key",
    );
    let all = |change: &str| refused(GATHER, "{\"demand\": 0, \"from\": \"a\"", change, "");
    all("{\"from\": \"a\"");
    refused(
        GATHER,
        "\"b\": \"1\", \"c\": \"1\"",
        "\"b\": \"2\"",
        "no more can be on its way to a target than copies are sent",
    );
    refused(
        GATHER,
        "\"b\": \"1\", \"c\": \"1\"",
        "\"b\": \"1\"",
        "the flow towards 'c' gains -1 at 'b'",
    );
    refused(GATHER, "\"b\": \"1\", \"c\": \"1\"", "\"a\": \"1\"", "");
    refused(GATHER, "\"copies\"", "\"sends\"", "");
    assert!(
        read("")
            .unwrap_err()
            .contains("is empty; a file of rates is expected")
    );
    assert!(read("{").unwrap_err().contains("not valid JSON"));
    let all_reduce = r#"{"format": "oneport-rates/1", "size": "1", "work": "1", "throughput": "1",
        "collective": {"name": "all-reduce", "participants": ["a", "b"], "commutative": true}}"#;
    assert!(
        read(all_reduce)
            .unwrap_err()
            .contains("all-reduce: rates of transfers and merges do not say")
    );
}
