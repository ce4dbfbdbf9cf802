//! One arborescence or path: the source at the top, a box for every copy.

use std::collections::BTreeSet;

use oneport_plan::{Pattern, Problem};
use oneport_platform::{Platform, Rational};

use super::legend::{self, Entry, Mark};
use super::xml::diamond;
use super::xml::{Canvas, INK, SOFT_INK, number};
use crate::arborescence::{Copies, Copy, Role, assemble, title};
use crate::words;

const MARGIN: f64 = 16.0;
const TOP: f64 = 70.0;
const BOX: f64 = 24.0;
const TEXT: f64 = 11.0;
const TIME: f64 = 9.5;
/// Distance of layers.
const LAYER: f64 = 72.0;
/// Width of a column.
const COLUMN: (f64, f64) = (50.0, 124.0);
const SOURCE: &str = "#d55e00";
const TARGET: &str = "#56b4e9";
const RELAY: &str = "#e4e4e4";
const ROUTER: &str = "#555555";
const ARROW: f64 = 8.0;

/// Draws the way of a message from its source at the top: targets are coloured, routers small squares, switches hollow
/// diamonds; arrows are the wider the longer their link is busy, and labelled with that time.
pub(super) fn draw(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let platform = problem.platform();
    let copies = assemble(problem, tree);
    let [title, subtitle] = title(problem, tree, (&copies, weight));
    let (places, columns) = columns(&copies);
    let source = copies.source.map_or_else(|| "nowhere".to_string(), |source| words::name(platform, source));
    let names = copies.copies.iter().map(|copy| match copy.role {
        Role::Target | Role::Relay => words::width(&copy.name(platform), TEXT) + 24.0,
        // The name stands beside the mark.
        role => 2.0 * (words::width(&copy.name(platform), TIME) + half_height(role) + 6.0),
    });
    // The times of neighbours may stand between their arrows.
    let times = copies.copies.iter().map(|copy| 2.0 * words::width(&words::terse(&copy.time), TIME) + 22.0);
    let column = names.chain(times).fold(COLUMN.0, f64::max).min(COLUMN.1);
    let least = f64::max(words::width(&title, 17.0), words::width(&subtitle, 12.5)).clamp(420.0, 900.0);
    let width = (columns as f64 * column).max(least) + 2.0 * MARGIN + 1.0;
    let left = (width - columns as f64 * column) / 2.0;
    let x = |place: f64| left + (place + 0.5) * column;
    let top = |layer: usize| TOP + layer as f64 * LAYER;
    let layers = copies.copies.iter().map(|copy| copy.stage + 2).max().unwrap_or(1);
    let bottom = top(layers - 1) + BOX + 16.0;
    let entries = legend_entries(&copies);
    let legend = legend::layout(&entries, MARGIN, width - 2.0 * MARGIN);
    let mut canvas = Canvas::new(width, bottom + legend.height + 16.0, &format!("{title}; {subtitle}"));
    canvas.text((MARGIN, 28.0), "start", 17.0, INK, &words::fit(&title, 17.0, width - 2.0 * MARGIN));
    canvas.text((MARGIN, 48.0), "start", 12.5, SOFT_INK, &words::fit(&subtitle, 12.5, width - 2.0 * MARGIN));

    let (root, places) = places.split_first().map_or((0.0, &[][..]), |(root, places)| (*root, places));
    let longest = copies.copies.iter().map(|copy| &copy.time).max().cloned().unwrap_or_default();
    for (copy, &place) in copies.copies.iter().zip(places) {
        let parent = copy.parent.and_then(|parent| Some((copies.copies.get(parent)?, *places.get(parent)?)));
        let (from, half) = parent.map_or((root, BOX / 2.0), |(parent, place)| (place, half_height(parent.role)));
        let layer = copy.stage + 1;
        let start = (x(from), top(layer - 1) + BOX / 2.0 + half);
        let end = (x(place), top(layer) + BOX / 2.0 - half_height(copy.role));
        draw_arrow(&mut canvas, start, end, words::share(&copy.time, &longest), &copy.tooltip(platform));
    }
    for (copy, &place) in copies.copies.iter().zip(places) {
        let at = (x(place), top(copy.stage + 1) + BOX / 2.0);
        let from = copy.parent.map_or(Some(root), |parent| places.get(parent).copied());
        let beside = (at.0, at.1 - half_height(copy.role) - ARROW + 3.0);
        draw_time(&mut canvas, beside, from.is_some_and(|from| from > place), &words::terse(&copy.time));
        draw_copy(&mut canvas, platform, copy, at, column);
    }
    let at = (x(root), top(0) + BOX / 2.0);
    draw_box(&mut canvas, "source", &source, at, column, (SOURCE, 3.0), &format!("{source}: source"));
    legend::draw(&mut canvas, &entries, &legend, bottom + 8.0);
    canvas.finish()
}

/// The column of the source and of every copy, counted from 0, between the first and the last of its own copies; and
/// how many columns there are.
fn columns(copies: &Copies) -> (Vec<f64>, usize) {
    // The source is vertex 0, copy i vertex i + 1.
    let count = copies.copies.len() + 1;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, copy) in copies.copies.iter().enumerate() {
        if let Some(list) = children.get_mut(copy.parent.map_or(0, |parent| parent + 1)) {
            list.push(index + 1);
        }
    }
    let mut places = vec![0.0; count];
    let mut columns = 0;
    let mut open = vec![0];
    while let Some(vertex) = open.pop() {
        let Some(own) = children.get(vertex) else { continue };
        open.extend(own.iter().rev());
        if own.is_empty() {
            if let Some(place) = places.get_mut(vertex) {
                *place = columns as f64;
            }
            columns += 1;
        }
    }
    for (vertex, own) in children.iter().enumerate().rev() {
        let ends = own.first().zip(own.last()).and_then(|(a, b)| Some((*places.get(*a)?, *places.get(*b)?)));
        if let (Some((first, last)), Some(place)) = (ends, places.get_mut(vertex)) {
            *place = (first + last) / 2.0;
        }
    }
    (places, columns)
}

