//! Networks of clusters: InfiniBand, Slurm.

use std::collections::BTreeMap;

use oneport_testkit::{data, whole};
use oneport_topologies::{Format, ImportOptions, Topic};

use crate::{check_whole, fixture, import, import_with, names, rate, reached, refused, says};

/// Two hosts with two cards and one with one, on two switches with a double cable between them.
const IBNETDISCOVER: &str = r#"# Topology file: generated
vendid=0x2c9
devid=0xbd36
switchguid=0x1(1)
Switch  36 "S-0001"    # "leaf a" enhanced port 0 lid 2 lmc 0
[1]  "H-0011"[1](11)     # "node1 mlx5_0" lid 5 4xHDR
[2]  "H-0021"[1](21)     # "node2 mlx5_0" lid 6 4xHDR
[17]  "S-0002"[17]    # "leaf b" lid 3 4xEDR
[18]  "S-0002"[18]    # "leaf b" lid 3 4xEDR

switchguid=0x2(2)
Switch  36 "S-0002"    # "leaf b" enhanced port 0 lid 3 lmc 0
[1]  "H-0012"[1](12)     # "node1 mlx5_1" lid 7 2xHDR
[3]  "H-0031"[1](31)     # "login HCA-1" lid 8 4xFDR
[17]  "S-0001"[17]    # "leaf a" lid 2 4xEDR
[18]  "S-0001"[18]    # "leaf a" lid 2 4xEDR

caguid=0x11
Ca  1 "H-0011"    # "node1 mlx5_0"
[1](11)   "S-0001"[1]    # lid 5 lmc 0 "leaf a" lid 2 4xHDR

caguid=0x12
Ca  1 "H-0012"    # "node1 mlx5_1"
[1](12)   "S-0002"[1]    # lid 7 lmc 0 "leaf b" lid 3 2xHDR

caguid=0x21
Ca  1 "H-0021"    # "node2 mlx5_0"
[1](21)   "S-0001"[2]    # lid 6 lmc 0 "leaf a" lid 2 4xHDR

caguid=0x31
Ca  1 "H-0031"    # "login HCA-1"
[1](31)   "S-0002"[3]    # lid 8 lmc 0 "leaf b" lid 3 4xFDR
"#;

#[test]
fn a_fabric_by_ibnetdiscover() {
    // The command writes tabs.
    let imported = import(&IBNETDISCOVER.replace("  ", "\t"));
    assert_eq!(imported.format, Format::IbNetDiscover);
    let platform = &imported.platform;
    assert_eq!(
        names(platform),
        ["node1", "node2", "login", "leaf a", "leaf b"]
    );
    // 4 x 50, 2 x 50, 4 x 150/11 Gbit/s. Two cables of 4 x 25 Gbit/s.
    assert_eq!(rate(platform, "node1", "leaf a"), "25");
    assert_eq!(rate(platform, "leaf b", "node1"), "25/2");
    assert_eq!(rate(platform, "login", "leaf b"), "75/11");
    assert_eq!(rate(platform, "leaf a", "leaf b"), "25");
    assert_eq!((platform.processors().count(), reached(platform)), (3, 3));
    assert!(says(&imported, Topic::Merged, "cards of one host"));
    assert!(says(
        &imported,
        Topic::Assumed,
        "hdr: 6.25 GB/s of data per lane of HDR"
    ));
    // A unit that combines values inside a switch shows itself as an adapter.
    let sharp =
        import(&IBNETDISCOVER.replace("login HCA-1", "Mellanox Technologies Aggregation Node"));
    assert_eq!(
        (names(&sharp.platform), reached(&sharp.platform)),
        (vec!["node1", "node2", "leaf a", "leaf b"], 2)
    );
    assert!(says(&sharp, Topic::LeftOut, "aggregation nodes"));
    check_whole(&imported);
    let given = BTreeMap::from([("hdr".to_string(), whole(6))]);
    let platform = import_with(
        IBNETDISCOVER,
        &ImportOptions {
            link_bandwidth: given,
            ..ImportOptions::default()
        },
    )
    .platform;
    assert_eq!(rate(&platform, "node1", "leaf a"), "24");
}

