//! The time that an algorithm keeps links and processors busy, and its throughput.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use oneport_plan::{OddSet, Problem, Resource};
use oneport_platform::{LinkId, NodeId, PerLink, PerNode, Rational, ratio, whole};
use oneport_schedule::ports;
use oneport_watch::Watch;

use crate::{Algorithm, BaselineError, Routes};

/// The throughput of an algorithm if instances follow each other without a break, and the limiting resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throughput {
    /// Instances per unit of time: the maximum over all orders of the same messages.
    pub throughput: Rational,
    /// Resources that are busy all the time at this rate, ascending. Empty if only an odd set limits.
    pub busiest: Vec<Resource>,
    /// The odd set of half-duplex ports that limits the throughput, if no port, link or processor alone does.
    pub odd_set: Option<OddSet>,
}

/// Busy times of links and processors for one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loads {
    /// Per link: the time for which one instance keeps it busy.
    pub links: PerLink<Rational>,
    /// Per node: the time for which one instance keeps its processor busy.
    pub nodes: PerNode<Rational>,
}

impl Algorithm {
    /// Counts the messages. Their routes must be among the given ones: from every rank. Sizes and work must be
    /// constant. The watch is checked before every message and every rank. `O(blocks sent + ranks (nodes + links))`.
    ///
    /// # Errors
    /// Two ranks that exchange messages are not connected, a size depends on the operands that are combined, or a limit
    /// ended the count.
    pub fn loads(
        &self,
        problem: &Problem,
        routes: &Routes,
        watch: &Watch,
    ) -> Result<Loads, BaselineError> {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else {
            return Err(BaselineError::NotConstant);
        };
        let counts = Counts::of(self, problem, watch)?;
        let mut traffic = platform.per_link(0_u128);
        for (link, blocks) in counts.own {
            traffic[link] += blocks;
        }
        for (from, to) in self.ranks.iter().zip(&counts.sent) {
            watch.ask()?;
            let mut amounts = platform.per_node(0);
            for (&to, &blocks) in to {
                let to = self.ranks[to];
                if routes.path(*from, to).is_none() {
                    return Err(BaselineError::no_way(platform, *from, to));
                }
                amounts[to] += blocks;
            }
            routes.spread(*from, amounts, |link, amount| traffic[link] += amount);
        }
        let instances = |count: u128| ratio(count, self.pieces);
        let link =
            |(link, count): (LinkId, u128)| &platform.link(link).cost * size * instances(count);
        let mut nodes = platform.per_node(Rational::zero());
        for (node, &count) in self.ranks.iter().zip(&counts.merged) {
            if let (Some(compute), true) = (platform.node(*node).merge_time(), count > 0) {
                nodes[*node] += compute * work * instances(count);
            }
        }
        Ok(Loads {
            links: platform.link_ids().zip(traffic).map(link).collect(),
            nodes,
        })
    }
}

impl Loads {
    /// The throughput. If nodes are half-duplex, odd sets of ports are checked, too (`O(ports)` maximum flows).
    /// Otherwise `O(links)`.
    ///
    /// # Errors
    /// Nothing is sent.
    pub fn throughput(&self, problem: &Problem) -> Result<Throughput, BaselineError> {
        let platform = problem.platform();
        let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
        let used: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| !self.links[*link].is_zero())
            .collect();
        for &link in &used {
            for used in Resource::uses(platform, link) {
                let time = used.of(&self.links[link]);
                *busy.entry(used.resource).or_insert_with(Rational::zero) += time;
            }
        }
        for (resource, time) in &mut busy {
            *time /= whole(resource.capacity(platform));
        }
        let nodes = platform
            .node_ids()
            .map(|node| (Resource::Compute(node), self.nodes[node].clone()));
        busy.extend(nodes.filter(|(_, time)| !time.is_zero()));
        let mut period = busy.values().max().cloned().ok_or(BaselineError::Nothing)?;
        let mut odd_set = None;
        if ports::has_odd_sets(platform) {
            let times = used
                .into_iter()
                .map(|link| (link, self.links[link].clone()))
                .collect();
            if let Some((longer, set)) = ports::slowest_odd_set(platform, &times, &period)? {
                (period, odd_set) = (longer, Some(set));
            }
        }
        let busiest = busy
            .into_iter()
            .filter(|(_, time)| *time == period)
            .map(|(resource, _)| resource)
            .collect();
        Ok(Throughput {
            throughput: Rational::one() / period,
            busiest,
            odd_set,
        })
    }
}

/// Numbers of blocks that are sent from rank to rank, and combined. A block of a demand of rate `r` is `r` blocks: all
/// its messages are moved alike.
struct Counts {
    /// Messages that take the routes, by sender and receiver.
    sent: Vec<BTreeMap<usize, u128>>,
    /// Per link: blocks on the algorithm's paths.
    own: BTreeMap<LinkId, u128>,
    /// Blocks merged, per rank.
    merged: Vec<u128>,
}

impl Counts {
    fn of(
        algorithm: &Algorithm,
        problem: &Problem,
        watch: &Watch,
    ) -> Result<Counts, BaselineError> {
        let ranks = algorithm.ranks.len();
        let mut counts = Counts {
            sent: vec![BTreeMap::new(); ranks],
            own: BTreeMap::new(),
            merged: vec![0; ranks],
        };
        let owners: BTreeSet<NodeId> = problem
            .demands()
            .flat_map(|demand| demand.operands.to_vec())
            .collect();
        let collective = problem.collective();
        let (is_uniform, pieces) = (collective.is_uniform(), algorithm.pieces.max(1) as usize);
        let often = |block: &u32| {
            if is_uniform {
                1
            } else {
                u128::from(collective.rate(*block as usize / pieces))
            }
        };
        // A rank without an operand stores its first copy of a block, so that nothing is merged.
        let mut kept: BTreeSet<(usize, u32)> = BTreeSet::new();
        algorithm.messages(&mut |message| {
            if watch.ask().is_err() {
                return;
            }
            let blocks: u128 = message.blocks.iter().map(often).sum();
            match algorithm.own_way(message) {
                Some(links) => links
                    .iter()
                    .for_each(|link| *counts.own.entry(*link).or_default() += blocks),
                None => *counts.sent[message.from].entry(message.to).or_default() += blocks,
            }
            if message.combine {
                let owns = owners.contains(&algorithm.ranks[message.to]);
                let first = |block: &&u32| !owns && kept.insert((message.to, **block));
                counts.merged[message.to] +=
                    blocks - message.blocks.iter().filter(first).map(often).sum::<u128>();
            }
        });
        // A count that was cut short does not count.
        watch.ask()?;
        Ok(counts)
    }
}
