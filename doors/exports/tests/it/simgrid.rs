//! Runs replayed in SimGrid, if it is installed: dates hold, and a port used twice is noticed.

use oneport_testkit::Dice;
use std::path::Path;
use std::process::Command;

use oneport_exports::Request;
use oneport_plan::{Problem, Volumes};
use oneport_platform::{Node, Platform, PortModel, Rational, Shared};

use crate::common::{collective, files, schedule};
use crate::mpi::folder;

#[test]
#[ignore = "needs library simgrid"]
fn dates_hold_in_the_simulator() {
    let folder = folder("simgrid");
    let program = folder.join("replay");
    let mut faults = 0;
    for (number, name) in ["scatter", "reduce", "all-reduce", "all-gather"]
        .into_iter()
        .enumerate()
    {
        let files = files(name, "simgrid", 80 + number as u64, None).unwrap();
        let [platform, run, source] =
            ["platform.xml", "run.replay", "replay.cpp"].map(|name| folder.join(name));
        for (file, path) in files.iter().zip([&platform, &run, &source]) {
            std::fs::write(path, &file.bytes).unwrap();
        }
        if number == 0 {
            let mut compiler = Command::new("g++");
            let output = compiler
                .args(["-std=c++17", "-o"])
                .args([&program, &source])
                .arg("-lsimgrid")
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let replay = || {
            Command::new(&program)
                .args([&platform, &run])
                .output()
                .unwrap()
        };
        let output = replay();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && said.contains(" 0 not at their dates"),
            "{name}: {said}"
        );
        // One message more on a link that is busy.
        let text = files[1].text().into_owned();
        let line = text.lines().find(|line| line.starts_with("send")).unwrap();
        std::fs::write(&run, text.replacen(line, &format!("{line}\n{line}"), 1)).unwrap();
        faults += usize::from(!replay().status.success());
    }
    assert_eq!(faults, 4);
    shared_capacities(&program, &folder);
}

/// Four nodes, each linked with the next. Of two capacities, one counts a link twice. A message of 1 takes 2 over a
/// link that is alone. The dates hold, but not if one capacity has a third of its rate.
fn shared_capacities(program: &Path, folder: &Path) {
    let number = |value: i64, by: i64| Rational::new(value.into(), by.into());
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let mut node = |name: &str| builder.node(Node::processor(name, number(1, 9))).unwrap();
    let nodes = ["a", "b", "c", "d"].map(&mut node);
    let mut links = Vec::new();
    for (index, &node) in nodes.iter().enumerate() {
        let next = nodes[(index + 1) % nodes.len()];
        let (there, back) = builder.duplex(node, next, number(2, 1)).unwrap();
        links.extend([there, back]);
    }
    let twice = [&links[..], &links[..1]].concat();
    for (name, rate, links) in [
        ("bus", number(3, 2), twice),
        ("cell", number(2, 3), links[2..5].to_vec()),
    ] {
        builder.share(Shared::new(name, rate, links)).unwrap();
    }
    let platform = builder.build().unwrap();
    for (seed, name) in (0..).zip(["all-gather", "all-reduce", "all-to-all"]) {
        let (collective, volumes) = (collective(name, &nodes), Volumes::default());
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let schedule = schedule(&problem, 2, &mut Dice(seed));
        let request = Request::new(&problem, &schedule);
        let written = oneport_exports::format("simgrid")
            .unwrap()
            .write(&request)
            .unwrap();
        let [file, run] = ["shared.xml", "shared.replay"].map(|name| folder.join(name));
        let text = written.files[0].text().into_owned();
        std::fs::write(&run, &written.files[1].bytes).unwrap();
        let holds = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let output = Command::new(program).args([&file, &run]).output().unwrap();
            output.status.success()
        };
        assert!(holds(&text), "{name}");
        let tight = text.replace("shared0\" bandwidth=\"15", "shared0\" bandwidth=\"05");
        assert!(tight != text && !holds(&tight), "{name}");
    }
}
