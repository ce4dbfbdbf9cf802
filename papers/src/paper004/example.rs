//! Section 2: figures 1 and 2 number by number.

use anyhow::{Result, ensure};
use num_traits::Zero;
use oneport::{Platform, PortModel, Rational};
use oneport_exact::{Relation, Sense};
use oneport_matching::general::{PortGraph, least_period};

use super::platforms::{broadcast, enumerated, figure_1, figure_2, only, throughput};
use super::program::{self, Ended, Links, Net, Program};
use crate::cases;
use crate::numbers::{number, short, whole};
use crate::rows::{Check, Finding, Paper, Value};

pub const CHECKS: &[(&str, Check)] = &[
    ("bidirectional-value", |_| bidirectional_value()),
    ("bidirectional-solution", |_| bidirectional_solution()),
    ("wrong-value", |_| {
        Ok(Finding::value(printed_program(PRINTED_BUT_SENSE)?.value()?))
    }),
    ("wrong-trees", |_| wrong_trees()),
    ("wrong-ports", |_| wrong_ports()),
    ("figure-5", |_| figure_5()),
    ("five-quarters", |_| five_quarters()),
    ("three-fifths", |_| {
        Ok(Finding::value(wrong_total()?.0 / wrong_total()?.1))
    }),
    ("figure-2-matchings", |_| {
        Ok(Finding::value(Net::of(&figure_2()?).matchings().len()))
    }),
    ("figure-2-trees", |_| {
        Ok(Finding::value(Net::of(&figure_2()?).trees(0).len()))
    }),
    ("figure-2-optimum", |_| {
        Ok(Finding::value(throughput(
            &figure_2()?,
            &broadcast(&figure_2()?),
        )?))
    }),
    ("figure-2-solution", |_| figure_2_solution()),
    ("figure-1-trees", |_| {
        Ok(Finding::value(Net::of(&figure_1()?).trees(0).len()))
    }),
    ("figure-1-dags", |_| dags()),
    ("figure-1-graph", |_| super::unique::finding()),
    ("figure-1-costs", |_| costs_of_figure_1()),
    ("figure-1-t1", |_| topology(&T1)),
    ("figure-1-t2", |_| twins(&T2, &T3)),
    ("figure-1-t1-matchings", |paper| {
        matchings(paper, "figure-1-t1-matchings", &T1, &[(&T1, "1/2")])
    }),
    ("figure-1-t2-matchings", |paper| {
        matchings(paper, "figure-1-t2-matchings", &T2, &[(&T2, "4/7")])
    }),
    ("figure-1-dag", |_| twins(&D1, &D2)),
    ("figure-1-dag-trees", |_| dag_trees()),
    ("figure-1-dag-matchings", |paper| {
        matchings(
            paper,
            "figure-1-dag-matchings",
            &D1,
            &[(&T1, "4/13"), (&T2, "4/13")],
        )
    }),
    ("figure-1-whole-matchings", |paper| {
        let found = matchings(
            paper,
            "figure-1-whole-matchings",
            &ALL,
            &[(&T2, "2/5"), (&T3, "2/5")],
        )?;
        Ok(found.note("four matchings suffice; six weights need two of them twice: see the sets"))
    }),
    ("topologies", |_| topologies()),
];

/// The trees of section 2.3, the two DAGs that are not trees, and all links.
pub const T1: [&str; 4] = ["Ps -> P1", "Ps -> P2", "P1 -> P3", "P2 -> P4"];
pub const T2: [&str; 4] = ["Ps -> P1", "P1 -> P2", "P1 -> P3", "P2 -> P4"];
pub const T3: [&str; 4] = ["Ps -> P2", "P2 -> P1", "P1 -> P3", "P2 -> P4"];
pub const D1: [&str; 5] = ["Ps -> P1", "Ps -> P2", "P1 -> P2", "P1 -> P3", "P2 -> P4"];
const D2: [&str; 5] = ["Ps -> P1", "Ps -> P2", "P2 -> P1", "P1 -> P3", "P2 -> P4"];
pub const ALL: [&str; 6] = [
    "Ps -> P1", "Ps -> P2", "P1 -> P2", "P2 -> P1", "P1 -> P3", "P2 -> P4",
];

/// Parts of section 2.2's linear programs for figure 2 that are executed as printed.
#[derive(Clone, Copy)]
pub struct Reading {
    /// `t <= c x` instead of `t >= c x`.
    pub at_most: bool,
    /// The ports of the bidirectional model.
    pub bidirectional: bool,
}

/// The program marked as wrong, with the sense of the occupations put right.
pub const PRINTED_BUT_SENSE: Reading = Reading {
    at_most: false,
    bidirectional: false,
};

