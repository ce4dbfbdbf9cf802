//! The price of the cheapest arborescences.
//!
//! Only nodes that replicate can branch. So a pattern is an arborescence over these, whose arcs are routes through
//! nodes that do not: the cheapest route for every arc costs no more. Conversely every such arborescence is a pattern.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Goals, Interval};
use oneport_platform::{NodeId, PerLink, PerNode, Rational};

use crate::Violation;
use crate::arborescences::{Arc, Weight, cheapest, nearest, network, routes, spanning_from_each};
use crate::arithmetic::fraction;
use crate::case::{Case, Group};
use crate::charges::Way;
use crate::needs::{Least, Needs};
use crate::prices::{Prices, common_denominator, over};
use crate::violation::too_large;

/// The sum over the demands of a broadcast or an all-gather of the price of the cheapest arborescence, or of a lower
/// bound. See [`bound`](crate::bound). Demands that cross the same cuts are looked at once.
pub(crate) fn cheapest_copies(
    group: &Group<'_>,
    lengths: &PerLink<(BigUint, BigUint)>,
    needs: &Needs<'_>,
    prices: &Prices,
) -> Result<Least, Violation> {
    let size = group.case.size(Interval::single(0));
    let mut crossed: Vec<(Vec<usize>, usize)> =
        needs.of_group(group).into_iter().zip(0..).collect();
    crossed.sort_unstable();
    let mut least = Least::default();
    let mut uncut = Vec::new();
    let chunks: Vec<&[(Vec<usize>, usize)]> =
        crossed.chunk_by(|one, other| one.0 == other.0).collect();
    let applied = chunks
        .iter()
        .filter_map(|same| same.first())
        .map(|(applied, _)| applied);
    let sides = applied
        .filter(|cuts| !cuts.is_empty())
        .map(|cuts| needs.sides(cuts));
    let mut of_routes = routes_across(&group.case, lengths, sides)?.into_iter();
    for same in chunks {
        let Some((applied, first)) = same.first() else {
            continue;
        };
        if applied.is_empty() {
            uncut.extend(same.iter().map(|(_, demand)| *demand));
        } else {
            let ways = of_routes.next().unwrap_or_else(|| needs.links());
            least.add(
                &needs.sum(group, *first, applied, (&ways, prices))?,
                same.len(),
            );
        }
    }
    if !uncut.is_empty() {
        least.cheapest = without_cuts(&group.case, lengths, &uncut)? * size;
    }
    Ok(least)
}

/// The cheapest routes between nodes that replicate, for each of several lists of cuts. None at all if all nodes
/// replicate: then links are routes. Nodes that no cut separates share their routes.
///
/// Runs Dijkstra's algorithm for every set of nodes that no cut of a list separates, or for every node if that is less
/// work.
fn routes_across(
    case: &Case<'_>,
    lengths: &PerLink<(BigUint, BigUint)>,
    lists: impl Iterator<Item = Vec<PerNode<bool>>>,
) -> Result<Vec<Rc<Vec<Way>>>, Violation> {
    let is_hub: PerNode<bool> = case
        .platform
        .nodes()
        .iter()
        .map(|node| node.replicates)
        .collect();
    if is_hub.iter().all(|&hub| hub) {
        return Ok(Vec::new());
    }
    let alike: Vec<Vec<Vec<NodeId>>> = lists.map(|cuts| alike(case, &is_hub, &cuts)).collect();
    if alike.is_empty() {
        return Ok(Vec::new());
    }
    let (scaled, denominator) = scaled(lengths)?;
    let ways = |arcs: Vec<Arc<BigUint>>| {
        let way = |(from, to, length)| {
            let (from, to) = (NodeId::new(from), NodeId::new(to));
            Way {
                from,
                to,
                link: None,
                length: (length, denominator.clone()),
            }
        };
        Rc::new(arcs.into_iter().map(way).collect::<Vec<Way>>())
    };
    if alike.iter().map(Vec::len).sum::<usize>() >= is_hub.iter().filter(|&&hub| hub).count() {
        let all = ways(routes(case, &scaled, &is_hub)?);
        return Ok(alike.iter().map(|_| Rc::clone(&all)).collect());
    }
    let of_list = |sets: &Vec<Vec<NodeId>>| {
        let arcs = sets.iter().map(|set| nearest(case, &scaled, &is_hub, set));
        Ok(ways(arcs.collect::<Result<Vec<_>, _>>()?.concat()))
    };
    alike.iter().map(of_list).collect()
}

/// The nodes that replicate, grouped if every cut holds all of them or none.
fn alike(case: &Case<'_>, is_hub: &PerNode<bool>, cuts: &[PerNode<bool>]) -> Vec<Vec<NodeId>> {
    let mut sets: BTreeMap<Vec<bool>, Vec<NodeId>> = BTreeMap::new();
    for node in case.platform.node_ids().filter(|node| is_hub[*node]) {
        sets.entry(cuts.iter().map(|inside| inside[node]).collect())
            .or_default()
            .push(node);
    }
    sets.into_values().collect()
}

