#![doc = include_str!("../README.md")]
//!
//! # Meaning of the answers
//!
//! - [`Watch::ask`] is `Ok` while the work may go on. After the first `Err` this watch and its clones return the same
//!   limit to every further question: all threads of a stage end for one reason.
//! - Work that ends must return its best result. A stage without a result returns the limit as an error.
//! - Derived watches ([`Watch::stage`], [`Watch::finishing`]) are asked and end separately. If a stage ends, the
//!   reserve that it kept back is left for the later stages.
//! - [`Watch::ended_by`] returns the first limit that ended any of these watches.

use std::fmt;
use std::ops::Sub;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Which limit ended the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// The time is over.
    Time,
    /// The memory is used up, or a table would use it up.
    Memory,
    /// The user interrupted the work (Ctrl-C).
    Interrupt,
    /// The calling program requested an end.
    Caller,
}

impl Limit {
    const ALL: [Limit; 4] = [Limit::Time, Limit::Memory, Limit::Interrupt, Limit::Caller];

    fn code(self) -> u8 {
        self as u8 + 1
    }

    fn of_code(code: u8) -> Option<Limit> {
        Limit::ALL.into_iter().find(|limit| limit.code() == code)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "the time limit",
            Limit::Memory => "the memory limit",
            Limit::Interrupt => "an interrupt",
            Limit::Caller => "the caller's request",
        })
    }
}

impl std::error::Error for Limit {}

/// The time and memory that are left, as the caller's function reports them. The default is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Left {
    /// Time until the limit. `None` without a time limit.
    pub time: Option<Duration>,
    /// Bytes until the limit. `None` without a memory limit.
    pub bytes: Option<u64>,
    /// The source of a request to end, and the age of the request.
    pub stop: Option<(Limit, Duration)>,
}

/// How far the work has come, for a display.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum News<'n> {
    /// A stage begins.
    Stage(&'n str),
    /// A round of a stage is over. The text is written only if it is shown.
    Round(&'n dyn fmt::Display),
}

/// The caller's function that hears [`News`].
type Hearer = Arc<dyn Fn(News<'_>) + Send + Sync>;

/// The watcher. Clones are the same watch. Functions borrow it (`&Watch`), and questions and options hold clones.
#[derive(Clone, Default)]
pub struct Watch {
    source: Option<Arc<Source>>,
    hearer: Option<Hearer>,
    /// Code of the limit that ended this watch. 0 while it has not ended.
    ended: Arc<AtomicU8>,
    kept: Kept,
}

/// The state that all watches of one piece of work share.
struct Source {
    left: Box<dyn Fn() -> Left + Send + Sync>,
    /// Code of the first limit that ended any watch. 0 while none has ended.
    first: AtomicU8,
    /// Questions so far, those to watches that had ended among them.
    asked: Arc<AtomicU64>,
}

/// Reserves of a stage for the stages after it.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    time: Duration,
    bytes: u64,
    /// How long a request to end is overlooked.
    grace: Duration,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("left", &self.left())
            .field("ended_by", &self.ended_by())
            .finish()
    }
}

impl Watch {
    /// A watch that never ends anything.
    pub fn unlimited() -> Self {
        Watch::default()
    }

    /// A watch that returns the function's answer. The function is called at every question, from any thread.
    pub fn new(left: impl Fn() -> Left + Send + Sync + 'static) -> Self {
        Watch::over(left, Arc::default())
    }

