//! `cargo xtask mpi`: the collective tests of mpi4py and MPICH, with and without the drop-in library.
//!
//! Both were written by others and know nothing of plans. A test that passes plainly must pass behind the library; one
//! that fails plainly says nothing. mpi4py's come with its source package, fetched with pip; MPICH's from an unpacked
//! source that `--mpich` names. All is built in `target/mpi`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::setup::mpi::Mpi;
use crate::{setup, workspace};

/// Which tests.
#[derive(Args)]
pub struct Arguments {
    /// Ranks of mpi4py's tests
    #[arg(long, default_value_t = 4)]
    ranks: usize,
    /// An unpacked source of MPICH: its test/mpi/coll is run too
    #[arg(long, value_name = "FOLDER")]
    mpich: Option<PathBuf>,
    /// A oneport that is built already (default: it is built)
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Plans are made for these numbers of ranks.
const RANKS: std::ops::RangeInclusive<usize> = 2..=8;
/// Every collective that MPI has, with the options that name its one end and the others.
const COLLECTIVES: [(&str, &str, &str); 9] = [
    ("scatter", "--source", "--targets"),
    ("gather", "--target", "--participants"),
    ("broadcast", "--source", "--targets"),
    ("reduce", "--target", "--participants"),
    ("all-gather", "", "--participants"),
    ("all-to-all", "", "--participants"),
    ("reduce-scatter", "", "--participants"),
    ("all-reduce", "", "--participants"),
    ("scan", "", "--participants"),
];
/// The package, and the modules of its tests that call collectives.
const PACKAGE: &str = "mpi4py";
const MODULES: [&str; 2] = ["test_cco", "test_op"];
/// Seconds for one program.
const PATIENCE: &str = "300";

/// An MPI with our library for it.
struct Bench {
    mpi: Mpi,
    folder: PathBuf,
    /// Makes waiting ranks sleep if the MPI cannot.
    patience: Option<PathBuf>,
    library: PathBuf,
}

/// Outcomes of tests: plain and behind the library.
#[derive(Default)]
struct Count {
    both: usize,
    neither: usize,
    library_only: usize,
    plain_only: Vec<String>,
    served: usize,
}

impl Count {
    fn add(&mut self, name: String, plain: bool, behind: bool) {
        match (plain, behind) {
            (true, true) => self.both += 1,
            (false, false) => self.neither += 1,
            (false, true) => self.library_only += 1,
            (true, false) => self.plain_only.push(name),
        }
    }
}

/// Runs both suites under each of the two libraries that exists.
///
/// # Errors
/// A test passes plainly and fails behind the library, or something does not build.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = workspace::target()?.join("mpi");
    fs::create_dir_all(&folder)?;
    let source = drop_in(arguments, &folder)?;
    let mut wrong = Vec::new();
    for mpi in setup::mpi::provide()? {
        let bench = Bench::new(mpi, &folder, &source)?;
        let mut suites = vec![("mpi4py", bench.mpi4py(arguments.ranks)?)];
        if let Some(tests) = &arguments.mpich {
            suites.push(("MPICH's coll", bench.mpich(&tests.join("test/mpi"))?));
        }
        for (suite, count) in suites {
            eprintln!(
                "{}, {suite}: {} pass both ways, {} neither, {} behind the library only, {} plainly only; {} calls served",
                bench.mpi.name,
                count.both,
                count.neither,
                count.library_only,
                count.plain_only.len(),
                count.served
            );
            if count.served == 0 {
                bail!("{}, {suite}: no call reached the library", bench.mpi.name);
            }
            wrong.extend(
                count
                    .plain_only
                    .into_iter()
                    .map(|test| format!("{}: {test}", bench.mpi.name)),
            );
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        bail!("fail behind the library only:\n{}", wrong.join("\n"))
    }
}

/// The library's source: plans of every collective for 2 to 8 ranks on random platforms.
fn drop_in(arguments: &Arguments, folder: &Path) -> Result<PathBuf> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => {
            setup::run()?;
            workspace::run(workspace::cargo(&["build", "--package", "oneport-cli"])?)?;
            workspace::target()?.join("debug/oneport")
        }
    };
    let oneport = || Command::new(&program);
    let (mut plans, mut thresholds) = (Vec::new(), Vec::new());
    for ranks in RANKS {
        // A separate platform: on a larger one other nodes would forward and be ranks.
        let platform = folder.join(format!("{ranks}.json"));
        let mut generate = oneport();
        generate.args([
            "generate",
            "complete",
            "--compute",
            "1..3",
            "--seed",
            "7",
            "--nodes",
            &ranks.to_string(),
            "-o",
        ]);
        good(generate.arg(&platform))?;
        let members = names(&fs::read_to_string(&platform)?)?;
        for (collective, end, others) in COLLECTIVES {
            let plan = folder.join(format!("{ranks}-{collective}.json"));
            let mut solve = oneport();
            solve
                .args([
                    "solve",
                    collective,
                    "--time-limit",
                    "5",
                    "--max-instances",
                    "4",
                    "--platform",
                ])
                .arg(&platform);
            // Messages that only move have their one end by another option.
            let named = if ["scatter", "gather", "broadcast"].contains(&collective) {
                &members[1..]
            } else {
                &members[..]
            };
            solve.args([others, &named.join(","), "-o"]).arg(&plan);
            if !end.is_empty() {
                solve.args([end, &members[0]]);
            }
            good(&mut solve)?;
            plans.push(plan);
            thresholds.push("0");
        }
    }
    let source = folder.join("drop-in.c");
    let mut export = oneport();
    export
        .arg("export")
        .args(&plans)
        .arg(&source)
        .args(["--to", "mpi-preload"]);
    good(export.args(["--at-least", &thresholds.join(",")]))?;
    Ok(source)
}

