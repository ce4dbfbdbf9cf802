//! Section 4.7 of RR-4872 in its own regime: all LAN nodes of a Tiers network own a value, their logical indices are in
//! random order, index 4 is the target, messages have size 10, merges take 10 / speed, speeds and bandwidths are whole.
//! The paper's platform is in its figure 9, which the text that we have does not contain.

use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use oneport::plan::Status;
use oneport::platform::generate::tiers::{
    TiersInstance, TiersParameters, TiersTables, generate, instantiate,
};
use oneport::{Amount, Collective, NodeId, Options, Platform, Problem, Volumes, solve};
use oneport_drawings::svg;

use super::tasks::{name, sum, trees};
use crate::figures::Figure;
use crate::liu_kuo_wang::brute::Dice;
use crate::networks::{DATA, data_folder};
use crate::numbers::{short, whole};
use crate::rows::Finding;

/// The target's logical index.
const TARGET: usize = 4;
/// Platforms in the report. The command takes any number.
const PLATFORMS: u64 = 6;
/// Eight LAN nodes in four LANs.
const REGIME: TiersParameters = TiersParameters {
    wan_nodes: 3,
    mans_per_wan: 2,
    man_nodes: 2,
    lans_per_man: 2,
    lan_nodes: 2,
    ..TiersParameters::SMALL
};

/// Results of one platform.
#[derive(Debug, Clone)]
pub struct Solved {
    /// For tables.
    pub name: String,
    /// The proved optimum, with a schedule.
    pub found: oneport::Solved,
    /// Number of values.
    pub participants: usize,
    /// How long it took.
    pub seconds: f64,
}

/// One run of the experiment.
#[derive(Debug, Clone)]
struct Experiment {
    solved: Vec<Solved>,
    skipped: Vec<String>,
}

/// As in the paper: all messages have size 10, merges take 10 / s_i.
fn volumes() -> Volumes {
    Volumes {
        size: Amount::Constant(whole(10)),
        work: Amount::Constant(whole(10)),
    }
}

/// Whole numbers from `low` to `high`.
fn between(low: u64, high: u64) -> Vec<oneport::Rational> {
    (low..=high).map(whole).collect()
}

