//! A question on its platform: collective, participants, sizes, work.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use num_traits::Signed;
use oneport::plan::{Form, Member, Role};
use oneport::platform::{Pattern, names, parts};
use oneport::{
    Amount, Bandwidth, Collective, NodeId, Platform, Problem, ProblemError, Units, Volumes, files,
    parse_rational,
};

use crate::counts;
use crate::error::{QuestionError, Result, unfit, untaken, usage};
use crate::idle::LeftOut;
use crate::platform::{Hearer, deaf};
use crate::question::{Demands, Group, Program, Question};
use crate::text::Nodes;
use crate::words::few;

/// The collective's name for custom demands.
pub const CUSTOM: &str = "custom";

/// The name of an all-to-all, and its name with separate sources and targets.
const ALL_TO_ALL: (&str, &str) = ("all-to-all", "sources-to-targets");

/// The name of a collective on the command line.
pub fn asked_as(name: &'static str) -> &'static str {
    if name == ALL_TO_ALL.1 {
        ALL_TO_ALL.0
    } else {
        name
    }
}

/// The collective's name on the command line; with several groups, the name of the first group's collective.
pub fn label(collective: &Collective) -> &'static str {
    asked_as(
        collective
            .members()
            .first()
            .map_or(collective.name(), |member| member.collective.name()),
    )
}

/// The collectives that can be solved.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    let all = Collective::forms().iter().copied();
    all.filter(|form| form.name == asked_as(form.name))
}

/// The name of a collective that is called so, as libraries write it, or [`CUSTOM`].
pub fn called(text: &str) -> Option<&'static str> {
    let named = Form::called(text).map(|form| form.name);
    named
        .filter(|name| *name == asked_as(name))
        .or_else(|| (text == CUSTOM).then_some(CUSTOM))
}

/// The error about a text that names no collective.
pub fn no_collective(text: &str) -> QuestionError {
    let names = || forms().map(|form| form.name).chain([CUSTOM]);
    let list = names().collect::<Vec<_>>().join(", ");
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.is_empty() {
        return usage(format!(
            "the collective is missing; the collectives are {list}"
        ));
    }
    usage(match files::closest(text, names()) {
        Some(close) => format!(
            "there is no collective '{shown}'; did you mean '{close}'? The collectives are {list}"
        ),
        None => format!("there is no collective '{shown}'; the collectives are {list}"),
    })
}

impl Question {
    /// The question on its platform, without the processors that are left out.
    ///
    /// # Errors
    /// A platform that cannot be read, names that it does not have, values that do not fit the collective.
    pub fn asked(&self, hear: Hearer<'_>) -> Result<Asked> {
        let question = self.as_solved()?;
        Asked::read(self.read_platform(hear)?, &question)
    }

    /// The question as its formulation answers it.
    pub(crate) fn as_solved(&self) -> Result<Cow<'_, Question>> {
        Ok(match self.formulation {
            Program::Columns => Cow::Borrowed(self),
            Program::Compact => Cow::Owned(self.keeping_order()?),
        })
    }

    /// The problem.
    ///
    /// # Errors
    /// Those of [`asked`](Self::asked). Messages that cannot arrive.
    pub fn problem(&self) -> Result<Problem> {
        self.asked(&deaf)?.problem()
    }

    /// The collective's name.
    ///
    /// # Errors
    /// There is no such collective.
    pub fn name(&self) -> Result<&'static str> {
        called(&self.collective).ok_or_else(|| no_collective(&self.collective))
    }

    /// The size of each message. 1 if it is absent.
    fn size(&self) -> &str {
        self.size.as_deref().unwrap_or("1")
    }

    /// Whether operands may be combined in any order. They may unless --in-order or data that need an order are given:
    /// a table of sizes or of work by interval, or one of these nodes without compute.
    fn any_order<'n>(
        &self,
        platform: &Platform,
        mut nodes: impl Iterator<Item = &'n NodeId>,
    ) -> bool {
        let is_table =
            |amount: Option<Amount>| matches!(amount, Some(Amount::Table(_) | Amount::Tasks(_)));
        let size = || files::read_amount(Path::new(self.size().strip_prefix('@')?)).ok();
        let work = || {
            let path = self.work.as_deref()?.strip_prefix('@')?;
            files::read_work(Path::new(path), platform).ok()
        };
        let needs_order = is_table(size())
            || is_table(work())
            || nodes.any(|&node| !platform.node(node).is_processor());
        self.commutative.unwrap_or(!needs_order)
    }

    /// Changes the question for a method that keeps the order of operands, unless the question states that they
    /// commute.
    ///
    /// # Errors
    /// Those of [`name`](Self::name).
    pub fn keeping_order(&self) -> Result<Question> {
        let keeps = Form::find(self.name()?).is_some_and(Form::may_keep_order);
        Ok(Question {
            commutative: self.commutative.or(keeps.then_some(false)),
            ..self.clone()
        })
    }

    /// Whether the size of the operation is given: then the time of one operation is computed too.
    pub fn is_sized(&self) -> bool {
        self.bytes.is_some() || self.size() != "1"
    }
}

