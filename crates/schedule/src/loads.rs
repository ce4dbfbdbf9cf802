//! The loads of patterns, in whole units: sizes per link and work per node are integers. Copies are added exactly and
//! cheaply, and become times once at the end.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_numbers::common_denominator;
use oneport_plan::{Amount, Interval, Pattern, Problem, Resource, Task};
use oneport_platform::{LinkId, NodeId, PerShared, Platform, Rational, SharedId};

use crate::ports::LinkSet;

/// Units used at carriers: links (units of size), then the processors of nodes (units of work).
pub type Uses = Vec<(usize, BigInt)>;

/// Measures patterns of one platform, whose links and nodes they must name.
pub struct Measure<'a> {
    platform: &'a Platform,
    size: Units<'a>,
    work: Units<'a>,
    /// Ports, exclusive links, processors and shared capacities, ascending.
    resources: Vec<Resource>,
    /// Per resource: the factor of its busy times, which makes them comparable with one period.
    factors: Vec<BigInt>,
    /// A common multiple of the capacities: how often the period counts.
    scale: BigInt,
    /// Per link or node: the resources that it keeps busy, as the first entries of an array and their number.
    occupied: Vec<([usize; 3], usize)>,
    /// Per link: the shared capacities that it takes up, each with the number of the capacity's units that it takes up.
    /// Empty if no capacity is shared.
    shared: Vec<Vec<(usize, BigInt)>>,
    /// Per link or node: the odd sets that it keeps busy, numbered after the resources. Empty before any is known.
    odd_sets: Vec<Vec<usize>>,
}

/// An amount as a multiple of one over its common denominator.
struct Units<'a> {
    amount: &'a Amount,
    denominator: BigInt,
    constant: Option<BigInt>,
}

impl<'a> Units<'a> {
    fn new(amount: &'a Amount) -> Self {
        let denominator = match amount {
            Amount::Constant(amount) => amount.denom().clone(),
            Amount::Affine { fixed, per_operand } => common_denominator([fixed, per_operand]),
            Amount::Table(rows) => common_denominator(rows.iter().flatten()),
            Amount::Tasks(table) => common_denominator(table.numbers()),
        };
        let constant = amount.constant().map(|amount| amount.numer().clone());
        Units {
            amount,
            denominator,
            constant,
        }
    }

    /// Units of a partial result. 0 outside a table.
    fn of(&self, part: Interval) -> BigInt {
        self.units(|| self.amount.of(part))
    }

    /// Units of work of a merge. 0 outside a table.
    fn of_merge(&self, node: NodeId, part: Interval, split: usize) -> BigInt {
        self.units(|| self.amount.of_merge(node, part, split))
    }

    fn units(&self, amount: impl Fn() -> Option<Rational>) -> BigInt {
        match &self.constant {
            Some(units) => units.clone(),
            None => (amount().unwrap_or_default() * &self.denominator).to_integer(),
        }
    }
}

impl<'a> Measure<'a> {
    /// Prepares the units. Linear in the tables of volumes, `O(n log n)` in nodes and links.
    pub fn new(problem: &'a Problem) -> Self {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let mut resources = Resource::of_platform(platform);
        resources.extend(platform.mergers().map(Resource::Compute));
        resources.sort_unstable();
        let units = shared_units(platform);
        let capacities: Vec<BigInt> = resources
            .iter()
            .map(|it| match it {
                Resource::Shared(id) => units[*id].clone(),
                it => it.capacity(platform).into(),
            })
            .collect();
        let scale = capacities
            .iter()
            .fold(BigInt::one(), |all, capacity| all.lcm(capacity));
        let factors = capacities
            .iter()
            .map(|capacity| &scale / capacity)
            .collect();
        let number = |resource: Resource| resources.binary_search(&resource).ok();
        let exclusive = |link| Resource::uses(platform, link).filter(|used| used.part.is_none());
        let of_link = |link| carriers(exclusive(link).filter_map(|used| number(used.resource)));
        let shares = |link: LinkId| {
            let taken = |(id, part): &(SharedId, Rational)| {
                let units = (part * &units[*id]).to_integer();
                Some((number(Resource::Shared(*id))?, units))
            };
            platform.shared_by(link).iter().filter_map(taken).collect()
        };
        let shared = if units.is_empty() {
            Vec::new()
        } else {
            platform.link_ids().map(shares).collect()
        };
        let of_node = |node| carriers(number(Resource::Compute(node)).into_iter());
        let occupied = platform
            .link_ids()
            .map(of_link)
            .chain(platform.node_ids().map(of_node))
            .collect();
        let (size, work) = (Units::new(&volumes.size), Units::new(&volumes.work));
        Measure {
            platform,
            size,
            work,
            resources,
            factors,
            scale,
            occupied,
            shared,
            odd_sets: Vec::new(),
        }
    }

