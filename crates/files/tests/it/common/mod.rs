//! Random platforms and plans.

pub use oneport_platform::ratio;
use oneport_testkit::Parts;
use oneport_testkit::Reductions;
use std::path::PathBuf;

use num_traits::Zero;
use oneport_files::FormatError;
use oneport_plan::inequality::{
    Balance, Border, Cut, Direction, Exchange, Gathering, Inequality, Keeps, Merges, Need, Place,
    Tree,
};
use oneport_plan::{
    Amount, BigUint, Certificate, Collective, Demand, Goals, Interval, Member, OddSet, Pattern,
    PeriodicSchedule, Problem, Resource, ScheduledPattern, Slot, Status, SteadyState, Task,
    Volumes, WeightedPattern,
};
use oneport_platform::units::{Data, Time};
use oneport_platform::{
    LinkId, Node, NodeId, Platform, PortModel, Rational, Shared, SharedId, Units,
    default_merge_time, whole, work_as_data,
};
use proptest::prelude::*;
use proptest::sample::Index;

/// A platform of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/platforms")
        .join(name)
}

pub fn positive() -> impl Strategy<Value = Rational> {
    prop_oneof![
        4 => (1..100_u64, 1..100_u64).prop_map(|(p, q)| Rational::new(p.into(), q.into())),
        1 => (1..u128::MAX, 1..u128::MAX).prop_map(|(p, q)| Rational::new(p.into(), q.into())),
        1 => Just(whole(1)),
    ]
}

/// Names with all characters that need quoting.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z][A-Za-z0-9_.-]{0,8}",
        "[ -~]{1,12}",
        Just("\"quoted\" \\ back".to_string()),
        Just("a,b;c".to_string()),
        Just("# no comment".to_string()),
        Just("Évry 東京 🚀".to_string()),
        Just("'single'''".to_string()),
        Just("\\u0041".to_string()),
        Just(" edges ".to_string()),
        Just("7".to_string()),
    ]
}

fn port_model() -> impl Strategy<Value = PortModel> {
    prop::sample::select(PortModel::ALL.to_vec())
}

fn node() -> impl Strategy<Value = Node> {
    let details = (
        prop::option::of(port_model()),
        prop::option::of(1..=u32::MAX),
        any::<[bool; 3]>(),
        prop::option::of(prop_oneof![Just(Rational::zero()), positive()]),
    );
    (name(), prop::option::weighted(0.8, positive()), details).prop_map(
        |(name, compute, (model, ports, [replicates, accelerator, aliased], reduces))| Node {
            alias: aliased.then(|| format!("also {name}")),
            name,
            reduces: reduces.filter(|_| compute.is_none()),
            compute,
            model,
            ports,
            replicates,
            accelerator,
        },
    )
}

fn build(
    model: PortModel,
    nodes: Vec<Node>,
    links: Vec<(Index, Index, Rational, bool)>,
) -> Platform {
    let mut builder = Platform::builder();
    builder.model(model);
    let ids: Vec<_> = nodes
        .into_iter()
        .filter_map(|node| builder.node(node).ok())
        .collect();
    for (from, to, cost, duplex) in links {
        // Loops and repeated links are refused by the builder and left out.
        let (from, to) = (*from.get(&ids), *to.get(&ids));
        let added = builder.link(from, to, cost.clone());
        if duplex && added.is_ok() {
            let _ = builder.link(to, from, cost);
        }
    }
    builder.build().expect("at least one node")
}

/// Rates and links of shared capacities.
fn shared() -> impl Strategy<Value = Vec<(Rational, Vec<Index>)>> {
    let one = (positive(), prop::collection::vec(any::<Index>(), 1..6));
    prop_oneof![Just(Vec::new()), prop::collection::vec(one, 1..4)]
}

