//! A library or program of the workspace is compiled once more for its unit tests. If it has none, its manifest must
//! have `test = false`. With that line its unit tests would never run, so it must have none.

use std::path::Path;

use serde_json::Value;

use super::problem::Problem;
use crate::workspace::Source;

/// Checks every library and program: `test = false` is set if and only if there is no `#[test]`.
pub fn check(metadata: &Value, root: &Path, sources: &[Source]) -> Vec<Problem> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .filter_map(|target| {
            let kind = target["kind"][0]
                .as_str()
                .filter(|kind| matches!(*kind, "lib" | "bin"))?;
            let path = Path::new(target["src_path"].as_str()?)
                .strip_prefix(root)
                .ok()?
                .to_str()?
                .replace('\\', "/");
            check_single(kind, &path, target["test"] == true, sources)
        })
        .collect()
}

fn check_single(kind: &str, path: &str, is_tested: bool, sources: &[Source]) -> Option<Problem> {
    let folder = &path[..=path.rfind('/')?];
    let tests = sources
        .iter()
        .filter(|source| source.path.starts_with(folder) && source.path.ends_with(".rs"));
    let test = tests
        .filter_map(|source| Some((source, line_of_test(&source.text)?)))
        .next();
    match test {
        Some((source, line)) if !is_tested => {
            let why = format!(
                "the manifest says `test = false` of this {kind}, so the test never runs; remove that line"
            );
            Some(Problem::new(&source.path, line, why))
        }
        None if is_tested => {
            let why = format!(
                "no test is in this {kind}; write `test = false` in its manifest, or it is compiled twice"
            );
            Some(Problem::new(path, 0, why))
        }
        _ => None,
    }
}

/// The line of the first attribute that makes a function a test, counted from 1.
fn line_of_test(text: &str) -> Option<usize> {
    text.lines()
        .position(|line| line.trim() == "#[test]")
        .map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_say_whether_there_are_tests() {
        let source = |path: &str, text: &str| Source {
            path: path.into(),
            text: text.into(),
        };
        let with = [
            source("crates/a/src/lib.rs", "mod b;"),
            source("crates/a/src/b.rs", "\n    #[test]\n"),
        ];
        let without = [
            source("crates/a/src/lib.rs", ""),
            source("crates/a/tests/it/main.rs", "#[test]"),
        ];
        let found = |is_tested: bool, sources: &[Source]| {
            check_single("lib", "crates/a/src/lib.rs", is_tested, sources)
        };
        assert_eq!((found(true, &with), found(false, &without)), (None, None));
        let never_run = found(false, &with).unwrap();
        assert_eq!(
            (never_run.path.as_str(), never_run.line),
            ("crates/a/src/b.rs", 2)
        );
        assert!(
            found(true, &without)
                .unwrap()
                .message
                .contains("test = false")
        );
    }
}
