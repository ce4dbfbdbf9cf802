//! The worked figures of Liu-Kuo-Wang 2009.

use anyhow::{Result, ensure};
use oneport::heterogeneous::{
    Dependency, Destination, Method, Processors, check_starts, earliest, slowest_first,
};
use oneport::plan::{Dates, Reduction};
use oneport::{Rational, reduce_processors};
use oneport_drawings::svg;

use super::brute;
use super::checked::budget;
use crate::figures::Figure;
use crate::numbers::{number, whole, whole_number};
use crate::rows::{Check, Finding, Value};

pub const CHECKS: &[(&str, Check)] = &[
    ("figure-3", |_| figure_3()),
    ("figure-3-lengths", |_| example_lengths()),
    ("figure-4", |_| figure_4()),
    ("figure-5", |_| figure_5()),
    ("figure-8", |_| {
        figure_8(&["21/20", "5/4", "7/5"], |_| whole(4))
    }),
    ("figure-8-large", |_| {
        figure_8(&["3/2", "7/4", "39/20"], |x| x * whole(2) + whole(1))
    }),
    ("figure-8-destination", |_| destination()),
    ("figure-12", |_| figure_12()),
    ("figures-13-to-16", |_| regions()),
];

/// Transmission times of A to G, figure 1; A is the destination.
const EXAMPLE: [u64; 7] = [10, 5, 5, 5, 4, 2, 2];
/// The destination.
const A: usize = 0;
/// Figure 3's sequence: the text names G, F, D, then C; B and E may follow in either order.
const FIGURE_3: [usize; 6] = [6, 5, 3, 2, 1, 4];

fn example() -> Result<Processors> {
    Ok(Processors::new(
        EXAMPLE.map(whole).to_vec(),
        Destination::Listed(A),
    )?)
}

/// The schedule of figure 3's sequence.
fn figure_3_schedule() -> Result<Reduction> {
    Ok(earliest(&example()?, &FIGURE_3)?)
}

/// C, 2A' and the number of free processors at time 2, before C starts.
fn figure_3() -> Result<Finding> {
    let sequence = FIGURE_3.map(|processor| EXAMPLE[processor]);
    let run = brute::earliest(&sequence);
    ensure!(run.starts[3] == 2, "C starts at {}", run.starts[3]);
    let [_, active, complete] = brute::counts(&sequence, &run, 2);
    let free = EXAMPLE.len() - 2 * active - complete;
    Ok(Finding::value(Value::List(
        [complete, 2 * active, free].map(Value::from).to_vec(),
    )))
}

/// Which lengths earliest-possible schedules of the example have.
fn example_lengths() -> Result<Finding> {
    let senders: Vec<u64> = EXAMPLE[1..].to_vec();
    let mut lengths: Vec<u64> = brute::orders(&senders)
        .iter()
        .map(|order| brute::earliest(order).length)
        .collect();
    let tried = lengths.len();
    lengths.sort_unstable();
    lengths.dedup();
    ensure!(lengths == [11, 12, 14, 15], "{lengths:?}");
    let third = figure_3_schedule()?.length;
    ensure!(third == whole(14), "the sequence of figure 3 takes {third}");
    Ok(Finding::claim(
        true,
        format!("{tried} sequences take 11, 12, 14 or 15; that of figure 3 takes 14"),
    ))
}

/// Destinations by lemma 1: the sender and its receiver are the destinations of the sender's two predecessors.
fn figure_4() -> Result<Finding> {
    let schedule = figure_3_schedule()?;
    oneport::referee::check_reduction(&schedule, oneport::plan::Limit::Unlimited)?;
    let last = (0..EXAMPLE.len()).filter(|&i| i != A).max_by_key(|&i| {
        let start = schedule.starts.get(i).unwrap_or_default();
        (start + whole(EXAMPLE[i]), i)
    });
    let receiver = last.and_then(|last| schedule.receivers.get(last));
    ensure!(
        receiver == Some(&(A as u32)),
        "the last message goes to {receiver:?}"
    );
    Ok(Finding::claim(
        true,
        "the last message goes to A; no two overlapping windows share a processor",
    ))
}

