//! Forests in layers, from the top down or, if they are wide, from left to right.
//!
//! Leaves have a column each, in order. Every other vertex is in the middle of the columns below it. The texts of an
//! edge are next to its lower end, so no two of them touch. An edge runs along the column of its lower end and bends
//! just below the upper one, so it passes behind no other vertex.

use super::legend::{self, Entry};
use super::page::{Head, MARGIN, Notes};
use super::xml::{Canvas, INK, SOFT_INK, diamond, point, polygon};
use crate::words;

const TOP: f64 = 66.0;
const SIZE: f64 = 11.0;
/// Size of texts next to vertices and edges, and height of their lines.
pub(super) const SMALL: f64 = 10.0;
const LINE: f64 = 12.5;
/// Longest text inside a box, in pixels.
const BOX_ROOM: f64 = 170.0;
/// Width of a column. The height of a row follows from its texts.
const COLUMN: (f64, f64) = (50.0, 132.0);
/// Longest text next to a vertex, from the top down.
const BESIDE: f64 = 70.0;
/// Longest text along an edge.
const EDGE_ROOM: (f64, f64) = (240.0, 260.0);
/// Most lines along an edge, from the top down and from left to right.
const MOST_LINES: (usize, usize) = (9, 2);
const ARROW: f64 = 7.0;
/// Least space for curves, from the top down and from left to right.
const BEND: (f64, f64) = (26.0, 34.0);
/// A forest of more columns goes from left to right, unless it is deeper than wide.
const ABREAST: usize = 16;

/// A forest, with the texts around it.
pub(super) struct Picture<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
    pub marks: Vec<Mark>,
    /// The first edge from a lower end decides its position. Lower ends of the same vertex keep this order.
    pub edges: Vec<Edge<'a>>,
    /// Whether arrows point to the upper end.
    pub upwards: bool,
    pub notes: Vec<String>,
    pub legend: Vec<Entry>,
}

/// A vertex.
pub(super) struct Mark {
    pub class: &'static str,
    pub shape: Shape,
    pub lines: Vec<String>,
    /// A text to the right of it.
    pub beside: String,
    pub fill: String,
    pub ink: &'static str,
    /// Width of the frame.
    pub frame: f64,
    pub tooltip: String,
    /// 0 at the top.
    pub layer: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// A box with this radius of its corners.
    Box(f64),
    Square,
    Diamond,
    Circle,
}

/// An edge between two vertices.
pub(super) struct Edge<'a> {
    pub lower: usize,
    pub upper: usize,
    /// Position of its upper end, as a share of that vertex's width from the middle.
    pub side: f64,
    pub class: &'static str,
    pub colour: &'static str,
    pub width: f64,
    pub has_head: bool,
    pub tooltip: String,
    /// The widest text that may be written along it.
    pub wish: f64,
    /// The texts along it, given the room in pixels and the number of lines.
    pub texts: Box<dyn Fn(f64, usize) -> Vec<String> + 'a>,
}

impl Mark {
    /// Half of its width and of its height, the former of a box with its texts.
    fn half(&self, right: bool) -> (f64, f64) {
        match self.shape {
            Shape::Box(_) => {
                let text = words::widest(&self.lines, SIZE).min(BOX_ROOM);
                (
                    (text + 14.0).max(44.0) / 2.0,
                    if self.lines.len() > 1 { 17.0 } else { 12.0 },
                )
            }
            Shape::Square => (6.0, 6.0),
            Shape::Diamond => (8.0, 8.0),
            Shape::Circle if right => (10.0, 10.0),
            Shape::Circle => (13.0, 13.0),
        }
    }

    fn beside_width(&self) -> f64 {
        if self.beside.is_empty() {
            0.0
        } else {
            words::width(&self.beside, SMALL) + 5.0
        }
    }

    /// Draws it around a point, a box this wide.
    pub(super) fn draw(&self, canvas: &mut Canvas, (x, y): (f64, f64), (wide, high): (f64, f64)) {
        let tag = match self.shape {
            Shape::Circle => canvas.circle(self.class, (x, y), high),
            Shape::Diamond => canvas.path(self.class, &diamond((x, y), high)),
            Shape::Box(_) | Shape::Square => {
                let tag = canvas.rect(self.class, (x - wide, y - high), (2.0 * wide, 2.0 * high));
                if let Shape::Box(corner) = self.shape {
                    tag.n("rx", corner)
                } else {
                    tag
                }
            }
        };
        tag.fill(&self.fill)
            .stroke(INK, self.frame)
            .titled(&self.tooltip);
        let size = if self.shape == Shape::Circle && self.lines.iter().any(|line| line.len() > 2) {
            8.5
        } else {
            SIZE
        };
        let first = y + size * 0.36 - 6.75 * self.lines.len().saturating_sub(1) as f64;
        for (line, text) in self.lines.iter().enumerate() {
            let room = if self.shape == Shape::Circle {
                f64::INFINITY
            } else {
                2.0 * wide - 6.0
            };
            let text = if line == 0 && self.lines.len() > 1 {
                words::fit(text, size, room)
            } else {
                words::fit_name(text, size, room)
            };
            canvas.g().untouched().start();
            canvas.text(
                (x, first + 13.5 * line as f64),
                "middle",
                size,
                self.ink,
                &text,
            );
            canvas.close();
        }
    }
}

