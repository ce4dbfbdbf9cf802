//! `oneport-papers [--out DIR | compare | peers]`: compares every printed value and claim of the papers with ours, runs
//! the same pipeline on real networks, and compares `docs/peers.md` with the computed page.
//!
//! Prints tables and writes `REPORT.md`, `index.html` and `figures/` to `target/reproduce`. Exit codes: 0 every verdict
//! is the expected one, 1 some verdict is not, 2 usage.

mod canon_antoniu;
mod cases;
mod chapter;
mod commands;
mod compare;
mod errata;
mod exhaustive;
mod figures;
mod html;
mod liu_kuo_wang;
mod matchings;
mod networks;
mod numbers;
mod peers;
mod printed;
mod reduce;
mod report;
mod rows;
mod rr2004_32;
mod rr4872;
mod runs;
mod search;
mod sketch;
mod slides;
mod toy;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use oneport::files::write_atomically;

use chapter::Chapter;
use figures::Body;
use report::{Report, Section};
use rows::Paper;

/// The papers reproduced so far.
pub const CHAPTERS: &[Chapter] = &[
    rr4872::CHAPTER,
    liu_kuo_wang::CHAPTER,
    canon_antoniu::CHAPTER,
    slides::CHAPTER,
    rr2004_32::CHAPTER,
];

const USAGE: &str = "usage: oneport-papers [--out DIR | compare | peers | searches .. | programs .. | rows .. | tiers ..]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(result) = words
        .first()
        .and_then(|name| commands::run(name, &words[1..], CHAPTERS))
    {
        return ended(result.map(|text| drop(writeln!(std::io::stdout(), "{text}"))));
    }
    let mut arguments = std::env::args_os().skip(1);
    let folder = match (arguments.next(), arguments.next(), arguments.next()) {
        (None, ..) => rows::root().join("target/reproduce"),
        (Some(option), Some(folder), None) if option == "--out" => PathBuf::from(folder),
        (Some(word), None, None) if word == "compare" => return ended(compare::write()),
        (Some(word), None, None) if word == "peers" => return ended(peers::write()),
        (Some(option), None, None) if option == "--help" || option == "-h" => {
            println!(
                "{USAGE}\n\nCompares the papers with oneport; writes index.html and REPORT.md to DIR (default: target/reproduce).\n\
                 compare: writes docs/compare.md, named algorithms against the optimum on every fixture.\n\
                 peers: writes docs/peers.md, published results of other systems beside proved optima.\n{}",
                commands::USAGE
            );
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&folder) {
        Ok(report) if report.failures().is_empty() => ExitCode::SUCCESS,
        Ok(report) => {
            for failure in report.failures() {
                eprintln!("error: {failure}");
            }
            ExitCode::FAILURE
        }
        Err(error) => ended(Err(error)),
    }
}

fn ended(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> Result<Report> {
    let started = Instant::now();
    let mut sections = Vec::new();
    for chapter in CHAPTERS {
        let paper = Paper::load(chapter.stem)?;
        let rows = chapter.judge(&paper)?;
        let figures = chapter
            .draw()
            .with_context(|| format!("figures of {}", paper.name))?;
        sections.push(Section {
            paper,
            rows,
            figures,
        });
    }
    let mut report = Report {
        sections,
        networks: networks::run()?,
        errata: errata::documented()?,
        seconds: 0.0,
    };
    report.seconds = started.elapsed().as_secs_f64();
    write(&report, folder)?;
    peers::check()?;
    let page = folder.join("index.html");
    // A reader that stops early (`| head`) is not a failure.
    let _ = writeln!(
        std::io::stdout(),
        "{}\n{} in {:.1} s; report: {}",
        report.terminal(),
        report.summary(),
        report.seconds,
        page.display()
    );
    Ok(report)
}

fn write(report: &Report, folder: &Path) -> Result<()> {
    let names: Vec<String> = report
        .figures()
        .map(|figure| report::file_name(&figure.title))
        .collect();
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    ensure!(
        names.len() == different.len(),
        "two drawings share a file: {names:?}"
    );
    let drawings = folder.join("figures");
    std::fs::create_dir_all(&drawings)
        .with_context(|| format!("cannot create {}", drawings.display()))?;
    let write = |path: PathBuf, text: &str| {
        write_atomically(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    };
    for figure in report.figures() {
        let path = |extension: &str| {
            drawings.join(format!("{}.{extension}", report::file_name(&figure.title)))
        };
        match &figure.body {
            Body::Svg(svg) => write(path("svg"), svg)?,
            Body::Table { header, rows } => write(path("csv"), &figures::csv(header, rows))?,
        }
    }
    write(folder.join("REPORT.md"), &report.markdown())?;
    write(folder.join("index.html"), &html::page(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another test builds the whole report. Nothing is computed here, and every row must report that.
    #[test]
    fn rows_without_checks_are_failures() -> Result<()> {
        for chapter in CHAPTERS {
            let paper = Paper::load(chapter.stem)?;
            let judged = rows::judge_all(&paper, &[])?;
            assert!(
                judged.iter().any(|judged| judged.verdict.is_err()),
                "{}",
                paper.name
            );
        }
        Ok(())
    }
}
