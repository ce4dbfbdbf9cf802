//! `oneport-broadcast/1` and `oneport-all-reduce/1`: one broadcast, and a reduction with the broadcast that follows it.

use std::fmt::Write as _;

use oneport_plan::{
    Broadcast, Concurrency, Proof, Reduction, SingleAllReduce, SingleBroadcast, SingleCosts, Status,
};
use oneport_platform::Rational;

use super::read::{
    Partner, check_format, count, read_costs, read_dates, read_limit, read_partners, read_proof,
    read_unit,
};
use super::write::{self, common, null_or, write_bound, write_costs, write_limit, write_list};
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::number::rational;
use crate::source::Source;

/// The values of `format`.
pub(super) const BROADCAST: &str = "oneport-broadcast/1";
pub(super) const ALL_REDUCE: &str = "oneport-all-reduce/1";

/// One broadcast as a file, which [`single_broadcast_from_json`] reads. Linear in the number of processors.
pub fn single_broadcast_to_json(one: &SingleBroadcast) -> String {
    let broadcast = &one.broadcast;
    let root = broadcast.root as usize;
    let mut out = format!("{{\n  \"format\": \"{BROADCAST}\",\n");
    write_costs(&mut out, &broadcast.costs);
    write_limit(&mut out, one.limit);
    let _ = writeln!(out, "  \"root\": {root},");
    partners(&mut out, "senders", &broadcast.senders, root);
    let lists = [
        ("starts", Some(&broadcast.starts)),
        ("preparations", broadcast.preparations.as_ref()),
    ];
    let unit = common(lists.iter().filter_map(|(_, dates)| *dates));
    write::write_unit(&mut out, unit);
    for (key, dates) in lists {
        if let Some(dates) = dates {
            write_list(&mut out, key, dates, unit, Some(root));
        }
    }
    write_bound(
        &mut out,
        &broadcast.length,
        one.stated_status(),
        &one.lower_bound,
    );
    if let Some(proof) = &one.proof {
        out.push_str(",\n  \"proof\": ");
        write::write_proof(&mut out, proof);
    }
    out.push_str("\n}\n");
    out
}

/// One all-reduction as a file, which [`one_all_reduce_from_json`] reads. Linear in the number of processors.
pub fn one_all_reduce_to_json(all: &SingleAllReduce) -> String {
    let (reduction, broadcast) = (&all.reduction, &all.broadcast);
    let root = reduction.root as usize;
    let mut out = format!("{{\n  \"format\": \"{ALL_REDUCE}\",\n");
    write_costs(&mut out, &reduction.costs);
    let _ = writeln!(out, "  \"root\": {root},");
    partners(&mut out, "receivers", &reduction.receivers, root);
    partners(&mut out, "senders", &broadcast.senders, root);
    let unit = common([&reduction.starts, &broadcast.starts].into_iter());
    write::write_unit(&mut out, unit);
    write_list(&mut out, "starts", &reduction.starts, unit, Some(root));
    write_list(
        &mut out,
        "broadcast_starts",
        &broadcast.starts,
        unit,
        Some(root),
    );
    let _ = writeln!(
        out,
        "  \"reduction_length\": \"{}\",\n  \"broadcast_length\": \"{}\",",
        reduction.length, broadcast.length
    );
    write_bound(
        &mut out,
        &all.length(),
        all.stated_status(),
        &all.lower_bound,
    );
    if let Some((into, proof)) = &all.proof {
        let _ = write!(out, ",\n  \"proof_into\": {into},\n  \"proof\": ");
        write::write_proof(&mut out, proof);
    }
    out.push_str("\n}\n");
    out
}

fn partners(out: &mut String, key: &str, partners: &[u32], root: usize) {
    let _ = write!(out, "  \"{key}\": ");
    write::entries(
        out,
        partners
            .iter()
            .enumerate()
            .map(|(processor, partner)| null_or(processor == root, partner.to_string())),
    );
    out.push_str(",\n");
}

/// Reads one broadcast. `name` is the file's name in messages. As
/// [`single_reduction_from_json`](crate::single_reduction_from_json): the schedule is not judged here.
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn single_broadcast_from_json(
    name: &str,
    bytes: &[u8],
) -> Result<SingleBroadcast, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "one broadcast")?)?;
    let [
        format,
        costs,
        limit,
        root,
        senders,
        unit,
        starts,
        preparations,
        length,
        status,
        lower_bound,
        proof,
    ] = top.object([
        "format",
        "costs",
        "limit",
        "root",
        "senders",
        "unit",
        "starts",
        "preparations",
        "length",
        "status",
        "lower_bound",
        "proof",
    ])?;
    check_format(
        &need(&top, format, "format", "\"oneport-broadcast/1\"")?,
        BROADCAST,
    )?;
    let (root, senders, costs) = tree(&top, (root, senders, costs), Partner::SENDER)?;
    let unit = unit.map(read_unit).transpose()?;
    let dates = |list: Json<'_, '_>| {
        read_dates(
            &list,
            unit.as_ref(),
            senders.len(),
            Some((root, Partner::SENDER)),
        )
    };
    let starts = dates(need(
        &top,
        starts,
        "starts",
        "when the transfer to each processor starts",
    )?)?;
    let preparations = match (&costs, preparations) {
        (SingleCosts::Equal { .. }, list) => {
            let meaning = "when the sender starts to prepare the transfer to each processor";
            Some(dates(need(&top, list, "preparations", meaning)?)?)
        }
        (SingleCosts::PerSender(_), Some(list)) => {
            return Err(list.fail(Mistake::NotHere {
                key: "preparations",
                why: "with \"times\" preparing is part of the transfer",
            }));
        }
        (SingleCosts::PerSender(_), None) => None,
    };
    let one = SingleBroadcast {
        broadcast: Broadcast {
            costs,
            root: root as u32,
            senders,
            starts,
            preparations,
            length: rational(need(
                &top,
                length,
                "length",
                "when the last processor has the message",
            )?)?,
        },
        limit: limit.map_or(Ok(Concurrency::Unlimited), |limit| read_limit(&limit))?,
        lower_bound: bound(&top, lower_bound)?,
        proof: proof.map(|proof| read_proof(&proof, true)).transpose()?,
    };
    judge_status(&top, status, one.stated_status())?;
    Ok(one)
}

