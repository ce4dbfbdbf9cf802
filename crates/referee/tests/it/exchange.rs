//! All-reduce: bounds of borders, gatherings, balances and exchanges, against twins written from their definitions, and
//! refusals. (The package `oneport-truth` tests the theorems behind them against all schemes.)

use crate::common;

use crate::common::ask::bound;
use common::*;
use num_traits::{Signed, Zero};
use oneport_plan::inequality::{
    Balance, Border, Cut, Direction, Exchange, Gathering, Inequality, Keeps, Merges, Need, Place,
};
use oneport_plan::{Amount, CapacityRow, Certificate, Collective, Member, Resource, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::{Rule, Violation};

const DIRECTIONS: [Direction; 2] = [Direction::Into, Direction::OutOf];

/// A random all-reduce over nodes of every kind, under `links`, with prices.
struct Case {
    platform: Platform,
    participants: Vec<NodeId>,
    size: Rational,
    work: Rational,
    certificate: Certificate,
}

impl Case {
    fn new(dice: &mut Dice) -> Case {
        // Some platforms are stars round a node that takes no part, and a ring that costs more: there junctions pay.
        let star = dice.one_in(3);
        let count = if star {
            4 + dice.below(2)
        } else {
            3 + dice.below(3)
        };
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        let joining = if star {
            count - 1
        } else {
            2 + dice.below(count - 1).min(2)
        };
        for i in 0..count {
            let name = format!("n{i}");
            let processor = i < joining || dice.one_in(2);
            let node = if processor {
                Node::processor(name, ratio(1, 1))
            } else {
                let reduces = dice.one_in(2).then(|| ratio(dice.below(2) as i64, 1));
                Node {
                    reduces,
                    ..Node::router(name)
                }
            };
            builder
                .node(Node {
                    replicates: i < joining || dice.one_in(2),
                    ..node
                })
                .unwrap();
        }
        for i in 0..count {
            for j in (0..count).filter(|&j| j != i) {
                let spoke = star && i.max(j) == count - 1;
                if spoke || j == (i + 1) % count || (!star && dice.one_in(2)) {
                    let more = if star && !spoke {
                        whole(9)
                    } else {
                        ratio(1, 7)
                    };
                    builder
                        .link(NodeId::new(i), NodeId::new(j), dice.fraction(4) + more)
                        .unwrap();
                }
            }
        }
        let platform = builder.build().unwrap();
        let prices = platform
            .link_ids()
            .filter(|_| !dice.one_in(6))
            .collect::<Vec<_>>();
        let prices = prices
            .into_iter()
            .map(|link| (Resource::Link(link), dice.fraction(5) + ratio(1, 5)))
            .collect();
        Case {
            platform,
            participants: (0..joining).map(NodeId::new).collect(),
            size: dice.fraction(3) + ratio(1, 2),
            work: Rational::zero(),
            certificate: Certificate::of_prices(prices),
        }
    }

    fn collective(&self) -> Collective {
        Collective::all_reduce(self.participants.clone())
    }

    fn bound(&self) -> Result<Rational, Violation> {
        let volumes = Volumes {
            size: Amount::Constant(self.size.clone()),
            work: Amount::Constant(self.work.clone()),
        };
        bound(
            &self.platform,
            &self.collective(),
            &volumes,
            &self.certificate,
        )
    }

    /// The least cost of one instance according to the referee.
    fn least(&self) -> Rational {
        let worth: Rational = self.certificate.prices().map(|(_, price)| price).sum();
        match self.bound() {
            Ok(bound) => worth / bound,
            Err(violation) if violation.rule() == Rule::NoBound => Rational::zero(),
            Err(violation) => panic!("{violation}"),
        }
    }

    /// The cost of a message over each link.
    fn costs(&self) -> Vec<Rational> {
        let price = |link: LinkId| {
            self.certificate
                .price(Resource::Link(link))
                .cloned()
                .unwrap_or_default()
        };
        self.platform
            .link_ids()
            .map(|link| &self.platform.link(link).cost * price(link) * &self.size)
            .collect()
    }

    /// The certificate's charge for each link, by the definition.
    fn charges(&self) -> Vec<Rational> {
        let charge = |id: LinkId| {
            let link = self.platform.link(id);
            let times = |inequality: &Inequality| match inequality {
                Inequality::Border(border) => {
                    let crosses = |set: &&Vec<NodeId>| {
                        let (from, to) = (set.contains(&link.from), set.contains(&link.to));
                        if border.direction == Direction::Into {
                            to && !from
                        } else {
                            from && !to
                        }
                    };
                    whole(border.sets.iter().filter(crosses).count())
                }
                Inequality::Gathering(one) => whole(usize::from(
                    one.nodes.contains(&link.to) && !one.nodes.contains(&link.from),
                )),
                Inequality::Balance(one) => {
                    let out = i64::from(link.from == one.node) - i64::from(link.to == one.node);
                    ratio(
                        if one.keeps == Keeps::AllThatArrives {
                            out
                        } else {
                            -out
                        },
                        1,
                    )
                }
                Inequality::Exchange(one) => one
                    .lengths
                    .iter()
                    .filter(|(other, _)| *other == id)
                    .map(|(_, length)| length)
                    .sum(),
                _ => Rational::zero(),
            };
            self.certificate
                .needs
                .iter()
                .map(|need| times(&need.inequality) * &need.weight)
                .sum()
        };
        self.platform.link_ids().map(charge).collect()
    }

    fn gatherings(&self) -> impl Iterator<Item = (&Gathering, &Rational)> {
        self.certificate
            .needs
            .iter()
            .filter_map(|need| match &need.inequality {
                Inequality::Gathering(one) => Some((one, &need.weight)),
                _ => None,
            })
    }

    /// The weights of the gatherings that hold a processor.
    fn holding(&self, node: NodeId) -> Rational {
        self.gatherings()
            .filter(|(one, _)| one.nodes.contains(&node))
            .map(|(_, weight)| weight)
            .sum()
    }

    fn merge_price(&self, node: NodeId) -> Rational {
        let compute = self.platform.node(node).merge_time().unwrap();
        self.certificate
            .price(Resource::Compute(node))
            .cloned()
            .unwrap_or_default()
            * compute
            * &self.work
    }

    /// Merges and the first join, with the largest weights that the prices allow.
    fn complete(&mut self) {
        let cost = |node: NodeId| self.merge_price(node) + self.holding(node);
        let least = self.platform.mergers().map(cost).min().unwrap();
        let most = self
            .platform
            .mergers()
            .map(|node| self.holding(node))
            .max()
            .unwrap();
        for (inequality, weight) in [
            (Inequality::Merges(Merges), least),
            (Inequality::Place(Place), most),
        ] {
            if weight.is_positive() {
                self.certificate.needs.push(need(inequality, weight));
            }
        }
        self.certificate.needs.sort();
    }

    /// The bound of gatherings and merges, by the definition, over all processors of the merges and the first join.
    fn gathered(&self) -> Rational {
        let inside = |one: &Gathering| {
            self.participants
                .iter()
                .filter(|node| one.nodes.contains(node))
                .count() as i64
        };
        let holding = |node| self.holding(node);
        let price = |node| self.merge_price(node);
        let fixed: Rational = self
            .gatherings()
            .map(|(one, weight)| weight * ratio(2 - inside(one), 1))
            .sum();
        let processors = || self.platform.mergers();
        let join = processors()
            .map(|node| fixed.clone() - holding(node))
            .min()
            .unwrap();
        let merge = processors()
            .map(|node| price(node) + holding(node))
            .min()
            .unwrap();
        join + merge * whole(self.participants.len() - 1)
    }

    /// Work, and prices of processors.
    fn with_merges(&mut self, dice: &mut Dice) {
        self.work = dice.fraction(3) + ratio(1, 3);
        let processors: Vec<NodeId> = self
            .platform
            .mergers()
            .filter(|_| !dice.one_in(6))
            .collect();
        let prices = processors
            .into_iter()
            .map(|node| (Resource::Compute(node), dice.fraction(5) + ratio(1, 5)));
        self.certificate.rows.extend(
            prices
                .map(|(one, price)| (CapacityRow::Resource(one), price))
                .collect::<Vec<_>>(),
        );
        self.certificate.rows.sort();
    }

    /// Any set with a participant.
    fn gathering(&self, dice: &mut Dice) -> Need {
        let some = dice.below(self.participants.len());
        let nodes = self
            .platform
            .node_ids()
            .filter(|node| node.index() == some || dice.one_in(2));
        let nodes = nodes.collect();
        need(
            Inequality::Gathering(Gathering { nodes }),
            dice.fraction(3) + ratio(1, 3),
        )
    }

    /// Sets that meet the conditions of the counting theorem, or a single one.
    fn border(&self, dice: &mut Dice) -> Need {
        let direction = DIRECTIONS[dice.below(2)];
        let count = 1 + dice.below(self.participants.len());
        let mut sets = vec![Vec::new(); count];
        for (id, node) in self.platform.node_ids().zip(self.platform.nodes()) {
            let once = if direction == Direction::Into {
                node.merges()
            } else {
                node.replicates
            };
            if id.index() < self.participants.len() {
                if count > 1 || id.index() > 0 {
                    sets[id.index() % count].push(id);
                }
            } else if once && count > 1 {
                sets[dice.below(count)].push(id);
            } else {
                for set in sets.iter_mut().filter(|_| dice.one_in(2)) {
                    set.push(id);
                }
            }
        }
        need(
            Inequality::Border(Border { direction, sets }),
            dice.fraction(3) + ratio(1, 3),
        )
    }

    /// Disjoint parts with a participant each. Other nodes, also participants, may be outside.
    fn exchange(&self, dice: &mut Dice) -> Need {
        let count = 2 + dice.below(self.participants.len() - 1);
        let mut parts: Vec<Vec<NodeId>> = (0..count).map(|part| vec![NodeId::new(part)]).collect();
        for id in self.platform.node_ids().skip(count) {
            if let Some(part) = parts.get_mut(dice.below(count + 1)) {
                part.push(id);
            }
        }
        let links: Vec<LinkId> = self
            .platform
            .link_ids()
            .filter(|_| !dice.one_in(4))
            .collect();
        let lengths = links
            .into_iter()
            .map(|link| (link, dice.fraction(4) + ratio(1, 4)))
            .collect();
        let direction = DIRECTIONS[dice.below(2)];
        need(
            Inequality::Exchange(Exchange {
                direction,
                parts,
                lengths,
            }),
            ratio(3, 2),
        )
    }

    fn balance(&self, dice: &mut Dice, node: NodeId) -> Option<Need> {
        let kind = self.platform.node(node);
        let weight = dice.fraction(2) + ratio(1, 9);
        let joining = node.index() < self.participants.len();
        let keeps = match (joining, kind.merges(), kind.replicates) {
            (true, ..) | (_, true, true) => return None,
            (_, true, false) => Keeps::NoMoreThanArrives,
            (_, false, true) => Keeps::AllThatArrives,
            (_, false, false) if dice.one_in(2) => Keeps::AllThatArrives,
            (_, false, false) => Keeps::NoMoreThanArrives,
        };
        Some(need(Inequality::Balance(Balance { node, keeps }), weight))
    }
}

fn need(inequality: Inequality, weight: Rational) -> Need {
    Need {
        demand: Some(0),
        inequality,
        weight,
    }
}

/// The cost that the exchange theorem defines: the least over parts `r` of an arborescence into `r` plus the entrances
/// of the others.
fn naive_exchange(platform: &Platform, exchange: &Exchange) -> Rational {
    let into = exchange.direction == Direction::Into;
    let part = |node: NodeId| exchange.parts.iter().position(|part| part.contains(&node));
    let merges = |node: NodeId| {
        if into {
            platform.node(node).merges()
        } else {
            platform.node(node).replicates
        }
    };
    let copies = |node: NodeId| {
        if into {
            platform.node(node).replicates
        } else {
            platform.node(node).merges()
        }
    };
    // Links reversed if the theorem is read backwards.
    let links: Vec<(NodeId, NodeId, Rational)> = platform
        .link_ids()
        .map(|id| {
            let link = platform.link(id);
            let length = exchange
                .lengths
                .iter()
                .find(|(other, _)| *other == id)
                .map(|(_, length)| length.clone());
            let (from, to) = if into {
                (link.from, link.to)
            } else {
                (link.to, link.from)
            };
            (from, to, length.unwrap_or_default())
        })
        .collect();
    // Hubs are parts, then nodes. `None` if there is no path.
    let hubs = exchange.parts.len() + platform.nodes().len();
    let hub = |node: NodeId| part(node).unwrap_or(exchange.parts.len() + node.index());
    let ways = |is_inner: &dyn Fn(NodeId) -> bool| {
        let mut ways: Vec<Vec<Option<Rational>>> = vec![vec![None; hubs]; hubs];
        for (from, to, length) in &links {
            let known = &mut ways[hub(*from)][hub(*to)];
            if known.as_ref().is_none_or(|known| length < known) {
                *known = Some(length.clone());
            }
        }
        for inner in platform
            .node_ids()
            .filter(|&node| part(node).is_none() && is_inner(node))
        {
            let inner = hub(inner);
            for from in 0..hubs {
                for to in 0..hubs {
                    let (Some(one), Some(two)) = (&ways[from][inner], &ways[inner][to]) else {
                        continue;
                    };
                    let both = one + two;
                    if ways[from][to].as_ref().is_none_or(|known| both < *known) {
                        ways[from][to] = Some(both);
                    }
                }
            }
        }
        ways
    };
    let gathering = ways(&|node| !merges(node));
    let entering = ways(&|node| !copies(node));
    let sources: Vec<usize> = (0..exchange.parts.len())
        .chain(
            platform
                .node_ids()
                .filter(|&node| part(node).is_none() && copies(node))
                .map(hub),
        )
        .collect();
    let entrance = |to: usize| {
        sources
            .iter()
            .filter(|&&from| from != to)
            .filter_map(|&from| entering[from][to].clone())
            .min()
    };
    let junctions: Vec<usize> = platform
        .node_ids()
        .filter(|&node| part(node).is_none() && merges(node))
        .map(hub)
        .collect();
    let tree = |root: usize| least_tree(&gathering, exchange.parts.len(), &junctions, root);
    let total = |root: usize| {
        let others = (0..exchange.parts.len()).filter(|&part| part != root);
        Some(
            tree(root)?
                + others
                    .map(|part| entrance(part).unwrap_or_default())
                    .sum::<Rational>(),
        )
    };
    (0..exchange.parts.len())
        .filter_map(total)
        .min()
        .unwrap_or_default()
}

/// Every choice of junctions, and of the next hub of each other hub.
fn least_tree(
    ways: &[Vec<Option<Rational>>],
    parts: usize,
    junctions: &[usize],
    root: usize,
) -> Option<Rational> {
    let mut best: Option<Rational> = None;
    for chosen in 0..1usize << junctions.len() {
        let taken = junctions
            .iter()
            .enumerate()
            .filter(|(index, _)| chosen >> index & 1 == 1)
            .map(|(_, &hub)| hub);
        let hubs: Vec<usize> = (0..parts)
            .filter(|&part| part != root)
            .chain(taken)
            .collect();
        let mut choice = vec![0usize; hubs.len()];
        loop {
            let next = |index: usize| {
                if choice[index] == hubs.len() {
                    root
                } else {
                    hubs[choice[index]]
                }
            };
            let leads = |index: usize| {
                let mut at = hubs[index];
                for _ in 0..=hubs.len() {
                    if at == root {
                        return true;
                    }
                    at = next(hubs.iter().position(|&hub| hub == at).unwrap());
                }
                false
            };
            let lengths: Option<Vec<&Rational>> = (0..hubs.len())
                .map(|index| ways[hubs[index]][next(index)].as_ref())
                .collect();
            if let Some(lengths) = lengths
                && (0..hubs.len()).all(leads)
            {
                let total: Rational = lengths.into_iter().sum();
                if best.as_ref().is_none_or(|best| total < *best) {
                    best = Some(total);
                }
            }
            let Some(index) = choice.iter().position(|&one| one < hubs.len()) else {
                break;
            };
            choice[index] += 1;
            choice[..index].fill(0);
        }
    }
    best
}

/// Every charge within the prices proves exactly the bound of its definition. A little more is refused.
#[test]
fn certificates_prove_what_adding_up_says() {
    let (mut refused, mut positive) = (0, [0; 4]);
    for seed in 0..6000 {
        let mut dice = Dice(seed);
        let mut case = Case::new(&mut dice);
        if dice.one_in(3) {
            case.with_merges(&mut dice);
            case.certificate.needs = (0..dice.below(5))
                .map(|_| case.gathering(&mut dice))
                .collect();
        }
        let both = dice.below(3);
        let borders = if both < 2 { 1 + dice.below(3) } else { 0 };
        for _ in 0..borders {
            let border = case.border(&mut dice);
            case.certificate.needs.push(border);
        }
        for _ in 0..both {
            let exchange = case.exchange(&mut dice);
            case.certificate.needs.push(exchange);
        }
        let balances: Vec<Need> = case
            .platform
            .node_ids()
            .filter_map(|node| case.balance(&mut dice, node))
            .collect();
        case.certificate.needs.extend(balances);
        // The largest multiple of them that the prices allow.
        let scale = (case.charges().into_iter().zip(case.costs()))
            .filter(|(charge, _)| charge.is_positive())
            .map(|(charge, cost)| cost / charge)
            .min();
        let Some(scale) = scale else { continue };
        if scale.is_zero() {
            continue;
        }
        for need in &mut case.certificate.needs {
            need.weight *= &scale;
        }
        case.complete();
        let (mut counted, mut exchanged) = (Rational::zero(), Rational::zero());
        for need in &case.certificate.needs {
            match &need.inequality {
                Inequality::Border(border) => {
                    let sets = border.sets.len();
                    counted += &need.weight * whole(if sets == 1 { 1 } else { 2 * (sets - 1) });
                }
                Inequality::Exchange(one) => {
                    exchanged += naive_exchange(&case.platform, one) * &need.weight
                }
                _ => {}
            }
        }
        let gathered = case.gathered();
        assert_eq!(
            case.least(),
            (&counted + &exchanged + &gathered).max(Rational::zero()),
            "seed {seed}"
        );
        positive[0] += usize::from(counted.is_positive());
        positive[1] += usize::from(exchanged.is_positive());
        positive[2] += usize::from(case.gatherings().next().is_some() && gathered.is_positive());
        positive[3] += usize::from(gathered.is_negative());
        let factor = ratio(1_000_001, 1_000_000);
        for need in &mut case.certificate.needs {
            need.weight *= &factor;
        }
        match case.bound() {
            Err(violation) if violation.rule() == Rule::Overcharge => {
                let (told, charges, costs) = (violation.to_string(), case.charges(), case.costs());
                let says = |id: LinkId| {
                    let (charge, cost) = (&charges[id.index()], &costs[id.index()]);
                    let link = case.platform.link_name(id);
                    charge > cost
                        && told.ends_with(&format!(
                            "charge {charge} for a message over link '{link}'; it costs {cost}"
                        ))
                };
                assert!(case.platform.link_ids().any(says), "seed {seed}: {told}");
                refused += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    let enough = positive
        .iter()
        .zip([200, 150, 100, 20])
        .all(|(found, wanted)| *found > wanted);
    assert!(refused > 300 && enough, "{refused} {positive:?}");
}

/// Without them, every participant is a separate part and pays all. The better direction counts.
#[test]
fn bare_prices_prove_the_exchange_of_single_participants() {
    let mut better = [0; 2];
    for seed in 0..300 {
        let mut dice = Dice(1000 + seed);
        let case = Case::new(&mut dice);
        let parts: Vec<Vec<NodeId>> = case.participants.iter().map(|&node| vec![node]).collect();
        let lengths: Vec<(LinkId, Rational)> = case.platform.link_ids().zip(case.costs()).collect();
        let [into, out_of] = DIRECTIONS.map(|direction| {
            naive_exchange(
                &case.platform,
                &Exchange {
                    direction,
                    parts: parts.clone(),
                    lengths: lengths.clone(),
                },
            )
        });
        let least = case.least();
        assert!(least >= into.clone().max(out_of.clone()), "seed {seed}");
        if into == least {
            better[0] += usize::from(into > out_of);
        } else if out_of == least {
            better[1] += usize::from(out_of > into);
        }
    }
    assert!(better[0] > 30 && better[1] > 30, "{better:?}");
}

/// A switch that merges but does not copy: two operands meet there, and one transfer goes on. Before, prices on the
/// links into `h`'s neighbours proved 3/4, though one all-reduce per unit of time is possible.
#[test]
fn switches_that_merge_are_junctions() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let ids = ["a", "b", "c"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let hub = builder
        .node(Node {
            replicates: false,
            ..Node::processor("h", ratio(1, 1))
        })
        .unwrap();
    for id in ids {
        builder.link(id, hub, ratio(1, 2)).unwrap();
        builder.link(hub, id, ratio(1, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::all_reduce(ids.to_vec()).in_order();
    let volumes = Volumes {
        size: Amount::Constant(ratio(1, 1)),
        work: Amount::Constant(ratio(0, 1)),
    };
    let prices = ids.map(|id| {
        (
            Resource::Link(platform.link_between(hub, id).unwrap()),
            ratio(1, 1),
        )
    });
    let mut prices = prices.to_vec();
    prices.sort();
    let certificate = Certificate::of_prices(prices);
    assert_eq!(
        bound(&platform, &collective, &volumes, &certificate),
        Ok(ratio(1, 1))
    );
}

/// Two boxes of two, joined by two links each way: two messages enter a box in every schedule.
#[test]
fn boxes_are_entered_twice() {
    let one = || ratio(1, 1);
    let nodes = ["A", "B", "C", "D"];
    let links = [
        ("A", "B"),
        ("B", "A"),
        ("C", "D"),
        ("D", "C"),
        ("A", "C"),
        ("C", "A"),
        ("B", "D"),
        ("D", "B"),
    ];
    let platform = platform(&nodes, &links.map(|(from, to)| (from, to, one())));
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let between: Vec<LinkId> = platform.link_ids().skip(4).collect();
    let border = |direction| {
        let sets = vec![ids[..2].to_vec(), ids[2..].to_vec()];
        need(Inequality::Border(Border { direction, sets }), ratio(1, 2))
    };
    let prices = ids.iter().map(|&node| (Resource::Send(node), one()));
    let certificate = Certificate::new(prices, [], DIRECTIONS.map(border));
    let volumes = Volumes {
        size: Amount::Constant(one()),
        work: Amount::Constant(ratio(0, 1)),
    };
    let all_reduce = Collective::all_reduce(ids.clone());
    // Four send ports. Two messages, in full.
    assert_eq!(
        bound(&platform, &all_reduce, &volumes, &certificate),
        Ok(ratio(2, 1))
    );
    assert_eq!(between.len(), 4);
    // In a list of groups every group has its own certificate, and its own rate.
    let pair = |rate| Member {
        collective: all_reduce.clone(),
        rate,
    };
    let groups = Collective::Groups(vec![pair(1), pair(2)]);
    let mut both = certificate.clone();
    both.needs.extend(certificate.needs.iter().map(|need| Need {
        demand: Some(1),
        ..need.clone()
    }));
    assert_eq!(bound(&platform, &groups, &volumes, &both), Ok(ratio(2, 3)));
}

#[test]
fn malformed_certificates_are_refused_by_name() {
    let one = || ratio(1, 1);
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.node(Node::processor(name, one())).unwrap());
    let h = builder
        .node(Node {
            replicates: false,
            ..Node::processor("h", one())
        })
        .unwrap();
    let r = builder.node(Node::router("r")).unwrap();
    for (from, to) in [(a, b), (b, c), (c, h), (h, r), (r, a)] {
        builder.duplex(from, to, one()).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::all_reduce(vec![a, b]);
    let volumes = Volumes {
        size: Amount::Constant(one()),
        work: Amount::Constant(ratio(0, 1)),
    };
    let prices: Vec<(Resource, Rational)> = platform
        .link_ids()
        .map(|link| (Resource::Link(link), one()))
        .collect();
    let say = |collective: &Collective, needs: &[Need]| {
        let certificate = Certificate {
            needs: needs.to_vec(),
            ..Certificate::of_prices(prices.clone())
        };
        match bound(&platform, collective, &volumes, &certificate) {
            Ok(bound) => bound.to_string(),
            Err(violation) => violation.to_string(),
        }
    };
    let into = Direction::Into;
    let border = |direction, sets: &[&[NodeId]], weight| {
        let sets = sets.iter().map(|set| set.to_vec()).collect();
        need(Inequality::Border(Border { direction, sets }), weight)
    };
    let gathering = |nodes: &[NodeId], weight| {
        need(
            Inequality::Gathering(Gathering {
                nodes: nodes.to_vec(),
            }),
            weight,
        )
    };
    let balance = |node, keeps| need(Inequality::Balance(Balance { node, keeps }), one());
    let nowhere = NodeId::new(9);
    let link = |id| (LinkId::new(id), one());
    let exchange = |parts: &[&[NodeId]], lengths: &[(LinkId, Rational)]| {
        let parts = parts.iter().map(|part| part.to_vec()).collect();
        need(
            Inequality::Exchange(Exchange {
                direction: into,
                parts,
                lengths: lengths.to_vec(),
            }),
            one(),
        )
    };
    let everywhere = |inequality| Need {
        demand: None,
        inequality,
        weight: one(),
    };
    let (all, none) = (Keeps::AllThatArrives, Keeps::NoMoreThanArrives);
    let needs = [
        (border(into, &[&[a, c, h], &[b]], one()), "5"),
        (border(into, &[&[a, c, h, r], &[b, r]], one()), "5"),
        // A node that does not copy need not be in exactly one set.
        (
            border(Direction::OutOf, &[&[a, c, h, r], &[b, h]], one()),
            "5",
        ),
        (border(into, &[&[a]], one()), "10"),
        (
            Need {
                demand: Some(1),
                ..border(into, &[&[a]], one())
            },
            "need 0 (border): demand 1 does not exist; an instance has 1, numbered from 0",
        ),
        (
            Need {
                demand: None,
                ..border(into, &[&[a]], one())
            },
            "need 0 (border): a border names no demand; only a cut, or merges, may be of all demands",
        ),
        (
            border(into, &[], one()),
            "need 0 (border): it has no sets; list the nodes of at least one",
        ),
        (
            border(into, &[&[a, b]], one()),
            "need 0 (border): it holds all participants; a single set leaves out at least one",
        ),
        (
            border(into, &[&[a, c, h, r], &[]], one()),
            "need 0 (border): set 1 holds no participant; every set holds at least one",
        ),
        (
            border(into, &[&[a, h], &[b]], one()),
            "need 0 (border): 'c' lies in 0 of its sets; every node that merges lies in exactly one set",
        ),
        (
            border(Direction::OutOf, &[&[a, c], &[b]], one()),
            "need 0 (border): 'r' lies in 0 of its sets; every node that replicates lies in exactly one set",
        ),
        (
            border(into, &[&[a, a]], one()),
            "need 0 (border): its nodes are out of order; list them ascending, each once",
        ),
        (
            border(into, &[&[h, a]], one()),
            "need 0 (border): its nodes are out of order; list them ascending, each once",
        ),
        (
            border(into, &[&[a, nowhere]], one()),
            "need 0 (border): the member of node id 9: no such node; the platform has 5 nodes, numbered from 0",
        ),
        (
            border(into, &[&[a]], ratio(0, 1)),
            "price of need 0 (border) is 0; a price must be positive",
        ),
        // Two operands need a merge, which may be outside, and the set need not be entered if the first join is inside.
        (
            gathering(&[a], one()),
            "the needs of all-reduce charge 1 for joining all operands at 'a'; it costs 0",
        ),
        (
            gathering(&[h], one()),
            "need 0 (gathering): set 0 holds no participant",
        ),
        (
            gathering(&[], one()),
            "need 0 (gathering): set 0 holds no participant",
        ),
        (
            gathering(&[h, a], one()),
            "need 0 (gathering): its nodes are out of order",
        ),
        (
            gathering(&[a, nowhere], one()),
            "need 0 (gathering): the member of node id 9: no such node",
        ),
        (
            gathering(&[a], ratio(0, 1)),
            "price of need 0 (gathering) is 0; a price must be positive",
        ),
        (
            balance(a, all),
            "need 0 (balance): 'a' is not balanced; participants have none",
        ),
        (
            balance(h, all),
            "need 0 (balance): 'h' is not balanced; only a node that merges nothing keeps none of it",
        ),
        (
            balance(r, none),
            "need 0 (balance): 'r' is not balanced; only a node that does not replicate copies nothing",
        ),
        (
            balance(c, none),
            "need 0 (balance): 'c' is not balanced; only a node that does not replicate copies nothing",
        ),
        (
            balance(nowhere, all),
            "need 0 (balance): the balance of node id 9: no such node",
        ),
        (
            everywhere(Inequality::Place(Place)),
            "need 0 (place): a place names no demand; only a cut, or merges",
        ),
        (
            everywhere(Inequality::Cut(Cut { nodes: vec![] })),
            "need 0 (cut): it has no nodes",
        ),
        (
            everywhere(Inequality::Cut(Cut { nodes: vec![b, a] })),
            "need 0 (cut): its nodes are out of order",
        ),
        (
            everywhere(Inequality::Cut(Cut {
                nodes: vec![nowhere],
            })),
            "need 0 (cut): the member of node id 9: no such",
        ),
        (
            exchange(&[&[a]], &[link(0)]),
            "need 0 (exchange): it has a single part; list at least two",
        ),
        (
            exchange(&[&[a, c], &[b, c]], &[link(0)]),
            "need 0 (exchange): 'c' lies in 2 of its parts; parts are disjoint",
        ),
        (
            exchange(&[&[a], &[c]], &[link(0)]),
            "need 0 (exchange): set 1 holds no participant; every set holds at least one",
        ),
        (
            exchange(&[&[a], &[b]], &[link(99)]),
            "need 0 (exchange): the link id 99 does not exist; the platform has 10 links, numbered from 0",
        ),
        (
            exchange(&[&[a], &[b]], &[link(0), link(0)]),
            "need 0 (exchange): its links are out of order",
        ),
        (
            exchange(&[&[a], &[b]], &[link(1), link(0)]),
            "need 0 (exchange): its links are out of order",
        ),
        (
            exchange(&[&[a], &[b]], &[(LinkId::new(0), -one())]),
            "need 0 (exchange): price of a length is -1; a price must be positive",
        ),
    ];
    for (need, words) in needs {
        let said = say(&collective, &[need]);
        assert!(said.starts_with(words), "{said}");
    }
    let unsorted = [
        [border(into, &[&[b]], one()), border(into, &[&[a]], one())],
        [gathering(&[b], one()), gathering(&[a], one())],
        [gathering(&[a], one()), border(into, &[&[a]], one())],
        [
            exchange(&[&[b], &[a]], &[link(0)]),
            exchange(&[&[a], &[b]], &[link(0)]),
        ],
    ];
    for needs in unsorted {
        assert!(say(&collective, &needs).contains("needs are out of order"));
    }
    let reduce = Collective::reduce(a, vec![a, b]);
    assert!(say(&reduce, &[border(into, &[&[a]], one())]).contains("no all-reduce"));
    let broadcast = Collective::broadcast(a, vec![b]);
    let said = say(&broadcast, &[need(Inequality::Merges(Merges), one())]);
    assert!(
        said.starts_with("need 0 (merges): the demand combines nothing; leave it out"),
        "{said}"
    );
}

/// A node that exchanges also merges: both are paid for.
#[test]
fn merges_are_paid_besides_the_exchange() {
    let one = || ratio(1, 1);
    let links = [("A", "B", one()), ("B", "A", one())];
    let platform = platform(&["A", "B"], &links).with_model(PortModel::Links);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let mut prices: Vec<(Resource, Rational)> = ids
        .iter()
        .map(|&node| (Resource::Compute(node), one()))
        .collect();
    prices.extend(
        platform
            .link_ids()
            .map(|link| (Resource::Link(link), one())),
    );
    let sets = ids.iter().map(|&node| vec![node]).collect();
    let border = Inequality::Border(Border {
        direction: Direction::Into,
        sets,
    });
    let merges = need(Inequality::Merges(Merges), ratio(3, 1));
    let certificate = Certificate::new(prices, [], [need(border, one()), merges]);
    let volumes = Volumes {
        size: Amount::Constant(one()),
        work: Amount::Constant(ratio(3, 1)),
    };
    for commutative in [false, true] {
        let collective = Collective::all_reduce(ids.clone()).commutative(commutative);
        // Four units of price. Two transfers of 1, and a merge of 3.
        assert_eq!(
            bound(&platform, &collective, &volumes, &certificate),
            Ok(ratio(4, 5))
        );
    }
}

/// With sizes and work by part, the smallest message and the least merge are charged, at any position in the tables.
#[test]
fn the_smallest_of_a_table_is_charged() {
    let one = || ratio(1, 1);
    let links = [("A", "B", one()), ("B", "C", one()), ("C", "A", one())];
    let platform = platform(&["A", "B", "C"], &links).with_model(PortModel::Links);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let collective = Collective::all_reduce(ids.clone()).in_order();
    let mut prices: Vec<(Resource, Rational)> = ids
        .iter()
        .map(|&node| (Resource::Compute(node), one()))
        .collect();
    prices.extend(
        platform
            .link_ids()
            .map(|link| (Resource::Link(link), one())),
    );
    let table = |rows: [&[i64]; 3]| {
        Amount::Table(
            rows.map(|row| row.iter().map(|&n| ratio(n, 1)).collect())
                .to_vec(),
        )
    };
    let sets: Vec<Vec<NodeId>> = ids.iter().map(|&node| vec![node]).collect();
    let with = |size: [&[i64]; 3], work: [&[i64]; 3], weight: i64| {
        let border = Inequality::Border(Border {
            direction: Direction::Into,
            sets: sets.clone(),
        });
        let needs = [
            need(border, ratio(weight, 1)),
            need(Inequality::Merges(Merges), ratio(5, 1)),
        ];
        let certificate = Certificate::new(prices.clone(), [], needs);
        bound(
            &platform,
            &collective,
            &Volumes {
                size: table(size),
                work: table(work),
            },
            &certificate,
        )
    };
    // For each first operand: the entry of that alone, with the next, with both. The cost of merging single operands
    // has no effect.
    let work: [&[i64]; 3] = [&[0, 7, 9], &[0, 5], &[0]];
    let sizes: [([&[i64]; 3], i64); 3] = [
        ([&[2, 9, 8], &[7, 6], &[5]], 2),
        ([&[9, 9, 3], &[7, 6], &[5]], 3),
        ([&[9, 8, 7], &[6, 5], &[4]], 4),
    ];
    for (size, smallest) in sizes {
        // Four crossings, and two merges of 5, for six units of price.
        assert_eq!(with(size, work, smallest), Ok(ratio(6, 4 * smallest + 10)));
        let refused = with(size, work, smallest + 1);
        assert!(broken(&refused, Rule::Overcharge), "{refused:?}");
    }
}

/// One of two owners is a goal of the result, and a third node is another goal: no message has to reach the other
/// owner, so a price on the path to it proves nothing. Bounds for all-reduces are not accepted, from prices or from
/// borders.
#[test]
fn who_owns_and_does_not_want_exchanges_nothing() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [a, b, c] =
        ["a", "b", "c"].map(|name| builder.node(Node::processor(name, whole(1))).unwrap());
    for (from, to) in [(a, c), (c, a), (b, c)] {
        builder.link(from, to, whole(1)).unwrap();
    }
    let to_b = builder.link(c, b, whole(1)).unwrap();
    let platform = builder.build().unwrap();
    let proved = |targets: &[NodeId], needs: Vec<Need>| {
        let participants = vec![a, b];
        let collective = Collective::reduce_to_several(targets.to_vec(), participants);
        let certificate = Certificate::new([(Resource::Link(to_b), whole(1))], [], needs);
        bound(
            &platform,
            &collective,
            &Volumes::of_size(whole(1)),
            &certificate,
        )
    };
    assert_eq!(
        proved(&[b, a], Vec::new()),
        Ok(whole(1)),
        "these are the owners: an all-reduce"
    );
    let refused = proved(&[c, a], Vec::new());
    assert!(broken(&refused, Rule::NoBound), "{refused:?}");
    let border = Inequality::Border(Border {
        direction: Direction::Into,
        sets: vec![vec![b]],
    });
    let refused = proved(&[c, a], vec![need(border, whole(1))]);
    let right = "need 0 (border): the demand is no all-reduce; leave it out";
    assert_eq!(told(&refused), right);
}

/// A star of three GPUs whose hub merges and copies: one transfer enters each GPU. With the hub in no set the counting
/// theorem would count four.
#[test]
fn a_switch_that_reduces_lies_in_exactly_one_set() {
    let one = || ratio(1, 1);
    let star = |reduces: Option<Rational>| {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        let gpus = ["a", "b", "c"].map(|name| builder.node(Node::processor(name, one())).unwrap());
        let hub = builder
            .node(Node {
                reduces,
                ..Node::router("hub")
            })
            .unwrap();
        for gpu in gpus {
            builder.duplex(gpu, hub, one()).unwrap();
        }
        (builder.build().unwrap(), gpus, hub)
    };
    let (plain, gpus, hub) = star(None);
    let into_gpus = gpus.map(|gpu| (Resource::Link(plain.link_between(hub, gpu).unwrap()), one()));
    let proved = |platform: &Platform, sets: Vec<Vec<NodeId>>| {
        let border = Border {
            direction: Direction::Into,
            sets,
        };
        let needs = vec![need(Inequality::Border(border), one())];
        let certificate = Certificate {
            needs,
            ..Certificate::of_prices(into_gpus.to_vec())
        };
        let collective = Collective::all_reduce(gpus.to_vec());
        let volumes = Volumes {
            size: Amount::Constant(one()),
            work: Amount::Constant(ratio(0, 1)),
        };
        bound(platform, &collective, &volumes, &certificate)
            .map_err(|violation| violation.to_string())
    };
    let single = || gpus.map(|gpu| vec![gpu]).to_vec();
    // Four transfers enter the GPUs if the hub only forwards.
    assert_eq!(proved(&plain, single()), Ok(ratio(3, 4)));
    for time in [ratio(0, 1), one()] {
        let (merging, ..) = star(Some(time));
        let said = proved(&merging, single()).unwrap_err();
        let words = "'hub' lies in 0 of its sets; every node that merges lies in exactly one set";
        assert!(said.contains(words), "{said}");
    }
}
