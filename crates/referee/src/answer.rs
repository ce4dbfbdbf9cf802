//! From a claim to an answer. This file alone makes an [`Answer`].

use num_traits::{One, Zero};
use oneport_plan::{
    Certificate, Claim, PeriodicSchedule, Plan, Problem, State, Stated, Status, SteadyState,
};
use oneport_platform::Rational;
use oneport_watch::Watch;

use crate::arithmetic::is_sound;
use crate::case::Case;
use crate::certificate::bound;
use crate::routing::sustained;
use crate::steady_state::Sustained;
use crate::violation::{fault, shown};
use crate::{Violation, schedule};

/// The facts proved about a problem so far: a bound with its certificate, a throughput with its state. Each is replaced
/// only by a better one. A search that depends on proved facts adds them step by step. [`judge`] adds them in one step.
#[derive(Debug, Clone)]
pub struct Proved {
    problem: Problem,
    bound: Option<(Rational, Certificate)>,
    attained: Option<(Rational, Option<State>)>,
}

impl Proved {
    /// Nothing is proved yet.
    pub fn about(problem: &Problem) -> Self {
        Proved {
            problem: problem.clone(),
            bound: None,
            attained: None,
        }
    }

    /// The least bound, in instances per unit of time.
    pub fn bound(&self) -> Option<&Rational> {
        self.bound.as_ref().map(|(bound, _)| bound)
    }

    /// The certificate of the least bound.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.bound.as_ref().map(|(_, certificate)| certificate)
    }

    /// The largest throughput, in instances per unit of time.
    pub fn throughput(&self) -> Option<&Rational> {
        self.attained.as_ref().map(|(throughput, _)| throughput)
    }

    /// The weighted patterns of the best state, if they are listed.
    pub fn patterns(&self) -> Option<&SteadyState> {
        let (_, state) = self.attained.as_ref()?;
        state.as_ref()?.listed()
    }

    /// Whether bound and throughput are equal: nothing is left to find.
    pub fn is_optimal(&self) -> bool {
        let (bound, throughput) = (self.bound(), self.throughput());
        bound.is_some_and(|bound| throughput.is_some_and(|throughput| bound <= throughput))
    }

    /// Computes the bound that a certificate proves. Of equal bounds the first is kept.
    ///
    /// # Errors
    /// Those of [`bound`](crate::bound()). The facts proved before stay.
    pub fn prove(&mut self, certificate: Certificate, watch: &Watch) -> Result<(), Violation> {
        let bound = bound(&self.problem, &certificate, watch)?;
        self.offer_bound((bound, certificate));
        Ok(())
    }

    /// Computes the throughput that a state sustains. Of equal throughputs the first is kept.
    ///
    /// # Errors
    /// The first rule broken. The facts proved before stay.
    pub fn sustain(&mut self, state: State, watch: &Watch) -> Result<(), Violation> {
        let throughput = match &state {
            State::Listed(state) => {
                let case = Case::new(&self.problem).watched(watch);
                Sustained::new(case, state)?.check_odd_sets()?;
                state.throughput.clone()
            }
            State::Compact(routing) => sustained(&self.problem, routing, watch)?,
        };
        self.offer_attained((throughput, Some(state)));
        Ok(())
    }

    /// Takes the better of both sides. The facts of another problem are left alone.
    pub fn merge(&mut self, other: Proved) {
        if self.problem == other.problem {
            if let Some(it) = other.bound {
                self.offer_bound(it);
            }
            let attained = other.attained.into_iter();
            for it in attained {
                self.offer_attained(it);
            }
        }
    }

    /// The bound without the state.
    pub fn bound_alone(&self) -> Proved {
        Proved {
            problem: self.problem.clone(),
            bound: self.bound.clone(),
            attained: None,
        }
    }

    /// The answer with this state and schedule in place of the state so far. The certificate is not judged again.
    ///
    /// # Errors
    /// The first rule broken. [`Rule::NoBound`](crate::Rule::NoBound) without a bound.
    pub fn with(
        self,
        state: Option<State>,
        schedule: Option<PeriodicSchedule>,
        watch: &Watch,
    ) -> Result<Answer, Violation> {
        let Some((bound, certificate)) = self.bound else {
            return Err(nothing_proved());
        };
        let claim = Claim {
            problem: self.problem,
            certificate,
            state,
            schedule,
        };
        decide(claim, |_, _| Ok(bound), watch)
    }

    /// The answer without a schedule.
    ///
    /// # Errors
    /// [`Rule::NoBound`](crate::Rule::NoBound) without a bound. A throughput above the bound, which is a defect of this
    /// crate.
    pub fn answer(self) -> Result<Answer, Violation> {
        let Some((bound, certificate)) = self.bound else {
            return Err(nothing_proved());
        };
        let (throughput, state) = self.attained.unzip();
        let answer = Answer {
            claim: Claim {
                problem: self.problem,
                certificate,
                state: state.flatten(),
                schedule: None,
            },
            bound,
            throughput,
        };
        answer.check_duality()?;
        Ok(answer)
    }

    fn offer_bound(&mut self, found: (Rational, Certificate)) {
        if self.bound().is_none_or(|known| found.0 < *known) {
            self.bound = Some(found);
        }
    }

    fn offer_attained(&mut self, found: (Rational, Option<State>)) {
        if self.throughput().is_none_or(|known| *known < found.0) {
            self.attained = Some(found);
        }
    }
}

