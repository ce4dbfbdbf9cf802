//! Rules on Rust code, tests aside: no floats that decide, no hidden inputs or outputs, no panics, `unsafe` in one
//! place.

use super::lexer::code_lines;
use super::{Problem, Source};

/// Programs, as opposed to library crates: they may print, read the clock and the environment.
const PROGRAMS: &[&str] = &["cli"];

/// Words that library crates do without, and what to do instead.
const HIDDEN: &[(&str, &str)] = &[
    ("println!", "libraries print nothing; return the text"),
    ("print!", "libraries print nothing; return the text"),
    ("eprintln!", "libraries print nothing; return the text"),
    ("eprint!", "libraries print nothing; return the text"),
    ("dbg!", "libraries print nothing; remove it"),
    ("std::env", "libraries read no environment; take an argument"),
    ("env::var", "libraries read no environment; take an argument"),
    ("env::var_os", "libraries read no environment; take an argument"),
    ("Instant::now", "libraries read no clock; take an argument or ask the caller"),
    ("SystemTime", "libraries read no clock; take an argument or ask the caller"),
    ("std::time::Instant", "libraries read no clock; take an argument or ask the caller"),
    ("HashMap", "its order differs from run to run; use BTreeMap"),
    ("HashSet", "its order differs from run to run; use BTreeSet"),
    ("thread_rng", "libraries draw nothing unseeded; take a seed"),
    ("from_os_rng", "libraries draw nothing unseeded; take a seed"),
    ("OsRng", "libraries draw nothing unseeded; take a seed"),
];

/// Calls that end the program. Where one cannot happen, a comment says why.
const PANICS: &[&str] = &[".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!"];
const INVARIANT: &str = "// invariant:";

/// Where `exact` says which of its modules others see.
const EXACT: &str = "crates/exact/src/lib.rs";
/// Where HiGHS, and hence `unsafe`, lives: a file, or a folder.
const HIGHS: [&str; 2] = ["crates/exact/src/highs.rs", "crates/exact/src/highs/"];

/// Checks every file; what is not Rust code, or is a test, passes.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let exact = sources.iter().find(|source| source.path == EXACT).map_or("", |source| &source.text);
    let shown = shown_modules(exact);
    sources.iter().flat_map(|source| check_one(source, &shown)).collect()
}

/// The first words of `pub mod NAME` and `pub use NAME::...` in a lib.rs.
fn shown_modules(lib: &str) -> Vec<String> {
    let text = code_lines(lib).join("\n");
    let starts = ["pub mod ", "pub use crate::", "pub use self::", "pub use "];
    let names = starts.iter().flat_map(|start| text.split(start).skip(1));
    let names = names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
    names.collect()
}

fn check_one(source: &Source, shown: &[String]) -> Vec<Problem> {
    let Some(file) = File::read(source) else { return Vec::new() };
    let mut problems = file.misplaced_unsafe();
    if let Some(name) = file.crate_name {
        problems.extend(file.late_code());
        problems.extend(file.panics());
        if !PROGRAMS.contains(&name) {
            problems.extend(file.hidden());
            problems.extend(if name == "exact" { file.public_floats(shown) } else { file.floats() });
        }
    }
    problems
}

struct File<'a> {
    path: &'a str,
    /// `lp` of `crates/lp/src/...`; none outside `crates/*/src`.
    crate_name: Option<&'a str>,
    lines: Vec<&'a str>,
    code: Vec<String>,
    /// How many lines come before the first `#[cfg(test)]`; by our convention all that follows is tests.
    product: usize,
}

impl<'a> File<'a> {
    fn read(source: &'a Source) -> Option<File<'a>> {
        let path = source.path.as_str();
        let parts: Vec<&str> = path.split('/').collect();
        let is_test = parts.iter().any(|part| ["tests", "benches", "examples", "tests.rs"].contains(part));
        if !path.ends_with(".rs") || is_test {
            return None;
        }
        let crate_name = match parts[..] {
            ["crates", name, "src", ..] => Some(name),
            _ => None,
        };
        let code = code_lines(&source.text);
        // `mod tests;` stands among the other modules, where rustfmt sorts it; its file is a test by its name.
        let inline = |next: Option<&String>| next.is_none_or(|next| !(next.starts_with("mod ") && next.ends_with(';')));
        let begins = |index: &usize| code[*index].starts_with("#[cfg(test)]") && inline(code.get(index + 1));
        let product = (0..code.len()).find(begins).unwrap_or(code.len());
        Some(File { path, crate_name, lines: source.text.lines().collect(), code, product })
    }

    /// The code without tests, with line numbers from 1.
    fn product(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code[..self.product].iter().enumerate().map(|(index, line)| (index + 1, line.as_str()))
    }

    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem::new(self.path, line, message)
    }

