//! The commands of README.md and of the guide run unchanged, and print the output that the pages show.
//!
//! A page's blocks run in the order of the page, in a folder that contains nothing but a link to `fixtures/`. A block
//! of text after a block of commands is their output. Blocks that call `cargo` build oneport itself and are left out.

#![cfg(unix)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A block of a page: the line of its fence, its language, its text.
struct Block {
    line: usize,
    language: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (line, text) in page.lines().enumerate() {
        match (text.strip_prefix("```"), open) {
            (Some(language), false) => {
                let (line, language, text) = (line + 1, language.to_string(), String::new());
                blocks.push(Block {
                    line,
                    language,
                    text,
                });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let block = blocks.last_mut().expect("a block is open");
                block.text += text;
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!open, "the last block ends");
    blocks
}

/// The folder of the built command, before the user's own.
fn path() -> OsString {
    let command = Path::new(env!("CARGO_BIN_EXE_oneport"));
    let own = command.parent().expect("a program has a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([own].into_iter().chain(env::split_paths(&others))).expect("folders")
}

/// Lines without trailing blanks, and without the seconds that the command took.
fn lines(text: &str) -> Vec<&str> {
    let took = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("time")
            && words
                .nth(1)
                .is_some_and(|unit| unit.trim_end_matches(',') == "s")
    };
    let lines = text.trim_end().lines().map(str::trim_end);
    lines.filter(|line| !took(line)).collect()
}

/// Compares an output with the one shown. A last line `...` represents any further lines.
#[track_caller]
fn compare(origin: &str, shown: &str, printed: &str) {
    let (mut shown, mut printed) = (lines(shown), lines(printed));
    if shown.last() == Some(&"...") {
        shown.pop();
        printed.truncate(shown.len());
    }
    assert_eq!(shown, printed, "{origin}: the output that the page shows");
}

/// Runs the blocks of a page, at least `least` of them, so that an emptied page fails.
#[track_caller]
fn check(page: &str, least: usize) {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let folder = tempfile::tempdir().expect("a folder");
    symlink(
        fs::canonicalize(root().join("fixtures")).expect("fixtures"),
        folder.path().join("fixtures"),
    )
    .expect("a link");
    let blocks = blocks(&text);
    let mut ran = 0;
    for (index, block) in blocks.iter().enumerate() {
        if block.language != "sh" || block.text.lines().any(|line| line.starts_with("cargo ")) {
            continue;
        }
        let output = Command::new("sh")
            .args(["-e", "-c", &block.text])
            .current_dir(folder.path())
            .env("PATH", path())
            .stdin(Stdio::null())
            .output()
            .expect("sh runs");
        let (origin, printed) = (
            format!("{page}:{}", block.line),
            String::from_utf8_lossy(&output.stdout),
        );
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{origin}: {}\n{printed}\n{errors}",
            output.status
        );
        if let Some(shown) = blocks.get(index + 1).filter(|next| next.language == "text") {
            compare(&origin, &shown.text, &printed);
        }
        ran += 1;
    }
    assert!(ran >= least, "{page}: {ran} blocks ran");
}

#[test]
fn readme() {
    check("README.md", 3);
}

#[test]
fn gpu() {
    check("docs/guide/gpu.md", 5);
}

#[test]
fn mpi() {
    check("docs/guide/mpi.md", 7);
}

#[test]
fn planner() {
    check("docs/guide/planner.md", 3);
}

#[test]
fn sweeps() {
    check("docs/sweeps.md", 3);
}

#[test]
fn theorist() {
    check("docs/guide/theorist.md", 5);
}