/// The lengths over one denominator.
fn scaled(lengths: &PerLink<(BigUint, BigUint)>) -> Result<(PerLink<BigUint>, BigUint), Violation> {
    let too_large = |(bits, limit)| too_large("the priced costs of the links", bits, limit);
    let denominator = common_denominator(lengths.iter(), lengths.len()).map_err(too_large)?;
    Ok((
        lengths
            .iter()
            .map(|length| over(length.clone(), &denominator))
            .collect(),
        denominator,
    ))
}

/// The price of demands without cuts, for messages of unit size.
fn without_cuts(
    case: &Case<'_>,
    lengths: &PerLink<(BigUint, BigUint)>,
    demands: &[usize],
) -> Result<Rational, Violation> {
    let (scaled, denominator) = scaled(lengths)?;
    // No sum of an algorithm is above twice the longest link times the square of the number of nodes.
    let longest = scaled.iter().map(BigUint::bits).max().unwrap_or(0);
    let bits =
        longest + 2 * u64::from(usize::BITS - case.platform.nodes().len().leading_zeros()) + 1;
    let total = if bits <= 64 {
        let narrow: PerLink<u64> = scaled.iter().filter_map(ToPrimitive::to_u64).collect();
        sum(case, &narrow, demands)?
    } else if bits <= 128 {
        let narrow: PerLink<u128> = scaled.iter().filter_map(ToPrimitive::to_u128).collect();
        sum(case, &narrow, demands)?
    } else {
        sum(case, &scaled, demands)?
    };
    Ok(fraction(total, &denominator))
}

fn sum<T: Weight>(
    case: &Case<'_>,
    lengths: &PerLink<T>,
    demands: &[usize],
) -> Result<BigUint, Violation> {
    let mut is_hub: PerNode<bool> = case
        .platform
        .nodes()
        .iter()
        .map(|node| node.replicates)
        .collect();
    let mut goals = Vec::with_capacity(demands.len());
    for &number in demands {
        let Some(demand) = case.demand(number) else {
            continue;
        };
        let (Some(&source), Goals::Everywhere(targets)) = (demand.operands.first(), demand.goals)
        else {
            continue;
        };
        case.ask()?;
        let free = reached_freely(case, lengths, source);
        if targets.iter().all(|target| free[*target]) {
            continue;
        }
        // All nodes of a valid demand replicate. Otherwise the others would have to be hubs, too.
        for node in targets.iter().chain([&source]) {
            is_hub[*node] = true;
        }
        goals.push((source, targets));
    }
    if goals.is_empty() {
        return Ok(BigUint::zero());
    }
    let routes = routes(case, lengths, &is_hub)?;
    let hubs: Vec<usize> = case
        .platform
        .node_ids()
        .filter(|&node| is_hub[node])
        .map(NodeId::index)
        .collect();
    let mut known: Option<Vec<Option<T>>> = None;
    let mut total = BigUint::zero();
    for (source, targets) in goals {
        case.ask()?;
        let ends: BTreeSet<usize> = targets
            .iter()
            .chain([&source])
            .map(|node| node.index())
            .collect();
        let spanned = (ends.len() == hubs.len())
            .then(|| known.get_or_insert_with(|| spanning(&routes, &hubs)));
        let price =
            match spanned.and_then(|prices| prices[hub_index(&hubs, source.index())].clone()) {
                Some(price) => price,
                None => cheapest(&network(case, &routes, source, targets)?),
            };
        total += price.into();
    }
    Ok(total)
}

/// The nodes that links of length 0 lead to: copies get there for free, each by a separate route, and an arborescence
/// of such routes costs nothing.
fn reached_freely<T: Weight>(
    case: &Case<'_>,
    lengths: &PerLink<T>,
    source: NodeId,
) -> PerNode<bool> {
    let mut reached = case.platform.per_node(false);
    reached[source] = true;
    let mut open = vec![source];
    while let Some(node) = open.pop() {
        for &link in case
            .platform
            .outgoing(node)
            .iter()
            .filter(|&&link| lengths[link].is_zero())
        {
            let to = case.platform.link(link).to;
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

/// Per hub: the price of the cheapest arborescence from it to all others.
fn spanning<T: Weight>(routes: &[Arc<T>], hubs: &[usize]) -> Vec<Option<T>> {
    let arc = |(from, to, length): &Arc<T>| {
        (hub_index(hubs, *from), hub_index(hubs, *to), length.clone())
    };
    spanning_from_each(hubs.len(), routes.iter().map(arc).collect())
}

fn hub_index(hubs: &[usize], node: usize) -> usize {
    hubs.partition_point(|&hub| hub < node)
}
