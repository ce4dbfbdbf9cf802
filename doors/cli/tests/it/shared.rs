//! Platforms whose links share capacities: every command answers, or refuses them by name.

use crate::common;

use common::{Folder, each};

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
    oneport!("inspect {file}")
        .ok()
        .prints(&["'bus'", "6 links"]);
    oneport!("bound {file} all-gather")
        .ok()
        .prints(&["1/2", "shared 'bus'"]);
    let answer = oneport!("solve all-gather --platform {file} -o {plan} --json")
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
    oneport!("verify {plan} --platform {file}").ok();
    let doubled = BUS.replace("bus\", bandwidth = 3", "bus\", bandwidth = 6");
    let other = folder.write(
        "other.toml",
        doubled.replace("duplex", "bandwidth = 3, duplex"),
    );
    oneport!("verify {plan} --platform {other}").refused(
        1,
        &["shared capacity 'bus' has rate 3 in the plan and 6 on the platform"],
    );
    oneport!("show {plan} --slots")
        .ok()
        .prints(&["of its rate"]);
    oneport!("run {plan} --instances 5").ok();
    oneport!("export {plan} --to events {}", folder.path("events.json")).ok();
    let simgrid = folder.path("simgrid");
    oneport!("export {plan} --to simgrid {simgrid}").ok();
    let program = folder.path("program.c");
    oneport!("export {plan} --to mpi {program}").refused(
        1,
        &["shared capacities ('bus' is the first)", "export to events"],
    );
    // These formats are read as platforms, which would lack the bus.
    for format in ["graphml", "node-link"] {
        let graph = folder.path(format);
        oneport!("export {plan} --to {format} {graph}")
            .refused(1, &["shared capacities ('bus' is the first)"]);
    }
}

#[test]
fn changes_name_shared_capacities() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let whatif =
        |change: &str| oneport!("whatif all-gather --platform {file} --change {change:?} --json");
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

/// On the bus of 3, with messages of 1, by hand: six transfers of an all-gather take 2, and two of a broadcast 2/3.
/// With a latency of 1 on every link the broadcast takes 5/3. The prices of the bus prove all three. With links of 2,
/// which fill the bus by two thirds, an all-gather takes 2 as well: transfers at half their rate.
#[test]
fn one_operation_on_a_bus() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let late = folder.write("late.toml", BUS.replace("duplex", "latency = 1, duplex"));
    let slow = folder.write("slow.toml", BUS.replace("duplex", "bandwidth = 2, duplex"));
    let time = |file: &str, question: &str| {
        let answer = oneport!("time {file} --json {question}").ok().object();
        (answer["time"].clone(), answer["lower_bound"].clone())
    };
    let broadcast = "broadcast --source a";
    for (file, question, expected) in [
        (&file, "all-gather", "2"),
        (&file, broadcast, "2/3"),
        (&late, broadcast, "5/3"),
        (&slow, "all-gather", "2"),
    ] {
        let expected = (expected.into(), expected.into());
        assert_eq!(time(file, question), expected, "{file} {question}");
    }
    oneport!("compare all-gather {late} --bytes 1")
        .ok()
        .prints(&["once", "pairwise exchange"]);
}

#[test]
fn what_does_not_know_them_says_so() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let first = "shared capacities ('bus' is the first)";
    let rings = oneport!("rings {file} --json").ok().object();
    assert_eq!(
        (&rings["total"], &rings["status"]),
        (&"1".into(), &"optimal".into())
    );
    let program = folder.path("m.lp");
    for (name, form) in [
        ("sspa2a", "--as-printed"),
        ("broadcast", "--source a"),
        ("p", "--source a"),
    ] {
        oneport!("program {name} --platform {file} -o {program} {form}")
            .refused(1, &[first, "sssp, sspa2a and ssr in the corrected form do"]);
    }
    oneport!("program sspa2a --platform {file} -o {program}").ok();
    let text = std::fs::read_to_string(&program).unwrap();
    assert!(
        text.contains("shared(0) is the capacity \"bus\"") && text.contains("shared(0): "),
        "{text}"
    );
    let ports = BUS.replace("\"links\"", "\"full-duplex\"");
    let ported = folder.write("ports.toml", ports);
    oneport!("inspect {ported}").refused(
        1,
        &[
            "which has ports (full-duplex)",
            "Put model = \"links\" on 'a'",
        ],
    );
    oneport!("bound {file} all-gather --model full-duplex")
        .refused(1, &["'a -> b' ends at 'a', which has ports (full-duplex)"]);
    oneport!("convert {file} {}", folder.path("m.csv")).refused(1, &["model is links"]);
}

