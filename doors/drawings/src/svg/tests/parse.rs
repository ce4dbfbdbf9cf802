//! A strict reader of the subset of XML that the drawings use.

use std::collections::BTreeMap;

/// An element with its ancestors' names, its attributes and its own text.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
    /// Text of the `<title>` child.
    pub title: String,
    /// Index of the parent.
    pub parent: Option<usize>,
}

impl Element {
    pub(super) fn number(&self, key: &str) -> f64 {
        self.attributes
            .get(key)
            .map_or(0.0, |value| value.parse().expect("a number"))
    }

    pub(super) fn is(&self, class: &str) -> bool {
        self.attributes
            .get("class")
            .is_some_and(|value| value == class)
    }
}

/// All elements in document order. Panics if the text is not well-formed.
pub(super) fn parse(text: &str) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let own = unescape(&rest[..at]);
        match open.last() {
            Some(&index) => elements[index].text += &own,
            None => assert!(own.trim().is_empty(), "text outside the root: {own:?}"),
        }
        let end = at + rest[at..].find('>').expect("'<' without '>'");
        let inner = &rest[at + 1..end];
        assert!(!inner.contains('<'), "'<' inside a tag: {inner:?}");
        rest = &rest[end + 1..];
        if let Some(name) = inner.strip_prefix('/') {
            let index = open.pop().expect("closing tag without an opening one");
            assert_eq!(elements[index].name, name, "tags are not balanced");
            if name == "title" {
                let title = elements[index].text.clone();
                let parent = elements[index]
                    .parent
                    .expect("a title belongs to something");
                elements[parent].title = title;
            }
            continue;
        }
        let (inner, empty) = inner
            .strip_suffix('/')
            .map_or((inner, false), |inner| (inner, true));
        let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        assert!(!open.is_empty() || elements.is_empty(), "two roots");
        let parent = open.last().copied();
        let attributes = parse_attributes(attributes);
        elements.push(Element {
            name: name.into(),
            attributes,
            text: String::new(),
            title: String::new(),
            parent,
        });
        if !empty {
            open.push(elements.len() - 1);
        }
    }
    assert!(
        rest.trim().is_empty() && open.is_empty(),
        "elements left open"
    );
    assert_eq!(elements.first().map(|root| root.name.as_str()), Some("svg"));
    elements
}

fn parse_attributes(mut rest: &str) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    while !rest.is_empty() {
        let (key, after) = rest
            .split_once("=\"")
            .expect("attribute without a quoted value");
        let (value, after) = after
            .split_once('"')
            .expect("value without a closing quote");
        assert!(
            key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'),
            "attribute {key:?}"
        );
        assert!(
            attributes
                .insert(key.to_string(), unescape(value))
                .is_none(),
            "{key} twice"
        );
        assert!(
            after.is_empty() || after.starts_with(' '),
            "attributes not separated: {after:?}"
        );
        rest = after.trim_start();
    }
    attributes
}

fn unescape(text: &str) -> String {
    assert!(
        text.chars().all(|c| c == '\n' || !c.is_control()),
        "control character in {text:?}"
    );
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = at + rest[at..].find(';').expect("'&' without ';'");
        out.push(match &rest[at + 1..end] {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "#9" => '\t',
            "#10" => '\n',
            other => panic!("entity {other:?}"),
        });
        rest = &rest[end + 1..];
    }
    out + rest
}

