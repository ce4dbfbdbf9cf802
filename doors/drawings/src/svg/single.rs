//! One reduction or broadcast executed once: the busy times of every processor, and the tree.

use num_traits::Zero;
use oneport_plan::{Broadcast, Dates, Reduction, SingleCosts};
use oneport_platform::Rational;

use super::colour::Colour;
use super::layered::{self, Edge, Mark, Picture, SMALL, Shape};
use super::page::{Head, Notes};
use super::ticks;
use super::xml::{GRID, INK, SOFT_INK};
use crate::words;

const MARGIN: f64 = 16.0;
const TOP: f64 = 62.0;
const ROW: f64 = 30.0;
const NAMES: f64 = 52.0;
const WIDTH: f64 = 820.0;
const SIZE: f64 = 11.0;
/// Limit on the processors with a separate row or vertex.
const MOST: usize = 200;

/// One activity of a processor.
struct Bar {
    /// The processor.
    row: usize,
    /// Merges (and preparations) have the lower half of the row.
    lower: bool,
    start: Rational,
    end: Rational,
    /// The processor whose value the box shows. It determines the colour.
    about: usize,
    label: String,
    tooltip: String,
}

/// One reduction as a Gantt chart, a row per processor: its transfers, and below them (equal costs) its merges.
///
/// Boxes have the colour of the sender. If there are more than 200 processors, only the first 199 and the destination
/// have rows, and a note explains this. O(n).
pub fn reduction_gantt(reduction: &Reduction) -> String {
    let once = Once::reduction(reduction);
    once.gantt("Reduction of", "value", "merge")
}

/// One broadcast as a Gantt chart in the style of [`reduction_gantt`], boxes in the colour of the receiver.
pub fn broadcast_gantt(broadcast: &Broadcast) -> String {
    let once = Once::broadcast(broadcast);
    once.gantt("Broadcast to", "processor", "preparation")
}

/// A reduction and the broadcast that follows it as one Gantt chart. O(n).
pub fn all_reduce_gantt(reduction: &Reduction, broadcast: &Broadcast) -> String {
    let length = &reduction.length + &broadcast.length;
    let once = Once::reduction(reduction);
    let mut bars = once.bars();
    bars.extend(
        Once::broadcast(broadcast)
            .bars()
            .into_iter()
            .map(|bar| Bar {
                start: bar.start + &reduction.length,
                end: bar.end + &reduction.length,
                ..bar
            }),
    );
    let title = format!(
        "All-reduction among {}: length {}",
        words::plural(once.ends.len(), "processor"),
        words::show(&length)
    );
    let subtitle = format!(
        "{}; the broadcast begins at {}",
        costs_words(&reduction.costs, "merge"),
        words::show(&reduction.length)
    );
    gantt(&title, &subtitle, &once.rows(), &bars, &length)
}

/// The tree of a reduction, the root at the top, children from left to right in the order of arrival (a wide tree has
/// its root at the left, children from top to bottom). The edge above a processor has the date at which it starts to
/// send. Processors beyond the first 200 of the tree are left out. O(n log n).
pub fn single_tree(reduction: &Reduction) -> String {
    let n = reduction.receivers.len();
    let title = format!(
        "Reduction tree of {}: length {}",
        words::plural(n, "value"),
        words::show(&reduction.length)
    );
    let drawn = first_of_tree(reduction);
    let mut note =
        "dates: when the transfer starts; at the root, when the result is there".to_string();
    if n > drawn.len() {
        note = format!("{} more are not shown; {note}", n - drawn.len());
    }
    let picture = Picture {
        title: &title,
        subtitle: &costs_words(&reduction.costs, "merge"),
        marks: drawn
            .iter()
            .map(|&(processor, layer, _)| vertex(reduction, processor, layer))
            .collect(),
        edges: drawn
            .iter()
            .enumerate()
            .filter_map(|(lower, &(processor, _, upper))| {
                Some(transfer(reduction, processor, [lower, upper?]))
            })
            .collect(),
        upwards: false,
        notes: vec![note],
        legend: Vec::new(),
    };
    layered::draw(&picture)
}

/// The first processors of the tree, depth first, children in the order of arrival: each with its layer and the index
/// of its receiver in this list.
fn first_of_tree(reduction: &Reduction) -> Vec<(usize, usize, Option<usize>)> {
    let (n, root) = (reduction.receivers.len(), reduction.root as usize);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut order: Vec<usize> = (0..n).filter(|&i| i != root).collect();
    order.sort_by_cached_key(|&i| (at(&reduction.starts, i), i));
    for sender in order {
        if let Some(list) = children.get_mut(reduction.receivers[sender] as usize) {
            list.push(sender);
        }
    }
    let mut drawn = Vec::new();
    let mut open = vec![(root, 0, None)];
    while let Some(next) = open.pop().filter(|_| drawn.len() < MOST) {
        let Some(own) = children.get(next.0) else {
            continue;
        };
        open.extend(
            own.iter()
                .rev()
                .map(|&child| (child, next.1 + 1, Some(drawn.len()))),
        );
        drawn.push(next);
    }
    drawn
}

