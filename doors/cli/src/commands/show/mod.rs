//! `oneport show`: a plan as text or as drawings.

mod explain;
mod patterns;
mod prices;
mod rates;
mod reduction;
mod text;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use oneport::explain::averaged;
use oneport::files::AnswerFile;
use oneport::plan::{Certificate, Kind, Timeline, WeightedPattern};
use oneport::watch::Watch;
use oneport::{Plan, files, referee, schedule};

use crate::answers::checked;
use crate::answers::chosen::certified;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::numbers::{Shown, readable_count, short};
use crate::words::output::{Content, count, named, print, try_outputs};
use crate::words::settings::note;
use crate::words::tables::TableFormat;
use crate::words::usage::usage;
use rates::RatesArguments;
use reduction::Drawings;
use text::TextArguments;

/// Print a plan, or draw it.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The plan file.
    pub plan: PathBuf,
    /// Parts to print.
    #[command(flatten)]
    pub text: TextArguments,
    /// The papers' variables.
    #[command(flatten)]
    pub rates: RatesArguments,
    /// Draw one period (F.svg or F.png, as all drawings): a send row and a receive row per node, and a compute row if
    /// it merges.
    #[arg(long, value_name = "F.svg")]
    pub gantt: Option<PathBuf>,
    /// Draw a whole run: start-up, steady periods, clean-up.
    #[arg(long, value_name = "F.svg")]
    pub timeline: Option<PathBuf>,
    /// Periods in which instances start, for --timeline [default: the periods of one instance, plus four].
    #[arg(long, value_name = "K", requires = "timeline", value_parser = clap::value_parser!(u64).range(1..))]
    pub periods: Option<u64>,
    /// Draw --timeline with each task as early as the plan's order allows, and print the end of both runs.
    #[arg(long, requires = "timeline")]
    pub eager: bool,
    /// Draw the platform and its flows.
    #[arg(long, value_name = "F.svg")]
    pub graph: Option<PathBuf>,
    /// Draw the tree of transmission windows of one reduction with a time per sender (F.svg, F.png or F.dot).
    #[arg(long, value_name = "F.svg")]
    pub windows: Option<PathBuf>,
    /// Draw each tree or scheme: F.svg if there is one, else F-1.svg, F-2.svg, ...; F.dot for Graphviz.
    #[arg(long, value_name = "F.svg")]
    pub tree: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &ShowArguments) -> Result<End> {
    let drawings = [
        ("--gantt", &arguments.gantt),
        ("--graph", &arguments.graph),
        ("--timeline", &arguments.timeline),
        ("--tree", &arguments.tree),
        ("--windows", &arguments.windows),
    ];
    try_outputs(
        Content::Other,
        &[("PLAN", &arguments.plan)],
        &named(&drawings),
    )?;
    for (option, path) in named(&drawings) {
        drawing::check(
            option,
            path,
            if ["--tree", "--windows"].contains(&option) {
                &["dot", "gv"]
            } else {
                &[]
            },
        )?;
    }
    let (claim, stated, chosen) = match files::read_answer(&arguments.plan)? {
        AnswerFile::Plan(claim, stated, chosen) => (*claim, stated, chosen),
        AnswerFile::Reduction(one) => return once(arguments, reduction::Once::Reduction(&one)),
        AnswerFile::Broadcast(one) => return once(arguments, reduction::Once::Broadcast(&one)),
        AnswerFile::AllReduce(all) => return once(arguments, reduction::Once::AllReduce(&all)),
    };
    if arguments.windows.is_some() {
        bail!(usage(
            "--windows: transmission windows belong to one reduction; draw the trees of a plan with --tree"
        ));
    }
    // An invalid plan is not drawn: the drawing would suggest that it is valid.
    let answer = checked::answer(&arguments.plan, claim, &stated, &Watch::unlimited())?;
    let plan = checked::plan(&arguments.plan, &answer)?;
    let trees = arguments
        .tree
        .as_ref()
        .map(|path| trees(&plan, path))
        .transpose()?
        .unwrap_or_default();
    let mut outputs = named(&drawings[..3]);
    outputs.extend(trees.iter().map(|(path, _)| ("--tree", path.as_path())));
    try_outputs(Content::Other, &[("PLAN", &arguments.plan)], &outputs)?;
    let mut drawn = false;
    let mut draw =
        |path: &Option<std::path::PathBuf>, svg: &dyn Fn() -> Result<String>| -> Result<()> {
            if let Some(path) = path {
                write(path, &svg()?)?;
                drawn = true;
            }
            Ok(())
        };
    draw(&arguments.gantt, &|| {
        let problem = plan.problem;
        Ok(match text::execution(&plan)? {
            Some(execution) => oneport_drawings::svg::period_gantt(
                problem,
                plan.schedule,
                &schedule::period_of(&execution),
            ),
            None => oneport_drawings::svg::gantt(problem, plan.schedule),
        })
    })?;
    draw(&arguments.graph, &|| {
        let problem = plan.problem;
        // All resources of a class limit, even if one of them alone proves it.
        let prices = averaged(problem, plan.certificate);
        let sets = plan.certificate.odd_sets();
        let sets = sets.map(|(set, price)| (set.clone(), price.clone()));
        let certificate = &Certificate::new(prices, sets, []);
        let certificate = Some(certificate);
        Ok(if arguments.rates.rates {
            oneport_drawings::svg::graph_of_rates(problem, plan.steady_state, certificate)
        } else {
            oneport_drawings::svg::graph(problem, Some(plan.steady_state), certificate)
        })
    })?;
    draw(&arguments.timeline, &|| {
        let timeline = timeline(&plan, arguments)?;
        Ok(oneport_drawings::svg::timeline_gantt(
            plan.problem,
            &timeline,
        ))
    })?;
    for (path, pattern) in &trees {
        let dot = ["dot", "gv"].contains(&drawing::extension(path).as_str());
        let draw = if dot {
            oneport_drawings::dot::pattern
        } else {
            oneport_drawings::svg::pattern
        };
        write(
            path,
            &draw(plan.problem, &pattern.pattern, Some(&pattern.weight)),
        )?;
        drawn = true;
    }
    if !drawn {
        let shown = Shown::of(plan.platform(), arguments.text.exact);
        let (of_rates, format) = (arguments.rates.rates, arguments.text.table.format);
        print(&if format != TableFormat::Text {
            text::sheet(&plan, &arguments.text, of_rates)?.show(format)
        } else if of_rates {
            rates::text(&plan, &arguments.rates, shown)?
        } else {
            let links = plan.platform().links().len();
            let proof = chosen.as_ref().map(|chosen| certified(chosen, links));
            text::text(&answer, &plan, &arguments.text, proof.as_deref())?
        })?;
    }
    Ok(End::Done)
}

