//! A HiGHS that this system has already, found by pkg-config and tried before it is taken.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::folders::Folders;
use super::shared::{Shared, Whose, answer};

/// The oldest HiGHS that is tried: the first with every option that `oneport-exact` sets. (The binding would take
/// 1.5.0.)
const OLDEST: (u32, u32) = (1, 11);

/// The next major version may change the interface.
const TOO_NEW: u32 = 2;

/// The folders for pkg-config that the user names, without our own.
pub fn search_path(folders: &Folders) -> Option<OsString> {
    let chosen = env::var_os("PKG_CONFIG_PATH")?;
    let foreign: Vec<PathBuf> = env::split_paths(&chosen)
        .filter(|folder| !folders.holds(folder))
        .collect();
    env::join_paths(foreign)
        .ok()
        .filter(|path| !path.is_empty())
}

/// The HiGHS that pkg-config finds, if it is new enough, or the reason. Compiles nothing.
///
/// # Errors
/// The reason, as a clause.
pub fn find(folders: &Folders) -> Result<Shared, String> {
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(folders.path("bin/pkg-config"));
        command
            .args(arguments)
            .arg("highs")
            .env_remove("PKG_CONFIG_PATH");
        command.envs(search_path(folders).map(|path| ("PKG_CONFIG_PATH", path)));
        answer(&mut command)
    };
    let version = ask(&["--modversion"]).ok_or("pkg-config finds none on this system")?;
    let version = String::from_utf8_lossy(&version).trim().to_string();
    is_fitting(&version)?;
    let read = |option: &str| {
        ask(&[option]).ok_or(format!("HiGHS {version} of this system has no {option}"))
    };
    let (cflags, libs) = (read("--cflags")?, read("--libs")?);
    let (cflags, libs) = (cflags.trim_ascii(), libs.trim_ascii());
    Ok(Shared::new(Whose::System, &version, cflags, libs))
}

/// Whether a version is in the range that is tried.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
