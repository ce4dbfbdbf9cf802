//! Libraries for LD_PRELOAD in front of unmodified programs: the output is the same as without a library.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::library;
use crate::mpi::{COLLECTIVES, Mpi, compile, folder, under_each_mpi};

/// Every collective, with a plan for messages of any size. The first one has the ranks in order.
fn all() -> Vec<(&'static str, u64)> {
    COLLECTIVES
        .into_iter()
        .rev()
        .map(|name| (name, 0))
        .collect()
}

/// An MPI, and a folder for its programs.
struct Bench {
    mpi: &'static Mpi,
    folder: PathBuf,
}

/// The text that a program printed, and the calls of each collective: served, passed to MPI.
struct MpiRun {
    said: String,
    report: String,
    calls: BTreeMap<String, (usize, usize)>,
}

impl Bench {
    fn new(name: &str, mpi: &'static Mpi) -> Bench {
        let folder = folder(&format!("{name}-{}", mpi.name));
        Bench { mpi, folder }
    }

    fn program(&self, name: &str, text: &str, flags: &[&str]) -> PathBuf {
        let (source, program) = (
            self.folder.join(name),
            self.folder.join(format!("{name}.run")),
        );
        std::fs::write(&source, text).unwrap();
        compile(&self.mpi.compiler, &source, &program, flags);
        program
    }

    /// Compiles a library.
    fn library(&self, name: &str, text: &str) -> PathBuf {
        let (source, library) = (
            self.folder.join(format!("{name}.c")),
            self.folder.join(format!("lib{name}.so")),
        );
        std::fs::write(&source, text).unwrap();
        compile(&self.mpi.compiler, &source, &library, &["-shared", "-fPIC"]);
        library
    }

    fn run(&self, ranks: usize, program: &Path, arguments: &[&str], preload: &[&Path]) -> MpiRun {
        let mut run = self.mpi.run(ranks, preload);
        run.env("ONEPORT_REPORT", "1");
        let output = run.arg(program).args(arguments).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}, {ranks} ranks: {said} {report}",
            self.mpi.name
        );
        MpiRun {
            said,
            calls: calls(&report),
            report,
        }
    }

    /// A program prints the same with and without a library. Returns its calls.
    fn same(&self, ranks: usize, program: &Path, arguments: &[&str], library: &Path) -> MpiRun {
        let sorted = |run: &MpiRun| {
            let mut lines: Vec<String> = run.said.lines().map(str::to_string).collect();
            lines.sort();
            lines
        };
        let plain = self.run(ranks, program, arguments, &[]);
        let served = self.run(ranks, program, arguments, &[library]);
        let name = program.display();
        assert!(!plain.said.is_empty(), "{name} says nothing");
        assert_eq!(
            sorted(&served),
            sorted(&plain),
            "{name}, {}: {}",
            self.mpi.name,
            served.report
        );
        served
    }
}

/// The calls of each collective in a report: served, passed to MPI. One report is all that there may be.
fn calls(report: &str) -> BTreeMap<String, (usize, usize)> {
    let mut calls = BTreeMap::new();
    for line in report.lines() {
        let Some((name, rest)) = line
            .strip_prefix("oneport: ")
            .and_then(|line| line.split_once(": "))
        else {
            continue;
        };
        let number = |before: &str| {
            rest.split(before)
                .next()?
                .rsplit([' ', ','])
                .next()?
                .parse()
                .ok()
        };
        let served = number(" calls served").or_else(|| number(" call served"));
        let (Some(served), Some(passed)) = (served, number(" passed to MPI")) else {
            continue;
        };
        assert!(
            calls.insert(name.to_string(), (served, passed)).is_none(),
            "{name} is reported twice: {report}"
        );
    }
    calls
}

/// An unmodified program: prints a number made of all its received data, for each collective, with odd counts, in
/// place, with a strided datatype, with a root and a communicator without a plan.
const UNMODIFIED: &str = include_str!("unmodified.c");

