//! Reduction trees, read back from their drawings.

use std::collections::BTreeMap;

use oneport_plan::{Collective, Pattern, Problem, Task};
use oneport_platform::{LinkId, Node, NodeId, Platform};

use super::parse::{Element, assert_edges_pass_beside, assert_inside, parse, text_span};
use super::reductions::{Reduction, figure_6, part, random};
use super::samples::{q, size};
use crate::dot;
use crate::svg::tree;

/// A vertex of the drawing: centre, top, bottom, and its two lines.
#[derive(Debug, Clone)]
struct Vertex {
    class: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    lines: Vec<String>,
}

/// The vertices with the texts inside them.
fn vertices(elements: &[Element]) -> Vec<Vertex> {
    let classes = ["value", "merge", "missing", "result"];
    let boxes = elements
        .iter()
        .filter(|e| e.name == "rect" && classes.iter().any(|class| e.is(class)));
    let mut vertices: Vec<Vertex> = boxes
        .map(|e| Vertex {
            class: e.attributes["class"].clone(),
            left: e.number("x"),
            right: e.number("x") + e.number("width"),
            top: e.number("y"),
            bottom: e.number("y") + e.number("height"),
            lines: Vec::new(),
        })
        .collect();
    for text in elements.iter().filter(|e| e.name == "text") {
        let (left, right) = text_span(text);
        let y = text.number("y");
        let inside =
            |v: &&mut Vertex| v.left <= left && right <= v.right && v.top < y - 7.0 && y < v.bottom;
        vertices
            .iter_mut()
            .find(inside)
            .map(|vertex| vertex.lines.push(text.text.clone()))
            .unwrap_or_default();
    }
    vertices
}

/// Arrows as (first vertex, last vertex, position as a share of the last one's width, or of its height if the tree goes
/// to the right).
fn arrows(elements: &[Element], vertices: &[Vertex]) -> Vec<(usize, usize, f64)> {
    let paths = elements.iter().filter(|e| {
        e.name == "path"
            && e.attributes["fill"] == "none"
            && e.parent.is_some_and(|p| elements[p].is("flow"))
    });
    paths
        .map(|path| {
            let numbers: Vec<f64> = path.attributes["d"]
                .split(['M', 'L', 'C', ' '])
                .filter_map(|text| text.parse().ok())
                .collect();
            let (start, end) = ((numbers[0], numbers[1]), (numbers[8], numbers[9]));
            // Upwards, the line begins upright.
            let up = numbers[0] == numbers[2];
            let begins = |v: &&Vertex| {
                if up {
                    (v.top - start.1).abs() < 0.02
                        && ((v.left + v.right) / 2.0 - start.0).abs() < 0.02
                } else {
                    (v.right - start.0).abs() < 0.02
                        && ((v.top + v.bottom) / 2.0 - start.1).abs() < 0.02
                }
            };
            let ends = |v: &&Vertex| {
                if up {
                    v.left <= end.0 && end.0 <= v.right && (0.0..9.0).contains(&(end.1 - v.bottom))
                } else {
                    v.top <= end.1 && end.1 <= v.bottom && (0.0..9.0).contains(&(v.left - end.0))
                }
            };
            let index =
                |is: &dyn Fn(&&Vertex) -> bool| vertices.iter().position(|vertex| is(&vertex));
            let from = index(&begins).expect("an arrow starts at a vertex");
            let to = index(&ends).expect("an arrow ends at a vertex");
            let target = &vertices[to];
            let at = if up {
                (end.0 - target.left) / (target.right - target.left)
            } else {
                (end.1 - target.top) / (target.bottom - target.top)
            };
            (from, to, at)
        })
        .collect()
}

/// `[k,m]` of a vertex's result: "v3", "v[1,2]" or "T[1,1,2]".
fn makes(label: &str) -> (usize, usize) {
    let numbers: Vec<usize> = label
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect();
    (numbers[0], numbers[numbers.len() - 1])
}

fn draw(sample: &Reduction, tree_of: &Pattern) -> Vec<Element> {
    let weight = q("1/3");
    let text = tree(&sample.problem(), tree_of, Some(&weight));
    let again = tree(&sample.problem(), tree_of, Some(&weight));
    assert_eq!(text, again, "the same input gives the same bytes");
    let elements = parse(&text);
    assert_inside(&elements);
    elements
}

