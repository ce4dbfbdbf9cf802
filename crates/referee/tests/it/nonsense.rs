//! For all values of the public fields, the referee answers and does not panic.

use crate::common;

use crate::common::ask::check_timeline;
use common::mutate::{plan_mutants, timeline_mutants};
use common::*;
use num_bigint::BigInt;
use oneport_plan::inequality::{
    Balance, Border, Cut, Direction, Exchange, Gathering, Inequality, Keeps, Merges, Need, Place,
    Tree,
};
use oneport_plan::{
    Amount, CapacityRow, Certificate, Collective, Event, Interval, Member, MergeEvent, Message,
    OddSet, Pattern, PeriodicSchedule, Resource, ScheduledPattern, Slot, Status, SteadyState, Task,
    Timeline, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, PortModel, Rational};
use proptest::prelude::*;

/// Ordinary and absurd numbers, down to fractions that no arithmetic makes.
fn number(dice: &mut Dice) -> Rational {
    let raw =
        |numerator: i64, denominator: i64| Rational::new_raw(numerator.into(), denominator.into());
    match dice.below(12) {
        0 => ratio(0, 1),
        1 => -dice.fraction(5),
        2 => Rational::new((BigInt::from(1) << 5000) + 1, (BigInt::from(1) << 4000) + 3),
        3 => Rational::new(1.into(), (BigInt::from(3)).pow(3000)),
        4 => raw(1, 0),
        5 => raw(0, 0),
        6 => raw(-2, -4),
        7 => raw(6, 4),
        8 => Rational::new_raw(BigInt::from(1) << 400, 0.into()),
        _ => dice.fraction(4),
    }
}

fn index(dice: &mut Dice) -> usize {
    [9999, usize::MAX, u32::MAX as usize, 5, 6]
        .get(dice.below(25))
        .copied()
        .unwrap_or_else(|| dice.below(5))
}

fn list<T>(dice: &mut Dice, mut item: impl FnMut(&mut Dice) -> T) -> Vec<T> {
    (0..dice.below(4)).map(|_| item(dice)).collect()
}

fn link(dice: &mut Dice) -> LinkId {
    LinkId::new(index(dice))
}

fn node(dice: &mut Dice) -> NodeId {
    NodeId::new(index(dice))
}

fn pattern(dice: &mut Dice) -> Pattern {
    if dice.one_in(2) {
        return Pattern::path(index(dice), list(dice, link));
    }
    let order = dice.one_in(3).then(|| list(dice, index));
    match dice.below(3) {
        0 => {
            let hop = |dice: &mut Dice| (link(dice), dice.one_in(2).then(|| index(dice) as u32));
            return Pattern::arborescence(index(dice), list(dice, hop));
        }
        1 => {
            let input = |dice: &mut Dice| dice.one_in(2).then(|| index(dice) as u32);
            let of_scheme = |dice: &mut Dice| match task(dice) {
                Task::Send { link, part, .. } => Task::Send {
                    link,
                    part,
                    after: input(dice),
                },
                Task::Merge {
                    node, part, split, ..
                } => Task::Merge {
                    node,
                    part,
                    split,
                    left: input(dice),
                    right: input(dice),
                },
            };
            return Pattern {
                demand: index(dice),
                order,
                tasks: list(dice, of_scheme),
            };
        }
        _ => {}
    }
    Pattern::tree(index(dice), order, list(dice, task))
}

fn task(dice: &mut Dice) -> Task {
    if dice.one_in(2) {
        Task::send(link(dice), interval(dice))
    } else {
        Task::merge(node(dice), interval(dice), index(dice))
    }
}

fn interval(dice: &mut Dice) -> Interval {
    Interval {
        first: index(dice),
        last: index(dice),
    }
}

fn message(dice: &mut Dice) -> Message {
    Message {
        demand: index(dice),
        part: interval(dice),
    }
}

fn amount(dice: &mut Dice) -> Amount {
    match dice.below(3) {
        0 => Amount::Constant(number(dice)),
        1 => Amount::Affine {
            fixed: number(dice),
            per_operand: number(dice),
        },
        _ => Amount::Table(list(dice, |dice| list(dice, number))),
    }
}

