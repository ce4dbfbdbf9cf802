//! The programs of RR-2004-32 written out: every set of simultaneous transfers, every pattern, (P) and (D).
//!
//! Exponential on purpose: the only code shared with the solver under test is the exact linear programming. The rows of
//! (P) and (D) are those of `oneport_programs`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use num_traits::{One, Zero};
use oneport::plan::{Demand, Goals};
use oneport::{Collective, Platform, PortModel, Rational};
use oneport_exact::{
    Column, LinearProgram, Optimum as Solution, Options, Outcome, Relation, Row, Sense, Solver,
};
use oneport_programs::{
    Equation, Errata, Line, Linear, Matchings, ProgramError, Quantity, Solvable,
};

use crate::numbers::whole;

/// Limit on the patterns of a product that are listed.
const MOST_PATTERNS: usize = 50_000;

/// A link of a [`Net`].
#[derive(Debug, Clone)]
pub struct Arc {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Time per message. 0 for the fictitious links of section 5.
    pub cost: Rational,
}

/// A graph whose links may take time 0.
#[derive(Debug, Clone, Default)]
pub struct Net {
    /// Number of nodes.
    pub nodes: usize,
    /// The links.
    pub arcs: Vec<Arc>,
}

/// Indices of links, ascending. A pattern repeats a link as often as it uses it.
pub type Links = Vec<usize>;

impl Net {
    /// The platform's graph.
    pub fn of(platform: &Platform) -> Net {
        let arc = |link: &oneport::platform::Link| Arc {
            from: link.from.index(),
            to: link.to.index(),
            cost: link.cost.clone(),
        };
        Net {
            nodes: platform.nodes().len(),
            arcs: platform.links().iter().map(arc).collect(),
        }
    }

    /// Links that take time.
    pub fn timed(&self) -> Links {
        (0..self.arcs.len())
            .filter(|&link| !self.arcs[link].cost.is_zero())
            .collect()
    }

    /// All nonempty matchings of the links that take time: no node has two of them.
    pub fn matchings(&self) -> Vec<Links> {
        let ends = |link: usize| [self.arcs[link].from, self.arcs[link].to];
        subsets(&self.timed(), |set, link| {
            set.iter()
                .all(|&other| ends(other).iter().all(|end| !ends(link).contains(end)))
        })
    }

    /// All spanning trees out of `root`.
    pub fn trees(&self, root: usize) -> Vec<Links> {
        let mut found = Vec::new();
        let entering = |node: usize| {
            (0..self.arcs.len())
                .filter(move |&link| self.arcs[link].to == node)
                .collect()
        };
        let choices: Vec<Links> = (0..self.nodes).map(entering).collect();
        self.grow(root, 0, &choices, &mut vec![None; self.nodes], &mut found);
        found
    }

    fn grow(
        &self,
        root: usize,
        node: usize,
        choices: &[Links],
        parents: &mut Vec<Option<usize>>,
        found: &mut Vec<Links>,
    ) {
        if node == self.nodes {
            let mut tree: Links = parents.iter().flatten().copied().collect();
            tree.sort_unstable();
            found.push(tree);
            return;
        }
        if node == root {
            return self.grow(root, node + 1, choices, parents, found);
        }
        for &link in &choices[node] {
            // A cycle is closed by the last of its links, whose tail is then below this node already.
            let mut at = self.arcs[link].from;
            while let Some(up) = parents[at] {
                at = self.arcs[up].from;
            }
            if at != node {
                parents[node] = Some(link);
                self.grow(root, node + 1, choices, parents, found);
                parents[node] = None;
            }
        }
    }

    /// All paths that visit no node twice.
    pub fn paths(&self, from: usize, to: usize) -> Vec<Links> {
        let mut found = Vec::new();
        let mut open: Vec<(Vec<usize>, Links)> = vec![(vec![from], Vec::new())];
        while let Some((nodes, links)) = open.pop() {
            let at = nodes[nodes.len() - 1];
            if at == to {
                found.push(links);
                continue;
            }
            for (link, arc) in self.arcs.iter().enumerate() {
                if arc.from == at && !nodes.contains(&arc.to) {
                    let nodes = nodes.iter().copied().chain([arc.to]).collect();
                    open.push((nodes, links.iter().copied().chain([link]).collect()));
                }
            }
        }
        found
    }

