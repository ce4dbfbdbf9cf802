//! `oneport rings`: its results, files and checks, and its refusals.

use crate::common;

use common::{Folder, each, read};

/// Three GPUs on NVLinks of 25 GB/s in a line, and on one PCI switch: an optimal all-gather uses both at the same time.
#[test]
fn an_export_warns_of_nvlink_and_pci_at_once_as_rings_do() {
    let folder = Folder::new();
    let mut text =
        "format = \"oneport-platform/1\"\nunits = \"GB/s\"\nmodel = \"links\"\nnode = [\n"
            .to_string();
    for gpu in 0..3 {
        text += &format!("  {{ name = \"gpu{gpu}\", compute = 0.001 }},\n");
    }
    text += "  { name = \"pci0\", replicates = false },\n]\nlink = [\n";
    let ends = [
        ("gpu0", "gpu1", 25),
        ("gpu1", "gpu2", 25),
        ("gpu0", "pci0", 12),
        ("gpu1", "pci0", 12),
        ("gpu2", "pci0", 12),
    ];
    for (from, to, rate) in ends {
        for (from, to) in [(from, to), (to, from)] {
            text += &format!(
                "  {{ from = \"{from}\", to = \"{to}\", bandwidth = \"{rate} GB/s\" }},\n"
            );
        }
    }
    text += "]\n";
    let file = folder.write("box.toml", text);
    let export = |changes: &[&str], target: &str| {
        let plan = folder.path(&format!("{target}-{}.json", changes.len()));
        let out = folder.path(&format!("{target}-{}.out", changes.len()));
        let changes = each("--change", changes);
        oneport!("solve all-gather {file} -o {plan} {changes}").ok();
        oneport!("export --to {target} {plan} {out}").ok().stdout
    };
    for target in ["msccl", "mscclpp"] {
        let both = export(&[], target);
        for words in [
            "warning: the plan uses NVLink",
            "pci0",
            "*gpu* <-> *pci*: remove",
        ] {
            assert!(both.contains(words), "{words}: {both}");
        }
        let alone = export(&["*gpu* <-> *pci*: remove"], target);
        assert!(!alone.contains("warning"), "{alone}");
    }
}

#[test]
fn rings_of_a_box_and_its_graph_file() {
    let folder = Folder::new();
    let graph = folder.path("graph.xml");
    let run = oneport!("rings dgx1.toml -o {graph}").ok();
    for line in [
        "rings       150 GB/s on",
        "together 150 GB/s: attain the optimum",
        "rings cost nothing",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:#?}");
    }
    let written = read(&graph);
    assert!(
        written.contains("<graph id=\"0\" pattern=\"4\""),
        "{written}"
    );
    assert!(
        written.contains("<graph id=\"1\" pattern=\"1\""),
        "{written}"
    );
    // The file itself is judged as good. With one ring left, it has the throughput of one ring.
    let again = oneport!("rings dgx1.toml --check {graph} --json")
        .ok()
        .object();
    assert_eq!(
        (&again["checked"]["total"], &again["total"]),
        (&"150".into(), &"150".into())
    );
    assert_eq!(
        (&again["status"], &again["trees"]["bus_bandwidth"]),
        (&"optimal".into(), &"150".into())
    );
    let channel = |index: usize| {
        written
            .split("<channel>")
            .nth(index)
            .and_then(|rest| rest.split("</channel>").next())
    };
    let one = format!(
        "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"25\" \
         speedinter=\"25\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\"><channel>{}</channel></graph></graphs>",
        channel(1).expect("a channel")
    );
    let alone = folder.write("one.xml", &one);
    let alone = oneport!("rings dgx1.toml --check {alone} --json")
        .ok()
        .object();
    let total: u32 = alone["checked"]["total"]
        .as_str()
        .expect("a number")
        .parse()
        .expect("whole");
    assert!((25..=50).contains(&total), "{alone:#}");
}

#[test]
fn fewer_rings_and_some_processors() {
    let one = oneport!("rings dgx1.toml --max-rings 1 --json")
        .ok()
        .object();
    assert_eq!(
        (&one["equal"]["total"], &one["equal"]["upper_bound"]),
        (&"50".into(), &"50".into())
    );
    let few = oneport!("rings dgx1.toml --participants box0.gpu0,box0.gpu1,box0.gpu2 --json");
    let few = few.ok().object();
    assert_eq!(few["processors"].as_array().map(Vec::len), Some(3));
    assert_eq!(few["status"], "optimal");
}

