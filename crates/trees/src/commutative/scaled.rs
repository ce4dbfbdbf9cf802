//! Prices as integers: exact ones of any length, or rounded down to 128 bits. Everything else is written once for both.
//!
//! Every link price is extended on the right by some bits that count the link: sums of link prices then also count
//! links (times sizes), too few to reach the price proper. Least extended prices are least prices, and of equal ones
//! those with the fewest links. And no link is free, so cheapest paths are simple.

use std::ops::{Mul, Shl, Shr};

use num_bigint::BigUint;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_plan::{Amount, Interval, Pattern, Volumes};
use oneport_platform::{Link, LinkId, NodeId, Platform, Rational, whole};
use oneport_watch::Watch;
use petgraph::graph::{EdgeIndex, EdgeReference};
use petgraph::visit::EdgeRef;

use crate::cheapest::Prices;
use oneport_graph::{ShortestPaths, shortest_paths};
use oneport_numbers::{Scaled, Whole};

/// Helpers up to which all subsets are tried. Trades `2^6` arborescences for certainty. Not measured.
pub(super) const FEW: usize = 6;

/// Bits of rounded sizes and works, relative to the largest. Trades accuracy of guiding prices for time: sums fit
/// machine words. Not measured.
const VOLUME_BITS: u64 = 24;
/// Bits of rounded costs, relative to the largest. Trades accuracy of guiding prices for time: sums fit machine words.
/// Measured: an all-reduce among 240 hosts 46 s of CPU in long integers, 4.8 s in machine integers.
const COST_BITS: u64 = 40;

/// Integers that prices are counted in.
pub(super) trait Fixed:
    Whole + for<'n> Mul<&'n Self, Output = Self> + Shl<u64, Output = Self> + Shr<u64, Output = Self>
{
    /// Sums of prices stay below two to this power. `None` if they need not.
    const LIMIT: Option<u64>;

    fn times(&self, other: &Self) -> Self {
        self.clone() * other
    }
}

impl Fixed for u128 {
    // Fact: sums of four such prices fit 128 bits.
    const LIMIT: Option<u64> = Some(126);
}

impl Fixed for BigUint {
    // Fact: long integers need no limit.
    const LIMIT: Option<u64> = None;
}

/// Factors of prices, as multiples of `unit`.
#[derive(Debug, Clone)]
pub(super) struct Factors<N> {
    /// Cost by link.
    links: Vec<N>,
    /// Time per unit of work by processor. `None` if nothing can be merged.
    merges: Vec<Option<N>>,
    /// Size by the number of operands less 1. A multiple of the unit of the links' costs.
    sizes: Vec<N>,
    /// Work by the number of operands less 1. A multiple of the unit of `merges`.
    works: Vec<N>,
    unit: Rational,
}

impl Factors<BigUint> {
    /// The factors of one problem. `None` if an amount is negative or depends on more than the number of operands.
    pub(super) fn new(
        platform: &Platform,
        processors: &[NodeId],
        operands: usize,
        volumes: &Volumes,
    ) -> Option<Self> {
        let (sizes, size_unit) = integers(&amounts(&volumes.size, 1..=operands)?)?;
        let (mut works, work_unit) = integers(&amounts(&volumes.work, 2..=operands)?)?;
        works.insert(0, BigUint::zero());
        let nodes = platform.nodes();
        let times: Vec<Option<Rational>> = processors
            .iter()
            .map(|processor| Some(nodes.get(processor.index())?.merge_time()? * &work_unit))
            .collect();
        let costs = platform.links().iter().map(|link| &link.cost * &size_unit);
        let all: Vec<Rational> = costs.chain(times.iter().flatten().cloned()).collect();
        let (mut links, unit) = integers(&all)?;
        let mut rest = links.split_off(platform.links().len()).into_iter();
        let merges = times
            .iter()
            .map(|time| time.as_ref().and_then(|_| rest.next()))
            .collect();
        Some(Factors {
            links,
            merges,
            sizes,
            works,
            unit,
        })
    }

