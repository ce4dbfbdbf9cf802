//! Numbers of pieces: powers of two for GPU libraries, and what they lose.

use oneport_exports::{Pieces, Request};
use oneport_platform::{Rational, parse_rational};
use serde_json::Value;

use crate::common::{whole, written};

/// The share of the optimum that a throughput is below it; random plans may gain.
fn below(real: Rational, optimum: &Rational) -> Rational {
    (whole(1) - real / optimum).max(whole(0))
}

/// Instances per unit of time of the schedule that these pieces really make, ordered into slots.
fn throughput(name: &str, seed: u64, pieces: Pieces) -> Rational {
    let made = written(name, "events", seed, |request| Request { pieces, ..request }).unwrap();
    let table: Value = serde_json::from_str(&made.files[0].text()).unwrap();
    let number = |value: &Value| parse_rational(value.as_str().unwrap_or(&value.to_string())).unwrap();
    number(&table["instances"]) / number(&table["period"])
}

/// The number of pieces and the loss that the line printed says.
fn stated(name: &str, format: &str, seed: u64, pieces: Pieces) -> (u64, Rational) {
    let made = written(name, format, seed, |request| Request { pieces, ..request }).unwrap();
    let note = made.notes.iter().find(|note| note.starts_with("pieces: ")).unwrap();
    let words: Vec<&str> = note.split(' ').collect();
    let loss = match note.contains("no loss of throughput") {
        true => "0",
        false => words[words.iter().position(|&word| word == "loss").unwrap() + 1],
    };
    (words[1].parse().unwrap(), parse_rational(loss).unwrap())
}

#[test]
fn powers_of_two_lose_what_is_stated() {
    let (mut lossy, mut kept) = (0, 0);
    for name in ["all-gather", "reduce-scatter", "all-reduce", "broadcast", "all-to-all"] {
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
                    assert_eq!(below(real, &optimum), loss, "{name} {format} {seed}: {pieces} pieces");
                    *(if loss == whole(0) { &mut kept } else { &mut lossy }) += 1;
                }
                // A smaller power loses more than a 32nd, and more than the default.
                for smaller in (0..pieces.ilog2()).map(|power| 1 << power) {
                    let its = below(throughput(name, seed, Pieces::Number(smaller)), &optimum);
                    assert!(its > Rational::new(1.into(), 32.into()) && its >= loss, "{name} {seed}: {smaller}");
                }
            }
        }
    }
    assert!(lossy > 3 && kept > 50, "{lossy} {kept}");
}
