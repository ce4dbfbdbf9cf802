//! Changes in words: `tor* -> core: bandwidth x2`.
//!
//! ```text
//! change    = target ":" operation
//! target    = node | node "->" node | node "<->" node | "shared" "'" name "'"   (a name, or a pattern with *)
//! operation = "remove"
//!           | ("bandwidth" | "cost" | "compute") ("x" factor | "/" divisor | "=" value)
//!           | "ports" "=" number | "model" "=" model | "replicates" "=" ("true" | "false")
//!           | "reduces" "=" ("true" | "false" | value)            (true: in no time; a value: the time of a merge)
//! value     = number | number unit                               (a unit, as 25 GB/s, where the platform has units)
//! ```

use num_traits::{Signed, Zero};
use oneport::platform::{Change, Changed, LinkId, Number, Pattern, PatternError, SharedId};
use oneport::units::{Dimension, Quantity};
use oneport::{NodeId, Platform, PortModel, Rational, Units, files, parse_rational};

use crate::error::{Result, unfit, usage};
use crate::words::few;

/// The platform of this file after the changes, with the new ids of its nodes and links.
///
/// # Errors
/// Those of [`changes`]. Without changes, those of [`check_ports`].
pub fn apply(file: &str, platform: &Platform, texts: &[String]) -> Result<Option<Changed>> {
    if texts.is_empty() {
        check_ports(file, platform)?;
        return Ok(None);
    }
    let all = changes(platform, texts)?;
    Ok(Some(platform.changed(&all)?))
}

/// Checks that no link with a shared capacity ends at a node with ports, after models and changes.
///
/// # Errors
/// The file, the link and the node, and the option that states the model.
pub fn check_ports(file: &str, platform: &Platform) -> Result<()> {
    let hint = |error| {
        unfit(format!(
            "{file}: {error}; model = \"links\" at the head of the file, or --model links, says so for all nodes without a model"
        ))
    };
    platform.check_shared().map_err(hint)
}

/// Limit on the names that a message lists.
const LISTED: usize = 8;

/// The operation on each link or node that a change names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Operation {
    Cost(Number),
    Compute(Number),
    Ports(u32),
    Model(PortModel),
    Reduces(Option<Rational>),
    Replicates(bool),
    Remove,
}

/// The links or nodes that a change names.
enum Targets {
    Links(Vec<LinkId>),
    Nodes(Vec<NodeId>),
    Shared(Vec<SharedId>),
}

/// Parses changes for a platform and returns them in the given order.
///
/// # Errors
/// A usage error that quotes the change and names a right one.
pub fn changes(platform: &Platform, texts: &[String]) -> Result<Vec<Change>> {
    let mut all = Vec::new();
    for text in texts {
        let wrong = |what: String| usage(format!("--change '{text}': {what}"));
        let more = change(platform, &all, text).map_err(wrong)?;
        all.extend(more);
    }
    let changed = platform
        .changed(&all)
        .map_err(|error| usage(format!("--change: {error}")))?;
    for change in &all {
        if let Change::Ports(node, _) = change
            && let Some(new) = changed.nodes[*node]
            && changed.platform.model_of(new) != PortModel::Multiport
        {
            let (name, model) = (platform.name(*node), changed.platform.model_of(new));
            return Err(usage(format!(
                "--change: '{name}' is {model}, where ports count for nothing; add --change '{name}: model = multiport'"
            )));
        }
    }
    Ok(all)
}

