//! The criterion of [`simgrid_stages`](crate::simgrid_stages) on platforms of every kind, and on random nests of zones.

use oneport_files::source::Source;
use proptest::prelude::*;

use crate::ImportOptions;
use crate::draft::Draft;
use crate::simgrid::read_zones;
use crate::simgrid_stages::paths;
use crate::simgrid_zones::{Routing, Zones};

fn zones_of(text: &str) -> Result<Zones, String> {
    let options = ImportOptions::default();
    let mut draft = Draft::new(&options);
    let source = Source::new("file", text.as_bytes(), "a platform");
    let source = source.map_err(|error| error.to_string())?;
    read_zones(&source, &mut draft).map_err(|error| error.to_string())
}

/// From each host to each other, one path of stages with the loads of the route; none if no link is on the way. Hosts
/// of a torus stand between hosts of its routes. Returns how many pairs have a route.
fn check(text: &str) -> Result<usize, String> {
    let zones = zones_of(text)?;
    let drawn = paths(&zones).map_err(|error| error.to_string())?;
    let torus = |zone: &crate::simgrid_zones::Zone| matches!(zone.routing, Routing::Torus(_));
    let torus = zones.zones.iter().any(torus);
    let hosts: Vec<usize> = (0..zones.points.len())
        .filter(|&point| zones.is_host(point))
        .collect();
    let mut routes = 0;
    for &from in &hosts {
        for &to in hosts.iter().filter(|&&to| to != from) {
            let route = zones.route(from, to).map_err(|error| error.to_string())?;
            let mut route = route.unwrap_or_default();
            route.sort_unstable();
            let found = drawn.get(&(from, to)).cloned().unwrap_or_default();
            routes += usize::from(!route.is_empty());
            let right = match (route.is_empty(), found.as_slice()) {
                (true, []) => true,
                (false, [one]) => *one == route,
                (false, []) => torus,
                _ => false,
            };
            if !right {
                let names = |loads: &[usize]| -> Vec<String> {
                    let name = |&load: &usize| zones.capacities[load].name.clone();
                    loads.iter().map(name).collect()
                };
                return Err(format!(
                    "{} -> {}: route {:?}, paths {:?}",
                    zones.name(from),
                    zones.name(to),
                    names(&route),
                    found.iter().map(|loads| names(loads)).collect::<Vec<_>>()
                ));
            }
        }
    }
    Ok(routes)
}

/// Writes random platforms.
struct Writer {
    state: u64,
    names: usize,
    text: String,
}

