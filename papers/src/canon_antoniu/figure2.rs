//! Figure 2: the ratio of the binomial and Fibonacci strategies' lengths to the optimum. It depends on the rule for
//! ties.

use anyhow::{Result, ensure};
use oneport::Rational;
use oneport::homogeneous::{self, Strategy, Tie};
use oneport::plan::Concurrency;
use oneport_drawings::svg;
use oneport_numbers::ratio;

use super::checked::{costs, length};
use crate::figures::Figure;
use crate::numbers::{digits, pixels, short, whole, whole_number};
use crate::rows::Finding;

const TIES: [(Tie, &str); 4] = [
    (Tie::Oldest, "lowest index"),
    (Tie::Newest, "newest"),
    (Tie::FewestChildren, "fewest children"),
    (Tie::MostChildren, "most children"),
];
/// The strategies, each with the costs (d, c) conjectured to be its worst.
const CURVES: [(Strategy, (u64, u64), &str); 2] = [
    (Strategy::Binomial, (1, 1), "binomial, d = c"),
    (Strategy::Fibonacci, (0, 1), "Fibonacci, d = 0"),
];
/// The figure's range.
const MOST: u64 = 10_000;

/// One curve per rule.
struct Curve {
    name: String,
    /// For n = 2, 3, ...
    ratios: Vec<Rational>,
}

impl Curve {
    fn new(strategy: Strategy, d: u64, c: u64, tie: Tie, name: String) -> Result<Curve> {
        let costs = costs(d, c)?;
        let lengths = |strategy| homogeneous::lengths(MOST, &costs, strategy, tie);
        let pairs = lengths(strategy)?
            .into_iter()
            .zip(lengths(Strategy::Greedy)?);
        Ok(Curve {
            name,
            ratios: pairs
                .skip(1)
                .map(|(length, optimum)| length / optimum)
                .collect(),
        })
    }
}

fn curves() -> Result<Vec<Curve>> {
    let mut curves = Vec::new();
    for (strategy, (d, c), name) in CURVES {
        for (tie, rule) in TIES {
            curves.push(Curve::new(strategy, d, c, tie, format!("{name}, {rule}"))?);
        }
    }
    Ok(curves)
}

/// The drawing's range under each rule: from 1 to at most 3/2, less than theorems 18 and 19 allow.
pub fn within_three_halves() -> Result<Finding> {
    let most = ratio(3, 2);
    let mut found = Vec::new();
    for curve in curves()? {
        let range = (curve.ratios.iter().min(), curve.ratios.iter().max());
        let (Some(least), Some(largest)) = range else {
            anyhow::bail!("{}: no ratios", curve.name)
        };
        ensure!(
            *least == whole(1) && *largest <= most,
            "{}: from {least} to {largest}",
            curve.name
        );
        found.push(format!("{} {largest}", curve.name));
    }
    Ok(Finding::claim(
        true,
        format!("largest ratios: {}", found.join("; ")),
    ))
}

/// For very many values the ratios at the special trees' sizes approach 2 log2 phi and log_phi 2 from below.
pub fn limits() -> Result<Finding> {
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let binomial = whole(2 * 62)
        / whole(length(
            1 << 62,
            1,
            1,
            Strategy::Greedy,
            Concurrency::Unlimited,
        )?);
    let (mut order, mut number, mut next) = (0u64, 1u64, 2u64);
    while next < 1 << 62 {
        (order, number, next) = (order + 1, next, number + next);
    }
    let fibonacci = whole(order)
        / whole(length(
            number,
            0,
            1,
            Strategy::Greedy,
            Concurrency::Unlimited,
        )?);
    for (found, limit) in [
        (&binomial, 2.0 * phi.log2()),
        (&fibonacci, 2f64.ln() / phi.ln()),
    ] {
        let share = pixels(found) / limit;
        ensure!(
            (0.97..=1.0).contains(&share),
            "{found} is not close to {limit}"
        );
    }
    let (left, right) = (digits(2.0 * phi.log2()), digits(2f64.ln() / phi.ln()));
    Ok(Finding::claim(
        true,
        format!(
            "{} at n = 2^62, limit {left}; {} at n = F_{}, limit {right}",
            short(&binomial),
            short(&fibonacci),
            order + 2
        ),
    ))
}

