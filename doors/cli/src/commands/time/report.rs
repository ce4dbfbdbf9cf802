//! Times as text, CSV, JSON and a curve.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use num_traits::{ToPrimitive, Zero};
use oneport::platform::Link;
use oneport::watch::Limit;
use oneport::{Bandwidth, Problem, Rational, Units};
use oneport_drawings::svg::{CurveOptions, Series, curve};
use serde_json::{Value, json};

use super::measured::{MeasuredTimes, verdict};
use super::rows::{OPTIMUM, Row, Timed};
use crate::answers::answer::{bystanders, header, label, title};
use crate::answers::measured::WRONG;
use crate::answers::nccl::Nccl;
use crate::flags::limits;
use crate::words::numbers::{Shown, decimal, percent, readable};
use crate::words::tables::{Sheet, plain};
use oneport_questions::KnownLatencies;

/// Limit on the lines of a picture, besides the bound and our own.
const DRAWN: usize = 4;

/// The data of a report.
pub struct Report<'a> {
    /// The question with the first size.
    pub problem: &'a Problem,
    /// One row per size.
    pub rows: &'a [Row],
    /// Whether there is only one size. Then all algorithms are listed.
    pub single: bool,
    /// Measured times.
    pub measured: Option<MeasuredTimes>,
    /// The resources that limit the optimum of the last size.
    pub limits: String,
    /// The latencies of the platform's links.
    pub latencies: KnownLatencies,
    /// NCCL's own model of the only size; `None` if NCCL chooses nothing or the model is not evaluated.
    pub nccl: Option<Nccl>,
    /// The limit that ended the search.
    pub ended_by: Option<Limit>,
}

