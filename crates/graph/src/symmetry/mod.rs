//! Symmetries of a graph: renamings of nodes that change nothing.
//!
//! If a question has one demand for each of some like nodes (here called *participants*), a group of automorphisms that
//! acts freely on them lets one answer represent all. [`free_automorphisms`] finds such a group:
//!
//! 1. Colour refinement (Weisfeiler, Leman 1968, with Hopcroft's queue of cells) gives the equitable partition. If the
//!    sizes of the participants' cells have no common divisor, only the identity acts freely, and the search ends.
//! 2. The group grows step by step. A step looks for an automorphism that normalises the group found so far and moves
//!    all its orbits in cycles of one length, by individualisation and refinement (McKay 1981), without backtracking
//!    beyond one node.
//! 3. Every generator is verified link by link, and that the larger group acts freely is checked on every orbit.
//!
//! The work is bounded. A group that is not the largest possible is still a group.

mod graph;
mod group;
mod orbits;
mod partition;
mod search;

use num_integer::gcd;
use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use graph::Graph;
use group::{Extension, Group};
pub use orbits::{Orbit, orbits};
use search::{AutomorphismSearch, Goal};

/// Links and nodes scanned before the search ends with the best group so far. Trades time for larger groups. Measured:
/// all of it about 1 s. 1024 GPUs need less than 0.25 s.
const BUDGET: u64 = 1 << 27;
/// Images of nodes and links over all elements of an answer. Trades memory for larger groups. Not measured: computed,
/// half a gigabyte.
const MAX_IMAGES: usize = 1 << 27;
/// First images tried per relation to the first participant. Trades time for larger groups. Not measured.
const FIRST_IMAGES: usize = 2;
/// First images tried per step and length of cycles. Trades time for larger groups. Not measured.
const MAX_FIRST_IMAGES: usize = 24;
/// First images tried if lengths of cycles are open. Trades time for larger groups. Not measured.
const MAX_NEAR: usize = 12;
/// Elements of the group tried as conjugations by a new element. Trades time for larger groups. Not measured.
const CONJUGATIONS: usize = 6;
/// Elements tried as the power of a new element that lies in the group. Trades time for larger groups. Not measured.
const CLOSINGS: usize = 6;
/// Lengths of cycles tried per step. Trades time for larger groups. Not measured.
const LENGTHS: usize = 24;
/// Attempts to find a uniform generator when another generator is known. Trades time for a smaller quotient. Not
/// measured.
const PATIENCE: usize = 64;
/// Restarts with other images, or without the first generators of earlier starts. Trades time for larger groups. Not
/// measured.
const RESTARTS: usize = 6;

/// A renaming of nodes and edges that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automorphism {
    /// The image of each node, by index.
    pub nodes: Vec<u32>,
    /// The image of each edge, by position among the graph's edges.
    pub edges: Vec<u32>,
}

/// A group of automorphisms of a directed graph that acts freely on some points among its nodes: it maps them to
/// themselves, and no element but the identity fixes a point. An automorphism keeps edges, the keys of nodes that
/// `node` returns and the keys of edges that `edge` returns. The group is as large as found. Its order divides the
/// number of points.
///
/// The identity comes first. The others are sorted by the position among the points of the image of the first one.
/// Points that are given twice count once.
///
/// # Complexity
/// One colour refinement, `O((n + m) log n)` for `n` nodes and `m` edges, if the cells separate the points. Otherwise
/// about as much per element of the group, and at most some 10⁸ elementary steps. Space `O(order (n + m))`. At most
/// `2^31` nodes and edges.
///
/// ```
/// use oneport_graph::free_automorphisms;
/// use petgraph::graph::DiGraph;
/// let ring = DiGraph::<(), u64>::from_edges([(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)]);
/// let all: Vec<_> = ring.node_indices().collect();
/// assert_eq!(free_automorphisms(&ring, |_| (), |edge| *edge.weight(), &all).len(), 4);
/// ```
pub fn free_automorphisms<G, K: Ord, L: Ord>(
    graph: G,
    node: impl FnMut(G::NodeId) -> K,
    edge: impl FnMut(G::EdgeRef) -> L,
    points: &[G::NodeId],
) -> Vec<Automorphism>
where
    G: IntoEdgeReferences + NodeCompactIndexable,
{
    let mut chosen = vec![false; graph.node_count()];
    let mut order = Vec::new();
    for &point in points {
        let point = graph.to_index(point);
        if !std::mem::replace(&mut chosen[point], true) {
            order.push(point as u32);
        }
    }
    let identity = || {
        let unchanged = |count: usize| (0..count as u32).collect();
        vec![Automorphism {
            nodes: unchanged(chosen.len()),
            edges: unchanged(graph.edge_references().count()),
        }]
    };
    if order.is_empty() {
        return identity();
    }
    let graph = Graph::new(graph, node, edge, &chosen);
    let mut search = AutomorphismSearch::new(&graph);
    let bound = order.iter().fold(0, |bound: usize, &node| {
        gcd(bound, search.base.companions(node) as usize)
    });
    if bound <= 1 {
        return identity();
    }
    let group = best_group(&mut search, &order, bound);
    in_order(group, &order)
}

