//! Amounts on one line and in separate files.

use std::path::Path;

use oneport_files::{AmountError, MAX_AMOUNT_BYTES, Mistake, parse_amount, read_amount, read_work};
use oneport_plan::{Amount, Interval, MergeTask};
use oneport_platform::{Node, NodeId, Platform, Rational};
use oneport_testkit::number;
use proptest::prelude::*;

fn affine(fixed: &str, per_operand: &str) -> Amount {
    Amount::Affine {
        fixed: number(fixed),
        per_operand: number(per_operand),
    }
}

#[test]
fn amounts_mean_exactly_what_they_say() {
    for (text, amount) in [
        ("3/2", Amount::Constant(number("3/2"))),
        (" 0.1 ", Amount::Constant(number("1/10"))),
        ("1e+3", Amount::Constant(number("1000"))),
        ("1+1/2n", affine("1", "1/2")),
        (" 1 + 1/2 n ", affine("1", "1/2")),
        ("3/4n", affine("0", "3/4")),
        ("2+n", affine("2", "1")),
        ("n", affine("0", "1")),
        ("+n", affine("0", "1")),
        ("5-n", affine("5", "-1")),
        ("-1/3 - 1/2 n", affine("-1/3", "-1/2")),
        ("1e-3+2.5e-2n", affine("1/1000", "1/40")),
        ("1E+3n", affine("0", "1000")),
        ("0.5 / 1.5 + 1/-2 n", affine("1/3", "-1/2")),
    ] {
        assert_eq!(parse_amount(text), Ok(amount), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The sum written out is the amount of every partial result.
    #[test]
    fn sums_are_evaluated(a in -99..99_i64, b in 1..99_i64, c in -99..99_i64, d in 1..99_i64, count in 1..50_usize) {
        let sign = if c < 0 { "-" } else { "+" };
        let amount = parse_amount(&format!("{a}/{b} {sign} {}/{d}n", c.abs())).expect("an amount");
        let ratio = |p: i64, q: i64| Rational::new(p.into(), q.into());
        let part = Interval { first: 3, last: 2 + count };
        prop_assert_eq!(amount.of(part), Some(ratio(a, b) + ratio(c, d) * ratio(count as i64, 1)));
    }

    #[test]
    fn no_text_is_a_panic(text in "[0-9n+./eE ()*x-]{0,12}|\\PC{0,8}n?") {
        let _ = parse_amount(&text);
    }
}

#[test]
fn anything_else_is_refused_by_name() {
    for text in [
        "",
        "one",
        "1+",
        "n+1",
        "1/0",
        "1 2",
        "m",
        "2n+1",
        "--n",
        "inf",
        &"9".repeat(2000),
    ] {
        let error = parse_amount(text).expect_err(text);
        assert!(matches!(error, AmountError::Fixed(_)), "{error}");
        assert!(error.to_string().contains("1+1/2n"), "{error}");
    }
    for text in ["nn", "1+xn", "1+1/0n", "1+2 3n", "2*n"] {
        let error = parse_amount(text).expect_err(text);
        assert!(
            matches!(error, AmountError::PerOperand(_)),
            "{text}: {error}"
        );
        assert!(error.to_string().contains("before 'n'"), "{error}");
    }
    let error = parse_amount("1++n").expect_err("two signs");
    assert!(error.to_string().contains("'1+'"), "{error}");
}

fn read(folder: &Path, content: impl AsRef<[u8]>) -> Result<Amount, String> {
    let path = folder.join("amount.json");
    std::fs::write(&path, content).expect("written");
    let answer = read_amount(&path).map_err(|error| error.to_string());
    if let Err(message) = &answer {
        assert!(
            message.contains("amount.json") && !message.contains('\n') && message.len() < 700,
            "{message}"
        );
    }
    answer
}

#[test]
fn amount_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, amount) in [
        ("3/2\n", Amount::Constant(number("3/2"))),
        ("\n  7", Amount::Constant(number("7"))),
        ("1 + 1/2 n\n", affine("1", "1/2")),
        ("\"3/2\"", Amount::Constant(number("3/2"))),
        (
            "\u{feff}{\"fixed\": 1, \"per_operand\": \"1/2\"}\n",
            affine("1", "1/2"),
        ),
        ("[[\"1\", 2, 0.1],\n [\"1/3\", 4],\n [5]]", {
            let row = |texts: &[&str]| texts.iter().map(|text| number(text)).collect::<Vec<_>>();
            Amount::Table(vec![
                row(&["1", "2", "1/10"]),
                row(&["1/3", "4"]),
                row(&["5"]),
            ])
        }),
        ("[]", Amount::Table(vec![])),
    ] {
        assert_eq!(read(folder.path(), text), Ok(amount), "{text}");
    }
    for (text, parts) in [
        ("", &["is empty", "an amount"][..]),
        ("one", &["amount.json:1", "'one'", "1+1/2n"]),
        ("\n\n1+xn", &["amount.json:3", "'x'", "before 'n'"]),
        ("1\n2", &["amount.json:1", "1+1/2n"]),
        ("{", &["JSON", "cut off"]),
        ("{}", &["'fixed' is missing"]),
        ("[[1,\n\"x\"]]", &["amount.json:2: [0][1]", "'x'"]),
        ("[1]", &["[0]", "a row of a table"]),
        ("[[true]]", &["[0][0]", "true", "a number"]),
        ("\"1+1/2n\"", &["'1+1/2n'", "not a number"]),
    ] {
        let message = read(folder.path(), text).expect_err(text);
        for part in parts {
            assert!(message.contains(part), "says '{part}': {message}");
        }
    }
    for content in [
        "[[".repeat(2_000_000),
        format!("[[{}1]]", "1,".repeat(4_000_000)),
        "n".repeat(1 << 24),
    ] {
        assert!(read(folder.path(), content).is_err());
    }
    assert!(
        read(folder.path(), b"\xFF\xFE1\0")
            .expect_err("UTF-16")
            .contains("UTF-8")
    );
    let large = folder.path().join("large");
    std::fs::File::create(&large)
        .and_then(|file| file.set_len(1 << 40))
        .expect("a sparse file");
    let error = read_amount(&large).expect_err("too large");
    assert_eq!(
        *error.mistake,
        Mistake::TooLarge {
            limit: MAX_AMOUNT_BYTES
        }
    );
    assert_eq!(
        *read_amount(folder.path()).expect_err("a folder").mistake,
        Mistake::Directory
    );
}

