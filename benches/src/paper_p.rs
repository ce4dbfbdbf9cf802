//! The paper's program (P) of broadcast under half-duplex (RR-2004-32 section 3.2), by plain column generation: the
//! other side of the comparison.
//!
//! Rows are links and one more for time, columns matchings and broadcast trees. Both are priced each round, by
//! `rustworkx-core` (maximum-weight matching in general graphs) and by our arborescences, without stabilisation.

use std::time::{Duration, Instant};

use num_bigint::BigInt;
use oneport::{NodeId, Platform, Rational};
use oneport_exact::{self as exact, LinearProgram, Outcome, Relation, Row, Sense, Solver};
use oneport_graph::arborescence::arborescence;
use oneport_numbers::{common_denominator, numerator_over, whole};
use rustworkx_core::max_weight_matching::max_weight_matching;
use rustworkx_core::petgraph::graph::{NodeIndex, UnGraph};

/// Fixed-point value of the multiplier 1.
const UNIT: i64 = 1 << 40;

/// Result of a run.
pub struct PaperP {
    /// The optimum, exactly. `None` if the limit came first.
    pub throughput: Option<Rational>,
    /// Rounds of column generation.
    pub rounds: usize,
    /// Whole time.
    pub time: Duration,
}

/// Solves (P). Gives up at the limit.
pub fn solve(platform: &Platform, source: NodeId, limit: Duration) -> PaperP {
    let started = Instant::now();
    let one = || whole(1);
    let mut program = LinearProgram::new(Sense::Maximize);
    let comm = program.add_row(Relation::AtMost, one());
    let edges: Vec<Row> = platform
        .links()
        .iter()
        .map(|_| program.add_row(Relation::Equal, whole(0)))
        .collect();
    let mut solver = Solver::new(program);
    // Every link alone, so that the first tree has matchings.
    for &edge in &edges {
        solver
            .add_column(whole(0), [(comm, one()), (edge, -one())])
            .expect("consistent");
    }
    let denominator = common_denominator(platform.links().iter().map(|link| &link.cost));
    let scale = i128::try_from(&denominator).expect("small denominators");
    let mut duals = vec![UNIT; edges.len()];
    let mut duration = 0;
    let mut rounds = 0;
    loop {
        let tree = cheapest_tree(platform, source, &duals, &denominator);
        let matching = dearest_matching(platform, &duals);
        let mut better = false;
        if rounds == 0 || tree.1 < (i128::from(UNIT) - (1 << 16)) * scale {
            let entries = tree
                .0
                .iter()
                .map(|&link| (edges[link], platform.links()[link].cost.clone()));
            solver.add_column(one(), entries).expect("consistent");
            better = true;
        }
        if rounds > 0 && matching.1 > i128::from(duration) + (1 << 16) {
            let entries = matching
                .0
                .iter()
                .map(|&link| (edges[link], -one()))
                .chain([(comm, one())]);
            solver.add_column(whole(0), entries).expect("consistent");
            better = true;
        }
        if !better {
            break;
        }
        rounds += 1;
        let options = exact::Options::default();
        let Some(estimate) = solver.estimate(&options).expect("HiGHS works") else {
            break;
        };
        if started.elapsed() > limit {
            return PaperP {
                throughput: None,
                rounds,
                time: started.elapsed(),
            };
        }
        let scaled = |row: Row| rounded(&estimate.dual[row.0]);
        duals = edges.iter().map(|&edge| scaled(edge)).collect();
        duration = scaled(comm);
    }
    let outcome = solver
        .solve(&exact::Options::default())
        .expect("HiGHS works");
    let Outcome::Optimal(optimum) = outcome else {
        panic!("(P) has an optimum")
    };
    PaperP {
        throughput: Some(optimum.objective),
        rounds,
        time: started.elapsed(),
    }
}

fn rounded(value: &Rational) -> i64 {
    let scaled = (value * whole(UNIT)).round().to_integer();
    i64::try_from(scaled).unwrap_or(0)
}

/// A cheapest spanning tree under the links' multipliers: its links, and its price times the common denominator of the
/// costs.
fn cheapest_tree(
    platform: &Platform,
    source: NodeId,
    duals: &[i64],
    denominator: &BigInt,
) -> (Vec<usize>, i128) {
    let cost = |link: usize| {
        let cost = u128::try_from(numerator_over(&platform.links()[link].cost, denominator))
            .expect("a small cost");
        cost * duals[link].max(0) as u128
    };
    let arcs: Vec<(usize, usize, u128)> = platform
        .links()
        .iter()
        .enumerate()
        .map(|(link, ends)| (ends.from.index(), ends.to.index(), cost(link)))
        .collect();
    let found = arborescence(platform.nodes().len(), source.index(), &arcs).expect("connected");
    (
        found.entering.iter().flatten().copied().collect(),
        found.cost as i128,
    )
}

