//! Figure 1 from the numbers of section 2.3 alone: which graphs of five nodes have its trees, DAGs and symmetry.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};

use crate::rows::Finding;

/// Number of nodes. Node 0 is the source.
const NODES: usize = 5;
/// Trees, DAGs and matchings that section 2.3 counts.
const COUNTS: (usize, usize, usize) = (3, 5, 8);
/// The links of figure 1: s -> 1, s -> 2, 1 <-> 2, 1 -> 3, 2 -> 4.
const FIGURE: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (2, 1), (1, 3), (2, 4)];

/// A graph: bit `5 from + to`.
type Graph = u32;

fn bit((from, to): (usize, usize)) -> Graph {
    1 << (NODES * from + to)
}

fn has(graph: Graph, from: usize, to: usize) -> bool {
    graph & bit((from, to)) != 0
}

/// All spanning trees out of the source: a link into every other node, without a cycle.
fn all_trees() -> Vec<Graph> {
    let mut found = vec![0];
    for node in 1..NODES {
        found = found
            .iter()
            .flat_map(|tree| {
                (0..NODES)
                    .filter(move |&from| from != node)
                    .map(move |from| tree | bit((from, node)))
            })
            .collect();
    }
    found.retain(|&tree| is_acyclic(tree));
    found
}

fn is_acyclic(graph: Graph) -> bool {
    let mut left: Vec<usize> = (0..NODES).collect();
    while let Some(index) = left
        .iter()
        .position(|&node| !left.iter().any(|&from| has(graph, from, node)))
    {
        left.remove(index);
    }
    left.is_empty()
}

/// Acyclic subgraphs in which every node but the source is entered.
fn dags(graph: Graph) -> usize {
    let mut count = 0;
    let mut part = graph;
    while part > 0 {
        let entered = (1..NODES).all(|node| (0..NODES).any(|from| has(part, from, node)));
        count += usize::from(entered && is_acyclic(part));
        part = (part - 1) & graph;
    }
    count
}

/// Nonempty sets of links without a common node. `merged`: both directions between two nodes count as one link.
fn matchings(graph: Graph, merged: bool) -> usize {
    let links = (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to)));
    let links = links.filter(|&(from, to)| {
        has(graph, from, to) && !(merged && from > to && has(graph, to, from))
    });
    let mut sets: Vec<u32> = vec![0];
    for (from, to) in links {
        let ends = 1 << from | 1 << to;
        let more: Vec<u32> = sets
            .iter()
            .filter(|&&used| used & ends == 0)
            .map(|used| used | ends)
            .collect();
        sets.extend(more);
    }
    sets.len() - 1
}

/// All orders of the nodes besides the source.
fn renamings() -> Vec<[usize; NODES]> {
    let mut found = Vec::new();
    for code in 0..NODES.pow(NODES as u32 - 1) {
        let name = |node: usize| {
            if node == 0 {
                0
            } else {
                code / NODES.pow(node as u32 - 1) % NODES
            }
        };
        let names: [usize; NODES] = std::array::from_fn(name);
        if names.iter().copied().collect::<BTreeSet<_>>().len() == NODES {
            found.push(names);
        }
    }
    found
}

fn renamed(graph: Graph, names: &[usize; NODES]) -> Graph {
    let links = (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to)));
    links
        .filter(|&(from, to)| has(graph, from, to))
        .map(|(from, to)| bit((names[from], names[to])))
        .sum()
}

/// The graphs that fit, one per class of renamings: three trees, five DAGs, every link in a tree, and a symmetry that
/// swaps two of the trees ("by symmetry").
fn classes() -> Vec<Graph> {
    let (all, renamings) = (all_trees(), renamings());
    let mut found: BTreeSet<Graph> = BTreeSet::new();
    // Three trees cover the graph, so choose them.
    for (index, &first) in all.iter().enumerate() {
        for (next, &second) in all.iter().enumerate().skip(index + 1) {
            for &third in &all[next + 1..] {
                let graph = first | second | third;
                let trees: Vec<Graph> = all
                    .iter()
                    .copied()
                    .filter(|tree| tree & graph == *tree)
                    .take(4)
                    .collect();
                if trees.len() != COUNTS.0 || found.contains(&graph) {
                    continue;
                }
                let swaps = |names: &&[usize; NODES]| {
                    renamed(graph, names) == graph
                        && trees
                            .iter()
                            .filter(|&&tree| renamed(tree, names) != tree)
                            .count()
                            == 2
                };
                if renamings.iter().any(|names| swaps(&names)) && dags(graph) == COUNTS.1 {
                    found.insert(graph);
                }
            }
        }
    }
    let least = |&graph: &Graph| renamings.iter().map(|names| renamed(graph, names)).min();
    found
        .iter()
        .filter_map(least)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// One class has the printed number of matchings, and only if both directions between two nodes are one link.
pub fn finding() -> Result<Finding> {
    let classes = classes();
    let eight = |merged: bool| -> Vec<Graph> {
        classes
            .iter()
            .copied()
            .filter(|&graph| matchings(graph, merged) == COUNTS.2)
            .collect()
    };
    let (merged, apart) = (eight(true), eight(false));
    let figure = renamings()
        .iter()
        .map(|names| renamed(FIGURE.into_iter().map(bit).sum(), names))
        .min();
    let figure = figure.context("no renaming")?;
    ensure!(
        merged == [figure],
        "{} graphs with eight matchings",
        merged.len()
    );
    ensure!(
        apart.is_empty(),
        "{} graphs with eight matchings, directions apart",
        apart.len()
    );
    let tried = format!(
        "{} graphs fit but for renaming; one of them with 8 matchings, 1 <-> 2 counted once",
        classes.len()
    );
    Ok(Finding::claim(true, tried).note("its nine matchings: E004-4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_1_is_what_section_2_3_counts() {
        let figure: Graph = FIGURE.into_iter().map(bit).sum();
        assert_eq!(all_trees().len(), 125, "Cayley");
        assert_eq!(
            all_trees()
                .iter()
                .filter(|&&tree| tree & figure == tree)
                .count(),
            COUNTS.0
        );
        assert_eq!(
            (
                dags(figure),
                matchings(figure, true),
                matchings(figure, false)
            ),
            (COUNTS.1, COUNTS.2, 9)
        );
        assert_eq!(renamings().len(), 24);
    }

    #[test]
    fn eight_classes_of_graphs_fit() {
        assert_eq!(classes().len(), 8);
    }
}
