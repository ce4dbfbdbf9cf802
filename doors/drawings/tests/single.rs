//! Single reductions as JSON, Graphviz and drawings.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use oneport_drawings::{dot, svg};
use oneport_files::{broadcast_to_json, reduction_to_json};
use oneport_plan::{Broadcast, Dates, Reduction, SingleCosts, Window};
use oneport_platform::{Rational, whole};

/// Figure 1 of RR-7898: 3 sends to 2 and 1 to 0 at once, 2 sends to 0 at 2. d = c = 1.
fn figure_1() -> Reduction {
    Reduction {
        costs: SingleCosts::Equal {
            transfer: whole(1),
            compute: whole(1),
        },
        root: 0,
        receivers: vec![0, 0, 0, 2],
        starts: Dates::Ticks {
            unit: whole(1),
            ticks: vec![0, 0, 2, 0],
        },
        merges: Some(Dates::Ticks {
            unit: whole(1),
            ticks: vec![0, 1, 3, 1],
        }),
        ready: None,
        length: whole(4),
    }
}

/// Processor 1 is the destination. 0 and 2 send to it.
fn unequal() -> Reduction {
    Reduction {
        costs: SingleCosts::PerSender(vec![whole(2), whole(0), Rational::new(1.into(), 2.into())]),
        root: 1,
        receivers: vec![1, 1, 1],
        starts: Dates::Exact(vec![whole(0), whole(0), whole(2)]),
        merges: None,
        ready: None,
        length: Rational::new(5.into(), 2.into()),
    }
}

/// A chain of `n` processors.
fn chain(n: u32) -> Reduction {
    let receivers = (0..n).map(|i| i.saturating_sub(1)).collect();
    let ticks: Vec<u64> = (0..u64::from(n)).map(|i| u64::from(n) - 1 - i).collect();
    let length = whole(i64::from(n) - 1);
    let costs = SingleCosts::PerSender(vec![whole(1); n as usize]);
    let starts = Dates::Ticks {
        unit: whole(1),
        ticks,
    };
    Reduction {
        costs,
        root: 0,
        receivers,
        starts,
        merges: None,
        ready: None,
        length,
    }
}

#[test]
fn transfers_are_listed_by_processor() {
    let rows: serde_json::Value = serde_json::from_str(&reduction_to_json(&figure_1())).unwrap();
    let last = serde_json::json!({"processor": 3, "receiver": 2, "start": "0", "merge": "1"});
    assert_eq!((rows.as_array().unwrap().len(), &rows[2]), (3, &last));
    let rows: serde_json::Value = serde_json::from_str(&reduction_to_json(&unequal())).unwrap();
    assert_eq!(
        rows[1],
        serde_json::json!({"processor": 2, "receiver": 1, "start": "2"})
    );
    let dot = dot::single_tree(&unequal());
    assert!(
        dot.contains("2 -> 1 [label=\"2\"]") && dot.contains("1 [peripheries=2]"),
        "{dot}"
    );
}

#[test]
#[ignore = "needs program dot"]
fn graphviz_draws_what_is_written_for_it() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("once.dot");
    for text in [dot::single_tree(&unequal()), dot::single_tree(&figure_1())] {
        std::fs::write(&path, &text).unwrap();
        let output = std::process::Command::new("dot")
            .arg("-Tplain")
            .arg(&path)
            .output()
            .unwrap();
        let plain = String::from_utf8(output.stdout).unwrap();
        let count = |word: &str| plain.lines().filter(|line| line.starts_with(word)).count();
        assert!(
            output.status.success()
                && count("edge ") > 0
                && count("edge ") == text.matches("->").count(),
            "{text}"
        );
    }
}

