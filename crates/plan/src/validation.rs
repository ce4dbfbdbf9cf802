//! Whether a collective fits a platform.

use std::collections::BTreeSet;

use oneport_platform::{NodeId, Platform};

use crate::collective::{Collective, Member};
use crate::collective_error::CollectiveError;
use crate::demand::{CustomDemand, Wanted};
use crate::named::Named;

impl Collective {
    /// Checks that every participant exists and is listed once, and that it is not a switch. Where values are combined
    /// and copied, or combined in any order, that it computes.
    ///
    /// # Errors
    /// The first participant that does not fit, by name.
    pub fn validate(&self, platform: &Platform) -> Result<(), CollectiveError> {
        match self {
            Collective::Groups(members) => validate_groups(members, platform),
            Collective::Custom(demands) => validate_demands(demands, platform),
            Collective::Named(named) => self.validate_named(named, platform),
        }
    }

    fn validate_named(&self, named: &Named, platform: &Platform) -> Result<(), CollectiveError> {
        let form = named.form();
        let collective = form.name;
        // A collective whose lists are too short has no demand, and then nothing is wanted that a switch could not
        // keep.
        let first = self.demand(0);
        let copies = first.as_ref().is_some_and(|demand| demand.kind().copies());
        let commutes = first.is_some_and(|demand| demand.commutative);
        let mut centre: Option<NodeId> = None;
        for (role, nodes) in form.roles.iter().zip(self.cast()) {
            let check = Check {
                collective,
                role: role.one,
                copies,
                merges: form.combines && (copies || commutes),
                platform,
            };
            check.distinct(nodes)?;
            let itself = centre.filter(|centre| !form.overlaps() && nodes.contains(centre));
            if let Some(node) = itself {
                return Err(CollectiveError::ToItself {
                    collective,
                    role: role.one,
                    node: platform.name(node).into(),
                });
            }
            // The last role is the role of the owners of values, or of the receivers of messages.
            let last = form.roles.last() == Some(role);
            if form.combines && last && nodes.len() == 1 {
                let owns = form.is_mutual() || named.targets() == nodes;
                return Err(if owns {
                    CollectiveError::OwnResult { collective }
                } else {
                    CollectiveError::NothingCombined { collective }
                });
            }
            let alone = form.roles.len() == 1;
            let least = if last && (alone || form.combines) {
                2
            } else {
                1
            };
            if role.many && nodes.len() < least {
                return Err(CollectiveError::TooFew {
                    collective,
                    role: role.one,
                    count: nodes.len(),
                    least,
                });
            }
            centre = nodes.first().copied().filter(|_| !role.many).or(centre);
        }
        if form.counted && named.counts().is_empty() {
            return Err(CollectiveError::Counts {
                collective,
                count: 0,
                wanted: named.uncounted(),
            });
        }
        match (form.is_pairwise(), named.owners(), named.targets()) {
            (true, &[source], &[target]) if source == target => Err(CollectiveError::ToItself {
                collective,
                role: "target",
                node: platform.name(source).into(),
            }),
            _ => Ok(()),
        }
    }
}

/// Checks the nodes that play a role.
struct Check<'a> {
    collective: &'static str,
    role: &'static str,
    /// Whether they have to keep the values that they pass on.
    copies: bool,
    /// Whether they have to compute: owners and receivers of combined values, unless operands keep their order and no
    /// value is copied. Then others may merge.
    merges: bool,
    platform: &'a Platform,
}

impl Check<'_> {
    fn distinct(&self, nodes: &[NodeId]) -> Result<(), CollectiveError> {
        let mut seen = BTreeSet::new();
        for &id in nodes {
            self.node(id)?;
            if !seen.insert(id) {
                let (collective, role) = (self.collective, self.role);
                return Err(CollectiveError::Twice {
                    collective,
                    role,
                    node: self.platform.name(id).to_string(),
                });
            }
        }
        Ok(())
    }

    fn node(&self, id: NodeId) -> Result<(), CollectiveError> {
        let &Check {
            collective,
            role,
            copies,
            merges,
            platform,
        } = self;
        let nodes = platform.nodes().len();
        if id.index() >= nodes {
            return Err(CollectiveError::UnknownNode {
                collective,
                id: id.index(),
                nodes,
            });
        }
        let node = || platform.name(id).to_string();
        match platform.node(id) {
            own if own.is_processor() => {}
            _ if merges => {
                return Err(CollectiveError::Router {
                    collective,
                    role,
                    node: node(),
                });
            }
            own if !own.replicates => {
                return Err(CollectiveError::Switch {
                    collective,
                    role,
                    node: node(),
                });
            }
            _ => {}
        }
        if copies && !platform.node(id).replicates {
            return Err(CollectiveError::CannotCopy {
                collective,
                role,
                node: node(),
            });
        }
        Ok(())
    }
}

fn validate_groups(members: &[Member], platform: &Platform) -> Result<(), CollectiveError> {
    if members.is_empty() {
        return Err(CollectiveError::NoGroups);
    }
    for (group, Member { collective, rate }) in members.iter().enumerate() {
        if collective.is_listed() {
            return Err(CollectiveError::Nested { group });
        }
        if *rate == 0 {
            return Err(CollectiveError::NoRate { group });
        }
        let largest = collective
            .named()
            .and_then(|named| named.counts().iter().map(|(_, count)| *count).max());
        if let Some(count) = largest.filter(|count| rate.checked_mul(*count).is_none()) {
            return Err(CollectiveError::LargeCount {
                group,
                rate: *rate,
                count,
            });
        }
        let in_group = |error| CollectiveError::InGroup {
            group,
            error: Box::new(error),
        };
        collective.validate(platform).map_err(in_group)?;
    }
    Ok(())
}

fn validate_demands(demands: &[CustomDemand], platform: &Platform) -> Result<(), CollectiveError> {
    if demands.is_empty() {
        return Err(CollectiveError::NoDemands);
    }
    for (index, demand) in demands.iter().enumerate() {
        if demand.rate == 0 {
            return Err(CollectiveError::NoRateOfDemand { demand: index });
        }
        let in_demand = |error| CollectiveError::InDemand {
            demand: index,
            error: Box::new(error),
        };
        validate_demand(demand, platform).map_err(in_demand)?;
    }
    Ok(())
}

fn validate_demand(custom: &CustomDemand, platform: &Platform) -> Result<(), CollectiveError> {
    let collective = "custom";
    let demand = custom.demand();
    let kind = demand.kind();
    let check = |role| Check {
        collective,
        role,
        copies: kind.copies(),
        merges: kind.combines() && (kind.copies() || demand.commutative),
        platform,
    };
    if custom.owners.is_empty() {
        return Err(CollectiveError::TooFew {
            collective,
            role: "owner",
            count: 0,
            least: 1,
        });
    }
    check("owner").distinct(&custom.owners)?;
    let nodes: &[NodeId] = match &custom.wanted {
        Wanted::At(nodes) => nodes,
        // A single value is its own prefix.
        Wanted::Prefixes if custom.owners.len() == 1 => {
            return Err(CollectiveError::OwnResult { collective });
        }
        Wanted::Prefixes => return Ok(()),
    };
    check("target").distinct(nodes)?;
    if nodes.is_empty() {
        return Err(CollectiveError::TooFew {
            collective,
            role: "target",
            count: 0,
            least: 1,
        });
    }
    // Beside others, the owner of a message has it already.
    if custom.owners == nodes && nodes.len() == 1 {
        let node = platform.name(nodes[0]).to_string();
        return Err(CollectiveError::ToItself {
            collective,
            role: "target",
            node,
        });
    }
    Ok(())
}
