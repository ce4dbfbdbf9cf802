//! HiGHS as a shared library from a Python package, kept in the user's cache folder.
//!
//! Programs that are linked with it carry its path, as the library's own name is that path: they run from anywhere, and
//! the installed command runs on after `cargo clean`. If the cache is emptied, the next setup puts it back at that
//! path.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache::{self, Cache};
use super::folders::Folders;
use super::library::clear;
use super::shared::{Shared, Whose};
use super::tools;

/// The Python package, and its version, which is that of the HiGHS inside. A single version, so that all machines solve
/// with the same HiGHS.
const PACKAGE: &str = "highsbox";
const VERSION: &str = "1.15.1";

/// Parts of the package that are kept: the library, its licence, the headers.
const DISTRIBUTION: &str = "highsbox/highs_dist";
const LIBRARY: &str = if cfg!(target_vendor = "apple") {
    "lib/libhighs.dylib"
} else {
    "lib/libhighs.so"
};
const LICENCE: &str = "share/doc/HIGHS/LICENSE.txt";
const HEADERS: &str = "include/highs";

/// The folder of the library, present or future.
fn folder() -> Result<PathBuf, String> {
    let name = format!("highs-{VERSION}-{}-{PACKAGE}", std::env::consts::ARCH);
    let cache = cache::folder().ok_or(
        "there is no cache folder to keep a shared HiGHS in (neither XDG_CACHE_HOME nor HOME is set)",
    )?;
    Ok(cache.join(name))
}

/// The library, if it was fetched before.
///
/// # Errors
/// The reason why not, as a clause.
pub fn find() -> Result<Shared, String> {
    let folder = folder()?;
    // The finished folder is renamed in one step.
    if folder.join(LIBRARY).is_file() && folder.join(HEADERS).is_dir() {
        Ok(described(&folder))
    } else {
        Err(format!(
            "{PACKAGE} {VERSION} is not in {}",
            folder.display()
        ))
    }
}

/// The library, fetched if it is not there.
///
/// # Errors
/// The reason why it cannot be had here, as a clause.
pub fn provide(folders: &Folders) -> Result<Shared, String> {
    let folder = folder()?;
    let cache = Cache::at(folder.clone()).ok_or(format!(
        "a shared HiGHS cannot be kept in {}",
        folder.display()
    ))?;
    if find().is_err() {
        let staging = folders.path("wheel-staging");
        let fetched = fetch(folders, &staging, &folder, &cache);
        let cleared = clear(&staging);
        fetched.and(cleared).map_err(|error| {
            let text = format!("{error:#}");
            format!("{PACKAGE} {VERSION} cannot be had with pip: {text}")
        })?;
    }
    find()
}

fn described(folder: &Path) -> Shared {
    let flag = |start: &str, inner: &str| {
        let mut flag = start.as_bytes().to_vec();
        flag.extend(escaped(&folder.join(inner)));
        flag
    };
    let libraries = [flag("-L", "lib"), b" -lhighs".to_vec()].concat();
    Shared::new(Whose::Wheel, VERSION, &flag("-I", HEADERS), &libraries)
}

/// A path in a description for pkg-config. Backslashes keep its words together.
fn escaped(path: &Path) -> Vec<u8> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"/._-+".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .flat_map(|&byte| [b'\\', byte].into_iter().skip(usize::from(plain(byte))))
        .collect()
}

/// Fetches the package, takes the needed files from it, and moves them into the cache.
fn fetch(folders: &Folders, staging: &Path, to: &Path, cache: &Cache) -> anyhow::Result<()> {
    clear(staging)?;
    let (all, part) = (staging.join("python"), staging.join("highs"));
    let name = format!("{PACKAGE}=={VERSION}");
    tools::fetch_into(&["--no-deps", "--target"], &all, &[&name])?;
    let from = all.join(DISTRIBUTION);
    fs::create_dir_all(part.join("lib"))?;
    fs::copy(from.join(LIBRARY), part.join(LIBRARY))?;
    fs::copy(from.join(LICENCE), part.join("LICENSE.txt"))?;
    cache::copy(&from.join(HEADERS), &part.join(HEADERS))?;
    rename(folders, &part.join(LIBRARY), &to.join(LIBRARY))?;
    anyhow::ensure!(cache.store(&part), "{} cannot be written", to.display());
    Ok(())
}

/// Gives a library the name that programs will look for: a path.
fn rename(folders: &Folders, library: &Path, name: &Path) -> anyhow::Result<()> {
    if cfg!(target_vendor = "apple") {
        let mut id = Command::new("install_name_tool");
        tools::finish(id.arg("-id").arg(name).arg(library))?;
        // The change broke the signature, and unsigned code does not run.
        let mut sign = Command::new("codesign");
        return tools::finish(sign.args(["--force", "--sign", "-"]).arg(library));
    }
    let mut patch = Command::new(tools::patchelf(folders)?);
    tools::finish(patch.arg("--set-soname").arg(name).arg(library))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::highs;
    use crate::workspace;

    #[test]
    fn the_package_fits_the_binding() {
        let root = workspace::root().unwrap();
        let folders = Folders {
            setup: root.join("target/setup"),
            root,
        };
        let binding = highs::locked_version(&folders).unwrap();
        let minor = |version: &str| version.rsplit_once('.').map(|(start, _)| start.to_string());
        assert_eq!(
            minor(&binding),
            minor(VERSION),
            "the binding declares {binding}"
        );
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(escaped(Path::new("/a b/c$d")), b"/a\\ b/c\\$d");
        assert_eq!(escaped(Path::new("/ü/x-1.2")), "/ü/x-1.2".as_bytes());
    }
}
