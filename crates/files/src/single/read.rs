//! Reading `oneport-reduction/1`.

use num_traits::{ToPrimitive, Zero};
use oneport_plan::{
    Concurrency, Dates, Proof, Reduction, SenderWeights, SingleCosts, SingleReduction, SlotPrices,
};
use oneport_platform::Rational;

use super::write::FORMAT;
use crate::error::{FormatError, Mistake, quoted};
use crate::json::{Json, need};
use crate::number::rational;
use crate::plan::flag;
use crate::source::Source;

/// The keys of the file.
const KEYS: [&str; 14] = [
    "format",
    "costs",
    "limit",
    "commutative",
    "root",
    "receivers",
    "unit",
    "starts",
    "merges",
    "ready",
    "length",
    "status",
    "lower_bound",
    "proof",
];

/// The other end of each processor's transfer, in messages.
#[derive(Clone, Copy)]
pub(super) struct Partner {
    /// The key of the list.
    pub key: &'static str,
    /// The list's meaning.
    pub meaning: &'static str,
    /// The name of the other end.
    name: &'static str,
    /// The task that the root lacks: it sends nothing, or receives nothing.
    nothing: &'static str,
    /// The root's meaning.
    pub root: &'static str,
}

impl Partner {
    /// Of a reduction.
    pub(super) const RECEIVER: Partner = Partner {
        key: "receivers",
        meaning: "to whom each processor sends, null for the root",
        name: "receiver",
        nothing: "sends nothing",
        root: "the processor that ends with the result",
    };
    /// Of a broadcast.
    pub(super) const SENDER: Partner = Partner {
        key: "senders",
        meaning: "from whom each processor receives, null for the root",
        name: "sender",
        nothing: "receives nothing",
        root: "the processor that has the message",
    };
}

/// Reads one reduction. `name` is the file's name in messages. Linear in the bytes, apart from the numbers.
///
/// Every list must have one entry per processor, the root's being `null`. The status may be "optimal" only if the
/// length is the lower bound and a proof is given, or costs are equal. Whether the schedule is right (a tree, dates,
/// ports, the length) and whether the bound is proved is not judged here: that is the referee's part.
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn single_reduction_from_json(
    name: &str,
    bytes: &[u8],
) -> Result<SingleReduction, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "one reduction")?)?;
    let [
        format,
        costs,
        limit,
        commutative,
        root,
        receivers,
        unit,
        starts,
        merges,
        ready,
        length,
        status,
        lower_bound,
        proof,
    ] = top.object(KEYS)?;
    check_format(
        &need(&top, format, "format", "\"oneport-reduction/1\"")?,
        FORMAT,
    )?;
    let partner = Partner::RECEIVER;
    let list = need(&top, receivers, partner.key, partner.meaning)?;
    let processors = count(&list, partner)?;
    let root = need(&top, root, "root", partner.root)?.index("processor", processors)?;
    let receivers = read_partners(&list, processors, root, partner)?;
    let costs = read_costs(
        need(
            &top,
            costs,
            "costs",
            "\"transfer\" and \"compute\", or \"times\"",
        )?,
        processors,
    )?;
    let unit = unit.map(read_unit).transpose()?;
    let dates = |list: Json<'_, '_>, root: Option<usize>| {
        let root = root.map(|root| (root, partner));
        read_dates(&list, unit.as_ref(), processors, root)
    };
    let starts = dates(
        need(&top, starts, "starts", "when each processor starts to send")?,
        Some(root),
    )?;
    let merges = match (&costs, merges) {
        (SingleCosts::Equal { .. }, list) => {
            let meaning = "when the receiver starts to merge what each processor sent";
            Some(dates(need(&top, list, "merges", meaning)?, Some(root))?)
        }
        (SingleCosts::PerSender(_), Some(list)) => {
            return Err(list.fail(Mistake::NotHere {
                key: "merges",
                why: "with \"times\" merging is part of the transfer",
            }));
        }
        (SingleCosts::PerSender(_), None) => None,
    };
    let ready = ready.map(|list| dates(list, None)).transpose()?;
    let length = rational(need(&top, length, "length", "when the result is complete")?)?;
    let reduction = Reduction {
        costs,
        root: root as u32,
        receivers,
        starts,
        merges,
        ready,
        length,
    };
    let one = SingleReduction {
        reduction,
        limit: limit.map_or(Ok(Concurrency::Unlimited), |limit| read_limit(&limit))?,
        commutative: flag(Some(need(
            &top,
            commutative,
            "commutative",
            "whether operands may be combined in any order",
        )?))?,
        lower_bound: rational(need(
            &top,
            lower_bound,
            "lower_bound",
            "what no schedule is shorter than",
        )?)?,
        proof: proof.map(|proof| read_proof(&proof, true)).transpose()?,
    };
    check_status(&need(&top, status, "status", "optimal or feasible")?, &one)?;
    Ok(one)
}

/// The file has this format.
pub(super) fn check_format(value: &Json<'_, '_>, format: &'static str) -> Result<(), FormatError> {
    let found = value.string()?;
    if found == format {
        return Ok(());
    }
    Err(value.fail(Mistake::WrongFormat {
        found: quoted(&found),
        expected: format,
    }))
}

