//! What no all-reduce whatsoever exceeds: every operand has to become known to every participant.
//!
//! A node *knows* an operand when it owns it or has received a value that contains it. List the transfers of one instance
//! by the time of their end.
//!
//! **Theorem** (as for gossiping by one-way messages: Harary and Schwenk 1974). Some node `r` exists such that the
//! transfers up to some place in the list contain an arborescence from all participants into `r`, and the later ones
//! at least one transfer to each participant other than `r`. *Proof.* Let `r` be the node that is the first to know all
//! operands. Until then every operand has travelled to `r`. Every other participant still lacks one and has to
//! receive something later.
//!
//! Read backwards (operands travel in the opposite direction along the reversed list) the theorem says: an arborescence from some `r` to all
//! participants, and at least one transfer out of each participant other than `r` that is not part of it.
//!
//! Besides, combining `n` operands takes `n - 1` merges somewhere. So under prices an instance costs at least the cheapest
//! such collection of transfers, each as small as any, and merges, each as little work as any. The best bound is again
//! found by column generation, over these collections.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Amount, Collective, Interval, Pattern, Scheme, SchemeTask};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_trees::arborescence::Number;
use oneport_trees::cheapest::Prices;

use crate::broadcast::Network;
use crate::columns::{Guided, Pricing, Watch, generate};
use crate::costs::{self, Costs, Times, amount};
use crate::patterns::{Offer, Part};
use crate::resources::Resources;
use crate::{LpError, Question, Solution};

/// The better of the two bounds for an all-reduce, with the prices that prove it (and a meaningless steady state); stops as soon as
/// `enough` is proved.
///
/// # Errors
/// Those of the solver.
pub fn bound(
    question: &Question<'_>,
    resources: &Resources,
    enough: &Rational,
    watch: Watch<'_>,
) -> Result<Solution, LpError> {
    let mut solve = |backwards| {
        let collections = Collections::new(question, backwards);
        generate(question, resources.clone(), &collections, None, &mut |progress| {
            if progress.upper_bound <= *enough { ControlFlow::Break(()) } else { watch(progress) }
        })
    };
    let forwards = solve(false)?;
    if forwards.upper_bound <= *enough {
        return Ok(forwards);
    }
    let backwards = match solve(true) {
        Err(LpError::Stopped(_)) => return Ok(forwards),
        other => other?,
    };
    Ok(if backwards.upper_bound < forwards.upper_bound { backwards } else { forwards })
}

/// Prices the theorem's collections of transfers and merges.
struct Collections<'a> {
    question: &'a Question<'a>,
    backwards: bool,
    network: Network,
    times: Times,
    participants: &'a [NodeId],
    rates: Vec<Rational>,
    /// A partial result that is as small as any, and a merge that is as little work as any.
    smallest: Interval,
    lightest: Interval,
}

impl<'a> Collections<'a> {
    fn new(question: &'a Question<'a>, backwards: bool) -> Self {
        Collections::of(question, question.collective(), backwards)
    }

    fn of(question: &'a Question<'a>, collective: &'a Collective, backwards: bool) -> Self {
        let participants = collective.values().unwrap_or_default();
        let operands = participants.len();
        let volumes = question.volumes();
        Collections {
            question,
            backwards,
            network: Network::new(question.platform()).watched(question.watch().clone()),
            times: Times::of_size(question, &least(&volumes.size, operands, 1).1),
            participants,
            rates: vec![Rational::from_integer(1.into())],
            smallest: least(&volumes.size, operands, 1).0,
            lightest: least(&volumes.work, operands, 2).0,
        }
    }

    /// The cheapest collection of transfers: what it costs at least, and its links.
    fn transfers<N: Number + One + Into<BigUint>>(
        &self,
        costs: &Costs<N>,
        guide: bool,
    ) -> Option<(Rational, Vec<LinkId>)> {
        let platform = self.question.platform();
        let mut routes = self.network.routes(platform, &costs.links);
        if !self.backwards {
            routes.turn();
        }
        // Each participant's cheapest single transfer, in the direction opposite to the arborescence's.
        let single: Vec<(N, usize)> =
            self.participants.iter().filter_map(|&node| routes.cheapest_from(self.network.place(node)?)).collect();
        if single.len() < self.participants.len() {
            return None;
        }
        let mut all = N::zero();
        single.iter().for_each(|(price, _)| all += price);
        // The root needs no transfer of its own besides.
        let without = |node: NodeId| {
            let mut rest = all.clone();
            let own = self.participants.iter().position(|&other| other == node);
            own.into_iter().for_each(|place| rest -= &single[place].0);
            rest
        };
        let root = |&node: &NodeId| Some((self.network.place(node)?, without(node)));
        let roots: Vec<(usize, N)> = self.question.roots().iter().filter_map(root).collect();
        let (root, found) = self.network.cheapest_from_any(&routes, self.participants, &roots, guide)?;
        let mut links: Vec<LinkId> = found.hops.iter().map(|hop| hop.link).collect();
        for (&node, (_, arc)) in self.participants.iter().zip(&single) {
            if self.network.place(node) != Some(root) {
                links.extend_from_slice(routes.links(*arc));
            }
        }
        let at_least = found.at_least;
        Some((amount(&costs.unit, &at_least), links))
    }

