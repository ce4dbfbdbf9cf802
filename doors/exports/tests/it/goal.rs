//! GOAL in its simulator: `ONEPORT_LOGGOPSIM` names the folder of ATLAHS' `LogGOPSim` and `txt2bin`.

use oneport_testkit::Dice;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use oneport_exports::Request;
use oneport_plan::{Problem, Volumes};

use crate::common::{collective, export, platform, schedule};

const COLLECTIVES: [&str; 9] = [
    "broadcast",
    "scatter",
    "gather",
    "all-gather",
    "all-to-all",
    "reduce",
    "reduce-scatter",
    "all-reduce",
    "scan",
];

/// The number after these words.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.split(words)
        .nth(1)?
        .split(|letter: char| !letter.is_ascii_digit())
        .next()
}

/// The simulator's output for a file under these options.
fn simulated(text: &str, options: &str) -> String {
    let folder = oneport_testkit::folder("ONEPORT_LOGGOPSIM");
    let path = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (goal, binary) = (path("run.goal"), path("run.bin"));
    std::fs::write(&goal, text).unwrap();
    let converted = Command::new(folder.join("txt2bin"))
        .arg("-i")
        .arg(&goal)
        .arg("-o")
        .arg(&binary)
        .output();
    assert!(converted.unwrap().status.success(), "{text}");
    let run = Command::new(folder.join("LogGOPSim"))
        .arg("-f")
        .arg(&binary)
        .args(options.split(' '))
        .output()
        .unwrap();
    String::from_utf8(run.stdout).unwrap()
}

/// The end of each host.
fn ends(said: &str) -> Vec<u64> {
    let end = |line: &str| after(line, "Host ").and(after(line, ": "))?.parse().ok();
    said.lines().filter_map(end).collect()
}

#[test]
#[ignore = "needs variable ONEPORT_LOGGOPSIM"]
fn the_simulator_ends_when_the_file_says() {
    for name in COLLECTIVES {
        for seed in 0..6 {
            let text = export(name, "goal", 900 + seed, None).unwrap();
            let options = format!(
                "-L 0 -o 0 -g 0 -G 1 -O 0 -S {}",
                after(&text, "-S ").unwrap()
            );
            let said = simulated(&text, &options);
            let end = ends(&said).into_iter().max().map(|end| end.to_string());
            assert_eq!(
                end.as_deref(),
                after(&text, "the run ends at "),
                "{name}, {seed}: {said}"
            );
            // Without dates: with latency and overheads of a real network every rank that receives ends later than 0.
            let text = undated(name, seed, 1 << 20);
            let ends = ends(&simulated(&text, "-L 1000 -o 200 -g 5 -G 1 -O 0 -S 65536"));
            assert!(
                ends.len() == 4 && ends.iter().all(|&end| end > 0),
                "{name}, {seed}: {ends:?}\n{text}"
            );
        }
    }
}

/// One operation without dates.
fn undated(name: &str, seed: u64, bytes: u64) -> String {
    let mut dice = Dice(seed);
    let platform = platform(4, 2, &mut dice);
    let nodes: Vec<_> = platform.node_ids().take(4).collect();
    let (collective, volumes) = (collective(name, &nodes), Volumes::default());
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let schedule = schedule(&problem, 2, &mut dice);
    let request = Request {
        bytes: Some(bytes),
        without_dates: true,
        ..Request::new(&problem, &schedule)
    };
    oneport_exports::format("goal")
        .unwrap()
        .write(&request)
        .unwrap()
        .files[0]
        .text()
        .into_owned()
}

/// Every rank comes to its end, every message is received once with its size, and the pieces are the message.
#[test]
fn operations_without_dates_end() {
    for name in COLLECTIVES {
        for seed in 0..5 {
            let text = undated(name, seed, 1001);
            let mut waits: BTreeMap<(usize, &str), (&str, Vec<&str>)> = BTreeMap::new();
            let mut rank = 0;
            for line in text.lines() {
                if let Some(number) = line
                    .strip_prefix("rank ")
                    .and_then(|rest| rest.strip_suffix(" {"))
                {
                    rank = number.parse().unwrap();
                } else if let Some((label, what)) =
                    line.split_once(": ").filter(|_| !line.starts_with("//"))
                {
                    waits.insert((rank, label), (what, Vec::new()));
                } else if let Some((label, before)) = line.split_once(" requires ") {
                    waits.get_mut(&(rank, label)).unwrap().1.push(before);
                }
            }
            // For each tag: bytes sent. Then the labels that are done.
            let mut sent: BTreeMap<String, String> = BTreeMap::new();
            let mut done: Vec<(usize, &str)> = Vec::new();
            loop {
                let before = done.len();
                for (&(rank, label), (what, after)) in &waits {
                    let ready = after.iter().all(|&after| done.contains(&(rank, after)));
                    if !ready || done.contains(&(rank, label)) {
                        continue;
                    }
                    let words: Vec<&str> = what.split(' ').collect();
                    match words[..] {
                        ["send", bytes, "to", to, "tag", tag] => {
                            sent.insert(format!("{rank} {to} {tag}"), bytes.to_string());
                        }
                        ["recv", bytes, "from", from, "tag", tag] => {
                            match sent.get(&format!("{from} {rank} {tag}")) {
                                Some(size) => assert_eq!(size, bytes),
                                None => continue,
                            }
                        }
                        ["calc", ..] => {}
                        _ => panic!("{what}"),
                    }
                    done.push((rank, label));
                }
                if done.len() == before {
                    break;
                }
            }
            assert_eq!(done.len(), waits.len(), "{name}, {seed}: {text}");
            let sizes = sent
                .values()
                .map(|bytes| bytes.trim_end_matches('b').parse::<u64>().unwrap());
            assert!(
                sizes.clone().all(|size| size == 500 || size == 501),
                "two pieces: {:?}",
                sizes.collect::<Vec<_>>()
            );
        }
    }
}
