//! Figures 1 to 8 and those of section 2.3, in all details that the text determines.

use anyhow::Result;
use num_bigint::BigUint;
use num_traits::{One, Signed};
use oneport::Solved;
use oneport::{NodeId, Platform, PortModel, Rational};
use oneport_drawings::svg;
use oneport_separation::gadget::{Part, gadget};

use super::example::{ALL, D1, T1, T2, T3, bidirectional_busy, wrong_busy};
use super::gadget::modelled;
use super::platforms::{answer, broadcast, figure_1, figure_2, only, optimum};
use super::program::{self, Net};
use crate::cases::{self, Case};
use crate::figures::{self, Figure};
use crate::sketch::Sketch;

/// Positions of the nodes of figure 1, and of figure 2.
const ONE: [(f64, f64); 5] = [(1.0, 0.0), (0.0, 1.0), (2.0, 1.0), (0.0, 2.0), (2.0, 2.0)];
const TWO: [(f64, f64); 3] = [(0.5, 0.0), (0.0, 1.0), (1.0, 1.0)];

/// Some links of a platform, each with a text.
fn sketch(
    platform: &Platform,
    positions: &[(f64, f64)],
    words: impl Fn(usize, &Rational) -> Option<String>,
) -> Sketch {
    let mut sketch = Sketch::default();
    for (node, position) in platform.node_ids().zip(positions) {
        sketch.node(platform.name(node).trim_start_matches('P'), *position);
    }
    for (index, link) in platform.links().iter().enumerate() {
        if let Some(words) = words(index, &link.cost) {
            sketch.link(link.from.index(), link.to.index(), words);
        }
    }
    sketch
}

/// Copies side by side, `columns` in a row.
fn rows(sketches: &[Sketch], columns: usize, (right, down): (f64, f64)) -> Sketch {
    let mut all = Sketch::default();
    for (index, sketch) in sketches.iter().enumerate() {
        all.add(
            sketch,
            (
                (index % columns) as f64 * right,
                (index / columns) as f64 * down,
            ),
        );
    }
    all
}

fn drawn(title: &str, caption: &str, sketch: &Sketch) -> Figure {
    Figure::svg(format!("RR-2004-32, {title}"), caption, sketch.svg(title))
}

/// Figures 1 to 6 and the trees, matchings and DAGs of section 2.3.
fn as_printed() -> Result<Vec<Figure>> {
    let (one, two) = (figure_1()?, figure_2()?);
    let cost = |_: usize, cost: &Rational| Some(cost.to_string());
    let mut figures = vec![
        drawn(
            "figure 1",
            "The platform, with the costs that the throughputs of section 2.3 force.",
            &sketch(&one, &ONE, cost),
        ),
        drawn(
            "figure 2",
            "The platform, with the costs of the programs of section 2.2.",
            &sketch(&two, &TWO, cost),
        ),
    ];
    for (name, names) in [
        ("figure 3: T1", ["P1 -> P2", "P1 -> P3"]),
        ("figure 3: T2", ["P1 -> P2", "P2 -> P3"]),
    ] {
        let tree = sketch(&only(&two, &names)?, &TWO, cost);
        figures.push(drawn(
            name,
            "A broadcast tree of figure 2, with costs.",
            &tree,
        ));
    }
    let mut ports = Sketch::default();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..3)
        .map(|node| {
            let y = node as f64 * 0.8;
            (
                ports.node(format!("P{} out", node + 1), (0.0, y)),
                ports.node(format!("P{} in", node + 1), (2.0, y)),
            )
        })
        .unzip();
    for (link, time) in two.links().iter().zip(&bidirectional_busy()?) {
        if time.is_positive() {
            ports.link(
                senders[link.from.index()],
                receivers[link.to.index()],
                time.to_string(),
            );
        }
    }
    let caption = "Bidirectional, tree T2 weighted by 1: send ports on the left, receive ports on the right, and how long each pair is \
                   busy per unit of time. No port is busy for more than 1, so matchings of a bipartite graph suffice.";
    figures.push(drawn("figure 4", caption, &ports));
    // 1/4 of T1 and 1/2 of T2.
    let busy = wrong_busy()?;
    let caption = "Unidirectional, 1/4 of T1 and 1/2 of T2: how long each link is busy. The links are an odd cycle: every pair shares a node, so 5/4 are needed.";
    figures.push(drawn(
        "figure 5",
        caption,
        &sketch(&two, &TWO, |link, _| {
            busy.get(link).map(ToString::to_string)
        }),
    ));
    let matchings = |platform: &Platform, positions: &[(f64, f64)]| -> Vec<Sketch> {
        let sets = Net::of(platform).matchings();
        sets.iter()
            .map(|set| {
                sketch(platform, positions, |link, cost| {
                    set.contains(&link).then(|| cost.to_string())
                })
            })
            .collect()
    };
    figures.push(drawn(
        "figure 6",
        "The three matchings of figure 2.",
        &rows(&matchings(&two, &TWO), 3, (2.0, 0.0)),
    ));
    for (name, names) in [("T1", T1), ("T2", T2), ("T3", T3)] {
        let tree = sketch(&only(&one, &names)?, &ONE, cost);
        figures.push(drawn(
            &format!("section 2.3: {name}"),
            "A broadcast tree of figure 1, with costs.",
            &tree,
        ));
    }
    let nine = rows(&matchings(&one, &ONE), 3, (2.8, 2.8));
    let caption = "The nine matchings of figure 1; 1 -> 2 and 2 -> 1 are two (E004-4).";
    figures.push(Figure {
        wide: true,
        ..drawn("section 2.3: matchings", caption, &nine)
    });
    let five: Vec<Sketch> = super::example::dags_of_figure_1()?
        .iter()
        .map(|dag| {
            sketch(&one, &ONE, |link, cost| {
                dag.contains(&link).then(|| cost.to_string())
            })
        })
        .collect();
    let caption = "Acyclic graphs that reach all nodes: the three trees, D1 and D2.";
    figures.push(Figure {
        wide: true,
        ..drawn(
            "section 2.3: the five DAGs",
            caption,
            &rows(&five, 3, (2.8, 2.8)),
        )
    });
    Ok(figures)
}

