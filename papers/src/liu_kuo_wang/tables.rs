//! Tables 2 to 4 of Liu-Kuo-Wang 2009: pairs of cells that three dynamic programs refer to.

use anyhow::{Context, Result, ensure};
use oneport::heterogeneous::tables::{self, Rule, Table};

use crate::errata::Sides;
use crate::figures::Figure;
use crate::numbers::{number, whole};
use crate::rows::{Check, Finding, Paper};

pub const CHECKS: &[(&str, Check)] = &[
    ("table-2", |paper| cells(paper, "table-2", Rule::Naive)),
    ("table-3", |paper| {
        cells(paper, "table-3", Rule::MonotoneSlow)
    }),
    ("table-4", |paper| {
        cells(paper, "table-4", Rule::MonotoneBoth)
    }),
    ("saving", saving),
    ("saving-all", saving_all),
    ("first-any-ratio", |_| first_any_ratio()),
    ("other-ratios", |_| other_ratios()),
    ("recursion-time", |_| recursion_time()),
    ("theorem-5", |_| theorem_5()),
    ("third-rule", |paper| third_rule(paper)),
];

/// Ratios c_s, the paper's among them.
const RATIOS: [&str; 6] = ["1", "5/4", "3/2", "7/4", "2", "3"];
/// Step and end of both axes.
const STEP: usize = 10;
const MOST: usize = 150;

/// The printed cells by s, then by f, those with f = 0 or s = 0 left out: 225.
pub fn printed_cells(paper: &Paper, id: &str) -> Result<Vec<u64>> {
    let table = paper.table(id)?;
    let mut cells = Vec::new();
    for s in (STEP..=MOST).step_by(STEP) {
        let row = table
            .rows
            .get(&s.to_string())
            .with_context(|| format!("{id}: no row {s}"))?;
        let row: Vec<u64> = row
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        ensure!(row.len() == MOST / STEP + 1 && row[0] == 0, "{id}: row {s}");
        cells.extend(&row[1..]);
    }
    Ok(cells)
}

/// Pairs that our program of that rule refers to, cell by cell, against the printed numbers.
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
    let equal = ours
        .iter()
        .zip(&printed)
        .filter(|(ours, printed)| ours == printed)
        .count();
    let total: u64 = ours.iter().sum();
    Ok(Finding::cells(
        equal,
        printed.len().max(ours.len()),
        format!("; together {total}"),
    ))
}

/// Section 6.3: 11250 pairs against 117 and 120.
fn saving(paper: &Paper) -> Result<Finding> {
    let corner = |id| {
        Ok::<_, anyhow::Error>(
            printed_cells(paper, id)?
                .last()
                .copied()
                .unwrap_or_default(),
        )
    };
    let [first, second, third] = [corner("table-2")?, corner("table-3")?, corner("table-4")?];
    let factor = (whole(first) / whole(third)).floor();
    ensure!(
        (first, second, third) == (11250, 117, 120),
        "{first}, {second}, {third}"
    );
    Ok(Finding::value(factor).note(format!(
        "by the second algorithm {}",
        (whole(first) / whole(second)).floor()
    )))
}

/// The pairs of one program for the full table up to f = s = 150.
fn whole_table(table: &Table, rule: Rule) -> u64 {
    (1..=MOST)
        .flat_map(|f| (1..=MOST).map(move |s| (f, s)))
        .map(|(f, s)| tables::references(table, f, s, rule))
        .sum()
}

/// E001-12: the factor of the last cell of tables 2 and 4, and that of the whole table, which T(150, 150) needs.
pub fn savings(paper: &Paper) -> Result<[u64; 2]> {
    let corner = |id| {
        Ok::<_, anyhow::Error>(
            printed_cells(paper, id)?
                .last()
                .copied()
                .unwrap_or_default(),
        )
    };
    let table = Table::build(&whole(1), &whole(2), MOST, MOST, Rule::MonotoneSlow)?;
    let [first, third] = [Rule::Naive, Rule::MonotoneBoth].map(|rule| whole_table(&table, rule));
    Ok([corner("table-2")? / corner("table-4")?, first / third])
}

fn saving_all(paper: &Paper) -> Result<Finding> {
    let [corner, all] = savings(paper)?;
    Ok(Sides::new(corner as usize, all as usize)
        .finding()
        .note("pairs counted by the rules of tables 2 and 4, all cells from 1 to 150"))
}