fn count(dice: &mut Dice) -> u64 {
    [u64::MAX, 0, 1 << 40]
        .get(dice.below(9))
        .copied()
        .unwrap_or(1 + dice.below(3) as u64)
}

fn collective(dice: &mut Dice) -> Collective {
    let commutative = dice.one_in(2);
    match dice.below(10) {
        4 => Collective::broadcast(node(dice), list(dice, node)),
        5 => Collective::all_gather(list(dice, node)),
        6 => Collective::all_reduce(list(dice, node)).commutative(commutative),
        7 => Collective::scan(list(dice, node)),
        8 => {
            let member = |dice: &mut Dice| Member {
                collective: collective(dice),
                rate: count(dice),
            };
            Collective::Groups(list(dice, member))
        }
        0 => Collective::scatter(node(dice), list(dice, node)),
        1 => Collective::gather(node(dice), list(dice, node)),
        2 => Collective::reduce(node(dice), list(dice, node)).commutative(commutative),
        3 => Collective::reduce_scatter(list(dice, node)).commutative(commutative),
        _ => Collective::all_to_all(list(dice, node)),
    }
}

/// Replaces some parts of an honest plan, or all of them.
fn garble(dice: &mut Dice, plan: &mut Plan) {
    let all = dice.one_in(4);
    let hit = |dice: &mut Dice| all || dice.one_in(5);
    if hit(dice) {
        plan.collective = collective(dice);
    }
    if hit(dice) {
        plan.volumes = Volumes {
            size: amount(dice),
            work: amount(dice),
        };
    }
    if hit(dice) {
        let weighted = |dice: &mut Dice| WeightedPattern {
            pattern: pattern(dice),
            weight: number(dice),
        };
        plan.steady_state = SteadyState {
            throughput: number(dice),
            patterns: list(dice, weighted),
        };
    }
    for weighted in &mut plan.steady_state.patterns {
        if hit(dice) {
            weighted.weight = number(dice);
        }
    }
    if hit(dice) {
        let price = |dice: &mut Dice| {
            let node = node(dice);
            let kinds = [
                Resource::Send,
                Resource::Receive,
                Resource::Compute,
                Resource::Port,
            ];
            let resource = if dice.one_in(4) {
                Resource::Link(link(dice))
            } else {
                kinds[dice.below(4)](node)
            };
            (resource, number(dice))
        };
        let odd_set = |dice: &mut Dice| {
            let ports = list(dice, |dice| price(dice).0);
            (
                OddSet {
                    ports,
                    links: list(dice, link),
                },
                number(dice),
            )
        };
        let direction = |dice: &mut Dice| {
            if dice.one_in(2) {
                Direction::Into
            } else {
                Direction::OutOf
            }
        };
        let inequality = |dice: &mut Dice| match dice.below(8) {
            0 => Inequality::Cut(Cut {
                nodes: list(dice, node),
            }),
            1 => Inequality::Border(Border {
                direction: direction(dice),
                sets: list(dice, |dice| list(dice, node)),
            }),
            2 => Inequality::Gathering(Gathering {
                nodes: list(dice, node),
            }),
            3 => {
                let keeps = if dice.one_in(2) {
                    Keeps::AllThatArrives
                } else {
                    Keeps::NoMoreThanArrives
                };
                Inequality::Balance(Balance {
                    node: node(dice),
                    keeps,
                })
            }
            4 => Inequality::Merges(Merges),
            5 => Inequality::Place(Place),
            6 => Inequality::Exchange(Exchange {
                direction: direction(dice),
                parts: list(dice, |dice| list(dice, node)),
                lengths: list(dice, |dice| (link(dice), number(dice))),
            }),
            _ => {
                let prices = list(dice, |dice| (task(dice), number(dice)));
                Inequality::Tree(Tree {
                    goal: index(dice),
                    prices,
                })
            }
        };
        let need = |dice: &mut Dice| Need {
            demand: (!dice.one_in(4)).then(|| index(dice)),
            inequality: inequality(dice),
            weight: number(dice),
        };
        let prices = list(dice, price)
            .into_iter()
            .map(|(one, price)| (CapacityRow::Resource(one), price));
        let sets = list(dice, odd_set)
            .into_iter()
            .map(|(set, price)| (CapacityRow::OddSet(set), price));
        plan.certificate = Certificate {
            rows: prices.chain(sets).collect(),
            needs: list(dice, need),
        };
    }
    if hit(dice) {
        plan.upper_bound = number(dice);
    }
    if hit(dice) {
        let scheduled = |dice: &mut Dice| {
            let copies = if dice.one_in(4) {
                num_bigint::BigUint::from(1u32) << 9000
            } else {
                dice.below(3_usize).into()
            };
            ScheduledPattern {
                pattern: pattern(dice),
                copies,
            }
        };
        plan.schedule = PeriodicSchedule {
            period: number(dice),
            instances: dice.below(3_usize).into(),
            patterns: list(dice, scheduled),
            slots: list(dice, |dice| Slot {
                shares: Vec::new(),
                length: number(dice),
                links: list(dice, link),
            }),
        };
    }
    for slot in &mut plan.schedule.slots {
        if hit(dice) {
            slot.length = number(dice);
        }
    }
    plan.status = if dice.one_in(2) {
        Status::Optimal
    } else {
        Status::Feasible
    };
}

