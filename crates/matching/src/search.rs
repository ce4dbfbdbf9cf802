//! Alternating searches: cover one more vertex at the greatest possible step length.
//!
//! From an uncovered vertex, the *root*, grows a tree of alternating paths in the edges `w(e) >= d`. Its vertices on
//! the root's side are *outer*, those on the other side, entered by edges outside the matching, are *inner*. A path
//! ends well at a free inner vertex, or at an outer vertex that may idle for `d` and gives up its mate.
//!
//! **Why lowering `d` is forced.** When the tree stops growing at `d`, every outer vertex is required and the `k` outer
//! vertices have, in edges `w(e) >= d`, only the `k - 1` inner vertices for neighbours: by Hall's condition no matching
//! covers them. This stays true until an edge to a new inner vertex weighs `d`, or an outer vertex may idle for `d`.
//! `d` is lowered to the first of these events. So `d` never falls below the greatest feasible length.
//!
//! **Why the two sides do not disturb each other** (Mendelsohn and Dulmage). Flipping a path from a left root keeps
//! every right vertex covered and uncovers at most one left vertex, which may idle. The same holds with left and right
//! exchanged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::residual::{FREE, Rest};
use oneport_numbers::Whole;

/// Edges that lead out of the tree, by weight: the next edge of each outer vertex.
type Exits<'a, W> = BinaryHeap<(&'a W, Reverse<usize>)>;

/// The buffers of a search, kept between searches, and the changes of the last search.
pub(crate) struct AugmentingSearch {
    /// Per vertex: the search that last reached it as an inner vertex.
    reached: Vec<u64>,
    serial: u64,
    /// Per inner vertex: the edge it was entered by.
    via: Vec<usize>,
    /// Per outer vertex: the next edge of its list to look at.
    cursor: Vec<usize>,
    /// The root, then the partners of the inner vertices.
    outer: Vec<usize>,
    /// The outer vertex of least degree.
    idlest: usize,
    /// Edges that the last search put into the matching.
    pub joined: Vec<usize>,
    /// The outer vertex that the last search uncovered, or [`FREE`].
    pub released: usize,
}

impl AugmentingSearch {
    pub(crate) fn new(vertices: usize) -> Self {
        AugmentingSearch {
            reached: vec![0; vertices],
            serial: 0,
            via: vec![FREE; vertices],
            cursor: vec![0; vertices],
            outer: Vec::new(),
            idlest: FREE,
            joined: Vec::new(),
            released: FREE,
        }
    }

    /// Covers the uncovered vertex `root`, lowering `length` no more than needed, at most until `root` may idle.
    ///
    /// `O(|E| log |E|)`, in practice a few edges.
    pub(crate) fn cover<W: Whole>(&mut self, rest: &mut Rest<W>, length: &mut W, root: usize) {
        self.serial += 1;
        self.begin(root);
        if let Some(inner) = self.grow(rest, length) {
            self.flip(rest, inner);
        }
    }

    /// Augments the matching among the edges that weigh `length` from every free vertex of `roots`, all on one side:
    /// it becomes maximum when `roots` holds all the free vertices of that side. Covered vertices stay covered.
    ///
    /// A tree whose search failed is never entered again, so all failures together cost `O(|E|)`.
    pub(crate) fn maximise<W: Whole>(&mut self, rest: &mut Rest<W>, length: &W, roots: &[usize]) {
        self.serial += 1;
        let nobody_idles = W::zero();
        for &root in roots {
            if !rest.is_free(root) {
                continue;
            }
            self.begin(root);
            let end = self.advance(rest, length, &nobody_idles, &mut 0, None);
            if let Some(inner) = end {
                self.forget(rest, inner);
                self.flip(rest, inner);
            }
        }
    }

    fn begin(&mut self, root: usize) {
        self.outer.clear();
        self.outer.push(root);
        self.cursor[root] = 0;
        self.idlest = root;
        self.joined.clear();
        self.released = FREE;
    }

