//! Algorithms 1, 2 and 3 of RR-7898 as printed, with a heap: the naive twins of tests and benchmarks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_integer::Integer;
use num_traits::{NumAssignRef, Unsigned};
use oneport_plan::Concurrency;

/// The result of the algorithms. Processors count from 0 in the order of their insertion. Processor 0 is the paper's 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// The paper's `c_i`. 0 for processor 0.
    pub children: Vec<u32>,
    /// The dates at which processors were inserted, read backwards: the first value of the paper's `s_i`, in Algorithm
    /// 2 its `t_i` before the last loop.
    pub dates: Vec<T>,
}

impl<T: Clone + Ord> Listing<T> {
    /// The latest date: the length of the schedule.
    pub fn length(&self) -> Option<T> {
        self.dates.iter().max().cloned()
    }
}

/// Runs Algorithm 1, 2 or 3, by the limit. The lowest index wins ties. O(n log n). The caller ensures that dates fit
/// `T`.
pub fn listing<T>(values: u32, transfer: &T, compute: &T, limit: Concurrency) -> Listing<T>
where
    T: Integer + Unsigned + NumAssignRef + Clone,
{
    let mut listing = Listing {
        children: vec![0],
        dates: vec![T::zero()],
    };
    let mut heap = BinaryHeap::from([Reverse((T::zero(), 0_u32))]);
    let step = std::cmp::max(transfer, compute).clone();
    for processor in 1..values {
        let Some(Reverse((date, child))) = heap.pop() else {
            break;
        };
        let prepared = date.clone() + compute.clone();
        let (end, again) = match limit {
            Concurrency::Transfers(most) => {
                // Lines 8 and 10.
                let before = u64::from(processor).saturating_sub(most) as usize;
                let end = prepared.clone().max(listing.dates[before].clone()) + transfer.clone();
                (end.clone(), prepared.max(end - compute.clone()))
            }
            Concurrency::Unlimited | Concurrency::Reducers(_) => {
                (prepared + transfer.clone(), date + step.clone())
            }
        };
        if !matches!(limit, Concurrency::Reducers(most) if u64::from(processor) >= most) {
            heap.push(Reverse((end.clone(), processor)));
        }
        heap.push(Reverse((again, child)));
        listing.children.push(child);
        listing.dates.push(end);
    }
    listing
}
