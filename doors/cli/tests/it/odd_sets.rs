//! If an odd set of half-duplex nodes is the limit, every command that names a limit names it.

use serde_json::Value;

use crate::common;

use common::{Folder, first, fixture, read};

/// Half-duplex processors P0, P1, ..., each linked with every other in both directions, cost 1.
fn complete(folder: &Folder, nodes: usize) -> String {
    let names: Vec<String> = (0..nodes)
        .map(|node| format!("{{ name = \"P{node}\", compute = 1 }}"))
        .collect();
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    let links: Vec<String> = pairs
        .map(|(a, b)| format!("{{ from = \"P{a}\", to = \"P{b}\", cost = 1, duplex = true }}"))
        .collect();
    folder.write(
        &format!("k{nodes}.toml"),
        format!(
            "format = \"oneport-platform/1\"\nmodel = \"half-duplex\"\nnode = [{}]\nlink = [{}]\n",
            names.join(", "),
            links.join(", ")
        ),
    )
}

/// Adds up the rows of `bottleneck`: shares are parts of one whole, and a resource that an optimum charges is busy all
/// the time.
fn odd_sets(bottleneck: &Value) -> Vec<Value> {
    let rows = bottleneck.as_array().expect("a list");
    let number = |row: &Value, key: &str| {
        row[key]
            .as_str()
            .expect("a decimal")
            .parse::<f64>()
            .expect("a decimal")
    };
    let sum: f64 = rows.iter().map(|row| number(row, "share")).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{bottleneck:#}");
    assert!(
        rows.iter().all(|row| number(row, "busy") == 1.0),
        "{bottleneck:#}"
    );
    rows.iter()
        .filter_map(|row| row.get("odd_set").cloned())
        .collect()
}

/// Of 2 k + 1 nodes, k pairs talk at a time.
fn is_of_nodes(set: &Value, nodes: usize) {
    assert_eq!(
        set["nodes"].as_array().map(Vec::len),
        Some(nodes),
        "{set:#}"
    );
    assert_eq!(set["at_a_time"], (nodes - 1) / 2, "{set:#}");
    assert_eq!(set["links"], serde_json::json!([]), "{set:#}");
}

const TRIANGLE: &str = "the nodes P0..2: of 3 nodes at most 1 pair talks at a time";
const FIVE: &str = "the nodes P0..4: of 5 nodes at most 2 pairs talk at a time";

#[test]
fn every_command_names_the_odd_set_that_limits() {
    let folder = Folder::new();
    for (nodes, sentence) in [(3, TRIANGLE), (5, FIVE)] {
        let (platform, plan) = (complete(&folder, nodes), folder.path("plan.json"));
        for (question, throughput) in [
            ("all-to-all", format!("1/{}", 2 * nodes)),
            ("broadcast --source P0", "1/2".to_string()),
        ] {
            let solve = format!("solve {question} --platform {platform} -o {plan}");
            let answer = oneport!("{solve} --json").ok().object();
            assert_eq!(answer["throughput"], throughput, "{question}");
            let [set] = &odd_sets(&answer["bottleneck"])[..] else {
                panic!("{answer:#}")
            };
            is_of_nodes(set, nodes);
            assert_eq!(set["sentence"], sentence);
            let named = format!("odd set {{P0..{}}}", nodes - 1);
            let (limited, told) = (
                format!("limited by  {named}"),
                format!("odd set     {sentence}"),
            );
            let text = oneport!("{solve}").ok().stdout;
            assert!(text.contains(&limited) && text.contains(&told), "{text}");
            let whatif = format!("whatif {question} --platform {platform}");
            let text = oneport!("{whatif}").ok().stdout;
            assert!(text.contains(&limited) && text.contains(&told), "{text}");
            let json = oneport!("{whatif} --json").ok().object();
            assert_eq!(
                odd_sets(&json["base"]["bottleneck"]),
                std::slice::from_ref(set)
            );
            for view in ["--explain", "--prices", "--rates"] {
                let text = oneport!("show {plan} {view}").ok().stdout;
                assert!(
                    text.contains(&named) && text.contains(&format!("odd set: {sentence}")),
                    "{view}: {text}"
                );
            }
            let text = oneport!("show {plan}").ok().stdout;
            assert!(text.contains(&limited) && text.contains(&told), "{text}");
            let bound = oneport!("bound {platform} {}", first(question)).ok().stdout;
            assert!(
                bound.contains(&format!("by the prices of {named} no schedule exceeds")),
                "{bound}"
            );
            assert!(bound.contains(&format!("; {sentence}")), "{bound}");
            let bound = oneport!("bound {platform} {} --json", first(question))
                .ok()
                .object();
            let [priced] = &bound["bounds"][0]["odd_sets"].as_array().expect("a list")[..] else {
                panic!("{bound:#}")
            };
            assert_eq!(priced["sentence"], sentence);
            let text = oneport!("compare {question} --platform {platform}")
                .ok()
                .stdout;
            assert!(text.contains(&limited) && text.contains(&told), "{text}");
        }
    }
}

/// A row of `compare` is limited by the resources of its own traffic: pairwise exchange in a triangle, by the triangle.
#[test]
fn algorithms_are_limited_by_their_own_odd_sets() {
    let folder = Folder::new();
    let platform = complete(&folder, 3);
    let json = oneport!("compare all-to-all --platform {platform} --json")
        .ok()
        .object();
    let rows = json["rows"].as_array().expect("a list");
    let pairwise = rows
        .iter()
        .find(|row| row["name"] == "pairwise exchange")
        .expect("is rated");
    assert_eq!(
        (&pairwise["throughput"], &pairwise["limited_by"]),
        (&"1/6".into(), &"odd set {P0..2}".into())
    );
    is_of_nodes(&pairwise["odd_set"], 3);
    assert_eq!(pairwise["odd_set"]["sentence"], TRIANGLE);
    let text = oneport!("compare all-to-all --platform {platform}")
        .ok()
        .stdout;
    assert!(
        text.lines()
            .any(|line| line.contains("pairwise exchange") && line.contains("odd set {P0..2}")),
        "{text}"
    );
}

/// Changes move the limit: the limit of the changed platform is its own.
#[test]
fn a_change_has_its_own_odd_set() {
    let folder = Folder::new();
    let platform = complete(&folder, 4);
    let ask = format!("whatif all-to-all --platform {platform} --change 'P3: remove'");
    let run = oneport!("{ask}").ok().stdout;
    let (before, after) = run.split_once("changed ").expect("two answers");
    assert!(
        !before.contains("odd set") && after.contains(TRIANGLE),
        "{run}"
    );
    let json = oneport!("{ask} --json").ok().object();
    assert!(odd_sets(&json["base"]["bottleneck"]).is_empty());
    let [set] = &odd_sets(&json["rows"][0]["bottleneck"])[..] else {
        panic!("{json:#}")
    };
    is_of_nodes(set, 3);
}

/// A scatter is limited by its source, four nodes by their ports, full-duplex nodes by anything but odd sets.
#[test]
fn where_ports_limit_no_odd_set_is_named() {
    let folder = Folder::new();
    let (five, four) = (complete(&folder, 5), complete(&folder, 4));
    let star = fixture("star.json");
    for (platform, question) in [
        (&five, "scatter --source P0"),
        (&four, "all-to-all"),
        (&four, "broadcast --source P0"),
        (&five, "all-to-all --model full-duplex"),
        (&star, "all-to-all --model half-duplex"),
    ] {
        let (ask, plan) = (
            format!("{question} --platform {platform}"),
            folder.path("plan.json"),
        );
        let answer = oneport!("solve --json -o {plan} {ask}").ok().object();
        assert!(odd_sets(&answer["bottleneck"]).is_empty(), "{answer:#}");
        let told =
            oneport!("show {plan} --explain").ok().stdout + &oneport!("show {plan}").ok().stdout;
        let compared = oneport!("compare {ask}").ok().stdout;
        // The best tree and DAG have fewer links, whose own limits are named.
        let of_all = |line: &&str| !line.trim_start().starts_with("best ");
        let compared: String = compared.lines().filter(of_all).collect();
        let changed = oneport!("whatif {ask}").ok().stdout;
        assert!(
            !(told.clone() + &compared + &changed).contains("odd set"),
            "{told}{compared}{changed}"
        );
    }
    for platform in [&four, &star] {
        let bound = oneport!("bound {platform} all-to-all").ok().stdout;
        assert!(!bound.contains("odd set"), "{bound}");
    }
}

/// A port that serves two, and one transfer at a time over a further link: such sets are described by ports, not by
/// pairs.
#[test]
fn sets_of_other_ports_are_told_by_ports() {
    let folder = Folder::new();
    let platform = folder.write(
        "mixed.toml",
        "format = \"oneport-platform/1\"\nmodel = \"half-duplex\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", \
         compute = 1 }, { name = \"c\", compute = 1, model = \"full-duplex\" }]\nlink = [{ from = \"a\", to = \"b\", cost = 1, \
         duplex = true }, { from = \"b\", to = \"c\", cost = 1 }, { from = \"a\", to = \"c\", cost = 1 }]\n",
    );
    let answer =
        oneport!("solve all-to-all --platform {platform} --sources a,b --targets b,c --json")
            .ok()
            .object();
    for set in odd_sets(&answer["bottleneck"]) {
        let told = set["sentence"].as_str().expect("a text");
        assert!(
            told.contains("port of 'a'") && told.contains("receive port of 'c'"),
            "{told}"
        );
        assert!(
            told.ends_with("of the transfers between these ports at most 1 runs at a time"),
            "{told}"
        );
    }
    assert_eq!(odd_sets(&answer["bottleneck"]).len(), 1, "{answer:#}");
}

/// The compact formulation has odd sets, too, and names the features it lacks: switches, any order, schemes of several
/// goals.
#[test]
fn the_compact_formulation_agrees_or_says_why_not() {
    let folder = Folder::new();
    for nodes in 3..=5 {
        let platform = complete(&folder, nodes);
        for question in ["broadcast --source P0", "all-gather", "scatter --source P0"] {
            let [columns, compact] = ["columns", "compact"].map(|formulation| {
                oneport!(
                    "solve --platform {platform} --json {question} --formulation {formulation}"
                )
                .ok()
                .object()
            });
            assert_eq!(
                columns["throughput"], compact["throughput"],
                "{question} on {nodes} nodes"
            );
            assert_eq!(compact["status"], "optimal", "{question} on {nodes} nodes");
            // Whatever limits is priced: an odd set only where nodes are odd in number.
            assert!(
                odd_sets(&compact["bottleneck"]).is_empty() || nodes % 2 == 1,
                "{compact:#}"
            );
        }
    }
    let platform = complete(&folder, 3);
    let compact =
        |question: &str| oneport!("solve --platform {platform} --formulation compact {question}");
    compact("all-reduce").refused(1, &["all-reduce has no compact formulation"]);
    compact("scan").refused(1, &["scan has no compact formulation"]);
    compact("reduce --target P0 --commutative").refused(1, &["keeps the operands in order"]);
    let switch = folder.write(
        "switch.toml",
        read(&platform).replace(
            "{ name = \"P2\", compute = 1 }",
            "{ name = \"P2\", replicates = false }",
        ),
    );
    oneport!("solve broadcast --source P0 --platform {switch} --formulation compact")
        .refused(1, &["broadcast: the compact formulation knows no switches"]);
}
