//! The folders of a setup.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of a setup.
pub struct Folders {
    /// The root of the repository.
    pub root: PathBuf,
    /// `target/setup` under it.
    pub setup: PathBuf,
}

impl Folders {
    /// A file or folder of `target/setup`.
    pub fn path(&self, name: &str) -> PathBuf {
        self.setup.join(name)
    }

    /// Whether a path leads into `target/setup`.
    pub fn holds(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        real(path).starts_with(real(&self.setup))
    }
}

/// Waits until no other setup runs there. If the file system has no locks, goes on without.
pub fn lock(path: &Path, scope: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        eprintln!("Another setup is running {scope}; waiting for it");
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
