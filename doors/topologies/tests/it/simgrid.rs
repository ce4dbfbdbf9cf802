//! SimGrid's platforms: links, latencies and shared capacities by hand. That routes are SimGrid's own, and that the
//! drawing has no others, is tested inside the crate.

use oneport_testkit::whole;
use oneport_topologies::{ImportOptions, Platform, Topic};

use crate::{
    check_whole, cluster, import, rate, reached, refused, replicated, samples, says, try_import,
};

/// Two hosts over separate links and a shared one, and a cluster of two behind a gateway.
const SIMGRID: &str = r#"<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="all" routing="Full">
<zone id="lan" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="la" bandwidth="125MBps" latency="1us"/><link id="lb" bandwidth="2Gbps" latency="1us" sharing_policy="SPLITDUPLEX"/>
<link id="lc" bandwidth="1GBps" sharing_policy="SPLITDUPLEX"/>
<route src="a" dst="b"><link_ctn id="la"/><link_ctn id="lb" direction="UP"/></route>
<route src="a" dst="c"><link_ctn id="la"/></route>
<route src="b" dst="c" symmetrical="NO"><link_ctn id="lc" direction="UP"/></route>
</zone>
<cluster id="cl" prefix="n-" suffix=".x" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" bb_bw="4GBps" bb_lat="1us"/>
<link id="wide" bandwidth="10GBps" latency="3us" sharing_policy="FATPIPE"/>
<zoneRoute src="lan" dst="cl" gw_src="a" gw_dst="n-cl_router.x"><link_ctn id="wide"/></zoneRoute>
</zone></platform>"#;

/// A zone of routes among hosts a, b, c.
fn full(links: &str, routes: &str) -> String {
    format!(
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"a\"/><host id=\"b\"/><host id=\"c\"/>{links}{routes}\
         </zone></platform>"
    )
}

fn link(id: &str, rate: &str, policy: &str) -> String {
    format!("<link id=\"{id}\" bandwidth=\"{rate}\" latency=\"1us\" sharing_policy=\"{policy}\"/>")
}

fn route(from: &str, to: &str, links: &[&str]) -> String {
    let hops: String = links
        .iter()
        .map(|id| format!("<link_ctn id=\"{id}\"/>"))
        .collect();
    format!("<route src=\"{from}\" dst=\"{to}\">{hops}</route>")
}

/// A shared capacity: its rate and its links, each with its multiplicity.
#[track_caller]
fn shared(platform: &Platform, name: &str) -> String {
    let Some(shared) = platform.shared().iter().find(|shared| shared.name == name) else {
        return "none".to_string();
    };
    let member = |(link, count): (&_, &u32)| format!("{} x{count}", platform.link_name(*link));
    let mut members: Vec<String> = shared.weights.iter().map(member).collect();
    members.sort();
    format!("{}: {}", shared.rate, members.join(", "))
}

/// The separate limit of a link, and its latency in microseconds.
#[track_caller]
fn own(platform: &Platform, from: &str, to: &str) -> String {
    let find = |name: &str| {
        platform
            .find(name)
            .unwrap_or_else(|| panic!("no node {name}"))
    };
    let link = platform.link_between(find(from), find(to));
    let link = link.unwrap_or_else(|| panic!("no link {from} -> {to}"));
    let cost = platform.own_cost(link);
    let million = whole(1_000_000);
    let latency = platform.link(link).latency() * million;
    if *cost == whole(0) {
        return format!("none, {latency} us");
    }
    format!("{}, {latency} us", cost.recip())
}