impl Writer {
    fn below(&mut self, most: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % most
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Links: their names and whether they are split.
    fn links(&mut self, count: usize) -> Vec<(String, bool)> {
        let mut links = Vec::new();
        for _ in 0..count {
            let name = self.name("l");
            // FATPIPE links between stages have all routes drawn one by one.
            let policy = match self.below(40) {
                0 => "FATPIPE",
                1..15 => "SPLITDUPLEX",
                _ => "SHARED",
            };
            let rate = 1 + self.below(9);
            self.put(&format!(
                "<link id=\"{name}\" bandwidth=\"{rate}GBps\" latency=\"{rate}us\" sharing_policy=\"{policy}\"/>"
            ));
            links.push((name, policy == "SPLITDUPLEX"));
        }
        links
    }

    fn hops(&mut self, links: &[(String, bool)]) -> String {
        let mut hops = String::new();
        for _ in 0..1 + self.below(3) {
            let (name, split) = &links[self.below(links.len())];
            let direction = match (split, self.below(2)) {
                (false, _) => "",
                (true, 0) => " direction=\"UP\"",
                (true, _) => " direction=\"DOWN\"",
            };
            hops.push_str(&format!("<link_ctn id=\"{name}\"{direction}/>"));
        }
        hops
    }

    /// A zone: its name, and the hosts and routers that may be gateways.
    fn zone(&mut self, depth: usize, floyd: bool) -> (String, Vec<String>) {
        match self.below(if depth == 0 { 4 } else { 7 }) {
            0 => self.cluster(),
            1 => self.star(),
            2 => self.hosts(),
            3 => {
                let (zone, host) = (self.name("z"), self.name("h"));
                self.put(&format!(
                    "<zone id=\"{zone}\" routing=\"None\"><host id=\"{host}\" speed=\"1f\"/></zone>"
                ));
                (zone, vec![host])
            }
            _ => self.nest(depth, floyd),
        }
    }

    fn cluster(&mut self) -> (String, Vec<String>) {
        let zone = self.name("c");
        let last = self.below(3);
        let backbone = ["", " bb_bw=\"3GBps\" bb_lat=\"2us\""][self.below(2)];
        let limiter = ["", " limiter_link=\"2GBps\""][self.below(2)];
        let policy = ["", " sharing_policy=\"SHARED\""][self.below(2)];
        self.put(&format!(
            "<cluster id=\"{zone}\" prefix=\"{zone}-\" suffix=\"\" radical=\"0-{last}\" speed=\"1f\" bw=\"1GBps\" \
             lat=\"1us\"{backbone}{limiter}{policy}/>"
        ));
        let mut gates: Vec<String> = (0..=last).map(|host| format!("{zone}-{host}")).collect();
        gates.push(format!("{zone}-{zone}_router"));
        (zone, gates)
    }

    fn star(&mut self) -> (String, Vec<String>) {
        let zone = self.name("s");
        self.put(&format!("<zone id=\"{zone}\" routing=\"Cluster\">"));
        let mut gates: Vec<String> = (0..1 + self.below(4)).map(|_| self.name("h")).collect();
        let count = 1 + self.below(3);
        let links: Vec<String> = (0..count).map(|_| self.name("l")).collect();
        for host in &gates {
            self.put(&format!("<host id=\"{host}\" speed=\"1f\"/>"));
        }
        for link in &links {
            self.put(&format!(
                "<link id=\"{link}\" bandwidth=\"2GBps\" latency=\"1us\"/>"
            ));
        }
        for host in &gates {
            let (up, down) = (
                links[self.below(count)].clone(),
                links[self.below(count)].clone(),
            );
            self.put(&format!(
                "<host_link id=\"{host}\" up=\"{up}\" down=\"{down}\"/>"
            ));
        }
        if self.below(2) == 0 {
            let backbone = self.name("b");
            self.put(&format!(
                "<backbone id=\"{backbone}\" bandwidth=\"4GBps\" latency=\"1us\"/>"
            ));
        }
        if self.below(2) == 0 {
            self.put(&format!(
                "<cabinet id=\"k\" prefix=\"{zone}-k\" suffix=\"\" speed=\"1f\" bw=\"1GBps\" lat=\"1us\" radical=\"0-1\"/>"
            ));
        }
        let router = self.name("r");
        self.put(&format!("<router id=\"{router}\"/></zone>"));
        gates.push(router);
        (zone, gates)
    }

    /// Hosts and a router with routes between most of them.
    fn hosts(&mut self) -> (String, Vec<String>) {
        let zone = self.name("f");
        self.put(&format!("<zone id=\"{zone}\" routing=\"Full\">"));
        let mut gates: Vec<String> = (0..1 + self.below(4)).map(|_| self.name("h")).collect();
        for host in &gates {
            self.put(&format!("<host id=\"{host}\" speed=\"1f\"/>"));
        }
        let router = self.name("r");
        self.put(&format!("<router id=\"{router}\"/>"));
        gates.push(router);
        let links = self.links(3);
        for (place, from) in gates.iter().enumerate() {
            for to in &gates[place + 1..] {
                if self.below(5) > 0 {
                    let hops = self.hops(&links);
                    let way = ["", " symmetrical=\"NO\""][self.below(2)];
                    self.put(&format!(
                        "<route src=\"{from}\" dst=\"{to}\"{way}>{hops}</route>"
                    ));
                }
                if self.below(8) == 0 {
                    let hops = self.hops(&links);
                    self.put(&format!(
                        "<bypassRoute src=\"{from}\" dst=\"{to}\">{hops}</bypassRoute>"
                    ));
                }
            }
        }
        self.put("</zone>");
        (zone, gates)
    }

    fn nest(&mut self, depth: usize, floyd: bool) -> (String, Vec<String>) {
        let zone = self.name("n");
        let floyd = floyd && self.below(2) == 0;
        let routing = if floyd { "Floyd" } else { "Full" };
        self.put(&format!("<zone id=\"{zone}\" routing=\"{routing}\">"));
        let mut members = Vec::new();
        for _ in 0..2 + self.below(2) {
            members.push(self.zone(depth - 1, floyd));
        }
        let links = self.links(3);
        for place in 0..members.len() {
            for other in place + 1..members.len() {
                let ends = format!("src=\"{}\" dst=\"{}\"", members[place].0, members[other].0);
                for kind in ["zoneRoute", "bypassZoneRoute"] {
                    let gates = [place, other].map(|at| {
                        let mut gates = members[at].1.clone();
                        if kind != "zoneRoute" {
                            gates.retain(|gate| gate.starts_with('r') || gate.ends_with("_router"));
                        }
                        let place = self.below(gates.len().max(1));
                        gates.get(place).cloned()
                    });
                    let [Some(left), Some(entered)] = gates else {
                        continue;
                    };
                    let hops = self.hops(&links);
                    let way = ["", "", " symmetrical=\"NO\""][self.below(3)];
                    let way = if kind == "zoneRoute" { way } else { "" };
                    if (kind == "zoneRoute") == (self.below(6) > 0) {
                        self.put(&format!(
                            "<{kind} {ends} gw_src=\"{left}\" gw_dst=\"{entered}\"{way}>{hops}</{kind}>"
                        ));
                    }
                }
            }
        }
        self.put("</zone>");
        let gates = members.into_iter().flat_map(|(_, gates)| gates).collect();
        (zone, gates)
    }
}

/// A platform of zones in zones, up to four deep.
fn nest(seed: u64, floyd: bool) -> String {
    let mut writer = Writer {
        state: seed,
        names: 0,
        text: String::new(),
    };
    writer.put("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">");
    writer.below(2);
    writer.nest(3, floyd);
    writer.put("</platform>");
    writer.text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn nests_are_drawn_as_their_routes(seed in any::<u64>()) {
        let text = nest(seed, true);
        if let Err(error) = check(&text) {
            prop_assert!(false, "{error}\n{text}");
        }
    }
}
