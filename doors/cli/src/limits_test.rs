//! Every command keeps its limits on platforms of every shape: one list, derived from the command line.
//!
//! No clock is read. The watch counts its looks: a look takes a millisecond. Bytes that are allocated
//! between two looks stand for the time between them, so a loop that allocates nothing is not seen. A run takes the
//! same looks and nearly the same bytes on every machine. Threads of other tests add what they allocate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use cap::Cap;
use clap::{CommandFactory, Parser};
use oneport::files::{PlatformFormat, write_platform};
use oneport::platform::generate::{self, Costs, Options, Racks};
use oneport::watch::{Left, Watch};
use oneport::{Platform, PortModel};
use peak_alloc::PeakAlloc;

use crate::Arguments;
use crate::flags::limits::REPLACED;

#[global_allocator]
static ALLOCATOR: Cap<PeakAlloc> = Cap::new(PeakAlloc, usize::MAX);

/// Limit: bytes allocated between two looks, before the first and after the last, and bytes above a memory limit.
/// Trades slow loops that are missed for copies that are no fault. Measured: 0.07 s of CPU in `reduce heterogeneous`,
/// 1.3 s in `solve scan`.
const GAP: u64 = 64 << 20;
/// This limit on platforms of hundreds of nodes, which are read, and whose answers are written, without a look.
/// Measured: 0.3 s of CPU.
const LARGE_GAP: u64 = 256 << 20;
/// Shapes that are of one size.
const SAME: [&str; 3] = ["", "box", "star-200"];
/// Looks after a time limit. Fact: half a second and a tenth of the limit, as the help of `--time-limit` has it.
const LATE: u64 = 500;
/// The limits of the runs: looks, and bytes above those allocated before the command. Trades time for long searches.
/// Measured: unlimited looks take 30 s of CPU for one program on a star of 200.
const LIMITS: [Limited; 4] = [
    Limited {
        looks: 1,
        bytes: None,
    },
    Limited {
        looks: 400,
        bytes: None,
    },
    Limited {
        looks: 1000,
        bytes: Some(8 << 20),
    },
    Limited {
        looks: 1000,
        bytes: Some(32 << 20),
    },
];

/// One command at a time is counted, without the bytes of other tests.
pub static TURN: Mutex<()> = Mutex::new(());

/// Looks and bytes of a run.
#[derive(Debug, Default)]
struct Taken {
    /// Most bytes allocated between two looks.
    gap: u64,
    /// Most bytes at a time.
    peak: u64,
    looks: u64,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
struct Limited {
    looks: u64,
    bytes: Option<u64>,
}

/// Gives the commands this watch, in place of the one over their options.
fn replace(watch: Option<Watch>) {
    if let Ok(mut replaced) = REPLACED.lock() {
        *replaced = watch;
    }
}

/// Runs a command on one thread, all of whose allocations are counted.
fn taken(line: &str, limited: Limited) -> Result<Taken> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let arguments = Arguments::try_parse_from(line.split_whitespace())?;
    static LAST: AtomicU64 = AtomicU64::new(0);
    static MOST: AtomicU64 = AtomicU64::new(0);
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    fn look() -> u64 {
        let made = ALLOCATOR.total_allocated() as u64;
        let gap = made - LAST.swap(made, Relaxed);
        MOST.fetch_max(gap, Relaxed);
        LOOKS.fetch_add(1, Relaxed)
    }
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    LAST.store(ALLOCATOR.total_allocated() as u64, Relaxed);
    MOST.store(0, Relaxed);
    LOOKS.store(0, Relaxed);
    let left = move || {
        let looks = look();
        let live = PeakAlloc.current_usage().saturating_sub(before) as u64;
        Left {
            time: Some(Duration::from_millis(limited.looks.saturating_sub(looks))),
            bytes: limited.bytes.map(|all| all.saturating_sub(live)),
            ..Left::default()
        }
    };
    replace(Some(Watch::new(left)));
    let ended = pool.install(|| arguments.command.run());
    look();
    replace(None);
    if let Err(error) = ended {
        // A limit is named, and nothing else is wrong.
        let said = format!("{error:#}");
        ensure!(
            said.contains("limit") || said.contains("ended by"),
            "{said}"
        );
    }
    Ok(Taken {
        gap: MOST.load(Relaxed),
        peak: PeakAlloc.peak_usage().saturating_sub(before) as u64,
        looks: LOOKS.load(Relaxed),
    })
}

