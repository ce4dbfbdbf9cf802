//! The oracle of RR-2004-32 against all matchings and all patterns, and the optimum over its inequalities against
//! (P).

use std::collections::BTreeMap;

use num_traits::{One, Signed, Zero};
use oneport_exact::{LinearProgram, Outcome, Relation, Sense, Solver};
use oneport_matching::general::{PortGraph, separate};
use oneport_plan::{Collective, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};
use oneport_separation::heaviest::heaviest_matching;
use oneport_separation::{Inequality, Instance, Lightest, Optimum, Separated, SeparationError};
use oneport_watch::Watch;

use crate::common::naive::{Dice, check, link_sets, processors, random};
use crate::common::{ratio, simple_paths};

fn platform(seed: u64, most: usize) -> (Platform, Dice) {
    let mut dice = Dice::new(seed);
    let nodes = 3 + dice.below(most - 2);
    let extra = dice.below(2 * nodes);
    (
        random(&mut dice, processors(nodes), PortModel::HalfDuplex, extra),
        dice,
    )
}

fn collective(platform: &Platform, kind: u64) -> Collective {
    let mut all: Vec<NodeId> = platform.node_ids().collect();
    match kind % 4 {
        0 => Collective::broadcast(all.remove(0), all),
        1 => Collective::scatter(all.remove(0), all),
        2 => Collective::all_gather(all),
        _ => Collective::all_to_all(all),
    }
}

fn optimum(instance: &Instance) -> Optimum {
    let optimum = instance.optimum(&Watch::unlimited()).expect("solved");
    optimum.check(instance).expect("proved");
    let used = optimum.weighted.matchings.len() + optimum.weighted.patterns.len();
    // Lemma 2, of a basic solution.
    assert!(
        used <= instance.links().len() + 1,
        "{used} matchings and patterns, {} links",
        instance.links().len()
    );
    optimum
}

/// All spanning trees or simple paths of every message, by brute force.
fn ways(platform: &Platform, instance: &Instance) -> Vec<Vec<Vec<usize>>> {
    let links = instance.links();
    let of_message = |message: &oneport_separation::Message| -> Vec<Vec<usize>> {
        let Some(target) = message.target else {
            let sets = (0..1u32 << links.len())
                .filter(|set| set.count_ones() as usize + 1 == instance.nodes());
            let sets = sets.map(|set| {
                (0..links.len())
                    .filter(|link| set >> link & 1 == 1)
                    .collect::<Vec<_>>()
            });
            let spans = |set: &Vec<usize>| {
                let mut has = vec![false; instance.nodes()];
                has[message.source] = true;
                for _ in 0..instance.nodes() {
                    for &link in set {
                        has[links[link].1] |= has[links[link].0];
                    }
                }
                has.iter().all(|has| *has)
            };
            return sets.filter(spans).collect();
        };
        let paths = simple_paths(platform, NodeId::new(message.source), NodeId::new(target));
        paths
            .into_iter()
            .map(|path| path.into_iter().map(LinkId::index).collect())
            .collect()
    };
    instance.messages().iter().map(of_message).collect()
}

/// The least time at these prices, summed over the messages. `ways` lists each message's sets of links.
fn lightest(instance: &Instance, ways: &[Vec<Vec<usize>>], v: &[Rational]) -> Rational {
    let takes = |links: &Vec<usize>| -> Rational {
        let terms = links.iter().map(|&e| &v[e] * &instance.links()[e].2);
        terms.sum()
    };
    ways.iter()
        .map(|ways| ways.iter().map(takes).min().expect("a way"))
        .sum()
}

/// On every drawn point the oracle agrees with all inequalities. Its proof adds up. Its inequality is violated, and the
/// optimum of (D) satisfies it with all points above.
#[test]
fn the_oracle_decides() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..48 {
        let (platform, mut dice) = platform(seed, 4);
        if platform.links().len() > 12 {
            continue;
        }
        let instance = Instance::new(&platform, &collective(&platform, seed)).expect("fits");
        let matchings: Vec<Vec<usize>> = link_sets(&platform)
            .into_iter()
            .map(|set| set.into_iter().map(LinkId::index).collect())
            .collect();
        let ways = ways(&platform, &instance);
        let best = optimum(&instance).weighted;
        for round in 0..24 {
            // Around the optimum, which is the difficult region.
            let mut nudge =
                |at: &Rational| at * ratio(6 + dice.below(4) as i64 - (round % 3) / 2, 7);
            let u = nudge(&best.u);
            let mut v: Vec<Rational> = best.v.iter().map(&mut nudge).collect();
            if round == 7 {
                v[0] = ratio(-1, 3);
            }
            let weight = |links: &Vec<usize>| links.iter().map(|&link| &v[link]).sum::<Rational>();
            let type_one = matchings.iter().all(|set| weight(set) <= u);
            let lightest = lightest(&instance, &ways, &v);
            let positive = !u.is_negative() && !v.iter().any(Signed::is_negative);
            let inside = positive && type_one && lightest >= Rational::one();
            match instance.separate(&u, &v).expect("prices") {
                Separated::Inside(proof) => {
                    assert!(inside, "seed {seed}: inside?");
                    proof.check(&instance, &u, &v).expect("adds up");
                    *seen.entry("inside").or_default() += 1;
                }
                Separated::Outside(inequality) => {
                    assert!(!inside, "seed {seed}: outside?");
                    let half = inequality.halfspace(&instance);
                    assert!(
                        half.slack(&u, &v).is_negative()
                            && !half.slack(&best.u, &best.v).is_negative()
                    );
                    let kind = match inequality {
                        Inequality::NegativeU => "u",
                        Inequality::NegativeV(_) => "v",
                        Inequality::Matching(_) => "matching",
                        Inequality::Pattern(ways) => {
                            assert!(instance.is_pattern(&ways));
                            assert_eq!(half.slack(&u, &v) + Rational::one(), lightest);
                            "pattern"
                        }
                    };
                    *seen.entry(kind).or_default() += 1;
                }
            }
        }
    }
    for kind in ["inside", "v", "matching", "pattern"] {
        assert!(seen.get(kind).is_some_and(|&count| count >= 20), "{seen:?}");
    }
}