/// Section 6.3: pairs without insight, for any ratio, counted pair by pair as table 2 counts them.
fn first_any_ratio() -> Result<Finding> {
    let mut tried = 0;
    for (f, s) in [(1, 1), (2, 3), (7, 4), (20, 31), (40, 40)] {
        let mut counts = Vec::new();
        for slow in RATIOS {
            let table = Table::build(&whole(1), &number(slow)?, f, s, Rule::Naive)?;
            counts.push(tables::references(&table, f, s, Rule::Naive));
            tried += 1;
        }
        counts.dedup();
        ensure!(counts.len() == 1, "f = {f}, s = {s}: {counts:?}");
    }
    Ok(Finding::claim(
        true,
        format!("{tried} tables, c_s = {}", RATIOS.join(", ")),
    ))
}

/// Pairs at f = s = 150 for other ratios than the paper's 2: below it, the program is needed.
fn other_ratios() -> Result<Finding> {
    let mut found = Vec::new();
    for slow in RATIOS {
        let table = Table::build(&whole(1), &number(slow)?, MOST, MOST, Rule::MonotoneSlow)?;
        let count = |rule| tables::references(&table, MOST, MOST, rule);
        let [first, second, third] =
            [Rule::Naive, Rule::MonotoneSlow, Rule::MonotoneBoth].map(count);
        let text = self::third(&table, MOST, MOST, STOPS[2]);
        ensure!(
            second.max(third).max(text) < first,
            "c_s = {slow}: {first}, {second}, {third}, {text}"
        );
        found.push(format!("{slow}: {second}, {third}, {text}"));
    }
    Ok(Finding::claim(true, found.join("; ")))
}

/// Section 5.3.2: pairs of cells that the recursion (2) compares for the full table, each pair of buddies once.
fn recursion_time() -> Result<Finding> {
    let mut largest = whole(0);
    let sizes = [1_usize, 2, 3, 5, 8, 13, 21, 34];
    for (f, s) in sizes.into_iter().flat_map(|f| sizes.map(|s| (f, s))) {
        let mut pairs = 0;
        for (f, s) in (1..=f).flat_map(|f| (0..=s).map(move |s| (f, s))) {
            let all = (0..f).flat_map(|left| (0..=s).map(move |share| (left, share)));
            pairs += all
                .filter(|&(left, share)| (left, share) <= (f - 1 - left, s - share))
                .count();
        }
        let bound = (f * s).pow(2);
        ensure!(pairs <= 3 * bound, "f = {f}, s = {s}: {pairs} pairs");
        largest = largest.max(whole(pairs) / whole(bound));
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} tables up to f = s = 34: at most {} f^2 s^2 pairs",
            sizes.len() * sizes.len(),
            crate::numbers::short(&largest)
        ),
    ))
}

