//! Amounts: the size of messages and the work of merges, in plans, in files of their own, and on one line.

use std::fmt::Write as _;
use std::path::Path;

use num_traits::{One, Zero};
use oneport_plan::Amount;
use oneport_platform::{Rational, parse_rational};

use crate::error::{AmountError, FormatError, Mistake};
use crate::json::{Json, need};
use crate::number::rational;
use crate::source::{Source, read_bytes};

/// Most bytes of an amount file.
pub const MAX_AMOUNT_BYTES: u64 = 16 << 20;

/// Most operands of a table by interval. A table takes time and memory quadratic in them.
const MOST_OPERANDS: usize = 2000;

/// Reads an amount on one line: `3/2` for all, or with the number of operands combined, `n`: `1+1/2n` is 1 and
/// another 1/2 per operand. The forms are `A`, `A+Bn`, `Bn` and `A+n`, also with `-`; spaces are allowed.
///
/// # Errors
/// Which part is no number, and why.
pub fn parse_amount(text: &str) -> Result<Amount, AmountError> {
    let text = text.trim();
    let Some(sum) = text.strip_suffix('n') else {
        return parse_rational(text).map(Amount::Constant).map_err(AmountError::Fixed);
    };
    let (fixed, factor) = sum.split_at(last_sign(sum).unwrap_or(0));
    let fixed = match fixed.trim() {
        "" => Rational::zero(),
        fixed => parse_rational(fixed).map_err(AmountError::Fixed)?,
    };
    let factor = factor.trim();
    let (negative, factor) = match factor.strip_prefix('-') {
        Some(factor) => (true, factor),
        None => (false, factor.strip_prefix('+').unwrap_or(factor)),
    };
    let per_operand = match factor.trim() {
        "" => Rational::one(),
        factor => parse_rational(factor).map_err(AmountError::PerOperand)?,
    };
    Ok(Amount::Affine { fixed, per_operand: if negative { -per_operand } else { per_operand } })
}

/// Where the last summand begins: at a sign that belongs neither to an exponent nor to a denominator.
fn last_sign(sum: &str) -> Option<usize> {
    let signs = sum.char_indices().filter(|(_, c)| matches!(c, '+' | '-'));
    signs.map(|(at, _)| at).rfind(|&at| !sum.get(..at).unwrap_or_default().trim_end().ends_with(['e', 'E', '/']))
}

/// Reads an amount file: an amount on one line as [`parse_amount`] has it, or JSON as in a plan: a number,
/// `{"fixed": "1", "per_operand": "1/2"}`, or a table `[["1", "2"], ["1"]]` whose row `k` holds the amounts of
/// `[k,k]`, `[k,k+1]`, ... Linear in the file, but for the numbers.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_AMOUNT_BYTES`]; else the first thing that is wrong: its line, key and
/// value, and what would be right.
pub fn read_amount(path: &Path) -> Result<Amount, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_AMOUNT_BYTES)?;
    let source = Source::new(&name, &bytes, "an amount")?;
    if source.text.trim_start().starts_with(['{', '[', '"']) {
        return amount(&Json::parse(source)?);
    }
    let offset = source.text.len() - source.text.trim_start().len();
    parse_amount(source.text).map_err(|error| source.error(offset, None, Mistake::Amount(error)))
}

/// An amount in JSON.
pub(crate) fn amount(value: &Json<'_, '_>) -> Result<Amount, FormatError> {
    match value.opening() {
        Some(b'{') => {
            let [fixed, per_operand] = value.object(["fixed", "per_operand"])?;
            let fixed = rational(need(value, fixed, "fixed", "the part that every partial result has")?)?;
            let per_operand = need(value, per_operand, "per_operand", "what every operand combined adds")?;
            Ok(Amount::Affine { fixed, per_operand: rational(per_operand)? })
        }
        Some(b'[') => table(value).map(Amount::Table),
        Some(b'"' | b'-' | b'0'..=b'9') => rational(*value).map(Amount::Constant),
        _ => Err(value.wrong(
            "an amount: a number, such as \"3/2\", or {\"fixed\": \"1\", \"per_operand\": \"1/2\"}, or a list of rows",
        )),
    }
}

fn table(value: &Json<'_, '_>) -> Result<Vec<Vec<Rational>>, FormatError> {
    let within = |index: usize, most: usize, entry: &Json<'_, '_>| {
        let instead = "give {\"fixed\": ..., \"per_operand\": ...}";
        let mistake = Mistake::TooMany { what: "operands in a table", limit: MOST_OPERANDS, instead };
        if index < most { Ok(()) } else { Err(entry.fail(mistake)) }
    };
    let mut rows = Vec::new();
    value.each(|first, list| {
        within(first, MOST_OPERANDS, &list)?;
        if list.opening() != Some(b'[') {
            return Err(list.wrong("a row of a table, [\"1\", \"2\"]: the amounts of [k,k], [k,k+1], ..."));
        }
        let mut row = Vec::new();
        list.each(|place, entry| {
            within(place, MOST_OPERANDS - first, &entry)?;
            row.push(rational(entry)?);
            Ok(())
        })?;
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// The amount as [`amount`] reads it.
pub(crate) fn write_amount(out: &mut String, amount: &Amount) {
    // Writing to a string cannot fail.
    let _ = match amount {
        Amount::Constant(value) => write!(out, "\"{value}\""),
        Amount::Affine { fixed, per_operand } => {
            write!(out, "{{\"fixed\": \"{fixed}\", \"per_operand\": \"{per_operand}\"}}")
        }
        Amount::Table(rows) => write_table(out, rows),
    };
}

fn write_table(out: &mut String, rows: &[Vec<Rational>]) -> std::fmt::Result {
    for (index, row) in rows.iter().enumerate() {
        out.push_str(if index == 0 { "[[" } else { ", [" });
        for (place, value) in row.iter().enumerate() {
            write!(out, "{}\"{value}\"", if place == 0 { "" } else { ", " })?;
        }
        out.push(']');
    }
    out.push_str(if rows.is_empty() { "[]" } else { "]" });
    Ok(())
}
