//! Wrong reductions are refused by name. Also runs at the limit of the rules.

use crate::common;

use crate::common::ask::check_timeline;
use common::*;
use oneport_plan::{Amount, Collective, Message, Pattern, Resource, Task, Timeline};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_referee::{TimelineReport, Violation};

fn run_report(plan: &Plan, run: &Timeline) -> Result<TimelineReport, Violation> {
    check_timeline(&plan.platform, &plan.collective, &plan.volumes, run)
}

/// One change to the toy's tree, and the words of the refusal.
#[track_caller]
fn refused(change: impl Fn(&mut Plan, &mut Pattern), words: &str) {
    refused_after(&change, words);
}

/// Compiled once, not once per change.
#[track_caller]
fn refused_after(change: &dyn Fn(&mut Plan, &mut Pattern), words: &str) {
    let mut plan = reduce_toy();
    let mut tree = plan.steady_state.patterns[0].pattern.clone();
    change(&mut plan, &mut tree);
    plan.steady_state.patterns[0].pattern = Pattern::tree(tree.demand, tree.order, tree.tasks);
    assert_eq!(check_plan(&plan).expect_err(words).to_string(), words);
}

#[test]
fn refusals_name_the_task() {
    let [p0, p1, p2] = [0, 1, 2].map(NodeId::new);
    let merge = |node, first, last, split| Task::merge(node, part(first, last), split);
    let send = |link, first, last| Task::send(LinkId::new(link), part(first, last));
    let name = "steady-state pattern 0 (reduction=>P0)";
    let at = |task: usize, words: &str| format!("{name}, task {task}: {words}");
    refused(
        |_, tree| tree.order = Some(vec![2, 1, 0]),
        &format!(
            "{name}: the operands have an order of their own, but the operator is not commutative; leave the order out"
        ),
    );
    let commutative = |plan: &mut Plan| {
        let participants = vec![p0, p1, p2];
        plan.collective = Collective::reduce(p0, participants);
    };
    refused(
        |plan, tree| {
            commutative(plan);
            tree.order = Some(vec![0, 1]);
        },
        &format!("{name}: the order lists 2 participants; list all 3, each once"),
    );
    refused(
        |plan, tree| {
            commutative(plan);
            tree.order = Some(vec![0, 1, 1]);
        },
        &format!(
            "{name}: entry 2 of the order is participant 1; list each of the 3 participants, numbered from 0, once"
        ),
    );
    refused(
        |_, tree| tree.tasks[0] = send(5, 2, 3),
        &at(
            0,
            "v[2,3] does not exist; parts are v[k,m] with 0 <= k <= m <= 2",
        ),
    );
    refused(
        |_, tree| tree.tasks[0] = send(6, 2, 2),
        "steady-state pattern 0, task 0: link id 6 does not exist; the platform has 6 links, numbered from 0",
    );
    refused(
        |_, tree| tree.tasks[0] = send(2, 2, 2),
        &at(0, "v[2,2] is needed at 'P1', but is at 'P2' then"),
    );
    refused(
        |_, tree| tree.tasks[1] = merge(p1, 1, 2, 2),
        &at(
            1,
            "v[1,2] split after operand 2; a merge splits v[k,m] after one of k, ... m-1",
        ),
    );
    refused(
        |_, tree| tree.tasks[1] = merge(NodeId::new(3), 1, 2, 1),
        &at(
            1,
            "node id 3 does not exist; the platform has 3 nodes, numbered from 0",
        ),
    );
    refused(
        |_, tree| tree.tasks[1] = merge(p2, 1, 2, 1),
        &at(1, "v[1,1] is needed at 'P2', but is at 'P1' then"),
    );
    refused(
        |_, tree| tree.tasks.retain(|task| task.alone() != merge(p1, 1, 2, 1)),
        &at(1, "v[1,2] is needed, but not made before"),
    );
    refused(
        |_, tree| tree.tasks.insert(2, merge(p1, 1, 2, 1)),
        &at(
            2,
            "v[1,1] is used again; where one node wants the result, every value is used once",
        ),
    );
    refused(
        |_, tree| tree.tasks.insert(2, send(2, 1, 1)),
        &at(
            2,
            "v[1,1] is used again; where one node wants the result, every value is used once",
        ),
    );
    refused(
        |_, tree| {
            drop(tree.tasks.splice(..0, [send(4, 2, 2), send(1, 2, 2)]));
        },
        &at(1, "v[2,2] comes to 'P2' twice; cut the detour out"),
    );
    refused(
        |_, tree| tree.tasks.truncate(3),
        &format!("{name}: v[0,0] is left at 'P0'; everything must be merged into one result"),
    );
    refused(
        |_, tree| tree.tasks.push(send(0, 0, 2)),
        &format!("{name} ends at 'P1'; it must end at the target"),
    );
    refused(
        |plan, _| plan.collective = Collective::all_to_all(vec![p0, p1]),
        "steady-state pattern 0 (P0=>P1), task 0: v[2,2] does not exist; parts are v[k,m] with 0 <= k <= m <= 0",
    );
}

