//! `oneport show`: a plan as text or as drawings.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use comfy_table::{Table, presets};
use num_traits::Zero;
use oneport::{Plan, Rational, formats, referee, schedule};

use crate::End;
use crate::arguments::ShowArguments;
use crate::numbers::{readable, readable_count};
use crate::output::{count, print};

/// Longest list printed in full.
const LINES: usize = 40;

/// Runs the command.
pub fn run(arguments: &ShowArguments) -> Result<End> {
    let plan = formats::read_plan(&arguments.plan)?;
    // A drawing of a broken plan would lend it credit.
    referee::check_plan(&plan).with_context(|| format!("{}: violation", arguments.plan.display()))?;
    let mut drawn = false;
    let mut draw = |path: &Option<std::path::PathBuf>, svg: &dyn Fn() -> Result<String>| -> Result<()> {
        if let Some(path) = path {
            write(path, &svg()?)?;
            drawn = true;
        }
        Ok(())
    };
    draw(&arguments.gantt, &|| Ok(formats::svg::gantt(&plan.platform, &plan.collective, &plan.size, &plan.schedule)))?;
    draw(&arguments.graph, &|| {
        Ok(formats::svg::graph(&plan.platform, Some(&plan.steady_state), &plan.collective, &plan.size))
    })?;
    draw(&arguments.timeline, &|| {
        let timeline = schedule::timeline(&plan.platform, &plan.size, &plan.schedule, arguments.periods)?;
        Ok(formats::svg::timeline_gantt(&plan.platform, &plan.collective, &timeline))
    })?;
    if !drawn {
        print(&text(&plan))?;
    }
    Ok(End::Done)
}

fn write(path: &Path, svg: &str) -> Result<()> {
    formats::write_atomically(path, svg.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    print(&path.display().to_string())
}

fn text(plan: &Plan) -> String {
    let mut out = String::new();
    let schedule = &plan.schedule;
    let _ = writeln!(
        out,
        "{}, {} model, message size {}\nthroughput {} ({}), upper bound {}\n",
        plan.collective.name(),
        plan.platform.model(),
        plan.size,
        readable(&plan.steady_state.throughput),
        plan.status.name(),
        readable(&plan.upper_bound),
    );
    let _ = writeln!(
        out,
        "Certificate: an instance takes priced port time of at least (sum of prices) / (upper bound), whatever its paths"
    );
    let _ = writeln!(out, "{}\n", prices(plan));
    let _ = writeln!(out, "Steady state: paths and how often each is taken per unit of time");
    let _ = writeln!(out, "{}\n", patterns(plan));
    let _ = writeln!(
        out,
        "Schedule: period {}, {} per period, {} per unit of time; each hop of a message takes one period, {} at most",
        readable(&schedule.period),
        count(readable_count(&schedule.instances), "instance"),
        readable(&schedule.throughput()),
        count(schedule.depth(), "hop"),
    );
    let _ = writeln!(out, "{}", slots(plan));
    let buffers = schedule::buffers(&plan.platform, schedule);
    if !buffers.is_empty() {
        let shown = buffers
            .iter()
            .take(LINES)
            .map(|(&node, count)| format!("{} {}", plan.platform.name(node), readable_count(count)));
        let more = if buffers.len() > LINES { ", ..." } else { "" };
        let _ = writeln!(
            out,
            "\nBuffers: messages a forwarding node must be able to hold: {}{more}",
            shown.collect::<Vec<_>>().join(", ")
        );
    }
    out
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.to_vec());
    table
}

/// Adds at most [`LINES`] rows and says how many are left out.
fn fill(table: &mut Table, total: usize, rows: impl Iterator<Item = Vec<String>>) -> String {
    for row in rows.take(LINES) {
        table.add_row(row);
    }
    let rest = if total > LINES { format!("\n  ... {} more", total - LINES) } else { String::new() };
    format!("{}{rest}", table.trim_fmt())
}

fn prices(plan: &Plan) -> String {
    let rows = plan.certificate.prices.iter().map(|(resource, price)| {
        vec![plan.platform.name(resource.node()).to_string(), resource.kind().to_string(), readable(price)]
    });
    fill(&mut table(&["node", "port", "price"]), plan.certificate.prices.len(), rows)
}

fn patterns(plan: &Plan) -> String {
    let commodities = plan.collective.commodities();
    let rows = plan.steady_state.patterns.iter().map(|weighted| {
        let mut path = commodities
            .get(weighted.pattern.commodity)
            .map(|commodity| plan.platform.name(commodity.source).to_string())
            .unwrap_or_default();
        for &link in &weighted.pattern.links {
            let _ = write!(path, " -> {}", plan.platform.name(plan.platform.link(link).to));
        }
        vec![readable(&weighted.weight), path]
    });
    fill(&mut table(&["weight", "path"]), plan.steady_state.patterns.len(), rows)
}

fn slots(plan: &Plan) -> String {
    let mut start = Rational::zero();
    let rows = plan.schedule.slots.iter().enumerate().map(|(number, slot)| {
        let links: Vec<String> = slot.links.iter().map(|&link| plan.platform.link_name(link)).collect();
        let from = start.clone();
        start += &slot.length;
        vec![(number + 1).to_string(), readable(&from), readable(&slot.length), links.join(", ")]
    });
    fill(&mut table(&["slot", "start", "length", "busy links"]), plan.schedule.slots.len(), rows)
}
