//! Shows the number of questions that are answered: on a terminal a bar, elsewhere a line every 30 seconds.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use oneport_questions::Answered;

use crate::words::clock::elapsed;
use crate::words::output::count;

/// Time between lines, if standard error is not a terminal.
const LINE: Duration = Duration::from_secs(30);
/// Rows that give the rate. Trades a steady estimate for one that follows the length of the questions. Not measured.
const LAST: usize = 64;
/// Rows before the first estimate. Trades an early estimate for one that one slow question does not decide. Not
/// measured.
const FIRST: usize = 8;

/// Shows the number of questions that are answered.
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    errors: u64,
    recent: Recent,
    /// When the next line is due.
    date: Duration,
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
            Some(_) => "{bar:30} {pos} of {len} questions{msg}",
            None => "{spinner} {pos} questions{msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_position(before);
        Progress {
            bar,
            on_terminal,
            errors: 0,
            recent: Recent::default(),
            date: LINE,
        }
    }

    /// One more is answered.
    pub fn one(&mut self, answered: &Answered) {
        let now = elapsed();
        self.recent.add(now);
        self.errors += u64::from(answered.is_error());
        self.bar.inc(1);
        if self.on_terminal {
            self.bar.set_message(self.state());
        } else if now >= self.date {
            self.date = now + LINE;
            let of = self.bar.length();
            let of = of.map_or_else(String::new, |all| format!(" of {all} questions"));
            let (seconds, answered) = (now.as_secs_f64(), self.bar.position());
            eprintln!("{seconds:.0} s: {answered}{of}{}", self.state());
        }
    }

    /// The rate, the time left and the number of errors, as far as they are known.
    fn state(&self) -> String {
        let left = self
            .bar
            .length()
            .map(|all| all.saturating_sub(self.bar.position()));
        let mut state = self.recent.estimate(left);
        if self.errors > 0 {
            state.push_str(&format!(", {}", count(self.errors, "error")));
        }
        state
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The dates of the last rows.
#[derive(Debug, Default)]
struct Recent {
    dates: VecDeque<Duration>,
}

impl Recent {
    fn add(&mut self, date: Duration) {
        // The first date begins an interval, and each further one ends one.
        if self.dates.len() > LAST {
            self.dates.pop_front();
        }
        self.dates.push_back(date);
    }

    /// The number of the last rows, and the milliseconds that they took. `None` before there are some, or if they took
    /// less than a millisecond.
    fn rate(&self) -> Option<(u128, u128)> {
        let rows = self.dates.len().checked_sub(1)?;
        let took = self.dates.back()?.saturating_sub(*self.dates.front()?);
        let milliseconds = took.as_millis();
        (rows >= FIRST && milliseconds > 0).then_some((rows as u128, milliseconds))
    }

    /// `, 2.5 per second, about 40 s left`. Empty before there are some rows.
    fn estimate(&self, left: Option<u64>) -> String {
        let Some((rows, milliseconds)) = self.rate() else {
            return String::new();
        };
        let left = left.map_or_else(String::new, |left| {
            let seconds = u128::from(left) * milliseconds / rows / 1000;
            format!(", about {seconds} s left")
        });
        let tenths = rows * 10_000 / milliseconds;
        format!(", {}.{} per second{left}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One slow question at the beginning decides nothing: the rate is that of the last rows.
    #[test]
    fn the_rate_is_that_of_the_last_rows() {
        let mut recent = Recent::default();
        for row in 0..FIRST as u64 {
            recent.add(Duration::from_secs(100 * row));
            assert_eq!(recent.estimate(Some(10)), "", "{row}");
        }
        let begin = 100 * FIRST as u64;
        recent.add(Duration::from_secs(begin));
        assert_eq!(
            recent.estimate(Some(10)),
            ", 0.0 per second, about 1000 s left"
        );
        for row in 1..=LAST as u64 {
            recent.add(Duration::from_secs(begin) + Duration::from_millis(400 * row));
        }
        assert_eq!(
            recent.estimate(Some(10)),
            ", 2.5 per second, about 4 s left"
        );
        assert_eq!(recent.estimate(None), ", 2.5 per second");
    }
}
