//! The comparison as text, JSON and a picture.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use oneport::{Bandwidth, Problem, Rated, Rational, Status};
use oneport_baselines::{Compared, Comparison};
use oneport_drawings::svg::{Part, parts};
use serde_json::{Value, json};

use crate::answer::{header, label};
use crate::bottleneck::{self, Bottleneck};
use crate::measured::Measured;
use crate::numbers::{Shown, percent, short};

/// What is reported.
pub struct Report<'a> {
    /// The question.
    pub problem: Problem<'a>,
    /// The optimum, or the best bound.
    pub rated: &'a Rated,
    /// The algorithms.
    pub comparison: &'a Comparison,
    /// Names of the user's own.
    pub own: &'a [String],
    /// What was measured.
    pub measured: Option<Measured>,
}

impl Report<'_> {
    fn bottleneck(&self) -> Bottleneck {
        bottleneck::of(self.problem, &self.rated.steady_state, &self.rated.certificate, self.rated.status)
    }

    /// What shares are shares of.
    fn whole(&self) -> &'static str {
        match self.rated.status {
            Status::Optimal => "of the optimum",
            Status::Feasible => "of the bound",
        }
    }

    fn share(&self, throughput: &Rational) -> Rational {
        throughput / &self.rated.upper_bound
    }

    /// Bus bandwidth, where benchmarks count it.
    fn bus(&self, throughput: &Rational) -> Option<String> {
        let units = self.problem.platform().units()?;
        Some(units.show_rate(&Bandwidth::of(self.problem)?.bus(throughput)))
    }

    /// Why what was measured cannot be.
    pub fn impossible(&self) -> Option<String> {
        let bound = &self.rated.upper_bound;
        self.measured.as_ref()?.impossible(bound, &self.shown_rate(bound))
    }

    /// The bus bandwidth; the frequency, where there is none.
    fn shown_rate(&self, throughput: &Rational) -> String {
        self.bus(throughput).unwrap_or_else(|| Shown::of(self.problem.platform(), false).frequency(throughput))
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        let shown = Shown::of(self.problem.platform(), false);
        let bottleneck = self.bottleneck();
        let mut out = header(self.problem);
        let bus = |throughput| self.bus(throughput).map(|bus| format!(", bus {bus}")).unwrap_or_default();
        let (best, bound) = (&self.rated.steady_state.throughput, &self.rated.upper_bound);
        let _ = match self.rated.status {
            Status::Optimal => writeln!(out, "optimum     {}{} (proved)", shown.frequency(bound), bus(bound)),
            Status::Feasible => writeln!(
                out,
                "bound       {}{} (proved; the best schedule known attains {} of it)",
                shown.frequency(bound),
                bus(bound),
                percent(&self.share(best)),
            ),
        };
        for line in bottleneck.lines() {
            let _ = writeln!(out, "{line}");
        }
        if let Some(measured) = self.measured.as_ref().filter(|_| self.impossible().is_none()) {
            let _ = writeln!(out, "measured    {}", self.sentence(measured, &bottleneck));
        }
        let _ = writeln!(out, "\n{}", self.table());
        let names = |names: &mut dyn Iterator<Item = &String>| names.map(String::as_str).collect::<Vec<_>>().join(", ");
        let out_of_order = names(&mut self.comparison.out_of_order.iter().map(|row| &row.algorithm.name));
        if !out_of_order.is_empty() {
            let _ =
                writeln!(out, "left out, for they combine operands in another order (--commutative): {out_of_order}");
        }
        let without_way = names(&mut self.comparison.without_way.iter());
        if !without_way.is_empty() {
            let _ = writeln!(out, "left out, for they send where no way leads: {without_way}");
        }
        if self.comparison.rows.is_empty() && self.comparison.out_of_order.is_empty() {
            let _ = writeln!(out, "no algorithm has a name for this; --with FILE rates yours");
        } else {
            out.push_str("messages between nodes that are no neighbours take the cheapest path between them");
        }
        out
    }

    fn sentence(&self, measured: &Measured, bottleneck: &Bottleneck) -> String {
        let share = percent(&self.share(&measured.throughput));
        let proved = match self.rated.status {
            Status::Optimal => "the proved optimum",
            Status::Feasible => "the proved bound",
        };
        let cut = bottleneck.limiting_names();
        let cut = if cut.is_empty() { String::new() } else { format!("; that is limited by {cut}") };
        format!("your {} is {share} of {proved}, {}{cut}", measured.shown, self.shown_rate(&self.rated.upper_bound))
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let rates = self.bus(&self.rated.upper_bound).is_some();
        let rate = if rates { "busbw" } else { "throughput" };
        table.set_header(vec!["algorithm", rate, self.whole(), "limited by"]);
        for row in &self.comparison.rows {
            let throughput = &row.sustained.throughput;
            let rate = self.bus(throughput).unwrap_or_else(|| short(throughput));
            let name = self.name(row);
            table.add_row(vec![name, rate, percent(&self.share(throughput)), self.limits(row)]);
        }
        for column in [1, 2] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn name(&self, row: &Compared) -> String {
        let name = &row.algorithm.name;
        if self.own.contains(name) { format!("{name} (yours)") } else { name.clone() }
    }

    fn limits(&self, row: &Compared) -> String {
        match row.sustained.busiest[..] {
            [] => "odd sets of half-duplex ports".to_string(),
            ref busiest => bottleneck::summary(self.problem.platform(), busiest),
        }
    }

    /// The contract's object.
    pub fn json(&self) -> Value {
        let row = |row: &Compared, compared: bool| {
            let throughput = &row.sustained.throughput;
            json!({
                "name": row.algorithm.name,
                "about": row.algorithm.about,
                "own": self.own.contains(&row.algorithm.name),
                "in_order": row.in_order,
                "compared": compared,
                "throughput": throughput.to_string(),
                "share": self.share(throughput).to_string(),
                "share_decimal": short(&self.share(throughput)),
                "busbw": self.bus(throughput),
                "limited_by": self.limits(row),
            })
        };
        let rows = self.comparison.rows.iter().map(|compared| row(compared, true));
        let rows = rows.chain(self.comparison.out_of_order.iter().map(|left| row(left, false)));
        let measured = self.measured.as_ref().map(|measured| {
            json!({
                "shown": measured.shown,
                "throughput": measured.throughput.to_string(),
                "share": self.share(&measured.throughput).to_string(),
                "possible": self.impossible().is_none(),
            })
        });
        json!({
            "collective": label(self.problem.collective()),
            "model": self.problem.platform().model().name(),
            "throughput": self.rated.steady_state.throughput.to_string(),
            "upper_bound": self.rated.upper_bound.to_string(),
            "status": self.rated.status.name(),
            "busbw": self.bus(&self.rated.upper_bound),
            "rows": rows.collect::<Vec<_>>(),
            "measured": measured,
        })
    }

    /// Bars, the longest first.
    pub fn chart(&self) -> String {
        let bound = &self.rated.upper_bound;
        let bar = |name: String, throughput: &Rational, about: String, marked: bool| Part {
            name,
            value: throughput.clone(),
            label: percent(&self.share(throughput)),
            about,
            marked,
        };
        let best = &self.rated.steady_state.throughput;
        let mut all = vec![bar("oneport".to_string(), best, self.shown_rate(best), true)];
        for row in &self.comparison.rows {
            let throughput = &row.sustained.throughput;
            let about = format!("{}: {}, {}", row.algorithm.name, row.algorithm.about, self.shown_rate(throughput));
            let name = self.name(row);
            all.push(bar(name, throughput, about, self.own.contains(&row.algorithm.name)));
        }
        if let Some(measured) = &self.measured {
            let name = "measured".to_string();
            all.push(bar(name, &measured.throughput, measured.shown.clone(), true));
        }
        let title = header(self.problem);
        let whole = match self.rated.status {
            Status::Optimal => "optimum",
            Status::Feasible => "proved bound",
        };
        parts(title.trim_end(), bound, &format!("{whole}: {}", self.shown_rate(bound)), &all)
    }
}
