//! Which algorithms people run today for which collective.

use oneport_plan::{Collective, Form, NodeId, Problem};

use crate::Algorithm;
use crate::algorithm::Ways;
use crate::boxes::Boxes;
use crate::phase::{Blocks, ExchangeOp, Phase, Step};
use crate::tree::Tree;

/// Hints for the shape of algorithms, besides the order in which nodes are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankHints {
    /// A better order for rings and chains: all [ranks](ranks), each once. Empty: none.
    pub order: Vec<usize>,
    /// Ranks that are close to one another: every rank in one group. Empty: no groups.
    pub groups: Vec<Vec<usize>>,
    /// Boxes of accelerators. Empty on other platforms.
    pub boxes: Boxes,
}

/// The nodes that take part, in the order that named algorithms number them: the participants, with the root before the
/// others. If these are listed in the platform's order, ranks start at the root and wrap around.
pub fn ranks(problem: &Problem) -> Vec<NodeId> {
    let cast = problem.collective().cast();
    match cast[..] {
        [&[root], others] => {
            let others: Vec<NodeId> = others
                .iter()
                .copied()
                .filter(|&node| node != root)
                .collect();
            let after = if others.is_sorted() {
                others.partition_point(|&node| node < root)
            } else {
                0
            };
            [root]
                .iter()
                .chain(&others[after..])
                .chain(&others[..after])
                .copied()
                .collect()
        }
        [targets, participants] => {
            let further = participants.iter().filter(|node| !targets.contains(node));
            targets.iter().chain(further).copied().collect()
        }
        [participants] => participants.to_vec(),
        _ => Vec::new(),
    }
}

/// The algorithms of today's libraries for the collective. Empty for groups and custom demands.
pub fn named(problem: &Problem, shape: &RankHints) -> Vec<Algorithm> {
    let maker = Maker::new(problem);
    let mut all = Vec::new();
    if maker.ranks.len() < 2 {
        return all;
    }
    all.extend(maker.rings(shape));
    all.extend(maker.trees(shape));
    all.extend(maker.by_powers_of_two());
    all.extend(maker.direct());
    all.extend(maker.hierarchical(&shape.groups));
    all.extend(maker.scans());
    all.extend(maker.mpi(&shape.groups));
    all.extend(maker.nccl(shape));
    all.retain(|algorithm| !algorithm.cuts_a_token(problem));
    all
}

/// Makes the algorithms of one collective.
pub(crate) struct Maker<'a> {
    collective: &'a Collective,
    /// The form as which it is executed.
    pub(crate) form: Option<&'static Form>,
    pub(crate) ranks: Vec<NodeId>,
}

/// `from..to` as block numbers.
pub(crate) fn blocks(from: usize, to: usize) -> Vec<u32> {
    (from..to)
        .map(|block| u32::try_from(block).unwrap_or(u32::MAX))
        .collect()
}

/// A block for every rank.
fn one_each(ranks: usize) -> Blocks {
    (0..ranks).map(|rank| blocks(rank, rank + 1)).collect()
}

