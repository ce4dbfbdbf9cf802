//! Frames in two banks, with the items that join them in between: boxes around switches, racks around spines.

use std::collections::BTreeSet;

use super::labels::Point;

/// Limit on the leaves of a star in one row.
const ROW: usize = 10;
/// Space between neighbours of a row, and between rows.
const GAP: Point = (16.0, 30.0);
/// Height of the band between the banks, and between a star's hub and its leaves.
const BAND: f64 = 200.0;
const FAN: f64 = 62.0;

/// The hub of a star of three leaves or more.
pub(super) fn hub(count: usize, links: &[(usize, usize)]) -> Option<usize> {
    let (first, second) = *links.iter().find(|(a, b)| a != b)?;
    let hub = [first, second]
        .into_iter()
        .find(|&hub| links.iter().all(|&(a, b)| a == hub || b == hub))?;
    let leaves: BTreeSet<usize> = links
        .iter()
        .map(|&(a, b)| if a == hub { b } else { a })
        .filter(|&leaf| leaf != hub)
        .collect();
    (count > 3 && leaves.len() + 1 == count).then_some(hub)
}

/// A star in rows: the hub above, its leaves below. Every other row is in the gaps of the one above.
pub(super) fn star(sizes: &[Point], hub: usize) -> Vec<Point> {
    let leaves = sizes.len() - 1;
    let rows = leaves.div_ceil(ROW).max(1);
    let row = leaves.div_ceil(rows).max(1);
    let cell = sizes.iter().fold((0.0_f64, 0.0_f64), |cell, size| {
        (cell.0.max(size.0), cell.1.max(size.1))
    });
    let cell = (
        cell.0 + if rows > 1 { 2.0 * GAP.0 } else { GAP.0 },
        cell.1 + GAP.1,
    );
    let mut positions = Vec::with_capacity(sizes.len());
    let mut leaf = 0_usize;
    for index in 0..sizes.len() {
        if index == hub {
            positions.push((0.0, 0.0));
            continue;
        }
        let (line, column) = (leaf / row, leaf % row);
        let here = row.min(leaves - line * row);
        let aside = if line % 2 == 1 && here == row {
            0.5
        } else {
            0.0
        };
        let x = (column as f64 - (here as f64 - 1.0) / 2.0 + aside) * cell.0;
        positions.push((x, FAN + cell.1 * (line as f64 + 0.5)));
        leaf += 1;
    }
    positions
}

/// Positions of items. The first `frames` items are frames. Half of the frames are above, half below, the other items
/// in between. `None` unless there are at least two frames and only the other items join them, each at least one frame.
pub(super) fn banks(
    frames: usize,
    sizes: &[Point],
    links: &[(usize, usize)],
    gap: f64,
) -> Option<Vec<Point>> {
    let others = sizes.len().checked_sub(frames)?;
    let joined = |item: usize| {
        links
            .iter()
            .any(|&(a, b)| (a == item && b < frames) || (b == item && a < frames))
    };
    let apart = links.iter().all(|&(a, b)| a >= frames || b >= frames);
    if frames < 2
        || others == 0
        || others > 4 * frames
        || !apart
        || !(frames..sizes.len()).all(joined)
    {
        return None;
    }
    let above = frames.div_ceil(2);
    let width = |range: std::ops::Range<usize>| -> f64 {
        let count = range.len() as f64;
        range
            .filter_map(|item| sizes.get(item))
            .map(|size| size.0)
            .sum::<f64>()
            + gap * (count - 1.0)
    };
    let mut positions = vec![(0.0, 0.0); sizes.len()];
    for (range, side) in [(0..above, -1.0), (above..frames, 1.0)] {
        let mut left = -width(range.clone()) / 2.0;
        for item in range {
            positions[item] = (
                left + sizes[item].0 / 2.0,
                side * (BAND + sizes[item].1) / 2.0,
            );
            left += sizes[item].0 + gap;
        }
    }
    let whole = width(0..above).max(width(above..frames));
    let widest = sizes
        .iter()
        .skip(frames)
        .map(|size| size.0)
        .fold(0.0, f64::max);
    let step = (whole / others as f64).max(widest + gap);
    for other in 0..others {
        positions[frames + other] = ((other as f64 - (others as f64 - 1.0) / 2.0) * step, 0.0);
    }
    Some(positions)
}
