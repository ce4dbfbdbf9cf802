//! Adds up the bounds on all-reduces that the borders, gatherings, potentials and exchanges of a certificate prove.
//!
//! Let `x(e)` be how often an instance uses link `e`, tasks that serve nothing left out. Every link's charges are at
//! most what a message over it costs, so the transfers cost at least the sum over the links of charges times `x`. That
//! is
//!
//! - for every border its weight times the crossings, at least [`Border::crossings`] of them (below);
//! - for every gathering its weight times the entries, see [`Gatherings`];
//! - for every potential its value times (transfers out of the node less transfers into it). A router that is not left
//!   as often as it is entered merges, which it cannot; a node that owns no operand and does not replicate is left at
//!   most as often as entered;
//! - for every exchange what the transfers cost under its lengths, see [`least_exchange`].
//!
//! **Counting theorem.** Let `k >= 2` sets hold a participant each, and let every processor lie in exactly one of them.
//! Then the transfers of an instance enter them at least `2 (k - 1)` times. *Proof.* Choose a participant in every set.
//! Let `t` be the first place in the list of transfers by which some set `r` has, jointly, the operands of all of them.
//! For each other set `j` follow the path of its participant's operand into `r` by `t`. Let `s` be the last node of the
//! path that is a processor of set `j`, and `m` the set of the next processor on it (or `r`, if none follows). `s` is
//! not in `m`, so some transfer `x` of this piece enters `m`. Routers lie between: they do not merge, so `x` determines
//! `s`, hence `j`. That makes `k - 1` pairs `(x, m)`. Each set `j` other than `r` lacks an operand before `t`; the
//! transfer that brings the last missing one, at `t` or later, enters `j`: `k - 1` pairs `(y, j)`. If `(y, j)` were one
//! of the first kind, then `y` were at place `t`, entering both `r` and `j`: it ends at a router, since a processor
//! lies in one set only; but its piece goes on, after `t`, to a processor of `j`, though all pieces end by `t`.
//!
//! Read the list backwards with all links turned: sets are left at least `2 (k - 1)` times if every node that
//! replicates lies in exactly one of them. That a set with some of the participants is entered, and left, needs no
//! proof.

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use oneport_plan::{Border, Certificate, Direction, Exchange, Gathering, Potential};
use oneport_platform::{LinkId, Node, NodeId, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, is_sound, parts};
use crate::case::{Case, Group, least};
use crate::copies::least_exchange;
use crate::gatherings::Gatherings;
use crate::prices::Prices;
use crate::violation::{bad_price, fault, no_link, no_node, shown, unordered};

/// Borders, gatherings, potentials and exchanges of a certificate, checked one by one.
pub(crate) struct Exchanges<'a> {
    certificate: &'a Certificate,
    scale: Scale,
    /// Prices are scaled by this factor, so charges are, too: numerator and denominator.
    factor: (BigUint, BigUint),
}

