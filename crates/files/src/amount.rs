//! Amounts: the size of messages and the work of merges, in plans, in separate files, and on one line.

use std::fmt::Write as _;
use std::path::Path;

use num_traits::{One, Zero};
use oneport_plan::Amount;
use oneport_platform::units::{Dimension, Quantity, UnitError};
use oneport_platform::{NumberError, Platform, Rational, Units, parse_rational};

use crate::error::{AmountError, FormatError, Mistake, clip};
use crate::json::{Json, need};
use crate::number::rational;
use crate::source::{Source, read_bytes};
use crate::tasks;

/// Most bytes of an amount file.
pub const MAX_AMOUNT_BYTES: u64 = 16 << 20;

/// Most operands of a table by interval. A table takes time and memory quadratic in them.
const MOST_OPERANDS: usize = 2000;

/// Reads an amount on one line: `3/2` for all, or with the number of operands combined, `n`: `1+1/2n` is 1 and
/// another 1/2 per operand. The forms are `A`, `A+Bn`, `Bn` and `A+n`, also with `-`. Spaces are allowed.
///
/// # Errors
/// The part that is not a number, and the reason.
pub fn parse_amount(text: &str) -> Result<Amount, AmountError> {
    amount_of(text, &parse_rational, NumberParts::wrapped)
}

/// Reads the size of messages on a platform of these units: like [`parse_amount`], but numbers may carry a unit of
/// data (`64MiB`, `1 KiB + 8 B n`). Plain numbers are in the platform's unit.
///
/// # Errors
/// Those of [`parse_amount`]. A unit on a platform without units, or a unit of another dimension than data.
pub fn parse_size(text: &str, units: Option<Units>) -> Result<Amount, AmountError> {
    let data = |part: &str| {
        let quantity = Quantity::parse(part)?;
        match (quantity.dimension, units) {
            (Dimension::Number, _) => Ok(parse_rational(part)?),
            (_, Some(units)) => Ok(units.data(&quantity, part)?),
            (_, None) => Err(SizeError::NoUnits(clip(part.trim()))),
        }
    };
    amount_of(text, &data, SizeError::wrapped)
}

/// Reads the work of merges on a platform of these units: as [`parse_amount`]; or a time (`2 ms`: of a merge at compute
/// 1); or time per data (`2 ms/GB`, `500 GB/s`), which then follows `size`; or data, if the computes of the platform
/// are times per data.
///
/// # Errors
/// Those of [`parse_amount`]. A unit on a platform without units. Data instead of time per data, or time per data
/// instead of data.
pub fn parse_work(text: &str, units: Option<Units>, size: &Amount) -> Result<Amount, AmountError> {
    let quantity = match Quantity::parse(text) {
        Ok(quantity) if quantity.dimension != Dimension::Number => quantity,
        // An unknown unit is reported as such. All other mistakes are reported as mistakes in an amount.
        Err(error @ UnitError::Unknown { .. }) if !text.trim_end().ends_with('n') => {
            return Err(AmountError::Unit(error));
        }
        _ => return parse_amount(text),
    };
    let shown = clip(text.trim());
    let units = units.ok_or_else(|| AmountError::NoUnits(shown.clone()))?;
    let work = match (quantity.dimension, units.work_is_data) {
        (Dimension::Data, true) => units.data(&quantity, text).map(Amount::Constant),
        (Dimension::Data, false) => return Err(AmountError::WorkAsData(shown)),
        (Dimension::Cost | Dimension::Rate, true) => return Err(AmountError::WorkTwice(shown)),
        (Dimension::Cost | Dimension::Rate, false) => {
            units.cost(&quantity, text).map(|cost| size.times(&cost))
        }
        _ => units.time(&quantity, text).map(Amount::Constant),
    };
    work.map_err(AmountError::Unit)
}

/// Which of the two numbers of an amount is wrong.
#[derive(Clone, Copy)]
enum NumberParts {
    Fixed,
    PerOperand,
}

impl NumberParts {
    fn wrapped(self, error: NumberError) -> AmountError {
        match self {
            NumberParts::Fixed => AmountError::Fixed(error),
            NumberParts::PerOperand => AmountError::PerOperand(error),
        }
    }
}

/// Reasons why the number of a size is refused.
enum SizeError {
    Unit(UnitError),
    NoUnits(String),
}

impl From<UnitError> for SizeError {
    fn from(error: UnitError) -> Self {
        SizeError::Unit(error)
    }
}

impl From<NumberError> for SizeError {
    fn from(error: NumberError) -> Self {
        SizeError::Unit(error.into())
    }
}

impl SizeError {
    fn wrapped(part: NumberParts, error: SizeError) -> AmountError {
        match error {
            SizeError::Unit(UnitError::Number(error)) => part.wrapped(error),
            SizeError::Unit(error) => AmountError::Unit(error),
            SizeError::NoUnits(text) => AmountError::NoUnits(text),
        }
    }
}

