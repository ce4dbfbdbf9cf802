//! Dumps of NCCL and RCCL.

use std::collections::BTreeMap;

use oneport_testkit::whole;
use oneport_topologies::{Fabric, Format, ImportOptions, Imported, Rational, Topic};

use crate::{
    check_whole, import, import_with, names, rate, reached, refused, replicated, samples, says,
};

/// Two GPUs of sm 90 with four NVLinks to each of two NVSwitches, behind a PCI switch with a card of 400 Gbit/s, in one
/// of two NUMA nodes.
const SWITCHED: &str = r#"<system version="1">
  <cpu host_hash="0x1" numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:0a:00.0" class="0x060400" vendor="0x1000" device="0xc030" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="4" tclass="0x068000"/>
          <nvlink target="0000:06:00.0" count="4" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:0c:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="fffffff:ffff:ff" count="8" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:0d:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic>
          <net name="mlx5_0" dev="0" speed="400000" port="1" guid="0x1" maxconn="131072" gdr="1"/>
        </nic>
      </pci>
    </pci>
  </cpu>
  <cpu host_hash="0x1" numaid="1" affinity="ff00" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143"/>
</system>
"#;

fn given(kind: &str, rate: u32) -> ImportOptions {
    let link_bandwidth = BTreeMap::from([(kind.to_string(), whole(rate))]);
    ImportOptions {
        link_bandwidth,
        ..ImportOptions::default()
    }
}

#[test]
fn one_nvswitch_stands_for_all() {
    let imported = import(SWITCHED);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::Nccl);
    assert_eq!(
        names(platform),
        [
            "gpu0",
            "gpu1",
            "cpu0",
            "pci0a:00.0",
            "nic0",
            "cpu1",
            "nvswitch"
        ]
    );
    // Eight NVLinks of 20.6 GB/s.
    assert_eq!(rate(platform, "gpu0", "nvswitch"), "824/5");
    assert_eq!(rate(platform, "nvswitch", "gpu0"), "824/5");
    assert_eq!(rate(platform, "gpu1", "nvswitch"), "824/5");
    assert_eq!(rate(platform, "gpu0", "gpu1"), "none");
    // 16 and 8 lanes of 32 GT/s.
    assert_eq!(rate(platform, "gpu0", "pci0a:00.0"), "48");
    assert_eq!(rate(platform, "gpu1", "pci0a:00.0"), "24");
    assert_eq!(rate(platform, "nic0", "pci0a:00.0"), "48");
    assert_eq!(rate(platform, "cpu0", "cpu1"), "22");
    let switch = platform.find("nvswitch").map(|node| platform.node(node));
    assert!(switch.is_some_and(|node| !node.is_processor() && !node.replicates));
    assert!(says(&imported, Topic::Merged, "all NVSwitches are one"));
    assert!(says(
        &imported,
        Topic::Assumed,
        "nvlink: 20.6 GB/s per NVLink of a GPU of sm 90"
    ));
    assert!(says(
        &imported,
        Topic::Assumed,
        "cpu: 22 GB/s between NUMA nodes of Intel Sapphire Rapids"
    ));
    let ranks: Vec<_> = imported
        .accelerators
        .iter()
        .map(|own| (own.device, own.rank))
        .collect();
    assert_eq!(ranks, [(0, Some(0)), (1, Some(1))]);
    check_whole(&imported);
}

#[test]
fn bandwidths_can_be_given() {
    let imported = import_with(SWITCHED, &given("nvlink", 25));
    assert_eq!(rate(&imported.platform, "gpu0", "nvswitch"), "200");
    assert!(says(
        &imported,
        Topic::Assumed,
        "nvlink: 25 GB/s per NVLink of a GPU of sm 90, NCCL's table, as given"
    ));
    assert_eq!(
        rate(
            &import_with(SWITCHED, &given("pci", 7)).platform,
            "gpu0",
            "pci0a:00.0"
        ),
        "7"
    );
    refused(
        SWITCHED,
        &given("xgmi", 25),
        &["no links of kind 'xgmi'", "cpu, net, nvlink, pci"],
    );
    let multicast = import_with(
        SWITCHED,
        &ImportOptions {
            multicast: true,
            ..ImportOptions::default()
        },
    )
    .platform;
    assert!(
        multicast
            .find("nvswitch")
            .is_some_and(|node| multicast.node(node).replicates)
    );
}

