//! Numeric constants and what their documentation says of them. `cargo xtask constants` prints the tuning constants.
//!
//! A constant that was chosen says `Trades A for B. Measured: ...`, or `Not measured.` Every other constant of the
//! theory says what fixes it: `Fact:` (arithmetic, hardware, a format), `Limit:` (larger questions are refused) or
//! `Shown:` (how much of a value is printed). A value that no index has (`usize::MAX`) needs neither.

use anyhow::Result;

use super::problem::Problem;
use crate::workspace::{self, Source};

const TRADES: &str = "Trades ";
const DEFINITIONS: [&str; 3] = ["Fact:", "Limit:", "Shown:"];
/// Folders whose constants are checked for `TRADES` alone: the limits of file formats, the sizes of drawings.
const FORMATS: [&str; 3] = ["crates/formats/", "crates/files/", "crates/testkit/"];

/// One numeric constant of the product.
struct Constant<'s> {
    path: &'s str,
    /// Counted from 1.
    line: usize,
    name: &'s str,
    value: &'s str,
    /// Lines of the comment above, joined by spaces.
    doc: String,
}

impl Constant<'_> {
    /// The part of the documentation from `Trades` on.
    fn trade(&self) -> Option<&str> {
        self.doc.find(TRADES).map(|at| &self.doc[at..])
    }

    fn is_defined(&self) -> bool {
        self.value.ends_with("::MAX") || DEFINITIONS.iter().any(|word| self.doc.contains(word))
    }

    fn problem(&self) -> Option<Problem> {
        let message = match self.trade() {
            Some(trade) if trade.contains(" for ") && trade.contains("easured") => return None,
            Some(_) => format!(
                "{}: say `Trades A for B.` and `Measured: ...`, or `Not measured.`",
                self.name
            ),
            None if self.is_defined() || !is_theory(self.path) => return None,
            None => format!(
                "{}: say what it trades (`Trades A for B. Measured: ...`), or what fixes it ({})",
                self.name,
                DEFINITIONS.join(", ")
            ),
        };
        Some(Problem::new(self.path, self.line, message))
    }
}

/// Checks the numeric constants of all sources.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    sources
        .iter()
        .flat_map(constants)
        .filter_map(|constant| constant.problem())
        .collect()
}

/// Prints one row per tuning constant, in order of files, then the numbers of constants of each kind.
///
/// # Errors
/// The repository cannot be read.
pub fn run() -> Result<()> {
    let sources = workspace::sources()?;
    let all: Vec<Constant<'_>> = sources.iter().flat_map(constants).collect();
    let mut measured = 0;
    println!("| constant | value | trades | measured |\n|---|---|---|---|");
    let tuning: Vec<(&Constant<'_>, &str)> = all
        .iter()
        .filter_map(|constant| Some((constant, constant.trade()?)))
        .collect();
    for (constant, trade) in &tuning {
        let (trades, measurement) = split(trade);
        measured += usize::from(!measurement.starts_with("Not "));
        let Constant {
            path,
            line,
            name,
            value,
            ..
        } = constant;
        println!("| `{name}` {path}:{line} | `{value}` | {trades} | {measurement} |");
    }
    println!(
        "\n{} numeric constants: {} definitions, {} tuning constants, {measured} of them measured",
        all.len(),
        all.len() - tuning.len(),
        tuning.len()
    );
    Ok(())
}

/// The sentence that begins with `Trades`, without that word, and the one with the measurement.
fn split(trade: &str) -> (&str, &str) {
    let trade = &trade[TRADES.len()..];
    let at = trade
        .find("Not measured")
        .or_else(|| trade.find("Measured"))
        .unwrap_or(trade.len());
    (trade[..at].trim_end(), trade[at..].trim_end())
}

fn is_theory(path: &str) -> bool {
    path.starts_with("crates/") && !FORMATS.iter().any(|folder| path.starts_with(folder))
}

/// The numeric constants of a file of the product, outside of its tests.
fn constants(source: &Source) -> Vec<Constant<'_>> {
    let product = ["crates/", "doors/", "papers/"]
        .iter()
        .any(|folder| source.path.starts_with(folder));
    if !product
        || !source.path.contains("src/")
        || !source.path.ends_with(".rs")
        || source.path.ends_with("tests.rs")
    {
        return Vec::new();
    }
    let text = source
        .text
        .split("\n#[cfg(test)]\nmod ")
        .next()
        .unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((index, declaration(line)?)));
    declared
        .map(|(index, (name, value))| {
            let above = lines[..index]
                .iter()
                .rev()
                .take_while(|line| line.starts_with("//") || line.starts_with("#["));
            let mut doc: Vec<&str> = above.filter_map(|line| line.strip_prefix("//")).collect();
            doc.reverse();
            let doc = doc
                .iter()
                .map(|line| line.trim_start_matches('/').trim())
                .collect::<Vec<&str>>()
                .join(" ");
            Constant {
                path: &source.path,
                line: index + 1,
                name,
                value,
                doc,
            }
        })
        .collect()
}

