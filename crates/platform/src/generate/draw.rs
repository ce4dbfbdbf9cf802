//! Seeded draws whose bytes do not depend on the version of the `rand` crates.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The decision that a stream of random numbers makes. The discriminant is the ChaCha nonce.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// Positions of nodes, and links.
    Graph = 0,
    /// Compute costs.
    Compute = 1,
    /// Link costs.
    Link = 2,
    /// Which LAN nodes of a Tiers network compute.
    Host = 3,
}

/// One stream of random numbers.
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    pub(super) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(purpose as u64);
        Draw(rng)
    }

    /// A uniform integer in `0..n`. 0 when `n` is 0.
    ///
    /// Words at or above the largest multiple of `n` are skipped, so no residue is favoured.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let skipped = (u64::MAX % n + 1) % n; // 2^64 mod n
        loop {
            let word = self.0.next_u64();
            if word <= u64::MAX - skipped {
                return word % n;
            }
        }
    }

    /// A uniform index of a list of `length` entries.
    pub(super) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A uniform integer in `low..=high`, for `1 <= low <= high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// A uniform entry. `None` of an empty list.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.index(list.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published ChaCha8 key stream of the all-zero key and nonce begins 3e 00 ef 2f 89 5f 40 d6.
    #[test]
    fn the_bytes_are_the_published_chacha8_key_stream() {
        let mut draw = Draw::new(0, Purpose::Graph);
        assert_eq!(
            draw.below(u64::MAX).to_le_bytes(),
            [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]
        );
    }

    #[test]
    fn every_value_is_drawn_about_equally_often() {
        let mut draw = Draw::new(7, Purpose::Graph);
        for n in [1, 2, 3, 10] {
            let mut counts = vec![0; n];
            for _ in 0..1000 * n {
                counts[draw.index(n)] += 1;
            }
            // Five standard deviations are below 160.
            assert!(
                counts
                    .iter()
                    .all(|&count: &i32| (840..=1160).contains(&count)),
                "{n}: {counts:?}"
            );
        }
    }

    #[test]
    fn words_of_the_incomplete_round_are_skipped() {
        // For n = 2^63 + 1 almost every second word lies beyond the only whole round.
        let n = (1 << 63) + 1;
        let mut draw = Draw::new(3, Purpose::Graph);
        let mut twin = Draw::new(3, Purpose::Graph);
        for _ in 0..100 {
            let expected = std::iter::repeat_with(|| twin.0.next_u64()).find(|&word| word < n);
            assert_eq!(Some(draw.below(n)), expected);
        }
    }

    #[test]
    fn purposes_and_seeds_have_streams_of_their_own() {
        let purposes = [
            Purpose::Graph,
            Purpose::Compute,
            Purpose::Link,
            Purpose::Host,
        ];
        let mut first: Vec<u64> = purposes
            .iter()
            .map(|&purpose| Draw::new(1, purpose).below(u64::MAX))
            .collect();
        first.push(Draw::new(2, Purpose::Graph).below(u64::MAX));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 5);
    }

    #[test]
    fn the_widest_range_does_not_overflow() {
        let mut draw = Draw::new(1, Purpose::Link);
        assert!(draw.between(1, u64::MAX) >= 1);
        assert_eq!(draw.between(u64::MAX, u64::MAX), u64::MAX);
    }
}
