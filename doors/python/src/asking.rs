//! From a question to its answer.

use std::sync::Arc;

use oneport::plan::Form;
use oneport::{Amount, Collective, Goal, Options, Problem, Solved, Volumes, parse_rational, solve};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::answer::{Facts, PyAnswer};
use crate::errors::{of, of_problem, value};
use crate::platform::PyPlatform;
use crate::waiting::{self, Limits};

/// Asks about a platform.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from Python")]
pub(crate) fn ask(
    py: Python<'_>,
    platform: &PyPlatform,
    collective: &str,
    goal: &str,
    roles: Vec<(String, Vec<String>)>,
    size: Option<String>,
    work: Option<String>,
    commutative: bool,
    time: Option<f64>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<PyAnswer> {
    let shared = Arc::clone(&platform.inner);
    let form = Form::find(collective).ok_or_else(|| value("no such collective"))?;
    let mut nodes = Vec::new();
    for role in form.roles {
        let given = roles.iter().find(|(key, _)| key == role.key);
        nodes.push(match given {
            Some((_, names)) => names
                .iter()
                .map(|name| {
                    shared
                        .find(name)
                        .ok_or_else(|| value(format_args!("the platform has no node '{name}'")))
                })
                .collect::<PyResult<Vec<_>>>()?,
            None if role.many => {
                let first = nodes.first().and_then(|all: &Vec<_>| all.first()).copied();
                let first = first.filter(|_| !form.overlaps());
                let all = shared.processors();
                all.filter(|&node| Some(node) != first).collect()
            }
            None => {
                return Err(PyTypeError::new_err(format!(
                    "{collective} needs {}=",
                    role.key
                )));
            }
        });
    }
    let collective: Collective = form
        .build(&nodes, commutative)
        .ok_or_else(|| PyValueError::new_err("roles"))?;
    let amount = |text: Option<String>| -> PyResult<Option<Amount>> {
        text.map(|text| parse_rational(&text).map(Amount::Constant).map_err(value))
            .transpose()
    };
    let mut volumes = Volumes::default();
    if let Some(size) = amount(size)? {
        volumes.size = size;
    }
    if let Some(work) = amount(work)? {
        volumes.work = work;
    }
    let goal = match goal {
        "bound" => Goal::Bound,
        "rate" => Goal::Rate,
        _ => Goal::Schedule,
    };
    let limits = Limits::new(time, threads, callback)?;
    let own = Arc::clone(&shared);
    let solved: PyResult<Solved> = waiting::run(py, limits, move |watch| {
        let problem = Problem::new(own, collective, volumes).map_err(|error| of_problem(&error))?;
        let options = Options::of(goal).watched(watch);
        solve(&problem, &options).map_err(|error| of(&error))
    })?;
    let solved = solved?;
    let facts = Facts::of(&solved);
    Ok(PyAnswer::new(shared, solved.answer, facts))
}
