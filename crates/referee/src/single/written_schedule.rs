//! A schedule as its file lists it, a reduction or a broadcast, and the conditions that its ids satisfy before its
//! dates are read.

use num_traits::Zero;
use oneport_plan::{Broadcast, Dates, Reduction, SingleCosts};
use oneport_platform::Rational;

use super::ticks::{Clock, Column, Number};
use super::tree::Tree;
use crate::Violation;
use crate::arithmetic::{is_non_negative, is_positive};
use crate::violation::{bad_number, fault, shown};

/// Direction of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// To the root.
    Reduction,
    /// From the root.
    Broadcast,
}

/// The lists of a schedule of any kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet<'a> {
    pub(super) kind: Kind,
    pub(super) costs: &'a SingleCosts,
    root: u32,
    /// The receiver (or sender) of every processor.
    partners: &'a [u32],
    starts: &'a Dates,
    /// Merges, or preparations.
    works: Option<&'a Dates>,
    ready: Option<&'a Dates>,
    length: &'a Rational,
}

impl<'a> Sheet<'a> {
    pub(super) fn of_reduction(reduction: &'a Reduction) -> Sheet<'a> {
        Sheet {
            kind: Kind::Reduction,
            costs: &reduction.costs,
            root: reduction.root,
            partners: &reduction.receivers,
            starts: &reduction.starts,
            works: reduction.merges.as_ref(),
            ready: reduction.ready.as_ref(),
            length: &reduction.length,
        }
    }

    pub(super) fn of_broadcast(broadcast: &'a Broadcast) -> Sheet<'a> {
        Sheet {
            kind: Kind::Broadcast,
            costs: &broadcast.costs,
            root: broadcast.root,
            partners: &broadcast.senders,
            starts: &broadcast.starts,
            works: broadcast.preparations.as_ref(),
            ready: None,
            length: &broadcast.length,
        }
    }

    fn role(&self) -> &'static str {
        match self.kind {
            Kind::Reduction => "receiver",
            Kind::Broadcast => "sender",
        }
    }

    fn works_name(&self) -> &'static str {
        match self.kind {
            Kind::Reduction => "merges",
            Kind::Broadcast => "preparations",
        }
    }

    /// Checks the lengths of all lists, the ids, the tree, and that no number is negative. O(n).
    ///
    /// # Errors
    /// The first rule broken.
    pub(super) fn tree(&self) -> Result<Tree, Violation> {
        if self.partners.is_empty() {
            return Err(
                fault!(Single, "there is no processor"; "a schedule has at least one, its root"),
            );
        }
        let processors = self.partners.len();
        if u32::try_from(processors).is_err() {
            return Err(
                fault!(Single, "there are {processors} processors"; "at most {} can be numbered", u32::MAX),
            );
        }
        self.check_lists()?;
        self.check_ids()?;
        let tree = Tree::new(self.partners, self.root, self.role())?;
        self.check_costs(&tree)?;
        self.check_dates()?;
        Ok(tree)
    }

    fn check_lists(&self) -> Result<(), Violation> {
        let processors = self.partners.len();
        let length = |list, found| {
            if found == processors {
                Ok(())
            } else {
                let right = format!("give one for each of the {processors} processors");
                Err(fault!(Single, "the list of {list} has {found} entries"; "{right}"))
            }
        };
        length("starts", self.starts.len())?;
        let works = self.works_name();
        match (self.costs, self.works) {
            (SingleCosts::Equal { .. }, None) => {
                let right = "with equal costs every transfer needs its date there";
                return Err(fault!(Single, "the list of {works} is missing"; "{right}"));
            }
            (SingleCosts::PerSender(_), Some(_)) => {
                let why = "with a cost per sender they are part of the transfer";
                return Err(
                    fault!(Single, "there is a list of {works}, but {why}"; "leave it out"),
                );
            }
            (_, dates) => dates.map_or(Ok(()), |dates| length(works, dates.len()))?,
        }
        if let SingleCosts::PerSender(times) = self.costs {
            length("times", times.len())?;
        }
        self.ready
            .map_or(Ok(()), |ready| length("ready dates", ready.len()))
    }

    fn check_ids(&self) -> Result<(), Violation> {
        let (role, root, processors) = (self.role(), self.root, self.partners.len());
        let is_outside = |&id: &u32| id as usize >= processors;
        if is_outside(&root) {
            return Err(
                fault!(Single, "the root is processor {root}"; "there are {processors} processors, numbered from 0"),
            );
        }
        if let Some(processor) = self.partners.iter().position(is_outside) {
            let found = format!(
                "the {role} of processor {processor} is processor {}",
                self.partners[processor]
            );
            return Err(fault!(Single, "{found}"; "there are {processors}, numbered from 0"));
        }
        let found = self.partners[root as usize];
        if found == root {
            Ok(())
        } else {
            let found = format!("the {role} of the root, processor {root}, is processor {found}");
            Err(fault!(Single, "{found}"; "the root is its own {role}"))
        }
    }