/// Draws a forest. `O(v + e)` for `v` vertices and `e` edges, besides texts.
pub(super) fn draw(picture: &Picture<'_>) -> String {
    let grid = Grid::new(picture);
    let layers = picture
        .marks
        .iter()
        .map(|mark| mark.layer + 1)
        .max()
        .unwrap_or(0);
    let right = grid.columns > ABREAST && layers <= grid.columns;
    let layout = if right {
        Layout::right(picture, &grid, layers)
    } else {
        Layout::down(picture, &grid, layers)
    };
    let width = layout
        .size
        .0
        .max(Head::width(picture.title, picture.subtitle))
        + 2.0 * MARGIN
        + 1.0;
    let head = Head::new(picture.title, picture.subtitle, width);
    let origin = ((width - layout.size.0) / 2.0, TOP + head.extra);
    let notes = Notes::new(&picture.notes, width);
    let legend = legend::layout(&picture.legend, MARGIN, width - 2.0 * MARGIN);
    let bottom = origin.1 + layout.size.1 + 12.0;
    let height = bottom + notes.height + legend.height + 16.0;
    let mut canvas = head.page(height);
    let drawing = Drawing {
        picture,
        grid: &grid,
        layout: &layout,
        origin,
    };
    for edge in picture.edges.iter() {
        drawing.edge(&mut canvas, edge);
    }
    for mark in 0..picture.marks.len() {
        drawing.mark(&mut canvas, mark);
    }
    notes.draw(&mut canvas, bottom);
    legend::draw(
        &mut canvas,
        &picture.legend,
        &legend,
        bottom + notes.height + 12.0,
    );
    canvas.finish()
}

/// The columns of leaves below each vertex.
struct Grid {
    /// First and last column.
    spans: Vec<(usize, usize)>,
    columns: usize,
    is_leaf: Vec<bool>,
}

impl Grid {
    fn new(picture: &Picture<'_>) -> Grid {
        let count = picture.marks.len();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut is_root = vec![true; count];
        for edge in &picture.edges {
            if std::mem::take(&mut is_root[edge.lower]) {
                below[edge.upper].push(edge.lower);
            }
        }
        let mut spans = vec![(0, 0); count];
        let mut columns = 0;
        // Depth first without recursion: a chain is as deep as it is long.
        let mut open: Vec<(usize, bool)> = (0..count)
            .rev()
            .filter(|&mark| is_root[mark])
            .map(|root| (root, false))
            .collect();
        while let Some((mark, is_done)) = open.pop() {
            let own = &below[mark];
            if let (true, Some(first), Some(last)) = (is_done, own.first(), own.last()) {
                spans[mark] = (spans[*first].0, spans[*last].1);
            } else if own.is_empty() {
                spans[mark] = (columns, columns);
                columns += 1;
            } else {
                open.push((mark, true));
                open.extend(own.iter().rev().map(|&lower| (lower, false)));
            }
        }
        let is_leaf = below.iter().map(Vec::is_empty).collect();
        Grid {
            spans,
            columns,
            is_leaf,
        }
    }

    /// The middle of the columns, in columns.
    fn middle(&self, mark: usize) -> f64 {
        let (first, last) = self.spans[mark];
        (first + last + 1) as f64 / 2.0
    }

    /// Columns for the texts of a vertex: one for a leaf, else its span, but at most two.
    fn share(&self, mark: usize) -> f64 {
        let (first, last) = self.spans[mark];
        if self.is_leaf[mark] {
            1.0
        } else {
            ((last + 1 - first) as f64).min(2.0)
        }
    }
}

/// Positions of layers and columns, in pixels.
struct Layout {
    right: bool,
    size: (f64, f64),
    /// Distance of columns (of rows, from left to right).
    column: f64,
    /// Per layer, its start and its extent.
    layers: Vec<(f64, f64)>,
    /// Per layer, the space for curves at its lower side.
    bends: Vec<f64>,
    most_lines: usize,
}