impl Report<'_> {
    fn bandwidth(&self, row: &Row) -> Option<Bandwidth> {
        let problem = Problem::new(
            self.problem.platform(),
            self.problem.collective(),
            &row.volumes,
        )
        .ok()?;
        Bandwidth::of(&problem)
    }

    fn units(&self) -> Option<Units> {
        self.problem.platform().units()
    }

    fn size(&self, row: &Row) -> String {
        let message = || row.volumes.size.constant().cloned().unwrap_or_default();
        let size = self
            .bandwidth(row)
            .map_or_else(message, |bandwidth| bandwidth.size);
        self.units()
            .map_or_else(|| readable(&size), |units| units.show_data(&size))
    }

    /// Algorithm and bus bandwidth at this time of one operation.
    fn rates(&self, row: &Row, time: &Rational) -> [String; 2] {
        match (self.bandwidth(row), self.units()) {
            (Some(bandwidth), Some(units)) if !time.is_zero() => {
                let often = time.recip();
                [bandwidth.algorithm(&often), bandwidth.bus(&often)]
                    .map(|rate| units.show_rate(&rate))
            }
            _ => ["-".to_string(), "-".to_string()],
        }
    }

    fn shown(&self) -> Shown {
        Shown::of(self.problem.platform(), false)
    }

    fn time(&self, time: &Rational) -> String {
        self.shown().briefly(time)
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.single {
            for row in self.rows {
                out.push_str(&self.one(row));
            }
        } else {
            let head = title(self.problem);
            let _ = writeln!(
                out,
                "{}{}\n{}",
                head.split(", messages of").next().unwrap_or(&head),
                bystanders(self.problem.platform(), self.problem.collective()),
                self.table()
            );
        }
        let delayed = |link: &Link| !link.latency().is_zero() || !link.overhead().is_zero();
        let is_cut = self.problem.collective().is_cut();
        if is_cut && !self.problem.platform().links().iter().any(delayed) {
            out.push_str(
                "no link has latency or overhead (--latency TIME gives one): cutting into ever smaller pieces costs nothing \
                 here\n",
            );
        }
        if let Some(measured) = &self.measured {
            let _ = writeln!(out, "{}", measured.text());
            out.push_str(&self.verdict());
        }
        if let Some(line) = self.latencies.line(self.problem.platform()) {
            let _ = writeln!(out, "{line}");
        }
        out.push_str("times are exact; the referee executed the best; the bound is proved ");
        out.push_str(if self.latencies.are_assumed() {
            "for the assumed latencies (docs/theory.md)"
        } else {
            "(docs/theory.md)"
        });
        if let Some(limit) = self.ended_by {
            let _ = write!(
                out,
                "\n{}: more time or memory may find shorter runs",
                limits::named(limit)
            );
        }
        out
    }

    /// Seconds that were measured of this size.
    fn measured(&self, row: &Row) -> Option<&Rational> {
        self.measured.as_ref()?.time(&self.bytes(row))
    }

    /// Measured times below a bound, and what may slow down the largest size.
    fn verdict(&self) -> String {
        let mut out = String::new();
        let bound = |row: &Row| self.shown().seconds(&row.least);
        let below = |row: &&Row| self.measured(row).is_some_and(|time| *time < bound(row));
        if let Some(row) = self.rows.iter().find(below) {
            let _ = writeln!(
                out,
                "            {}: less than the bound is measured: {WRONG}{}",
                self.size(row),
                if self.latencies.are_assumed() {
                    "; or the assumed latencies are too long"
                } else {
                    ""
                }
            );
        }
        let last = self.rows.last();
        let best = last.and_then(|row| Some((self.measured(row)?, row.timed.first()?)));
        if let Some((time, best)) = best {
            let best = self.shown().seconds(&best.length);
            let found = verdict(time, &best, &self.limits);
            out.extend(found.map(|text| format!("            {text}\n")));
        }
        out
    }

    /// The measured time, and the bound as a share of it.
    fn beside(&self, row: &Row) -> [String; 2] {
        let Some(time) = self.measured(row) else {
            return ["-".to_string(), "-".to_string()];
        };
        let share = percent(&(self.shown().seconds(&row.least) / time));
        [Units::bytes_and_seconds().show_time(time), share]
    }

    fn one(&self, row: &Row) -> String {
        let mut out = header(self.problem);
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
            let gap = percent(&gap(best, row));
            let _ = writeln!(
                out,
                "no schedule takes less than {}: this takes {gap} more",
                self.time(&row.least)
            );
            if let Some(line) = self.nccl.as_ref().and_then(Nccl::sentence) {
                let _ = writeln!(out, "NCCL        {line}");
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{}", self.algorithms(row));
        out
    }

    /// The table of the answer: of one size its algorithms, of several sizes the best of each.
    pub fn sheet(&self) -> Sheet {
        match self.rows {
            [one] if self.single => self.algorithms(one),
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
        if let Some(time) = self.measured(row) {
            let of_platform = self.units().map(|units| time / units.time.seconds());
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
                cells.extend(self.measured.iter().flat_map(|_| self.beside(row)));
                return cells;
            };
            let [algorithm, bus] = self.rates(row, &best.length);
            let mut cells = vec![
                size,
                self.time(&best.length),
                algorithm,
                bus,
                least,
                percent(&gap(best, row)),
                best.pieces.to_string(),
                best.name.clone(),
            ];
            cells.extend(self.measured.iter().flat_map(|_| self.beside(row)));
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
        if self.measured.is_some() {
            header.extend(["measured", "bound / measured"]);
        }
        plain(
            &header,
            &[0, 1, 2, 3, 4, 5, 6, 8, 9],
            self.rows.iter().map(cells),
        )
    }

    /// The table, one line for each size and algorithm, numbers as decimals; times in seconds, sizes in bytes.
    pub fn csv(&self) -> String {
        let mut out =
            "bytes,algorithm,pieces,time,lower_bound,algbw_GB_per_s,busbw_GB_per_s\n".to_string();
        for row in self.rows {
            for timed in &row.timed {
                let [algorithm, bus] = self
                    .counted(row, &timed.length)
                    .map(|rate| rate.as_ref().map_or_else(String::new, decimal));
                let bytes = decimal(&self.bytes(row));
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

    fn bytes(&self, row: &Row) -> Rational {
        let message = || row.volumes.size.constant().cloned().unwrap_or_default();
        let size = self
            .bandwidth(row)
            .map_or_else(message, |bandwidth| bandwidth.size);
        self.units()
            .map_or_else(|| size.clone(), |units| units.bytes(&size))
    }

    /// [`gigabytes`](Self::gigabytes), where benchmarks count them.
    fn counted(&self, row: &Row, time: &Rational) -> [Option<Rational>; 2] {
        let counted = self.is_counted(row) && !time.is_zero();
        let gigabytes = counted.then(|| self.gigabytes(row, time));
        gigabytes.map_or([None, None], |both| both.map(Some))
    }

    /// Whether the platform has units, and benchmarks count the collective's bandwidth.
    fn is_counted(&self, row: &Row) -> bool {
        self.units().is_some() && self.bandwidth(row).is_some()
    }

    /// Algorithm and bus bandwidth, in 10^9 bytes per second.
    fn gigabytes(&self, row: &Row, time: &Rational) -> [Rational; 2] {
        let seconds = self.shown().seconds(time);
        if seconds.is_zero() {
            return [Rational::zero(), Rational::zero()];
        }
        let algorithm = self.bytes(row) / seconds / Rational::from_integer(1_000_000_000.into());
        let factor = self.bandwidth(row).map(|bandwidth| bandwidth.bus_factor);
        let bus = factor.map_or_else(|| algorithm.clone(), |factor| &algorithm * factor);
        [algorithm, bus]
    }

    /// The contract's object.
    pub fn json(&self) -> Value {
        let of = |row: &Row, timed: &Timed| {
            let [algorithm, bus] = self
                .counted(row, &timed.length)
                .map(|rate| rate.map(|rate| rate.to_string()));
            json!({
                "name": timed.name,
                "pieces": timed.pieces,
                "time": self.shown().seconds(&timed.length).to_string(),
                "algbw": algorithm,
                "busbw": bus,
            })
        };
        let row = |row: &Row| {
            let mut object = row
                .timed
                .first()
                .map_or_else(|| json!({}), |best| of(row, best));
            let bytes = self.is_counted(row).then(|| self.bytes(row).to_string());
            object["bytes"] = bytes.into();
            object["lower_bound"] = self.shown().seconds(&row.least).to_string().into();
            object["gap"] = row
                .timed
                .first()
                .map(|best| decimal(&gap(best, row)))
                .into();
            let nccl = self.nccl.as_ref();
            object["nccl"] = nccl.and_then(|nccl| Some(nccl.pick()?.json())).into();
            if self.measured.is_some() {
                object["measured"] = self.measured(row).map(decimal).into();
            }
            object["rows"] = row
                .timed
                .iter()
                .map(|timed| of(row, timed))
                .collect::<Vec<_>>()
                .into();
            object
        };
        let mut object = match self.rows {
            [one] if self.single => row(one),
            rows => json!({ "sizes": rows.iter().map(row).collect::<Vec<_>>() }),
        };
        object["latencies"] = self.latencies.json(self.problem.platform());
        if let Some(measured) = &self.measured {
            object["fitted"] = measured.json();
        }
        object["collective"] = label(self.problem.collective()).into();
        object["model"] = self.problem.platform().model().name().into();
        if let Some(limit) = self.ended_by {
            object["ended_by"] = limits::named(limit).into();
        }
        object
    }

    /// Bus bandwidth against size: the bound, the best, and the algorithms that are best somewhere or in the end.
    pub fn curve(&self) -> String {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let named = |timed: &&Timed| timed.name != OPTIMUM;
        for row in self.rows.iter().rev() {
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
        if let Some(last) = self.rows.last() {
            for timed in last.timed.iter().filter(named) {
                if names.len() < DRAWN {
                    names.insert(&timed.name);
                }
            }
        }
        let point = |row: &Row, time: &Rational| {
            let [_, bus] = self.gigabytes(row, time);
            Some((self.bytes(row).to_f64()?, bus.to_f64()?))
        };
        let line = |name: &str, time: &dyn Fn(&Row) -> Option<Rational>| Series {
            name: name.to_string(),
            points: self
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
        if self.measured.is_some() {
            let units = self.units();
            let of_platform = |row: &Row| Some(self.measured(row)? / units?.time.seconds());
            series.push(line("measured", &of_platform));
        }
        series.extend(names.iter().map(|name| line(name, &|row| of(row, name))));
        let head = title(self.problem);
        let title = head.split(", messages of").next().unwrap_or(&head);
        let options = CurveOptions {
            log_x: true,
            ..CurveOptions::default()
        };
        let labels = match self.units() {
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

/// The excess of the time over the bound, as a share of the bound.
fn gap(best: &Timed, row: &Row) -> Rational {
    if row.least.is_zero() {
        return Rational::zero();
    }
    &best.length / &row.least - Rational::from_integer(1.into())
}
