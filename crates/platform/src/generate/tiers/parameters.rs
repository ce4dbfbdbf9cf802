//! The eleven parameters of Tiers.

use super::super::build::{check_size, refuse};
use super::{NAME, SIDE, Tier};
use crate::PlatformError;

/// The parameters of Tiers, in the order of its command line.
///
/// A redundancy of 1 adds no edge. Sizes and redundancies of tiers without networks are ignored, and may be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TiersParameters {
    /// NW: number of WANs. Only 1 is defined.
    pub wans: usize,
    /// NM: number of MANs per WAN.
    pub mans_per_wan: usize,
    /// NL: number of LANs per MAN.
    pub lans_per_man: usize,
    /// SW: nodes per WAN.
    pub wan_nodes: usize,
    /// SM: nodes per MAN.
    pub man_nodes: usize,
    /// SL: nodes per LAN.
    pub lan_nodes: usize,
    /// RW: redundancy inside the WAN.
    pub wan_redundancy: usize,
    /// RM: redundancy inside each MAN.
    pub man_redundancy: usize,
    /// RL: redundancy inside each LAN.
    pub lan_redundancy: usize,
    /// RMW: edges from each MAN to the WAN.
    pub man_wan_redundancy: usize,
    /// RLM: edges from each LAN to its MAN.
    pub lan_man_redundancy: usize,
}

impl From<[usize; 11]> for TiersParameters {
    /// NW NM NL SW SM SL RW RM RL RMW RLM.
    fn from(values: [usize; 11]) -> Self {
        TiersParameters::new(values)
    }
}

impl From<TiersParameters> for [usize; 11] {
    /// NW NM NL SW SM SL RW RM RL RMW RLM.
    fn from(p: TiersParameters) -> Self {
        let [a, b, c] = [p.wans, p.mans_per_wan, p.lans_per_man];
        let [d, e, f] = [p.wan_nodes, p.man_nodes, p.lan_nodes];
        let [g, h, i] = [p.wan_redundancy, p.man_redundancy, p.lan_redundancy];
        [
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            i,
            p.man_wan_redundancy,
            p.lan_man_redundancy,
        ]
    }
}

impl TiersParameters {
    /// 27 nodes, a tree of 26 edges.
    pub const SMALL: Self = Self::new([1, 2, 3, 3, 3, 3, 1, 1, 1, 1, 1]);
    /// 45 nodes, a tree of 44 edges.
    pub const MEDIUM: Self = Self::new([1, 2, 3, 5, 5, 5, 1, 1, 1, 1, 1]);
    /// 185 nodes, 184 edges of a tree and some redundant edges, each of which closes a cycle.
    pub const LARGE: Self = Self::new([1, 5, 5, 10, 10, 5, 2, 1, 1, 2, 1]);

    const fn new(values: [usize; 11]) -> Self {
        let [nw, nm, nl, sw, sm, sl, rw, rm, rl, rmw, rlm] = values;
        TiersParameters {
            wans: nw,
            mans_per_wan: nm,
            lans_per_man: nl,
            wan_nodes: sw,
            man_nodes: sm,
            lan_nodes: sl,
            wan_redundancy: rw,
            man_redundancy: rm,
            lan_redundancy: rl,
            man_wan_redundancy: rmw,
            lan_man_redundancy: rlm,
        }
    }

    /// NW (SW + NM SM + NM NL SL), the number of nodes. `None` if it overflows.
    pub fn node_count(&self) -> Option<usize> {
        let mans = self.mans_per_wan.checked_mul(self.man_nodes)?;
        let lans = self
            .mans_per_wan
            .checked_mul(self.lans_per_man)?
            .checked_mul(self.lan_nodes)?;
        self.wans
            .checked_mul(self.wan_nodes.checked_add(mans)?.checked_add(lans)?)
    }

