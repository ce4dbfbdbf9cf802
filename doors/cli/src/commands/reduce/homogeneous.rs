//! `oneport reduce homogeneous`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use oneport::homogeneous::{
    EqualCosts, MOST_WRITTEN, Reduce, Strategy, Tie, Within, bounds, extent, neighbours_at,
    values_within,
};
use oneport::plan::Concurrency;
use oneport::{
    SingleAnswer, broadcast_homogeneous, length_homogeneous, reduce_homogeneous, reduce_into,
    reduce_released,
};
use serde_json::json;

use super::answer::{Answer, AnswerArguments, LISTED, Schedule};
use super::read::{cost, numbers, shorten, whole};
use super::{own, rank};
use crate::words::exit::End;
use crate::words::numbers::{readable, readable_count};
use crate::words::output::count;
use crate::words::usage::usage;

/// The trees of RR-7898.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Shortest schedule (RR-7898, Algorithm 1; Algorithms 2 and 3 under a limit).
    Greedy,
    /// Algorithm 1 as if the smaller cost were 0.
    Binomial,
    /// Algorithm 1 as if both costs were equal.
    Fibonacci,
    /// Every processor sends to the one before it.
    Chain,
    /// All processors send to the first.
    Flat,
}

/// Rules for ties of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TieName {
    /// The processor added first.
    Oldest,
    /// The processor added last.
    Newest,
    /// The processor with the fewest children.
    FewestChildren,
    /// The processor with the most children.
    MostChildren,
}

/// `oneport reduce homogeneous`.
#[derive(Debug, Args)]
pub struct HomogeneousArguments {
    /// Number of values, one per processor, 1 to 2^63.
    #[arg(long, value_name = "N", allow_hyphen_values = true, required_unless_present_any = ["ready", "tree_in"])]
    pub n: Option<String>,
    /// Time of a transfer, 0 or more.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub transfer: String,
    /// Time of a merge, 0 or more.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub compute: String,
    /// At most K transfers at once.
    #[arg(
        long,
        value_name = "K",
        allow_hyphen_values = true,
        conflicts_with = "max_reducers"
    )]
    pub max_transfers: Option<String>,
    /// At most K processors that merge.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub max_reducers: Option<String>,
    /// Shape of the tree.
    #[arg(long, value_enum, default_value_t = StrategyName::Greedy)]
    pub strategy: StrategyName,
    /// Tie-breaking rule of Algorithm 1; it matters for the binomial and Fibonacci strategies.
    #[arg(long, value_enum, default_value_t = TieName::Oldest)]
    pub tie: TieName,
    /// Date at which each value is ready (default: 0 for all). The operator must be commutative. With 0 < C < D the
    /// schedule is not always proved optimal: the answer has a bound.
    #[arg(long, value_name = "R,R,...", allow_hyphen_values = true, conflicts_with_all = ["strategy", "tie"])]
    pub ready: Option<String>,
    /// Reverse the schedule: a broadcast in which each transfer takes C to prepare.
    #[arg(long, conflicts_with_all = ["ready", "strategy"])]
    pub broadcast: bool,
    /// Reduce into this processor, counted from 0: as short as into processor 0, with the operands in order where no
    /// limit is given; with --ready it may take longer than into the best root.
    #[arg(long, value_name = "R", allow_hyphen_values = true, conflicts_with_all = ["strategy", "tie", "broadcast", "tree_in"])]
    pub root: Option<String>,
    /// Print only the children and the parent of this processor in the tree of --root (default 0).
    #[arg(long, value_name = "R", allow_hyphen_values = true, conflicts_with_all = ["strategy", "tie", "broadcast", "tree_in", "within", "gantt", "tree", "output", "windows"])]
    pub rank: Option<String>,
    /// Also say how many values can be reduced within this time.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub within: Option<String>,
    /// Time your own tree next to the best: a JSON array with the parent of each processor, null for the root.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["n", "ready", "strategy", "tie", "max_transfers", "max_reducers", "broadcast"])]
    pub tree_in: Option<PathBuf>,
    /// Output.
    #[command(flatten)]
    pub answer: AnswerArguments,
}