    /// The patterns of section 3 or 4: one tree or path per message, in all combinations.
    ///
    /// # Errors
    /// Another collective, a broadcast that leaves nodes out, too many combinations.
    pub fn patterns(&self, collective: &Collective) -> Result<Vec<Links>> {
        let part = |demand: Demand<'_>| match (demand.operands, demand.goals) {
            (&[source], Goals::At(target)) => Ok(self.paths(source.index(), target.index())),
            (&[source], Goals::Everywhere(nodes))
                if nodes.iter().filter(|&&node| node != source).count() + 1 == self.nodes =>
            {
                Ok(self.trees(source.index()))
            }
            _ => bail!(
                "the patterns of this {} are not written out",
                collective.name()
            ),
        };
        let demands = (0..collective.demands()).map_while(|index| collective.demand(index));
        self.products(&demands.map(part).collect::<Result<Vec<_>>>()?)
    }

    /// All combinations. Combinations with equal links and times count once.
    pub fn products(&self, parts: &[Vec<Links>]) -> Result<Vec<Links>> {
        let timed = self.timed();
        let mut patterns: BTreeSet<Links> = BTreeSet::from([Vec::new()]);
        for part in parts {
            let mut longer = BTreeSet::new();
            for pattern in &patterns {
                for more in part {
                    let used = more.iter().filter(|link| timed.contains(link));
                    let mut links: Links = pattern.iter().chain(used).copied().collect();
                    links.sort_unstable();
                    longer.insert(links);
                }
            }
            ensure!(
                longer.len() <= MOST_PATTERNS,
                "more than {MOST_PATTERNS} patterns"
            );
            patterns = longer;
        }
        Ok(patterns.into_iter().collect())
    }
}

/// All nonempty subsets that can be built by adding links which fit.
fn subsets(links: &[usize], fits: impl Fn(&[usize], usize) -> bool) -> Vec<Links> {
    let mut found: Vec<Links> = vec![Vec::new()];
    for &link in links {
        let longer: Vec<Links> = found
            .iter()
            .filter(|set| fits(set, link))
            .map(|set| set.iter().copied().chain([link]).collect())
            .collect();
        found.extend(longer);
    }
    found.retain(|set| !set.is_empty());
    found
}

/// All nonempty sets of links that the platform's nodes can use at the same time, under their port models.
pub fn allowed_sets(platform: &Platform) -> Vec<Links> {
    let links: Links = platform.link_ids().map(|link| link.index()).collect();
    let ends = |link: usize| {
        let link = &platform.links()[link];
        [link.from, link.to]
    };
    subsets(&links, |set, link| {
        ends(link).into_iter().enumerate().all(|(side, node)| {
            let used = |end: usize| {
                set.iter()
                    .filter(|&&other| ends(other)[end] == node)
                    .count()
            };
            match platform.model_of(node) {
                PortModel::FullDuplex => used(side) == 0,
                PortModel::HalfDuplex => used(0) + used(1) == 0,
                PortModel::Multiport => {
                    used(side) < platform.node(node).ports.unwrap_or(1) as usize
                }
                PortModel::Links => true,
            }
        })
    })
}

/// Outcome of a linear program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended<Values = Vec<Rational>> {
    /// The optimum and the values there.
    Optimal(Rational, Values),
    /// No finite optimum.
    Unbounded,
    /// No solution.
    Infeasible,
}

impl Ended {
    /// The optimum.
    pub fn value(self) -> Result<Rational> {
        match self {
            Ended::Optimal(value, _) => Ok(value),
            other => bail!("the program is {other:?}"),
        }
    }
}

/// A linear program with columns `>= 0`. One column is the objective.
#[derive(Debug, Clone, Default)]
pub struct Program {
    columns: usize,
    rows: Vec<(Relation, Rational, BTreeMap<usize, Rational>)>,
}