    /// Grows the tree until a path ends well, and returns its last inner vertex. `None` if the root itself may idle.
    fn grow<W: Whole>(&mut self, rest: &Rest<W>, length: &mut W) -> Option<usize> {
        let mut exits = BinaryHeap::new();
        let mut head = 0;
        loop {
            let may_idle = rest.total.minus(length);
            if let Some(inner) = self.advance(rest, length, &may_idle, &mut head, Some(&mut exits))
            {
                return Some(inner);
            }
            let slack = rest.total.minus(&rest.degree[self.idlest]);
            match self.exit(rest, &mut exits) {
                Some((weight, u)) if *weight > slack => {
                    *length = weight.clone();
                    self.outer.push(u);
                }
                _ => {
                    *length = slack;
                    let mate = rest.mate[self.idlest];
                    return (mate != FREE).then(|| rest.other(mate, self.idlest));
                }
            }
        }
    }

    /// Scans the outer vertices from `head` on, breadth first, at a fixed length.
    fn advance<'a, W: Whole>(
        &mut self,
        rest: &'a Rest<W>,
        length: &W,
        may_idle: &W,
        head: &mut usize,
        mut exits: Option<&mut Exits<'a, W>>,
    ) -> Option<usize> {
        while let Some(&u) = self.outer.get(*head) {
            *head += 1;
            if let Some(inner) = self.scan(rest, length, may_idle, u) {
                return Some(inner);
            }
            if let (Some(exits), Some(&e)) = (&mut exits, rest.incident[u].get(self.cursor[u])) {
                exits.push((&rest.weight[e], Reverse(u)));
            }
        }
        None
    }

    /// Follows the edges of outer vertex `u` that weigh `length`. Returns an inner vertex if the path ends well there.
    fn scan<W: Whole>(
        &mut self,
        rest: &Rest<W>,
        length: &W,
        may_idle: &W,
        u: usize,
    ) -> Option<usize> {
        while let Some(&e) = rest.incident[u].get(self.cursor[u]) {
            if rest.weight[e] < *length {
                break;
            }
            self.cursor[u] += 1;
            let inner = rest.other(e, u);
            if self.reached[inner] == self.serial {
                continue;
            }
            self.reached[inner] = self.serial;
            self.via[inner] = e;
            if rest.is_free(inner) {
                return Some(inner);
            }
            let next = rest.other(rest.mate[inner], inner);
            if rest.degree[next] <= *may_idle {
                return Some(inner);
            }
            if rest.degree[next] < rest.degree[self.idlest] {
                self.idlest = next;
            }
            self.cursor[next] = 0;
            self.outer.push(next);
        }
        None
    }

    /// The heaviest edge from an outer vertex to a vertex not yet reached: its weight and its outer end.
    fn exit<'a, W: Whole>(
        &mut self,
        rest: &'a Rest<W>,
        exits: &mut Exits<'a, W>,
    ) -> Option<(&'a W, usize)> {
        while let Some((weight, Reverse(u))) = exits.pop() {
            let list = &rest.incident[u];
            while list
                .get(self.cursor[u])
                .is_some_and(|&e| self.reached[rest.other(e, u)] == self.serial)
            {
                self.cursor[u] += 1;
            }
            match list.get(self.cursor[u]) {
                Some(&e) if rest.weight[e] == *weight => return Some((weight, u)),
                Some(&e) => exits.push((&rest.weight[e], Reverse(u))),
                None => {}
            }
        }
        None
    }

    /// Lets later searches of the same serial enter the vertices of this successful one.
    fn forget<W: Whole>(&mut self, rest: &Rest<W>, last: usize) {
        self.reached[last] = 0;
        for &u in &self.outer[1..] {
            self.reached[rest.other(rest.mate[u], u)] = 0;
        }
    }

    /// Flips the alternating path from the root to `inner`, whose partner, if it has one, is released.
    fn flip<W: Whole>(&mut self, rest: &mut Rest<W>, mut inner: usize) {
        let root = self.outer[0];
        if !rest.is_free(inner) {
            let e = rest.mate[inner];
            self.released = rest.other(e, inner);
            rest.part(e);
        }
        loop {
            let e = self.via[inner];
            let u = rest.other(e, inner);
            let previous = rest.mate[u];
            rest.join(e);
            self.joined.push(e);
            if u == root {
                return;
            }
            inner = rest.other(previous, u);
        }
    }
}
