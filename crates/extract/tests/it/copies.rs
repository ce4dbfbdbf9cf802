//! Capacities are arborescences: against cuts by bit masks, and against the program over all arborescences.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use oneport_exact::{LinearProgram, Options, Outcome, Relation, Sense, Solver};
use oneport_extract::ExtractError;
use oneport_extract::copies::{Message, Spread, direct, spread};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::rank::rank;
use oneport_testkit::{number, ratio, whole};

/// A platform with capacities.
struct Case {
    platform: Platform,
    copies: BTreeMap<LinkId, Rational>,
}

impl Case {
    fn new(nodes: usize, arcs: &[(usize, usize, Rational)]) -> Case {
        Case::with_switches(nodes, arcs, &[])
    }

    fn with_switches(nodes: usize, arcs: &[(usize, usize, Rational)], switches: &[usize]) -> Case {
        let mut builder = Platform::builder();
        for node in 0..nodes {
            let mut made = Node::processor(format!("P{node}"), Rational::one());
            if switches.contains(&node) {
                made = Node {
                    replicates: false,
                    ..Node::router(format!("P{node}"))
                };
            }
            builder.node(made).unwrap();
        }
        let mut copies = BTreeMap::new();
        for (from, to, amount) in arcs {
            let link = builder
                .link(NodeId::new(*from), NodeId::new(*to), Rational::one())
                .unwrap();
            copies.insert(link, amount.clone());
        }
        Case {
            platform: builder.build().unwrap(),
            copies,
        }
    }

    fn spread(
        &self,
        messages: &[(usize, Rational)],
        targets: &[usize],
    ) -> Result<Vec<Spread>, ExtractError> {
        let message = |(source, rate): &(usize, Rational)| Message {
            source: NodeId::new(*source),
            rate: rate.clone(),
        };
        let messages: Vec<Message> = messages.iter().map(message).collect();
        let targets = targets.iter().map(|&node| NodeId::new(node)).collect();
        spread(
            &self.platform,
            &messages,
            &targets,
            &self.copies,
            &Watch::unlimited(),
        )
    }

    /// The total weight is the throughput, no capacity is exceeded, every target gets a copy of every message by
    /// consecutive hops, and switches forward each copy once. Returns the number of trees.
    #[track_caller]
    fn check(&self, messages: &[(usize, Rational)], targets: &[usize]) -> usize {
        let found = self.spread(messages, targets).unwrap();
        let mut left = self.copies.clone();
        let mut total = vec![Rational::zero(); messages.len()];
        for tree in &found {
            total[tree.message] += &tree.weight;
            assert!(tree.weight > Rational::zero());
            let source = messages[tree.message].0;
            let mut reached = BTreeSet::from([source]);
            let mut passed = BTreeSet::new();
            for (position, &(link, before)) in tree.hops.iter().enumerate() {
                let ends = self.platform.link(link);
                let at = before.map_or(source, |before| {
                    assert!((before as usize) < position);
                    self.platform.link(tree.hops[before as usize].0).to.index()
                });
                assert_eq!(ends.from.index(), at);
                if !self.platform.node(ends.from).replicates {
                    assert!(
                        passed.insert(before),
                        "a copy at a switch is passed on once"
                    );
                }
                reached.insert(ends.to.index());
                *left.get_mut(&link).unwrap() -= &tree.weight;
            }
            assert!(targets.iter().all(|target| reached.contains(target)));
        }
        assert!(left.values().all(|left| *left >= Rational::zero()));
        assert!(
            messages
                .iter()
                .zip(&total)
                .all(|((_, rate), total)| rate == total)
        );
        found.len()
    }

    /// The value of a minimum cut between two nodes, over all sets.
    fn cut(&self, root: usize, node: usize) -> Rational {
        let sets = (0..1usize << self.platform.nodes().len())
            .filter(|set| set >> root & 1 == 1 && set >> node & 1 == 0);
        sets.map(|set| self.leaving(set)).min().unwrap()
    }

