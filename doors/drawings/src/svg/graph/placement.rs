//! Nodes on the page: nodes whose names have a common prefix are in one frame.

use std::collections::BTreeMap;

use super::labels::{Area, Point};
use super::{banks, layout};
use crate::words;

/// Space between a frame and its nodes. Its name is above them.
const PADDING: f64 = 14.0;
/// Height of a frame's name.
pub(super) const TITLE: f64 = 20.0;
/// Least space between frames, and between a frame and other nodes.
const APART: f64 = 34.0;
/// Nodes are pushed apart up to this number. Trades a better layout for time, `O(n^2)` per round. Not measured.
const MOST_PUSHED: usize = 500;
/// Wider pages are turned upright if this helps.
const WIDEST: f64 = 2400.0;

/// The nodes of a common prefix.
pub(super) struct Group {
    pub prefix: String,
    pub members: Vec<usize>,
}

/// A frame around a group.
pub(super) struct Frame {
    pub name: String,
    pub members: Vec<usize>,
    pub area: Area,
}

/// Centres of nodes, frames, and the area of it all.
pub(super) struct Placement {
    pub positions: Vec<Point>,
    pub frames: Vec<Frame>,
    pub area: Area,
}

/// The nodes to be placed.
pub(super) struct Nodes<'a> {
    pub names: &'a [&'a str],
    /// Width and height.
    pub sizes: &'a [Point],
    pub links: &'a [(usize, usize)],
    /// Start of the drawing.
    pub root: usize,
    /// Length of a link between small nodes, in pixels.
    pub unit: f64,
}

/// Groups of two nodes or more, in the order of their first nodes. A node whose name is the prefix is a member.
pub(super) fn groups(names: &[&str]) -> Vec<Group> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (node, name) in names.iter().enumerate() {
        found
            .entry(words::prefix(name).unwrap_or(name))
            .or_default()
            .push(node);
    }
    let mut groups: Vec<Group> = found
        .into_iter()
        .filter(|(_, members)| members.len() > 1)
        .map(|(prefix, members)| Group {
            prefix: prefix.to_string(),
            members,
        })
        .collect();
    groups.sort_by_key(|group| group.members.first().copied());
    groups
}

/// Arranges the groups' nodes within their frames, then frames and other nodes on the page.
///
/// O(n m + n^2) up to 500 nodes, O(n + m) beyond.
pub(super) fn arrange(nodes: &Nodes) -> Placement {
    let groups = groups(nodes.names);
    let count = nodes.names.len();
    // Items are groups, then nodes without one.
    let mut item = vec![usize::MAX; count];
    for (index, group) in groups.iter().enumerate() {
        for &node in group.members.iter() {
            item[node] = index;
        }
    }
    let mut insides: Vec<Inside> = groups
        .iter()
        .map(|group| inside(nodes, &group.members))
        .collect();
    let mut sizes: Vec<Point> = insides.iter().map(|inside| inside.size).collect();
    for (node, own) in item
        .iter_mut()
        .enumerate()
        .filter(|(_, own)| **own == usize::MAX)
    {
        *own = sizes.len();
        sizes.push(nodes.sizes[node]);
        insides.push(Inside {
            members: vec![node],
            positions: vec![(0.0, 0.0)],
            size: nodes.sizes[node],
        });
    }
    let links: Vec<(usize, usize)> = nodes
        .links
        .iter()
        .map(|&(a, b)| (item[a], item[b]))
        .filter(|(a, b)| a != b)
        .collect();
    let banks = banks::banks(groups.len(), &sizes, &links, APART);
    let root = item.get(nodes.root).copied().unwrap_or(0);
    let mut centres = banks.unwrap_or_else(|| spread(&sizes, &links, root, nodes.unit));
    if sizes.len() <= MOST_PUSHED {
        separate(
            &mut centres,
            &sizes,
            if groups.is_empty() { 18.0 } else { APART },
        );
    }
    flip(&mut insides, &centres, nodes.links, &item);
    let mut positions = vec![(0.0, 0.0); count];
    for (index, (inside, centre)) in insides.iter().zip(&centres).enumerate() {
        let below = if index < groups.len() {
            TITLE / 2.0
        } else {
            0.0
        };
        for (&node, position) in inside.members.iter().zip(&inside.positions) {
            positions[node] = (centre.0 + position.0, centre.1 + position.1 + below);
        }
    }
    let frames =
        groups
            .into_iter()
            .zip(&insides)
            .zip(&centres)
            .map(|((group, inside), &centre)| Frame {
                name: group.prefix,
                members: group.members,
                area: Area::around(centre, inside.size.0, inside.size.1),
            });
    let frames: Vec<Frame> = frames.collect();
    let area = frames
        .iter()
        .fold(extent(&positions, nodes.sizes), |all, frame| {
            all.join(&frame.area)
        });
    Placement {
        positions,
        frames,
        area,
    }
}

