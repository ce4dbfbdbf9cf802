//! Shared by the tests: costs, all trees, all schedules, and a judge of schedules. Nothing is taken from the library.

use oneport_homogeneous::{EqualCosts, Reduce, Tie};
use oneport_plan::{Concurrency, Reduction};
use oneport_platform::Rational;
pub use oneport_platform::whole;

/// Transfer and merge times.
pub const PAIRS: [(u64, u64); 15] = [
    (1, 1),
    (1, 0),
    (0, 1),
    (1, 2),
    (2, 1),
    (2, 3),
    (3, 2),
    (1, 5),
    (5, 1),
    (3, 7),
    (7, 4),
    (1, 12),
    (4, 5),
    (0, 0),
    (2, 5),
];

pub const TIES: [Tie; 4] = [
    Tie::Oldest,
    Tie::Newest,
    Tie::FewestChildren,
    Tie::MostChildren,
];

pub fn costs((transfer, compute): (u64, u64)) -> EqualCosts {
    EqualCosts::new(whole(transfer), whole(compute)).unwrap()
}

pub fn number(value: &Rational) -> u64 {
    assert!(value.is_integer(), "{value}");
    value.to_integer().try_into().unwrap()
}

pub fn greedy(values: u64, pair: (u64, u64), limit: Concurrency) -> u64 {
    number(
        &Reduce::of(values, &costs(pair))
            .limit(limit)
            .length()
            .unwrap(),
    )
}

pub fn written(values: u64, pair: (u64, u64), limit: Concurrency) -> Reduction {
    Reduce::of(values, &costs(pair))
        .limit(limit)
        .schedule()
        .unwrap()
}

/// The length of a tree by RR-7898, Proposition 3, its earliest dates. `parents[i] < i`.
pub fn tree_length(parents: &[usize], (d, c): (u64, u64)) -> u64 {
    let mut arrivals = vec![Vec::new(); parents.len()];
    let mut done = 0;
    for node in (0..parents.len()).rev() {
        let mut ready: Vec<u64> = std::mem::take(&mut arrivals[node]);
        ready.sort_unstable();
        let m = ready.len() as u64;
        let step = d.max(c);
        done = ready
            .iter()
            .zip(1..)
            .map(|(t, j)| t + d + (m - j) * step + c)
            .max()
            .unwrap_or(0);
        if node > 0 {
            arrivals[parents[node]].push(done);
        }
    }
    done
}

/// Calls `visit` with every tree `parents[i] < i` of this number of nodes.
pub fn all_trees(nodes: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(parents: &mut Vec<usize>, nodes: usize, visit: &mut impl FnMut(&[usize])) {
        if parents.len() == nodes {
            return visit(parents);
        }
        for parent in 0..parents.len() {
            parents.push(parent);
            extend(parents, nodes, visit);
            parents.pop();
        }
    }
    extend(&mut vec![0], nodes, visit);
}

/// A processor in the search of all schedules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    complete: u64,
    port: u64,
    receives: bool,
    /// The processor must not send.
    stays: bool,
}

/// The shortest of all schedules of these values: transfers in the order of their starts, each as early as it can.
/// Limits of 99 and more mean no limit.
pub fn exhaustive(ready: &[u64], pair: (u64, u64), transfers: usize, reducers: usize) -> u64 {
    search(ready, None, pair, transfers, reducers)
}

/// The shortest of all schedules of these values that end at the root.
pub fn exhaustive_into(ready: &[u64], root: usize, pair: (u64, u64)) -> u64 {
    search(ready, Some(root), pair, 99, 99)
}

