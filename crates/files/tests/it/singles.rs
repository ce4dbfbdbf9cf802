//! `oneport-reduction/1`: written files are read back, and faults are refused at their locations.

use oneport_files::{
    AnswerFile, read_answer, receivers_from_json, single_reduction_from_json,
    single_reduction_to_json, starts_from_json,
};
use oneport_plan::{
    Concurrency, Dates, Proof, Reduction, SenderWeights, SingleCosts, SingleReduction, SlotPrices,
    Status,
};
use oneport_testkit::ratio;

/// 0 receives from 1 and from 2, which receives from 3. Transfers take 2, merges 3/2.
fn equal() -> SingleReduction {
    let half = |ticks: [u64; 4]| Dates::Ticks {
        unit: ratio(1, 2),
        ticks: ticks.to_vec(),
    };
    SingleReduction {
        reduction: Reduction {
            costs: SingleCosts::Equal {
                transfer: ratio(2, 1),
                compute: ratio(3, 2),
            },
            root: 0,
            receivers: vec![0, 0, 0, 2],
            starts: half([0, 0, 7, 0]),
            merges: Some(half([0, 4, 11, 4])),
            ready: None,
            length: ratio(7, 1),
        },
        limit: Concurrency::Unlimited,
        commutative: false,
        lower_bound: ratio(7, 1),
        proof: Some(Proof::Counting),
    }
}

fn per_sender() -> SingleReduction {
    let times = [4, 5, 3].map(|time| ratio(time, 3)).to_vec();
    SingleReduction {
        reduction: Reduction {
            costs: SingleCosts::PerSender(times),
            root: 1,
            receivers: vec![1, 1, 0],
            starts: Dates::Exact(vec![ratio(1, 1), ratio(0, 1), ratio(0, 1)]),
            merges: None,
            ready: None,
            length: ratio(7, 3),
        },
        limit: Concurrency::Unlimited,
        commutative: true,
        lower_bound: ratio(2, 1),
        proof: None,
    }
}

#[test]
fn what_is_written_is_read_back() {
    let prices = SlotPrices {
        prices: vec![(ratio(0, 1), ratio(3, 2)), (ratio(5, 3), ratio(1, 1))],
    };
    let proofs = [
        Proof::Counting,
        Proof::LimitedTransfers,
        Proof::Prices(prices.clone()),
        Proof::Prices(SlotPrices { prices: Vec::new() }),
        Proof::Weights(SenderWeights {
            lists: vec![(0..30).collect(), vec![i64::MIN, i64::MAX], Vec::new()],
        }),
        Proof::Weights(SenderWeights { lists: Vec::new() }),
        Proof::Levels,
        Proof::SlowestFirst,
        Proof::Lowered {
            times: vec![ratio(1, 3), ratio(2, 3)],
            proof: Box::new(Proof::Levels),
        },
        Proof::Lowered {
            times: Vec::new(),
            proof: Box::new(Proof::Prices(prices)),
        },
        Proof::Exhaustion { states: u64::MAX },
    ];
    let mut all = vec![equal(), per_sender()];
    for proof in proofs {
        all.push(SingleReduction {
            proof: Some(proof),
            ..per_sender()
        });
    }
    for limit in [Concurrency::Transfers(1), Concurrency::Reducers(u64::MAX)] {
        all.push(SingleReduction { limit, ..equal() });
    }
    let mut released = equal();
    released.reduction.ready = Some(Dates::Ticks {
        unit: ratio(1, 2),
        ticks: vec![1, 0, 5, u64::MAX],
    });
    all.push(released);
    let mut exact = equal();
    exact.reduction.starts = Dates::Exact((0..4).map(|date| ratio(date, 7)).collect());
    exact.reduction.merges = Some(Dates::Exact((0..4).map(|date| ratio(date, 5)).collect()));
    all.push(exact);
    all.push(SingleReduction {
        reduction: Reduction {
            receivers: vec![0],
            starts: Dates::Exact(vec![ratio(0, 1)]),
            merges: Some(Dates::Exact(vec![ratio(0, 1)])),
            length: ratio(0, 1),
            ..equal().reduction
        },
        lower_bound: ratio(0, 1),
        ..equal()
    });
    for one in all {
        let text = single_reduction_to_json(&one);
        // The root has no dates: its entries are 0.
        assert_eq!(
            single_reduction_from_json("one", text.as_bytes()).as_ref(),
            Ok(&one),
            "{text}"
        );
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{text}"
        );
    }
}