/// Section 2.2's flow programs for figure 2. Columns: a; x_2^{12}, x_3^{12}, x_3^{13}, x_3^{23}; t_12, t_13, t_23.
pub fn printed_program(reading: Reading) -> Result<Ended> {
    let mut program = Program::default();
    let columns = program.many(8);
    let [a, x2, x3, x13, x23, t12, t13, t23] = columns[..] else {
        anyhow::bail!("eight columns")
    };
    let (one, minus) = (whole(1), whole(-1));
    let mut equal = |entries: &[(usize, &Rational)]| {
        program.row(
            Relation::Equal,
            whole(0),
            entries
                .iter()
                .map(|&(column, value)| (column, value.clone())),
        );
    };
    equal(&[(x2, &one), (a, &minus)]);
    equal(&[(x3, &one), (x13, &one), (a, &minus)]);
    equal(&[(x13, &one), (x23, &one), (a, &minus)]);
    equal(&[(x3, &one), (x23, &minus)]);
    let sense = if reading.at_most {
        Relation::AtMost
    } else {
        Relation::AtLeast
    };
    for (t, x, cost) in [
        (t12, x2, "1"),
        (t12, x3, "1"),
        (t13, x13, "1"),
        (t23, x23, "1/2"),
    ] {
        program.row(sense, whole(0), [(t, whole(1)), (x, -number(cost)?)]);
    }
    let both: &[&[usize]] = &[&[t12, t13], &[t12], &[t23], &[t23, t13]];
    let single: &[&[usize]] = &[&[t12, t13], &[t12, t23], &[t23, t13]];
    for ports in if reading.bidirectional { both } else { single } {
        program.row(
            Relation::AtMost,
            whole(1),
            ports.iter().map(|&t| (t, whole(1))),
        );
    }
    program.end(Sense::Maximize, a)
}

/// The value by our solver, by (P) with the bidirectional model's sets, and by the printed program with `>=`.
fn bidirectional_value() -> Result<Finding> {
    let platform = figure_2()?.with_model(PortModel::FullDuplex);
    let program = printed_program(Reading {
        at_most: false,
        bidirectional: true,
    })?
    .value()?;
    let ours = throughput(&platform, &broadcast(&platform))?;
    ensure!(
        ours == program,
        "the flow program yields {program}, the patterns {ours}"
    );
    Ok(Finding::value(ours))
}

/// "Using only tree T2": T2 alone attains it.
fn bidirectional_solution() -> Result<Finding> {
    let platform = only(&figure_2()?, &["P1 -> P2", "P2 -> P3"])?.with_model(PortModel::FullDuplex);
    Ok(Finding::value(throughput(
        &platform,
        &broadcast(&platform),
    )?))
}

/// T1 and T2 of figure 3, by links.
fn trees_of_figure_3(platform: &Platform) -> Result<[Links; 2]> {
    let links = |names: [&str; 2]| -> Result<Links> {
        let mut links: Links = names
            .iter()
            .map(|name| Ok(cases::link(platform, name)?.index()))
            .collect::<Result<_>>()?;
        links.sort_unstable();
        Ok(links)
    };
    Ok([
        links(["P1 -> P2", "P1 -> P3"])?,
        links(["P1 -> P2", "P2 -> P3"])?,
    ])
}

/// Weights of T1 and T2 by the program of ports: the only solution of two equations.
fn wrong_weights() -> Result<[Rational; 2]> {
    let platform = figure_2()?;
    let trees = trees_of_figure_3(&platform)?;
    let optimum = program::ports_only(&Net::of(&platform), &trees)?;
    let program = printed_program(PRINTED_BUT_SENSE)?.value()?;
    ensure!(
        optimum.value == program,
        "by trees {}, by flows {program}",
        optimum.value
    );
    Ok(trees.map(|tree| {
        let of = optimum.patterns.iter().find(|(links, _)| *links == tree);
        of.map_or_else(Rational::zero, |(_, weight)| weight.clone())
    }))
}

fn list(values: impl IntoIterator<Item = Rational>) -> Finding {
    Finding::value(Value::List(values.into_iter().map(Value::Number).collect()))
}

fn wrong_trees() -> Result<Finding> {
    Ok(list(wrong_weights()?))
}

pub fn wrong_busy() -> Result<Vec<Rational>> {
    let platform = figure_2()?;
    let weighted: Vec<(Links, Rational)> = trees_of_figure_3(&platform)?
        .into_iter()
        .zip(wrong_weights()?)
        .collect();
    Ok(program::busy(&Net::of(&platform), &weighted))
}