impl Program {
    /// A new column.
    pub fn column(&mut self) -> usize {
        self.columns += 1;
        self.columns - 1
    }

    /// `count` new columns.
    pub fn many(&mut self, count: usize) -> Vec<usize> {
        (0..count).map(|_| self.column()).collect()
    }

    /// A new row. Entries of the same column are added up.
    pub fn row(
        &mut self,
        relation: Relation,
        side: Rational,
        entries: impl IntoIterator<Item = (usize, Rational)>,
    ) {
        let mut row: BTreeMap<usize, Rational> = BTreeMap::new();
        for (column, value) in entries {
            *row.entry(column).or_insert_with(Rational::zero) += value;
        }
        self.rows.push((relation, side, row));
    }

    /// Solves for one column.
    pub fn end(&self, sense: Sense, objective: usize) -> Result<Ended> {
        let mut program = LinearProgram::new(sense);
        let mut entries: Vec<Vec<(Row, Rational)>> = vec![Vec::new(); self.columns];
        for (relation, side, row) in &self.rows {
            let at = program.add_row(*relation, side.clone());
            for (&column, value) in row.iter().filter(|(_, value)| !value.is_zero()) {
                entries[column].push((at, value.clone()));
            }
        }
        let mut indices: Vec<Column> = Vec::new();
        for (column, entries) in entries.into_iter().enumerate() {
            let cost = if column == objective {
                Rational::one()
            } else {
                Rational::zero()
            };
            indices.push(program.add_column(cost, entries)?);
        }
        solved(program, |optimum| {
            let value = |index| optimum.primal.get(index);
            indices.iter().copied().map(value).collect()
        })
    }
}

/// Solves a program. `values` reads a solution.
fn solved<Values>(
    program: LinearProgram,
    values: impl FnOnce(&Solution) -> Values,
) -> Result<Ended<Values>> {
    Ok(match Solver::new(program).solve(&Options::default())? {
        Outcome::Optimal(optimum) => {
            let values = values(&optimum);
            Ended::Optimal(optimum.objective, values)
        }
        Outcome::Unbounded { .. } => Ended::Unbounded,
        Outcome::Infeasible(_) => Ended::Infeasible,
        Outcome::LimitReached { .. } => bail!("a program was not solved"),
    })
}

/// Solves a program of `oneport_programs`. A variable that is in no row is 0.
fn solved_rows(rows: Linear) -> Result<Ended<BTreeMap<Quantity, Rational>>> {
    let Solvable {
        program, columns, ..
    } = rows.solvable()?;
    solved(program, |optimum| {
        let value = |column| optimum.primal.get(column);
        let difference =
            |(&quantity, &(column, negative)): (&Quantity, &(Column, Option<Column>))| {
                let negative = negative.map(value).unwrap_or_default();
                (quantity, value(column) - negative)
            };
        columns.iter().map(difference).collect()
    })
}

/// A solution of (P): the sets and patterns in use, with weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimum {
    /// The throughput.
    pub value: Rational,
    /// Patterns with a positive weight.
    pub patterns: Vec<(Links, Rational)>,
    /// Sets of simultaneous transfers with a positive weight.
    pub sets: Vec<(Links, Rational)>,
}

