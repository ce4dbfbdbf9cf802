//! One automorphism that extends a given group: individualisation and refinement of two partitions side by side.
//!
//! The group `G` found so far is normalised by construction: `x -> y` also decides `g x -> g^power y` for every `g`.
//! The new element follows its own orbit, `x -> y -> ... -> c x` in `r` steps for a chosen `c` of `G`, so that its
//! `r`-th power is `c`.

use std::collections::BTreeMap;

use super::graph::Graph;
use super::group::Group;
use super::partition::{Partition, Scratch};

/// Images tried per node. Trades time for larger groups. Not measured.
const TRIES: usize = 8;
/// Participants of one kind that are compared. Trades time for larger groups. Not measured.
const SAMPLE: usize = 8;
/// Entries of remembered relations. Trades memory for time. Not measured: computed, `2^24` entries.
const REMEMBERED: usize = 1 << 24;

/// The requirements of an attempt.
pub(super) struct Goal<'a> {
    pub group: &'a Group,
    /// The image of every element of the group under conjugation by the new one, by position.
    pub powers: &'a [usize],
    /// The new element to the power of `.0` is the element `.1` of the group. `None` sets no condition.
    pub cycle: Option<(usize, usize)>,
    /// Only images with the same relation to their nodes, for every kind of participants.
    pub uniform: bool,
    /// Try the images of participants from the last to the first.
    pub backwards: bool,
}

/// The graph, its equitable partition, and the relations between pairs of nodes computed so far.
pub(super) struct AutomorphismSearch<'a> {
    pub graph: &'a Graph,
    pub base: Partition,
    pub scratch: Scratch,
    /// The search stops if `scratch.work` exceeds this.
    pub budget: u64,
    relations: BTreeMap<u32, Vec<u32>>,
}

/// The corresponding cells, before and after the automorphism.
#[derive(Clone)]
struct Pair {
    source: Partition,
    target: Partition,
}

impl Pair {
    /// Makes `y` the image of `x`. Both must be in the same cell.
    fn fix(&mut self, x: u32, y: u32, changed: &mut Vec<u32>) -> bool {
        let cell = self.source.cell(x);
        if cell != self.target.cell(y) || self.source.companions(x) != self.target.companions(y) {
            return false;
        }
        if self.source.companions(x) > 1 {
            self.target.individualise(y);
            changed.push(self.source.individualise(x));
        }
        true
    }
}