/// The names of the processors of a platform file.
fn names(text: &str) -> Result<Vec<String>> {
    let platform: serde_json::Value = serde_json::from_str(text)?;
    let nodes = platform["node"]
        .as_array()
        .context("the platform has no nodes")?;
    let processors = nodes.iter().filter(|node| !node["compute"].is_null());
    Ok(processors
        .filter_map(|node| Some(node["name"].as_str()?.to_string()))
        .collect())
}

impl Bench {
    fn new(mpi: Mpi, folder: &Path, source: &Path) -> Result<Bench> {
        let folder = folder.join(mpi.name);
        fs::create_dir_all(&folder)?;
        let compiled = |source: &Path, name: &str| -> Result<PathBuf> {
            let library = folder.join(name);
            let mut compile = Command::new(&mpi.compiler);
            good(
                compile
                    .args(["-O1", "-shared", "-fPIC"])
                    .arg(source)
                    .arg("-o")
                    .arg(&library),
            )?;
            Ok(library)
        };
        let patience = workspace::root()?.join("doors/exports/tests/it/mpi/patient.c");
        let patience = (mpi.name == "mpich")
            .then(|| compiled(&patience, "libpatient.so"))
            .transpose()?;
        let library = compiled(source, "liboneport.so")?;
        Ok(Bench {
            mpi,
            folder,
            patience,
            library,
        })
    }

    /// Runs a program plainly or behind the library, at most for a time.
    fn run(&self, ranks: usize, behind: bool, program: &[&str], folder: &Path) -> Result<Output> {
        let mut run = Command::new("timeout");
        run.arg(PATIENCE)
            .arg(&self.mpi.launcher)
            .args(["-np", &ranks.to_string()])
            .current_dir(folder);
        let preload = behind
            .then_some(&self.library)
            .into_iter()
            .chain(&self.patience);
        let preload: Vec<String> = preload
            .map(|library| library.display().to_string())
            .collect();
        let preload = preload.join(":");
        if self.mpi.name == "openmpi" {
            run.arg("--oversubscribe")
                .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
            run.env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            run.args(["-x", &format!("LD_PRELOAD={preload}")]);
        } else {
            run.args(["-genv", "LD_PRELOAD", &preload]);
        }
        Ok(run
            .args(program)
            .env("ONEPORT_REPORT", "1")
            .stdin(std::process::Stdio::null())
            .output()?)
    }

