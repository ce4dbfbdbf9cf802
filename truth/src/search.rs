//! The cheapest scheme of a demand under given prices, exactly, by searching backwards from the goals.
//!
//! A state is the collection of facts that are still needed. The last move of a scheme makes one of them. Before it,
//! its inputs are needed instead. A fact at a replicating node is needed once, for any number of moves that use it. At
//! any other node each use needs a copy, so the state holds it several times. A state of initial facts ends the search.
//!
//! Moves can be sorted by the number of operands of their results, since no move makes its inputs larger than its
//! output. So the facts of the greatest needed part may be assumed to be made last. The search is A* (Hart, Nilsson,
//! Raphael 1968): the rest costs at least as much as the most expensive needed fact alone. It also costs at least as
//! much as a transfer into every node that needs operands other than its own, plus the merges of one fact.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Add;

use num_traits::Zero;

use crate::game::{Game, Part};

/// A scheme: its price, and its moves in an order in which they can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cheapest<P> {
    /// The sum of the prices of its moves.
    pub price: P,
    /// The moves by number.
    pub moves: Vec<u32>,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchResult<P> {
    /// A cheapest scheme.
    Scheme(Cheapest<P>),
    /// No scheme exists.
    Nothing,
    /// More states than allowed.
    TooMany,
}

/// Numbers that prices can be.
pub trait Price: Clone + Ord + Zero + Add<Output = Self> {}

impl<T: Clone + Ord + Zero + Add<Output = T>> Price for T {}

/// A state that was met.
struct Seen<P> {
    /// The facts needed, ascending.
    facts: Vec<u16>,
    /// The price of the moves that follow.
    spent: P,
    /// The next move and the state after it. `None` for the goals.
    next: Option<(u32, usize)>,
}

struct SchemeSearch<P> {
    /// Lower bound on the price of each fact alone. `None` if it cannot be made.
    alone: Vec<Option<P>>,
    least: Least<P>,
    seen: Vec<Seen<P>>,
    indices: HashMap<Vec<u16>, usize>,
    /// Lower bound on the total price, lower bound on the price of the rest, state.
    open: BinaryHeap<Reverse<(P, P, usize)>>,
}

/// The cheapest scheme under a price for every move, found within at most `limit` states.
pub fn cheapest<P: Price>(game: &Game, prices: &[P], limit: usize) -> SearchResult<P> {
    let (seen, indices, open) = (Vec::new(), HashMap::new(), BinaryHeap::new());
    let least = Least::new(game, prices);
    let mut search = SchemeSearch {
        alone: alone(game, prices),
        least,
        seen,
        indices,
        open,
    };
    search.meet(game, needed(game, Vec::new(), &game.goals), P::zero(), None);
    while let Some(Reverse((total, left, index))) = search.open.pop() {
        let Seen { facts, spent, .. } = &search.seen[index];
        let (facts, spent) = (facts.clone(), spent.clone());
        // Met again for less since.
        if spent.clone() + left < total {
            continue;
        }
        let Some(part) = part_to_make(game, &facts) else {
            return SearchResult::Scheme(Cheapest {
                price: spent,
                moves: search.moves_from(index),
            });
        };
        for (before, maker) in ways_back(game, prices, &facts, part) {
            search.meet(
                game,
                before,
                spent.clone() + prices[maker as usize].clone(),
                Some((maker, index)),
            );
        }
        if search.seen.len() > limit {
            return SearchResult::TooMany;
        }
    }
    SearchResult::Nothing
}

impl<P: Price> SchemeSearch<P> {
    /// Records a state, unless it cannot lead to the best scheme or was reached before at the same or a lower price.
    fn meet(&mut self, game: &Game, facts: Vec<u16>, spent: P, next: Option<(u32, usize)>) {
        let dearest = |most: P, &fact: &u16| Some(most.max(self.alone[usize::from(fact)].clone()?));
        let Some(left) = facts.iter().try_fold(P::zero(), dearest) else {
            return;
        };
        let left = left.max(self.least.of(game, &facts));
        let index = match self.indices.get(&facts) {
            Some(&index) if self.seen[index].spent <= spent => return,
            Some(&index) => {
                (self.seen[index].spent, self.seen[index].next) = (spent.clone(), next);
                index
            }
            None => {
                self.indices.insert(facts.clone(), self.seen.len());
                self.seen.push(Seen {
                    facts,
                    spent: spent.clone(),
                    next,
                });
                self.seen.len() - 1
            }
        };
        self.open.push(Reverse((spent + left.clone(), left, index)));
    }

    /// The moves that lead from a state to the goals.
    fn moves_from(&self, mut index: usize) -> Vec<u32> {
        let mut moves = Vec::new();
        while let Some((one, next)) = self.seen[index].next {
            moves.push(one);
            index = next;
        }
        moves
    }
}