    /// This watch with a hearer: the function gets the news of this watch and of watches derived from it. It is called
    /// once a round, from any thread.
    pub fn heard(self, hearer: impl Fn(News<'_>) + Send + Sync + 'static) -> Self {
        Watch {
            hearer: Some(Arc::new(hearer)),
            ..self
        }
    }

    /// Reports the progress of the work. It ends nothing.
    pub fn tell(&self, news: News<'_>) {
        if let Some(hearer) = &self.hearer {
            hearer(news);
        }
    }

    /// Adds an end, as [`Limit::Time`], after this time from now on by the caller's clock:
    /// `Watch::unlimited().within(Duration::from_secs(10), Instant::now)`.
    pub fn within<I>(self, time: Duration, now: fn() -> I) -> Self
    where
        I: Copy + Sub<Output = Duration> + Send + Sync + 'static,
    {
        let start = now();
        self.under(move |left| {
            let own = time.saturating_sub(now() - start);
            Left {
                time: Some(left.time.map_or(own, |other| other.min(own))),
                ..left
            }
        })
    }

    /// Adds an end, as [`Limit::Memory`], when the caller's meter counts this many bytes.
    pub fn memory(self, bytes: u64, used: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.under(move |left| {
            let own = bytes.saturating_sub(used());
            Left {
                bytes: Some(left.bytes.map_or(own, |other| other.min(own))),
                ..left
            }
        })
    }

    /// A watch over the rest of this one under a further limit.
    fn under(self, limited: impl Fn(Left) -> Left + Send + Sync + 'static) -> Self {
        let hearer = self.hearer.clone();
        let watch = Watch::new(move || limited(self.left()));
        Watch { hearer, ..watch }
    }

    fn over(left: impl Fn() -> Left + Send + Sync + 'static, asked: Arc<AtomicU64>) -> Self {
        let source = Source {
            left: Box::new(left),
            first: AtomicU8::new(0),
            asked,
        };
        Watch {
            source: Some(Arc::new(source)),
            ..Watch::default()
        }
    }

    /// A watch with a time limit in questions: each question to this watch or to a watch derived from it takes a
    /// millisecond. Stages get their shares as of real time, and [`questions`](Self::questions) beyond the limit
    /// measure the work after the end.
    pub fn in_questions(milliseconds: u64) -> Self {
        let asked: Arc<AtomicU64> = Arc::default();
        let clock = Arc::clone(&asked);
        let left = move || milliseconds.saturating_sub(clock.load(Ordering::Relaxed));
        Watch::over(
            move || Left {
                time: Some(Duration::from_millis(left())),
                ..Left::default()
            },
            asked,
        )
    }

    /// How many questions this watch, those derived from it and the one that it was derived from have been asked, also
    /// after they had ended. 0 without limits.
    pub fn questions(&self) -> u64 {
        self.source
            .as_ref()
            .map_or(0, |source| source.asked.load(Ordering::Relaxed))
    }

    /// A watch that lets `questions` questions pass and then ends everything, as [`Limit::Caller`]: limits without a
    /// clock, for tests. The request counts as `age` old: [`finishing`](Self::finishing) overlooks young ones.
    pub fn counting(questions: u64, age: Duration) -> Self {
        let asked = AtomicU64::new(0);
        Watch::new(move || {
            let over = asked.fetch_add(1, Ordering::Relaxed) >= questions;
            Left {
                stop: over.then_some((Limit::Caller, age)),
                ..Left::default()
            }
        })
    }

    /// Whether nothing can end this watch.
    pub fn is_unlimited(&self) -> bool {
        self.source.is_none()
    }

    /// May the work go on?
    ///
    /// # Errors
    /// The limit that ends it, for this and every later question. A request to end comes before memory, memory before
    /// time.
    pub fn ask(&self) -> Result<(), Limit> {
        let Some(source) = &self.source else {
            return self.ended().map_or(Ok(()), Err);
        };
        source.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(limit) = self.ended() {
            return Err(limit);
        }
        let left = self.own((source.left)());
        let limit = match left {
            Left {
                stop: Some((by, _)),
                ..
            } => by,
            Left { bytes: Some(0), .. } => Limit::Memory,
            Left {
                time: Some(Duration::ZERO),
                ..
            } => Limit::Time,
            _ => return Ok(()),
        };
        // Another thread may have set another limit at the same time. The first one counts.
        let told =
            self.ended
                .compare_exchange(0, limit.code(), Ordering::Relaxed, Ordering::Relaxed);
        let limit = told.err().and_then(Limit::of_code).unwrap_or(limit);
        source.note(limit);
        Err(limit)
    }

    /// Ends this watch for a reason that the asker found: a table without which it cannot go on does not fit.
    pub fn end(&self, limit: Limit) {
        let _ = self
            .ended
            .compare_exchange(0, limit.code(), Ordering::Relaxed, Ordering::Relaxed);
        if let Some(source) = &self.source {
            source.note(limit);
        }
    }

    /// Whether a table of this size may be made. A refusal does not end the watch: a smaller table may fit.
    ///
    /// # Errors
    /// [`Limit::Memory`] if less is left. The error of [`ask`](Self::ask) if the work must end anyway.
    pub fn room_for(&self, bytes: u64) -> Result<(), Limit> {
        self.ask()?;
        match self.left().bytes {
            Some(left) if left < bytes => {
                if let Some(source) = &self.source {
                    source.note(Limit::Memory);
                }
                Err(Limit::Memory)
            }
            _ => Ok(()),
        }
    }

    /// A watch under the same limits that also ends, as [`Limit::Caller`], after this number of questions: a budget of
    /// work that is the same on every machine. The end is not noted as a limit of this watch.
    pub fn at_most(&self, questions: u64) -> Watch {
        let asked = AtomicU64::new(0);
        self.clone().under(move |left| {
            let over = asked.fetch_add(1, Ordering::Relaxed) >= questions;
            let own = over.then_some((Limit::Caller, Duration::ZERO));
            Left {
                stop: left.stop.or(own),
                ..left
            }
        })
    }

    /// The time and memory left for this watch. No time once it has ended.
    pub fn left(&self) -> Left {
        let Some(source) = &self.source else {
            return Left::default();
        };
        let left = self.own((source.left)());
        match self.ended() {
            None => left,
            Some(limit) => Left {
                time: Some(Duration::ZERO),
                stop: left.stop.or(Some((limit, Duration::ZERO))),
                ..left
            },
        }
    }

    /// The time left, for a solver with its own clock. Zero once the watch has ended, `None` without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.left();
        if left.stop.is_some() {
            Some(Duration::ZERO)
        } else {
            left.time
        }
    }

