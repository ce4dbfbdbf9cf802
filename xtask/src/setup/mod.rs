//! `cargo xtask setup`: the build tools and HiGHS, once for all profiles and commands.
//!
//! HiGHS is this system's if pkg-config finds one that is new enough and complete. Else it is the shared library of a
//! Python package, kept in the user's cache folder. Else it is compiled, once for all clones of this machine. A
//! finished setup is left unchanged. `ONEPORT_HIGHS` names one of `system`, `wheel` and `source`, and then no other is
//! taken.
//!
//! Everything goes to `target/setup` of this repository, independent of `HOME` and `CARGO_TARGET_DIR`, since
//! .cargo/config.toml names it by a path relative to itself:
//!
//! ```text
//! env.toml         read by .cargo/config.toml: the paths of the rest for plain cargo and editors, written last
//! libclang         link to the folder that holds libclang (the HiGHS binding generates its declarations with it)
//! bin/pkg-config   link to a pkg-config (the binding finds HiGHS with it)
//! system/HASH/     if this system's HiGHS is taken: its highs.pc, completed
//! wheel/HASH/      if the Python package's is taken: a highs.pc that leads to the user's cache folder
//! highs/           if it was compiled: static library, headers, highs.pc, and a stamp of its sources and flags
//! python/          tools that this machine lacked, as Python packages
//! wheels/, venv/   tools that build and test the Python package: `cargo xtask wheel`
//! mpi/NAME/        MPI libraries that this machine lacked, for the tests alone, as Python packages
//! ```

mod cache;
mod folders;
mod highs;
mod library;
pub mod mpi;
mod progress;
mod shared;
mod system;
pub mod tools;
mod wheel;

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

pub use self::library::fnv as hash;
use self::shared::{Shared, Whose};
use crate::workspace;
use folders::Folders;

/// Settings of cargo in each case. Paths count from the parent of this file's folder, so they begin with `setup/`.
/// `force`, because these tools fit together.
const ENVIRONMENT: &str = r#"# Written by `cargo xtask setup`; read by .cargo/config.toml. Without this file the environment alone decides.
[env]
LIBCLANG_PATH = { value = "setup/libclang", relative = true, force = true }
PKG_CONFIG = { value = "setup/bin/pkg-config", relative = true, force = true }
"#;

/// Names the only HiGHS to take.
const CHOICE: &str = "ONEPORT_HIGHS";

/// Origins of a HiGHS, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    System,
    Wheel,
    Source,
}

impl Origin {
    const ALL: [(Origin, &str); 3] = [
        (Origin::System, "system"),
        (Origin::Wheel, "wheel"),
        (Origin::Source, "source"),
    ];

    /// The origins that the user allows: the chosen one, or all.
    fn allowed(chosen: &str) -> Result<Vec<Origin>> {
        let allowed: Vec<Origin> = Origin::ALL
            .iter()
            .filter(|(_, name)| chosen.is_empty() || chosen == *name)
            .map(|(origin, _)| *origin)
            .collect();
        if allowed.is_empty() {
            bail!(
                "{CHOICE} is '{chosen}', and it may be 'system' (the HiGHS that pkg-config finds), 'wheel' (the Python \
                 package's) or 'source' (compile it); without it they are tried in this order"
            );
        }
        Ok(allowed)
    }
}

/// Which HiGHS the binding is given.
enum Choice {
    /// An installed library: this system's, or the Python package's.
    Shared(Shared),
    /// Our own.
    Source,
}

impl Choice {
    /// Finds an existing HiGHS, without fetching or compiling one. The inner error is the reason why none is found.
    fn look(origin: Origin, folders: &Folders) -> Result<Choice, String> {
        match origin {
            Origin::System => system::find(folders).map(Choice::Shared),
            Origin::Wheel => wheel::find().map(Choice::Shared),
            Origin::Source => Ok(Choice::Source),
        }
    }

    /// The folder of highs.pc, from `target/setup`.
    fn folder(&self) -> String {
        match self {
            Choice::Shared(shared) => shared.folder(),
            Choice::Source => "highs/lib/pkgconfig".to_string(),
        }
    }

    /// The text of env.toml. The binding reads this variable before the user's PKG_CONFIG_PATH, which would hide our
    /// HiGHS, and which the next setup still has to see. The user's choice is kept for shells that do not set it.
    fn environment(&self, folders: &Folders) -> String {
        let folder = self.folder();
        let mut text = ENVIRONMENT.to_string();
        text += &format!(
            "HOST_PKG_CONFIG_PATH = {{ value = \"setup/{folder}\", relative = true, force = true }}\n"
        );
        let path = system::search_path(folders).and_then(|path| path.into_string().ok());
        if let (Choice::Shared(shared), Some(path)) = (self, path)
            && shared.whose == Whose::System
        {
            // JSON's strings are strings of TOML.
            text += &format!("PKG_CONFIG_PATH = {}\n", serde_json::Value::from(path));
        }
        let chosen = chosen();
        if !chosen.is_empty() {
            text += &format!("{CHOICE} = {}\n", serde_json::Value::from(chosen));
        }
        text
    }

