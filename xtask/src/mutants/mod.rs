//! `cargo xtask mutants CRATE`: does a test fail for each wrong operator of a crate?
//!
//! cargo-mutants names the mutants: small changes of one function each. It would build the crate once for each of them.
//! Here one build holds them all (*mutant schemata*: Untch, Offutt and Harrold, ISSTA 1993): in a copy of the sources
//! each function reads the chosen mutant from an environment variable. First each test runs alone without a mutant and
//! reports its time and the functions that it reaches. Then each mutant runs the tests that reach its function, the
//! quick ones first, until one fails. A mutant without a failing test is a survivor: a test is missing, or the change
//! has no effect.

mod build;
mod list;
mod schema;
mod trial;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::workspace;
use list::Mutant;
use trial::Outcome;

/// The crate to mutate, and the part of it.
#[derive(Args)]
pub struct Arguments {
    /// The crate, as in `oneport-referee`
    #[arg(value_name = "CRATE")]
    package: String,
    /// Only every n-th mutant, beginning with the k-th: `1/8` to `8/8`
    #[arg(long, value_name = "K/N", value_parser = shard, default_value = "1/1")]
    shard: (usize, usize),
    /// Where the survivors are written, one per line (default: target/mutants/CRATE.survivors)
    #[arg(long, value_name = "FILE")]
    survivors: Option<PathBuf>,
    /// Only the mutants that this file names, as a file of survivors does
    #[arg(long, value_name = "FILE")]
    again: Option<PathBuf>,
    /// A dependant crate whose tests run too (may be repeated)
    #[arg(long, value_name = "CRATE")]
    also_test: Vec<String>,
    /// Leave out tests that take this many seconds or more: first try all mutants with 1, then the survivors
    /// (`--again`) with all tests
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    longest: u64,
    /// How many tests run at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parts
        .filter(|(k, n)| 1 <= *k && k <= n)
        .ok_or_else(|| format!("`{text}` is no shard; the third of eight is 3/8"))
}

impl Arguments {
    /// Keeps the chosen mutants. All are built, so that shards and repetitions share a build.
    fn choose(&self, mutants: &mut Vec<Mutant>) -> Result<()> {
        let (k, n) = self.shard;
        mutants.retain(|mutant| mutant.id % n == k % n);
        if let Some(file) = &self.again {
            let names = fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let names: BTreeSet<&str> = names
                .lines()
                .map(|line| line.split(MARK).next().unwrap_or(line))
                .collect();
            mutants.retain(|mutant| names.contains(mutant.name.as_str()));
        }
        if mutants.is_empty() {
            bail!("no mutant of {} is asked for", self.package);
        }
        Ok(())
    }
}

/// Separates a mutant's name from the remark, in the list of survivors.
const MARK: &str = " -- ";

/// Lists, copies, builds, tries, reports. Survivors are not an error: a reader judges each.
///
/// # Errors
/// cargo-mutants is missing, a test fails without any mutant, or the copy does not compile.
pub fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let root = workspace::root()?;
    // Within the repository, for every target folder of cargo: the copies find its `.cargo` there.
    let target = root.join("target/mutants");
    let mutants = list::mutants(&arguments.package)?;
    let folders = build::Folders {
        root,
        target: target.clone(),
        package: &arguments.package,
    };
    let mut built = build::build(&folders, mutants, &arguments.also_test)?;
    eprintln!("mutants: built in {}", workspace::duration(start.elapsed()));
    arguments.choose(&mut built.mutants)?;
    let (folder, longest) = (
        target.join(&arguments.package),
        Duration::from_secs(arguments.longest),
    );
    let tests = trial::tests(&built.binaries, &folder, longest, arguments.jobs)?;
    let outcomes = trial::run(&built, &tests, arguments.jobs);
    let report = Report {
        built: &built,
        outcomes: &outcomes,
    };
    let default = target.join(format!("{}.survivors", arguments.package));
    let file = arguments.survivors.as_ref().unwrap_or(&default);
    fs::write(file, report.survivors())
        .with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!(
        "{}, in {}",
        report.counts(),
        workspace::duration(start.elapsed())
    );
    eprintln!("mutants: survivors are listed in {}", file.display());
    Ok(())
}

/// The results.
struct Report<'a> {
    built: &'a build::Built,
    /// One for each mutant built.
    outcomes: &'a [Outcome],
}

impl Report<'_> {
    fn count(&self, which: fn(&Outcome) -> bool) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| which(outcome))
            .count()
    }

    fn counts(&self) -> String {
        format!(
            "mutants: {} caught by a failed test, {} by the time or memory they take, {} missed, {} do not compile, {} not tried",
            self.count(|outcome| matches!(outcome, Outcome::Caught)),
            self.count(|outcome| matches!(outcome, Outcome::Endless)),
            self.count(|outcome| matches!(outcome, Outcome::Missed(_))),
            self.built.unviable.len(),
            self.built.untried.len(),
        )
    }

    /// A line for each survivor, with file, line, change and the number of tests that reach the function.
    fn survivors(&self) -> String {
        let mut text = String::new();
        let mut add = |mutant: &Mutant, what: String| {
            let _ = writeln!(text, "{}{MARK}{what}", mutant.name);
        };
        for (mutant, outcome) in self.built.mutants.iter().zip(self.outcomes) {
            if let Outcome::Missed(tests) = outcome {
                add(mutant, format!("reached by {tests} tests"));
            }
        }
        for mutant in &self.built.untried {
            add(mutant, "not tried: a schema cannot hold it".to_string());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::shard;

    #[test]
    fn shards_are_read() {
        assert_eq!(shard("3/8"), Ok((3, 8)));
        for wrong in ["0/8", "9/8", "3", "a/b", "3/0"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
