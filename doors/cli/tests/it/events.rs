//! `oneport export --to events`: a replay that has only the table, and follows the data of every node.

use std::collections::{BTreeMap, BTreeSet};

use oneport::Rational;
use serde_json::{Value, json};

use crate::common;

use common::{Folder, rational, read};

fn number(value: &Value) -> usize {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number")) as usize
}

fn pair(value: &Value) -> (usize, usize) {
    (number(&value[0]), number(&value[1]))
}

/// The result of a task: its node, the operands in order, and the end from which it exists, counted from the start of
/// the period in which its copy started.
struct Left {
    node: String,
    owners: Vec<usize>,
    at: Rational,
}

/// Replays the table of a period and the periods around it. Returns the first fault, named.
fn replay(table: &Value) -> Result<(), String> {
    let period = rational(&table["period"]);
    let tasks = table["tasks"].as_array().expect("tasks");
    let mut left: Vec<Left> = Vec::new();
    let mut busy: BTreeMap<String, Vec<(Rational, Rational)>> = BTreeMap::new();
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        let fault = |what: &str| Err(format!("task {index}: {what}"));
        if number(&task["task"]) != index {
            return fault("is numbered otherwise");
        }
        let (demand, part) = (
            &table["demands"][number(&task["demand"])],
            pair(&task["part"]),
        );
        let order = &table["patterns"][number(&task["pattern"])]["order"];
        let own = |operand: usize| {
            if order.is_null() {
                operand
            } else {
                number(&order[operand])
            }
        };
        // An input: its operands, its node, and its date.
        let mut input = |input: &Value, operand: usize| match input.as_u64() {
            Some(input) => {
                let before = left
                    .get(input as usize)
                    .ok_or(format!("task {index}: has a later input"))?;
                let same = ["pattern", "copy", "demand"]
                    .iter()
                    .all(|key| tasks[input as usize][key] == task[key]);
                if !same {
                    return Err(format!("task {index}: has an input of another copy"));
                }
                *uses.entry(input as usize).or_default() += 1;
                Ok((
                    before.owners.clone(),
                    before.node.clone(),
                    before.at.clone(),
                ))
            }
            None => {
                let owner = demand["owners"][own(operand)]
                    .as_str()
                    .expect("an owner")
                    .to_string();
                Ok((vec![own(operand)], owner, Rational::default()))
            }
        };
        let pieces = task["pieces"].as_array().expect("pieces");
        let shift = &period * oneport::platform::whole(number(&task["stage"]));
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return fault("never runs");
        };
        let (start, end) = (
            rational(&first["start"]) + &shift,
            rational(&last["end"]) + &shift,
        );
        let node = if task["send"].is_object() {
            let (owners, node, at) = input(&task["inputs"][0], part.0)?;
            let (link, to) = (&task["send"]["link"], &task["send"]["to"]);
            let ends = &table["links"][number(link)];
            if task["send"]["from"] != node.as_str()
                || ends["from"] != node.as_str()
                || ends["to"] != *to
            {
                return fault("sends what is elsewhere");
            }
            if at > start {
                return fault("sends what has not arrived");
            }
            occupy(table, task, &mut busy)?;
            left.push(Left {
                node: to.as_str().expect("a name").to_string(),
                owners,
                at: end,
            });
            continue;
        } else {
            task["merge"]["node"].as_str().expect("a name").to_string()
        };
        let split = number(&task["merge"]["split"]);
        let (mut owners, one, since) = input(&task["inputs"][0], part.0)?;
        let (right, other, and_since) = input(&task["inputs"][1], split + 1)?;
        if one != node || other != node {
            return fault("merges what is elsewhere");
        }
        if since > start || and_since > start {
            return fault("merges what has not arrived");
        }
        if owners.len() != split + 1 - part.0 {
            return fault("splits elsewhere");
        }
        owners.extend(right);
        if owners.len() != part.1 + 1 - part.0 {
            return fault("makes something else");
        }
        let stretch = (rational(&first["start"]), rational(&first["end"]));
        busy.entry(format!("processor of {node}"))
            .or_default()
            .push(stretch);
        left.push(Left {
            node,
            owners,
            at: end,
        });
    }
    for (who, mut stretches) in busy {
        stretches.sort();
        let overlap = stretches.windows(2).any(|pair| pair[0].1 > pair[1].0);
        let outside = stretches
            .iter()
            .any(|(start, end)| *start < Rational::default() || *end > period || end < start);
        if overlap || outside {
            return Err(format!("{who} does two things at once"));
        }
    }
    for (task, uses) in uses {
        let keeps = table["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .find(|node| node["name"] == left[task].node.as_str());
        if uses > 1 && keeps.is_none_or(|node| node["replicates"] == false) {
            return Err(format!("task {task}: is copied at {}", left[task].node));
        }
    }
    wanted(table, &left)
}

