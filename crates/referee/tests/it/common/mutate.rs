//! Every single change to a plan or a timeline: each number, id and list separately.

use super::plan::Plan;
use num_traits::{One, Zero};
use oneport_plan::{
    Amount, BigUint, CapacityRow, Interval, Pattern, Resource, Status, Task, Timeline, Volumes,
};
use oneport_platform::{Link, LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_testkit::Reductions;

use super::ratio;

/// A changed copy, and the change.
pub struct Mutant<T> {
    pub change: String,
    pub value: T,
}

/// Collects the changed copies that differ from the original.
struct Mutants<'a, T> {
    original: &'a T,
    list: Vec<Mutant<T>>,
}

impl<T: Clone + PartialEq> Mutants<'_, T> {
    fn add(&mut self, change: String, edit: impl FnOnce(&mut T)) {
        let mut value = self.original.clone();
        edit(&mut value);
        if value != *self.original {
            self.list.push(Mutant { change, value });
        }
    }

    /// Replaces each of the fields that `fields` finds by each of its `variants`.
    fn replace<F: Clone>(
        &mut self,
        what: &str,
        fields: impl Fn(&mut T) -> Vec<&mut F>,
        variants: impl Fn(&F) -> Vec<F>,
    ) {
        self.replace_each(what, &fields, &variants);
    }

    /// Compiled once per type of field, not once per call.
    fn replace_each<F: Clone>(
        &mut self,
        what: &str,
        fields: &dyn Fn(&mut T) -> Vec<&mut F>,
        variants: &dyn Fn(&F) -> Vec<F>,
    ) {
        let mut copy = self.original.clone();
        let originals: Vec<F> = fields(&mut copy)
            .into_iter()
            .map(|field| field.clone())
            .collect();
        for (index, original) in originals.iter().enumerate() {
            for (number, variant) in variants(original).into_iter().enumerate() {
                self.add(format!("{what} {index}, variant {number}"), |value| {
                    *fields(value).swap_remove(index) = variant;
                });
            }
        }
    }

    /// Drops and duplicates each element of each list, and swaps each with the next.
    fn reshape<E: Clone>(&mut self, what: &str, lists: impl Fn(&mut T) -> Vec<&mut Vec<E>>) {
        self.reshape_each(what, &lists);
    }

    fn reshape_each<E: Clone>(&mut self, what: &str, lists: &dyn Fn(&mut T) -> Vec<&mut Vec<E>>) {
        let mut copy = self.original.clone();
        let lengths: Vec<usize> = lists(&mut copy)
            .into_iter()
            .map(|list| list.len())
            .collect();
        for (list, &length) in lengths.iter().enumerate() {
            let at =
                |value: &mut T, edit: &dyn Fn(&mut Vec<E>)| edit(lists(value).swap_remove(list));
            self.add(format!("{what} {list}: empty"), |value| {
                at(value, &Vec::clear)
            });
            for index in 0..length {
                self.add(format!("{what} {list}: drop {index}"), |value| {
                    at(value, &|l| drop(l.remove(index)))
                });
                self.add(format!("{what} {list}: double {index}"), |value| {
                    at(value, &|l| l.insert(index, l[index].clone()));
                });
                if index + 1 < length {
                    self.add(
                        format!("{what} {list}: swap {index} and the next"),
                        |value| {
                            at(value, &|l| l.swap(index, index + 1));
                        },
                    );
                }
            }
        }
    }
}

fn numbers(value: &Rational) -> Vec<Rational> {
    let tiny = Rational::new(One::one(), num_bigint::BigInt::from(10).pow(40));
    let mut variants = vec![
        value * ratio(2, 1),
        value / ratio(2, 1),
        -value,
        Rational::zero(),
    ];
    for change in [ratio(1, 97), tiny, ratio(1, 1)] {
        variants.extend([value + &change, value - change]);
    }
    variants
}

fn counts(value: &u64) -> Vec<u64> {
    vec![
        0,
        value.wrapping_sub(1),
        value.saturating_add(1),
        value.saturating_mul(2),
        u64::MAX,
    ]
}

fn naturals(value: &BigUint) -> Vec<BigUint> {
    let one = BigUint::one();
    let mut variants = vec![BigUint::zero(), value + &one, value * 2u32, value << 300u32];
    variants.extend((value >= &one).then(|| value - one));
    variants
}

