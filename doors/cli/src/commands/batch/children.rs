//! Processes of the command itself that answer questions: one that is killed or crashes costs no answer but its own.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use oneport_questions::{answer_line, failed_line};

use super::lines::Line;

/// A question to be asked, or the reason why no more are.
pub type Asked = Result<Line>;

/// An answer.
#[derive(Debug)]
pub struct Done {
    /// The position of its question among those asked.
    pub position: u64,
    /// The row, without the end of its line.
    pub row: String,
    /// The time that it took.
    pub took: Duration,
}

/// Starts this number of processes, each with a thread that sends it questions. The answers end after the questions.
///
/// # Errors
/// A process cannot be started.
pub fn start(jobs: usize, asked: Receiver<Asked>) -> Result<Receiver<Result<Done>>> {
    let asked = Arc::new(Mutex::new(asked));
    let (done, answers) = channel();
    for _ in 0..jobs {
        let (asked, done, process) = (asked.clone(), done.clone(), Process::start()?);
        std::thread::spawn(move || ask_all(process, &asked, &done));
    }
    Ok(answers)
}

/// Sends one question after another, until the questions or the receiver of the answers end.
fn ask_all(mut process: Process, asked: &Mutex<Receiver<Asked>>, done: &Sender<Result<Done>>) {
    loop {
        // The lock is free again once this statement ends.
        let next = asked.lock().map(|asked| asked.recv());
        let Ok(Ok(line)) = next else {
            return process.end();
        };
        let began = Instant::now();
        let answer = line.and_then(|line| {
            Ok(Done {
                position: line.position,
                row: answer(&mut process, &line)?,
                took: began.elapsed(),
            })
        });
        if done.send(answer).is_err() {
            return process.end();
        }
    }
}

/// The answer to a question, which is asked twice at most.
fn answer(process: &mut Process, line: &Line) -> Result<String> {
    let text = match line.text() {
        Ok(text) => text,
        Err(why) => return Ok(failed_line(line.number, &line.bytes, "question", why)),
    };
    let mut ended = String::new();
    for _ in 0..2 {
        match process.ask(line.number, text) {
            Some(row) => return Ok(row),
            None => ended = process.again()?,
        }
    }
    let why = format!(
        "the process that worked on this question ended before it answered ({ended}), twice; if memory ran out, give a memory_limit"
    );
    Ok(failed_line(line.number, &line.bytes, "killed", why))
}

/// A process and the pipes to it.
struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Process {
    fn start() -> Result<Process> {
        let cannot = "cannot start a process of oneport";
        let mut child = Command::new(std::env::current_exe().context(cannot)?)
            .args(["batch", "--child"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(cannot)?;
        let to = child.stdin.take().context(cannot)?;
        let from = BufReader::new(child.stdout.take().context(cannot)?);
        Ok(Process { child, to, from })
    }

    /// The answer. `None` if the process ended before it was whole.
    fn ask(&mut self, number: u64, text: &str) -> Option<String> {
        let asked = writeln!(self.to, "{number}\t{text}").and_then(|()| self.to.flush());
        asked.ok()?;
        let mut row = String::new();
        self.from.read_line(&mut row).ok()?;
        row.ends_with('\n').then(|| {
            row.pop();
            row
        })
    }

    /// Starts the process again. Returns its exit code or signal.
    fn again(&mut self) -> Result<String> {
        let _ = self.child.kill();
        let ended = self.child.wait().map_or("unknown".to_string(), end_of);
        *self = Process::start()?;
        Ok(ended)
    }

    fn end(mut self) {
        drop(self.to);
        let _ = self.child.wait();
    }
}

/// The end of a process: `signal 9`, `exit code 101`.
fn end_of(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status
        .code()
        .map_or("unknown".to_string(), |code| format!("exit code {code}"))
}

/// Answers questions from standard input, each with the number of its line and a tabulator before it. Ends as soon as
/// the input ends, even in the middle of an answer: then the process that asked has ended.
///
/// # Errors
/// The input or the output cannot be used.
pub fn serve() -> Result<()> {
    let (asked, questions) = channel();
    std::thread::spawn(move || {
        let lines = io::stdin().lock().lines().map_while(|line| line.ok());
        let _ = lines.map_while(|line| asked.send(line).ok()).last();
        std::process::exit(0);
    });
    for line in questions {
        let (number, text) = line
            .split_once('\t')
            .context("a question has the number of its line before it")?;
        let row = answer_line(number.parse().context("no number of a line")?, text);
        let mut out = io::stdout().lock();
        out.write_all((row + "\n").as_bytes())?;
        out.flush()?;
    }
    Ok(())
}
