//! The MPI libraries of this machine: Open MPI and MPICH, from the system or from `cargo xtask setup`'s folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{compile, folder};

/// One MPI.
pub struct Mpi {
    /// `openmpi` or `mpich`.
    pub name: &'static str,
    pub compiler: PathBuf,
    launcher: PathBuf,
    /// A library that makes waiting ranks sleep, for an MPI that has no such way of its own.
    patience: Option<PathBuf>,
}

impl Mpi {
    /// The system's, else the one that `cargo xtask test` fetched.
    fn look(name: &'static str) -> Option<Mpi> {
        let fetched = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../target/setup/mpi")
            .join(name)
            .join("bin");
        let system = (
            format!("mpicc.{name}").into(),
            format!("mpirun.{name}").into(),
        );
        let works = |program: &Path| Command::new(program).arg("--version").output().is_ok();
        let (compiler, launcher): (PathBuf, PathBuf) =
            [system, (fetched.join("mpicc"), fetched.join("mpirun"))]
                .into_iter()
                .find(|(compiler, launcher)| works(compiler) && works(launcher))?;
        let patience = (name == "mpich").then(|| patience(&compiler));
        Some(Mpi {
            name,
            compiler,
            launcher,
            patience,
        })
    }

    /// Fortran's compiler; the fetched libraries have none.
    pub fn fortran(&self) -> Option<PathBuf> {
        let name = self
            .compiler
            .file_name()?
            .to_str()?
            .replace("mpicc", "mpif90");
        let compiler = self.compiler.with_file_name(name);
        Command::new(&compiler)
            .arg("--version")
            .output()
            .is_ok()
            .then_some(compiler)
    }

    /// The start of a command that runs a program on this number of ranks, behind these libraries.
    pub fn run(&self, ranks: usize, preload: &[&Path]) -> Command {
        let mut run = Command::new(&self.launcher);
        run.args(["-np", &ranks.to_string()]);
        let preload = preload.iter().copied().chain(self.patience.as_deref());
        let preload = preload
            .map(|library| library.display().to_string())
            .collect::<Vec<_>>()
            .join(":");
        match (self.name, preload.is_empty()) {
            ("openmpi", empty) => {
                run.arg("--oversubscribe")
                    .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
                run.env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                    .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                if !empty {
                    run.args(["-x", &format!("LD_PRELOAD={preload}")]);
                }
            }
            (_, false) => drop(run.args(["-genv", "LD_PRELOAD", &preload])),
            (_, true) => {}
        }
        run
    }
}

fn patience(compiler: &Path) -> PathBuf {
    let folder = folder("patience");
    let (source, library) = (folder.join("patient.c"), folder.join("libpatient.so"));
    std::fs::write(&source, include_str!("patient.c")).unwrap();
    compile(compiler, &source, &library, &["-shared", "-fPIC"]);
    library
}

/// Both, where they are.
pub fn libraries() -> &'static [Mpi] {
    static FOUND: OnceLock<Vec<Mpi>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found: Vec<Mpi> = ["openmpi", "mpich"]
            .into_iter()
            .filter_map(Mpi::look)
            .collect();
        for name in ["openmpi", "mpich"] {
            if !found.iter().any(|mpi| mpi.name == name) {
                println!("skipped: there is no {name}; `cargo xtask test` fetches it with pip");
            }
        }
        found
    })
}