/// Enters a transfer's pieces: contiguous shares, in the ports and the link.
fn occupy(
    table: &Value,
    task: &Value,
    busy: &mut BTreeMap<String, Vec<(Rational, Rational)>>,
) -> Result<(), String> {
    let pieces = task["pieces"].as_array().expect("pieces");
    let length = |piece: &Value| rational(&piece["end"]) - rational(&piece["start"]);
    let total: Rational = pieces.iter().map(length).sum();
    let mut sent = Rational::default();
    for piece in pieces {
        let (from, to) = (rational(&piece["share"][0]), rational(&piece["share"][1]));
        if from != sent || (&to - &from) * &total != length(piece) {
            return Err(format!("task {}: its pieces are no message", task["task"]));
        }
        sent = to;
        let stretch = (rational(&piece["start"]), rational(&piece["end"]));
        busy.entry(format!("link {}", task["send"]["link"]))
            .or_default()
            .push(stretch.clone());
        for (end, lane) in [("from", &piece["lanes"][0]), ("to", &piece["lanes"][1])] {
            let name = &task["send"][end];
            let nodes = table["nodes"].as_array().expect("nodes");
            let node = nodes
                .iter()
                .find(|node| node["name"] == *name)
                .expect("a known node");
            let model = node["model"].as_str().expect("a model");
            let way = if model == "half-duplex" { "port" } else { end };
            match (model, lane.as_u64()) {
                ("links", None) => continue,
                ("multiport", Some(lane)) if lane < node["ports"].as_u64().expect("ports") => {}
                ("full-duplex" | "half-duplex", Some(0)) => {}
                _ => return Err(format!("task {}: lane {lane} of {name}", task["task"])),
            }
            busy.entry(format!("{way} {lane} of {name}"))
                .or_default()
                .push(stretch.clone());
        }
    }
    if sent != oneport::platform::whole(1) {
        return Err(format!("task {}: its pieces are no message", task["task"]));
    }
    Ok(())
}

