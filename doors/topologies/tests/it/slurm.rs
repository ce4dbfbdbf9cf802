//! Output of Slurm itself, rings and tori, speeds by switch.

use oneport_topologies::{Format, ImportOptions, Topic};

use crate::{
    bandwidths, check_whole, fixture, import_with, names, rate, reached, refused, says, try_import,
};

/// Every line of `scontrol show topology` lists all nodes below its switch.
#[test]
fn a_node_hangs_on_its_lowest_switch() {
    let options = bandwidths(&[("node", 10), ("level1", 5), ("level2", 2)]);
    let text = fixture("slurm-scontrol.txt");
    let imported = import_with(&text, &options);
    let platform = &imported.platform;
    assert_eq!(imported.format, Format::SlurmConf);
    // 7 nodes, 3 leaves, 2 rows, with a cable above each.
    assert_eq!((platform.processors().count(), reached(platform)), (7, 7));
    assert_eq!((platform.nodes().len(), platform.links().len()), (13, 24));
    assert_eq!(
        [("cn01", "leaf1"), ("cn01", "row1"), ("cn01", "spine")]
            .map(|(from, to)| rate(platform, from, to)),
        ["10", "none", "none"]
    );
    assert_eq!(
        [("leaf2", "row1"), ("row2", "spine"), ("leaf2", "spine")]
            .map(|(from, to)| rate(platform, from, to)),
        ["5", "2", "none"]
    );
    // No leaf lists this one.
    assert_eq!(rate(platform, "viz1", "row2"), "10");
    assert!(says(&imported, Topic::Merged, "link to its lowest switch"));
    check_whole(&imported);
    // Lines without the words that only scontrol prints, and with the upper switches last.
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    let conf: String = (2..=2).chain(0..2).fold(lines.join("\n"), |text, level| {
        text.replace(&format!(" Level={level}"), "")
    });
    let plain = import_with(&conf, &options).platform;
    assert_eq!((plain.nodes().len(), plain.links().len()), (13, 24));
    assert_eq!(rate(&plain, "cn01", "row1"), "none");
}

#[test]
fn lines_that_were_cut_off_are_refused() {
    let text = fixture("slurm-scontrol.txt");
    let advice = ["without Switches=", "SLURM_TOPO_LEN"];
    refused(
        &text.replace(" Switches=row[1-2]", ""),
        &ImportOptions::default(),
        &advice,
    );
}

#[test]
fn nodes_under_two_leaves_keep_both_links() {
    let text = "SwitchName=a Nodes=x,y\nSwitchName=b Nodes=y,z\nSwitchName=t Switches=a,b\n";
    let imported = import_with(text, &bandwidths(&[("node", 10), ("level1", 5)]));
    assert_eq!(
        [("y", "a"), ("y", "b"), ("x", "b")].map(|(from, to)| rate(&imported.platform, from, to)),
        ["10", "10", "none"]
    );
    assert!(says(
        &imported,
        Topic::Assumed,
        "1 nodes are under several switches, and have a link to each: y under a and b"
    ));
}

#[test]
fn blocks_as_scontrol_prints_them() {
    let text = fixture("slurm-blocks.txt");
    let imported = import_with(&text, &bandwidths(&[("node", 25), ("level1", 100)]));
    let platform = &imported.platform;
    assert_eq!((platform.processors().count(), reached(platform)), (6, 6));
    assert_eq!(
        (
            rate(platform, "gb04", "rack-b"),
            rate(platform, "rack-a", "fabric")
        ),
        ("25".into(), "100".into())
    );
    assert!(says(&imported, Topic::LeftOut, "aggregated blocks"));
}

#[test]
fn speeds_by_switch() {
    let text = fixture("slurm-speeds.conf");
    // The rates of the links above the leaves are missing.
    refused(
        &text,
        &ImportOptions::default(),
        &["--link-bandwidth level1=25", "SWITCH"],
    );
    let rates = |options: &[(&str, u32)]| {
        let imported = import_with(&text, &bandwidths(options));
        let rate_of = |from, to| rate(&imported.platform, from, to);
        [
            rate_of("cn1", "leaf1"),
            rate_of("cn3", "leaf2"),
            rate_of("leaf3", "old2"),
            rate_of("leaf3", "core"),
        ]
    };
    assert_eq!(rates(&[("level1", 40)]), ["25/2", "25/2", "25/8", "40"]);
    assert_eq!(rates(&[("core", 40)]), ["25/2", "25/2", "25/8", "40"]);
    // The user's rate precedes the file's, and that of a switch precedes that of a level.
    assert_eq!(rates(&[("level1", 40), ("node", 7)]), ["7", "7", "7", "40"]);
    assert_eq!(
        rates(&[("level1", 40), ("node", 7), ("leaf[2-3]", 3)]),
        ["7", "3", "3", "40"]
    );
    let over = import_with(&text, &bandwidths(&[("level1", 40), ("node", 7)]));
    assert!(says(&over, Topic::LeftOut, "LinkSpeed=25Gbit/s of leaf3"));
    let read = import_with(&text, &bandwidths(&[("level1", 40)]));
    assert!(says(
        &read,
        Topic::Assumed,
        "links below leaf3: 3.125 GB/s by LinkSpeed=25Gbit/s"
    ));
    refused(
        &text,
        &bandwidths(&[("level1", 40), ("leaf9", 3)]),
        &["no links of kind 'leaf9'", "no switch of that name"],
    );
    // Numbers without a unit are not bandwidths. A note reports them if they differ, as Slurm prints 1 for all.
    let plain = text.replace("100G\n", "100\n").replace("25Gbit/s", "25");
    let imported = import_with(&plain, &bandwidths(&[("node", 1), ("level1", 1)]));
    assert!(says(&imported, Topic::LeftOut, "LinkSpeed, which differs"));
    let same = import_with(
        &fixture("slurm-scontrol.txt"),
        &bandwidths(&[("node", 1), ("level1", 1), ("level2", 1)]),
    );
    assert!(!says(&same, Topic::LeftOut, "LinkSpeed"));
}