impl<'a> AutomorphismSearch<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let mut scratch = Scratch::new(graph.nodes());
        let base = Partition::equitable(graph, &mut scratch);
        AutomorphismSearch {
            graph,
            base,
            scratch,
            budget: 0,
            relations: BTreeMap::new(),
        }
    }

    pub(super) fn exhausted(&self) -> bool {
        self.scratch.work > self.budget
    }

    /// The relation of every node to `x`: its cell after individualising `x`. An automorphism that takes `x` to `x'`
    /// keeps relations: those to `x` become those to `x'`.
    pub(super) fn relation(&mut self, x: u32) -> &[u32] {
        if !self.relations.contains_key(&x) {
            if self.relations.len() * self.graph.nodes() > REMEMBERED {
                self.relations.clear();
            }
            let mut partition = self.base.clone();
            if partition.companions(x) > 1 {
                let cell = partition.individualise(x);
                partition.refine(self.graph, &mut self.scratch, &[cell]);
            }
            let cells = (0..self.graph.nodes() as u32)
                .map(|node| partition.cell(node))
                .collect();
            self.scratch.work += self.graph.nodes() as u64;
            self.relations.insert(x, cells);
        }
        self.relations.get(&x).map_or(&[], Vec::as_slice)
    }

    /// An automorphism, as images of nodes, that takes `x` to `y` and meets the goal. It is not verified yet.
    pub(super) fn attempt(&mut self, goal: &Goal, x: u32, y: u32) -> Option<Vec<u32>> {
        self.scratch.work += 4 * self.graph.nodes() as u64;
        let mut pair = Pair {
            source: self.base.clone(),
            target: self.base.clone(),
        };
        // The relation of images to their nodes, for every cell of the equitable partition.
        let mut wanted = BTreeMap::new();
        self.orbit(goal, &mut pair, x, Some(y), &mut wanted)?;
        while let Some(next) = self.next(goal, &pair) {
            if self.exhausted() {
                return None;
            }
            self.orbit(goal, &mut pair, next, None, &mut wanted)?;
        }
        let mut map = vec![0; self.graph.nodes()];
        for (&node, &image) in pair.source.order().iter().zip(pair.target.order()) {
            map[node as usize] = image;
        }
        Some(map)
    }

    /// The node to decide next: a participant with the fewest possible images, or another node if all participants are
    /// decided.
    fn next(&mut self, goal: &Goal, pair: &Pair) -> Option<u32> {
        if pair.source.is_discrete() {
            return None;
        }
        let open = |&node: &u32| pair.source.companions(node) > 1;
        self.scratch.work += self.graph.nodes() as u64;
        (0..self.graph.nodes() as u32)
            .filter(open)
            .min_by_key(|&node| {
                let is_router = goal.group.orbit[node as usize] == u32::MAX;
                (is_router, pair.source.companions(node))
            })
    }

    /// Decides the orbit of `x` under the new element.
    fn orbit(
        &mut self,
        goal: &Goal,
        pair: &mut Pair,
        mut x: u32,
        mut image: Option<u32>,
        wanted: &mut BTreeMap<u32, u32>,
    ) -> Option<()> {
        let (steps, last) = match goal.cycle {
            Some((steps, closing)) => (steps, Some(goal.group.elements[closing].nodes[x as usize])),
            None => (1, None),
        };
        let mut visited = vec![goal.group.orbit[x as usize]];
        for step in 1..=steps {
            let candidates = match (image.take(), last) {
                (Some(y), _) => vec![y],
                (None, Some(last)) if step == steps => vec![last],
                _ => self.candidates(goal, pair, x, &visited, wanted),
            };
            let y = if let [only] = candidates.as_slice() {
                self.decide(goal, pair, x, *only).then_some(*only)
            } else {
                let before = pair.clone();
                let mut tries = candidates.into_iter();
                loop {
                    let Some(y) = tries.next() else { break None };
                    self.scratch.work += self.graph.nodes() as u64;
                    if self.decide(goal, pair, x, y) {
                        break Some(y);
                    }
                    pair.clone_from(&before);
                }
            }?;
            visited.push(goal.group.orbit[y as usize]);
            x = y;
        }
        Some(())
    }

    /// The possible images of `x`, best first. Participants must leave the orbits visited so far. The images with the
    /// relation of the first image of their kind come first. Other nodes keep their position if they can.
    fn candidates(
        &mut self,
        goal: &Goal,
        pair: &Pair,
        x: u32,
        visited: &[u32],
        wanted: &mut BTreeMap<u32, u32>,
    ) -> Vec<u32> {
        let orbit = &goal.group.orbit;
        let is_router = orbit[x as usize] == u32::MAX;
        let mut possible = pair.target.members(pair.source.cell(x)).to_vec();
        self.scratch.work += possible.len() as u64;
        if possible.len() == 1 {
            return possible;
        }
        if is_router {
            possible.sort_unstable_by_key(|&y| (y != x, y));
        } else {
            possible.retain(|&y| !visited.contains(&orbit[y as usize]));
            let like = self.wanted(pair, x, wanted);
            let relation = self.relation(x);
            if goal.uniform && like.is_some() {
                possible.retain(|&y| like == Some(relation[y as usize]));
            }
            let turned = |y: u32| if goal.backwards { u32::MAX - y } else { y };
            possible.sort_unstable_by_key(|&y| (like != Some(relation[y as usize]), turned(y)));
        }
        possible.truncate(TRIES);
        possible
    }

    /// The relation of a node of the kind of `x`, the first that is decided, to its image.
    fn wanted(&mut self, pair: &Pair, x: u32, wanted: &mut BTreeMap<u32, u32>) -> Option<u32> {
        let cell = self.base.cell(x);
        if let Some(&relation) = wanted.get(&cell) {
            return Some(relation);
        }
        let members = self.base.members(cell);
        self.scratch.work += members.len() as u64;
        let decided = members
            .iter()
            .copied()
            .filter(|&node| pair.source.companions(node) == 1)
            .min()?;
        let image = pair
            .target
            .members(pair.source.cell(decided))
            .first()
            .copied()?;
        let relation = self.relation(decided)[image as usize];
        wanted.insert(cell, relation);
        Some(relation)
    }

    /// Whether all participants of one kind have the same relation to their images, judged by a sample. The elements of
    /// an abelian group that acts transitively have it. Other free automorphisms, reflections for instance, need not.
    pub(super) fn is_uniform(&mut self, group: &Group, map: &[u32]) -> bool {
        let mut sampled: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
        for x in (0..self.graph.nodes() as u32).filter(|&x| group.orbit[x as usize] != u32::MAX) {
            let cell = self.base.cell(x);
            let count = sampled.get(&cell).map_or(0, |&(count, _)| count);
            if count == SAMPLE {
                continue;
            }
            let relation = self.relation(x)[map[x as usize] as usize];
            let entry = sampled.entry(cell).or_insert((0, relation));
            entry.0 += 1;
            if entry.1 != relation {
                return false;
            }
        }
        true
    }

    /// Makes `y` the image of `x`, and everything else that the group and the links then determine. Returns `false` if
    /// that cannot be.
    fn decide(&mut self, goal: &Goal, pair: &mut Pair, x: u32, y: u32) -> bool {
        let elements = &goal.group.elements;
        let mut changed = Vec::new();
        for (element, &power) in elements.iter().zip(goal.powers) {
            let (from, to) = (element.nodes[x as usize], elements[power].nodes[y as usize]);
            if !pair.fix(from, to, &mut changed) {
                return false;
            }
        }
        self.scratch.work += elements.len() as u64;
        let source = pair.source.refine(self.graph, &mut self.scratch, &changed);
        source == pair.target.refine(self.graph, &mut self.scratch, &changed)
    }
}