/// `ibnetdiscover -p`, a line for each port: the same fabric as its blocks.
#[test]
fn a_fabric_by_its_ports() {
    let text = fixture("ib-ports.txt");
    let imported = import(&text);
    assert_eq!(imported.format, Format::IbNetDiscover);
    let platform = &imported.platform;
    let mut known = names(platform);
    known.sort_unstable();
    assert_eq!(known, ["leaf a", "leaf b", "node1", "node2"]);
    // 4 x 50 and 2 x 50 Gbit/s to one host. Two cables of 4 x 25 Gbit/s between the switches.
    assert_eq!(
        [
            ("node1", "leaf a"),
            ("leaf b", "node1"),
            ("leaf a", "leaf b"),
            ("node2", "leaf a")
        ]
        .map(|(from, to)| rate(platform, from, to)),
        ["25", "25/2", "25", "25"]
    );
    assert_eq!((platform.processors().count(), reached(platform)), (2, 2));
    check_whole(&imported);
    let none = ImportOptions::default();
    refused(
        &text.replacen("4x HDR", "4x WDR", 1),
        &none,
        &["file:1", "'4xWDR'"],
    );
    refused(
        &text.replacen("0x1", "", 1),
        &none,
        &["file:1", "as `ibnetdiscover -p` prints it"],
    );
}

/// A cable that came up with one lane at one end: it carries at most the rate of that end.
#[test]
fn ends_that_disagree() {
    let text = fixture("ib-two-widths.txt");
    let imported = import(&text);
    assert_eq!(
        [("sw1", "sw2"), ("sw2", "sw1"), ("n1", "sw1")].map(|(from, to)| rate(
            &imported.platform,
            from,
            to
        )),
        ["25/8", "25/8", "25/2"]
    );
    assert!(says(
        &imported,
        Topic::Assumed,
        "the ends of one cable disagree: sw1 port 1 and sw2 port 1 say 4xEDR and 1xEDR"
    ));
    // Two lanes of HDR are at least as fast as four of EDR. Four lanes of SDR are slower.
    let other = |width: &str| import(&text.replace("1xEDR", width)).platform;
    assert_eq!(rate(&other("2xHDR"), "sw1", "sw2"), "25/2");
    assert_eq!(rate(&other("4xSDR"), "sw1", "sw2"), "1");
    assert!(!says(
        &import(&text.replace("1xEDR", "4xEDR")),
        Topic::Assumed,
        "disagree"
    ));
}

#[test]
fn lines_of_iblinkinfo_without_headers() {
    // The lines that grep leaves of adapters and a switch.
    let line = |own: &str, other: &str| {
        format!("  {own}[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>  {other} ( )\n")
    };
    let ports = [
        line("0xa1  4  1", "2  17[  ] \"leaf\""),
        line("0xa2  5  1", "2  36[  ] \"leaf\""),
        line("2  17", "4  1[  ] \"n1 mlx5_0\""),
        line("2  36", "5  1[  ] \"n2 mlx5_0\""),
    ];
    let all = import(&ports.concat()).platform;
    assert_eq!(
        (names(&all), all.links().len()),
        (vec!["n1", "n2", "leaf"], 4)
    );
    let of_switch = import(&ports[2..].concat()).platform;
    assert_eq!(
        (names(&of_switch), of_switch.links().len()),
        (vec!["n1", "n2", "lid 2"], 4)
    );
    // Headers of adapters alone: the switch is recognised by its ports.
    let adapters = format!("CA: n1 mlx5_0:\n{}CA: n2 mlx5_0:\n{}", ports[0], ports[1]);
    let imported = import(&adapters);
    assert_eq!(
        (names(&imported.platform), imported.platform.links().len()),
        (vec!["n1", "n2", "leaf"], 4)
    );
    assert_eq!(
        (
            imported.platform.processors().count(),
            reached(&imported.platform)
        ),
        (2, 2)
    );
    assert!(says(&imported, Topic::Assumed, "several ports share a lid"));
}

/// The output of infiniband-diags 44 over ibsim's `net.2sw2path4hca`: two switches with two cables, two hosts on each.
#[test]
fn a_simulated_fabric_is_one_to_both_programs() {
    for (format, text) in [
        (
            Format::IbNetDiscover,
            include_str!("ibsim/ibnetdiscover.txt"),
        ),
        (Format::IbLinkInfo, include_str!("ibsim/iblinkinfo.txt")),
        (
            Format::IbLinkInfo,
            include_str!("ibsim/iblinkinfo-line.txt"),
        ),
    ] {
        let imported = import(text);
        let platform = &imported.platform;
        assert_eq!(imported.format, format);
        assert_eq!(
            (
                platform.processors().count(),
                platform.nodes().len(),
                reached(platform)
            ),
            (4, 6, 4)
        );
        // 4 lanes of 2 Gbit/s each, twice between the switches.
        for (host, switch) in [
            ("Hca1", "Switch1"),
            ("Hca3", "Switch1"),
            ("Hca2", "Switch2"),
            ("Hca4", "Switch2"),
        ] {
            assert_eq!(
                (rate(platform, host, switch), rate(platform, switch, host)),
                ("1".into(), "1".into())
            );
        }
        assert_eq!(
            (rate(platform, "Switch1", "Switch2"), platform.links().len()),
            ("2".into(), 10)
        );
        check_whole(&imported);
    }
}

