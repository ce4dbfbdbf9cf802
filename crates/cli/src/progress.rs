//! A spinner for anything over a second, only on a terminal.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use num_traits::Signed;
use oneport::Stage;

use crate::numbers::percent;

/// Shows the stage a solve is in, once it has taken a second.
pub struct Progress {
    stages: Option<Sender<Stage>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts watching; silent unless standard error is a terminal.
    pub fn new() -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress { stages: None, thread: None };
        }
        let (stages, received) = channel::<Stage>();
        let thread = std::thread::spawn(move || {
            let mut bar: Option<ProgressBar> = None;
            let mut stage = Stage::Throughput;
            loop {
                match received.recv_timeout(Duration::from_secs(1)) {
                    Ok(next) => stage = next,
                    Err(RecvTimeoutError::Timeout) => {
                        bar.get_or_insert_with(spinner);
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if let Some(bar) = &bar {
                    bar.set_message(describe(&stage));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Progress { stages: Some(stages), thread: Some(thread) }
    }

    /// Tells that a stage begins.
    pub fn stage(&self, stage: Stage) {
        if let Some(stages) = &self.stages {
            // The watcher ends only after this sender is gone.
            let _ = stages.send(stage);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stages.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn spinner() -> ProgressBar {
    // It appears after a second of waiting.
    let bar = ProgressBar::new_spinner().with_elapsed(Duration::from_secs(1));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn describe(stage: &Stage) -> String {
    match stage {
        Stage::Throughput => "1/4 optimal throughput (linear program, exact)".to_string(),
        Stage::Round(progress) => {
            let gap = &progress.upper_bound - &progress.throughput;
            let share = if progress.upper_bound.is_positive() { gap / &progress.upper_bound } else { gap };
            format!("1/4 optimal throughput: {} patterns, {} below the bound", progress.patterns, percent(&share))
        }
        Stage::Period => "2/4 whole messages and the period".to_string(),
        Stage::Slots => "3/4 slots (one-port decomposition)".to_string(),
        Stage::Referee => "4/4 the referee checks the plan".to_string(),
    }
}
