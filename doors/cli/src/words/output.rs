//! Standard output and output files.

use std::io::{ErrorKind, Read, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
pub use oneport::count;
use oneport::files;
pub use oneport_questions::words::few;

use crate::words::settings;
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

/// The text with a line that names the files written.
pub fn with_written(text: String, files: &[Named<'_>]) -> String {
    if files.is_empty() {
        return text;
    }
    let name = |(_, path): &Named<'_>| format!("{}{}", path.display(), replaced(path));
    let names: Vec<String> = files.iter().map(name).collect();
    format!(
        "{}\nwritten     {}",
        text.trim_end_matches('\n'),
        names.join(", ")
    )
}

/// A word on a file that existed before.
pub fn replaced(path: &Path) -> &'static str {
    if REPLACED
        .lock()
        .is_ok_and(|all| all.iter().any(|one| one == path))
    {
        " (in place of an older file)"
    } else {
        ""
    }
}

/// Files that existed before the command began to write them.
static REPLACED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The content of output files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A platform.
    Platform,
    /// A plan, or one reduction, broadcast or all-reduction.
    Answer,
    /// A file for other programs: a picture, a program, a table.
    Other,
}

impl Content {
    /// The formats of our own files of this kind.
    fn formats(self) -> &'static [&'static str] {
        match self {
            Content::Platform => &["platform"],
            Content::Answer => &["plan", "reduction", "broadcast", "all-reduce"],
            Content::Other => &["events"],
        }
    }
}

/// Tries, before any work is done, whether all outputs can be written, and that none of them is an input, another
/// output, or a file of another kind.
///
/// # Errors
/// A usage error, if two names denote one file or a name is `-`, or if a file of another kind would be replaced without
/// `--force`. The operating system's error, if a file cannot be written.
pub fn try_outputs(kind: Content, inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<()> {
    for (index, (option, path)) in outputs.iter().enumerate() {
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
        if let Some((other, _)) = outputs[..index]
            .iter()
            .find(|(_, other)| is_same(other, path))
        {
            let both = path.display();
            bail!(usage(format!(
                "{other} and {option}: both would be written to {both}; give two file names"
            )));
        }
        if let Some(why) = foreign(path, kind).filter(|_| !settings::force()) {
            bail!(usage(format!(
                "{option}: {} exists, and {why}; give another name, or --force to overwrite it",
                path.display()
            )));
        }
        if has_content(path)
            && let Ok(mut all) = REPLACED.lock()
        {
            all.push(path.to_path_buf());
        }
        files::try_writing(path)
            .with_context(|| format!("{option}: cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Bytes of a file in which oneport's name is sought. Fact: files of ours name it before their data.
const HEAD: u64 = 4096;

/// Beginnings of files that oneport writes for other programs without its name, and that are made anew at any time:
/// pictures, traces, schedules.
const MADE: [&[u8]; 14] = [
    b"<svg ",
    b"<graphs ",
    b"[{\"processor\"",
    b"\x89PNG",
    b"digraph ",
    b"// ",
    b"%EventDef",
    b"{\"directed\"",
    b"{\"displayTimeUnit\"",
    b"{\"traceEvents\"",
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml",
    b"/* Replays",
    b"period ",
    b"\\ ",
];

/// Why a file with content is kept: oneport did not write it (it neither names oneport nor begins as one of [`MADE`],
/// or is a platform file with comments), or it is one of our own files of another kind than is written now.
fn foreign(path: &Path, kind: Content) -> Option<String> {
    if !has_content(path) {
        return None;
    }
    let mut head = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(HEAD).read_to_end(&mut head))
        .ok()?;
    let text = String::from_utf8_lossy(&head).to_lowercase();
    let own = own_format(&text);
    if let Some(own) = own.filter(|own| !kind.formats().contains(own)) {
        return Some(format!("holds another kind of file (oneport-{own})"));
    }
    let noted = own == Some("platform") && text.lines().any(|line| line.starts_with('#'));
    let named = text.contains("oneport") && !noted;
    let made = MADE.iter().any(|beginning| head.starts_with(beginning));
    // Chakra's traces are binary.
    let trace = path.extension().is_some_and(|extension| extension == "et");
    (!(named || made || trace)).then(|| "oneport did not write it".to_string())
}

/// The format that one of our own files names first: `platform` of `"oneport-platform/1"`.
fn own_format(text: &str) -> Option<&str> {
    let mut quoted = ["\"oneport-", "'oneport-"].into_iter();
    let (_, rest) = quoted.find_map(|begins| text.split_once(begins))?;
    let (format, version) = rest.split_once('/')?;
    let is_name = format.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (is_name && version.starts_with(|c: char| c.is_ascii_digit())).then_some(format)
}

/// Whether this is a regular file that is not empty.
fn has_content(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
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

/// The rest of a list, after its first names.
pub const MORE: &str = " and {} more";