    /// From now on these odd sets count as resources, too. Indices of resources stay. The unit of busy times changes.
    pub fn learn<'o>(&mut self, odd_sets: impl Iterator<Item = &'o LinkSet>) {
        self.odd_sets.resize(self.occupied.len(), Vec::new());
        for set in odd_sets {
            let scale = self.scale.lcm(&set.at_a_time);
            let more = &scale / &self.scale;
            for factor in &mut self.factors {
                *factor *= &more;
            }
            let number = self.factors.len();
            self.factors.push(&scale / &set.at_a_time);
            self.scale = scale;
            for link in &set.links {
                self.odd_sets[link.index()].push(number);
            }
        }
    }

    /// Number of carriers: links and nodes.
    pub fn carriers(&self) -> usize {
        self.platform.links().len() + self.platform.nodes().len()
    }

    /// The carrier of a link.
    pub fn link(&self, link: LinkId) -> usize {
        link.index()
    }

    /// Units of size of a message that is not a partial result.
    pub fn message(&self) -> BigInt {
        self.size.of(Interval::single(0))
    }

    /// The carrier that a task occupies, and for how many units.
    fn units(&self, task: &Task) -> (usize, BigInt) {
        match *task {
            Task::Send { link, part, .. } => (link.index(), self.size.of(part)),
            Task::Merge {
                node, part, split, ..
            } => (
                self.platform.links().len() + node.index(),
                self.work.of_merge(node, part, split),
            ),
        }
    }

    /// The units that one copy of the pattern uses, per link or node, ascending.
    pub fn uses(&self, pattern: &Pattern) -> Uses {
        let mut uses: Uses = pattern.tasks.iter().map(|task| self.units(task)).collect();
        uses.sort_unstable_by_key(|&(carrier, _)| carrier);
        uses.dedup_by(|(carrier, units), (kept, sum)| {
            let same = carrier == kept;
            if same {
                *sum += &*units;
            }
            same
        });
        uses
    }

    /// Adds the units that copies of the pattern use to the totals by carrier.
    pub fn add(&self, pattern: &Pattern, copies: &BigInt, totals: &mut [BigInt]) {
        // Messages that are alike, over many links, are multiplied once.
        let mut last: Option<(Interval, BigInt)> = None;
        for task in &pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let units = match last.take() {
                        Some((same, units)) if same == part => units,
                        _ => self.size.of(part) * copies,
                    };
                    totals[link.index()] += &units;
                    last = Some((part, units));
                }
                Task::Merge { .. } => {
                    let (carrier, units) = self.units(task);
                    totals[carrier] += units * copies;
                }
            }
        }
    }

    /// Time of one unit at a carrier. 0 for work at a router.
    pub fn time(&self, carrier: usize) -> Rational {
        let (time, denominator) = match self.node(carrier) {
            None => (
                Some(&self.platform.links()[carrier].cost),
                &self.size.denominator,
            ),
            Some(node) => (
                self.platform.node(node).merge_time(),
                &self.work.denominator,
            ),
        };
        time.map(|time| {
            if denominator.is_one() {
                time.clone()
            } else {
                time / denominator
            }
        })
        .unwrap_or_default()
    }

    /// The node whose processor is this carrier.
    fn node(&self, carrier: usize) -> Option<NodeId> {
        carrier
            .checked_sub(self.platform.links().len())
            .map(NodeId::new)
    }

    /// The resources that a carrier keeps busy: ports of a link or the link itself, or a processor, and odd sets. Also
    /// shared capacities, with the number of units that the link takes up of each.
    pub fn occupied(&self, carrier: usize) -> impl Iterator<Item = (usize, Option<&BigInt>)> {
        let (numbers, count) = self.occupied[carrier];
        let odd_sets = self.odd_sets.get(carrier).into_iter().flatten();
        let whole = numbers.into_iter().take(count).chain(odd_sets.copied());
        let shared = self.shared.get(carrier).into_iter().flatten();
        whole
            .map(|number| (number, None))
            .chain(shared.map(|(number, units)| (*number, Some(units))))
    }

    /// Adds the busy time of a carrier to its resources.
    pub fn occupy<T>(&self, carrier: usize, time: &T, mut add: impl FnMut(usize, &T))
    where
        T: Clone + for<'t> std::ops::MulAssign<&'t BigInt>,
    {
        for (resource, units) in self.occupied(carrier) {
            match units {
                None => add(resource, time),
                Some(units) => {
                    let mut time = time.clone();
                    time *= units;
                    add(resource, &time);
                }
            }
        }
    }

    /// The resource of this number. None is an odd set.
    pub fn resource(&self, number: usize) -> Option<Resource> {
        self.resources.get(number).copied()
    }

    /// Busy times of the links that are used, ascending by link.
    pub fn link_times(&self, totals: &[BigInt]) -> Vec<(LinkId, Rational)> {
        let links = self
            .platform
            .link_ids()
            .filter(|link| !totals[link.index()].is_zero());
        let time = |link: LinkId| (link, self.time(link.index()) * &totals[link.index()]);
        links
            .map(time)
            .filter(|(_, time)| !time.is_zero())
            .collect()
    }

    /// Scales a busy time by the resource's factor.
    pub fn counted<T>(&self, resource: usize, mut time: T) -> T
    where
        T: for<'t> std::ops::MulAssign<&'t BigInt>,
    {
        if !self.scale.is_one() {
            time *= &self.factors[resource];
        }
        time
    }

    /// Factor of the period in comparisons with scaled busy times: a common multiple of the capacities.
    pub fn scale(&self) -> &BigInt {
        &self.scale
    }

    /// Busy time by resource as it counts, from the time that one unit takes at each carrier.
    pub fn loads<T>(&self, totals: &[BigInt], times: impl Fn(usize) -> T) -> Vec<T>
    where
        T: Zero
            + Clone
            + for<'t> std::ops::AddAssign<&'t T>
            + for<'t> std::ops::MulAssign<&'t BigInt>,
    {
        let mut loads = vec![T::zero(); self.factors.len()];
        for (carrier, units) in totals
            .iter()
            .enumerate()
            .filter(|(_, units)| !units.is_zero())
        {
            let mut time = times(carrier);
            time *= units;
            self.occupy(carrier, &time, |resource, time| loads[resource] += time);
        }
        loads
            .into_iter()
            .enumerate()
            .map(|(resource, load)| self.counted(resource, load))
            .collect()
    }
}

/// Into how many units a shared capacity is divided, so that each of its links takes up a whole number.
fn shared_units(platform: &Platform) -> PerShared<BigInt> {
    let mut units: PerShared<BigInt> = vec![BigInt::one(); platform.shared().len()].into();
    for link in platform.link_ids() {
        for (id, part) in platform.shared_by(link) {
            let unit = &mut units[*id];
            *unit = unit.lcm(part.denom());
        }
    }
    units
}

/// Up to three numbers, and how many there are.
fn carriers(numbers: impl Iterator<Item = usize>) -> ([usize; 3], usize) {
    let mut all = ([0; 3], 0);
    for number in numbers.take(3) {
        all.0[all.1] = number;
        all.1 += 1;
    }
    all
}
