//! Plans of broadcasts, all-gathers, all-reduces, scans and groups, under every port model.

use crate::common::{plan_from_json, plan_to_json};
use crate::common::{ratio, reads_back, refused};
use oneport_plan::inequality::{Cut, Inequality, Need, Tree};
use oneport_plan::{
    Amount, BigUint, CapacityRow, Certificate, Collective, Interval, Member, OddSet, Pattern,
    PeriodicSchedule, Problem, Resource, ScheduledPattern, Slot, Status, SteadyState, Task,
    Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel};
use oneport_testkit::Parts;

fn part(first: usize, last: usize) -> Interval {
    Interval { first, last }
}

fn nodes(list: &[usize]) -> Vec<NodeId> {
    list.iter().map(|&node| NodeId::new(node)).collect()
}

fn transfer(link: usize, part: Interval, after: Option<u32>) -> Task {
    Task::Send {
        link: LinkId::new(link),
        part,
        after,
    }
}

fn merge(node: usize, part: Interval, split: usize, inputs: [Option<u32>; 2]) -> Task {
    let [left, right] = inputs;
    Task::Merge {
        node: NodeId::new(node),
        part,
        split,
        left,
        right,
    }
}

fn copies(commodity: usize, hops: &[(usize, Option<u32>)]) -> Pattern {
    let hop = |&(link, after): &(usize, Option<u32>)| (LinkId::new(link), after);
    Pattern::arborescence(commodity, hops.iter().map(hop))
}

/// A line of three processors, both ways: links 0: A B, 1: B A, 2: B C, 3: C B.
fn plan(collective: Collective, patterns: Vec<Pattern>) -> Parts {
    let mut builder = Platform::builder();
    let ids = ["A", "B", "C"].map(|name| {
        builder
            .node(Node::processor(name, ratio(1, 1)))
            .expect("a node")
    });
    builder.duplex(ids[0], ids[1], ratio(1, 1)).expect("a link");
    builder.duplex(ids[1], ids[2], ratio(2, 1)).expect("a link");
    let weight = ratio(1, 2);
    let weighted = |pattern: &Pattern| WeightedPattern {
        pattern: pattern.clone(),
        weight: weight.clone(),
    };
    let scheduled = |pattern: &Pattern| ScheduledPattern {
        pattern: pattern.clone(),
        copies: BigUint::from(1_u32),
    };
    let platform = builder.build().expect("a platform");
    Parts {
        problem: Problem::new(platform, collective, Volumes::of_size(ratio(1, 1)))
            .expect("a problem"),
        status: Status::Feasible,
        steady_state: SteadyState {
            throughput: ratio(1, 2),
            patterns: patterns.iter().map(weighted).collect(),
        },
        certificate: Certificate::default(),
        upper_bound: ratio(1, 1),
        schedule: PeriodicSchedule {
            period: ratio(2, 1),
            instances: BigUint::from(1_u32),
            patterns: patterns.iter().map(scheduled).collect(),
            slots: vec![Slot {
                shares: Vec::new(),
                length: ratio(1, 1),
                links: vec![LinkId::new(0), LinkId::new(2)],
            }],
        },
    }
}

fn with_model(plan: &mut Parts, model: PortModel) {
    let platform = plan.platform().clone().with_model(model);
    plan.problem = plan.problem.on(platform).expect("a problem");
}

fn broadcast() -> Parts {
    let mut plan = plan(
        Collective::broadcast(NodeId::new(0), nodes(&[2, 1])),
        vec![copies(0, &[(0, None), (2, Some(0))])],
    );
    with_model(&mut plan, PortModel::HalfDuplex);
    let set = OddSet {
        ports: nodes(&[0, 1, 2]).into_iter().map(Resource::Port).collect(),
        links: vec![LinkId::new(3)],
    };
    let prices = [
        (Resource::Port(NodeId::new(1)), ratio(1, 3)),
        (Resource::Link(LinkId::new(2)), ratio(1, 5)),
    ];
    let cut = |demand, inside: &[usize], weight| {
        let inequality = Inequality::Cut(Cut {
            nodes: nodes(inside),
        });
        Need {
            demand,
            inequality,
            weight,
        }
    };
    let cuts = [
        cut(None, &[0], ratio(1, 4)),
        cut(Some(0), &[0, 1], ratio(3, 4)),
    ];
    plan.certificate = Certificate::new(prices, [(set, ratio(1, 2))], cuts);
    plan
}

fn all_reduce() -> Parts {
    let tasks = vec![
        transfer(0, part(0, 0), None),
        transfer(3, part(2, 2), None),
        merge(1, part(0, 1), 0, [Some(0), None]),
        merge(1, part(0, 2), 1, [Some(2), Some(1)]),
        transfer(1, part(0, 2), Some(3)),
        transfer(2, part(0, 2), Some(3)),
    ];
    plan(
        Collective::all_reduce(nodes(&[0, 1, 2])),
        vec![
            Pattern {
                demand: 0,
                order: None,
                tasks: tasks.clone(),
            },
            Pattern {
                demand: 0,
                order: Some(vec![2, 1, 0]),
                tasks,
            },
        ],
    )
}

