//! Faults of schedules, and their messages.

use super::memory::Access;
use super::{Awaited, Machine, Names, Span};

/// A fault of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// Message: thread, cell, value, and the right one.
    pub text: String,
}

/// Kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two unordered accesses, one of them a write.
    Race,
    /// Use of memory of a rank that may not have started, or may have ended.
    Absent,
    /// Threads wait for one another, or for an event that cannot happen.
    Deadlock,
    /// A read of an unwritten cell.
    Unwritten,
    /// Signals are left that no thread waits for.
    LeftOver,
    /// The result differs from that of the collective.
    Result,
    /// A caller's input is overwritten.
    Input,
    /// The file names a missing object, or violates a limit.
    Malformed,
}

/// A fault of the file itself.
pub(crate) fn malformed(text: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Malformed, text)
}

impl Fault {
    /// A fault.
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Fault {
            kind,
            text: text.into(),
        }
    }
}

impl<N: Names> Machine<'_, N> {
    fn step(&self, step: u32) -> String {
        let (thread, operation) = self.steps.get(step as usize).copied().unwrap_or_default();
        self.names.operation(thread as usize, operation)
    }

    pub(super) fn race(
        &self,
        access: Access,
        does: &str,
        cell: usize,
        other: Access,
        did: &str,
    ) -> Fault {
        let (one, two) = (self.step(access.step), self.step(other.step));
        let cell = self.names.cell(cell);
        let missing = if access.thread == other.thread {
            "a nop between them would order them"
        } else {
            "a nop, a signal and a wait, or a barrier between them would order them"
        };
        Fault::new(
            FaultKind::Race,
            format!("{one} {does} {cell}, and {two} {did} it, in no order; {missing}"),
        )
    }

    pub(super) fn unwritten(&self, access: Access, cell: usize) -> Fault {
        let text = format!(
            "{} reads {}, which was never written",
            self.step(access.step),
            self.names.cell(cell)
        );
        Fault::new(FaultKind::Unwritten, text)
    }

    pub(super) fn too_large(&self, access: Access) -> Fault {
        let step = self.step(access.step);
        malformed(format!("{step} combines too many values"))
    }

    pub(super) fn packet_twice(&self, access: Access, cell: usize) -> Fault {
        let (one, cell) = (self.step(access.step), self.names.cell(cell));
        Fault::new(
            FaultKind::Race,
            format!(
                "{one} writes {cell} once more, and who reads a packet cannot tell which it gets; use another chunk"
            ),
        )
    }

    pub(super) fn not_entered(&self, access: Access, span: &Span) -> Fault {
        let (one, cell) = (self.step(access.step), self.names.cell(span.first as usize));
        let text = format!(
            "{one} uses {cell}, and nothing says that rank {} has started; wait for a signal of it before",
            span.rank
        );
        Fault::new(FaultKind::Absent, text)
    }

    pub(super) fn still_used(&self, rank: usize, step: u32) -> Fault {
        let text = format!(
            "rank {rank} may have ended when {} uses its memory; it must wait for a signal that follows",
            self.step(step)
        );
        Fault::new(FaultKind::Absent, text)
    }

    pub(super) fn unseen(&self, rank: usize, step: u32) -> Fault {
        let text = format!(
            "rank {rank} may end before it sees what {} writes: the signals that follow are relaxed, and order no data; \
             one that is not relaxed would",
            self.step(step)
        );
        Fault::new(FaultKind::Absent, text)
    }

    pub(super) fn left_over(&self, line: usize, tokens: usize) -> Fault {
        let text = format!(
            "{tokens} of what is waited for as {} is left at the end: the next run would not wait",
            self.names.line(line)
        );
        Fault::new(FaultKind::LeftOver, text)
    }

    /// Follows the waiting threads until one of them repeats or has ended.
    pub(super) fn deadlock(&self, stuck: usize) -> Fault {
        let (mut chain, mut seen, mut now) = (Vec::new(), Vec::new(), stuck);
        loop {
            if seen.contains(&now) {
                chain.push(format!("which is {}", self.names.thread(now)));
                break;
            }
            seen.push(now);
            let operation = self
                .script
                .acts_of(now)
                .get(self.threads[now].next)
                .map_or(0, |(_, operation)| *operation);
            let who = self.names.operation(now, operation);
            let (what, next) = self.awaited(now);
            chain.push(format!("{who} waits for {what}"));
            match next {
                Some(next) if chain.len() < 20 => now = next,
                Some(_) => break,
                None => {
                    chain.push("which nobody is left to give".to_string());
                    break;
                }
            }
        }
        Fault::new(
            FaultKind::Deadlock,
            format!("deadlock: {}", chain.join("; ")),
        )
    }

    /// The event that a thread waits for, and a running thread that could cause it.
    fn awaited(&self, thread: usize) -> (String, Option<usize>) {
        let alive = |rank: usize| {
            (0..self.script.programs.len()).find(|&other| {
                self.script.programs[other].rank == rank
                    && !self.threads[other].done
                    && other != thread
            })
        };
        match self.threads[thread].awaits {
            Some(Awaited::Token(line)) => (
                self.names.line(line),
                self.names.sender(line).and_then(|rank| {
                    let gives = |&other: &usize| {
                        let left = self.script.acts_of(other).get(self.threads[other].next..).unwrap_or_default();
                        let along = |lines| self.script.numbers_of(lines).contains(&(line as u32));
                        left.iter().any(|(act, _)| matches!(act, super::Act::Signal { lines, .. } if along(*lines)))
                    };
                    let threads = 0..self.script.programs.len();
                    threads.into_iter().filter(|&other| self.script.programs[other].rank == rank).find(gives)
                }),
            ),
            Some(Awaited::Packet(cell)) => (
                format!("a packet in {}", self.names.cell(cell)),
                (0..self.ranks).filter(|&rank| rank != self.script.programs[thread].rank).find_map(alive),
            ),
            Some(Awaited::Barrier(barrier)) => {
                let arrived = self.barriers.get(&barrier).cloned().unwrap_or_default();
                let others = (0..self.script.programs.len()).find(|&other| {
                    !arrived.contains(&other)
                        && !self.threads[other].done
                        && self.script.programs[other].rank == self.script.programs[thread].rank
                });
                ("the others at a barrier".to_string(), others)
            }
            None => ("nothing".to_string(), None),
        }
    }
}
