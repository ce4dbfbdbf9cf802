//! A HiGHS that this system has already, found by pkg-config and tried before it is taken.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::library::{self, fnv};
use super::place::Place;

/// The oldest HiGHS that is tried: the first that knows every option which `oneport-exact` sets. (The binding would
/// take 1.5.0.)
const OLDEST: (u32, u32) = (1, 11);

/// The next major version may change the interface.
const TOO_NEW: u32 = 2;

/// A program that asks a HiGHS for all that `oneport-exact` needs.
const PROBE: &str = include_str!("probe.c");

/// A HiGHS of this system.
pub struct System {
    pub version: String,
    /// Its description for the binding's pkg-config. Bytes, as pkg-config may escape a letter byte by byte.
    description: Vec<u8>,
}

impl System {
    /// The folder of the description, from `target/setup`. Another description is another folder: cargo then sees that
    /// the binding has to be built again.
    pub fn folder(&self) -> String {
        format!(
            "system/{:016x}",
            fnv(&self.description.escape_ascii().to_string())
        )
    }

    /// Whether it was tried and taken before.
    pub fn is_taken(&self, place: &Place) -> bool {
        fs::read(place.path(&self.folder()).join("highs.pc"))
            .is_ok_and(|text| text == self.description)
    }

    /// Tries it: compiles, links and runs the probe as cargo will link, with `cc`. Takes it if that succeeds; the inner
    /// result says why not.
    pub fn take(&self, place: &Place) -> Result<Result<(), String>> {
        let (all, draft, folder) = (
            place.path("system"),
            place.path("system/draft"),
            place.path(&self.folder()),
        );
        library::clear(&all)?;
        fs::create_dir_all(&draft).with_context(|| format!("cannot create {}", draft.display()))?;
        fs::write(draft.join("highs.pc"), &self.description).context("cannot write highs.pc")?;
        fs::write(draft.join("probe.c"), PROBE).context("cannot write probe.c")?;
        let verdict = self.probe(place, &draft);
        for name in ["probe.c", "flags", "probe"] {
            let _ = fs::remove_file(draft.join(name));
        }
        match verdict {
            Ok(()) => fs::rename(&draft, &folder).context("cannot move highs.pc")?,
            Err(_) => library::clear(&all)?,
        }
        Ok(verdict)
    }

    fn probe(&self, place: &Place, folder: &Path) -> Result<(), String> {
        let not = |what: &str| format!("HiGHS {} of this system {what}", self.version);
        let mut ask = Command::new(place.path("bin/pkg-config"));
        ask.args(["--cflags", "--libs", "highs"])
            .env("PKG_CONFIG_PATH", folder);
        let flags = answer(&mut ask).ok_or_else(|| not("cannot be described to pkg-config"))?;
        // A compiler reads a file of arguments with the escapes that pkg-config writes.
        fs::write(folder.join("flags"), flags)
            .map_err(|error| format!("the flags cannot be written ({error})"))?;
        let compiler = env::var_os("CC")
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "cc".into());
        let mut compile = Command::new(compiler);
        compile
            .current_dir(folder)
            .args(["probe.c", "@flags", "-o", "probe"]);
        answer(&mut compile).ok_or_else(|| not("does not link with what oneport needs"))?;
        let ran = answer(&mut Command::new(folder.join("probe")));
        ran.map(|_| ()).ok_or_else(|| {
            not("does not run here or lacks an option (is its folder in LD_LIBRARY_PATH?)")
        })
    }
}

/// The folders for pkg-config that the user names, without our own.
pub fn search_path(place: &Place) -> Option<OsString> {
    let chosen = env::var_os("PKG_CONFIG_PATH")?;
    let foreign: Vec<PathBuf> = env::split_paths(&chosen)
        .filter(|folder| !place.holds(folder))
        .collect();
    env::join_paths(foreign)
        .ok()
        .filter(|path| !path.is_empty())
}

