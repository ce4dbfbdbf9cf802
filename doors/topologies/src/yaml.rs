//! The part of YAML that topologies use: texts, lists and maps, no references, bounded.

use crate::mistakes::{said, too_many, unexpected};
use oneport_files::error::{FormatError, Mistake, clip, clip_message};
use oneport_files::source::Source;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// Most bytes: such files have some kilobytes.
const MAX_BYTES: usize = 4 << 20;
/// Most texts, lists and maps.
const MAX_NODES: usize = 200_000;
/// Deepest nesting.
const MAX_DEPTH: usize = 50;

/// A value, and its offset.
pub(super) struct Yaml {
    pub offset: usize,
    kind: Kind,
}

enum Kind {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// The first document of a file.
    pub(crate) fn parse(source: &Source<'_>) -> Result<Yaml, FormatError> {
        if source.text.len() > MAX_BYTES {
            return Err(source.error_in_file(Mistake::TooLarge {
                limit: MAX_BYTES as u64,
            }));
        }
        // Offsets of lines: errors name nothing finer.
        let lines: Vec<usize> = source
            .text
            .lines()
            .map(|line| source.offset_of(line))
            .collect();
        let mut builder = Builder {
            source,
            lines,
            open: Vec::new(),
            nodes: 0,
        };
        for event in Parser::new_from_str(source.text) {
            let (event, span) = event.map_err(|error| {
                let message = clip_message(error.info());
                let line = Some(error.marker().line());
                FormatError::new(
                    source.name,
                    line,
                    None,
                    Mistake::Syntax {
                        format: "YAML",
                        at: None,
                        message,
                    },
                )
            })?;
            if let Some(document) = builder.take(event, span)? {
                return Ok(document);
            }
        }
        Err(source.error_in_file(Mistake::Empty("a YAML document")))
    }

    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Yaml> {
        match &self.kind {
            Kind::Map(entries) => entries
                .iter()
                .find(|(known, _)| known == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The elements of a list.
    pub(crate) fn list(&self, source: &Source<'_>) -> Result<&[Yaml], FormatError> {
        match &self.kind {
            Kind::List(list) => Ok(list),
            Kind::Text(text) => Err(self.error(source, not_a_list(&format!("'{}'", clip(text))))),
            Kind::Map(_) => Err(self.error(source, not_a_list("a map"))),
        }
    }

    /// An error at this value.
    pub(crate) fn error(&self, source: &Source<'_>, mistake: Mistake) -> FormatError {
        source.error(self.offset, None, mistake)
    }
}

fn not_a_list(value: &str) -> Mistake {
    unexpected(value, "a list")
}

/// Values that are not closed yet.
struct Builder<'s, 'a> {
    source: &'s Source<'a>,
    lines: Vec<usize>,
    /// Each with the key that waits for its value.
    open: Vec<(Yaml, Option<String>)>,
    nodes: usize,
}

impl Builder<'_, '_> {
    /// Takes an event. Gives the document when it is whole.
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<Option<Yaml>, FormatError> {
        let line = span.start.line().saturating_sub(1);
        let offset = self.lines.get(line).copied().unwrap_or_default();
        let refuse = |mistake| Err(self.source.error(offset, None, mistake));
        let kind = match event {
            Event::Alias(_) => {
                return refuse(said("references (*name) are not read; write the value"));
            }
            Event::SequenceStart(..) => Kind::List(Vec::new()),
            Event::MappingStart(..) => Kind::Map(Vec::new()),
            Event::Scalar(text, style, ..) => {
                let empty = style == ScalarStyle::Plain && matches!(text.as_ref(), "~" | "null");
                Kind::Text(if empty {
                    String::new()
                } else {
                    text.into_owned()
                })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((value, _)) = self.open.pop() else {
                    return Ok(None);
                };
                return self.put(value);
            }
            _ => return Ok(None),
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return refuse(too_many("values", MAX_NODES, "give a part of it"));
        }
        let value = Yaml { offset, kind };
        if matches!(value.kind, Kind::Text(_)) {
            return self.put(value);
        }
        if self.open.len() == MAX_DEPTH {
            return refuse(too_many("levels", MAX_DEPTH, "write it flatter"));
        }
        self.open.push((value, None));
        Ok(None)
    }

    /// Stores a whole value in its parent.
    fn put(&mut self, value: Yaml) -> Result<Option<Yaml>, FormatError> {
        let Some((owner, key)) = self.open.last_mut() else {
            return Ok(Some(value));
        };
        match &mut owner.kind {
            Kind::List(list) => list.push(value),
            Kind::Map(entries) => match key.take() {
                Some(key) => entries.push((key, value)),
                None => match value.kind {
                    Kind::Text(text) if !entries.iter().any(|(known, _)| *known == text) => {
                        *key = Some(text)
                    }
                    Kind::Text(text) => {
                        return Err(self.source.error(
                            value.offset,
                            None,
                            Mistake::DuplicateKey(clip(&text)),
                        ));
                    }
                    _ => {
                        let text = "a key is a list or a map; write a text".to_string();
                        return Err(self.source.error(value.offset, None, said(text)));
                    }
                },
            },
            Kind::Text(_) => {}
        }
        Ok(None)
    }
}
