//! Standard output and output files.

use std::io::{ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
pub use oneport::count;
use oneport::files;

use crate::words::usage::usage;

/// Prints a text and a newline. A closed pipe is not an error.
///
/// # Errors
/// Standard output cannot be written for another reason.
pub fn print(text: &str) -> Result<()> {
    if cfg!(test) {
        return Ok(());
    }
    let mut out = stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// A file with the option (or `IN`, `PLAN`) that names it.
pub type Named<'a> = (&'a str, &'a Path);

/// The given options that name files.
pub fn named<'a>(files: &[(&'a str, &'a Option<PathBuf>)]) -> Vec<Named<'a>> {
    files
        .iter()
        .filter_map(|(option, path)| Some((*option, path.as_deref()?)))
        .collect()
}

/// Tries, before any work is done, whether all outputs can be written, and that none of them is an input or another
/// output.
///
/// # Errors
/// A usage error, if two names denote one file or a name is `-`; the operating system's error, if a file cannot be
/// written.
pub fn try_outputs(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<()> {
    for (place, (option, path)) in outputs.iter().enumerate() {
        if path.as_os_str() == "-" {
            bail!(usage(format!(
                "{option}: '-' is not a file; give a file's name (/dev/stdout is one)"
            )));
        }
        if let Some((input, _)) = inputs.iter().find(|(_, input)| is_same(input, path)) {
            bail!(usage(format!(
                "{option}: {} is what {input} reads; give another file name",
                path.display()
            )));
        }
        if let Some((other, _)) = outputs[..place]
            .iter()
            .find(|(_, other)| is_same(other, path))
        {
            let both = path.display();
            bail!(usage(format!(
                "{other} and {option}: both would be written to {both}; give two file names"
            )));
        }
        files::try_writing(path)
            .with_context(|| format!("{option}: cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Whether both names denote one regular file, existing or not.
fn is_same(one: &Path, other: &Path) -> bool {
    let full = |path: &Path| {
        let absolute = std::path::absolute(files::destination(path).ok()?).ok()?;
        let folder = absolute.parent().map(|folder| {
            folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf())
        });
        Some(
            path.canonicalize()
                .unwrap_or(folder?.join(absolute.file_name()?)),
        )
    };
    let regular = |path: &Path| std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
    regular(one)
        && (one == other
            || full(one).is_some_and(|one| full(other) == Some(one))
            || is_linked(one, other))
}

/// Whether both names are links to one file.
#[cfg(unix)]
fn is_linked(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| {
        std::fs::metadata(path)
            .ok()
            .map(|metadata| (metadata.dev(), metadata.ino()))
    };
    inode(one).is_some_and(|one| inode(other) == Some(one))
}

#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

/// The first `most` of these, with commas between; then `rest`, if there are more, with their number in place of `{}`.
pub fn few(names: impl IntoIterator<Item = impl Into<String>>, most: usize, rest: &str) -> String {
    let mut names = names.into_iter();
    let mut text = names
        .by_ref()
        .take(most)
        .map(Into::into)
        .collect::<Vec<String>>()
        .join(", ");
    match names.count() {
        0 => {}
        more => text.push_str(&rest.replace("{}", &more.to_string())),
    }
    text
}

/// The rest of a list, after its first names.
pub const MORE: &str = " and {} more";