    /// Whether it exists and is set in cargo's configuration.
    fn is_ready(&self, folders: &Folders, stamp: &str) -> bool {
        let in_place = match self {
            Choice::Shared(shared) => shared.is_taken(folders),
            Choice::Source => highs::is_built(folders, stamp),
        };
        let environment = fs::read_to_string(folders.path("env.toml"));
        in_place && environment.is_ok_and(|text| text == self.environment(folders))
    }
}

/// The user's choice. Empty without one.
fn chosen() -> String {
    env::var(CHOICE).unwrap_or_default()
}

/// Whether nothing is missing.
fn is_ready(folders: &Folders, stamp: &str) -> Result<bool> {
    let ready = |&origin: &Origin| {
        Choice::look(origin, folders).is_ok_and(|choice| choice.is_ready(folders, stamp))
    };
    Ok(tools::are_linked(folders) && Origin::allowed(&chosen())?.iter().any(ready))
}

/// Makes the setup complete. Returns at once if it is complete.
///
/// # Errors
/// A tool is missing and cannot be fetched (the message is one line with the package to install), or HiGHS does not
/// compile, or the user's choice cannot be taken.
pub fn run() -> Result<()> {
    let root = workspace::root()?;
    let folders = Folders {
        setup: root.join("target").join("setup"),
        root,
    };
    let version = highs::locked_version(&folders)?;
    let stamp = highs::stamp(&version);
    if is_ready(&folders, &stamp)? {
        return Ok(());
    }
    fs::create_dir_all(&folders.setup)
        .with_context(|| format!("cannot create {}", folders.setup.display()))?;
    let _lock = folders::lock(&folders.path("lock"), "in this repository")?;
    if is_ready(&folders, &stamp)? {
        return Ok(());
    }
    tools::provide(&folders, tools::Purpose::Bind)?;
    let choice = provide(&folders, &version, &stamp)?;
    tools::check(&folders, &choice.folder())?;
    fs::write(folders.path("env.toml"), choice.environment(&folders))
        .context("cannot write target/setup/env.toml")?;
    eprintln!("Setup is complete in {}", folders.setup.display());
    Ok(())
}

/// Compiles HiGHS as a static library, if that is missing. Returns the folder of its highs.pc. All other builds use
/// the HiGHS of the setup.
///
/// # Errors
/// The errors of [`run`].
pub fn compiled() -> Result<PathBuf> {
    let root = workspace::root()?;
    let folders = Folders {
        setup: root.join("target").join("setup"),
        root,
    };
    let version = highs::locked_version(&folders)?;
    let stamp = highs::stamp(&version);
    let _lock = folders::lock(&folders.path("lock"), "in this repository")?;
    if !highs::is_built(&folders, &stamp) {
        highs::provide(&folders, &version, &stamp, &[])?;
    }
    Ok(folders.path(&Choice::Source.folder()))
}

/// Provides the first HiGHS that is available.
fn provide(folders: &Folders, version: &str, stamp: &str) -> Result<Choice> {
    let mut reasons = Vec::new();
    for origin in Origin::allowed(&chosen())? {
        let shared = match origin {
            Origin::System => system::find(folders),
            Origin::Wheel => wheel::provide(folders),
            Origin::Source => {
                highs::provide(folders, version, stamp, &reasons)?;
                return Ok(Choice::Source);
            }
        };
        let taken = match shared {
            Ok(shared) => shared.take(folders)?.map(|()| shared),
            Err(reason) => Err(reason),
        };
        match taken {
            Ok(shared) => {
                eprintln!("{shared}");
                return Ok(Choice::Shared(shared));
            }
            Err(reason) => reasons.push(reason),
        }
    }
    bail!(
        "{CHOICE} names a HiGHS that cannot be taken: {}",
        reasons.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_choice_nothing_is_compiled_that_can_be_had() {
        use Origin::{Source, System, Wheel};
        let allowed = |chosen| Origin::allowed(chosen).ok();
        assert!(allowed("") == Some(vec![System, Wheel, Source]));
        assert!(allowed("system") == Some(vec![System]));
        assert!(allowed("wheel") == Some(vec![Wheel]));
        assert!(allowed("source") == Some(vec![Source]));
        let refusal = Origin::allowed("sources").err().unwrap().to_string();
        assert!(
            ["'sources'", "'system'", "'wheel'", "'source'"]
                .iter()
                .all(|part| refusal.contains(part))
        );
    }
}