    fn leaving(&self, set: usize) -> Rational {
        let leaves = |link: LinkId| {
            let ends = self.platform.link(link);
            set >> ends.from.index() & 1 == 1 && set >> ends.to.index() & 1 == 0
        };
        self.copies
            .iter()
            .filter(|(link, _)| leaves(**link))
            .map(|(_, amount)| amount)
            .sum()
    }

    /// The rank of the cuts around the root that are worth exactly `worth`, as vectors over the positive links and the
    /// worth.
    fn rank(&self, root: usize, worth: &Rational) -> usize {
        let nodes = self.platform.nodes().len();
        let positive: Vec<LinkId> = self
            .copies
            .iter()
            .filter(|(_, x)| !x.is_zero())
            .map(|(&link, _)| link)
            .collect();
        let rows = (0..(1usize << nodes) - 1)
            .filter(|set| set >> root & 1 == 1 && self.leaving(*set) == *worth);
        let row = |set: usize| -> Vec<Rational> {
            let crosses = |&link: &LinkId| {
                let ends = self.platform.link(link);
                whole(u64::from(
                    set >> ends.from.index() & 1 == 1 && set >> ends.to.index() & 1 == 0,
                ))
            };
            positive
                .iter()
                .map(crosses)
                .chain([Rational::one()])
                .collect()
        };
        rank(rows.map(row).collect())
    }
}

/// The most arborescences to all targets that fit: the program over all sets of links that are trees.
fn by_all_trees(case: &Case, root: usize, targets: &[usize]) -> Rational {
    let links: Vec<LinkId> = case.copies.keys().copied().collect();
    let mut program = LinearProgram::new(Sense::Maximize);
    let rows: Vec<_> = case
        .copies
        .values()
        .map(|x| program.add_row(Relation::AtMost, x.clone()))
        .collect();
    for set in 1..1usize << links.len() {
        let chosen: Vec<usize> = (0..links.len())
            .filter(|&position| set >> position & 1 == 1)
            .collect();
        let mut reached = BTreeSet::from([root]);
        loop {
            let before = reached.len();
            for &position in &chosen {
                let ends = case.platform.link(links[position]);
                if reached.contains(&ends.from.index()) {
                    reached.insert(ends.to.index());
                }
            }
            if reached.len() == before {
                break;
            }
        }
        // A tree: every link is reached, and no node but the root is entered twice.
        if chosen.len() + 1 == reached.len()
            && targets.iter().all(|target| reached.contains(target))
        {
            let entries = chosen
                .iter()
                .map(|&position| (rows[position], Rational::one()));
            program.add_column(Rational::one(), entries).unwrap();
        }
    }
    let Outcome::Optimal(optimum) = Solver::new(program).solve(&Options::default()).unwrap() else {
        panic!("bounded")
    };
    optimum.objective
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Random capacities over all ordered pairs, about half of them present.
fn random(dice: &mut Dice, nodes: usize, most: usize) -> Vec<(usize, usize, Rational)> {
    let mut pairs: Vec<(usize, usize)> = (0..nodes)
        .flat_map(|from| (0..nodes).map(move |to| (from, to)))
        .collect();
    pairs.retain(|(from, to)| from != to);
    while pairs.len() > most {
        pairs.swap_remove(dice.below(pairs.len() as u64) as usize);
    }
    pairs
        .into_iter()
        .map(|(from, to)| (from, to, ratio(dice.below(6) as i64, 2)))
        .collect()
}

/// RR-2004-32, figures 1 and 2: the weights that section 2.2.2 prints.
#[test]
fn figures_1_and_2() {
    let arcs = |list: &[(usize, usize, &str)]| -> Vec<_> {
        list.iter().map(|&(a, b, x)| (a, b, number(x))).collect()
    };
    let one = Case::new(
        5,
        &arcs(&[
            (0, 1, "2/5"),
            (0, 2, "2/5"),
            (1, 2, "2/5"),
            (2, 1, "2/5"),
            (1, 3, "4/5"),
            (2, 4, "4/5"),
        ]),
    );
    assert_eq!(one.check(&[(0, number("4/5"))], &[1, 2, 3, 4]), 2);
    let weights: Vec<Rational> = one
        .spread(&[(0, number("4/5"))], &[1, 2, 3, 4])
        .unwrap()
        .into_iter()
        .map(|tree| tree.weight)
        .collect();
    assert_eq!(weights, [number("2/5"), number("2/5")]);
    let two = Case::new(3, &arcs(&[(0, 1, "3/4"), (0, 2, "1/4"), (1, 2, "2/4")]));
    let found = two.spread(&[(0, number("3/4"))], &[1, 2]).unwrap();
    let weights: Vec<(usize, Rational)> = found
        .iter()
        .map(|tree| {
            (
                tree.hops
                    .iter()
                    .filter(|(link, _)| link.index() == 2)
                    .count(),
                tree.weight.clone(),
            )
        })
        .collect();
    assert_eq!(weights, [(1, number("1/2")), (0, number("1/4"))]);
}

/// A total exchange of which only the sum is given.
#[test]
fn several_messages_below_one_root() {
    let arcs: Vec<_> = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
        .map(|(a, b)| (a, b, whole(1)))
        .to_vec();
    let triangle = Case::new(3, &arcs);
    let rates = |list: [u64; 3]| -> Vec<(usize, Rational)> {
        list.into_iter().map(whole).enumerate().collect()
    };
    assert_eq!(triangle.check(&rates([1, 1, 1]), &[0, 1, 2]), 3);
    let stars = triangle.spread(&rates([1, 1, 1]), &[0, 1, 2]).unwrap();
    assert_eq!(
        stars
            .iter()
            .map(|tree| tree.message)
            .collect::<BTreeSet<_>>()
            .len(),
        3
    );
    assert_eq!(triangle.check(&[(0, whole(2))], &[1, 2]), 2);
    let error = triangle
        .spread(&rates([2, 1, 1]), &[0, 1, 2])
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "'P1' can be reached by 3 copies at most; the throughput says 4"
    );
}

