//! The elements of an XML file in one list. Files without prolog, entities, comments and text, as converters write
//! them, are read directly, in a fifth of the time. All others, and all files with a mistake, are read by `roxmltree`.

use std::ops::Range;

use roxmltree::{Document, ParsingOptions};

/// Limit on XML nodes.
const NODES: u32 = 4_000_000;
/// Deepest element that is read directly.
const DEPTH: usize = 16;

/// All elements, in the order of the file.
#[derive(Debug)]
pub(super) struct Elements<'x> {
    text: &'x str,
    all: Vec<Element<'x>>,
    values: Vec<&'x str>,
    /// Per element: list of names of attributes. Most are equal to the list of the element before.
    keys: Vec<Vec<&'x str>>,
}

#[derive(Debug)]
struct Element<'x> {
    name: &'x str,
    /// Offset of its start in the text, in bytes.
    at: u32,
    /// The first index after its last descendant.
    end: u32,
    /// Number of its list of attribute names, and the index of its first value.
    keys: u32,
    values: u32,
}

/// An element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'e> {
    elements: &'e Elements<'e>,
    index: usize,
}

/// Attributes that are read from successive elements, and their positions in the last one.
#[derive(Debug)]
pub(super) struct Columns<const N: usize> {
    /// Their names.
    pub keys: [&'static str; N],
    of: Option<u32>,
    indices: [Option<usize>; N],
}

impl<const N: usize> Columns<N> {
    /// Attributes of these names.
    pub(super) fn new(keys: [&'static str; N]) -> Self {
        Columns {
            keys,
            of: None,
            indices: [None; N],
        }
    }
}

impl<'e> Node<'e> {
    fn element(self) -> &'e Element<'e> {
        &self.elements.all[self.index]
    }

    /// Its name.
    pub(super) fn name(self) -> &'e str {
        self.element().name
    }

