//! A program as exact numbers: rows over quantities that have a meaning.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use oneport_exact::{Column, ExactError, LinearProgram, Relation, Row, Sense};
use oneport_plan::{Interval, Resource};
use oneport_platform::{LinkId, NodeId, Rational};

/// The direction of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    /// It receives.
    In,
    /// It sends.
    Out,
    /// It does either, one at a time.
    Both,
}

/// A task on a partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// The partial result is sent over a link.
    Send(LinkId),
    /// A node makes the partial result of two. The number is the last operand of the left one.
    Merge(NodeId, usize),
}

/// A variable of a program. All are rates or shares of the time, and not negative unless a program says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// `TP` or `a`, the throughput.
    Throughput,
    /// `s(Pi,Pj)` or `t(Pj,Pk)`, the share of the time for which a link is busy.
    Busy(LinkId),
    /// `alpha(Pi)`, the share of the time for which a processor is busy.
    Computing(NodeId),
    /// `t_in(Pi)`, `t_out(Pi)` or `t(Pi)`, the share of the time for which a port is busy.
    PortBusy(NodeId, Port),
    /// `send(Pi,Pj,m)`, messages of a commodity sent over a link.
    Message {
        /// The commodity's number.
        message: usize,
        /// The link.
        link: LinkId,
    },
    /// `send(Pi,Pj,v_k_m)` or `cons(Pi,T_k_l_m)`.
    Task {
        /// The reduction's number.
        reduction: usize,
        /// `[k,m]`.
        part: Interval,
        /// The task.
        act: Act,
    },
    /// Copies of a message that are sent over a link: all of them, or `x(Pi,Pj,Pk)`, the copies that transit for one
    /// target.
    Copies {
        /// The message's number.
        message: usize,
        /// The number of the target. `None` counts a copy once for all targets that it serves.
        target: Option<usize>,
        /// The link.
        link: LinkId,
    },
    /// `x_m`, the weight of a matching.
    Matching(usize),
    /// `y_t`, the weight of a pattern.
    Pattern(usize),
    /// `u`, the price of time.
    TimePrice,
    /// `v(Pi,Pj)`, the price of a link, by its index.
    LinkPrice(usize),
}

/// A row of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Equation {
    /// A resource of the platform is busy at most all the time.
    Capacity(Resource),
    /// (1): a link is busy at most all the time.
    Link(LinkId),
    /// (2), (3): a port is busy at most all the time.
    Port(NodeId, Port),
    /// (4), (8): the time of a link.
    Time(LinkId),
    /// (7), (9): the time of a processor.
    Compute(NodeId),
    /// (9): a processor is busy at most all the time.
    Processor(NodeId),
    /// (5): a node sends on the amount of a message that it receives.
    Conserve {
        /// The commodity's number.
        message: usize,
        /// The node.
        node: NodeId,
    },
    /// (6): the flow of a message into its target is the throughput.
    Receive(usize),
    /// (10): a node sends and uses the amount of a partial result that it receives and makes.
    Part {
        /// The reduction's number.
        reduction: usize,
        /// The node.
        node: NodeId,
        /// The partial result.
        part: Interval,
    },
    /// (11): the rate of a result at its target is the throughput.
    Result(usize),
    /// The copies for a target leave the source.
    Leave(usize),
    /// A node sends on all copies for a target that it receives. The throughput reaches the target.
    Flow {
        /// The message's number.
        message: usize,
        /// The target's number.
        target: usize,
        /// The node.
        node: NodeId,
    },
    /// A link is busy for the copies for a target.
    Cover {
        /// The message's number.
        message: usize,
        /// The target's number.
        target: usize,
        /// The link.
        link: LinkId,
    },
    /// The time of a port.
    PortTime(NodeId, Port),
    /// (comm): one matching at a time.
    Comm,
    /// (edge_k): matchings carry the traffic of the patterns over a link, by its index.
    Edge(usize),
    /// A matching costs at most `u`.
    Matching(usize),
    /// A pattern costs at least 1.
    Pattern(usize),
    /// Bounds that are written as rows.
    Bound(usize),
}

/// A row: its sum compared with its right side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Which row it is.
    pub equation: Equation,
    /// Ascending, each quantity once, none with coefficient 0.
    pub terms: Vec<(Quantity, Rational)>,
    /// How the sum compares.
    pub relation: Relation,
    /// The right side.
    pub side: Rational,
}

/// A linear program in exact numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// Whether the sum of the objective is made large.
    pub sense: Sense,
    /// The objective: the sum of these.
    pub objective: Vec<Quantity>,
    /// The rows.
    pub lines: Vec<Line>,
    /// Variables of either sign.
    pub free: BTreeSet<Quantity>,
}

