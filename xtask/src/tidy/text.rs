//! Rules on files as text: headings, module documentation, white space, length, machine paths.

use super::dependencies::Crate;
use super::problem::Problem;
use crate::workspace::Source;

/// More lines than this, and a file holds two subjects.
const MAX_LINES: usize = 1200;
/// Most characters of a line of comment.
const MOST_CHARACTERS: usize = 120;

/// Checks one file.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = machine_paths(source);
    if is_written_by_hand(&source.path) {
        problems.extend(white_space(source));
    }
    if source.path.ends_with(".rs") {
        problems.extend(module_documentation(source));
        problems.extend(length(source));
        problems.extend(long_comments(source));
    }
    problems
}

/// Every crate has a heading in ARCHITECTURE.md that names its folder or package.
pub fn check_architecture(crates: &[Crate], sources: &[Source]) -> Vec<Problem> {
    const PATH: &str = "ARCHITECTURE.md";
    let Some(source) = sources.iter().find(|source| source.path == PATH) else {
        return vec![Problem::new(
            PATH,
            0,
            "missing; write it, with a heading for every crate",
        )];
    };
    let headings = source.text.lines().filter(|line| line.starts_with("##"));
    let words: Vec<&str> = headings
        .flat_map(|line| line.split([' ', '`', '#', ',', ':', '(', ')']))
        .collect();
    let named = |package: &Crate| {
        words
            .iter()
            .any(|word| *word == package.folder || *word == package.name)
    };
    let missing = crates.iter().filter(|package| !named(package));
    missing
        .map(|package| {
            let message = format!(
                "no heading for {}; add `## {}` and say what must never enter it",
                package.name, package.folder
            );
            Problem::new(PATH, 0, message)
        })
        .collect()
}

/// Data files keep the form their readers want. Everything else is ours to keep neat.
fn is_written_by_hand(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) => {
            stem.is_empty() || ["rs", "toml", "md", "yml", "yaml", "sh"].contains(&extension)
        }
        None => true,
    }
}

fn white_space(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in source.text.split('\n').enumerate() {
        if line.contains('\t') {
            problems.push(Problem::new(&source.path, index + 1, "a tab; use spaces"));
        }
        if line.ends_with([' ', '\t', '\r']) {
            problems.push(Problem::new(
                &source.path,
                index + 1,
                "white space at the end of the line; remove it",
            ));
        }
    }
    if !source.text.is_empty() && (!source.text.ends_with('\n') || source.text.ends_with("\n\n")) {
        let line = source.text.lines().count();
        problems.push(Problem::new(
            &source.path,
            line,
            "the file must end with one newline",
        ));
    }
    problems
}

fn module_documentation(source: &Source) -> Option<Problem> {
    let message = "no module documentation; the first line says, after `//!`, what the file is for, or takes the README in";
    let documented =
        source.text.starts_with("//!") || source.text.starts_with("#![doc = include_str!(");
    (!documented).then(|| Problem::new(&source.path, 1, message))
}

/// Comments that rustfmt does not wrap: at most 120 characters, tables aside.
fn long_comments(source: &Source) -> Vec<Problem> {
    let is_long = |line: &str| {
        let text = line.trim_start();
        let comment = text
            .strip_prefix("//")
            .map(|rest| rest.trim_start_matches(['/', '!']).trim_start());
        comment.is_some_and(|comment| !comment.starts_with('|'))
            && line.chars().count() > MOST_CHARACTERS
    };
    let long = source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| is_long(line));
    let message = format!("a comment of more than {MOST_CHARACTERS} characters; wrap it");
    long.map(|(index, _)| Problem::new(&source.path, index + 1, &*message))
        .collect()
}

fn length(source: &Source) -> Option<Problem> {
    let lines = source.text.lines().count();
    let message = format!("{lines} lines, more than {MAX_LINES}; split the file by subject");
    (lines > MAX_LINES).then(|| Problem::new(&source.path, 0, message))
}