/// The platform without ports, with shared capacities. Every second link with a capacity has no cost of its own.
fn with_shared(platform: &Platform, shared: Vec<(Rational, Vec<Index>)>) -> Option<Platform> {
    let all: Vec<LinkId> = platform.link_ids().collect();
    if shared.is_empty() || all.is_empty() {
        return None;
    }
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    for node in platform.nodes() {
        let plain = Node {
            model: None,
            ..node.clone()
        };
        builder.node(plain).expect("a node");
    }
    let chosen: Vec<(Rational, Vec<LinkId>)> = shared
        .into_iter()
        .map(|(rate, links)| (rate, links.iter().map(|link| *link.get(&all)).collect()))
        .collect();
    let shared_by = |id: LinkId| chosen.iter().any(|(_, links)| links.contains(&id));
    for &id in &all {
        let link = platform.link(id);
        let free = id.index() % 2 == 0 && shared_by(id);
        let cost = if free {
            Rational::default()
        } else {
            link.cost.clone()
        };
        builder.link(link.from, link.to, cost).expect("a link");
    }
    for (index, (rate, links)) in chosen.into_iter().enumerate() {
        let name = format!("\"bus\" -> {index}");
        builder
            .share(Shared::new(name, rate, links))
            .expect("a capacity");
    }
    Some(builder.build().expect("no ports"))
}

fn links() -> impl Strategy<Value = Vec<(Index, Index, Rational, bool)>> {
    prop::collection::vec(
        (any::<Index>(), any::<Index>(), positive(), any::<bool>()),
        0..20,
    )
}

/// Units, or none.
pub fn units() -> impl Strategy<Value = Option<Units>> {
    let times = prop::sample::select(vec!["ns", "us", "ms", "s"]);
    let any = (
        prop::sample::select(Data::ALL.to_vec()),
        times,
        any::<bool>(),
    );
    prop::option::of(any.prop_map(|(data, time, work_is_data)| Units {
        data,
        time: Time::find(time).expect("a unit of time"),
        work_is_data,
    }))
}

pub fn platform() -> impl Strategy<Value = Platform> {
    (
        port_model(),
        prop::collection::vec(node(), 1..8),
        links(),
        units(),
        shared(),
    )
        .prop_map(|(model, nodes, links, units, shared)| {
            let platform = build(model, nodes, links);
            let platform = with_shared(&platform, shared).unwrap_or(platform);
            // A unit of work shows at processors only.
            let bare = platform.processors().next().is_none();
            platform.with_units(units.map(|units| Units {
                work_is_data: units.work_is_data && !bare,
                ..units
            }))
        })
}

/// The platform with links round all nodes, so that every message can arrive.
fn connected(platform: &Platform) -> Platform {
    let mut builder = Platform::builder();
    builder.model(platform.model());
    let nodes: Vec<NodeId> = platform
        .nodes()
        .iter()
        .map(|node| builder.node(node.clone()).expect("a node"))
        .collect();
    for id in platform.link_ids() {
        let (link, cost) = (platform.link(id), platform.own_cost(id).clone());
        builder.link(link.from, link.to, cost).expect("a link");
    }
    for shared in platform.shared() {
        builder.share(shared.clone()).expect("a capacity");
    }
    for (index, &from) in nodes.iter().enumerate() {
        let to = nodes[(index + 1) % nodes.len()];
        // A link that exists, or would be a loop, is refused by the builder.
        let _ = builder.link(from, to, ratio(1, 3));
    }
    let built = builder.build().expect("at least one node");
    built.with_units(platform.units())
}

/// A platform that a matrix can state. If it has units, merges have the rate that a matrix implies.
pub fn plain_platform() -> impl Strategy<Value = Platform> {
    (prop::collection::vec(name(), 1..8), links(), units()).prop_map(|(names, links, units)| {
        let units = units.map(work_as_data);
        let compute = units.map_or_else(|| ratio(1, 1), default_merge_time);
        let nodes = names
            .into_iter()
            .map(|name| Node::processor(name, compute.clone()))
            .collect();
        build(PortModel::default(), nodes, links).with_units(units)
    })
}

fn big() -> impl Strategy<Value = BigUint> {
    prop_oneof![
        (0..20_u32).prop_map(BigUint::from),
        any::<u128>().prop_map(BigUint::from)
    ]
}

/// Any rational: whether a plan makes sense is the referee's part.
fn rational() -> impl Strategy<Value = Rational> {
    prop_oneof![
        positive(),
        positive().prop_map(|value| -value),
        Just(whole(0))
    ]
}

