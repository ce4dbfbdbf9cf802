//! Copies of sources, in which cargo rebuilds only changed files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Copies all but build output and history. Identical files are left unchanged, so that cargo does not build them
/// again. One folder may be left out.
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
        let kind = entry
            .file_type()
            .with_context(|| format!("cannot read {}", path.display()))?;
        if kind.is_dir() {
            copy(&path, &to.join(name), without)?;
        } else if kind.is_file() {
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            write(&to.join(name), &bytes)?;
        }
    }
    Ok(())
}

/// Removes files and folders without a counterpart in the other folder.
///
/// # Errors
/// A file cannot be removed.
pub fn prune(folder: &Path, like: &Path) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let (path, other) = (entry.path(), like.join(entry.file_name()));
        if path.is_dir() && other.is_dir() {
            prune(&path, &other)?;
            continue;
        }
        let removed = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else if other.is_file() {
            Ok(())
        } else {
            fs::remove_file(&path)
        };
        removed.with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// Writes a file unless it already has this content.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_follows_its_source_and_leaves_what_is_the_same() {
        let folder = std::env::temp_dir().join(format!("oneport-tree ü-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        let put = |path: &str, text: &str| {
            let path = from.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (path, text) in [
            ("a/same", "1"),
            ("a/changed", "1"),
            ("a/gone", "1"),
            ("b/gone", "1"),
            ("kind", "1"),
        ] {
            put(path, text);
        }
        copy(&from, &to, None).unwrap();
        let written = |path: &str| fs::metadata(to.join(path)).unwrap().modified().unwrap();
        let before = written("a/same");
        fs::remove_file(from.join("a/gone")).unwrap();
        fs::remove_dir_all(from.join("b")).unwrap();
        fs::remove_file(from.join("kind")).unwrap();
        put("kind/inner", "2");
        put("a/changed", "2");
        prune(&to, &from).unwrap();
        copy(&from, &to, None).unwrap();
        assert_eq!(written("a/same"), before);
        assert_eq!(fs::read_to_string(to.join("a/changed")).unwrap(), "2");
        assert_eq!(fs::read_to_string(to.join("kind/inner")).unwrap(), "2");
        assert!(!to.join("a/gone").exists() && !to.join("b").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
