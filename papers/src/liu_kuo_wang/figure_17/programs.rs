//! The same reductions by a C program: in SimGrid, under SMPI, and with the installed MPI libraries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::model::{Operator, Question, RANKS, SPEEDS, TICKS, Tree, class};
use crate::rows;

/// Ticks per nanosecond.
const NANOSECOND: f64 = TICKS / 1e9;

/// Name of `MPI_Reduce` among trees.
pub const LIBRARY: &str = "library";

/// `MPI_Reduce` with MPI's own operator, which the paper calls for MAX; among trees, without messages. Libraries may
/// use other algorithms for it than for a user's operator.
pub const BUILTIN: &str = "builtin";

/// Seconds at the root, by reduction and tree.
pub type Answers = BTreeMap<(Question, String), f64>;

/// Reductions, each with its trees by name; `MPI_Reduce` comes besides.
pub type Requests = Vec<(Question, Vec<(&'static str, Tree)>)>;

/// How SMPI's `MPI_Reduce` goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// A binomial tree, as MPICH did first.
    Binomial,
    /// MPICH's choice today.
    Mpich,
    /// Open MPI's choice.
    OpenMpi,
    /// All ranks send to the root: SMPI's default.
    Flat,
}

impl Choice {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Binomial => "binomial",
            Choice::Mpich => "MPICH's choice",
            Choice::OpenMpi => "Open MPI's choice",
            Choice::Flat => "flat",
        }
    }

    fn option(self) -> Option<&'static str> {
        match self {
            Choice::Binomial => Some("--cfg=smpi/reduce:binomial"),
            Choice::Mpich => Some("--cfg=smpi/coll-selector:mpich"),
            Choice::OpenMpi => Some("--cfg=smpi/coll-selector:ompi"),
            Choice::Flat => None,
        }
    }
}

/// How SMPI's messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// Latency and bytes, one message per port at a time, sender and receiver both busy until it has come.
    OnePort,
    /// SMPI's own: factors by message length, small messages leave at once, ports share their bandwidth.
    Default,
}

const COMMON: [&str; 5] = [
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/host-speed:1Gf",
    "--cfg=smpi/wtime:0",
    "--cfg=surf/precision:1e-12",
    "--log=root.thresh:warning",
];
const ONE_PORT: [&str; 13] = [
    "--cfg=network/model:CM02",
    "--cfg=network/bandwidth-factor:1",
    "--cfg=network/latency-factor:1",
    "--cfg=network/weight-S:0",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/os:0:0:0",
    "--cfg=smpi/or:0:0:0",
    "--cfg=smpi/ois:0:0:0",
    "--cfg=smpi/send-is-detached-thresh:0",
    "--cfg=maxmin/concurrency-limit:1",
];

/// A folder for programs and their inputs. It is removed at the end.
pub struct Bench {
    folder: PathBuf,
}

