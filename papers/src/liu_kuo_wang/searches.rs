//! Table 1 of Liu-Kuo-Wang 2009: sizes of search trees, and the part that two searches examine.

use anyhow::{Context, Result, ensure};
use num_traits::ToPrimitive;
use oneport::Rational;
use oneport::heterogeneous::Cluster;
use oneport::heterogeneous::guided::{self, Guide, Moments, Reading};

use super::brute::Dice;
use super::checked::processors;
use crate::figures::Figure;
use crate::numbers::{digits, number, pixels, whole, whole_number};
use crate::rows::{Check, Finding, Paper, Value};

pub const CHECKS: &[(&str, Check)] = &[
    ("table-1-nodes", tree_sizes),
    ("table-1-shares", shares),
    ("factor-500", factor),
    ("table-1-searches", |_| trend()),
    ("table-1-growth", growth),
    ("priority", |_| priority()),
];

/// Clusters per row of the table.
const CLUSTERS: u64 = 50;
/// Share of the tree that the generic search examines, for every size.
const GENERIC_SHARE: f64 = 0.7;
/// Speeds for the trend. The paper does not state its own.
const SPEEDS: [u64; 3] = [3, 4, 5];

/// The optimum by the paper's guided search, all senders.
pub fn guided(times: &[u64]) -> Result<u64> {
    let cluster = processors(times)?.cluster();
    let count = guided::search(&cluster, Guide::SlowestFirst, Reading::Outside, u64::MAX)?;
    ensure!(count.complete, "the search was stopped");
    whole_number(&count.length.context("no schedule")?)
}

/// The printed row of a cluster size.
fn printed(paper: &Paper, size: u64) -> Result<Vec<Rational>> {
    let row = paper
        .table("table-1")?
        .rows
        .get(&size.to_string())
        .with_context(|| format!("no row {size}"))?;
    let row: Vec<Rational> = row.split_whitespace().map(number).collect::<Result<_>>()?;
    ensure!(row.len() == 9, "row {size} of table 1");
    Ok(row)
}

/// Distance of a printed mean from our mean, in standard errors of a mean of 50.
fn deviation(printed: &Rational, moments: &Moments) -> f64 {
    let error = (pixels(&moments.variance) / CLUSTERS as f64).sqrt();
    pixels(&(printed - &moments.mean)) / error
}

/// The printed means of N and L against their exact expectations.
fn tree_sizes(paper: &Paper) -> Result<Finding> {
    let mut all: Vec<f64> = Vec::new();
    for size in 10..=21 {
        let (row, expected) = (printed(paper, size)?, guided::expected(size, 3)?);
        all.extend([
            deviation(&row[0], &expected.nodes),
            deviation(&row[1], &expected.leaves),
        ]);
    }
    let (low, high) = (
        all.iter().copied().fold(f64::MAX, f64::min),
        all.iter().copied().fold(f64::MIN, f64::max),
    );
    ensure!(low > -4.0 && high < 4.0, "z from {low} to {high}");
    Ok(Finding::claim(
        true,
        format!("{} means, z from {low:.2} to {high:.2}", all.len()),
    ))
}

/// n / N as printed, from the printed means.
fn shares(paper: &Paper) -> Result<Finding> {
    let mut tried = 0;
    for size in 10..=21 {
        let row = printed(paper, size)?;
        for (nodes, share) in [(2, 4), (5, 7)] {
            let exact = &row[nodes] / &row[0] * whole(100);
            let off = &exact - &row[share];
            ensure!(
                &off * &off <= number("0.001")? * number("0.001")?,
                "P = {size}: {} %",
                digits(pixels(&exact))
            );
            tried += 1;
        }
    }
    Ok(Finding::cells(
        tried,
        24,
        ", to the last digit printed, rounded or cut",
    ))
}

/// P = 21: the quotient of the printed times, to the nearest hundred, and the time of the generic search in whole
/// hours.
fn factor(paper: &Paper) -> Result<Finding> {
    let row = printed(paper, 21)?;
    let hundreds = (&row[6] / &row[3] / whole(100)).round() * whole(100);
    let hours = (&row[6] / whole(3600)).floor();
    let nodes = digits(pixels(&(&row[5] / &row[2])));
    Ok(
        Finding::value(Value::List(vec![hundreds.into(), hours.into()])).note(format!(
            "a quotient of times; of the nodes examined it is {nodes}"
        )),
    )
}

/// A random cluster of the paper's kind, and the nodes of its tree.
fn cluster(size: usize, dice: &mut Dice) -> Result<(Cluster, f64)> {
    let times: Vec<u64> = (0..size)
        .map(|_| SPEEDS[dice.roll(3) as usize - 1])
        .collect();
    let cluster = processors(&times)?.cluster();
    let counts: Vec<u64> = cluster
        .classes()
        .iter()
        .map(|class| class.senders)
        .collect();
    let nodes = guided::tree(&counts)?
        .nodes
        .to_f64()
        .context("a tree too large")?;
    Ok((cluster, nodes))
}

