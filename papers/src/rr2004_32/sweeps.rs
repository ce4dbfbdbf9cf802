//! Section 3: duality, separation, compactness and polynomial behaviour, on many platforms.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use num_bigint::BigUint;
use num_traits::Zero;
use oneport::platform::generate::{self, Costs};
use oneport::{Collective, NodeId, Plan, PortModel, Problem, Rational, referee};
use oneport_drawings::svg;
use oneport_exact::{Relation, Sense};
use oneport_graph::arborescence::arborescence;
use oneport_lp::{self as lp, Watch};
use oneport_matching::general::{PortGraph, least_period, separate};
use oneport_numbers::whole;
use oneport_separation::Instance;
use oneport_separation::heaviest::heaviest_matching;

use super::platforms::{answer, broadcast, enumerated, optimum, random_platforms};
use super::program::{self, Ended, Net, Program};
use crate::cases::counted;
use crate::figures::Figure;
use crate::numbers::{digits, pixels, short, unit_volumes};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("edge-colouring", |_| edge_colouring()),
    ("separate-problems", |_| separate_problems()),
    ("program-p", |_| program_p()),
    ("program-d", |_| program_d()),
    ("lemma-2", |_| lemma_2()),
    ("lemma-3", |_| lemma_3()),
    ("theorem-3", |_| theorem_3()),
];

/// Sizes and degrees of the platforms that are enumerated, and the number of each.
const SMALL: &[(usize, usize)] = &[(3, 2), (4, 2), (4, 3), (5, 2), (5, 3)];
const PER_SIZE: u64 = 12;

/// Result of the enumeration on one small platform.
struct Surveyed {
    net: Net,
    ours: Rational,
    full_duplex: Rational,
    optimum: program::Optimum,
    ports: program::Optimum,
    /// Time of the trees of the program of ports, scheduled by matchings.
    time: Rational,
}

/// The small platforms, all computed once.
fn survey() -> Result<&'static [Surveyed]> {
    static SURVEY: OnceLock<Vec<Surveyed>> = OnceLock::new();
    if let Some(done) = SURVEY.get() {
        return Ok(done);
    }
    let mut surveyed = Vec::new();
    for platform in random_platforms(SMALL, PER_SIZE)? {
        let (net, collective) = (Net::of(&platform), broadcast(&platform));
        let ports = program::ports_only(&net, &net.trees(0))?;
        let full = platform.clone().with_model(PortModel::FullDuplex);
        surveyed.push(Surveyed {
            ours: optimum(&platform, &collective)?,
            full_duplex: optimum(&full, &collective)?,
            optimum: enumerated(&platform, &collective)?,
            time: program::least_time(&net.matchings(), &program::busy(&net, &ports.patterns))?,
            ports,
            net,
        });
    }
    Ok(SURVEY.get_or_init(|| surveyed))
}

/// The fractional chromatic index is more than the largest degree: the trees of the program of ports do not fit.
fn edge_colouring() -> Result<Finding> {
    let mut longest = whole(1);
    let (mut tried, mut late) = (0usize, 0usize);
    for one in survey()? {
        let busy = program::busy(&one.net, &one.ports.patterns);
        let edges = one
            .net
            .arcs
            .iter()
            .map(|arc| [Some(arc.from), Some(arc.to)])
            .collect();
        let ours = least_period(
            &PortGraph {
                capacities: vec![1; one.net.nodes],
                edges,
            },
            &busy,
        )?;
        ensure!(
            ours == one.time,
            "our decomposition takes {ours}, all matchings {}",
            one.time
        );
        late += usize::from(ours > whole(1));
        longest = longest.max(ours);
        tried += 1;
    }
    let tried = format!(
        "{tried} platforms; in {late} the ports' unit of time is not enough, at most {longest} is needed"
    );
    Ok(Finding::claim(late > 0, tried))
}

/// The program of ports promises more than can be achieved.
fn separate_problems() -> Result<Finding> {
    let mut largest = whole(1);
    let (mut tried, mut more) = (0usize, 0usize);
    for one in survey()? {
        let ratio = &one.ports.value / &one.optimum.value;
        ensure!(ratio >= whole(1), "the relaxation is below the optimum");
        more += usize::from(ratio > whole(1));
        largest = largest.max(ratio);
        tried += 1;
    }
    Ok(Finding::claim(
        more > 0,
        format!("{tried} platforms; in {more} it promises more, up to {largest} times the optimum"),
    ))
}

