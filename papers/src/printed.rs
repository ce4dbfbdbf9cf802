//! The papers' programs exactly as printed, errors included; each error can be switched on by itself.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use num_traits::{One, Zero};
use oneport::plan::Commodity;
use oneport::platform::LinkId;
use oneport::{NodeId, Platform, Rational};
use oneport_exact::{
    Column, LinearProgram, Method, Options, Outcome, Relation, Row, Sense, Solver,
};

/// Printed errors to reproduce. All false: the corrected program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Errors {
    /// E000-1: the conservation law also binds the source.
    pub source_conserves: bool,
    /// E000-2, E000-4: messages may leave their target and return to their source.
    pub returns: bool,
    /// E000-3: the last line of SSPA2A counts the messages `m_{k,l}` that reach `P_k`.
    pub counted_at_source: bool,
    /// E003-1: the time on a link lacks the factor `c(i, j)`.
    pub no_cost: bool,
    /// E003-2: the right side of the conservation law reads `s(P_j -> P_i, m_k)`, summed over the links out of `P_i`.
    pub wrong_right_side: bool,
    /// E003-3: what is conserved is also at most 1.
    pub at_most_one: bool,
}

/// SSSP(G) as RR-4872, section 3.1, prints it.
pub const SSSP: Errors = Errors {
    source_conserves: true,
    returns: true,
    counted_at_source: false,
    no_cost: false,
    wrong_right_side: false,
    at_most_one: false,
};

/// SSPA2A(G) as RR-4872, section 3.5, prints it. Its conservation law leaves out both ends of a message.
pub const SSPA2A: Errors = Errors {
    source_conserves: false,
    counted_at_source: true,
    ..SSSP
};

/// A program with names for its columns.
pub struct Program {
    /// The program; the objective is to be set by [`Program::optimum`].
    rows: Vec<Line>,
    flows: Vec<(LinkId, usize)>,
}

/// Column 0 is `TP`; the flows follow.
const THROUGHPUT: usize = 0;

impl Program {
    /// Writes the program down for unit messages: variables `send(link, message)` and `TP`.
    pub fn new(platform: &Platform, messages: &[Commodity], errors: Errors) -> Program {
        let mut program = Program {
            rows: Vec::new(),
            flows: Vec::new(),
        };
        for (place, message) in messages.iter().enumerate() {
            for link in platform.link_ids() {
                let ends = platform.link(link);
                if errors.returns || (ends.from != message.target && ends.to != message.source) {
                    program.flows.push((link, place));
                }
            }
        }
        program.ports(platform, errors);
        for (place, message) in messages.iter().enumerate() {
            for node in platform.node_ids() {
                let free =
                    node == message.target || (node == message.source && !errors.source_conserves);
                if !free {
                    program.conserve(platform, node, place, errors);
                }
            }
            let counted = if errors.counted_at_source {
                message.source
            } else {
                message.target
            };
            let mut row = program.sum(place, platform.incoming(counted), &Rational::one());
            row.insert(THROUGHPUT, -Rational::one());
            program.rows.push((Relation::Equal, Rational::zero(), row));
        }
        program
    }

    /// (1)-(4): links and ports are busy at most all the time.
    fn ports(&mut self, platform: &Platform, errors: Errors) {
        let busy = |links: &[LinkId]| {
            let time = |link: LinkId| {
                if errors.no_cost {
                    Rational::one()
                } else {
                    platform.link(link).cost.clone()
                }
            };
            let uses = self
                .flows
                .iter()
                .enumerate()
                .filter(|(_, (link, _))| links.contains(link));
            (
                Relation::AtMost,
                Rational::one(),
                uses.map(|(place, &(link, _))| (place + 1, time(link)))
                    .collect(),
            )
        };
        let links = platform.link_ids().map(|link| busy(&[link]));
        let sends = platform
            .node_ids()
            .map(|node| busy(platform.outgoing(node)));
        let receives = platform
            .node_ids()
            .map(|node| busy(platform.incoming(node)));
        let rows: Vec<_> = links.chain(sends).chain(receives).collect();
        self.rows.extend(rows);
    }

    /// (5) at one node for one message.
    fn conserve(&mut self, platform: &Platform, node: NodeId, message: usize, errors: Errors) {
        let incoming = self.sum(message, platform.incoming(node), &Rational::one());
        let mut row = incoming.clone();
        let leaving: Vec<LinkId> = if errors.wrong_right_side {
            let back = |&link: &LinkId| platform.link_between(platform.link(link).to, node);
            platform.outgoing(node).iter().filter_map(back).collect()
        } else {
            platform.outgoing(node).to_vec()
        };
        for (column, value) in self.sum(message, &leaving, &-Rational::one()) {
            *row.entry(column).or_insert_with(Rational::zero) += value;
        }
        self.rows.push((Relation::Equal, Rational::zero(), row));
        if errors.at_most_one {
            self.rows
                .push((Relation::AtMost, Rational::one(), incoming));
        }
    }

