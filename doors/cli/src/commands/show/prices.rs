//! Formats the prices of a certificate.

use oneport::platform::names::common;
use oneport::platform::whole;
use oneport::{Plan, Rational};

use crate::words::numbers::Shown;
use crate::words::output::count;
use crate::words::tables::{Sheet, plain, table};
use oneport_questions::odd_set_sentence;

/// Limit on the odd sets that get a sentence.
const SETS: usize = 20;

/// A row of prices: a name, the number of alike resources, their part of all prices.
type Row = (String, usize, Rational);

/// All prices, as shares of their total. Alike resources of one price share a row.
fn rows(plan: &Plan<'_>) -> Vec<Row> {
    let platform = plan.platform();
    let total = plan.certificate.supply(platform);
    let mut rows: Vec<(String, String, usize, Rational)> = Vec::new();
    for (resource, price) in plan.certificate.prices() {
        let share = price * whole(resource.capacity(platform)) / &total;
        let name = resource.describe(platform);
        let alike = common(&name);
        match rows
            .iter_mut()
            .find(|(_, known, _, one)| *known == alike && *one == share)
        {
            Some((shown, _, members, _)) => {
                *members += 1;
                shown.clone_from(&alike);
            }
            None => rows.push((name, alike, 1, share)),
        }
    }
    for (set, price) in plan.certificate.odd_sets() {
        let share = price * whole(set.capacity(platform)) / &total;
        rows.push((set.describe(platform), String::new(), 1, share));
    }
    let rows = rows.into_iter().map(|(name, _, members, share)| {
        let all = share * whole(members);
        (name, members, all)
    });
    rows.collect()
}

/// The prices as a table.
pub fn sheet(plan: &Plan<'_>, shown: Shown) -> Sheet {
    let cells = |(name, members, all): Row| vec![name, members.to_string(), shown.share(&all)];
    let header = ["what is charged", "members", "share of the price"];
    plain(&header, &[1, 2], rows(plan).into_iter().map(cells))
}

/// The prices as text. Odd sets have a sentence.
pub fn prices(plan: &Plan<'_>, shown: Shown) -> String {
    let platform = plan.platform();
    let cells = rows(plan).into_iter().map(|(name, members, all)| {
        let times = if members == 1 {
            String::new()
        } else {
            format!("{members} x")
        };
        vec![times, name, shown.share(&all)]
    });
    let table = table(&["", "what is charged", "share of the price"], cells);
    let sets = plan
        .certificate
        .odd_sets()
        .take(SETS)
        .map(|(set, _)| odd_set_sentence(platform, set));
    let sentences: String = sets
        .map(|sentence| format!("\n    odd set: {sentence}"))
        .collect();
    match plan.certificate.odd_sets().count().saturating_sub(SETS) {
        0 => format!("{table}{sentences}"),
        more => format!(
            "{table}{sentences}\n    and {} more",
            count(more, "odd set")
        ),
    }
}
