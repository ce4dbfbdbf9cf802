//! Reductions by column generation: the optimum of the compact program, certified by the referee, and theorems that
//! hold for every optimum.

use oneport_lp::{Formulation, LpError, Options, Question, Solution, Until, solve};
use oneport_plan::{Amount, Collective, Problem, Status, Volumes};
use oneport_platform::{Node, NodeId, Platform, Rational, ratio};
use oneport_referee as referee;
use oneport_testkit::Reductions;
use oneport_watch::Watch;
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Case {
    platform: Platform,
    collective: Collective,
    volumes: Volumes,
}

impl Case {
    fn with(&self, collective: Collective) -> Case {
        Case {
            collective,
            ..self.clone()
        }
    }

    /// The referee has checked both sides of the answer.
    #[track_caller]
    fn solve(&self, formulation: Formulation) -> Solution {
        let question =
            Question::new(&Problem::new(&self.platform, &self.collective, &self.volumes).unwrap());
        let solution = solve(&question, &Options::from(formulation)).unwrap();
        self.check(&solution);
        solution
    }

    #[track_caller]
    fn check(&self, solution: &Solution) {
        referee::check_steady_state(
            &Problem::new(&self.platform, &self.collective, &self.volumes).unwrap(),
            &solution.steady_state,
            &Watch::unlimited(),
        )
        .unwrap_or_else(|violation| panic!("{self:?}: {violation}"));
        let bound = referee::bound(
            &Problem::new(&self.platform, &self.collective, &self.volumes).unwrap(),
            &solution.certificate,
            &Watch::unlimited(),
        )
        .unwrap_or_else(|violation| panic!("{self:?}: {violation}"));
        assert_eq!(bound, solution.upper_bound, "{self:?}");
        let optimal = bound == solution.steady_state.throughput;
        assert_eq!(optimal, solution.status == Status::Optimal, "{self:?}");
        let resources = self.platform.nodes().len() * 3 + self.collective.reductions().len();
        assert!(
            solution.steady_state.patterns.len() <= resources,
            "{self:?}: as many trees as rows at most"
        );
    }

    #[track_caller]
    fn throughput(&self) -> Rational {
        let solution = self.solve(Formulation::Columns);
        assert_eq!(solution.status, Status::Optimal, "{self:?}");
        solution.steady_state.throughput
    }
}

fn amounts(operands: usize, least: i64) -> impl Strategy<Value = Amount> {
    let number = (least..7, 1..4i64).prop_map(|(n, d)| ratio(n, d));
    let rows: Vec<_> = (0..operands)
        .map(|first| prop::collection::vec(number.clone(), operands - first))
        .collect();
    prop_oneof![
        number.clone().prop_map(Amount::Constant),
        (number.clone(), number)
            .prop_map(|(fixed, per_operand)| Amount::Affine { fixed, per_operand }),
        rows.prop_map(Amount::Table),
    ]
}

/// Strongly connected platforms with routers. The operands are all or some processors, in any order.
fn cases(tables: bool) -> impl Strategy<Value = Case> {
    (3..6usize, 2..5usize)
        .prop_flat_map(|(nodes, operands)| {
            let operands = operands.min(nodes);
            (
                prop::collection::vec((1..8i64, 1..3i64), nodes),
                prop::collection::vec((0..nodes, 0..nodes, 1..8i64), 0..7),
                prop::collection::vec(1..8i64, nodes),
                Just((0..nodes).collect::<Vec<_>>()).prop_shuffle(),
                (0..nodes, any::<bool>()),
                (amounts(operands, 1), amounts(operands, 0)),
                Just(operands),
            )
        })
        .prop_map(
            move |(computes, links, ring, order, (target, scatter), (size, work), operands)| {
                let mut builder = Platform::builder();
                let ids: Vec<NodeId> = computes
                    .iter()
                    .enumerate()
                    .map(|(index, &(n, d))| {
                        // A node that takes no part may be a router.
                        let router =
                            n == 7 && order.iter().position(|&o| o == index).unwrap() >= operands;
                        let name = format!("n{index}");
                        let node = if router {
                            Node::router(name)
                        } else {
                            Node::processor(name, ratio(n, d))
                        };
                        builder.node(node).unwrap()
                    })
                    .collect();
                for (index, cost) in ring.iter().enumerate() {
                    builder
                        .link(ids[index], ids[(index + 1) % ids.len()], ratio(*cost, 2))
                        .unwrap();
                }
                for (from, to, cost) in links {
                    if from != to && to != (from + 1) % ids.len() {
                        let _ = builder.link(ids[from], ids[to], ratio(cost, 2));
                    }
                }
                let platform = builder.build().unwrap();
                let participants: Vec<NodeId> =
                    order[..operands].iter().map(|&index| ids[index]).collect();
                let target = if platform.node(ids[target]).is_processor() {
                    ids[target]
                } else {
                    participants[0]
                };
                let collective = if scatter && operands < 4 {
                    Collective::reduce_scatter(participants).in_order()
                } else {
                    Collective::reduce(target, participants).in_order()
                };
                let plain = |amount: Amount| match amount {
                    Amount::Table(rows) if !tables => Amount::Constant(rows[0][0].clone()),
                    other => other,
                };
                Case {
                    platform,
                    collective,
                    volumes: Volumes {
                        size: plain(size),
                        work: plain(work),
                    },
                }
            },
        )
}