/// The changes of one text, after those `before` it.
fn change(platform: &Platform, before: &[Change], text: &str) -> Result<Vec<Change>, String> {
    let (target, operation) = text.rsplit_once(':').ok_or(
        "no ':' between what is changed and how; write 'A -> B: bandwidth x2' or 'A: compute x1/2'",
    )?;
    let operation = self::operation(operation.trim(), platform.units())?;
    match (targets(platform, target.trim())?, operation) {
        (Targets::Links(links), Operation::Cost(number)) => costs(platform, before, links, &number),
        (Targets::Links(links), Operation::Remove) => {
            Ok(links.into_iter().map(Change::WithoutLink).collect())
        }
        (Targets::Links(_), _) => {
            Err("this is a link; a link has bandwidth, cost, remove".to_string())
        }
        (Targets::Shared(shared), Operation::Cost(number)) => {
            let rate = inverse(number);
            let one = |id| Change::Rate(id, rate.clone());
            Ok(shared.into_iter().map(one).collect())
        }
        (Targets::Shared(shared), Operation::Remove) => {
            for &id in &shared {
                still_limited(platform, before, id)?;
            }
            Ok(shared.into_iter().map(Change::WithoutShared).collect())
        }
        (Targets::Shared(_), _) => {
            Err("this is a shared capacity; it has bandwidth, cost, remove".to_string())
        }
        (Targets::Nodes(nodes), Operation::Cost(number)) => {
            costs(platform, before, platform.links_at(&nodes), &number)
        }
        (Targets::Nodes(nodes), Operation::Compute(number)) => compute(platform, nodes, &number),
        (Targets::Nodes(nodes), Operation::Ports(ports)) => Ok(nodes
            .into_iter()
            .map(|node| Change::Ports(node, ports))
            .collect()),
        (Targets::Nodes(nodes), Operation::Model(model)) => Ok(nodes
            .into_iter()
            .map(|node| Change::Model(node, model))
            .collect()),
        (Targets::Nodes(nodes), Operation::Reduces(reduces)) => {
            let change = |node| Change::Reduces(node, reduces.clone());
            Ok(nodes.into_iter().map(change).collect())
        }
        (Targets::Nodes(nodes), Operation::Replicates(replicates)) => {
            let change = |node| Change::Replicates(node, replicates);
            Ok(nodes.into_iter().map(change).collect())
        }
        (Targets::Nodes(nodes), Operation::Remove) => {
            Ok(nodes.into_iter().map(Change::WithoutNode).collect())
        }
    }
}

/// Whether a link has a limit of its own, after these changes.
fn has_own_limit(platform: &Platform, before: &[Change], link: LinkId) -> bool {
    let set = |change: &Change| match change {
        Change::Cost(other, Number::Exactly(cost)) if *other == link => Some(!cost.is_zero()),
        _ => None,
    };
    let set = before.iter().rev().find_map(set);
    set.unwrap_or_else(|| !platform.own_cost(link).is_zero())
}

/// Refuses to remove the only limit of a link.
fn still_limited(platform: &Platform, before: &[Change], id: SharedId) -> Result<(), String> {
    let Some(shared) = platform.shared().get(id.index()) else {
        return Ok(());
    };
    let alone = |&link: &LinkId| {
        !has_own_limit(platform, before, link) && platform.shared_by(link).len() == 1
    };
    let Some(link) = shared.weights.keys().copied().find(alone) else {
        return Ok(());
    };
    let (link, capacity) = (platform.link_name(link), &shared.name);
    Err(format!(
        "'{capacity}' is the only limit of '{link}', which would take no time without it; write --change '{link}: bandwidth \
         = ...' before, or raise the capacity: \"shared '{capacity}': bandwidth x1000\""
    ))
}