    /// The solver's interface is the only place for `unsafe`, tests included.
    fn misplaced_unsafe(&self) -> Vec<Problem> {
        if HIGHS.iter().any(|home| self.path.starts_with(home)) {
            return Vec::new();
        }
        let message = format!("`unsafe` belongs in {} alone", HIGHS[0]);
        let found = self.code.iter().enumerate().filter(|(_, line)| has_word(line, "unsafe"));
        found.map(|(index, _)| self.problem(index + 1, &*message)).collect()
    }

    /// Nothing but test modules follows `#[cfg(test)]`, else the other rules would not see it.
    fn late_code(&self) -> Option<Problem> {
        let is_test = |line: &str| {
            line.starts_with([' ', '}', ')', ']'])
                || line.starts_with("#[")
                || line.starts_with("mod ")
                || line.starts_with("pub mod tests")
                || line.is_empty()
        };
        let late = self.code[self.product..].iter().position(|line| !is_test(line))?;
        Some(self.problem(self.product + late + 1, "code after `#[cfg(test)]`; test modules come last in a file"))
    }

    fn panics(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (line, code) in self.product() {
            for word in PANICS.iter().filter(|word| has_word(code, word)) {
                if !self.states_invariant(line) {
                    let advice = "return an error, or end the line with `// invariant: why this cannot fail`";
                    problems.push(self.problem(line, format!("`{word}`: {advice}")));
                }
            }
        }
        problems
    }

    /// The line ends with the reason, or comments right above it hold one.
    fn states_invariant(&self, line: usize) -> bool {
        let holds = |text: &str| text.split_once(INVARIANT).is_some_and(|(_, why)| !why.trim().is_empty());
        let above = self.lines[..line - 1].iter().rev().take_while(|text| text.trim_start().starts_with("//"));
        holds(self.lines[line - 1]) || above.into_iter().any(|text| holds(text))
    }

    fn hidden(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (line, code) in self.product() {
            let found = HIDDEN.iter().filter(|(word, _)| has_word(code, word));
            problems.extend(found.map(|(word, advice)| self.problem(line, format!("`{word}`: {advice}"))));
            // `use std::time::{Duration, Instant};`
            if code.contains("std::time::{") && has_word(code, "Instant") {
                problems
                    .push(self.problem(line, "`Instant`: libraries read no clock; take an argument or ask the caller"));
            }
        }
        problems
    }

    /// No float outside `exact`; pictures have pixels.
    fn floats(&self) -> Vec<Problem> {
        if self.path.starts_with("crates/drawings/src/svg") {
            return Vec::new();
        }
        let found = self.product().filter(|(_, code)| has_float(code));
        found.map(|(line, _)| self.problem(line, "a float; costs, times and prices are exact rationals")).collect()
    }

    /// No float in what `exact` shows to others. A module that lib.rs neither publishes nor re-exports is its own
    /// affair.
    fn public_floats(&self, shown: &[String]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.path == EXACT && shown.iter().any(|name| name == "highs") {
            problems.push(
                self.problem(0, "the module `highs` is public; no HiGHS type crosses the public signature of exact"),
            );
        }
        let module = self.path.split('/').nth(3).unwrap_or("").trim_end_matches(".rs");
        if self.path != EXACT && !shown.iter().any(|name| name == module) {
            return problems;
        }
        let text = self.code[..self.product].join("\n");
        for (start, signature) in public_signatures(&text) {
            if has_word(signature, "f64") || has_word(signature, "f32") {
                let line = text[..start].matches('\n').count() + 1;
                problems.push(self.problem(line, "a float in a public signature; exact takes and returns rationals"));
            }
        }
        problems
    }
}

