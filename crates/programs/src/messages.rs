//! SSSP (RR-4872 section 3.1) and SSPA2A (section 3.5): messages that travel alone.
//!
//! Corrected, no variable sends a message out of its target or into its source (E000-2, E000-4), the law of
//! conservation is not imposed at the source (E000-1), and the last line of SSPA2A counts `m_{k,l}` at `P_l` (E000-3).

use std::fmt::Write as _;
use std::rc::Rc;

use num_traits::{One, Zero};
use oneport_plan::{Commodity, Interval, Problem};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::form::{Form, ProgramError};
use crate::names::Names;
use crate::ports::{Busy, check};
use crate::program::{Family, Paper, Program, Relation, Sense, Size, Variable};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// SSSP: one source, so that a message is known by its target.
    OneSource,
    /// SSPA2A: a message is known by its source and its target.
    Both,
}

/// Writes the program. `O(m k)` variables for `m` links and `k` messages; no row has more terms than messages.
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
    let mut program = Program::new(paper, code, Sense::Maximise, form.title(title));
    match (form, ends) {
        (Form::Corrected, _) => {}
        (Form::Printed, Ends::OneSource) => program
            .note("E000-1: the source conserves what it emits. E000-2: what comes back to a target counts again."),
        (Form::Printed, Ends::Both) => program
            .note("E000-3: the last line counts a message at its source. E000-4: nothing keeps it from returning."),
    }
    let platform = problem.platform();
    let names = Rc::new(Names::new(platform, &mut program));
    let (links, count) = (
        platform.links().len() as u64,
        problem.collective().demands() as u64,
    );
    let variables = count.saturating_add(1).saturating_mul(links);
    program.expect(variables.saturating_add(1), count.max(links))?;
    let throughput = program.variable("TP".to_string());
    program.aim(throughput);
    let busy = Busy::new(&mut program, platform, &names)?;
    let commodities: Rc<[Commodity]> = problem
        .blocks()
        .iter()
        .flat_map(|block| block.commodities())
        .collect();
    let named = (Rc::clone(&names), Rc::clone(&commodities));
    let sends = program.family(move |place, text| {
        let (names, commodities) = &named;
        let (one, link) = (place / links, place % links);
        if let Some(one) = commodities.get(one as usize) {
            let link = names.link(LinkId::new(link as usize));
            let _ = write!(text, "send({link},{})", message(names, ends, one));
        }
    });
    let messages = Messages {
        problem,
        form,
        ends,
        names,
        sends,
        links,
    };
    program.section("(4) A link is busy for what is sent over it.");
    for link in platform.link_ids() {
        let time = problem.transfer_time(link, Interval::single(0));
        let sent = commodities
            .iter()
            .enumerate()
            .filter_map(|(place, one)| Some((messages.sent(place, one, link)?, time.clone())));
        busy.time(&mut program, &messages.names, link, sent)?;
    }
    program.section("(5) What is received is sent on.");
    for (place, commodity) in commodities.iter().enumerate() {
        messages.conserve(&mut program, place, commodity)?;
    }
    program.section("(6) The same throughput everywhere.");
    for (place, commodity) in commodities.iter().enumerate() {
        messages.count(&mut program, place, commodity, throughput)?;
    }
    program.end()
}

/// `m_l`, or `m_k,l`.
fn message(names: &Names<'_>, ends: Ends, one: &Commodity) -> String {
    let target = names.node(one.target);
    match ends {
        Ends::OneSource => format!("m_{target}"),
        Ends::Both => format!("m_{},{target}", names.node(one.source)),
    }
}

/// The problem, variables and names that rows are made from.
struct Messages<'a> {
    problem: &'a Problem,
    form: Form,
    ends: Ends,
    names: Rc<Names<'a>>,
    /// `send(Pi,Pj,m)`, by messages, then links.
    sends: Family,
    links: u64,
}

impl Messages<'_> {
    /// `send(Pi,Pj,m)`; `None` where a message has no business.
    fn sent(&self, place: usize, one: &Commodity, link: LinkId) -> Option<Variable> {
        let ends = self.problem.platform().link(link);
        let returns = ends.from == one.target || ends.to == one.source;
        let place = place as u64 * self.links + link.index() as u64;
        (self.form == Form::Printed || !returns).then(|| self.sends.at(place))
    }

    /// The sum of a message over links, with this coefficient.
    fn sum<'c>(
        &'c self,
        place: usize,
        one: &'c Commodity,
        links: &'c [LinkId],
        value: i64,
    ) -> impl Iterator<Item = (Variable, Rational)> + 'c {
        let value = Rational::from_integer(value.into());
        links
            .iter()
            .filter_map(move |&link| Some((self.sent(place, one, link)?, value.clone())))
    }

    fn conserve(
        &self,
        program: &mut Program<'_>,
        place: usize,
        one: &Commodity,
    ) -> Result<(), ProgramError> {
        let platform = self.problem.platform();
        for node in platform.node_ids() {
            let emits = match (self.form, self.ends) {
                // Section 3.5 leaves out the source as well, with k != i.
                (Form::Printed, Ends::OneSource) => false,
                (Form::Printed, Ends::Both) | (Form::Corrected, _) => node == one.source,
            };
            if node == one.target || emits {
                continue;
            }
            let message = message(&self.names, self.ends, one);
            let row = format!("conserve({},{message})", self.names.node(node));
            let received = self.sum(place, one, platform.incoming(node), 1);
            let terms = received.chain(self.sum(place, one, platform.outgoing(node), -1));
            program.row(row, terms, Relation::Equal, Rational::zero())?;
        }
        Ok(())
    }

    fn count(
        &self,
        program: &mut Program<'_>,
        place: usize,
        one: &Commodity,
        throughput: Variable,
    ) -> Result<(), ProgramError> {
        let counted: NodeId = match (self.form, self.ends) {
            (Form::Printed, Ends::Both) => one.source,
            (Form::Printed, Ends::OneSource) | (Form::Corrected, _) => one.target,
        };
        let row = format!("receive({})", message(&self.names, self.ends, one));
        let received = self.sum(place, one, self.problem.platform().incoming(counted), 1);
        let terms = received.chain([(throughput, -Rational::one())]);
        program.row(row, terms, Relation::Equal, Rational::zero())
    }
}
