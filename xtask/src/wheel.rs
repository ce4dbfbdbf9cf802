//! `cargo xtask wheel`: builds the Python package, installs it without network, and tests it.
//!
//! ```text
//! target/setup/wheels    the packages of doors/python/requirements.txt, fetched once, each by its hash
//! target/setup/venv      an environment with all of them
//! target/wheel           the wheel; an environment that contains only the wheel; the record of a passed test
//! ```

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::setup::{self, tools};
use crate::workspace;

/// The options of `cargo xtask wheel`.
#[derive(Args)]
pub struct Arguments {
    /// Optimise for a release and include HiGHS (default: the profile of the tests and the HiGHS of the setup)
    #[arg(long)]
    release: bool,
    /// Arguments of pytest; if there are any, only pytest runs
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pytest: Vec<String>,
}

/// The variable that makes a machine without Python or without its tools an error, if it is `required`.
const CHOICE: &str = "ONEPORT_WHEEL";
/// The programs that may be a Python from 3.10 on, in the order in which they are tried.
const PYTHONS: [&str; 6] = [
    "python3",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
    "python",
];
/// Limit: bytes of the wheel.
const MOST_BYTES: u64 = 15_000_000;
/// Limit: processor time of an import.
const MOST_IMPORT: Duration = Duration::from_millis(100);
/// Time of all tests of the package. Trades a hang that is found late for slow machines. Measured: they take about two
/// minutes on two processors.
const MOST_TESTS: Duration = Duration::from_secs(900);

/// The folders.
struct Folders {
    door: PathBuf,
    notebooks: PathBuf,
    setup: PathBuf,
    built: PathBuf,
}

/// Builds and tests the wheel.
///
/// # Errors
/// The wheel does not build or is too large, or a test fails. The output was shown. Also a missing Python or missing
/// tools, if they are required.
pub fn run(arguments: &Arguments) -> Result<()> {
    setup::run()?;
    checked(arguments, false)
}

/// The step of `cargo xtask test`. If `quick`, a wheel that passed is not tested again.
///
/// # Errors
/// The errors of [`run`].
pub fn step(quick: bool) -> Result<()> {
    let arguments = Arguments {
        release: false,
        pytest: Vec::new(),
    };
    checked(&arguments, quick)
}

fn checked(arguments: &Arguments, quick: bool) -> Result<()> {
    let required = env::var(CHOICE).is_ok_and(|choice| choice == "required");
    let python = match python() {
        Ok(python) => python,
        Err(reason) if required => {
            bail!("the wheel is required by {CHOICE}, but there is {reason}")
        }
        Err(reason) => {
            eprintln!("wheel: skipped, {reason}");
            return Ok(());
        }
    };
    let root = workspace::root()?;
    let folders = Folders {
        door: root.join("doors/python"),
        notebooks: root.join("docs/notebooks"),
        setup: root.join("target/setup"),
        built: workspace::target()?.join("wheel"),
    };
    let tools = match folders.tools(&python) {
        Err(error) if !required => {
            eprintln!("wheel: skipped, {error:#}");
            return Ok(());
        }
        tools => tools?,
    };
    let wheel = folders.build(&tools, arguments.release)?;
    let command = command()?;
    let test = Test {
        folders: &folders,
        tools: &tools,
        wheel: &wheel,
        command: &command,
    };
    if !arguments.pytest.is_empty() {
        test.install(&tools)?;
        return test.pytest(&arguments.pytest);
    }
    let (passed, stamp) = (folders.built.join("passed"), test.stamp()?);
    if quick && fs::read_to_string(&passed).is_ok_and(|known| known == stamp) {
        eprintln!("wheel: unchanged since all its tests passed");
        return Ok(());
    }
    test.all(&python)?;
    fs::write(passed, stamp).context("cannot write target/wheel/passed")
}

