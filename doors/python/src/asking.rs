//! From a question, which is JSON with the keys of `oneport batch`, to its answer.

use std::cell::RefCell;
use std::sync::Arc;

use oneport::{Platform, solve};
use oneport_questions::platform::Note;
use oneport_questions::{Asked, Manner, Program, Question, QuestionError, Source, change};
use pyo3::prelude::*;

use crate::answer::{Facts, PyAnswer};
use crate::errors::of_question;
use crate::platform::PyPlatform;
use crate::waiting::{self, Limits};

/// Reads the platform of a question, with its options and changes; returns it with the notes on how it was read.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, question: String) -> PyResult<(PyPlatform, Vec<String>)> {
    let read = move |_| {
        let question = Question::read_json(&question)?;
        let notes = RefCell::new(Vec::new());
        let hear = |note: Note<'_>| {
            let mut all = notes.borrow_mut();
            match note {
                Note::Of(_, some) => {
                    let text = |(topic, text): &(&str, &str)| {
                        Manner::Keyword.spell(&format!("{topic}: {text}"))
                    };
                    all.extend(some.iter().map(text));
                }
                Note::Plain(text) => all.push(Manner::Keyword.spell(text)),
            }
        };
        let platform = question.read_platform(&hear)?;
        Ok((platform, notes.into_inner()))
    };
    let read: Result<_, QuestionError> = waiting::run(py, Limits::default(), read)?;
    let (platform, notes) = read.map_err(|error| of_question(&error))?;
    Ok((PyPlatform::of(Arc::new(platform)), notes))
}

/// The platform after these changes.
#[pyfunction]
pub(crate) fn changed(platform: &PyPlatform, changes: Vec<String>) -> PyResult<PyPlatform> {
    let changed = change::apply("platform", &platform.inner, &changes);
    let changed = changed.map_err(|error| of_question(&error))?;
    Ok(changed.map_or_else(
        || PyPlatform::of(Arc::clone(&platform.inner)),
        |changed| PyPlatform::of(Arc::new(changed.platform)),
    ))
}

/// Answers a question about a platform that was read before. Returns also the names of the processors that are left
/// out.
#[pyfunction]
pub(crate) fn ask(
    py: Python<'_>,
    platform: &PyPlatform,
    question: &str,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<(PyAnswer, Vec<String>)> {
    let fault = |error: QuestionError| of_question(&error);
    let question = Question::read_json(question).map_err(fault)?;
    let question = match question.formulation {
        Program::Columns => question,
        Program::Compact => question.keeping_order().map_err(fault)?,
    };
    let options = question.options().map_err(fault)?;
    let limits = Limits {
        search: question.limits().map_err(fault)?,
        threads,
        callback,
    };
    let shared = Arc::clone(&platform.inner);
    let (own, left_out, solved) = waiting::run(py, limits, move |watch| {
        let asked = Asked::read(Platform::clone(&shared), &question)?;
        let problem = asked.problem()?;
        let solved = solve(&problem, &options.watched(watch))?;
        Ok((asked.platform, asked.left_out, solved))
    })?
    .map_err(fault)?;
    let facts = Facts::of(&solved);
    let answer = PyAnswer::new(own, solved.answer, facts);
    Ok((answer, left_out.names().to_vec()))
}

/// The table that a question for times or a comparison gives, as JSON: about a platform that was read before, or about
/// the question's own.
#[pyfunction]
pub(crate) fn tabled(
    py: Python<'_>,
    platform: Option<&PyPlatform>,
    question: &str,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let fault = |error: QuestionError| of_question(&error);
    let mut question = Question::read_json(question).map_err(fault)?;
    if let Some(platform) = platform {
        question.platform = Source::Given(Arc::clone(&platform.inner));
    }
    let limits = Limits {
        search: question.limits().map_err(fault)?,
        threads,
        callback,
    };
    let table = waiting::run(py, limits, move |watch| {
        oneport_questions::tabled(&question, watch)
    })?;
    Ok(table.map_err(fault)?.to_json())
}

/// The answer of a line of questions as a line of JSON.
#[pyfunction]
pub(crate) fn answer_line(py: Python<'_>, number: u64, line: String) -> PyResult<String> {
    waiting::run_with_wish(py, Limits::default(), move |_, wish| {
        oneport_questions::answer_line_until(number, &line, move || wish.heard())
    })
}

/// The row of a question that cannot be written as a line.
#[pyfunction]
pub(crate) fn failed_line(number: u64, line: &[u8], message: String) -> String {
    oneport_questions::failed_line(number, line, "question", message)
}

/// The keys of a question and of its key `read`.
#[pyfunction]
pub(crate) fn keys() -> (Vec<&'static str>, Vec<&'static str>) {
    (
        oneport_questions::KEYS.to_vec(),
        oneport_questions::READING_KEYS.to_vec(),
    )
}

/// The names of the collectives, each with a sentence.
#[pyfunction]
pub(crate) fn collectives() -> Vec<(&'static str, &'static str)> {
    let forms = oneport_questions::forms().map(|form| (form.name, form.about));
    forms
        .chain([("custom", "The demands given by demands")])
        .collect()
}

/// The name of the collective that a text names, as libraries write it too.
#[pyfunction]
pub(crate) fn collective(text: &str) -> PyResult<&'static str> {
    let named = oneport_questions::called(text);
    named.ok_or_else(|| of_question(&oneport_questions::no_collective(text)))
}
