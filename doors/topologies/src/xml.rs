//! XML for topologies: no user-defined entities, bounded in every direction.

use crate::mistakes::{too_many, unexpected};
use oneport_files::error::{FormatError, Mistake, clip, clip_message};
use oneport_files::source::Source;
use roxmltree::{Document, Node, ParsingOptions};

/// Limit on the elements, texts and comments of a document.
const MAX_NODES: u32 = 1_000_000;
/// Limit on the attributes of a document.
const MAX_ATTRIBUTES: usize = 800_000;
/// Limit on the attributes of one element: the parser compares every two.
const MAX_PER_ELEMENT: usize = 100;
/// Deepest nesting that importers follow.
pub(super) const MAX_DEPTH: usize = 100;

/// The document of a file.
pub(crate) fn parse<'a>(source: &Source<'a>) -> Result<Document<'a>, FormatError> {
    check(source)?;
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    // Blank lines may precede <?xml: SimGrid reads such files.
    let blank = blank(source);
    let (before, text) = source.text.split_at(blank);
    let lines = before.matches('\n').count();
    Document::parse_with_options(text, options).map_err(|error| {
        let mistake = match error {
            roxmltree::Error::NodesLimitReached => over("elements", MAX_NODES as usize),
            _ => {
                let text = error.to_string();
                let message = clip_message(text.split(" at ").next().unwrap_or_default());
                Mistake::Syntax {
                    format: "XML",
                    at: Some(error.pos().col as usize),
                    message,
                }
            }
        };
        let row = error.pos().row as usize + lines;
        FormatError::new(source.name, Some(row), None, mistake)
    })
}

/// Start of an element in the file.
pub(super) fn start(source: &Source<'_>, element: Node<'_, '_>) -> usize {
    blank(source) + element.range().start
}

/// Number of bytes of blank text before the document.
fn blank(source: &Source<'_>) -> usize {
    source.text.len() - source.text.trim_start().len()
}

/// Refuses text that would take a parser long: entities, and many attributes. Both are searched in the raw text.
fn check(source: &Source<'_>) -> Result<(), FormatError> {
    if let Some(at) = source.text.find("<!ENTITY") {
        let message = "entities are not read here; write the text itself".to_string();
        return Err(source.error(
            at,
            None,
            Mistake::Syntax {
                format: "XML",
                at: None,
                message,
            },
        ));
    }
    let (mut all, mut here, mut before) = (0, 0, b' ');
    for (at, &byte) in source.text.as_bytes().iter().enumerate() {
        if byte == b'<' {
            here = 0;
        } else if before == b'=' && (byte == b'"' || byte == b'\'') {
            here += 1;
            all += 1;
        }
        if here > MAX_PER_ELEMENT {
            return Err(source.error(at, None, over("attributes in one element", MAX_PER_ELEMENT)));
        }
        if all > MAX_ATTRIBUTES {
            return Err(source.error(at, None, over("attributes", MAX_ATTRIBUTES)));
        }
        if !byte.is_ascii_whitespace() || before != b'=' {
            before = byte;
        }
    }
    Ok(())
}

fn over(what: &'static str, limit: usize) -> Mistake {
    too_many(what, limit, "give a part of the topology")
}

/// An error at an element: `<pci>` and its fault.
pub(super) fn error_at(
    source: &Source<'_>,
    element: Node<'_, '_>,
    mistake: Mistake,
) -> FormatError {
    source.error(
        start(source, element),
        Some(format!("<{}>", clip(element.tag_name().name()))),
        mistake,
    )
}

/// An attribute that is not empty.
pub(super) fn filled<'n>(element: Node<'n, '_>, key: &str) -> Option<&'n str> {
    element.attribute(key).filter(|text| !text.is_empty())
}

/// An attribute that has to be there.
pub(super) fn need<'n>(
    source: &Source<'_>,
    element: Node<'n, '_>,
    key: &'static str,
    meaning: &'static str,
) -> Result<&'n str, FormatError> {
    element
        .attribute(key)
        .ok_or_else(|| error_at(source, element, Mistake::MissingKey { key, meaning }))
}

/// An attribute that is a whole number, in decimal or with 0x. `None` if it is absent or empty.
pub(super) fn integer(
    source: &Source<'_>,
    element: Node<'_, '_>,
    key: &str,
) -> Result<Option<i64>, FormatError> {
    let Some(text) = element
        .attribute(key)
        .filter(|text| !text.trim().is_empty())
    else {
        return Ok(None);
    };
    let number = match text.trim().strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.trim().parse().ok(),
    };
    number.map(Some).ok_or_else(|| {
        let expected = format!("a whole number, as {key} should be");
        error_at(source, element, unexpected(clip(text), expected))
    })
}

/// The elements directly below with this name.
pub(super) fn children<'d, 'i>(
    element: Node<'d, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'d, 'i>> {
    element
        .children()
        .filter(move |child| child.has_tag_name(name))
}
