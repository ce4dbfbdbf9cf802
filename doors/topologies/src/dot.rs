//! DOT, the language of Graphviz: `graph` and `digraph`, nodes, chains of edges, attributes and their defaults.
//!
//! Subgraphs are flattened. Edges may lead to a list of nodes (`a -- {b c}`). Edges from or to other subgraphs are
//! refused. Ports (`a:p`) are dropped.
//!
//! Facts from graphviz.org, "DOT Language".

use std::borrow::Cow;
use std::collections::BTreeSet;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;

use crate::draft::Draft;
use crate::graph::{Attributes, Graph, MAX_ATTRIBUTES, too_many_attributes};
use crate::mistakes::{said, too_many};

/// Most nodes of `a -> b -> c ...`.
const MAX_CHAIN: usize = 10_000;
/// Limit on edges, with parallel ones counted separately: lists make many of few words.
const MAX_EDGES: usize = 500_000;
/// Limit on simultaneous default attributes.
const MAX_DEFAULTS: usize = 200;
/// Deepest nesting of subgraphs.
const MAX_DEPTH: usize = 100;

/// Reads a graph.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut lexer = Lexer {
        source: *source,
        at: 0,
    };
    let mut word = lexer.word("graph or digraph")?;
    if word.eq_ignore_ascii_case("strict") {
        word = lexer.word("graph or digraph")?;
    }
    let directed = word.eq_ignore_ascii_case("digraph");
    if !directed && !word.eq_ignore_ascii_case("graph") {
        return Err(lexer.broken("graph or digraph"));
    }
    if lexer.peek()? != Token::Open {
        lexer.word("a name or '{'")?;
    }
    lexer.expect(Token::Open, "'{'")?;
    let mut reader = Reader {
        lexer,
        directed,
        graph: Graph::new(draft),
        nodes: Defaults::default(),
        edges: Defaults::default(),
        known: BTreeSet::new(),
        made: 0,
    };
    reader.statements()
}

/// Attributes that hold from here on, by the depth of the subgraph.
#[derive(Default)]
struct Defaults<'a>(Vec<(usize, Attributes<'a>)>);

impl<'a> Defaults<'a> {
    /// Own attributes first: the first of a name counts.
    fn with(&self, own: Attributes<'a>) -> Attributes<'a> {
        let inherited = self
            .0
            .iter()
            .rev()
            .flat_map(|(_, attributes)| attributes.iter().rev().cloned());
        own.into_iter().chain(inherited).collect()
    }

    /// Attributes, and a statement without any counted as one.
    fn len(&self) -> usize {
        self.0
            .iter()
            .map(|(_, attributes)| attributes.len().max(1))
            .sum()
    }

    fn leave(&mut self, depth: usize) {
        self.0.retain(|(own, _)| *own < depth);
    }
}

struct Reader<'g, 'o, 'a> {
    lexer: Lexer<'a>,
    directed: bool,
    graph: Graph<'g, 'o>,
    nodes: Defaults<'a>,
    edges: Defaults<'a>,
    known: BTreeSet<String>,
    /// Edges so far.
    made: usize,
}