/// The HiGHS that pkg-config finds, if it is new enough, or the reason. Compiles nothing.
///
/// # Errors
/// The reason, as a clause.
pub fn find(place: &Place) -> Result<System, String> {
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(place.path("bin/pkg-config"));
        command
            .args(arguments)
            .arg("highs")
            .env_remove("PKG_CONFIG_PATH");
        command.envs(search_path(place).map(|path| ("PKG_CONFIG_PATH", path)));
        answer(&mut command)
    };
    let version = ask(&["--modversion"]).ok_or("pkg-config finds none on this system")?;
    let version = String::from_utf8_lossy(&version).trim().to_string();
    is_fitting(&version)?;
    let read = |option: &str| {
        ask(&[option]).ok_or(format!("HiGHS {version} of this system has no {option}"))
    };
    let (cflags, libs) = (read("--cflags")?, read("--libs")?);
    let description = description(&version, cflags.trim_ascii(), libs.trim_ascii());
    Ok(System {
        version,
        description,
    })
}

/// Whether a version lies in the range that is tried.
fn is_fitting(version: &str) -> Result<(), String> {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) else {
        return Err(format!(
            "pkg-config calls the version of this system's HiGHS '{version}'"
        ));
    };
    let (oldest_major, oldest_minor) = OLDEST;
    if (major, minor) < OLDEST {
        return Err(format!(
            "HiGHS {version} of this system is older than {oldest_major}.{oldest_minor}"
        ));
    }
    if major >= TOO_NEW {
        return Err(format!(
            "HiGHS {version} of this system is not older than {TOO_NEW}.0, which oneport does not know"
        ));
    }
    Ok(())
}

/// The description by this system's pkg-config, plus the C++ library, which HiGHS's description omits and a static
/// HiGHS needs.
fn description(version: &str, cflags: &[u8], libs: &[u8]) -> Vec<u8> {
    let head = format!(
        "Name: HiGHS\nDescription: linear optimisation, of this system\nVersion: {version}\n"
    );
    let tail = format!(" {} -lm -lpthread\n", library::CXX_LIBRARY);
    [
        head.as_bytes(),
        b"Cflags: ",
        cflags,
        b"\nLibs: ",
        libs,
        tail.as_bytes(),
    ]
    .concat()
}

/// Output of a command, if it succeeds.
fn answer(command: &mut Command) -> Option<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::workspace;

    #[test]
    fn versions_are_compared_as_numbers() {
        for good in ["1.11.0", "1.15.1", "1.100.0", "1.11"] {
            assert_eq!(is_fitting(good), Ok(()), "{good}");
        }
        for (bad, part) in [
            ("1.5.3", "older than 1.11"),
            ("0.99.0", "older"),
            ("2.0.0", "not older"),
            ("x", "'x'"),
        ] {
            assert!(
                is_fitting(bad).is_err_and(|reason| reason.contains(part)),
                "{bad}"
            );
        }
    }

    #[test]
    fn another_description_is_another_folder() {
        let system = |libs: &[u8]| System {
            version: "1.15.1".into(),
            description: description("1.15.1", b"", libs),
        };
        assert_ne!(
            system(b"-L/a -lhighs").folder(),
            system(b"-L/b -lhighs").folder()
        );
        assert!(
            system(b"-L/a -lhighs")
                .description
                .starts_with(b"Name: HiGHS\n")
        );
    }

    /// Functions and options as written in a source.
    fn names(text: &str) -> BTreeSet<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let functions = text
            .split(|c| !is_name(c))
            .filter(|word| word.starts_with("Highs_"));
        let joined: String = text.split_whitespace().collect();
        let options = joined
            .split("_option(c\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        functions.chain(options).map(str::to_string).collect()
    }

    #[test]
    fn the_probe_asks_for_what_is_used() {
        let file = workspace::root().unwrap().join("crates/exact/src/highs.rs");
        let used = names(&fs::read_to_string(file).unwrap());
        assert!(
            used.contains("Highs_run")
                && used.contains("presolve")
                && used.contains("mip_max_nodes"),
            "{used:?}"
        );
        for name in used {
            assert!(PROBE.contains(&name), "probe.c does not ask for {name}");
        }
    }
}
