//! Memory that remembers who used it last, so that accesses in no order are noticed.

use super::clocks::Clocks;
use super::values::Value;

/// One access: by whom, in which of its stretches, and the number of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The thread.
    pub thread: u32,
    /// Which of its stretches between synchronisations.
    pub stretch: u32,
    /// Number of the step among all steps run.
    pub step: u32,
}

impl Access {
    /// Whether whoever knows this has it behind.
    fn is_before(&self, known: &Clocks, step: u32) -> bool {
        self.step == step || known.of(self.thread) >= self.stretch
    }
}

/// The smallest part of memory that is looked at.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// What lies there; `None`: nobody has written it.
    pub value: Option<Value>,
    written: Option<Access>,
    read: Option<Access>,
    /// Further reads that are in no order with that one.
    also_read: Vec<Access>,
    /// Of a packet: steps whose reads it is the result of, at this place; so these reads are over.
    pub follows: Vec<u32>,
}

impl Cell {
    /// A cell that holds something from the start.
    pub fn holding(value: Value) -> Self {
        Cell { value: Some(value), ..Cell::default() }
    }

    /// A write that is in no order with a read.
    pub fn written_meanwhile(&self, access: Access, known: &Clocks) -> Option<Access> {
        self.written.filter(|written| !written.is_before(known, access.step))
    }

    /// An access that is in no order with a write, or a write by the same step; and whether it wrote. Reads of these
    /// steps are over.
    pub fn used_meanwhile(&self, access: Access, known: &Clocks, over: &[u32]) -> Option<(Access, bool)> {
        let unordered = |other: &&Access| !other.is_before(known, access.step);
        let written = self.written.as_ref().filter(|written| written.step == access.step || unordered(written));
        let read = self.read.iter().chain(&self.also_read).filter(|read| !over.contains(&read.step)).find(unordered);
        written.map(|&access| (access, true)).or_else(|| read.map(|&access| (access, false)))
    }

    /// Notes a read.
    pub fn read(&mut self, access: Access, known: &Clocks) {
        match self.read {
            Some(before) if !before.is_before(known, access.step) => {
                self.also_read.retain(|read| !read.is_before(known, access.step));
                self.also_read.push(access);
            }
            _ => self.read = Some(access),
        }
    }

    /// Writes.
    pub fn write(&mut self, value: Value, access: Access) {
        *self = Cell { written: Some(access), ..Cell::holding(value) };
    }
}