#[test]
fn routes_load_their_links() {
    let imported = import(SIMGRID);
    let platform = &imported.platform;
    assert_eq!((platform.processors().count(), reached(platform)), (5, 5));
    // All messages that pass "la", both ways, share 125 MB/s. Split links have a capacity per direction.
    assert_eq!(
        shared(platform, "la"),
        "1/8: a -> b x1, a -> c x1, a.in -> b x1, a.in -> c x1, b -> a x1, b -> a.out x1, c -> a x1, c -> a.out x1"
    );
    assert_eq!(shared(platform, "lb_UP"), "1/4: a -> b x1, a.in -> b x1");
    assert_eq!(own(platform, "a", "b"), "none, 2 us");
    assert_eq!(own(platform, "a", "c"), "none, 1 us");
    assert_eq!(own(platform, "b", "c"), "1, 0 us");
    assert_eq!(rate(platform, "c", "b"), "none");
    // A path of FATPIPE links only carries the rate of the paths after it.
    assert_eq!(own(platform, "a.out", "n-cl_router.x.in"), "4, 3 us");
    assert!(says(&imported, Topic::LeftOut, "FATPIPE"));
    assert!(says(&imported, Topic::Assumed, "hosts pass messages on"));
    // The backbone counts once between hosts, and once on each path in and out.
    assert_eq!(
        shared(platform, "cl_backbone"),
        "4: cl.up -> cl.down x1, cl.up -> n-cl_router.x.out x1, n-cl_router.x.in -> cl.down x1"
    );
    assert_eq!(own(platform, "n-0.x", "cl.up"), "1, 1 us");
    check_whole(&imported);
}

#[test]
fn a_link_counts_as_often_as_its_route_names_it() {
    let links = link("bus", "100MBps", "SHARED") + &link("x", "400MBps", "SHARED");
    let once = full(&links, &route("a", "b", &["bus", "x", "bus"]));
    let platform = import(&once).platform;
    assert_eq!(shared(&platform, "bus"), "1/10: a -> b x2, b -> a x2");
    assert_eq!(
        (rate(&platform, "a", "b"), own(&platform, "a", "b")),
        ("1/20".into(), "none, 3 us".into())
    );
    // One path over one link is a limit of its own.
    let one_way = once.replace("<route ", "<route symmetrical=\"NO\" ");
    let platform = import(&one_way).platform;
    assert_eq!(
        (own(&platform, "a", "b"), platform.shared().len()),
        ("1/20, 3 us".into(), 0)
    );
}

#[test]
fn loopbacks_count_nothing_and_units_are_read() {
    let links = link("net", "50MBps", "SHARED")
        + &link("self", "1000EBps", "SHARED")
        + &link("far", "1GiBps", "SHARED");
    let routes = [
        ("a", "b", "net"),
        ("a", "a", "self"),
        ("b", "b", "self"),
        ("b", "c", "far"),
    ];
    let routes: String = routes
        .iter()
        .map(|(from, to, id)| route(from, to, &[id]))
        .collect();
    let text = format!("\n\n<?xml version='1.0'?>\n{}", full(&links, &routes));
    let imported = import(&text);
    let platform = &imported.platform;
    assert_eq!((platform.links().len(), platform.shared().len()), (4, 2));
    assert_eq!(shared(platform, "net"), "1/20: a -> b x1, b -> a x1");
    // 2^30 / 10^9.
    assert_eq!(rate(platform, "b", "c"), "2097152/1953125");
    assert!(says(&imported, Topic::LeftOut, "loopbacks"));
    // Line numbers are those of the file.
    refused(
        &text.replace("50MBps", "50Mps"),
        &ImportOptions::default(),
        &["file:4", "'Mps'"],
    );
}

#[test]
fn stars_count_a_link_once() {
    // Hosts a and b share one card. c has a separate link.
    let text = "<platform version=\"4.1\"><zone id=\"s\" routing=\"Cluster\"><host id=\"a\"/><host id=\"b\"/><host id=\"c\"/>\
        <link id=\"card\" bandwidth=\"1GBps\"/><link id=\"own\" bandwidth=\"2GBps\"/>\
        <host_link id=\"a\" up=\"card\" down=\"card\"/><host_link id=\"b\" up=\"card\" down=\"card\"/>\
        <host_link id=\"c\" up=\"own\" down=\"own\"/></zone></platform>";
    let imported = import(text);
    let platform = &imported.platform;
    // The card is on the paths from and to a or b: it is passed once on each.
    let card = shared(platform, "card");
    assert!(
        card.starts_with("1: ") && card.matches("s.up").count() == 3 && !card.contains("x2"),
        "{card}"
    );
    assert_eq!(reached(platform), 3);
    check_whole(&imported);
    // Two cards of two hosts each: a route per pair.
    let four = text
        .replace("<host id=\"c\"/>", "<host id=\"c\"/><host id=\"d\"/>")
        .replace(
            "</zone>",
            "<host_link id=\"d\" up=\"own\" down=\"own\"/></zone>",
        );
    let platform = import(&four).platform;
    assert_eq!(
        (
            rate(&platform, "a", "b"),
            rate(&platform, "c", "d"),
            rate(&platform, "a", "d")
        ),
        ("1".into(), "2".into(), "1".into())
    );
    // All on one card: it is the middle of the star, and no group.
    let text = text.replace("\"own\" down=\"own\"", "\"card\" down=\"card\"");
    let platform = import(&text).platform;
    assert_eq!(
        (own(&platform, "s.up", "s.down"), platform.shared().len()),
        ("1, 0 us".into(), 0)
    );
}

