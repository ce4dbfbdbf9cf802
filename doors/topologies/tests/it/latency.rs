//! Latencies: stated ones are kept, the user's replace them, and the rest are assumed by kind.

use std::collections::BTreeMap;

use oneport_platform::parse_rational;
use oneport_topologies::{
    Fabric, ImportOptions, Imported, Latencies, LatencyAttribute, Origin, Rational, Topic,
};

use crate::{check_whole, import, import_with, refused, replicated, says};

/// Two GPUs with four NVLinks to an NVSwitch and a card of 400 Gbit/s with a latency of 1.3 us.
const DUMP: &str = r#"<system version="1">
  <cpu host_hash="0x1" numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="90" rank="0" gdr="1"><nvlink target="0000:05:00.0" count="4" tclass="0x068000"/></gpu>
    </pci>
    <pci busid="0000:0c:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="1" sm="90" rank="1" gdr="1"><nvlink target="0000:05:00.0" count="4" tclass="0x068000"/></gpu>
    </pci>
    <pci busid="0000:0d:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
      <nic><net name="mlx5_0" dev="0" speed="400000" port="1" guid="0x1" latency="1.3" gdr="1"/></nic>
    </pci>
  </cpu>
</system>
"#;

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// Kinds, latencies in microseconds, origins.
fn all(imported: &Imported, given: &Latencies) -> Vec<(&'static str, String, Origin)> {
    let (imported, all) = imported.clone().with_latencies(given).expect("kinds");
    let above = |link: &&oneport_platform::Link| !link.latency().eq(&number("0"));
    let links = imported.platform.links().iter().filter(above).count();
    assert_eq!(links, all.iter().map(|one| one.links).sum::<usize>());
    let microseconds = |latency: &Rational| (latency * number("1000000")).to_string();
    all.iter()
        .map(|one| (one.kind, microseconds(&one.latency), one.origin))
        .collect()
}

#[test]
fn dumps_state_the_latency_of_cards_and_the_rest_is_assumed() {
    let imported = import_with(DUMP, &replicated(2, Fabric::Switch, None));
    check_whole(&imported);
    let stated = ("net", "13/10".to_string(), Origin::Stated);
    assert_eq!(
        all(&imported, &Latencies::default()),
        std::slice::from_ref(&stated)
    );
    let assumed = Latencies {
        assumed: true,
        ..Latencies::default()
    };
    let latency_of = |kind, latency: &str, origin| (kind, latency.to_string(), origin);
    assert_eq!(
        all(&imported, &assumed),
        [
            stated.clone(),
            latency_of("nvlink", "3/10", Origin::Assumed),
            latency_of("pci", "1/4", Origin::Assumed)
        ]
    );
    // A kind replaces stated latencies, a time alone does not.
    let given = Latencies {
        kinds: BTreeMap::from([("pci".to_string(), number("0"))]),
        every: Some(number("1/500000")),
        assumed: true,
    };
    assert_eq!(
        all(&imported, &given),
        [stated, latency_of("nvlink", "2", Origin::Given)]
    );
    let given = Latencies {
        kinds: BTreeMap::from([("net".to_string(), number("1/200000"))]),
        ..Latencies::default()
    };
    assert_eq!(
        all(&imported, &given),
        [latency_of("net", "5", Origin::Given)]
    );
    let unknown = Latencies {
        kinds: BTreeMap::from([("xgmi".to_string(), number("1"))]),
        ..Latencies::default()
    };
    let error = imported
        .with_latencies(&unknown)
        .expect_err("no xgmi")
        .to_string();
    assert!(
        error.contains("'xgmi'") && error.contains("net, nvlink, pci"),
        "{error}"
    );
}

fn graph(edges: [&str; 2]) -> String {
    let [one, two] = edges;
    format!(
        "{{\"directed\": false, \"nodes\": [{{\"id\": \"x\"}}, {{\"id\": \"y\"}}, {{\"id\": \"z\"}}], \"edges\": [\n\
         {{\"capacity\": 1, {one}, \"source\": \"x\", \"target\": \"y\"}},\n\
         {{\"capacity\": 1, {two}, \"source\": \"y\", \"target\": \"z\"}}]}}"
    )
}