#[test]
fn rings_and_tori() {
    let ring = fixture("slurm-ring.conf");
    refused(
        &ring,
        &ImportOptions::default(),
        &["holds no bandwidths", "--link-bandwidth ring=25"],
    );
    let platform = import_with(&ring, &bandwidths(&[("ring", 25)])).platform;
    assert_eq!(platform.links().len(), 8);
    assert_eq!(
        [("tr1", "tr2"), ("tr1", "tr4"), ("tr1", "tr3")]
            .map(|(from, to)| rate(&platform, from, to)),
        ["25", "25", "none"]
    );
    let yaml = "- topology: r\n  ring:\n    rings:\n      - ring: ring0\n        nodes: tr[1-4]\n";
    assert!(import_with(yaml, &bandwidths(&[("ring", 25)])).platform == platform);

    // 3 x 2 x 1: two rings of three, and three cables between them.
    let torus = fixture("slurm-torus.yaml");
    let options = bandwidths(&[("torus", 5)]);
    let imported = import_with(&torus, &options);
    let platform = &imported.platform;
    assert_eq!(platform.links().len(), 2 * (6 + 3));
    assert_eq!(
        [
            ("tp1", "tp2"),
            ("tp1", "tp3"),
            ("tp1", "tp4"),
            ("tp1", "tp5")
        ]
        .map(|(from, to)| rate(platform, from, to)),
        ["5", "5", "5", "none"]
    );
    assert!(says(&imported, Topic::Assumed, "every two neighbours"));
    let printed = "TorusName=pod1 Dims=3x2x1 Nodes=tp[1-6]\n  TorusName=pod1 PlacementDims=1x1x1(1) Anchors=6\n";
    assert!(import_with(printed, &options).platform == *platform);
    // Two regions with these nodes: the second region is the second row.
    let regions = torus.replace(
        "        nodes: tp[1-6]\n",
        "        regions:\n          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 3, y: 1, z: 1}, nodes: 'tp[1-3]'}\n\
         \x20         - {anchor: {x: 0, y: 1, z: 0}, dims: {x: 3, y: 1, z: 1}, nodes: 'tp[4-6]'}\n",
    );
    assert!(import_with(&regions, &options).platform == *platform);
    let first = regions.replace("tp[4-6]", "tp[4-5]");
    refused(&first, &options, &["a node for every place"]);
    let half: String = regions
        .lines()
        .filter(|line| !line.contains("y: 1, z: 0"))
        .map(|line| format!("{line}\n"))
        .collect();
    let row = import_with(&half, &options).platform;
    assert_eq!((names(&row).len(), row.links().len()), (3, 6));
    refused(
        &torus.replace("tp[1-6]", "tp[1-5]"),
        &options,
        &["'pod1' has 5 nodes", "3 x 2 x 1 places"],
    );
    refused(
        &torus.replace("x: 3, y", "x: 99999999999, y"),
        &options,
        &["places"],
    );
}

/// Rings and tori cut or changed anywhere: an answer, never a panic.
#[test]
fn hostile_rings_and_tori() {
    let options = bandwidths(&[("ring", 1), ("torus", 1)]);
    let conf = "RingName=r Nodes=a[0-2] RingSize=3\nTorusName=t Dims=2x2x1 Nodes=b[0-3]\n";
    for text in [conf.to_string(), fixture("slurm-torus.yaml")] {
        for end in 0..text.len() {
            let _ = try_import(&text[..end], &options);
            for mark in ["9", "x", "{", "-"] {
                let mut changed = text.clone();
                changed.replace_range(end..=end, mark);
                let _ = try_import(&changed, &options);
            }
        }
    }
    refused(
        "TorusName=t Dims=0x0x0 Nodes=b0\n",
        &options,
        &["0 x 0 x 0 places"],
    );
}