/// The network of a seed, every LAN node a processor whose name ends with its logical index. The processors are in that
/// order.
fn network(seed: u64) -> Result<(Platform, Vec<NodeId>)> {
    let tables = TiersTables {
        speeds: between(5, 20),
        wan: between(10, 20),
        man: between(8, 15),
        lan: between(5, 10),
    };
    let instance = TiersInstance {
        seed,
        host_probability: whole(1),
        tables,
    };
    let plain = instantiate(&generate(&REGIME, seed)?, &instance)?;
    let mut order: Vec<NodeId> = plain.processors().collect();
    let mut dice = Dice::new(seed);
    for position in (1..order.len()).rev() {
        order.swap(position, dice.roll(position as u64 + 1) as usize - 1);
    }
    let mut builder = Platform::builder();
    for node in plain.node_ids() {
        let mut named = plain.node(node).clone();
        if let Some(index) = order.iter().position(|&other| other == node) {
            named.name = format!("{} [{index}]", named.name);
        }
        builder.node(named)?;
    }
    for link in plain.links() {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok((builder.build()?, order))
}

fn reduce(
    name: &str,
    platform: &Platform,
    participants: Vec<NodeId>,
    target: usize,
) -> Result<Solved> {
    let target = *participants.get(target).context("too few hosts")?;
    let count = participants.len();
    let collective = Collective::reduce(target, participants).in_order();
    let started = Instant::now();
    let options = Options::default();
    let found = solve(&Problem::new(platform, &collective, volumes())?, &options)?;
    let seconds = started.elapsed().as_secs_f64();
    let plan = found.plan().with_context(|| name.to_string())?;
    ensure!(plan.status == Status::Optimal, "{name}: not proved optimal");
    Ok(Solved {
        name: name.to_string(),
        found,
        participants: count,
        seconds,
    })
}

/// The platform of one seed. `target` is a logical index.
///
/// # Errors
/// No such index. An optimum that is not proved.
pub fn of_seed(seed: u64, target: usize) -> Result<Solved> {
    let (platform, order) = network(seed)?;
    reduce(&format!("Tiers, seed {seed}"), &platform, order, target)
}

fn run() -> Result<Experiment> {
    let solved = (1..=PLATFORMS)
        .map(|seed| of_seed(seed, TARGET))
        .collect::<Result<_>>()?;
    let mut found = Experiment {
        solved,
        skipped: Vec::new(),
    };
    let file = data_folder().map(|data| data.join("tiers/WAN_3.platform.joined.json"));
    if let Some(file) = file.filter(|file| file.is_file()) {
        match oneport_topologies::read_platform(&file) {
            Ok(platform) => {
                let hosts = platform.processors().collect();
                found
                    .solved
                    .push(reduce("WAN_3", &platform, hosts, TARGET)?);
            }
            Err(error) => found.skipped.push(format!("skipped: WAN_3: {error}")),
        }
    } else {
        found.skipped.push(format!(
            "skipped: WAN_3, {DATA} names no folder with tiers/WAN_3.platform.joined.json"
        ));
    }
    Ok(found)
}

fn experiment() -> Result<Experiment> {
    static RUN: OnceLock<Experiment> = OnceLock::new();
    match RUN.get() {
        Some(found) => Ok(found.clone()),
        None => run().map(|found| RUN.get_or_init(|| found).clone()),
    }
}

fn count(solved: &Solved) -> usize {
    let state = solved.found.answer.patterns();
    state.map_or(0, |state| trees(&state.patterns).count())
}

/// Every platform: the optimum is proved, and trees execute it. Their number in the median of the seeds.
pub fn finding() -> Result<Finding> {
    let found = experiment()?;
    let words = |solved: &Solved| {
        let trees = if count(solved) == 1 {
            "1 tree".to_string()
        } else {
            format!("{} trees", count(solved))
        };
        let throughput = short(solved.found.answer.bound());
        format!(
            "{}: {} values, TP {throughput}, {trees}",
            solved.name, solved.participants
        )
    };
    let lines: Vec<String> = found
        .solved
        .iter()
        .map(words)
        .chain(found.skipped.iter().cloned())
        .collect();
    let seeds = found.solved.iter().take(PLATFORMS as usize);
    let mut trees: Vec<usize> = seeds.map(count).collect();
    trees.sort_unstable();
    let median = trees.get(trees.len() / 2).copied().unwrap_or_default();
    Ok(Finding::value(median).note(format!(
        "{}; optima proved; platforms of our generator with whole speeds and bandwidths of our own, so not the paper's numbers; \
         `oneport-papers tiers` takes any number of them",
        lines.join("; ")
    )))
}

/// The heads of `line`.
pub const HEADER: [&str; 9] = [
    "platform",
    "nodes",
    "values",
    "TP (proved)",
    "trees",
    "period",
    "reductions per period",
    "slots",
    "seconds",
];

/// One platform as a line of a table.
pub fn line(solved: &Solved) -> Result<Vec<String>> {
    let plan = solved.found.plan()?;
    Ok(vec![
        solved.name.clone(),
        plan.platform().nodes().len().to_string(),
        solved.participants.to_string(),
        short(&plan.steady_state.throughput),
        count(solved).to_string(),
        short(&plan.schedule.period),
        plan.schedule.instances.to_string(),
        plan.schedule.slots.len().to_string(),
        format!("{:.2}", solved.seconds),
    ])
}

/// A table, and the first platform that takes two trees, drawn as figures 9 to 12 are.
pub fn figures() -> Result<Vec<Figure>> {
    let found = experiment()?;
    let mut caption = "All LAN nodes reduce to the one with index 4, indices in random order; all messages have size 10, a merge takes \
                       10 / speed. The referee has checked plan and proof."
        .to_string();
    for line in &found.skipped {
        caption.push_str(&format!(" {line}."));
    }
    let lines = found.solved.iter().map(line).collect::<Result<_>>()?;
    let mut figures = vec![Figure::table(
        "Section 4.7 on Tiers platforms",
        &caption,
        &HEADER,
        lines,
    )];
    let Some(solved) = found.solved.iter().find(|solved| count(solved) == 2) else {
        return Ok(figures);
    };
    let plan = solved.found.plan()?;
    let wide = |figure: Figure| Figure {
        wide: true,
        ..figure
    };
    figures.push(wide(Figure::svg(
        "A Tiers platform with its index order (in the manner of figure 9)",
        format!(
            "{}: logical indices in brackets, the target is [4]; routers are dark.",
            solved.name
        ),
        svg::graph(plan.problem, None, None),
    )));
    figures.push(wide(Figure::svg(
        "Its solution (in the manner of figure 10)",
        format!(
            "TP = {}; the table below says what links and nodes carry and merge.",
            plan.steady_state.throughput
        ),
        svg::graph_of_rates(plan.problem, plan.steady_state, None),
    )));
    let rates = sum(trees(&plan.steady_state.patterns));
    let lines = rates
        .iter()
        .map(|(&task, rate)| vec![name(plan.platform(), task), rate.to_string()])
        .collect();
    let caption =
        "What figure 10 writes beside links and nodes: messages and merges per unit of time.";
    figures.push(Figure::table(
        "Its solution, task by task",
        caption,
        &["task", "per unit of time"],
        lines,
    ));
    for (position, (tree, weight)) in trees(&plan.steady_state.patterns).enumerate() {
        let title = format!(
            "Its reduction tree {} (in the manner of figure {})",
            position + 1,
            position + 11
        );
        let drawing = svg::tree(plan.problem, tree, Some(weight));
        figures.push(wide(Figure::svg(
            title,
            format!("Weight {weight}."),
            drawing,
        )));
    }
    Ok(figures)
}
