//! The inequalities of a plan's certificate: under the name of the theorem its data, beside demand and weight.

use std::fmt::Write as _;

use oneport_plan::inequality::{
    Balance, Border, Cut, Direction, Exchange, Gathering, Inequality, Keeps, Merges, Need, Place,
    Tree,
};
use oneport_plan::{Goals, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::cells::{Reader, link_number, name, node_list};
use super::task::{self, Tasks};
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::native::quote;
use crate::nodes::find;
use crate::number::rational;

/// Both values of `keeps`, as files have them.
const KEEPS: [(Keeps, &str); 2] = [
    (Keeps::AllThatArrives, "all that arrives"),
    (Keeps::NoMoreThanArrives, "no more than arrives"),
];

impl Reader<'_> {
    /// Every name and number exists. Whether they prove anything is the referee's part.
    pub(super) fn need(&self, entry: &Json<'_, '_>) -> Result<Need, FormatError> {
        let [
            demand,
            weight,
            cut,
            border,
            gathering,
            balance,
            merges,
            place,
            exchange,
            tree,
        ] = entry.object([
            "demand",
            "weight",
            "cut",
            "border",
            "gathering",
            "balance",
            "merges",
            "place",
            "exchange",
            "tree",
        ])?;
        let demand = demand
            .map(|demand| demand.index("demand", self.demands.count()))
            .transpose()?;
        let weight = rational(need(
            entry,
            weight,
            "weight",
            "what a unit of the inequality is charged",
        )?)?;
        let mut found: Option<(&'static str, Inequality)> = None;
        let mut take =
            |key: &'static str, inequality: Inequality| match found.replace((key, inequality)) {
                Some((other, _)) => Err(entry.fail(Mistake::BothKeys(other, key))),
                None => Ok(()),
            };
        if let Some(value) = cut {
            take(
                "cut",
                Inequality::Cut(Cut {
                    nodes: self.set(&value)?,
                }),
            )?;
        }
        if let Some(value) = border {
            let [way, sets] = value.object(["direction", "sets"])?;
            let direction = direction(&value, way)?;
            let sets = self.sets(&need(
                &value,
                sets,
                "sets",
                "the sets of nodes whose borders are crossed",
            )?)?;
            take("border", Inequality::Border(Border { direction, sets }))?;
        }
        if let Some(value) = gathering {
            take(
                "gathering",
                Inequality::Gathering(Gathering {
                    nodes: self.set(&value)?,
                }),
            )?;
        }
        if let Some(value) = balance {
            take("balance", Inequality::Balance(self.balance(&value)?))?;
        }
        if let Some(value) = merges {
            let [] = value.object([])?;
            take("merges", Inequality::Merges(Merges))?;
        }
        if let Some(value) = place {
            let [] = value.object([])?;
            take("place", Inequality::Place(Place))?;
        }
        if let Some(value) = exchange {
            take("exchange", Inequality::Exchange(self.exchange(&value)?))?;
        }
        if let Some(value) = tree {
            let demand = demand.ok_or_else(|| {
                let meaning = "the number of the tree's demand, counted from 0";
                entry.fail(Mistake::MissingKey {
                    key: "demand",
                    meaning,
                })
            })?;
            take("tree", Inequality::Tree(self.tree(&value, demand)?))?;
        }
        let (_, inequality) = found.ok_or_else(|| {
            let meaning =
                "the inequality: cut, border, gathering, balance, merges, place, exchange or tree";
            entry.fail(Mistake::MissingKey {
                key: "cut",
                meaning,
            })
        })?;
        Ok(Need {
            demand,
            inequality,
            weight,
        })
    }

    /// `{"nodes": [...]}`.
    fn set(&self, value: &Json<'_, '_>) -> Result<Vec<NodeId>, FormatError> {
        let [nodes] = value.object(["nodes"])?;
        self.nodes(&need(value, nodes, "nodes", "the nodes of the set")?)
    }

    fn balance(&self, value: &Json<'_, '_>) -> Result<Balance, FormatError> {
        const EXPECTED: &str = "a limit: \"all that arrives\" or \"no more than arrives\"";
        let [node, keeps] = value.object(["node", "keeps"])?;
        let node = find(
            &need(value, node, "node", "the node's name")?,
            self.platform,
        )?;
        let keeps = need(value, keeps, "keeps", EXPECTED)?;
        let text = keeps.string()?;
        let found = KEEPS.into_iter().find(|(_, name)| *name == text);
        Ok(Balance {
            node,
            keeps: found.ok_or_else(|| keeps.wrong(EXPECTED))?.0,
        })
    }

    fn exchange(&self, value: &Json<'_, '_>) -> Result<Exchange, FormatError> {
        let [way, parts, lengths] = value.object(["direction", "parts", "lengths"])?;
        let direction = direction(value, way)?;
        let parts = self.sets(&need(value, parts, "parts", "the parts of the platform")?)?;
        let mut listed: Vec<(LinkId, Rational)> = Vec::new();
        need(value, lengths, "lengths", "the links' lengths")?.each(|_, entry| {
            let [link, length] = entry.object(["link", "length"])?;
            let link = link_number(
                &need(&entry, link, "link", "the link's number")?,
                self.platform,
            )?;
            listed.push((
                link,
                rational(need(&entry, length, "length", "the link's length")?)?,
            ));
            Ok(())
        })?;
        Ok(Exchange {
            direction,
            parts,
            lengths: listed,
        })
    }

    fn tree(&self, value: &Json<'_, '_>, index: usize) -> Result<Tree, FormatError> {
        let demand = self
            .demands
            .get(index)
            .ok_or_else(|| value.wrong("a tree of a demand of the plan's collective"))?;
        let (operands, commutative) = (demand.operands.len(), demand.commutative);
        let goals = match demand.goals {
            Goals::At(_) => 1,
            Goals::Everywhere(nodes) => nodes.len(),
            Goals::Prefixes => operands,
        };
        let [goal, prices] = value.object(["goal", "prices"])?;
        let goal = need(
            value,
            goal,
            "goal",
            "the number of the demand's goal, counted from 0",
        )?
        .index("goal", goals)?;
        let tasks = Tasks {
            platform: self.platform,
            demands: self.demands,
            demand: index,
            operands,
            commutative,
        };
        let mut listed: Vec<(Task, Rational)> = Vec::new();
        need(value, prices, "prices", "what the goal pays for tasks")?.each(|_, entry| {
            let [link, merge, part, split, price] =
                entry.object(["link", "merge", "part", "split", "price"])?;
            let task = tasks.plain(&entry, [link, merge, part, split])?;
            listed.push((
                task,
                rational(need(
                    &entry,
                    price,
                    "price",
                    "what the goal pays for the task",
                )?)?,
            ));
            Ok(())
        })?;
        Ok(Tree {
            goal,
            prices: listed,
        })
    }

    fn sets(&self, value: &Json<'_, '_>) -> Result<Vec<Vec<NodeId>>, FormatError> {
        let mut sets = Vec::new();
        value.each(|_, entry| {
            sets.push(self.nodes(&entry)?);
            Ok(())
        })?;
        Ok(sets)
    }

    fn nodes(&self, value: &Json<'_, '_>) -> Result<Vec<NodeId>, FormatError> {
        let mut nodes = Vec::new();
        value.each(|_, node| {
            nodes.push(find(&node, self.platform)?);
            Ok(())
        })?;
        Ok(nodes)
    }
}

