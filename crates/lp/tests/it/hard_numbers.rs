//! Long numbers and near ties: answers that a formula gives, that another program finds, or that scale.

use num_bigint::BigInt;
use num_traits::One;
use oneport_lp::{Formulation, Options, Question, Solution, solve};
use oneport_plan::{Collective, Problem, Status, Volumes};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_testkit::Dice;
use oneport_testkit::ratio;

/// Unrelated numbers of this number of digits over others.
struct Draw {
    dice: Dice,
    digits: usize,
}

impl Draw {
    fn long(&mut self) -> BigInt {
        let first = BigInt::from(1 + self.dice.below(9));
        (1..self.digits).fold(first, |number, _| number * 10 + self.dice.below(10))
    }

    fn fraction(&mut self) -> Rational {
        let denominator = self.long();
        ratio(self.long(), denominator)
    }
}

fn power_of_ten(exponent: u32) -> Rational {
    whole(BigInt::from(10).pow(exponent))
}

/// Processors of these speeds, joined by these pairs of links.
fn platform(
    model: PortModel,
    computes: &[Rational],
    pairs: &[(usize, usize, Rational, Rational)],
) -> Platform {
    let mut builder = Platform::builder();
    let add = |(index, compute): (usize, &Rational)| {
        builder.node(Node::processor(format!("p{index}"), compute.clone()))
    };
    let nodes: Vec<NodeId> = computes
        .iter()
        .enumerate()
        .map(add)
        .collect::<Result<_, _>>()
        .unwrap();
    for (one, other, there, back) in pairs {
        builder
            .link(nodes[*one], nodes[*other], there.clone())
            .unwrap();
        builder
            .link(nodes[*other], nodes[*one], back.clone())
            .unwrap();
    }
    builder.build().unwrap().with_model(model)
}

#[track_caller]
fn solved(platform: &Platform, collective: &Collective, formulation: Formulation) -> Solution {
    let volumes = Volumes::of_size(Rational::one());
    let question = Question::new(&Problem::new(platform, collective, &volumes).unwrap());
    solve(&question, &Options::from(formulation)).unwrap()
}

fn scatter(platform: &Platform) -> Collective {
    let mut nodes = platform.node_ids();
    Collective::scatter(nodes.next().unwrap(), nodes.collect())
}

fn broadcast(platform: &Platform) -> Collective {
    let mut nodes = platform.node_ids();
    Collective::broadcast(nodes.next().unwrap(), nodes.collect())
}

/// The hub sends all messages in sequence: the costs add up, and so do the lengths of their denominators.
#[test]
fn stars_of_long_fractions_take_the_sum() {
    for (leaves, digits) in [(12, 200), (40, 60)] {
        let mut draw = Draw {
            dice: Dice::new(5),
            digits,
        };
        let pairs: Vec<_> = (1..=leaves)
            .map(|leaf| (0, leaf, draw.fraction(), draw.fraction()))
            .collect();
        let platform = platform(
            PortModel::FullDuplex,
            &vec![Rational::one(); leaves + 1],
            &pairs,
        );
        let time: Rational = pairs.iter().map(|(.., there, _)| there).sum();
        for (collective, formulation) in [
            (scatter(&platform), Formulation::Columns),
            (scatter(&platform), Formulation::Compact),
            (broadcast(&platform), Formulation::Columns),
        ] {
            let solution = solved(&platform, &collective, formulation);
            assert_eq!(
                (solution.status, &solution.steady_state.throughput),
                (Status::Optimal, &time.recip())
            );
        }
    }
}

/// A link carries the messages of all nodes behind it.
#[test]
fn chains_of_long_fractions_take_the_busiest_link() {
    let (nodes, mut draw) = (
        40,
        Draw {
            dice: Dice::new(7),
            digits: 100,
        },
    );
    let pairs: Vec<_> = (1..nodes)
        .map(|end| (end - 1, end, draw.fraction(), draw.fraction()))
        .collect();
    let platform = platform(PortModel::FullDuplex, &vec![Rational::one(); nodes], &pairs);
    let busy = |(index, (.., cost, _)): (usize, &(usize, usize, Rational, Rational))| {
        cost * whole(nodes - 1 - index)
    };
    let time = pairs.iter().enumerate().map(busy).max().unwrap();
    for formulation in [Formulation::Columns, Formulation::Compact] {
        let solution = solved(&platform, &scatter(&platform), formulation);
        assert_eq!(
            (solution.status, solution.steady_state.throughput),
            (Status::Optimal, time.recip())
        );
    }
}