fn scan() -> Parts {
    let tasks = vec![
        transfer(0, part(0, 0), None),
        merge(1, part(0, 1), 0, [Some(0), None]),
        transfer(2, part(0, 1), Some(1)),
        merge(2, part(0, 2), 1, [Some(2), None]),
    ];
    let mut plan = plan(
        Collective::scan(nodes(&[0, 1, 2])),
        vec![Pattern {
            demand: 0,
            order: None,
            tasks,
        }],
    );
    let tree = |goal, prices| Need::once(Some(0), Inequality::Tree(Tree { goal, prices }));
    let merge = Task::merge(NodeId::new(1), part(0, 1), 0);
    let send = Task::send(LinkId::new(2), part(0, 1));
    let second = vec![(send, ratio(2, 1)), (merge, ratio(2, 3))];
    plan.certificate.needs = vec![tree(1, vec![(merge, ratio(1, 3))]), tree(2, second)];
    plan
}

/// Every kind of demand. The commutative reduction has an order of its own.
fn groups() -> Parts {
    let member = |rate, collective| Member { collective, rate };
    let line = || nodes(&[0, 1]);
    let scheme = |commodity| {
        let tasks = vec![
            transfer(0, part(0, 0), None),
            merge(1, part(0, 1), 0, [Some(0), None]),
            transfer(1, part(0, 1), Some(1)),
        ];
        Pattern {
            demand: commodity,
            order: None,
            tasks,
        }
    };
    let reduction = Pattern::tree(
        6,
        Some(vec![1, 0]),
        vec![
            Task::send(LinkId::new(2), part(0, 0)),
            Task::merge(NodeId::new(2), part(0, 1), 0),
        ],
    );
    plan(
        Collective::Groups(vec![
            member(1, Collective::scatter(NodeId::new(0), nodes(&[1, 2]))),
            member(3, Collective::all_gather(line())),
            member(1, Collective::all_reduce(line()).in_order()),
            member(u64::MAX, Collective::scan(line())),
            member(2, Collective::reduce(NodeId::new(2), nodes(&[2, 1]))),
        ]),
        vec![
            Pattern::path(0, vec![LinkId::new(0)]),
            Pattern::path(1, vec![LinkId::new(0), LinkId::new(2)]),
            copies(2, &[(0, None)]),
            copies(3, &[(1, None)]),
            scheme(4),
            scheme(5),
            reduction,
        ],
    )
}

