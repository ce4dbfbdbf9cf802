//! One build of all mutants that compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::list::Mutant;
use super::schema::{self, Arm};
use crate::{tree, workspace};

/// A mutant that the compiler can evaluate (`1 / 0`) must run too.
const ALLOWED: &str =
    "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]";

/// The folders of the build.
pub struct Folders<'a> {
    /// The repository.
    pub root: PathBuf,
    /// The folder for copies of the sources and for cargo's output.
    pub target: PathBuf,
    /// The crate with the mutants.
    pub package: &'a str,
}

impl Folders<'_> {
    /// Mutants are tried here until all of them compile.
    fn draft(&self) -> PathBuf {
        self.target.join(self.package).join("draft")
    }

    /// Here the tests are built. It changes only if the outcome does, so that the next run need not build again.
    fn tree(&self) -> PathBuf {
        self.target.join(self.package).join("tree")
    }
}

/// The mutants of each file.
type Arms = BTreeMap<String, Vec<Arm>>;

/// The programs that were built.
pub struct Built {
    /// The mutants within, each with the number that its function reports when reached.
    pub mutants: Vec<Mutant>,
    pub functions: BTreeMap<usize, usize>,
    pub unviable: Vec<Mutant>,
    pub untried: Vec<Mutant>,
    pub binaries: Vec<Binary>,
}

/// A program of tests.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binary {
    pub path: PathBuf,
    /// The folder in which cargo would run it.
    pub folder: PathBuf,
}

/// Writes the mutants into a copy, drops mutants that do not compile, and builds the tests.
///
/// # Errors
/// The copy does not compile without mutants.
pub fn build(folders: &Folders<'_>, mutants: Vec<Mutant>, also: &[String]) -> Result<Built> {
    tree::copy(&folders.root, &folders.draft(), None)?;
    let mut dropped = BTreeSet::new();
    let (arms, untried) = loop {
        let (arms, untried) = write(folders, &mutants, &dropped)?;
        let wrong = check(folders, &arms)?;
        if wrong.is_empty() {
            break (arms, untried);
        }
        eprintln!("mutants: {} do not compile", wrong.len());
        dropped.extend(wrong);
    };
    let sources = sources(&mutants)?;
    tree::copy(
        &folders.root,
        &folders.tree(),
        Some(&folders.root.join(sources)),
    )?;
    tree::copy(
        &folders.draft().join(sources),
        &folders.tree().join(sources),
        None,
    )?;
    let binaries = binaries(folders, also)?;
    let functions = arms
        .into_values()
        .flatten()
        .map(|arm| (arm.id, arm.function))
        .collect();
    let (unviable, rest): (Vec<_>, Vec<_>) = mutants
        .into_iter()
        .partition(|mutant| dropped.contains(&mutant.id));
    let (untried, mutants) = rest
        .into_iter()
        .partition(|mutant| untried.contains(&mutant.id));
    Ok(Built {
        mutants,
        functions,
        unviable,
        untried,
        binaries,
    })
}

/// The arms of each file, and the mutants without an arm.
fn write(
    folders: &Folders<'_>,
    mutants: &[Mutant],
    dropped: &BTreeSet<usize>,
) -> Result<(Arms, BTreeSet<usize>)> {
    let mut files: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        let file = files.entry(&mutant.file).or_default();
        if !dropped.contains(&mutant.id) {
            file.push(mutant);
        }
    }
    let lib = format!("{}/lib.rs", sources(mutants)?);
    files.entry(&lib).or_default();
    let mut arms = BTreeMap::new();
    let mut untried = BTreeSet::new();
    for (file, mutants) in files {
        let text = fs::read_to_string(folders.root.join(file))
            .with_context(|| format!("cannot read {file}"))?;
        let mut schema = schema::schema(&text, &mutants);
        if file == lib {
            schema.text = format!("{ALLOWED} {}{}", schema.text, schema::CHOICE);
        }
        tree::write(&folders.draft().join(file), schema.text.as_bytes())?;
        arms.insert(file.to_string(), schema.arms);
        untried.extend(schema.untried);
    }
    Ok((arms, untried))
}

/// The folder of the sources, from the root of the repository.
fn sources(mutants: &[Mutant]) -> Result<&str> {
    let file = &mutants.first().context("the crate has no mutants")?.file;
    let end = file
        .find("/src/")
        .with_context(|| format!("{file} lies in no folder `src`"))?;
    Ok(&file[..end + "/src".len()])
}

