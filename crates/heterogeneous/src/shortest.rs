//! The entry point: which method answers, and the schedule that belongs to the answer.

use std::fmt;

use num_traits::Zero;
use oneport_plan::{Instance, Proof, Reduction, Shortest};
use oneport_platform::Rational;

use crate::anneal::race;
use crate::placement::MethodResult;
use crate::problem::{Budget, Problem, Progress};
use crate::search::{Deadlines, Lower, WIDTHS};
use crate::slowest_first::{self, Reason};
use crate::snf_placement::Placed;
use crate::{
    Cluster, Error, Placement, Processors, bound, dynamic, earliest, levels, slots, snf_placement,
};

/// How the answer is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The fastest exact method for the cluster.
    Auto,
    /// Slowest-node-first, with a lower bound: at most twice the optimum (Theorem 2).
    SlowestFirst,
    /// The paper's dynamic program (Theorem 6): small counts.
    DynamicProgram,
    /// Two classes, any counts: [`levels`].
    Levels,
    /// Few classes, any counts: a program over the slots of each date.
    Slots,
    /// Any times, up to 1000 senders: annealing, and a search with weights of senders.
    Search,
}

impl Method {
    /// Its short name: "auto", "snf", "dp", "levels", "slots", "search".
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::SlowestFirst => "snf",
            Method::DynamicProgram => "dp",
            Method::Levels => "levels",
            Method::Slots => "slots",
            Method::Search => "search",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A length, its proof, and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Length, lower bound and proof. For an answer without a schedule, see [`Answer::schedule`].
    pub shortest: Shortest,
    /// Numbers of senders per class and date of the slot.
    pub placement: Placement,
    /// The method used, never [`Method::Auto`].
    pub method: Method,
    /// Which method and why, in one line.
    pub why: String,
}

/// Limit: senders of the search.
const MOST_SEARCHED: u64 = 1000;
/// Senders up to which [`Method::Auto`] searches if their times mostly differ, and up to which a search closes the gap
/// of slot flow. Trades a proof for time. Not measured.
const MOST_CLOSED: u64 = 400;
/// Round of annealing that a search begins with. Trades states of the search for shorter schedules. Not measured.
const ROUND: u32 = 3;

/// The shortest reduction.
///
/// [`Method::Auto`] takes slowest-node-first if a theorem proves it optimal, [`Method::Levels`] for two classes,
/// [`Method::Search`] for up to 400 senders of mostly different times, else [`Method::Slots`]. If one of these is too
/// large for the cluster, it takes the dynamic program, the search, and last slowest-node-first with its bound. If the
/// budget stops a search or program, the answer is its best schedule and bound.
///
/// # Errors
/// A method that does not apply to the cluster, or would take too much. See each.
pub fn shortest(cluster: &Cluster, method: Method, budget: &Budget) -> Result<Answer, Error> {
    let (mut chosen, mut why) = choose(cluster, method);
    let mut found = carry_out(cluster, chosen, budget);
    // If the cluster is too large for a method that was named, the error is returned.
    if method == Method::Auto {
        for next in [Method::DynamicProgram, Method::Search, Method::SlowestFirst] {
            if found.is_ok() {
                break;
            }
            why = format!("{why}, too large; {}", next.name());
            (chosen, found) = (next, carry_out(cluster, next, budget));
        }
    }
    answer(cluster, chosen, why, found?)
}

fn carry_out(cluster: &Cluster, method: Method, budget: &Budget) -> Result<MethodResult, Error> {
    match method {
        Method::Auto | Method::SlowestFirst => by_slowest_first(cluster),
        Method::DynamicProgram => dynamic::solve(cluster),
        Method::Levels => levels::solve(cluster),
        Method::Slots => by_slots(cluster, budget),
        Method::Search => by_search(cluster, budget),
    }
}

/// Slowest-node-first with a lower bound: of [`slowest_first::is_optimal_by_theorem`], of [`levels`] for two classes,
/// or of [`bound::lower_bound`].
fn by_slowest_first(cluster: &Cluster) -> Result<MethodResult, Error> {
    let (length, placement) = slowest_first::placed(cluster)?;
    let (lower_bound, proof) = if slowest_first::is_optimal_by_theorem(cluster).is_some() {
        (length.clone(), Proof::SlowestFirst)
    } else if let ([_, _], Ok(levels)) = (cluster.classes(), levels::solve(cluster)) {
        (levels.length, Proof::Levels)
    } else {
        let bound = bound::lower_bound(cluster);
        (bound.length.clone(), bound.proof())
    };
    Ok(MethodResult {
        length,
        lower_bound,
        proof,
        placement: Some(placement),
    })
}

