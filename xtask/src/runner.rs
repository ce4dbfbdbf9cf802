//! Runs all tests side by side, each in a separate process, the longest first.
//!
//! `cargo test` runs the programs in sequence, and waits at the end of each for its longest test. Here all tests of all
//! programs and the documentation's examples are one list, from which as many workers take as there are processors. The
//! time of each is kept for the next run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::binaries::{Binary, Built, Ignored};
use crate::needs::Reason;
use crate::record::{self, Record};
use crate::workspace;

/// Number of the slowest tests that are named.
const SLOWEST: usize = 12;

/// A process to run. It passes if the process ends well.
struct Job {
    /// The group that it belongs to.
    program: String,
    name: String,
    command: Command,
    /// The output must report one passed test: a name that no test has would pass unseen.
    single: bool,
}

/// The end of a job.
struct Ended {
    program: String,
    name: String,
    time: Duration,
    passed: bool,
    /// Everything the process printed.
    output: String,
}

/// The tests of one program.
struct Group {
    name: String,
    /// The program and the files it reads: if they are the same, so are the results.
    key: String,
    jobs: Vec<Job>,
    /// The tests that this machine cannot run, each with the missing thing.
    lacking: Vec<String>,
}

/// Selection of tests. Long ones are marked `#[ignore = "long: ..."]`. Tests with `needs` run if the things are
/// present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All but the long ones, of programs that have changed since all their tests passed.
    Changed,
    /// All but the long ones.
    Every,
    /// The long ones, the property tests on further random cases, and the answers of the benchmarks.
    Long,
}

/// Runs tests of the programs.
///
/// # Errors
/// A test failed. Its output was shown.
pub fn run(built: &Built, which: Which) -> Result<()> {
    let mut record = Record::open()?;
    let mut groups = groups(built, which)?;
    let lacking: Vec<String> = groups
        .iter_mut()
        .flat_map(|group| std::mem::take(&mut group.lacking))
        .collect();
    let (unchanged, groups): (Vec<Group>, Vec<Group>) = groups
        .into_iter()
        .partition(|group| which == Which::Changed && record.has_passed(&group.name, &group.key));
    let programs: Vec<(String, String)> = groups
        .iter()
        .map(|group| (group.name.clone(), group.key.clone()))
        .collect();
    let mut jobs: Vec<Job> = groups.into_iter().flat_map(|group| group.jobs).collect();
    // The order in which the workers take from the end: unknown ones, the longest.
    jobs.sort_by_key(|job| record.time(&job.name));
    let start = Instant::now();
    let ended = side_by_side(jobs);
    // A program whose long tests passed may fail another one.
    for (program, key) in programs.iter().filter(|_| which != Which::Long) {
        let failed = ended
            .iter()
            .any(|one| one.program == *program && !one.passed);
        record.judged(program, Some(key.as_str()).filter(|_| !failed));
    }
    for one in &ended {
        record.took(
            &one.name,
            u64::try_from(one.time.as_millis()).unwrap_or(u64::MAX),
        );
    }
    record.write()?;
    report(&ended, start.elapsed());
    let before: usize = unchanged.iter().map(|group| group.jobs.len()).sum();
    if before > 0 {
        println!(
            "not run again: {before} tests of {} programs that are unchanged since they passed",
            unchanged.len()
        );
    }
    if !lacking.is_empty() {
        println!(
            "not run, for this machine lacks what they need: {} tests\n   {}",
            lacking.len(),
            lacking.join("\n   ")
        );
    }
    match ended.iter().filter(|one| !one.passed).count() {
        0 => Ok(()),
        failed => bail!("{failed} tests failed"),
    }
}

fn groups(built: &Built, which: Which) -> Result<Vec<Group>> {
    let read = record::read_files()?;
    let seed = std::env::var(SEED).unwrap_or_default();
    let key = |files: &[&Path]| format!("{read:x} {seed} {}", record::stamp(files.iter().copied()));
    let libraries: Vec<&Path> = built.libraries.iter().map(PathBuf::as_path).collect();
    let mut groups = Vec::new();
    if which != Which::Long {
        groups.push(Group {
            key: key(&libraries),
            ..examples()?
        });
    }
    for binary in &built.tests {
        let own = built
            .programs
            .iter()
            .filter(|(folder, _)| *folder == binary.folder)
            .map(|(_, path)| path.as_path());
        let files: Vec<&Path> = std::iter::once(binary.path.as_path()).chain(own).collect();
        let group = of_binary(binary, which)?;
        // A thing that became available adds a test.
        let key = format!("{} {}", key(&files), group.lacking.join(", "));
        groups.push(Group { key, ..group });
    }
    for job in groups.iter_mut().flat_map(|group| &mut group.jobs) {
        self::seed(&mut job.command);
    }
    Ok(groups)
}

/// The variable from which the property tests read the seed of their random cases.
const SEED: &str = "PROPTEST_RNG_SEED";

/// With these seeds the long run draws further cases of each property.
const FURTHER_SEEDS: [&str; 3] = ["2", "3", "4"];

/// Equal cases in every run, so that a failure is due to the change. `cargo test` by hand draws new ones.
fn seed(command: &mut Command) {
    let has_one = command.get_envs().any(|(name, _)| name == SEED);
    if !has_one && std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
}