impl<'a> Reader<'_, '_, 'a> {
    fn statements(&mut self) -> Result<(), FormatError> {
        let mut depth = 1;
        loop {
            match self.lexer.next()? {
                Token::Close if depth == 1 => return Ok(()),
                Token::Close => {
                    self.nodes.leave(depth);
                    self.edges.leave(depth);
                    depth -= 1;
                    if matches!(self.lexer.peek()?, Token::Edge(_)) {
                        return Err(self.subgraph_edge());
                    }
                }
                Token::Open => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        let mistake =
                            too_many("levels of subgraphs", MAX_DEPTH, "write one flat graph");
                        return Err(self.lexer.error(mistake));
                    }
                }
                Token::Separator => {}
                Token::Word(word) => self.statement(word, depth)?,
                _ => return Err(self.lexer.broken("a node, an edge or '}'")),
            }
        }
    }

    fn subgraph_edge(&self) -> FormatError {
        self.lexer.error(said(
            "edges to subgraphs are not read, but a -- {b c}; write one edge per pair of nodes",
        ))
    }

    fn statement(&mut self, word: Cow<'a, str>, depth: usize) -> Result<(), FormatError> {
        let keyword = |name: &str| word.eq_ignore_ascii_case(name);
        match self.lexer.peek()? {
            Token::List if keyword("node") || keyword("edge") || keyword("graph") => {
                let attributes = self.lexer.attributes()?;
                // Too many defaults would make every element long.
                let number = self.nodes.len() + self.edges.len() + attributes.len().max(1);
                if number > MAX_DEFAULTS {
                    let what = "default attributes";
                    let instead = "write the attributes at the edges";
                    return Err(self.lexer.error(too_many(what, MAX_DEFAULTS, instead)));
                }
                if keyword("node") {
                    self.nodes.0.push((depth, attributes));
                } else if keyword("edge") {
                    self.edges.0.push((depth, attributes));
                }
                Ok(())
            }
            Token::Equals => {
                self.lexer.next()?;
                self.lexer.word("a value").map(|_| ())
            }
            Token::Open if keyword("subgraph") => Ok(()),
            Token::Word(_) if keyword("subgraph") => self.lexer.word("a name").map(|_| ()),
            _ => self.node_or_edges(word),
        }
    }

    /// The ends of an edge: a node, or each of a list.
    fn ends(&mut self) -> Result<Vec<Cow<'a, str>>, FormatError> {
        if self.lexer.peek()? != Token::Open {
            return Ok(vec![self.lexer.word("the other end of the edge")?]);
        }
        self.lexer.next()?;
        let mut ends = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Close => return Ok(ends),
                Token::Separator => {}
                Token::Word(word) if ends.len() < MAX_CHAIN => ends.push(word),
                _ => return Err(self.subgraph_edge()),
            }
            self.lexer.skip_port()?;
        }
    }

    fn node_or_edges(&mut self, first: Cow<'a, str>) -> Result<(), FormatError> {
        let offset = self.lexer.at;
        let mut chain = vec![vec![first]];
        let mut names = 1;
        loop {
            self.lexer.skip_port()?;
            match self.lexer.peek()? {
                Token::Edge(arrow) => {
                    if arrow != self.directed {
                        let expected = if self.directed {
                            "'->' in a digraph"
                        } else {
                            "'--' in a graph"
                        };
                        return Err(self.lexer.broken(expected));
                    }
                    self.lexer.next()?;
                    let ends = self.ends()?;
                    names += ends.len();
                    if names > MAX_CHAIN {
                        let (what, instead) = ("nodes in a chain", "write several chains of edges");
                        return Err(self.lexer.error(too_many(what, MAX_CHAIN, instead)));
                    }
                    chain.push(ends);
                }
                _ => break,
            }
        }
        let attributes = match self.lexer.peek()? {
            Token::List => self.lexer.attributes()?,
            _ => Vec::new(),
        };
        let source = self.lexer.source;
        if let [only] = chain.as_slice() {
            let Some(id) = only.first() else {
                return Ok(());
            };
            // A node may be mentioned again: the first mention gives its name, and any may mark it as a switch.
            let add = if self.known.insert(id.to_string()) {
                let attributes = self.nodes.with(attributes);
                self.graph.node(id, &attributes).map(|_| ())
            } else {
                self.graph.again(id, &attributes)
            };
            return add.map_err(|mistake| source.error(offset, Some(clip(id)), mistake));
        }
        let attributes = self.edges.with(attributes);
        let pairs = chain.iter().zip(chain.iter().skip(1));
        for (from, to) in pairs.flat_map(|(ones, others)| {
            ones.iter()
                .flat_map(move |one| others.iter().map(move |other| (one, other)))
        }) {
            let key = || Some(format!("{} -- {}", clip(from), clip(to)));
            for id in [from, to] {
                if self.known.insert(id.to_string()) {
                    let attributes = self.nodes.with(Vec::new());
                    let add = self.graph.node(id, &attributes);
                    add.map_err(|mistake| source.error(offset, key(), mistake))?;
                }
            }
            self.made += 1;
            if self.made > MAX_EDGES {
                let instead = "write parallel edges as one";
                return Err(source.error(offset, key(), too_many("edges", MAX_EDGES, instead)));
            }
            let add = self.graph.edge(from, to, self.directed, &attributes);
            add.map_err(|mistake| source.error(offset, key(), mistake))?;
        }
        Ok(())
    }
}

#[derive(Clone, PartialEq)]
enum Token<'a> {
    Word(Cow<'a, str>),
    /// `->` (true) or `--`.
    Edge(bool),
    Open,
    Close,
    List,
    ListEnd,
    Equals,
    Colon,
    Separator,
    End,
}

