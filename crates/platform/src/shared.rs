//! Capacities that several links share: buses, wireless cells, rate limiters.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Signed;

use crate::per_id::PerLink;
use crate::{LinkId, PlatformError, Rational, SharedId, whole};

/// Limit: how often a shared capacity counts a link. Files list it as often.
const MAX_WEIGHT: u32 = 1000;

/// A capacity that several links share. At every moment, the sum over its links of weight times rate (units of message
/// per unit of time) is at most its rate. Fluid: any number of transfers go on at a time, each at a part of the rate.
///
/// No end of such a link has ports: transfers that take turns at a port do not divide a shared capacity exactly
/// (docs/theory.md, shared capacities). A port that serves many transfers at a time is a shared capacity of its links.
///
/// ```
/// use oneport_platform::{Node, Platform, PortModel, Shared, whole};
/// let [zero, one, two] = [0, 1, 2].map(whole);
/// let mut builder = Platform::builder();
/// builder.model(PortModel::Links);
/// let [a, b] = ["a", "b"].map(|name| builder.node(Node::processor(name, one.clone())));
/// let (a, b) = (a?, b?);
/// // No limit of their own: cost 0. The bus carries half a unit of message per unit of time.
/// let (there, back) = builder.duplex(a, b, zero)?;
/// builder.share(Shared::new("bus", one / &two, [there, back]))?;
/// let platform = builder.build()?;
/// assert_eq!(platform.link(back).cost, two, "alone on the bus, a unit of message takes 2");
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Unique among the shared capacities of a platform.
    pub name: String,
    /// Units of message per unit of time, of all links together. Positive.
    pub rate: Rational,
    /// Per link: how often a message over it counts, 1 to 1,000.
    pub weights: BTreeMap<LinkId, u32>,
}

impl Shared {
    /// A capacity of these links. A link that is listed several times has this weight.
    pub fn new(
        name: impl Into<String>,
        rate: Rational,
        links: impl IntoIterator<Item = LinkId>,
    ) -> Shared {
        let mut weights: BTreeMap<LinkId, u32> = BTreeMap::new();
        for link in links {
            let weight = weights.entry(link).or_default();
            *weight = weight.saturating_add(1);
        }
        Shared {
            name: name.into(),
            rate,
            weights,
        }
    }

    /// Time for which a unit of message over a link of this weight keeps the whole capacity busy.
    fn time(&self, weight: u32) -> Rational {
        whole(weight) / &self.rate
    }
}

/// The shared capacities of a platform, and their effect on its links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    pub(crate) all: Vec<Shared>,
    /// Per link: its capacities, ascending, with the part of each that the link takes up at full rate. Empty if the
    /// platform has no capacities.
    pub(crate) parts: PerLink<Vec<(SharedId, Rational)>>,
    /// Per member link: the cost given with it. 0 if only shared capacities limit it.
    pub(crate) own: BTreeMap<LinkId, Rational>,
}

impl Groups {
    /// Replaces the costs of members, `costs` of all links, by the time of a unit of message that is alone.
    pub(crate) fn new<'c>(
        all: Vec<Shared>,
        links: usize,
        costs: impl Iterator<Item = &'c mut Rational>,
    ) -> Groups {
        if all.is_empty() {
            return Groups::default();
        }
        let mut parts: PerLink<Vec<(SharedId, Rational)>> = vec![Vec::new(); links].into();
        for (index, shared) in all.iter().enumerate() {
            for (link, &weight) in &shared.weights {
                parts[*link].push((SharedId::new(index), shared.time(weight)));
            }
        }
        let mut own = BTreeMap::new();
        for (link, cost) in costs.enumerate() {
            let link = LinkId::new(link);
            let slowest = parts[link].iter().map(|(_, time)| time).max();
            let Some(slowest) = slowest else { continue };
            let alone = slowest.max(cost).clone();
            own.insert(link, std::mem::replace(cost, alone));
            for (_, time) in parts[link].iter_mut() {
                *time /= &*cost;
            }
        }
        Groups { all, parts, own }
    }
}

/// Whether a shared capacity can be added to those with these names, on a platform of this number of links.
pub(crate) fn check(
    shared: &Shared,
    names: &BTreeSet<String>,
    links: usize,
) -> Result<(), PlatformError> {
    let name = || shared.name.clone();
    if names.contains(&shared.name) {
        return Err(PlatformError::DuplicateShared { shared: name() });
    }
    if !shared.rate.is_positive() || !shared.rate.denom().is_positive() {
        return Err(PlatformError::BadRate {
            shared: name(),
            rate: Box::new(shared.rate.clone()),
        });
    }
    if shared.weights.is_empty() {
        return Err(PlatformError::NoLinks { shared: name() });
    }
    for (link, &weight) in &shared.weights {
        if link.index() >= links {
            return Err(PlatformError::UnknownLinkId {
                id: link.index(),
                links,
            });
        }
        if !(1..=MAX_WEIGHT).contains(&weight) {
            return Err(PlatformError::BadWeight {
                shared: name(),
                link: link.index(),
                weight,
            });
        }
    }
    Ok(())
}