/// The layout of the file is a contract with scripts.
#[test]
fn the_layout() {
    let all_gather = plan(
        Collective::all_gather(nodes(&[1, 0])),
        vec![copies(0, &[(1, None)]), copies(1, &[(0, None)])],
    );
    for (plan, lines) in [
        (
            broadcast(),
            &[
                r#"  "collective": {"name": "broadcast", "source": "A", "targets": ["C", "B"]},"#,
                r#"  "certificate": {"#,
                r#"    "prices": ["#,
                r#"      {"resource": "port", "node": "B", "price": "1/3"},"#,
                r#"      {"resource": "link", "link": 2, "price": "1/5"}"#,
                r#"    "odd_sets": ["#,
                r#"      {"ports": [{"resource": "port", "node": "A"}, {"resource": "port", "node": "B"}, {"resource": "port", "node": "C"}], "links": [3], "price": "1/2"}"#,
                r#"    "needs": ["#,
                r#"      {"cut": {"nodes": ["A"]}, "weight": "1/4"},"#,
                r#"      {"demand": 0, "cut": {"nodes": ["A", "B"]}, "weight": "3/4"}"#,
                r#"    {"demand": 0, "tasks": [{"link":0},{"link":2}], "weight": "1/2"}"#,
                r#"      {"demand": 0, "tasks": [{"link":0},{"link":2}], "copies": "1"}"#,
            ][..],
        ),
        (
            all_gather,
            &[
                r#"  "collective": {"name": "all-gather", "participants": ["B", "A"]},"#,
                r#"    {"demand": 1, "tasks": [{"link":0}], "weight": "1/2"}"#,
            ],
        ),
        (
            all_reduce(),
            &[
                r#"  "collective": {"name": "all-reduce", "participants": ["A", "B", "C"], "commutative": true},"#,
                r#"  "work": "1","#,
                r#"    {"demand": 0, "order": ["C","B","A"], "tasks": [{"link":0,"part":[0,0]},{"link":3,"part":[2,2],"after":null},{"merge":"B","part":[0,1],"split":0,"left":0,"right":null},{"merge":"B","part":[0,2],"split":1,"left":2,"right":1},{"link":1,"part":[0,2]},{"link":2,"part":[0,2],"after":3}], "weight": "1/2"}"#,
            ],
        ),
        (
            scan(),
            &[
                r#"  "collective": {"name": "scan", "participants": ["A", "B", "C"]},"#,
                r#"  "work": "1","#,
                r#"    "needs": ["#,
                r#"      {"demand": 0, "tree": {"goal": 1, "prices": [{"merge":"B","part":[0,1],"split":0,"price":"1/3"}]}, "weight": "1"},"#,
                r#"      {"demand": 0, "tree": {"goal": 2, "prices": [{"link":2,"part":[0,1],"price":"2"},"#,
                r#"        {"merge":"B","part":[0,1],"split":0,"price":"2/3"}]}, "weight": "1"}"#,
            ],
        ),
        (
            groups(),
            &[
                r#"  "collective": {"name": "groups", "members": ["#,
                r#"    {"rate": "1", "collective": {"name": "scatter", "source": "A", "targets": ["B", "C"]}},"#,
                r#"    {"rate": "2", "collective": {"name": "reduce", "target": "C", "participants": ["C", "B"], "commutative": true}}"#,
                r#"  ]},"#,
                r#"    {"demand": 1, "tasks": [{"link":0},{"link":2}], "weight": "1/2"},"#,
                r#"    {"demand": 3, "tasks": [{"link":1}], "weight": "1/2"},"#,
                r#"    {"demand": 6, "order": ["B","C"], "tasks": [{"link":2,"part":[0,0]},{"merge":"C","part":[0,1],"split":0,"left":0,"right":null}], "weight": "1/2"}"#,
            ],
        ),
    ] {
        let text = plan_to_json(&plan);
        for line in lines {
            assert!(
                text.lines().any(|other| other == *line),
                "{line}\nin {text}"
            );
        }
        // Absent if it has no content.
        assert_eq!(
            text.contains("odd_sets"),
            plan.certificate.odd_sets().next().is_some()
        );
        assert_eq!(text.contains("needs"), !plan.certificate.needs.is_empty());
        assert_eq!(text.contains("\"work\""), plan.collective().combines());
        assert_eq!(
            plan_from_json("plan", text.as_bytes()).as_ref(),
            Ok(&plan),
            "{text}"
        );
        for end in 0..text.trim_end().len() {
            assert!(
                plan_from_json("cut", &text.as_bytes()[..end]).is_err(),
                "cut at {end}"
            );
        }
    }
    // A rate may be a JSON number, empty lists may be there, commutative may be silent.
    let loose = plan_to_json(&groups()).replace("\"rate\": \"3\"", "\"rate\": 3");
    assert_eq!(plan_from_json("loose", loose.as_bytes()), Ok(groups()));
    let loose = plan_to_json(&all_reduce()).replacen(
        "\"prices\": [",
        "\"odd_sets\": [], \"needs\": [], \"prices\": [",
        1,
    );
    assert!(loose.contains("needs"));
    assert_eq!(plan_from_json("loose", loose.as_bytes()), Ok(all_reduce()));
}

#[test]
fn every_model_and_resource_is_read_back() {
    for model in PortModel::ALL {
        let mut plan = broadcast();
        with_model(&mut plan, model);
        let resources = Resource::of_platform(plan.platform());
        plan.certificate = Certificate::of_prices(
            resources
                .into_iter()
                .map(|one| (one, ratio(1, 9)))
                .collect(),
        );
        assert!(!plan.certificate.rows.is_empty());
        assert_eq!(
            plan_from_json("plan", plan_to_json(&plan).as_bytes()),
            Ok(plan)
        );
    }
}

