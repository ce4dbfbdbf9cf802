//! What patterns occupy, in whole units: sizes by link and work by node are integers, so that copies add up exactly and
//! cheaply, and become times once at the end.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_plan::{Amount, Interval, Pattern, Resource, Task, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

/// Units used at places: links (units of size), then the processors of nodes (units of work).
pub type Uses = Vec<(usize, BigInt)>;

/// Measures patterns of one platform, whose links and nodes they must name.
pub struct Measure<'a> {
    platform: &'a Platform,
    size: Units<'a>,
    work: Units<'a>,
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
            Amount::Affine { fixed, per_operand } => fixed.denom().lcm(per_operand.denom()),
            Amount::Table(rows) => common_denominator(rows.iter().flatten()),
        };
        let constant = amount.constant().map(|amount| amount.numer().clone());
        Units { amount, denominator, constant }
    }

    /// Units of a partial result; 0 outside a table.
    fn of(&self, part: Interval) -> BigInt {
        match &self.constant {
            Some(units) => units.clone(),
            None => (self.amount.of(part).unwrap_or_default() * &self.denominator).to_integer(),
        }
    }
}

/// The least common multiple of the denominators; 1 of none.
pub fn common_denominator<'r>(numbers: impl Iterator<Item = &'r Rational>) -> BigInt {
    numbers.fold(
        BigInt::from(1),
        |all, number| {
            if all.is_multiple_of(number.denom()) { all } else { all.lcm(number.denom()) }
        },
    )
}

impl<'a> Measure<'a> {
    /// Prepares the units. Linear in the tables of volumes.
    pub fn new(platform: &'a Platform, volumes: &'a Volumes) -> Self {
        Measure { platform, size: Units::new(&volumes.size), work: Units::new(&volumes.work) }
    }

    /// Number of places: links and nodes.
    pub fn places(&self) -> usize {
        self.platform.links().len() + self.platform.nodes().len()
    }

    /// The place of a link.
    pub fn link(&self, link: LinkId) -> usize {
        link.index()
    }

    /// Units of size of a message that is not a partial result.
    pub fn message(&self) -> BigInt {
        self.size.of(Interval { first: 0, last: 0 })
    }

    /// What one copy of the pattern uses, as often as it does: a place may come more than once.
    fn each(&self, pattern: &Pattern, mut found: impl FnMut(usize, BigInt)) {
        match pattern {
            Pattern::Path(path) => path.links.iter().for_each(|link| found(link.index(), self.message())),
            Pattern::Reduction(tree) => {
                for task in &tree.tasks {
                    match *task {
                        Task::Transfer { link, part } => found(link.index(), self.size.of(part)),
                        Task::Merge { node, part, .. } => {
                            found(self.platform.links().len() + node.index(), self.work.of(part));
                        }
                    }
                }
            }
        }
    }

    /// What one copy of the pattern uses, by place, ascending.
    pub fn uses(&self, pattern: &Pattern) -> Uses {
        let mut uses = Vec::new();
        self.each(pattern, |place, units| uses.push((place, units)));
        uses.sort_unstable_by_key(|&(place, _)| place);
        uses.dedup_by(|(place, units), (kept, sum)| {
            let same = place == kept;
            if same {
                *sum += &*units;
            }
            same
        });
        uses
    }

    /// Adds what some copies of the pattern use to totals by place.
    pub fn add(&self, pattern: &Pattern, copies: &BigInt, totals: &mut [BigInt]) {
        match pattern {
            // The same for all links, which may be many.
            Pattern::Path(path) => {
                let units = self.message() * copies;
                path.links.iter().for_each(|link| totals[link.index()] += &units);
            }
            Pattern::Reduction(_) => self.each(pattern, |place, units| totals[place] += units * copies),
        }
    }

    /// Time of one unit at a place; 0 for work at a router.
    pub fn time(&self, place: usize) -> Rational {
        let (time, denominator) = match self.node(place) {
            None => (Some(&self.platform.links()[place].cost), &self.size.denominator),
            Some(node) => (self.platform.node(node).compute.as_ref(), &self.work.denominator),
        };
        time.map(|time| if denominator.is_one() { time.clone() } else { time / denominator }).unwrap_or_default()
    }

    /// The node whose processor is this place.
    fn node(&self, place: usize) -> Option<NodeId> {
        place.checked_sub(self.platform.links().len()).map(NodeId::new)
    }

    /// Number of resources.
    pub fn resources(&self) -> usize {
        3 * self.platform.nodes().len()
    }

    /// The resources that a place keeps busy: the two ports of a link, or a processor.
    pub fn occupied(&self, place: usize) -> impl Iterator<Item = usize> + use<> {
        let nodes = self.platform.nodes().len();
        let (both, count) = match self.node(place) {
            None => {
                let link = &self.platform.links()[place];
                ([link.from.index(), nodes + link.to.index()], 2)
            }
            Some(node) => ([2 * nodes + node.index(); 2], 1),
        };
        both.into_iter().take(count)
    }

    /// The resource of this number.
    pub fn resource(&self, number: usize) -> Resource {
        let nodes = self.platform.nodes().len().max(1);
        let node = NodeId::new(number % nodes);
        match number / nodes {
            0 => Resource::Send(node),
            1 => Resource::Receive(node),
            _ => Resource::Compute(node),
        }
    }

    /// Busy time by resource, from the time that one unit takes at each place.
    pub fn loads<T>(&self, totals: &[BigInt], times: impl Fn(usize) -> T) -> Vec<T>
    where
        T: Zero + Clone + for<'t> std::ops::AddAssign<&'t T> + for<'t> std::ops::MulAssign<&'t BigInt>,
    {
        let mut loads = vec![T::zero(); self.resources()];
        for (place, units) in totals.iter().enumerate().filter(|(_, units)| !units.is_zero()) {
            let mut time = times(place);
            time *= units;
            self.occupied(place).for_each(|resource| loads[resource] += &time);
        }
        loads
    }
}
