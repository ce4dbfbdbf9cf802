//! MSCCL algorithms: ours run, others' run, and planted faults are found.

use std::collections::{BTreeMap, BTreeSet};

use oneport_checks::{Fault, FaultKind, Verdict};
use oneport_exports::Request;
use oneport_plan::{Collective, Pattern, Problem, ScheduledPattern, Volumes, WholePatterns};
use oneport_platform::{Node, Platform};
use oneport_schedule::{Watch, periodic, tightened};
use oneport_testkit::{Dice, data, whole};

use crate::common::export;

fn check(text: &str) -> Result<Verdict, Fault> {
    oneport_checks::check(text, None)
}

const COLLECTIVES: [&str; 5] = [
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "broadcast",
    "all-to-all",
];

#[test]
fn what_is_written_runs() {
    for name in COLLECTIVES {
        for seed in 0..10 {
            for pieces in [None, Some(5)] {
                let text = export(name, "msccl", seed, pieces).unwrap();
                let verdict = check(&text)
                    .unwrap_or_else(|fault| panic!("{name}, seed {seed}, {pieces:?}: {fault}"));
                assert!(verdict.known && verdict.in_step.is_none());
            }
        }
    }
    let refused = export("all-gather", "msccl", 3, Some(5000)).unwrap_err();
    assert!(refused.contains("is the limit; --pieces"), "{refused}");
}

#[test]
#[ignore = "needs data topologies/msccl_xml"]
fn sample_algorithms_are_right() {
    let files = std::fs::read_dir(data("topologies/msccl_xml")).unwrap();
    for path in files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "xml"))
    {
        let verdict = check(&std::fs::read_to_string(&path).unwrap());
        assert!(
            verdict.as_ref().is_ok_and(|verdict| verdict.known),
            "{}: {verdict:?}",
            path.display()
        );
    }
}

/// A step: rank, threadblock, index.
type StepId = [i64; 3];

/// The value of an attribute of a line.
fn attribute<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {key}=\""))?;
    rest.split('"').next()
}

fn number(line: &str, key: &str) -> i64 {
    attribute(line, key)
        .and_then(|text| text.parse().ok())
        .unwrap()
}

/// Whether a line waits for no step, or only for a step that ends before it in any case: by the order of the
/// threadblocks, by the other waits, or by messages.
fn is_implied(lines: &[&str], at: usize) -> bool {
    let mut after: BTreeMap<StepId, Vec<StepId>> = BTreeMap::new();
    let mut messages: BTreeMap<[i64; 3], [Vec<StepId>; 2]> = BTreeMap::new();
    let (mut rank, mut block, mut dropped) = (0, "", None);
    for (index, line) in lines.iter().enumerate() {
        if line.contains("<gpu") {
            rank = number(line, "id");
        } else if line.contains("<tb") {
            block = line;
        } else if line.contains("<step") {
            let (id, step) = (number(block, "id"), number(line, "s"));
            let own = [rank, id, step];
            after.entry([rank, id, step - 1]).or_default().push(own);
            let awaited = [rank, number(line, "depid"), number(line, "deps")];
            if index == at {
                dropped = Some((awaited, own));
            } else {
                after.entry(awaited).or_default().push(own);
            }
            let chan = number(block, "chan");
            match attribute(line, "type") {
                Some("s") => {
                    let connection = [rank, number(block, "send"), chan];
                    messages.entry(connection).or_default()[0].push(own);
                }
                Some("r") => {
                    let connection = [number(block, "recv"), rank, chan];
                    messages.entry(connection).or_default()[1].push(own);
                }
                _ => {}
            }
        }
    }
    for [sends, receives] in messages.into_values() {
        for (send, receive) in sends.into_iter().zip(receives) {
            after.entry(send).or_default().push(receive);
        }
    }
    let Some((awaited, own)) = dropped.filter(|(awaited, _)| awaited[1] >= 0) else {
        return true;
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![awaited]);
    while let Some(step) = open.pop() {
        if seen.insert(step) {
            open.extend(after.get(&step).into_iter().flatten());
        }
    }
    seen.contains(&own)
}

/// A line dropped, another kind, an offset shifted, buffers exchanged, a dependency forgotten.
#[test]
fn mutants_are_refused() {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut dice = Dice(5);
    for (seed, name) in COLLECTIVES.into_iter().enumerate() {
        let text = export(name, "msccl", 60 + seed as u64, Some(2)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|&at| lines[at].contains("<step")) {
            if dice.below(3) > 0 {
                continue;
            }
            let offset = lines[at]
                .split("dstoff=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            let shifted = format!("dstoff=\"{}\"", offset.parse::<usize>().unwrap() + 1);
            let line = lines[at];
            let changes = [
                (
                    "change the operation",
                    line.replace("type=\"r\"", "type=\"cpy\"")
                        .replace("type=\"s\"", "type=\"nop\""),
                ),
                ("change re", line.replace("type=\"re\"", "type=\"cpy\"")),
                (
                    "shift an offset",
                    line.replace(&format!("dstoff=\"{offset}\""), &shifted),
                ),
                (
                    "swap buffers",
                    line.replace("srcbuf=\"i\"", "srcbuf=\"o\"")
                        .replace("srcbuf=\"s\"", "srcbuf=\"i\""),
                ),
                ("drop a wait", {
                    let rest = line.split("depid").nth(1).unwrap();
                    line.replace(
                        &format!("depid{rest}"),
                        "depid=\"-1\" deps=\"-1\" hasdep=\"1\"/>",
                    )
                }),
            ];
            for (what, changed) in changes {
                // The target that a send names, and the source that a receive names, are for the reader.
                let unread = what == "shift an offset" && line.contains("type=\"s\"")
                    || what == "swap buffers" && line.contains("type=\"r\"")
                    || what == "drop a wait" && is_implied(&lines, at);
                if changed == line || unread {
                    continue;
                }
                let mut all = lines.clone();
                all[at] = &changed;
                let count = counts.entry(what).or_default();
                count[0] += 1;
                match check(&all.join("\n")) {
                    Err(_) => count[1] += 1,
                    Ok(_) => panic!("{name}: {what} is not noticed: {line}"),
                }
            }
        }
    }
    println!("tried, caught: {counts:?}");
    assert_eq!(counts.len(), 5);
}

