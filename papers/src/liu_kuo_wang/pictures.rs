//! Charts of transmission windows (figures 6, 7 and 10) and of the table T(f, s) (figures 12 to 16).

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use oneport::plan::Reduction;

use super::brute::{self, EarliestRun};
use super::theorems;
use super::third::{self, Case};
use crate::figures::Figure;
use crate::numbers::whole_number;

/// Width of a cell and of a unit of time, in pixels.
const CELL: f64 = 28.0;
const UNIT: f64 = 36.0;
const ROW: f64 = 24.0;
const PLAIN: &str = "#f7f9fb";
const SHADED: &str = "#b6c2cf";
const SLOW: &str = "#e8b48f";
const FAST: &str = "#9fc5e8";

/// A transmission window in a separate row.
struct Window {
    name: String,
    from: u64,
    to: u64,
    fill: &'static str,
}

fn opened(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
    )
}

/// Groups of windows over one axis of time, `scale` dates to the unit.
fn chart(title: &str, groups: &[(&str, Vec<Window>)], scale: u64) -> String {
    const LEFT: f64 = 78.0;
    let ends = groups
        .iter()
        .flat_map(|(_, windows)| windows.iter().map(|window| window.to));
    let last = ends.max().unwrap_or(0);
    let x = |date: u64| LEFT + date as f64 / scale as f64 * UNIT;
    let rows: usize = groups.iter().map(|(_, windows)| windows.len() + 2).sum();
    let mut svg = opened(x(last) + 24.0, rows as f64 * ROW + 12.0, title);
    let mut y = 18.0;
    for (head, windows) in groups {
        let _ = writeln!(
            svg,
            "<text x=\"8\" y=\"{y}\" font-weight=\"bold\">{head}</text>"
        );
        let foot = y + (windows.len() as f64 + 0.4) * ROW;
        for date in 0..=last / scale {
            let at = x(date * scale);
            let _ = writeln!(
                svg,
                "<line x1=\"{at}\" y1=\"{}\" x2=\"{at}\" y2=\"{foot}\" stroke=\"#d5dde5\"/>\n\
                 <text x=\"{at}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\">{date}</text>",
                y + 6.0,
                foot + 12.0
            );
        }
        for window in windows {
            y += ROW;
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#1f2933\"/>\n\
                 <text x=\"8\" y=\"{}\">{}</text>",
                x(window.from),
                y - 15.0,
                x(window.to) - x(window.from),
                ROW - 6.0,
                window.fill,
                y,
                window.name
            );
        }
        y = foot + 1.6 * ROW;
    }
    svg + "</svg>\n"
}

fn named(times: &[u64], run: &EarliestRun, names: &[(&str, usize)]) -> Vec<Window> {
    let slowest = times.iter().copied().max().unwrap_or(0);
    let window = |&(name, sender): &(&str, usize)| Window {
        name: name.to_string(),
        from: run.starts[sender],
        to: run.starts[sender] + times[sender],
        fill: if times[sender] == slowest { SLOW } else { FAST },
    };
    names.iter().map(window).collect()
}

/// Figure 6: four processors, senders of times 1, 1 and 2 in this order. The slow one is exchanged with a fast one.
fn figure_6() -> Result<Figure> {
    let times = [1, 1, 2];
    let run = brute::earliest(&times);
    let names = [("p", 2), ("q", 0), ("other", 1)];
    ensure!(run.starts[2] == times[0], "p does not start when q ends");
    let mut changed = run.clone();
    (changed.starts[2], changed.starts[0]) = (run.starts[0], times[2]);
    ensure!(
        brute::is_valid(&times, &changed),
        "the exchange is not valid"
    );
    let groups = [
        ("before", named(&times, &run, &names)),
        ("after", named(&times, &changed, &names)),
    ];
    Ok(Figure::svg(
        "Liu-Kuo-Wang 2009, figure 6",
        "Lemma 2 on four processors, times 2 (p) and 1: p starts when the faster q ends, and they change places.",
        chart("Figure 6", &groups, 1),
    ))
}

/// Figure 7: the first rearrangement of lemma 3 with p strictly inside the window of q1.
fn figure_7() -> Result<Figure> {
    let (times, changed, p, [q1, q2, q3]) = theorems::rearrangements()
        .into_iter()
        .find(|(times, changed, p, [_, _, q3])| {
            (changed.starts[*q3] - changed.starts[*p]) % times[*q3] > 0
        })
        .context("p is never strictly inside")?;
    let run = brute::earliest(&times);
    let names = [("p", p), ("q1", q1), ("q2", q2), ("q3", q3)];
    let groups = [
        ("before", named(&times, &run, &names)),
        ("after", named(&times, &changed, &names)),
    ];
    let caption = format!(
        "Lemma 3, in fast times: p, {} fast times long, starts within the window of q1. Of {} senders these four move.",
        times[p] as f64 / times[q1] as f64,
        times.len()
    );
    Ok(Figure::svg(
        "Liu-Kuo-Wang 2009, figure 7",
        caption,
        chart("Figure 7", &groups, times[q1]),
    ))
}

/// Figure 10: the windows of a schedule, read backwards from its end.
pub fn figure_10(schedule: &Reduction) -> Result<Figure> {
    let length = whole_number(&schedule.length)?;
    let mut windows = Vec::new();
    for (sender, receiver) in schedule.receivers.iter().enumerate() {
        if sender == schedule.root as usize {
            continue;
        }
        let start = whole_number(&schedule.starts.get(sender).unwrap_or_default())?;
        let time = schedule
            .costs
            .transfer(sender)
            .context("a sender without a time")?;
        let end = start + whole_number(time)?;
        windows.push(Window {
            name: format!("{sender} to {receiver}"),
            from: length - end,
            to: length - start,
            fill: FAST,
        });
    }
    windows.sort_by(|a, b| (a.from, &a.name).cmp(&(b.from, &b.name)));
    let caption = "Every window of figure 9, read backwards from the end of the reduction, which is 0 here. Sender and receiver are named as in \
                   figure 9: backwards, the receiver sends.";
    Ok(Figure::svg(
        "Liu-Kuo-Wang 2009, figure 10",
        caption,
        chart("Figure 10", &[("from the end", windows)], 1),
    ))
}