/// The options that a named collective takes.
fn options_of(form: &Form) -> Vec<String> {
    let roles = form.roles.iter().map(|role| format!("--{}", role.key));
    let work = form.combines.then(|| "--work".to_string());
    let order = form.may_keep_order().then(|| "--in-order".to_string());
    let counts = form.counted.then(|| "--counts".to_string());
    roles.chain(work).chain(order).chain(counts).collect()
}

/// Whether a collective has one root, and receivers beside it: then --participants may name all of them.
fn spreads(form: &Form) -> bool {
    form.roles.first().is_some_and(|role| !role.many)
        && form.roles.iter().all(|role| role.key != "participants")
}

/// The text of a role's option. `None` if it was not given.
fn one<'a>(question: &'a Question, role: &Role) -> Option<&'a str> {
    let own = match role.key {
        "source" => &question.source,
        _ => &question.target,
    };
    question.root.as_deref().or(own.as_deref())
}

/// The nodes of a role's option. `None` if it was not given.
fn several<'a>(question: &'a Question, role: &Role) -> Option<&'a Nodes> {
    match role.key {
        "sources" => question.sources.as_ref(),
        "targets" => question.targets.as_ref(),
        _ => question.participants.as_ref(),
    }
}

/// The requested collective. An error, if an option is given that it does not take.
pub fn collective(platform: &Platform, question: &Question) -> Result<Collective> {
    let apart = question.sources.is_some() || question.targets.is_some();
    let name = question.name()?;
    let name = if apart && name == ALL_TO_ALL.0 {
        ALL_TO_ALL.1
    } else {
        name
    };
    let Some(form) = Form::find(name) else {
        return custom(platform, question);
    };
    let takes = options_of(form);
    refuse_others(question, asked_as(form.name), &takes)?;
    if !question.groups.is_empty() {
        return groups(platform, question, form);
    }
    let mut nodes: Vec<Vec<NodeId>> = Vec::with_capacity(form.roles.len());
    for role in form.roles {
        let option = format!("--{}", role.key);
        nodes.push(if role.many {
            // If nothing is combined, the owner of the messages (or their receiver) sends no message to itself.
            let rooted = form.roles.first().is_some_and(|role| !role.many);
            let except = nodes.first().and_then(|nodes| nodes.first()).copied();
            let except = except.filter(|_| rooted && !form.overlaps());
            match (several(question, role), &question.participants) {
                (None, Some(all)) if spreads(form) => {
                    let all = all_of(platform, Some(all), "--participants", except)?;
                    all.into_iter().filter(|&one| Some(one) != except).collect()
                }
                (given, _) => all_of(platform, given, &option, except)?,
            }
        } else {
            let missing = || {
                usage(format!(
                    "{} needs {option} NODE, one of {}",
                    form.name,
                    some(platform)
                ))
            };
            let name = one(question, role).ok_or_else(missing)?;
            vec![node(platform, name, &option)?]
        });
    }
    let missing = || usage(format!("{} needs {}", form.name, takes.join(", ")));
    let any_order = question.any_order(platform, nodes.iter().flatten());
    let built = form.build(&nodes, any_order).ok_or_else(missing)?;
    if form.counted {
        counts::counted(platform, built, question.counts.as_deref())
    } else {
        Ok(built)
    }
}

/// Rejects options that the collective does not take.
fn refuse_others(question: &Question, label: &str, takes: &[String]) -> Result<()> {
    let form = Form::find(label);

    let may_list = form.is_some_and(spreads) && question.targets.is_none();
    let has_root = form.is_some_and(|form| form.roles.iter().any(|role| !role.many));
    let may_commute = form.is_some_and(Form::commutes);
    let is_ordered = form.is_some_and(|form| form.combines && !form.commutes());
    let given = [
        ("--root", question.root.is_some() && !has_root),
        ("--source", question.source.is_some()),
        ("--sources", question.sources.is_some()),
        ("--targets", question.targets.is_some()),
        ("--target", question.target.is_some()),
        (
            "--participants",
            question.participants.is_some() && !may_list,
        ),
        // `--work 0` is accepted everywhere: scripts pass it to all collectives.
        (
            "--work",
            question.work.as_ref().is_some_and(|work| work != "0"),
        ),
        // An option that confirms a fact is accepted: tokens are combined in any order, prefixes in their order.
        (
            "--commutative",
            question.commutative == Some(true) && !may_commute,
        ),
        (
            "--in-order",
            question.commutative == Some(false) && !is_ordered,
        ),
        ("--counts", question.counts.is_some()),
        ("--demands", question.demands.is_some()),
    ];
    match given
        .iter()
        .find(|(option, given)| *given && !takes.iter().any(|taken| taken == option))
    {
        Some((option, _)) => Err(untaken(format!(
            "{label} takes no {option}; it takes {}",
            takes.join(", ")
        ))),
        None => Ok(()),
    }
}

