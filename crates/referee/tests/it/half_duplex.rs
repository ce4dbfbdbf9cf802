//! One port for sends and receives together: the examples of RR-2004-32, and claims that are true only with slots.

use crate::common;

use crate::common::ask::{bound, check_steady_state, check_timeline};
use common::*;
use oneport_plan::{
    Certificate, Collective, CustomDemand, OddSet, Pattern, PeriodicSchedule, Resource, Slot,
    Status, SteadyState, Volumes, Wanted,
};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};
use oneport_referee::Rule;
use oneport_testkit::toys;

fn tree(hops: &[(usize, Option<u32>)]) -> Pattern {
    let hops = hops.iter().map(|&(link, after)| (LinkId::new(link), after));
    Pattern::arborescence(0, hops)
}

/// RR-2004-32 Fig. 2: 1 -> 2 and 1 -> 3 of cost 1, 2 -> 3 of cost 1/2.
fn figure2() -> (Platform, Collective) {
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    let platform = toys::odd_set().with_model(PortModel::HalfDuplex);
    (platform, Collective::broadcast(a, vec![b, c]))
}

fn all_ports(platform: &Platform) -> Vec<Resource> {
    platform.node_ids().map(Resource::Port).collect()
}

/// Three nodes share one busy link: a message to both others takes at least 3/2 of that time.
fn figure2_plan() -> Plan {
    let (platform, collective) = figure2();
    let chain = tree(&[(0, None), (2, Some(0))]);
    let slot = |length, link| Slot {
        shares: Vec::new(),
        length,
        links: vec![LinkId::new(link)],
    };
    let set = OddSet {
        ports: all_ports(&platform),
        links: Vec::new(),
    };
    let certificate = Certificate::new([], [(set, ratio(5, 7))], []);
    Plan {
        platform,
        collective,
        volumes: Volumes::of_size(ratio(1, 1)),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(2, 3),
            patterns: vec![weighted(&chain, ratio(2, 3))],
        },
        certificate,
        upper_bound: ratio(2, 3),
        schedule: PeriodicSchedule {
            period: ratio(3, 2),
            instances: 1u32.into(),
            patterns: vec![scheduled(&chain, 1)],
            slots: vec![slot(ratio(1, 1), 0), slot(ratio(1, 2), 2)],
        },
    }
}

/// The optimum is 2/3, not the 3/4 of ports alone.
#[test]
fn figure_2_is_optimal_at_two_thirds() {
    let plan = figure2_plan();
    let verdict = check_plan(&plan).unwrap();
    assert_eq!(
        (verdict.bound, verdict.status),
        (ratio(2, 3), Status::Optimal)
    );
    let Plan {
        platform,
        collective,
        volumes,
        steady_state,
        ..
    } = &plan;
    check_steady_state(platform, collective, volumes, steady_state).unwrap();
    for starting in 1..4 {
        let report =
            check_timeline(platform, collective, volumes, &unroll(&plan, starting)).unwrap();
        assert_eq!(report.delivered, starting);
    }
    // Ports alone: no port is busy for more than the time, but the three links are for 5/4 of it.
    let both = tree(&[(0, None), (1, None)]);
    let steady_state = SteadyState {
        throughput: ratio(3, 4),
        patterns: vec![
            weighted(&tree(&[(0, None), (2, Some(0))]), ratio(1, 2)),
            weighted(&both, ratio(1, 4)),
        ],
    };
    assert_eq!(
        check_steady_state(platform, collective, volumes, &steady_state)
            .unwrap_err()
            .to_string(),
        "3 links among port of 'P1', port of 'P2', port of 'P3' are busy for 5/4 of the time together; at most 1 of them can be busy at a time"
    );
    let ports = Certificate::of_prices(
        all_ports(platform)
            .into_iter()
            .zip([1, 1, 2])
            .map(|(port, price)| (port, ratio(price, 1)))
            .collect(),
    );
    assert_eq!(
        bound(platform, collective, volumes, &ports),
        Ok(ratio(8, 7))
    );
}

