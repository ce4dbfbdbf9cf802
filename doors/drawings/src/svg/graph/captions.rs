//! Labels of links and nodes, if there is room for them.

use oneport_platform::{LinkId, Platform};

use super::amounts::{Amounts, line};
use super::edges::Edge;
use super::flows::Flows;
use super::labels::{Area, Page};
use super::{nodes, strokes};
use crate::quantities;
use crate::svg::xml::{Canvas, INK};
use crate::words;

const LABEL: f64 = 10.0;
/// Limit on the lines of a label. The tooltip has all.
const LINES: usize = 5;

/// A label.
pub(super) struct Label {
    area: Area,
    lines: Vec<String>,
}

/// Labels, and the number of omitted ones.
#[derive(Default)]
pub(super) struct Captions {
    pub labels: Vec<Label>,
    left_out: usize,
}

impl Captions {
    /// Labels of links: amounts, or cost and load. A label without room is shortened. It is left out if the short form
    /// has no room either.
    pub(super) fn links(
        &mut self,
        page: &mut Page,
        platform: &Platform,
        edges: &[Edge],
        flows: &Flows,
        amounts: Option<&Amounts>,
    ) {
        let uniform = strokes::uniform_cost(platform).is_some();
        for edge in edges.iter().rev() {
            let forms = match amounts {
                None => forms_of_words(link_words(platform, edge.link, flows, uniform)),
                Some(amounts) => forms_of_lines(&edge_amounts(platform, edge, amounts)),
            };
            self.put(page, forms, |width, height| edge.label_areas(width, height));
        }
    }

    /// The merges of nodes, next to them.
    pub(super) fn nodes(&mut self, page: &mut Page, areas: &[Area], amounts: &Amounts) {
        for (node, merges) in &amounts.nodes {
            let Some(area) = areas.get(node.index()) else {
                continue;
            };
            let lines: Vec<String> = merges.iter().map(line).collect();
            self.put(page, forms_of_lines(&lines), |width, height| {
                beside(area, width, height)
            });
        }
    }

    /// The first form that has room.
    fn put(
        &mut self,
        page: &mut Page,
        forms: Vec<Vec<String>>,
        areas: impl Fn(f64, f64) -> Vec<Area>,
    ) {
        if forms.is_empty() {
            return;
        }
        let found = forms.into_iter().find_map(|lines| {
            let width = words::widest(&lines, LABEL) + 3.0;
            let area = page.choose(&areas(width, lines.len() as f64 * (LABEL + 2.0)))?;
            Some(Label { area, lines })
        });
        let Some(label) = found else {
            self.left_out += 1;
            return;
        };
        page.taken.push(label.area);
        self.labels.push(label);
    }

    /// Text on the omitted labels.
    pub(super) fn note(&self) -> Option<String> {
        let labels = words::plural(self.left_out, "label");
        let verb = if self.left_out == 1 { "has" } else { "have" };
        (self.left_out > 0).then(|| format!("{labels} {verb} no room; tooltips are complete"))
    }
}

/// Around a node.
fn beside(node: &Area, width: f64, height: f64) -> Vec<Area> {
    let ((wide, high), gap) = (node.size(), 4.0);
    let apart = ((wide + width) / 2.0 + gap, (high + height) / 2.0 + gap);
    node.beside(apart, (width, height)).to_vec()
}

/// All words in one line, below one another, the last alone. None for no words.
fn forms_of_words(words: Vec<String>) -> Vec<Vec<String>> {
    let Some(last) = words.last().cloned() else {
        return Vec::new();
    };
    let mut forms = vec![vec![words.join(" · ")]];
    if words.len() > 1 {
        forms.extend([words, vec![last]]);
    }
    forms
}

/// All lines, or fewer and the number of omitted ones. None for no lines.
fn forms_of_lines(lines: &[String]) -> Vec<Vec<String>> {
    let short = |most: usize| -> Vec<String> {
        let more = lines.len() - (most - 1);
        lines
            .iter()
            .take(most - 1)
            .cloned()
            .chain([format!("and {more} more")])
            .collect()
    };
    let whole = (1..=LINES).contains(&lines.len()).then(|| lines.to_vec());
    let shorter = (2..=LINES)
        .rev()
        .filter(|most| *most < lines.len())
        .map(short);
    whole.into_iter().chain(shorter).collect()
}

/// Amounts sent over a line, in both directions if it is drawn for both.
fn edge_amounts(platform: &Platform, edge: &Edge, amounts: &Amounts) -> Vec<String> {
    let lines_of = |link: LinkId| amounts.links.get(&link).into_iter().flatten().map(line);
    match edge.back {
        None => lines_of(edge.link).collect(),
        Some(back) => {
            let heads_to = |link: LinkId| {
                words::link(platform, link)
                    .map_or(String::new(), |link| words::name(platform, link.to))
            };
            let towards = |link: LinkId| {
                lines_of(link).map(move |line| format!("{line} to {}", heads_to(link)))
            };
            towards(edge.link).chain(towards(back)).collect()
        }
    }
}

/// Cost and load of a link, if they distinguish it from others.
fn link_words(platform: &Platform, id: LinkId, flows: &Flows, uniform: bool) -> Vec<String> {
    let cost = words::link(platform, id)
        .filter(|_| !uniform)
        .map(|link| quantities::terse_bandwidth(platform, &link.cost));
    let busy = flows.busy.get(&id).map(oneport_platform::percent);
    cost.into_iter().chain(busy).collect()
}

/// Draws labels over everything else.
pub(super) fn draw(canvas: &mut Canvas, labels: &[Label]) {
    canvas.g().untouched().start();
    for Label { area, lines } in labels {
        nodes::halo(canvas, area);
        for (row, line) in lines.iter().enumerate() {
            let y = area.top + (row as f64 + 0.82) * (LABEL + 2.0) - 0.4;
            canvas.text((area.centre().0, y), "middle", LABEL, INK, line);
        }
    }
    canvas.close();
}
