//! `oneport batch`: shards, runs that were ended, wrong lines, processes that were killed.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Folder, fixture, read};

/// Small questions of many kinds, each with its index as id.
fn questions(number: usize) -> String {
    let collectives = [
        "all-gather",
        "all-to-all",
        "reduce-scatter",
        "broadcast",
        "all-reduce",
    ];
    let line = |index: usize| {
        let platform = match index % 3 {
            0 => json!({ "generate": "ring", "nodes": 3 + index % 4, "seed": index }),
            1 => json!({ "generate": "star", "leaves": 2 + index % 3, "seed": index }),
            _ => json!(fixture("toy-broadcast.toml")),
        };
        let collective = collectives[index % collectives.len()];
        let mut question = json!({ "id": index, "platform": platform, "collective": collective, "size": 1 + index % 7 });
        if collective == "broadcast" {
            question["source"] = json!(if index % 3 == 2 { "Ps" } else { "P0" });
        }
        question.to_string() + "\n"
    };
    (0..number).map(line).collect()
}

/// Starts the command.
fn begin(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_oneport"))
        .arg("batch")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until a condition holds.
#[track_caller]
fn wait(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn shards_merged_are_the_answers_of_one_run() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", questions(120));
    let serial = oneport!("batch {asked}").ok().stdout;
    let answers = rows(&serial);
    assert_eq!(answers.len(), 120);
    for (index, row) in answers.iter().enumerate() {
        assert_eq!(
            (&row["line"], &row["id"]),
            (&json!(index + 1), &json!(index)),
            "{row}"
        );
        // Only the broadcast of that platform can arrive.
        let is_feasible = index % 3 < 2 || row["collective"] == json!("broadcast");
        let status = if is_feasible { "optimal" } else { "infeasible" };
        assert_eq!(row["status"], json!(status), "{row}");
    }
    let two = folder.path("two.jsonl");
    oneport!("batch {asked} -o {two} --jobs 2").ok();
    assert_eq!(read(&two), serial);
    let parts: Vec<String> = (1..=3)
        .map(|part| {
            let output = folder.path(&format!("part{part}.jsonl"));
            oneport!("batch {asked} -o {output} --shard {part}/3").ok();
            output
        })
        .collect();
    let all = folder.path("all.jsonl");
    oneport!(
        "batch --merge {} {} {} -o {all}",
        parts[2],
        parts[0],
        parts[1]
    )
    .ok();
    assert_eq!(read(&all), serial);
    // A part that is missing or given twice is named.
    oneport!("batch --merge {} {}", parts[0], parts[1]).refused(1, &["line 3 has no answer"]);
    oneport!(
        "batch --merge {} {} {} {}",
        parts[0],
        parts[1],
        parts[2],
        parts[1]
    )
    .refused(1, &["line 2 is answered twice", "part2.jsonl"]);
    oneport!("batch --merge {} -o {all}", parts[0]).refused(2, &["exists", "--force"]);
    // The questions show that the last answers are missing, that there are too many, or that they are other ones.
    let merged = |rows: &str, questions: &str| {
        let (rows, questions) = (
            folder.write("rows.jsonl", rows),
            folder.write("asked.jsonl", questions),
        );
        oneport!("batch --merge {rows} --questions {questions}")
    };
    let (fewer, other) = (
        questions(119),
        questions(120).replacen("\"size\":3", "\"size\":4", 1),
    );
    assert_eq!(merged(&serial, &questions(120)).ok().stdout, serial);
    let cut: String = serial.split_inclusive('\n').take(119).collect();
    merged(&cut, &questions(120)).refused(1, &["line 120 of", "has no answer"]);
    merged(&serial, &fewer).refused(1, &["line 120 is answered", "119 questions"]);
    merged(&serial, &other).refused(
        1,
        &[
            "line 3 answers another question",
            "rows.jsonl",
            "asked.jsonl",
        ],
    );
    oneport!("batch {asked} --questions {asked}").misused(&["--merge"]);
    // Answers as they come are the same ones.
    let loose = oneport!("batch {asked} --unordered --jobs 2").ok().stdout;
    let mut lines: Vec<&str> = loose.lines().collect();
    lines.sort_by_key(|line| serde_json::from_str::<Value>(line).unwrap()["line"].as_u64());
    assert_eq!(lines.join("\n") + "\n", serial);
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", questions(200));
    let (serial, output) = (folder.path("serial.jsonl"), folder.path("out.jsonl"));
    oneport!("batch {asked} -o {serial}").ok();
    let mut running = begin(&[&asked, "-o", &output]);
    let lines = || fs::read_to_string(&output).map_or(0, |text| text.lines().count());
    wait("the first answers", || lines() >= 5);
    running.kill().unwrap();
    running.wait().unwrap();
    let text = read(&output);
    assert!(
        text.lines().count() < 200,
        "all were answered before the end"
    );
    assert!(read(&serial).starts_with(&text));
    // The system may cut the last line, too.
    fs::write(&output, &text[..text.len() - 7]).unwrap();
    oneport!("batch {asked} -o {output}").refused(2, &["exists", "--resume"]);
    oneport!("batch {asked} -o {output} --resume").ok();
    assert_eq!(read(&output), read(&serial));
    // Nothing is left, and nothing changes.
    oneport!("batch {asked} -o {output} --resume").ok();
    assert_eq!(read(&output), read(&serial));
}

#[test]
fn an_output_of_other_questions_is_refused() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", questions(6));
    let output = folder.path("out.jsonl");
    // Lines 1, 3 and 5.
    oneport!("batch {asked} -o {output} --shard 1/2").ok();
    oneport!("batch {asked} -o {output} --resume --shard 2/2")
        .refused(2, &["line 1", "another shard"]);
    let changed = questions(6).replacen("all-gather", "all-to-all", 1);
    let changed = folder.write("changed.jsonl", changed);
    oneport!("batch {changed} -o {output} --resume --shard 1/2")
        .refused(2, &["line 1 was another question"]);
    let fewer = folder.write("fewer.jsonl", questions(4));
    oneport!("batch {fewer} -o {output} --resume --shard 1/2")
        .refused(2, &["line 5", "there are 4 questions"]);
    for broken in ["{\"line\":1}\n", "no JSON\n"] {
        let output = folder.write("broken.jsonl", broken);
        oneport!("batch {asked} -o {output} --resume").refused(1, &["line 1 is no answer"]);
        assert_eq!(read(&output), broken);
    }
}

