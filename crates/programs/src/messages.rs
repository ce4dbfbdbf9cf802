//! SSSP (RR-4872 section 3.1) and SSPA2A (section 3.5): messages that travel alone.
//!
//! Corrected, no variable sends a message out of its target or into its source (E000-2, E000-4), the law of
//! conservation is not imposed at the source (E000-1), and the last line of SSPA2A counts `m_{k,l}` at `P_l` (E000-3).

use num_traits::{One, Zero};
use oneport_exact::{Relation, Sense};
use oneport_plan::{Commodity, Interval, Problem};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use crate::errata::Errata;
use crate::form::{Form, Limits, ProgramError};
use crate::linear::{Equation, Quantity};
use crate::names::{Letters, Names};
use crate::ports::{add_limits, check};
use crate::program::{Paper, Program, Size};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// SSSP: one source, so that a message is known by its target.
    OneSource,
    /// SSPA2A: a message is known by its source and its target.
    Both,
}

/// Writes the program. `O(m k)` variables for `m` links and `k` messages. No row has more terms than messages.
///
/// # Errors
/// Messages that do not travel alone, nodes that are not full-duplex, a limit.
pub(crate) fn build<'p>(
    problem: &'p Problem,
    form: Form,
    ends: Ends,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
    let found = problem.collective().name();
    let (code, title, right) = match ends {
        Ends::OneSource => (
            "sssp",
            "SSSP(G), steady-state scatter: RR-4872, section 3.1",
            "scatter",
        ),
        Ends::Both => (
            "sspa2a",
            "SSPA2A(G), steady-state personalised all-to-all: RR-4872, section 3.5",
            "all-to-all",
        ),
    };
    // The all-to-all of sources and targets is the one that section 3.5 writes down.
    if found != right && !(ends == Ends::Both && found == "sources-to-targets") {
        return Err(ProgramError::Collective {
            program: code,
            found,
            right,
        });
    }
    check(problem.platform(), code, form)?;
    let mut program = Program::new(paper, code, Sense::Maximize);
    program.note(form.title(title));
    match (form, ends) {
        (Form::Corrected, _) => {}
        (Form::Printed, Ends::OneSource) => program
            .note("E000-1: the source conserves what it emits. E000-2: what comes back to a target counts again."),
        (Form::Printed, Ends::Both) => program
            .note("E000-3: the last line counts a message at its source. E000-4: nothing keeps it from returning."),
    }
    let commodities: Vec<Commodity> = problem
        .blocks()
        .iter()
        .flat_map(|block| block.commodities())
        .collect();
    let platform = problem.platform();
    program.name(|| {
        let letters = match ends {
            Ends::OneSource => Letters::OneSource(commodities.clone()),
            Ends::Both => Letters::Both(commodities.clone()),
        };
        Names::new(platform, letters)
    });
    let errors = match ends {
        Ends::OneSource => form.errors(Errata::SSSP),
        Ends::Both => form.errors(Errata::SSPA2A),
    };
    let messages = Messages {
        platform,
        commodities: &commodities,
        time: &|link| problem.transfer_time(link, Interval::single(0)),
        errors,
    };
    messages.add_rows(&mut program, Limits::Papers)?;
    program.end()
}

/// Messages of one size, and how to read the program.
pub(crate) struct Messages<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) commodities: &'a [Commodity],
    /// Time of a message on a link.
    pub(crate) time: &'a dyn Fn(LinkId) -> Rational,
    pub(crate) errors: Errata,
}

impl Messages<'_> {
    /// Writes all rows.
    pub(crate) fn add_rows(
        &self,
        program: &mut Program<'_>,
        limits: Limits,
    ) -> Result<(), ProgramError> {
        let platform = self.platform;
        let (links, count) = (platform.links().len() as u64, self.commodities.len() as u64);
        let variables = count.saturating_add(1).saturating_mul(links);
        program.expect(variables.saturating_add(1), count.max(links))?;
        program.declare(1);
        program.aim(Quantity::Throughput);
        add_limits(program, platform, limits)?;
        program.section("(4) A link is busy for what is sent over it.");
        for link in platform.link_ids() {
            let time = if self.errors.no_cost {
                Rational::one()
            } else {
                (self.time)(link)
            };
            let sent = self
                .commodities
                .iter()
                .enumerate()
                .filter_map(|(index, one)| Some((self.sent(index, one, link)?, time.clone())));
            program.define(Equation::Time(link), Quantity::Busy(link), sent)?;
        }
        program.section("(5) What is received is sent on.");
        for (index, commodity) in self.commodities.iter().enumerate() {
            self.conserve(program, index, commodity)?;
        }
        program.section("(6) The same throughput everywhere.");
        for (index, commodity) in self.commodities.iter().enumerate() {
            self.count(program, index, commodity)?;
        }
        Ok(())
    }

    /// `send(Pi,Pj,m)`. `None` if the message never uses the link.
    fn sent(&self, message: usize, one: &Commodity, link: LinkId) -> Option<Quantity> {
        let ends = self.platform.link(link);
        let returns = ends.from == one.target || ends.to == one.source;
        (self.errors.returns || !returns).then_some(Quantity::Message { message, link })
    }

    /// The sum of a message over links, with this coefficient.
    fn sum<'c>(
        &'c self,
        index: usize,
        one: &'c Commodity,
        links: &'c [LinkId],
        value: i64,
    ) -> impl Iterator<Item = (Quantity, Rational)> + 'c {
        let value = whole(value);
        links
            .iter()
            .filter_map(move |&link| Some((self.sent(index, one, link)?, value.clone())))
    }

    fn conserve(
        &self,
        program: &mut Program<'_>,
        index: usize,
        one: &Commodity,
    ) -> Result<(), ProgramError> {
        let platform = self.platform;
        for node in platform.node_ids() {
            let emits = node == one.source && !self.errors.source_conserves;
            if node == one.target || emits {
                continue;
            }
            let row = Equation::Conserve {
                message: index,
                node,
            };
            let received = self.sum(index, one, platform.incoming(node), 1);
            let leaving = self.leaving(node);
            let terms = received.chain(self.sum(index, one, &leaving, -1));
            program.row(row, terms, Relation::Equal, Rational::zero())?;
            if self.errors.at_most_one {
                let received = self.sum(index, one, platform.incoming(node), 1);
                program.row(row, received, Relation::AtMost, Rational::one())?;
            }
        }
        Ok(())
    }

    /// The links of the right side of the conservation law.
    fn leaving(&self, node: NodeId) -> Vec<LinkId> {
        let platform = self.platform;
        let outgoing = platform.outgoing(node);
        if !self.errors.wrong_right_side {
            return outgoing.to_vec();
        }
        let reverse = |&link: &LinkId| platform.link_between(platform.link(link).to, node);
        outgoing.iter().filter_map(reverse).collect()
    }

    fn count(
        &self,
        program: &mut Program<'_>,
        index: usize,
        one: &Commodity,
    ) -> Result<(), ProgramError> {
        let counted = if self.errors.counted_at_source {
            one.source
        } else {
            one.target
        };
        let received = self.sum(index, one, self.platform.incoming(counted), 1);
        let terms = received.chain([(Quantity::Throughput, -Rational::one())]);
        program.row(
            Equation::Receive(index),
            terms,
            Relation::Equal,
            Rational::zero(),
        )
    }
}
