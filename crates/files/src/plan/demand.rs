//! The demands of a collective by index, without listing them: an all-to-all among `n` has `n (n - 1)`.

use std::collections::BTreeMap;

use oneport_plan::{Block, Collective, Demand};
use oneport_platform::NodeId;

/// The numbering of [`Collective::demand`] and of its operands. Built in `O(n log n)` for `n` owners and targets of all
/// blocks.
pub(super) struct Demands<'c> {
    blocks: Vec<IndexedBlock<'c>>,
    count: usize,
}

/// A block, and the index of every owner among its operands.
struct IndexedBlock<'c> {
    block: Block<'c>,
    operands: BTreeMap<NodeId, usize>,
}

fn indices_of(nodes: &[NodeId]) -> BTreeMap<NodeId, usize> {
    nodes
        .iter()
        .enumerate()
        .map(|(index, &node)| (node, index))
        .collect()
}

impl<'c> Demands<'c> {
    pub(super) fn new(collective: &'c Collective) -> Self {
        let of_block = |block: Block<'c>| IndexedBlock {
            block,
            operands: indices_of(block.operands()),
        };
        // Counted once: adding up the groups for every pattern takes long.
        Demands {
            blocks: collective.blocks().into_iter().map(of_block).collect(),
            count: collective.demands(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The demand with this number. `O(log g)` for `g` groups.
    pub(super) fn get(&self, index: usize) -> Option<Demand<'c>> {
        let block = self.block(index)?.block;
        block.demand(index - block.first)
    }

    /// The index of a participant among the operands of the demand with this number.
    pub(super) fn participant(&self, index: usize, node: NodeId) -> Option<usize> {
        self.block(index)?.operands.get(&node).copied()
    }

    fn block(&self, index: usize) -> Option<&IndexedBlock<'c>> {
        let after = self
            .blocks
            .partition_point(|indexed| indexed.block.first <= index);
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
            Collective::scatter(node(9), participants.clone()),
            Collective::gather(node(9), participants.clone()),
            Collective::all_to_all(participants.clone()),
            Collective::reduce(node(9), participants.clone()).in_order(),
            Collective::reduce(node(5), participants.clone()),
            Collective::reduce_scatter(participants.clone()).in_order(),
            Collective::broadcast(node(9), participants.clone()),
            Collective::all_gather(participants.clone()),
            Collective::all_reduce(participants.clone()),
            Collective::scan(participants),
        ]
    }

    #[test]
    fn the_numbering_is_that_of_the_list() {
        let node = NodeId::new;
        for members in [
            vec![node(3), node(1)],
            vec![node(2), node(7), node(4), node(0)],
            vec![node(5)],
        ] {
            for collective in collectives(&members) {
                let demands = Demands::new(&collective);
                assert_eq!(demands.count(), collective.demands());
                for index in 0..collective.demands() + 3 {
                    assert_eq!(
                        demands.get(index),
                        collective.demand(index),
                        "{collective:?} {index}"
                    );
                }
                let combined = collective
                    .blocks()
                    .first()
                    .map_or(&[][..], |block| block.operands());
                for (index, &operand) in combined.iter().enumerate() {
                    assert_eq!(demands.participant(0, operand), Some(index));
                }
            }
        }
    }

    #[test]
    fn groups_count_on() {
        let node = NodeId::new;
        let lists = [
            vec![node(3), node(1)],
            vec![node(2), node(7), node(4)],
            vec![node(5)],
        ];
        let members = lists.iter().flat_map(|list| collectives(list));
        let groups = Collective::Groups(
            members
                .map(|collective| Member {
                    collective,
                    rate: 2,
                })
                .collect(),
        );
        let demands = Demands::new(&groups);
        assert!(demands.count() > 30);
        for index in 0..demands.count() + 3 {
            assert_eq!(demands.get(index), groups.demand(index), "{index}");
            let Some(demand) = demands
                .get(index)
                .filter(|demand| demand.operands.len() > 1)
            else {
                continue;
            };
            for (operand, &owner) in demand.operands.iter().enumerate() {
                assert_eq!(demands.participant(index, owner), Some(operand));
            }
        }
        let none = Collective::Groups(Vec::new());
        assert_eq!(Demands::new(&none).get(0), None);
    }
}
