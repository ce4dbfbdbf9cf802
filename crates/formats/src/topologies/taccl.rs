//! TACCL's JSON of a machine: `links` and `invbws` from every GPU (column) to every GPU (row).
//!
//! A link takes `invbws` microseconds per megabyte. Files without these tables have `node_invbws_list`, and the links
//! are in TACCL's code: one number is a machine around a switch (DGX-2), two are the double and single links of a DGX-1
//! (NDv2). The links between machines are in TACCL's sketches and are left out.
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
    let [gpus, links, invbws, list, remote, sketch] =
        top.open_object(["gpus_per_node", "links", "invbws", "node_invbws_list", "remote_invbw", "intranode_sketch"])?;
    if sketch.is_some() {
        let text = "a sketch of TACCL says which links its solver may use; give the topology, with gpus_per_node";
        return Err(top.fail(Mistake::Import(text.to_string())));
    }
    if remote.is_some() {
        draft.note(Topic::LeftOut, "links between machines: TACCL's sketches list their GPUs");
    }
    let (Some(links), Some(invbws)) = (links, invbws) else {
        let Some(list) = list else {
            let text = "neither 'links' and 'invbws' nor 'node_invbws_list' are given; write both tables (rows: to, \
                        columns: from; microseconds per megabyte)";
            return Err(top.fail(Mistake::Import(text.to_string())));
        };
        let gpus = need(&top, gpus, "gpus_per_node", "the number of GPUs")?;
        return known_machine(draft, &top, gpus.whole()?, list);
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
    Ok(())
}

/// Pairs of GPUs of a DGX-1 with two NVLinks, and with one.
const CUBE: [[(usize, usize); 8]; 2] = [
    [(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)],
    [(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)],
];

/// A machine whose links are in TACCL's code, by the number of times per megabyte in the file.
fn known_machine(draft: &mut Draft<'_>, top: &Json<'_, '_>, gpus: u64, list: Json<'_, '_>) -> Result<(), FormatError> {
    let mut rates = Vec::new();
    list.each(|_, time| {
        let megabyte = number(time)?;
        if megabyte.is_zero() || rates.len() == CUBE.len() {
            return Err(time.wrong("one of 1 or 2 times above 0, in microseconds per megabyte"));
        }
        rates.push(draft.stated("link", Rational::from_integer(1000.into()) / megabyte));
        Ok(())
    })?;
    let at = |mistake| top.fail(mistake);
    let count = usize::try_from(gpus).ok().filter(|count| (1..=MAX_GPUS).contains(count)).ok_or_else(|| {
        let expected = format!("a number of GPUs from 1 to {MAX_GPUS}").into();
        at(Mistake::WrongValue { value: gpus.to_string(), expected })
    })?;
    match rates.as_slice() {
        [rate] => {
            draft.note(Topic::Assumed, "one time in node_invbws_list: all GPUs on one switch, as TACCL has the DGX-2");
            let nodes = add_gpus(draft, count).map_err(at)?;
            let switch = draft.node("switch", "switch", Role::Switch).map_err(at)?;
            nodes.iter().try_for_each(|&gpu| draft.duplex(gpu, switch, "link", rate.clone())).map_err(at)
        }
        [_, _] if count == 8 => {
            draft.note(Topic::Assumed, "two times in node_invbws_list: double and single links of a DGX-1 (NDv2)");
            let nodes = add_gpus(draft, count).map_err(at)?;
            for (pairs, rate) in CUBE.iter().zip(&rates) {
                for &(one, other) in pairs {
                    let (Some(&one), Some(&other)) = (nodes.get(one), nodes.get(other)) else { continue };
                    draft.duplex(one, other, "link", rate.clone()).map_err(at)?;
                }
            }
            Ok(())
        }
        _ => {
            let text = "node_invbws_list should have one time (a machine around a switch), or two for 8 GPUs (DGX-1); else \
                        write the tables links and invbws";
            Err(at(Mistake::Import(text.to_string())))
        }
    }
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
