//! Drawings as PNG, with letters of their own: the same bytes on every machine.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // pixels

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels per unit of the drawing.
const SCALE: f32 = 2.0;
/// Most pixels of a picture: they take four bytes each.
const MOST: f32 = 64e6;

/// Why a drawing is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The text is no drawing.
    #[error("this is no SVG: {0}")]
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

/// A drawing of this crate as PNG, two pixels to every unit; fewer where there would be more than 64 million pixels.
///
/// Letters are DejaVu's; what these lack (Chinese names) shows as boxes. Tooltips are lost. Time and memory linear in
/// the number of pixels.
///
/// # Errors
/// Text that is no SVG, or one without a size.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let mut options = Options { font_family: "DejaVu Sans".to_string(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let scale = SCALE.min((MOST / (size.width() * size.height())).sqrt());
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut picture = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}