/// The demands of a file.
fn custom(platform: &Platform, question: &Question) -> Result<Collective> {
    refuse_others(
        question,
        CUSTOM,
        &["--demands".to_string(), "--work".to_string()],
    )?;
    if !question.groups.is_empty() {
        return Err(untaken(
            "custom takes no --group; list the demands of all groups in the file",
        ));
    }
    let missing = || {
        usage(
            "custom needs --demands FILE: JSON or TOML with a list of values and where they are wanted",
        )
    };
    Ok(match question.demands.as_ref().ok_or_else(missing)? {
        Demands::File(path) => files::read_demands_file(path, platform)?,
        Demands::Inline(content) => {
            let content = content.to_string();
            files::parse_demands("demands", content.as_bytes(), false, platform)?
        }
    })
}

/// Process groups: `A,B,C` or `A,B,C@RATE`. The first node of a rooted collective is its source or target.
fn groups(platform: &Platform, question: &Question, form: &'static Form) -> Result<Collective> {
    let one = [&question.source, &question.root, &question.target];
    let several = [&question.sources, &question.targets, &question.participants];
    if one.into_iter().any(Option::is_some) || several.into_iter().any(Option::is_some) {
        return Err(usage(
            "--group lists a group's members itself; leave out --root, --source, --sources, --targets, --target, --participants",
        ));
    }
    if form.counted {
        return Err(untaken(format!(
            "{} takes no --group; list the demands with their rates in a file of demands",
            form.name
        )));
    }
    let rooted = form.roles.iter().any(|role| !role.many);
    let member = |group: &Group| {
        let (group, listed, rate) = match group {
            Group::Text(text) => {
                let (list, rate) = often(platform, text)?;
                (
                    text.clone(),
                    listed(platform, Some(list), "--group", None)?,
                    rate,
                )
            }
            Group::Listed(names, rate) => {
                let listed = named(platform, names, "--group", None)?;
                (names.join(","), listed, *rate)
            }
        };
        let nodes = match listed.split_first() {
            // The target of a reduction owns a value, too.
            Some((&centre, others)) if rooted => {
                vec![
                    vec![centre],
                    if form.overlaps() {
                        listed.clone()
                    } else {
                        others.to_vec()
                    },
                ]
            }
            _ => vec![listed],
        };
        let any_order = question.any_order(platform, nodes.iter().flatten());
        let built = form.build(&nodes, any_order);
        let collective = built.ok_or_else(|| {
            usage(format!(
                "--group {group}: {} needs a node to start from",
                form.name
            ))
        })?;
        Ok(Member { collective, rate })
    };
    Ok(Collective::Groups(
        question.groups.iter().map(member).collect::<Result<_>>()?,
    ))
}

/// The members of `A,B,C` or `A,B,C@RATE`, and the rate.
fn often<'g>(platform: &Platform, group: &'g str) -> Result<(&'g str, u64)> {
    let Some((list, rate)) = group
        .rsplit_once('@')
        .filter(|_| platform.find(group).is_none())
    else {
        return Ok((group, 1));
    };
    let wrong = || {
        usage(format!(
            "--group {group}: '{rate}' is not a rate: give a whole number from 1 to 2^64 - 1, as in A,B,C@2 for twice as often"
        ))
    };
    let read = rate.parse::<u64>().ok().filter(|&rate| rate > 0);
    Ok((list, read.ok_or_else(wrong)?))
}

