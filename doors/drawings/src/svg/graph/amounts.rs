//! The papers' variables as labels of links and nodes: figures 2(b), 6(c) and 10 of RR-4872.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{DemandRates, Problem, Rates, SteadyState, Value};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::words;

/// An amount: its name, and its number per unit of time.
pub(super) type Amount = (String, Rational);

/// Amounts that links send and nodes merge.
#[derive(Default)]
pub(super) struct Amounts {
    /// For each link: `m P0`, `[1,2]`.
    pub links: BTreeMap<LinkId, Vec<Amount>>,
    /// For each processor: `T[0,1,2]`.
    pub nodes: BTreeMap<NodeId, Vec<Amount>>,
}

/// All amounts that are not 0. Empty if the collective's rates are ambiguous.
pub(super) fn amounts(problem: &Problem, steady_state: &SteadyState) -> Amounts {
    let mut amounts = Amounts::default();
    let Ok(rates) = Rates::of(problem, steady_state) else {
        return amounts;
    };
    let several = rates.demands.len() > 1;
    for (index, demand) in rates.demands.iter().enumerate() {
        let whose = || whose(problem, index);
        let label_of = |what: String| {
            if several {
                format!("{what} {}", whose())
            } else {
                what
            }
        };
        let mut add = |link: LinkId, what: String, rate: &Rational| {
            if !rate.is_zero() {
                amounts
                    .links
                    .entry(link)
                    .or_default()
                    .push((what, rate.clone()));
            }
        };
        match demand {
            DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                for (&link, rate) in sends.iter() {
                    add(link, whose(), rate);
                }
            }
            DemandRates::Combine(rates) => {
                for ((link, value), rate) in rates.sends.iter() {
                    add(*link, label_of(brief(value)), rate);
                }
                let merges = rates.merges.iter().filter(|(_, rate)| !rate.is_zero());
                for ((node, left, right), rate) in merges {
                    amounts
                        .nodes
                        .entry(*node)
                        .or_default()
                        .push((label_of(merge(left, right)), rate.clone()));
                }
            }
        }
    }
    amounts
}

/// A line of a label: `[1,2]: 2/3`, rounded if that is long.
pub(super) fn line((what, rate): &Amount) -> String {
    format!("{what}: {}", words::terse(rate))
}

/// `T[k,l,m]`, or both inputs if operands are not in order.
fn merge(left: &Value, right: &Value) -> String {
    match (left.interval(), right.interval()) {
        (Some(one), Some(other)) if one.last + 1 == other.first => {
            format!("T[{},{},{}]", one.first, one.last, other.last)
        }
        _ => format!("{} + {}", brief(left), brief(right)),
    }
}

/// `[1,2]`, or `{0,2}` if operands are left out.
fn brief(value: &Value) -> String {
    value.to_string().trim_start_matches('v').to_string()
}

/// Short name of a message: `P0` if the target identifies it, `a→b` if both ends matter, the source of copies.
fn whose(problem: &Problem, index: usize) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let Some(demand) = collective.demand(index) else {
        return format!("demand {index}");
    };
    let name = |node| words::name(platform, node);
    match (demand.operands, demand.targets()) {
        (&[source], &[target]) => match words::centre(collective) {
            Some("source") => format!("m {}", name(target)),
            Some("target") => format!("m {}", name(source)),
            _ => format!("{}→{}", name(source), name(target)),
        },
        (&[source], _) => format!("m {}", name(source)),
        (_, &[target]) => format!("for {}", name(target)),
        _ => format!("demand {index}"),
    }
}