impl<'a> Exchanges<'a> {
    /// Checks that everything is sorted, of existing nodes, links and all-reduces, and meets the theorems' conditions.
    ///
    /// Linear in the certificate, but for logarithms.
    pub(crate) fn new(
        case: &Case<'a>,
        certificate: &'a Certificate,
        prices: &Prices,
    ) -> Result<Exchanges<'a>, Violation> {
        let Certificate { borders, gatherings, potentials, exchanges, .. } = certificate;
        let unsorted = [
            ("borders", !borders.is_sorted()),
            ("gatherings", !gatherings.is_sorted()),
            ("potentials", !potentials.is_sorted_by(|a, b| (a.demand, a.node) < (b.demand, b.node))),
            ("exchanges", !exchanges.is_sorted()),
        ];
        if let Some((what, _)) = unsorted.into_iter().find(|(_, unsorted)| *unsorted) {
            return Err(unordered(&format!("certificate: the {what}")));
        }
        borders.iter().zip(0..).try_for_each(|(border, place)| check_border(case, place, border))?;
        gatherings.iter().zip(0..).try_for_each(|(gathering, place)| check_gathering(case, place, gathering))?;
        potentials.iter().zip(0..).try_for_each(|(potential, place)| check_potential(case, place, potential))?;
        exchanges.iter().zip(0..).try_for_each(|(exchange, place)| check_exchange(case, place, exchange))?;
        let lengths = exchanges.iter().flat_map(|exchange| exchange.lengths.iter().map(|(_, length)| length));
        let weights = borders.iter().map(|border| &border.weight);
        let weights = weights.chain(gatherings.iter().map(|gathering| &gathering.weight));
        let values = weights.chain(potentials.iter().map(|potential| &potential.value)).chain(lengths);
        let scale = Scale::new("the charges of all-reduces", values, case.platform.links().len())?;
        Ok(Exchanges { certificate, scale, factor: prices.factor.clone() })
    }

    /// Lower bound on the price of an all-reduce, in the unit of the scaled prices. `None` if the certificate has no
    /// inequality for it, or if the group is not an all-reduce.
    ///
    /// O(nodes of the sets + links x sets that a link crosses) additions, and the exchanges' arborescences.
    pub(crate) fn of_group(&self, group: &Group<'_>, prices: &Prices) -> Result<Option<Rational>, Violation> {
        if !group.is_all_reduce() {
            return Ok(None);
        }
        let Certificate { borders, gatherings, potentials, exchanges, .. } = self.certificate;
        let borders: Vec<&Border> = borders.iter().filter(|border| border.demand == group.first).collect();
        let gatherings: Vec<&Gathering> = gatherings.iter().filter(|one| one.demand == group.first).collect();
        let exchanges: Vec<&Exchange> = exchanges.iter().filter(|one| one.demand == group.first).collect();
        if borders.is_empty() && gatherings.is_empty() && exchanges.is_empty() {
            return Ok(None);
        }
        let potentials = potentials.iter().filter(|potential| potential.demand == group.first);
        let mut charges = self.charges(&group.case, &borders, potentials, &exchanges);
        let gatherings = Gatherings { case: &group.case, list: gatherings, scale: &self.scale };
        gatherings.charge(&mut charges);
        self.check_charges(group, &charges, prices)?;
        let mut total = BigUint::zero();
        for border in borders {
            total += self.scale.scaled(&border.weight) * border.crossings();
        }
        let unit = fraction(self.factor.0.clone(), &(&self.factor.1 * self.scale.denominator()));
        let mut total = fraction(total, &1u32.into());
        for exchange in exchanges {
            let mut lengths = vec![(BigUint::zero(), BigUint::from(1u32)); group.case.platform.links().len()];
            for (link, length) in &exchange.lengths {
                lengths[link.index()].0 = self.scale.scaled(length);
            }
            total += least_exchange(&group.case, exchange.direction, &exchange.parts, &lengths)?;
        }
        Ok(Some((total * &unit + gatherings.least(prices, &unit)).max(Rational::zero())))
    }

    /// Per link: the charges of borders, potentials and exchanges, in the unit of the scale.
    fn charges<'p>(
        &self,
        case: &Case<'_>,
        borders: &[&Border],
        potentials: impl Iterator<Item = &'p Potential>,
        exchanges: &[&Exchange],
    ) -> Vec<BigInt> {
        let platform = case.platform;
        let mut charges = vec![BigInt::zero(); platform.links().len()];
        for border in borders {
            let weight = BigInt::from(self.scale.scaled(&border.weight));
            let sets = sets_of_nodes(&border.sets, platform.nodes().len());
            for (charge, link) in charges.iter_mut().zip(platform.links()) {
                let (inside, outside) = match border.direction {
                    Direction::Into => (link.to, link.from),
                    Direction::OutOf => (link.from, link.to),
                };
                let outside = &sets[outside.index()];
                let crossed = sets[inside.index()].iter().filter(|set| outside.binary_search(set).is_err()).count();
                if crossed > 0 {
                    *charge += &weight * crossed;
                }
            }
        }
        for potential in potentials {
            let magnitude = BigInt::from(self.scale.scaled(&potential.value.abs()));
            let value = if potential.value.is_negative() { -magnitude } else { magnitude };
            platform.outgoing(potential.node).iter().for_each(|link| charges[link.index()] += &value);
            platform.incoming(potential.node).iter().for_each(|link| charges[link.index()] -= &value);
        }
        for (link, length) in exchanges.iter().flat_map(|exchange| &exchange.lengths) {
            charges[link.index()] += BigInt::from(self.scale.scaled(length));
        }
        charges
    }

    /// No link is charged for more than the smallest message over it costs.
    fn check_charges(&self, group: &Group<'_>, charges: &[BigInt], prices: &Prices) -> Result<(), Violation> {
        let case = &group.case;
        let size = least(&case.volumes.size, case.operands().len(), 1);
        let (size, size_over) = parts(&size);
        let over = &self.factor.1 * self.scale.denominator();
        for ((link, charge), (length, length_over)) in (0..).zip(charges).zip(prices.lengths(case)) {
            if !charge.is_positive() {
                continue;
            }
            let (charge, cost, cost_over) =
                (charge.magnitude() * &self.factor.0, length * size, length_over * size_over);
            if &charge * &cost_over > &cost * &over {
                // In the unit of the certificate.
                let unit = fraction(self.factor.1.clone(), &self.factor.0);
                let charged = shown(fraction(charge, &over) * &unit);
                let (link, cost) =
                    (case.platform.link_name(LinkId::new(link)), shown(fraction(cost, &cost_over) * unit));
                let found = format!("borders, gatherings, potentials and exchanges charge {charged} for link '{link}'");
                return Err(fault!(Overcharge, "{found}"; "a message over it costs {cost}").at(case.demand_name(0)));
            }
        }
        Ok(())
    }
}

