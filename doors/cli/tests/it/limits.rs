//! Limits, Ctrl-C, and files that are tried before the work.

use crate::common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Folder, read, toy};
use oneport::files::{PlatformFormat, write_platform};
use oneport::platform::generate::{Costs, Options, random_connected};

/// A platform on which an exact answer takes far longer than a test.
fn large(folder: &Folder) -> String {
    let costs = Costs::Uniform {
        low: 1,
        high: 1_000_000,
    };
    let options = Options {
        seed: 5,
        link_cost: costs.clone(),
        compute: costs,
    };
    let platform = random_connected(90, 5, &options).unwrap();
    folder.write(
        "large.toml",
        write_platform(&platform, PlatformFormat::Toml).unwrap(),
    )
}

const QUESTION: [&str; 3] = ["solve", "reduce-scatter", "--in-order"];

fn start(folder: &Folder, plan: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_oneport"))
        .args(QUESTION)
        .args(["--platform", &large(folder), "-o", plan])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

/// Sends the signal of Ctrl-C.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_once_ends_with_the_best_so_far() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    let mut child = start(&folder, &plan);
    std::thread::sleep(Duration::from_secs(4));
    interrupt(&child);
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert!(
        said.contains("feasible; upper bound") && said.contains("ended by Ctrl-C"),
        "{said}"
    );
    let verified = oneport!("verify {plan}").ok();
    assert!(
        verified.stdout.starts_with("ok: reduce-scatter"),
        "{verified:?}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_twice_ends_at_once() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    let mut child = start(&folder, &plan);
    std::thread::sleep(Duration::from_secs(3));
    interrupt(&child);
    // The first one has arrived when the command reports it.
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("interrupted"), "{line}");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!std::path::Path::new(&plan).exists());
}

#[test]
fn limits_are_named() {
    let scatter =
        |more: &str| oneport!("solve scatter --platform toy-scatter.toml --source Ps {more}");
    for text in ["", "0", "-5", "many", "5 s"] {
        scatter(&format!("'--memory-limit={text}'")).refused(2, &["--memory-limit", "500M"]);
    }
    scatter("--memory-limit 2.5G --time-limit 60").ok();
    // With a memory limit near 0, a small answer is still shown, and omissions are reported.
    let run = scatter("--memory-limit 1");
    assert!(
        run.code == Some(0) && run.stdout.contains("--memory-limit"),
        "{run:?}"
    );
    let run = oneport!("solve all-reduce --platform star.json --memory-limit 1");
    assert!(
        run.code == Some(0) && run.stdout.contains("--memory-limit"),
        "{run:?}"
    );
}

#[test]
fn outputs_are_tried_before_the_work() {
    let folder = Folder::new();
    let broken = folder.write("broken.toml", "this is no platform");
    let nowhere = folder.path("no-such-folder/plan.json");
    // The output is refused although the input is worse.
    oneport!("solve scatter --platform {broken} --source a -o {nowhere}")
        .refused(1, &["--output", "cannot write", "no-such-folder"]);
    oneport!("convert {broken} {nowhere} --to toml").refused(1, &["OUT", "cannot write"]);
    oneport!("show {broken} --gantt {nowhere}").refused(1, &["--gantt", "cannot write"]);
    oneport!(
        "reduce homogeneous --n 4 --transfer 1 --compute 1 --gantt {}",
        folder.path("no-such-folder/a.svg")
    )
    .refused(1, &["cannot write"]);
    assert_eq!(folder.names(), ["broken.toml"]);
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = Folder::new();
    let text = read(toy());
    let platform = folder.write("net.toml", &text);
    let solve =
        |output: &str| oneport!("solve scatter --platform {platform} --source Ps -o {output}");
    let otherwise = format!(
        "{}/../{}/net.toml",
        folder.path(""),
        folder.path("").rsplit('/').nth(1).unwrap()
    );
    solve(&platform).refused(2, &["--output", "--platform"]);
    solve(&otherwise).refused(2, &["--output", "--platform"]);
    #[cfg(unix)]
    {
        let (soft, hard) = (folder.path("soft.toml"), folder.path("hard.toml"));
        std::os::unix::fs::symlink(&platform, &soft).unwrap();
        std::fs::hard_link(&platform, &hard).unwrap();
        solve(&soft).refused(2, &["--output", "--platform"]);
        solve(&hard).refused(2, &["--output", "--platform"]);
    }
    oneport!("convert {platform} {platform}").refused(2, &["OUT", "IN"]);
    assert_eq!(read(&platform), text);
    let plan = folder.path("plan.json");
    solve(&plan).ok();
    let before = read(&plan);
    oneport!("show {plan} --graph {plan}").refused(2, &["--graph", "PLAN"]);
    assert_eq!(read(&plan), before);
    // Names that follow from the one given.
    let replay = folder.write("q.cpp", &before);
    oneport!("export {replay} --to simgrid {}", folder.path("q")).refused(2, &["OUT", "PLAN"]);
    assert_eq!(read(&replay), before);
    let gather = folder.path("t-1.svg");
    oneport!("solve all-gather --platform dgx1.toml -o {gather}").ok();
    let before = read(&gather);
    oneport!("show {gather} --tree {}", folder.path("t.svg")).refused(2, &["--tree", "PLAN"]);
    let (gantt, tree) = (folder.path("k-2.svg"), folder.path("k.svg"));
    oneport!("show {gather} --tree {tree} --gantt {gantt}").refused(2, &["--gantt", "--tree"]);
    assert_eq!(read(&gather), before);
}