/// Every goal of every execution is served by a task with exactly the value of the goal.
fn wanted(table: &Value, left: &[Left]) -> Result<(), String> {
    let mut served = BTreeMap::new();
    for result in table["results"].as_array().expect("results") {
        let key = (
            number(&result["demand"]),
            number(&result["copy"]),
            result["node"].to_string(),
            pair(&result["part"]),
        );
        served.insert(key, number(&result["task"]));
    }
    for (demand, wants) in table["demands"]
        .as_array()
        .expect("demands")
        .iter()
        .enumerate()
    {
        for copy in 0..number(&wants["started"]) {
            for goal in wants["goals"].as_array().expect("goals") {
                let part = pair(&goal["part"]);
                let Some(&task) = served.get(&(demand, copy, goal["node"].to_string(), part))
                else {
                    if part.0 == part.1 && wants["owners"][part.0] == goal["node"] {
                        continue;
                    }
                    return Err(format!(
                        "demand {demand}, copy {copy}: nothing for {}",
                        goal["node"]
                    ));
                };
                let left = left.get(task).ok_or("a result of no task")?;
                let mut owners = left.owners.clone();
                if wants["commutative"] == true {
                    owners.sort_unstable();
                }
                let whole: Vec<usize> = (part.0..=part.1).collect();
                if goal["node"] != left.node.as_str() || owners != whole {
                    return Err(format!(
                        "demand {demand}, copy {copy}: {} gets something else",
                        goal["node"]
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Plans of every kind of demand and every port model.
const PLANS: &[&str] = &[
    "scatter --source Ps --platform toy-scatter.toml",
    "broadcast --source Ps --platform toy-broadcast.toml",
    "reduce --target 0 --platform toy-reduce.toml",
    "all-reduce --platform toy-reduce.toml --commutative --model half-duplex",
    "all-reduce --platform dgx1.toml --work 0",
    "all-gather --platform two-racks.toml --model multiport",
    "all-gather --platform dgx-a100-2.toml",
    "scan --platform toy-reduce.toml",
    "reduce-scatter --platform toy-reduce.toml",
    "scatter --source hub --platform star.json --model links",
];

fn table(folder: &Folder, question: &str) -> Value {
    let (plan, out) = (folder.path("plan.json"), folder.path("events.json"));
    oneport!("solve -o {plan} {question}").ok();
    oneport!("export {plan} --to events {out}").ok();
    serde_json::from_str(&read(&out)).expect("JSON")
}

#[test]
fn every_table_runs_by_itself() {
    let folder = Folder::new();
    for question in PLANS {
        let table = table(&folder, question);
        assert_eq!(replay(&table), Ok(()), "{question:?}");
        assert_eq!(table["format"], "oneport-events/1");
    }
}

/// A task that is dropped, delayed, sent to another node, of another copy or of other inputs is noticed.
#[test]
fn the_replay_refuses_what_is_wrong() {
    let folder = Folder::new();
    let (mut tried, mut faults) = (0, BTreeSet::new());
    for question in [PLANS[1], PLANS[2], PLANS[3], PLANS[8]] {
        let table = table(&folder, question);
        for index in 0..table["tasks"].as_array().expect("tasks").len() {
            let date =
                |key: &str, value: &str| (format!("/tasks/{index}/pieces/0/{key}"), json!(value));
            let changes = [
                date("start", "-1"),
                date("end", "1000"),
                (format!("/tasks/{index}/stage"), json!(99)),
                (format!("/tasks/{index}/copy"), json!(77)),
                (format!("/tasks/{index}/inputs/0"), json!(index)),
                (format!("/tasks/{index}/demand"), json!(0)),
            ];
            for (pointer, value) in changes {
                let mut changed = table.clone();
                let old = changed.pointer_mut(&pointer).expect("the key is there");
                if *old == value {
                    continue;
                }
                *old = value;
                tried += 1;
                // A last task may well be late, and belong to no copy.
                match replay(&changed) {
                    Err(fault) => {
                        faults.insert(fault.split(": ").last().expect("words").to_string())
                    }
                    Ok(()) => {
                        let is_input =
                            table["tasks"]
                                .as_array()
                                .expect("tasks")
                                .iter()
                                .any(|task| {
                                    task["inputs"]
                                        .as_array()
                                        .expect("inputs")
                                        .iter()
                                        .any(|input| *input == json!(index))
                                });
                        let late = pointer.ends_with("stage") || pointer.ends_with("copy");
                        assert!(late && !is_input, "{question:?}: {pointer} is not noticed");
                        false
                    }
                };
            }
        }
    }
    assert!(tried > 100 && faults.len() >= 5, "{tried} {faults:?}");
}

#[test]
fn the_rows_are_those_of_the_object() {
    let folder = Folder::new();
    let table = table(&folder, PLANS[3]);
    let out = folder.path("events.csv");
    oneport!("export {} --to events {out}", folder.path("plan.json")).ok();
    let text = read(&out);
    let mut lines = text.lines();
    let keys: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| keys.iter().position(|key| *key == name).expect("a column");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let pieces = table["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .flat_map(|task| {
            task["pieces"]
                .as_array()
                .expect("pieces")
                .iter()
                .map(|piece| (task["task"].clone(), piece.clone()))
        });
    let mut count = 0;
    for ((task, piece), row) in pieces.zip(&rows) {
        assert_eq!(row.len(), keys.len());
        assert_eq!(row[column("task")], task.to_string());
        assert_eq!(
            row[column("start")],
            piece["start"].as_str().expect("a date")
        );
        assert_eq!(
            row[column("share_to")],
            piece["share"][1].as_str().expect("a share")
        );
        count += 1;
    }
    assert!(count == rows.len() && count > 0);
}

/// If only links are exclusive, nothing conflicts, and no message is cut.
#[test]
fn no_message_is_cut_where_nothing_conflicts() {
    let folder = Folder::new();
    let table = table(&folder, PLANS[9]);
    assert_eq!(table["divisible_by"], "1");
    assert!(
        table["tasks"]
            .as_array()
            .expect("tasks")
            .iter()
            .all(|task| task["pieces"].as_array().expect("pieces").len() == 1)
    );
}