/// The program with all its tests and each further seed, if its package has property tests.
fn with_further_seeds(binary: &Binary) -> Result<Vec<(String, Command)>> {
    let manifest = binary.folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    let seeds = FURTHER_SEEDS.iter().filter(|_| text.contains("\nproptest"));
    let with_seed = |seed: &&str| {
        let mut command = binary.command();
        command.env(SEED, seed);
        (format!("{} with seed {seed}", binary.name), command)
    };
    Ok(seeds.map(with_seed).collect())
}

/// The examples in the documentation: cargo compiles and runs them crate by crate.
fn examples() -> Result<Group> {
    let name = "examples in the documentation".to_string();
    let command = workspace::cargo(&["test", "--workspace", "--doc"])?;
    let job = Job {
        program: name.clone(),
        name: name.clone(),
        command,
        single: false,
    };
    Ok(Group {
        name,
        key: String::new(),
        jobs: vec![job],
        lacking: Vec::new(),
    })
}

fn of_binary(binary: &Binary, which: Which) -> Result<Group> {
    let program = binary.name.clone();
    let job = |name: String, command: Command, single: bool| Job {
        program: program.clone(),
        name,
        command,
        single,
    };
    let job_of_test = |name: String| {
        let mut command = binary.command();
        command.args(["--exact", &name, "--include-ignored"]);
        job(format!("{program} {name}"), command, true)
    };
    let mut lacking = Vec::new();
    let mut jobs = Vec::new();
    if binary.is_benchmark {
        // Without `--bench`, Criterion runs each function once.
        if which == Which::Long {
            jobs.push(job(format!("{program} (answers)"), binary.command(), false));
        }
    } else {
        let (others, ignored) = binary.tests()?;
        let is_long = which == Which::Long;
        jobs.extend(others.into_iter().filter(|_| !is_long).map(job_of_test));
        for Ignored { name, reason } in ignored {
            match lack(&reason) {
                _ if reason.is_long != is_long => {}
                None => jobs.push(job_of_test(name)),
                Some(lack) => lacking.push(format!("{program} {name}: {lack}")),
            }
        }
        if is_long {
            let further = with_further_seeds(binary)?.into_iter();
            jobs.extend(further.map(|(name, command)| job(name, command, false)));
        }
    }
    Ok(Group {
        name: program,
        key: String::new(),
        jobs,
        lacking,
    })
}

/// The needs of a test that this machine does not meet.
fn lack(reason: &Reason) -> Option<String> {
    let missing: Vec<String> = reason.missing().iter().map(ToString::to_string).collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

fn side_by_side(jobs: Vec<Job>) -> Vec<Ended> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (jobs, ended) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(job) = jobs.lock().ok().and_then(|mut jobs| jobs.pop()) {
                    let one = run_one(job);
                    if !one.passed {
                        eprintln!("== FAILED {}\n{}", one.name, one.output);
                    }
                    if let Ok(mut ended) = ended.lock() {
                        ended.push(one);
                    }
                }
            });
        }
    });
    ended.into_inner().unwrap_or_default()
}

fn run_one(mut job: Job) -> Ended {
    let start = Instant::now();
    let output = job.command.output();
    let time = start.elapsed();
    let (passed, output) = match output {
        Ok(output) => {
            let text = [output.stdout, output.stderr]
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let text = text.concat();
            let ran = !job.single || text.contains("test result: ok. 1 passed");
            (output.status.success() && ran, text)
        }
        Err(error) => (
            false,
            format!(
                "cannot run {}: {error}",
                job.command.get_program().to_string_lossy()
            ),
        ),
    };
    Ended {
        program: job.program,
        name: job.name,
        time,
        passed,
        output,
    }
}

fn report(ended: &[Ended], whole: Duration) {
    let mut slowest: Vec<&Ended> = ended.iter().collect();
    slowest.sort_by_key(|one| std::cmp::Reverse(one.time));
    eprintln!(
        "== the slowest of {} tests, in {}",
        ended.len(),
        workspace::duration(whole)
    );
    for one in slowest.iter().take(SLOWEST) {
        eprintln!("   {:>13}  {}", workspace::duration(one.time), one.name);
    }
    let failed = ended.iter().filter(|one| !one.passed).count();
    println!("{} passed, {failed} failed", ended.len() - failed);
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn job(name: &str, script: &str) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job {
            program: "p".to_string(),
            name: name.to_string(),
            command,
            single: false,
        }
    }

    #[test]
    fn every_job_ends_and_failures_are_seen() {
        let mut jobs: Vec<Job> = (0..20)
            .map(|index| job(&index.to_string(), "echo fine"))
            .collect();
        jobs.push(job("bad", "echo reason >&2; exit 3"));
        jobs.push(Job {
            program: "p".to_string(),
            name: "absent".to_string(),
            command: Command::new("no such program"),
            single: false,
        });
        let ended = side_by_side(jobs);
        let mut failed: Vec<(&str, &str)> = ended
            .iter()
            .filter(|one| !one.passed)
            .map(|one| (one.name.as_str(), one.output.trim()))
            .collect();
        failed.sort_unstable();
        assert_eq!(ended.len(), 22);
        assert_eq!(failed.len(), 2);
        assert!(failed[0].1.contains("no such program"));
        assert_eq!(failed[1], ("bad", "reason"));
    }
}
