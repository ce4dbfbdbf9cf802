//! GraphML, as networkx, igraph, yEd and our own exports write it.
//!
//! Facts from graphml.graphdrawing.org: `key` declares an attribute, `data` holds its value. An edge is directed
//! according to its graph's `edgedefault`, unless it has its own attribute. Nested graphs and hyperedges are refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use oneport_files::error::{FormatError, clip};
use oneport_files::source::Source;
use roxmltree::Node;

use crate::draft::Draft;
use crate::graph::{Attributes, Graph, MAX_ATTRIBUTES, is_read, too_many_attributes};
use crate::mistakes::{said, unexpected};
use crate::xml::{self, children, error_at, need, start};

/// Names and defaults of attributes, by the id of their key.
type Keys<'d> = BTreeMap<&'d str, (&'d str, Option<&'d str>)>;

/// Reads a graph.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let mut keys = Keys::new();
    for key in children(root, "key") {
        let id = need(source, key, "id", "the key that data elements name")?;
        let name = key.attribute("attr.name").unwrap_or(id);
        let default = children(key, "default")
            .next()
            .and_then(|default| default.text());
        keys.insert(id, (name, default.filter(|_| is_read(name, draft.options))));
        if keys.len() > MAX_ATTRIBUTES {
            return Err(error_at(source, key, too_many_attributes("keys")));
        }
    }
    let mut graphs = children(root, "graph");
    let graph = match (graphs.next(), graphs.next()) {
        (Some(graph), None) => graph,
        (None, _) => {
            return Err(error_at(source, root, said("there is no <graph>")));
        }
        (_, Some(second)) => {
            return Err(error_at(
                source,
                second,
                said("there are several graphs; keep one"),
            ));
        }
    };
    let directed = match graph.attribute("edgedefault") {
        Some("directed") => true,
        None | Some("undirected") => false,
        Some(other) => {
            let expected = "directed or undirected, as edgedefault should be";
            return Err(error_at(source, graph, unexpected(clip(other), expected)));
        }
    };
    let mut reader = Graph::new(draft);
    for node in children(graph, "node") {
        if children(node, "graph").next().is_some() {
            return Err(error_at(
                source,
                node,
                said("holds a graph; write one flat graph"),
            ));
        }
        let id = need(source, node, "id", "the node's id")?;
        reader
            .node(id, &attributes(node, &keys))
            .map_err(|mistake| error_at(source, node, mistake))?;
    }
    for edge in children(graph, "edge") {
        let from = need(source, edge, "source", "the id of a node")?;
        let to = need(source, edge, "target", "the id of a node")?;
        let directed = edge
            .attribute("directed")
            .map_or(directed, |text| text == "true");
        let add = reader.edge(from, to, directed, &attributes(edge, &keys));
        add.map_err(|mistake| {
            let key = format!("<edge> ({} -- {})", clip(from), clip(to));
            source.error(start(source, edge), Some(key), mistake)
        })?;
    }
    match children(graph, "hyperedge").next() {
        Some(edge) => Err(error_at(
            source,
            edge,
            said("hyperedges are not read; write edges"),
        )),
        None => Ok(()),
    }
}

fn attributes<'d>(element: Node<'d, '_>, keys: &Keys<'d>) -> Attributes<'d> {
    let mut found: Attributes<'d> = Vec::new();
    for data in children(element, "data") {
        let id = data.attribute("key").unwrap_or_default();
        if let (Some((name, _)), Some(text)) = (keys.get(id), data.text()) {
            found.push((Cow::Borrowed(name), Cow::Borrowed(text.trim())));
        }
    }
    for (name, default) in keys.values() {
        if let Some(default) = default.filter(|_| !found.iter().any(|(known, _)| known == name)) {
            found.push((Cow::Borrowed(name), Cow::Borrowed(default.trim())));
        }
    }
    found
}
