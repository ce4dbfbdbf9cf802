//! The mutants, as cargo-mutants names them.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace;

/// The version whose list this module reads.
const VERSION: &str = "27.1.0";

/// A position in a file: line and column in characters, both counted from 1.
pub type Position = (usize, usize);

/// One change of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Counted from 1 in the order of the list. 0 means no mutant.
    pub id: usize,
    /// File, line, column and change, as text.
    pub name: String,
    /// Path from the root of the repository.
    pub file: String,
    /// Start (with attributes and comments) and end of the function. `None` outside functions.
    pub function: Option<(Position, Position)>,
    /// Whether the function returns `impl Trait`: the types of two bodies would differ.
    pub opaque: bool,
    /// The replaced text, from and up to.
    pub span: (Position, Position),
    /// The new text.
    pub replacement: String,
}

/// All mutants of a crate.
///
/// # Errors
/// cargo-mutants is missing, or its output has another form than this module reads.
pub fn mutants(package: &str) -> Result<Vec<Mutant>> {
    let mut command = workspace::cargo(&["mutants", "--list", "--json", "--package", package])?;
    let output = command.output().context("cannot run `cargo mutants`")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let advice =
            format!("if it is missing: `cargo install --locked cargo-mutants --version {VERSION}`");
        bail!(
            "`{}` failed: {}\n{advice}",
            workspace::describe(&command),
            text.trim()
        );
    }
    let list: Value = serde_json::from_slice(&output.stdout)
        .context("`cargo mutants --list --json` is not JSON")?;
    let list = list
        .as_array()
        .context("`cargo mutants --list --json` is no list")?;
    let read = |(index, value)| {
        read(index + 1, value).context("`cargo mutants --list --json` lacks a field")
    };
    list.iter().enumerate().map(read).collect()
}

fn read(id: usize, value: &Value) -> Option<Mutant> {
    let text = |field: &str| Some(value[field].as_str()?.to_string());
    let function = &value["function"];
    Some(Mutant {
        id,
        name: text("name")?,
        file: text("file")?,
        function: if function.is_null() {
            None
        } else {
            Some(span(&function["span"])?)
        },
        opaque: function["return_type"]
            .as_str()
            .is_some_and(|text| text.contains("impl ")),
        span: span(&value["span"])?,
        replacement: text("replacement")?,
    })
}

fn span(value: &Value) -> Option<(Position, Position)> {
    let number = |end: &str, field: &str| usize::try_from(value[end][field].as_u64()?).ok();
    let position = |end: &str| Some((number(end, "line")?, number(end, "column")?));
    Some((position("start")?, position("end")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let position = |line: u64, column: u64| serde_json::json!({"line": line, "column": column});
        let value = serde_json::json!({
            "name": "a.rs:2:5: replace + with - in a", "file": "a.rs", "replacement": "-", "genre": "BinaryOperator",
            "function": {"return_type": "-> impl Fn() -> u8", "span": {"start": position(1, 1), "end": position(3, 2)}},
            "span": {"start": position(2, 5), "end": position(2, 6)},
        });
        let mutant = read(7, &value).unwrap();
        assert_eq!(
            (mutant.id, mutant.function, mutant.span),
            (7, Some(((1, 1), (3, 2))), ((2, 5), (2, 6)))
        );
        assert!(mutant.opaque);
        assert_eq!(read(7, &serde_json::json!({"name": "a"})), None);
    }
}
