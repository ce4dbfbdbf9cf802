//! `oneport show`: a plan as text or as drawings.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use comfy_table::{Table, presets};
use num_traits::Zero;
use oneport::plan::{Goals, Kind, Pattern, Task, WeightedPattern};
use oneport::platform::LinkId;
use oneport::{Amount, Collective, NodeId, Plan, Rational, formats, referee, schedule};

use crate::End;
use crate::arguments::ShowArguments;
use crate::numbers::{readable, readable_count};
use crate::output::{count, named, print, try_outputs};
use crate::usage::usage;

/// Longest list printed in full.
const LINES: usize = 40;

/// Runs the command.
pub fn run(arguments: &ShowArguments) -> Result<End> {
    let drawings = [
        ("--gantt", &arguments.gantt),
        ("--graph", &arguments.graph),
        ("--timeline", &arguments.timeline),
        ("--tree", &arguments.tree),
    ];
    try_outputs(&[("PLAN", &arguments.plan)], &named(&drawings))?;
    for (option, path) in named(&drawings) {
        let known: &[&str] = if option == "--tree" { &["svg", "dot", "gv"] } else { &["svg"] };
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if extension.is_some_and(|extension| !known.contains(&extension.as_str())) {
            bail!(usage(format!("{option}: {} should end in .{}", path.display(), known.join(", ."))));
        }
    }
    let plan = formats::read_plan(&arguments.plan)?;
    // A drawing of a broken plan would lend it credit.
    referee::check_plan(&plan).with_context(|| format!("{}: violation", arguments.plan.display()))?;
    let mut drawn = false;
    let mut draw = |path: &Option<std::path::PathBuf>, svg: &dyn Fn() -> Result<String>| -> Result<()> {
        if let Some(path) = path {
            write(path, &svg()?)?;
            drawn = true;
        }
        Ok(())
    };
    draw(&arguments.gantt, &|| Ok(oneport_drawings::svg::gantt(plan.problem()?, &plan.schedule)))?;
    draw(&arguments.graph, &|| Ok(oneport_drawings::svg::graph(plan.problem()?, Some(&plan.steady_state))))?;
    draw(&arguments.timeline, &|| {
        let timeline = schedule::timeline(plan.problem()?, &plan.schedule, arguments.periods)?;
        Ok(oneport_drawings::svg::timeline_gantt(plan.problem()?, &timeline))
    })?;
    if let Some(path) = &arguments.tree {
        trees(&plan, path)?;
        drawn = true;
    }
    if !drawn {
        print(&text(&plan))?;
    }
    Ok(End::Done)
}

/// Most patterns drawn: an all-gather among a thousand has thousands.
const DRAWN: usize = 100;

/// Draws every tree or scheme of the steady state into a file of its own.
fn trees(plan: &Plan, path: &Path) -> Result<()> {
    let patterns = &plan.steady_state.patterns;
    if patterns.iter().all(|weighted| kind_of(plan, &weighted.pattern) == Some(Kind::Route)) {
        bail!("--tree: {} has no trees; draw its paths with --graph", plan.collective.name());
    }
    if patterns.len() > DRAWN {
        eprintln!("note: the first {DRAWN} of {} trees are drawn", patterns.len());
    }
    let dot = path.extension().is_some_and(|extension| extension == "dot" || extension == "gv");
    for (number, WeightedPattern { pattern, weight }) in patterns.iter().take(DRAWN).enumerate() {
        let draw = if dot { oneport_drawings::dot::pattern } else { oneport_drawings::svg::pattern };
        let drawing = draw(plan.problem()?, pattern, Some(weight));
        match patterns.len() {
            1 => write(path, &drawing)?,
            _ => write(&numbered(path, number + 1), &drawing)?,
        }
    }
    Ok(())
}

/// `F.svg` as `F-7.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

