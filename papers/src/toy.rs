//! The papers' own solution of the toy scatter, from the numbers printed on the slides.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use num_traits::{Signed, Zero};
use oneport::Rational;
use oneport::plan::{
    Pattern, PeriodicSchedule, ScheduledPattern, Slot, SteadyState, WeightedPattern, WholePatterns,
};
use oneport::platform::LinkId;

use crate::cases::{self, Case};
use crate::matchings::{Matching, Weighted};
use crate::numbers::{common_denominator, whole};
use crate::rows::{Paper, Value};

/// The toy with the papers' solution.
pub struct Toy {
    /// Platform and scatter.
    pub case: Case,
    /// `send(P_i -> P_j, m_k)` as slide 29 prints it, by link and message.
    pub flows: BTreeMap<(LinkId, usize), Rational>,
    /// The matchings as slides 33 to 36 print them, in that order.
    pub matchings: Vec<Weighted>,
}

impl Toy {
    /// Reads platform and slides.
    pub fn load() -> Result<Toy> {
        let case = cases::toy()?;
        let slides = Paper::load("slides")?;
        let mut flows = BTreeMap::new();
        for (name, &amount) in &slides.printed("flows")?.table()? {
            flows.insert(flow(&case, name)?, amount.clone());
        }
        let mut matchings = Vec::new();
        let Value::List(printed) = slides.printed("matchings")? else {
            bail!("the matchings are not a list")
        };
        for matching in printed {
            for (links, &time) in &matching.table()? {
                let links: Result<Matching> = links
                    .split(", ")
                    .map(|name| cases::link(&case.platform, name))
                    .collect();
                let mut links = links?;
                links.sort();
                matchings.push((links, time.clone()));
            }
        }
        Ok(Toy {
            case,
            flows,
            matchings,
        })
    }

    /// `s(P_i -> P_j)`: the share of time for which each link is busy.
    pub fn occupations(&self) -> BTreeMap<LinkId, Rational> {
        let mut busy: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for ((link, _), amount) in &self.flows {
            *busy.entry(*link).or_insert_with(Rational::zero) +=
                amount * &self.case.platform.link(*link).cost;
        }
        busy
    }

    /// The flows as weighted paths.
    ///
    /// # Errors
    /// The flows do not lead from the source to the targets.
    pub fn steady_state(&self) -> Result<SteadyState> {
        let mut left = self.flows.clone();
        let mut patterns = Vec::new();
        let mut throughput = Rational::zero();
        for (commodity, ends) in self.case.collective.commodities().into_iter().enumerate() {
            throughput = Rational::zero();
            loop {
                let mut links = Vec::new();
                let mut node = ends.target;
                while node != ends.source {
                    let used = |link: &&LinkId| {
                        left.get(&(**link, commodity))
                            .is_some_and(Rational::is_positive)
                    };
                    let Some(&link) = self.case.platform.incoming(node).iter().find(used) else {
                        break;
                    };
                    links.insert(0, link);
                    node = self.case.platform.link(link).from;
                }
                if links.is_empty() {
                    break;
                }
                let weight = links
                    .iter()
                    .filter_map(|&link| left.get(&(link, commodity)))
                    .min();
                let weight: Rational = weight.context("a path without a flow")?.clone();
                for &link in &links {
                    if let Some(amount) = left.get_mut(&(link, commodity)) {
                        *amount -= &weight;
                    }
                }
                throughput += &weight;
                patterns.push(WeightedPattern {
                    pattern: Pattern::path(commodity, links),
                    weight,
                });
            }
        }
        Ok(SteadyState {
            throughput,
            patterns,
        })
    }

    /// The period by the rule of section 3.1: the least common multiple of the denominators of all variables.
    pub fn period(&self) -> Result<Rational> {
        let occupations = self.occupations();
        let throughput = self.steady_state()?.throughput;
        Ok(whole(common_denominator(
            self.flows
                .values()
                .chain(occupations.values())
                .chain([&throughput]),
        )))
    }

    /// Messages per unit of time that each matching carries over each of its links: slide 37's `a_i / b_i`.
    pub fn messages_per_matching(&self) -> Vec<Vec<(LinkId, Rational)>> {
        let messages = |(links, time): &Weighted| {
            links
                .iter()
                .map(|&link| (link, time / &self.case.platform.link(link).cost))
                .collect()
        };
        self.matchings.iter().map(messages).collect()
    }

    /// The factor of section 3.3 that makes the messages of every matching integers.
    pub fn unsplit_factor(&self) -> Result<Rational> {
        let period = self.period()?;
        let counts: Vec<Rational> = self
            .messages_per_matching()
            .into_iter()
            .flatten()
            .map(|(_, count)| count * &period)
            .collect();
        Ok(whole(common_denominator(&counts)))
    }

    /// The papers' schedule over a period: their paths and their matchings in the printed order, one slot each.
    pub fn schedule(&self, period: &Rational) -> Result<PeriodicSchedule> {
        let printed: Vec<usize> = (0..self.matchings.len()).collect();
        self.schedule_in(period, &printed)
    }

    /// The schedule with the matchings in another order.
    pub fn schedule_in(&self, period: &Rational, order: &[usize]) -> Result<PeriodicSchedule> {
        let WholePatterns {
            period,
            instances,
            patterns,
        } = self.whole(period)?;
        let slot = |(links, time): &Weighted| Slot {
            shares: Vec::new(),
            length: time * &period,
            links: links.clone(),
        };
        let slots = order.iter().filter_map(|&place| self.matchings.get(place));
        let slots = slots.map(slot).collect();
        Ok(PeriodicSchedule {
            period,
            instances,
            patterns,
            slots,
        })
    }

    /// The papers' paths as integer numbers of messages per period.
    pub fn whole(&self, period: &Rational) -> Result<WholePatterns> {
        let steady_state = self.steady_state()?;
        let count = |rate: &Rational| {
            let count = rate * period;
            anyhow::ensure!(
                count.is_integer(),
                "{count} messages per period of {period}"
            );
            Ok(count.to_integer().magnitude().clone())
        };
        let instances = count(&steady_state.throughput)?;
        let patterns = steady_state.patterns.into_iter();
        let patterns = patterns.map(|one| {
            Ok(ScheduledPattern {
                copies: count(&one.weight)?,
                pattern: one.pattern,
            })
        });
        Ok(WholePatterns {
            period: period.clone(),
            instances,
            patterns: patterns.collect::<Result<_>>()?,
        })
    }

    /// Link by link, as a table with the links' names.
    pub fn by_link(&self, values: &BTreeMap<LinkId, Rational>) -> Value {
        let named = values
            .iter()
            .map(|(&link, value)| (self.case.platform.link_name(link), value.clone().into()));
        Value::Table(named.collect())
    }

    /// The name that slide 29 would give a flow: "Ps -> Pa: m0".
    pub fn flow_name(&self, (link, message): (LinkId, usize)) -> String {
        format!("{}: m{message}", self.case.platform.link_name(link))
    }
}

fn flow(case: &Case, name: &str) -> Result<(LinkId, usize)> {
    let (link, message) = name
        .split_once(": m")
        .with_context(|| format!("'{name}' is not like 'Ps -> Pa: m0'"))?;
    Ok((cases::link(&case.platform, link)?, message.parse()?))
}