    /// mpi4py's tests. All ranks write at once, so failures and counts are read from unittest's summary: `Ran N tests`,
    /// `OK`, `FAIL: name (module.Class)`.
    fn mpi4py(&self, ranks: usize) -> Result<Count> {
        let site = self.folder.join("python");
        let tests = setup::mpi::source(PACKAGE, &self.folder)?.join("test");
        setup::mpi::build(PACKAGE, &self.mpi, &site)?;
        let mut arguments = vec!["env".to_string(), format!("PYTHONPATH={}", site.display())];
        arguments.extend(["python3", "main.py"].map(str::to_string));
        arguments.extend(
            MODULES
                .iter()
                .flat_map(|module| ["-i".to_string(), module.to_string()]),
        );
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut count = Count::default();
        let mut failed: [BTreeSet<String>; 2] = Default::default();
        for (failed, behind) in failed.iter_mut().zip([false, true]) {
            let output = self.run(ranks, behind, &arguments, &tests)?;
            let said = said(&output);
            count.served += served(&said);
            let named = said
                .lines()
                .filter_map(|line| line.strip_prefix("FAIL: ").or(line.strip_prefix("ERROR: ")));
            failed.extend(named.map(str::to_string));
            // A rank may die without naming a test, and so may all.
            if failed.is_empty()
                && (!output.status.success() || said.matches("\nOK").count() < ranks)
            {
                failed.insert("the whole run".to_string());
            }
            let number = |line: &str| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok();
            count.both = count
                .both
                .max(said.lines().filter_map(number).max().unwrap_or(0));
        }
        let [plain, behind] = failed;
        count.both = count.both.saturating_sub(plain.union(&behind).count());
        for test in plain.union(&behind) {
            count.add(test.clone(), !plain.contains(test), !behind.contains(test));
        }
        Ok(count)
    }

