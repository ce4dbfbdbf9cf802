//! The best proposals so far: a steady state and a bound, each replaced only by a better one. The referee has checked
//! neither.

use oneport_plan::{Certificate, Pattern, Status, SteadyState};
use oneport_platform::Rational;

/// Upper bound on the throughput of every schedule, with its proof. A price that holds for some patterns only, such as
/// compositions or the images of a symmetry, is no bound and has another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// No schedule has a larger throughput.
    pub throughput: Rational,
    /// The proof.
    pub certificate: Certificate,
}

/// The best on either side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    state: Option<SteadyState>,
    bound: Option<Bound>,
    tight: Vec<Pattern>,
}

impl Known {
    /// Keeps the steady state with the larger throughput. Of equal ones the first.
    pub fn offer_state(&mut self, found: SteadyState) {
        self.offer_tight(found, Vec::new());
    }

    /// [`offer_state`](Self::offer_state) with further patterns that optimal steady states may use.
    pub fn offer_tight(&mut self, found: SteadyState, tight: Vec<Pattern>) {
        if self
            .throughput()
            .is_none_or(|known| *known < found.throughput)
        {
            (self.state, self.tight) = (Some(found), tight);
        }
    }

    /// Keeps the smaller bound. Of equal ones the first, which is the simpler one.
    pub fn offer_bound(&mut self, found: Bound) {
        if self
            .bound
            .as_ref()
            .is_none_or(|known| found.throughput < known.throughput)
        {
            self.bound = Some(found);
        }
    }

    /// The best of both.
    pub fn offer(
        &mut self,
        Known {
            state,
            bound,
            tight,
        }: Known,
    ) {
        if let Some(state) = state {
            self.offer_tight(state, tight.clone());
        }
        if let Some(bound) = bound {
            self.offer_bound(bound);
        }
    }

    /// The steady state.
    pub fn state(&self) -> Option<&SteadyState> {
        self.state.as_ref()
    }

    /// The throughput of the steady state.
    pub fn throughput(&self) -> Option<&Rational> {
        self.state.as_ref().map(|state| &state.throughput)
    }

    /// The bound.
    pub fn bound(&self) -> Option<&Bound> {
        self.bound.as_ref()
    }

    /// Whether the two meet: nothing is left to do.
    pub fn is_optimal(&self) -> bool {
        self.bound.as_ref().is_some_and(|bound| {
            self.throughput()
                .is_some_and(|known| bound.throughput <= *known)
        })
    }

    /// Both sides, the tight patterns, and the status. `None` if a side is missing.
    pub fn finished(self) -> Option<(SteadyState, Vec<Pattern>, Bound, Status)> {
        let (state, bound) = (self.state?, self.bound?);
        let status = Status::of(&state.throughput, &bound.throughput);
        Some((state, self.tight, bound, status))
    }
}
