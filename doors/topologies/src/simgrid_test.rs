//! The criterion of [`simgrid_stages`](crate::simgrid_stages) on platforms of every kind, and on random nests of zones.

use oneport_files::source::Source;
use oneport_testkit::Dice;
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

/// From each host to each other, one path of stages with the loads of the route, or none if no link is on the route.
/// Hosts of a torus are between hosts of its routes. Returns the number of pairs that have a route.
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
                (false, []) => torus && by_neighbours(&zones, &drawn, [from, to], &route),
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

/// A route of a torus: a link to a neighbour, and the route from there.
fn by_neighbours(
    zones: &Zones,
    drawn: &crate::simgrid_net::Paths,
    [from, to]: [usize; 2],
    route: &[usize],
) -> bool {
    let next = drawn.iter().filter(|((start, _), _)| *start == from);
    let rest = |middle: usize| zones.route(middle, to).ok().flatten().unwrap_or_default();
    next.into_iter().any(|(&(_, middle), paths)| {
        let first = paths.first().cloned().unwrap_or_default();
        let mut whole = [first, rest(middle)].concat();
        whole.sort_unstable();
        paths.len() == 1 && whole == route
    })
}

/// Writes random platforms.
struct Writer {
    dice: Dice,
    names: usize,
    text: String,
}

