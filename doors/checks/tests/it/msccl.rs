//! MSCCL algorithms, made step by step: input and output in one buffer, slots of connections, overwritten inputs,
//! orders of sums.

use oneport_checks::{Fault, FaultKind, Verdict};

use oneport_testkit::Dice;

fn check(text: &str) -> Result<Verdict, Fault> {
    oneport_checks::check(text, None)
}

/// Kind, source, target.
type Step<'t> = (&'t str, &'t str, &'t str);

/// A threadblock that sends to one rank and receives from it.
fn threadblock(id: usize, peer: usize, channel: usize, steps: &[Step<'_>]) -> String {
    let chunk = |text: &str| (text[..1].to_string(), text[1..].to_string());
    let step = |(number, (kind, from, to)): (usize, &Step<'_>)| {
        let ((source, from), (target, to)) = (chunk(from), chunk(to));
        format!(
            "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{source}\" srcoff=\"{from}\" dstbuf=\"{target}\" dstoff=\"{to}\" \
             cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
        )
    };
    let steps: String = steps.iter().enumerate().map(step).collect();
    format!("<tb id=\"{id}\" send=\"{peer}\" recv=\"{peer}\" chan=\"{channel}\">{steps}</tb>")
}

/// Two ranks. `own` and `other` name the chunk of a rank itself and of the other one.
fn pair(collective: &str, modes: &str, chunks: [usize; 3], steps: &[Step<'_>]) -> String {
    let gpu = |rank: usize| {
        let chunk = |text: &str| {
            text.replace("own", &rank.to_string())
                .replace("other", &(1 - rank).to_string())
        };
        let steps: Vec<(&str, String, String)> = steps
            .iter()
            .map(|(kind, from, to)| (*kind, chunk(from), chunk(to)))
            .collect();
        let steps: Vec<Step<'_>> = steps
            .iter()
            .map(|(kind, from, to)| (*kind, &from[..], &to[..]))
            .collect();
        let [input, output, scratch] = chunks;
        let block = threadblock(0, 1 - rank, 0, &steps);
        format!(
            "<gpu id=\"{rank}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{scratch}\">{block}</gpu>"
        )
    };
    format!(
        "<algo ngpus=\"2\" coll=\"{collective}\" {modes}>{}{}</algo>",
        gpu(0),
        gpu(1)
    )
}

const IN_PLACE: &str = "inplace=\"1\"";

/// In place, one buffer may lack chunks of its own. Out of place it may not.
#[test]
fn one_buffer_for_input_and_output_is_counted_once() {
    let reduced = [("s", "i0", "i0"), ("r", "i0", "s0"), ("re", "s0", "i0")];
    let gathered = [("s", "oown", "oown"), ("r", "oother", "oother")];
    let scattered = [
        ("s", "iother", "iother"),
        ("r", "i0", "s0"),
        ("re", "s0", "iown"),
    ];
    let files: [(&str, [usize; 3], &[Step<'_>]); 3] = [
        ("allreduce", [1, 0, 1], &reduced),
        ("allgather", [0, 2, 0], &gathered),
        ("reduce_scatter", [2, 0, 1], &scattered),
    ];
    for (collective, chunks, steps) in files {
        let verdict = check(&pair(collective, IN_PLACE, chunks, steps));
        assert!(
            verdict.as_ref().is_ok_and(|verdict| verdict.known),
            "{collective}: {verdict:?}"
        );
        let refused = check(&pair(collective, "outofplace=\"1\"", chunks, steps)).unwrap_err();
        assert!(
            refused.kind == FaultKind::Malformed && refused.text.contains("out of place"),
            "{refused}"
        );
        // The result is still compared: without the last step it is wrong.
        let wrong = check(&pair(
            collective,
            IN_PLACE,
            chunks,
            &steps[..steps.len() - 1],
        ))
        .unwrap_err();
        assert!(
            matches!(wrong.kind, FaultKind::Result | FaultKind::LeftOver),
            "{collective}: {wrong}"
        );
    }
}

/// Whether two ranks end, each with threadblocks that send (`true`) and receive in this order, if connections hold this
/// number of messages.
fn ends(orders: &[[Vec<bool>; 2]; 2], slots: usize) -> bool {
    let mut done = [[0; 2]; 2];
    let mut held = [[0; 2]; 2];
    loop {
        let before = done;
        for (rank, channel) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            match orders[rank][channel].get::<usize>(done[rank][channel]) {
                Some(true) if held[rank][channel] < slots => held[rank][channel] += 1,
                Some(false) if held[1 - rank][channel] > 0 => held[1 - rank][channel] -= 1,
                _ => continue,
            }
            done[rank][channel] += 1;
        }
        if done == before {
            return (0..2).all(|rank| {
                (0..2).all(|channel| done[rank][channel] == orders[rank][channel].len())
            });
        }
    }
}

/// Threadblocks that send and receive in any order end, or wait without end, in agreement with a count of messages.
#[test]
fn connections_hold_messages() {
    let mut dice = Dice::new(8);
    let mut seen = [0; 3];
    for _ in 0..300 {
        let counts: [[usize; 2]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| dice.below(5)));
        let mut order = |mut sends: usize, mut receives: usize| {
            let mut order = Vec::new();
            while sends + receives > 0 {
                // More sends come first: then some ends need slots.
                let is_send = dice.below(4 * sends + receives) < 4 * sends;
                *(if is_send { &mut sends } else { &mut receives }) -= 1;
                order.push(is_send);
            }
            order
        };
        let orders: [[Vec<bool>; 2]; 2] = std::array::from_fn(|rank| {
            std::array::from_fn(|channel| order(counts[rank][channel], counts[1 - rank][channel]))
        });
        let block = |rank: usize, channel: usize| {
            let target = ["s0", "s1"][channel];
            let step = |&is_send: &bool| {
                if is_send {
                    ("s", "i0", "i0")
                } else {
                    ("r", "i0", target)
                }
            };
            let steps: Vec<_> = orders[rank][channel].iter().map(step).collect();
            threadblock(channel, 1 - rank, channel, &steps)
        };
        let gpu = |rank: usize| {
            let blocks = format!("{}{}", block(rank, 0), block(rank, 1));
            format!(
                "<gpu id=\"{rank}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"2\">{blocks}</gpu>"
            )
        };
        let text = format!(
            "<algo ngpus=\"2\" coll=\"test\" outofplace=\"1\">{}{}</algo>",
            gpu(0),
            gpu(1)
        );
        for slots in 1..4 {
            let found = oneport_checks::check(&text, Some(slots));
            if ends(&orders, slots as usize) {
                assert!(found.is_ok(), "{orders:?}, {slots}: {found:?}");
                seen[0] += 1;
                continue;
            }
            let fault = found.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Deadlock);
            match (slots + 1..6).find(|&slots| ends(&orders, slots as usize)) {
                Some(enough) => {
                    assert!(
                        fault
                            .text
                            .contains(&format!("per connection, none with {enough})")),
                        "{orders:?}: {fault}"
                    );
                    seen[1] += 1;
                }
                None => {
                    assert!(
                        fault
                            .text
                            .ends_with("more slots per connection do not help"),
                        "{orders:?}: {fault}"
                    );
                    seen[2] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

/// Names of a file are repeated by their beginning.
#[test]
fn long_names_are_clipped() {
    let long = "x".repeat(10_000);
    let text = pair("allreduce", IN_PLACE, [1, 1, 1], &[(&long, "i0", "i0")]);
    let fault = check(&text).unwrap_err();
    assert!(
        fault.text.len() < 400 && fault.text.contains("(10000 characters)"),
        "{fault}"
    );
    assert!(
        check(&format!("{{\"name\": \"a\", \"{long}\": 1}}"))
            .unwrap_err()
            .text
            .len()
            < 400
    );
}

/// Out of place, the input must be unchanged at the end. In place, the input is the output.
#[test]
fn an_input_that_is_overwritten_is_named() {
    let lost = [
        ("s", "i0", "i0"),
        ("r", "i0", "s0"),
        ("re", "s0", "i0"),
        ("cpy", "i0", "o0"),
    ];
    let kept = [
        ("s", "i0", "i0"),
        ("r", "i0", "s0"),
        ("cpy", "i0", "o0"),
        ("re", "s0", "o0"),
    ];
    let overwritten = |modes: &str, steps: &[Step<'_>]| {
        let verdict = check(&pair("allreduce", modes, [1, 1, 1], steps)).unwrap();
        assert!(verdict.known && verdict.orders.is_none(), "{verdict:?}");
        verdict.overwritten
    };
    let named = overwritten("outofplace=\"1\"", &lost).unwrap();
    assert!(
        named.starts_with("input chunk 0 of rank 0 is overwritten"),
        "{named}"
    );
    assert_eq!(overwritten("outofplace=\"1\"", &kept), None);
    assert_eq!(
        overwritten(
            IN_PLACE,
            &kept[..2]
                .iter()
                .copied()
                .chain([("re", "s0", "o0")])
                .collect::<Vec<_>>()
        ),
        None
    );
}

/// Three ranks pass their operands round a ring, and each adds all three up: in different orders, or all as
/// `(a + b) + c`. `(b + a) + c` is the same number.
#[test]
fn ranks_that_add_in_different_orders_are_named() {
    // After the ring, `s0` is the operand of the rank before, `s1` that of the rank before that.
    let file = |sums: [[&str; 3]; 3]| {
        let gpu = |(rank, sum): (usize, [&str; 3])| {
            let [one, two, three] = sum;
            let steps = [
                ("s", "i0", "i0"),
                ("rcs", "s0", "s0"),
                ("r", "s1", "s1"),
                ("cpy", one, "o0"),
                ("re", two, "o0"),
                ("re", three, "o0"),
            ];
            let block = threadblock(0, 9, 0, &steps)
                .replace("send=\"9\"", &format!("send=\"{}\"", (rank + 1) % 3))
                .replace("recv=\"9\"", &format!("recv=\"{}\"", (rank + 2) % 3));
            format!("<gpu id=\"{rank}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"2\">{block}</gpu>")
        };
        let gpus: String = sums.into_iter().enumerate().map(gpu).collect();
        format!("<algo ngpus=\"3\" coll=\"allreduce\" outofplace=\"1\">{gpus}</algo>")
    };
    let own = ["i0", "s0", "s1"];
    let verdict = check(&file([own; 3])).unwrap();
    let named = verdict.orders.unwrap();
    assert!(
        named.contains("output chunk 0 of rank 0 and output chunk 0 of rank 1"),
        "{named}"
    );
    for second in [["s0", "i0", "s1"], ["i0", "s0", "s1"]] {
        let same = [["i0", "s1", "s0"], second, ["s1", "s0", "i0"]];
        assert_eq!(check(&file(same)).unwrap().orders, None);
    }
}
