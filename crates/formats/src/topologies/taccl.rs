//! TACCL's JSON of a machine: `links` and `invbws` from every GPU (column) to every GPU (row).
//!
//! A link takes `invbws` microseconds per megabyte. Files without these tables name a machine whose links stand in
//! TACCL's code: they are refused. What joins machines stands in TACCL's sketches, and is left out.
//!
//! Facts from microsoft/taccl, `taccl/topologies/generic.py` and `taccl/examples/topo`.

use num_traits::{Signed, Zero};
use oneport_platform::{Rational, parse_rational};

use super::Draft;
use super::draft::Role;
use super::imported::Topic;
use crate::error::{FormatError, Mistake, clip};
use crate::json::{Json, need};
use crate::scalar::Scalar;
use crate::source::Source;

/// Most GPUs of one machine, or of a square table.
pub(super) const MAX_GPUS: usize = 500;

/// Reads a machine.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let top = Json::parse(*source)?;
    let [gpus, links, invbws, remote] = top.open_object(["gpus_per_node", "links", "invbws", "remote_invbw"])?;
    let (Some(links), Some(invbws)) = (links, invbws) else {
        let text = "neither 'links' nor 'invbws' are given: the links of this machine stand in TACCL's code; write \
                    both tables (rows: to, columns: from; microseconds per megabyte)";
        return Err(top.fail(Mistake::Import(text.to_string())));
    };
    let gpus = need(&top, gpus, "gpus_per_node", "the number of GPUs")?;
    let count = usize::try_from(gpus.whole()?).unwrap_or(usize::MAX);
    let links = square(links, count)?;
    let times = square(invbws, count)?;
    let nodes = add_gpus(draft, count).map_err(|mistake| top.fail(mistake))?;
    draft.note(Topic::Assumed, "link: 1 / invbws is the bandwidth of a link, in megabytes per microsecond");
    for (to, (row, times)) in links.iter().zip(&times).enumerate() {
        for (from, (number, time)) in row.iter().zip(times).enumerate() {
            if number.is_zero() || from == to {
                continue;
            }
            if time.is_zero() {
                let text = format!("invbws[{to}][{from}] is 0, and there is a link; give microseconds per megabyte");
                return Err(top.fail(Mistake::Import(text)));
            }
            let each = draft.stated("link", Rational::from_integer(1000.into()) / time);
            let (Some(&one), Some(&other)) = (nodes.get(from), nodes.get(to)) else { continue };
            draft.link(one, other, "link", each * number).map_err(|mistake| top.fail(mistake))?;
        }
    }
    if remote.is_some() {
        draft.note(Topic::LeftOut, "links between machines: which GPUs have them stands in TACCL's sketches");
    }
    Ok(())
}

/// GPUs by their number.
pub(super) fn add_gpus(draft: &mut Draft<'_>, count: usize) -> Result<Vec<usize>, Mistake> {
    (0..count)
        .map(|gpu| {
            let node = draft.node(format!("gpu{gpu}"), "GPU", Role::Processor)?;
            draft.device(node, 0, gpu as u64, Some(gpu as u64));
            Ok(node)
        })
        .collect()
}

/// A table of numbers, 0 or more, of `count` rows and columns.
pub(super) fn square(table: Json<'_, '_>, count: usize) -> Result<Vec<Vec<Rational>>, FormatError> {
    if count > MAX_GPUS || count == 0 {
        let expected = format!("a table of 1 to {MAX_GPUS} GPUs (there are {count})");
        return Err(table.wrong(expected));
    }
    let mut rows: Vec<Vec<Rational>> = Vec::new();
    table.each(|_, row| {
        if rows.len() == count {
            return Err(row.wrong(format!("one of {count} rows: there are more")));
        }
        let mut numbers = Vec::with_capacity(count);
        row.each(|_, cell| {
            if numbers.len() == count {
                return Err(cell.wrong(format!("one of {count} columns: there are more")));
            }
            numbers.push(number(cell)?);
            Ok(())
        })?;
        if numbers.len() < count {
            return Err(row.wrong(format!("a row of {count} numbers (there are {})", numbers.len())));
        }
        rows.push(numbers);
        Ok(())
    })?;
    if rows.len() < count {
        return Err(table.wrong(format!("a table of {count} rows (there are {})", rows.len())));
    }
    Ok(rows)
}

/// A number, 0 or more.
pub(super) fn number(value: Json<'_, '_>) -> Result<Rational, FormatError> {
    let (Scalar::Number(text) | Scalar::Text(text)) = value.scalar()? else { return Err(value.wrong("a number")) };
    let number = parse_rational(&text).map_err(|error| value.fail(Mistake::Number(error)))?;
    if number.is_negative() {
        return Err(value.fail(Mistake::WrongValue { value: clip(&text), expected: "0 or more".into() }));
    }
    Ok(number)
}
