//! `oneport program`: all-to-alls of sources and targets, the best tree and acyclic graph, and nodes that never merge.

use crate::common;

use common::{Folder, fixture, read};

const SCATTER: &str = "--source Ps --targets P0,P1";

#[test]
fn a_program_is_printed_or_written() {
    let options = format!("program sssp --platform toy-scatter.toml {SCATTER}");
    let printed = oneport!("{options}").ok().stdout;
    assert!(
        printed.starts_with("\\ SSSP(G)") && printed.ends_with("\nEnd\n"),
        "{printed}"
    );
    assert!(
        printed.contains(" time(Pa,P0): 3 s(Pa,P0) - 2 send(Pa,P0,m_P0)"),
        "{printed}"
    );
    let folder = Folder::new();
    let file = folder.path("toy.lp");
    let told = oneport!("{options} -o {file}").ok().stdout;
    assert!(
        told.contains("variables") && told.contains("rows"),
        "{told}"
    );
    assert_eq!(read(&file), printed);
    let as_printed = oneport!("{options} --as-printed").ok().stdout;
    assert!(
        as_printed.contains("as printed") && as_printed.contains("conserve(Ps,m_P0)"),
        "{as_printed}"
    );
    assert!(!printed.contains("conserve(Ps"), "{printed}");
}

#[test]
fn every_program_has_a_question() {
    let (star, figure) = (fixture("star.json"), fixture("toy-broadcast.toml"));
    for (options, words) in [
        (
            format!("sspa2a --platform {star}"),
            ["send(hub,leaf1,m_hub,leaf1)", "TP"],
        ),
        (
            format!("sspa2a --platform {star} --sources hub --targets leaf1,leaf2"),
            ["m_hub,leaf2", "TP"],
        ),
        (
            format!("ssr --platform {star} --target hub"),
            ["cons(hub,T_0_0_5)", "alpha(leaf5)"],
        ),
        (
            format!("broadcast --platform {star} --source hub"),
            ["x(leaf1,hub,leaf1)", "t_out(hub)"],
        ),
        (
            format!("p --platform {figure} --source Ps"),
            ["y_3: ", "comm: x_1 + x_2"],
        ),
        (
            format!("p-prime --platform {figure} --source Ps"),
            ["y_2: ", "comm: x_1 + x_2"],
        ),
        (
            format!("d --platform {figure} --source Ps"),
            ["Minimize", "v(Ps,P1)"],
        ),
        (
            format!("p --platform {figure} --collective scatter --source Ps"),
            ["y_3: ", "edge(Ps,P1)"],
        ),
    ] {
        let text = oneport!("program {options}").ok().stdout;
        assert!(
            words.iter().all(|word| text.contains(word)),
            "{options:?}: {text}"
        );
    }
}

/// The program that RR-2004-32 calls wrong, of half-duplex nodes. Each form reports that.
#[test]
fn port_times_of_half_duplex_nodes_are_a_bound() {
    let options = "program broadcast --platform toy-broadcast.toml --source Ps";
    let corrected = oneport!("{options}").ok().stdout;
    assert!(
        corrected.contains("(wrong solution)")
            && corrected.contains("program p has the throughput"),
        "{corrected}"
    );
    assert!(corrected.contains(" port(P1): t(P1) <= 1"), "{corrected}");
    assert!(corrected.contains(">= 0"), "{corrected}");
    let printed = oneport!("{options} --as-printed").ok().stdout;
    assert!(
        printed.contains("(wrong solution)") && printed.contains("E004-1"),
        "{printed}"
    );
}

#[test]
fn what_no_program_describes_is_refused() {
    let (star, figure) = (fixture("star.json"), fixture("toy-broadcast.toml"));
    let program = |options: &str| oneport!("program {options}");
    assert_eq!(program(&format!("simplex --platform {star}")).code, Some(2));
    program(&format!("sssp --platform {star}")).refused(2, &["--source"]);
    program(&format!("sssp --platform {star} --collective scatter"))
        .refused(2, &["leave --collective out"]);
    program(&format!("sssp --platform {figure} --source Ps")).refused(1, &["half-duplex", "Ps"]);
    program(&format!(
        "d --platform {star} --collective reduce --target hub"
    ))
    .refused(1, &["not of reduce"]);
    program("p --platform fat-tree-4.toml --source pod0.edge0.host0").refused(1, &["replicates"]);
    program(&format!("sssp --platform {star} --source hub -o {star}"))
        .refused(2, &["--platform reads"]);
}

/// On the line P1 <-> P2 of figure 1, both ends send half-duplex.
#[test]
fn an_all_to_all_has_sources_and_targets() {
    let options = "all-to-all --platform toy-broadcast.toml --sources Ps,P1 --targets P3,P4 --json";
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    let columns = oneport!("solve {options} -o {plan}").ok().object();
    let compact = oneport!("solve {options} --formulation compact")
        .ok()
        .object();
    assert_eq!(
        (columns["collective"].as_str(), columns["status"].as_str()),
        (Some("all-to-all"), Some("optimal"))
    );
    assert_eq!(columns["throughput"], compact["throughput"]);
    oneport!("verify {plan}").ok();
    assert!(read(&plan).contains("\"sources\": [\"Ps\", \"P1\"], \"targets\": [\"P3\", \"P4\"]"));
    oneport!("whatif {options}").ok();
    oneport!("compare {options}").ok();
    // All nodes to all nodes, in both notations. A node sends nothing to itself.
    let apart = oneport!("solve all-to-all --platform star.json --sources all --json")
        .ok()
        .object();
    let usual = oneport!("solve all-to-all --platform star.json --json")
        .ok()
        .object();
    assert_eq!(apart["throughput"], usual["throughput"]);
    oneport!("solve all-to-all --platform star.json --sources hub --participants all")
        .refused(2, &["all-to-all takes no --participants"]);
    oneport!("solve all-to-all --platform star.json --sources hub --targets hub")
        .refused(1, &["hub", "itself"]);
}

