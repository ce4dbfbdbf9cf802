//! Errors as exceptions. Their classes are written in Python, so that they pickle by themselves.

use std::fmt::Display;

use oneport::referee::Violation as Fault;
use oneport::watch::Limit;
use oneport_questions::{Kind, Manner, QuestionError};
use pyo3::PyErr;
use pyo3::exceptions::{PyTypeError, PyValueError};

pyo3::import_exception!(pyoneport._errors, Infeasible);
pyo3::import_exception!(pyoneport._errors, OneportError);
pyo3::import_exception!(pyoneport._errors, Stopped);
pyo3::import_exception!(pyoneport._errors, Violation);

/// A fault of what the caller gave.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A fault of ours.
pub(crate) fn defect(error: impl Display) -> PyErr {
    OneportError::new_err(format!(
        "a defect of oneport: {error}; please report it with the question"
    ))
}

/// The name of a limit, as `Answer.ended_by` and `Stopped.limit` have it.
pub(crate) fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "time_limit",
        Limit::Memory => "memory_limit",
        Limit::Interrupt => "interrupt",
        Limit::Caller => "callback",
    }
}

/// The exception for a question that has no answer.
pub(crate) fn of_question(error: &QuestionError) -> PyErr {
    let said = error.said(Manner::Keyword);
    if error.is_untaken {
        return PyTypeError::new_err(said);
    }
    match (error.kind, error.limit) {
        (Kind::Question | Kind::Platform, _) => PyValueError::new_err(said),
        (Kind::Infeasible, _) => Infeasible::new_err((said, error.unreachable.clone())),
        (Kind::Limit, Some(which)) => Stopped::new_err((said, limit(which))),
        (Kind::Limit, None) => Stopped::new_err((said,)),
        (Kind::Defect, _) => defect(said),
    }
}

/// The exception for a claim that the referee refuses.
pub(crate) fn of_fault(fault: &Fault) -> PyErr {
    match fault.stopped() {
        Some(which) => Stopped::new_err((fault.to_string(), limit(which))),
        None => Violation::new_err((fault.to_string(), format!("{:?}", fault.rule()))),
    }
}