fn wrong_ports() -> Result<Finding> {
    let (net, busy) = (Net::of(&figure_2()?), wrong_busy()?);
    let of = |node: usize| {
        let at = net
            .arcs
            .iter()
            .zip(&busy)
            .filter(|(arc, _)| [arc.from, arc.to].contains(&node));
        at.map(|(_, time)| time).sum::<Rational>()
    };
    Ok(list((0..net.nodes).map(of)))
}

/// Occupation of 1 -> 2, 1 -> 3, 2 -> 3.
fn figure_5() -> Result<Finding> {
    Ok(list(wrong_busy()?))
}

/// The messages of the wrong program's trees, and the time they take: by all matchings and by our decomposition.
fn wrong_total() -> Result<(Rational, Rational)> {
    let (net, busy) = (Net::of(&figure_2()?), wrong_busy()?);
    let least = program::least_time(&net.matchings(), &busy)?;
    let edges = net
        .arcs
        .iter()
        .map(|arc| [Some(arc.from), Some(arc.to)])
        .collect();
    let ours = least_period(
        &PortGraph {
            capacities: vec![1; net.nodes],
            edges,
        },
        &busy,
    )?;
    ensure!(
        ours == least,
        "our decomposition takes {ours}, all matchings {least}"
    );
    Ok((wrong_weights()?.iter().sum(), least))
}

fn five_quarters() -> Result<Finding> {
    Ok(Finding::value(wrong_total()?.1)
        .note("every port is busy for at most 1; fractional chromatic index 5/4"))
}

/// y1, y2, x1, x2, x3 of section 2.2.2; M1 = {1 -> 2}, M2 = {1 -> 3}, M3 = {2 -> 3}.
fn figure_2_solution() -> Result<Finding> {
    let platform = figure_2()?;
    let optimum = enumerated(&platform, &broadcast(&platform))?;
    let weight = |all: &[(Links, Rational)], links: &[usize]| {
        all.iter()
            .find(|(found, _)| found == links)
            .map_or_else(Rational::zero, |(_, weight)| weight.clone())
    };
    let trees = trees_of_figure_3(&platform)?.map(|tree| weight(&optimum.patterns, &tree));
    Ok(list(
        trees
            .into_iter()
            .chain((0..3).map(|link| weight(&optimum.sets, &[link]))),
    ))
}

/// Acyclic subgraphs of figure 1 in which every node but the source is entered, and so reached.
pub fn dags_of_figure_1() -> Result<Vec<Vec<usize>>> {
    let net = Net::of(&figure_1()?);
    let mut found = Vec::new();
    for chosen in 0..1u32 << net.arcs.len() {
        let links: Vec<usize> = (0..net.arcs.len())
            .filter(|link| chosen >> link & 1 == 1)
            .collect();
        // Without a cycle, nodes can be taken away one after another, each without a link into it.
        let mut left: Vec<usize> = (0..net.nodes).collect();
        while let Some(place) = left.iter().position(|&node| {
            !links
                .iter()
                .any(|&link| net.arcs[link].to == node && left.contains(&net.arcs[link].from))
        }) {
            left.remove(place);
        }
        // Then all nodes are reached if each node but the source has an incoming link.
        let entered = |node: usize| links.iter().any(|&link| net.arcs[link].to == node);
        if left.is_empty() && (0..net.nodes).all(|node| entered(node) != (node == 0)) {
            found.push(links);
        }
    }
    Ok(found)
}

fn dags() -> Result<Finding> {
    Ok(Finding::value(dags_of_figure_1()?.len()))
}

