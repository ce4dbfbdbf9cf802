//! GML as the Internet Topology Zoo writes it.
//!
//! Every node is a processor that merges at 1000 GB/s, because the file does not give the speed, and is named by its
//! label. Labels that are missing or used twice get `#id` appended. An edge is a link in both directions (unless
//! `directed 1`) and needs `LinkSpeedRaw`, in bits per second, or `LinkSpeed` with `LinkSpeedUnits` (K, M, G, T), or a
//! SONET `LinkType` (`OC-n`: n times 51.84 Mbit/s). A link costs 10^9 / LinkSpeedRaw: the unit of message is the
//! gigabit, the unit of time the second. Latencies (`latency` or `delay` with a unit) are kept. The fastest of parallel
//! edges counts. Edges from a node to itself are skipped. Other keys are ignored, as the format demands.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::{Source, refused};
use oneport_files::{merge_time, merging};
use oneport_platform::units::{Data, Time, Units};
use oneport_platform::{Delays, Node, Platform, PortModel, Rational, parse_rational, whole};

use crate::draft::Draft;
use crate::graph::{
    Attributes, Graph as Drawn, MAX_ATTRIBUTES, is_switch, latency_in, latency_names,
    too_many_attributes,
};
use crate::imported::{Note, Topic};
use crate::mistakes::{no_latency, unexpected, unknown};
use crate::options::LatencyAttribute;

/// Limit on bytes: networks of the Zoo have less than one megabyte.
const MAX_BYTES: usize = 16 << 20;
/// Bits per second of SONET's OC-1. OC-n is n times as fast.
const SONET: u64 = 51_840_000;
/// Bits in one unit of message.
const GIGABIT: u32 = 1_000_000_000;
/// Bytes of the longest character reference, without its '&': `#1114111;`.
const LONGEST_REFERENCE: usize = 9;

/// Reads a file.
///
/// `asked` names the attribute with the latency. Also returns remarks.
pub(crate) fn read(
    source: Source<'_>,
    asked: Option<&LatencyAttribute>,
) -> Result<(Platform, Vec<Note>), FormatError> {
    if source.text.len() > MAX_BYTES {
        return Err(source.error_in_file(Mistake::TooLarge {
            limit: MAX_BYTES as u64,
        }));
    }
    let graph = Reader { source, at: 0 }.graph(asked)?;
    let mut notes = BTreeSet::new();
    let mut builder = Platform::builder();
    let units = merging(Units {
        data: Data::GIGABIT,
        time: Time::SECOND,
        work_is_data: true,
    });
    builder.units(units);
    let compute = merge_time(units);
    let mut ids = BTreeMap::new();
    let names = unique_names(&graph.nodes);
    for (node, name) in graph.nodes.iter().zip(names) {
        let new = if node.role == Role::Switch {
            Node::router(name)
        } else {
            Node::processor(name, compute.clone())
        };
        let id = builder
            .node(new)
            .map_err(|error| refused(&source, node.offset, error))?;
        if ids.insert(node.id.as_ref(), id).is_some() {
            let key = Some(format!("node {}", clip(&node.id)));
            return Err(source.error(node.offset, key, Mistake::DuplicateKey("id".to_string())));
        }
    }
    // Links in the order of first appearance, each with the fastest of its parallel edges.
    let mut by_ends = BTreeMap::new();
    let mut links: Vec<(_, _, Transfer, usize)> = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        let key = || {
            Some(format!(
                "edge[{index}] ({} -- {})",
                clip(&edge.source),
                clip(&edge.target)
            ))
        };
        let end = |name: &Cow<'_, str>| {
            let id = ids.get(name.as_ref()).copied();
            id.ok_or_else(|| source.error(edge.offset, key(), unknown(name)))
        };
        let (from, to) = (end(&edge.source)?, end(&edge.target)?);
        if from == to {
            continue;
        }
        let located = |mistake| source.error(edge.offset, key(), mistake);
        let (latency, note) = edge.latency(asked).map_err(located)?;
        notes.extend(note);
        let transfer = (edge.cost().map_err(located)?, latency);
        let ends = if graph.directed {
            (from, to)
        } else {
            (from.min(to), from.max(to))
        };
        let number = *by_ends.entry(ends).or_insert(links.len());
        match links.get_mut(number) {
            Some((_, _, fastest, _)) if *fastest > transfer => *fastest = transfer,
            Some(_) => {}
            None => links.push((from, to, transfer, edge.offset)),
        }
    }
    for (from, to, (cost, latency), offset) in links {
        let ways = if graph.directed {
            vec![(from, to)]
        } else {
            vec![(from, to), (to, from)]
        };
        for (from, to) in ways {
            let link = builder.link(from, to, cost.clone());
            let delays = Delays {
                latency: latency.clone(),
                overhead: Rational::zero(),
            };
            let added = link.and_then(|link| {
                if delays.latency.is_zero() {
                    Ok(())
                } else {
                    builder.delays(link, delays)
                }
            });
            added.map_err(|error| refused(&source, offset, error))?;
        }
    }
    if let Some(asked) = asked
        && graph.edges.iter().all(|edge| edge.latency.is_none())
    {
        return Err(source.error_in_file(no_latency(&asked.attribute, &[])));
    }
    let platform = builder
        .build()
        .map_err(|error| source.error_in_file(Mistake::Platform(error)))?;
    let left_out = |text| Note {
        topic: Topic::LeftOut,
        text,
    };
    let mut notes: Vec<Note> = notes.into_iter().map(left_out).collect();
    let of_type = graph.nodes.iter().filter(|node| node.role == Role::Site);
    notes.extend(self::sites(of_type.count()).map(|text| Note {
        topic: Topic::Assumed,
        text,
    }));
    Ok((platform, notes))
}

