//! A copy of the sources, which may be changed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Copies what is no build output and no history. A file that stands there already and is the same stays as it is, so
/// that cargo does not build again what has not changed. One folder may be left out.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy(from: &Path, to: &Path, without: Option<&Path>) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry.with_context(|| format!("cannot read {}", from.display()))?;
        let (path, name) = (entry.path(), entry.file_name());
        // cargo finds the settings in `.cargo` from the copy too, since that lies within the repository.
        if name == "target" || name.to_string_lossy().starts_with('.') || without == Some(&path) {
            continue;
        }
        let kind = entry.file_type().with_context(|| format!("cannot read {}", path.display()))?;
        if kind.is_dir() {
            copy(&path, &to.join(name), without)?;
        } else if kind.is_file() {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            write(&to.join(name), &bytes)?;
        }
    }
    Ok(())
}

/// Writes a file, if it is not what it shall be already.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
