//! Several plans for several sizes of messages, and the script that registers them with MSCCL++ 0.9.
//!
//! A small message is over before many pieces are in flight, so it has few: a plan serves messages whose pieces have 64
//! KiB or more, up to the messages of the next plan. The script chooses among the plans: it has the multiples, which
//! the ranges in the files lack.

use std::fmt::Write as _;

use oneport_platform::Rational;

use super::sizes::Sizes;
use super::{planned, to_json};
use crate::fitting::note;
use crate::format::check_rates;
use crate::pieces::{is_small, lost};
use crate::{ExportError, File, Format, Pieces, Request, Written};
use oneport_checks::mscclpp::schema::Plan;

/// The plans of one collective.
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    about: "MSCCL++ execution plans for small and large messages of one or more plans, and a Python script (OUT) that \
            registers them with MSCCL++ 0.9",
    lacks: super::FORMAT.lacks,
    write: |request| registered(std::slice::from_ref(request)),
};

const NAME: &str = "mscclpp-register";

/// Bytes from which a message is divided. Trades signals for messages in flight. Not measured.
const PIECE: u64 = 64 << 10;
/// Pieces of a larger message. Trades signals for messages in flight. Not measured.
const MOST: u64 = 64;

/// A plan, and the smallest size of message that it serves.
struct Sized {
    plan: Plan,
    pieces: u64,
    from: u64,
}

/// A refusal under the requested format's name.
fn renamed(error: ExportError) -> ExportError {
    match error {
        ExportError::Refused { reason, .. } => ExportError::refused(NAME, reason),
        other => other,
    }
}

/// Plans for messages of all sizes, of one request per collective and number of ranks, and the script that registers
/// them. The script is the file of the name that the user gave.
///
/// # Errors
/// No request, two for one collective and number of ranks, plans that the executor cannot run.
pub fn registered(requests: &[Request<'_>]) -> Result<Written, ExportError> {
    let refused = |reason: String| ExportError::refused(NAME, reason);
    let (mut rows, mut plans, mut notes) = (String::new(), Vec::new(), Vec::new());
    let mut known: Vec<(String, usize)> = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        check_rates(NAME, request)?;
        let sized = by_size(request).map_err(renamed)?;
        let Some(largest) = sized.last() else {
            continue;
        };
        let (collective, ranks) = (largest.plan.collective.clone(), largest.plan.gpus.len());
        if let Some(other) = known
            .iter()
            .position(|known| *known == (collective.clone(), ranks))
        {
            return Err(refused(format!(
                "plans {} and {} are both of {collective} on {ranks} ranks; give one of them",
                other + 1,
                number + 1
            )));
        }
        notes.push(format!(
            "{collective} on {ranks} ranks: {} plans; {}",
            sized.len(),
            note(request, largest.pieces)?
        ));
        known.push((collective, ranks));
        for Sized { plan, pieces, from } in sized.into_iter().rev() {
            let (suffix, sizes) = (
                format!(".{}-{ranks}-{pieces}.json", plan.collective),
                Sizes::of(&plan),
            );
            let _ = writeln!(rows, "{}", row(&suffix, &plan, &sizes, from));
            plans.push(File {
                suffix,
                bytes: to_json(&plan)?.into_bytes(),
            });
        }
    }
    if plans.is_empty() {
        return Err(refused(
            "no plan is given; a script registers one or more".to_string(),
        ));
    }
    let script = include_str!("register.py").replace("@PLANS@", rows.trim_end());
    let mut files = File::only(script).files;
    files.append(&mut plans);
    notes.push(
        "use: import the script, call register() before the communicator is made; its first lines say how".into(),
    );
    Ok(Written { files, notes })
}

/// The line of the script's table.
fn row(suffix: &str, plan: &Plan, sizes: &Sizes, from: u64) -> String {
    let Plan {
        name,
        collective,
        gpus,
        inplace,
        ..
    } = plan;
    // If no rank copies its own value, a plan is right in place and out of place.
    let in_place = match (collective.as_str(), inplace) {
        ("allreduce" | "reducescatter", _) => "None",
        (_, true) => "True",
        (_, false) => "False",
    };
    let (from, ranks) = (from.max(sizes.least), gpus.len());
    let Sizes { most, multiple, .. } = sizes;
    format!(
        "    (\"{suffix}\", \"{name}\", \"{collective}\", {ranks}, {from}, {most}, {multiple}, {in_place}),"
    )
}

/// The plans of a request by size, few pieces first. Numbers of pieces are powers of two. Up to the default, none loses
/// more than a smaller one. Larger ones lose a 32nd at most. A requested number of pieces is the only one.
fn by_size(request: &Request<'_>) -> Result<Vec<Sized>, ExportError> {
    let (largest, pieces) = planned(request)?;
    let blocks =
        Sizes::of(&largest).multiple / (oneport_checks::mscclpp::limits::ALIGNMENT * pieces);
    let with_size = |plan: Plan, pieces: u64| Sized {
        plan,
        pieces,
        from: pieces * PIECE * blocks,
    };
    let planned = |pieces: u64| -> Result<Sized, ExportError> {
        let (plan, _) = planned(&request.divided(Pieces::Number(pieces)))?;
        Ok(with_size(plan, pieces))
    };
    let mut sized = Vec::new();
    let is_free = request.pieces == Pieces::Fitting && request.dated.is_none();
    if is_free {
        let mut least: Option<Rational> = None;
        for fewer in (0..pieces.ilog2()).map(|power| 1 << power) {
            let loss = lost(request.problem, request.schedule, fewer)?;
            if least.as_ref().is_some_and(|least| loss > *least) {
                continue;
            }
            least = Some(loss);
            sized.push(planned(fewer)?);
        }
    }
    sized.push(with_size(largest, pieces));
    let more = std::iter::successors(Some(2 * pieces), |pieces| Some(2 * pieces));
    for more in more.take_while(|&pieces| is_free && pieces <= MOST) {
        if is_small(&lost(request.problem, request.schedule, more)?) {
            let Ok(plan) = planned(more) else { break };
            sized.push(plan);
        }
    }
    if let Some(smallest) = sized.first_mut() {
        smallest.from = 0;
    }
    Ok(sized)
}
