//! Positions of labels on a crowded page.

use std::collections::BTreeMap;

/// Side of the squares into which points are sorted.
const CELL: f64 = 24.0;

/// A position on the page, in pixels. Also a width and a height.
pub(super) type Point = (f64, f64);

/// An axis-parallel rectangle: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// The area of this size around a point.
    pub(super) fn around(centre: (f64, f64), width: f64, height: f64) -> Self {
        let (x, y) = centre;
        Area {
            left: x - width / 2.0,
            top: y - height / 2.0,
            right: x + width / 2.0,
            bottom: y + height / 2.0,
        }
    }

    /// The smallest area that holds both.
    pub(super) fn join(&self, other: &Area) -> Area {
        Area {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Larger by so much on every side.
    pub(super) fn grown(&self, by: f64) -> Area {
        Area {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// Distance of a point from the area, whose shorter sides are round. Negative inside.
    pub(super) fn distance(&self, (x, y): (f64, f64)) -> f64 {
        let (centre, size) = (self.centre(), self.size());
        let half = (size.0 / 2.0, size.1 / 2.0);
        let round = half.0.min(half.1);
        let dx = ((x - centre.0).abs() - (half.0 - round)).max(0.0);
        let dy = ((y - centre.1).abs() - (half.1 - round)).max(0.0);
        (dx * dx + dy * dy).sqrt() - round
    }

    pub(super) fn moved(&self, dx: f64, dy: f64) -> Area {
        Area {
            left: self.left + dx,
            top: self.top + dy,
            right: self.right + dx,
            bottom: self.bottom + dy,
        }
    }

    /// Width and height.
    pub(super) fn size(&self) -> Point {
        (self.right - self.left, self.bottom - self.top)
    }

    /// Areas of a size at these distances of the centres: below, above, right, left, then the corners.
    pub(super) fn beside(&self, (dx, dy): Point, (width, height): Point) -> [Area; 8] {
        let (x, y) = self.centre();
        let shifts = [
            (0.0, dy),
            (0.0, -dy),
            (dx, 0.0),
            (-dx, 0.0),
            (dx, dy),
            (-dx, dy),
            (dx, -dy),
            (-dx, -dy),
        ];
        shifts.map(|(right, down)| Area::around((x + right, y + down), width, height))
    }

    pub(super) fn centre(&self) -> (f64, f64) {
        (
            (self.left + self.right) / 2.0,
            (self.top + self.bottom) / 2.0,
        )
    }

    /// Size of the part of this area that the other covers.
    pub(super) fn overlap(&self, other: &Area) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 {
            width * height
        } else {
            0.0
        }
    }

    pub(super) fn contains(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    fn inside(&self, other: &Area) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

/// The page and the areas already taken on it.
pub(super) struct Page {
    pub bounds: Area,
    /// Areas that no label may touch: nodes and earlier labels.
    pub taken: Vec<Area>,
    /// Points of lines, which labels should avoid but may cover, by square.
    points: BTreeMap<(i64, i64), Vec<(f64, f64)>>,
}

impl Page {
    /// A page on which only lines are drawn, given by points along them.
    pub(super) fn new(bounds: Area, lines: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut points: BTreeMap<(i64, i64), Vec<(f64, f64)>> = BTreeMap::new();
        for point in lines {
            points.entry(cell(point)).or_default().push(point);
        }
        Page {
            bounds,
            taken: Vec::new(),
            points,
        }
    }

    /// Number of points of lines in the area.
    fn covered(&self, area: &Area) -> usize {
        let (left, top) = cell((area.left, area.top));
        let (right, bottom) = cell((area.right, area.bottom));
        let cells = (left..=right).flat_map(|x| (top..=bottom).map(move |y| (x, y)));
        let points = cells.filter_map(|cell| self.points.get(&cell)).flatten();
        points.filter(|&&point| area.contains(point)).count()
    }

    /// The best candidate: free of taken areas, covering few points of lines, earlier rather than later. `None` if
    /// every candidate leaves the page or overlaps a taken area.
    pub(super) fn choose(&self, candidates: &[Area]) -> Option<Area> {
        let mut best: Option<(usize, Area)> = None;
        for (order, area) in candidates.iter().enumerate() {
            if !area.inside(&self.bounds)
                || self.taken.iter().any(|taken| area.overlap(taken) > 0.0)
            {
                continue;
            }
            let covered = self.covered(area);
            // Six areas further down the list are worth one covered point.
            let score = order + 6 * covered;
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, *area));
            }
        }
        best.map(|(_, area)| area)
    }
}

/// The square that holds a point.
fn cell((x, y): (f64, f64)) -> (i64, i64) {
    ((x / CELL).floor() as i64, (y / CELL).floor() as i64)
}
