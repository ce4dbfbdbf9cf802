//! A seeded generator: the same seed draws the same numbers on every machine.

use oneport_platform::Rational;

use crate::ratio;

/// Numbers that look random (SplitMix64, Steele, Lea, Flood 2014). Every seed is valid.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// Dice whose first numbers differ even if seeds are neighbours.
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EED)
    }

    /// Any number of 64 bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number of `0..limit`, of the limit's type.
    ///
    /// # Panics
    /// The limit is 0 or negative.
    #[track_caller]
    pub fn below<N>(&mut self, limit: N) -> N
    where
        N: TryFrom<u64> + Copy,
        u64: TryFrom<N>,
    {
        let most = u64::try_from(limit).ok().filter(|most| *most > 0);
        let number = most.and_then(|most| N::try_from(self.roll() % most).ok());
        number.unwrap_or_else(|| panic!("a limit above 0"))
    }

    /// A number of `low..=high`.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True once in `chances` draws, on average.
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// True in `percent` of a hundred draws, on average.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Numerator and denominator of `1..=largest`.
    pub fn fraction(&mut self, largest: i64) -> Rational {
        let numerator = 1 + self.below(largest);
        ratio(numerator, 1 + self.below(largest))
    }

    /// A cost: numerator of `1..=8`, denominator of `1..=3`.
    pub fn cost(&mut self) -> Rational {
        let numerator = 1 + self.below(8);
        ratio(numerator, 1 + self.below(3))
    }

    /// Any order of a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}