fn direction(entry: &Json<'_, '_>, value: Option<Json<'_, '_>>) -> Result<Direction, FormatError> {
    const DIRECTIONS: &str = "a direction: \"into\" or \"out of\"";
    let value = need(entry, value, "direction", DIRECTIONS)?;
    let text = value.string()?;
    [Direction::Into, Direction::OutOf]
        .into_iter()
        .find(|direction| direction.name() == text)
        .ok_or_else(|| value.wrong(DIRECTIONS))
}

/// An entry as [`Reader::need`] reads it, without the braces.
pub(super) fn write(out: &mut String, platform: &Platform, need: &Need) {
    if let Some(demand) = need.demand {
        let _ = write!(out, "\"demand\": {demand}, ");
    }
    let _ = write!(out, "\"{}\": {{", need.inequality.name());
    match &need.inequality {
        Inequality::Cut(Cut { nodes }) | Inequality::Gathering(Gathering { nodes }) => {
            node_list(out, platform, "nodes", nodes);
        }
        Inequality::Border(Border { direction, sets }) => {
            write_sets(out, platform, *direction, "sets", sets)
        }
        Inequality::Balance(Balance { node, keeps }) => {
            let keeps = KEEPS
                .iter()
                .find(|(known, _)| known == keeps)
                .map_or("", |(_, name)| name);
            let _ = write!(
                out,
                "\"node\": {}, \"keeps\": \"{keeps}\"",
                name(platform, *node)
            );
        }
        Inequality::Merges(Merges) | Inequality::Place(Place) => {}
        Inequality::Exchange(Exchange {
            direction,
            parts,
            lengths,
        }) => {
            write_sets(out, platform, *direction, "parts", parts);
            let length =
                |(link, length): &_| format!("{{\"link\":{link},\"length\":\"{length}\"}}");
            let lengths: Vec<String> = lengths.iter().map(length).collect();
            let _ = write!(out, ", \"lengths\": [{}]", lengths.join(","));
        }
        Inequality::Tree(Tree { goal, prices }) => {
            let _ = write!(out, "\"goal\": {goal}, \"prices\": [");
            for (index, (task, price)) in prices.iter().enumerate() {
                out.push_str(if index == 0 { "{" } else { ",\n        {" });
                task::write_plain(out, platform, *task, false);
                let _ = write!(out, ",\"price\":\"{price}\"}}");
            }
            out.push(']');
        }
    }
    let _ = write!(out, "}}, \"weight\": \"{}\"", need.weight);
}

fn write_sets(
    out: &mut String,
    platform: &Platform,
    direction: Direction,
    key: &str,
    sets: &[Vec<NodeId>],
) {
    let set = |set: &Vec<NodeId>| {
        let names: Vec<String> = set.iter().map(|&node| name(platform, node)).collect();
        format!("[{}]", names.join(","))
    };
    let sets: Vec<String> = sets.iter().map(set).collect();
    let _ = write!(
        out,
        "\"direction\": {}, \"{key}\": [{}]",
        quote(direction.name()),
        sets.join(",")
    );
}