/// Our column generation and (P).
fn program_p() -> Result<Finding> {
    for one in survey()? {
        ensure!(
            one.ours == one.optimum.value,
            "{} ours, {} by (P)",
            one.ours,
            one.optimum.value
        );
    }
    let most = survey()?
        .iter()
        .map(|one| one.net.trees(0).len() + one.net.matchings().len())
        .max()
        .unwrap_or(0);
    Ok(Finding::claim(
        true,
        format!("{} platforms, up to {most} variables", survey()?.len()),
    ))
}

/// (D) and (P).
fn program_d() -> Result<Finding> {
    for one in survey()? {
        let dual =
            program::dual(&one.net, &one.net.matchings(), &one.net.trees(0), false)?.value()?;
        ensure!(
            dual == one.optimum.value,
            "{dual} by (D), {} by (P)",
            one.optimum.value
        );
    }
    Ok(Finding::claim(
        true,
        format!("{} platforms", survey()?.len()),
    ))
}

/// A basic solution of (P') over the oracle's inequalities, and over the matchings and patterns of our own plans, is
/// optimal. It has at most as many of them as (P) has rows. So has the vertex of (P) with everything listed.
fn lemma_2() -> Result<Finding> {
    for one in survey()? {
        let used = one.optimum.patterns.len() + one.optimum.sets.len();
        ensure!(
            used <= one.net.arcs.len() + 1,
            "{used} trees and matchings, {} links",
            one.net.arcs.len()
        );
    }
    let (mut tried, mut most, mut inequalities, mut shrunk) = (0usize, 0, 0, 0usize);
    for platform in random_platforms(&[(4, 2), (4, 3), (5, 2)], 3)? {
        let mut all: Vec<NodeId> = platform.node_ids().collect();
        let participants = all.clone();
        let (source, targets) = (all.remove(0), all);
        for collective in [
            broadcast(&platform),
            Collective::scatter(source, targets),
            Collective::all_gather(participants.clone()),
            Collective::all_to_all(participants),
        ] {
            let instance = Instance::new(&platform, &collective)?;
            let solved = answer(&platform, &collective)?;
            let plan = solved.plan()?;
            let found = instance.optimum(&Watch::unlimited())?;
            found.check(&instance)?;
            inequalities = inequalities.max(found.type_one + found.type_two);
            let slots: BTreeSet<program::Links> = plan
                .schedule
                .slots
                .iter()
                .map(|slot| slot.links.iter().map(|link| link.index()).collect())
                .collect();
            let patterns = composed(&plan, instance.messages().len())?;
            let before = slots.len() + patterns.len();
            let of_plan = instance.restricted(slots, patterns, &Watch::unlimited())?;
            for solution in [&found.weighted, &of_plan] {
                ensure!(
                    solution.value == plan.steady_state.throughput,
                    "(P') yields {}",
                    solution.value
                );
                let used = solution.matchings.len() + solution.patterns.len();
                ensure!(
                    used <= platform.links().len() + 1,
                    "{used} of both, {} links",
                    platform.links().len()
                );
                most = most.max(used);
            }
            shrunk += usize::from(before > of_plan.matchings.len() + of_plan.patterns.len());
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!(
            "{tried} questions: at most |E| + 1, here up to {most}, out of up to {inequalities} inequalities of the oracle; \
             {shrunk} plans have more and need not"
        ),
    ))
}

/// Assembles the patterns of a plan into those of the paper, one pattern per message: copies in parallel, in their
/// order, cut at each end.
fn composed(plan: &Plan<'_>, messages: usize) -> Result<Vec<Vec<program::Links>>> {
    let mut ways: Vec<Vec<(program::Links, BigUint)>> = vec![Vec::new(); messages];
    for scheduled in &plan.schedule.patterns {
        let links = scheduled.pattern.links().map(|link| link.index()).collect();
        let list = ways
            .get_mut(scheduled.pattern.demand)
            .context("a pattern of no demand")?;
        list.push((links, scheduled.copies.clone()));
    }
    let mut composed = Vec::new();
    while ways.iter().all(|list| !list.is_empty()) {
        let least = ways
            .iter()
            .filter_map(|list| list.first())
            .map(|(_, copies)| copies.clone())
            .min();
        let least = least.context("no message")?;
        composed.push(
            ways.iter()
                .filter_map(|list| list.first())
                .map(|(links, _)| links.clone())
                .collect(),
        );
        for list in &mut ways {
            if let Some((_, copies)) = list.first_mut() {
                *copies -= &least;
                if copies.is_zero() {
                    list.remove(0);
                }
            }
        }
    }
    ensure!(
        ways.iter().all(Vec::is_empty),
        "messages are not carried equally often"
    );
    Ok(composed)
}