/// Seconds per gigabit, and the latency in seconds.
type Transfer = (Rational, Rational);

/// Reads a graph whose edges have the bandwidths that the options define: an attribute, a default.
pub(crate) fn read_graph(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut reader = Reader {
        source: *source,
        at: 0,
    };
    draft.ports_of(PortModel::FullDuplex);
    draft.note(
        Topic::Assumed,
        "a node sends to one node and receives from one at a time, as in all GML; --model links lets all links work at once",
    );
    let mut graph = Drawn::new(draft);
    let (mut directed, mut of_type) = (false, 0);
    let mut edges = Vec::new();
    reader.find_graph()?;
    loop {
        let (offset, token) = reader.token()?;
        match token {
            Token::Close => break,
            Token::Key("directed") => directed = reader.directed()?,
            Token::Key("node") => {
                let mut attributes = reader.attributes("node")?;
                let id = reader.take(offset, "node", &mut attributes, "id", "the node's number")?;
                if role(&attributes) == Role::Site {
                    of_type += 1;
                    attributes.retain(|(name, _)| name != "type");
                }
                graph
                    .node(&id, &attributes)
                    .map_err(|mistake| source.error(offset, Some(clip(&id)), mistake))?;
            }
            // Nodes may come later.
            Token::Key("edge") => {
                edges.push(reader.at);
                reader.skip()?;
            }
            Token::Key(_) => reader.skip()?,
            _ => return Err(reader.broken(offset, token)),
        }
    }
    for offset in edges {
        reader.at = offset;
        let mut attributes = reader.attributes("edge")?;
        let mut end = |key| reader.take(offset, "edge", &mut attributes, key, "the id of a node");
        let (from, to) = (end("source")?, end("target")?);
        let key = || Some(format!("edge ({} -- {})", clip(&from), clip(&to)));
        let add = graph.edge(&from, &to, directed, &attributes);
        add.map_err(|mistake| source.error(offset, key(), mistake))?;
    }
    if let Some(text) = sites(of_type) {
        draft.note(Topic::Assumed, text);
    }
    Ok(())
}

struct Graph<'a> {
    directed: bool,
    nodes: Vec<GraphNode<'a>>,
    edges: Vec<Edge<'a>>,
}

struct GraphNode<'a> {
    offset: usize,
    id: Cow<'a, str>,
    label: Option<Cow<'a, str>>,
    role: Role,
}

/// The role of a node, by its attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It takes part.
    Node,
    /// It takes part, though its `type` is router: the Topology Zoo's word for a site of a network.
    Site,
    /// It forwards.
    Switch,
}

/// The role of a node: a `type` of router is the Topology Zoo's word for a site that takes part.
fn role(attributes: &Attributes<'_>) -> Role {
    let is_router = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
        name == "type" && value.eq_ignore_ascii_case("router")
    };
    let mut others = attributes.clone();
    others.retain(|attribute| !is_router(attribute));
    if is_switch(&others) {
        Role::Switch
    } else if others.len() < attributes.len() {
        Role::Site
    } else {
        Role::Node
    }
}

