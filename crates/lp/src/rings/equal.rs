//! Rings of equal weight, for runtimes that have no weights.
//!
//! If `k` rings have the same share `s`, and a unit of data in all of them takes time `t` on a resource of capacity
//! `c`, then `s t <= c`. So a choice of rings decides its best share, `s = min c / t`, and the search is for the choice
//! within the limit on rings with the largest `k s`.
//!
//! - From the best packing with weights, rounded by largest remainders, for every `k`.
//! - For a share `s`, as many rings as fit, in sequence, each the ring that takes least of the scarce resources. The
//!   choice is among all rings if only links are limited, and among the rings that the packing uses or might use.
//! - From integer programs: for a share `s`, as many rings as fit. Where only links are limited, a best share is the
//!   bandwidth of some link over a whole number (how often the rings cross it), so these shares are all there are.
//!
//! The integer programs choose among rings that the packing uses or might use and the rings found before, which need
//! not include all useful ones. Bound: if no packing carries more than `w`, there are at most `floor(w / s)` rings of
//! share `s`. So equal rings carry at most the largest `s min(most, floor(w / s))` over all shares.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{IntegerOptions, LinearProgram, Relation, Row, Sense, find_integer_point};
use oneport_numbers::{Scaled, common_denominator};
use oneport_plan::{EqualRings, Pattern, Ring, RingPacking};
use oneport_platform::{NodeId, Platform, Rational, whole};
use oneport_watch::Watch;

use super::grown::grown;
use super::{Cycles, RingError, pattern_of, question_of, ring_of};
use crate::LpError;
use crate::resources::Resources;

/// Branch-and-bound nodes per share. Trades a larger share for time. Measured: `rings` on fourteen machines of 4 and 8
/// GPUs at most 0.52 s of CPU, on a full mesh of 16 GPUs 19 s.
const NODES: u32 = 100;
/// Shares that integer programs are solved for. Trades a larger share for time. Not measured alone: see `NODES`.
const SHARES: usize = 3;
/// Columns of each program on at most `FEW` processors. Trades a larger share for time. Measured: answers within 1 s.
const COLUMNS: usize = 400;
/// Processors up to which a program has `COLUMNS` columns. Trades a larger share for time. Measured: see `COLUMNS`.
const FEW: usize = 8;
/// Columns times rows of each program on more processors, and at least this number of columns. Trades a larger share
/// for time. Not measured alone: see `NODES`.
const FIELDS: usize = 100_000;
/// Shares for which rings of a list are chosen in sequence. Trades a larger share for time. Not measured.
const FILLED: usize = 64;
/// Shares for which rings are grown. Trades a larger share for time. Not measured.
const GROWN: usize = 8;
/// Fact: sums of `2^15` loads of rings on resources fit 64 bits.
const BITS: u64 = 48;

/// How rings of a share are chosen.
enum Way {
    Grown,
    Filled,
    Fitted,
}

/// At most `most` rings, all with the same share and with the largest total found, and the bound that is proved. If
/// totals are equal, the fewest rings found. `most` is at least 1.
///
/// # Errors
/// [`LpError`]: the packing is not one of this platform's, or HiGHS refuses to work.
pub fn equal_rings(
    platform: &Platform,
    gpus: &[NodeId],
    packing: &RingPacking,
    most: u32,
    watch: &Watch,
) -> Result<EqualRings, RingError> {
    let question = question_of(platform, gpus, watch)?;
    let cycles = Cycles::new(&question, gpus);
    let mut pool = Pool::new(&cycles, packing);
    let most = most.max(1);
    let mut best = pool.rounded(packing, most)?;
    let crossings = most.saturating_mul(gpus.len() as u32);
    let shares = shares(
        platform,
        &packing.upper_bound,
        [most, crossings],
        &best.total(),
    );
    let bound = |share: &Rational| share * BigInt::from(fitting(&packing.upper_bound, share, most));
    let mut tried: Vec<(Rational, Rational)> = shares
        .iter()
        .map(|share| (bound(share), share.clone()))
        .collect();
    // The best possible total first. If totals are equal, the fewest rings.
    tried.sort_by(|one, other| other.cmp(one));
    let proved = if is_of_links(platform) {
        tried.first().map_or_else(
            || best.total(),
            |(bound, _)| bound.clone().max(best.total()),
        )
    } else {
        packing.upper_bound.clone()
    };
    let grows = if is_of_links(platform) { GROWN } else { 0 };
    for (way, shares) in [
        (Way::Grown, grows),
        (Way::Filled, FILLED),
        (Way::Fitted, SHARES),
    ] {
        let taken = pool.taken();
        for (bound, share) in tried.iter().take(shares) {
            let fewer = fitting(&packing.upper_bound, share, most) < best.count;
            if *bound < best.total() || *bound == best.total() && !fewer || watch.ask().is_err() {
                break;
            }
            let found = match (&way, &taken) {
                (Way::Grown, _) => pool.with(&grown(&cycles, share, most, watch)),
                (Way::Filled, taken) => taken
                    .as_ref()
                    .and_then(|taken| pool.filled(taken, share, most)),
                (Way::Fitted, _) => pool.fitted(share, most, watch)?,
            };
            best = found.filter(|found| found.is_better(&best)).unwrap_or(best);
        }
    }
    let rings = best
        .times
        .iter()
        .zip(&pool.rings)
        .filter(|(times, _)| **times > 0);
    let rings = rings.map(|(&times, ring)| (ring.clone(), times)).collect();
    Ok(EqualRings {
        rings,
        share: best.share,
        upper_bound: proved,
    })
}

