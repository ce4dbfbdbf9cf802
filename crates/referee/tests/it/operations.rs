//! One operation with dates: the referee against a judge written from the definitions, in rationals.

use crate::common;

use common::*;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_plan::{
    Amount, Collective, CustomDemand, Piece, Problem, Resource, Run, RunTask, TimedTask, Volumes,
    Wanted,
};
use oneport_platform::{Delays, LinkId, Node, NodeId, Platform, PortModel, Rational, Shared};
use oneport_referee::check_run;

/// An operation, and when it ends.
struct Operation {
    platform: Platform,
    collective: Collective,
    volumes: Volumes,
    run: Run,
}

impl Operation {
    fn judged(&self, run: &Run) -> Result<Rational, oneport_referee::Violation> {
        check_run(
            &Problem::new(&self.platform, &self.collective, &self.volumes).unwrap(),
            run,
        )
    }
}

/// Four nodes, each linked with each. A, B and C are processors, and at least A replicates.
fn mesh(dice: &mut Dice) -> Platform {
    let mut builder = Platform::builder();
    for name in ["A", "B", "C", "D"] {
        let node = if name == "D" {
            Node::router(name)
        } else {
            Node::processor(name, ratio(1 + dice.below(3) as i64, 2))
        };
        let model = Some(PortModel::ALL[dice.below(PortModel::ALL.len())]);
        let replicates = name != "D" || dice.one_in(2);
        builder
            .node(Node {
                model,
                ports: Some(1 + dice.below(2) as u32),
                replicates,
                ..node
            })
            .unwrap();
    }
    for (from, to) in (0..4)
        .flat_map(|from| (0..4).map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
    {
        let link = builder
            .link(
                NodeId::new(from),
                NodeId::new(to),
                ratio(1 + dice.below(3) as i64, 3),
            )
            .unwrap();
        let delays = Delays {
            latency: ratio(dice.below(3) as i64, 4),
            overhead: ratio(dice.below(3) as i64, 2),
        };
        builder.delays(link, delays).unwrap();
    }
    builder.build().unwrap()
}

/// The tasks of an operation. Dates come later.
struct Draft<'a> {
    platform: &'a Platform,
    list: Vec<RunTask>,
}

impl Draft<'_> {
    fn send(&mut self, from: usize, to: usize, carried: Vec<(u32, Option<u32>)>) -> Option<u32> {
        let link = self
            .platform
            .link_between(NodeId::new(from), NodeId::new(to))
            .unwrap();
        self.list.push(RunTask::Send { link, carried });
        Some(self.list.len() as u32 - 1)
    }

    /// Directly, or over D.
    fn bring(
        &mut self,
        (from, to): (usize, usize),
        piece: u32,
        source: Option<u32>,
        detour: bool,
    ) -> Option<u32> {
        if !detour {
            return self.send(from, to, vec![(piece, source)]);
        }
        let there = self.send(from, 3, vec![(piece, source)]);
        self.send(3, to, vec![(piece, there)])
    }

    fn merge(
        &mut self,
        node: usize,
        piece: u32,
        left: Option<u32>,
        right: Option<u32>,
    ) -> Option<u32> {
        self.list.push(RunTask::Merge {
            node: NodeId::new(node),
            piece,
            left,
            right,
        });
        Some(self.list.len() as u32 - 1)
    }

    /// C's operand to B, both to A, or the other way round if the order does not matter.
    fn combine(&mut self, piece: u32, turned: bool, detour: bool) -> Option<u32> {
        let of_c = self.bring((2, 1), piece, None, detour);
        let two = if turned {
            self.merge(1, piece, of_c, None)
        } else {
            self.merge(1, piece, None, of_c)
        };
        let of_both = self.bring((1, 0), piece, two, false);
        self.merge(0, piece, None, of_both)
    }
}