fn write(path: &Path, svg: &str) -> Result<()> {
    formats::write_atomically(path, svg.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    print(&path.display().to_string())
}

fn text(plan: &Plan) -> String {
    let mut out = String::new();
    let schedule = &plan.schedule;
    let (words, step) = words(&plan.collective);
    let _ = writeln!(
        out,
        "{}, {} model, {}\nthroughput {} ({}), upper bound {}\n",
        plan.collective.name(),
        plan.platform.model(),
        volumes(plan),
        readable(&plan.steady_state.throughput),
        plan.status.name(),
        readable(&plan.upper_bound),
    );
    let _ = writeln!(
        out,
        "Certificate: an instance takes priced time of at least (sum of prices) / (upper bound), whatever its {words}"
    );
    let _ = writeln!(out, "{}\n", prices(plan));
    let _ = writeln!(out, "Steady state: {words} and how often each is taken per unit of time");
    let _ = writeln!(out, "{}\n", patterns(plan));
    let _ = writeln!(
        out,
        "Schedule: period {}, {} per period, {} per unit of time; each {step} takes one period, {} one after the other at most",
        readable(&schedule.period),
        count(readable_count(&schedule.instances), "instance"),
        readable(&schedule.throughput()),
        count(schedule.depth(), step),
    );
    let _ = writeln!(out, "{}", slots(plan));
    let buffers = schedule::buffers(&plan.platform, schedule);
    if !buffers.is_empty() {
        let shown = buffers
            .iter()
            .take(LINES)
            .map(|(&node, count)| format!("{} {}", plan.platform.name(node), readable_count(count)));
        let more = if buffers.len() > LINES { ", ..." } else { "" };
        let _ = writeln!(
            out,
            "\nBuffers: messages a forwarding node must be able to hold: {}{more}",
            shown.collect::<Vec<_>>().join(", ")
        );
    }
    out
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.to_vec());
    table
}

/// Adds at most [`LINES`] rows and says how many are left out.
fn fill(table: &mut Table, total: usize, rows: impl Iterator<Item = Vec<String>>) -> String {
    for row in rows.take(LINES) {
        table.add_row(row);
    }
    let rest = if total > LINES { format!("\n  ... {} more", total - LINES) } else { String::new() };
    format!("{}{rest}", table.trim_fmt())
}

/// What the collective's patterns are called, and one step of them.
fn words(collective: &Collective) -> (&'static str, &'static str) {
    match collective.blocks()[..] {
        [block] if collective.members().is_empty() => {
            let Speech { plural, step, .. } = speech(block.kind);
            (plural, step)
        }
        _ => ("patterns", "task"),
    }
}

/// How patterns of a kind are spoken of.
struct Speech {
    plural: &'static str,
    step: &'static str,
    /// Whether a pattern is told by its merges, and not by its hops.
    merges: bool,
}

fn speech(kind: Kind) -> Speech {
    let (plural, step, merges) = match kind {
        Kind::Route => ("paths", "hop", false),
        Kind::Copy => ("trees", "hop", false),
        Kind::Combine => ("trees", "task", true),
        Kind::CombineCopy | Kind::Prefix => ("schemes", "task", true),
    };
    Speech { plural, step, merges }
}

/// The certificate: prices of resources, then of odd sets, then cuts, then what all-reduces exchange.
fn prices(plan: &Plan) -> String {
    let platform = &plan.platform;
    let certificate = &plan.certificate;
    let names = |nodes: &mut dyn Iterator<Item = String>| nodes.collect::<Vec<_>>().join(", ");
    let resources = certificate.prices.iter().map(|(resource, price)| {
        vec![resource.describe(platform), resource.capacity(platform).to_string(), readable(price)]
    });
    let odd_sets = certificate.odd_sets.iter().map(|(set, price)| {
        let ports = names(&mut set.ports.iter().filter_map(|port| Some(platform.name(port.node()?).to_string())));
        vec![format!("odd set {{{ports}}}"), set.capacity(platform).to_string(), readable(price)]
    });
    let cuts = certificate.cuts.iter().map(|cut| {
        let nodes = names(&mut cut.nodes.iter().map(|&node| platform.name(node).to_string()));
        vec![format!("cut {{{nodes}}}"), String::new(), readable(&cut.weight)]
    });
    let sets = |sets: &[Vec<NodeId>]| {
        let set =
            |set: &Vec<NodeId>| format!("{{{}}}", names(&mut set.iter().map(|&node| platform.name(node).to_string())));
        sets.iter().map(set).collect::<Vec<_>>().join(" ")
    };
    let borders = certificate.borders.iter().map(|border| {
        let what = format!("at least {} {} {}", border.crossings(), border.direction.name(), sets(&border.sets));
        vec![what, String::new(), readable(&border.weight)]
    });
    let potentials = certificate.potentials.iter().map(|potential| {
        vec![format!("potential of '{}'", platform.name(potential.node)), String::new(), readable(&potential.value)]
    });
    let exchanges = certificate.exchanges.iter().map(|exchange| {
        let what = format!("exchange {} {}", exchange.direction.name(), sets(&exchange.parts));
        vec![what, String::new(), format!("lengths of {}", count(exchange.lengths.len(), "link"))]
    });
    let exchanged = borders.chain(potentials).chain(exchanges);
    let total = certificate.prices.len()
        + certificate.odd_sets.len()
        + certificate.cuts.len()
        + certificate.borders.len()
        + certificate.potentials.len()
        + certificate.exchanges.len();
    let rows = resources.chain(odd_sets).chain(cuts).chain(exchanged);
    let listed = fill(&mut table(&["of", "capacity", "price"]), total, rows);
    match certificate.shares.len() {
        0 => listed,
        shares => format!("{listed}\n  and {} of tasks' prices among goals (in the plan file)", count(shares, "share")),
    }
}

