//! The rules on code that clippy cannot check: `unsafe` has one home, and no module with floats is public in `exact`.
//! clippy.toml and the lints of the workspace list the rules of clippy.

use super::problem::Problem;
use crate::workspace::Source;

/// The file with HiGHS, and so with `unsafe`.
const HIGHS: &str = "crates/exact/src/highs.rs";
/// The file of `exact` that declares which modules are public.
const EXACT: &str = "crates/exact/src/lib.rs";
/// Attributes of a file that may hold floats, or `unsafe` code. (In halves, so that this file keeps its own rules.)
const FLOATS: [&str; 2] = ["allow(clippy::", "disallowed_types"];
const UNSAFE: [&str; 2] = ["allow(", "unsafe_code)"];

/// Checks every Rust file.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = sources.iter().filter_map(misplaced_unsafe).collect();
    if let Some(exact) = sources.iter().find(|source| source.path == EXACT) {
        problems.extend(
            sources
                .iter()
                .filter_map(|source| shown_floats(source, &exact.text)),
        );
    }
    problems
}

/// `unsafe_code` is denied in the whole workspace. Only the files of the list may allow it.
fn misplaced_unsafe(source: &Source) -> Option<Problem> {
    let line = source
        .text
        .lines()
        .position(|line| line.contains(&UNSAFE.concat()))?;
    let rust = source.path.ends_with(".rs") && source.path != HIGHS;
    rust.then(|| {
        Problem::new(
            &source.path,
            line + 1,
            format!("`unsafe` belongs in {HIGHS} alone"),
        )
    })
}

/// Floats are disallowed except in files with the attribute. In `exact` such files stay private.
fn shown_floats(source: &Source, exact: &str) -> Option<Problem> {
    let module = source
        .path
        .strip_prefix("crates/exact/src/")?
        .strip_suffix(".rs")?;
    let is_door = |line: &str| {
        let shown = line
            .strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("pub use "));
        shown.is_some_and(|shown| {
            shown
                .strip_prefix(module)
                .is_some_and(|rest| rest.starts_with([';', ':', ' ']))
        })
    };
    let shown = source.text.contains(&FLOATS.concat()) && exact.lines().any(is_door);
    shown.then(|| {
        Problem::new(
            &source.path,
            0,
            "may hold floats, so lib.rs must not show it; exact shows rationals alone",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_single(path: &str, text: &str, lib: &str, expected: usize) {
        let source = |path: &str, text: &str| Source {
            path: path.to_string(),
            text: text.to_string(),
        };
        let problems = check(&[source(path, text), source(EXACT, lib)]);
        assert_eq!(problems.len(), expected, "{problems:?}");
    }

    #[test]
    fn unsafe_has_one_home() {
        let text = format!("#![{}]\n", UNSAFE.concat());
        check_single(HIGHS, &text, "", 0);
        check_single("crates/lp/src/solve.rs", &text, "", 1);
        check_single("crates/lp/src/solve.rs", "fn a() {}\n", "", 0);
    }

    #[test]
    fn exact_shows_no_float() {
        let text = format!("#![{})]\n", FLOATS.concat());
        let path = "crates/exact/src/scaled.rs";
        check_single(path, &text, "mod scaled;\npub use solver::Solver;\n", 0);
        check_single(path, &text, "pub mod scaled;\n", 1);
        check_single(path, &text, "mod scaled;\npub use scaled::Scaling;\n", 1);
        check_single(path, "fn a() {}\n", "pub mod scaled;\n", 0);
        check_single("doors/drawings/src/svg/mod.rs", &text, "pub mod svg;\n", 0);
    }
}
