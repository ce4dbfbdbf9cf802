//! Random certificates of every kind: loose ones, tight ones, and ones that the referee must refuse.

use std::collections::BTreeMap;

use num_traits::{One, Signed, Zero};
use oneport_plan::inequality::{Cut, Direction, Inequality, Merges, Need, Place, Tree};
use oneport_plan::{Certificate, Collective, Interval, OddSet, Resource, Task, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational, ratio, whole};

use crate::crossings::add_crossings;
use crate::draw::Draw;
use crate::prices::{compute_price, link_price, smallest_size, smallest_work};

/// A kind of certificate, for the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateKind {
    /// Prices of ports, links and processors alone.
    Prices,
    /// Also prices of odd sets.
    OddSets,
    /// Also cuts, of one demand each or of all.
    Cuts,
    /// Also shares of goals.
    Shares,
    /// Also borders, potentials and exchanges.
    Crossings,
    /// The solver's certificate.
    Solver,
    /// A certificate with one random change.
    Changed,
}

impl CertificateKind {
    /// Every kind, in the order of the table.
    pub const ALL: [CertificateKind; 7] = [
        CertificateKind::Prices,
        CertificateKind::OddSets,
        CertificateKind::Cuts,
        CertificateKind::Shares,
        CertificateKind::Crossings,
        CertificateKind::Solver,
        CertificateKind::Changed,
    ];

    /// The heading of its column.
    pub fn name(self) -> &'static str {
        match self {
            CertificateKind::Prices => "prices",
            CertificateKind::OddSets => "odd sets",
            CertificateKind::Cuts => "cuts",
            CertificateKind::Shares => "shares",
            CertificateKind::Crossings => "crossings",
            CertificateKind::Solver => "solver's",
            CertificateKind::Changed => "changed",
        }
    }
}

/// A random problem's certificate of this kind. `None` if the kind does not apply. A certificate that the referee
/// refuses as overcharged may be tried again [weakened](weaken).
pub fn certificate(
    draw: &mut Draw,
    kind: CertificateKind,
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
) -> Option<Certificate> {
    let prices = prices(draw, platform);
    let odd_sets = if kind == CertificateKind::OddSets || draw.percent(10) {
        odd_sets(draw, platform)
    } else {
        Vec::new()
    };
    if kind == CertificateKind::OddSets && odd_sets.is_empty() {
        return None;
    }
    let mut certificate = Certificate::new(prices, odd_sets, []);
    match kind {
        CertificateKind::Prices | CertificateKind::OddSets => {}
        CertificateKind::Cuts => {
            certificate.needs = cuts(draw, platform, collective, volumes, &certificate)
        }
        CertificateKind::Shares => {
            certificate.needs = shares(draw, platform, collective, volumes, &certificate)?
        }
        CertificateKind::Crossings => {
            add_crossings(draw, platform, collective, volumes, &mut certificate);
            if certificate
                .needs
                .iter()
                .all(|need| matches!(need.inequality, Inequality::Balance(_)))
            {
                return None;
            }
            // Adds cuts to them. Each side gets half of the amount that the prices allow.
            if draw.percent(25) {
                let beside = cuts(draw, platform, collective, volumes, &certificate);
                certificate.needs.extend(beside);
                weaken(&mut certificate);
                certificate.needs.sort();
            }
        }
        CertificateKind::Solver | CertificateKind::Changed => return None,
    }
    complete(platform, collective, volumes, &mut certificate);
    Some(certificate)
}

/// Halves every charge except the prices.
pub fn weaken(certificate: &mut Certificate) {
    let half = ratio(1, 2);
    for need in certificate.needs.iter_mut() {
        need.weight *= &half;
    }
}

