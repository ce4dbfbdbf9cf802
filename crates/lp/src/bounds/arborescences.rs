//! Proofs that travel: cuts that show how cheap the arborescences of a broadcast or an all-gather can be.
//!
//! If some node that replicates is no target of a message, its cheapest arborescence under given prices is a directed
//! Steiner tree, which is NP-hard to find. A proof is easy to check: sets of nodes that contain the source and not all
//! targets, with weights, such that the sets that an arc (a link, or a route through switches) leaves weigh at most as
//! much as it costs. Every arborescence leaves each set, so none costs less than all sets weigh together. The
//! certificate carries them, and the referee adds them up.
//!
//! - Dual ascent (Wong 1984) finds weights and a tree. Mostly they meet.
//! - Where they do not, the best weights are the multipliers of a linear program,
//!
//!   ```text
//!   minimise sum c(a) x(a) subject to   sum of x(a) over the arcs that leave S >= 1   for every such set S,
//!   ```
//!
//!   whose rows are found one by one: minimum cuts under `x` that are worth less than 1.
//! - Its optimum may be less than the cost of the cheapest tree. Then no weights prove that price. For up to
//!   [`Certificate::SMALL`] targets or helpers the certificate has no weights, and the referee enumerates all sets
//!   itself. For more, the best weights are a bound.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use oneport_exact::{self as exact, Column, LinearProgram, Outcome, Relation, Row, Sense, Solver};
use oneport_graph::cut_below;
use oneport_graph::steiner::{self, Steiner};
use oneport_numbers::Exact;
use oneport_plan::inequality::{Cut, Inequality, Need};
use oneport_plan::{Certificate, Kind};
use oneport_platform::{NodeId, Rational};
use oneport_watch::Watch;

use crate::costs::{self, LinkCosts, amount};
use crate::oracles::copy::{Network, Spread};
use crate::resources::Resources;
use crate::{LpError, Question};

/// Arcs of a program for the best weights. Trades a tighter bound for time. Not measured.
const MOST_ARCS: usize = 20_000;
/// Targets of a program for the best weights. Trades a tighter bound for time: each round takes a cut per target. Not
/// measured alone.
const MOST_TARGETS: usize = 256;
/// Rounds of minimum cuts per program. Trades a tighter bound for time. Not measured.
const MOST_ROUNDS: usize = 300;
/// Fact: the fixed-point value of a flow of 1 in floating-point rounds. Sums of fewer than `2^24` flows fit 64 bits.
const UNIT: u64 = 1 << 40;
/// Violations below `2^-20` of a flow are ignored in floating-point rounds. Trades exact rounds for cuts that are
/// rounding errors. Not measured.
const ROOM: u64 = 1 << 20;

/// The certificate with cuts for each demand of broadcasts and all-gathers for which some node that replicates is no
/// target, unless it has cuts already. Demands that the watch leaves no time for have none.
///
/// # Errors
/// The errors of the exact solver.
pub(crate) fn with_cuts(
    question: &Question,
    certificate: Certificate,
    watch: &Watch,
) -> Result<Certificate, LpError> {
    let copies = question
        .problem()
        .blocks()
        .iter()
        .any(|block| block.kind == Kind::Copy);
    if !copies || !certificate.needs.is_empty() {
        return Ok(certificate);
    }
    let (resources, prices) = Resources::of_certificate(question.platform(), &certificate);
    let costs = costs::exact(question, &resources.prices(&prices));
    let needs = match costs::narrowed(&costs, question.platform()) {
        Some(costs) => cuts(question, &costs, watch)?,
        None => cuts(question, &costs, watch)?,
    };
    Ok(Certificate {
        needs,
        ..certificate
    })
}

