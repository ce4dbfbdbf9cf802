//! No test passes by not running. A test that needs a thing that a machine may lack is ignored for a reason that
//! `cargo xtask test` reads. Every file with tests is compiled.

use std::path::Path;

use super::problem::Problem;
use crate::needs::{self, Reason};
use crate::workspace::Source;

/// Words of a test that passes by not running. (In halves, so that this file keeps its own rules.)
const SILENT: [([&str; 2], &str); 3] = [
    (
        ["\"skip", "ped"],
        "a test that is not run is ignored, not passed: `#[ignore = \"needs ...\"]`",
    ),
    (
        ["env", "::var"],
        "a test takes folders from `oneport_testkit::folder` and is ignored where they are absent",
    ),
    (
        ["\"/../../", "../"],
        "a place outside the repository; `oneport_testkit::data` has those that a variable names",
    ),
];

/// Checks every file.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for source in sources {
        problems.extend(outside(source));
        if source.path.ends_with(".rs") {
            problems.extend(reasons(source));
            problems.extend(silent(source));
            problems.extend(never_compiled(source, sources));
        }
    }
    problems
}

/// No file names the folder beside the repository in which its authors keep data.
fn outside(source: &Source) -> Vec<Problem> {
    let lines = numbered(source).filter(|(_, line)| line.contains(&["../sha", "red"].concat()));
    let message = "a place outside the repository; name it by `ONEPORT_DATA`";
    lines
        .map(|(number, _)| Problem::new(&source.path, number, message))
        .collect()
}

/// Every ignored test has a reason, in a form that `cargo xtask test` reads.
fn reasons(source: &Source) -> Vec<Problem> {
    let unread = needs::in_source(&source.text)
        .into_iter()
        .filter(|(_, reason)| Reason::read(reason).is_none());
    let message = "no reason that `cargo xtask test` reads; write `long: REASON`, or `needs KIND NAME, KIND NAME`, of the \
                   kinds program, python, library, mpi, variable, data";
    unread
        .map(|(number, _)| Problem::new(&source.path, number, message))
        .collect()
}

fn silent(source: &Source) -> Vec<Problem> {
    let is_test = source.path.contains("/tests/") || source.path.ends_with("_test.rs");
    let mut problems = Vec::new();
    for (number, line) in numbered(source).filter(|_| is_test) {
        for (pattern, message) in &SILENT {
            if line.contains(&pattern.concat()) && !line.contains("\"PATH\"") {
                problems.push(Problem::new(&source.path, number, *message));
            }
        }
    }
    problems
}

/// A file that no module names is never compiled, and its tests never run.
fn never_compiled(source: &Source, sources: &[Source]) -> Option<Problem> {
    let path = Path::new(&source.path);
    let (folder, stem) = (path.parent()?, path.file_stem()?.to_str()?);
    if is_root(folder, stem) {
        return None;
    }
    let (folder, name) = match stem {
        "mod" | "main" => (folder.parent()?, folder.file_name()?.to_str()?),
        _ => (folder, stem),
    };
    let parents = ["mod.rs", "main.rs", "lib.rs"].map(|name| folder.join(name));
    let compiled = sources.iter().any(|other| {
        let file = Path::new(&other.path);
        let is_parent =
            parents.iter().any(|parent| parent == file) || file == folder.with_extension("rs");
        is_parent && other.text.contains(&format!("mod {name};"))
            || other.text.contains("path = \"") && other.text.contains(&format!("{name}.rs\""))
    });
    let message =
        "no module names this file, so nothing of it is compiled and none of its tests run";
    (!compiled).then(|| Problem::new(&source.path, 0, message))
}

/// Whether cargo finds a file by its path.
fn is_root(folder: &Path, stem: &str) -> bool {
    let is_kind = |folder: Option<&Path>| {
        let name = folder.and_then(|folder| folder.file_name()?.to_str());
        name.is_some_and(|name| ["tests", "examples", "benches", "bin"].contains(&name))
    };
    stem == "build"
        || is_kind(Some(folder))
        || folder.ends_with("src") && ["lib", "main"].contains(&stem)
        || stem == "main" && is_kind(folder.parent())
}

fn numbered(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(source.text.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_string(),
            text: text.replace('_', ""),
        }
    }

    /// The lines with problems of a file, in a text from which underscores are taken.
    #[track_caller]
    fn lines(path: &str, text: &str) -> Vec<usize> {
        let parent = source("crates/a/tests/it/main.rs", "mod b;\nmod c;");
        check(&[source(path, text), parent])
            .iter()
            .map(|problem| problem.line)
            .collect()
    }

    #[test]
    fn tests_neither_skip_nor_look_outside() {
        let path = "crates/a/tests/it/b.rs";
        assert_eq!(lines(path, "\nprintln!(\"skip_ped: no dot\");\n"), [2]);
        assert_eq!(lines(path, "let a = std::env_::var(\"A\");\n"), [1]);
        assert_eq!(lines(path, "let a = std::env_::var(\"PATH\");\n"), [0; 0]);
        assert_eq!(lines(path, "\"/../../_../data\"\n"), [1]);
        assert_eq!(lines("docs/a.md", "`../sha_red/data`\n"), [1]);
    }

    #[test]
    fn ignored_tests_say_why() {
        let path = "crates/a/tests/it/b.rs";
        assert_eq!(lines(path, "#[ig_nore = \"long: x\"]\n#[ig_nore]\n"), [2]);
        assert_eq!(lines(path, "#[ig_nore = \"needs program dot\"]\n"), [0; 0]);
        assert_eq!(lines(path, "#[ig_nore = \"takes a minute\"]\n"), [1]);
    }

    #[test]
    fn files_that_no_module_names_are_found() {
        let text = "//! Tests.\n";
        for (path, expected) in [
            ("crates/a/tests/it/b.rs", 0),
            ("crates/a/tests/it/c/mod.rs", 0),
            ("crates/a/tests/other.rs", 0),
            ("crates/a/tests/it/d.rs", 1),
            ("crates/a/tests/it/d/main.rs", 1),
            ("crates/a/tests/it/c/d.rs", 1),
        ] {
            assert_eq!(lines(path, text).len(), expected, "{path}");
        }
    }
}
