//! Custom collectives: a named collective and the list of its demands are the same problem.

use crate::planned::{from_json, parts, to_json};
use oneport_testkit::{Parts, whole};
use oneport_watch::Watch;
use std::path::PathBuf;

use oneport::plan::{CollectiveError, CustomDemand, Form, Goals, Wanted};
use oneport::{
    Collective, NodeId, Options, Platform, PortModel, Problem, Volumes, files, referee, solve,
};

fn fixture(name: &str) -> Platform {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/platforms")
        .join(name);
    files::read_platform(&path).unwrap()
}

/// Its demands, one by one, as a list.
fn listed(collective: &Collective) -> Collective {
    let custom = |index: usize| {
        let demand = collective.demand(index).unwrap();
        let wanted = match demand.goals {
            Goals::Prefixes => Wanted::Prefixes,
            Goals::At(_) | Goals::Everywhere(_) => Wanted::At(demand.targets().to_vec()),
        };
        let rate = collective.rate(index);
        CustomDemand {
            owners: demand.operands.to_vec(),
            wanted,
            commutative: demand.commutative,
            rate,
        }
    };
    Collective::Custom((0..collective.demands()).map(custom).collect())
}

/// The roles of the form, played by the first processors that replicate. Counts are 2, 0, 1, 2, 0, 1 and so on.
fn named(form: &'static Form, platform: &Platform, commutative: bool) -> Option<Collective> {
    let nodes: Vec<NodeId> = platform
        .processors()
        .filter(|&node| platform.node(node).replicates)
        .take(4)
        .collect();
    let mut rest = nodes.as_slice();
    let cast = form.roles.iter().map(|role| {
        if role.many {
            return rest.to_vec();
        }
        let (first, others) = rest.split_first().unwrap();
        if !form.overlaps() {
            rest = others;
        }
        vec![*first]
    });
    let cast: Vec<Vec<NodeId>> = cast.collect();
    let built = form.build(&cast, commutative && form.commutes())?;
    // The refusal of a wrong number of counts states the needed number.
    match built.clone().with_counts(&[]) {
        Err(CollectiveError::Counts { wanted, .. }) if form.counted => {
            let counts: Vec<u64> = [2, 0, 1].into_iter().cycle().take(wanted).collect();
            built.with_counts(&counts).ok()
        }
        _ => Some(built),
    }
}

fn planned(platform: &Platform, collective: &Collective) -> Parts {
    let problem = Problem::new(platform, collective, Volumes::default()).unwrap();
    parts(&solve(&problem, &Options::default()).unwrap())
}

#[test]
fn the_list_of_its_demands_has_the_same_optimum() {
    for name in [
        "toy-scatter.toml",
        "toy-reduce.toml",
        "toy-broadcast.toml",
        "star.json",
    ] {
        for model in PortModel::ALL {
            let platform = fixture(name).with_model(model);
            for (form, commutative) in Collective::forms()
                .iter()
                .flat_map(|form| [(form, false), (form, true)])
            {
                let collective = named(form, &platform, commutative).unwrap();
                let problem = Problem::new(&platform, &collective, Volumes::default());
                let Some(problem) = problem.ok().filter(|_| !commutative || form.commutes()) else {
                    continue;
                };
                let Ok(one) = solve(&problem, &Options::default()) else {
                    continue;
                };
                let (one, other) = (parts(&one), planned(&platform, &listed(&collective)));
                let case = format!("{name} {model} {} {commutative}", form.name);
                let answer = |plan: &Parts| {
                    (
                        plan.steady_state.throughput.clone(),
                        plan.upper_bound.clone(),
                        plan.status,
                    )
                };
                assert_eq!(answer(&one), answer(&other), "{case}");
                for plan in [&one, &other] {
                    assert_eq!(&from_json(&to_json(plan)), plan, "{case}");
                }
                let read = other;
                let proved = referee::bound(&read.problem, &read.certificate, &Watch::unlimited());
                assert_eq!(proved.as_ref(), Ok(&read.upper_bound), "{case}");
            }
        }
    }
}

/// A doubled rate halves the throughput, for every collective.
#[test]
fn rates_count() {
    let platform = fixture("toy-reduce.toml");
    for form in Collective::forms() {
        let collective = listed(&named(form, &platform, false).unwrap());
        let Ok(once) = solve(
            &Problem::new(&platform, &collective, Volumes::default()).unwrap(),
            &Options::default(),
        ) else {
            continue;
        };
        let twice = collective
            .custom()
            .iter()
            .map(|demand| CustomDemand {
                rate: 2 * demand.rate,
                ..demand.clone()
            })
            .collect();
        let (once, twice) = (parts(&once), planned(&platform, &Collective::Custom(twice)));
        let halved = &once.steady_state.throughput / whole(2);
        assert!(twice.upper_bound >= halved, "{}", form.name);
        if once.status == oneport::Status::Optimal && twice.status == oneport::Status::Optimal {
            assert_eq!(twice.steady_state.throughput, halved, "{}", form.name);
        }
    }
}

/// Values combined for several nodes that own none: the time is at least that of a reduction to each of them alone.
#[test]
fn results_may_be_wanted_by_others() {
    let platform = fixture("toy-reduce.toml");
    let nodes: Vec<NodeId> = platform.processors().collect();
    let demand = |wanted: &[NodeId]| CustomDemand {
        owners: nodes[..2].to_vec(),
        wanted: Wanted::At(wanted.to_vec()),
        commutative: true,
        rate: 1,
    };
    let throughput = |wanted: &[NodeId]| {
        planned(&platform, &Collective::Custom(vec![demand(wanted)]))
            .steady_state
            .throughput
    };
    let both = throughput(&nodes[1..3]);
    assert!(both <= throughput(&nodes[1..2]).min(throughput(&nodes[2..3])));
}

#[test]
fn bad_lists_are_refused_by_name() {
    let platform = fixture("toy-reduce.toml");
    let names: Vec<String> = platform
        .processors()
        .map(|node| platform.name(node).to_string())
        .collect();
    let (a, b) = (&names[0], &names[1]);
    let cases = [
        (r#"{"demands": []}"#.to_string(), "format"),
        (
            r#"{"format": "oneport-demands/1", "demands": []}"#.to_string(),
            "list at least one",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}"], "wanted": ["{a}"]}}]}}"#
            ),
            "itself",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}"], "wanted": []}}]}}"#
            ),
            "0 targets",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}", "{a}"], "wanted": ["{b}"]}}]}}"#
            ),
            "twice",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}"], "prefixes": true}}]}}"#
            ),
            "its own result",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}"], "wanted": ["{b}"], "rate": 0}}]}}"#
            ),
            "rate 0",
        ),
        (
            format!(
                r#"{{"format": "oneport-demands/1", "demands": [{{"values": ["{a}"], "wanted": ["nobody"]}}]}}"#
            ),
            "nobody",
        ),
    ];
    for (text, word) in cases {
        let refused =
            files::parse_demands("demands.json", text.as_bytes(), false, &platform).unwrap_err();
        assert!(refused.to_string().contains(word), "{text}: {refused}");
    }
    let toml = format!(
        "format = \"oneport-demands/1\"\n[[demands]]\nvalues = [\"{a}\"]\nwanted = [\"{b}\"]\nrate = 3\n"
    );
    let read = files::parse_demands("demands.toml", toml.as_bytes(), true, &platform).unwrap();
    assert_eq!((read.demands(), read.rate(0)), (1, 3));
    let broken = files::parse_demands("demands.toml", b"format = ", true, &platform).unwrap_err();
    assert!(broken.to_string().contains("TOML"), "{broken}");
}
