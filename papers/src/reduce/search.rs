//! `opt(G, K)` of RR-4872 for series of reduces (section 4.5, proposition 3), by trying every schedule.
//!
//! Operands carry no time-stamp: a result is made of one operand of each owner, which has any number of them, so stamps
//! can be given to any schedule afterwards.

use anyhow::{Context, Result};
use oneport::plan::Interval;

use super::tasks::{self, owns};
use crate::cases::Case;
use crate::search::Game;

/// The smaller of `opt(G, K)` and `most`, for every `K` from 0 to `horizon`. `opt(G, K)` is the most results at the
/// target by `K`. See [`Game::most_by`].
///
/// # Errors
/// The case is not a reduce, or a time is not a whole number below 256.
pub fn opt_up_to(case: &Case, horizon: usize, most: u8) -> Result<Vec<u64>> {
    let (target, participants) = tasks::ends(case)?;
    let (platform, count) = (&case.platform, participants.len());
    let parts = |first: usize| (first..count).map(move |last| Interval { first, last });
    let values: Vec<Interval> = (0..count).flat_map(parts).collect();
    let number = |part: Interval| {
        values
            .iter()
            .position(|&value| value == part)
            .context("a partial result")
    };
    let mut game = Game::new(platform, values.len())?;
    let mut recipes = Vec::new();
    for (value, &part) in values.iter().enumerate() {
        game.owned[value] = platform
            .node_ids()
            .map(|node| owns(participants, (part, node)))
            .collect();
        // A result that leaves the target, or a value that returns to its owner, gains nothing.
        let result = part.last - part.first + 1 == count;
        let useful = |link: &oneport::platform::Link| {
            !(result && link.from == target || owns(participants, (part, link.to)))
        };
        game.useful[value] = platform.links().iter().map(useful).collect();
        for split in part.first..part.last {
            let (left, right) = part.split(split);
            recipes.push((value, [number(left)?, number(right)?]));
        }
        if result {
            game.wanted.push((value, target));
        }
    }
    Ok(game.merging(recipes)?.most_by(horizon, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn small_optima_are_what_one_finds_by_hand() -> Result<()> {
        let pair = cases::platform("0 1", &[("1", "0", "2")])?;
        // The first operand arrives at 2 and is merged at 3. Then one result follows every 2.
        assert_eq!(
            opt_up_to(&cases::reduce("pair", pair, "0", "0 1")?, 7, 9)?,
            [0, 0, 0, 1, 1, 2, 2, 3]
        );
        let line = cases::platform("0 1 2", &[("0", "1", "1"), ("1", "2", "1")])?;
        // v1 leaves while v0 arrives, and is merged while v0 goes on. From 4 on there is one result per unit of time.
        assert_eq!(
            opt_up_to(&cases::reduce("line", line, "2", "0 1 2")?, 6, 9)?,
            [0, 0, 0, 1, 1, 2, 3]
        );
        Ok(())
    }
}