/// Inequalities of type II: the lightest spanning tree by Chu, Liu and Edmonds, and among all trees, under drawn prices
/// and under the prices of (D)'s optimum, by which it weighs 1. For type I: the heaviest matching, with its proof, and
/// among all matchings. At the optimum it weighs u.
fn lemma_3() -> Result<Finding> {
    let mut tried = 0;
    for (index, one) in survey()?.iter().enumerate() {
        let trees = one.net.trees(0);
        for round in 0..4 {
            let price = |link: usize| ((link + index) as u64 * 7 + round * 11) * 13 % 17;
            let weight = |links: &[usize]| links.iter().map(|&link| price(link)).sum::<u64>();
            let arcs: Vec<(usize, usize, u64)> = one
                .net
                .arcs
                .iter()
                .enumerate()
                .map(|(link, arc)| (arc.from, arc.to, price(link)))
                .collect();
            let found = arborescence(one.net.nodes, 0, &arcs).context("a node is not reached")?;
            let lightest = trees.iter().map(|tree| weight(tree)).min();
            ensure!(
                lightest == Some(found.cost),
                "{lightest:?} among all trees, {} found",
                found.cost
            );
            let most = one
                .net
                .matchings()
                .iter()
                .map(|set| weight(set))
                .max()
                .unwrap_or(0);
            let heaviest = heaviest_matching(one.net.nodes, &arcs)?;
            heaviest.check(one.net.nodes, &arcs)?;
            ensure!(
                heaviest.weight(&arcs) == most.into(),
                "{most} among all matchings, another weight found"
            );
            tried += 1;
        }
        let matchings = one.net.matchings();
        let Ended::Optimal(u, values) = program::dual(&one.net, &matchings, &trees, false)? else {
            anyhow::bail!("(D) has no optimum")
        };
        // A negative value may be replaced by 0.
        let price = |link: usize| values[link].clone().max(whole(0));
        let heaviest = matchings
            .iter()
            .map(|set| set.iter().map(|&link| price(link)).sum::<Rational>())
            .max();
        ensure!(
            heaviest.as_ref() == Some(&u),
            "the heaviest matching weighs {heaviest:?}, u is {u}"
        );
        let arcs = one.net.arcs.iter().enumerate();
        let arcs: Vec<_> = arcs
            .map(|(link, arc)| (arc.from, arc.to, &arc.cost * price(link)))
            .collect();
        let lightest = arborescence(one.net.nodes, 0, &arcs)
            .context("a node is not reached")?
            .cost;
        ensure!(lightest == whole(1), "the lightest tree weighs {lightest}");
        tried += 1;
    }
    Ok(Finding::claim(
        true,
        format!("{tried} prices, all trees and all matchings; at the optima of (D), too"),
    ))
}

/// One size of the experiment.
struct Point {
    nodes: usize,
    links: usize,
    throughput: Rational,
    trees: usize,
    rounds: usize,
    odd_sets: usize,
    seconds: f64,
}

/// Numbers of nodes of the experiment.
const SIZES: [usize; 9] = [5, 10, 15, 20, 30, 40, 60, 80, 100];
/// Graphs of every size.
const GRAPHS: u64 = 3;