/// The format that ibsim reads, and that old versions of ibnetdiscover wrote.
#[test]
fn fabrics_without_speeds_take_the_users() {
    let text = "# a net\nSwitch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[2]\t\"Hca2\"[2] # \"n2\" lid 1252\n\nHca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\
                \nHca 2 \"Hca2\"\n[2]\t\"Switch1\"[2]\n";
    refused(
        text,
        &ImportOptions::default(),
        &["without width and speed", "--link-bandwidth link=200Gbit/s"],
    );
    let link_bandwidth = BTreeMap::from([("link".to_string(), whole(25))]);
    let options = ImportOptions {
        link_bandwidth,
        ..ImportOptions::default()
    };
    let imported = import_with(text, &options);
    assert_eq!(
        (
            rate(&imported.platform, "Hca1", "Switch1"),
            reached(&imported.platform)
        ),
        ("25".into(), 2)
    );
    // Links that have a speed keep it.
    let mixed = import_with(&text.replace("lid 1252", "lid 1252 4xHDR"), &options).platform;
    assert_eq!(
        (rate(&mixed, "Hca1", "Switch1"), mixed.links().len()),
        ("25".into(), 4)
    );
}

#[test]
fn fabrics_that_are_wrong() {
    let none = ImportOptions::default();
    let changed = |from: &str, to: &str| IBNETDISCOVER.replacen(from, to, 1);
    refused(
        &changed("4xHDR", "4xWDR"),
        &none,
        &["file:6", "'4xWDR'", "such as 4xHDR"],
    );
    refused(
        &changed("4xHDR", "99999999999xHDR"),
        &none,
        &["file:6", "xHDR"],
    );
    refused(&changed("[1]  ", "[x]  "), &none, &["file:6", "'[number]'"]);
    refused(
        &changed("\"H-0021\"[1]", "\"H-0099\"[1]"),
        &none,
        &["H-0099 has no block"],
    );
    refused(
        &changed("Ca  1 \"H-0012\"", "Ca  1 \"H-0011\""),
        &none,
        &["'H-0011' is given twice"],
    );
    let cut = IBNETDISCOVER
        .split("caguid=0x12")
        .next()
        .unwrap_or_default();
    refused(cut, &none, &["has no block; the file is cut off"]);
    refused(
        "switchguid=0x1\n[1] \"H\"[1] # 4xHDR\n",
        &none,
        &["file:2", "a port before any Switch"],
    );
    refused(
        "switchguid=0x1\n",
        &none,
        &["no line begins with Switch or Ca"],
    );
}