fn collective(platform: &Platform, kind: u8, commutative: bool) -> Option<Collective> {
    let copies = (5..9).contains(&kind);
    let mut members: Vec<NodeId> = platform
        .processors()
        .filter(|&id| !copies || platform.node(id).replicates)
        .collect();
    members.reverse();
    let target = *members.last()?;
    let collective = match kind {
        0 => Collective::scatter(members.pop()?, members),
        1 => Collective::gather(members.pop()?, members),
        2 => Collective::all_to_all(members),
        3 => Collective::reduce(target, members).commutative(commutative),
        4 => Collective::reduce_scatter(members).commutative(commutative),
        5 => Collective::broadcast(members.pop()?, members),
        6 => Collective::all_gather(members),
        7 => Collective::all_reduce(members).commutative(commutative),
        8 => Collective::scan(members),
        _ => {
            let each = (0..9).filter(|group| !(kind + group).is_multiple_of(3));
            let member = |group: u8| {
                let collective =
                    collective(platform, group, group.is_multiple_of(2) == commutative)?;
                Some(Member {
                    collective,
                    rate: u64::MAX >> (7 * group),
                })
            };
            Collective::Groups(each.filter_map(member).collect())
        }
    };
    collective.validate(platform).ok().map(|()| collective)
}

/// Amounts that fit the collective: constant if nothing is combined, no table for commutative operators.
fn volumes(collective: &Collective, kinds: (u8, u8), numbers: &[Rational]) -> Volumes {
    let Some(operands) = collective.operands() else {
        let mut volumes = Volumes::of_size(numbers[0].clone());
        if collective.combines() {
            volumes.work = Amount::Constant(numbers[1].clone());
        }
        return volumes;
    };
    let mut numbers = numbers.iter().cycle().cloned();
    let mut amount = |kind| match kind {
        0 => Amount::Constant(numbers.next().expect("endless")),
        2 if !collective.is_commutative() => Amount::Table(
            (0..operands.len())
                .map(|first| numbers.by_ref().take(operands.len() - first).collect())
                .collect(),
        ),
        _ => Amount::Affine {
            fixed: numbers.next().expect("endless"),
            per_operand: numbers.next().expect("endless"),
        },
    };
    Volumes {
        size: amount(kinds.0),
        work: amount(kinds.1),
    }
}

type Draw = (Index, Vec<Index>, Rational, BigUint);

/// A pattern of the right kind that names operands, nodes, links and earlier tasks of the plan and need not make sense.
fn pattern(platform: &Platform, collective: &Collective, draw: &Draw) -> Pattern {
    let commodity = draw.0.index(collective.demands());
    let demand = collective.demand(commodity).expect("a demand");
    let links = platform.links().len();
    let link = |at: &Index| (links > 0).then(|| LinkId::new(at.index(links.max(1))));
    let earlier =
        |at: &Index, count: usize| at.index(count + 1).checked_sub(1).map(|index| index as u32);
    match (demand.operands.len(), demand.goals) {
        (1, Goals::At(_)) => Pattern::path(commodity, draw.1.iter().filter_map(link)),
        (1, _) => {
            let mut hops: Vec<(LinkId, Option<u32>)> = Vec::new();
            for at in &draw.1 {
                let after = earlier(at, hops.len());
                hops.extend(link(at).map(|link| (link, after)));
            }
            Pattern::arborescence(commodity, hops)
        }
        (_, Goals::At(_)) => {
            let tasks = draw.1.iter().map(|at| task(platform, &demand, at));
            Pattern::tree(commodity, order(&demand, draw), tasks)
        }
        _ => {
            let scheme = |(index, at): (usize, &Index)| match task(platform, &demand, at) {
                Task::Send { link, part, .. } => Task::Send {
                    link,
                    part,
                    after: earlier(at, index),
                },
                Task::Merge {
                    node, part, split, ..
                } => {
                    let (left, right) = (earlier(at, index), earlier(&draw.0, index));
                    Task::Merge {
                        node,
                        part,
                        split,
                        left,
                        right,
                    }
                }
            };
            let tasks = draw.1.iter().enumerate().map(scheme).collect();
            Pattern {
                demand: commodity,
                order: order(&demand, draw),
                tasks,
            }
        }
    }
}

fn task(platform: &Platform, demand: &Demand<'_>, at: &Index) -> Task {
    let (count, links) = (demand.operands.len(), platform.links().len());
    let part = Interval {
        first: at.index(count),
        last: at.index(97) % count,
    };
    if at.index(3) == 0 && links > 0 {
        Task::send(LinkId::new(at.index(links)), part)
    } else {
        Task::merge(
            NodeId::new(at.index(platform.nodes().len())),
            part,
            at.index(31) % count,
        )
    }
}

