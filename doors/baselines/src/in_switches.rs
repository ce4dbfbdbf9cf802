//! NCCL's algorithms over switches that combine and duplicate messages that pass through them: NVLS and NVLSTree over
//! NVSwitches, CollNet over switches of the network (SHARP), as NCCL 2.30.7 runs them (src/device/all_reduce.h,
//! src/transport/nvls.cc, src/transport/coll_net.cc).
//!
//! A switch is a further rank, which owns no operand: it keeps the first copy of a block and combines the others with
//! it. Between boxes every accelerator needs a separate network card.

use std::collections::BTreeMap;

use oneport_plan::{Form, LinkId, NodeId};

use crate::algorithm::Ways;
use crate::boxes::{Boxes, Combiner, box_trees};
use crate::catalogue::{Maker, blocks};
use crate::phase::{ExchangeOp, Phase, Step};
use crate::{Algorithm, Tree};

/// Fact: the most accelerators of a box that CollNet takes.
const COLLNET: usize = 8;

impl Maker<'_> {
    /// NCCL's algorithms over these boxes' switches and their network's. Empty if they do not combine and duplicate.
    pub(crate) fn in_switches(&self, boxes: &Boxes) -> Vec<Algorithm> {
        let Some(size) = boxes.size() else {
            return Vec::new();
        };
        let mut made = Made {
            maker: self,
            boxes,
            size,
            nodes: self.ranks.clone(),
            links: BTreeMap::new(),
        };
        let one_box = boxes.members.len() == 1;
        let all = match self.form {
            Some(Form::ALL_REDUCE) if one_box => vec![made.nvls()],
            Some(Form::ALL_REDUCE) => vec![
                made.nvls_over_hubs(),
                made.nvls_tree(),
                made.collnet_chain(),
                made.collnet_direct(),
            ],
            Some(Form::ALL_GATHER) if one_box => vec![made.nvls_gather()],
            Some(Form::REDUCE_SCATTER) if one_box => vec![made.nvls_reduce_scatter()],
            _ => Vec::new(),
        };
        all.into_iter().flatten().collect()
    }
}

/// The algorithms of one problem.
struct Made<'m> {
    maker: &'m Maker<'m>,
    boxes: &'m Boxes,
    /// Accelerators per box.
    size: usize,
    /// The ranks' nodes, and the switches used so far.
    nodes: Vec<NodeId>,
    /// The links between ranks and switches.
    links: BTreeMap<(usize, usize), Vec<LinkId>>,
}

fn step(from: usize, to: usize, blocks: Vec<u32>, combine: bool) -> Step {
    Step {
        from,
        to,
        blocks,
        combine,
    }
}

