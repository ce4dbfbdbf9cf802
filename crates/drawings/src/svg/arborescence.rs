//! One arborescence or path: the source at the top, a box for every copy.

use std::collections::BTreeSet;

use oneport_plan::{Pattern, Problem};
use oneport_platform::{Platform, Rational};

use super::legend::{self, Entry, Mark};
use super::page::{Head, MARGIN};
use super::xml::{Canvas, INK, SOFT_INK, diamond, number};
use crate::arborescence::{Copies, Copy, Role, assemble, title};
use crate::quantities;
use crate::words;

const TOP: f64 = 70.0;
const BOX: f64 = 24.0;
const TEXT: f64 = 11.0;
const TIME: f64 = 9.5;
/// Distance of layers.
const LAYER: f64 = 72.0;
/// Width of a column.
const COLUMN: (f64, f64) = (50.0, 124.0);
/// Wider trees go from left to right, in rows of this height, with names of at most this width.
const ABREAST: usize = 16;
const ROW: f64 = 34.0;
const NAME: f64 = 170.0;
const SOURCE: &str = "#d55e00";
const TARGET: &str = "#56b4e9";
const RELAY: &str = "#e4e4e4";
const ROUTER: &str = "#555555";
const ARROW: f64 = 8.0;

/// Draws the way of a message from its source at the top, or at the left where the tree is wide: targets are coloured,
/// routers small squares, switches hollow diamonds; arrows are the wider the longer their link is busy, and labelled
/// with that time.
pub(super) fn draw(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let platform = problem.platform();
    let copies = assemble(problem, tree);
    let [title, subtitle] = title(problem, tree, (&copies, weight));
    let source = copies.source.map_or_else(|| "nowhere".to_string(), |source| words::name(platform, source));
    let (places, columns) = columns(&copies);
    let mut layout = Layout::new(platform, &copies, columns, &source);
    let width = layout.size.0.max(Head::width(&title, &subtitle)) + 2.0 * MARGIN + 1.0;
    let head = Head::new(&title, &subtitle, width);
    layout.origin = ((width - layout.size.0) / 2.0, TOP + head.extra);
    let bottom = layout.origin.1 + layout.size.1 + 16.0;
    let entries = legend_entries(&copies);
    let legend = legend::layout(&entries, MARGIN, width - 2.0 * MARGIN);
    let mut canvas = Canvas::new(width, bottom + legend.height + 16.0, &format!("{title}; {subtitle}"));
    head.draw(&mut canvas);

    let (root, places) = places.split_first().map_or((0.0, &[][..]), |(root, places)| (*root, places));
    let place = |parent: Option<usize>| parent.map_or(Some(root), |parent| places.get(parent).copied());
    let mark = |copy: &Copy, place: f64| layout.mark(copy.stage + 1, place, &copy.name(platform), copy.role);
    let top = layout.mark(0, root, &source, Role::Target);
    let longest = copies.copies.iter().map(|copy| &copy.time).max().cloned().unwrap_or_default();
    let marks: Vec<Area> = copies.copies.iter().zip(places).map(|(copy, &place)| mark(copy, place)).collect();
    for (copy, &to) in copies.copies.iter().zip(&marks) {
        let from = copy.parent.and_then(|parent| marks.get(parent)).copied().unwrap_or(top);
        let share = words::share(&copy.time, &longest);
        draw_arrow(&mut canvas, layout.right, &from, &to, share, &copy.tooltip(platform));
    }
    for ((copy, mark), &own) in copies.copies.iter().zip(&marks).zip(places) {
        let from_right = place(copy.parent).is_some_and(|from| from > own);
        draw_time(&mut canvas, layout.right, mark, from_right, &quantities::terse_time(platform, &copy.time));
        draw_copy(&mut canvas, platform, copy, mark, &layout);
    }
    draw_box(&mut canvas, "source", &source, &top, (SOURCE, 3.0), &format!("{source}: source"));
    legend::draw(&mut canvas, &entries, &legend, bottom + 8.0);
    canvas.finish()
}

/// The rectangle around a vertex: centre, half its width and half its height.
#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    wide: f64,
    high: f64,
}

