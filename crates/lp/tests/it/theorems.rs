//! Theorems that hold on every platform: formulations agree, gather is scatter reversed, certificates prove, laws of
//! scale.

use crate::common;

use common::{
    Case, cases, connected_cases, ratio, relinked, reversed, simple_paths, solution, throughput,
};
use num_traits::{One, Zero};
use oneport_lp::{Formulation, LpError, Options, Question, Watch, solve};
use oneport_plan::{
    Certificate, Collective, Commodity, CustomDemand, Form, Problem, ProblemError, Resource,
    Status, Volumes, Wanted,
};
use oneport_platform::generate::{self, Costs};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational};
use oneport_testkit::toys;
use proptest::prelude::*;

const BOTH: [Formulation; 2] = [Formulation::Columns, Formulation::Compact];

/// Both formulations: a valid steady state, a certificate that proves it, and equal throughputs.
#[track_caller]
fn certify(case: &Case) -> Rational {
    let proved = BOTH.map(|formulation| {
        let solution = solution(case, formulation);
        let Case {
            platform,
            collective,
            ..
        } = case;
        oneport_referee::check_steady_state(
            &Problem::new(platform, collective, case.volumes()).unwrap(),
            &solution.steady_state,
            &Watch::unlimited(),
        )
        .unwrap_or_else(|violation| panic!("{formulation:?}, {case:?}: {violation}"));
        let bound = oneport_referee::bound(
            &Problem::new(platform, collective, case.volumes()).unwrap(),
            &solution.certificate,
            &Watch::unlimited(),
        )
        .unwrap_or_else(|violation| panic!("{formulation:?}, {case:?}: {violation}"));
        assert_eq!(
            bound, solution.steady_state.throughput,
            "{formulation:?}, {case:?}"
        );
        assert_eq!(bound, solution.upper_bound, "{formulation:?}, {case:?}");
        assert_eq!(
            solution.status,
            Status::Optimal,
            "{formulation:?}, {case:?}"
        );
        bound
    });
    assert_eq!(proved[0], proved[1], "{case:?}: the formulations differ");
    proved[0].clone()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_formulations_are_optimal(case in connected_cases(7, 16)) {
        certify(&case);
    }

    /// A message of rate `r` equals `r` messages, also if a watch ends the program and multiplicative weights answer.
    #[test]
    fn rates_of_flows_are_repeated_messages(case in connected_cases(6, 12), rates in prop::collection::vec(0..4u64, 30), asks in 0..30u64) {
        let rated = |(at, message): (usize, Commodity)| CustomDemand {
            owners: vec![message.source],
            wanted: Wanted::At(vec![message.target]),
            commutative: false,
            rate: rates[at],
        };
        let demands = case.collective.commodities().into_iter().enumerate().map(rated);
        let demands: Vec<CustomDemand> = demands.filter(|demand| demand.rate > 0).collect();
        prop_assume!(!demands.is_empty());
        let repeated = demands.iter().flat_map(|demand| {
            (0..demand.rate).map(|_| CustomDemand { rate: 1, ..demand.clone() })
        });
        let case_of = |demands: Vec<CustomDemand>| Case { collective: Collective::Custom(demands), ..case.clone() };
        let (one, twin) = (case_of(demands.clone()), case_of(repeated.collect()));
        let optimum = throughput(&twin);
        prop_assert_eq!(&throughput(&one), &optimum);
        let problem = Problem::new(&one.platform, &one.collective, one.volumes()).unwrap();
        oneport_referee::check_steady_state(&problem, &solution(&one, Formulation::Columns).steady_state, &Watch::unlimited()).unwrap();
        let ending = Question::new(&problem).watched(Watch::counting(asks, std::time::Duration::MAX));
        match solve(&ending, &Options::default()) {
            Ok(early) => {
                let state = &early.steady_state;
                oneport_referee::check_steady_state(&problem, state, &Watch::unlimited()).unwrap();
                prop_assert_eq!(oneport_referee::bound(&problem, &early.certificate, &Watch::unlimited()), Ok(early.upper_bound.clone()));
                prop_assert!(state.throughput <= optimum && optimum <= early.upper_bound);
            }
            Err(error) => prop_assert!(matches!(error, LpError::Stopped(_)), "{error}"),
        }
    }

    #[test]
    fn unreachable_messages_are_named(case in cases(6, 5)) {
        let name = |node| case.platform.name(node).to_string();
        let expected: Vec<(String, String)> = case.collective.commodities().into_iter()
            .filter(|commodity| simple_paths(&case.platform, commodity.source, commodity.target).is_empty())
            .map(|commodity| (name(commodity.source), name(commodity.target)))
            .collect();
        match Problem::new(&case.platform, &case.collective, case.volumes()) {
            Ok(_) => prop_assert!(expected.is_empty(), "{case:?}"),
            Err(ProblemError::Unreachable { missing, .. }) => {
                prop_assert!(!expected.is_empty());
                prop_assert_eq!(&missing, &expected);
            }
            other => prop_assert!(false, "{case:?}: {other:?}"),
        }
    }

    #[test]
    fn gather_is_scatter_on_the_reversed_platform(case in connected_cases(7, 16)) {
        let reversed_collective = match case.collective.cast()[..] {
            [&[source], targets] if case.collective.is(Form::SCATTER) => Collective::gather(source, targets.to_vec()),
            [&[target], participants] => Collective::scatter(target, participants.to_vec()),
            _ => case.collective.clone(),
        };
        let mirror = Case { platform: reversed(&case.platform), collective: reversed_collective, size: case.size.clone() };
        prop_assert_eq!(throughput(&case), throughput(&mirror));
    }

    #[test]
    fn any_prices_bound_the_optimum(case in connected_cases(5, 8), prices in prop::collection::vec(0..4i64, 10)) {
        let resources = case.platform.node_ids().flat_map(|node| [Resource::Send(node), Resource::Receive(node)]);
        let mut prices: Vec<(Resource, Rational)> =
            resources.zip(prices).filter(|(_, price)| *price > 0).map(|(r, price)| (r, ratio(price, 3))).collect();
        prices.sort();
        let certificate = Certificate::of_prices(prices);
        let bound = oneport_referee::bound(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &certificate, &Watch::unlimited());
        if let Ok(bound) = bound {
            prop_assert!(bound >= throughput(&case), "{case:?}: {bound}");
        }
    }

    #[test]
    fn time_scales(case in connected_cases(6, 12), p in 1..9i64, q in 1..9i64) {
        let factor = ratio(p, q);
        let slow = relinked(&case.platform, case.platform.links().iter().map(|l| (l.from, l.to, &l.cost * &factor)));
        let expected = throughput(&case) / &factor;
        prop_assert_eq!(&throughput(&Case { platform: slow, ..case.clone() }), &expected);
        let larger = Case { size: &case.size * &factor, ..case.clone() };
        prop_assert_eq!(&throughput(&larger), &expected);
        prop_assert_eq!(p >= q, expected <= throughput(&case));
    }

    #[test]
    fn another_link_never_hurts(case in cases(5, 6), index in 0..20usize, cost in 1..12i64) {
        let pairs = case.platform.node_ids().flat_map(|from| case.platform.node_ids().map(move |to| (from, to)));
        let free: Vec<(NodeId, NodeId)> =
            pairs.filter(|&(from, to)| from != to && case.platform.link_between(from, to).is_none()).collect();
        prop_assume!(!free.is_empty());
        let (from, to) = free[index % free.len()];
        let links = case.platform.links().iter().map(|link| (link.from, link.to, link.cost.clone()));
        let platform = relinked(&case.platform, links.chain([(from, to, ratio(cost, 2))]));
        let richer = Case { platform, ..case.clone() };
        prop_assert!(throughput(&richer) >= throughput(&case));
    }

    #[test]
    fn fewer_messages_never_hurt(case in cases(6, 12), index in 0..6usize) {
        let mut cast: Vec<Vec<NodeId>> = case.collective.cast().into_iter().map(<[NodeId]>::to_vec).collect();
        let least = if cast.len() == 1 { 2 } else { 1 };
        let members = cast.last_mut().unwrap();
        prop_assume!(members.len() > least);
        let index = index % members.len();
        members.remove(index);
        let fewer = case.collective.form().unwrap().build(&cast, false).unwrap();
        let fewer = Case { collective: fewer, ..case.clone() };
        prop_assert!(throughput(&fewer) >= throughput(&case));
    }

    #[test]
    fn numbering_does_not_matter(
        case in connected_cases(6, 12),
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        // `order` sorted by new index: old node `order[i]` becomes node `i`.
        let order: Vec<usize> = order.into_iter().filter(|&old| old < case.platform.nodes().len()).collect();
        let renamed = |old: NodeId| NodeId::new(order.iter().position(|&o| o == old.index()).unwrap());
        let mut builder = Platform::builder();
        for &old in &order {
            builder.node(case.platform.nodes()[old].clone()).unwrap();
        }
        for link in case.platform.links().iter().rev() {
            builder.link(renamed(link.from), renamed(link.to), link.cost.clone()).unwrap();
        }
        let all = |members: &[NodeId]| members.iter().rev().map(|&member| renamed(member)).collect::<Vec<_>>();
        let cast: Vec<Vec<NodeId>> = case.collective.cast().into_iter().map(all).collect();
        let collective = case.collective.form().unwrap().build(&cast, false).unwrap();
        let other = Case { platform: builder.build().unwrap(), collective, size: case.size.clone() };
        prop_assert_eq!(throughput(&other), throughput(&case));
    }

    /// A router in the middle of a link passes on as fast as it receives.
    #[test]
    fn a_router_on_the_way_costs_nothing(case in connected_cases(5, 8), index in 0..13usize) {
        let cut = index % case.platform.links().len();
        let mut builder = Platform::builder();
        for node in case.platform.nodes() {
            builder.node(node.clone()).unwrap();
        }
        let middle = builder.node(Node::router("middle")).unwrap();
        for (index, link) in case.platform.links().iter().enumerate() {
            if index == cut {
                builder.link(link.from, middle, link.cost.clone()).unwrap();
                builder.link(middle, link.to, link.cost.clone()).unwrap();
            } else {
                builder.link(link.from, link.to, link.cost.clone()).unwrap();
            }
        }
        let longer = Case { platform: builder.build().unwrap(), ..case.clone() };
        prop_assert_eq!(throughput(&longer), throughput(&case));
    }

    #[test]
    fn a_star_is_as_fast_as_its_hub(seed in 0..1000u64, leaves in 1..9usize) {
        let options = generate::Options { seed, ..Default::default() };
        let platform = generate::star(leaves, &options).unwrap();
        let hub = NodeId::new(0);
        let others: Vec<NodeId> = platform.processors().skip(1).collect();
        let total: Rational = platform.outgoing(hub).iter().map(|&link| &platform.link(link).cost).sum();
        let size = Rational::one();
        let scatter = Collective::scatter(hub, others.clone());
        let gather = Collective::gather(hub, others.clone());
        for collective in [scatter, gather] {
            let case = Case { platform: platform.clone(), collective, size: size.clone() };
            prop_assert_eq!(certify(&case), total.recip());
        }
        // Every leaf's message to every other passes the hub, which also sends its own.
        let participants: Vec<NodeId> = platform.processors().collect();
        let case = Case { platform, collective: Collective::all_to_all(participants), size };
        prop_assert_eq!(certify(&case), (total * ratio(leaves as i64, 1)).recip());
    }
}