impl Made<'_> {
    /// The rank of a switch.
    fn rank(&mut self, combiner: &Combiner) -> usize {
        let known = self.nodes.iter().position(|node| *node == combiner.switch);
        let rank = known.unwrap_or(self.nodes.len());
        if known.is_none() {
            self.nodes.push(combiner.switch);
        }
        for (&member, [to, back]) in &combiner.ways {
            self.links.insert((member, rank), to.clone());
            self.links.insert((rank, member), back.clone());
        }
        rank
    }

    /// The ranks of the boxes' switches. `None` if they do not combine.
    fn switches(&mut self) -> Option<Vec<usize>> {
        let boxes = self.boxes;
        let all: Vec<usize> = boxes.combiners.iter().map(|one| self.rank(one)).collect();
        (!all.is_empty()).then_some(all)
    }

    /// The ranks of the channels' switches of the network. `None` if they do not combine.
    fn hubs(&mut self) -> Option<Vec<usize>> {
        let boxes = self.boxes;
        let all: Vec<usize> = boxes.hubs.iter().map(|one| self.rank(one)).collect();
        (!all.is_empty()).then_some(all)
    }

    /// Whether every accelerator has a separate card: then the head of share `h` is the member of number `h`.
    fn has_own_cards(&self) -> bool {
        self.boxes.channels.len() == self.size
    }

    fn made(&self, name: &str, about: &str, pieces: usize, phases: Vec<Phase>) -> Algorithm {
        let demands = self.maker.demands();
        Algorithm {
            ranks: self.nodes.clone(),
            ways: Ways {
                of_block: vec![0; demands.saturating_mul(pieces)],
                links: vec![self.links.clone()],
            },
            ..self.maker.made(name, about, pieces, phases)
        }
    }

    /// Every member sends every share to the switch of its box, which combines them. The head of a share gets the sum.
    fn pulled(&self, switches: &[usize], parts: usize) -> Phase {
        let (mut to_switch, mut to_heads) = (Vec::new(), Vec::new());
        for (members, &switch) in self.boxes.members.iter().zip(switches) {
            for (share, &head) in members.iter().enumerate() {
                let share = || blocks(share * parts, (share + 1) * parts);
                to_switch.extend(
                    members
                        .iter()
                        .map(|&from| step(from, switch, share(), true)),
                );
                to_heads.push(step(switch, head, share(), false));
            }
        }
        Phase::Steps(vec![to_switch, to_heads])
    }

    /// The head of every share sends it to the switch of its box, which sends it to all members, the head included.
    fn stored(&self, switches: &[usize], parts: usize) -> Phase {
        let (mut to_switch, mut to_all) = (Vec::new(), Vec::new());
        for (members, &switch) in self.boxes.members.iter().zip(switches) {
            for (share, &head) in members.iter().enumerate() {
                let share = || blocks(share * parts, (share + 1) * parts);
                to_switch.push(step(head, switch, share(), false));
                to_all.extend(members.iter().map(|&to| step(switch, to, share(), false)));
            }
        }
        Phase::Steps(vec![to_switch, to_all])
    }

    /// The heads of every share send it to the share's switch of the network, which sends the sum to all of them.
    fn over_hubs(&self, hubs: &[usize]) -> Phase {
        let (mut to_hub, mut to_heads) = (Vec::new(), Vec::new());
        for (share, &hub) in hubs.iter().enumerate() {
            let heads = self.boxes.members.iter().filter_map(|of| of.get(share));
            for &head in heads {
                to_hub.push(step(head, hub, blocks(share, share + 1), true));
                to_heads.push(step(hub, head, blocks(share, share + 1), false));
            }
        }
        Phase::Steps(vec![to_hub, to_heads])
    }

    /// In one box: in and out of every accelerator `(1 + 1/n)` of the operation.
    fn nvls(&mut self) -> Option<Algorithm> {
        let switches = self.switches()?;
        let about =
            "every GPU pulls one share, summed by the NVSwitch, and the NVSwitch stores it at all";
        let phases = vec![self.pulled(&switches, 1), self.stored(&switches, 1)];
        Some(self.made("NCCL NVLS", about, self.size, phases))
    }

    /// Between boxes: heads of a share sum it in a switch of the network.
    fn nvls_over_hubs(&mut self) -> Option<Algorithm> {
        let (switches, hubs) = (self.switches()?, self.hubs()?);
        let about =
            "NVLS in the boxes; a switch of the network sums each share of the boxes (SHARP)";
        let phases = vec![
            self.pulled(&switches, 1),
            self.over_hubs(&hubs),
            self.stored(&switches, 1),
        ];
        self.has_own_cards()
            .then(|| self.made("NCCL NVLS", about, self.size, phases))
    }

    /// Between boxes: heads of a share are joined by the two trees of [`box_trees`], half of the share on each.
    fn nvls_tree(&mut self) -> Option<Algorithm> {
        let switches = self.switches().filter(|_| self.has_own_cards())?;
        let trees = box_trees(self.boxes.members.len());
        let trees: Vec<Tree> = trees
            .iter()
            .filter_map(|above| Tree::of_parents(above).ok())
            .collect();
        let parts = trees.len();
        let among = |phase: &dyn Fn(Tree, Vec<u32>) -> Phase| {
            let of_share = |share: usize| {
                let heads = self
                    .boxes
                    .members
                    .iter()
                    .filter_map(move |of| of.get(share));
                let heads: Vec<usize> = heads.copied().collect();
                let trees = trees.iter().enumerate();
                trees.map(move |(part, tree)| {
                    let block = share * parts + part;
                    (heads.clone(), phase(tree.clone(), blocks(block, block + 1)))
                })
            };
            Phase::Parallel((0..self.size).flat_map(of_share).collect())
        };
        let phases = vec![
            self.pulled(&switches, parts),
            among(&Phase::Combine),
            among(&Phase::Broadcast),
            self.stored(&switches, parts),
        ];
        let about = "NVLS in the boxes; two binary trees among the boxes for each share, half of it on each";
        Some(self.made("NCCL NVLSTree", about, self.size * parts, phases))
    }

    /// In one box: every member sends its message to the switch once, which sends it to all.
    fn nvls_gather(&mut self) -> Option<Algorithm> {
        let switch = *self.switches()?.first()?;
        let ranks = 0..self.maker.ranks.len();
        let to_switch = |rank: usize| step(rank, switch, blocks(rank, rank + 1), false);
        let to_all = |block: usize| {
            let to = move |rank| step(switch, rank, blocks(block, block + 1), false);
            ranks.clone().map(to)
        };
        let steps = vec![
            ranks.clone().map(to_switch).collect(),
            ranks.clone().flat_map(to_all).collect(),
        ];
        let about = "everyone's message goes to the NVSwitch once, which stores it at all";
        Some(self.made("NCCL NVLS", about, 1, vec![Phase::Steps(steps)]))
    }

    /// In one box: every member pulls its result, summed by the switch.
    fn nvls_reduce_scatter(&mut self) -> Option<Algorithm> {
        let switch = *self.switches()?.first()?;
        let ranks = 0..self.maker.ranks.len();
        let to_switch = |block: usize| {
            let from = move |rank| step(rank, switch, blocks(block, block + 1), true);
            ranks.clone().map(from)
        };
        let to_owner = |rank: usize| step(switch, rank, blocks(rank, rank + 1), false);
        let steps = vec![
            ranks.clone().flat_map(to_switch).collect(),
            ranks.clone().map(to_owner).collect(),
        ];
        let about = "everyone pulls its result, summed by the NVSwitch";
        Some(self.made("NCCL NVLS", about, 1, vec![Phase::Steps(steps)]))
    }

    /// Per channel the chains of NCCL's trees, whose heads a switch of the network joins.
    fn collnet_chain(&mut self) -> Option<Algorithm> {
        if !self.boxes.switched || self.size > COLLNET {
            return None;
        }
        let hubs = self.hubs()?;
        let ranks = self.maker.ranks.len();
        let tree = |channel: &Vec<usize>| {
            // The switch is the last node that the tree joins.
            let mut parents = vec![None; ranks + 1];
            for index in 0..self.boxes.members.len() {
                let chain = self.boxes.turned(channel, index);
                let above = std::iter::once(ranks).chain(chain.iter().copied());
                for (parent, &child) in above.zip(&chain) {
                    parents[child] = Some(parent);
                }
            }
            Tree::of_parents(&parents).ok()
        };
        let trees: Vec<Tree> = self
            .boxes
            .channels
            .iter()
            .map(tree)
            .collect::<Option<_>>()?;
        let each = |phase: &dyn Fn(Tree, Vec<u32>) -> Phase| {
            let one = |(channel, (tree, &hub)): (usize, (&Tree, &usize))| {
                let joined = (0..ranks).chain([hub]).collect();
                (joined, phase(tree.clone(), blocks(channel, channel + 1)))
            };
            Phase::Parallel(trees.iter().zip(&hubs).enumerate().map(one).collect())
        };
        let about = "a chain in every box, whose heads a switch of the network joins (SHARP)";
        let phases = vec![each(&Phase::Combine), each(&Phase::Broadcast)];
        Some(self.made("NCCL CollNetChain", about, hubs.len(), phases))
    }

    /// Every member sends each head its share, directly. A switch of the network joins the heads of a share.
    fn collnet_direct(&mut self) -> Option<Algorithm> {
        if !self.boxes.switched || !(2..=COLLNET).contains(&self.size) || !self.has_own_cards() {
            return None;
        }
        let hubs = self.hubs()?;
        let order: Vec<usize> = (0..self.size).collect();
        let inside = |between| {
            let one = |of: &Vec<usize>| (of.clone(), Phase::Direct(order.clone(), between));
            Phase::Parallel(self.boxes.members.iter().map(one).collect())
        };
        let phases = vec![
            inside(ExchangeOp::OfReceiver),
            self.over_hubs(&hubs),
            inside(ExchangeOp::OfSender),
        ];
        let about = "everyone combines one share of its box, sent directly; a switch of the network sums the boxes' (SHARP)";
        Some(self.made("NCCL CollNetDirect", about, self.size, phases))
    }
}
