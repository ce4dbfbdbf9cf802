//! Ticks of the axes.

use num_bigint::BigInt;
use num_traits::{Pow, Signed, Zero};
use oneport_platform::{Rational, decimal, whole};

use crate::words;

/// Exact ticks are used up to this many.
const FEW: usize = 14;
/// Longest fraction on an axis.
const FRACTION: usize = 6;
/// Digits of decimals on an axis.
const DIGITS: usize = 4;

/// A tick of a time axis. The label is empty if there is no room for it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub time: Rational,
    pub label: String,
}

/// Ticks of a time axis of `room` pixels from 0 to `horizon`: `marks` and the ends exactly when they are few, else
/// round numbers and the end. Labels count `scale` units per unit of the platform. Without one they are fractions if
/// all of them are short, else decimals.
pub(super) fn time_axis(
    horizon: &Rational,
    marks: &[Rational],
    scale: Option<&Rational>,
    size: f64,
    room: f64,
) -> Vec<Tick> {
    let mut times: Vec<Rational> = marks
        .iter()
        .filter(|t| t.is_positive() && *t < horizon)
        .cloned()
        .collect();
    times.sort();
    times.dedup();
    if times.len() + 2 > FEW {
        times = match scale {
            Some(scale) => round_times(&(horizon * scale))
                .into_iter()
                .map(|time| time / scale)
                .collect(),
            None => round_times(horizon),
        };
    }
    times.insert(0, Rational::zero());
    let exact = |time: &Rational| scale.is_none() && time.to_string().len() <= FRACTION;
    let fractions = times.iter().chain([horizon]).all(exact);
    let text = |time: &Rational| match scale {
        Some(scale) => decimal(&(time * scale), DIGITS),
        None if fractions => time.to_string(),
        None => decimal(time, DIGITS),
    };
    label(times, horizon, &text, size, room)
}

/// Multiples of 1, 2 or 5 times a power of ten below the horizon, 4 to 10 of them.
fn round_times(horizon: &Rational) -> Vec<Rational> {
    if !horizon.is_positive() {
        return Vec::new();
    }
    let ten = whole(10);
    let mut step = whole(1);
    // Whole decades at once: a horizon can have a hundred digits.
    let digits = |value: &Rational| value.to_integer().to_string().len();
    let large = digits(horizon).saturating_sub(1);
    let small = if large == 0 {
        digits(&horizon.recip())
    } else {
        0
    };
    let power = |exponent: usize| whole(Pow::pow(BigInt::from(10), exponent));
    step = step * power(large) / power(small);
    while &step * &ten < *horizon {
        step *= &ten;
    }
    let count = words::share(horizon, &step);
    let tenths = if count > 5.0 {
        10
    } else if count > 2.0 {
        5
    } else {
        2
    };
    step = step * whole(tenths) / ten;
    let mut times = Vec::new();
    let mut time = step.clone();
    while time < *horizon && times.len() < 20 {
        times.push(time.clone());
        time += &step;
    }
    times
}

/// Labels the ticks from the left and leaves out labels that would touch their neighbour. The horizon is always
/// labelled.
fn label(
    times: Vec<Rational>,
    horizon: &Rational,
    text: &dyn Fn(&Rational) -> String,
    size: f64,
    room: f64,
) -> Vec<Tick> {
    let span = |time: &Rational, text: &str| {
        let (centre, half) = (
            words::share(time, horizon) * room,
            words::width(text, size) / 2.0 + 4.0,
        );
        (centre - half, centre + half)
    };
    let last = text(horizon);
    let limit = span(horizon, &last).0;
    let mut free = f64::NEG_INFINITY;
    let mut ticks = Vec::new();
    for time in times {
        let text = text(&time);
        let (left, right) = span(&time, &text);
        let fits = left >= free && right <= limit;
        if fits {
            free = right;
        }
        ticks.push(Tick {
            label: if fits { text } else { String::new() },
            time,
        });
    }
    ticks.push(Tick {
        time: horizon.clone(),
        label: last,
    });
    ticks
}

/// Round values from about `low` to `high` for a float axis: steps of 1, 2 or 5 times a power of ten.
pub(super) fn round_values(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most.max(1) as f64;
    if rough <= 0.0 || !rough.is_finite() {
        return vec![low];
    }
    let decade = 10f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|k| k * decade)
        .find(|&s| s >= rough)
        .unwrap_or(10.0 * decade);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    (0..=(last - first) as usize)
        .map(|k| (first + k as f64) * step)
        .collect()
}

/// Ticks of a logarithmic axis: powers of ten, with 2 and 5 times them if the range is short.
pub(super) fn log_values(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let every = ((last - first) / 8).max(1);
    let factors: &[f64] = if last - first <= 3 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    (first..=last)
        .filter(|exponent| (exponent - first) % every == 0)
        .flat_map(|exponent| {
            factors
                .iter()
                .map(move |factor| factor * 10f64.powi(exponent))
        })
        .filter(|value| (low * 0.999_999..=high * 1.000_001).contains(value))
        .collect()
}
