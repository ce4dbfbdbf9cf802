//! Formats the answer of `oneport whatif`.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use num_traits::{One, Signed, Zero};
use oneport::platform::names::list;
use oneport::platform::whole;
use oneport::watch::Limit;
use oneport::{Answer, Problem, Rational, Status};
use oneport_questions::what_if::{ChangeRow, ChangeStatus, Class, ClassRows, Kind, Trial};
use serde_json::{Value, json};

use super::price::Prices;
use crate::answers::answer::{bounds, header, question};
use crate::answers::bottleneck;
use crate::flags::limits;
use crate::words::clock;
use crate::words::numbers::{Shown, decimal, percent, readable, short};
use crate::words::objects::joined;
use crate::words::output::count;
use crate::words::tables::{Sheet, TableFormat, plain};

/// The data of a report.
pub struct Report<'a> {
    pub problem: &'a Problem,
    pub base: Arc<Answer>,
    pub changed: Changed,
    pub prices: Prices,
    /// Whether fractions are printed in full.
    pub exact: bool,
    pub seconds: Duration,
    pub ended_by: Option<Limit>,
}

/// The changed platforms.
pub enum Changed {
    /// Those of each class, and of classes doubled together, which are tried if no class alone gains.
    Classes(ClassRows),
    /// The one of the changes that were given, and its answer if it has patterns.
    Changes(Box<ChangeRow>, Option<Box<Answer>>),
}

