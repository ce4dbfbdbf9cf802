//! Algorithms of Open MPI and MPICH that the other files do not have, by their names.

use oneport_plan::Form;

use crate::Algorithm;
use crate::catalogue::{Maker, blocks};
use crate::phase::{Blocks, Phase, Step};
use crate::tree::Tree;

/// Fact: children of an inner rank of Open MPI's k-nomial trees, and its chains from the root.
const RADIX: usize = 4;

impl Maker<'_> {
    /// The algorithms, with `groups` of ranks that are close to one another.
    pub(crate) fn mpi(&self, groups: &[Vec<usize>]) -> Vec<Algorithm> {
        let ranks = self.ranks.len();
        let mut all = Vec::new();
        match self.form {
            Some(Form::BROADCAST) => {
                let about = "who has it serves three more at every step";
                all.extend(self.tree("4-nomial tree", about, &[Tree::nomial(ranks, RADIX)]));
                let about = "four chains from the root, the whole message on each, pipelined";
                all.extend(self.tree("4 chains", about, &[Tree::chains(ranks, RADIX)]));
                all.extend(self.split_binary());
            }
            Some(Form::REDUCE) => {
                let about = "who is served combines what three more have at every step";
                all.extend(self.tree("4-nomial tree", about, &[Tree::nomial(ranks, RADIX)]));
                let about = "four chains to the root, the whole message on each, pipelined";
                all.extend(self.tree("4 chains", about, &[Tree::chains(ranks, RADIX)]));
            }
            Some(Form::ALL_GATHER) => all.extend(self.neighbor_exchange()),
            Some(Form::ALL_REDUCE) => all.extend(self.in_groups(groups)),
            _ => {}
        }
        all
    }

    /// All-reduces with a leader per group: by HAN of Open MPI along one tree, and by `smp` of MPICH with an all-reduce
    /// of the leaders.
    fn in_groups(&self, groups: &[Vec<usize>]) -> Vec<Algorithm> {
        if groups.len() < 2 {
            return Vec::new();
        }
        let about = "segments go up binomial trees in the groups and among their leaders, and down again, pipelined";
        let tree = Tree::of_groups(groups, Tree::binomial);
        let mut all: Vec<Algorithm> = self
            .tree("HAN (pipelined)", about, &[tree])
            .into_iter()
            .collect();
        let leaders: Vec<usize> = groups
            .iter()
            .filter_map(|group| group.first().copied())
            .collect();
        if !leaders.len().is_power_of_two() {
            return all;
        }
        let pieces = leaders.len();
        let mut own: Blocks = vec![Vec::new(); self.ranks.len()];
        for (block, &leader) in leaders.iter().enumerate() {
            own[leader] = blocks(block, block + 1);
        }
        let inside = |phase: &dyn Fn(Tree) -> Phase| {
            let phase_of_group =
                |group: &Vec<usize>| (group.clone(), phase(Tree::binomial(group.len())));
            Phase::Parallel(groups.iter().map(phase_of_group).collect())
        };
        let about = "binomial trees in the groups; among their leaders reduce-scatter by halving, all-gather by doubling";
        let phases = vec![
            inside(&|tree| Phase::Combine(tree, blocks(0, pieces))),
            Phase::Halving(leaders.clone(), own.clone()),
            Phase::Doubling(leaders, own),
            inside(&|tree| Phase::Broadcast(tree, blocks(0, pieces))),
        ];
        all.push(self.made("MPICH smp", about, pieces, phases));
        all
    }

    /// Even numbers of ranks: neighbours of a ring exchange their blocks, then the two blocks that came last, with the
    /// other neighbour and the first alternately. After `n / 2` steps all ranks have all blocks.
    fn neighbor_exchange(&self) -> Option<Algorithm> {
        let ranks = self.ranks.len();
        if ranks % 2 == 1 {
            return None;
        }
        // Per rank: the blocks to send next.
        let mut last: Vec<Vec<usize>> = (0..ranks).map(|rank| vec![rank]).collect();
        let mut steps = Vec::new();
        for round in 0..ranks / 2 {
            let partner = |rank: usize| {
                if rank % 2 == round % 2 {
                    (rank + 1) % ranks
                } else {
                    (rank + ranks - 1) % ranks
                }
            };
            let send = |rank: usize| Step {
                from: rank,
                to: partner(rank),
                blocks: last[rank]
                    .iter()
                    .flat_map(|&block| blocks(block, block + 1))
                    .collect(),
                combine: false,
            };
            steps.push((0..ranks).map(send).collect());
            let next = |rank: usize| match round {
                0 => vec![rank, partner(rank)],
                _ => last[partner(rank)].clone(),
            };
            last = (0..ranks).map(next).collect();
        }
        let about =
            "neighbours exchange what they had last from the other side, two blocks at a time";
        Some(self.made("neighbor exchange", about, 1, vec![Phase::Steps(steps)]))
    }

    /// Each half of the message goes down one side of a binary tree. Then pairs of ranks of both sides exchange halves.
    /// With an even number of ranks the root sends the second half to the last rank itself.
    fn split_binary(&self) -> Option<Algorithm> {
        let ranks = self.ranks.len();
        if ranks < 3 {
            return None;
        }
        let side = |first: usize| -> Vec<usize> {
            [0].into_iter().chain((first..ranks).step_by(2)).collect()
        };
        let down = |half: usize, members: Vec<usize>| {
            // Ranks of one side below the root form a separate binary tree.
            let parents: Vec<Option<usize>> = (0..members.len())
                .map(|position| match position {
                    0 => None,
                    1 => Some(0),
                    _ => Some(position / 2),
                })
                .collect();
            let tree = Tree::of_parents(&parents).ok()?;
            Some((members, Phase::Broadcast(tree, blocks(half, half + 1))))
        };
        let sides = Phase::Parallel(vec![down(0, side(1))?, down(1, side(2))?]);
        let send = |from: usize, to: usize, half: usize| Step {
            from,
            to,
            blocks: blocks(half, half + 1),
            combine: false,
        };
        let pairs = (1..ranks - 1).step_by(2);
        let mut swaps: Vec<Step> = pairs
            .flat_map(|left| [send(left, left + 1, 0), send(left + 1, left, 1)])
            .collect();
        if ranks.is_multiple_of(2) {
            swaps.push(send(0, ranks - 1, 1));
        }
        let about =
            "each half down one side of a binary tree, then pairs of both sides exchange halves";
        Some(self.made(
            "split binary tree",
            about,
            2,
            vec![sides, Phase::Steps(vec![swaps])],
        ))
    }
}
