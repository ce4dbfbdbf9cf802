//! SimGrid's platform XML (4.1): hosts, routers, links, routes, clusters, zones.
//!
//! Hosts are processors, routers forward. A link that routes share becomes a pair of routers with one link between them
//! of the link's bandwidth, both ways together where it is SHARED; SPLITDUPLEX links are one such pair each way. A link
//! alone on one route joins its ends directly. Routes of zones end at their gateways. Latencies and speeds of hosts are
//! left out.
//!
//! Facts from simgrid.org, "Platform reference" (`simgrid.dtd`, version 4.1).

use std::collections::BTreeMap;

use num_traits::Signed;
use oneport_platform::units::{Data, Time};
use oneport_platform::{Rational, Units};
use roxmltree::Node;

use super::Draft;
use super::draft::Role;
use super::graph::rate_in;
use super::hostlist;
use super::imported::Topic;
use super::xml::{self, MAX_DEPTH, need, wrong};
use crate::error::{FormatError, Mistake, clip};
use crate::source::Source;

/// Most hosts of all clusters.
const MAX_HOSTS: usize = 100_000;
/// Most links of all routes.
const MAX_HOPS: usize = 500_000;

/// How a link's bandwidth is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// By both directions together.
    Shared,
    /// By each direction alone.
    Split,
    /// Not at all: each route has it whole.
    Fat,
}

struct Cable {
    rate: Rational,
    sharing: Sharing,
    /// Passes of routes, to see whether it is alone.
    passes: usize,
    /// Entry and exit, of the way up and the way down.
    ends: [Option<(usize, usize)>; 2],
}

/// A link on a route: its id, and whether it is passed downwards.
type Hop<'d> = (&'d str, bool);

struct Route<'d, 'i> {
    element: Node<'d, 'i>,
    from: usize,
    to: usize,
    hops: Vec<Hop<'d>>,
    symmetrical: bool,
}

/// Reads a platform.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let version = root.attribute("version").unwrap_or("none");
    if !matches!(version, "4" | "4.1") {
        let text = format!("version {} is not read; convert the file to 4.1 with simgrid_update_xml", clip(version));
        return Err(wrong(source, root, Mistake::Import(text)));
    }
    let mut reader = Reader {
        source,
        draft,
        places: BTreeMap::new(),
        cables: BTreeMap::new(),
        routes: Vec::new(),
        hops: 0,
        budget: MAX_HOSTS,
    };
    reader.zone(root, 0)?;
    reader.collect_routes(root)?;
    reader.draft.note(Topic::LeftOut, "latencies, and the speeds of hosts");
    reader.add_routes()
}