fn indices(limit: usize) -> impl Fn(&usize) -> Vec<usize> {
    move |_| (0..=limit).chain([9999, usize::MAX]).collect()
}

fn links(platform: &Platform) -> impl Fn(&LinkId) -> Vec<LinkId> + use<> {
    let count = platform.links().len();
    move |_| {
        (0..=count)
            .chain([9999, usize::MAX])
            .map(LinkId::new)
            .collect()
    }
}

fn nodes(platform: &Platform) -> impl Fn(&NodeId) -> Vec<NodeId> + use<> {
    let count = platform.nodes().len();
    move |_| {
        (0..=count)
            .chain([9999, usize::MAX])
            .map(NodeId::new)
            .collect()
    }
}

/// Every partial result of a few operands, and some that do not exist.
fn parts(plan: &Plan) -> impl Fn(&Interval) -> Vec<Interval> + use<> {
    let count = plan.collective.operands().map_or(1, <[NodeId]>::len);
    move |_| {
        let pairs = (0..=count).flat_map(|first| (0..=count).map(move |last| (first, last)));
        pairs
            .chain([(0, usize::MAX), (usize::MAX, usize::MAX)])
            .map(|(first, last)| Interval { first, last })
            .collect()
    }
}

fn volume_numbers(volumes: &mut Volumes) -> Vec<&mut Rational> {
    amount_numbers(&mut volumes.size)
        .into_iter()
        .chain(amount_numbers(&mut volumes.work))
        .collect()
}

fn amount_numbers(amount: &mut Amount) -> Vec<&mut Rational> {
    match amount {
        Amount::Constant(constant) => vec![constant],
        Amount::Affine { fixed, per_operand } => vec![fixed, per_operand],
        Amount::Table(rows) => rows.iter_mut().flatten().collect(),
        Amount::Tasks(table) => table
            .everywhere
            .values_mut()
            .chain(table.at.values_mut().flatten())
            .collect(),
    }
}

/// The patterns of the steady state, or of the schedule.
type Patterns = fn(&mut Plan) -> Vec<&mut Pattern>;

fn tasks(patterns: Vec<&mut Pattern>) -> impl Iterator<Item = &mut Task> {
    patterns.into_iter().flat_map(|pattern| &mut pattern.tasks)
}

fn task_links(task: &mut Task) -> Option<&mut LinkId> {
    match task {
        Task::Send { link, .. } => Some(link),
        Task::Merge { .. } => None,
    }
}

fn task_inputs(task: &mut Task) -> Vec<&mut Option<u32>> {
    match task {
        Task::Send { after, .. } => vec![after],
        Task::Merge { left, right, .. } => vec![left, right],
    }
}

fn task_parts(task: &mut Task) -> &mut Interval {
    match task {
        Task::Send { part, .. } | Task::Merge { part, .. } => part,
    }
}

fn task_nodes(task: &mut Task) -> Option<&mut NodeId> {
    match task {
        Task::Send { .. } => None,
        Task::Merge { node, .. } => Some(node),
    }
}

fn task_splits(task: &mut Task) -> Option<&mut usize> {
    match task {
        Task::Send { .. } => None,
        Task::Merge { split, .. } => Some(split),
    }
}