/// The slots prove the throughput, or else all odd sets have to hold.
#[test]
fn a_throughput_needs_slots_or_odd_sets() {
    // The impossible steady state of 3/4, next to a slower schedule that is possible.
    let mut plan = figure2_plan();
    let both = tree(&[(0, None), (1, None)]);
    let chain = tree(&[(0, None), (2, Some(0))]);
    plan.steady_state = SteadyState {
        throughput: ratio(3, 4),
        patterns: vec![weighted(&chain, ratio(1, 2)), weighted(&both, ratio(1, 4))],
    };
    plan.certificate = Certificate::of_prices(vec![(Resource::Port(NodeId::new(0)), ratio(1, 1))]);
    plan.upper_bound = ratio(1, 1);
    plan.status = Status::Feasible;
    let refused = check_plan(&plan);
    assert!(
        broken(&refused, Rule::OddSet)
            && told(&refused).ends_with("; at most 1 of them can be busy at a time")
    );
    // These patterns at a rate that slots attain.
    let scale = ratio(4, 5);
    plan.steady_state.throughput *= &scale;
    for weighted in &mut plan.steady_state.patterns {
        weighted.weight *= &scale;
    }
    check_plan(&plan).unwrap();
    // A slower schedule, with the optimum shown by odd sets.
    let mut slower = figure2_plan();
    slower.schedule.period = ratio(2, 1);
    let verdict = check_plan(&slower).unwrap();
    assert_eq!(
        (verdict.schedule_throughput, verdict.status),
        (ratio(1, 2), Status::Optimal)
    );
}

/// Three nodes in a circle, each with a message for the next: a share goes directly, the rest by a separate relay. A
/// schedule by the relays alone attains 1/2. It proves nothing about the direct share: the three links of the triangle
/// are busy for 3/2 of that share together, and for 1 at most.
#[test]
fn slots_prove_the_steady_state_that_they_carry() {
    let mut links = Vec::new();
    for (from, relay, to) in [("A", "X", "B"), ("B", "Y", "C"), ("C", "Z", "A")] {
        links.extend([(from, to), (from, relay), (relay, to)].map(|(a, b)| (a, b, ratio(1, 1))));
    }
    let platform = platform(&["A", "B", "C", "X", "Y", "Z"], &links);
    let demand = |index: usize| CustomDemand {
        owners: vec![NodeId::new(index)],
        wanted: Wanted::At(vec![NodeId::new((index + 1) % 3)]),
        commutative: false,
        rate: 1,
    };
    let straight = |index: usize| Pattern::path(index, vec![LinkId::new(3 * index)]);
    let relayed = |index: usize| {
        Pattern::path(
            index,
            [1, 2].map(|hop| LinkId::new(3 * index + hop)).to_vec(),
        )
    };
    let slot = |links: [usize; 3]| Slot {
        shares: Vec::new(),
        length: ratio(1, 1),
        links: links.map(LinkId::new).to_vec(),
    };
    for sixths in 1..6 {
        let share = ratio(sixths, 12);
        let both = |index| {
            [
                weighted(&straight(index), share.clone()),
                weighted(&relayed(index), ratio(1, 2) - &share),
            ]
        };
        let plan = Plan {
            platform: platform.clone().with_model(PortModel::HalfDuplex),
            collective: Collective::Custom((0..3).map(demand).collect()),
            volumes: Volumes::of_size(ratio(1, 1)),
            status: Status::Optimal,
            steady_state: SteadyState {
                throughput: ratio(1, 2),
                patterns: (0..3).flat_map(both).collect(),
            },
            certificate: Certificate::of_prices(vec![(
                Resource::Port(NodeId::new(0)),
                ratio(1, 1),
            )]),
            upper_bound: ratio(1, 2),
            schedule: PeriodicSchedule {
                period: ratio(2, 1),
                instances: 1u32.into(),
                patterns: (0..3).map(|index| scheduled(&relayed(index), 1)).collect(),
                slots: vec![slot([1, 4, 7]), slot([2, 5, 8])],
            },
        };
        let checked = check_plan(&plan);
        assert_eq!(checked.is_ok(), sixths <= 4, "{sixths}: {checked:?}");
        assert!(checked.is_ok() || broken(&checked, Rule::OddSet));
        let Plan {
            platform,
            collective,
            volumes,
            steady_state,
            ..
        } = &plan;
        let alone = check_steady_state(platform, collective, volumes, steady_state);
        assert_eq!(checked.is_ok(), alone.is_ok(), "{sixths}");
    }
}