fn is_of_links(platform: &Platform) -> bool {
    platform.only_links()
}

/// Upper bound on the number of rings of a share.
fn fitting(upper_bound: &Rational, share: &Rational, most: u32) -> u32 {
    (upper_bound / share)
        .floor()
        .to_integer()
        .to_u32()
        .unwrap_or(u32::MAX)
        .min(most)
}

/// Shares worth a try for at most `most` rings, which cross a link at most `crossings` times. If only links are
/// limited, all shares that could be part of a total above the known one, or of an equal total with fewer rings.
fn shares(
    platform: &Platform,
    bound: &Rational,
    [most, crossings]: [u32; 2],
    known: &Rational,
) -> BTreeSet<Rational> {
    if !is_of_links(platform) {
        return (1..=most).map(|count| bound / whole(count)).collect();
    }
    let bandwidths: BTreeSet<Rational> = platform
        .links()
        .iter()
        .map(|link| link.cost.recip())
        .collect();
    let mut shares = BTreeSet::new();
    for bandwidth in bandwidths {
        let share_of = |crossed: u32| &bandwidth / whole(crossed);
        let worth = |share: &Rational| share * whole(most) >= *known;
        let all = (1..=crossings).map(share_of).take_while(worth);
        shares.extend(all.filter(|share| share <= bound));
    }
    shares
}

/// Rings of a pool by their number of uses, with the share that then fits. Rings that came later are not used.
struct Choice {
    times: Vec<u32>,
    count: u32,
    share: Rational,
}

impl Choice {
    fn total(&self) -> Rational {
        &self.share * whole(self.count)
    }

    fn is_better(&self, other: &Choice) -> bool {
        let (own, others) = (self.total(), other.total());
        own > others || own == others && self.count < other.count
    }
}

/// The rings to choose from, and their loads: rings that the packing uses, rings that it might use, grown rings.
struct Pool<'p> {
    cycles: &'p Cycles<'p>,
    rings: Vec<Ring>,
    resources: Resources,
    loads: Vec<Vec<(usize, Rational)>>,
    /// Number of rings that the packing uses, then the number of rings that it uses or might use.
    used: usize,
    known: usize,
}

/// A ring's load per resource, with the index of the resource.
type Taken = Vec<(usize, u64)>;

impl<'p> Pool<'p> {
    fn new(cycles: &'p Cycles<'p>, packing: &RingPacking) -> Self {
        let resources = Resources::new(cycles.question.platform(), false);
        let rings: Vec<Ring> = packing
            .rings
            .iter()
            .map(|(ring, _)| ring)
            .chain(&packing.others)
            .cloned()
            .collect();
        let loads = rings
            .iter()
            .map(|ring| resources.loads(cycles.question, &pattern_of(ring)))
            .collect();
        let (used, known) = (packing.rings.len(), rings.len());
        Pool {
            cycles,
            rings,
            resources,
            loads,
            used,
            known,
        }
    }

    /// Adds the rings that are new, and chooses exactly these. `None` if there are none.
    fn with(&mut self, grown: &[Pattern]) -> Option<Choice> {
        let mut times = vec![0; self.rings.len()];
        for pattern in grown {
            let ring = ring_of(
                self.cycles.question.platform(),
                self.cycles.hops.gpus,
                pattern,
            );
            let index = self
                .rings
                .iter()
                .position(|known| *known == ring)
                .unwrap_or(self.rings.len());
            if index == self.rings.len() {
                self.rings.push(ring);
                self.loads
                    .push(self.resources.loads(self.cycles.question, pattern));
                times.push(0);
            }
            times[index] += 1;
        }
        self.choice(times)
    }

    /// The rings that integer programs choose from.
    fn columns(&self) -> Vec<usize> {
        let indices = (0..self.used)
            .chain(self.known..self.rings.len())
            .chain(self.used..self.known);
        let few = self.cycles.hops.gpus.len() <= FEW;
        let most = if few {
            COLUMNS
        } else {
            COLUMNS.max(FIELDS / self.resources.count().max(1))
        };
        indices.take(most).collect()
    }

    /// The choice with the largest share that fits. `None` if nothing is chosen.
    fn choice(&self, times: Vec<u32>) -> Option<Choice> {
        let mut busy = vec![Rational::zero(); self.resources.count()];
        for (loads, &times) in self
            .loads
            .iter()
            .zip(&times)
            .filter(|(_, times)| **times > 0)
        {
            for (index, time) in loads {
                busy[*index] += time * BigInt::from(times);
            }
        }
        let share = |(index, busy): (usize, &Rational)| {
            busy.is_positive()
                .then(|| self.resources.capacity(index) / busy)
        };
        let share = busy.iter().enumerate().filter_map(share).min()?;
        Some(Choice {
            count: times.iter().sum(),
            times,
            share,
        })
    }

