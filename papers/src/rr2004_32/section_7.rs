//! Section 7: the paper's statements on related work on atomic broadcasts.

use anyhow::{Context, Result, ensure};
use oneport::heterogeneous::broadcast::fastest_first;
use oneport::platform::Node;
use oneport::{Collective, NodeId, Platform, PortModel, Rational};
use oneport_exact::{Relation, Sense};

use super::exhaustive;
use super::platforms::{optimum, random_platforms};
use super::program::{Net, Program};
use crate::numbers::whole;
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("atomic-flavours", |_| atomic_flavours()),
    ("fastest-first", |_| fastest_at_the_top()),
    ("three-times", |_| three_times()),
];

/// Dates that the exhaustive search looks at.
const HORIZON: u64 = 20;

/// The earliest date at which the first `messages` broadcasts can be complete.
fn earliest(platform: &Platform, messages: usize) -> Result<usize> {
    let best = exhaustive::opt(platform, messages, HORIZON)?;
    best.iter()
        .position(|&complete| complete == messages)
        .context("the horizon is too short")
}

/// A single message takes as long under both one-port models: a node receives it once, and sends it after that. Two
/// messages do not.
fn atomic_flavours() -> Result<Finding> {
    let (mut tried, mut different) = (0usize, 0usize);
    for half in random_platforms(&[(4, 2), (5, 2)], 4)? {
        let full = half.clone().with_model(PortModel::FullDuplex);
        let [one, other] = [earliest(&half, 1)?, earliest(&full, 1)?];
        ensure!(one == other, "{one} unidirectional, {other} bidirectional");
        if half.nodes().len() == 4 {
            different += usize::from(earliest(&half, 2)? != earliest(&full, 2)?);
        }
        tried += 1;
    }
    Ok(Finding::claim(
        different > 0,
        format!("{tried} platforms, every schedule of one message"),
    )
    .note(format!(
        "two messages in a row differ on {different} of them"
    )))
}

/// Reference 1: of all orders in which receivers are served, each sender without a pause, the fastest first is best.
fn fastest_at_the_top() -> Result<Finding> {
    const NODES: usize = 4;
    const SLOWEST: u64 = 5;
    let (mut tried, mut worse) = (0usize, 0usize);
    for code in 0..SLOWEST.pow(NODES as u32) {
        let times: Vec<u64> = (0..NODES as u32)
            .map(|place| 1 + code / SLOWEST.pow(place) % SLOWEST)
            .collect();
        let lengths: Vec<u64> = orders(NODES)
            .iter()
            .map(|order| served_in_turn(&times, order))
            .collect();
        let rationals: Vec<Rational> = times.iter().map(|&time| whole(time)).collect();
        let ours = fastest_first(&rationals, 0)?.length;
        let best = lengths.iter().min().context("no order")?;
        ensure!(
            ours == whole(*best),
            "{times:?}: {ours}, the best order takes {best}"
        );
        worse += usize::from(lengths.iter().max() > Some(best));
        tried += 1;
    }
    Ok(Finding::claim(
        worse > 0,
        format!("{tried} lists of four times, all orders; in {worse} another order takes longer"),
    ))
}

