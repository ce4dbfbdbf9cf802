//! Limits and their remedies: theorems about prices and loads, not sentences.

use std::sync::Arc;

use num_traits::One;
use oneport::explain::what_if::{self, Class, Kind, Trial};
use oneport::explain::{self, Gain, Hint, Members};
use oneport::plan::Resource;
use oneport::platform::{Change, LinkId, Node, Number, generate};
use oneport::{
    Answer, Collective, Goal, Options, Platform, PortModel, Problem, Rational, Status, Volumes,
    parse_rational, solve,
};

fn value(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

#[track_caller]
fn rated(problem: &Problem) -> Answer {
    let solved = solve(problem, &Options::of(Goal::Rate)).unwrap();
    solved.patterns().unwrap();
    solved.answer
}

/// Complementary slackness: a charged resource is busy all the time at an optimum, and its shares are all of the price.
#[test]
fn what_is_charged_is_busy_all_the_time() {
    let options = |seed| generate::Options {
        seed,
        link_cost: generate::Costs::Uniform { low: 1, high: 5 },
        compute: generate::Costs::Uniform { low: 1, high: 5 },
    };
    let mut cases: Vec<(Platform, bool)> = Vec::new();
    for (seed, model) in (0..4).flat_map(|seed| PortModel::ALL.map(|model| (seed, model))) {
        cases.push((
            generate::random_connected(5, 2, &options(seed))
                .unwrap()
                .with_model(model),
            true,
        ));
    }
    // One pair of three half-duplex nodes talks at a time: an odd set is charged.
    cases.push((
        generate::torus(&[3])
            .unwrap()
            .with_model(PortModel::HalfDuplex),
        false,
    ));
    let mut odd_sets = 0;
    for (platform, gathers) in &cases {
        let participants: Vec<_> = platform.processors().collect();
        let collective = if *gathers {
            Collective::all_gather(participants)
        } else {
            Collective::all_to_all(participants)
        };
        let volumes = Volumes::default();
        let problem = Problem::new(platform, &collective, &volumes).unwrap();
        let rated = rated(&problem);
        assert_eq!(rated.status(), Status::Optimal);
        let limits = explain::limits(&rated);
        let shares: Rational = limits.limiting.iter().map(|class| &class.share).sum();
        assert!(shares.is_one(), "{platform:?}: {shares}");
        for class in &limits.limiting {
            assert!(
                class.busy.is_one(),
                "{platform:?}: {} {}",
                class.name(platform),
                class.busy
            );
            odd_sets += usize::from(matches!(class.members, Members::OddSet(..)));
        }
        assert!(limits.next.is_none_or(|next| next.busy <= Rational::one()));
    }
    assert!(odd_sets > 0, "no odd set is charged anywhere");
}

/// The gain of any order is the throughput of the commutative problem.
#[test]
fn any_order_gains_what_the_other_question_yields() {
    let mut gains = 0;
    for seed in 0..12 {
        let costs = generate::Costs::Uniform { low: 1, high: 9 };
        let options = generate::Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let platform = generate::random_connected(5, 2, &options).unwrap();
        let participants: Vec<_> = platform.processors().collect();
        let [in_order, any] = [false, true].map(|commutative| {
            Collective::reduce(participants[0], participants.clone()).commutative(commutative)
        });
        let volumes = Volumes::default();
        let problem = Problem::new(&platform, &in_order, &volumes).unwrap();
        let own = rated(&problem);
        let best = rated(&Problem::new(&platform, &any, &volumes).unwrap());
        assert_eq!([own.status(), best.status()], [Status::Optimal; 2]);
        let throughput = own.throughput().unwrap();
        let more = best.throughput().unwrap() / throughput - Rational::one();
        let gain = explain::any_order(&problem, throughput, &Options::default()).unwrap();
        if more == Rational::default() {
            assert_eq!(gain, Gain::Nothing, "{seed}");
            continue;
        }
        gains += 1;
        assert_eq!(gain, Gain::Exactly(more), "{seed}");
        // A hint names a change that may gain.
        let limits = explain::limits(&own);
        assert!(limits.hints.contains(&Hint::InOrder), "{seed}");
    }
    assert!(gains > 0, "no order costs anything anywhere");
}

/// A factor that suffices for the gain of doubling yields that gain. If it is called the least, no smaller one does.
#[test]
fn enough_is_enough_and_the_least_is_the_least() {
    let platform =
        generate::racks(&generate::Racks::default(), &generate::Options::default()).unwrap();
    let collective = Collective::all_gather(platform.processors().collect());
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let base = Arc::new(rated(&problem));
    let mut indices = Vec::new();
    let rows = what_if::each(&base, &Options::default(), &mut |asking| {
        indices.push(asking.index)
    })
    .unwrap();
    assert!(indices.is_sorted());
    let mut enough = 0;
    for row in &rows {
        let [low, high] = row.shares(&base).unwrap();
        assert_eq!(low, high, "{}", row.name);
        let Some((class, trial)) = &row.change else {
            panic!("a class")
        };
        match trial {
            Trial::Doubled => assert!(low >= Rational::one() && low <= value("2")),
            _ => assert!(low <= Rational::one()),
        }
        let Some(found) = &row.enough else { continue };
        enough += 1;
        let times = |factor: &Rational| {
            let changes: Vec<Change> = class.changes(Trial::Doubled).unwrap();
            let slower = |change: &Change| match change {
                Change::Cost(link, _) => {
                    Change::Cost(*link, oneport::platform::Number::Times(factor.recip()))
                }
                other => other.clone(),
            };
            let changes: Vec<Change> = changes.iter().map(slower).collect();
            let changed = platform.changed(&changes).unwrap().platform;
            let answer = rated(&Problem::new(&changed, &collective, &volumes).unwrap());
            answer.throughput().unwrap().clone()
        };
        let (_, doubled) = row.effect.listed().expect("patterns");
        assert_eq!(times(&found.factor), doubled.throughput, "{}", row.name);
        if found.is_least {
            assert!(
                times(&(&found.factor * value("999/1000"))) < doubled.throughput,
                "{}",
                row.name
            );
        }
    }
    assert!(enough > 0, "no class gains by doubling");
}

/// The links of a class of cables are the links that its removal takes away.
fn links(class: &Class) -> Vec<LinkId> {
    let removed = class.changes(Trial::Removed).unwrap();
    let link = |change: Change| {
        if let Change::WithoutLink(link) = change {
            link
        } else {
            panic!("{change:?}")
        }
    };
    removed.into_iter().map(link).collect()
}

/// Every link is in one class of cables. A cable of unequal costs is two.
#[test]
fn classes_divide_the_links() {
    for platform in [
        generate::racks(&generate::Racks::default(), &generate::Options::default()).unwrap(),
        generate::random_connected(9, 4, &generate::Options::default()).unwrap(),
        generate::ndv2(2).unwrap(),
    ] {
        let collective = Collective::all_gather(platform.processors().collect());
        let volumes = Volumes::default();
        let classes = what_if::classes(&Problem::new(&platform, &collective, &volumes).unwrap());
        let cables: Vec<&Class> = classes
            .iter()
            .filter(|class| class.kind == Kind::Links)
            .collect();
        let mut all: Vec<LinkId> = cables.iter().flat_map(|class| links(class)).collect();
        all.sort_unstable();
        assert_eq!(all, platform.link_ids().collect::<Vec<_>>());
        for class in cables {
            assert!(
                links(class)
                    .iter()
                    .all(|&link| platform.link(link).cost == class.cost)
            );
        }
    }
}

#[test]
fn classes_have_equal_cost_model_and_kind() {
    let mut builder = Platform::builder();
    let hosts = [0, 1, 2].map(|host| {
        builder
            .node(Node::processor(format!("r7h{host}"), value("1")))
            .unwrap()
    });
    let switch = builder
        .node(Node {
            model: Some(PortModel::Links),
            ..Node::router("s")
        })
        .unwrap();
    builder.duplex(hosts[0], switch, value("1")).unwrap();
    builder.duplex(switch, hosts[1], value("1")).unwrap();
    builder.link(hosts[2], switch, value("1")).unwrap();
    builder.link(switch, hosts[2], value("2")).unwrap();
    let platform = builder.build().unwrap();
    let collective = Collective::all_to_all(hosts.to_vec());
    let volumes = Volumes::default();
    let classes = what_if::classes(&Problem::new(&platform, &collective, &volumes).unwrap());
    // Numbers that differ are starred, and no others.
    let named: Vec<(Kind, &str, usize)> = classes
        .iter()
        .map(|class| (class.kind, &*class.name, class.members))
        .collect();
    assert_eq!(
        named,
        [
            (Kind::Links, "r7h2 -> s", 1),
            (Kind::Links, "r7h* <-> s", 2),
            (Kind::Links, "s -> r7h2", 1),
            (Kind::Ports, "ports of r7h*", 3),
        ]
    );
    let slower = platform
        .changed(&classes[1].changes(Trial::Halved).unwrap())
        .unwrap()
        .platform;
    let costs: Vec<Rational> = slower
        .links()
        .iter()
        .map(|link| link.cost.clone())
        .collect();
    assert_eq!(costs, ["2", "2", "2", "2", "1", "2"].map(value));
}

/// Four old leaves, two behind each of two switches, and four new ones: a broadcast is limited by the link into each
/// old leaf alone, and all four of them are named, each with a quarter of the price.
#[test]
fn all_of_a_class_of_equal_links_limit() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let source = builder.node(Node::processor("source", value("1"))).unwrap();
    let core = builder.node(Node::router("core")).unwrap();
    builder.duplex(source, core, value("1")).unwrap();
    let mut old = Vec::new();
    let mut leaves = Vec::new();
    for (switch, names) in [
        ("left", ["cn1", "cn2", "x1", "x2"]),
        ("right", ["cn7", "spare", "x3", "x4"]),
    ] {
        let switch = builder.node(Node::router(switch)).unwrap();
        builder.duplex(core, switch, value("1")).unwrap();
        for (index, name) in names.into_iter().enumerate() {
            let leaf = builder.node(Node::processor(name, value("1"))).unwrap();
            let cost = if index < 2 { "5" } else { "1" };
            let (down, _) = builder.duplex(switch, leaf, value(cost)).unwrap();
            old.extend((index < 2).then_some(down));
            leaves.push(leaf);
        }
    }
    let platform = builder.build().unwrap();
    let volumes = Volumes::default();
    let broadcast = Collective::broadcast(source, leaves.clone());
    let problem = Problem::new(&platform, &broadcast, &volumes).unwrap();
    let rated_one = rated(&problem);
    assert_eq!(rated_one.throughput(), Some(&value("1/5")));
    let prices = explain::averaged(&problem, rated_one.certificate());
    let all: Rational = rated_one
        .certificate()
        .prices()
        .map(|(_, price)| price)
        .sum();
    let expected: Vec<_> = old
        .iter()
        .map(|&link| (Resource::Link(link), &all / value("4")))
        .collect();
    assert_eq!(prices.into_iter().collect::<Vec<_>>(), expected);
    // If one of them takes no part, its link differs from the others.
    let three = Collective::broadcast(source, leaves[1..].to_vec());
    let problem = Problem::new(&platform, &three, &volumes).unwrap();
    let rated_two = rated(&problem);
    let prices = explain::averaged(&problem, rated_two.certificate());
    assert!(!prices.contains_key(&Resource::Link(old[0])), "{prices:?}");
}

