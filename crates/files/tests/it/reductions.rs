//! Plans of reductions: trees, sizes and work by the operands combined.

use crate::common::{plan_from_json, plan_to_json};
use crate::common::{ratio, reads_back, refused};
use oneport_plan::{
    Amount, BigUint, Certificate, Collective, Interval, MergeTask, Pattern, PeriodicSchedule,
    Problem, Resource, ScheduledPattern, Slot, Status, SteadyState, Task, TaskTable, Volumes,
    WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform};
use oneport_testkit::Parts;

fn part(first: usize, last: usize) -> Interval {
    Interval { first, last }
}

/// The example of RR-4872, figure 6: two trees, three reductions in period 3.
fn figure_6() -> Parts {
    let mut builder = Platform::builder();
    let ids: Vec<_> = [
        ("P0", ratio(1, 2)),
        ("P1", ratio(1, 1)),
        ("P2", ratio(1, 1)),
    ]
    .map(|(name, compute)| {
        builder
            .node(Node::processor(name, compute))
            .expect("a node")
    })
    .to_vec();
    for (from, to) in [(1, 2), (2, 1), (1, 0), (2, 0)] {
        builder
            .link(ids[from], ids[to], ratio(1, 1))
            .expect("a link");
    }
    let tree = |given, owner, at: usize, result| {
        let tasks = vec![
            Task::send(LinkId::new(given), part(owner, owner)),
            Task::merge(ids[at], part(1, 2), 1),
            Task::send(LinkId::new(result), part(1, 2)),
            Task::merge(ids[0], part(0, 2), 0),
        ];
        Pattern::tree(0, None, tasks)
    };
    let (first, second) = (tree(0, 1, 2, 3), tree(1, 2, 1, 2));
    let slot = |length, links: [usize; 2]| Slot {
        shares: Vec::new(),
        length,
        links: links.map(LinkId::new).to_vec(),
    };
    let platform = builder.build().expect("a platform");
    let reduce = Collective::reduce(ids[0], ids.clone()).in_order();
    Parts {
        problem: Problem::new(platform, reduce, Volumes::default()).expect("a problem"),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 1),
            patterns: vec![
                WeightedPattern {
                    pattern: first.clone(),
                    weight: ratio(2, 3),
                },
                WeightedPattern {
                    pattern: second.clone(),
                    weight: ratio(1, 3),
                },
            ],
        },
        certificate: Certificate::of_prices(vec![
            (Resource::Receive(ids[0]), ratio(1, 1)),
            (Resource::Compute(ids[1]), ratio(1, 7)),
        ]),
        upper_bound: ratio(1, 1),
        schedule: PeriodicSchedule {
            period: ratio(3, 1),
            instances: BigUint::from(3_u32),
            patterns: vec![
                ScheduledPattern {
                    pattern: first,
                    copies: BigUint::from(2_u32),
                },
                ScheduledPattern {
                    pattern: second,
                    copies: BigUint::from(1_u32),
                },
            ],
            slots: vec![slot(ratio(2, 1), [0, 3]), slot(ratio(1, 1), [1, 2])],
        },
    }
}

/// The plan's platform with links from P0, too.
fn both_ways(plan: &Parts) -> Platform {
    let mut builder = Platform::builder();
    for node in plan.platform().nodes() {
        builder.node(node.clone()).expect("a node");
    }
    for link in plan.platform().links() {
        let cost = link.cost.clone();
        builder.link(link.from, link.to, cost).expect("a link");
    }
    for to in [1, 2] {
        let [from, to] = [0, to].map(NodeId::new);
        builder.link(from, to, ratio(1, 1)).expect("a link");
    }
    builder.build().expect("a platform")
}