/// Name and value of `const NAME: TYPE = VALUE;` if the type is a number, a duration, or begins with one.
fn declaration(line: &str) -> Option<(&str, &str)> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (name, rest) = line.strip_prefix("const ")?.split_once(": ")?;
    let (kind, value) = rest.split_once(" = ")?;
    let kind = kind
        .strip_prefix("Option<")
        .unwrap_or(kind)
        .trim_start_matches(['[', '(']);
    let first = kind
        .split(|letter: char| !letter.is_alphanumeric())
        .next()?;
    let digits = first.strip_prefix(['u', 'i', 'f']).unwrap_or_default();
    let is_number = ["8", "16", "32", "64", "128", "size"].contains(&digits)
        || ["Duration", "HighsInt"].contains(&first);
    is_number.then_some((name, value.strip_suffix(';').unwrap_or(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the problems of a file with this content.
    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = Source {
            path: path.to_string(),
            text: text.to_string(),
        };
        check(&[source])
            .iter()
            .map(|problem| problem.line)
            .collect()
    }

    #[test]
    fn tuning_constants_say_what_they_trade_and_what_was_measured() {
        let path = "crates/lp/src/a.rs";
        let good = "/// Rounds. Trades time\n/// for memory. Measured: 3 s.\npub(super) const A: usize = 3;\n";
        assert_eq!(lines(path, good), [0usize; 0]);
        assert_eq!(
            lines(path, &good.replace("Measured: 3 s", "Not measured")),
            [0usize; 0]
        );
        assert_eq!(lines(path, &good.replace(" Measured: 3 s.", "")), [3]);
        assert_eq!(lines(path, &good.replace(" for", "")), [3]);
        let door = "doors/timing/src/a.rs";
        assert_eq!(lines(door, &good.replace(" Measured: 3 s.", "")), [3]);
        assert_eq!(
            lines(door, "/// Rounds.\nconst A: usize = 3;\n"),
            [0usize; 0]
        );
    }

    #[test]
    fn the_other_constants_of_the_theory_say_what_fixes_them() {
        let one = |doc: &str, rest: &str| {
            lines(
                "crates/exact/src/a.rs",
                &format!("{doc}\n#[cfg(a)]\n    const {rest}\n"),
            )
        };
        assert_eq!(one("/// Digits.", "A: (u32, u32) = (1, 2);"), [3]);
        assert_eq!(
            one("/// Shown: digits.", "A: (u32, u32) = (1, 2);"),
            [0usize; 0]
        );
        assert_eq!(one("/// A mark.", "A: [u64; 3] = [1, 2, 3];"), [3]);
        assert_eq!(one("/// No index.", "A: usize = usize::MAX;"), [0usize; 0]);
        assert_eq!(
            one("/// A time.", "A: Duration = Duration::from_secs(1);"),
            [3]
        );
        assert_eq!(one("/// A name.", "A: &str = \"1\";"), [0usize; 0]);
        assert_eq!(
            one("/// Tested.\n\n#[cfg(test)]\nmod tests {", "A: u64 = 1;"),
            [0usize; 0]
        );
        assert_eq!(
            lines("crates/formats/src/a.rs", "const A: u64 = 1;\n"),
            [0usize; 0]
        );
    }

    #[test]
    fn a_row_has_the_trade_and_its_measurement() {
        assert_eq!(
            split("Trades time for memory. Measured: 3 s."),
            ("time for memory.", "Measured: 3 s.")
        );
        assert_eq!(
            split("Trades time for memory. Not measured."),
            ("time for memory.", "Not measured.")
        );
    }
}
