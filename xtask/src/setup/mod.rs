//! `cargo xtask setup`: the build tools, and HiGHS compiled once for all profiles and commands.
//!
//! Everything goes to `target/setup` of this repository, whatever `HOME` and `CARGO_TARGET_DIR` are:
//!
//! ```text
//! env.toml         read by .cargo/config.toml: tells plain cargo and editors where the rest is; written last
//! libclang         link to the folder that holds libclang (the HiGHS binding generates its declarations with it)
//! bin/pkg-config   link to a pkg-config (the binding finds HiGHS with it)
//! highs/           HiGHS: static library, headers, highs.pc, and the stamp that says what it was built from
//! python/          tools that this machine lacked, as Python packages
//! ```

mod highs;
mod progress;
mod tools;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

/// What cargo is told. The paths count from the parent of the folder that this file is in, hence `setup/`. `force`
/// because these were found to fit together, and a pkg-config path from elsewhere would hide our HiGHS.
const ENVIRONMENT: &str = r#"# Written by `cargo xtask setup`; read by .cargo/config.toml. Without this file the environment alone decides.
[env]
LIBCLANG_PATH = { value = "setup/libclang", relative = true, force = true }
PKG_CONFIG = { value = "setup/bin/pkg-config", relative = true, force = true }
PKG_CONFIG_PATH = { value = "setup/highs/lib/pkgconfig", relative = true, force = true }
"#;

/// The folders of a setup.
struct Place {
    /// The root of the repository.
    root: PathBuf,
    /// `target/setup` under it.
    setup: PathBuf,
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.setup.join(name)
    }

    fn is_ready(&self, stamp: &str) -> bool {
        let environment = fs::read_to_string(self.path("env.toml"));
        highs::is_built(self, stamp) && tools::are_linked(self) && environment.is_ok_and(|text| text == ENVIRONMENT)
    }
}

/// Makes the setup complete; does nothing, quickly, when it is.
///
/// # Errors
/// A tool is missing and cannot be fetched (the message is one line that says what to install), or HiGHS does not
/// compile.
pub fn run() -> Result<()> {
    let root = workspace::root()?;
    let place = Place { setup: root.join("target").join("setup"), root };
    let version = highs::locked_version(&place)?;
    let stamp = highs::stamp(&version);
    if place.is_ready(&stamp) {
        return Ok(());
    }
    fs::create_dir_all(&place.setup).with_context(|| format!("cannot create {}", place.setup.display()))?;
    let _lock = lock(&place.path("lock"))?;
    if place.is_ready(&stamp) {
        return Ok(());
    }
    if highs::is_built(&place, &stamp) {
        tools::provide(&place, tools::Purpose::Bind)?;
    } else {
        let builder = tools::provide(&place, tools::Purpose::BindAndBuild)?;
        highs::build(&place, &builder, &version, &stamp)?;
    }
    tools::check(&place)?;
    fs::write(place.path("env.toml"), ENVIRONMENT).context("cannot write target/setup/env.toml")?;
    eprintln!("Setup is complete: HiGHS {version} and its tools are in {}", place.setup.display());
    Ok(())
}

/// Waits until no other setup runs in this repository. Where the file system knows no locks, goes on without.
fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        eprintln!("Another setup is running in this repository; waiting for it");
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