/// Reads one all-reduction. `name` is the file's name in messages. The schedules are not judged here.
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn one_all_reduce_from_json(name: &str, bytes: &[u8]) -> Result<SingleAllReduce, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "one all-reduction")?)?;
    let [
        format,
        costs,
        root,
        receivers,
        senders,
        unit,
        starts,
        broadcast_starts,
        reduction_length,
        broadcast_length,
        length,
        status,
        lower_bound,
        proof_into,
        proof,
    ] = top.object([
        "format",
        "costs",
        "root",
        "receivers",
        "senders",
        "unit",
        "starts",
        "broadcast_starts",
        "reduction_length",
        "broadcast_length",
        "length",
        "status",
        "lower_bound",
        "proof_into",
        "proof",
    ])?;
    check_format(
        &need(&top, format, "format", "\"oneport-all-reduce/1\"")?,
        ALL_REDUCE,
    )?;
    let (root, receivers, costs) = tree(&top, (root, receivers, costs), Partner::RECEIVER)?;
    let processors = receivers.len();
    let senders = read_partners(
        &need(&top, senders, "senders", Partner::SENDER.meaning)?,
        processors,
        root,
        Partner::SENDER,
    )?;
    let unit = unit.map(read_unit).transpose()?;
    let dates = |list, partner| read_dates(&list, unit.as_ref(), processors, Some((root, partner)));
    let starts = dates(
        need(&top, starts, "starts", "when each processor starts to send")?,
        Partner::RECEIVER,
    )?;
    let broadcast_starts = dates(
        need(
            &top,
            broadcast_starts,
            "broadcast_starts",
            "when the transfer to each processor starts, counted from the end of the reduction",
        )?,
        Partner::SENDER,
    )?;
    let reduction = Reduction {
        costs: costs.clone(),
        root: root as u32,
        receivers,
        starts,
        merges: None,
        ready: None,
        length: rational(need(
            &top,
            reduction_length,
            "reduction_length",
            "when the reduction is complete",
        )?)?,
    };
    let broadcast = Broadcast {
        costs,
        root: root as u32,
        senders,
        starts: broadcast_starts,
        preparations: None,
        length: rational(need(
            &top,
            broadcast_length,
            "broadcast_length",
            "how long the broadcast takes",
        )?)?,
    };
    let all = SingleAllReduce {
        reduction,
        broadcast,
        lower_bound: bound(&top, lower_bound)?,
        proof: proof_of(&top, proof_into, proof, processors)?,
    };
    let value = need(
        &top,
        length,
        "length",
        "when all processors have the result",
    )?;
    if rational(value)? != all.length() {
        return Err(value.wrong(format!(
            "{}: the lengths of the reduction and of the broadcast together",
            all.length()
        )));
    }
    judge_status(&top, status, all.stated_status())?;
    Ok(all)
}

fn proof_of(
    top: &Json<'_, '_>,
    into: Option<Json<'_, '_>>,
    proof: Option<Json<'_, '_>>,
    processors: usize,
) -> Result<Option<(u32, Proof)>, FormatError> {
    if into.or(proof).is_none() {
        return Ok(None);
    }
    let meaning = "the processor into which no reduction is shorter than the bound";
    let into = need(top, into, "proof_into", meaning)?.index("processor", processors)?;
    let proof = need(top, proof, "proof", "how that is proved")?;
    Ok(Some((into as u32, read_proof(&proof, true)?)))
}

type Shape<'s, 'j> = (
    Option<Json<'s, 'j>>,
    Option<Json<'s, 'j>>,
    Option<Json<'s, 'j>>,
);

/// Root, partners and costs of a tree.
fn tree(
    top: &Json<'_, '_>,
    (root, partners, costs): Shape<'_, '_>,
    partner: Partner,
) -> Result<(usize, Vec<u32>, SingleCosts), FormatError> {
    let list = need(top, partners, partner.key, partner.meaning)?;
    let processors = count(&list, partner)?;
    let root = need(top, root, "root", partner.root)?.index("processor", processors)?;
    let partners = read_partners(&list, processors, root, partner)?;
    let costs = read_costs(
        need(
            top,
            costs,
            "costs",
            "\"transfer\" and \"compute\", or \"times\"",
        )?,
        processors,
    )?;
    Ok((root, partners, costs))
}

fn bound(top: &Json<'_, '_>, value: Option<Json<'_, '_>>) -> Result<Rational, FormatError> {
    rational(need(
        top,
        value,
        "lower_bound",
        "what no schedule is shorter than",
    )?)
}

fn judge_status(
    top: &Json<'_, '_>,
    value: Option<Json<'_, '_>>,
    status: Status,
) -> Result<(), FormatError> {
    let value = need(top, value, "status", "optimal or feasible")?;
    match (&*value.string()?, status) {
        ("feasible", _) | ("optimal", Status::Optimal) => Ok(()),
        ("optimal", _) => {
            Err(value.wrong("\"feasible\": length and lower bound do not prove more"))
        }
        _ => Err(value.wrong("\"optimal\" or \"feasible\"")),
    }
}
