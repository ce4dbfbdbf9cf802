//! SimGrid's clusters: flat ones, tori, fat trees, dragonflies, and zones of cabinets, host links and peers.
//!
//! Links of a cluster are split unless the file has SHARED. A limiter is a link that all traffic into and out of a host
//! or switch passes. A dragonfly is a zone of blades, each a star around a router.
//!
//! Facts from simgrid.org, "Platform reference", and `sg_platf.cpp`, `FatTreeZone.cpp`, `DragonflyZone.cpp`.

use std::collections::BTreeMap;

use oneport_files::error::{FormatError, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, whole};
use roxmltree::Node;

use crate::draft::{MAX_LINKS, MAX_NODES};
use crate::hostlist;
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected};
use crate::simgrid::{Reader, Sharing};
use crate::simgrid_fat_tree::{Cable, FatTree, Step};
use crate::simgrid_zones::{Kind, Routing, Stretch, Torus};
use crate::xml::{children, error_at, filled, need};

/// Limit on the levels of a fat tree and on the dimensions of a torus.
const MAX_LEVELS: usize = 30;

/// Common properties of all links of a cluster.
struct Cluster<'d, 'i> {
    element: Node<'d, 'i>,
    id: &'d str,
    rate: Rational,
    latency: Rational,
    sharing: Sharing,
    limiter: Option<Rational>,
    /// The numbers of its hosts, as texts.
    numbers: Vec<String>,
}

impl Cluster<'_, '_> {
    fn wrong(&self, source: &Source<'_>, text: String) -> FormatError {
        error_at(source, self.element, said(text))
    }
}

