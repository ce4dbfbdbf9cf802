//! Definition 5: is a point inside, or which inequality separates it?

use std::collections::BTreeMap;

use crate::heaviest::{Heaviest, HeaviestError, Prices, heaviest_matching};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use oneport_graph::arborescence::{Arborescence, arborescence};
use oneport_graph::{Digraph, shortest_paths};
use oneport_numbers::{Whole, common_denominator, numerator_over};
use oneport_platform::{Rational, ratio, whole};
use petgraph::visit::EdgeRef;

use crate::instance::{Instance, Message, SeparationError};

/// An answer of the oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Separated {
    /// The point lies in `K`.
    Inside(Box<Proof>),
    /// The point violates an inequality of `K`.
    Outside(Inequality),
}

/// An inequality that all points of `K` satisfy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inequality {
    /// `u >= 0`.
    NegativeU,
    /// `v(e) >= 0` of the link at this index.
    NegativeV(usize),
    /// Type I: `u - sum v(e) >= 0` over the links of a matching, ascending.
    Matching(Vec<usize>),
    /// Type II: `sum m(e) c(e) v(e) >= 1`. For each message the links of its path or tree.
    Pattern(Vec<Vec<usize>>),
}

/// `u * left + sum v(e) * right(e) >= least`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halfspace {
    /// The coefficient of `u`.
    pub u: Rational,
    /// The coefficients of `v` that are not 0, by link.
    pub v: BTreeMap<usize, Rational>,
    /// The right side.
    pub least: Rational,
}

/// The proof that a point lies in `K`: prices that bound every matching, and for every message a lower bound on its
/// lightest path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Links' prices are multiples of one in this number.
    pub unit: BigUint,
    /// Prices for doubled multiples: their sum is an upper bound on every matching.
    pub matchings: Prices<BigUint>,
    /// For each message, in their order.
    pub lightest: Vec<Lightest>,
    /// Amount added to each link's weight before the search for lightest trees. 0 if no price is negative.
    pub shift: Rational,
}

/// The proof that no path of a message is lighter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lightest {
    /// For each node a potential, which grows along every link by no more than the link's weight: so the path weighs at
    /// least the potential at its end minus the potential at its start.
    Path(Vec<Rational>),
    /// A spanning tree with weights of cuts that add up to its own.
    Tree(Box<Arborescence<Rational>>),
}

impl Instance {
    /// Whether `(u, v)` lies in `K`, where `v` has an entry per link. If not, an inequality of `K` that it violates.
    /// Tried in this order: `u`, `v` by link, matchings, patterns. Exact: nothing is rounded.
    ///
    /// `O(n^3)` for the matching, `O(m log m)` for each message, with `n` nodes and `m` links.
    ///
    /// # Errors
    /// [`SeparationError::PricesCount`].
    pub fn separate(&self, u: &Rational, v: &[Rational]) -> Result<Separated, SeparationError> {
        self.is_price_list(v)?;
        if u.is_negative() {
            return Ok(Separated::Outside(Inequality::NegativeU));
        }
        if let Some(link) = v.iter().position(Signed::is_negative) {
            return Ok(Separated::Outside(Inequality::NegativeV(link)));
        }
        self.types(u, v, Rational::zero())
    }

    /// This decision for the `K` that the paper prints, whose `v(e)` have either sign, for messages that all nodes
    /// receive (lemma 3). Links of negative price are in no heaviest matching. A spanning tree has one link per node
    /// but the source, so the same weight added to every link leaves the lightest tree the lightest. That makes weights
    /// non-negative.
    ///
    /// # Errors
    /// [`SeparationError::PricesCount`]. [`SeparationError::EitherSign`] for a message of a single node, whose lightest
    /// path is NP-hard to find under such prices (E004-15).
    pub fn separate_either_sign(
        &self,
        u: &Rational,
        v: &[Rational],
    ) -> Result<Separated, SeparationError> {
        self.is_price_list(v)?;
        if let Some(target) = self.messages.iter().find_map(|message| message.target) {
            return Err(SeparationError::EitherSign { target });
        }
        if u.is_negative() {
            return Ok(Separated::Outside(Inequality::NegativeU));
        }
        let weights = self.weighted(v, &Rational::zero());
        let least = weights.into_iter().map(|(_, _, weight)| weight).min();
        let shift = -least.unwrap_or_default().min(Rational::zero());
        self.types(u, v, shift)
    }