#[test]
fn figure_7_is_drawn_as_the_paper_has_it() {
    let sample = figure_6();
    let elements = draw(&sample, &sample.trees[0].0);
    let lines: Vec<Vec<String>> = vertices(&elements)
        .into_iter()
        .map(|vertex| vertex.lines)
        .collect();
    for wanted in [
        ["v0", "@ P0"],
        ["v1", "@ P1"],
        ["v2", "@ P2"],
        ["T[1,1,2]", "@ P2"],
        ["T[0,0,2]", "@ P0"],
        ["v[0,2]", "@ P0"],
    ] {
        assert!(
            lines.iter().any(|lines| *lines == wanted),
            "{wanted:?} in {lines:?}"
        );
    }
    assert_eq!(lines.len(), 6);
    for wanted in [
        "P1 → P2",
        "P2 → P0",
        "v[1,2]",
        "v1",
        "Reduce to P0 of 3 values: a reduction tree",
    ] {
        assert!(
            elements
                .iter()
                .any(|e| e.name == "text" && e.text == wanted),
            "{wanted}"
        );
    }
    assert!(elements.iter().any(|e| {
        e.text
            .starts_with("weight 1/3 per unit of time · 2 merges · 2 transfers · message size 1")
    }));
    for title in [
        "P2 makes v[1,2] of v1 and v2, time 1",
        "P0 makes v[0,2] of v0 and v[1,2], time 1/2",
        "value v1 of P1",
        "v1, size 1: P1 → P2 (time 1)",
        "v[1,2], size 1: P2 → P0 (time 1)",
        "v0 is used in place",
    ] {
        assert!(elements.iter().any(|e| e.title == title), "{title}");
    }
}

/// The tree read back from the ends of the arrows is the tree of the tasks.
#[test]
fn arrows_join_what_the_tasks_join() {
    for seed in 0..40 {
        let sample = random(2 + seed as usize % 20, 500 + seed, 1);
        assert_drawn(&sample, &sample.trees[0].0);
    }
}

/// Merges of neighbours, in as few layers as possible, at the owner of the first value.
fn balanced(sample: &Reduction) -> Pattern {
    let owners = sample.collective.demand(0).unwrap().operands;
    let hub = sample.platform.find("hub").unwrap();
    let mut tasks = Vec::new();
    let mut width = 1;
    while width < owners.len() {
        for first in (0..owners.len() - width).step_by(2 * width) {
            let last = (first + 2 * width).min(owners.len()) - 1;
            let right = part(first + width, last);
            let way = [(owners[first + width], hub), (hub, owners[first])];
            tasks.extend(way.map(|(from, to)| {
                Task::send(sample.platform.link_between(from, to).unwrap(), right)
            }));
            tasks.push(Task::merge(
                owners[first],
                part(first, last),
                first + width - 1,
            ));
        }
        width *= 2;
    }
    Pattern::tree(0, None, tasks)
}

#[test]
fn wide_trees_go_from_left_to_right() {
    for operands in [18, 24, 40] {
        let sample = random(operands, 1, 1);
        let tree = balanced(&sample);
        let elements = assert_drawn(&sample, &tree);
        assert!(elements[0].number("width") < 1500.0, "{operands}");
        let vertices = vertices(&elements);
        let right = |class: &str| {
            vertices
                .iter()
                .filter(|v| v.class == class)
                .map(|v| v.right)
                .fold(0.0, f64::max)
        };
        let left = vertices.iter().find(|v| v.class == "result").unwrap().left;
        assert!(right("value") < right("merge") && right("merge") < left);
        assert_apart(&elements, &format!("{operands} operands"));
    }
}

