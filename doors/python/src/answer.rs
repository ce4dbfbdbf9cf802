//! Answers.

use std::sync::Arc;

use num_bigint::BigUint;
use oneport::files;
use oneport::plan::{PeriodicSchedule, State, SteadyState, Task};
use oneport::referee::{self, Answer};
use oneport::watch::Watch;
use oneport::{
    Bandwidth, Goal, Options, Plan, Platform, Problem, Rational, Solved, Status, explain,
};
use oneport_drawings::svg;
use oneport_exports::{Pieces, Request};
use oneport_questions::what_if::{self, ChangeRow};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::errors::{of_fault, of_question, value};
use crate::platform::PyPlatform;
use crate::waiting::{self, Limits};

/// An answer that the referee has judged.
#[pyclass(name = "Answer", module = "pyoneport._core", frozen, eq)]
pub(crate) struct PyAnswer {
    inner: Arc<Held>,
}

/// The answer and the facts of the search.
struct Held {
    platform: Arc<Platform>,
    answer: Answer,
    facts: Facts,
}

/// The facts of the search.
#[derive(Clone, PartialEq)]
pub(crate) struct Facts {
    /// The limit that ended the search.
    pub(crate) ended_by: Option<String>,
    /// The reason why no schedule is listed.
    pub(crate) unlisted: Option<String>,
}

impl Facts {
    /// The facts of a search.
    pub(crate) fn of(solved: &Solved) -> Facts {
        Facts {
            ended_by: solved
                .ended_by
                .map(|limit| crate::errors::limit(limit).to_string()),
            unlisted: solved.unwritten.map(|unwritten| unwritten.to_string()),
        }
    }
}

/// Answers are equal if question, proof, patterns and schedule are.
impl PartialEq for PyAnswer {
    fn eq(&self, other: &PyAnswer) -> bool {
        let (one, other) = (&self.inner, &other.inner);
        let (own, others) = (&one.answer, &other.answer);
        are_alike(own.problem(), others.problem())
            && own.certificate() == others.certificate()
            && own.throughput() == others.throughput()
            && own.patterns() == others.patterns()
            && own.schedule() == others.schedule()
            && one.facts == other.facts
    }
}

/// Whether questions are the same; the work of merges counts if the collective has merges, as in a plan file.
fn are_alike(one: &Problem, other: &Problem) -> bool {
    let (volumes, others) = (one.volumes(), other.volumes());
    one.platform() == other.platform()
        && one.collective() == other.collective()
        && volumes.size == others.size
        && (volumes.work == others.work || !one.collective().combines())
}

/// Kind, first node, second node of a send, first and last operand, split of a merge.
type Step<'p> = (
    &'static str,
    &'p str,
    Option<&'p str>,
    usize,
    usize,
    Option<usize>,
);
/// Demand, weight, tasks.
type Pattern<'p> = (usize, &'p Rational, Vec<Step<'p>>);
/// Length, and the links with the part of it that each is busy.
type Slot<'p> = (&'p Rational, Vec<(&'p str, &'p str, Rational)>);
/// Class or classes, number of members, trial, bounds on the throughput over that before, the speed-up that gains as
/// much as doubling, throughput, and its bound.
type Trial = (
    String,
    usize,
    &'static str,
    [Option<Rational>; 2],
    Option<Rational>,
    [Option<Rational>; 2],
);
/// Suffix and content of every file, and notes.
type Exported = (Vec<(String, Vec<u8>)>, Vec<String>);
/// Name, number of members, share of the price, busy share of the time.
type Limit = (String, usize, Rational, Rational);
/// Text of a plan, throughput, whether patterns and schedule are listed, ended by, unlisted.
type Pickled = (
    Vec<u8>,
    Option<Rational>,
    bool,
    bool,
    Option<String>,
    Option<String>,
);

impl PyAnswer {
    pub(crate) fn new(platform: Arc<Platform>, answer: Answer, facts: Facts) -> PyAnswer {
        let held = Held {
            platform,
            answer,
            facts,
        };
        PyAnswer {
            inner: Arc::new(held),
        }
    }

    fn problem(&self) -> &Problem {
        self.inner.answer.problem()
    }

    fn names(&self, nodes: &[oneport::NodeId]) -> Vec<&str> {
        let names = nodes.iter().map(|&node| self.inner.platform.name(node));
        names.collect()
    }
}

#[pymethods]
impl PyAnswer {
    /// The platform.
    fn platform(&self) -> PyPlatform {
        PyPlatform::of(Arc::clone(&self.inner.platform))
    }

