//! `cargo xtask tidy`: the house rules that no compiler checks. ARCHITECTURE.md gives the reasons.

mod code;
mod dependencies;
mod text;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// One violation of one rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    /// Path from the root of the repository.
    path: String,
    /// Counted from 1; 0 when the whole file is meant.
    line: usize,
    /// What is wrong and what to do.
    message: String,
}

impl Problem {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Problem {
        Problem { path: path.to_string(), line, message: message.into() }
    }
}

/// A text file of the repository.
struct Source {
    /// Path from the root of the repository, with `/`.
    path: String,
    text: String,
}

/// Checks every rule on every file and prints all violations.
///
/// # Errors
/// There are violations, or the repository cannot be read.
pub fn run() -> Result<()> {
    let root = workspace::root()?;
    let mut sources = Vec::new();
    walk(&root, "", &mut sources)?;
    let metadata = workspace::metadata(&["--no-deps"])?;
    let crates = dependencies::crates(&metadata, &root)?;
    let mut problems = dependencies::check(&crates);
    problems.extend(text::check_architecture(&crates, &sources));
    for source in &sources {
        problems.extend(text::check(source));
    }
    problems.extend(code::check(&sources));
    problems.sort();
    for Problem { path, line, message } in &problems {
        match line {
            0 => eprintln!("{path}: {message}"),
            _ => eprintln!("{path}:{line}: {message}"),
        }
    }
    if !problems.is_empty() {
        bail!("tidy found {} violations of the house rules", problems.len());
    }
    eprintln!("tidy: {} files and {} crates keep the house rules", sources.len(), crates.len());
    Ok(())
}

/// Collects the text files under a folder, without build output, version control and editors' folders.
fn walk(root: &Path, folder: &str, sources: &mut Vec<Source>) -> Result<()> {
    let path = root.join(folder);
    let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type().with_context(|| format!("cannot read {path}"))?;
        if kind.is_dir() {
            let ours = !name.starts_with('.') || [".cargo", ".ci", ".github"].contains(&name.as_str());
            if ours && name != "target" {
                walk(root, &path, sources)?;
            }
        } else if kind.is_file() && path != "Cargo.lock" {
            // What is not UTF-8 is no text.
            if let Ok(text) = fs::read_to_string(entry.path()) {
                sources.push(Source { path, text });
            }
        }
    }
    Ok(())
}