/// Every single change to a plan.
pub fn plan_mutants(plan: &Plan) -> Vec<Mutant<Plan>> {
    let mut mutants = Mutants {
        original: plan,
        list: Vec::new(),
    };
    mutants.replace("volume", |p| volume_numbers(&mut p.volumes), numbers);
    mutants.replace(
        "throughput",
        |p| vec![&mut p.steady_state.throughput],
        numbers,
    );
    mutants.replace("upper bound", |p| vec![&mut p.upper_bound], numbers);
    mutants.replace(
        "status",
        |p| vec![&mut p.status],
        |_| vec![Status::Optimal, Status::Feasible],
    );
    mutants.replace(
        "weight",
        |p| {
            p.steady_state
                .patterns
                .iter_mut()
                .map(|w| &mut w.weight)
                .collect()
        },
        numbers,
    );
    mutants.replace(
        "price",
        |p| {
            p.certificate
                .rows
                .iter_mut()
                .map(|(_, price)| price)
                .collect()
        },
        numbers,
    );
    mutants.replace("period", |p| vec![&mut p.schedule.period], numbers);
    mutants.replace(
        "slot length",
        |p| {
            p.schedule
                .slots
                .iter_mut()
                .map(|slot| &mut slot.length)
                .collect()
        },
        numbers,
    );
    mutants.replace("instances", |p| vec![&mut p.schedule.instances], naturals);
    mutants.replace(
        "copies",
        |p| {
            p.schedule
                .patterns
                .iter_mut()
                .map(|s| &mut s.copies)
                .collect()
        },
        naturals,
    );
    let of_state: Patterns = |p| {
        p.steady_state
            .patterns
            .iter_mut()
            .map(|w| &mut w.pattern)
            .collect()
    };
    let of_schedule: Patterns = |p| {
        p.schedule
            .patterns
            .iter_mut()
            .map(|s| &mut s.pattern)
            .collect()
    };
    for (owner, patterns) in [("steady-state", of_state), ("schedule", of_schedule)] {
        pattern_mutants(plan, &mut mutants, owner, patterns);
    }
    mutants.replace(
        "slot link",
        |p| {
            p.schedule
                .slots
                .iter_mut()
                .flat_map(|slot| &mut slot.links)
                .collect()
        },
        links(&plan.platform),
    );
    let ids = nodes(&plan.platform);
    let kinds = [Resource::Send, Resource::Receive, Resource::Compute];
    let variants = |_: &CapacityRow| {
        ids(&NodeId::new(0))
            .into_iter()
            .flat_map(|id| kinds.map(|kind| CapacityRow::Resource(kind(id))))
            .collect()
    };
    mutants.replace(
        "resource",
        |p| {
            p.certificate
                .rows
                .iter_mut()
                .map(|(resource, _)| resource)
                .collect()
        },
        variants,
    );

    mutants.reshape("steady-state patterns", |p| {
        vec![&mut p.steady_state.patterns]
    });
    mutants.reshape("prices", |p| vec![&mut p.certificate.rows]);
    mutants.reshape("schedule patterns", |p| vec![&mut p.schedule.patterns]);
    mutants.reshape("slots", |p| vec![&mut p.schedule.slots]);
    mutants.reshape("slot", |p| {
        p.schedule
            .slots
            .iter_mut()
            .map(|slot| &mut slot.links)
            .collect()
    });
    collective_mutants(plan, &mut mutants);
    platform_mutants(plan, &mut mutants);
    mutants.list
}

/// Every single change to the patterns.
fn pattern_mutants(plan: &Plan, mutants: &mut Mutants<'_, Plan>, owner: &str, patterns: Patterns) {
    let commodities = plan.collective.commodities().len() + plan.collective.reductions().len();
    let named = |what: &str| format!("{owner} {what}");
    mutants.replace(
        &named("commodity"),
        |p| {
            patterns(p)
                .into_iter()
                .map(|pattern| &mut pattern.demand)
                .collect()
        },
        indices(commodities),
    );
    mutants.replace(
        &named("link"),
        |p| tasks(patterns(p)).filter_map(task_links).collect(),
        links(&plan.platform),
    );
    mutants.reshape(&named("tasks"), |p| {
        patterns(p)
            .into_iter()
            .map(|pattern| &mut pattern.tasks)
            .collect()
    });
    mutants.reshape(&named("order"), |p| {
        patterns(p)
            .into_iter()
            .filter_map(|one| one.order.as_mut())
            .collect()
    });
    let most = patterns(&mut plan.clone())
        .iter()
        .map(|pattern| pattern.tasks.len() as u32)
        .max()
        .unwrap_or(0);
    mutants.replace(
        &named("input"),
        |p| tasks(patterns(p)).flat_map(task_inputs).collect(),
        |_| {
            (0..=most)
                .chain([9999, u32::MAX])
                .map(Some)
                .chain([None])
                .collect()
        },
    );
    let operands = plan.collective.operands().map_or(0, <[NodeId]>::len);
    mutants.replace(
        &named("order of"),
        |p| {
            patterns(p)
                .into_iter()
                .map(|pattern| &mut pattern.order)
                .collect()
        },
        |_| {
            vec![
                None,
                Some((0..operands).collect()),
                Some((0..operands).rev().collect()),
            ]
        },
    );
    mutants.replace(
        &named("order entry"),
        |p| {
            patterns(p)
                .into_iter()
                .filter_map(|one| one.order.as_mut())
                .flatten()
                .collect()
        },
        indices(operands),
    );
    mutants.replace(
        &named("part"),
        |p| tasks(patterns(p)).map(task_parts).collect(),
        parts(plan),
    );
    mutants.replace(
        &named("merge node"),
        |p| tasks(patterns(p)).filter_map(task_nodes).collect(),
        nodes(&plan.platform),
    );
    mutants.replace(
        &named("split"),
        |p| tasks(patterns(p)).filter_map(task_splits).collect(),
        indices(operands),
    );
    mutants.replace(&named("pattern"), patterns, |pattern| {
        vec![Pattern::new(pattern.demand)]
    });
}