/// A picture of the table: `f` to the right, `s` upwards.
struct Cells<'t> {
    title: &'t str,
    table: &'t [Vec<u64>],
    columns: usize,
    rows: usize,
}

impl Cells<'_> {
    /// Some cells shaded, some framed.
    fn svg(
        &self,
        shaded: impl Fn(usize, usize) -> bool,
        framed: impl Fn(usize, usize) -> bool,
    ) -> String {
        let (width, height) = (
            (self.columns as f64 + 2.0) * CELL,
            (self.rows as f64 + 2.0) * CELL,
        );
        let mut svg = opened(width, height, self.title);
        let mut frames = String::new();
        let text = |x: f64, y: f64, word: String| {
            format!(
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"11\">{word}</text>\n"
            )
        };
        let row = |s: usize| (self.rows - 1 - s) as f64 * CELL + 8.0;
        let column = |f: usize| (f as f64 + 1.0) * CELL;
        let square = |f: usize, s: usize, style: &str| {
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\" {style}/>\n",
                column(f),
                row(s)
            )
        };
        for f in 0..self.columns {
            for s in 0..self.rows {
                let fill = if shaded(f, s) { SHADED } else { PLAIN };
                svg += &square(f, s, &format!("fill=\"{fill}\" stroke=\"#d5dde5\""));
                svg += &text(
                    column(f) + CELL / 2.0,
                    row(s) + 18.0,
                    self.table[f][s].to_string(),
                );
                if framed(f, s) {
                    frames += &square(f, s, "fill=\"none\" stroke=\"#8a3b12\" stroke-width=\"2\"");
                }
            }
            svg += &text(column(f) + CELL / 2.0, row(0) + CELL + 14.0, f.to_string());
        }
        for s in 0..self.rows {
            svg += &text(CELL / 2.0, row(s) + 18.0, s.to_string());
        }
        svg + &frames
            + &text(
                width / 2.0,
                height - 6.0,
                "f to the right, s upwards".to_string(),
            )
            + "</svg>\n"
    }
}

/// Figure 12: a cell with f > s, and the rectangle beyond it.
fn figure_12() -> Result<Figure> {
    let (at, most) = ((6, 3), 13);
    let table = brute::table(2, 3, most, most);
    let beyond = |f: usize, s: usize| f >= at.0 && s >= at.1;
    for f in 0..=most {
        for s in 0..=most {
            ensure!(
                !beyond(f, s) || table[f][s] >= table[at.0][at.1],
                "T({f}, {s}) is less"
            );
        }
    }
    let cells = Cells {
        title: "Figure 12",
        table: &table,
        columns: most + 1,
        rows: most + 1,
    };
    let caption = "Times 2 and 3: T(f, s) in each cell. No grey cell is less than the framed one, f* = 6, s* = 3.";
    Ok(Figure::svg(
        "Liu-Kuo-Wang 2009, figure 12",
        caption,
        cells.svg(beyond, |f, s| (f, s) == at),
    ))
}

/// Figures 13 to 16: the parts of a table that the cases leave out, with buddies. The line s = f + 1 is framed.
fn regions() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (number, (f, s), words) in [
        (13, (13, 6), "the columns with S(A) <= S(B) + 1"),
        (
            14,
            (13, 6),
            "the columns with S(A) > S(B) + 1 and T(A) <= T(B)",
        ),
        (
            15,
            (13, 6),
            "the columns from the first A on with T(A) > T(B)",
        ),
        (
            16,
            (8, 12),
            "slow senders outnumber fast ones: the first case alone",
        ),
    ] {
        let table = brute::table(2, 3, f, s);
        let cases = third::cases(&table, f, s, third::mended(s));
        let wanted = |case: Case| match number {
            14 => case == Case::Second,
            15 => matches!(case, Case::Third { .. }),
            _ => case == Case::First,
        };
        ensure!(
            cases.iter().any(|&case| wanted(case)),
            "figure {number} shows nothing"
        );
        let shaded = |left: usize, share: usize| {
            // A pair is shown at both buddies.
            let (a, share) = if left < f.div_ceil(2) {
                (left, share)
            } else {
                (f - 1 - left, s - share)
            };
            cases.get(a).is_some_and(|&case| {
                let (first, last) = third::kept(case, a, s);
                wanted(case) && !(first..=last).contains(&share)
            })
        };
        let cells = Cells {
            title: &format!("Figure {number}"),
            table: &table,
            columns: f,
            rows: s + 1,
        };
        let svg = cells.svg(shaded, |left, share| share == left + 1);
        let caption = format!(
            "Pairs of T({f}, {s}), times 2 and 3; {words}. Grey pairs cannot be better than others and are left out, as are their buddies."
        );
        figures.push(Figure::svg(
            format!("Liu-Kuo-Wang 2009, figure {number}"),
            caption,
            svg,
        ));
    }
    Ok(figures)
}

/// Figures 6 and 7.
pub fn exchanges() -> Result<Vec<Figure>> {
    Ok(vec![figure_6()?, figure_7()?])
}

/// Figures 12 to 16.
pub fn tables() -> Result<Vec<Figure>> {
    let mut figures = vec![figure_12()?];
    figures.extend(regions()?);
    Ok(figures)
}