#[test]
fn edges_state_latencies_with_units() {
    let asked = |attribute: &str, seconds: Option<&str>| ImportOptions {
        latency: Some(LatencyAttribute {
            attribute: attribute.into(),
            seconds: seconds.map(number),
        }),
        ..ImportOptions::default()
    };
    let stated = |imported: &Imported| all(imported, &Latencies::default());
    let latency_of = |latency: &str| ("link", latency.to_string(), Origin::Stated);
    let both = import(&graph(["\"latency\": \"5 us\"", "\"delay\": \"2 ms\""]));
    assert_eq!(stated(&both), [latency_of("5"), latency_of("2000")]);
    check_whole(&both);
    // A number without a unit has no meaning: it is left out, with a note.
    let plain = graph(["\"latency\": 5", "\"latency\": 0"]);
    let imported = import(&plain);
    assert!(stated(&imported).is_empty());
    assert!(says(
        &imported,
        Topic::LeftOut,
        "--latency-attribute latency,us"
    ));
    let imported = import_with(&plain, &asked("latency", Some("1/1000")));
    assert_eq!(stated(&imported), [latency_of("5000")]);
    assert!(!says(&imported, Topic::LeftOut, "latency"));
    let other = graph(["\"hop\": \"5 us\"", "\"delay\": \"1 us\""]);
    assert_eq!(
        stated(&import_with(&other, &asked("hop", None))),
        [latency_of("5")]
    );
    refused(
        &graph(["\"hop\": \"5 GB\"", "\"hop\": 1"]),
        &asked("hop", None),
        &["x -- y", "5 GB"],
    );
    refused(
        &graph(["\"hop\": -1", "\"hop\": 1"]),
        &asked("hop", Some("1")),
        &["x -- y", "'-1' is below 0"],
    );
    let graphml = "<graphml><key id=\"d0\" attr.name=\"capacity\"/><key id=\"d1\" attr.name=\"latency\">\
        <default>3 us</default></key><graph edgedefault=\"directed\"><node id=\"x\"/><node id=\"y\"/>\
        <edge source=\"x\" target=\"y\"><data key=\"d0\">1</data></edge></graph></graphml>";
    assert_eq!(stated(&import(graphml)), [latency_of("3")]);
}

#[test]
fn dimensions_of_astra_sim_have_nanoseconds() {
    let text = "topology: [ Ring, Switch ]\nnpus_count: [ 3, 2 ]\nbandwidth: [ 500, 2 ]\nlatency: [ 500.0, 20 ]\n";
    let imported = import(text);
    let latency_of = |kind, latency: &str| (kind, latency.to_string(), Origin::Stated);
    let stated = all(&imported, &Latencies::default());
    assert_eq!(
        stated,
        [latency_of("ring", "1/2"), latency_of("switch", "1/50")]
    );
    refused(
        &text.replace("500.0", "-5"),
        &ImportOptions::default(),
        &["file:4", "'-5'", "nanoseconds"],
    );
}

#[test]
fn an_attribute_that_no_link_has_is_refused() {
    let asked = |attribute: &str, seconds: &str| ImportOptions {
        latency: Some(LatencyAttribute {
            attribute: attribute.into(),
            seconds: Some(number(seconds)),
        }),
        ..ImportOptions::default()
    };
    let stated = |imported: &Imported| all(imported, &Latencies::default());
    let latency_of = |latency: &str| ("link", latency.to_string(), Origin::Stated);
    let text = graph(["\"latency\": \"5 us\"", "\"hop\": 1"]);
    refused(
        &text,
        &asked("lag", "1"),
        &["no link has lag", "capacity, hop, latency"],
    );
    // One edge with it is enough.
    assert_eq!(
        stated(&import_with(&text, &asked("hop", "1/1000"))),
        [latency_of("1000")]
    );
    let gml = "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 LinkSpeedRaw 8000000000 \
        latency \"5 us\" ] edge [ source 1 target 2 LinkSpeedRaw 1000000000 ping 3 ] ]";
    // GML has gigabits and seconds.
    let links = |imported: &Imported| -> Vec<String> {
        let links = imported.platform.links().iter();
        links
            .map(|link| (link.latency() * number("1000000")).to_string())
            .collect()
    };
    let imported = import(gml);
    assert_eq!(links(&imported), ["5", "5", "0", "0"]);
    assert_eq!(
        links(&import_with(gml, &asked("ping", "1/1000"))),
        ["0", "0", "3000", "3000"]
    );
    refused(gml, &asked("lag", "1"), &["no link has lag"]);
    assert!(says(
        &import(&gml.replace("ping", "delay")),
        Topic::LeftOut,
        "--latency-attribute delay,us"
    ));
    // The fastest of parallel edges counts, with its latency.
    let two = gml.replace(
        " ] ]",
        " ] edge [ source 2 target 1 LinkSpeedRaw 2000000000 delay \"7 us\" ] ]",
    );
    assert_eq!(links(&import(&two)), ["5", "5", "7", "7"]);
    // A file that is not a graph has no attributes.
    refused(
        DUMP,
        &asked("latency", "1"),
        &["--latency-attribute", "it is for gml", "edges"],
    );
}

