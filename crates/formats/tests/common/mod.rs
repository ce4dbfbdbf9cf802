//! Random platforms and plans, and the data of others.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::PathBuf;

use oneport_plan::{
    BigUint, Certificate, Collective, Pattern, PeriodicSchedule, Plan, Resource, ScheduledPattern, Slot, Status,
    SteadyState, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use proptest::prelude::*;
use proptest::sample::Index;

/// The data of others; says so and returns nothing when it is absent.
pub fn shared_data(part: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(part);
    if !path.exists() {
        println!("skipped: {part} of the shared data is absent");
        return None;
    }
    Some(path)
}

/// A platform of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/platforms").join(name)
}

pub fn positive() -> impl Strategy<Value = Rational> {
    prop_oneof![
        4 => (1..100_u64, 1..100_u64).prop_map(|(p, q)| Rational::new(p.into(), q.into())),
        1 => (1..u128::MAX, 1..u128::MAX).prop_map(|(p, q)| Rational::new(p.into(), q.into())),
        1 => Just(Rational::from_integer(1.into())),
    ]
}

/// Names with everything that quoting has to survive.
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
    let details = (prop::option::of(port_model()), prop::option::of(1..=u32::MAX), any::<bool>());
    (name(), prop::option::weighted(0.8, positive()), details)
        .prop_map(|(name, compute, (model, ports, replicates))| Node { name, compute, model, ports, replicates })
}

/// A node that a matrix can say.
fn plain_node() -> impl Strategy<Value = Node> {
    name().prop_map(|name| Node::processor(name, Rational::from_integer(1.into())))
}

fn build(model: PortModel, nodes: Vec<Node>, links: Vec<(Index, Index, Rational, bool)>) -> Platform {
    let mut builder = Platform::builder();
    builder.model(model);
    let ids: Vec<_> = nodes.into_iter().filter_map(|node| builder.node(node).ok()).collect();
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

fn links() -> impl Strategy<Value = Vec<(Index, Index, Rational, bool)>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), positive(), any::<bool>()), 0..20)
}

pub fn platform() -> impl Strategy<Value = Platform> {
    (port_model(), prop::collection::vec(node(), 1..8), links())
        .prop_map(|(model, nodes, links)| build(model, nodes, links))
}

/// A platform that a matrix can say.
pub fn plain_platform() -> impl Strategy<Value = Platform> {
    (prop::collection::vec(plain_node(), 1..8), links())
        .prop_map(|(nodes, links)| build(PortModel::default(), nodes, links))
}

fn big() -> impl Strategy<Value = BigUint> {
    prop_oneof![(0..20_u32).prop_map(BigUint::from), any::<u128>().prop_map(BigUint::from)]
}

/// Any rational: whether a plan makes sense is the referee's part.
fn rational() -> impl Strategy<Value = Rational> {
    prop_oneof![positive(), positive().prop_map(|value| -value), Just(Rational::from_integer(0.into()))]
}

fn collective(platform: &Platform, kind: u8) -> Option<Collective> {
    let mut members: Vec<NodeId> = platform.processors().collect();
    members.reverse();
    let collective = match kind {
        0 => Collective::Scatter { source: members.pop()?, targets: members },
        1 => Collective::Gather { target: members.pop()?, participants: members },
        _ => Collective::AllToAll { participants: members },
    };
    collective.validate(platform).ok().map(|()| collective)
}

type Draw = (Index, Vec<Index>, Rational, BigUint);

/// Plans that refer to their own nodes and links and are nonsense otherwise.
pub fn plan() -> impl Strategy<Value = Plan> {
    let draw = || (any::<Index>(), prop::collection::vec(any::<Index>(), 0..6), rational(), big());
    let draws = || prop::collection::vec(draw(), 0..6);
    let numbers = (rational(), rational(), rational(), rational(), big());
    (platform(), 0..3_u8, numbers, any::<bool>(), draws(), draws(), draws()).prop_filter_map(
        "a collective needs processors",
        |(platform, kind, (size, throughput, upper_bound, period, instances), optimal, weighted, scheduled, rest)| {
            let collective = collective(&platform, kind)?;
            let commodities = collective.commodities().len();
            let links = |draw: &Draw| -> Vec<LinkId> {
                let count = platform.links().len();
                if count == 0 { Vec::new() } else { draw.1.iter().map(|at| LinkId::new(at.index(count))).collect() }
            };
            let pattern = |draw: &Draw| Pattern { commodity: draw.0.index(commodities), links: links(draw) };
            let price = |(place, draw): (usize, &Draw)| {
                let node = NodeId::new(draw.0.index(platform.nodes().len()));
                (if place % 2 == 0 { Resource::Send(node) } else { Resource::Receive(node) }, draw.2.clone())
            };
            Some(Plan {
                size,
                status: if optimal { Status::Optimal } else { Status::Feasible },
                steady_state: SteadyState {
                    throughput,
                    patterns: weighted
                        .iter()
                        .map(|draw| WeightedPattern { pattern: pattern(draw), weight: draw.2.clone() })
                        .collect(),
                },
                certificate: Certificate { prices: rest.iter().enumerate().map(price).collect() },
                upper_bound,
                schedule: PeriodicSchedule {
                    period,
                    instances,
                    patterns: scheduled
                        .iter()
                        .map(|draw| ScheduledPattern { pattern: pattern(draw), copies: draw.3.clone() })
                        .collect(),
                    slots: rest.iter().map(|draw| Slot { length: draw.2.clone(), links: links(draw) }).collect(),
                },
                collective,
                platform: platform.clone(),
            })
        },
    )
}