/// Slowest node first on the example, and the optimum.
fn figure_5() -> Result<Finding> {
    let processors = example()?;
    let snf = slowest_first::length(&processors.cluster());
    let best = brute::best(&EXAMPLE[1..]);
    let ours = reduce_processors(&processors, Method::Auto, &budget())?
        .checked
        .shortest
        .length;
    ensure!(
        snf == whole(best) && ours == snf,
        "SNF {snf}, ours {ours}, best sequence {best}"
    );
    Ok(Finding::claim(
        true,
        format!("SNF takes {snf}, the shortest of all sequences"),
    ))
}

/// SNF and optimum for figure 8's cluster with one of the four slow processors as the destination.
pub fn slow_destination(x: &Rational) -> Result<[Rational; 2]> {
    let times = [vec![x.clone(); 4], vec![whole(1); 8]].concat();
    both(&Processors::new(times, Destination::Listed(0))?)
}

/// x = 3/2: with a slow destination SNF is not optimal, with a fast one, or if all twelve send, it is.
fn destination() -> Result<Finding> {
    let x = number("3/2")?;
    let times = [vec![x.clone(); 4], vec![whole(1); 8]].concat();
    let [slow_snf, slow_best] = slow_destination(&x)?;
    ensure!(
        slow_best < slow_snf,
        "a slow destination: SNF {slow_snf} is optimal"
    );
    let mut found = vec![format!("a slow one: SNF {slow_snf}, optimum {slow_best}")];
    for (name, destination) in [
        ("a fast one", Destination::Listed(4)),
        ("all send", Destination::Outside),
    ] {
        let [snf, best] = both(&Processors::new(times.clone(), destination)?)?;
        ensure!(snf == best, "{name}: SNF {snf}, optimum {best}");
        found.push(format!("{name}: {best}"));
    }
    Ok(Finding::claim(true, found.join("; ")).note(
        "the paper counts the destination among its n processors and does not say which it is",
    ))
}

/// SNF and optimum; the optimum also by all sequences.
pub fn both(processors: &Processors) -> Result<[Rational; 2]> {
    let snf = slowest_first::length(&processors.cluster());
    let best = reduce_processors(processors, Method::Auto, &budget())?
        .checked
        .shortest
        .length;
    let scale = processors
        .times()
        .iter()
        .fold(whole(1), |scale, time| scale * whole(time.denom().clone()));
    let ticks = |sender: usize| whole_number(&(&processors.times()[sender] * &scale));
    let times: Vec<u64> = processors.senders().map(ticks).collect::<Result<_>>()?;
    ensure!(
        &best * &scale == whole(brute::best(&times)),
        "{best} is not the best of all sequences"
    );
    Ok([snf, best])
}

fn figure_8(xs: &[&str], optimum: fn(&Rational) -> Rational) -> Result<Finding> {
    for x in xs {
        let x = number(x)?;
        let [snf, best] = slow_destination(&x)?;
        ensure!(snf == &x + whole(3), "x = {x}: SNF takes {snf}");
        ensure!(best == optimum(&x), "x = {x}: the optimum is {best}");
    }
    Ok(Finding::claim(
        true,
        format!("x = {}, destination slow, all sequences", xs.join(", ")),
    ))
}