impl Layout {
    fn down(picture: &Picture<'_>, grid: &Grid, layers: usize) -> Layout {
        let marks = picture.marks.iter().enumerate();
        let boxes = marks.map(|(index, mark)| (2.0 * mark.half(false).0 + 8.0) / grid.share(index));
        let edges = picture
            .edges
            .iter()
            .map(|edge| (edge.wish + 14.0) / grid.share(edge.lower));
        let column = boxes.chain(edges).fold(COLUMN.0, f64::max).min(COLUMN.1);
        let named = picture.marks.iter().filter(|mark| !mark.beside.is_empty());
        let beside =
            named.map(|mark| 2.0 * (mark.half(false).0 + mark.beside_width().min(BESIDE)) + 8.0);
        let column = beside.fold(column, f64::max);
        let mut heights = vec![0.0_f64; layers];
        for mark in &picture.marks {
            let height = &mut heights[mark.layer];
            *height = height.max(2.0 * mark.half(false).1);
        }
        let bends = vec![BEND.0; layers];
        let mut layout = Layout {
            right: false,
            size: (grid.columns as f64 * column, 0.0),
            column,
            layers: Vec::new(),
            bends,
            most_lines: MOST_LINES.0,
        };
        let mut texts = vec![0.0_f64; layers];
        for edge in &picture.edges {
            let (lower, upper) = (&picture.marks[edge.lower], &picture.marks[edge.upper]);
            let lines = layout.texts(grid, edge).len();
            texts[lower.layer] = texts[lower.layer]
                .max(lines as f64 * LINE + if picture.upwards { 0.0 } else { ARROW });
            let across = (grid.middle(edge.lower) - grid.middle(edge.upper)).abs() * column;
            layout.bends[upper.layer] = layout.bends[upper.layer].max((across * 0.1).min(70.0));
        }
        let mut top = 0.0;
        for (layer, height) in heights.into_iter().enumerate() {
            top += if layer > 0 {
                layout.bends[layer - 1] + texts[layer]
            } else {
                0.0
            };
            layout.layers.push((top, height));
            top += height;
        }
        layout.size.1 = top;
        layout
    }

    fn right(picture: &Picture<'_>, grid: &Grid, layers: usize) -> Layout {
        let bends = vec![BEND.1; layers];
        let mut layout = Layout {
            right: true,
            size: (0.0, 0.0),
            column: 0.0,
            layers: Vec::new(),
            bends,
            most_lines: MOST_LINES.1,
        };
        let mut widths = vec![0.0_f64; layers];
        let mut gaps = vec![0.0_f64; layers];
        for mark in &picture.marks {
            let (wide, high) = mark.half(true);
            widths[mark.layer] = widths[mark.layer].max(2.0 * wide + mark.beside_width());
            layout.column = layout.column.max(2.0 * high + 8.0);
        }
        for edge in &picture.edges {
            let lines = layout.texts(grid, edge);
            let text = words::widest(&lines, SMALL);
            let gap = &mut gaps[picture.marks[edge.lower].layer];
            *gap = gap.max(text + 10.0);
            // Further lines are below the edge.
            layout.column = layout
                .column
                .max(2.0 * (LINE * lines.len().saturating_sub(1) as f64 + 4.0));
        }
        layout.layers = vec![(0.0, 0.0); layers];
        let mut left = 0.0;
        let drawn_order = |layer: usize| {
            if picture.upwards {
                layers - 1 - layer
            } else {
                layer
            }
        };
        for layer in (0..layers).map(drawn_order) {
            let gap = gaps[layer] + BEND.1;
            left += if picture.upwards || layer == 0 {
                0.0
            } else {
                gap
            };
            layout.layers[layer] = (left, widths[layer]);
            left += widths[layer]
                + if picture.upwards && layer > 0 {
                    gap
                } else {
                    0.0
                };
        }
        layout.size = (left, grid.columns as f64 * layout.column);
        layout
    }

    /// The texts along an edge.
    fn texts(&self, grid: &Grid, edge: &Edge<'_>) -> Vec<String> {
        let (first, last) = grid.spans[edge.lower];
        let room = if self.right {
            EDGE_ROOM.1
        } else {
            ((last + 1 - first) as f64 * self.column - 6.0).min(EDGE_ROOM.0)
        };
        (edge.texts)(room, self.most_lines)
    }
}

struct Drawing<'a> {
    picture: &'a Picture<'a>,
    grid: &'a Grid,
    layout: &'a Layout,
    origin: (f64, f64),
}

