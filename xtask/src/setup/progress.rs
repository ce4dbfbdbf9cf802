//! Shows that a long build goes on.

use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

use crate::workspace;

/// How far a build is: one rewritten line on a terminal, one line for every ten percent elsewhere.
pub struct Progress {
    terminal: bool,
    start: Instant,
    shown: Option<u64>,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Progress {
        Progress {
            terminal: stderr().is_terminal(),
            start: Instant::now(),
            shown: None,
        }
    }

    /// Takes note of a line that the build printed.
    pub fn line(&mut self, line: &str) {
        let Some(percent) = percent(line) else { return };
        let step = if self.terminal { 1 } else { 10 };
        if self.shown.is_none_or(|shown| percent / step > shown / step) {
            self.shown = Some(percent);
            self.show(percent);
        }
    }

    /// Ends the rewritten line, and says how long everything took.
    pub fn finish(self) -> String {
        if self.terminal && self.shown.is_some() {
            eprintln!();
        }
        workspace::duration(self.start.elapsed())
    }

    fn show(&self, percent: u64) {
        let text = format!(
            "  HiGHS {percent:3} %, {}",
            workspace::duration(self.start.elapsed())
        );
        if self.terminal {
            // Back to the first column. The escape sequence clears the rest of a longer line.
            eprint!("\r{text}\x1b[K");
            let _ = stderr().flush();
        } else {
            eprintln!("{text}");
        }
    }
}

/// The progress in a line of make (`[ 42%] Building ...`) or ninja (`[12/222] Building ...`), in percent.
fn percent(line: &str) -> Option<u64> {
    let (inside, _) = line.strip_prefix('[')?.split_once(']')?;
    if let Some(number) = inside.strip_suffix('%') {
        return number.trim().parse().ok();
    }
    let (done, all) = inside.split_once('/')?;
    let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
    (done * 100).checked_div(all)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn progress_is_read_from_make_and_ninja() {
        for (line, expected) in [
            ("[ 42%] Building CXX object a.cpp.o", Some(42)),
            ("[100%] Built target highs", Some(100)),
            ("[12/48] Building", Some(25)),
            ("[0/0] x", None),
            ("-- Installing: [ 1%]", None),
            ("[note] x", None),
            ("", None),
        ] {
            assert_eq!(percent(line), expected, "{line}");
        }
    }
}
