//! Platforms whose links share capacities: every command answers, or refuses them by name.

use crate::common;

use common::{Folder, oneport};

/// Three hosts, a link for each ordered pair, and one bus of 3 for all of them.
const BUS: &str = r#"
format = "oneport-platform/1"
model = "links"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [
  { from = "a", to = "b", duplex = true },
  { from = "b", to = "c", duplex = true },
  { from = "c", to = "a", duplex = true },
]
shared = [{ name = "bus", bandwidth = 3, links = ["a -> b", "b -> a", "b -> c", "c -> b", "c -> a", "a -> c"] }]
"#;

/// Six transfers on a bus of 3: 1/2 all-gather per unit of time.
#[test]
fn a_bus_from_the_file_to_the_run() {
    let folder = Folder::new();
    let (file, plan) = (folder.write("bus.toml", BUS), folder.path("plan.json"));
    oneport(&["inspect", &file])
        .ok()
        .prints(&["'bus'", "6 links"]);
    oneport(&["bound", &file, "all-gather"])
        .ok()
        .prints(&["1/2", "shared 'bus'"]);
    let solve = ["solve", "all-gather", "--platform", &file];
    let answer = oneport(&[&solve[..], &["-o", &plan, "--json"]].concat())
        .ok()
        .object();
    assert_eq!(
        (
            &answer["throughput"],
            &answer["status"],
            &answer["schedule_throughput"]
        ),
        (&"1/2".into(), &"optimal".into(), &"1/2".into())
    );
    oneport(&["verify", &plan, "--platform", &file]).ok();
    let doubled = BUS.replace("bus\", bandwidth = 3", "bus\", bandwidth = 6");
    let other = folder.write(
        "other.toml",
        doubled.replace("duplex", "bandwidth = 3, duplex"),
    );
    oneport(&["verify", &plan, "--platform", &other]).refused(
        1,
        &["shared 'bus' has another rate or other links in the file"],
    );
    oneport(&["show", &plan, "--slots"])
        .ok()
        .prints(&["of its rate"]);
    oneport(&["run", &plan, "--instances", "5"]).ok();
    oneport(&[
        "export",
        &plan,
        "--to",
        "events",
        &folder.path("events.json"),
    ])
    .ok();
    let simgrid = folder.path("simgrid");
    oneport(&["export", &plan, "--to", "simgrid", &simgrid]).refused(
        1,
        &["shared capacities ('bus' is the first)", "export to events"],
    );
}

#[test]
fn changes_name_shared_capacities() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let whatif = |change: &str| {
        oneport(&[
            "whatif",
            "all-gather",
            "--platform",
            &file,
            "--change",
            change,
            "--json",
        ])
    };
    let twice = whatif("shared 'bus': bandwidth x2").ok().object();
    assert!(
        twice.to_string().contains("\"throughput\":\"1\""),
        "{twice:#}"
    );
    whatif("shared 'buss': bandwidth x2")
        .misused(&["there is no shared capacity 'buss'; there are 'bus'"]);
    whatif("shared 'bus': ports = 2")
        .misused(&["this is a shared capacity; it has bandwidth, cost, remove"]);
}

#[test]
fn what_does_not_know_them_says_so() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let first = "shared capacities ('bus' is the first)";
    oneport(&["rings", &file]).refused(1, &[first, "a packing of rings"]);
    let program = folder.path("m.lp");
    oneport(&["program", "sspa2a", "--platform", &file, "-o", &program])
        .refused(1, &[first, "a program of a paper"]);
    let ports = BUS.replace("\"links\"", "\"full-duplex\"");
    let ported = folder.write("ports.toml", ports);
    oneport(&["inspect", &ported]).refused(
        1,
        &[
            "which has ports (full-duplex)",
            "Put model = \"links\" on 'a'",
        ],
    );
    oneport(&["bound", &file, "all-gather", "--model", "full-duplex"])
        .refused(1, &["'a -> b' ends at 'a', which has ports (full-duplex)"]);
    oneport(&["convert", &file, &folder.path("m.csv")]).refused(1, &["model is links"]);
}

/// Routes of SimGrid, by hand. All-to-all: the disk carries what the mirror exchanges with 8 hosts, 16 GB at 80 MB/s.
/// All-gather: the backbone of the first rack carries 8 messages to each of its 4 hosts and 4 out of it, 36 GB at 300
/// MB/s.
#[test]
fn routes_of_simgrid_share_their_links() {
    let file = format!(
        "{}/../../fixtures/topologies/simgrid-zones.xml",
        env!("CARGO_MANIFEST_DIR")
    );
    let bounds = oneport(&["bound", "--json", &file, "all-to-all", "all-gather"])
        .noted(&["routers do not"])
        .object();
    let bound = |place: usize| bounds["bounds"][place]["bound"].clone();
    assert_eq!((bound(0), bound(1)), ("1/200".into(), "1/120".into()));
    for (collective, throughput) in [("all-to-all", "1/200"), ("all-gather", "1/120")] {
        let solved = oneport(&["solve", "--json", collective, &file])
            .noted(&["routers do not"])
            .object();
        assert_eq!(
            (&solved["throughput"], &solved["status"]),
            (&throughput.into(), &"optimal".into())
        );
    }
}