/// Costs with which the throughputs of section 2.3 come out. T1 takes max(2a, a + d), T2 a + b + d: so a = 1 and
/// b + d = 3/4. Of these D1 takes 13/8 for two b, and by matchings of the printed weights for one.
fn costs_of_figure_1() -> Result<Finding> {
    const STEPS: u64 = 24;
    let (one, most) = (whole(1), number("3/4")?);
    let mut found = Vec::new();
    for step in 1..STEPS * 3 / 4 {
        let b = whole(step) / whole(STEPS);
        let d = &most - &b;
        let mut builder = Platform::builder();
        builder.model(PortModel::HalfDuplex);
        let plain = figure_1()?;
        for node in plain.nodes() {
            builder.node(node.clone())?;
        }
        for (link, cost) in plain.links().iter().zip([&one, &one, &b, &b, &d, &d]) {
            builder.link(link.from, link.to, cost.clone())?;
        }
        let platform = builder.build()?;
        let over = |names: &[&str]| {
            let part = only(&platform, names)?;
            Ok::<_, anyhow::Error>(enumerated(&part, &broadcast(&part))?.value)
        };
        ensure!(
            over(&T1)? == number("1/2")? && over(&T2)? == number("4/7")?,
            "b = {b}: T1 or T2 takes another time"
        );
        if over(&D1)? == number("8/13")? {
            let part = only(&platform, &D1)?;
            let net = Net::of(&part);
            let weight = number("4/13")?;
            let trees = [
                (links(&part, &T1)?, weight.clone()),
                (links(&part, &T2)?, weight),
            ];
            let printed = ["4/13", "4/13", "4/13", "1/13"]
                .map(number)
                .into_iter()
                .collect::<Result<Vec<_>>>()?;
            let weights: Vec<&Rational> = printed.iter().collect();
            let fits =
                program::sets_of_weights(&net.matchings(), &program::busy(&net, &trees), &weights)
                    .is_ok();
            found.push((format!("1, {b}, {d}"), fits));
        }
    }
    let fitting: Vec<&str> = found
        .iter()
        .filter(|(_, fits)| *fits)
        .map(|(costs, _)| costs.as_str())
        .collect();
    let others: Vec<&str> = found
        .iter()
        .filter(|(_, fits)| !fits)
        .map(|(costs, _)| costs.as_str())
        .collect();
    Ok(Finding::claim(fitting == ["1, 1/4, 1/2"], format!("{}; in steps of 1/{STEPS}", fitting.join("; "))).note(format!(
        "T1 takes max(2a, a + d), T2 a + b + d: so a = 1 and b + d = 3/4; D1 takes 13/8 also with {}, but not by matchings of the \
         printed weights",
        others.join("; ")
    )))
}

/// The best throughput over some links, by our solver and by (P).
pub fn over(names: &[&str]) -> Result<Rational> {
    let platform = only(&figure_1()?, names)?;
    throughput(&platform, &broadcast(&platform))
}

fn topology(names: &[&str]) -> Result<Finding> {
    Ok(Finding::value(over(names)?))
}

/// Two topologies that are the same but for symmetry.
fn twins(one: &[&str], other: &[&str]) -> Result<Finding> {
    let (one, other) = (over(one)?, over(other)?);
    ensure!(one == other, "{one} and {other} are not the same");
    Ok(Finding::value(one))
}

/// The platform's links by names.
fn links(platform: &Platform, names: &[&str]) -> Result<Links> {
    names
        .iter()
        .map(|name| Ok(cases::link(platform, name)?.index()))
        .collect()
}

/// Whether these trees can be sent in one unit of time by allowed sets of the printed weights.
fn matchings(
    paper: &Paper,
    id: &str,
    topology: &[&str],
    trees: &[(&[&str], &str)],
) -> Result<Finding> {
    let platform = only(&figure_1()?, topology)?;
    let net = Net::of(&platform);
    let weighted: Vec<(Links, Rational)> = trees
        .iter()
        .map(|(tree, weight)| Ok((links(&platform, tree)?, number(weight)?)))
        .collect::<Result<_>>()?;
    let weights = paper.printed(id)?.list()?;
    let total: Rational = weights.iter().copied().sum();
    ensure!(total == whole(1), "the weights add up to {total}");
    let sets =
        program::sets_of_weights(&net.matchings(), &program::busy(&net, &weighted), &weights)?;
    let name = |set: &Links| {
        let links = set.iter().filter_map(|&link| platform.link_ids().nth(link));
        links
            .map(|link| platform.link_name(link))
            .collect::<Vec<_>>()
            .join(" + ")
    };
    let shown: Vec<String> = sets
        .iter()
        .zip(&weights)
        .map(|(set, w)| format!("{} of {}", short(w), name(set)))
        .collect();
    Ok(Finding::claim(true, "these weights suffice").note(shown.join("; ")))
}

/// T1 and T2 at the optimum over D1.
fn dag_trees() -> Result<Finding> {
    let platform = only(&figure_1()?, &D1)?;
    let optimum = enumerated(&platform, &broadcast(&platform))?;
    let weight = |tree: &[&str]| -> Result<Rational> {
        let mut tree = links(&platform, tree)?;
        tree.sort_unstable();
        let found = optimum.patterns.iter().find(|(links, _)| *links == tree);
        Ok(found.map_or_else(Rational::zero, |(_, weight)| weight.clone()))
    };
    Ok(list([weight(&T1)?, weight(&T2)?]))
}

/// A tree is less than a DAG, a DAG less than the platform.
fn topologies() -> Result<Finding> {
    let (tree, dag, all) = (over(&T1)?.max(over(&T2)?), over(&D1)?, over(&ALL)?);
    let holds = tree < dag && dag < all;
    Ok(Finding::claim(
        holds,
        format!("best tree {tree}, best DAG {dag}, whole platform {all}"),
    ))
}
