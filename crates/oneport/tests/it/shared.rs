//! Capacities that links share: values by hand, equal platforms in other descriptions, and false claims.

use crate::planned::{from_json, parts, to_json, verify};
use num_traits::One;
use oneport::plan::{Certificate, Collective, Resource, Routing, Slot, Volumes};
use oneport::platform::generate::{Options as Random, random_connected};
use oneport::platform::{LinkId, Node, NodeId, Platform, PortModel, Shared, SharedId, ratio};
use oneport::watch::Watch;
use oneport::{Formulation, Goal, Options, Problem, Rational, Status, referee, schedule, solve};
use oneport_testkit::Parts;

fn all(platform: &Platform) -> Vec<NodeId> {
    platform.processors().collect()
}

#[track_caller]
fn plan_with(platform: &Platform, collective: &Collective, formulation: Formulation) -> Parts {
    let mut volumes = Volumes::of_size(Rational::one());
    if collective.combines() {
        volumes.work = oneport::plan::Amount::Constant(Rational::default());
    }
    let problem = Problem::new(platform, collective, volumes).unwrap();
    let options = Options {
        formulation,
        ..Options::default()
    };
    parts(&solve(&problem, &options).unwrap())
}

#[track_caller]
fn plan(platform: &Platform, collective: &Collective) -> Parts {
    plan_with(platform, collective, Formulation::Columns)
}

/// The full pipeline: the referee judges state, bound and schedule, the file is read back, and a run keeps the shares.
#[track_caller]
fn checked(plan: &Parts) {
    assert_eq!(verify(plan).unwrap().status(), Status::Optimal);
    let text = to_json(plan);
    assert_eq!(&from_json(&text), plan, "{text}");
    for timeline in [schedule::timeline, schedule::eager_timeline] {
        let run = timeline(&plan.problem, &plan.schedule, 3).unwrap();
        let report = referee::check_timeline(&plan.problem, &run).unwrap();
        let each = u64::try_from(&plan.schedule.instances).unwrap();
        assert_eq!(report.delivered, 3 * each);
    }
}

/// Hosts with a link for each ordered pair, all of them over one bus of this rate.
fn bus(hosts: usize, rate: Rational) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let host = |index| Node::processor(format!("h{index}"), Rational::one());
    let ids: Vec<NodeId> = (0..hosts)
        .map(|index| builder.node(host(index)).unwrap())
        .collect();
    let mut links = Vec::new();
    for &from in &ids {
        for &to in ids.iter().filter(|&&to| to != from) {
            links.push(builder.link(from, to, Rational::default()).unwrap());
        }
    }
    builder.share(Shared::new("bus", rate, links)).unwrap();
    builder.build().unwrap()
}

/// Every transfer passes the bus, so that the throughput is its rate over the least number of transfers.
#[test]
fn a_bus_carries_one_transfer_after_another() {
    let hosts = 4;
    let platform = bus(hosts, ratio(3, 1));
    let members = all(&platform);
    let (first, rest) = (members[0], members[1..].to_vec());
    let n = hosts as i64;
    for (collective, transfers) in [
        (Collective::scatter(first, rest.clone()), n - 1),
        (Collective::broadcast(first, rest), n - 1),
        (Collective::all_to_all(members.clone()), n * (n - 1)),
        (Collective::all_gather(members.clone()), n * (n - 1)),
        (Collective::reduce(first, members.clone()), n - 1),
        (Collective::reduce_scatter(members.clone()), n * (n - 1)),
        // All values reach one host, and the result leaves it.
        (
            Collective::all_reduce(members.clone()).commutative(true),
            2 * (n - 1),
        ),
    ] {
        let plan = plan(&platform, &collective);
        assert_eq!(
            plan.steady_state.throughput,
            ratio(3, transfers),
            "{collective:?}"
        );
        assert_eq!(plan.status, Status::Optimal, "{collective:?}");
        let bus = Resource::Shared(SharedId::new(0));
        assert!(
            plan.certificate
                .prices()
                .all(|(resource, _)| resource == bus),
            "{collective:?}"
        );
        checked(&plan);
    }
    let scatter = Collective::scatter(members[0], members[1..].to_vec());
    let compact = plan_with(&platform, &scatter, Formulation::Compact);
    assert_eq!(compact.steady_state.throughput, ratio(1, 1));
    checked(&compact);
}

/// A link of 2 next to a bus that takes it three times: 1 message through the bus per unit of time, 2 next to it.
#[test]
fn a_link_that_is_named_several_times_counts_as_often() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [a, b, relay] = ["a", "b", "relay"].map(|name| {
        builder
            .node(Node::processor(name, Rational::one()))
            .unwrap()
    });
    let over_bus = builder.link(a, b, Rational::default()).unwrap();
    builder.link(a, relay, ratio(1, 2)).unwrap();
    let beside = builder.link(relay, b, ratio(1, 5)).unwrap();
    builder
        .share(Shared::new("bus", ratio(3, 1), [over_bus; 3]))
        .unwrap();
    // Shared with a link that is slower alone: 2 of its 5 a unit of time are enough.
    builder
        .share(Shared::new("half", ratio(4, 1), [beside, over_bus, beside]))
        .unwrap();
    let platform = builder.build().unwrap();
    // x over the bus, y next to it: 3 x <= 3, y <= 2, x + 2 y <= 4. The most is x = 1, y = 3/2.
    let plan = plan(&platform, &Collective::scatter(a, vec![b]));
    assert_eq!(plan.steady_state.throughput, ratio(5, 2));
    checked(&plan);
}

