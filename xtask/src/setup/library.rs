//! A compiled HiGHS as files: the functions that two of the modules here share.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The C++ run-time library that a static HiGHS needs at link time.
pub const CXX_LIBRARY: &str = if cfg!(target_vendor = "apple") {
    "-lc++"
} else {
    "-lstdc++"
};

/// Whether a folder holds the complete HiGHS of this stamp.
pub fn is_complete(highs: &Path, stamp: &str) -> bool {
    let found = fs::read_to_string(highs.join("stamp"));
    found.is_ok_and(|text| text == stamp)
        && highs.join("lib/libhighs.a").is_file()
        && highs.join("lib/pkgconfig/highs.pc").is_file()
}

/// Removes a folder, if it is there.
pub fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits): equal in every version of Rust.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