/// A matching of largest weight: its links, and its weight.
fn dearest_matching(platform: &Platform, duals: &[i64]) -> (Vec<usize>, i128) {
    let mut graph: UnGraph<(), usize> = UnGraph::new_undirected();
    let nodes: Vec<NodeIndex> = platform
        .nodes()
        .iter()
        .map(|_| graph.add_node(()))
        .collect();
    for (link, ends) in platform.links().iter().enumerate() {
        let (from, to) = (nodes[ends.from.index()], nodes[ends.to.index()]);
        match graph.find_edge(from, to) {
            Some(edge) if duals[graph[edge]] >= duals[link] => {}
            Some(edge) => graph[edge] = link,
            None => _ = graph.add_edge(from, to, link),
        }
    }
    let weight = |edge: rustworkx_core::petgraph::graph::EdgeReference<'_, usize>| {
        Ok::<i128, std::convert::Infallible>(i128::from(duals[*edge.weight()].max(0)))
    };
    let pairs = max_weight_matching(&graph, false, weight, false).expect("infallible");
    let mut links: Vec<usize> = pairs
        .into_iter()
        .filter_map(|(a, b)| {
            graph
                .find_edge(NodeIndex::new(a), NodeIndex::new(b))
                .map(|edge| graph[edge])
        })
        .filter(|&link| duals[link] > 0)
        .collect();
    links.sort_unstable();
    let total = links.iter().map(|&link| i128::from(duals[link])).sum();
    (links, total)
}

#[cfg(test)]
mod tests {
    use oneport::platform::Node;
    use oneport::{PortModel, parse_rational};
    use oneport_separation::heaviest::heaviest_matching;
    use oneport_testkit::Dice;

    use super::*;

    /// Broadcast from the first node, costs below 1 among the links: RR-2004-32, figures 1 and 2.
    #[test]
    fn the_papers_figures() {
        let figure = |nodes: usize, links: &[(usize, usize, &str)]| {
            let mut builder = Platform::builder();
            builder.model(PortModel::HalfDuplex);
            let one = whole(1);
            let ids: Vec<NodeId> = (0..nodes)
                .map(|at| {
                    builder
                        .node(Node::processor(format!("p{at}"), one.clone()))
                        .expect("a node")
                })
                .collect();
            for (from, to, cost) in links {
                builder
                    .link(
                        ids[*from],
                        ids[*to],
                        parse_rational(cost).expect("a number"),
                    )
                    .expect("a link");
            }
            solve(
                &builder.build().expect("a platform"),
                ids[0],
                Duration::from_secs(60),
            )
            .throughput
        };
        let first = [
            (0, 1, "1"),
            (0, 2, "1"),
            (1, 2, "1/4"),
            (2, 1, "1/4"),
            (1, 3, "1/2"),
            (2, 4, "1/2"),
        ];
        assert_eq!(figure(5, &first), parse_rational("4/5").ok());
        assert_eq!(
            figure(3, &[(0, 1, "1"), (0, 2, "1"), (1, 2, "1/2")]),
            parse_rational("2/3").ok()
        );
    }

    /// Our heaviest matchings and rustworkx's, on random graphs.
    #[test]
    fn heaviest_matchings() {
        let mut dice = Dice::new(1);
        for round in 0..60 {
            let nodes = 5 + dice.below(40_usize);
            let most: u64 = if round % 2 == 0 { 4 } else { 1 << 30 };
            let mut graph: UnGraph<(), u64> = UnGraph::new_undirected();
            for _ in 0..nodes {
                graph.add_node(());
            }
            let mut edges = Vec::new();
            for _ in 0..3 * nodes {
                let (a, b, weight) = (dice.below(nodes), dice.below(nodes), dice.within(1, most));
                if a != b
                    && graph
                        .find_edge(NodeIndex::new(a), NodeIndex::new(b))
                        .is_none()
                {
                    graph.add_edge(NodeIndex::new(a), NodeIndex::new(b), weight);
                    edges.push((a, b, weight));
                }
            }
            let weight = |edge: rustworkx_core::petgraph::graph::EdgeReference<'_, u64>| {
                Ok::<i128, std::convert::Infallible>(i128::from(*edge.weight()))
            };
            let pairs = max_weight_matching(&graph, false, weight, false).expect("infallible");
            let of_pair = |(a, b)| {
                graph
                    .find_edge(NodeIndex::new(a), NodeIndex::new(b))
                    .map(|edge| graph[edge])
            };
            let theirs: u64 = pairs.into_iter().filter_map(of_pair).sum();
            let ours = heaviest_matching(nodes, &edges).expect("fits");
            ours.check(nodes, &edges).expect("proved");
            assert_eq!(ours.weight(&edges), theirs.into(), "round {round}");
        }
    }
}