/// Sets or multiplies the cost of links. A link that only shared capacities limit has none that could be multiplied.
fn costs(
    platform: &Platform,
    before: &[Change],
    links: Vec<LinkId>,
    number: &Number,
) -> Result<Vec<Change>, String> {
    // The capacity of which the link takes up the largest part.
    let limited = |link: LinkId| {
        let shares = platform.shared_by(link).iter();
        let share = shares.max_by(|(_, one), (_, other)| one.cmp(other))?;
        (!has_own_limit(platform, before, link)).then_some((link, share))
    };
    if let Number::Times(factor) = number
        && let Some((link, (id, _))) = links.iter().copied().find_map(limited)
    {
        let own = (factor * &platform.link(link).cost).recip();
        let (link, capacity) = (
            platform.link_name(link),
            &platform.shared()[id.index()].name,
        );
        let operation = match factor.recip() {
            rise if rise.is_integer() => format!("x{rise}"),
            _ => format!("/{factor}"),
        };
        return Err(format!(
            "the only limit of '{link}' is the shared capacity '{capacity}', which no factor on the link changes; write \
             \"shared '{capacity}': bandwidth {operation}\" for all of its links, or '{link}: bandwidth = {own}' for this one"
        ));
    }
    let change = |link| Change::Cost(link, number.clone());
    Ok(links.into_iter().map(change).collect())
}

/// Sets or multiplies the compute cost: of the processors among several nodes, or of a single node, which becomes a
/// processor if a cost is given.
fn compute(
    platform: &Platform,
    nodes: Vec<NodeId>,
    number: &Number,
) -> Result<Vec<Change>, String> {
    let processors = |node: &&NodeId| platform.node(**node).is_processor();
    let chosen: Vec<NodeId> = match (&nodes[..], number) {
        (&[node], Number::Exactly(_)) => vec![node],
        _ => nodes.iter().filter(processors).copied().collect(),
    };
    match (chosen.is_empty(), nodes.first()) {
        (true, Some(&node)) => {
            let name = platform.name(node);
            Err(format!(
                "'{name}' is a router, which does not compute; give it a cost as in '{name}: compute = 1'"
            ))
        }
        _ => Ok(chosen
            .into_iter()
            .map(|node| Change::Compute(node, number.clone()))
            .collect()),
    }
}

const OPERATIONS: &str = "a link has bandwidth, cost, remove; a shared capacity has these, too; a node has compute, ports, model, reduces, replicates, remove";

fn operation(text: &str, units: Option<Units>) -> Result<Operation, String> {
    let end = text
        .find(|letter: char| !letter.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (property, rest) = (&text[..end], text[end..].trim());
    match property {
        "remove" if rest.is_empty() => Ok(Operation::Remove),
        "remove" => Err(format!("'remove' stands alone, but '{rest}' follows")),
        "bandwidth" => Ok(Operation::Cost(inverse(number(property, rest, units)?))),
        "cost" => Ok(Operation::Cost(number(property, rest, units)?)),
        "compute" => Ok(Operation::Compute(number(property, rest, units)?)),
        "ports" => {
            let ports = assigned(property, rest)?
                .parse()
                .ok()
                .filter(|&ports| ports > 0);
            ports.map(Operation::Ports).ok_or(format!(
                "'{rest}' gives no number of ports; write 'ports = 2'"
            ))
        }
        "reduces" => Ok(Operation::Reduces(reduces(property, rest, units)?)),
        "replicates" => Ok(Operation::Replicates(truth(property, rest)?)),
        "model" => {
            let model = assigned(property, rest)?.parse::<PortModel>();
            model
                .map(Operation::Model)
                .map_err(|error| error.to_string())
        }
        _ => Err(format!("'{text}' is not a change; {OPERATIONS}")),
    }
}

fn truth(property: &str, rest: &str) -> Result<bool, String> {
    let value = assigned(property, rest)?;
    let wrong = |_| format!("'{value}' is neither true nor false; write '{property} = true'");
    value.parse().map_err(wrong)
}

/// `true`, `false`, or the time of a merge.
fn reduces(property: &str, rest: &str, units: Option<Units>) -> Result<Option<Rational>, String> {
    let text = assigned(property, rest)?;
    if let Ok(reduces) = text.parse::<bool>() {
        return Ok(reduces.then(Rational::default));
    }
    let wrong = |why: &str| {
        format!(
            "'{text}' {why}; write '{property} = true', '{property} = false', or the time of a merge"
        )
    };
    match value(property, text, units) {
        Ok(time) if time.is_negative() => Err(wrong("is negative")),
        Ok(time) => Ok(Some(time)),
        Err(_) if !text.starts_with(|letter: char| letter.is_ascii_digit()) => {
            Err(wrong("is neither true nor false, nor a time"))
        }
        Err(error) => Err(error),
    }
}

fn assigned<'t>(property: &str, rest: &'t str) -> Result<&'t str, String> {
    let value = rest.strip_prefix('=').map(str::trim);
    value.ok_or_else(|| format!("'{property}' can only be given anew; write '{property} = ...'"))
}