fn order(demand: &Demand<'_>, draw: &Draw) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..demand.operands.len()).collect();
    order.rotate_left(draw.0.index(demand.operands.len()));
    (demand.commutative && draw.1.len().is_multiple_of(2)).then_some(order)
}

/// Prices, odd sets and needs that name existing nodes and links.
fn certificate(
    platform: &Platform,
    collective: &Collective,
    draws: &[Draw],
    more: bool,
) -> Certificate {
    let links = platform.links().len();
    let node = |at: &Index| NodeId::new(at.index(platform.nodes().len()));
    let shared = platform.shared().len();
    let resource = |(index, at): (usize, &Index)| match index % 6 {
        0 => Resource::Send(node(at)),
        1 => Resource::Receive(node(at)),
        2 => Resource::Port(node(at)),
        3 if links > 0 => Resource::Link(LinkId::new(at.index(links))),
        4 if shared > 0 => Resource::Shared(SharedId::new(at.index(shared))),
        _ => Resource::Compute(node(at)),
    };
    let list = |draw: &Draw| -> Vec<LinkId> {
        draw.1
            .iter()
            .filter(|_| links > 0)
            .map(|at| LinkId::new(at.index(links)))
            .collect()
    };
    let odd_set = |draw: &Draw| {
        let ports = draw
            .1
            .iter()
            .enumerate()
            .map(|(index, at)| resource((index % 3, at)))
            .collect();
        (
            OddSet {
                ports,
                links: list(draw),
            },
            draw.2.clone(),
        )
    };
    let prices = draws
        .iter()
        .enumerate()
        .map(|(at, draw)| (resource((at, &draw.0)), draw.2.clone()));
    let odd_sets = draws.iter().filter(|_| more).map(odd_set);
    let needs = draws.iter().enumerate().filter(|_| more);
    let needs = needs.filter_map(|(at, draw)| need(platform, collective, (at, draw)));
    Certificate::new(prices, odd_sets, needs)
}

/// An inequality of some kind that names existing nodes and links.
fn need(
    platform: &Platform,
    collective: &Collective,
    (index, draw): (usize, &Draw),
) -> Option<Need> {
    let node = |at: &Index| NodeId::new(at.index(platform.nodes().len()));
    let nodes = || draw.1.iter().map(node).collect();
    let sets = || {
        draw.1
            .chunks(2)
            .map(|set| set.iter().map(node).collect())
            .collect()
    };
    let direction = [Direction::Into, Direction::OutOf][draw.0.index(2)];
    let keeps = [Keeps::AllThatArrives, Keeps::NoMoreThanArrives][draw.0.index(2)];
    let demand = draw.0.index(collective.demands());
    let links = platform.links().len();
    let inequality = match (index + draw.0.index(8)) % 8 {
        0 => Inequality::Cut(Cut { nodes: nodes() }),
        1 => Inequality::Border(Border {
            direction,
            sets: sets(),
        }),
        2 => Inequality::Gathering(Gathering { nodes: nodes() }),
        3 => Inequality::Balance(Balance {
            node: node(&draw.0),
            keeps,
        }),
        4 => Inequality::Merges(Merges),
        5 => Inequality::Place(Place),
        6 => {
            let length = |at: &Index| (LinkId::new(at.index(links)), draw.2.clone());
            let lengths = draw.1.iter().filter(|_| links > 0).map(length).collect();
            Inequality::Exchange(Exchange {
                direction,
                parts: sets(),
                lengths,
            })
        }
        _ => {
            let asked = collective.demand(demand)?;
            let goal = draw.0.index(asked.goals().len());
            let task = |at| (task(platform, &asked, at), draw.2.clone());
            Inequality::Tree(Tree {
                goal,
                prices: draw.1.iter().map(task).collect(),
            })
        }
    };
    let all = matches!(inequality, Inequality::Cut(_) | Inequality::Merges(_))
        && draw.1.len().is_multiple_of(2);
    Some(Need {
        demand: (!all).then_some(demand),
        inequality,
        weight: draw.2.clone(),
    })
}