impl Report<'_> {
    /// The contract's object: `base`, and `rows` as in the table.
    pub fn json(&self) -> Value {
        let limits = json!({ "bottleneck": bottleneck::of(&self.base).json() });
        let (rows, pairs) = match &self.changed {
            Changed::Classes(ClassRows { rows, together, .. }) => (
                self.lines(rows)
                    .into_iter()
                    .flat_map(|line| line.rows)
                    .flatten()
                    .map(|row| self.row(row))
                    .collect(),
                together.iter().map(|row| self.row(row)).collect(),
            ),
            Changed::Changes(row, _) => (vec![self.row(row)], Vec::new()),
        };
        let answer = json!({
            "base": joined([numbers(&self.base), limits]),
            "rows": rows,
            "pairs": pairs,
            "solve_seconds": self.seconds.as_secs_f64(),
            "ended_by": self.ended_by.map(limits::named),
        });
        joined([
            question(self.problem.platform(), self.problem.collective()),
            answer,
        ])
    }

    /// The reason why the changes that were given leave no throughput.
    pub fn lost(&self) -> Option<&str> {
        match &self.changed {
            Changed::Changes(row, _) if row.status == ChangeStatus::Infeasible => {
                row.reason.as_deref()
            }
            _ => None,
        }
    }

    fn row(&self, row: &ChangeRow) -> Value {
        let doubled = row.change.as_ref();
        let doubled = doubled.filter(|(_, trial)| *trial == Trial::Doubled);
        let worth = doubled.and_then(|(class, _)| self.worth(class, Some(row)));
        let worth = worth.map(|(price, gain)| {
            json!({ "price": price.to_string(), "gain_per_price": gain.map(|gain| gain.to_string()) })
        });
        let platform = self.problem.platform();
        let keys = row.json(|node| platform.name(node).to_string());
        joined([keys].into_iter().chain(worth))
    }

    /// The rows of each class in one line: the gain of doubling, then the losses by halving and removing. The most
    /// worthwhile class is first.
    fn lines<'r>(&self, rows: &'r [ChangeRow]) -> Vec<Line<'r>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for row in rows {
            let Some((class, trial)) = &row.change else {
                continue;
            };
            if lines.last().is_none_or(|line| line.class != class) {
                lines.push(Line {
                    class,
                    rows: [None; 3],
                });
            }
            if let Some(line) = lines.last_mut() {
                line.rows[*trial as usize] = Some(row);
            }
        }
        let gain = |line: &Line<'_>, trial: Trial| {
            line.rows[trial as usize].and_then(|row| row.share.clone())
        };
        let one = Rational::one();
        let worth = |line: &Line<'_>| {
            let row = line.rows[Trial::Doubled as usize];
            self.worth(line.class, row).and_then(|(_, gain)| gain)
        };
        lines.sort_by_cached_key(|line| {
            let loss = |trial| gain(line, trial).unwrap_or_else(|| [one.clone(), one.clone()]);
            let doubled = Reverse(gain(line, Trial::Doubled));
            (
                Reverse(worth(line)),
                doubled,
                loss(Trial::Halved),
                loss(Trial::Removed),
                (line.class.kind, &line.class.name),
            )
        });
        lines
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = header(self.problem);
        out.push_str(&format!("base        {}\n", self.throughput(&self.base)));
        let mut say = |line: String| out.extend([&line, "\n"]);
        bottleneck::of(&self.base)
            .lines()
            .into_iter()
            .for_each(&mut say);
        match &self.changed {
            Changed::Classes(classes) => {
                let table = self.classes(&classes.rows).trim_fmt();
                let doubled = self
                    .lines(&classes.rows)
                    .into_iter()
                    .filter_map(|line| line.rows[Trial::Doubled as usize]);
                let needs: String = doubled.filter_map(|row| self.needs(row)).collect();
                out.push_str(&format!("{table}\n{needs}{}", self.together(classes)));
            }
            Changed::Changes(row, answer) => {
                say(format!("change      {}", row.name));
                say(match (row.status, answer) {
                    (_, Some(answer)) => {
                        format!("changed     {}: {}", self.throughput(answer), effect(row))
                    }
                    (ChangeStatus::Infeasible, _) => "changed     no throughput".to_string(),
                    _ => {
                        let why = row.reason.as_deref().unwrap_or_default();
                        format!("changed     unknown: {why}")
                    }
                });
                // The hints are the base's, too.
                let limits = answer
                    .as_ref()
                    .map(|answer| bottleneck::of(answer).plainly());
                limits.into_iter().flatten().for_each(&mut say);
            }
        }
        let ended = self
            .ended_by
            .map(|limit| format!("; {}", limits::named(limit)))
            .unwrap_or_default();
        out.push_str(&format!(
            "time        {}{ended}",
            clock::seconds(self.seconds)
        ));
        out
    }

    /// The table of classes, or of the changes. For programs: plain numbers, units in the headings.
    pub fn sheet(&self, format: TableFormat) -> Sheet {
        match &self.changed {
            Changed::Classes(classes) if format == TableFormat::Csv => {
                self.classes_plainly(&classes.rows)
            }
            Changed::Classes(classes) => self.classes(&classes.rows),
            Changed::Changes(row, _) => self.changes_plainly(row),
        }
    }

    /// The base and the changed platform.
    fn changes_plainly(&self, row: &ChangeRow) -> Sheet {
        let shown = Shown::of(self.problem.platform(), false);
        let rate = |value: &Option<Rational>| {
            let value = value.as_ref();
            value.map_or_else(String::new, |value| shown.rate(value))
        };
        let throughputs = vec![shown.rate(&sustained(&self.base)), rate(&row.throughput)];
        let bounds = vec![shown.rate(self.base.bound()), rate(&row.upper_bound)];
        let named = |value: &str| format!("{value} ({})", shown.per());
        let gain = [Some([Rational::one(), Rational::one()]), row.share.clone()];
        let columns = [
            (
                "change".to_string(),
                vec!["base".to_string(), row.name.clone()],
            ),
            (named("throughput"), throughputs),
            (named("upper bound"), bounds),
        ];
        by_columns(columns.into_iter().chain(gains("gain", &gain)).collect())
    }

    /// The table of classes with plain numbers.
    fn classes_plainly(&self, rows: &[ChangeRow]) -> Sheet {
        let lines = self.lines(rows);
        let of_classes = |cell: &dyn Fn(&Line<'_>) -> String| lines.iter().map(cell).collect();
        let each = |wanted: bool| {
            let cell = |line: &Line<'_>| {
                let is_processor = line.class.kind == Kind::Processors;
                let (_, value) = self.each(line.class);
                if is_processor == wanted && !line.class.cost.is_zero() {
                    value
                } else {
                    String::new()
                }
            };
            of_classes(&cell)
        };
        let processors = lines
            .iter()
            .find(|line| line.class.kind == Kind::Processors)
            .map_or("compute", |line| self.each(line.class).0);
        let trial = |trial: Trial| -> Vec<Option<[Rational; 2]>> {
            let rows = lines.iter().map(|line| line.rows[trial as usize]);
            rows.map(|row| row.and_then(|row| row.share.clone()))
                .collect()
        };
        let enough = |line: &Line<'_>| {
            let row = line.rows[Trial::Doubled as usize];
            let enough = row.and_then(|row| row.enough.as_ref());
            enough.map_or(String::new(), |enough| decimal(&enough.factor))
        };
        let mut columns: Vec<(String, Vec<String>)> = vec![
            ("what".into(), of_classes(&|line| line.class.name.clone())),
            (
                "members".into(),
                of_classes(&|line| line.class.members.to_string()),
            ),
            ("bandwidth".into(), each(false)),
            (processors.into(), each(true)),
        ];
        columns.extend(gains("doubled", &trial(Trial::Doubled)));
        columns.push(("enough (factor)".into(), of_classes(&enough)));
        columns.extend(gains("halved", &trial(Trial::Halved)));
        columns.extend(gains("removed", &trial(Trial::Removed)));
        if !self.prices.is_empty() {
            let worth =
                |line: &Line<'_>| self.worth(line.class, line.rows[Trial::Doubled as usize]);
            let price =
                |line: &Line<'_>| worth(line).map_or(String::new(), |worth| short(&worth.0));
            let gain = |line: &Line<'_>| {
                let gain = worth(line).and_then(|worth| worth.1);
                gain.map_or(String::new(), |gain| short(&gain))
            };
            let per = Shown::of(self.problem.platform(), false).per();
            columns.push(("price".into(), of_classes(&price)));
            columns.push((format!("{per} per price"), of_classes(&gain)));
        }
        by_columns(columns)
    }

    fn classes(&self, rows: &[ChangeRow]) -> Sheet {
        let cells = |Line { class, rows }: Line<'_>| {
            let doubled_row = rows[Trial::Doubled as usize];
            let [doubled, halved, removed] = rows.map(|row| row.map_or("-".to_string(), effect));
            let enough = rows[Trial::Doubled as usize].and_then(|row| row.enough.as_ref());
            let enough = enough.map_or(String::new(), |enough| {
                let less = if enough.is_least { "" } else { " or less" };
                // Rounded up: a smaller factor may not suffice.
                let thousand = whole(1000);
                format!(
                    "x{}{less}",
                    short(&((&enough.factor * &thousand).ceil() / thousand))
                )
            });
            let (name, members) = (class.name.clone(), format!("{} x", class.members));
            let mut cells = vec![
                name,
                members,
                self.each_member(class),
                doubled,
                enough,
                halved,
                removed,
            ];
            if !self.prices.is_empty() {
                let worth = self.worth(class, doubled_row);
                let [price, gain] = worth.map_or_else(
                    || ["-", "-"].map(String::from),
                    |(price, gain)| {
                        [
                            short(&price),
                            gain.map_or("-".to_string(), |gain| short(&gain)),
                        ]
                    },
                );
                cells.extend([price, gain]);
            }
            cells
        };
        let per = format!(
            "{} per price",
            Shown::of(self.problem.platform(), false).per()
        );
        let priced: &[&str] = if self.prices.is_empty() {
            &[]
        } else {
            &["price", &per]
        };
        let header = [
            "what", "members", "each", "doubled", "enough", "halved", "removed",
        ];
        plain(
            &[&header, priced].concat(),
            &[1, 3, 4, 5, 6, 7, 8],
            self.lines(rows).into_iter().map(cells),
        )
    }

    /// The price of doubling a class, as many members again, and the operations per second (without units, per unit of
    /// time) that are known to be gained per unit of price. `None` if the class has no price.
    fn worth(
        &self,
        class: &Class,
        doubled: Option<&ChangeRow>,
    ) -> Option<(Rational, Option<Rational>)> {
        let price = self.prices.of(&class.name)? * whole(class.members);
        let gain = doubled.and_then(|row| row.share.as_ref()).map(|[low, _]| {
            let more = (low - Rational::one()) * sustained(&self.base);
            let units = self.problem.platform().units();
            units.map_or_else(|| more.clone(), |units| &more / units.time.seconds()) / &price
        });
        Some((price, gain))
    }

    /// Returns the sentence on other ports that must become faster, too, if a doubled class of ports gains.
    fn needs(&self, row: &ChangeRow) -> Option<String> {
        let (class, _) = row.change.as_ref()?;
        let [low, _] = row.share.as_ref()?;
        if class.kind != Kind::Ports || *low <= Rational::one() || row.outgrown.is_empty() {
            return None;
        }
        let ends = list(self.problem.platform(), row.outgrown.iter().copied());
        Some(format!(
            "{} doubled takes faster ports at {ends}, too: no link there was as fast before\n",
            row.name
        ))
    }

    /// The gains of sets, the largest first, after the sentence that no class alone gains anything.
    fn together(
        &self,
        ClassRows {
            together,
            pairs,
            triples,
            ..
        }: &ClassRows,
    ) -> String {
        if together.is_empty() {
            return String::new();
        }
        let one = Rational::one();
        let gain = |row: &&ChangeRow| row.share.as_ref().is_some_and(|[low, _]| *low > one);
        let mut gains: Vec<&ChangeRow> = together.iter().filter(gain).collect();
        let least = |row: &ChangeRow| row.share.as_ref().map(|[low, _]| low.clone());
        gains.sort_by_cached_key(|row| Reverse(least(row)));
        let tried = match triples {
            0 => count(pairs, "pair"),
            _ => format!("{} and {}", count(pairs, "pair"), count(triples, "triple")),
        };
        if gains.is_empty() {
            return format!(
                "No class alone gains anything, and none of {tried} tried is known to.\n"
            );
        }
        let mut out = format!("No class alone gains anything. Doubled together ({tried} tried):\n");
        for row in gains {
            out.push_str(&format!("  {}  {}\n", effect(row), row.name));
        }
        out
    }

    /// A throughput with its status.
    fn throughput(&self, answer: &Answer) -> String {
        let shown = Shown::of(self.problem.platform(), self.exact);
        let throughput = shown.frequency(&sustained(answer));
        match answer.status() {
            Status::Optimal => format!("{throughput} (optimal)"),
            Status::Feasible => {
                format!(
                    "{throughput} (feasible; upper bound {})",
                    shown.frequency(answer.bound())
                )
            }
        }
    }

    /// The bandwidth or compute cost of one member, in words.
    fn each_member(&self, class: &Class) -> String {
        let has_units = self.problem.platform().units().is_some();
        match (class.kind, self.each(class)) {
            _ if class.cost.is_zero() => "no time".to_string(),
            (Kind::Links | Kind::Ports | Kind::Shared, (_, value)) if has_units => value,
            (_, (what, value)) => format!("{what} {value}"),
        }
    }

    /// The bandwidth or compute cost of one member, and its name. The cost is not 0.
    fn each(&self, class: &Class) -> (&'static str, String) {
        let rate = if class.cost.is_zero() {
            Rational::zero()
        } else {
            class.cost.recip()
        };
        match (class.kind, self.problem.platform().units()) {
            (Kind::Links | Kind::Ports | Kind::Shared, Some(units)) => {
                ("bandwidth", units.show_rate(&rate))
            }
            (Kind::Links | Kind::Ports | Kind::Shared, None) => ("bandwidth", readable(&rate)),
            (Kind::Processors, Some(units)) if units.work_is_data => {
                ("merges", units.show_rate(&rate))
            }
            (Kind::Processors, Some(units)) => ("compute", units.show_time(&class.cost)),
            (Kind::Processors, None) => ("compute", readable(&class.cost)),
        }
    }
}

