//! The network cards that join machines, and the marks of accelerators.

use oneport_testkit::whole;
use oneport_topologies::{Fabric, ImportOptions, Rational, Topic};

use crate::{import, import_with, names, rate, refused, replicated, says};

/// Machines of one GPU per NUMA node. Below each node are these cards.
fn dump(cards: [&str; 2]) -> String {
    let cpu = |(numa, cards): (usize, &str)| {
        format!(
            "<cpu host_hash=\"0x7\" numaid=\"{numa}\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" \
             modelid=\"143\">\
             <pci busid=\"0000:{numa}0:00.0\" class=\"0x060400\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\
             <pci busid=\"0000:{numa}1:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\
             <gpu dev=\"{numa}\" sm=\"90\" rank=\"{numa}\" gdr=\"1\"/></pci></pci>{cards}</cpu>"
        )
    };
    let cpus: String = [0, 1].into_iter().zip(cards).map(cpu).collect();
    format!("<system version=\"1\">{cpus}</system>")
}

fn card(name: &str, device: u32, guid: &str) -> String {
    format!(
        "<nic><net name=\"{name}\" dev=\"{device}\" speed=\"16000\" port=\"1\" guid=\"{guid}\"/></nic>"
    )
}

/// 16 Gbit/s are 2 GB/s, however often NCCL lists the card.
#[test]
fn one_card_below_two_numa_nodes_is_one() {
    let twice = card("eth0", 3, "0x0");
    let two = replicated(2, Fabric::Switch, None);
    let one = import_with(&dump([&twice, &twice]), &two);
    let platform = &one.platform;
    let fabric = platform.find("fabric").expect("a switch");
    assert_eq!(platform.incoming(fabric).len(), 2, "{:?}", names(platform));
    assert_eq!(rate(platform, "box1.eth0", "fabric"), "2");
    assert!(says(&one, Topic::Merged, "eth0 is listed more than once"));
    // Another name, number or guid is another card.
    for other in [
        card("eth1", 3, "0x0"),
        card("eth0", 4, "0x0"),
        card("eth0", 3, "0x1"),
    ] {
        let platform = import_with(&dump([&twice, &other]), &two).platform;
        let fabric = platform.find("fabric").expect("a switch");
        assert_eq!(platform.incoming(fabric).len(), 4, "{other}");
    }
}

#[test]
fn virtual_cards_are_left_out_unless_they_are_named() {
    let ends = [
        card("ens3", 0, "0x1") + &card("veth3f2a", 1, "0x2"),
        card("docker0", 2, "0x3") + &card("br0", 3, "0x4"),
    ];
    let text = dump([&ends[0], &ends[1]]);
    let plain = import(&text);
    assert_eq!(
        plain
            .node_kinds
            .iter()
            .filter(|kind| **kind == "network card")
            .count(),
        1
    );
    for name in ["veth3f2a", "docker0", "br0"] {
        assert!(says(
            &plain,
            Topic::LeftOut,
            &format!("virtual network card {name}")
        ));
        assert!(plain.platform.find(name).is_none());
    }
    let asked = |nics: &str| ImportOptions {
        nics: vec![nics.to_string()],
        ..replicated(2, Fabric::Switch, None)
    };
    // The rate of each machine into the network: 2 GB/s for every card that counts.
    let into = |nics: &str| -> String {
        let platform = import_with(&text, &asked(nics)).platform;
        let links = platform.incoming(platform.find("fabric").expect("a switch"));
        let rates = links.iter().map(|&link| platform.link(link).cost.recip());
        (rates.sum::<Rational>() / whole(2)).to_string()
    };
    assert_eq!(
        [into("all"), into("docker0"), into("ens3,docker*")],
        ["8", "2", "4"]
    );
    refused(&text, &asked("mlx5_9"), &["'mlx5_9'", "nic0 (ens3)"]);
}

