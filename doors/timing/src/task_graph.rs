//! The part of a simulation that does not depend on sizes: dependencies, kinds of tasks, resources.

use oneport_platform::whole;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{LinkId, Platform, Problem, Rational, Resource, RunTask, Use};
use oneport_watch::{Limit, Watch};

use crate::task_list::OFTEN;
use crate::{TaskList, TimingError};

/// Dependencies and resources of a list of tasks on a platform. Dates for any sizes follow from it.
#[derive(Debug)]
pub struct TaskGraph {
    pub(crate) list: TaskList,
    /// The share that kinds count.
    pub(crate) share: Rational,
    /// Tasks of one kind take the same time at the same link or node.
    pub(crate) kinds: Vec<Kind>,
    /// Per task: its kind.
    pub(crate) kind: Vec<u32>,
    /// Per task: its number of inputs.
    pub(crate) waits: Vec<u32>,
    /// Per task: the tasks that use its result.
    pub(crate) users: Lists,
    /// Per link, then per node: the resources that a task there occupies.
    pub(crate) occupied: Uses,
    /// Per resource: number of tasks it serves at a time.
    pub(crate) lanes: Vec<u32>,
    /// Per resource: of a shared capacity, the units into which it is divided.
    pub(crate) units: Vec<Option<u64>>,
}

/// Units of a shared capacity: if its parts have a larger common denominator, they are rounded up to such units. Trades
/// runs that fill a capacity exactly for machine integers. Not measured.
const UNITS: u64 = 1 << 40;

/// Resources that tasks at a site occupy: a link, or the processor of a node.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    resources: Lists,
    /// For each entry of `resources`: the units of a shared capacity. 1 for others.
    units: Vec<u64>,
}

impl Uses {
    pub(crate) fn of(&self, site: usize) -> &[u32] {
        self.resources.of(site)
    }

    /// The resources with the units of each.
    pub(crate) fn with_units(&self, site: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        let range = self.resources.range(site);
        let units = &self.units[range];
        self.of(site).iter().copied().zip(units.iter().copied())
    }

    /// The units of one of the resources at a site.
    pub(crate) fn units(&self, site: usize, resource: u32) -> u64 {
        let of = self.with_units(site).find(|(own, _)| *own == resource);
        of.map_or(1, |(_, units)| units)
    }
}

/// Tasks that take the same time at the same link or node.
#[derive(Debug)]
pub(crate) struct Kind {
    /// A link, or a node counted from the last link on.
    pub site: usize,
    /// The number of shares that a task of this kind moves or merges.
    pub shares: BigUint,
    /// The number of tasks.
    pub count: u64,
}

/// Lists of numbers in one vector, end to end.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    pub(crate) fn of(&self, list: usize) -> &[u32] {
        &self.all[self.range(list)]
    }

    fn range(&self, list: usize) -> Range<usize> {
        let first = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[list] as usize
    }

    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.all.extend(list);
        self.ends.push(self.all.len() as u32);
    }

    /// Per input: the tasks that use its result, ascending.
    fn users(tasks: &[RunTask], watch: &Watch) -> Result<Lists, Limit> {
        // While lists are filled, `ends[i]` is the next free slot of list `i`.
        let mut ends = vec![0_u32; tasks.len() + 1];
        for input in tasks.iter().flat_map(inputs) {
            ends[input as usize + 1] += 1;
        }
        for site in 1..ends.len() {
            ends[site] += ends[site - 1];
        }
        let mut all = vec![0_u32; ends.last().copied().unwrap_or(0) as usize];
        for (task, number) in tasks.iter().zip(0_u32..) {
            often(number as usize, watch)?;
            for input in inputs(task) {
                all[ends[input as usize] as usize] = number;
                ends[input as usize] += 1;
            }
        }
        ends.pop();
        Ok(Lists { ends, all })
    }
}

