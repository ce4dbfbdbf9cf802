//! `oneport show`: a plan as text or as drawings.

mod explain;
mod patterns;
mod tables;
mod text;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oneport::plan::{Kind, WeightedPattern};
use oneport::{Plan, formats, referee, schedule};

use crate::End;
use crate::arguments::ShowArguments;
use crate::output::{named, print, try_outputs};
use crate::usage::usage;

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
    draw(&arguments.graph, &|| {
        Ok(oneport_drawings::svg::graph(plan.problem()?, Some(&plan.steady_state), Some(&plan.certificate)))
    })?;
    draw(&arguments.timeline, &|| {
        let timeline = schedule::timeline(plan.problem()?, &plan.schedule, arguments.periods)?;
        Ok(oneport_drawings::svg::timeline_gantt(plan.problem()?, &timeline))
    })?;
    if let Some(path) = &arguments.tree {
        trees(&plan, path)?;
        drawn = true;
    }
    if !drawn {
        print(&text::text(&plan, arguments)?)?;
    }
    Ok(End::Done)
}

/// Most patterns drawn: an all-gather among a thousand has thousands.
const DRAWN: usize = 100;

/// Draws every tree or scheme of the steady state into a file of its own.
fn trees(plan: &Plan, path: &Path) -> Result<()> {
    let patterns = &plan.steady_state.patterns;
    if patterns.iter().all(|weighted| patterns::kind_of(plan, &weighted.pattern) == Some(Kind::Route)) {
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
