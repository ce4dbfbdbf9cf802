//! What a certificate charges.

use oneport::plan::Resource;
use oneport::{Plan, Rational};

use super::tables::table;
use crate::words::names::{self, common};
use crate::words::numbers::{Shown, percent};

/// What a certificate charges for the time of everything together.
pub fn charged(plan: &Plan) -> Rational {
    let whole = |number: u64| Rational::from_integer(number.into());
    let resources = plan.certificate.prices.iter();
    let resources = resources.map(|(resource, price)| price * whole(resource.capacity(&plan.platform).into()));
    let sets = plan.certificate.odd_sets.iter().map(|(set, price)| price * whole(set.capacity(&plan.platform)));
    resources.chain(sets).sum()
}

/// All prices, as parts of the whole; alike resources of one price in one row.
pub fn prices(plan: &Plan, _: Shown) -> String {
    let (platform, total) = (&plan.platform, charged(plan));
    let mut rows: Vec<(String, String, usize, Rational)> = Vec::new();
    for (resource, price) in &plan.certificate.prices {
        let share = price * Rational::from_integer(resource.capacity(platform).into()) / &total;
        let name = resource.describe(platform);
        let alike = common(&name);
        match rows.iter_mut().find(|(_, known, _, one)| *known == alike && *one == share) {
            Some((shown, _, members, _)) => {
                *members += 1;
                shown.clone_from(&alike);
            }
            None => rows.push((name, alike, 1, share)),
        }
    }
    for (set, price) in &plan.certificate.odd_sets {
        let ports: Vec<_> = set.ports.iter().filter_map(|port: &Resource| port.node()).collect();
        let share = price * Rational::from_integer(set.capacity(platform).into()) / &total;
        rows.push((format!("odd set {}", names::set(platform, &ports)), String::new(), 1, share));
    }
    let cells = rows.into_iter().map(|(name, _, members, share)| {
        let all = &share * Rational::from_integer(members.into());
        let times = if members == 1 { String::new() } else { format!("{members} x") };
        vec![times, name, percent(&all)]
    });
    table(&["", "what is charged", "share of the price"], cells)
}