#[test]
fn limiters_bound_all_traffic_of_a_host() {
    let platform = import(
        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-2\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" \
         limiter_link=\"500MBps\" bb_bw=\"4GBps\" bb_lat=\"2us\"/></platform>",
    )
    .platform;
    assert_eq!(
        shared(&platform, "c_link_1_limiter"),
        "1/2: c.down -> n1 x1, n1 -> c.up x1"
    );
    // If no gateway is used, the backbone is one link.
    assert_eq!(own(&platform, "c.up", "c.down"), "4, 2 us");
    assert_eq!((platform.links().len(), platform.shared().len()), (7, 3));
}

#[test]
fn fat_pipes_bound_each_transfer() {
    // On a route between two hosts: a limit of the route. Next to a slower link: none.
    let links = link("fat", "3GBps", "FATPIPE") + &link("slow", "1GBps", "SHARED");
    let routes = route("a", "b", &["fat"]) + &route("a", "c", &["fat", "slow"]);
    let imported = import(&full(&links, &routes));
    let platform = &imported.platform;
    assert_eq!(
        (own(platform, "a", "b"), own(platform, "a", "c")),
        ("3, 1 us".into(), "none, 2 us".into())
    );
    assert!(
        says(&imported, Topic::Assumed, "FATPIPE") && says(&imported, Topic::LeftOut, "FATPIPE")
    );
    // Between stages: the routes of few hosts are drawn one by one, those of many are refused.
    let star = |last: usize| {
        format!(
            "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{last}\" speed=\"1Gf\" bw=\"4GBps\" \
             lat=\"1us\" bb_bw=\"3GBps\" bb_lat=\"1us\" bb_sharing_policy=\"FATPIPE\"/></platform>"
        )
    };
    let platform = import(&star(2)).platform;
    assert_eq!(own(&platform, "n0", "n1"), "3, 3 us");
    assert_eq!(
        shared(&platform, "c_link_0_UP"),
        "4: n0 -> n1 x1, n0 -> n2 x1"
    );
    refused(
        &star(600),
        &ImportOptions::default(),
        &["FATPIPE link 'c_backbone'", "601 hosts"],
    );
}

#[test]
fn what_no_route_joins_has_no_link() {
    // SimGrid refuses messages without any link on their route.
    let links = link("net", "1GBps", "SHARED");
    let platform = import(&full(&links, &route("a", "b", &["net"]))).platform;
    assert_eq!(reached(&platform), 2);
    let vivaldi = "<platform version=\"4.1\"><zone id=\"v\" routing=\"Vivaldi\"><host id=\"a\" coordinates=\"0 0 0\"/>\
        <host id=\"b\" coordinates=\"1 1 1\"/></zone></platform>";
    assert_eq!(import(vivaldi).platform.links().len(), 0);
    let peer = |id: &str| {
        format!(
            "<peer id=\"{id}\" speed=\"1Gf\" bw_in=\"4GBps\" bw_out=\"5GBps\" coordinates=\"0 0 0\"/>"
        )
    };
    let peers = format!(
        "<platform version=\"4.1\"><zone id=\"v\" routing=\"Vivaldi\">{}{}</zone></platform>",
        peer("p"),
        peer("q")
    );
    let imported = import(&peers);
    assert_eq!(
        (
            rate(&imported.platform, "p", "v.down"),
            rate(&imported.platform, "v.down", "q")
        ),
        ("5".into(), "4".into())
    );
    assert!(says(&imported, Topic::LeftOut, "Vivaldi"));
}

