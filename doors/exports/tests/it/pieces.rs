//! Numbers of pieces: powers of two for GPU libraries, and their loss.

use oneport_exports::{Pieces, Request};
use oneport_plan::{Problem, ScheduledPattern, Volumes, WholePatterns};
use oneport_platform::{NodeId, Rational, parse_rational};
use oneport_schedule::{Watch, periodic, tightened};
use oneport_testkit::{Dice, whole};
use serde_json::Value;

use crate::common::{collective, pattern, platform, written};

/// The share by which a throughput is below the optimum. Random plans may gain.
fn below(real: Rational, optimum: &Rational) -> Rational {
    (whole(1) - real / optimum).max(whole(0))
}

/// Instances per unit of time of the schedule that these pieces really make, ordered into slots.
fn throughput(name: &str, seed: u64, pieces: Pieces) -> Rational {
    let made = written(name, "events", seed, |request| Request {
        pieces,
        ..request
    })
    .unwrap();
    let table: Value = serde_json::from_str(&made.files[0].text()).unwrap();
    let number =
        |value: &Value| parse_rational(value.as_str().unwrap_or(&value.to_string())).unwrap();
    number(&table["instances"]) / number(&table["period"])
}

/// The number of pieces and the loss in the printed line.
fn stated(name: &str, format: &str, seed: u64, pieces: Pieces) -> (u64, Rational) {
    let made = written(name, format, seed, |request| Request { pieces, ..request }).unwrap();
    let note = made
        .notes
        .iter()
        .find(|note| note.starts_with("pieces: "))
        .unwrap();
    let words: Vec<&str> = note.split(' ').collect();
    let loss = if note.contains("no loss of throughput") {
        "0"
    } else {
        words[words.iter().position(|&word| word == "loss").unwrap() + 1]
    };
    (words[1].parse().unwrap(), parse_rational(loss).unwrap())
}

#[test]
fn powers_of_two_lose_what_is_stated() {
    let (mut lossy, mut kept) = (0, 0);
    for name in [
        "all-gather",
        "reduce-scatter",
        "all-reduce",
        "broadcast",
        "all-to-all",
    ] {
        for format in ["mscclpp", "msccl"] {
            for seed in 100..116 {
                let optimum = throughput(name, seed, Pieces::Exact);
                let (pieces, loss) = stated(name, format, seed, Pieces::Fitting);
                assert!(pieces.is_power_of_two(), "{name} {seed}: {pieces}");
                for (pieces, loss) in [
                    (pieces, loss.clone()),
                    stated(name, format, seed, Pieces::Number(3)),
                    stated(name, format, seed, Pieces::Exact),
                ] {
                    let real = throughput(name, seed, Pieces::Number(pieces));
                    assert_eq!(
                        below(real, &optimum),
                        loss,
                        "{name} {format} {seed}: {pieces} pieces"
                    );
                    *(if loss == whole(0) {
                        &mut kept
                    } else {
                        &mut lossy
                    }) += 1;
                }
                // A smaller power loses more than a 32nd, and more than the default.
                for smaller in (0..pieces.ilog2()).map(|power| 1 << power) {
                    let its = below(throughput(name, seed, Pieces::Number(smaller)), &optimum);
                    assert!(
                        its > Rational::new(1.into(), 32.into()) && its >= loss,
                        "{name} {seed}: {smaller}"
                    );
                }
            }
        }
    }
    assert!(lossy > 0 && kept > 50, "{lossy} {kept}");
}

/// All compositions of a number into this number of ordered parts.
fn sharings(pieces: usize, patterns: usize) -> Vec<Vec<usize>> {
    match patterns {
        1 => vec![vec![pieces]],
        _ => {
            let first = |first| {
                let rest = sharings(pieces - first, patterns - 1).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            };
            (0..=pieces).flat_map(first).collect()
        }
    }
}

/// The shortest period of all sharings, and that of the written pieces.
fn periods(name: &str, patterns: usize, pieces: usize, dice: &mut Dice) -> [Rational; 2] {
    let platform = platform(3 + dice.below(4), 2, dice);
    let nodes: Vec<NodeId> = platform.processors().collect();
    let (collective, volumes) = (collective(name, &nodes), Volumes::default());
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let patterns: Vec<_> = (0..patterns).map(|_| pattern(&problem, 0, dice)).collect();
    let whole_patterns = |copies: &[usize]| {
        let scheduled = patterns
            .iter()
            .zip(copies)
            .filter(|(_, copies)| **copies > 0);
        let patterns = scheduled.map(|(pattern, &copies)| ScheduledPattern {
            pattern: pattern.clone(),
            copies: copies.into(),
        });
        let instances = copies.iter().sum::<usize>().into();
        tightened(
            &problem,
            WholePatterns {
                period: whole(1),
                instances,
                patterns: patterns.collect(),
            },
        )
        .unwrap()
    };
    let best = sharings(pieces, patterns.len())
        .iter()
        .map(|copies| whole_patterns(copies).period)
        .min()
        .unwrap();
    let mut copies: Vec<usize> = patterns.iter().map(|_| 1 + dice.below(3)).collect();
    // A plan's own number of instances is shared out as the plan has it.
    copies[0] += usize::from(copies.iter().sum::<usize>() == pieces);
    let schedule = periodic(&problem, whole_patterns(&copies), &Watch::unlimited()).unwrap();
    let pieces = Pieces::Number(pieces as u64);
    let request = Request {
        pieces,
        ..Request::new(&problem, &schedule)
    };
    let made = oneport_exports::format("events")
        .unwrap()
        .write(&request)
        .unwrap();
    let table: Value = serde_json::from_str(&made.files[0].text()).unwrap();
    [
        best,
        parse_rational(table["period"].as_str().unwrap()).unwrap(),
    ]
}

/// Few patterns are shared out so that the busiest resource has the least possible load. Many patterns are seldom
/// worse.
#[test]
fn pieces_are_shared_out_by_load() {
    let mut dice = Dice(31);
    for name in ["broadcast", "all-reduce"] {
        for round in 0..40 {
            let [best, made] = periods(name, 2 + round % 4, 1 + round % 5, &mut dice);
            assert_eq!(made, best, "{name}, {round}");
        }
        let mut equal = 0;
        for round in 0..20 {
            let [best, made] = periods(name, 26, 2, &mut dice);
            assert!(
                made >= best && made <= &best * whole(2),
                "{name}, {round}: {made}, {best}"
            );
            equal += usize::from(made == best);
        }
        assert!(equal >= 15, "{name}: {equal} of 20");
    }
}