/// "optimal" needs a bound that is met, and a proof if the referee cannot count. "feasible" claims nothing.
#[test]
fn a_status_claims_no_more_than_its_file_can_prove() {
    let read = |one: &SingleReduction, status: &str| {
        let text = single_reduction_to_json(one);
        let (before, rest) = text.split_once("\"status\": \"").unwrap();
        let after = rest.trim_start_matches(|it: char| it.is_ascii_lowercase());
        let text = format!("{before}\"status\": \"{status}{after}");
        single_reduction_from_json("one", text.as_bytes()).map_err(|refused| refused.to_string())
    };
    let unproved = |one: SingleReduction| SingleReduction {
        lower_bound: one.reduction.length.clone(),
        proof: None,
        ..one
    };
    for one in [
        equal(),
        per_sender(),
        unproved(equal()),
        unproved(per_sender()),
    ] {
        assert_eq!(read(&one, "feasible").as_ref(), Ok(&one));
    }
    assert_eq!(unproved(equal()).stated_status(), Status::Feasible);
    assert_eq!(read(&unproved(equal()), "optimal"), Ok(unproved(equal())));
    let refused = read(&unproved(per_sender()), "optimal").unwrap_err();
    assert!(
        refused.contains("no proof of the lower bound is given"),
        "{refused}"
    );
}

/// Dates of different kinds become fractions: equal dates in another form.
#[test]
fn mixed_dates_are_written_as_fractions() {
    let mut mixed = equal();
    mixed.reduction.merges = Some(Dates::Exact(
        [0, 2, 5, 2].map(|date| ratio(date, 1)).to_vec(),
    ));
    let read =
        single_reduction_from_json("one", single_reduction_to_json(&mixed).as_bytes()).unwrap();
    let dates = |one: &SingleReduction| {
        (0..4)
            .map(|index| one.reduction.starts.get(index))
            .collect::<Vec<_>>()
    };
    assert_eq!(dates(&read), dates(&mixed));
    assert_eq!(read.reduction.merges, mixed.reduction.merges);
    assert!(matches!(read.reduction.starts, Dates::Exact(_)));
}

#[track_caller]
fn refused(text: &str, from: &str, to: &str, parts: &[&str]) {
    assert!(text.contains(from), "{from} is not in {text}");
    let changed = text.replacen(from, to, 1);
    let error = single_reduction_from_json("one", changed.as_bytes())
        .expect_err(to)
        .to_string();
    for part in parts {
        assert!(error.contains(part), "{error}: {part}");
    }
    assert!(
        error.starts_with("one") && !error.contains('\n') && error.chars().count() < 800,
        "{error}"
    );
}