#[test]
fn refusals_name_processors() {
    let one_router = |plan: &Plan| {
        let mut builder = Platform::builder();
        for node in plan.platform.nodes() {
            builder.node(node.clone()).unwrap();
        }
        builder.node(Node::router("switch")).unwrap();
        for link in plan.platform.links() {
            builder.link(link.from, link.to, link.cost.clone()).unwrap();
        }
        builder.build().unwrap()
    };
    let switch = NodeId::new(3);
    refused(
        |plan, tree| {
            plan.platform = one_router(plan);
            tree.tasks[1] = Task::merge(switch, part(1, 2), 1);
        },
        "steady-state pattern 0 (reduction=>P0), task 1: a merge at 'switch', which is a router; only processors merge, and \
         switches that reduce",
    );
    refused(
        |plan, _| {
            plan.platform = one_router(plan);
            plan.certificate =
                oneport_plan::Certificate::of_prices(vec![(Resource::Compute(switch), whole(1))]);
        },
        "price of the processor of 'switch': the node is a router, which merges nothing; leave the price out",
    );
    refused(
        |plan, _| plan.volumes.work = Amount::Constant(ratio(3, 2)),
        "the processor of 'P1' is busy for 3/2 of the time; at most 1 is possible",
    );
    refused(
        |plan, _| {
            plan.volumes.work = Amount::Constant(ratio(3, 2));
            plan.steady_state.throughput = ratio(1, 2);
            plan.steady_state.patterns[0].weight = ratio(1, 2);
        },
        "the merges at 'P1' take 3/2 per period; the period is 1",
    );
    refused(
        |plan, _| {
            plan.volumes.work = Amount::Constant(ratio(5, 2));
            plan.steady_state.throughput = ratio(1, 2);
            plan.steady_state.patterns[0].weight = ratio(1, 2);
        },
        "the processor of 'P1' is busy for 5/4 of the time; at most 1 is possible",
    );
    refused(
        |plan, _| {
            plan.volumes.work = Amount::Constant(ratio(5, 4));
            plan.steady_state.throughput = ratio(1, 2);
            plan.steady_state.patterns[0].weight = ratio(1, 2);
            plan.schedule.period = ratio(9, 4);
            plan.schedule.instances = 2u32.into();
            plan.schedule.patterns[0].copies = 2u32.into();
            plan.schedule.slots[0].length = ratio(2, 1);
        },
        "the merges at 'P1' take 5/2 per period; the period is 9/4",
    );
    refused(
        |plan, _| plan.volumes.size = Amount::Constant(Rational::new_raw(1.into(), 0.into())),
        "the size 1/0 is no number; give it a positive denominator",
    );
}

