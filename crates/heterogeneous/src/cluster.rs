//! The senders: classes for lengths, single processors for schedules.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use oneport_numbers::Scaled;
use oneport_plan::Class;
use oneport_platform::{Rational, whole};

use crate::Error;

/// Limit: senders of a cluster.
pub(crate) const MOST_SENDERS: u64 = 1 << 63;

/// The senders of a reduction by class, fastest first. The destination is one more processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    classes: Vec<Class>,
}

impl Cluster {
    /// A cluster of classes, in any order. Classes of equal time are merged. Without a class it has the destination
    /// alone.
    ///
    /// # Errors
    /// A time that is not positive, an empty class, more than 2^63 senders.
    pub fn new(classes: &[Class]) -> Result<Cluster, Error> {
        let mut counts: BTreeMap<Rational, u64> = BTreeMap::new();
        let mut total = 0u64;
        for (index, class) in classes.iter().enumerate() {
            positive(&class.time, || format!("class {index}"))?;
            if class.senders == 0 {
                return Err(Error::EmptyClass {
                    class: index,
                    time: class.time.clone(),
                });
            }
            total = total
                .checked_add(class.senders)
                .filter(|&sum| sum <= MOST_SENDERS)
                .ok_or(Error::TooManySenders)?;
            *counts.entry(class.time.clone()).or_default() += class.senders;
        }
        let classes = counts
            .into_iter()
            .map(|(time, senders)| Class { time, senders })
            .collect();
        Ok(Cluster { classes })
    }

    /// The classes, fastest first, with different times.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Number of senders.
    pub fn senders(&self) -> u64 {
        self.classes.iter().map(|class| class.senders).sum()
    }
}

/// Times as multiples of their largest common unit: coprime integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub unit: Rational,
    /// In the order of [`Cluster::classes`].
    pub times: Vec<u64>,
}

impl Ticks {
    /// The date of `ticks`.
    pub(crate) fn date(&self, ticks: u128) -> Rational {
        &self.unit * whole(BigInt::from(ticks))
    }
}

impl Cluster {
    /// These senders with other positive times, one per class.
    pub(crate) fn with_times(&self, times: impl Iterator<Item = Rational>) -> Cluster {
        let mut counts: BTreeMap<Rational, u64> = BTreeMap::new();
        for (class, time) in self.classes.iter().zip(times) {
            *counts.entry(time).or_default() += class.senders;
        }
        Cluster {
            classes: counts
                .into_iter()
                .map(|(time, senders)| Class { time, senders })
                .collect(),
        }
    }

    /// The times of the classes in ticks.
    ///
    /// # Errors
    /// [`Error::Unit`] if a time is 2^64 units or more.
    pub(crate) fn ticks(&self) -> Result<Ticks, Error> {
        let times: Vec<&Rational> = self.classes.iter().map(|class| &class.time).collect();
        let (unit, ticks) = common_unit(&times);
        let times = ticks
            .iter()
            .map(BigInt::to_u64)
            .collect::<Option<Vec<u64>>>();
        let bits = ticks.iter().map(BigInt::bits).max().unwrap_or(0);
        Ok(Ticks {
            unit,
            times: times.ok_or(Error::Unit { bits })?,
        })
    }
}

/// The greatest common divisor of the times, and their multiples of it. It is 1 if all times are 0.
pub(crate) fn common_unit(times: &[&Rational]) -> (Rational, Vec<BigInt>) {
    let Scaled { values, unit } = Scaled::coarsest(times.iter().copied());
    (unit, values.into_iter().map(BigInt::from).collect())
}

/// Which processor ends with the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// One of the list, counted from 0. It sends nothing.
    Listed(usize),
    /// One more processor outside the list, numbered after it.
    Outside,
}

/// Single processors with their transmission times, and the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors {
    /// Transmission times of all processors. The destination's entry is 0 if it is outside the list.
    times: Vec<Rational>,
    destination: usize,
}

impl Processors {
    /// Processors with these transmission times.
    ///
    /// # Errors
    /// An empty list, a time that is not positive, a destination out of range.
    pub fn new(times: Vec<Rational>, destination: Destination) -> Result<Processors, Error> {
        if times.is_empty() {
            return Err(Error::NoProcessor);
        }
        for (index, time) in times.iter().enumerate() {
            positive(time, || format!("processor {index}"))?;
        }
        let mut times = times;
        let destination = match destination {
            Destination::Listed(destination) if destination < times.len() => destination,
            Destination::Listed(destination) => {
                return Err(Error::DestinationOutOfRange {
                    destination,
                    processors: times.len(),
                });
            }
            Destination::Outside => {
                times.push(Rational::zero());
                times.len() - 1
            }
        };
        Ok(Processors { times, destination })
    }

    /// Transmission times of all processors. 0 for a destination outside the list.
    pub fn times(&self) -> &[Rational] {
        &self.times
    }

    /// The destination.
    pub fn destination(&self) -> usize {
        self.destination
    }

    /// All processors but the destination, in order.
    pub fn senders(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.times.len()).filter(move |&processor| processor != self.destination)
    }

    /// The senders by class.
    pub fn cluster(&self) -> Cluster {
        let mut counts: BTreeMap<&Rational, u64> = BTreeMap::new();
        for sender in self.senders() {
            *counts.entry(&self.times[sender]).or_default() += 1;
        }
        let classes = counts
            .into_iter()
            .map(|(time, senders)| Class {
                time: time.clone(),
                senders,
            })
            .collect();
        Cluster { classes }
    }
}

pub(crate) fn positive(time: &Rational, position: impl Fn() -> String) -> Result<(), Error> {
    if time.is_positive() {
        Ok(())
    } else {
        Err(Error::NotPositive {
            entry: position(),
            value: time.clone(),
        })
    }
}
