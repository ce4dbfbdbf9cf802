//! Writing `oneport-reduction/1`.

use std::fmt::Write as _;

use num_traits::Zero;
use oneport_plan::{Concurrency, Dates, Proof, SingleCosts, SingleReduction, Status};
use oneport_platform::Rational;

/// The value of `format`.
pub(super) const FORMAT: &str = "oneport-reduction/1";

/// Entries of a list on one line.
const ON_A_LINE: usize = 20;

/// One reduction as a file, linear in the number of processors;
/// [`single_reduction_from_json`](crate::single_reduction_from_json) reads the same back.
///
/// If all dates are multiples of one unit, the file has the unit and whole numbers.
pub fn single_reduction_to_json(one: &SingleReduction) -> String {
    let reduction = &one.reduction;
    let root = reduction.root as usize;
    let mut out = format!("{{\n  \"format\": \"{FORMAT}\",\n");
    write_costs(&mut out, &reduction.costs);
    write_limit(&mut out, one.limit);
    let _ = writeln!(
        out,
        "  \"commutative\": {},\n  \"root\": {root},",
        one.commutative
    );
    let receivers = reduction.receivers.iter().enumerate();
    out.push_str("  \"receivers\": ");
    entries(
        &mut out,
        receivers.map(|(index, receiver)| null_or(index == root, receiver.to_string())),
    );
    out.push_str(",\n");
    let lists = [
        ("starts", Some(&reduction.starts), Some(root)),
        ("merges", reduction.merges.as_ref(), Some(root)),
        ("ready", reduction.ready.as_ref(), None),
    ];
    let unit = common(lists.iter().filter_map(|(_, dates, _)| *dates));
    write_unit(&mut out, unit);
    for (key, dates, root) in lists {
        if let Some(dates) = dates {
            write_list(&mut out, key, dates, unit, root);
        }
    }
    write_bound(
        &mut out,
        &reduction.length,
        one.stated_status(),
        &one.lower_bound,
    );
    if let Some(proof) = &one.proof {
        out.push_str(",\n  \"proof\": ");
        write_proof(&mut out, proof);
    }
    out.push_str("\n}\n");
    out
}

pub(super) fn write_costs(out: &mut String, costs: &SingleCosts) {
    match costs {
        SingleCosts::Equal { transfer, compute } => {
            let _ = writeln!(
                out,
                "  \"costs\": {{\"transfer\": \"{transfer}\", \"compute\": \"{compute}\"}},"
            );
        }
        SingleCosts::PerSender(times) => {
            out.push_str("  \"costs\": {\"times\": ");
            entries(out, times.iter().map(|time| format!("\"{time}\"")));
            out.push_str("},\n");
        }
    }
}

pub(super) fn write_limit(out: &mut String, limit: Concurrency) {
    match limit {
        Concurrency::Unlimited => {}
        Concurrency::Transfers(most) => {
            out.push_str(&format!("  \"limit\": {{\"transfers\": {most}}},\n"))
        }
        Concurrency::Reducers(most) => {
            out.push_str(&format!("  \"limit\": {{\"reducers\": {most}}},\n"))
        }
    }
}

pub(super) fn write_unit(out: &mut String, unit: Option<&Rational>) {
    if let Some(unit) = unit {
        let _ = writeln!(out, "  \"unit\": \"{unit}\",");
    }
}

/// A list of dates. The root's entry is `null`.
pub(super) fn write_list(
    out: &mut String,
    key: &str,
    dates: &Dates,
    unit: Option<&Rational>,
    root: Option<usize>,
) {
    let _ = write!(out, "  \"{key}\": ");
    let date = |index| match dates {
        Dates::Ticks { ticks, .. } if unit.is_some() => {
            ticks.get(index).copied().unwrap_or(0).to_string()
        }
        _ => format!("\"{}\"", dates.get(index).unwrap_or_else(Rational::zero)),
    };
    entries(
        out,
        (0..dates.len()).map(|index| null_or(Some(index) == root, date(index))),
    );
    out.push_str(",\n");
}

/// Length, status and bound, without the end of the line.
pub(super) fn write_bound(out: &mut String, length: &Rational, status: Status, bound: &Rational) {
    let _ = write!(
        out,
        "  \"length\": \"{length}\",\n  \"status\": \"{}\",\n  \"lower_bound\": \"{bound}\"",
        status.name()
    );
}

/// The unit of all lists, if they have one.
pub(super) fn common<'d>(lists: impl Iterator<Item = &'d Dates>) -> Option<&'d Rational> {
    let mut common = None;
    for dates in lists {
        match (dates, common) {
            (Dates::Ticks { unit, .. }, None) => common = Some(unit),
            (Dates::Ticks { unit, .. }, Some(other)) if unit == other => {}
            _ => return None,
        }
    }
    common
}

pub(super) fn null_or(null: bool, text: String) -> String {
    if null { "null".to_string() } else { text }
}

pub(super) fn entries(out: &mut String, entries: impl Iterator<Item = String>) {
    out.push('[');
    for (index, entry) in entries.enumerate() {
        out.push_str(match index {
            0 => "",
            index if index.is_multiple_of(ON_A_LINE) => ",\n    ",
            _ => ", ",
        });
        out.push_str(&entry);
    }
    out.push(']');
}

pub(super) fn write_proof(out: &mut String, proof: &Proof) {
    let _ = write!(out, "{{\"kind\": \"{}\"", proof.name());
    match proof {
        Proof::Counting | Proof::LimitedTransfers | Proof::Levels | Proof::SlowestFirst => {}
        Proof::Prices(prices) => {
            out.push_str(", \"prices\": ");
            entries(
                out,
                prices
                    .prices
                    .iter()
                    .map(|(date, price)| format!("[\"{date}\", \"{price}\"]")),
            );
        }
        Proof::Weights(weights) => {
            out.push_str(", \"weights\": [");
            for (index, list) in weights.lists.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ",\n    " });
                entries(out, list.iter().map(i64::to_string));
            }
            out.push(']');
        }
        Proof::Lowered { times, proof } => {
            out.push_str(", \"times\": ");
            entries(out, times.iter().map(|time| format!("\"{time}\"")));
            out.push_str(", \"proof\": ");
            write_proof(out, proof);
        }
        Proof::Exhaustion { states } => {
            let _ = write!(out, ", \"states\": {states}");
        }
    }
    out.push('}');
}
