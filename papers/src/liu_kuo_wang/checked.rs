//! Our schedules and optima of unequal senders, each passed by the referee.

use std::ops::ControlFlow;

use anyhow::{Result, ensure};
use oneport::heterogeneous::{Budget, Destination, Method, Processors, earliest};
use oneport::plan::{Concurrency, Reduction};
use oneport::{HeterogeneousAnswer, Rational, Status, reduce_processors, referee};

use crate::numbers::{whole, whole_number};

/// Nothing stops these searches.
pub fn budget() -> Budget<'static> {
    Budget {
        states: u64::MAX,
        watch: &|_| ControlFlow::Continue(()),
    }
}

pub fn rationals(times: &[u64]) -> Vec<Rational> {
    times.iter().map(|&time| whole(time)).collect()
}

/// Senders with these times, and a destination.
pub fn processors(times: &[u64]) -> Result<Processors> {
    Ok(Processors::new(rationals(times), Destination::Outside)?)
}

/// Our earliest-possible schedule of a sequence of times, passed by the referee.
pub fn schedule(sequence: &[u64]) -> Result<Reduction> {
    let processors = processors(sequence)?;
    let order: Vec<usize> = processors.senders().collect();
    let reduction = earliest(&processors, &order)?;
    referee::check_reduction(&reduction, Concurrency::Unlimited)?;
    Ok(reduction)
}

/// Answer of one of our methods, accepted by the referee.
pub fn solve(times: &[u64], method: Method) -> Result<HeterogeneousAnswer> {
    Ok(reduce_processors(&processors(times)?, method, &budget())?)
}

/// Our optimum.
pub fn optimum(times: &[u64]) -> Result<u64> {
    let shortest = solve(times, Method::Auto)?.answer.into_claim();
    ensure!(
        shortest.stated_status() == Status::Optimal,
        "{times:?}: not solved"
    );
    whole_number(&shortest.length)
}
