//! Formats the answer of `oneport reduce`: text, JSON, drawings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use oneport::homogeneous::MOST_WRITTEN;
use oneport::plan::{
    Broadcast, Concurrency, Instance, Proof, Reduction, Shortest, SingleAllReduce, SingleBroadcast,
    SingleReduction,
};
use oneport::{Judged, Rational, SingleAnswer, Status, files};
use serde_json::{Value, json};

use crate::answers::reduction as words;
use crate::answers::windows;
use crate::words::clock;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::numbers::{percent, readable};
use crate::words::objects::joined;
use crate::words::objects::line;
use crate::words::output::{Content, Named, named, print, try_outputs, with_written};
use crate::words::usage::usage;

/// Schedules of more processors are not printed. `--tree F.json` writes them.
pub const LISTED: u64 = 100_000;
/// Limit on the senders of classes whose schedule is listed.
pub const MOST_SENDERS: u64 = 10_000_000;

/// The schedule found.
pub enum Schedule {
    /// No schedule. Schedules are built for at most this many processors.
    None(u64),
    /// A reduction.
    Reduction(Box<Reduction>),
    /// A broadcast.
    Broadcast(Box<Broadcast>),
    /// A reduction and the broadcast that follows it.
    AllReduce(Box<Reduction>, Box<Broadcast>),
}

/// The fields of a schedule's file besides the schedule.
pub struct Terms {
    /// The limit that it keeps.
    pub limit: Concurrency,
    /// Whether the operator commutes.
    pub commutative: bool,
    /// The proof that no schedule is shorter, if the referee could repeat it. Of an all-reduction, that no reduction
    /// into `into` is.
    pub proof: Option<Proof>,
    /// The processor of that proof.
    pub into: Option<u32>,
}

/// An answer, to be reported.
pub struct Answer {
    /// The question, in one line.
    pub title: String,
    /// Length of the schedule.
    pub length: Rational,
    /// Lower bound on the length.
    pub lower_bound: Rational,
    /// Whether the referee has proved the bound.
    pub proved: bool,
    /// The proof of the bound, in words.
    pub proof: String,
    /// The method that found the schedule, and the reason for the choice of it.
    pub method: (String, String),
    /// The schedule.
    pub schedule: Schedule,
    /// Further fields of the schedule's file.
    pub terms: Terms,
    /// Further lines of the text.
    pub notes: Vec<String>,
    /// Further keys of the JSON object.
    pub facts: Value,
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
    /// Draw the tree of transmission windows, the schedule read backwards (F.svg, F.png, F.dot); a time per sender
    /// only.
    #[arg(long, value_name = "F.svg")]
    pub windows: Option<PathBuf>,
    /// Write the schedule with its bound and proof as a file that verify, show and export read.
    #[arg(long, short, value_name = "REDUCTION.json")]
    pub output: Option<PathBuf>,
    /// Print one JSON object; up to 100,000 processors it holds the schedule.
    #[arg(long)]
    pub json: bool,
}

impl AnswerArguments {
    /// Tries whether the files can be written and differ from these inputs, by [`try_outputs`].
    ///
    /// # Errors
    /// Those of [`try_outputs`]. A drawing's name has an unknown extension.
    pub fn try_outputs(&self, inputs: &[Named<'_>]) -> Result<()> {
        if let Some(path) = &self.gantt {
            drawing::check("--gantt", path, &[])?;
        }
        if let Some(path) = &self.tree {
            drawing::check("--tree", path, &["dot", "gv", "json"])?;
        }
        if let Some(path) = &self.windows {
            drawing::check("--windows", path, &["dot", "gv"])?;
        }
        try_outputs(
            Content::Answer,
            inputs,
            &named(&[
                ("--gantt", &self.gantt),
                ("--tree", &self.tree),
                ("--windows", &self.windows),
                ("--output", &self.output),
            ]),
        )
    }

    /// Whether anything needs the schedule itself.
    pub fn wants_schedule(&self) -> bool {
        [&self.gantt, &self.tree, &self.windows, &self.output]
            .into_iter()
            .any(Option::is_some)
    }
}

impl Answer {
    /// The answer to a question about one reduction.
    pub fn new(
        title: String,
        method: &str,
        why: String,
        judged: &SingleAnswer<Shortest>,
    ) -> Answer {
        let shortest = judged.claim();
        let schedule = match &shortest.reduction {
            Some(reduction) => Schedule::Reduction(Box::new(reduction.clone())),
            None => Schedule::None(match &shortest.instance {
                Instance::Equal { .. } => MOST_WRITTEN,
                Instance::Classes(_) => MOST_SENDERS,
            }),
        };
        let rechecked = judged.is_proved();
        let (limit, commutative) = match &shortest.instance {
            Instance::Equal { limit, .. } => (*limit, false),
            Instance::Classes(_) => (Concurrency::Unlimited, true),
        };
        Answer {
            title,
            length: shortest.length.clone(),
            lower_bound: shortest.lower_bound.clone(),
            proved: rechecked,
            proof: words::proof(Some(&shortest.proof), judged.recheck()),
            method: (method.to_string(), why),
            schedule,
            terms: Terms {
                limit,
                commutative,
                proof: rechecked.then(|| shortest.proof.clone()),
                into: None,
            },
            notes: Vec::new(),
            facts: json!({ "proof": shortest.proof.name(), "rechecked": rechecked }),
        }
    }

