//! SimGrid's platform XML (4.1): hosts, routers, links, routes, clusters, zones.
//!
//! Hosts are processors, routers forward. A link that routes share becomes a pair of routers with one link between them
//! of the link's bandwidth, for both directions together if it is SHARED; SPLITDUPLEX links are one such pair per
//! direction. A link alone on one route joins its ends directly. Routes of zones end at their gateways. Clusters are in
//! [`simgrid_cluster`](crate::simgrid_cluster). Latencies and speeds of hosts are left out.
//!
//! Facts from simgrid.org, "Platform reference" (`simgrid.dtd`, version 4.1).

use std::collections::BTreeMap;

use num_traits::Signed;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::units::{Data, Time};
use oneport_platform::{Rational, Units};
use roxmltree::Node;

use crate::draft::{Draft, Role};
use crate::graph::rate_in;
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected, unknown};
use crate::xml::{self, MAX_DEPTH, need, wrong};

/// Most hosts of all clusters.
const MAX_HOSTS: usize = 100_000;
/// Most links of all routes.
const MAX_HOPS: usize = 500_000;

/// How a link's bandwidth is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Both directions share it.
    Shared,
    /// Each direction has it alone.
    Split,
    /// Not at all: each route has it whole.
    Fat,
}

struct Cable {
    rate: Rational,
    sharing: Sharing,
    /// Passes of routes, up and down, to see whether one is alone.
    passes: [usize; 2],
    /// Entry and exit of the pair of routers, per direction: up, down.
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
        let text = format!(
            "version {} is not read; convert the file to 4.1 with simgrid_update_xml",
            clip(version)
        );
        return Err(wrong(source, root, said(text)));
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
    if !reader
        .draft
        .members
        .iter()
        .any(|member| member.role == Role::Processor)
    {
        let text = "there is no <host> and no <cluster> in it; a platform has some (a deployment says what runs where)";
        return Err(wrong(source, root, said(text)));
    }
    reader.collect_routes(root)?;
    reader
        .draft
        .note(Topic::LeftOut, "latencies, and the speeds of hosts");
    reader.add_routes()
}

