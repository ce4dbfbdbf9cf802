//! The test programs of the workspace: built by cargo, listed by themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::needs::{self, Reason};
use crate::workspace;

/// A program that holds tests, or a benchmark that answers once when it is run without arguments.
#[derive(Debug, Clone)]
pub struct Binary {
    /// Package and target, such as `oneport-lp it`.
    pub name: String,
    /// The folder of the package, in which cargo runs its tests.
    pub folder: PathBuf,
    /// The program.
    pub path: PathBuf,
    /// A benchmark: no list of tests, but one run.
    pub is_benchmark: bool,
}

/// A test that is not part of every run.
pub struct Ignored {
    pub name: String,
    /// Why.
    pub reason: Reason,
}

impl Binary {
    /// A call of the program as cargo makes it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .stdin(Stdio::null());
        command
    }

    /// The names of its tests: of every run, and the ignored ones with their reasons.
    ///
    /// # Errors
    /// The program does not run, or a reason has a form that `needs` does not read.
    pub fn tests(&self) -> Result<(Vec<String>, Vec<Ignored>)> {
        let ignored = self.list(&["--ignored"])?;
        let mut others = self.list(&[])?;
        others.retain(|name| !ignored.contains(name));
        Ok((others, self.with_reasons(ignored)?))
    }

    /// The reasons of ignored tests: a run of these alone runs none, and prints them.
    fn with_reasons(&self, ignored: Vec<String>) -> Result<Vec<Ignored>> {
        if ignored.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.command();
        let output = command
            .args(["--format", "pretty", "--color", "never", "--exact"])
            .args(&ignored)
            .output();
        let output = output.with_context(|| format!("cannot run {}", self.path.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let said = needs::reasons(&text);
        let reason = |name: String| {
            let text = said.iter().find(|(of, _)| *of == name);
            let text = text.map_or("", |(_, reason)| reason);
            let Some(reason) = Reason::read(text) else {
                bail!(
                    "{} {name} is ignored for the reason \"{text}\"; CONTRIBUTING.md lists the forms",
                    self.name
                )
            };
            Ok(Ignored { name, reason })
        };
        ignored.into_iter().map(reason).collect()
    }

    fn list(&self, which: &[&str]) -> Result<Vec<String>> {
        let mut command = self.command();
        let output = command
            .args(which)
            .args(["--list", "--format", "terse"])
            .output();
        let output = output.with_context(|| format!("cannot run {}", self.path.display()))?;
        if !output.status.success() {
            bail!("{} does not list its tests ({})", self.name, output.status);
        }
        Ok(names(&String::from_utf8_lossy(&output.stdout)))
    }
}

fn names(list: &str) -> Vec<String> {
    list.lines()
        .filter_map(|line| Some(line.strip_suffix(": test")?.to_string()))
        .collect()
}

/// Results of one build of all tests.
#[derive(Default)]
pub struct Built {
    /// The test programs.
    pub tests: Vec<Binary>,
    /// The other programs, each with the folder of its package, whose tests may run it.
    pub programs: Vec<(PathBuf, PathBuf)>,
    /// The libraries of the workspace.
    pub libraries: Vec<PathBuf>,
}

impl Built {
    /// The program of this name, such as `oneport`.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == name);
        self.programs
            .iter()
            .map(|(_, path)| path)
            .find(named)
            .cloned()
    }
}

/// Compiles every test of the workspace in one build. Returns the paths of the programs.
///
/// # Errors
/// Something does not compile; cargo has said what.
pub fn build() -> Result<Built> {
    compile(&["--tests"])
}

/// Compiles the tests of the workspace that `which` names, with the programs that they run.
///
/// # Errors
/// Those of [`build`].
pub fn compile(which: &[&str]) -> Result<Built> {
    let mut command = workspace::cargo(&["test", "--workspace", "--no-run"])?;
    command
        .args(which)
        .args(["--message-format", "json-render-diagnostics"]);
    eprintln!("{}", workspace::describe(&command));
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo does not compile them ({})", output.status);
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let root = workspace::root()?;
    let mut built = Built::default();
    for message in messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
    {
        built.tests.extend(read(&message));
        built
            .programs
            .extend(program(&message).filter(|(folder, _)| folder.starts_with(&root)));
        built.libraries.extend(library(&message, &root));
    }
    Ok(built)
}

/// A test program in a message of cargo.
fn read(message: &Value) -> Option<Binary> {
    let tested = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let path = message["executable"].as_str().filter(|_| tested)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let target = &message["target"];
    let package = folder.file_name()?.to_string_lossy();
    let kind = target["kind"][0].as_str()?;
    let name = match kind {
        "test" | "bench" => format!("{package} {}", target["name"].as_str()?),
        _ => format!("{package} {kind}"),
    };
    Some(Binary {
        name,
        folder: folder.to_path_buf(),
        path: path.into(),
        is_benchmark: kind == "bench",
    })
}

/// A program without tests in a message of cargo, with its folder.
fn program(message: &Value) -> Option<(PathBuf, PathBuf)> {
    let ours = message["target"]["kind"][0] == "bin" && message["profile"]["test"] == false;
    let path = message["executable"].as_str().filter(|_| ours)?;
    Some((
        Path::new(message["manifest_path"].as_str()?)
            .parent()?
            .to_path_buf(),
        path.into(),
    ))
}

/// A library under this root in a message of cargo.
fn library(message: &Value, root: &Path) -> Option<PathBuf> {
    let ours = message["target"]["kind"][0] == "lib" && message["profile"]["test"] == false;
    let path = message["filenames"][0].as_str().filter(|_| ours)?;
    Path::new(message["manifest_path"].as_str()?)
        .starts_with(root)
        .then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_listed_by_name() {
        assert_eq!(
            names("a::b: test\nc: test\nd: benchmark\n\n2 tests, 1 benchmark\n"),
            ["a::b", "c"]
        );
    }

    #[test]
    fn test_programs_are_told_from_libraries() {
        let message = |kind: &str, test: bool| {
            serde_json::json!({"reason": "compiler-artifact", "manifest_path": "/r/crates/lp/Cargo.toml",
                "target": {"name": "it", "kind": [kind]}, "profile": {"test": test}, "executable": "/r/it-1"})
        };
        let binary = read(&message("test", true));
        assert_eq!(
            binary.map(|binary| (binary.name, binary.is_benchmark)),
            Some(("lp it".to_string(), false))
        );
        assert_eq!(
            read(&message("bench", true)).map(|binary| binary.is_benchmark),
            Some(true)
        );
        assert_eq!(
            read(&message("lib", true)).map(|binary| binary.name),
            Some("lp lib".to_string())
        );
        assert!(read(&message("bin", false)).is_none());
        assert!(read(&serde_json::json!({"reason": "build-finished"})).is_none());
    }
}