/// The note on routers by `type` that take part.
pub(crate) fn sites(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} nodes of type Router take part: so the Topology Zoo calls places; a node that only forwards has router 1"
        )
    })
}

struct Edge<'a> {
    offset: usize,
    source: Cow<'a, str>,
    target: Cow<'a, str>,
    raw: Option<Cow<'a, str>>,
    speed: Option<Cow<'a, str>>,
    units: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    /// The attribute with the latency, and its value.
    latency: Option<(String, Cow<'a, str>)>,
}

impl Edge<'_> {
    /// Seconds, 0 if none is stated, and a remark if the unit is missing.
    fn latency(
        &self,
        asked: Option<&LatencyAttribute>,
    ) -> Result<(Rational, Option<String>), Mistake> {
        let Some((name, text)) = &self.latency else {
            return Ok((Rational::zero(), None));
        };
        let (seconds, note) = latency_in(name, text, asked)?;
        Ok((seconds.unwrap_or_else(Rational::zero), note))
    }

    /// Seconds per gigabit.
    fn cost(&self) -> Result<Rational, Mistake> {
        let (key, text, unit) = match (&self.raw, &self.speed, &self.units) {
            (Some(raw), _, _) => ("LinkSpeedRaw", raw.as_ref(), 1),
            (None, Some(speed), Some(units)) => ("LinkSpeed", speed.as_ref(), bits(units)?),
            _ => match self
                .kind
                .as_deref()
                .and_then(|kind| kind.strip_prefix("OC-"))
            {
                Some(multiple) => ("LinkType OC-", multiple, SONET),
                None => {
                    let meaning = "the speed in bits per second (or give LinkSpeed and LinkSpeedUnits, or LinkType OC-n; or name \
                         another attribute with --capacity)";
                    return Err(Mistake::MissingKey {
                        key: "LinkSpeedRaw",
                        meaning,
                    });
                }
            },
        };
        let speed = parse_rational(text)? * whole(unit);
        if !speed.is_positive() {
            return Err(Mistake::NotPositive {
                what: key,
                value: clip(text),
            });
        }
        Ok(whole(GIGABIT) / speed)
    }
}

/// Bits per second in one unit of speed.
fn bits(units: &str) -> Result<u64, Mistake> {
    match units {
        "K" | "k" => Ok(1_000),
        "M" => Ok(1_000_000),
        "G" => Ok(1_000_000_000),
        "T" => Ok(1_000_000_000_000),
        _ => Err(unexpected(clip(units), "a unit of LinkSpeed: K, M, G or T")),
    }
}

