//! Small graphs with given positions and words on their links, as the papers' figures have them.

use std::fmt::Write;

/// Distance of neighbouring positions, in pixels.
const STEP: f64 = 96.0;
const RADIUS: f64 = 15.0;
/// Width of a letter, and the margin of a name. Nodes with longer names are wider.
const LETTER: f64 = 6.2;
const BESIDE: f64 = 6.0;
/// Room for the title above, and around.
const TOP: f64 = 52.0;
const SIDE: f64 = 48.0;
/// Distance by which a link is moved aside if the reverse link exists.
const ASIDE: f64 = 7.0;

/// A graph to be drawn.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// Names, and positions in steps from the upper left.
    nodes: Vec<(String, (f64, f64))>,
    links: Vec<Link>,
}

#[derive(Debug, Clone)]
struct Link {
    from: usize,
    to: usize,
    words: String,
    dashed: bool,
}

impl Sketch {
    /// Adds a node. Returns its number.
    pub fn node(&mut self, name: impl Into<String>, position: (f64, f64)) -> usize {
        self.nodes.push((name.into(), position));
        self.nodes.len() - 1
    }

    /// Adds a link with words next to it.
    pub fn link(&mut self, from: usize, to: usize, words: impl Into<String>) {
        self.links.push(Link {
            from,
            to,
            words: words.into(),
            dashed: false,
        });
    }

    /// Adds a dashed link without words.
    pub fn dashed(&mut self, from: usize, to: usize) {
        self.links.push(Link {
            from,
            to,
            words: String::new(),
            dashed: true,
        });
    }

    /// Adds another sketch to the right or below, moved by steps.
    pub fn add(&mut self, other: &Sketch, (right, down): (f64, f64)) {
        let first = self.nodes.len();
        self.nodes.extend(
            other
                .nodes
                .iter()
                .map(|(name, (x, y))| (name.clone(), (x + right, y + down))),
        );
        let moved = |link: &Link| Link {
            from: link.from + first,
            to: link.to + first,
            ..link.clone()
        };
        self.links.extend(other.links.iter().map(moved));
    }

    /// The drawing.
    pub fn svg(&self, title: &str) -> String {
        let most = |part: fn(&(f64, f64)) -> f64| {
            self.nodes
                .iter()
                .map(|(_, at)| part(at))
                .fold(0.0, f64::max)
        };
        let width = (most(|at| at.0) * STEP + 2.0 * SIDE).max(title.len() as f64 * 7.5 + SIDE);
        let height = most(|at| at.1) * STEP + TOP + SIDE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" \
             fill=\"#ffffff\"/>\n<text x=\"12\" y=\"20\" font-size=\"14\" fill=\"#1f2933\">{title}</text>\n",
            title = escape(title)
        );
        for link in &self.links {
            self.draw(&mut out, link);
        }
        for (name, position) in &self.nodes {
            let (x, y) = pixels(*position);
            let half = half_width(name);
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{RADIUS}\" fill=\"#eef2f6\" stroke=\"#1f2933\"/>\n\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#1f2933\">{}</text>",
                x - half,
                y - RADIUS,
                2.0 * half,
                2.0 * RADIUS,
                y + 4.0,
                escape(name)
            );
        }
        out.push_str("</svg>\n");
        out
    }

    fn draw(&self, out: &mut String, link: &Link) {
        let [from, to] = [link.from, link.to].map(|node| pixels(self.nodes[node].1));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let back = self
            .links
            .iter()
            .any(|other| (other.from, other.to) == (link.to, link.from));
        let aside = if back { ASIDE } else { 0.0 };
        let point_at = |along: f64, beside: f64| {
            (
                from.0 + ux * along - uy * beside,
                from.1 + uy * along + ux * beside,
            )
        };
        // Intersection of a node's border and a line through its middle.
        let border = |node: usize| {
            let half = half_width(&self.nodes[node].0);
            1.0 / (ux / half).hypot(uy / RADIUS)
        };
        let (first, last) = (border(link.from), length - border(link.to));
        let (start, end) = (point_at(first, aside), point_at(last - 3.0, aside));
        let [left, right] = [4.0, -4.0].map(|beside| point_at(last - 12.0, aside + beside));
        let tip = point_at(last, aside);
        let dash = if link.dashed {
            " stroke-dasharray=\"4 3\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#52606d\" stroke-width=\"1.5\"{dash}/>\n\
             <polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"#52606d\"/>",
            start.0, start.1, end.0, end.1, tip.0, tip.1, left.0, left.1, right.0, right.1
        );
        if !link.words.is_empty() {
            let (x, y) = point_at(length * 0.45, aside + if back { 13.0 } else { 11.0 });
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#8a3b12\">{}</text>",
                y + 4.0,
                escape(&link.words)
            );
        }
    }
}

fn half_width(name: &str) -> f64 {
    (name.chars().count() as f64 * LETTER / 2.0 + BESIDE).max(RADIUS)
}

fn pixels((x, y): (f64, f64)) -> (f64, f64) {
    (SIDE + x * STEP, TOP + 12.0 + y * STEP)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_and_every_word_is_there() {
        let mut sketch = Sketch::default();
        let (a, b) = (sketch.node("a", (0.0, 0.0)), sketch.node("b<", (1.0, 1.0)));
        sketch.link(a, b, "1/2");
        sketch.dashed(b, a);
        let mut two = sketch.clone();
        two.add(&sketch, (2.0, 0.0));
        let svg = two.svg("t");
        assert_eq!(
            (svg.matches("rx=").count(), svg.matches("<line").count()),
            (4, 4)
        );
        assert_eq!(
            (
                svg.matches("1/2").count(),
                svg.matches("b&lt;").count(),
                svg.matches("dash").count()
            ),
            (2, 2, 2)
        );
    }
}
