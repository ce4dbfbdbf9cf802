//! (P), (P') and (D) of RR-2004-32, sections 3.2 to 3.4 and 4: patterns `y_t` and matchings `x_m`, and prices `u`, `v`
//! of time and of links.
//!
//! Corrected, (edge_k) counts a link as often as the paths of a pattern use it (E004-14), and is an inequality, so that
//! `v` is not negative (E004-15): subsets of matchings are matchings. As printed, it counts a link once per pattern,
//! and `v` is free. For broadcasts both forms have the same optimum.
//!
//! Deviation: nodes that are not half-duplex are not fictitious nodes (section 5) here. A "matching" is any set of
//! links that the ports can serve at the same time.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use oneport_exact::{Relation, Sense};
use oneport_plan::{Interval, Kind, Pattern, Plan, Problem, Task};
use oneport_platform::{Rational, whole};
use oneport_watch::Watch;

use crate::errata::Errata;
use crate::form::{Form, ProgramError, check_switches};
use crate::linear::{Equation, Quantity};
use crate::names::{Letters, Names};
use crate::patterns::{Links, matchings, patterns};
use crate::program::{Paper, Program, Size};

/// The columns of the programs that are written.
struct Listed {
    matchings: Vec<Links>,
    patterns: Vec<Links>,
}

impl Listed {
    fn all(problem: &Problem, code: &'static str, watch: &Watch) -> Result<Listed, ProgramError> {
        check(problem, code)?;
        Ok(Listed {
            matchings: matchings(problem.platform(), code, watch)?,
            patterns: patterns(problem, code, watch)?,
        })
    }
}

fn check(problem: &Problem, program: &'static str) -> Result<(), ProgramError> {
    let collective = problem.collective();
    let moves = problem
        .blocks()
        .iter()
        .all(|block| matches!(block.kind, Kind::Route | Kind::Copy));
    if !moves || !collective.is_uniform() {
        let right = "broadcast, scatter, gather, all-to-all or all-gather";
        return Err(ProgramError::Collective {
            program,
            found: collective.name(),
            right,
        });
    }
    let copies = problem
        .blocks()
        .iter()
        .any(|block| block.kind == Kind::Copy);
    if copies {
        check_switches(problem.platform(), program)
    } else {
        Ok(())
    }
}

/// (P), over all patterns and matchings.
///
/// # Errors
/// Values that are combined, switches that would have to copy, too many patterns or matchings.
pub(crate) fn primal<'p>(
    problem: &'p Problem,
    form: Form,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
    let code = "p";
    let columns = Listed::all(problem, code, paper.watch)?;
    let title = "(P), patterns and matchings: RR-2004-32, sections 3.2 and 4";
    let program = Program::new(paper, code, Sense::Maximize);
    write_primal(program, problem, form, title, &columns)
}

/// (P'), over the patterns of a plan and the matchings of its schedule.
///
/// # Errors
/// Those of [`primal`], and a plan whose schedule does not attain the optimum.
pub(crate) fn restricted<'p>(
    plan: &'p Plan<'p>,
    form: Form,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
    let (problem, code) = (plan.problem, "p-prime");
    check(problem, code)?;
    let (schedule, steady) = (
        plan.schedule.throughput(),
        plan.steady_state.throughput.clone(),
    );
    if schedule != *plan.upper_bound {
        let (schedule, optimum) = (Box::new(schedule), Box::new(plan.upper_bound.clone()));
        return Err(ProgramError::NotAttained { schedule, optimum });
    }
    let distinct = |links: BTreeSet<Links>| links.into_iter().collect();
    let columns = Listed {
        matchings: distinct(
            plan.schedule
                .slots
                .iter()
                .map(|slot| slot.links.clone())
                .collect(),
        ),
        patterns: distinct(mixed(plan, &steady).into_iter().collect()),
    };
    let title = "(P'), the patterns and matchings of an optimal solution: RR-2004-32, section 3.4";
    let program = Program::new(paper, code, Sense::Maximize);
    write_primal(program, problem, form, title, &columns)
}

