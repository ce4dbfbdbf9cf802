//! The table's inner loops over many processors at once, compiled for several kinds of vectors: the machine's is chosen
//! when the program runs. Integers, so every machine computes the same.

use pulp::{Arch, NullaryFnOnce};

/// Processors per vector operation. Rows are padded to a multiple. Trades padding for shorter loops. Not measured.
pub(super) const LANES: usize = 16;

/// The vector instructions of this machine. A row has a multiple of [`LANES`] numbers. Two of them add up within 31
/// bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes(Arch);

impl Lanes {
    pub(super) fn new() -> Self {
        Lanes(Arch::new())
    }

    /// Sets `least` to the least `left + right` over all pairs of rows, at most `most`. Rows have the length of
    /// `least`.
    pub(super) fn least_sums(self, left: &[i32], right: &[i32], most: i32, least: &mut [i32]) {
        self.0.dispatch(LeastSums {
            left,
            right,
            most,
            least,
        });
    }

    /// Lowers every number of `held` to `price + row`, if that is less.
    pub(super) fn lower(self, held: &mut [i32], price: i32, row: &[i32]) {
        self.0.dispatch(Lower { held, price, row });
    }
}

/// [`Lanes::least_sums`].
struct LeastSums<'a> {
    left: &'a [i32],
    right: &'a [i32],
    most: i32,
    least: &'a mut [i32],
}

impl NullaryFnOnce for LeastSums<'_> {
    type Output = ();

    // Must be inlined: otherwise it is not compiled for the chosen vector instructions.
    #[inline(always)]
    fn call(self) {
        let (left, right) = (
            self.left.as_chunks::<LANES>().0,
            self.right.as_chunks::<LANES>().0,
        );
        let blocks = self.least.len() / LANES;
        for (block, found) in self.least.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut least = [self.most; LANES];
            let pairs = left
                .iter()
                .skip(block)
                .step_by(blocks)
                .zip(right.iter().skip(block).step_by(blocks));
            for (left, right) in pairs {
                for lane in 0..LANES {
                    least[lane] = least[lane].min(left[lane] + right[lane]);
                }
            }
            *found = least;
        }
    }
}

/// [`Lanes::lower`].
struct Lower<'a> {
    held: &'a mut [i32],
    price: i32,
    row: &'a [i32],
}

impl NullaryFnOnce for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (held, row) in self.held.iter_mut().zip(self.row) {
            *held = (*held).min(self.price + row);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(blocks: usize, count: usize) -> impl Strategy<Value = Vec<i32>> {
        prop::collection::vec(prop_oneof![0..50i32, 0..1 << 30], blocks * LANES * count)
    }

    proptest! {
        #[test]
        fn least_sums_are_those_of_single_numbers(
            (width, left, right, most) in (1..5usize, 0..9usize).prop_flat_map(|(blocks, count)| {
                (Just(blocks * LANES), rows(blocks, count), rows(blocks, count), prop_oneof![0..90i32, Just(i32::MAX)])
            })
        ) {
            let mut found = vec![-1; width];
            Lanes::new().least_sums(&left, &right, most, &mut found);
            let sum = |index: usize| left[index] + right[index];
            for (lane, &found) in found.iter().enumerate() {
                prop_assert_eq!(found, (lane..left.len()).step_by(width).map(sum).fold(most, i32::min));
            }
        }

        #[test]
        fn lower_is_that_of_single_numbers(
            (before, row, price) in (0..5usize).prop_flat_map(|blocks| (rows(blocks, 1), rows(blocks, 1), 0..99i32))
        ) {
            let mut found = before.clone();
            Lanes::new().lower(&mut found, price, &row);
            for lane in 0..before.len() {
                prop_assert_eq!(found[lane], if price + row[lane] < before[lane] { price + row[lane] } else { before[lane] });
            }
        }
    }
}
