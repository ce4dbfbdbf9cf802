//! Latency and bandwidth fitted to measured times by size.
//!
//! A library changes its algorithm with the size, so one line seldom fits: up to four lines share the sizes among them.
//! Times are weighted by their inverse squares: relative errors count alike at every size.

use num_traits::{Signed, Zero};
use oneport::Rational;

/// Lines at most. Trades a closer fit for lines that mean something. Not measured.
const LINES: usize = 4;
/// Points that a line needs: with fewer any line fits.
const POINTS: usize = 3;
/// Lines whose squared relative errors are below 1 / 10,000 on average (1 %) are near enough: the rest is rounding.
/// Trades a closer fit for lines that mean something. Not measured.
const NEAR: u32 = 10_000;
/// Points at most; of more, the ones between are left out evenly. Trades points for time. Not measured.
const MOST: usize = 64;

/// A measured size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    /// Bytes.
    pub(crate) bytes: Rational,
    /// Seconds.
    pub(crate) time: Rational,
}

/// A line through the times of some consecutive sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The least and the largest size.
    pub(crate) from: Rational,
    pub(crate) to: Rational,
    /// Seconds at size 0.
    pub(crate) latency: Rational,
    /// Seconds per byte, 0 or more.
    pub(crate) slope: Rational,
    /// The largest distance of a time from the line, as a share of the time.
    pub(crate) residual: Rational,
}

/// The lines that fit best, by size. None for fewer than three points. Schwarz's criterion (BIC) gives their number.
/// `O(n^2)` for `n` points.
pub(crate) fn fitted(points: &[Point]) -> Vec<Line> {
    let mut all: Vec<Point> = points
        .iter()
        .filter(|point| point.time.is_positive())
        .cloned()
        .collect();
    all.sort_by(|one, other| one.bytes.cmp(&other.bytes));
    let step = all.len().div_ceil(MOST).max(1);
    let last = all.last().cloned();
    all = all.into_iter().step_by(step).collect();
    if let Some(last) = last.filter(|last| all.last() != Some(last)) {
        all.push(last);
    }
    // Per number of points from the first: the best lines through them.
    let mut best: Vec<Option<Cut>> = (0..=all.len()).map(|end| line(&all[..end])).collect();
    let Some(mut chosen) = best.last().cloned().flatten() else {
        return Vec::new();
    };
    let near = Rational::new(all.len().into(), NEAR.into());
    for _ in 1..LINES {
        if chosen.error <= near {
            break;
        }
        best = (0..=all.len())
            .map(|end| with_another(&all[..end], &best))
            .collect();
        match best.last().cloned().flatten() {
            Some(more) if is_worth(all.len(), &chosen.error, &more.error) => chosen = more,
            _ => break,
        }
    }
    chosen.lines
}

/// Some lines, and the sum of their squared relative errors.
#[derive(Clone)]
struct Cut {
    lines: Vec<Line>,
    error: Rational,
}

/// One of the best cuts, and one more line through the rest of the points.
fn with_another(points: &[Point], best: &[Option<Cut>]) -> Option<Cut> {
    let ends = best.iter().take(points.len()).enumerate();
    let cuts = ends.filter_map(|(end, before)| {
        let (before, after) = (before.as_ref()?, line(points.get(end..)?)?);
        Some(Cut {
            error: &before.error + after.error,
            lines: before.lines.iter().cloned().chain(after.lines).collect(),
        })
    });
    cuts.min_by(|one, other| one.error.cmp(&other.error))
}