/// With a comment in front, `roxmltree` reads the file: it makes no difference, for any contents of the file.
#[test]
fn plain_files_are_read_as_all_others_are() {
    let mut dice = Dice(11);
    let letters = [
        "", " ", "\"", "<", ">", "/", "=", "&amp;", "a", "0", "\n", "é", "<!-- -->", "<step/>",
        " s=\"0\"", "x:",
    ];
    let mut kinds = BTreeMap::new();
    for (seed, name) in COLLECTIVES.into_iter().enumerate() {
        let text = export(name, "msccl", seed as u64, Some(1)).unwrap();
        for round in 0..400 {
            // The first character decides which format the file has.
            let (at, more) = (1 + dice.below(text.len() - 1), dice.below(3));
            let letter = letters[dice.below(letters.len())];
            let end = (at + more).min(text.len());
            let changed = if round == 0 {
                text.clone()
            } else {
                format!("{}{letter}{}", &text[..at], &text[end..])
            };
            let [plain, other] = [check(&changed), check(&format!("<!-- -->{changed}"))];
            let not_xml = |read: &Result<Verdict, Fault>| {
                // Positions differ by the comment.
                read.as_ref()
                    .is_err_and(|fault| fault.text.starts_with("no MSCCL algorithm:"))
            };
            assert!(
                plain == other || not_xml(&plain) && not_xml(&other),
                "{changed}\n{plain:?}\n{other:?}"
            );
            *kinds
                .entry(plain.map_or_else(|fault| format!("{:?}", fault.kind), |_| "right".into()))
                .or_insert(0) += 1;
        }
    }
    assert!(kinds.len() > 3, "{kinds:?}");
}

#[test]
fn nonsense_is_refused_in_words() {
    let text = export("all-reduce", "msccl", 1, None).unwrap();
    for end in (0..text.len() - 8).step_by(text.len() / 30) {
        assert_eq!(check(&text[..end]).unwrap_err().kind, FaultKind::Malformed);
    }
    for (old, new, word) in [
        ("type=\"s\"", "type=\"teleport\"", "teleport"),
        ("chan=\"0\"", "chan=\"99\"", "channel 99"),
        ("srcoff=\"0\"", "srcoff=\"99999999999999\"", "srcoff"),
        ("i_chunks=\"", "i_chunks=\"2000000", "would be"),
        ("s_chunks=\"", "s_chunks=\"200000000", "2^23"),
        ("send=\"1\"", "send=\"77\"", "rank 77"),
        ("depid=\"-1\"", "depid=\"99\"", "neither"),
    ] {
        let fault = check(&text.replacen(old, new, 1)).unwrap_err();
        assert!(fault.text.contains(word), "{old}: {fault}");
    }
    let step = |kind: &str| {
        format!(
            "<step s=\"0\" type=\"{kind}\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
        )
    };
    let gpu = |id: u32| {
        let (other, tail) = (1 - id, step("s").replace("s=\"0\"", "s=\"1\""));
        format!(
            "<gpu id=\"{id}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"><tb id=\"0\" send=\"{other}\" recv=\"{other}\" chan=\"0\">{}{tail}</tb></gpu>",
            step("r")
        )
    };
    let circle = format!(
        "<algo ngpus=\"2\" coll=\"test\" outofplace=\"1\">{}{}</algo>",
        gpu(0),
        gpu(1)
    );
    let fault = check(&circle).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Deadlock);
    assert!(
        fault
            .text
            .contains("rank 0, threadblock 0, step 0 (r) waits for a message of rank 1 to rank 0"),
        "{fault}"
    );
}

/// A path from a rank through a switch back to itself is not a connection. Its result is there already.
#[test]
fn ways_that_come_back_are_left_out() {
    let mut builder = Platform::builder();
    let [a, b] = ["a", "b"].map(|name| builder.node(Node::processor(name, whole(1))).unwrap());
    let switch = builder.node(Node::router("switch")).unwrap();
    let links = [(a, b), (b, switch), (switch, b)]
        .map(|(from, to)| builder.link(from, to, whole(1)).unwrap());
    let platform = builder.build().unwrap();
    let collective = Collective::broadcast(a, vec![b]);
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let patterns = vec![ScheduledPattern {
        pattern: Pattern::path(0, links.to_vec()),
        copies: 1u32.into(),
    }];
    let plan = WholePatterns {
        period: whole(4),
        instances: 1u32.into(),
        patterns,
    };
    let schedule = periodic(
        &problem,
        tightened(&problem, plan).unwrap(),
        &Watch::unlimited(),
    )
    .unwrap();
    for name in ["msccl", "mscclpp"] {
        let files = oneport_exports::format(name)
            .unwrap()
            .write(&Request::new(&problem, &schedule))
            .unwrap()
            .files;
        let text = files[0].text();
        let verdict = check(&text);
        assert!(
            verdict
                .as_ref()
                .is_ok_and(|verdict| verdict.known && verdict.steps > 0),
            "{name}: {verdict:?}\n{text}"
        );
    }
}