/// Plans that refer to their own nodes and links and are nonsense otherwise.
pub fn plan() -> impl Strategy<Value = Parts> {
    let draw = || {
        (
            any::<Index>(),
            prop::collection::vec(any::<Index>(), 0..6),
            rational(),
            big(),
        )
    };
    let draws = || prop::collection::vec(draw(), 0..6);
    let numbers = (rational(), rational(), rational(), big());
    let amounts = (0..3_u8, 0..3_u8, prop::collection::vec(positive(), 4));
    let kind = (0..12_u8, any::<bool>(), any::<bool>());
    (
        platform(),
        kind,
        amounts,
        numbers,
        draws(),
        draws(),
        draws(),
    )
        .prop_filter_map(
            "a collective needs processors",
            |(
                platform,
                (kind, optimal, commutative),
                amounts,
                numbers,
                weighted,
                scheduled,
                rest,
            )| {
                let (throughput, upper_bound, period, instances) = numbers;
                let platform = connected(&platform);
                let collective = collective(&platform, kind, commutative)?;
                let links = |draw: &Draw| -> Vec<LinkId> {
                    let count = platform.links().len();
                    if count == 0 {
                        Vec::new()
                    } else {
                        draw.1
                            .iter()
                            .map(|at| LinkId::new(at.index(count)))
                            .collect()
                    }
                };
                let pattern = |draw: &Draw| pattern(&platform, &collective, draw);
                Some(Parts {
                    problem: Problem::new(
                        &platform,
                        &collective,
                        volumes(&collective, (amounts.0, amounts.1), &amounts.2),
                    )
                    .ok()?,
                    status: if optimal {
                        Status::Optimal
                    } else {
                        Status::Feasible
                    },
                    steady_state: SteadyState {
                        throughput,
                        patterns: weighted
                            .iter()
                            .map(|draw| WeightedPattern {
                                pattern: pattern(draw),
                                weight: draw.2.clone(),
                            })
                            .collect(),
                    },
                    certificate: certificate(&platform, &collective, &rest, commutative),
                    upper_bound,
                    schedule: PeriodicSchedule {
                        period,
                        instances,
                        patterns: scheduled
                            .iter()
                            .map(|draw| ScheduledPattern {
                                pattern: pattern(draw),
                                copies: draw.3.clone(),
                            })
                            .collect(),
                        slots: rest
                            .iter()
                            .map(|draw| {
                                let slower = links(draw).into_iter().take(1);
                                Slot {
                                    length: draw.2.clone(),
                                    links: links(draw),
                                    shares: slower.map(|link| (link, draw.2.clone())).collect(),
                                }
                            })
                            .collect(),
                    },
                })
            },
        )
}

/// One change to a plan's file: refused in one short line that contains these parts.
#[track_caller]
pub fn refused(text: &str, from: &str, to: &str, parts: &[&str]) {
    assert!(text.contains(from), "{from} in {text}");
    let broken = text.replacen(from, to, 1);
    let error =
        plan_from_json("plan", broken.as_bytes()).expect_err(&broken[..broken.len().min(5000)]);
    let message = error.to_string();
    assert!(
        message.starts_with("plan:") && !message.contains('\n') && message.len() < 800,
        "{message}"
    );
    for part in parts {
        assert!(message.contains(part), "says '{part}': {message}");
    }
}

/// A large plan equals the plan read from its file, of less than `most` bytes.
pub fn reads_back(plan: Parts, most: usize) {
    let text = plan_to_json(&plan);
    let read = plan_from_json("large", text.as_bytes());
    assert!(read == Ok(plan), "the large plan is not read back");
    assert!(text.len() < most, "{} bytes", text.len());
}

/// The parts as a plan file.
pub fn plan_to_json(parts: &Parts) -> String {
    parts.with(oneport_files::plan_to_json).expect("a plan")
}

/// The parts of a plan file in bytes.
pub fn plan_from_json(name: &str, bytes: &[u8]) -> Result<Parts, FormatError> {
    let (claim, stated) = oneport_files::plan_from_json(name, bytes)?;
    Ok(Parts::of(&claim, &stated).expect("a plan"))
}

/// The parts of a plan file.
pub fn read_plan(path: &std::path::Path) -> Result<Parts, FormatError> {
    let (claim, stated) = oneport_files::read_plan(path)?;
    Ok(Parts::of(&claim, &stated).expect("a plan"))
}
