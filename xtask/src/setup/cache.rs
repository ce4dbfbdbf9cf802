//! Compiled or fetched once per machine: a finished HiGHS is kept in the user's cache folder.
//!
//! Other clones copy a compiled HiGHS from there: a copy, not a link, so that a clone works on when the cache is
//! emptied. A shared library is used from the cache. Nothing here is an error: if the cache cannot be used, HiGHS is
//! compiled for this clone alone.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::folders;
use super::library::{fnv, is_complete};
use crate::workspace;

/// Variables that make the compiler produce another library, perhaps for this very processor.
const COMPILER_FLAGS: [&str; 3] = ["CFLAGS", "CXXFLAGS", "CPPFLAGS"];

/// An entry of the cache, for one library of one compiler.
pub struct Cache {
    folder: PathBuf,
    /// Held while this exists: of two clones that are set up together, one compiles and one copies.
    _lock: File,
}

/// The entry for the library that the stamp describes, made by this compiler (identified by its version text). Waits
/// while another setup uses the cache. `None` if no cache can be used, or if the environment has flags for the
/// compiler.
pub fn of_compiler(version: &str, stamp: &str, compiler: &str) -> Option<Cache> {
    if COMPILER_FLAGS
        .iter()
        .any(|name| env::var_os(name).is_some_and(|flags| !flags.is_empty()))
    {
        return None;
    }
    let key = fnv(format!("{stamp}{compiler}\n{}\n", workspace::host().ok()?).bytes());
    Cache::at(folder()?.join(format!("highs-{version}-{key:016x}")))
}

/// Our folder in the user's cache folder. It need not exist.
pub fn folder() -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("oneport"))
}

impl Cache {
    /// The entry of this path. Waits while another setup uses it.
    pub fn at(folder: PathBuf) -> Option<Cache> {
        fs::create_dir_all(folder.parent()?).ok()?;
        let lock = folders::lock(&beside(&folder, ".lock")?, "in another clone").ok()?;
        Some(Cache {
            folder,
            _lock: lock,
        })
    }

    /// The folder of the library.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Copies a finished library to a new folder. Returns whether there was one.
    pub fn restore(&self, to: &Path, stamp: &str) -> bool {
        is_complete(&self.folder, stamp) && copy_whole(&self.folder, to).is_ok()
    }

    /// Keeps a finished library. Returns whether that worked.
    pub fn store(&self, from: &Path) -> bool {
        copy_whole(from, &self.folder).is_ok()
    }
}

/// The path with an ending to its name. (The version in the name contains dots.)
fn beside(path: &Path, ending: &str) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_os_string();
    name.push(ending);
    Some(path.with_file_name(name))
}

/// Copies a folder next to its new path and moves it there when it is complete. A failure leaves nothing.
fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let part = beside(to, ".part").ok_or(io::ErrorKind::InvalidInput)?;
    let copied = remove(&part)
        .and_then(|()| copy(from, &part))
        .and_then(|()| remove(to));
    let moved = copied.and_then(|()| fs::rename(&part, to));
    if moved.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    moved
}

/// Copies a folder with all that it holds.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this name for one test, empty at first.
    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("oneport-{name} ü-{}", std::process::id()));
        remove(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn library(at: &Path, stamp: &str) {
        fs::create_dir_all(at.join("lib/pkgconfig")).unwrap();
        for (name, text) in [
            ("lib/libhighs.a", "library"),
            ("lib/pkgconfig/highs.pc", "Name: HiGHS"),
            ("stamp", stamp),
        ] {
            fs::write(at.join(name), text).unwrap();
        }
    }

    #[test]
    fn what_was_stored_is_restored() {
        let folder = folder("cache");
        library(&folder.join("built"), "stamp");
        let cache = Cache::at(folder.join("cache/highs-1.5.0")).unwrap();
        assert!(
            !cache.restore(&folder.join("copy"), "stamp"),
            "nothing is there yet"
        );
        assert!(cache.store(&folder.join("built")));
        assert!(!cache.restore(&folder.join("copy"), "another stamp"));
        assert!(!folder.join("copy").exists());
        assert!(cache.restore(&folder.join("copy"), "stamp"));
        assert!(is_complete(&folder.join("copy"), "stamp"));
        // The copy does not depend on the cache.
        remove(&folder.join("cache")).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join("copy/lib/libhighs.a")).unwrap(),
            "library"
        );
        remove(&folder).unwrap();
    }

    #[test]
    fn an_incomplete_library_is_none_and_is_replaced() {
        let folder = folder("incomplete");
        library(&folder.join("built"), "stamp");
        library(&folder.join("highs-1.5.0"), "stamp");
        fs::remove_file(folder.join("highs-1.5.0/lib/libhighs.a")).unwrap();
        let cache = Cache::at(folder.join("highs-1.5.0")).unwrap();
        assert!(!cache.restore(&folder.join("copy"), "stamp"));
        assert!(cache.store(&folder.join("built")) && cache.restore(&folder.join("copy"), "stamp"));
        remove(&folder).unwrap();
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let folder = folder("failure");
        let cache = Cache::at(folder.join("highs-1.5.0")).unwrap();
        assert!(!cache.store(&folder.join("absent")));
        let left: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["highs-1.5.0.lock"]);
        // A file has the path of the folder, as in a home that cannot be written.
        fs::write(folder.join("file"), "").unwrap();
        assert!(Cache::at(folder.join("file/oneport/highs-1.5.0")).is_none());
        remove(&folder).unwrap();
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv("foobar".bytes()), 0x8594_4171_f739_67e8);
    }
}
