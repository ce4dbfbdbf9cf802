//! Commodities by their ends, without listing them: an all-to-all among `n` has `n (n - 1)`. Reductions by their targets.

use std::collections::BTreeMap;

use oneport_plan::{Collective, Commodity};
use oneport_platform::NodeId;

/// The numbering of [`Collective::commodities`] and [`Collective::reductions`], both ways.
pub(super) struct Commodities<'c> {
    collective: &'c Collective,
    members: &'c [NodeId],
    places: BTreeMap<NodeId, usize>,
}

impl<'c> Commodities<'c> {
    pub fn new(collective: &'c Collective) -> Self {
        let members = match collective {
            Collective::Scatter { targets, .. } => targets,
            Collective::Gather { participants, .. }
            | Collective::AllToAll { participants }
            | Collective::Reduce { participants, .. }
            | Collective::ReduceScatter { participants, .. } => participants,
        };
        let places = members.iter().enumerate().map(|(place, &node)| (node, place)).collect();
        Commodities { collective, members, places }
    }

    /// The commodity with this number.
    pub fn get(&self, index: usize) -> Option<Commodity> {
        match *self.collective {
            Collective::Scatter { source, .. } => self.members.get(index).map(|&target| Commodity { source, target }),
            Collective::Gather { target, .. } => self.members.get(index).map(|&source| Commodity { source, target }),
            Collective::AllToAll { .. } => {
                // Row by row, each without the diagonal.
                let others = self.members.len().checked_sub(1).filter(|&others| others > 0)?;
                let (row, column) = (index / others, index % others);
                let source = *self.members.get(row)?;
                let target = *self.members.get(column + usize::from(column >= row))?;
                Some(Commodity { source, target })
            }
            Collective::Reduce { .. } | Collective::ReduceScatter { .. } => None,
        }
    }

    /// The number of the reduction whose result this node receives.
    pub fn reduction(&self, target: NodeId) -> Option<usize> {
        match *self.collective {
            Collective::Reduce { target: centre, .. } => (target == centre).then_some(0),
            Collective::ReduceScatter { .. } => self.participant(target),
            Collective::Scatter { .. } | Collective::Gather { .. } | Collective::AllToAll { .. } => None,
        }
    }

    /// A node's place in the list of participants or targets.
    pub fn participant(&self, node: NodeId) -> Option<usize> {
        self.places.get(&node).copied()
    }

    /// The number of a commodity.
    pub fn find(&self, commodity: Commodity) -> Option<usize> {
        let Commodity { source, target } = commodity;
        match *self.collective {
            Collective::Scatter { source: centre, .. } => {
                if source == centre {
                    self.places.get(&target).copied()
                } else {
                    None
                }
            }
            Collective::Gather { target: centre, .. } => {
                if target == centre {
                    self.places.get(&source).copied()
                } else {
                    None
                }
            }
            Collective::AllToAll { .. } => {
                let (row, column) = (*self.places.get(&source)?, *self.places.get(&target)?);
                if row == column {
                    return None;
                }
                Some(row * (self.members.len() - 1) + column - usize::from(column > row))
            }
            Collective::Reduce { .. } | Collective::ReduceScatter { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbering_is_that_of_the_list() {
        let node = NodeId::new;
        for members in [vec![node(3), node(1)], vec![node(2), node(7), node(4), node(0)], vec![node(5)]] {
            for collective in [
                Collective::Scatter { source: node(9), targets: members.clone() },
                Collective::Gather { target: node(9), participants: members.clone() },
                Collective::AllToAll { participants: members.clone() },
                Collective::Reduce { target: node(9), participants: members.clone(), commutative: false },
                Collective::Reduce { target: node(5), participants: members.clone(), commutative: true },
                Collective::ReduceScatter { participants: members.clone(), commutative: false },
            ] {
                let listed = collective.commodities();
                let commodities = Commodities::new(&collective);
                for (index, &commodity) in listed.iter().enumerate() {
                    assert_eq!(commodities.get(index), Some(commodity), "{collective:?} {index}");
                    assert_eq!(commodities.find(commodity), Some(index), "{collective:?} {commodity:?}");
                }
                assert_eq!(commodities.get(listed.len()), None);
                let targets = collective.reductions();
                for target in (0..10).map(node) {
                    let listed = targets.iter().position(|&other| other == target);
                    assert_eq!(commodities.reduction(target), listed, "{collective:?} {target}");
                }
                let nobody = Commodity { source: node(8), target: node(8) };
                assert_eq!(commodities.find(nobody), None);
            }
        }
    }
}