/// A change somewhere: a price more or less, an item left out, or other weights.
pub fn change(draw: &mut Draw, certificate: &mut Certificate) {
    let factors = [ratio(1, 2), whole(2), ratio(9, 8)];
    let factor = draw.pick(&factors);
    let drop = draw.percent(40);
    let kind = draw.below(8);
    let prices = certificate.prices().count();
    let kind_of = |need: &Need| match need.inequality {
        Inequality::Cut(_) => 2,
        Inequality::Tree(_) => 3,
        Inequality::Border(_) => 4,
        Inequality::Balance(_) => 5,
        Inequality::Exchange(_) => 6,
        Inequality::Gathering(_) => 7,
        Inequality::Merges(_) | Inequality::Place(_) => usize::MAX,
    };
    let indices: Vec<usize> = (0..certificate.needs.len())
        .filter(|&index| kind_of(&certificate.needs[index]) == kind)
        .collect();
    let rows = if kind == 1 && certificate.rows.len() > prices {
        prices..certificate.rows.len()
    } else {
        0..prices
    };
    if kind == 3 && !indices.is_empty() {
        change_task(draw, certificate, drop, &factor);
    } else if !indices.is_empty() {
        let index = indices[draw.below(indices.len())];
        match &mut certificate.needs[index].inequality {
            _ if drop => _ = certificate.needs.remove(index),
            Inequality::Exchange(exchange) => exchange.direction = turned(exchange.direction),
            _ => certificate.needs[index].weight *= &factor,
        }
    } else if !rows.is_empty() {
        let index = rows.start + draw.below(rows.len());
        if drop {
            _ = certificate.rows.remove(index)
        } else {
            certificate.rows[index].1 *= &factor
        }
    }
}

/// Changes the charge for a task of some tree.
fn change_task(draw: &mut Draw, certificate: &mut Certificate, drop: bool, factor: &Rational) {
    let tasks = |need: &Need| {
        if let Inequality::Tree(tree) = &need.inequality {
            tree.prices.len()
        } else {
            0
        }
    };
    let mut index = draw.below(certificate.needs.iter().map(tasks).sum());
    for need in &mut certificate.needs {
        let Inequality::Tree(tree) = &mut need.inequality else {
            continue;
        };
        if index < tree.prices.len() {
            if drop {
                _ = tree.prices.remove(index)
            } else {
                tree.prices[index].1 *= factor
            }
            return;
        }
        index -= tree.prices.len();
    }
}

/// The merges, and the merge that joins all operands, with the largest weights that the other inequalities leave.
pub fn complete(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    certificate: &mut Certificate,
) {
    certificate.needs.retain(|need| {
        !matches!(
            need.inequality,
            Inequality::Merges(_) | Inequality::Place(_)
        )
    });
    let work = smallest_work(collective, volumes);
    let mut added = Vec::new();
    for index in 0..collective.demands() {
        let Some(demand) = collective
            .demand(index)
            .filter(|demand| demand.operands.len() > 1)
        else {
            continue;
        };
        let own: Vec<&Need> = certificate
            .needs
            .iter()
            .filter(|need| need.demand.unwrap_or(index) == index)
            .collect();
        let proves = |need: &&Need| match &need.inequality {
            Inequality::Tree(_) | Inequality::Balance(_) => false,
            _ => need.demand.is_some() || need.inequality.statement().concerns(&demand),
        };
        if !own.iter().any(proves) {
            continue;
        }
        let held = |node: NodeId| -> Rational {
            let holds = |need: &&&Need| matches!(&need.inequality, Inequality::Gathering(one) if one.nodes.contains(&node));
            own.iter().filter(holds).map(|need| &need.weight).sum()
        };
        let cost = |node: NodeId| {
            let compute = platform.node(node).merge_time()?;
            Some(compute_price(certificate, node) * compute * &work + held(node))
        };
        let least = platform
            .mergers()
            .filter_map(cost)
            .min()
            .unwrap_or_default();
        let most = platform.mergers().map(held).max().unwrap_or_default();
        for (inequality, weight) in [
            (Inequality::Merges(Merges), least),
            (Inequality::Place(Place), most),
        ] {
            if weight.is_positive() {
                added.push(Need {
                    demand: Some(index),
                    inequality,
                    weight,
                });
            }
        }
    }
    certificate.needs.extend(added);
    certificate.needs.sort();
}

fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::Into => Direction::OutOf,
        Direction::OutOf => Direction::Into,
    }
}

/// A small positive number.
fn weight(draw: &mut Draw) -> Rational {
    let (numerator, denominator) =
        draw.pick(&[(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 3), (7, 5)]);
    ratio(numerator, denominator)
}

/// Prices on all or some of the ports and links, and often on processors. They are all equal or not.
fn prices(draw: &mut Draw, platform: &Platform) -> Vec<(Resource, Rational)> {
    let (often, merges, alike) = (
        draw.pick(&[100, 100, 70, 35]),
        draw.pick(&[0, 50, 100]),
        draw.percent(40),
    );
    let mut prices: Vec<(Resource, Rational)> = Vec::new();
    for resource in Resource::of_platform(platform) {
        if draw.percent(often) {
            prices.push((resource, if alike { Rational::one() } else { weight(draw) }));
        }
    }
    for node in platform.mergers() {
        if draw.percent(merges) {
            prices.push((Resource::Compute(node), weight(draw)));
        }
    }
    prices.sort();
    prices
}

