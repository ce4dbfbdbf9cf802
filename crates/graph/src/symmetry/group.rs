//! A group of automorphisms that acts freely on the participants, element by element.

use super::graph::Graph;

/// One automorphism: the images of nodes and links.
#[derive(Clone)]
pub(super) struct Element {
    pub nodes: Vec<u32>,
    pub links: Vec<u32>,
}

/// A verified automorphism that makes a group larger.
pub(super) struct Extension {
    element: Element,
    /// How many times larger: the length of its cycles on the orbits of the group.
    pub steps: usize,
    commutes: bool,
}

/// A group that acts freely: an element is known by the image of any one participant.
pub(super) struct Group {
    /// The identity first.
    pub elements: Vec<Element>,
    /// Positions in `elements` of the generators, in the order of their addition.
    pub generators: Vec<usize>,
    pub abelian: bool,
    /// The least `e` with `g^e = 1` for all `g`, or a multiple of it.
    pub exponent: usize,
    /// The orbit of every participant, named by its first member. Other nodes have `u32::MAX`.
    pub orbit: Vec<u32>,
    participants: Vec<u32>,
}

/// `first`, then `second`.
fn compose(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().map(|&image| second[image as usize]).collect()
}

impl Element {
    /// This, then `second`.
    fn then(&self, second: &Element) -> Element {
        Element {
            nodes: compose(&self.nodes, &second.nodes),
            links: compose(&self.links, &second.links),
        }
    }
}

impl Group {
    /// The identity alone. `participants` is not empty.
    pub(super) fn trivial(graph: &Graph, participants: &[u32]) -> Self {
        let identity = |count: usize| (0..count as u32).collect();
        let mut group = Group {
            elements: vec![Element {
                nodes: identity(graph.nodes()),
                links: identity(graph.links()),
            }],
            generators: Vec::new(),
            abelian: true,
            exponent: 1,
            orbit: vec![u32::MAX; graph.nodes()],
            participants: participants.to_vec(),
        };
        group.name_orbits();
        group
    }

    pub(super) fn order(&self) -> usize {
        self.elements.len()
    }

    fn name_orbits(&mut self) {
        self.orbit.fill(u32::MAX);
        for &participant in &self.participants {
            if self.orbit[participant as usize] == u32::MAX {
                for element in &self.elements {
                    self.orbit[element.nodes[participant as usize] as usize] = participant;
                }
            }
        }
    }

    /// For every element the index of its `power`-th power. O(n + order log power).
    pub(super) fn powers(&self, power: usize) -> Vec<usize> {
        let Some(&base) = self.participants.first() else {
            return Vec::new();
        };
        let image = |position: usize, node: u32| self.elements[position].nodes[node as usize];
        let mut position = vec![0; self.orbit.len()];
        for index in 0..self.order() {
            position[image(index, base) as usize] = index;
        }
        let product = |one: usize, other: usize| position[image(other, image(one, base)) as usize];
        let raise = |element: usize| {
            let (mut result, mut square, mut rest) = (0, element, power);
            while rest > 0 {
                if rest % 2 == 1 {
                    result = product(result, square);
                }
                square = product(square, square);
                rest /= 2;
            }
            result
        };
        (0..self.order()).map(raise).collect()
    }

    /// The extension of the group by `map`, if `map` is an automorphism with `map g = g^power map` for all `g`, and the
    /// larger group still acts freely.
    ///
    /// Then `map^r` is in the group for a least `r`, the elements are `map^i g` with `0 <= i < r`, and they act freely
    /// if and only if `map^i` keeps no orbit for `0 < i < r`.
    pub(super) fn extension(
        &self,
        graph: &Graph,
        map: Vec<u32>,
        powers: &[usize],
    ) -> Option<Extension> {
        let links = graph.image_of_links(&map)?;
        for &generator in &self.generators {
            let [g, image] =
                [generator, powers[generator]].map(|position| &self.elements[position].nodes);
            if compose(g, &map) != compose(&map, image) {
                return None;
            }
        }
        let &base = self.participants.first()?;
        let mut current = map.clone();
        for steps in 1.. {
            let kept =
                |&&p: &&u32| self.orbit[current[p as usize] as usize] == self.orbit[p as usize];
            match self.participants.iter().filter(kept).count() {
                0 => {}
                count if count == self.participants.len() => {
                    let same = self
                        .elements
                        .iter()
                        .find(|g| g.nodes[base as usize] == current[base as usize])?;
                    let commutes = powers.iter().copied().eq(0..self.order());
                    let found = Extension {
                        element: Element { nodes: map, links },
                        steps,
                        commutes,
                    };
                    return (steps > 1 && same.nodes == current).then_some(found);
                }
                _ => return None,
            }
            current = compose(&current, &map);
        }
        None
    }

    /// The larger group. O(order (n + m)).
    pub(super) fn extended(&self, by: &Extension) -> Group {
        let mut elements = self.elements.clone();
        let mut current = by.element.clone();
        for _ in 1..by.steps {
            elements.extend(self.elements.iter().map(|g| g.then(&current)));
            current = current.then(&by.element);
        }
        let mut group = Group {
            generators: self
                .generators
                .iter()
                .copied()
                .chain([self.order()])
                .collect(),
            abelian: self.abelian && by.commutes,
            exponent: self.exponent * by.steps,
            orbit: self.orbit.clone(),
            participants: self.participants.clone(),
            elements,
        };
        group.name_orbits();
        group
    }
}