/// Slot flow. If bound and placement do not meet and the senders are few, annealing and the search.
///
/// # Errors
/// Times of more than 56 bits in their common unit, see [`slots::improve`].
fn by_slots(cluster: &Cluster, budget: &Budget) -> Result<MethodResult, Error> {
    let problem = Problem::new(cluster)?;
    let (length, placed) = snf_placement::slowest_first(&problem.times, &problem.senders);
    if placed.is_empty() {
        return Ok(problem.found(0, 0, Proof::Exhaustion { states: 0 }, &[]));
    }
    let mut progress = Progress::new(&problem, budget, length);
    let start = race(&problem, (length, placed), 0, &mut progress);
    let flowed = slots::improve(&problem, start, &mut progress)?;
    if flowed.lower >= flowed.length {
        return Ok(problem.found(flowed.length, flowed.lower, flowed.proof, &flowed.placed));
    }
    let best = (flowed.length, flowed.placed);
    let mut lower = Lower {
        length: flowed.lower,
        proof: flowed.proof,
    };
    if problem.count() > MOST_CLOSED {
        let best = race(&problem, best, ROUND, &mut progress);
        return Ok(problem.found(best.0, lower.length, lower.proof, &best.1));
    }
    let closed = closed(&problem, lower.length, best, &mut progress);
    if closed.lower.length > lower.length {
        lower = closed.lower;
    }
    let (length, placed) = closed.best;
    Ok(problem.found(length, lower.length, lower.proof, &placed))
}

/// Annealing and the search, for any times and up to 1000 senders (some 30 can be expected to be solved if all times
/// differ).
///
/// # Errors
/// More than 1000 senders. Times of more than 56 bits in their common unit.
fn by_search(cluster: &Cluster, budget: &Budget) -> Result<MethodResult, Error> {
    let problem = Problem::new(cluster)?;
    let senders = problem.count();
    if senders > MOST_SEARCHED {
        return Err(Error::TooMany {
            senders,
            purpose: "for the search",
            most: MOST_SEARCHED,
        });
    }
    let best = snf_placement::slowest_first(&problem.times, &problem.senders);
    let mut progress = Progress::new(&problem, budget, best.0);
    let Closed { lower, best } = closed(&problem, 0, best, &mut progress);
    Ok(problem.found(best.0, lower.length, lower.proof, &best.1))
}

/// The result of annealing and search.
struct Closed {
    lower: Lower,
    best: (u64, Vec<Placed>),
}

/// Annealing and passes of the search in turn, each longer than before, until bound and placement meet or the work is
/// to stop. No schedule is shorter than `lower` ticks.
///
/// Takes at most about 2 GB.
fn closed(
    problem: &Problem,
    lower: u64,
    best: (u64, Vec<Placed>),
    progress: &mut Progress,
) -> Closed {
    let best = race(problem, best, ROUND, progress);
    let mut deadlines = Deadlines::new(problem, lower, best);
    let mut searches = true;
    for (round, width) in (1..).zip(WIDTHS) {
        searches = searches && deadlines.sweep(width, progress);
        if deadlines.is_closed() || !progress.go_on(0) {
            break;
        }
        let best = race(problem, deadlines.best.clone(), ROUND + round, progress);
        deadlines.offer(best);
    }
    let weighed = deadlines.weighed();
    // A bound that the referee cannot repeat counts only if it closes the gap.
    let lower = if deadlines.is_closed() && weighed.length < deadlines.lower() {
        Lower {
            length: deadlines.lower(),
            proof: Proof::Exhaustion {
                states: progress.states,
            },
        }
    } else {
        weighed
    };
    Closed {
        lower,
        best: deadlines.best,
    }
}