impl Drawing<'_> {
    /// Centre of a vertex, half of its width and of its height.
    fn area(&self, index: usize) -> ((f64, f64), (f64, f64)) {
        let (mark, layout) = (&self.picture.marks[index], self.layout);
        let (begin, extent) = layout.layers[mark.layer];
        let along = self.grid.middle(index) * layout.column;
        let (wide, high) = mark.half(layout.right);
        if layout.right {
            let wide = if let Shape::Box(_) = mark.shape {
                extent / 2.0
            } else {
                wide
            };
            return (
                (self.origin.0 + begin + wide, self.origin.1 + along),
                (wide, high),
            );
        }
        let (first, last) = self.grid.spans[index];
        let room = (last + 1 - first) as f64 * layout.column - 8.0;
        (
            (self.origin.0 + along, self.origin.1 + begin + extent / 2.0),
            (wide.min(room / 2.0), high),
        )
    }

    fn mark(&self, canvas: &mut Canvas, index: usize) {
        let mark = &self.picture.marks[index];
        let ((x, y), half) = self.area(index);
        mark.draw(canvas, (x, y), half);
        if !mark.beside.is_empty() {
            let text = if self.layout.right {
                mark.beside.clone()
            } else {
                let (first, last) = self.grid.spans[index];
                let room = (last + 1 - first) as f64 * self.layout.column / 2.0;
                words::fit_name(&mark.beside, SMALL, room - half.0 - 4.0)
            };
            let y = if self.layout.right {
                y - 4.0
            } else {
                y + SMALL * 0.36
            };
            canvas.text((x + half.0 + 3.0, y), "start", SMALL, SOFT_INK, &text);
        }
    }

    fn edge(&self, canvas: &mut Canvas, edge: &Edge<'_>) {
        canvas.g().s("class", edge.class).start();
        canvas.tooltip(&edge.tooltip);
        let (lower, upper) = (self.area(edge.lower), self.area(edge.upper));
        let heads = match (edge.has_head, self.picture.upwards) {
            (false, _) => [0.0, 0.0],
            (true, true) => [0.0, ARROW],
            (true, false) => [ARROW, 0.0],
        };
        // Along the layers, from the lower end to the upper one: one axis is turned for each direction.
        let sign = if self.layout.right && self.picture.upwards {
            1.0
        } else {
            -1.0
        };
        let (start, end, turn) = if !self.layout.right {
            let (layer, height) = self.layout.layers[self.picture.marks[edge.upper].layer];
            let turn = self.origin.1
                + layer
                + height
                + self.layout.bends[self.picture.marks[edge.upper].layer];
            let end = (
                upper.0.0 + 2.0 * edge.side * upper.1.0,
                upper.0.1 + upper.1.1,
            );
            ((lower.0.0, lower.0.1 - lower.1.1), end, turn)
        } else {
            let end = (
                upper.0.0 - sign * upper.1.0,
                upper.0.1 + 2.0 * edge.side * upper.1.1,
            );
            (
                (lower.0.0 + sign * lower.1.0, lower.0.1),
                end,
                end.0 - sign * BEND.1,
            )
        };
        // Between x, y and along, across the layers.
        let split = |(x, y): (f64, f64)| if self.layout.right { (x, y) } else { (y, x) };
        let ((from, across), (to, target)) = (split(start), split(end));
        let (begin, tip) = (from + sign * heads[0], to - sign * heads[1]);
        let middle = (turn + tip) / 2.0;
        let [begun, turned, first, second, ended] = [
            (begin, across),
            (turn, across),
            (middle, across),
            (middle, target),
            (tip, target),
        ]
        .map(|at| point(split(at)));
        let path = format!("M{begun}L{turned}C{first} {second} {ended}");
        let line = canvas.path("", &path).fill("none");
        line.stroke(edge.colour, edge.width).end();
        if edge.has_head {
            let half = 2.3 + edge.width * 0.6;
            let (point_at, base, at) = if self.picture.upwards {
                (to, tip, target)
            } else {
                (from, begin, across)
            };
            let corners = [(point_at, at), (base, at - half), (base, at + half)].map(split);
            canvas.path("", &polygon(&corners)).fill(edge.colour).end();
        }
        self.edge_texts(canvas, edge, (begin, across), sign);
        canvas.close();
    }

    /// The texts, next to the lower end.
    fn edge_texts(
        &self,
        canvas: &mut Canvas,
        edge: &Edge<'_>,
        (begin, across): (f64, f64),
        sign: f64,
    ) {
        for (index, line) in self.layout.texts(self.grid, edge).iter().enumerate() {
            let colour = if index == 0 { INK } else { SOFT_INK };
            if self.layout.right {
                let y = if index == 0 {
                    across - 4.0
                } else {
                    across + LINE * index as f64 - 2.0
                };
                let anchor = if sign > 0.0 { "start" } else { "end" };
                canvas.text((begin + 4.0 * sign, y), anchor, SMALL, colour, line);
                continue;
            }
            let base = begin - 5.0 - index as f64 * LINE;
            let width = words::width(line, SMALL) + 3.0;
            canvas
                .rect("", (across - width / 2.0, base - SMALL), (width, LINE))
                .fill("#ffffff")
                .n("fill-opacity", 0.88)
                .untouched()
                .end();
            canvas.text((across, base), "middle", SMALL, colour, line);
        }
    }
}
