//! Access to the shared capacities of a platform.

use crate::{LinkId, Platform, PlatformError, PortModel, Rational, Shared, SharedId};

/// A shared capacity under a renaming of links: its rate, its weights by new links, and its id.
pub(crate) type Renamed<'p> = (&'p Rational, Vec<(LinkId, u32)>, SharedId);

impl Platform {
    /// The shared capacities, by id. Usually none.
    pub fn shared(&self) -> &[Shared] {
        &self.groups.all
    }

    /// The shared capacities of a link, ascending, each with the part of it that the link takes up at full rate: more
    /// than 0, at most 1. A unit of message over the link keeps a capacity busy for this part of
    /// [`Link::cost`](crate::Link::cost), which is weight over rate. An id of another platform has none.
    pub fn shared_by(&self, link: LinkId) -> &[(SharedId, Rational)] {
        let parts = self.groups.parts.get(link.index());
        parts.map_or(&[], Vec::as_slice)
    }

    /// The cost that a link has of its own. [`Link::cost`](crate::Link::cost) is the time of a unit of message that has
    /// all shared capacities of the link to itself, and so may be larger. 0 if these alone limit the link.
    ///
    /// # Panics
    /// If the id is not of this platform.
    pub fn own_cost(&self, link: LinkId) -> &Rational {
        let own = self.groups.own.get(&link);
        own.unwrap_or_else(|| &self.link(link).cost)
    }

    /// The shared capacity with this name.
    pub fn find_shared(&self, name: &str) -> Option<SharedId> {
        let index = self.shared().iter().position(|shared| shared.name == name);
        index.map(SharedId::new)
    }

    /// Checks that no link with a shared capacity ends at a node with ports. A platform that was just built passes. One
    /// under another model ([`with_model`](Platform::with_model)) may not. `O(m)` for `m` memberships.
    ///
    /// # Errors
    /// The first such link and node, by names.
    pub fn check_shared(&self) -> Result<(), PlatformError> {
        for shared in self.shared() {
            for &link in shared.weights.keys() {
                let ends = [self.link(link).from, self.link(link).to];
                let ported = ends
                    .into_iter()
                    .find(|&node| self.model_of(node) != PortModel::Links);
                if let Some(node) = ported {
                    return Err(PlatformError::SharedAtPort {
                        shared: shared.name.clone(),
                        link: self.link_name(link),
                        node: self.name(node).to_string(),
                        model: self.model_of(node),
                    });
                }
            }
        }
        Ok(())
    }

    /// Refuses a platform with shared capacities, for an operation that does not support them. `what` is the operation.
    ///
    /// # Errors
    /// The name of the first shared capacity.
    pub fn without_shared(&self, what: &'static str) -> Result<(), PlatformError> {
        match self.shared().first() {
            None => Ok(()),
            Some(shared) => Err(PlatformError::SharedUnsupported {
                what,
                shared: shared.name.clone(),
            }),
        }
    }

    /// Rates, weights and ids of the shared capacities after a renaming of links, sorted: a renaming maps every
    /// capacity to one of the same rate and weights if these are the same as without it.
    pub(crate) fn shared_after(&self, image: impl Fn(LinkId) -> LinkId) -> Vec<Renamed<'_>> {
        let renamed = |(index, shared): (usize, &'_ Shared)| {
            let weights = shared.weights.iter();
            let mut weights: Vec<_> = weights
                .map(|(&link, &weight)| (image(link), weight))
                .collect();
            weights.sort_unstable();
            (weights, SharedId::new(index))
        };
        let mut all: Vec<_> = self
            .shared()
            .iter()
            .enumerate()
            .map(|(index, shared)| {
                let (weights, id) = renamed((index, shared));
                (&shared.rate, weights, id)
            })
            .collect();
        all.sort_unstable();
        all
    }
}