/// The plan's patterns, one of each demand side by side: every demand's weights fill the same time, which is cut
/// wherever one of them changes its pattern.
fn mixed(plan: &Plan<'_>, throughput: &Rational) -> Vec<Links> {
    let mut lists: BTreeMap<usize, Vec<(&Pattern, Rational)>> = BTreeMap::new();
    for weighted in &plan.steady_state.patterns {
        lists
            .entry(weighted.pattern.demand)
            .or_default()
            .push((&weighted.pattern, weighted.weight.clone()));
    }
    let mut found = Vec::new();
    let mut left = throughput.clone();
    while left.is_positive() {
        let Some(step) = lists
            .values()
            .filter_map(|list| list.last())
            .map(|(_, weight)| weight)
            .min()
            .cloned()
        else {
            break;
        };
        let mut links: Links = Vec::new();
        for list in lists.values_mut() {
            let Some((pattern, weight)) = list.last_mut() else {
                continue;
            };
            links.extend(pattern.tasks.iter().filter_map(|task| match task {
                Task::Send { link, .. } => Some(*link),
                Task::Merge { .. } => None,
            }));
            *weight -= &step;
            if !weight.is_positive() {
                list.pop();
            }
        }
        links.sort_unstable();
        found.push(links);
        left -= step;
    }
    found
}

/// The links of a set or a pattern, for the comments.
fn list(names: &Names<'_>, links: &Links) -> String {
    links
        .iter()
        .map(|&link| names.link(link).replace(',', "->"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn explain(program: &mut Program<'_>, problem: &Problem, form: Form) {
    if form == Form::Printed {
        program.note("E004-14: (edge_k) counts a link once per pattern, however many of its messages use it.");
        program.note("E004-15: (edge_k) is an equality, so that v may be negative.");
    }
    let platform = problem.platform();
    let half = platform
        .node_ids()
        .all(|node| platform.model_of(node) == oneport_platform::PortModel::HalfDuplex);
    if !half {
        program.note("A matching is a set of links that the ports can serve at the same time.");
    }
}

fn write_primal<'p>(
    mut program: Program<'p>,
    problem: &'p Problem,
    form: Form,
    title: &str,
    listed: &Listed,
) -> Result<Size, ProgramError> {
    program.note(form.title(title));
    let longest = (listed.matchings.len() + listed.patterns.len()) as u64;
    program.expect(longest, longest)?;
    explain(&mut program, problem, form);
    if let Some(names) = program.name(|| Names::new(problem.platform(), Letters::Matchings)) {
        for (letter, sets) in [("x", &listed.matchings), ("y", &listed.patterns)] {
            for (index, links) in sets.iter().enumerate() {
                program.note(format!("{letter}_{}: {}", index + 1, list(&names, links)));
            }
        }
    }
    let columns = Columns::of(problem, listed, form.errors(Errata::MATCHINGS));
    columns.borrowed().add_primal(&mut program)?;
    program.end()
}

/// (D), the dual of (P).
///
/// # Errors
/// Those of [`primal`].
pub(crate) fn dual<'p>(
    problem: &'p Problem,
    form: Form,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
    let code = "d";
    let listed = Listed::all(problem, code, paper.watch)?;
    let mut program = Program::new(paper, code, Sense::Minimize);
    program.note(form.title("(D), prices of time and of links: RR-2004-32, section 3.3"));
    let links = problem.platform().links().len() as u64;
    program.expect(links + 1, links + 1)?;
    explain(&mut program, problem, form);
    program.name(|| Names::new(problem.platform(), Letters::Matchings));
    let columns = Columns::of(problem, &listed, form.errors(Errata::MATCHINGS));
    columns.borrowed().add_dual(&mut program)?;
    program.end()
}

/// Matchings and patterns by the indices of their links.
struct Columns {
    times: Vec<Rational>,
    matchings: Vec<Vec<usize>>,
    patterns: Vec<Vec<usize>>,
    errors: Errata,
}

impl Columns {
    fn of(problem: &Problem, listed: &Listed, errors: Errata) -> Columns {
        let time = |link| problem.transfer_time(link, Interval::single(0));
        let indices = |sets: &[Links]| {
            let set = |links: &Links| links.iter().map(|link| link.index()).collect();
            sets.iter().map(set).collect()
        };
        Columns {
            times: problem.platform().link_ids().map(time).collect(),
            matchings: indices(&listed.matchings),
            patterns: indices(&listed.patterns),
            errors,
        }
    }

    fn borrowed(&self) -> Matchings<'_> {
        Matchings {
            times: &self.times,
            matchings: &self.matchings,
            patterns: &self.patterns,
            errors: self.errors,
        }
    }
}