    /// Types I and II, with `shift` added to links' weights.
    fn types(
        &self,
        u: &Rational,
        v: &[Rational],
        shift: Rational,
    ) -> Result<Separated, SeparationError> {
        let unit = common_denominator(v).magnitude().clone();
        let mut heaviest = self.heaviest(&unit, v)?;
        heaviest.edges.retain(|&link| !v[link].is_negative());
        let weight: Rational = heaviest.edges.iter().map(|&link| &v[link]).sum();
        if weight > *u {
            return Ok(Separated::Outside(Inequality::Matching(heaviest.edges)));
        }
        let arcs = self.weighted(v, &shift);
        let mut total = Rational::zero();
        let (mut pattern, mut lightest) = (Vec::new(), Vec::new());
        for message in &self.messages {
            let (links, weight, proof) = self.lightest(message, &arcs)?;
            total += (weight - self.shifted(&shift)) * rate(message);
            pattern.push(links);
            lightest.push(proof);
        }
        if total < Rational::one() {
            return Ok(Separated::Outside(Inequality::Pattern(pattern)));
        }
        Ok(Separated::Inside(Box::new(Proof {
            unit,
            matchings: heaviest.proof,
            lightest,
            shift,
        })))
    }

    fn is_price_list(&self, v: &[Rational]) -> Result<(), SeparationError> {
        if v.len() == self.links.len() {
            Ok(())
        } else {
            Err(SeparationError::PricesCount {
                prices: v.len(),
                links: self.links.len(),
            })
        }
    }

    /// The links with weight `c(e) v(e)`, and `shift` more.
    fn weighted(&self, v: &[Rational], shift: &Rational) -> Vec<(usize, usize, Rational)> {
        self.links
            .iter()
            .zip(v)
            .map(|((from, to, cost), v)| (*from, *to, cost * v + shift))
            .collect()
    }

    /// Weight that a shift adds to a spanning tree.
    fn shifted(&self, shift: &Rational) -> Rational {
        shift * whole(self.nodes.saturating_sub(1))
    }

    /// The links with their prices in units. 0 for negative ones, which no heaviest matching has to use.
    fn priced(&self, unit: &BigUint, v: &[Rational]) -> Vec<(usize, usize, BigUint)> {
        let unit = BigInt::from(unit.clone());
        let ends = self.links.iter().zip(v);
        let price = |v: &Rational| {
            if v.is_negative() {
                BigUint::zero()
            } else {
                numerator_over(v, &unit).into_parts().1
            }
        };
        ends.map(|((from, to, _), v)| (*from, *to, price(v)))
            .collect()
    }

    /// A heaviest matching under prices that are multiples of one in `unit`.
    fn heaviest(&self, unit: &BigUint, v: &[Rational]) -> Result<Heaviest<BigUint>, HeaviestError> {
        let edges = self.priced(unit, v);
        match narrowed(&edges).and_then(|edges| heaviest_matching::<u128>(self.nodes, &edges).ok())
        {
            Some(found) => Ok(widened(found)),
            None => heaviest_matching(self.nodes, &edges),
        }
    }

    /// The lightest path of a message, its weight and the proof.
    fn lightest(
        &self,
        message: &Message,
        arcs: &[(usize, usize, Rational)],
    ) -> Result<(Vec<usize>, Rational, Lightest), SeparationError> {
        let missing = |target| SeparationError::Unreachable {
            source_node: message.source,
            target,
        };
        let Some(target) = message.target else {
            let tree =
                arborescence(self.nodes, message.source, arcs).ok_or(missing(message.source))?;
            let mut links: Vec<usize> = tree.entering.iter().flatten().copied().collect();
            links.sort_unstable();
            return Ok((links, tree.cost.clone(), Lightest::Tree(Box::new(tree))));
        };
        let graph = Digraph::new(self.nodes, arcs.to_vec());
        let paths = shortest_paths(
            &graph,
            [(message.source, Rational::zero())],
            |arc| &arcs[arc.id()].2,
            |_| true,
        );
        let weight = paths.distances[target].clone().ok_or(missing(target))?;
        // Where nothing arrives the potential is the largest: no link leads there from where something does.
        let most = paths
            .distances
            .iter()
            .flatten()
            .max()
            .cloned()
            .unwrap_or_default();
        let links = paths.path(target);
        let potentials = paths
            .distances
            .into_iter()
            .map(|known| known.unwrap_or_else(|| most.clone()))
            .collect();
        Ok((links, weight, Lightest::Path(potentials)))
    }
}

pub(crate) fn rate(message: &Message) -> Rational {
    whole(BigInt::from(message.rate))
}

fn narrowed(edges: &[(usize, usize, BigUint)]) -> Option<Vec<(usize, usize, u128)>> {
    edges
        .iter()
        .map(|(a, b, weight)| Some((*a, *b, Whole::narrow(weight)?)))
        .collect()
}

fn widened(found: Heaviest<u128>) -> Heaviest<BigUint> {
    let sets = found
        .proof
        .sets
        .into_iter()
        .map(|(set, price)| (set, price.into()))
        .collect();
    let vertices = found.proof.vertices.into_iter().map(Into::into).collect();
    Heaviest {
        edges: found.edges,
        proof: Prices { vertices, sets },
    }
}

