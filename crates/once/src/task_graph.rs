//! What of the dates of a draft does not depend on sizes.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{Deed, Platform, Problem, Rational, Resource};

use crate::Draft;

/// A draft laid out on a platform: who waits for whom, and for what. Dates for any sizes follow from it.
#[derive(Debug)]
pub struct Layout {
    pub(crate) draft: Draft,
    /// The share that kinds count.
    pub(crate) share: Rational,
    /// Deeds of one kind take the same time at the same place.
    pub(crate) kinds: Vec<Kind>,
    /// By deed.
    pub(crate) kind: Vec<u32>,
    /// By deed: on how many inputs it waits.
    pub(crate) waits: Vec<u32>,
    /// By deed: those that use its result.
    pub(crate) users: Lists,
    /// By link, then by node: which resources a deed there occupies.
    pub(crate) occupied: Lists,
    /// By resource: how many deeds it serves at once.
    pub(crate) lanes: Vec<u32>,
}

/// Deeds that take the same time at the same place.
#[derive(Debug)]
pub(crate) struct Kind {
    /// A link, or a node counted from the last link on.
    pub place: usize,
    /// Of how many shares.
    pub shares: BigUint,
    /// How many deeds.
    pub count: u64,
}

/// Lists, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    pub fn of(&self, list: usize) -> &[u32] {
        let first = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[first as usize..self.ends[list] as usize]
    }

    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.all.extend(list);
        self.ends.push(self.all.len() as u32);
    }

    /// By input: the deeds that use its result, ascending.
    fn users(deeds: &[Deed]) -> Lists {
        // Where a list ends, the next begins: while they are filled, ends are one list behind.
        let mut ends = vec![0_u32; deeds.len() + 1];
        deeds.iter().flat_map(inputs).for_each(|input| ends[input as usize + 1] += 1);
        (1..ends.len()).for_each(|place| ends[place] += ends[place - 1]);
        let mut all = vec![0_u32; ends.last().copied().unwrap_or(0) as usize];
        for (deed, number) in deeds.iter().zip(0_u32..) {
            for input in inputs(deed) {
                all[ends[input as usize] as usize] = number;
                ends[input as usize] += 1;
            }
        }
        ends.pop();
        Lists { ends, all }
    }
}

pub(crate) fn inputs(deed: &Deed) -> impl Iterator<Item = u32> + '_ {
    let (carried, parts) = match deed {
        Deed::Send { carried, .. } => (carried.as_slice(), [None, None]),
        Deed::Merge { left, right, .. } => (&[][..], [*left, *right]),
    };
    carried.iter().filter_map(|(_, source)| *source).chain(parts.into_iter().flatten())
}

impl Draft {
    /// Lays the draft out on the problem's platform. `O(d log d)` for `d` deeds and pieces carried.
    pub fn laid_out(self, problem: Problem<'_>) -> Layout {
        let platform = problem.platform();
        let Scaled { values, unit } = Scaled::coarsest(self.pieces.iter().map(|piece| &piece.share));
        let short: Option<Vec<u128>> = values.iter().map(|share| u64::narrow(share).map(u128::from)).collect();
        let (kinds, kind) = match short {
            Some(shares) => kinds(&self.deeds, platform.links().len(), &shares),
            None => kinds(&self.deeds, platform.links().len(), &values),
        };
        let waits = self.deeds.iter().map(|deed| inputs(deed).count() as u32).collect();
        let (occupied, lanes) = resources(platform);
        Layout { share: unit, kinds, kind, waits, users: Lists::users(&self.deeds), occupied, lanes, draft: self }
    }
}

/// All kinds of deeds, and which each deed is of.
fn kinds<N: Whole>(deeds: &[Deed], links: usize, shares: &[N]) -> (Vec<Kind>, Vec<u32>) {
    let mut numbers: BTreeMap<(usize, N), u32> = BTreeMap::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut kind = |deed: &Deed| {
        let (place, shares) = match deed {
            Deed::Send { link, carried } => {
                let mut sum = N::zero();
                carried.iter().for_each(|&(piece, _)| sum += &shares[piece as usize]);
                (link.index(), sum)
            }
            Deed::Merge { node, piece, .. } => (links + node.index(), shares[*piece as usize].clone()),
        };
        let number = *numbers.entry((place, shares)).or_insert_with_key(|(place, shares)| {
            kinds.push(Kind { place: *place, shares: shares.clone().into(), count: 0 });
            kinds.len() as u32 - 1
        });
        kinds[number as usize].count += 1;
        number
    };
    let of = deeds.iter().map(&mut kind).collect();
    (kinds, of)
}

/// What deeds occupy, by link, then by node; and how many deeds each resource serves at once.
fn resources(platform: &Platform) -> (Lists, Vec<u32>) {
    let (mut occupied, mut lanes) = (Lists::default(), Vec::new());
    let mut numbers: BTreeMap<Resource, u32> = BTreeMap::new();
    let mut number = |resource: Resource| {
        *numbers.entry(resource).or_insert_with(|| {
            lanes.push(resource.capacity(platform));
            lanes.len() as u32 - 1
        })
    };
    for link in platform.link_ids() {
        occupied.push(Resource::of_link(platform, link).map(&mut number));
    }
    for node in platform.node_ids() {
        occupied.push([number(Resource::Compute(node))]);
    }
    (occupied, lanes)
}

impl Layout {
    /// What is laid out.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// How many deeds.
    pub fn deeds(&self) -> usize {
        self.kind.len()
    }

    /// The longest chain of deeds in which each waits for the one before, every message in its link's latency and
    /// overhead alone: however small the sizes are, the run is no shorter. `O(deeds + inputs)`.
    pub fn delay(&self, platform: &Platform) -> Rational {
        let delays = platform.links().iter().map(|link| link.latency() + link.overhead());
        let Scaled { values, unit } = Scaled::coarsest(&delays.collect::<Vec<_>>());
        let mut arrivals: Vec<BigUint> = Vec::with_capacity(self.draft.deeds.len());
        for deed in &self.draft.deeds {
            let ready = inputs(deed).map(|input| &arrivals[input as usize]).max().cloned().unwrap_or_default();
            arrivals.push(match deed {
                Deed::Send { link, .. } => ready + &values[link.index()],
                Deed::Merge { .. } => ready,
            });
        }
        unit * Rational::from_integer(arrivals.into_iter().max().unwrap_or_default().into())
    }

    /// How much memory it takes, in deeds and pieces carried.
    pub fn extent(&self) -> usize {
        self.kind.len() + self.users.all.len()
    }
}
