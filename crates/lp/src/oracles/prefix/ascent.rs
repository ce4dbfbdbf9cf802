//! Lower bound on the price of a scheme: the price of every task is shared out among the goals.
//!
//! A scheme contains a reduction tree for every goal, and pays for each task once. So if goal `g` is charged `q(g, t)`
//! for task `t`, and the charges of all goals together are at most the task's price, then a scheme costs at least the
//! sum over the goals of the cheapest tree under the goal's own charges. The charges are found goal by goal: each takes
//! from the rest that the earlier ones left, and no more than is needed to keep the price of its cheapest tree (as in
//! the dual ascent for Steiner arborescences, Wong 1984).

use oneport_numbers::Exact;
use oneport_watch::Watch;

use super::potentials::Potentials;
use super::tasks::{Priced, Tasks};

/// A bound, and the rest of the tasks' prices after the goals' charges.
pub(super) struct Ascent<N> {
    /// Lower bound on the price of a scheme. The top if there is no scheme.
    pub bound: N,
    /// Per task.
    pub left: Vec<N>,
}

/// Dual ascent over the goals in this order. Goals reached after the watch ended are charged nothing. The bound stays
/// valid.
pub(super) fn ascend<N: Exact>(
    tasks: &Tasks,
    priced: &Priced<N>,
    order: &[usize],
    watch: &Watch,
) -> Ascent<N> {
    let mut ascent = Ascent {
        bound: N::zero(),
        left: priced.costs.clone(),
    };
    for (turn, &goal) in order.iter().enumerate() {
        if watch.ask().is_err() {
            break;
        }
        let potentials = Potentials::new(tasks, &ascent.left, &priced.top, goal);
        let (vertex, part) = tasks.goals[goal];
        let price = potentials.at(part, vertex);
        if priced.is_barred(price) {
            return Ascent {
                bound: priced.top.clone(),
                ..ascent
            };
        }
        ascent.bound += price;
        charge(
            tasks,
            priced,
            &potentials,
            goal,
            turn % 2 == 0,
            &mut ascent.left,
        );
    }
    ascent
}

/// Charges one goal. The need of each part at each vertex is at most its potential. The goal's need is its potential.
///
/// A need is a lower bound on the price of the part there under the charges: each task is charged its result's need
/// minus its inputs' needs.
fn charge<N: Exact>(
    tasks: &Tasks,
    priced: &Priced<N>,
    potentials: &Potentials<N>,
    goal: usize,
    left_first: bool,
    left: &mut [N],
) {
    let vertices = tasks.vertices.len();
    let mut need = vec![N::zero(); tasks.parts.len() * vertices];
    let (vertex, part) = tasks.goals[goal];
    need[part * vertices + vertex] = potentials.at(part, vertex).clone();
    for part in tasks.within(goal).rev() {
        draw(tasks, left, part, &mut need[part * vertices..][..vertices]);
        for (task, vertex, one, other) in tasks.merges(part) {
            let Some(mut missing) = beyond(&need[part * vertices + vertex], &left[task]) else {
                continue;
            };
            let inputs = if left_first {
                [one, other]
            } else {
                [other, one]
            };
            for input in inputs {
                missing =
                    beyond(&missing, &need[input * vertices + vertex]).unwrap_or_else(N::zero);
            }
            for input in inputs {
                let room = beyond(
                    potentials.at(input, vertex),
                    &need[input * vertices + vertex],
                );
                let raise = room.unwrap_or_else(N::zero).min(missing.clone());
                missing -= &raise;
                need[input * vertices + vertex] += &raise;
            }
        }
    }
    let mut subtract = |task: usize, charge: Option<N>| {
        if let Some(charge) = charge
            && !priced.is_barred(&left[task])
        {
            left[task] -= &charge;
        }
    };
    for part in tasks.within(goal) {
        let needs = &need[part * vertices..][..vertices];
        for (number, arc) in tasks.arcs.iter().enumerate() {
            subtract(
                tasks.transfer(part, number),
                beyond(&needs[arc.to], &needs[arc.from]),
            );
        }
        for (task, vertex, one, other) in tasks.merges(part) {
            let charge = beyond(&needs[vertex], &need[one * vertices + vertex])
                .and_then(|rest| beyond(&rest, &need[other * vertices + vertex]));
            subtract(task, charge);
        }
    }
}

/// The difference, if it is positive.
fn beyond<N: Exact>(more: &N, less: &N) -> Option<N> {
    (more > less).then(|| {
        let mut difference = more.clone();
        difference -= less;
        difference
    })
}

/// Needs of one part, against the direction of transfers: the sender's is at least the receiver's less the cost.
fn draw<N: Exact>(tasks: &Tasks, costs: &[N], part: usize, needs: &mut [N]) {
    let mut done = vec![false; needs.len()];
    loop {
        let open = (0..needs.len()).filter(|&vertex| !done[vertex]);
        let Some(vertex) = open.max_by(|&a, &b| needs[a].cmp(&needs[b])) else {
            return;
        };
        if needs[vertex].is_zero() {
            return;
        }
        done[vertex] = true;
        for &arc in tasks.entering(vertex) {
            if let Some(rest) = beyond(&needs[vertex], &costs[tasks.transfer(part, arc)]) {
                let from = tasks.arcs[arc].from;
                if needs[from] < rest {
                    needs[from] = rest;
                }
            }
        }
    }
}
