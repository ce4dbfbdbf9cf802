//! Whether a file of measurements fits a question, and which of its rows counts.

use num_traits::Signed;
use oneport::plan::Form;
use oneport::platform::whole;
use oneport::{Bandwidth, Problem, Rational};
use oneport_topologies::{Measurement, Measurements};

/// Sizes that an error names.
const SIZES: usize = 4;

/// Refuses a file that measured something else: another collective, number of ranks, operator or root.
pub(crate) fn fits(problem: &Problem, file: &Measurements, ranks: usize) -> Result<(), String> {
    let asked = problem.collective().name();
    if let Some(found) = file.collective.filter(|found| *found != asked) {
        return Err(format!(
            "measures {found}, but {asked} is asked for; compare {found}"
        ));
    }
    let mut wrong = Vec::new();
    if let Some(found) = file.ranks.filter(|found| *found != ranks) {
        wrong.push(format!(
            "it is of {found} ranks, and the question of {ranks}"
        ));
    }
    if let (Some(form), Some(row)) = (problem.collective().form(), file.rows.first()) {
        let none =
            |test: fn(&Form, &Measurement) -> bool| !file.rows.iter().any(|row| test(form, row));
        if none(combines_alike) {
            wrong.push(if form.combines {
                format!("it combines nothing (redop none), and {asked} combines values")
            } else {
                format!(
                    "it combines values ({}), and {asked} combines none",
                    row.operator.as_deref().unwrap_or("")
                )
            });
        }
        if none(rooted_alike) {
            wrong.push(if has_root(form) {
                format!("it has no root, and {asked} has one")
            } else {
                format!("it has a root, and {asked} has none")
            });
        }
    }
    let Some(best) = fastest(&file.rows).filter(|_| !wrong.is_empty()) else {
        return Ok(());
    };
    let shown = best.busbw.as_ref().map_or(String::new(), |busbw| {
        format!(" ({} GB/s busbw)", oneport::decimal(busbw, 6))
    });
    Err(format!(
        "does not measure {asked} among {ranks}{shown}: {}; name the collective and --participants that were measured",
        wrong.join("; ")
    ))
}

/// Whether a row combines values if the collective does. True if the row does not state it.
fn combines_alike(form: &Form, row: &Measurement) -> bool {
    let operator = row.operator.as_ref();
    operator.is_none_or(|name| (name != "none") == form.combines)
}

/// Whether a row has a root if the collective has one. True if the row does not state it.
fn rooted_alike(form: &Form, row: &Measurement) -> bool {
    row.root.is_none_or(|root| (root >= 0) == has_root(form))
}

fn has_root(form: &Form) -> bool {
    form.roles.iter().any(|role| !role.many)
}

/// The rows of the collective.
pub(crate) fn of<'m>(
    problem: &'m Problem,
    file: &'m Measurements,
) -> impl Iterator<Item = &'m Measurement> {
    let form = problem.collective().form();
    let alike = move |row: &&Measurement| {
        form.is_none_or(|form| combines_alike(form, row) && rooted_alike(form, row))
    };
    file.rows.iter().filter(alike)
}

/// The row of this many bytes, else of the most bytes, among those of the collective.
pub(crate) fn chosen<'m>(
    problem: &'m Problem,
    file: &'m Measurements,
    ranks: usize,
    asked: Option<&Rational>,
) -> Result<&'m Measurement, String> {
    let bytes = |row: &&Measurement| whole(file.bytes(row, ranks));
    let Some(asked) = asked else {
        let best = fastest(of(problem, file)).filter(|row| is_positive(row));
        return best.ok_or_else(|| {
            "no bandwidth in it is positive; give a run that moved data".to_string()
        });
    };
    let row = of(problem, file)
        .filter(|row| bytes(row) == *asked && is_positive(row))
        .max_by_key(|row| (&row.busbw, row.time.as_ref().map(|time| -time)));
    row.ok_or_else(|| {
        let show = |bytes: &Rational| oneport::Units::bytes_and_seconds().show_data(bytes);
        let mut sizes: Vec<Rational> = file.rows.iter().map(|row| bytes(&row)).collect();
        sizes.sort_by_key(|size| (size - asked).abs());
        sizes.dedup();
        let near: Vec<String> = sizes.iter().take(SIZES).map(show).collect();
        format!(
            "has no row of {}; the nearest sizes in it are {}: give one of them, or leave the size out",
            show(asked),
            near.join(", ")
        )
    })
}

/// Notes on a file for the reader of the answer.
pub(crate) fn notes(file: &Measurements, bandwidth: &Bandwidth) -> Vec<String> {
    let mut notes = Vec::new();
    if file.wrong > 0 {
        notes.push(format!(
            "{} with wrong values (#wrong above 0); no such result counts",
            if file.wrong == 1 {
                "1 result is left out,".to_string()
            } else {
                format!("{} results are left out,", file.wrong)
            }
        ));
    }
    if file.ranks.is_none() && file.program == "OSU" {
        notes.push(format!(
            "the file does not say how many ranks took part; {} are assumed, as in the question",
            bandwidth.ranks
        ));
    }
    if let Some(factor) = factor(&file.rows).filter(|factor| !near(factor, &bandwidth.bus_factor)) {
        notes.push(format!(
            "its busbw is {} times its algbw, but {} times among {} ranks: check how many ranks were measured",
            oneport::decimal(&factor, 3),
            oneport::decimal(&bandwidth.bus_factor, 3),
            bandwidth.ranks
        ));
    }
    notes
}

/// The row of the most bytes, and of those the fastest.
fn fastest<'m>(rows: impl IntoIterator<Item = &'m Measurement>) -> Option<&'m Measurement> {
    rows.into_iter()
        .max_by_key(|row| (row.bytes, &row.busbw, row.time.as_ref().map(|time| -time)))
}

fn is_positive(row: &Measurement) -> bool {
    let positive = |value: &Option<Rational>| value.as_ref().map(Rational::is_positive);
    positive(&row.busbw)
        .or(positive(&row.time))
        .unwrap_or(false)
}

/// Bus bandwidth over algorithm bandwidth, if rows of several sizes agree. It depends on the number of ranks.
fn factor(rows: &[Measurement]) -> Option<Rational> {
    // Below, two decimals are too few.
    let least = whole(10);
    let factors: Vec<(u64, Rational)> = rows
        .iter()
        .filter_map(|row| {
            let algbw = row.algbw.as_ref().filter(|algbw| **algbw >= least)?;
            Some((row.bytes, row.busbw.as_ref()? / algbw))
        })
        .collect();
    let (bytes, last) = factors.last()?;
    let several = factors.iter().any(|(other, _)| other != bytes);
    let agree = factors.iter().all(|(_, factor)| near(factor, last));
    (several && agree).then(|| last.clone())
}

/// Equal but for the rounding of two decimals.
fn near(one: &Rational, other: &Rational) -> bool {
    let slack = Rational::new(1.into(), 200.into());
    (one - other).abs() <= slack * other
}
