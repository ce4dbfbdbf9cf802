//! Zones, links and routes of a SimGrid platform, and the route between any two of its hosts and routers.
//!
//! A route is found as SimGrid finds it. In the lowest zone that contains both ends, the zone's own route joins the two
//! members that contain them. If such a member is a zone, the route within it leads to or from the gateway that the
//! zone route names. It is found in the same way.
//!
//! Facts from SimGrid, `src/kernel/routing`: `NetZoneImpl.cpp`, `StarZone.cpp`, `TorusZone.cpp`.

use std::collections::BTreeMap;

use oneport_files::error::Mistake;
use oneport_platform::Rational;

use crate::mistakes::too_many;

/// Limit on the routes that form one route: a route in every zone on the path up and down.
const MAX_PARTS: usize = 10_000;

/// A link, or one direction of a link that is split.
pub(super) struct Capacity {
    pub name: String,
    /// GB/s.
    pub rate: Rational,
    /// Seconds.
    pub latency: Rational,
    /// Whether each transfer has the whole rate (FATPIPE).
    pub fat: bool,
}

/// The kind of a point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Host,
    Router,
    /// A zone by its number.
    Zone(usize),
}

/// A host, a router or a zone within another: SimGrid's netpoint.
pub(super) struct Point {
    pub name: String,
    /// The zone that contains it directly.
    pub zone: usize,
    pub kind: Kind,
}

/// A route of a zone between two of its members.
#[derive(Clone, Default)]
pub(super) struct Stretch {
    /// Capacities, each as often as it is passed.
    pub loads: Vec<usize>,
    /// The gateways by which the route leaves the first member and enters the second, if they are zones.
    pub gates: [Option<usize>; 2],
}

/// Connections of a zone's members.
pub(super) enum Routing {
    /// A route per ordered pair. Pairs without a route are absent.
    Pairs(BTreeMap<(usize, usize), Stretch>),
    /// Like [`Pairs`](Self::Pairs), but an absent route between hosts and routers is a part without links of the routes
    /// that need it.
    Full(BTreeMap<(usize, usize), Stretch>),
    /// A list from each member to the others, and one to it. A route counts each link once.
    Star(BTreeMap<usize, [Vec<usize>; 2]>),
    /// Hosts in a grid whose rows are rings.
    Torus(Torus),
}

/// The hosts of a torus have consecutive points.
pub(super) struct Torus {
    pub first: usize,
    pub sizes: Vec<usize>,
    /// Per host and dimension: the link to the next host, in both directions.
    pub links: Vec<[usize; 2]>,
    /// Per host: its limiter. Empty in a torus without limiters.
    pub limiters: Vec<usize>,
}

/// A zone.
pub(super) struct Zone {
    pub name: String,
    /// The zone around it. `None` for the platform.
    pub parent: Option<usize>,
    /// The zone as a member of its parent.
    pub point: Option<usize>,
    pub members: Vec<usize>,
    pub routing: Routing,
    /// Routes that replace routes of `routing`, by hosts or by zones of any depth.
    pub bypasses: BTreeMap<(usize, usize), Stretch>,
}

/// A platform.
pub(super) struct Zones {
    pub points: Vec<Point>,
    /// Each zone comes before the zones in it. The first is the platform.
    pub zones: Vec<Zone>,
    pub capacities: Vec<Capacity>,
}

impl Torus {
    fn steps(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let strides = self.sizes.iter().scan(1, |stride, size| {
            let here = *stride;
            *stride *= size;
            Some(here)
        });
        let dimensions = self.sizes.iter().zip(strides).enumerate();
        dimensions.map(|(dimension, (&size, stride))| (dimension, size, stride))
    }

    /// The next host in every dimension, by their numbers from 0. The last one of a ring leads to the first.
    pub(crate) fn next(&self, host: usize) -> Vec<usize> {
        self.turned(host, |at, _| at + 1)
    }

    /// The hosts that links join to a host.
    pub(crate) fn neighbours(&self, host: usize) -> Vec<usize> {
        let mut all = self.next(host);
        all.extend(self.turned(host, |at, size| at + size - 1));
        all.sort_unstable();
        all.dedup();
        all.retain(|&other| other != host);
        all
    }

    fn turned(&self, host: usize, turn: fn(usize, usize) -> usize) -> Vec<usize> {
        let turned = |(_, size, stride): (usize, usize, usize)| {
            let at = host / stride % size;
            host - at * stride + turn(at, size) % size * stride
        };
        self.steps().map(turned).collect()
    }

