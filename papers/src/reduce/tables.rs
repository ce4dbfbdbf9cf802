//! The tables of RR-4872, figures 6(d) and 6(e): their tasks, and the rules they break.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use oneport::plan::{Interval, Task};
use oneport::{NodeId, Platform};

use super::tasks::{self, Place, flow, owns};
use crate::cases::{self, Case};
use crate::figures::Figure;
use crate::rows::PrintedTable;

/// One cell: a task of one reduction during one unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Start of the unit of time in which the task runs.
    pub time: usize,
    /// The task.
    pub task: Task,
    /// Time-stamp of the reduction.
    pub stamp: usize,
}

/// A table, read.
pub struct Table<'a> {
    case: &'a Case,
    /// The printed form, for display.
    printed: PrintedTable,
    /// Its cells, by time.
    pub cells: Vec<Cell>,
}

/// A send or receive port that is used twice at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clash {
    /// The unit of time.
    pub time: usize,
    /// "P0 receives" or "P1 sends".
    pub what: String,
    /// The links that use the port.
    pub links: Vec<String>,
}

impl<'a> Table<'a> {
    /// Reads rows like "1 -> 2" = "v11^0 - v11^3": per unit of time a value or task with its time-stamp, or `-`.
    ///
    /// # Errors
    /// A row or a cell does not name a task.
    pub fn read(case: &'a Case, printed: &PrintedTable) -> Result<Table<'a>> {
        let mut cells = Vec::new();
        for (row, line) in &printed.rows {
            for (time, text) in line
                .split_whitespace()
                .enumerate()
                .filter(|(_, text)| *text != "-")
            {
                let (what, stamp) = text
                    .split_once('^')
                    .with_context(|| format!("'{text}' has no time-stamp"))?;
                let (kind, digits) = what.split_at(1);
                let digits: Vec<String> = digits.chars().map(String::from).collect();
                let place = row.strip_prefix("node ").unwrap_or(row);
                let name = format!("{place}: {kind}[{}]", digits.join(","));
                cells.push(Cell {
                    time,
                    task: tasks::parse(&case.platform, &name)?,
                    stamp: stamp.parse()?,
                });
            }
        }
        cells.sort();
        Ok(Table {
            case,
            printed: printed.clone(),
            cells,
        })
    }

    fn platform(&self) -> &Platform {
        &self.case.platform
    }

    /// Units of time that the table shows.
    pub fn columns(&self) -> usize {
        self.printed
            .rows
            .values()
            .map(|line| line.split_whitespace().count())
            .max()
            .unwrap_or(0)
    }

    /// Number of times that every task occurs.
    pub fn counts(&self) -> BTreeMap<Task, usize> {
        let mut counts = BTreeMap::new();
        for cell in &self.cells {
            *counts.entry(cell.task).or_default() += 1;
        }
        counts
    }

    /// The ports that have to serve two links at a time.
    pub fn clashes(&self) -> Vec<Clash> {
        let mut users: BTreeMap<(usize, NodeId, &str), Vec<String>> = BTreeMap::new();
        for cell in &self.cells {
            if let Task::Send { link, .. } = cell.task {
                let ends = self.platform().link(link);
                for port in [
                    (cell.time, ends.from, "sends"),
                    (cell.time, ends.to, "receives"),
                ] {
                    users
                        .entry(port)
                        .or_default()
                        .push(self.platform().link_name(link));
                }
            }
        }
        let clash = |((time, node, does), links): ((usize, NodeId, &str), Vec<String>)| {
            let what = format!("P{} {does}", self.platform().name(node));
            (links.len() > 1).then_some(Clash { time, what, links })
        };
        users.into_iter().filter_map(clash).collect()
    }

    /// Cells whose inputs no earlier cell makes or receives.
    ///
    /// # Errors
    /// The case is not a reduce.
    pub fn unfounded(&self) -> Result<Vec<Cell>> {
        let (_, participants) = tasks::ends(self.case)?;
        let mut ready: BTreeMap<(Place, usize), usize> = BTreeMap::new();
        for cell in &self.cells {
            let made = flow(self.platform(), cell.task).1;
            let end = ready.entry((made, cell.stamp)).or_insert(cell.time + 1);
            *end = (*end).min(cell.time + 1);
        }
        let there = |input: Place, cell: &Cell| {
            owns(participants, input)
                || ready
                    .get(&(input, cell.stamp))
                    .is_some_and(|&end| end <= cell.time)
        };
        let unfounded = |cell: &Cell| {
            !flow(self.platform(), cell.task)
                .0
                .into_iter()
                .all(|input| there(input, cell))
        };
        Ok(self.cells.iter().copied().filter(unfounded).collect())
    }

    /// The table with another value on a link.
    pub fn relabelled(&self, link: &str, part: Interval) -> Result<Table<'a>> {
        let wanted = cases::link(self.platform(), link)?;
        let mut cells = self.cells.clone();
        for cell in &mut cells {
            if let Task::Send {
                link, part: label, ..
            } = &mut cell.task
                && *link == wanted
            {
                *label = part;
            }
        }
        cells.sort();
        Ok(Table {
            case: self.case,
            printed: self.printed.clone(),
            cells,
        })
    }

