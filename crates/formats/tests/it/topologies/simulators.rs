//! Platforms of other synthesizers and simulators: TACCL, msccl-tools, ASTRA-sim, SimGrid; hwloc's machines.

use oneport_formats::{ImportOptions, PlatformFormat, Topic};

use super::{check_whole, import, names, rate, reached, refused, samples, says};

#[test]
fn taccl_tables_are_from_columns_to_rows() {
    let text = r#"{"name": "two", "gpus_per_node": 2, "alpha": 0.7, "links": [[0, 2], [1, 0]], "betas": [[0, 1], [1, 0]],
        "invbws": [[0, 40], [50, 0]], "nics_per_node": 1, "remote_invbw": 107, "remote_alpha": 1, "remote_beta": 1}"#;
    let imported = import(text);
    assert_eq!(imported.format, PlatformFormat::Taccl);
    // links[0][1]: from 1 to 0, two links of 25 GB/s.
    assert_eq!(
        (rate(&imported.platform, "gpu1", "gpu0"), rate(&imported.platform, "gpu0", "gpu1")),
        ("50".into(), "20".into())
    );
    assert!(says(&imported, Topic::LeftOut, "links between machines"));
    check_whole(&imported);
    let none = ImportOptions::default();
    refused(r#"{"name": "NDv2", "gpus_per_node": 8, "node_invbws_list": [23, 46]}"#, &none, &["stand in TACCL's code"]);
    refused(&text.replace("[[0, 40], [50, 0]]", "[[0, 40]]"), &none, &["invbws", "a table of 2 rows (there are 1)"]);
    refused(&text.replace("[[0, 40], ", "[[0, 0], "), &none, &["invbws[0][1] is 0"]);
    refused(&text.replace("[[0, 40], ", "[[0, -1], "), &none, &["invbws[0][1]", "-1", "0 or more"]);
    refused(&text.replace("[[0, 40], ", "[[0, 1e999999], "), &none, &["invbws[0][1]", "1e999999"]);
    refused(&text.replace("node\": 2", "node\": 99999999999999999999"), &none, &["gpus_per_node", "a whole number"]);
    refused(&text.replace("node\": 2", "node\": 100000"), &none, &["1 to 500 GPUs"]);
}

#[test]
fn msccl_switches_are_ports() {
    // GPU 0 sends 2 chunks in all to 1 and 2, each link could take 2.
    let text = r#"{"msccl_type": "topology", "name": "t", "switches": [[[0], [1, 2], 2, "out"]],
        "links": [[0, 1, 1], [2, 0, 0], [2, 0, 0]]}"#;
    let imported = import(text);
    let platform = &imported.platform;
    assert_eq!(imported.format, PlatformFormat::Msccl);
    assert_eq!(names(platform), ["gpu0", "gpu1", "gpu2", "out.0"]);
    assert_eq!((rate(platform, "gpu0", "out.0"), rate(platform, "out.0", "gpu2")), ("2".into(), "2".into()));
    assert_eq!((rate(platform, "gpu0", "gpu1"), rate(platform, "gpu1", "gpu0")), ("none".into(), "1".into()));
    assert!(says(&imported, Topic::Assumed, "link: 1 GB/s per chunk of a round"));
    check_whole(&imported);
    let inside = format!("{{\"msccl_type\": \"algorithm\", \"name\": \"a\", \"topology\": {text}}}");
    assert!(import(&inside).platform == *platform);
    let none = ImportOptions::default();
    refused(&text.replace("[[0], [1, 2]", "[[0, 1], [1, 2]"), &none, &["switches[0]", "several sources"]);
    refused(&text.replace("[[0], [1, 2]", "[[0], [1, 7]"), &none, &["switches[0][1][1]", "7"]);
    refused(&text.replace("[1, 2], 2", "[1, 2], 0"), &none, &["switches[0]", "above 0"]);
    refused(&text.replace("\"out\"]]", "\"out\"], [[0], [2], 1, \"again\"]]"), &none, &["two switches bound"]);
    refused(&text.replace("[2, 0, 0]]", "[2, 0]]"), &none, &["links[2]", "a row of 3 numbers (there are 2)"]);
    refused("{\"msccl_type\": \"step\"}", &none, &["msccl_type", "\"step\"", "topology, or algorithm"]);
}

#[test]
fn astra_sim_has_dimensions() {
    // 1 GB/s is 2^30 bytes per second: 5^9 / 2^30 ... times 50.
    let text =
        "topology: [ Ring, Switch ]\nnpus_count: [ 3, 2 ]\nbandwidth: [ 500.0, 1.953125 ]  # GB/s\nlatency: [ 1, 2 ]\n";
    let imported = import(text);
    let platform = &imported.platform;
    assert_eq!(imported.format, PlatformFormat::AstraSim);
    assert_eq!(platform.processors().count(), 6);
    // 2^30 x 500 / 10^9 = 2^23 / 15625; 1.953125 = 5^9 / 10^6.
    assert_eq!(
        (rate(platform, "npu2", "npu0"), rate(platform, "npu5", "npu3")),
        ("8388608/15625".into(), "8388608/15625".into())
    );
    assert_eq!(rate(platform, "npu2", "npu3"), "none");
    assert_eq!(
        (rate(platform, "npu1", "switch1.1"), rate(platform, "npu4", "switch1.1")),
        ("32768/15625".into(), "32768/15625".into())
    );
    assert!(says(&imported, Topic::Assumed, "2^30"));
    check_whole(&imported);
    let full = import("topology: [ FullyConnected ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\n").platform;
    assert_eq!(full.links().len(), 12);
    let two = import("topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 1 ]\n").platform;
    assert_eq!(two.links().len(), 2);
    let none = ImportOptions::default();
    refused(&text.replace("Ring", "Mesh"), &none, &["file:1", "'Mesh'", "FullyConnected"]);
    refused(&text.replace("[ 3, 2 ]", "[ 3 ]"), &none, &["2, 1 and 2 entries"]);
    refused(&text.replace("[ 3, 2 ]", "[ 99999999, 99999999999 ]"), &none, &["over 100000 NPUs"]);
    refused(&text.replace("Ring", "FullyConnected").replace("[ 3, 2 ]", "[ 2000, 1 ]"), &none, &["over 250000 links"]);
    refused(&text.replace("500.0", "NaN"), &none, &["file:3", "NaN"]);
    refused(&text.replace("500.0", "-1"), &none, &["file:3", "-1"]);
    refused(&text.replace("500.0", "1e999999"), &none, &["file:3", "1e999999"]);
}