impl Bench {
    /// A new folder of that name under `target`.
    pub fn new(name: &str) -> Result<Bench> {
        let folder = rows::root().join(format!("target/figure-17-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let bench = Bench { folder };
        bench.file("reduce.c", include_str!("reduce.c"))?;
        Ok(bench)
    }

    fn file(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Compiles the program. `None`, and a printed line, if the compiler is missing.
    pub fn compile(&self, compiler: &str, package: &str) -> Result<Option<String>> {
        if Command::new(compiler).arg("--version").output().is_err() {
            eprintln!(
                "figure 17: skipped with {compiler}, which is not installed (Debian: {package})"
            );
            return Ok(None);
        }
        let program = format!("./{compiler}.out");
        self.run(Command::new(compiler).args(["-O2", "reduce.c", "-o", &program]))?;
        Ok(Some(program))
    }

    /// Output of a command.
    fn run(&self, command: &mut Command) -> Result<String> {
        let output = command
            .current_dir(&self.folder)
            .output()
            .with_context(|| format!("cannot run {command:?}"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(
            output.status.success(),
            "{command:?}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(said)
    }

    /// All reductions in a simulation.
    pub fn simulated(
        &self,
        program: &str,
        requests: &Requests,
        network: Network,
        choice: Choice,
    ) -> Result<Answers> {
        self.file("requests", &text(requests))?;
        self.file(
            "hosts",
            &(0..RANKS)
                .map(|rank| format!("h{rank}\n"))
                .collect::<String>(),
        )?;
        self.file("platform.xml", &platform())?;
        let mut command = Command::new("smpirun");
        command
            .args([
                "-np",
                &RANKS.to_string(),
                "-hostfile",
                "hosts",
                "-platform",
                "platform.xml",
            ])
            .args(COMMON);
        command
            .args(if network == Network::OnePort {
                &ONE_PORT[..]
            } else {
                &[]
            })
            .args(choice.option());
        command.env("TMPDIR", &self.folder);
        answers(
            requests,
            &self.run(command.args([program, "requests", "1"]))?,
        )
    }

    /// All reductions with a library: the medians of `runs` runs.
    pub fn measured(
        &self,
        program: &str,
        launcher: &str,
        requests: &Requests,
        runs: usize,
    ) -> Result<Answers> {
        self.file("requests", &text(requests))?;
        let mut command = Command::new(launcher);
        if launcher.ends_with("openmpi") {
            command.arg("--oversubscribe");
            command
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        command.args([
            "-np",
            &RANKS.to_string(),
            program,
            "requests",
            &runs.to_string(),
        ]);
        answers(requests, &self.run(&mut command)?)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // A folder that remains does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Input of the program. The first reduction absorbs the library's start-up.
fn text(requests: &Requests) -> String {
    let mut text = String::new();
    for operator in Operator::ALL {
        let cost =
            |rank| (SPEEDS[class(rank)].merge[operator as usize] as f64 / NANOSECOND).to_string();
        let costs: Vec<String> = (0..RANKS).map(cost).collect();
        let _ = writeln!(text, "merge {} {}", operator.name(), costs.join(" "));
    }
    let _ = writeln!(text, "max 1 0 {LIBRARY}");
    for (question, trees) in requests {
        let Question {
            operator,
            values,
            root,
        } = question;
        let start = format!("{} {values} {root}", operator.name());
        let _ = writeln!(text, "{start} {LIBRARY}");
        for (name, tree) in trees {
            let messages: Vec<String> = tree
                .iter()
                .map(|(from, to)| format!("{from}>{to}"))
                .collect();
            let _ = writeln!(text, "{start} {name} {}", messages.join(" "));
        }
    }
    text
}

/// Output of the program, in the order of the requests.
fn answers(requests: &Requests, text: &str) -> Result<Answers> {
    let mut lines = text.lines().skip(1);
    let mut answers = Answers::new();
    for (question, trees) in requests {
        for name in std::iter::once(LIBRARY).chain(trees.iter().map(|(name, _)| *name)) {
            let Question {
                operator,
                values,
                root,
            } = question;
            let expected = format!("{} {values} {root} {name} ", operator.name());
            let line = lines
                .next()
                .with_context(|| format!("no answer to {expected}"))?;
            let Some(seconds) = line.strip_prefix(&expected) else {
                bail!("'{line}' instead of '{expected}'")
            };
            answers.insert(
                (*question, name.to_string()),
                seconds.parse().with_context(|| line.to_string())?,
            );
        }
    }
    ensure!(lines.next().is_none(), "more answers than requests");
    Ok(answers)
}

/// An outgoing message takes the latency and bandwidth of its host's processor. An incoming one takes no time.
fn platform() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n<zone id=\"cluster\" routing=\"Full\">\n",
    );
    for rank in 0..RANKS {
        let _ = writeln!(text, "<host id=\"h{rank}\" speed=\"1Gf\"/>");
    }
    for rank in 0..RANKS {
        let speed = SPEEDS[class(rank)];
        let (latency, bandwidth) = (speed.latency as f64 / TICKS, TICKS / speed.byte as f64);
        let _ = writeln!(
            text,
            "<link id=\"out{rank}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}s\"/>"
        );
        let _ = writeln!(
            text,
            "<link id=\"in{rank}\" bandwidth=\"1e12Bps\" latency=\"0s\"/>"
        );
    }
    for (from, to) in (0..RANKS)
        .flat_map(|from| (0..RANKS).map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
    {
        let _ = writeln!(
            text,
            "<route src=\"h{from}\" dst=\"h{to}\" symmetrical=\"NO\">\
             <link_ctn id=\"out{from}\"/><link_ctn id=\"in{to}\"/></route>"
        );
    }
    text.push_str("</zone>\n</platform>\n");
    text
}