/// Two GPUs with a card each, and two cards without a GPU: those serve storage.
#[test]
fn cards_of_storage_are_left_out() {
    let table = "\
\tGPU0\tGPU1\tNIC0\tNIC1\tNIC2\tNIC3\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV4\tPIX\tNODE\tNODE\tSYS\t0-31\t0
GPU1\tNV4\t X \tSYS\tSYS\tSYS\tPXB\t32-63\t1
NIC0\tPIX\tSYS\t X \tNODE\tNODE\tSYS
NIC1\tNODE\tSYS\tNODE\t X \tPIX\tSYS
NIC2\tNODE\tSYS\tNODE\tPIX\t X \tSYS
NIC3\tSYS\tPXB\tSYS\tSYS\tSYS\t X

NIC Legend:

  NIC0: mlx5_0
  NIC1: mlx5_bond_0
  NIC2: mlx5_2
  NIC3: mlx5_3
";
    let rails = |nics: &[&str]| {
        let options = ImportOptions {
            nics: nics.iter().map(|nics| nics.to_string()).collect(),
            ..replicated(2, Fabric::Rail, Some(25))
        };
        let imported = import_with(table, &options);
        let rails = names(&imported.platform)
            .iter()
            .filter(|name| name.starts_with("rail"))
            .count();
        (rails, imported)
    };
    let (two, imported) = rails(&[]);
    assert_eq!(two, 2);
    assert!(says(
        &imported,
        Topic::Assumed,
        "nic1 (mlx5_bond_0), nic2 (mlx5_2): taken for storage"
    ));
    assert_eq!(rate(&imported.platform, "box1.mlx5_3", "rail1"), "25");
    assert_eq!(
        [
            rails(&["all"]).0,
            rails(&["mlx5_2"]).0,
            rails(&["nic0..2"]).0
        ],
        [4, 1, 3]
    );
    // A GPU without a card at its switch: the file does not assign cards to GPUs.
    let unclear = table.replace("PXB", "NODE");
    let options = replicated(2, Fabric::Rail, Some(25));
    assert!(
        import_with(&unclear, &options)
            .platform
            .find("rail3")
            .is_some()
    );
}

#[test]
fn gpus_are_accelerators_and_nothing_else_is() {
    let imported = import(&dump(["", ""]));
    for (node, kind) in imported.platform.nodes().iter().zip(&imported.node_kinds) {
        assert_eq!(node.accelerator, *kind == "GPU", "{}", node.name);
    }
    // Without a GPU, the rest and its numbers stay.
    let gpu = imported.platform.find("gpu0").expect("a GPU");
    let (rate_before, links) = (
        rate(&imported.platform, "cpu0", "cpu1"),
        imported.link_kinds.len(),
    );
    let rest = imported.without(&[gpu]).expect("a platform");
    assert_eq!(
        (rest.link_kinds.len(), rest.accelerators.len()),
        (links - 2, 1)
    );
    assert_eq!(rest.node_kinds.len(), rest.platform.nodes().len());
    assert_eq!(rest.platform.name(rest.accelerators[0].node), "gpu1");
    assert_eq!(rate(&rest.platform, "cpu0", "cpu1"), rate_before);
}

#[test]
fn nvswitches_of_one_address_on_two_machines_are_noted() {
    let linked = |target: &str| {
        let link = format!("><nvlink target=\"{target}\" count=\"4\" tclass=\"0x068000\"/></gpu>");
        dump(["", ""])
            .replace("/></pci></pci>", &format!("{link}</pci></pci>"))
            .replacen("host_hash=\"0x7\"", "host_hash=\"0x8\"", 1)
    };
    let note = "several machines list an NVSwitch of the same PCI address";
    assert!(says(&import(&linked("0000:05:00.0")), Topic::Assumed, note));
    assert!(!says(
        &import(&linked("fffffff:ffff:ff")),
        Topic::Assumed,
        note
    ));
}
