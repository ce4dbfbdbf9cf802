//! Programs for MPI: compiled and run next to the library's own collectives, under each MPI.

mod installed;

use oneport_testkit::Dice;
use std::path::{Path, PathBuf};
use std::process::Command;

use oneport_plan::{Problem, Volumes};

pub use installed::Mpi;
pub(crate) use installed::under_each_mpi;

use crate::common::{collective, export, platform, schedule};

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

pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a C file. Fails with the compiler's message.
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
fn the_program_notices_a_wrong_order(mpi: &Mpi) {
    let text = (45..)
        .map(|seed| export("reduce", "mpi", seed, None).unwrap())
        .find(|text| text.contains("RANKS 3"))
        .unwrap();
    let folder = folder(&format!("order-{}", mpi.name));
    let (source, program) = (folder.join("wrong.c"), folder.join("wrong"));
    let wrong = text
        .replace("copy(value[1],", "copy(value[0],")
        .replace("local(value[0],", "local(value[1],");
    assert_ne!(wrong, text);
    std::fs::write(&source, wrong).unwrap();
    compile(&mpi.compiler, &source, &program, &[]);
    let output = mpi.run(3, &[]).arg(&program).arg("5").output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stdout).contains("WRONG"));
}

/// Programs of these collectives, alternately with and without a number of pieces.
fn compute_what_the_library_computes(mpi: &Mpi, names: &[&str]) {
    let mut deepest = 0;
    let folder = folder(&format!("programs-{}-{}", mpi.name, names.len()));
    for (number, name) in names.iter().enumerate() {
        let pieces = (number % 2 == 1).then_some(3);
        let text = export(name, "mpi", 40 + number as u64, pieces).unwrap();
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

fn programs_compute_what_the_library_computes(mpi: &Mpi) {
    let few = ["scatter", "reduce", "all-gather"];
    compute_what_the_library_computes(mpi, &[&few[..], &COUNTED].concat());
}

fn programs_of_all_collectives(mpi: &Mpi) {
    compute_what_the_library_computes(mpi, &[&COLLECTIVES[..], &COUNTED].concat());
}

under_each_mpi!(the_program_notices_a_wrong_order);
under_each_mpi!(programs_compute_what_the_library_computes);
under_each_mpi!(
    programs_of_all_collectives,
    "long, needs mpi openmpi",
    "long, needs mpi mpich"
);

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
