//! Writing a plan's solution as the papers write it: one variable a line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oneport_plan::{DemandRates, Pattern, Plan, Rates, RatesError, TaskRates, Value};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::RATES_FORMAT;
use super::cells::{list, name};
use super::certificate::write_prices;
use super::write::{amount, collective, work};
use crate::native::quote;

/// The plan's steady state in the papers' variables, as a `oneport-rates/1` file: `send(P_i -> P_j, v)`, copies and the
/// flows behind them, `cons(P_i, T)`, `s(P_i -> P_j)`, `alpha(P_i)`, and the certificate's prices, for each link as
/// `v_k` and for ports and odd sets as they are. Linear in the plan, apart from sorting and, for copies, the depth of
/// trees.
///
/// # Errors
/// A collective whose rates are ambiguous (all-reduce, scan). A plan that refers to a missing node, link or demand.
pub fn rates_to_json(plan: Plan<'_>) -> Result<String, RatesError> {
    let problem = plan.problem;
    let rates = Rates::of(problem, plan.steady_state)?;
    let mut out = String::new();
    let _ = write!(
        out,
        "{{\n  \"format\": {},\n  \"collective\": ",
        quote(RATES_FORMAT)
    );
    collective(&mut out, plan.platform(), plan.collective());
    let _ = writeln!(
        out,
        ",\n  \"model\": {},",
        quote(plan.platform().model().name())
    );
    amount(&mut out, "size", &plan.problem.volumes().size);
    if plan.collective().combines() {
        work(&mut out, &plan.problem.volumes().work, plan.platform());
    }
    let _ = writeln!(
        out,
        "  \"throughput\": \"{}\",\n  \"per\": \"1\",",
        rates.throughput
    );
    let mut lines = Lines {
        plan,
        sends: Vec::new(),
        copies: Vec::new(),
        cons: Vec::new(),
    };
    let flows = flows(plan);
    for (demand, of_demand) in rates.demands.iter().enumerate() {
        match of_demand {
            DemandRates::Route(sends) => {
                for (&link, rate) in sends {
                    lines.send(demand, link, None, rate);
                }
            }
            DemandRates::Copy(copies) => {
                for (&link, rate) in copies.iter() {
                    lines.copy(demand, link, rate, flows.get(&(demand, link)))
                }
            }
            DemandRates::Combine(rates) => lines.combine(demand, rates),
        }
    }
    for (key, lines) in [
        ("sends", &lines.sends),
        ("copies", &lines.copies),
        ("cons", &lines.cons),
    ] {
        if !lines.is_empty() {
            list(&mut out, "  ", key, lines, |out, line| out.push_str(line));
            out.push_str(",\n");
        }
    }
    let (busy, prices) = (
        rates.busy(problem),
        plan.certificate.link_prices(plan.platform()),
    );
    let busy: Vec<(LinkId, Rational, Rational)> = plan
        .platform()
        .link_ids()
        .zip(prices)
        .map(|(link, price)| (link, busy.get(&link).cloned().unwrap_or_default(), price))
        .filter(|(_, share, price)| *share != Rational::default() || *price != Rational::default())
        .collect();
    list(
        &mut out,
        "  ",
        "busy",
        &busy,
        |out, (link, share, price)| {
            let _ = write!(
                out,
                "{}, \"s\": \"{share}\", \"price\": \"{price}\"",
                ends(plan.platform(), *link)
            );
        },
    );
    out.push_str(",\n");
    let alpha: Vec<(NodeId, Rational)> = rates.alpha(plan.problem).into_iter().collect();
    if !alpha.is_empty() {
        list(&mut out, "  ", "alpha", &alpha, |out, (node, share)| {
            let _ = write!(
                out,
                "\"node\": {}, \"alpha\": \"{share}\"",
                name(plan.platform(), *node)
            );
        });
        out.push_str(",\n");
    }
    write_prices(&mut out, plan, "  ");
    out.push_str("\n}\n");
    Ok(out)
}

/// `"from": "P1", "to": "P2"`.
fn ends(platform: &Platform, link: LinkId) -> String {
    let link = platform.link(link);
    format!(
        "\"from\": {}, \"to\": {}",
        name(platform, link.from),
        name(platform, link.to)
    )
}

