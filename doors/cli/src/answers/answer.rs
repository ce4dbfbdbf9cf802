//! The answer of `oneport solve` as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use num_traits::{One, Zero};
use oneport::plan::{Block, Form, Kind, Named};
use oneport::schedule::{Cuts, Tried, Whole, cuts};
use oneport::{
    Collective, NodeId, Plan, Platform, Problem, Rational, Solved, Units, Unwritten, Volumes,
};
use oneport_questions::{AnswerStatus, Numbers, Operation};
pub use oneport_questions::{label, loss_of};
use serde_json::{Value, json};

use crate::answers::bottleneck::Bottleneck;
use crate::flags::limits;
use crate::words::clock;
use crate::words::numbers::{Shown, decimal, percent, readable, readable_count, short};
use crate::words::objects::joined;
use crate::words::output::{MORE, count, few};

/// The lines of the answer, with the time since the command began. `certified` is the sentence on the certificate if it
/// is not one of the question.
pub fn text(
    solved: &Solved,
    plan: &Plan<'_>,
    numbers: &Numbers,
    bottleneck: &Bottleneck<'_>,
    shown: Shown,
    certified: Option<&str>,
) -> String {
    let mut out = head(plan.problem, numbers, bottleneck, shown, certified);
    out.push_str(&pieces(plan, solved.whole.as_ref(), shown));
    let ended = solved
        .ended_by
        .map(|limit| format!("; {}", limits::effect(limit, plan.status)))
        .unwrap_or_default();
    let _ = write!(
        out,
        "time        {}, of which {} in HiGHS on the linear program{ended}",
        clock::seconds(clock::elapsed()),
        clock::seconds(solved.solver_time)
    );
    out
}

/// The period that cuts no message, if `whole` is given. Otherwise the number of cut messages. Empty if it is 0.
pub fn pieces(plan: &Plan<'_>, whole: Option<&Whole>, shown: Shown) -> String {
    match whole {
        Some(whole) => uncut(plan, whole, shown),
        None => cut(&cuts(plan.problem, plan.schedule)),
    }
}

/// The number of cut messages. Empty if no message is cut.
fn cut(cuts: &Cuts) -> String {
    if cuts.cut.is_zero() {
        return String::new();
    }
    let (cut, all) = (
        readable_count(&cuts.cut),
        count(readable_count(&cuts.transfers), "message"),
    );
    format!(
        "cut         {cut} of {all} per period, in up to {} pieces; --whole-messages cuts none\n",
        cuts.pieces
    )
}

/// The period with whole messages, and the shorter periods tried.
fn uncut(plan: &Plan<'_>, whole: &Whole, shown: Shown) -> String {
    let factor = oneport::platform::whole(whole.factor.clone());
    let (period, before) = (
        shown.time(&plan.schedule.period),
        shown.time(&(&plan.schedule.period / &factor)),
    );
    let times = |tried: &Tried| {
        let factor = tried.factor;
        let why = if tried.to_the_end {
            "no order of its messages does"
        } else {
            "none found"
        };
        format!("; {factor} x {before}: {why}")
    };
    let tried: String = whole.tried.iter().map(times).collect();
    format!(
        "whole       no message is cut: period {period} = {} x {before}{tried}\n",
        readable_count(&whole.factor)
    )
}

