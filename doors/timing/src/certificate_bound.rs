//! A lower bound from prices: a resource is useless before data can reach it and after its output could no longer
//! arrive in time. The proof is in docs/theory.md.

use num_traits::Zero;
use oneport_graph::shortest_paths;
use oneport_plan::{Certificate, Problem, Rational, Resource};
use oneport_platform::{LinkId, NodeId, Platform, whole};
use petgraph::visit::{EdgeRef, Reversed};

/// The least `T` at which the priced useful time of the resources pays for one operation. A resource is useless before
/// a value can reach it, and after its output could no longer arrive in time. `throughput` is the certificate's bound.
/// The time is at least `1 / throughput`. `O(n m log m)` for `n` nodes and `m` links.
pub fn lower_bound_from_certificate(
    problem: &Problem,
    certificate: &Certificate,
    throughput: &Rational,
) -> Rational {
    if throughput.is_zero() {
        return Rational::zero();
    }
    let (platform, windows) = (problem.platform(), Windows::of(problem));
    let of_capacity = |capacity: u64| whole(capacity);
    let single = certificate.prices().map(|(resource, price)| {
        (
            windows.of_resource(problem, resource),
            price * of_capacity(resource.capacity(platform).into()),
        )
    });
    let sets = certificate.odd_sets().map(|(set, price)| {
        (
            windows.of_links(platform, set.members(platform)),
            price * of_capacity(set.capacity(platform)),
        )
    });
    let mut supplies: Vec<(Option<Rational>, Rational)> = single.chain(sets).collect();
    // The least cost of one operation.
    let needed = supplies.iter().map(|(_, price)| price).sum::<Rational>() / throughput;
    supplies.retain(|(idle, _)| idle.is_some());
    supplies.sort();
    room(&needed, &supplies)
}

/// The least `T` for which the sum of `price x max(T - idle, 0)` is `needed`. Supplies ascend by their idle times.
fn room(needed: &Rational, supplies: &[(Option<Rational>, Rational)]) -> Rational {
    let (mut prices, mut lost, mut least) = (Rational::zero(), Rational::zero(), Rational::zero());
    for (idle, price) in supplies {
        let Some(idle) = idle else { continue };
        if !prices.is_zero() && least <= *idle {
            break;
        }
        prices += price;
        lost += price * idle;
        if !prices.is_zero() {
            least = (needed + &lost) / &prices;
        }
    }
    least
}

/// Least delays: a message of no size passes every link in its latency and overhead.
struct Windows {
    /// Per node: the least delay from any owner of an operand.
    before: Vec<Option<Rational>>,
    /// Per node: the least delay to any node that wants a result.
    after: Vec<Option<Rational>>,
}

impl Windows {
    fn of(problem: &Problem) -> Windows {
        let platform = problem.platform();
        let delay = |link: LinkId| platform.link(link).latency() + platform.link(link).overhead();
        let start = |node: NodeId| (node.into(), Rational::zero());
        let owners = problem
            .demands()
            .flat_map(|demand| demand.operands.to_vec())
            .map(start);
        let wanting = problem
            .demands()
            .flat_map(|demand| demand.goals())
            .map(|(node, _)| node);
        let before = shortest_paths(
            platform.graph(),
            owners,
            |edge| delay(edge.id().into()),
            |_| true,
        );
        let turned = Reversed(platform.graph());
        let after = shortest_paths(
            turned,
            wanting.map(start),
            |edge| delay(edge.id().into()),
            |_| true,
        );
        Windows {
            before: before.distances,
            after: after.distances,
        }
    }

    /// Minimum idle time before the first and after the last useful task. `None` if the resource is never useful.
    fn of_resource(&self, problem: &Problem, resource: Resource) -> Option<Rational> {
        let platform = problem.platform();
        let using = |link: &LinkId| {
            Resource::uses(platform, *link)
                .map(|used| used.resource)
                .any(|own| own == resource)
        };
        match resource {
            Resource::Compute(node) => self.of_merges(problem, node),
            Resource::Link(link) => self.of_links(platform, vec![link]),
            Resource::Shared(id) => {
                let shared = platform.shared().get(id.index())?;
                self.of_links(platform, shared.weights.keys().copied().collect())
            }
            Resource::Send(node) => self.of_links(platform, platform.outgoing(node).to_vec()),
            Resource::Receive(node) => self.of_links(platform, platform.incoming(node).to_vec()),
            Resource::Port(node) => {
                let both = platform
                    .outgoing(node)
                    .iter()
                    .chain(platform.incoming(node));
                self.of_links(platform, both.copied().filter(using).collect())
            }
        }
    }

    /// Until the first transfer over one of these links that is of use, and from the end of the last one.
    fn of_links(&self, platform: &Platform, links: Vec<LinkId>) -> Option<Rational> {
        let ends = |link: LinkId| {
            let of = platform.link(link);
            let before = self.before.get(of.from.index())?.clone()?;
            Some((
                before,
                of.latency() + self.after.get(of.to.index())?.as_ref()?,
            ))
        };
        let useful: Vec<(Rational, Rational)> = links.into_iter().filter_map(ends).collect();
        Some(
            useful.iter().map(|(before, _)| before).min()?
                + useful.iter().map(|(_, after)| after).min()?,
        )
    }

    /// Until the first value arrives to be merged with the node's own, and from the end of the last merge.
    fn of_merges(&self, problem: &Problem, node: NodeId) -> Option<Rational> {
        let platform = problem.platform();
        let after = self.after.get(node.index())?.as_ref()?;
        let owns = |operands: &[NodeId]| operands.iter().filter(|owner| **owner == node).count();
        if problem.demands().any(|demand| owns(demand.operands) > 1) {
            return Some(after.clone());
        }
        let arrival = |link: &LinkId| {
            let of = platform.link(*link);
            Some(self.before.get(of.from.index())?.as_ref()? + of.latency() + of.overhead())
        };
        Some(platform.incoming(node).iter().filter_map(arrival).min()? + after)
    }
}