/// The labels, with `#id` if a label is missing, empty or used twice.
fn unique_names(nodes: &[GraphNode<'_>]) -> Vec<String> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for node in nodes {
        *uses
            .entry(node.label.as_deref().unwrap_or_default())
            .or_default() += 1;
    }
    let name = |node: &GraphNode<'_>| {
        let label = node.label.as_deref().unwrap_or_default();
        match uses.get(label) {
            Some(1) if !label.is_empty() => label.to_string(),
            _ => format!("{label}#{}", node.id),
        }
    };
    nodes.iter().map(name).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Token<'a> {
    Key(&'a str),
    Number(&'a str),
    Text(&'a str),
    Open,
    Close,
    End,
}

/// A lexer and a reader of nested lists in one. Irrelevant lists are skipped without recursion.
struct Reader<'a> {
    source: Source<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The first top-level `graph [ ... ]`.
    fn graph(&mut self, asked: Option<&LatencyAttribute>) -> Result<Graph<'a>, FormatError> {
        self.find_graph()?;
        self.graph_list(asked)
    }

    fn find_graph(&mut self) -> Result<(), FormatError> {
        loop {
            let (offset, token) = self.token()?;
            match token {
                Token::Key("graph") => return self.open("graph"),
                Token::Key(_) => self.skip()?,
                Token::End => {
                    return Err(self.syntax(offset, "there is no graph [ ... ] in the file"));
                }
                _ => return Err(self.syntax(offset, "a key is expected, such as graph")),
            }
        }
    }

    fn graph_list(&mut self, asked: Option<&LatencyAttribute>) -> Result<Graph<'a>, FormatError> {
        let mut graph = Graph {
            directed: false,
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        loop {
            let (offset, token) = self.token()?;
            match token {
                Token::Close => return Ok(graph),
                Token::Key("directed") => graph.directed = self.directed()?,
                Token::Key("node") => {
                    let keys = ["id", "label", "router", "type", "kind", "role"];
                    let [id, label, router, type_, kind, part] = self.record("node", keys)?;
                    let named = [
                        ("router", router),
                        ("type", type_),
                        ("kind", kind),
                        ("role", part),
                    ];
                    let attributes: Attributes<'_> = named
                        .into_iter()
                        .filter_map(|(key, value)| Some((Cow::Borrowed(key), value?)))
                        .collect();
                    let role = role(&attributes);
                    let id = self.need(offset, "node", id, "id", "the node's number")?;
                    graph.nodes.push(GraphNode {
                        offset,
                        id,
                        label,
                        role,
                    });
                }
                Token::Key("edge") => graph.edges.push(self.edge(offset, asked)?),
                Token::Key(_) => self.skip()?,
                _ => return Err(self.broken(offset, token)),
            }
        }
    }

    fn edge(
        &mut self,
        offset: usize,
        asked: Option<&LatencyAttribute>,
    ) -> Result<Edge<'a>, FormatError> {
        let [first, second] = latency_names(asked);
        let keys = [
            "source",
            "target",
            "LinkSpeedRaw",
            "LinkSpeed",
            "LinkSpeedUnits",
            "LinkType",
            first,
            second,
        ];
        let [source, target, raw, speed, units, kind, one, other] = self.record("edge", keys)?;
        let source = self.need(offset, "edge", source, "source", "the id of a node")?;
        let target = self.need(offset, "edge", target, "target", "the id of a node")?;
        Ok(Edge {
            offset,
            source,
            target,
            raw,
            speed,
            units,
            kind,
            latency: (one.map(|value| (first.to_string(), value)))
                .or(other.map(|value| (second.to_string(), value))),
        })
    }

    fn directed(&mut self) -> Result<bool, FormatError> {
        let (offset, token) = self.token()?;
        match token {
            Token::Number("0") => Ok(false),
            Token::Number("1") => Ok(true),
            _ => Err(self.syntax(offset, "directed is 0 or 1")),
        }
    }

    /// The requested values of `key [ ... ]`.
    fn record<const N: usize>(
        &mut self,
        name: &'static str,
        wanted: [&str; N],
    ) -> Result<[Option<Cow<'a, str>>; N], FormatError> {
        self.open(name)?;
        let mut values = [const { None }; N];
        loop {
            let (offset, token) = self.token()?;
            let key = match token {
                Token::Close => return Ok(values),
                Token::Key(key) => key,
                _ => return Err(self.broken(offset, token)),
            };
            let Some(index) = wanted.iter().position(|known| *known == key) else {
                self.skip()?;
                continue;
            };
            let (offset, token) = self.token()?;
            let value = match token {
                Token::Number(text) => Cow::Borrowed(text),
                Token::Text(text) => decode(text),
                _ => {
                    return Err(self.syntax(offset, &format!("{key} needs a number or a \"text\"")));
                }
            };
            if let Some(slot) = values.get_mut(index)
                && slot.replace(value).is_some()
            {
                let mistake = Mistake::DuplicateKey(key.to_string());
                return Err(self.source.error(offset, Some(name.to_string()), mistake));
            }
        }
    }

    /// All numbers and texts of `[ ... ]`.
    fn attributes(&mut self, name: &str) -> Result<Attributes<'a>, FormatError> {
        self.open(name)?;
        let mut attributes = Vec::new();
        loop {
            let (offset, token) = self.token()?;
            let key = match token {
                Token::Close => return Ok(attributes),
                Token::Key(key) => key,
                _ => return Err(self.broken(offset, token)),
            };
            let at = self.at;
            match self.token()?.1 {
                Token::Number(text) => attributes.push((Cow::Borrowed(key), Cow::Borrowed(text))),
                Token::Text(text) => attributes.push((Cow::Borrowed(key), decode(text))),
                _ => {
                    self.at = at;
                    self.skip()?;
                }
            }
            if attributes.len() > MAX_ATTRIBUTES {
                return Err(self
                    .source
                    .error(offset, None, too_many_attributes("attributes")));
            }
        }
    }

    /// Takes out an attribute that has to be there.
    fn take(
        &self,
        offset: usize,
        entry: &str,
        attributes: &mut Attributes<'a>,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<Cow<'a, str>, FormatError> {
        let index = attributes.iter().position(|(name, _)| name == key);
        let value = index.map(|index| attributes.swap_remove(index).1);
        self.need(offset, entry, value, key, meaning)
    }

    fn need(
        &self,
        offset: usize,
        entry: &str,
        value: Option<Cow<'a, str>>,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<Cow<'a, str>, FormatError> {
        value.ok_or_else(|| {
            let mistake = Mistake::MissingKey { key, meaning };
            self.source.error(offset, Some(entry.to_string()), mistake)
        })
    }

    fn open(&mut self, name: &str) -> Result<(), FormatError> {
        let (offset, token) = self.token()?;
        if token == Token::Open {
            Ok(())
        } else {
            Err(self.syntax(offset, &format!("'[' is expected after {name}")))
        }
    }

    /// Passes over one value.
    fn skip(&mut self) -> Result<(), FormatError> {
        let mut depth = 0_usize;
        loop {
            let (offset, token) = self.token()?;
            match token {
                Token::Open => depth += 1,
                Token::Close if depth > 0 => depth -= 1,
                Token::Number(_) | Token::Text(_) => {}
                Token::Key(_) if depth > 0 => {}
                _ => return Err(self.broken(offset, token)),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn broken(&self, offset: usize, token: Token<'_>) -> FormatError {
        match token {
            Token::End => self.syntax(offset, "the file is cut off: a ']' is missing"),
            Token::Close => self.syntax(offset, "a value is expected before ']'"),
            _ => self.syntax(offset, "a key and its value are expected"),
        }
    }

    fn syntax(&self, offset: usize, message: &str) -> FormatError {
        let mistake = Mistake::Syntax {
            format: "GML",
            at: None,
            message: message.to_string(),
        };
        self.source.error(offset, None, mistake)
    }

    /// The next token and its offset.
    fn token(&mut self) -> Result<(usize, Token<'a>), FormatError> {
        let text = self.source.text;
        let mut rest = text.get(self.at..).unwrap_or_default().trim_start();
        while rest.starts_with('#') {
            rest = rest
                .split_once('\n')
                .map_or("", |(_, rest)| rest)
                .trim_start();
        }
        let offset = text.len() - rest.len();
        let (token, length) = match rest.as_bytes().first() {
            None => (Token::End, 0),
            Some(b'[') => (Token::Open, 1),
            Some(b']') => (Token::Close, 1),
            Some(b'"') => {
                let body = rest.get(1..).unwrap_or_default();
                let end = body
                    .find('"')
                    .ok_or_else(|| self.syntax(offset, "the file is cut off: a '\"' is missing"))?;
                (Token::Text(body.get(..end).unwrap_or_default()), end + 2)
            }
            Some(_) => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || "[]\"#".contains(c))
                    .unwrap_or(rest.len());
                let word = rest.get(..end).unwrap_or_default();
                let token = if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    Token::Key(word)
                } else if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
                    Token::Number(word)
                } else {
                    return Err(self.syntax(
                        offset,
                        &format!("'{}' is neither a key nor a number", clip(word)),
                    ));
                };
                (token, end)
            }
        };
        self.at = offset + length;
        Ok((offset, token))
    }
}

/// Replaces the character references of GML strings.
fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        // A reference is short: a search to the end of the text for each '&' would be quadratic.
        let end = after
            .bytes()
            .take(LONGEST_REFERENCE)
            .position(|byte| byte == b';');
        let name = end.and_then(|end| Some((after.get(..end)?, after.get(end + 1..)?)));
        match name.and_then(|(name, after)| Some((reference(name)?, after))) {
            Some((c, after)) => {
                decoded.push(c);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

fn reference(name: &str) -> Option<char> {
    match name {
        "quot" => Some('"'),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        _ => name
            .strip_prefix('#')?
            .parse()
            .ok()
            .and_then(char::from_u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_and_lone_ampersands_kept() {
        for (text, decoded) in [
            ("a", "a"),
            ("AT&amp;T", "AT&T"),
            ("R&D", "R&D"),
            ("&#233;cole", "école"),
            ("&#1114111;", "\u{10ffff}"),
            ("&é;&é", "&é;&é"),
            ("&bad;&", "&bad;&"),
        ] {
            assert_eq!(decode(text), decoded, "{text}");
        }
    }
}