    /// The name of the collective.
    fn collective(&self) -> &'static str {
        match self.problem().collective().name() {
            "sources-to-targets" => "all-to-all",
            name => name,
        }
    }

    /// The nodes of every role.
    fn roles(&self) -> Vec<(&'static str, Vec<&str>)> {
        let collective = self.problem().collective();
        let roles = collective.form().map_or(&[][..], |form| form.roles);
        let cast = collective.cast().into_iter();
        let roles = roles.iter().zip(cast);
        roles
            .map(|(role, nodes)| (role.key, self.names(nodes)))
            .collect()
    }

    /// The nodes that own and want nothing, and may forward.
    fn forwarding(&self) -> Vec<&str> {
        let platform = &self.inner.platform;
        let takers = self.problem().collective().nodes();
        let nodes = platform.node_ids();
        nodes
            .filter(|node| takers.binary_search(node).is_err())
            .map(|node| platform.name(node))
            .collect()
    }

    /// The busy share of the time of each resource and link, if patterns are listed.
    fn loads(&self, py: Python<'_>) -> Option<Vec<(String, Rational)>> {
        let platform = &self.inner.platform;
        let loads = py
            .detach(|| explain::loads(&self.inner.answer))?
            .into_iter();
        Some(
            loads
                .map(|(resource, busy)| (resource.describe(platform), busy))
                .collect(),
        )
    }

    /// The size of a message, if all are alike.
    fn size(&self) -> Option<&Rational> {
        self.problem().volumes().size.constant()
    }

    /// Instances per unit of time of the best schedule known.
    fn throughput(&self) -> Option<&Rational> {
        self.inner.answer.throughput()
    }

    /// No schedule has a larger throughput.
    fn bound(&self) -> &Rational {
        self.inner.answer.bound()
    }

    /// `optimal` if the throughput equals the bound.
    fn status(&self) -> Option<&'static str> {
        let throughput = self.inner.answer.throughput()?;
        Some(Status::of(throughput, self.inner.answer.bound()).name())
    }

    /// The limit that ended the search.
    fn ended_by(&self) -> Option<&str> {
        self.inner.facts.ended_by.as_deref()
    }

    /// The reason why no schedule is listed.
    fn unlisted(&self) -> Option<&str> {
        self.inner.facts.unlisted.as_deref()
    }

    /// Name, capacity and price of every row of the certificate.
    fn prices(&self) -> Vec<(String, u64, &Rational)> {
        let platform = &self.inner.platform;
        let rows = self.inner.answer.certificate().rows.iter();
        rows.map(|(row, price)| {
            let name = match row {
                oneport::plan::CapacityRow::Resource(resource) => resource.describe(platform),
                oneport::plan::CapacityRow::OddSet(set) => set.describe(platform),
            };
            (name, row.capacity(platform), price)
        })
        .collect()
    }

    /// The inequalities of the certificate as sentences, each with its share of an instance's cost.
    fn reasons(&self, py: Python<'_>) -> PyResult<Vec<(String, Rational)>> {
        let answer = &self.inner.answer;
        let why = py.detach(|| explain::why(answer.problem(), answer.certificate()));
        let reasons = why.map_err(|fault| of_fault(&fault))?.into_iter();
        Ok(reasons
            .map(|reason| (reason.sentence, reason.share))
            .collect())
    }

    /// The classes of resources that limit, then the busiest of the others.
    fn limits(&self, py: Python<'_>) -> (Vec<Limit>, Option<Limit>) {
        let platform = &self.inner.platform;
        let limits = py.detach(|| explain::limits(&self.inner.answer));
        let class = |class: explain::Class| {
            let name = class.name(platform);
            (name, class.count(), class.share, class.busy)
        };
        let limiting = limits.limiting.into_iter().map(class).collect();
        (limiting, limits.next.map(class))
    }

    /// Bytes of an operation, algorithm and bus bandwidth in GB/s, as nccl-tests count.
    fn bandwidth(&self) -> Option<(Rational, Rational, Rational)> {
        let units = self.inner.platform.units()?;
        let counted = Bandwidth::of(self.problem())?;
        let throughput = self.throughput().unwrap_or(self.bound());
        Some((
            units.bytes(&counted.size),
            units.gigabytes_per_second(&counted.algorithm(throughput)),
            units.gigabytes_per_second(&counted.bus(throughput)),
        ))
    }

    /// The weighted patterns.
    fn patterns(&self) -> Option<Vec<Pattern<'_>>> {
        let platform = &self.inner.platform;
        let step = |task: &Task| match task {
            Task::Send { link, part, .. } => {
                let link = platform.link(*link);
                let (from, to) = (platform.name(link.from), platform.name(link.to));
                ("send", from, Some(to), part.first, part.last, None)
            }
            Task::Merge {
                node, part, split, ..
            } => {
                let node = platform.name(*node);
                ("merge", node, None, part.first, part.last, Some(*split))
            }
        };
        let patterns = self.inner.answer.patterns()?.patterns.iter();
        Some(
            patterns
                .map(|one| {
                    let tasks = one.pattern.tasks.iter().map(step).collect();
                    (one.pattern.demand, &one.weight, tasks)
                })
                .collect(),
        )
    }

    /// Period, instances and slots of the schedule.
    fn schedule(&self) -> Option<(&Rational, BigUint, Vec<Slot<'_>>)> {
        let platform = &self.inner.platform;
        let schedule = self.inner.answer.schedule()?;
        let slots = schedule.slots.iter().map(|slot| {
            let links = slot.links.iter().map(|&id| {
                let link = platform.link(id);
                let share = slot.share(id).cloned();
                let share = share.unwrap_or_else(|| Rational::from_integer(1.into()));
                (platform.name(link.from), platform.name(link.to), share)
            });
            (&slot.length, links.collect())
        });
        Some((
            &schedule.period,
            schedule.instances.clone(),
            slots.collect(),
        ))
    }

    /// The plan as JSON, if a schedule is listed.
    fn text(&self, py: Python<'_>) -> Option<String> {
        let answer = &self.inner.answer;
        py.detach(|| answer.plan().map(files::plan_to_json))
    }

    /// A drawing: the platform with its loads (`graph`), the period (`gantt`), or a pattern (`tree`).
    fn svg(&self, py: Python<'_>, kind: &str, place: usize) -> Option<String> {
        let (answer, problem) = (&self.inner.answer, self.problem());
        py.detach(|| match kind {
            "graph" => {
                let certificate = Some(answer.certificate());
                Some(svg::graph(problem, answer.patterns(), certificate))
            }
            "gantt" => Some(svg::gantt(problem, answer.schedule()?)),
            _ => {
                let one = answer.patterns()?.patterns.get(place)?;
                Some(svg::pattern(problem, &one.pattern, Some(&one.weight)))
            }
        })
    }

    /// The files of another program's format, each with the suffix of its name, and notes.
    fn export(
        &self,
        py: Python<'_>,
        to: &str,
        options: (Option<u64>, Option<u64>, Option<u64>, Option<bool>),
    ) -> PyResult<Exported> {
        let format = oneport_exports::format(to).map_err(value)?;
        let answer = &self.inner.answer;
        let schedule = answer
            .schedule()
            .ok_or_else(|| value("the answer has no schedule; solve with goal='schedule'"))?;
        let (bytes, pieces, periods, in_place) = options;
        let request = Request {
            bytes,
            pieces: pieces.map_or(Pieces::Fitting, Pieces::Number),
            periods,
            in_place,
            ..Request::new(answer.problem(), schedule)
        };
        let written = py.detach(|| format.write(&request)).map_err(value)?;
        let files = written.files.into_iter();
        Ok((
            files.map(|file| (file.suffix, file.bytes)).collect(),
            written.notes,
        ))
    }

    /// Reads a plan; the referee checks it.
    #[staticmethod]
    fn from_plan(py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<PyAnswer> {
        let (claim, stated) = py
            .detach(|| files::plan_from_json(name, bytes))
            .map_err(value)?;
        let checked = move |watch: Watch| referee::verify(claim, &stated, &watch);
        let answer =
            waiting::run(py, Limits::default(), checked)?.map_err(|fault| of_fault(&fault))?;
        let platform = Arc::new(answer.problem().platform().clone());
        let facts = Facts {
            ended_by: None,
            unlisted: None,
        };
        Ok(PyAnswer::new(platform, answer, facts))
    }

    /// The referee checks the answer again. If a platform is given, the answer must be for it.
    fn verify(
        &self,
        py: Python<'_>,
        platform: Option<&PyPlatform>,
        limits: (Option<String>, Option<String>),
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<PyAnswer> {
        let claim = self.inner.answer.claim().clone();
        let own = Arc::clone(&self.inner.platform);
        if let Some(platform) = platform {
            let differs = referee::check_same_platform(claim.problem.platform(), &platform.inner);
            differs.map_err(|fault| of_fault(&fault))?;
        }
        let search = oneport_questions::Limits::read(limits.0.as_deref(), limits.1.as_deref());
        let limits = Limits {
            search: search.map_err(|error| of_question(&error))?,
            threads,
            callback,
        };
        let checked = waiting::run(py, limits, move |watch| referee::judge(claim, &watch))?;
        let answer = checked.map_err(|fault| of_fault(&fault))?;
        Ok(PyAnswer::new(own, answer, self.inner.facts.clone()))
    }

    /// Every class of links, ports and processors, made twice as fast, half as fast, and removed.
    fn each(
        &self,
        py: Python<'_>,
        limits: (Option<String>, Option<String>),
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Trial>> {
        let search = oneport_questions::Limits::read(limits.0.as_deref(), limits.1.as_deref());
        let limits = Limits {
            search: search.map_err(|error| of_question(&error))?,
            threads,
            callback,
        };
        let base = Arc::new(self.inner.answer.clone());
        let found = waiting::run(py, limits, move |watch| {
            let options = Options::of(Goal::Rate).watched(watch);
            what_if::each_class(&base, &options, &mut |_| {})
        })?;
        let found = found.map_err(|error| of_question(&error))?;
        let row = |row: ChangeRow| {
            let members = row.change.as_ref().map_or(0, |(class, _)| class.members);
            let trial = row
                .change
                .map_or("doubled together", |(_, trial)| trial.name());
            let shares = row.share.map_or([None, None], |both| both.map(Some));
            let enough = row.enough.map(|enough| enough.factor);
            let numbers = [row.throughput, row.upper_bound];
            (row.name, members, trial, shares, enough, numbers)
        };
        let rows = found.rows.into_iter().chain(found.together);
        Ok(rows.map(row).collect())
    }

    /// The answer of a pickle, proved anew. A state that is too large to be listed is not in a pickle: of such an
    /// answer the bound remains, and no throughput.
    #[staticmethod]
    fn unpickled(py: Python<'_>, pickled: &Bound<'_, PyTuple>) -> PyResult<PyAnswer> {
        let (text, throughput, has_patterns, has_schedule, ended_by, unlisted): Pickled =
            pickled.extract()?;
        let (mut claim, _) = py
            .detach(|| files::plan_from_json("pickle", &text))
            .map_err(value)?;
        if !has_patterns {
            claim.state = None;
        }
        if !has_schedule {
            claim.schedule = None;
        }
        let judged = move |watch: Watch| referee::judge(claim, &watch);
        let answer = waiting::run(py, Limits::default(), judged)?;
        let answer = answer.map_err(|fault| of_fault(&fault))?;
        if has_patterns && answer.throughput() != throughput.as_ref() {
            return Err(value(format!(
                "the pickle states the throughput {}, but its patterns have {}",
                throughput.map_or("none".to_string(), |stated| stated.to_string()),
                answer
                    .throughput()
                    .map_or("none".to_string(), |found| found.to_string())
            )));
        }
        let held = Held {
            platform: Arc::new(answer.problem().platform().clone()),
            answer,
            facts: Facts { ended_by, unlisted },
        };
        Ok(PyAnswer {
            inner: Arc::new(held),
        })
    }

    /// A plan file, with nothing for parts that are not listed.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, held) = (slf.py(), &slf.get().inner);
        let text = py.detach(|| pickled(&held.answer));
        let state = (
            PyBytes::new(py, text.as_bytes()),
            held.answer.throughput(),
            held.answer.patterns().is_some(),
            held.answer.schedule().is_some(),
            held.facts.ended_by.as_deref(),
            held.facts.unlisted.as_deref(),
        );
        let make = slf.get_type().getattr("unpickled")?;
        (make, (state,)).into_pyobject(py)
    }
}

/// The answer as a plan file, whose missing parts are empty.
fn pickled(answer: &Answer) -> String {
    if let Some(plan) = answer.plan() {
        return files::plan_to_json(plan);
    }
    let mut claim = answer.claim().clone();
    if answer.patterns().is_none() {
        claim.state = Some(State::Listed(SteadyState {
            throughput: answer.throughput().cloned().unwrap_or_default(),
            patterns: Vec::new(),
        }));
    }
    claim.schedule.get_or_insert_with(|| PeriodicSchedule {
        period: Rational::from_integer(1.into()),
        instances: 1u32.into(),
        patterns: Vec::new(),
        slots: Vec::new(),
    });
    let plan = Plan::of(&claim, answer.bound(), answer.status());
    plan.map_or_else(String::new, files::plan_to_json)
}