fn machine_paths(source: &Source) -> Vec<Problem> {
    // In halves, so that this file keeps its own rule.
    let patterns = [
        ["/t", "mp/"],
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["crates", ".io"],
        ["pypi", ".org"],
        ["npm", "js"],
        ["debian", ".org"],
    ]
    .map(|halves| halves.concat());
    let mut problems = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for pattern in patterns
            .iter()
            .filter(|pattern| line.contains(pattern.as_str()))
        {
            let message =
                format!("`{pattern}` is a place of one machine or registry; write it another way");
            problems.push(Problem::new(&source.path, index + 1, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_string(),
            text: text.to_string(),
        }
    }

    /// The lines that have a problem.
    #[track_caller]
    fn check_lines(path: &str, text: &str, expected: &[usize]) {
        let problems = check(&source(path, text));
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, expected, "{problems:?}");
    }

    #[test]
    fn a_neat_file_passes() {
        check_lines("crates/a/src/lib.rs", "//! Says what.\n\nfn a() {}\n", &[]);
        check_lines("README.md", "# Title\n", &[]);
        check_lines(".ci/run", "#!/bin/sh\nexit\n", &[]);
    }

    #[test]
    fn white_space_is_neat() {
        check_lines("a.toml", "a = 1 \n\tb = 2\n", &[1, 2]);
        check_lines("a.md", "no end", &[1]);
        check_lines("a.md", "two ends\n\n", &[2]);
        check_lines(".gitignore", "a\r\n", &[1]);
        check_lines("fixtures/a.csv", "a\tb ", &[]);
    }

    #[test]
    fn rust_files_are_documented_and_short() {
        check_lines("a.rs", "use a;\n", &[1]);
        let long = format!("//! Long.\n{}", "a\n".repeat(MAX_LINES));
        check_lines("a.rs", &long, &[0]);
        check_lines("a.rs", &long.replacen("a\n", "", 1), &[]);
    }

    #[test]
    fn machine_paths_are_found() {
        for (word, expected) in [
            ("x /tm_p/ y", 1),
            ("/ro_ot/x", 1),
            ("https://crates_.io", 1),
            ("tmp/ and root", 0),
        ] {
            let problems =
                machine_paths(&source("a.md", &format!("\n{}\n", word.replace('_', ""))));
            assert_eq!(problems.len(), expected, "{word}");
            assert!(problems.iter().all(|problem| problem.line == 2));
        }
    }

    #[test]
    fn every_crate_has_a_heading() {
        let package = |name: &str, folder: &str| Crate {
            name: name.to_string(),
            folder: folder.to_string(),
            dependencies: Vec::new(),
            licensed: true,
        };
        let crates = [
            package("oneport-lp", "crates/lp"),
            package("oneport", "crates/oneport"),
        ];
        let text = "# oneport\n## `crates/lp`: programs\n";
        let problems = check_architecture(&crates, &[source("ARCHITECTURE.md", text)]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("crates/oneport"));
        let text = format!("{text}## oneport, the facade\n");
        assert!(check_architecture(&crates, &[source("ARCHITECTURE.md", &text)]).is_empty());
        assert_eq!(check_architecture(&crates, &[]).len(), 1);
    }

    #[test]
    fn long_comments_are_wrapped() {
        let lines = |text: &str| {
            let source = Source {
                path: "crates/lp/src/a.rs".to_string(),
                text: text.to_string(),
            };
            long_comments(&source)
                .iter()
                .map(|problem| problem.line)
                .collect::<Vec<usize>>()
        };
        let long = "x".repeat(MOST_CHARACTERS);
        assert_eq!(
            lines(&format!("//! short\n/// {long}\n    // {long}\n")),
            [2, 3]
        );
        assert_eq!(
            lines(&format!("//! | {long} |\nlet a = \"{long}\";\n")),
            [0usize; 0]
        );
    }
}
