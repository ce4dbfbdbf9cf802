//! Runs of schemes, written by hand: simultaneous tasks, the owners of operands, and the end.

use crate::common;

use crate::common::ask::{check_steady_state, check_timeline};
use common::*;
use oneport_plan::{
    Amount, Collective, CustomDemand, Event, MergeEvent, Message, Pattern, SteadyState, Timeline,
    Volumes, Wanted, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, whole};

/// A, B and C, with links A -> B, B -> A, A -> C and C -> A, each of which takes 1.
fn star() -> Platform {
    let mut builder = Platform::builder();
    let [a, b, c] =
        ["A", "B", "C"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    builder.duplex(a, b, ratio(1, 1)).unwrap();
    builder.duplex(a, c, ratio(1, 1)).unwrap();
    builder.build().unwrap()
}

const TO_B: usize = 0;
const FROM_B: usize = 1;
const TO_C: usize = 2;
const FROM_C: usize = 3;

/// `v[first,last]` over a link, from this date on.
fn sent(link: usize, (first, last): (usize, usize), from: i64) -> Event {
    let pieces = vec![(ratio(from, 1), ratio(from + 1, 1))];
    Event {
        instance: 0,
        message: Message {
            demand: 0,
            part: part(first, last),
        },
        link: LinkId::new(link),
        pieces,
    }
}

/// `v[first,last]` made at a node, in no time.
fn made(node: usize, (first, last): (usize, usize), split: usize, at: i64) -> MergeEvent {
    let message = Message {
        demand: 0,
        part: part(first, last),
    };
    let at = || ratio(at, 1);
    MergeEvent {
        instance: 0,
        message,
        split,
        node: NodeId::new(node),
        start: at(),
        end: at(),
    }
}

fn run(events: Vec<Event>, merges: Vec<MergeEvent>) -> Timeline {
    Timeline::of_one(ratio(4, 1), events, merges)
}

fn all_reduce(participants: &[usize], commutative: bool) -> Collective {
    Collective::all_reduce(participants.iter().map(|&node| NodeId::new(node)).collect())
        .commutative(commutative)
}

/// Merges take no time.
fn volumes() -> Volumes {
    Volumes {
        size: Amount::Constant(ratio(1, 1)),
        work: Amount::Constant(whole(0)),
    }
}

/// Small merges that take no time serve the larger at once, in every listed order. Transfers come after them.
#[test]
fn merges_in_no_time_serve_one_another() {
    let platform = star();
    let events = vec![
        sent(TO_B, (0, 2), 2),
        sent(FROM_B, (1, 1), 0),
        sent(TO_C, (0, 2), 3),
        sent(FROM_C, (2, 2), 1),
    ];
    let (small, large) = (made(0, (0, 1), 0, 2), made(0, (0, 2), 1, 2));
    for merges in [
        vec![small.clone(), large.clone()],
        vec![large.clone(), small.clone()],
    ] {
        for commutative in [false, true] {
            let timeline = run(events.clone(), merges.clone());
            let found = check_timeline(
                &platform,
                &all_reduce(&[0, 1, 2], commutative),
                &volumes(),
                &timeline,
            );
            assert_eq!(told(&found), "");
        }
    }
    // Without the smaller one, no input exists for the larger.
    let found = check_timeline(
        &platform,
        &all_reduce(&[0, 1, 2], false),
        &volumes(),
        &run(events, vec![large]),
    );
    let right = "all-reduce of instance 0: the merge that makes v[0,2] of all-reduce of instance 0 starts at 2, when 'A' \
                 has no copy yet of v[0,1] to use";
    assert_eq!(told(&found), right);
}

/// A's operand is the first, B's the second: a run may exchange them only if their order does not matter.
#[test]
fn operands_in_order_are_at_their_owners() {
    let platform = star();
    let exchange = |of_a: usize, of_b: usize| {
        let events = vec![sent(TO_B, (of_a, of_a), 0), sent(FROM_B, (of_b, of_b), 0)];
        run(events, vec![made(0, (0, 1), 0, 1), made(1, (0, 1), 0, 1)])
    };
    let checked = |timeline: &Timeline, commutative| {
        told(&check_timeline(
            &platform,
            &all_reduce(&[0, 1], commutative),
            &volumes(),
            timeline,
        ))
    };
    for commutative in [false, true] {
        assert_eq!(checked(&exchange(0, 1), commutative), "");
    }
    assert_eq!(checked(&exchange(1, 0), true), "");
    let right = "all-reduce of instance 0: v[0,0] of all-reduce of instance 0 over B -> A starts at 0, when 'B' has no \
                 copy yet of v[0,0] to use";
    assert_eq!(checked(&exchange(1, 0), false), right);
    // Prefixes keep their order, for every operator, and a message is at its owner.
    let custom = |owners: &[usize], wanted| {
        let owners = owners.iter().map(|&node| NodeId::new(node)).collect();
        Collective::Custom(vec![CustomDemand {
            owners,
            wanted,
            commutative: true,
            rate: 1,
        }])
    };
    let swapped = run(vec![sent(TO_B, (1, 1), 0)], vec![made(1, (0, 1), 0, 1)]);
    let refused = told(&check_timeline(
        &platform,
        &custom(&[0, 1], Wanted::Prefixes),
        &volumes(),
        &swapped,
    ));
    assert!(
        refused.ends_with(" when 'A' has no copy yet of v[1,1] to use"),
        "{refused}"
    );
    let elsewhere = run(
        vec![sent(FROM_B, (0, 0), 0), sent(TO_C, (0, 0), 1)],
        Vec::new(),
    );
    let wanted = Wanted::At(vec![NodeId::new(1), NodeId::new(2)]);
    let refused = told(&check_timeline(
        &platform,
        &custom(&[0], wanted),
        &volumes(),
        &elsewhere,
    ));
    assert!(
        refused.ends_with(" when 'B' has no copy yet of the message to use"),
        "{refused}"
    );
}

/// The second instance starts before its period: only a run as soon as possible may do so.
#[test]
fn an_eager_run_may_be_ahead_of_its_periods() {
    let platform = star();
    let collective = Collective::broadcast(NodeId::new(0), vec![NodeId::new(1), NodeId::new(2)]);
    let copy = |instance: u64, link: usize, from: i64| Event {
        instance,
        ..sent(link, (0, 0), from)
    };
    let events = vec![
        copy(0, TO_B, 0),
        copy(0, TO_C, 1),
        copy(1, TO_B, 2),
        copy(1, TO_C, 3),
    ];
    let with = |eager| Timeline {
        starting_periods: 2,
        eager,
        ..run(events.clone(), Vec::new())
    };
    let checked = |eager| {
        told(&check_timeline(
            &platform,
            &collective,
            &volumes(),
            &with(eager),
        ))
    };
    assert_eq!(checked(true), "");
    assert_eq!(
        checked(false),
        "instance 1 starts at 2; it belongs to period 1, from 4 until before 8"
    );
    // Nothing else is allowed that a run by dates may not do.
    let late = Timeline {
        clean_up_periods: 1,
        ..with(true)
    };
    let refused = told(&check_timeline(&platform, &collective, &volumes(), &late));
    assert_eq!(
        refused,
        "1 clean-up periods, but the last message arrives at 4; 0 are enough"
    );
}

/// Two starting periods, and a message that arrives in the fifth: three clean-up periods are enough.
#[test]
fn idle_clean_up_periods_are_counted() {
    let platform = star();
    let collective = Collective::broadcast(NodeId::new(0), vec![NodeId::new(1), NodeId::new(2)]);
    let copy = |instance: u64, link: usize, from: i64| Event {
        instance,
        ..sent(link, (0, 0), from)
    };
    let events = vec![
        copy(0, TO_B, 0),
        copy(0, TO_C, 1),
        copy(1, TO_B, 4),
        copy(1, TO_C, 17),
    ];
    let with = |clean_up_periods| Timeline {
        starting_periods: 2,
        clean_up_periods,
        ..run(events.clone(), Vec::new())
    };
    let checked = |clean_up| {
        told(&check_timeline(
            &platform,
            &collective,
            &volumes(),
            &with(clean_up),
        ))
    };
    assert_eq!(checked(3), "");
    assert_eq!(
        checked(4),
        "4 clean-up periods, but the last message arrives at 18; 3 are enough"
    );
    assert_eq!(
        checked(2),
        "message A=>all of instance 1 over A -> C ends at 18; the run ends at 16"
    );
}

/// A demand that runs three times per instance: all six executions of two instances must be served. An event outside of
/// the problem is refused, even after all its own.
#[test]
fn every_time_of_a_demand_is_wanted() {
    let platform = star();
    let wanted = Wanted::At(vec![NodeId::new(1)]);
    let demand = CustomDemand {
        owners: vec![NodeId::new(0)],
        wanted,
        commutative: false,
        rate: 3,
    };
    let collective = Collective::Custom(vec![demand]);
    let copy = |instance: u64| Event {
        instance,
        ..sent(TO_B, (0, 0), instance as i64)
    };
    let times = |count: u64| {
        let run = Timeline::of_one(ratio(3, 1), (0..count).map(copy).collect(), Vec::new());
        Timeline {
            starting_periods: 2,
            ..run
        }
    };
    let checked = |run: &Timeline| told(&check_timeline(&platform, &collective, &volumes(), run));
    assert_eq!(checked(&times(6)), "");
    for count in 1..6 {
        let refused = checked(&times(count));
        assert!(
            refused.contains(&format!("of instance {count} ")),
            "{count}: {refused}"
        );
    }
    let with = |change: &dyn Fn(&mut Event)| {
        let mut run = times(6);
        let mut more = copy(5);
        change(&mut more);
        run.events.push(more);
        checked(&run)
    };
    let none = "event 6: demand 1 does not exist; an instance has 1, numbered from 0";
    assert_eq!(with(&|event| event.message.demand = 1), none);
    let part = "event 6: v[0,1] does not exist; parts are v[k,m] with 0 <= k <= m <= 0";
    assert_eq!(with(&|event| event.message.part.last = 1), part);
}

/// Over links of cost 0 a message is forwarded at the date at which it arrived, in the order of the list. Here from A
/// over S to B, and back over S to C: S passes on each copy that comes there.
#[test]
fn chains_in_no_time_follow_the_message() {
    let mut builder = Platform::builder();
    let nodes = ["A", "S", "B", "C"].map(|name| match name {
        "S" => Node {
            replicates: false,
            ..Node::router(name)
        },
        _ => Node::processor(name, ratio(1, 1)),
    });
    let [a, s, b, c] = nodes.map(|node| builder.node(node).unwrap());
    for (from, to, cost) in [(s, c, 0), (b, s, 0), (s, b, 0), (a, s, 1)] {
        builder.link(from, to, ratio(cost, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let [on, back, out] = [0, 1, 2].map(|link| Event {
        pieces: vec![(ratio(1, 1), ratio(1, 1))],
        ..sent(link, (0, 0), 1)
    });
    let first = sent(3, (0, 0), 0);
    let checked = |collective: &Collective, events: &[&Event]| {
        let events = events.iter().map(|&event| event.clone()).collect();
        let timeline = Timeline::of_one(ratio(1, 1), events, Vec::new());
        told(&check_timeline(
            &platform,
            collective,
            &volumes(),
            &timeline,
        ))
    };
    let broadcast = Collective::broadcast(a, vec![b, c]);
    assert_eq!(checked(&broadcast, &[&first, &out, &back, &on]), "");
    // The list gives the instants, not the index of the transfer before them.
    assert_eq!(checked(&broadcast, &[&out, &back, &on, &first]), "");
    assert_eq!(
        checked(&broadcast, &[&first, &back, &out, &on]),
        "A=>all of instance 0: message A=>all of instance 0 over B -> S starts at 1, when 'B' has no copy yet of the message \
         to use"
    );
    let scatter = Collective::scatter(a, vec![b]);
    assert_eq!(checked(&scatter, &[&first, &out]), "");
    let alone = Collective::scatter(a, vec![c]);
    assert_eq!(checked(&alone, &[&first, &on]), "");
    // One message for one target comes to a node once.
    let refused = checked(&alone, &[&first, &out, &back, &on]);
    assert!(
        refused.contains("to 'S', where it has been before"),
        "{refused}"
    );
    // So do patterns: S forwards each of the two copies once.
    let steady = |last: u32| {
        let hops = [(3, None), (2, Some(0)), (1, Some(1)), (0, Some(last))];
        let hops = hops.map(|(link, after)| (LinkId::new(link), after));
        let state = SteadyState {
            throughput: ratio(1, 1),
            patterns: vec![WeightedPattern {
                pattern: Pattern::arborescence(0, hops),
                weight: ratio(1, 1),
            }],
        };
        told(&check_steady_state(
            &platform,
            &broadcast,
            &volumes(),
            &state,
        ))
    };
    assert_eq!(steady(2), "");
    let refused = steady(0);
    assert!(
        refused.contains("both use the same copy at 'S'"),
        "{refused}"
    );
}