/// One library of all collectives changes none of a program's results, and serves each collective. Three ranks have no
/// plan.
fn unmodified_programs_get_the_same(mpi: &'static Mpi) {
    let bench = Bench::new("preload", mpi);
    let program = bench.program("unmodified.c", UNMODIFIED, &[]);
    for ranks in 2..=8 {
        let library = bench.library("all", &library(&all(), ranks, &[], None).unwrap()[0].text());
        let run = bench.same(ranks, &program, &[], &library);
        for name in COLLECTIVES {
            let (served, passed) = run.calls[name];
            assert!(served >= 6 && passed > 0, "{name}: {}", run.report);
        }
        assert!(run.report.contains("passed to MPI\n"), "{}", run.report);
        if ranks == 4 {
            let run = bench.same(3, &program, &[], &library);
            assert!(
                run.calls
                    .values()
                    .all(|&(served, passed)| served == 0 && passed > 0),
                "{}",
                run.report
            );
            assert!(
                run.report.contains("a number of ranks without a plan"),
                "{}",
                run.report
            );
        }
    }
}

/// Errors have their own class and handler, no attribute is copied, no pending receive takes a message, and so on.
fn rare_calls_and_errors_are_the_library_s_own(mpi: &'static Mpi) {
    let bench = Bench::new("edges", mpi);
    let program = bench.program("edges.c", include_str!("preload/edges.c"), &[]);
    let plain = bench.mpi.run(4, &[]).arg(&program).output().unwrap();
    // MPICH with assertions ends a program that gives it a null datatype: then all else is tried.
    let ends = String::from_utf8_lossy(&plain.stderr).contains("Assertion failed in file");
    let arguments: &[&str] = if ends {
        &["without null datatypes"]
    } else {
        &[]
    };
    let library = bench.library("all", &library(&all(), 4, &[], None).unwrap()[0].text());
    let run = bench.same(4, &program, arguments, &library);
    assert!(run.said.contains("copies: 0\n"), "{}", run.said);
    assert!(run.calls["all-reduce"].0 > 500, "{}", run.report);
    assert_eq!(run.calls["reduce-scatter"].0, 2, "{}", run.report);
    for reason in [
        "inter-communicators",
        "no private communicator",
        "datatypes with bounds or gaps",
        "counts that differ",
    ] {
        assert!(run.report.contains(reason), "{reason}: {}", run.report);
    }
}

/// Threads that call at once on separate communicators get separate sums.
fn threads_have_communicators_of_their_own(mpi: &'static Mpi) {
    let bench = Bench::new("threads", mpi);
    let program = bench.program(
        "threads.c",
        include_str!("preload/threads.c"),
        &["-pthread"],
    );
    let library = bench.library(
        "all-reduce",
        &library(&[("all-reduce", 0)], 3, &[], None).unwrap()[0].text(),
    );
    let run = bench.same(3, &program, &[], &library);
    assert_eq!(run.said, "wrong: 0 0 0\n");
    assert!(run.calls["all-reduce"].0 >= 1000, "{}", run.report);
}

/// A program without MPI_Init is passed to MPI, and so are messages whose size exceeds an int.
fn sessions_and_large_messages_are_passed_on(mpi: &'static Mpi) {
    let bench = Bench::new("passed", mpi);
    let library = bench.library(
        "both",
        &library(&[("all-reduce", 0), ("broadcast", 0)], 2, &[], None).unwrap()[0].text(),
    );
    let program = bench.program("sessions.c", include_str!("preload/sessions.c"), &[]);
    let run = bench.same(2, &program, &[], &library);
    if run.said.contains("sum") {
        assert_eq!(
            (run.said.as_str(), run.calls["all-reduce"]),
            ("sum of a session: right\n", (0, 1)),
            "{}",
            run.report
        );
    } else {
        assert!(
            run.said.lines().all(|line| line == "no sessions"),
            "{}",
            run.said
        );
    }
    let program = bench.program("large.c", include_str!("preload/large.c"), &[]);
    let run = bench.same(2, &program, &[], &library);
    assert_eq!(run.said, "large messages: right\n");
    assert!(
        run.report.contains("for messages of 2^31 bytes or more"),
        "{}",
        run.report
    );
}

/// Every collective from Fortran, by each of its three interfaces.
fn fortran_programs_are_served(mpi: &'static Mpi) {
    let bench = Bench::new("fortran", mpi);
    let source = bench.folder.join("every.F90");
    std::fs::write(&source, include_str!("preload/every.F90")).unwrap();
    let library = bench.library("all", &library(&all(), 3, &[], None).unwrap()[0].text());
    for way in ["", "mpi", "mpi_f08"] {
        let program = bench.folder.join(format!("every{way}"));
        let mut compile = Command::new(bench.mpi.fortran());
        compile
            .args(["-O1", "-w", "-fallow-argument-mismatch"])
            .arg(&source)
            .arg("-o")
            .arg(&program);
        if !way.is_empty() {
            compile.arg(format!("-DMODULE={way}"));
        }
        assert!(
            compile.status().unwrap().success(),
            "{}, {way}",
            bench.mpi.name
        );
        let run = bench.same(3, &program, &[], &library);
        for (name, least) in COLLECTIVES.into_iter().zip([1, 1, 1, 2, 1, 2, 2, 2, 1]) {
            assert_eq!(
                run.calls[name].0, least,
                "{}, {way}, {name}: {}",
                bench.mpi.name, run.report
            );
        }
    }
}