/// Platforms of every kind.
fn shapes(folder: &Path, large: bool) -> Result<BTreeMap<&'static str, String>> {
    let drawn = Options {
        seed: 3,
        link_cost: Costs::Uniform { low: 1, high: 999 },
        compute: Costs::Uniform { low: 1, high: 999 },
    };
    let alike = Options::default();
    let racks = |racks, hosts, model| {
        let shape = Racks {
            racks,
            hosts: (hosts, hosts),
            spines: 2,
            model,
            ..Racks::default()
        };
        generate::racks(&shape, &drawn)
    };
    let few = |many: usize, few: usize| if large { many } else { few };
    let quick = ["star", "ports", "box"];
    let all: [(&str, Platform); 8] = [
        (
            "star",
            generate::star(few(600, 100), &alike)?.with_model(PortModel::Links),
        ),
        (
            "star-200",
            generate::star(200, &alike)?.with_model(PortModel::Links),
        ),
        ("clique", generate::complete(few(32, 16), &drawn)?),
        ("racks", racks(few(6, 4), few(16, 10), PortModel::Links)?),
        ("ports", racks(4, few(20, 8), PortModel::FullDuplex)?),
        ("half", racks(3, few(12, 6), PortModel::HalfDuplex)?),
        ("torus", generate::torus(&[few(8, 6), 6])?),
        ("box", generate::dgx1()?),
    ];
    all.into_iter()
        .filter(|(name, _)| large || quick.contains(name))
        .map(|(name, platform)| {
            let path = folder.join(format!("{name}.toml"));
            std::fs::write(&path, write_platform(&platform, PlatformFormat::Toml)?)?;
            Ok((name, path.display().to_string()))
        })
        .collect()
}

/// The commands without limits, and why they need none.
const WITHOUT: [(&str, &str); 10] = [
    ("batch", "each question has limits of its own"),
    (
        "reduce homogeneous",
        "no search: logarithmic in the number of values, linear in what it lists",
    ),
    ("show", "lists no period above a fixed number of tasks"),
    ("convert", "linear in the file"),
    ("generate", "linear in the platform"),
    ("inspect", "linear in the file"),
    ("export", "linear in the plan"),
    ("check", "linear in the file"),
    ("completions", "a fixed text"),
    ("man", "fixed texts"),
];

/// Senders for which the referee, without limits, tries as many states as it ever does.
const LONG: &str =
    "--times 931,822,713,604,595,486,377,268,159,140,131,122,113,104,95,86,77,68,59,50,41,32";

/// The commands with limits, and the questions of each. `@` stands for the platform, `%` for the folder.
const WITH: [(&str, &[&str]); 11] = [
    (
        "solve",
        &[
            "scan --platform @",
            "all-reduce --commutative --platform @",
            "reduce-scatter --platform @",
            "all-gather --platform @",
            "all-to-all --whole-messages --platform @",
            "barrier --work 0 --platform @",
        ],
    ),
    (
        "compare",
        &[
            "all-gather --platform @",
            "all-reduce --commutative --size 1 --platform @",
            "all-to-all --platform @",
        ],
    ),
    (
        "time",
        &[
            "all-to-all --size 1 --platform @",
            "all-gather --size 1 --platform @",
            "all-reduce --commutative --size 1 --platform @",
        ],
    ),
    (
        "reduce heterogeneous",
        &["--times 931,822,713,604,595,486,377,268,159,140", LONG],
    ),
    ("verify", &["%/long.json"]),
    (
        "run",
        &[
            "%/long.json --until 1000000",
            "%/long.json --instances 5000",
        ],
    ),
    (
        "whatif",
        &[
            "all-gather --platform @",
            "all-reduce --commutative --platform @",
        ],
    ),
    (
        "extract",
        &["%/rates.json --platform %/pair.toml -o %/extracted.json"],
    ),
    ("rings", &["%/box.toml"]),
    ("bound", &["@", "@ all-reduce", "@ all-to-all", "@ scan"]),
    (
        "program",
        &[
            "sspa2a --platform @ -o %/a.lp",
            "ssr --target FIRST --platform @ -o %/a.lp",
            "sssp --source FIRST --platform @ -o %/a.lp",
            "broadcast --source FIRST --platform @ -o %/a.lp",
            "p --source FIRST --platform @ -o %/a.lp",
            "d --source FIRST --platform @ -o %/a.lp",
            "p-prime --source FIRST --platform @ -o %/a.lp",
        ],
    ),
];

