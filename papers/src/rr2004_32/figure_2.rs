//! Figure 2 from the numbers of section 2.2 alone: its graph, and its costs.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use oneport::Rational;
use oneport_exact::{Relation, Sense};

use super::platforms::figure_2;
use super::program::{Arc, Net, Program};
use crate::numbers::whole;
use crate::rows::{Check, Finding, Paper};

pub const CHECKS: &[(&str, Check)] = &[("figure-2-graph", |_| graph()), ("figure-2-costs", costs)];

/// All links between three nodes. Node 0 is the source.
const LINKS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
/// The links of figure 2.
const FIGURE: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The graphs that fit, up to the exchange of the two targets: two trees, three matchings, every link in a tree.
fn classes() -> BTreeSet<Vec<(usize, usize)>> {
    let exchanged = |node: usize| if node == 0 { 0 } else { 3 - node };
    let mut found = BTreeSet::new();
    for chosen in 0..1u32 << LINKS.len() {
        let links: Vec<(usize, usize)> = (0..LINKS.len())
            .filter(|link| chosen >> link & 1 == 1)
            .map(|link| LINKS[link])
            .collect();
        let arcs = links
            .iter()
            .map(|&(from, to)| Arc {
                from,
                to,
                cost: whole(1),
            })
            .collect();
        let net = Net { nodes: 3, arcs };
        let trees = net.trees(0);
        let is_used = (0..links.len()).all(|link| trees.iter().any(|tree| tree.contains(&link)));
        if trees.len() == 2 && net.matchings().len() == 3 && is_used {
            let mut other: Vec<(usize, usize)> = links
                .iter()
                .map(|&(from, to)| (exchanged(from), exchanged(to)))
                .collect();
            other.sort_unstable();
            found.insert(links.min(other));
        }
    }
    found
}

fn graph() -> Result<Finding> {
    let (platform, classes) = (figure_2()?, classes());
    let ours: Vec<(usize, usize)> = platform
        .links()
        .iter()
        .map(|link| (link.from.index(), link.to.index()))
        .collect();
    ensure!(ours == FIGURE, "our platform has other links");
    let holds = classes == BTreeSet::from([FIGURE.to_vec()]);
    Ok(Finding::claim(
        holds,
        format!(
            "{} of 64 graphs fit, but for exchanging the targets",
            classes.len()
        ),
    ))
}

/// Costs c_12, c_13, c_23 with which 1/4 of T1 and 1/2 of T2 keep the ports busy as printed: three equations, whose
/// columns are minimised and maximised one by one.
fn costs(paper: &Paper) -> Result<Finding> {
    let (trees, ports) = (
        paper.printed("wrong-trees")?.list()?,
        paper.printed("wrong-ports")?.list()?,
    );
    let [first, second] = trees[..] else {
        anyhow::bail!("two weights")
    };
    // T1 = {12, 13}, T2 = {12, 23}.
    let often: [Rational; 3] = [first + second, first.clone(), second.clone()];
    let mut program = Program::default();
    let columns = program.many(often.len());
    for (node, &busy) in ports.iter().enumerate() {
        let at = FIGURE
            .iter()
            .zip(&columns)
            .zip(&often)
            .filter(|(((from, to), _), _)| [*from, *to].contains(&node));
        program.row(
            Relation::Equal,
            busy.clone(),
            at.map(|((_, &column), often)| (column, often.clone())),
        );
    }
    let mut costs = Vec::new();
    for &column in &columns {
        let least = program.end(Sense::Minimize, column)?.value()?;
        let most = program
            .end(Sense::Maximize, column)?
            .value()
            .context("a cost has no bound")?;
        ensure!(least == most, "a cost is anything from {least} to {most}");
        costs.push(most);
    }
    // Figure 5 prints the busy times of the links.
    let busy: Vec<Rational> = costs
        .iter()
        .zip(&often)
        .map(|(cost, often)| cost * often)
        .collect();
    let drawn: Vec<Rational> = paper
        .printed("figure-5")?
        .list()?
        .into_iter()
        .cloned()
        .collect();
    ensure!(busy == drawn, "figure 5 has other times");
    let ours: Vec<Rational> = figure_2()?
        .links()
        .iter()
        .map(|link| link.cost.clone())
        .collect();
    let shown: Vec<String> = costs.iter().map(Rational::to_string).collect();
    Ok(Finding::claim(costs == ours, shown.join(", "))
        .note("from the weights of T1 and T2 and the times of the three ports"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_of_graphs_fits() {
        assert_eq!(classes().into_iter().collect::<Vec<_>>(), [FIGURE.to_vec()]);
    }
}
