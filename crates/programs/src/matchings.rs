//! (P), (P') and (D) of RR-2004-32, sections 3.2 to 3.4 and 4: patterns `y_t` and matchings `x_m`, and prices `u`, `v`
//! of time and of links.
//!
//! Corrected, (edge_k) counts a link as often as the paths of a pattern use it (E004-14), and is an inequality, so that
//! `v` is not negative (E004-15): subsets of matchings are matchings. As printed, it counts a link once per pattern,
//! and `v` is free. For broadcasts both forms have the same optimum.
//!
//! Deviation: nodes that are not half-duplex are not fictitious nodes (section 5) here; a "matching" is any set of
//! links that the ports can serve at the same time.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use oneport_plan::{Interval, Kind, Pattern, Plan, Problem, Task};
use oneport_platform::{LinkId, Rational};
use oneport_watch::Watch;

use crate::form::{Form, ProgramError, check_switches};
use crate::names::Names;
use crate::patterns::{Links, matchings, patterns};
use crate::program::{Paper, Program, Relation, Sense, Size, Variable};

/// The columns of the programs.
struct Columns {
    matchings: Vec<Links>,
    patterns: Vec<Links>,
}

impl Columns {
    fn all(problem: &Problem, code: &'static str, watch: &Watch) -> Result<Columns, ProgramError> {
        check(problem, code)?;
        Ok(Columns {
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
pub(crate) fn primal(
    problem: &Problem,
    form: Form,
    paper: Paper<'_>,
) -> Result<Size, ProgramError> {
    let code = "p";
    let columns = Columns::all(problem, code, paper.watch)?;
    let title = form.title("(P), patterns and matchings: RR-2004-32, sections 3.2 and 4");
    let program = Program::new(paper, code, Sense::Maximise, title);
    write_primal(program, problem, form, &columns)
}

/// (P'), over the patterns of a plan and the matchings of its schedule.
///
/// # Errors
/// As [`primal`], and a plan whose schedule does not attain the optimum.
pub(crate) fn restricted(
    plan: &Plan<'_>,
    form: Form,
    paper: Paper<'_>,
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
    let columns = Columns {
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
    let program = Program::new(paper, code, Sense::Maximise, form.title(title));
    write_primal(program, problem, form, &columns)
}

/// The plan's patterns, one of each demand side by side: every demand's weights fill the same time, which is cut
/// wherever one of them changes its pattern.
fn mixed(plan: &Plan, throughput: &Rational) -> Vec<Links> {
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

/// How often a pattern uses a link: as printed, once at most.
fn uses(pattern: &Links, link: LinkId, form: Form) -> Rational {
    let count = pattern.iter().filter(|&&other| other == link).count();
    let count = if form == Form::Printed {
        count.min(1)
    } else {
        count
    };
    Rational::from_integer(count.into())
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

fn write_primal(
    mut program: Program<'_>,
    problem: &Problem,
    form: Form,
    columns: &Columns,
) -> Result<Size, ProgramError> {
    let longest = columns.matchings.len() + columns.patterns.len();
    program.expect(longest as u64, longest as u64)?;
    explain(&mut program, problem, form);
    let names = Names::new(problem.platform(), &mut program);
    let mut variables = |letter: &str, sets: &[Links]| -> Vec<Variable> {
        let add = |(place, links): (usize, &Links)| {
            let name = format!("{letter}_{}", place + 1);
            program.note(format!("{name}: {}", list(&names, links)));
            program.variable(name)
        };
        sets.iter().enumerate().map(add).collect()
    };
    let x = variables("x", &columns.matchings);
    let y = variables("y", &columns.patterns);
    y.iter().for_each(|&pattern| program.aim(pattern));
    program.section("(comm) One matching at a time.");
    let terms = x.iter().map(|&matching| (matching, Rational::one()));
    program.row("comm".to_string(), terms, Relation::AtMost, Rational::one())?;
    program.section("(edge_k) Matchings carry what the patterns send.");
    let relation = if form == Form::Printed {
        Relation::Equal
    } else {
        Relation::AtLeast
    };
    for link in problem.platform().link_ids() {
        let time = problem.transfer_time(link, Interval::single(0));
        let having = columns
            .matchings
            .iter()
            .zip(&x)
            .filter(|(links, _)| links.contains(&link));
        let carried = having.map(|(_, &matching)| (matching, Rational::one()));
        let sent = columns
            .patterns
            .iter()
            .zip(&y)
            .map(|(links, &pattern)| (pattern, -(uses(links, link, form) * &time)));
        program.row(
            format!("edge({})", names.link(link)),
            carried.chain(sent),
            relation,
            Rational::zero(),
        )?;
    }
    program.end()
}

/// (D), the dual of (P).
///
/// # Errors
/// As [`primal`].
pub(crate) fn dual(problem: &Problem, form: Form, paper: Paper<'_>) -> Result<Size, ProgramError> {
    let code = "d";
    let columns = Columns::all(problem, code, paper.watch)?;
    let title = form.title("(D), prices of time and of links: RR-2004-32, section 3.3");
    let mut program = Program::new(paper, code, Sense::Minimise, title);
    let links = problem.platform().links().len() as u64;
    program.expect(links + 1, links + 1)?;
    explain(&mut program, problem, form);
    let platform = problem.platform();
    let names = Names::new(platform, &mut program);
    let u = program.variable("u".to_string());
    program.aim(u);
    let price = |link| {
        let name = format!("v({})", names.link(link));
        if form == Form::Printed {
            program.free_variable(name)
        } else {
            program.variable(name)
        }
    };
    let v: Vec<Variable> = platform.link_ids().map(price).collect();
    program.section("A matching costs at most u.");
    for (place, matching) in columns.matchings.iter().enumerate() {
        let prices = matching
            .iter()
            .map(|link| (v[link.index()], Rational::one()));
        let terms = prices.chain([(u, -Rational::one())]);
        program.row(
            format!("M_{}", place + 1),
            terms,
            Relation::AtMost,
            Rational::zero(),
        )?;
    }
    program.section("A pattern costs at least 1.");
    for (place, pattern) in columns.patterns.iter().enumerate() {
        let distinct: BTreeSet<LinkId> = pattern.iter().copied().collect();
        let terms = distinct.into_iter().map(|link| {
            (
                v[link.index()],
                uses(pattern, link, form) * problem.transfer_time(link, Interval::single(0)),
            )
        });
        program.row(
            format!("T_{}", place + 1),
            terms,
            Relation::AtLeast,
            Rational::one(),
        )?;
    }
    program.end()
}
