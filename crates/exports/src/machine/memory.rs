//! Memory that remembers who used it last, so that accesses in no order are noticed.

use super::clocks::Clocks;
use super::values::Value;

/// One access: by whom, in which of its stretches, and the number of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The thread.
    pub thread: u32,
    /// Which of its stretches between synchronisations, from 1 on.
    pub stretch: u32,
    /// Number of the step among all steps run.
    pub step: u32,
}

/// No access: every thread has it behind.
const NOTHING: Access = Access { thread: 0, stretch: 0, step: u32::MAX };

impl Access {
    /// Whether whoever knows this has it behind.
    fn is_before(&self, known: &Clocks, step: u32) -> bool {
        self.stretch == 0 || self.step == step || known.has(self.thread, self.stretch)
    }
}

/// The smallest part of memory that is looked at.
#[derive(Debug, Clone, Copy)]
struct Cell {
    value: Option<Value>,
    written: Access,
    read: Access,
    /// From 1 on, which of the further lists is its own; 0: it has none.
    more: u32,
}

/// What few cells have.
#[derive(Debug, Clone, Default)]
struct More {
    /// Further reads that are in no order with the first one.
    reads: Vec<Access>,
    /// Of a packet: steps whose reads it is the result of, at this place; so these reads are over.
    follows: Vec<u32>,
}

/// All cells.
#[derive(Debug)]
pub struct Cells {
    all: Vec<Cell>,
    more: Vec<More>,
}

impl Cells {
    /// Cells that hold something from the start, or nothing.
    pub fn new(values: Vec<Option<Value>>) -> Self {
        let cell = |value| Cell { value, written: NOTHING, read: NOTHING, more: 0 };
        Cells { all: values.into_iter().map(cell).collect(), more: vec![More::default()] }
    }

    /// What lies there; `None`: nobody has written it.
    pub fn value(&self, cell: usize) -> Option<Value> {
        self.all[cell].value
    }

    /// What lies in all of them.
    pub fn values(self) -> Vec<Option<Value>> {
        self.all.into_iter().map(|cell| cell.value).collect()
    }

    /// Of a packet: steps whose reads are over where it is read.
    pub fn follows(&self, cell: usize) -> &[u32] {
        &self.more[self.all[cell].more as usize].follows
    }

    /// A write that is in no order with a read.
    pub fn written_meanwhile(&self, cell: usize, access: Access, known: &Clocks) -> Option<Access> {
        Some(self.all[cell].written).filter(|written| !written.is_before(known, access.step))
    }

    /// An access that is in no order with a write, or a write by the same step; and whether it wrote. Reads of these
    /// steps are over.
    pub fn used_meanwhile(&self, cell: usize, access: Access, known: &Clocks, over: &[u32]) -> Option<(Access, bool)> {
        let Cell { written, read, more, .. } = self.all[cell];
        let unordered = |other: &Access| !other.is_before(known, access.step);
        if written.stretch > 0 && (written.step == access.step || unordered(&written)) {
            return Some((written, true));
        }
        let meanwhile = |read: &Access| !over.contains(&read.step) && unordered(read);
        if meanwhile(&read) {
            return Some((read, false));
        }
        let reads = &self.more[more as usize].reads;
        reads.iter().find(|read| meanwhile(read)).map(|&read| (read, false))
    }

    /// Notes a read.
    pub fn read(&mut self, cell: usize, access: Access, known: &Clocks) {
        if self.all[cell].read.is_before(known, access.step) {
            self.all[cell].read = access;
            return;
        }
        let reads = &mut self.more(cell).reads;
        reads.retain(|read| !read.is_before(known, access.step));
        reads.push(access);
    }

    /// Writes.
    pub fn write(&mut self, cell: usize, value: Value, access: Access) {
        let cell = &mut self.all[cell];
        (cell.value, cell.written, cell.read) = (Some(value), access, NOTHING);
        if cell.more > 0 {
            self.more[cell.more as usize] = More::default();
        }
    }

    /// Says of a packet which reads it follows.
    pub fn follow(&mut self, cell: usize, steps: Vec<u32>) {
        self.more(cell).follows = steps;
    }

    fn more(&mut self, cell: usize) -> &mut More {
        let place = &mut self.all[cell].more;
        if *place == 0 {
            *place = self.more.len() as u32;
            self.more.push(More::default());
        }
        &mut self.more[*place as usize]
    }
}
