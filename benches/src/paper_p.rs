//! The paper's program (P) of broadcast under half-duplex (RR-2004-32 section 3.2), by plain column generation: the
//! other side of the comparison.
//!
//! Rows are links and one more for time, columns matchings and broadcast trees; both are priced each round, by
//! `rustworkx-core` (maximum-weight matching in general graphs) and by our arborescences, without stabilisation.

use std::time::{Duration, Instant};

use oneport::{NodeId, Platform, Rational};
use oneport_exact::{self as exact, LinearProgram, Outcome, Relation, Row, Sense, Solver};
use oneport_graph::arborescence::arborescence;
use rustworkx_core::max_weight_matching::max_weight_matching;
use rustworkx_core::petgraph::graph::{NodeIndex, UnGraph};

/// Multipliers as integers: so many units are 1.
const UNIT: i64 = 1 << 40;

/// What became of it.
pub struct PaperP {
    /// The optimum, exactly; `None` if the limit came first.
    pub throughput: Option<Rational>,
    /// Rounds of column generation.
    pub rounds: usize,
    /// Whole time.
    pub time: Duration,
}

/// Solves (P); gives up at the limit.
pub fn solve(platform: &Platform, source: NodeId, limit: Duration) -> PaperP {
    let started = Instant::now();
    let one = || Rational::from_integer(1.into());
    let mut program = LinearProgram::new(Sense::Maximize);
    let comm = program.add_row(Relation::AtMost, one());
    let edges: Vec<Row> =
        platform.links().iter().map(|_| program.add_row(Relation::Equal, Rational::from_integer(0.into()))).collect();
    let mut solver = Solver::new(program);
    // Every link alone, so that the first tree has matchings.
    for &edge in &edges {
        solver.add_column(Rational::from_integer(0.into()), [(comm, one()), (edge, -one())]).expect("consistent");
    }
    let mut duals = vec![UNIT; edges.len()];
    let mut duration = 0;
    let mut rounds = 0;
    loop {
        let tree = cheapest_tree(platform, source, &duals);
        let matching = dearest_matching(platform, &duals);
        let mut better = false;
        if rounds == 0 || tree.1 < UNIT as i128 - (1 << 16) {
            let entries = tree.0.iter().map(|&link| (edges[link], platform.links()[link].cost.clone()));
            solver.add_column(one(), entries).expect("consistent");
            better = true;
        }
        if rounds > 0 && matching.1 > i128::from(duration) + (1 << 16) {
            let entries = matching.0.iter().map(|&link| (edges[link], -one())).chain([(comm, one())]);
            solver.add_column(Rational::from_integer(0.into()), entries).expect("consistent");
            better = true;
        }
        if !better {
            break;
        }
        rounds += 1;
        let options = exact::Options::default();
        let Some(estimate) = solver.estimate(&options).expect("HiGHS works") else { break };
        if started.elapsed() > limit {
            return PaperP { throughput: None, rounds, time: started.elapsed() };
        }
        let scaled = |row: Row| rounded(&estimate.dual[row.0]);
        duals = edges.iter().map(|&edge| scaled(edge)).collect();
        duration = scaled(comm);
    }
    let outcome = solver.solve(&exact::Options::default()).expect("HiGHS works");
    let Outcome::Optimal(optimum) = outcome else { panic!("(P) has an optimum") };
    PaperP { throughput: Some(optimum.objective), rounds, time: started.elapsed() }
}

fn rounded(value: &Rational) -> i64 {
    let scaled = (value * Rational::from_integer(UNIT.into())).round().to_integer();
    i64::try_from(scaled).unwrap_or(0)
}

/// A cheapest spanning tree under the links' multipliers: its links, and its price.
fn cheapest_tree(platform: &Platform, source: NodeId, duals: &[i64]) -> (Vec<usize>, i128) {
    // Costs of these platforms are whole numbers.
    let cost = |link: usize| {
        let cost = u128::try_from(platform.links()[link].cost.to_integer()).expect("a small cost");
        cost * duals[link].max(0) as u128
    };
    let arcs: Vec<(usize, usize, u128)> = platform
        .links()
        .iter()
        .enumerate()
        .map(|(link, ends)| (ends.from.index(), ends.to.index(), cost(link)))
        .collect();
    let found = arborescence(platform.nodes().len(), source.index(), &arcs).expect("connected");
    (found.entering.iter().flatten().copied().collect(), found.cost as i128)
}

/// A matching of largest weight: its links, and its weight.
fn dearest_matching(platform: &Platform, duals: &[i64]) -> (Vec<usize>, i128) {
    let mut graph: UnGraph<(), usize> = UnGraph::new_undirected();
    let nodes: Vec<NodeIndex> = platform.nodes().iter().map(|_| graph.add_node(())).collect();
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
        .filter_map(|(a, b)| graph.find_edge(NodeIndex::new(a), NodeIndex::new(b)).map(|edge| graph[edge]))
        .filter(|&link| duals[link] > 0)
        .collect();
    links.sort_unstable();
    let total = links.iter().map(|&link| i128::from(duals[link])).sum();
    (links, total)
}