/// A group, or a single node: members, their positions around the middle, and the size of it all.
struct Inside {
    members: Vec<usize>,
    positions: Vec<Point>,
    size: Point,
}

/// Arranges a group: by its own links, or in rows if it has none.
fn inside(nodes: &Nodes, members: &[usize]) -> Inside {
    let own: BTreeMap<usize, usize> = members
        .iter()
        .enumerate()
        .map(|(own, &node)| (node, own))
        .collect();
    let links: Vec<(usize, usize)> = nodes
        .links
        .iter()
        .filter_map(|(a, b)| Some((*own.get(a)?, *own.get(b)?)))
        .collect();
    let sizes: Vec<Point> = members.iter().map(|&node| nodes.sizes[node]).collect();
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let star = banks::hub(members.len(), &links);
    let mut positions = if let Some(hub) = star {
        banks::star(&sizes, hub)
    } else if links.is_empty() {
        let row = (members.len() as f64).sqrt().ceil() as usize;
        let cell = (
            widest + 18.0,
            sizes.iter().map(|size| size.1).fold(0.0, f64::max) + 18.0,
        );
        (0..members.len())
            .map(|own| ((own % row) as f64 * cell.0, (own / row) as f64 * cell.1))
            .collect()
    } else {
        let mut degrees = vec![0_usize; members.len()];
        for &(a, b) in links.iter() {
            degrees[a] += 1;
            degrees[b] += 1;
        }
        let hub = (0..degrees.len())
            .max_by_key(|&own| (degrees[own], std::cmp::Reverse(own)))
            .unwrap_or(0);
        spread(&sizes, &links, hub, 0.75 * nodes.unit)
    };
    if members.len() <= MOST_PUSHED {
        separate(&mut positions, &sizes, 16.0);
    }
    let area = extent(&positions, &sizes);
    let centre = area.centre();
    for position in positions.iter_mut() {
        *position = (position.0 - centre.0, position.1 - centre.1);
    }
    let size = (
        area.right - area.left + 2.0 * PADDING,
        area.bottom - area.top + 2.0 * PADDING + TITLE,
    );
    Inside {
        members: members.to_vec(),
        positions,
        size,
    }
}

/// Arranges items of these sizes so that linked ones are near.
fn spread(sizes: &[Point], links: &[(usize, usize)], root: usize, unit: f64) -> Vec<Point> {
    // A node larger than a small circle makes its links longer.
    let radii: Vec<f64> = sizes
        .iter()
        .map(|size| ((size.0 + size.1) / 4.0 - 20.0).max(0.0) / unit)
        .collect();
    let raw = layout::arrange(&radii, links, root);
    let mut positions: Vec<Point> = raw.into_iter().map(|(x, y)| (x * unit, y * unit)).collect();
    let area = extent(&positions, sizes);
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    if width > WIDEST && height < width {
        for position in positions.iter_mut() {
            *position = (position.1, position.0);
        }
    }
    let longest = width.max(height);
    if sizes.len() > 60 && longest > WIDEST {
        let shrink = WIDEST / longest;
        for position in positions.iter_mut() {
            *position = (position.0 * shrink, position.1 * shrink);
        }
    }
    positions
}