fn nothing_proved() -> Violation {
    fault!(NoBound, "no certificate has been judged"; "an answer has a bound")
}

/// A claim that the referee has judged, with the bound and the throughput that it has computed. Nobody else makes one.
///
/// ```
/// use oneport_plan::{Certificate, Claim, Collective, Pattern, PeriodicSchedule, Problem, Resource, ScheduledPattern};
/// use oneport_plan::{Slot, State, Status, SteadyState, Volumes, WeightedPattern};
/// use oneport_platform::{Node, Platform, parse_rational};
/// use oneport_referee::{Watch, judge};
/// let one = parse_rational("1")?;
/// let mut builder = Platform::builder();
/// let (a, b) = (builder.node(Node::processor("a", one.clone()))?, builder.node(Node::processor("b", one.clone()))?);
/// let link = builder.link(a, b, one.clone())?;
/// let path = Pattern::path(0, vec![link]);
/// let claim = Claim {
///     problem: Problem::new(builder.build()?, Collective::scatter(a, vec![b]), Volumes::default())?,
///     certificate: Certificate::of_prices(vec![(Resource::Send(a), one.clone())]),
///     state: Some(State::Listed(SteadyState {
///         throughput: one.clone(),
///         patterns: vec![WeightedPattern { pattern: path.clone(), weight: one.clone() }],
///     })),
///     schedule: Some(PeriodicSchedule {
///         period: one.clone(),
///         instances: 1u32.into(),
///         patterns: vec![ScheduledPattern { pattern: path, copies: 1u32.into() }],
///         slots: vec![Slot { shares: Vec::new(), length: one.clone(), links: vec![link] }],
///     }),
/// };
/// let answer = judge(claim.clone(), &Watch::unlimited())?;
/// assert_eq!((answer.status(), answer.bound()), (Status::Optimal, &one));
/// let nothing = Certificate::of_prices(Vec::new());
/// assert!(judge(Claim { certificate: nothing, ..claim }, &Watch::unlimited()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Its fields are private:
///
/// ```compile_fail
/// # fn changed(answer: oneport_referee::Answer) -> oneport_referee::Answer {
/// oneport_referee::Answer { bound: oneport_plan::Rational::default(), ..answer }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    claim: Claim,
    /// Computed from the certificate.
    bound: Rational,
    /// Computed from the state, or from the schedule if there is no state.
    throughput: Option<Rational>,
}

impl Answer {
    /// The claim: question, certificate, state, schedule.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The claim, which anybody may change.
    pub fn into_claim(self) -> Claim {
        self.claim
    }

    /// The numbers that a file repeats.
    pub fn stated(&self) -> Stated {
        Stated {
            upper_bound: self.bound.clone(),
            status: self.status(),
        }
    }

    /// The question.
    pub fn problem(&self) -> &Problem {
        &self.claim.problem
    }

    /// The proof of the bound.
    pub fn certificate(&self) -> &Certificate {
        &self.claim.certificate
    }

    /// No schedule has a larger throughput.
    pub fn bound(&self) -> &Rational {
        &self.bound
    }

    /// The throughput of the state, else of the schedule. `None` of a bound alone.
    pub fn throughput(&self) -> Option<&Rational> {
        self.throughput.as_ref()
    }

    /// The weighted patterns, if they are listed.
    pub fn patterns(&self) -> Option<&SteadyState> {
        self.claim.state.as_ref()?.listed()
    }

    /// The schedule.
    pub fn schedule(&self) -> Option<&PeriodicSchedule> {
        self.claim.schedule.as_ref()
    }