#[test]
fn what_is_no_ring_is_refused() {
    let folder = Folder::new();
    oneport!("rings dgx-a100-4.toml").refused(1, &["32 processors", "16", "--participants A,B"]);
    let star = folder.path("star.toml");
    oneport!("generate star --leaves 3 -o {star}").ok();
    oneport!("rings {star}").refused(1, &["no ring visits all 4 processors"]);
    oneport!("rings dgx1.toml --participants box0.gpu0")
        .refused(1, &["at least 2 processors; here 1"]);
    oneport!("rings dgx1.toml --model half-duplex")
        .refused(1, &["half-duplex", "another port model"]);
    oneport!("rings dgx1.toml --max-rings 33").misused(&["--max-rings", "32"]);
    oneport!("rings dgx1.toml --path-type NVS").refused(2, &["--path-type", "NVL"]);
    let graph = |channels: &str| {
        let count = channels.matches("<channel>").count();
        let head = format!(
            "<graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"{count}\" speedintra=\"1\" \
             speedinter=\"1\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\">"
        );
        folder.write(
            "graph.xml",
            format!("<graphs version=\"1\">{head}{channels}</graph></graphs>"),
        )
    };
    let judged = |channels: &str| oneport!("rings dgx1.toml --check {}", graph(channels));
    judged("<channel><gpu dev=\"9\"/></channel>")
        .refused(1, &["channel 0", "device 0x9 is not one of the processors"]);
    judged("<channel><gpu dev=\"0\"/></channel>")
        .refused(1, &["channel 0 visits 'box0.gpu1' 0 times"]);
    judged("").refused(1, &["has no channels"]);
    // No link between 0 and 5, so no hop.
    let order = [0, 5, 4, 6, 7, 3, 2, 1]
        .map(|dev| format!("<gpu dev=\"{dev}\"/>"))
        .concat();
    judged(&format!("<channel>{order}</channel>"))
        .refused(1, &["no route leads from 'box0.gpu0' to 'box0.gpu5'"]);
}

/// NCCL reads a graph file per node: every box has the chain of its own GPUs, between its network cards.
#[test]
fn several_boxes_have_a_file_each() {
    let folder = Folder::new();
    let run = oneport!("rings ndv2-2.toml -o {}", folder.path("graph.xml")).ok();
    assert!(
        run.stdout.contains("graph.box0.xml") && run.stdout.contains("in each box"),
        "{run:#?}"
    );
    assert!(!run.stdout.contains("warning"), "{run:#?}");
    assert!(std::fs::metadata(folder.path("graph.xml")).is_err());
    for (name, first) in [("graph.box0.xml", 0), ("graph.box1.xml", 8)] {
        let text = read(folder.path(name));
        let channels: Vec<&str> = text.split("<channel>").skip(1).collect();
        assert!(!channels.is_empty());
        for channel in channels {
            let numbers = |key: &str| -> Vec<u32> {
                let values = channel
                    .split(key)
                    .skip(1)
                    .filter_map(|rest| rest.split('"').next()?.parse().ok());
                values.collect()
            };
            let (mut devices, mut ranks) = (numbers("gpu dev=\""), numbers("rank=\""));
            let cards = numbers("net dev=\"");
            // Without cards in the platform file each GPU has its own: the first one's in, the last one's out.
            assert_eq!(
                (cards.first(), cards.last(), cards.len()),
                (devices.first(), devices.last(), 2),
                "{channel}"
            );
            devices.sort_unstable();
            ranks.sort_unstable();
            assert_eq!(
                (devices, ranks),
                ((0..8).collect(), (first..first + 8).collect()),
                "{channel}"
            );
        }
    }
}

