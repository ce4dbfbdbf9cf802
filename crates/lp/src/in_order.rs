//! Operators that keep their operands' order, on symmetric platforms.
//!
//! A renaming of the participants maps a partial result to that of other operands, which need not be neighbours: the
//! cyclic shift of four participants maps `v[2,3]` to `v[3]` and `v[0]`, which nothing can combine. So a quotient by
//! symmetry is not a quotient of the ordered question. But a box of a cluster is mapped to a box: there are partial
//! results whose images are intervals under every renaming of a group ([`Intervals::new`]), single operands and the
//! whole among them.
//!
//! **Images.** Let a reduction tree send no other partial results than these. Every processor merges the values that
//! arrive and its own value to a partial result `S`, and sends `S` on. The image of `S` is an interval, and it consists
//! of the images of the merged values, which are intervals side by side in some order. The image merges them in this
//! order ([`image`]). Transfers keep their number of operands, and every processor its number of merges. So if sizes
//! depend on the number of operands alone and all merges are the same work, the image loads the image of every resource
//! as the tree loads the resource.
//!
//! So the steady states of these trees have a quotient. Others may be faster. The quotient is optimal if its prices
//! prove that they are not.

use oneport_plan::{Amount, Interval, Pattern, Task, Volumes};
use oneport_platform::{LinkId, NodeId};

/// Images of intervals looked at. Trades more restricted trees for time. Not measured.
const MOST_IMAGES: usize = 1 << 26;

/// Intervals of operands whose images are intervals under every renaming.
#[derive(Debug, Clone)]
pub(crate) struct Intervals {
    operands: usize,
    /// Per first and last operand.
    are: Vec<bool>,
}

impl Intervals {
    /// For renamings given as the images of all operands. `None` if loads would change, or if the work is too large.
    /// `O(g n^2)` for `g` renamings of `n` operands.
    pub(crate) fn new(
        renamings: &[Vec<usize>],
        operands: usize,
        volumes: &Volumes,
    ) -> Option<Self> {
        let by_count = !matches!(volumes.size, Amount::Table(_));
        let images = renamings
            .len()
            .saturating_mul(operands)
            .saturating_mul(operands);
        if !by_count || volumes.work.constant().is_none() || images > MOST_IMAGES {
            return None;
        }
        let mut are = vec![true; operands * operands];
        for renaming in renamings {
            for first in 0..operands {
                let (mut least, mut most) = (operands, 0);
                for last in first..operands {
                    (least, most) = (least.min(renaming[last]), most.max(renaming[last]));
                    are[first * operands + last] &= most - least == last - first;
                }
            }
        }
        Some(Intervals { operands, are })
    }

    /// Whether this interval is one of them.
    pub(crate) fn has(&self, part: Interval) -> bool {
        self.are
            .get(part.first * self.operands + part.last)
            .is_some_and(|&is| is)
    }
}

/// A renaming of nodes, links and operands.
pub(crate) struct Renaming<'r> {
    /// Per node: its image.
    pub nodes: &'r [NodeId],
    /// Per link: its image.
    pub links: &'r [LinkId],
    /// Per operand: its image.
    pub operands: &'r [usize],
}

/// The image of a pattern, for this demand: where values are combined, that of a reduction tree, or of a reduction tree
/// and copies of its result.
pub(crate) fn image(pattern: &Pattern, renaming: &Renaming<'_>, demand: usize) -> Pattern {
    let mut image = Pattern::new(demand);
    renaming.tasks(&pattern.tasks, &mut image);
    image
}

impl Renaming<'_> {
    /// The interval that the operands of a part are renamed to.
    fn part(&self, part: Interval) -> Interval {
        let images = || self.operands[part.first..=part.last].iter().copied();
        Interval {
            first: images().min().unwrap_or(part.first),
            last: images().max().unwrap_or(part.last),
        }
    }

    fn tasks(&self, tasks: &[Task], image: &mut Pattern) {
        // Merges whose result is merged again at the same processor. They have no separate image.
        let mut passed = vec![false; tasks.len()];
        for task in tasks
            .iter()
            .filter(|task| matches!(task, Task::Merge { .. }))
        {
            for input in task.inputs() {
                passed[input] = matches!(tasks[input], Task::Merge { .. });
            }
        }
        // Per task: the index of its image.
        let mut indices: Vec<Option<u32>> = vec![None; tasks.len()];
        for (number, task) in tasks.iter().enumerate() {
            indices[number] = match *task {
                Task::Send { link, part, after } => {
                    let after = after.and_then(|after| indices[after as usize]);
                    image.send(self.links[link.index()], self.part(part), after)
                }
                Task::Merge { .. } if passed[number] => continue,
                Task::Merge { node, .. } => {
                    let mut inputs = Vec::new();
                    self.gather(tasks, number, &indices, &mut inputs);
                    inputs.sort_unstable();
                    merge_all(self.nodes[node.index()], &inputs, image)
                }
            };
        }
    }

    /// The inputs of a merge that arrived at its processor or belong there: the images, and the tasks that bring them.
    fn gather(
        &self,
        tasks: &[Task],
        merge: usize,
        indices: &[Option<u32>],
        inputs: &mut Vec<(Interval, Option<u32>)>,
    ) {
        let mut open = vec![merge];
        while let Some(merge) = open.pop() {
            let Task::Merge {
                part,
                split,
                left,
                right,
                ..
            } = tasks[merge]
            else {
                continue;
            };
            let halves = [(part.first, split, left), (split + 1, part.last, right)];
            for (first, last, from) in halves {
                match from.map(|from| from as usize) {
                    Some(from) if matches!(tasks[from], Task::Merge { .. }) => open.push(from),
                    from => inputs.push((
                        self.part(Interval { first, last }),
                        from.and_then(|from| indices[from]),
                    )),
                }
            }
        }
    }
}