/// Checks the watch before every task whose number is a multiple of [`OFTEN`].
fn often(number: usize, watch: &Watch) -> Result<(), Limit> {
    if number.is_multiple_of(OFTEN) {
        watch.ask()?;
    }
    Ok(())
}

pub(crate) fn inputs(task: &RunTask) -> impl Iterator<Item = u32> + '_ {
    let (carried, parts) = match task {
        RunTask::Send { carried, .. } => (carried.as_slice(), [None, None]),
        RunTask::Merge { left, right, .. } => (&[][..], [*left, *right]),
    };
    carried
        .iter()
        .filter_map(|(_, source)| *source)
        .chain(parts.into_iter().flatten())
}

impl TaskList {
    /// Finds the dependencies and resources on the problem's platform. `O(d log d)` for `d` tasks and pieces moved.
    ///
    /// # Errors
    /// [`TimingError::Stopped`] if the watch ends.
    pub fn graph(self, problem: &Problem, watch: &Watch) -> Result<TaskGraph, TimingError> {
        let platform = problem.platform();
        let Scaled { values, unit } =
            Scaled::coarsest(self.pieces.iter().map(|piece| &piece.share));
        let short: Option<Vec<u128>> = values
            .iter()
            .map(|share| u64::narrow(share).map(u128::from))
            .collect();
        let (kinds, kind) = match short {
            Some(shares) => kinds(&self.tasks, platform.links().len(), &shares, watch)?,
            None => kinds(&self.tasks, platform.links().len(), &values, watch)?,
        };
        let waits = self
            .tasks
            .iter()
            .map(|task| inputs(task).count() as u32)
            .collect();
        let (occupied, lanes, units) = resources(&self, platform);
        Ok(TaskGraph {
            share: unit,
            kinds,
            kind,
            waits,
            users: Lists::users(&self.tasks, watch)?,
            occupied,
            lanes,
            units,
            list: self,
        })
    }
}

/// All kinds of tasks, and the kind of each task.
fn kinds<N: Whole>(
    tasks: &[RunTask],
    links: usize,
    shares: &[N],
    watch: &Watch,
) -> Result<(Vec<Kind>, Vec<u32>), Limit> {
    let mut numbers: BTreeMap<(usize, N), u32> = BTreeMap::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut kind = |task: &RunTask| {
        let (site, shares) = match task {
            RunTask::Send { link, carried } => {
                let mut sum = N::zero();
                for &(piece, _) in carried.iter() {
                    sum += &shares[piece as usize];
                }
                (link.index(), sum)
            }
            RunTask::Merge { node, piece, .. } => {
                (links + node.index(), shares[*piece as usize].clone())
            }
        };
        let number = *numbers
            .entry((site, shares))
            .or_insert_with_key(|(site, shares)| {
                kinds.push(Kind {
                    site: *site,
                    shares: shares.clone().into(),
                    count: 0,
                });
                kinds.len() as u32 - 1
            });
        kinds[number as usize].count += 1;
        number
    };
    let mut of = Vec::with_capacity(tasks.len());
    for (number, task) in tasks.iter().enumerate() {
        often(number, watch)?;
        of.push(kind(task));
    }
    Ok((kinds, of))
}