fn assert_drawn(sample: &Reduction, drawn: &Pattern) -> Vec<Element> {
    let elements = draw(sample, drawn);
    assert_edges_pass_beside(&elements, &["flow"], &["value", "merge", "result"]);
    let vertices = vertices(&elements);
    let count = |class: &str| {
        vertices
            .iter()
            .filter(|vertex| vertex.class == class)
            .count()
    };
    let operands = sample.collective.most_operands();
    assert_eq!(
        (
            count("value"),
            count("merge"),
            count("result"),
            count("missing")
        ),
        (operands, operands - 1, 1, 0)
    );
    let mut inputs: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
    for (from, to, at) in arrows(&elements, &vertices) {
        inputs.entry(to).or_default().push((at, from));
    }
    for (index, vertex) in vertices.iter().enumerate() {
        let mut own = inputs.remove(&index).unwrap_or_default();
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        let from: Vec<(usize, usize)> = own
            .iter()
            .map(|(_, from)| makes(&vertices[*from].lines[0]))
            .collect();
        match vertex.class.as_str() {
            "value" => assert_eq!(from, []),
            "result" => assert_eq!(from, [(0, operands - 1)]),
            _ => {
                let split: usize = vertex.lines[0].split(',').nth(1).unwrap().parse().unwrap();
                let (first, last) = makes(&vertex.lines[0]);
                assert_eq!(from, [(first, split), (split + 1, last)], "{vertex:?}");
                let task = |task: &&Task| {
                    matches!(task, Task::Merge { part: made, split: own, .. }
                        if *made == part(first, last) && *own == split)
                };
                let Some(Task::Merge { node, .. }) = drawn.tasks.iter().find(task) else {
                    panic!("{vertex:?}")
                };
                assert_eq!(
                    vertex.lines[1],
                    format!("@ {}", sample.platform.name(*node))
                );
            }
        }
    }
    // Values are in operand order, each at its owner.
    let mut values: Vec<&Vertex> = vertices
        .iter()
        .filter(|vertex| vertex.class == "value")
        .collect();
    values.sort_by(|a, b| a.left.total_cmp(&b.left).then(a.top.total_cmp(&b.top)));
    let owners = sample.collective.demand(0).unwrap().operands;
    for (operand, vertex) in values.iter().enumerate() {
        let owner = owners[drawn.order.as_ref().map_or(operand, |order| order[operand])];
        assert_eq!(
            vertex.lines,
            [
                format!("v{operand}"),
                format!("@ {}", sample.platform.name(owner))
            ]
        );
    }
    elements
}

#[test]
fn every_transfer_is_told_once() {
    for seed in 0..20 {
        let sample = random(2 + seed as usize % 12, 900 + seed, 1);
        let drawn = &sample.trees[0].0;
        let elements = draw(&sample, drawn);
        let mut told: Vec<String> = Vec::new();
        for flow in elements.iter().filter(|e| e.is("flow")) {
            if let Some((head, hops)) = flow.title.split_once(": ") {
                let message = head.split(", size").next().unwrap();
                told.extend(
                    hops.split(", ")
                        .map(|hop| format!("{message} {}", hop.split(" (").next().unwrap())),
                );
            }
        }
        let mut wanted: Vec<String> = drawn
            .tasks
            .iter()
            .filter_map(|task| {
                let Task::Send { link, part, .. } = *task else {
                    return None;
                };
                let (link, part) = (sample.platform.link(link), crate::words::partial(part));
                Some(format!(
                    "{part} {} → {}",
                    sample.platform.name(link.from),
                    sample.platform.name(link.to)
                ))
            })
            .collect();
        told.sort();
        wanted.sort();
        assert_eq!(told, wanted, "seed {seed}");
    }
}

#[test]
fn vertices_and_texts_do_not_touch() {
    for seed in 0..30 {
        let sample = random(2 + 2 * seed as usize, 40 + seed, 1);
        let elements = draw(&sample, &sample.trees[0].0);
        assert_apart(&elements, &format!("seed {seed}"));
    }
}

/// No vertex and no text of an arrow touches another.
fn assert_apart(elements: &[Element], which: &str) {
    let mut areas: Vec<(f64, f64, f64, f64, String)> = vertices(elements)
        .into_iter()
        .map(|vertex| {
            (
                vertex.left,
                vertex.top,
                vertex.right,
                vertex.bottom,
                vertex.lines.join(" "),
            )
        })
        .collect();
    for text in elements
        .iter()
        .filter(|e| e.name == "text" && e.parent.is_some_and(|p| elements[p].is("flow")))
    {
        let ((left, right), y, size) =
            (text_span(text), text.number("y"), text.number("font-size"));
        areas.push((
            left,
            y - 0.75 * size,
            right,
            y + 0.2 * size,
            text.text.clone(),
        ));
    }
    for (index, a) in areas.iter().enumerate() {
        for b in &areas[..index] {
            let apart =
                a.2 <= b.0 + 0.02 || b.2 <= a.0 + 0.02 || a.3 <= b.1 + 0.02 || b.3 <= a.1 + 0.02;
            assert!(apart, "{which}: {a:?} touches {b:?}");
        }
    }
}