#[test]
fn mistakes_are_named_with_their_location() {
    let text = single_reduction_to_json(&equal());
    for (from, to, parts) in [
        (
            "oneport-reduction/1",
            "oneport-reduction/2",
            &["one:2: format", "oneport-reduction/1"][..],
        ),
        ("\"root\": 0", "\"root\": 4", &["one:5: root", "4"]),
        (
            "\"root\": 0",
            "\"root\": 1",
            &[
                "one:6: receivers[0]",
                "processor 0",
                "only the root, processor 1",
            ],
        ),
        ("\"root\": 0", "\"root\": -1", &["root", "-1"]),
        (
            "[null, 0, 0, 2]",
            "[0, 0, 0, 2]",
            &["receivers[0]", "processor 0 is the root"],
        ),
        (
            "[null, 0, 0, 2]",
            "[null, 0, null, 2]",
            &["receivers[2]", "only the root, processor 0"],
        ),
        ("[null, 0, 0, 2]", "[null, 0, 0, 4]", &["receivers[3]", "4"]),
        (
            "[null, 0, 0, 2]",
            "[null, 0, 0, 2.0]",
            &["receivers[3]", "2.0"],
        ),
        ("[null, 0, 0, 2]", "[null, 0, 0, \"2\"]", &["receivers[3]"]),
        (
            "[null, 0, 0, 2]",
            "[]",
            &["receivers", "at least one processor"],
        ),
        ("[null, 0, 0, 2]", "{}", &["receivers", "an array"]),
        ("[null, 0, 0, 2]", "[null, 0, 0]", &["starts", "3 entries"]),
        (
            "[null, 0, 7, 0]",
            "[null, 0, 7]",
            &["one:8: starts", "4 entries"],
        ),
        (
            "[null, 0, 7, 0]",
            "[null, 0, 7, 0, 0]",
            &["starts", "4 entries"],
        ),
        ("[null, 0, 7, 0]", "[0, 0, 7, 0]", &["starts[0]", "root"]),
        (
            "[null, 0, 7, 0]",
            "[null, null, 7, 0]",
            &["starts[1]", "a date"],
        ),
        (
            "[null, 0, 7, 0]",
            "[null, [0, 1], 7, 0]",
            &["starts[1]", "an array"],
        ),
        (
            "[null, 0, 7, 0]",
            "[null, \"1/2\", 7, 0]",
            &["starts[1]", "whole number"],
        ),
        (
            "[null, 0, 7, 0]",
            "[null, 18446744073709551616, 7, 0]",
            &["starts[1]", "18446744073709551616"],
        ),
        (
            "\"starts\"",
            "\"starts\": [null, 0, 0, 0], \"starts\"",
            &["'starts' is given twice"],
        ),
        (
            "  \"starts\": [null, 0, 7, 0],\n",
            "",
            &["'starts' is missing"],
        ),
        (
            "  \"merges\": [null, 4, 11, 4],\n",
            "",
            &["'merges' is missing"],
        ),
        (
            "\"unit\": \"1/2\"",
            "\"unit\": \"0\"",
            &["unit", "positive"],
        ),
        (
            "\"unit\": \"1/2\"",
            "\"unit\": \"-1\"",
            &["unit", "positive"],
        ),
        (
            "\"transfer\": \"2\", ",
            "",
            &["costs", "'transfer' is missing"],
        ),
        (
            "\"transfer\": \"2\"",
            "\"transfer\": \"x\"",
            &["costs.transfer", "'x'"],
        ),
        (
            "\"transfer\": \"2\"",
            "\"times\": []",
            &["costs", "'times'", "'compute'"],
        ),
        ("\"commutative\": false,", "", &["'commutative' is missing"]),
        (
            "\"commutative\": false",
            "\"commutative\": \"no\"",
            &["commutative", "true or false"],
        ),
        (
            "\"commutative\"",
            "\"limit\": {}, \"commutative\"",
            &["limit", "'transfers' is missing"],
        ),
        (
            "\"commutative\"",
            "\"limit\": {\"transfers\": 1, \"reducers\": 1}, \"commutative\"",
            &["limit", "both"],
        ),
        (
            "\"commutative\"",
            "\"limit\": {\"transfers\": \"1\"}, \"commutative\"",
            &["limit.transfers", "whole"],
        ),
        (
            "\"commutative\"",
            "\"ready\": [1, 2], \"commutative\"",
            &["ready", "4 entries"],
        ),
        (
            "\"commutative\"",
            "\"ready\": [null, 2, 3, 4], \"commutative\"",
            &["ready[0]", "every processor"],
        ),
        ("\"optimal\"", "\"best\"", &["status", "\"best\""]),
        (
            "\"lower_bound\": \"7\"",
            "\"lower_bound\": \"6\"",
            &["status", "feasible", "not the lower bound"],
        ),
        ("\"lower_bound\": \"7\",", "", &["'lower_bound' is missing"]),
        (
            "\"length\"",
            "\"lenght\"",
            &["unknown key 'lenght'", "length"],
        ),
        (
            "\"counting\"",
            "\"faith\"",
            &["proof.kind", "\"faith\"", "counting"],
        ),
        (
            "\"counting\"",
            "\"counting\", \"states\": 3",
            &["proof.states", "this kind has none"],
        ),
        (
            "\"counting\"",
            "\"exhaustion\"",
            &["proof", "'states' is missing"],
        ),
        (
            "\"counting\"",
            "\"prices\", \"prices\": [[1, 2, 3]]",
            &["proof.prices[0]", "[date, price]"],
        ),
        (
            "\"counting\"",
            "\"prices\", \"prices\": [[1]]",
            &["proof.prices[0]", "[date, price]"],
        ),
        (
            "\"counting\"",
            "\"lowered\", \"times\": [1], \"proof\": {\"kind\": \"lowered\", \"times\": [], \"proof\": 1}",
            &["proof.proof.kind", "\"lowered\""],
        ),
    ] {
        refused(&text, from, to, parts);
    }
    for end in 0..text.trim_end().len() {
        assert!(
            single_reduction_from_json("cut", &text.as_bytes()[..end]).is_err(),
            "cut at {end}"
        );
    }
    let text = single_reduction_to_json(&per_sender());
    for (from, to, parts) in [
        (
            "[\"4/3\", \"5/3\", \"1\"]",
            "[\"4/3\", \"5/3\"]",
            &["costs.times", "3 entries"][..],
        ),
        (
            "[\"4/3\", \"5/3\", \"1\"]",
            "[\"4/3\", \"5/3\", \"1\", \"1\"]",
            &["costs.times", "3 entries"],
        ),
        (
            "\"starts\"",
            "\"merges\": [0, null, 0], \"starts\"",
            &["merges", "part of the transfer"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
}

#[test]
fn hostile_sizes_end_in_time() {
    let text = single_reduction_to_json(&equal());
    let many = format!("[null{}]", ", 0".repeat(2_000_000));
    refused(
        &text,
        "[null, 0, 0, 2]",
        &many,
        &["starts", "2000001 entries"],
    );
    refused(&text, "[null, 0, 7, 0]", &many, &["starts", "4 entries"]);
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    refused(&text, "[null, 0, 0, 2]", &deep, &["receivers"]);
    let nested = format!(
        "{}1{}",
        "{\"kind\": \"lowered\", \"times\": [], \"proof\": ".repeat(100_000),
        "}".repeat(100_000)
    );
    refused(
        &text,
        "{\"kind\": \"counting\"}",
        &nested,
        &["proof.proof.kind"],
    );
}

#[test]
fn a_file_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.json");
    std::fs::write(&path, single_reduction_to_json(&equal())).unwrap();
    assert_eq!(
        read_answer(&path),
        Ok(AnswerFile::Reduction(Box::new(equal())))
    );
    std::fs::write(&path, "{\"format\": \"oneport-reduction/9\"}").unwrap();
    assert!(
        read_answer(&path)
            .unwrap_err()
            .to_string()
            .contains("oneport-reduction/1")
    );
    std::fs::write(&path, "{\"format\": \"oneport-plan/9\"}").unwrap();
    assert!(
        read_answer(&path)
            .unwrap_err()
            .to_string()
            .contains("oneport-plan/3")
    );
}

#[test]
fn lists_stand_alone_or_in_a_file() {
    let file = single_reduction_to_json(&equal());
    assert_eq!(
        receivers_from_json("list", file.as_bytes()),
        Ok(vec![0, 0, 0, 2])
    );
    assert_eq!(
        receivers_from_json("list", b"[2, 2, null]"),
        Ok(vec![2, 2, 2])
    );
    assert_eq!(
        starts_from_json("list", file.as_bytes()),
        Ok(vec![
            None,
            Some(ratio(0, 1)),
            Some(ratio(7, 2)),
            Some(ratio(0, 1))
        ])
    );
    assert_eq!(
        starts_from_json("list", b"[\"1/3\", 0.5, null]"),
        Ok(vec![Some(ratio(1, 3)), Some(ratio(1, 2)), None])
    );
    for (text, parts) in [
        ("[0, 1]", &["list:1", "must be null"][..]),
        ("[null, null]", &["list:1: [1]", "processor 0 does not"]),
        ("[null, 2]", &["[1]", "2"]),
        ("[null, -1]", &["[1]", "-1"]),
        ("[]", &["one per processor"]),
        ("{}", &["'receivers' is missing"]),
        ("7", &["an object"]),
        ("", &["is empty"]),
    ] {
        let error = receivers_from_json("list", text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            parts.iter().all(|part| error.contains(part)),
            "{text}: {error}"
        );
    }
    for (text, part) in [
        ("[\"x\"]", "'x'"),
        ("[[1]]", "an array"),
        ("{\"unit\": 1}", "'starts' is missing"),
        ("[1,", "JSON"),
    ] {
        let error = starts_from_json("list", text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