/// Refusals that are no answer about limits. Scans have a most size, the papers' programs are of some platforms, and
/// p-prime is of a plan whose schedule attains its bound, which a limit may prevent.
const REFUSED: [&str; 5] = [
    "partial results with a price",
    "rows describe",
    "are enumerated",
    "replicates = false",
    "ask for the exact period",
];

/// A question whose runs are beyond their limits.
struct Known {
    command: &'static str,
    question: &'static str,
    shapes: &'static [&'static str],
    /// Limit on the looks beyond [`LATE`].
    looks: u64,
    /// Limit on the bytes between two looks or above the memory limit. 0 for the general limit.
    bytes: u64,
    /// The reason.
    #[allow(dead_code)]
    why: &'static str,
}

/// Limits that questions on large platforms do not keep.
///
/// Not asked, because it takes minutes: `solve reduce-scatter` on a star of 3000 with a time limit. The referee prices
/// trees without a watch if a certificate has inequalities, and these are of some demands only.
const KNOWN: [Known; 5] = [
    Known {
        command: "solve",
        question: "scan --platform @",
        shapes: &["star-200"],
        looks: 0,
        bytes: 150_000_000,
        why: "demands times nodes up to 65,536 are checked without a watch; a scan takes 2.9 s of CPU here",
    },
    Known {
        command: "bound",
        question: "@ scan",
        shapes: &["star-200"],
        looks: 0,
        bytes: 150_000_000,
        why: "as `solve scan`",
    },
    Known {
        command: "verify",
        question: "%/long.json",
        shapes: &[""],
        looks: 0,
        bytes: 300_000_000,
        why: "a plan is read, and up to 100,000 transfers are executed, without a watch: 0.6 s of CPU",
    },
    Known {
        command: "whatif",
        question: "all-gather --platform @",
        shapes: &["clique", "ports", "racks"],
        looks: 4000,
        bytes: 0,
        why: "each link and node has a watch of its own, which looks after the limit",
    },
    Known {
        command: "whatif",
        question: "all-reduce --commutative --platform @",
        shapes: &["clique", "ports", "racks"],
        looks: 4000,
        bytes: 0,
        why: "as for all-gather",
    },
];

/// All commands without subcommands, by their names.
fn commands() -> BTreeMap<String, clap::Command> {
    fn add(command: clap::Command, before: &str, all: &mut BTreeMap<String, clap::Command>) {
        let under: Vec<clap::Command> = command.get_subcommands().cloned().collect();
        if under.is_empty() {
            all.insert(before.to_string(), command);
            return;
        }
        for one in under {
            let name = format!("{before} {}", one.get_name());
            add(one, name.trim(), all);
        }
    }
    let mut all = BTreeMap::new();
    add(Arguments::command(), "", &mut all);
    all
}

/// A new command has to be put into one of the lists.
#[test]
fn every_command_has_limits_or_a_reason() {
    for (name, command) in commands() {
        let has = |long: &str| {
            command
                .get_arguments()
                .any(|one| one.get_long() == Some(long))
        };
        assert_eq!(has("time-limit"), has("memory-limit"), "{name}");
        let begins = |known: &str| name == known || name.starts_with(&format!("{known} "));
        let listed = WITH.iter().any(|(known, _)| begins(known));
        let reason = WITHOUT.iter().any(|(known, _)| begins(known));
        assert!(
            has("time-limit") == listed && listed != reason,
            "'{name}': give it limits and its questions in WITH, or a reason in WITHOUT"
        );
    }
}

/// Plans and rates that the commands read.
fn files(folder: &Path, large: bool) -> Result<()> {
    let ask = |line: String| {
        let arguments = Arguments::try_parse_from(line.split_whitespace())?;
        arguments.command.run().with_context(|| line)
    };
    let folder = folder.display();
    let period = if large { 90_000 } else { 5000 };
    let pair = "format = \"oneport-platform/1\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }]\n\
                link = [{ from = \"a\", to = \"b\", cost = 1 }]\n";
    std::fs::write(format!("{folder}/pair.toml"), pair)?;
    ask(format!(
        "oneport solve scatter --source a --targets b --platform {folder}/pair.toml --period {period} -o {folder}/long.json"
    ))?;
    let rates = r#"{"format": "oneport-rates/1", "collective": {"name": "scatter", "source": "a", "targets": ["b"]},
                    "size": "1", "throughput": "1", "sends": [{"from": "a", "to": "b", "rate": "1"}]}"#;
    std::fs::write(format!("{folder}/rates.json"), rates)?;
    Ok(())
}