/// The optimal steady state and its proof, without a schedule, against the number of nodes. Computed once.
fn scaling() -> Result<&'static [Point]> {
    static SCALING: OnceLock<Vec<Point>> = OnceLock::new();
    if let Some(done) = SCALING.get() {
        return Ok(done);
    }
    let mut points = Vec::new();
    for (nodes, seed) in SIZES
        .into_iter()
        .flat_map(|nodes| (1..=GRAPHS).map(move |seed| (nodes, seed)))
    {
        let costs = Costs::Uniform { low: 10, high: 20 };
        let options = generate::Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let platform =
            generate::random_connected(nodes, 4, &options)?.with_model(PortModel::HalfDuplex);

        let (collective, volumes) = (broadcast(&platform), unit_volumes());
        let started = Instant::now();
        let question = lp::Question::new(&Problem::new(&platform, &collective, volumes)?);
        let (solution, rounds) = counted(question)?;
        let seconds = started.elapsed().as_secs_f64();
        let bound = referee::bound(
            &Problem::new(&platform, &collective, volumes)?,
            &solution.certificate,
            &Watch::unlimited(),
        )?;
        ensure!(
            bound == solution.steady_state.throughput,
            "n = {nodes}: the optimum is not proved"
        );
        points.push(Point {
            nodes,
            links: platform.links().len(),
            throughput: bound,
            trees: solution.steady_state.patterns.len(),
            rounds,
            odd_sets: solution.certificate.odd_sets().count(),
            seconds,
        });
    }
    Ok(SCALING.get_or_init(|| points))
}

/// The flow program (docs/theory.md, "The paper's theorem 3"): a flow of TP to every target, copies at least as many as
/// each flow, and times in the matching polytope, whose odd sets are separated. Returns the optimum, the number of
/// added odd sets, and the number of variables.
fn flow_program(net: &Net) -> Result<(Rational, usize, usize)> {
    let links = net.arcs.len();
    let mut program = Program::default();
    let throughput = program.column();
    let copies = program.many(links);
    for target in 1..net.nodes {
        let flow = program.many(links);
        for node in 0..net.nodes {
            let gains = net.arcs.iter().zip(&flow).filter_map(|(arc, &column)| {
                match (arc.from == node, arc.to == node) {
                    (true, _) => Some((column, whole(-1))),
                    (_, true) => Some((column, whole(1))),
                    _ => None,
                }
            });
            let wanted = whole(i64::from(node == 0) - i64::from(node == target));
            program.row(
                Relation::Equal,
                whole(0),
                gains.chain([(throughput, wanted)]),
            );
        }
        for (&copy, &column) in copies.iter().zip(&flow) {
            program.row(
                Relation::AtMost,
                whole(0),
                [(column, whole(1)), (copy, whole(-1))],
            );
        }
    }
    let times_of = |members: &dyn Fn(usize) -> bool| -> Vec<(usize, Rational)> {
        let members = (0..links).filter(|&link| members(link));
        members
            .map(|link| (copies[link], net.arcs[link].cost.clone()))
            .collect()
    };
    for node in 0..net.nodes {
        let ends = |link: usize| net.arcs[link].from == node || net.arcs[link].to == node;
        program.row(Relation::AtMost, whole(1), times_of(&ends));
    }
    let edges = net
        .arcs
        .iter()
        .map(|arc| [Some(arc.from), Some(arc.to)])
        .collect();
    let graph = PortGraph {
        capacities: vec![1; net.nodes],
        edges,
    };
    let mut added = 0;
    loop {
        let Ended::Optimal(value, values) = program.end(Sense::Maximize, throughput)? else {
            anyhow::bail!("the flow program has no optimum")
        };
        let times: Vec<Rational> = net
            .arcs
            .iter()
            .zip(&copies)
            .map(|(arc, &copy)| &arc.cost * &values[copy])
            .collect();
        let violated = separate(&graph, &times, &whole(1))?;
        if violated.is_empty() {
            return Ok((value, added, net.nodes * links + 1));
        }
        for set in violated {
            let members = set.members(&graph);
            let side = whole(set.capacity(&graph));
            program.row(
                Relation::AtMost,
                side,
                times_of(&|link| members.contains(&link)),
            );
            added += 1;
        }
    }
}

/// The program to which theorem 3 can be proved has the optimum of (P). Rounds of column generation are counted. No
/// bound on their number is proved.
fn theorem_3() -> Result<Finding> {
    let (mut most_added, mut most_variables) = (0, 0);
    for one in survey()? {
        let (value, added, variables) = flow_program(&one.net)?;
        ensure!(
            value == one.optimum.value,
            "{value} by flows and odd sets, {} by (P)",
            one.optimum.value
        );
        most_added = most_added.max(added);
        most_variables = most_variables.max(variables);
    }
    ensure!(most_added > 0, "odd sets never mattered");
    let points = scaling()?;
    let most = |value: fn(&Point) -> usize| points.iter().map(value).max().unwrap_or(0);
    let tried = format!(
        "{} platforms, up to {most_variables} variables, up to {most_added} odd sets separated",
        survey()?.len()
    );
    Ok(Finding::claim(true, tried).note(format!(
        "column generation has no such bound; measured on {} graphs of 5 to {} nodes: up to {} rounds, {} trees, {} odd \
         sets with a price",
        points.len(),
        most(|point| point.nodes),
        most(|point| point.rounds),
        most(|point| point.trees),
        most(|point| point.odd_sets)
    )))
}

