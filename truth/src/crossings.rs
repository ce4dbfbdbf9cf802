//! Random borders, gatherings, potentials and exchanges of all-reduces.

use num_traits::{Signed, Zero};
use oneport_exact::{Column, LinearProgram, Options, Outcome, Relation, Row, Sense, Solver};
use oneport_plan::inequality::{
    Balance, Border, Direction, Exchange, Gathering, Inequality, Keeps, Need,
};
use oneport_plan::{Certificate, Collective, Demand, Goals, Volumes};
use oneport_platform::{LinkId, NodeId, PerLink, Platform, Rational, ratio, whole};

use crate::draw::Draw;
use crate::prices::{compute_price, link_price, smallest_size, smallest_work};

/// Adds them for every all-reduce, and charges each link about its remainder. Adds none for other collectives.
pub fn add_crossings(
    draw: &mut Draw,
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    certificate: &mut Certificate,
) {
    let smallest = smallest_size(collective, volumes);
    let price = |link: LinkId| {
        link_price(platform, certificate, link) * &platform.link(link).cost * &smallest
    };
    let fresh: PerLink<Rational> = platform.link_ids().map(price).collect();
    let work = smallest_work(collective, volumes);
    let merge = |node| {
        let compute = platform.node(node).merge_time()?;
        Some((node, compute_price(certificate, node) * compute * &work))
    };
    let merges: Vec<(NodeId, Rational)> = platform.node_ids().filter_map(merge).collect();
    for index in 0..collective.demands() {
        let Some(demand) = collective.demand(index) else {
            continue;
        };
        if demand.operands.len() < 2 || !matches!(demand.goals, Goals::Everywhere(_)) {
            continue;
        }
        let mut one = Filling {
            draw,
            platform,
            demand,
            index,
            left: fresh.clone(),
            merges: &merges,
            certificate,
        };
        one.fill();
    }
    certificate.needs.sort();
}

struct Filling<'a, 'b> {
    draw: &'a mut Draw,
    platform: &'a Platform,
    demand: Demand<'b>,
    /// The number of the demand.
    index: usize,
    /// Per link: rest of the price of the smallest message.
    left: PerLink<Rational>,
    /// Per processor: the price of the smallest merge.
    merges: &'a [(NodeId, Rational)],
    certificate: &'a mut Certificate,
}

impl Filling<'_, '_> {
    fn fill(&mut self) {
        if self.draw.percent(50) {
            self.best_borders();
        } else {
            if self.draw.percent(50) {
                self.potentials();
            }
            for _ in 0..self.draw.between(1, 6) {
                if self.draw.percent(30) {
                    self.gathering();
                } else {
                    self.border();
                }
            }
        }
        for _ in 0..self.draw.below(3) {
            self.exchange();
        }
    }

    /// The borders, gatherings and potentials that prove the best bound together, among all that follow the rules
    /// (borders: those without a node in several sets, and some more): a linear program over all of them.
    fn best_borders(&mut self) {
        let borders = self.all_borders();
        let mut program = LinearProgram::new(Sense::Maximize);
        let rows: Vec<Row> = self
            .left
            .iter()
            .map(|left| program.add_row(Relation::AtMost, left.clone()))
            .collect();
        for border in &borders {
            let crossed = crossed(self.platform, border);
            let entries = rows
                .iter()
                .zip(crossed)
                .map(|(&row, times)| (row, whole(times)));
            program
                .add_column(whole(border.crossings()), entries)
                .expect("rows exist");
        }
        // A potential of either sign is a column: the charge of a message that leaves the node falls by as much as that
        // of a message that arrives rises.
        let mut signs: Vec<(NodeId, i64)> = Vec::new();
        for node in self
            .platform
            .node_ids()
            .filter(|node| !self.demand.operands.contains(node))
        {
            let known = self.platform.node(node);
            signs.extend((!known.merges()).then_some((node, 1)));
            signs.extend((!known.replicates).then_some((node, -1)));
        }
        for &(node, sign) in &signs {
            let sign = whole(sign);
            let out = self
                .platform
                .outgoing(node)
                .iter()
                .map(|link| (rows[link.index()], sign.clone()));
            let into = self
                .platform
                .incoming(node)
                .iter()
                .map(|link| (rows[link.index()], -sign.clone()));
            program
                .add_column(Rational::zero(), out.chain(into))
                .expect("rows exist");
        }
        let gatherings = self.all_gatherings();
        let first = self.add_gatherings(&mut program, &rows, &gatherings);
        let Ok(Outcome::Optimal(optimum)) = Solver::new(program).solve(&Options::default()) else {
            return;
        };
        let values: Vec<Rational> = (0..borders.len() + signs.len())
            .map(|column| optimum.primal.get(Column(column)))
            .collect();
        self.take_best(borders, &signs, &values);
        for (nodes, column) in gatherings.into_iter().zip(first..) {
            self.take_gathering(nodes, optimum.primal.get(Column(column)));
        }
    }

