//! SSSP (RR-4872 section 3.1) and SSPA2A (section 3.5), corrected: `oneport_programs::messages` over the resources of
//! the platform, for any messages that travel alone.

use oneport_programs::{Equation, Errata, Limits, Quantity, messages};

use crate::flow::{Flow, FlowProgram, Group, Leaf, Side};
use crate::{LpError, Question};

/// Builds the program. Every commodity is a separate group, and `time` is the column of `TP`.
///
/// # Errors
/// A program too large for the solver.
pub(crate) fn build(question: &Question) -> Result<FlowProgram, LpError> {
    let (platform, commodities) = (question.platform(), question.commodities());
    let time = |link| question.time(link);
    let mut rows = messages(
        platform,
        commodities,
        &time,
        Errata::NONE,
        Limits::Resources,
    )
    .map_err(super::refused)?
    .substituted();
    // Resources first, then the nodes of each commodity.
    rows.lines.sort_by_key(|line| match line.equation {
        Equation::Conserve { message, node } => (1, message, node.index()),
        Equation::Receive(message) => {
            let target = commodities.get(message).map(|one| one.target.index());
            (1, message, target.unwrap_or_default())
        }
        _ => (0, 0, 0),
    });
    let solvable = rows.solvable()?;
    let groups = commodities.iter().enumerate().map(|(place, one)| Group {
        root: one.source,
        side: Side::Source,
        leaves: vec![Leaf {
            node: one.target,
            demand: place,
            rate: 1,
        }],
    });
    let flow = |(quantity, (column, _))| match quantity {
        Quantity::Message { message, link } => Some(Flow {
            group: message,
            link,
            column,
        }),
        _ => None,
    };
    let time = solvable.columns.get(&Quantity::Throughput);
    Ok(FlowProgram {
        groups: groups.collect(),
        time: time.map(|(column, _)| *column),
        flows: solvable.columns.into_iter().filter_map(flow).collect(),
        program: solvable.program,
        ports: super::resources(&solvable.rows),
    })
}
