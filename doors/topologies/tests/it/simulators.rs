//! Platforms of simulators: ASTRA-sim, SimGrid; hwloc's machines.

use oneport_topologies::{Format, ImportOptions, Topic};

use crate::{
    check_whole, cluster, import, names, rate, reached, refused, samples, says, shared_data,
    try_import,
};

#[test]
fn astra_sim_has_dimensions() {
    // 1 GB/s is 2^30 bytes per second: 5^9 / 2^30 ... times 50.
    let text = "topology: [ Ring, Switch ]\nnpus_count: [ 3, 2 ]\nbandwidth: [ 500.0, 1.953125 ]  # GB/s\nlatency: [ 1, 2 ]\n";
    let imported = import(text);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::AstraSim);
    assert_eq!(platform.processors().count(), 6);
    // 2^30 x 500 / 10^9 = 2^23 / 15625; 1.953125 = 5^9 / 10^6.
    assert_eq!(
        (
            rate(platform, "npu2", "npu0"),
            rate(platform, "npu5", "npu3")
        ),
        ("8388608/15625".into(), "8388608/15625".into())
    );
    assert_eq!(rate(platform, "npu2", "npu3"), "none");
    assert_eq!(
        (
            rate(platform, "npu1", "switch1.1"),
            rate(platform, "npu4", "switch1.1")
        ),
        ("32768/15625".into(), "32768/15625".into())
    );
    assert!(says(&imported, Topic::Assumed, "2^30"));
    check_whole(&imported);
    let full =
        import("topology: [ FullyConnected ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\n").platform;
    assert_eq!(full.links().len(), 12);
    let two = import("topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 1 ]\n").platform;
    assert_eq!(two.links().len(), 2);
    let none = ImportOptions::default();
    refused(
        &text.replace("Ring", "Mesh"),
        &none,
        &["file:1", "'Mesh'", "FullyConnected"],
    );
    refused(
        &text.replace("[ 3, 2 ]", "[ 3 ]"),
        &none,
        &["2, 1 and 2 entries"],
    );
    refused(
        &text.replace("[ 3, 2 ]", "[ 99999999, 99999999999 ]"),
        &none,
        &["over 100000 NPUs"],
    );
    refused(
        &text
            .replace("Ring", "FullyConnected")
            .replace("[ 3, 2 ]", "[ 2000, 1 ]"),
        &none,
        &["over 250000 links"],
    );
    refused(&text.replace("500.0", "NaN"), &none, &["file:3", "NaN"]);
    refused(&text.replace("500.0", "-1"), &none, &["file:3", "-1"]);
    refused(
        &text.replace("500.0", "1e999999"),
        &none,
        &["file:3", "1e999999"],
    );
}

#[test]
fn astra_sims_own_examples() {
    for (path, text) in samples("astra")
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|end| end == "yml"))
    {
        let imported = import(&text);
        let count = text
            .split_once("npus_count: [ ")
            .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        assert_eq!(
            Some(reached(&imported.platform)),
            count,
            "{}",
            path.display()
        );
        check_whole(&imported);
    }
}

const HWLOC: &str = r#"<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">
<object type="Machine" gp_index="1"><object type="Package" os_index="0" gp_index="3"/>
<object type="OSDev" gp_index="7" name="cuda0" subtype="CUDA"/><object type="OSDev" gp_index="8" name="cuda1" subtype="CUDA"/>
</object><distances2 type="NUMANode" nbobjs="1" kind="5" name="NUMALatency" indexing="os"><indexes>0</indexes><u64values>1</u64values></distances2>
<distances2hetero nbobjs="3" kind="25" name="NVLinkBandwidth"><indexes length="9">OSDev:7 OSDev:8 </indexes><indexes>Package:3</indexes>
<u64values length="12">1000000 40000 20000 40000 </u64values><u64values>1000000 0 20000 0 1000000</u64values></distances2hetero></topology>"#;

