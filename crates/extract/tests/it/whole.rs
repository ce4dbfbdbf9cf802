//! Whole collectives: the sum of the patterns is extracted again, demand by demand, and the referee accepts it.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_extract::{ExtractError, Extracted, LeftOver, extract};
use oneport_plan::{
    Collective, CustomDemand, DemandRates, Interval, Pattern, Problem, Rates, SteadyState, Task,
    TaskRates, Value, Volumes, Wanted, WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};
use oneport_testkit::{number, platform};
use oneport_watch::Watch;

fn node(index: usize) -> NodeId {
    NodeId::new(index)
}

/// Three processors, all linked in both directions.
fn triangle() -> Platform {
    let links = [
        ("a", "b"),
        ("a", "c"),
        ("b", "a"),
        ("b", "c"),
        ("c", "a"),
        ("c", "b"),
    ];
    platform("a b c", &links.map(|(from, to)| (from, to, "1")))
}

fn link(platform: &Platform, from: usize, to: usize) -> LinkId {
    platform.link_between(node(from), node(to)).unwrap()
}

/// Rates of a collective on the triangle.
fn extracted(collective: &Collective, rates: &Rates) -> Result<Extracted, ExtractError> {
    let (platform, volumes) = (triangle(), Volumes::default());
    let problem = Problem::new(&platform, collective, &volumes).unwrap();
    let found = extract(&problem, rates, &Watch::unlimited())?;
    // Entry by entry: the rates are the patterns' sum plus the rest.
    let state = SteadyState {
        throughput: rates.throughput.clone(),
        patterns: found.patterns.clone(),
    };
    let mut sum = Rates::of(&problem, &state).unwrap();
    let mut together: BTreeMap<LinkId, Rational> = BTreeMap::new();
    for LeftOver {
        demand,
        link,
        value,
        rate,
    } in &found.left_over
    {
        assert!(*rate > Rational::zero());
        let entry = match demand.map(|demand| &mut sum.demands[demand]) {
            None => together.entry(*link).or_default(),
            Some(DemandRates::Route(sends) | DemandRates::Copy(sends)) => {
                sends.entry(*link).or_default()
            }
            Some(DemandRates::Combine(rates)) => rates
                .sends
                .entry((*link, value.clone().unwrap()))
                .or_default(),
        };
        *entry += rate;
    }
    if rates.together.is_empty() {
        assert_eq!(sum.demands, rates.demands);
    } else {
        for demand in sum.demands {
            let DemandRates::Copy(copies) = demand else {
                panic!("copies")
            };
            for (link, rate) in copies {
                *together.entry(link).or_default() += rate;
            }
        }
        assert_eq!(together, rates.together);
    }
    for (index, demand) in problem.demands().enumerate() {
        let _ = demand;
        let total: Rational = found
            .patterns
            .iter()
            .filter(|one| one.pattern.demand == index)
            .map(|one| &one.weight)
            .sum();
        let rate = whole(collective.rate(index));
        assert_eq!(total, rate * &rates.throughput);
    }
    Ok(found)
}

#[test]
fn an_all_gather_of_which_the_sum_is_known() {
    let collective = Collective::all_gather((0..3).map(node).collect());
    let platform = triangle();
    let empty = vec![DemandRates::Copy(BTreeMap::new()); 3];
    let mut together: BTreeMap<LinkId, Rational> = platform
        .link_ids()
        .map(|link| (link, Rational::one()))
        .collect();
    *together.get_mut(&link(&platform, 0, 1)).unwrap() += number("1/3");
    let rates = Rates {
        throughput: Rational::one(),
        demands: empty,
        together,
    };
    let found = extracted(&collective, &rates).unwrap();
    assert_eq!(found.left_over.len(), 1);
    let scatter = Collective::scatter(node(0), vec![node(1)]);
    let problem = Rates {
        demands: vec![DemandRates::Route(BTreeMap::new())],
        ..rates
    };
    assert_eq!(extracted(&scatter, &problem), Err(ExtractError::Together));
}