/// Section 2.3 of RR-2004-32: 4/7 along a tree, 8/13 along an acyclic graph, 4/5 along all links.
#[test]
fn a_broadcast_has_a_best_tree_and_a_best_dag() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    for (option, best) in [("--single-tree", "4/7"), ("--single-dag", "8/13")] {
        let options = format!("solve broadcast --platform toy-broadcast.toml --source Ps {option}");
        let object = oneport!("{options} --json -o {plan}").ok().object();
        assert_eq!(
            (&object["throughput"], &object["upper_bound"]),
            (&best.into(), &best.into())
        );
        assert_eq!(object["status"], "optimal");
        let programs = object["chosen"]["programs"].as_u64().expect("a number");
        assert_eq!(object["chosen"]["checked"], false);
        // The certificate is one of these links. A search claims that they are the best.
        let search = match programs {
            1 => "chosen by a search of 1 program".to_string(),
            more => format!("chosen by a search of {more} programs"),
        };
        let verified = oneport!("verify {plan}").ok().stdout;
        let links = object["links"].as_u64().expect("a number");
        let checked = format!("(optimal on its {links} links, a");
        assert!(
            verified.contains(&checked) && verified.contains(&search),
            "{verified}"
        );
        assert!(verified.contains("which is not checked"), "{verified}");
        let text = oneport!("{options}").ok().stdout;
        let shown = oneport!("show {plan}").ok().stdout;
        for text in [&text, &shown] {
            let alone = format!("the referee checked the certificate of its {links} links alone");
            assert!(text.contains(&search) && text.contains(&alone), "{text}");
            assert!(!text.contains("(optimal"), "{text}");
        }
        assert!(text.contains("no other is better"), "{text}");
    }
    let rows = oneport!("compare broadcast --platform toy-broadcast.toml --source Ps --json")
        .ok()
        .object();
    let row = |name: &str| {
        let rows = rows["rows"].as_array().expect("rows");
        rows.iter()
            .find(|row| row["name"] == name)
            .unwrap_or_else(|| panic!("no row {name}: {rows:?}"))["throughput"]
            .clone()
    };
    assert_eq!(
        (row("best single tree"), row("best DAG")),
        ("4/7".into(), "8/13".into())
    );
    assert!(!row("fastest edge first").is_null());
    // P1 relays all messages of both, so its port limits them, in agreement with `solve` for these links.
    let limits = |name: &str| {
        let rows = rows["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["name"] == name).expect("a row");
        row["limited_by"].as_str().expect("a text").to_string()
    };
    assert!(
        limits("best single tree").contains("port of 'P1'"),
        "{rows}"
    );
    assert!(limits("best DAG").contains("P1"), "{rows}");
    let text = oneport!("compare broadcast --platform toy-broadcast.toml --source Ps")
        .ok()
        .stdout;
    assert!(text.contains("best single tree"), "{text}");
    oneport!("solve scatter --platform toy-scatter.toml --source Ps --targets P0 --single-tree")
        .refused(2, &["--single-tree", "scatter has none"]);
}

/// One platform with and without processors: collectives that only move data have the same answers, and a switch
/// keeps nothing.
#[test]
fn nodes_that_never_merge_own_and_receive() {
    let folder = Folder::new();
    let file = |name: &str, compute: &str, last: &str| {
        let node = |name: &str, more: &str| format!("[[node]]\nname = \"{name}\"\n{more}\n");
        let link = |from: &str, to: &str| {
            format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncost = \"2/3\"\nduplex = true\n")
        };
        let nodes = [
            node("a", compute),
            node("b", compute),
            node("c", compute),
            node("s", last),
        ]
        .concat();
        let links = [
            link("a", "s"),
            link("b", "s"),
            link("c", "s"),
            link("a", "b"),
        ]
        .concat();
        folder.write(
            name,
            format!("format = \"oneport-platform/1\"\n{nodes}{links}"),
        )
    };
    let computing = file("computing.toml", "compute = 1", "replicates = false");
    let moving = file("moving.toml", "", "replicates = false");
    for question in [
        "scatter --source a",
        "gather --target a",
        "broadcast --source a",
        "all-to-all",
        "all-gather",
    ] {
        let plan = folder.path("plan.json");
        let ask = |platform: &str| {
            let object = oneport!("solve {question} --platform {platform} --json -o {plan}")
                .ok()
                .object();
            oneport!("verify {plan}").ok();
            assert_eq!(object["status"], "optimal");
            object["throughput"].clone()
        };
        assert_eq!(ask(&computing), ask(&moving), "{question:?}");
    }
    oneport!("solve scatter --platform {moving} --source a --targets s")
        .refused(1, &["'s'", "switch"]);
    oneport!("solve reduce --platform {moving} --target a").refused(1, &["v[0,2]", "compute"]);
}
