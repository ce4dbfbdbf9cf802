//! A set of short runs of numbers, in the order of insertion.

/// Slots of the smallest table. Trades memory for growth. Not measured.
const SMALLEST: usize = 64;

/// Distinct runs of numbers, numbered in the order of insertion: one list of numbers, and open addressing over it.
pub(super) struct Keys {
    numbers: Vec<u16>,
    /// End of each run.
    ends: Vec<usize>,
    /// Run number plus 1, or 0. The number of slots is a power of two.
    slots: Vec<u32>,
}

impl Keys {
    pub(super) fn new() -> Keys {
        Keys {
            numbers: Vec::new(),
            ends: Vec::new(),
            slots: vec![0; SMALLEST],
        }
    }

    /// The run of that number.
    pub(super) fn get(&self, run: usize) -> &[u16] {
        let start = run.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start..self.ends[run]]
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        2 * self.numbers.len() + 8 * self.ends.len() + 4 * self.slots.len()
    }

    /// Adds a run. Returns false if it is present already.
    pub(super) fn insert(&mut self, run: &[u16]) -> bool {
        if 2 * (self.ends.len() + 1) > self.slots.len() {
            self.grow();
        }
        let slot = self.find(run);
        if self.slots[slot] != 0 {
            return false;
        }
        self.numbers.extend_from_slice(run);
        self.ends.push(self.numbers.len());
        self.slots[slot] = self.ends.len() as u32;
        true
    }

    /// The slot of a run, or the free one in which it belongs.
    fn find(&self, run: &[u16]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(run) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return slot,
                number if self.get(number as usize - 1) == run => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; 2 * self.slots.len()];
        for run in 0..self.ends.len() {
            let slot = self.find_free(run);
            self.slots[slot] = run as u32 + 1;
        }
    }

    fn find_free(&self, run: usize) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(self.get(run)) as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Multiply and fold.
fn hash(run: &[u16]) -> u64 {
    let folded = run.iter().fold(run.len() as u64 + 1, |hash, &number| {
        (hash ^ u64::from(number))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(23)
    });
    folded ^ (folded >> 29)
}