/// One to three random sets of ports, with some of the links that have one end there.
fn odd_sets(draw: &mut Draw, platform: &Platform) -> Vec<(OddSet, Rational)> {
    let ends = platform
        .link_ids()
        .flat_map(|link| Resource::ends(platform, link))
        .flatten();
    let mut all: Vec<Resource> = ends.collect();
    all.sort_unstable();
    all.dedup();
    let mut sets = Vec::new();
    for _ in 0..draw.between(1, 3) {
        let often = draw.pick(&[40, 70, 100]);
        let ports: Vec<Resource> = all
            .iter()
            .copied()
            .filter(|_| draw.percent(often))
            .collect();
        let inside = |end: Option<Resource>| end.is_some_and(|end| ports.contains(&end));
        let one_end = |link: &LinkId| {
            Resource::ends(platform, *link)
                .into_iter()
                .filter(|end| inside(*end))
                .count()
                == 1
        };
        let further = draw.pick(&[0, 50, 100]);
        let links: Vec<LinkId> = platform
            .link_ids()
            .filter(one_end)
            .filter(|_| draw.percent(further))
            .collect();
        if !ports.is_empty() {
            sets.push((OddSet { ports, links }, weight(draw)));
        }
    }
    sets.sort();
    sets.dedup_by(|one, other| one.0 == other.0);
    sets
}