    /// The first limit that ended anything: this watch, one derived from it, or the one that it was derived from.
    pub fn ended_by(&self) -> Option<Limit> {
        Limit::of_code(self.source.as_ref()?.first.load(Ordering::Relaxed))
    }

    /// The limit that ended this watch, if it has ended. Nothing is asked.
    pub fn ended(&self) -> Option<Limit> {
        Limit::of_code(self.ended.load(Ordering::Relaxed))
    }

    /// A watch for a stage that may use `percent` percent of the time and memory left now. The rest is kept back for
    /// the later stages.
    pub fn stage(&self, percent: u32) -> Watch {
        let Left { time, bytes, .. } = self.left();
        let back = 100u32.saturating_sub(percent);
        let time = time.map_or(Duration::ZERO, |time| time / 100 * back);
        let bytes = bytes.map_or(0, |bytes| bytes / 100 * u64::from(back));
        let kept = Kept {
            time: self.kept.time + time,
            bytes: self.kept.bytes.saturating_add(bytes),
            ..self.kept
        };
        self.with(kept)
    }

    /// A watch of the same source that has not ended.
    fn with(&self, kept: Kept) -> Watch {
        Watch {
            ended: Arc::default(),
            kept,
            ..self.clone()
        }
    }

    /// A watch for one of several pieces of work in sequence. It may use `percent` percent of the time left now, and
    /// all memory, which the next piece finds free again.
    pub fn turn(&self, percent: u32) -> Watch {
        let Watch { kept, .. } = self.stage(percent);
        self.with(Kept {
            bytes: self.kept.bytes,
            ..kept
        })
    }

    /// A watch for work that turns known facts into an answer. It may use all the rest, and a request to end does not
    /// end it before it is `grace` old.
    pub fn finishing(&self, grace: Duration) -> Watch {
        self.with(Kept {
            grace,
            ..Kept::default()
        })
    }