    /// Dimension after dimension. The coordinates of the first host determine the direction around the ring.
    fn loads(&self, from: usize, to: usize) -> Vec<usize> {
        let mut loads = Vec::new();
        let mut here = from;
        for (dimension, size, stride) in self.steps() {
            let coordinate = |host: usize| host / stride % size;
            let (start, goal) = (coordinate(from), coordinate(to));
            let forward = (start < goal && goal <= start + size / 2)
                || (start > size / 2 && (start + size / 2) % size >= goal);
            while coordinate(here) != goal {
                let base = here - coordinate(here) * stride;
                let next = if forward {
                    base + (coordinate(here) + 1) % size * stride
                } else {
                    base + (coordinate(here) + size - 1) % size * stride
                };
                let owner = if forward { here } else { next };
                loads.extend(self.limiters.get(here));
                let link = self.links.get(owner * self.sizes.len() + dimension);
                loads.extend(link.and_then(|ways| ways.get(usize::from(!forward))));
                here = next;
            }
        }
        loads.extend(self.limiters.get(to));
        loads
    }
}

impl Zones {
    pub(crate) fn new() -> Self {
        Zones {
            points: Vec::new(),
            zones: Vec::new(),
            capacities: Vec::new(),
        }
    }

    /// Adds a member to a zone.
    pub(crate) fn member(&mut self, name: String, zone: usize, kind: Kind) -> usize {
        let point = self.points.len();
        self.points.push(Point { name, zone, kind });
        if let Some(zone) = self.zones.get_mut(zone) {
            zone.members.push(point);
        }
        point
    }

    /// Adds a zone. `parent` is absent for the platform only.
    pub(crate) fn zone(&mut self, name: String, parent: Option<usize>, routing: Routing) -> usize {
        let zone = self.zones.len();
        let point = parent.map(|parent| self.member(name.clone(), parent, Kind::Zone(zone)));
        self.zones.push(Zone {
            name,
            parent,
            point,
            members: Vec::new(),
            routing,
            bypasses: BTreeMap::new(),
        });
        zone
    }

    pub(crate) fn capacity(&mut self, capacity: Capacity) -> usize {
        self.capacities.push(capacity);
        self.capacities.len() - 1
    }

    pub(crate) fn name(&self, point: usize) -> &str {
        self.points.get(point).map_or("", |point| &point.name)
    }

    /// The zone of a point, if it is a zone.
    pub(crate) fn inside(&self, point: usize) -> Option<usize> {
        match self.points.get(point)?.kind {
            Kind::Zone(zone) => Some(zone),
            Kind::Host | Kind::Router => None,
        }
    }

    pub(crate) fn is_host(&self, point: usize) -> bool {
        let kind = self.points.get(point).map(|point| point.kind);
        kind == Some(Kind::Host)
    }

    /// The zone's member that is the point or contains it.
    pub(crate) fn member_of(&self, zone: usize, point: usize) -> Option<usize> {
        let mut here = point;
        loop {
            let around = self.points.get(here)?.zone;
            if around == zone {
                return Some(here);
            }
            here = self.zones.get(around)?.point?;
        }
    }

    /// Zones around a point, from the lowest to the platform.
    fn around(&self, point: usize) -> Vec<usize> {
        let lowest = self.points.get(point).map(|point| point.zone);
        let parent = |zone: &usize| self.zones.get(*zone).and_then(|zone| zone.parent);
        std::iter::successors(lowest, parent).collect()
    }

    /// The capacities that a message between two hosts or routers loads, each as often as it is passed. `None` if there
    /// is no route. Between two hosts, an empty list means that there is no connection.
    ///
    /// # Errors
    /// A route of too many parts.
    pub(crate) fn route(&self, from: usize, to: usize) -> Result<Option<Vec<usize>>, Mistake> {
        let mut walk = Walk {
            zones: self,
            loads: Vec::new(),
            parts: 0,
        };
        let found = walk.extend(from, to)?;
        Ok(found.then_some(walk.loads))
    }

