//! Participants and forwarders, nodes by pattern, and the complete list of limits.

use crate::common::{Folder, each, fixture, read};

/// Two GPUs without NVLink between them. Each has four of 20 GB/s to a third. All are connected to one CPU by PCI of 24
/// GB/s.
const TABLE: &str = "\
\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNODE\tNV4\t0-31\t0
GPU1\tNODE\t X \tNV4\t0-31\t0
GPU2\tNV4\tNV4\t X \t0-31\t0
";
const TWO: &str = "--participants gpu0,gpu1";

/// Without a process on gpu2, 24 GB/s pass by the CPU. With one, 80 more by NVLink.
#[test]
fn a_gpu_without_a_rank_forwards_nothing() {
    let folder = Folder::new();
    let table = folder.write("topo.txt", TABLE);
    let asked = |command: &str, more: &str| {
        let run = oneport!("{command} {TWO} {more} --json").noted(&[]);
        run.object()
    };
    let solve = format!("solve all-gather --platform {table}");
    for (idle, rate, left_out) in [
        ("", "24", serde_json::json!(["gpu2"])),
        ("--idle out", "24", serde_json::json!(["gpu2"])),
        ("--idle forward", "104", serde_json::json!([])),
    ] {
        let solved = asked(&solve, idle);
        assert_eq!(
            (&solved["throughput"], &solved["left_out"]),
            (&rate.into(), &left_out)
        );
        let bound = asked(&format!("bound {table} all-gather"), idle);
        assert_eq!(
            (&bound["bounds"][0]["bound"], &bound["left_out"]),
            (&rate.into(), &left_out)
        );
        let whatif = asked(
            &format!("whatif all-gather --platform {table} --change 'gpu2 <-> gpu1: bandwidth x2'"),
            idle,
        );
        assert_eq!(
            (&whatif["base"]["throughput"], &whatif["left_out"]),
            (&rate.into(), &left_out)
        );
        let doubled = if rate == "24" { "24" } else { "104" };
        assert_eq!(whatif["rows"][0]["throughput"], doubled);
        let compared = asked(&format!("compare all-gather --platform {table}"), idle);
        assert_eq!(
            (&compared["upper_bound"], &compared["left_out"]),
            (&rate.into(), &left_out)
        );
        let timed = asked(
            &format!("time all-gather --platform {table} --bytes 1GB"),
            idle,
        );
        assert_eq!(timed["left_out"], left_out);
        let rings = asked(&format!("rings {table}"), idle);
        assert_eq!(
            (&rings["total"], &rings["left_out"]),
            (&rate.into(), &left_out)
        );
    }
    // The answer names the processor left out. If all processors take part, its list is empty.
    oneport!("{solve} {TWO}")
        .noted(&[])
        .prints(&["left out    gpu2 takes no part and forwards nothing"]);
    let all = oneport!("{solve} --json").noted(&[]).object();
    assert_eq!(all["left_out"], serde_json::json!([]));
    // The fact survives in our own files.
    let toml = folder.path("own.toml");
    oneport!("convert {table} {toml}").noted(&[]);
    let own = oneport!("solve all-gather --platform {toml} {TWO} --json");
    assert_eq!(own.ok().object()["throughput"], "24");
}

/// `GPU0`, as nvidia-smi writes it, is gpu0.
#[test]
fn accelerators_may_be_named_in_capitals() {
    let folder = Folder::new();
    let table = folder.write("topo.txt", TABLE);
    let rate = |names: &str| {
        oneport!("solve all-gather {table} --json --participants {names}")
            .noted(&[])
            .object()["throughput"]
            .clone()
    };
    for names in ["GPU0..1", "GPU[0-1]", "GPU0,gpu1"] {
        assert_eq!(rate(names), "24", "{names}");
    }
    let run = oneport!("bound {table} bcast --root GPU9");
    assert!(run.stderr.contains("no node 'GPU9'"), "{run:?}");
}

