//! Where a setup is.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a setup.
pub struct Place {
    /// The root of the repository.
    pub root: PathBuf,
    /// `target/setup` under it.
    pub setup: PathBuf,
}

impl Place {
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
