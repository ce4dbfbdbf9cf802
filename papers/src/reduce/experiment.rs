//! Section 4.7 of RR-4872 on other platforms: the paper's own is in a figure that the text does not have.

use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use oneport::formats;
use oneport::plan::Status;
use oneport::platform::generate::tiers::{TiersInstance, TiersParameters, generate, instantiate};
use oneport::{Amount, Collective, Options, Outcome, Plan, Platform, Problem, Volumes, solve};
use oneport_drawings::svg;

use super::tasks::trees;
use crate::figures::Figure;
use crate::networks::data_folder;
use crate::numbers::{short, whole};
use crate::rows::Finding;

/// Most trees of a platform that are drawn.
const DRAWN: usize = 3;
/// The target is the participant with this index, as in the paper.
const TARGET: usize = 4;

/// Name, parameters, seed. Picked among 48 platforms so that one, two and three trees are needed; the third has
/// redundant links in every tier.
const PLATFORMS: [(&str, TiersParameters, u64); 3] = [
    ("Tiers, seed 1", TiersParameters::SMALL, 1),
    ("Tiers, seed 10", TiersParameters::SMALL, 10),
    ("Tiers with redundant links, seed 3", REDUNDANT, 3),
];
const REDUNDANT: TiersParameters = TiersParameters {
    wan_redundancy: 2,
    man_redundancy: 2,
    lan_redundancy: 2,
    man_wan_redundancy: 2,
    lan_man_redundancy: 2,
    ..TiersParameters::SMALL
};

/// What came of one platform.
#[derive(Debug, Clone)]
struct Solved {
    name: String,
    plan: Plan,
    participants: usize,
    seconds: f64,
}

/// The experiment, carried out once.
#[derive(Debug, Clone)]
struct Experiment {
    solved: Vec<Solved>,
    skipped: Vec<String>,
}

/// As in the paper: all messages have size 10, merges take 10 / s_i.
fn volumes() -> Volumes {
    Volumes { size: Amount::Constant(whole(10)), work: Amount::Constant(whole(10)) }
}

fn reduce(name: &str, platform: &Platform) -> Result<Solved> {
    let participants: Vec<_> = platform.processors().collect();
    let target = *participants.get(TARGET).context("too few hosts")?;
    let count = participants.len();
    let collective = Collective::Reduce { target, participants, commutative: false };
    let started = Instant::now();
    let options = Options::default();
    let Outcome::Planned(planned) = solve(Problem::new(platform, &collective, &volumes())?, &options)? else {
        anyhow::bail!("{name}: not connected")
    };
    let seconds = started.elapsed().as_secs_f64();
    let plan = planned.plan;
    ensure!(plan.status == Status::Optimal, "{name}: not proved optimal");
    Ok(Solved { name: name.to_string(), plan, participants: count, seconds })
}

fn run() -> Result<Experiment> {
    let mut found = Experiment { solved: Vec::new(), skipped: Vec::new() };
    for (name, parameters, seed) in PLATFORMS {
        let topology = generate(&parameters, seed)?;
        let platform = instantiate(&topology, &TiersInstance { seed, ..TiersInstance::default() })?;
        found.solved.push(reduce(name, &platform)?);
    }
    let file = data_folder().join("tiers/WAN_3.platform.joined.json");
    if file.is_file() {
        match formats::read_platform(&file) {
            Ok(platform) => found.solved.push(reduce("WAN_3", &platform)?),
            Err(error) => found.skipped.push(format!("skipped: WAN_3: {error}")),
        }
    } else {
        found.skipped.push("skipped: WAN_3, no folder ../shared/data/tiers beside the repository".to_string());
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

/// Every platform: the optimum is proved, and trees carry it out.
pub fn finding() -> Result<Finding> {
    let found = experiment()?;
    let words = |solved: &Solved| {
        let count = trees(&solved.plan.steady_state.patterns).count();
        let throughput = short(&solved.plan.steady_state.throughput);
        let trees = if count == 1 { "1 tree".to_string() } else { format!("{count} trees") };
        format!("{}: {} values, TP {throughput}, {trees}", solved.name, solved.participants)
    };
    let lines: Vec<String> = found.solved.iter().map(words).chain(found.skipped.iter().cloned()).collect();
    Ok(Finding::claim(!found.solved.is_empty(), lines.join("; "))
        .note("platforms of our generator with its own speeds and bandwidths, so not the paper's numbers"))
}

/// A table, and the trees of the platforms that need few.
pub fn figures() -> Result<Vec<Figure>> {
    let found = experiment()?;
    let mut rows = Vec::new();
    let mut drawings = Vec::new();
    for Solved { name, plan, participants, seconds } in &found.solved {
        let count = trees(&plan.steady_state.patterns).count();
        rows.push(vec![
            name.clone(),
            plan.platform.nodes().len().to_string(),
            participants.to_string(),
            short(&plan.steady_state.throughput),
            count.to_string(),
            short(&plan.schedule.period),
            plan.schedule.instances.to_string(),
            plan.schedule.slots.len().to_string(),
            format!("{seconds:.2}"),
        ]);
        if count > DRAWN {
            continue;
        }
        for (place, (tree, weight)) in trees(&plan.steady_state.patterns).enumerate() {
            let drawing = svg::tree(plan.problem()?, tree, Some(weight));
            let title = format!("{name}: reduction tree {} of {count}", place + 1);
            let throughput = short(&plan.steady_state.throughput);
            let caption = if count == 1 {
                format!("The only tree, {throughput} times per unit of time.")
            } else {
                format!("Weight {weight}; all {count} trees together reduce {throughput} times per unit of time.")
            };
            drawings.push(Figure { wide: true, ..Figure::svg(title, caption, drawing) });
        }
    }
    let header =
        ["platform", "nodes", "values", "TP (proved)", "trees", "period", "reductions per period", "slots", "seconds"];
    let mut caption =
        "The hosts of the LANs reduce to the one with index 4; all messages have size 10, a merge takes 10 / speed. \
                       The referee has checked plan and proof. Sizes in megabytes, time in seconds. The generated platforms were \
                       picked among 48 so that one, two and three trees occur; most need a single one."
            .to_string();
    for line in &found.skipped {
        caption.push_str(&format!(" {line}."));
    }
    let mut figures = vec![Figure::table("Section 4.7 on Tiers platforms", &caption, &header, rows)];
    figures.extend(drawings);
    Ok(figures)
}