/// The generated families, larger than the cases above.
#[test]
fn generated_platforms_are_certified() {
    for seed in 0..12 {
        let compute = Costs::Constant(Rational::one());
        let options = generate::Options {
            seed,
            link_cost: Costs::Uniform { low: 1, high: 30 },
            compute,
        };
        let platforms = [
            generate::random_connected(14, 3, &options),
            generate::grid(3, 4, &options),
            generate::ring(9, &options),
            generate::complete(7, &options),
        ];
        for platform in platforms {
            let platform = platform.unwrap();
            let members: Vec<NodeId> = platform.processors().collect();
            let (first, rest) = (members[0], members[1..].to_vec());
            for collective in [
                Collective::scatter(first, rest.clone()),
                Collective::gather(first, rest),
                Collective::all_to_all(members[..5].to_vec()),
            ] {
                certify(&Case {
                    platform: platform.clone(),
                    collective,
                    size: ratio(1 + seed as i64, 3),
                });
            }
        }
    }
}

/// notes of the literature, as printed and as true: a message that circulates through its target counts once.
#[test]
fn circulation_is_no_throughput() {
    let mut builder = Platform::builder();
    let [s, t, u] = ["s", "t", "u"].map(|name| {
        builder
            .node(Node::processor(name, Rational::one()))
            .unwrap()
    });
    builder.link(s, t, ratio(1, 1)).unwrap();
    builder.duplex(t, u, ratio(1, 4)).unwrap();
    let collective = Collective::scatter(s, vec![t]);
    let case = Case {
        platform: builder.build().unwrap(),
        collective,
        size: Rational::one(),
    };
    assert_eq!(certify(&case), Rational::one());
}