/// Sorts the elements by the image of the first point.
fn in_order(group: Group, points: &[u32]) -> Vec<Automorphism> {
    let mut position = vec![0; group.orbit.len()];
    for (index, &node) in points.iter().enumerate() {
        position[node as usize] = index;
    }
    let mut elements = group.elements;
    elements.sort_by_key(|element| position[element.nodes[points[0] as usize] as usize]);
    elements
        .into_iter()
        .map(|element| Automorphism {
            nodes: element.nodes,
            edges: element.links,
        })
        .collect()
}

/// In which order the lengths of cycles are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lengths {
    /// Primes from 2, then the other divisors: finds direct products of many small groups.
    ShortFirst,
    /// All divisors, the largest first: finds the long cycles of rings.
    LongFirst,
    /// Primes from the largest, then the other divisors.
    LargePrimesFirst,
    /// Whatever length comes, the largest of all attempts: finds rings and tori fast.
    Any,
}

/// A strategy to grow a group.
#[derive(Debug, Clone, Copy)]
struct Strategy {
    lengths: Lengths,
    /// Take only generators that move all participants of one kind by one relation, as all elements of an abelian
    /// transitive group do.
    uniform: bool,
    /// How many generators to refuse before the first is taken.
    skip: usize,
    /// Try the images of a node from the last to the first.
    backwards: bool,
}

/// The strategies, the best first.
fn strategies() -> impl Iterator<Item = Strategy> {
    let uniform = [Lengths::Any, Lengths::ShortFirst].map(|lengths| Strategy {
        lengths,
        uniform: true,
        skip: 0,
        backwards: false,
    });
    let free = (0..RESTARTS).flat_map(|restart| {
        [
            Lengths::LongFirst,
            Lengths::ShortFirst,
            Lengths::LargePrimesFirst,
        ]
        .map(|lengths| Strategy {
            lengths,
            uniform: false,
            skip: restart / 2,
            backwards: restart % 2 == 1,
        })
    });
    uniform.into_iter().chain(free)
}

/// The largest of a few groups. No group has more than `bound` elements.
fn best_group(search: &mut AutomorphismSearch, participants: &[u32], bound: usize) -> Group {
    let mut best = Group::trivial(search.graph, participants);
    for strategy in strategies() {
        if best.order() == bound || search.scratch.work > BUDGET {
            break;
        }
        // No single strategy may use up the budget.
        let share = if strategy.lengths == Lengths::Any {
            8
        } else {
            4
        };
        search.budget = search.scratch.work + (BUDGET - search.scratch.work) / share;
        let group = grow(search, participants, bound, strategy);
        if group.order() > best.order() {
            best = group;
        }
    }
    best
}

/// A group, step by step.
fn grow(
    search: &mut AutomorphismSearch,
    participants: &[u32],
    bound: usize,
    mut strategy: Strategy,
) -> Group {
    let mut group = Group::trivial(search.graph, participants);
    while group.order() < bound {
        let limit = MAX_IMAGES / (search.graph.nodes() + search.graph.links()) / group.order();
        let found = match strategy.lengths {
            Lengths::Any => longest(search, &group, participants, limit),
            _ => step(
                search,
                &group,
                participants,
                limit,
                bound / group.order(),
                &mut strategy,
            ),
        };
        let Some(extension) = found else { break };
        group = group.extended(&extension);
    }
    group
}

impl Lengths {
    /// The divisors of `quotient` to try.
    fn list(self, quotient: usize) -> Vec<usize> {
        let divisors: Vec<usize> = (2..=quotient)
            .filter(|d| quotient.is_multiple_of(*d))
            .collect();
        let is_prime = |d: &usize| {
            divisors
                .iter()
                .take_while(|&e| e < d)
                .all(|e| !d.is_multiple_of(*e))
        };
        let (mut list, composite): (Vec<usize>, Vec<usize>) = match self {
            Lengths::LongFirst => (divisors.iter().rev().copied().collect(), Vec::new()),
            _ => divisors.iter().copied().partition(is_prime),
        };
        if self == Lengths::LargePrimesFirst {
            list.reverse();
        }
        list.extend(composite);
        list.truncate(LENGTHS);
        list
    }
}