/// A [`Linear`] as a program of the exact simplex.
#[derive(Debug, Clone)]
pub struct Solvable {
    /// The program.
    pub program: LinearProgram,
    /// The columns. A variable of either sign is the first minus the second.
    pub columns: BTreeMap<Quantity, (Column, Option<Column>)>,
    /// The rows, in the order of the lines.
    pub rows: Vec<(Equation, Row)>,
}

impl Linear {
    pub(crate) fn new(sense: Sense) -> Linear {
        Linear {
            sense,
            objective: Vec::new(),
            lines: Vec::new(),
            free: BTreeSet::new(),
        }
    }

    /// Every variable that a row or the objective has, ascending.
    pub fn quantities(&self) -> BTreeSet<Quantity> {
        let terms = self.lines.iter().flat_map(|line| &line.terms);
        terms
            .map(|(quantity, _)| *quantity)
            .chain(self.objective.iter().copied())
            .collect()
    }

    /// The program without the variables of the busy times of links and processors: rows have the sums of tasks
    /// instead. The optimum is unchanged if no rate may be negative, because the times are then not negative either.
    #[must_use]
    pub fn substituted(mut self) -> Linear {
        let mut times: BTreeMap<Quantity, Vec<(Quantity, Rational)>> = BTreeMap::new();
        let mut lines = Vec::with_capacity(self.lines.len());
        for mut line in self.lines {
            let time = match line.equation {
                Equation::Time(link) => Quantity::Busy(link),
                Equation::Compute(node) => Quantity::Computing(node),
                _ => {
                    lines.push(line);
                    continue;
                }
            };
            // A time minus the times of its tasks is 0.
            line.terms.retain(|(quantity, _)| *quantity != time);
            times.insert(time, line.terms);
        }
        for line in &mut lines {
            if !line.terms.iter().any(|(term, _)| times.contains_key(term)) {
                continue;
            }
            let mut sum = Vec::new();
            for (quantity, value) in std::mem::take(&mut line.terms) {
                match times.get(&quantity) {
                    None => sum.push((quantity, value)),
                    Some(terms) => {
                        let parts = terms.iter();
                        sum.extend(parts.map(|(part, factor)| (*part, -(factor * &value))));
                    }
                }
            }
            line.terms = added_up(sum);
        }
        self.lines = lines;
        self
    }

    /// The program for the exact simplex: rows in their order, columns ascending by their quantity, then the negative
    /// parts of variables of either sign.
    ///
    /// # Errors
    /// A program too large for the solver.
    pub fn solvable(self) -> Result<Solvable, ExactError> {
        let mut program = LinearProgram::new(self.sense);
        let aims: BTreeSet<Quantity> = self.objective.iter().copied().collect();
        let mut entries: BTreeMap<Quantity, Vec<(Row, Rational)>> =
            aims.iter().map(|&aim| (aim, Vec::new())).collect();
        let mut rows = Vec::with_capacity(self.lines.len());
        for line in self.lines {
            let row = program.add_row(line.relation, line.side);
            for (quantity, value) in line.terms {
                entries.entry(quantity).or_default().push((row, value));
            }
            rows.push((line.equation, row));
        }
        let cost = |quantity: &Quantity| match aims.get(quantity) {
            Some(_) => Rational::one(),
            None => Rational::zero(),
        };
        let mut columns = BTreeMap::new();
        let mut opposites = Vec::new();
        for (quantity, entries) in entries {
            if self.free.contains(&quantity) {
                let negative = entries.iter().map(|(row, value)| (*row, -value));
                opposites.push((quantity, negative.collect::<Vec<_>>()));
            }
            let column = program.add_column(cost(&quantity), entries)?;
            columns.insert(quantity, (column, None));
        }
        // A variable of either sign is a difference of two columns.
        for (quantity, negative) in opposites {
            let opposite = program.add_column(-cost(&quantity), negative)?;
            if let Some(column) = columns.get_mut(&quantity) {
                column.1 = Some(opposite);
            }
        }
        Ok(Solvable {
            program,
            columns,
            rows,
        })
    }
}

/// Sorted by variables, each once, without zeros.
pub(crate) fn added_up(mut terms: Vec<(Quantity, Rational)>) -> Vec<(Quantity, Rational)> {
    terms.sort_by_key(|(variable, _)| *variable);
    let mut sum: Vec<(Quantity, Rational)> = Vec::with_capacity(terms.len());
    for (variable, value) in terms {
        match sum.last_mut() {
            Some((last, total)) if *last == variable => *total += value,
            _ => sum.push((variable, value)),
        }
    }
    sum.retain(|(_, value)| !value.is_zero());
    sum
}