/// Figures 7 and 8: a node with two links in each direction, its neighbours with one port.
fn gadgets() -> Result<Vec<Figure>> {
    let links = [
        ("A", "P", "1"),
        ("B", "P", "1"),
        ("P", "C", "1"),
        ("P", "D", "1"),
    ];
    let plain = cases::platform("A B P C D", &links)?;
    let node = cases::node(&plain, "P")?;
    let mut figures = Vec::new();
    for (name, model, caption) in [
        (
            "figure 7",
            PortModel::FullDuplex,
            "A bidirectional node P, between the one-port nodes A to D, as three parts.",
        ),
        (
            "figure 8",
            PortModel::Multiport,
            "A node P with a port per link, as a core, an in-node per link in and an out-node per link out.",
        ),
    ] {
        let gadget = gadget(&modelled(&plain, |index| {
            if index == node.index() {
                model
            } else {
                PortModel::HalfDuplex
            }
        })?)?;
        let mut sketch = Sketch::default();
        let mut seen = [0.0; 2];
        let mut position = |part: Part, of: usize| match (part, of) {
            (Part::Core, 2) => (2.0, 0.6),
            (Part::Core, before) if before < 2 => (0.0, 1.2 * before as f64),
            (Part::Core, after) => (4.0, 1.2 * (after - 3) as f64),
            (side, _) => {
                let column = usize::from(side == Part::Out);
                let several = gadget
                    .nodes
                    .iter()
                    .filter(|(_, other)| *other == side)
                    .count()
                    > 1;
                let y = if several { 1.2 * seen[column] } else { 0.6 };
                seen[column] += 1.0;
                (1.0 + 2.0 * column as f64, y)
            }
        };
        for (number, &(of, part)) in gadget.nodes.iter().enumerate() {
            let side = match part {
                Part::Core => "",
                Part::In => " in",
                Part::Out => " out",
                Part::Relay { .. } => " relay",
            };
            let alike = |other: &&(NodeId, Part)| **other == (of, part);
            let all = gadget.nodes.iter().filter(alike).count();
            let before = gadget.nodes[..number].iter().filter(alike).count();
            let which = if all > 1 {
                format!(" {}", before + 1)
            } else {
                String::new()
            };
            sketch.node(
                format!("{}{side}{which}", plain.name(of)),
                position(part, of.index()),
            );
        }
        for link in &gadget.links {
            match link.of {
                Some(_) => sketch.link(link.from, link.to, link.cost.to_string()),
                None => sketch.dashed(link.from, link.to),
            }
        }
        let caption = format!(
            "{caption} Dashed links take no time; those back to the in-nodes are for broadcasts (E004-13)."
        );
        figures.push(drawn(name, &caption, &sketch));
    }
    Ok(figures)
}

fn counted_messages(count: &BigUint) -> String {
    if count.is_one() {
        "1 message".to_string()
    } else {
        format!("{count} messages")
    }
}