impl<'a> Maker<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Maker<'a> {
        let collective = problem.collective();
        Maker {
            collective,
            form: collective.form().map(Form::alike),
            ranks: ranks(problem),
        }
    }

    pub(crate) fn demands(&self) -> usize {
        self.collective.demands()
    }

    /// Whether values travel towards the root. `None` unless it is a broadcast or reduction.
    pub(crate) fn towards_root(&self) -> Option<bool> {
        match self.form {
            Some(Form::BROADCAST) => Some(false),
            Some(Form::REDUCE) => Some(true),
            _ => None,
        }
    }

    /// Whether the collective is executed as this form.
    pub(crate) fn is_carried_out_as(&self, form: &Form) -> bool {
        self.form == Some(form)
    }

    pub(crate) fn made(
        &self,
        name: &str,
        about: &str,
        pieces: usize,
        phases: Vec<Phase>,
    ) -> Algorithm {
        let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
        Algorithm {
            name: name.into(),
            about: about.into(),
            ranks: self.ranks.clone(),
            pieces,
            phases,
            ways: Ways::default(),
        }
    }

    /// Per rank: the blocks of its message, one per demand. The root of a scatter or gather has none.
    fn own(&self) -> Blocks {
        let rank = |node: &NodeId| {
            let listed = self
                .collective
                .cast()
                .last()
                .and_then(|nodes| nodes.iter().position(|other| other == node));
            listed.map_or_else(Vec::new, |demand| blocks(demand, demand + 1))
        };
        self.ranks.iter().map(rank).collect()
    }

    /// The ranks that have an operand: all but the target of a reduction that owns none.
    fn owners(&self) -> Vec<usize> {
        let cast = self.collective.cast();
        let owns = |rank: &usize| {
            cast.last()
                .is_none_or(|nodes| nodes.contains(&self.ranks[*rank]))
        };
        (0..self.ranks.len())
            .filter(|rank| !self.collective.combines() || owns(rank))
            .collect()
    }

    /// Trees, a piece of the message (or of every message) on each.
    pub(crate) fn tree(&self, name: &str, about: &str, trees: &[Tree]) -> Option<Algorithm> {
        let ranks = self.ranks.len();
        let each = |phase: &dyn Fn(&Tree, Vec<u32>) -> Phase| -> Vec<(Vec<usize>, Phase)> {
            let piece =
                |(piece, tree)| ((0..ranks).collect(), phase(tree, blocks(piece, piece + 1)));
            trees.iter().enumerate().map(piece).collect()
        };
        let up = || Phase::Parallel(each(&|tree, blocks| Phase::Combine(tree.clone(), blocks)));
        let down = || Phase::Parallel(each(&|tree, blocks| Phase::Broadcast(tree.clone(), blocks)));
        let single = || trees.first().filter(|_| trees.len() == 1).cloned();
        let phases = match self.form {
            Some(Form::BROADCAST) => vec![down()],
            Some(Form::REDUCE) => vec![up()],
            Some(Form::ALL_REDUCE) => vec![up(), down()],
            Some(Form::SCATTER) => vec![Phase::Scatter(single()?, self.own())],
            Some(Form::GATHER) => vec![Phase::Gather(single()?, self.own())],
            Some(Form::ALL_GATHER) => {
                vec![
                    Phase::Gather(single()?, self.own()),
                    Phase::Broadcast(single()?, blocks(0, ranks)),
                ]
            }
            Some(Form::REDUCE_SCATTER) => {
                vec![
                    Phase::Combine(single()?, blocks(0, ranks)),
                    Phase::Scatter(single()?, self.own()),
                ]
            }
            _ => return None,
        };
        Some(self.made(name, about, trees.len(), phases))
    }

    fn trees(&self, shape: &RankHints) -> Vec<Algorithm> {
        let ranks = self.ranks.len();
        let order: Vec<Option<usize>> = match shape.order.iter().position(|&rank| rank == 0) {
            Some(root) if !shape.order.is_empty() => {
                let mut parents = vec![None; ranks];
                let turned = || shape.order[root..].iter().chain(&shape.order[..root]);
                for (&parent, &child) in turned().zip(turned().skip(1)) {
                    parents[child] = Some(parent);
                }
                parents
            }
            _ => Vec::new(),
        };
        let best = Tree::of_parents(&order)
            .ok()
            .filter(|tree| tree.ranks() == ranks);
        let listed = [
            (
                "chain",
                "every node passes on to the next, pipelined",
                vec![Tree::chain(ranks)],
            ),
            (
                "flat tree",
                "the root serves all others itself",
                vec![Tree::flat(ranks)],
            ),
            (
                "binomial tree",
                "who has it serves one more at every step",
                vec![Tree::binomial(ranks)],
            ),
            (
                "binary tree",
                "a heap: every node has two children",
                vec![Tree::binary(ranks)],
            ),
            (
                "double binary tree",
                "two binary trees, half of the message on each; inner nodes of one are leaves of the other",
                Tree::double_binary(ranks).to_vec(),
            ),
        ];
        let best = best.map(|tree| {
            (
                "chain, best order found",
                "a chain through neighbours",
                vec![tree],
            )
        });
        let mut all = listed.into_iter().collect::<Vec<_>>();
        if let Some(best) = best {
            all.insert(1, best);
        }
        all.into_iter()
            .filter_map(|(name, about, trees)| self.tree(name, about, &trees))
            .collect()
    }

    /// Rings through all ranks, with an equal share of every message on each.
    pub(crate) fn ring(&self, name: &str, about: &str, rings: &[Vec<usize>]) -> Option<Algorithm> {
        let (ranks, count) = (self.ranks.len(), rings.len());
        let many = matches!(self.form, Some(Form::ALL_GATHER | Form::REDUCE_SCATTER));
        // The block of a rank on a ring: a piece of its message, or a piece of the only message.
        let block_of = |ring: usize, rank: usize| {
            if many {
                rank * count + ring
            } else {
                ring * ranks + rank
            }
        };
        let on_ring = |ring| -> Blocks {
            (0..ranks)
                .map(|rank| blocks(block_of(ring, rank), block_of(ring, rank) + 1))
                .collect()
        };
        let everybody: Vec<usize> = (0..ranks).collect();
        let owners = self.owners();
        let each = |phase: &dyn Fn(Vec<usize>, Blocks) -> Phase| {
            let one = |(ring, order): (usize, &Vec<usize>)| {
                let order = order
                    .iter()
                    .copied()
                    .filter(|rank| owners.contains(rank))
                    .collect();
                (everybody.clone(), phase(order, on_ring(ring)))
            };
            Phase::Parallel(rings.iter().enumerate().map(one).collect())
        };
        let root_has_all = || -> Blocks {
            let all = |rank| {
                (0..count)
                    .flat_map(|ring| blocks(block_of(ring, rank), block_of(ring, rank) + 1))
                    .collect()
            };
            (0..ranks).map(all).collect()
        };
        let phases = match self.form {
            Some(Form::ALL_GATHER) => vec![each(&Phase::RingCopy)],
            Some(Form::REDUCE_SCATTER) => vec![each(&Phase::RingCombine)],
            Some(Form::ALL_REDUCE) => vec![each(&Phase::RingCombine), each(&Phase::RingCopy)],
            Some(Form::BROADCAST) => {
                vec![
                    Phase::Scatter(Tree::binomial(ranks), root_has_all()),
                    each(&Phase::RingCopy),
                ]
            }
            Some(Form::REDUCE) if owners.len() == ranks => {
                vec![
                    each(&Phase::RingCombine),
                    Phase::Gather(Tree::binomial(ranks), root_has_all()),
                ]
            }
            _ => return None,
        };
        Some(self.made(
            name,
            about,
            if many { count } else { count * ranks },
            phases,
        ))
    }

    fn rings(&self, shape: &RankHints) -> Vec<Algorithm> {
        let about = match self.form {
            Some(Form::BROADCAST) => "scatter, then a ring all-gather (van de Geijn)",
            Some(Form::REDUCE) => "a ring reduce-scatter, then gather",
            Some(Form::ALL_REDUCE) => "a ring reduce-scatter, then a ring all-gather",
            _ => "every block goes round",
        };
        let given: Vec<usize> = (0..self.ranks.len()).collect();
        let mut all: Vec<Algorithm> = self.ring("ring", about, &[given]).into_iter().collect();
        if !shape.order.is_empty() {
            all.extend(self.ring(
                "ring, best order found",
                about,
                std::slice::from_ref(&shape.order),
            ));
        }
        let rings = rings_through(&shape.groups);
        if rings.len() > 1 {
            let about = format!(
                "{} rings, each from group to group at nodes of its own; {about}",
                rings.len()
            );
            all.extend(self.ring("rings, one per member of a group", &about, &rings));
        }
        all
    }

    /// Recursive doubling and halving, and Rabenseifner's algorithm.
    fn by_powers_of_two(&self) -> Vec<Algorithm> {
        let ranks = self.ranks.len();
        let whole: Vec<usize> = (0..ranks).collect();
        let power = ranks.is_power_of_two();
        let each = || one_each(ranks);
        let scatter = || Phase::Scatter(Tree::binomial(ranks), each());
        let gather = || Phase::Gather(Tree::binomial(ranks), each());
        let doubled = "partners exchange all they have, at doubling distances";
        let halved = "partners exchange and combine halves, at halving distances";
        match self.form {
            Some(Form::ALL_GATHER) if power => {
                vec![self.made(
                    "recursive doubling",
                    doubled,
                    1,
                    vec![Phase::Doubling(whole, each())],
                )]
            }
            Some(Form::REDUCE_SCATTER) if power => {
                vec![self.made(
                    "recursive halving",
                    halved,
                    1,
                    vec![Phase::Halving(whole, each())],
                )]
            }
            Some(Form::BROADCAST) if power => {
                let about = "scatter, then all-gather by recursive doubling";
                vec![self.made(
                    "recursive doubling",
                    about,
                    ranks,
                    vec![scatter(), Phase::Doubling(whole, each())],
                )]
            }
            Some(Form::REDUCE) if power && self.owners().len() == ranks => {
                let about = "reduce-scatter by recursive halving, then gather (Rabenseifner)";
                vec![self.made(
                    "Rabenseifner",
                    about,
                    ranks,
                    vec![Phase::Halving(whole, each()), gather()],
                )]
            }
            Some(Form::ALL_REDUCE) => self.folded(),
            _ => Vec::new(),
        }
    }

    /// All-reduces among a power of two: of the first few ranks, every second gives its operand to its neighbour
    /// before and has the result from it in the end.
    fn folded(&self) -> Vec<Algorithm> {
        let ranks = self.ranks.len();
        let power = 1_usize << ranks.ilog2();
        let extra = ranks - power;
        let core: Vec<usize> = (0..ranks)
            .filter(|&rank| rank >= 2 * extra || rank % 2 == 0)
            .collect();
        let fold = |pieces: usize, inwards: bool| {
            let step = |pair: usize| {
                let (inner, outer) = (2 * pair, 2 * pair + 1);
                let (from, to) = if inwards {
                    (outer, inner)
                } else {
                    (inner, outer)
                };
                Step {
                    from,
                    to,
                    blocks: blocks(0, pieces),
                    combine: inwards,
                }
            };
            Phase::Steps(if extra == 0 {
                Vec::new()
            } else {
                vec![(0..extra).map(step).collect()]
            })
        };
        let mut pieces = vec![Vec::new(); ranks];
        for (block, &rank) in core.iter().enumerate() {
            pieces[rank] = blocks(block, block + 1);
        }
        let exchange = vec![
            fold(1, true),
            Phase::Exchange(core.clone(), vec![0]),
            fold(1, false),
        ];
        let halves = [
            Phase::Halving(core.clone(), pieces.clone()),
            Phase::Doubling(core, pieces),
        ];
        let halves = [fold(power, true)]
            .into_iter()
            .chain(halves)
            .chain([fold(power, false)])
            .collect();
        vec![
            self.made(
                "recursive doubling",
                "partners exchange and combine everything",
                1,
                exchange,
            ),
            self.made(
                "Rabenseifner",
                "reduce-scatter by recursive halving, all-gather by doubling",
                power,
                halves,
            ),
        ]
    }

    /// Bruck, pairwise exchange, and all to all directly.
    fn direct(&self) -> Vec<Algorithm> {
        let ranks = self.ranks.len();
        let order: Vec<usize> = (0..ranks).collect();
        let pairwise = "in step k everyone sends to the k-th after it";
        match self.form {
            Some(Form::ALL_GATHER) => vec![
                self.made(
                    "Bruck",
                    "blocks double at every step",
                    1,
                    vec![Phase::BruckCopy(order.clone(), one_each(ranks))],
                ),
                self.made(
                    "pairwise exchange",
                    pairwise,
                    1,
                    vec![Phase::Pairwise(order, ExchangeOp::OfSender)],
                ),
            ],
            Some(Form::REDUCE_SCATTER) => {
                vec![self.made(
                    "pairwise exchange",
                    pairwise,
                    1,
                    vec![Phase::Pairwise(order, ExchangeOp::OfReceiver)],
                )]
            }
            Some(Form::ALL_REDUCE) => {
                let twice = vec![
                    Phase::Direct(order.clone(), ExchangeOp::OfReceiver),
                    Phase::Direct(order.clone(), ExchangeOp::OfSender),
                ];
                let one = "everyone sends its operand to all others, who combine what comes";
                let two = "everyone combines one share of all operands, sent directly, and sends the result to all";
                vec![
                    self.made(
                        "one shot",
                        one,
                        1,
                        vec![Phase::Direct(order, ExchangeOp::Single)],
                    ),
                    self.made("two shots", two, ranks, twice),
                ]
            }
            Some(Form::ALL_TO_ALL) => vec![
                self.made(
                    "pairwise exchange",
                    pairwise,
                    1,
                    vec![Phase::Pairwise(order.clone(), ExchangeOp::OfPair)],
                ),
                self.made(
                    "Bruck",
                    "blocks travel by the binary digits of their way",
                    1,
                    vec![Phase::BruckExchange(order)],
                ),
            ],
            _ => Vec::new(),
        }
    }

    /// A leader per group: inside the groups binomial trees, among the leaders a tree or a ring.
    fn hierarchical(&self, groups: &[Vec<usize>]) -> Vec<Algorithm> {
        if groups.len() < 2 {
            return Vec::new();
        }
        let about = "a leader per group; binomial trees inside, a ring among the leaders";
        let leaders: Vec<usize> = groups
            .iter()
            .filter_map(|group| group.first().copied())
            .collect();
        let inside = |phase: &dyn Fn(Tree, &Vec<usize>) -> Phase| {
            let one =
                |group: &Vec<usize>| (group.clone(), phase(Tree::binomial(group.len()), group));
            Phase::Parallel(groups.iter().map(one).collect())
        };
        let (ranks, count) = (self.ranks.len(), groups.len());
        // Per rank: the blocks of its group if it is a leader.
        let mut of_groups: Blocks = vec![Vec::new(); ranks];
        let of_members = |group: &Vec<usize>| {
            group
                .iter()
                .flat_map(|&rank| blocks(rank, rank + 1))
                .collect()
        };
        for (&leader, group) in leaders.iter().zip(groups) {
            of_groups[leader] = of_members(group);
        }
        let mut one_of_leaders: Blocks = vec![Vec::new(); ranks];
        for (block, &leader) in leaders.iter().enumerate() {
            one_of_leaders[leader] = blocks(block, block + 1);
        }
        let own_blocks =
            |group: &Vec<usize>| group.iter().map(|&rank| blocks(rank, rank + 1)).collect();
        let phases = match self.form {
            Some(Form::ALL_REDUCE) => vec![
                inside(&|tree, _| Phase::Combine(tree, blocks(0, count))),
                Phase::RingCombine(leaders.clone(), one_of_leaders.clone()),
                Phase::RingCopy(leaders, one_of_leaders),
                inside(&|tree, _| Phase::Broadcast(tree, blocks(0, count))),
            ],
            Some(Form::ALL_GATHER) => vec![
                inside(&|tree, group| Phase::Gather(tree, own_blocks(group))),
                Phase::RingCopy(leaders, of_groups),
                inside(&|tree, _| Phase::Broadcast(tree, blocks(0, ranks))),
            ],
            Some(Form::REDUCE_SCATTER) => vec![
                inside(&|tree, _| Phase::Combine(tree, blocks(0, ranks))),
                Phase::RingCombine(leaders, of_groups),
                inside(&|tree, group| Phase::Scatter(tree, own_blocks(group))),
            ],
            _ => {
                let about = "a leader per group; binomial trees inside and among the leaders";
                return self
                    .tree(
                        "hierarchical",
                        about,
                        &[Tree::of_groups(groups, Tree::binomial)],
                    )
                    .into_iter()
                    .collect();
            }
        };
        let pieces = if self.form == Some(Form::ALL_REDUCE) {
            count
        } else {
            1
        };
        vec![self.made("hierarchical", about, pieces, phases)]
    }

    fn scans(&self) -> Vec<Algorithm> {
        if self.form != Some(Form::SCAN) {
            return Vec::new();
        }
        let ranks = self.ranks.len();
        let send = |from: usize, to: usize| Step {
            from,
            to,
            blocks: blocks(0, 1),
            combine: true,
        };
        let chain = (1..ranks).map(|rank| vec![send(rank - 1, rank)]).collect();
        let distances = std::iter::successors(Some(1_usize), |distance| Some(distance * 2));
        let further = |distance: usize| {
            (distance..ranks)
                .rev()
                .map(|rank| send(rank - distance, rank))
                .collect()
        };
        let doubling = distances
            .take_while(|&distance| distance < ranks)
            .map(further)
            .collect();
        vec![
            self.made(
                "chain",
                "every node combines what comes with its own and passes it on",
                1,
                vec![Phase::Steps(chain)],
            ),
            self.made(
                "recursive doubling",
                "everyone sends to the one 2^k after it",
                1,
                vec![Phase::Steps(doubling)],
            ),
        ]
    }
}

/// The number of rings is the size of the smallest group. Ring `k` enters every group at its member `k` and leaves it
/// at the member before. Every second group is passed backwards, so that neighbours meet at members of the same number.
fn rings_through(groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
    if groups.len() < 2 {
        return Vec::new();
    }
    let rings = groups.iter().map(Vec::len).min().unwrap_or(0);
    let through = |(number, group): (usize, &Vec<usize>), ring: usize| -> Vec<usize> {
        let mut members: Vec<usize> = group[ring..]
            .iter()
            .chain(&group[..ring])
            .copied()
            .collect();
        if number % 2 == 1 {
            members.reverse();
        }
        members
    };
    (0..rings)
        .map(|ring| {
            groups
                .iter()
                .enumerate()
                .flat_map(|group| through(group, ring))
                .collect()
        })
        .collect()
}