/// Channels are at most as fast as in NCCL's tables, and rings that leave their box are named.
#[test]
fn channels_have_speeds_of_nccl_and_rings_stay_in_their_box() {
    let folder = Folder::new();
    let (platform, graph) = (folder.path("a100.toml"), folder.path("graph.xml"));
    oneport!("generate dgx-a100 --boxes 2 -o {platform}").ok();
    let gpus = (0..8)
        .map(|gpu| format!("box0.gpu{gpu}"))
        .collect::<Vec<String>>()
        .join(",");
    let run = oneport!("rings {platform} --participants {gpus} -o {graph}").ok();
    assert!(
        run.stdout
            .contains("warning     these rings leave the box through ")
            && run.stdout.contains("ib0"),
        "{run:#?}"
    );
    let text = read(&graph);
    let speed: f64 = text
        .split("speedintra=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next()?.parse().ok())
        .unwrap();
    let channels = text
        .split("</graph>")
        .next()
        .unwrap()
        .matches("<channel>")
        .count();
    assert!(speed <= 40.0 && channels <= 32, "{text}");
    // One box alone: 300 GB/s of NVSwitch in channels of at most 40, and no warning.
    let run = oneport!("rings dgx-a100-1.toml -o {graph}").ok();
    assert!(!run.stdout.contains("warning"), "{run:#?}");
    let text = read(&graph);
    let first = text.split("</graph>").next().unwrap();
    assert!(
        first.matches("<channel>").count() == 8 && first.contains("speedintra=\"37.5\""),
        "{text}"
    );
    // Exactly the requested number.
    oneport!("rings dgx-a100-1.toml --max-rings 3 -o {graph}").ok();
    assert!(
        read(&graph).contains("nchannels=\"3\" speedintra=\"100\""),
        "{}",
        read(&graph)
    );
}

/// A box with NVLinks and PCI: rings that use both are named with their PCI links, rings of NVLink alone are not.
#[test]
#[ignore = "needs data turn3/trial/dgxa100-dump.xml"]
fn rings_that_mix_kinds_of_links_are_named() {
    let dump = oneport_testkit::data("turn3/trial/dgxa100-dump.xml");
    let run = oneport!("rings {}", dump.to_string_lossy()).noted(&["left out"]);
    let warning = run
        .stdout
        .lines()
        .find(|line| line.starts_with("warning "))
        .unwrap();
    assert!(
        warning.contains("ring gpu") && warning.contains("PCI") && warning.contains("-> pci"),
        "{warning}"
    );
}

/// PCI is too slow to help: NVLink carries the rings alone.
#[test]
fn rings_of_one_kind_of_links_have_no_warning() {
    let run = oneport!("rings dgx1.toml").ok();
    assert!(!run.stdout.contains("warning"), "{run:#?}");
}

/// Channels between network cards are paths of a job of several boxes: the return path is not in this box.
#[test]
fn channels_between_cards_are_paths() {
    let folder = Folder::new();
    let mut topology = "GPU0 GPU1 GPU2 NIC0\n".to_string();
    topology.push_str(
        "GPU0 X NV1 SYS PIX\nGPU1 NV1 X NV1 SYS\nGPU2 SYS NV1 X SYS\nNIC0 PIX SYS SYS X\n",
    );
    let topology = folder.write("topo.txt", topology);
    let channel = |nets: [&str; 2]| {
        let [first, last] = nets;
        let gpus = "<gpu dev=\"0\"/><gpu dev=\"1\"/><gpu dev=\"2\"/>";
        folder.write(
            "graph.xml",
            format!(
                "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"9\" \
                 speedinter=\"9\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\"><channel>{first}{gpus}{last}\
                 </channel></graph></graphs>"
            ),
        )
    };
    let checked = |nets| {
        let run = oneport!("rings {topology} --check {} --json", channel(nets));
        run.noted(&["pci"]).object()["checked"].clone()
    };
    let net = "<net dev=\"0\"/>";
    let (ring, path) = (checked(["", ""]), checked([net, net]));
    assert_eq!(
        (&ring["paths_between_cards"], &path["paths_between_cards"]),
        (&false.into(), &true.into())
    );
    // The ring returns from the third GPU to the first between the sockets, at 10 GB/s. The path by NVLinks of 20 is
    // limited by the card's own link of PCI 3.0, 12.
    assert_eq!(
        (&ring["total"], &path["total"]),
        (&"10".into(), &"12".into())
    );
    let text = oneport!("rings {topology} --check {}", channel([net, net]))
        .noted(&["pci"])
        .stdout;
    assert!(
        text.contains("1 path of") && text.contains("a job of several boxes"),
        "{text}"
    );
}
