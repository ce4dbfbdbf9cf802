//! The papers' experiments as commands, for any parameters.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use comfy_table::{Table as Printed, presets};
use oneport::heterogeneous::guided::{self, Guide, Reading};
use oneport::heterogeneous::tables::{self, Rule, Table};
use oneport::heterogeneous::{Destination, Processors};

use crate::chapter::Chapter;
use crate::liu_kuo_wang::brute::Dice;
use crate::liu_kuo_wang::tables::{STOPS, third};
use crate::numbers::{number, whole};
use crate::reduce::experiment;
use crate::rows::{Paper, judge_some};

/// Usage of each command.
pub const USAGE: &str = "\
searches [--processors 10..12] [--clusters 20] [--speeds 3,4,5] [--seed 1]
         Liu-Kuo-Wang 2009, section 6.2: nodes and time of the generic and of the slowest-node-first search.
programs [--slow 2] [--fast-senders 150] [--slow-senders 150]
         Liu-Kuo-Wang 2009, section 6.3: pairs that the three programs refer to; fast senders take 1.
rows PAPER [ID ..]
         Some rows of the report, PAPER being 000 to 004: what is stated, ours, the verdict.
tiers [--platforms 6] [--target 4] [--seed 1]
         RR-4872, section 4.7: trees, throughput and period of random Tiers platforms.";

/// Options by name, each with its default.
struct Asked(BTreeMap<String, String>);

