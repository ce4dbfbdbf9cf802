//! Vector clock: per thread, the last epoch known to be complete.

use std::rc::Rc;

/// Threads whose last epochs are kept apart. Trades time of copies and look-ups for copies of the shared list.
/// Measured: plans for 128 GPUs run as fast with 4 as with 8.
const NEAR: usize = 4;

/// Threads of a block, whose last epochs are compared at once: 16 of 16 bits are two of the smallest vectors of
/// processors. Trades shorter blocks for fewer comparisons. Not measured alone.
const LANES: u32 = 16;

/// Per thread, the last complete epoch. Missing threads have none. The latest entries are kept apart. The rest is
/// shared between copies until the entries kept apart overflow, since a signal sends the whole clock of its thread.
///
/// Epochs have 15 bits: formats bound the operations of a thread to 64, with at most 24 epochs each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clocks {
    near: [(u32, u16); NEAR],
    /// Number of entries kept apart.
    count: u8,
    /// Ascending.
    far: Option<Rc<Vec<Block>>>,
}

/// Neighbouring threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    /// The number of the first one over [`LANES`].
    number: u32,
    lasts: [i16; LANES as usize],
}

impl Clocks {
    fn far(&self, thread: u32) -> u32 {
        let far = self.far.as_deref().map_or(&[][..], Vec::as_slice);
        let at = far.binary_search_by_key(&(thread / LANES), |block| block.number);
        at.map_or(0, |at| far[at].lasts[(thread % LANES) as usize] as u32)
    }

    /// Whether an epoch of a thread is complete.
    pub(super) fn has(&self, thread: u32, stretch: u32) -> bool {
        let near = &self.near[..usize::from(self.count)];
        near.iter()
            .any(|known| known.0 == thread && u32::from(known.1) >= stretch)
            || self.far(thread) >= stretch
    }

    /// Records that an epoch and all earlier ones are complete.
    pub(super) fn learn(&mut self, thread: u32, stretch: u32) {
        let (count, last) = (usize::from(self.count), stretch.min(i16::MAX as u32) as u16);
        if let Some(known) = self.near[..count]
            .iter_mut()
            .find(|known| known.0 == thread)
        {
            known.1 = known.1.max(last);
            return;
        }
        if self.far(thread) >= stretch {
            return;
        }
        if count == NEAR {
            self.settle();
        }
        self.near[usize::from(self.count)] = (thread, last);
        self.count += 1;
    }

    /// Moves the entries kept apart to the rest.
    fn settle(&mut self) {
        let far = Rc::make_mut(self.far.get_or_insert_default());
        for &(thread, last) in &self.near {
            let number = thread / LANES;
            let at = far
                .binary_search_by_key(&number, |block| block.number)
                .unwrap_or_else(|at| {
                    far.insert(
                        at,
                        Block {
                            number,
                            lasts: [0; LANES as usize],
                        },
                    );
                    at
                });
            let known = &mut far[at].lasts[(thread % LANES) as usize];
            *known = (*known).max(last as i16);
        }
        self.count = 0;
    }

    /// Joins two clocks. Linear in both, unless they share their lists.
    pub(super) fn join(&mut self, other: &Clocks) {
        if let Some(far) = &other.far {
            match &mut self.far {
                Some(mine) if Rc::ptr_eq(mine, far) => {}
                Some(mine) => match compared(mine, far) {
                    [_, false] => {}
                    [false, true] => self.far = Some(far.clone()),
                    [true, true] => *mine = Rc::new(joined(mine, far)),
                },
                None => self.far = Some(far.clone()),
            }
        }
        let near = &other.near[..usize::from(other.count)];
        for &(thread, last) in near.iter() {
            self.learn(thread, last.into());
        }
    }
}

/// Whether each list has an epoch that the other lacks.
fn compared(one: &[Block], other: &[Block]) -> [bool; 2] {
    let [mut more, mut less] = [false; 2];
    let (mut at, mut there) = (0, 0);
    while !(more && less) {
        match (one.get(at), other.get(there)) {
            (Some(mine), Some(theirs)) if mine.number == theirs.number => {
                let pairs = || mine.lasts.iter().zip(&theirs.lasts);
                more |= pairs().fold(false, |more, (mine, theirs)| more | (mine > theirs));
                less |= pairs().fold(false, |less, (mine, theirs)| less | (mine < theirs));
                (at, there) = (at + 1, there + 1);
            }
            (Some(mine), Some(theirs)) if mine.number < theirs.number => {
                (more, at) = (true, at + 1)
            }
            (_, Some(_)) => (less, there) = (true, there + 1),
            (Some(_), None) => return [true, less],
            (None, None) => break,
        }
    }
    [more, less]
}

/// Joins two lists.
fn joined(one: &[Block], other: &[Block]) -> Vec<Block> {
    let mut all = Vec::with_capacity(one.len().max(other.len()) + 4);
    let (mut at, mut there) = (0, 0);
    while let (Some(mine), Some(theirs)) = (one.get(at), other.get(there)) {
        let (here, next) = (mine.number <= theirs.number, theirs.number <= mine.number);
        let mut block = if here { *mine } else { *theirs };
        if here && next {
            for (mine, &theirs) in block.lasts.iter_mut().zip(&theirs.lasts) {
                *mine = (*mine).max(theirs);
            }
        }
        all.push(block);
        (at, there) = (at + usize::from(here), there + usize::from(next));
    }
    all.extend_from_slice(&one[at..]);
    all.extend_from_slice(&other[there..]);
    all
}
