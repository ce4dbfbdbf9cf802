//! What no scheme is cheaper than: the price of every task is shared out among the goals.
//!
//! A scheme contains a reduction tree for every goal, and pays for each task once. So if goal `g` is charged `q(g, t)`
//! for task `t`, and the charges of all goals together do not exceed the task's price, then a scheme costs at least the
//! sum over the goals of the cheapest tree under the goal's own charges. The charges are found goal by goal: each takes
//! of what the earlier ones left, and no more than is needed to make its cheapest tree cost as much as it does (as in
//! the dual ascent for Steiner arborescences, Wong 1984).

use oneport_numbers::Exact;
use oneport_watch::Watch;

use super::potentials::Potentials;
use super::tasks::{Priced, Tasks};

/// A bound, and what the goals left of the tasks' prices.
pub struct Ascent<N> {
    /// No scheme costs less; the top where there is none.
    pub bound: N,
    /// By task.
    pub left: Vec<N>,
}

/// The goals in this order; those that come after the watch has ended are charged nothing, which leaves the bound one.
pub fn ascend<N: Exact>(tasks: &Tasks, priced: &Priced<N>, order: &[usize], watch: &Watch) -> Ascent<N> {
    let mut ascent = Ascent { bound: N::zero(), left: priced.costs.clone() };
    for (turn, &goal) in order.iter().enumerate() {
        if watch.ask().is_err() {
            break;
        }
        let potentials = Potentials::new(tasks, &ascent.left, &priced.top, goal);
        let (place, part) = tasks.goals[goal];
        let price = potentials.at(part, place);
        if priced.is_barred(price) {
            return Ascent { bound: priced.top.clone(), ..ascent };
        }
        ascent.bound += price;
        charge(tasks, priced, &potentials, goal, turn % 2 == 0, &mut ascent.left);
    }
    ascent
}

/// What is needed of each part at each place: at most its potential, and such that the goal's is reached.
///
/// A need is a lower bound on the price of the part there under the charges: the charge of a task is what its result
/// needs beyond what its inputs need.
fn charge<N: Exact>(
    tasks: &Tasks,
    priced: &Priced<N>,
    potentials: &Potentials<N>,
    goal: usize,
    left_first: bool,
    left: &mut [N],
) {
    let places = tasks.places.len();
    let mut need = vec![N::zero(); tasks.parts.len() * places];
    let (place, part) = tasks.goals[goal];
    need[part * places + place] = potentials.at(part, place).clone();
    for part in tasks.within(goal).rev() {
        draw(tasks, left, part, &mut need[part * places..][..places]);
        for (task, place, one, other) in tasks.merges(part) {
            let Some(mut missing) = beyond(&need[part * places + place], &left[task]) else { continue };
            let inputs = if left_first { [one, other] } else { [other, one] };
            for input in inputs {
                missing = beyond(&missing, &need[input * places + place]).unwrap_or_else(N::zero);
            }
            for input in inputs {
                let room = beyond(potentials.at(input, place), &need[input * places + place]);
                let raise = room.unwrap_or_else(N::zero).min(missing.clone());
                missing -= &raise;
                need[input * places + place] += &raise;
            }
        }
    }
    let mut take = |task: usize, charge: Option<N>| {
        if let Some(charge) = charge
            && !priced.is_barred(&left[task])
        {
            left[task] -= &charge;
        }
    };
    for part in tasks.within(goal) {
        let needs = &need[part * places..][..places];
        for (number, arc) in tasks.arcs.iter().enumerate() {
            take(tasks.transfer(part, number), beyond(&needs[arc.to], &needs[arc.from]));
        }
        for (task, place, one, other) in tasks.merges(part) {
            let charge = beyond(&needs[place], &need[one * places + place])
                .and_then(|rest| beyond(&rest, &need[other * places + place]));
            take(task, charge);
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
        let open = (0..needs.len()).filter(|&place| !done[place]);
        let Some(place) = open.max_by(|&a, &b| needs[a].cmp(&needs[b])) else { return };
        if needs[place].is_zero() {
            return;
        }
        done[place] = true;
        for &arc in tasks.entering(place) {
            if let Some(rest) = beyond(&needs[place], &costs[tasks.transfer(part, arc)]) {
                let from = tasks.arcs[arc].from;
                if needs[from] < rest {
                    needs[from] = rest;
                }
            }
        }
    }
}