/// One change each: refused, with the location and a correct form.
#[test]
fn perturbed_broadcasts_are_refused() {
    let text = plan_to_json(&broadcast());
    let (hops, odd) = (
        "[{\"link\":0},{\"link\":2}]",
        "[{\"resource\": \"port\", \"node\": \"A\"},",
    );
    let port = "{\"resource\": \"port\", \"node\": \"B\", \"price\"";
    let link = "{\"resource\": \"link\", \"link\": 2";
    for (from, to, parts) in [
        (
            "\"broadcast\"",
            "\"brodcast\"",
            &[
                "plan:3: collective.name",
                "\"brodcast\"",
                "broadcast, all-gather",
            ][..],
        ),
        (
            "\"source\": \"A\"",
            "\"source\": \"B\"",
            &["plan:3: collective", "'B'", "itself"],
        ),
        (
            "\"source\": \"A\", ",
            "",
            &["collective", "'source' is missing"],
        ),
        (
            "[\"C\", \"B\"]",
            "[\"C\", \"B\"], \"commutative\": true",
            &["'collective.commutative'", "source, targets"],
        ),
        (
            "[\"C\", \"B\"]",
            "[\"C\", \"B\"], \"members\": []",
            &["'collective.members'", "name, source, targets"],
        ),
        (
            "\"size\": \"1\",",
            "\"size\": \"1\", \"work\": \"1\",",
            &["plan:5: work", "combines nothing"],
        ),
        (
            port,
            "{\"resource\": \"ports\", \"node\": \"B\", \"price\"",
            &["certificate.prices[0].resource", "\"ports\"", "port"],
        ),
        (
            port,
            "{\"resource\": \"port\", \"node\": \"B\", \"link\": 0, \"price\"",
            &["certificate.prices[0].link", "a node"],
        ),
        (
            port,
            "{\"resource\": \"port\", \"price\"",
            &["certificate.prices[0]", "'node' is missing"],
        ),
        (
            link,
            "{\"resource\": \"link\", \"link\": 4",
            &["certificate.prices[1].link", "link 4", "there are 4"],
        ),
        (
            link,
            "{\"resource\": \"link\", \"link\": \"2\"",
            &["certificate.prices[1].link", "\"2\"", "counted from 0"],
        ),
        (
            link,
            "{\"resource\": \"link\", \"node\": \"A\"",
            &["certificate.prices[1].node", "'node' is given"],
        ),
        (
            link,
            "{\"resource\": \"link\"",
            &["certificate.prices[1]", "'link' is missing"],
        ),
        (
            odd,
            "[{\"resource\": \"compute\", \"node\": \"A\"},",
            &[
                "certificate.odd_sets[0].ports[0].resource",
                "compute",
                "a port",
            ],
        ),
        (
            odd,
            "[{\"resource\": \"link\", \"node\": \"A\"},",
            &["certificate.odd_sets[0].ports[0].node", "'node' is given"],
        ),
        (
            odd,
            "[{\"resource\": \"link\", \"link\": 0},",
            &["certificate.odd_sets[0].ports[0]", "unknown key 'link'"],
        ),
        (
            odd,
            "[{\"resource\": \"send\", \"node\": \"Z\"},",
            &["certificate.odd_sets[0].ports[0].node", "'Z'"],
        ),
        (
            "\"links\": [3], ",
            "\"links\": [9], ",
            &["certificate.odd_sets[0].links[0]", "link 9", "there are 4"],
        ),
        (
            "\"links\": [3], ",
            "",
            &["certificate.odd_sets[0]", "'links' is missing"],
        ),
        (
            "\"price\": \"1/2\"",
            "\"weight\": \"1/2\"",
            &["certificate.odd_sets[0]", "'weight'", "ports, links, price"],
        ),
        (
            "\"odd_sets\": [",
            "\"odd_sets\": [7, ",
            &["certificate.odd_sets[0]", "7", "an object"],
        ),
        (
            "\"needs\": [",
            "\"needs\": {}, \"x\": [",
            &["'x'", "prices, odd_sets, needs"],
        ),
        (
            "\"demand\": 0, \"cut\"",
            "\"demand\": 1, \"cut\"",
            &["needs[1].demand", "demand 1", "there are 1"],
        ),
        (
            "\"demand\": 0, \"cut\"",
            "\"demand\": null, \"cut\"",
            &["needs[1].demand", "null"],
        ),
        (
            "\"nodes\": [\"A\"]}, \"weight\"",
            "\"nodes\": [0]}, \"weight\"",
            &["needs[0].cut.nodes[0]", "0", "a string"],
        ),
        (
            "\"weight\": \"1/4\"",
            "\"weight\": \"much\"",
            &["certificate.needs[0].weight", "'much'"],
        ),
        (
            "\"weight\": \"1/4\"",
            "\"wait\": \"1/4\"",
            &["needs[0]", "'wait'", "demand, weight, cut, border"],
        ),
        (
            ", \"weight\": \"1/4\"",
            "",
            &["needs[0]", "'weight' is missing"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}, ",
            "",
            &["needs[0]", "'cut' is missing", "gathering, balance, merges"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}",
            "\"cut\": {}",
            &["needs[0].cut", "'nodes' is missing"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}",
            "\"merges\": {\"n\": 1}",
            &["needs[0].merges", "'n'"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}",
            "\"cut\": {\"nodes\": [\"A\"]}, \"place\": {}",
            &["needs[0]", "'cut'", "'place'"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}",
            "\"border\": {\"direction\": \"up\", \"sets\": []}",
            &["needs[0].border.direction", "\"up\"", "into"],
        ),
        (
            "\"cut\": {\"nodes\": [\"A\"]}",
            "\"balance\": {\"node\": \"A\", \"keeps\": \"all\"}",
            &["needs[0].balance.keeps", "\"all\"", "all that arrives"],
        ),
        (
            "\"demand\": 0, \"tasks\"",
            "\"demand\": 1, \"tasks\"",
            &["patterns[0].demand", "demand 1", "there are 1"],
        ),
        (
            "\"demand\": 0, \"tasks\"",
            "\"tasks\"",
            &["patterns[0]", "'demand' is missing"],
        ),
        (
            "\"demand\": 0, \"tasks\"",
            "\"hops\"",
            &["patterns[0]", "'hops'", "demand, order, tasks, weight"],
        ),
        (
            "\"demand\": 0, \"tasks\"",
            "\"demand\": 0, \"order\": [\"A\"], \"tasks\"",
            &["order", "not commutative"],
        ),
        (hops, "[0,2]", &["patterns[0].tasks[0]", "0", "an object"]),
        (
            hops,
            "[{\"link\":0},{\"after\":0}]",
            &["patterns[0].tasks[1]", "'link' is missing"],
        ),
        (
            hops,
            "[{\"link\":4},{\"link\":2}]",
            &["patterns[0].tasks[0].link", "link 4", "there are 4"],
        ),
        (
            hops,
            "[{\"link\":null},{\"link\":2}]",
            &["patterns[0].tasks[0].link", "null", "the number of a link"],
        ),
        (
            hops,
            "[{\"link\":0,\"after\":0}]",
            &[
                "patterns[0].tasks[0].after",
                "earlier task 0",
                "there are 0",
            ],
        ),
        (
            hops,
            "[{\"link\":0},{\"link\":2,\"after\":1}]",
            &[
                "patterns[0].tasks[1].after",
                "earlier task 1",
                "there are 1",
            ],
        ),
        (
            hops,
            "[{\"link\":0},{\"link\":2,\"after\":4294967296}]",
            &["tasks[1].after", "earlier task 4294967296"],
        ),
        (
            hops,
            "[{\"link\":0},{\"link\":2,\"after\":99999999999999999999}]",
            &["tasks[1].after", "earlier task 9999"],
        ),
        (
            hops,
            "[{\"link\":0},{\"link\":2,\"after\":-1}]",
            &["patterns[0].tasks[1].after", "-1", "counted from 0"],
        ),
        (
            hops,
            "[{\"link\":0},{\"link\":2,\"after\":0.0}]",
            &["patterns[0].tasks[1].after", "0.0", "counted from 0"],
        ),
        (
            hops,
            "[{\"link\":0,\"part\":[0,1]}]",
            &["patterns[0].tasks[0].part[1]", "operand 1", "there are 1"],
        ),
        (
            hops,
            "[{\"merge\":\"A\",\"split\":0}]",
            &["patterns[0].tasks[0]", "'left' is missing"],
        ),
        (hops, "{}", &["patterns[0].tasks", "an object", "an array"]),
    ] {
        refused(&text, from, to, parts);
    }
}

