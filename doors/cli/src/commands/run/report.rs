//! Formats the delivered instances as text and as JSON.

use std::fmt::Write as _;

use anyhow::Result;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport::schedule::Horizon;
use oneport::{Rational, Status};
use serde_json::{Value, json};

use super::{Counted, Delivery};
use crate::answers::answer::header;
use crate::flags::limits::named;
use crate::words::numbers::{Shown, percent, readable_count};
use crate::words::output::count;
use crate::words::tables::{Sheet, plain};

impl Delivery<'_> {
    /// Periods in which all stages of the plan run: the periods whose instances are all complete by K, less the periods
    /// that fill the buffers.
    fn steady_periods(&self, horizon: &Horizon) -> BigUint {
        let idle = BigUint::from(horizon.depth().saturating_sub(1));
        let full = horizon.full_periods(&self.until);
        if full > idle {
            full - idle
        } else {
            BigUint::zero()
        }
    }

    /// Throughput of the steady state times K.
    fn of_throughput(&self) -> Rational {
        &self.plan.steady_state.throughput * &self.until
    }

    /// The report as text.
    ///
    /// # Errors
    /// The plan's platform, collective and volumes do not form a problem. The referee rejects such a plan.
    pub fn text(&self, exact: bool) -> Result<String> {
        let shown = Shown::of(self.plan.platform(), exact);
        let mut out = header(self.plan.problem);
        let _ = writeln!(
            out,
            "time K      {} from the start of the first instance; instances follow one another, {} in a period (one \
             operation alone: oneport time)",
            shown.time(&self.until),
            readable_count(&self.plan.schedule.instances)
        );
        let of_throughput = match self.plan.status {
            Status::Optimal => ", TP K".to_string(),
            Status::Feasible => format!(
                " (TP K is {})",
                readable_count(&floor(&self.of_throughput()))
            ),
        };
        let bound = instances(&self.bound);
        let _ = writeln!(
            out,
            "bound       {bound}{of_throughput}: no schedule delivers more by K"
        );
        match &self.counted {
            Some(counted) => out.push_str(&self.phases(counted, shown)),
            None => {
                let _ = writeln!(
                    out,
                    "delivered   not counted: one period of {} has too many transfers and merges to be listed{}",
                    shown.time(&self.plan.schedule.period),
                    self.short()
                );
            }
        }
        if let Some(policy) = &self.policy {
            let delivered = policy.delivered(&self.until, &self.plan.schedule.period);
            let phases = match policy.steady(&self.until, &self.plan.schedule.period) {
                Some(steady) => {
                    let (fill, empty) = (
                        count(policy.filling, "period"),
                        count(policy.clean_up, "period"),
                    );
                    format!(
                        "{fill} to fill buffers, {} steady, {empty} to empty them",
                        readable_count(&steady)
                    )
                }
                None => "K is too short to fill buffers and empty them".to_string(),
            };
            let _ = writeln!(
                out,
                "papers      {} by the papers' policy: {phases}",
                instances(&delivered)
            );
        }
        if let Some(Counted { buffer, .. }) = &self.counted {
            let buffer = count(readable_count(buffer), "message");
            let _ = writeln!(out, "buffers     {buffer} at a node at most");
        }
        out.push_str(match (self.followed, &self.counted) {
            (false, Some(_)) if self.ended_by.is_some() => {
                "the run is not followed message by message: counted from one period"
            }
            (true, _) => "the referee followed every message of the run and counts as many",
            (false, Some(_)) => {
                "the run is too long to be followed message by message: counted from one period"
            }
            (false, None) => "the run is too long to be followed message by message",
        });
        if self.counted.is_some() {
            out.push_str(&self.short());
        }
        Ok(out)
    }

    /// The instances by the bound, by the plan's dates, as soon as possible and by the papers' policy, with their
    /// shares of the bound.
    pub fn sheet(&self) -> Sheet {
        let until = Shown::of(self.plan.platform(), false).briefly(&self.until);
        let row = |name: &str, number: BigUint| {
            let share = if self.bound.is_zero() {
                String::new()
            } else {
                percent(&ratio(&number, &self.bound))
            };
            vec![name.to_string(), number.to_string(), share]
        };
        let dated = self.counted.as_ref().map(|counted| counted.dated.clone());
        let policy = self.policy.as_ref();
        let policy = policy.map(|it| it.delivered(&self.until, &self.plan.schedule.period));
        let rows = [
            ("proved upper bound", Some(self.bound.clone())),
            ("the plan's dates", dated),
            ("as soon as possible", self.eager.map(BigUint::from)),
            ("the papers' policy", policy),
        ];
        let rows = rows.into_iter();
        let rows = rows.filter_map(|(name, number)| Some(row(name, number?)));
        let delivered = format!("instances by {until}");
        plain(&["schedule", &delivered, "of the bound"], &[1, 2], rows)
    }

    /// The limit that ended the work, if one has.
    fn short(&self) -> String {
        self.ended_by
            .map_or_else(String::new, |limit| format!("; {}", named(limit)))
    }

    /// The instances delivered, with their dates.
    fn phases(&self, counted: &Counted, shown: Shown) -> String {
        let mut out = String::new();
        let of_bound = |delivered: &BigUint| {
            if self.bound.is_zero() {
                String::new()
            } else {
                format!(" ({} of it)", percent(&ratio(delivered, &self.bound)))
            }
        };
        let Counted { horizon, dated, .. } = counted;
        let _ = writeln!(
            out,
            "delivered   {} by the plan's dates{}",
            instances(dated),
            of_bound(dated)
        );
        if let Some(eager) = self.eager {
            let eager = BigUint::from(eager);
            let _ = writeln!(
                out,
                "            {} as soon as possible{}",
                instances(&eager),
                of_bound(&eager)
            );
        }
        let _ = writeln!(
            out,
            "phases      initialisation I = {}, then {} of {}, clean-up at most I",
            shown.time(&horizon.initialisation()),
            count(
                readable_count(&self.steady_periods(horizon)),
                "steady period"
            ),
            shown.time(&self.plan.schedule.period),
        );
        let rounds = readable_count(&horizon.rounds(&self.until));
        let steady = instances(&horizon.steady(&self.until));
        let _ = writeln!(
            out,
            "steady(G,K) {steady}: r T TP with r = floor((K - 2I - T) / T) = {rounds}"
        );
        out
    }

    /// The report as JSON.
    pub fn json(&self) -> Value {
        let schedule = self.plan.schedule;
        let policy = self.policy.as_ref().map(|policy| {
            json!({
                "delivered": policy.delivered(&self.until, &schedule.period).to_string(),
                "longest_path": policy.longest,
                "filling_periods": policy.filling,
                "steady_periods": policy.steady(&self.until, &schedule.period).map(|steady| steady.to_string()),
                "clean_up_periods": policy.clean_up,
                "fullest_buffer": policy.fullest.to_string(),
                "fullest_buffer_between_periods": policy.fullest_between_periods.to_string(),
            })
        });
        let counted = self.counted.as_ref();
        let text_of = |number: fn(&Horizon, &Rational) -> BigUint| {
            counted.map(|counted| number(&counted.horizon, &self.until).to_string())
        };
        json!({
            "until": self.until.to_string(),
            "bound": self.bound.to_string(),
            "tp_k": self.of_throughput().to_string(),
            "delivered": counted.map(|counted| counted.dated.to_string()),
            "eager": self.eager.map(|eager| eager.to_string()),
            "initialisation": counted.map(|counted| counted.horizon.initialisation().to_string()),
            "steady_periods": counted.map(|counted| self.steady_periods(&counted.horizon).to_string()),
            "period": schedule.period.to_string(),
            "instances_per_period": schedule.instances.to_string(),
            "depth": counted.map(|counted| counted.horizon.depth()),
            "rounds": text_of(Horizon::rounds),
            "steady": text_of(Horizon::steady),
            "policy": policy,
            "buffer": counted.and_then(|counted| counted.buffer.to_u64()),
            "followed": self.followed,
            "ended_by": self.ended_by.map(named),
        })
    }
}

fn instances(number: &BigUint) -> String {
    count(readable_count(number), "instance")
}

/// The whole part of a number that is not negative.
fn floor(number: &Rational) -> BigUint {
    number.floor().to_integer().magnitude().clone()
}

fn ratio(one: &BigUint, other: &BigUint) -> Rational {
    Rational::new(one.clone().into(), other.clone().into())
}
