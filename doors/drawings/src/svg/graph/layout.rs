//! Positions of the nodes of a graph.
//!
//! A radial drawing of a breadth-first tree is the start. Stress majorization (Gansner, Koren, North, 2004) then moves
//! nodes until distances on the page resemble numbers of hops. Last, nodes that are too close are pushed apart. Only
//! `+ - * /` and square roots are used, so that every machine computes the same bits.

/// Distances are fitted up to this number of nodes. More nodes keep the rings of the breadth-first tree. Trades a
/// better layout for time, `O(n^2)` per round. Not measured.
const MOST_STRESSED: usize = 500;
/// Least distance of two nodes, in links.
const APART: f64 = 0.55;
/// With this part of all pairs linked, a circle shows more than distances do.
const DENSE: f64 = 0.6;

/// Positions for nodes of these radii (0 for points). The length of a link between points is about 1, the centre
/// anywhere. `root` starts the tree.
///
/// O(n m + rounds n^2) for n up to 500 nodes, O(n + m) beyond.
pub(in crate::svg) fn arrange(
    radii: &[f64],
    edges: &[(usize, usize)],
    root: usize,
) -> Vec<(f64, f64)> {
    let nodes = radii.len();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(a, b) in edges.iter().filter(|(a, b)| a.max(b) < &nodes && a != b) {
        near[a].push(b);
        near[b].push(a);
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    let pairs: usize = near.iter().map(Vec::len).sum();
    if nodes >= 4 && pairs as f64 >= DENSE * (nodes * (nodes - 1)) as f64 {
        return circle(radii);
    }
    let mut positions = radial(&near, root);
    let spread = 1.0 + 2.0 * radii.iter().sum::<f64>() / nodes.max(1) as f64;
    for position in positions.iter_mut() {
        *position = (position.0 * spread, position.1 * spread);
    }
    if (3..=MOST_STRESSED).contains(&nodes) {
        let wishes = wishes(&near, radii);
        let rounds = if nodes <= 60 { 300 } else { 80 };
        for _ in 0..rounds {
            relax(&mut positions, &wishes);
        }
        for _ in 0..60 {
            separate(&mut positions);
        }
    }
    orient(&mut positions, root);
    positions
}

/// Each node's parent and depth in a breadth-first forest. Later trees hang below the root, two levels down.
fn tree(near: &[Vec<usize>], root: usize) -> (Vec<usize>, Vec<(Option<usize>, usize)>) {
    let mut order: Vec<usize> = Vec::new();
    let mut known: Vec<Option<(Option<usize>, usize)>> = vec![None; near.len()];
    let starts = std::iter::once(root)
        .chain(0..near.len())
        .filter(|&start| start < near.len());
    for start in starts {
        if known[start].is_some() {
            continue;
        }
        known[start] = Some(order.first().map_or((None, 0), |&first| (Some(first), 2)));
        let mut next = order.len();
        order.push(start);
        while let Some(&node) = order.get(next) {
            next += 1;
            let depth = known[node].map_or(0, |(_, depth)| depth);
            for &other in &near[node] {
                if known[other].is_none() {
                    known[other] = Some((Some(node), depth + 1));
                    order.push(other);
                }
            }
        }
    }
    (
        order,
        known
            .into_iter()
            .map(|entry| entry.unwrap_or((None, 0)))
            .collect(),
    )
}

/// Rings by depth. Every subtree has a sector in proportion to its leaves.
fn radial(near: &[Vec<usize>], root: usize) -> Vec<(f64, f64)> {
    let (order, tree) = tree(near, root);
    let mut leaves = vec![0usize; near.len()];
    for &node in order.iter().rev() {
        leaves[node] = leaves[node].max(1);
        if let (Some(parent), _) = tree[node] {
            leaves[parent] += leaves[node];
        }
    }
    let deepest = tree.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
    let mut on_ring = vec![0usize; deepest + 1];
    for &(_, depth) in &tree {
        on_ring[depth] += 1;
    }
    let mut radius = vec![0.0f64; deepest + 1];
    for depth in 1..=deepest {
        radius[depth] =
            (radius[depth - 1] + 1.0).max(on_ring[depth] as f64 * 0.6 / std::f64::consts::TAU);
    }
    // The sector of a node, and the start of its next child's sector, as fractions of a turn.
    let mut sector = vec![(0.0f64, 1.0f64); near.len()];
    let mut positions = vec![(0.0, 0.0); near.len()];
    for &node in &order {
        if let (Some(parent), _) = tree[node] {
            let (start, left) = sector[parent];
            let share = leaves[node] as f64 / leaves[parent].max(1) as f64;
            let whole = left.max(0.0);
            // The parent's sector shrinks from the left as its children take their parts.
            let part = if leaves[parent] == 0 {
                0.0
            } else {
                whole * share
            };
            leaves[parent] -= leaves[node].min(leaves[parent]);
            sector[parent] = (start + part, whole - part);
            sector[node] = (start, part);
        }
        let (start, part) = sector[node];
        let (cos, sin) = turn(start + part / 2.0);
        let far = radius[tree[node].1];
        // A small offset from the ring: symmetric trees would stay on a line otherwise.
        let (dx, dy) = turn(node as f64 * 0.618_034);
        positions[node] = (far * cos + 0.1 * dx, far * sin + 0.1 * dy);
    }
    positions
}

/// All nodes on a circle, the first at the top.
fn circle(radii: &[f64]) -> Vec<(f64, f64)> {
    let nodes = radii.len();
    let widest = radii.iter().copied().fold(0.0, f64::max);
    let radius = f64::max(
        1.0,
        nodes as f64 * (0.8 + 2.0 * widest) / std::f64::consts::TAU,
    );
    let position = |node: usize| {
        let (cos, sin) = turn(node as f64 / nodes as f64);
        (radius * sin, -radius * cos)
    };
    (0..nodes).map(position).collect()
}

/// Cosine and sine of a fraction of a turn, from arithmetic alone.
fn turn(fraction: f64) -> (f64, f64) {
    let eighths = (fraction * 4.0).round();
    let x = (fraction - eighths / 4.0) * std::f64::consts::TAU;
    let (mut cos, mut sin, mut term) = (1.0, 0.0, 1.0);
    for k in 1..16 {
        term = term * x / f64::from(k);
        match k % 4 {
            1 => sin += term,
            2 => cos -= term,
            3 => sin -= term,
            _ => cos += term,
        }
    }
    match (eighths as i64).rem_euclid(4) {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

/// The distance that every pair of nodes should have, and its weight.
///
/// The target length of a link is 1, or more if one of its ends has many neighbours, which need room around it. The
/// target length of other pairs is that of a shortest path. For unconnected nodes it is a little more than all others.
fn wishes(near: &[Vec<usize>], radii: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let degree = |a: usize, b: usize| near[a].len().max(near[b].len()) as f64;
    let length = |a: usize, b: usize| f64::max(1.0, 0.1 * degree(a, b)) + radii[a] + radii[b];
    let mut wishes = vec![vec![(f64::INFINITY, 0.0); near.len()]; near.len()];
    let mut farthest = 0.0f64;
    for (start, row) in wishes.iter_mut().enumerate() {
        row[start].0 = 0.0;
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &other in &near[node] {
                let through = row[node].0 + length(node, other);
                // Lengths differ little, so few nodes enter the queue more than once.
                if through < row[other].0 {
                    row[other].0 = through;
                    queue.push(other);
                }
            }
        }
        farthest = row
            .iter()
            .map(|wish| wish.0)
            .filter(|wish| wish.is_finite())
            .fold(farthest, f64::max);
    }
    for (start, row) in wishes.iter_mut().enumerate() {
        for (other, wish) in row
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != start)
        {
            wish.0 = wish.0.min(farthest + 1.0);
            let linked = near[start].binary_search(&other).is_ok();
            let pull = if linked {
                1.0 + 0.5 * degree(start, other)
            } else {
                1.0
            };
            wish.1 = pull / (wish.0 * wish.0);
        }
    }
    wishes
}

/// One round of stress majorization: every node moves to the weighted mean of the positions that the others prefer for
/// it.
fn relax(positions: &mut [(f64, f64)], wishes: &[Vec<(f64, f64)>]) {
    for (node, row) in wishes.iter().enumerate() {
        let Some(&(x, y)) = positions.get(node) else {
            continue;
        };
        let (mut sum_x, mut sum_y, mut sum) = (0.0, 0.0, 0.0);
        for (other, (&(ox, oy), &(wanted, weight))) in positions.iter().zip(row).enumerate() {
            if other == node {
                continue;
            }
            let (dx, dy, length) = apart((ox, oy), (x, y), node, other);
            sum_x += weight * (ox + dx / length * wanted);
            sum_y += weight * (oy + dy / length * wanted);
            sum += weight;
        }
        if sum > 0.0 {
            positions[node] = (sum_x / sum, sum_y / sum);
        }
    }
}

/// Pushes apart, half each, every pair closer than [`APART`].
fn separate(positions: &mut [(f64, f64)]) {
    for node in 1..positions.len() {
        for other in 0..node {
            let (dx, dy, length) = apart(positions[other], positions[node], node, other);
            if length < APART {
                let push = (APART - length) / 2.0 / length;
                positions[node].0 += dx * push;
                positions[node].1 += dy * push;
                positions[other].0 -= dx * push;
                positions[other].1 -= dy * push;
            }
        }
    }
}

/// The vector from `from` to `to` and its length. The length is never 0, even for nodes at the same position.
fn apart(from: (f64, f64), to: (f64, f64), node: usize, other: usize) -> (f64, f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 1e-6 {
        return (dx, dy, length);
    }
    let (cos, sin) = turn((node * 7 + other) as f64 * 0.381_966);
    (cos * 1e-3, sin * 1e-3, 1e-3)
}

/// Turns the drawing so that its bulk is below the root, or to the right of it if it would be tall.
fn orient(positions: &mut [(f64, f64)], root: usize) {
    let Some(&(rx, ry)) = positions.get(root) else {
        return;
    };
    let count = positions.len() as f64;
    let (cx, cy) = positions.iter().fold((0.0, 0.0), |sum, position| {
        (sum.0 + position.0 / count, sum.1 + position.1 / count)
    });
    let (dx, dy) = (cx - rx, cy - ry);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 0.2 {
        for position in positions.iter_mut() {
            let (x, y) = *position;
            *position = ((x * dy - y * dx) / length, (x * dx + y * dy) / length);
        }
    }
    let spread = |pick: fn(&(f64, f64)) -> f64| {
        let values = positions.iter().map(pick);
        values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
    };
    if spread(|position| position.1) > 1.25 * spread(|position| position.0) {
        for position in positions.iter_mut() {
            *position = (position.1, position.0);
        }
    }
}
