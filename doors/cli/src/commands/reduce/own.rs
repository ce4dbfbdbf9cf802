//! Compares a user's schedule (a sequence, start times, or a tree) with the best known.

use std::path::Path;

use anyhow::{Context, Result, bail};
use oneport::heterogeneous::{Budget, Method, Processors, check_starts};
use oneport::homogeneous::EqualCosts;
use oneport::{Rational, files, judge_sequence, judge_tree};

use super::answer::Answer;
use super::read::shorten;
use crate::words::numbers::readable;
use crate::words::output::count;
use crate::words::usage::usage;

/// The earliest-possible schedule of a sequence: `2,0,1`.
pub fn sequence(
    text: &str,
    processors: &Processors,
    method: Method,
    budget: &Budget,
) -> Result<Answer> {
    let read = |(index, item): (usize, &str)| {
        let wrong = || {
            usage(format!(
                "--sequence: entry {index} (counted from 0): '{}' is not a processor",
                shorten(item)
            ))
        };
        item.trim().parse::<usize>().map_err(|_| wrong())
    };
    let sequence: Vec<usize> = text
        .split(',')
        .enumerate()
        .map(read)
        .collect::<Result<_>>()?;
    let judged = judge_sequence(processors, &sequence, method, budget).context("--sequence")?;
    let title = format!(
        "your sequence of {} into processor {}",
        senders(processors),
        processors.destination()
    );
    Ok(Answer::judged(
        title,
        "earliest",
        "the earliest-possible schedule of the sequence".to_string(),
        judged,
    ))
}

/// Start times in a file: checked against inequality (1), then as early as possible.
///
/// # Errors
/// The file does not hold one start time per sender. Else the first date at which inequality (1) is violated.
pub fn starts(
    path: &Path,
    processors: &Processors,
    method: Method,
    budget: &Budget,
) -> Result<Answer> {
    let name = path.display();
    let listed = files::read_starts(path)?;
    let (times, destination) = (processors.times(), processors.destination());
    if listed.len() != times.len() {
        let right = times.len();
        bail!(
            "{name}: there are {} start times; give {right}, null for processor {destination}",
            listed.len()
        );
    }
    if listed.get(destination).is_some_and(Option::is_some) {
        bail!(
            "{name}: processor {destination} is the destination and sends nothing; write null for it"
        );
    }
    if let Some(sender) = processors
        .senders()
        .find(|&sender| listed[sender].is_none())
    {
        bail!(
            "{name}: processor {sender} has no start time; only the destination, processor {destination}, has none"
        );
    }
    let dates: Vec<Rational> = listed.into_iter().map(Option::unwrap_or_default).collect();
    let started = match check_starts(processors, &dates).with_context(|| name.to_string())? {
        Ok(started) => started,
        Err(crowded) => bail!(
            "{name}: violation: at {} A = {} senders are active and C = {} are complete; 2 A + C = {} exceeds the {} \
             (Liu-Kuo-Wang 2009, inequality (1))",
            readable(&crowded.date),
            crowded.active,
            crowded.complete,
            2 * crowded.active + crowded.complete,
            count(crowded.processors, "processor"),
        ),
    };
    let judged = judge_sequence(processors, &started.sequence, method, budget)?;
    let title = format!(
        "your start times of {} into processor {destination}",
        senders(processors)
    );
    let why = "the earliest-possible schedule of the same sequence".to_string();
    let mut answer = Answer::judged(title, "earliest", why, judged);
    answer.fact("given_length", started.length.to_string());
    answer.notes.insert(
        0,
        format!(
            "given   {}: inequality (1) holds at all dates",
            readable(&started.length)
        ),
    );
    Ok(answer)
}

/// A tree in a file, with its earliest dates.
pub fn tree(path: &Path, costs: &EqualCosts, words: &str) -> Result<(u64, Answer)> {
    let receivers = files::read_receivers(path)?;
    let judged = judge_tree(&receivers, costs).with_context(|| path.display().to_string())?;
    let values = receivers.len() as u64;
    let title = format!("your tree of {}, {words}", count(values, "value"));
    let order = if judged.answer.claim().commutative {
        "the operator must commute"
    } else {
        "the operands keep their order"
    };
    let why = format!("earliest dates, RR-7898, proposition 3; {order}");
    Ok((values, Answer::judged(title, "given", why, judged)))
}

fn senders(processors: &Processors) -> String {
    count(processors.senders().count(), "sender")
}