/// Gains in percent, as one column. Two columns if a gain is not known exactly.
fn gains(name: &str, shares: &[Option<[Rational; 2]>]) -> Vec<(String, Vec<String>)> {
    let hundred = whole(100);
    let side = |side: usize| {
        let cell = |shares: &Option<[Rational; 2]>| {
            let gain =
                |shares: &[Rational; 2]| decimal(&((&shares[side] - Rational::one()) * &hundred));
            shares.as_ref().map_or(String::new(), gain)
        };
        shares.iter().map(cell).collect::<Vec<String>>()
    };
    if shares.iter().flatten().all(|[low, high]| low == high) {
        return vec![(format!("{name} (%)"), side(0))];
    }
    vec![
        (format!("{name}, at least (%)"), side(0)),
        (format!("{name}, at most (%)"), side(1)),
    ]
}

/// A table from columns of equal lengths, with their headings. All but the first hold numbers.
fn by_columns(columns: Vec<(String, Vec<String>)>) -> Sheet {
    let header: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let numbers: Vec<usize> = (1..header.len()).collect();
    let length = columns.first().map_or(0, |(_, cells)| cells.len());
    let row = |row: usize| -> Vec<String> {
        let cell = |(_, cells): &(String, Vec<String>)| cells.get(row).cloned().unwrap_or_default();
        columns.iter().map(cell).collect()
    };
    plain(&header, &numbers, (0..length).map(row))
}

/// A throughput with its bound and status.
fn numbers(answer: &Answer) -> Value {
    let status = json!({ "status": answer.status().name() });
    joined([bounds(&sustained(answer), answer.bound()), status])
}

/// The throughput of an answer. 0 if none is known.
fn sustained(answer: &Answer) -> Rational {
    answer.throughput().cloned().unwrap_or_default()
}

/// The relative change of the base's throughput. If either optimum is not proved, the change is a range.
fn effect(row: &ChangeRow) -> String {
    match (row.status, &row.share) {
        (ChangeStatus::Infeasible, _) => "no path".to_string(),
        (ChangeStatus::Impossible, _) => "-".to_string(),
        (_, Some([low, high])) if low == high => difference(low),
        (_, Some([low, high])) => format!("{} to {}", difference(low), difference(high)),
        (_, None) => "?".to_string(),
    }
}

/// A class with its rows, by trial.
struct Line<'a> {
    class: &'a Class,
    rows: [Option<&'a ChangeRow>; 3],
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
