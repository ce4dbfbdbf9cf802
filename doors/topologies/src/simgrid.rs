//! SimGrid's platform XML (4.1): hosts, routers, links, zones, clusters, and the routes between hosts.
//!
//! A message between two hosts loads each link as often as its route names it. Hosts are processors and may forward
//! messages. Routers may not. A link is one capacity for both directions if it is SHARED, and one per direction,
//! `NAME_UP` and `NAME_DOWN`, if it is SPLITDUPLEX. [Zones](crate::simgrid_zones) find routes, and
//! [stages](crate::simgrid_stages) draw them. Clusters are in [`simgrid_cluster`](crate::simgrid_cluster). Speeds of
//! hosts are left out.
//!
//! Facts from simgrid.org, "Platform reference" (`simgrid.dtd`, version 4.1), `platf_sax_cb.cpp` and `sg_platf.cpp`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{PlatformError, Rational};
use roxmltree::Node;

use crate::draft::Draft;
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected, unknown};
use crate::simgrid_search::{self, PathSearch};
use crate::simgrid_stages;
use crate::simgrid_units;
use crate::simgrid_zones::{Capacity, Kind, Routing, Stretch, Zones};
use crate::xml::{self, MAX_DEPTH, children, error_at, need};

/// Limit on the hosts of all clusters.
const MAX_HOSTS: usize = 100_000;
/// Limit on the links of all routes.
const MAX_HOPS: usize = 500_000;

/// Sharing of a link's bandwidth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Both directions share it.
    Shared,
    /// Each direction has it alone.
    Split,
    /// Not shared: each transfer has the whole bandwidth.
    Fat,
}

/// A name of a link.
#[derive(Clone, Copy)]
enum Link {
    /// One capacity for both directions.
    One(usize),
    /// A capacity up and a capacity down.
    Split([usize; 2]),
}

/// Reads a platform.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let zones = read_zones(source, draft)?;
    simgrid_stages::draw(&zones, draft).map_err(|mistake| source.error_in_file(mistake))
}

/// The zones of a platform, with all their routes.
pub(super) fn read_zones(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<Zones, FormatError> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let version = root.attribute("version").unwrap_or("none");
    if !matches!(version, "4" | "4.1") {
        let text = format!(
            "version {} is not read; convert the file to 4.1 with simgrid_update_xml",
            clip(version)
        );
        return Err(error_at(source, root, said(text)));
    }
    let mut reader = Reader {
        source,
        draft,
        zones: Zones::new(),
        points: BTreeMap::new(),
        links: BTreeMap::new(),
        elements: Vec::new(),
        hops: 0,
        budget: MAX_HOSTS,
        tree_hosts: 0,
    };
    reader.zone(root, None, 0)?;
    if !(0..reader.zones.points.len()).any(|point| reader.zones.is_host(point)) {
        let text = "there is no <host> and no <cluster> in it; a platform has some (a deployment says what runs where)";
        return Err(error_at(source, root, said(text)));
    }
    reader.connect()?;
    reader.note_rest(root);
    Ok(reader.zones)
}