/// Each call is served by the plan for the longest messages that it reaches, or passed to MPI.
fn plans_serve_messages_from_their_size_on(mpi: &'static Mpi) {
    let bench = Bench::new("sizes", mpi);
    let program = bench.program("unmodified.c", UNMODIFIED, &[]);
    let any = bench.library(
        "any",
        &library(&[("all-reduce", 0)], 4, &[], None).unwrap()[0].text(),
    );
    let every = bench.same(4, &program, &[], &any).calls["all-reduce"];
    // 13, 26 and 39 numbers of 4 bytes, as often each.
    let plans = [
        ("all-reduce", 53),
        ("all-reduce", 150),
        ("all-gather", 1000),
    ];
    let some = bench.library("some", &library(&plans, 4, &[], None).unwrap()[0].text());
    let run = bench.same(4, &program, &[], &some);
    assert_eq!(
        run.calls["all-reduce"],
        (every.0 / 3 * 2, every.1 + every.0 / 3),
        "{}",
        run.report
    );
    let each = format!("({0} by plan 1, {0} by plan 2)", every.0 / 3);
    assert!(run.report.contains(&each), "{each}: {}", run.report);
    // The elements of six bytes, 120,066 bytes.
    assert_eq!(run.calls["all-gather"].0, 1);
    // Two libraries at once have a report each.
    let other = bench.library(
        "other",
        &library(&[("scan", 0)], 4, &[], None).unwrap()[0].text(),
    );
    let both = bench.run(4, &program, &[], &[&some, &other]);
    assert!(
        both.calls["scan"].0 > 0 && both.calls["all-reduce"] == run.calls["all-reduce"],
        "{}",
        both.report
    );
    // Libraries without any call have a report each, too.
    let silent = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n";
    let silent = bench.program("silent.c", silent, &[]);
    let both = bench.run(2, &silent, &[], &[&some, &other]);
    assert_eq!(
        both.calls.values().collect::<Vec<_>>(),
        [&(0, 0); 3],
        "{}",
        both.report
    );
}

/// Plans that combine values need the first plan's order. Plans of one collective and one size are refused.
#[test]
fn plans_that_do_not_go_together_are_refused() {
    let order = library(&[("all-to-all", 0), ("scan", 0)], 4, &["scan"], None).unwrap_err();
    assert!(
        order.contains("plan 2, scan, combines values in the order p3, p2, p1, p0"),
        "{order}"
    );
    let twice = library(&[("scan", 4), ("all-reduce", 4), ("scan", 4)], 4, &[], None).unwrap_err();
    assert!(
        twice.contains("plans 1 and 3 are both of scan on 4 ranks"),
        "{twice}"
    );
}

/// The first plan names the ranks. Another plan may have them in another order.
fn the_first_plan_names_the_ranks(mpi: &'static Mpi) {
    let bench = Bench::new("ranks", mpi);
    let program = bench.program("unmodified.c", UNMODIFIED, &[]);
    let backwards = [
        "scatter",
        "gather",
        "broadcast",
        "all-gather",
        "all-to-all",
        "all-reduce",
    ];
    let library = bench.library(
        "all",
        &library(&all(), 4, &backwards, None).unwrap()[0].text(),
    );
    let run = bench.same(4, &program, &[], &library);
    assert!(
        run.calls.values().all(|&(served, _)| served >= 6),
        "{}",
        run.report
    );
}

#[test]
fn hosts_are_listed_beside_the_library() {
    let files = library(&[("all-reduce", 0)], 2, &[], Some(&["left", "right"])).unwrap();
    assert_eq!(
        (files[1].suffix.as_str(), &*files[1].text()),
        (".hosts", "left\nright\n")
    );
}