fn cargo(folders: &Folders<'_>, tree: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(tree)
        .args(arguments)
        .arg("--message-format=json")
        .arg("--target-dir")
        .arg(folders.target.join("build"));
    // The function bodies are many: no debug information for them.
    command.arg("--config").arg(format!(
        "profile.dev.package.{}.debug=false",
        folders.package
    ));
    // Ours, not the copy's.
    command
        .env_remove("CARGO_MANIFEST_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    command
}

/// Messages of cargo, and whether it succeeded.
fn messages(mut command: Command) -> Result<(Vec<Value>, bool)> {
    let text = workspace::describe(&command);
    let output = command
        .output()
        .with_context(|| format!("cannot run `{text}`"))?;
    let lines = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"{"));
    let values: Result<Vec<Value>, _> = lines.map(serde_json::from_slice).collect();
    Ok((
        values.with_context(|| format!("`{text}` printed something that is not JSON"))?,
        output.status.success(),
    ))
}

/// The mutants in which the compiler finds errors.
fn check(folders: &Folders<'_>, arms: &Arms) -> Result<BTreeSet<usize>> {
    let (messages, success) = messages(cargo(
        folders,
        &folders.draft(),
        &["check", "--lib", "--package", folders.package],
    ))?;
    let errors = messages
        .iter()
        .filter(|message| message["message"]["level"] == "error");
    let mut wrong = BTreeSet::new();
    for error in errors {
        let found = culprits(&error["message"], arms);
        let counts = error["message"]["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("aborting due to"));
        if found.is_empty() && !counts {
            bail!(
                "an error that is no mutant's: {}",
                error["message"]["rendered"].as_str().unwrap_or("unknown")
            );
        }
        wrong.extend(found);
    }
    if wrong.is_empty() && !success {
        bail!(
            "`cargo check` failed in {} without an error that is a mutant's",
            folders.draft().display()
        );
    }
    Ok(wrong)
}

/// The mutants whose arms contain an error.
fn culprits(error: &Value, arms: &Arms) -> BTreeSet<usize> {
    let spans = error["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let arm = |span: &Value| {
        let line = usize::try_from(span["line_start"].as_u64()?).ok()?;
        let arms = arms.get(span["file_name"].as_str()?)?;
        Some(arms.iter().find(|arm| arm.lines.contains(&line))?.id)
    };
    spans.iter().filter_map(arm).collect()
}

/// Builds the tests.
fn binaries(folders: &Folders<'_>, also: &[String]) -> Result<Vec<Binary>> {
    let mut arguments = vec![
        "test",
        "--no-run",
        "--lib",
        "--tests",
        "--package",
        folders.package,
    ];
    for package in also {
        arguments.extend(["--package", package]);
    }
    let (messages, success) = messages(cargo(folders, &folders.tree(), &arguments))?;
    if !success {
        bail!(
            "the tests do not compile with the mutants in {}",
            folders.tree().display()
        );
    }
    let mut binaries: Vec<Binary> = messages.iter().filter_map(binary).collect();
    binaries.sort();
    Ok(binaries)
}

fn binary(message: &Value) -> Option<Binary> {
    let path = message["executable"]
        .as_str()
        .filter(|_| message["profile"]["test"] == true)?;
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    Some(Binary {
        path: path.into(),
        folder: manifest.parent()?.to_path_buf(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_belongs_to_the_arm_where_it_lies() {
        let arm = |id, lines| Arm {
            id,
            function: 1,
            lines,
        };
        let arms = BTreeMap::from([("a.rs".to_string(), vec![arm(1, 4..7), arm(2, 7..9)])]);
        let error = |file: &str, line: u64| serde_json::json!({"spans": [{"file_name": file, "line_start": line}]});
        for (file, line, expected) in [
            ("a.rs", 6, vec![1]),
            ("a.rs", 7, vec![2]),
            ("a.rs", 9, vec![]),
            ("b.rs", 6, vec![]),
        ] {
            assert_eq!(
                culprits(&error(file, line), &arms),
                expected.into_iter().collect(),
                "{file} {line}"
            );
        }
    }

    #[test]
    fn programs_of_tests_are_found() {
        let message = serde_json::json!({
            "executable": "/b/a-1", "manifest_path": "/r/crates/a/Cargo.toml", "profile": {"test": true},
        });
        assert_eq!(
            binary(&message),
            Some(Binary {
                path: "/b/a-1".into(),
                folder: "/r/crates/a".into()
            })
        );
        assert_eq!(
            binary(&serde_json::json!({"executable": null, "profile": {"test": true}})),
            None
        );
    }
}
