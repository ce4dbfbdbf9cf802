//! `oneport reduce heterogeneous --all-reduce` and `--broadcast`: the result for all.

use anyhow::{Result, bail};
use oneport::heterogeneous::{Budget, Method};
use oneport::plan::Limit;
use oneport::{Rational, all_reduce, broadcast_heterogeneous, heterogeneous};
use serde_json::json;

use super::answer::{Answer, Schedule, Terms};
use crate::words::numbers::readable;
use crate::words::output::count;
use crate::words::usage::usage;

/// All-reduction: the best reduction into a processor of the list, and fastest node first from there.
pub fn all(
    times: &[Rational],
    destination: Option<usize>,
    method: Method,
    budget: &Budget,
) -> Result<Answer> {
    let (all, found) = all_reduce(times, destination, method, budget)?;
    let (reduction, broadcast) = (all.reduction, all.broadcast);
    let facts = json!({
        "collective": "all-reduce",
        "destination": reduction.root,
        "reduction_length": reduction.length.to_string(),
        "reduction_lower_bound": found.checked.shortest.lower_bound.to_string(),
        "broadcast_length": broadcast.length.to_string(),
        "broadcast_begins": reduction.length.to_string(),
    });
    let theorem = found.method == Method::SlowestFirst
        && heterogeneous::fastest(times) == Ok(reduction.root as usize);
    let notes = vec![format!(
        "parts   reduction into processor {}: {}; then the broadcast: {}{}",
        reduction.root,
        readable(&reduction.length),
        readable(&broadcast.length),
        if theorem {
            "; at most 3.5 times the optimum (Liu-Kuo-Wang 2009, Theorem 3)"
        } else {
            ""
        }
    )];
    Ok(Answer {
        title: format!("all-reduction among {}", count(times.len(), "processor")),
        length: all.length,
        lower_bound: all.lower_bound,
        proved: false,
        proof: "it contains a reduction to every processor, and a broadcast from every one"
            .to_string(),
        method: (
            found.method.name().to_string(),
            format!("{}; then fastest node first", found.why),
        ),
        schedule: Schedule::AllReduce(Box::new(reduction), Box::new(broadcast)),
        terms: Terms {
            limit: Limit::Unlimited,
            commutative: true,
            proof: None,
        },
        notes,
        facts,
    })
}

/// Broadcast: fastest node first.
pub fn broadcast(times: &[Rational], source: Option<usize>) -> Result<Answer> {
    if times.is_empty() {
        bail!(usage(
            "--broadcast: give the processors with --times or --classes"
        ));
    }
    let source = source.map_or_else(|| heterogeneous::fastest(times), Ok)?;
    let (broadcast, lower_bound) = broadcast_heterogeneous(times, source)?;
    Ok(Answer {
        title: format!(
            "broadcast from processor {source} to {}",
            count(times.len(), "processor")
        ),
        length: broadcast.length.clone(),
        lower_bound,
        proved: false,
        proof: "two relaxations, transfer by transfer".to_string(),
        method: ("fnf".to_string(), "fastest node first".to_string()),
        schedule: Schedule::Broadcast(Box::new(broadcast)),
        terms: Terms {
            limit: Limit::Unlimited,
            commutative: true,
            proof: None,
        },
        notes: Vec::new(),
        facts: json!({ "collective": "broadcast", "source": source }),
    })
}