    /// MPICH's tests: the lines of its list without devices and with at most eight ranks.
    fn mpich(&self, tests: &Path) -> Result<Count> {
        let list = fs::read_to_string(tests.join("coll/testlist.in"))
            .with_context(|| format!("{} holds no coll/testlist.in", tests.display()))?;
        let shared = self.shared(tests)?;
        let mut count = Count::default();
        let mut programs: BTreeMap<&str, Option<PathBuf>> = BTreeMap::new();
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (Some(name), Some(ranks)) = (
                words.next(),
                words.next().and_then(|ranks| ranks.parse().ok()),
            ) else {
                continue;
            };
            let rest: Vec<&str> = words.collect();
            let left_out = ["memtype", "env=", "timeLimit", "strict=false"];
            if ranks > *RANKS.end()
                || rest
                    .iter()
                    .any(|word| left_out.iter().any(|it| word.contains(it)))
            {
                continue;
            }
            let program = programs
                .entry(name)
                .or_insert_with(|| self.compiled(tests, name, &shared).ok());
            let Some(program) = program else { continue };
            let program = program.display().to_string();
            let arguments: Vec<&str> = [program.as_str()]
                .into_iter()
                .chain(rest.iter().filter_map(|word| word.strip_prefix("arg=")))
                .collect();
            let mut passed = [false; 2];
            for behind in [false, true] {
                let said = said(&self.run(ranks, behind, &arguments, &self.folder)?);
                passed[usize::from(behind)] = said.contains("No Errors");
                count.served += served(&said);
            }
            count.add(line.to_string(), passed[0], passed[1]);
        }
        let missing = programs
            .values()
            .filter(|program| program.is_none())
            .count();
        eprintln!(
            "{}: {} programs of MPICH's tests compiled, {missing} not",
            self.mpi.name,
            programs.len() - missing
        );
        Ok(count)
    }

    /// One test of MPICH with the settings that all share.
    fn compiled(&self, tests: &Path, name: &str, shared: &Path) -> Result<PathBuf> {
        let program = self.folder.join(name);
        let source = tests.join("coll").join(format!("{name}.c"));
        let mut compile = self.compile(tests);
        good(
            compile
                .arg(source)
                .arg(shared)
                .args(["-lm", "-lpthread", "-o"])
                .arg(&program),
        )?;
        Ok(program)
    }

    /// An archive of the code that MPICH's tests share, with a `main` for tests that lack one.
    fn shared(&self, tests: &Path) -> Result<PathBuf> {
        for (header, text) in [
            ("mpitestconf.h", configuration()),
            ("dtpoolsconf.h", configuration()),
            ("mtest_mpix.h", String::new()),
        ] {
            fs::write(self.folder.join(header), text)?;
        }
        fs::create_dir_all(self.folder.join(BELOW))?;
        let mut sources: Vec<PathBuf> = [
            "mtest",
            "mtest_common",
            "mtest_single",
            "dtypes",
            "run_mpitests",
        ]
        .iter()
        .map(|file| tests.join("util").join(format!("{file}.c")))
        .collect();
        for entry in fs::read_dir(tests.join("dtpools/src"))? {
            sources.push(entry?.path());
        }
        sources.retain(|source| source.extension().is_some_and(|extension| extension == "c"));
        let archive = self.folder.join("shared.a");
        let mut pack = Command::new("ar");
        pack.arg("rcs").arg(&archive);
        for source in &sources {
            let object = self
                .folder
                .join(source.file_name().unwrap_or_default())
                .with_extension("o");
            good(
                self.compile(tests)
                    .arg("-c")
                    .arg(source)
                    .arg("-o")
                    .arg(&object),
            )?;
            pack.arg(object);
        }
        good(&mut pack)?;
        Ok(archive)
    }

    /// A call of the compiler with the folders of headers.
    fn compile(&self, tests: &Path) -> Command {
        let mut compile = Command::new(&self.mpi.compiler);
        compile
            .args(["-O0", "-w", "-I"])
            .arg(&self.folder)
            .arg("-I")
            .arg(self.folder.join(BELOW));
        for include in ["include", "dtpools/include", "coll"] {
            compile.arg("-I").arg(tests.join(include));
        }
        compile
    }
}

/// A folder below the headers, for sources that include "../dtpoolsconf.h".
const BELOW: &str = "below";
/// The features that MPICH's configure finds on any machine of today.
const FOUND: [&str; 14] = [
    "STRING_H",
    "UNISTD_H",
    "STDLIB_H",
    "STDARG_H",
    "SYS_TYPES_H",
    "SYS_TIME_H",
    "SYS_RESOURCE_H",
    "GETRUSAGE",
    "USLEEP",
    "LONG_LONG",
    "LONG_DOUBLE",
    "STDINT_H",
    "INTTYPES_H",
    "PTHREAD_H",
];

/// The header that MPICH's configure would write.
fn configuration() -> String {
    let found: String = FOUND
        .iter()
        .map(|name| format!("#define HAVE_{name} 1\n"))
        .collect();
    found
        + "#define STDC_HEADERS 1\n#define THREAD_PACKAGE_POSIX 1\n#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n\
           #define MTEST_THREAD_PACKAGE_NAME 2\n#define MPI_AINT_FMT_DEC_SPEC \"%ld\"\n\
           #define MPI_AINT_FMT_HEX_SPEC \"%lx\"\n"
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

/// The calls that the library's report counts as served.
fn served(said: &str) -> usize {
    let lines = said.lines().filter(|line| line.starts_with("oneport: "));
    let number = |line: &str| {
        line.split(" calls served")
            .next()?
            .rsplit(' ')
            .next()?
            .parse::<usize>()
            .ok()
    };
    lines
        .filter(|line| line.contains(" calls served"))
        .filter_map(number)
        .sum()
}

/// Runs a command that must end well.
fn good(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {}", workspace::describe(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", workspace::describe(command), said(&output));
    }
    Ok(())
}