/// Where layers and columns are: layers go down, or to the right.
struct Layout {
    right: bool,
    origin: (f64, f64),
    size: (f64, f64),
    column: f64,
    /// Beginning of every layer.
    layers: Vec<f64>,
}

impl Layout {
    fn new(platform: &Platform, copies: &Copies, columns: usize, source: &str) -> Layout {
        let deep = copies.copies.iter().map(|copy| copy.stage + 2).max().unwrap_or(1);
        let time = |copy: &Copy| words::width(&quantities::terse_time(platform, &copy.time), TIME);
        if columns <= ABREAST {
            let names = copies.copies.iter().map(|copy| match copy.role {
                Role::Target | Role::Relay => words::width(&copy.name(platform), TEXT) + 24.0,
                // The name stands beside the mark.
                role => 2.0 * (words::width(&copy.name(platform), TIME) + half_height(role) + 6.0),
            });
            // The times of neighbours may stand between their arrows.
            let times = copies.copies.iter().map(|copy| 2.0 * time(copy) + 22.0);
            let column = names.chain(times).fold(COLUMN.0, f64::max).min(COLUMN.1);
            let layers: Vec<f64> = (0..deep).map(|layer| layer as f64 * LAYER).collect();
            let size = (columns as f64 * column, layers.last().copied().unwrap_or(0.0) + BOX);
            return Layout { right: false, origin: (0.0, 0.0), size, column, layers };
        }
        // Names and times of every layer.
        let mut widths = vec![(34.0_f64, 0.0_f64); deep];
        if let Some(first) = widths.first_mut() {
            first.0 = first.0.max(words::width(source, TEXT) + 14.0);
        }
        for copy in &copies.copies {
            if let Some((name, label)) = widths.get_mut(copy.stage + 1) {
                *name = name.max((words::width(&copy.name(platform), TEXT) + 14.0).min(NAME));
                *label = label.max(time(copy));
            }
        }
        let mut layers = Vec::new();
        let mut left = 0.0;
        for (layer, (name, label)) in widths.into_iter().enumerate() {
            left += if layer > 0 { label + 54.0 } else { 0.0 };
            layers.push(left);
            left += name;
        }
        let size = (left, columns as f64 * ROW);
        Layout { right: true, origin: (0.0, 0.0), size, column: ROW, layers }
    }

    /// The longest name of a box.
    fn room(&self) -> f64 {
        if self.right { NAME } else { self.column - 6.0 }
    }

