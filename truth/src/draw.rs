//! Random choices that depend on a seed alone.

/// A stream of random numbers: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// The stream of one instance of a run.
    pub fn new(seed: u64, instance: u64) -> Self {
        let mut draw = Draw(seed);
        let start = draw.next() ^ instance;
        Draw(start)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..n`, nearly uniform for small `n`. 0 for `n = 0`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % (n.max(1) as u64)) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    /// True in `cases` of a hundred cases.
    pub fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    /// One of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// A list in random order.
    pub fn shuffled<T>(&mut self, list: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut list: Vec<T> = list.into_iter().collect();
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
        list
    }
}