/// A plan that passes gpu2 needs a process there.
#[test]
fn an_export_without_a_rank_is_refused() {
    let folder = Folder::new();
    let table = folder.write("topo.txt", TABLE);
    let plan = folder.path("plan.json");
    let solve = format!("solve all-gather --platform {table} -o {plan}");
    oneport!("{solve} {TWO} --idle forward").noted(&[]);
    for format in [
        "mscclpp",
        "msccl",
        "mpi",
        "mpi-preload",
        "chakra",
        "goal --without-dates",
    ] {
        let export = format!("export {plan} {} --to", folder.path("out"));
        let run = oneport!("{export} {format}");
        run.refused(
            1,
            &["'gpu2' takes no part and forwards", "no rank runs there"],
        );
    }
    oneport!("{solve} {TWO}").noted(&[]);
    oneport!("export {plan} {} --to mscclpp", folder.path("out.json")).ok();
}

/// A host may run more processes: programs start a rank there and report it. A library for LD_PRELOAD serves no such
/// call.
#[test]
fn a_rank_that_only_passes_on_is_named() {
    let folder = Folder::new();
    let path = "format = \"oneport-platform/1\"\n\
                node = [{name = \"a\", compute = 1}, {name = \"b\", compute = 1}, {name = \"c\", compute = 1}]\n\
                link = [{from = \"a\", to = \"b\", cost = 1, duplex = true}, {from = \"b\", to = \"c\", cost = 1, duplex = true}]\n";
    let (path, plan) = (folder.write("path.toml", path), folder.path("plan.json"));
    oneport!("solve all-gather {path} --participants a,c -o {plan}").ok();
    for (format, out) in [("mpi", "out.c"), ("chakra", "out")] {
        let run = oneport!("export {plan} {} --to {format}", folder.path(out)).ok();
        let said = "3 ranks, of which 2 take part; start rank 2 on 'b', too";
        assert!(run.stdout.contains(said), "{run:?}");
    }
    let library = format!("export {plan} {} --to mpi-preload", folder.path("lib.c"));
    oneport!("{library}").refused(1, &["all take part", "rank 2 on 'b'"]);
}

/// Hosts forward data. The first line counts them.
#[test]
fn hosts_that_take_no_part_forward_and_are_counted() {
    let solve = "solve all-gather --platform two-racks.toml --participants a1,b1";
    let run = oneport!("{solve}").ok();
    let first = run.stdout.lines().next().expect("a line");
    assert!(first.contains("that take no part may forward"), "{first}");
    let object = oneport!("{solve} --json").ok().object();
    let hosts = object["bystanders"]["processors"]
        .as_u64()
        .expect("a number");
    assert!(
        hosts > 0 && object["left_out"] == serde_json::json!([]),
        "{object:#}"
    );
    let out = oneport!("{solve} --json --idle out").ok().object();
    assert_eq!(out["bystanders"]["processors"], 0);
    assert_eq!(
        out["left_out"].as_array().map(|names| names.len() as u64),
        Some(hosts)
    );
}