fn operation(dice: &mut Dice) -> Operation {
    let platform = mesh(dice);
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    let commutative = dice.one_in(2);
    let all = vec![a, b, c];
    let kind = dice.below(5);
    let collective = match kind {
        0 => Collective::broadcast(a, vec![b, c]),
        1 => Collective::reduce(a, all).commutative(commutative),
        2 => Collective::all_reduce(all).commutative(commutative),
        3 => Collective::scan(all),
        _ => {
            let to = |node| CustomDemand {
                owners: vec![a],
                wanted: Wanted::At(vec![node]),
                commutative: false,
                rate: 1,
            };
            Collective::Custom(vec![to(b), to(c)])
        }
    };
    let demands = if kind == 4 { 2 } else { 1 };
    let pieces = (0..demands).flat_map(|demand| {
        let shares = if dice.one_in(2) {
            vec![ratio(1, 3), ratio(2, 3)]
        } else {
            vec![ratio(1, 1)]
        };
        shares
            .into_iter()
            .map(move |share| Piece { demand, share })
            .collect::<Vec<_>>()
    });
    let pieces: Vec<Piece> = pieces.collect();
    let mut tasks = Draft {
        platform: &platform,
        list: Vec::new(),
    };
    for (piece, cut) in (0..).zip(&pieces) {
        let (detour, turned) = (dice.one_in(2), commutative && dice.one_in(2));
        match kind {
            0 => {
                let there = tasks.bring((0, 1), piece, None, detour);
                tasks.bring((1, 2), piece, there, dice.one_in(2));
            }
            1 => drop(tasks.combine(piece, turned, detour)),
            2 => {
                let whole = tasks.combine(piece, turned, detour);
                tasks.bring((0, 1), piece, whole, dice.one_in(2));
                tasks.bring((0, 2), piece, whole, false);
            }
            3 => {
                let of_a = tasks.bring((0, 1), piece, None, detour);
                let two = tasks.merge(1, piece, of_a, None);
                let of_both = tasks.bring((1, 2), piece, two, false);
                tasks.merge(2, piece, of_both, None);
            }
            _ => drop(tasks.bring((0, 1 + cut.demand), piece, None, detour)),
        }
    }
    if kind == 4 && pieces.len() == 4 {
        // Two messages as one.
        tasks.list.clear();
        tasks.send(0, 1, vec![(0, None), (1, None)]);
        let both = tasks.send(0, 3, vec![(2, None), (3, None)]);
        tasks.send(3, 2, vec![(2, both), (3, both)]);
    }
    let list = tasks.list;
    let amount = |dice: &mut Dice| Amount::Constant(ratio(1 + dice.below(4) as i64, 2));
    let volumes = Volumes {
        size: amount(dice),
        work: amount(dice),
    };
    let run = dated(&platform, &volumes, pieces, list);
    Operation {
        platform,
        collective,
        volumes,
        run,
    }
}

/// The resources of a task, their time, and the latency until its result is there.
fn occupies(
    platform: &Platform,
    volumes: &Volumes,
    pieces: &[Piece],
    task: &RunTask,
) -> (Vec<Resource>, Rational, Rational) {
    let share = |piece: u32| &pieces[piece as usize].share;
    match task {
        RunTask::Send { link, carried } => {
            let found = platform.link(*link);
            let size: Rational = carried.iter().map(|(piece, _)| share(*piece)).sum();
            let time = found.overhead() + &found.cost * volumes.size.constant().unwrap() * size;
            (
                Resource::uses(platform, *link)
                    .map(|used| used.resource)
                    .collect(),
                time,
                found.latency(),
            )
        }
        RunTask::Merge { node, piece, .. } => {
            let compute = platform
                .node(*node)
                .compute
                .clone()
                .unwrap_or_else(Rational::zero);
            let time = compute * volumes.work.constant().unwrap() * share(*piece);
            (vec![Resource::Compute(*node)], time, Rational::zero())
        }
    }
}

fn inputs(task: &RunTask) -> Vec<u32> {
    match task {
        RunTask::Send { carried, .. } => carried.iter().filter_map(|(_, source)| *source).collect(),
        RunTask::Merge { left, right, .. } => [*left, *right].into_iter().flatten().collect(),
    }
}