/// Runs the command.
pub fn run(arguments: &HomogeneousArguments) -> Result<End> {
    let costs = EqualCosts::new(
        cost("--transfer", &arguments.transfer)?,
        cost("--compute", &arguments.compute)?,
    )?;
    let limit = limit(arguments)?;
    answerable(arguments, limit)?;
    let input = arguments.tree_in.as_deref().map(|path| ("--tree-in", path));
    arguments.answer.try_outputs(input.as_slice())?;
    let started = Instant::now();
    if let Some(path) = &arguments.tree_in {
        let (n, answer) = own::tree(path, &costs, &words(&costs, limit))?;
        return report(arguments, answer, &costs, n, limit, started);
    }
    let n = values(arguments)?;
    let root = arguments
        .root
        .as_deref()
        .map_or(Ok(0), |text| processor("--root", text, n))?;
    if let Some(text) = &arguments.rank {
        return rank::run(
            n,
            root,
            processor("--rank", text, n)?,
            &costs,
            arguments.answer.json,
        );
    }
    let written = arguments.answer.wants_schedule() || n <= LISTED;
    let answer = if arguments.ready.is_some() {
        released(arguments, &costs, n)?
    } else if arguments.root.is_some() {
        into(&costs, n, root, limit, written)?
    } else if arguments.broadcast {
        broadcast(&costs, n, limit, written)?
    } else {
        plain(arguments, &costs, n, limit, written)?
    };
    report(arguments, answer, &costs, n, limit, started)
}

/// Refuses combinations of options for which there is no method.
fn answerable(arguments: &HomogeneousArguments, limit: Concurrency) -> Result<()> {
    let (ready, limited) = (arguments.ready.is_some(), limit != Concurrency::Unlimited);
    let whole_tree = "write the schedule with --tree F.json, which has every processor's receiver";
    Err(usage(match (arguments.rank.is_some(), ready, limited) {
        (true, true, _) => {
            format!("--rank: with --ready a processor's neighbours depend on all dates; {whole_tree}")
        }
        (true, false, true) => {
            format!("--rank: under a limit a processor's neighbours depend on the whole tree; {whole_tree}")
        }
        (false, true, true) => {
            "--ready: there is no method for values that are ready at different dates under a limit; leave one of the two out"
                .to_string()
        }
        (false, true, false) if arguments.within.is_some() => {
            "--within: it counts values that are all ready at 0; leave --ready or --within out".to_string()
        }
        _ => return Ok(()),
    }))
}

/// Adds the facts of every question, and prints.
fn report(
    arguments: &HomogeneousArguments,
    mut answer: Answer,
    costs: &EqualCosts,
    n: u64,
    limit: Concurrency,
    started: Instant,
) -> Result<End> {
    let took = started.elapsed();
    if arguments.ready.is_none() {
        bounds(arguments, &mut answer, costs, n, limit)?;
    }
    answer.fact("model", "homogeneous");
    answer.fact("n", n);
    answer.fact("transfer", costs.transfer().to_string());
    answer.fact("compute", costs.compute().to_string());
    match limit {
        Concurrency::Unlimited => {}
        Concurrency::Transfers(most) => answer.fact("max_transfers", json!(most)),
        Concurrency::Reducers(most) => answer.fact("max_reducers", json!(most)),
    }
    answer.report(&arguments.answer, took)
}

/// Limit: digits of a number of values that is printed in full.
const DIGITS: usize = 80;

/// Bounds in closed form, and the number of values for which a time suffices.
fn bounds(
    arguments: &HomogeneousArguments,
    answer: &mut Answer,
    costs: &EqualCosts,
    n: u64,
    limit: Concurrency,
) -> Result<()> {
    let least = bounds::lower(n, costs);
    let most = match limit {
        Concurrency::Unlimited => Some(bounds::upper(n, costs)),
        Concurrency::Transfers(most) | Concurrency::Reducers(most) => {
            bounds::limited(n, most, costs)
        }
    };
    answer.fact("bound_below", least.to_string());
    let above = match &most {
        Some(most) => {
            answer.fact("bound_above", most.to_string());
            format!("; the shortest takes at most {}", readable(most))
        }
        None => String::new(),
    };
    answer.notes.push(format!(
        "bounds  none takes less than {} (RR-7898, Lemma 5){above}",
        readable(&least)
    ));
    if let Some(text) = &arguments.within {
        let time = cost("--within", text)?;
        let values = values_within(&time, costs, limit)?;
        // Some JSON readers round numbers above 2^53.
        let (key, number, told) = match values {
            Within::Any => (
                "values",
                "any".to_string(),
                "any number of values".to_string(),
            ),
            Within::Most(most) => {
                let digits = most.to_string();
                let told = if digits.len() <= DIGITS {
                    digits.clone()
                } else {
                    readable_count(&most)
                };
                ("values", digits, count(told, "value"))
            }
            Within::PowerOfTwo(power) => {
                let least = format!("2^{power}");
                (
                    "at_least",
                    least.clone(),
                    format!("at least {least} values"),
                )
            }
        };
        answer.fact("within", json!({ "time": time.to_string(), key: number }));
        answer
            .notes
            .push(format!("within  {}: {told}", readable(&time)));
    }
    Ok(())
}