pub(super) struct Reader<'r, 'o, 'd, 'i, 's> {
    pub(super) source: &'r Source<'s>,
    pub(super) draft: &'r mut Draft<'o>,
    /// Hosts and routers by name.
    places: BTreeMap<String, usize>,
    cables: BTreeMap<&'d str, Cable>,
    routes: Vec<Route<'d, 'i>>,
    hops: usize,
    /// How many hosts there may still be in clusters.
    pub(super) budget: usize,
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// Hosts, routers, links and clusters of a zone and of the zones in it.
    fn zone(&mut self, zone: Node<'d, 'i>, depth: usize) -> Result<(), FormatError> {
        if depth > MAX_DEPTH {
            let mistake = too_many("levels of zones", MAX_DEPTH, "write it flatter");
            return Err(wrong(self.source, zone, mistake));
        }
        for element in zone.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "zone" | "AS" => self.zone(element, depth + 1)?,
                "host" => {
                    let name = need(self.source, element, "id", "the host's name")?;
                    self.node(element, name, true)?;
                }
                "router" => {
                    let name = need(self.source, element, "id", "the router's name")?;
                    self.node(element, name, false)?;
                }
                "link" => self.cable(element)?,
                "cluster" => self.cluster(element)?,
                _ => {}
            }
        }
        self.star(zone)
    }

    /// Adds a host or a router.
    pub(super) fn node(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        is_host: bool,
    ) -> Result<usize, FormatError> {
        let (kind, role) = if is_host {
            ("host", Role::Processor)
        } else {
            ("router", Role::Switch)
        };
        let place = self
            .draft
            .node(name, kind, role)
            .map_err(|mistake| wrong(self.source, element, mistake))?;
        self.places.insert(name.to_string(), place);
        Ok(place)
    }

    /// A host or router that was added before.
    pub(super) fn place(&self, element: Node<'_, '_>, name: &str) -> Result<usize, FormatError> {
        let place = self.places.get(name).copied();
        place.ok_or_else(|| wrong(self.source, element, unknown(name)))
    }

    fn cable(&mut self, element: Node<'d, 'i>) -> Result<(), FormatError> {
        let id = need(self.source, element, "id", "the link's name")?;
        let sharing = self
            .sharing(element, "sharing_policy")?
            .unwrap_or(Sharing::Shared);
        let rate = self.bandwidth(element, "bandwidth")?;
        let cable = Cable {
            rate,
            sharing,
            passes: [0; 2],
            ends: [None, None],
        };
        match self.cables.insert(id, cable) {
            None => Ok(()),
            Some(_) => Err(wrong(
                self.source,
                element,
                Mistake::DuplicateKey(format!("link {}", clip(id))),
            )),
        }
    }

    /// How a link is shared; `None` where the file does not say it.
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
            Some("WIFI") => {
                let text = "links of WIFI are not read: whoever speaks takes the air time of all. Leave them out, or \
                            write SHARED and one bandwidth";
                return Err(wrong(self.source, element, said(text)));
            }
            Some(other) => {
                let expected = "SHARED, SPLITDUPLEX or FATPIPE";
                return Err(wrong(
                    self.source,
                    element,
                    unexpected(clip(other), expected),
                ));
            }
        }))
    }

    /// `125MBps`, `10Gbps`; a plain number is in bytes per second.
    pub(super) fn bandwidth(
        &mut self,
        element: Node<'d, 'i>,
        key: &'static str,
    ) -> Result<Rational, FormatError> {
        let text = need(self.source, element, key, "the bandwidth, such as 125MBps")?;
        let rate = rate(text).map_err(|mistake| wrong(self.source, element, mistake))?;
        Ok(self.draft.stated("link", rate))
    }

    /// Two routers with one link between them: what passes shares its bandwidth.
    pub(super) fn pair(
        &mut self,
        element: Node<'_, '_>,
        name: &str,
        rate: &Rational,
    ) -> Result<(usize, usize), FormatError> {
        let at = |mistake| wrong(self.source, element, mistake);
        let entry = self
            .draft
            .node(format!("{name}.in"), "link", Role::Switch)
            .map_err(at)?;
        let exit = self
            .draft
            .node(format!("{name}.out"), "link", Role::Switch)
            .map_err(at)?;
        self.draft
            .link(entry, exit, "link", rate.clone())
            .map_err(at)?;
        self.draft.note(
            Topic::Merged,
            "links that several routes share are a pair of routers, NAME.in and NAME.out",
        );
        Ok((entry, exit))
    }

    /// A link between parts of the model, unless it is there.
    pub(super) fn join(
        &mut self,
        element: Node<'_, '_>,
        from: usize,
        to: usize,
        rate: &Rational,
    ) -> Result<(), FormatError> {
        if from == to || self.draft.has_link(from, to) {
            return Ok(());
        }
        self.draft
            .link(from, to, "link", rate.clone())
            .map_err(|mistake| wrong(self.source, element, mistake))
    }

    fn collect_routes(&mut self, root: Node<'d, 'i>) -> Result<(), FormatError> {
        for element in root.descendants() {
            let name = element.tag_name().name();
            let keys = match name {
                "route" | "bypassRoute" => ["src", "dst"],
                "zoneRoute" | "ASroute" | "bypassZoneRoute" | "bypassASroute" => {
                    ["gw_src", "gw_dst"]
                }
                _ => continue,
            };
            let [from, to] = keys.map(|key| {
                self.place(
                    element,
                    need(self.source, element, key, "the end of the route")?,
                )
            });
            let (from, to) = (from?, to?);
            let bypass = name.starts_with("bypass");
            if bypass {
                self.draft
                    .note(Topic::Merged, "bypass routes are added to the others");
            }
            let one_way = element
                .attribute("symmetrical")
                .is_some_and(|text| text.eq_ignore_ascii_case("no"));
            let hops = element
                .children()
                .filter(|child| child.has_tag_name("link_ctn"));
            let hops = hops
                .map(|hop| self.hop(hop))
                .collect::<Result<Vec<_>, _>>()?;
            self.route(Route {
                element,
                from,
                to,
                hops,
                symmetrical: !(bypass || one_way),
            })?;
        }
        Ok(())
    }

    fn hop(&self, hop: Node<'d, 'i>) -> Result<Hop<'d>, FormatError> {
        let id = need(self.source, hop, "id", "the link's name")?;
        let down = hop
            .attribute("direction")
            .is_some_and(|text| text.eq_ignore_ascii_case("down"));
        self.half(hop, id, down)
    }

    /// A link by its name. The halves of a split link have names, too.
    fn half(&self, element: Node<'_, '_>, id: &'d str, down: bool) -> Result<Hop<'d>, FormatError> {
        let is_split = |id: &str| {
            self.cables
                .get(id)
                .is_some_and(|cable| cable.sharing == Sharing::Split)
        };
        if self.cables.contains_key(id) {
            return Ok((id, down));
        }
        for (end, down) in [("_UP", false), ("_DOWN", true)] {
            if let Some(whole) = id.strip_suffix(end).filter(|whole| is_split(whole)) {
                return Ok((whole, down));
            }
        }
        Err(wrong(
            self.source,
            element,
            said(format!("there is no link '{}'", clip(id))),
        ))
    }

    /// A route of one link, in one direction.
    pub(super) fn over(
        &mut self,
        element: Node<'d, 'i>,
        id: &'d str,
        (from, to): (usize, usize),
        down: bool,
    ) -> Result<(), FormatError> {
        let hop = self.half(element, id, down)?;
        self.route(Route {
            element,
            from,
            to,
            hops: vec![hop],
            symmetrical: false,
        })
    }

    fn route(&mut self, route: Route<'d, 'i>) -> Result<(), FormatError> {
        self.hops += route.hops.len();
        if self.hops > MAX_HOPS {
            let mistake = too_many("links on routes", MAX_HOPS, "write fewer routes");
            return Err(wrong(self.source, route.element, mistake));
        }
        for (id, down) in &route.hops {
            let Some(cable) = self.cables.get_mut(id) else {
                continue;
            };
            for (way, passes) in cable.passes.iter_mut().enumerate() {
                *passes += usize::from(route.symmetrical || way == usize::from(*down));
            }
        }
        self.routes.push(route);
        Ok(())
    }

    fn add_routes(&mut self) -> Result<(), FormatError> {
        for route in std::mem::take(&mut self.routes) {
            self.way(route.element, route.from, route.to, &route.hops)?;
            if route.symmetrical {
                let back: Vec<Hop<'d>> = route
                    .hops
                    .iter()
                    .rev()
                    .map(|&(id, down)| (id, !down))
                    .collect();
                self.way(route.element, route.to, route.from, &back)?;
            }
        }
        Ok(())
    }

    fn way(
        &mut self,
        element: Node<'_, '_>,
        from: usize,
        to: usize,
        hops: &[Hop<'d>],
    ) -> Result<(), FormatError> {
        if hops.is_empty() && from != to {
            let text = "a route without links; write <link_ctn id=\"...\"/>";
            return Err(wrong(self.source, element, said(text)));
        }
        let mut here = from;
        let mut before: Option<Rational> = None;
        for (place, &(id, down)) in hops.iter().enumerate() {
            let last = place + 1 == hops.len();
            let Some(cable) = self.cables.get(id) else {
                continue;
            };
            let alone = cable.passes.get(usize::from(down)) == Some(&1);
            let (rate, sharing) = (cable.rate.clone(), cable.sharing);
            if sharing == Sharing::Fat || (sharing == Sharing::Split && alone) {
                // No other route uses this direction, or each route has the whole link: the link leads straight on.
                let next = if last {
                    to
                } else {
                    self.corner(element, here, id, down)?
                };
                self.join(element, here, next, &rate)?;
                before = None;
                here = next;
                continue;
            }
            let way = if sharing == Sharing::Shared {
                0
            } else {
                usize::from(down)
            };
            let known = cable.ends.get(way).copied().flatten();
            let (entry, exit) = match known {
                Some(ends) => ends,
                None => {
                    let name = if way == 1 {
                        format!("{id}_down")
                    } else {
                        id.to_string()
                    };
                    let ends = self.pair(element, &name, &rate)?;
                    if let Some(slot) = self
                        .cables
                        .get_mut(id)
                        .and_then(|cable| cable.ends.get_mut(way))
                    {
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
    fn corner(
        &mut self,
        element: Node<'_, '_>,
        here: usize,
        id: &str,
        down: bool,
    ) -> Result<usize, FormatError> {
        let from = self
            .draft
            .members
            .get(here)
            .map_or(String::new(), |member| member.name.clone());
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

/// SimGrid writes `MBps` and `Mbps` where others write `MB/s` and `Mbit/s`.
fn rate(text: &str) -> Result<Rational, Mistake> {
    let bytes = Units {
        data: Data::BYTE,
        time: Time::SECOND,
        work_is_data: false,
    };
    let text = text.trim();
    let spelt = match text
        .strip_suffix("Bps")
        .or_else(|| text.strip_suffix("bps"))
    {
        Some(number) if text.ends_with("Bps") => format!("{number}B/s"),
        Some(number) => format!("{number}bit/s"),
        None => text.to_string(),
    };
    let rate = rate_in(&spelt, bytes)?;
    if rate.is_positive() {
        Ok(rate)
    } else {
        Err(Mistake::NotPositive {
            what: "a bandwidth",
            value: clip(text),
        })
    }
}
