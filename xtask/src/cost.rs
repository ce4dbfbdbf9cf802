//! The time of a step, and its use of the processors.

use std::time::{Duration, Instant};

use crate::workspace;

/// Time on the clock, and time of the processors in finished child processes. A step compiles and tests in children.
/// The few milliseconds of xtask itself are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    wall: Duration,
    processors: Duration,
}

impl Cost {
    /// Runs a function, and measures it.
    pub fn of<T>(work: impl FnOnce() -> T) -> (T, Cost) {
        let (start, before) = (Instant::now(), children());
        let result = work();
        (
            result,
            Cost {
                wall: start.elapsed(),
                processors: children().saturating_sub(before),
            },
        )
    }

    /// Both in sequence.
    fn plus(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall + other.wall,
            processors: self.processors + other.processors,
        }
    }
}

/// The time that the processors have spent in child processes that have ended, and in their children.
#[cfg(unix)]
fn children() -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    let duration = |time: nix::sys::time::TimeVal| {
        let (seconds, micros) = (time.tv_sec(), time.tv_usec());
        Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
            + Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(Duration::ZERO, |usage| {
        duration(usage.user_time()) + duration(usage.system_time())
    })
}

/// Only Unix reports it.
#[cfg(not(unix))]
fn children() -> Duration {
    Duration::ZERO
}

/// The table of all steps, with their sum in its last line.
pub fn table(steps: &[(String, Cost)], cold: bool) -> String {
    let start = if cold {
        "nothing was compiled before"
    } else {
        "some of it was compiled before"
    };
    let sum = steps
        .iter()
        .fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
    let width = steps
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        .max("all".len());
    let line = |name: &str, cost: &Cost| {
        let (wall, processors) = (
            workspace::duration(cost.wall),
            workspace::duration(cost.processors),
        );
        format!("   {name:width$}  {wall:>13}  {processors:>13}\n")
    };
    let mut text = format!("== time on the clock and of the processors ({start})\n");
    for (name, cost) in steps {
        text.push_str(&line(name, cost));
    }
    text + &line("all", &sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_processors_time_of_children_is_seen() {
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done";
        let (status, cost) = Cost::of(|| {
            std::process::Command::new("sh")
                .args(["-c", script])
                .status()
        });
        assert!(status.is_ok_and(|status| status.success()));
        assert!(cost.processors > Duration::ZERO && cost.wall > Duration::ZERO);
    }

    #[test]
    fn the_table_ends_with_the_sum() {
        let cost = |wall, processors| Cost {
            wall: Duration::from_secs(wall),
            processors: Duration::from_secs(processors),
        };
        let text = table(
            &[
                ("tidy".to_string(), cost(1, 2)),
                ("test".to_string(), cost(200, 300)),
            ],
            true,
        );
        let last: Vec<&str> = text
            .lines()
            .last()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        assert_eq!(last, ["all", "3", "min", "21", "s", "5", "min", "2", "s"]);
    }
}