#[test]
fn nvswitches_combine_where_the_user_says_so() {
    let options = ImportOptions {
        multicast: true,
        reduce_in_switch: true,
        ..ImportOptions::default()
    };
    let able = import_with(SWITCHED, &options);
    let reducing = able
        .platform
        .nodes()
        .iter()
        .filter(|node| node.reduces.is_some());
    let names: Vec<_> = reducing
        .map(|node| (node.name.as_str(), node.replicates))
        .collect();
    assert_eq!(names, [("nvswitch", true)]);
    assert!(says(
        &able,
        Topic::Assumed,
        "nvswitch combines and duplicates what passes through it, in no time (NVLS)"
    ));
    // GPUs of sm 90: the file does not state whether NVLS is on.
    let plain = import_with(SWITCHED, &ImportOptions::default());
    assert!(
        plain
            .platform
            .nodes()
            .iter()
            .all(|node| node.reduces.is_none())
    );
    let notes = |imported: &Imported| {
        imported
            .notes
            .iter()
            .filter(|note| note.text.contains("--reduce-in-switch"))
            .count()
    };
    assert_eq!((notes(&plain), notes(&able)), (1, 0));
    // GPUs of sm 80 cannot.
    let older = SWITCHED.replace("sm=\"90\"", "sm=\"80\"");
    assert_eq!(notes(&import_with(&older, &ImportOptions::default())), 0);
    // Both switches of two machines.
    let two = ImportOptions {
        replicate: replicated(2, Fabric::Switch, None).replicate,
        ..options.clone()
    };
    let two = import_with(SWITCHED, &two);
    assert_eq!(
        two.platform.mergers().count(),
        two.platform.processors().count() + 2
    );
    // The switch that joins the machines, and not theirs.
    let network = ImportOptions {
        reduce_in_network: true,
        replicate: replicated(2, Fabric::Switch, None).replicate,
        ..ImportOptions::default()
    };
    let network = import_with(SWITCHED, &network);
    let reducing = network.platform.nodes().iter();
    let reducing: Vec<_> = reducing
        .filter(|node| node.reduces.is_some())
        .map(|node| (node.name.as_str(), node.replicates))
        .collect();
    assert_eq!(reducing, [("fabric", true)]);
    assert!(says(
        &network,
        Topic::Assumed,
        "fabric combines and duplicates what passes through it, in no time (SHARP)"
    ));
    let alone = ImportOptions {
        reduce_in_network: true,
        ..ImportOptions::default()
    };
    refused(SWITCHED, &alone, &["--reduce-in-switch=ib", "--fabric"]);
    // Without an NVSwitch no device could combine.
    let cards: Vec<&str> = SWITCHED
        .lines()
        .filter(|line| !line.contains("nvlink"))
        .collect();
    refused(
        &cards.join("\n"),
        &options,
        &["--reduce-in-switch", "no NVSwitch"],
    );
}

#[test]
fn machines_are_joined() {
    let two = import_with(SWITCHED, &replicated(2, Fabric::Switch, None)).platform;
    assert_eq!(two.nodes().len(), 15);
    // 400 Gbit/s.
    assert_eq!(rate(&two, "box1.nic0", "fabric"), "50");
    assert_eq!(rate(&two, "box1.gpu0", "box1.nvswitch"), "824/5");
    assert_eq!(reached(&two), 4);
    let three = import_with(SWITCHED, &replicated(3, Fabric::Full, None)).platform;
    assert_eq!(rate(&three, "box0.nic0", "box2.nic0"), "25");
    let rails = import_with(SWITCHED, &replicated(3, Fabric::Rail, Some(12))).platform;
    assert_eq!(rate(&rails, "rail0", "box2.nic0"), "12");
    let one = import_with(SWITCHED, &replicated(1, Fabric::Switch, None)).platform;
    assert_eq!((one.nodes().len(), reached(&one)), (7, 2));
    let cardless = SWITCHED.replace("<nic>", "<!--").replace("</nic>", "-->");
    refused(
        &cardless,
        &replicated(2, Fabric::Switch, None),
        &["does not say how fast", "--fabric switch,25"],
    );
    let own = import_with(&cardless, &replicated(2, Fabric::Rail, Some(12))).platform;
    assert_eq!(rate(&own, "box0.gpu1", "rail1"), "12");
    refused(
        SWITCHED,
        &replicated(usize::MAX, Fabric::Full, None),
        &["over 250000 links"],
    );
    refused(
        SWITCHED,
        &replicated(0, Fabric::Full, None),
        &["--replicate 0"],
    );
}

