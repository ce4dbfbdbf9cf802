//! Which patterns to round up: fixed-point arithmetic guides the choice, nothing depends on its precision.
//!
//! `d` instances by exact shares would keep resource `r` busy for `d L_r`. Whole copies change that by the
//! *discrepancy* `sum_k (copies_k - d share_k) load_k,r`, which has no more terms than there are patterns of demands
//! with several. The *excess* of a rounding is the time of its busiest resource above `d max L_r`. So the best number
//! of instances has the least excess per instance. All amounts are counted in parts of `max L_r`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_platform::Rational;

use super::shares::Shares;

/// Fact: fixed-point numbers have this many bits after the point.
const BITS: u32 = 44;
/// Fact: bits of the approximated shares that the loads of one instance are made of.
const SHARE_BITS: u32 = 160;
/// Fact: largest load of one copy, in fixed point. Higher loads count as this one.
const HEAVIEST: i64 = 1 << 56;
/// Fact: largest idle time, in fixed point. An overflow of sums would only change the choice of a copy.
const IDLEST: i64 = 1 << 61;

/// Fact: a bound on the error of fixed-point numbers per instance, far above `2^10` roundings.
const ROUNDING_ERROR: i64 = 1 << 20;

/// Discrepancies of the roundings of one steady state.
pub(super) struct Discrepancy<'s, 'a> {
    shares: &'s Shares<'a>,
    /// Per choice: load of one copy on each resource that it uses, by index in `slack`.
    loads: Vec<Vec<(usize, i64)>>,
    /// Idle time per instance of each resource that choices use.
    slack: Vec<i64>,
    /// The least idle time per instance of all other resources.
    rest: Option<i64>,
    /// Choices by demand.
    demands: Vec<Vec<usize>>,
    /// The time of the busiest resource per instance by exact shares, in units shifted by [`SHARE_BITS`], not 0.
    longest: BigInt,
    effort: usize,
}

/// One rounding.
#[derive(Clone)]
pub(super) struct Trial {
    pub instances: BigInt,
    /// Copies of each choice.
    pub copies: Vec<BigInt>,
    /// Excess, in fixed point.
    pub excess: i64,
}

impl<'s, 'a> Discrepancy<'s, 'a> {
    pub(super) fn new(shares: &'s Shares<'a>) -> Self {
        let ideal = ideal_loads(shares);
        let longest = ideal
            .iter()
            .max()
            .filter(|load| load.is_positive())
            .cloned()
            .unwrap_or_else(BigInt::one);
        let fixed = |load: BigInt| {
            ((load << BITS) / &longest)
                .to_i64()
                .map_or(HEAVIEST, |load| load.min(HEAVIEST))
        };
        let mut indices: BTreeMap<usize, usize> = BTreeMap::new();
        let mut slack = Vec::new();
        let mut loads = Vec::with_capacity(shares.choices.len());
        let mut demands: Vec<Vec<usize>> = Vec::new();
        for (number, choice) in shares.choices.iter().enumerate() {
            let index = |(resource, load): (usize, BigInt)| {
                let index = *indices.entry(resource).or_insert_with(|| {
                    slack.push(fixed(&longest - &ideal[resource]));
                    slack.len() - 1
                });
                (index, fixed(load << SHARE_BITS))
            };
            let mut row: Vec<(usize, i64)> =
                shares.load(&choice.uses).into_iter().map(index).collect();
            row.sort_unstable();
            loads.push(row);
            demands.resize(demands.len().max(choice.demand + 1), Vec::new());
            demands[choice.demand].push(number);
        }
        let others = ideal
            .iter()
            .enumerate()
            .filter(|(resource, _)| !indices.contains_key(resource));
        let rest = others
            .map(|(_, load)| load)
            .max()
            .map(|load| fixed(&longest - load));
        let effort = 1 + loads
            .iter()
            .map(|loads: &Vec<_>| 4 * loads.len() + 8)
            .sum::<usize>();
        Discrepancy {
            shares,
            loads,
            slack,
            rest,
            demands,
            longest,
            effort,
        }
    }

    /// The excess per instance of a rounding of this time per instance, in fixed point. It is rounded up, by more than
    /// the error of fixed-point numbers.
    pub(super) fn excess_within(&self, per_instance: &Rational) -> i64 {
        let allowed = (self.shares.room(per_instance) + 1u32) << (SHARE_BITS + BITS);
        let excess = allowed / &self.longest - (BigInt::one() << BITS);
        excess
            .to_i64()
            .map_or(i64::MAX, |excess| excess.saturating_add(ROUNDING_ERROR))
    }

    /// Additions that one rounding takes, roughly.
    pub(super) fn effort(&self) -> usize {
        self.effort
    }

