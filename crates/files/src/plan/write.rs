//! Writing plan files: one pattern, price or slot a line.

use std::fmt::Write as _;
use std::io;

use oneport_plan::{Amount, Collective, CustomDemand, Member, Plan, Wanted};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_watch::{Limit, Watch};

use super::cells::{link_list, list, name, node_list};
use super::chosen::{self, Chosen};
use super::demand::Demands;
use super::{FORMAT, certificate, pattern};
use crate::amount::{write_amount, write_work};
use crate::native::{quote, write_json_into};

/// Bytes that are handed on at a time.
const PIECE: usize = 1 << 16;

/// The plan as a self-contained JSON file, linear in the plan.
///
/// [`plan_from_json`](crate::plan_from_json) reads the same plan back, provided that it refers to its own platform
/// and collective only, and gives merges the work 1 if nothing is merged. An id that does not exist there is written
/// as `null`, which the reader refuses.
pub fn plan_to_json(plan: Plan<'_>) -> String {
    let mut text = Vec::new();
    // A list of bytes takes everything.
    let _ = write_plan(plan, &mut text, &Watch::unlimited());
    String::from_utf8(text).unwrap_or_default()
}

/// [`plan_to_json`] piece by piece, so that the text of a large plan is never held as a whole. The watch is asked
/// before every pattern and slot.
///
/// # Errors
/// The errors of the writer. An error of [`ErrorKind::Other`](io::ErrorKind::Other) that names the limit if the watch
/// ends the work.
pub fn write_plan(plan: Plan<'_>, to: &mut dyn io::Write, watch: &Watch) -> io::Result<()> {
    write_chosen_plan(plan, None, to, watch)
}

/// [`write_plan`], of a plan whose links a search chose.
///
/// # Errors
/// Those of [`write_plan`].
pub fn write_chosen_plan(
    plan: Plan<'_>,
    chosen: Option<&Chosen>,
    to: &mut dyn io::Write,
    watch: &Watch,
) -> io::Result<()> {
    let mut out = String::new();
    let platform = plan.platform();
    let _ = writeln!(out, "{{\n  \"format\": {},", quote(FORMAT));
    if let Some(chosen) = chosen {
        chosen::write(&mut out, chosen);
    }
    out.push_str("  \"collective\": ");
    collective(&mut out, platform, plan.collective());
    out.push_str(",\n");
    let _ = writeln!(out, "  \"model\": {},", quote(platform.model().name()));
    amount(&mut out, "size", &plan.problem.volumes().size);
    if plan.collective().combines() {
        work(&mut out, &plan.problem.volumes().work, plan.platform());
    }
    let _ = writeln!(out, "  \"status\": {},", quote(plan.status.name()));
    let _ = writeln!(
        out,
        "  \"throughput\": \"{}\",",
        plan.steady_state.throughput
    );
    let _ = writeln!(out, "  \"upper_bound\": \"{}\",", plan.upper_bound);
    certificate::write(&mut out, plan);
    let demands = Demands::new(plan.collective());
    let mut sink = Sink { out, to, watch };
    sink.list(
        "  ",
        "patterns",
        &plan.steady_state.patterns,
        |out, weighted| {
            pattern::write(out, platform, &demands, &weighted.pattern);
            let _ = write!(out, ", \"weight\": \"{}\"", weighted.weight);
        },
    )?;
    let schedule = plan.schedule;
    let _ = writeln!(
        sink.out,
        ",\n  \"schedule\": {{\n    \"period\": \"{}\",",
        schedule.period
    );
    let _ = writeln!(sink.out, "    \"instances\": \"{}\",", schedule.instances);
    sink.list("    ", "patterns", &schedule.patterns, |out, scheduled| {
        pattern::write(out, platform, &demands, &scheduled.pattern);
        let _ = write!(out, ", \"copies\": \"{}\"", scheduled.copies);
    })?;
    sink.out.push_str(",\n");
    sink.list("    ", "slots", &schedule.slots, |out, slot| {
        let _ = write!(out, "\"length\": \"{}\", ", slot.length);
        link_list(out, &slot.links);
        if !slot.shares.is_empty() {
            let share = |(link, share): &(LinkId, Rational)| {
                format!("{{\"link\": {link}, \"share\": \"{share}\"}}")
            };
            let shares: Vec<String> = slot.shares.iter().map(share).collect();
            let _ = write!(out, ", \"shares\": [{}]", shares.join(", "));
        }
    })?;
    sink.out.push_str("\n  },\n  \"platform\": ");
    write_json_into(&mut sink.out, platform, "  ", false);
    sink.out.push_str("\n}\n");
    sink.to.write_all(sink.out.as_bytes())
}