/// The states before a state in which something of this part has to be made, and the moves between. If a free move
/// makes a fact of facts that are needed anyway, taking it alone loses no scheme.
fn ways_back<P: Price>(
    game: &Game,
    prices: &[P],
    facts: &[u16],
    part: Part,
) -> Vec<(Vec<u16>, u32)> {
    let mut choices: Vec<u16> = facts
        .iter()
        .copied()
        .filter(|&fact| game.facts[usize::from(fact)].part == part)
        .collect();
    choices.dedup();
    let mut ways = Vec::new();
    for fact in choices {
        for &maker in &game.makers[usize::from(fact)] {
            let before = needed(
                game,
                without(facts, fact),
                &game.moves[maker as usize].inputs,
            );
            if prices[maker as usize].is_zero() && before.len() < facts.len() {
                return vec![(before, maker)];
            }
            ways.push((before, maker));
        }
    }
    ways
}

/// The cheapest moves.
struct Least<P> {
    /// Per node: the operands that it owns, and the cheapest transfer to it.
    nodes: Vec<(Part, Option<P>)>,
    /// The cheapest merge.
    merge: P,
}

impl<P: Price> Least<P> {
    fn new(game: &Game, prices: &[P]) -> Self {
        let count = game
            .facts
            .iter()
            .map(|fact| fact.node.index() + 1)
            .max()
            .unwrap_or(0);
        let mut nodes = vec![(0, None::<P>); count];
        for fact in game
            .start
            .iter()
            .map(|&fact| &game.facts[usize::from(fact)])
        {
            nodes[fact.node.index()].0 |= fact.part;
        }
        let mut merge: Option<P> = None;
        for (one, price) in game.moves.iter().zip(prices) {
            let known = match one.inputs.len() {
                1 => &mut nodes[game.facts[usize::from(one.output)].node.index()].1,
                _ => &mut merge,
            };
            *known = Some(
                known
                    .take()
                    .map_or(price.clone(), |known| known.min(price.clone())),
            );
        }
        Least {
            nodes,
            merge: merge.unwrap_or_else(P::zero),
        }
    }

    /// Lower bound on the price of these facts: a transfer to every node with a fact that its own operands do not make
    /// (to one that does not replicate, for every such fact), and the number of merges that the greatest fact takes.
    fn of(&self, game: &Game, facts: &[u16]) -> P {
        let (mut sum, mut last, mut merges) = (P::zero(), None, 0);
        let mut by_node: Vec<_> = facts
            .iter()
            .map(|&fact| (game.facts[usize::from(fact)].node, fact))
            .collect();
        by_node.sort_unstable();
        for (node, fact) in by_node {
            let known = &game.facts[usize::from(fact)];
            merges = merges.max(known.operands - 1);
            let (own, into) = &self.nodes[node.index()];
            let once = game.copies[usize::from(fact)];
            if known.part & !own != 0 && !(once && last == Some(node)) {
                last = Some(node);
                sum = sum + into.clone().unwrap_or_else(P::zero);
            }
        }
        (0..merges).fold(sum, |sum, _| sum + self.merge.clone())
    }
}

/// The price of each fact alone: a more expensive input never makes an output cheaper, so facts are settled in the
/// order of their prices (Knuth 1977). The inputs of a merge have no operand in common, so they share no task.
fn alone<P: Price>(game: &Game, prices: &[P]) -> Vec<Option<P>> {
    let mut settled: Vec<Option<P>> = vec![None; game.facts.len()];
    let mut open: BinaryHeap<Reverse<(P, u16)>> = game
        .start
        .iter()
        .map(|&fact| Reverse((P::zero(), fact)))
        .collect();
    while let Some(Reverse((price, fact))) = open.pop() {
        if settled[usize::from(fact)].is_some() {
            continue;
        }
        settled[usize::from(fact)] = Some(price);
        for &user in &game.users[usize::from(fact)] {
            let one = &game.moves[user as usize];
            let plus = |sum: P, &input: &u16| Some(sum + settled[usize::from(input)].clone()?);
            if let Some(sum) = one
                .inputs
                .iter()
                .try_fold(prices[user as usize].clone(), plus)
            {
                open.push(Reverse((sum, one.output)));
            }
        }
    }
    settled
}

/// Facts needed if these inputs are needed too. A fact at a replicating node is needed once, an initial one never.
fn needed(game: &Game, mut facts: Vec<u16>, inputs: &[u16]) -> Vec<u16> {
    for &input in inputs {
        let once = game.copies[usize::from(input)];
        if !(once && (facts.contains(&input) || game.start.contains(&input))) {
            facts.push(input);
        }
    }
    facts.sort_unstable();
    facts
}

/// The facts but one.
fn without(facts: &[u16], fact: u16) -> Vec<u16> {
    let mut facts = facts.to_vec();
    if let Some(index) = facts.iter().position(|&one| one == fact) {
        facts.remove(index);
    }
    facts
}

/// The greatest part that is needed and missing at the start, in the order of the facts. `None` at the end of the
/// search.
fn part_to_make(game: &Game, facts: &[u16]) -> Option<Part> {
    let times = |fact: u16| facts.iter().filter(|&&one| one == fact).count();
    let missing = |fact: &&u16| !game.start.contains(fact) || times(**fact) > 1;
    facts
        .iter()
        .rfind(missing)
        .map(|&fact| game.facts[usize::from(fact)].part)
}