pub(super) struct Reader<'r, 'o, 'd, 'i, 's> {
    pub(super) source: &'r Source<'s>,
    pub(super) draft: &'r mut Draft<'o>,
    pub(super) zones: Zones,
    /// Hosts, routers and zones by name.
    points: BTreeMap<String, usize>,
    links: BTreeMap<String, Link>,
    /// Per zone of the file: its element and how it finds routes.
    elements: Vec<(Node<'d, 'i>, usize, Option<PathSearch>)>,
    hops: usize,
    /// Number of further hosts allowed in clusters.
    pub(super) budget: usize,
    /// Hosts of the fat trees so far.
    pub(super) tree_hosts: usize,
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// Hosts, routers, links and clusters of a zone and of the zones in it.
    fn zone(
        &mut self,
        element: Node<'d, 'i>,
        parent: Option<usize>,
        depth: usize,
    ) -> Result<(), FormatError> {
        if depth > MAX_DEPTH {
            let mistake = too_many("levels of zones", MAX_DEPTH, "write it flatter");
            return Err(error_at(self.source, element, mistake));
        }
        let (routing, search) = match parent {
            Some(_) => self.routing(element)?,
            None => (Routing::Pairs(BTreeMap::new()), None),
        };
        let name = match parent {
            Some(_) => need(self.source, element, "id", "the zone's name")?,
            None => "platform",
        };
        let zone = self.add_zone(element, name, parent, routing)?;
        self.elements.push((element, zone, search));
        for child in element.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "zone" | "AS" => self.zone(child, Some(zone), depth + 1)?,
                "host" | "router" => {
                    let name = need(self.source, child, "id", "the node's name")?;
                    let kind = if child.has_tag_name("host") {
                        Kind::Host
                    } else {
                        Kind::Router
                    };
                    self.member(child, name, zone, kind)?;
                }
                "link" => self.link_of(child)?,
                "cluster" => self.cluster(child, zone)?,
                "include" => {
                    let text = "included files are not read; put their text here";
                    return Err(error_at(self.source, child, said(text)));
                }
                _ => {}
            }
        }
        self.star_members(element, zone)
    }

    fn routing(&self, zone: Node<'d, 'i>) -> Result<(Routing, Option<PathSearch>), FormatError> {
        let text = need(self.source, zone, "routing", "how the zone finds routes")?;
        let pairs = Routing::Pairs(BTreeMap::new());
        Ok(match text.to_ascii_lowercase().as_str() {
            "full" => (Routing::Full(BTreeMap::new()), None),
            "none" => (pairs, None),
            "floyd" => (pairs, Some(PathSearch::Floyd)),
            "dijkstra" | "dijkstracache" => (pairs, Some(PathSearch::Dijkstra)),
            "cluster" | "vivaldi" => (Routing::Star(BTreeMap::new()), None),
            "wifi" => return Err(self.no_wifi(zone)),
            _ => {
                let expected = "Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi or None";
                return Err(error_at(
                    self.source,
                    zone,
                    unexpected(clip(text), expected),
                ));
            }
        })
    }

    fn no_wifi(&self, element: Node<'_, '_>) -> FormatError {
        let text = "links of WIFI are not read: whoever speaks takes the air time of all. Leave them out, or write \
                    SHARED and one bandwidth";
        error_at(self.source, element, said(text))
    }

    /// Adds a zone to another one.
    pub(super) fn add_zone(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        parent: Option<usize>,
        routing: Routing,
    ) -> Result<usize, FormatError> {
        let point = self.zones.points.len();
        if parent.is_some() {
            self.name(element, name, point)?;
        }
        Ok(self.zones.zone(name.to_string(), parent, routing))
    }

    /// Adds a host or a router to a zone.
    pub(super) fn member(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        zone: usize,
        kind: Kind,
    ) -> Result<usize, FormatError> {
        self.name(element, name, self.zones.points.len())?;
        Ok(self.zones.member(name.to_string(), zone, kind))
    }

    fn name(&mut self, element: Node<'_, '_>, name: &str, point: usize) -> Result<(), FormatError> {
        if self.points.insert(name.to_string(), point).is_none() {
            return Ok(());
        }
        let name = clip(name);
        let mistake = Mistake::Platform(PlatformError::DuplicateNode { name });
        Err(error_at(self.source, element, mistake))
    }

    /// A host, router or zone by the name that an attribute gives.
    pub(super) fn point(
        &self,
        element: Node<'_, '_>,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<usize, FormatError> {
        self.known(element, need(self.source, element, key, meaning)?)
    }

    /// A host, router or zone by its name.
    pub(super) fn known(&self, element: Node<'_, '_>, name: &str) -> Result<usize, FormatError> {
        let point = self.points.get(name).copied();
        point.ok_or_else(|| error_at(self.source, element, unknown(name)))
    }

    fn link_of(&mut self, element: Node<'d, 'i>) -> Result<(), FormatError> {
        let id = need(self.source, element, "id", "the link's name")?;
        let sharing = self
            .sharing(element, "sharing_policy")?
            .unwrap_or(Sharing::Shared);
        let rate = self.bandwidth(element, "bandwidth")?;
        let latency = self.latency(element, "latency")?;
        self.link(element, id, rate, latency, sharing)?;
        Ok(())
    }

    /// Adds a link of a rate and a latency: its capacity up and its capacity down, which may be one.
    pub(super) fn link(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        rate: Rational,
        latency: Rational,
        sharing: Sharing,
    ) -> Result<[usize; 2], FormatError> {
        let mut add = |name: String| {
            let (rate, latency) = (rate.clone(), latency.clone());
            let fat = sharing == Sharing::Fat;
            let capacity = self.zones.capacity(Capacity {
                name: name.clone(),
                rate,
                latency,
                fat,
            });
            match self.links.entry(name) {
                Entry::Vacant(entry) => entry.insert(Link::One(capacity)),
                Entry::Occupied(entry) => {
                    let mistake = Mistake::DuplicateKey(format!("link {}", clip(entry.key())));
                    return Err(error_at(self.source, element, mistake));
                }
            };
            Ok(capacity)
        };
        if sharing != Sharing::Split {
            return Ok([add(name.to_string())?; 2]);
        }
        let ways = [add(format!("{name}_UP"))?, add(format!("{name}_DOWN"))?];
        if self.links.contains_key(name) {
            let mistake = Mistake::DuplicateKey(format!("link {}", clip(name)));
            return Err(error_at(self.source, element, mistake));
        }
        self.links.insert(name.to_string(), Link::Split(ways));
        Ok(ways)
    }

    /// Sharing of a link. `None` if the file does not state it.
    pub(super) fn sharing(
        &self,
        element: Node<'_, '_>,
        key: &str,
    ) -> Result<Option<Sharing>, FormatError> {
        Ok(Some(match element.attribute(key) {
            None => return Ok(None),
            Some("SHARED") => Sharing::Shared,
            Some("SPLITDUPLEX" | "FULLDUPLEX") => Sharing::Split,
            Some("FATPIPE") => Sharing::Fat,
            Some("WIFI") => return Err(self.no_wifi(element)),
            Some(other) => {
                let mistake = unexpected(clip(other), "SHARED, SPLITDUPLEX or FATPIPE");
                return Err(error_at(self.source, element, mistake));
            }
        }))
    }

    /// Reads a bandwidth, such as `125MBps` or `10Gbps`. A plain number is in bytes per second.
    pub(super) fn bandwidth(
        &mut self,
        element: Node<'_, '_>,
        key: &'static str,
    ) -> Result<Rational, FormatError> {
        let text = need(self.source, element, key, "the bandwidth, such as 125MBps")?;
        let rate = simgrid_units::bandwidth(text);
        let rate = rate.map_err(|mistake| error_at(self.source, element, mistake))?;
        Ok(self.draft.stated("link", rate))
    }

    /// Reads a latency, such as `50us`. 0 if it is absent.
    pub(super) fn latency(
        &self,
        element: Node<'_, '_>,
        key: &str,
    ) -> Result<Rational, FormatError> {
        let text = element.attribute(key).unwrap_or("0");
        simgrid_units::time(text).map_err(|mistake| error_at(self.source, element, mistake))
    }

    /// Routes of all zones, from the innermost.
    fn connect(&mut self) -> Result<(), FormatError> {
        for (element, zone, search) in std::mem::take(&mut self.elements).into_iter().rev() {
            self.star_lists(element, zone)?;
            let mut order = Vec::new();
            for child in element.children().filter(Node::is_element) {
                match child.tag_name().name() {
                    "route" | "zoneRoute" | "ASroute" => {
                        self.route(child, zone, &mut order)?;
                    }
                    "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {
                        self.bypass(child, zone)?;
                    }
                    _ => {}
                }
            }
            if let Some(search) = search {
                simgrid_search::complete(&mut self.zones, zone, search, &order)
                    .map_err(|mistake| error_at(self.source, element, mistake))?;
            }
        }
        Ok(())
    }

    fn route(
        &mut self,
        element: Node<'d, 'i>,
        zone: usize,
        order: &mut Vec<(usize, usize)>,
    ) -> Result<(), FormatError> {
        let [from, to] = self.ends(element)?;
        for end in [from, to] {
            if self.zones.points.get(end).map(|point| point.zone) != Some(zone) {
                let text = format!(
                    "'{}' is not directly in zone '{}', whose routes join its own members; write the route in the zone \
                     of both ends",
                    clip(self.zones.name(end)),
                    clip(self.zone_name(zone))
                );
                return Err(error_at(self.source, element, said(text)));
            }
        }
        let gates = self.gates(element, [from, to])?;
        let [there, back] = self.stretches(element, gates)?;
        if from == to {
            self.note_loopback();
            return Ok(());
        }
        let one_way = element
            .attribute("symmetrical")
            .is_some_and(|text| text.eq_ignore_ascii_case("no"));
        let source = self.source;
        let (names, zone_name) = (
            [from, to].map(|end| clip(self.zones.name(end))),
            clip(self.zone_name(zone)),
        );
        let routing = self.zones.zones.get_mut(zone).map(|zone| &mut zone.routing);
        let Some(Routing::Pairs(pairs) | Routing::Full(pairs)) = routing else {
            let text = format!(
                "zone '{zone_name}' is a star, whose routes are lists of links: write <host_link>, <cabinet> or <peer>"
            );
            return Err(error_at(source, element, said(text)));
        };
        let ways = [
            ((from, to), Some(there)),
            ((to, from), (!one_way).then_some(back)),
        ];
        for (ends, stretch) in ways {
            let Some(stretch) = stretch else { continue };
            if pairs.insert(ends, stretch).is_some() {
                let [one, other] = names;
                let text = format!(
                    "the route between '{one}' and '{other}' is given twice; routes are symmetrical unless \
                     symmetrical=\"NO\""
                );
                return Err(error_at(source, element, said(text)));
            }
            order.push(ends);
        }
        Ok(())
    }

    /// A route that replaces another one, in one direction.
    fn bypass(&mut self, element: Node<'d, 'i>, zone: usize) -> Result<(), FormatError> {
        let [from, to] = self.ends(element)?;
        let gates = self.gates(element, [from, to])?;
        let direct = |end: usize| self.zones.points.get(end).map(|point| point.zone) == Some(zone);
        if element.has_tag_name("bypassRoute") && !(direct(from) && direct(to)) {
            let text = format!(
                "a bypassRoute joins hosts of its own zone; '{}' and '{}' are not both directly in '{}'. Write a \
                 bypassZoneRoute between their zones",
                clip(self.zones.name(from)),
                clip(self.zones.name(to)),
                clip(self.zone_name(zone))
            );
            return Err(error_at(self.source, element, said(text)));
        }
        if [from, to]
            .iter()
            .any(|end| self.zones.member_of(zone, *end).is_none())
        {
            let text = format!("both zones have to be in '{}'", clip(self.zone_name(zone)));
            return Err(error_at(self.source, element, said(text)));
        }
        self.check_gates(element, gates)?;
        let [there, _] = self.stretches(element, gates)?;
        let Some(zone) = self.zones.zones.get_mut(zone) else {
            return Ok(());
        };
        if zone.bypasses.insert((from, to), there).is_some() {
            let text = "this bypass is given twice";
            return Err(error_at(self.source, element, said(text)));
        }
        Ok(())
    }

    /// Refuses a bypass by a host that has a path to itself: SimGrid lets messages from and to this host pass it.
    fn check_gates(
        &self,
        element: Node<'_, '_>,
        gates: [Option<usize>; 2],
    ) -> Result<(), FormatError> {
        for gate in gates
            .into_iter()
            .flatten()
            .filter(|&gate| self.zones.is_host(gate))
        {
            let zone = self
                .zones
                .points
                .get(gate)
                .and_then(|point| self.zones.zones.get(point.zone));
            if zone.is_some_and(|zone| !matches!(zone.routing, Routing::Full(_))) {
                let text = format!(
                    "the gateway of a bypass is a router, or a host in a zone of routing=\"Full\"; '{}' is neither, and \
                     SimGrid lets its own messages pass its links twice. Name the zone's router",
                    clip(self.zones.name(gate))
                );
                return Err(error_at(self.source, element, said(text)));
            }
        }
        Ok(())
    }

    fn zone_name(&self, zone: usize) -> &str {
        self.zones.zones.get(zone).map_or("", |zone| &zone.name)
    }

    fn ends(&self, element: Node<'_, '_>) -> Result<[usize; 2], FormatError> {
        Ok([
            self.point(element, "src", "the start of the route")?,
            self.point(element, "dst", "the end of the route")?,
        ])
    }

    /// The gateways of a route between zones.
    fn gates(
        &self,
        element: Node<'_, '_>,
        ends: [usize; 2],
    ) -> Result<[Option<usize>; 2], FormatError> {
        let between_zones = !matches!(element.tag_name().name(), "route" | "bypassRoute");
        let mut gates = [None; 2];
        for ((end, key), gate) in ends.into_iter().zip(["gw_src", "gw_dst"]).zip(&mut gates) {
            let inside = self.zones.inside(end);
            let name = clip(self.zones.name(end));
            let (true, Some(zone)) = (between_zones, inside) else {
                if inside.is_none() && !between_zones {
                    continue;
                }
                let text = if between_zones {
                    format!("'{name}' is no zone; write a <route>, or put the node into a zone")
                } else {
                    format!("'{name}' is a zone; write a <zoneRoute> with gw_src and gw_dst")
                };
                return Err(error_at(self.source, element, said(text)));
            };
            let point = self.point(element, key, "the gateway of the zone")?;
            if self.zones.member_of(zone, point).is_none() || self.zones.inside(point).is_some() {
                let text = format!(
                    "{key} '{}' is no host or router in zone '{name}'; name one that is",
                    clip(self.zones.name(point))
                );
                return Err(error_at(self.source, element, said(text)));
            }
            *gate = Some(point);
        }
        Ok(gates)
    }

    /// The links of a route, and those of the return route.
    fn stretches(
        &mut self,
        element: Node<'d, 'i>,
        gates: [Option<usize>; 2],
    ) -> Result<[Stretch; 2], FormatError> {
        let hops = element
            .children()
            .filter(|child| child.has_tag_name("link_ctn"));
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for hop in hops {
            let id = need(self.source, hop, "id", "the link's name")?;
            let [way, other] = self.hop(hop, id, hop.attribute("direction"))?;
            there.push(way);
            back.push(other);
        }
        back.reverse();
        self.hops += 2 * there.len();
        if self.hops > 2 * MAX_HOPS {
            let mistake = too_many("links on routes", MAX_HOPS, "write fewer routes");
            return Err(error_at(self.source, element, mistake));
        }
        if there.is_empty() {
            let text = "a route without links; write <link_ctn id=\"...\"/>";
            return Err(error_at(self.source, element, said(text)));
        }
        let [first, last] = gates;
        Ok([
            Stretch {
                loads: there,
                gates,
            },
            Stretch {
                loads: back,
                gates: [last, first],
            },
        ])
    }

    /// The capacities of a link by its name: on the forward and on the return path.
    pub(super) fn hop(
        &mut self,
        element: Node<'_, '_>,
        id: &str,
        direction: Option<&str>,
    ) -> Result<[usize; 2], FormatError> {
        let down = direction.is_some_and(|text| text.eq_ignore_ascii_case("down"));
        match self.links.get(id) {
            Some(&Link::One(capacity)) => Ok([capacity; 2]),
            Some(&Link::Split([up, lower])) => {
                if direction.is_none_or(|text| text.eq_ignore_ascii_case("none")) {
                    let text = "split links that a route names without a direction: up on the way, down on the way back";
                    self.draft.note(Topic::Assumed, text);
                }
                Ok(if down { [lower, up] } else { [up, lower] })
            }
            None => {
                let text = format!("there is no link '{}'", clip(id));
                Err(error_at(self.source, element, said(text)))
            }
        }
    }

    pub(super) fn note_loopback(&mut self) {
        let text = "loopbacks: a host sends itself nothing";
        self.draft.note(Topic::LeftOut, text);
    }

    /// Notes the facts of the file that the platform does not have.
    fn note_rest(&mut self, root: Node<'d, 'i>) {
        let has_element =
            |name: &'static str| root.descendants().any(|node| node.has_tag_name(name));
        let profile = |node: Node<'_, '_>| {
            let key = |key: &&str| node.attribute(*key).is_some();
            ["bandwidth_file", "latency_file", "state_file"]
                .iter()
                .any(key)
        };
        if has_element("trace") || root.descendants().any(profile) {
            let text = "profiles: bandwidths and latencies are those of the start";
            self.draft.note(Topic::LeftOut, text);
        }
        if children(root, "config").next().is_some() {
            self.draft
                .note(Topic::LeftOut, "<config>: options of SimGrid's models");
        }
        let text = "speeds of hosts; SimGrid's cross-traffic (5 % of a rate, on the way back) and its factors on bandwidth \
                    and latency (0.97 and 13.01, unless it is told otherwise)";
        self.draft.note(Topic::LeftOut, text);
    }
}
