//! Shows progress: on a terminal a spinner after the first second, elsewhere a line every 30 seconds.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use oneport::watch::{News, Watch};

use crate::words::clock::elapsed;

/// Time from the beginning of the command to the spinner on a terminal.
const SPINNER: Duration = Duration::from_secs(1);
/// Time between lines, if standard error is not a terminal.
const LINE: Duration = Duration::from_secs(30);

/// A message to the thread that shows progress.
enum Sign {
    Stage(String),
    Round(String),
    About(String),
    Limit(Duration),
}

/// The current problem and stage.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scene {
    /// Which of several problems is solved. Empty if there is only one.
    about: String,
    stage: String,
    round: String,
    /// The time limit, from the beginning of the command.
    limit: Option<Duration>,
}

/// Shows the stage a solve is in.
pub struct Progress {
    stages: Option<Arc<Sender<Sign>>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Progress on a terminal only.
    pub fn on_terminal() -> Self {
        if std::io::stderr().is_terminal() {
            Progress::new()
        } else {
            Progress {
                stages: None,
                thread: None,
            }
        }
    }

    /// Starts the thread that shows progress.
    pub fn new() -> Self {
        let (stages, received) = channel::<Sign>();
        let terminal = std::io::stderr().is_terminal();
        let thread = std::thread::spawn(move || {
            if terminal {
                spin(&received)
            } else {
                write_lines(&received)
            }
        });
        Progress {
            stages: Some(Arc::new(stages)),
            thread: Some(thread),
        }
    }

    /// The watch, whose news are shown until this value is dropped.
    pub fn of(&self, watch: &Watch) -> Watch {
        let limit = watch.time_left().map(|left| elapsed() + left);
        if let (Some(stages), Some(limit)) = (&self.stages, limit) {
            let _ = stages.send(Sign::Limit(limit));
        }
        let stages = self.stages.as_ref().map(Arc::downgrade).unwrap_or_default();
        watch.clone().heard(move |news| {
            let Some(stages) = stages.upgrade() else {
                return;
            };
            // The receiving thread ends only after this sender is dropped.
            let _ = match news {
                News::Stage(name) => stages.send(Sign::Stage(name.to_string())),
                News::Round(text) => stages.send(Sign::Round(text.to_string())),
                _ => Ok(()),
            };
        })
    }

    /// Reports which of several problems is solved from now on.
    pub fn about(&self, text: String) {
        if let Some(stages) = &self.stages {
            let _ = stages.send(Sign::About(text));
        }
    }
}

impl Scene {
    fn new() -> Scene {
        Scene {
            about: String::new(),
            stage: "reading".to_string(),
            round: String::new(),
            limit: None,
        }
    }

    fn take(&mut self, sign: Sign) {
        match sign {
            Sign::Stage(stage) => (self.stage, self.round) = (stage, String::new()),
            Sign::Round(round) => self.round = round,
            Sign::About(about) => self.about = about,
            Sign::Limit(limit) => self.limit = Some(limit),
        }
    }

    /// `all-reduce: patterns: 20 patterns, 3 % below the bound (40 % of the time limit)`.
    fn describe(&self) -> String {
        let Scene {
            about,
            stage,
            round,
            limit,
        } = self;
        let round = if round.is_empty() {
            String::new()
        } else {
            format!(": {round}")
        };
        let share = limit.map_or_else(String::new, |limit| {
            let percent = elapsed().as_millis() * 100 / limit.as_millis().max(1);
            format!(" ({} % of the time limit)", percent.min(100))
        });
        format!("{about}{stage}{round}{share}")
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

/// Receives stages until `date`, counted from the beginning of the command. `None` if no more stages will follow.
fn latest(received: &Receiver<Sign>, scene: &mut Scene, date: Duration) -> Option<()> {
    loop {
        // Stages may arrive in quick succession. They do not postpone the date.
        match received.recv_timeout(date.saturating_sub(elapsed())) {
            Ok(next) => scene.take(next),
            Err(RecvTimeoutError::Timeout) => return Some(()),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        if elapsed() >= date {
            return Some(());
        }
    }
}

fn spin(received: &Receiver<Sign>) {
    let mut scene = Scene::new();
    if latest(received, &mut scene, SPINNER).is_none() {
        return;
    }
    let bar = spinner();
    bar.set_message(scene.describe());
    while let Ok(sign) = received.recv() {
        scene.take(sign);
        bar.set_message(scene.describe());
    }
    bar.finish_and_clear();
}

fn write_lines(received: &Receiver<Sign>) {
    let mut scene = Scene::new();
    let mut date = LINE;
    while latest(received, &mut scene, date).is_some() {
        eprintln!("{:.0} s: {}", elapsed().as_secs_f64(), scene.describe());
        date = elapsed() + LINE;
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_elapsed(elapsed());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_do_not_put_the_first_sign_of_life_off() {
        let (sender, received) = channel();
        for _ in 0..1000 {
            sender.send(Sign::Stage("period".to_string())).unwrap();
        }
        let mut scene = Scene::new();
        // The date has passed: one stage is looked at, and the rest waits.
        assert_eq!(latest(&received, &mut scene, Duration::ZERO), Some(()));
        assert_eq!(
            (scene.stage.as_str(), received.try_iter().count()),
            ("period", 999)
        );
        drop(sender);
        let never = elapsed() + LINE;
        assert_eq!(latest(&received, &mut Scene::new(), never), None);
    }
}
