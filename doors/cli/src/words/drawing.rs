//! Writes drawings in the format of the file name's extension.

use std::path::Path;

use anyhow::{Context, Result, bail};
use oneport::files;

#[cfg(feature = "png")]
use crate::words::output::{MORE, few};
#[cfg(feature = "png")]
use crate::words::settings::note;
use crate::words::usage::usage;

/// Extensions of drawings that this build can write.
#[cfg(feature = "png")]
pub const PICTURES: &[&str] = &["svg", "png"];
/// Extensions of drawings that this build can write.
#[cfg(not(feature = "png"))]
pub const PICTURES: &[&str] = &["svg"];

/// The extension of a file name in lower case.
pub fn extension(path: &Path) -> String {
    path.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

/// Rejects a name unless its extension is one of [`PICTURES`] or of `others`.
///
/// # Errors
/// A usage error that lists the extensions.
pub fn check(option: &str, path: &Path, others: &[&str]) -> Result<()> {
    let own = extension(path);
    if PICTURES.iter().chain(others).any(|known| *known == own) {
        return Ok(());
    }
    let known: Vec<String> = PICTURES
        .iter()
        .chain(others)
        .map(|known| format!(".{known}"))
        .collect();
    let known = match known.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => known.join(""),
    };
    let png = if own == "png" {
        " (this build of oneport lacks the feature `png`)"
    } else {
        ""
    };
    bail!(usage(format!(
        "{option}: {} should end in {known}{png}",
        path.display()
    )));
}

/// Writes a drawing in the format of its extension: an SVG as it is or as PNG, other text as it is.
///
/// # Errors
/// The file cannot be written, or the picture is too large.
pub fn write(path: &Path, drawing: &str) -> Result<()> {
    let write = |bytes: &[u8]| files::write_atomically(path, bytes);
    match extension(path).as_str() {
        #[cfg(feature = "png")]
        "png" => {
            let picture =
                oneport_drawings::png::png(drawing).with_context(|| path.display().to_string())?;
            write(&picture.bytes).inspect(|()| boxes(path, &picture.lacking))
        }
        _ => write(drawing.as_bytes()),
    }
    .with_context(|| format!("cannot write {}", path.display()))
}

/// Says which letters the picture shows as boxes.
#[cfg(feature = "png")]
fn boxes(path: &Path, lacking: &[String]) {
    const LISTED: usize = 20;
    if lacking.is_empty() {
        return;
    }
    let names = few(
        lacking.iter().map(|letter| format!("'{letter}'")),
        LISTED,
        MORE,
    );
    note(&format!(
        "{}: no font of this program has {names}; boxes stand for them. An SVG file takes the reader's fonts",
        path.display()
    ));
}
