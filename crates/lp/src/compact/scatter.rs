//! The papers' compact programs, corrected: SSSP (RR-4872 section 3.1) and SSPA2A (section 3.5).
//!
//! Symbols: `send(e, k)` messages of commodity `k` sent over link `e` per unit of time, `TP` the throughput.
//!
//! ```text
//! maximise TP subject to
//!   for each commodity k and node i other than its ends:  in(i, k) = out(i, k)          (5)
//!   for each commodity k, at its target:                  in(target, k) = TP            (6)
//!   for each send port i:     sum size c(e) send(e, k) <= 1                             (2), (4)
//!   for each receive port j:  sum size c(e) send(e, k) <= 1                             (3), (4)
//! ```
//!
//! Deviations from the printed program (docs/errata.md):
//! 1. (5) is not imposed at the source, where it would force `TP = 0`.
//! 2. No variable sends a commodity out of its target or into its source: the printed (6) counts receptions, and a
//!    message that circulates through its target would be counted over and over.
//! 3. The last line of SSPA2A reads: for all `(k, l)`, the sum of `send(i -> l, m_{k,l})` over `i` is `TP`.

use num_traits::{One, Zero};
use oneport_exact::{ExactError, LinearProgram, Relation, Row, Sense};
use oneport_platform::Rational;

use crate::Question;
use crate::flow::{Flow, FlowProgram, Group, Leaf, Side};
use crate::resources::Resources;

/// Builds the program. Every commodity is a separate group, and `time` is the column of `TP`.
pub(crate) fn build(question: &Question) -> Result<FlowProgram, ExactError> {
    let platform = question.platform();
    let mut program = LinearProgram::new(Sense::Maximize);
    let resources = Resources::new(platform, false);
    let row = |place| program.add_row(Relation::AtMost, resources.capacity(place).clone());
    let rows: Vec<Row> = (0..resources.count()).map(row).collect();
    let ports = resources.list().zip(rows.iter().copied()).collect();
    let groups: Vec<Group> = question
        .commodities()
        .iter()
        .enumerate()
        .map(|(place, commodity)| Group {
            root: commodity.source,
            side: Side::Source,
            leaves: vec![Leaf {
                node: commodity.target,
                demand: place,
                rate: 1,
            }],
        })
        .collect();
    let mut balance: Vec<Vec<Option<Row>>> = Vec::with_capacity(groups.len());
    for commodity in question.commodities() {
        let row = |node| {
            (node != commodity.source).then(|| program.add_row(Relation::Equal, Rational::zero()))
        };
        balance.push(platform.node_ids().map(row).collect());
    }
    let arrivals = question.commodities().iter().zip(&balance);
    let arrivals = arrivals
        .filter_map(|(commodity, rows)| Some((rows[commodity.target.index()]?, -Rational::one())));
    let throughput = program.add_column(Rational::one(), arrivals)?;
    let mut flows = Vec::new();
    for (group, commodity) in question.commodities().iter().enumerate() {
        for link in platform.link_ids() {
            let (from, to) = (platform.link(link).from, platform.link(link).to);
            if from == commodity.target || to == commodity.source {
                continue;
            }
            let time = question.time(link);
            let ends = [
                (balance[group][to.index()], Rational::one()),
                (balance[group][from.index()], -Rational::one()),
            ];
            let ends = ends
                .into_iter()
                .filter_map(|(row, value)| Some((row?, value)));
            let entries = resources
                .times(link, &time)
                .map(|(place, time)| (rows[place], time))
                .chain(ends);
            let column = program.add_column(Rational::zero(), entries)?;
            flows.push(Flow {
                group,
                link,
                column,
            });
        }
    }
    Ok(FlowProgram {
        program,
        groups,
        flows,
        time: Some(throughput),
        ports,
    })
}
