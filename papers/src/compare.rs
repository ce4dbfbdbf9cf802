//! `docs/compare.md`: named algorithms against the optimum, on every platform of fixtures/platforms.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use num_traits::Zero;
use oneport::files::{read_platform, write_atomically};
use oneport::plan::Form;
use oneport::watch::Watch;
use oneport::{
    Amount, Goal, NodeId, Options, PackingError, Platform, Problem, ProblemError, Rational, Status,
    Volumes, decimal, percent, solve,
};
use oneport_baselines::Comparison;
use oneport_numbers::whole;

use crate::rows::root;

/// Limit on simultaneous rings, like the channels of runtimes.
const MOST_RINGS: u32 = 32;

/// The columns.
const COLLECTIVES: [&str; 6] = [
    "broadcast",
    "reduce",
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-to-all",
];

const INTRODUCTION: &str = "\
# Named algorithms against the optimum

Answers of `oneport compare` on every platform in `fixtures/platforms`. `cargo xtask reproduce compare` writes this page, and a test
compares it with the computed one.

A cell is the throughput of an algorithm as a share of the proved optimum. One operation follows another without a break, and the load of
the algorithm's messages is counted exactly. A message between nodes that are not neighbours takes a cheapest path. If several paths are
equally cheap, either the senders take turns or all take the first, and the higher throughput counts. `equal rings at once` are the rings of
`oneport rings`: at most 32 rings over at most 16 processors, each over separate links. All processors take part, and the first is the root.
Operators are commutative, and a merge takes no time. The first row is the optimum, in messages of size 1 per unit of time of the file. If
it begins with `<=`, it is the proved bound, and shares are of the bound. `-` means that no such algorithm exists for the collective on this
platform. For example, recursive doubling of an all-gather needs a power of two nodes.

[doors/baselines](../doors/baselines/README.md) explains the names. `RR-7898` is the tree of the shortest single reduction if all transfers
take one time and all merges take one time. `Liu-Kuo-Wang` is slowest node first. Its single reduction takes at most twice the shortest time
if the time of a transfer depends on the sender alone. Both are made for a single reduction, not for a series. Neither paper assumes that
merging is free: RR-7898 considers large amounts of computation, and Liu-Kuo-Wang includes merging in the sender's time.
";

