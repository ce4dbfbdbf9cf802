//! Formats the answer of `oneport whatif`.

use std::cmp::Reverse;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use num_traits::{One, Signed, Zero};
use oneport::explain::what_if::{Class, Enough, Kind, Outcome, Row, Together, Trial};
use oneport::watch::Limit;
use oneport::{Platform, Problem, Rated, Rational, Status};
use serde_json::{Map, Value, json};

use crate::answers::answer::{header, label};
use crate::answers::bottleneck;
use crate::answers::infeasible::unreachable;
use crate::flags::limits;
use crate::words::clock;
use crate::words::numbers::{Shown, decimal, percent, readable, short};
use crate::words::output::count;

/// Limit on the unreachable pairs that a row of `--json` lists.
const PAIRS: usize = 5;

/// The data of a report.
pub struct Report<'a> {
    pub problem: Problem<'a>,
    pub base: Rated,
    pub asked: Asked<'a>,
    /// Whether fractions are printed in full.
    pub exact: bool,
    pub seconds: Duration,
    pub ended_by: Option<Limit>,
}

/// The changed platforms.
pub enum Asked<'a> {
    /// Those of each class, and of classes doubled together, which are tried if no class alone gains.
    Classes(Vec<Row>, Together),
    /// The one of the changes that were given.
    Changes(String, Problem<'a>, Outcome),
}

