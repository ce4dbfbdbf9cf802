//! ASTRA-sim's network YAML of its analytical backend: dimensions that are rings, switches or fully connected.
//!
//! As in the congestion-aware backend, `bandwidth` is per link (per port, for a switch) and per direction, and 1 GB/s
//! are 2^30 bytes per second. `latency` is per link, in nanoseconds.
//!
//! Facts from astra-sim/astra-network-analytical, `congestion_aware/topology` and `common/NetworkFunction.cpp`.

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, parse_rational, ratio, whole};

use num_traits::Signed;

use crate::draft::{Draft, MAX_NODES, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected};
use crate::yaml::Yaml;

/// A dimension of the network.
struct Dimension {
    kind: Block,
    size: usize,
    /// GB/s of 10^9.
    rate: Rational,
    /// Seconds.
    latency: Rational,
}

#[derive(Clone, Copy, PartialEq)]
enum Block {
    Ring,
    Switch,
    Full,
}

/// Reads a network.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = Yaml::parse(source)?;
    let dimensions = dimensions(source, &document)?;
    let located = |mistake| document.error(source, mistake);
    let total = dimensions.iter().try_fold(1_usize, |total, dimension| {
        total.checked_mul(dimension.size)
    });
    let total = total.filter(|&total| total <= MAX_NODES).ok_or_else(|| {
        located(too_many(
            "NPUs",
            MAX_NODES,
            "give smaller numbers in npus_count",
        ))
    })?;
    draft.note(
        Topic::Assumed,
        "bandwidth: of every link and direction, 1 GB/s = 2^30 bytes per second, as in ASTRA-sim",
    );
    for npu in 0..total {
        let node = draft
            .node(format!("npu{npu}"), "NPU", Role::Processor)
            .map_err(located)?;
        draft.device(node, 0, npu as u64, Some(npu as u64));
    }
    let mut stride = 1;
    for (number, dimension) in dimensions.iter().enumerate() {
        add(draft, number, dimension, stride, total).map_err(located)?;
        stride *= dimension.size;
    }
    Ok(())
}

/// Connects all NPUs that differ in one dimension only.
fn add(
    draft: &mut Draft<'_>,
    number: usize,
    of: &Dimension,
    stride: usize,
    total: usize,
) -> Result<(), Mistake> {
    let (kind, cables) = match of.kind {
        Block::Ring => ("ring", 2),
        Block::Switch => ("switch", 2),
        Block::Full => ("full", of.size.saturating_sub(1)),
    };
    draft.check_links(total.saturating_mul(cables))?;
    let rate = draft.stated(kind, of.rate.clone());
    let joined = |draft: &mut Draft<'_>, one: usize, other: usize| {
        draft.duplex(one, other, kind, rate.clone())?;
        for (from, to) in [(one, other), (other, one)] {
            draft.latency(from, to, of.latency.clone());
        }
        Ok::<(), Mistake>(())
    };
    // The first NPU of every group.
    for (group, first) in (0..total)
        .filter(|npu| (npu / stride).is_multiple_of(of.size))
        .enumerate()
    {
        let npu = |index: usize| first + index % of.size * stride;
        match of.kind {
            Block::Ring if of.size == 2 => joined(draft, npu(0), npu(1))?,
            Block::Ring => {
                for index in 0..of.size {
                    joined(draft, npu(index), npu(index + 1))?;
                }
            }
            Block::Full => {
                for index in 0..of.size {
                    for other in index + 1..of.size {
                        joined(draft, npu(index), npu(other))?;
                    }
                }
            }
            Block::Switch => {
                let switch =
                    draft.node(format!("switch{number}.{group}"), "switch", Role::Switch)?;
                for index in 0..of.size {
                    joined(draft, npu(index), switch)?;
                }
            }
        }
    }
    Ok(())
}

fn dimensions(source: &Source<'_>, document: &Yaml) -> Result<Vec<Dimension>, FormatError> {
    let list = |key: &'static str, meaning: &'static str| -> Result<&[Yaml], FormatError> {
        let value = document.get(key);
        value
            .ok_or_else(|| document.error(source, Mistake::MissingKey { key, meaning }))?
            .list(source)
    };
    let kinds = list(
        "topology",
        "the kind of every dimension: Ring, Switch or FullyConnected",
    )?;
    let sizes = list("npus_count", "the number of NPUs in every dimension")?;
    let rates = list("bandwidth", "the bandwidth of every dimension in GB/s")?;
    if kinds.len() != sizes.len() || kinds.len() != rates.len() || kinds.is_empty() {
        let text = format!(
            "topology, npus_count and bandwidth have {}, {} and {} entries; each dimension needs one of each",
            kinds.len(),
            sizes.len(),
            rates.len()
        );
        return Err(document.error(source, said(text)));
    }
    let latencies = document.get("latency").map(|value| value.list(source));
    let latencies = latencies.transpose()?;
    let dimension = |(index, ((kind, size), rate)): (usize, ((&Yaml, &Yaml), &Yaml))| {
        let latency = latencies.and_then(|all| all.get(index));
        let latency = latency.map_or(Ok(Rational::default()), |value| nanoseconds(source, value));
        dimension(source, kind, size, rate, latency?)
    };
    kinds
        .iter()
        .zip(sizes)
        .zip(rates)
        .enumerate()
        .map(dimension)
        .collect()
}

/// A latency in seconds.
fn nanoseconds(source: &Source<'_>, value: &Yaml) -> Result<Rational, FormatError> {
    let found = value
        .text()
        .and_then(|text| parse_rational(text.trim()).ok());
    let shown = value
        .text()
        .map_or("a list".to_string(), |text| format!("'{}'", clip(text)));
    let found = found.filter(|found| !found.is_negative()).ok_or_else(|| {
        value.error(
            source,
            unexpected(shown, "a latency in nanoseconds, 0 or more"),
        )
    })?;
    Ok(found / whole(1_000_000_000))
}

fn dimension(
    source: &Source<'_>,
    kind: &Yaml,
    size: &Yaml,
    rate: &Yaml,
    latency: Rational,
) -> Result<Dimension, FormatError> {
    let refused = |value: &Yaml, expected: &'static str| {
        let shown = value
            .text()
            .map_or("a list".to_string(), |text| format!("'{}'", clip(text)));
        value.error(source, unexpected(shown, expected))
    };
    let block = match kind.text() {
        Some("Ring") => Block::Ring,
        Some("Switch") => Block::Switch,
        Some("FullyConnected") => Block::Full,
        _ => return Err(refused(kind, "Ring, Switch or FullyConnected")),
    };
    let count = size
        .text()
        .and_then(|text| text.parse().ok())
        .filter(|&count: &usize| count > 0);
    let count = count.ok_or_else(|| refused(size, "a number of NPUs, 1 or more"))?;
    let text = rate
        .text()
        .ok_or_else(|| refused(rate, "a bandwidth in GB/s"))?;
    let value =
        parse_rational(text.trim()).map_err(|error| rate.error(source, Mistake::Number(error)))?;
    if !value.is_positive() {
        return Err(rate.error(
            source,
            Mistake::NotPositive {
                what: "a bandwidth",
                value: clip(text),
            },
        ));
    }
    let binary = ratio(1_u64 << 30, 1_000_000_000_u64);
    Ok(Dimension {
        kind: block,
        size: count,
        rate: value * binary,
        latency,
    })
}
