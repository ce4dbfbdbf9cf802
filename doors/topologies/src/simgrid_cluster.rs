//! SimGrid's clusters: flat ones, tori, fat trees, dragonflies, and zones of cabinets, host links and peers.
//!
//! Links of a cluster are split where the file does not say otherwise. A limiter is a bandwidth that all traffic into
//! and out of a host or switch shares. Messages take any path through the network, not only SimGrid's one route.
//! Loopbacks are left out.
//!
//! Facts from simgrid.org, "Platform reference", "Torus Cluster", "Fat Tree", "Dragonfly", and `simgrid.dtd`.

use num_traits::Zero;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::Rational;
use roxmltree::Node;

use crate::draft::{MAX_LINKS, MAX_NODES, Role};
use crate::hostlist;
use crate::imported::Topic;
use crate::mistakes::{said, unexpected};
use crate::simgrid::{Reader, Sharing};
use crate::xml::{children, filled, need, wrong};

/// Most levels of a fat tree, most dimensions of a torus.
const MAX_LEVELS: usize = 30;

/// A host or switch: where links enter and where they leave. The two differ where a limiter stands between.
#[derive(Clone, Copy)]
struct Station {
    enter: usize,
    leave: usize,
}

impl Station {
    fn of(node: usize) -> Self {
        Station {
            enter: node,
            leave: node,
        }
    }
}

/// Common properties of all links of a cluster.
struct Cluster<'d, 'i> {
    element: Node<'d, 'i>,
    id: &'d str,
    rate: Rational,
    sharing: Sharing,
    limiter: Option<Rational>,
    hosts: Vec<String>,
}

impl Cluster<'_, '_> {
    fn wrong(&self, source: &Source<'_>, mistake: Mistake) -> FormatError {
        wrong(source, self.element, mistake)
    }
}

