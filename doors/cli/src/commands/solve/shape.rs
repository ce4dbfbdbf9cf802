//! The best of one tree, or of links without a cycle.

use anyhow::Result;
use oneport::plan::Form;
use oneport::{Options, Plan, Problem, Shape, Shaped, Status, best_shape};

use crate::answers::answer::label;
use crate::words::output::{count, few};
use crate::words::usage::usage;

/// Percent of the time left for the search; the rest is for the plan. Trades a proof for an answer in time. Not
/// measured.
const SEARCH: u32 = 70;
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
    let options = Options {
        watch: options.watch.stage(SEARCH),
        ..options.clone()
    };
    Ok(best_shape(problem, &options, shape)?)
}

/// The answer's bound is one on all trees or graphs; the bound of the plan's certificate is one for its links.
pub fn claim(plan: &mut Plan, shaped: &Shaped) {
    plan.upper_bound = shaped
        .upper_bound
        .clone()
        .max(plan.steady_state.throughput.clone());
    plan.status = Status::of(&plan.steady_state.throughput, &plan.upper_bound);
}

/// Which links, and what is proved of them.
pub fn sentence(problem: &Problem, shape: Shape, shaped: &Shaped) -> String {
    let platform = problem.platform();
    let names = few(
        platform.link_ids().map(|link| platform.link_name(link)),
        NAMED,
        ", ...",
    );
    let what = match shape {
        Shape::Tree => "tree",
        Shape::Acyclic => "acyclic graph",
    };
    let proved = match shaped.status {
        Status::Optimal => "no other is better",
        Status::Feasible => "the search was ended; the bound holds for every other",
    };
    let programs = count(shaped.programs, "program");
    format!("the best {what}: {names}; {proved} ({programs})")
}