/// Cuts by bit masks decide whether there is a packing, the program over all arborescences gives its size, and the
/// number of trees is within the lemma's bound.
#[test]
fn what_cuts_allow_is_packed() {
    let (mut packed, mut refused) = (0, 0);
    for seed in 0..160 {
        let mut dice = Dice(seed);
        let nodes = 3 + dice.below(4) as usize;
        let case = Case::new(
            nodes,
            &random(&mut dice, nodes, if nodes > 5 { 14 } else { 10 }),
        );
        let targets: Vec<usize> = (1..nodes).collect();
        let best = targets.iter().map(|&node| case.cut(0, node)).min().unwrap();
        let worth = [
            best.clone(),
            &best * number("2/3"),
            &best + number("1/1000000000000000000000000000000"),
        ][seed as usize % 3]
            .clone();
        if worth > best {
            let error = case.spread(&[(0, worth)], &targets).unwrap_err();
            assert!(matches!(error, ExtractError::Cut { .. }), "{error}");
            refused += 1;
            continue;
        }
        if best.is_zero() {
            assert_eq!(case.spread(&[(0, best)], &targets), Ok(Vec::new()));
            continue;
        }
        let trees = case.check(&[(0, worth.clone())], &targets);
        // Links into the source are not used.
        let useful = |link: LinkId| case.platform.link(link).to.index() != 0;
        let links = case
            .copies
            .iter()
            .filter(|(link, x)| useful(**link) && !x.is_zero())
            .count();
        let used = Case {
            platform: case.platform.clone(),
            copies: case
                .copies
                .iter()
                .filter(|(link, _)| useful(**link))
                .map(|(&a, b)| (a, b.clone()))
                .collect(),
        };
        let bound = links + 1 - used.rank(0, &worth);
        assert!(trees <= bound, "{trees} trees, at most {bound}");
        packed += 1;
        if nodes <= 5 && seed % 3 == 0 {
            assert_eq!(by_all_trees(&case, 0, &targets), best, "Edmonds");
        }
    }
    assert!(packed > 60 && refused > 30, "{packed} {refused}");
}

