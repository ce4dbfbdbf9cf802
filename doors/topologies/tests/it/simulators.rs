//! Platforms of simulators (ASTRA-sim, SimGrid), and machines of hwloc.

use oneport_topologies::{Format, ImportOptions, Topic};

use crate::{check_whole, import, names, rate, reached, refused, samples, says};

#[test]
fn astra_sim_has_dimensions() {
    // 1 GB/s is 2^30 bytes per second: 5^9 / 2^30 ... times 50.
    let text = "topology: [ Ring, Switch ]\nnpus_count: [ 3, 2 ]\nbandwidth: [ 500.0, 1.953125 ]  # GB/s\nlatency: [ 1, 2 ]\n";
    let imported = import(text);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::AstraSim);
    assert_eq!(platform.processors().count(), 6);
    // 2^30 x 500 / 10^9 = 2^23 / 15625. 1.953125 = 5^9 / 10^6.
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
#[ignore = "needs data topologies/astra"]
fn astra_sims_own_examples() {
    for (path, text) in samples("topologies/astra", "yml") {
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
    // Each GPU has a separate switch, with two links.
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
#[ignore = "needs data topologies/hwloc"]
fn hwlocs_own_example() {
    for (_, text) in samples("topologies/hwloc", "xml") {
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
