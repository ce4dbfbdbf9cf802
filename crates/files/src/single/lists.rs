//! Lists of one's own: start times, and whom each processor sends to.
//!
//! A file is a JSON array with an entry per processor, `null` for the one that sends nothing, or an object that has the
//! array under a key, such as a file of one reduction.

use std::path::Path;

use oneport_platform::Rational;

use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::number::rational;
use crate::plan::MAX_PLAN_BYTES;
use crate::source::{Source, read_bytes};

/// Reads start times from an array, or from `"starts"` of an object (multiples of its `"unit"`, if it has one).
///
/// # Errors
/// A file that cannot be read, text that is not such a list. An entry that is not a time, by its index.
pub fn read_starts(path: &Path) -> Result<Vec<Option<Rational>>, FormatError> {
    starts_from_json(
        &path.display().to_string(),
        &read_bytes(path, MAX_PLAN_BYTES)?,
    )
}

/// [`read_starts`] from bytes.
///
/// # Errors
/// Those of [`read_starts`].
pub fn starts_from_json(name: &str, bytes: &[u8]) -> Result<Vec<Option<Rational>>, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "a list of start times")?)?;
    if top.opening() == Some(b'[') {
        return starts(&top, None);
    }
    let [list, unit] = top.open_object(["starts", "unit"])?;
    let unit = unit.map(rational).transpose()?;
    starts(
        &need(&top, list, "starts", "when each processor starts to send")?,
        unit.as_ref(),
    )
}

fn starts(
    list: &Json<'_, '_>,
    unit: Option<&Rational>,
) -> Result<Vec<Option<Rational>>, FormatError> {
    let mut starts = Vec::new();
    list.each(|_, entry| {
        let date = if entry.is_null() {
            None
        } else {
            Some(rational(entry)?)
        };
        starts.push(date.map(|date| unit.map_or(date.clone(), |unit| date * unit)));
        Ok(())
    })?;
    Ok(starts)
}

/// Reads whom each processor sends to from an array, or from `"receivers"` of an object. The root, whose entry is
/// `null`, is its own receiver in the result.
///
/// # Errors
/// A file that cannot be read, text that is not such a list. No `null`, or several. A number without a processor, by
/// its index.
pub fn read_receivers(path: &Path) -> Result<Vec<u32>, FormatError> {
    receivers_from_json(
        &path.display().to_string(),
        &read_bytes(path, MAX_PLAN_BYTES)?,
    )
}

/// [`read_receivers`] from bytes.
///
/// # Errors
/// Those of [`read_receivers`].
pub fn receivers_from_json(name: &str, bytes: &[u8]) -> Result<Vec<u32>, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "a list of receivers")?)?;
    if top.opening() == Some(b'[') {
        return receivers(&top);
    }
    let [list] = top.open_object(["receivers"])?;
    receivers(&need(
        &top,
        list,
        "receivers",
        "to whom each processor sends",
    )?)
}

fn receivers(list: &Json<'_, '_>) -> Result<Vec<u32>, FormatError> {
    let mut processors = 0;
    list.each(|processor, _| {
        processors = processor + 1;
        Ok(())
    })?;
    if processors == 0 || u32::try_from(processors).is_err() {
        return Err(
            list.wrong("a list of receivers, one per processor, from 1 to 4294967295 of them")
        );
    }
    let mut receivers = Vec::with_capacity(processors);
    let mut root = None;
    list.each(|processor, entry| {
        if !entry.is_null() {
            receivers.push(entry.index("processor", processors)? as u32);
            return Ok(());
        }
        if let Some(other) = root.replace(processor) {
            let right =
                format!("the receiver of processor {processor}; only one sends nothing, and processor {other} does not");
            return Err(entry.wrong(right));
        }
        receivers.push(processor as u32);
        Ok(())
    })?;
    match root {
        Some(_) => Ok(receivers),
        None => Err(list.fail(Mistake::WrongValue {
            value: "the list".to_string(),
            expected: "complete: one entry, the root's, must be null".into(),
        })),
    }
}