/// Asserts that every shape is inside the viewBox.
pub(super) fn assert_inside(elements: &[Element]) {
    let view: Vec<f64> = elements[0].attributes["viewBox"]
        .split(' ')
        .map(|part| part.parse().unwrap())
        .collect();
    let inside = |x: f64, y: f64, what: &Element| {
        let good = x >= view[0] - 0.01
            && x <= view[2] + 0.01
            && y >= view[1] - 0.01
            && y <= view[3] + 0.01;
        assert!(good, "({x}, {y}) outside {view:?}: {what:?}");
    };
    for element in elements {
        let in_pattern = element
            .parent
            .is_some_and(|parent| elements[parent].name == "pattern");
        match element.name.as_str() {
            "rect" if !in_pattern => {
                let (x, y) = (element.number("x"), element.number("y"));
                inside(x, y, element);
                inside(
                    x + element.number("width"),
                    y + element.number("height"),
                    element,
                );
            }
            "circle" => {
                let (x, y, r) = (
                    element.number("cx"),
                    element.number("cy"),
                    element.number("r"),
                );
                inside(x - r, y - r, element);
                inside(x + r, y + r, element);
            }
            "text" => {
                let (left, right) = text_span(element);
                let (x, y) = (element.number("x"), element.number("y"));
                if element
                    .parent
                    .is_some_and(|parent| elements[parent].attributes.contains_key("transform"))
                {
                    // Turned upright around its middle.
                    inside(
                        x - element.number("font-size"),
                        y - (right - left) / 2.0,
                        element,
                    );
                    inside(x, y + (right - left) / 2.0, element);
                    continue;
                }
                inside(left, y - element.number("font-size"), element);
                inside(right, y, element);
            }
            _ => {}
        }
    }
}

/// Left and right end of a text, by the width that the drawings assume.
pub(super) fn text_span(element: &Element) -> (f64, f64) {
    let width = crate::words::width(&element.text, element.number("font-size"));
    let x = element.number("x");
    match element.attributes.get("text-anchor").map(String::as_str) {
        Some("middle") => (x - width / 2.0, x + width / 2.0),
        Some("end") => (x - width, x),
        _ => (x, x + width),
    }
}

/// Asserts that no edge (a path in a group of one of these classes) passes behind a box unless it begins or ends there.
pub(super) fn assert_edges_pass_beside(elements: &[Element], edges: &[&str], boxes: &[&str]) {
    let boxes: Vec<[f64; 4]> = elements
        .iter()
        .filter(|e| e.name == "rect" && boxes.iter().any(|class| e.is(class)))
        .map(|e| {
            [
                e.number("x"),
                e.number("y"),
                e.number("x") + e.number("width"),
                e.number("y") + e.number("height"),
            ]
        })
        .collect();
    let is_edge = |e: &&Element| {
        let parent = e.parent.map(|parent| &elements[parent]);
        e.name == "path"
            && e.attributes["fill"] == "none"
            && parent.is_some_and(|p| edges.iter().any(|c| p.is(c)))
    };
    let mut seen = 0;
    for edge in elements.iter().filter(is_edge) {
        let points = points(&edge.attributes["d"]);
        let within = |(x, y): (f64, f64), one: &[f64; 4], by: f64| {
            one[0] - by < x && x < one[2] + by && one[1] - by < y && y < one[3] + by
        };
        let (first, last) = (points[0], points[points.len() - 1]);
        for other in boxes
            .iter()
            .filter(|one| !within(first, one, 9.0) && !within(last, one, 9.0))
        {
            let hit = points.iter().find(|&&point| within(point, other, -1.0));
            assert!(
                hit.is_none(),
                "{} passes behind {other:?} at {hit:?}",
                edge.attributes["d"]
            );
        }
        seen += 1;
    }
    assert!(seen > 0, "no edges of {edges:?}");
}

/// Points along a path of straight lines and cubic curves.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..]
            .find(['M', 'L', 'C'])
            .map_or(rest.len(), |at| at + 1);
        let numbers: Vec<f64> = rest[1..end]
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        let ends: Vec<(f64, f64)> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let from = *points.last().unwrap_or(&ends[0]);
        for step in 1..=50 {
            let t = f64::from(step) / 50.0;
            let weights = match command {
                'C' => vec![
                    (1.0 - t).powi(3),
                    3.0 * t * (1.0 - t).powi(2),
                    3.0 * t * t * (1.0 - t),
                    t.powi(3),
                ],
                _ => vec![1.0 - t, t],
            };
            let corners = std::iter::once(&from).chain(&ends).zip(&weights);
            points.push(corners.fold((0.0, 0.0), |sum, (one, weight)| {
                (sum.0 + one.0 * weight, sum.1 + one.1 * weight)
            }));
        }
        rest = &rest[end..];
    }
    points
}