/// The platform with other costs or capacities.
fn rebuilt(
    old: &Platform,
    cost: impl Fn(LinkId) -> Rational,
    shared: impl IntoIterator<Item = Shared>,
) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    for node in old.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for id in old.link_ids() {
        let link = old.link(id);
        builder.link(link.from, link.to, cost(id)).unwrap();
    }
    for one in shared {
        builder.share(one).unwrap();
    }
    builder.build().unwrap()
}

fn questions(members: &[NodeId]) -> [Collective; 5] {
    let (first, rest) = (members[0], members[1..].to_vec());
    [
        Collective::broadcast(first, rest),
        Collective::all_to_all(members.to_vec()),
        Collective::all_gather(members.to_vec()),
        Collective::reduce(first, members.to_vec()),
        Collective::all_reduce(members.to_vec()).commutative(true),
    ]
}

#[track_caller]
fn same(one: &Platform, other: &Platform, collective: &Collective) {
    let (one, other) = (plan(one, collective), plan(other, collective));
    assert_eq!(
        one.steady_state.throughput, other.steady_state.throughput,
        "{collective:?}"
    );
    // For commutative all-reduces the best result may be a composition.
    assert_eq!(one.status, other.status, "{collective:?}");
    if one.status == Status::Optimal {
        checked(&one);
    }
}

/// A capacity of one link is its bandwidth. Doubling both weights and rate changes nothing.
#[test]
fn a_capacity_of_one_link_is_a_bandwidth() {
    for seed in 0..3 {
        let random = Random {
            seed,
            ..Random::default()
        };
        let plain = random_connected(4, 3, &random)
            .unwrap()
            .with_model(PortModel::Links);
        let cost = |link: LinkId| plain.link(link).cost.clone();
        for factor in [1, 2] {
            let one = |link: LinkId| {
                let rate = ratio(factor, 1) / cost(link);
                Shared::new(format!("s{link}"), rate, vec![link; factor as usize])
            };
            let every_second = |link: &LinkId| link.index().is_multiple_of(2);
            let groups: Vec<Shared> = plain.link_ids().filter(every_second).map(one).collect();
            let own = |link: LinkId| {
                if every_second(&link) {
                    Rational::default()
                } else {
                    cost(link)
                }
            };
            let twin = rebuilt(&plain, own, groups);
            let members: Vec<NodeId> = all(&plain).into_iter().take(3).collect();
            for collective in questions(&members) {
                same(&twin, &plain, &collective);
            }
        }
    }
}

/// A capacity of all links out of a node is one link to a switch that cannot copy, from which the others leave.
#[test]
fn a_capacity_of_all_links_out_of_a_node_is_a_fluid_port() {
    for seed in 0..3 {
        let random = Random {
            seed,
            ..Random::default()
        };
        let plain = random_connected(4, 2, &random)
            .unwrap()
            .with_model(PortModel::Links);
        let limited = plain.node_ids().next().unwrap();
        let rate = ratio(3, 2);
        let port = Shared::new(
            "port",
            rate.clone(),
            plain.outgoing(limited).iter().copied(),
        );
        let with_port = rebuilt(&plain, |link| plain.link(link).cost.clone(), [port]);
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        for node in plain.nodes() {
            builder.node(node.clone()).unwrap();
        }
        let outlet = Node {
            replicates: false,
            ..Node::router("outlet")
        };
        let outlet = builder.node(outlet).unwrap();
        builder.link(limited, outlet, rate.recip()).unwrap();
        for id in plain.link_ids() {
            let link = plain.link(id);
            let from = if link.from == limited {
                outlet
            } else {
                link.from
            };
            builder.link(from, link.to, link.cost.clone()).unwrap();
        }
        let with_outlet = builder.build().unwrap();
        for collective in questions(&all(&plain)[..3]) {
            same(&with_port, &with_outlet, &collective);
        }
    }
}