/// `x2`, `/2`, `= 25` or `= 25 GB/s`.
fn number(property: &str, rest: &str, units: Option<Units>) -> Result<Number, String> {
    let mut letters = rest.chars();
    let operator = letters.next();
    let text = letters.as_str().trim();
    let factor = || {
        positive(
            property,
            text,
            parse_rational(text).map_err(|error| error.to_string()),
        )
    };
    match operator {
        Some('x' | '*') => Ok(Number::Times(factor()?)),
        Some('/') => Ok(Number::Times(factor()?.recip())),
        Some('=') => Ok(Number::Exactly(positive(
            property,
            text,
            value(property, text, units),
        )?)),
        _ => Err(format!(
            "'{property} {rest}' does not say how; write '{property} x2', '{property} /2' or '{property} = 3'"
        )),
    }
}

/// A number, or a quantity in the platform's units.
fn value(property: &str, text: &str, units: Option<Units>) -> Result<Rational, String> {
    let quantity = Quantity::parse(text).map_err(|error| error.to_string())?;
    if quantity.dimension == Dimension::Number {
        return parse_rational(text).map_err(|error| error.to_string());
    }
    let units = units.ok_or_else(|| {
        format!("'{text}' has a unit, but the platform has none; say by --units what its numbers mean, as GB/s")
    })?;
    let value = match property {
        "bandwidth" => units.rate(&quantity, text),
        "compute" | "reduces" if !units.work_is_data => units.time(&quantity, text),
        _ => units.cost(&quantity, text),
    };
    value.map_err(|error| error.to_string())
}

fn positive(
    property: &str,
    text: &str,
    value: Result<Rational, String>,
) -> Result<Rational, String> {
    let value = value.map_err(|error| format!("{property}: {error}"))?;
    if value.is_positive() {
        Ok(value)
    } else {
        Err(format!(
            "{property}: {text} is not positive; to take something away, write 'remove'"
        ))
    }
}

/// The change of the cost that has the same effect as this change of the bandwidth.
fn inverse(number: Number) -> Number {
    match number {
        Number::Times(factor) => Number::Times(factor.recip()),
        Number::Exactly(value) => Number::Exactly(value.recip()),
    }
}

/// A name, or a pattern, that may hold an arrow itself: so every position of the arrow is tried.
fn targets(platform: &Platform, text: &str) -> Result<Targets, String> {
    if let Some(node) = platform.find(text) {
        return Ok(Targets::Nodes(vec![node]));
    }
    if let Some(name) = shared_name(text) {
        return shared(platform, name).map(Targets::Shared);
    }
    let mut first = None;
    for arrow in ["<->", "->"] {
        for (at, _) in text.match_indices(arrow) {
            if arrow == "->" && text[..at].ends_with('<') {
                continue;
            }
            let (from, to) = (text[..at].trim(), text[at + arrow.len()..].trim());
            match links(platform, from, to, arrow == "<->") {
                Ok(links) => return Ok(Targets::Links(links)),
                Err(error) => first = first.or(Some(error)),
            }
        }
    }
    match first {
        Some(error) => Err(error),
        None => nodes(platform, text).map(Targets::Nodes),
    }
}

/// The name in `shared 'bus'`.
fn shared_name(text: &str) -> Option<&str> {
    let quoted = text.strip_prefix("shared ")?.trim();
    quoted.strip_prefix('\'')?.strip_suffix('\'')
}