/// All orders of 1 to `nodes - 1`.
fn orders(nodes: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 1..nodes {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            let others = (1..nodes)
                .filter(|node| !order.contains(node))
                .collect::<Vec<_>>();
            others
                .into_iter()
                .map(move |node| order.iter().copied().chain([node]).collect())
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// The date at which the last node has the message, if the node that is free first serves the next of the order.
fn served_in_turn(times: &[u64], order: &[usize]) -> u64 {
    let mut ends = vec![(times[0], 0)];
    let mut last = 0;
    for &receiver in order {
        ends.sort_unstable();
        let (end, sender) = ends.remove(0);
        last = last.max(end);
        ends.extend([sender, receiver].map(|node| (end + times[node], node)));
    }
    last
}

/// Reference 2: a message occupies the sender, then the network, then the receiver. With two routers in each link the
/// throughput is that of all trees under these three times.
fn three_times() -> Result<Finding> {
    let (mut tried, mut networks, mut receivers) = (0usize, 0usize, 0usize);
    for (seed, plain) in random_platforms(&[(3, 2), (4, 2)], 4)?
        .into_iter()
        .enumerate()
    {
        // Times of sender, network and receiver on each link, the last two 0 now and then.
        let drawn = |link: usize, factor: usize| (link * factor + seed) % 4;
        // Networks are slow on every other platform, receivers on the others.
        let [network, receiver] = if seed % 2 == 0 { [4, 1] } else { [1, 4] };
        let times = |link: usize| {
            let [sent, passed, received] = [3, 5, 7].map(|factor| drawn(link, factor));
            [1 + sent, network * passed, receiver * received].map(whole)
        };
        let with = |times: &dyn Fn(usize) -> [Rational; 3]| -> Result<[Rational; 2]> {
            Ok([routed(&plain, times)?, listed(&plain, times)?])
        };
        let [ours, right] = with(&times)?;
        ensure!(ours == right, "{ours} with routers, {right} by all trees");
        let without = |place: usize| {
            with(&|link| {
                let mut times = times(link);
                times[place] = whole(0);
                times
            })
        };
        networks += usize::from(without(1)?[1] > right);
        receivers += usize::from(without(2)?[1] > right);
        tried += 1;
    }
    Ok(Finding::claim(
        networks > 0 && receivers > 0,
        format!(
            "{tried} platforms; without the network's time {networks} are faster, without the receivers' {receivers}"
        ),
    ))
}

/// Our optimum on the platform with two full-duplex routers in each link (docs/theory.md, "Overheads").
fn routed(plain: &Platform, times: &dyn Fn(usize) -> [Rational; 3]) -> Result<Rational> {
    let mut builder = Platform::builder();
    for node in plain.nodes() {
        builder.node(node.clone())?;
    }
    for (place, link) in plain.links().iter().enumerate() {
        let [sender, network, receiver] = times(place);
        let first = builder.node(Node::router(format!("x{place}")))?;
        let second = builder.node(Node::router(format!("y{place}")))?;
        builder.link(link.from, first, sender)?;
        builder.link(first, second, network)?;
        builder.link(second, link.to, receiver)?;
    }
    let platform = builder.build()?;
    let targets = (1..plain.nodes().len()).map(NodeId::new).collect();
    let broadcast = Collective::broadcast(NodeId::new(0), targets);
    optimum(&platform, &broadcast)
}

/// The optimum over all trees: send ports, networks and receive ports are busy for their own times.
fn listed(plain: &Platform, times: &dyn Fn(usize) -> [Rational; 3]) -> Result<Rational> {
    let net = Net::of(plain);
    let trees = net.trees(0);
    let mut program = Program::default();
    let throughput = program.column();
    let weights = program.many(trees.len());
    let mut limit = |busy: &dyn Fn(usize) -> Option<Rational>| {
        let of_tree = |tree: &Vec<usize>| tree.iter().filter_map(|&link| busy(link)).sum();
        let entries: Vec<(usize, Rational)> = weights
            .iter()
            .copied()
            .zip(trees.iter().map(of_tree))
            .collect();
        program.row(Relation::AtMost, whole(1), entries);
    };
    for node in 0..net.nodes {
        limit(&|link| (net.arcs[link].from == node).then(|| times(link)[0].clone()));
        limit(&|link| (net.arcs[link].to == node).then(|| times(link)[2].clone()));
    }
    for own in 0..net.arcs.len() {
        limit(&|link| (link == own).then(|| times(link)[1].clone()));
    }
    let total = weights.iter().map(|&column| (column, whole(1)));
    program.row(
        Relation::Equal,
        whole(0),
        total.chain([(throughput, whole(-1))]),
    );
    program.end(Sense::Maximize, throughput)?.value()
}