/// Every task as soon as its inputs have arrived and all earlier tasks have left its resources.
fn dated(platform: &Platform, volumes: &Volumes, pieces: Vec<Piece>, list: Vec<RunTask>) -> Run {
    let mut there: Vec<Rational> = Vec::new();
    let mut free: std::collections::BTreeMap<Resource, Rational> =
        std::collections::BTreeMap::new();
    let mut starts: Vec<Rational> = Vec::new();
    for task in &list {
        let (resources, time, later) = occupies(platform, volumes, &pieces, task);
        let ready = inputs(task)
            .into_iter()
            .map(|source| there[source as usize].clone());
        let open = resources
            .iter()
            .filter_map(|resource| free.get(resource).cloned());
        let start = ready.chain(open).max().unwrap_or_else(Rational::zero);
        let end = &start + time;
        for resource in resources {
            free.insert(resource, end.clone());
        }
        there.push(end + later);
        starts.push(start);
    }
    let denominator = starts
        .iter()
        .fold(BigInt::one(), |all, start| all.lcm(start.denom()));
    let unit = Rational::new(BigInt::one(), denominator);
    let tasks = starts.into_iter().zip(list).map(|(start, task)| {
        let start = (start / &unit).to_integer().magnitude().clone();
        TimedTask { start, task }
    });
    Run {
        pieces,
        tasks: tasks.collect(),
        unit,
        ..Run::default()
    }
}

/// The nodes that hold operands of a piece, each with its date.
type Held = (NodeId, Rational, Vec<(u32, Vec<usize>)>);

/// The end of the run, if it is right: from the definitions.
fn naive(operation: &Operation, run: &Run) -> Option<Rational> {
    let Operation {
        platform,
        collective,
        volumes,
        ..
    } = operation;
    for demand in 0..collective.demands() {
        let shares = run
            .pieces
            .iter()
            .filter(|piece| piece.demand == demand)
            .map(|piece| piece.share.clone());
        if shares.sum::<Rational>() != Rational::one() {
            return None;
        }
    }
    let odd = |piece: &Piece| !piece.share.is_positive() || piece.demand >= collective.demands();
    if run.pieces.iter().any(odd) || !run.unit.is_positive() {
        return None;
    }
    let mut results: Vec<Held> = Vec::new();
    let mut busy: Vec<(Resource, Rational, Rational)> = Vec::new();
    for (index, task) in run.tasks.iter().enumerate() {
        let start = &run.unit * Rational::from_integer(BigInt::from(task.start.clone()));
        let operands = |node: NodeId, piece: u32, source: Option<u32>| -> Option<Vec<usize>> {
            let demand = collective.demand(run.pieces.get(piece as usize)?.demand)?;
            let Some(source) = source else {
                return Some(vec![
                    demand.operands.iter().position(|owner| *owner == node)?,
                ]);
            };
            let (at, from, contents) = results.get(source as usize)?;
            let found = contents.iter().find(|(other, _)| *other == piece)?;
            (*at == node && *from <= start).then(|| found.1.clone())
        };
        let (node, contents) = match &task.task {
            RunTask::Send { link, carried } => {
                let ends = platform.links().get(link.index())?;
                let once =
                    |one: &(u32, _)| carried.iter().filter(|other| other.0 == one.0).count() == 1;
                if carried.is_empty() || !carried.iter().all(once) {
                    return None;
                }
                let bring = |&(piece, source)| Some((piece, operands(ends.from, piece, source)?));
                (
                    ends.to,
                    carried.iter().map(bring).collect::<Option<Vec<_>>>()?,
                )
            }
            RunTask::Merge {
                node,
                piece,
                left,
                right,
            } => {
                platform
                    .nodes()
                    .get(node.index())
                    .filter(|node| node.is_processor())?;
                let (left, right) = (
                    operands(*node, *piece, *left)?,
                    operands(*node, *piece, *right)?,
                );
                if left.iter().any(|operand| right.contains(operand)) {
                    return None;
                }
                (*node, vec![(*piece, [left, right].concat())])
            }
        };
        let (resources, time, later) = occupies(platform, volumes, &run.pieces, &task.task);
        let end = &start + time;
        busy.extend(
            resources
                .into_iter()
                .map(|resource| (resource, start.clone(), end.clone())),
        );
        results.push((node, end + later, contents));
        debug_assert_eq!(results.len(), index + 1);
    }
    // At every date at which a task starts.
    let full = |(resource, date, until): &(Resource, Rational, Rational)| {
        let with = |other: &&(Resource, Rational, Rational)| {
            other.0 == *resource && other.1 <= *date && *date < other.2
        };
        date < until && busy.iter().filter(with).count() > resource.capacity(platform) as usize
    };
    if busy.iter().any(full) || passes_twice(platform, run) {
        return None;
    }
    for (piece, cut) in (0..).zip(&run.pieces) {
        let demand = collective.demand(cut.demand)?;
        for (node, part) in demand.goals() {
            let wanted: Vec<usize> = (part.first..=part.last).collect();
            let is_right = |found: &Vec<usize>| {
                let mut found = found.clone();
                if demand.commutative {
                    found.sort_unstable();
                }
                found == wanted
            };
            let at = results
                .iter()
                .filter(|(at, ..)| *at == node)
                .flat_map(|(.., contents)| contents);
            let arrived = at
                .filter(|(other, _)| *other == piece)
                .any(|(_, found)| is_right(found));
            let owns = wanted.len() == 1 && demand.operands[wanted[0]] == node;
            if !arrived && !owns {
                return None;
            }
        }
    }
    Some(
        results
            .into_iter()
            .map(|(_, from, _)| from)
            .max()
            .unwrap_or_else(Rational::zero),
    )
}

