//! What `oneport reduce` has to say: text, JSON, drawings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use oneport::plan::{Broadcast, Proof, Reduction};
use oneport::referee::Recheck;
use oneport::{Checked, Rational, Status, formats};
use serde_json::{Map, Value};

use crate::words::drawing;
use crate::words::end::End;
use crate::words::numbers::{percent, readable};
use crate::words::output::{named, print, try_outputs};
use crate::words::usage::usage;

/// Schedules of more processors are not printed; `--tree F.json` writes them.
pub const LISTED: u64 = 100_000;
/// Most transfers printed as text.
const LINES: usize = 24;

/// The schedule found.
pub enum Schedule {
    /// None was asked for.
    None,
    /// Of a reduction.
    Reduction(Box<Reduction>),
    /// Of a broadcast.
    Broadcast(Box<Broadcast>),
}

/// An answer, to be reported.
pub struct Answer {
    /// What was asked, in a line.
    pub title: String,
    /// Length of the schedule.
    pub length: Rational,
    /// No schedule is shorter.
    pub lower_bound: Rational,
    /// How the bound was proved, in words.
    pub proof: String,
    /// How the schedule was found, and why so.
    pub method: (String, String),
    /// The schedule.
    pub schedule: Schedule,
    /// Further keys of the JSON object.
    pub facts: Map<String, Value>,
}

/// Where the answer goes.
#[derive(Debug, Args)]
pub struct AnswerArguments {
    /// Draw a Gantt chart (F.svg or F.png).
    #[arg(long, value_name = "F.svg")]
    pub gantt: Option<PathBuf>,
    /// Draw the tree (F.svg or F.png), or write it for Graphviz (F.dot) or programs (F.json).
    #[arg(long, value_name = "F.svg")]
    pub tree: Option<PathBuf>,
    /// Print one JSON object; up to 100,000 processors it holds the schedule.
    #[arg(long)]
    pub json: bool,
}

impl AnswerArguments {
    /// Tries whether the drawings can be written; see [`try_outputs`].
    ///
    /// # Errors
    /// As [`try_outputs`]; a drawing whose name does not say what it is to be.
    pub fn try_outputs(&self) -> Result<()> {
        if let Some(path) = &self.gantt {
            drawing::check("--gantt", path, &[])?;
        }
        if let Some(path) = &self.tree {
            drawing::check("--tree", path, &["dot", "gv", "json"])?;
        }
        try_outputs(&[], &named(&[("--gantt", &self.gantt), ("--tree", &self.tree)]))
    }
}

impl Answer {
    /// The answer to a question about one reduction.
    pub fn new(title: String, method: &str, why: String, checked: &Checked) -> Answer {
        let shortest = &checked.shortest;
        let schedule = match &shortest.reduction {
            Some(reduction) => Schedule::Reduction(Box::new(reduction.clone())),
            None => Schedule::None,
        };
        let mut facts = Map::new();
        facts.insert("proof".into(), proof_name(&shortest.proof).into());
        facts.insert("rechecked".into(), (checked.recheck == Recheck::Proved).into());
        Answer {
            title,
            length: shortest.length.clone(),
            lower_bound: shortest.lower_bound.clone(),
            proof: proof_words(&shortest.proof, &checked.recheck),
            method: (method.to_string(), why),
            schedule,
            facts,
        }
    }

    /// Adds a key to the JSON object.
    pub fn fact(&mut self, key: &str, value: impl Into<Value>) {
        self.facts.insert(key.into(), value.into());
    }

    fn status(&self) -> Status {
        if self.length == self.lower_bound { Status::Optimal } else { Status::Feasible }
    }

    /// Writes the drawings and prints.
    ///
    /// # Errors
    /// A file that cannot be written; a drawing without a schedule.
    pub fn report(mut self, arguments: &AnswerArguments, took: Duration) -> Result<End> {
        let gantt = arguments.gantt.as_ref().map(|path| Ok((path, self.gantt()?)));
        let tree = arguments.tree.as_ref().map(|path| Ok((path, self.tree(path)?)));
        let drawings: Vec<(&PathBuf, String)> = gantt.into_iter().chain(tree).collect::<Result<_>>()?;
        // The answer is printed even if a drawing cannot be written after all.
        let written: Result<()> = drawings.iter().try_for_each(|(path, text)| drawing::write(path, text));
        if arguments.json {
            self.fact("solve_seconds", took.as_secs_f64());
            print(&Value::Object(self.object()?).to_string())?;
        } else {
            print(&self.text(took))?;
        }
        written?;
        Ok(End::Done)
    }

    fn gantt(&self) -> Result<String> {
        match &self.schedule {
            Schedule::Reduction(reduction) => Ok(oneport_drawings::svg::reduction_gantt(reduction)),
            Schedule::Broadcast(broadcast) => Ok(oneport_drawings::svg::broadcast_gantt(broadcast)),
            Schedule::None => bail!("--gantt: there is no schedule to draw"),
        }
    }

