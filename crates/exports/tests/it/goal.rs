//! GOAL in the simulator that it is made for: `ONEPORT_LOGGOPSIM` names the folder of ATLAHS' `LogGOPSim` and `txt2bin`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::export;

const COLLECTIVES: [&str; 9] =
    ["broadcast", "scatter", "gather", "all-gather", "all-to-all", "reduce", "reduce-scatter", "all-reduce", "scan"];

/// The number behind these words.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.split(words).nth(1)?.split(|letter: char| !letter.is_ascii_digit()).next()
}

#[test]
fn the_simulator_ends_when_the_file_says() {
    let Some(folder) = std::env::var_os("ONEPORT_LOGGOPSIM").map(PathBuf::from) else {
        println!("skipped: ONEPORT_LOGGOPSIM names no folder with LogGOPSim and txt2bin of ATLAHS");
        return;
    };
    let place = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for name in COLLECTIVES {
        for seed in 0..6 {
            let text = export(name, "goal", 900 + seed, None).unwrap();
            let (goal, binary) = (place("run.goal"), place("run.bin"));
            std::fs::write(&goal, &text).unwrap();
            let converted = Command::new(folder.join("txt2bin")).arg("-i").arg(&goal).arg("-o").arg(&binary).output();
            assert!(converted.unwrap().status.success(), "{name}, {seed}");
            let mut run = Command::new(folder.join("LogGOPSim"));
            run.arg("-f").arg(&binary).args("-L 0 -o 0 -g 0 -G 1 -O 0 -S".split(' ')).arg(after(&text, "-S ").unwrap());
            let said = String::from_utf8(run.output().unwrap().stdout).unwrap();
            let end =
                said.lines().filter_map(|line| after(line, "Host ").and(after(line, ": "))?.parse::<u64>().ok()).max();
            assert_eq!(
                end.map(|end| end.to_string()).as_deref(),
                after(&text, "the run ends at "),
                "{name}, {seed}: {said}"
            );
        }
    }
}