/// Other nodes for one of each role, lists reshaped, another operator.
fn collective_mutants(plan: &Plan, mutants: &mut Mutants<'_, Plan>) {
    let form = plan.collective.form().unwrap();
    let cast: Vec<Vec<NodeId>> = plan
        .collective
        .cast()
        .into_iter()
        .map(<[NodeId]>::to_vec)
        .collect();
    let mut of_cast = Mutants {
        original: &cast,
        list: Vec::new(),
    };
    of_cast.replace(
        "participant",
        |cast| cast.iter_mut().flatten().collect(),
        nodes(&plan.platform),
    );
    of_cast.reshape("participants", |cast| vec![cast.last_mut().unwrap()]);
    let orders = [false, true].map(|commutative| (cast.clone(), commutative));
    let casts = of_cast
        .list
        .into_iter()
        .map(|mutant| (mutant.value, plan.collective.is_commutative()));
    for (number, (cast, commutative)) in casts.chain(orders).enumerate() {
        if let Some(collective) = form.build(&cast, commutative) {
            mutants.add(format!("collective {number}"), |plan| {
                plan.collective = collective
            });
        }
    }
}

/// Link costs and ends, missing links, compute costs, port models.
fn platform_mutants(plan: &Plan, mutants: &mut Mutants<'_, Plan>) {
    let platform = &plan.platform;
    for index in 0..platform.links().len() {
        for cost in numbers(&platform.links()[index].cost) {
            rebuild(
                mutants,
                format!("cost of link {index}"),
                plan,
                |_, links| links[index].cost = cost,
            );
        }
        for node in platform.node_ids() {
            rebuild(
                mutants,
                format!("start of link {index}"),
                plan,
                |_, links| links[index].from = node,
            );
            rebuild(mutants, format!("end of link {index}"), plan, |_, links| {
                links[index].to = node
            });
        }
        rebuild(mutants, format!("drop link {index}"), plan, |_, links| {
            drop(links.remove(index))
        });
    }
    for (index, node) in platform.nodes().iter().enumerate() {
        let costs = node
            .compute
            .iter()
            .flat_map(numbers)
            .map(Some)
            .chain([None]);
        for compute in costs {
            rebuild(
                mutants,
                format!("compute cost of node {index}"),
                plan,
                |nodes, _| nodes[index].compute = compute,
            );
        }
    }
    for model in PortModel::ALL {
        mutants.add(format!("model {model}"), |p| {
            p.platform = p.platform.clone().with_model(model)
        });
    }
}

/// The plan on a platform with other nodes or links, if the builder accepts them.
fn rebuild(
    mutants: &mut Mutants<'_, Plan>,
    change: String,
    plan: &Plan,
    edit: impl FnOnce(&mut Vec<Node>, &mut Vec<Link>),
) {
    let (nodes, links) = (plan.platform.nodes(), plan.platform.links());
    let (mut nodes, mut links): (Vec<_>, Vec<_>) = (
        nodes.iter().cloned().collect(),
        links.iter().cloned().collect(),
    );
    edit(&mut nodes, &mut links);
    let mut builder = Platform::builder();
    if nodes.into_iter().any(|node| builder.node(node).is_err()) {
        return;
    }
    if links
        .into_iter()
        .try_for_each(|link| builder.link(link.from, link.to, link.cost).map(drop))
        .is_ok()
    {
        let platform = builder.build().unwrap();
        mutants.add(change, |p| p.platform = platform);
    }
}