fn once(arguments: &ShowArguments, once: reduction::Once<'_>) -> Result<End> {
    if arguments.text.table.format != TableFormat::Text {
        bail!(usage(format!(
            "--format: one {} has no table; leave the option out",
            once.name()
        )));
    }
    if arguments.timeline.is_some() {
        bail!(usage(format!(
            "--timeline: one {} has no periods; draw it with --gantt",
            once.name()
        )));
    }
    let ShowArguments {
        gantt,
        graph,
        tree,
        windows,
        ..
    } = arguments;
    reduction::run(
        &arguments.plan,
        once,
        &Drawings {
            gantt,
            trees: [graph, tree],
            windows,
        },
    )
}

/// Default number of periods of steady state in a timeline.
const STEADY: u64 = 4;

/// Transfers and merges of a run that is drawn. A picture of 10,000 boxes shows no more of a longer one. Trades long
/// runs for time and memory. Measured: 240,000 transfers 3.5 s and 240 MB, 960,000 12 s and 600 MB.
const TRANSFERS: u64 = 250_000;

/// The whole run over the given number of periods. The default is the depth of the schedule plus [`STEADY`], so that
/// the steady state is visible. Fewer if they have too many transfers.
fn timeline(plan: &Plan<'_>, arguments: &ShowArguments) -> Result<Timeline> {
    let tasks = text::tasks(plan);
    let most = BigUint::from(TRANSFERS) / tasks.clone().max(BigUint::one());
    let most = most.to_u64().unwrap_or(TRANSFERS);
    let (most_shown, period) = (readable_count(&TRANSFERS.into()), readable_count(&tasks));
    if most == 0 {
        bail!(
            "--timeline: one period has {period} transfers and merges, and {most_shown} are drawn at most; draw the period \
             with --gantt, or solve with a smaller --max-instances"
        );
    }
    let wanted = match arguments.periods {
        Some(periods) if periods > most => bail!(
            "--timeline: {periods} periods have {period} transfers and merges each, and {most_shown} in all are drawn at \
             most; ask for --periods {most} or fewer, or draw one period with --gantt"
        ),
        Some(periods) => periods,
        None => {
            let depth =
                schedule::execution(plan.problem, plan.schedule, &Watch::unlimited())?.depth;
            (depth as u64).saturating_add(STEADY)
        }
    };
    let periods = wanted.min(most);
    if periods < wanted {
        note(&format!(
            "{wanted} periods would be too much for a timeline; {periods} of them are drawn"
        ));
    }
    let timeline = schedule::timeline(plan.problem, plan.schedule, periods)?;
    if arguments.eager {
        eagerly(plan, &timeline, arguments.text.exact)
    } else {
        Ok(timeline)
    }
}

