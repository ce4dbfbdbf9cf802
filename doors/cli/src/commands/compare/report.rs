//! The comparison as text, JSON and a picture.

use std::fmt::Write as _;

use oneport::plan::SteadyState;
use oneport::watch::Limit;
use oneport::{Answer, Bandwidth, Problem, Rational, Shaped, Status};
use oneport_baselines::{Compared, Comparison, EQUAL_RINGS, run_by};
use oneport_drawings::svg::{Part, parts};
use oneport_timing::BestPieces;
use serde_json::{Value, json};

use super::best::{ShapeFound, Times};
use crate::answers::answer::{header, label, title};
use crate::answers::bottleneck::{self, Bottleneck};
use crate::answers::in_network::InNetwork;
use crate::answers::measured::{Measured, WRONG};
use crate::answers::nccl::{Nccl, Rated};
use crate::answers::odd_sets;
use crate::flags::limits::named;
use crate::words::numbers::{Shown, percent, short};
use crate::words::output::count;
use crate::words::tables::{Sheet, plain};
use oneport_questions::KnownLatencies;

/// The data of a report.
pub struct Report<'a> {
    /// The question.
    pub problem: &'a Problem,
    /// The optimum, or the best bound, of the question in its [largest messages](Problem::with_largest_messages).
    pub best: &'a Answer,
    /// The algorithms.
    pub comparison: &'a Comparison,
    /// For a broadcast whose size is not given: the best single tree and acyclic graph, by name.
    pub shapes: Vec<ShapeFound>,
    /// The measured throughput.
    pub measured: Option<Measured>,
    /// NCCL's own model, or why it is not evaluated; `None` where NCCL chooses nothing.
    pub nccl: Option<Result<Nccl, String>>,
    /// The bound with in-network reduction, beside the measurement.
    pub in_network: Option<InNetwork>,
    /// Times of one operation; `None` if its size is not given.
    pub times: Option<Times>,
    /// The latencies of the platform's links, if times are asked for.
    pub latencies: KnownLatencies,
    /// The limit that ended a search, if one has.
    pub ended_by: Option<Limit>,
}

/// An algorithm or a shape, for the table, the chart and `--json`.
struct Entry<'r> {
    name: String,
    /// Its name and description beside its bar, before its rate.
    about: String,
    /// Whether it is the user's.
    own: bool,
    /// Whether it performs what is asked.
    compared: bool,
    throughput: &'r Rational,
    /// One operation of it.
    once: Option<&'r BestPieces>,
    limits: String,
    /// Libraries that run it, and their names for it.
    run_by: Option<&'static str>,
    /// Its own keys in `--json`.
    keys: Value,
}