/// Minimal capacities: each as small as the cuts allow, reduced in sequence.
#[test]
fn minimal_capacities_need_few_trees() {
    let (mut cases, mut equal) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice(7000 + seed);
        let nodes = 3 + dice.below(3) as usize;
        let mut case = Case::new(nodes, &random(&mut dice, nodes, 12));
        let targets: Vec<usize> = (1..nodes).collect();
        let worth = targets.iter().map(|&node| case.cut(0, node)).min().unwrap();
        if worth.is_zero() {
            continue;
        }
        for link in case.copies.keys().copied().collect::<Vec<_>>() {
            let least = |case: &Case| targets.iter().map(|&node| case.cut(0, node)).min().unwrap();
            let before = case.copies.insert(link, Rational::zero()).unwrap();
            // The link must take the rest that is missing without it.
            let missing = &worth - least(&case);
            case.copies.insert(link, missing.min(before));
            assert_eq!(least(&case), worth);
        }
        let links = case.copies.values().filter(|x| !x.is_zero()).count();
        let trees = case.check(&[(0, worth)], &targets);
        assert!(
            trees <= links + 2 - nodes,
            "{trees} trees of {links} links, {nodes} nodes"
        );
        equal += usize::from(trees == links + 2 - nodes);
        cases += 1;
    }
    assert!(cases > 30 && equal > 10, "{cases} {equal}");
}