#[test]
fn astra_sims_own_examples() {
    for (path, text) in
        samples("astra").into_iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "yml"))
    {
        let imported = import(&text);
        let count = text.split_once("npus_count: [ ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        assert_eq!(Some(reached(&imported.platform)), count, "{}", path.display());
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
    assert_eq!(imported.format, PlatformFormat::Hwloc);
    assert_eq!(names(platform), ["cuda0", "cuda1", "cpu0"]);
    assert_eq!((rate(platform, "cuda0", "cuda1"), rate(platform, "cpu0", "cuda0")), ("40".into(), "20".into()));
    assert_eq!(rate(platform, "cuda1", "cpu0"), "none");
    check_whole(&imported);
    let none = ImportOptions::default();
    refused(&HWLOC.replace("kind=\"25\"", "kind=\"5\""), &none, &["no matrix of bandwidths", "NCCL_TOPO_DUMP_FILE"]);
    refused(&HWLOC.replace("OSDev:8", "OSDev:9"), &none, &["<distances2hetero>", "'OSDev:9'"]);
    refused(&HWLOC.replace("nbobjs=\"3\"", "nbobjs=\"99999999\""), &none, &["1 to 500 objects"]);
    refused(&HWLOC.replace("20000 0 1000000", "20000"), &none, &["3 indexes and 7 values"]);
    refused(&HWLOC.replace("40000 20000", "40000 -5"), &none, &["-1/200", "positive"]);
    refused(HWLOC.split_at(HWLOC.len() - 30).0, &none, &["not valid XML"]);
}

#[test]
fn hwlocs_own_example() {
    for (_, text) in samples("hwloc").into_iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "xml")) {
        let imported = import(&text);
        assert_eq!((imported.platform.processors().count(), reached(&imported.platform)), (4, 4));
        assert!(says(&imported, Topic::Assumed, "cpu: 32 GB/s between packages of POWER"));
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
    assert_eq!(imported.format, PlatformFormat::SimGrid);
    assert_eq!(platform.processors().count(), 5);
    assert_eq!(reached(platform), 5);
    // All that passes "la", both ways, shares 125 MB/s.
    assert_eq!((rate(platform, "la.in", "la.out"), rate(platform, "a", "la.in")), ("1/8".into(), "1/8".into()));
    assert_eq!((rate(platform, "la.out", "c"), rate(platform, "c", "la.in")), ("1/8".into(), "1/8".into()));
    assert_eq!((rate(platform, "la.out", "b"), rate(platform, "b", "la.in")), ("1/4".into(), "none".into()));
    assert_eq!((rate(platform, "b", "c"), rate(platform, "c", "b")), ("1".into(), "none".into()));
    assert_eq!(
        (rate(platform, "n-0.x", "cl_backbone.in"), rate(platform, "cl_backbone.in", "cl_backbone.out")),
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
    refused(&changed("\"4.1\"", "\"3\""), &none, &["version 3", "simgrid_update_xml"]);
    refused(&changed("125MBps", "-1"), &none, &["file:5", "<link>", "-1"]);
    refused(&changed("125MBps", "NaN"), &none, &["file:5", "NaN"]);
    refused(&changed("125MBps", "1e999999"), &none, &["file:5", "1e999999"]);
    refused(&changed("id=\"b\"", "id=\"a\""), &none, &["file:4", "'a' is used twice"]);
    refused(&changed("<link id=\"lb\"", "<link id=\"la\""), &none, &["'link la' is given twice"]);
    refused(&changed("dst=\"b\"", "dst=\"z\""), &none, &["<route>", "'z'"]);
    refused(&changed("<link_ctn id=\"lb\"/>", "<link_ctn id=\"lz\"/>"), &none, &["<link_ctn>", "no link 'lz'"]);
    refused(&changed("<link_ctn id=\"la\"/></route>", "</route>"), &none, &["a route without links"]);
    refused(&changed("radical=\"0-1\"", "radical=\"0-999999999\""), &none, &["<cluster>", "a list of names"]);
    refused(&changed("radical=\"0-1\"", "topology=\"TORUS\" radical=\"0-1\""), &none, &["topology TORUS"]);
    refused(&changed("<host id=\"a\" speed=\"1Gf\"/>", "<peer id=\"a\"/>"), &none, &["<peer> is not read"]);
    let deep = format!("<platform version=\"4.1\">{}{}</platform>", "<zone>".repeat(500), "</zone>".repeat(500));
    refused(&deep, &none, &["over 100 levels of zones"]);
}