/// The rectangle around all items.
fn extent(positions: &[Point], sizes: &[Point]) -> Area {
    let nothing = Area {
        left: 0.0,
        top: 0.0,
        right: 0.0,
        bottom: 0.0,
    };
    let areas = positions
        .iter()
        .zip(sizes)
        .map(|(&position, size)| Area::around(position, size.0, size.1));
    areas.reduce(|a, b| a.join(&b)).unwrap_or(nothing)
}

/// Pushes apart, half each, items closer than `margin`, along the axis with the smaller overlap.
fn separate(positions: &mut [Point], sizes: &[Point], margin: f64) {
    for _ in 0..400 {
        let mut moved = false;
        for one in 1..positions.len() {
            for other in 0..one {
                let (dx, dy) = (
                    positions[one].0 - positions[other].0,
                    positions[one].1 - positions[other].1,
                );
                let x = (sizes[one].0 + sizes[other].0) / 2.0 + margin - dx.abs();
                let y = (sizes[one].1 + sizes[other].1) / 2.0 + margin - dy.abs();
                if x <= 0.01 || y <= 0.01 {
                    continue;
                }
                moved = true;
                let push = if x < y {
                    ((x / 2.0).copysign(dx), 0.0)
                } else {
                    (0.0, (y / 2.0).copysign(dy))
                };
                positions[one] = (positions[one].0 + push.0, positions[one].1 + push.1);
                positions[other] = (positions[other].0 - push.0, positions[other].1 - push.1);
            }
        }
        if !moved {
            return;
        }
    }
}

/// Turns groups over, from left to right and upside down, if this shortens the links to other items.
fn flip(insides: &mut [Inside], centres: &[Point], links: &[(usize, usize)], item: &[usize]) {
    let mut own = vec![0_usize; item.len()];
    for inside in insides.iter() {
        for (member, &node) in inside.members.iter().enumerate() {
            own[node] = member;
        }
    }
    let mut outer: Vec<Vec<(usize, usize)>> = vec![Vec::new(); insides.len()];
    for &(a, b) in links.iter().filter(|(a, b)| item[*a] != item[*b]) {
        outer[item[a]].push((own[a], b));
        outer[item[b]].push((own[b], a));
    }
    for index in (0..insides.len()).chain(0..insides.len()) {
        let centre_of = |node: usize| {
            let (group, member) = (item[node], own[node]);
            let (x, y) = insides[group].positions[member];
            (centres[group].0 + x, centres[group].1 + y)
        };
        let length = |turn: Point| -> f64 {
            let far = |&(member, other): &(usize, usize)| {
                let ((x, y), there) = (insides[index].positions[member], centre_of(other));
                let (dx, dy) = (
                    centres[index].0 + turn.0 * x - there.0,
                    centres[index].1 + turn.1 * y - there.1,
                );
                (dx * dx + dy * dy).sqrt()
            };
            outer[index].iter().map(far).sum()
        };
        let turns = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
        let now = length(turns[0]);
        let best = turns
            .into_iter()
            .min_by(|a, b| length(*a).total_cmp(&length(*b)))
            .unwrap_or(turns[0]);
        // Not for a gain of a pixel: equal groups should look equal.
        if length(best) < 0.98 * now {
            for position in insides[index].positions.iter_mut() {
                *position = (position.0 * best.0, position.1 * best.1);
            }
        }
    }
}

impl Placement {
    /// Everything moved by so much.
    pub(super) fn moved(mut self, dx: f64, dy: f64) -> Placement {
        for position in self.positions.iter_mut() {
            *position = (position.0 + dx, position.1 + dy);
        }
        for frame in self.frames.iter_mut() {
            frame.area = frame.area.moved(dx, dy);
        }
        self.area = self.area.moved(dx, dy);
        self
    }
}