#[test]
fn nodes_are_named_by_patterns() {
    let box_of_eight = fixture("dgx-a100-2.toml");
    let throughput = |participants: &str| {
        let object =
            oneport!("bound {box_of_eight} all-gather --json --participants {participants}")
                .ok()
                .object();
        object["bounds"][0]["bound"].clone()
    };
    let names = "box0.gpu0,box0.gpu1,box0.gpu2,box0.gpu3,box0.gpu4,box0.gpu5,box0.gpu6,box0.gpu7";
    for pattern in [
        "box0.*",
        "box0.gpu0..7",
        "box[0].gpu[0-3,4-7]",
        "box0.gpu0..3,box0.gpu4..7",
    ] {
        assert_eq!(throughput(pattern), throughput(names), "{pattern}");
    }
    let solve = format!("solve broadcast --platform {box_of_eight} --source");
    // The source is not one of its own targets.
    oneport!("{solve} box0.gpu0 --targets box0.*")
        .ok()
        .prints(&["of 7 targets"]);
    oneport!("{solve} box0.*").refused(2, &["--source: 'box0.*' stands for 8 nodes"]);
    let bound = format!("bound {box_of_eight} --participants");
    oneport!("{bound} box0.gpu[6-9]").refused(1, &["'box0.gpu8'"]);
    oneport!("{bound} rack*").refused(1, &["'rack*'"]);
    oneport!("{bound} box0.gpu[6").refused(1, &["is no pattern"]);
    let folder = Folder::new();
    let demands = folder.write(
        "demands.toml",
        "format = \"oneport-demands/1\"\n[[demands]]\nvalues = [\"box0.gpu0\"]\nwanted = [\"box0.gpu1..7\"]\n",
    );
    let custom = format!("solve custom --platform {box_of_eight} --demands {demands} --json");
    // 300 GB/s leave the source, if seven copies of the switch go on from GPU to GPU.
    let custom = oneport!("{custom}").ok().object();
    assert_eq!(
        custom["throughput"],
        oneport!("{solve} box0.gpu0 --targets box0.* --json")
            .ok()
            .object()["throughput"]
    );
}

/// A broadcast into three old links of equal speed: each of them limits, and all three are named and red.
#[test]
fn all_equal_links_limit() {
    let folder = Folder::new();
    let leaf = |(name, rate): (&str, u32)| {
        format!(
            "[[node]]\nname = \"{name}\"\ncompute = 1\n[[link]]\nfrom = \"hub\"\nto = \"{name}\"\nbandwidth = {rate}\nduplex = true\n"
        )
    };
    let leaves: String = [("s", 9), ("old1", 1), ("old2", 1), ("old3", 1), ("new", 9)]
        .map(leaf)
        .concat();
    let text = format!(
        "format = \"oneport-platform/1\"\nmodel = \"links\"\n[[node]]\nname = \"hub\"\n{leaves}"
    );
    let (star, plan) = (folder.write("star.toml", &text), folder.path("plan.json"));
    let solved = oneport!("solve broadcast --source s --platform {star} -o {plan} --json")
        .ok()
        .object();
    let class = &solved["bottleneck"][0];
    assert_eq!(
        (&class["resource"], &class["members"], &class["share"]),
        (&"link 'hub -> old*'".into(), &3.into(), &"1".into())
    );
    let bound = oneport!("bound {star} broadcast --root s").ok();
    assert!(
        bound.stdout.contains("alike: 3 x link 'hub -> old*'"),
        "{bound:#?}"
    );
    let picture = folder.path("graph.svg");
    oneport!("show {plan} --graph {picture}").ok();
    let red = |line: &&str| line.contains("class=\"line\"") && line.contains("#d62718");
    assert_eq!(read(&picture).lines().filter(red).count(), 3);
}

/// Numbers are printed with their meaning: the time of a run, the throughput of an export.
#[test]
fn numbers_say_what_they_count() {
    let (folder, toy) = (Folder::new(), fixture("dgx1.toml"));
    let plan = folder.path("plan.json");
    oneport!("solve all-gather --platform {toy} -o {plan}").ok();
    let run = oneport!("run {plan} --instances 1").ok();
    run.prints(&[
        "from the start of the first instance",
        "one operation alone: oneport time",
    ]);
    let export = oneport!("export {plan} {} --to mscclpp", folder.path("out.json")).ok();
    export.prints(&["throughput: ", "(optimal); the plan, a period of"]);
}