/// Whether a node that does not replicate forwards twice a value that came once.
fn passes_twice(platform: &Platform, run: &Run) -> bool {
    let mut passed = Vec::new();
    for task in &run.tasks {
        if let RunTask::Send { link, carried } = &task.task
            && !platform.node(platform.link(*link).from).replicates
        {
            passed.extend(
                carried
                    .iter()
                    .filter_map(|&(piece, source)| Some((piece, source?))),
            );
        }
    }
    let count = passed.len();
    passed.sort_unstable();
    passed.dedup();
    passed.len() < count
}

/// One small change.
fn changed(dice: &mut Dice, run: &Run) -> Run {
    let mut run = run.clone();
    let last = run.tasks.len();
    let index = dice.below(last);
    let source = |dice: &mut Dice| {
        if dice.one_in(3) {
            None
        } else {
            Some(dice.below(last + 1) as u32)
        }
    };
    match dice.below(9) {
        0 | 1 => run.tasks[index].start += 1u32 + dice.below(3) as u32,
        2 => {
            let less = BigUint::from(1 + dice.below(3) as u32).min(run.tasks[index].start.clone());
            run.tasks[index].start -= less;
        }
        3 => run.unit *= ratio(dice.below(4) as i64, 2),
        4 => {
            let piece = dice.below(run.pieces.len());
            match dice.below(3) {
                0 => run.pieces[piece].share += ratio(dice.below(5) as i64 - 2, 3),
                1 => run.pieces[piece].demand = dice.below(3),
                _ => run.pieces.rotate_left(1),
            }
        }
        5 => drop(run.tasks.remove(index)),
        6 => run.tasks.swap(index, dice.below(last)),
        _ => match &mut run.tasks[index].task {
            RunTask::Send { link, .. } if dice.one_in(3) => *link = LinkId::new(dice.below(13)),
            RunTask::Send { carried, .. } => match dice.below(4) {
                0 => carried[0].0 = dice.below(3) as u32,
                1 => carried[0].1 = source(dice),
                2 => carried.push((dice.below(3) as u32, source(dice))),
                _ => drop(carried.pop()),
            },
            RunTask::Merge {
                node,
                piece,
                left,
                right,
            } => match dice.below(4) {
                0 => std::mem::swap(left, right),
                1 => *left = source(dice),
                2 => *node = NodeId::new(dice.below(5)),
                _ => *piece = dice.below(3) as u32,
            },
        },
    }
    run
}