/// The shared capacities that match a name or pattern.
///
/// # Errors
/// No shared capacity matches.
fn shared(platform: &Platform, pattern: &str) -> Result<Vec<SharedId>, String> {
    if let Some(id) = platform.find_shared(pattern) {
        return Ok(vec![id]);
    }
    let read = Pattern::parse(pattern).map_err(|error| error.to_string())?;
    let all = platform.shared().iter().enumerate();
    let found: Vec<SharedId> = all
        .filter(|(_, shared)| read.matches(&shared.name))
        .map(|(index, _)| SharedId::new(index))
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = platform
        .shared()
        .iter()
        .map(|shared| format!("'{}'", shared.name));
    let right = if platform.shared().is_empty() {
        "the platform has none".to_string()
    } else {
        format!("there are {}", few(names, LISTED, ", ..."))
    };
    Err(format!("there is no shared capacity '{pattern}'; {right}"))
}

/// The links between nodes of two patterns. An error if no link matches.
fn links(platform: &Platform, from: &str, to: &str, both: bool) -> Result<Vec<LinkId>, String> {
    let (tails, heads) = (nodes(platform, from)?, nodes(platform, to)?);
    let leads = |link: LinkId, tails: &[NodeId], heads: &[NodeId]| {
        let link = platform.link(link);
        tails.binary_search(&link.from).is_ok() && heads.binary_search(&link.to).is_ok()
    };
    let wanted =
        |&link: &LinkId| leads(link, &tails, &heads) || (both && leads(link, &heads, &tails));
    let links: Vec<LinkId> = platform.link_ids().filter(wanted).collect();
    if !links.is_empty() {
        return Ok(links);
    }
    let mut reached: Vec<NodeId> = tails
        .iter()
        .flat_map(|&tail| platform.outgoing(tail))
        .copied()
        .map(|link| platform.link(link).to)
        .collect();
    reached.sort_unstable();
    reached.dedup();
    let reached = if reached.is_empty() {
        "no link leaves it".to_string()
    } else {
        format!(
            "from there links lead to {}",
            listed(platform, reached.into_iter())
        )
    };
    Err(format!("no link leads from '{from}' to '{to}'; {reached}"))
}

/// The nodes of a name or pattern, ascending. An error if no node matches.
fn nodes(platform: &Platform, pattern: &str) -> Result<Vec<NodeId>, String> {
    if let Some(node) = platform.find(pattern) {
        return Ok(vec![node]);
    }
    match Pattern::parse(pattern).and_then(|it| it.nodes(platform)) {
        Ok(mut found) if !found.is_empty() => {
            found.sort_unstable();
            return Ok(found);
        }
        Err(error @ PatternError::Missing { .. }) => return Err(error.to_string()),
        _ => {}
    }
    let names = platform.node_ids().map(|node| platform.name(node));
    let shown: String = pattern
        .chars()
        .take(60)
        .flat_map(char::escape_debug)
        .collect();
    Err(match files::closest(pattern, names) {
        Some(close) => format!("there is no node '{shown}'; did you mean '{close}'?"),
        None => format!(
            "there is no node '{shown}'; the nodes are {}",
            listed(platform, platform.node_ids())
        ),
    })
}

/// The first few names.
fn listed(platform: &Platform, nodes: impl Iterator<Item = NodeId>) -> String {
    few(
        nodes.map(|node| format!("'{}'", platform.name(node))),
        LISTED,
        ", ...",
    )
}

#[cfg(test)]
mod tests {
    use oneport::platform::whole;

    use super::*;
    use oneport::platform::generate::{Costs, Options, Racks, racks};

