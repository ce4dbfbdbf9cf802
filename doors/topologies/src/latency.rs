//! Latencies of links: stated by the file, given by the user, or assumed by kind.
//!
//! Sources of the assumed values, for small messages: NCCL 2.30.7 (`tuning.cc`: a step of protocol LL takes 0.6 us over
//! NVLink, 1 us over PCI, 2.7 to 5 us over the network), RCCL (0.8 us over xGMI), NVIDIA's cuda-samples issue 230
//! (NVLink 1.8 to 2.3 us from GPU to GPU with a kernel's start), data sheets of InfiniBand switches (below 0.15 us). A
//! link between sockets is the least certain.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_files::error::clip;
use oneport_platform::{LinkId, Rational, ratio, whole};

use crate::Imported;

/// Latencies that a user gives, in the platform's unit of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latencies {
    /// Latencies by kind of link, instead of the file's.
    pub kinds: BTreeMap<String, Rational>,
    /// Latency of every other link without one in the file.
    pub every: Option<Rational>,
    /// Whether each remaining link has the assumed latency of its kind, if time has a unit.
    pub assumed: bool,
}

/// The origin of a latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The file.
    Stated,
    /// The user.
    Given,
    /// The table of assumed values.
    Assumed,
}

impl Origin {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Stated => "stated",
            Origin::Given => "given",
            Origin::Assumed => "assumed",
        }
    }
}

/// The latency of links of a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindLatency {
    /// The origin of the latency.
    pub origin: Origin,
    /// The kind of the links.
    pub kind: &'static str,
    /// The latency of each, in the platform's unit of time.
    pub latency: Rational,
    /// The number of links, one per direction.
    pub links: usize,
}

/// A latency was given for links that are not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are no links of kind '{kind}' here; the kinds are {known}")]
pub struct UnknownKind {
    kind: String,
    known: String,
}

impl Imported {
    /// The platform with these latencies, and a list of all that are above 0. `O(m log m)` for `m` links.
    ///
    /// # Errors
    /// A kind that no link has.
    pub fn with_latencies(
        mut self,
        given: &Latencies,
    ) -> Result<(Imported, Vec<KindLatency>), UnknownKind> {
        let known: BTreeSet<&str> = self.link_kinds.iter().copied().collect();
        if let Some(kind) = given.kinds.keys().find(|kind| !known.contains(&***kind)) {
            return Err(UnknownKind {
                kind: clip(kind),
                known: known.into_iter().collect::<Vec<_>>().join(", "),
            });
        }
        let all: Vec<Option<(Origin, Rational)>> = self
            .platform
            .link_ids()
            .map(|link| self.latency(link, given))
            .collect();
        let latency_of = |link: LinkId| Some(all.get(link.index())?.as_ref()?.1.clone());
        if let Ok(platform) = self.platform.clone().with_latencies(latency_of) {
            self.platform = platform;
        }
        let mut counts: BTreeMap<(Origin, &'static str, Rational), usize> = BTreeMap::new();
        for (found, &kind) in all.into_iter().zip(&self.link_kinds) {
            if let Some((origin, latency)) = found.filter(|(_, latency)| !latency.is_zero()) {
                *counts.entry((origin, kind, latency)).or_default() += 1;
            }
        }
        let listed = counts
            .into_iter()
            .map(|((origin, kind, latency), links)| KindLatency {
                origin,
                kind,
                latency,
                links,
            });
        let listed = listed.collect();
        Ok((self, listed))
    }

    /// The latency of one link, and its origin.
    fn latency(&self, link: LinkId, given: &Latencies) -> Option<(Origin, Rational)> {
        let kind = *self.link_kinds.get(link.index())?;
        if let Some(latency) = given.kinds.get(kind) {
            return Some((Origin::Given, latency.clone()));
        }
        let stated = self.platform.link(link).latency();
        if !stated.is_zero() {
            return Some((Origin::Stated, stated));
        }
        if let Some(latency) = &given.every {
            return Some((Origin::Given, latency.clone()));
        }
        let units = self.platform.units().filter(|_| given.assumed)?;
        let microseconds = self.assumed(link, kind)?;
        let seconds = microseconds / whole(1_000_000);
        Some((Origin::Assumed, seconds / units.time.seconds()))
    }

    /// Microseconds that a small message takes over a link of this kind.
    fn assumed(&self, link: LinkId, kind: &str) -> Option<Rational> {
        let link = self.platform.link(link);
        let ends = [link.from, link.to];
        let straight = ends
            .iter()
            .all(|&end| self.platform.node(end).is_processor());
        let card = ends
            .iter()
            .any(|end| self.node_kinds.get(end.index()) == Some(&"network card"));
        let hundredths = match kind {
            "nvlink" if straight => 60,
            "nvlink" => 30,
            "xgmi" => 80,
            "pci" => 25,
            "cpu" => 50,
            "net"
                if card
                    || ends
                        .iter()
                        .any(|&end| self.platform.node(end).is_processor()) =>
            {
                100
            }
            "net" => 15,
            _ => return None,
        };
        Some(ratio(hundredths, 100))
    }
}