    fn sum(
        &self,
        message: usize,
        links: &[LinkId],
        factor: &Rational,
    ) -> BTreeMap<usize, Rational> {
        let flows = self.flows.iter().enumerate();
        let of = flows.filter(|(_, (link, place))| *place == message && links.contains(link));
        of.map(|(place, _)| (place + 1, factor.clone())).collect()
    }

    /// Fixes the throughput.
    pub fn fix_throughput(&mut self, value: &Rational) {
        self.rows.push((
            Relation::Equal,
            value.clone(),
            [(THROUGHPUT, Rational::one())].into(),
        ));
    }

    /// Fixes one flow; one that does not exist is 0 anyway.
    pub fn fix(&mut self, link: LinkId, message: usize, value: &Rational) {
        if let Some(place) = self.place(link, message) {
            self.rows.push((
                Relation::Equal,
                value.clone(),
                [(place, Rational::one())].into(),
            ));
        }
    }

    fn place(&self, link: LinkId, message: usize) -> Option<usize> {
        self.flows
            .iter()
            .position(|&flow| flow == (link, message))
            .map(|place| place + 1)
    }

    /// The largest throughput.
    pub fn throughput(&self) -> Result<Rational> {
        self.optimum(Sense::Maximize, THROUGHPUT)
    }

    /// The smallest and the largest value of one flow.
    pub fn range(&self, link: LinkId, message: usize) -> Result<(Rational, Rational)> {
        let Some(place) = self.place(link, message) else {
            return Ok((Rational::zero(), Rational::zero()));
        };
        Ok((
            self.optimum(Sense::Minimize, place)?,
            self.optimum(Sense::Maximize, place)?,
        ))
    }

    fn optimum(&self, sense: Sense, objective: usize) -> Result<Rational> {
        Ok(optimum(&self.rows, self.flows.len() + 1, sense, objective)?.0)
    }
}

/// A row: its relation, its right side, and its coefficients by column.
pub type Line = (Relation, Rational, BTreeMap<usize, Rational>);

/// The optimum of one column of a program, and the values of all columns there.
///
/// # Errors
/// The program has no optimum.
pub fn optimum(
    lines: &[Line],
    columns: usize,
    sense: Sense,
    objective: usize,
) -> Result<(Rational, Vec<Rational>)> {
    let mut program = LinearProgram::new(sense);
    let rows: Vec<Row> = lines
        .iter()
        .map(|(relation, side, _)| program.add_row(*relation, side.clone()))
        .collect();
    let mut places: Vec<Column> = Vec::with_capacity(columns);
    for column in 0..columns {
        let cost = if column == objective {
            Rational::one()
        } else {
            Rational::zero()
        };
        let entries = lines.iter().zip(&rows);
        let entries =
            entries.filter_map(|((_, _, row), &at)| Some((at, row.get(&column)?.clone())));
        places.push(program.add_column(cost, entries)?);
    }
    match Solver::new(program).solve(&Options {
        method: Method::ExactPivots,
        ..Options::default()
    })? {
        Outcome::Optimal(optimum) => {
            let values = places
                .into_iter()
                .map(|place| optimum.primal.get(place))
                .collect();
            Ok((optimum.objective, values))
        }
        Outcome::Unbounded { .. } => bail!("the printed program is unbounded"),
        Outcome::Infeasible(_) => bail!("the printed program is infeasible"),
        Outcome::LimitReached { .. } => bail!("the printed program was not solved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    /// Without the errors, this second formulation agrees with the product's.
    #[test]
    fn without_errors_the_program_is_the_corrected_one() -> Result<()> {
        let cases = [
            cases::toy()?,
            cases::symmetrised_toy()?,
            cases::scatter_to_all("random", cases::random(5, 3, 3, 4)?)?,
            cases::all_to_all_of_all("random", cases::random(4, 2, 5, 4)?)?,
            cases::gather_from_all("random", cases::random(5, 2, 8, 4)?)?,
        ];
        for case in cases {
            let ours = Program::new(
                &case.platform,
                &case.collective.commodities(),
                Errors::default(),
            );
            assert_eq!(ours.throughput()?, case.throughput()?, "{}", case.name);
        }
        Ok(())
    }
}