/// A platform's graph with its flows, and one period.
fn both(figures: &mut Vec<Figure>, name: &str, platform: Platform) -> Result<Solved> {
    let collective = broadcast(&platform);
    let solved = answer(&platform, &collective)?;
    let plan = solved.plan()?;
    let case = Case {
        name: name.to_string(),
        platform,
        collective,
    };
    let tp = &plan.steady_state.throughput;
    let caption = format!("Throughput {tp}; links in use, the wider the busier.");
    let graph = figures::graph(&case, Some(plan.steady_state));
    figures.push(Figure::svg(
        format!("RR-2004-32, {name}: flows"),
        caption,
        graph,
    ));
    let schedule = plan.schedule;
    let caption = format!(
        "{} every {} units of time.",
        counted_messages(&schedule.instances),
        schedule.period
    );
    figures.push(Figure::svg(
        format!("RR-2004-32, {name}: one period"),
        caption,
        figures::gantt(&case, schedule),
    ));
    Ok(solved)
}

/// Drawings and the three throughputs of every example.
pub fn figures() -> Result<Vec<Figure>> {
    let mut figures = as_printed()?;
    figures.extend(gadgets()?);
    let one = figure_1()?;
    for (name, links) in [
        ("best tree T2", &T2[..]),
        ("best DAG D1", &D1[..]),
        ("whole platform", &ALL[..]),
    ] {
        both(
            &mut figures,
            &format!("figure 1, {name}"),
            only(&one, links)?,
        )?;
    }
    let two = both(&mut figures, "figure 2", figure_2()?)?;
    let two = two.plan()?;
    for (index, weighted) in two.steady_state.patterns.iter().enumerate() {
        let drawing = svg::pattern(two.problem, &weighted.pattern, Some(&weighted.weight));
        let title = format!("RR-2004-32, our optimum on figure 2: tree {}", index + 1);
        figures.push(Figure::svg(title, "T2; T1 is not used.", drawing));
    }
    let mut rows = Vec::new();
    for (name, platform) in [("figure 1", figure_1()?), ("figure 2", figure_2()?)] {
        let net = Net::of(&platform);
        let trees = net.trees(0);
        let wrong = program::ports_only(&net, &trees)?;
        let least = program::least_time(&net.matchings(), &program::busy(&net, &wrong.patterns))?;
        let full = platform.clone().with_model(PortModel::FullDuplex);
        rows.push(vec![
            name.to_string(),
            wrong.value.to_string(),
            least.to_string(),
            (&wrong.value / &least).to_string(),
            optimum(&platform, &broadcast(&platform))?.to_string(),
            optimum(&full, &broadcast(&full))?.to_string(),
        ]);
    }
    let header = [
        "platform",
        "ports only",
        "time its trees take",
        "so it achieves",
        "optimum, half-duplex",
        "optimum, full-duplex",
    ];
    figures.push(Figure::table(
        "RR-2004-32: port constraints are not enough",
        "The linear program that section 2.2.2 marks as wrong, what its trees really achieve, and the optima.",
        &header,
        rows,
    ));
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;
    use crate::figures::Body;

    /// Figure 4 is that of section 2.2.1: T2 alone, so P1 out to P2 in for 1, P2 out to P3 in for 1/2, and no other
    /// link.
    #[test]
    fn figure_4_has_tree_t2_alone() -> Result<()> {
        let figures = as_printed()?;
        let figure = figures
            .iter()
            .find(|figure| figure.title == "RR-2004-32, figure 4");
        let Body::Svg(svg) = &figure.context("no figure 4")?.body else {
            anyhow::bail!("figure 4 is a table")
        };
        assert_eq!(svg.matches("<line").count(), 2);
        assert!(svg.contains(">1</text>") && svg.contains(">1/2</text>"));
        assert!(svg.contains("P1 out") && svg.contains("P3 in"));
        Ok(())
    }

    /// No two nodes of figure 8 have the same name.
    #[test]
    fn parts_have_names() -> Result<()> {
        for figure in gadgets()? {
            let Body::Svg(svg) = &figure.body else {
                continue;
            };
            let names: Vec<&str> = svg
                .lines()
                .filter(|line| line.contains("font-size=\"11\""))
                .collect();
            assert!(names.len() > 5, "{}", figure.title);
            if figure.title.ends_with('8') {
                assert!(
                    svg.contains("P in 1") && svg.contains("P in 2") && svg.contains("P out 2")
                );
            }
        }
        Ok(())
    }
}