/// Per node: the indices of the sets that hold it, ascending.
fn sets_of_nodes(sets: &[Vec<NodeId>], nodes: usize) -> Vec<Vec<usize>> {
    let mut holding = vec![Vec::new(); nodes];
    for (place, set) in sets.iter().enumerate() {
        set.iter().for_each(|node| holding[node.index()].push(place));
    }
    holding
}

/// The participants of the all-reduce at this place.
fn participants<'a>(case: &Case<'a>, place: &str, demand: usize) -> Result<&'a [NodeId], Violation> {
    let group = case.groups().into_iter().find(|group| group.first == demand);
    match group.filter(Group::is_all_reduce) {
        Some(group) => Ok(group.case.operands()),
        None => {
            let found =
                format!("demand {demand} of {} is not an all-reduce (they are numbered from 0)", case.demands());
            Err(fault!(Certificate, "{found}"; "leave it out").at(place.to_string()))
        }
    }
}

/// Sets are sorted, of existing nodes, and hold a participant each.
fn check_sets(case: &Case<'_>, place: &str, sets: &[Vec<NodeId>], participants: &[NodeId]) -> Result<(), Violation> {
    let wrong = |what: String, right: &str| fault!(Certificate, "{what}"; "{right}").at(place.to_string());
    if sets.is_empty() {
        return Err(wrong("it has no sets".to_string(), "list the nodes of at least one"));
    }
    let mut takes_part = vec![false; case.platform.nodes().len()];
    participants.iter().for_each(|node| takes_part[node.index()] = true);
    for (number, set) in sets.iter().enumerate() {
        if let Some(node) = set.iter().find(|node| node.index() >= case.platform.nodes().len()) {
            return Err(no_node(&format!("{place}: the member"), *node, case.platform));
        }
        if !set.is_sorted_by(|a, b| a < b) {
            return Err(unordered(&format!("{place}: its nodes")));
        }
        if !set.iter().any(|node| takes_part[node.index()]) {
            return Err(wrong(format!("set {number} holds no participant"), "every set holds at least one"));
        }
    }
    Ok(())
}