impl Asked {
    fn read(arguments: &[String], known: &[(&str, &str)]) -> Result<Asked> {
        let mut asked: BTreeMap<String, String> = known
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        for pair in arguments.chunks(2) {
            let [name, value] = pair else {
                bail!("'{}' has no value", pair[0])
            };
            let name = name.strip_prefix("--").unwrap_or(name);
            let Some(given) = asked.get_mut(name) else {
                bail!(
                    "no option '{name}'; there are {}",
                    known
                        .iter()
                        .map(|(name, _)| *name)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            };
            *given = value.clone();
        }
        Ok(Asked(asked))
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn count(&self, name: &str) -> Result<u64> {
        let text = self.text(name);
        text.parse()
            .with_context(|| format!("--{name} {text}: not a whole number"))
    }

    fn range(&self, name: &str) -> Result<(u64, u64)> {
        let text = self.text(name);
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        let [low, high] = [low, high].map(|end| end.trim_start_matches('=').parse::<u64>());
        let why = || format!("--{name} {text}: give 12 or 10..12");
        let (low, high) = (low.with_context(why)?, high.with_context(why)?);
        ensure!(low <= high, "--{name} {text}: {low} is above {high}");
        Ok((low, high))
    }
}

/// Runs a command by its name. Returns `None` if no command has the name. `rows` looks into the chapters.
pub fn run(name: &str, arguments: &[String], chapters: &[Chapter]) -> Option<Result<String>> {
    match name {
        "searches" => Some(searches(arguments)),
        "programs" => Some(programs(arguments)),
        "rows" => Some(some_rows(arguments, chapters)),
        "tiers" => Some(tiers(arguments)),
        _ => None,
    }
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Printed::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    table.trim_fmt()
}

fn searches(arguments: &[String]) -> Result<String> {
    let known = [
        ("processors", "10..12"),
        ("clusters", "20"),
        ("speeds", "3,4,5"),
        ("seed", "1"),
    ];
    let asked = Asked::read(arguments, &known)?;
    let (low, high) = asked.range("processors")?;
    let (clusters, seed) = (asked.count("clusters")?, asked.count("seed")?);
    ensure!(clusters > 0, "--clusters 0: give at least 1");
    let speeds: Vec<u64> = asked
        .text("speeds")
        .split(',')
        .map(|speed| {
            speed
                .trim()
                .parse()
                .with_context(|| format!("--speeds: '{speed}' is no whole number"))
        })
        .collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for size in low..=high {
        let mut dice = Dice::new(seed.wrapping_mul(1000).wrapping_add(size));
        let (mut tree, mut nodes, mut seconds) = (0.0, [0.0; 2], [0.0; 2]);
        for _ in 0..clusters {
            let times = (0..size)
                .map(|_| whole(speeds[dice.roll(speeds.len() as u64) as usize - 1]))
                .collect();
            let cluster = Processors::new(times, Destination::Outside)?.cluster();
            let counts: Vec<u64> = cluster
                .classes()
                .iter()
                .map(|class| class.senders)
                .collect();
            tree += crate::numbers::pixels(&whole(guided::tree(&counts)?.nodes));
            let mut lengths = Vec::new();
            for (index, guide) in [Guide::SlowestFirst, Guide::Generic]
                .into_iter()
                .enumerate()
            {
                let started = Instant::now();
                let count = guided::search(&cluster, guide, Reading::Last, u64::MAX)?;
                seconds[index] += started.elapsed().as_secs_f64();
                nodes[index] += if index == 0 {
                    count.expanded
                } else {
                    count.generated
                } as f64;
                lengths.push(count.length);
            }
            ensure!(
                lengths[0] == lengths[1],
                "the searches find different lengths for {counts:?}"
            );
        }
        let each = clusters as f64;
        let mut row = vec![size.to_string(), format!("{:.0}", tree / each)];
        for index in 0..2 {
            row.push(format!("{:.0}", nodes[index] / each));
            row.push(format!("{:.3}", 100.0 * nodes[index] / tree));
            row.push(format!("{:.4}", seconds[index] / each));
        }
        row.push(format!("{:.1}", nodes[1] / nodes[0]));
        row.push(format!("{:.1}", seconds[1] / seconds[0]));
        rows.push(row);
    }
    let header = [
        "P",
        "N",
        "SNF: n",
        "n/N %",
        "seconds",
        "generic: n",
        "n/N %",
        "seconds",
        "ratio of nodes",
        "ratio of times",
    ];
    Ok(format!(
        "means of {clusters} clusters, times out of {}\n{}",
        asked.text("speeds"),
        table(&header, rows)
    ))
}

fn programs(arguments: &[String]) -> Result<String> {
    let asked = Asked::read(
        arguments,
        &[
            ("slow", "2"),
            ("fast-senders", "150"),
            ("slow-senders", "150"),
        ],
    )?;
    let (f, s) = (
        asked.count("fast-senders")? as usize,
        asked.count("slow-senders")? as usize,
    );
    ensure!(f > 0 && s > 0, "both classes must have senders");
    let slow = number(asked.text("slow"))?;
    let mut rows = Vec::new();
    for (name, rule) in [
        ("naive (table 2)", Rule::Naive),
        ("binary search (table 3)", Rule::MonotoneSlow),
        ("third, as table 4", Rule::MonotoneBoth),
    ] {
        let table = Table::build(&whole(1), &slow, f, s, rule)?;
        let length = table.length(f, s).context("beyond the table")?;
        rows.push(vec![
            name.to_string(),
            tables::references(&table, f, s, rule).to_string(),
            length.to_string(),
        ]);
    }
    let table_of_text = Table::build(&whole(1), &slow, f, s, Rule::MonotoneSlow)?;
    let pairs = third(&table_of_text, f, s, STOPS[2]);
    let length = table_of_text.length(f, s).context("beyond the table")?;
    rows.push(vec![
        "third, as the text (point C, T(A) > T(B))".to_string(),
        pairs.to_string(),
        length.to_string(),
    ]);
    Ok(format!(
        "f = {f}, s = {s}, c_s = {slow}\n{}",
        table(&["program", "pairs referred to", "T(f, s)"], rows)
    ))
}

fn some_rows(arguments: &[String], chapters: &[Chapter]) -> Result<String> {
    let (name, ids) = arguments
        .split_first()
        .context("which paper? one of rr4872, liu_kuo_wang, canon_antoniu, slides, rr2004_32")?;
    let mut chapter = None;
    for one in chapters {
        let paper = Paper::load(one.stem)?;
        if [one.stem, one.number].contains(&name.as_str()) || paper.name == *name {
            chapter = Some((one, paper));
        }
    }
    let (chapter, paper) = chapter.with_context(|| {
        format!(
            "no paper '{name}'; there are rr4872, liu_kuo_wang, canon_antoniu, slides, rr2004_32"
        )
    })?;
    if let Some(id) = ids
        .iter()
        .find(|&id| paper.rows.iter().all(|row| row.id != *id))
    {
        bail!("{}: no row '{id}'", paper.name);
    }
    let wanted = |id: &str| ids.is_empty() || ids.iter().any(|other| other == id);
    let mut lines = Vec::new();
    for judged in judge_some(&paper, &chapter.checks.concat(), wanted)? {
        let verdict = judged
            .verdict
            .map_err(|why| anyhow!("{}: {why}", judged.row.id))?;
        lines.push(format!(
            "{}: {} ({})",
            judged.row.id,
            judged.ours,
            verdict.name()
        ));
        lines.extend((!judged.note.is_empty()).then(|| format!("    {}", judged.note)));
    }
    Ok(lines.join("\n"))
}

fn tiers(arguments: &[String]) -> Result<String> {
    let asked = Asked::read(
        arguments,
        &[("platforms", "6"), ("target", "4"), ("seed", "1")],
    )?;
    let (platforms, target, seed) = (
        asked.count("platforms")?,
        asked.count("target")? as usize,
        asked.count("seed")?,
    );
    let mut rows = Vec::new();
    let mut by_trees: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seed..seed + platforms {
        let row = experiment::line(&experiment::of_seed(seed, target)?)?;
        *by_trees.entry(row[4].clone()).or_default() += 1;
        rows.push(row);
    }
    let counts = by_trees
        .iter()
        .map(|(trees, platforms)| format!("{platforms} with {trees}"));
    Ok(format!(
        "{}\n\nplatforms by number of trees: {}",
        table(&experiment::HEADER, rows),
        counts.collect::<Vec<_>>().join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &[&str]) -> Result<String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        run(name, &arguments, &[]).context("no such command")?
    }

    #[test]
    fn the_corner_of_tables_2_to_4_is_found_and_other_ratios_are_asked() -> Result<()> {
        let found = call("programs", &[])?;
        for printed in ["11250", "117", "120", "146"] {
            assert!(found.contains(printed), "{printed} in {found}");
        }
        assert!(
            call(
                "programs",
                &[
                    "--slow",
                    "3/2",
                    "--fast-senders",
                    "20",
                    "--slow-senders",
                    "30"
                ]
            )?
            .contains("c_s = 3/2")
        );
        Ok(())
    }

    #[test]
    fn searches_look_at_fewer_nodes_and_find_the_same() -> Result<()> {
        let found = call(
            "searches",
            &["--processors", "6..7", "--clusters", "3", "--speeds", "2,5"],
        )?;
        assert_eq!(found.lines().count(), 4, "{found}");
        Ok(())
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for arguments in [
            &["--clusters"][..],
            &["--clusters", "0"],
            &["--processors", "5..4"],
            &["--fast", "1"],
        ] {
            assert!(call("searches", arguments).is_err(), "{arguments:?}");
        }
        assert!(run("nothing", &[], &[]).is_none());
    }
}
