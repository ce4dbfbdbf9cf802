//! From names on the command line to a question.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use num_traits::Signed;
use oneport::plan::{Form, Member, Role};
use oneport::{
    Amount, Bandwidth, Collective, NodeId, Platform, PortModel, Problem, ProblemError, Units, Volumes, formats,
    parse_rational,
};

use crate::arguments::{CUSTOM, QuestionArguments};
use crate::numbers::decimal;
use crate::topology;
use crate::usage::usage;

/// A number of seconds, 0 or more.
pub fn seconds(option: &str, text: &str) -> Result<Duration> {
    let wrong = || usage(format!("{option}: '{text}' is not a number of seconds, 0 or more"));
    let seconds = parse_rational(text).map_err(|_| wrong())?;
    // The limit is a hint to a clock: the decimal rounding is harmless.
    let seconds: f64 = decimal(&seconds).parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Reads the platform under the model and in the units asked for.
pub fn platform(path: &Path, arguments: &QuestionArguments) -> Result<Platform> {
    let mut platform = topology::read(path, None, &arguments.topology)?.platform;
    if let Some(name) = &arguments.model {
        let model: PortModel = name.parse().map_err(|error| usage(format!("--model: {error}")))?;
        platform = platform.with_model(model);
    }
    if let Some(text) = &arguments.units {
        let units = Units::parse(text).map_err(|error| usage(format!("--units: {error}")))?;
        if let Some(own) = platform.units() {
            bail!(usage(format!("--units: {} is in {own} already; leave the option out", path.display())));
        }
        platform = platform.with_units(Some(units));
    }
    Ok(platform)
}

/// The options that a named collective takes.
fn options_of(form: &Form) -> Vec<String> {
    let roles = form.roles.iter().map(|role| format!("--{}", role.key));
    let work = form.combines.then(|| "--work".to_string());
    let commutative = form.commutes.then(|| "--commutative".to_string());
    roles.chain(work).chain(commutative).collect()
}

/// What was given for a role: the text of its option.
fn given<'a>(arguments: &'a QuestionArguments, role: &Role) -> Option<&'a str> {
    let given = [
        ("source", &arguments.source),
        ("target", &arguments.target),
        ("targets", &arguments.targets),
        ("participants", &arguments.participants),
    ];
    given.into_iter().find(|(key, _)| *key == role.key).and_then(|(_, text)| text.as_deref())
}

/// The collective asked for, every option it does not take refused.
pub fn collective(platform: &Platform, arguments: &QuestionArguments) -> Result<Collective> {
    let Some(form) = Form::find(&arguments.collective) else { return custom(platform, arguments) };
    let takes = options_of(form);
    refuse_others(arguments, form.name, &takes)?;
    if !arguments.groups.is_empty() {
        return groups(platform, arguments, form);
    }
    let mut nodes: Vec<Vec<NodeId>> = Vec::with_capacity(form.roles.len());
    for role in form.roles {
        let option = format!("--{}", role.key);
        let text = given(arguments, role);
        nodes.push(if role.many {
            // Where nothing is combined, the owner of the messages (or their receiver) sends itself none.
            let except = nodes.first().and_then(|nodes| nodes.first()).copied().filter(|_| !form.overlaps());
            listed(platform, text, &option, except)?
        } else {
            let missing = || usage(format!("{} needs {option} NODE; the processors are {}", form.name, some(platform)));
            vec![node(platform, text.ok_or_else(missing)?, &option)?]
        });
    }
    form.build(&nodes, arguments.commutative).ok_or_else(|| usage(format!("{} needs {}", form.name, takes.join(", "))))
}

/// Refuses the options that are not taken.
fn refuse_others(arguments: &QuestionArguments, label: &str, takes: &[String]) -> Result<()> {
    let given = [
        ("--source", arguments.source.is_some()),
        ("--targets", arguments.targets.is_some()),
        ("--target", arguments.target.is_some()),
        ("--participants", arguments.participants.is_some()),
        // No work at all is no work here, either: scripts go through all collectives.
        ("--work", arguments.work.as_ref().is_some_and(|work| work != "0")),
        ("--commutative", arguments.commutative),
        ("--demands", arguments.demands.is_some()),
    ];
    match given.iter().find(|(option, given)| *given && !takes.iter().any(|taken| taken == option)) {
        Some((option, _)) => Err(usage(format!("{label} takes no {option}; it takes {}", takes.join(", ")))),
        None => Ok(()),
    }
}

/// The demands of a file.
fn custom(platform: &Platform, arguments: &QuestionArguments) -> Result<Collective> {
    refuse_others(arguments, CUSTOM, &["--demands".to_string(), "--work".to_string()])?;
    if !arguments.groups.is_empty() {
        return Err(usage("custom takes no --group; list the demands of all groups in the file"));
    }
    let missing = || usage("custom needs --demands FILE: JSON or TOML with a list of values and where they are wanted");
    Ok(formats::read_demands_file(arguments.demands.as_deref().ok_or_else(missing)?, platform)?)
}