/// A file server with cards of 20 to two new hosts, and of 10 to an old one: twice its speed exceeds the old host's
/// card. If only links are limited, no port grows.
#[test]
fn ports_at_the_other_ends_grow() {
    let cost = |rate: i64| Rational::new(1.into(), rate.into());
    let mut builder = Platform::builder();
    let [server, new1, new2, old] = ["fs", "new1", "new2", "old"]
        .map(|name| builder.node(Node::processor(name, cost(1))).unwrap());
    for (one, other, rate) in [
        (server, new1, 20),
        (server, new2, 20),
        (server, old, 10),
        (new1, new2, 40),
        (old, new1, 10),
    ] {
        builder.duplex(one, other, cost(rate)).unwrap();
    }
    let platform = builder.build().unwrap();
    let twice = |nodes: &[oneport::NodeId]| -> Vec<Change> {
        let half = || Number::Times(cost(2));
        let links = platform.links_at(nodes);
        links
            .into_iter()
            .map(|link| Change::Cost(link, half()))
            .collect()
    };
    let grow = |changes: &[Change]| what_if::outgrown(&platform, changes).unwrap();
    assert_eq!(grow(&twice(&[server])), [old]);
    // 80 on the link to new2, which had 40 at most.
    assert_eq!(grow(&twice(&[new1])), [server, new2, old]);
    assert_eq!(grow(&twice(&[server, old, new1, new2])), []);
    assert_eq!(grow(&[Change::WithoutNode(new1)]), []);
    let links = platform.clone().with_model(PortModel::Links);
    assert_eq!(what_if::outgrown(&links, &twice(&[server])).unwrap(), []);
}
