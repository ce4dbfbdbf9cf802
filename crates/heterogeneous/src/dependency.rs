//! Which transfers a transfer waits for: the tree of Liu-Kuo-Wang 2009, figures 9 to 11 (the MCP view).
//!
//! A transfer from `p` to `q` waits for the last reception of `p` and for the previous reception of `q`. Read backwards
//! in time that is a binary tree. Its nodes weigh the times of their senders, and its root is the destination's last
//! reception. No schedule with this tree is shorter than its heaviest path from the root.

use num_traits::Zero;
use oneport_plan::{Reduction, SingleCosts, Window};
use oneport_platform::Rational;

use crate::Error;

/// The tree of a schedule. A node is a sender, or rather its transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    times: Vec<Rational>,
    root: Option<usize>,
    predecessors: Vec<[Option<usize>; 2]>,
    receivers: Vec<u32>,
    /// The senders, by start.
    order: Vec<usize>,
}

impl Dependency {
    /// The tree of a schedule under [`SingleCosts::PerSender`]. O(n log n).
    ///
    /// # Errors
    /// [`Error::NoTree`] for other costs, lists of different lengths, a receiver that is out of range or has sent
    /// already.
    pub fn of(reduction: &Reduction) -> Result<Dependency, Error> {
        let SingleCosts::PerSender(times) = &reduction.costs else {
            return Err(Error::NoTree("its costs are equal, not per sender".into()));
        };
        let n = times.len();
        let destination = reduction.root as usize;
        if reduction.receivers.len() != n || reduction.starts.len() != n || destination >= n {
            return Err(Error::NoTree(format!(
                "times, receivers, starts and root do not all fit {n} processors"
            )));
        }
        let mut order: Vec<(Rational, usize)> = (0..n)
            .filter(|&sender| sender != destination)
            .filter_map(|sender| Some((reduction.starts.get(sender)?, sender)))
            .collect();
        order.sort();
        let order: Vec<usize> = order.into_iter().map(|(_, sender)| sender).collect();
        let mut last: Vec<Option<usize>> = vec![None; n];
        let mut sent = vec![false; n];
        let mut predecessors = vec![[None; 2]; n];
        for &sender in &order {
            let receiver = reduction.receivers[sender] as usize;
            sent[sender] = true;
            if receiver >= n || sent[receiver] {
                return Err(Error::NoTree(format!(
                    "processor {sender} sends to {receiver}, which cannot receive then"
                )));
            }
            predecessors[sender] = [last[sender], last[receiver]];
            last[receiver] = Some(sender);
        }
        let (times, receivers) = (times.clone(), reduction.receivers.clone());
        Ok(Dependency {
            times,
            root: last[destination],
            predecessors,
            receivers,
            order,
        })
    }

    /// The destination's last reception. `None` without senders.
    pub fn root(&self) -> Option<usize> {
        self.root
    }

    /// The transfers that the transfer of `sender` waits for: its last reception, and its receiver's previous one.
    /// `None` for the destination and beyond the list.
    pub fn predecessors(&self, sender: usize) -> [Option<usize>; 2] {
        self.predecessors.get(sender).copied().unwrap_or_default()
    }

    /// The weight of a node: the time of its sender.
    pub fn time(&self, sender: usize) -> Option<&Rational> {
        self.times.get(sender)
    }

    /// The nodes of the tree, from the root down: each before the nodes that it waits for. Every sender has one. O(n).
    pub fn windows(&self) -> Vec<Window> {
        let mut list: Vec<usize> = self.root.into_iter().collect();
        let mut next = 0;
        while let Some(&sender) = list.get(next) {
            list.extend(self.predecessors[sender].iter().flatten());
            next += 1;
        }
        let mut index = vec![None; self.times.len()];
        for (at, &sender) in list.iter().enumerate() {
            index[sender] = Some(at);
        }
        let window = |&sender: &usize| Window {
            sender: sender as u32,
            receiver: self.receivers[sender],
            time: self.times[sender].clone(),
            waits_for: self.predecessors[sender]
                .map(|earlier| earlier.and_then(|earlier| index[earlier])),
        };
        list.iter().map(window).collect()
    }

    /// Weight of the heaviest path: the length of the schedule in which every transfer starts as soon as those it waits
    /// for have ended. O(n) additions.
    pub fn critical_path(&self) -> Rational {
        let mut ends = vec![Rational::zero(); self.times.len()];
        for &sender in &self.order {
            let start = self.predecessors[sender]
                .iter()
                .flatten()
                .map(|&earlier| &ends[earlier])
                .max();
            ends[sender] = start.map_or_else(
                || self.times[sender].clone(),
                |start| start + &self.times[sender],
            );
        }
        ends.into_iter().max().unwrap_or_else(Rational::zero)
    }

    /// True if no transfer waits for a faster one: Corollary 1, Observation 1.
    pub fn is_ordered(&self) -> bool {
        self.order.iter().all(|&sender| {
            self.predecessors[sender]
                .iter()
                .flatten()
                .all(|&earlier| self.times[earlier] >= self.times[sender])
        })
    }
}