fn check_border(case: &Case<'_>, place: usize, border: &Border) -> Result<(), Violation> {
    let place = format!("border {place}");
    let participants = participants(case, &place, border.demand)?;
    if !is_positive(&border.weight) {
        return Err(bad_price(&place, &border.weight));
    }
    check_sets(case, &place, &border.sets, participants)?;
    let wrong = |what: String, right: &str| Err(fault!(Certificate, "{what}"; "{right}").at(place.clone()));
    if let [set] = border.sets.as_slice() {
        if participants.iter().all(|node| set.binary_search(node).is_ok()) {
            return wrong("it holds all participants".to_string(), "a single set leaves out at least one");
        }
        return Ok(());
    }
    let holding = sets_of_nodes(&border.sets, case.platform.nodes().len());
    let (once, right): (fn(&Node) -> bool, _) = match border.direction {
        Direction::Into => (Node::is_processor, "every processor lies in exactly one set"),
        Direction::OutOf => (|node| node.replicates, "every node that replicates lies in exactly one set"),
    };
    let found = case.platform.nodes().iter().zip(&holding).find(|(node, sets)| once(node) && sets.len() != 1);
    match found {
        Some((node, sets)) => wrong(format!("'{}' lies in {} of its sets", node.name, sets.len()), right),
        None => Ok(()),
    }
}

fn check_gathering(case: &Case<'_>, place: usize, gathering: &Gathering) -> Result<(), Violation> {
    let place = format!("gathering {place}");
    let participants = participants(case, &place, gathering.demand)?;
    if !is_positive(&gathering.weight) {
        return Err(bad_price(&place, &gathering.weight));
    }
    check_sets(case, &place, std::slice::from_ref(&gathering.nodes), participants)
}

fn check_potential(case: &Case<'_>, place: usize, potential: &Potential) -> Result<(), Violation> {
    let place = format!("potential {place}");
    let participants = participants(case, &place, potential.demand)?;
    let Some(node) = case.platform.nodes().get(potential.node.index()) else {
        return Err(no_node(&format!("{place}: the potential"), potential.node, case.platform));
    };
    let value = &potential.value;
    let right = if !is_sound(value) || value.is_zero() {
        "a potential is a number other than 0; leave it out"
    } else if participants.contains(&potential.node) {
        "participants have none; leave it out"
    } else if value.is_positive() && node.is_processor() {
        "only a router's may be positive"
    } else if value.is_negative() && node.replicates {
        "only that of a node that does not replicate may be negative"
    } else {
        return Ok(());
    };
    Err(fault!(Certificate, "'{}' has {}", node.name, shown(value); "{right}").at(place))
}

fn check_exchange(case: &Case<'_>, place: usize, exchange: &Exchange) -> Result<(), Violation> {
    let place = format!("exchange {place}");
    let participants = participants(case, &place, exchange.demand)?;
    check_sets(case, &place, &exchange.parts, participants)?;
    let wrong = |what: String, right: &str| Err(fault!(Certificate, "{what}"; "{right}").at(place.clone()));
    if exchange.parts.len() < 2 {
        return wrong("it has a single part".to_string(), "list at least two");
    }
    let holding = sets_of_nodes(&exchange.parts, case.platform.nodes().len());
    if let Some((node, parts)) = case.platform.nodes().iter().zip(&holding).find(|(_, parts)| parts.len() > 1) {
        return wrong(format!("'{}' lies in {} of its parts", node.name, parts.len()), "parts are disjoint");
    }
    let links = case.platform.links().len();
    if let Some((link, _)) = exchange.lengths.iter().find(|(link, _)| link.index() >= links) {
        return Err(no_link(&format!("{place}: the"), *link, case.platform));
    }
    if !exchange.lengths.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(unordered(&format!("{place}: its links")));
    }
    match exchange.lengths.iter().find(|(_, length)| !is_positive(length)) {
        Some((_, length)) => Err(bad_price(&place, length)),
        None => Ok(()),
    }
}
