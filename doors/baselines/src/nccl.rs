//! The algorithms of NCCL and RCCL, by their names: the messages between ranks, as in NCCL 2.30.7
//! (src/graph/connect.cc, src/graph/trees.cc, src/device).
//!
//! Names are those of `NCCL_ALGO`. Between boxes one channel begins at each network card of a box. In one box all
//! channels of a kind are equal, and one represents them.

use std::collections::BTreeMap;

use oneport_plan::{Form, LinkId};

use crate::Algorithm;
use crate::algorithm::Ways;
use crate::boxes::Boxes;
use crate::catalogue::{Maker, RankHints, blocks};
use crate::phase::{Phase, Step};

impl Maker<'_> {
    /// The algorithms of NCCL on boxes of accelerators. Empty on other platforms.
    pub(crate) fn nccl(&self, shape: &RankHints) -> Vec<Algorithm> {
        let boxes = &shape.boxes;
        if boxes.members.is_empty() {
            return Vec::new();
        }
        [
            self.nccl_ring(boxes),
            self.nccl_tree(boxes),
            self.nccl_pat(boxes),
            self.nccl_pxn(boxes),
        ]
        .into_iter()
        .flatten()
        .chain(self.in_switches(boxes))
        .collect()
    }

    /// A ring per channel. For one box without a switch see `Comparison::add_rings`.
    fn nccl_ring(&self, boxes: &Boxes) -> Option<Algorithm> {
        if !boxes.are_passed() {
            return None;
        }
        let orders = boxes.rings();
        let name = with_channels("NCCL Ring", boxes);
        let mut ring = match self.chains(&orders) {
            Some(chains) => {
                let about =
                    "every channel passes its part on along its ring, from the root or to it";
                self.tree(&name, about, &chains)
            }
            None => {
                let about = "every channel sends its part round a ring through all boxes";
                self.ring(&name, about, &orders)
            }
        }?;
        self.take(&mut ring, [&boxes.returns, &boxes.direct]);
        Some(ring)
    }

    /// Lets all messages between these ranks take these links.
    fn take(&self, made: &mut Algorithm, ways: [&BTreeMap<(usize, usize), Vec<LinkId>>; 2]) {
        let links: BTreeMap<(usize, usize), Vec<LinkId>> = ways
            .into_iter()
            .flatten()
            .map(|(ends, links)| (*ends, links.clone()))
            .collect();
        if !links.is_empty() {
            made.ways = Ways {
                of_block: vec![0; self.demands() * made.pieces as usize],
                links: vec![links],
            };
        }
    }

    /// Two trees per channel: chains in the boxes, binary trees among their heads. None in one box without a switch,
    /// whose chains NCCL searches for.
    fn nccl_tree(&self, boxes: &Boxes) -> Option<Algorithm> {
        if self.form != Some(Form::ALL_REDUCE) || !boxes.are_passed() {
            return None;
        }
        let about = "a chain in every box; two binary trees among the boxes, half of each channel's part on each";
        let about = if boxes.members.len() == 1 {
            "the same chain on all channels, up and down"
        } else {
            about
        };
        let name = with_channels("NCCL Tree", boxes);
        let mut made = self.tree(&name, about, &boxes.trees())?;
        self.take(&mut made, [&boxes.direct, &BTreeMap::new()]);
        Some(made)
    }

    /// Parallel aggregated trees: one binomial tree per block, all in parallel, with one accelerator per box. The rank
    /// at offset `o` before a block's rank receives it from the one that is `2^k` nearer, where `k` is the lowest
    /// binary digit of `o` that is 1.
    fn nccl_pat(&self, boxes: &Boxes) -> Option<Algorithm> {
        let ranks = self.ranks.len();
        if !boxes.are_single() || ranks < 2 {
            return None;
        }
        let combine = match self.form {
            Some(Form::ALL_GATHER) => false,
            Some(Form::REDUCE_SCATTER) => true,
            _ => return None,
        };
        let step = |distance: usize| -> Vec<Step> {
            let near = (0..ranks).step_by(2 * distance);
            let offsets: Vec<usize> = near.filter(|near| near + distance < ranks).collect();
            let send = |rank: usize| {
                let before = (rank + ranks - distance) % ranks;
                let (from, to) = if combine {
                    (before, rank)
                } else {
                    (rank, before)
                };
                let block = |near: &usize| (rank + near) % ranks;
                Step {
                    from,
                    to,
                    blocks: offsets
                        .iter()
                        .flat_map(|near| blocks(block(near), block(near) + 1))
                        .collect(),
                    combine,
                }
            };
            (0..ranks).map(send).collect()
        };
        let mut steps: Vec<Vec<Step>> =
            std::iter::successors(Some(1_usize), |distance| Some(distance * 2))
                .take_while(|&distance| distance < ranks)
                .map(step)
                .collect();
        if !combine {
            steps.reverse();
        }
        let about =
            "a binomial tree per block, all at once, the farthest first; one accelerator per box";
        Some(self.made("NCCL PAT", about, 1, vec![Phase::Steps(steps)]))
    }

    /// All-to-all over rails: a message for another box goes first to the accelerator of its own box that has the
    /// receiver's index there, then from that index to the same index.
    fn nccl_pxn(&self, boxes: &Boxes) -> Option<Algorithm> {
        let size = boxes.members.first()?.len();
        let alike = boxes.members.iter().all(|of| of.len() == size);
        if self.form != Some(Form::ALL_TO_ALL) || boxes.members.len() < 2 || size < 2 || !alike {
            return None;
        }
        let about =
            "PXN: over NVLink to the accelerator on the receiver's rail, then along the rail";
        let phases = vec![Phase::Rails(boxes.members.clone())];
        Some(self.made("NCCL PXN", about, 1, phases))
    }
}

/// The name of several rings through one box.
pub(crate) fn rings_of_one_box(rings: u32) -> String {
    numbered("NCCL Ring", rings as usize)
}

/// `NCCL Ring (8 channels)`. Without a number in one box, whose channels are equal.
fn with_channels(name: &str, boxes: &Boxes) -> String {
    numbered(name, boxes.channels.len())
}

fn numbered(name: &str, channels: usize) -> String {
    match channels {
        0 => name.to_string(),
        1 => format!("{name} (1 channel)"),
        channels => format!("{name} ({channels} channels)"),
    }
}
