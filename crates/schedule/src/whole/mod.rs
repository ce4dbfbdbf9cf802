//! Whole messages: how many the slots of a period cut, and schedules that cut none (RR-4872 section 3.3).
//!
//! A link sends its messages back to back during its slots. A message is cut if one stretch of its link ends before the
//! message does. If a period is repeated `q` times as one long period, every slot lasts `q` times as long. So each slot
//! holds whole messages as soon as `q` is a common multiple of the missing factors of the slots' lengths. This `q`
//! exists under every port model. The least one may be smaller, and a search of single messages looks for it.

mod search;

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{PeriodicSchedule, Problem, Resource, ScheduledPattern, Slot};
use oneport_platform::{LinkId, Rational, ratio, whole};

use crate::cut_order::{Goal, Group, groups, ordered};
use crate::slot_order::{between, with_shares, with_unhindered};
use crate::units::{in_units, speeds, units};
use crate::windows::{Clock, clocks};
use search::{Outcome, Shop};

/// Repetitions of the period up to which single messages are placed by a search. Trades a short schedule for time. Not
/// measured.
const TRIED: u64 = 4;

/// How the slots of a period cut its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuts {
    /// Transfers of one period that take time.
    pub transfers: BigUint,
    /// How many of them pause and go on later in the period.
    pub cut: BigUint,
    /// The most pieces of one transfer: 1 if none is cut, 0 without transfers.
    pub pieces: u64,
}

/// The price of a schedule that cuts no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Its period is this many periods of the given schedule, positive. The throughput is the same.
    pub factor: BigUint,
    /// Smaller factors that were tried, ascending.
    pub tried: Vec<Tried>,
}

/// A factor for which no schedule was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The factor.
    pub factor: u64,
    /// Whether the search went through all orders of messages within a period, so that these patterns have no such
    /// schedule.
    pub to_the_end: bool,
}

/// One link of one period.
struct Traffic {
    link: LinkId,
    /// Lengths of the stretches during which the link is busy, in units.
    stretches: Vec<BigInt>,
    /// The messages that it sends, in order.
    groups: Vec<Group>,
}

impl Traffic {
    /// For each group: the messages in each stretch, in the order of time.
    fn shares(&self) -> Vec<Vec<BigInt>> {
        let mut stretches = self.stretches.iter();
        let mut left = BigInt::zero();
        let mut of_group = |(copies, duration): &Group| {
            let (mut missing, mut shares) = (copies * duration, Vec::new());
            while !missing.is_zero() {
                if left.is_zero() {
                    let Some(next) = stretches.next() else { break };
                    left.clone_from(next);
                }
                let share = left.clone().min(missing.clone());
                missing -= &share;
                left -= &share;
                shares.push(share);
            }
            shares
        };
        self.groups.iter().map(&mut of_group).collect()
    }

    /// How many messages are cut, and the most pieces of one.
    fn cuts(&self) -> (BigUint, u64) {
        let (mut cut, mut most) = (BigUint::zero(), 1);
        for (shares, (_, duration)) in self.shares().iter().zip(&self.groups) {
            // Messages in flight at the end of a stretch, and the number of their pieces so far.
            let (mut sent, mut last) = (BigInt::zero(), None);
            for share in shares.iter().take(shares.len().saturating_sub(1)) {
                sent += share;
                let (message, part) = sent.div_rem(duration);
                if part.is_zero() {
                    continue;
                }
                last = match last.take() {
                    Some((before, pieces)) if before == message => Some((message, pieces + 1)),
                    _ => {
                        cut += 1u32;
                        Some((message, 2))
                    }
                };
                most = most.max(last.as_ref().map_or(1, |(_, pieces)| *pieces));
            }
        }
        (cut, most)
    }

    /// The least number of repetitions after which each stretch holds whole messages of each group.
    fn factor(&self) -> BigInt {
        let mut factor = BigInt::one();
        for (shares, (_, duration)) in self.shares().iter().zip(&self.groups) {
            for share in shares {
                factor = factor.lcm(&(duration / share.gcd(duration)));
            }
        }
        factor
    }
}