/// Random sets of nodes in sequence. Each is charged the full remainder of the links leaving it (or twice that, or
/// half). For copies it is sometimes charged the remainder of the routes between nodes that replicate.
fn cuts(
    draw: &mut Draw,
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    certificate: &Certificate,
) -> Vec<Need> {
    let smallest = smallest_size(collective, volumes);
    let price = |link: LinkId| {
        link_price(platform, certificate, link) * &platform.link(link).cost * &smallest
    };
    let copies = collective
        .blocks()
        .iter()
        .all(|block| block.kind == oneport_plan::Kind::Copy);
    let ways: Vec<(NodeId, NodeId, Rational)> = if copies && draw.percent(60) {
        routes(platform, price)
    } else {
        platform
            .link_ids()
            .map(|link| {
                (
                    platform.link(link).from,
                    platform.link(link).to,
                    price(link),
                )
            })
            .collect()
    };
    let demands = collective.demands();
    let each = draw.percent(50);
    // Rest of each path's price: per demand, and last for cuts of all demands.
    let fresh: Vec<Rational> = ways.iter().map(|(_, _, price)| price.clone()).collect();
    let mut left = vec![fresh; if each { demands } else { 1 }];
    let mut cuts: Vec<Need> = Vec::new();
    for _ in 0..draw.between(1, 3 * left.len() + 4) {
        let index = draw.below(left.len());
        let often = draw.pick(&[25, 50, 75]);
        let nodes: Vec<NodeId> = platform
            .node_ids()
            .filter(|_| draw.percent(often))
            .collect();
        let inside = |node: &NodeId| nodes.contains(node);
        let leaves = |way: &usize| inside(&ways[*way].0) && !inside(&ways[*way].1);
        let leaving: Vec<usize> = (0..ways.len()).filter(leaves).collect();
        let Some(most) = leaving.iter().map(|&way| left[index][way].clone()).min() else {
            continue;
        };
        let demand = each.then_some(index);
        let inequality = Inequality::Cut(Cut { nodes });
        if !most.is_positive()
            || cuts
                .iter()
                .any(|cut| cut.demand == demand && cut.inequality == inequality)
        {
            continue;
        }
        for &way in leaving.iter() {
            left[index][way] -= &most;
        }
        let factor = draw.pick(&[(1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (2, 1)]);
        let weight = most * ratio(factor.0, factor.1);
        cuts.push(Need {
            demand,
            inequality,
            weight,
        });
    }
    cuts.sort();
    cuts
}

/// Cost of the cheapest path between replicating nodes, through others (Floyd and Warshall).
fn routes(
    platform: &Platform,
    price: impl Fn(LinkId) -> Rational,
) -> Vec<(NodeId, NodeId, Rational)> {
    let mut known: BTreeMap<(NodeId, NodeId), Rational> = BTreeMap::new();
    let offer = |known: &mut BTreeMap<(NodeId, NodeId), Rational>,
                 ends: (NodeId, NodeId),
                 price: Rational| {
        let new = ends.0 != ends.1 && known.get(&ends).is_none_or(|known| price < *known);
        if new {
            known.insert(ends, price);
        }
    };
    for link in platform.link_ids() {
        offer(
            &mut known,
            (platform.link(link).from, platform.link(link).to),
            price(link),
        );
    }
    for middle in platform
        .node_ids()
        .filter(|&node| !platform.node(node).replicates)
    {
        let to: Vec<(NodeId, Rational)> = known
            .iter()
            .filter(|((_, to), _)| *to == middle)
            .map(|((from, _), price)| (*from, price.clone()))
            .collect();
        let from: Vec<(NodeId, Rational)> = known
            .iter()
            .filter(|((from, _), _)| *from == middle)
            .map(|((_, to), price)| (*to, price.clone()))
            .collect();
        for (start, first) in &to {
            for (end, second) in &from {
                offer(&mut known, (*start, *end), first + second);
            }
        }
    }
    let replicates = |node: NodeId| platform.node(node).replicates;
    known.retain(|(from, to), _| replicates(*from) && replicates(*to));
    known
        .into_iter()
        .map(|((from, to), price)| (from, to, price))
        .collect()
}

/// For every task of every demand with several goals: its price, split among the goals that may use it. Now and then
/// the sum is larger.
fn shares(
    draw: &mut Draw,
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    certificate: &Certificate,
) -> Option<Vec<Need>> {
    let mut trees = Vec::new();
    let way = draw.below(3);
    let excess = if draw.percent(5) {
        ratio(3, 2)
    } else {
        Rational::one()
    };
    for demand in 0..collective.demands() {
        let asked = collective.demand(demand)?;
        let goals = asked.goals();
        if goals.len() < 2 || asked.operands.len() < 2 || asked.commutative {
            continue;
        }
        let mut shares: Vec<Vec<(Task, Rational)>> = vec![Vec::new(); goals.len()];
        for (task, price) in tasks(platform, asked.operands.len(), volumes, certificate) {
            let part = part_of(&task);
            let may = |wanted: &Interval| wanted.first <= part.first && part.last <= wanted.last;
            let users: Vec<usize> = (0..goals.len())
                .filter(|&goal| may(&goals[goal].1))
                .collect();
            if users.is_empty() || !price.is_positive() {
                continue;
            }
            let split = split(draw, way, users.len());
            for (goal, share) in users
                .into_iter()
                .zip(split)
                .filter(|(_, share)| share.is_positive())
            {
                shares[goal].push((task, share * &price * &excess));
            }
        }
        for (goal, mut prices) in shares
            .into_iter()
            .enumerate()
            .filter(|(_, shares)| !shares.is_empty())
        {
            prices.sort();
            trees.push(Need::once(
                Some(demand),
                Inequality::Tree(Tree { goal, prices }),
            ));
        }
    }
    trees.sort();
    (!trees.is_empty()).then_some(trees)
}

/// Parts that add up to 1: one part alone, equal parts, or random parts.
fn split(draw: &mut Draw, way: usize, users: usize) -> Vec<Rational> {
    let chosen = draw.below(users);
    let whole: Vec<usize> = match way {
        0 => (0..users).map(|user| usize::from(user == chosen)).collect(),
        1 => vec![1; users],
        _ => (0..users)
            .map(|user| draw.below(4) + usize::from(user == chosen))
            .collect(),
    };
    let sum: usize = whole.iter().sum();
    whole.into_iter().map(|one| ratio(one, sum)).collect()
}

fn part_of(task: &Task) -> Interval {
    match *task {
        Task::Send { part, .. } | Task::Merge { part, .. } => part,
    }
}

/// Every task on intervals of `operands` operands, with its price.
fn tasks(
    platform: &Platform,
    operands: usize,
    volumes: &Volumes,
    certificate: &Certificate,
) -> Vec<(Task, Rational)> {
    let mut tasks = Vec::new();
    let parts =
        (0..operands).flat_map(|first| (first..operands).map(move |last| Interval { first, last }));
    for part in parts {
        let size = volumes.size.of(part).unwrap_or_else(Rational::zero);
        for link in platform.link_ids() {
            let price = link_price(platform, certificate, link) * &platform.link(link).cost * &size;
            tasks.push((Task::send(link, part), price));
        }
        for node in platform.mergers().filter(|_| part.first < part.last) {
            let price = compute_price(certificate, node);
            let time = |split| volumes.merge_time(platform, node, part, split);
            tasks.extend(
                (part.first..part.last)
                    .map(|split| (Task::merge(node, part, split), &price * time(split))),
            );
        }
    }
    tasks
}