/// The line of least squared relative errors.
fn line(points: &[Point]) -> Option<Cut> {
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < POINTS {
        return None;
    }
    let sum =
        |term: &dyn Fn(&Point) -> Rational| rounded(points.iter().map(term).sum::<Rational>());
    let weight = |point: &Point| (&point.time * &point.time).recip();
    let w = sum(&weight);
    let wx = sum(&|point| weight(point) * &point.bytes);
    let wxx = sum(&|point| weight(point) * &point.bytes * &point.bytes);
    let wy = sum(&|point| point.time.recip());
    let wxy = sum(&|point| &point.bytes / &point.time);
    let determinant = &w * &wxx - &wx * &wx;
    let mut slope = Rational::zero();
    if !determinant.is_zero() {
        slope = ((&w * &wxy - &wx * &wy) / &determinant).max(slope);
    }
    let slope = rounded(slope);
    let latency = rounded((&wy - &slope * &wx) / &w);
    let off = |point: &Point| {
        let fit = &latency + &slope * &point.bytes;
        (fit - &point.time) / &point.time
    };
    let error = rounded(points.iter().map(|point| off(point) * off(point)).sum());
    let residual = points.iter().map(|point| off(point).abs()).max()?;
    let line = Line {
        from: first.bytes.clone(),
        to: last.bytes.clone(),
        residual,
        latency,
        slope,
    };
    Some(Cut {
        lines: vec![line],
        error,
    })
}

/// Twenty significant digits: fits are no proofs, and sums of many fractions grow long.
fn rounded(value: Rational) -> Rational {
    oneport::parse_rational(&oneport::decimal(&value, 20)).unwrap_or(value)
}

/// Whether another line lowers Schwarz's criterion `n ln(error) + 3 k ln(n)` for `n` points and `k` lines, each with a
/// latency, a slope and an end.
fn is_worth(points: usize, before: &Rational, after: &Rational) -> bool {
    if after.is_zero() {
        return !before.is_zero();
    }
    let ratio = oneport::decimal(&(before / after), 6);
    let Ok(ratio) = oneport::parse_rational(&ratio) else {
        return false;
    };
    let power = i32::try_from(points).unwrap_or(i32::MAX);
    let cubed = Rational::from_integer(points.into()).pow(3);
    ratio.pow(power) > cubed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    /// `latency + bytes / rate`, in microseconds and bytes per microsecond, off by every second percent.
    fn times(sizes: std::ops::Range<u32>, latency: u64, rate: u64, off: u64) -> Vec<Point> {
        let point = |power: u32| {
            let bytes = rational(1 << power, 1);
            let exact = rational(latency, 1) + &bytes / rational(rate, 1);
            let time = exact
                * rational(
                    if power.is_multiple_of(2) {
                        100 + off
                    } else {
                        100 - off
                    },
                    100,
                );
            Point {
                time: time / rational(1_000_000, 1),
                bytes,
            }
        };
        sizes.map(point).collect()
    }

    #[test]
    fn a_line_is_found_again() {
        let all = fitted(&times(3..30, 10, 20_000, 0));
        let [line] = all.as_slice() else {
            unreachable!("{all:?}");
        };
        let near = |found: &Rational, exact: Rational| {
            (found / &exact - rational(1, 1)).abs() < rational(1, 1_000_000)
        };
        assert!(
            near(&line.latency, rational(10, 1_000_000)) && line.residual < rational(1, 1_000_000)
        );
        assert!(
            near(&line.slope.recip(), rational(20_000_000_000, 1)),
            "{line:?}"
        );
    }

    #[test]
    fn two_algorithms_are_two_lines_in_spite_of_noise() {
        let mut points = times(3..16, 10, 1_000, 1);
        points.extend(times(16..32, 60, 20_000, 1));
        let all = fitted(&points);
        let [small, large] = all.as_slice() else {
            unreachable!("{all:?}");
        };
        let between = |value: &Rational, least: u64, most: u64, unit: u64| {
            *value >= rational(least, unit) && *value <= rational(most, unit)
        };
        assert!(
            between(&small.latency, 9, 11, 1_000_000) && between(&large.latency, 55, 65, 1_000_000)
        );
        assert!(between(
            &large.slope.recip(),
            19_000_000_000,
            21_000_000_000,
            1
        ));
        assert_eq!(
            (&small.to, &large.from),
            (&rational(1 << 15, 1), &rational(1 << 16, 1))
        );
        assert!(large.residual < rational(3, 100));
    }

    #[test]
    fn noise_alone_is_one_line_and_two_points_are_none() {
        assert_eq!(fitted(&times(3..30, 10, 20_000, 5)).len(), 1);
        assert!(fitted(&times(3..5, 10, 20_000, 0)).is_empty());
    }
}