    /// All sets of nodes with a participant.
    fn all_gatherings(&self) -> Vec<Vec<NodeId>> {
        let mut sets: Vec<Vec<NodeId>> = vec![Vec::new()];
        for node in self.platform.node_ids() {
            sets.extend(
                sets.clone()
                    .into_iter()
                    .map(|set| [set, vec![node]].concat()),
            );
        }
        sets.retain(|set| self.demand.operands.iter().any(|owner| set.contains(owner)));
        sets
    }

    /// A column for the weight of each gathering, from the returned number on. `u` is the least cost of a merge with
    /// the weights that hold its processor, and `v` the greatest weight that holds one.
    fn add_gatherings(
        &self,
        program: &mut LinearProgram,
        links: &[Row],
        sets: &[Vec<NodeId>],
    ) -> usize {
        let merge = |(node, price): &(NodeId, Rational)| {
            (
                *node,
                program.add_row(Relation::AtMost, price.clone()),
                program.add_row(Relation::AtMost, whole(0)),
            )
        };
        let rows: Vec<(NodeId, Row, Row)> = self.merges.iter().map(merge).collect();
        let operands = &self.demand.operands;
        let least = rows.iter().map(|&(_, least, _)| (least, whole(1)));
        program
            .add_column(whole(operands.len() as i64 - 1), least)
            .expect("rows exist");
        let most = rows.iter().map(|&(_, _, most)| (most, whole(-1)));
        let first = program.add_column(whole(-1), most).expect("rows exist").0 + 1;
        for set in sets {
            let inside = operands.iter().filter(|owner| set.contains(owner)).count() as i64;
            let entered = self.platform.link_ids().filter(|link| {
                let ends = self.platform.link(*link);
                set.contains(&ends.to) && !set.contains(&ends.from)
            });
            let held = rows.iter().filter(|(node, ..)| set.contains(node));
            let held = held.flat_map(|&(_, least, most)| [(least, whole(-1)), (most, whole(1))]);
            let entries = entered
                .map(|link| (links[link.index()], whole(1)))
                .chain(held);
            program
                .add_column(whole(2 - inside), entries)
                .expect("rows exist");
        }
        first
    }

    fn take_gathering(&mut self, nodes: Vec<NodeId>, weight: Rational) {
        if !weight.is_positive() {
            return;
        }
        for link in self.platform.link_ids() {
            let ends = self.platform.link(link);
            if nodes.contains(&ends.to) && !nodes.contains(&ends.from) {
                self.left[link] -= &weight;
            }
        }
        self.take(Inequality::Gathering(Gathering { nodes }), weight);
    }

    /// A random set with a participant (now and then none), charged the full or half the remainder of the links into
    /// it.
    fn gathering(&mut self) {
        let often = self.draw.pick(&[25, 50, 75]);
        let nodes: Vec<NodeId> = self
            .platform
            .node_ids()
            .filter(|_| self.draw.percent(often))
            .collect();
        let owners = self
            .demand
            .operands
            .iter()
            .filter(|owner| nodes.contains(owner))
            .count();
        if nodes.is_empty() || owners == 0 && self.draw.percent(90) {
            return;
        }
        let enters = |link: &LinkId| {
            let ends = self.platform.link(*link);
            nodes.contains(&ends.to) && !nodes.contains(&ends.from)
        };
        let most = self
            .platform
            .link_ids()
            .filter(enters)
            .map(|link| self.left[link].clone())
            .min();
        let most = most.unwrap_or_else(|| whole(1));
        let (numerator, denominator) = self.draw.pick(&[(1, 1), (1, 1), (1, 2), (1, 3), (2, 1)]);
        if !self.knows(&Inequality::Gathering(Gathering {
            nodes: nodes.clone(),
        })) {
            self.take_gathering(nodes, most * ratio(numerator, denominator));
        }
    }

    /// Puts the solution of the program into the certificate.
    fn take_best(&mut self, borders: Vec<Border>, signs: &[(NodeId, i64)], values: &[Rational]) {
        let mut potentials = self.platform.per_node(Rational::zero());
        for (&(node, sign), value) in signs.iter().zip(&values[borders.len()..]) {
            potentials[node] += value * whole(sign);
        }
        for link in self.platform.link_ids() {
            let ends = self.platform.link(link);
            self.left[link] -= &potentials[ends.from] - &potentials[ends.to];
        }
        for (border, weight) in borders
            .into_iter()
            .zip(values)
            .filter(|(_, weight)| weight.is_positive())
        {
            for (left, times) in self.left.iter_mut().zip(crossed(self.platform, &border)) {
                *left -= weight * whole(times);
            }
            self.take(Inequality::Border(border), weight.clone());
        }
        for (node, value) in self.platform.node_ids().zip(potentials) {
            self.take_potential(node, &value);
        }
    }

