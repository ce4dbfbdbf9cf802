//! Links of cost 0: the definition as one program, and unbounded problems.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_exact::{LinearProgram, Relation, Row, Sense};
use oneport_lp::{Formulation, LpError, Options, Question, RingError, cut_bound, rings, solve};
use oneport_plan::{Collective, Problem, Volumes};
use oneport_platform::{Change, Node, NodeId, Number, Platform, PortModel, Rational};
use oneport_watch::Watch;

use crate::common::naive::{self, Dice, Load};
use crate::common::ratio;

/// A random platform with some links of cost 0.
fn platform(dice: &mut Dice, nodes: usize, model: PortModel) -> Platform {
    let platform = naive::random(dice, naive::processors(nodes), model, 2);
    let free: Vec<Change> = platform
        .link_ids()
        .filter(|_| dice.below(3) == 0)
        .map(|link| Change::Cost(link, Number::Exactly(Rational::zero())))
        .collect();
    platform.changed(&free).unwrap().platform
}

fn is_free(load: &Load) -> bool {
    load.links
        .values()
        .chain(load.processors.values())
        .all(Zero::is_zero)
}

fn answer(
    platform: &Platform,
    collective: &Collective,
    formulation: Formulation,
) -> Result<Rational, LpError> {
    let volumes = Volumes::of_size(ratio(3, 2));
    let problem = Problem::new(platform, collective, &volumes).unwrap();
    let options = Options::from(formulation);
    let solution = solve(&Question::new(&problem), &options)?;
    oneport_referee::check_steady_state(&problem, &solution.steady_state, &Watch::unlimited())
        .unwrap();
    let bound =
        oneport_referee::bound(&problem, &solution.certificate, &Watch::unlimited()).unwrap();
    assert_eq!(
        bound, solution.steady_state.throughput,
        "{collective:?} {platform:?}"
    );
    Ok(bound)
}

#[test]
fn the_definition_holds_with_links_that_cost_nothing() {
    let (mut solved, mut unbounded) = (0, 0);
    for seed in 0..120 {
        let dice = &mut Dice::new(seed);
        let model = [
            PortModel::FullDuplex,
            PortModel::HalfDuplex,
            PortModel::Links,
        ][dice.below(3)];
        let platform = platform(dice, 3, model);
        let all: Vec<NodeId> = platform.processors().collect();
        let (first, others) = (all[0], all[1..].to_vec());
        let collective = match seed % 7 {
            0 => Collective::scatter(first, others),
            1 => Collective::gather(first, others),
            2 => Collective::all_to_all(all),
            3 => Collective::broadcast(first, others),
            4 => Collective::all_gather(all),
            5 => Collective::reduce(first, all).in_order(),
            _ => Collective::reduce_scatter(all).in_order(),
        };
        let volumes = Volumes::of_size(ratio(3, 2));
        let demands = naive::demands(&platform, &collective, &volumes);
        if demands.iter().all(|(_, loads)| loads.iter().any(is_free)) {
            for formulation in [Formulation::Columns, Formulation::Compact] {
                let refusal = answer(&platform, &collective, formulation).unwrap_err();
                assert!(matches!(refusal, LpError::Unbounded { .. }), "{refusal}");
                assert!(
                    refusal
                        .to_string()
                        .contains(&format!("of {} gets there in no time", collective.name()))
                );
            }
            unbounded += 1;
            continue;
        }
        let found = naive::check(&platform, &collective, &volumes);
        let has_compact = model == PortModel::FullDuplex;
        if has_compact {
            assert_eq!(
                answer(&platform, &collective, Formulation::Compact).unwrap(),
                found,
                "seed {seed}"
            );
        }
        solved += 1;
    }
    assert!(solved > 60 && unbounded > 3, "{solved} {unbounded}");
}

