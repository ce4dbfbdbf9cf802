//! Memory cells that record their last accesses, for race detection.

use super::clocks::Clocks;
use super::values::Value;

/// One access: its thread, its epoch, and the number of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// The thread.
    pub thread: u32,
    /// Epoch of the thread, from 1.
    pub stretch: u32,
    /// Number of the step among all steps run.
    pub step: u32,
}

/// Absent access: it precedes all others.
const NOTHING: Access = Access {
    thread: 0,
    stretch: 0,
    step: u32::MAX,
};

impl Access {
    /// Whether this access happened before all epochs that `known` covers.
    fn is_before(&self, known: &Clocks, step: u32) -> bool {
        self.stretch == 0 || self.step == step || known.has(self.thread, self.stretch)
    }
}

/// The smallest part of memory that is followed.
#[derive(Debug, Clone, Copy)]
struct Cell {
    value: Option<Value>,
    written: Access,
    read: Access,
    /// Number of the cell's entry in the further lists, from 1. 0 if it has none.
    more: u32,
}

/// Data that few cells have.
#[derive(Debug, Clone, Default)]
struct More {
    /// Further reads that are unordered with the first one.
    reads: Vec<Access>,
    /// For a packet: steps with the reads at this index from which it results. These reads are complete.
    follows: Vec<u32>,
}

/// All cells.
#[derive(Debug)]
pub(super) struct Cells {
    all: Vec<Cell>,
    more: Vec<More>,
}

impl Cells {
    /// Cells with initial values. `None` for an empty cell.
    pub(super) fn new(values: Vec<Option<Value>>) -> Self {
        let cell = |value| Cell {
            value,
            written: NOTHING,
            read: NOTHING,
            more: 0,
        };
        Cells {
            all: values.into_iter().map(cell).collect(),
            more: vec![More::default()],
        }
    }

    /// The value of a cell. `None` if it is unwritten.
    pub(super) fn value(&self, cell: usize) -> Option<Value> {
        self.all[cell].value
    }

    /// The values of all cells.
    pub(super) fn values(self) -> Vec<Option<Value>> {
        self.all.into_iter().map(|cell| cell.value).collect()
    }

    /// For a packet: steps whose reads are complete once it is read.
    pub(super) fn follows(&self, cell: usize) -> &[u32] {
        &self.more[self.all[cell].more as usize].follows
    }

    /// The last write of the cell, if it is unordered with this read.
    pub(super) fn written_meanwhile(
        &self,
        cell: usize,
        access: Access,
        known: &Clocks,
    ) -> Option<Access> {
        Some(self.all[cell].written).filter(|written| !written.is_before(known, access.step))
    }

    /// An access unordered with this write, or a write by the same step, and whether it was a write. Reads of the steps
    /// in `over` are ordered.
    pub(super) fn used_meanwhile(
        &self,
        cell: usize,
        access: Access,
        known: &Clocks,
        over: &[u32],
    ) -> Option<(Access, bool)> {
        let Cell {
            written,
            read,
            more,
            ..
        } = self.all[cell];
        let unordered = |other: &Access| !other.is_before(known, access.step);
        if written.stretch > 0 && (written.step == access.step || unordered(&written)) {
            return Some((written, true));
        }
        let meanwhile = |read: &Access| !over.contains(&read.step) && unordered(read);
        if meanwhile(&read) {
            return Some((read, false));
        }
        let reads = &self.more[more as usize].reads;
        reads
            .iter()
            .find(|read| meanwhile(read))
            .map(|&read| (read, false))
    }

    /// Records a read.
    pub(super) fn read(&mut self, cell: usize, access: Access, known: &Clocks) {
        if self.all[cell].read.is_before(known, access.step) {
            self.all[cell].read = access;
            return;
        }
        let reads = &mut self.more(cell).reads;
        reads.retain(|read| !read.is_before(known, access.step));
        reads.push(access);
    }

    /// Writes a value.
    pub(super) fn write(&mut self, cell: usize, value: Value, access: Access) {
        let cell = &mut self.all[cell];
        (cell.value, cell.written, cell.read) = (Some(value), access, NOTHING);
        if cell.more > 0 {
            self.more[cell.more as usize] = More::default();
        }
    }

    /// Records the reads that a packet follows.
    pub(super) fn follow(&mut self, cell: usize, steps: Vec<u32>) {
        self.more(cell).follows = steps;
    }

    fn more(&mut self, cell: usize) -> &mut More {
        let more = &mut self.all[cell].more;
        if *more == 0 {
            *more = self.more.len() as u32;
            self.more.push(More::default());
        }
        &mut self.more[*more as usize]
    }
}
