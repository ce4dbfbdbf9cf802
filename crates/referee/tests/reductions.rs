//! Plans of reduction trees: the referee against naive twins, on honest plans and on every single change to them.

mod common;

use std::collections::BTreeMap;

use common::judge::judge;
use common::mutate::{plan_mutants, timeline_mutants};
use common::play::{Seen, play};
use common::*;
use oneport_plan::{
    Amount, Certificate, Collective, Message, Pattern, Plan, ReductionTree, Resource, Task, Timeline, Volumes,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_referee::{TimelineReport, Violation, bound, check_plan, check_steady_state, check_timeline};
use proptest::prelude::*;

fn run_report(plan: &Plan, run: &Timeline) -> Result<TimelineReport, Violation> {
    check_timeline(&plan.platform, &plan.collective, &plan.volumes, run)
}

#[test]
fn the_toy_of_the_paper_is_optimal_at_one() {
    let plan = reduce_toy();
    let verdict = check_plan(&plan).unwrap();
    assert_eq!((verdict.throughput, verdict.bound, verdict.schedule_throughput), (whole(1), whole(1), whole(1)));
    for starting in 1..5 {
        let run = unroll(&plan, starting);
        let report = run_report(&plan, &run).unwrap();
        // Transfer, merge, transfer, merge: the last merge takes half a period.
        assert_eq!((report.delivered, &report.horizon), (starting, &whole(starting as usize + 3)));
        assert_eq!(report.last_arrival, whole(starting as usize + 3) - ratio(1, 2));
        assert_eq!(report.complete_after(4), starting.min(1));
    }
    // P1 holds v[2,2] while it merges it and v[1,2] while it sends it; P0 holds v[1,2] for half a period.
    assert_eq!(run_report(&plan, &unroll(&plan, 4)).unwrap().peak_buffer, [1, 2, 0]);
}

/// notes on papers/000: the two trees that the paper extracts, 1/3 and 2/3, are as good.
#[test]
fn the_trees_of_the_paper_are_optimal_too() {
    let mut plan = reduce_toy();
    let [p0, p1, p2] = [0, 1, 2].map(NodeId::new);
    let link = |from, to| plan.platform.link_between(from, to).unwrap();
    let tree = |merger, from, value, by| {
        let tasks = vec![
            Task::Transfer { link: link(from, merger), part: part(value, value) },
            Task::Merge { node: merger, part: part(1, 2), split: 1 },
            Task::Transfer { link: link(merger, p0), part: part(1, 2) },
            Task::Merge { node: p0, part: part(0, 2), split: 0 },
        ];
        weighted(&Pattern::Reduction(ReductionTree { commodity: 0, order: None, tasks }), by)
    };
    let patterns = vec![tree(p1, p2, 2, ratio(1, 3)), tree(p2, p1, 1, ratio(2, 3))];
    plan.steady_state.patterns = patterns;
    assert_eq!(check_plan(&plan).unwrap().throughput, whole(1));
}

fn question(dice: &mut Dice) -> (Platform, Collective, Volumes) {
    let Plan { platform, collective, volumes, .. } = generate::reduction_plan(dice, false);
    (platform, collective, volumes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Intervals and sets on machine integers and lazily exact, against spreading all values over all links in
    /// rationals. `width` makes the prices outgrow machine integers; small differences make ties nearly.
    #[test]
    fn bounds_are_those_of_spreading(seed: u64, width in 0u32..8, nearly: bool) {
        let mut dice = Dice(seed);
        let (platform, collective, volumes) = question(&mut dice);
        let mut prices = generate::random_prices(&mut dice, &platform);
        for (_, price) in &mut prices {
            if nearly {
                *price = whole(1 + dice.below(2));
            }
            for _ in 0..width {
                let tiny = Rational::new(1.into(), (u128::from(dice.roll()) << 60 | 1).into());
                *price += if nearly { tiny } else { Rational::new(1.into(), (2 * (dice.roll() >> 34) + 1).into()) };
            }
        }
        let found = bound(&platform, &collective, &volumes, &Certificate { prices: prices.clone() });
        prop_assert_eq!(found.ok(), naive_bound(&platform, &collective, &volumes, &prices));
    }

    /// The referee and its twins agree on honest plans and their runs.
    #[test]
    fn honest_plans_pass(seed: u64, integer: bool) {
        let mut dice = Dice(seed);
        let plan = generate::reduction_plan(&mut dice, integer);
        prop_assert!(judge(&plan));
        let verdict = check_plan(&plan).unwrap();
        prop_assert!(verdict.schedule_throughput <= verdict.throughput && verdict.throughput <= verdict.bound);
        let run = unroll(&plan, 1 + dice.below(3) as u64);
        let report = run_report(&plan, &run).unwrap();
        prop_assert!(report.throughput <= verdict.bound);
        for &(periods, complete) in &report.complete {
            let time = &plan.schedule.period * whole(periods as usize);
            prop_assert!(whole(complete as usize) <= &verdict.bound * time);
        }
        let Seen { last_arrival, peak_buffer } = play(&plan, &run).unwrap();
        prop_assert_eq!((report.last_arrival, report.peak_buffer), (last_arrival, peak_buffer));
    }
}

/// Two changes at a time, so that the second may make up for the first.
#[test]
fn twice_changed_runs_get_the_verdict_of_the_naive_run() {
    let mut counts = [0, 0];
    for (seed, plan) in honest_plans().iter().enumerate() {
        let mut dice = Dice(seed as u64);
        let run = unroll(plan, 1 + dice.below(2) as u64);
        let mut accepted = timeline_mutants(plan, &run);
        accepted.retain(|mutant| run_report(plan, &mutant.value).is_ok());
        for _ in 0..6 {
            let once = &accepted[dice.below(accepted.len())].value;
            let mut mutants = timeline_mutants(plan, once);
            for _ in 0..10 {
                let twice = mutants.swap_remove(dice.below(mutants.len()));
                let found = run_report(plan, &twice.value);
                assert_eq!(found.is_ok(), play(plan, &twice.value).is_some(), "{}: {found:?}", twice.change);
                counts[usize::from(found.is_ok())] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

/// The same with more operands, where most of the exact values are never computed: prices that nearly tie.
#[test]
fn bounds_of_many_operands_are_those_of_spreading() {
    for seed in 0..16 {
        let mut dice = Dice(seed);
        let names: Vec<String> = (0..12).map(|i| format!("N{i}")).collect();
        let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
        let chosen = |dice: &mut Dice, i, j| i != j && (j == (i + 1) % 12 || dice.one_in(5));
        let pairs: Vec<(usize, usize)> = (0..12).flat_map(|i| (0..12).map(move |j| (i, j))).collect();
        let pairs = pairs.into_iter().filter(|&(i, j)| chosen(&mut dice, i, j)).collect::<Vec<_>>();
        let links: Vec<_> = pairs.iter().map(|&(i, j)| (nodes[i], nodes[j], ratio(1 + (i % 2) as i64, 2))).collect();
        let platform = platform(&nodes, &links);
        let mut participants: Vec<NodeId> = platform.node_ids().collect();
        dice.shuffle(&mut participants);
        let (target, commutative) = (participants[0], seed % 4 == 0);
        participants.truncate(if commutative { 6 } else { 9 });
        let collective = Collective::Reduce { target, participants, commutative };
        let volumes = generate::random_volumes(&mut dice, &collective, true);
        let mut prices = Vec::new();
        for kind in [Resource::Send, Resource::Receive, Resource::Compute] {
            for node in platform.node_ids() {
                let tiny = Rational::new(dice.below(3).into(), num_bigint::BigInt::from(7).pow(100 + seed as u32));
                prices.push((kind(node), whole(1) + tiny));
            }
        }
        let found = bound(&platform, &collective, &volumes, &Certificate { prices: prices.clone() });
        assert_eq!(found.ok(), naive_bound(&platform, &collective, &volumes, &prices));
    }
}

/// Every tree on the smallest platforms: all are accepted, and the cheapest costs what the bound says.
#[test]
fn no_tree_is_cheaper_than_the_bound_says() {
    let mut trees_seen = 0;
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let names = ["A", "B", "C", "r"];
        let nodes = if seed % 4 == 0 { &names[..] } else { &names[..3] };
        let mut links = Vec::new();
        for (i, from) in nodes.iter().enumerate() {
            for (j, to) in nodes.iter().enumerate() {
                if i != j && (j == (i + 1) % nodes.len() || dice.one_in(2)) {
                    links.push((*from, *to, dice.fraction(4)));
                }
            }
        }
        let platform = platform(nodes, &links);
        let mut participants = [0, 1, 2].map(NodeId::new).to_vec();
        dice.shuffle(&mut participants);
        let target = participants[dice.below(3)];
        participants.truncate(2 + dice.below(2));
        let collective = Collective::Reduce { target, participants, commutative: seed % 2 == 0 };
        let volumes = generate::random_volumes(&mut dice, &collective, false);
        let prices = generate::random_prices(&mut dice, &platform);
        let by_resource: Prices<'_> = prices.iter().map(|(resource, price)| (*resource, price)).collect();
        let trees = trees::all_trees(&platform, &collective, 0);
        trees_seen += trees.len();
        let price = |tree: &ReductionTree| trees::price(&platform, &volumes, &by_resource, &tree.tasks);
        let cheapest = trees.iter().map(price).min().unwrap();
        let sum: Rational = prices.iter().map(|(_, price)| price).sum();
        let found = bound(&platform, &collective, &volumes, &Certificate { prices: prices.clone() });
        match found {
            Ok(found) => assert_eq!(found, sum / cheapest),
            Err(refused) => {
                assert_eq!((refused, cheapest), (Violation::NoBound { prices: prices.len() }, whole(0)));
            }
        }
        for tree in trees.into_iter().step_by(17) {
            let slow = ratio(1, 1_000_000);
            let patterns = vec![weighted(&Pattern::Reduction(tree), slow.clone())];
            let state = oneport_plan::SteadyState { throughput: slow, patterns };
            assert_eq!(check_steady_state(&platform, &collective, &volumes, &state), Ok(()));
        }
    }
    assert!(trees_seen > 10_000, "{trees_seen}");
}

/// What operands a commutative operator may reorder makes bounds larger, never smaller.
#[test]
fn reordering_never_lowers_the_bound() {
    let mut larger = 0;
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let (platform, mut collective, _) = question(&mut dice);
        let volumes = Volumes::of_size(whole(1));
        let certificate = Certificate { prices: generate::random_prices(&mut dice, &platform) };
        let mut bounds = Vec::new();
        for reorder in [false, true] {
            match &mut collective {
                Collective::Reduce { commutative, .. } | Collective::ReduceScatter { commutative, .. } => {
                    *commutative = reorder;
                }
                other => panic!("{other:?} reduces nothing"),
            }
            bounds.push(bound(&platform, &collective, &volumes, &certificate).ok());
        }
        if let [Some(fixed), Some(free)] = &bounds[..] {
            assert!(fixed <= free);
            larger += usize::from(fixed < free);
        }
    }
    assert!(larger > 10, "{larger}");
}

/// Many operands that may be reordered: the bound is no more than for the order that they have, and no less than a lower
/// one that is easily seen: everything is merged by somebody.
#[test]
fn bounds_of_crowds_hold() {
    for seed in 0..20 {
        let mut dice = Dice(seed);
        let names: Vec<String> = (0..15).map(|i| format!("N{i}")).collect();
        let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut links = Vec::new();
        for i in 0..15 {
            for j in 0..15 {
                if i != j && (j == (i + 1) % 15 || dice.one_in(6)) {
                    links.push((nodes[i], nodes[j], dice.fraction(5)));
                }
            }
        }
        let platform = platform(&nodes, &links);
        let mut participants: Vec<NodeId> = platform.node_ids().collect();
        dice.shuffle(&mut participants);
        participants.truncate(13 + dice.below(3));
        let certificate = Certificate { prices: generate::random_prices(&mut dice, &platform) };
        let volumes = Volumes {
            size: Amount::Affine { fixed: dice.fraction(3), per_operand: whole(dice.below(2)) },
            work: Amount::Affine { fixed: dice.fraction(3), per_operand: whole(dice.below(2)) },
        };
        let bound = |commutative| {
            let target = participants[0];
            let collective = Collective::Reduce { target, participants: participants.clone(), commutative };
            bound(&platform, &collective, &volumes, &certificate).unwrap()
        };
        let (fixed, free) = (bound(false), bound(true));
        assert!(fixed <= free, "{fixed} {free}");
        let merging = participants.len() - 1;
        let busiest = platform.nodes().iter().map(|node| node.compute.clone().unwrap()).min().unwrap();
        let all: Rational = certificate.prices.iter().map(|(_, price)| price).sum();
        let cheapest = certificate.prices.iter().filter(|(r, _)| matches!(r, Resource::Compute(_))).count();
        if cheapest == 15 {
            assert!(free <= all / (whole(merging) * busiest));
        }
    }
}

/// The toy, and random plans of not too many tasks.
fn honest_plans() -> Vec<Plan> {
    let tasks = |plan: &Plan| -> usize {
        plan.schedule.patterns.iter().filter_map(|s| s.pattern.tree()).map(|tree| tree.tasks.len()).sum()
    };
    let random = (0..).map(|seed| generate::reduction_plan(&mut Dice(seed), seed % 3 == 0));
    let small = random.filter(|plan| (2..25).contains(&tasks(plan))).take(9);
    std::iter::once(reduce_toy()).chain(small).collect()
}

/// Refused are exactly the mutants that the naive twin finds wrong.
#[test]
fn changed_plans_get_the_verdict_of_the_naive_judge() {
    let mut counts = [0, 0];
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for plan in honest_plans() {
        for mutant in plan_mutants(&plan) {
            let found = check_plan(&mutant.value);
            assert_eq!(found.is_ok(), judge(&mutant.value), "{}: {found:?}", mutant.change);
            counts[usize::from(found.is_ok())] += 1;
            if let Err(violation) = found {
                *kinds.entry(kind(&violation)).or_default() += 1;
            }
        }
    }
    println!("plans of trees: {} mutants refused, {} say nothing false\n{kinds:#?}", counts[0], counts[1]);
    assert!(counts[0] > 10 * counts[1]);
}

#[test]
fn changed_runs_get_the_verdict_of_the_naive_run() {
    let mut counts = [0, 0];
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for plan in honest_plans() {
        let run = unroll(&plan, 1);
        for mutant in timeline_mutants(&plan, &run) {
            let found = run_report(&plan, &mutant.value);
            let seen = play(&plan, &mutant.value);
            assert_eq!(found.is_ok(), seen.is_some(), "{}: {found:?}", mutant.change);
            counts[usize::from(found.is_ok())] += 1;
            match (found, seen) {
                (Ok(report), Some(seen)) => {
                    let report = Seen { last_arrival: report.last_arrival, peak_buffer: report.peak_buffer };
                    assert_eq!(report, seen);
                }
                (Err(violation), _) => *kinds.entry(kind(&violation)).or_default() += 1,
                _ => {}
            }
        }
    }
    println!("runs of trees: {} mutants refused, {} say nothing false\n{kinds:#?}", counts[0], counts[1]);
    assert!(counts[0] > 5 * counts[1]);
}

/// The name of the rule broken.
fn kind(violation: &Violation) -> String {
    let debug = match violation {
        Violation::Reduction { fault, .. } => format!("{fault:?}"),
        other => format!("{other:?}"),
    };
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// One change to the toy's tree, and the words of the refusal.
#[track_caller]
fn refused(change: impl Fn(&mut Plan, &mut ReductionTree), words: &str) {
    let mut plan = reduce_toy();
    let Pattern::Reduction(mut tree) = plan.steady_state.patterns[0].pattern.clone() else { panic!("no tree") };
    change(&mut plan, &mut tree);
    plan.steady_state.patterns[0].pattern = Pattern::Reduction(tree);
    assert_eq!(check_plan(&plan).expect_err(words).to_string(), words);
}

#[test]
fn refusals_name_the_task() {
    let [p0, p1, p2] = [0, 1, 2].map(NodeId::new);
    let merge = |node, first, last, split| Task::Merge { node, part: part(first, last), split };
    let send = |link, first, last| Task::Transfer { link: LinkId::new(link), part: part(first, last) };
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
        plan.collective = Collective::Reduce { target: p0, participants, commutative: true };
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
        &at(0, "v[2,3] does not exist; parts are v[k,m] with 0 <= k <= m <= 2"),
    );
    refused(
        |_, tree| tree.tasks[0] = send(6, 2, 2),
        "steady-state pattern 0, task 0: link id 6 does not exist; the platform has 6 links, numbered from 0",
    );
    refused(|_, tree| tree.tasks[0] = send(2, 2, 2), &at(0, "v[2,2] is needed at 'P1', but is at 'P2' then"));
    refused(
        |_, tree| tree.tasks[1] = merge(p1, 1, 2, 2),
        &at(1, "v[1,2] split after operand 2; a merge splits v[k,m] after one of k, ... m-1"),
    );
    refused(
        |_, tree| tree.tasks[1] = merge(NodeId::new(3), 1, 2, 1),
        &at(1, "node id 3 does not exist; the platform has 3 nodes, numbered from 0"),
    );
    refused(|_, tree| tree.tasks[1] = merge(p2, 1, 2, 1), &at(1, "v[1,1] is needed at 'P2', but is at 'P1' then"));
    refused(
        |_, tree| tree.tasks.retain(|task| *task != merge(p1, 1, 2, 1)),
        &at(1, "v[1,2] is needed, but not made before"),
    );
    refused(|_, tree| tree.tasks.insert(2, merge(p1, 1, 2, 1)), &at(2, "v[1,2] is made twice; make every part once"));
    refused(
        |_, tree| tree.tasks.insert(2, send(2, 1, 1)),
        &at(2, "v[1,1] is used again after it was merged; every value is merged once"),
    );
    refused(
        |_, tree| tree.tasks.splice(..0, [send(4, 2, 2), send(1, 2, 2)]).for_each(drop),
        &at(1, "v[2,2] comes to 'P2' twice; cut the detour out"),
    );
    refused(
        |_, tree| tree.tasks.truncate(3),
        &format!("{name}: v[0,0] is left at 'P0'; everything must be merged into one result"),
    );
    refused(|_, tree| tree.tasks.push(send(0, 0, 2)), &format!("{name} ends at 'P1'; it must end at the target"));
    refused(
        |plan, _| plan.collective = Collective::AllToAll { participants: vec![p0, p1] },
        "steady-state pattern 0: a all-to-all is carried out by paths, not reduction trees",
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
            tree.tasks[1] = Task::Merge { node: switch, part: part(1, 2), split: 1 };
        },
        "steady-state pattern 0 (reduction=>P0), task 1: a merge at 'switch', which is a router; only processors merge",
    );
    refused(
        |plan, _| {
            plan.platform = one_router(plan);
            plan.certificate.prices = vec![(Resource::Compute(switch), whole(1))];
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
        |plan, _| plan.volumes.size = Amount::Constant(Rational::new_raw(1.into(), 0.into())),
        "the size 1/0 is no number; give it a positive denominator",
    );
}

/// One change to a run of the toy over one starting period, and the words of the refusal. The events are v22 over
/// P2 -> P1 in [0, 1] and v12 over P1 -> P0 in [2, 3]; the merges v12 at P1 in [1, 2] and v02 at P0 in [3, 7/2].
#[track_caller]
fn run_refused(change: impl Fn(&mut Timeline), words: &str) {
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
        |run| run.merges[1].message.part = None,
        "merge 1 moves a message that is no partial result; a reduce moves partial results",
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
    run_refused(|run| run.starting_periods = 2, "reduction=>P0 of instance 1: v[0,2] is needed, but not made before");
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
}

/// Merges of no time at the border of two periods, at a busy processor, and one after the other at the same date.
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
    let message = |first, last| Message { commodity: 0, part: Some(part(first, last)) };
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
    let run = Timeline {
        period: whole(2),
        starting_periods: 1,
        instances_per_period: 1,
        clean_up_periods: 0,
        events: vec![event(2, 1, 0), event(4, 2, 1)],
        merges: vec![merge(0, 2, 0), merge(1, 2, 1)],
    };
    let report = run_report(&plan, &run).unwrap();
    assert_eq!((report.last_arrival, report.peak_buffer), (whole(2), vec![1, 0, 0]));
}

/// An order that the instance chooses itself, if the operator is commutative: any, but nobody twice.
#[test]
fn owners_are_known_from_their_values() {
    let mut plan = reduce_toy();
    let mut run = unroll(&plan, 1);
    // P2's value is called v11, P1's v22: the other way round.
    for event in &mut run.events {
        if event.message.part == Some(part(2, 2)) {
            event.message.part = Some(part(1, 1));
        }
    }
    let words =
        "v[1,1] of reduction=>P0 of instance 0 starts over P2 -> P1 at 0, but 'P1' holds it then, or is about to";
    assert_eq!(run_report(&plan, &run).unwrap_err().to_string(), words);
    let participants = [0, 1, 2].map(NodeId::new).to_vec();
    plan.collective = Collective::Reduce { target: participants[0], participants, commutative: true };
    run_report(&plan, &run).unwrap();
    // Without the transfer, both operands are P1's.
    run.events.remove(0);
    for (start, end) in run.events.iter_mut().flat_map(|event| &mut event.pieces) {
        (*start, *end) = (&*start - whole(2), &*end - whole(2));
    }
    for merge in &mut run.merges {
        let shift = if merge.node == NodeId::new(0) { whole(2) } else { whole(1) };
        (merge.start, merge.end) = (&merge.start - &shift, &merge.end - &shift);
    }
    for event in &mut run.events {
        event.pieces = vec![(whole(1), whole(2))];
    }
    for merge in run.merges.iter_mut().filter(|merge| merge.node == NodeId::new(0)) {
        (merge.start, merge.end) = (whole(2), ratio(5, 2));
    }
    assert_eq!(
        run_report(&plan, &run).unwrap_err().to_string(),
        "reduction=>P0 of instance 0: the result combines the values of P0, P1, P1; it must combine those of P0, P1, P2"
    );
}
