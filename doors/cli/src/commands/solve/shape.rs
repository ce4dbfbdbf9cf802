//! The best of one tree, or of links without a cycle.

use anyhow::Result;
use oneport::files::{Chosen, ChosenShape};
use oneport::plan::Form;
use oneport::{Goal, Options, Problem, Rational, Shape, Shaped, Status, best_shape, solve};

use crate::answers::answer::label;
use crate::answers::chosen::words;
use crate::words::output::few;
use crate::words::usage::usage;

/// Percent of the time left for the search. The rest is for the plan. Trades a proof for an answer in time. Not
/// measured.
const SEARCH: u32 = 70;
/// Percent of the time left after the search for the bound of all links together. Trades a bound for an answer in time.
/// Not measured.
const BOUND: u32 = 20;
/// Limit on the links named.
const NAMED: usize = 12;

/// The best tree or graph of this shape.
pub fn find(problem: &Problem, shape: Shape, options: &Options) -> Result<Shaped> {
    if !problem.collective().is(Form::BROADCAST) {
        let option = if shape == Shape::Tree {
            "--single-tree"
        } else {
            "--single-dag"
        };
        return Err(usage(format!(
            "{option}: {} has none; only a broadcast follows a tree",
            label(problem.collective())
        )));
    }
    let within = |percent| Options {
        watch: options.watch.stage(percent),
        ..options.clone()
    };
    let shaped = best_shape(problem, &within(SEARCH), shape)?;
    // A search that was ended may have had no time to bound all links together.
    Ok(match shaped.status {
        Status::Optimal => shaped,
        Status::Feasible => match solve(problem, &within(BOUND).goal(Goal::Bound)) {
            Ok(whole) => shaped.within(whole.answer.bound()),
            Err(_) => shaped,
        },
    })
}

/// The record of the choice in the plan's file.
pub fn chosen(shape: Shape, shaped: &Shaped) -> Chosen {
    Chosen {
        shape: match shape {
            Shape::Tree => ChosenShape::Tree,
            Shape::Acyclic => ChosenShape::Acyclic,
        },
        programs: shaped.programs as u64,
    }
}

/// The answer's bound holds for all trees or graphs. The bound of the plan's certificate holds for its links.
pub fn bound(shaped: &Shaped, throughput: &Rational) -> Rational {
    shaped.upper_bound.clone().max(throughput.clone())
}

/// The links, and the result of the search on others.
pub fn sentence(problem: &Problem, chosen: &Chosen, shaped: &Shaped) -> String {
    let platform = problem.platform();
    let names = few(
        platform.link_ids().map(|link| platform.link_name(link)),
        NAMED,
        ", ...",
    );
    let found = match shaped.status {
        Status::Optimal => "it found that no other is better",
        Status::Feasible => "it was ended; by its bound no other has more than that",
    };
    format!("{}: {names}; {found}", words(chosen))
}
