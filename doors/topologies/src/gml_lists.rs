//! The lists of a GML file: a lexer, and the entries of the graph.

use std::borrow::Cow;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;

use crate::graph::{Attributes, MAX_ATTRIBUTES, too_many_attributes};

/// Bytes of the longest character reference, without its '&': `#1114111;`.
const LONGEST_REFERENCE: usize = 9;

/// The entries of the first graph of a file.
pub(crate) struct Outline {
    /// Whether the file has `directed 1`.
    pub directed: bool,
    /// Offsets of the lists of the nodes.
    pub nodes: Vec<usize>,
    /// Offsets of the lists of the edges.
    pub edges: Vec<usize>,
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

/// A lexer and a reader of lists. Lists inside of entries are skipped without recursion.
pub(crate) struct Lists<'a> {
    source: Source<'a>,
    /// Offset of the next token.
    at: usize,
}

impl<'a> Lists<'a> {
    /// The lists of a file.
    pub(crate) fn new(source: Source<'a>) -> Self {
        Lists { source, at: 0 }
    }

    /// The entries of the first top-level `graph [ ... ]`.
    pub(crate) fn outline(&mut self) -> Result<Outline, FormatError> {
        self.find_graph()?;
        let mut outline = Outline {
            directed: false,
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        loop {
            let (offset, token) = self.token()?;
            match token {
                Token::Close => return Ok(outline),
                Token::Key("directed") => outline.directed = self.directed()?,
                Token::Key("node") => {
                    outline.nodes.push(self.at);
                    self.skip()?;
                }
                Token::Key("edge") => {
                    outline.edges.push(self.at);
                    self.skip()?;
                }
                Token::Key(_) => self.skip()?,
                _ => return Err(self.broken(offset, token)),
            }
        }
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

    fn directed(&mut self) -> Result<bool, FormatError> {
        let (offset, token) = self.token()?;
        match token {
            Token::Number("0") => Ok(false),
            Token::Number("1") => Ok(true),
            _ => Err(self.syntax(offset, "directed is 0 or 1")),
        }
    }

    /// The numbers and texts of the entry of this kind at this offset, at most 500. Lists are skipped. A key that is
    /// read has one number or text.
    pub(crate) fn entry(
        &mut self,
        kind: &'static str,
        offset: usize,
        is_read: impl Fn(&str) -> bool,
    ) -> Result<Attributes<'a>, FormatError> {
        self.at = offset;
        self.open(kind)?;
        let mut attributes: Attributes<'a> = Vec::new();
        loop {
            let (offset, token) = self.token()?;
            let key = match token {
                Token::Close => return Ok(attributes),
                Token::Key(key) => key,
                _ => return Err(self.broken(offset, token)),
            };
            let start = self.at;
            let value = match self.token()? {
                (_, Token::Number(text)) => Cow::Borrowed(text),
                (_, Token::Text(text)) => decode(text),
                (offset, _) if is_read(key) => {
                    return Err(self.syntax(offset, &format!("{key} needs a number or a \"text\"")));
                }
                _ => {
                    self.at = start;
                    self.skip()?;
                    continue;
                }
            };
            if is_read(key) && attributes.iter().any(|(known, _)| known == key) {
                let mistake = Mistake::DuplicateKey(key.to_string());
                return Err(self.source.error(offset, Some(kind.to_string()), mistake));
            }
            attributes.push((Cow::Borrowed(key), value));
            if attributes.len() > MAX_ATTRIBUTES {
                let mistake = too_many_attributes("attributes");
                return Err(self.source.error(offset, None, mistake));
            }
        }
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