/// A processor, counted from 0.
fn processor(option: &str, text: &str, n: u64) -> Result<u64> {
    let number: Option<u64> = text.trim().parse().ok().filter(|&number| number < n);
    number.ok_or_else(|| {
        usage(format!(
            "{option}: '{}' is not a processor; count from 0 to {}",
            shorten(text.trim()),
            n - 1
        ))
    })
}

/// The shortest reduction into a processor.
fn into(
    costs: &EqualCosts,
    n: u64,
    root: u64,
    limit: Concurrency,
    written: bool,
) -> Result<Answer> {
    let title = format!(
        "reduction of {} into processor {root}, {}",
        count(n, "value"),
        words(costs, limit)
    );
    let [_, algorithm] = found(StrategyName::Greedy, limit);
    // Length and bound are those of processor 0.
    let judged = length_homogeneous(&Reduce::of(n, costs).limit(limit))?;
    let schedule = written
        .then(|| reduce_into(n, root, costs, limit))
        .transpose()?
        .map(SingleAnswer::into_claim);
    let in_order = (limit == Concurrency::Unlimited).then_some(true);
    let ordered = schedule
        .as_ref()
        .map_or(in_order, |one| Some(!one.commutative));
    let (method, why) = match (limit, ordered) {
        (Concurrency::Unlimited, _) => (
            "splitting",
            "split at the root, the operands in order".to_string(),
        ),
        (_, Some(true)) => (
            "greedy",
            format!("{algorithm}; parts on both sides of the root, the operands in order"),
        ),
        (_, Some(false)) => (
            "greedy",
            format!(
                "{algorithm}; processors 0 and {root} change places, so the operator must commute"
            ),
        ),
        (_, None) => (
            "greedy",
            format!("{algorithm}; any processor may be the root if the operator commutes"),
        ),
    };
    let mut answer = Answer::new(title, method, why, &judged);
    if let Some(one) = schedule {
        answer.length = one.reduction.length.clone();
        answer.schedule = Schedule::Reduction(Box::new(one.reduction));
    }
    answer.fact("root", root);
    if let Some(ordered) = ordered {
        answer.terms.commutative = !ordered;
        answer.fact("commutative", !ordered);
    }
    if limit == Concurrency::Unlimited {
        let degree = neighbours_at(n, root, root, costs)?.children.len();
        extent_of(&mut answer, degree as u64, None);
    }
    Ok(answer)
}

/// Adds the degree and the depth of the tree.
fn extent_of(answer: &mut Answer, degree: u64, depth: Option<u64>) {
    answer.fact("degree", degree);
    let mut note = format!("tree    {} into the root", count(degree, "transfer"));
    if let Some(depth) = depth {
        answer.fact("depth", depth);
        note.push_str(&format!(
            ", {} on the longest path",
            count(depth, "transfer")
        ));
    }
    answer.notes.push(note);
}

/// One reduction of values that are all there at 0.
fn plain(
    arguments: &HomogeneousArguments,
    costs: &EqualCosts,
    n: u64,
    limit: Concurrency,
    written: bool,
) -> Result<Answer> {
    let (strategy, tie) = (strategy(arguments.strategy), tie(arguments.tie));
    let question = Reduce::of(n, costs)
        .strategy(strategy)
        .limit(limit)
        .tie(tie);
    let judged = if written {
        reduce_homogeneous(&question)?
    } else {
        length_homogeneous(&question)?
    };
    let title = format!(
        "reduction of {}, {}",
        count(n, "value"),
        words(costs, limit)
    );
    let [name, why] = found(arguments.strategy, limit);
    let mut answer = Answer::new(title, name, why.to_string(), &judged);
    if arguments.strategy == StrategyName::Greedy
        && limit == Concurrency::Unlimited
        && arguments.tie == TieName::Oldest
    {
        let extent = extent(n, costs)?;
        extent_of(&mut answer, extent.degree, Some(extent.depth));
    }
    Ok(answer)
}

fn released(arguments: &HomogeneousArguments, costs: &EqualCosts, n: u64) -> Result<Answer> {
    let ready = numbers("--ready", arguments.ready.as_deref().unwrap_or_default())?;
    let root = arguments
        .root
        .as_deref()
        .map(|text| processor("--root", text, n))
        .transpose()?;
    let released = reduce_released(&ready, root, costs)?;
    let chosen = released.answer.claim().reduction.root;
    let into = root.map_or(String::new(), |root| format!(" into processor {root}"));
    let title = format!(
        "reduction of {}{into}, released over time, {}",
        count(ready.len(), "value"),
        words(costs, Concurrency::Unlimited)
    );
    let why = "release dates, the operator taken as commutative".to_string();
    let mut answer = Answer::judged(title, "released", why, released);
    answer.notes.clear();
    answer.facts = json!({ "proof": "released", "rechecked": answer.proved, "root": chosen });
    Ok(answer)
}

