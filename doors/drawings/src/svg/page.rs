//! Parts of every drawing: a title above and notes below, in as many lines as they need.

use super::xml::{Canvas, INK, SOFT_INK};
use crate::words;

/// Space at the edges of a drawing.
pub(super) const MARGIN: f64 = 16.0;
const TITLE: (f64, f64) = (17.0, 21.0);
const SUBTITLE: (f64, f64) = (12.5, 16.0);
const NOTE: (f64, f64) = (11.0, 16.0);

/// Title and subtitle, wrapped.
pub(super) struct Head {
    title: Vec<String>,
    subtitle: Vec<String>,
    /// Text for screen readers.
    label: String,
    width: f64,
    /// Additional height compared with one line each.
    pub extra: f64,
}

impl Head {
    /// The head of a drawing of this width.
    pub(super) fn new(title: &str, subtitle: &str, width: f64) -> Head {
        let room = width - 2.0 * MARGIN;
        let wrap = |text: &str, size: f64| {
            if text.is_empty() {
                Vec::new()
            } else {
                words::wrap(text, size, room)
            }
        };
        let label = format!("{title}; {subtitle}");
        let (title, subtitle) = (wrap(title, TITLE.0), wrap(subtitle, SUBTITLE.0));
        let more = |lines: &[String], height: f64| lines.len().saturating_sub(1) as f64 * height;
        let extra = more(&title, TITLE.1) + more(&subtitle, SUBTITLE.1);
        Head {
            title,
            subtitle,
            label,
            width,
            extra,
        }
    }

    /// The width that shows both in a line each, within limits.
    pub(super) fn width(title: &str, subtitle: &str) -> f64 {
        f64::max(
            words::width(title, TITLE.0),
            words::width(subtitle, SUBTITLE.0),
        )
        .clamp(420.0, 900.0)
    }

    /// The page of this height, with the head on it.
    pub(super) fn page(&self, height: f64) -> Canvas {
        let mut canvas = Canvas::new(self.width, height, &self.label);
        self.draw(&mut canvas);
        canvas
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let mut y = 28.0;
        let parts = [
            (&self.title, TITLE, INK),
            (&self.subtitle, SUBTITLE, SOFT_INK),
        ];
        for (lines, (size, height), ink) in parts {
            for (index, line) in lines.iter().enumerate() {
                y += if index > 0 { height } else { 0.0 };
                canvas.text((MARGIN, y), "start", size, ink, line);
            }
            y += 20.0;
        }
    }
}

/// Remarks below a drawing, wrapped.
pub(super) struct Notes {
    lines: Vec<String>,
    pub height: f64,
}

impl Notes {
    /// The notes of a drawing of this width.
    pub(super) fn new<T: AsRef<str>>(notes: &[T], width: f64) -> Notes {
        let room = width - 2.0 * MARGIN;
        let lines: Vec<String> = notes
            .iter()
            .flat_map(|note| words::wrap(note.as_ref(), NOTE.0, room))
            .collect();
        let height = lines.len() as f64 * NOTE.1;
        Notes { lines, height }
    }

    /// Draws them below `top`.
    pub(super) fn draw(&self, canvas: &mut Canvas, top: f64) {
        for (index, line) in self.lines.iter().enumerate() {
            let y = top + 12.0 + NOTE.1 * index as f64;
            canvas.text((MARGIN, y), "start", NOTE.0, SOFT_INK, line);
        }
    }
}