/// Parses size and work: a number, a number with a unit, `A+Bn` or `@FILE`. If `bytes` is given, it is the size of the
/// whole operation.
pub fn volumes_of(
    platform: &Platform,
    collective: &Collective,
    question: &Question,
    bytes: Option<&str>,
) -> Result<Volumes> {
    let units = platform.units();
    let file = |text: &str| {
        text.strip_prefix('@')
            .map(|path| files::read_amount(Path::new(path)))
    };
    let work_file = |text: &str| {
        text.strip_prefix('@')
            .map(|path| files::read_work(Path::new(path), platform))
    };
    let size = match (bytes, file(question.size())) {
        (Some(bytes), _) => message(platform, collective, bytes)?,
        (None, Some(amount)) => amount?,
        (None, None) => {
            let given = question.size();
            // One unit of data is a gigabyte on most platforms with units.
            let token = given == "1" && units.is_some() && collective.is(Form::BARRIER);
            parsed("--size", given, if token { "8 B" } else { given }, units)?
        }
    };
    let Some(text) = question.work.as_deref() else {
        return Ok(Volumes::of_message(platform, size));
    };
    let work = match work_file(text) {
        Some(amount) => amount?,
        None => files::parse_work(text, units, &size)
            .map_err(|error| usage(format!("--work: {error}")))?,
    };
    Ok(Volumes { size, work })
}

/// Parses a positive size. Errors quote it as `given`.
fn parsed(option: &str, given: &str, text: &str, units: Option<Units>) -> Result<Amount> {
    let size =
        files::parse_size(text, units).map_err(|error| usage(format!("{option}: {error}")))?;
    if size.constant().is_some_and(|size| !size.is_positive()) {
        return Err(usage(format!(
            "{option}: '{given}' is not positive; a message needs a positive size"
        )));
    }
    Ok(size)
}

/// The size of a message, from the size of the whole operation.
fn message(platform: &Platform, collective: &Collective, bytes: &str) -> Result<Amount> {
    let plain = parse_rational(bytes).is_ok() && platform.units().is_some();
    let text = if plain {
        format!("{bytes} B")
    } else {
        bytes.to_string()
    };
    let size = parsed("--bytes", bytes, &text, platform.units())?;
    let bandwidth = Bandwidth::of(&Problem::new(platform, collective, Volumes::default())?);
    match (size.constant(), bandwidth) {
        (Some(size), Some(bandwidth)) => Ok(Amount::Constant(bandwidth.message(size))),
        (None, _) => Err(usage(format!(
            "--bytes: '{bytes}' is not one size; give sizes that grow by --size"
        ))),
        (_, None) => Err(usage(format!(
            "--bytes: no benchmark counts the bytes of {}; give the size of a message by --size",
            collective.name()
        ))),
    }
}

/// The platform without processors that take no part, as far as they are left out, and the collective on it.
pub fn taking_part(
    platform: Platform,
    question: &Question,
) -> Result<(Platform, Collective, LeftOut)> {
    let asked = collective(&platform, question)?;
    let left_out = LeftOut::of(&platform, &asked.nodes(), question.idle);
    if left_out.nodes.is_empty() {
        return Ok((platform, asked, left_out));
    }
    let rest = platform.changed(&left_out.changes())?.platform;
    let asked = collective(&rest, question)?;
    Ok((rest, asked, left_out))
}

/// A question with its platform.
pub struct Asked {
    /// The platform, without the processors that are left out.
    pub platform: Arc<Platform>,
    /// The collective.
    pub collective: Arc<Collective>,
    volumes: Arc<Volumes>,
    /// The processors that are left out.
    pub left_out: LeftOut,
}

impl Asked {
    /// Reads the names of the question on this platform.
    pub fn read(platform: Platform, question: &Question) -> Result<Asked> {
        let (platform, collective, left_out) = taking_part(platform, question)?;
        let volumes = volumes_of(&platform, &collective, question, question.bytes.as_deref())?;
        Ok(Asked {
            platform: platform.into(),
            collective: collective.into(),
            volumes: volumes.into(),
            left_out,
        })
    }

    /// The problem.
    ///
    /// # Errors
    /// Those of [`problem`].
    pub fn problem(&self) -> Result<Problem> {
        problem(
            self.platform.clone(),
            self.collective.clone(),
            self.volumes.clone(),
        )
    }
}

/// The problem. A usage error, if the volumes do not fit the collective.
pub fn problem(
    platform: impl Into<Arc<Platform>>,
    collective: impl Into<Arc<Collective>>,
    volumes: impl Into<Arc<Volumes>>,
) -> Result<Problem> {
    Problem::new(platform, collective, volumes).map_err(|error| match error {
        ProblemError::Volume(error) => {
            let option = if error.is_of_work() {
                "--work"
            } else {
                "--size"
            };
            usage(format!("{option}: {error}"))
        }
        // Under the name that was typed.
        ProblemError::Collective(error) if error.to_string().contains(ALL_TO_ALL.1) => {
            unfit(error.to_string().replace(ALL_TO_ALL.1, ALL_TO_ALL.0))
        }
        error => error.into(),
    })
}