/// An amount whose numbers are read by `number`.
fn amount_of<E>(
    text: &str,
    number: &dyn Fn(&str) -> Result<Rational, E>,
    wrapped: fn(NumberParts, E) -> AmountError,
) -> Result<Amount, AmountError> {
    let text = text.trim();
    // Not a number of multiples of n.
    let is_nan = text.eq_ignore_ascii_case("nan");
    let Some(sum) = text.strip_suffix('n').filter(|_| !is_nan) else {
        return number(text)
            .map(Amount::Constant)
            .map_err(|error| wrapped(NumberParts::Fixed, error));
    };
    let (fixed, factor) = sum.split_at(last_sign(sum).unwrap_or(0));
    let fixed = match fixed.trim() {
        "" => Rational::zero(),
        fixed => number(fixed).map_err(|error| wrapped(NumberParts::Fixed, error))?,
    };
    let factor = factor.trim();
    let (negative, factor) = match factor.strip_prefix('-') {
        Some(factor) => (true, factor),
        None => (false, factor.strip_prefix('+').unwrap_or(factor)),
    };
    let per_operand = match factor.trim() {
        "" => Rational::one(),
        factor => number(factor).map_err(|error| wrapped(NumberParts::PerOperand, error))?,
    };
    Ok(Amount::Affine {
        fixed,
        per_operand: if negative { -per_operand } else { per_operand },
    })
}

/// Offset of the last summand: at a sign that belongs neither to an exponent nor to a denominator.
fn last_sign(sum: &str) -> Option<usize> {
    let signs = sum.char_indices().filter(|(_, c)| matches!(c, '+' | '-'));
    signs.map(|(at, _)| at).rfind(|&at| {
        !sum.get(..at)
            .unwrap_or_default()
            .trim_end()
            .ends_with(['e', 'E', '/'])
    })
}

/// Reads an amount file: an amount on one line as [`parse_amount`] has it, or JSON as in a plan: a number, `{"fixed":
/// "1", "per_operand": "1/2"}`, or a table `[["1", "2"], ["1"]]` whose row `k` holds the amounts of `[k,k]`, `[k,k+1]`,
/// ... Linear in the file, apart from the numbers.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_AMOUNT_BYTES`]. Else the first thing that is wrong: its line, key and
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

/// Reads a file of the work of merges on a platform: as [`read_amount`], or a list of entries by task and processor,
/// `[{"task": [0, 0, 1], "work": "3"}, {"task": [0, 0, 1], "node": "P0", "time": "1/4"}]`. A task `[k, l, m]` combines
/// `v[k,l]` and `v[l+1,m]`. Without `node`, the work is that of every processor, which takes `work x compute` for it.
/// An entry with `node` goes before that. `time` is the duration of the task at that node. `null` or a missing entry
/// means that the node cannot run it.
///
/// # Errors
/// Those of [`read_amount`]. A node that the platform does not have, or that computes nothing. A task that is not a
/// `[k, l, m]` with `k <= l < m`. An entry given twice, or with both `work` and `time`, or with neither.
pub fn read_work(path: &Path, platform: &Platform) -> Result<Amount, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_AMOUNT_BYTES)?;
    let source = Source::new(&name, &bytes, "an amount of work")?;
    if source.text.trim_start().starts_with('[') {
        return work(&Json::parse(source)?, platform);
    }
    read_amount(path)
}

/// The work of merges in JSON: an amount, or a list of entries by task and processor.
pub(crate) fn work(value: &Json<'_, '_>, platform: &Platform) -> Result<Amount, FormatError> {
    if tasks::are_entries(value)? {
        tasks::read(value, platform).map(Amount::Tasks)
    } else {
        amount(value)
    }
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
        let mistake = Mistake::TooMany {
            what: "operands in a table",
            limit: MOST_OPERANDS,
            instead,
        };
        if index < most {
            Ok(())
        } else {
            Err(entry.fail(mistake))
        }
    };
    let mut rows = Vec::new();
    value.each(|first, list| {
        within(first, MOST_OPERANDS, &list)?;
        if list.opening() != Some(b'[') {
            return Err(
                list.wrong("a row of a table, [\"1\", \"2\"]: the amounts of [k,k], [k,k+1], ...")
            );
        }
        let mut row = Vec::new();
        list.each(|index, entry| {
            within(index, MOST_OPERANDS - first, &entry)?;
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
            write!(
                out,
                "{{\"fixed\": \"{fixed}\", \"per_operand\": \"{per_operand}\"}}"
            )
        }
        Amount::Table(rows) => write_table(out, rows),
        // Names are the platform's: see `write_work`.
        Amount::Tasks(_) => Ok(()),
    };
}

/// The work as [`work`] reads it.
pub(crate) fn write_work(out: &mut String, amount: &Amount, platform: &Platform) {
    match amount {
        Amount::Tasks(table) => tasks::write(out, table, platform),
        amount => write_amount(out, amount),
    }
}

fn write_table(out: &mut String, rows: &[Vec<Rational>]) -> std::fmt::Result {
    for (index, row) in rows.iter().enumerate() {
        out.push_str(if index == 0 { "[[" } else { ", [" });
        for (index, value) in row.iter().enumerate() {
            write!(out, "{}\"{value}\"", if index == 0 { "" } else { ", " })?;
        }
        out.push(']');
    }
    out.push_str(if rows.is_empty() { "[]" } else { "]" });
    Ok(())
}