/// Honest runs take their stated time, changed ones get the verdict of the judge. Both occur.
#[test]
fn runs_are_judged_as_by_definition() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let operation = operation(&mut dice);
        let honest = naive(&operation, &operation.run);
        assert!(
            honest.is_some(),
            "{seed}: {:?}",
            operation.judged(&operation.run)
        );
        assert_eq!(operation.judged(&operation.run).ok(), honest, "{seed}");
        for _ in 0..12 {
            let run = changed(&mut dice, &operation.run);
            let (found, expected) = (operation.judged(&run), naive(&operation, &run));
            *(if expected.is_some() {
                &mut right
            } else {
                &mut wrong
            }) += 1;
            assert_eq!(found.clone().ok(), expected, "{seed}: {found:?} {run:?}");
        }
    }
    assert!(right > 500 && wrong > 2000, "{right} right, {wrong} wrong");
}

/// If all times are multiplied by a factor, so is the length, whether dates fit machine integers or not.
#[test]
fn long_dates_are_judged_as_short_ones() {
    for bits in (0..160).step_by(3) {
        let mut dice = Dice(bits);
        let small = operation(&mut dice);
        let factor = Rational::from_integer(BigInt::one() << bits);
        let mut builder = Platform::builder();
        for node in small.platform.nodes() {
            let compute = node.compute.as_ref().map(|compute| compute * &factor);
            builder
                .node(Node {
                    compute,
                    ..node.clone()
                })
                .unwrap();
        }
        for link in small.platform.links() {
            let made = builder
                .link(link.from, link.to, &link.cost * &factor)
                .unwrap();
            let (latency, overhead) = (link.latency() * &factor, link.overhead() * &factor);
            builder.delays(made, Delays { latency, overhead }).unwrap();
        }
        let large = |run: &Run| Run {
            unit: &run.unit * &factor,
            ..run.clone()
        };
        // Dates may be counted in the old unit, too: then they are long.
        let counted = |run: &Run| {
            let tasks = run.tasks.iter().map(|one| TimedTask {
                start: &one.start << bits,
                task: one.task.clone(),
            });
            Run {
                tasks: tasks.collect(),
                ..run.clone()
            }
        };
        let platform = builder.build().unwrap();
        let scaled = Operation {
            platform,
            collective: small.collective.clone(),
            ..operation(&mut Dice(bits))
        };
        for change in 0..6 {
            let run = if change == 0 {
                small.run.clone()
            } else {
                changed(&mut dice, &small.run)
            };
            let expected = small.judged(&run).ok().map(|length| length * &factor);
            assert_eq!(scaled.judged(&large(&run)).ok(), expected, "{bits}");
            assert_eq!(scaled.judged(&counted(&run)).ok(), expected, "{bits}");
        }
    }
}

