//! Writing plan files: one pattern, price or slot a line.

use std::fmt::Write as _;

use oneport_plan::{Amount, Collective, Pattern, Plan};
use oneport_platform::{LinkId, NodeId, Platform};

use super::FORMAT;
use super::commodity::Commodities;
use super::tree;
use crate::amount::write_amount;
use crate::native::{quote, write_json_into};

/// The plan as a self-contained JSON file, linear in the plan.
///
/// [`plan_from_json`](crate::plan_from_json) reads the same plan back, provided that it refers to its own platform
/// and collective only, and gives merges the work 1 where nothing is merged; an id that does not exist there is written as `null`, which the reader refuses.
pub fn plan_to_json(plan: &Plan) -> String {
    let mut out = String::new();
    let platform = &plan.platform;
    let _ = writeln!(out, "{{\n  \"format\": {},", quote(FORMAT));
    collective(&mut out, platform, &plan.collective);
    let _ = writeln!(out, "  \"model\": {},", quote(platform.model().name()));
    amount(&mut out, "size", &plan.volumes.size);
    if plan.collective.operands().is_some() {
        amount(&mut out, "work", &plan.volumes.work);
    }
    let _ = writeln!(out, "  \"status\": {},", quote(plan.status.name()));
    let _ = writeln!(out, "  \"throughput\": \"{}\",", plan.steady_state.throughput);
    let _ = writeln!(out, "  \"upper_bound\": \"{}\",", plan.upper_bound);
    let commodities = Commodities::new(&plan.collective);
    list(&mut out, "  ", "certificate", &plan.certificate.prices, |out, (resource, price)| {
        let node = name(platform, resource.node());
        let _ = write!(out, "\"resource\": {}, \"node\": {node}, \"price\": \"{price}\"", quote(resource.kind()));
    });
    out.push_str(",\n");
    list(&mut out, "  ", "patterns", &plan.steady_state.patterns, |out, weighted| {
        pattern(out, plan, &commodities, &weighted.pattern);
        let _ = write!(out, ", \"weight\": \"{}\"", weighted.weight);
    });
    let schedule = &plan.schedule;
    let _ = writeln!(out, ",\n  \"schedule\": {{\n    \"period\": \"{}\",", schedule.period);
    let _ = writeln!(out, "    \"instances\": \"{}\",", schedule.instances);
    list(&mut out, "    ", "patterns", &schedule.patterns, |out, scheduled| {
        pattern(out, plan, &commodities, &scheduled.pattern);
        let _ = write!(out, ", \"copies\": \"{}\"", scheduled.copies);
    });
    out.push_str(",\n");
    list(&mut out, "    ", "slots", &schedule.slots, |out, slot| {
        let _ = write!(out, "\"length\": \"{}\", ", slot.length);
        links(out, &slot.links);
    });
    out.push_str("\n  },\n  \"platform\": ");
    write_json_into(&mut out, platform, "  ", false);
    out.push_str("\n}\n");
    out
}

fn collective(out: &mut String, platform: &Platform, collective: &Collective) {
    let _ = write!(out, "  \"collective\": {{\"name\": {}", quote(collective.name()));
    let (centre, role, members) = match collective {
        Collective::Scatter { source, targets } => (Some(("source", *source)), "targets", targets),
        Collective::Gather { target, participants } => (Some(("target", *target)), "participants", participants),
        Collective::Reduce { target, participants, .. } => (Some(("target", *target)), "participants", participants),
        Collective::AllToAll { participants } | Collective::ReduceScatter { participants, .. } => {
            (None, "participants", participants)
        }
    };
    if let Some((role, node)) = centre {
        let _ = write!(out, ", \"{role}\": {}", name(platform, node));
    }
    let names: Vec<String> = members.iter().map(|&node| name(platform, node)).collect();
    let _ = write!(out, ", \"{role}\": [{}]", names.join(", "));
    if collective.operands().is_some() {
        let _ = write!(out, ", \"commutative\": {}", collective.is_commutative());
    }
    out.push_str("},\n");
}

fn amount(out: &mut String, key: &str, amount: &Amount) {
    let _ = write!(out, "  \"{key}\": ");
    write_amount(out, amount);
    out.push_str(",\n");
}

fn list<T>(out: &mut String, indent: &str, name: &str, entries: &[T], mut entry: impl FnMut(&mut String, &T)) {
    let _ = write!(out, "{indent}\"{name}\": [");
    for (index, value) in entries.iter().enumerate() {
        let _ = write!(out, "{}\n{indent}  {{", if index == 0 { "" } else { "," });
        entry(out, value);
        out.push('}');
    }
    let _ = write!(out, "\n{indent}]");
}

fn pattern(out: &mut String, plan: &Plan, commodities: &Commodities<'_>, pattern: &Pattern) {
    let platform = &plan.platform;
    let path = match pattern {
        Pattern::Reduction(tree) => return tree::write(out, platform, &plan.collective, tree),
        Pattern::Path(path) => path,
    };
    let (from, to) = match commodities.get(path.commodity) {
        Some(commodity) => (name(platform, commodity.source), name(platform, commodity.target)),
        None => ("null".to_string(), "null".to_string()),
    };
    let _ = write!(out, "\"from\": {from}, \"to\": {to}, ");
    links(out, &path.links);
}

fn links(out: &mut String, links: &[LinkId]) {
    out.push_str("\"links\": [");
    for (index, link) in links.iter().enumerate() {
        let _ = write!(out, "{}{link}", if index == 0 { "" } else { "," });
    }
    out.push(']');
}

/// The node's name in quotes, `null` for a node of nowhere.
pub(super) fn name(platform: &Platform, node: NodeId) -> String {
    platform.nodes().get(node.index()).map_or_else(|| "null".to_string(), |node| quote(&node.name))
}