    /// These factors, rounded down to few bits.
    pub(super) fn rounded(&self) -> Factors<u128> {
        let (sizes, size_shift) = shortened(&self.sizes, VOLUME_BITS);
        let (works, work_shift) = shortened(&self.works, VOLUME_BITS);
        let links: Vec<BigUint> = self.links.iter().map(|cost| cost << size_shift).collect();
        let merges = self
            .merges
            .iter()
            .map(|time| Some(time.as_ref()? << work_shift));
        let merges: Vec<Option<BigUint>> = merges.collect();
        let longest = links
            .iter()
            .chain(merges.iter().flatten())
            .map(Whole::bits)
            .max()
            .unwrap_or(0);
        let shift = longest.saturating_sub(COST_BITS);
        let short = |number: &BigUint| (number >> shift).to_u128().unwrap_or(u128::MAX);
        Factors {
            links: links.iter().map(short).collect(),
            merges: merges.iter().map(|time| time.as_ref().map(short)).collect(),
            sizes,
            works,
            unit: &self.unit * whole(BigUint::one() << shift),
        }
    }
}

impl<N: Fixed> Factors<N> {
    /// Whether neither sizes nor works depend on the number of operands.
    pub(super) fn constant(&self) -> bool {
        let alike = |amounts: &[N]| amounts.windows(2).all(|pair| pair[0] == pair[1]);
        alike(&self.sizes) && alike(self.works.get(1..).unwrap_or_default())
    }
}

/// Amounts per number of operands. `None` for tables and negative amounts.
fn amounts(amount: &Amount, counts: std::ops::RangeInclusive<usize>) -> Option<Vec<Rational>> {
    if matches!(amount, Amount::Table(_)) {
        return None;
    }
    counts
        .map(|count| {
            amount.of(Interval {
                first: 0,
                last: count.checked_sub(1)?,
            })
        })
        .collect()
}

/// Numbers as multiples of their largest common measure. `None` if one is negative.
pub(super) fn integers(numbers: &[Rational]) -> Option<(Vec<BigUint>, Rational)> {
    let Scaled { values, unit } = Scaled::coarsest(numbers);
    (!numbers.iter().any(Signed::is_negative)).then_some((values, unit))
}

/// Numbers divided by a power of two, rounded down, such that they have at most `bits` bits.
fn shortened(numbers: &[BigUint], bits: u64) -> (Vec<u128>, u64) {
    let shift = numbers
        .iter()
        .map(Whole::bits)
        .max()
        .unwrap_or(0)
        .saturating_sub(bits);
    (
        numbers
            .iter()
            .map(|number| (number >> shift).to_u128().unwrap_or(u128::MAX))
            .collect(),
        shift,
    )
}

/// One pricing: what transfers and merges cost.
///
/// A *processor* is a participant's node (`0..participants`, in their order) or another node that merges.
pub(super) struct Priced<N> {
    pub participants: usize,
    pub processors: Vec<NodeId>,
    /// Per processor: the price of one unit of work. `None` if it cannot merge.
    pub merges: Vec<Option<N>>,
    /// Size by the number of operands less 1.
    pub sizes: Vec<N>,
    /// Work by the number of operands less 1.
    pub works: Vec<N>,
    pub constant: bool,
    /// The cost of one unit of message on each link.
    pub links: Vec<N>,
    /// Cheapest paths from every processor, once they are looked for.
    paths: Vec<ShortestPaths<N, EdgeIndex>>,
    /// How many bits extend the prices proper.
    extension: u64,
    /// The unit of the prices proper.
    unit: Rational,
    /// Asked by all that looks for trees under these prices.
    pub watch: Watch,
    /// Whether a good answer is enough if the best one needs branching.
    pub guides: bool,
}