    /// The answer about a user's schedule, compared with the best known.
    pub fn judged(title: String, method: &str, why: String, judged: Judged) -> Answer {
        let Judged { answer, best, .. } = judged;
        let proved = answer.is_proved();
        let told = words::proof(answer.claim().proof.as_ref(), answer.recheck());
        let one = answer.into_claim();
        let facts = json!({
            "proof": one.proof.as_ref().map_or("none", Proof::name),
            "rechecked": proved,
            "best": best.to_string(),
            "commutative": one.commutative,
        });
        let length = one.reduction.length.clone();
        let beside = if best == length {
            format!("best    {}: none known is shorter", readable(&best))
        } else {
            let over = percent(&((&length - &best) / &best));
            format!(
                "best    {} is known; this one takes {over} longer",
                readable(&best)
            )
        };
        Answer {
            title,
            length,
            lower_bound: one.lower_bound.clone(),
            proved,
            proof: told,
            method: (method.to_string(), why),
            terms: Terms {
                limit: one.limit,
                commutative: one.commutative,
                proof: one.proof.filter(|_| proved),
                into: None,
            },
            schedule: Schedule::Reduction(Box::new(one.reduction)),
            notes: vec![beside],
            facts,
        }
    }

    /// Adds a key to the JSON object.
    pub fn fact(&mut self, key: &str, value: impl Into<Value>) {
        self.facts[key] = value.into();
    }

    fn status(&self) -> Status {
        if self.proved && self.length == self.lower_bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }

    /// Writes the drawings and prints.
    ///
    /// # Errors
    /// A file that cannot be written. A drawing without a schedule.
    pub fn report(mut self, arguments: &AnswerArguments, took: Duration) -> Result<End> {
        let gantt = arguments
            .gantt
            .as_ref()
            .map(|path| Ok((path, self.gantt()?)));
        let tree = arguments
            .tree
            .as_ref()
            .map(|path| Ok((path, self.tree(path)?)));
        let windows = arguments.windows.as_ref().map(|path| match &self.schedule {
            Schedule::Reduction(reduction) | Schedule::AllReduce(reduction, _) => {
                Ok((path, windows::draw(path, reduction)?))
            }
            _ => bail!(usage("--windows: there is no reduction to draw")),
        });
        let file = arguments
            .output
            .as_ref()
            .map(|path| Ok((path, self.file()?)));
        let files: Vec<(&PathBuf, String)> = gantt
            .into_iter()
            .chain(tree)
            .chain(windows)
            .chain(file)
            .collect::<Result<_>>()?;
        // The answer is printed even if a file cannot be written after all.
        let written: Result<()> = files
            .iter()
            .try_for_each(|(path, text)| drawing::write(path, text));
        if arguments.json {
            self.fact("solve_seconds", took.as_secs_f64());
            print(&line(self.object()?))?;
        } else {
            let files: Vec<Named<'_>> =
                files.iter().map(|(path, _)| ("", path.as_path())).collect();
            let files = if written.is_ok() { &files[..] } else { &[] };
            print(&with_written(self.text(took), files))?;
        }
        written?;
        Ok(End::Done)
    }