impl Writer {
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
            let policy = match self.dice.below(40) {
                0 => "FATPIPE",
                1..15 => "SPLITDUPLEX",
                _ => "SHARED",
            };
            let rate = 1 + self.dice.below(9);
            self.put(&format!(
                "<link id=\"{name}\" bandwidth=\"{rate}GBps\" latency=\"{rate}us\" sharing_policy=\"{policy}\"/>"
            ));
            links.push((name, policy == "SPLITDUPLEX"));
        }
        links
    }

    fn hops(&mut self, links: &[(String, bool)]) -> String {
        let mut hops = String::new();
        for _ in 0..1 + self.dice.below(3) {
            let (name, split) = &links[self.dice.below(links.len())];
            let direction = match (split, self.dice.below(2)) {
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
        match self.dice.below(if depth == 0 { 4 } else { 7 }) {
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
        let last = self.dice.below(3);
        let backbone = ["", " bb_bw=\"3GBps\" bb_lat=\"2us\""][self.dice.below(2)];
        let limiter = ["", " limiter_link=\"2GBps\""][self.dice.below(2)];
        let policy = ["", " sharing_policy=\"SHARED\""][self.dice.below(2)];
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
        let mut gates: Vec<String> = (0..1 + self.dice.below(4))
            .map(|_| self.name("h"))
            .collect();
        let count = 1 + self.dice.below(3);
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
                links[self.dice.below(count)].clone(),
                links[self.dice.below(count)].clone(),
            );
            self.put(&format!(
                "<host_link id=\"{host}\" up=\"{up}\" down=\"{down}\"/>"
            ));
        }
        if self.dice.below(2) == 0 {
            let backbone = self.name("b");
            self.put(&format!(
                "<backbone id=\"{backbone}\" bandwidth=\"4GBps\" latency=\"1us\"/>"
            ));
        }
        if self.dice.below(2) == 0 {
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
        let mut gates: Vec<String> = (0..1 + self.dice.below(4))
            .map(|_| self.name("h"))
            .collect();
        for host in &gates {
            self.put(&format!("<host id=\"{host}\" speed=\"1f\"/>"));
        }
        let router = self.name("r");
        self.put(&format!("<router id=\"{router}\"/>"));
        gates.push(router);
        let links = self.links(3);
        for (index, from) in gates.iter().enumerate() {
            for to in &gates[index + 1..] {
                if self.dice.below(5) > 0 {
                    let hops = self.hops(&links);
                    let way = ["", " symmetrical=\"NO\""][self.dice.below(2)];
                    self.put(&format!(
                        "<route src=\"{from}\" dst=\"{to}\"{way}>{hops}</route>"
                    ));
                }
                if self.dice.below(8) == 0 {
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
        let floyd = floyd && self.dice.below(2) == 0;
        let routing = if floyd { "Floyd" } else { "Full" };
        self.put(&format!("<zone id=\"{zone}\" routing=\"{routing}\">"));
        let mut members = Vec::new();
        for _ in 0..2 + self.dice.below(2) {
            members.push(self.zone(depth - 1, floyd));
        }
        let links = self.links(3);
        for index in 0..members.len() {
            for other in index + 1..members.len() {
                let ends = format!("src=\"{}\" dst=\"{}\"", members[index].0, members[other].0);
                for kind in ["zoneRoute", "bypassZoneRoute"] {
                    let gates = [index, other].map(|at| {
                        let mut gates = members[at].1.clone();
                        if kind != "zoneRoute" {
                            gates.retain(|gate| gate.starts_with('r') || gate.ends_with("_router"));
                        }
                        let index = self.dice.below(gates.len().max(1));
                        gates.get(index).cloned()
                    });
                    let [Some(left), Some(entered)] = gates else {
                        continue;
                    };
                    let hops = self.hops(&links);
                    let way = ["", "", " symmetrical=\"NO\""][self.dice.below(3)];
                    let way = if kind == "zoneRoute" { way } else { "" };
                    if (kind == "zoneRoute") == (self.dice.below(6) > 0) {
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
        dice: Dice::new(seed),
        names: 0,
        text: String::new(),
    };
    writer.put("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">");
    writer.dice.below(2);
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

fn cluster(topology: &str, parameters: &str, hosts: usize, more: &str) -> String {
    format!(
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" \
         topology=\"{topology}\" topo_parameters=\"{parameters}\" {more}/>",
        hosts - 1
    )
}

/// Two hosts behind a link each, and clusters of every topology with a gateway that is one of their hosts.
#[test]
fn clusters_are_drawn_as_their_routes() {
    let limiter = "limiter_link=\"3GBps\" sharing_policy=\"SHARED\"";
    for (topology, parameters, hosts) in [
        ("FLAT", "", 4),
        ("TORUS", "3,2", 6),
        ("FAT_TREE", "2;3,2;2,2;1,2", 6),
        ("DRAGONFLY", "2,1;2,1;2,1;2", 16),
    ] {
        for more in ["", limiter] {
            let cluster = cluster(topology, parameters, hosts, more);
            let text = format!(
                "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\"><zone id=\"pair\" routing=\"Floyd\"><host id=\"a\"/>\
                 <router id=\"r\"/><host id=\"b\"/><link id=\"x\" bandwidth=\"1GBps\"/><link id=\"y\" bandwidth=\"1GBps\"/>\
                 <route src=\"a\" dst=\"r\"><link_ctn id=\"x\"/></route><route src=\"r\" dst=\"b\"><link_ctn id=\"y\"/></route></zone>\
                 {cluster}<link id=\"z\" bandwidth=\"1GBps\"/><zoneRoute src=\"pair\" dst=\"c\" gw_src=\"r\" gw_dst=\"n1\">\
                 <link_ctn id=\"z\"/></zoneRoute></zone></platform>"
            );
            let routes = check(&text).unwrap_or_else(|error| panic!("{topology} {more}: {error}"));
            assert_eq!(routes, (hosts + 2) * (hosts + 1), "{topology} {more}");
        }
    }
}

/// A bypass between zones within members: the other hosts of these members keep their routes.
#[test]
fn deep_bypasses_are_drawn_as_their_routes() {
    let zone = |name: &str| {
        format!(
            "<cluster id=\"{name}\" prefix=\"{name}\" suffix=\"\" radical=\"0-1\" speed=\"1f\" bw=\"1GBps\" lat=\"1us\"/>"
        )
    };
    let route = |kind: &str, one: &str, other: &str, [left, right]: [&str; 2], link: &str| {
        format!(
            "<{kind} src=\"{one}\" dst=\"{other}\" gw_src=\"{left}{left}_router\" gw_dst=\"{right}{right}_router\">\
             <link_ctn id=\"{link}\"/></{kind}>"
        )
    };
    let outer = |name: &str, one: &str, other: &str, link: &str| {
        format!(
            "<zone id=\"{name}\" routing=\"Full\">{}{}{}</zone>",
            zone(one),
            zone(other),
            route("zoneRoute", one, other, [one, other], link)
        )
    };
    let links: String = ["l", "m", "n", "o"]
        .map(|name| format!("<link id=\"{name}\" bandwidth=\"1GBps\"/>"))
        .concat();
    let text = format!(
        "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">{links}{}{}{}{}</zone></platform>",
        outer("left", "a", "b", "l"),
        outer("right", "c", "d", "m"),
        route("zoneRoute", "left", "right", ["a", "c"], "n"),
        route("bypassZoneRoute", "b", "d", ["b", "d"], "o"),
    );
    assert_eq!(check(&text), Ok(8 * 7));
    let zones = zones_of(&text).expect("zones");
    let find = |name: &str| {
        zones
            .points
            .iter()
            .position(|point| point.name == name)
            .expect("a point")
    };
    let route = |from: &str, to: &str| {
        let loads = zones
            .route(find(from), find(to))
            .expect("few parts")
            .expect("a route");
        let name = |load: usize| zones.capacities[load].name.clone();
        loads.into_iter().map(name).collect::<Vec<_>>().join(" ")
    };
    // Only from b to d, and only in this direction.
    assert_eq!(route("b0", "d1"), "b_link_0_UP o d_link_1_DOWN");
    assert_eq!(route("d1", "b0"), "d_link_1_UP m n l b_link_0_DOWN");
    assert_eq!(route("b0", "c1"), "b_link_0_UP l n c_link_1_DOWN");
}

/// Routes that SimGrid 3.32 gives for its own cluster_dragonfly.xml (`Host::route_to`), by our names of links.
#[test]
fn dragonflies_have_the_routes_of_simgrid() {
    let cluster = cluster(
        "DRAGONFLY",
        "3,4;4,3;5,1;2",
        120,
        "limiter_link=\"150MBps\"",
    );
    let zones =
        zones_of(&format!("<platform version=\"4.1\">{cluster}</platform>")).expect("zones");
    let find = |name: &str| {
        zones
            .points
            .iter()
            .position(|point| point.name == name)
            .expect("a point")
    };
    for (from, to, names) in [
        (
            "n10",
            "n14",
            "c_link_10_limiter c_link_10_UP c_router5_limiter c_link_5_7_UP c_router2_limiter c_link_2_7_UP \
             c_router7_limiter c_link_14_DOWN c_link_14_limiter",
        ),
        (
            "n10",
            "n103",
            "c_link_10_limiter c_link_10_UP c_router5_limiter c_link_5_7_UP c_router7_limiter c_link_2_7_DOWN \
             c_link_2_40_UP c_router2_limiter c_router40_limiter c_link_40_41_UP c_router41_limiter c_link_41_51_UP \
             c_router51_limiter c_link_103_DOWN c_link_103_limiter",
        ),
    ] {
        let loads = zones
            .route(find(from), find(to))
            .expect("few parts")
            .expect("a route");
        let mut ours: Vec<&str> = loads
            .iter()
            .map(|&load| zones.capacities[load].name.as_str())
            .collect();
        let mut theirs: Vec<&str> = names.split_whitespace().collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
    }
}

/// Checks the platforms of at most 100 hosts in a folder: the names of their files.
fn drawn_as_their_routes(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
    let mut checked = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !text.contains("<platform") {
            continue;
        }
        let Ok(zones) = zones_of(&text) else { continue };
        let points = 0..zones.points.len();
        if points.filter(|&point| zones.is_host(point)).count() <= 100 {
            check(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            checked.extend(path.file_name().map(|name| name.to_owned()));
        }
    }
    checked
}

#[test]
fn fixtures_are_drawn_as_their_routes() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let checked = drawn_as_their_routes(&root.join("fixtures/topologies"));
    assert!(
        checked.iter().any(|name| name == "simgrid-zones.xml"),
        "{checked:?}"
    );
}

#[test]
#[ignore = "needs data simgrid_platforms"]
fn simgrids_own_platforms_are_drawn_as_their_routes() {
    let checked = drawn_as_their_routes(&oneport_testkit::data("simgrid_platforms"));
    assert!(checked.len() > 5, "{checked:?}");
}