/// A Python from 3.10 on.
///
/// # Errors
/// The reason, after "there is".
fn python() -> Result<PathBuf, String> {
    let mut found = Vec::new();
    for name in PYTHONS {
        let asked = Command::new(name)
            .args(["-c", "import sys, venv; print(sys.version_info >= (3, 10), sys.version.split()[0], sys.executable)"])
            .stderr(Stdio::null())
            .output();
        let Some(output) = asked.ok().filter(|output| output.status.success()) else {
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        match text.split_once(' ') {
            Some(("True", rest)) => {
                let path = rest.split_once(' ').map_or(name, |(_, path)| path);
                return Ok(PathBuf::from(path));
            }
            Some((_, rest)) => found.push(format!(
                "{name} is {}",
                rest.split(' ').next().unwrap_or_default()
            )),
            None => {}
        }
    }
    let found = if found.is_empty() {
        String::new()
    } else {
        format!(" ({})", found.join(", "))
    };
    Err(format!("no Python from 3.10 on{found}"))
}

/// The command `oneport`, which the tests compare with; compiled, if no test build has.
fn command() -> Result<PathBuf> {
    let command = workspace::target()?.join("debug/oneport");
    if !command.is_file() {
        workspace::run(workspace::cargo(&["build", "--package", "oneport-cli"])?)?;
    }
    Ok(command)
}

impl Folders {
    /// The environment with the tools: its Python.
    fn tools(&self, python: &Path) -> Result<PathBuf> {
        let (wheels, venv) = (self.setup.join("wheels"), self.setup.join("venv"));
        let requirements = self.door.join("requirements.txt");
        let wanted = fs::read_to_string(&requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        let stamp = format!("{}\n{wanted}", python.display());
        let known = fs::read_to_string(venv.join("stamp"));
        let program = venv.join("bin/python");
        if known.is_ok_and(|known| known == stamp) {
            return Ok(program);
        }
        eprintln!(
            "Fetching the tools of the Python package into {}",
            wheels.display()
        );
        let _ = fs::remove_dir_all(&venv);
        let mut make = Command::new(python);
        tools::finish(make.args(["-m", "venv"]).arg(&venv))?;
        let mut download = pip(&program, &["download", "--only-binary", ":all:", "--dest"]);
        download.arg(&wheels).arg("--require-hashes");
        tools::finish(download.arg("--requirement").arg(&requirements)).context(
            "the tools of the Python package cannot be fetched; the package index must be reachable once",
        )?;
        let mut install = pip(&program, &["install", "--no-index", "--find-links"]);
        install.arg(&wheels).arg("--require-hashes");
        tools::finish(install.arg("--requirement").arg(&requirements))?;
        fs::write(venv.join("stamp"), stamp).context("cannot write target/setup/venv/stamp")?;
        Ok(program)
    }

    /// Builds the wheel with maturin.
    fn build(&self, tools: &Path, release: bool) -> Result<PathBuf> {
        let out = self.built.join("dist");
        let _ = fs::remove_dir_all(&out);
        let mut maturin = Command::new(tools.with_file_name("maturin"));
        maturin
            .current_dir(&self.door)
            .args(["build", "--auditwheel", "skip", "--profile"])
            .arg(if release { "release" } else { "dev" })
            .arg("--out")
            .arg(&out);
        if release {
            // A wheel for other machines holds its HiGHS.
            let folder = serde_json::Value::from(setup::compiled()?.display().to_string());
            let settings = [
                format!("value={folder}"),
                "relative=false".to_string(),
                "force=true".to_string(),
            ];
            for setting in settings {
                maturin.args(["--config", &format!("env.HOST_PKG_CONFIG_PATH.{setting}")]);
            }
        }
        workspace::run(maturin)?;
        let files = fs::read_dir(&out).with_context(|| format!("cannot read {}", out.display()))?;
        let wheel = files
            .filter_map(|file| Some(file.ok()?.path()))
            .find(|path| path.extension().is_some_and(|kind| kind == "whl"));
        wheel.context("maturin wrote no wheel")
    }
}

/// A call of pip in an environment.
fn pip(python: &Path, arguments: &[&str]) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "--no-input", "--disable-pip-version-check"]);
    pip.args(arguments);
    pip.env("PIP_USER", "0").env("PIP_REQUIRE_VIRTUALENV", "0");
    pip
}

/// A wheel, and the tools of its tests.
struct Test<'a> {
    folders: &'a Folders,
    tools: &'a Path,
    wheel: &'a Path,
    command: &'a Path,
}

