//! Shows how many questions are answered: on a terminal a bar, elsewhere a line every 30 seconds.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use oneport_questions::Answered;

use crate::words::clock::elapsed;

/// Time between lines, if standard error is not a terminal.
const LINE: Duration = Duration::from_secs(30);

/// Shows how many questions are answered.
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    errors: Cell<u64>,
    /// When the next line is due.
    date: Cell<Duration>,
}

impl Progress {
    /// `all` questions, if their number is known, of which some have answers from another run.
    pub fn new(all: Option<u64>, before: u64) -> Progress {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = match all {
            Some(all) => ProgressBar::new(all),
            None => ProgressBar::new_spinner(),
        };
        let template = match all {
            Some(_) => "{bar:30} {pos} of {len} questions, {per_sec}, {eta} left{msg}",
            None => "{spinner} {pos} questions, {per_sec}{msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_position(before);
        bar.reset_eta();
        Progress {
            bar,
            on_terminal,
            errors: Cell::new(0),
            date: Cell::new(LINE),
        }
    }

    /// One more is answered.
    pub fn one(&self, answered: &Answered) {
        self.bar.inc(1);
        if answered.is_error() {
            self.errors.set(self.errors.get() + 1);
            self.bar.set_message(self.told());
        }
        if !self.on_terminal && elapsed() >= self.date.get() {
            self.date.set(elapsed() + LINE);
            let (at, now) = (self.bar.position(), elapsed().as_secs_f64());
            let of = self.bar.length().map_or(String::new(), |all| {
                let left = self.bar.eta().as_secs();
                format!(" of {all} questions, about {left} s left")
            });
            eprintln!("{now:.0} s: {at}{of}{}", self.told());
        }
    }

    fn told(&self) -> String {
        match self.errors.get() {
            0 => String::new(),
            errors => format!(", {}", crate::words::output::count(errors, "error")),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