/// A plan for named hosts serves only them.
fn hosts_are_asked_for_their_names(mpi: &'static Mpi) {
    let name = Command::new("uname").arg("-n").output().unwrap();
    let here = String::from_utf8_lossy(&name.stdout).trim().to_string();
    let files = library(&[("all-reduce", 0)], 2, &[], Some(&["left", "right"])).unwrap();
    let bench = Bench::new("hosts", mpi);
    let program = bench.program("unmodified.c", UNMODIFIED, &[]);
    let away = bench.library("away", &files[0].text());
    let run = bench.same(2, &program, &[], &away);
    assert_eq!(run.calls["all-reduce"].0, 0, "{}", run.report);
    assert!(
        run.report.contains("ranks on other hosts than the plan's"),
        "{}",
        run.report
    );
    // A platform's names are different ones: both are this machine's, once with a domain.
    let short = here.split('.').next().unwrap();
    let long = if here.contains('.') {
        here.clone()
    } else {
        format!("{here}.example")
    };
    let text = library(&[("all-reduce", 0)], 2, &[], Some(&[short, &long])).unwrap()[0]
        .text()
        .into_owned();
    let run = bench.same(2, &program, &[], &bench.library("home", &text));
    assert!(run.calls["all-reduce"].0 > 0, "{}", run.report);
}

/// Every standard of C reads the names of hosts exactly as in the list of the library, and no part of a name becomes
/// code: no quote, no end of a comment, no backslash, no trigraph for one.
#[test]
fn names_of_hosts_are_no_code() {
    let files = library(&[("all-reduce", 0)], ODD.len(), &[], Some(&ODD)).unwrap();
    odd_names(&files);
}

const ODD: [&str; 6] = [
    "c??/",
    "};int oops;//",
    "a\"b\\",
    "*/ int oops; /*",
    "??)??'??<??!??>??-??(??=?",
    "%s\u{e9}\u{2028}",
];

/// The lines of a library with the hosts and the ranks.
fn odd_names(files: &[oneport_exports::File]) -> (String, String) {
    let text = files[0].text();
    assert_eq!(files[1].text().lines().count(), ODD.len());
    let hosts = text
        .lines()
        .find(|line| line.contains("hosts_0["))
        .expect("a list of hosts");
    let ranks = text
        .lines()
        .find(|line| line.contains("Ranks:"))
        .expect("the ranks");
    assert!(!hosts.contains("??") && !ranks.contains("??"), "{hosts}");
    assert!(!ranks.contains("*/"), "{ranks}");
    (hosts.to_string(), ranks.to_string())
}

/// A compiled program prints them exactly as in the list.
#[test]
#[ignore = "needs program cc"]
fn compilers_read_the_names_of_hosts() {
    let files = library(&[("all-reduce", 0)], ODD.len(), &[], Some(&ODD)).unwrap();
    let (hosts, ranks) = odd_names(&files);
    let text = files[1].text();
    let written: Vec<&str> = text.lines().collect();
    let folder = folder("names");
    let source = folder.join("names.c");
    let prints = format!(
        "/*\n{ranks}\n*/\n#include <stdio.h>\n{hosts}\nint main(void) {{ int i; for (i = 0; i < {}; i++) \
         puts(hosts_0[i]); return 0; }}\n",
        ODD.len()
    );
    std::fs::write(&source, prints).unwrap();
    for standard in ["c99", "c11", "gnu17"] {
        let program = folder.join(standard);
        let flag = format!("-std={standard}");
        let mut cc = Command::new("cc");
        cc.args([&flag, "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(&source);
        let compiled = cc.output().unwrap();
        let told = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{standard}: {told}");
        let said = Command::new(&program).output().unwrap().stdout;
        let said: Vec<String> = String::from_utf8_lossy(&said)
            .lines()
            .map(str::to_string)
            .collect();
        assert_eq!(said, written, "{standard}");
    }
}

under_each_mpi!(unmodified_programs_get_the_same);
under_each_mpi!(rare_calls_and_errors_are_the_library_s_own);
under_each_mpi!(threads_have_communicators_of_their_own);
under_each_mpi!(sessions_and_large_messages_are_passed_on);
under_each_mpi!(
    fortran_programs_are_served,
    "needs mpi openmpi, program mpif90.openmpi",
    "needs mpi mpich, program mpif90.mpich"
);
under_each_mpi!(plans_serve_messages_from_their_size_on);
under_each_mpi!(the_first_plan_names_the_ranks);
under_each_mpi!(hosts_are_asked_for_their_names);