fn broadcast(costs: &EqualCosts, n: u64, limit: Concurrency, written: bool) -> Result<Answer> {
    let (schedule, judged) = if written {
        let (broadcast, judged) = broadcast_homogeneous(n, costs, limit)?;
        (Schedule::Broadcast(Box::new(broadcast)), judged)
    } else {
        let reduction = Reduce::of(n, costs).limit(limit);
        (
            Schedule::None(MOST_WRITTEN),
            length_homogeneous(&reduction)?,
        )
    };
    let title = format!(
        "broadcast to {}, {}",
        count(n, "processor"),
        words(costs, limit)
    );
    let mut answer = Answer::new(
        title,
        "greedy",
        "the shortest reduction read backwards".to_string(),
        &judged,
    );
    answer.schedule = schedule;
    Ok(answer)
}

/// `--n`, or the number of release dates.
fn values(arguments: &HomogeneousArguments) -> Result<u64> {
    let given = arguments
        .n
        .as_deref()
        .map(|text| whole("--n", text))
        .transpose()?;
    let dates = arguments
        .ready
        .as_deref()
        .map(|text| numbers("--ready", text))
        .transpose()?;
    match (given, dates.map(|dates| dates.len() as u64)) {
        (Some(n), Some(dates)) if n != dates => {
            bail!(usage(format!(
                "--n: {n} is not the number of release dates; --ready has {dates}, leave --n out"
            )))
        }
        (Some(n), _) | (None, Some(n)) => Ok(n),
        (None, None) => bail!(usage("--n: give the number of values")),
    }
}

fn words(costs: &EqualCosts, limit: Concurrency) -> String {
    let costs = format!(
        "transfer {}, merge {}",
        readable(costs.transfer()),
        readable(costs.compute())
    );
    match limit {
        Concurrency::Unlimited => costs,
        Concurrency::Transfers(most) => {
            format!("{costs}, at most {} at once", count(most, "transfer"))
        }
        Concurrency::Reducers(most) => format!("{costs}, at most {}", count(most, "reducer")),
    }
}

fn limit(arguments: &HomogeneousArguments) -> Result<Concurrency> {
    Ok(match (&arguments.max_transfers, &arguments.max_reducers) {
        (Some(most), _) => Concurrency::Transfers(whole("--max-transfers", most)?),
        (None, Some(most)) => Concurrency::Reducers(whole("--max-reducers", most)?),
        (None, None) => Concurrency::Unlimited,
    })
}

fn strategy(name: StrategyName) -> Strategy {
    match name {
        StrategyName::Greedy => Strategy::Greedy,
        StrategyName::Binomial => Strategy::Binomial,
        StrategyName::Fibonacci => Strategy::Fibonacci,
        StrategyName::Chain => Strategy::Chain,
        StrategyName::Flat => Strategy::Flat,
    }
}

fn tie(name: TieName) -> Tie {
    match name {
        TieName::Oldest => Tie::Oldest,
        TieName::Newest => Tie::Newest,
        TieName::FewestChildren => Tie::FewestChildren,
        TieName::MostChildren => Tie::MostChildren,
    }
}

/// Name and source of the tree.
fn found(strategy: StrategyName, limit: Concurrency) -> [&'static str; 2] {
    match (strategy, limit) {
        (StrategyName::Greedy, Concurrency::Unlimited) => {
            ["greedy", "RR-7898, Algorithm 1, optimal by Theorem 4"]
        }
        (StrategyName::Greedy, Concurrency::Transfers(_)) => [
            "greedy",
            "RR-7898, Algorithm 2 with its last loop corrected, optimal by Theorem 7",
        ],
        (StrategyName::Greedy, Concurrency::Reducers(_)) => {
            ["greedy", "RR-7898, Algorithm 3, optimal by Theorem 9"]
        }
        (StrategyName::Binomial, _) => [
            "binomial",
            "RR-7898, Algorithm 1 as if the smaller cost were 0",
        ],
        (StrategyName::Fibonacci, _) => [
            "fibonacci",
            "RR-7898, Algorithm 1 as if both costs were equal",
        ],
        (StrategyName::Chain, _) => ["chain", "every processor sends to the one before it"],
        (StrategyName::Flat, _) => ["flat", "all processors send to the first"],
    }
}