    #[test]
    fn operations_are_read() {
        let value = |text: &str| parse_rational(text).unwrap();
        let times = |text: &str| Number::Times(value(text));
        for (text, expected) in [
            ("bandwidth x2", Operation::Cost(times("1/2"))),
            ("bandwidth /2", Operation::Cost(times("2"))),
            (
                "bandwidth=2/5",
                Operation::Cost(Number::Exactly(value("5/2"))),
            ),
            ("cost * 1.5", Operation::Cost(times("3/2"))),
            ("compute x1/2", Operation::Compute(times("1/2"))),
            ("ports = 2", Operation::Ports(2)),
            ("model = links", Operation::Model(PortModel::Links)),
            ("remove", Operation::Remove),
            (
                "reduces = true",
                Operation::Reduces(Some(Rational::default())),
            ),
            ("reduces = false", Operation::Reduces(None)),
            ("reduces = 1/2", Operation::Reduces(Some(value("1/2")))),
        ] {
            assert_eq!(operation(text, None), Ok(expected), "{text}");
        }
        for text in [
            "",
            "bandwidth",
            "bandwidth 2",
            "bandwidth x",
            "bandwidth x0",
            "cost = -1",
            "ports x2",
            "ports = 0",
        ] {
            assert!(operation(text, None).is_err(), "{text}");
        }
        for text in [
            "model = half",
            "remove it",
            "latency x2",
            "bandwidth = nan",
            "x2",
            "cost /0",
        ] {
            assert!(operation(text, None).is_err(), "{text}");
        }
    }

    #[test]
    fn values_have_the_units_of_the_platform() {
        let units = Units::gigabytes_and_seconds();
        let value = |text: &str| parse_rational(text).unwrap();
        for (text, expected) in [
            (
                "bandwidth = 200 Gbit/s",
                Operation::Cost(Number::Exactly(value("1/25"))),
            ),
            (
                "bandwidth = 25",
                Operation::Cost(Number::Exactly(value("1/25"))),
            ),
            (
                "cost = 80 ms/GB",
                Operation::Cost(Number::Exactly(value("2/25"))),
            ),
            (
                "compute = 2 ms",
                Operation::Compute(Number::Exactly(value("1/500"))),
            ),
        ] {
            assert_eq!(operation(text, Some(units)), Ok(expected), "{text}");
        }
        let merging = Units {
            work_is_data: true,
            ..units
        };
        let compute = operation("compute = 500 GB/s", Some(merging));
        assert_eq!(
            compute,
            Ok(Operation::Compute(Number::Exactly(value("1/500"))))
        );
        for text in [
            "bandwidth = 2 ms",
            "bandwidth = 25 gb/s",
            "compute = 2 ms/GB",
            "bandwidth = 0 GB/s",
            "cost x2 s",
        ] {
            assert!(operation(text, Some(units)).is_err(), "{text}");
        }
        assert!(
            operation("bandwidth = 25 GB/s", None)
                .unwrap_err()
                .contains("--units")
        );
    }

    #[test]
    fn targets_are_links_one_way_or_both_or_nodes() {
        let options = Options {
            link_cost: Costs::Constant(whole(1)),
            ..Options::default()
        };
        let shape = Racks {
            racks: 2,
            hosts: (3, 3),
            ..Racks::default()
        };
        let platform = racks(&shape, &options).unwrap();
        let count =
            |text: &str| changes(&platform, &[text.to_string()]).map(|changes| changes.len());
        for (text, expected) in [
            ("rack0.host0 -> rack0.switch: bandwidth x2", 1),
            ("rack0.host0 <-> rack0.switch: bandwidth x2", 2),
            ("rack0.host0<->rack0.switch:remove", 2),
            ("rack*.host* -> rack*.switch: cost x2", 6),
            ("* -> *: bandwidth x2", 16),
            ("* <-> spine0: bandwidth x2", 4),
            ("spine0: bandwidth x2", 4),
            ("rack1.*: compute x2", 3),
            ("rack0..1.host[0,2] -> rack*.switch: bandwidth x2", 4),
            ("spine0: compute = 1", 1),
            ("spine0: remove", 1),
            ("*: model = full-duplex", 9),
        ] {
            assert_eq!(count(text).unwrap(), expected, "{text}");
        }
    }
}