    /// The time and memory beyond the reserves. Under a grace, a request to end is a time limit until it is old enough.
    fn own(&self, left: Left) -> Left {
        let mut time = left.time.map(|time| time.saturating_sub(self.kept.time));
        let bytes = left
            .bytes
            .map(|bytes| bytes.saturating_sub(self.kept.bytes));
        let stop = left.stop.filter(|(_, age)| *age >= self.kept.grace);
        if let (None, Some((_, age))) = (stop, left.stop) {
            let rest = self.kept.grace.saturating_sub(age);
            time = Some(time.map_or(rest, |time| time.min(rest)));
        }
        Left { time, bytes, stop }
    }
}

impl Source {
    /// Keeps the first limit.
    fn note(&self, limit: Limit) {
        let _ = self
            .first
            .compare_exchange(0, limit.code(), Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A watch over numbers that the test sets.
    fn set() -> (Arc<Mutex<Left>>, Watch) {
        let left = Arc::new(Mutex::new(Left::default()));
        let seen = Arc::clone(&left);
        (left, Watch::new(move || *seen.lock().unwrap()))
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn no_limit_never_ends() {
        let watch = Watch::unlimited();
        assert_eq!(
            (watch.ask(), watch.room_for(u64::MAX), watch.time_left()),
            (Ok(()), Ok(()), None)
        );
        assert_eq!((watch.stage(0).ask(), watch.ended_by()), (Ok(()), None));
    }

    #[test]
    fn the_first_limit_counts_for_ever() {
        let (left, watch) = set();
        let other = watch.clone();
        *left.lock().unwrap() = Left {
            time: Some(Duration::ZERO),
            ..Left::default()
        };
        assert_eq!(watch.ask(), Err(Limit::Time));
        *left.lock().unwrap() = Left {
            bytes: Some(0),
            ..Left::default()
        };
        assert_eq!(
            (watch.ask(), other.ask()),
            (Err(Limit::Time), Err(Limit::Time))
        );
        assert_eq!(
            (watch.ended_by(), watch.time_left()),
            (Some(Limit::Time), Some(Duration::ZERO))
        );
        // Another stage ends for its own reason.
        assert_eq!(watch.stage(100).ask(), Err(Limit::Memory));
        assert_eq!(watch.ended_by(), Some(Limit::Time));
    }

    #[test]
    fn a_request_comes_before_memory_and_memory_before_time() {
        let all = Left {
            time: Some(Duration::ZERO),
            bytes: Some(0),
            stop: Some((Limit::Interrupt, Duration::ZERO)),
        };
        let watch = |left: Left| Watch::new(move || left);
        assert_eq!(watch(all).ask(), Err(Limit::Interrupt));
        assert_eq!(watch(Left { stop: None, ..all }).ask(), Err(Limit::Memory));
        assert_eq!(
            watch(Left {
                stop: None,
                bytes: None,
                ..all
            })
            .ask(),
            Err(Limit::Time)
        );
    }

    #[test]
    fn a_budget_ends_itself_alone() {
        let (left, watch) = set();
        let budget = watch.at_most(2);
        assert_eq!(
            [(); 3].map(|()| budget.ask()),
            [Ok(()), Ok(()), Err(Limit::Caller)]
        );
        assert_eq!((watch.ask(), watch.ended_by()), (Ok(()), None));
        // The stages that turn its best into an answer go on.
        assert_eq!(budget.finishing(SECOND).ask(), Ok(()));
        left.lock().unwrap().time = Some(Duration::ZERO);
        assert_eq!(watch.at_most(2).ask(), Err(Limit::Time));
    }

    #[test]
    fn a_stage_keeps_time_and_memory_back() {
        let (left, watch) = set();
        *left.lock().unwrap() = Left {
            time: Some(10 * SECOND),
            bytes: Some(1000),
            stop: None,
        };
        let stage = watch.stage(80);
        assert_eq!(
            (stage.left().time, stage.left().bytes),
            (Some(8 * SECOND), Some(800))
        );
        assert_eq!(stage.stage(50).left().time, Some(4 * SECOND));
        *left.lock().unwrap() = Left {
            time: Some(2 * SECOND),
            bytes: Some(1000),
            stop: None,
        };
        assert_eq!((stage.ask(), watch.ask()), (Err(Limit::Time), Ok(())));
        assert_eq!((stage.ended(), watch.ended()), (Some(Limit::Time), None));
        assert_eq!(watch.time_left(), Some(2 * SECOND));
    }

    #[test]
    fn turns_share_the_time_and_not_the_memory() {
        let (left, watch) = set();
        *left.lock().unwrap() = Left {
            time: Some(10 * SECOND),
            bytes: Some(1000),
            stop: None,
        };
        let turn = watch.turn(50);
        assert_eq!(
            (turn.left().time, turn.left().bytes),
            (Some(5 * SECOND), Some(1000))
        );
        left.lock().unwrap().time = Some(5 * SECOND);
        assert_eq!(
            (turn.ask(), watch.turn(100).ask()),
            (Err(Limit::Time), Ok(()))
        );
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused_and_the_work_goes_on() {
        let (left, watch) = set();
        left.lock().unwrap().bytes = Some(1000);
        assert_eq!(
            (watch.room_for(1000), watch.room_for(1001), watch.ask()),
            (Ok(()), Err(Limit::Memory), Ok(()))
        );
        assert_eq!(
            (watch.stage(80).room_for(801), watch.ended_by()),
            (Err(Limit::Memory), Some(Limit::Memory))
        );
    }

    #[test]
    fn finishing_overlooks_young_requests_and_what_is_kept_back() {
        let (left, watch) = set();
        *left.lock().unwrap() = Left {
            time: Some(10 * SECOND),
            bytes: None,
            stop: Some((Limit::Interrupt, SECOND)),
        };
        let finishing = watch.stage(10).finishing(3 * SECOND);
        assert_eq!(
            (watch.ask(), finishing.ask(), finishing.time_left()),
            (Err(Limit::Interrupt), Ok(()), Some(2 * SECOND))
        );
        left.lock().unwrap().stop = Some((Limit::Interrupt, 3 * SECOND));
        assert_eq!(finishing.ask(), Err(Limit::Interrupt));
    }

    #[test]
    fn time_passes_with_questions_to_any_watch() {
        let watch = Watch::in_questions(10);
        let stage = watch.stage(50);
        assert_eq!(
            [(); 6].map(|()| stage.ask().is_ok()),
            [true, true, true, true, false, false]
        );
        assert_eq!(
            (watch.questions(), watch.time_left()),
            (6, Some(Duration::from_millis(4)))
        );
        assert_eq!(
            [(); 4].map(|()| watch.ask().is_ok()),
            [true, true, true, false]
        );
        assert_eq!((stage.questions(), Watch::unlimited().questions()), (10, 0));
    }

    /// Derived watches report to the same hearer, and a watch with a hearer has no more limits than before.
    #[test]
    fn news_are_heard() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        let watch = Watch::unlimited().heard(move |news| {
            kept.lock().unwrap().push(match news {
                News::Stage(name) => name.to_string(),
                News::Round(text) => text.to_string(),
            });
        });
        watch.tell(News::Stage("one"));
        watch.stage(50).turn(10).tell(News::Round(&2));
        watch.at_most(1).finishing(SECOND).tell(News::Round(&"3"));
        Watch::unlimited().tell(News::Stage("nobody"));
        assert_eq!(*heard.lock().unwrap(), ["one", "2", "3"]);
        assert!(watch.is_unlimited() && watch.ask().is_ok());
    }

    #[test]
    fn questions_are_counted() {
        let watch = Watch::counting(2, Duration::ZERO);
        assert_eq!(
            [(); 4].map(|()| watch.ask()),
            [Ok(()), Ok(()), Err(Limit::Caller), Err(Limit::Caller)]
        );
        assert_eq!(watch.finishing(SECOND).ask(), Ok(()));
        let late = Watch::counting(0, SECOND);
        assert_eq!(late.finishing(SECOND).ask(), Err(Limit::Caller));
    }
}
