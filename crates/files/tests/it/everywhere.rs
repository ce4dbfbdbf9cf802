//! `oneport-broadcast/1` and `oneport-all-reduce/1`: written files are read back, and faults are refused at their
//! locations.

use oneport_files::{
    one_all_reduce_from_json, one_all_reduce_to_json, single_broadcast_from_json,
    single_broadcast_to_json,
};
use oneport_plan::{
    Broadcast, Concurrency, Dates, Proof, Reduction, SingleAllReduce, SingleBroadcast, SingleCosts,
};
use oneport_testkit::ratio;

fn halves(ticks: &[u64]) -> Dates {
    Dates::Ticks {
        unit: ratio(1, 2),
        ticks: ticks.to_vec(),
    }
}

/// 1 sends to 0 and then to 2. Transfers take 2, preparations 3/2.
fn equal() -> SingleBroadcast {
    SingleBroadcast {
        broadcast: Broadcast {
            costs: SingleCosts::Equal {
                transfer: ratio(2, 1),
                compute: ratio(3, 2),
            },
            root: 1,
            senders: vec![1, 1, 1],
            starts: halves(&[3, 0, 7]),
            preparations: Some(halves(&[0, 0, 3])),
            length: ratio(11, 2),
        },
        limit: Concurrency::Transfers(2),
        lower_bound: ratio(11, 2),
        proof: Some(Proof::Counting),
    }
}

fn per_sender() -> SingleBroadcast {
    SingleBroadcast {
        broadcast: Broadcast {
            costs: SingleCosts::PerSender([1, 2, 3].map(|time| ratio(time, 3)).to_vec()),
            root: 0,
            senders: vec![0, 0, 1],
            starts: Dates::Exact([0, 0, 1].map(|date| ratio(date, 3)).to_vec()),
            preparations: None,
            length: ratio(1, 1),
        },
        limit: Concurrency::Unlimited,
        lower_bound: ratio(2, 3),
        proof: None,
    }
}

fn all_reduce() -> SingleAllReduce {
    let broadcast = per_sender().broadcast;
    SingleAllReduce {
        reduction: Reduction {
            costs: broadcast.costs.clone(),
            root: 0,
            receivers: vec![0, 0, 0],
            starts: Dates::Exact([0, 3, 0].map(|date| ratio(date, 3)).to_vec()),
            merges: None,
            ready: None,
            length: ratio(5, 3),
        },
        broadcast,
        lower_bound: ratio(5, 3),
        proof: Some((0, Proof::Exhaustion { states: 7 })),
    }
}

#[test]
fn what_is_written_is_read_back() {
    for one in [equal(), per_sender()] {
        let text = single_broadcast_to_json(&one);
        assert_eq!(
            single_broadcast_from_json("one", text.as_bytes()),
            Ok(one),
            "{text}"
        );
    }
    let spread = SingleAllReduce {
        proof: None,
        ..all_reduce()
    };
    for all in [all_reduce(), spread] {
        let text = one_all_reduce_to_json(&all);
        assert_eq!(
            one_all_reduce_from_json("all", text.as_bytes()),
            Ok(all),
            "{text}"
        );
    }
}

#[test]
fn what_is_wrong_is_refused_at_its_location() {
    let refused = |text: &str, change: (&str, &str)| {
        assert!(text.contains(change.0), "{text}");
        let text = text.replacen(change.0, change.1, 1);
        if text.contains("oneport-all-reduce/1") {
            one_all_reduce_from_json("f.json", text.as_bytes())
                .unwrap_err()
                .to_string()
        } else {
            single_broadcast_from_json("f.json", text.as_bytes())
                .unwrap_err()
                .to_string()
        }
    };
    let [one, own, all] = [
        single_broadcast_to_json(&equal()),
        single_broadcast_to_json(&per_sender()),
        one_all_reduce_to_json(&all_reduce()),
    ];
    for (text, change, words) in [
        (
            &one,
            ("broadcast/1", "broadcast/2"),
            &["oneport-broadcast/2", "oneport-broadcast/1"][..],
        ),
        (
            &one,
            ("[1, null, 1]", "[1, 1, 1]"),
            &["senders", "null", "processor 1", "receives nothing"],
        ),
        (
            &one,
            ("[1, null, 1]", "[1, null, null]"),
            &["the sender of processor 2"],
        ),
        (&one, ("[1, null, 1]", "[1, null, 3]"), &["senders", "3"]),
        (
            &one,
            ("[1, null, 1]", "[]"),
            &["senders", "at least one processor"],
        ),
        (
            &one,
            ("[3, null, 7]", "[3, null]"),
            &["starts", "3 entries"],
        ),
        (&one, ("\"preparations\"", "\"prepared\""), &["prepared"]),
        (&one, ("\"root\": 1", "\"root\": 3"), &["root", "3"]),
        (
            &own,
            ("\"feasible\"", "\"optimal\""),
            &["status", "\"feasible\""],
        ),
        (
            &own,
            ("\"feasible\"", "\"best\""),
            &["status", "\"optimal\" or \"feasible\""],
        ),
        (&own, ("\"lower_bound\"", "\"bound\""), &["bound"]),
        (
            &own,
            ("\"starts\"", "\"preparations\": [], \"starts\""),
            &["preparations", "part of the transfer"],
        ),
        (
            &all,
            ("\"length\": \"8/3\"", "\"length\": \"3\""),
            &["length", "8/3", "together"],
        ),
        (&all, ("\"proof_into\": 0,", ""), &["proof_into"]),
        (
            &all,
            ("\"proof_into\": 0", "\"proof_into\": 3"),
            &["proof_into", "3"],
        ),
        (
            &all,
            ("\"senders\": [null, 0, 1]", "\"senders\": [null, 0]"),
            &["senders", "3 entries"],
        ),
        (
            &all,
            (
                "\"broadcast_starts\": [null",
                "\"broadcast_starts\": [\"0\"",
            ),
            &["broadcast_starts", "receives nothing"],
        ),
    ] {
        let told = refused(text, change);
        for word in words {
            assert!(told.contains(word), "{change:?}: {told}");
        }
    }
}
