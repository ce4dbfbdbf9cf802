//! `cargo xtask setup`: the build tools and HiGHS, once for all profiles and commands.
//!
//! HiGHS is this system's if pkg-config finds one that is new enough and complete; else the shared library of a Python
//! package, kept in the user's cache folder; else it is compiled, once for all clones of this machine. A finished setup
//! stays as it is. `ONEPORT_HIGHS` names one of `system`, `wheel` and `source`, and then no other is taken.
//!
//! Everything goes to `target/setup` of this repository, independent of `HOME` and `CARGO_TARGET_DIR`, since
//! .cargo/config.toml names it by a path relative to itself:
//!
//! ```text
//! env.toml         read by .cargo/config.toml: tells plain cargo and editors where the rest is; written last
//! libclang         link to the folder that holds libclang (the HiGHS binding generates its declarations with it)
//! bin/pkg-config   link to a pkg-config (the binding finds HiGHS with it)
//! system/HASH/     where this system's HiGHS is taken: its highs.pc, completed
//! wheel/HASH/      where the Python package's is taken: a highs.pc that leads to the user's cache folder
//! highs/           if it was compiled: static library, headers, highs.pc, and a stamp of what it was built from
//! python/          tools that this machine lacked, as Python packages
//! mpi/NAME/        MPI libraries that this machine lacked, for the tests alone, as Python packages
//! ```

mod cache;
mod highs;
mod library;
pub mod mpi;
mod place;
mod progress;
mod shared;
mod system;
pub mod tools;
mod wheel;

use std::env;
use std::fs;

use anyhow::{Context, Result, bail};

use self::shared::{Shared, Whose};
use crate::workspace;
use place::Place;

/// Settings of cargo in each case. Paths count from the parent of this file's folder, hence `setup/`. `force`, because
/// these tools fit together.
const ENVIRONMENT: &str = r#"# Written by `cargo xtask setup`; read by .cargo/config.toml. Without this file the environment alone decides.
[env]
LIBCLANG_PATH = { value = "setup/libclang", relative = true, force = true }
PKG_CONFIG = { value = "setup/bin/pkg-config", relative = true, force = true }
"#;

/// Names the only HiGHS to take.
const CHOICE: &str = "ONEPORT_HIGHS";

/// The sources of HiGHS, in the order in which they are tried.
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
    /// Finds a HiGHS in place, without fetching or compiling one. The inner error is the reason that none is found.
    fn look(origin: Origin, place: &Place) -> Result<Choice, String> {
        match origin {
            Origin::System => system::find(place).map(Choice::Shared),
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

    /// The text of env.toml. The variable is the one that the binding asks for before the user's PKG_CONFIG_PATH, which
    /// would hide our HiGHS, and which the next setup still has to see. The user's choice is kept for shells that do
    /// not set it.
    fn environment(&self, place: &Place) -> String {
        let folder = self.folder();
        let mut text = ENVIRONMENT.to_string();
        text += &format!(
            "HOST_PKG_CONFIG_PATH = {{ value = \"setup/{folder}\", relative = true, force = true }}\n"
        );
        let path = system::search_path(place).and_then(|path| path.into_string().ok());
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

    /// Whether it is in place and set in cargo's configuration.
    fn is_ready(&self, place: &Place, stamp: &str) -> bool {
        let in_place = match self {
            Choice::Shared(shared) => shared.is_taken(place),
            Choice::Source => highs::is_built(place, stamp),
        };
        let environment = fs::read_to_string(place.path("env.toml"));
        in_place && environment.is_ok_and(|text| text == self.environment(place))
    }
}

/// The user's choice. Empty without one.
fn chosen() -> String {
    env::var(CHOICE).unwrap_or_default()
}

/// Whether nothing is missing.
fn is_ready(place: &Place, stamp: &str) -> Result<bool> {
    let ready = |&origin: &Origin| {
        Choice::look(origin, place).is_ok_and(|choice| choice.is_ready(place, stamp))
    };
    Ok(tools::are_linked(place) && Origin::allowed(&chosen())?.iter().any(ready))
}

/// Makes the setup complete. Does nothing, quickly, when it is.
///
/// # Errors
/// A tool is missing and cannot be fetched (the message is one line that says what to install), or HiGHS does not
/// compile, or the one that the user chose cannot be taken.
pub fn run() -> Result<()> {
    let root = workspace::root()?;
    let place = Place {
        setup: root.join("target").join("setup"),
        root,
    };
    let version = highs::locked_version(&place)?;
    let stamp = highs::stamp(&version);
    if is_ready(&place, &stamp)? {
        return Ok(());
    }
    fs::create_dir_all(&place.setup)
        .with_context(|| format!("cannot create {}", place.setup.display()))?;
    let _lock = place::lock(&place.path("lock"), "in this repository")?;
    if is_ready(&place, &stamp)? {
        return Ok(());
    }
    tools::provide(&place, tools::Purpose::Bind)?;
    let choice = provide(&place, &version, &stamp)?;
    tools::check(&place, &choice.folder())?;
    fs::write(place.path("env.toml"), choice.environment(&place))
        .context("cannot write target/setup/env.toml")?;
    eprintln!("Setup is complete in {}", place.setup.display());
    Ok(())
}

/// Puts the first HiGHS in place that can be had.
fn provide(place: &Place, version: &str, stamp: &str) -> Result<Choice> {
    let mut reasons = Vec::new();
    for origin in Origin::allowed(&chosen())? {
        let shared = match origin {
            Origin::System => system::find(place),
            Origin::Wheel => wheel::provide(place),
            Origin::Source => {
                highs::provide(place, version, stamp, &reasons)?;
                return Ok(Choice::Source);
            }
        };
        let taken = match shared {
            Ok(shared) => shared.take(place)?.map(|()| shared),
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
