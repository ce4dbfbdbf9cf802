//! Bound and throughput without a schedule.

use std::fmt;

use num_traits::{One, Zero};
use oneport_plan::{Certificate, Status};
use oneport_platform::Rational;
use oneport_watch::Limit;

/// A bound; the referee has recomputed it from the certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounded {
    /// No schedule has a larger throughput.
    pub bound: Rational,
    /// Why.
    pub certificate: Certificate,
    /// The largest throughput of a steady state found during the search, computed by the referee; `None` if no state
    /// was found.
    pub known: Option<Rational>,
    /// Which limit ended the search before its time: with more, less may be proved.
    pub ended_by: Option<Limit>,
}

impl Bounded {
    /// Whether a steady state is known that attains the bound.
    pub fn is_attained(&self) -> bool {
        self.known.as_ref() == Some(&self.bound)
    }

    /// [`Status::Optimal`] where a steady state attains the bound.
    pub fn status(&self) -> Status {
        if self.is_attained() {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }

    /// The part of the bound that no known steady state attains: 0 where one attains it, 1 where none is known.
    pub fn gap(&self) -> Rational {
        let attained = self
            .known
            .as_ref()
            .map_or_else(Rational::zero, |known| known / &self.bound);
        Rational::one() - attained
    }
}

/// The bound and the known throughput of a problem whose schedule is not listed. It is what [`bound`](crate::bound)
/// says: the referee has recomputed the bound from its certificate, and the throughput from a routing in short. As a
/// sentence ([`Display`](fmt::Display)) it says why no schedule is listed, and what would make room.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unlisted {
    /// Bound and throughput.
    pub bounded: Bounded,
    /// Fewest transfers and merges that a schedule would list.
    pub tasks: u64,
    /// The limit that left no room: time, memory, the caller's; `None`: no plan has room.
    pub limit: Option<Limit>,
}

impl fmt::Display for Unlisted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unlisted { tasks, limit, .. } = self;
        write!(
            f,
            "no schedule is listed: it has at least {tasks} transfers and merges, "
        )?;
        match limit {
            None => write!(
                f,
                "more than a plan has room for; ask about fewer participants"
            ),
            Some(Limit::Time) => {
                write!(
                    f,
                    "too many for the time limit; allow more time or ask about fewer participants"
                )
            }
            Some(Limit::Memory) => {
                write!(
                    f,
                    "too many for the memory limit; allow more memory or ask about fewer participants"
                )
            }
            Some(limit @ (Limit::Interrupt | Limit::Caller)) => {
                write!(f, "and {limit} came first; wait longer")
            }
        }
    }
}
