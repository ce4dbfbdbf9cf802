//! Cheapest Hamiltonian cycles, by the subset program of Bellman (1962) and of Held and Karp (1962).

use oneport_numbers::Exact;

/// The cheapest cycle through all vertices, for each choice of the vertex before the first one. Ascending by cost.
/// Empty if there is no cycle. `costs[i][j]` is the cost from `i` to `j`, `None` if `j` is unreachable.
///
/// O(2^n n^2) additions for `n` vertices, O(2^n n) numbers.
pub(super) fn cheapest_cycles<N: Exact>(costs: &[Vec<Option<N>>]) -> Vec<(N, Vec<usize>)> {
    let others = costs.len().saturating_sub(1);
    let table = Table::new(costs, others);
    let all = (1usize << others) - 1;
    let closed = |last: usize| {
        let mut cost = table.cost[all * others + last].clone()?;
        cost += costs[last + 1][0].as_ref()?;
        Some((cost, table.order(all, last)))
    };
    let mut cycles: Vec<(N, Vec<usize>)> = (0..others).filter_map(closed).collect();
    cycles.sort();
    cycles
}

/// Cycles of the least cost, at most `most` of them, in no particular order.
///
/// O(2^n n^2 + n^2) additions, the second part for every cycle.
pub(super) fn tight_cycles<N: Exact>(costs: &[Vec<Option<N>>], most: usize) -> Vec<Vec<usize>> {
    let Some((least, _)) = cheapest_cycles(costs).into_iter().next() else {
        return Vec::new();
    };
    let others = costs.len() - 1;
    let table = Table::new(costs, others);
    let all = (1usize << others) - 1;
    let is_sum = |way: &Option<N>, step: &Option<N>, sum: &N| {
        way.as_ref()
            .zip(step.as_ref())
            .is_some_and(|(way, step)| way.plus(step) == *sum)
    };
    let mut found: Vec<Vec<usize>> = Vec::new();
    // A path built from its end: the vertices still to be visited, the cost of reaching the last of the vertices below,
    // and these vertices.
    let mut open: Vec<(usize, N, Vec<usize>)> = vec![(all, least, vec![0])];
    while let Some((set, cost, vertices)) = open.pop() {
        if set == 0 {
            found.push(vertices.into_iter().rev().collect());
            if found.len() == most {
                break;
            }
            continue;
        }
        let next = vertices[vertices.len() - 1];
        for last in (0..others).filter(|last| set >> last & 1 == 1) {
            let way = &table.cost[set * others + last];
            let rest = set & !(1 << last);
            if let Some(before) = way
                .as_ref()
                .filter(|_| is_sum(way, &costs[last + 1][next], &cost))
            {
                open.push((rest, before.clone(), [&vertices[..], &[last + 1]].concat()));
            }
        }
    }
    // The first vertex is at the end of a finished path. Rotate it to the beginning.
    for order in &mut found {
        order.rotate_right(1);
    }
    found
}

/// Per set of vertices without the first, and per last vertex visited: the cheapest path from the first vertex through
/// the set.
struct Table<N> {
    others: usize,
    cost: Vec<Option<N>>,
    /// The vertex visited before the last.
    before: Vec<u8>,
}

impl<N: Exact> Table<N> {
    fn new(costs: &[Vec<Option<N>>], others: usize) -> Self {
        let entries = (1usize << others) * others;
        let mut table = Table {
            others,
            cost: vec![None; entries],
            before: vec![0; entries],
        };
        for set in 1..1usize << others {
            for last in (0..others).filter(|last| set >> last & 1 == 1) {
                let rest = set & !(1 << last);
                let vertex = set * others + last;
                if rest == 0 {
                    table.cost[vertex].clone_from(&costs[0][last + 1]);
                } else if let Some((cost, before)) =
                    table.cheapest(rest, |vertex| costs[vertex + 1][last + 1].as_ref())
                {
                    table.cost[vertex] = Some(cost);
                    table.before[vertex] = before;
                }
            }
        }
        table
    }

    /// The cheapest path through the set and on, with the last vertex of the set.
    fn cheapest<'n>(&self, set: usize, on: impl Fn(usize) -> Option<&'n N>) -> Option<(N, u8)>
    where
        N: 'n,
    {
        let mut best: Option<(N, u8)> = None;
        for last in (0..self.others).filter(|last| set >> last & 1 == 1) {
            let (Some(way), Some(step)) = (&self.cost[set * self.others + last], on(last)) else {
                continue;
            };
            let cost = way.plus(step);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, last as u8));
            }
        }
        best
    }

    /// The vertices in the order of the path, the first vertex included.
    fn order(&self, mut set: usize, mut last: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.others + 1);
        while set != 0 {
            order.push(last + 1);
            let before = usize::from(self.before[set * self.others + last]);
            set &= !(1 << last);
            last = before;
        }
        order.push(0);
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All orders of the vertices but the first.
    fn orders(vertices: usize) -> Vec<Vec<usize>> {
        let mut orders = vec![vec![0]];
        for _ in 1..vertices {
            let longer = |order: &Vec<usize>| {
                let free = (1..vertices)
                    .filter(|vertex| !order.contains(vertex))
                    .collect::<Vec<_>>();
                let order = order.clone();
                free.into_iter()
                    .map(move |vertex| order.iter().copied().chain([vertex]).collect())
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        orders
    }

    proptest! {
        /// The cheapest cycle for every last vertex, and every cheapest cycle, is that of all orders, with its stated
        /// cost.
        #[test]
        fn cheapest_by_enumeration(
            vertices in 2..7usize,
            drawn in prop::collection::vec(prop::option::weighted(0.7, 0..20u64), 49),
        ) {
            let costs: Vec<Vec<Option<u64>>> = (0..vertices).map(|i| drawn[7 * i..7 * i + vertices].to_vec()).collect();
            let price = |order: &[usize]| -> Option<u64> {
                (0..vertices).map(|step| costs[order[step]][order[(step + 1) % vertices]]).sum()
            };
            let found = cheapest_cycles(&costs);
            let mut expected: Vec<u64> = (1..vertices)
                .filter_map(|last| {
                    orders(vertices).iter().filter(|order| order.last() == Some(&last)).filter_map(|order| price(order)).min()
                })
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(&found.iter().map(|(cost, _)| *cost).collect::<Vec<_>>(), &expected);
            for (cost, order) in found {
                prop_assert_eq!(price(&order), Some(cost));
                prop_assert!(orders(vertices).contains(&order));
            }
            let mut tight = tight_cycles(&costs, 1000);
            tight.sort();
            let least = expected.first().copied();
            let all: Vec<Vec<usize>> =
                orders(vertices).into_iter().filter(|order| least.is_some() && price(order) == least).collect();
            prop_assert_eq!(&tight, &all);
            prop_assert_eq!(tight_cycles(&costs, 1).len(), all.len().min(1));
        }
    }
}