/// One complete platform twice, with all times of the second multiplied by this factor.
fn twins(
    model: PortModel,
    nodes: usize,
    factor: &Rational,
    mut time: impl FnMut() -> Rational,
) -> [Platform; 2] {
    let computes: Vec<Rational> = (0..nodes).map(|_| time()).collect();
    let pairs = (0..nodes).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs: Vec<_> = pairs
        .map(|(one, other)| (one, other, time(), time()))
        .collect();
    let scaled: Vec<_> = pairs
        .iter()
        .map(|(one, other, a, b)| (*one, *other, a * factor, b * factor))
        .collect();
    let slow: Vec<Rational> = computes.iter().map(|time| time * factor).collect();
    [
        platform(model, &computes, &pairs),
        platform(model, &slow, &scaled),
    ]
}

/// The collective takes the same shares of the two platforms.
#[track_caller]
fn scale(platforms: &[Platform; 2], factor: &Rational, collective: &Collective) -> Rational {
    let [one, other] =
        [0, 1].map(|index| solved(&platforms[index], collective, Formulation::Columns));
    for solution in [&one, &other] {
        assert_eq!(
            solution.status,
            Status::Optimal,
            "{} of {}",
            solution.steady_state.throughput,
            solution.upper_bound
        );
    }
    assert_eq!(
        one.steady_state.throughput,
        &other.steady_state.throughput * factor
    );
    one.steady_state.throughput
}

/// Costs `1 + {0..3} 10^-9`: HiGHS takes them for equal.
#[test]
fn near_ties_are_no_ties() {
    let factor = power_of_ten(9);
    for (seed, model) in [
        (1, PortModel::FullDuplex),
        (2, PortModel::FullDuplex),
        (3, PortModel::HalfDuplex),
    ] {
        let mut dice = Dice::new(seed);
        let time = || Rational::one() + whole(dice.below(4)) / power_of_ten(9);
        let platforms = twins(model, 4, &factor, time);
        let all: Vec<NodeId> = platforms[0].node_ids().collect();
        let tie = Rational::one() - ratio(3, 1) / power_of_ten(8);
        let scan = scale(&platforms, &factor, &Collective::scan(all.clone()));
        let even = twins(model, 4, &factor, Rational::one);
        let level = scale(&even, &factor, &Collective::scan(all.clone()));
        assert!(&level * tie <= scan && scan <= level, "{scan} and {level}");
        scale(&platforms, &factor, &Collective::all_gather(all.clone()));
        if model == PortModel::FullDuplex {
            let reduce = Collective::reduce(all[0], all).in_order();
            let columns = scale(&platforms, &factor, &reduce);
            assert_eq!(
                columns,
                solved(&platforms[0], &reduce, Formulation::Compact)
                    .steady_state
                    .throughput
            );
        }
    }
}

/// Costs from `10^-12` to `10^12`, of which rounded prices represent few.
#[test]
fn costs_of_all_magnitudes_scale() {
    let factor = power_of_ten(12);
    for seed in [4, 5] {
        let mut dice = Dice::new(seed);
        let mut time = || {
            let mantissa = whole(1 + dice.below(9));
            mantissa * power_of_ten(dice.below(25)) / power_of_ten(12)
        };
        let platforms = twins(PortModel::FullDuplex, 5, &factor, &mut time);
        let all: Vec<NodeId> = platforms[0].node_ids().collect();
        scale(&platforms, &factor, &Collective::all_gather(all.clone()));
        let reduce = Collective::reduce(all[0], all).in_order();
        let columns = scale(&platforms, &factor, &reduce);
        assert_eq!(
            columns,
            solved(&platforms[0], &reduce, Formulation::Compact)
                .steady_state
                .throughput
        );
    }
}
