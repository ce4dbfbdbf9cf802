//! Times as text, CSV, JSON and a curve.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use num_traits::{ToPrimitive, Zero};
use oneport::platform::Link;
use oneport::{Rational, Units};
use oneport_drawings::svg::{CurveOptions, Series, curve};
use oneport_questions::measured::WRONG;
use oneport_questions::nccl::Nccl;
use oneport_questions::time::{OPTIMUM, Row, TimeAnswer, Timed, verdict};
use serde_json::{Value, json};

use crate::answers::answer::{bystanders, header, label, title};
use crate::flags::limits;
use crate::words::numbers::{Shown, decimal, percent, readable};
use crate::words::tables::{Sheet, plain};

/// Limit on the lines of a picture, besides the bound and our own.
const DRAWN: usize = 4;

/// The times in words.
pub struct Report<'a> {
    /// The times.
    pub answer: &'a TimeAnswer,
}

impl Report<'_> {
    fn size(&self, row: &Row) -> String {
        let size = self.answer.size(row);
        let units = self.answer.units();
        units.map_or_else(|| readable(&size), |units| units.show_data(&size))
    }

    /// Algorithm and bus bandwidth at this time of one operation.
    fn rates(&self, row: &Row, time: &Rational) -> [String; 2] {
        match (self.answer.bandwidth(row), self.answer.units()) {
            (Some(bandwidth), Some(units)) if !time.is_zero() => {
                let often = time.recip();
                [bandwidth.algorithm(&often), bandwidth.bus(&often)]
                    .map(|rate| units.show_rate(&rate))
            }
            _ => ["-".to_string(), "-".to_string()],
        }
    }

    fn shown(&self) -> Shown {
        Shown::of(self.answer.problem.platform(), false)
    }

    fn time(&self, time: &Rational) -> String {
        self.shown().briefly(time)
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.answer.single {
            for row in &self.answer.rows {
                out.push_str(&self.one(row));
            }
        } else {
            let head = title(&self.answer.problem);
            let _ = writeln!(
                out,
                "{}{}\n{}",
                head.split(", messages of").next().unwrap_or(&head),
                bystanders(
                    self.answer.problem.platform(),
                    self.answer.problem.collective()
                ),
                self.table()
            );
        }
        let delayed = |link: &Link| !link.latency().is_zero() || !link.overhead().is_zero();
        let is_cut = self.answer.problem.collective().is_cut();
        if is_cut && !self.answer.problem.platform().links().iter().any(delayed) {
            out.push_str(
                "no link has latency or overhead (--latency TIME gives one): cutting into ever smaller pieces costs nothing \
                 here\n",
            );
        }
        if let Some(measured) = &self.answer.measured {
            let _ = writeln!(out, "{}", measured.text());
            out.push_str(&self.verdict());
        }
        if let Some(line) = self.answer.latencies.line(self.answer.problem.platform()) {
            let _ = writeln!(out, "{line}");
        }
        out.push_str("times are exact; the referee executed the best; the bound is proved ");
        out.push_str(if self.answer.latencies.are_assumed() {
            "for the assumed latencies (docs/theory.md)"
        } else {
            "(docs/theory.md)"
        });
        if let Some(limit) = self.answer.ended_by {
            let _ = write!(
                out,
                "\n{}: more time or memory may find shorter runs",
                limits::named(limit)
            );
        }
        out
    }

    /// Measured times below a bound, and what may slow down the largest size.
    fn verdict(&self) -> String {
        let mut out = String::new();
        let bound = |row: &Row| self.shown().seconds(&row.least);
        let below = |row: &&Row| {
            self.answer
                .measured(row)
                .is_some_and(|time| *time < bound(row))
        };
        if let Some(row) = self.answer.rows.iter().find(below) {
            let _ = writeln!(
                out,
                "            {}: less than the bound is measured: {WRONG}{}",
                self.size(row),
                if self.answer.latencies.are_assumed() {
                    "; or the assumed latencies are too long"
                } else {
                    ""
                }
            );
        }
        let last = self.answer.rows.last();
        let best = last.and_then(|row| Some((self.answer.measured(row)?, row.timed.first()?)));
        if let Some((time, best)) = best {
            let best = self.shown().seconds(&best.length);
            let found = verdict(time, &best, &self.answer.limits);
            out.extend(found.map(|text| format!("            {text}\n")));
        }
        out
    }

    /// The measured time, and the bound as a share of it.
    fn beside(&self, row: &Row) -> [String; 2] {
        let Some(time) = self.answer.measured(row) else {
            return ["-".to_string(), "-".to_string()];
        };
        let share = percent(&(self.shown().seconds(&row.least) / time));
        [Units::bytes_and_seconds().show_time(time), share]
    }

    fn one(&self, row: &Row) -> String {
        let mut out = header(&self.answer.problem);
        if row.timed.is_empty() {
            let least = self.time(&row.least);
            let _ = writeln!(out, "no schedule takes less than {least}; no run was dated");
            return out;
        }
        if let Some(best) = row.timed.first() {
            let [algorithm, bus] = self.rates(row, &best.length);
            let _ = writeln!(
                out,
                "time        {} ({}, {})",
                self.time(&best.length),
                best.name,
                pieces(best)
            );
            let _ = writeln!(out, "bandwidth   algorithm {algorithm}, bus {bus}");
            let gap = percent(&row.gap().unwrap_or_default());
            let _ = writeln!(
                out,
                "no schedule takes less than {}: this takes {gap} more",
                self.time(&row.least)
            );
            if let Some(line) = self.answer.nccl.as_ref().and_then(Nccl::sentence) {
                let _ = writeln!(out, "NCCL        {line}");
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{}", self.algorithms(row));
        out
    }

    /// The table of the answer: of one size its algorithms, of several sizes the best of each.
    pub fn sheet(&self) -> Sheet {
        match &self.answer.rows[..] {
            [one] if self.answer.single => self.algorithms(one),
            _ => self.table(),
        }
    }

    fn algorithms(&self, row: &Row) -> Sheet {
        let cells = |timed: &Timed| {
            let share = percent(&(&row.least / &timed.length));
            let [_, bus] = self.rates(row, &timed.length);
            vec![
                timed.name.clone(),
                timed.pieces.to_string(),
                self.time(&timed.length),
                bus,
                share,
            ]
        };
        let header = ["algorithm", "pieces", "time", "busbw", "of the bound"];
        let mut rows: Vec<Vec<String>> = row.timed.iter().map(cells).collect();
        if let Some(time) = self.answer.measured(row) {
            let of_platform = self.answer.units().map(|units| time / units.time.seconds());
            let [_, bus] = self.rates(row, &of_platform.unwrap_or_default());
            let [time, share] = self.beside(row);
            rows.push(vec![
                "measured".to_string(),
                "-".to_string(),
                time,
                bus,
                share,
            ]);
        }
        plain(&header, &[1, 2, 3, 4], rows)
    }

    fn table(&self) -> Sheet {
        let cells = |row: &Row| {
            let (size, least) = (self.size(row), self.time(&row.least));
            let Some(best) = row.timed.first() else {
                let none = || "-".to_string();
                let mut cells = vec![size, none(), none(), none(), least, none(), none(), none()];
                cells.extend(self.answer.measured.iter().flat_map(|_| self.beside(row)));
                return cells;
            };
            let [algorithm, bus] = self.rates(row, &best.length);
            let mut cells = vec![
                size,
                self.time(&best.length),
                algorithm,
                bus,
                least,
                percent(&row.gap().unwrap_or_default()),
                best.pieces.to_string(),
                best.name.clone(),
            ];
            cells.extend(self.answer.measured.iter().flat_map(|_| self.beside(row)));
            cells
        };
        let mut header = vec![
            "size",
            "time",
            "algbw",
            "busbw",
            "no less than",
            "gap",
            "pieces",
            "algorithm",
        ];
        if self.answer.measured.is_some() {
            header.extend(["measured", "bound / measured"]);
        }
        plain(
            &header,
            &[0, 1, 2, 3, 4, 5, 6, 8, 9],
            self.answer.rows.iter().map(cells),
        )
    }

    /// The table, one line for each size and algorithm, numbers as decimals; times in seconds, sizes in bytes.
    pub fn csv(&self) -> String {
        let mut out =
            "bytes,algorithm,pieces,time,lower_bound,algbw_GB_per_s,busbw_GB_per_s\n".to_string();
        for row in &self.answer.rows {
            for timed in &row.timed {
                let [algorithm, bus] = self
                    .answer
                    .counted(row, &timed.length)
                    .map(|rate| rate.as_ref().map_or_else(String::new, decimal));
                let bytes = decimal(&self.answer.bytes(row));
                let (time, least) = (
                    decimal(&self.shown().seconds(&timed.length)),
                    decimal(&self.shown().seconds(&row.least)),
                );
                let _ = writeln!(
                    out,
                    "{bytes},\"{}\",{},{time},{least},{algorithm},{bus}",
                    timed.name, timed.pieces
                );
            }
        }
        out
    }

    /// The contract's object.
    pub fn json(&self) -> Value {
        let answer = self.answer;
        let numbers = answer.numbers();
        let size = |(row, numbers)| {
            let mut object = json!(numbers);
            object["gap"] = Row::gap(row).as_ref().map(decimal).into();
            if answer.measured.is_some() {
                object["measured"] = answer.measured(row).map(decimal).into();
            }
            object
        };
        let sizes = answer.rows.iter().zip(&numbers.sizes).map(size);
        let mut sizes: Vec<Value> = sizes.collect();
        let mut object = if answer.single && sizes.len() == 1 {
            sizes.swap_remove(0)
        } else {
            json!({ "sizes": sizes })
        };
        object["latencies"] = json!(numbers.latencies);
        if let Some(fitted) = numbers.fitted {
            object["fitted"] = json!(fitted);
        }
        object["collective"] = label(answer.problem.collective()).into();
        object["model"] = answer.problem.platform().model().name().into();
        if let Some(limit) = answer.ended_by {
            object["ended_by"] = limits::named(limit).into();
        }
        object
    }

    /// Bus bandwidth against size: the bound, the best, and the algorithms that are best somewhere or in the end.
    pub fn curve(&self) -> String {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let named = |timed: &&Timed| timed.name != OPTIMUM;
        for row in self.answer.rows.iter().rev() {
            if names.len() < DRAWN {
                names.extend(
                    row.timed
                        .iter()
                        .filter(named)
                        .take(1)
                        .map(|timed| timed.name.as_str()),
                );
            }
        }
        if let Some(last) = self.answer.rows.last() {
            for timed in last.timed.iter().filter(named) {
                if names.len() < DRAWN {
                    names.insert(&timed.name);
                }
            }
        }
        let point = |row: &Row, time: &Rational| {
            let [_, bus] = self.answer.gigabytes(row, time);
            Some((self.answer.bytes(row).to_f64()?, bus.to_f64()?))
        };
        let line = |name: &str, time: &dyn Fn(&Row) -> Option<Rational>| Series {
            name: name.to_string(),
            points: self
                .answer
                .rows
                .iter()
                .filter_map(|row| point(row, &time(row)?))
                .collect(),
        };
        let of = |row: &Row, name: &str| {
            row.timed
                .iter()
                .find(|timed| timed.name == name)
                .map(|timed| timed.length.clone())
        };
        let mut series = vec![
            line("proved bound", &|row| Some(row.least.clone())),
            line("best", &|row| Some(row.timed.first()?.length.clone())),
        ];
        if self.answer.measured.is_some() {
            let units = self.answer.units();
            let of_platform = |row: &Row| Some(self.answer.measured(row)? / units?.time.seconds());
            series.push(line("measured", &of_platform));
        }
        series.extend(names.iter().map(|name| line(name, &|row| of(row, name))));
        let head = title(&self.answer.problem);
        let title = head.split(", messages of").next().unwrap_or(&head);
        let options = CurveOptions {
            log_x: true,
            ..CurveOptions::default()
        };
        let labels = match self.answer.units() {
            Some(_) => ("bytes of one operation", "bus bandwidth, GB/s"),
            None => ("size of one operation", "bus bandwidth"),
        };
        curve(title, labels.0, labels.1, &series, &options)
    }
}

fn pieces(timed: &Timed) -> String {
    if timed.pieces == 1 {
        "in one piece".to_string()
    } else {
        format!("in {} pieces", timed.pieces)
    }
}
