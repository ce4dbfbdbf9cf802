//! Blocks: demands of a collective that can be priced together.

use oneport_platform::NodeId;

use crate::collective::Collective;
use crate::demand::{Commodity, Demand, Goals, Kind};
use crate::named::Named;

/// Consecutive demands of one kind that can be priced together: they have the same rate and, if values are combined,
/// the same operands and operator.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The list that holds its demands, from index `offset` on: a named collective, a member of a list of groups, or a
    /// custom list.
    pub(crate) collective: &'a Collective,
    pub(crate) offset: usize,
    /// The kind of its demands.
    pub kind: Kind,
    /// Index of its first demand among the demands of the collective.
    pub first: usize,
    /// How many demands it has, at least 1.
    pub count: usize,
    /// Instances of its demands per instance of the collective.
    pub rate: u64,
    /// Name of their collective.
    pub name: &'static str,
}

impl<'a> Block<'a> {
    /// The demand at this index of the block, from 0.
    pub fn demand(&self, index: usize) -> Option<Demand<'a>> {
        if index < self.count {
            self.collective.demand(self.offset.checked_add(index)?)
        } else {
            None
        }
    }

    /// All demands, in order.
    pub fn demands(&self) -> impl Iterator<Item = Demand<'a>> + use<'a> {
        let block = *self;
        (0..block.count).map_while(move |index| block.demand(index))
    }

    /// The owners of the values to be combined, in operand order. Empty if no values are combined.
    pub fn operands(&self) -> &'a [NodeId] {
        self.demand(0)
            .filter(|_| self.kind.combines())
            .map_or(&[], |demand| demand.operands)
    }

    /// If its demands are one message from each of some nodes to each other, these nodes.
    pub fn exchanged(&self) -> Option<&'a [NodeId]> {
        self.collective.named()?.exchanged()
    }

    /// Whether operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        self.kind.combines() && self.demand(0).is_some_and(|demand| demand.commutative)
    }

    /// Where messages that travel alone start and end, in the order of the demands. Nothing for other kinds.
    /// `O(demands)`.
    pub fn commodities(&self) -> Vec<Commodity> {
        let ends = |demand: Demand<'_>| match demand.goals {
            Goals::At(target) => Some(Commodity {
                source: *demand.operands.first()?,
                target,
            }),
            Goals::Everywhere(_) | Goals::Prefixes => None,
        };
        if self.kind == Kind::Route {
            self.demands().filter_map(ends).collect()
        } else {
            Vec::new()
        }
    }
}

impl Collective {
    /// The demands in blocks that can be priced together: one block for a named collective, the blocks of every group,
    /// and one block for consecutive custom demands that are alike.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        if let Collective::Named(named) = self {
            return named_blocks(self, named, 0, 1);
        }
        let mut blocks = custom_blocks(self);
        let mut first = 0_usize;
        for member in self.members() {
            let of_member = member
                .collective
                .named()
                .map(|named| (&member.collective, named));
            blocks.extend(
                of_member
                    .into_iter()
                    .flat_map(|(own, named)| named_blocks(own, named, first, member.rate)),
            );
            first = first.saturating_add(member.collective.demands());
        }
        blocks
    }

    /// The messages in the order of the demands, if all demands are messages that travel alone, each once per instance.
    /// Empty otherwise.
    pub fn commodities(&self) -> Vec<Commodity> {
        if !self.is_uniform() {
            return Vec::new();
        }
        self.messages().into_iter().map(|(one, _)| one).collect()
    }

    /// The messages in the order of the demands, with the number of each per instance, if all demands are messages that
    /// travel alone. Empty otherwise.
    pub fn messages(&self) -> Vec<(Commodity, u64)> {
        let blocks = self.blocks();
        if blocks.iter().any(|block| block.kind != Kind::Route) {
            return Vec::new();
        }
        let of_block = |block: &Block<'_>| {
            let rate = block.rate;
            block.commodities().into_iter().map(move |one| (one, rate))
        };
        blocks.iter().flat_map(of_block).collect()
    }

    /// Whether values are combined. If so, work matters, and sizes may depend on the combined operands.
    pub fn combines(&self) -> bool {
        self.blocks().iter().any(|block| block.kind.combines())
    }

    /// The most operands that are combined at once. 1 if nothing is.
    pub fn most_operands(&self) -> usize {
        self.blocks()
            .iter()
            .map(|block| block.operands().len())
            .max()
            .unwrap_or(0)
            .max(1)
    }

    /// Whether some operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        self.blocks().iter().any(Block::is_commutative)
    }
}

/// The demands of a named collective, which begin at this index of the whole: one block without counts, else one for
/// consecutive demands of one count.
fn named_blocks<'a>(
    collective: &'a Collective,
    named: &'a Named,
    first: usize,
    rate: u64,
) -> Vec<Block<'a>> {
    let Some(kind) = named.demand(0).map(|demand| demand.kind()) else {
        return Vec::new();
    };
    let name = collective.name();
    let block = |offset: usize, count: usize, times: u64| {
        let (first, rate) = (first.saturating_add(offset), rate.saturating_mul(times));
        Block {
            collective,
            offset,
            kind,
            first,
            count,
            rate,
            name,
        }
    };
    if named.counts().is_empty() {
        return vec![block(0, named.demands(), 1)];
    }
    let runs = named.counts().chunk_by(|(_, one), (_, other)| one == other);
    let mut offset = 0;
    let block_of_run = |run: &[(usize, u64)]| {
        offset += run.len();
        block(offset - run.len(), run.len(), run[0].1)
    };
    runs.map(block_of_run).collect()
}

fn custom_blocks(collective: &Collective) -> Vec<Block<'_>> {
    let demands = collective.custom();
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for (index, demand) in demands.iter().enumerate() {
        let kind = demand.demand().kind();
        let joins = |block: &Block<'_>| {
            let before = &demands[block.first];
            let shares = match kind {
                Kind::Route | Kind::Copy => true,
                Kind::Combine => {
                    (&before.owners, before.commutative) == (&demand.owners, demand.commutative)
                }
                Kind::CombineCopy | Kind::Prefix => false,
            };
            (block.kind, block.rate) == (kind, demand.rate) && shares
        };
        match blocks.last_mut() {
            Some(block) if joins(block) => block.count += 1,
            _ => blocks.push(Block {
                collective,
                offset: index,
                kind,
                first: index,
                count: 1,
                rate: demand.rate,
                name: collective.name(),
            }),
        }
    }
    blocks
}