/// Merges neighbours from left to right. Returns the index of the last merge.
fn merge_all(node: NodeId, inputs: &[(Interval, Option<u32>)], image: &mut Pattern) -> Option<u32> {
    let (&(mut done, mut left), others) = inputs.split_first()?;
    for &(next, right) in others {
        let split = done.last;
        done = Interval {
            first: done.first,
            last: next.last,
        };
        left = image.merge(node, done, split, [left, right]);
    }
    left
}

#[cfg(test)]
mod tests {
    use oneport_numbers::whole;
    use oneport_plan::{Collective, Problem};
    use oneport_platform::generate::{dgx_a100, torus};

    use super::*;
    use crate::findings::Findings;
    use crate::symmetry::Quotient;
    use crate::{Options, Question};

    fn volumes() -> Volumes {
        let constant = |number: u64| Amount::Constant(whole(number));
        Volumes {
            size: constant(1),
            work: constant(0),
        }
    }

    /// Per length: the first operands of the intervals that remain intervals.
    fn kept(renamings: &[Vec<usize>], operands: usize) -> Vec<Vec<usize>> {
        let intervals = Intervals::new(renamings, operands, &volumes()).unwrap();
        let has = |first: usize, length: usize| {
            intervals.has(Interval {
                first,
                last: first + length - 1,
            })
        };
        (1..=operands)
            .map(|length| {
                (0..=operands - length)
                    .filter(|&first| has(first, length))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn shifts_keep_operands_and_the_whole() {
        let shifts: Vec<Vec<usize>> = (0..5)
            .map(|by| (0..5).map(|operand| (operand + by) % 5).collect())
            .collect();
        assert_eq!(
            kept(&shifts, 5),
            [vec![0, 1, 2, 3, 4], vec![], vec![], vec![], vec![0]]
        );
    }

    #[test]
    fn reversing_keeps_everything() {
        let reversed: Vec<usize> = (0..4).rev().collect();
        assert_eq!(
            kept(&[reversed], 4),
            [vec![0, 1, 2, 3], vec![0, 1, 2], vec![0, 1], vec![0]]
        );
    }

    #[test]
    fn boxes_that_are_exchanged_are_kept_and_what_is_inside() {
        let exchanged = [vec![0, 1, 2, 3, 4, 5], vec![3, 4, 5, 0, 1, 2]];
        assert_eq!(
            kept(&exchanged, 6),
            [
                vec![0, 1, 2, 3, 4, 5],
                vec![0, 1, 3, 4],
                vec![0, 3],
                vec![],
                vec![],
                vec![0]
            ]
        );
    }

    #[test]
    fn loads_are_not_carried_over_where_volumes_differ() {
        let one = whole(1);
        let by_operands = Amount::Affine {
            fixed: one.clone(),
            per_operand: one.clone(),
        };
        let (size, work) = (by_operands.clone(), volumes().work);
        assert!(Intervals::new(&[vec![1, 0]], 2, &Volumes { size, work }).is_some());
        assert!(
            Intervals::new(
                &[vec![1, 0]],
                2,
                &Volumes {
                    size: volumes().size,
                    work: by_operands
                }
            )
            .is_none()
        );
        let table = Amount::Table(vec![vec![one.clone(), one.clone()], vec![one]]);
        assert!(
            Intervals::new(
                &[vec![1, 0]],
                2,
                &Volumes {
                    size: table,
                    work: volumes().work
                }
            )
            .is_none()
        );
    }

    /// Boxes around a switch need no other partial results. A ring of five does, and prices prove it.
    #[test]
    fn what_the_quotient_proves() {
        for (platform, expected) in [
            (dgx_a100(2).unwrap(), true),
            (dgx_a100(4).unwrap(), true),
            (torus(&[5]).unwrap(), false),
        ] {
            let participants = platform.processors().collect();
            let collective = Collective::reduce_scatter(participants).in_order();
            let volumes = volumes();
            let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
            let quotient = Quotient::new(&question).unwrap();
            let mut found = Findings::default();
            quotient.solve(&Options::default(), &mut found).unwrap();
            assert_eq!(
                found.known.is_optimal(),
                expected,
                "{} nodes",
                platform.nodes().len()
            );
        }
    }
}