/// The columns of (P), by the indices of links, and how to read the program.
#[derive(Debug, Clone, Copy)]
pub struct Matchings<'a> {
    /// The time of a message on each link.
    pub times: &'a [Rational],
    /// Links that are busy at the same time.
    pub matchings: &'a [Vec<usize>],
    /// The links of a pattern, each as often as the pattern uses it.
    pub patterns: &'a [Vec<usize>],
    /// How to read the program.
    pub errors: Errata,
}

impl Matchings<'_> {
    /// How often a pattern uses a link: as printed, once at most.
    fn uses(&self, pattern: &[usize], link: usize) -> Rational {
        let count = pattern.iter().filter(|&&other| other == link).count();
        let count = if self.errors.once_per_pattern {
            count.min(1)
        } else {
            count
        };
        whole(count)
    }

    pub(crate) fn add_primal(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        program.declare((self.matchings.len() + self.patterns.len()) as u64);
        for pattern in 0..self.patterns.len() {
            program.aim(Quantity::Pattern(pattern));
        }
        if !self.matchings.is_empty() {
            program.first(Quantity::Matching(0));
        }
        program.section("(comm) One matching at a time.");
        let all = (0..self.matchings.len())
            .map(|matching| (Quantity::Matching(matching), Rational::one()));
        program.row(Equation::Comm, all, Relation::AtMost, Rational::one())?;
        program.section("(edge_k) Matchings carry what the patterns send.");
        let relation = if self.errors.edge_equation {
            Relation::Equal
        } else {
            Relation::AtLeast
        };
        for (link, time) in self.times.iter().enumerate() {
            let having = self.matchings.iter().enumerate();
            let having = having.filter(|(_, links)| links.contains(&link));
            let carried =
                having.map(|(matching, _)| (Quantity::Matching(matching), Rational::one()));
            let patterns = self.patterns.iter().enumerate();
            let sent = patterns.map(|(index, pattern)| {
                (Quantity::Pattern(index), -(self.uses(pattern, link) * time))
            });
            program.row(
                Equation::Edge(link),
                carried.chain(sent),
                relation,
                Rational::zero(),
            )?;
        }
        Ok(())
    }

    pub(crate) fn add_dual(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        program.aim(Quantity::TimePrice);
        program.declare(1 + self.times.len() as u64);
        if self.errors.edge_equation {
            for link in 0..self.times.len() {
                program.free(Quantity::LinkPrice(link));
            }
        }
        program.section("A matching costs at most u.");
        for (index, matching) in self.matchings.iter().enumerate() {
            let prices = matching
                .iter()
                .map(|&link| (Quantity::LinkPrice(link), Rational::one()));
            let terms = prices.chain([(Quantity::TimePrice, -Rational::one())]);
            let row = Equation::Matching(index);
            program.row(row, terms, Relation::AtMost, Rational::zero())?;
        }
        program.section("A pattern costs at least 1.");
        for (index, pattern) in self.patterns.iter().enumerate() {
            let distinct: BTreeSet<usize> = pattern.iter().copied().collect();
            let terms = distinct.into_iter().filter_map(|link| {
                let time = self.times.get(link)?;
                Some((Quantity::LinkPrice(link), self.uses(pattern, link) * time))
            });
            let row = Equation::Pattern(index);
            program.row(row, terms, Relation::AtLeast, Rational::one())?;
        }
        Ok(())
    }
}