/// One more generator, by lengths of its cycles. Of one length a uniform one if there is one.
fn step(
    search: &mut AutomorphismSearch,
    group: &Group,
    participants: &[u32],
    limit: usize,
    quotient: usize,
    strategy: &mut Strategy,
) -> Option<Extension> {
    let (x, images) = first_images(search, group, participants)?;
    for steps in strategy
        .lengths
        .list(quotient)
        .into_iter()
        .filter(|&steps| steps <= limit)
    {
        let (mut fallback, mut patience) = (None, PATIENCE);
        for power in conjugations(group, steps, strategy.uniform) {
            let powers = if power == 1 {
                (0..group.order()).collect()
            } else {
                group.powers(power)
            };
            let closings = [0]
                .into_iter()
                .chain(group.generators.iter().rev().copied())
                .take(CLOSINGS);
            for (closing, &y) in
                closings.flat_map(|closing| images.iter().map(move |y| (closing, y)))
            {
                if search.exhausted() || patience == 0 {
                    return fallback;
                }
                patience -= usize::from(fallback.is_some());
                let goal = Goal {
                    group,
                    powers: &powers,
                    cycle: Some((steps, closing)),
                    uniform: strategy.uniform,
                    backwards: strategy.backwards,
                };
                let Some((extension, uniform)) = extension(search, &goal, x, y) else {
                    continue;
                };
                // An element of shorter cycles also comes back after `steps` steps.
                if extension.steps != steps {
                    continue;
                }
                if strategy.skip > 0 {
                    strategy.skip -= 1;
                } else if uniform {
                    return Some(extension);
                } else {
                    fallback.get_or_insert(extension);
                }
            }
        }
        if fallback.is_some() {
            return fallback;
        }
    }
    None
}

/// The generator of the longest cycles that takes a participant to one near it. Such generators commute with the group
/// and are uniform.
fn longest(
    search: &mut AutomorphismSearch,
    group: &Group,
    participants: &[u32],
    limit: usize,
) -> Option<Extension> {
    let x = rarest(search, participants)?;
    let powers: Vec<usize> = (0..group.order()).collect();
    let goal = Goal {
        group,
        powers: &powers,
        cycle: None,
        uniform: true,
        backwards: false,
    };
    let mut best: Option<Extension> = None;
    for y in near(search, group, x) {
        if search.exhausted() {
            break;
        }
        let Some((extension, _)) = extension(search, &goal, x, y) else {
            continue;
        };
        if extension.steps <= limit
            && best
                .as_ref()
                .is_none_or(|best| best.steps < extension.steps)
        {
            best = Some(extension);
        }
    }
    best
}

/// One attempt, verified, and whether it is uniform.
fn extension(
    search: &mut AutomorphismSearch,
    goal: &Goal,
    x: u32,
    y: u32,
) -> Option<(Extension, bool)> {
    let map = search.attempt(goal, x, y)?;
    let uniform = search.is_uniform(goal.group, &map);
    if goal.uniform && !uniform {
        return None;
    }
    let extension = goal.group.extension(search.graph, map, goal.powers)?;
    search.scratch.work += (search.graph.links() + extension.steps * search.graph.nodes()) as u64;
    Some((extension, uniform))
}

/// A participant with the fewest companions.
fn rarest(search: &AutomorphismSearch, participants: &[u32]) -> Option<u32> {
    participants
        .iter()
        .copied()
        .min_by_key(|&node| (search.base.companions(node), node))
}

/// Companions of `x` outside its orbit, the nearest first.
fn near(search: &AutomorphismSearch, group: &Group, x: u32) -> Vec<u32> {
    let cell = search.base.cell(x);
    let mut seen = vec![false; search.graph.nodes()];
    seen[x as usize] = true;
    let (mut queue, mut found, mut next) = (vec![x], Vec::new(), 0);
    while let Some(&node) = queue.get(next) {
        next += 1;
        let companion =
            search.base.cell(node) == cell && group.orbit[node as usize] != group.orbit[x as usize];
        found.extend(companion.then_some(node));
        if found.len() == MAX_NEAR {
            break;
        }
        for &(other, _) in search.graph.neighbours(node) {
            if !std::mem::replace(&mut seen[other as usize], true) {
                queue.push(other);
            }
        }
    }
    found
}

/// The exponents `s` of the conjugations `g -> g^s` to try, for elements whose `steps`-th power commutes with the
/// group.
fn conjugations(group: &Group, steps: usize, uniform: bool) -> Vec<usize> {
    let exponent = group.exponent;
    if uniform || !group.abelian || exponent <= 2 {
        return vec![1];
    }
    let order_divides =
        |s: &usize| (0..steps).try_fold(1, |power, _| Some(power * s % exponent)) == Some(1);
    let others = (2..exponent)
        .rev()
        .take(1 << 10)
        .filter(|s| gcd(*s, exponent) == 1 && order_divides(s));
    [1].into_iter().chain(others).take(CONJUGATIONS).collect()
}

/// The participant of [`rarest`], and images for it outside its orbit: a few per relation to it, rarest relations
/// first.
fn first_images(
    search: &mut AutomorphismSearch,
    group: &Group,
    participants: &[u32],
) -> Option<(u32, Vec<u32>)> {
    let x = rarest(search, participants)?;
    let members = search.base.members(search.base.cell(x)).to_vec();
    let relation = search.relation(x);
    let mut kinds: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for y in members {
        kinds.entry(relation[y as usize]).or_default().push(y);
    }
    let mut kinds: Vec<(u32, Vec<u32>)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, members)| (members.len(), *kind));
    let mut images = Vec::new();
    for (_, mut members) in kinds {
        members.sort_unstable();
        let outside = members
            .into_iter()
            .filter(|&y| group.orbit[y as usize] != group.orbit[x as usize]);
        images.extend(outside.take(FIRST_IMAGES));
    }
    images.truncate(MAX_FIRST_IMAGES);
    Some((x, images))
}
