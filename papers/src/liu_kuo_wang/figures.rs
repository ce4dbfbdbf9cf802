//! The worked figures of Liu-Kuo-Wang 2009.

use anyhow::{Context, Result, ensure};
use oneport::heterogeneous::{
    Dependency, Destination, Method, Processors, check_starts, earliest, slowest_first,
};
use oneport::plan::{Dates, Reduction};
use oneport::{Rational, reduce_processors};
use oneport_drawings::svg;

use super::brute;
use super::checked::budget;
use super::pictures;
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
];

/// Transmission times of A to G, figure 1. A is the destination.
const EXAMPLE: [u64; 7] = [10, 5, 5, 5, 4, 2, 2];
/// The destination.
const A: usize = 0;
/// Figure 3's sequence: the text names G, F, D, then C. B and E may follow in either order.
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
    let (third, fifth) = (
        figure_3_schedule()?.length,
        slowest_first::length(&example()?.cluster()),
    );
    ensure!(
        lengths == [11, 12, 14, 15] && third == whole(14) && fifth == whole(11),
        "{lengths:?}; figure 3 {third}, slowest node first {fifth}"
    );
    Ok(Finding::claim(
        true,
        format!("{tried} sequences, each executed"),
    ))
}

/// Destinations by lemma 1: the sender and its receiver are the destinations of the sender's two predecessors.
fn figure_4() -> Result<Finding> {
    let schedule = figure_3_schedule()?;
    oneport::referee::check_reduction(&schedule, oneport::plan::Concurrency::Unlimited)?;
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
        .answer
        .into_claim()
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

/// SNF and optimum. The optimum also by all sequences.
pub fn both(processors: &Processors) -> Result<[Rational; 2]> {
    let snf = slowest_first::length(&processors.cluster());
    let best = reduce_processors(processors, Method::Auto, &budget())?
        .answer
        .into_claim()
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
    oneport::referee::check_reduction(&schedule, oneport::plan::Concurrency::Unlimited)?;
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
        "Liu-Kuo-Wang 2009, figure 1: A and C",
        caption,
        &["t", "A", "C", "2A + C"],
        rows,
    ))
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
        .answer
        .into_claim()
        .reduction;
    let snf = earliest(&eighth, &slowest_first::sequence(&eighth))?;
    let first = valid_but_not_earliest()?;
    let alternative = alternative.context("figure 8 without a schedule")?;
    let mut figures = vec![
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 1",
            "A valid schedule of these seven processors, A to G as 0 to 6; the text has no dates, these are ours (figure 3, its last transfer 1 \
             later).",
            svg::reduction_gantt(&first),
        ),
        active_and_complete(&first)?,
        Figure::svg(
            "Liu-Kuo-Wang 2009, figures 3 and 4",
            "Earliest-possible schedule of G, F, D, C, B, E with destinations; processors A to G are 0 to 6.",
            svg::reduction_gantt(&third),
        ),
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 5",
            "Slowest node first, which is optimal here.",
            svg::reduction_gantt(&fifth),
        ),
    ];
    figures.extend(pictures::exchanges()?);
    figures.extend([
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 8: slowest node first",
            "x = 3/2, the destination (processor 0) is slow.",
            svg::reduction_gantt(&snf),
        ),
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 8: optimum",
            "x = 3/2, the destination (processor 0) is slow: 4 instead of 9/2.",
            svg::reduction_gantt(&alternative),
        ),
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 9",
            "A reduction, here the one of figure 5; the text has no dates.",
            svg::reduction_gantt(&fifth),
        ),
        pictures::figure_10(&fifth)?,
        Figure::svg(
            "Liu-Kuo-Wang 2009, figure 11",
            "The transmission windows of figure 5, read backwards: times in the nodes, sender and receiver beside them.",
            svg::windows(&Dependency::of(&fifth)?.windows()),
        ),
    ]);
    figures.extend(pictures::tables()?);
    Ok(figures)
}
