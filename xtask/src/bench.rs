//! `cargo xtask bench [ARGUMENTS]`: the measurements.
//!
//! Times depend on the machine and its load. So a dozen benchmarks run next to a reference loop, and their ratio to it
//! is printed next to the last release's ratio. Collectives on many nodes are compared with one search on the same
//! platform.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::binaries::{self, Binary};
use crate::{setup, workspace};

/// The reference loop: its target, which is also the name of its only function.
const REFERENCE: &str = "reference";
/// The benchmarks that are measured in every test: target, and name that criterion gives.
const DOZEN: &[(&str, &str)] = &[
    ("scatter", "scatter_to_all/100_nodes"),
    ("scatter", "scatter_formulations/compact_24_nodes"),
    ("all_to_all", "all_to_all/16_of_16"),
    ("broadcast", "broadcast_full_duplex/20_nodes"),
    ("broadcast", "broadcast_half_duplex/10_nodes"),
    ("reduce", "reduce_all/16_nodes"),
    ("reduce", "reductions_16_nodes/commutative"),
    ("fabrics", "all_gather_fabrics/a100_2_boxes"),
    ("exact", "compact_scatter_certified/50_nodes"),
    ("matching", "decompose/200_vertices_degree_8"),
    ("heterogeneous", "two_classes/table_3_150"),
    ("homogeneous", "homogeneous_released/20000_values"),
];
/// Collectives on many nodes, each with the search on the same platform that is its unit. Both are functions of the
/// target `large`.
const LARGE: &[(&str, &str)] = &[
    ("large/broadcast_1000", "large/arborescence_1000"),
    ("large/scatter_1000", "large/search_1000"),
    ("large/gather_1000", "large/search_1000"),
    ("large/reduce_300", "large/arborescence_300"),
    ("large/multicast_300", "large/arborescence_300"),
];
/// File with the ratios of the last release.
const RECORD: &str = "benches/ratios.json";
/// Options of criterion for short measurements.
const SHORTLY: &[&str] = &[
    "--bench",
    "--noplot",
    "--warm-up-time",
    "0.2",
    "--measurement-time",
    "1",
    "--sample-size",
    "10",
    "--exact",
];

/// Sets up, then runs the benchmarks in release. Criterion reads the arguments (a filter, `--test`, ...).
///
/// # Errors
/// Setup failed, or a benchmark did not compile, failed or found a wrong answer.
pub fn run(arguments: &[String]) -> Result<()> {
    setup::run()?;
    let mut command = workspace::cargo(&["bench", "--package", "oneport-benches", "--"])?;
    command.args(arguments);
    workspace::run(command)
}

/// Measures the dozen and records its ratios for the release that the workspace is about to be.
///
/// # Errors
/// The errors of [`ratios`], or the record cannot be written.
pub fn record() -> Result<()> {
    setup::run()?;
    let ratios = measure(&binaries::build()?.tests)?;
    let metadata = workspace::metadata(&["--no-deps"])?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let release = packages
        .filter(|package| package["name"] == "oneport")
        .map(|package| &package["version"])
        .next();
    let text = serde_json::to_string_pretty(&json!({ "release": release, "ratios": ratios }))?;
    fs::write(workspace::root()?.join(RECORD), text + "\n")
        .with_context(|| format!("cannot write {RECORD}"))
}

/// Measures the dozen with programs that are built already, and prints each ratio next to the recorded one. A larger
/// ratio is not a failure.
///
/// # Errors
/// A benchmark is missing, or does not end well.
pub fn ratios(binaries: &[Binary]) -> Result<()> {
    let path = workspace::root()?.join(RECORD);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {RECORD}"))?;
    let record: Value =
        serde_json::from_str(&text).with_context(|| format!("{RECORD} is no JSON"))?;
    let found = measure(binaries)?;
    println!(
        "benchmarks as multiples of the reference loop, in the tests' profile; in release {}:",
        record["release"]
    );
    for (name, ratio) in &found {
        match record["ratios"][name].as_f64() {
            Some(before) => println!(
                "   {ratio:>10.3}  {before:>10.3}  x {:<5.2}  {name}",
                ratio / before
            ),
            None => println!("   {ratio:>10.3}  {:>10}  {:7}  {name}", "new", ""),
        }
    }
    Ok(())
}

/// The ratio of each of the dozen to the reference loop, and of each large collective to its search. The reference is
/// measured again before each.
fn measure(binaries: &[Binary]) -> Result<BTreeMap<String, f64>> {
    let folder = workspace::target()?.join("ratios");
    let ratio_of = |&(target, name): &(&str, &str)| {
        let reference = median(binaries, &folder, REFERENCE, REFERENCE)?;
        Ok((
            name.to_string(),
            median(binaries, &folder, target, name)? / reference,
        ))
    };
    let large = |&(name, beside): &(&str, &str)| {
        let search = median(binaries, &folder, "large", beside)?;
        Ok((
            name.to_string(),
            median(binaries, &folder, "large", name)? / search,
        ))
    };
    DOZEN
        .iter()
        .map(ratio_of)
        .chain(LARGE.iter().map(large))
        .collect()
}

/// The median time of one function, in nanoseconds.
fn median(binaries: &[Binary], folder: &Path, target: &str, name: &str) -> Result<f64> {
    let program = format!("benches {target}");
    let binary = binaries
        .iter()
        .find(|binary| binary.is_benchmark && binary.name == program);
    let mut command = binary
        .with_context(|| format!("there is no benchmark {target}"))?
        .command();
    let estimates = folder.join(name).join("new/estimates.json");
    if estimates.exists() {
        fs::remove_file(&estimates)
            .with_context(|| format!("cannot remove {}", estimates.display()))?;
    }
    let output = command
        .args(SHORTLY)
        .arg(name)
        .env("CRITERION_HOME", folder)
        .output();
    let output = output.with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        bail!(
            "{name} failed ({})\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let text = fs::read_to_string(&estimates)
        .with_context(|| format!("criterion knows no {name} in {target}"))?;
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is no JSON", estimates.display()))?;
    value["median"]["point_estimate"]
        .as_f64()
        .with_context(|| format!("{name} has no median"))
}