#[test]
fn tori_are_rings_in_every_dimension() {
    let imported = import(&cluster("TORUS", "3,2,1", 6, ""));
    let platform = &imported.platform;
    // Two rings of three and three links between them, each way.
    assert_eq!(
        (
            platform.nodes().len(),
            platform.links().len(),
            reached(platform)
        ),
        (6, 18, 6)
    );
    assert_eq!(
        (rate(platform, "n2", "n0"), rate(platform, "n0", "n3")),
        ("1".into(), "1".into())
    );
    assert_eq!(
        (rate(platform, "n0", "n4"), rate(platform, "n2", "n3")),
        ("none".into(), "none".into())
    );
    assert!(says(&imported, Topic::Merged, "a dimension of 2") && platform.shared().is_empty());
    check_whole(&imported);
    // Both directions of a link share it, and each pass of a host its limiter.
    let more = "sharing_policy=\"SHARED\" limiter_link=\"500MBps\"";
    let platform = import(&cluster("TORUS", "4", 4, more)).platform;
    assert_eq!(
        shared(&platform, "c_link_from_0_to_1"),
        "1: n0 -> n1 x1, n0 -> n2 x1, n1 -> n0 x1, n2 -> n0 x1, n3 -> n1 x1"
    );
    // n0 -> n2 by n1: the limiters of n0, n1 and n2.
    assert!(shared(&platform, "c_link_1_limiter").contains("n0 -> n2 x1"));
}

#[test]
fn fat_trees_have_a_route_per_pair() {
    // Four leaves of four hosts, two roots, two cables between each leaf and each root.
    let imported = import(&cluster("FAT_TREE", "2;4,4;1,2;1,2", 16, ""));
    let platform = &imported.platform;
    assert_eq!(
        (
            platform.nodes().len(),
            platform.links().len(),
            reached(platform)
        ),
        (16, 240, 16)
    );
    // Within a leaf: 2 links of 1 us. Between leaves: 4.
    assert_eq!(
        (own(platform, "n0", "n1"), own(platform, "n0", "n4")),
        ("none, 2 us".into(), "none, 4 us".into())
    );
    // d-mod-k: hosts 4, 8 and 12 take the first of four cables up from leaf 0.
    let mut up = shared(platform, "c_link_1.0_0.0_UP");
    up.retain(|c| c != 'n');
    for goal in ["4", "8", "12"] {
        assert!(
            up.contains(&format!("0 -> {goal} x1")) && up.contains(&format!("3 -> {goal} x1")),
            "{up}"
        );
    }
    assert_eq!(up.matches("->").count(), 4 * 3);
    check_whole(&imported);
}

#[test]
fn dragonflies_join_groups_by_one_router_each() {
    let imported = import(&cluster("DRAGONFLY", "3,4;4,3;5,1;2", 120, ""));
    let platform = &imported.platform;
    assert_eq!(
        (platform.processors().count(), reached(platform)),
        (120, 120)
    );
    // Hosts of a router are a star. Routers of a chassis, of one number in the group and of two groups have 1, 3, 4
    // links.
    assert_eq!(own(platform, "n2", "c_router1_hosts.up"), "1, 1 us");
    assert!(shared(platform, "c_link_0_4_UP").starts_with("1: "));
    assert!(shared(platform, "c_link_0_15_UP").starts_with("3: "));
    // Router 1 of group 0 and router 0 of group 1.
    assert!(shared(platform, "c_link_1_20_UP").starts_with("4: "));
    check_whole(&imported);
}