/// The question, the throughput, the period, and the bottleneck.
pub fn head(
    problem: &Problem,
    numbers: &Numbers,
    bottleneck: &Bottleneck<'_>,
    shown: Shown,
    certified: Option<&str>,
) -> String {
    let mut out = header(problem);
    out.push_str(&sustained(problem, numbers, shown, certified));
    if let Some(period) = &numbers.period {
        let loss = numbers.loss.clone().unwrap_or_default();
        let loss = if loss.is_zero() {
            "attains the throughput".to_string()
        } else {
            format!("{} below the throughput", percent(&loss))
        };
        let instances = numbers.instances.clone().unwrap_or_default();
        let throughput = numbers.schedule_throughput.clone().unwrap_or_default();
        let _ = writeln!(
            out,
            "period      {} for {}, {}: {}, {loss}",
            shown.time(period),
            count(readable_count(&instances), "instance"),
            count(numbers.slots.unwrap_or_default(), "slot"),
            shown.plainly(&throughput),
        );
    }
    if let Some(patterns) = numbers.patterns {
        let _ = writeln!(out, "patterns    {patterns}");
    }
    for line in bottleneck.lines() {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// The throughput, its status and its bandwidths.
fn sustained(
    problem: &Problem,
    numbers: &Numbers,
    shown: Shown,
    certified: Option<&str>,
) -> String {
    let bound = shown.frequency(&numbers.upper_bound);
    let Some(throughput) = &numbers.throughput else {
        return format!("throughput  unknown; upper bound {bound}\n");
    };
    let proof = match (numbers.status, certified) {
        (AnswerStatus::Optimal, None) => "optimal: the referee checked its certificate".to_string(),
        (AnswerStatus::Optimal, Some(certified)) => certified.to_string(),
        (_, certified) => {
            let gap = numbers.gap.clone().unwrap_or_default();
            format!(
                "feasible; upper bound {bound}, gap {}{}{}",
                percent(&gap),
                if certified.is_some() { "; " } else { "" },
                certified.unwrap_or_default()
            )
        }
    };
    let operation = numbers.operation.as_ref();
    let bandwidths = operation.and_then(|operation| bandwidths(problem, throughput, operation));
    format!(
        "throughput  {} ({proof})\n{}",
        shown.frequency(throughput),
        bandwidths.unwrap_or_default()
    )
}

/// The lines of an answer without a schedule, and the reason for that.
pub fn unlisted(
    solved: &Solved,
    unwritten: &Unwritten,
    numbers: &Numbers,
    seconds: Duration,
    shown: Shown,
) -> String {
    let problem = solved.answer.problem();
    let mut out = header(problem);
    out.push_str(&sustained(problem, numbers, shown, None));
    let _ = writeln!(out, "schedule    {unwritten}");
    let ended = unwritten
        .limit
        .or(solved.ended_by)
        .map(|limit| format!("; {}", limits::named(limit)))
        .unwrap_or_default();
    let _ = write!(out, "time        {}{ended}", clock::seconds(seconds));
    out
}

/// The question: `all-reduce of 32 operands on 37 nodes, 72 links (links), messages of 64 MiB; 5 routers may forward`.
pub fn header(problem: &Problem) -> String {
    let who = bystanders(problem.platform(), problem.collective());
    format!("{}{who}\n", title(problem))
}

/// The question in [`header`], without the nodes that take no part: the title of a picture.
pub fn title(problem: &Problem) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let size = match (problem.volumes().size.constant(), platform.units()) {
        (Some(size), Some(units)) => format!(", messages of {}", data(size, units)),
        (Some(size), None) if !size.is_one() => format!(", messages of size {}", readable(size)),
        _ => String::new(),
    };
    let volumes = problem.volumes();
    let usual = Volumes::of_message(platform, volumes.size.clone()).work == volumes.work;
    let merges = if collective.combines() && usual && merges_unstated(platform) {
        format!(", merges at {} GB/s", oneport::platform::DEFAULT_MERGE_RATE)
    } else {
        String::new()
    };
    format!(
        "{} of {} on {}, {} ({}){}{size}{merges}",
        label(collective),
        extent(collective),
        count(platform.nodes().len(), "node"),
        count(platform.links().len(), "link"),
        models(platform),
        order(collective).map_or("", |any| if any {
            ", operands in any order"
        } else {
            ", operands in their order"
        }),
    )
}

/// A size of data. A unit of the platform's data has its name, too, if it is printed in another unit: `125 MB (1
/// Gbit)`.
pub fn data(size: &Rational, units: Units) -> String {
    let shown = units.show_data(size);
    let unit = format!("1 {}", units.data.name());
    if size.is_one() && shown != unit {
        format!("{shown} ({unit})")
    } else {
        shown
    }
}

/// Whether operands may be combined in any order. `None` if the collective does not combine, or if demands differ.
fn order(collective: &Collective) -> Option<bool> {
    let asked = |name| Form::find(name).is_none_or(Form::may_keep_order);
    let blocks = collective.blocks();
    let mut orders = blocks
        .iter()
        .filter(|block| block.kind.combines() && asked(block.name))
        .map(Block::is_commutative);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

/// Whether all processors merge at the rate that readers assume for files without one.
fn merges_unstated(platform: &Platform) -> bool {
    let Some(units) = platform.units().filter(|units| units.work_is_data) else {
        return false;
    };
    let unstated = oneport::platform::default_merge_time(units);
    let mut computes = platform
        .nodes()
        .iter()
        .filter_map(|node| node.compute.as_ref());
    computes.all(|compute| *compute == unstated)
}

/// Nodes that own and want nothing, and still forward: processors, then routers.
fn bystanding(platform: &Platform, collective: &Collective) -> [usize; 2] {
    let takers = collective.nodes();
    let aside = platform
        .node_ids()
        .filter(|node| takers.binary_search(node).is_err());
    let (processors, routers): (Vec<NodeId>, Vec<NodeId>) =
        aside.partition(|&node| platform.node(node).is_processor());
    [processors.len(), routers.len()]
}

/// Names of the routers that own or want something. None if no node computes: such a file sets no node apart.
fn taking_part(platform: &Platform, collective: &Collective) -> Vec<String> {
    if platform.processors().next().is_none() {
        return Vec::new();
    }
    let routers = collective.nodes().into_iter();
    let routers = routers.filter(|&node| !platform.node(node).is_processor());
    routers
        .map(|node| platform.name(node).to_string())
        .collect()
}

/// `; 2 processors that take no part may forward; 3 routers may forward`: empty if all nodes take part, and they are
/// processors.
pub fn bystanders(platform: &Platform, collective: &Collective) -> String {
    let [processors, routers] = bystanding(platform, collective);
    let mut text = String::new();
    if processors > 0 {
        let merge = if collective.combines() {
            " and merge"
        } else {
            ""
        };
        let take = if processors == 1 { "takes" } else { "take" };
        let _ = write!(
            text,
            "; {} that {take} no part may forward{merge}",
            count(processors, "processor")
        );
    }
    if routers > 0 {
        let _ = write!(text, "; {} may forward", count(routers, "router"));
    }
    let own = taking_part(platform, collective);
    if !own.is_empty() {
        /// Shown: names of routers.
        const NAMED: usize = 4;
        let take = if own.len() == 1 { "takes" } else { "take" };
        let (all, names) = (count(own.len(), "router"), few(&own, NAMED, MORE));
        let _ = write!(text, "; {all} {take} part like a processor: {names}");
    }
    text
}

/// The question, for `--json`.
pub fn question(platform: &Platform, collective: &Collective) -> Value {
    let counts = collective
        .named()
        .map(Named::every_count)
        .map(Vec::from_iter);
    let counts = counts.filter(|_| collective.form().is_some_and(|form| form.counted));
    let [processors, routers] = bystanding(platform, collective);
    let routers_taking_part = taking_part(platform, collective);
    joined([
        json!({
            "bystanders": { "processors": processors, "routers": routers },
            "collective": label(collective),
            "groups": collective.members().len(),
            "model": platform.model().name(),
            "nodes": platform.nodes().len(),
            "links": platform.links().len(),
            "units": platform.units().map(|units| units.to_string()),
            "in_order": order(collective).map(|any| !any),
            "version": env!("CARGO_PKG_VERSION"),
        }),
        counts.map_or(Value::Null, |counts| json!({ "counts": counts })),
        if routers_taking_part.is_empty() {
            Value::Null
        } else {
            json!({ "participating_routers": routers_taking_part })
        },
    ])
}

/// A throughput and its bound, for `--json`.
pub fn bounds(throughput: &Rational, upper_bound: &Rational) -> Value {
    json!({
        "throughput": throughput.to_string(),
        "throughput_decimal": decimal(throughput),
        "upper_bound": upper_bound.to_string(),
        "upper_bound_decimal": decimal(upper_bound),
    })
}

/// The platform's port model, and the number of nodes that have another.
pub fn models(platform: &Platform) -> String {
    let mut text = platform.model().name().to_string();
    for model in oneport::PortModel::ALL {
        let others = platform
            .node_ids()
            .filter(|&node| platform.model_of(node) == model)
            .count();
        if model != platform.model() && others > 0 {
            let _ = write!(text, ", {model} at {}", count(others, "node"));
        }
    }
    let reducing = |node: &&oneport::platform::Node| node.reduces.is_some();
    let reducing: Vec<_> = platform.nodes().iter().filter(reducing).collect();
    let copying = if reducing.iter().all(|node| node.replicates) {
        " and duplicate"
    } else {
        ""
    };
    if !reducing.is_empty() {
        let switches = count(reducing.len(), "router");
        let _ = write!(text, ", {switches} may combine{copying} values");
    }
    text
}

/// The bandwidths, and on GPUs the columns of nccl-tests. The time is the inverse of the throughput. `None` if the
/// platform has no units.
fn bandwidths(problem: &Problem, throughput: &Rational, operation: &Operation) -> Option<String> {
    let units = problem.platform().units()?;
    let Operation {
        bytes,
        gigabytes: [algorithm, bus],
        rates,
    } = operation;
    let bandwidths = format!(
        "bandwidth   algorithm {}, bus {}",
        units.show_rate(&rates[0]),
        units.show_rate(&rates[1]),
    );
    if !has_accelerators(problem.platform()) {
        return Some(bandwidths + "\n");
    }
    // Elements of four bytes, the default of nccl-tests.
    let floats = bytes / oneport::platform::whole(4);
    let (count, kind) = if floats.is_integer() {
        (floats, "float")
    } else {
        (bytes.clone(), "int8")
    };
    let micros = throughput.recip() * units.time.seconds() * oneport::platform::whole(1_000_000);
    let redop = if problem.collective().combines() {
        "sum"
    } else {
        "none"
    };
    let cells = [
        ("size", in_full(bytes)),
        ("count", in_full(&count)),
        ("type", kind.to_string()),
        ("redop", redop.to_string()),
        ("root", root(problem.collective())),
        ("time", short(&micros)),
        ("algbw", short(algorithm)),
        ("busbw", short(bus)),
    ];
    let width = |(name, cell): &(&str, String)| name.len().max(cell.len());
    let line = |of: &dyn Fn(&(&'static str, String)) -> String| {
        cells
            .iter()
            .map(|cell| format!("{:>1$}", of(cell), width(cell)))
            .collect::<Vec<_>>()
            .join("  ")
    };
    Some(format!(
        "{bandwidths}; as nccl-tests count (B, us, GB/s):\n            {}\n            {}\n",
        line(&|(name, _)| name.to_string()),
        line(&|(_, cell)| cell.clone()),
    ))
}

/// Whether nodes are accelerators, or called GPUs: then nccl-tests may run there.
fn has_accelerators(platform: &Platform) -> bool {
    let called = |name: &str| name.to_ascii_lowercase().contains("gpu");
    let mut nodes = platform.nodes().iter();
    nodes.any(|node| node.accelerator || called(&node.name))
}

/// A whole number of at most 24 digits in full. Any other number has six significant digits.
fn in_full(value: &Rational) -> String {
    const ROOM: usize = 24;
    let exact = value.to_string();
    if value.is_integer() && exact.len() <= ROOM {
        exact
    } else {
        short(value)
    }
}

/// The rank of the root, in the order of the platform. -1 if the collective has no root.
fn root(collective: &Collective) -> String {
    let cast = collective.cast();
    let root = collective.form().and_then(|form| {
        let role = form.roles.iter().position(|role| !role.many)?;
        cast.get(role)?.first().copied()
    });
    let Some(root) = root else {
        return "-1".to_string();
    };
    let nodes: BTreeSet<NodeId> = cast.into_iter().flatten().copied().collect();
    let rank = nodes.iter().position(|&node| node == root);
    rank.map_or("-1".to_string(), |rank| rank.to_string())
}

/// The number of groups, operands, targets, demands or messages of the collective.
fn extent(collective: &Collective) -> String {
    let blocks = collective.blocks();
    match blocks[..] {
        _ if !collective.members().is_empty() => count(collective.members().len(), "group"),
        _ if collective.form().is_some_and(|form| form.counted) => {
            let rates = (0..collective.demands()).map(|demand| u128::from(collective.rate(demand)));
            let combines = collective.combines();
            count(
                rates.sum::<u128>(),
                if combines { "reduction" } else { "message" },
            )
        }
        [block] if block.kind.combines() => count(block.operands().len(), "operand"),
        [block] if block.kind == Kind::Copy && block.count == 1 => count(
            block.demand(0).map_or(0, |demand| demand.targets().len()),
            "target",
        ),
        _ if blocks.iter().any(|block| block.kind.combines()) => {
            count(collective.demands(), "demand")
        }
        _ => count(collective.demands(), "message"),
    }
}