#[test]
fn hwloc_has_matrices() {
    let imported = import(HWLOC);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::Hwloc);
    assert_eq!(names(platform), ["cuda0", "cuda1", "cpu0"]);
    assert_eq!(
        (
            rate(platform, "cuda0", "cuda1"),
            rate(platform, "cpu0", "cuda0")
        ),
        ("40".into(), "20".into())
    );
    assert_eq!(rate(platform, "cuda1", "cpu0"), "none");
    check_whole(&imported);
    let none = ImportOptions::default();
    refused(
        &HWLOC.replace("kind=\"25\"", "kind=\"5\""),
        &none,
        &["no matrix of bandwidths", "NCCL_TOPO_DUMP_FILE"],
    );
    refused(
        &HWLOC.replace("OSDev:8", "OSDev:9"),
        &none,
        &["<distances2hetero>", "'OSDev:9'"],
    );
    refused(
        &HWLOC.replace("nbobjs=\"3\"", "nbobjs=\"99999999\""),
        &none,
        &["1 to 500 objects"],
    );
    refused(
        &HWLOC.replace("20000 0 1000000", "20000"),
        &none,
        &["3 indexes and 7 values"],
    );
    refused(
        &HWLOC.replace("40000 20000", "40000 -5"),
        &none,
        &["-1/200", "positive"],
    );
    refused(
        HWLOC.split_at(HWLOC.len() - 30).0,
        &none,
        &["not valid XML"],
    );
}

#[test]
fn nvswitches_of_hwloc_are_one() {
    // Each GPU has a switch of its own, with two links.
    let gpu = |number: u32| {
        format!(
            "<object type=\"OSDev\" gp_index=\"{number}\" name=\"nvml{number}\" subtype=\"NVML\"/>"
        )
    };
    let switch = |number: u32| {
        format!("<object type=\"PCIDev\" gp_index=\"{number}\" subtype=\"NVSwitch\"/>")
    };
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\" gp_index=\"9\">{}{}{}{}</object><distances2hetero nbobjs=\"4\" kind=\"25\" \
         name=\"NVLinkBandwidth\"><indexes>OSDev:1 OSDev:2 PCIDev:3 PCIDev:4</indexes><u64values>0 0 50000 0 0 0 0 50000 50000 0 0 0 0 \
         50000 0 0</u64values></distances2hetero></topology>",
        gpu(1),
        gpu(2),
        switch(3),
        switch(4)
    );
    let imported = import(&text);
    assert_eq!(names(&imported.platform), ["nvml1", "nvml2", "nvswitch"]);
    assert_eq!(
        (
            rate(&imported.platform, "nvml1", "nvswitch"),
            reached(&imported.platform)
        ),
        ("50".into(), 2)
    );
    assert!(says(&imported, Topic::Merged, "all NVSwitches are one"));
}

#[test]
fn hwlocs_own_example() {
    for (_, text) in samples("hwloc")
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|end| end == "xml"))
    {
        let imported = import(&text);
        assert_eq!(
            (
                imported.platform.processors().count(),
                reached(&imported.platform)
            ),
            (4, 4)
        );
        assert!(says(
            &imported,
            Topic::Assumed,
            "cpu: 32 GB/s between packages of POWER"
        ));
        check_whole(&imported);
    }
}

/// Two hosts over two links of their own and a shared one between them, a cluster of two behind a gateway.
const SIMGRID: &str = r#"<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="all" routing="Full">
<zone id="lan" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="la" bandwidth="125MBps" latency="1us"/><link id="lb" bandwidth="2Gbps" latency="1us" sharing_policy="SPLITDUPLEX"/>
<link id="lc" bandwidth="1GBps" sharing_policy="SPLITDUPLEX"/>
<route src="a" dst="b"><link_ctn id="la"/><link_ctn id="lb"/></route>
<route src="a" dst="c"><link_ctn id="la"/></route>
<route src="b" dst="c" symmetrical="NO"><link_ctn id="lc"/></route>
</zone>
<cluster id="cl" prefix="n-" suffix=".x" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" bb_bw="4GBps" bb_lat="1us"/>
<link id="wide" bandwidth="10GBps" sharing_policy="FATPIPE"/>
<zoneRoute src="lan" dst="cl" gw_src="a" gw_dst="n-cl_router.x"><link_ctn id="wide"/></zoneRoute>
</zone></platform>"#;

