//! A plan's steady state in the papers' variables.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use oneport::plan::{DemandRates, Rates, Value};
use oneport::{NodeId, Plan, Rational, files};

use super::prices::prices;
use crate::words::numbers::Shown;
use crate::words::tables::{Sheet, plain, table};

/// Whether the papers' variables are printed, and their format.
#[derive(Debug, Args)]
pub struct RatesArguments {
    /// List the solution in the papers' variables: send, s, cons, alpha, copies, and the price v_k of each link. With
    /// --graph, draw these amounts on the links.
    #[arg(long)]
    pub rates: bool,
    /// --rates as the file that `extract` reads.
    #[arg(long, requires = "rates", conflicts_with = "csv")]
    pub json: bool,
    /// --rates as comma-separated values.
    #[arg(long, requires = "rates")]
    pub csv: bool,
}

/// One variable: its letter, its demand, its ends, its value, its amount.
struct Variable {
    letter: &'static str,
    demand: Option<usize>,
    ends: String,
    what: String,
    amount: Rational,
}

impl Variable {
    /// `send(P1 -> P2, v[1,2])`.
    fn name(&self) -> String {
        let what = if self.what.is_empty() {
            String::new()
        } else {
            format!(", {}", self.what)
        };
        format!("{}({}{what})", self.letter, self.ends)
    }
}

/// The variables in the requested format.
///
/// # Errors
/// The rates of the collective are ambiguous.
pub fn text(plan: &Plan<'_>, arguments: &RatesArguments, shown: Shown) -> Result<String> {
    if arguments.json {
        return Ok(files::rates_to_json(*plan)?.trim_end().to_string());
    }
    let variables = variables(plan)?;
    if arguments.csv {
        return Ok(csv(&variables, &plan.steady_state.throughput));
    }
    let mut out = format!(
        "TP = {}, all per unit of time\n\n",
        plan.steady_state.throughput
    );
    let rows = variables
        .iter()
        .map(|variable| vec![variable.name(), variable.amount.to_string()]);
    let _ = writeln!(out, "{}", table(&["variable", "amount"], rows));
    let _ = write!(
        out,
        "\nprices of ports and odd sets, of which v is made\n\n{}",
        prices(plan, shown)
    );
    Ok(out)
}

/// The variables as a table.
///
/// # Errors
/// The rates of the collective are ambiguous.
pub fn sheet(plan: &Plan<'_>) -> Result<Sheet> {
    let row = |variable: &Variable| vec![variable.name(), variable.amount.to_string()];
    let variables = variables(plan)?;
    Ok(plain(
        &["variable", "amount"],
        &[1],
        variables.iter().map(row),
    ))
}

/// All variables that are not 0, in the order of the papers: send and copies, cons, s, alpha, v.
fn variables(plan: &Plan<'_>) -> Result<Vec<Variable>> {
    let problem = &plan.problem;
    let rates = Rates::of(problem, plan.steady_state)?;
    let platform = plan.platform();
    let (mut all, mut merges) = (Vec::new(), Vec::new());
    for (demand, of_demand) in rates.demands.iter().enumerate() {
        let variable = |letter, ends: String, what: String, amount: &Rational| Variable {
            letter,
            demand: Some(demand),
            ends,
            what,
            amount: amount.clone(),
        };
        match of_demand {
            DemandRates::Route(sends) => all.extend(sends.iter().map(|(&link, rate)| {
                variable(
                    "send",
                    platform.link_name(link),
                    message(plan, demand),
                    rate,
                )
            })),
            DemandRates::Copy(copies) => all.extend(copies.iter().map(|(&link, rate)| {
                variable(
                    "copies",
                    platform.link_name(link),
                    message(plan, demand),
                    rate,
                )
            })),
            DemandRates::Combine(rates) => {
                let sends = rates.sends.iter();
                all.extend(sends.map(|((link, value), rate)| {
                    variable("send", platform.link_name(*link), value.to_string(), rate)
                }));
                merges.extend(rates.merges.iter().map(|((node, left, right), rate)| {
                    variable(
                        "cons",
                        platform.name(*node).to_string(),
                        merge(left, right),
                        rate,
                    )
                }));
            }
        }
    }
    all.append(&mut merges);
    let whole = |letter, ends: String, amount: Rational| Variable {
        letter,
        demand: None,
        ends,
        what: String::new(),
        amount,
    };
    all.extend(
        rates
            .busy(problem)
            .into_iter()
            .map(|(link, share)| whole("s", platform.link_name(link), share)),
    );
    let alpha = rates.alpha(problem).into_iter();
    all.extend(alpha.map(|(node, share)| whole("alpha", platform.name(node).to_string(), share)));
    let prices = plan.certificate.link_prices(platform);
    let priced = platform
        .link_ids()
        .zip(prices)
        .filter(|(_, price)| *price != Rational::default());
    all.extend(priced.map(|(link, price)| whole("v", platform.link_name(link), price)));
    Ok(all)
}

/// `m[a]` of copies, `m[a,b]` of a message from a to b.
fn message(plan: &Plan<'_>, demand: usize) -> String {
    let name = |node: NodeId| plan.platform().name(node);
    let Some(demand) = plan.collective().demand(demand) else {
        return String::new();
    };
    match (demand.operands, demand.targets()) {
        ([source], [target]) => format!("m[{},{}]", name(*source), name(*target)),
        (operands, _) => format!(
            "m[{}]",
            operands
                .iter()
                .map(|&node| name(node))
                .collect::<Vec<_>>()
                .join(",")
        ),
    }
}

/// `T[k,l,m]`, or both inputs if operands are not in order.
fn merge(left: &Value, right: &Value) -> String {
    match (left.interval(), right.interval()) {
        (Some(one), Some(other)) if one.last + 1 == other.first => {
            format!("T[{},{},{}]", one.first, one.last, other.last)
        }
        _ => format!("{left} + {right}"),
    }
}

fn csv(variables: &[Variable], throughput: &Rational) -> String {
    let quoted = |text: &str| {
        if text.contains([',', '"', '\n']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_string()
        }
    };
    let mut lines = vec![
        "variable,demand,place,what,amount".to_string(),
        format!("TP,,,,{throughput}"),
    ];
    lines.extend(variables.iter().map(|variable| {
        let Variable {
            letter,
            demand,
            ends,
            what,
            amount,
        } = variable;
        let demand = demand.map_or(String::new(), |demand| demand.to_string());
        format!(
            "{letter},{demand},{},{},{amount}",
            quoted(ends),
            quoted(what)
        )
    }));
    lines.join("\n")
}
