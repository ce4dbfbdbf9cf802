//! A question as a value.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use oneport::files::json::Json;
use oneport::files::source::Source as Text;
use oneport::files::{self, FormatError, Mistake};
use oneport::platform::whole;
use oneport::watch::{Limit, Watch};
use oneport::{
    DEFAULT_MAX_INSTANCES, Formulation, Goal, Options, Period, Platform, Rational, parse_rational,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Error, Map, Value};

use crate::error::{QuestionError, Result, usage};
use crate::idle::Idle;
use crate::keys::{KEYS, READING_KEYS, option, values_of};
use crate::latency::KnownLatencies;
use crate::limits::Limits;
use crate::period::{length, most};
use crate::platform::{Hearer, Reading, Source};
use crate::text::{Nodes, Paths, counts, names, sizes, text};

/// The kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// The throughput, its proof and a periodic schedule.
    #[default]
    Solve,
    /// The throughput and its proof.
    Rate,
    /// An upper bound on the throughput of every schedule.
    Bound,
    /// Times of one operation, by size.
    Time,
    /// Known algorithms beside the optimum.
    Compare,
}

/// Which linear program is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// Small and fast: one flow per source or target. Reductions generate trees as needed.
    #[default]
    Columns,
    /// The papers' own program, corrected: one flow per message or partial result. It keeps the order of operands.
    Compact,
}

/// The parts of the answer beside its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Nothing.
    #[default]
    Numbers,
    /// The prices that prove the bound.
    Certificate,
    /// The certificate, and the plan: the content of its file.
    Plan,
}

/// A file of demands: its path, or its content as JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Demands {
    /// Its path.
    File(PathBuf),
    /// Its content.
    Inline(Value),
}

/// A process group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// `A,B,C` or `A,B,C@RATE`.
    Text(String),
    /// Its nodes by names and patterns, and its rate.
    Listed(Vec<String>, u64),
}

/// A question: a platform, a collective with its roles and volumes, a schedule's form, limits. Each key has the name of
/// the command's option (`--max-loss` is `max_loss`), and the same texts for values. A number stands for its text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// Any value. The answer repeats it.
    pub id: Value,
    /// The kind of answer.
    pub ask: Ask,
    /// The platform.
    pub platform: Source,
    /// Values that the platform's file leaves open.
    #[serde(deserialize_with = "reading")]
    pub read: Reading,
    /// Changes of the platform, as `A -> B: bandwidth x2`.
    pub changes: Vec<String>,
    /// The port model, in place of the platform's.
    pub model: Option<String>,
    /// Processors that take no part.
    pub idle: Option<Idle>,
    /// The collective.
    pub collective: String,
    /// The node that owns the messages.
    #[serde(deserialize_with = "text")]
    pub source: Option<String>,
    /// The node that receives the messages, or the result.
    #[serde(deserialize_with = "text")]
    pub target: Option<String>,
    /// Stands for `source` or `target`.
    #[serde(deserialize_with = "text")]
    pub root: Option<String>,
    /// All-to-all: the nodes that send.
    pub sources: Option<Nodes>,
    /// The nodes that receive.
    pub targets: Option<Nodes>,
    /// The nodes that take part.
    pub participants: Option<Nodes>,
    /// Process groups, instead of roles.
    pub groups: Vec<Group>,
    /// Custom: the demands.
    pub demands: Option<Demands>,
    /// Forms that end in -v: messages per target, participant or pair.
    #[serde(deserialize_with = "counts")]
    pub counts: Option<String>,
    /// Size of each message. 1 if it is absent.
    #[serde(deserialize_with = "text")]
    pub size: Option<String>,
    /// Size of the whole operation, instead of `size`.
    #[serde(deserialize_with = "text")]
    pub bytes: Option<String>,
    /// Work of one merge.
    #[serde(deserialize_with = "text")]
    pub work: Option<String>,
    /// Whether operands may be combined in any order. Where absent they may, unless the volumes or a node without
    /// compute need their order.
    pub commutative: Option<bool>,
    /// Length of the period.
    #[serde(deserialize_with = "text")]
    pub period: Option<String>,
    /// Largest loss of throughput.
    #[serde(deserialize_with = "text")]
    pub max_loss: Option<String>,
    /// Limit on instances per period.
    #[serde(deserialize_with = "text")]
    pub max_instances: Option<String>,
    /// The optimal throughput exactly, however long the period is.
    pub exact_period: bool,
    /// No message is cut.
    pub whole_messages: bool,
    /// Which linear program.
    pub formulation: Program,
    /// Time: sizes of the operation, `8:4GiB:x2`, a list as text, or a list.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Option<String>,
    /// Time: a file of measurements. Compare: such a file, or a measurement with its unit.
    #[serde(deserialize_with = "text")]
    pub measured: Option<String>,
    /// Time and compare: files of algorithms.
    pub with: Paths,
    /// Compare: a log of NCCL, from which its model is taken.
    pub tuning: Option<PathBuf>,
    /// Limit on the time, in seconds or as `2 min`.
    #[serde(deserialize_with = "text")]
    pub time_limit: Option<String>,
    /// Limit on the memory.
    #[serde(deserialize_with = "text")]
    pub memory_limit: Option<String>,
    /// The parts of the answer beside its numbers.
    pub keep: Keep,
}

