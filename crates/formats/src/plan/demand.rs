//! The demands of a collective by place, by their ends and by their targets, without listing them: an all-to-all among
//! `n` has `n (n - 1)`.

use std::collections::BTreeMap;

use oneport_plan::{Block, Collective, Demand, Goals};
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

/// The numbering of [`Collective::demand`], both ways. Built in `O(n log n)` for `n` owners and targets of all blocks.
pub(super) struct Demands<'c> {
    collective: &'c Collective,
    /// How many there are: adding up the groups' demands takes as long as there are groups.
    count: usize,
    blocks: Vec<Places<'c>>,
    /// The place of every node in the list of participants or targets of a named collective.
    listed: BTreeMap<NodeId, usize>,
}

/// A block, and the place of every owner among its operands.
struct Places<'c> {
    block: Block<'c>,
    operands: BTreeMap<NodeId, usize>,
}

fn places(nodes: &[NodeId]) -> BTreeMap<NodeId, usize> {
    nodes.iter().enumerate().map(|(place, &node)| (node, place)).collect()
}

impl<'c> Demands<'c> {
    pub fn new(collective: &'c Collective) -> Self {
        let of_block = |block: Block<'c>| Places { block, operands: places(block.operands()) };
        let listed = collective.cast().last().map(|nodes| places(nodes)).unwrap_or_default();
        let count = collective.demands();
        Demands { collective, count, blocks: collective.blocks().into_iter().map(of_block).collect(), listed }
    }

    /// Whether there are groups or custom demands, so that a demand is not known by its ends.
    pub fn grouped(&self) -> bool {
        self.collective.is_listed()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The demand with this number. `O(log g)` for `g` groups.
    pub fn get(&self, place: usize) -> Option<Demand<'c>> {
        let block = self.block(place)?.block;
        block.demand(place - block.first)
    }

    /// The place of a participant among the operands of the demand with this number.
    pub fn participant(&self, place: usize, node: NodeId) -> Option<usize> {
        self.block(place)?.operands.get(&node).copied()
    }

    /// The number of the message from one node to another; none in groups.
    pub fn message(&self, source: NodeId, target: NodeId) -> Option<usize> {
        let (from, to) = (self.listed.get(&source).copied(), self.listed.get(&target).copied());
        // Row by row, each without the diagonal.
        let between = from.zip(to).filter(|(row, column)| row != column).and_then(|(row, column)| {
            row.checked_mul(self.listed.len() - 1)?.checked_add(column - usize::from(column > row))
        });
        let is_it = |place: &usize| {
            self.single(*place).is_some_and(|demand| (demand.operands, demand.goals) == (&[source], Goals::At(target)))
        };
        [to, from, between].into_iter().flatten().find(is_it)
    }

    /// The number of the reduction whose result this node receives; none in groups.
    pub fn reduction(&self, target: NodeId) -> Option<usize> {
        let is_it = |place: &usize| {
            self.single(*place).is_some_and(|demand| demand.kind().combines() && demand.goals == Goals::At(target))
        };
        [Some(0), self.listed.get(&target).copied()].into_iter().flatten().find(is_it)
    }

    fn single(&self, place: usize) -> Option<Demand<'c>> {
        if self.grouped() { None } else { self.collective.demand(place) }
    }

    fn block(&self, place: usize) -> Option<&Places<'c>> {
        let after = self.blocks.partition_point(|places| places.block.first <= place);
        self.blocks.get(after.checked_sub(1)?)
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
                    let results = |place: &usize| {
                        let demand = collective.demand(*place).unwrap();
                        (demand.kind(), demand.goals) == (oneport_plan::Kind::Combine, Goals::At(source))
                    };
                    let place = (0..collective.demands()).find(results);
                    assert_eq!(demands.reduction(source), place, "{collective:?} {source}");
                }
                for place in 0..collective.demands() + 3 {
                    assert_eq!(demands.get(place), collective.demand(place), "{collective:?} {place}");
                }
                let combined = collective.blocks().first().map_or(&[][..], |block| block.operands());
                for (place, &operand) in combined.iter().enumerate() {
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