/// A cycle of cost 0 next to the path: no search runs in circles without end.
#[test]
fn cycles_that_cost_nothing_end() {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..4)
        .map(|n| {
            builder
                .node(Node::processor(format!("P{n}"), Rational::one()))
                .unwrap()
        })
        .collect();
    for (from, to, cost) in [
        (0, 1, 0),
        (1, 2, 0),
        (2, 0, 0),
        (1, 0, 0),
        (2, 3, 1),
        (3, 0, 2),
    ] {
        builder.link(ids[from], ids[to], ratio(cost, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let scatter = Collective::scatter(ids[0], ids[1..].to_vec());
    let gossip = Collective::all_gather(ids.clone());
    let sum = Collective::reduce(ids[0], ids.clone()).in_order();
    // One message a period over 2 -> 3, of size 3/2. All of them over it. One over 3 -> 0 at cost 2.
    for (collective, throughput) in [
        (scatter, ratio(2, 3)),
        (gossip, ratio(2, 9)),
        (sum, ratio(1, 3)),
    ] {
        for formulation in [Formulation::Columns, Formulation::Compact] {
            assert_eq!(
                answer(&platform, &collective, formulation).unwrap(),
                throughput,
                "{collective:?}"
            );
        }
    }
    let refused = answer(
        &platform,
        &Collective::all_reduce(ids.clone()),
        Formulation::Columns,
    );
    let told = refused.unwrap_err().to_string();
    assert!(
        told.starts_with("all-reduce: 'P0 -> P1' costs nothing"),
        "{told}"
    );
    let refused = rings(&platform, &ids, &oneport_lp::Watch::unlimited()).unwrap_err();
    assert!(matches!(refused, RingError::FreeLink { .. }), "{refused}");
    let links = platform.with_model(PortModel::Links);
    let volumes = Volumes::default();
    let gather = Collective::all_gather(ids);
    let question = Question::new(&Problem::new(&links, &gather, &volumes).unwrap());
    assert!(cut_bound(&question).unwrap().is_none());
}

/// The largest throughput if a message over a link occupies the sender's port for one time, the link for another and
/// the receiver's port for a third: all patterns, and a row for each port, link and processor.
fn apart(platform: &Platform, times: &[[Rational; 3]], demands: &[(u64, Vec<Load>)]) -> Rational {
    let mut program = LinearProgram::new(Sense::Maximize);
    let mut rows = || -> Vec<Row> {
        platform
            .node_ids()
            .map(|_| program.add_row(Relation::AtMost, Rational::one()))
            .collect()
    };
    let [sends, receives, busy] = [rows(), rows(), rows()];
    let network: Vec<Row> = platform
        .link_ids()
        .map(|_| program.add_row(Relation::AtMost, Rational::one()))
        .collect();
    let served: Vec<Row> = demands
        .iter()
        .map(|_| program.add_row(Relation::Equal, Rational::zero()))
        .collect();
    program
        .add_column(
            Rational::one(),
            served.iter().map(|&row| (row, -Rational::one())),
        )
        .unwrap();
    for ((_, loads), &row) in demands.iter().zip(&served) {
        for load in loads {
            let mut entries: BTreeMap<Row, Rational> = [(row, Rational::one())].into();
            for (&link, size) in &load.links {
                let (ends, [send, between, receive]) = (platform.link(link), &times[link.index()]);
                *entries.entry(network[link.index()]).or_default() += size * between;
                *entries.entry(sends[ends.from.index()]).or_default() += size * send;
                *entries.entry(receives[ends.to.index()]).or_default() += size * receive;
            }
            entries.extend(
                load.processors
                    .iter()
                    .map(|(node, time)| (busy[node.index()], time.clone())),
            );
            program.add_column(Rational::zero(), entries).unwrap();
        }
    }
    naive::maximum(&program).0
}

/// Every link through two relays: the sender's time into the first, the receiver's out of the second (docs/theory.md,
/// "Overheads of sender and receiver").
fn through_relays(platform: &Platform, times: &[[Rational; 3]]) -> Platform {
    let mut builder = Platform::builder();
    for node in platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for (link, [send, between, receive]) in platform.link_ids().zip(times) {
        let ends = platform.link(link);
        let [one, two] = [1, 2].map(|at| format!("{}, {at}", platform.link_name(link)));
        let [one, two] = [one, two].map(|name| builder.node(Node::router(name)).unwrap());
        builder.link(ends.from, one, send.clone()).unwrap();
        builder.link(one, two, between.clone()).unwrap();
        builder.link(two, ends.to, receive.clone()).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn senders_and_receivers_that_are_busy_for_different_times() {
    let mut different = 0;
    for seed in 0..40 {
        let dice = &mut Dice::new(seed);
        // Cost 1 on every link: the load of a pattern is the amount it sends there.
        let random = naive::random(dice, naive::processors(3), PortModel::FullDuplex, 2);
        let one = |link| Change::Cost(link, Number::Exactly(Rational::one()));
        let native = random
            .changed(&random.link_ids().map(one).collect::<Vec<_>>())
            .unwrap()
            .platform;
        let time = |dice: &mut Dice| ratio(dice.below(5) as i64, 1 + dice.below(2) as i64);
        let times: Vec<[Rational; 3]> = native
            .link_ids()
            .map(|_| [time(dice), time(dice), dice.cost()])
            .collect();
        let all: Vec<NodeId> = native.processors().collect();
        let collective = match seed % 4 {
            0 => Collective::broadcast(all[0], all[1..].to_vec()),
            1 => Collective::scatter(all[0], all[1..].to_vec()),
            2 => Collective::all_to_all(all),
            _ => Collective::reduce(all[0], all).in_order(),
        };
        let demands = naive::demands(&native, &collective, &Volumes::of_size(ratio(3, 2)));
        let found = apart(&native, &times, &demands);
        let relayed = through_relays(&native, &times);
        assert_eq!(
            answer(&relayed, &collective, Formulation::Columns).unwrap(),
            found,
            "seed {seed}"
        );
        // One time for both ends is another model.
        let longest = |it: &[Rational; 3]| it.iter().max().cloned().unwrap();
        let longer: Vec<[Rational; 3]> =
            times.iter().map(|it| [0; 3].map(|_| longest(it))).collect();
        different += usize::from(apart(&native, &longer, &demands) < found);
    }
    assert!(different > 3, "{different}");
}