fn cuts<N: Exact + Into<BigUint>>(
    question: &Question,
    costs: &LinkCosts<N>,
    watch: &Watch,
) -> Result<Vec<Need>, LpError> {
    let network = Network::new(question.platform()).watched(watch.clone());
    let mut hard = Vec::new();
    for block in question
        .problem()
        .blocks()
        .iter()
        .filter(|block| block.kind == Kind::Copy)
    {
        for (index, demand) in (block.first..).zip(block.demands()) {
            let spread = demand
                .operands
                .first()
                .map(|&source| network.spread(source, demand.targets()));
            // Where all nodes that replicate are ends, cheapest arborescences are easy.
            hard.extend(
                spread
                    .filter(|spread| !network.is_spanning(spread))
                    .map(|spread| (index, spread)),
            );
        }
    }
    let mut cuts = Vec::new();
    if hard.is_empty() || watch.ask().is_err() {
        return Ok(cuts);
    }
    let routes = network.routes(question.platform(), &costs.links);
    let ways = Ways::new(network.len(), routes.arcs());
    for (index, spread) in hard {
        // Routes that the watch cut short prove nothing.
        if watch.ask().is_err() {
            break;
        }
        let Some(tree) = Tree::new(&network, &ways, &spread) else {
            continue;
        };
        for (entered, weight) in tree.weights(watch)? {
            // An arc that enters one side leaves the other.
            let outside = |node: &usize| !tree.aside[*node].unwrap_or(entered[*node]);
            let mut nodes: Vec<NodeId> = (0..tree.nodes)
                .filter(outside)
                .map(|node| network.node(node))
                .collect();
            nodes.sort_unstable();
            let inequality = Inequality::Cut(Cut { nodes });
            cuts.push(Need {
                demand: Some(index),
                inequality,
                weight: weight * &costs.unit,
            });
        }
    }
    cuts.sort();
    Ok(cuts)
}

/// All arcs, then per node the heads of its outgoing arcs and the tails of its incoming arcs.
struct Ways<'r, N> {
    arcs: &'r [(usize, usize, N)],
    heads: Vec<Vec<usize>>,
    tails: Vec<Vec<usize>>,
}

impl<'r, N> Ways<'r, N> {
    fn new(nodes: usize, arcs: &'r [(usize, usize, N)]) -> Self {
        let [mut heads, mut tails] = [(); 2].map(|()| vec![Vec::new(); nodes]);
        for &(tail, head, _) in arcs {
            heads[tail].push(head);
            tails[head].push(tail);
        }
        Ways { arcs, heads, tails }
    }
}

/// Sets of nodes without the source that are entered, and their weights.
type Weights = Vec<(Vec<bool>, Rational)>;

/// One message: the arcs that its arborescences may use.
struct Tree<N> {
    nodes: usize,
    source: usize,
    targets: Vec<usize>,
    /// Arcs that some path from the source to a target can use.
    arcs: Vec<(usize, usize, N)>,
    /// How many nodes may help without wanting the message.
    helpers: usize,
    /// For a node that is on no path from the source to a target: whether it counts as entered, so that its arcs enter
    /// no set. True if it leads to a target. `None` for the other nodes.
    aside: Vec<Option<bool>>,
}

impl<N: Exact + Into<BigUint>> Tree<N> {
    /// `None` if no node may help. Then cheapest arborescences are easy.
    fn new(network: &Network, ways: &Ways<'_, N>, spread: &Spread) -> Option<Tree<N>> {
        let (nodes, source, targets) = (
            network.len(),
            network.vertex(spread.source())?,
            spread.targets().to_vec(),
        );
        let mut is_end = vec![false; nodes];
        for &node in targets.iter().chain([&source]) {
            is_end[node] = true;
        }
        let from = closure(&ways.heads, &[source]);
        let to = closure(&ways.tails, &targets);
        let between: Vec<bool> = (0..nodes).map(|node| from[node] && to[node]).collect();
        let helpers = (0..nodes)
            .filter(|&node| between[node] && !is_end[node])
            .count();
        if helpers == 0 || targets.is_empty() {
            return None;
        }
        let useful = |(tail, head, _): &&(usize, usize, N)| {
            between[*tail] && between[*head] && *head != source
        };
        let arcs = ways.arcs.iter().filter(useful).cloned().collect();
        let aside = (0..nodes)
            .map(|node| (!between[node]).then_some(to[node]))
            .collect();
        Some(Tree {
            nodes,
            source,
            targets,
            arcs,
            helpers,
            aside,
        })
    }

    /// Weights that prove as much as weights can, or none: see the module.
    fn weights(&self, watch: &Watch) -> Result<Weights, LpError> {
        if watch.ask().is_err() {
            return Ok(Vec::new());
        }
        let Some(found) = steiner::heuristic(self.nodes, self.source, &self.targets, &self.arcs)
        else {
            return Ok(Vec::new());
        };
        let mut sum = N::zero();
        for (_, weight) in &found.cuts {
            sum += weight;
        }
        let ascent = self.of_ascent(&found);
        if sum == found.cost {
            return Ok(ascent);
        }
        if self.helpers.min(self.targets.len()) <= Certificate::SMALL {
            return Ok(Vec::new());
        }
        Ok(self.best(&ascent, watch)?.unwrap_or(ascent))
    }