#[test]
fn one_process_writes_an_output() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", LONG);
    let output = folder.path("out.jsonl");
    let mut running = begin(&[&asked, "-o", &output]);
    wait("the output", || fs::metadata(&output).is_ok());
    // The lock follows the file in a moment.
    std::thread::sleep(Duration::from_millis(100));
    oneport!("batch {asked} -o {output} --resume").refused(1, &["another process writes"]);
    running.kill().unwrap();
    running.wait().unwrap();
}

#[test]
fn wrong_lines_are_answered_and_asked_again() {
    let folder = Folder::new();
    let platform = folder.path("later.toml");
    let later = json!({ "id": "later", "platform": platform, "collective": "all-gather" });
    let good = questions(1);
    let mut lines =
        format!("{{\"id\": 5, \"colective\": 1}}\n\n{later}\n{good}no JSON\n").into_bytes();
    lines.extend(b"\xff\xfe\n");
    let long = lines.len();
    lines.resize(long + (64 << 20) + 1, b'x');
    lines.extend(format!("\n{}", good.trim_end()).bytes());
    let asked = folder.write("q.jsonl", &lines);
    let output = folder.path("out.jsonl");
    let run = oneport!("batch {asked} -o {output}");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run:#?}");
    assert!(
        run.stdout.contains("8 answers, 6 errors among them"),
        "{run:#?}"
    );
    let answers = rows(&read(&output));
    let said = |index: usize| answers[index]["error"]["message"].as_str().unwrap_or("-");
    for (index, words) in [
        (0, "\"collective\""),
        (1, "the line is empty"),
        (2, "later.toml"),
        (3, "-"),
        (4, "no JSON"),
        (5, "UTF-8"),
        (6, "67108864 bytes"),
        (7, "-"),
    ] {
        assert!(said(index).contains(words), "{index}: {}", said(index));
    }
    assert_eq!(answers[0]["id"], json!(5));
    assert_eq!(answers[2]["error"]["kind"], json!("platform"));
    oneport!("generate ring --nodes 3 -o {platform}").ok();
    // Errors are answers, unless they are asked again.
    assert_eq!(oneport!("batch {asked} -o {output} --resume").code, Some(1));
    assert_eq!(rows(&read(&output))[2]["status"], json!("error"));
    assert_eq!(
        oneport!("batch {asked} -o {output} --resume --retry").code,
        Some(1)
    );
    let again = rows(&read(&output));
    assert_eq!(again[2]["status"], json!("optimal"));
    let numbers: Vec<u64> = again
        .iter()
        .filter_map(|row| row["line"].as_u64())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// A question that takes minutes.
const LONG: &str =
    "{\"platform\": {\"generate\": \"random\", \"nodes\": 300}, \"collective\": \"all-reduce\"}\n";

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<String> {
    // A process is the child of the thread that started it.
    let threads = fs::read_dir(format!("/proc/{of}/task"))
        .into_iter()
        .flatten();
    let text = threads
        .flatten()
        .map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    let text = text.collect::<Vec<_>>().join(" ");
    text.split_whitespace().map(str::to_string).collect()
}

/// A process that is killed twice at one question costs one answer. The process that sent the question goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_costs_one_answer() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", format!("{LONG}{}", questions(3)));
    let output = folder.path("out.jsonl");
    let mut running = begin(&[&asked, "-o", &output]);
    let id = running.id();
    let mut killed = String::new();
    for _ in 0..2 {
        wait("a process", || {
            children(id).first().is_some_and(|child| *child != killed)
        });
        killed = children(id).remove(0);
        // The question arrives a moment after the process.
        std::thread::sleep(Duration::from_millis(300));
        let kill = Command::new("kill").args(["-9", &killed]).status().unwrap();
        assert!(kill.success());
    }
    assert_eq!(running.wait().unwrap().code(), Some(1));
    let answers = rows(&read(&output));
    assert_eq!(
        answers[0]["error"]["kind"],
        json!("killed"),
        "{}",
        answers[0]
    );
    assert!(
        answers[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("signal 9")
    );
    assert!(
        answers[1..]
            .iter()
            .all(|row| row["status"] != json!("error"))
    );
    assert_eq!(answers.len(), 4);
}

/// If the command is killed, none of its processes goes on with a question.
#[cfg(target_os = "linux")]
#[test]
fn no_process_outlives_the_one_that_asks() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", LONG);
    let mut running = begin(&[&asked]);
    let id = running.id();
    wait("a process", || !children(id).is_empty());
    let child = children(id).remove(0);
    std::thread::sleep(Duration::from_millis(300));
    running.kill().unwrap();
    running.wait().unwrap();
    let state = || fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    wait("the end of the process", || {
        state().is_empty() || state().contains(") Z ")
    });
}

