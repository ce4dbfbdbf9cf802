//! Tables 2 to 4 of Liu-Kuo-Wang 2009: pairs of cells that three dynamic programs refer to.

use anyhow::{Context, Result, ensure};
use oneport::heterogeneous::tables::{self, Rule, Table};

use crate::figures::Figure;
use crate::numbers::whole;
use crate::rows::{Check, Finding, Paper};

pub const CHECKS: &[(&str, Check)] = &[
    ("table-2", |paper| cells(paper, "table-2", Rule::Naive)),
    ("table-3", |paper| cells(paper, "table-3", Rule::MonotoneSlow)),
    ("table-4", |paper| cells(paper, "table-4", Rule::MonotoneBoth)),
    ("saving", saving),
];

/// Step and end of both axes.
const STEP: usize = 10;
const MOST: usize = 150;

/// The printed cells by s, then by f, those with f = 0 or s = 0 left out: 225.
pub fn printed_cells(paper: &Paper, id: &str) -> Result<Vec<u64>> {
    let table = paper.table(id)?;
    let mut cells = Vec::new();
    for s in (STEP..=MOST).step_by(STEP) {
        let row = table.rows.get(&s.to_string()).with_context(|| format!("{id}: no row {s}"))?;
        let row: Vec<u64> = row.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        ensure!(row.len() == MOST / STEP + 1 && row[0] == 0, "{id}: row {s}");
        cells.extend(&row[1..]);
    }
    Ok(cells)
}

/// What our program of that rule refers to, cell by cell; every program must have found the same lengths.
fn cells(paper: &Paper, id: &str, rule: Rule) -> Result<Finding> {
    let printed = printed_cells(paper, id)?;
    let (fast, slow) = (whole(1), whole(2));
    let table = Table::build(&fast, &slow, MOST, MOST, rule)?;
    let mut ours = Vec::new();
    for s in (STEP..=MOST).step_by(STEP) {
        for f in (STEP..=MOST).step_by(STEP) {
            ours.push(tables::references(&table, f, s, rule));
        }
    }
    let equal = ours.iter().zip(&printed).filter(|(ours, printed)| ours == printed).count();
    ensure!(equal == printed.len() && ours.len() == printed.len(), "{equal} of {} cells", printed.len());
    let total: u64 = ours.iter().sum();
    Ok(Finding::claim(true, format!("all {equal} cells (and the zeros); together {total}")))
}

/// Section 6.3: 11250 pairs against 117 and 120.
fn saving(paper: &Paper) -> Result<Finding> {
    let corner = |id| Ok::<_, anyhow::Error>(printed_cells(paper, id)?.last().copied().unwrap_or_default());
    let [first, second, third] = [corner("table-2")?, corner("table-3")?, corner("table-4")?];
    let factor = (whole(first) / whole(third)).floor();
    ensure!((first, second, third) == (11250, 117, 120), "{first}, {second}, {third}");
    Ok(Finding::value(factor).note(format!("by the second algorithm {}", (whole(first) / whole(second)).floor())))
}

pub fn figures() -> Result<Vec<Figure>> {
    let (fast, slow) = (whole(1), whole(2));
    let mut rows = Vec::new();
    for (name, rule) in [
        ("naive (table 2)", Rule::Naive),
        ("binary search (table 3)", Rule::MonotoneSlow),
        ("both (table 4)", Rule::MonotoneBoth),
    ] {
        let table = Table::build(&fast, &slow, MOST, MOST, rule)?;
        let at = |f, s| tables::references(&table, f, s, rule);
        let grid = (STEP..=MOST).step_by(STEP);
        let total: u64 = grid.clone().flat_map(|s| grid.clone().map(move |f| (f, s))).map(|(f, s)| at(f, s)).sum();
        rows.push(vec![
            name.to_string(),
            at(10, 150).to_string(),
            at(150, 10).to_string(),
            at(150, 150).to_string(),
            total.to_string(),
        ]);
    }
    let header = ["dynamic program", "f = 10, s = 150", "f = 150, s = 10", "f = s = 150", "all 225 cells"];
    Ok(vec![Figure::table(
        "Tables 2 to 4 of papers 001",
        "Pairs of table entries referred to, speed ratio 2, cell by cell as printed. The third program saves 0.4 % over the second.",
        &header,
        rows,
    )])
}