fn check_status(value: &Json<'_, '_>, one: &SingleReduction) -> Result<(), FormatError> {
    let text = value.string()?;
    // If costs are equal, a referee can count without a proof.
    let counted = matches!(one.reduction.costs, SingleCosts::Equal { .. });
    let why_not = if one.reduction.length != one.lower_bound {
        Some("the length is not the lower bound")
    } else {
        (one.proof.is_none() && !counted).then_some("no proof of the lower bound is given")
    };
    match (&*text, why_not) {
        ("feasible", _) | ("optimal", None) => Ok(()),
        (_, None) => Err(value.wrong("\"optimal\" or \"feasible\"")),
        (_, Some(why)) => Err(value.wrong(format!("\"feasible\": {why}"))),
    }
}

/// Entries of the list, up to what 32 bits number.
pub(super) fn count(list: &Json<'_, '_>, partner: Partner) -> Result<usize, FormatError> {
    let mut processors = 0;
    list.each(|processor, _| {
        processors = processor + 1;
        Ok(())
    })?;
    match processors {
        0 => Err(list.wrong(format!(
            "a list of {}: there is at least one processor, the root",
            partner.key
        ))),
        _ if u32::try_from(processors).is_err() => {
            Err(list.wrong("a list of at most 4294967295 processors"))
        }
        _ => Ok(processors),
    }
}

/// The other end of each processor's transfer. That of the root is the root.
pub(super) fn read_partners(
    list: &Json<'_, '_>,
    processors: usize,
    root: usize,
    partner: Partner,
) -> Result<Vec<u32>, FormatError> {
    let mut partners = Vec::with_capacity(processors);
    let (name, nothing) = (partner.name, partner.nothing);
    list.each(|processor, entry| {
        one_each(list, processor, processors)?;
        let other = match (processor == root, entry.is_null()) {
            (true, true) => root,
            (true, false) => {
                return Err(
                    entry.wrong(format!("null: processor {root} is the root and {nothing}"))
                );
            }
            (false, true) => {
                let right = format!(
                    "the {name} of processor {processor}; only the root, processor {root}, has none"
                );
                return Err(entry.wrong(right));
            }
            (false, false) => entry.index("processor", processors)?,
        };
        partners.push(other as u32);
        Ok(())
    })?;
    enough(list, partners.len(), processors)?;
    Ok(partners)
}

pub(super) fn read_costs(
    value: Json<'_, '_>,
    processors: usize,
) -> Result<SingleCosts, FormatError> {
    let [transfer, compute, times] = value.object(["transfer", "compute", "times"])?;
    if let Some(list) = times {
        if transfer.or(compute).is_some() {
            return Err(value.fail(Mistake::BothKeys(
                "times",
                if transfer.is_some() {
                    "transfer"
                } else {
                    "compute"
                },
            )));
        }
        let mut times = Vec::new();
        list.each(|processor, entry| {
            one_each(&list, processor, processors)?;
            times.push(rational(entry)?);
            Ok(())
        })?;
        enough(&list, times.len(), processors)?;
        return Ok(SingleCosts::PerSender(times));
    }
    Ok(SingleCosts::Equal {
        transfer: rational(need(
            &value,
            transfer,
            "transfer",
            "the time of a transfer",
        )?)?,
        compute: rational(need(&value, compute, "compute", "the time of a merge")?)?,
    })
}

pub(super) fn read_limit(value: &Json<'_, '_>) -> Result<Concurrency, FormatError> {
    match value.object(["transfers", "reducers"])? {
        [Some(_), Some(_)] => Err(value.fail(Mistake::BothKeys("transfers", "reducers"))),
        [Some(most), None] => Ok(Concurrency::Transfers(most.whole()?)),
        [None, Some(most)] => Ok(Concurrency::Reducers(most.whole()?)),
        [None, None] => Err(value.fail(Mistake::MissingKey {
            key: "transfers",
            meaning: "the most at once",
        })),
    }
}

pub(super) fn read_unit(value: Json<'_, '_>) -> Result<Rational, FormatError> {
    let unit = rational(value)?;
    if unit > Rational::zero() {
        Ok(unit)
    } else {
        Err(value.wrong("a positive time"))
    }
}

/// A list of dates, in units if there is one. The root's entry is `null`.
pub(super) fn read_dates(
    list: &Json<'_, '_>,
    unit: Option<&Rational>,
    processors: usize,
    root: Option<(usize, Partner)>,
) -> Result<Dates, FormatError> {
    let (mut ticks, mut exact) = (Vec::new(), Vec::new());
    let mut found = 0;
    list.each(|processor, entry| {
        one_each(list, processor, processors)?;
        found = processor + 1;
        if entry.is_null() != root.is_some_and(|(root, _)| root == processor) {
            return Err(entry.wrong(match root {
                Some((root, partner)) if root == processor => {
                    format!("null: processor {root} is the root and {}", partner.nothing)
                }
                Some((root, _)) => format!("a date; only the root, processor {root}, has none"),
                None => "a date; every processor has one".to_string(),
            }));
        }
        match (unit, entry.is_null()) {
            (Some(_), true) => ticks.push(0),
            (Some(_), false) => ticks.push(entry.whole()?),
            (None, true) => exact.push(Rational::zero()),
            (None, false) => exact.push(rational(entry)?),
        }
        Ok(())
    })?;
    enough(list, found, processors)?;
    Ok(match unit {
        Some(unit) => Dates::Ticks {
            unit: unit.clone(),
            ticks,
        },
        None => Dates::Exact(exact),
    })
}