fn choose(cluster: &Cluster, method: Method) -> (Method, String) {
    if method != Method::Auto {
        return (method, format!("{} was asked for", method.name()));
    }
    let (classes, senders) = (cluster.classes().len(), cluster.senders());
    if senders == 0 {
        return (Method::SlowestFirst, "nobody sends".into());
    }
    match (slowest_first::is_optimal_by_theorem(cluster), classes) {
        (Some(Reason::OneClass), _) => (
            Method::SlowestFirst,
            "1 class: slowest-node-first is optimal".into(),
        ),
        (Some(Reason::DivisorChain), _) => (
            Method::SlowestFirst,
            "each time divides the next: slowest-node-first is optimal (Theorem 1)".into(),
        ),
        (Some(Reason::TwoClasses), _) => (
            Method::SlowestFirst,
            "2 classes, ratio 2 or more: slowest-node-first is optimal (Theorem 4)".into(),
        ),
        (None, 2) => (Method::Levels, "2 classes: levels".into()),
        (None, _) if senders <= MOST_CLOSED && 2 * classes as u64 > senders => (
            Method::Search,
            format!("{classes} classes of {senders} senders: search"),
        ),
        (None, _) => (
            Method::Slots,
            format!("{classes} classes of {senders} senders: slots"),
        ),
    }
}

fn answer(
    cluster: &Cluster,
    method: Method,
    why: String,
    found: MethodResult,
) -> Result<Answer, Error> {
    // A stopped method may have a length without a placement. Slowest-node-first always has one.
    let (length, placement) = match found.placement {
        Some(placement) => (found.length, placement),
        None => slowest_first::placed(cluster)?,
    };
    let proof = if cluster.senders() == 0 {
        Proof::SlowestFirst
    } else {
        found.proof
    };
    let shortest = Shortest {
        instance: Instance::Classes(cluster.classes().to_vec()),
        length,
        lower_bound: found.lower_bound,
        proof,
        reduction: None,
    };
    Ok(Answer {
        shortest,
        placement,
        method,
        why,
    })
}

impl Answer {
    /// The schedule on single processors: by the starts that the placement allows, as early as possible. O(n log n).
    ///
    /// Senders of a class are taken in index order. The length is that of the answer. If the answer is not optimal it
    /// may be less.
    ///
    /// # Errors
    /// Processors of another cluster. More than 2^32 - 1 of them.
    pub fn schedule(&self, processors: &Processors) -> Result<Reduction, Error> {
        let cluster = processors.cluster();
        if Instance::Classes(cluster.classes().to_vec()) != self.shortest.instance {
            return Err(Error::NoSequence(
                "the processors are not those of the answer's classes".into(),
            ));
        }
        let reduction = if self.method == Method::SlowestFirst {
            slowest_first::schedule(processors)?
        } else {
            earliest(processors, &self.sequence(&cluster, processors))?
        };
        let (is, should) = (&reduction.length, &self.shortest.length);
        // If the answer is not proved optimal, starting early may happen to gain something.
        if is <= should && *is >= self.shortest.lower_bound {
            return Ok(reduction);
        }
        Err(Error::NoSequence(format!(
            "the placement's schedule has length {is}, not {should}"
        )))
    }

    /// The senders by the dates of their slots, then by times: the earliest possible start first.
    fn sequence(&self, cluster: &Cluster, processors: &Processors) -> Vec<usize> {
        let classes = cluster.classes();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
        for sender in processors.senders() {
            let time = &processors.times()[sender];
            if let Ok(class) = classes.binary_search_by(|class| class.time.cmp(time)) {
                members[class].push(sender);
            }
        }
        let mut rows: Vec<(Rational, usize, u64)> = self
            .placement
            .rows
            .iter()
            .map(|row| {
                // The start, counted backwards from the end.
                let time = classes
                    .get(row.class)
                    .map_or_else(Rational::zero, |class| class.time.clone());
                (&row.date + time, row.class, row.senders)
            })
            .collect();
        rows.sort_by(|a, b| b.cmp(a));
        let mut next = vec![0; classes.len()];
        let mut sequence = Vec::with_capacity(processors.times().len());
        for (_, class, senders) in rows {
            let Some(of_class) = members.get(class) else {
                continue;
            };
            let from: usize = next[class];
            let to = from.saturating_add(senders as usize).min(of_class.len());
            sequence.extend_from_slice(&of_class[from..to]);
            next[class] = to;
        }
        sequence
    }
}