fn commutative(collective: &Collective) -> Collective {
    collective.clone().commutative(true)
}

fn reordered(collective: &Collective, change: impl Fn(&mut Vec<NodeId>)) -> Collective {
    let mut cast: Vec<Vec<NodeId>> = collective
        .cast()
        .into_iter()
        .map(<[NodeId]>::to_vec)
        .collect();
    change(cast.last_mut().unwrap());
    collective
        .form()
        .unwrap()
        .build(&cast, collective.is_commutative())
        .unwrap()
}

fn scaled(amount: &Amount, factor: &Rational) -> Amount {
    match amount {
        Amount::Constant(amount) => Amount::Constant(amount * factor),
        Amount::Affine { fixed, per_operand } => Amount::Affine {
            fixed: fixed * factor,
            per_operand: per_operand * factor,
        },
        Amount::Table(rows) => Amount::Table(
            rows.iter()
                .map(|row| row.iter().map(|amount| amount * factor).collect())
                .collect(),
        ),
        Amount::Tasks(table) => Amount::Tasks(table.times(factor)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn trees_do_as_well_as_the_compact_program(case in cases(true)) {
        let compact = case.solve(Formulation::Compact);
        prop_assert_eq!(compact.status, Status::Optimal);
        prop_assert_eq!(case.throughput(), compact.steady_state.throughput);
    }

    #[test]
    fn twice_the_volume_is_half_the_throughput(case in cases(true)) {
        let two = ratio(2, 1);
        let volumes = Volumes { size: scaled(&case.volumes.size, &two), work: scaled(&case.volumes.work, &two) };
        let double = Case { volumes, ..case.clone() };
        prop_assert_eq!(double.throughput() * two, case.throughput());
    }

    /// `v0 + v1 + v2` read from right to left: sizes and works depend on the number of operands alone.
    #[test]
    fn the_order_may_be_mirrored(case in cases(false)) {
        let mirrored = case.with(reordered(&case.collective, |participants| participants.reverse()));
        prop_assert_eq!(mirrored.throughput(), case.throughput());
    }

    #[test]
    fn commuting_never_hurts_and_knows_no_order(case in cases(false)) {
        let free = case.with(commutative(&case.collective));
        let best = free.throughput();
        prop_assert!(best >= case.throughput());
        let rotated = case.with(reordered(&free.collective, |participants| participants.rotate_left(1)));
        prop_assert_eq!(rotated.throughput(), best);
    }

    /// With a commutative operator the best order of operands is at least as good as any fixed one, and no better than
    /// all orders together: every tree keeps one of them.
    #[test]
    fn two_operands_commute_by_themselves(case in cases(false)) {
        let two = case.with(reordered(&case.collective, |participants| participants.truncate(2)));
        let free = two.with(commutative(&two.collective));
        prop_assert_eq!(two.throughput(), free.throughput());
    }

    #[test]
    fn reduce_scatter_is_between_its_slowest_reduction_and_taking_turns(case in cases(true)) {
        let participants = case.collective.operands().unwrap().to_vec();
        let together = case.with(Collective::reduce_scatter(participants.clone()).in_order());
        let alone: Vec<Rational> = participants
            .iter()
            .map(|&target| {
                case.with(Collective::reduce(target, participants.clone()).in_order()).throughput()
            })
            .collect();
        let throughput = together.throughput();
        prop_assert!(alone.iter().all(|one| throughput <= *one));
        let in_turns: Rational = alone.iter().map(|one| one.recip()).sum();
        prop_assert!(throughput >= in_turns.recip());
    }

    #[test]
    fn stopped_early_it_holds_a_valid_bound(case in cases(true), rounds in 1..4usize) {
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap());
        let options = Options { until: Until::rounds(rounds), ..Options::default() };
        let early = solve(&question, &options).unwrap();
        case.check(&early);
        let best = case.throughput();
        prop_assert!(early.steady_state.throughput <= best && best <= early.upper_bound);
    }
}

#[test]
fn commutative_operators_have_no_compact_program() {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = ["a", "b"]
        .map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap())
        .to_vec();
    builder.link(ids[0], ids[1], ratio(1, 1)).unwrap();
    let platform = builder.build().unwrap();
    let collective = Collective::reduce(ids[1], ids);
    let volumes = Volumes::of_size(ratio(1, 1));
    let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
    let refusal = solve(&question, &Options::from(Formulation::Compact)).unwrap_err();
    assert!(matches!(refusal, LpError::CompactCommutative), "{refusal}");
}
