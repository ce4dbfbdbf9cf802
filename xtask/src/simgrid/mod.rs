//! `cargo xtask simgrid`: plans replayed in SimGrid, a simulator that others wrote.
//!
//! Every collective, model and fixture, and random platforms: each plan by its dates, then as soon as possible in its
//! own order, and with planted faults, which must be noticed. The plans come from the command itself. No library of
//! oneport is linked here.

mod cases;
mod events;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{setup, workspace};
use cases::Case;
use events::Events;

/// The options of `cargo xtask simgrid`.
#[derive(Args)]
pub struct Arguments {
    /// Replay only every 19th plan, as `cargo xtask check` does
    #[arg(long)]
    sample: bool,
    /// Replay only plans whose line in the report begins with this text, such as `random` or `star.json reduce`
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// A oneport that is built already (default: it is built in release)
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl Arguments {
    /// The sample that `cargo xtask check` runs, with the command that it has compiled.
    pub fn sample(program: Option<PathBuf>) -> Arguments {
        Arguments {
            sample: true,
            only: String::new(),
            program,
        }
    }
}

/// One of 19 plans is in the sample. 19 is prime, so that each collective and model occurs.
const SAMPLE: usize = 19;
/// Seconds for one plan. The best plan by then is replayed.
const SOLVE: &str = "2";
/// Limit on instances per period, so that replays are short.
const INSTANCES: &str = "6";
/// Reasons why a case has no plan: no path, or no time.
const REASONS: [&str; 2] = ["infeasible", "ended the work"];
/// Longer runs are left out.
const LONGEST: usize = 40_000;
/// SimGrid is present if one of these headers is.
const HEADERS: [&str; 2] = [
    "/usr/include/simgrid/s4u.hpp",
    "/usr/local/include/simgrid/s4u.hpp",
];

/// Whether SimGrid is installed.
pub fn is_here() -> bool {
    HEADERS.iter().any(|header| Path::new(header).exists())
}

/// Counts of the replay.
#[derive(Default)]
struct Count {
    plans: usize,
    left_out: usize,
    events: usize,
    /// Per kind of fault.
    faults: [usize; 3],
    worst: f64,
    wrong: Vec<String>,
}

/// A folder, and the programs.
struct Bench {
    folder: PathBuf,
    oneport: PathBuf,
    replay: PathBuf,
}

/// Replays plans. Prints a line and skips if SimGrid is missing.
///
/// # Errors
/// A plan runs at other dates than its own, a fault is not noticed, a program does not compile.
pub fn run(arguments: &Arguments) -> Result<()> {
    if !is_here() {
        eprintln!("simgrid: skipped, SimGrid is not installed (Debian: libsimgrid-dev)");
        return Ok(());
    }
    let start = Instant::now();
    let (root, target) = (workspace::root()?, workspace::target()?);
    let folder = target.join("simgrid");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bench = Bench {
        replay: folder.join("replay"),
        oneport: oneport(arguments, &target)?,
        folder,
    };
    compile(
        &root.join("doors/exports/src/simgrid/replay.cpp"),
        &bench.replay,
    )?;
    let path = bench.folder.join("report");
    let mut report =
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut count = Count::default();
    let step = if arguments.sample { SAMPLE } else { 1 };
    let chosen = |case: &&Case| case.name.starts_with(&arguments.only);
    for case in cases::all(&root, &bench.folder)
        .iter()
        .filter(chosen)
        .step_by(step)
    {
        let line = bench
            .one(case, &mut count)
            .with_context(|| case.name.clone())?;
        writeln!(report, "{}: {line}", case.name)?;
    }
    let [overlaps, merges, sends] = count.faults;
    let summary = format!(
        "{} plans, {} transfers and merges, by date and as soon as possible: worst {:.1e} of a period or run; {} left \
         out; faults noticed: {overlaps} overlaps, {merges} merges and {sends} messages before their input; {} wrong; \
         {}",
        count.plans,
        count.events,
        count.worst,
        count.left_out,
        count.wrong.len(),
        workspace::duration(start.elapsed())
    );
    writeln!(report, "{summary}")?;
    println!("{summary}");
    println!(
        "written to {}",
        path.strip_prefix(&root).unwrap_or(&path).display()
    );
    if !count.wrong.is_empty() {
        bail!("{}", count.wrong.join("\n"));
    }
    if count.plans == 0 || arguments.only.is_empty() && count.faults.contains(&0) {
        bail!("nothing was replayed, or no fault of some kind was planted");
    }
    Ok(())
}

/// The command under test.
fn oneport(arguments: &Arguments, target: &Path) -> Result<PathBuf> {
    if let Some(program) = &arguments.program {
        return program
            .canonicalize()
            .with_context(|| format!("there is no {}", program.display()));
    }
    setup::run()?;
    workspace::run(workspace::cargo(&[
        "build",
        "--release",
        "--package",
        "oneport-cli",
    ])?)?;
    Ok(target.join("release/oneport"))
}

/// Compiles the program that comes with every export, once.
fn compile(source: &Path, program: &Path) -> Result<()> {
    let mut compiler = Command::new("g++");
    compiler
        .args(["-O1", "-std=c++17", "-o"])
        .args([program, source])
        .arg("-lsimgrid");
    workspace::run(compiler)
}

impl Bench {
    /// Solves, exports, replays and plants faults. Returns the outcome as text.
    fn one(&self, case: &Case, count: &mut Count) -> Result<String> {
        let (plan, platform) = (self.folder.join("plan.json"), self.folder.join("run.xml"));
        let mut solve = Command::new(&self.oneport);
        if let Some(generate) = &case.generate {
            let output = self.output(
                Command::new(&self.oneport)
                    .args(generate)
                    .arg("-o")
                    .arg(&case.platform),
            )?;
            expect(&output)?;
        }
        solve
            .arg("solve")
            .args(&case.arguments)
            .arg("--platform")
            .arg(&case.platform)
            .arg("-o")
            .arg(&plan);
        let output =
            self.output(solve.args(["--time-limit", SOLVE, "--max-instances", INSTANCES]))?;
        if !output.status.success() {
            let said = last_line(&output.stderr);
            if REASONS.iter().any(|reason| said.contains(reason)) {
                count.left_out += 1
            } else {
                count.wrong.push(format!("{}: {said}", case.name))
            }
            return Ok(format!("no plan: {said}"));
        }
        let mut export = Command::new(&self.oneport);
        expect(
            &self.output(
                export
                    .arg("export")
                    .arg(&plan)
                    .args(["--to", "simgrid"])
                    .arg(&platform),
            )?,
        )?;
        let events = Events::read(&self.folder.join("run.xml.replay"))?;
        if events.len() > LONGEST {
            count.left_out += 1;
            return Ok(format!("left out: {} transfers and merges", events.len()));
        }
        count.plans += 1;
        count.events += events.len();
        let mut said = Vec::new();
        for (name, events) in [
            ("by date", events.clone()),
            ("as soon as possible", events.as_soon_as_possible()),
        ] {
            let output = self.replay(&events)?;
            if !output.status.success() {
                count.wrong.push(format!(
                    "{}: {name}: {}",
                    case.name,
                    String::from_utf8_lossy(&output.stdout)
                ));
            }
            let line = last_line(&output.stdout);
            let worst = line
                .rsplit("worst ")
                .next()
                .and_then(|it| it.split(' ').next())
                .context("no figure")?;
            count.worst = count
                .worst
                .max(worst.parse().with_context(|| line.clone())?);
            said.push(format!("{name}: {line}"));
        }
        let faults = [
            ("an overlap", events.overlap()),
            ("a merge", events.early("merge")),
            ("a message", events.early("send")),
        ];
        for (kind, (name, events)) in faults.into_iter().enumerate() {
            let Some(events) = events else { continue };
            match self.replay(&events)?.status.code() {
                Some(1) => count.faults[kind] += 1,
                _ => count
                    .wrong
                    .push(format!("{}: {name} too early was not noticed", case.name)),
            }
        }
        Ok(said.join("; "))
    }

    fn replay(&self, events: &Events) -> Result<Output> {
        let path = self.folder.join("now.replay");
        fs::write(&path, events.text())
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.output(
            Command::new(&self.replay)
                .arg(self.folder.join("run.xml"))
                .arg(&path),
        )
    }

    fn output(&self, command: &mut Command) -> Result<Output> {
        command
            .output()
            .with_context(|| format!("cannot run `{}`", workspace::describe(command)))
    }
}

/// A program that has to succeed.
fn expect(output: &Output) -> Result<()> {
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn last_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .lines()
        .last()
        .unwrap_or_default()
        .to_string()
}