#[test]
fn false_claims_are_refused() {
    let platform = bus(3, ratio(2, 1));
    let members = all(&platform);
    let good = plan(&platform, &Collective::all_gather(members.clone()));
    checked(&good);
    let refused = |change: &dyn Fn(&mut Parts)| {
        let mut plan = good.clone();
        change(&mut plan);
        verify(&plan).expect_err("a false claim").to_string()
    };
    let absent = refused(&|plan| {
        let prices = vec![(Resource::Shared(SharedId::new(1)), ratio(1, 1))];
        plan.certificate = Certificate::of_prices(prices);
    });
    assert!(
        absent.contains("shared capacity 1 does not exist; the platform has 1"),
        "{absent}"
    );
    let over = |slot: &mut Slot| slot.shares[0].1 += ratio(1, 1000);
    let overfull = refused(&|plan| plan.schedule.slots.iter_mut().for_each(over));
    assert!(
        overfull.contains("the shared 'bus' carries 1001/1000 of its rate"),
        "{overfull}"
    );
    let stranger = refused(&|plan| {
        let slot = &mut plan.schedule.slots[0];
        let link = slot.links.remove(0);
        assert_eq!(slot.shares[0].0, link);
    });
    assert!(
        stranger.contains("has a share; only links of the slot have"),
        "{stranger}"
    );
    let slow = refused(&|plan| {
        for slot in &mut plan.schedule.slots {
            slot.shares[0].1 /= ratio(2, 1);
        }
    });
    assert!(slow.contains("its messages take"), "{slow}");
    let state = refused(&|plan| plan.steady_state.throughput *= ratio(1001, 1000));
    assert!(state.contains("add up to"), "{state}");
    // Twice the weights: more than the bus carries.
    let heavy = refused(&|plan| {
        plan.steady_state.throughput *= ratio(2, 1);
        let patterns = &mut plan.steady_state.patterns;
        for pattern in patterns.iter_mut() {
            pattern.weight *= ratio(2, 1);
        }
    });
    assert!(
        heavy.contains("the shared 'bus' is busy for 2 of the time"),
        "{heavy}"
    );
    // A run in which one transfer is too fast.
    let mut run = schedule::timeline(&good.problem, &good.schedule, 2).unwrap();
    let piece = &mut run.events[0].pieces[0];
    piece.1 = (&piece.0 + &piece.1) / ratio(2, 1);
    let fast = referee::check_timeline(&good.problem, &run)
        .unwrap_err()
        .to_string();
    assert!(fast.contains("of its rate from"), "{fast}");
    // Branchings count the capacity of cuts.
    let rates = Routing::Branchings {
        copied: ratio(1, 3),
        combined: ratio(1, 3),
    };
    referee::sustained(&good.problem, &rates, &Watch::unlimited()).unwrap_err();
}

/// A node with ports: refused when the platform is built, and when its model changes afterwards.
#[test]
fn shares_stay_away_from_ports() {
    let mut builder = Platform::builder();
    let [a, b] = ["a", "b"].map(|name| {
        builder
            .node(Node::processor(name, Rational::one()))
            .unwrap()
    });
    let (there, back) = builder.duplex(a, b, Rational::one()).unwrap();
    let platform = builder.clone().build().unwrap();
    let mut good = plan(&platform, &Collective::scatter(a, vec![b]));
    builder
        .share(Shared::new("cable", Rational::one(), [there, back]))
        .unwrap();
    let error = builder.build().unwrap_err().to_string();
    assert!(
        error.contains("'a -> b' ends at 'a', which has ports (full-duplex)"),
        "{error}"
    );
    let ported = bus(2, Rational::one()).with_model(PortModel::FullDuplex);
    let members = all(&ported);
    let error = Problem::new(ported, Collective::all_gather(members), Volumes::default());
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("one transfer at a time does not divide")
    );
    let slot = &mut good.schedule.slots[0];
    slot.shares = vec![(slot.links[0], ratio(1, 2))];
    slot.length *= ratio(2, 1);
    good.schedule.period *= ratio(2, 1);
    let error = referee::check_schedule(&good.problem, &good.schedule).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a port serves transfers one after the other"),
        "{error}"
    );
}

/// The price of the slowest capacity proves the optimum without a program: 4 hosts behind a backbone between two
/// switches.
#[test]
fn the_price_of_one_row_proves_the_optimum() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let switch = |name: &str| Node {
        replicates: false,
        ..Node::router(name)
    };
    let (up, down) = (
        builder.node(switch("up")).unwrap(),
        builder.node(switch("down")).unwrap(),
    );
    let backbone = builder.link(up, down, Rational::default()).unwrap();
    let back = builder.link(down, up, Rational::default()).unwrap();
    for index in 0..4 {
        let host = Node::processor(format!("h{index}"), Rational::one());
        let host = builder.node(host).unwrap();
        builder.link(host, up, ratio(1, 100)).unwrap();
        builder.link(down, host, ratio(1, 100)).unwrap();
    }
    builder
        .share(Shared::new("backbone", ratio(6, 1), [backbone, back]))
        .unwrap();
    let platform = builder.build().unwrap();
    let problem = |collective| Problem::new(&platform, collective, Volumes::default()).unwrap();
    // Each of 4 messages crosses the backbone once for each of 3 receivers: nothing behind it can copy.
    let gather = problem(Collective::all_gather(all(&platform)));
    let bounded = solve(&gather, &Options::of(Goal::Bound)).unwrap().answer;
    assert_eq!(*bounded.bound(), ratio(6, 12));
    assert_eq!(bounded.status(), Status::Optimal);
    let backbone = Resource::Shared(SharedId::new(0));
    assert!(bounded.certificate().price(backbone).is_some());
}
