//! Programs for MPI: compiled and run beside the library's own collectives, where there is an MPI.

mod installed;

use std::path::{Path, PathBuf};
use std::process::Command;

use oneport_plan::{Problem, Volumes};

pub use installed::{Mpi, libraries};

use crate::common::{Dice, collective, export, platform, schedule};

pub const COLLECTIVES: [&str; 9] = [
    "scatter",
    "gather",
    "broadcast",
    "all-gather",
    "all-to-all",
    "reduce",
    "reduce-scatter",
    "all-reduce",
    "scan",
];

const COUNTED: [&str; 5] = [
    "scatter-v",
    "gather-v",
    "all-gather-v",
    "all-to-all-v",
    "reduce-scatter-v",
];

/// Which collectives are tried: a few, or all if `ONEPORT_MPI` is set, for starting programs takes its time.
fn tried(few: [&'static str; 3]) -> Vec<&'static str> {
    match std::env::var_os("ONEPORT_MPI") {
        Some(_) => COLLECTIVES.to_vec(),
        None => few.to_vec(),
    }
}

pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a C file; what the compiler says about it.
pub fn compile(compiler: &Path, source: &Path, program: &Path, flags: &[&str]) {
    let mut command = Command::new(compiler);
    let output = command
        .args(["-O1", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .args([program, source]);
    let output = output.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Left and right exchanged: an operator that does not commute notices.
#[test]
fn the_program_notices_a_wrong_order() {
    for mpi in libraries().iter().take(1) {
        let text = (45..)
            .map(|seed| export("reduce", "mpi", seed, None).unwrap())
            .find(|text| text.contains("RANKS 3"))
            .unwrap();
        let folder = folder("order");
        let (source, program) = (folder.join("wrong.c"), folder.join("wrong"));
        let wrong = text
            .replace("copy(value[1],", "copy(value[0],")
            .replace("local(value[0],", "local(value[1],");
        assert_ne!(wrong, text);
        std::fs::write(&source, wrong).unwrap();
        compile(&mpi.compiler, &source, &program, &[]);
        let output = mpi.run(3, &[]).arg(&program).arg("5").output().unwrap();
        assert!(
            !output.status.success() && String::from_utf8_lossy(&output.stdout).contains("WRONG")
        );
    }
}

#[test]
fn programs_compute_what_the_library_computes() {
    for mpi in libraries() {
        let mut deepest = 0;
        let folder = folder(&format!("programs-{}", mpi.name));
        for (number, name) in tried(["scatter", "reduce", "all-gather"])
            .into_iter()
            .chain(COUNTED)
            .enumerate()
        {
            let seed = 40 + number as u64;
            let text = export(
                name,
                "mpi",
                seed,
                if number % 2 == 0 { None } else { Some(3) },
            )
            .unwrap();
            let define = |name: &str| {
                text.split(&format!("#define {name} "))
                    .nth(1)?
                    .split_whitespace()
                    .next()
            };
            let ranks = define("RANKS").unwrap();
            deepest = deepest.max(define("DEPTH").unwrap().parse().unwrap());
            let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
            std::fs::write(&source, &text).unwrap();
            compile(&mpi.compiler, &source, &program, &[]);
            let output = mpi
                .run(ranks.parse().unwrap(), &[])
                .arg(&program)
                .args(["1001", "4"])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && said.contains("equal to the library's own"),
                "{}, {name}: {said} {}",
                mpi.name,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        assert!(deepest > 1, "no operations overlap");
    }
}

#[test]
fn what_mpi_lacks_is_refused() {
    let refused = export("scatter", "mpi", 1, Some(20_000)).unwrap_err();
    assert!(refused.contains("10000 is the limit"), "{refused}");
    let mut dice = Dice(3);
    let platform = platform(4, 0, &mut dice);
    let nodes: Vec<_> = platform.node_ids().collect();
    let groups = oneport_plan::Collective::Groups(vec![oneport_plan::Member {
        collective: collective("scan", &nodes),
        rate: 1,
    }]);
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &groups, &volumes).unwrap();
    let schedule = schedule(&problem, 1, &mut dice);
    let request = oneport_exports::Request::new(&problem, &schedule);
    let refused = oneport_exports::format("mpi")
        .unwrap()
        .write(&request)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("groups has no MPI program"), "{refused}");
}