#[test]
fn every_transfer_is_drawn_at_both_ends() {
    let drawing = svg::reduction_gantt(&figure_1());
    // Two boxes per transfer, one per merge.
    assert_eq!(drawing.matches("class=\"box\"").count(), 3 * 2 + 3);
    assert!(drawing.contains("0 merges what 2 sent, 3 to 4"));
    assert_eq!(
        svg::reduction_gantt(&unequal())
            .matches("class=\"box\"")
            .count(),
        2 * 2
    );
    let tree = svg::single_tree(&figure_1());
    assert_eq!(
        (
            tree.matches("<circle").count(),
            tree.matches("class=\"edge\"").count()
        ),
        (4, 3)
    );
}

#[test]
fn long_chains_are_cut_and_it_is_said() {
    let long = chain(50_000);
    for drawing in [svg::reduction_gantt(&long), svg::single_tree(&long)] {
        assert!(drawing.contains("49800 more"), "not said");
        assert!(drawing.len() < 1_000_000, "{} bytes", drawing.len());
    }
}

#[test]
fn schedules_that_make_no_sense_are_drawn_as_far_as_they_go() {
    let mut wild = figure_1();
    wild.receivers = vec![7, 1, 9];
    wild.starts = Dates::Exact(vec![]);
    wild.root = 12;
    wild.merges = None;
    let none = Reduction {
        receivers: vec![],
        ..wild.clone()
    };
    for reduction in [wild, none] {
        for drawing in [
            svg::reduction_gantt(&reduction),
            svg::single_tree(&reduction),
        ] {
            assert!(drawing.ends_with("</svg>\n"));
        }
        reduction_to_json(&reduction);
        dot::single_tree(&reduction);
    }
}

#[test]
fn broadcasts_are_listed_and_drawn() {
    let broadcast = Broadcast {
        costs: SingleCosts::Equal {
            transfer: whole(2),
            compute: whole(1),
        },
        root: 0,
        senders: vec![0, 0, 1],
        starts: Dates::Exact(vec![whole(0), whole(1), whole(4)]),
        preparations: Some(Dates::Exact(vec![whole(0), whole(0), whole(3)])),
        length: whole(6),
    };
    let rows: serde_json::Value = serde_json::from_str(&broadcast_to_json(&broadcast)).unwrap();
    assert_eq!(
        rows[1],
        serde_json::json!({"processor": 2, "sender": 1, "start": "4", "preparation": "3"})
    );
    assert_eq!(
        svg::broadcast_gantt(&broadcast)
            .matches("class=\"box\"")
            .count(),
        2 * 2 + 2
    );
}

/// Two senders wait for one another at the destination. Windows with invalid indices are left out.
#[test]
fn windows_are_drawn() {
    let window = |sender, receiver, time, waits_for| Window {
        sender,
        receiver,
        time: whole(time),
        waits_for,
    };
    let windows = vec![
        window(2, 0, 3, [Some(1), Some(2)]),
        window(3, 2, 5, [None, None]),
        window(1, 0, 4, [None, None]),
    ];
    let drawing = svg::windows(&windows);
    assert_eq!(
        (
            drawing.matches("<circle").count(),
            drawing.matches("<line").count()
        ),
        (3, 2)
    );
    assert!(drawing.contains("2 to 0, 3") && drawing.ends_with("</svg>\n"));
    let text = dot::windows(&windows);
    assert!(
        text.contains("0 [label=\"3\", xlabel=\"2 to 0\"];")
            && text.contains("0 -> 1;")
            && text.contains("0 -> 2;")
    );
    let wild = vec![
        window(2, 9, 3, [Some(0), Some(77)]),
        window(3, 2, 5, [Some(0), None]),
    ];
    for windows in [wild, Vec::new()] {
        assert!(svg::windows(&windows).ends_with("</svg>\n"));
        dot::windows(&windows);
    }
    let long = (0..5000)
        .map(|at| window(at, at + 1, 1, [Some(at as usize + 1), None]))
        .collect::<Vec<_>>();
    assert!(svg::windows(&long).contains("4800 more are not shown"));
}