#[test]
fn clusters_that_are_wrong() {
    let none = ImportOptions::default();
    for (topology, parameters) in [
        ("TORUS", ""),
        ("TORUS", "3;2"),
        ("TORUS", "3,0"),
        ("TORUS", "3,-2"),
        ("TORUS", "6,x"),
        ("FAT_TREE", "2;3,2;1,2"),
        ("FAT_TREE", "3;3,2;1,2;1,1"),
        ("DRAGONFLY", "3,4;4,3;5,1"),
        ("DRAGONFLY", "3;4,3;5,1;2"),
        ("DRAGONFLY", "99999999999999999999,1;1,1;1,1;1"),
    ] {
        refused(
            &cluster(topology, parameters, 6, ""),
            &none,
            &["<cluster>", "topo_parameters of this topology"],
        );
    }
    refused(
        &cluster("TORUS", "99999,99999,99999,99999", 6, ""),
        &none,
        &["hosts, radical gives 6"],
    );
    refused(
        &cluster("FAT_TREE", "1;600;1;1", 600, ""),
        &none,
        &["pairs of hosts in a fat tree"],
    );
    refused(
        &cluster("DRAGONFLY", "3,1;1,1;2,1;1", 6, ""),
        &none,
        &["3 groups need as many routers"],
    );
}

#[test]
fn files_that_are_wrong() {
    let none = ImportOptions::default();
    let changed = |from: &str, to: &str| SIMGRID.replacen(from, to, 1);
    let cases: [(&str, &str, &[&str]); 22] = [
        ("\"4.1\"", "\"3\"", &["version 3", "simgrid_update_xml"]),
        ("125MBps", "-1", &["file:5", "<link>", "-1"]),
        ("125MBps", "NaN", &["file:5", "NaN"]),
        ("125MBps", "1e999999", &["file:5", "1e999999"]),
        (
            "latency=\"1us\"",
            "latency=\"1 parsec\"",
            &["file:5", "1 parsec", "a time"],
        ),
        ("id=\"b\"", "id=\"a\"", &["file:4", "'a' is used twice"]),
        (
            "<link id=\"lb\"",
            "<link id=\"la\"",
            &["'link la' is given twice"],
        ),
        ("dst=\"b\"", "dst=\"z\"", &["<route>", "'z'"]),
        (
            "dst=\"b\"",
            "dst=\"cl\"",
            &["<route>", "'cl' is not directly in zone 'lan'"],
        ),
        (
            "<link_ctn id=\"lb\"",
            "<link_ctn id=\"lz\"",
            &["<link_ctn>", "no link 'lz'"],
        ),
        (
            "<link_ctn id=\"la\"/></route>",
            "</route>",
            &["a route without links"],
        ),
        (" symmetrical=\"NO\"", "", &[]),
        (
            "src=\"b\" dst=\"c\" symmetrical=\"NO\"",
            "src=\"c\" dst=\"a\"",
            &["between 'c' and 'a' is given twice"],
        ),
        (
            "gw_src=\"a\"",
            "gw_src=\"n-0.x\"",
            &["gw_src 'n-0.x'", "zone 'lan'"],
        ),
        (
            "src=\"lan\"",
            "src=\"all\"",
            &["'all' is not directly in zone 'all'"],
        ),
        (
            "radical=\"0-1\"",
            "radical=\"0-999999999\"",
            &["<cluster>", "a list of names"],
        ),
        (
            "radical=\"0-1\"",
            "topology=\"TORUS\" radical=\"0-1\"",
            &["topo_parameters", "shape"],
        ),
        (
            "radical=\"0-1\"",
            "topology=\"RING\" radical=\"0-1\"",
            &["RING", "DRAGONFLY"],
        ),
        (
            "<host id=\"a\" speed=\"1Gf\"/>",
            "<peer id=\"a\"/>",
            &["<peer>", "routing=\"Cluster\""],
        ),
        (
            "\"125MBps\"",
            "\"54Mbps,36Mbps\" sharing_policy=\"WIFI\"",
            &["<link>", "WIFI", "air time"],
        ),
        (
            "id=\"lan\" routing=\"Full\"",
            "id=\"lan\" routing=\"Wifi\"",
            &["<zone>", "WIFI"],
        ),
        (
            "id=\"lan\" routing=\"Full\"",
            "id=\"lan\" routing=\"Star\"",
            &["Star", "Vivaldi"],
        ),
    ];
    for (from, to, words) in cases {
        match words {
            [] => drop(import(&changed(from, to))),
            _ => refused(&changed(from, to), &none, words),
        }
    }
    let bypass = |text: &str| {
        let text = format!(
            "<bypassZoneRoute src=\"cl\" dst=\"lan\" {text}><link_ctn id=\"wide\"/></bypassZoneRoute><zoneRoute"
        );
        SIMGRID.replacen("<zoneRoute", &text, 1)
    };
    drop(import(&bypass("gw_src=\"n-cl_router.x\" gw_dst=\"b\"")));
    refused(
        &bypass("gw_src=\"n-0.x\" gw_dst=\"b\""),
        &none,
        &["<bypassZoneRoute>", "'n-0.x' is neither"],
    );
    refused(
        &SIMGRID.replacen(
            "<zoneRoute",
            "<bypassRoute src=\"a\" dst=\"n-0.x\"><link_ctn id=\"wide\"/></bypassRoute><zoneRoute",
            1,
        ),
        &none,
        &["<bypassRoute>", "not both directly in 'all'"],
    );
    refused(
        "<platform version=\"4.1\"><actor host=\"a\"/></platform>",
        &none,
        &["no <host>", "deployment"],
    );
    let deep = format!(
        "<platform version=\"4.1\">{}{}</platform>",
        (0..500)
            .map(|zone| format!("<zone id=\"z{zone}\" routing=\"None\">"))
            .collect::<String>(),
        "</zone>".repeat(500)
    );
    refused(&deep, &none, &["over 100 levels of zones"]);
}