/// Counts the messages that the slots of one period cut. `O(links x slots + tasks)` operations on integers, however
/// many copies of patterns there are.
pub fn cuts(problem: &Problem, schedule: &PeriodicSchedule) -> Cuts {
    let mut all = Cuts {
        transfers: BigUint::zero(),
        cut: BigUint::zero(),
        pieces: 0,
    };
    for traffic in traffic(problem, schedule, &units(problem, schedule)) {
        let (cut, pieces) = traffic.cuts();
        all.cut += cut;
        all.pieces = all.pieces.max(pieces);
        all.transfers += traffic
            .groups
            .iter()
            .map(|(copies, _)| copies.magnitude())
            .sum::<BigUint>();
    }
    all
}

/// A schedule of the same patterns in the same proportions that cuts no message, in the shortest period found: a
/// multiple of the one given.
///
/// The slots are put into the order after which the least multiple of the period is enough: the best of all orders for
/// up to 7 slots. Then dates of single messages are searched in smaller multiples, of 1 to 4, each in at most 200,000
/// steps. If a link's messages take different times, they keep the order of the patterns. The last resort is the least
/// common multiple of the missing factors of the slots, which always exists. No message crosses the border of a period.
pub fn whole_messages(problem: &Problem, schedule: &PeriodicSchedule) -> (PeriodicSchedule, Whole) {
    let schedule = &ordered(problem, schedule.clone(), Goal::Repetitions);
    let units = units(problem, schedule);
    let traffic = traffic(problem, schedule, &units);
    let enough = traffic
        .iter()
        .fold(BigInt::one(), |all, link| all.lcm(&link.factor()))
        .magnitude()
        .clone();
    // Another order of messages on a link is not tried.
    let all_orders = traffic.iter().all(|link| link.groups.len() == 1);
    let mut tried = Vec::new();
    for factor in (1..=TRIED).take_while(|factor| BigUint::from(*factor) < enough) {
        match placed(problem, schedule, &traffic, &units, factor) {
            Outcome::Found(slots) => {
                let schedule = PeriodicSchedule {
                    slots,
                    ..repeated(schedule, &factor.into())
                };
                return (
                    schedule,
                    Whole {
                        factor: factor.into(),
                        tried,
                    },
                );
            }
            Outcome::None => tried.push(Tried {
                factor,
                to_the_end: all_orders,
            }),
            Outcome::Ended => tried.push(Tried {
                factor,
                to_the_end: false,
            }),
        }
    }
    (
        repeated(schedule, &enough),
        Whole {
            factor: enough,
            tried,
        },
    )
}

/// A schedule of the same period and patterns that cuts no message, if an order of the slots does, or if a search of at
/// most 200,000 steps finds one.
pub fn uncut(problem: &Problem, schedule: &PeriodicSchedule) -> Option<PeriodicSchedule> {
    let schedule = &ordered(problem, schedule.clone(), Goal::Repetitions);
    let units = units(problem, schedule);
    let traffic = traffic(problem, schedule, &units);
    if traffic.iter().all(|link| link.factor().is_one()) {
        return Some(schedule.clone());
    }
    match placed(problem, schedule, &traffic, &units, 1) {
        Outcome::Found(slots) => Some(PeriodicSchedule {
            slots,
            ..schedule.clone()
        }),
        Outcome::None | Outcome::Ended => None,
    }
}

/// That many periods as one: each slot and each number of copies times the factor.
fn repeated(schedule: &PeriodicSchedule, factor: &BigUint) -> PeriodicSchedule {
    let times = whole(factor.clone());
    let slot = |slot: &Slot| Slot {
        length: &slot.length * &times,
        ..slot.clone()
    };
    let pattern = |scheduled: &ScheduledPattern| ScheduledPattern {
        pattern: scheduled.pattern.clone(),
        copies: &scheduled.copies * factor,
    };
    PeriodicSchedule {
        period: &schedule.period * &times,
        instances: &schedule.instances * factor,
        patterns: schedule.patterns.iter().map(pattern).collect(),
        slots: schedule.slots.iter().map(slot).collect(),
    }
}

