//! Adds the transfers that merges inside sets of nodes need from outside, as rows of the program of [`cutting_planes`].
//!
//! **Gathering theorem.** Of the merges behind a place that joins all operands, let `z(p)` be at processor `p`, and let
//! `r(p)` be 1 at that place's processor and 0 elsewhere. Into every set `A` with a participant lead at least `2 -
//! participants in A + sum over p in A of (z(p) - r(p))` transfers. (Proof: `referee::gatherings`.) Processors that
//! merge slowly and sets that are entered slowly limit together, which neither merges nor crossings alone can say.
//!
//! A set that is violated most is a minimum cut for each participant that may be inside.
//!
//! [`cutting_planes`]: super::cutting_planes

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport_exact::{Column, LinearProgram, Relation, Row, Solver};
use oneport_numbers::Exact;
use oneport_plan::{Certificate, Direction, Gathering, Resource};
use oneport_platform::{NodeId, Platform, Rational};

use super::partition::Partitions;
use super::volume::Volume;
use crate::LpError;
use crate::resources::Resources;

/// The columns of merges, where they take time, and the sets found so far.
pub struct Merges {
    /// Per processor: the column of its merges, and the column of whether the joining place is there.
    columns: Vec<(NodeId, Column, Column)>,
    sets: Vec<(Vec<NodeId>, Row)>,
}

impl Merges {
    /// Columns for merges and for the place that joins all operands. `None` if merges take no time. `rows` are the rows
    /// of the resources.
    ///
    /// # Errors
    /// The errors of the exact solver.
    pub fn new(
        platform: &Platform,
        volume: &Volume,
        resources: &Resources,
        rows: &[Row],
        program: &mut LinearProgram,
    ) -> Result<Option<Merges>, LpError> {
        if !volume.work.is_positive() {
            return Ok(None);
        }
        let needed = program.add_row(Relation::AtLeast, Rational::from_integer(volume.merges.into()));
        let place = program.add_row(Relation::AtMost, Rational::one());
        let mut columns = Vec::new();
        for (row, resource) in rows.iter().zip(resources.list()) {
            if let Resource::Compute(node) = resource
                && let Some(compute) = &platform.node(node).compute
            {
                let time = &volume.work * compute;
                let merges = program.add_column(Rational::zero(), [(*row, time), (needed, Rational::one())])?;
                columns.push((node, merges, program.add_column(Rational::zero(), [(place, Rational::one())])?));
            }
        }
        Ok(Some(Merges { columns, sets: Vec::new() }))
    }

    /// Per processor: its merges minus the indicator of the joining place, with the values of `primal`.
    pub fn wanted(&self, primal: impl Fn(Column) -> Rational) -> Vec<(NodeId, Rational)> {
        self.columns.iter().map(|&(node, merges, place)| (node, primal(merges) - primal(place))).collect()
    }

    /// Takes in sets; says whether any is new. `links` are the columns of the transfers.
    ///
    /// # Errors
    /// The errors of the exact solver.
    pub fn add(
        &mut self,
        sets: Vec<Vec<NodeId>>,
        partitions: &Partitions<'_>,
        links: &[Column],
        solver: &mut Solver,
    ) -> Result<bool, LpError> {
        let mut added = false;
        for set in sets {
            if self.sets.iter().any(|(known, _)| *known == set) {
                continue;
            }
            let platform = partitions.platform();
            let has = |node: NodeId| set.binary_search(&node).is_ok();
            let entering = platform.links().iter().zip(links).filter(|(link, _)| has(link.to) && !has(link.from));
            let entering = entering.map(|(_, &column)| (column, Rational::one()));
            let inside = self.columns.iter().filter(|(node, ..)| has(*node));
            let inside = inside.flat_map(|&(_, merges, place)| [(merges, -Rational::one()), (place, Rational::one())]);
            let least = Rational::from_integer(entries(&set, partitions.participants()));
            let row = solver.add_row(Relation::AtLeast, least, entering.chain(inside))?;
            self.sets.push((set, row));
            added = true;
        }
        Ok(added)
    }

    /// Lower bound on the price of entries and merges together, per instance, from the sets' dual values. Puts the sets
    /// into the certificate, which has its prices already.
    pub fn prove(
        &self,
        dual: &[Rational],
        partitions: &Partitions<'_>,
        volume: &Volume,
        certificate: &mut Certificate,
    ) -> Rational {
        let platform = partitions.platform();
        let mut holding = vec![Rational::zero(); platform.nodes().len()];
        let mut proved = Rational::zero();
        for (set, row) in self.sets.iter().filter(|(_, row)| dual[row.0].is_positive()) {
            let weight = dual[row.0].clone();
            set.iter().for_each(|node| holding[node.index()] += &weight);
            proved += &weight * Rational::from_integer(entries(set, partitions.participants()));
            certificate.gatherings.push(Gathering { demand: 0, nodes: set.clone(), weight });
        }
        certificate.gatherings.sort();
        let most = platform.processors().map(|node| &holding[node.index()]).max();
        proved -= most.cloned().unwrap_or_default();
        proved + volume.cheapest_merges(platform, certificate, &holding)
    }
}

/// Constant term of the inequality, 2 minus the participants inside: transfers that enter a set at least if nothing
/// merges inside and the joining place is outside.
fn entries(set: &[NodeId], participants: &[NodeId]) -> BigInt {
    let inside = participants.iter().filter(|node| set.binary_search(node).is_ok()).count();
    BigInt::from(2) - BigInt::from(inside)
}

/// Sets that fewer transfers enter than the merges inside need, at most one for each participant that has to be inside.
/// All numbers are in multiples of `1 / one`; what is violated by no more than `slack` is left out.
///
/// # Errors
/// [`LpError::Stopped`] by the watch.
pub fn violated<N: Exact>(
    partitions: &Partitions<'_>,
    transfers: &[N],
    wanted: &[(NodeId, N)],
    one: &N,
    slack: &N,
) -> Result<Vec<Vec<NodeId>>, LpError> {
    debug_assert!(partitions.direction() == Direction::Into);
    let mut values = wanted.to_vec();
    for (node, value) in &mut values {
        if partitions.participants().contains(node) {
            *value -= one;
        }
    }
    let mut least = one.plus(one);
    least -= slack;
    let mut found = Vec::new();
    for &participant in partitions.participants() {
        let (entering, set) = partitions.closest(transfers, &values, participant)?;
        if entering < least && !found.contains(&set) {
            found.push(set);
        }
    }
    Ok(found)
}
