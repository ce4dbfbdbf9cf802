//! A question runs in a pool of its own. The caller's thread waits without Python's lock, passes signals on and calls
//! the callback.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use oneport::watch::{Limit, News, Watch};
use pyo3::exceptions::{PyOSError, PyStopIteration};
use pyo3::prelude::*;

use crate::errors::defect;

/// Time between looks at signals. Trades the delay of Ctrl-C for wake-ups of an idle thread. Measured: an interrupt is
/// heard after 17 to 73 ms.
const LOOK: Duration = Duration::from_millis(20);
/// Time that an interrupted question has to end. Trades a thread that works on alone for the delay of an exception.
/// Not measured.
const PATIENCE: Duration = Duration::from_millis(500);
/// Age of an interrupt, at which no stage goes on to finish its answer. Fact: the caller has left.
const OLD: Duration = Duration::from_secs(3600);
/// Threads of a pool. Fact: the search splits in two.
const THREADS: usize = 2;
/// Bytes of a thread's stack. Trades address space for deep recursions. Not measured.
const STACK: usize = 16 << 20;

/// The limits of a call.
#[derive(Default)]
pub(crate) struct Limits {
    /// Time and memory from now on.
    pub(crate) search: oneport_questions::Limits,
    /// Threads of the pool.
    pub(crate) threads: Option<usize>,
    /// Called with stage, seconds and round.
    pub(crate) callback: Option<Py<PyAny>>,
}

/// Messages of the working thread.
enum Sent<T> {
    Stage(String),
    Round(String),
    Ended(Result<T, String>),
}

/// Why the work is to end.
#[derive(Clone, Copy)]
enum Stop {
    No = 0,
    /// The callback raised `StopIteration`: the best so far is the answer.
    Early = 1,
    /// An exception: no answer is wanted.
    Now = 2,
}

/// Whether the caller's thread wants the work to end.
#[derive(Clone)]
pub(crate) struct Wish(Arc<AtomicU8>);

impl Wish {
    /// The reason, and the age of the wish.
    pub(crate) fn heard(&self) -> Option<(Limit, Duration)> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some((Limit::Caller, Duration::ZERO)),
            _ => Some((Limit::Interrupt, OLD)),
        }
    }
}

/// Carries out the work under a watch.
///
/// # Errors
/// The exception of a signal handler or of the callback; a panic of the work.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    work: impl FnOnce(Watch) -> T + Send + 'static,
) -> PyResult<T> {
    run_with_wish(py, limits, |watch, _| work(watch))
}

/// As [`run`]; the work has the caller's wish as well, for a watch of its own.
pub(crate) fn run_with_wish<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    work: impl FnOnce(Watch, Wish) -> T + Send + 'static,
) -> PyResult<T> {
    let began = Instant::now();
    let stop = Arc::new(AtomicU8::new(Stop::No as u8));
    let (send, mut receive) = mpsc::channel::<Sent<T>>();
    let wish = Wish(Arc::clone(&stop));
    let watch = watch(&limits, wish.clone(), send.clone());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(limits.threads.unwrap_or(THREADS))
        .stack_size(STACK)
        .build()
        .map_err(|error| {
            PyOSError::new_err(format!(
                "no thread can be started ({error}); end others, or give threads=1"
            ))
        })?;
    pool.spawn(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| work(watch, wish)));
        // The channel is closed if the caller's thread went on.
        let _ = send.send(Sent::Ended(ended.map_err(|panic| words(&*panic))));
    });
    let mut stage = String::new();
    let mut failed: Option<(PyErr, Instant)> = None;
    loop {
        let lent = &mut receive;
        let heard = py.detach(move || lent.recv_timeout(LOOK));
        let told = match heard {
            Ok(Sent::Ended(ended)) => {
                return match failed {
                    Some((error, _)) => Err(error),
                    None => ended.map_err(defect),
                };
            }
            Ok(Sent::Stage(name)) => {
                stage = name;
                Some(None)
            }
            Ok(Sent::Round(round)) => Some(Some(round)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Err(defect("its thread is gone")),
        };
        if let Some((error, since)) = failed.take() {
            if since.elapsed() > PATIENCE {
                return Err(error);
            }
            failed = Some((error, since));
            continue;
        }
        let mut outcome = py.check_signals();
        if let (Ok(()), Some(round), Some(callback)) = (&outcome, told, &limits.callback) {
            outcome = call(py, callback, &stage, began, round, &stop);
        }
        if let Err(error) = outcome {
            stop.store(Stop::Now as u8, Ordering::Relaxed);
            failed = Some((error, Instant::now()));
        }
    }
}

/// Calls the callback; `StopIteration` ends the search.
fn call(
    py: Python<'_>,
    callback: &Py<PyAny>,
    stage: &str,
    began: Instant,
    round: Option<String>,
    stop: &AtomicU8,
) -> PyResult<()> {
    let seconds = began.elapsed().as_secs_f64();
    match callback.call1(py, (stage, seconds, round)) {
        Ok(_) => Ok(()),
        Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
            stop.store(Stop::Early as u8, Ordering::Relaxed);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// The watch over the limits and over what the caller's thread hears.
fn watch<T: Send + 'static>(limits: &Limits, wish: Wish, send: mpsc::Sender<Sent<T>>) -> Watch {
    let watch = limits.search.starting_now(move || wish.heard());
    if limits.callback.is_none() {
        return watch;
    }
    watch.heard(move |news| {
        let sent = match news {
            News::Stage(stage) => Sent::Stage(stage.to_string()),
            News::Round(round) => Sent::Round(round.to_string()),
            _ => return,
        };
        let _ = send.send(sent);
    })
}

/// The message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic".to_string())
}
