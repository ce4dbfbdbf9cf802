//! The answer of `oneport solve` as JSON: the keys of fixtures/README.md, fixtures/schemas/solve.schema.json.

use std::path::Path;
use std::time::Duration;

use oneport::files::Chosen;
use oneport::platform::whole;
use oneport::schedule::cuts;
use oneport::{Collective, Plan, Platform, Rational, Solved, Unwritten, parse_rational};
use oneport_questions::{Asked, Numbers, Operation, gap, share};
use serde_json::{Value, json};

use crate::answers::answer::{bounds, question};
use crate::flags::limits;
use crate::words::numbers::{Shown, decimal};
use crate::words::objects::joined;
use crate::words::tables::{Sheet, plain};

/// The question and its answer.
fn answered(
    path: &Path,
    platform: &Platform,
    collective: &Collective,
    answer: impl IntoIterator<Item = Value>,
) -> Value {
    let file = json!({ "platform": path.display().to_string() });
    let asked = question(platform, collective);
    joined([asked, file].into_iter().chain(answer))
}

/// The answer without a listed schedule. The throughput is 0 if none is known.
pub fn unlisted(
    path: &Path,
    solved: &Solved,
    unwritten: &Unwritten,
    numbers: &Numbers,
    seconds: Duration,
) -> Value {
    let problem = solved.answer.problem();
    let throughput = numbers.throughput.clone().unwrap_or_default();
    let operation = numbers.operation.clone();
    let operation = operation.or_else(|| Operation::of(problem, &throughput));
    let told = |of: fn(&Operation) -> &Rational| operation.as_ref().map(|one| of(one).to_string());
    let answer = json!({
        "status": numbers.status.name(),
        "gap": decimal(&gap(&throughput, &numbers.upper_bound)),
        "size": told(|one| &one.bytes),
        "algbw": told(|one| &one.gigabytes[0]),
        "busbw": told(|one| &one.gigabytes[1]),
        "tasks": unwritten.tasks,
        "unlisted": unwritten.to_string(),
        "solve_seconds": seconds.as_secs_f64(),
        "ended_by": unwritten.limit.or(solved.ended_by).map(limits::named),
    });
    let bounds = bounds(&throughput, &numbers.upper_bound);
    answered(
        path,
        problem.platform(),
        problem.collective(),
        [bounds, answer],
    )
}

/// The answer with a plan of the problem. `chosen` if a search chose its links.
pub fn planned(
    path: &Path,
    solved: &Solved,
    plan: &Plan<'_>,
    numbers: &Numbers,
    chosen: Option<&Chosen>,
    hints: &[String],
    seconds: Duration,
) -> Value {
    let problem = plan.problem;
    let cuts = cuts(problem, plan.schedule);
    let throughput = numbers.throughput.clone().unwrap_or_default();
    let answer = json!({
        "gap": numbers.gap.as_ref().map(decimal),
        "schedule_share": share(plan).to_string(),
        "transfers": cuts.transfers.to_string(),
        "cut": cuts.cut.to_string(),
        "pieces": cuts.pieces,
        "period_factor": solved.whole.as_ref().map(|whole| whole.factor.to_string()),
        "hints": hints,
        "solve_seconds": seconds.as_secs_f64(),
        "solver_seconds": solved.solver_time.as_secs_f64(),
        "ended_by": solved.ended_by.map(limits::named),
    });
    let choice = chosen.map(|chosen| {
        let (shape, programs) = (chosen.shape.name(), chosen.programs);
        json!({ "chosen": { "shape": shape, "programs": programs, "checked": false } })
    });
    let bounds = bounds(&throughput, &numbers.upper_bound);
    let answer = [json!(numbers), bounds, answer].into_iter().chain(choice);
    answered(path, problem.platform(), problem.collective(), answer)
}

/// The answer that these messages cannot arrive.
pub fn infeasible(path: &Path, asked: &Asked, unreachable: &[String], seconds: Duration) -> Value {
    let answer = json!({
        "status": "infeasible",
        "schedule_throughput": "0",
        "period": "0",
        "patterns": 0,
        "slots": 0,
        "unreachable": unreachable,
        "solve_seconds": seconds.as_secs_f64(),
    });
    let zero = Rational::default();
    let answer = [bounds(&zero, &zero), answer];
    answered(path, &asked.platform, &asked.collective, answer)
}

/// The answers as rows of a table.
#[derive(Debug, Default)]
pub struct AnswerTable {
    rows: Vec<Vec<String>>,
    /// The units of throughputs, each once.
    per: Vec<&'static str>,
}

impl AnswerTable {
    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an answer, the object of `--json`.
    pub fn add(&mut self, platform: &Platform, answer: &Value) {
        let shown = Shown::of(platform, false);
        if !self.per.contains(&shown.per()) {
            self.per.push(shown.per());
        }
        let text = |key: &str| match &answer[key] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            number => number.to_string(),
        };
        let number = |key: &str, told: &dyn Fn(&Rational) -> String| {
            let text = answer[key].as_str();
            let value = text.and_then(|text| parse_rational(text).ok());
            value.map_or(String::new(), |value| told(&value))
        };
        let rate = |value: &Rational| shown.rate(value);
        let limits = answer["bottleneck"].as_array().into_iter().flatten();
        let limits: Vec<&str> = limits.filter_map(|row| row["resource"].as_str()).collect();
        let hundred = whole(100);
        let seconds = answer["solve_seconds"].as_f64().unwrap_or_default();
        self.rows.push(vec![
            text("platform"),
            text("collective"),
            text("nodes"),
            text("links"),
            text("status"),
            number("throughput", &rate),
            number("upper_bound", &rate),
            number("gap", &|gap| decimal(&(gap * &hundred))),
            number("algbw", &decimal),
            number("busbw", &decimal),
            number("period", &|period| decimal(&shown.seconds(period))),
            text("instances"),
            number("schedule_throughput", &rate),
            text("patterns"),
            limits.join("; "),
            format!("{seconds:.3}"),
        ]);
    }

    /// The table.
    pub fn sheet(&self) -> Sheet {
        let has_units = self.per == ["per second"];
        let [throughput, bound, schedule] = ["throughput", "upper bound", "schedule"]
            .map(|name| format!("{name} ({})", self.per.join(", or ")));
        let header = [
            "platform",
            "collective",
            "nodes",
            "links",
            "status",
            &throughput,
            &bound,
            "gap (%)",
            "algbw (GB/s)",
            "busbw (GB/s)",
            if has_units { "period (s)" } else { "period" },
            "instances",
            &schedule,
            "patterns",
            "limited by",
            "time to solve (s)",
        ];
        let numbers = [2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15];
        plain(&header, &numbers, self.rows.iter().cloned())
    }
}