/// The first few processors, for error messages.
fn some(platform: &Platform) -> String {
    const SHOWN: usize = 8;
    let quoted = |id| format!("'{}'", platform.name(id));
    let everyone = platform.participants();
    if everyone.is_empty() {
        return "none (all are switches)".to_string();
    }
    few(everyone.into_iter().map(quoted), SHOWN, ", ...")
}

/// The node of this name, or the only one of this pattern.
pub fn node(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    if let Some(node) = platform.find(name) {
        return Ok(node);
    }
    let pattern = Pattern::parse(name).ok();
    let found = pattern.and_then(|pattern| pattern.participants(platform).ok());
    let found = found.filter(|found| !found.is_empty());
    match found.or_else(|| in_capitals(platform, name)).as_deref() {
        Some(&[only]) => Ok(only),
        Some(several @ [_, _, ..]) => Err(usage(format!(
            "{option}: '{name}' stands for {} nodes ({}); name one",
            several.len(),
            names::list(platform, several.iter().copied())
        ))),
        _ => unknown(platform, name, option),
    }
}

/// The accelerators of a name or pattern in capitals, such as `GPU0..3`: so nvidia-smi and its like call them.
fn in_capitals(platform: &Platform, name: &str) -> Option<Vec<NodeId>> {
    let pattern = Pattern::parse(&name.to_ascii_lowercase()).ok()?;
    let found = pattern.participants(platform).ok()?;
    let are_accelerators = found.iter().all(|&node| platform.node(node).accelerator);
    (are_accelerators && !found.is_empty()).then_some(found)
}

/// The error that there is no such node.
fn unknown(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    platform.find(name).ok_or_else(|| {
        let clipped: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        let alike = platform
            .node_ids()
            .map(|id| platform.name(id))
            .find(|known| known.eq_ignore_ascii_case(name));
        let hint = match alike {
            Some(known) => format!("did you mean '{known}'?"),
            None if platform.processors().next().is_none() => {
                format!("its nodes are {}", some(platform))
            }
            None => format!("its processors are {}", some(platform)),
        };
        unfit(format!(
            "{option}: the platform has no node '{clipped}'; {hint}"
        ))
    })
}

/// Parses a list of names and patterns. "all", a missing list and the pattern `*` are every processor but `except`.
/// Without processors they are every node except switches.
pub fn listed(
    platform: &Platform,
    list: Option<&str>,
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    match list {
        None | Some("all") => Ok(platform
            .participants()
            .into_iter()
            .filter(|&id| Some(id) != except)
            .collect()),
        // A name may contain a comma.
        Some(name) if platform.find(name).is_some() => Ok(vec![node(platform, name, option)?]),
        Some(list) if parts(list).any(|name| name.trim().is_empty()) => Err(usage(format!(
            "{option}: '{list}' holds an empty name; write A,B or all"
        ))),
        Some(list) => {
            let mut nodes = Vec::new();
            for name in parts(list) {
                nodes.extend(matching(platform, name.trim(), option, except)?);
            }
            Ok(nodes)
        }
    }
}

/// The nodes of a role: [`listed`], or [`named`].
fn all_of(
    platform: &Platform,
    given: Option<&Nodes>,
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    match given {
        None => listed(platform, None, option, except),
        Some(Nodes::Text(text)) => listed(platform, Some(text), option, except),
        Some(Nodes::List(names)) => named(platform, names, option, except),
    }
}

/// The nodes of several names and patterns.
fn named(
    platform: &Platform,
    names: &[String],
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    if names.is_empty() {
        return Err(usage(format!(
            "{option}: the list is empty; name nodes, or leave it out"
        )));
    }
    let mut nodes = Vec::new();
    for name in names {
        nodes.extend(matching(platform, name, option, except)?);
    }
    Ok(nodes)
}

/// The nodes of a name or pattern. An open pattern stands for processors other than `except`.
fn matching(
    platform: &Platform,
    name: &str,
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    if platform.find(name).is_some() {
        return Ok(vec![node(platform, name, option)?]);
    }
    let pattern = Pattern::parse(name).map_err(|error| unfit(format!("{option}: {error}")))?;
    let found = pattern.participants(platform);
    let mut found = found.map_err(|error| unfit(format!("{option}: {error}")))?;
    if found.is_empty() {
        return match in_capitals(platform, name) {
            Some(found) => Ok(found),
            None => Ok(vec![unknown(platform, name, option)?]),
        };
    }
    if pattern.is_open() {
        found.retain(|&node| Some(node) != except);
    }
    Ok(found)
}
