//! `cargo xtask setup`: the build tools and HiGHS, once for all profiles and commands.
//!
//! HiGHS is this system's if pkg-config finds one that is new enough and complete; else the one compiled on this
//! machine before, for any clone; else it is compiled now. `ONEPORT_HIGHS=source` ignores the system's.
//!
//! Everything goes to `target/setup` of this repository, whatever `HOME` and `CARGO_TARGET_DIR` are, since
//! .cargo/config.toml names it by a path relative to itself:
//!
//! ```text
//! env.toml         read by .cargo/config.toml: tells plain cargo and editors where the rest is; written last
//! libclang         link to the folder that holds libclang (the HiGHS binding generates its declarations with it)
//! bin/pkg-config   link to a pkg-config (the binding finds HiGHS with it)
//! system/HASH/     where this system's HiGHS is taken: its highs.pc, completed
//! highs/           otherwise: static library, headers, highs.pc, and the stamp that says what it was built from
//! python/          tools that this machine lacked, as Python packages
//! mpi/NAME/        MPI libraries that this machine lacked, for the tests alone, as Python packages
//! ```

mod cache;
mod highs;
mod library;
pub mod mpi;
mod place;
mod progress;
mod system;
mod tools;

use std::env;
use std::fs;

use anyhow::{Context, Result, bail};

use self::system::System;
use crate::workspace;
use place::Place;

/// Settings of cargo in each case. Paths count from the parent of this file's folder, hence `setup/`. `force`, because
/// these tools fit together.
const ENVIRONMENT: &str = r#"# Written by `cargo xtask setup`; read by .cargo/config.toml. Without this file the environment alone decides.
[env]
LIBCLANG_PATH = { value = "setup/libclang", relative = true, force = true }
PKG_CONFIG = { value = "setup/bin/pkg-config", relative = true, force = true }
"#;

/// Asks for our own HiGHS, though the system may have one.
const CHOICE: &str = "ONEPORT_HIGHS";

/// Which HiGHS the binding is given.
enum Choice {
    /// This system's.
    System(System),
    /// Our own, with the reason why not the system's.
    Own(String),
}

impl Choice {
    /// As far as can be seen quickly: the system's HiGHS may still turn out to be of no use.
    fn look(place: &Place) -> Result<Choice> {
        match env::var(CHOICE).as_deref() {
            Ok("source") => return Ok(Choice::Own(format!("{CHOICE}=source"))),
            Ok("" | "system") | Err(env::VarError::NotPresent) => {}
            _ => bail!(
                "{CHOICE} is 'source' (compile HiGHS) or 'system' (take the system's if it fits; the default)"
            ),
        }
        Ok(system::find(place).map_or_else(Choice::Own, Choice::System))
    }

    /// The folder of highs.pc, from `target/setup`.
    fn folder(&self) -> String {
        match self {
            Choice::System(system) => system.folder(),
            Choice::Own(_) => "highs/lib/pkgconfig".to_string(),
        }
    }

    /// The text of env.toml. The variable is the one that the binding asks for before the user's PKG_CONFIG_PATH, which
    /// would hide our HiGHS, and which the next setup still has to see. What the user chose is kept for shells
    /// that do not say it.
    fn environment(&self, place: &Place) -> String {
        let folder = self.folder();
        let mut text = ENVIRONMENT.to_string();
        text += &format!(
            "HOST_PKG_CONFIG_PATH = {{ value = \"setup/{folder}\", relative = true, force = true }}\n"
        );
        let path = system::search_path(place).and_then(|path| path.into_string().ok());
        if let (Choice::System(_), Some(path)) = (self, path) {
            // JSON's strings are strings of TOML.
            text += &format!("PKG_CONFIG_PATH = {}\n", serde_json::Value::from(path));
        }
        if env::var(CHOICE).is_ok_and(|choice| choice == "source") {
            text += &format!("{CHOICE} = \"source\"\n");
        }
        text
    }

    /// Whether it is in place and set in cargo's configuration.
    fn is_ready(&self, place: &Place, stamp: &str) -> bool {
        let in_place = match self {
            Choice::System(system) => system.is_taken(place),
            Choice::Own(_) => highs::is_built(place, stamp),
        };
        let environment = fs::read_to_string(place.path("env.toml"));
        in_place && environment.is_ok_and(|text| text == self.environment(place))
    }
}

/// Whether nothing is missing.
fn is_ready(place: &Place, stamp: &str) -> Result<bool> {
    if !tools::are_linked(place) {
        return Ok(false);
    }
    Ok(Choice::look(place)?.is_ready(place, stamp))
}

/// Makes the setup complete; does nothing, quickly, when it is.
///
/// # Errors
/// A tool is missing and cannot be fetched (the message is one line that says what to install), or HiGHS does not
/// compile.
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
    let choice = choose(&place)?;
    match &choice {
        // The system has one that was found to be of no use.
        _ if choice.is_ready(&place, &stamp) => return Ok(()),
        Choice::System(system) => eprintln!(
            "HiGHS {} of this system, found by pkg-config",
            system.version
        ),
        Choice::Own(why) if highs::is_built(&place, &stamp) => {
            eprintln!("HiGHS {version}, compiled before ({why})")
        }
        Choice::Own(why) => highs::provide(&place, &version, &stamp, why)?,
    }
    tools::check(&place, &choice.folder())?;
    fs::write(place.path("env.toml"), choice.environment(&place))
        .context("cannot write target/setup/env.toml")?;
    eprintln!("Setup is complete in {}", place.setup.display());
    Ok(())
}

/// The choice, with the system's HiGHS tried.
fn choose(place: &Place) -> Result<Choice> {
    match Choice::look(place)? {
        Choice::System(system) if !system.is_taken(place) => Ok(system
            .take(place)?
            .map_or_else(Choice::Own, |()| Choice::System(system))),
        choice => Ok(choice),
    }
}
