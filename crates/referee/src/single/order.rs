//! Carrying out the merges of a reduction that is not commutative: operand names are really put together.
//!
//! A merge puts two words side by side, the receiver's own and the one received. Which of the two is on the left is
//! decided by their processors alone: if both are stretches of neighbours, as they must be, it is the one of the
//! smaller processor. Merges of one processor that start at the same date (they then take no time) are executed from
//! near to far on either side: stretches that can be merged at all in some order can be merged in this one, since
//! merging one neighbour never parts the others.

use std::ops::Range;

use super::ticks::{Column, Number};
use super::tree::Tree;
use crate::Violation;
use crate::violation::fault;

/// Words written out. Longer lists are intervals of operands. Trades memory for simple comparisons. Not measured.
const WORDS: usize = 4096;

/// The order in which one processor merges: by date, then from near to far.
fn by_date<N: Number>(receiver: usize, children: &[u32], merges: &Column<'_, N>) -> Vec<usize> {
    let key = |&child: &u32| {
        (
            merges.at(child as usize),
            (child as usize).abs_diff(receiver),
            child,
        )
    };
    let mut keys: Vec<_> = children.iter().map(key).collect();
    keys.sort_unstable();
    keys.into_iter()
        .map(|(_, _, child)| child as usize)
        .collect()
}

/// Checks that the result combines all operands in their order. O(n log n).
///
/// # Errors
/// The first merge, from the leaves to the root, of values that are not neighbours. A wrong result.
pub(super) fn check_order<N: Number>(tree: &Tree, merges: &Column<'_, N>) -> Result<(), Violation> {
    if tree.len() > WORDS {
        return check_stretches(tree, merges);
    }
    let found = word(tree, merges);
    let right: String = (0..tree.len()).map(name).collect();
    if found == right {
        return Ok(());
    }
    // The words name the wrong result, the stretches its entries.
    check_stretches(tree, merges)?;
    Err(fault!(Single, "the result combines {found}"; "it must combine {right}"))
}

fn name(operand: usize) -> String {
    format!("<{operand}>")
}

/// The word that ends at the root.
fn word<N: Number>(tree: &Tree, merges: &Column<'_, N>) -> String {
    let mut words: Vec<String> = (0..tree.len()).map(name).collect();
    for receiver in tree.upwards() {
        for child in by_date(receiver, tree.children(receiver), merges) {
            let received = std::mem::take(&mut words[child]);
            let own = &mut words[receiver];
            if child < receiver {
                own.insert_str(0, &received);
            } else {
                own.push_str(&received);
            }
        }
    }
    words.swap_remove(tree.root())
}

/// The order by stretches `first..end` of operands.
fn check_stretches<N: Number>(tree: &Tree, merges: &Column<'_, N>) -> Result<(), Violation> {
    let mut stretches: Vec<(u32, u32)> = (0..tree.len() as u32)
        .map(|operand| (operand, operand + 1))
        .collect();
    for receiver in tree.upwards() {
        let children = tree.children(receiver);
        let (mut first, mut end) = stretches[receiver];
        for sender in by_date(receiver, children, merges) {
            let (from, to) = stretches[sender];
            if to == first {
                first = from;
            } else if from == end {
                end = to;
            } else {
                let (held, received) = (operands(first..end), operands(from..to));
                let found = format!(
                    "processor {receiver} holds {held} when it merges {received} from processor {sender}"
                );
                let right = "only neighbours may be merged, the operands keep their order";
                return Err(fault!(Single, "{found}"; "{right}"));
            }
        }
        stretches[receiver] = (first, end);
    }
    let (first, end) = stretches[tree.root()];
    let right = 0..tree.len() as u32;
    if (first..end) == right {
        return Ok(());
    }
    Err(
        fault!(Single, "the result combines {}", operands(first..end); "it must combine {}", operands(right)),
    )
}

fn operands(stretch: Range<u32>) -> String {
    let last = stretch.end.saturating_sub(1);
    if stretch.start == last {
        format!("operand {last}")
    } else {
        format!("operands {} to {last}", stretch.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words and stretches agree on every tree and every order of its merges, ties included, of up to 6 processors.
    #[test]
    fn words_and_stretches_agree() {
        let (mut right, mut wrong) = (0, 0);
        for processors in 1..=5_usize {
            for code in 0..processors.pow(processors as u32) {
                let partners: Vec<u32> = (0..processors)
                    .map(|p| (code / processors.pow(p as u32) % processors) as u32)
                    .collect();
                let Some(root) = (0..processors).find(|&p| partners[p] as usize == p) else {
                    continue;
                };
                let Ok(tree) = Tree::new(&partners, root as u32, "receiver") else {
                    continue;
                };
                for dates in 0..3_u32.pow(processors as u32) {
                    let dates = (0..processors as u32)
                        .map(|p| u128::from(dates / 3_u32.pow(p) % 3))
                        .collect();
                    let merges = Column::Values(dates);
                    let expected: String = (0..processors).map(name).collect();
                    let by_words = word(&tree, &merges) == expected;
                    assert_eq!(
                        by_words,
                        check_stretches(&tree, &merges).is_ok(),
                        "{partners:?} {merges:?}"
                    );
                    assert_eq!(by_words, check_order(&tree, &merges).is_ok());
                    if by_words { right += 1 } else { wrong += 1 }
                }
            }
        }
        assert!(
            right > 10_000 && wrong > 10_000,
            "{right} right, {wrong} wrong"
        );
    }
}
