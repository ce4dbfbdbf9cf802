//! The comparison as text, JSON and a picture.

use std::fmt::Write as _;

use oneport::plan::SteadyState;
use oneport::{Rational, Shaped, Status};
use oneport_drawings::svg::{Part, parts};
use oneport_questions::compare::{CompareAnswer, Entry, Origin};
use oneport_questions::measured::{Measured, WRONG};
use oneport_questions::nccl::Rated;
use serde_json::{Value, json};

use crate::answers::answer::{header, label, title};
use crate::answers::bottleneck::{self, Bottleneck};
use crate::flags::limits::named;
use crate::words::numbers::{Shown, percent, short};
use crate::words::output::count;
use crate::words::tables::{Sheet, plain};

/// The comparison in words.
pub struct Report<'a> {
    answer: &'a CompareAnswer,
    /// The rows, as [`CompareAnswer::entries`].
    entries: Vec<Entry<'a>>,
}

impl<'a> Report<'a> {
    /// The comparison of an answer.
    pub fn of(answer: &'a CompareAnswer) -> Self {
        Report {
            answer,
            entries: answer.entries(),
        }
    }
}

impl Report<'_> {
    fn bottleneck(&self) -> Bottleneck<'_> {
        bottleneck::of(&self.answer.best)
    }

    /// The reference of shares: the optimum, or the upper bound if the optimum is not proved.
    fn whole(&self) -> &'static str {
        match self.answer.best.status() {
            Status::Optimal => "of the optimum",
            Status::Feasible => "of the bound",
        }
    }

    fn share(&self, throughput: &Rational) -> Rational {
        self.answer.share(throughput)
    }

    /// Bus bandwidth; `None` if benchmarks do not count it.
    fn bus(&self, throughput: &Rational) -> Option<String> {
        let (units, rate) = self.answer.bus(throughput)?;
        Some(units.show_rate(&rate))
    }

    /// The reason for which the measurement is beyond a bound, if it is.
    fn impossible(&self) -> Option<String> {
        if self.answer.is_above_bound() {
            return Some(WRONG.to_string());
        }
        let times = self.answer.times.as_ref();
        let least = self.shown_time(&times.filter(|_| self.answer.is_too_short())?.least);
        Some(format!(
            "no schedule of one operation takes less than {least} (proved): {WRONG}"
        ))
    }

    /// The bus bandwidth; the frequency, if the bus bandwidth is not defined.
    fn shown_rate(&self, throughput: &Rational) -> String {
        self.bus(throughput).unwrap_or_else(|| {
            Shown::of(self.answer.problem.platform(), false).frequency(throughput)
        })
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let shown = Shown::of(self.answer.problem.platform(), false);
        let bottleneck = self.bottleneck();
        let mut out = header(&self.answer.problem);
        let bus = |throughput| {
            self.bus(throughput)
                .map(|bus| format!(", bus {bus}"))
                .unwrap_or_default()
        };
        let (best, bound) = (self.answer.best.patterns(), self.answer.best.bound());
        let _ = match (self.answer.best.status(), best) {
            (Status::Optimal, _) => writeln!(
                out,
                "optimum     {}{} (proved)",
                shown.frequency(bound),
                bus(bound)
            ),
            (Status::Feasible, None) => writeln!(
                out,
                "bound       {}{} (proved; above the default size of a search for a schedule; use --time-limit S)",
                shown.frequency(bound),
                bus(bound),
            ),
            (Status::Feasible, Some(best)) => writeln!(
                out,
                "bound       {}{} (proved; the best schedule known attains {} of it)",
                shown.frequency(bound),
                bus(bound),
                percent(&self.share(&best.throughput)),
            ),
        };
        if best.is_some() {
            for line in bottleneck.lines() {
                let _ = writeln!(out, "{line}");
            }
        }
        if let Some(measured) = &self.answer.measured {
            let why = self.impossible().map(|why| format!(": {why}"));
            let sentence = self.sentence(measured, &bottleneck);
            let _ = writeln!(out, "measured    {sentence}{}", why.unwrap_or_default());
            if let Some(found) = &self.answer.in_network {
                let bound = self.shown_rate(&found.bound);
                let _ = writeln!(out, "in network  {}", found.sentence(measured, &bound));
            }
        }
        if let Some(times) = &self.answer.times {
            let _ = writeln!(
                out,
                "once        no schedule takes less than {} (proved{}){}",
                self.shown_time(&times.least),
                if self.answer.latencies.are_assumed() {
                    " for the assumed latencies"
                } else {
                    ""
                },
                self.own()
            );
            if let Some(line) = self.answer.latencies.line(self.answer.problem.platform()) {
                let _ = writeln!(out, "            {line}");
            }
        }
        if let Some(line) = self.nccl() {
            let _ = writeln!(out, "NCCL        {line}");
        }
        let _ = writeln!(out, "\n{}", self.table());
        let names = |names: &mut dyn Iterator<Item = &String>| {
            names.map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        let out_of_order = names(
            &mut self
                .answer
                .comparison
                .out_of_order
                .iter()
                .map(|row| &row.algorithm.name),
        );
        if !out_of_order.is_empty() {
            let _ = writeln!(
                out,
                "left out (they combine operands in another order; leave --in-order out): {out_of_order}"
            );
        }
        let unconnected = names(&mut self.answer.comparison.unconnected.iter());
        if !unconnected.is_empty() {
            let _ = writeln!(
                out,
                "left out (they send between unconnected nodes): {unconnected}"
            );
        }
        if self.answer.comparison.rows.is_empty() && self.answer.comparison.out_of_order.is_empty()
        {
            let _ = writeln!(
                out,
                "no algorithm has a name for this; --with FILE rates yours"
            );
        } else {
            out.push_str(
                "messages between nodes that are not neighbours take the cheapest path; of equally cheap ones, \
                 senders take turns or all take the first, as sustains more; run by -: no library that is known runs it",
            );
        }
        if let Some(limit) = self.answer.ended_by {
            let _ = write!(out, "\n{}: more time or memory may find more", named(limit));
        }
        out
    }

    /// NCCL's pick, and the value of the best of its own algorithms here.
    fn nccl(&self) -> Option<String> {
        let picked = match self.answer.nccl.as_ref()? {
            Ok(nccl) => nccl.sentence()?,
            Err(reason) => format!("its own model is not evaluated: {reason}"),
        };
        let Some((best, value)) = self.best_of_nccl() else {
            return Some(picked);
        };
        let carried = match (&self.answer.nccl, &self.answer.times) {
            (Some(Ok(nccl)), _)
                if nccl.can_have_a_row() && nccl.pick().is_some_and(|pick| !self.has_row(pick)) =>
            {
                "; no row here is that one"
            }
            _ => "",
        };
        Some(format!(
            "{picked}{carried}\n            the best schedule of its own algorithms here: {best}, {value}"
        ))
    }

    /// Whether a row is this algorithm.
    fn has_row(&self, rated: &Rated) -> bool {
        let name = format!("NCCL {}", rated.algorithm);
        let mut rows = self
            .answer
            .comparison
            .rows
            .iter()
            .map(|row| &row.algorithm.name);
        rows.any(|row| *row == name || row.starts_with(&format!("{name} (")))
    }

    /// The best row of NCCL's: by the time of one operation, if there is one, else by the rate.
    fn best_of_nccl(&self) -> Option<(String, String)> {
        let is_nccl = |entry: &&Entry<'_>| is_rival(entry) && entry.name().starts_with("NCCL ");
        let best = self.entries.iter().find(is_nccl)?;
        let value = match best.once {
            Some(once) => self.shown_time(&once.length),
            None => self.shown_rate(best.throughput()),
        };
        Some((best.title.clone(), value))
    }

    /// "; 96 % of NCCL Ring (8 channels), which NCCL would pick; 60 % of NCCL Tree (8 channels), the best row".
    fn shares_of_algorithms(&self) -> String {
        let picked = self.answer.nccl.as_ref().and_then(|nccl| {
            let nccl = nccl.as_ref().ok()?;
            let pick = nccl.pick()?;
            let is_pick = |entry: &&Entry<'_>| nccl.expects(entry.name()) == Some(pick);
            self.entries.iter().find(is_pick)
        });
        let rivals = self.entries.iter().filter(|entry| is_rival(entry));
        let best = rivals.max_by(|one, other| one.throughput().cmp(other.throughput()));
        let named = |entry: Option<&Entry<'_>>, why: &str| -> Option<String> {
            let entry = entry?;
            let share = percent(&self.answer.measured_share(entry.throughput())?);
            Some(format!("; {share} of {}, {why}", self.title(entry)))
        };
        let all = [
            named(picked, "which NCCL would pick"),
            named(best, "the algorithm here that carries most"),
        ];
        all.into_iter().flatten().collect()
    }

    fn sentence(&self, measured: &Measured, bottleneck: &Bottleneck<'_>) -> String {
        let share = percent(&self.share(&measured.throughput));
        let proved = match self.answer.best.status() {
            Status::Optimal => "the proved optimum",
            Status::Feasible => "the proved bound",
        };
        let cut = bottleneck.limiting_names();
        let cut = if cut.is_empty() {
            String::new()
        } else {
            format!("; that is limited by {cut}")
        };
        let once = self
            .answer
            .times
            .as_ref()
            .zip(measured.once.as_ref())
            .map_or_else(String::new, |(times, once)| {
                let least = self.shown_time(&times.least);
                format!(
                    "; once, no less than {least} is possible, {} of it",
                    percent(&(&times.least / once))
                )
            });
        let bound = self.shown_rate(self.answer.best.bound());
        format!(
            "your {} is {share} of {proved}, {bound}{cut}{once}{}",
            measured.shown,
            self.shares_of_algorithms()
        )
    }

    /// The rows as a table.
    pub fn table(&self) -> Sheet {
        let rates = self.bus(self.answer.best.bound()).is_some();
        let rate = if rates { "busbw" } else { "throughput" };
        let once: &[&str] = if self.answer.times.is_some() {
            &["one operation", "of the bound"]
        } else {
            &[]
        };
        let cells = |entry: &Entry<'_>| {
            let throughput = entry.throughput();
            let rate = self.bus(throughput).unwrap_or_else(|| short(throughput));
            let mut cells = vec![self.title(entry)];
            match (&self.answer.times, entry.once) {
                (None, _) => {}
                (Some(_), None) => cells.extend(["-".to_string(), "-".to_string()]),
                (Some(times), Some(once)) => {
                    cells.extend([
                        self.shown_time(&once.length),
                        percent(&(&times.least / &once.length)),
                    ]);
                }
            }
            cells.extend([rate, percent(&self.share(throughput))]);
            if let Some(share) = self.answer.measured_share(throughput) {
                cells.push(percent(&share));
            }
            if let Some(Ok(nccl)) = &self.answer.nccl {
                let expected = nccl.expects(entry.name());
                cells.push(expected.map_or_else(|| "-".to_string(), gigabytes));
            }
            let limits = entry.limited_by.as_deref().unwrap_or("unknown");
            cells.push(limits.to_string());
            let run_by = entry.run_by.filter(|_| !entry.is_own());
            cells.push(run_by.unwrap_or("-").to_string());
            cells
        };
        let expects: &[&str] = match self.answer.nccl {
            Some(Ok(_)) => &["NCCL expects"],
            _ => &[],
        };
        let measured: &[&str] = match self.answer.measured {
            Some(_) => &["measured"],
            None => &[],
        };
        let header = [
            &["algorithm"],
            once,
            &[rate, self.whole()],
            measured,
            expects,
            &["limited by", "run by"],
        ]
        .concat();
        let numbers: Vec<usize> = (1..3 + once.len() + measured.len() + expects.len()).collect();
        let own = self.answer.measured.iter().map(|measured| {
            let throughput = &measured.throughput;
            let rate = self.bus(throughput).unwrap_or_else(|| short(throughput));
            let mut cells = vec!["measured".to_string()];
            cells.resize(1 + once.len(), "-".to_string());
            cells.extend([rate, percent(&self.share(throughput))]);
            cells.resize(header.len(), "-".to_string());
            cells
        });
        let rows = self.entries.iter().filter(|entry| entry.compared);
        let rows = rows.map(cells);
        plain(&header, &numbers, rows.chain(own))
    }

    /// The name of a row. A shape that is not proved optimal has its upper bound beside its name.
    fn title(&self, entry: &Entry<'_>) -> String {
        match entry.origin {
            Origin::Algorithm(_) => entry.title.clone(),
            Origin::Shape(found) => self.proved(found.name, &found.shaped),
        }
    }

    fn proved(&self, name: &str, shaped: &Shaped) -> String {
        let programs = count(shaped.programs, "program");
        match shaped.status {
            Status::Optimal => format!("{name} (a search of {programs})"),
            Status::Feasible => format!(
                "{name} (a search of {programs} that was ended; none above {})",
                percent(&self.share(&shaped.upper_bound))
            ),
        }
    }

    /// The time of our own best run.
    fn own(&self) -> String {
        let own = self
            .answer
            .times
            .as_ref()
            .and_then(|times| Some((&times.least, times.own.as_ref()?)));
        own.map_or_else(String::new, |(least, own)| {
            let time = self.shown_time(&own.length);
            let pieces = if own.pieces == 1 {
                "one piece".to_string()
            } else {
                format!("{} pieces", own.pieces)
            };
            let share = percent(&(least / &own.length));
            format!("; oneport's own in {pieces} takes {time}, the bound is {share} of it")
        })
    }

    /// A time as text.
    fn shown_time(&self, time: &Rational) -> String {
        Shown::of(self.answer.problem.platform(), false).briefly(time)
    }

    /// The contract's object.
    pub fn json(&self) -> Value {
        let (answer, problem) = (self.answer, &self.answer.problem);
        let mut object = json!(answer.numbers());
        let found = answer.best.patterns();
        object["collective"] = label(problem.collective()).into();
        object["model"] = problem.platform().model().name().into();
        object["throughput"] = found.map(|state| state.throughput.to_string()).into();
        object["status"] = answer.best.status().name().into();
        object["busbw"] = self.bus(answer.best.bound()).into();
        object["ended_by"] = answer.ended_by.map(named).into();
        let rows = object["rows"].as_array_mut().into_iter().flatten();
        for (row, entry) in rows.zip(&self.entries) {
            let throughput = entry.throughput();
            let times = answer.times.as_ref().zip(entry.once);
            let once = times.map(|(times, once)| &times.least / &once.length);
            row["busbw"] = self.bus(throughput).into();
            row["share_decimal"] = short(&self.share(throughput)).into();
            row["share_once"] = once.map(|share| short(&share)).into();
            let measured = answer.measured_share(throughput);
            row["measured_share"] = measured.map(|share| short(&share)).into();
        }
        object
    }

    /// A bar of the chart. `time` is the time of one operation.
    fn bar(&self, name: String, throughput: &Rational, time: Option<&Rational>) -> Part {
        let bound = self.answer.best.bound();
        let times = self.answer.times.as_ref().zip(time);
        let once = time.map_or_else(String::new, |time| {
            format!(", once {}", self.shown_time(time))
        });
        Part {
            name,
            value: throughput.clone(),
            second: times.map(|(times, time)| bound * &times.least / time),
            label: percent(&self.share(throughput)) + &once,
            about: self.shown_rate(throughput),
            marked: true,
        }
    }

    /// The bar of an algorithm or a shape.
    fn bar_of(&self, entry: &Entry<'_>) -> Part {
        let about = match entry.origin {
            Origin::Algorithm(row) => {
                format!("{}: {}, ", row.algorithm.name, row.algorithm.about)
            }
            Origin::Shape(found) => format!("{}: ", found.name),
        };
        let throughput = entry.throughput();
        let time = entry.once.map(|once| &once.length);
        Part {
            about: about + &self.shown_rate(throughput),
            marked: entry.is_own(),
            ..self.bar(self.title(entry), throughput, time)
        }
    }

    /// Bars, the longest first.
    pub fn chart(&self) -> String {
        let bound = self.answer.best.bound();
        let mut all = Vec::new();
        if let Some(SteadyState { throughput, .. }) = self.answer.best.patterns() {
            let times = self.answer.times.as_ref();
            let own = times.and_then(|times| Some(&times.own.as_ref()?.length));
            all.push(self.bar("oneport".to_string(), throughput, own));
        }
        let compared = self.entries.iter().filter(|entry| entry.compared);
        all.extend(compared.map(|entry| self.bar_of(entry)));
        if let Some(measured) = &self.answer.measured {
            all.push(Part {
                about: measured.shown.clone(),
                ..self.bar("measured".to_string(), &measured.throughput, None)
            });
        }
        let title = title(&self.answer.problem);
        let whole = match self.answer.best.status() {
            Status::Optimal => "optimum",
            Status::Feasible => "proved bound",
        };
        let once = self
            .answer
            .times
            .as_ref()
            .map_or_else(String::new, |times| {
                format!(
                    " (wide bars: throughput); no less than {} once (narrow bars)",
                    self.shown_time(&times.least)
                )
            });
        parts(
            &title,
            bound,
            &format!("{whole}: {}{once}", self.shown_rate(bound)),
            &all,
        )
    }
}

/// Whether a row is an algorithm or a shape that performs the collective, and not the user's.
fn is_rival(entry: &Entry<'_>) -> bool {
    entry.compared && !entry.is_own()
}

/// The bus bandwidth that NCCL's model expects, as text.
fn gigabytes(rated: &Rated) -> String {
    format!("{} GB/s", oneport::decimal(&rated.busbw, 4))
}
