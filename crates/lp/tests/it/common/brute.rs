//! Whole messages by exhaustive search: every distribution of `d` copies of every message over simple paths.

use num_traits::{One, ToPrimitive};
use oneport_plan::WholePatterns;
use oneport_platform::Rational;

use super::{Case, simple_paths};
use oneport_testkit::ratio;

/// Result of an exhaustive search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Fits,
    DoesNotFit,
    /// The search became too long.
    Unknown,
}

/// Whether `instances` whole instances fit into `period`.
pub fn fits(case: &Case, instances: u32, period: &Rational) -> Verdict {
    let mut unit = Rational::one();
    for number in case
        .platform
        .links()
        .iter()
        .map(|link| &case.size * &link.cost)
        .chain([period.clone()])
    {
        unit *= ratio((number * &unit).denom().clone(), 1);
    }
    let integer = |value: Rational| {
        (value * &unit)
            .to_integer()
            .to_i128()
            .expect("small numbers")
    };
    let nodes = case.platform.nodes().len();
    let mut messages: Vec<Vec<Vec<(usize, i128)>>> = Vec::new();
    for commodity in case.collective.commodities() {
        let paths = simple_paths(&case.platform, commodity.source, commodity.target);
        let loads = paths.iter().map(|path| {
            let uses = path.iter().flat_map(|&link| {
                let link = case.platform.link(link);
                let time = integer(&case.size * &link.cost);
                [(link.from.index(), time), (nodes + link.to.index(), time)]
            });
            uses.collect()
        });
        messages.push(loads.collect());
    }
    // Messages with little choice first.
    messages.sort_by_key(Vec::len);
    let mut search = PathSearch {
        messages,
        instances,
        room: vec![integer(period.clone()); 2 * nodes],
        effort: 400_000,
    };
    search.place(0, 0, instances)
}

struct PathSearch {
    /// Ports of each path of each message, and the time of one copy on them.
    messages: Vec<Vec<Vec<(usize, i128)>>>,
    instances: u32,
    room: Vec<i128>,
    effort: u32,
}

impl PathSearch {
    /// Spreads the `left` copies of a message over its paths from `path` on, then the messages after it.
    fn place(&mut self, message: usize, path: usize, left: u32) -> Verdict {
        if message == self.messages.len() {
            return Verdict::Fits;
        }
        if left == 0 {
            return self.place(message + 1, 0, self.instances);
        }
        if path == self.messages[message].len() {
            return Verdict::DoesNotFit;
        }
        if self.effort == 0 {
            return Verdict::Unknown;
        }
        self.effort -= 1;
        let uses = self.messages[message][path].clone();
        if uses.iter().all(|&(port, time)| self.room[port] >= time) {
            for &(port, time) in &uses {
                self.room[port] -= time;
            }
            let verdict = self.place(message, path, left - 1);
            for &(port, time) in &uses {
                self.room[port] += time;
            }
            if verdict != Verdict::DoesNotFit {
                return verdict;
            }
        }
        self.place(message, path + 1, left)
    }
}

/// Panics unless the patterns are simple paths between the right ends, every message has `instances` copies, and no
/// port is busy for longer than the period.
#[track_caller]
pub fn check_whole(case: &Case, whole: &WholePatterns) {
    let commodities = case.collective.commodities();
    let mut copies = vec![ratio(0, 1); commodities.len()];
    let nodes = case.platform.nodes().len();
    let mut busy = vec![ratio(0, 1); 2 * nodes];
    for scheduled in &whole.patterns {
        let commodity = commodities[scheduled.pattern.demand];
        let paths = simple_paths(&case.platform, commodity.source, commodity.target);
        assert!(
            paths.contains(&scheduled.pattern.links().collect::<Vec<_>>()),
            "{case:?}: {:?} is no simple path",
            scheduled.pattern
        );
        let count = ratio(scheduled.copies.clone(), 1);
        assert!(
            count >= Rational::one(),
            "{case:?}: {scheduled:?} has no copies"
        );
        for link in scheduled.pattern.links() {
            let link = case.platform.link(link);
            let time = &count * &case.size * &link.cost;
            busy[link.from.index()] += &time;
            busy[nodes + link.to.index()] += time;
        }
        copies[scheduled.pattern.demand] += count;
    }
    let instances = ratio(whole.instances.clone(), 1);
    assert!(
        copies.iter().all(|count| *count == instances),
        "{case:?}: {copies:?} copies, {instances} instances"
    );
    assert!(
        busy.iter().all(|time| *time <= whole.period),
        "{case:?}: {busy:?} in a period of {}",
        whole.period
    );
}