/// Every single change to a timeline.
pub fn timeline_mutants(plan: &Plan, timeline: &Timeline) -> Vec<Mutant<Timeline>> {
    let mut mutants = Mutants {
        original: timeline,
        list: Vec::new(),
    };
    mutants.replace("period", |t| vec![&mut t.period], numbers);
    mutants.replace(
        "starting periods",
        |t| vec![&mut t.starting_periods],
        counts,
    );
    mutants.replace(
        "instances per period",
        |t| vec![&mut t.instances_per_period],
        counts,
    );
    mutants.replace(
        "clean-up periods",
        |t| vec![&mut t.clean_up_periods],
        counts,
    );
    mutants.replace(
        "instance",
        |t| t.events.iter_mut().map(|e| &mut e.instance).collect(),
        counts,
    );
    let commodities = plan.collective.commodities().len() + plan.collective.reductions().len();
    mutants.replace(
        "commodity",
        |t| t.events.iter_mut().map(|e| &mut e.message.demand).collect(),
        indices(commodities),
    );
    mutants.replace(
        "part",
        |t| t.events.iter_mut().map(|e| &mut e.message.part).collect(),
        parts(plan),
    );
    mutants.replace(
        "link",
        |t| t.events.iter_mut().map(|e| &mut e.link).collect(),
        links(&plan.platform),
    );
    mutants.replace(
        "start",
        |t| {
            t.events
                .iter_mut()
                .flat_map(|e| &mut e.pieces)
                .map(|(start, _)| start)
                .collect()
        },
        numbers,
    );
    mutants.replace(
        "end",
        |t| {
            t.events
                .iter_mut()
                .flat_map(|e| &mut e.pieces)
                .map(|(_, end)| end)
                .collect()
        },
        numbers,
    );
    mutants.reshape("events", |t| vec![&mut t.events]);
    mutants.reshape("pieces", |t| {
        t.events.iter_mut().map(|e| &mut e.pieces).collect()
    });
    // Both dates at once: the whole piece, or merge, moves.
    let shifts = || [ratio(1, 97), ratio(-1, 97), ratio(1, 1), ratio(-1, 1)];
    let moved = |(start, end): &(Rational, Rational)| {
        shifts()
            .into_iter()
            .map(|shift| (start + &shift, end + &shift))
            .collect()
    };
    mutants.replace(
        "piece",
        |t| t.events.iter_mut().flat_map(|e| &mut e.pieces).collect(),
        moved,
    );

    mutants.replace(
        "instance of merge",
        |t| t.merges.iter_mut().map(|m| &mut m.instance).collect(),
        counts,
    );
    mutants.replace(
        "commodity of merge",
        |t| t.merges.iter_mut().map(|m| &mut m.message.demand).collect(),
        indices(commodities),
    );
    mutants.replace(
        "part of merge",
        |t| t.merges.iter_mut().map(|m| &mut m.message.part).collect(),
        parts(plan),
    );
    let operands = plan.collective.operands().map_or(0, <[NodeId]>::len);
    mutants.replace(
        "split",
        |t| t.merges.iter_mut().map(|m| &mut m.split).collect(),
        indices(operands),
    );
    mutants.replace(
        "node",
        |t| t.merges.iter_mut().map(|m| &mut m.node).collect(),
        nodes(&plan.platform),
    );
    mutants.replace(
        "start of merge",
        |t| t.merges.iter_mut().map(|m| &mut m.start).collect(),
        numbers,
    );
    mutants.replace(
        "end of merge",
        |t| t.merges.iter_mut().map(|m| &mut m.end).collect(),
        numbers,
    );
    mutants.replace(
        "merge",
        |t| t.merges.iter_mut().collect(),
        |merge| {
            let by = |shift| {
                let mut merge = merge.clone();
                merge.start += &shift;
                merge.end += &shift;
                merge
            };
            shifts().into_iter().map(by).collect()
        },
    );
    mutants.reshape("merges", |t| vec![&mut t.merges]);
    mutants.list
}