/// The keys of times that other kinds of answers lack.
const TIME: [&str; 3] = ["sizes", "measured", "with"];
/// The keys of comparisons that other kinds of answers lack.
const COMPARE: [&str; 3] = ["measured", "with", "tuning"];

/// Keys of which a question has at most one.
const EITHER: [(&str, &str); 10] = [
    ("sizes", "bytes"),
    ("sizes", "size"),
    ("bytes", "size"),
    ("root", "source"),
    ("root", "target"),
    ("period", "max-instances"),
    ("period", "max-loss"),
    ("period", "exact-period"),
    ("max-loss", "exact-period"),
    ("max-instances", "exact-period"),
];

impl Question {
    /// Reads a question from JSON.
    ///
    /// # Errors
    /// [`Kind::Question`](crate::Kind::Question): text that is no JSON object, a key that does not exist, a value of
    /// another type, two keys of which one is allowed.
    pub fn read_json(text: &str) -> Result<Question> {
        let mut keys = match serde_json::from_str(text) {
            Ok(Value::Object(keys)) => keys,
            Ok(_) => {
                return Err(usage(format!(
                    "a question is a JSON object, such as {EXAMPLE}"
                )));
            }
            Err(error) => return Err(usage(no_json(text, &error))),
        };
        refuse_doubled(text)?;
        keys.retain(|_, value| !value.is_null());
        let question = Question::deserialize(Value::Object(keys.clone()));
        let question = question.map_err(|error| mistake(keys, &error))?;
        question.check()?;
        Ok(question)
    }