    fn check_costs(&self, tree: &Tree) -> Result<(), Violation> {
        match self.costs {
            SingleCosts::Equal { transfer, compute } => {
                for (name, cost) in [("transfer time", transfer), ("compute time", compute)] {
                    if !is_non_negative(cost) {
                        return Err(bad_number(name, cost, "at least 0"));
                    }
                }
            }
            SingleCosts::PerSender(times) => {
                for (processor, time) in times.iter().enumerate() {
                    if self.sends(tree, processor) && !is_positive(time) {
                        return Err(bad_number(
                            &format!("time of processor {processor}"),
                            time,
                            "positive",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn sends(&self, tree: &Tree, processor: usize) -> bool {
        match self.kind {
            Kind::Reduction => processor != tree.root(),
            Kind::Broadcast => !tree.children(processor).is_empty(),
        }
    }

    fn check_dates(&self) -> Result<(), Violation> {
        let lists = [
            ("starts", Some(self.starts)),
            (self.works_name(), self.works),
            ("ready dates", self.ready),
        ];
        for (list, dates) in lists
            .into_iter()
            .filter_map(|(list, dates)| Some((list, dates?)))
        {
            match dates {
                Dates::Ticks { unit, .. } if !is_positive(unit) => {
                    return Err(bad_number(&format!("unit of the {list}"), unit, "positive"));
                }
                Dates::Ticks { .. } => {}
                Dates::Exact(dates) => {
                    if let Some(processor) = dates.iter().position(|date| !is_non_negative(date)) {
                        let what = format!("date of processor {processor} in the list of {list}");
                        return Err(bad_number(&what, &dates[processor], "at least 0"));
                    }
                }
            }
        }
        for (list, dates) in [
            ("starts", Some(self.starts)),
            (self.works_name(), self.works),
        ] {
            let found = dates
                .and_then(|dates| dates.get(self.root as usize))
                .unwrap_or_default();
            if !found.is_zero() {
                let (root, found) = (self.root, shown(found));
                let found =
                    format!("the root, processor {root}, has {found} in the list of {list}");
                return Err(fault!(Single, "{found}"; "it must be 0"));
            }
        }
        if is_non_negative(self.length) {
            Ok(())
        } else {
            Err(bad_number("length", self.length, "at least 0"))
        }
    }

    /// The common denominator of all costs and dates.
    ///
    /// # Errors
    /// [`Rule::TooLarge`](crate::Rule::TooLarge).
    pub(super) fn clock(&self, tree: &Tree) -> Result<Clock, Violation> {
        let mut numbers = vec![self.length];
        match self.costs {
            SingleCosts::Equal { transfer, compute } => numbers.extend([transfer, compute]),
            SingleCosts::PerSender(times) => {
                let sends = |&(processor, _): &(usize, &Rational)| self.sends(tree, processor);
                numbers.extend(times.iter().enumerate().filter(sends).map(|(_, time)| time));
            }
        }
        let lists: Vec<&Dates> = [Some(self.starts), self.works, self.ready]
            .into_iter()
            .flatten()
            .collect();
        Clock::new(&numbers, &lists)
    }

    /// All numbers as integers of the clock.
    pub(super) fn run<N: Number>(
        &self,
        tree: &'a Tree,
        clock: &'a Clock,
    ) -> WrittenSchedule<'a, N> {
        let (transfer, work) = match self.costs {
            SingleCosts::Equal { transfer, compute } => (
                Transfer::Same(clock.number(transfer)),
                clock.number(compute),
            ),
            SingleCosts::PerSender(times) => {
                let time = |(processor, time)| {
                    if self.sends(tree, processor) {
                        clock.number(time)
                    } else {
                        N::zero()
                    }
                };
                (
                    Transfer::Each(times.iter().enumerate().map(time).collect()),
                    N::zero(),
                )
            }
        };
        WrittenSchedule {
            kind: self.kind,
            tree,
            clock,
            partners: self.partners,
            transfer,
            work,
            starts: clock.column(self.starts),
            works: self.works.map(|dates| clock.column(dates)),
            ready: self.ready.map(|dates| clock.column(dates)),
            length: clock.number(self.length),
        }
    }
}

/// How long transfers take.
#[derive(Debug)]
pub(super) enum Transfer<N> {
    /// All alike.
    Same(N),
    /// Per sender.
    Each(Vec<N>),
}

/// A schedule whose ids are right, in integers.
#[derive(Debug)]
pub(super) struct WrittenSchedule<'a, N> {
    kind: Kind,
    pub(super) tree: &'a Tree,
    pub(super) clock: &'a Clock,
    partners: &'a [u32],
    pub(super) transfer: Transfer<N>,
    /// How long a merge or preparation takes.
    pub(super) work: N,
    pub(super) starts: Column<'a, N>,
    pub(super) works: Option<Column<'a, N>>,
    ready: Option<Column<'a, N>>,
    pub(super) length: N,
}

impl<N: Number> WrittenSchedule<'_, N> {
    /// When the transfer that belongs to `processor` ends.
    pub(super) fn arrival(&self, processor: usize) -> N {
        let start = self.starts.at(processor);
        match (&self.transfer, self.kind) {
            (Transfer::Same(time), _) => start.plus(time),
            (Transfer::Each(times), Kind::Reduction) => start.plus(&times[processor]),
            (Transfer::Each(times), Kind::Broadcast) => {
                start.plus(&times[self.partners[processor] as usize])
            }
        }
    }

    /// When the own value of `processor` is there.
    pub(super) fn ready(&self, processor: usize) -> N {
        self.ready
            .as_ref()
            .map_or_else(N::zero, |ready| ready.at(processor))
    }

    /// All processors but the root.
    pub(super) fn linked(&self) -> impl Iterator<Item = usize> {
        let root = self.tree.root();
        (0..self.tree.len()).filter(move |&processor| processor != root)
    }
}