    fn of_ascent(&self, found: &Steiner<N>) -> Weights {
        let set = |(set, weight): &(Vec<usize>, N)| {
            let mut entered = vec![false; self.nodes];
            for &node in set {
                entered[node] = true;
            }
            (entered, amount(&Rational::one(), weight))
        };
        let mut weights: Weights = found.cuts.iter().map(set).collect();
        // Two raises of one set are one cut.
        weights.sort();
        weights.dedup_by(|(set, weight), (kept, sum)| {
            let same = set == kept;
            if same {
                *sum += &*weight;
            }
            same
        });
        weights
    }

    /// The multipliers of the linear program. `None` if it is too large, or if a limit ended it.
    fn best(&self, start: &Weights, watch: &Watch) -> Result<Option<Weights>, LpError> {
        if self.arcs.len() > MOST_ARCS || self.targets.len() > MOST_TARGETS {
            return Ok(None);
        }
        let mut program = LinearProgram::new(Sense::Minimize);
        for (_, _, cost) in &self.arcs {
            program.add_column(amount(&Rational::one(), cost), [])?;
        }
        let mut cover = Cover {
            tree: self,
            solver: Solver::new(program),
            sets: Vec::new(),
        };
        for (set, _) in start {
            cover.add(set.clone())?;
        }
        let options = exact::Options {
            watch: watch.clone(),
            ..exact::Options::default()
        };
        let mut exactly = false;
        for _ in 0..MOST_ROUNDS {
            if watch.ask().is_err() {
                return Ok(None);
            }
            let estimate = if exactly {
                None
            } else {
                cover.solver.estimate(&options)?
            };
            if let Some(estimate) = estimate {
                let flow = |value: &Rational| {
                    (value * BigInt::from(UNIT))
                        .to_integer()
                        .to_biguint()
                        .unwrap_or_default()
                };
                let capacities = estimate.primal.iter().map(flow).collect();
                exactly = cover.violated(capacities, &BigUint::from(UNIT - ROOM))? == 0;
                continue;
            }
            let Outcome::Optimal(optimum) = cover.solver.solve(&options)? else {
                return Ok(None);
            };
            let flow = |index| {
                optimum
                    .primal
                    .numerator(Column(index))
                    .to_biguint()
                    .unwrap_or_default()
            };
            let one = optimum
                .primal
                .denominator()
                .to_biguint()
                .unwrap_or_default();
            if cover.violated((0..self.arcs.len()).map(flow).collect(), &one)? == 0 {
                let weights = (0..).map(|row| optimum.dual.get(Row(row)));
                return Ok(Some(
                    cover
                        .sets
                        .into_iter()
                        .zip(weights)
                        .filter(|(_, weight)| !weight.is_zero())
                        .collect(),
                ));
            }
        }
        Ok(None)
    }
}

/// The program so far: per row, the set that is entered.
struct Cover<'t, N> {
    tree: &'t Tree<N>,
    solver: Solver,
    sets: Vec<Vec<bool>>,
}

impl<N: Exact> Cover<'_, N> {
    /// The row of a set, unless it is there.
    fn add(&mut self, set: Vec<bool>) -> Result<bool, LpError> {
        if self.sets.contains(&set) {
            return Ok(false);
        }
        let enters = |(_, (tail, head, _)): &(usize, &(usize, usize, N))| !set[*tail] && set[*head];
        let entries = self
            .tree
            .arcs
            .iter()
            .enumerate()
            .filter(enters)
            .map(|(index, _)| (Column(index), Rational::one()));
        self.solver.add_row(
            Relation::AtLeast,
            Rational::one(),
            entries.collect::<Vec<_>>(),
        )?;
        self.sets.push(set);
        Ok(true)
    }

    /// Adds, for every target that receives less than `enough`, the cuts nearest to the source and to the target.
    /// Returns the number of new cuts.
    fn violated(&mut self, capacities: Vec<BigUint>, enough: &BigUint) -> Result<usize, LpError> {
        let tree = self.tree;
        let arcs: Vec<(usize, usize, BigUint)> = tree
            .arcs
            .iter()
            .zip(capacities)
            .map(|((tail, head, _), capacity)| (*tail, *head, capacity))
            .collect();
        let turned: Vec<(usize, usize, BigUint)> = arcs
            .iter()
            .map(|(tail, head, capacity)| (*head, *tail, capacity.clone()))
            .collect();
        let mut added = 0;
        for &target in &tree.targets {
            let Some(near) = cut_below(tree.nodes, &arcs, tree.source, target, enough) else {
                continue;
            };
            added += usize::from(self.add(near.into_iter().map(|side| !side).collect())?);
            if let Some(far) = cut_below(tree.nodes, &turned, target, tree.source, enough) {
                added += usize::from(self.add(far)?);
            }
        }
        Ok(added)
    }
}