/// Process groups: `A,B,C` or `A,B,C@RATE`; the first of a rooted collective is its source or target.
fn groups(platform: &Platform, arguments: &QuestionArguments, form: &Form) -> Result<Collective> {
    let options = [&arguments.source, &arguments.targets, &arguments.target, &arguments.participants];
    if options.into_iter().any(Option::is_some) {
        return Err(usage(
            "--group lists a group's members itself; leave out --source, --targets, --target, --participants",
        ));
    }
    let rooted = form.roles.iter().any(|role| !role.many);
    let member = |group: &String| {
        let (list, rate) = match group.rsplit_once('@') {
            Some((list, rate)) if platform.find(group).is_none() => {
                let wrong = || {
                    usage(format!(
                        "--group {group}: '{rate}' is not a rate: give a whole number from 1 to 2^64 - 1, as in A,B,C@2 for twice as often"
                    ))
                };
                (list, rate.parse::<u64>().ok().filter(|&rate| rate > 0).ok_or_else(wrong)?)
            }
            _ => (group.as_str(), 1),
        };
        let listed = listed(platform, Some(list), "--group", None)?;
        let nodes = match listed.split_first() {
            // The target of a reduction owns a value, too.
            Some((&centre, others)) if rooted => {
                vec![vec![centre], if form.overlaps() { listed.clone() } else { others.to_vec() }]
            }
            _ => vec![listed],
        };
        let built = form.build(&nodes, arguments.commutative);
        let collective =
            built.ok_or_else(|| usage(format!("--group {group}: {} needs a node to start from", form.name)))?;
        Ok(Member { collective, rate })
    };
    Ok(Collective::Groups { members: arguments.groups.iter().map(member).collect::<Result<_>>()? })
}

/// Sizes and work: a number, one with a unit, `A+Bn` or `@FILE`.
pub fn volumes(platform: &Platform, collective: &Collective, arguments: &QuestionArguments) -> Result<Volumes> {
    volumes_of(platform, collective, arguments, arguments.bytes.as_deref())
}

/// The same where the whole operation has so many bytes, if that is given.
pub fn volumes_of(
    platform: &Platform,
    collective: &Collective,
    arguments: &QuestionArguments,
    bytes: Option<&str>,
) -> Result<Volumes> {
    let units = platform.units();
    let file = |text: &str| text.strip_prefix('@').map(|path| formats::read_amount(Path::new(path)));
    let size = match (bytes, file(&arguments.size)) {
        (Some(bytes), _) => message(platform, collective, bytes)?,
        (None, Some(amount)) => amount?,
        (None, None) => parsed("--size", &arguments.size, &arguments.size, units)?,
    };
    let work = match arguments.work.as_deref() {
        Some(text) => match file(text) {
            Some(amount) => amount?,
            None => formats::parse_work(text, units, &size).map_err(|error| usage(format!("--work: {error}")))?,
        },
        // Where a unit of work is one of data, merging follows the size.
        None if units.is_some_and(|units| units.work_is_data) => size.clone(),
        None => Volumes::default().work,
    };
    Ok(Volumes { size, work })
}

/// A size, called as it was given.
fn parsed(option: &str, given: &str, text: &str, units: Option<Units>) -> Result<Amount> {
    let size = formats::parse_size(text, units).map_err(|error| usage(format!("{option}: {error}")))?;
    if size.constant().is_some_and(|size| !size.is_positive()) {
        bail!(usage(format!("{option}: '{given}' is not positive; a message needs a positive size")));
    }
    Ok(size)
}

/// The size of a message where the whole operation has so many bytes.
fn message(platform: &Platform, collective: &Collective, bytes: &str) -> Result<Amount> {
    let plain = parse_rational(bytes).is_ok() && platform.units().is_some();
    let text = if plain { format!("{bytes} B") } else { bytes.to_string() };
    let size = parsed("--bytes", bytes, &text, platform.units())?;
    let bandwidth = Bandwidth::of(Problem::new(platform, collective, &Volumes::default())?);
    match (size.constant(), bandwidth) {
        (Some(size), Some(bandwidth)) => Ok(Amount::Constant(bandwidth.message(size))),
        (None, _) => Err(usage(format!("--bytes: '{bytes}' is not one size; give sizes that grow by --size"))),
        (_, None) => Err(usage(format!(
            "--bytes: no benchmark counts the bytes of a {}; give the size of a message by --size",
            collective.name()
        ))),
    }
}

/// The whole question; volumes that do not fit the collective are a mistake in an option.
pub fn problem<'a>(platform: &'a Platform, collective: &'a Collective, volumes: &'a Volumes) -> Result<Problem<'a>> {
    Problem::new(platform, collective, volumes).map_err(|error| match error {
        ProblemError::Volume(error) => {
            let option = if error.is_of_work() { "--work" } else { "--size" };
            usage(format!("{option}: {error}"))
        }
        error => error.into(),
    })
}

/// The first few processors, for error messages.
fn some(platform: &Platform) -> String {
    const SHOWN: usize = 8;
    let quoted = |id| format!("'{}'", platform.name(id));
    let names: Vec<String> = platform.processors().take(SHOWN + 1).map(quoted).collect();
    match names.len() {
        0 => "none (give nodes a compute cost)".to_string(),
        count if count > SHOWN => format!("{}, ...", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

pub fn node(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    platform.find(name).ok_or_else(|| {
        let clipped: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        let alike = platform.processors().map(|id| platform.name(id)).find(|known| known.eq_ignore_ascii_case(name));
        let hint = match alike {
            Some(known) => format!("did you mean '{known}'?"),
            None => format!("its processors are {}", some(platform)),
        };
        anyhow!("{option}: the platform has no node '{clipped}'; {hint}")
    })
}

/// A list of names; "all" and nothing mean every processor except one.
pub fn listed(platform: &Platform, list: Option<&str>, option: &str, except: Option<NodeId>) -> Result<Vec<NodeId>> {
    match list {
        None | Some("all") => Ok(platform.processors().filter(|&id| Some(id) != except).collect()),
        // A name may contain a comma.
        Some(name) if platform.find(name).is_some() => Ok(vec![node(platform, name, option)?]),
        Some(list) if list.split(',').any(|name| name.trim().is_empty()) => {
            Err(usage(format!("{option}: '{list}' holds an empty name; write A,B or all")))
        }
        Some(list) => list.split(',').map(|name| node(platform, name.trim(), option)).collect(),
    }
}