struct Lexer<'a> {
    source: Source<'a>,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn error(&self, mistake: Mistake) -> FormatError {
        self.source.error(self.at, None, mistake)
    }

    fn broken(&self, expected: &str) -> FormatError {
        let rest = self.source.text.get(self.at..).unwrap_or_default();
        if rest.trim().is_empty() {
            self.cut(expected)
        } else {
            self.syntax(format!("{expected} is expected"))
        }
    }

    fn cut(&self, missing: &str) -> FormatError {
        self.syntax(format!("the file is cut off: {missing} is missing"))
    }

    fn syntax(&self, message: String) -> FormatError {
        self.error(Mistake::Syntax {
            format: "DOT",
            at: None,
            message,
        })
    }

    fn expect(&mut self, token: Token<'a>, what: &str) -> Result<(), FormatError> {
        if self.next()? == token {
            Ok(())
        } else {
            Err(self.broken(what))
        }
    }

    fn word(&mut self, what: &str) -> Result<Cow<'a, str>, FormatError> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            _ => Err(self.broken(what)),
        }
    }

    fn peek(&mut self) -> Result<Token<'a>, FormatError> {
        let at = self.at;
        let token = self.next();
        self.at = at;
        token
    }

    /// `:port` and `:port:compass`.
    fn skip_port(&mut self) -> Result<(), FormatError> {
        while self.peek()? == Token::Colon {
            self.next()?;
            self.word("a port")?;
        }
        Ok(())
    }

    /// `[a=1, b=2] [c=3]`.
    fn attributes(&mut self) -> Result<Attributes<'a>, FormatError> {
        let mut attributes = Vec::new();
        while self.peek()? == Token::List {
            self.next()?;
            loop {
                match self.next()? {
                    Token::ListEnd => break,
                    Token::Separator => {}
                    Token::Word(name) => {
                        let value = if self.peek()? == Token::Equals {
                            self.next()?;
                            self.word("a value")?
                        } else {
                            Cow::Borrowed("true")
                        };
                        attributes.push((name, value));
                        if attributes.len() > MAX_ATTRIBUTES {
                            return Err(self.error(too_many_attributes("attributes")));
                        }
                    }
                    _ => return Err(self.broken("an attribute or ']'")),
                }
            }
        }
        Ok(attributes)
    }

    /// Passes over blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), FormatError> {
        loop {
            let rest = self.source.text.get(self.at..).unwrap_or_default();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let line_start = self
                .source
                .text
                .get(..self.at)
                .is_none_or(|before| before.is_empty() || before.ends_with('\n'));
            if trimmed.starts_with("//") || (trimmed.starts_with('#') && line_start) {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.at += trimmed.find("*/").ok_or_else(|| self.cut("'*/'"))? + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Token<'a>, FormatError> {
        self.skip_blanks()?;
        let rest = self.source.text.get(self.at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        let (token, length) = match first {
            '{' => (Token::Open, 1),
            '}' => (Token::Close, 1),
            '[' => (Token::List, 1),
            ']' => (Token::ListEnd, 1),
            '=' => (Token::Equals, 1),
            ':' => (Token::Colon, 1),
            ';' | ',' => (Token::Separator, 1),
            '-' if rest.starts_with("->") => (Token::Edge(true), 2),
            '-' if rest.starts_with("--") => (Token::Edge(false), 2),
            '"' => return self.quoted(rest),
            '<' => return self.html(rest),
            _ => {
                let stop = |c: char| c.is_whitespace() || "{}[]=:;,\"<".contains(c);
                // A minus begins a number, and ends a word before an edge.
                let edge = |at: usize| {
                    rest.get(at..)
                        .is_some_and(|t| t.starts_with("--") || t.starts_with("->"))
                };
                let end = rest
                    .char_indices()
                    .find(|&(at, c)| stop(c) || (at > 0 && c == '-' && edge(at)));
                let end = end.map_or(rest.len(), |(at, _)| at);
                let word = rest.get(..end).unwrap_or_default();
                if !word.starts_with(|c: char| c.is_alphanumeric() || "_.-+".contains(c)) {
                    return Err(self.broken("a name, a number, a \"text\" or punctuation"));
                }
                (Token::Word(Cow::Borrowed(word)), end)
            }
        };
        self.at += length;
        Ok(token)
    }

    /// A text in quotes: `\"` is a quote, and a backslash at the end of a line joins lines.
    fn quoted(&mut self, rest: &'a str) -> Result<Token<'a>, FormatError> {
        let bytes = rest.as_bytes();
        let mut end = 1;
        let mut plain = true;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    end += 2;
                }
                Some(_) => end += 1,
                None => return Err(self.cut("'\"'")),
            }
        }
        let inner = rest.get(1..end).unwrap_or_default();
        self.at += end + 1;
        let text = if plain {
            Cow::Borrowed(inner)
        } else {
            Cow::Owned(inner.replace("\\\"", "\"").replace("\\\n", ""))
        };
        Ok(Token::Word(text))
    }

    /// `<...>` with balanced brackets.
    fn html(&mut self, rest: &'a str) -> Result<Token<'a>, FormatError> {
        let mut depth = 0_usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + 1;
                return Ok(Token::Word(Cow::Borrowed(
                    rest.get(1..at).unwrap_or_default(),
                )));
            }
        }
        Err(self.cut("'>'"))
    }
}