impl Report<'_> {
    fn bottleneck(&self) -> Bottleneck<'_> {
        bottleneck::of(self.best)
    }

    /// The reference of shares: the optimum, or the upper bound if the optimum is not proved.
    fn whole(&self) -> &'static str {
        match self.best.status() {
            Status::Optimal => "of the optimum",
            Status::Feasible => "of the bound",
        }
    }

    fn share(&self, throughput: &Rational) -> Rational {
        throughput / self.best.bound()
    }

    /// Bus bandwidth; `None` if benchmarks do not count it.
    fn bus(&self, throughput: &Rational) -> Option<String> {
        let units = self.problem.platform().units()?;
        Some(units.show_rate(&Bandwidth::of(self.problem)?.bus(throughput)))
    }

    /// Why the measurement can be above the bound, if it is.
    pub fn impossible(&self) -> Option<String> {
        let (bound, measured) = (self.best.bound(), self.measured.as_ref()?);
        let too_short = || {
            let (times, once) = (self.times.as_ref()?, measured.once.as_ref()?);
            let least = self.shown_time(&times.least);
            (*once < times.least).then(|| {
                format!("no schedule of one operation takes less than {least} (proved): {WRONG}")
            })
        };
        measured.impossible(bound).or_else(too_short)
    }

    /// The bus bandwidth; the frequency, if the bus bandwidth is not defined.
    fn shown_rate(&self, throughput: &Rational) -> String {
        self.bus(throughput)
            .unwrap_or_else(|| Shown::of(self.problem.platform(), false).frequency(throughput))
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let shown = Shown::of(self.problem.platform(), false);
        let bottleneck = self.bottleneck();
        let mut out = header(self.problem);
        let bus = |throughput| {
            self.bus(throughput)
                .map(|bus| format!(", bus {bus}"))
                .unwrap_or_default()
        };
        let (best, bound) = (self.best.patterns(), self.best.bound());
        let _ = match (self.best.status(), best) {
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
            bottleneck
                .lines()
                .iter()
                .for_each(|line| out.extend([line, "\n"]));
        }
        if let Some(measured) = &self.measured {
            let why = self.impossible().map(|why| format!(": {why}"));
            let sentence = self.sentence(measured, &bottleneck);
            let _ = writeln!(out, "measured    {sentence}{}", why.unwrap_or_default());
            if let Some(found) = &self.in_network {
                let bound = self.shown_rate(&found.bound);
                let _ = writeln!(out, "in network  {}", found.sentence(measured, &bound));
            }
        }
        if let Some(times) = &self.times {
            let _ = writeln!(
                out,
                "once        no schedule takes less than {} (proved{}){}",
                self.shown_time(&times.least),
                if self.latencies.are_assumed() {
                    " for the assumed latencies"
                } else {
                    ""
                },
                self.own()
            );
            if let Some(line) = self.latencies.line(self.problem.platform()) {
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
        let unconnected = names(&mut self.comparison.unconnected.iter());
        if !unconnected.is_empty() {
            let _ = writeln!(
                out,
                "left out (they send between unconnected nodes): {unconnected}"
            );
        }
        if self.comparison.rows.is_empty() && self.comparison.out_of_order.is_empty() {
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
        if let Some(limit) = self.ended_by {
            let _ = write!(out, "\n{}: more time or memory may find more", named(limit));
        }
        out
    }

    /// NCCL's pick, and the value of the best of its own algorithms here.
    fn nccl(&self) -> Option<String> {
        let picked = match self.nccl.as_ref()? {
            Ok(nccl) => nccl.sentence()?,
            Err(reason) => format!("its own model is not evaluated: {reason}"),
        };
        let Some((best, value)) = self.best_of_nccl() else {
            return Some(picked);
        };
        let carried = match (&self.nccl, &self.times) {
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
        let mut rows = self.comparison.rows.iter().map(|row| &row.algorithm.name);
        rows.any(|row| *row == name || row.starts_with(&format!("{name} (")))
    }

    /// The best row of NCCL's: by the time of one operation, if there is one, else by the rate.
    fn best_of_nccl(&self) -> Option<(String, String)> {
        let is_nccl =
            |entry: &Entry<'_>| entry.compared && !entry.own && entry.name.starts_with("NCCL ");
        let best = self.entries().into_iter().find(is_nccl)?;
        let value = match best.once {
            Some(once) => self.shown_time(&once.length),
            None => self.shown_rate(best.throughput),
        };
        Some((best.name, value))
    }

    /// The share of the measurement of what an algorithm carries here.
    fn measured_share(&self, throughput: &Rational) -> Option<Rational> {
        let measured = self.measured.as_ref()?;
        Some(&measured.throughput / throughput)
    }

    /// "; 96 % of NCCL Ring (8 channels), which NCCL would pick; 60 % of NCCL Tree (8 channels), the best row".
    fn shares_of_algorithms(&self) -> String {
        let entries = self.entries();
        let picked = self.nccl.as_ref().and_then(|nccl| {
            let nccl = nccl.as_ref().ok()?;
            let pick = nccl.pick()?;
            let is = |entry: &&Entry<'_>| nccl.expects(&entry.name) == Some(pick);
            entries.iter().find(is)
        });
        let most = |one: &&Entry<'_>, other: &&Entry<'_>| one.throughput.cmp(other.throughput);
        let best = entries
            .iter()
            .filter(|entry| entry.compared && !entry.own)
            .max_by(most);
        let named = |entry: Option<&Entry<'_>>, why: &str| -> Option<String> {
            let entry = entry?;
            let share = percent(&self.measured_share(entry.throughput)?);
            Some(format!("; {share} of {}, {why}", entry.name))
        };
        let all = [
            named(picked, "which NCCL would pick"),
            named(best, "the algorithm here that carries most"),
        ];
        all.into_iter().flatten().collect()
    }

    fn sentence(&self, measured: &Measured, bottleneck: &Bottleneck<'_>) -> String {
        let share = percent(&self.share(&measured.throughput));
        let proved = match self.best.status() {
            Status::Optimal => "the proved optimum",
            Status::Feasible => "the proved bound",
        };
        let cut = bottleneck.limiting_names();
        let cut = if cut.is_empty() {
            String::new()
        } else {
            format!("; that is limited by {cut}")
        };
        let once = self.times.as_ref().zip(measured.once.as_ref()).map_or_else(
            String::new,
            |(times, once)| {
                let least = self.shown_time(&times.least);
                format!(
                    "; once, no less than {least} is possible, {} of it",
                    percent(&(&times.least / once))
                )
            },
        );
        let bound = self.shown_rate(self.best.bound());
        format!(
            "your {} is {share} of {proved}, {bound}{cut}{once}{}",
            measured.shown,
            self.shares_of_algorithms()
        )
    }

    /// The algorithms, the ones that need another order, and the shapes.
    fn entries(&self) -> Vec<Entry<'_>> {
        let Comparison {
            rows, out_of_order, ..
        } = self.comparison;
        let once = |place: usize| {
            self.times
                .as_ref()
                .and_then(|times| times.rows.get(place)?.as_ref())
        };
        let mut rows: Vec<Entry<'_>> = rows
            .iter()
            .enumerate()
            .map(|(place, row)| self.algorithm(row, true, once(place)))
            .collect();
        if self.times.is_some() {
            // Rows are sorted by the time of one operation of the given size; rows without a time come last.
            rows.sort_by_key(|entry| {
                let time = entry.once.map(|once| &once.length);
                (time.is_none(), time)
            });
        }
        let rows = rows.into_iter().chain(
            out_of_order
                .iter()
                .map(|row| self.algorithm(row, false, None)),
        );
        rows.chain(self.shapes.iter().map(|found| self.shape(found)))
            .collect()
    }

    fn algorithm<'r>(
        &self,
        row: &'r Compared,
        compared: bool,
        once: Option<&'r BestPieces>,
    ) -> Entry<'r> {
        let (platform, algorithm) = (self.problem.platform(), &row.algorithm);
        let name = match algorithm.ways.links.len() {
            1 if algorithm.name == EQUAL_RINGS => {
                format!("1 {}", EQUAL_RINGS.replace("rings at once", "ring"))
            }
            rings if algorithm.name == EQUAL_RINGS => format!("{rings} {EQUAL_RINGS}"),
            _ => algorithm.name.clone(),
        };
        let limits = match &row.sustained.odd_set {
            Some(set) => set.describe(platform),
            None => bottleneck::summary(platform, &row.sustained.busiest),
        };
        let keys = json!({
            "name": algorithm.name,
            "about": algorithm.about,
            "in_order": row.in_order,
            "limited_by": limits,
            "run_by": run_by(self.problem, &algorithm.name),
            "odd_set": row.sustained.odd_set.as_ref().map(|set| odd_sets::json(platform, set, None)),
        });
        Entry {
            name: if row.listed {
                format!("{name} (yours)")
            } else {
                name
            },
            about: format!("{}: {}, ", algorithm.name, algorithm.about),
            own: row.listed,
            compared,
            throughput: &row.sustained.throughput,
            once,
            limits,
            run_by: (!row.listed)
                .then(|| run_by(self.problem, &algorithm.name))
                .flatten(),
            keys,
        }
    }

    fn shape<'r>(&self, found: &'r ShapeFound) -> Entry<'r> {
        let ShapeFound {
            name,
            shaped,
            limited_by,
        } = found;
        let programs = count(shaped.programs, "program");
        let keys = json!({
            "name": name,
            "about": format!("by branch and bound, a search of {programs} that is not checked"),
            "in_order": true,
            "upper_bound": shaped.upper_bound.to_string(),
            "status": shaped.status.name(),
            "programs": shaped.programs,
            "limited_by": limited_by,
        });
        Entry {
            name: self.proved(name, shaped),
            about: format!("{name}: "),
            own: false,
            compared: true,
            throughput: &shaped.throughput,
            once: None,
            limits: limited_by.clone().unwrap_or_else(|| "unknown".to_string()),
            run_by: None,
            keys,
        }
    }

    /// The rows as a table.
    pub fn table(&self) -> Sheet {
        let rates = self.bus(self.best.bound()).is_some();
        let rate = if rates { "busbw" } else { "throughput" };
        let once: &[&str] = if self.times.is_some() {
            &["one operation", "of the bound"]
        } else {
            &[]
        };
        let cells = |entry: &Entry<'_>| {
            let rate = self
                .bus(entry.throughput)
                .unwrap_or_else(|| short(entry.throughput));
            let mut cells = vec![entry.name.clone()];
            match (&self.times, entry.once) {
                (None, _) => {}
                (Some(_), None) => cells.extend(["-".to_string(), "-".to_string()]),
                (Some(times), Some(once)) => {
                    cells.extend([
                        self.shown_time(&once.length),
                        percent(&(&times.least / &once.length)),
                    ]);
                }
            }
            cells.extend([rate, percent(&self.share(entry.throughput))]);
            if let Some(share) = self.measured_share(entry.throughput) {
                cells.push(percent(&share));
            }
            if let Some(Ok(nccl)) = &self.nccl {
                let expected = nccl.expects(&entry.name);
                cells.push(expected.map_or_else(|| "-".to_string(), gigabytes));
            }
            cells.push(entry.limits.clone());
            cells.push(entry.run_by.unwrap_or("-").to_string());
            cells
        };
        let expects: &[&str] = match self.nccl {
            Some(Ok(_)) => &["NCCL expects"],
            _ => &[],
        };
        let measured: &[&str] = match self.measured {
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
        let own = self.measured.iter().map(|measured| {
            let throughput = &measured.throughput;
            let rate = self.bus(throughput).unwrap_or_else(|| short(throughput));
            let mut cells = vec!["measured".to_string()];
            cells.resize(1 + once.len(), "-".to_string());
            cells.extend([rate, percent(&self.share(throughput))]);
            cells.resize(header.len(), "-".to_string());
            cells
        });
        let entries = self.entries();
        let rows = entries.iter().filter(|entry| entry.compared).map(cells);
        plain(&header, &numbers, rows.chain(own))
    }

    /// The name; if the shape is not proved optimal, also its upper bound.
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
        Shown::of(self.problem.platform(), false).briefly(time)
    }

    /// The time in seconds; without units as it is.
    fn seconds(&self, time: &Rational) -> String {
        Shown::of(self.problem.platform(), false)
            .seconds(time)
            .to_string()
    }

    /// The contract's object.
    pub fn json(&self) -> Value {
        let row = |entry: Entry<'_>| {
            let mut row = entry.keys;
            row["own"] = entry.own.into();
            row["compared"] = entry.compared.into();
            row["throughput"] = entry.throughput.to_string().into();
            row["share"] = self.share(entry.throughput).to_string().into();
            row["share_decimal"] = short(&self.share(entry.throughput)).into();
            row["share_once"] = self
                .times
                .as_ref()
                .zip(entry.once)
                .map(|(times, once)| short(&(&times.least / &once.length)))
                .into();
            row["measured_share"] = self
                .measured_share(entry.throughput)
                .map(|share| short(&share))
                .into();
            row["busbw"] = self.bus(entry.throughput).into();
            row["time"] = entry.once.map(|once| self.seconds(&once.length)).into();
            let expected = self
                .nccl
                .as_ref()
                .and_then(|nccl| nccl.as_ref().ok()?.expects(&entry.name));
            row["nccl_expects"] = expected.map(|rated| rated.json()).into();
            row["pieces"] = entry.once.map(|once| once.pieces).into();
            row
        };
        let measured = self.measured.as_ref().map(|measured| {
            json!({
                "shown": measured.shown,
                "throughput": measured.throughput.to_string(),
                "share": self.share(&measured.throughput).to_string(),
                "possible": self.impossible().is_none(),
                "in_network": self.in_network.as_ref().map(|found| found.json(measured)),
            })
        });
        let own = self.times.as_ref().and_then(|times| times.own.as_ref());
        json!({
            "collective": label(self.problem.collective()),
            "model": self.problem.platform().model().name(),
            "throughput": self.best.patterns().map(|state| state.throughput.to_string()),
            "upper_bound": self.best.bound().to_string(),
            "status": self.best.status().name(),
            "busbw": self.bus(self.best.bound()),
            "rows": self.entries().into_iter().map(row).collect::<Vec<_>>(),
            "measured": measured,
            "nccl": self.nccl.as_ref().map(|nccl| match nccl {
                Ok(nccl) => json!({"pick": nccl.pick().map(Rated::json), "assumed": nccl.assumed}),
                Err(reason) => json!({"pick": null, "reason": reason}),
            }),
            "lower_bound": self.times.as_ref().map(|times| self.seconds(&times.least)),
            "time": own.map(|own| self.seconds(&own.length)),
            "pieces": own.map(|own| own.pieces),
            "latencies": self.times.as_ref().map(|_| self.latencies.json(self.problem.platform())),
            "ended_by": self.ended_by.map(named),
        })
    }

    /// Bars, the longest first.
    pub fn chart(&self) -> String {
        let bound = self.best.bound();
        let bar = |name: String,
                   throughput: &Rational,
                   once: Option<&BestPieces>,
                   about: String,
                   marked: bool| {
            let times = self.times.as_ref();
            let time = once.map_or_else(String::new, |once| {
                format!(", once {}", self.shown_time(&once.length))
            });
            Part {
                name,
                value: throughput.clone(),
                second: times
                    .zip(once)
                    .map(|(times, once)| bound * &times.least / &once.length),
                label: percent(&self.share(throughput)) + &time,
                about,
                marked,
            }
        };
        let mut all = Vec::new();
        if let Some(SteadyState { throughput, .. }) = self.best.patterns() {
            let own = self.times.as_ref().and_then(|times| times.own.as_ref());
            all.push(bar(
                "oneport".to_string(),
                throughput,
                own,
                self.shown_rate(throughput),
                true,
            ));
        }
        all.extend(
            self.entries()
                .into_iter()
                .filter(|entry| entry.compared)
                .map(|entry| {
                    let about = entry.about + &self.shown_rate(entry.throughput);
                    bar(entry.name, entry.throughput, entry.once, about, entry.own)
                }),
        );
        if let Some(measured) = &self.measured {
            let name = "measured".to_string();
            all.push(bar(
                name,
                &measured.throughput,
                None,
                measured.shown.clone(),
                true,
            ));
        }
        let title = title(self.problem);
        let whole = match self.best.status() {
            Status::Optimal => "optimum",
            Status::Feasible => "proved bound",
        };
        let once = self.times.as_ref().map_or_else(String::new, |times| {
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

/// The bus bandwidth that NCCL's model expects, as text.
fn gigabytes(rated: &Rated) -> String {
    format!("{} GB/s", oneport::decimal(&rated.busbw, 4))
}