#[test]
fn simgrid_shares_links_between_routes() {
    let imported = import(SIMGRID);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::SimGrid);
    assert_eq!(platform.processors().count(), 5);
    assert_eq!(reached(platform), 5);
    // All that passes "la", both ways, shares 125 MB/s.
    assert_eq!(
        (
            rate(platform, "la.in", "la.out"),
            rate(platform, "a", "la.in")
        ),
        ("1/8".into(), "1/8".into())
    );
    assert_eq!(
        (rate(platform, "la.out", "c"), rate(platform, "c", "la.in")),
        ("1/8".into(), "1/8".into())
    );
    assert_eq!(
        (rate(platform, "la.out", "b"), rate(platform, "b", "la.in")),
        ("1/4".into(), "none".into())
    );
    assert_eq!(
        (rate(platform, "b", "c"), rate(platform, "c", "b")),
        ("1".into(), "none".into())
    );
    assert_eq!(
        (
            rate(platform, "n-0.x", "cl_backbone.in"),
            rate(platform, "cl_backbone.in", "cl_backbone.out")
        ),
        ("1".into(), "4".into())
    );
    assert_eq!(rate(platform, "a", "n-cl_router.x"), "10");
    assert!(says(&imported, Topic::Merged, "NAME.in and NAME.out"));
    check_whole(&imported);
}

#[test]
fn simgrid_files_that_are_wrong() {
    let none = ImportOptions::default();
    let changed = |from: &str, to: &str| SIMGRID.replacen(from, to, 1);
    refused(
        &changed("\"4.1\"", "\"3\""),
        &none,
        &["version 3", "simgrid_update_xml"],
    );
    refused(
        &changed("125MBps", "-1"),
        &none,
        &["file:5", "<link>", "-1"],
    );
    refused(&changed("125MBps", "NaN"), &none, &["file:5", "NaN"]);
    refused(
        &changed("125MBps", "1e999999"),
        &none,
        &["file:5", "1e999999"],
    );
    refused(
        &changed("id=\"b\"", "id=\"a\""),
        &none,
        &["file:4", "'a' is used twice"],
    );
    refused(
        &changed("<link id=\"lb\"", "<link id=\"la\""),
        &none,
        &["'link la' is given twice"],
    );
    refused(
        &changed("dst=\"b\"", "dst=\"z\""),
        &none,
        &["<route>", "'z'"],
    );
    refused(
        &changed("<link_ctn id=\"lb\"/>", "<link_ctn id=\"lz\"/>"),
        &none,
        &["<link_ctn>", "no link 'lz'"],
    );
    refused(
        &changed("<link_ctn id=\"la\"/></route>", "</route>"),
        &none,
        &["a route without links"],
    );
    refused(
        &changed("radical=\"0-1\"", "radical=\"0-999999999\""),
        &none,
        &["<cluster>", "a list of names"],
    );
    refused(
        &changed("radical=\"0-1\"", "topology=\"TORUS\" radical=\"0-1\""),
        &none,
        &["topo_parameters", "shape"],
    );
    refused(
        &changed("radical=\"0-1\"", "topology=\"RING\" radical=\"0-1\""),
        &none,
        &["RING", "DRAGONFLY"],
    );
    refused(
        &changed("<host id=\"a\" speed=\"1Gf\"/>", "<peer id=\"a\"/>"),
        &none,
        &["<peer>", "'bw_in' is missing"],
    );
    refused(
        &changed("\"125MBps\"", "\"54Mbps,36Mbps\" sharing_policy=\"WIFI\""),
        &none,
        &["<link>", "WIFI", "air time"],
    );
    refused(
        "<platform version=\"4.1\"><actor host=\"a\"/></platform>",
        &none,
        &["no <host>", "deployment"],
    );
    let deep = format!(
        "<platform version=\"4.1\">{}{}</platform>",
        "<zone>".repeat(500),
        "</zone>".repeat(500)
    );
    refused(&deep, &none, &["over 100 levels of zones"]);
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
    assert!(says(&imported, Topic::Merged, "a dimension of 2"));
    check_whole(&imported);
    // Both directions of a link, and all that enters or leaves a host, share one bandwidth.
    let imported = import(&cluster(
        "TORUS",
        "3",
        3,
        "sharing_policy=\"SHARED\" limiter_link=\"500MBps\"",
    ));
    let platform = &imported.platform;
    assert_eq!(
        (rate(platform, "c_0_1.in", "c_0_1.out"), reached(platform)),
        ("1".into(), 3)
    );
    assert_eq!(rate(platform, "n0_limiter.in", "n0_limiter.out"), "1/2");
    assert_eq!(
        (
            rate(platform, "n0", "n0_limiter.in"),
            rate(platform, "n0", "c_0_1.in")
        ),
        ("1/2".into(), "none".into())
    );
    assert_eq!(
        (
            rate(platform, "n0_limiter.out", "c_0_1.in"),
            rate(platform, "c_0_1.out", "n1_limiter.in")
        ),
        ("1".into(), "1".into())
    );
}