fn merge(dice: &mut Dice) -> MergeEvent {
    MergeEvent {
        instance: count(dice).wrapping_sub(1),
        message: message(dice),
        split: index(dice),
        node: node(dice),
        start: number(dice),
        end: number(dice),
    }
}

fn garble_run(dice: &mut Dice, run: &mut Timeline) {
    let hit = |dice: &mut Dice| dice.one_in(4);
    if hit(dice) {
        run.period = number(dice);
    }
    for field in [
        &mut run.starting_periods,
        &mut run.instances_per_period,
        &mut run.clean_up_periods,
    ] {
        if hit(dice) {
            *field = count(dice);
        }
    }
    for event in &mut run.events {
        if hit(dice) {
            *event = Event {
                instance: count(dice).wrapping_sub(1),
                message: message(dice),
                link: link(dice),
                pieces: list(dice, |dice| (number(dice), number(dice))),
            };
        }
    }
    if run.merges.is_empty() {
        run.merges = list(dice, merge);
    }
    for event in &mut run.merges {
        if hit(dice) {
            *event = merge(dice);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbled_plans_and_runs_get_an_answer(seed: u64) {
        let mut dice = Dice(seed);
        let honest = match dice.below(6) {
            4 | 5 => every::plan(&mut dice, false),
            0 => toy(),
            2 => reduce_toy(),
            1 => ring(),
            _ => generate::plan(&mut dice, false),
        };
        let mut plan = honest.clone();
        garble(&mut dice, &mut plan);
        let _ = check_plan(&plan).map_err(|violation| violation.to_string());
        let mut run = unroll(&honest, 2);
        if dice.one_in(3) {
            plan.platform = plan.platform.with_model(PortModel::ALL[dice.below(4)]);
        }
        garble_run(&mut dice, &mut run);
        let _ = check_timeline(&honest.platform, &honest.collective, &honest.volumes, &run).map_err(|v| v.to_string());
        let _ = check_timeline(&plan.platform, &plan.collective, &plan.volumes, &run).map_err(|v| v.to_string());
    }
}

/// Every refusal of a single change has a text, with words that are not only numbers.
#[test]
fn every_refusal_has_words() {
    let plan = toy();
    let mut messages: Vec<String> = plan_mutants(&plan)
        .iter()
        .filter_map(|mutant| check_plan(&mutant.value).err())
        .map(|v| v.to_string())
        .collect();
    let run = unroll(&plan, 2);
    let check =
        |run: &Timeline| check_timeline(&plan.platform, &plan.collective, &plan.volumes, run);
    messages.extend(
        timeline_mutants(&plan, &run)
            .iter()
            .filter_map(|m| check(&m.value).err())
            .map(|v| v.to_string()),
    );
    for message in messages {
        assert!(
            message.chars().any(char::is_alphabetic) && message.len() < 400,
            "{message}"
        );
    }
}