/// Figure 12: beyond a cell with f* > s*, nothing is smaller.
fn figure_12() -> Result<Finding> {
    let mut tried = 0;
    for (fast, slow) in [(10, 11), (2, 3), (10, 19)] {
        let table = brute::table(fast, slow, 20, 20);
        for f in 0..=20 {
            for s in 0..f {
                let beyond = (f..=20).flat_map(|g| (s..=20).map(move |t| (g, t)));
                for (g, t) in beyond {
                    ensure!(
                        table[g][t] >= table[f][s],
                        "T({g}, {t}) < T({f}, {s}), ratio {slow}/{fast}"
                    );
                    tried += 1;
                }
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} pairs of cells")))
}

/// Figures 13 to 16: a pair in a region that the third algorithm skips is never better than the pair it is skipped for.
fn regions() -> Result<Finding> {
    let mut tried = 0;
    for (fast, slow) in [(10, 11), (2, 3), (10, 19)] {
        let table = brute::table(fast, slow, 22, 22);
        for f in 1..=22usize {
            for s in 1..=22usize {
                // A = (a, a + 1) on the line s = f + 1, the smaller one of the two; its buddy B.
                for a in (0..f.min(s)).take_while(|a| 2 * a < f) {
                    let b = (f - 1 - a, s - a - 1);
                    let (at_a, at_b) = (table[a][a + 1], table[b.0][b.1]);
                    // Figures 13 and 14: nothing with fewer slow ones than A; figure 15: nothing with more.
                    let under = a < b.1 + 1 || at_a <= at_b;
                    let skipped = if under { 0..=a } else { a + 2..=s };
                    for share in skipped {
                        let pair = table[a][share].max(table[b.0][s - share]);
                        ensure!(
                            pair >= at_a.max(at_b),
                            "f = {f}, s = {s}, A = ({a}, {}): {share} is better",
                            a + 1
                        );
                        tried += 1;
                    }
                }
            }
        }
    }
    ensure!(tried > 0, "no region was skipped");
    Ok(Finding::claim(
        true,
        format!("{tried} skipped pairs; algorithm 3 as a whole in tables 2 to 4"),
    ))
}

/// The schedule of figure 3 with its last transfer started later: valid, and not earliest-possible.
fn valid_but_not_earliest() -> Result<Reduction> {
    let mut schedule = figure_3_schedule()?;
    let mut starts: Vec<Rational> = (0..EXAMPLE.len())
        .map(|i| schedule.starts.get(i).unwrap_or_default())
        .collect();
    let last = (0..EXAMPLE.len())
        .filter(|&i| i != A)
        .max_by_key(|&i| &starts[i] + whole(EXAMPLE[i]))
        .unwrap_or(A);
    starts[last] += whole(1);
    let started =
        check_starts(&example()?, &starts)?.map_err(|crowded| anyhow::anyhow!("{crowded:?}"))?;
    schedule.length = started.length;
    schedule.starts = Dates::Exact(starts);
    oneport::referee::check_reduction(&schedule, oneport::plan::Limit::Unlimited)?;
    Ok(schedule)
}

/// A and C at every date of a schedule, as the two curves of figure 1.
fn active_and_complete(schedule: &Reduction) -> Result<Figure> {
    let n = EXAMPLE.len();
    let windows: Vec<(Rational, Rational)> = (0..n)
        .filter(|&sender| sender != A)
        .filter_map(|sender| {
            schedule
                .starts
                .get(sender)
                .map(|start| (start.clone(), start + whole(EXAMPLE[sender])))
        })
        .collect();
    let mut dates: Vec<&Rational> = windows
        .iter()
        .flat_map(|(start, end)| [start, end])
        .collect();
    dates.sort();
    dates.dedup();
    let mut rows = Vec::new();
    for date in dates {
        let active = windows
            .iter()
            .filter(|(start, end)| start <= date && date < end)
            .count();
        let complete = windows.iter().filter(|(_, end)| end <= date).count();
        ensure!(2 * active + complete <= n, "inequality (1) fails at {date}");
        rows.push(
            [
                date.to_string(),
                active.to_string(),
                complete.to_string(),
                (2 * active + complete).to_string(),
            ]
            .to_vec(),
        );
    }
    let caption =
        "From each date to the next: senders that are active, senders that are done; n = 7.";
    Ok(Figure::table(
        "Figure 1 of papers 001: A and C",
        caption,
        &["t", "A", "C", "2A + C"],
        rows,
    ))
}

/// Figure 10: the windows of a schedule, read backwards from its end.
fn backwards(schedule: &Reduction) -> Result<Figure> {
    let windows = Dependency::of(schedule)?.windows();
    let mut rows: Vec<(Rational, Vec<String>)> = Vec::new();
    for sender in (0..EXAMPLE.len()).filter(|&sender| sender != A) {
        let start = schedule.starts.get(sender).unwrap_or_default();
        let end = &start + whole(EXAMPLE[sender]);
        let receiver = schedule
            .receivers
            .get(sender)
            .map_or(String::new(), ToString::to_string);
        let from = &schedule.length - &end;
        let row = vec![
            from.to_string(),
            (&schedule.length - start).to_string(),
            sender.to_string(),
            receiver,
        ];
        rows.push((from, row));
    }
    rows.sort();
    ensure!(rows.len() == windows.len(), "{} windows", windows.len());
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    let caption = "Every window of figure 9 from its end to its start, the end of the reduction being 0: a broadcast in which senders and \
                   receivers have changed places.";
    Ok(Figure::table(
        "Figure 10 of papers 001",
        caption,
        &["from", "to", "sender of figure 9", "its receiver"],
        rows,
    ))
}

/// Figure 16: the pairs that the first case of section 5.3.4 leaves out where slow senders outnumber fast ones, and
/// their buddies. No skipped pair is better than the one on the line s = f + 1 in its column.
fn figure_16() -> Result<Figure> {
    const CELL: f64 = 26.0;
    let (f, s) = (8usize, 12usize);
    let table = brute::table(2, 3, f, s);
    let pair = |left: usize, share: usize| table[left][share].max(table[f - 1 - left][s - share]);
    let skipped = |left: usize, share: usize| {
        let (column, share) = if 2 * left < f {
            (left, share)
        } else {
            (f - 1 - left, s - share)
        };
        share <= column
    };
    let (width, height) = ((f as f64 + 2.0) * CELL, (s as f64 + 3.0) * CELL);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<title>Figure 16</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (left, column) in table.iter().enumerate().take(f) {
        for (share, length) in column.iter().enumerate().take(s + 1) {
            ensure!(
                !skipped(left, share) || 2 * left >= f || pair(left, share) >= pair(left, left + 1),
                "({left}, {share})"
            );
            let (x, y) = (
                (left as f64 + 1.0) * CELL,
                ((s - share) as f64 + 0.5) * CELL,
            );
            let fill = if skipped(left, share) {
                "#b6c2cf"
            } else {
                "#f7f9fb"
            };
            svg.push_str(&format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"#d5dde5\"/>\n\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{length}</text>\n",
                x + CELL / 2.0,
                y + 17.0
            ));
        }
    }
    for left in 0..f {
        let (x, y) = (
            (left as f64 + 1.0) * CELL,
            ((s - left - 1) as f64 + 0.5) * CELL,
        );
        svg.push_str(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"none\" stroke=\"#8a3b12\" stroke-width=\"1.5\"/>\n"
        ));
    }
    svg.push_str(&format!(
        "<text x=\"{CELL}\" y=\"{}\">f to the right, s upwards</text>\n</svg>\n",
        height - 12.0
    ));
    let caption = "f = 8, s = 12, times 2 and 3: T(f, s) in each cell; grey pairs cannot be better than those on the line s = f + 1 (framed), \
                   and are left out, as are their buddies.";
    Ok(Figure::svg("Figure 16 of papers 001", caption, svg))
}