/// The resources that tasks occupy, per link, then per node. Also the number of tasks each resource serves at a time,
/// and the number of units of each shared capacity. Links whose capacities have room for all links in use at once, and
/// links at a share of their rate, serve one task at a time.
fn resources(list: &TaskList, platform: &Platform) -> (Uses, Vec<u32>, Vec<Option<u64>>) {
    let part = |used: &Use<'_>, link: LinkId| {
        let (part, share) = (used.part?, list.shares.get(&link));
        Some(share.map_or_else(|| part.clone(), |share| share * part))
    };
    let divided = divided(list, platform, &part);
    let (mut occupied, mut lanes, mut units) = (Uses::default(), Vec::new(), Vec::new());
    let mut numbers: BTreeMap<Resource, u32> = BTreeMap::new();
    let mut number = |resource: Resource| {
        *numbers.entry(resource).or_insert_with(|| {
            lanes.push(resource.capacity(platform));
            units.push(divided.get(&resource).copied());
            lanes.len() as u32 - 1
        })
    };
    for link in platform.link_ids() {
        let mut all = Vec::new();
        let mut alone = list.shares.contains_key(&link);
        for used in Resource::uses(platform, link) {
            let taken = match part(&used, link) {
                None => 1,
                Some(part) => {
                    let Some(&of) = divided.get(&used.resource) else {
                        alone = true;
                        continue;
                    };
                    let taken = part * whole(of);
                    taken.ceil().to_integer().to_u64().unwrap_or(of)
                }
            };
            all.push(number(used.resource));
            occupied.units.push(taken);
        }
        let own = number(Resource::Link(link));
        if alone && !all.contains(&own) {
            all.push(own);
            occupied.units.push(1);
        }
        occupied.resources.push(all);
    }
    for node in platform.node_ids() {
        occupied.resources.push([number(Resource::Compute(node))]);
        occupied.units.push(1);
    }
    (occupied, lanes, units)
}

/// Number of units of each shared capacity that has no room for all links in use at once.
fn divided(
    list: &TaskList,
    platform: &Platform,
    part: &dyn Fn(&Use<'_>, LinkId) -> Option<Rational>,
) -> BTreeMap<Resource, u64> {
    if platform.shared().is_empty() {
        return BTreeMap::new();
    }
    let link = |task: &RunTask| match task {
        RunTask::Send { link, .. } => Some(*link),
        RunTask::Merge { .. } => None,
    };
    let links: BTreeSet<LinkId> = list.tasks.iter().filter_map(link).collect();
    let mut parts: BTreeMap<Resource, Vec<Rational>> = BTreeMap::new();
    for link in links {
        for used in Resource::uses(platform, link) {
            if let Some(part) = part(&used, link) {
                parts.entry(used.resource).or_default().push(part);
            }
        }
    }
    parts.retain(|_, parts| parts.iter().sum::<Rational>() > Rational::one());
    let units = |mut parts: Vec<Rational>| {
        parts.push(Rational::one());
        let all = Scaled::coarsest(&parts).values.pop();
        all.and_then(|all| all.to_u64()).unwrap_or(UNITS).min(UNITS)
    };
    let parts = parts.into_iter();
    parts
        .map(|(resource, parts)| (resource, units(parts)))
        .collect()
}

impl TaskGraph {
    /// The list of tasks.
    pub fn list(&self) -> &TaskList {
        &self.list
    }

    /// The number of tasks.
    pub fn tasks(&self) -> usize {
        self.kind.len()
    }

    /// The longest chain of dependent tasks if every message takes only its link's latency and overhead: a lower bound
    /// on the run for all sizes. `O(tasks + inputs)`.
    pub fn delay(&self, platform: &Platform) -> Rational {
        let delays = platform
            .links()
            .iter()
            .map(|link| link.latency() + link.overhead());
        let Scaled { values, unit } = Scaled::coarsest(&delays.collect::<Vec<_>>());
        let mut arrivals: Vec<BigUint> = Vec::with_capacity(self.list.tasks.len());
        for task in &self.list.tasks {
            let ready = inputs(task)
                .map(|input| &arrivals[input as usize])
                .max()
                .cloned()
                .unwrap_or_default();
            arrivals.push(match task {
                RunTask::Send { link, .. } => ready + &values[link.index()],
                RunTask::Merge { .. } => ready,
            });
        }
        unit * whole(arrivals.into_iter().max().unwrap_or_default())
    }

    /// The memory that it takes: the number of tasks plus the number of dependencies.
    pub fn extent(&self) -> usize {
        self.kind.len() + self.users.all.len()
    }
}