impl Inequality {
    /// The inequality's numbers. Links that the instance does not have count nothing.
    pub fn halfspace(&self, instance: &Instance) -> Halfspace {
        let (one, zero) = (Rational::one(), Rational::zero());
        match self {
            Inequality::NegativeU => Halfspace {
                u: one,
                v: BTreeMap::new(),
                least: zero,
            },
            Inequality::NegativeV(link) => Halfspace {
                u: zero.clone(),
                v: [(*link, one)].into(),
                least: zero,
            },
            Inequality::Matching(links) => Halfspace {
                u: one.clone(),
                v: links.iter().map(|&link| (link, -one.clone())).collect(),
                least: zero,
            },
            Inequality::Pattern(ways) => Halfspace {
                u: zero,
                v: times(instance, ways),
                least: one,
            },
        }
    }
}

/// How long a pattern keeps each link busy: `m(e) c(e)`, if that is positive.
pub(crate) fn times(instance: &Instance, ways: &[Vec<usize>]) -> BTreeMap<usize, Rational> {
    let mut times: BTreeMap<usize, Rational> = BTreeMap::new();
    for (message, links) in instance.messages().iter().zip(ways) {
        for &link in links {
            if let Some((_, _, cost)) = instance.links().get(link)
                && !cost.is_zero()
            {
                *times.entry(link).or_default() += cost * rate(message);
            }
        }
    }
    times
}

impl Halfspace {
    /// The excess of the left side over the right side. Negative if it violates the inequality.
    pub fn slack(&self, u: &Rational, v: &[Rational]) -> Rational {
        let sum: Rational = self
            .v
            .iter()
            .filter_map(|(&link, factor)| Some(factor * v.get(link)?))
            .sum();
        &self.u * u + sum - &self.least
    }
}

impl Proof {
    /// Adds up: no matching outweighs `u` under `v`, and no pattern takes less than 1 under `c v`.
    ///
    /// # Errors
    /// [`SeparationError::Unproved`] with the first thing that does not hold.
    pub fn check(
        &self,
        instance: &Instance,
        u: &Rational,
        v: &[Rational],
    ) -> Result<(), SeparationError> {
        let unproved = |what: String| Err(SeparationError::Unproved(what));
        instance.is_price_list(v)?;
        let of_paths = instance
            .messages
            .iter()
            .any(|message| message.target.is_some());
        if u.is_negative() || (of_paths && v.iter().any(Signed::is_negative)) {
            return unproved("u or a price of a link is negative".to_string());
        }
        if self.unit.is_zero()
            || v.iter()
                .any(|v| !(&self.unit % v.denom().magnitude()).is_zero())
        {
            return unproved(format!("prices are not multiples of 1/{}", self.unit));
        }
        let bound = self
            .matchings
            .bound(instance.nodes, &instance.priced(&self.unit, v))?;
        let bound = ratio(bound, BigInt::from(self.unit.clone()) * 2);
        if bound > *u {
            return unproved(format!(
                "matchings are proved to weigh at most {bound}, u is {u}"
            ));
        }
        if self.lightest.len() != instance.messages.len() {
            return unproved(format!(
                "{} bounds for {} messages",
                self.lightest.len(),
                instance.messages.len()
            ));
        }
        let arcs = instance.weighted(v, &self.shift);
        if (of_paths && !self.shift.is_zero())
            || arcs.iter().any(|(_, _, weight)| weight.is_negative())
        {
            return unproved(format!("{} is added to every link's weight", self.shift));
        }
        let mut total = Rational::zero();
        for (message, proof) in instance.messages.iter().zip(&self.lightest) {
            let bound = proof.bound(message, instance.nodes, &arcs)?;
            total += (bound - instance.shifted(&self.shift)) * rate(message);
        }
        if total < Rational::one() {
            return unproved(format!(
                "patterns are proved to weigh at least {total}, which is less than 1"
            ));
        }
        Ok(())
    }
}

impl Lightest {
    /// The proved bound: no path of the message weighs less.
    fn bound(
        &self,
        message: &Message,
        nodes: usize,
        arcs: &[(usize, usize, Rational)],
    ) -> Result<Rational, SeparationError> {
        let unproved = |what: String| SeparationError::Unproved(what);
        match (self, message.target) {
            (Lightest::Path(potentials), Some(target)) if potentials.len() == nodes => {
                let steep = |(from, to, weight): &&(usize, usize, Rational)| {
                    potentials[*to] > &potentials[*from] + weight
                };
                match arcs.iter().find(steep) {
                    Some((from, to, _)) => Err(unproved(format!(
                        "the potential rises too much from {from} to {to}"
                    ))),
                    None => Ok(&potentials[target] - &potentials[message.source]),
                }
            }
            (Lightest::Tree(tree), None) if tree.entering.len() == nodes => {
                tree.check(message.source, arcs)
                    .map_err(|fault| unproved(fault.to_string()))?;
                Ok(tree.cost.clone())
            }
            _ => Err(unproved("a bound is not of the message's kind".to_string())),
        }
    }
}
