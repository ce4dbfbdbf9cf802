//! The record of the last run: the time of each test, and the programs and files with which all tests of a program
//! passed.
//!
//! With the same seed, a test program that has not been linked again and reads the same files gives the same results.
//! So `--quick` runs the programs that have changed, and the whole run runs all of them. Data outside the repository
//! counts as unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::setup;
use crate::workspace;

/// Data kept between runs, in the target folder.
pub struct Record {
    path: PathBuf,
    /// Milliseconds by test.
    times: BTreeMap<String, u64>,
    /// Per test program: its hash and the files it read when all its tests passed.
    passed: BTreeMap<String, String>,
}

impl Record {
    /// Opens the record. It is empty if it is missing or unreadable.
    pub fn open() -> Result<Record> {
        let path = workspace::target()?.join("test-record.json");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let times = serde_json::from_value(value["times"].clone()).unwrap_or_default();
        let passed = serde_json::from_value(value["passed"].clone()).unwrap_or_default();
        Ok(Record {
            path,
            times,
            passed,
        })
    }

    /// Time of a test in the last run. Unknown ones may be long.
    pub fn time(&self, test: &str) -> u64 {
        self.times.get(test).copied().unwrap_or(u64::MAX)
    }

    /// Whether all tests of a program passed when the program and its files were the same.
    pub fn has_passed(&self, program: &str, key: &str) -> bool {
        self.passed.get(program).is_some_and(|passed| passed == key)
    }

    /// Takes note of a test.
    pub fn took(&mut self, test: &str, milliseconds: u64) {
        self.times.insert(test.to_string(), milliseconds);
    }

    /// Takes note of a program: the key with which it passed, or that it did not.
    pub fn judged(&mut self, program: &str, key: Option<&str>) {
        match key {
            Some(key) => self.passed.insert(program.to_string(), key.to_string()),
            None => self.passed.remove(program),
        };
    }

    /// Writes it down.
    pub fn write(&self) -> Result<()> {
        let text =
            serde_json::to_string_pretty(&json!({ "times": self.times, "passed": self.passed }))?;
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Length and date of every file: programs are linked again if they change.
pub fn stamp<'a>(files: impl IntoIterator<Item = &'a Path>) -> String {
    let one = |file: &Path| {
        let known = fs::metadata(file).ok();
        let date = known
            .as_ref()
            .and_then(|known| known.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        format!(
            "{}:{:?}",
            known.map_or(0, |known| known.len()),
            date.unwrap_or_default()
        )
    };
    files.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A hash of all files in the repository that tests read besides compiled ones: every text file but Rust's.
pub fn read_files() -> Result<u64> {
    let sources = workspace::sources()?;
    let read = sources
        .iter()
        .filter(|source| !source.path.ends_with(".rs"));
    Ok(setup::hash(read.flat_map(|source| {
        source.path.bytes().chain(source.text.bytes())
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_passes_until_it_or_a_file_changes() {
        let mut record = Record {
            path: PathBuf::new(),
            times: BTreeMap::new(),
            passed: BTreeMap::new(),
        };
        assert!(!record.has_passed("lp it", "1"));
        record.judged("lp it", Some("1"));
        assert!(record.has_passed("lp it", "1") && !record.has_passed("lp it", "2"));
        record.judged("lp it", None);
        assert!(!record.has_passed("lp it", "1"));
        assert_eq!(record.time("lp it a"), u64::MAX);
    }

    #[test]
    fn a_file_written_anew_has_another_stamp() {
        let here = Path::new(file!()).file_name().map(Path::new);
        assert_eq!(stamp(here), stamp(here));
        let this = std::env::current_exe().unwrap();
        assert_ne!(stamp([this.as_path()]), stamp([Path::new("no such file")]));
    }
}