/// (P) and (D) over these sets and patterns, (edge_k) being an equation as printed.
fn rows(
    net: &Net,
    sets: &[Links],
    patterns: &[Links],
    write: impl FnOnce(Matchings<'_>) -> Result<Linear, ProgramError>,
) -> Result<Linear> {
    let times: Vec<Rational> = net.arcs.iter().map(|arc| arc.cost.clone()).collect();
    let errors = Errata {
        edge_equation: true,
        ..Errata::NONE
    };
    let mut rows = write(Matchings {
        times: &times,
        matchings: sets,
        patterns,
        errors,
    })?;
    // Links that take no time need no matching.
    rows.lines.retain(|line| match line.equation {
        Equation::Edge(link) => !times[link].is_zero(),
        _ => true,
    });
    Ok(rows)
}

/// (P) of section 3.2: the sets take one unit of time together, and give every link the time its messages take.
pub fn primal(net: &Net, sets: &[Links], patterns: &[Links]) -> Result<Optimum> {
    let mut rows = rows(net, sets, patterns, |given| given.primal())?;
    let total = Line {
        equation: Equation::Bound(0),
        terms: std::iter::once((Quantity::Throughput, whole(-1)))
            .chain(rows.objective.iter().map(|&pattern| (pattern, whole(1))))
            .collect(),
        relation: Relation::Equal,
        side: whole(0),
    };
    rows.lines.push(total);
    rows.objective = vec![Quantity::Throughput];
    let Ended::Optimal(value, values) = solved_rows(rows)? else {
        bail!("(P) has no optimum");
    };
    let used = |all: &[Links], quantity: fn(usize) -> Quantity| -> Vec<(Links, Rational)> {
        let weighted = all.iter().enumerate().filter_map(|(index, links)| {
            let weight = values.get(&quantity(index))?;
            Some((links.clone(), weight.clone()))
        });
        weighted.filter(|(_, weight)| !weight.is_zero()).collect()
    };
    Ok(Optimum {
        value,
        patterns: used(patterns, Quantity::Pattern),
        sets: used(sets, Quantity::Matching),
    })
}

/// The time that one copy of a pattern takes on a link.
fn time(net: &Net, pattern: &[usize], link: usize) -> Rational {
    &net.arcs[link].cost * whole(pattern.iter().filter(|&&used| used == link).count())
}

/// (D) of section 3.3, with the price of each link's time. `at_most_zero` adds `u <= 0`, as section 3.5 prints it.
pub fn dual(net: &Net, sets: &[Links], patterns: &[Links], at_most_zero: bool) -> Result<Ended> {
    let mut rows = rows(net, sets, patterns, |given| given.dual())?;
    if at_most_zero {
        rows.lines.push(Line {
            equation: Equation::Bound(0),
            terms: vec![(Quantity::TimePrice, whole(1))],
            relation: Relation::AtMost,
            side: whole(0),
        });
    }
    Ok(match solved_rows(rows)? {
        Ended::Optimal(u, values) => {
            let price = |link| values.get(&Quantity::LinkPrice(link)).cloned();
            let prices = (0..net.arcs.len()).map(|link| price(link).unwrap_or_default());
            Ended::Optimal(u, prices.collect())
        }
        Ended::Unbounded => Ended::Unbounded,
        Ended::Infeasible => Ended::Infeasible,
    })
}

/// The largest weight of patterns that keeps every half-duplex port within one unit of time: the value of the linear
/// program of section 2.2.2 that is marked as wrong, with the patterns' weights.
pub fn ports_only(net: &Net, patterns: &[Links]) -> Result<Optimum> {
    let mut program = Program::default();
    let throughput = program.column();
    let y = program.many(patterns.len());
    for node in 0..net.nodes {
        let touches = |link: &usize| [net.arcs[*link].from, net.arcs[*link].to].contains(&node);
        let busy = |pattern: &Links| {
            pattern
                .iter()
                .filter(|link| touches(link))
                .map(|&link| &net.arcs[link].cost)
                .sum()
        };
        let entries: Vec<(usize, Rational)> = y
            .iter()
            .zip(patterns)
            .map(|(&column, pattern)| (column, busy(pattern)))
            .collect();
        program.row(Relation::AtMost, whole(1), entries);
    }
    let total = y.iter().map(|&column| (column, whole(1)));
    program.row(
        Relation::Equal,
        whole(0),
        total.chain([(throughput, whole(-1))]),
    );
    let Ended::Optimal(value, values) = program.end(Sense::Maximize, throughput)? else {
        bail!("the program of ports has no optimum");
    };
    let weights = patterns
        .iter()
        .zip(&y)
        .filter(|(_, column)| !values[**column].is_zero());
    let patterns = weights
        .map(|(links, &column)| (links.clone(), values[column].clone()))
        .collect();
    Ok(Optimum {
        value,
        patterns,
        sets: Vec::new(),
    })
}

/// Time for which each link is busy.
pub fn busy(net: &Net, patterns: &[(Links, Rational)]) -> Vec<Rational> {
    let time_of = |link| {
        patterns
            .iter()
            .map(|(pattern, weight)| time(net, pattern, link) * weight)
            .sum()
    };
    (0..net.arcs.len()).map(time_of).collect()
}

/// The least total weight of sets that give every link exactly its time.
pub fn least_time(sets: &[Links], busy: &[Rational]) -> Result<Rational> {
    let mut program = Program::default();
    let total = program.column();
    let x = program.many(sets.len());
    for (link, time) in busy.iter().enumerate() {
        let served = x.iter().zip(sets).filter(|(_, set)| set.contains(&link));
        program.row(
            Relation::Equal,
            time.clone(),
            served.map(|(&column, _)| (column, whole(1))),
        );
    }
    let sum = x.iter().map(|&column| (column, whole(1)));
    program.row(Relation::Equal, whole(0), sum.chain([(total, whole(-1))]));
    program.end(Sense::Minimize, total)?.value()
}

/// Sets of exactly these weights, in this order, that give every link exactly its time. All are different if possible.
///
/// # Errors
/// No such sets exist.
pub fn sets_of_weights(
    sets: &[Links],
    busy: &[Rational],
    weights: &[&Rational],
) -> Result<Vec<Links>> {
    fn search(
        sets: &[Links],
        different: bool,
        left: &mut [Rational],
        weights: &[&Rational],
        chosen: &mut Vec<usize>,
    ) -> bool {
        let Some((first, rest)) = weights.split_first() else {
            return left.iter().all(Zero::is_zero);
        };
        for (index, set) in sets.iter().enumerate() {
            if set.iter().any(|&link| left[link] < **first)
                || (different && chosen.contains(&index))
            {
                continue;
            }
            for &link in set {
                left[link] -= *first;
            }
            chosen.push(index);
            if search(sets, different, left, rest, chosen) {
                return true;
            }
            chosen.pop();
            for &link in set {
                left[link] += *first;
            }
        }
        false
    }
    let mut chosen = Vec::new();
    let found = [true, false]
        .into_iter()
        .any(|different| search(sets, different, &mut busy.to_vec(), weights, &mut chosen));
    found
        .then(|| {
            chosen
                .into_iter()
                .map(|index| sets[index].clone())
                .collect()
        })
        .context("no sets have these weights")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    /// Cayley: n^(n-2) spanning trees for every root. Matchings of K4 by hand: 6 + 3 edges' pairs, each link in either
    /// direction.
    #[test]
    fn everything_is_listed() -> Result<()> {
        for (n, trees) in [(2, 1), (3, 3), (4, 16), (5, 125)] {
            let net = Net::of(&cases::random(n, n - 1, 1, 1)?);
            assert_eq!(net.arcs.len(), n * (n - 1));
            let all: BTreeSet<Links> = net.trees(1).into_iter().collect();
            assert_eq!(all.len(), trees);
        }
        let four = cases::random(4, 3, 1, 1)?;
        assert_eq!(Net::of(&four).matchings().len(), 6 * 2 + 3 * 4);
        // Through none, one or both of the other two nodes.
        assert_eq!(Net::of(&four).paths(0, 3).len(), 1 + 2 + 2);
        assert_eq!(
            allowed_sets(&four.clone().with_model(PortModel::HalfDuplex)),
            Net::of(&four).matchings()
        );
        assert_eq!(
            allowed_sets(&four.with_model(PortModel::Links)).len(),
            (1 << 12) - 1
        );
        Ok(())
    }

    #[test]
    fn weights_are_found_or_refused() -> Result<()> {
        let sets = [vec![0], vec![0, 1], vec![1]];
        let half = whole(1) / whole(2);
        let busy = [whole(1), half.clone()];
        assert_eq!(
            sets_of_weights(&sets, &busy, &[&half, &half])?,
            [vec![0], vec![0, 1]]
        );
        assert!(sets_of_weights(&sets, &busy, &[&whole(1)]).is_err());
        assert_eq!(least_time(&sets, &busy)?, whole(1));
        Ok(())
    }
}
