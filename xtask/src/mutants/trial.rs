//! Tests against mutants.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::build::{Binary, Built};
use crate::workspace;

/// Tests that take less share a run of their program.
const QUICK: Duration = Duration::from_millis(100);
/// Most memory of a test in KiB, and its stack: a function that holds many bodies has large frames.
const MEMORY: u64 = 4 << 20;
const STACK: u64 = 512 << 10;
/// The signals that end a program whose time is over: SIGKILL, SIGXCPU.
const OVER: [i32; 2] = [9, 24];

/// One test, as it is without a mutant.
pub struct Test<'a> {
    binary: &'a Binary,
    name: String,
    time: Duration,
    /// The functions that it reaches, each by the number of its first mutant.
    reached: BTreeSet<usize>,
}

/// Fate of a mutant.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end within five times its duration without the mutant, plus some seconds.
    Endless,
    /// All tests that reach the function passed. Their number.
    Missed(usize),
}

/// Runs each test alone, without a mutant. Leaves out tests that take `longest` or longer.
///
/// # Errors
/// A test fails, or a program cannot be run.
pub fn tests<'a>(
    binaries: &'a [Binary],
    folder: &Path,
    longest: Duration,
    jobs: usize,
) -> Result<Vec<Test<'a>>> {
    let mut names = Vec::new();
    for binary in binaries {
        let output = Command::new(&binary.path)
            .current_dir(&binary.folder)
            .args(["--list", "--format", "terse"])
            .output();
        let output = output.with_context(|| format!("cannot run {}", binary.path.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        names.extend(
            text.lines()
                .filter_map(|line| Some((binary, line.strip_suffix(": test")?.to_string()))),
        );
    }
    let start = Instant::now();
    let alone = |index: usize| {
        let (binary, name) = &names[index];
        let path = folder.join(format!("reached-{index}"));
        alone(binary, name, &path)
    };
    let mut tests = parallel(names.len(), jobs, alone)
        .into_iter()
        .collect::<Result<Vec<Test<'_>>>>()?;
    tests.sort_by_key(|test| test.time);
    let slow = tests.iter().rev().take_while(|test| test.time >= longest);
    for test in slow {
        eprintln!(
            "mutants: left out: {}, {}",
            test.name,
            workspace::duration(test.time)
        )
    }
    tests.retain(|test| test.time < longest);
    let count = (tests.len(), binaries.len());
    eprintln!(
        "mutants: {} tests in {} programs, run one by one in {}",
        count.0,
        count.1,
        workspace::duration(start.elapsed())
    );
    Ok(tests)
}

fn alone<'a>(binary: &'a Binary, name: &str, path: &Path) -> Result<Test<'a>> {
    let _ = fs::remove_file(path);
    let start = Instant::now();
    let mut command = command(binary, &[name], Duration::from_secs(600));
    let status = command
        .env("XTASK_MUTANT_REACHED", path)
        .status()
        .context("cannot run `sh`")?;
    let time = start.elapsed();
    if !status.success() {
        bail!(
            "the test {name} of {} fails without any mutant ({status})",
            binary.path.display()
        );
    }
    // A test that reaches nothing writes nothing.
    let text = fs::read_to_string(path).unwrap_or_default();
    let _ = fs::remove_file(path);
    let reached = text.lines().filter_map(|line| line.parse().ok()).collect();
    Ok(Test {
        binary,
        name: name.to_string(),
        time,
        reached,
    })
}

