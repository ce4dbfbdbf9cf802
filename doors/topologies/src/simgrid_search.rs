//! Zones that find routes over other members: Floyd, Dijkstra. Fewest links win. Ties are broken as in SimGrid.
//!
//! Facts from SimGrid, `FloydZone.cpp` and `DijkstraZone.cpp`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use oneport_files::error::Mistake;

use crate::mistakes::too_many;
use crate::simgrid_zones::{Routing, Stretch, Zones};

/// Limit on the members of such a zone.
const MAX_MEMBERS: usize = 500;
/// Limit on the links of all its routes.
const MAX_LOADS: usize = 2_000_000;

/// Route search of a zone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathSearch {
    Floyd,
    Dijkstra,
}

/// Gives a zone a route for every two members that its routes join, over members in between. `order` lists the zone's
/// routes as the file gives them, each with its way back behind it. Zones within it are complete.
pub(super) fn complete(
    zones: &mut Zones,
    zone: usize,
    search: PathSearch,
    order: &[(usize, usize)],
) -> Result<(), Mistake> {
    let Some(Routing::Pairs(steps)) = zones.zones.get(zone).map(|zone| &zone.routing) else {
        return Ok(());
    };
    let members = zones.zones.get(zone).map_or(&[][..], |zone| &zone.members);
    let points = match search {
        PathSearch::Floyd => members.to_vec(),
        PathSearch::Dijkstra => in_order(order),
    };
    if points.len() > MAX_MEMBERS {
        let instead = "write the routes out (routing=\"Full\")";
        let what = "members of a zone of Floyd or Dijkstra";
        return Err(too_many(what, MAX_MEMBERS, instead));
    }
    let before = match search {
        PathSearch::Floyd => floyd(&points, steps),
        PathSearch::Dijkstra => dijkstra(&points, steps),
    };
    let mut pairs = BTreeMap::new();
    let mut loads = 0;
    for (from, row) in points.iter().zip(&before) {
        for to in points.iter().filter(|to| *to != from) {
            let Some(path) = path(&points, row, *from, *to) else {
                continue;
            };
            let Some(stretch) = join(zones, steps, &path)? else {
                continue;
            };
            loads += stretch.loads.len();
            if loads > MAX_LOADS {
                let instead = "give a part of the platform";
                return Err(too_many("links on routes", MAX_LOADS, instead));
            }
            pairs.insert((*from, *to), stretch);
        }
    }
    if let Some(zone) = zones.zones.get_mut(zone) {
        zone.routing = Routing::Pairs(pairs);
    }
    Ok(())
}

/// Members by their first route.
fn in_order(order: &[(usize, usize)]) -> Vec<usize> {
    let mut points = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for point in order.iter().flat_map(|&(from, to)| [from, to]) {
        if seen.insert(point) {
            points.push(point);
        }
    }
    points
}

type Steps = BTreeMap<(usize, usize), Stretch>;

/// Per pair of points: the index of the point before the second one on the route from the first.
type Before = Vec<Vec<Option<usize>>>;

fn floyd(points: &[usize], steps: &Steps) -> Before {
    let count = points.len();
    let link = |from: &usize, to: &usize| steps.get(&(*from, *to)).map(|step| step.loads.len());
    let mut costs: Vec<Vec<Option<usize>>> = points
        .iter()
        .map(|from| points.iter().map(|to| link(from, to)).collect())
        .collect();
    let mut before: Before = costs
        .iter()
        .enumerate()
        .map(|(index, row)| row.iter().map(|cost| cost.map(|_| index)).collect())
        .collect();
    for middle in 0..count {
        let (Some(row), Some(last)) = (costs.get(middle).cloned(), before.get(middle).cloned())
        else {
            continue;
        };
        for (ways, befores) in costs.iter_mut().zip(&mut before) {
            let Some(first) = ways.get(middle).copied().flatten() else {
                continue;
            };
            let goals = ways.iter_mut().zip(befores).zip(row.iter().zip(&last));
            for ((cost, index), (second, last)) in goals {
                let Some(second) = second else { continue };
                if cost.is_none_or(|known| first + second < known) {
                    *cost = Some(first + second);
                    *index = *last;
                }
            }
        }
    }
    before
}

fn dijkstra(points: &[usize], steps: &Steps) -> Before {
    let indices: BTreeMap<usize, usize> = points.iter().copied().zip(0..).collect();
    let mut ways: Vec<Vec<(usize, usize)>> = vec![Vec::new(); points.len()];
    for ((from, to), step) in steps {
        if let (Some(&from), Some(&to)) = (indices.get(from), indices.get(to))
            && let Some(ways) = ways.get_mut(from)
        {
            ways.push((to, step.loads.len()));
        }
    }
    let search = |start: usize| {
        let mut costs: Vec<Option<usize>> = vec![None; points.len()];
        let mut before = vec![None; points.len()];
        let mut open = BinaryHeap::from([Reverse((0, start))]);
        for cost in costs.iter_mut().skip(start).take(1) {
            *cost = Some(0);
        }
        while let Some(Reverse((cost, here))) = open.pop() {
            if costs.get(here) != Some(&Some(cost)) {
                continue;
            }
            for &(next, more) in ways.get(here).into_iter().flatten() {
                let (Some(known), Some(last)) = (costs.get_mut(next), before.get_mut(next)) else {
                    continue;
                };
                if known.is_none_or(|known| cost + more < known) {
                    *known = Some(cost + more);
                    *last = Some(here);
                    open.push(Reverse((cost + more, next)));
                }
            }
        }
        before
    };
    (0..points.len()).map(search).collect()
}

/// The points of a route, ends included.
fn path(points: &[usize], before: &[Option<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut index = points.iter().position(|&point| point == to)?;
    let mut path = vec![to];
    while path.last() != Some(&from) {
        index = before.get(index).copied().flatten()?;
        path.push(*points.get(index)?);
        if path.len() > points.len() {
            return None;
        }
    }
    path.reverse();
    Some(path)
}

/// Joins the steps of a path to one route, with the routes inside the zones between them. `None` if a step or one of
/// these routes is missing.
fn join(zones: &Zones, steps: &Steps, path: &[usize]) -> Result<Option<Stretch>, Mistake> {
    let mut whole = Stretch::default();
    let mut entered = None;
    for (number, ends) in path.windows(2).enumerate() {
        let [from, to] = ends else { continue };
        let Some(step) = steps.get(&(*from, *to)) else {
            return Ok(None);
        };
        let [left, next] = step.gates;
        if number == 0 {
            whole.gates[0] = left;
        } else if let (Some(entered), Some(left)) = (entered, left) {
            let Some(inside) = zones.route(entered, left)? else {
                return Ok(None);
            };
            whole.loads.extend(inside);
        }
        whole.loads.extend(&step.loads);
        entered = next;
    }
    whole.gates[1] = entered;
    Ok(Some(whole))
}
