//! Folders beside the repository, which an environment variable names. A test that reads one says so in its attribute,
//! such as `#[ignore = "needs data tiers"]`. `cargo xtask test` runs it if the folder exists.

use std::path::PathBuf;

/// The folder that a variable names.
///
/// # Panics
/// The variable is not set: the test has to be ignored, not to pass.
#[track_caller]
pub fn folder(variable: &str) -> PathBuf {
    let folder = std::env::var_os(variable);
    PathBuf::from(folder.unwrap_or_else(|| panic!("{variable} names no folder")))
}

/// A file or folder of other people's data, below the folder that `ONEPORT_DATA` names.
///
/// # Panics
/// Those of [`folder`]. A part that does not exist.
#[track_caller]
pub fn data(part: &str) -> PathBuf {
    let path = folder("ONEPORT_DATA").join(part);
    assert!(path.exists(), "ONEPORT_DATA has no {part}");
    path
}