/// Routes of SimGrid, by hand. All-to-all: the disk carries the mirror's exchange with 8 hosts, 16 GB at 80 MB/s.
/// All-gather: the backbone of the first rack carries 8 messages to each of its 4 hosts and 4 out of it, 36 GB at 300
/// MB/s.
#[test]
fn routes_of_simgrid_share_their_links() {
    let file = format!(
        "{}/../../fixtures/topologies/simgrid-zones.xml",
        env!("CARGO_MANIFEST_DIR")
    );
    let bounds = oneport!("bound --json {file} all-to-all all-gather")
        .noted(&["routers do not"])
        .object();
    let bound = |index: usize| bounds["bounds"][index]["bound"].clone();
    assert_eq!((bound(0), bound(1)), ("1/200".into(), "1/120".into()));
    for (collective, throughput) in [("all-to-all", "1/200"), ("all-gather", "1/120")] {
        let solved = oneport!("solve --json {collective} {file}")
            .noted(&["routers do not"])
            .object();
        assert_eq!(
            (&solved["throughput"], &solved["status"]),
            (&throughput.into(), &"optimal".into())
        );
    }
}

/// The model may come from the file, from `--model` or from changes. Without it, the refusal names the ways to set it.
#[test]
fn a_model_may_come_after_the_file() {
    let folder = Folder::new();
    let silent = folder.write("silent.toml", BUS.replace("model = \"links\"\n", ""));
    let bound = format!("bound {silent} all-gather");
    let hint = ["silent.toml", "'a -> b' ends at 'a'", "--model links"];
    oneport!("{bound}").refused(1, &hint);
    oneport!("inspect {silent}").refused(1, &hint);
    oneport!("whatif all-gather --platform {silent}").refused(1, &hint);
    let plan = folder.path("plan.json");
    oneport!("solve all-gather -p {silent} -o {plan}").refused(1, &hint);
    // 1/2, equal to the answer with the model in the file.
    oneport!("{bound} --model links").ok().prints(&["1/2"]);
    oneport!("solve all-gather -p {silent} --model links -o {plan}").ok();
    let change = "--change '*: model = links'";
    oneport!("{bound} {change}").ok().prints(&["1/2"]);
    oneport!("inspect {silent} {change}").ok();
    let converted = folder.path("converted.toml");
    oneport!("convert {silent} {converted} {change}").ok();
    oneport!("bound {converted} all-gather")
        .ok()
        .prints(&["1/2"]);
    oneport!("{bound} --change 'a: model = links'").misused(&["ends at 'b', which has ports"]);
}

/// A factor on a link whose only limit is a shared capacity would change nothing.
#[test]
fn a_factor_on_a_link_without_its_own_limit_is_refused() {
    let folder = Folder::new();
    let file = folder.write("bus.toml", BUS);
    let bound = |change: &str| oneport!("bound {file} all-gather --change {change:?} --json");
    let parts = [
        "the only limit of 'a -> b' is the shared capacity 'bus'",
        "shared 'bus': bandwidth /4",
        "'a -> b: bandwidth = 3/4'",
    ];
    bound("a -> b: bandwidth /4").misused(&parts);
    bound("a: cost x4").misused(&parts);
    bound("* -> *: bandwidth x2")
        .misused(&["shared 'bus': bandwidth x2", "'a -> b: bandwidth = 6'"]);
    // The proposed changes have their effect: six transfers on 3/4. A link with a separate limit of 3/4 still carries
    // 1/2.
    let throughput = |change: &str| bound(change).ok().object()["bounds"][0]["bound"].clone();
    assert_eq!(throughput("shared 'bus': bandwidth /4"), "1/8");
    assert_eq!(throughput("a -> b: bandwidth = 3/4"), "1/2");
    // Once a change has set a separate limit, a factor counts: 2/4 on the link, below the 3 of the bus.
    let chained = |changes: &[&str]| {
        let changes = each("--change", changes);
        oneport!("bound {file} all-gather {changes} --json")
    };
    let bounds = chained(&["a -> b: bandwidth = 2", "a -> b: bandwidth /4"]);
    assert_eq!(bounds.ok().object()["bounds"][0]["bound"], "1/2");
    // Without its only limit a link would take no time.
    bound("shared 'bus': remove").misused(&["'bus' is the only limit of 'a -> b'"]);
    let limited = folder.write(
        "limited.toml",
        BUS.replacen("duplex", "bandwidth = 1, duplex", 1),
    );
    oneport!("bound {limited} all-gather --change 'a -> b: bandwidth /4'").ok();
}