    /// The value of an attribute.
    pub(super) fn attribute(self, key: &'static str) -> Option<&'e str> {
        let [value] = self.attributes(&mut Columns::new([key]));
        value
    }

    /// The values of several attributes.
    pub(super) fn attributes<const N: usize>(
        self,
        columns: &mut Columns<N>,
    ) -> [Option<&'e str>; N] {
        let Element { keys, values, .. } = *self.element();
        if columns.of != Some(keys) {
            let known = &self.elements.keys[keys as usize];
            columns.indices = columns
                .keys
                .map(|key| known.iter().position(|&known| known == key));
            columns.of = Some(keys);
        }
        columns
            .indices
            .map(|index| Some(self.elements.values[values as usize + index?]))
    }

    /// The elements of this name directly in it.
    pub(super) fn children(self, name: &'static str) -> impl Iterator<Item = Node<'e>> {
        let (elements, mut index, end) =
            (self.elements, self.index + 1, self.element().end as usize);
        let next = move || {
            let child = (index < end).then_some(Node { elements, index })?;
            index = child.element().end as usize;
            Some(child)
        };
        std::iter::from_fn(next).filter(move |child| child.name() == name)
    }

    /// The line on which it begins, from 1.
    pub(super) fn line(self) -> usize {
        1 + self
            .elements
            .text
            .bytes()
            .take(self.element().at as usize)
            .filter(|&byte| byte == b'\n')
            .count()
    }
}

/// Reads a file and applies a function to its first element.
///
/// # Errors
/// The error of `roxmltree` if the text is not XML.
pub(super) fn read<T>(text: &str, then: impl FnOnce(Node<'_>) -> T) -> Result<T, roxmltree::Error> {
    if let Some(elements) = Plain::new(text).elements() {
        return Ok(then(Node {
            elements: &elements,
            index: 0,
        }));
    }
    let document = Document::parse_with_options(
        text,
        ParsingOptions {
            nodes_limit: NODES,
            ..Default::default()
        },
    )?;
    let elements = of_document(&document);
    Ok(then(Node {
        elements: &elements,
        index: 0,
    }))
}

impl<'x> Elements<'x> {
    fn new(text: &'x str) -> Self {
        Elements {
            text,
            all: Vec::new(),
            values: Vec::new(),
            keys: vec![Vec::new()],
        }
    }

    fn open(&mut self, name: &'x str, at: usize) {
        let values = self.values.len() as u32;
        self.all.push(Element {
            name,
            at: at as u32,
            end: 0,
            keys: 0,
            values,
        });
    }

    /// Gives the last element its attributes' names.
    fn name(&mut self, keys: &[&'x str]) {
        if self.keys.last().is_none_or(|last| last != keys) {
            self.keys.push(keys.to_vec());
        }
        if let Some(element) = self.all.last_mut() {
            element.keys = self.keys.len() as u32 - 1;
        }
    }

    fn close(&mut self, index: usize) {
        self.all[index].end = self.all.len() as u32;
    }
}

fn of_document<'d>(document: &'d Document<'_>) -> Elements<'d> {
    let mut elements = Elements::new(document.input_text());
    let mut open: Vec<usize> = Vec::new();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let depth = node
            .ancestors()
            .skip(1)
            .filter(roxmltree::Node::is_element)
            .count();
        for index in open.drain(depth..).rev() {
            elements.close(index);
        }
        open.push(elements.all.len());
        elements.open(node.tag_name().name(), node.range().start);
        let own = node
            .attributes()
            .filter(|attribute| attribute.namespace().is_none());
        let (keys, values): (Vec<&str>, Vec<&str>) = own.map(|it| (it.name(), it.value())).unzip();
        elements.values.extend(values);
        elements.name(&keys);
    }
    for index in open.into_iter().rev() {
        elements.close(index);
    }
    elements
}

/// A reader that gives up at any unusual text.
struct Plain<'x> {
    text: &'x str,
    at: usize,
}

impl<'x> Plain<'x> {
    fn new(text: &'x str) -> Self {
        Plain { text, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes these bytes, if they are next.
    fn takes(&mut self, wanted: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(wanted.as_bytes());
        self.at += if is_next { wanted.len() } else { 0 };
        is_next
    }

    /// Takes an attribute's name, and the text between it and its value, if they are next.
    fn takes_attribute(&mut self, key: &str) -> bool {
        let bytes = &self.text.as_bytes()[self.at..];
        let is_next = bytes.len() > key.len() + 1
            && key
                .bytes()
                .zip(bytes)
                .all(|(wanted, &there)| wanted == there)
            && bytes[key.len()] == b'='
            && bytes[key.len() + 1] == b'"';
        self.at += if is_next { key.len() + 2 } else { 0 };
        is_next
    }

    /// Takes bytes while they satisfy a condition.
    fn while_such(&mut self, is_such: impl Fn(u8) -> bool) -> Range<usize> {
        let from = self.at;
        while self.peek().is_some_and(&is_such) {
            self.at += 1;
        }
        from..self.at
    }

    fn space(&mut self) -> bool {
        !self
            .while_such(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r'))
            .is_empty()
    }

    fn name(&mut self) -> Option<&'x str> {
        let starts = self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let name = self.while_such(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        Some(&self.text[name]).filter(|_| starts)
    }

    fn elements(mut self) -> Option<Elements<'x>> {
        u32::try_from(self.text.len()).ok()?;
        let (mut elements, mut keys) = (Elements::new(self.text), Vec::new());
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.space();
            let at = self.at;
            if self.takes("</") {
                let index = open.pop()?;
                self.takes(elements.all[index].name).then_some(())?;
                self.space();
                self.takes(">").then_some(())?;
                elements.close(index);
            } else {
                // Between two elements there may be a text of spaces, which is a node too.
                (self.takes("<") && open.len() < DEPTH && elements.all.len() < NODES as usize / 3)
                    .then_some(())?;
                let name = self.name()?;
                open.push(elements.all.len());
                elements.open(name, at);
                if self.attributes(&mut elements, &mut keys)? {
                    elements.close(open.pop()?);
                }
            }
            if open.is_empty() {
                self.space();
                return (self.at == self.text.len()).then_some(elements);
            }
        }
    }

    /// Reads the attributes of the last element. Returns whether it ends with them. `keys` are those of the element
    /// before.
    fn attributes(&mut self, elements: &mut Elements<'x>, keys: &mut Vec<&'x str>) -> Option<bool> {
        let (mut count, mut changed) = (0, false);
        loop {
            let apart = self.space();
            let ends = self.takes("/>");
            if ends || self.takes(">") {
                keys.truncate(count);
                let all_apart = || (1..count).all(|index| !keys[..index].contains(&keys[index]));
                (!changed || all_apart()).then_some(())?;
                elements.name(keys);
                return Some(ends);
            }
            apart.then_some(())?;
            // Usually it is the attribute of this index in the element before.
            if !keys.get(count).is_some_and(|key| self.takes_attribute(key)) {
                let key = self.name().filter(|&key| key != "xmlns")?;
                self.takes("=\"").then_some(())?;
                changed = true;
                keys.truncate(count);
                keys.push(key);
            }
            count += 1;
            let value =
                self.while_such(|byte| (b' '..0x7f).contains(&byte) && !b"\"<&".contains(&byte));
            self.takes("\"").then_some(())?;
            elements.values.push(&self.text[value]);
        }
    }
}
