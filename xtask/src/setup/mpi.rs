//! The MPI libraries that the tests run programs under: the system's, else Python packages in `target/setup/mpi`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::folders::{self, Folders};
use super::tools;
use crate::workspace;

/// One MPI: its name in Debian's alternatives and as a Python package, and its folder for programs.
pub struct Mpi {
    pub name: &'static str,
    /// Paths of `mpicc` and `mpirun`.
    pub compiler: PathBuf,
    pub launcher: PathBuf,
}

impl Mpi {
    /// The system's, else the one fetched before.
    fn look(folders: &Folders, name: &'static str) -> Option<Mpi> {
        let fetched = folders.path("mpi").join(name).join("bin");
        let system = Mpi {
            name,
            compiler: format!("mpicc.{name}").into(),
            launcher: format!("mpirun.{name}").into(),
        };
        let fetched = Mpi {
            name,
            compiler: fetched.join("mpicc"),
            launcher: fetched.join("mpirun"),
        };
        [system, fetched]
            .into_iter()
            .find(|mpi| tools::runs(&mpi.compiler) && tools::runs(&mpi.launcher))
    }
}

/// The folders that an MPI is fetched into.
fn here() -> Result<Folders> {
    let root = workspace::root()?;
    let setup = root.join("target").join("setup");
    Ok(Folders { root, setup })
}

/// Whether the MPI of this name runs here.
pub fn is_here(name: &str) -> bool {
    let names = ["openmpi", "mpich"].into_iter();
    let looked = here().map(|folders| {
        names
            .filter(|known| *known == name)
            .any(|known| Mpi::look(&folders, known).is_some())
    });
    looked.unwrap_or(false)
}

/// Open MPI and MPICH. One that this machine lacks is fetched with pip. One that is not available is left out with a
/// line on that.
///
/// # Errors
/// `target/setup` cannot be written.
pub fn provide() -> Result<Vec<Mpi>> {
    let folders = here()?;
    fs::create_dir_all(folders.path("mpi"))?;
    let _lock = folders::lock(&folders.path("mpi/lock"), "in this repository")?;
    let mut found = Vec::new();
    for name in ["openmpi", "mpich"] {
        if Mpi::look(&folders, name).is_none() {
            let folder = folders.path("mpi").join(name);
            if let Err(reason) =
                tools::fetch_into(&["--ignore-installed", "--prefix"], &folder, &[name])
            {
                eprintln!("{name} is missing, and its programs are not tested: {reason}");
            }
        }
        found.extend(Mpi::look(&folders, name));
    }
    Ok(found)
}

/// Builds a Python package with an MPI's compiler into a folder, if it is not there.
///
/// # Errors
/// pip is missing, or the package does not build.
pub fn build(package: &str, mpi: &Mpi, folder: &Path) -> Result<()> {
    if folder.join(package).is_dir() {
        return Ok(());
    }
    let mut pip = tools::pip()?;
    // A cached build could be another MPI's.
    pip.args([
        "install",
        "--no-cache-dir",
        "--no-binary",
        package,
        "--no-deps",
        "--target",
    ])
    .arg(folder)
    .arg(package);
    tools::finish(pip.env("MPICC", &mpi.compiler).env("CFLAGS", "-O0 -g0"))
}

/// The unpacked source of a Python package, of the newest release. It is below this folder.
///
/// # Errors
/// pip, the package or tar is missing.
pub fn source(package: &str, folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join("source");
    if !unpacked.is_dir() {
        let packed = folder.join("packed");
        let mut pip = tools::pip()?;
        pip.args(["download", "--no-binary", ":all:", "--no-deps", "--dest"]);
        tools::finish(pip.arg(&packed).arg(package))?;
        let archive = fs::read_dir(&packed)?
            .next()
            .context("pip downloaded nothing")??
            .path();
        let partial = folder.join("partial");
        fs::create_dir_all(&partial)?;
        let mut tar = Command::new("tar");
        tools::finish(
            tar.args(["--strip-components", "1", "-xf"])
                .arg(archive)
                .arg("-C")
                .arg(&partial),
        )?;
        fs::rename(partial, &unpacked)?;
    }
    Ok(unpacked)
}
