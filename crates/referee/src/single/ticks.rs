//! Costs and dates as integers over one common denominator: machine integers if they fit, big ones elsewhere.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_plan::Dates;
use oneport_platform::Rational;

use crate::Violation;
use crate::arithmetic::Scale;
use crate::violation::shown;

/// Fact: numbers below 2^MACHINE_BITS leave room in 128 bits for every sum of a few of them.
const MACHINE_BITS: u64 = 120;

/// An integer date or duration.
pub(super) trait Number: Clone + Ord {
    /// The number. A machine integer only if [`Clock::is_small`].
    fn of(value: &BigUint) -> Self;
    /// The number as a big one.
    fn big(&self) -> BigUint;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// `ticks` times the number.
    fn times(&self, ticks: u64) -> Self;
    /// 0.
    fn zero() -> Self;
}

impl Number for u128 {
    fn of(value: &BigUint) -> u128 {
        value.to_u128().unwrap_or(u128::MAX)
    }

    fn big(&self) -> BigUint {
        BigUint::from(*self)
    }

    fn plus(&self, other: &u128) -> u128 {
        self.saturating_add(*other)
    }

    fn times(&self, ticks: u64) -> u128 {
        self.saturating_mul(u128::from(ticks))
    }

    fn zero() -> u128 {
        0
    }
}

impl Number for BigUint {
    fn of(value: &BigUint) -> BigUint {
        value.clone()
    }

    fn big(&self) -> BigUint {
        self.clone()
    }

    fn plus(&self, other: &BigUint) -> BigUint {
        self + other
    }

    fn times(&self, ticks: u64) -> BigUint {
        self * ticks
    }

    fn zero() -> BigUint {
        BigUint::ZERO
    }
}

/// A list of dates as integers.
#[derive(Debug)]
pub(super) enum Column<'a, N> {
    /// `ticks[i] * factor`.
    Ticks(&'a [u64], N),
    /// One by one.
    Values(Vec<N>),
}

impl<N: Number> Column<'_, N> {
    /// The date of a processor.
    pub(super) fn at(&self, processor: usize) -> N {
        match self {
            Column::Ticks(ticks, factor) => factor.times(ticks[processor]),
            Column::Values(values) => values[processor].clone(),
        }
    }
}

/// The common denominator of all costs and dates of a schedule, all of them at least 0.
#[derive(Debug)]
pub(super) struct Clock {
    scale: Scale,
    small: bool,
}

impl Clock {
    /// The clock of these numbers and lists.
    ///
    /// # Errors
    /// [`Rule::TooLarge`](crate::Rule::TooLarge).
    pub(super) fn new(numbers: &[&Rational], lists: &[&Dates]) -> Result<Clock, Violation> {
        let dates = || lists.iter().flat_map(|&dates| rationals(dates));
        let all_numbers = || numbers.iter().copied().chain(dates());
        let entries = numbers.len() + lists.iter().map(|dates| written(dates)).sum::<usize>();
        let scale = Scale::new("the costs and dates", all_numbers(), entries)?;
        let bits = |list: &Dates| match list {
            Dates::Ticks { unit, .. } => unit.numer().bits() + u64::from(u64::BITS),
            Dates::Exact(dates) => dates
                .iter()
                .map(|date| date.numer().bits())
                .max()
                .unwrap_or(0),
        };
        let numbers = numbers.iter().map(|number| number.numer().bits());
        let longest = numbers
            .chain(lists.iter().map(|dates| bits(dates)))
            .max()
            .unwrap_or(0);
        let small = longest + scale.denominator().bits() <= MACHINE_BITS;
        Ok(Clock { scale, small })
    }

    /// Whether all numbers fit machine integers.
    pub(super) fn is_small(&self) -> bool {
        self.small
    }

    /// A number given to [`Clock::new`] as an integer.
    pub(super) fn number<N: Number>(&self, value: &Rational) -> N {
        N::of(&self.scale.scaled(value))
    }

    /// A list given to [`Clock::new`] as integers.
    pub(super) fn column<'a, N: Number>(&self, dates: &'a Dates) -> Column<'a, N> {
        match dates {
            Dates::Ticks { unit, ticks } => Column::Ticks(ticks, self.number(unit)),
            Dates::Exact(dates) => {
                Column::Values(dates.iter().map(|date| self.number(date)).collect())
            }
        }
    }

    /// An integer as the date that it represents.
    pub(super) fn date<N: Number>(&self, number: &N) -> String {
        shown(self.rational(number))
    }

    /// The number that an integer stands for.
    pub(super) fn rational<N: Number>(&self, number: &N) -> Rational {
        self.scale.rational(number.big())
    }
}

/// The rationals of a list.
fn rationals(dates: &Dates) -> impl Iterator<Item = &Rational> {
    match dates {
        Dates::Ticks { unit, .. } => std::slice::from_ref(unit).iter(),
        Dates::Exact(dates) => dates.iter(),
    }
}

/// How many rationals a list has.
fn written(dates: &Dates) -> usize {
    match dates {
        Dates::Ticks { .. } => 1,
        Dates::Exact(dates) => dates.len(),
    }
}