#[test]
fn drawings_say_by_their_names_what_they_are() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    oneport!("solve scatter --platform toy-scatter.toml --source Ps -o {plan}").ok();
    oneport!("show {plan} --gantt {}", folder.path("a.pdf"))
        .refused(2, &["--gantt", "a.pdf", ".svg or .png"]);
    oneport!("show {plan} --graph {}", folder.path("a.dot"))
        .refused(2, &["--graph", "a.dot", ".svg or .png"]);
    oneport!("show {plan} --timeline {}", folder.path("a"))
        .refused(2, &["--timeline", ".svg or .png"]);
    assert_eq!(folder.names(), ["plan.json"]);
    let picture = folder.path("a.PNG");
    oneport!("show {plan} --graph {picture}").ok();
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG\r\n"));
}

#[test]
fn two_outputs_are_never_one_file() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    oneport!("solve scatter --platform toy-scatter.toml --source Ps -o {plan}").ok();
    let same = folder.path("same.svg");
    oneport!("show {plan} --gantt {same} --graph {same}")
        .refused(2, &["--gantt", "--graph", "same.svg"]);
    oneport!("reduce homogeneous --n 4 --transfer 1 --compute 1 --gantt {same} --tree {same}")
        .refused(2, &["--gantt", "--tree"]);
    assert_eq!(folder.names(), ["plan.json"]);
}

#[test]
fn what_verify_does_not_execute_it_says() {
    let folder = Folder::new();
    let platform = folder.write(
        "net.toml",
        "format = \"oneport-platform/1\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }]\n\
         link = [{ from = \"a\", to = \"b\", cost = 1 }]\n",
    );
    // A period far longer than its transfers take is slow, not wrong.
    let executed = |digits: usize, instances: usize| {
        let plan = folder.path("plan.json");
        oneport!("solve scatter --platform {platform} --source a -o {plan} --period {instances}")
            .ok();
        let period = format!("1{}", "0".repeat(digits));
        let value = common::with(
            &serde_json::from_str(&read(&plan)).unwrap(),
            "/schedule/period",
            period.into(),
        );
        oneport!("verify {}", folder.write("long.json", value.to_string()))
            .ok()
            .stdout
    };
    let few = executed(19_000, 3);
    assert!(
        few.contains("; executed 12 instances over 4 periods"),
        "{few}"
    );
    let many = executed(19_000, 10_000);
    assert!(
        many.contains("; not executed: one period has 10000 transfers") && many.contains("digits"),
        "{many}"
    );
    let short = executed(5, 10_000);
    assert!(
        short.contains("; executed 40000 instances over 4 periods"),
        "{short}"
    );
}

#[test]
fn verify_has_a_limit() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    oneport!("solve reduce-scatter --platform star.json -o {plan}").ok();
    oneport!("verify {plan} --time-limit 60").ok();
    oneport!("verify {plan} --memory-limit 1")
        .refused(1, &["the memory limit", "no violation found so far"]);
}