    /// The name of the node with this id: `wan4`, `man0-3` (MAN 0, node 3), `lan2-1` (LAN 2, node 1, 2 counting
    /// through all MANs). `None` beyond the last node, and for `wans` other than 1.
    pub fn node_name(&self, id: usize) -> Option<String> {
        if self.wans != 1 || id >= self.node_count()? {
            return None;
        }
        let Some(id) = id.checked_sub(self.wan_nodes) else {
            return Some(format!("wan{id}"));
        };
        let Some(id) = id.checked_sub(self.mans_per_wan * self.man_nodes) else {
            return Some(format!(
                "man{}-{}",
                id / self.man_nodes,
                id % self.man_nodes
            ));
        };
        Some(format!(
            "lan{}-{}",
            id / self.lan_nodes,
            id % self.lan_nodes
        ))
    }

    /// How many networks a tier has.
    pub(super) fn networks(&self, tier: Tier) -> usize {
        match tier {
            Tier::Wan => self.wans,
            Tier::Man => self.mans_per_wan,
            Tier::Lan => self.mans_per_wan.saturating_mul(self.lans_per_man),
        }
    }

    /// Nodes per network, the redundancy inside it, and the number of edges that lead out of it, to the tier above.
    pub(super) fn of(&self, tier: Tier) -> (usize, usize, usize) {
        match tier {
            Tier::Wan => (self.wan_nodes, self.wan_redundancy, 0),
            Tier::Man => (self.man_nodes, self.man_redundancy, self.man_wan_redundancy),
            Tier::Lan => (self.lan_nodes, self.lan_redundancy, self.lan_man_redundancy),
        }
    }

    /// Refuses parameters that [`generate`](super::generate) cannot build.
    pub(super) fn check(&self) -> Result<(), PlatformError> {
        if self.wans != 1 {
            return Err(refuse(
                NAME,
                "wans",
                self.wans,
                "only 1 is defined: how Tiers joins several WANs is not known",
            ));
        }
        self.check_networks()?;
        self.check_links_between()?;
        check_size(self.node_count(), self.most_edges())
    }

    fn check_networks(&self) -> Result<(), PlatformError> {
        let names = [
            ("wan_nodes", "wan_redundancy"),
            ("man_nodes", "man_redundancy"),
            ("lan_nodes", "lan_redundancy"),
        ];
        for (tier, (nodes_name, redundancy_name)) in Tier::ALL.into_iter().zip(names) {
            let (nodes, redundancy, _) = self.of(tier);
            if self.networks(tier) == 0 {
                continue;
            }
            if !(1..=SIDE * SIDE).contains(&nodes) {
                return Err(refuse(
                    NAME,
                    nodes_name,
                    nodes,
                    "a network has 1 to 10000 nodes, one per cell of its square",
                ));
            }
            if redundancy == 0 {
                return Err(refuse(
                    NAME,
                    redundancy_name,
                    redundancy,
                    "at least 1, which adds no edge",
                ));
            }
        }
        Ok(())
    }

    fn check_links_between(&self) -> Result<(), PlatformError> {
        let names = [
            (Tier::Man, "man_wan_redundancy", Tier::Wan),
            (Tier::Lan, "lan_man_redundancy", Tier::Man),
        ];
        for (tier, name, parent) in names {
            let (_, _, redundancy) = self.of(tier);
            if self.networks(tier) > 0 && !(1..=self.of(parent).0).contains(&redundancy) {
                let expected = "at least 1, which adds no edge, and at most the number of nodes of the upper network";
                return Err(refuse(NAME, name, redundancy, expected));
            }
        }
        Ok(())
    }

    /// An upper bound of the number of edges: a node adds fewer than `redundancy` edges to the spanning tree.
    fn most_edges(&self) -> Option<usize> {
        Tier::ALL.into_iter().try_fold(0, |sum: usize, tier| {
            let (nodes, redundancy, out) = self.of(tier);
            let inside = nodes.checked_mul(redundancy.min(nodes))?;
            sum.checked_add(inside.checked_add(out)?.checked_mul(self.networks(tier))?)
        })
    }
}