    fn take(&mut self, inequality: Inequality, weight: Rational) {
        self.certificate.needs.push(Need {
            demand: Some(self.index),
            inequality,
            weight,
        });
    }

    fn knows(&self, inequality: &Inequality) -> bool {
        let known = |need: &Need| need.demand == Some(self.index) && need.inequality == *inequality;
        self.certificate.needs.iter().any(known)
    }

    /// A potential: a link `u -> v` is charged `value(u) - value(v)` more.
    fn take_potential(&mut self, node: NodeId, value: &Rational) {
        let keeps = if value.is_positive() {
            Keeps::AllThatArrives
        } else {
            Keeps::NoMoreThanArrives
        };
        if !value.is_zero() {
            self.take(Inequality::Balance(Balance { node, keeps }), value.abs());
        }
    }

    /// All families of disjoint sets that follow the rules, in both directions, and some with nodes in several sets.
    fn all_borders(&mut self) -> Vec<Border> {
        let nodes: Vec<NodeId> = self.platform.node_ids().collect();
        let mut families: Vec<Vec<Vec<NodeId>>> = vec![Vec::new()];
        for &node in &nodes {
            let mut next = Vec::new();
            for family in families {
                let fresh = [family.clone(), vec![vec![node]]].concat();
                next.extend((0..family.len()).map(|index| {
                    let mut family = family.clone();
                    family[index].push(node);
                    family
                }));
                next.extend([fresh, family]);
            }
            families = next;
        }
        families.extend((0..20).map(|_| {
            let count = self.draw.between(2, self.demand.operands.len());
            self.sets(count, may_join_either)
        }));
        let mut borders = Vec::new();
        for direction in [Direction::Into, Direction::OutOf] {
            for sets in families
                .iter()
                .filter(|sets| self.follows_the_rules(sets, direction))
            {
                let mut sets = sets.clone();
                sets.sort();
                borders.push(Border { direction, sets });
            }
        }
        borders.sort();
        borders.dedup();
        borders
    }

    /// The documented conditions on borders.
    fn follows_the_rules(&self, sets: &[Vec<NodeId>], direction: Direction) -> bool {
        let owners = |set: &[NodeId]| {
            self.demand
                .operands
                .iter()
                .filter(|owner| set.contains(owner))
                .count()
        };
        let each = sets.iter().all(|set| owners(set) > 0);
        let times = |node: NodeId| sets.iter().filter(|set| set.contains(&node)).count();
        let joins = |node: &NodeId| may_join(self.platform, *node, direction);
        match sets {
            [] => false,
            [set] => owners(set) > 0 && owners(set) < self.demand.operands.len(),
            _ => {
                each && self
                    .platform
                    .node_ids()
                    .filter(joins)
                    .all(|node| times(node) == 1)
            }
        }
    }

    /// About the prices of links nearby, reduced until every link can pay them. Now and then the sign is wrong.
    fn potentials(&mut self) {
        let mut values = self.platform.per_node(Rational::zero());
        for node in self.platform.node_ids() {
            if self.demand.operands.contains(&node) {
                continue;
            }
            let Some(link) = self.some_link_at(node) else {
                continue;
            };
            let (router, single) = (
                !self.platform.node(node).merges(),
                !self.platform.node(node).replicates,
            );
            let careless = self.draw.percent(5);
            let sign = match self.draw.below(3) {
                0 if router || careless => 1,
                1 if single || careless => -1,
                _ => 0,
            };
            let parts = self.draw.pick(&[1, 1, 2, 3]);
            values[node] = &self.left[link] * ratio(sign, parts);
        }
        let lost = |link: LinkId| {
            let ends = self.platform.link(link);
            &values[ends.from] - &values[ends.to]
        };
        let bearable = |link: LinkId| {
            lost(link)
                .is_positive()
                .then(|| &self.left[link] / lost(link))
        };
        let scale = self.platform.link_ids().filter_map(bearable).min();
        let scale = scale.unwrap_or_else(|| whole(1)).min(whole(1));
        let lost: Vec<Rational> = self.platform.link_ids().map(lost).collect();
        for (left, lost) in self.left.iter_mut().zip(lost) {
            *left -= lost * &scale;
        }
        for (node, value) in self.platform.node_ids().zip(values) {
            self.take_potential(node, &(value * &scale));
        }
    }

    fn some_link_at(&mut self, node: NodeId) -> Option<LinkId> {
        let links = [self.platform.outgoing(node), self.platform.incoming(node)].concat();
        (!links.is_empty()).then(|| self.draw.pick(&links))
    }