    /// The route between two members of a zone.
    pub(crate) fn stretch(&self, zone: usize, from: usize, to: usize) -> Option<Stretch> {
        let none: [Vec<usize>; 2] = Default::default();
        match &self.zones.get(zone)?.routing {
            Routing::Pairs(pairs) => pairs.get(&(from, to)).cloned(),
            Routing::Full(pairs) => {
                let inner = self.inside(from).or(self.inside(to)).is_some();
                let known = pairs.get(&(from, to)).cloned();
                known.or_else(|| (!inner).then(Stretch::default))
            }
            Routing::Star(lists) => {
                // The file does not define the point at which a route would enter or leave a zone.
                if self.inside(from).or(self.inside(to)).is_some() {
                    return None;
                }
                let [up, _] = lists.get(&from).unwrap_or(&none);
                let [_, down] = lists.get(&to).unwrap_or(&none);
                let mut loads = Vec::new();
                for &load in up.iter().chain(down) {
                    if !loads.contains(&load) {
                        loads.push(load);
                    }
                }
                Some(Stretch {
                    loads,
                    gates: [None; 2],
                })
            }
            Routing::Torus(torus) => {
                let index = |point: usize| point.checked_sub(torus.first);
                Some(Stretch {
                    loads: torus.loads(index(from)?, index(to)?),
                    gates: [None; 2],
                })
            }
        }
    }

    /// Whether a bypass leads from or to a zone within a member, which replaces routes of some hosts of the member
    /// only.
    pub(crate) fn has_deep_bypass(&self) -> bool {
        self.zones.iter().enumerate().any(|(number, zone)| {
            let inside = |point: usize| self.points.get(point).map(|point| point.zone);
            let mut ends = zone.bypasses.keys().flat_map(|&(from, to)| [from, to]);
            ends.any(|end| inside(end) != Some(number))
        })
    }

    /// The bypass that a zone has for a route between two points of it.
    fn bypass(&self, zone: usize, from: usize, to: usize) -> Option<&Stretch> {
        let bypasses = &self.zones.get(zone)?.bypasses;
        if bypasses.is_empty() {
            return None;
        }
        let direct = |point: usize| self.points.get(point).map(|point| point.zone) == Some(zone);
        if direct(from) && direct(to) {
            return bypasses.get(&(from, to));
        }
        // Zones below this one, as members, from the lowest.
        let path = |point: usize| -> Vec<usize> {
            let below = self.around(point).into_iter().take_while(|&at| at != zone);
            below.filter_map(|at| self.zones.get(at)?.point).collect()
        };
        let (sources, targets) = (path(from), path(to));
        let find = |source: usize, target: usize| {
            bypasses.get(&(*sources.get(source)?, *targets.get(target)?))
        };
        (0..sources.len().max(targets.len())).find_map(|most| {
            (0..most)
                .find_map(|less| find(less, most).or_else(|| find(most, less)))
                .or_else(|| find(most, most))
        })
    }
}

/// A route under construction.
struct Walk<'z> {
    zones: &'z Zones,
    loads: Vec<usize>,
    parts: usize,
}

impl Walk<'_> {
    /// Appends the route between two hosts or routers. Returns false if no route exists.
    fn extend(&mut self, from: usize, to: usize) -> Result<bool, Mistake> {
        if from == to {
            return Ok(true);
        }
        self.parts += 1;
        if self.parts > MAX_PARTS {
            let instead = "write zones that are nested less deeply";
            return Err(too_many("parts of one route", MAX_PARTS, instead));
        }
        let Some((stretch, [first, last])) = self.middle(from, to) else {
            return Ok(false);
        };
        if !self.extend(from, first)? {
            return Ok(false);
        }
        self.loads.extend(stretch.loads);
        self.extend(last, to)
    }

    /// The route of the lowest zone around both ends, and the points between which it leads.
    fn middle(&self, from: usize, to: usize) -> Option<(Stretch, [usize; 2])> {
        let zones = self.zones;
        let around = zones.around(to);
        let mut common = zones.around(from).into_iter();
        let zone = common.find(|zone| around.contains(zone))?;
        let ends = [from, to];
        if let Some(bypass) = zones.bypass(zone, from, to) {
            let gate = |side: usize| bypass.gates.get(side).copied().flatten();
            return Some((
                bypass.clone(),
                [gate(0).unwrap_or(from), gate(1).unwrap_or(to)],
            ));
        }
        let members = ends.map(|end| zones.member_of(zone, end));
        let (one, other) = (members[0]?, members[1]?);
        let stretch = zones.stretch(zone, one, other)?;
        let gate = |side: usize, member: usize, end: usize| match zones.inside(member) {
            Some(_) => stretch.gates.get(side).copied().flatten(),
            None => Some(end),
        };
        let gates = [gate(0, one, from)?, gate(1, other, to)?];
        Some((stretch, gates))
    }
}
