//! The demands of a collective by place, by their ends and by their targets, without listing them: an all-to-all among
//! `n` has `n (n - 1)`.

use std::collections::BTreeMap;

use oneport_plan::{Collective, Demand, Goals};
use oneport_platform::NodeId;

/// The kind of pattern that carries out a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message for one target: a path.
    Path,
    /// A message for several: an arborescence.
    Copies,
    /// Values combined at one node: a reduction tree.
    Tree,
    /// Values combined in several places: a scheme.
    Scheme,
}

impl Kind {
    pub fn of(demand: &Demand<'_>) -> Kind {
        match (demand.operands.len(), demand.goals) {
            (0 | 1, Goals::At(_)) => Kind::Path,
            (0 | 1, Goals::Everywhere(_)) => Kind::Copies,
            (_, Goals::At(_)) => Kind::Tree,
            (_, Goals::Everywhere(_) | Goals::Prefixes) => Kind::Scheme,
        }
    }
}

/// The numbering of [`Collective::demand`], both ways. Built in `O(n log n)` for `n` participants of all groups.
pub(super) struct Demands<'c> {
    /// One, or the members of a list of groups.
    groups: Vec<Group<'c>>,
    grouped: bool,
    count: usize,
}

/// Consecutive demands of one collective.
struct Group<'c> {
    /// The number of its first demand.
    first: usize,
    collective: &'c Collective,
    /// The place of every node in the list of participants or targets.
    places: BTreeMap<NodeId, usize>,
}

impl<'c> Demands<'c> {
    pub fn new(collective: &'c Collective) -> Self {
        let members = match collective {
            Collective::Groups { members } => members.iter().map(|member| &member.collective).collect(),
            single => vec![single],
        };
        let mut count = 0_usize;
        let group = |collective: &'c Collective| {
            let first = count;
            count = count.saturating_add(collective.demands());
            let places = members_of(collective).iter().enumerate().map(|(place, &node)| (node, place)).collect();
            Group { first, collective, places }
        };
        let groups = members.into_iter().map(group).collect();
        Demands { groups, grouped: matches!(collective, Collective::Groups { .. }), count }
    }

    /// Whether there are groups, so that a demand is not known by its ends.
    pub fn grouped(&self) -> bool {
        self.grouped
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The demand with this number. `O(log g)` for `g` groups.
    pub fn get(&self, place: usize) -> Option<Demand<'c>> {
        let group = self.group(place)?;
        group.collective.demand(place - group.first)
    }

    /// The place of a participant among the operands of the demand with this number.
    pub fn participant(&self, place: usize, node: NodeId) -> Option<usize> {
        self.group(place)?.places.get(&node).copied()
    }

    /// The number of the message from one node to another; none in groups.
    pub fn message(&self, source: NodeId, target: NodeId) -> Option<usize> {
        let Group { collective, places, .. } = self.single()?;
        let place = |node: NodeId| places.get(&node).copied();
        match **collective {
            Collective::Scatter { source: centre, .. } => place(target).filter(|_| source == centre),
            Collective::Gather { target: centre, .. } => place(source).filter(|_| target == centre),
            Collective::AllToAll { .. } => {
                // Row by row, each without the diagonal.
                let (row, column) = (place(source)?, place(target)?);
                (row != column).then(|| row * (places.len() - 1) + column - usize::from(column > row))
            }
            _ => None,
        }
    }

    /// The number of the reduction whose result this node receives; none in groups.
    pub fn reduction(&self, target: NodeId) -> Option<usize> {
        let group = self.single()?;
        match *group.collective {
            Collective::Reduce { target: centre, .. } => (target == centre).then_some(0),
            Collective::ReduceScatter { .. } => group.places.get(&target).copied(),
            _ => None,
        }
    }

    fn single(&self) -> Option<&Group<'c>> {
        self.groups.first().filter(|_| !self.grouped)
    }

    fn group(&self, place: usize) -> Option<&Group<'c>> {
        let after = self.groups.partition_point(|group| group.first <= place);
        self.groups.get(after.checked_sub(1)?)
    }
}

/// The list of participants or targets.
fn members_of(collective: &Collective) -> &[NodeId] {
    match collective {
        Collective::Scatter { targets, .. } | Collective::Broadcast { targets, .. } => targets,
        Collective::Gather { participants, .. }
        | Collective::AllToAll { participants }
        | Collective::Reduce { participants, .. }
        | Collective::ReduceScatter { participants, .. }
        | Collective::AllGather { participants }
        | Collective::AllReduce { participants, .. }
        | Collective::Scan { participants } => participants,
        Collective::Groups { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_plan::Member;

    fn collectives(members: &[NodeId]) -> Vec<Collective> {
        let (node, participants) = (NodeId::new, members.to_vec());
        vec![
            Collective::Scatter { source: node(9), targets: participants.clone() },
            Collective::Gather { target: node(9), participants: participants.clone() },
            Collective::AllToAll { participants: participants.clone() },
            Collective::Reduce { target: node(9), participants: participants.clone(), commutative: false },
            Collective::Reduce { target: node(5), participants: participants.clone(), commutative: true },
            Collective::ReduceScatter { participants: participants.clone(), commutative: false },
            Collective::Broadcast { source: node(9), targets: participants.clone() },
            Collective::AllGather { participants: participants.clone() },
            Collective::AllReduce { participants: participants.clone(), commutative: true },
            Collective::Scan { participants },
        ]
    }

    #[test]
    fn the_numbering_is_that_of_the_list() {
        let node = NodeId::new;
        for members in [vec![node(3), node(1)], vec![node(2), node(7), node(4), node(0)], vec![node(5)]] {
            for collective in collectives(&members) {
                let demands = Demands::new(&collective);
                assert_eq!(demands.count(), collective.demands());
                let listed = collective.commodities();
                for source in (0..10).map(node) {
                    for target in (0..10).map(node) {
                        let place = listed.iter().position(|one| (one.source, one.target) == (source, target));
                        assert_eq!(demands.message(source, target), place, "{collective:?} {source} {target}");
                    }
                    let place = collective.reductions().iter().position(|&other| other == source);
                    assert_eq!(demands.reduction(source), place, "{collective:?} {source}");
                }
                for place in 0..collective.demands() + 3 {
                    assert_eq!(demands.get(place), collective.demand(place), "{collective:?} {place}");
                }
                for (place, &operand) in collective.values().into_iter().flatten().enumerate() {
                    assert_eq!(demands.participant(0, operand), Some(place));
                }
            }
        }
    }

    #[test]
    fn groups_count_on() {
        let node = NodeId::new;
        let lists = [vec![node(3), node(1)], vec![node(2), node(7), node(4)], vec![node(5)]];
        let members = lists.iter().flat_map(|list| collectives(list));
        let groups = Collective::Groups { members: members.map(|collective| Member { collective, rate: 2 }).collect() };
        let demands = Demands::new(&groups);
        assert!(demands.grouped() && demands.count() > 30);
        for place in 0..demands.count() + 3 {
            assert_eq!(demands.get(place), groups.demand(place), "{place}");
            let Some(demand) = demands.get(place).filter(|demand| demand.operands.len() > 1) else { continue };
            for (operand, &owner) in demand.operands.iter().enumerate() {
                assert_eq!(demands.participant(place, owner), Some(operand));
            }
        }
        assert_eq!(demands.message(node(9), node(3)), None);
        assert_eq!(demands.reduction(node(9)), None);
        let none = Collective::Groups { members: Vec::new() };
        assert_eq!(Demands::new(&none).get(0), None);
    }
}