/// Some tests of one program, within limits of processor time (a busy machine shall not decide), memory and stack, one
/// after the other and behind everything else that the machine does.
fn command(binary: &Binary, names: &[&str], limit: Duration) -> Command {
    let mut command = Command::new("sh");
    let script = format!(
        "ulimit -t {}; ulimit -v {MEMORY}; ulimit -s {STACK}; ulimit -c 0; exec nice -n 10 \"$0\" \"$@\"",
        limit.as_secs()
    );
    command
        .current_dir(&binary.folder)
        .arg("-c")
        .arg(script)
        .arg(&binary.path)
        .arg("--exact")
        .args(names);
    command
        .env("RUST_TEST_THREADS", "1")
        .env("RUST_BACKTRACE", "0")
        .env("PROPTEST_RNG_SEED", "1");
    // Failing cases are not kept: the next mutant is another one.
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Tries every mutant. The outcomes come in the order of the mutants.
pub fn run(built: &Built, tests: &[Test<'_>], jobs: usize) -> Vec<Outcome> {
    let done = AtomicUsize::new(0);
    let start = Instant::now();
    parallel(built.mutants.len(), jobs, |index| {
        let mutant = &built.mutants[index];
        let outcome = outcome(mutant.id, built.functions[&mutant.id], tests);
        if let Outcome::Missed(tests) = outcome {
            eprintln!("missed by {tests} tests: {}", mutant.name);
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(100) {
            eprintln!(
                "mutants: {done} of {} in {}",
                built.mutants.len(),
                workspace::duration(start.elapsed())
            );
        }
        outcome
    })
}

fn outcome(mutant: usize, function: usize, tests: &[Test<'_>]) -> Outcome {
    let tests: Vec<&Test<'_>> = tests
        .iter()
        .filter(|test| test.reached.contains(&function))
        .collect();
    for run in runs(&tests) {
        match once(mutant, &run) {
            None => {}
            Some(outcome) => return outcome,
        }
    }
    Outcome::Missed(tests.len())
}

/// The runs of programs: quick tests of one program together, then each of the others, by their times.
fn runs<'a>(tests: &[&'a Test<'a>]) -> Vec<Vec<&'a Test<'a>>> {
    let mut runs: Vec<Vec<&Test<'_>>> = Vec::new();
    for test in tests {
        let mate = |run: &&mut Vec<&Test<'_>>| run[0].binary == test.binary && run[0].time < QUICK;
        match runs.iter_mut().find(mate) {
            Some(run) if test.time < QUICK => run.push(test),
            _ => runs.push(vec![test]),
        }
    }
    runs.sort_by_key(|run| run.iter().map(|test| test.time).sum::<Duration>());
    runs
}

/// The run's outcome for the mutant. `None` if it passes.
fn once(mutant: usize, run: &[&Test<'_>]) -> Option<Outcome> {
    let names: Vec<&str> = run.iter().map(|test| test.name.as_str()).collect();
    let time: Duration = run.iter().map(|test| test.time).sum();
    let limit = time * 5 + Duration::from_secs(2);
    let mut command = command(run[0].binary, &names, limit);
    // A program that cannot be run ends like one that fails. `tests` has run it before.
    let mut child = command
        .env("XTASK_MUTANT", mutant.to_string())
        .spawn()
        .ok()?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return judge(status),
            // A sleeping test takes no processor time, so wall time is limited too, to ten times the limit.
            Ok(None) if start.elapsed() > limit * 10 => {
                let _ = child.kill();
                let _ = child.wait();
                return Some(Outcome::Endless);
            }
            _ => thread::sleep(Duration::from_millis(3)),
        }
    }
}

fn judge(status: ExitStatus) -> Option<Outcome> {
    match status.signal() {
        Some(signal) if OVER.contains(&signal) => Some(Outcome::Endless),
        _ => (!status.success()).then_some(Outcome::Caught),
    }
}

/// The values for all indices below a count, by some threads that take one index after the other.
fn parallel<T: Send>(count: usize, jobs: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let values = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let value = value(index);
                    values.lock().unwrap().push((index, value));
                }
            });
        }
    });
    let mut values = values.into_inner().unwrap();
    values.sort_by_key(|(index, _)| *index);
    values.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_tests_of_a_program_share_a_run() {
        let binaries = ["a", "b"].map(|path| Binary {
            path: path.into(),
            folder: ".".into(),
        });
        let test = |binary, name: &str, millis| Test {
            binary,
            name: name.to_string(),
            time: Duration::from_millis(millis),
            reached: BTreeSet::new(),
        };
        let [a, b] = &binaries;
        let tests = [
            test(a, "1", 10),
            test(b, "2", 15),
            test(a, "3", 20),
            test(a, "4", 500),
            test(a, "5", 700),
        ];
        let runs = runs(&tests.iter().collect::<Vec<_>>());
        let names: Vec<Vec<&str>> = runs
            .iter()
            .map(|run| run.iter().map(|test| test.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["2"], vec!["1", "3"], vec!["4"], vec!["5"]]);
    }

    #[test]
    fn values_come_in_order() {
        assert_eq!(
            parallel(100, 3, |index| index * index),
            (0..100).map(|index| index * index).collect::<Vec<_>>()
        );
        assert!(parallel(0, 0, |index| index).is_empty());
    }

    #[test]
    fn how_a_program_ends_is_told_apart() {
        // The lower byte of a wait status is the signal, the next one the exit code.
        assert!(judge(ExitStatus::from_raw(0)).is_none());
        assert!(matches!(
            judge(ExitStatus::from_raw(101 << 8)),
            Some(Outcome::Caught)
        ));
        assert!(matches!(
            judge(ExitStatus::from_raw(6)),
            Some(Outcome::Caught)
        ));
        assert!(matches!(
            judge(ExitStatus::from_raw(24)),
            Some(Outcome::Endless)
        ));
    }
}