#[test]
fn lists_of_links_have_a_column_of_latencies() {
    let none = ImportOptions::default();
    let asked = |attribute: &str, seconds: Option<&str>| ImportOptions {
        latency: Some(LatencyAttribute {
            attribute: attribute.into(),
            seconds: seconds.map(number),
        }),
        ..ImportOptions::default()
    };
    let links = |imported: &Imported| -> Vec<String> {
        let links = imported.platform.links().iter();
        links
            .map(|link| (link.latency() * number("1000000")).to_string())
            .collect()
    };
    let text = "src,dst,gbps,latency_us,loss\na,b,80,5,0\nb,a,80,6,0\na,c,80,-,0\nc,a,80,7.5,0\na,b,8,4,0\n";
    let imported = import(text);
    // The least of two rows for one pair counts.
    assert_eq!(links(&imported), ["4", "6", "0", "15/2"]);
    assert!(says(
        &imported,
        Topic::Assumed,
        "column latency_us is the latency, in us"
    ));
    assert!(says(&imported, Topic::LeftOut, "columns loss"));
    check_whole(&imported);
    for head in ["latency_min_us", "Delay (us)", "delay [usec]", "latency-us"] {
        assert_eq!(
            links(&import(&text.replace("latency_us", head))),
            links(&imported),
            "{head}"
        );
    }
    let once = "from,to,GB/s,delay\na,b,1,5 us\nb,c,1,2ms\n";
    assert_eq!(links(&import(once)), ["5", "5", "2000", "2000"]);
    // Units that the file does not name are not guessed.
    let plain = text.replace("latency_us", "latency");
    let imported = import(&plain);
    assert_eq!(links(&imported), ["0"; 4]);
    assert!(says(
        &imported,
        Topic::LeftOut,
        "--latency-attribute latency,us"
    ));
    for name in ["latency", "4"] {
        let given = import_with(&plain, &asked(name, Some("1/1000000")));
        assert_eq!(links(&given), ["4", "6", "0", "15/2"]);
    }
    refused(
        text,
        &asked("lag", None),
        &["no link has lag", "src, dst, gbps, latency_us, loss"],
    );
    refused(text, &asked("9", None), &["no link has 9"]);
    refused(
        &text.replace("7.5", "late"),
        &none,
        &["file:5", "c to a", "late"],
    );
    refused(&text.replace("7.5", "-7.5"), &none, &["c to a", "below 0"]);
}

/// An option that does not apply to a format is refused, with the formats that it is for.
#[test]
fn options_for_other_formats_are_refused() {
    let list = "src,dst,gbps\na,b,80\n";
    let slurm = "SwitchName=s0 Nodes=n[0-3] LinkSpeed=25G\n";
    let graph = graph(["\"x\": 1", "\"x\": 2"]);
    let capacity = ImportOptions {
        capacity: Some(oneport_topologies::Capacity {
            attribute: "3".to_string(),
            units: oneport_platform::Units::gigabytes_and_seconds(),
        }),
        ..ImportOptions::default()
    };
    let default = ImportOptions {
        capacity_default: Some(number("1")),
        ..ImportOptions::default()
    };
    let nics = ImportOptions {
        nics: vec!["all".to_string()],
        ..ImportOptions::default()
    };
    let multicast = ImportOptions {
        multicast: true,
        ..ImportOptions::default()
    };
    for (text, options, name) in [
        (list, &default, "--capacity-default"),
        (list, &nics, "--nics"),
        (list, &multicast, "--multicast"),
        (
            slurm,
            &capacity,
            "--capacity says nothing about: it is for gml",
        ),
        (slurm, &nics, "it is for nccl, nvidia-smi"),
        (&graph, &nics, "--nics"),
        (DUMP, &capacity, "--capacity"),
        (DUMP, &default, "--capacity-default"),
    ] {
        refused(text, options, &[name]);
    }
    import_with(list, &capacity);
    import_with(&graph, &default);
    import_with(DUMP, &nics);
    let silent = DUMP.replace(
        "<nvlink target=\"0000:05:00.0\" count=\"4\" tclass=\"0x068000\"/>",
        "",
    );
    assert!(says(
        &import_with(&silent, &multicast),
        Topic::LeftOut,
        "no NVSwitch"
    ));
}