/// One change to a run of the toy over one starting period, and the words of the refusal. The events are v22 over P2 ->
/// P1 in [0, 1] and v12 over P1 -> P0 in [2, 3]. The merges are v12 at P1 in [1, 2] and v02 at P0 in [3, 7/2].
#[track_caller]
fn run_refused(change: impl Fn(&mut Timeline), words: &str) {
    run_refused_after(&change, words);
}

#[track_caller]
fn run_refused_after(change: &dyn Fn(&mut Timeline), words: &str) {
    let plan = reduce_toy();
    let mut run = unroll(&plan, 1);
    run_report(&plan, &run).unwrap();
    run.merges.sort_by(|one, other| one.start.cmp(&other.start));
    change(&mut run);
    assert_eq!(run_report(&plan, &run).expect_err(words).to_string(), words);
}

#[test]
fn refusals_name_the_merge() {
    let first = "the merge that makes v[1,2] of reduction=>P0 of instance 0";
    run_refused(
        |run| run.merges[1].instance = 1,
        "merge 1 belongs to instance 1; 1 instances are started, numbered from 0",
    );
    run_refused(
        |run| run.merges[1].message.part = part(0, 0),
        "merge 1 (v[0,0] of reduction=>P0 of instance 0): v[0,0] split after operand 0; a merge splits v[k,m] after one of k, ... m-1",
    );
    run_refused(
        |run| run.merges[0].split = 0,
        "merge 0 (v[1,2] of reduction=>P0 of instance 0): v[1,2] split after operand 0; a merge splits v[k,m] after one of k, ... m-1",
    );
    run_refused(
        |run| run.merges[0].end = ratio(1, 2),
        "merge 0 (v[1,2] of reduction=>P0 of instance 0): lasts from 1 to 1/2; dates start at 0 and ascend",
    );
    run_refused(
        |run| run.merges[0].end = ratio(5, 2),
        "merge 0 (v[1,2] of reduction=>P0 of instance 0): takes 3/2; the merge takes 1",
    );
    run_refused(
        |run| run.merges[1].end = ratio(5, 1),
        "merge 1 (v[0,2] of reduction=>P0 of instance 0): ends at 5; the run ends at 4",
    );
    run_refused(
        |run| {
            run.merges[0].start = ratio(1, 2);
            run.merges[0].end = ratio(3, 2);
        },
        &format!("{first}: starts at 1/2, but v[2,2] is at 'P1' only from 1"),
    );
    run_refused(
        |run| run.merges[0].node = NodeId::new(2),
        &format!("{first}: v[1,1] is needed at 'P2', but is at 'P1' then"),
    );
    run_refused(
        |run| {
            run.events[1].pieces[0] = (ratio(3, 2), ratio(5, 2));
        },
        "v[1,2] of reduction=>P0 of instance 0 starts over P1 -> P0 at 3/2, but arrives at 'P1' only at 2",
    );
    run_refused(
        |run| drop(run.merges.remove(0)),
        "reduction=>P0 of instance 0: v[1,1] is never merged; everything must be merged into one result",
    );
    run_refused(
        |run| drop(run.merges.pop()),
        "reduction=>P0 of instance 0: v[0,0] is never merged; everything must be merged into one result",
    );
    run_refused(
        |run| run.starting_periods = 2,
        "reduction=>P0 of instance 1: v[0,2] is needed, but not made before",
    );
    run_refused(
        |run| {
            let again = run.merges[0].clone();
            run.merges.push(again);
        },
        "the processor of 'P1' starts the merge that makes v[1,2] of reduction=>P0 of instance 0 at 1, while the merge that makes v[1,2] of reduction=>P0 of instance 0 lasts until 2; it serves one at a time",
    );
    run_refused(
        |run| {
            let mut again = run.merges[0].clone();
            (again.start, again.end) = (ratio(2, 1), ratio(3, 1));
            run.merges.push(again);
        },
        &format!("{first}: v[1,2] is made twice; make every part once"),
    );
    run_refused(
        |run| {
            let mut other = run.merges[0].clone();
            (other.message.part, other.split) = (part(0, 1), 0);
            (other.start, other.end) = (ratio(2, 1), ratio(3, 1));
            run.merges.push(other);
        },
        "the merge that makes v[0,1] of reduction=>P0 of instance 0: v[0,0] is used again; where one node wants the result, every value is used once",
    );
    run_refused(
        |run| {
            let mut on = run.events[0].clone();
            (on.message.part, on.link, on.pieces) =
                (part(0, 2), LinkId::new(0), vec![(ratio(7, 2), ratio(9, 2))]);
            run.events.push(on);
            run.clean_up_periods = 4;
        },
        "v[0,2] of reduction=>P0 of instance 0 starts over P0 -> P1 at 7/2, after its arrival at its target 'P0'",
    );
}

