//! Two classes, exact, for counts up to 2^63 (an own method, based on Liu-Kuo-Wang 2009, Observation 1 and Theorem 4).
//!
//! Read backwards from the end, a schedule is a binary tree. Its heaviest path is the length (section 5.3.1). By
//! Observation 1 some shortest schedule has its fast senders on top. Fix a deadline `D`. A slot whose ancestors are `d`
//! fast senders and no slow one has room for `g_d = 2^m_d - 1` slow senders, `m_d = floor((D - d t_f) / t_s)`. With
//! `x_d` fast senders at level `d` (`x_0 <= 1`, `x_{d+1} <= 2 x_d`, `d < floor(D / t_f)`) the tree has room for
//!
//! ```text
//! g_0 + sum x_d (2 g_{d+1} - g_d)
//! ```
//!
//! slow senders, since a fast sender closes one slot and opens two. For `t_f < t_s`, `m_d - m_{d+1}` is 0 or 1, so the
//! factor is `g_d` at *flat* levels (`m_{d+1} = m_d`) and -1 at *falling* ones: with `F = sum x_d`, the room is
//! `g_0 - F + W`, where `W` sums `x_d 2^m_d` over the flat levels. `W` does not fall when a fast sender is
//! added, so `F <= f` may be asked for instead of `F = f`, if only the levels have room for `f`.
//!
//! For a ratio of 2 or more slowest-node-first is optimal (Theorem 4, see [`slowest_first`]). Below 2 the module
//! `top_tree` maximises `W` exactly. The length is the least path sum `a t_f + b t_s` whose deadline holds: at most
//! some 130 by 66 candidates, a binary search.

mod top_tree;

use std::collections::BTreeMap;

use num_traits::{Signed, ToPrimitive};
use oneport_plan::{Class, Proof};
use oneport_platform::Rational;

use crate::cluster::Ticks;
use crate::placement::MethodResult;
use crate::slowest_first;
use crate::{Cluster, Error, PlacedSenders, Placement};
use top_tree::Room;

/// Fact: more levels of slow senders than any count needs, even if all fast senders cost one each.
const MANY: u128 = 66;

/// Whether `f` senders of time `fast` and `s` of time `slow` can be reduced within `deadline`.
///
/// Polynomial in the logarithms of the counts, microseconds in practice.
///
/// # Errors
/// Times that are not positive, `fast >= slow`, counts of more than 2^63 together, times without a common unit that
/// makes them less than 2^64.
pub fn holds(
    f: u64,
    s: u64,
    fast: &Rational,
    slow: &Rational,
    deadline: &Rational,
) -> Result<bool, Error> {
    let classes = [(fast, f), (slow, s)].map(|(time, senders)| Class {
        time: time.clone(),
        senders,
    });
    // Both times are checked, also that of an empty class.
    Cluster::new(&classes.clone().map(|class| Class {
        senders: 1,
        ..class
    }))?;
    if fast >= slow {
        return Err(Error::Method {
            method: "levels",
            why: format!("{fast} is not less than {slow}; swap the classes"),
        });
    }
    let inhabited: Vec<Class> = classes
        .into_iter()
        .filter(|class| class.senders > 0)
        .collect();
    let cluster = Cluster::new(&inhabited)?;
    if deadline.is_negative() {
        return Ok(cluster.senders() == 0);
    }
    if slowest_first::is_optimal_by_theorem(&cluster).is_some() {
        return Ok(slowest_first::length(&cluster) <= *deadline);
    }
    let ticks = cluster.ticks()?;
    // A deadline of more than 66 slow transfers always holds.
    let deadline = (deadline / &ticks.unit).floor().to_integer().to_u128();
    Ok(deadline.is_none_or(|deadline| Question::new(&ticks, f, s).answer(deadline).is_some()))
}

/// The shortest reduction of two classes.
///
/// # Errors
/// Not two classes. Times without a common unit that makes them less than 2^64.
pub(crate) fn solve(cluster: &Cluster) -> Result<MethodResult, Error> {
    let [fast, slow] = cluster.classes() else {
        return Err(Error::Method {
            method: "levels",
            why: format!(
                "it is for 2 classes, not {}; use auto",
                cluster.classes().len()
            ),
        });
    };
    if slowest_first::is_optimal_by_theorem(cluster).is_some() {
        let (length, placement) = slowest_first::placed(cluster)?;
        let proof = Proof::SlowestFirst;
        return Ok(MethodResult {
            lower_bound: length.clone(),
            length,
            proof,
            placement: Some(placement),
        });
    }
    let ticks = cluster.ticks()?;
    let question = Question::new(&ticks, fast.senders, slow.senders);
    let (deadline, levels) = question.least(cluster);
    let length = ticks.date(deadline);
    let placement = question.place(&ticks, deadline, &levels);
    Ok(MethodResult {
        lower_bound: length.clone(),
        length,
        proof: Proof::Levels,
        placement: Some(placement),
    })
}