/// The texts of the refusals.
#[test]
fn refusals_name_the_deed() {
    let mut builder = Platform::builder();
    let [a, b] = ["A", "B"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let link = builder.link(a, b, ratio(1, 1)).unwrap();
    builder
        .delays(
            link,
            Delays {
                latency: ratio(1, 2),
                overhead: ratio(1, 4),
            },
        )
        .unwrap();
    let platform = builder.build().unwrap();
    let collective = Collective::broadcast(a, vec![b]);
    let half = || Piece {
        demand: 0,
        share: ratio(1, 2),
    };
    let send = |start: u32, piece: u32| TimedTask {
        start: start.into(),
        task: RunTask::Send {
            link,
            carried: vec![(piece, None)],
        },
    };
    let run = Run {
        pieces: vec![half(), half()],
        unit: ratio(1, 4),
        tasks: vec![send(0, 0), send(3, 1)],
        ..Run::default()
    };
    let operation = Operation {
        platform,
        collective,
        volumes: Volumes::of_size(ratio(1, 1)),
        run,
    };
    // Overhead 1/4 and half a message, twice. Then the latency.
    assert_eq!(operation.judged(&operation.run), Ok(ratio(2, 1)));
    let refused = |change: &dyn Fn(&mut Run), right: &str| {
        let mut run = operation.run.clone();
        change(&mut run);
        assert_eq!(told(&operation.judged(&run)), right);
    };
    let twice = "send port of 'A' is occupied 2 times at 1/2; it serves one at a time";
    refused(&|run| run.tasks[1].start = 2u32.into(), twice);
    refused(
        &|run| run.unit = ratio(0, 1),
        "dates count 0; the unit of dates is positive",
    );
    refused(
        &|run| drop(run.pieces.pop()),
        "the pieces of demand 0 add up to 1/2; 1",
    );
    refused(
        &|run| run.pieces[1].demand = 1,
        "piece 1 is 1/2 of demand 1; shares are positive, demands exist",
    );
    refused(
        &|run| drop(run.tasks.pop()),
        "'B' lacks piece 1 in the end; it is wanted there",
    );
    refused(
        &|run| run.tasks.push(send(6, 2)),
        "task 2: piece 2; there are 2, numbered from 0",
    );
    let back = RunTask::Send {
        link,
        carried: vec![(0, Some(0))],
    };
    let right = "task 2: 'A' has no piece 0 of task 0; it has to be there";
    refused(
        &|run| {
            run.tasks.push(TimedTask {
                start: 9u32.into(),
                task: back.clone(),
            })
        },
        right,
    );
    let merge = |start: u32| TimedTask {
        start: start.into(),
        task: RunTask::Merge {
            node: b,
            piece: 0,
            left: Some(0),
            right: Some(0),
        },
    };
    let early = "task 2: 'B' uses at 1 what it has from 5/4 on; it has to be there";
    refused(&|run| run.tasks.push(merge(4)), early);
    let again = "task 2: piece 0 has an operand twice; each operand is combined once";
    refused(&|run| run.tasks.push(merge(5)), again);
}

/// A bus of rate 1 and three links out of A, each of cost 2 alone, so that each takes up half of the bus.
#[test]
fn a_shared_capacity_carries_no_more_than_its_rate() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let mut node = |name: &str| builder.node(Node::processor(name, ratio(1, 1))).unwrap();
    let [a, b, c, d] = ["A", "B", "C", "D"].map(&mut node);
    let links = [b, c, d].map(|to| builder.link(a, to, ratio(2, 1)).unwrap());
    let bus = Shared::new("bus", ratio(1, 1), links);
    builder.share(bus).unwrap();
    let free = builder.link(b, a, ratio(1, 1)).unwrap();
    let platform = builder.build().unwrap();
    let run = |starts: [u32; 3], share: Option<Rational>| {
        let send = |(link, start): (LinkId, u32)| TimedTask {
            start: start.into(),
            task: RunTask::Send {
                link,
                carried: vec![(0, None)],
            },
        };
        Run {
            pieces: vec![Piece {
                demand: 0,
                share: ratio(1, 1),
            }],
            unit: ratio(1, 1),
            shares: share
                .iter()
                .flat_map(|share| links.map(|link| (link, share.clone())))
                .collect(),
            tasks: links.into_iter().zip(starts).map(send).collect(),
        }
    };
    let operation = Operation {
        platform,
        collective: Collective::broadcast(a, vec![b, c, d]),
        volumes: Volumes::of_size(ratio(1, 1)),
        run: run([0, 0, 2], None),
    };
    assert_eq!(operation.judged(&operation.run), Ok(ratio(4, 1)));
    // At two thirds of its rate each link takes 3, and up a third of the bus.
    assert_eq!(
        operation.judged(&run([0; 3], Some(ratio(2, 3)))),
        Ok(ratio(3, 1))
    );
    let refused = |run: &Run, words: &str| {
        let text = operation.judged(run).unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
    };
    refused(
        &run([0; 3], None),
        "the shared 'bus' carries 3/2 of its rate from 0",
    );
    refused(
        &run([0, 0, 1], None),
        "the shared 'bus' carries 3/2 of its rate from 1",
    );
    refused(
        &run([0; 3], Some(ratio(3, 4))),
        "the shared 'bus' carries 9/8 of its rate from 0",
    );
    refused(
        &run([0, 0, 2], Some(ratio(1, 1))),
        "the share of link 'A -> B' is 1",
    );
    refused(
        &run([0, 0, 2], Some(ratio(0, 1))),
        "the share of link 'A -> B' is 0",
    );
    let mut other = run([0, 0, 2], None);
    other.shares.insert(free, ratio(1, 2));
    refused(&other, "link 3 has a share");
}