struct Reader<'r, 'o, 'd, 'i, 's> {
    source: &'r Source<'s>,
    draft: &'r mut Draft<'o>,
    places: BTreeMap<String, usize>,
    cables: BTreeMap<&'d str, Cable>,
    routes: Vec<Route<'d, 'i>>,
    hops: usize,
    budget: usize,
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// Hosts, routers, links and clusters of a zone and of the zones in it.
    fn zone(&mut self, zone: Node<'d, 'i>, depth: usize) -> Result<(), FormatError> {
        if depth > MAX_DEPTH {
            let mistake = Mistake::TooMany { what: "levels of zones", limit: MAX_DEPTH, instead: "write it flatter" };
            return Err(wrong(self.source, zone, mistake));
        }
        for element in zone.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "zone" | "AS" => self.zone(element, depth + 1)?,
                "host" => self.node(element, need(self.source, element, "id", "the host's name")?, true)?,
                "router" => self.node(element, need(self.source, element, "id", "the router's name")?, false)?,
                "link" => self.cable(element)?,
                "cluster" => self.cluster(element)?,
                name @ ("peer" | "cabinet" | "backbone" | "host_link" | "bypassRoute" | "bypassZoneRoute") => {
                    let text = format!("<{name}> is not read; write hosts, links and routes, or a cluster");
                    return Err(wrong(self.source, element, Mistake::Import(text)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, element: Node<'_, '_>, name: &str, is_host: bool) -> Result<(), FormatError> {
        let (kind, role) = if is_host { ("host", Role::Processor) } else { ("router", Role::Switch) };
        let place = self.draft.node(name, kind, role).map_err(|mistake| wrong(self.source, element, mistake))?;
        self.places.insert(name.to_string(), place);
        Ok(())
    }

    fn cable(&mut self, element: Node<'d, 'i>) -> Result<(), FormatError> {
        let id = need(self.source, element, "id", "the link's name")?;
        let rate = self.bandwidth(element, "bandwidth")?;
        let sharing = match element.attribute("sharing_policy") {
            None | Some("SHARED") => Sharing::Shared,
            Some("SPLITDUPLEX" | "FULLDUPLEX") => Sharing::Split,
            Some("FATPIPE") => Sharing::Fat,
            Some(other) => {
                let expected = "SHARED, SPLITDUPLEX or FATPIPE".into();
                return Err(wrong(self.source, element, Mistake::WrongValue { value: clip(other), expected }));
            }
        };
        let cable = Cable { rate, sharing, passes: 0, ends: [None, None] };
        match self.cables.insert(id, cable) {
            None => Ok(()),
            Some(_) => Err(wrong(self.source, element, Mistake::DuplicateKey(format!("link {}", clip(id))))),
        }
    }

    /// `125MBps`, `10Gbps`; a plain number is in bytes per second.
    fn bandwidth(&mut self, element: Node<'d, 'i>, key: &'static str) -> Result<Rational, FormatError> {
        let text = need(self.source, element, key, "the bandwidth, such as 125MBps")?;
        let rate = rate(text).map_err(|mistake| wrong(self.source, element, mistake))?;
        Ok(self.draft.stated("link", rate))
    }

    /// Hosts around a router, each with a link of its own, and a backbone where there is one.
    fn cluster(&mut self, element: Node<'d, 'i>) -> Result<(), FormatError> {
        let at = |mistake| wrong(self.source, element, mistake);
        if let Some(shape) = element.attribute("topology").filter(|shape| !shape.eq_ignore_ascii_case("FLAT")) {
            let text = format!("clusters of topology {} are not read; write hosts, links and routes", clip(shape));
            return Err(at(Mistake::Import(text)));
        }
        let id = need(self.source, element, "id", "the cluster's name")?;
        let [prefix, suffix] = ["prefix", "suffix"].map(|key| element.attribute(key).unwrap_or_default());
        let radical = need(self.source, element, "radical", "the numbers of its hosts, such as 0-15")?;
        let names = hostlist::expand(&format!("{prefix}[{radical}]{suffix}"), &mut self.budget).map_err(at)?;
        let rate = self.bandwidth(element, "bw")?;
        let shared = element.attribute("sharing_policy") == Some("SHARED");
        let router =
            element.attribute("router_id").map_or_else(|| format!("{prefix}{id}_router{suffix}"), str::to_string);
        self.node(element, &router, false)?;
        let center = self.places.get(&router).copied().unwrap_or_default();
        let backbone = match element.attribute("bb_bw") {
            None => None,
            Some(_) => {
                let rate = self.bandwidth(element, "bb_bw")?;
                let split = element.attribute("bb_sharing_policy") == Some("SPLITDUPLEX");
                if split {
                    self.draft.note(Topic::Assumed, "backbone: as if SHARED");
                }
                Some(self.pair(element, &format!("{id}_backbone"), &rate)?)
            }
        };
        for name in names {
            self.node(element, &name, true)?;
            let host = self.places.get(&name).copied().unwrap_or_default();
            let (entry, exit) = match (shared, backbone) {
                (true, _) => {
                    let (entry, exit) = self.pair(element, &format!("{name}_link"), &rate)?;
                    self.join(element, host, entry, &rate)?;
                    self.join(element, exit, host, &rate)?;
                    (exit, entry)
                }
                (false, _) => (host, host),
            };
            // The way to the middle, and the way from it.
            let (inward, outward) = backbone.unwrap_or((center, center));
            self.join(element, entry, inward, &rate)?;
            self.join(element, outward, exit, &rate)?;
        }
        if let Some((entry, exit)) = backbone {
            let large = self.draft.rate_between(entry, exit).unwrap_or(rate);
            self.join(element, exit, center, &large)?;
            self.join(element, center, entry, &large)?;
        }
        Ok(())
    }

    /// Two routers with one link between them: what passes shares its bandwidth.
    fn pair(&mut self, element: Node<'_, '_>, name: &str, rate: &Rational) -> Result<(usize, usize), FormatError> {
        let at = |mistake| wrong(self.source, element, mistake);
        let entry = self.draft.node(format!("{name}.in"), "link", Role::Switch).map_err(at)?;
        let exit = self.draft.node(format!("{name}.out"), "link", Role::Switch).map_err(at)?;
        self.draft.link(entry, exit, "link", rate.clone()).map_err(at)?;
        self.draft.note(Topic::Merged, "links that several routes share are a pair of routers, NAME.in and NAME.out");
        Ok((entry, exit))
    }

    /// A link between parts of the model, unless it is there.
    fn join(&mut self, element: Node<'_, '_>, from: usize, to: usize, rate: &Rational) -> Result<(), FormatError> {
        if from == to || self.draft.has_link(from, to) {
            return Ok(());
        }
        self.draft.link(from, to, "link", rate.clone()).map_err(|mistake| wrong(self.source, element, mistake))
    }

    fn collect_routes(&mut self, root: Node<'d, 'i>) -> Result<(), FormatError> {
        for element in root.descendants() {
            let keys = match element.tag_name().name() {
                "route" => ["src", "dst"],
                "zoneRoute" | "ASroute" => ["gw_src", "gw_dst"],
                _ => continue,
            };
            let [from, to] = keys.map(|key| -> Result<usize, FormatError> {
                let name = need(self.source, element, key, "the end of the route")?;
                let unknown = || Mistake::UnknownNode { name: clip(name), close: None };
                self.places.get(name).copied().ok_or_else(|| wrong(self.source, element, unknown()))
            });
            let (from, to) = (from?, to?);
            let symmetrical = element.attribute("symmetrical").is_none_or(|text| !text.eq_ignore_ascii_case("no"));
            let mut hops = Vec::new();
            for hop in element.children().filter(|child| child.has_tag_name("link_ctn")) {
                let id = need(self.source, hop, "id", "the link's name")?;
                let down = element_is_down(hop);
                let cable = self.cables.get_mut(id);
                let unknown = || Mistake::Import(format!("there is no link '{}'", clip(id)));
                cable.ok_or_else(|| wrong(self.source, hop, unknown()))?.passes += 1;
                hops.push((id, down));
            }
            self.hops += hops.len();
            if self.hops > MAX_HOPS {
                let mistake =
                    Mistake::TooMany { what: "links on routes", limit: MAX_HOPS, instead: "write fewer routes" };
                return Err(wrong(self.source, element, mistake));
            }
            self.routes.push(Route { element, from, to, hops, symmetrical });
        }
        Ok(())
    }

    fn add_routes(&mut self) -> Result<(), FormatError> {
        for route in std::mem::take(&mut self.routes) {
            self.way(route.element, route.from, route.to, &route.hops)?;
            if route.symmetrical {
                let back: Vec<Hop<'d>> = route.hops.iter().rev().map(|&(id, down)| (id, !down)).collect();
                self.way(route.element, route.to, route.from, &back)?;
            }
        }
        Ok(())
    }

    fn way(&mut self, element: Node<'_, '_>, from: usize, to: usize, hops: &[Hop<'d>]) -> Result<(), FormatError> {
        if hops.is_empty() && from != to {
            let text = "a route without links; write <link_ctn id=\"...\"/>";
            return Err(wrong(self.source, element, Mistake::Import(text.to_string())));
        }
        let mut here = from;
        let mut before: Option<Rational> = None;
        for (place, &(id, down)) in hops.iter().enumerate() {
            let last = place + 1 == hops.len();
            let Some(cable) = self.cables.get(id) else { continue };
            let (rate, sharing, alone) = (cable.rate.clone(), cable.sharing, cable.passes == 1);
            if sharing == Sharing::Fat || (sharing == Sharing::Split && alone) {
                // Nobody else is on this way: the link leads straight on.
                let next = if last { to } else { self.corner(element, here, id, down)? };
                self.join(element, here, next, &rate)?;
                before = None;
                here = next;
                continue;
            }
            let way = if sharing == Sharing::Shared { 0 } else { usize::from(down) };
            let known = cable.ends.get(way).copied().flatten();
            let (entry, exit) = match known {
                Some(ends) => ends,
                None => {
                    let name = if way == 1 { format!("{id}_down") } else { id.to_string() };
                    let ends = self.pair(element, &name, &rate)?;
                    if let Some(slot) = self.cables.get_mut(id).and_then(|cable| cable.ends.get_mut(way)) {
                        *slot = Some(ends);
                    }
                    ends
                }
            };
            self.join(element, here, entry, before.as_ref().unwrap_or(&rate))?;
            before = Some(rate);
            here = exit;
        }
        match before {
            Some(rate) => self.join(element, here, to, &rate),
            None => Ok(()),
        }
    }

    /// A router where a link of one route ends and the next begins.
    fn corner(&mut self, element: Node<'_, '_>, here: usize, id: &str, down: bool) -> Result<usize, FormatError> {
        let from = self.draft.members.get(here).map_or(String::new(), |member| member.name.clone());
        let name = format!("{}.{from}{}", id, if down { ".down" } else { "" });
        if let Some(place) = self.places.get(&name) {
            return Ok(*place);
        }
        let place = self.draft.node(name.as_str(), "link", Role::Switch);
        let place = place.map_err(|mistake| wrong(self.source, element, mistake))?;
        self.places.insert(name, place);
        Ok(place)
    }
}

fn element_is_down(hop: Node<'_, '_>) -> bool {
    hop.attribute("direction").is_some_and(|text| text.eq_ignore_ascii_case("down"))
}

/// SimGrid writes `MBps` and `Mbps` where others write `MB/s` and `Mbit/s`.
fn rate(text: &str) -> Result<Rational, Mistake> {
    let bytes = Units { data: Data::BYTE, time: Time::SECOND, work_is_data: false };
    let text = text.trim();
    let spelt = match text.strip_suffix("Bps").or_else(|| text.strip_suffix("bps")) {
        Some(number) if text.ends_with("Bps") => format!("{number}B/s"),
        Some(number) => format!("{number}bit/s"),
        None => text.to_string(),
    };
    let rate = rate_in(&spelt, bytes)?;
    if rate.is_positive() { Ok(rate) } else { Err(Mistake::NotPositive { what: "a bandwidth", value: clip(text) }) }
}
