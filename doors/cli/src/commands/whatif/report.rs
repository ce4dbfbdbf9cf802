//! Formats the answer of `oneport whatif`.

use std::cmp::Reverse;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use num_traits::{One, Signed, Zero};
use oneport::watch::Limit;
use oneport::{Problem, Rated, Rational, Status};
use serde_json::{Map, Value, json};

use super::classes::{Class, Kind, Trial};
use super::enough::Enough;
use super::row::{Outcome, Row, limiting};
use crate::answers::answer::{header, label};
use crate::flags::limits;
use crate::words::numbers::{Shown, decimal, percent, readable, short};
use crate::words::output::count;

/// Limit on the unreachable pairs that a row of `--json` lists.
const PAIRS: usize = 5;

/// The data of a report.
pub struct Report<'a> {
    pub problem: Problem<'a>,
    pub base: Rated,
    pub rows: Vec<Row>,
    /// Pairs and triples of classes doubled together. They are tried if no class alone gains.
    pub sets: Vec<Row>,
    /// The numbers of pairs and triples tried.
    pub tried: [usize; 2],
    /// Whether fractions are printed in full.
    pub exact: bool,
    pub seconds: Duration,
    pub ended_by: Option<Limit>,
}

impl Report<'_> {
    /// The contract's object: `base`, and `rows` as in the table.
    pub fn json(&self) -> Value {
        let (platform, collective) = (self.problem.platform(), self.problem.collective());
        let mut base = numbers(&self.base);
        base.insert("bottleneck".into(), limiting(self.problem, &self.base).json());
        let rows = self.lines().into_iter().flat_map(|line| line.rows).flatten();
        json!({
            "collective": label(collective),
            "groups": collective.members().len(),
            "model": platform.model().name(),
            "nodes": platform.nodes().len(),
            "links": platform.links().len(),
            "units": platform.units().map(|units| units.to_string()),
            "version": env!("CARGO_PKG_VERSION"),
            "base": base,
            "rows": rows.map(|row| self.row(row)).collect::<Vec<_>>(),
            "pairs": self.sets.iter().map(|row| self.row(row)).collect::<Vec<_>>(),
            "solve_seconds": self.seconds.as_secs_f64(),
            "ended_by": self.ended_by.map(limits::named),
        })
    }

    fn row(&self, row: &Row) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| _ = object.insert(key.into(), value);
        put("name", row.name.as_str().into());
        match &row.class {
            Some((class, trial)) => {
                put("kind", class.kind.name().into());
                put("members", class.members.into());
                put("cost", class.cost.to_string().into());
                put("change", trial.name().into());
            }
            None => put("change", row.name.as_str().into()),
        }
        let shares = self.shares(row);
        let share = shares.as_ref().filter(|[low, high]| low == high).map(|[low, _]| low);
        put("share", share.map(Rational::to_string).into());
        put("share_decimal", share.map(decimal).into());
        put("share_at_least", shares.as_ref().map(|[low, _]| low.to_string()).into());
        put("share_at_most", shares.as_ref().map(|[_, high]| high.to_string()).into());
        if let Some(Enough { factor, is_least }) = &row.enough {
            put("enough", factor.to_string().into());
            put("enough_is_least", (*is_least).into());
        }
        if let Some(bottleneck) = &row.bottleneck {
            put("bottleneck", bottleneck.json());
        }
        object.extend(outcome(&row.outcome));
        Value::Object(object)
    }

    /// Lower and upper bound on the best throughput over the base's best; they are equal if both optima are proved.
    /// `None` if nothing is known.
    ///
    /// Doubling multiplies the optimum by 1 to 2: slowed down by two, every schedule of the doubled platform runs on
    /// the base. So halving multiplies it by 1/2 to 1, and removing never gains.
    fn shares(&self, row: &Row) -> Option<[Rational; 2]> {
        let (low, high) = match &row.outcome {
            Outcome::Rated(rated) => (
                &rated.steady_state.throughput / &self.base.upper_bound,
                &rated.upper_bound / &self.base.steady_state.throughput,
            ),
            Outcome::Infeasible(_) => return Some([Rational::zero(), Rational::zero()]),
            Outcome::Impossible(_) | Outcome::Stopped(_) => return None,
        };
        let one = Rational::one();
        Some(match row.class.as_ref().map(|(_, trial)| trial) {
            None => [low, high],
            Some(Trial::Doubled) => [low.max(one.clone()), high.min(&one + &one)],
            Some(Trial::Halved) => [low.max(Rational::new(1.into(), 2.into())), high.min(one)],
            Some(Trial::Removed) => [low, high.min(one)],
        })
    }

    /// The rows of each class in one line: the gain of doubling, then the losses by halving and removing. The most
    /// worthwhile class is first.
    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for row in &self.rows {
            let Some((class, trial)) = &row.class else {
                lines.push(Line { class: None, rows: [Some(row), None, None] });
                continue;
            };
            if lines.last().is_none_or(|line| line.class != Some(class)) {
                lines.push(Line { class: Some(class), rows: [None; 3] });
            }
            if let Some(line) = lines.last_mut() {
                line.rows[*trial as usize] = Some(row);
            }
        }
        let gain = |line: &Line<'_>, trial: Trial| line.rows[trial as usize].and_then(|row| self.shares(row));
        let one = Rational::one();
        lines.sort_by_cached_key(|line| {
            let loss = |trial| gain(line, trial).unwrap_or_else(|| [one.clone(), one.clone()]);
            let doubled = Reverse(gain(line, Trial::Doubled));
            (doubled, loss(Trial::Halved), loss(Trial::Removed), line.class.map(|class| (class.kind, &class.name)))
        });
        lines
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = header(self.problem);
        out.push_str(&format!("base        {}\n", self.told(&self.base)));
        let limits = limiting(self.problem, &self.base);
        limits.lines().iter().for_each(|line| out.push_str(&format!("{line}\n")));
        match &self.rows[..] {
            [row] if row.class.is_none() => {
                let told = match &row.outcome {
                    Outcome::Rated(rated) => format!("{}: {}", self.told(rated), self.effect(row)),
                    Outcome::Infeasible(_) => "no throughput".to_string(),
                    Outcome::Impossible(why) => format!("impossible: {why}"),
                    Outcome::Stopped(limit) => format!("unknown: {}", limits::named(*limit)),
                };
                out.push_str(&format!("change      {}\nchanged     {told}\n", row.name));
                // The hints are the base's, too.
                let lines = row.bottleneck.iter().flat_map(|bottleneck| bottleneck.lines());
                let lines = lines.filter(|line| !line.starts_with("hint"));
                lines.for_each(|line| out.push_str(&format!("{line}\n")));
            }
            _ => out.push_str(&(self.table() + &self.together())),
        }
        let ended = self.ended_by.map(|limit| format!("; {}", limits::named(limit))).unwrap_or_default();
        out.push_str(&format!("time        {:.3} s{ended}", self.seconds.as_secs_f64()));
        out
    }

    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["what", "", "each", "doubled", "enough", "halved", "removed"]);
        for column in [1, 3, 4, 5, 6] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in self.lines() {
            let Some(class) = line.class else { continue };
            let [doubled, halved, removed] = line.rows.map(|row| row.map_or("-".to_string(), |row| self.effect(row)));
            let enough = line.rows[Trial::Doubled as usize].and_then(|row| row.enough.as_ref());
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
    fn together(&self) -> String {
        if self.sets.is_empty() {
            return String::new();
        }
        let one = Rational::one();
        let gain = |row: &Row| self.shares(row).map(|[low, _]| low).filter(|low| *low > one);
        let mut gains: Vec<(Rational, &Row)> = self.sets.iter().filter_map(|row| Some((gain(row)?, row))).collect();
        gains.sort_by(|one, other| other.0.cmp(&one.0));
        let tried = match self.tried {
            [pairs, 0] => count(pairs, "pair"),
            [pairs, triples] => format!("{} and {}", count(pairs, "pair"), count(triples, "triple")),
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

    /// The relative change of the base's throughput. If either optimum is not proved, the change is a range.
    fn effect(&self, row: &Row) -> String {
        match (&row.outcome, self.shares(row)) {
            (Outcome::Infeasible(_), _) => "no path".to_string(),
            (Outcome::Impossible(_), _) => "-".to_string(),
            (Outcome::Stopped(_), _) | (_, None) => "?".to_string(),
            (Outcome::Rated(_), Some([low, high])) if low == high => difference(&low),
            (Outcome::Rated(_), Some([low, high])) => format!("{} to {}", difference(&low), difference(&high)),
        }
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

fn outcome(outcome: &Outcome) -> Map<String, Value> {
    let unknown = |status: &str, reason: &str| {
        let mut object = Map::new();
        for key in ["throughput", "throughput_decimal", "upper_bound", "upper_bound_decimal"] {
            object.insert(key.into(), Value::Null);
        }
        object.insert("status".into(), status.into());
        object.insert("reason".into(), reason.into());
        object
    };
    match outcome {
        Outcome::Rated(rated) => numbers(rated),
        Outcome::Infeasible(pairs) => {
            let mut object = bounds(&Rational::zero(), &Rational::zero());
            object.insert("status".into(), "infeasible".into());
            object.insert("unreachable".into(), pairs[..pairs.len().min(PAIRS)].into());
            object.insert("unreachable_count".into(), pairs.len().into());
            object
        }
        Outcome::Impossible(why) => unknown("impossible", why),
        Outcome::Stopped(limit) => unknown("stopped", limits::named(*limit)),
    }
}

/// A class with its rows, by trial; or the one row of changes that were given.
struct Line<'a> {
    class: Option<&'a Class>,
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