/// The messages of each link per period, in order, with their dates.
fn traffic(problem: &Problem, schedule: &PeriodicSchedule, units: &BigInt) -> Vec<Traffic> {
    let clocks = clocks(schedule, units);
    let of_link = |(link, groups): (LinkId, Vec<Group>)| Traffic {
        link,
        stretches: clocks.get(&link).map(Clock::lengths).unwrap_or_default(),
        groups,
    };
    groups(problem, schedule, units)
        .into_iter()
        .map(of_link)
        .collect()
}

/// Slots that cut no message within a number of periods, by a search.
fn placed(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    traffic: &[Traffic],
    units: &BigInt,
    factor: u64,
) -> Outcome<Vec<Slot>> {
    let platform = problem.platform();
    let (hindered, others): (Vec<&Traffic>, Vec<&Traffic>) = traffic
        .iter()
        .partition(|link| Resource::ends(platform, link.link) != [None, None]);
    let (members, others): (Vec<&Traffic>, Vec<&Traffic>) = others
        .into_iter()
        .partition(|link| !platform.shared_by(link.link).is_empty());
    let speeds = speeds(schedule);
    let one = Rational::one();
    let members: Vec<(LinkId, Rational)> = members
        .into_iter()
        .map(|link| (link.link, speeds.get(&link.link).unwrap_or(&one).clone()))
        .collect();
    let period = &schedule.period * whole(factor);
    let Some(shop) = shop(problem, schedule, &hindered, units, factor) else {
        return Outcome::Ended;
    };
    shop.shop.search().map(|starts| {
        let mut dates: BTreeMap<Rational, [Vec<LinkId>; 2]> = BTreeMap::new();
        let date = |at: u64| ratio(&shop.grain * at, units.clone());
        for (kind, start) in starts {
            let (link, end) = (shop.links[kind], start + shop.shop.durations[kind]);
            dates.entry(date(end)).or_default()[1].push(link);
            dates.entry(date(start)).or_default()[0].push(link);
        }
        let busy = |link: &&Traffic| {
            let time: BigInt = link.groups.iter().map(|(copies, time)| copies * time).sum();
            (link.link, ratio(time * factor, units.clone()))
        };
        let slots = with_unhindered(between(dates), others.iter().map(busy).collect());
        with_shares(slots, &period, &members)
    })
}

/// Messages in machine numbers, the link of each kind, and how many units one of these numbers is.
struct Scaled {
    shop: Shop,
    links: Vec<LinkId>,
    grain: BigInt,
}

/// `None` where numbers are long.
fn shop(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    traffic: &[&Traffic],
    units: &BigInt,
    factor: u64,
) -> Option<Scaled> {
    let platform = problem.platform();
    let mut grain = BigInt::zero();
    for (_, time) in traffic.iter().flat_map(|link| &link.groups) {
        grain = grain.gcd(time);
    }
    if grain.is_zero() {
        grain = BigInt::one();
    }
    let resources = Resource::of_platform(platform);
    let mut shop = Shop {
        durations: Vec::new(),
        counts: Vec::new(),
        after: Vec::new(),
        needs: Vec::new(),
        capacities: resources
            .iter()
            .map(|resource| resource.capacity(platform))
            .collect(),
        period: (in_units(&schedule.period, units) * factor / &grain).to_u64()?,
    };
    let mut links = Vec::new();
    for traffic in traffic {
        let needs = Resource::uses(platform, traffic.link)
            .map(|used| used.resource)
            .filter_map(|own| resources.binary_search(&own).ok());
        let needs: Vec<usize> = needs.collect();
        for (index, (copies, time)) in traffic.groups.iter().enumerate() {
            shop.after.push(if index == 0 {
                None
            } else {
                Some(links.len() - 1)
            });
            shop.durations.push((time / &grain).to_u64()?);
            shop.counts.push((copies * factor).to_u32()?);
            shop.needs.push(needs.clone());
            links.push(traffic.link);
        }
    }
    Some(Scaled { shop, links, grain })
}