#[test]
fn two_machines_in_one_file() {
    let second = SWITCHED
        .replace("0x1\"", "0x2\"")
        .replace("rank=\"1", "rank=\"3")
        .replace("rank=\"0", "rank=\"2");
    let body = |text: &str| {
        text.lines()
            .filter(|line| !line.contains("system"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let both = format!(
        "<system version=\"1\">{}{}</system>",
        body(SWITCHED),
        body(&second)
    );
    let imported = import(&both);
    assert!(says(&imported, Topic::Assumed, "2 machines in one file"));
    assert_eq!(
        rate(&imported.platform, "box1.gpu0", "box1.pci0a:00.0"),
        "48"
    );
    // One NVLink domain: both machines share its switch.
    assert_eq!(reached(&imported.platform), 4);
    refused(
        &both,
        &replicated(2, Fabric::Switch, None),
        &["several machines already"],
    );
}

#[test]
fn gpus_without_rank_are_left_out() {
    let imported = import(&SWITCHED.replace(" rank=\"1\"", ""));
    assert_eq!(imported.platform.processors().count(), 1);
    assert!(says(&imported, Topic::LeftOut, "1 of 2 GPUs"));
    let imported = import(
        &SWITCHED
            .replace(" rank=\"1\"", "")
            .replace(" rank=\"0\"", ""),
    );
    assert_eq!(imported.platform.processors().count(), 2);
    assert!(says(&imported, Topic::Assumed, "no GPU has a rank"));
}

#[test]
fn xgmi_and_c2c() {
    let gpu = |number: u32, links: &str| {
        format!(
            "<cpu numaid=\"{number}\" arch=\"arm64\"><pci busid=\"0000:0{number}:00.0\" class=\"0x120000\" \
             link_speed=\"64.0 GT/s\" link_width=\"16\"><gpu dev=\"{number}\" gcn=\"gfx942\" rank=\"{number}\">{links}\
             </gpu></pci></cpu>"
        )
    };
    let links = [
        "<xgmi target=\"0000:02:00.0\" count=\"2\" tclass=\"0x120000\"/><c2c bw=\"90000\" count=\"5\"/>",
        "",
    ];
    let text = format!(
        "<?xml version=\"1.0\"?>\n<system version=\"2\">{}{}</system>",
        gpu(1, links[0]),
        gpu(2, links[1])
    );
    let imported = import(&text);
    assert_eq!(rate(&imported.platform, "gpu1", "gpu2"), "96");
    assert_eq!(rate(&imported.platform, "gpu2", "gpu1"), "none");
    // C2C in addition to PCI: 450 + 96 GB/s.
    assert_eq!(rate(&imported.platform, "gpu1", "cpu1"), "546");
    assert!(says(&imported, Topic::Merged, "kinds pci and c2c"));
    assert_eq!(rate(&imported.platform, "cpu1", "cpu2"), "6");
    assert!(says(
        &imported,
        Topic::Assumed,
        "xgmi: 48 GB/s per xGMI link of a GPU of gcn gfx942"
    ));
}

#[test]
fn what_is_wrong_is_named() {
    let none = ImportOptions::default();
    let changed = |from: &str, to: &str| SWITCHED.replacen(from, to, 1);
    refused(
        "<system version=\"1\"><cpu numaid=\"0\"/></system>",
        &none,
        &["no <gpu>", "NCCL_TOPO_DUMP_FILE=topo.xml"],
    );
    refused("<topo version=\"1\"/>", &none, &["<topo>", "<system>"]);
    refused(
        &changed("count=\"4\"", "count=\"-4\""),
        &none,
        &["file:6", "<nvlink>", "-4", "from 1 to 1000"],
    );
    refused(
        &changed("count=\"4\"", "count=\"9999999999\""),
        &none,
        &["file:6", "from 1 to 1000"],
    );
    refused(
        &changed("count=\"4\" ", ""),
        &none,
        &["file:6", "'count' is missing"],
    );
    refused(
        &changed("count=\"4\"", "count=\"four\""),
        &none,
        &["file:6", "four", "a whole number"],
    );
    refused(
        &changed("speed=\"400000\"", "speed=\"1e999999\""),
        &none,
        &["file:17", "<net>", "1e999999"],
    );
    refused(
        &changed("link_width=\"16\"", "link_width=\"NaN\""),
        &none,
        &["file:3", "<pci>", "NaN"],
    );
    refused(
        &changed("dev=\"1\"", "dev=\"0\""),
        &none,
        &["file:11", "<gpu>", "'gpu0' is used twice"],
    );
    refused(
        &changed(" busid=\"0000:0b:00.0\"", ""),
        &none,
        &["file:4", "'busid' is missing"],
    );
    refused(
        SWITCHED.split_at(SWITCHED.len() / 2).0,
        &none,
        &["not valid XML"],
    );
    refused(
        &format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{SWITCHED}"),
        &none,
        &["entities are not read"],
    );
    refused("<system", &none, &["not valid XML"]);
}

#[test]
fn hostile_sizes_end_soon() {
    let none = ImportOptions::default();
    let deep = format!(
        "<system>{}{}</system>",
        "<pci>".repeat(200_000),
        "</pci>".repeat(200_000)
    );
    refused(&deep, &none, &["no <gpu>"]);
    let wide = format!(
        "<system><cpu {}/></system>",
        (0..200_000)
            .map(|i| format!("a{i}=\"\" "))
            .collect::<String>()
    );
    refused(&wide, &none, &["over 100 attributes in one element"]);
    let bridge = |depth: usize| {
        let open: String = (0..depth)
            .map(|i| format!("<pci busid=\"{i:x}\" link_width=\"16\">"))
            .collect();
        format!(
            "<cpu numaid=\"0\">{open}<pci busid=\"fffff\"><gpu dev=\"0\" rank=\"0\"/></pci>{}</cpu>",
            "</pci>".repeat(depth)
        )
    };
    refused(
        &format!("<system>{}</system>", bridge(500)),
        &none,
        &["over 100 levels of PCI bridges"],
    );
    let gpus: String = (0..120_000)
        .map(|i| format!("<pci busid=\"{i:x}\"><gpu dev=\"{i}\"/></pci>"))
        .collect();
    refused(
        &format!("<system><cpu numaid=\"0\">{gpus}</cpu></system>"),
        &none,
        &["over 100000 nodes"],
    );
    let cpus: String = (0..2000)
        .map(|i| format!("<cpu numaid=\"{i}\"/>"))
        .collect();
    refused(
        &format!(
            "<system>{}{cpus}</system>",
            bridge(0).replace("\"0\">", "\"x\">")
        ),
        &none,
        &["over 250000 links"],
    );
}

/// Counts in the text itself the nodes and links that the importer must find.
#[test]
#[ignore = "needs data topologies/rccl"]
fn real_dumps() {
    for (path, text) in samples("topologies/rccl", "xml") {
        let imported = import(&text);
        let platform = &imported.platform;
        let gpus = text.matches("<gpu ").count();
        assert_eq!(platform.processors().count(), gpus, "{}", path.display());
        assert_eq!(reached(platform), gpus, "{}", path.display());
        let links: u64 = text
            .lines()
            .filter(|line| line.contains("<xgmi"))
            .filter_map(count)
            .sum();
        let each = ["906\"", "908\"", "910\"", "940\""]
            .iter()
            .position(|gcn| text.contains(gcn))
            .unwrap_or(0);
        let expected = whole(links * [24, 24, 36, 48][each]);
        let found: Rational = platform
            .links()
            .iter()
            .zip(&imported.link_kinds)
            .filter(|(_, kind)| **kind == "xgmi")
            .map(|(link, _)| link.cost.recip())
            .sum();
        assert_eq!(found, expected, "{}", path.display());
        check_whole(&imported);
    }
}

fn count(line: &str) -> Option<u64> {
    line.split_once("count=\"")?
        .1
        .split('"')
        .next()?
        .parse()
        .ok()
}

#[test]
#[ignore = "needs data topologies/nccl_inputs"]
fn files_that_clouds_ship_are_refused_with_advice() {
    for (_, text) in samples("topologies/nccl_inputs", "xml") {
        refused(
            &text,
            &ImportOptions::default(),
            &["no <gpu>", "NCCL_TOPO_DUMP_FILE"],
        );
    }
}

/// The dump with the contents of its first NUMA node twice.
fn doubled(from: &str, to: &str) -> String {
    SWITCHED.replacen(from, to, 1)
}

#[test]
fn names_that_repeat_are_numbered() {
    // Virtual machines show bridges of one address, and list the cards of the machine below every NUMA node.
    let bridge =
        "<pci busid=\"0000:0a:00.0\" class=\"0x060400\" link_speed=\"8 GT/s\" link_width=\"16\"/>";
    let card = "<nic><net name=\"eth0\" dev=\"1\" speed=\"10000\"/></nic>";
    let text = doubled("  </cpu>", &format!("{bridge}{card}</cpu>")).replace(
        "6\" modelid=\"143\"/>",
        &format!("6\" modelid=\"143\">{card}</cpu>"),
    );
    let imported = import(&text);
    let platform = &imported.platform;
    assert_eq!(
        (
            rate(platform, "pci0a:00.0", "cpu0"),
            rate(platform, "pci0a:00.0#2", "cpu0")
        ),
        ("48".into(), "12".into())
    );
    assert_eq!(
        (
            rate(platform, "nic1", "cpu0"),
            rate(platform, "nic1.eth0", "cpu1")
        ),
        ("5000".into(), "5000".into())
    );
    check_whole(&imported);
    let three = text.replace(
        "</system>",
        &format!("<cpu host_hash=\"0x1\" numaid=\"2\">{card}</cpu></system>"),
    );
    assert_eq!(
        rate(&import(&three).platform, "nic1.eth0#2", "cpu2"),
        "5000"
    );
}

#[test]
fn functions_of_a_card_are_its_ports() {
    let port = "<pci busid=\"0000:0d:00.1\" class=\"0x020700\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\
                <nic><net name=\"mlx5_1\" dev=\"1\" speed=\"200000\"/></nic></pci>";
    let imported = import(&doubled(
        "    </pci>\n  </cpu>",
        &format!("{port}</pci></cpu>"),
    ));
    let platform = &imported.platform;
    assert!(platform.find("nic1").is_none(), "{:?}", names(platform));
    assert_eq!(rate(platform, "nic0", "pci0a:00.0"), "48");
    let two = import_with(
        &doubled("    </pci>\n  </cpu>", &format!("{port}</pci></cpu>")),
        &replicated(2, Fabric::Switch, None),
    );
    // 400 and 200 Gbit/s.
    assert_eq!(rate(&two.platform, "box0.nic0", "fabric"), "75");
}

#[test]
fn links_without_class_are_told_by_their_target() {
    let imported = import(&SWITCHED.replace(" tclass=\"0x068000\"", ""));
    assert_eq!(rate(&imported.platform, "gpu0", "nvswitch"), "824/5");
    assert!(says(&imported, Topic::Assumed, "without tclass"));
    let direct = SWITCHED
        .replace(" tclass=\"0x068000\"", "")
        .replace("0000:05:00.0", "0000:0c:00.0");
    assert_eq!(rate(&import(&direct).platform, "gpu0", "gpu1"), "412/5");
}

#[test]
fn bridges_may_be_joined_beside_the_tree() {
    let other = "<pci busid=\"0000:1a:00.0\" class=\"0x060400\" link_speed=\"\" link_width=\"\"><pcilink target=\"0000:0a:00.0\"/></pci>";
    let imported = import(&doubled("  </cpu>", &format!("{other}</cpu>")));
    assert_eq!(
        (
            rate(&imported.platform, "pci1a:00.0", "pci0a:00.0"),
            rate(&imported.platform, "pci1a:00.0", "cpu0")
        ),
        ("5000".into(), "12".into())
    );
}

#[test]
fn files_that_are_no_dumps_are_told_from_dumps() {
    let none = ImportOptions::default();
    refused(
        "<graphs version=\"1\"><graph id=\"0\"/></graphs>",
        &none,
        &["which rings to take", "NCCL_TOPO_DUMP_FILE"],
    );
    let flat =
        "<system version=\"1\"><gpu dev=\"0\"><nvlink target=\"1\" count=\"12\"/></gpu></system>";
    refused(
        flat,
        &none,
        &["no <gpu> stands in a <pci>", "NCCL_TOPO_DUMP_FILE"],
    );
}