/// Theorem 5: one cell takes at most f / 2 + 1 binary searches.
fn theorem_5() -> Result<Finding> {
    let mut tried = 0;
    for (fast, slow) in [(1, 2), (2, 3), (10, 19), (1, 5)] {
        let table = Table::build(&whole(fast), &whole(slow), 60, 60, Rule::MonotoneSlow)?;
        let naive = Table::build(&whole(fast), &whole(slow), 60, 60, Rule::Naive)?;
        for f in 1..=60usize {
            for s in 1..=60usize {
                ensure!(
                    table.length(f, s) == naive.length(f, s),
                    "f = {f}, s = {s}: not the optimum"
                );
                let steps = (usize::BITS - s.leading_zeros()) as usize + 1;
                let pairs = tables::references(&table, f, s, Rule::MonotoneSlow);
                ensure!(
                    pairs <= ((f / 2 + 1) * steps) as u64,
                    "f = {f}, s = {s}: {pairs} pairs"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cells: at most (f / 2 + 1)(log2 s + 2) pairs each, and the optimum"),
    ))
}

/// When the walk along the line s = f + 1 stops, in the third algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Columns up to the point C are searched without a test (section 5.3.4).
    pub from_c: bool,
    /// True: T(A) > T(B), as in the text. False: T(A) >= T(B).
    pub strict: bool,
}

/// The readings: with C and >=, without C and >= (table 4), and the text's, with C and >.
pub const STOPS: [Stop; 3] = [
    Stop {
        from_c: true,
        strict: false,
    },
    Stop {
        from_c: false,
        strict: false,
    },
    Stop {
        from_c: true,
        strict: true,
    },
];

/// Pairs that the third algorithm refers to for one cell, by a reading. `table` is complete.
pub fn third(table: &Table, f: usize, s: usize, stop: Stop) -> u64 {
    let cell = |f, s| table.length(f, s);
    let columns = f / 2 + f % 2;
    let c = if stop.from_c {
        s.div_ceil(2) + usize::from(s.is_multiple_of(2))
    } else {
        0
    };
    let mut total = 0;
    for column in 0..columns {
        if column >= s {
            return total
                + (column..columns)
                    .map(|left| binary(table, f, s, left, 0, s).0)
                    .sum::<u64>();
        }
        let order = cell(column, column + 1).cmp(&cell(f - 1 - column, s - column - 1));
        let stops = order.is_gt() || (!stop.strict && order.is_eq());
        if stops && column + 1 > c {
            return total + middle(table, f, s, column, columns);
        }
        total += binary(table, f, s, column, column + 1, s).0;
    }
    total
}

/// The rectangle of figure 15, which shrinks to the last equal pair.
fn middle(table: &Table, f: usize, s: usize, first: usize, columns: usize) -> u64 {
    let (mut high, mut total) = (first, 0);
    for left in first..columns {
        let low = s - high;
        if high <= low {
            break;
        }
        let (references, equal) = binary(table, f, s, left, low, high);
        total += references;
        high = equal.map_or(high, |equal| equal.saturating_sub(1));
    }
    total
}

/// One binary search for the crossing. Returns the pairs referred to, and the point at which both were equal.
fn binary(
    table: &Table,
    f: usize,
    s: usize,
    left: usize,
    low: usize,
    high: usize,
) -> (u64, Option<usize>) {
    let (mut low, mut high, mut references) = (low, high, 0);
    while high - low > 1 {
        let middle = (low + high) / 2;
        references += 1;
        match table
            .length(left, middle)
            .cmp(&table.length(f - 1 - left, s - middle))
        {
            std::cmp::Ordering::Equal => return (references, Some(middle)),
            std::cmp::Ordering::Less => low = middle,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    (references + 1, None)
}

/// Per reading: cells of table 4 that it yields, all its pairs, and its pairs at f = s = 150.
pub fn third_rules(paper: &Paper) -> Result<[(usize, u64, u64); 3]> {
    let printed = printed_cells(paper, "table-4")?;
    let table = Table::build(&whole(1), &whole(2), MOST, MOST, Rule::MonotoneSlow)?;
    let grid = || (STEP..=MOST).step_by(STEP);
    Ok(STOPS.map(|stop| {
        let ours: Vec<u64> = grid()
            .flat_map(|s| grid().map(move |f| (f, s)))
            .map(|(f, s)| third(&table, f, s, stop))
            .collect();
        let equal = ours
            .iter()
            .zip(&printed)
            .filter(|(ours, printed)| ours == printed)
            .count();
        (equal, ours.iter().sum(), ours.last().copied().unwrap_or(0))
    }))
}

fn third_rule(paper: &Paper) -> Result<Finding> {
    let [
        (c, c_all, c_150),
        (without, all, at_150),
        (text, text_all, text_150),
    ] = third_rules(paper)?;
    Ok(Finding::value(text).note(format!(
        "with C and >= {c}, with >= alone {without}; all cells together {text_all}, {c_all}, {all}; f = s = 150: {text_150}, {c_150}, \
         {at_150}"
    )))
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
        let pairs = |f, s| tables::references(&table, f, s, rule);
        let grid = (STEP..=MOST).step_by(STEP);
        let total: u64 = grid
            .clone()
            .flat_map(|s| grid.clone().map(move |f| (f, s)))
            .map(|(f, s)| pairs(f, s))
            .sum();
        rows.push(vec![
            name.to_string(),
            pairs(10, 150).to_string(),
            pairs(150, 10).to_string(),
            pairs(150, 150).to_string(),
            total.to_string(),
        ]);
    }
    let header = [
        "dynamic program",
        "f = 10, s = 150",
        "f = 150, s = 10",
        "f = s = 150",
        "all 225 cells",
    ];
    Ok(vec![Figure::table(
        "Liu-Kuo-Wang 2009, tables 2 to 4",
        "Pairs of table entries referred to, speed ratio 2, cell by cell as printed. The third program saves 0.4 % over the second.",
        &header,
        rows,
    )])
}
