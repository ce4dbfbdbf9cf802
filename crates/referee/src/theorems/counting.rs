//! **Counting theorem.** Let `k >= 2` sets hold a participant each, and let every processor lie in exactly one of them.
//! Then the transfers of an instance enter them at least `2 (k - 1)` times. *Proof.* Choose a participant in every set.
//! Let `t` be the first index in the list of transfers by which some set `r` has, jointly, the operands of all of them.
//! For each other set `j` follow the path of its participant's operand into `r` by `t`. Let `s` be the last node of the
//! path that is a processor of set `j`, and `m` the set of the next processor on it (or `r`, if none follows). `s` is
//! not in `m`, so some transfer `x` of this piece enters `m`. Routers lie between: they do not merge, so `x` determines
//! `s`, hence `j`. That makes `k - 1` pairs `(x, m)`. Each set `j` other than `r` lacks an operand before `t`. The
//! transfer that brings the last missing one, at `t` or later, enters `j`: `k - 1` pairs `(y, j)`. If `(y, j)` were one
//! of the first kind, then `y` were at index `t`, entering both `r` and `j`: it ends at a router, since a processor
//! lies in one set only. But its piece goes on, after `t`, to a processor of `j`, though all pieces end by `t`.
//!
//! Read the list backwards with all links turned: sets are left at least `2 (k - 1)` times if every node that
//! replicates lies in exactly one of them. That a set with some of the participants is entered, and left, needs no
//! proof.

use num_bigint::BigInt;
use oneport_plan::inequality::{Border, Direction};
use oneport_platform::Node;

use super::asked::{Asked, check_sets, holding, participants, whole};
use crate::Violation;
use crate::charges::Charges;
use crate::violation::fault;

pub(super) fn check(asked: &Asked<'_, '_>, border: &Border) -> Result<(), Violation> {
    let (platform, participants) = (asked.case.platform, participants(asked)?);
    check_sets(platform, &border.sets, participants)?;
    if let [set] = border.sets.as_slice() {
        return if participants
            .iter()
            .all(|node| set.binary_search(node).is_ok())
        {
            Err(
                fault!(Certificate, "it holds all participants"; "a single set leaves out at least one"),
            )
        } else {
            Ok(())
        };
    }
    let (once, right): (fn(&Node) -> bool, _) = match border.direction {
        Direction::Into => (
            Node::merges,
            "every node that merges lies in exactly one set",
        ),
        Direction::OutOf => (
            |node| node.replicates,
            "every node that replicates lies in exactly one set",
        ),
    };
    let holding = holding(&border.sets, platform);
    match platform
        .nodes()
        .iter()
        .zip(&holding)
        .find(|(node, sets)| once(node) && sets.len() != 1)
    {
        Some((node, sets)) => Err(
            fault!(Certificate, "'{}' lies in {} of its sets", node.name, sets.len(); "{right}"),
        ),
        None => Ok(()),
    }
}

pub(super) fn charge(
    asked: &Asked<'_, '_>,
    border: &Border,
    weight: &BigInt,
    charges: &mut Charges<'_>,
) -> BigInt {
    let holding = holding(&border.sets, asked.case.platform);
    charges.transfers(weight, |from, to| {
        let (inside, outside) = if border.direction == Direction::Into {
            (to, from)
        } else {
            (from, to)
        };
        let outside = &holding[outside];
        let crossed = holding[inside]
            .iter()
            .filter(|set| outside.binary_search(set).is_err())
            .count();
        i64::try_from(crossed).unwrap_or(i64::MAX)
    });
    match border.sets.len() {
        1 => whole(1),
        sets => whole(2 * (sets - 1)),
    }
}