#[test]
fn fat_trees_join_labels_that_differ_in_one_digit() {
    // Four leaves of four hosts, two roots, two cables between each leaf and each root.
    let imported = import(&cluster("FAT_TREE", "2;4,4;1,2;1,2", 16, ""));
    let platform = &imported.platform;
    assert_eq!(
        (
            platform.nodes().len(),
            platform.links().len(),
            reached(platform)
        ),
        (22, 48, 16)
    );
    assert_eq!(
        (
            rate(platform, "n5", "c_switch1.1"),
            rate(platform, "c_switch1.1", "c_switch2.0")
        ),
        ("1".into(), "2".into())
    );
    check_whole(&imported);
    // Two parents per host: half of the hosts below each pair, and labels of the level in between.
    let wide = import(&cluster("FAT_TREE", "2;2,2;2,2;1,1", 4, "")).platform;
    assert_eq!((wide.nodes().len(), wide.links().len()), (12, 32));
    assert_eq!(
        (
            rate(&wide, "n0", "c_switch1.1"),
            rate(&wide, "n1", "c_switch1.0")
        ),
        ("1".into(), "1".into())
    );
    assert_eq!(
        (
            rate(&wide, "n2", "c_switch1.3"),
            rate(&wide, "n2", "c_switch1.0")
        ),
        ("1".into(), "none".into())
    );
    assert_eq!(
        (
            rate(&wide, "c_switch1.1", "c_switch2.3"),
            rate(&wide, "c_switch1.1", "c_switch2.0")
        ),
        ("1".into(), "none".into())
    );
}

#[test]
fn dragonflies_join_groups_by_one_router_each() {
    let imported = import(&cluster("DRAGONFLY", "3,4;4,3;5,1;2", 120, ""));
    let platform = &imported.platform;
    // In each of 3 groups 4 chassis of 10 pairs and 5 places of 6 pairs; 3 pairs of groups; 120 hosts.
    assert_eq!(
        (platform.nodes().len(), platform.links().len()),
        (180, 2 * (3 * (40 + 30) + 3 + 120))
    );
    assert_eq!(
        (
            rate(platform, "n2", "c_router1"),
            rate(platform, "c_router0", "c_router4")
        ),
        ("1".into(), "1".into())
    );
    assert_eq!(
        (
            rate(platform, "c_router0", "c_router15"),
            rate(platform, "c_router0", "c_router6")
        ),
        ("3".into(), "none".into())
    );
    // Router 1 of group 0 and router 0 of group 1.
    assert_eq!(
        (rate(platform, "c_router1", "c_router20"), reached(platform)),
        ("4".into(), 120)
    );
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
        &cluster("FAT_TREE", "1;6;99999;1", 6, ""),
        &none,
        &["over 250000 links"],
    );
    refused(
        &cluster("FAT_TREE", "2;6,1;1000,1000;1,1", 6, ""),
        &none,
        &["over"],
    );
    refused(
        &cluster("DRAGONFLY", "3,1;1,1;2,1;1", 6, ""),
        &none,
        &["3 groups need as many routers"],
    );
}