/// Lemma 3 with prices of either sign: broadcasts and total exchanges, all trees and all matchings.
#[test]
fn the_oracle_decides_with_either_sign() {
    let (mut inside, mut trees, mut sets) = (0, 0, 0);
    for seed in 200..230 {
        let (platform, mut dice) = platform(seed, 4);
        if platform.links().len() > 10 {
            continue;
        }
        let instance =
            Instance::new(&platform, &collective(&platform, 2 * (seed % 2))).expect("fits");
        let matchings: Vec<Vec<usize>> = link_sets(&platform)
            .into_iter()
            .map(|set| set.into_iter().map(LinkId::index).collect())
            .collect();
        let ways = ways(&platform, &instance);
        let best = optimum(&instance).weighted;
        for round in 0..24 {
            // A link of negative price now and then, and the others round the optimum.
            let mut price = |at: &Rational| match dice.below(5) {
                0 => ratio(-(dice.below(3) as i64), 5),
                _ => at * ratio(6 + dice.below(6) as i64, 7) + ratio(round % 2, 4),
            };
            let v: Vec<Rational> = best.v.iter().map(&mut price).collect();
            let u = &best.u * ratio(8 + 4 * (round % 4), 7);
            let weight = |links: &Vec<usize>| links.iter().map(|&e| &v[e]).sum::<Rational>();
            let type_one = matchings.iter().all(|set| weight(set) <= u);
            let lightest = lightest(&instance, &ways, &v);
            let found = instance.separate_either_sign(&u, &v).expect("trees");
            match &found {
                Separated::Inside(proof) => {
                    assert!(type_one && lightest >= Rational::one(), "seed {seed}");
                    proof.check(&instance, &u, &v).expect("adds up");
                    let mut wrong = proof.clone();
                    wrong.shift += Rational::one();
                    assert!(wrong.check(&instance, &u, &v).is_err());
                    inside += usize::from(v.iter().any(Signed::is_negative));
                }
                Separated::Outside(inequality) => {
                    let slack = inequality.halfspace(&instance).slack(&u, &v);
                    assert!(slack.is_negative(), "seed {seed}");
                    match inequality {
                        Inequality::Matching(_) => sets += 1,
                        _ => {
                            assert_eq!(slack + Rational::one(), lightest, "seed {seed}");
                            trees += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(
        inside >= 10 && trees >= 10 && sets >= 10,
        "{inside} inside, {trees} trees, {sets} matchings"
    );
    let (platform, _) = platform(1, 4);
    let scatter = Instance::new(&platform, &collective(&platform, 1)).expect("fits");
    let zero = vec![Rational::zero(); platform.links().len()];
    assert!(matches!(
        scatter.separate_either_sign(&Rational::zero(), &zero),
        Err(SeparationError::EitherSign { .. })
    ));
}

/// (P') over the oracle's inequalities is (P) with everything enumerated, and has the optimum of `solve`.
#[test]
fn the_optimum_is_that_of_everything() {
    for seed in 100..148 {
        let (platform, _) = platform(seed, if seed % 4 < 2 { 5 } else { 4 });
        let collective = collective(&platform, seed);
        let instance = Instance::new(&platform, &collective).expect("fits");
        let truth = check(&platform, &collective, &Volumes::of_size(Rational::one()));
        assert_eq!(optimum(&instance).weighted.value, truth, "seed {seed}");
    }
}

/// Wrong proofs do not add up.
#[test]
fn wrong_proofs_are_refused() {
    let (platform, _) = platform(3, 5);
    for kind in 0..4 {
        let instance = Instance::new(&platform, &collective(&platform, kind)).expect("fits");
        let right = optimum(&instance);
        let (u, v) = (right.weighted.u.clone(), right.weighted.v.clone());
        let smaller = &u * ratio(99, 100);
        assert!(right.proof.check(&instance, &smaller, &v).is_err());
        let cheaper: Vec<Rational> = v.iter().map(|v| v * ratio(1, 2)).collect();
        assert!(right.proof.check(&instance, &u, &cheaper).is_err());
        let mut wrong = right.clone();
        match &mut wrong.proof.lightest[0] {
            Lightest::Path(potentials) => {
                for potential in potentials.iter_mut() {
                    *potential *= ratio(2, 1);
                }
            }
            Lightest::Tree(tree) => tree.cost += Rational::one(),
        }
        assert!(matches!(
            wrong.check(&instance),
            Err(SeparationError::Unproved(_))
        ));
        let mut wrong = right.clone();
        wrong.weighted.matchings.pop();
        assert!(matches!(
            wrong.check(&instance),
            Err(SeparationError::Unproved(_))
        ));
        let mut wrong = right;
        wrong.proof.lightest.pop();
        assert!(matches!(
            wrong.check(&instance),
            Err(SeparationError::Unproved(_))
        ));
    }
}

/// A heaviest matching by cutting planes over degrees and odd sets (Edmonds): no code is shared except the numbers.
#[test]
fn heaviest_matchings_by_cuts() {
    let mut odd = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(900 + seed);
        let nodes = 4 + dice.below(6);
        let mut edges: Vec<(usize, usize, u64)> = Vec::new();
        for _ in 0..nodes + dice.below(2 * nodes) {
            let a = dice.below(nodes);
            edges.push((
                a,
                (a + 1 + dice.below(nodes - 1)) % nodes,
                1 + dice.below(if seed % 2 == 0 { 3 } else { 99 }) as u64,
            ));
        }
        let found = heaviest_matching(nodes, &edges).expect("fits");
        found.check(nodes, &edges).expect("proved");
        let whole = |number: u64| ratio(number, 1);
        let mut program = LinearProgram::new(Sense::Maximize);
        let rows: Vec<_> = (0..nodes)
            .map(|_| program.add_row(Relation::AtMost, Rational::one()))
            .collect();
        let mut columns = Vec::new();
        for (a, b, weight) in &edges {
            let ends = [(rows[*a], Rational::one()), (rows[*b], Rational::one())];
            columns.push(program.add_column(whole(*weight), ends).expect("fits"));
        }
        let graph = PortGraph {
            capacities: vec![1; nodes],
            edges: edges.iter().map(|(a, b, _)| [Some(*a), Some(*b)]).collect(),
        };
        let mut solver = Solver::new(program);
        let value = loop {
            let Outcome::Optimal(best) = solver
                .solve(&oneport_exact::Options::default())
                .expect("solved")
            else {
                panic!("an optimum exists")
            };
            let x: Vec<Rational> = columns
                .iter()
                .map(|&column| best.primal.get(column))
                .collect();
            let cuts = separate(&graph, &x, &Rational::one()).expect("times");
            if cuts.is_empty() {
                break best.objective;
            }
            for cut in cuts {
                odd += 1;
                let side = ratio(cut.capacity(&graph), 1);
                let entries = cut
                    .members(&graph)
                    .into_iter()
                    .map(|edge| (columns[edge], Rational::one()));
                solver
                    .add_row(Relation::AtMost, side, entries)
                    .expect("fits");
            }
        };
        assert_eq!(value, ratio(found.weight(&edges), 1), "seed {seed}");
    }
    assert!(odd >= 10, "{odd} odd sets mattered");
}

/// Questions that do not fit are refused by name.
#[test]
fn refusals() {
    let (platform, _) = platform(1, 4);
    let mut all: Vec<NodeId> = platform.node_ids().collect();
    let full = platform.clone().with_model(PortModel::FullDuplex);
    let refused = |platform: &Platform, collective: &Collective| {
        Instance::new(platform, collective)
            .expect_err("refused")
            .to_string()
    };
    assert!(refused(&full, &collective(&platform, 0)).contains("is full-duplex"));
    let reduce = Collective::reduce(all[0], all.clone()).in_order();
    assert!(refused(&platform, &reduce).contains("combines values"));
    let (source, last) = (all.remove(0), all.pop().expect("three nodes"));
    let some = Collective::broadcast(source, all.iter().copied().chain([last]).skip(1).collect());
    assert!(refused(&platform, &some).contains("leaves out node"));
    let instance = Instance::new(&platform, &collective(&platform, 0)).expect("fits");
    assert!(matches!(
        instance.separate(&Rational::zero(), &[]),
        Err(SeparationError::PricesCount { prices: 0, .. })
    ));
    assert!(matches!(
        instance.restricted([vec![0, 0]], [], &Watch::unlimited()),
        Err(SeparationError::NotOfInstance {
            what: "matching",
            index: 0
        })
    ));
}
