//! Runs replayed in SimGrid, where it is installed: dates hold, and a port used twice is noticed.

use std::path::Path;
use std::process::Command;

use crate::common::files;
use crate::mpi::folder;

#[test]
fn dates_hold_in_the_simulator() {
    if !Path::new("/usr/include/simgrid/s4u.hpp").exists() {
        println!("skipped: there is no SimGrid");
        return;
    }
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
        files
            .iter()
            .zip([&platform, &run, &source])
            .for_each(|(file, path)| std::fs::write(path, &file.bytes).unwrap());
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
}