/// Merges of no time at the boundary of two periods, at a busy processor, and in sequence at the same date.
#[test]
fn merges_of_no_time_hinder_nobody() {
    let mut plan = reduce_toy();
    plan.volumes.work = Amount::Constant(whole(0));
    check_plan(&plan).unwrap();
    let run = unroll(&plan, 3);
    let report = run_report(&plan, &run).unwrap();
    // The last merge is at the start of the last period.
    assert_eq!((report.last_arrival, report.horizon), (whole(5), whole(6)));
    // Everything is sent to P0 and merged there at once.
    let message = |first, last| Message {
        demand: 0,
        part: part(first, last),
    };
    let event = |link, operand, start| oneport_plan::Event {
        instance: 0,
        message: message(operand, operand),
        link: LinkId::new(link),
        pieces: vec![(whole(start), whole(start + 1))],
    };
    let merge = |first, last, split| oneport_plan::MergeEvent {
        instance: 0,
        message: message(first, last),
        split,
        node: NodeId::new(0),
        start: whole(2),
        end: whole(2),
    };
    let merges = vec![merge(0, 2, 0), merge(1, 2, 1)];
    let run = Timeline::of_one(whole(2), vec![event(2, 1, 0), event(4, 2, 1)], merges);
    let report = run_report(&plan, &run).unwrap();
    assert_eq!(
        (report.last_arrival, report.peak_buffer),
        (whole(2), vec![1, 0, 0])
    );
}

/// An order that the instance chooses itself, if the operator is commutative: any, but each operand once.
#[test]
fn owners_are_known_from_their_values() {
    let mut plan = reduce_toy();
    let mut run = unroll(&plan, 1);
    // P2's value is called v11, P1's v22: exchanged names.
    for event in &mut run.events {
        if event.message.part == part(2, 2) {
            event.message.part = part(1, 1);
        }
    }
    let words = "v[1,1] of reduction=>P0 of instance 0 starts over P2 -> P1 at 0, but 'P1' holds it then, or is about to";
    assert_eq!(run_report(&plan, &run).unwrap_err().to_string(), words);
    let participants = [0, 1, 2].map(NodeId::new).to_vec();
    plan.collective = Collective::reduce(participants[0], participants);
    run_report(&plan, &run).unwrap();
    // Without the transfer, both operands are P1's.
    run.events.remove(0);
    for (start, end) in run.events.iter_mut().flat_map(|event| &mut event.pieces) {
        (*start, *end) = (&*start - whole(2), &*end - whole(2));
    }
    for merge in &mut run.merges {
        let shift = if merge.node == NodeId::new(0) {
            whole(2)
        } else {
            whole(1)
        };
        (merge.start, merge.end) = (&merge.start - &shift, &merge.end - &shift);
    }
    for event in &mut run.events {
        event.pieces = vec![(whole(1), whole(2))];
    }
    for merge in run
        .merges
        .iter_mut()
        .filter(|merge| merge.node == NodeId::new(0))
    {
        (merge.start, merge.end) = (whole(2), ratio(5, 2));
    }
    assert_eq!(
        run_report(&plan, &run).unwrap_err().to_string(),
        "reduction=>P0 of instance 0: the result combines the values of P0, P1, P1; it must combine those of P0, P1, P2"
    );
}