/// Whether the word occurs on its own: not as a part of a longer name.
fn has_word(code: &str, word: &str) -> bool {
    let named = |c: char| c.is_alphanumeric() || c == '_';
    let (open, close) = (word.starts_with(named), word.ends_with(named));
    code.match_indices(word).any(|(at, _)| {
        let before = open && code[..at].ends_with(named);
        let after = close && code[at + word.len()..].starts_with(named);
        !before && !after
    })
}

/// A float type, or a literal such as `0.5`; `x.0.1` and `0..1` are none.
fn has_float(code: &str) -> bool {
    if has_word(code, "f64") || has_word(code, "f32") {
        return true;
    }
    code.match_indices('.').any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let head = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let number = head.len() < before.len() && after.starts_with(|c: char| c.is_ascii_digit());
        number && !head.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

/// The public signatures in blanked code, with where they start: functions, fields, types, constants, traits and enums
/// as a whole, and the heads of `impl` blocks (a trait implemented for a float is public too).
fn public_signatures(text: &str) -> Vec<(usize, &str)> {
    let starts = text.match_indices("pub ").chain(text.match_indices("impl")).map(|(at, _)| at);
    let at_word = |at: &usize| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut starts: Vec<usize> = starts.filter(at_word).collect();
    starts.sort_unstable();
    starts.into_iter().map(|start| (start, signature(&text[start..]))).collect()
}

/// The signature at the start of the text, without body.
fn signature(text: &str) -> &str {
    let kind = text.trim_start_matches("pub ").split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let whole = ["enum", "trait"].contains(&kind);
    let mut depth = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            // A struct's fields speak for themselves: the public ones are signatures of their own.
            '(' if kind == "struct" => return &text[..at],
            '{' if !whole => return &text[..at],
            '(' | '[' | '<' | '{' => depth += 1,
            '>' if previous == '-' || previous == '=' => {}
            ')' | ']' | '>' | '}' => {
                depth -= 1;
                if depth < 0 || (depth == 0 && c == '}') {
                    return &text[..at];
                }
            }
            ';' | ',' | '=' if depth == 0 && !(c == '=' && kind == "type") => return &text[..at],
            _ => {}
        }
        previous = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with problems of a file of a crate.
    #[track_caller]
    fn check_lines(path: &str, text: &str, expected: &[usize]) {
        let source = |path: &str, text: &str| Source { path: path.to_string(), text: text.to_string() };
        let mut sources = vec![source(path, text)];
        if path != EXACT {
            sources.push(source(EXACT, "mod highs;\nmod scale;\npub mod solve;\npub use row::{Row};\n"));
        }
        let problems = check(&sources);
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, expected, "{problems:?}");
    }

    const LP: &str = "crates/lp/src/lib.rs";

    #[test]
    fn libraries_have_no_hidden_input_or_output() {
        check_lines(LP, "use std::collections::BTreeMap;\nwriteln!(out, \"println!\");\n// HashMap\n", &[]);
        check_lines(LP, "println!();\neprint!();\ndbg!(a);\n", &[1, 2, 3]);
        check_lines(LP, "use std::time::Duration;\nuse std::time::{Duration, Instant};\n", &[2]);
        check_lines(
            LP,
            "let a = Instant::now();\nuse std::env;\nenv!(\"A\");\nuse std::collections::HashSet;\n",
            &[1, 2, 4],
        );
        check_lines("crates/cli/src/main.rs", "println!(\"{}\", Instant::now());\n", &[]);
        check_lines("xtask/src/main.rs", "println!();\n", &[]);
    }

    #[test]
    fn panics_need_a_reason() {
        check_lines(LP, "a.unwrap();\nb.expect(\"\");\npanic!();\ntodo!();\nunimplemented!();\n", &[1, 2, 3, 4, 5]);
        check_lines(LP, "a.unwrap_or(0);\na.expect_err(0);\n/// a.unwrap()\n", &[]);
        check_lines(LP, "a.unwrap(); // invariant: a was just set\n", &[]);
        check_lines(LP, "a.unwrap(); // invariant:\n", &[1]);
        check_lines(LP, "// invariant: a was\n// just set\na.unwrap();\n\na.unwrap();\n", &[5]);
        check_lines("crates/cli/src/main.rs", "a.unwrap();\n", &[1]);
        check_lines("xtask/src/main.rs", "a.unwrap();\n", &[]);
    }

    #[test]
    fn tests_are_free() {
        let tests = "#[cfg(test)]\nmod tests {\n    a.unwrap();\n    0.5f64\n}\n";
        check_lines(LP, tests, &[]);
        check_lines(LP, &format!("a.unwrap();\n{tests}"), &[1]);
        check_lines("crates/lp/tests/a.rs", "a.unwrap();\n", &[]);
        check_lines("benches/benches/a.rs", "unsafe {}\n", &[]);
    }

    #[test]
    fn test_modules_come_last() {
        check_lines(LP, "#[cfg(test)]\nmod tests {\n}\n\nfn a() {}\n", &[5]);
        check_lines(LP, "mod a;\n#[cfg(test)]\nmod tests;\nmod z;\na.unwrap();\n", &[5]);
        check_lines(LP, "#[cfg(test)]\nmod tests {\n}\n\n#[cfg(test)]\nmod more {\n    a.unwrap();\n}\n", &[]);
    }

    #[test]
    fn unsafe_has_one_home() {
        check_lines("crates/exact/src/highs.rs", "unsafe { a() }\n", &[]);
        check_lines("crates/exact/src/highs/raw.rs", "unsafe { a() }\n", &[]);
        check_lines("crates/exact/src/lib.rs", "unsafe { a() }\n", &[1]);
        check_lines("xtask/src/main.rs", "unsafe { a() }\n", &[1]);
        check_lines(LP, "#![deny(unsafe_code)]\n// unsafe\n", &[]);
    }

    #[test]
    fn floats_decide_nothing() {
        check_lines(LP, "let a: f64 = b;\nlet a = 0.5;\nlet a = b as f32;\n", &[1, 2, 3]);
        check_lines(LP, "a.0.1;\n0..1;\n1.max(2);\nconf64;\n\"0.5\";\na[1..2];\n", &[]);
        check_lines("crates/drawings/src/svg/gantt.rs", "let a = 0.5;\n", &[]);
        check_lines("crates/formats/src/plan.rs", "let a = 0.5;\n", &[1]);
        check_lines("crates/cli/src/progress.rs", "let a = 0.5;\n", &[]);
    }

    #[test]
    fn exact_shows_no_float() {
        let path = "crates/exact/src/solve.rs";
        check_lines(
            path,
            "fn a(b: f64) -> f64 {}\npub(crate) fn c(d: f64) {}\npub fn e(f: u8) {\n    let g: f64 = 1.0;\n}\n",
            &[],
        );
        check_lines(path, "pub fn a(\n    b: u8,\n    c: f64,\n) -> u8 {}\n", &[1]);
        check_lines(path, "pub fn a(b: u8) -> Vec<f64> {}\n", &[1]);
        check_lines(path, "pub fn a(b: impl Fn(u8) -> u8, c: &[f32]) {}\n", &[1]);
        check_lines(
            path,
            "pub struct A {\n    b: f64,\n    pub c: Map<u8, f64>,\n    pub d: u8,\n    e: f64,\n}\n",
            &[3],
        );
        check_lines(
            path,
            "pub struct A(f64);\npub enum B {\n    C(f64),\n}\npub enum D {\n    E,\n}\nfn f(g: f64) {}\n",
            &[2],
        );
        check_lines(path, "pub const A: u8 = f64::DIGITS;\npub const B: f64 = 0.0;\npub type C = Vec<f64>;\n", &[2, 3]);
        check_lines(path, "impl From<f64> for A {\n}\nimpl A {\n    fn b(c: f64) {}\n}\n", &[1]);
    }

    #[test]
    fn what_exact_keeps_to_itself_may_be_float() {
        for (module, expected) in
            [("highs", 0), ("scale", 0), ("scale/inner", 0), ("solve", 1), ("row", 1), ("row/inner", 1)]
        {
            let lines = if expected == 0 { &[][..] } else { &[1][..] };
            check_lines(&format!("crates/exact/src/{module}.rs"), "pub fn a(b: f64) {}\n", lines);
        }
        check_lines(EXACT, "mod highs;\nuse highs::A;\n", &[]);
        check_lines(EXACT, "pub mod highs;\n", &[0]);
        check_lines(EXACT, "mod highs;\npub use highs::A;\n", &[0]);
    }
}
