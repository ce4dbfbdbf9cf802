//! Algorithms that a user lists: a ring, a tree, rounds of sends.

use oneport_plan::{NodeId, Problem};

use crate::algorithm::Ways;
use crate::catalogue::{Maker, places};
use crate::phase::{Phase, Step};
use crate::{Algorithm, BaselineError, Over, Routes, Tree, TreeError};

/// A send of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// Who sends.
    pub from: NodeId,
    /// Who receives.
    pub to: NodeId,
    /// What is sent, each block once; piece `k` of demand `d` is block `d * pieces + k`.
    pub blocks: Vec<u32>,
    /// Whether the receiver combines the blocks with its own of the same numbers; else they replace these.
    pub combine: bool,
}

/// A ring through all [places](places) in this order.
///
/// # Errors
/// A collective that rings do not do; a node that is missing, listed twice or takes no part.
pub fn of_ring(problem: Problem<'_>, name: &str, ring: &[NodeId]) -> Result<Algorithm, BaselineError> {
    let order = order_of(problem, ring)?;
    Maker::new(problem).ring(name, "a ring as listed", &[order]).ok_or_else(|| undone(problem, "a ring"))
}

/// The places of a ring, each once.
pub(crate) fn order_of(problem: Problem<'_>, ring: &[NodeId]) -> Result<Vec<usize>, BaselineError> {
    let order = ring.iter().map(|&node| place_of(problem, node)).collect::<Result<Vec<usize>, _>>()?;
    let mut found = order.clone();
    found.sort_unstable();
    if let Some(pair) = found.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(BaselineError::ListedTwice { node: name_of(problem, pair[0]) });
    }
    if let Some(missing) = (0..places(problem).len()).find(|place| found.binary_search(place).is_err()) {
        return Err(BaselineError::NotListed { node: name_of(problem, missing) });
    }
    Ok(order)
}

/// A tree over all [places](places): pairs of a parent and its child. Who is listed first is served first.
///
/// # Errors
/// A collective that trees do not do; edges that are no tree over the places, or not below the collective's root.
pub fn of_tree(problem: Problem<'_>, name: &str, edges: &[(NodeId, NodeId)]) -> Result<Algorithm, BaselineError> {
    let placed = |&(parent, child): &(NodeId, NodeId)| Ok((place_of(problem, parent)?, place_of(problem, child)?));
    let edges = edges.iter().map(placed).collect::<Result<Vec<_>, BaselineError>>()?;
    let count = places(problem).len();
    let tree = Tree::of_edges(count, &edges).map_err(|error| match error {
        TreeError::TwoParents(place) => BaselineError::TwoParents { node: name_of(problem, place) },
        TreeError::Unreached(place) => BaselineError::InCircle { node: name_of(problem, place) },
        TreeError::Roots(0) => BaselineError::NoRoot,
        TreeError::Roots(_) => {
            let below = |place: &usize| edges.iter().any(|&(_, child)| child == *place);
            let roots = (0..count).filter(|place| !below(place)).map(|place| name_of(problem, place));
            BaselineError::NotOneRoot { roots: roots.take(8).collect() }
        }
    })?;
    let rooted = problem.collective().form().is_some_and(|form| form.roles.iter().any(|role| !role.many));
    if rooted && tree.root() != 0 {
        let (wanted, root) = (name_of(problem, 0), name_of(problem, tree.root()));
        return Err(BaselineError::OtherRoot { wanted, root });
    }
    Maker::new(problem).tree(name, "a tree as listed", &[tree]).ok_or_else(|| undone(problem, "a tree"))
}

/// Rounds of sends over links, or between nodes that routers join: what a round sends was held before the round. Every
/// value is cut into so many pieces. Returned with the routes that the sends take.
///
/// # Errors
/// Nothing is sent; a send where no link is; sends that do not carry out the collective.
pub fn of_rounds(
    problem: Problem<'_>,
    name: &str,
    pieces: u32,
    rounds: &[Vec<Send>],
) -> Result<(Algorithm, Routes), BaselineError> {
    if rounds.iter().all(Vec::is_empty) {
        return Err(BaselineError::Nothing);
    }
    let platform = problem.platform();
    let mut nodes = places(problem);
    for send in rounds.iter().flatten() {
        nodes.extend([send.from, send.to].iter().filter(|node| !nodes.contains(node)).copied().collect::<Vec<_>>());
    }
    let routes = Routes::new(platform, &nodes, Over::Routers);
    let place = |node: NodeId| nodes.iter().position(|other| *other == node).unwrap_or_default();
    let mut steps = Vec::with_capacity(rounds.len());
    for (number, round) in rounds.iter().enumerate() {
        let mut step = Vec::with_capacity(round.len());
        for Send { from, to, blocks, combine } in round {
            if routes.path(*from, *to).is_none_or(|path| path.is_empty()) {
                let [from, to] = [*from, *to].map(|node| platform.name(node).to_string());
                return Err(BaselineError::MissingLink { step: number + 1, from, to });
            }
            step.push(Step { from: place(*from), to: place(*to), blocks: blocks.clone(), combine: *combine });
        }
        steps.push(step);
    }
    let algorithm = Algorithm {
        name: name.to_string(),
        about: "rounds of sends as listed".to_string(),
        places: nodes,
        pieces: pieces.max(1),
        phases: vec![Phase::Steps(steps)],
        ways: Ways::default(),
    };
    algorithm.patterns(problem, &routes)?;
    Ok((algorithm, routes))
}

fn place_of(problem: Problem<'_>, node: NodeId) -> Result<usize, BaselineError> {
    let place = places(problem).iter().position(|other| *other == node);
    place.ok_or_else(|| BaselineError::NoPart { node: problem.platform().name(node).to_string() })
}

fn name_of(problem: Problem<'_>, place: usize) -> String {
    places(problem).get(place).map_or_else(String::new, |&node| problem.platform().name(node).to_string())
}

pub(crate) fn undone(problem: Problem<'_>, shape: &'static str) -> BaselineError {
    BaselineError::NotDone { shape, collective: problem.collective().name() }
}