/// Two classes of a ratio between 1 and 2, in ticks.
struct Question {
    fast: u128,
    slow: u128,
    f: u64,
    s: u64,
}

impl Question {
    fn new(ticks: &Ticks, f: u64, s: u64) -> Question {
        let time = |class: usize| u128::from(ticks.times.get(class).copied().unwrap_or(1));
        Question {
            fast: time(0),
            slow: time(1),
            f,
            s,
        }
    }

    /// The least deadline that holds, with its levels. The length of slowest-node-first holds.
    fn least(&self, cluster: &Cluster) -> (u128, Vec<u64>) {
        let most = cluster.ticks().ok().and_then(|ticks| {
            (slowest_first::length(cluster) / ticks.unit)
                .to_integer()
                .to_u128()
        });
        // Without a schedule at hand: 66 slow levels always hold.
        let most = most.unwrap_or(MANY * self.slow);
        let mut candidates: Vec<u128> = (0..=most / self.slow)
            .flat_map(|b| {
                (0..=(most - b * self.slow) / self.fast).map(move |a| a * self.fast + b * self.slow)
            })
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut best = None;
        let (mut low, mut high) = (0, candidates.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.answer(candidates[middle]) {
                Some(levels) => {
                    best = Some((candidates[middle], levels));
                    high = middle;
                }
                None => low = middle + 1,
            }
        }
        best.unwrap_or_else(|| (most, self.spread(most, Vec::new())))
    }

    /// Fast senders per level of a tree that meets the deadline.
    fn answer(&self, deadline: u128) -> Option<Vec<u64>> {
        let heights = deadline / self.fast;
        if heights < 64 && u128::from(self.f) >= 1 << heights {
            return None;
        }
        let slow_levels = deadline / self.slow;
        if slow_levels >= MANY {
            return Some(self.spread(deadline, Vec::new()));
        }
        let wanted = u128::from(self.f) + u128::from(self.s);
        let room = (1u128 << slow_levels) - 1;
        if room >= wanted {
            return Some(self.spread(deadline, Vec::new()));
        }
        let left = |d: u128| (deadline - d * self.fast) / self.slow;
        let level = (0..heights)
            .filter(|&d| left(d) == left(d + 1))
            .map(|d| (d as u32, left(d) as u32));
        let (value, levels) = Room::new(level.collect(), self.f).best();
        (room.saturating_add(value) >= wanted).then(|| self.spread(deadline, levels))
    }

    /// Adds the fast senders that are missing, as high as possible.
    fn spread(&self, deadline: u128, mut levels: Vec<u64>) -> Vec<u64> {
        let mut left = self.f - levels.iter().sum::<u64>();
        let mut slots = 1u64;
        let heights = (deadline / self.fast) as usize;
        for d in 0..heights {
            if d == levels.len() {
                if left == 0 {
                    break;
                }
                levels.push(0);
            }
            let more = left.min(slots - levels[d]);
            levels[d] += more;
            left -= more;
            slots = levels[d].saturating_mul(2);
        }
        levels
    }

    /// The rows: fast levels, and slow trees in the slots that they leave open.
    fn place(&self, ticks: &Ticks, deadline: u128, levels: &[u64]) -> Placement {
        let mut rows: BTreeMap<(u128, usize), u64> = BTreeMap::new();
        let mut left = self.s;
        let mut slots = 1u64;
        for d in 0..=levels.len() {
            let date = d as u128 * self.fast;
            let here = levels.get(d).copied().unwrap_or(0);
            if here > 0 {
                rows.insert((date, 0), here);
            }
            let mut open = slots.saturating_sub(here);
            slots = here.saturating_mul(2);
            let mut date = date;
            while open > 0 && left > 0 && date + self.slow <= deadline {
                let senders = open.min(left);
                *rows.entry((date, 1)).or_default() += senders;
                left -= senders;
                open = senders.saturating_mul(2);
                date += self.slow;
            }
        }
        let rows = rows
            .into_iter()
            .map(|((date, class), senders)| PlacedSenders {
                date: ticks.date(date),
                class,
                senders,
            });
        Placement {
            rows: rows.collect(),
        }
    }
}
