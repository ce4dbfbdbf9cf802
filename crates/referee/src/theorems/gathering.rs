//! **Gathering theorem.** Let a scheme of an all-reduce of `n >= 2` operands join all of them first at some task `t`,
//! a merge. Going back from `t` meets `n - 1` merges and some transfers: a tree, since what is merged has no operand in
//! common. Let `m` of these merges be inside a set of nodes that holds `p > 0` participants. Then at least `m - p + 2`
//! transfers enter the set, or `m - p + 1` if `t` is inside.
//!
//! *Proof.* Follow the tree's values inside the set: `p` operands start there, `a` values enter, every merge makes one
//! of two, `b` values leave, and in the end there is one if `t` is inside and none if it is not. So `p + a - m - b` is
//! 1 or 0. If `t` is inside, `a >= m - p + 1`. If it is not, `b >= 1`, since the operands inside get to `t`. If `b >=
//! 2`, `a >= m - p + 2`. If `b = 1`, all that the tree ever brings in or finds inside leaves as part of one value,
//! which is not of all operands, as these meet at `t` only. The participants inside need the result, so an operand that
//! this value lacks has to enter. No transfer of the tree brings it: one more than `a` enters. QED
//!
//! **Inequality.** Let `x` be the transfers that enter the set, and `r` 1 if `t` is inside, else 0: `x - m + r >= 2 -
//! p`. The merges `m` are those behind `t`. Others are charged nothing, so a merge is charged at most its positive
//! part.
//!
//! (Disjoint sets of equal weight that hold all processors: the counting theorem, for `Y` is the same everywhere.)

use num_bigint::BigInt;
use oneport_plan::inequality::Gathering;

use super::asked::{Asked, check_sets, inside, participants, whole};
use crate::Violation;
use crate::charges::Charges;

pub(super) fn check(asked: &Asked<'_, '_>, gathering: &Gathering) -> Result<(), Violation> {
    check_sets(
        asked.case.platform,
        std::slice::from_ref(&gathering.nodes),
        participants(asked)?,
    )
}

pub(super) fn charge(
    asked: &Asked<'_, '_>,
    gathering: &Gathering,
    weight: &BigInt,
    charges: &mut Charges<'_>,
) -> BigInt {
    let inside = inside(&gathering.nodes, asked.case.platform);
    charges.transfers(weight, |from, to| i64::from(inside[to] && !inside[from]));
    for node in &gathering.nodes {
        charges.merges[*node] -= weight;
        charges.joins[*node] += weight;
    }
    whole(2)
        - whole(
            asked
                .demand
                .operands
                .iter()
                .filter(|owner| inside[**owner])
                .count(),
        )
}