impl Report<'_> {
    /// The contract's object: `base`, and `rows` as in the table.
    pub fn json(&self) -> Value {
        let (platform, collective) = (self.problem.platform(), self.problem.collective());
        let mut base = numbers(&self.base);
        base.insert("bottleneck".into(), bottleneck::of_rated(self.problem, &self.base).json());
        let (rows, pairs) = match &self.asked {
            Asked::Classes(rows, Together { rows: sets, .. }) => (
                self.lines(rows).into_iter().flat_map(|line| line.rows).flatten().map(|row| self.row(row)).collect(),
                sets.iter().map(|row| self.row(row)).collect(),
            ),
            Asked::Changes(name, changed, outcome) => (vec![self.changed(name, *changed, outcome)], Vec::new()),
        };
        json!({
            "collective": label(collective),
            "groups": collective.members().len(),
            "model": platform.model().name(),
            "nodes": platform.nodes().len(),
            "links": platform.links().len(),
            "units": platform.units().map(|units| units.to_string()),
            "version": env!("CARGO_PKG_VERSION"),
            "base": base,
            "rows": rows,
            "pairs": pairs,
            "solve_seconds": self.seconds.as_secs_f64(),
            "ended_by": self.ended_by.map(limits::named),
        })
    }

    fn row(&self, row: &Row) -> Value {
        let mut object = head(&row.name, row.shares(&self.base));
        if let Some((class, trial)) = &row.change {
            object.insert("kind".into(), class.kind.name().into());
            object.insert("members".into(), class.members.into());
            object.insert("cost".into(), class.cost.to_string().into());
            object.insert("change".into(), trial.name().into());
        }
        if let Some(Enough { factor, is_least, .. }) = &row.enough {
            object.insert("enough".into(), factor.to_string().into());
            object.insert("enough_is_least".into(), (*is_least).into());
        }
        object.extend(outcome(self.problem.platform(), &row.outcome));
        Value::Object(object)
    }

    fn changed(&self, name: &str, changed: Problem<'_>, found: &Outcome) -> Value {
        let mut object = head(name, found.shares(&self.base));
        if let Outcome::Rated(rated) = found {
            object.insert("bottleneck".into(), bottleneck::of_rated(changed, rated).json());
        }
        object.extend(outcome(changed.platform(), found));
        Value::Object(object)
    }

    /// The rows of each class in one line: the gain of doubling, then the losses by halving and removing. The most
    /// worthwhile class is first.
    fn lines<'r>(&self, rows: &'r [Row]) -> Vec<Line<'r>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for row in rows {
            let Some((class, trial)) = &row.change else { continue };
            if lines.last().is_none_or(|line| line.class != class) {
                lines.push(Line { class, rows: [None; 3] });
            }
            if let Some(line) = lines.last_mut() {
                line.rows[*trial as usize] = Some(row);
            }
        }
        let gain = |line: &Line<'_>, trial: Trial| line.rows[trial as usize].and_then(|row| row.shares(&self.base));
        let one = Rational::one();
        lines.sort_by_cached_key(|line| {
            let loss = |trial| gain(line, trial).unwrap_or_else(|| [one.clone(), one.clone()]);
            let doubled = Reverse(gain(line, Trial::Doubled));
            (doubled, loss(Trial::Halved), loss(Trial::Removed), (line.class.kind, &line.class.name))
        });
        lines
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = header(self.problem);
        out.push_str(&format!("base        {}\n", self.told(&self.base)));
        let mut say = |line: String| out.extend([&line, "\n"]);
        bottleneck::of_rated(self.problem, &self.base).lines().into_iter().for_each(&mut say);
        match &self.asked {
            Asked::Classes(rows, together) => out.push_str(&(self.table(rows) + &self.together(together))),
            Asked::Changes(name, changed, outcome) => {
                say(format!("change      {name}"));
                say(match outcome {
                    Outcome::Rated(rated) => {
                        format!("changed     {}: {}", self.told(rated), effect(outcome, outcome.shares(&self.base)))
                    }
                    Outcome::Unreachable(_) => "changed     no throughput".to_string(),
                    other => format!("changed     unknown: {}", unknown(other).1),
                });
                // The hints are the base's, too.
                if let Outcome::Rated(rated) = outcome {
                    bottleneck::of_rated(*changed, rated).plainly().into_iter().for_each(&mut say);
                }
            }
        }
        let ended = self.ended_by.map(|limit| format!("; {}", limits::named(limit))).unwrap_or_default();
        out.push_str(&format!("time        {}{ended}", clock::seconds(self.seconds)));
        out
    }

    fn table(&self, rows: &[Row]) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["what", "", "each", "doubled", "enough", "halved", "removed"]);
        for column in [1, 3, 4, 5, 6] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for Line { class, rows } in self.lines(rows) {
            let [doubled, halved, removed] = rows.map(|row| row.map_or("-".to_string(), |row| self.effect(row)));
            let enough = rows[Trial::Doubled as usize].and_then(|row| row.enough.as_ref());
            let enough = enough.map_or(String::new(), |enough| {
                let less = if enough.is_least { "" } else { " or less" };
                // Rounded up: a smaller factor may not suffice.
                let thousand = Rational::from_integer(1000.into());
                format!("x{}{less}", short(&((&enough.factor * &thousand).ceil() / thousand)))
            });
            let (name, members) = (class.name.clone(), format!("{} x", class.members));
            table.add_row([name, members, self.each(class), doubled, enough, halved, removed]);
        }
        format!("{}\n", table.trim_fmt())
    }

    /// The gains of sets, the largest first, after the sentence that no class alone gains anything.
    fn together(&self, Together { rows, pairs, triples, .. }: &Together) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let one = Rational::one();
        let gain = |row: &Row| row.shares(&self.base).map(|[low, _]| low).filter(|low| *low > one);
        let mut gains: Vec<(Rational, &Row)> = rows.iter().filter_map(|row| Some((gain(row)?, row))).collect();
        gains.sort_by(|one, other| other.0.cmp(&one.0));
        let tried = match triples {
            0 => count(pairs, "pair"),
            _ => format!("{} and {}", count(pairs, "pair"), count(triples, "triple")),
        };
        if gains.is_empty() {
            return format!("No class alone gains anything, and none of {tried} tried is known to.\n");
        }
        let mut out = format!("No class alone gains anything. Doubled together ({tried} tried):\n");
        gains.iter().for_each(|(_, row)| out.push_str(&format!("  {}  {}\n", self.effect(row), row.name)));
        out
    }

    /// A throughput with its status.
    fn told(&self, rated: &Rated) -> String {
        let shown = Shown::of(self.problem.platform(), self.exact);
        let throughput = shown.frequency(&rated.steady_state.throughput);
        match rated.status {
            Status::Optimal => format!("{throughput} (optimal)"),
            Status::Feasible => {
                format!("{throughput} (feasible; upper bound {})", shown.frequency(&rated.upper_bound))
            }
        }
    }

    fn effect(&self, row: &Row) -> String {
        effect(&row.outcome, row.shares(&self.base))
    }

    /// The bandwidth or compute cost of one member.
    fn each(&self, class: &Class) -> String {
        if class.cost.is_zero() {
            return "no time".to_string();
        }
        let rate = class.cost.recip();
        match (class.kind, self.problem.platform().units()) {
            (Kind::Links | Kind::Ports, Some(units)) => units.show_rate(&rate),
            (Kind::Links | Kind::Ports, None) => format!("bandwidth {}", readable(&rate)),
            (Kind::Processors, Some(units)) if units.work_is_data => format!("merges {}", units.show_rate(&rate)),
            (Kind::Processors, Some(units)) => format!("compute {}", units.show_time(&class.cost)),
            (Kind::Processors, None) => format!("compute {}", readable(&class.cost)),
        }
    }
}