    /// The cheapest place for merges, and what a merge costs there.
    fn merge(&self, price: impl Fn(NodeId) -> Rational) -> Option<(Rational, NodeId)> {
        let platform = self.question.platform();
        let cost = |node: NodeId| self.question.volumes().merge_time(platform, node, self.lightest) * price(node);
        platform.processors().map(|node| (cost(node), node)).min()
    }

    fn pattern(&self, links: Vec<LinkId>, merges: NodeId) -> Pattern {
        let part = self.lightest;
        let transfer = |link| SchemeTask::Transfer { link, part: self.smallest, after: None };
        let merge = SchemeTask::Merge { node: merges, part, split: part.first, left: None, right: None };
        let merges = std::iter::repeat_n(merge, self.participants.len().saturating_sub(1));
        Pattern::Scheme(Scheme {
            commodity: 0,
            order: None,
            tasks: links.into_iter().map(transfer).chain(merges).collect(),
        })
    }

    fn collection(
        &self,
        transfers: Option<(Rational, Vec<LinkId>)>,
        price: impl Fn(NodeId) -> Rational,
    ) -> Result<(Rational, Pattern), LpError> {
        const NOWHERE: LpError = LpError::Contradiction("no node can learn all operands");
        let (cost, links) = transfers.ok_or(NOWHERE)?;
        let (merge, node) = self.merge(price).ok_or(NOWHERE)?;
        let merges = Rational::from_integer(self.participants.len().saturating_sub(1).into());
        Ok((cost + merge * merges, self.pattern(links, node)))
    }
}

impl Collections<'_> {
    fn guided(&self, prices: &Prices<u64>) -> Result<(Rational, Pattern), LpError> {
        let price = |node: NodeId| Rational::from_integer(prices.compute[node.index()].into());
        self.collection(self.transfers(&self.times.costs(prices), true), price)
    }

    fn exact(&self, prices: &Prices<Rational>) -> Result<(Rational, Pattern), LpError> {
        let price = |node: NodeId| {
            let price = &prices.compute[node.index()];
            if price.is_negative() { Rational::zero() } else { price.clone() }
        };
        let size = least(&self.question.volumes().size, self.participants.len(), 1).1;
        let costs = costs::exact_of_size(self.question, &size, prices);
        self.collection(self.transfers(&costs, false), price)
    }
}

impl Pricing for Collections<'_> {
    fn rates(&self) -> &[Rational] {
        &self.rates
    }

    fn guide(&self, prices: &Prices<u64>) -> Result<Guided, LpError> {
        let (at_least, pattern) = self.guided(prices)?;
        Ok(Guided { at_least, patterns: vec![pattern] })
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<(Rational, Pattern)>, LpError> {
        Ok(vec![self.exact(prices)?])
    }

    fn is_exact(&self) -> bool {
        let spanning = |&root: &NodeId| self.network.is_spanning(&self.network.spread(root, self.participants));
        self.question.roots().iter().all(spanning)
    }
}

/// For an all-reduce beside other collectives: what it costs at least, under given prices.
pub struct Least<'a> {
    directions: [Collections<'a>; 2],
}

impl<'a> Least<'a> {
    /// Prepares the all-reduce.
    pub fn new(question: &'a Question<'a>, collective: &'a Collective) -> Self {
        Least { directions: [false, true].map(|backwards| Collections::of(question, collective, backwards)) }
    }

    fn offer(least: [Result<(Rational, Pattern), LpError>; 2]) -> Result<Vec<Offer>, LpError> {
        let [forwards, backwards] = least;
        let (dearer, pattern) = std::cmp::max_by(forwards?, backwards?, |one, other| one.0.cmp(&other.0));
        Ok(vec![Offer { at_least: dearer, patterns: vec![pattern] }])
    }
}

impl Part for Least<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Offer>, LpError> {
        Least::offer(self.directions.each_ref().map(|direction| direction.guided(prices)))
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Offer>, LpError> {
        Least::offer(self.directions.each_ref().map(|direction| direction.exact(prices)))
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// The interval of at least so many operands with the least amount, and that amount.
fn least(amount: &Amount, operands: usize, at_least: usize) -> (Interval, Rational) {
    let last = operands.saturating_sub(1);
    let of = |part: Interval| Some((amount.of(part)?, part));
    let found = match amount {
        Amount::Constant(_) => of(Interval { first: 0, last: (at_least - 1).min(last) }),
        // Monotone in the number of operands.
        Amount::Affine { .. } => {
            [(at_least - 1).min(last), last].into_iter().filter_map(|last| of(Interval { first: 0, last })).min()
        }
        Amount::Table(_) => (0..operands)
            .flat_map(|first| (first + at_least - 1..operands).map(move |last| Interval { first, last }))
            .filter_map(of)
            .min(),
    };
    found.map_or_else(|| (Interval { first: 0, last: 0 }, Rational::zero()), |(amount, part)| (part, amount))
}