/// The texts before and behind the numbers of its hosts.
fn affixes<'d>(element: Node<'d, '_>) -> [&'d str; 2] {
    ["prefix", "suffix"].map(|key| element.attribute(key).unwrap_or_default())
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// `<cluster>`.
    pub(super) fn cluster(&mut self, element: Node<'d, 'i>) -> Result<(), FormatError> {
        let sharing = self
            .sharing(element, "sharing_policy")?
            .unwrap_or(Sharing::Split);
        if sharing == Sharing::Fat {
            self.draft.note(
                Topic::Assumed,
                "links of a FATPIPE cluster: as if SPLITDUPLEX",
            );
        }
        let limiter = filled(element, "limiter_link")
            .map(|_| self.bandwidth(element, "limiter_link"))
            .transpose()?;
        let id = need(self.source, element, "id", "the cluster's name")?;
        let rate = self.bandwidth(element, "bw")?;
        let hosts = self.host_names(element)?;
        let cluster = Cluster {
            element,
            id,
            rate,
            sharing,
            limiter,
            hosts,
        };
        match element.attribute("topology").unwrap_or("FLAT") {
            "FLAT" => self.flat(&cluster),
            "TORUS" => self.torus(&cluster),
            "FAT_TREE" => self.fat_tree(&cluster),
            "DRAGONFLY" => self.dragonfly(&cluster),
            other => {
                let expected = "FLAT, TORUS, FAT_TREE or DRAGONFLY";
                Err(cluster.wrong(self.source, unexpected(clip(other), expected)))
            }
        }
    }

    /// `prefix`, each number of `radical`, `suffix`.
    fn host_names(&mut self, element: Node<'_, '_>) -> Result<Vec<String>, FormatError> {
        let [prefix, suffix] = affixes(element);
        let radical = need(
            self.source,
            element,
            "radical",
            "the numbers of its hosts, such as 0-15",
        )?;
        let numbers = hostlist::expand(&format!("[{}]", radical.trim()), &mut self.budget)
            .map_err(|mistake| wrong(self.source, element, mistake))?;
        Ok(numbers
            .into_iter()
            .map(|number| format!("{prefix}{number}{suffix}"))
            .collect())
    }

    /// Hosts around a router, each with a separate link, and a backbone if there is one.
    fn flat(&mut self, cluster: &Cluster<'d, 'i>) -> Result<(), FormatError> {
        let element = cluster.element;
        let [prefix, suffix] = affixes(element);
        let router = filled(element, "router_id").map_or_else(
            || format!("{prefix}{}_router{suffix}", cluster.id),
            str::to_string,
        );
        let center = self.node(element, &router, false)?;
        let mut middle = Station::of(center);
        if filled(element, "bb_bw").is_some() {
            let rate = self.bandwidth(element, "bb_bw")?;
            middle = self.backbone(element, &format!("{}_backbone", cluster.id), &rate, center)?;
        }
        for name in &cluster.hosts {
            let host = self.station(cluster, name, true)?;
            self.connect(cluster, &format!("{name}_link"), host, middle, 1)?;
        }
        Ok(())
    }

    /// Messages that pass the backbone share its bandwidth, unless it is a FATPIPE. The center is behind it.
    fn backbone(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        rate: &Rational,
        center: usize,
    ) -> Result<Station, FormatError> {
        if self.sharing(element, "bb_sharing_policy")? == Some(Sharing::Fat) {
            self.draft.note(
                Topic::LeftOut,
                "a FATPIPE backbone: transfers do not share it",
            );
            return Ok(Station::of(center));
        }
        let (enter, exit) = self.pair(element, name, rate)?;
        self.join(element, exit, center, rate)?;
        self.join(element, center, enter, rate)?;
        Ok(Station { enter, leave: exit })
    }

    /// A host or switch of the cluster, behind its limiter.
    fn station(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        name: &str,
        is_host: bool,
    ) -> Result<Station, FormatError> {
        let node = self.node(cluster.element, name, is_host)?;
        let Some(rate) = &cluster.limiter else {
            return Ok(Station::of(node));
        };
        let (enter, leave) = self.pair(cluster.element, &format!("{name}_limiter"), rate)?;
        if is_host {
            self.join(cluster.element, node, enter, rate)?;
            self.join(cluster.element, leave, node, rate)?;
        }
        Ok(Station { enter, leave })
    }

    /// `links` parallel links between two stations.
    fn connect(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        name: &str,
        one: Station,
        other: Station,
        links: usize,
    ) -> Result<(), FormatError> {
        let element = cluster.element;
        let rate = &cluster.rate * Rational::from_integer(links.into());
        if cluster.sharing != Sharing::Shared {
            self.join(element, one.leave, other.enter, &rate)?;
            return self.join(element, other.leave, one.enter, &rate);
        }
        let (enter, exit) = self.pair(element, name, &rate)?;
        for station in [one, other] {
            self.join(element, station.leave, enter, &rate)?;
            self.join(element, exit, station.enter, &rate)?;
        }
        Ok(())
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
        cluster.wrong(self.source, unexpected(value, expected))
    }

    /// The hosts, as many as the shape asks for.
    fn hosts(
        &mut self,
        cluster: &Cluster<'d, 'i>,
        shape: &[usize],
    ) -> Result<Vec<Station>, FormatError> {
        let wanted = shape
            .iter()
            .try_fold(1_usize, |all, &one| all.checked_mul(one))
            .unwrap_or(usize::MAX);
        if wanted != cluster.hosts.len() {
            let text = format!(
                "topo_parameters make {wanted} hosts, radical gives {}",
                cluster.hosts.len()
            );
            return Err(cluster.wrong(self.source, said(text)));
        }
        cluster
            .hosts
            .iter()
            .map(|name| self.station(cluster, name, true))
            .collect()
    }

    /// Every host has a link to the next one in each dimension.
    fn torus(&mut self, cluster: &Cluster<'d, 'i>) -> Result<(), FormatError> {
        let meaning = "the sizes of the dimensions, such as 3,2,2";
        let lists = self.parameters(cluster, meaning)?;
        let [sizes] = lists.as_slice() else {
            return Err(self.misshapen(cluster, meaning));
        };
        let hosts = self.hosts(cluster, sizes)?;
        let mut stride = 1;
        for &size in sizes {
            if size == 2 {
                let text = "a dimension of 2 has one link between its two hosts, the one that SimGrid's routes take";
                self.draft.note(Topic::Merged, text);
            }
            for (place, &host) in hosts.iter().enumerate() {
                let at = (place / stride) % size;
                // The last one closes the ring, which takes three.
                let next = if at + 1 < size {
                    place + stride
                } else {
                    place - at * stride
                };
                if size == 1 || (size == 2 && at == 1) {
                    continue;
                }
                if let Some(&other) = hosts.get(next) {
                    let name = format!("{}_{place}_{next}", cluster.id);
                    self.connect(cluster, &name, host, other, 1)?;
                }
            }
            stride *= size;
        }
        Ok(())
    }

    /// Switches of a level have labels of one digit per level; parent and child differ in the digit between them.
    fn fat_tree(&mut self, cluster: &Cluster<'d, 'i>) -> Result<(), FormatError> {
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
        let mut below = self.hosts(cluster, children)?;
        let shapes = children.iter().zip(parents).zip(links);
        for (level, ((&few, &wide), &count)) in shapes.enumerate() {
            self.check_links(cluster, below.len().saturating_mul(wide))?;
            // Digits below this level count parents, those above count children.
            let stride: usize = parents.iter().take(level).product();
            let mut above = Vec::new();
            for place in 0..below.len() / few * wide {
                above.push(self.station(
                    cluster,
                    &format!("{}_switch{}.{place}", cluster.id, level + 1),
                    false,
                )?);
            }
            for (place, &child) in below.iter().enumerate() {
                let (low, high) = (place % stride, place / (stride * few));
                for digit in 0..wide {
                    let parent = low + stride * (digit + wide * high);
                    let Some(&other) = above.get(parent) else {
                        continue;
                    };
                    let name = format!("{}_{level}.{place}_{parent}", cluster.id);
                    self.connect(cluster, &name, child, other, count)?;
                }
            }
            below = above;
        }
        Ok(())
    }

    /// Routers (blades) in chassis in groups: all of a chassis, all of a place in a group, and all groups are joined.
    fn dragonfly(&mut self, cluster: &Cluster<'d, 'i>) -> Result<(), FormatError> {
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
        if groups > 1 && groups > chassis * blades {
            let text = format!(
                "{groups} groups need as many routers in each; there are {chassis} x {blades}"
            );
            return Err(cluster.wrong(self.source, said(text)));
        }
        let hosts = self.hosts(cluster, &[groups, chassis, blades, nodes])?;
        let each = chassis * blades;
        let pairs = |count: usize| count.saturating_mul(count.saturating_sub(1)) / 2;
        let in_chassis = pairs(blades).saturating_mul(chassis * groups);
        let in_groups = pairs(chassis).saturating_mul(blades * groups);
        let wires = pairs(groups).saturating_add(in_chassis);
        self.check_links(cluster, wires.saturating_add(in_groups))?;
        let mut routers = Vec::with_capacity(groups * each);
        for place in 0..groups * each {
            routers.push(self.station(cluster, &format!("{}_router{place}", cluster.id), false)?);
        }
        for (place, (&host, name)) in hosts.iter().zip(&cluster.hosts).enumerate() {
            let Some(&router) = routers.get(place / nodes) else {
                continue;
            };
            self.connect(cluster, &format!("{name}_link"), host, router, 1)?;
        }
        for place in 0..routers.len() {
            let (group, inside) = (place / each, place % each);
            let (shelf, blade) = (inside / blades, inside % blades);
            let in_chassis = (blade + 1..blades).map(|other| (place - blade + other, green));
            let in_group =
                (shelf + 1..chassis).map(|other| (group * each + other * blades + blade, black));
            // Router n of a group leads to group n.
            let far = (group < inside && inside < groups).then(|| (inside * each + group, blue));
            for (other, links) in in_chassis.chain(in_group).chain(far) {
                if let (Some(&one), Some(&two)) = (routers.get(place), routers.get(other)) {
                    let name = format!("{}_{place}_{other}", cluster.id);
                    self.connect(cluster, &name, one, two, links)?;
                }
            }
        }
        Ok(())
    }

    fn check_links(&self, cluster: &Cluster<'d, 'i>, pairs: usize) -> Result<(), FormatError> {
        let links = pairs.saturating_mul(2).min(MAX_LINKS + 1);
        self.draft
            .check_links(links)
            .map_err(|mistake| cluster.wrong(self.source, mistake))
    }

    /// A zone whose hosts hang on one center: `<cabinet>`, `<host_link>`, `<peer>`, and a `<backbone>` between.
    pub(super) fn star(&mut self, zone: Node<'d, 'i>) -> Result<(), FormatError> {
        let has = |name: &'static str| children(zone, name).next().is_some();
        if !(has("cabinet") || has("host_link") || has("peer")) {
            return Ok(());
        }
        let center = self.center(zone)?;
        let mut middle = Station::of(center);
        if let Some(backbone) = children(zone, "backbone").next() {
            let rate = self.bandwidth(backbone, "bandwidth")?;
            let name = need(self.source, backbone, "id", "the backbone's name")?;
            middle = self.backbone(backbone, name, &rate, center)?;
        }
        let mut total = Rational::zero();
        for element in children(zone, "cabinet") {
            let rate = self.bandwidth(element, "bw")?;
            for name in self.host_names(element)? {
                let host = self.node(element, &name, true)?;
                self.hang(element, host, middle, &rate, &rate)?;
                total += &rate;
            }
        }
        for element in children(zone, "peer") {
            let name = need(self.source, element, "id", "the peer's name")?;
            let host = self.node(element, name, true)?;
            let [inward, outward] = ["bw_in", "bw_out"].map(|key| self.bandwidth(element, key));
            let (inward, outward) = (inward?, outward?);
            self.hang(element, host, middle, &outward, &inward)?;
            total += inward.max(outward);
        }
        for element in children(zone, "host_link") {
            let host = self.place(
                element,
                need(self.source, element, "id", "the host's name")?,
            )?;
            let up = need(self.source, element, "up", "the link from the host")?;
            let down = need(self.source, element, "down", "the link to the host")?;
            self.over(element, up, (host, middle.enter), false)?;
            self.over(element, down, (middle.leave, host), true)?;
        }
        self.more_routers(zone, center, &total)
    }

    /// The zone's first router, else a new one.
    fn center(&mut self, zone: Node<'d, 'i>) -> Result<usize, FormatError> {
        if let Some(router) = children(zone, "router").next() {
            return self.place(
                router,
                need(self.source, router, "id", "the router's name")?,
            );
        }
        let id = need(self.source, zone, "id", "the zone's name")?;
        let center = self
            .draft
            .node(format!("{id}_center"), "router", Role::Switch);
        center.map_err(|mistake| wrong(self.source, zone, mistake))
    }

    /// A host and its links to the middle and from it.
    fn hang(
        &mut self,
        element: Node<'_, '_>,
        host: usize,
        middle: Station,
        outward: &Rational,
        inward: &Rational,
    ) -> Result<(), FormatError> {
        self.join(element, host, middle.enter, outward)?;
        self.join(element, middle.leave, host, inward)
    }

    /// Other routers of a star are at its center: what leads there is as wide as all links of its hosts together.
    fn more_routers(
        &mut self,
        zone: Node<'d, 'i>,
        center: usize,
        total: &Rational,
    ) -> Result<(), FormatError> {
        for router in children(zone, "router")
            .skip(1)
            .filter(|_| !total.is_zero())
        {
            let place = self.place(
                router,
                need(self.source, router, "id", "the router's name")?,
            )?;
            self.join(router, center, place, total)?;
            self.join(router, place, center, total)?;
        }
        Ok(())
    }
}
