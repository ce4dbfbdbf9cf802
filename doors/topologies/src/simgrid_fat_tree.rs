//! The routes of SimGrid's fat trees: the goal's number chooses the cable up (d-mod-k), the start's number the cable
//! down.
//!
//! A node of level i has a label of one digit per level: below i a digit counts parents, from i on children. Parent and
//! child differ in the digit between them only.
//!
//! Facts from SimGrid, `FatTreeZone.cpp`.

/// A fat tree: children, parents and parallel cables by level.
pub(super) struct FatTree<'t> {
    pub children: &'t [usize],
    pub parents: &'t [usize],
    pub links: &'t [usize],
    /// Hosts of earlier fat trees of the file: SimGrid counts hosts through.
    pub before: usize,
}

/// A part of a route. Nodes are counted from 0 in their level. Level 0 contains the hosts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// The limiter of a node.
    Limiter { level: usize, index: usize },
    /// A cable, up or down.
    Cable { cable: Cable, down: bool },
}

/// A cable between a node of `level` and one of the level above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cable {
    pub level: usize,
    pub below: usize,
    pub above: usize,
    /// Among parallel ones.
    pub number: usize,
}

/// A node by its level and its label.
#[derive(Clone)]
struct Node {
    level: usize,
    label: Vec<usize>,
}

impl FatTree<'_> {
    /// Number of values of a digit of a label.
    fn base(&self, level: usize, digit: usize) -> usize {
        let list = if digit < level {
            self.parents
        } else {
            self.children
        };
        list.get(digit).copied().unwrap_or(1).max(1)
    }

    fn host(&self, index: usize) -> Node {
        let mut rest = index;
        let digit = |digit: usize| {
            let base = self.base(0, digit);
            let value = rest % base;
            rest /= base;
            value
        };
        Node {
            level: 0,
            label: (0..self.children.len()).map(digit).collect(),
        }
    }

    fn index(&self, node: &Node) -> usize {
        let digits = node.label.iter().enumerate().rev();
        digits.fold(0, |index, (digit, value)| {
            index * self.base(node.level, digit) + value
        })
    }

    fn limiter(&self, node: &Node) -> Step {
        Step::Limiter {
            level: node.level,
            index: self.index(node),
        }
    }

    fn cable(&self, below: &Node, above: &Node, number: usize, down: bool) -> Step {
        let cable = Cable {
            level: below.level,
            below: self.index(below),
            above: self.index(above),
            number,
        };
        Step::Cable { cable, down }
    }

    /// The node of another level that differs in the digit between.
    fn other(&self, node: &Node, level: usize, value: usize) -> Node {
        let mut label = node.label.clone();
        if let Some(digit) = label.get_mut(level.min(node.level)) {
            *digit = value;
        }
        Node { level, label }
    }

    /// The route between two hosts.
    pub(crate) fn route(&self, from: usize, to: usize) -> Vec<Step> {
        let goal = self.host(to);
        let mut here = self.host(from);
        let mut steps = Vec::new();
        let parts = |list: &[usize], level: usize| list.get(level).copied().unwrap_or(1).max(1);
        let above = |node: &Node| {
            let digits = node.label.iter().zip(&goal.label).skip(node.level);
            node.level > 0 && digits.into_iter().all(|(one, other)| one == other)
        };
        while !above(&here) && here.level < self.children.len() {
            let wide = parts(self.parents, here.level);
            let passed = self.parents.iter().take(here.level);
            let number = passed.fold(self.before + to, |number, wide| number / wide.max(&1));
            let number = number % (wide * parts(self.links, here.level));
            let next = self.other(&here, here.level + 1, number % wide);
            steps.push(self.limiter(&here));
            steps.push(self.cable(&here, &next, number / wide, false));
            here = next;
        }
        while here.level > 0 {
            let cables = parts(self.links, here.level - 1);
            let mut port = (self.before + from) % cables * parts(self.children, here.level - 1);
            // SimGrid's loop goes on counting ports in the next node.
            while here.level > 0 {
                let level = here.level - 1;
                let few = parts(self.children, level);
                if port >= few * parts(self.links, level) {
                    break;
                }
                if Some(&(port % few)) == goal.label.get(level) {
                    let next = self.other(&here, level, port % few);
                    steps.push(self.cable(&next, &here, port / few, true));
                    steps.push(self.limiter(&here));
                    here = next;
                }
                port += 1;
            }
        }
        steps.push(self.limiter(&here));
        steps
    }
}