#[test]
fn questions_come_from_a_pipe_and_times_are_added() {
    let mut running = Command::new(env!("CARGO_BIN_EXE_oneport"))
        .args(["batch", "-", "--timings"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = running.stdin.take().unwrap();
    to.write_all(questions(2).as_bytes()).unwrap();
    drop(to);
    let output = running.wait_with_output().unwrap();
    let answers = rows(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answers.len(), 2);
    assert!(
        answers
            .iter()
            .all(|row| row["seconds"].as_f64().unwrap() > 0.0)
    );
}

#[test]
fn shards_count_from_one() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", questions(1));
    oneport!("batch {asked} --shard 0/4").refused(
        2,
        &[
            "shards count from 1",
            "--array=1-4",
            "$SLURM_ARRAY_TASK_ID/4",
        ],
    );
    oneport!("batch {asked} --shard 5/4").refused(2, &["beyond the last shard, 4/4"]);
    oneport!("batch {asked} --shard x").refused(2, &["I/N"]);
    oneport!("batch {asked} --resume").misused(&["--output"]);
    oneport!("batch 'no such file'").refused(1, &["no such file"]);
    oneport!("batch {asked} {asked}").refused(2, &["--merge"]);
}

/// docs/sweeps.md: the parts by GNU parallel.
#[test]
#[ignore = "needs program parallel"]
fn gnu_parallel_runs_the_parts() {
    let folder = Folder::new();
    let asked = folder.write("q.jsonl", questions(20));
    let serial = oneport!("batch {asked}").ok().stdout;
    let parts = folder.path("part{}.jsonl");
    let run = Command::new("parallel")
        .args([env!("CARGO_BIN_EXE_oneport"), "batch", &asked, "-o", &parts])
        .args(["--shard", "{}/3", "--resume", ":::", "1", "2", "3"])
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let parts = [1, 2, 3].map(|part| folder.path(&format!("part{part}.jsonl")));
    let merged = oneport!("batch --merge {} {} {}", parts[0], parts[1], parts[2]).ok();
    assert_eq!(merged.stdout, serial);
}

#[test]
fn an_output_is_no_input_and_no_foreign_file() {
    let folder = Folder::new();
    let content = questions(2);
    let asked = folder.write("q.jsonl", &content);
    let other = folder.path("other.jsonl");
    std::os::unix::fs::symlink(&asked, &other).unwrap();
    for output in [&asked, &other] {
        for more in ["--force", "--resume"] {
            oneport!("batch {asked} -o {output} {more}").refused(2, &["the file that is read"]);
        }
    }
    assert_eq!(read(&asked), content);
    // A last line that begins as an answer does is cut. Any other one is not.
    let foreign = folder.write("mine.json", "{\"my\": \"data\"}");
    oneport!("batch {asked} -o {foreign} --resume").refused(1, &["line 1 is no answer"]);
    assert_eq!(read(&foreign), "{\"my\": \"data\"}");
    let zero = folder.write(
        "zero.jsonl",
        "{\"line\":0,\"question\":\"x\",\"status\":\"optimal\"}\n",
    );
    oneport!("batch {asked} -o {zero} --resume").refused(1, &["line 1 is no answer"]);
    let run = oneport!("batch {asked} --shard 1/18446744073709551615").ok();
    assert_eq!(run.stdout.lines().count(), 1);
}