/// Per size the graph with most rounds. Times depend on the machine.
fn hardest(points: &[Point]) -> Vec<&Point> {
    let hardest_of = |nodes| {
        points
            .iter()
            .filter(move |point| point.nodes == nodes)
            .max_by_key(|point| point.rounds)
    };
    SIZES.into_iter().filter_map(hardest_of).collect()
}

/// Time and rounds against the number of nodes, and the models compared.
pub fn figures() -> Result<Vec<Figure>> {
    let points: Vec<&Point> = hardest(scaling()?);
    let series = |name: &str, value: &dyn Fn(&Point) -> f64| svg::Series {
        name: name.to_string(),
        points: points
            .iter()
            .map(|point| (point.nodes as f64, value(point)))
            .collect(),
    };
    let title = "RR-2004-32: time to the optimum";
    let drawing = svg::curve(
        title,
        "nodes",
        "seconds",
        &[series("exact optimum, proved", &|point| point.seconds)],
        &svg::CurveOptions::default(),
    );
    let rounds = svg::curve(
        "RR-2004-32: rounds to the optimum",
        "nodes",
        "rounds of column generation",
        &[
            series("rounds", &|point| point.rounds as f64),
            series("trees", &|point| point.trees as f64),
        ],
        &svg::CurveOptions::default(),
    );
    let caption = "Of three random connected graphs of degree 4 the one with most rounds, links of cost 10 to 20; steady \
                   state and certificate, without the schedule. As measured on the machine that made this report.";
    let rows = points.iter().map(|point| {
        vec![
            point.nodes.to_string(),
            point.links.to_string(),
            short(&point.throughput),
            point.rounds.to_string(),
            point.trees.to_string(),
            point.odd_sets.to_string(),
            format!("{:.3}", point.seconds),
        ]
    });
    let header = [
        "nodes",
        "links",
        "TP",
        "rounds",
        "trees",
        "odd sets with a price",
        "seconds",
    ];
    let table = Figure::table(
        "RR-2004-32: time to the optimum, numbers",
        caption,
        &header,
        rows.collect(),
    );
    let rounds = Figure::svg("RR-2004-32: rounds to the optimum", caption, rounds);
    Ok(vec![
        Figure::svg(title, caption, drawing),
        rounds,
        table,
        models()?,
    ])
}

/// The program of ports and the full-duplex model against the half-duplex optimum.
fn models() -> Result<Figure> {
    let surveyed = survey()?;
    let mut rows = Vec::new();
    let ratios_of = |one: &Surveyed| {
        (
            one.net.nodes,
            &one.ports.value / &one.ours,
            &one.full_duplex / &one.ours,
        )
    };
    for nodes in 3..=5 {
        let ratios: Vec<_> = surveyed
            .iter()
            .map(ratios_of)
            .filter(|(n, ..)| *n == nodes)
            .collect();
        let most = |values: Vec<&Rational>| values.into_iter().max().cloned().unwrap_or_default();
        let ports = most(ratios.iter().map(|(_, ports, _)| ports).collect());
        let full = most(ratios.iter().map(|(.., full)| full).collect());
        ensure!(
            full <= whole(2),
            "full-duplex more than twice as fast: {full}"
        );
        rows.push(vec![
            nodes.to_string(),
            ratios.len().to_string(),
            ratios
                .iter()
                .filter(|(_, ports, _)| *ports > whole(1))
                .count()
                .to_string(),
            format!("{ports} = {}", digits(pixels(&ports))),
            format!("{full} = {}", digits(pixels(&full))),
        ]);
    }
    let header = [
        "nodes",
        "platforms",
        "ports only > optimum",
        "largest ratio",
        "full-duplex / half-duplex, largest",
    ];
    let caption = "Random platforms, links of cost 1 to 4, everything enumerated. A full-duplex steady state run half as \
                   fast need not fit half-duplex ports; no ratio above 2 was met.";
    Ok(Figure::table(
        "RR-2004-32: what the port models cost",
        caption,
        &header,
        rows,
    ))
}
