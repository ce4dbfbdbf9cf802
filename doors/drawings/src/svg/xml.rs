//! A minimal writer of well-formed SVG text.

/// Text colour.
pub(super) const INK: &str = "#222222";
/// Secondary text colour; contrast against white above 7:1.
pub(super) const SOFT_INK: &str = "#4d4d4d";
/// Axis and grid colour.
pub(super) const GRID: &str = "#b8b8b8";

/// An SVG document being written. Elements are written in drawing order, groups are closed by [`finish`](Self::finish)
/// at the latest, so the text is well-formed whatever the caller does.
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
    /// Starts a drawing with a white background; `label` is read aloud by screen readers.
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
        canvas
            .tag("rect")
            .n("width", width)
            .n("height", height)
            .s("fill", "#ffffff")
            .end();
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

    /// A line of text; `anchor` is "start", "middle" or "end".
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
            .s("fill", fill);
        let tag = if anchor == "start" {
            tag
        } else {
            tag.s("text-anchor", anchor)
        };
        tag.body(text);
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        self.tag("line")
            .n("x1", from.0)
            .n("y1", from.1)
            .n("x2", to.0)
            .n("y2", to.1)
            .s("stroke", stroke)
            .n("stroke-width", width)
            .end();
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
        self.tag("rect")
            .n("width", 4.0)
            .n("height", 4.0)
            .s("fill", "#d0d0d0")
            .end();
        let tag = self.tag("path").s("d", "M-1 1L1 -1M0 4L4 0M3 5L5 3");
        tag.s("stroke", "#7a7a7a").n("stroke-width", 1.0).end();
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

/// A coordinate with at most two decimals; what is not finite becomes 0.
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

/// A square on its corner.
pub fn diamond((x, y): (f64, f64), half: f64) -> String {
    let point = |dx: f64, dy: f64| format!("{} {}", number(x + dx), number(y + dy));
    format!(
        "M{}L{}L{}L{}Z",
        point(0.0, -half),
        point(half, 0.0),
        point(0.0, half),
        point(-half, 0.0)
    )
}