/// Per size: the quotient of 70 % of the tree and the nodes that the guided search examines, as mean sums over
/// clusters.
fn growth(paper: &Paper) -> Result<Finding> {
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (size, clusters) in [(12, 20), (15, 20), (18, 10), (21, 5)] {
        let mut dice = Dice::new(100 + size as u64);
        let (mut all, mut seen) = (0.0, 0.0);
        for _ in 0..clusters {
            let (cluster, nodes) = cluster(size, &mut dice)?;
            let count = guided::search(&cluster, Guide::SlowestFirst, Reading::Last, u64::MAX)?;
            ensure!(count.complete, "the search was stopped");
            (all, seen) = (all + GENERIC_SHARE * nodes, seen + count.expanded as f64);
        }
        found.push((size, all / seen));
    }
    ensure!(
        found.windows(2).all(|pair| pair[0].1 < pair[1].1),
        "{found:?}"
    );
    ensure!(found.last().is_some_and(|last| last.1 > 100.0), "{found:?}");
    let printed_ratio = |size: usize| {
        Ok::<_, anyhow::Error>(pixels(&{
            let row = printed(paper, size as u64)?;
            &row[5] / &row[2]
        }))
    };
    let words: Vec<String> = found
        .iter()
        .map(|&(size, ratio)| {
            Ok(format!(
                "P = {size}: {ratio:.0} (printed {:.0})",
                printed_ratio(size)?
            ))
        })
        .collect::<Result<_>>()?;
    Ok(Finding::claim(true, words.join("; "))
        .note("speeds 3, 4, 5; the generic search taken as 70 % of the tree, which the row above measures"))
}

/// The order of section 6.2 in full, next to depth first with slow processors first: the lengths are equal, and the
/// numbers of nodes nearly so.
fn priority() -> Result<Finding> {
    let mut found = Vec::new();
    for size in [9, 10, 11] {
        let mut dice = Dice::new(200 + size as u64);
        let (mut total, mut seen) = (0.0, [0.0; 2]);
        for _ in 0..CLUSTERS {
            let (cluster, nodes) = cluster(size, &mut dice)?;
            let [deep, wide] = [Guide::SlowestFirst, Guide::Priority]
                .map(|guide| guided::search(&cluster, guide, Reading::Last, u64::MAX));
            let (deep, wide) = (deep?, wide?);
            ensure!(
                deep.length == wide.length,
                "P = {size}: {:?} and {:?}",
                deep.length,
                wide.length
            );
            total += nodes;
            seen = [
                seen[0] + deep.expanded as f64,
                seen[1] + wide.expanded as f64,
            ];
        }
        let [deep, wide] = seen.map(|nodes| nodes / total * 100.0);
        ensure!((deep - wide).abs() < 1.0, "P = {size}: {deep} and {wide} %");
        found.push(format!(
            "P = {size}: {wide:.2} % by priority, {deep:.2} % depth first"
        ));
    }
    Ok(Finding::claim(
        true,
        format!(
            "{}; {CLUSTERS} clusters each, speeds 3, 4, 5",
            found.join("; ")
        ),
    ))
}

/// Both searches on random clusters of one size: mean shares of the tree in percent.
fn measured(size: usize, clusters: u64) -> Result<[f64; 2]> {
    let mut dice = Dice::new(size as u64);
    let (mut total, mut seen) = (0.0, [0.0; 2]);
    for _ in 0..clusters {
        let (cluster, nodes) = cluster(size, &mut dice)?;
        total += nodes;
        let [generic, guided] = [Guide::Generic, Guide::SlowestFirst]
            .map(|guide| guided::search(&cluster, guide, Reading::Last, u64::MAX));
        let (generic, guided) = (generic?, guided?);
        ensure!(
            generic.length == guided.length,
            "P = {size}: {:?} and {:?}",
            generic.length,
            guided.length
        );
        seen[0] += generic.generated as f64;
        seen[1] += guided.expanded as f64;
    }
    Ok(seen.map(|nodes| nodes / total * 100.0))
}

/// The generic search examines about 70 % of the tree for every size. The share of the guided one falls with the size.
fn trend() -> Result<Finding> {
    let [small, large] = [measured(10, CLUSTERS)?, measured(13, CLUSTERS)?];
    ensure!(
        [small[0], large[0]]
            .iter()
            .all(|share| (65.0..78.0).contains(share)),
        "generic: {small:?}, {large:?}"
    );
    ensure!(
        small[1] < 15.0 && large[1] < small[1],
        "guided: {small:?}, {large:?}"
    );
    Ok(Finding::claim(
        true,
        format!(
            "speeds 3, 4, 5: generic {:.1} and {:.1} %, guided {:.1} and {:.1} % of the tree at P = 10 and 13, {CLUSTERS} clusters each",
            small[0], large[0], small[1], large[1]
        ),
    ))
}

pub fn figures() -> Result<Vec<Figure>> {
    let paper = Paper::load("liu_kuo_wang")?;
    let mut rows = Vec::new();
    for size in 10..=21u64 {
        let (row, expected) = (printed(&paper, size)?, guided::expected(size, 3)?);
        let ours = if size <= 12 {
            Some(measured(size as usize, 20)?)
        } else {
            None
        };
        let share =
            |index: usize| ours.map_or("-".to_string(), |ours| format!("{:.1} %", ours[index]));
        rows.push(vec![
            size.to_string(),
            row[0].to_string(),
            format!("{:.0}", pixels(&expected.nodes.mean)),
            format!("{:+.2}", deviation(&row[0], &expected.nodes)),
            row[1].to_string(),
            format!("{:.0}", pixels(&expected.leaves.mean)),
            format!("{:+.2}", deviation(&row[1], &expected.leaves)),
            format!("{} %", digits(pixels(&row[7]))),
            share(0),
            format!("{} %", digits(pixels(&row[4]))),
            share(1),
        ]);
    }
    let header = [
        "P",
        "N printed",
        "N expected",
        "z",
        "L printed",
        "L expected",
        "z",
        "generic printed",
        "generic, ours",
        "SNF search printed",
        "SNF search, ours",
    ];
    Ok(vec![Figure::table(
        "Liu-Kuo-Wang 2009, table 1",
        "Nodes N and leaves L: means of 50 random clusters as printed, exact expectations, and the difference in standard errors. \
         Searches: share of the nodes; ours on 20 clusters with speeds 3, 4, 5 (the paper's are not stated).",
        &header,
        rows,
    )])
}