#[test]
fn perturbed_trees_are_refused() {
    let text = plan_to_json(&scan());
    let merge = "{\"merge\":\"B\",\"part\":[0,1],\"split\":0";
    for (from, to, parts) in [
        (
            "\"demand\": 0, \"tree\"",
            "\"tree\"",
            &["needs[0]", "'demand' is missing"][..],
        ),
        (
            "\"demand\": 0, \"tree\"",
            "\"demand\": 1, \"tree\"",
            &["needs[0].demand", "demand 1", "there are 1"],
        ),
        ("\"goal\": 1, ", "", &["needs[0].tree", "'goal' is missing"]),
        (
            "\"goal\": 1,",
            "\"goal\": 3,",
            &["needs[0].tree.goal", "goal 3", "there are 3"],
        ),
        (
            merge,
            "{\"part\":[0,1]",
            &["needs[0].tree.prices[0]", "'link' is missing", "merge"],
        ),
        (
            merge,
            "{\"link\":0,\"merge\":\"B\",\"part\":[0,1]",
            &["needs[0].tree.prices[0]", "'link'", "'merge'"],
        ),
        (
            merge,
            "{\"merge\":\"B\",\"part\":[0,1]",
            &["needs[0].tree.prices[0]", "'split' is missing"],
        ),
        (
            merge,
            "{\"merge\":\"B\",\"part\":[0,3],\"split\":0",
            &["needs[0].tree.prices[0].part[1]", "operand 3"],
        ),
        (
            merge,
            "{\"merge\":\"Z\",\"part\":[0,1],\"split\":0",
            &["needs[0].tree.prices[0].merge", "'Z'"],
        ),
        (
            "\"link\":2,\"part\":[0,1],",
            "\"link\":4,\"part\":[0,1],",
            &["needs[1].tree.prices[0].link", "link 4", "there are 4"],
        ),
        (
            ",\"price\":\"1/3\"",
            "",
            &["needs[0].tree.prices[0]", "'price' is missing"],
        ),
        (
            "\"price\":\"1/3\"",
            "\"price\":\"much\"",
            &["needs[0].tree.prices[0].price", "'much'"],
        ),
        (
            "\"needs\": [",
            "\"needs\": [7, ",
            &["needs[0]", "7", "an object"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
}

#[test]
fn perturbed_schemes_are_refused() {
    let text = plan_to_json(&all_reduce());
    let (first, last) = ("{\"link\":0,\"part\":[0,0]}", "\"left\":0,\"right\":null");
    for (from, to, parts) in [
        (
            first,
            "{\"link\":0}",
            &["patterns[0].tasks[0]", "'part' is missing"][..],
        ),
        (
            first,
            "{\"link\":0,\"part\":[0,0],\"after\":0}",
            &["tasks[0].after", "earlier task 0", "there are 0"],
        ),
        (
            first,
            "{\"link\":0,\"part\":[0,0],\"after\":\"0\"}",
            &["tasks[0].after", "\"0\"", "earlier task"],
        ),
        (
            first,
            "{\"link\":0,\"part\":[0,0],\"after\":null,\"left\":null}",
            &["tasks[0].left", "one input"],
        ),
        (
            first,
            "{\"link\":0,\"part\":[0,3],\"after\":null}",
            &["tasks[0].part[1]", "operand 3", "there are 3"],
        ),
        (
            first,
            "{\"link\":9,\"part\":[0,0],\"after\":null}",
            &["tasks[0].link", "link 9"],
        ),
        (
            first,
            "{\"link\":0,\"merge\":\"A\",\"after\":null}",
            &["tasks[0]", "both 'link' and 'merge'"],
        ),
        (first, "{}", &["tasks[0]", "'link' is missing"]),
        (first, "[0,0,null]", &["tasks[0]", "an array", "an object"]),
        (last, "\"left\":0", &["tasks[2]", "'right' is missing"]),
        (last, "\"right\":0", &["tasks[2]", "'left' is missing"]),
        (
            last,
            "\"left\":2,\"right\":null",
            &["tasks[2].left", "earlier task 2", "there are 2"],
        ),
        (
            last,
            "\"left\":0,\"right\":18446744073709551616",
            &["tasks[2].right", "earlier task 184467"],
        ),
        (
            last,
            "\"left\":0,\"right\":null,\"after\":1",
            &["tasks[2].after", "two inputs"],
        ),
        (
            "\"split\":0",
            "\"split\":3",
            &["tasks[2].split", "operand 3"],
        ),
        (
            "[\"C\",\"B\",\"A\"]",
            "[\"C\",\"C\",\"A\"]",
            &["patterns[1].order[1]", "\"C\"", "each once"],
        ),
        (
            "\"commutative\": true",
            "\"commutative\": false",
            &["patterns[1].order", "not commutative"],
        ),
        (
            "\"demand\": 0, ",
            "\"to\": \"A\", ",
            &["patterns[0]", "'to'", "demand, order, tasks, weight"],
        ),
        ("  \"work\": \"1\",\n", "", &["'work' is missing"]),
        (
            "\"all-reduce\"",
            "\"scan\"",
            &["'collective.commutative'", "name, participants"],
        ),
        (
            "\"all-reduce\"",
            "\"groups\"",
            &["plan:3: collective", "'members' is missing"],
        ),
        (
            "\"all-reduce\"",
            "\"reduce\"",
            &["plan:3: collective", "'target' is missing"],
        ),
        (
            "[\"A\", \"B\", \"C\"]",
            "[\"A\"]",
            &["plan:3: collective", "single participant"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
    let (from, to) = (
        "\"demand\": 0, \"tasks\"",
        "\"demand\": 0, \"order\": [], \"tasks\"",
    );
    refused(
        &plan_to_json(&scan()),
        from,
        to,
        &["order", "not commutative"],
    );
}

#[test]
fn perturbed_groups_are_refused() {
    let text = plan_to_json(&groups());
    let path = "{\"demand\": 1, \"tasks\": [{\"link\":0},{\"link\":2}]";
    let tree = "{\"demand\": 6, \"order\": [\"B\",\"C\"], \"tasks\"";
    for (from, to, parts) in [
        (
            "\"rate\": \"3\"",
            "\"rate\": \"0\"",
            &["plan:5: collective.members[1].rate", "rate 0", "from 1"][..],
        ),
        (
            "\"rate\": \"3\"",
            "\"rate\": \"-3\"",
            &["members[1].rate", "\"-3\"", "whole number"],
        ),
        (
            "\"rate\": \"3\"",
            "\"rate\": 1e2",
            &["members[1].rate", "1e2", "whole number"],
        ),
        (
            "\"rate\": \"3\"",
            "\"rate\": \"18446744073709551616\"",
            &["members[1].rate", "up to 18446744073709551615"],
        ),
        (
            "\"rate\": \"3\", ",
            "",
            &["members[1]", "'rate' is missing"],
        ),
        (
            "\"name\": \"all-gather\"",
            "\"name\": \"groups\"",
            &["members[1].collective.name", "group 2", "itself"],
        ),
        (
            "\"name\": \"all-gather\"",
            "\"name\": \"gather\"",
            &["members[1].collective", "'target' is missing"],
        ),
        (
            "\"name\": \"scan\"",
            "\"name\": \"scatter\"",
            &["members[3].collective", "'targets' is missing"],
        ),
        (
            "\"name\": \"groups\"",
            "\"name\": \"groups\", \"participants\": []",
            &["'collective.participants'", "members"],
        ),
        (
            "\"name\": \"groups\"",
            "\"name\": \"scan\"",
            &["collective", "'participants' is missing"],
        ),
        (
            path,
            "{\"demand\": 7, \"tasks\": []",
            &["patterns[1].demand", "demand 7", "there are 7"],
        ),
        (
            path,
            "{\"demand\": 1",
            &["patterns[1]", "'tasks' is missing"],
        ),
        (
            path,
            "{\"tasks\": []",
            &["patterns[1]", "'demand' is missing"],
        ),
        (
            path,
            "{\"from\": \"A\", \"tasks\": []",
            &["patterns[1]", "'from'", "demand, order, tasks"],
        ),
        (
            tree,
            "{\"demand\": 5, \"order\": [\"B\",\"C\"], \"tasks\"",
            &["patterns[6].order", "not commutative"],
        ),
        (
            tree,
            "{\"demand\": 6, \"order\": [\"A\",\"C\"], \"tasks\"",
            &["patterns[6].order[0]", "a participant"],
        ),
        (
            tree,
            "{\"demand\": 6, \"hops\": [], \"tasks\"",
            &["patterns[6]", "'hops'", "demand, order, tasks"],
        ),
    ] {
        refused(&text, from, to, parts);
    }
    let start = text.find("\"members\": [").expect("members") + "\"members\": [".len();
    let end = text.find("\n  ]},").expect("the end of members");
    let with = |members: &str| format!("{}{members}{}", &text[..start], &text[end..]);
    refused(
        &with(""),
        "groups",
        "groups",
        &["plan:3: collective", "no group is given"],
    );
    // A list of lists of lists: refused at the second.
    let deep =
        "{\"rate\": 1, \"collective\": {\"name\": \"groups\", \"members\": [".repeat(100_000);
    let deep = deep + &"]}}".repeat(100_000);
    refused(
        &with(&deep),
        "groups",
        "groups",
        &["members[0].collective.name", "itself a list of groups"],
    );
}

/// An invalid id does not panic: it is written as null or as its number, and refused when read.
#[test]
fn foreign_ids_are_written_and_refused() {
    let changed = |mut plan: Parts, change: &dyn Fn(&mut Parts)| {
        change(&mut plan);
        plan_to_json(&plan)
    };
    let first = |plan: &mut Parts, pattern| plan.steady_state.patterns[0].pattern = pattern;
    let nowhere = || NodeId::new(77);
    let all: &[(String, &str)] = &[
        (
            changed(broadcast(), &|plan| first(plan, copies(5, &[]))),
            "patterns[0].demand: demand 5",
        ),
        (
            changed(broadcast(), &|plan| first(plan, copies(0, &[(88, None)]))),
            "tasks[0].link: link 88",
        ),
        (
            changed(broadcast(), &|plan| first(plan, copies(0, &[(0, Some(3))]))),
            "tasks[0].after: earlier task 3",
        ),
        (
            changed(broadcast(), &|plan| {
                plan.certificate.rows[0].0 = CapacityRow::Resource(Resource::Port(nowhere()))
            }),
            "certificate.prices[0].node: null",
        ),
        (
            changed(broadcast(), &|plan| {
                plan.certificate.needs[0].inequality = Inequality::Cut(Cut {
                    nodes: vec![nowhere()],
                });
            }),
            "needs[0].cut.nodes[0]: null",
        ),
        (
            changed(broadcast(), &|plan| {
                let set = OddSet {
                    ports: vec![Resource::Link(LinkId::new(1))],
                    links: Vec::new(),
                };
                plan.certificate.rows[2].0 = CapacityRow::OddSet(set);
            }),
            "unknown key 'link'",
        ),
        (
            changed(scan(), &|plan| {
                let tasks = vec![merge(77, part(0, 1), 0, [None, None])];
                first(
                    plan,
                    Pattern {
                        demand: 0,
                        order: None,
                        tasks,
                    },
                );
            }),
            "tasks[0].merge: null",
        ),
        (
            changed(all_reduce(), &|plan| {
                first(
                    plan,
                    Pattern {
                        demand: 0,
                        order: Some(vec![9]),
                        tasks: Vec::new(),
                    },
                );
            }),
            "order[0]: null",
        ),
    ];
    for (text, part) in all {
        let error = plan_from_json("foreign", text.as_bytes()).expect_err(part);
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
}

#[test]
fn hostile_sizes_end_in_time() {
    let text = plan_to_json(&broadcast());
    let tasks = "[{\"link\":0},{\"link\":2}]";
    let chain = format!("[{}{{\"link\":99}}]", "{\"link\":0},".repeat(1_000_000));
    refused(&text, tasks, &chain, &["tasks[1000000].link", "link 99"]);
    let list = format!("[{{\"link\":0,\"after\":[{}0]}}]", "0,".repeat(3_000_000));
    refused(&text, tasks, &list, &["tasks[0].after", "an array"]);
    refused(
        &text,
        tasks,
        &format!("{}{}", "[".repeat(500_000), "]".repeat(500_000)),
        &["tasks[0]", "an array"],
    );
    let long = format!("[{{\"link\":{}}}]", "9".repeat(5_000_000));
    refused(
        &text,
        tasks,
        &long,
        &["tasks[0].link", "5000000 characters"],
    );
    // Orders of many patterns among many participants: each costs its written length.
    let mut plan = all_reduce();
    let count = 3000;
    let mut builder = Platform::builder();
    let ids: Vec<_> = (0..count)
        .map(|id| {
            builder
                .node(Node::processor(format!("n{id}"), ratio(1, 1)))
                .expect("a node")
        })
        .collect();
    for index in 0..count {
        let next = ids[(index + 1) % count];
        builder.link(ids[index], next, ratio(1, 1)).expect("a link");
    }
    let platform = builder.build().expect("a platform");
    plan.problem =
        Problem::new(platform, Collective::all_reduce(ids), Volumes::default()).expect("a problem");
    plan.steady_state.patterns = Vec::new();
    (plan.schedule.patterns, plan.schedule.slots) = (Vec::new(), Vec::new());
    let text = plan_to_json(&plan);
    let line = r#"{"demand": 0, "order": [], "tasks": [], "weight": 1},"#;
    let many = format!("\"patterns\": [\n{}7", line.repeat(300_000));
    refused(
        &text,
        "\"patterns\": [\n",
        &many,
        &["patterns[300000]", "an object"],
    );
    // Many groups and many patterns: no pattern costs the number of groups.
    let member =
        r#"{"rate": 1, "collective": {"name": "broadcast", "source": "A", "targets": ["B"]}},"#;
    let text = plan_to_json(&groups()).replace("  \"work\": \"1\",\n", "");
    let start = text.find("\"members\": [").expect("members") + "\"members\": [".len();
    let end = text.find("\n  ]},").expect("the end of members");
    let members = member.repeat(100_000);
    let text = format!(
        "{}{}{}",
        &text[..start],
        members.trim_end_matches(','),
        &text[end..]
    );
    let start = text.find("  \"patterns\": [").expect("patterns") + "  \"patterns\": [".len();
    let line = r#"{"demand": 99999, "tasks": [], "weight": 1},"#;
    let text = format!(
        "{}{}7,{}",
        &text[..start],
        line.repeat(100_000),
        &text[start..]
    );
    refused(
        &text,
        "groups",
        "groups",
        &["patterns[100000]", "an object"],
    );
}

/// 128 arborescences of 2000 hops and 20 schemes of 2000 tasks, twice each.
#[test]
fn a_large_plan_is_written_and_read_fast() {
    let count = 500;
    let mut builder = Platform::builder();
    let ids: Vec<_> = (0..count)
        .map(|id| {
            builder
                .node(Node::processor(format!("n{id}"), ratio(1, 1)))
                .expect("a node")
        })
        .collect();
    for index in 0..count {
        builder
            .duplex(ids[index], ids[(index + 1) % count], ratio(1, 1))
            .expect("a link");
    }
    let tree = |commodity: usize| {
        let hop = |at: usize| {
            (
                (at * 7 + commodity) % (2 * count),
                at.checked_sub(1 + at % 3).map(|at| at as u32),
            )
        };
        copies(commodity, &(0..2000).map(hop).collect::<Vec<_>>())
    };
    let scheme = |seed: usize| {
        let task = |at: usize| {
            let part = part((at + seed) % count, count - 1);
            if at.is_multiple_of(2) {
                transfer(
                    (at * 3 + seed) % (2 * count),
                    part,
                    at.checked_sub(1).map(|at| at as u32),
                )
            } else {
                merge(
                    at % count,
                    part,
                    (at + seed) % count,
                    [at.checked_sub(2).map(|at| at as u32), None],
                )
            }
        };
        Pattern {
            demand: 500,
            order: None,
            tasks: (0..2000).map(task).collect(),
        }
    };
    let collective = Collective::Groups(vec![
        Member {
            collective: Collective::all_gather(ids.clone()),
            rate: 1,
        },
        Member {
            collective: Collective::scan(ids),
            rate: 1,
        },
    ]);
    let platform = builder.build().expect("a platform");
    let volumes = Volumes {
        work: Amount::Constant(ratio(1, 2)),
        ..Volumes::default()
    };
    let patterns = (0..128).map(tree).chain((0..20).map(scheme)).collect();
    let plan = Parts {
        problem: Problem::new(platform, collective, volumes).expect("a problem"),
        ..plan(Collective::broadcast(NodeId::new(0), nodes(&[1])), patterns)
    };
    reads_back(plan, 15_000_000);
}

/// A barrier's tokens have no order: the file has no key for it, and a file with an order is refused.
#[test]
fn a_barrier_has_no_order() {
    let mut plan = all_reduce();
    let barrier = |said| Collective::barrier(nodes(&[0, 1, 2])).commutative(said);
    plan.problem = plan.problem.asking(barrier(false)).expect("a problem");
    assert!(plan.collective().is_commutative());
    let text = plan_to_json(&plan);
    let (head, _) = text.split_once("\"model\"").expect("a model");
    assert!(
        head.contains("barrier") && !head.contains("commutative"),
        "{head}"
    );
    let with = |said: &str| {
        let key = format!("\"name\": \"barrier\", \"commutative\": {said},");
        text.replacen("\"name\": \"barrier\",", &key, 1)
    };
    for text in [&text, &with("true")] {
        let read = plan_from_json("barrier", text.as_bytes()).expect("a plan");
        assert_eq!(read.collective(), &barrier(true));
    }
    let refused = plan_from_json("barrier", with("false").as_bytes()).unwrap_err();
    let told = refused.to_string();
    assert!(
        told.contains("'commutative' is given, but tokens have no order"),
        "{told}"
    );
}