/// Limits on the values and on the cost, for which the conjecture is tried.
const CONJECTURE: (u64, u64) = (1100, 12);

fn coprime(a: u64, b: u64) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Per rule for ties: the number of n for which other costs are worse than the conjectured ones, and the first such n.
/// Fails unless the largest ratio over all n is at the conjectured costs.
fn worse(strategy: Strategy, conjectured: fn(u64, u64) -> bool) -> Result<Worse> {
    let (most, cost) = CONJECTURE;
    let pairs: Vec<(u64, u64)> = (0..=cost)
        .flat_map(|d| (0..=cost).map(move |c| (d, c)))
        .filter(|&(d, c)| coprime(d, c))
        .collect();
    let words = |lengths: Vec<Rational>| {
        lengths
            .iter()
            .map(whole_number)
            .collect::<Result<Vec<u64>>>()
    };
    // Length over optimum, as two words, by kind of costs and n.
    let empty = || [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    let mut worst: [[Vec<(u64, u64)>; 4]; 2] = [empty(), empty()];
    for (d, c) in pairs {
        let costs = costs(d, c)?;
        let best = words(homogeneous::lengths(
            most,
            &costs,
            Strategy::Greedy,
            Tie::Oldest,
        )?)?;
        for (position, (tie, _)) in TIES.iter().enumerate() {
            let found = words(homogeneous::lengths(most, &costs, strategy, *tie)?)?;
            let worst: &mut Vec<(u64, u64)> = &mut worst[usize::from(conjectured(d, c))][position];
            worst.resize(found.len(), (0, 1));
            for (old, new) in worst
                .iter_mut()
                .zip(found.into_iter().zip(best.iter().copied()))
            {
                if new.1 > 0 && less(*old, new) {
                    *old = new;
                }
            }
        }
    }
    let [others, conjectured] = worst;
    let mut counts = [(0, None); 4];
    for (position, (others, conjectured)) in others.iter().zip(&conjectured).enumerate() {
        let beaten = |n: &usize| less(conjectured[*n], others[*n]);
        let first = (0..others.len()).find(beaten).map(|n| n as u64 + 1);
        counts[position] = ((0..others.len()).filter(beaten).count(), first);
        let largest = |all: &[(u64, u64)]| {
            all.iter()
                .copied()
                .fold((0, 1), |a, b| if less(a, b) { b } else { a })
        };
        ensure!(
            !less(largest(conjectured), largest(others)),
            "{strategy:?}: the largest ratio is at other costs"
        );
    }
    Ok(counts)
}

/// a < b, as fractions.
fn less(a: (u64, u64), b: (u64, u64)) -> bool {
    u128::from(a.0) * u128::from(b.1) < u128::from(b.0) * u128::from(a.1)
}

/// Per rule for ties: the number of n for which other costs are worse, and the first of them.
type Worse = [(usize, Option<u64>); 4];

/// The binomial strategy at d = c, the Fibonacci strategy at min(d, c) = 0.
fn counts() -> Result<[Worse; 2]> {
    Ok([
        worse(Strategy::Binomial, |d, c| d == c)?,
        worse(Strategy::Fibonacci, |d, c| d.min(c) == 0)?,
    ])
}

/// The conjecture under every rule for ties.
pub fn conjecture() -> Result<Finding> {
    let mut found = Vec::new();
    for (name, counts) in ["binomial", "Fibonacci"].into_iter().zip(counts()?) {
        let by_tie = TIES
            .iter()
            .zip(counts)
            .map(|((_, rule), (count, first))| match first {
                Some(first) => format!("{rule} {count} (first n = {first})"),
                None => format!("{rule} 0"),
            });
        found.push(format!("{name}: {}", by_tie.collect::<Vec<_>>().join(", ")));
    }
    Ok(Finding::undecided(format!(
        "n for which other costs are worse; {}",
        found.join("; ")
    ))
    .note("the largest ratio over all n is at the conjectured costs in all eight cases"))
}

/// The figure under each rule, and its extremes.
pub fn figures() -> Result<Vec<Figure>> {
    let curves = curves()?;
    let points = |curve: &Curve| {
        (2..)
            .zip(&curve.ratios)
            .map(|(n, ratio)| (f64::from(n), pixels(ratio)))
            .collect()
    };
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let limits = [
        (2.0 * phi.log2(), "limit 2 log2 phi"),
        (2f64.ln() / phi.ln(), "limit log_phi 2"),
    ];
    let mut figures = Vec::new();
    for (rule, (_, name)) in TIES.iter().enumerate() {
        let mut series: Vec<svg::Series> = [rule, rule + TIES.len()]
            .into_iter()
            .filter_map(|position| curves.get(position))
            .map(|curve| svg::Series {
                name: curve.name.clone(),
                points: points(curve),
            })
            .collect();
        for (height, label) in limits {
            let points = vec![(2.0, height), (MOST as f64, height)];
            series.push(svg::Series {
                name: format!("{label} = {}", digits(height)),
                points,
            });
        }
        let options = svg::CurveOptions {
            log_x: true,
            reference: Some((1.0, "optimum".to_string())),
            ..Default::default()
        };
        let title = format!("RR-7898, figure 2, ties: {name}");
        let drawing = svg::curve(
            &title,
            "number of values",
            "length over the optimum",
            &series,
            &options,
        );
        let caption = "Ratios of schedule lengths for 2 <= n <= 10000.";
        figures.push(Figure::svg(title, caption, drawing));
    }
    let row = |curve: &Curve| {
        let worst = curve.ratios.iter().max().cloned().unwrap_or_default();
        let at = curve
            .ratios
            .iter()
            .position(|ratio| *ratio == worst)
            .map(|position| position + 2);
        let tail: Vec<&Rational> = curve.ratios.iter().skip(5000 - 1).collect();
        let end = |value: Option<&&Rational>| {
            value.map(|value| digits(pixels(value))).unwrap_or_default()
        };
        vec![
            curve.name.clone(),
            short(&worst),
            at.map(|n| n.to_string()).unwrap_or_default(),
            format!("{} to {}", end(tail.iter().min()), end(tail.iter().max())),
        ]
    };
    let rows = curves.iter().map(row).collect();
    let header = [
        "strategy, costs, rule for ties",
        "largest ratio",
        "first at n",
        "n > 5000",
    ];
    figures.push(Figure::table(
        "Figure 2 by rule for ties",
        "The drawing depends on whom Algorithm 1 takes among equals.",
        &header,
        rows,
    ));
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strategy over optimum.
    fn ratio(n: u64, d: u64, c: u64, strategy: Strategy, tie: Tie) -> Result<Rational> {
        let costs = costs(d, c)?;
        let length = |strategy| {
            homogeneous::Reduce::of(n, &costs)
                .strategy(strategy)
                .tie(tie)
                .length()
        };
        Ok(length(strategy)? / length(Strategy::Greedy)?)
    }

    /// Counted by another program.
    #[test]
    fn other_costs_are_worse_for_these_many_n() -> Result<()> {
        let numbers = counts()?.map(|counts| counts.map(|(count, _)| count));
        assert_eq!(numbers, [[9, 5, 0, 9], [0, 8, 4, 0]]);
        Ok(())
    }

    /// The extremes found before oneport existed, by other programs.
    #[test]
    fn the_largest_ratios_are_those_known() -> Result<()> {
        for (curve, tie, n, expected) in [
            (0, Tie::Oldest, 4096, (4, 3)),
            (0, Tie::Newest, 86, (7, 5)),
            (0, Tie::FewestChildren, 5, (3, 2)),
            (1, Tie::Oldest, 4, (3, 2)),
            (1, Tie::Newest, 987, (7, 5)),
            (1, Tie::FewestChildren, 987, (7, 5)),
        ] {
            let (strategy, (d, c), _) = CURVES[curve];
            assert_eq!(
                ratio(n, d, c, strategy, tie)?,
                whole(expected.0) / whole(expected.1),
                "{strategy:?} {tie:?}"
            );
        }
        Ok(())
    }
}