#[test]
fn groups_and_rates_are_kept() {
    let platform = triangle();
    let route = |from: usize, to: usize, rate: u64| CustomDemand {
        owners: vec![node(from)],
        wanted: Wanted::At(vec![node(to)]),
        commutative: false,
        rate,
    };
    let reduce = CustomDemand {
        owners: vec![node(0), node(1), node(2)],
        wanted: Wanted::At(vec![node(2)]),
        commutative: true,
        rate: 1,
    };
    let collective = Collective::Custom(vec![route(0, 1, 2), reduce, route(2, 0, 1)]);
    let part = |first, last| Interval { first, last };
    // Operand 0 and operand 2 are merged at c, then operand 1: an order of its own.
    let tree = Pattern::tree(
        1,
        Some(vec![0, 2, 1]),
        [
            Task::send(link(&platform, 0, 2), part(0, 0)),
            Task::merge(node(2), part(0, 1), 0),
            Task::send(link(&platform, 1, 2), part(2, 2)),
            Task::merge(node(2), part(0, 2), 1),
        ],
    );
    let weighted = |pattern, weight: &str| WeightedPattern {
        pattern,
        weight: number(weight),
    };
    let state = SteadyState {
        throughput: number("1/4"),
        patterns: vec![
            weighted(Pattern::path(0, [link(&platform, 0, 1)]), "1/8"),
            weighted(
                Pattern::path(0, [link(&platform, 0, 2), link(&platform, 2, 1)]),
                "3/8",
            ),
            weighted(tree, "1/4"),
            weighted(Pattern::path(2, [link(&platform, 2, 0)]), "1/4"),
        ],
    };
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    oneport_referee::check_steady_state(&problem, &state, &Watch::unlimited()).unwrap();
    let rates = Rates::of(&problem, &state).unwrap();
    let found = extracted(&collective, &rates).unwrap();
    assert_eq!(found.patterns, state.patterns);
    let again = SteadyState {
        throughput: number("1/4"),
        patterns: found.patterns,
    };
    oneport_referee::check_steady_state(&problem, &again, &Watch::unlimited()).unwrap();
}

#[test]
fn what_does_not_fit_is_refused() {
    let participants: Vec<NodeId> = (0..3).map(node).collect();
    let refused = |collective: &Collective, demands: Vec<DemandRates>| {
        let rates = Rates {
            throughput: Rational::one(),
            demands,
            ..Rates::default()
        };
        extracted(collective, &rates).unwrap_err().to_string()
    };
    let all_reduce = Collective::all_reduce(participants.clone());
    let message = refused(
        &all_reduce,
        vec![DemandRates::Combine(TaskRates::default())],
    );
    assert!(
        message.starts_with("all-reduce: rates of transfers and merges do not say"),
        "{message}"
    );
    let scan = Collective::scan(participants.clone());
    assert!(refused(&scan, vec![DemandRates::Combine(TaskRates::default())]).starts_with("scan: "));
    let gather = Collective::gather(node(0), vec![node(1), node(2)]);
    assert_eq!(
        refused(&gather, Vec::new()),
        "rates of 0 demands; the collective has 2"
    );
    let routes = |rates: DemandRates| {
        vec![
            DemandRates::Route(BTreeMap::from([(LinkId::new(2), Rational::one())])),
            rates,
        ]
    };
    let message = refused(&gather, routes(DemandRates::Combine(TaskRates::default())));
    assert_eq!(
        message,
        "demand 1 (counted from 0): rates of a reduction; the demand asks for a message for one node"
    );
    let message = refused(&gather, routes(DemandRates::Route(BTreeMap::new())));
    assert_eq!(
        message,
        "demand 1 (counted from 0): 'a' gains 0 messages; the throughput says 1"
    );
    let reduce = Collective::reduce(node(0), participants);
    let mut rates = TaskRates::default();
    let sets = |list: &[usize]| Value::of(list.iter().copied());
    rates
        .merges
        .insert((node(0), sets(&[1]), sets(&[0, 2])), Rational::one());
    let message = refused(&reduce, vec![DemandRates::Combine(rates)]);
    assert!(
        message
            .starts_with("cons(a, v[1,1] + v{0,2}): no such task among 3 operands; operands are"),
        "{message}"
    );
}
