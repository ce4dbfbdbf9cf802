//! A minimal writer of well-formed SVG text.

/// Text colour.
pub(super) const INK: &str = "#222222";
/// Secondary text colour. Contrast against white above 7:1.
pub(super) const SOFT_INK: &str = "#4d4d4d";
/// Axis and grid colour.
pub(super) const GRID: &str = "#b8b8b8";

/// An SVG document being written. Elements are written in drawing order. [`finish`](Self::finish) closes all open
/// groups, so the text is always well-formed.
pub(super) struct Canvas {
    out: String,
    open: usize,
}

/// An element whose attributes are being written.
#[must_use]
pub(super) struct Tag<'a> {
    out: &'a mut String,
    name: &'static str,
}

impl Canvas {
    /// Starts a drawing with a white background. `label` is read aloud by screen readers.
    pub(super) fn new(width: f64, height: f64, label: &str) -> Self {
        let mut canvas = Canvas {
            out: String::new(),
            open: 0,
        };
        let (w, h) = (number(width), number(height));
        canvas
            .group("svg")
            .s("xmlns", "http://www.w3.org/2000/svg")
            .s("viewBox", &format!("0 0 {w} {h}"))
            .s("width", &w)
            .s("height", &h)
            .s(
                "font-family",
                "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif",
            )
            .s("role", "img")
            .s("aria-label", label)
            .start();
        let background = canvas.tag("rect").n("width", width);
        background.n("height", height).fill("#ffffff").end();
        canvas
    }

    /// An element without children, or with text or a tooltip only.
    pub(super) fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Tag {
            out: &mut self.out,
            name,
        }
    }

    /// A rectangle: its corner at the top left, width and height. An empty class is left out, as in all shapes.
    pub(super) fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) -> Tag<'_> {
        let tag = self.shape("rect", class).n("x", at.0).n("y", at.1);
        tag.n("width", size.0).n("height", size.1)
    }

    /// A circle around a point.
    pub(super) fn circle(&mut self, class: &str, at: (f64, f64), radius: f64) -> Tag<'_> {
        let tag = self.shape("circle", class).n("cx", at.0).n("cy", at.1);
        tag.n("r", radius)
    }

    /// A path, in SVG's commands.
    pub(super) fn path(&mut self, class: &str, commands: &str) -> Tag<'_> {
        self.shape("path", class).s("d", commands)
    }

    /// A straight line, without its stroke.
    pub(super) fn segment(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) -> Tag<'_> {
        let tag = self.shape("line", class).n("x1", from.0).n("y1", from.1);
        tag.n("x2", to.0).n("y2", to.1)
    }

    fn shape(&mut self, name: &'static str, class: &str) -> Tag<'_> {
        let tag = self.tag(name);
        if class.is_empty() {
            tag
        } else {
            tag.s("class", class)
        }
    }

    /// An element with children: end it with [`Tag::start`], then close it with [`Canvas::close`].
    fn group(&mut self, name: &'static str) -> Tag<'_> {
        self.open += 1;
        self.tag(name)
    }

    /// Opens a `<g>`.
    pub(super) fn g(&mut self) -> Tag<'_> {
        self.group("g")
    }

    /// Closes the innermost `<g>`.
    pub(super) fn close(&mut self) {
        if self.open > 1 {
            self.open -= 1;
            self.out.push_str("</g>\n");
        }
    }

    /// Tooltip of the innermost open group.
    pub(super) fn tooltip(&mut self, text: &str) {
        self.tag("title").body(text);
    }

    /// A line of text. `anchor` is "start", "middle" or "end".
    pub(super) fn text(
        &mut self,
        at: (f64, f64),
        anchor: &'static str,
        size: f64,
        fill: &str,
        text: &str,
    ) {
        let tag = self
            .tag("text")
            .n("x", at.0)
            .n("y", at.1)
            .n("font-size", size)
            .fill(fill);
        let tag = if anchor == "start" {
            tag
        } else {
            tag.s("text-anchor", anchor)
        };
        tag.body(text);
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        self.segment("", from, to).stroke(stroke, width).end();
    }

    /// Defines a grey hatch as the pattern `id`.
    pub(super) fn hatch(&mut self, id: &str) {
        self.out.push_str("<defs>");
        let tag = self
            .tag("pattern")
            .s("id", id)
            .s("patternUnits", "userSpaceOnUse")
            .n("width", 4.0)
            .n("height", 4.0);
        tag.start();
        let ground = self.tag("rect").n("width", 4.0).n("height", 4.0);
        ground.fill("#d0d0d0").end();
        let lines = self.path("", "M-1 1L1 -1M0 4L4 0M3 5L5 3");
        lines.stroke("#7a7a7a", 1.0).end();
        self.out.push_str("</pattern></defs>\n");
    }

    /// The finished document.
    pub(super) fn finish(mut self) -> String {
        while self.open > 1 {
            self.close();
        }
        self.out.push_str("</svg>\n");
        self.out
    }
}

impl Tag<'_> {
    /// A numeric attribute.
    pub(super) fn n(self, key: &str, value: f64) -> Self {
        self.s(key, &number(value))
    }

    /// A text attribute, escaped.
    pub(super) fn s(self, key: &str, value: &str) -> Self {
        self.out.push(' ');
        self.out.push_str(key);
        self.out.push_str("=\"");
        escape(self.out, value);
        self.out.push('"');
        self
    }

    /// The colour inside.
    pub(super) fn fill(self, colour: &str) -> Self {
        self.s("fill", colour)
    }

    /// Colour and width of the outline.
    pub(super) fn stroke(self, colour: &str, width: f64) -> Self {
        self.s("stroke", colour).n("stroke-width", width)
    }

    /// Lengths of dashes and gaps. An empty text is a solid line.
    pub(super) fn dashes(self, pattern: &str) -> Self {
        if pattern.is_empty() {
            self
        } else {
            self.s("stroke-dasharray", pattern)
        }
    }

    /// Lets the pointer through to the elements below.
    pub(super) fn untouched(self) -> Self {
        self.s("pointer-events", "none")
    }

    /// Ends an empty element.
    pub(super) fn end(self) {
        self.out.push_str("/>\n");
    }

    /// Ends the start tag of a group.
    pub(super) fn start(self) {
        self.out.push_str(">\n");
    }

    /// Ends an element that holds only text.
    pub(super) fn body(self, text: &str) {
        self.out.push('>');
        escape(self.out, text);
        self.out.push_str("</");
        self.out.push_str(self.name);
        self.out.push_str(">\n");
    }

    /// Ends an element that holds only a tooltip.
    pub(super) fn titled(self, title: &str) {
        self.out.push_str("><title>");
        escape(self.out, title);
        self.out.push_str("</title></");
        self.out.push_str(self.name);
        self.out.push_str(">\n");
    }
}

/// A coordinate with at most two decimals. A number that is not finite becomes 0.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_string();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// Writes text so that it is right in element content and in double-quoted attributes. Characters that XML 1.0
/// cannot hold at all become U+FFFD.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// A point of a path.
pub(super) fn point((x, y): (f64, f64)) -> String {
    format!("{} {}", number(x), number(y))
}

/// The path through these corners and back.
pub(super) fn polygon(corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners.iter().copied().map(point).collect();
    format!("M{}Z", corners.join("L"))
}

/// A square on its corner.
pub(super) fn diamond((x, y): (f64, f64), half: f64) -> String {
    polygon(&[(x, y - half), (x + half, y), (x, y + half), (x - half, y)])
}