/// Doubling the ports of a server helps only if the old host, whose card is slower, gets a faster port, too.
#[test]
fn doubled_ports_name_the_other_ends() {
    let folder = Folder::new();
    let matrix = "fs,new,old\n0,40,10\n40,0,10\n10,10,0\n";
    let matrix = folder.write("net.csv", matrix);
    let object = oneport!("whatif all-gather --platform {matrix} --json")
        .ok()
        .object();
    let rows = object["rows"].as_array().expect("rows");
    let row = |name: &str| {
        let found = rows
            .iter()
            .find(|row| row["name"] == name && row["change"] == "doubled");
        found.unwrap_or_else(|| panic!("{name}: {rows:#?}"))
    };
    assert_eq!(
        row("ports of fs")["outgrown"],
        serde_json::json!(["new", "old"])
    );
    assert!(row("ports of old").get("outgrown").is_none());
}

/// Two pairs of equal links, each pair alike by symmetry: either pair proves the bound, and both are named.
#[test]
fn every_full_class_is_named() {
    let folder = Folder::new();
    let tree = ",s,ann,bob,dan,eve\ns,0,1,1,0,0\nann,1,0,0,1,0\nbob,1,0,0,0,1\ndan,0,1,0,0,0\neve,0,0,1,0,0\n";
    let tree = folder.write("tree.csv", tree);
    let shown = oneport!("solve broadcast {tree} --source s --model links")
        .ok()
        .stdout;
    for link in ["'s -> ann'", "'s -> bob'", "'ann -> dan'", "'bob -> eve'"] {
        assert!(shown.contains(link), "{link} in {shown}");
    }
}

/// Three unequal links of a tree each limit a broadcast to 1: for every choice of the proof, all are named, and only
/// all of them together gain.
#[test]
fn every_full_link_is_named_without_symmetry() {
    let folder = Folder::new();
    let tree = ",s,a,b,c,d\ns,0,1,0,2,0\na,1,0,1,0,0\nb,0,1,0,0,0\nc,2,0,0,0,1\nd,0,0,0,1,0\n";
    let tree = folder.write("tree.csv", tree);
    let solve = format!("solve broadcast {tree} --source s --model links");
    let shown = oneport!("{solve}").ok().stdout;
    assert!(
        shown.contains("throughput  1 per unit of time (optimal"),
        "{shown}"
    );
    for link in ["'s -> a'", "'a -> b'", "'c -> d'"] {
        assert!(shown.contains(link), "{link} in {shown}");
    }
    assert!(!shown.contains("'s -> c'"), "{shown}");
    let gain = |changes: &[&str]| {
        let changes = each("--change", changes);
        let run = oneport!("{solve} {changes} --json").ok();
        run.object()["throughput"].clone()
    };
    assert_eq!(gain(&["s -> a: bandwidth x2", "a -> b: bandwidth x2"]), "1");
    let all = [
        "s -> a: bandwidth x2",
        "a -> b: bandwidth x2",
        "c -> d: bandwidth x2",
    ];
    assert_eq!(gain(&all), "2");
}

/// A router that a question names takes part like a processor, and the answer names it.
#[test]
fn a_router_that_takes_part_is_named() {
    let folder = Folder::new();
    let path = folder.write(
        "line.json",
        r#"{"format": "oneport-platform/1", "node": [
            {"name": "a", "compute": 1}, {"name": "s"}, {"name": "b", "compute": 1}],
          "link": [{"from": "a", "to": "s", "cost": 1, "duplex": true},
                   {"from": "s", "to": "b", "cost": 1, "duplex": true}]}"#,
    );
    let solved = |participants: &str| {
        oneport!("solve all-to-all {path} --participants {participants} --json").object()
    };
    let (three, two) = (solved("a,s,b"), solved("a,b"));
    assert_eq!(three["participating_routers"], serde_json::json!(["s"]));
    assert_eq!(two.get("participating_routers"), None);
    // Each port of the router has four of six messages, and one of two.
    assert_eq!(
        (&three["throughput"], &two["throughput"]),
        (&"1/4".into(), &"1/2".into())
    );
    oneport!("solve all-to-all {path} --participants a,s,b")
        .ok()
        .prints(&["1 router takes part like a processor: s"]);
}