/// A throughput and its bound.
fn numbers(rated: &Rated) -> Map<String, Value> {
    let mut object = bounds(&rated.steady_state.throughput, &rated.upper_bound);
    object.insert("status".into(), rated.status.name().into());
    object
}

fn bounds(throughput: &Rational, upper_bound: &Rational) -> Map<String, Value> {
    let mut object = Map::new();
    for (key, value) in [("throughput", throughput), ("upper_bound", upper_bound)] {
        object.insert(key.into(), value.to_string().into());
        object.insert(format!("{key}_decimal"), decimal(value).into());
    }
    object
}

/// The keys of every row.
fn head(name: &str, shares: Option<[Rational; 2]>) -> Map<String, Value> {
    let share = shares.as_ref().filter(|[low, high]| low == high).map(|[low, _]| low);
    let row = json!({
        "name": name,
        "change": name,
        "share": share.map(Rational::to_string),
        "share_decimal": share.map(decimal),
        "share_at_least": shares.as_ref().map(|[low, _]| low.to_string()),
        "share_at_most": shares.as_ref().map(|[_, high]| high.to_string()),
    });
    row.as_object().cloned().unwrap_or_default()
}

/// The keys of an outcome.
fn outcome(platform: &Platform, outcome: &Outcome) -> Map<String, Value> {
    match outcome {
        Outcome::Rated(rated) => numbers(rated),
        Outcome::Unreachable(commodities) => {
            let mut object = bounds(&Rational::zero(), &Rational::zero());
            object.insert("status".into(), "infeasible".into());
            object.insert(
                "unreachable".into(),
                unreachable(platform, &commodities[..commodities.len().min(PAIRS)]).into(),
            );
            object.insert("unreachable_count".into(), commodities.len().into());
            object
        }
        other => {
            let keys = ["throughput", "throughput_decimal", "upper_bound", "upper_bound_decimal"];
            let (status, reason) = unknown(other);
            let known = keys
                .map(|key| (key, Value::Null))
                .into_iter()
                .chain([("status", status.into()), ("reason", reason.into())]);
            known.map(|(key, value)| (key.to_string(), value)).collect()
        }
    }
}

/// The status and the reason of an outcome without a throughput.
fn unknown(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Impossible(why) => ("impossible", why.clone()),
        Outcome::Stopped(limit) => ("stopped", limits::named(*limit).to_string()),
        Outcome::Unlisted(unlisted) => ("unlisted", unlisted.to_string()),
        _ => ("unknown", String::new()),
    }
}

/// The relative change of the base's throughput. If either optimum is not proved, the change is a range.
fn effect(outcome: &Outcome, shares: Option<[Rational; 2]>) -> String {
    match (outcome, shares) {
        (Outcome::Unreachable(_), _) => "no path".to_string(),
        (Outcome::Impossible(_), _) => "-".to_string(),
        (Outcome::Rated(_), Some([low, high])) if low == high => difference(&low),
        (Outcome::Rated(_), Some([low, high])) => format!("{} to {}", difference(&low), difference(&high)),
        _ => "?".to_string(),
    }
}

/// A class with its rows, by trial.
struct Line<'a> {
    class: &'a Class,
    rows: [Option<&'a Row>; 3],
}

/// `+24 %`, `-50 %`, or `0` if nothing changes.
fn difference(share: &Rational) -> String {
    let change = share - Rational::one();
    match (change.is_zero(), change.is_positive()) {
        (true, _) => "0".to_string(),
        (_, true) => format!("+{}", percent(&change)),
        (_, false) => percent(&change),
    }
}