/// This run with every task as early as possible. Prints the ends of both runs, computed by the referee.
fn eagerly(plan: &Plan<'_>, dated: &Timeline, exact: bool) -> Result<Timeline> {
    let (problem, shown) = (plan.problem, Shown::of(plan.platform(), exact));
    let eager = schedule::eager_timeline(problem, plan.schedule, dated.starting_periods)?;
    let mut ends = Vec::new();
    for run in [&eager, dated] {
        let end = referee::check_timeline(problem, run)?.last_arrival;
        ends.push(format!(
            "{} ({} periods)",
            shown.time(&end),
            short(&(&end / &plan.schedule.period))
        ));
    }
    let periods = count(dated.starting_periods, "period");
    print(&format!(
        "{periods} started: finished after {} (as soon as possible), {} (planned dates)",
        ends[0], ends[1]
    ))?;
    Ok(eager)
}

/// Limit on the patterns drawn: an all-gather on a thousand nodes has thousands.
const DRAWN: usize = 100;

/// The trees or schemes to draw, each with its file.
fn trees<'p>(plan: &Plan<'p>, path: &Path) -> Result<Vec<(PathBuf, &'p WeightedPattern)>> {
    let patterns = &plan.steady_state.patterns;
    if patterns
        .iter()
        .all(|weighted| patterns::kind_of(plan, &weighted.pattern) == Some(Kind::Route))
    {
        bail!(
            "--tree: {} has no trees; draw its paths with --graph",
            plan.collective().name()
        );
    }
    if patterns.len() > DRAWN {
        note(&format!(
            "the first {DRAWN} of {} trees are drawn",
            patterns.len()
        ));
    }
    let several = patterns.len() > 1;
    let file = |number: usize| {
        if several {
            numbered(path, number + 1)
        } else {
            path.to_path_buf()
        }
    };
    Ok(patterns
        .iter()
        .take(DRAWN)
        .enumerate()
        .map(|(number, pattern)| (file(number), pattern))
        .collect())
}

/// `F.svg` as `F-7.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .map(|extension| format!(".{}", extension.to_string_lossy()))
        .unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

fn write(path: &Path, drawing: &str) -> Result<()> {
    drawing::write(path, drawing)?;
    print(&path.display().to_string())
}