fn half_height(role: Role) -> f64 {
    match role {
        Role::Target | Role::Relay => BOX / 2.0,
        Role::Router => 6.0,
        Role::Switch => 8.0,
    }
}

fn draw_arrow(canvas: &mut Canvas, start: (f64, f64), end: (f64, f64), share: f64, tooltip: &str) {
    let width = 1.2 + 4.3 * share;
    let tip = end.1 - ARROW;
    let middle = (start.1 + tip) / 2.0;
    let point = |x: f64, y: f64| format!("{} {}", number(x), number(y));
    let (a, b) = (point(start.0, middle), point(end.0, middle));
    canvas.g().s("class", "hop").start();
    canvas.tooltip(tooltip);
    let path = format!("M{}C{a} {b} {}", point(start.0, start.1), point(end.0, tip));
    let tag = canvas.tag("path").s("d", &path).s("fill", "none").s("stroke", "#0072b2").n("stroke-width", width);
    tag.end();
    let half = 2.6 + width * 0.6;
    let head = format!("M{}L{}L{}Z", point(end.0, end.1), point(end.0 - half, tip), point(end.0 + half, tip));
    canvas.tag("path").s("d", &head).s("fill", "#0072b2").end();
    canvas.close();
}

/// The time of a hop, beside its arrow: to the left of one that comes from the right.
fn draw_time(canvas: &mut Canvas, (x, y): (f64, f64), left: bool, text: &str) {
    let width = words::width(text, TIME) + 3.0;
    let start = if left { x - 7.0 - width } else { x + 7.0 };
    let tag = canvas.tag("rect").n("x", start).n("y", y - TIME * 0.85).n("width", width).n("height", TIME * 1.2);
    tag.s("fill", "#ffffff").n("fill-opacity", 0.8).s("pointer-events", "none").end();
    canvas.text((start + 1.5, y), "start", TIME, SOFT_INK, text);
}

fn draw_copy(canvas: &mut Canvas, platform: &Platform, copy: &Copy, at: (f64, f64), column: f64) {
    let (name, tooltip) = (copy.name(platform), copy.tooltip(platform));
    let half = half_height(copy.role);
    let tag = match copy.role {
        Role::Target => return draw_box(canvas, "target", &name, at, column, (TARGET, 1.8), &tooltip),
        Role::Relay => return draw_box(canvas, "relay", &name, at, column, (RELAY, 1.0), &tooltip),
        Role::Router => {
            let tag = canvas.tag("rect").s("class", "router").n("x", at.0 - half).n("y", at.1 - half);
            tag.n("width", 2.0 * half).n("height", 2.0 * half).s("fill", ROUTER)
        }
        Role::Switch => {
            let tag = canvas.tag("path").s("class", "switch").s("d", &diamond(at, half)).s("fill", "#ffffff");
            tag.s("stroke", INK).n("stroke-width", 2.0)
        }
    };
    tag.titled(&tooltip);
    let room = column / 2.0 - half;
    let text = words::fit_name(&name, TIME, room);
    canvas.text((at.0 + half + 3.0, at.1 + TIME * 0.36), "start", TIME, INK, &text);
}

fn draw_box(
    canvas: &mut Canvas,
    class: &str,
    name: &str,
    (x, y): (f64, f64),
    column: f64,
    (fill, stroke): (&str, f64),
    tooltip: &str,
) {
    let width = (words::width(name, TEXT) + 14.0).clamp(34.0, column - 6.0);
    let tag = canvas.tag("rect").s("class", class).n("x", x - width / 2.0).n("y", y - BOX / 2.0).n("width", width);
    let tag = tag.n("height", BOX).n("rx", 4.0).s("fill", fill).s("stroke", INK).n("stroke-width", stroke);
    tag.titled(tooltip);
    canvas.g().s("pointer-events", "none").start();
    let text = words::fit_name(name, TEXT, width - 6.0);
    canvas.text((x, y + TEXT * 0.36), "middle", TEXT, INK, &text);
    canvas.close();
}

fn legend_entries(copies: &Copies) -> Vec<Entry> {
    let roles: BTreeSet<Role> = copies.copies.iter().map(|copy| copy.role).collect();
    let mut entries = vec![Entry { mark: Mark::Swatch(SOURCE.to_string()), label: "source".to_string() }];
    entries.extend(roles.into_iter().map(|role| {
        let mark = match role {
            Role::Target => Mark::Swatch(TARGET.to_string()),
            Role::Relay => Mark::Swatch(RELAY.to_string()),
            Role::Router => Mark::Square(ROUTER),
            Role::Switch => Mark::Diamond("#ffffff"),
        };
        Entry { mark, label: role.name().to_string() }
    }));
    let mark = Mark::Line("#0072b2".to_string(), 4.0, "");
    entries.push(Entry { mark, label: "a copy sent, with the time it takes".to_string() });
    entries
}
