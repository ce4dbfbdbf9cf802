//! Boxes of nodes that do the same: only one of them is drawn.

use std::collections::BTreeMap;

use oneport_platform::{Platform, Rational};

use super::rows::{ChartRow, Port};
use crate::words;

/// Up to this number of rows, all are drawn.
const FEW: usize = 30;
/// Boxes named in the title.
const NAMED: usize = 3;

/// A row without the name of its box: node, port or target of the link, lanes, and load.
type Shape = (String, String, usize, Rational);

/// Drops rows of boxes (nodes with a common prefix) that are as busy, row by row, as an earlier box. Returns the
/// remaining rows and, in words, the omitted ones. Charts of few rows pass unchanged. `loads` are per row. O(r log r).
pub(super) fn fold(
    platform: &Platform,
    rows: Vec<ChartRow>,
    loads: &[Rational],
) -> (Vec<ChartRow>, Option<String>) {
    if rows.len() <= FEW {
        return (rows, None);
    }
    let mut boxes: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for (row, load) in rows.iter().zip(loads) {
        let name = words::name(platform, row.node);
        let Some(own) = words::prefix(&name) else {
            continue;
        };
        if !boxes.contains_key(own) {
            order.push(own.to_string());
        }
        let shape = (
            rest(&name, own),
            port(platform, row.port, own),
            row.lanes.len(),
            load.clone(),
        );
        boxes.entry(own.to_string()).or_default().push(shape);
    }
    for shapes in boxes.values_mut() {
        shapes.sort();
    }
    // Boxes grouped by their activity, in the order of their rows.
    let mut alike: BTreeMap<&Vec<Shape>, Vec<&String>> = BTreeMap::new();
    for name in &order {
        if let Some(shapes) = boxes.get(name) {
            alike.entry(shapes).or_default().push(name);
        }
    }
    let mut classes: Vec<Vec<&String>> = alike
        .into_values()
        .filter(|names| names.len() > 1)
        .collect();
    classes.sort_by_key(|names| order.iter().position(|name| Some(&name) == names.first()));
    let hidden: Vec<&String> = classes
        .iter()
        .flat_map(|names| names.iter().skip(1).copied())
        .collect();
    let is_drawn = |row: &ChartRow| {
        let name = words::name(platform, row.node);
        words::prefix(&name).is_none_or(|own| !hidden.iter().any(|hidden| *hidden == own))
    };
    let told = words_of(&classes);
    (rows.into_iter().filter(is_drawn).collect(), told)
}

/// "box0 stands for 4 boxes that are equally busy".
fn words_of(classes: &[Vec<&String>]) -> Option<String> {
    let class_name = |names: &Vec<&String>| Some(format!("{} for {}", names.first()?, names.len()));
    let mut told: Vec<String> = classes.iter().take(NAMED).filter_map(class_name).collect();
    if classes.len() > NAMED {
        told.push("...".to_string());
    }
    let first = told.first_mut()?;
    *first = format!("drawn once: {first}");
    let last = told.last_mut()?;
    *last += " boxes that are equally busy";
    Some(told.join(", "))
}

/// The name without its box.
fn rest(name: &str, own: &str) -> String {
    name.strip_prefix(own).unwrap_or(name).to_string()
}

/// The row's kind of port. For a link, its target without the number of the box.
fn port(platform: &Platform, port: Port, own: &str) -> String {
    let Port::Link(link) = port else {
        return port.kind().to_string();
    };
    let to = words::link(platform, link)
        .map(|link| words::name(platform, link.to))
        .unwrap_or_default();
    match words::prefix(&to) {
        Some(prefix) if prefix == own => rest(&to, own),
        Some(prefix) => format!(
            "{}*{}",
            prefix.trim_end_matches(|c: char| c.is_ascii_digit()),
            rest(&to, prefix)
        ),
        None => to,
    }
}