    /// Rounds the copies of `instances` instances. Shares are rounded down. Each left-over copy goes to the pattern
    /// whose busiest resource ends up least busy. Then copies are exchanged, for at most `exchanging` times the work so
    /// far.
    pub(super) fn round(&self, instances: &BigInt, exchanging: usize) -> Trial {
        let scale = instances.to_i64().unwrap_or(i64::MAX);
        let idle = |slack: i64| slack.saturating_mul(scale).min(IDLEST);
        let mut busy: Vec<i64> = self.slack.iter().map(|slack| -idle(*slack)).collect();
        let mut left: Vec<BigInt> = self
            .shares
            .rates
            .iter()
            .map(|rate| instances * rate)
            .collect();
        let mut copies = Vec::with_capacity(self.loads.len());
        for (choice, loads) in self.shares.choices.iter().zip(&self.loads) {
            let (whole, part) =
                (choice.share.numer() * instances).div_mod_floor(choice.share.denom());
            left[choice.demand] -= &whole;
            copies.push(whole);
            if !part.is_zero() {
                let part = ((part << BITS) / choice.share.denom())
                    .to_i64()
                    .unwrap_or(0);
                for &(index, load) in loads {
                    let less = (i128::from(part) * i128::from(load)) >> BITS;
                    busy[index] = busy[index].saturating_sub(less as i64);
                }
            }
        }
        self.round_up(&mut left, &mut copies, &mut busy);
        let others = self.rest.map_or(i64::MIN, |slack| -idle(slack));
        self.improve(
            &mut copies,
            &mut busy,
            others,
            exchanging.saturating_mul(self.effort),
        );
        let excess = busy
            .into_iter()
            .max()
            .map_or(others, |busiest| busiest.max(others));
        Trial {
            instances: instances.clone(),
            copies,
            excess,
        }
    }

    /// How busy the busiest resource of a choice becomes with one more copy.
    fn harm(&self, choice: usize, busy: &[i64]) -> i64 {
        self.loads[choice]
            .iter()
            .map(|&(index, load)| busy[index].saturating_add(load))
            .max()
            .unwrap_or(i64::MIN)
    }

    fn add(&self, choice: usize, sign: i64, busy: &mut [i64]) {
        for &(index, load) in &self.loads[choice] {
            busy[index] = busy[index].saturating_add(sign * load);
        }
    }

    /// Distributes the copies left. Harm never shrinks meanwhile, so an old value is a lower bound of the present one.
    fn round_up(&self, left: &mut [BigInt], copies: &mut [BigInt], busy: &mut [i64]) {
        let open = self
            .shares
            .choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| left[choice.demand].is_positive());
        let mut queue: BinaryHeap<Reverse<(i64, usize)>> = open
            .map(|(number, _)| Reverse((self.harm(number, busy), number)))
            .collect();
        while let Some(Reverse((_, choice))) = queue.pop() {
            let left = &mut left[self.shares.choices[choice].demand];
            if !left.is_positive() {
                continue;
            }
            let harm = self.harm(choice, busy);
            if queue
                .peek()
                .is_none_or(|&Reverse(next)| (harm, choice) <= next)
            {
                self.add(choice, 1, busy);
                copies[choice] += 1u32;
                *left -= 1u32;
                queue.push(Reverse((self.harm(choice, busy), choice)));
            } else {
                queue.push(Reverse((harm, choice)));
            }
        }
    }

    /// Exchanges a copy at the busiest resource for one of another pattern, while that makes it less busy and keeps all
    /// other resources below its old load.
    fn improve(&self, copies: &mut [BigInt], busy: &mut [i64], others: i64, mut effort: usize) {
        while let Some((busiest, &limit)) = busy.iter().enumerate().max_by_key(|&(_, busy)| busy) {
            let mut best: Option<(i64, usize, usize)> = None;
            effort = effort.saturating_sub(copies.len());
            if limit > others {
                for (from, _) in copies
                    .iter()
                    .enumerate()
                    .filter(|(_, copies)| copies.is_positive())
                {
                    if effort > 0 && self.on(from, busiest) > 0 {
                        self.add(from, -1, busy);
                        for &to in &self.demands[self.shares.choices[from].demand] {
                            let bound = best.map_or(limit, |(harm, _, _)| harm);
                            if let Some(harm) =
                                self.harm_below(to, busy, busy[busiest], bound, &mut effort)
                            {
                                best = Some((harm, from, to));
                            }
                        }
                        self.add(from, 1, busy);
                    }
                }
            }
            let Some((_, from, to)) = best else { return };
            self.add(from, -1, busy);
            self.add(to, 1, busy);
            copies[from] -= 1u32;
            copies[to] += 1u32;
        }
    }

    /// Load of one copy on one resource.
    fn on(&self, choice: usize, index: usize) -> i64 {
        let loads = &self.loads[choice];
        loads
            .binary_search_by_key(&index, |&(index, _)| index)
            .map_or(0, |at| loads[at].1)
    }

    /// The harm of one more copy, or how busy one resource is without it, if both are below the bound.
    fn harm_below(
        &self,
        choice: usize,
        busy: &[i64],
        least: i64,
        bound: i64,
        effort: &mut usize,
    ) -> Option<i64> {
        let mut harm = least;
        *effort = effort.saturating_sub(1);
        for &(index, load) in &self.loads[choice] {
            *effort = effort.saturating_sub(1);
            harm = harm.max(busy[index].saturating_add(load));
            if harm >= bound {
                return None;
            }
        }
        (harm < bound).then_some(harm)
    }
}

/// Busy time by resource of one instance, in units shifted by [`SHARE_BITS`].
fn ideal_loads(shares: &Shares<'_>) -> Vec<BigInt> {
    let mut totals: Vec<BigInt> = shares
        .base
        .iter()
        .map(|units| units << SHARE_BITS)
        .collect();
    for choice in &shares.choices {
        let share = (choice.share.numer() << SHARE_BITS) / choice.share.denom();
        for (index, units) in choice.uses.iter() {
            totals[*index] += units * &share;
        }
    }
    shares
        .measure
        .loads(&totals, |index| shares.times[index].clone())
}