/// A device that accepts nothing represents a disk that fills up during the work.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_printed_even_if_its_file_cannot_be_written() {
    let full = "/dev/full";
    let run = oneport!("solve scatter --platform toy-scatter.toml --source Ps -o {full} --json");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.object()["status"], "optimal");
    run.one_error(&["cannot write", full]);
    // The name alone decides the format of a drawing.
    oneport!("reduce homogeneous --n 4 --transfer 1 --compute 1 --tree /dev/full")
        .refused(2, &["--tree", "should end in"]);
    // Help is an answer, too.
    for asked in ["--help", "--version", "solve --help"] {
        let device = std::fs::OpenOptions::new().write(true).open(full).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_oneport"))
            .args(asked.split(' '))
            .stdout(device)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{asked}: {told}");
        assert!(told.starts_with("error: cannot write"), "{told}");
        oneport!("{asked}").ok();
    }
}

/// A link to a missing file is written through, and a name may have the maximal length.
#[cfg(unix)]
#[test]
fn links_and_long_names_are_outputs() {
    let folder = Folder::new();
    let (link, later) = (folder.path("link.toml"), folder.path("later.toml"));
    std::os::unix::fs::symlink("later.toml", &link).unwrap();
    for _ in 0..2 {
        oneport!("generate dgx1 -o {link}").ok();
        assert!(std::path::Path::new(&link).is_symlink());
        assert!(read(&later).contains("oneport-platform/1"));
    }
    let long = folder.path(&format!("{}.toml", "n".repeat(250)));
    oneport!("generate dgx1 -o {long}").ok();
    assert_eq!(read(&long), read(&later));
    // Two outputs that are one file.
    let (one, two) = (folder.path("one.svg"), folder.path("two.svg"));
    std::os::unix::fs::symlink("two.svg", &one).unwrap();
    oneport!("reduce homogeneous --n=4 --transfer=1 --compute=1 --tree {one} --gantt {two}")
        .refused(2, &["--tree", "--gantt", "both would be written"]);
}

#[test]
fn what_stands_for_something_else_is_named() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    let solve = "solve scatter --platform toy-scatter.toml --source Ps -o";
    oneport!("{solve} {plan}").ok();
    oneport!("inspect {plan}").refused(1, &["plan.json", "this is a plan", "oneport show"]);
    oneport!("{solve} -").refused(2, &["--output", "'-' is not a file"]);
}

/// If no plan has room for a schedule, throughput and bound are the answer. No file appears.
#[test]
fn what_is_not_listed_is_said_and_not_written() {
    let folder = Folder::new();
    let cluster = "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" \
                   radical=\"0-5999\" suffix=\"\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/></zone></platform>";
    let (cluster, platform) = (folder.write("star.xml", cluster), folder.path("star.json"));
    oneport!("convert {cluster} {platform}").noted(&["assumed"]);
    let solve = format!("solve all-gather --platform {platform}");
    // On a busy machine the run is long enough for a progress line.
    let refused = |run: &common::Run, words: &[&str]| {
        let last = run.stderr.lines().last().unwrap_or_default();
        assert!(
            run.code == Some(1) && last.starts_with("error: no schedule is listed"),
            "{run:?}"
        );
        assert!(words.iter().all(|word| last.contains(word)), "{run:?}");
    };
    let solved = oneport!("{solve}");
    let (said, tasks) = (&solved.stdout, 6_000 * 5_999);
    assert_eq!(solved.code, Some(0), "{solved:?}");
    assert!(
        said.contains("(optimal: the referee checked its certificate)"),
        "{said}"
    );
    assert!(
        said.contains(&format!("no schedule is listed: it has at least {tasks} ")),
        "{said}"
    );
    let plan = folder.path("plan.json");
    let written = oneport!("{solve} -o {plan}");
    refused(&written, &["fewer participants"]);
    assert!(written.stdout.contains("(optimal"), "{written:?}");
    assert_eq!(folder.names(), ["star.json", "star.xml"]);
    let whatif = oneport!("whatif all-gather --platform {platform}");
    refused(&whatif, &[]);
    assert_eq!(whatif.stdout, "");
}
