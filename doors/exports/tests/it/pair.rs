//! Small schedules of the formats that `check` reads, written by hand in the manner of real ones: two ranks exchange
//! their values.

use std::path::Path;

use oneport_checks::check;

#[track_caller]
pub fn schedule(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schedules");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn schedules_by_hand_are_right() {
    // MSCCL: a threadblock that copies and one that exchanges, on each rank. MSCCL++: one that does both.
    for (name, threads) in [("pair.msccl.xml", 4), ("pair.mscclpp.json", 2)] {
        let verdict =
            check(&schedule(name), None).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert!(verdict.known && verdict.collective == "allgather", "{name}");
        assert_eq!((verdict.ranks, verdict.threads), (2, threads), "{name}");
        assert_eq!(verdict.overwritten, None, "{name}");
    }
}

/// A value in the wrong chunk, once in each file.
#[test]
fn schedules_with_a_value_in_the_wrong_chunk_are_refused() {
    for (name, right, wrong) in [
        ("pair.msccl.xml", "dstoff=\"1\"", "dstoff=\"0\""),
        ("pair.mscclpp.json", "\"index\": 1", "\"index\": 0"),
    ] {
        let text = schedule(name);
        let changed = text.replacen(right, wrong, 1);
        assert_ne!(changed, text, "{name}");
        assert!(check(&changed, None).is_err(), "{name}");
    }
}
