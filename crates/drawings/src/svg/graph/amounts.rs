//! The papers' variables as labels of links: figures 2(b), 6(c) and 10 of RR-4872.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{DemandRates, Problem, Rates, SteadyState, Value};
use oneport_platform::{LinkId, Rational};

use crate::words;

/// Most lines of a label; the tooltip has all.
const LINES: usize = 5;

/// By link: what is sent over it, how often per unit of time, a line each: `m P0: 1/2`, `[1,2]: 2/3`. Nothing where the
/// collective's rates may be read in several ways.
pub(super) fn amounts(problem: Problem<'_>, steady_state: &SteadyState) -> BTreeMap<LinkId, Vec<String>> {
    let mut lines: BTreeMap<LinkId, Vec<String>> = BTreeMap::new();
    let Ok(rates) = Rates::of(problem, steady_state) else { return lines };
    let several = rates.demands.len() > 1;
    for (place, demand) in rates.demands.iter().enumerate() {
        let whose = || whose(problem, place);
        let mut add = |link: LinkId, what: String, rate: &Rational| {
            if !rate.is_zero() {
                lines.entry(link).or_default().push(format!("{what}: {}", words::terse(rate)));
            }
        };
        match demand {
            DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                sends.iter().for_each(|(&link, rate)| add(link, whose(), rate));
            }
            DemandRates::Combine(rates) => rates.sends.iter().for_each(|((link, value), rate)| {
                let what = if several { format!("{} {}", brief(value), whose()) } else { brief(value) };
                add(*link, what, rate);
            }),
        }
    }
    for list in lines.values_mut().filter(|list| list.len() > LINES) {
        let more = list.len() + 1 - LINES;
        list.truncate(LINES - 1);
        list.push(format!("and {more} more"));
    }
    lines
}

/// `[1,2]`, or `{0,2}` where operands are left out.
fn brief(value: &Value) -> String {
    value.to_string().trim_start_matches('v').to_string()
}

/// Whose message it is: `P0` where the target says it all, `a→b` where both ends matter, the source of copies.
fn whose(problem: Problem<'_>, place: usize) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let Some(demand) = collective.demand(place) else { return format!("demand {place}") };
    let name = |node| words::name(platform, node);
    match (demand.operands, demand.targets()) {
        (&[source], &[target]) => match words::centre(collective) {
            Some("source") => format!("m {}", name(target)),
            Some("target") => format!("m {}", name(source)),
            _ => format!("{}→{}", name(source), name(target)),
        },
        (&[source], _) => format!("m {}", name(source)),
        (_, &[target]) => format!("for {}", name(target)),
        _ => format!("demand {place}"),
    }
}