    /// All parts. `None` unless patterns and a schedule are listed.
    pub fn plan(&self) -> Option<Plan<'_>> {
        Plan::of(&self.claim, &self.bound, self.status())
    }

    /// [`Status::Optimal`] exactly if the throughput equals the bound.
    pub fn status(&self) -> Status {
        let throughput = self.throughput();
        throughput.map_or(Status::Feasible, |throughput| {
            Status::of(throughput, &self.bound)
        })
    }

    /// The part of the bound that is not attained: 0 of an optimum, 1 if no throughput is known.
    pub fn gap(&self) -> Rational {
        let attained = self.throughput().map(|known| known / &self.bound);
        Rational::one() - attained.unwrap_or_else(Rational::zero)
    }

    /// Drops state and schedule, which may be large. The throughput stays.
    pub fn slim(self) -> Answer {
        Answer {
            claim: Claim {
                state: None,
                schedule: None,
                ..self.claim
            },
            ..self
        }
    }

    /// Weak duality excludes this. If it happens, one of the checks is wrong.
    fn check_duality(&self) -> Result<(), Violation> {
        let of_schedule = self.schedule().map(PeriodicSchedule::throughput);
        let of_state = self
            .throughput()
            .map(|throughput| ("steady state", throughput));
        let of_schedule = of_schedule
            .as_ref()
            .map(|throughput| ("schedule", throughput));
        for (what, throughput) in of_state.into_iter().chain(of_schedule) {
            if *throughput > self.bound {
                let (throughput, bound) = (shown(throughput), shown(&self.bound));
                let found = format!(
                    "the throughput of the {what} is {throughput}, above the proved bound {bound}"
                );
                return Err(fault!(Claim, "{found}"; "please report this"));
            }
        }
        Ok(())
    }
}

/// The facts that an answer proves. The schedule is dropped.
impl From<Answer> for Proved {
    fn from(answer: Answer) -> Self {
        Proved {
            problem: answer.claim.problem,
            bound: Some((answer.bound, answer.claim.certificate)),
            attained: answer.throughput.map(|it| (it, answer.claim.state)),
        }
    }
}

/// Checks a claim: its state, its certificate, its schedule. If nodes have one port for sends and receives together,
/// the state needs a proof besides: either the schedule keeps every link busy for at least the same share of the time,
/// or all odd-set inequalities hold. (A timeline is not part of a claim: see
/// [`check_timeline`](crate::check_timeline).)
///
/// # Errors
/// The first rule broken. [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the check: the claim may be right.
pub fn judge(claim: Claim, watch: &Watch) -> Result<Answer, Violation> {
    decide(claim, |problem, it| bound(problem, it, watch), watch)
}

/// [`judge`], for a file that states numbers that follow from its claim.
///
/// # Errors
/// Those of [`judge`]. A stated number that differs from the computed one.
pub fn verify(claim: Claim, stated: &Stated, watch: &Watch) -> Result<Answer, Violation> {
    let proved = |problem: &Problem, certificate: &Certificate| {
        let bound = bound(problem, certificate, watch)?;
        if is_sound(&stated.upper_bound) && stated.upper_bound == bound {
            return Ok(bound);
        }
        let (stated, proved) = (shown(&stated.upper_bound), shown(&bound));
        Err(
            fault!(Claim, "the plan states the upper bound {stated}"; "the certificate proves {proved}"),
        )
    };
    let answer = decide(claim, proved, watch)?;
    if stated.status != answer.status() {
        let (stated, right) = (stated.status.name(), answer.status().name());
        let throughput = answer
            .throughput()
            .map_or("unknown".to_string(), |it| shown(it).to_string());
        let bound = shown(answer.bound());
        let right = format!("with throughput {throughput} and bound {bound} it must be {right}");
        return Err(fault!(Claim, "the status is {stated}"; "{right}"));
    }
    Ok(answer)
}

/// Checks all but the bound, which `proved` computes.
fn decide(
    claim: Claim,
    proved: impl FnOnce(&Problem, &Certificate) -> Result<Rational, Violation>,
    watch: &Watch,
) -> Result<Answer, Violation> {
    let Claim {
        problem,
        certificate,
        state,
        schedule,
    } = &claim;
    let case = Case::new(problem).watched(watch);
    let (mut throughput, mut listed) = (None, None);
    match state {
        Some(State::Listed(state)) => {
            listed = Some(Sustained::new(case, state)?);
            throughput = Some(state.throughput.clone());
        }
        Some(State::Compact(routing)) => throughput = Some(sustained(problem, routing, watch)?),
        None => {}
    }
    let bound = proved(problem, certificate)?;
    let mut scheduled = None;
    if let Some(schedule) = schedule {
        scheduled = Some((schedule::check(&case, schedule)?, &schedule.period));
        throughput = throughput.or_else(|| Some(schedule.throughput()));
    }
    if let Some(listed) = listed {
        // Slots that keep every link busy for as long prove the odd-set inequalities.
        let within = scheduled.is_some_and(|(loads, period)| listed.is_within(&loads, period));
        if !within {
            listed.check_odd_sets()?;
        }
    }
    let answer = Answer {
        claim,
        bound,
        throughput,
    };
    answer.check_duality()?;
    Ok(answer)
}