    /// Random sets that follow the rules mostly, charged all that the links crossing them have left (or twice that, or
    /// half).
    fn border(&mut self) {
        let direction = self.draw.pick(&[Direction::Into, Direction::OutOf]);
        let count = self.draw.between(1, self.demand.operands.len());
        let mut sets = self.sets(count, |platform, node| may_join(platform, node, direction));
        if count == 1 && self.draw.percent(70) {
            // Any set that some participants are in.
            sets = vec![self.draw.shuffled(self.platform.node_ids())];
            sets[0].truncate(self.draw.between(1, self.platform.nodes().len()));
            sets[0].sort_unstable();
        }
        let border = Border { direction, sets };
        let times = crossed(self.platform, &border);
        let crossed = |link: LinkId| times[link];
        let bearable = |link: LinkId| match crossed(link) {
            0 => None,
            times => Some(&self.left[link] / whole(times)),
        };
        let Some(most) = self.platform.link_ids().filter_map(bearable).min() else {
            return;
        };
        let (numerator, denominator) = self.draw.pick(&[
            (1, 1),
            (1, 1),
            (1, 1),
            (1, 1),
            (1, 1),
            (1, 1),
            (1, 1),
            (1, 2),
            (2, 1),
        ]);
        if !most.is_positive() {
            return;
        }
        for link in self.platform.link_ids() {
            self.left[link] -= &most * whole(crossed(link));
        }
        let weight = most * ratio(numerator, denominator);
        let border = Inequality::Border(border);
        if !self.knows(&border) {
            self.take(border, weight);
        }
    }

    /// Random parts, and lengths that use up all or some of the links' remainders.
    fn exchange(&mut self) {
        let direction = self.draw.pick(&[Direction::Into, Direction::OutOf]);
        let count = self.draw.between(2, self.demand.operands.len());
        let careful = self.draw.percent(50);
        let parts = self.sets(count, |platform, node| {
            careful && may_join_either(platform, node)
        });
        let some = self.draw.percent(30);
        let mut lengths = Vec::new();
        for link in self.platform.link_ids() {
            let share = if some {
                self.draw.pick(&[(0, 1), (1, 2), (1, 1)])
            } else {
                (1, 1)
            };
            let length = &self.left[link] * ratio(share.0, share.1);
            if length.is_positive() {
                self.left[link] -= &length;
                lengths.push((link, length));
            }
        }
        if !lengths.is_empty() {
            self.take(
                Inequality::Exchange(Exchange {
                    direction,
                    parts,
                    lengths,
                }),
                whole(1),
            );
        }
    }

    /// `count` sets, each with a participant. A node that must be in exactly one set nearly always is. Other nodes are
    /// in none, in one, or (now and then) in several.
    fn sets(
        &mut self,
        count: usize,
        in_one: impl Fn(&Platform, NodeId) -> bool,
    ) -> Vec<Vec<NodeId>> {
        let owners = self.draw.shuffled(self.demand.operands.iter().copied());
        let mut sets: Vec<Vec<NodeId>> = owners[..count].iter().map(|&owner| vec![owner]).collect();
        for node in self
            .platform
            .node_ids()
            .filter(|node| !owners[..count].contains(node))
        {
            let bound = in_one(self.platform, node) && !self.draw.percent(4);
            if bound || self.draw.percent(50) {
                let set = self.draw.below(count);
                sets[set].push(node);
            }
            if !bound && self.draw.percent(10) {
                let set = self.draw.below(count);
                if !sets[set].contains(&node) {
                    sets[set].push(node);
                }
            }
        }
        for set in sets.iter_mut() {
            set.sort_unstable();
        }
        sets.sort();
        sets
    }
}

/// Per link, the number of sets that a transfer over it enters (leaves), by the documentation.
fn crossed(platform: &Platform, border: &Border) -> PerLink<usize> {
    let times = |link: &oneport_platform::Link| {
        let (inside, outside) = match border.direction {
            Direction::Into => (link.to, link.from),
            Direction::OutOf => (link.from, link.to),
        };
        border
            .sets
            .iter()
            .filter(|set| set.contains(&inside) && !set.contains(&outside))
            .count()
    };
    platform.links().iter().map(times).collect()
}

/// Whether a node could join two messages: forwards by merging them, backwards by copying one.
fn may_join(platform: &Platform, node: NodeId, direction: Direction) -> bool {
    match direction {
        Direction::Into => platform.node(node).merges(),
        Direction::OutOf => platform.node(node).replicates,
    }
}

fn may_join_either(platform: &Platform, node: NodeId) -> bool {
    may_join(platform, node, Direction::Into) || may_join(platform, node, Direction::OutOf)
}