/// RR-4872, figure 2: 1/2.
#[test]
fn the_toy_scatter() {
    let [source, p0, p1] = [0, 3, 4].map(NodeId::new);
    let case = Case {
        platform: toys::scatter(),
        collective: Collective::scatter(source, vec![p0, p1]),
        size: Rational::one(),
    };
    assert_eq!(certify(&case), ratio(1, 2));
}

#[test]
fn impossible_questions_are_refused() {
    let mut builder = Platform::builder();
    let a = builder.node(Node::processor("a", Rational::one())).unwrap();
    let b = builder.node(Node::processor("b", Rational::one())).unwrap();
    // A switch. A router that replicates may own and receive.
    let r = builder
        .node(Node {
            replicates: false,
            ..Node::router("r")
        })
        .unwrap();
    builder.duplex(a, b, Rational::one()).unwrap();
    let platform = builder.build().unwrap();
    let one = Rational::one();
    let ask = |collective: &Collective, size: &Rational| {
        Problem::new(&platform, collective, Volumes::of_size(size.clone()))
            .map(|_| ())
            .unwrap_err()
    };
    let nonsense = [
        Collective::scatter(a, vec![]),
        Collective::scatter(a, vec![a]),
        Collective::scatter(a, vec![b, b]),
        Collective::scatter(a, vec![r]),
        Collective::scatter(r, vec![a]),
        Collective::scatter(NodeId::new(9), vec![a]),
        Collective::gather(a, vec![NodeId::new(3)]),
        Collective::all_to_all(vec![a]),
        Collective::all_to_all(vec![]),
    ];
    for collective in &nonsense {
        assert!(
            matches!(ask(collective, &one), ProblemError::Collective(_)),
            "{collective:?}"
        );
    }
    let scatter = Collective::scatter(a, vec![b]);
    for size in [Rational::zero(), ratio(-1, 2)] {
        assert!(
            matches!(ask(&scatter, &size), ProblemError::Volume(_)),
            "{size}"
        );
    }
    // One link without other limits: the same in every port model.
    for model in [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ] {
        let case = Case {
            platform: platform.clone().with_model(model),
            collective: scatter.clone(),
            size: ratio(3, 2),
        };
        assert_eq!(certify(&case), ratio(2, 3), "{model:?}");
    }
}
