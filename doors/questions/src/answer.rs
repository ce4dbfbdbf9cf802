//! The answer to a question as a line of JSON, whose keys have a fixed order.

use std::time::Duration;

use oneport::explain;
use oneport::files::{PlatformFormat, plan_to_json, write_platform};
use oneport::plan::CapacityRow;
use oneport::watch::{Limit, Watch};
use oneport::{Answer, Problem, Rational, Solved, solve};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::asked::Asked;
use crate::error::{Kind, Manner, QuestionError, Result};
use crate::limiting::limiting;
use crate::numbers::Numbers;
use crate::platform::deaf;
use crate::question::{Ask, Keep, Question};

/// Answers a question: reads it, solves it, and has it checked. The watch limits the search ([`Question::watch`]).
///
/// # Errors
/// The question makes no sense, messages cannot arrive, or a limit came before anything was found and checked.
pub fn ask(question: &Question, watch: Watch) -> Result<Solved> {
    let options = question.options()?.watched(watch);
    Ok(solve(&question.problem()?, &options)?)
}

/// The answer to line `number` (from 1) of a file of questions: one line of JSON without a line break. What is wrong
/// with the question is an answer, too. The text depends on nothing but the number, the line, the files that it names
/// and, if a limit ends the search, the moment when that happens.
pub fn answer_line(number: u64, line: &str) -> String {
    answer_line_until(number, line, || None)
}

/// As [`answer_line`], until the caller wants an end: `stop` returns the reason and the age of that wish.
pub fn answer_line_until(
    number: u64,
    line: &str,
    stop: impl Fn() -> Option<(Limit, Duration)> + Send + Sync + 'static,
) -> String {
    if line.trim().is_empty() {
        let message = "the line is empty; a question is a JSON object on one line";
        return failed_line(number, line.as_bytes(), "question", message.to_string());
    }
    let head = Head::of(number, line.as_bytes().trim_ascii(), line);
    row(&head, line, stop).unwrap_or_else(|error| error_line(&head, &error))
}

/// The row of a question that no process answered: `kind` is `killed` if those at work on it ended, else `question`.
pub fn failed_line(number: u64, line: &[u8], kind: &'static str, message: String) -> String {
    let text = String::from_utf8_lossy(line);
    text_of(&FailedRow {
        head: Head::of(number, line.trim_ascii(), &text),
        status: "error",
        error: Fault { kind, message },
    })
}

/// The identity of a row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answered {
    /// The number of the question's line, from 1.
    pub line: u64,
    /// The digest of the question.
    pub question: String,
    status: String,
}

impl Answered {
    /// Reads a row. `None` if the text is no row.
    pub fn read(row: &[u8]) -> Option<Answered> {
        let answered: Answered = serde_json::from_slice(row).ok()?;
        (answered.line > 0).then_some(answered)
    }