    /// Refuses keys that exclude each other, and a question without a platform.
    ///
    /// # Errors
    /// The two keys, or the missing one.
    pub fn check(&self) -> Result<()> {
        let given = |key: &str| match key {
            "sizes" => self.sizes.is_some(),
            "bytes" => self.bytes.is_some(),
            "size" => self.size.is_some(),
            "root" => self.root.is_some(),
            "source" => self.source.is_some(),
            "target" => self.target.is_some(),
            "period" => self.period.is_some(),
            "max-instances" => self.max_instances.is_some(),
            "max-loss" => self.max_loss.is_some(),
            _ => self.exact_period,
        };
        if let Some((one, other)) = EITHER
            .iter()
            .find(|(one, other)| given(one) && given(other))
        {
            return Err(usage(format!("--{one} and --{other}: give one of them")));
        }
        self.check_kind()?;
        match &self.platform {
            Source::File(path) if path.as_os_str().is_empty() => Err(usage(
                "--platform is missing: give the path of a file, the content of a platform file, or a generator",
            )),
            // The command reads its questions there.
            Source::File(path) if path == Path::new("-") || path == Path::new("/dev/stdin") => Err(
                usage("--platform: standard input is no file; give the path of one"),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses keys of another kind of answer.
    fn check_kind(&self) -> Result<()> {
        let given = [
            ("sizes", self.sizes.is_some()),
            ("measured", self.measured.is_some()),
            ("with", !self.with.0.is_empty()),
            ("tuning", self.tuning.is_some()),
            ("period", self.period.is_some()),
            ("max-loss", self.max_loss.is_some()),
            ("max-instances", self.max_instances.is_some()),
            ("exact-period", self.exact_period),
            ("whole-messages", self.whole_messages),
            ("formulation", self.formulation != Program::Columns),
            ("keep", self.keep != Keep::Numbers),
        ];
        let takes = match self.ask {
            Ask::Time => &TIME[..],
            Ask::Compare => &COMPARE[..],
            _ => {
                let own = given.iter().skip(4).map(|(key, _)| *key);
                return self.refuse(&given, &own.collect::<Vec<_>>());
            }
        };
        self.refuse(&given, takes)
    }

    /// Refuses the first of these keys that is given and not taken.
    fn refuse(&self, given: &[(&str, bool)], takes: &[&str]) -> Result<()> {
        let refused = |(key, given): &&(&str, bool)| *given && !takes.contains(key);
        let Some((key, _)) = given.iter().find(refused) else {
            return Ok(());
        };
        let all: Vec<String> = takes.iter().map(|key| format!("--{key}")).collect();
        let kind = match self.ask {
            Ask::Solve => "solve",
            Ask::Rate => "rate",
            Ask::Bound => "bound",
            Ask::Time => "time",
            Ask::Compare => "compare",
        };
        Err(usage(format!(
            "{kind} takes no --{key}; beside collective, roles and limits it takes {}",
            all.join(", ")
        )))
    }

    /// Reads the platform, with its changes.
    ///
    /// # Errors
    /// Those of [`Reading::read`].
    pub fn read_platform(&self, hear: Hearer<'_>) -> Result<Platform> {
        let reading = self.reading();
        Ok(reading.read(&self.platform, &self.changes, hear)?.platform)
    }

    /// [`read_platform`](Self::read_platform) with latencies. A kind of links without a stated latency has an assumed
    /// one.
    ///
    /// # Errors
    /// Those of [`Reading::read`].
    pub fn read_platform_for_times(&self, hear: Hearer<'_>) -> Result<(Platform, KnownLatencies)> {
        let reading = self.reading();
        let (imported, latencies) = reading.read_for_times(&self.platform, &self.changes, hear)?;
        Ok((imported.platform, latencies))
    }

    /// How the platform is read, with the question's own port model.
    pub fn reading(&self) -> Reading {
        Reading {
            model: self.model.clone().or_else(|| self.read.model.clone()),
            ..self.read.clone()
        }
    }

    /// The options of the search, without a watch.
    ///
    /// # Errors
    /// A text that is no period, no loss or no number of instances; a question for times or a comparison.
    pub fn options(&self) -> Result<Options> {
        Ok(Options {
            goal: match self.ask {
                Ask::Solve => Goal::Schedule,
                Ask::Rate => Goal::Rate,
                Ask::Bound => Goal::Bound,
                Ask::Time | Ask::Compare => {
                    return Err(usage(
                        "--ask: time and compare have rows and no schedule; ask for solve, rate or bound",
                    ));
                }
            },
            formulation: match self.formulation {
                Program::Columns => Formulation::Columns,
                Program::Compact => Formulation::Compact,
            },
            period: self.form_of_period()?,
            whole_messages: self.whole_messages,
            ..Options::default()
        })
    }

    /// The limits of the search.
    ///
    /// # Errors
    /// A limit that is no time, or no number of bytes.
    pub fn limits(&self) -> Result<Limits> {
        Limits::read(self.time_limit.as_deref(), self.memory_limit.as_deref())
    }

    /// The watch over the limits, from now on.
    ///
    /// # Errors
    /// Those of [`limits`](Self::limits).
    pub fn watch(
        &self,
        stop: impl Fn() -> Option<(Limit, Duration)> + Send + Sync + 'static,
    ) -> Result<Watch> {
        Ok(self.limits()?.starting_now(stop))
    }

    /// The requested kind of periodic schedule.
    fn form_of_period(&self) -> Result<Period> {
        if let Some(period) = &self.period {
            return Ok(Period::Fixed(length(period)?));
        }
        if self.exact_period {
            return Ok(Period::Exact);
        }
        let instances = self.max_instances.as_deref().map(most).transpose()?;
        let loss = self.max_loss.as_deref().map(loss).transpose()?;
        Ok(match (loss, instances) {
            (None, None) => Period::Short,
            (None, Some(instances)) => Period::AtMost(instances),
            (Some(most), instances) => Period::Losing {
                most,
                instances: instances.unwrap_or(DEFAULT_MAX_INSTANCES),
            },
        })
    }
}

/// A share of the throughput, as a number or a percentage.
fn loss(text: &str) -> Result<Rational> {
    let wrong = |what: &dyn std::fmt::Display| {
        usage(format!(
            "--max-loss: {what}; give a share such as 1%, 0.01 or 1/100"
        ))
    };
    let (number, parts) = text
        .trim_end()
        .strip_suffix('%')
        .map_or((text, 1), |number| (number.trim_end(), 100));
    let value = parse_rational(number).map_err(|error| wrong(&error))? / whole(parts);
    let share = whole(0)..whole(1);
    if share.contains(&value) {
        Ok(value)
    } else {
        Err(wrong(&format!(
            "'{text}' is not from 0 up to but not including 1"
        )))
    }
}

/// A question.
const EXAMPLE: &str = "{\"platform\": \"cluster.toml\", \"collective\": \"all-reduce\"}";

/// The sentence that a text is no JSON.
fn no_json(text: &str, error: &Error) -> String {
    let column = error.column();
    if error.is_eof() {
        return format!(
            "this is no JSON: the text ends after column {column} in the middle of a value; close each brace, bracket and \
             quotation mark"
        );
    }
    let more = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if more.take(2).filter_map(Result::ok).count() == 2 {
        if text.trim().contains('\r') {
            return "a carriage return alone ends no line; end each line with a line feed"
                .to_string();
        }
        return format!(
            "a second JSON value begins at column {column}; write one object on a line"
        );
    }
    let sentence = error.to_string();
    if sentence.starts_with("recursion limit") {
        return "this is nested too deep: at most 127 objects and lists may hold each other"
            .to_string();
    }
    let fault = sentence.split(" at line ").next().unwrap_or_default();
    format!(
        "this is no JSON: {fault} at column {column}; a question is an object on one line, such as {EXAMPLE}"
    )
}

/// Refuses an object that has a key twice, at any depth.
fn refuse_doubled(text: &str) -> Result<()> {
    let source = Text {
        name: "question",
        text,
    };
    let checked = Json::parse(source).and_then(|value| each_key_once(&value));
    checked.map_err(|error| {
        let path = error.location.key.as_ref();
        let path = path.map_or_else(String::new, |path| format!("\"{path}\": "));
        usage(format!("{path}{}", error.mistake))
    })
}

fn each_key_once(value: &Json<'_, '_>) -> std::result::Result<(), FormatError> {
    match value.opening() {
        Some(b'{') => {
            let mut keys = BTreeSet::new();
            value.entries(|key, own| {
                if !keys.insert(key.clone()) {
                    return Err(value.fail(Mistake::DuplicateKey(key.into_owned())));
                }
                each_key_once(&own)
            })
        }
        Some(b'[') => value.each(|_, own| each_key_once(&own)),
        _ => Ok(()),
    }
}

/// The error that names the key that is wrong. `error` is about all keys together.
fn mistake(keys: Map<String, Value>, error: &Error) -> QuestionError {
    for (key, value) in keys {
        if let Some(sentence) = unknown(&key, &KEYS) {
            return usage(sentence);
        }
        let mut values = value
            .as_object()
            .filter(|_| key == "read")
            .into_iter()
            .flatten();
        if let Some(wrong) = values.find_map(|(key, value)| wrong_reading(key, value)) {
            return usage(format!("--read: {wrong}"));
        }
        let alone = Value::Object([(key.clone(), value.clone())].into_iter().collect());
        if let Err(error) = Question::deserialize(alone) {
            let sentence = sentence(&key, &value, &error);
            // The sentence about a shape names its parameter.
            if value.get("generate").is_some() {
                return usage(sentence);
            }
            return usage(format!("{}: {sentence}", option(&key)));
        }
    }
    usage(error.to_string())
}

/// The sentence about a key of `read`. `None` if it is right.
fn wrong_reading(key: &str, value: &Value) -> Option<String> {
    if let Some(sentence) = unknown(key, &READING_KEYS) {
        return Some(sentence);
    }
    let alone = Value::Object([(key.to_string(), value.clone())].into_iter().collect());
    let error = Reading::deserialize(alone).err()?;
    Some(format!("{}: {}", option(key), sentence(key, value, &error)))
}

/// The sentence about a value. A sentence of our own has neither `invalid` nor `unknown` at its beginning.
fn sentence(key: &str, value: &Value, error: &Error) -> String {
    let text = error.to_string();
    if !text.starts_with("invalid ") && !text.starts_with("unknown ") {
        return text;
    }
    let shown: String = value.to_string().chars().take(60).collect();
    format!("{shown} does not fit; give {}", values_of(key))
}

/// The sentence that there is no such key.
fn unknown(key: &str, known: &[&str]) -> Option<String> {
    if known.contains(&key) {
        return None;
    }
    let shown: String = key.chars().take(60).flat_map(char::escape_debug).collect();
    Some(match files::closest(key, known.iter().copied()) {
        Some(close) => format!("there is no key \"{shown}\"; did you mean \"{close}\"?"),
        None => format!(
            "there is no key \"{shown}\"; the keys are {}",
            known.join(", ")
        ),
    })
}

/// How the platform is read: an object.
fn reading<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Reading, D::Error> {
    match Value::deserialize(from)? {
        value @ Value::Object(_) => serde_json::from_value(value).map_err(D::Error::custom),
        _ => Err(D::Error::custom(
            "give an object, such as {\"link_bandwidth\": {\"nvlink\": 25}}",
        )),
    }
}

impl<'de> Deserialize<'de> for Demands {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(path) => Ok(Demands::File(path.into())),
            value @ (Value::Object(_) | Value::Array(_)) => Ok(Demands::Inline(value)),
            _ => Err(D::Error::custom(
                "give the path of a file of demands, or its content",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let wrong = || {
            D::Error::custom(
                "a group is a list of names, \"A,B,C@RATE\", or {\"nodes\": [...], \"rate\": 2}",
            )
        };
        match Value::deserialize(from)? {
            Value::String(text) => Ok(Group::Text(text)),
            Value::Array(list) => Ok(Group::Listed(names(list).ok_or_else(wrong)?, 1)),
            Value::Object(mut keys) => {
                let rate = keys.remove("rate").map_or(Some(1), |rate| rate.as_u64());
                let nodes = match keys.remove("nodes") {
                    Some(Value::Array(list)) => names(list),
                    _ => None,
                };
                match (nodes, rate.filter(|&rate| rate > 0)) {
                    (Some(nodes), Some(rate)) if keys.is_empty() => Ok(Group::Listed(nodes, rate)),
                    _ => Err(wrong()),
                }
            }
            _ => Err(wrong()),
        }
    }
}