fn one_each(list: &Json<'_, '_>, processor: usize, processors: usize) -> Result<(), FormatError> {
    if processor < processors {
        Ok(())
    } else {
        Err(list.wrong(right_count(processors)))
    }
}

fn enough(list: &Json<'_, '_>, found: usize, processors: usize) -> Result<(), FormatError> {
    if found == processors {
        Ok(())
    } else {
        Err(list.wrong(right_count(processors)))
    }
}

fn right_count(processors: usize) -> String {
    format!("a list of {processors} entries, one per processor")
}

/// A proof. A proof of lowered times contains another proof, of a different kind.
pub(super) fn read_proof(value: &Json<'_, '_>, outermost: bool) -> Result<Proof, FormatError> {
    let [kind, prices, weights, times, proof, states] =
        value.object(["kind", "prices", "weights", "times", "proof", "states"])?;
    let kind = need(value, kind, "kind", "how the bound is proved")?;
    let text = kind.string()?;
    let unused = |entries: &[(&'static str, Option<Json<'_, '_>>)]| match entries
        .iter()
        .find(|(_, it)| it.is_some())
    {
        Some((key, Some(it))) => Err(it.fail(Mistake::NotHere {
            key,
            why: "a proof of this kind has none",
        })),
        _ => Ok(()),
    };
    let all = [
        ("prices", prices),
        ("weights", weights),
        ("times", times),
        ("proof", proof),
        ("states", states),
    ];
    let [of_prices, of_weights, of_times, of_proof, of_states] = all;
    Ok(match &*text {
        "counting" | "limited-transfers" | "levels" | "slowest-first" => {
            unused(&all)?;
            match &*text {
                "counting" => Proof::Counting,
                "limited-transfers" => Proof::LimitedTransfers,
                "levels" => Proof::Levels,
                _ => Proof::SlowestFirst,
            }
        }
        "prices" => {
            unused(&[of_weights, of_times, of_proof, of_states])?;
            Proof::Prices(read_prices(&need(
                value,
                prices,
                "prices",
                "a list of [date, price]",
            )?)?)
        }
        "weights" => {
            unused(&[of_prices, of_times, of_proof, of_states])?;
            let lists = need(value, weights, "weights", "lists of weights of senders")?;
            Proof::Weights(read_weights(&lists)?)
        }
        "lowered" if outermost => {
            unused(&[of_prices, of_weights, of_states])?;
            let mut lowered = Vec::new();
            need(value, times, "times", "the lowered times of the classes")?.each(|_, entry| {
                lowered.push(rational(entry)?);
                Ok(())
            })?;
            let proof = read_proof(
                &need(value, proof, "proof", "the proof for the lowered times")?,
                false,
            )?;
            Proof::Lowered {
                times: lowered,
                proof: Box::new(proof),
            }
        }
        "exhaustion" => {
            unused(&[of_prices, of_weights, of_times, of_proof])?;
            Proof::Exhaustion {
                states: need(value, states, "states", "how many were visited")?.whole()?,
            }
        }
        _ => {
            let lowered = if outermost { ", lowered" } else { "" };
            let known = format!(
                "a kind of proof: counting, limited-transfers, prices, weights, levels, slowest-first, exhaustion{lowered}"
            );
            return Err(kind.wrong(known));
        }
    })
}

fn read_weights(lists: &Json<'_, '_>) -> Result<SenderWeights, FormatError> {
    let mut all = Vec::new();
    lists.each(|_, entry| {
        let mut list = Vec::new();
        entry.each(|_, weight| {
            let whole = Some(rational(weight)?).filter(Rational::is_integer);
            let fits = whole.and_then(|whole| whole.to_integer().to_i64());
            list.push(fits.ok_or_else(|| weight.wrong("a whole number of 64 bits"))?);
            Ok(())
        })?;
        all.push(list);
        Ok(())
    })?;
    Ok(SenderWeights { lists: all })
}

fn read_prices(list: &Json<'_, '_>) -> Result<SlotPrices, FormatError> {
    let mut prices = Vec::new();
    list.each(|_, pair| {
        let mut numbers = Vec::new();
        pair.each(|processor, number| {
            if processor > 1 {
                return Err(pair.wrong("a pair: [date, price]"));
            }
            numbers.push(rational(number)?);
            Ok(())
        })?;
        let [date, price] =
            <[Rational; 2]>::try_from(numbers).map_err(|_| pair.wrong("a pair: [date, price]"))?;
        prices.push((date, price));
        Ok(())
    })?;
    Ok(SlotPrices { prices })
}
