//! A row of the comparison.

use oneport::Rational;
use oneport_baselines::{Compared, EQUAL_RINGS, run_by};
use oneport_timing::BestPieces;

use super::CompareAnswer;
use super::best::ShapeFound;
use crate::limiting::summary;

/// What a row is about.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'r> {
    /// An algorithm.
    Algorithm(&'r Compared),
    /// The best of a shape.
    Shape(&'r ShapeFound),
}

/// An algorithm or a shape beside the optimum.
#[derive(Debug, Clone)]
pub struct Entry<'r> {
    /// The algorithm or the shape.
    pub origin: Origin<'r>,
    /// Its name. An algorithm of the user's is marked by `(yours)`. The name of rings has their number.
    pub title: String,
    /// Whether it performs the collective that is asked about. An algorithm that combines operands in another order
    /// does not.
    pub compared: bool,
    /// One operation of it. `None` if its size is not given, or if its messages are too many to date.
    pub once: Option<&'r BestPieces>,
    /// The resources that limit it. `None` for a shape if a limit ended the search for them.
    pub limited_by: Option<String>,
    /// Libraries that run it, and their names for it.
    pub run_by: Option<&'static str>,
}

impl Entry<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        match self.origin {
            Origin::Algorithm(row) => &row.algorithm.name,
            Origin::Shape(found) => found.name,
        }
    }

    /// Operations per unit of time.
    pub fn throughput(&self) -> &Rational {
        match self.origin {
            Origin::Algorithm(row) => &row.sustained.throughput,
            Origin::Shape(found) => &found.shaped.throughput,
        }
    }

    /// Whether it is the user's.
    pub fn is_own(&self) -> bool {
        matches!(self.origin, Origin::Algorithm(row) if row.listed)
    }
}

impl CompareAnswer {
    /// The algorithms that perform the collective, then those that combine operands in another order, then the shapes.
    /// If the size of the operation is given, the first are in the order of its time. An algorithm without a time comes
    /// after those with one.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let rows = self.comparison.rows.iter().enumerate();
        let mut rows: Vec<Entry<'_>> = rows
            .map(|(index, row)| self.algorithm(row, true, self.once(index)))
            .collect();
        if self.times.is_some() {
            rows.sort_by_key(|entry| {
                let time = entry.once.map(|once| &once.length);
                (time.is_none(), time)
            });
        }
        let others = self.comparison.out_of_order.iter();
        rows.extend(others.map(|row| self.algorithm(row, false, None)));
        rows.extend(self.shapes.iter().map(shape));
        rows
    }

    /// One operation of the algorithm of this index.
    fn once(&self, index: usize) -> Option<&BestPieces> {
        self.times.as_ref()?.rows.get(index)?.as_ref()
    }

    fn algorithm<'r>(
        &self,
        row: &'r Compared,
        compared: bool,
        once: Option<&'r BestPieces>,
    ) -> Entry<'r> {
        let (platform, algorithm) = (self.problem.platform(), &row.algorithm);
        let title = match algorithm.ways.links.len() {
            1 if algorithm.name == EQUAL_RINGS => {
                format!("1 {}", EQUAL_RINGS.replace("rings at once", "ring"))
            }
            rings if algorithm.name == EQUAL_RINGS => format!("{rings} {EQUAL_RINGS}"),
            _ => algorithm.name.clone(),
        };
        Entry {
            origin: Origin::Algorithm(row),
            title: if row.listed {
                format!("{title} (yours)")
            } else {
                title
            },
            compared,
            once,
            limited_by: Some(match &row.sustained.odd_set {
                Some(set) => set.describe(platform),
                None => summary(platform, &row.sustained.busiest),
            }),
            run_by: run_by(&self.problem, &algorithm.name),
        }
    }
}

fn shape(found: &ShapeFound) -> Entry<'_> {
    Entry {
        origin: Origin::Shape(found),
        title: found.name.to_string(),
        compared: true,
        once: None,
        limited_by: found.limited_by.clone(),
        run_by: None,
    }
}
