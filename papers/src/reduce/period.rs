//! Footnote 2 of RR-4872: log T is polynomial in the size of the platform, T is not.
//!
//! The family: a source s, and for each of k targets t_i a link s -> t_i of cost 1 and a path s -> r_i of cost 1/2, r_i
//! -> t_i of cost q_i + 1, the q_i different primes above k. Let x_i be the messages for t_i that go directly and y_i
//! those that go over r_i, with x_i + y_i = TP. The receive port of t_i gives q_i y_i <= 1 - TP, and the send port of s
//! gives k TP - sum y_i / 2 <= 1. So every y_i of an optimal solution is (1 - TP) / q_i, and the solution is unique.
//! With S = sum 1 / q_i it has TP = (2 + S) / (2 k + S): in lowest terms its denominator is at least the product of the
//! q_i over 2 (k - 1), which is beyond 2^k, while the platform has 2 k + 1 nodes, 3 k links and costs of O(log k)
//! digits.

use anyhow::{Result, ensure};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport::Rational;

use crate::cases::{self, Case};
use crate::numbers::{common_denominator, whole};
use crate::printed::{Errata, Program};
use crate::rows::Finding;

/// Limit on the targets in a family.
const TARGETS: usize = 8;
/// Targets up to which every number of the solution is shown to be forced.
const FORCED: usize = 3;

fn primes(above: usize) -> impl Iterator<Item = usize> {
    (above + 1..).filter(|&number| number > 1 && (2..number).all(|factor| number % factor > 0))
}

/// A link, a message, and the amount of it that is sent there per unit of time.
type Sent = (String, usize, Rational);

/// The platform, and the amounts sent over each link and to each target in its only optimal solution.
fn family(k: usize) -> Result<(Case, Vec<Sent>)> {
    let primes: Vec<usize> = primes(k).take(k).collect();
    let names: Vec<[String; 3]> = primes
        .iter()
        .enumerate()
        .map(|(i, q)| [format!("r{i}"), format!("t{i}"), (q + 1).to_string()])
        .collect();
    let mut links = Vec::new();
    for [relay, target, cost] in &names {
        links.extend([
            ("s", target.as_str(), "1"),
            ("s", relay, "1/2"),
            (relay, target, cost),
        ]);
    }
    let nodes: Vec<&str> = names
        .iter()
        .flat_map(|[relay, target, _]| [relay.as_str(), target])
        .collect();
    let targets: Vec<&str> = names.iter().map(|[_, target, _]| target.as_str()).collect();
    let platform = cases::platform(&format!("s {}", nodes.join(" ")), &links)?;
    let case = cases::scatter(&format!("{k} targets"), platform, "s", &targets.join(" "))?;
    let sum: Rational = primes.iter().map(|&q| whole(q).recip()).sum();
    let throughput = (whole(2) + &sum) / (whole(2 * k) + &sum);
    let mut sends = Vec::new();
    for (message, ([relay, target, _], &q)) in names.iter().zip(&primes).enumerate() {
        let over = (Rational::one() - &throughput) / whole(q);
        sends.push((format!("s -> {target}"), message, &throughput - &over));
        sends.push((format!("s -> {relay}"), message, over.clone()));
        sends.push((format!("{relay} -> {target}"), message, over));
    }
    ensure!(
        case.throughput()? == throughput,
        "k = {k}: TP is not {throughput}"
    );
    Ok((case, sends))
}

/// The period of section 3.1, the least common multiple of the denominators of all variables. It is the only one for
/// every k.
pub fn footnote_2() -> Result<Finding> {
    let mut found = Vec::new();
    for k in 2..=TARGETS {
        let (case, sends) = family(k)?;
        let platform = &case.platform;
        if k <= FORCED {
            let mut program =
                Program::new(platform, &case.collective.commodities(), Errata::default())?;
            program.fix_throughput(&case.throughput()?);
            for link in platform.link_ids() {
                for message in 0..k {
                    let (low, high) = program.range(link, message)?;
                    let name = platform.link_name(link);
                    let sent = sends
                        .iter()
                        .find(|(other, of, _)| *other == name && *of == message);
                    let sent = sent.map_or(Rational::zero(), |(_, _, amount)| amount.clone());
                    ensure!(
                        low == sent && high == sent,
                        "{name}, message {message}: {low} to {high}, not {sent}"
                    );
                }
            }
        }
        let times = sends.iter().map(|(name, _, amount)| {
            Ok(amount * &platform.link(cases::link(platform, name)?).cost)
        });
        let times: Vec<Rational> = times.collect::<Result<_>>()?;
        let throughput = case.throughput()?;
        let all = sends
            .iter()
            .map(|(_, _, amount)| amount)
            .chain(&times)
            .chain([&throughput]);
        let period: BigInt = common_denominator(all);
        let digits: u64 = platform
            .links()
            .iter()
            .map(|link| link.cost.numer().bits() + link.cost.denom().bits())
            .sum();
        ensure!(
            period.bits() > k as u64,
            "k = {k}: T = {period} is below 2^k"
        );
        ensure!(
            period.bits() <= 2 * digits,
            "k = {k}: log T is beyond twice the {digits} bits of the costs"
        );
        found.push(format!(
            "{} links: {} bits",
            platform.links().len(),
            period.bits()
        ));
    }
    Ok(Finding::claim(true, found.join("; ")).note(
        "the bits of the only period there is; above 2^k for k targets, within twice the bits of the costs (a proof is with the \
         check)",
    ))
}