/// A processor's circle with its number. The root has the date of the result.
fn vertex(reduction: &Reduction, processor: usize, layer: usize) -> Mark {
    let colour = Colour::category(processor);
    let is_root = layer == 0;
    let start = at(&reduction.starts, processor);
    let tooltip = if is_root {
        format!("{processor}: result at {}", words::show(&reduction.length))
    } else {
        format!(
            "{processor} sends to {} at {}",
            reduction.receivers[processor],
            words::show(&start)
        )
    };
    Mark {
        class: "processor",
        shape: Shape::Circle,
        lines: vec![processor.to_string()],
        beside: if is_root {
            words::terse(&reduction.length)
        } else {
            String::new()
        },
        fill: colour.hex(),
        ink: colour.text(),
        frame: if is_root { 2.0 } else { 0.6 },
        tooltip,
        layer,
    }
}

fn transfer(reduction: &Reduction, processor: usize, [lower, upper]: [usize; 2]) -> Edge<'static> {
    let date = words::terse(&at(&reduction.starts, processor));
    Edge {
        lower,
        upper,
        side: 0.0,
        class: "edge",
        colour: SOFT_INK,
        width: 1.0,
        has_head: false,
        tooltip: format!("{processor} sends to {}", reduction.receivers[processor]),
        wish: words::width(&date, SMALL),
        texts: Box::new(move |_, _| vec![date.clone()]),
    }
}

fn costs_words(costs: &SingleCosts, step: &str) -> String {
    match costs {
        SingleCosts::Equal { transfer, compute } => {
            format!(
                "transfer {} · {step} {}",
                words::show(transfer),
                words::show(compute)
            )
        }
        SingleCosts::PerSender(_) => "a transfer takes its sender's time".to_string(),
    }
}

fn at(dates: &Dates, index: usize) -> Rational {
    dates.get(index).unwrap_or_else(Rational::zero)
}

/// A reduction or a broadcast.
struct Once<'a> {
    costs: &'a SingleCosts,
    root: usize,
    length: &'a Rational,
    /// Per processor, the other end of its transfer: the receiver in a reduction, the sender in a broadcast.
    ends: &'a [u32],
    is_broadcast: bool,
    starts: &'a Dates,
    /// Merges of a reduction, preparations of a broadcast.
    steps: Option<&'a Dates>,
}