/// The nodes that some node reaches. `next` holds, per node, the nodes one step further.
fn closure(next: &[Vec<usize>], from: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut open = from.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&next[node]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_graph::steiner::{Effort, steiner};
    use oneport_platform::whole;
    use proptest::prelude::*;

    /// The program's optimum by flows: of every target's unit of flow, an arc pays the largest share.
    fn by_flows(tree: &Tree<u128>) -> Rational {
        let one = Rational::one;
        let mut program = LinearProgram::new(Sense::Minimize);
        let cost = |(_, _, cost): &(usize, usize, u128)| whole(*cost);
        let paid: Vec<Column> = tree
            .arcs
            .iter()
            .map(|arc| program.add_column(cost(arc), []).unwrap())
            .collect();
        for &target in &tree.targets {
            let flow: Vec<Column> = tree
                .arcs
                .iter()
                .map(|_| program.add_column(Rational::zero(), []).unwrap())
                .collect();
            for (flow, paid) in flow.iter().zip(&paid) {
                program
                    .add_row_with(
                        Relation::AtLeast,
                        Rational::zero(),
                        [(*paid, one()), (*flow, -one())],
                    )
                    .unwrap();
            }
            for node in (0..tree.nodes).filter(|&node| node != tree.source) {
                let arcs = || tree.arcs.iter().zip(&flow);
                let into = arcs()
                    .filter(|((_, head, _), _)| *head == node)
                    .map(|(_, flow)| (*flow, one()));
                let out = arcs()
                    .filter(|((tail, _, _), _)| *tail == node)
                    .map(|(_, flow)| (*flow, -one()));
                let wanted = if node == target {
                    one()
                } else {
                    Rational::zero()
                };
                program
                    .add_row_with(Relation::AtLeast, wanted, into.chain(out))
                    .unwrap();
            }
        }
        match Solver::new(program)
            .solve(&exact::Options::default())
            .unwrap()
        {
            Outcome::Optimal(optimum) => optimum.objective,
            other => panic!("{other:?}"),
        }
    }

    fn sum(weights: &Weights) -> Rational {
        weights.iter().map(|(_, weight)| weight).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// Weights charge no arc more than its cost, on sets that hold a target and not the source. They prove as much
        /// as flows prove, at least as much as the ascent, and no more than the cost of the cheapest tree.
        #[test]
        fn the_best_weights_are_those_of_flows(
            nodes in 5usize..10,
            targets in 2usize..5,
            costs in prop::collection::vec(0u128..8, 100),
        ) {
            // A ring, so that all targets are in reach, and chords. Some arcs are free.
            let arcs: Vec<(usize, usize, u128)> = (0..nodes * nodes)
                .map(|index| (index / nodes, index % nodes, costs[index]))
                .filter(|(tail, head, cost)| tail != head && *head != 0 && (*head == tail + 1 || *cost > 4))
                .map(|(tail, head, cost)| (tail, head, cost.saturating_sub(3)))
                .collect();
            let tree = Tree { nodes, source: 0, targets: (nodes - targets..nodes).collect(), arcs, helpers: 20, aside: vec![None; nodes] };
            let found = steiner::heuristic(nodes, 0, &tree.targets, &tree.arcs).unwrap();
            let ascent = tree.of_ascent(&found);
            let best = tree.best(&ascent, &Watch::unlimited()).unwrap().unwrap();
            for weights in [&ascent, &best] {
                for (tail, head, cost) in &tree.arcs {
                    let entered = weights.iter().filter(|(set, _)| !set[*tail] && set[*head]);
                    let charged: Rational = entered.map(|(_, weight)| weight).sum();
                    prop_assert!(charged <= whole(*cost));
                }
                let proper = |set: &Vec<bool>| !set[0] && tree.targets.iter().any(|&target| set[target]);
                prop_assert!(weights.iter().all(|(set, weight)| proper(set) && *weight > Rational::zero()));
            }
            let watch = Watch::unlimited();
            let effort = Effort { budget: Some(1000), cuts: true, watch: &watch };
            let cheapest = steiner(nodes, 0, &tree.targets, &tree.arcs, effort).unwrap().cost;
            prop_assert_eq!(sum(&best), by_flows(&tree));
            prop_assert!(sum(&ascent) <= sum(&best) && sum(&best) <= whole(cheapest));
        }
    }
}