fn site() -> Platform {
    let mut builder = Platform::builder();
    for node in [
        Node::processor("P0", number("1/2")),
        Node::processor("a \"b\"", number("1")),
        Node::router("hub"),
    ] {
        builder.node(node).expect("a node");
    }
    builder.build().expect("a platform")
}

fn read_table(folder: &Path, content: &str) -> Result<Amount, String> {
    let path = folder.join("work.json");
    std::fs::write(&path, content).expect("written");
    read_work(&path, &site()).map_err(|error| error.to_string())
}

#[test]
fn work_by_task_and_processor() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"[{"task": [0, 0, 1], "work": "3"},
        {"task": [0, "0", 1], "node": "P0", "time": "1/4"}, {"task": [0, 0, 1], "node": "a \"b\"", "work": null},
        {"task": [2, 3, 9], "node": "P0", "work": 0}]"#;
    let Ok(Amount::Tasks(table)) = read_table(folder.path(), text) else {
        panic!("a table")
    };
    let (short, long) = (
        MergeTask::new(Interval { first: 0, last: 1 }, 0),
        MergeTask::new(Interval { first: 2, last: 9 }, 3),
    );
    let node = NodeId::new;
    assert_eq!(table.everywhere, [(short, number("3"))].into());
    // A time of 1/4 at compute 1/2 is work 1/2.
    let at = [
        ((short, node(0)), Some(number("1/2"))),
        ((short, node(1)), None),
        ((long, node(0)), Some(number("0"))),
    ];
    assert_eq!(table.at, at.into());
    assert_eq!(table.of(node(0), short), Some(&number("1/2")));
    assert_eq!(
        (table.of(node(1), short), table.of(node(1), long)),
        (None, None)
    );
    // A text that is not a list of entries is an ordinary amount.
    assert_eq!(read_table(folder.path(), "1+1/2n"), Ok(affine("1", "1/2")));
    assert_eq!(
        read_table(folder.path(), "[[1, 2], [3]]").map(|amount| amount.constant().cloned()),
        Ok(None)
    );
}

#[test]
fn entries_that_mean_nothing_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for (entry, parts) in [
        (r#"{"work": 1}"#, &["[0]", "'task' is missing"][..]),
        (
            r#"{"task": [0, 0, 1]}"#,
            &["[0]", "either \"work\" or \"time\""],
        ),
        (
            r#"{"task": [0, 0, 1], "node": "P0", "work": 1, "time": 1}"#,
            &["either \"work\" or \"time\""],
        ),
        (
            r#"{"task": [0, 1], "work": 1}"#,
            &["[0].task", "[k, l, m] with k <= l < m"],
        ),
        (
            r#"{"task": [1, 0, 2], "work": 1}"#,
            &["[0].task", "[k, l, m] with k <= l < m"],
        ),
        (
            r#"{"task": [0, 1, 1], "work": 1}"#,
            &["[0].task", "[k, l, m] with k <= l < m"],
        ),
        (
            r#"{"task": [0, -1, 1], "work": 1}"#,
            &["[0].task[1]", "a whole number"],
        ),
        (
            r#"{"task": [0, 0, 1], "node": "P9", "work": 1}"#,
            &["[0].node", "'P9'"],
        ),
        (
            r#"{"task": [0, 0, 1], "node": "hub", "work": 1}"#,
            &["[0].node", "routers merge nothing"],
        ),
        (r#"{"task": [0, 0, 1], "time": 1}"#, &["[0]", "of one node"]),
        (
            r#"{"task": [0, 0, 1], "work": null}"#,
            &["[0]", "of one node"],
        ),
        (
            r#"{"task": [0, 0, 1], "work": "fast"}"#,
            &["[0].work", "'fast'"],
        ),
        (r#"{"task": [0, 0, 1], "work": 1, "speed": 1}"#, &["speed"]),
        (
            r#"{"task": [0, 0, 1], "work": 1}, {"task": [0, 0, 1], "work": 2}"#,
            &["[1]", "one entry for T[0,0,1]"],
        ),
        (
            r#"{"task": [0, 0, 1], "node": "P0", "work": 1}, {"task": [0, 0, 1], "node": "P0", "time": 1}"#,
            &["[1]", "one entry for T[0,0,1] at 'P0'"],
        ),
        (
            r#"{"task": [0, 0, 1], "work": 1}, [1]"#,
            &["[1]", "an object"],
        ),
    ] {
        let message = read_table(folder.path(), &format!("[{entry}]")).expect_err(entry);
        for part in parts {
            assert!(message.contains(part), "{entry} says '{part}': {message}");
        }
    }
}