fn patterns(plan: &Plan) -> String {
    let rows = plan.steady_state.patterns.iter().map(|weighted| {
        let what = pattern_line(plan, &weighted.pattern);
        vec![readable(&weighted.weight), what]
    });
    let (header, _) = words(&plan.collective);
    fill(&mut table(&["weight", header]), plan.steady_state.patterns.len(), rows)
}

/// `a -> b -> c`.
fn route(plan: &Plan, links: &[LinkId]) -> String {
    let mut path = links.first().map(|&link| node_name(plan, plan.platform.link(link).from)).unwrap_or_default();
    for &link in links {
        let _ = write!(path, " -> {}", plan.platform.name(plan.platform.link(link).to));
    }
    path
}

fn node_name(plan: &Plan, node: NodeId) -> String {
    plan.platform.name(node).to_string()
}

/// The kind of demand that a pattern carries out.
fn kind_of(plan: &Plan, pattern: &Pattern) -> Option<Kind> {
    plan.collective.demand(pattern.demand).map(|demand| demand.kind())
}

/// What matters of a pattern in a line: where a message goes, or what is merged where.
fn pattern_line(plan: &Plan, pattern: &Pattern) -> String {
    let merges = kind_of(plan, pattern).is_some_and(|kind| speech(kind).merges);
    if merges { merges_line(plan, pattern) } else { hops_line(plan, pattern) }
}

/// Hops as the chains that make them up: `a -> b -> c, b -> d`.
fn hops_line(plan: &Plan, pattern: &Pattern) -> String {
    let mut chains: Vec<(usize, Vec<LinkId>)> = Vec::new();
    for (place, (task, link)) in pattern.tasks.iter().zip(pattern.links()).enumerate() {
        let before = task.inputs().next();
        match chains.iter_mut().find(|(last, _)| before == Some(*last)) {
            Some((last, links)) => {
                *last = place;
                links.push(link);
            }
            None => chains.push((place, vec![link])),
        }
    }
    const CHAINS: usize = 12;
    let shown: Vec<String> = chains.iter().take(CHAINS).map(|(_, links)| route(plan, links)).collect();
    let more = if chains.len() > CHAINS { format!(", ... ({} hops)", pattern.tasks.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The merges, with their places.
fn merges_line(plan: &Plan, pattern: &Pattern) -> String {
    let merge = |task: &Task| match task {
        Task::Merge { node, part, split, .. } => {
            Some(format!("T[{},{split},{}] at {}", part.first, part.last, plan.platform.name(*node)))
        }
        Task::Send { .. } => None,
    };
    let merges: Vec<String> = pattern.tasks.iter().filter_map(merge).collect();
    let into = match plan.collective.demand(pattern.demand).map(|demand| demand.goals) {
        Some(Goals::At(target)) => format!("into {}: ", node_name(plan, target)),
        _ => String::new(),
    };
    format!("{into}{}; {}", merges.join(", "), count(pattern.tasks.len() - merges.len(), "transfer"))
}

/// Sizes and work in words.
fn volumes(plan: &Plan) -> String {
    let words = |amount: &Amount| match amount {
        Amount::Constant(amount) => readable(amount),
        Amount::Affine { fixed, per_operand } => format!("{} + {} per operand", readable(fixed), readable(per_operand)),
        Amount::Table(_) => "by interval".to_string(),
    };
    let size = words(&plan.volumes.size);
    match plan.collective.combines() {
        true => format!("message size {size}, work of a merge {}", words(&plan.volumes.work)),
        false => format!("message size {size}"),
    }
}

fn slots(plan: &Plan) -> String {
    let mut start = Rational::zero();
    let rows = plan.schedule.slots.iter().enumerate().map(|(number, slot)| {
        let links: Vec<String> = slot.links.iter().map(|&link| plan.platform.link_name(link)).collect();
        let from = start.clone();
        start += &slot.length;
        vec![(number + 1).to_string(), readable(&from), readable(&slot.length), links.join(", ")]
    });
    fill(&mut table(&["slot", "start", "length", "busy links"]), plan.schedule.slots.len(), rows)
}