#[test]
fn machines_are_replicated_with_their_shared_links() {
    let text = full(&link("bus", "1GBps", "SHARED"), &route("a", "b", &["bus"]));
    let options = replicated(2, oneport_topologies::Fabric::Switch, Some(2));
    let platform = try_import(&text, &options)
        .unwrap_or_else(|error| panic!("{error}"))
        .platform;
    assert_eq!(
        shared(&platform, "box1.bus"),
        "1: box1.a -> box1.b x1, box1.b -> box1.a x1"
    );
    assert_eq!(own(&platform, "box1.a", "box1.b"), "none, 1 us");
}

/// SimGrid's own platforms: every host is a processor, and all reach one another.
#[test]
#[ignore = "needs data simgrid_platforms"]
fn simgrids_own_examples() {
    let mut read = 0;
    for (path, text) in samples("simgrid_platforms", "xml") {
        let imported = try_import(&text, &ImportOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let platform = &imported.platform;
        let made = ["<cluster", "<cabinet", "<peer"];
        if !made.iter().any(|many| text.contains(many)) {
            let hosts = text.matches("<host ").count();
            assert_eq!(platform.processors().count(), hosts, "{}", path.display());
        }
        // Coordinates are not links: data centres without peers are unconnected.
        if !text.contains("routing=\"Vivaldi\"") || text.contains("<peer") {
            let hosts = platform.processors().count();
            assert_eq!(reached(platform), hosts, "{}", path.display());
        }
        read += 1;
    }
    assert!(read > 10, "{read}");
}

/// 50 hosts whose routes are written out: 2,450 routes over a link of each end and a bus.
#[test]
fn many_routes_over_one_bus_are_a_star() {
    let hosts: String = (0..50)
        .map(|host| format!("<host id=\"h{host}\"/>"))
        .collect();
    let cables: String = (0..50)
        .map(|host| link(&format!("l{host}"), "1GBps", "SHARED"))
        .collect();
    let pairs = (0..50).flat_map(|from| (from + 1..50).map(move |to| (from, to)));
    let routes: String = pairs
        .map(|(from, to)| {
            let ends = [format!("h{from}"), format!("h{to}")];
            let [one, other] = [format!("l{from}"), format!("l{to}")];
            route(&ends[0], &ends[1], &[&one, "bus", &other])
        })
        .collect();
    let bus = link("bus", "8GBps", "SHARED");
    let text = format!(
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">{hosts}{cables}{bus}{routes}</zone></platform>"
    );
    let platform = import(&text).platform;
    assert_eq!((platform.links().len(), platform.shared().len()), (101, 50));
    assert_eq!(own(&platform, "z.up", "z.down"), "8, 1 us");
    assert_eq!(shared(&platform, "l7"), "1: h7 -> z.up x1, z.down -> h7 x1");
    // If one route differs, every route is a link.
    let text = text.replacen("<link_ctn id=\"bus\"/>", "", 1);
    assert_eq!(import(&text).platform.links().len(), 2450);
}