/// Sends and receives share the port in slots and in runs.
#[test]
fn a_port_does_one_thing_at_a_time() {
    let links = [
        ("A", "B", ratio(1, 1)),
        ("B", "C", ratio(1, 1)),
        ("C", "D", ratio(1, 1)),
    ];
    let platform = platform(&["A", "B", "C", "D"], &links);
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let chain = tree(&[(0, None), (1, Some(0)), (2, Some(1))]);
    let slot = |links: &[usize]| Slot {
        shares: Vec::new(),
        length: ratio(1, 1),
        links: links.iter().map(|&link| LinkId::new(link)).collect(),
    };
    let plan = |model, slots: Vec<Slot>| {
        let period = whole(slots.len());
        let throughput = ratio(1, 1) / &period;
        Plan {
            platform: platform.clone().with_model(model),
            collective: Collective::broadcast(nodes[0], nodes[1..].to_vec()),
            volumes: Volumes::of_size(ratio(1, 1)),
            status: Status::Feasible,
            steady_state: SteadyState {
                throughput: throughput.clone(),
                patterns: vec![weighted(&chain, throughput)],
            },
            certificate: Certificate::of_prices(vec![(
                Resource::Link(LinkId::new(0)),
                ratio(1, 1),
            )]),
            upper_bound: ratio(1, 1),
            schedule: PeriodicSchedule {
                period,
                instances: 1u32.into(),
                patterns: vec![scheduled(&chain, 1)],
                slots,
            },
        }
    };
    let mut all = plan(PortModel::FullDuplex, vec![slot(&[0, 1, 2])]);
    all.status = Status::Optimal;
    check_plan(&all).unwrap();
    for (model, fits) in PortModel::ALL
        .into_iter()
        .map(|model| (model, model != PortModel::HalfDuplex))
    {
        let mut plan = plan(model, vec![slot(&[0, 1, 2])]);
        plan.status = Status::Optimal;
        assert_eq!(check_plan(&plan).is_ok(), fits, "{model}");
        let run = unroll(&plan, 2);
        let verdict = check_timeline(&plan.platform, &plan.collective, &plan.volumes, &run);
        assert_eq!(verdict.is_ok(), fits, "{model}");
    }
    let shared = plan(PortModel::HalfDuplex, vec![slot(&[0, 2]), slot(&[1])]);
    check_plan(&shared).unwrap();
    check_timeline(
        &shared.platform,
        &shared.collective,
        &shared.volumes,
        &unroll(&shared, 3),
    )
    .unwrap();
    let mut run = unroll(&shared, 1);
    // A -> B and B -> C at once: B's port is taken.
    for (start, end) in &mut run.events[1].pieces {
        *start -= ratio(5, 2);
        *end -= ratio(5, 2);
    }
    assert_eq!(
        check_timeline(&shared.platform, &shared.collective, &shared.volumes, &run)
            .unwrap_err()
            .to_string(),
        "the port of 'B' starts message A=>all of instance 0 over B -> C at 1/2, while message A=>all of instance 0 over A -> B lasts until 1; it serves one at a time"
    );
}

/// A complete graph of five half-duplex nodes: two links at a time, so every link can be busy for a tenth.
#[test]
fn five_nodes_are_busy_two_at_a_time() {
    let names = ["A", "B", "C", "D", "E"];
    let mut links = Vec::new();
    for (i, from) in names.iter().enumerate() {
        links.extend(
            names
                .iter()
                .enumerate()
                .filter(|&(j, _)| j != i)
                .map(|(_, to)| (*from, *to, ratio(1, 1))),
        );
    }
    let platform = platform(&names, &links).with_model(PortModel::HalfDuplex);
    let collective = Collective::all_to_all(platform.node_ids().collect());
    let patterns: Vec<Pattern> = (0..20)
        .map(|index| Pattern::path(index, vec![LinkId::new(index)]))
        .collect();
    let check = |throughput: Rational| {
        let patterns = patterns
            .iter()
            .map(|pattern| weighted(pattern, throughput.clone()))
            .collect();
        let steady_state = SteadyState {
            throughput,
            patterns,
        };
        check_steady_state(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &steady_state,
        )
    };
    check(ratio(1, 10)).unwrap();
    // Ports would allow 1/8.
    let refused = check(ratio(1, 9));
    assert!(
        broken(&refused, Rule::OddSet) && told(&refused).starts_with("20 links among "),
        "{refused:?}"
    );
    assert!(
        told(&refused).ends_with("; at most 2 of them can be busy at a time"),
        "{refused:?}"
    );
    let odd_sets = vec![(
        OddSet {
            ports: all_ports(&platform),
            links: Vec::new(),
        },
        ratio(3, 1),
    )];
    let certificate = Certificate::new([], odd_sets, []);
    assert_eq!(
        bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate
        ),
        Ok(ratio(1, 10))
    );
}