    /// Where a vertex stands.
    fn mark(&self, layer: usize, place: f64, name: &str, role: Role) -> Area {
        let begin = self.layers.get(layer).copied().unwrap_or(0.0);
        let along = (place + 0.5) * self.column;
        let high = half_height(role);
        let wide = match role {
            Role::Target | Role::Relay => (words::width(name, TEXT) + 14.0).clamp(34.0, self.room()) / 2.0,
            Role::Router | Role::Switch => high,
        };
        let (x, y) = if self.right { (begin + wide, along) } else { (along, begin + BOX / 2.0) };
        Area { x: self.origin.0 + x, y: self.origin.1 + y, wide, high }
    }
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

fn draw_arrow(canvas: &mut Canvas, right: bool, from: &Area, to: &Area, share: f64, tooltip: &str) {
    let width = 1.2 + 4.3 * share;
    let half = 2.6 + width * 0.6;
    let point = |x: f64, y: f64| format!("{} {}", number(x), number(y));
    let (path, head) = if right {
        let (start, end) = ((from.x + from.wide, from.y), (to.x - to.wide, to.y));
        let tip = end.0 - ARROW;
        let middle = start.0 + 0.45 * (tip - start.0);
        let (a, b) = (point(middle, start.1), point(middle, end.1));
        let corners = [point(end.0, end.1), point(tip, end.1 - half), point(tip, end.1 + half)];
        (format!("M{}C{a} {b} {}", point(start.0, start.1), point(tip, end.1)), corners)
    } else {
        let (start, end) = ((from.x, from.y + from.high), (to.x, to.y - to.high));
        let tip = end.1 - ARROW;
        let middle = (start.1 + tip) / 2.0;
        let (a, b) = (point(start.0, middle), point(end.0, middle));
        let corners = [point(end.0, end.1), point(end.0 - half, tip), point(end.0 + half, tip)];
        (format!("M{}C{a} {b} {}", point(start.0, start.1), point(end.0, tip)), corners)
    };
    canvas.g().s("class", "hop").start();
    canvas.tooltip(tooltip);
    let tag = canvas.tag("path").s("d", &path).s("fill", "none").s("stroke", "#0072b2").n("stroke-width", width);
    tag.end();
    canvas.tag("path").s("d", &format!("M{}Z", head.join("L"))).s("fill", "#0072b2").end();
    canvas.close();
}

/// The time of a hop, beside the head of its arrow: to the left of one that comes from the right, above one that goes
/// to the right.
fn draw_time(canvas: &mut Canvas, right: bool, mark: &Area, from_right: bool, text: &str) {
    let width = words::width(text, TIME) + 3.0;
    let (start, y) = match (right, from_right) {
        (true, _) => (mark.x - mark.wide - ARROW - width, mark.y - 6.5),
        (false, true) => (mark.x - 7.0 - width, mark.y - mark.high - ARROW + 3.0),
        (false, false) => (mark.x + 7.0, mark.y - mark.high - ARROW + 3.0),
    };
    let tag = canvas.tag("rect").n("x", start).n("y", y - TIME * 0.85).n("width", width).n("height", TIME * 1.2);
    tag.s("fill", "#ffffff").n("fill-opacity", 0.8).s("pointer-events", "none").end();
    canvas.text((start + 1.5, y), "start", TIME, SOFT_INK, text);
}

fn draw_copy(canvas: &mut Canvas, platform: &Platform, copy: &Copy, mark: &Area, layout: &Layout) {
    let (name, tooltip) = (copy.name(platform), copy.tooltip(platform));
    let half = mark.high;
    let tag = match copy.role {
        Role::Target => return draw_box(canvas, "target", &name, mark, (TARGET, 1.8), &tooltip),
        Role::Relay => return draw_box(canvas, "relay", &name, mark, (RELAY, 1.0), &tooltip),
        Role::Router => {
            let tag = canvas.tag("rect").s("class", "router").n("x", mark.x - half).n("y", mark.y - half);
            tag.n("width", 2.0 * half).n("height", 2.0 * half).s("fill", ROUTER)
        }
        Role::Switch => {
            let tag = canvas.tag("path").s("class", "switch").s("d", &diamond((mark.x, mark.y), half));
            tag.s("fill", "#ffffff").s("stroke", INK).n("stroke-width", 2.0)
        }
    };
    tag.titled(&tooltip);
    if layout.right {
        let text = words::fit_name(&name, TIME, NAME);
        let (x, y) = (mark.x - half, mark.y - half - 3.0);
        let tag =
            canvas.tag("rect").n("x", x - 1.0).n("y", y - TIME * 0.85).n("width", words::width(&text, TIME) + 2.0);
        tag.n("height", TIME * 1.1).s("fill", "#ffffff").n("fill-opacity", 0.8).s("pointer-events", "none").end();
        canvas.text((x, y), "start", TIME, INK, &text);
    } else {
        let text = words::fit_name(&name, TIME, layout.column / 2.0 - half);
        canvas.text((mark.x + half + 3.0, mark.y + TIME * 0.36), "start", TIME, INK, &text);
    }
}

fn draw_box(canvas: &mut Canvas, class: &str, name: &str, area: &Area, (fill, stroke): (&str, f64), tooltip: &str) {
    let width = 2.0 * area.wide;
    let tag = canvas.tag("rect").s("class", class).n("x", area.x - area.wide).n("y", area.y - BOX / 2.0);
    let tag = tag.n("width", width).n("height", BOX).n("rx", 4.0).s("fill", fill).s("stroke", INK);
    tag.n("stroke-width", stroke).titled(tooltip);
    canvas.g().s("pointer-events", "none").start();
    let text = words::fit_name(name, TEXT, width - 6.0);
    canvas.text((area.x, area.y + TEXT * 0.36), "middle", TEXT, INK, &text);
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