    /// The schedule's file, by its kind.
    fn file(&self) -> Result<String> {
        let Terms {
            limit,
            commutative,
            proof,
            into,
        } = &self.terms;
        let lower_bound = self.lower_bound.clone();
        Ok(match &self.schedule {
            Schedule::Reduction(reduction) => files::single_reduction_to_json(&SingleReduction {
                reduction: (**reduction).clone(),
                limit: *limit,
                commutative: *commutative,
                lower_bound,
                proof: proof.clone(),
            }),
            Schedule::Broadcast(broadcast) => files::single_broadcast_to_json(&SingleBroadcast {
                broadcast: (**broadcast).clone(),
                limit: *limit,
                lower_bound,
                proof: proof.clone(),
            }),
            Schedule::AllReduce(reduction, broadcast) => {
                files::one_all_reduce_to_json(&SingleAllReduce {
                    reduction: (**reduction).clone(),
                    broadcast: (**broadcast).clone(),
                    lower_bound,
                    proof: into.zip(proof.clone()),
                })
            }
            Schedule::None(_) => bail!("--output: there is no schedule to write"),
        })
    }

    fn gantt(&self) -> Result<String> {
        match &self.schedule {
            Schedule::AllReduce(reduction, broadcast) => Ok(
                oneport_drawings::svg::all_reduce_gantt(reduction, broadcast),
            ),
            Schedule::Reduction(reduction) => Ok(oneport_drawings::svg::reduction_gantt(reduction)),
            Schedule::Broadcast(broadcast) => Ok(oneport_drawings::svg::broadcast_gantt(broadcast)),
            Schedule::None(_) => bail!("--gantt: there is no schedule to draw"),
        }
    }

    fn tree(&self, path: &Path) -> Result<String> {
        Ok(match (&self.schedule, drawing::extension(path).as_str()) {
            (Schedule::None(_), _) => bail!("--tree: there is no schedule to draw"),
            (Schedule::Reduction(reduction), "json") => files::reduction_to_json(reduction),
            (Schedule::Broadcast(broadcast), "json") => files::broadcast_to_json(broadcast),
            (Schedule::Reduction(reduction), "dot" | "gv") => {
                oneport_drawings::dot::single_tree(reduction)
            }
            (Schedule::Reduction(reduction), _) => oneport_drawings::svg::single_tree(reduction),
            (Schedule::AllReduce(reduction, broadcast), "json") => format!(
                "{{\"reduction\": {},\n\"broadcast\": {}}}",
                files::reduction_to_json(reduction),
                files::broadcast_to_json(broadcast)
            ),
            (Schedule::AllReduce(reduction, _), "dot" | "gv") => {
                oneport_drawings::dot::single_tree(reduction)
            }
            (Schedule::AllReduce(reduction, _), _) => oneport_drawings::svg::single_tree(reduction),
            (Schedule::Broadcast(_), _) => {
                bail!(usage(
                    "--tree: a broadcast is written as F.json; draw the tree of the reduction, it is the same"
                ))
            }
        })
    }

    fn object(&self) -> Result<Value> {
        let answer = json!({
            "length": self.length.to_string(),
            "status": self.status().name(),
            "lower_bound": self.lower_bound.to_string(),
            "method": self.method.0,
            "why": self.method.1,
        });
        let tree = match &self.schedule {
            Schedule::Reduction(reduction) if reduction.receivers.len() as u64 <= LISTED + 1 => {
                Some(files::reduction_to_json(reduction))
            }
            Schedule::Broadcast(broadcast) if broadcast.senders.len() as u64 <= LISTED + 1 => {
                Some(files::broadcast_to_json(broadcast))
            }
            _ => None,
        };
        let tree = tree
            .map(|tree| serde_json::from_str::<Value>(&tree))
            .transpose()?;
        let tree = tree.map(|tree| json!({ "tree": tree }));
        Ok(joined([self.facts.clone(), answer].into_iter().chain(tree)))
    }

    fn text(&self, took: Duration) -> String {
        let mut out = format!(
            "{}\nlength  {}\nmethod  {}: {}\ntime    {}",
            self.title,
            words::length(&self.length, &self.lower_bound, self.proved, &self.proof),
            self.method.0,
            self.method.1,
            clock::seconds(took)
        );
        for note in &self.notes {
            let _ = write!(out, "\n{note}");
        }
        match &self.schedule {
            Schedule::None(most) => {
                let _ = write!(
                    out,
                    "\nschedule  not printed; --tree F.json writes schedules of at most {most} processors"
                );
            }
            Schedule::Reduction(reduction) => words::transfers(&mut out, reduction),
            Schedule::Broadcast(broadcast) => {
                words::received(&mut out, broadcast, &Rational::default())
            }
            Schedule::AllReduce(reduction, broadcast) => {
                words::transfers(&mut out, reduction);
                out.push_str("\n  then");
                words::received(&mut out, broadcast, &reduction.length);
            }
        }
        out
    }
}
