//! One reduction tree per goal, which share tasks: schemes, found greedily and improved one goal at a time.

use oneport_numbers::Exact;
use oneport_plan::Pattern;
use oneport_platform::LinkId;
use oneport_watch::Watch;

use super::potentials::Potentials;
use super::tasks::{Named, Priced, Tasks};

/// Rounds of improvement. Each ends with a cheaper forest. Trades time for cheaper schemes. Not measured.
const ROUNDS: usize = 8;

/// Trees for all goals. A task that several of them use is executed once.
#[derive(Debug, Clone)]
pub(super) struct Forest {
    /// Per goal.
    trees: Vec<Vec<usize>>,
}

impl Forest {
    /// Grows the trees in sequence, each the cheapest where tasks have the costs `first` and tasks of earlier trees are
    /// free. Then improves them under prices. `None` if a goal cannot be reached, or the watch has ended.
    pub(super) fn grow<N: Exact>(
        tasks: &Tasks,
        priced: &Priced<N>,
        first: &[N],
        order: &[usize],
        watch: &Watch,
    ) -> Option<Self> {
        let mut forest = Forest {
            trees: vec![Vec::new(); tasks.goals.len()],
        };
        let barred = |(first, cost): (&N, &N)| {
            if priced.is_barred(cost) {
                cost.clone()
            } else {
                first.clone()
            }
        };
        let mut costs: Vec<N> = first.iter().zip(&priced.costs).map(barred).collect();
        for &goal in order {
            watch.ask().ok()?;
            forest.trees[goal] = cheapest(tasks, &costs, priced, goal)?.1;
            for &task in &forest.trees[goal] {
                costs[task] = N::zero();
            }
        }
        forest.improve(tasks, priced, order, watch);
        Some(forest)
    }

    /// Takes out one tree at a time and puts in the cheapest, given the others.
    fn improve<N: Exact>(
        &mut self,
        tasks: &Tasks,
        priced: &Priced<N>,
        order: &[usize],
        watch: &Watch,
    ) {
        let mut users = vec![0usize; tasks.count];
        for &task in self.trees.iter().flatten() {
            users[task] += 1;
        }
        let mut costs: Vec<N> = priced.costs.clone();
        for task in (0..tasks.count).filter(|&task| users[task] > 0) {
            costs[task] = N::zero();
        }
        for _ in 0..ROUNDS {
            let mut gained = false;
            for &goal in order {
                if watch.ask().is_err() {
                    return;
                }
                let mut own = N::zero();
                for &task in &self.trees[goal] {
                    users[task] -= 1;
                    if users[task] == 0 {
                        costs[task] = priced.costs[task].clone();
                        own += &costs[task];
                    }
                }
                if let Some((price, tree)) = cheapest(tasks, &costs, priced, goal)
                    && price < own
                {
                    self.trees[goal] = tree;
                    gained = true;
                }
                for &task in &self.trees[goal] {
                    users[task] += 1;
                    costs[task] = N::zero();
                }
            }
            if !gained {
                return;
            }
        }
    }

    /// The needed tasks, each after the tasks that it depends on.
    pub(super) fn tasks(&self, tasks: &Tasks) -> Vec<usize> {
        let mut waiting: Vec<usize> = self.trees.iter().flatten().copied().collect();
        waiting.sort_unstable();
        waiting.dedup();
        // Short parts first: values are made before they are needed, mostly in the first pass.
        waiting.sort_by_key(|&task| result(tasks, task).0);
        let vertices = tasks.vertices.len();
        let mut there = vec![false; tasks.parts.len() * vertices];
        for (part, vertex) in
            (0..tasks.parts.len()).filter_map(|part| Some((part, tasks.owner(part)?)))
        {
            there[part * vertices + vertex] = true;
        }
        let mut ordered = Vec::with_capacity(waiting.len());
        loop {
            let before = waiting.len();
            waiting.retain(|&task| {
                let (part, vertex) = result(tasks, task);
                if there[part * vertices + vertex] {
                    return false;
                }
                let ready = inputs(tasks, task)
                    .iter()
                    .flatten()
                    .all(|&(part, vertex)| there[part * vertices + vertex]);
                if ready {
                    there[part * vertices + vertex] = true;
                    ordered.push(task);
                }
                !ready
            });
            if waiting.len() == before {
                break;
            }
        }
        let mut wanted = vec![false; tasks.parts.len() * vertices];
        for &(vertex, part) in tasks.goals.iter() {
            wanted[part * vertices + vertex] = true;
        }
        let mut needed = Vec::with_capacity(ordered.len());
        for &task in ordered.iter().rev() {
            let (part, vertex) = result(tasks, task);
            if wanted[part * vertices + vertex] {
                for &(part, vertex) in inputs(tasks, task).iter().flatten() {
                    wanted[part * vertices + vertex] = true;
                }
                needed.push(task);
            }
        }
        needed.reverse();
        needed
    }
}

/// The cheapest tree for a goal and its price.
fn cheapest<N: Exact>(
    tasks: &Tasks,
    costs: &[N],
    priced: &Priced<N>,
    goal: usize,
) -> Option<(N, Vec<usize>)> {
    let potentials = Potentials::new(tasks, costs, &priced.top, goal);
    let (vertex, part) = tasks.goals[goal];
    let price = potentials.at(part, vertex);
    (!priced.is_barred(price)).then(|| (price.clone(), potentials.tree(tasks, part, vertex)))
}

/// Part and vertex of the task's result.
fn result(tasks: &Tasks, task: usize) -> (usize, usize) {
    match tasks.name(task) {
        Named::Transfer { arc, part } => (part, tasks.arcs[arc].to),
        Named::Merge { vertex, part, .. } => (part, vertex),
    }
}

/// Parts and vertices of the task's inputs.
fn inputs(tasks: &Tasks, task: usize) -> [Option<(usize, usize)>; 2] {
    match tasks.name(task) {
        Named::Transfer { arc, part } => [Some((part, tasks.arcs[arc].from)), None],
        Named::Merge {
            vertex,
            left,
            right,
            ..
        } => [Some((left, vertex)), Some((right, vertex))],
    }
}

/// Total price of tasks.
pub(super) fn price<N: Exact>(priced: &Priced<N>, tasks: &[usize]) -> N {
    let mut sum = N::zero();
    for &task in tasks {
        sum += &priced.costs[task];
    }
    sum
}

/// Ordered tasks as a pattern. `routes` are the links of each arc.
pub(super) fn pattern(tasks: &Tasks, ordered: &[usize], routes: &[Vec<LinkId>]) -> Pattern {
    let vertices = tasks.vertices.len();
    // The task behind each part at each vertex.
    let mut behind: Vec<Option<u32>> = vec![None; tasks.parts.len() * vertices];
    let mut made = Pattern::new(0);
    for &task in ordered {
        let (result, vertex) = result(tasks, task);
        match tasks.name(task) {
            Named::Transfer { arc, part } => {
                let mut after = behind[part * vertices + tasks.arcs[arc].from];
                for &link in &routes[arc] {
                    after = made.send(link, tasks.parts[part], after);
                }
            }
            Named::Merge {
                vertex,
                part,
                left,
                right,
            } => {
                let inputs = [left, right].map(|input| behind[input * vertices + vertex]);
                let split = tasks.parts[left].last;
                let node = tasks.vertices[vertex];
                made.merge(node, tasks.parts[part], split, inputs);
            }
        }
        behind[result * vertices + vertex] = made.last();
    }
    made
}