/// The nodes and tasks of figure 6 as a commutative reduce-scatter, with trees in orders of their own.
fn reduce_scatter() -> Parts {
    let mut plan = figure_6();
    let participants = (0..3).map(NodeId::new).collect();
    let volumes = Volumes {
        size: Amount::Affine {
            fixed: ratio(1, 1),
            per_operand: ratio(1, 2),
        },
        ..Volumes::default()
    };
    let collective = Collective::reduce_scatter(participants);
    plan.problem = Problem::new(both_ways(&plan), collective, volumes).expect("a problem");
    let order = |pattern: &mut Pattern, target, order: Option<Vec<usize>>| {
        (pattern.demand, pattern.order) = (target, order);
    };
    order(
        &mut plan.steady_state.patterns[0].pattern,
        2,
        Some(vec![2, 0, 1]),
    );
    order(&mut plan.steady_state.patterns[1].pattern, 1, None);
    order(
        &mut plan.schedule.patterns[0].pattern,
        0,
        Some(vec![1, 0, 2]),
    );
    plan
}

/// The layout of the file is a contract with scripts.
#[test]
fn figure_6_as_text() {
    let text = plan_to_json(&figure_6());
    let expected = r#"{
  "format": "oneport-plan/3",
  "collective": {"name": "reduce", "target": "P0", "participants": ["P0", "P1", "P2"], "commutative": false},
  "model": "full-duplex",
  "size": "1",
  "work": "1",
  "status": "optimal",
  "throughput": "1",
  "upper_bound": "1",
  "certificate": {
    "prices": [
      {"resource": "receive", "node": "P0", "price": "1"},
      {"resource": "compute", "node": "P1", "price": "1/7"}
    ]
  },
  "patterns": [
    {"demand": 0, "tasks": [{"link":0,"part":[1,1]},{"merge":"P2","part":[1,2],"split":1,"left":0,"right":null},{"link":3,"part":[1,2]},{"merge":"P0","part":[0,2],"split":0,"left":null,"right":2}], "weight": "2/3"},
    {"demand": 0, "tasks": [{"link":1,"part":[2,2]},{"merge":"P1","part":[1,2],"split":1,"left":null,"right":0},{"link":2,"part":[1,2]},{"merge":"P0","part":[0,2],"split":0,"left":null,"right":2}], "weight": "1/3"}
  ],
"#;
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(plan_from_json("figure 6", text.as_bytes()), Ok(figure_6()));
    // Commutative only if the file states it.
    let silent = text.replace(", \"commutative\": false", "");
    assert_eq!(
        plan_from_json("figure 6", silent.as_bytes()),
        Ok(figure_6())
    );
    let text = plan_to_json(&reduce_scatter());
    for line in [
        r#""collective": {"name": "reduce-scatter", "participants": ["P0", "P1", "P2"], "commutative": true},"#,
        r#""size": {"fixed": "1", "per_operand": "1/2"},"#,
        r#"{"demand": 2, "order": ["P2","P0","P1"], "tasks": [{"link":0,"#,
        r#"{"demand": 1, "tasks": [{"link":1,"#,
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(
        plan_from_json("scatter", text.as_bytes()),
        Ok(reduce_scatter())
    );
}

#[test]
fn amounts_are_numbers_pairs_or_tables() {
    let mut plan = figure_6();
    let row = |values: &[i64]| {
        values
            .iter()
            .map(|&value| ratio(value, 3))
            .collect::<Vec<_>>()
    };
    let table = Amount::Table(vec![row(&[1, 2, 3]), row(&[4, 5]), row(&[6])]);
    let affine = Amount::Affine {
        fixed: ratio(0, 1),
        per_operand: ratio(1, 9),
    };
    let mut tasks = TaskTable::default();
    for (at, task) in MergeTask::all(3).enumerate() {
        tasks
            .everywhere
            .extend((at != 1).then(|| (task, ratio(at as i64, 3))));
        tasks.at.extend(
            plan.platform()
                .processors()
                .skip(1)
                .map(|node| ((task, node), (at != 2).then(|| ratio(1, 7)))),
        );
    }
    for size in [
        Amount::Constant(ratio(22, 7)),
        affine.clone(),
        table.clone(),
    ] {
        for work in [
            Amount::Tasks(tasks.clone()),
            Amount::Constant(ratio(0, 1)),
            affine.clone(),
            table.clone(),
        ] {
            let volumes = Volumes {
                size: size.clone(),
                work,
            };
            plan.problem =
                Problem::new(plan.platform(), plan.collective(), volumes).expect("a problem");
            let text = plan_to_json(&plan);
            assert_eq!(
                plan_from_json("amounts", text.as_bytes()).as_ref(),
                Ok(&plan),
                "{text}"
            );
        }
    }
    let text = plan_to_json(&plan);
    assert!(
        text.contains(r#""size": [["1/3", "2/3", "1"], ["4/3", "5/3"], ["2"]],"#),
        "{text}"
    );
}

/// One change each: refused, with the location and a correct form.
#[test]
fn perturbed_plans_are_refused() {
    let text = plan_to_json(&figure_6());
    for (from, to, parts) in [
        (
            "\"reduce\"",
            "\"reduse\"",
            &["plan:3: collective.name", "\"reduse\"", "reduce-scatter"][..],
        ),
        (
            "\"commutative\": false",
            "\"commutative\": \"no\"",
            &["collective.commutative", "\"no\"", "true or false"],
        ),
        (
            "\"commutative\": false",
            "\"source\": \"P0\"",
            &["collective", "'collective.source'", "name, target"],
        ),
        (
            "\"reduce\"",
            "\"gather\"",
            &[
                "collective",
                "'collective.commutative'",
                "name, target, participants",
            ],
        ),
        (
            "\"reduce\"",
            "\"reduce-scatter\"",
            &[
                "collective",
                "'collective.target'",
                "participants, commutative",
            ],
        ),
        (
            "[\"P0\", \"P1\", \"P2\"]",
            "[\"P0\"]",
            &["collective", "single participant"],
        ),
        (
            "[\"P0\", \"P1\", \"P2\"]",
            "[\"P0\", \"P9\"]",
            &["collective.participants[1]", "'P9'", "did you mean"],
        ),
        (
            "  \"work\": \"1\",\n",
            "",
            &["plan:1", "'work' is missing", "the work of every merge"],
        ),
        (
            "\"work\": \"1\"",
            "\"work\": \"-1\"",
            &["plan:6: work", "work -1", "0 or more"],
        ),
        (
            "\"work\": \"1\"",
            "\"work\": null",
            &["plan:6: work", "null", "per_operand"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": \"0\"",
            &["plan:5: size", "size 0", "positive"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": \"\\n\"",
            &["plan:5: size", "a number"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": {\"fixed\": 1}",
            &["size", "'per_operand' is missing"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": {\"each\": 1}",
            &["size", "'each'", "fixed, per_operand"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": {\"fixed\": 1, \"per_operand\": []}",
            &["size.per_operand", "an array"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": {\"fixed\": 1, \"per_operand\": -1}",
            &["size", "v[0,", "positive"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": [1]",
            &["plan:5: size[0]", "a row of a table"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": [[1,1,1],[1,1]]",
            &["plan:5: size", "2 entries", "3 rows"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": [[1,1,1],[1,1],[]]",
            &["plan:5: size", "row 2 has 0 entries", "1 here"],
        ),
        (
            "\"work\": \"1\"",
            "\"work\": [[1,1,1],[1,1],[1,1]]",
            &["plan:6: work", "row 2 has 2 entries", "1 here"],
        ),
        (
            "\"work\": \"1\"",
            "\"work\": [[1,1,1],[1,\"x\"],[1]]",
            &["plan:6: work[1][1]", "'x'", "a number"],
        ),
        (
            "\"work\": \"1\"",
            "\"work\": [[1,-1,1],[1,1],[1]]",
            &["plan:6: work", "v[0,1]", "0 or more"],
        ),
        (
            "\"compute\", \"node\"",
            "\"link\", \"node\"",
            &["certificate.prices[1].node", "'node' is given", "a link"],
        ),
        (
            "{\"demand\": 0",
            "{\"to\": \"P0\"",
            &[
                "plan:17: patterns[0]",
                "'to'",
                "demand, order, tasks, weight",
            ],
        ),
        (
            "{\"demand\": 0, ",
            "{",
            &["patterns[0]", "'demand' is missing"],
        ),
        (
            "{\"demand\": 0",
            "{\"demand\": 1",
            &["patterns[0].demand", "demand 1", "there are 1"],
        ),
        (
            "{\"demand\": 0",
            "{\"demand\": \"P0\"",
            &["patterns[0].demand", "\"P0\"", "counted from 0"],
        ),
        (
            "\"tasks\"",
            "\"links\"",
            &["patterns[0]", "'links'", "tasks"],
        ),
        (
            "\"tasks\"",
            "\"order\": [\"P0\"], \"tasks\"",
            &["patterns[0].order", "not commutative", "leave it out"],
        ),
        (
            "{\"link\":0,",
            "{\"link\":4,",
            &["patterns[0].tasks[0].link", "link 4", "there are 4"],
        ),
        (
            "{\"link\":0,",
            "{\"link\":-1,",
            &["patterns[0].tasks[0].link", "-1", "counted from 0"],
        ),
        (
            "{\"link\":0,",
            "{",
            &["patterns[0].tasks[0]", "'link' is missing", "'merge'"],
        ),
        (
            "{\"link\":0,",
            "{\"link\":0,\"merge\":\"P1\",",
            &["patterns[0].tasks[0]", "both 'link' and 'merge'"],
        ),
        (
            "{\"link\":0,",
            "{\"link\":0,\"split\":0,",
            &["tasks[0].split", "'split' is given", "transfer"],
        ),
        (
            "{\"link\":0,\"part\":[1,1]}",
            "{\"link\":0}",
            &["patterns[0].tasks[0]", "'part' is missing"],
        ),
        (
            "[1,1]",
            "[1]",
            &["patterns[0].tasks[0].part", "shorter", "[k,m]"],
        ),
        (
            "[1,1]",
            "[1,1,1]",
            &["patterns[0].tasks[0].part[2]", "third", "[k,m]"],
        ),
        (
            "[1,1]",
            "\"1-1\"",
            &["patterns[0].tasks[0].part", "\"1-1\"", "an array"],
        ),
        (
            "[1,1]",
            "[1,3]",
            &["patterns[0].tasks[0].part[1]", "operand 3", "there are 3"],
        ),
        (
            "[1,1]",
            "[18446744073709551616,1]",
            &["tasks[0].part[0]", "18446744073709551616", "there are 3"],
        ),
        (
            "[1,1]",
            "[1.0,1]",
            &["tasks[0].part[0]", "1.0", "counted from 0"],
        ),
        (
            "\"merge\":\"P2\"",
            "\"merge\":\"P8\"",
            &["patterns[0].tasks[1].merge", "'P8'", "did you mean"],
        ),
        (
            "\"merge\":\"P2\"",
            "\"merge\":2",
            &["patterns[0].tasks[1].merge", "2", "a string"],
        ),
        (
            ",\"split\":1",
            "",
            &["patterns[0].tasks[1]", "'split' is missing"],
        ),
        (
            ",\"split\":1",
            ",\"split\":3",
            &["patterns[0].tasks[1].split", "operand 3", "there are 3"],
        ),
        (
            ",\"split\":1",
            ",\"split\":18446744073709551615",
            &["tasks[1].split", "18446744073709551615"],
        ),
        (
            "\"weight\": \"2/3\"",
            "\"copies\": \"2\"",
            &["patterns[0]", "'copies'", "weight"],
        ),
        (
            "\"copies\": \"2\"",
            "\"weight\": \"2\"",
            &["schedule.patterns[0]", "'weight'", "copies"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
    for end in 0..text.trim_end().len() {
        assert!(
            plan_from_json("cut", &text.as_bytes()[..end]).is_err(),
            "cut at {end}"
        );
    }
}

#[test]
fn orders_name_participants_once() {
    let text = plan_to_json(&reduce_scatter());
    let order = "[\"P2\",\"P0\",\"P1\"]";
    for (from, to, parts) in [
        (
            order,
            "[\"P2\",\"P2\",\"P1\"]",
            &["patterns[0].order[1]", "\"P2\"", "not in the order yet"][..],
        ),
        (
            order,
            "[\"P2\",\"P0\",\"Px\"]",
            &["patterns[0].order[2]", "'Px'", "did you mean"],
        ),
        (
            order,
            "[\"P2\",\"P0\",1]",
            &["patterns[0].order[2]", "1", "a string"],
        ),
        (
            order,
            "\"P2\"",
            &["patterns[0].order", "\"P2\"", "an array"],
        ),
        (
            ", \"P2\"], \"commutative\"",
            "], \"commutative\"",
            &["patterns[0].demand", "demand 2", "there are 2"],
        ),
        (
            "\"commutative\": true",
            "\"commutative\": false",
            &["patterns[0].order", "not commutative"],
        ),
        (
            "{\"fixed\": \"1\", \"per_operand\": \"1/2\"}",
            "[[1,1,1],[1,1],[1]]",
            &["plan:5: size", "commutative"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
    let four = text.replace(
        "\"participants\": [\"P0\", \"P1\", \"P2\"]",
        "\"participants\": [\"P0\", \"P1\"]",
    );
    let four = four.replace("{\"demand\": 2", "{\"demand\": 1");
    refused(
        &four,
        order,
        order,
        &["patterns[0].order[0]", "\"P2\"", "a participant"],
    );
    // A short order is nonsense, and the referee's part.
    let short = text.replacen(order, "[\"P1\"]", 1);
    let read = plan_from_json("short", short.as_bytes()).expect("names that exist");
    assert_eq!(read.steady_state.patterns[0].pattern.order, Some(vec![1]));
}

#[test]
fn work_and_trees_belong_to_reductions() {
    let mut plan = figure_6();
    let all_to_all = Collective::all_to_all((0..3).map(NodeId::new).collect());
    plan.problem =
        Problem::new(both_ways(&plan), all_to_all, Volumes::default()).expect("a problem");
    let text = plan_to_json(&plan);
    assert!(!text.contains("\"work\""), "{text}");
    refused(
        &text,
        "\"size\": \"1\",",
        "\"size\": \"1\", \"work\": \"1\",",
        &["plan:5: work", "combines nothing"],
    );
    refused(
        &text,
        "\"size\": \"1\",",
        "\"size\": [[\"1\"]],",
        &["plan:5: size", "nothing is combined"],
    );
}

/// An invalid id does not panic: it is written as null or as its number, and refused when read.
#[test]
fn foreign_ids_are_written_and_refused() {
    let change = |change: fn(&mut Pattern)| {
        let mut plan = reduce_scatter();
        change(&mut plan.steady_state.patterns[0].pattern);
        plan_to_json(&plan)
    };
    for (text, part) in [
        (
            change(|tree| tree.demand = 3),
            "patterns[0].demand: demand 3",
        ),
        (
            change(|tree| tree.order = Some(vec![usize::MAX])),
            "patterns[0].order[0]: null",
        ),
        (
            change(|tree| tree.tasks[1] = Task::merge(NodeId::new(9), part(0, 1), 0)),
            "patterns[0].tasks[1].merge: null",
        ),
        (
            change(|tree| tree.tasks[0] = Task::send(LinkId::new(9), part(0, 1))),
            "patterns[0].tasks[0].link: link 9",
        ),
        (
            change(|tree| {
                tree.tasks[0] = Task::send(LinkId::new(0), part(usize::MAX, usize::MAX));
            }),
            "patterns[0].tasks[0].part[0]: operand 18446744073709551615",
        ),
    ] {
        let error = plan_from_json("foreign", text.as_bytes()).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn hostile_sizes_end_in_time() {
    let text = plan_to_json(&figure_6());
    let size = "\"size\": \"1\"";
    let rows = format!("\"size\": [{}[]]", "[],".repeat(1_000_000));
    refused(
        &text,
        size,
        &rows,
        &["plan:5: size[2000]", "over 2000 operands"],
    );
    let row = format!("\"size\": [[{}1]]", "1,".repeat(5_000_000));
    refused(
        &text,
        size,
        &row,
        &["plan:5: size[0][2000]", "over 2000 operands"],
    );
    let row = format!("\"size\": [[1],[{}1]]", "1,".repeat(1999));
    refused(
        &text,
        size,
        &row,
        &["plan:5: size[1][1999]", "over 2000 operands"],
    );
    let deep = format!(
        "\"size\": {}{}",
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    refused(&text, size, &deep, &["plan:5: size[0][0]", "an array"]);
    let long = format!("\"size\": \"{}\"", "9".repeat(5_000_000));
    refused(&text, size, &long, &["plan:5: size", "5000000 characters"]);
    let ends = format!("[{}1]", "1,".repeat(5_000_000));
    refused(&text, "[1,1]", &ends, &["tasks[0].part[2]", "third"]);
    let digits = format!("[{},1]", "9".repeat(5_000_000));
    refused(
        &text,
        "[1,1]",
        &digits,
        &["tasks[0].part[0]", "5000000 characters"],
    );
    let scattered = plan_to_json(&reduce_scatter());
    let names = format!("[{}\"P0\"]", "\"P0\",".repeat(1_000_000));
    refused(
        &scattered,
        "[\"P2\",\"P0\",\"P1\"]",
        &names,
        &["patterns[0].order[1]", "\"P0\""],
    );
}

/// 150 values, 400 trees of 600 tasks each, twice.
#[test]
fn a_large_plan_is_written_and_read_fast() {
    let (count, trees, tasks) = (150, 400, 600);
    let mut builder = Platform::builder();
    let ids: Vec<_> = (0..count)
        .map(|index| {
            builder
                .node(Node::processor(format!("node-{index}"), ratio(1, 3)))
                .expect("a node")
        })
        .collect();
    for index in 0..count {
        builder
            .duplex(
                ids[index],
                ids[(index + 1) % count],
                ratio(index as i64 + 1, 7),
            )
            .expect("a link");
    }
    let tree = |seed: usize| {
        let task = |index: usize| {
            let first = (index * 7 + seed) % count;
            let whole = part(first, count - 1);
            if index.is_multiple_of(4) {
                Task::merge(ids[index % count], whole, first)
            } else {
                Task::send(LinkId::new((index * 3 + seed) % (2 * count)), whole)
            }
        };
        Pattern::tree(0, None, (0..tasks).map(task))
    };
    let patterns: Vec<Pattern> = (0..trees).map(tree).collect();
    let table = (0..count)
        .map(|first| {
            (first..count)
                .map(|last| ratio((last - first + 1) as i64, 7))
                .collect()
        })
        .collect();
    let reduce = Collective::reduce(ids[0], ids.clone()).in_order();
    let volumes = Volumes {
        size: Amount::Table(table),
        work: Amount::Constant(ratio(1, 1)),
    };
    let platform = builder.build().expect("a platform");
    let plan = Parts {
        problem: Problem::new(platform, reduce, volumes).expect("a problem"),
        steady_state: SteadyState {
            throughput: ratio(1, 1),
            patterns: patterns
                .iter()
                .map(|pattern| WeightedPattern {
                    pattern: pattern.clone(),
                    weight: ratio(1, 400),
                })
                .collect(),
        },
        certificate: Certificate::of_prices(
            ids.iter()
                .map(|&id| (Resource::Compute(id), ratio(2, 3)))
                .collect(),
        ),
        schedule: PeriodicSchedule {
            period: ratio(400, 1),
            instances: BigUint::from(400_u32),
            patterns: patterns
                .into_iter()
                .map(|pattern| ScheduledPattern {
                    pattern,
                    copies: BigUint::from(1_u32),
                })
                .collect(),
            slots: Vec::new(),
        },
        ..figure_6()
    };
    reads_back(plan, 25_000_000);
}
