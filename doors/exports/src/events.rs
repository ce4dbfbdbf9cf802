//! `oneport-events/1`: the table of all events of a period, as JSON and as CSV. docs/execution.md explains it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oneport_plan::{Demand, Problem, Task};
use oneport_platform::{NodeId, Platform, Rational, floored};
use oneport_schedule::{DatedTask, Execution};

use crate::hops::{Hop, Work, hops};
use crate::results::results;
use crate::text::{csv, json};
use crate::{ExportError, File, Format, Request};

/// The table as JSON.
pub(crate) const JSON: Format = Format {
    name: "events",
    about: "every transfer piece and merge of a period with its dates (oneport-events/1; OUT.csv: as CSV)",
    lacks: "the proof",
    write: |request| Ok(File::only(to_json(request.problem, request)?)),
};

/// The table as CSV: a row per piece.
pub(crate) const CSV: Format = Format {
    name: "events-csv",
    about: "the same, a row for every piece",
    lacks: "the proof, and what is wanted where",
    write: |request| {
        if request.between_processors {
            let reason = "--between-processors is for JSON".to_string();
            return Err(ExportError::Refused {
                format: CSV.name,
                reason,
            });
        }
        let (_, execution) = request.execution(CSV.name, request.pieces.number())?;
        Ok(File::only(to_csv(request.problem.platform(), &execution)))
    },
};

/// Decimals of dates in CSV.
const DECIMALS: u32 = 12;

fn to_json(problem: &Problem, request: &Request<'_>) -> Result<String, ExportError> {
    let (schedule, execution) = request.execution(JSON.name, request.pieces.number())?;
    let platform = problem.platform();
    let keep = |node| platform.node(node).is_processor();
    let hops = if request.between_processors {
        Some(
            hops(problem, &execution, keep).map_err(|node| ExportError::Refused {
                format: JSON.name,
                reason: format!("the router '{}' merges", platform.name(node)),
            })?,
        )
    } else {
        None
    };
    // A task's number in the table. Tasks that end at routers have no number.
    let numbers: Option<BTreeMap<usize, usize>> = hops.as_ref().map(|hops| {
        hops.iter()
            .enumerate()
            .flat_map(|(number, hop)| hop.last().map(move |task| (task, number)))
            .collect()
    });
    let number = |task: usize| match &numbers {
        Some(numbers) => numbers.get(&task).copied(),
        None => Some(task),
    };
    let mut text = String::from("{\"format\":\"oneport-events/1\",\n");
    let _ = write!(
        text,
        "\"collective\":{},",
        json(problem.collective().name())
    );
    let _ = writeln!(text, "\"model\":{},", json(platform.model().name()));
    let period = execution.time(&execution.period);
    let _ = write!(
        text,
        "\"period\":\"{period}\",\"instances\":{},\"depth\":{},",
        execution.instances, execution.depth
    );
    let idle_from = execution.time(&execution.busy_until());
    let _ = writeln!(
        text,
        "\"idle_from\":\"{idle_from}\",\"divisible_by\":\"{}\",",
        execution.divisibility()
    );
    list(
        &mut text,
        "nodes",
        platform.node_ids().map(|node| json_node(platform, node)),
    );
    list(
        &mut text,
        "links",
        platform.links().iter().map(|link| {
            format!(
                "{{\"from\":{},\"to\":{}}}",
                json(platform.name(link.from)),
                json(platform.name(link.to))
            )
        }),
    );
    list(
        &mut text,
        "demands",
        problem.demands().enumerate().map(|(index, demand)| {
            json_demand(
                platform,
                &demand,
                execution.started.get(&index).copied().unwrap_or(0),
            )
        }),
    );
    list(
        &mut text,
        "patterns",
        schedule.patterns.iter().map(|scheduled| {
            let order = scheduled
                .pattern
                .order
                .as_ref()
                .map(|order| format!(",\"order\":{order:?}"))
                .unwrap_or_default();
            format!(
                "{{\"demand\":{},\"copies\":{}{order}}}",
                scheduled.pattern.demand, scheduled.copies
            )
        }),
    );
    list(
        &mut text,
        "results",
        results(problem, &execution).iter().filter_map(|served| {
            let task = number(served.task)?;
            let (node, part) = (json(platform.name(served.node)), served.part);
            Some(format!(
                "{{\"demand\":{},\"copy\":{},\"node\":{node},\"part\":[{},{}],\"task\":{task}}}",
                served.demand, served.copy, part.first, part.last
            ))
        }),
    );
    if let Some(hops) = hops {
        let hops = hops
            .iter()
            .enumerate()
            .map(|(number, hop)| json_hop(platform, &execution, number, hop));
        list(&mut text, "tasks", hops);
        text.truncate(text.len() - 2);
        text.push_str("\n}\n");
        return Ok(text);
    }
    list(
        &mut text,
        "tasks",
        execution
            .tasks
            .iter()
            .enumerate()
            .map(|(number, dated)| json_task(platform, &execution, number, dated)),
    );
    text.truncate(text.len() - 2);
    text.push_str("\n}\n");
    Ok(text)
}