/// A chain of routers with long names between two hosts.
fn corridor(routers: usize) -> (Platform, Collective, Pattern) {
    let name = |index| format!("a router with a long name, number {index}");
    corridor_of(&(0..routers).map(name).collect::<Vec<_>>())
}

fn corridor_of(names: &[String]) -> (Platform, Collective, Pattern) {
    let mut builder = Platform::builder();
    let mut ids = vec![
        builder
            .node(Node::processor("<a & \"b\"\\>", q("1")))
            .unwrap(),
    ];
    for name in names {
        ids.push(builder.node(Node::router(name)).unwrap());
    }
    ids.push(
        builder
            .node(Node::processor("the other end", q("1")))
            .unwrap(),
    );
    let links: Vec<LinkId> = ids
        .windows(2)
        .map(|pair| builder.link(pair[0], pair[1], q("1")).unwrap())
        .collect();
    let ends = vec![ids[0], ids[ids.len() - 1]];
    let mut tasks: Vec<Task> = links
        .iter()
        .map(|&link| Task::send(link, part(0, 0)))
        .collect();
    tasks.push(Task::merge(ends[1], part(0, 1), 0));
    let collective = Collective::reduce(ends[1], ends);
    (
        builder.build().unwrap(),
        collective,
        Pattern::tree(0, Some(vec![0, 1]), tasks),
    )
}

#[test]
fn long_ways_are_shortened_but_for_the_tooltip() {
    for routers in [1, 8, 9, 30] {
        let (platform, collective, way) = corridor(routers);
        let elements = parse(&tree(
            &Problem::new(&platform, &collective, size("1")).unwrap(),
            &way,
            None,
        ));
        assert_inside(&elements);
        let texts: Vec<&Element> = elements
            .iter()
            .filter(|e| e.name == "text" && e.parent.is_some_and(|p| elements[p].is("flow")))
            .collect();
        let hidden = texts.iter().find_map(|e| {
            e.text
                .strip_prefix("… ")?
                .strip_suffix(" more")?
                .parse()
                .ok()
        });
        assert_eq!(
            texts.len() - 1 - usize::from(hidden.is_some()) + hidden.unwrap_or(0),
            routers + 1
        );
        assert!(texts.len() <= 12, "{} lines", texts.len());
        assert!(
            texts.last().unwrap().text.ends_with("end"),
            "{:?}",
            texts.last()
        );
        let flow = elements
            .iter()
            .find(|e| e.is("flow") && e.title.contains("size"))
            .unwrap();
        assert_eq!(flow.title.matches(" → ").count(), routers + 1);
        assert!(
            elements
                .iter()
                .any(|e| e.title == "value v0 of <a & \"b\"\\>")
        );
    }
}

/// Short names behind the links left out would fit into the line before them.
#[test]
fn lines_of_links_tell_only_links() {
    let mut names: Vec<String> = (0..8).map(|index| format!("rt{index:06}")).collect();
    names.extend(["y", "rt999999", "z"].map(str::to_string));
    let (platform, collective, way) = corridor_of(&names);
    let elements = parse(&tree(
        &Problem::new(&platform, &collective, size("1")).unwrap(),
        &way,
        None,
    ));
    let texts = elements
        .iter()
        .filter(|e| e.name == "text" && e.parent.is_some_and(|p| elements[p].is("flow")));
    let texts: Vec<&str> = texts.map(|e| e.text.as_str()).collect();
    assert!(
        texts.contains(&"… 2 more") && texts.contains(&"rt000007 → y"),
        "{texts:?}"
    );
    for line in &texts {
        let ends: Vec<Option<NodeId>> = line.split(" → ").map(|name| platform.find(name)).collect();
        for pair in ends.windows(2) {
            if let [Some(from), Some(to)] = pair {
                assert!(platform.link_between(*from, *to).is_some(), "{line}");
            }
        }
    }
}

