//! SSSP (RR-4872 section 3.1) and SSPA2A (section 3.5): messages that travel alone.
//!
//! Corrected, no variable sends a message out of its target or into its source (E000-2, E000-4), the law of
//! conservation is not imposed at the source (E000-1), and the last line of SSPA2A counts `m_{k,l}` at `P_l` (E000-3).

use num_traits::{One, Zero};
use oneport_plan::{Commodity, Interval, Problem};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::form::{Form, ProgramError};
use crate::names::Names;
use crate::ports::{Busy, check};
use crate::program::{Program, Relation, Sense, Variable};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// SSSP: one source, so that a message is known by its target.
    OneSource,
    /// SSPA2A: a message is known by its source and its target.
    Both,
}

/// Builds the program. `O(m k)` variables for `m` links and `k` messages.
///
/// # Errors
/// Messages that do not travel alone, nodes that are not full-duplex.
pub(crate) fn build(problem: &Problem, form: Form, ends: Ends) -> Result<Program, ProgramError> {
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
    let mut program = Program::new(Sense::Maximise, form.title(title));
    match (form, ends) {
        (Form::Corrected, _) => {}
        (Form::Printed, Ends::OneSource) => program
            .note("E000-1: the source conserves what it emits. E000-2: what comes back to a target counts again."),
        (Form::Printed, Ends::Both) => program
            .note("E000-3: the last line counts a message at its source. E000-4: nothing keeps it from returning."),
    }
    let names = Names::new(problem.platform(), &mut program);
    let throughput = program.variable("TP".to_string());
    program.aim(throughput);
    let busy = Busy::new(&mut program, problem.platform(), &names);
    let commodities: Vec<Commodity> = problem
        .blocks()
        .iter()
        .flat_map(|block| block.commodities())
        .collect();
    let mut messages = Messages {
        problem,
        form,
        ends,
        names,
        sends: Vec::new(),
    };
    for commodity in &commodities {
        messages.add_sends(&mut program, commodity);
    }
    program.section("(4) A link is busy for what is sent over it.");
    for link in problem.platform().link_ids() {
        let time = problem.transfer_time(link, Interval::single(0));
        let sent = messages
            .sends
            .iter()
            .filter_map(|sends| Some((sends[link.index()]?, time.clone())));
        busy.time(&mut program, &messages.names, link, sent);
    }
    program.section("(5) What is received is sent on.");
    for (place, commodity) in commodities.iter().enumerate() {
        messages.conserve(&mut program, place, commodity);
    }
    program.section("(6) The same throughput everywhere.");
    for (place, commodity) in commodities.iter().enumerate() {
        messages.count(&mut program, place, commodity, throughput);
    }
    Ok(program)
}

/// The problem, variables and names that rows are made from.
struct Messages<'a, 'b> {
    problem: &'b Problem,
    form: Form,
    ends: Ends,
    names: Names<'a>,
    /// `send(Pi,Pj,m)` by messages and links; `None` where a message has no business.
    sends: Vec<Vec<Option<Variable>>>,
}

impl Messages<'_, '_> {
    /// `m_l`, or `m_k,l`.
    fn message(&self, one: &Commodity) -> String {
        let target = self.names.node(one.target);
        match self.ends {
            Ends::OneSource => format!("m_{target}"),
            Ends::Both => format!("m_{},{target}", self.names.node(one.source)),
        }
    }

    fn add_sends(&mut self, program: &mut Program, one: &Commodity) {
        let message = self.message(one);
        let platform = self.problem.platform();
        let send = |link: LinkId| {
            let ends = platform.link(link);
            let returns = ends.from == one.target || ends.to == one.source;
            let useful = self.form == Form::Printed || !returns;
            useful.then(|| program.variable(format!("send({},{message})", self.names.link(link))))
        };
        let sends = platform.link_ids().map(send).collect();
        self.sends.push(sends);
    }

    /// The sum of a message over links, with this coefficient.
    fn sum<'c>(
        &'c self,
        place: usize,
        links: &'c [LinkId],
        value: i64,
    ) -> impl Iterator<Item = (Variable, Rational)> + 'c {
        let value = Rational::from_integer(value.into());
        links
            .iter()
            .filter_map(move |link| Some((self.sends[place][link.index()]?, value.clone())))
    }

    fn conserve(&self, program: &mut Program, place: usize, one: &Commodity) {
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
            let row = format!("conserve({},{})", self.names.node(node), self.message(one));
            let terms = self.sum(place, platform.incoming(node), 1).chain(self.sum(
                place,
                platform.outgoing(node),
                -1,
            ));
            program.row(row, terms, Relation::Equal, Rational::zero());
        }
    }

    fn count(&self, program: &mut Program, place: usize, one: &Commodity, throughput: Variable) {
        let counted: NodeId = match (self.form, self.ends) {
            (Form::Printed, Ends::Both) => one.source,
            (Form::Printed, Ends::OneSource) | (Form::Corrected, _) => one.target,
        };
        let row = format!("receive({})", self.message(one));
        let received = self.sum(place, self.problem.platform().incoming(counted), 1);
        let terms = received.chain([(throughput, -Rational::one())]);
        program.row(row, terms, Relation::Equal, Rational::zero());
    }
}
