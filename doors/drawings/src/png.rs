//! Drawings as PNG, with built-in fonts: the same bytes on every machine.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // pixels

use std::collections::BTreeSet;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Group, Node, Options, Tree};

/// Pixels per unit of the drawing.
const SCALE: f32 = 2.0;
/// Most pixels of a picture: they take four bytes each.
const MOST: f32 = 64e6;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png {
    /// The file.
    pub bytes: Vec<u8>,
    /// Letters of the drawing that the picture shows as boxes, each once.
    pub lacking: Vec<String>,
}

/// Reasons why a drawing cannot be painted.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The text is not a drawing.
    #[error("this is not SVG: {0}")]
    Svg(String),
    /// Nothing to paint on, or no room for it.
    #[error("a picture of {width} x {height} pixels cannot be made; an SVG file has no limit")]
    Size {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The picture cannot be packed.
    #[error("the picture cannot be written as PNG: {0}")]
    Encode(String),
}

/// A drawing of this crate as PNG, two pixels to every unit. Fewer if there would be more than 64 million pixels.
///
/// Letters are DejaVu's. What these lack (Chinese names) shows as boxes and is listed by [`Png::lacking`]. Tooltips are
/// lost. Time and memory linear in the number of pixels.
///
/// # Errors
/// Text that is not SVG, or SVG without a size.
pub fn png(svg: &str) -> Result<Png, PngError> {
    let mut options = Options {
        font_family: "DejaVu Sans".to_string(),
        ..Options::default()
    };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let scale = SCALE.min((MOST / (size.width() * size.height())).sqrt());
    let (width, height) = (
        (size.width() * scale).ceil() as u32,
        (size.height() * scale).ceil() as u32,
    );
    let mut picture = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut picture.as_mut(),
    );
    let bytes = picture
        .encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))?;
    let mut lacking = BTreeSet::new();
    without_letters(tree.root(), &mut lacking);
    Ok(Png {
        bytes,
        lacking: lacking.into_iter().collect(),
    })
}

/// Collects the characters that are drawn as boxes because no font has them.
fn without_letters(group: &Group, lacking: &mut BTreeSet<String>) {
    for node in group.children() {
        match node {
            Node::Group(inner) => without_letters(inner, lacking),
            Node::Text(text) => {
                let glyphs = text
                    .layouted()
                    .iter()
                    .flat_map(|span| &span.positioned_glyphs);
                lacking.extend(
                    glyphs
                        .filter(|glyph| glyph.id.0 == 0)
                        .map(|glyph| glyph.text.clone()),
                );
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}