impl<N: Fixed> Priced<N> {
    /// Prices as multiples of `unit`, without paths. `O(p + m)` for `p` processors and `m` links.
    pub(super) fn new(
        platform: &Platform,
        participants: usize,
        processors: &[NodeId],
        factors: &Factors<N>,
        prices: &Prices<N>,
        unit: &Rational,
    ) -> Self {
        let zero = N::zero();
        let price_at = |prices: &[N], node: usize| prices.get(node).unwrap_or(&zero).clone();
        let link = |(id, factor): (LinkId, &N)| price_at(&prices.links, id.index()) * factor;
        let mut links: Vec<N> = platform.link_ids().zip(&factors.links).map(link).collect();
        let merge = |(&processor, factor): (&NodeId, &Option<N>)| {
            Some(price_at(&prices.compute, processor.index()) * factor.as_ref()?)
        };
        let mut merges: Vec<Option<N>> =
            processors.iter().zip(&factors.merges).map(merge).collect();

        let widest = |numbers: &[N]| numbers.iter().map(Whole::bits).max().unwrap_or(0);
        let volume = widest(&factors.sizes).max(widest(&factors.works));
        // A tree moves less than 2 n values along simple paths.
        let tasks = (4 * (participants as u64 + processors.len() as u64) + 4).bits();
        let hops = (platform.nodes().len() as u64).bits();
        let extension = tasks + widest(&factors.sizes) + hops;
        let longest =
            widest(&links).max(merges.iter().flatten().map(Whole::bits).max().unwrap_or(0));
        // A partial Steiner arborescence may have several arcs with the surcharge.
        let arcs = if processors.len() - participants > FEW {
            (processors.len() as u64).bits() + 2
        } else {
            0
        };
        let spare = N::LIMIT
            .map(|limit| limit.saturating_sub(extension + volume + tasks + hops + arcs + 1));
        let shift = spare.map_or(0, |spare| longest.saturating_sub(spare));
        let extend = |price: &mut N| *price = (price.clone() >> shift) << extension;
        links
            .iter_mut()
            .chain(merges.iter_mut().flatten())
            .for_each(extend);
        for price in links.iter_mut() {
            *price += &N::from(1);
        }
        Priced {
            participants,
            processors: processors.to_vec(),
            merges,
            sizes: factors.sizes.clone(),
            works: factors.works.clone(),
            constant: factors.constant(),
            links,
            paths: Vec::new(),
            extension,
            unit: unit * &factors.unit * whole(BigUint::one() << shift),
            watch: Watch::unlimited(),
            guides: false,
        }
    }

    /// With the cheapest paths from every processor, or from some if the watch ends the work. `O(p m log m)`.
    pub(super) fn with_paths(mut self, platform: &Platform) -> Self {
        let price = |link: EdgeReference<'_, Link>| &self.links[link.id().index()];
        let from = |&processor: &NodeId| {
            shortest_paths(
                platform.graph(),
                [(processor.into(), N::zero())],
                price,
                |_| true,
            )
        };
        let watched = self
            .processors
            .iter()
            .take_while(|_| self.watch.ask().is_ok());
        self.paths = watched.map(from).collect();
        self
    }

    /// For prices that only guide.
    pub(super) fn guiding(mut self) -> Self {
        self.guides = true;
        self
    }

    pub(super) fn watched(mut self, watch: &Watch) -> Self {
        self.watch = watch.clone();
        self
    }

    /// The price of one unit of message from a processor to a node.
    pub(super) fn distance(&self, from: usize, to: NodeId) -> Option<&N> {
        self.paths.get(from)?.distances.get(to.index())?.as_ref()
    }

    /// The price of sending a partial result of `count` operands from a processor to a node.
    pub(super) fn transfer(&self, count: usize, from: usize, to: NodeId) -> Option<N> {
        Some(
            self.distance(from, to)?
                .times(self.sizes.get(count.checked_sub(1)?)?),
        )
    }

    /// The price of making a partial result of `count` operands at a processor.
    pub(super) fn merge(&self, count: usize, at: usize) -> Option<N> {
        Some(
            self.merges
                .get(at)?
                .as_ref()?
                .times(self.works.get(count.checked_sub(1)?)?),
        )
    }

    /// The links of the cheapest path.
    pub(super) fn path(&self, from: usize, to: NodeId) -> Vec<LinkId> {
        let Some(paths) = self.paths.get(from) else {
            return Vec::new();
        };
        paths
            .path(to.index())
            .into_iter()
            .map(LinkId::from)
            .collect()
    }

    /// How many links it has.
    pub(super) fn links(&self, from: usize, to: NodeId) -> u32 {
        let Some(paths) = self.paths.get(from) else {
            return 0;
        };
        let before = |&node: &usize| Some(paths.last.get(node).copied().flatten()?.1);
        std::iter::successors(Some(to.index()), before)
            .skip(1)
            .count() as u32
    }

    /// A sum of prices as a rational number, without the extension.
    pub(super) fn amount(&self, price: N) -> Rational {
        let price: BigUint = (price >> self.extension).into();
        whole(price) * &self.unit
    }
}

/// The bound and the trees known for one target.
pub(super) struct Offer<N> {
    /// No tree costs less, in the unit of the prices given.
    pub bound: Rational,
    /// Trees and their prices as [`Priced`] counts them, cheapest first.
    pub trees: Vec<(N, Pattern)>,
}