/// The texts before and after the numbers of its hosts.
fn affixes<'d>(element: Node<'d, '_>) -> [&'d str; 2] {
    ["prefix", "suffix"].map(|key| element.attribute(key).unwrap_or_default())
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// `<cluster>`.
    pub(super) fn cluster(
        &mut self,
        element: Node<'d, 'i>,
        parent: usize,
    ) -> Result<(), FormatError> {
        let mut sharing = self
            .sharing(element, "sharing_policy")?
            .unwrap_or(Sharing::Split);
        if sharing == Sharing::Fat {
            sharing = Sharing::Shared;
            let text = "links of a FATPIPE cluster: as if SHARED, which is how SimGrid makes them";
            self.draft.note(Topic::Assumed, text);
        }
        let limiter = filled(element, "limiter_link")
            .map(|_| self.bandwidth(element, "limiter_link"))
            .transpose()?;
        if ["loopback_bw", "loopback_lat"]
            .iter()
            .any(|key| filled(element, key).is_some())
        {
            self.note_loopback();
        }
        let id = need(self.source, element, "id", "the cluster's name")?;
        let cluster = Cluster {
            element,
            id,
            rate: self.bandwidth(element, "bw")?,
            latency: self.latency(element, "lat")?,
            sharing,
            limiter,
            numbers: self.numbers(element)?,
        };
        match element.attribute("topology").unwrap_or("FLAT") {
            "FLAT" => self.flat(&cluster, parent),
            "TORUS" => self.torus(&cluster, parent),
            "FAT_TREE" => self.fat_tree(&cluster, parent),
            "DRAGONFLY" => self.dragonfly(&cluster, parent),
            other => {
                let expected = "FLAT, TORUS, FAT_TREE or DRAGONFLY";
                Err(error_at(
                    self.source,
                    element,
                    unexpected(clip(other), expected),
                ))
            }
        }
    }

    /// The numbers of `radical`.
    fn numbers(&mut self, element: Node<'_, '_>) -> Result<Vec<String>, FormatError> {
        let meaning = "the numbers of its hosts, such as 0-15";
        let radical = need(self.source, element, "radical", meaning)?;
        hostlist::expand(&format!("[{}]", radical.trim()), &mut self.budget)
            .map_err(|mistake| error_at(self.source, element, mistake))
    }

    fn new_zone(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        parent: usize,
        routing: Routing,
    ) -> Result<usize, FormatError> {
        self.add_zone(cluster.element, cluster.id, Some(parent), routing)
    }

    /// The hosts of a cluster, in order.
    fn hosts(&mut self, cluster: &Cluster<'d, 'i>, zone: usize) -> Result<Vec<usize>, FormatError> {
        let [prefix, suffix] = affixes(cluster.element);
        let names = cluster.numbers.iter();
        names
            .map(|number| {
                let name = format!("{prefix}{number}{suffix}");
                self.member(cluster.element, &name, zone, Kind::Host)
            })
            .collect()
    }

    /// A link of the cluster, `count` times as wide: up and down.
    fn cable(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        name: &str,
        count: usize,
    ) -> Result<[usize; 2], FormatError> {
        let rate = &cluster.rate * whole(count);
        let latency = cluster.latency.clone();
        self.link(cluster.element, name, rate, latency, cluster.sharing)
    }

    fn limiter(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        owner: &str,
    ) -> Result<Option<usize>, FormatError> {
        let Some(rate) = &cluster.limiter else {
            return Ok(None);
        };
        let (rate, latency) = (rate.clone(), whole(0));
        let name = format!("{owner}_limiter");
        let [limiter, _] = self.link(cluster.element, &name, rate, latency, Sharing::Shared)?;
        Ok(Some(limiter))
    }

    /// Hosts around a router, each with a separate link, and a backbone if there is one.
    fn flat(&mut self, cluster: &Cluster<'d, 'i>, parent: usize) -> Result<(), FormatError> {
        let element = cluster.element;
        let zone = self.new_zone(cluster, parent, Routing::Star(BTreeMap::new()))?;
        let mut backbone = None;
        if filled(element, "bb_bw").is_some() {
            let rate = self.bandwidth(element, "bb_bw")?;
            let latency = self.latency(element, "bb_lat")?;
            let sharing = self.sharing(element, "bb_sharing_policy")?;
            let name = format!("{}_backbone", cluster.id);
            let sharing = sharing.unwrap_or(Sharing::Shared);
            backbone = Some(self.link(element, &name, rate, latency, sharing)?);
        }
        let hosts = self.hosts(cluster, zone)?;
        let mut lists = BTreeMap::new();
        for (host, number) in hosts.into_iter().zip(&cluster.numbers) {
            let name = format!("{}_link_{number}", cluster.id);
            let limiter = self.limiter(cluster, &name)?;
            let link = self.cable(cluster, &name, 1)?;
            lists.insert(host, star_lists(limiter, link, backbone));
        }
        self.set_routing(zone, Routing::Star(lists));
        let [prefix, suffix] = affixes(element);
        let default = format!("{prefix}{}_router{suffix}", cluster.id);
        let router = filled(element, "router_id").unwrap_or(&default);
        self.member(element, router, zone, Kind::Router)?;
        Ok(())
    }

    fn set_routing(&mut self, zone: usize, routing: Routing) {
        if let Some(zone) = self.zones.zones.get_mut(zone) {
            zone.routing = routing;
        }
    }

    /// The lists of `topo_parameters`: `;` between them, `,` in them.
    fn parameters(
        &self,
        cluster: &Cluster<'d, 'i>,
        meaning: &str,
    ) -> Result<Vec<Vec<usize>>, FormatError> {
        let text = need(
            self.source,
            cluster.element,
            "topo_parameters",
            "the shape of the cluster",
        )?;
        let number = |text: &str| {
            let number = text.trim().parse().ok();
            number.filter(|number| (1..=MAX_NODES).contains(number))
        };
        let lists: Option<Vec<Vec<usize>>> = text
            .split(';')
            .map(|list| list.split(',').map(number).collect())
            .collect();
        lists
            .filter(|lists| lists.iter().all(|list| list.len() <= MAX_LEVELS))
            .ok_or_else(|| self.misshapen(cluster, meaning))
    }

    fn misshapen(&self, cluster: &Cluster<'d, 'i>, meaning: &str) -> FormatError {
        let value = cluster.element.attribute("topo_parameters");
        let value = format!("'{}'", clip(value.unwrap_or_default()));
        let expected = format!("topo_parameters of this topology: {meaning}");
        error_at(self.source, cluster.element, unexpected(value, expected))
    }

    /// Refuses a cluster whose shape has more or fewer hosts than its numbers.
    fn check_hosts(&self, cluster: &Cluster<'d, 'i>, shape: &[usize]) -> Result<(), FormatError> {
        let wanted = shape
            .iter()
            .try_fold(1_usize, |all, &one| all.checked_mul(one))
            .unwrap_or(usize::MAX);
        if wanted == cluster.numbers.len() {
            return Ok(());
        }
        let text = format!(
            "topo_parameters make {wanted} hosts, radical gives {}",
            cluster.numbers.len()
        );
        Err(cluster.wrong(self.source, text))
    }

    fn check_links(
        &self,
        cluster: &Cluster<'d, 'i>,
        what: &'static str,
        count: usize,
    ) -> Result<(), FormatError> {
        if count <= MAX_LINKS {
            return Ok(());
        }
        let mistake = too_many(what, MAX_LINKS, "give a smaller cluster");
        Err(error_at(self.source, cluster.element, mistake))
    }

    /// Every host has a link to the next one in each dimension.
    fn torus(&mut self, cluster: &Cluster<'d, 'i>, parent: usize) -> Result<(), FormatError> {
        let meaning = "the sizes of the dimensions, such as 3,2,2";
        let lists = self.parameters(cluster, meaning)?;
        let [sizes] = lists.as_slice() else {
            return Err(self.misshapen(cluster, meaning));
        };
        self.check_hosts(cluster, sizes)?;
        self.check_links(cluster, "links", cluster.numbers.len() * sizes.len())?;
        if sizes.contains(&2) {
            let text = "a dimension of 2 has one link between its two hosts, the one that SimGrid's routes take";
            self.draft.note(Topic::Merged, text);
        }
        let zone = self.new_zone(cluster, parent, Routing::Pairs(BTreeMap::new()))?;
        let hosts = self.hosts(cluster, zone)?;
        let mut torus = Torus {
            first: hosts.first().copied().unwrap_or_default(),
            sizes: sizes.clone(),
            links: Vec::new(),
            limiters: Vec::new(),
        };
        for (index, number) in cluster.numbers.iter().enumerate() {
            let name = format!("{}_link_{number}", cluster.id);
            torus.limiters.extend(self.limiter(cluster, &name)?);
            for next in torus.next(index) {
                let name = format!("{}_link_from_{index}_to_{next}", cluster.id);
                torus.links.push(self.cable(cluster, &name, 1)?);
            }
        }
        self.set_routing(zone, Routing::Torus(torus));
        Ok(())
    }

    /// A route for every two hosts, over the cables that SimGrid chooses.
    fn fat_tree(&mut self, cluster: &Cluster<'d, 'i>, parent: usize) -> Result<(), FormatError> {
        let meaning =
            "levels; children, parents and parallel links by level, such as 2;4,4;1,2;1,2";
        let lists = self.parameters(cluster, meaning)?;
        let (children, parents, links) = match lists.as_slice() {
            [levels, children, parents, links]
                if [children, parents, links]
                    .iter()
                    .all(|list| levels[..] == [list.len()]) =>
            {
                (children, parents, links)
            }
            _ => return Err(self.misshapen(cluster, meaning)),
        };
        self.check_hosts(cluster, children)?;
        let count = cluster.numbers.len();
        self.check_links(cluster, "pairs of hosts in a fat tree", count * count)?;
        let tree = FatTree {
            children,
            parents,
            links,
            before: self.tree_hosts,
        };
        self.tree_hosts += count;
        let zone = self.new_zone(cluster, parent, Routing::Pairs(BTreeMap::new()))?;
        let hosts = self.hosts(cluster, zone)?;
        let (mut pairs, mut made) = (BTreeMap::new(), BTreeMap::new());
        for (index, &from) in hosts.iter().enumerate() {
            for (goal, &to) in hosts.iter().enumerate() {
                if from == to {
                    continue;
                }
                let mut loads = Vec::new();
                for step in tree.route(index, goal) {
                    loads.extend(self.tree_load(cluster, step, &mut made)?);
                }
                let gates = [None; 2];
                pairs.insert((from, to), Stretch { loads, gates });
            }
        }
        self.set_routing(zone, Routing::Pairs(pairs));
        Ok(())
    }

    /// The capacity of a step, created when it is first passed.
    fn tree_load(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        step: Step,
        made: &mut BTreeMap<Step, [usize; 2]>,
    ) -> Result<Option<usize>, FormatError> {
        let (key, way) = match step {
            Step::Limiter { .. } if cluster.limiter.is_none() => return Ok(None),
            Step::Limiter { .. } => (step, 0),
            Step::Cable { cable, down } => (Step::Cable { cable, down: false }, usize::from(down)),
        };
        let ways = match (made.get(&key), key) {
            (Some(&ways), _) => ways,
            (None, Step::Limiter { level, index }) => {
                let owner = format!("{}_node_{level}.{index}", cluster.id);
                [self.limiter(cluster, &owner)?.unwrap_or_default(); 2]
            }
            (
                None,
                Step::Cable {
                    cable:
                        Cable {
                            level,
                            below,
                            above,
                            number,
                        },
                    ..
                },
            ) => {
                let name = format!("{}_link_{level}.{below}_{above}.{number}", cluster.id);
                self.cable(cluster, &name, 1)?
            }
        };
        made.insert(key, ways);
        Ok(ways.get(way).copied())
    }

    /// Routers (blades) in chassis in groups. The routers of one chassis are joined, those of one number in all chassis
    /// of a group, and all groups.
    fn dragonfly(&mut self, cluster: &Cluster<'d, 'i>, parent: usize) -> Result<(), FormatError> {
        let meaning = "groups,links;chassis,links;routers,links;hosts, such as 3,4;4,3;5,1;2";
        let lists = self.parameters(cluster, meaning)?;
        let lists: Vec<&[usize]> = lists.iter().map(Vec::as_slice).collect();
        let &[
            &[groups, blue],
            &[chassis, black],
            &[blades, green],
            &[nodes],
        ] = lists.as_slice()
        else {
            return Err(self.misshapen(cluster, meaning));
        };
        if groups > blades {
            let text =
                format!("{groups} groups need as many routers in each chassis; there are {blades}");
            return Err(cluster.wrong(self.source, text));
        }
        self.check_hosts(cluster, &[groups, chassis, blades, nodes])?;
        let fly = Dragonfly {
            chassis,
            blades,
            widths: [blue, black, green],
        };
        let count = groups * chassis * blades;
        self.check_links(cluster, "pairs of routers in a dragonfly", count * count)?;
        let zone = self.new_zone(cluster, parent, Routing::Pairs(BTreeMap::new()))?;
        let (mut routers, mut limiters) = (Vec::new(), Vec::new());
        let numbers: Vec<&[String]> = cluster.numbers.chunks(nodes).collect();
        for (index, numbers) in numbers.into_iter().enumerate() {
            let (router, limiter) = self.blade(cluster, zone, index, numbers)?;
            routers.push(router);
            limiters.push(limiter);
        }
        let (mut pairs, mut made) = (BTreeMap::new(), BTreeMap::new());
        for (index, &[from, gate]) in routers.iter().enumerate() {
            for (goal, &[to, other]) in routers.iter().enumerate() {
                if index == goal {
                    continue;
                }
                let mut loads = Vec::new();
                for (number, (one, two)) in fly.route(index, goal).into_iter().enumerate() {
                    // The limiter of the first router is on the lists of its hosts.
                    if number > 0 {
                        loads.extend(limiters.get(one).copied().flatten());
                    }
                    let ends = (one.min(two), one.max(two));
                    let ways = match made.get(&ends) {
                        Some(&ways) => ways,
                        None => {
                            let name = format!("{}_link_{}_{}", cluster.id, ends.0, ends.1);
                            self.cable(cluster, &name, fly.width(ends))?
                        }
                    };
                    made.insert(ends, ways);
                    loads.extend(ways.get(usize::from(one > two)));
                }
                let gates = [Some(gate), Some(other)];
                pairs.insert((from, to), Stretch { loads, gates });
            }
        }
        self.set_routing(zone, Routing::Pairs(pairs));
        Ok(())
    }

    /// A router and its hosts: the points of their zone and of the router, and the router's limiter.
    fn blade(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        parent: usize,
        index: usize,
        numbers: &[String],
    ) -> Result<([usize; 2], Option<usize>), FormatError> {
        let element = cluster.element;
        let name = format!("{}_router{index}", cluster.id);
        let star = Routing::Star(BTreeMap::new());
        let zone = self.add_zone(element, &format!("{name}_hosts"), Some(parent), star)?;
        let router = self.member(element, &name, zone, Kind::Router)?;
        let shared = self.limiter(cluster, &name)?;
        let [prefix, suffix] = affixes(element);
        let mut lists = BTreeMap::new();
        for number in numbers {
            let name = format!("{prefix}{number}{suffix}");
            let host = self.member(element, &name, zone, Kind::Host)?;
            let name = format!("{}_link_{number}", cluster.id);
            let limiter = self.limiter(cluster, &name)?;
            let link = self.cable(cluster, &name, 1)?;
            lists.insert(
                host,
                star_lists(limiter, link, shared.map(|shared| [shared; 2])),
            );
        }
        self.set_routing(zone, Routing::Star(lists));
        let point = self.zones.zones.get(zone).and_then(|zone| zone.point);
        Ok(([point.unwrap_or_default(), router], shared))
    }

    /// Hosts of `<cabinet>` and `<peer>`, their links, and a `<backbone>`.
    pub(super) fn star_members(
        &mut self,
        element: Node<'d, 'i>,
        zone: usize,
    ) -> Result<(), FormatError> {
        let parts = ["cabinet", "peer", "host_link", "backbone"];
        let part = |name: &&'static str| children(element, name).next();
        let Some(first) = parts.iter().find_map(part) else {
            return Ok(());
        };
        if !matches!(
            self.zones.zones.get(zone).map(|zone| &zone.routing),
            Some(Routing::Star(_))
        ) {
            let text = "only zones of routing=\"Cluster\" have these (and <peer> those of Vivaldi)";
            return Err(error_at(self.source, first, said(text)));
        }
        let mut backbone = None;
        for part in children(element, "backbone") {
            let name = need(self.source, part, "id", "the backbone's name")?;
            let rate = self.bandwidth(part, "bandwidth")?;
            let latency = self.latency(part, "latency")?;
            backbone = Some(self.link(part, name, rate, latency, Sharing::Shared)?);
        }
        for cabinet in children(element, "cabinet") {
            let rate = self.bandwidth(cabinet, "bw")?;
            let latency = self.latency(cabinet, "lat")?;
            let [prefix, suffix] = affixes(cabinet);
            for number in self.numbers(cabinet)? {
                let name = format!("{prefix}{number}{suffix}");
                let rates = [rate.clone(), rate.clone()];
                let link = self.hung(cabinet, &name, rates, &latency)?;
                self.hang(cabinet, zone, &name, star_lists(None, link, backbone))?;
            }
        }
        for peer in children(element, "peer") {
            let name = need(self.source, peer, "id", "the peer's name")?;
            let rates = ["bw_out", "bw_in"].map(|key| self.bandwidth(peer, key));
            let [outward, inward] = rates;
            let rates = [outward?, inward?];
            let link = self.hung(peer, name, rates, &whole(0))?;
            self.hang(peer, zone, name, star_lists(None, link, backbone))?;
            let text = "latencies by coordinates (Vivaldi): they are square roots";
            self.draft.note(Topic::LeftOut, text);
        }
        Ok(())
    }

    /// The link up and the link down of a host of a star.
    fn hung(
        &mut self,
        element: Node<'d, 'i>,
        name: &str,
        rates: [Rational; 2],
        latency: &Rational,
    ) -> Result<[usize; 2], FormatError> {
        let [up, down] = rates;
        let mut add = |way: &str, rate: Rational| {
            let name = format!("link_{name}_{way}");
            let [link, _] = self.link(element, &name, rate, latency.clone(), Sharing::Shared)?;
            Ok(link)
        };
        Ok([add("UP", up)?, add("DOWN", down)?])
    }

    /// A host of a star with its lists.
    fn hang(
        &mut self,
        element: Node<'d, 'i>,
        zone: usize,
        name: &str,
        lists: [Vec<usize>; 2],
    ) -> Result<(), FormatError> {
        let host = self.member(element, name, zone, Kind::Host)?;
        self.set_lists(zone, host, lists);
        Ok(())
    }

    fn set_lists(&mut self, zone: usize, host: usize, lists: [Vec<usize>; 2]) {
        let zone = self.zones.zones.get_mut(zone);
        if let Some(Routing::Star(known)) = zone.map(|zone| &mut zone.routing) {
            known.insert(host, lists);
        }
    }

    /// The lists of the hosts that a `<host_link>` names.
    pub(super) fn star_lists(
        &mut self,
        element: Node<'d, 'i>,
        zone: usize,
    ) -> Result<(), FormatError> {
        let mut backbone = None;
        for part in children(element, "backbone") {
            let name = need(self.source, part, "id", "the backbone's name")?;
            backbone = Some(self.hop(part, name, None)?);
        }
        for part in children(element, "host_link") {
            let host = self.point(part, "id", "the host's name")?;
            if self.zones.points.get(host).map(|point| point.zone) != Some(zone) {
                let text = "the host of a <host_link> has to be directly in the same zone";
                return Err(error_at(self.source, part, said(text)));
            }
            let up = need(self.source, part, "up", "the link from the host")?;
            let down = need(self.source, part, "down", "the link to the host")?;
            let [up, _] = self.hop(part, up, Some("up"))?;
            let [down, _] = self.hop(part, down, Some("down"))?;
            self.set_lists(zone, host, star_lists(None, [up, down], backbone));
        }
        Ok(())
    }
}