impl Test<'_> {
    fn all(&self, python: &Path) -> Result<()> {
        self.size()?;
        self.alone(python)?;
        self.install(self.tools)?;
        let sources = self.folders.door.join("python/pyoneport");
        let typed = self.folders.door.join("tests/typed.py");
        self.tool("mypy", &["--strict"], &[&sources, &typed])?;
        self.tool(
            "mypy.stubtest",
            &["pyoneport", "--allowlist", "tests/stubtest.txt"],
            &[],
        )?;
        self.pytest(&["--doctest-modules", "--pyargs", "pyoneport", "tests"].map(String::from))?;
        if self.folders.notebooks.is_dir() {
            let notebooks = self.folders.notebooks.display().to_string();
            self.pytest(&["--nbmake".to_string(), notebooks])?;
        }
        Ok(())
    }

    /// The content of all that a test's result depends on.
    fn stamp(&self) -> Result<String> {
        let mut text = self.wheel.display().to_string();
        let source =
            |path: &str| path.starts_with("doors/python/") || path.starts_with("docs/notebooks/");
        for file in workspace::sources()?
            .iter()
            .filter(|file| source(&file.path))
        {
            text += &file.text;
        }
        let library = self.command.with_file_name("lib_core.so");
        let changed = fs::metadata(library).and_then(|file| file.modified());
        let changed = changed
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(format!("{:016x} {changed:?}", setup::hash(text.bytes())))
    }

    fn size(&self) -> Result<()> {
        let bytes = fs::metadata(self.wheel).context("the wheel is gone")?.len();
        if bytes > MOST_BYTES {
            bail!("the wheel has {bytes} bytes; at most {MOST_BYTES} are allowed");
        }
        eprintln!("wheel: {}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10);
        Ok(())
    }

    /// In an environment of its own, the package needs no other, and is imported quickly.
    fn alone(&self, python: &Path) -> Result<()> {
        let venv = self.folders.built.join("venv");
        let _ = fs::remove_dir_all(&venv);
        tools::finish(Command::new(python).args(["-m", "venv"]).arg(&venv))?;
        let own = venv.join("bin/python");
        self.install(&own)?;
        let timed = "import time; start = time.process_time(); import pyoneport; print(int((time.process_time() - start) * 1e6))";
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let output = Command::new(&own).args(["-c", timed]).output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            let Ok(microseconds) = text.trim().parse() else {
                bail!(
                    "the package is not imported: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
            };
            best = best.min(Duration::from_micros(microseconds));
        }
        if best > MOST_IMPORT {
            bail!("an import takes {best:?}; at most {MOST_IMPORT:?} is allowed");
        }
        eprintln!("wheel: imported in {best:?}");
        Ok(())
    }

    /// Installs the wheel without network.
    fn install(&self, python: &Path) -> Result<()> {
        let mut install = pip(
            python,
            &[
                "install",
                "--quiet",
                "--no-index",
                "--no-deps",
                "--force-reinstall",
            ],
        );
        tools::finish(install.arg(self.wheel))
    }

    fn pytest(&self, arguments: &[String]) -> Result<()> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.tool("pytest", &arguments, &[])
    }

    /// Runs a module of Python in the door's folder, within the time of all tests.
    fn tool(&self, module: &str, arguments: &[&str], paths: &[&Path]) -> Result<()> {
        let mut command = Command::new(self.tools);
        command
            .current_dir(&self.folders.door)
            .env("ONEPORT", self.command)
            .env("MYPY_CACHE_DIR", self.folders.built.join("mypy"))
            .env("PYTHONPYCACHEPREFIX", self.folders.built.join("pycache"))
            .args(["-m", module])
            .args(arguments)
            .args(paths)
            .stdin(Stdio::null());
        let text = workspace::describe(&command);
        eprintln!("{text}");
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot run `{text}`"))?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                if !status.success() {
                    bail!("`{text}` failed ({status})");
                }
                return Ok(());
            }
            if start.elapsed() > MOST_TESTS {
                child.kill()?;
                bail!("`{text}` did not end within {MOST_TESTS:?}");
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}
