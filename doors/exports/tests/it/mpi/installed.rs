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
    /// A library that makes waiting ranks sleep, for an MPI without such an option.
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

    /// The library of this name, searched once.
    #[track_caller]
    pub fn named(name: &'static str) -> &'static Mpi {
        static OPEN_MPI: OnceLock<Option<Mpi>> = OnceLock::new();
        static MPICH: OnceLock<Option<Mpi>> = OnceLock::new();
        let cell = if name == "mpich" { &MPICH } else { &OPEN_MPI };
        let found = cell.get_or_init(|| Mpi::look(name)).as_ref();
        found
            .unwrap_or_else(|| panic!("there is no {name}; `cargo xtask test` fetches it with pip"))
    }

    /// Fortran's compiler. The fetched libraries have none.
    pub fn fortran(&self) -> PathBuf {
        let name = self.compiler.file_name().unwrap().to_string_lossy();
        self.compiler
            .with_file_name(name.replace("mpicc", "mpif90"))
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
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mpi/patient.c");
    // Other tests may be loading it, so it is moved into place in one step.
    let partial = folder.join(format!("libpatient-{}.so", std::process::id()));
    compile(compiler, &source, &partial, &["-shared", "-fPIC"]);
    let library = folder.join("libpatient.so");
    std::fs::rename(partial, &library).unwrap();
    library
}

/// A test with Open MPI and one with MPICH, each of a function that takes the library, with the reasons why a run may
/// lack them.
macro_rules! under_each_mpi {
    ($name:ident) => {
        $crate::mpi::under_each_mpi!($name, "needs mpi openmpi", "needs mpi mpich");
    };
    ($name:ident, $openmpi:literal, $mpich:literal) => {
        mod $name {
            #[test]
            #[ignore = $openmpi]
            fn openmpi() {
                super::$name($crate::mpi::Mpi::named("openmpi"));
            }

            #[test]
            #[ignore = $mpich]
            fn mpich() {
                super::$name($crate::mpi::Mpi::named("mpich"));
            }
        }
    };
}
pub(crate) use under_each_mpi;