/// Runs every question under every limit. If not `large`, the first question of each command on small platforms.
/// Returns the excesses that are not in [`KNOWN`], and the entries of [`KNOWN`] without an excess.
fn broken(large: bool) -> Result<Vec<String>> {
    let _turn = TURN.lock();
    let folder = tempfile::tempdir()?;
    let platforms = shapes(folder.path(), large)?;
    files(folder.path(), large)?;
    let (mut broken, mut known) = (Vec::new(), BTreeSet::new());
    let mut runs = 0;
    for (command, questions) in WITH {
        let asked = if large { questions.len() } else { 1 };
        for question in questions.iter().take(asked) {
            let once = BTreeMap::from([("", String::new())]);
            let of = if question.contains('@') {
                &platforms
            } else {
                &once
            };
            for (shape, path) in of {
                if *shape == "star-200" && !question.contains("scan") {
                    continue;
                }
                let line = format!("oneport {command} {question}")
                    .replace('@', path)
                    .replace('%', &folder.path().display().to_string())
                    .replace("FIRST", &first(path)?);
                let entry = KNOWN.iter().position(|known| {
                    (known.command, known.question) == (command, *question)
                        && known.shapes.contains(shape)
                });
                let grown = large && !SAME.contains(shape);
                let most = if grown { LARGE_GAP } else { GAP };
                for limited in LIMITS {
                    runs += 1;
                    let what = format!("{command} {question} on '{shape}', {limited:?}");
                    match (beyond(&line, limited, most), entry) {
                        (Ok((0, 0)), _) => {}
                        (Ok((looks, bytes)), Some(entry))
                            if looks <= KNOWN[entry].looks && bytes <= KNOWN[entry].bytes =>
                        {
                            known.insert(entry);
                        }
                        (Ok((looks, bytes)), _) => broken.push(format!(
                            "{what}: {looks} looks late, {bytes} bytes between looks or above the limit"
                        )),
                        (Err(error), _) => broken.push(format!("{what}: {error:#}")),
                    }
                }
            }
        }
    }
    let all = (0..KNOWN.len()).filter(|_| large);
    broken.extend(all.filter(|entry| !known.contains(entry)).map(|entry| {
        let Known {
            command, question, ..
        } = KNOWN[entry];
        format!("{command} {question} keeps its limits: take it out of KNOWN")
    }));
    println!(
        "{runs} runs, {} questions beyond their limits are known",
        known.len()
    );
    Ok(broken)
}

/// The name of a platform's first processor.
fn first(path: &str) -> Result<String> {
    if path.is_empty() {
        return Ok(String::new());
    }
    let platform = oneport::files::read_platform(Path::new(path))?;
    let node = platform.processors().next().context("no processor")?;
    Ok(platform.name(node).to_string())
}

/// The excess of a run over its limits: looks, and bytes. 0 if it keeps them.
fn beyond(line: &str, limited: Limited, most: u64) -> Result<(u64, u64)> {
    let taken = match taken(line, limited) {
        Err(error) if REFUSED.iter().any(|why| error.to_string().contains(why)) => {
            return Ok((0, 0));
        }
        taken => taken?,
    };
    let late = limited.looks + limited.looks / 10 + LATE;
    let above = taken.peak.saturating_sub(limited.bytes.unwrap_or(u64::MAX));
    let bytes = taken.gap.max(above);
    let over = if bytes > most { bytes } else { 0 };
    Ok((taken.looks.saturating_sub(late), over))
}

#[test]
fn limits_are_kept() {
    let broken = broken(false).unwrap();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// An all-reduce of many hosts: large columns, bounds of all pairs, graphs of many tasks.
#[test]
fn the_time_of_a_large_all_reduce_keeps_its_limits() -> Result<()> {
    let _turn = TURN.lock();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("star.toml");
    let star = generate::star(160, &Options::default())?.with_model(PortModel::Links);
    std::fs::write(&path, write_platform(&star, PlatformFormat::Toml)?)?;
    let path = path.display();
    let line = format!("oneport time all-reduce --commutative --size 1 --platform {path}");
    for limited in LIMITS {
        assert_eq!(beyond(&line, limited, GAP)?, (0, 0), "{limited:?}");
    }
    Ok(())
}

#[test]
#[ignore = "long: all questions, on platforms of hundreds of nodes"]
fn limits_are_kept_on_large_platforms() {
    let broken = broken(true).unwrap();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