/// The entries of the three lists.
struct Lines<'p> {
    plan: Plan<'p>,
    sends: Vec<String>,
    copies: Vec<String>,
    cons: Vec<String>,
}

impl Lines<'_> {
    fn send(&mut self, demand: usize, link: LinkId, value: Option<String>, rate: &Rational) {
        let (ends, value) = (ends(self.plan.platform(), link), value.unwrap_or_default());
        self.sends.push(format!(
            "\"demand\": {demand}, {ends}, {value}\"rate\": \"{rate}\""
        ));
    }

    fn copy(
        &mut self,
        demand: usize,
        link: LinkId,
        rate: &Rational,
        towards: Option<&BTreeMap<NodeId, Rational>>,
    ) {
        let platform = self.plan.platform();
        let flow = |(&node, amount): (&NodeId, &Rational)| {
            format!("{}: \"{amount}\"", name(platform, node))
        };
        let flows: Vec<String> = towards.into_iter().flatten().map(flow).collect();
        let (ends, flows) = (ends(platform, link), flows.join(", "));
        self.copies.push(format!(
            "\"demand\": {demand}, {ends}, \"rate\": \"{rate}\", \"towards\": {{{flows}}}"
        ));
    }

    fn combine(&mut self, demand: usize, rates: &TaskRates) {
        let sets = self
            .plan
            .collective()
            .demand(demand)
            .is_some_and(|demand| demand.commutative);
        for ((link, value), rate) in &rates.sends {
            let value = match value.interval().filter(|_| !sets) {
                Some(part) => format!("\"value\": [{},{}], ", part.first, part.last),
                None => format!("\"operands\": {}, ", operands(value)),
            };
            self.send(demand, *link, Some(value), rate);
        }
        for ((node, left, right), rate) in &rates.merges {
            let task = match (left.interval(), right.interval()) {
                (Some(one), Some(other)) if !sets => {
                    format!("\"task\": [{},{},{}]", one.first, one.last, other.last)
                }
                _ => format!(
                    "\"left\": {}, \"right\": {}",
                    operands(left),
                    operands(right)
                ),
            };
            let node = name(self.plan.platform(), *node);
            self.cons.push(format!(
                "\"demand\": {demand}, \"node\": {node}, {task}, \"rate\": \"{rate}\""
            ));
        }
    }
}

fn operands(value: &Value) -> String {
    let all: Vec<String> = value
        .operands()
        .map(|operand| operand.to_string())
        .collect();
    format!("[{}]", all.join(","))
}

/// Per demand and link, then per target: copies that are on their way there, `x^{i,k}` of RR-2004-32.
type Flows = BTreeMap<(usize, LinkId), BTreeMap<NodeId, Rational>>;

/// The flows of a plan's copies: the path to each target in every tree.
fn flows(plan: Plan<'_>) -> Flows {
    let mut flows = Flows::new();
    for weighted in &plan.steady_state.patterns {
        let pattern = &weighted.pattern;
        let Some(demand) = plan
            .collective()
            .demand(pattern.demand)
            .filter(|demand| demand.operands.len() == 1)
        else {
            continue;
        };
        let source = demand.operands.first();
        for target in demand
            .targets()
            .iter()
            .filter(|target| Some(*target) != source)
        {
            for link in way(plan.platform(), pattern, *target) {
                *flows
                    .entry((pattern.demand, link))
                    .or_default()
                    .entry(*target)
                    .or_default() += &weighted.weight;
            }
        }
    }
    flows
}

/// The links of the path to a node in a tree of copies.
fn way(platform: &Platform, pattern: &Pattern, target: NodeId) -> Vec<LinkId> {
    let links: Vec<LinkId> = pattern.links().collect();
    let arrives = |link: &LinkId| {
        platform
            .links()
            .get(link.index())
            .is_some_and(|link| link.to == target)
    };
    let mut at = links.iter().position(arrives);
    let mut way = Vec::new();
    while let Some(index) = at {
        way.extend(links.get(index));
        at = pattern
            .tasks
            .get(index)
            .and_then(|task| task.inputs().next())
            .filter(|&before| before < index);
    }
    way
}
