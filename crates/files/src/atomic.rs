//! Outputs appear whole or not at all.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Limit: symbolic links followed one after another, as many as Linux follows.
const LINKS: usize = 40;

/// Writes a file so that it appears whole or not at all: into a temporary file of the same folder, which then takes the
/// name. A symbolic link stays one, also if nothing is there yet. Its target is replaced or made. Permissions of a file
/// that exists are kept, and the temporary file never has wider ones. If the target is not a regular file (a pipe, a
/// terminal), it is written directly.
///
/// # Errors
/// An error of the operating system. The temporary file is then removed and the old file stays.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// [`write_atomically`] for content that comes piece by piece. If a piece is an error, no file appears.
///
/// # Errors
/// Those of [`write_atomically`], and the errors of `write`.
pub fn write_atomically_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let before = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata),
        Ok(_) => return write(&mut OpenOptions::new().write(true).open(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (target, permissions) = (
        destination(path)?,
        before.as_ref().map(Metadata::permissions),
    );
    let (temporary, file) = create_beside(&target, permissions.as_ref())?;
    let written =
        fill(file, write, permissions).and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Tries whether [`write_atomically`] could write there, and leaves everything as it was.
///
/// # Errors
/// An error of the operating system.
pub fn try_writing(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory; name a file in it",
            ));
        }
        // A pipe may have a reader only later.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (temporary, _) = create_beside(&destination(path)?, None)?;
    std::fs::remove_file(temporary)
}

/// The file that is written if this path is an output: the end of its symbolic links, which need not exist.
///
/// # Errors
/// Links that lead in a circle.
pub fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = std::fs::read_link(&at) else {
            return Ok(at);
        };
        at = at.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other(
        "too many symbolic links follow one another",
    ))
}

fn fill(
    mut file: File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    permissions: Option<std::fs::Permissions>,
) -> io::Result<()> {
    write(&mut file)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// A new file `.oneport.partK` in the folder of `target`, whose name may be as long as a name can be. What killed
/// writers left is stepped over.
fn create_beside(target: &Path, permissions: Option<&Permissions>) -> io::Result<(PathBuf, File)> {
    if target.file_name().is_none() {
        let told = "the output needs a file name";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, told));
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    narrow(&mut options, permissions);
    let mut number = 0_u64;
    loop {
        let candidate = target.with_file_name(format!(".oneport.part{number}"));
        match options.open(&candidate) {
            Ok(file) => return Ok((candidate, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// A file made with these options has these permissions at most, from its first moment on.
#[cfg(unix)]
fn narrow(options: &mut OpenOptions, permissions: Option<&Permissions>) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    /// Fact: the bits of reading, writing and executing.
    const ACCESS: u32 = 0o777;
    if let Some(permissions) = permissions {
        options.mode(permissions.mode() & ACCESS);
    }
}

#[cfg(not(unix))]
fn narrow(_: &mut OpenOptions, _: Option<&Permissions>) {}