    /// Whether the question has no answer.
    pub fn is_error(&self) -> bool {
        self.status == "error"
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of these bytes.
pub fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The first keys of every row.
#[derive(Debug, Clone, Serialize)]
struct Head {
    line: u64,
    question: String,
    id: Value,
    version: &'static str,
}

impl Head {
    fn of(line: u64, bytes: &[u8], text: &str) -> Head {
        Head {
            line,
            question: digest(bytes),
            id: id(text),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// A row without an answer.
#[derive(Debug, Serialize)]
struct FailedRow {
    #[serde(flatten)]
    head: Head,
    status: &'static str,
    error: Fault,
}

/// The error.
#[derive(Debug, Serialize)]
struct Fault {
    kind: &'static str,
    message: String,
}

/// A row with an answer.
#[derive(Debug, Serialize)]
struct AnswerRow {
    #[serde(flatten)]
    head: Head,
    /// Digest of the platform's own JSON.
    platform: String,
    #[serde(flatten)]
    numbers: Numbers,
    /// Processors that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// Messages that cannot arrive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreachable: Vec<String>,
    /// The reason why no schedule is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlisted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Vec<Price>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<Reason>>,
}

/// A price of a certificate.
#[derive(Debug, Serialize)]
struct Price {
    resource: String,
    price: String,
}

/// A cost that no instance avoids, and the time that it takes of one.
#[derive(Debug, Serialize)]
struct Reason {
    sentence: String,
    share: String,
}

/// The id of a question, even of one that is wrong.
fn id(line: &str) -> Value {
    match serde_json::from_str(line) {
        Ok(Value::Object(mut keys)) => keys.remove("id").unwrap_or_default(),
        _ => Value::Null,
    }
}

/// A row as text: structures without maps of other keys than texts.
fn text_of(row: &impl Serialize) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

fn error_line(head: &Head, error: &QuestionError) -> String {
    text_of(&FailedRow {
        head: head.clone(),
        status: "error",
        error: Fault {
            kind: match error.kind {
                Kind::Question => "question",
                Kind::Platform => "platform",
                Kind::Infeasible => "infeasible",
                Kind::Limit => "limit",
                Kind::Defect => "defect",
            },
            message: error.said(Manner::Key),
        },
    })
}

fn row(
    head: &Head,
    line: &str,
    stop: impl Fn() -> Option<(Limit, Duration)> + Send + Sync + 'static,
) -> Result<String> {
    let question = Question::read_json(line)?;
    let watch = question.watch(stop)?;
    if matches!(question.ask, Ask::Time | Ask::Compare) {
        return table(head, &question, watch);
    }
    let platform = question.read_platform(&deaf)?;
    let platform_digest = digest(write_platform(&platform, PlatformFormat::Json)?.as_bytes());
    let as_solved = question.as_solved()?;
    let asked = Asked::read(platform, &as_solved)?;
    let row = |numbers| AnswerRow {
        head: head.clone(),
        platform: platform_digest.clone(),
        numbers,
        left_out: asked.left_out.names().to_vec(),
        unreachable: Vec::new(),
        unlisted: None,
        certificate: None,
        reasons: None,
    };
    let problem = match asked.problem() {
        Ok(problem) => problem,
        Err(error) if error.kind == Kind::Infeasible => {
            let numbers = Numbers::infeasible(&asked.platform, &asked.collective);
            return Ok(text_of(&AnswerRow {
                unreachable: paths(&error.unreachable),
                ..row(numbers)
            }));
        }
        Err(error) => return Err(error),
    };
    let solved = solve(&problem, &question.options()?.watched(watch))?;
    let bottleneck = limiting(&solved.answer);
    let plan = solved.answer.plan();
    let numbers = Numbers::of(&solved, bottleneck);
    let numbers = match &plan {
        Some(plan) => numbers.planned(plan),
        None => numbers,
    };
    let proof = question.keep != Keep::Numbers;
    let mut told = text_of(&AnswerRow {
        unlisted: solved.unwritten.map(|unwritten| unwritten.to_string()),
        certificate: proof.then(|| prices(&problem, &solved.answer)),
        reasons: proof
            .then(|| reasons(&problem, &solved.answer))
            .transpose()?,
        ..row(numbers)
    });
    if let Some(plan) = plan.filter(|_| question.keep == Keep::Plan) {
        // The object is open for one more key.
        told.pop();
        told.push_str(",\"plan\":");
        told.push_str(&on_one_line(&plan_to_json(plan)));
        told.push('}');
    }
    Ok(told)
}

/// A row with a table.
#[cfg(feature = "compare")]
#[derive(Debug, Serialize)]
struct TableRow {
    #[serde(flatten)]
    head: Head,
    /// Digest of the platform's own JSON, with the latencies of its links.
    platform: String,
    #[serde(flatten)]
    table: crate::tabled::Table,
}

#[cfg(feature = "compare")]
fn table(head: &Head, question: &Question, watch: Watch) -> Result<String> {
    use crate::tabled;

    let (read, latencies) = tabled::read_platform(question)?;
    let platform = digest(write_platform(&read, PlatformFormat::Json)?.as_bytes());
    let (own, collective) = tabled::of_collective(question, &read)?;
    match tabled::on(question, read, latencies, watch) {
        Ok(table) => Ok(text_of(&TableRow {
            head: head.clone(),
            platform,
            table,
        })),
        Err(error) if error.kind == Kind::Infeasible => Ok(text_of(&AnswerRow {
            head: head.clone(),
            platform,
            numbers: Numbers::infeasible(&own, &collective),
            left_out: Vec::new(),
            unreachable: paths(&error.unreachable),
            unlisted: None,
            certificate: None,
            reasons: None,
        })),
        Err(error) => Err(error),
    }
}

#[cfg(not(feature = "compare"))]
fn table(_head: &Head, _question: &Question, _watch: Watch) -> Result<String> {
    Err(crate::error::unfit(
        "--ask: this build of oneport lacks the feature `compare`, which has times and comparisons",
    ))
}

fn prices(problem: &Problem, answer: &Answer) -> Vec<Price> {
    let platform = problem.platform();
    let price = |(row, price): &(CapacityRow, Rational)| Price {
        resource: match row {
            CapacityRow::Resource(resource) => resource.describe(platform),
            CapacityRow::OddSet(set) => set.describe(platform),
        },
        price: price.to_string(),
    };
    answer.certificate().rows.iter().map(price).collect()
}

fn reasons(problem: &Problem, answer: &Answer) -> Result<Vec<Reason>> {
    let why = explain::why(problem, answer.certificate());
    let why = why.map_err(|error| QuestionError::from(oneport::Error::from(error)))?;
    let reason = |reason: explain::Reason| Reason {
        sentence: reason.sentence,
        share: reason.share.to_string(),
    };
    Ok(why.into_iter().map(reason).collect())
}

/// Pairs of nodes in words: `from 'a' to 'b'`.
pub fn paths(missing: &[(String, String)]) -> Vec<String> {
    let words = |(from, to): &(String, String)| format!("from '{from}' to '{to}'");
    missing.iter().map(words).collect()
}

/// JSON without the white space between its values.
fn on_one_line(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = |letter: &char| {
        let keep = quoted || !letter.is_ascii_whitespace();
        (quoted, escaped) = match (*letter, quoted) {
            _ if escaped => (quoted, false),
            ('\\', true) => (true, true),
            ('"', _) => (!quoted, false),
            _ => (quoted, false),
        };
        keep
    };
    json.chars().filter(kept).collect()
}
