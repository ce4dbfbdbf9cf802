//! Runs two peelings of the same graph and keeps the cheaper result.

use oneport_watch::{Limit, Watch};

/// Price of a step, in listed edges: a step has a date, at which transfers may be cut. Trades fewer steps for fewer
/// listed edges. Not measured.
const STEP_COST: usize = 8;

/// A peeling with the steps taken so far and their cost.
struct PartialPeeling<'a, W> {
    steps: Box<dyn Iterator<Item = (W, Vec<usize>)> + 'a>,
    taken: Vec<(W, Vec<usize>)>,
    cost: usize,
}

impl<'a, W> PartialPeeling<'a, W> {
    fn new(steps: impl Iterator<Item = (W, Vec<usize>)> + 'a) -> Self {
        PartialPeeling {
            steps: Box::new(steps),
            taken: Vec::new(),
            cost: 0,
        }
    }

    /// Takes one more step. Returns `false` if no step is left.
    fn advance(&mut self) -> bool {
        let Some(step) = self.steps.next() else {
            return false;
        };
        self.cost += STEP_COST + step.1.len();
        self.taken.push(step);
        true
    }
}

/// The cheaper sequence of steps, the first one on a tie.
///
/// The watch is checked at every step. The run that has cost less so far advances, so the first to end is the cheapest,
/// and the other one has not gone further than the winner: at most twice the work of the winner alone.
pub(crate) fn race<'a, W>(
    first: impl Iterator<Item = (W, Vec<usize>)> + 'a,
    second: impl Iterator<Item = (W, Vec<usize>)> + 'a,
    watch: &Watch,
) -> Result<Vec<(W, Vec<usize>)>, Limit> {
    let (mut first, mut second) = (PartialPeeling::new(first), PartialPeeling::new(second));
    loop {
        watch.ask()?;
        let leader = if first.cost <= second.cost {
            &mut first
        } else {
            &mut second
        };
        if !leader.advance() {
            return Ok(std::mem::take(&mut leader.taken));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(lists: &[usize]) -> impl Iterator<Item = (usize, Vec<usize>)> {
        lists.iter().map(|&listed| (lists.len(), vec![0; listed]))
    }

    fn steps(
        first: impl Iterator<Item = (usize, Vec<usize>)>,
        second: impl Iterator<Item = (usize, Vec<usize>)>,
    ) -> usize {
        race(first, second, &Watch::unlimited()).unwrap().len()
    }

    #[test]
    fn the_cheaper_run_wins_and_the_first_on_a_tie() {
        let few_long: &[usize] = &[40, 40];
        let many_short: &[usize] = &[2, 2, 2];
        assert_eq!(steps(run(few_long), run(many_short)), 3);
        assert_eq!(steps(run(many_short), run(few_long)), 3);
        assert_eq!(steps(run(&[8]), run(&[0, 0])), 1);
        assert_eq!(steps(run(&[0, 0]), run(&[8])), 2);
        assert_eq!(steps(run(&[]), run(&[])), 0);
    }
}
