//! Tiers topologies joined to measured links.

use oneport_testkit::data;
use oneport_testkit::ratio;
use oneport_topologies::{Format, ImportOptions, parse_topology, read_platform};

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let message = match parse_topology(
        "bad.file",
        bytes.as_ref(),
        Format::Joined,
        &ImportOptions::default(),
    ) {
        Ok(_) => panic!("was accepted; expected {parts:?}"),
        Err(error) => error.to_string(),
    };
    assert!(
        message.starts_with("bad.file") && !message.contains(['\n', '\r']) && message.len() < 800,
        "{message}"
    );
    for part in parts {
        assert!(message.contains(part), "says '{part}': {message}");
    }
}

fn joined_link(keys: &str) -> String {
    format!(
        "{{\"nodes\": [{{\"id\": 0, \"speed\": 2}}, {{\"id\": 1, \"router\": true}}],\n\"links\": [{{{keys}}}]}}"
    )
}

#[test]
#[ignore = "needs data tiers/WAN_3.platform.joined.json"]
fn a_grid_of_tiers() {
    let path = data("tiers/WAN_3.platform.joined.json");
    let platform = read_platform(&path).expect("WAN_3");
    assert_eq!((platform.nodes().len(), platform.links().len()), (185, 384));
    assert_eq!(platform.processors().count(), 33);
    let host = platform.find("LAN61").expect("a LAN host");
    assert_eq!(platform.node(host).compute, Some(ratio(1000, 68_667)));
    let link = platform.link_between(
        platform.find("WAN0").expect("0"),
        platform.find("WAN6").expect("6"),
    );
    assert_eq!(
        platform.link(link.expect("the first link")).cost,
        ratio(1_000_000, 255_228_625)
    );
    let bytes = std::fs::read(&path).expect("the file");
    assert_eq!(
        parse_topology("WAN_3", &bytes, Format::Joined, &ImportOptions::default())
            .map(|imported| imported.platform),
        Ok(platform)
    );
}

#[test]
#[ignore = "needs data grids_2004/gridpp_grid_2004.joined.json"]
fn a_measured_grid() {
    let path = data("grids_2004/gridpp_grid_2004.joined.json");
    let platform = read_platform(&path).expect("GridPP");
    assert_eq!(
        (
            platform.nodes().len(),
            platform.links().len(),
            platform.processors().count()
        ),
        (36, 76, 18)
    );
    let node = |name| {
        platform
            .node(platform.find(name).expect(name))
            .compute
            .clone()
    };
    assert_eq!(node("Glasgow"), Some(ratio(1, 200)));
    assert_eq!(node("CERN"), Some(ratio(1, 1)));
    assert_eq!(node("NorMAN"), None);
}

#[test]
fn files_that_are_wrong() {
    for (keys, parts) in [
        (
            r#""u": 0, "v": 1"#,
            &["links[0]", "'bandwidth' is missing"][..],
        ),
        (
            r#""u": 0, "v": 1, "bandwidth": 0"#,
            &["links[0].bandwidth", "0", "positive"],
        ),
        (r#""u": 0, "v": 7, "bandwidth": 1"#, &["links[0].v", "'7'"]),
        (
            r#""u": 0, "v": -1, "bandwidth": 1"#,
            &["links[0].v", "-1", "whole number"],
        ),
        (r#""u": 0, "v": 0, "bandwidth": 1"#, &["itself"]),
        (
            r#""u": 0, "v": 1, "bandwidth": "fast""#,
            &["links[0].bandwidth", "fast", "number"],
        ),
        (
            r#""u": 0, "v": 1, "bandwidth": {}"#,
            &["links[0].bandwidth", "an object", "a number"],
        ),
    ] {
        refused(joined_link(keys), &[&["bad.file:2"], parts].concat());
    }
    refused(
        r#"{"nodes": [{"id": 0}], "links": []}"#,
        &["nodes[0]", "'speed' is missing"],
    );
    refused(
        r#"{"nodes": [{"id": 0, "speed": -1}], "links": []}"#,
        &["nodes[0].speed", "-1", "positive"],
    );
    refused(
        r#"{"nodes": [{"id": 0, "speed": 1}, {"id": 0, "router": true, "name": "b"}]}"#,
        &["twice"],
    );
    refused("{}", &["'nodes' is missing"]);
}

#[test]
fn long_values_are_clipped() {
    let long = "9".repeat(1_000_000);
    refused(
        joined_link(&format!(r#""u": 0, "v": 1, "bandwidth": "{long}""#)),
        &["bandwidth", "characters)"],
    );
}
