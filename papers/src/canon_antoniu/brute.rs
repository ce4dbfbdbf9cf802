//! The naive twin of RR-7898: all rooted trees, executed step by step, in integer units of time.

/// A rooted tree: the receiver of every machine but machine 0, always a smaller number.
pub type Tree = Vec<usize>;

/// All rooted trees of `n` machines, each shape once (children in nonincreasing order of their trees).
pub fn trees(n: usize) -> Vec<Tree> {
    shapes(n).iter().map(flatten).collect()
}

/// A tree as the shapes of its children.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape(Vec<Shape>);

fn shapes(n: usize) -> Vec<Shape> {
    forests(n - 1, n - 1, None).into_iter().map(Shape).collect()
}

/// Forests of `n` machines in trees of at most `largest`, none after `bound` in the order of (size, shape).
fn forests(n: usize, largest: usize, bound: Option<(usize, &Shape)>) -> Vec<Vec<Shape>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for size in 1..=largest.min(n) {
        for first in shapes(size) {
            if bound.is_some_and(|(most, shape)| (size, &first) > (most, shape)) {
                continue;
            }
            for mut rest in forests(n - size, size, Some((size, &first))) {
                rest.insert(0, first.clone());
                all.push(rest);
            }
        }
    }
    all
}

fn flatten(shape: &Shape) -> Tree {
    fn add(shape: &Shape, receiver: usize, tree: &mut Tree) {
        for child in &shape.0 {
            let own = tree.len();
            tree.push(receiver);
            add(child, own, tree);
        }
    }
    let mut tree = vec![0];
    add(shape, 0, &mut tree);
    tree
}

/// The date at which each machine's value is complete, if every transfer starts as early as possible. The first ready
/// goes first: proposition 3.
pub fn ready(tree: &Tree, d: u64, c: u64) -> Vec<u64> {
    let n = tree.len();
    let mut ready = vec![0; n];
    for machine in (0..n).rev() {
        let mut arrivals: Vec<u64> = (1..n)
            .filter(|&child| tree[child] == machine)
            .map(|child| ready[child])
            .collect();
        arrivals.sort_unstable();
        let (mut port, mut merged) = (0, 0);
        for arrival in arrivals {
            port = arrival.max(port) + d;
            merged = port.max(merged) + c;
        }
        ready[machine] = merged;
    }
    ready
}

/// The dates of [`ready`] without sorting, and the number of steps this takes. A machine with `m` children is busy with
/// their transfers (or merges, if these take longer) for `m` times the step at the end. Arrivals are counted in steps
/// before the last one, in `m` classes. The earliest arrival of a class decides. The others of its class and of later
/// classes follow it.
pub fn ready_in_steps(tree: &Tree, d: u64, c: u64) -> (Vec<u64>, u64) {
    let (n, step) = (tree.len(), d.max(c));
    let mut steps = 0;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    for child in 1..n {
        children[tree[child]].push(child);
        steps += 1;
    }
    let mut ready = vec![0_u64; n];
    for machine in (0..n).rev() {
        let own = &children[machine];
        let Some(last) = own.iter().map(|&child| ready[child]).max() else {
            continue;
        };
        let mut classes: Vec<(u64, u64)> = vec![(u64::MAX, 0); own.len()];
        for &child in own {
            let class = (last - ready[child]).checked_div(step).unwrap_or(0);
            if let Some((earliest, count)) = classes.get_mut(class as usize) {
                *earliest = ready[child].min(*earliest);
                *count += 1;
            }
            steps += 2;
        }
        let mut after = 0;
        for (earliest, count) in classes.into_iter().filter(|(_, count)| *count > 0) {
            after += count;
            ready[machine] = ready[machine].max(earliest + d + (after - 1) * step + c);
            steps += 1;
        }
        steps += own.len() as u64;
    }
    (ready, steps)
}

/// The length of the best schedule with this tree.
pub fn length(tree: &Tree, d: u64, c: u64) -> u64 {
    ready(tree, d, c)[0]
}

/// Number of machines that merge.
pub fn reducers(tree: &Tree) -> usize {
    (0..tree.len())
        .filter(|machine| tree[1..].contains(machine))
        .count()
}

/// The shortest reduction with at most `most` reducers.
pub fn best(trees: &[Tree], d: u64, c: u64, most: usize) -> u64 {
    trees
        .iter()
        .filter(|tree| reducers(tree) <= most)
        .map(|tree| length(tree, d, c))
        .min()
        .unwrap_or(0)
}

/// The shortest reduction with at most `most` transfers at a time: every tree with every order in which transfers can
/// start.
pub fn best_limited(trees: &[Tree], d: u64, c: u64, most: usize) -> u64 {
    trees
        .iter()
        .map(|tree| Orders { tree, d, c, most }.shortest())
        .min()
        .unwrap_or(0)
}

struct Orders<'a> {
    tree: &'a Tree,
    d: u64,
    c: u64,
    most: usize,
}

/// A partial schedule: senders so far, dates at which ports and processors are free, starts in order.
#[derive(Clone)]
struct State {
    sent: Vec<bool>,
    port: Vec<u64>,
    merged: Vec<u64>,
    starts: Vec<u64>,
}

impl Orders<'_> {
    fn shortest(&self) -> u64 {
        let n = self.tree.len();
        let state = State {
            sent: vec![false; n],
            port: vec![0; n],
            merged: vec![0; n],
            starts: Vec::new(),
        };
        self.extend(&state, u64::MAX)
    }

    fn extend(&self, state: &State, best: u64) -> u64 {
        let n = self.tree.len();
        if state.starts.len() + 1 == n {
            return best.min(state.merged[0]);
        }
        let mut best = best;
        for machine in 1..n {
            let waits = (1..n).any(|child| self.tree[child] == machine && !state.sent[child]);
            if state.sent[machine] || waits {
                continue;
            }
            let receiver = self.tree[machine];
            let last = state.starts.last().copied().unwrap_or(0);
            // The transfer before the last `most - 1` must be over.
            let slot = state
                .starts
                .len()
                .checked_sub(self.most)
                .map_or(0, |before| state.starts[before] + self.d);
            let start = last
                .max(slot)
                .max(state.merged[machine])
                .max(state.port[receiver]);
            let mut next = state.clone();
            next.sent[machine] = true;
            next.starts.push(start);
            next.port[receiver] = start + self.d;
            next.merged[receiver] = next.merged[receiver].max(start + self.d) + self.c;
            if next.merged[receiver] < best {
                best = self.extend(&next, best);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of rooted trees, and a tree done by hand.
    #[test]
    fn every_shape_comes_once() {
        let counts: Vec<usize> = (1..=10).map(|n| trees(n).len()).collect();
        assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]);
        assert_eq!(ready(&vec![0, 0, 1, 0], 2, 3), [10, 5, 0, 0]);
    }

    /// If a limit does not bind, orders do not matter.
    #[test]
    fn a_limit_that_does_not_bind_changes_nothing() {
        for (d, c) in [(1, 0), (0, 1), (2, 3), (3, 1)] {
            let trees = trees(6);
            assert_eq!(best_limited(&trees, d, c, 3), best(&trees, d, c, 6));
        }
    }
}