/// Helpers that forward at most as much as they receive cost nothing. The others join, are trimmed, or are refused by
/// name.
#[test]
fn helpers_join_or_are_split_off() {
    let (mut accepted, mut refused, mut quiet) = (0, 0, 0);
    for seed in 0..240 {
        let mut dice = Dice(300 + seed);
        let nodes = 4 + dice.below(2) as usize;
        let helpers: Vec<usize> = if dice.below(2) == 0 {
            vec![1]
        } else {
            vec![1, 2]
        };
        let arcs = random(&mut dice, nodes, 11);
        let switches = if seed % 3 == 0 { &helpers[..1] } else { &[] };
        let case = Case::with_switches(nodes, &arcs, switches);
        let targets: Vec<usize> = (1..nodes).filter(|node| !helpers.contains(node)).collect();
        let worth = targets.iter().map(|&node| case.cut(0, node)).min().unwrap();
        if worth.is_zero() {
            continue;
        }
        let sum = |of: &dyn Fn(&(usize, usize, Rational)) -> bool| -> Rational {
            arcs.iter().filter(|arc| of(arc)).map(|(_, _, x)| x).sum()
        };
        let passes = |&helper: &usize| {
            sum(&|arc| arc.0 == helper && arc.1 != 0) <= sum(&|arc| arc.1 == helper)
        };
        let modest = helpers.iter().all(passes);
        match case.spread(&[(0, worth.clone())], &targets) {
            Ok(_) => {
                case.check(&[(0, worth.clone())], &targets);
                if switches.is_empty() {
                    assert_eq!(
                        by_all_trees(&case, 0, &targets),
                        worth,
                        "trees attain what flows promise"
                    );
                }
                accepted += 1;
                quiet += usize::from(modest);
            }
            Err(ExtractError::HelperCopies {
                node,
                sent,
                received,
                throughput,
            }) => {
                assert!(sent > received && *throughput == worth);
                assert!(helpers.iter().any(|helper| node == format!("P{helper}")));
                assert!(
                    !modest,
                    "a helper that passes on what it receives is no reason to refuse"
                );
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(
        accepted > 80 && refused > 0 && quiet > 20,
        "{accepted} {refused} {quiet}"
    );
}

#[test]
fn the_butterfly_is_refused() {
    // s = 0, a = 1, b = 2, c = 3, d = 4, t1 = 5, t2 = 6.
    let arcs: Vec<_> = [
        (0, 1),
        (0, 2),
        (1, 5),
        (1, 3),
        (2, 3),
        (2, 6),
        (3, 4),
        (4, 5),
        (4, 6),
    ]
    .map(|(from, to)| (from, to, whole(1)))
    .to_vec();
    let butterfly = Case::new(7, &arcs);
    assert_eq!(
        (butterfly.cut(0, 5), butterfly.cut(0, 6)),
        (whole(2), whole(2))
    );
    assert_eq!(by_all_trees(&butterfly, 0, &[5, 6]), number("3/2"));
    let message = butterfly
        .spread(&[(0, whole(2))], &[5, 6])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "helper 'P1' sends 2 and receives 1: it copies, and copies made by helpers are a Steiner problem; the flows promise \
         2, trees may attain less; ask `solve`"
    );
}

#[test]
fn hostile_amounts_are_refused_by_place() {
    let case = |x: &str| Case::new(3, &[(0, 1, number(x)), (1, 2, whole(1)), (2, 0, whole(5))]);
    let message = case("-1/2")
        .spread(&[(0, whole(1))], &[1, 2])
        .unwrap_err()
        .to_string();
    assert_eq!(message, "send(P0 -> P1): rate -1/2; a rate is 0 or more");
    let message = case("999999999999999999999999999999/1000000000000000000000000000000")
        .spread(&[(0, whole(1))], &[1, 2])
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("'P1' can be reached by 999999"),
        "{message}"
    );
    // A node without incoming links and goals, a throughput of 0, links back to the source.
    let aside = Case::new(
        4,
        &[
            (0, 1, whole(1)),
            (1, 2, whole(1)),
            (3, 2, whole(7)),
            (2, 0, whole(1)),
        ],
    );
    assert_eq!(aside.check(&[(0, whole(1))], &[1, 2]), 1);
    assert_eq!(aside.spread(&[(0, whole(0))], &[1, 2]), Ok(Vec::new()));
    let limited = spread(
        &aside.platform,
        &[Message {
            source: NodeId::new(0),
            rate: whole(1),
        }],
        &BTreeSet::from([NodeId::new(1)]),
        &aside.copies,
        &Watch::counting(1, std::time::Duration::ZERO),
    );
    assert!(
        matches!(limited, Err(ExtractError::Stopped(_))),
        "{limited:?}"
    );
}

/// A copy passes the switch P1 on its way to P2 and back. That is a detour unless P2 is a goal, or copies it.
#[test]
fn detours_are_cut_out() {
    // Arcs by their index: 0 -> 1, 1 -> 2, 2 -> 1, 1 -> 3, 2 -> 4, 1 -> 5, 5 -> 1.
    let ends = [(0, 1), (1, 2), (2, 1), (1, 3), (2, 4), (1, 5), (5, 1)];
    let arcs = ends.map(|(from, to)| (from, to, whole(1)));
    let platform = Case::with_switches(6, &arcs, &[1]).platform;
    let way = |links: &[usize]| -> Vec<(LinkId, Option<u32>)> {
        let hop = |(position, &link): (usize, &usize)| {
            (
                LinkId::new(link),
                position.checked_sub(1).map(|position| position as u32),
            )
        };
        links.iter().enumerate().map(hop).collect()
    };
    let cut = |hops: Vec<(LinkId, Option<u32>)>, wanted: &[usize]| {
        direct(&platform, hops, |node| wanted.contains(&node.index()))
    };
    let round = way(&[0, 1, 2, 3]);
    assert_eq!(cut(round.clone(), &[3]), way(&[0, 3]));
    assert_eq!(cut(round.clone(), &[2, 3]), round);
    let copied = [round.clone(), vec![(LinkId::new(4), Some(1))]].concat();
    assert_eq!(cut(copied.clone(), &[3, 4]), copied);
    // Two detours are both cut out. A detour within another goes with it.
    assert_eq!(cut(way(&[0, 1, 2, 5, 6, 3]), &[3]), way(&[0, 3]));
    let only_one = way(&[0, 1, 2, 5, 6, 3]);
    assert_eq!(cut(only_one, &[5, 3]), way(&[0, 5, 6, 3]));
}