    /// The table as printed, with a mark at every use of a port that clashes.
    pub fn figure(&self, title: &str, caption: &str) -> Figure {
        let clashes = self.clashes();
        let length = self.columns();
        let mut header = vec!["link or node".to_string()];
        header.extend((0..length).map(|time| time.to_string()));
        let row = |(name, line): (&String, &String)| {
            let cell = |(time, text): (usize, &str)| {
                let clashing = clashes
                    .iter()
                    .any(|clash| clash.time == time && clash.links.contains(name));
                match text {
                    "-" => String::new(),
                    text if clashing => format!("{text} !"),
                    text => text.to_string(),
                }
            };
            std::iter::once(name.clone())
                .chain(line.split_whitespace().enumerate().map(cell))
                .collect()
        };
        let rows = self.printed.rows.iter().map(row).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        Figure::table(title, caption, &header, rows)
    }
}

/// Whether the one-port rule forces `1 -> 2` and `2 -> 0` into the same residue of a period of 3, in which `1 -> 2` and
/// `2 -> 0` happen once, `2 -> 1` and `1 -> 0` twice. Returns the number of assignments tried, and the assignments that
/// the rule allows.
pub fn residues() -> Result<(usize, Vec<[Vec<usize>; 4]>)> {
    let once: Vec<Vec<usize>> = (0..3).map(|slot| vec![slot]).collect();
    let twice: Vec<Vec<usize>> = (0..3)
        .map(|idle| (0..3).filter(|&slot| slot != idle).collect())
        .collect();
    let disjoint = |a: &Vec<usize>, b: &Vec<usize>| a.iter().all(|slot| !b.contains(slot));
    let (mut tried, mut allowed) = (0, Vec::new());
    for out_1 in &once {
        for out_2 in &once {
            for back in &twice {
                for to_0 in &twice {
                    tried += 1;
                    // Sends of 1, sends of 2, receptions of 0. The others receive from one node each.
                    if disjoint(out_1, to_0) && disjoint(back, out_2) && disjoint(to_0, out_2) {
                        allowed.push([out_1.clone(), out_2.clone(), back.clone(), to_0.clone()]);
                    }
                }
            }
        }
    }
    ensure!(!allowed.is_empty(), "one-port allows nothing");
    Ok((tried, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::toy::Toy;

    fn table(rows: &[(&str, &str)]) -> PrintedTable {
        let rows = rows
            .iter()
            .map(|(name, line)| (name.to_string(), line.to_string()))
            .collect();
        PrintedTable {
            id: "test".to_string(),
            place: String::new(),
            rows,
        }
    }

    /// One reduction by the tree that merges at node 1, done right, too early, and with two messages at a time.
    #[test]
    fn faults_are_found_where_they_are() -> Result<()> {
        let toy = Toy::load()?;
        let good = [
            ("2 -> 1", "v22^0"),
            ("node 1", "- T112^0"),
            ("1 -> 0", "- - v12^0"),
            ("node 0", "- - - T002^0"),
        ];
        let read = Table::read(&toy.case, &table(&good))?;
        assert_eq!((read.clashes(), read.unfounded()?), (vec![], vec![]));
        let early = [
            ("2 -> 1", "v22^0"),
            ("node 1", "T112^0"),
            ("1 -> 0", "- - v12^0"),
            ("node 0", "- - - T002^0"),
        ];
        let read = Table::read(&toy.case, &table(&early))?;
        assert_eq!(
            read.unfounded()?
                .iter()
                .map(|cell| cell.time)
                .collect::<Vec<_>>(),
            [0]
        );
        let crowded = [
            ("2 -> 1", "- v22^0"),
            ("2 -> 0", "- v22^1"),
            ("1 -> 2", "- v11^2"),
        ];
        let clashes = Table::read(&toy.case, &table(&crowded))?.clashes();
        assert_eq!(clashes.len(), 1);
        assert_eq!((clashes[0].time, clashes[0].what.as_str()), (1, "P2 sends"));
        assert!(Table::read(&toy.case, &table(&[("1 -> 3", "v11^0")])).is_err());
        assert!(Table::read(&toy.case, &table(&[("1 -> 2", "v11")])).is_err());
        Ok(())
    }
}