const IBLINKINFO: &str = r#"CA: node1 mlx5_0:
      0x0000000000000011      5    1[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>       2    1[  ] "leaf a" ( )
CA: node2 mlx5_0:
      0x0000000000000021      6    1[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>       2    2[  ] "leaf a" ( )
Switch: 0x0000000000000001 leaf a:
           2    1[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>       5    1[  ] "node1 mlx5_0" ( )
           2    2[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>       6    1[  ] "node2 mlx5_0" ( )
           2    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           2    4[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>       9    1[  ] "storage" ( )
"#;

#[test]
fn a_fabric_by_iblinkinfo() {
    let imported = import(IBLINKINFO);
    assert_eq!(imported.format, Format::IbLinkInfo);
    let platform = &imported.platform;
    assert_eq!(
        (
            rate(platform, "node1", "leaf a"),
            rate(platform, "leaf a", "node2")
        ),
        ("25".into(), "25".into())
    );
    // Listed by the switch only.
    assert_eq!(rate(platform, "storage", "leaf a"), "5");
    assert_eq!(platform.links().len(), 6);
    check_whole(&imported);
    let line = |guid: u32, name: &str, lid: u32, port: u32, other: (u32, u32, u32, &str)| {
        format!(
            "0x{guid:016x} \"   {name}\" {lid:6} {port:4}[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>  0x{:016x} {:6} {:4}[  ] \"{}\" ( )\n",
            other.0, other.1, other.2, other.3
        )
    };
    let text = line(1, "sw", 2, 1, (17, 5, 1, "a HCA-1"))
        + &line(1, "sw", 2, 2, (18, 6, 1, "b HCA-1"))
        + &line(17, "a HCA-1", 5, 1, (1, 2, 1, "sw"))
        + &line(18, "b HCA-1", 6, 1, (1, 2, 2, "sw"));
    let platform = import(&text).platform;
    assert_eq!(names(&platform), ["a", "b", "sw"]);
    assert_eq!(
        (rate(&platform, "a", "sw"), platform.links().len()),
        ("25/2".into(), 4)
    );
    // Adapters of the same name are not merged.
    let alike = import(
        &IBLINKINFO
            .replace("node1 mlx5_0", "ConnectX")
            .replace("node2 mlx5_0", "ConnectX"),
    );
    assert_eq!(alike.platform.processors().count(), 3);
    assert!(says(
        &alike,
        Topic::Assumed,
        "every channel adapter is a separate host"
    ));
    let none = ImportOptions::default();
    refused(
        &IBLINKINFO.replacen("53.125", "NaN", 1),
        &none,
        &["file:2", "'4X NaN'", "25.78125"],
    );
    refused(
        &IBLINKINFO.replacen(" 1[", " [", 1),
        &none,
        &["file:2", "a port should read"],
    );
    refused(
        &IBLINKINFO.replace("LinkUp", "Polling"),
        &none,
        &["no port is up"],
    );
    refused(
        text.trim_start_matches("0x"),
        &none,
        &["file:1", "a port should read"],
    );
}

fn levels(rates: &[(&str, u32)]) -> ImportOptions {
    let rates = rates
        .iter()
        .map(|(kind, rate)| (kind.to_string(), whole(*rate)));
    ImportOptions {
        link_bandwidth: rates.collect(),
        ..ImportOptions::default()
    }
}

const CONF: &str = "# leaves\nSwitchName=s0 Nodes=tux[0-1] LinkSpeed=900\nswitchname=s1 nodes=tux[2-3],login # c\n\
                    SwitchName=s2 Switches=s[0-1]\n";
const YAML: &str = "---\n- topology: other\n  flat: true\n- topology: main\n  cluster_default: true\n  tree:\n    switches:\n\
                    \x20     - switch: s0\n        nodes: tux[0-1]\n      - switch: s1\n        nodes: \"tux[2-3],login\"\n\
                    \x20     - {switch: s2, children: 's[0-1]'}\n";

#[test]
fn slurm_has_switches_and_the_user_bandwidths() {
    let options = levels(&[("node", 25), ("level1", 40)]);
    for (format, text) in [(Format::SlurmConf, CONF), (Format::SlurmYaml, YAML)] {
        let imported = import_with(text, &options);
        let platform = &imported.platform;
        assert_eq!(imported.format, format);
        assert_eq!(
            names(platform),
            ["tux0", "tux1", "tux2", "tux3", "login", "s0", "s1", "s2"]
        );
        assert_eq!(
            (rate(platform, "login", "s1"), rate(platform, "s2", "s0")),
            ("25".into(), "40".into())
        );
        assert_eq!(reached(platform), 5);
        check_whole(&imported);
        let advice = [
            "holds no bandwidths",
            "--link-bandwidth node=25 --link-bandwidth level1=25",
        ];
        refused(text, &ImportOptions::default(), &advice);
        refused(
            text,
            &levels(&[("node", 25), ("level1", 1), ("level2", 1)]),
            &["no links of kind 'level2'"],
        );
    }
    let apart = import_with(
        "SwitchName=a Nodes=x\nSwitchName=b Nodes=y\n",
        &levels(&[("node", 25)]),
    );
    assert!(
        says(&apart, Topic::Assumed, "2 switches have no switch above")
            && reached(&apart.platform) == 1
    );
    let blocks = "BlockName=b1 Nodes=n[01-02]\nBlockName=b2 Nodes=n[03-04]\nBlockSizes=2,4\n";
    let yaml = "- topology: t\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: b1\n        nodes: n[01-02]\n\
                \x20     - block: b2\n        nodes: n[03-04]\n";
    for text in [blocks, yaml] {
        let platform = import_with(text, &options).platform;
        assert_eq!(
            (
                rate(&platform, "n03", "b2"),
                rate(&platform, "b1", "fabric")
            ),
            ("25".into(), "40".into())
        );
    }
}

/// The example of topology.conf(5) of 22.05.
#[test]
fn slurms_own_examples() {
    let options = levels(&[("node", 25), ("level1", 40)]);
    let leaves = (0..3).map(|leaf| {
        format!(
            "SwitchName=s{leaf} Nodes=dev[{}-{}]\n",
            6 * leaf,
            6 * leaf + 5
        )
    });
    let text = leaves
        .chain(["SwitchName=s3 Switches=s[0-2]\n".to_string()])
        .collect::<String>();
    let platform = import_with(&text, &options).platform;
    assert_eq!(
        (
            platform.processors().count(),
            platform.nodes().len(),
            reached(&platform)
        ),
        (18, 22, 18)
    );
    assert_eq!(
        (rate(&platform, "dev17", "s2"), rate(&platform, "s3", "s1")),
        ("25".into(), "40".into())
    );
}

/// The example of topology.yaml(5).
#[test]
#[ignore = "needs data turn3/doors/slurm-man-topology.yaml"]
fn the_example_of_slurms_yaml() {
    let options = levels(&[("node", 25), ("level1", 40)]);
    let path = data("turn3/doors/slurm-man-topology.yaml");
    let imported = import_with(&std::fs::read_to_string(path).expect("text"), &options);
    assert_eq!(
        names(&imported.platform),
        [
            "node01", "node02", "node03", "node04", "sw_root", "s1", "s2"
        ]
    );
    assert_eq!(reached(&imported.platform), 4);
    check_whole(&imported);
}

#[test]
fn slurm_files_that_are_wrong() {
    let options = levels(&[("node", 25), ("level1", 40)]);
    refused(
        "SwitchName=a Nodes=x[1-",
        &options,
        &["file:1", "'x[1-'", "tux[0-3,12]"],
    );
    refused(
        "SwitchName=a Nodes=x[0-999999999]",
        &options,
        &["file:1", "such as"],
    );
    refused(
        "SwitchName=a Nodes=x[0-999]y[0-999]z[0-999]",
        &options,
        &["over 200000 names"],
    );
    refused(
        "SwitchName=a Knots=x",
        &options,
        &["unknown key 'Knots'", "SwitchName"],
    );
    refused("SwitchName=a Nodes", &options, &["'Nodes'", "KEY=VALUE"]);
    refused("SwitchName=a Switches=a", &options, &["below themselves"]);
    refused(
        "SwitchName=a Switches=b\nSwitchName=b Switches=a",
        &options,
        &["below themselves"],
    );
    refused("SwitchName=a Switches=b", &options, &["file:1", "'b'"]);
    refused(
        "SwitchName=a Nodes=x\nSwitchName=a Nodes=y",
        &options,
        &["file:2", "'a' is given twice"],
    );
    refused("SwitchName=a Nodes=a", &options, &["'a' is used twice"]);
    refused(
        "- topology: t\n  flat: true\n",
        &options,
        &["a flat topology lists no nodes"],
    );
    refused(
        "- topology: t\n  tree: &x\n    switches: *x\n",
        &options,
        &["file:3", "references"],
    );
    refused(
        "- topology: t\n  tree:\n    switches: 5\n",
        &options,
        &["file:3", "'5' is not a list"],
    );
    refused(
        "- topology: t\n  tree:\n    switches:\n      - {switch: a, switch: b}\n",
        &options,
        &["file:4", "twice"],
    );
    refused("- topology: t\n  tree: [", &options, &["not valid YAML"]);
}

#[test]
fn hostile_yaml_ends_soon() {
    let none = ImportOptions::default();
    let deep = format!("- topology: {}", "[".repeat(100_000));
    refused(&deep, &none, &["not valid YAML", "limit"]);
    let deep = format!(
        "- topology: t\n  tree:\n{}",
        (2..2000)
            .map(|depth| format!("{}- \n", " ".repeat(depth)))
            .collect::<String>()
    );
    refused(&deep, &none, &["file:"]);
    refused(
        &format!("- topology: t\n  x: [{}]", "1,".repeat(300_000)),
        &none,
        &["over 200000 values"],
    );
    refused(
        &format!("- topology: {}", "x".repeat(5 << 20)),
        &none,
        &["over 4194304 bytes"],
    );
}

/// A `LinkSpeed` without a unit is not guessed: the message shows the text to write.
#[test]
fn a_speed_without_unit_is_asked_for() {
    let advice = [
        "LinkSpeed=900 has no unit",
        "write LinkSpeed=900G, or 900Gbit/s",
        "--link-bandwidth node=25",
    ];
    refused(CONF, &ImportOptions::default(), &advice);
}