/// A key with a list, an entry a line.
fn list(text: &mut String, key: &str, entries: impl Iterator<Item = String>) {
    let _ = write!(text, "\"{key}\":[");
    for (index, entry) in entries.enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&entry);
    }
    text.push_str("],\n");
}

fn json_node(platform: &Platform, node: NodeId) -> String {
    let is = platform.node(node);
    let model = platform.model_of(node).name();
    let ports = is.ports.unwrap_or(1).max(1);
    format!(
        "{{\"name\":{},\"processor\":{},\"model\":\"{model}\",\"ports\":{ports},\"replicates\":{},\"reduces\":{}}}",
        json(&is.name),
        is.is_processor(),
        is.replicates,
        is.reduces.is_some()
    )
}

fn json_demand(platform: &Platform, demand: &Demand<'_>, started: u64) -> String {
    let owners: Vec<String> = demand
        .operands
        .iter()
        .map(|&node| json(platform.name(node)))
        .collect();
    let goals = demand.goals().into_iter().map(|(node, part)| {
        format!(
            "{{\"node\":{},\"part\":[{},{}]}}",
            json(platform.name(node)),
            part.first,
            part.last
        )
    });
    let goals: Vec<String> = goals.collect();
    let (owners, goals, commutative) = (owners.join(","), goals.join(","), demand.commutative);
    format!(
        "{{\"started\":{started},\"commutative\":{commutative},\"owners\":[{owners}],\"goals\":[{goals}]}}"
    )
}

fn json_task(
    platform: &Platform,
    execution: &Execution,
    number: usize,
    dated: &DatedTask,
) -> String {
    let mut text = format!(
        "{{\"task\":{number},\"pattern\":{},\"copy\":{},",
        dated.pattern, dated.copy
    );
    let part = dated.message.part;
    let _ = write!(
        text,
        "\"demand\":{},\"part\":[{},{}],",
        dated.message.demand, part.first, part.last
    );
    let [first, second] = dated
        .inputs
        .map(|input| input.map_or("null".to_string(), |input| input.to_string()));
    let _ = match dated.task {
        Task::Send { link, .. } => {
            let ends = platform.link(link);
            let (from, to) = (json(platform.name(ends.from)), json(platform.name(ends.to)));
            write!(
                text,
                "\"send\":{{\"link\":{link},\"from\":{from},\"to\":{to}}},\"inputs\":[{first}],"
            )
        }
        Task::Merge { node, split, .. } => {
            let node = json(platform.name(node));
            write!(
                text,
                "\"merge\":{{\"node\":{node},\"split\":{split}}},\"inputs\":[{first},{second}],"
            )
        }
    };
    let _ = write!(text, "\"stage\":{},\"pieces\":[", dated.stage);
    for (index, (piece, [from, to])) in dated
        .pieces
        .iter()
        .zip(Execution::shares(dated))
        .enumerate()
    {
        let comma = if index == 0 { "" } else { "," };
        let [start, end] = [&piece.start, &piece.end].map(|date| execution.time(date));
        let [sender, receiver] = piece
            .lanes
            .map(|lane| lane.map_or("null".to_string(), |lane| lane.to_string()));
        let _ = write!(
            text,
            "{comma}{{\"start\":\"{start}\",\"end\":\"{end}\",\"share\":[\"{from}\",\"{to}\"],\"lanes\":[{sender},{receiver}]}}"
        );
    }
    text.push_str("]}");
    text
}

