//! `oneport reduce heterogeneous --all-reduce` and `--broadcast`: the result for all.

use anyhow::{Result, bail};
use oneport::heterogeneous::{Budget, Method};
use oneport::plan::Concurrency;
use oneport::{Rational, all_reduce, broadcast_heterogeneous, heterogeneous};
use serde_json::json;

use super::answer::{Answer, Schedule, Terms};
use crate::answers::reduction as words;
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
    let all = all_reduce(times, destination, method, budget)?;
    let (proved, found) = (all.answer.is_proved(), all.found);
    let recheck = all.answer.recheck().clone();
    let one = all.answer.into_claim();
    let length = one.length();
    let (reduction, broadcast) = (one.reduction, one.broadcast);
    let facts = json!({
        "collective": "all-reduce",
        "destination": reduction.root,
        "reduction_length": reduction.length.to_string(),
        "reduction_lower_bound": found.answer.claim().lower_bound.to_string(),
        "broadcast_length": broadcast.length.to_string(),
        "broadcast_begins": reduction.length.to_string(),
        "rechecked": proved,
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
    let (into, proof) = one.proof.unzip();
    Ok(Answer {
        title: format!("all-reduction among {}", count(times.len(), "processor")),
        length,
        lower_bound: one.lower_bound,
        proved,
        proof: words::of_all_reduce(into, proof.as_ref(), &recheck),
        method: (
            found.method.name().to_string(),
            format!("{}; then fastest node first", found.why),
        ),
        schedule: Schedule::AllReduce(Box::new(reduction), Box::new(broadcast)),
        terms: Terms {
            limit: Concurrency::Unlimited,
            commutative: true,
            proof: proof.filter(|_| proved),
            into: into.filter(|_| proved),
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
    let answer = broadcast_heterogeneous(times, source)?;
    let (proved, told) = (
        answer.is_proved(),
        words::of_broadcast(None, answer.recheck()),
    );
    let one = answer.into_claim();
    Ok(Answer {
        title: format!(
            "broadcast from processor {source} to {}",
            count(times.len(), "processor")
        ),
        length: one.broadcast.length.clone(),
        lower_bound: one.lower_bound,
        proved,
        proof: told,
        method: ("fnf".to_string(), "fastest node first".to_string()),
        schedule: Schedule::Broadcast(Box::new(one.broadcast)),
        terms: Terms {
            limit: Concurrency::Unlimited,
            commutative: true,
            proof: None,
            into: None,
        },
        notes: Vec::new(),
        facts: json!({
            "collective": "broadcast",
            "source": source,
            "rechecked": proved,
        }),
    })
}
