//! The table between processors, run by a twin that has only the table.

use oneport_exports::{Pieces, Request};
use oneport_plan::{Problem, Volumes};
use oneport_platform::{Rational, parse_rational};
use oneport_testkit::Dice;
use serde_json::Value;

use crate::common::{collective, platform, schedule};

fn rational(value: &Value) -> Rational {
    parse_rational(value.as_str().unwrap()).unwrap()
}

/// Every value is present at its use, in time. No router appears. Every goal of every copy is served by the task that
/// the table names.
fn follow(table: &Value) {
    let tasks = table["tasks"].as_array().unwrap();
    let mut left: Vec<(String, Vec<u64>, Rational)> = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        assert_eq!(task["task"], number);
        let demand = &table["demands"][task["demand"].as_u64().unwrap() as usize];
        let order = &table["patterns"][task["pattern"].as_u64().unwrap() as usize]["order"];
        let input = |index: usize, operand: u64| match task["inputs"][index].as_u64() {
            Some(before) => left[before as usize].clone(),
            None => {
                let operand = order
                    .get(operand as usize)
                    .map_or(operand, |it| it.as_u64().unwrap());
                let owner = demand["owners"][operand as usize].as_str().unwrap();
                (owner.to_string(), vec![operand], Rational::default())
            }
        };
        let (start, first) = (rational(&task["start"]), task["part"][0].as_u64().unwrap());
        let (node, operands) = if task["send"].is_object() {
            let (at, operands, since) = input(0, first);
            assert!(task["send"]["from"] == at.as_str() && since <= start);
            assert!(!task["send"]["links"].as_array().unwrap().is_empty());
            (task["send"]["to"].as_str().unwrap().to_string(), operands)
        } else {
            let split = task["merge"]["split"].as_u64().unwrap();
            let ((at, mut operands, since), (there, right, and_since)) =
                (input(0, first), input(1, split + 1));
            assert!(
                task["merge"]["node"] == at.as_str()
                    && at == there
                    && since <= start
                    && and_since <= start
            );
            operands.extend(right);
            (at, operands)
        };
        assert!(node.starts_with('p'), "{node} is a router");
        left.push((node, operands, rational(&task["end"])));
    }
    let served = table["results"].as_array().unwrap();
    for result in served {
        let (node, operands, _) = &left[result["task"].as_u64().unwrap() as usize];
        let mut operands = operands.clone();
        operands.sort_unstable();
        let whole: Vec<u64> =
            (result["part"][0].as_u64().unwrap()..=result["part"][1].as_u64().unwrap()).collect();
        assert!(result["node"] == node.as_str() && operands == whole);
    }
    let mut wanted = 0;
    for demand in table["demands"].as_array().unwrap() {
        for goal in demand["goals"].as_array().unwrap() {
            let has = goal["part"][0] == goal["part"][1]
                && demand["owners"][goal["part"][0].as_u64().unwrap() as usize] == goal["node"];
            wanted += if has {
                0
            } else {
                demand["started"].as_u64().unwrap()
            };
        }
    }
    assert_eq!(served.len() as u64, wanted);
}

#[test]
fn routers_are_left_out() {
    for name in [
        "scatter",
        "gather",
        "all-gather",
        "reduce",
        "all-reduce",
        "scan",
        "reduce-scatter",
    ] {
        for seed in 0..6 {
            let mut dice = Dice(seed);
            let platform = platform(4, 3, &mut dice);
            let nodes: Vec<_> = platform.node_ids().take(4).collect();
            let (collective, volumes) = (collective(name, &nodes), Volumes::default());
            let problem = Problem::new(&platform, &collective, &volumes).unwrap();
            let schedule = schedule(&problem, 3, &mut dice);
            for pieces in [None, Some(1), Some(7)] {
                let asked = pieces.map_or(Pieces::Exact, Pieces::Number);
                let request = Request {
                    pieces: asked,
                    between_processors: true,
                    ..Request::new(&problem, &schedule)
                };
                let files = oneport_exports::format("events")
                    .unwrap()
                    .write(&request)
                    .unwrap()
                    .files;
                let table: Value = serde_json::from_str(&files[0].text()).unwrap();
                assert_eq!(table["instances"], pieces.unwrap_or(3));
                follow(&table);
            }
        }
    }
}
