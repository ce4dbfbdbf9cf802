//! Section 2: figures 1 and 2 number by number.

use anyhow::{Context, Result, ensure};
use num_traits::Zero;
use oneport::{Platform, PortModel, Rational};
use oneport_exact::{Relation, Sense};
use oneport_matching::general::{PortGraph, least_period};
use oneport_numbers::ratio;

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

/// The program marked as wrong, with the sense of the occupations corrected.
pub const PRINTED_BUT_SENSE: Reading = Reading {
    at_most: false,
    bidirectional: false,
};

/// The outcome of section 2.2's flow program for figure 2.
pub fn printed_program(reading: Reading) -> Result<Ended> {
    let (program, [a, ..]) = flow_program(reading)?;
    program.end(Sense::Maximize, a)
}

/// Section 2.2's flow programs for figure 2. Columns: a, then x_2^{12}, x_3^{12}, x_3^{13}, x_3^{23}, then t_12, t_13,
/// t_23.
fn flow_program(reading: Reading) -> Result<(Program, [usize; 8])> {
    let mut program = Program::default();
    let columns = program.many(8);
    let columns: [usize; 8] = columns.try_into().ok().context("eight columns")?;
    let [a, x2, x3, x13, x23, t12, t13, t23] = columns;
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
    Ok((program, columns))
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

/// x_2^{12}, x_3^{12}, x_3^{23} and a at the optimum of the printed program, which allows no other values there. "Using
/// only tree T2": T2 alone attains it, and the schedule that figure 4 leads to takes one unit of time.
fn bidirectional_solution() -> Result<Finding> {
    let (mut program, [a, x2, x3, x13, x23, ..]) = flow_program(Reading {
        at_most: false,
        bidirectional: true,
    })?;
    let optimum = program.end(Sense::Maximize, a)?.value()?;
    program.row(Relation::Equal, optimum.clone(), [(a, whole(1))]);
    let only_value = |column| -> Result<Rational> {
        let least = program.end(Sense::Minimize, column)?.value()?;
        let most = program.end(Sense::Maximize, column)?.value()?;
        ensure!(least == most, "an x is anything from {least} to {most}");
        Ok(most)
    };
    ensure!(only_value(x13)?.is_zero(), "P1 sends to P3");
    let solution = [only_value(x2)?, only_value(x3)?, only_value(x23)?];
    let part = only(&figure_2()?, &["P1 -> P2", "P2 -> P3"])?.with_model(PortModel::FullDuplex);
    let along = throughput(&part, &broadcast(&part))?;
    ensure!(along == optimum, "T2 alone attains {along}");
    let (net, busy) = (Net::of(&figure_2()?), bidirectional_busy()?);
    let ports = |arc: &program::Arc| [Some(2 * arc.from), Some(2 * arc.to + 1)];
    let graph = PortGraph {
        capacities: vec![1; 2 * net.nodes],
        edges: net.arcs.iter().map(ports).collect(),
    };
    let time = least_period(&graph, &busy)?;
    ensure!(time == whole(1), "figure 4 takes {time}");
    Ok(list(solution.into_iter().chain([optimum])).note(
        "no other values at the optimum; T2 alone, weighted by 1, fits into one unit of time",
    ))
}

/// Time that T2, weighted by the bidirectional optimum, keeps 1 -> 2, 1 -> 3, 2 -> 3 busy: figure 4.
pub fn bidirectional_busy() -> Result<Vec<Rational>> {
    let platform = figure_2()?.with_model(PortModel::FullDuplex);
    let optimum = enumerated(&platform, &broadcast(&platform))?;
    let [_, second] = trees_of_figure_3(&platform)?;
    ensure!(
        optimum.patterns == [(second, whole(1))],
        "the optimum uses another tree than T2"
    );
    Ok(program::busy(&Net::of(&platform), &optimum.patterns))
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
    let busy_time = |node: usize| {
        let at = net
            .arcs
            .iter()
            .zip(&busy)
            .filter(|(arc, _)| [arc.from, arc.to].contains(&node));
        at.map(|(_, time)| time).sum::<Rational>()
    };
    Ok(list((0..net.nodes).map(busy_time)))
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

/// The values y1, y2, x1, x2, x3 of section 2.2.2, with M1 = {1 -> 2}, M2 = {1 -> 3}, M3 = {2 -> 3}.
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
        // Without a cycle, nodes can be removed one by one, each without a link into it.
        let mut left: Vec<usize> = (0..net.nodes).collect();
        while let Some(point) = left.iter().position(|&node| {
            !links
                .iter()
                .any(|&link| net.arcs[link].to == node && left.contains(&net.arcs[link].from))
        }) {
            left.remove(point);
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

/// Figure 1 with other costs: of the links out of s, of 1 <-> 2, and of the last links.
fn figure_1_with(costs: [&Rational; 3]) -> Result<Platform> {
    let mut builder = Platform::builder();
    builder.model(PortModel::HalfDuplex);
    let plain = figure_1()?;
    for node in plain.nodes() {
        builder.node(node.clone())?;
    }
    for (point, link) in plain.links().iter().enumerate() {
        builder.link(link.from, link.to, costs[point / 2].clone())?;
    }
    Ok(builder.build()?)
}

/// Costs with which the throughputs of section 2.3 come out.
///
/// *Proof that no others exist.* By symmetry a is the cost of both links out of s, b of 1 <-> 2, d of both last
/// links. T1 takes max(2a, a + d): s -> 1 runs during 2 -> 4, and s -> 2 during 1 -> 3. T2 takes a + b + d. So max(2a,
/// a + d) = 2 and a + b + d = 7/4. Since a + d = 2 is impossible with b > 0, a = 1 and b + d = 3/4. Per message on D1,
/// with a share w of T1, the times of s -> 1, s -> 2 and 1 -> 2 add up to 1 + w + b (1 - w). 2 -> 4 runs during s -> 1,
/// and 1 -> 3 during s -> 2 except for max(d - w, 0). The sum is 1 + b (1 - w) + max(w, d), which is least at w = d.
/// That is 1 + d + b (1 - d) = 7/4 - 3/4 b + b^2, a quadratic, which is 13/8 for two b at most. The share of T1 there
/// is d, and the paper prints 4/13 of 8/13, which is half.
fn costs_of_figure_1() -> Result<Finding> {
    const STEPS: u64 = 24;
    let (one, most) = (whole(1), number("3/4")?);
    let over = |costs: [&Rational; 3], names: &[&str]| -> Result<Rational> {
        let part = only(&figure_1_with(costs)?, names)?;
        Ok(enumerated(&part, &broadcast(&part))?.value)
    };
    let of_d1 = |b: &Rational| over([&one, b, &(&most - b)], &D1).map(|value| value.recip());
    let [zeroth, first, second] =
        quadratic(&[number("1/8")?, number("3/8")?, number("5/8")?], of_d1)?;
    for step in 1..STEPS * 3 / 4 {
        let b = whole(step) / whole(STEPS);
        let costs = [&one, &b, &(&most - &b)];
        ensure!(
            over(costs, &T1)? == number("1/2")? && over(costs, &T2)? == number("4/7")?,
            "b = {b}: T1 or T2 takes another time"
        );
        let time = &zeroth + (&first + &second * &b) * &b;
        ensure!(of_d1(&b)? == time, "b = {b}: D1 does not take {time}");
    }
    let roots = roots(&(zeroth - number("13/8")?), &first, &second)?;
    let share = number("4/13")? / number("8/13")?;
    let fitting: Vec<String> = roots
        .iter()
        .filter(|b| &most - *b == share)
        .map(|b| format!("1, {b}, {}", &most - b))
        .collect();
    let ours: Vec<String> = figure_1()?
        .links()
        .iter()
        .step_by(2)
        .map(|link| link.cost.to_string())
        .collect();
    let shown: Vec<String> = roots.iter().map(ToString::to_string).collect();
    Ok(Finding::claim(fitting == [ours.join(", ")], fitting.join("; ")).note(format!(
        "T1 takes max(2a, a + d), T2 a + b + d: so a = 1 and b + d = 3/4; D1 takes a quadratic in b, which is 13/8 for b = {} only; its \
         share of T1 is d, and half is printed",
        shown.join(" and ")
    )))
}

/// The coefficients, from the constant up, of the quadratic through the values at three points.
fn quadratic(
    points: &[Rational; 3],
    value: impl Fn(&Rational) -> Result<Rational>,
) -> Result<[Rational; 3]> {
    let [x, y, z] = points;
    let [at_x, at_y, at_z] = [value(x)?, value(y)?, value(z)?];
    // Newton's divided differences.
    let (xy, yz) = ((&at_y - &at_x) / (y - x), (&at_z - &at_y) / (z - y));
    let second = (yz - &xy) / (z - x);
    let first = xy - &second * (x + y);
    Ok([at_x - (&first + &second * x) * x, first, second])
}

/// The roots of a quadratic, ascending.
///
/// # Errors
/// The roots are not fractions.
fn roots(zeroth: &Rational, first: &Rational, second: &Rational) -> Result<Vec<Rational>> {
    let square = first * first - whole(4) * second * zeroth;
    let root = ratio(square.numer().sqrt(), square.denom().sqrt());
    ensure!(&root * &root == square, "the roots are no fractions");
    let mut roots = [-&root, root]
        .map(|root| (root - first) / (second * whole(2)))
        .to_vec();
    roots.sort();
    roots.dedup();
    Ok(roots)
}

/// The best throughput over some links, by our solver and by (P).
pub fn over(names: &[&str]) -> Result<Rational> {
    let platform = only(&figure_1()?, names)?;
    throughput(&platform, &broadcast(&platform))
}

fn topology(names: &[&str]) -> Result<Finding> {
    Ok(Finding::value(over(names)?))
}

/// Two topologies that are equal up to symmetry.
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