/// The lists of a host: limiter, link and backbone, and the return path.
fn star_lists(
    limiter: Option<usize>,
    [up, down]: [usize; 2],
    backbone: Option<[usize; 2]>,
) -> [Vec<usize>; 2] {
    let out = [limiter, Some(up), backbone.map(|[way, _]| way)];
    let back = [backbone.map(|[_, way]| way), Some(down), limiter];
    [out, back].map(|list| list.into_iter().flatten().collect())
}

/// A dragonfly's routers are counted by group, chassis, blade.
struct Dragonfly {
    chassis: usize,
    blades: usize,
    /// Parallel links between groups, chassis and blades.
    widths: [usize; 3],
}

impl Dragonfly {
    fn index(&self, [group, chassis, blade]: [usize; 3]) -> usize {
        (group * self.chassis + chassis) * self.blades + blade
    }

    fn address(&self, router: usize) -> [usize; 3] {
        let shelf = router / self.blades;
        [
            shelf / self.chassis,
            shelf % self.chassis,
            router % self.blades,
        ]
    }

    fn width(&self, (one, other): (usize, usize)) -> usize {
        let [blue, black, green] = self.widths;
        let (one, other) = (self.address(one), self.address(other));
        match (one[0] == other[0], one[1] == other[1]) {
            (false, _) => blue,
            (true, false) => black,
            (true, true) => green,
        }
    }

    /// The links of the shortest route, as SimGrid counts them: after a link between blades it goes on from the first
    /// chassis. Router n of the first chassis of a group leads to group n.
    fn route(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let [mut group, mut chassis, mut blade] = self.address(from);
        let goal = self.address(to);
        let mut route = Vec::new();
        let mut pass = |one: [usize; 3], two: [usize; 3]| {
            route.push((self.index(one), self.index(two)));
        };
        if goal[0] != group {
            if blade != goal[0] {
                pass([group, chassis, blade], [group, chassis, goal[0]]);
            }
            if chassis != 0 {
                pass([group, chassis, goal[0]], [group, 0, goal[0]]);
            }
            pass([group, 0, goal[0]], [goal[0], 0, group]);
            [group, chassis, blade] = [goal[0], 0, group];
        }
        if goal[2] != blade {
            pass([group, chassis, blade], [group, chassis, goal[2]]);
            [chassis, blade] = [0, goal[2]];
        }
        if goal[1] != chassis {
            pass([group, chassis, blade], [group, goal[1], blade]);
        }
        route
    }
}