impl<'a> Once<'a> {
    fn reduction(reduction: &'a Reduction) -> Once<'a> {
        Once {
            costs: &reduction.costs,
            root: reduction.root as usize,
            length: &reduction.length,
            ends: &reduction.receivers,
            is_broadcast: false,
            starts: &reduction.starts,
            steps: reduction.merges.as_ref(),
        }
    }

    fn broadcast(broadcast: &'a Broadcast) -> Once<'a> {
        Once {
            costs: &broadcast.costs,
            root: broadcast.root as usize,
            length: &broadcast.length,
            ends: &broadcast.senders,
            is_broadcast: true,
            starts: &broadcast.starts,
            steps: broadcast.preparations.as_ref(),
        }
    }

    fn rows(&self) -> Rows {
        Rows::new(self.ends.len(), self.root)
    }

    fn gantt(&self, title: &str, counted: &str, step: &str) -> String {
        let title = format!(
            "{title} {}: length {}",
            words::plural(self.ends.len(), counted),
            words::show(self.length)
        );
        let subtitle = costs_words(self.costs, step);
        gantt(&title, &subtitle, &self.rows(), &self.bars(), self.length)
    }

    /// The bars of transfers, at sender and receiver, and of their merges or preparations.
    fn bars(&self) -> Vec<Bar> {
        let rows = self.rows();
        let mut bars = Vec::new();
        for (about, &end) in self.ends.iter().enumerate() {
            let end = end as usize;
            if about == self.root || !(rows.has(about) || rows.has(end)) {
                continue;
            }
            let (sender, receiver) = if self.is_broadcast {
                (end, about)
            } else {
                (about, end)
            };
            let Some(takes) = self.costs.transfer(sender) else {
                continue;
            };
            let mut bar =
                |row, lower, start: Rational, takes: &Rational, (label, what): (String, &str)| {
                    let end = &start + takes;
                    let tooltip =
                        format!("{what}, {} to {}", words::show(&start), words::show(&end));
                    bars.push(Bar {
                        row,
                        lower,
                        start,
                        end,
                        about,
                        label,
                        tooltip,
                    });
                };
            let (start, what) = (at(self.starts, about), format!("{sender} to {receiver}"));
            bar(
                sender,
                false,
                start.clone(),
                takes,
                (format!("to {receiver}"), &what),
            );
            bar(
                receiver,
                false,
                start,
                takes,
                (format!("from {sender}"), &what),
            );
            if let (SingleCosts::Equal { compute, .. }, Some(steps)) = (self.costs, self.steps) {
                let (row, label, what) = if self.is_broadcast {
                    let what = format!("{sender} prepares the transfer to {receiver}");
                    (sender, format!("for {receiver}"), what)
                } else {
                    let what = format!("{receiver} merges what {sender} sent");
                    (receiver, format!("+{sender}"), what)
                };
                bar(row, true, at(steps, about), compute, (label, &what));
            }
        }
        bars
    }
}

/// The processors that have a row: all if they are few, else the first and the root.
struct Rows {
    processors: usize,
    last: usize,
}

impl Rows {
    fn new(processors: usize, root: usize) -> Rows {
        let last = processors.min(MOST).saturating_sub(1);
        Rows {
            processors,
            last: root.max(last),
        }
    }

    fn count(&self) -> usize {
        self.processors.min(MOST)
    }

    /// The row of a processor.
    fn of(&self, processor: usize) -> Option<usize> {
        let last = self.count().saturating_sub(1);
        if processor == self.last {
            Some(last)
        } else {
            (processor < last).then_some(processor)
        }
    }

    fn has(&self, processor: usize) -> bool {
        self.of(processor).is_some()
    }

    /// The processor of a row.
    fn at(&self, row: usize) -> usize {
        if row + 1 == self.count() {
            self.last
        } else {
            row
        }
    }
}

fn gantt(title: &str, subtitle: &str, shown: &Rows, bars: &[Bar], horizon: &Rational) -> String {
    let rows = shown.count();
    let halves = bars.iter().any(|bar| bar.lower);
    let row = match rows {
        0..=24 => ROW,
        25..=60 => 20.0,
        _ => 13.0,
    };
    let left = MARGIN + NAMES;
    let total = left + WIDTH + 40.0;
    let head = Head::new(title, subtitle, total);
    let top_row = TOP + head.extra;
    let bottom = top_row + rows as f64 * row;
    let notes = Notes::new(&[note(shown.processors, halves)], total);
    let mut canvas = head.page(bottom + 44.0 + notes.height);
    let marks: Vec<Rational> = bars
        .iter()
        .filter(|bar| shown.has(bar.row))
        .map(|bar| bar.end.clone())
        .collect();
    let x = |time: &Rational| left + WIDTH * words::share(time, horizon).clamp(0.0, 1.0);
    for index in 0..rows {
        let y = top_row + index as f64 * row;
        if index % 2 == 0 {
            let tag = canvas.rect("", (left, y), (WIDTH, row));
            tag.fill("#000000").s("fill-opacity", "0.045").end();
        }
        let name = shown.at(index).to_string();
        canvas.text(
            (left - 8.0, y + row / 2.0 + SIZE * 0.35),
            "end",
            SIZE,
            INK,
            &name,
        );
    }
    canvas.line((left, bottom), (left + WIDTH, bottom), SOFT_INK, 1.0);
    for tick in ticks::time_axis(horizon, &marks, None, SIZE, WIDTH) {
        let x = x(&tick.time);
        canvas.line((x, top_row), (x, bottom), GRID, 0.6);
        canvas.line((x, bottom), (x, bottom + 4.0), SOFT_INK, 1.0);
        canvas.text((x, bottom + 15.0), "middle", SIZE, INK, &tick.label);
    }
    for bar in bars.iter().filter(|bar| bar.start < bar.end) {
        let Some(shown_row) = shown.of(bar.row) else {
            continue;
        };
        let (from, to) = (x(&bar.start), x(&bar.end));
        let (top, height) = match (halves, bar.lower) {
            (false, _) => (0.1, 0.8),
            (true, false) => (0.06, 0.5),
            (true, true) => (0.56, 0.38),
        };
        let (y, height) = (top_row + (shown_row as f64 + top) * row, height * row);
        let colour = Colour::category(bar.about);
        let tag = canvas
            .rect("box", (from, y), ((to - from).max(0.05), height))
            .fill(&colour.hex())
            .stroke("#333", 0.5);
        if bar.lower {
            tag.s("fill-opacity", "0.6").titled(&bar.tooltip)
        } else {
            tag.titled(&bar.tooltip)
        }
        let size = (height * 0.75).min(SIZE);
        if words::width(&bar.label, size) + 4.0 <= to - from {
            let ink = if bar.lower { INK } else { colour.text() };
            canvas.text(
                ((from + to) / 2.0, y + height / 2.0 + size * 0.36),
                "middle",
                size,
                ink,
                &bar.label,
            );
        }
    }
    canvas.text(
        (left + WIDTH / 2.0, bottom + 31.0),
        "middle",
        SIZE,
        SOFT_INK,
        "time",
    );
    notes.draw(&mut canvas, bottom + 34.0);
    canvas.finish()
}

/// Explains the boxes and names the omitted processors.
fn note(processors: usize, halves: bool) -> String {
    let mut note = "boxes have the colour of the processor they are about".to_string();
    if halves {
        note.push_str(": transfers above, computation below");
    }
    if processors > MOST {
        note.push_str(&format!(
            "; {} more processors are not shown",
            processors - MOST
        ));
    }
    note
}
