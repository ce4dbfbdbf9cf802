//! Node-link JSON, as networkx writes it: `nodes` with `id`, `edges` (since 3.4, before: `links`) with `source` and
//! `target`, and `directed`.
//!
//! Facts from networkx, `readwrite/json_graph/node_link.py`.

use std::borrow::Cow;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::json::{Json, need};
use oneport_files::scalar::Scalar;
use oneport_files::source::Source;

use crate::draft::Draft;
use crate::graph::{Attributes, Graph, MAX_ATTRIBUTES, too_many_attributes};
use crate::graph_roles::is_role;

/// Reads a graph.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let top = Json::parse(*source)?;
    let [directed, nodes, edges, links] =
        top.open_object(["directed", "nodes", "edges", "links"])?;
    let directed = match directed.map(|value| (value, value.scalar())) {
        None | Some((_, Ok(Scalar::Bool(false)))) => false,
        Some((_, Ok(Scalar::Bool(true)))) => true,
        Some((value, _)) => return Err(value.wrong("true or false")),
    };
    let edges = match (edges, links) {
        (Some(_), Some(_)) => return Err(top.fail(Mistake::BothKeys("edges", "links"))),
        (edges, links) => need(&top, edges.or(links), "edges", "the list of edges")?,
    };
    let mut graph = Graph::new(draft);
    need(&top, nodes, "nodes", "the list of nodes")?.each(|_, node| {
        let [id] = node.open_object(["id"])?;
        let id = text(need(&node, id, "id", "the node's id")?)?;
        let attributes = attributes(node)?;
        graph
            .node(&id, &attributes)
            .map(|_| ())
            .map_err(|mistake| node.fail(mistake))
    })?;
    edges.each(|_, edge| {
        let [from, to] = edge.open_object(["source", "target"])?;
        let from = text(need(&edge, from, "source", "the id of a node")?)?;
        let to = text(need(&edge, to, "target", "the id of a node")?)?;
        let attributes = attributes(edge)?;
        let key = |mistake| {
            let path = edge.path.spelt().unwrap_or_default();
            source.error(
                edge.offset(),
                Some(format!("{path} ({} -- {})", clip(&from), clip(&to))),
                mistake,
            )
        };
        graph.edge(&from, &to, directed, &attributes).map_err(key)
    })
}

/// An id: a string, else the value in its spelling (ids may be numbers, and pairs of numbers).
fn text<'a>(value: Json<'a, '_>) -> Result<Cow<'a, str>, FormatError> {
    match value.scalar()? {
        Scalar::Text(text) => Ok(text),
        _ => Ok(Cow::Borrowed(value.text())),
    }
}

fn attributes<'a>(element: Json<'a, '_>) -> Result<Attributes<'a>, FormatError> {
    let mut attributes = Vec::new();
    element.entries(|name, value| {
        if matches!(name.as_ref(), "id" | "source" | "target" | "key") {
            return Ok(());
        }
        if attributes.len() == MAX_ATTRIBUTES {
            return Err(element.fail(too_many_attributes("attributes")));
        }
        if let Scalar::Text(text) | Scalar::Number(text) = value.scalar()? {
            attributes.push((name, text));
        } else if let Scalar::Bool(flag) = value.scalar()? {
            attributes.push((name, Cow::Owned(flag.to_string())));
        } else if is_role(&name) && value.text() != "null" {
            attributes.push((name, Cow::Borrowed(value.text())));
        }
        Ok(())
    })?;
    Ok(attributes)
}
