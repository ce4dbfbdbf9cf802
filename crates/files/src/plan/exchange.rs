//! Borders, gatherings, potentials and exchanges of an all-reduce's certificate.

use std::fmt::Write as _;

use oneport_plan::{Border, Certificate, Direction, Exchange, Gathering, Potential};
use oneport_platform::{NodeId, Platform};

use super::cells::{Reader, find, link_number, list, name, node_list};
use crate::error::FormatError;
use crate::json::{Json, need};
use crate::native::quote;
use crate::number::rational;

/// The values of `borders`, `gatherings`, `potentials` and `exchanges`.
pub(super) struct Lists<'a, 'e> {
    pub borders: Option<Json<'a, 'e>>,
    pub gatherings: Option<Json<'a, 'e>>,
    pub potentials: Option<Json<'a, 'e>>,
    pub exchanges: Option<Json<'a, 'e>>,
}

impl Reader<'_> {
    /// Every name and number exists; whether they prove anything is the referee's part.
    pub(super) fn read_exchange(&self, lists: Lists<'_, '_>, certificate: &mut Certificate) -> Result<(), FormatError> {
        each(lists.borders, |entry| {
            certificate.borders.push(self.border(entry)?);
            Ok(())
        })?;
        each(lists.gatherings, |entry| {
            certificate.gatherings.push(self.gathering(entry)?);
            Ok(())
        })?;
        each(lists.potentials, |entry| {
            certificate.potentials.push(self.potential(entry)?);
            Ok(())
        })?;
        each(lists.exchanges, |entry| {
            certificate.exchanges.push(self.exchange(entry)?);
            Ok(())
        })
    }

    fn border(&self, entry: &Json<'_, '_>) -> Result<Border, FormatError> {
        let [demand, way, sets, weight] = entry.object(["demand", "direction", "sets", "weight"])?;
        Ok(Border {
            demand: self.demand(entry, demand)?,
            direction: direction(entry, way)?,
            sets: self.sets(&need(entry, sets, "sets", "the sets of nodes whose borders are crossed")?)?,
            weight: rational(need(entry, weight, "weight", "what a crossing is charged")?)?,
        })
    }

    fn gathering(&self, entry: &Json<'_, '_>) -> Result<Gathering, FormatError> {
        let [demand, nodes, weight] = entry.object(["demand", "nodes", "weight"])?;
        Ok(Gathering {
            demand: self.demand(entry, demand)?,
            nodes: self.nodes(&need(entry, nodes, "nodes", "the nodes that transfers enter")?)?,
            weight: rational(need(entry, weight, "weight", "what an entry is charged")?)?,
        })
    }

    fn potential(&self, entry: &Json<'_, '_>) -> Result<Potential, FormatError> {
        let [demand, node, value] = entry.object(["demand", "node", "value"])?;
        Ok(Potential {
            demand: self.demand(entry, demand)?,
            node: find(&need(entry, node, "node", "the node's name")?, self.platform)?,
            value: rational(need(entry, value, "value", "the node's potential")?)?,
        })
    }

    fn exchange(&self, entry: &Json<'_, '_>) -> Result<Exchange, FormatError> {
        let [demand, way, parts, lengths] = entry.object(["demand", "direction", "parts", "lengths"])?;
        let mut exchange = Exchange {
            demand: self.demand(entry, demand)?,
            direction: direction(entry, way)?,
            parts: self.sets(&need(entry, parts, "parts", "the parts of the platform")?)?,
            lengths: Vec::new(),
        };
        need(entry, lengths, "lengths", "the links' lengths")?.each(|_, entry| {
            let [link, length] = entry.object(["link", "length"])?;
            let link = link_number(&need(&entry, link, "link", "the link's number")?, self.platform)?;
            let length = rational(need(&entry, length, "length", "the link's length")?)?;
            exchange.lengths.push((link, length));
            Ok(())
        })?;
        Ok(exchange)
    }

    fn demand(&self, entry: &Json<'_, '_>, demand: Option<Json<'_, '_>>) -> Result<usize, FormatError> {
        need(entry, demand, "demand", "the number of the demand, counted from 0")?.place("demand", self.demands.count())
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

fn each(
    list: Option<Json<'_, '_>>,
    mut read: impl FnMut(&Json<'_, '_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    list.map_or(Ok(()), |list| list.each(|_, entry| read(&entry)))
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

/// `borders`, `gatherings`, `potentials` and `exchanges` where there are any.
pub(super) fn write(out: &mut String, platform: &Platform, certificate: &Certificate) {
    let Certificate { borders, gatherings, potentials, exchanges, .. } = certificate;
    let header = |out: &mut String, demand: usize, direction: Direction| {
        let _ = write!(out, "\"demand\": {demand}, \"direction\": {}, ", quote(direction.name()));
    };
    if !borders.is_empty() {
        list(out, "  ", "borders", borders, |out, border| {
            header(out, border.demand, border.direction);
            write_sets(out, platform, "sets", &border.sets);
            let _ = write!(out, ", \"weight\": \"{}\"", border.weight);
        });
        out.push_str(",\n");
    }
    if !gatherings.is_empty() {
        list(out, "  ", "gatherings", gatherings, |out, Gathering { demand, nodes, weight }| {
            let _ = write!(out, "\"demand\": {demand}, ");
            node_list(out, platform, "nodes", nodes);
            let _ = write!(out, ", \"weight\": \"{weight}\"");
        });
        out.push_str(",\n");
    }
    if !potentials.is_empty() {
        list(out, "  ", "potentials", potentials, |out, Potential { demand, node, value }| {
            let node = name(platform, *node);
            let _ = write!(out, "\"demand\": {demand}, \"node\": {node}, \"value\": \"{value}\"");
        });
        out.push_str(",\n");
    }
    if !exchanges.is_empty() {
        list(out, "  ", "exchanges", exchanges, |out, exchange| {
            header(out, exchange.demand, exchange.direction);
            write_sets(out, platform, "parts", &exchange.parts);
            let length = |(link, length): &_| format!("{{\"link\":{link},\"length\":\"{length}\"}}");
            let lengths: Vec<String> = exchange.lengths.iter().map(length).collect();
            let _ = write!(out, ", \"lengths\": [{}]", lengths.join(","));
        });
        out.push_str(",\n");
    }
}

fn write_sets(out: &mut String, platform: &Platform, key: &str, sets: &[Vec<NodeId>]) {
    let set = |set: &Vec<NodeId>| {
        let names: Vec<String> = set.iter().map(|&node| name(platform, node)).collect();
        format!("[{}]", names.join(","))
    };
    let sets: Vec<String> = sets.iter().map(set).collect();
    let _ = write!(out, "\"{key}\": [{}]", sets.join(","));
}
