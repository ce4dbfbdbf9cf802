//! From a question to its answer: a list of attempts on one `Known`. An attempt skips questions of other kinds. If a
//! limit ends the list, the answer is the best found by then.

use std::time::Duration;

use oneport_plan::{Amount, Certificate};

use crate::attempts;
use crate::bounds::arborescences::with_cuts;
use crate::bounds::{prove, shared_tasks};
use crate::findings::Findings;
use crate::free;
use crate::known::Bound;
use crate::mixture::Effort;
use crate::only_way;
use crate::quick::simple;
use crate::room;
use crate::unmade::{Unmade, unmade};
use crate::{LpError, Options, Question, Solution};

/// Percent of the time left after the program for proofs of arborescences' prices. Trades a proof that the referee adds
/// up for one that it computes. Not measured.
const PROOFS: u32 = 20;
/// Time of these proofs after an interrupt or a caller's end. Trades lateness for a tighter bound. Not measured.
const GRACE: Duration = Duration::from_secs(2);

/// Improves the findings on a question, if it is of the attempt's kind.
type Attempt = fn(&Question, &Options, &mut Findings) -> Result<(), LpError>;

/// All of them, in their order.
const ATTEMPTS: [Attempt; 11] = [
    only_way::attempt,
    attempts::messages::attempt,
    attempts::quotient_first,
    attempts::scans,
    attempts::chains,
    attempts::size,
    attempts::quotient_last,
    attempts::program,
    attempts::all_reduce,
    attempts::compositions,
    shared_tasks::attempt,
];

/// Solves a question exactly. If a limit ends the work, or [`Until`](crate::Until) requires less than the optimum, the
/// answer is the best found: a feasible steady state, an exact bound, and
/// [`Status::Feasible`](crate::Status::Feasible). Every round is reported to the question's watch.
///
/// # Errors
/// [`LpError::Exact`] if HiGHS fails. [`LpError::Unmade`] if no tree can be executed. [`LpError::Unbounded`] and
/// [`LpError::FreeLink`] because of links of cost 0. [`LpError::Contradiction`] only for a defect of oneport.
pub fn solve(question: &Question, options: &Options) -> Result<Solution, LpError> {
    if let Some(Unmade { part, target }) = unmade(question.problem()) {
        let name = |node| format!(" and bring it to '{}'", question.platform().name(node));
        return Err(LpError::Unmade {
            part,
            target: target.map_or_else(String::new, name),
            by_task: matches!(question.volumes().work, Amount::Tasks(_)),
        });
    }
    free::check(question)?;
    question.has_room(room::least_tasks(question.problem()))?;
    let mut found = Findings::default();
    for attempt in ATTEMPTS {
        match attempt(question, options, &mut found) {
            // No simple answer replaces flows.
            Err(LpError::Stopped(_)) if question.commodities().is_empty() => break,
            done => done?,
        }
        if found.is_done() {
            break;
        }
    }
    // The time left may be too little even for a simple answer.
    let left = question.clone().watched(question.watch().finishing(GRACE));
    let proofs = left.watch().stage(PROOFS);
    let prices = |certificate: &Certificate| {
        prove(&left.clone().watched(proofs.clone()), certificate)
            .ok()
            .flatten()
    };
    let solution = finished(found, &left, prices)?;
    let certificate = if question.commodities().is_empty() {
        with_cuts(question, solution.certificate, &proofs)?
    } else {
        solution.certificate
    };
    Ok(Solution {
        certificate,
        ..solution
    })
}

/// Makes the answer from the findings. `left` is the question under the watch for this step. If the state or the bound
/// is missing, a simple one replaces it.
fn finished(
    mut found: Findings,
    left: &Question,
    prove: impl Fn(&Certificate) -> Option<Bound>,
) -> Result<Solution, LpError> {
    if found.known.state().is_none() {
        left.has_room(room::least_tasks(left.problem()))?;
        simple::offer(left, &mut found.known)?;
    }
    if found.known.bound().is_none() {
        let proved = found.prices.as_ref().and_then(prove);
        found
            .known
            .offer_bound(proved.map_or_else(|| simple::bound(left), Ok)?);
    }
    let finished = found.known.finished();
    let (steady_state, tight, bound, status) =
        finished.ok_or(LpError::Contradiction("nothing is known"))?;
    let Bound {
        throughput: upper_bound,
        certificate,
    } = bound;
    let Effort {
        solver_time,
        repaired,
        ..
    } = found.effort;
    Ok(Solution {
        steady_state,
        tight,
        certificate,
        upper_bound,
        status,
        solver_time,
        repaired,
    })
}
