//! Outputs appear whole or not at all.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Most left-over temporary files of earlier, killed writers that are stepped over.
const ATTEMPTS: usize = 1000;

/// Writes a file so that it appears whole or not at all: into a temporary file of the same folder, which then takes the
/// name. A symbolic link stays one; its target is replaced. Permissions of a file that exists are kept. If the target
/// is not a regular file (a pipe, a terminal), it is written directly.
///
/// # Errors
/// Whatever the operating system refuses; the temporary file is removed, and what stood there before still stands.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// [`write_atomically`] of what is written piece by piece; nothing appears if a piece is an error.
///
/// # Errors
/// As [`write_atomically`], and the errors of `write`.
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
    let target = if before.is_some() {
        std::fs::canonicalize(path)?
    } else {
        path.to_path_buf()
    };
    let (temporary, file) = create_beside(&target)?;
    let written = fill(file, write, before.map(|metadata| metadata.permissions()))
        .and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Tries whether [`write_atomically`] could write there, and leaves everything as it was.
///
/// # Errors
/// Whatever the operating system refuses.
pub fn try_writing(path: &Path) -> io::Result<()> {
    let target = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => std::fs::canonicalize(path)?,
        Ok(metadata) if metadata.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory; name a file in it",
            ));
        }
        // A pipe may have a reader only later.
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    let (temporary, _) = create_beside(&target)?;
    std::fs::remove_file(temporary)
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

/// A new file `.NAME.partK` in the folder of `target`.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the output needs a file name")
    })?;
    for attempt in 0..ATTEMPTS {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".part{attempt}"));
        let candidate = target.with_file_name(hidden);
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&candidate)
        {
            Ok(file) => return Ok((candidate, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "too many unfinished .part files beside the output; remove them",
    ))
}