#[test]
fn stars_have_cabinets_peers_and_links_of_hosts() {
    let text = "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\"><zone id=\"z\" routing=\"Cluster\">\
        <cabinet id=\"k\" prefix=\"h\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" radical=\"1-2\"/>\
        <host id=\"g\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"3GBps\" sharing_policy=\"SPLITDUPLEX\"/>\
        <host_link id=\"g\" up=\"l_UP\" down=\"l_DOWN\"/><backbone id=\"b\" bandwidth=\"2GBps\" latency=\"1us\"/><router id=\"r\"/></zone>\
        <zone id=\"v\" routing=\"Vivaldi\"><peer id=\"p\" speed=\"1Gf\" bw_in=\"4GBps\" bw_out=\"5GBps\" coordinates=\"0 0 0\"/></zone>\
        <link id=\"m\" bandwidth=\"6GBps\"/><zoneRoute src=\"z\" dst=\"v\" gw_src=\"r\" gw_dst=\"p\"><link_ctn id=\"m\"/></zoneRoute>\
        <bypassRoute src=\"g\" dst=\"p\"><link_ctn id=\"m\"/></bypassRoute></zone></platform>";
    let imported = import(text);
    let platform = &imported.platform;
    assert_eq!((platform.processors().count(), reached(platform)), (4, 4));
    assert_eq!(
        (rate(platform, "h1", "b.in"), rate(platform, "b.out", "h2")),
        ("1".into(), "1".into())
    );
    assert_eq!(
        (
            rate(platform, "b.in", "b.out"),
            rate(platform, "b.out", "r")
        ),
        ("2".into(), "2".into())
    );
    assert_eq!(
        (rate(platform, "g", "b.in"), rate(platform, "b.out", "g")),
        ("3".into(), "3".into())
    );
    assert_eq!(
        (
            rate(platform, "p", "v_center"),
            rate(platform, "v_center", "p")
        ),
        ("5".into(), "4".into())
    );
    assert_eq!(
        (rate(platform, "m.in", "m.out"), rate(platform, "g", "m.in")),
        ("6".into(), "6".into())
    );
    assert!(says(&imported, Topic::Merged, "bypass"));
    check_whole(&imported);
    refused(
        &text.replace("l_UP", "l_up"),
        &ImportOptions::default(),
        &["<host_link>", "no link 'l_up'"],
    );
}

/// SimGrid's own platforms: every host is a processor, and all reach one another.
#[test]
fn simgrids_own_examples() {
    let Some(folder) = shared_data("simgrid_platforms") else {
        return;
    };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "xml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let imported = try_import(&text, &ImportOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let platform = &imported.platform;
        if !["<cluster", "<cabinet", "<peer"]
            .iter()
            .any(|many| text.contains(many))
        {
            assert_eq!(
                platform.processors().count(),
                text.matches("<host ").count(),
                "{}",
                path.display()
            );
        }
        // Coordinates are no links: between data centres without peers there are none.
        if !text.contains("routing=\"Vivaldi\"") || text.contains("<peer") {
            assert_eq!(
                reached(platform),
                platform.processors().count(),
                "{}",
                path.display()
            );
        }
        read += 1;
    }
    assert!(read > 10, "{read}");
}
