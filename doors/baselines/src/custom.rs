//! Algorithms that a user lists: a ring, a tree, rounds of sends.

use oneport_plan::{NodeId, Problem};
use oneport_watch::Watch;

use crate::algorithm::Ways;
use crate::catalogue::{Maker, ranks};
use crate::phase::{Phase, Step};
use crate::{Algorithm, BaselineError, Forwarders, Routes, Ties, Tree, TreeError};

/// A send of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The blocks sent, each once. Piece `k` of demand `d` is block `d * pieces + k`.
    pub blocks: Vec<u32>,
    /// Whether the receiver combines the blocks with its own of the same numbers. Otherwise they replace these.
    pub combine: bool,
}

/// A ring through all [ranks](ranks) in this order.
///
/// # Errors
/// Rings cannot perform the collective, or a node is missing, listed twice or takes no part.
pub fn of_ring(problem: &Problem, name: &str, ring: &[NodeId]) -> Result<Algorithm, BaselineError> {
    let order = order_of(problem, ring)?;
    Maker::new(problem)
        .ring(name, "a ring as listed", &[order])
        .filter(|made| !made.cuts_a_token(problem))
        .ok_or_else(|| undone(problem, "a ring"))
}

/// The ranks of a ring, each once.
pub(crate) fn order_of(problem: &Problem, ring: &[NodeId]) -> Result<Vec<usize>, BaselineError> {
    let order = ring
        .iter()
        .map(|&node| rank_of(problem, node))
        .collect::<Result<Vec<usize>, _>>()?;
    let mut found = order.clone();
    found.sort_unstable();
    if let Some(pair) = found.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(BaselineError::ListedTwice {
            node: name_of(problem, pair[0]),
        });
    }
    if let Some(missing) = (0..ranks(problem).len()).find(|rank| found.binary_search(rank).is_err())
    {
        return Err(BaselineError::NotListed {
            node: name_of(problem, missing),
        });
    }
    Ok(order)
}

/// A tree over all [ranks](ranks), as pairs of a parent and its child. Children are served in the order of the list.
///
/// # Errors
/// The collective has no tree algorithm, or the edges do not form a tree over the ranks, or its root is not the
/// collective's.
pub fn of_tree(
    problem: &Problem,
    name: &str,
    edges: &[(NodeId, NodeId)],
) -> Result<Algorithm, BaselineError> {
    let placed = |&(parent, child): &(NodeId, NodeId)| {
        Ok((rank_of(problem, parent)?, rank_of(problem, child)?))
    };
    let edges = edges
        .iter()
        .map(placed)
        .collect::<Result<Vec<_>, BaselineError>>()?;
    let count = ranks(problem).len();
    let tree = Tree::of_edges(count, &edges).map_err(|error| match error {
        TreeError::TwoParents(rank) => BaselineError::TwoParents {
            node: name_of(problem, rank),
        },
        TreeError::Unreached(rank) => BaselineError::InCircle {
            node: name_of(problem, rank),
        },
        TreeError::Roots(0) => BaselineError::NoRoot,
        TreeError::Roots(_) => {
            let below = |rank: &usize| edges.iter().any(|&(_, child)| child == *rank);
            let roots = (0..count)
                .filter(|rank| !below(rank))
                .map(|rank| name_of(problem, rank));
            BaselineError::NotOneRoot {
                roots: roots.take(8).collect(),
            }
        }
    })?;
    let rooted = problem
        .collective()
        .form()
        .is_some_and(|form| form.roles.iter().any(|role| !role.many));
    if rooted && tree.root() != 0 {
        let (wanted, root) = (name_of(problem, 0), name_of(problem, tree.root()));
        return Err(BaselineError::OtherRoot { wanted, root });
    }
    Maker::new(problem)
        .tree(name, "a tree as listed", &[tree])
        .ok_or_else(|| undone(problem, "a tree"))
}

/// Rounds of sends over links, or between nodes that routers join. A send needs blocks that were held before its round.
/// Every value is cut into `pieces` pieces. Returns also the routes of the sends.
///
/// # Errors
/// Nothing is sent, a send uses a missing link, or the sends do not perform the collective.
pub fn of_rounds(
    problem: &Problem,
    name: &str,
    pieces: u32,
    rounds: &[Vec<Send>],
) -> Result<(Algorithm, Routes), BaselineError> {
    if rounds.iter().all(Vec::is_empty) {
        return Err(BaselineError::Nothing);
    }
    let platform = problem.platform();
    let mut nodes = ranks(problem);
    for send in rounds.iter().flatten() {
        nodes.extend(
            [send.from, send.to]
                .iter()
                .filter(|node| !nodes.contains(node))
                .copied()
                .collect::<Vec<_>>(),
        );
    }
    let unlimited = Watch::unlimited();
    let routes = Routes::new(
        platform,
        &nodes,
        Forwarders::Routers,
        Ties::Turns,
        &unlimited,
    )?;
    let rank = |node: NodeId| {
        nodes
            .iter()
            .position(|other| *other == node)
            .unwrap_or_default()
    };
    let mut steps = Vec::with_capacity(rounds.len());
    for (number, round) in rounds.iter().enumerate() {
        let mut step = Vec::with_capacity(round.len());
        for Send {
            from,
            to,
            blocks,
            combine,
        } in round
        {
            if routes.path(*from, *to).is_none_or(|path| path.is_empty()) {
                let [from, to] = [*from, *to].map(|node| platform.name(node).to_string());
                return Err(BaselineError::MissingLink {
                    step: number + 1,
                    from,
                    to,
                });
            }
            step.push(Step {
                from: rank(*from),
                to: rank(*to),
                blocks: blocks.clone(),
                combine: *combine,
            });
        }
        steps.push(step);
    }
    let algorithm = Algorithm {
        name: name.to_string(),
        about: "rounds of sends as listed".to_string(),
        ranks: nodes,
        pieces: pieces.max(1),
        phases: vec![Phase::Steps(steps)],
        ways: Ways::default(),
    };
    if algorithm.cuts_a_token(problem) {
        return Err(BaselineError::TokenCut {
            collective: problem.collective().name(),
            pieces,
        });
    }
    algorithm.patterns(problem, &routes)?;
    Ok((algorithm, routes))
}

fn rank_of(problem: &Problem, node: NodeId) -> Result<usize, BaselineError> {
    let rank = ranks(problem).iter().position(|other| *other == node);
    rank.ok_or_else(|| BaselineError::NoPart {
        node: problem.platform().name(node).to_string(),
    })
}

fn name_of(problem: &Problem, rank: usize) -> String {
    ranks(problem).get(rank).map_or_else(String::new, |&node| {
        problem.platform().name(node).to_string()
    })
}

pub(crate) fn undone(problem: &Problem, shape: &'static str) -> BaselineError {
    BaselineError::NotDone {
        shape,
        collective: problem.collective().name(),
    }
}