/// Text that is passed to a writer in parts.
struct Sink<'s> {
    out: String,
    to: &'s mut dyn io::Write,
    watch: &'s Watch,
}

impl Sink<'_> {
    /// A long list of objects, one a line.
    fn list<T>(
        &mut self,
        indent: &str,
        name: &str,
        entries: &[T],
        entry: impl Fn(&mut String, &T),
    ) -> io::Result<()> {
        let mut refused = Ok(());
        list(&mut self.out, indent, name, entries, |out, value| {
            if refused.is_ok() {
                entry(out, value);
                refused = self.watch.ask().map_err(ended);
            }
            if refused.is_ok() && out.len() >= PIECE {
                refused = self.to.write_all(out.as_bytes());
                out.clear();
            }
        });
        refused
    }
}

fn ended(limit: Limit) -> io::Error {
    io::Error::other(format!("{limit} ended the writing; allow more"))
}

pub(super) fn collective(out: &mut String, platform: &Platform, collective: &Collective) {
    let _ = write!(out, "{{\"name\": {}, ", quote(collective.name()));
    let Some(form) = collective.form() else {
        return listed(out, platform, collective);
    };
    for (index, (role, nodes)) in form.roles.iter().zip(collective.cast()).enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        match nodes {
            &[node] if !role.many => _ = write!(out, "\"{}\": {}", role.key, name(platform, node)),
            nodes => node_list(out, platform, role.key, nodes),
        }
    }
    if form.may_keep_order() {
        let _ = write!(out, ", \"commutative\": {}", collective.is_commutative());
    }
    if let Some(counts) = collective.counts() {
        let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
        let _ = write!(out, ", \"counts\": [{}]", counts.join(", "));
    }
    out.push('}');
}

/// The rest of groups or custom demands.
fn listed(out: &mut String, platform: &Platform, collective: &Collective) {
    match collective.custom() {
        [] => groups(out, platform, collective.members()),
        custom => demands(out, platform, custom),
    }
}

/// The rest of custom demands, one a line.
fn demands(out: &mut String, platform: &Platform, demands: &[CustomDemand]) {
    out.push_str("\"demands\": [");
    for (index, demand) in demands.iter().enumerate() {
        let _ = write!(
            out,
            "{}\n    {{\"rate\": \"{}\", ",
            if index == 0 { "" } else { "," },
            demand.rate
        );
        node_list(out, platform, "values", &demand.owners);
        match &demand.wanted {
            Wanted::Prefixes => out.push_str(", \"prefixes\": true"),
            Wanted::At(nodes) => {
                out.push_str(", ");
                node_list(out, platform, "wanted", nodes);
            }
        }
        let _ = write!(out, ", \"commutative\": {}}}", demand.commutative);
    }
    out.push_str("\n  ]}");
}

/// The rest of a list of groups, one a line.
fn groups(out: &mut String, platform: &Platform, members: &[Member]) {
    out.push_str("\"members\": [");
    for (index, member) in members.iter().enumerate() {
        let _ = write!(
            out,
            "{}\n    {{\"rate\": \"{}\", ",
            if index == 0 { "" } else { "," },
            member.rate
        );
        out.push_str("\"collective\": ");
        collective(out, platform, &member.collective);
        out.push('}');
    }
    out.push_str("\n  ]}");
}

pub(super) fn work(out: &mut String, work: &Amount, platform: &Platform) {
    out.push_str("  \"work\": ");
    write_work(out, work, platform);
    out.push_str(",\n");
}

pub(super) fn amount(out: &mut String, key: &str, amount: &Amount) {
    let _ = write!(out, "  \"{key}\": ");
    write_amount(out, amount);
    out.push_str(",\n");
}