/// Writes the page.
pub fn write() -> Result<()> {
    let path = root().join("docs/compare.md");
    write_atomically(&path, page()?.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The page.
fn page() -> Result<String> {
    let folder = root().join("fixtures/platforms");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        files.push(entry?.path());
    }
    files.sort();
    let mut text = INTRODUCTION.to_string();
    for file in files {
        let platform = read_platform(&file)?;
        let name = file
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        if let Some(table) = table(&platform).with_context(|| name.clone())? {
            let nodes = platform.processors().count();
            let _ = write!(
                text,
                "\n## {name}\n\n{nodes} processors, {}.\n\n{table}",
                platform.model()
            );
        }
    }
    Ok(text)
}

/// The table of a platform. `None` if some processor does not reach another.
fn table(platform: &Platform) -> Result<Option<String>> {
    let mut cells: BTreeMap<String, BTreeMap<&str, Rational>> = BTreeMap::new();
    let mut optima = Vec::new();
    let processors: Vec<NodeId> = platform.processors().collect();
    let rings = match oneport::rings(platform, &processors, MOST_RINGS, &Watch::unlimited()) {
        Ok(rings) => Some(rings.equal),
        // Too many processors, half-duplex ports, or no ring at all.
        Err(PackingError::Rings(_)) => None,
        Err(error) => return Err(error.into()),
    };
    for label in COLLECTIVES {
        let all = processors.clone();
        let form = Form::find(label).context("a collective")?;
        let [first, ref others @ ..] = all[..] else {
            return Ok(None);
        };
        let others = if form.overlaps() {
            all.clone()
        } else {
            others.to_vec()
        };
        let nodes = if form.roles.len() == 2 {
            vec![vec![first], others]
        } else {
            vec![all.clone()]
        };
        let collective = form.build(&nodes, true).context("roles")?;
        let volumes = Volumes {
            work: Amount::Constant(Rational::zero()),
            ..Volumes::default()
        };
        let problem = match Problem::new(platform, collective, volumes) {
            Err(ProblemError::Unreachable { .. }) => return Ok(None),
            problem => problem?,
        };
        let solved = solve(&problem, &Options::of(Goal::Rate))?;
        let answer = solved.answer;
        if answer.patterns().is_none() {
            return Ok(None);
        }
        let optimum = decimal(answer.bound(), 5);
        optima.push(if answer.status() == Status::Optimal {
            optimum
        } else {
            format!("<= {optimum}")
        });
        let mut comparison = Comparison::of(&problem, &Watch::unlimited())?;
        rings
            .as_ref()
            .map_or(Ok(()), |rings| comparison.add_rings(&problem, rings))?;
        for row in comparison.rows {
            let share = &row.sustained.throughput / answer.bound();
            if share > whole(1) {
                bail!("{label}: {} is faster than the bound", row.algorithm.name);
            }
            cells
                .entry(row.algorithm.name)
                .or_default()
                .insert(label, share);
        }
    }
    let mut text = format!(
        "| | {} |\n|---|{}\n",
        COLLECTIVES.join(" | "),
        "---:|".repeat(COLLECTIVES.len())
    );
    let _ = writeln!(text, "| **optimum** | {} |", optima.join(" | "));
    for (name, shares) in cells {
        let cell = |label| shares.get(label).map_or("-".to_string(), percent);
        let _ = writeln!(text, "| {name} | {} |", COLLECTIVES.map(cell).join(" | "));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport::platform::generate::{self, Costs};
    use oneport::{Collective, PortModel};

    /// No algorithm beats the proved bound of any collective, on small platforms of every port model.
    #[test]
    fn nothing_is_faster_than_the_bound() -> Result<()> {
        let costs = Costs::Uniform { low: 1, high: 6 };
        let mut rows = 0;
        for (seed, model) in (0..4).zip(PortModel::ALL.into_iter().cycle()) {
            let options = generate::Options {
                seed,
                link_cost: costs.clone(),
                compute: costs.clone(),
            };
            let platform =
                generate::random_connected(4 + seed as usize % 2, 3, &options)?.with_model(model);
            let all: Vec<NodeId> = platform.processors().collect();
            for form in Collective::forms().iter().filter(|form| !form.counted) {
                let others = if form.overlaps() {
                    all.clone()
                } else {
                    all[1..].to_vec()
                };
                let nodes = if form.roles.len() == 2 {
                    vec![vec![all[0]], others]
                } else {
                    vec![all.clone()]
                };
                for commutative in [false, true] {
                    let collective = form.build(&nodes, commutative).context("roles")?;
                    let volumes = Volumes::default();
                    let problem = Problem::new(&platform, &collective, &volumes)?;
                    let solved = solve(&problem, &Options::of(Goal::Rate))?;
                    solved.patterns()?;
                    for row in Comparison::of(&problem, &Watch::unlimited())?.rows {
                        let (name, found) = (&row.algorithm.name, &row.sustained.throughput);
                        assert!(
                            found <= solved.answer.bound(),
                            "{model} {seed} {}: {name}: {found}",
                            form.name
                        );
                        rows += 1;
                    }
                }
            }
        }
        assert!(rows > 300, "{rows}");
        Ok(())
    }

    #[test]
    fn the_page_is_what_is_computed() -> Result<()> {
        let found = std::fs::read_to_string(root().join("docs/compare.md"))?;
        let computed = page()?;
        for (line, (found, computed)) in found.lines().zip(computed.lines()).enumerate() {
            assert_eq!(
                found,
                computed,
                "docs/compare.md:{}: run `cargo xtask reproduce compare`",
                line + 1
            );
        }
        assert_eq!(
            found, computed,
            "docs/compare.md: run `cargo xtask reproduce compare`"
        );
        Ok(())
    }
}
