//! Runs all tests side by side, each in a process of its own, the longest first.
//!
//! `cargo test` runs one program after the other, and waits at the end of each for its longest test. Here all tests
//! of all programs, the documentation's examples and the benchmarks' answers are one list, from which as many workers
//! take as there are processors. How long each took is kept for the next run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::binaries::Binary;
use crate::workspace;

/// How many of the slowest tests are named.
const SLOWEST: usize = 12;

/// Something to run: it passes where its process ends well.
struct Job {
    name: String,
    command: Command,
    /// The output has to say that one test passed: a name that no test has would pass unseen.
    single: bool,
}

/// How a job ended.
struct Ended {
    name: String,
    time: Duration,
    passed: bool,
    /// Everything the process printed.
    output: String,
}

/// Runs every test; with `all`, also the ones that are marked as long (`#[ignore]`).
///
/// # Errors
/// A test failed; its output was shown.
pub fn run(binaries: &[Binary], all: bool) -> Result<()> {
    let mut jobs = vec![examples()?];
    for binary in binaries {
        jobs.extend(of_binary(binary, all)?);
    }
    for job in &mut jobs {
        seed(&mut job.command);
    }
    let record = record()?;
    let times = read_times(&record);
    // The order in which the workers take from the end: unknown ones and long ones first.
    jobs.sort_by_key(|job| times.get(&job.name).copied().unwrap_or(u64::MAX));
    let start = Instant::now();
    let ended = side_by_side(jobs);
    report(&ended, start.elapsed());
    write_times(&record, times, &ended)?;
    match ended.iter().filter(|one| !one.passed).count() {
        0 => Ok(()),
        failed => bail!("{failed} tests failed"),
    }
}

/// Where the property tests look for the seed of their random cases.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The same cases every time: a red run is then the change's doing. `cargo test` by hand draws new ones.
fn seed(command: &mut Command) {
    if std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
}

/// The examples in the documentation: cargo compiles and runs them crate by crate.
fn examples() -> Result<Job> {
    let command = workspace::cargo(&["test", "--workspace", "--doc"])?;
    Ok(Job { name: "examples in the documentation".to_string(), command, single: false })
}

fn of_binary(binary: &Binary, all: bool) -> Result<Vec<Job>> {
    if binary.is_benchmark {
        // Criterion runs each of its functions once when it is not told to measure.
        return Ok(vec![Job { name: format!("{} (answers)", binary.name), command: binary.command(), single: false }]);
    }
    let (mut names, ignored) = binary.tests()?;
    names.extend(ignored.into_iter().filter(|_| all));
    let job = |name: String| {
        let mut command = binary.command();
        command.args(["--exact", &name, "--include-ignored"]);
        Job { name: format!("{} {name}", binary.name), command, single: true }
    };
    Ok(names.into_iter().map(job).collect())
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
            let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let text = text.concat();
            let ran = !job.single || text.contains("test result: ok. 1 passed");
            (output.status.success() && ran, text)
        }
        Err(error) => (false, format!("cannot run {}: {error}", job.command.get_program().to_string_lossy())),
    };
    Ended { name: job.name, time, passed, output }
}

fn report(ended: &[Ended], whole: Duration) {
    let mut slowest: Vec<&Ended> = ended.iter().collect();
    slowest.sort_by_key(|one| std::cmp::Reverse(one.time));
    eprintln!("== the slowest of {} tests, in {}", ended.len(), workspace::duration(whole));
    for one in slowest.iter().take(SLOWEST) {
        eprintln!("   {:>13}  {}", workspace::duration(one.time), one.name);
    }
    // A test that needs something this machine lacks says so in a line that begins with `skipped`.
    for one in ended {
        for line in one.output.lines().filter(|line| line.trim_start().starts_with("skipped")) {
            eprintln!("   {}: {line}", one.name);
        }
    }
    let failed = ended.iter().filter(|one| !one.passed).count();
    println!("{} passed, {failed} failed", ended.len() - failed);
}

/// Where the times of the last run are kept.
fn record() -> Result<PathBuf> {
    Ok(workspace::target()?.join("test-times.json"))
}

/// Milliseconds by name; nothing where there is no record yet.
fn read_times(record: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(record).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn write_times(record: &Path, mut times: BTreeMap<String, u64>, ended: &[Ended]) -> Result<()> {
    for one in ended {
        times.insert(one.name.clone(), u64::try_from(one.time.as_millis()).unwrap_or(u64::MAX));
    }
    let text = serde_json::to_string_pretty(&times).context("times are numbers")?;
    fs::write(record, text).with_context(|| format!("cannot write {}", record.display()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn job(name: &str, script: &str) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job { name: name.to_string(), command, single: false }
    }

    #[test]
    fn every_job_ends_and_failures_are_seen() {
        let mut jobs: Vec<Job> = (0..20).map(|index| job(&index.to_string(), "echo fine")).collect();
        jobs.push(job("bad", "echo reason >&2; exit 3"));
        jobs.push(Job { name: "absent".to_string(), command: Command::new("no such program"), single: false });
        let ended = side_by_side(jobs);
        let mut failed: Vec<(&str, &str)> =
            ended.iter().filter(|one| !one.passed).map(|one| (one.name.as_str(), one.output.trim())).collect();
        failed.sort_unstable();
        assert_eq!(ended.len(), 22);
        assert_eq!(failed.len(), 2);
        assert!(failed[0].1.contains("no such program"));
        assert_eq!(failed[1], ("bad", "reason"));
    }
}