pub fn figures() -> Result<Vec<Figure>> {
    let processors = example()?;
    let third = figure_3_schedule()?;
    let fifth = earliest(&processors, &slowest_first::sequence(&processors))?;
    let eighth = Processors::new(
        [vec![number("3/2")?; 4], vec![whole(1); 8]].concat(),
        Destination::Listed(0),
    )?;
    let alternative = reduce_processors(&eighth, Method::Auto, &budget())?
        .checked
        .shortest
        .reduction;
    let snf = earliest(&eighth, &slowest_first::sequence(&eighth))?;
    let first = valid_but_not_earliest()?;
    let mut figures = vec![
        Figure::svg(
            "Figure 1 of papers 001",
            "A valid schedule of these seven processors, A to G as 0 to 6; the text has no dates, these are ours (figure 3, its last transfer 1 \
             later).",
            svg::reduction_gantt(&first),
        ),
        active_and_complete(&first)?,
        Figure::svg(
            "Figures 3 and 4 of papers 001",
            "Earliest-possible schedule of G, F, D, C, B, E with destinations; processors A to G are 0 to 6.",
            svg::reduction_gantt(&third),
        ),
        Figure::svg(
            "Figure 5 of papers 001",
            "Slowest node first, which is optimal here.",
            svg::reduction_gantt(&fifth),
        ),
        Figure::svg(
            "Figure 8 of papers 001: slowest node first",
            "x = 3/2, the destination (processor 0) is slow.",
            svg::reduction_gantt(&snf),
        ),
        Figure::svg(
            "Figure 9 of papers 001",
            "A reduction, here the one of figure 5; the text has no dates.",
            svg::reduction_gantt(&fifth),
        ),
        backwards(&fifth)?,
        figure_16()?,
        Figure::svg(
            "Figure 11 of papers 001",
            "The transmission windows of figure 5, read backwards: times in the nodes, sender and receiver beside them.",
            svg::windows(&Dependency::of(&fifth)?.windows()),
        ),
    ];
    if let Some(alternative) = alternative {
        let caption = "x = 3/2, the destination (processor 0) is slow: 4 instead of 9/2.";
        figures.push(Figure::svg(
            "Figure 8 of papers 001: optimum",
            caption,
            svg::reduction_gantt(&alternative),
        ));
    }
    Ok(figures)
}