fn search(
    ready: &[u64],
    root: Option<usize>,
    (d, c): (u64, u64),
    transfers: usize,
    reducers: usize,
) -> u64 {
    struct Search {
        d: u64,
        c: u64,
        transfers: usize,
        reducers: usize,
        best: u64,
    }
    impl Search {
        fn go(&mut self, alive: &[State], starts: &mut Vec<u64>, used: usize) {
            if let [last] = alive {
                self.best = self.best.min(last.complete);
                return;
            }
            let mut seen = Vec::new();
            for sender in 0..alive.len() {
                for receiver in 0..alive.len() {
                    let (from, to) = (alive[sender], alive[receiver]);
                    let first = !to.receives;
                    if sender == receiver
                        || from.stays
                        || seen.contains(&(from, to))
                        || (first && used == self.reducers)
                    {
                        continue;
                    }
                    seen.push((from, to));
                    let free = starts
                        .len()
                        .checked_sub(self.transfers)
                        .map_or(0, |index| starts[index] + self.d);
                    let previous = starts.last().copied().unwrap_or(0);
                    let start = from.complete.max(to.port).max(free).max(previous);
                    let complete = to.complete.max(start + self.d) + self.c;
                    if complete >= self.best {
                        continue;
                    }
                    let mut next = alive.to_vec();
                    next[receiver] = State {
                        complete,
                        port: start + self.d,
                        receives: true,
                        stays: to.stays,
                    };
                    next.remove(sender);
                    next.sort_unstable();
                    starts.push(start);
                    self.go(&next, starts, used + usize::from(first));
                    starts.pop();
                }
            }
        }
    }
    let mut alive: Vec<State> = ready
        .iter()
        .enumerate()
        .map(|(value, &complete)| State {
            complete,
            port: 0,
            receives: false,
            stays: root == Some(value),
        })
        .collect();
    alive.sort_unstable();
    let mut search = Search {
        d,
        c,
        transfers,
        reducers,
        best: u64::MAX,
    };
    search.go(&alive, &mut Vec::new(), 0);
    search.best
}

/// Follows a schedule from the definition of the model: one port, one merge at a time, neighbours only (unless there
/// are release dates), the limit, the length.
pub fn judge(reduction: &Reduction, (d, c): (Rational, Rational), limit: Concurrency) {
    let n = reduction.receivers.len();
    let merges = reduction.merges.as_ref().unwrap();
    assert_eq!((reduction.starts.len(), merges.len()), (n, n));
    let root = reduction.root as usize;
    let ready = |i: usize| {
        reduction
            .ready
            .as_ref()
            .map_or(whole(0), |ready| ready.get(i).unwrap())
    };
    let date = |i: usize| (reduction.starts.get(i).unwrap(), merges.get(i).unwrap());
    assert_eq!(
        (reduction.receivers[root] as usize, date(root)),
        (root, (whole(0), whole(0)))
    );
    let mut children = vec![Vec::new(); n];
    for i in (0..n).filter(|&i| i != root) {
        children[reduction.receivers[i] as usize].push(i);
    }
    // Senders before receivers.
    let mut order = vec![root];
    let mut next = 0;
    while next < order.len() {
        order.extend(&children[order[next]]);
        next += 1;
    }
    assert_eq!(order.len(), n, "a tree");
    let mut intervals: Vec<(usize, usize)> = (0..n).map(|i| (i, i + 1)).collect();
    let mut end = ready(root);
    for &processor in order.iter().rev() {
        let mut received = children[processor].clone();
        received.sort_by_key(|&i| (date(i).1, date(i).0, i.abs_diff(processor), i));
        let (mut port, mut complete) = (whole(0), ready(processor));
        for child in received {
            let (start, merge) = date(child);
            assert!(start >= port, "one transfer at a time");
            port = &start + &d;
            assert!(
                merge >= port && merge >= complete,
                "merged after arrival, one at a time"
            );
            complete = &merge + &c;
            let (own, other) = (intervals[processor], intervals[child]);
            if reduction.ready.is_none() {
                assert!(own.1 == other.0 || other.1 == own.0, "a neighbour arrives");
                intervals[processor] = (own.0.min(other.0), own.1.max(other.1));
            }
        }
        if processor == root {
            end = complete;
        } else {
            assert!(date(processor).0 >= complete, "sent when complete");
        }
    }
    if reduction.ready.is_none() {
        assert_eq!(intervals[root], (0, n));
    }
    assert_eq!(reduction.length, end);
    match limit {
        Concurrency::Unlimited => {}
        Concurrency::Reducers(most) => {
            assert!(
                children
                    .iter()
                    .filter(|children| !children.is_empty())
                    .count() as u64
                    <= most
            );
        }
        Concurrency::Transfers(most) => {
            let mut starts: Vec<Rational> =
                (0..n).filter(|&i| i != root).map(|i| date(i).0).collect();
            starts.sort();
            for pair in starts.windows((most as usize).min(n) + 1) {
                assert!(pair[most as usize] >= &pair[0] + &d, "limited transfers");
            }
        }
    }
}