fn json_hop(platform: &Platform, execution: &Execution, number: usize, hop: &Hop) -> String {
    let (part, dates) = (
        hop.message.part,
        [&hop.start, &hop.end].map(|date| execution.time(date)),
    );
    let mut text = format!(
        "{{\"task\":{number},\"pattern\":{},\"copy\":{},",
        hop.pattern, hop.copy
    );
    let _ = write!(
        text,
        "\"demand\":{},\"part\":[{},{}],",
        hop.message.demand, part.first, part.last
    );
    let [first, second] = hop
        .inputs
        .map(|input| input.map_or("null".to_string(), |input| input.to_string()));
    let _ = match hop.work {
        Work::Send { from, to } => {
            let links = hop
                .path
                .iter()
                .filter_map(|&task| match execution.tasks.get(task)?.task {
                    Task::Send { link, .. } => Some(link.to_string()),
                    Task::Merge { .. } => None,
                });
            let (links, from, to) = (
                links.collect::<Vec<_>>().join(","),
                json(platform.name(from)),
                json(platform.name(to)),
            );
            write!(
                text,
                "\"send\":{{\"links\":[{links}],\"from\":{from},\"to\":{to}}},\"inputs\":[{first}],"
            )
        }
        Work::Merge { node, split } => {
            let node = json(platform.name(node));
            write!(
                text,
                "\"merge\":{{\"node\":{node},\"split\":{split}}},\"inputs\":[{first},{second}],"
            )
        }
    };
    let _ = write!(
        text,
        "\"start\":\"{}\",\"end\":\"{}\"}}",
        dates[0], dates[1]
    );
    text
}

const HEADER: &str = "task,kind,pattern,copy,demand,first,last,split,stage,link,from,to,left,right,start,start_decimal,\
    end,end_decimal,share_from,share_to,send_lane,receive_lane\n";

fn to_csv(platform: &Platform, execution: &Execution) -> String {
    let mut text = HEADER.to_string();
    for (number, dated) in execution.tasks.iter().enumerate() {
        let part = dated.message.part;
        let some =
            |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
        let (kind, split, link, from, to) = match dated.task {
            Task::Send { link, .. } => {
                let ends = platform.link(link);
                (
                    "send",
                    String::new(),
                    link.to_string(),
                    platform.name(ends.from),
                    platform.name(ends.to),
                )
            }
            Task::Merge { node, split, .. } => (
                "merge",
                split.to_string(),
                String::new(),
                platform.name(node),
                platform.name(node),
            ),
        };
        let [left, right] = dated.inputs.map(some);
        let row = format!(
            "{number},{kind},{},{},{},{},{},{split},{},{link},{},{},{left},{right}",
            dated.pattern,
            dated.copy,
            dated.message.demand,
            part.first,
            part.last,
            dated.stage,
            csv(from),
            csv(to)
        );
        for (piece, [share_from, share_to]) in dated.pieces.iter().zip(Execution::shares(dated)) {
            let date = |date| {
                let date: Rational = execution.time(date);
                format!("{date},{}", floored(&date, DECIMALS))
            };
            let [sender, receiver] = piece.lanes.map(|lane| some(lane.map(|lane| lane as usize)));
            let (start, end) = (date(&piece.start), date(&piece.end));
            let _ = writeln!(
                text,
                "{row},{start},{end},{share_from},{share_to},{sender},{receiver}"
            );
        }
    }
    text
}