#[test]
fn tasks_that_do_not_fit_together_are_no_panic() {
    let sample = random(4, 8, 1);
    let most = usize::MAX - 1;
    let merge = |first, last, split| Task::merge(NodeId::new(1), part(first, last), split);
    let send = |link, first, last| Task::send(LinkId::new(link), part(first, last));
    for (tasks, missing, results) in [
        (vec![], 0, 0),
        (vec![send(999, 0, 0)], 0, 1),
        (vec![merge(0, 3, 1)], 2, 1),
        (vec![merge(0, 1, 0), merge(0, 1, 0), merge(0, 2, 1)], 0, 2),
        (vec![merge(2, 2, 2), merge(2, 2, 2)], 1, 1),
        (
            vec![merge(0, most, most), send(0, most, most), merge(5, 2, 3)],
            5,
            3,
        ),
        (vec![Task::merge(NodeId::new(99), part(0, 1), 0)], 0, 1),
    ] {
        for order in [None, Some(vec![]), Some(vec![most, 0])] {
            let broken = Pattern::tree(most, order.clone(), tasks.clone());
            let elements = draw(&sample, &broken);
            let count = |class: &str| elements.iter().filter(|e| e.is(class)).count();
            assert_eq!(count("result"), results, "{tasks:?}");
            if order.is_none() {
                assert_eq!(count("missing"), missing, "{tasks:?}");
            }
            dot::tree(&sample.problem(), &broken, None);
        }
    }
    let chain = (1..20_000).map(|last| merge(0, last, last - 1));
    let elements = draw(&sample, &Pattern::tree(0, None, chain));
    assert_eq!(elements.iter().filter(|e| e.is("merge")).count(), 19_999);
}

/// A Graphviz statement cut into words. Quoted strings are read as Graphviz reads labels.
fn dot_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => loop {
                match chars.next().expect("a closing quote") {
                    '"' => break,
                    '\\' => match chars.next().expect("an escape") {
                        'n' => words.last_mut().unwrap().push('\n'),
                        c @ ('"' | '\\') => words.last_mut().unwrap().push(c),
                        c => panic!("escape {c}"),
                    },
                    c => words.last_mut().unwrap().push(c),
                }
            },
            ' ' | '[' | ']' | ',' | ';' | '=' => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn graphviz_text_has_the_same_content() {
    for seed in 0..20 {
        let sample = random(2 + seed as usize % 9, 300 + seed, 1);
        let drawn = &sample.trees[0].0;
        let text = dot::tree(&sample.problem(), drawn, Some(&q("1/7")));
        assert!(
            text.starts_with("digraph reduction {\n") && text.ends_with("}\n"),
            "{text}"
        );
        let mut labels: BTreeMap<String, String> = BTreeMap::new();
        let mut edges: Vec<(String, String, usize)> = Vec::new();
        for words in text.lines().map(dot_words).filter(|words| words.len() > 1) {
            match (words[0].as_str(), words[1].as_str()) {
                (from, "->") => {
                    let hops = words.get(4).map_or(0, |label| label.matches(" → ").count());
                    edges.push((from.to_string(), words[2].clone(), hops));
                }
                (name, "label") if name != "node" && name != "edge" => {
                    labels.insert(name.to_string(), words[2].clone());
                }
                _ => {}
            }
        }
        let operands = sample.collective.most_operands();
        assert_eq!(labels.len(), 2 * operands, "values, merges, the result");
        assert_eq!(edges.len(), 2 * operands - 1);
        let transfers = drawn
            .tasks
            .iter()
            .filter(|task| matches!(task, Task::Send { .. }))
            .count();
        assert_eq!(
            edges.iter().map(|(.., hops)| hops).sum::<usize>(),
            transfers
        );
        for (name, label) in &labels {
            let mut from: Vec<(usize, usize)> = edges
                .iter()
                .filter(|(_, to, _)| to == name)
                .map(|(from, ..)| makes(labels[from].split('\n').next().unwrap()))
                .collect();
            from.sort();
            if let Some(task) = label.strip_prefix("T[") {
                let split: usize = task.split(',').nth(1).unwrap().parse().unwrap();
                let (first, last) = makes(label.split('\n').next().unwrap());
                assert_eq!(from, [(first, split), (split + 1, last)], "{label}");
            }
        }
    }
    let (platform, collective, way) = corridor(1);
    let text = dot::tree(
        &Problem::new(&platform, &collective, size("1")).unwrap(),
        &way,
        None,
    );
    assert!(
        text.contains(r#"label="v0\n@ <a &amp; \"b\"\\>""#),
        "{text}"
    );
}
