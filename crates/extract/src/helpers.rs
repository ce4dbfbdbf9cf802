//! Helpers, which are not targets: how capacities through them are passed on to targets.
//!
//! In order:
//! 1. A helper that replicates and that a flow of the whole amount reaches joins the spanned nodes, at no cost.
//! 2. If another helper offers more than it receives, its outgoing arcs are reduced by as much as no target needs.
//! 3. If it offers no more than it receives, it is split off: for each arc `(a, v)` into it and `(v, b)` out of it, as
//!    much as possible moves to an arc `(a, b)` while all targets keep their flow. All that leaves it can be moved
//!    (Bang-Jensen, Frank and Jackson 1995).
//! 4. Otherwise it copies, and it is refused by name: packing Steiner arborescences is NP-hard, and trees may attain
//!    less than the flows. On the butterfly (`s -> a, s -> b, a -> t1, a -> c, b -> c, b -> t2, c -> d, d -> t1,
//!    d -> t2`, all 1) flows promise 2 and trees attain 3/2.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_graph::cut_below;
use oneport_platform::LinkId;
use oneport_watch::{Limit, Watch};

/// An arc with its capacity, and the path of links that it represents.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub from: usize,
    pub to: usize,
    pub room: BigUint,
    pub links: Vec<LinkId>,
}

/// Capacities out of a root to spanned nodes, and the helpers between them.
pub(crate) struct Network<'w> {
    /// Nodes are `0..nodes`.
    pub nodes: usize,
    pub root: usize,
    pub ways: Vec<Way>,
    /// The amount that has to reach every spanned node.
    pub worth: BigUint,
    pub spanned: Vec<bool>,
    pub watch: &'w Watch,
}

/// A helper that copies.
pub(crate) struct Copies {
    pub helper: usize,
    pub sent: BigUint,
    pub received: BigUint,
}

impl Network<'_> {
    /// The capacity of a cut between the root and a node that is below the demand of the node.
    pub(crate) fn short(&self, node: usize) -> Result<Option<BigUint>, Limit> {
        self.watch.ask()?;
        let arcs: Vec<_> = self
            .ways
            .iter()
            .map(|way| (way.from, way.to, way.room.clone()))
            .collect();
        let side = cut_below(self.nodes, &arcs, self.root, node, &self.worth);
        Ok(side.map(|side| {
            self.ways
                .iter()
                .filter(|way| side[way.from] && !side[way.to])
                .map(|way| &way.room)
                .sum()
        }))
    }

    /// Helpers that replicate and receive the full flow join. The others are split off. Returns the first that cannot
    /// be.
    pub(crate) fn settle(
        &mut self,
        replicates: impl Fn(usize) -> bool,
    ) -> Result<Option<Copies>, Limit> {
        let helpers: Vec<usize> = (0..self.nodes)
            .filter(|&node| node != self.root && !self.spanned[node])
            .collect();
        let mut aside = Vec::new();
        for helper in helpers {
            if replicates(helper) && self.short(helper)?.is_none() {
                self.spanned[helper] = true;
            } else {
                aside.push(helper);
            }
        }
        for helper in aside {
            self.trim(helper)?;
            let (sent, received) = (
                self.sum(|way| way.from == helper),
                self.sum(|way| way.to == helper),
            );
            if sent > received || !self.split_off(helper)? {
                return Ok(Some(Copies {
                    helper,
                    sent,
                    received,
                }));
            }
        }
        Ok(None)
    }

    fn sum(&self, of: impl Fn(&Way) -> bool) -> BigUint {
        self.ways
            .iter()
            .filter(|way| of(way))
            .map(|way| &way.room)
            .sum()
    }

    fn indices(&self, of: impl Fn(&Way) -> bool) -> Vec<usize> {
        (0..self.ways.len())
            .filter(|&index| of(&self.ways[index]) && !self.ways[index].room.is_zero())
            .collect()
    }

    /// Removes outgoing capacity that no spanned node needs, until the helper offers no more than it receives.
    fn trim(&mut self, helper: usize) -> Result<(), Limit> {
        let received = self.sum(|way| way.to == helper);
        for index in self.indices(|way| way.from == helper) {
            let sent = self.sum(|way| way.from == helper);
            if sent <= received {
                break;
            }
            let most = (sent - &received).min(self.ways[index].room.clone());
            self.reduce(&[index], None, most)?;
        }
        Ok(())
    }

    /// Moves the helper's outgoing capacity to arcs past it. Returns whether all could be moved.
    fn split_off(&mut self, helper: usize) -> Result<bool, Limit> {
        for into in self.indices(|way| way.to == helper) {
            for out in self.indices(|way| way.from == helper) {
                let most = self.ways[into]
                    .room
                    .clone()
                    .min(self.ways[out].room.clone());
                if most.is_zero() {
                    continue;
                }
                let (from, to) = (self.ways[into].from, self.ways[out].to);
                let past = (from != to).then(|| {
                    let links = [&self.ways[into].links[..], &self.ways[out].links[..]].concat();
                    self.ways.push(Way {
                        from,
                        to,
                        room: BigUint::zero(),
                        links,
                    });
                    self.ways.len() - 1
                });
                self.reduce(&[into, out], past, most)?;
            }
        }
        let all = self.indices(|way| way.from == helper).is_empty();
        let root = self.root;
        self.ways.retain(|way| {
            way.from == root || !way.room.is_zero() && way.from != helper && way.to != helper
        });
        Ok(all)
    }

    /// Takes as much as possible, at most `most`, off some arcs and adds it to another, so that every spanned node
    /// keeps its flow. No cut loses more than is moved, so Newton's method over violated cuts takes their deficits off.
    fn reduce(
        &mut self,
        less: &[usize],
        more: Option<usize>,
        mut most: BigUint,
    ) -> Result<(), Limit> {
        for &index in less {
            self.ways[index].room -= &most;
        }
        if let Some(index) = more {
            self.ways[index].room += &most;
        }
        let mut node = 0;
        while node < self.nodes && !most.is_zero() {
            if self.spanned[node]
                && let Some(worth) = self.short(node)?
            {
                let deficit = (&self.worth - worth).min(most.clone());
                for &index in less {
                    self.ways[index].room += &deficit;
                }
                if let Some(index) = more {
                    self.ways[index].room -= &deficit;
                }
                most -= deficit;
            } else {
                node += 1;
            }
        }
        Ok(())
    }
}