    fn tree(&self, path: &Path) -> Result<String> {
        Ok(match (&self.schedule, drawing::extension(path).as_str()) {
            (Schedule::None, _) => bail!("--tree: there is no schedule to draw"),
            (Schedule::Reduction(reduction), "json") => formats::reduction_to_json(reduction),
            (Schedule::Broadcast(broadcast), "json") => formats::broadcast_to_json(broadcast),
            (Schedule::Reduction(reduction), "dot" | "gv") => oneport_drawings::dot::once_tree(reduction),
            (Schedule::Reduction(reduction), _) => oneport_drawings::svg::once_tree(reduction),
            (Schedule::Broadcast(_), _) => {
                bail!(usage("--tree: a broadcast is written as F.json; draw the tree of the reduction, it is the same"))
            }
        })
    }

    fn object(&self) -> Result<Map<String, Value>> {
        let mut object = self.facts.clone();
        object.insert("length".into(), self.length.to_string().into());
        object.insert("status".into(), self.status().name().into());
        object.insert("lower_bound".into(), self.lower_bound.to_string().into());
        object.insert("method".into(), self.method.0.clone().into());
        object.insert("why".into(), self.method.1.clone().into());
        let tree = match &self.schedule {
            Schedule::Reduction(reduction) if reduction.receivers.len() as u64 <= LISTED + 1 => {
                formats::reduction_to_json(reduction)
            }
            Schedule::Broadcast(broadcast) if broadcast.senders.len() as u64 <= LISTED + 1 => {
                formats::broadcast_to_json(broadcast)
            }
            _ => return Ok(object),
        };
        object.insert("tree".into(), serde_json::from_str(&tree)?);
        Ok(object)
    }

    fn text(&self, took: Duration) -> String {
        let bound = if self.status() == Status::Optimal {
            format!("optimal: {}", self.proof)
        } else {
            let over = &self.length - &self.lower_bound;
            let share = if self.lower_bound > Rational::default() {
                format!(", {} above it", percent(&(over / &self.lower_bound)))
            } else {
                String::new()
            };
            format!("feasible; none is shorter than {} ({}){share}", readable(&self.lower_bound), self.proof)
        };
        let mut out = format!(
            "{}\nlength  {} ({bound})\nmethod  {}: {}\ntime    {:.3} s",
            self.title,
            readable(&self.length),
            self.method.0,
            self.method.1,
            took.as_secs_f64()
        );
        match &self.schedule {
            Schedule::None => out.push_str("\nschedule  not written down for so many; --tree F.json writes it"),
            Schedule::Reduction(reduction) => {
                let sends = (0..reduction.receivers.len()).filter(|&i| i != reduction.root as usize);
                let line = |i: usize| (reduction.starts.get(i), format!("{i} to {}", reduction.receivers[i]));
                lines(&mut out, sends.map(line).collect());
            }
            Schedule::Broadcast(broadcast) => {
                let receives = (0..broadcast.senders.len()).filter(|&i| i != broadcast.root as usize);
                let line = |i: usize| (broadcast.starts.get(i), format!("{} to {i}", broadcast.senders[i]));
                lines(&mut out, receives.map(line).collect());
            }
        }
        out
    }
}

/// The first transfers in the order of their dates.
fn lines(out: &mut String, mut transfers: Vec<(Option<Rational>, String)>) {
    transfers.sort_by(|a, b| a.0.cmp(&b.0));
    for (start, what) in transfers.iter().take(LINES) {
        let _ = write!(out, "\n  at {:>8}  {what}", readable(&start.clone().unwrap_or_default()));
    }
    if transfers.len() > LINES {
        let _ = write!(out, "\n  ... {} more transfers", transfers.len() - LINES);
    }
}

fn proof_name(proof: &Proof) -> &'static str {
    match proof {
        Proof::Counting => "counting",
        Proof::LimitedTransfers => "limited-transfers",
        Proof::Prices(_) => "prices",
        Proof::Levels => "levels",
        Proof::SlowestFirst => "slowest-first",
        Proof::Lowered { .. } => "lowered",
        Proof::Exhaustion { .. } => "exhaustion",
    }
}

fn proof_words(proof: &Proof, recheck: &Recheck) -> String {
    let what = match proof {
        Proof::Counting => "less time combines fewer values".to_string(),
        Proof::LimitedTransfers => "Theorem 7 of RR-7898".to_string(),
        Proof::Prices(prices) => format!("prices of {} slots", prices.prices.len()),
        Proof::Levels => "no numbers of fast senders per level make it shorter".to_string(),
        Proof::SlowestFirst => "slowest node first, Theorems 1 and 4 of Liu-Kuo-Wang 2009".to_string(),
        Proof::Lowered { .. } => "the optimum for times lowered until a theorem gives it".to_string(),
        Proof::Exhaustion { states } => format!("exhaustive search of {states} states"),
    };
    match recheck {
        Recheck::Proved => format!("{what}; the referee repeated it"),
        Recheck::Unrepeated { why } => format!("{what}; not repeated by the referee: {why}"),
    }
}