    /// The best of the packing's weights, rounded to 1 to `most` rings.
    fn rounded(&self, packing: &RingPacking, most: u32) -> Result<Choice, LpError> {
        let unit = common_denominator(packing.rings.iter().map(|(_, weight)| weight));
        let weights: Vec<BigInt> = packing
            .rings
            .iter()
            .map(|(_, weight)| weight.numer() * (&unit / weight.denom()))
            .collect();
        let choices = (1..=most)
            .filter_map(|count| self.choice(apportioned(&weights, count, self.rings.len())));
        let best = choices.reduce(|best, other| if other.is_better(&best) { other } else { best });
        best.ok_or(LpError::Contradiction("a packing has no rings"))
    }

    /// Loads of a unit of data in each ring, as parts of the resources' capacities, in whole numbers, with their unit.
    /// `None` if these numbers are long.
    fn taken(&self) -> Option<(Vec<Taken>, Rational)> {
        let part = |(index, time): &(usize, Rational)| time / self.resources.capacity(*index);
        let parts: Vec<Rational> = self.loads.iter().flatten().map(part).collect();
        let scaled = Scaled::coarsest(&parts);
        let mut whole = scaled.narrow::<u64>(BITS)?.into_iter();
        let of_ring = |loads: &Vec<(usize, Rational)>| {
            loads
                .iter()
                .map(|(index, _)| *index)
                .zip(&mut whole)
                .collect()
        };
        Some((self.loads.iter().map(of_ring).collect(), scaled.unit))
    }

    /// Rings of this share in sequence, each the ring that takes least of the scarce resources, while one fits.
    fn filled(
        &self,
        taken: &(Vec<Taken>, Rational),
        share: &Rational,
        most: u32,
    ) -> Option<Choice> {
        let (taken, unit) = taken;
        let whole = (share * unit).recip().floor().to_integer().to_u64()?;
        let mut left = vec![whole; self.resources.count()];
        let mut times = vec![0; taken.len()];
        for _ in 0..most {
            let fits =
                |ring: &[(usize, u64)]| ring.iter().all(|(index, part)| *part <= left[*index]);
            let scarcity = |(index, part): &(usize, u64)| {
                (u128::from(*part) << 64) / u128::from(left[*index].max(1))
            };
            let cost = |ring: &[(usize, u64)]| -> u128 { ring.iter().map(scarcity).sum() };
            let cheapest = taken.iter().enumerate().filter(|(_, ring)| fits(ring));
            let Some((chosen, ring)) = cheapest.min_by_key(|(_, ring)| cost(ring)) else {
                break;
            };
            times[chosen] += 1;
            for (index, part) in ring {
                left[*index] -= part;
            }
        }
        self.choice(times)
    }

    /// As many rings of this share as an integer program finds room for.
    fn fitted(
        &self,
        share: &Rational,
        most: u32,
        watch: &Watch,
    ) -> Result<Option<Choice>, LpError> {
        let mut program = LinearProgram::new(Sense::Maximize);
        let capacity = |index: usize| self.resources.capacity(index) / share;
        let rows: Vec<Row> = (0..self.resources.count())
            .map(|index| program.add_row(Relation::AtMost, capacity(index)))
            .collect();
        let count = program.add_row(Relation::AtMost, whole(most));
        let columns = self.columns();
        for &column in &columns {
            let entries = self.loads[column]
                .iter()
                .map(|(index, time)| (rows[*index], time.clone()));
            program.add_column(Rational::one(), entries.chain([(count, Rational::one())]))?;
        }
        let options = IntegerOptions {
            node_limit: NODES,
            upper: most,
        };
        let point = find_integer_point(&program, options, watch)?;
        let Some(point) = point else { return Ok(None) };
        let mut times = vec![0; self.rings.len()];
        for (&column, value) in columns.iter().zip(&point) {
            times[column] = value.to_u32().unwrap_or(0);
        }
        Ok(self.choice(times))
    }
}

/// Distributes `count` rings by weight: whole parts first, then the largest remainders (the first if they are equal).
fn apportioned(weights: &[BigInt], count: u32, rings: usize) -> Vec<u32> {
    let sum: BigInt = weights.iter().sum();
    let part = |weight: &BigInt| -> (u32, BigInt) {
        let scaled = weight * BigInt::from(count);
        ((&scaled / &sum).to_u32().unwrap_or(count), scaled % &sum)
    };
    let parts: Vec<(u32, BigInt)> = weights.iter().map(part).collect();
    let mut times: Vec<u32> = parts.iter().map(|(whole, _)| *whole).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by(|&one, &other| parts[other].1.cmp(&parts[one].1).then(one.cmp(&other)));
    let missing = count.saturating_sub(times.iter().sum());
    for index in by_remainder.into_iter().take(missing as usize) {
        times[index] += 1;
    }
    times.resize(rings, 0);
    times
}
