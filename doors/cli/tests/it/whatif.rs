//! `oneport whatif`: every number is that of solve for a platform that is written out with the change.

use std::fmt::Write as _;

use oneport_testkit::Dice;
use serde_json::Value;

use crate::common;

use common::{Folder, each};

/// A platform in the notation of the tests. Costs are fractions.
#[derive(Clone)]
struct Net {
    model: &'static str,
    nodes: Vec<(String, Option<(i64, i64)>)>,
    links: Vec<(usize, usize, (i64, i64))>,
}

impl Net {
    fn toml(&self) -> String {
        let mut text = format!(
            "format = \"oneport-platform/1\"\nmodel = \"{}\"\n",
            self.model
        );
        for (name, compute) in &self.nodes {
            let _ = writeln!(text, "[[node]]\nname = \"{name}\"");
            if let Some((above, below)) = compute {
                let _ = writeln!(text, "compute = \"{above}/{below}\"");
            }
        }
        for &(from, to, (above, below)) in &self.links {
            let (from, to) = (&self.nodes[from].0, &self.nodes[to].0);
            let _ = writeln!(
                text,
                "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncost = \"{above}/{below}\""
            );
        }
        text
    }

    /// A connected platform of few different costs, with some cables slower in one direction.
    fn random(seed: u64, nodes: usize, model: &'static str) -> Net {
        let mut dice = Dice::new(seed);
        let names = (0..nodes)
            .map(|node| (format!("n{node}"), Some((1 + dice.below(2), 4))))
            .collect();
        let mut net = Net {
            model,
            nodes: names,
            links: Vec::new(),
        };
        for to in 1..nodes {
            let mut tails = vec![dice.below(to)];
            let other = dice.below(to);
            if dice.one_in(2) && !tails.contains(&other) {
                tails.push(other);
            }
            for from in tails {
                let cost = 1 + dice.below(2);
                let back = if dice.one_in(4) { cost + 1 } else { cost };
                net.links
                    .extend([(from, to, (cost, 1)), (to, from, (back, 1))]);
            }
        }
        net
    }

    fn cost_back(&self, from: usize, to: usize) -> Option<(i64, i64)> {
        self.links
            .iter()
            .find(|link| (link.0, link.1) == (to, from))
            .map(|link| link.2)
    }

    /// The platform with the change of a row.
    fn with(&self, row: &Value) -> Net {
        let (name, cost) = (row["name"].as_str().unwrap(), row["cost"].as_str().unwrap());
        let times = |(above, below): (i64, i64)| match row["change"].as_str().unwrap() {
            "doubled" => Some((above, below * 2)),
            "halved" => Some((above * 2, below)),
            "removed" => None,
            other => panic!("{other}"),
        };
        let mut net = self.clone();
        match row["kind"].as_str().unwrap() {
            "links" => {
                let both = name.contains(" <-> ");
                let (one, other) = name
                    .split_once(if both { " <-> " } else { " -> " })
                    .unwrap();
                let ends = |from: usize, to: usize| {
                    like(one, &self.nodes[from].0) && like(other, &self.nodes[to].0)
                };
                let meant = |&(from, to, own): &(usize, usize, (i64, i64))| {
                    let paired = self.cost_back(from, to) == Some(own);
                    written(own) == cost
                        && paired == both
                        && (ends(from, to) || both && ends(to, from))
                };
                let changed = self.links.iter().filter_map(|link| {
                    if meant(link) {
                        times(link.2).map(|cost| (link.0, link.1, cost))
                    } else {
                        Some(*link)
                    }
                });
                net.links = changed.collect();
            }
            "ports" => {
                let pattern = name.strip_prefix("ports of ").unwrap();
                let touches = |link: &(usize, usize, (i64, i64)), node: usize| {
                    link.0 == node || link.1 == node
                };
                let meant = |node: usize| {
                    let own = self.links.iter().filter(|link| touches(link, node));
                    let fastest = own
                        .map(|link| link.2)
                        .min_by_key(|&(above, below)| above * 100 / below)
                        .unwrap();
                    listed(pattern, &self.nodes[node].0) && written(fastest) == cost
                };
                for link in &mut net.links {
                    if meant(link.0) || meant(link.1) {
                        link.2 = times(link.2).unwrap();
                    }
                }
            }
            "processors" => {
                let pattern = name.strip_prefix("processor of ").unwrap();
                for (name, compute) in &mut net.nodes {
                    if listed(pattern, name) && compute.is_some_and(|own| written(own) == cost) {
                        *compute = compute.and_then(times);
                    }
                }
            }
            other => panic!("{other}"),
        }
        net
    }
}

/// In lowest terms, as in answers.
fn written((above, below): (i64, i64)) -> String {
    let (mut one, mut other) = (above, below);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    if below == one {
        (above / one).to_string()
    } else {
        format!("{}/{}", above / one, below / one)
    }
}

/// Whether the name is one of a list, in which `a1..3` counts up.
fn listed(list: &str, name: &str) -> bool {
    let digits = |name: &str| {
        name.trim_start_matches(|c: char| !c.is_ascii_digit())
            .parse::<u32>()
            .ok()
    };
    list.split(", ").any(|part| match part.split_once("..") {
        None => like(part, name),
        Some((first, last)) => {
            let stem = |name: &str| {
                name.trim_end_matches(|c: char| c.is_ascii_digit())
                    .to_string()
            };
            stem(first) == stem(name) && (digits(first)..=digits(last)).contains(&digits(name))
        }
    })
}

/// Whether the name matches the pattern, in which `*` is a number.
fn like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name
            .strip_prefix(head)
            .is_some_and(|rest| like(tail, rest.trim_start_matches(|c: char| c.is_ascii_digit()))),
    }
}

/// Rows of the table, each checked against solve on the platform written out with the change.
fn check_table(net: &Net, question: &str) -> Vec<Value> {
    let folder = Folder::new();
    let file = folder.write("net.toml", net.toml());
    let answer = oneport!("whatif {question} --platform {file} --json")
        .ok()
        .object();
    let rows = answer["rows"].as_array().unwrap().clone();
    assert!(!rows.is_empty());
    for row in &rows {
        let changed = folder.write("changed.toml", net.with(row).toml());
        assert_ne!(common::read(&changed), common::read(&file), "{row}");
        let run = oneport!("solve {question} --platform {changed} --json");
        if row["status"] == "impossible" {
            assert!(
                run.code != Some(0) && run.stdout.is_empty() && row["throughput"].is_null(),
                "{row} {run:#?}"
            );
            continue;
        }
        let solved = run.object();
        if row["status"] == "feasible" || solved["status"] == "feasible" {
            // Both are right, perhaps at different ends of the gap.
            let [low, high] = ["throughput_decimal", "upper_bound_decimal"].map(|key| {
                let number = |value: &Value| value[key].as_str().unwrap().parse::<f64>().unwrap();
                (number(row), number(&solved))
            });
            assert!(
                low.0 <= high.1 * 1.000001 && low.1 <= high.0 * 1.000001,
                "{row} {solved}"
            );
            continue;
        }
        for key in ["throughput", "upper_bound", "status"] {
            assert_eq!(row[key], solved[key], "{question:?} {row} {}", net.toml());
        }
    }
    let base = answer["base"]["throughput_decimal"]
        .as_str()
        .unwrap()
        .parse::<f64>()
        .unwrap();
    for row in rows
        .iter()
        .filter(|row| row["status"] == "optimal" && answer["base"]["status"] == "optimal")
    {
        let number = row["throughput_decimal"]
            .as_str()
            .unwrap()
            .parse::<f64>()
            .unwrap();
        match row["change"].as_str().unwrap() {
            "doubled" => assert!(
                (base..=2.000001 * base).contains(&(number * 1.0000001)),
                "{row}"
            ),
            _ => assert!(number <= base * 1.0000001, "{row}"),
        }
    }
    rows
}

#[test]
fn tables_of_messages_equal_platforms_written_by_hand() {
    for (seed, question) in [
        (1, "scatter --source n0"),
        (2, "all-to-all"),
        (3, "broadcast --source n1"),
        (4, "all-gather"),
    ] {
        // Each collective under two of the port models, each port model with two of the collectives.
        let models = ["full-duplex", "half-duplex", "multiport", "links"];
        for (other, model) in (0..)
            .zip(models)
            .filter(|(other, _)| (seed + other) % 2 == 0)
        {
            check_table(&Net::random(seed * 100 + other, 5, model), question);
        }
    }
}

#[test]
fn tables_of_reductions_equal_platforms_written_by_hand() {
    let mut gained = 0;
    for (seed, question) in [
        (
            5,
            // In any order, a target that no longer computes cannot take part.
            "reduce --target n0 --participants n0,n1,n2,n3,n4 --in-order",
        ),
        (6, "all-reduce --in-order --participants n0,n2,n3"),
        (7, "reduce-scatter --in-order --participants n0,n1,n3"),
        (
            8,
            "reduce --target n1 --participants n0,n2,n4 --commutative --work 4",
        ),
    ] {
        for (other, model) in (0..).zip(["full-duplex", "half-duplex", "links"]) {
            let rows = check_table(&Net::random(seed * 100 + other, 5, model), question);
            let limits = |row: &&Value| {
                row["kind"] == "processors"
                    && row["share"].as_str().is_some_and(|share| share != "1")
            };
            gained += rows.iter().filter(limits).count();
        }
    }
    assert!(gained > 0, "processors limit somewhere");
}

/// Without a processor an ordered reduction cannot be made: its row has the reason, and the other rows stand.
#[test]
fn a_row_without_processors_is_impossible() {
    let mut net = Net::random(900, 4, "full-duplex");
    for (_, compute) in &mut net.nodes {
        *compute = Some((1, 4));
    }
    let rows = check_table(&net, "reduce --target n0 --in-order");
    let impossible = rows.iter().filter(|row| row["status"] == "impossible");
    assert!(
        impossible.count() == 1 && rows.iter().any(|row| row["status"] == "optimal"),
        "{rows:#?}"
    );
}

/// Racks of hosts with costs from few, under `links`.
fn drawn_racks(seed: u64, racks: usize, hosts: usize) -> Net {
    let mut dice = Dice::new(seed);
    let mut draw = || [1, 4, 9][dice.below(3_usize)];
    let mut net = Net {
        model: "links",
        nodes: Vec::new(),
        links: Vec::new(),
    };
    for host in 0..racks * hosts {
        net.nodes.push((
            format!("r{}h{}", host / hosts, host % hosts),
            Some((draw(), 1)),
        ));
    }
    net.nodes
        .extend((0..racks).map(|rack| (format!("tor{rack}"), None)));
    net.nodes.push(("core".to_string(), None));
    let mut cable = |one, other, cost| {
        net.links
            .extend([(one, other, (cost, 1)), (other, one, (cost, 1))])
    };
    for host in 0..racks * hosts {
        cable(host, racks * hosts + host / hosts, draw());
    }
    for rack in 0..racks {
        cable(racks * hosts + rack, racks * hosts + racks, draw());
    }
    net
}

/// Merges take about as long as transfers: every row is proved.
#[test]
fn tables_of_drawn_clusters_equal_platforms_written_by_hand() {
    for seed in [1, 2] {
        let hosts = "r0h0,r0h1,r0h2,r1h0,r1h1,r1h2";
        let rows = check_table(
            &drawn_racks(seed, 2, 3),
            &format!("all-reduce --commutative --participants {hosts}"),
        );
        assert!(
            rows.iter()
                .all(|row| row["status"] != "feasible" && row["status"] != "stopped"),
            "{rows:#?}"
        );
    }
}

/// Three racks of two hosts with links of 10. The uplink of one has 5, of the others 40.
fn racks() -> Net {
    let mut net = Net {
        model: "full-duplex",
        nodes: Vec::new(),
        links: Vec::new(),
    };
    for rack in 0..3 {
        for host in 0..2 {
            net.nodes.push((format!("r{rack}h{host}"), Some((1, 100))));
        }
    }
    for name in ["tor0", "tor1", "tor2", "core"] {
        net.nodes.push((name.to_string(), None));
    }
    let mut cable = |one, other, cost| net.links.extend([(one, other, cost), (other, one, cost)]);
    for host in 0..6 {
        cable(host, 6 + host / 2, (1, 10));
    }
    for rack in 0..3 {
        cable(6 + rack, 9, if rack == 2 { (1, 5) } else { (1, 40) });
    }
    net
}

/// Racks whose switches forward all messages at once.
fn racks_with_switches() -> String {
    let text = racks().toml();
    ["tor0", "tor1", "tor2", "core"]
        .iter()
        .fold(text, |text, name| {
            text.replace(
                &format!("name = \"{name}\"\n"),
                &format!("name = \"{name}\"\nmodel = \"links\"\n"),
            )
        })
}

/// Each host sends 4 messages into other racks: 8 cross the slow uplink each way, and 5 go through each host's port.
#[test]
fn the_slow_uplink_is_worth_buying_and_so_much_of_it() {
    let folder = Folder::new();
    let file = folder.write("racks.toml", racks_with_switches());
    let answer = oneport!("whatif all-to-all --platform {file} --json")
        .ok()
        .object();
    assert_eq!(
        (&answer["base"]["throughput"], &answer["base"]["status"]),
        (&"5/8".into(), &"optimal".into())
    );
    let rows = answer["rows"].as_array().unwrap();
    let told: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| ["name", "change", "throughput", "share"].map(|key| row[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ["core <-> tor2", "doubled", "5/4", "2"],
            ["core <-> tor2", "halved", "5/16", "1/2"],
            ["core <-> tor2", "removed", "0", "0"],
            ["core <-> tor*", "doubled", "5/8", "1"],
            ["core <-> tor*", "halved", "5/8", "1"],
            ["core <-> tor*", "removed", "0", "0"],
            ["r*h* <-> tor*", "doubled", "5/8", "1"],
            ["r*h* <-> tor*", "halved", "5/8", "1"],
            ["r*h* <-> tor*", "removed", "0", "0"],
        ]
    );
    assert_eq!(
        (&rows[2]["status"], &rows[2]["unreachable_count"]),
        (&"infeasible".into(), &16.into())
    );
    // With hosts of 6, the hosts are the limit first, at 6/5.
    let slower = folder.write(
        "slower.toml",
        racks_with_switches().replace("\"1/10\"", "\"1/6\""),
    );
    let answer = oneport!("whatif all-to-all --platform {slower} --json")
        .ok()
        .object();
    let row = &answer["rows"][0];
    assert_eq!(
        (&row["throughput"], &row["enough"], &row["enough_is_least"]),
        (&"6/5".into(), &"48/25".into(), &true.into())
    );
    let table = oneport!("whatif all-to-all --platform {slower}")
        .ok()
        .stdout;
    assert!(
        table.contains("+92 %") && table.contains("x1.92") && table.contains("no path"),
        "{table}"
    );
    // A sufficient factor suffices, and a smaller one does not.
    for (factor, expected) in [
        ("48/25", "6/5"),
        ("47/25", "47/40"),
        ("2", "6/5"),
        ("1000", "6/5"),
    ] {
        let run = oneport!(
            "whatif all-to-all --platform {slower} --change 'core <-> tor2: bandwidth x{factor}' \
             --json"
        );
        assert_eq!(
            run.ok().object()["rows"][0]["throughput"],
            expected,
            "{factor}"
        );
    }
}

/// 4/3 is the least factor. The steady state found for twice as fast may keep the processor needlessly busy.
#[test]
fn what_is_enough_is_found_where_much_would_do() {
    let folder = Folder::new();
    let file = folder.write(
        "pair.toml",
        "format = \"oneport-platform/1\"\nnode = [{ name = \"a\", compute = 3 }, { name = \"b\", compute = 2 }]\n\
         link = [{ from = \"a\", to = \"b\", cost = 1 }, { from = \"b\", to = \"a\", cost = \"2/3\" }]\n",
    );
    let answer = oneport!("whatif reduce --target b --platform {file} --json")
        .ok()
        .object();
    let rows = answer["rows"].as_array().expect("rows");
    let doubled: Vec<_> = rows
        .iter()
        .filter(|row| row["change"] == "doubled" && row["share"] != "1")
        .collect();
    assert!(!doubled.is_empty(), "{answer:#}");
    for row in doubled {
        let factor = row["enough"].as_str().expect("a factor");
        assert!(
            ["4/3", "3/2"].contains(&factor)
                && (row["enough_is_least"] == false || factor == "4/3"),
            "{row:#}"
        );
        let there = oneport!(
            "whatif reduce --target b --platform {file} --change 'b: compute /{factor}' --json"
        );
        assert_eq!(
            there.ok().object()["rows"][0]["throughput"],
            row["throughput"],
            "{row:#}"
        );
    }
}

#[test]
fn several_changes_are_one_scenario() {
    let folder = Folder::new();
    let file = folder.write("racks.toml", racks_with_switches());
    let share = |changes: &[&str]| {
        let changes = each("--change", changes);
        let answer = oneport!("whatif all-reduce --platform {file} --work 20 --json {changes}")
            .ok()
            .object();
        assert_eq!(answer["rows"].as_array().unwrap().len(), 1);
        answer["rows"][0]["share"].as_str().unwrap().to_string()
    };
    // All times are doubled.
    assert_eq!(share(&["* -> *: bandwidth /2", "*: compute x2"]), "1/2");
    assert_eq!(share(&["*: compute x1/3", "* -> *: cost x1/3"]), "3");
    // A change and its inverse.
    assert_eq!(
        share(&[
            "core <-> tor*: bandwidth x7",
            "tor* <-> core: bandwidth x1/7"
        ]),
        "1"
    );
    let text =
        oneport!("whatif all-to-all --platform {file} --change 'tor2 <-> core: bandwidth = 10'")
            .ok();
    for line in [
        "base        0.625 (= 5/8)",
        "change      tor2 <-> core: bandwidth = 10",
        "changed     1.25 (= 5/4)",
        "+100 %",
    ] {
        assert!(text.stdout.contains(line), "{line}: {}", text.stdout);
    }
    assert_eq!(
        text.stdout.matches("limited by").count(),
        2,
        "{}",
        text.stdout
    );
}

#[test]
fn quantities_have_the_units_of_the_platform() {
    let folder = Folder::new();
    let text = racks_with_switches().replacen('\n', "\nunits = \"GB/s\"\n", 1);
    let file = folder.write("racks.toml", text);
    let run =
        |change: &str| oneport!("whatif all-to-all --platform {file} --change '{change}' --json");
    assert_eq!(
        run("tor2 <-> core: bandwidth = 60 Gbit/s").ok().object()["rows"][0]["throughput"],
        "15/16"
    );
    run("tor2 <-> core: bandwidth = 60 Gb")
        .refused(2, &["--change 'tor2 <-> core: bandwidth = 60 Gb'", "Gb"]);
    run("tor2 <-> core: bandwidth = 60 ms").refused(2, &["60 ms", "GB/s"]);
    let table = oneport!("whatif all-to-all --platform {file}").ok().stdout;
    assert!(
        table.contains("5 GB/s") && table.contains("0.625 per second"),
        "{table}"
    );
    let plain = folder.write("plain.toml", racks_with_switches());
    let run = oneport!("whatif all-to-all --platform {plain} --change 'tor2: bandwidth = 3 GB/s'");
    run.refused(2, &["'3 GB/s' has a unit", "--units"]);
}

#[test]
fn changes_that_mean_nothing_are_refused() {
    let cases: &[(&str, &[&str])] = &[
        (
            "Ps -> Q9: bandwidth x2",
            &["--change 'Ps -> Q9: bandwidth x2'", "no node 'Q9'"],
        ),
        (
            "P0 -> P1: bandwidth x2",
            &["no link leads from 'P0' to 'P1'"],
        ),
        ("Ps -> Pa: bandwidth x0", &["0 is not positive", "remove"]),
        ("Ps -> Pa: bandwidth x-2", &["-2 is not positive"]),
        ("Ps -> Pa: cost = 0", &["0 is not positive"]),
        ("Ps -> Pa: bandwidth xx", &["bandwidth", "'x'"]),
        (
            "Ps -> Pa: speed x2",
            &["speed x2", "bandwidth, cost, remove"],
        ),
        ("Ps -> Pa: compute x2", &["this is a link"]),
        (
            "Ps: ports = 2",
            &["ports count for nothing", "model = multiport"],
        ),
        ("Ps: ports = 0", &["ports = 2"]),
        ("Ps: model = fast", &["fast", "half-duplex"]),
        ("Ps -> Pa", &["no ':'"]),
        ("", &["no ':'"]),
        ("*: remove", &["node"]),
    ];
    for (change, words) in cases {
        let run =
            oneport!("whatif scatter --source Ps --platform toy-scatter.toml --change '{change}'");
        run.refused(2, words);
    }
    let folder = Folder::new();
    let file = folder.write("racks.toml", racks().toml());
    let run = oneport!("whatif all-reduce --platform {file} --change 'tor*: compute x2'");
    run.refused(2, &["'tor0' is a router", "compute = 1"]);
    let scatter = "whatif scatter --source Ps --targets P0,P1 --platform toy-scatter.toml";
    // The source is removed.
    oneport!("{scatter} --change 'Ps: remove'").refused(1, &["--source", "no node 'Ps'"]);
    let run = oneport!("{scatter} --change '* -> P1: remove' --json");
    assert_eq!(
        (run.code, &run.object()["rows"][0]["status"]),
        (Some(1), &"infeasible".into())
    );
    run.one_error(&["no throughput after --change", "from 'Ps' to 'P1'"]);
}

#[test]
fn limits_leave_the_rows_that_are_known() {
    let folder = Folder::new();
    let file = folder.path("z.toml");
    oneport!("generate random --nodes 24 --model half-duplex -o {file}").ok();
    let run = oneport!("whatif all-reduce --platform {file} --time-limit 2 --json");
    let answer = run.object();
    let rows = answer["rows"].as_array().unwrap();
    assert!(
        rows.iter()
            .any(|row| row["status"] == "stopped" || row["status"] == "feasible"),
        "{answer}"
    );
    let number = |value: &Value| oneport::parse_rational(value.as_str().unwrap()).unwrap();
    let whole = |value: i64| number(&value.to_string().into());
    for row in rows {
        if !row["share_at_least"].is_null() {
            let [low, high] = ["share_at_least", "share_at_most"].map(|key| number(&row[key]));
            assert!(
                low <= high && (row["share"].is_null() || low == high),
                "{row}"
            );
            let doubled = row["change"] == "doubled";
            assert!(
                if doubled {
                    low >= whole(1) && high <= whole(2)
                } else {
                    high <= whole(1)
                },
                "{row}"
            );
        }
        let equal = row["throughput"] == row["upper_bound"];
        match row["status"].as_str().unwrap() {
            "optimal" | "infeasible" => assert!(equal, "{row}"),
            "feasible" => assert!(!equal, "{row}"),
            _ => assert!(
                row["throughput"].is_null() && row["reason"].is_string(),
                "{row}"
            ),
        }
    }
}

/// Two consecutive cables limit together: doubling either gains nothing, both gain all. The third is half as busy.
#[test]
fn pairs_are_tried_where_no_class_alone_gains() {
    let folder = Folder::new();
    let node = |name: &str| (name.to_string(), None);
    let mut net = Net {
        model: "links",
        nodes: ["a", "m", "n", "b"].map(node).to_vec(),
        links: vec![(0, 1, (1, 1)), (1, 2, (1, 1)), (2, 3, (1, 2))],
    };
    net.nodes[0].1 = Some((1, 1));
    net.nodes[3].1 = Some((1, 1));
    let question = "whatif scatter --source=a --targets=b --platform";
    let file = folder.write("line.toml", net.toml());
    let answer = oneport!("{question} {file} --json").ok().object();
    let rows = answer["rows"].as_array().unwrap();
    assert!(
        rows.iter()
            .filter(|row| row["change"] == "doubled")
            .all(|row| row["share"] == "1"),
        "{answer}"
    );
    // Halving the faster cable costs nothing either, so it is in no pair.
    let pairs: Vec<[&str; 2]> = answer["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["name", "share"].map(|key| row[key].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [["a -> m and m -> n", "2"]]);
    let text = oneport!("{question} {file}").ok().stdout;
    assert!(
        text.contains("No class alone gains anything. Doubled together (1 pair tried):\n  +100 %  a -> m and m -> n"),
        "{text}"
    );
    // Computed by hand: both twice as fast.
    let mut faster = net;
    faster.links[0].2 = (1, 2);
    faster.links[1].2 = (1, 2);
    let file = folder.write("faster.toml", faster.toml());
    let solved = oneport!("solve scatter --source=a --targets=b --platform {file} --json")
        .ok()
        .object();
    assert_eq!(solved["throughput"], "2");
    // Three consecutive cables: doubling two gains nothing, all three gain all.
    let mut row = faster.clone();
    row.links = vec![(0, 1, (1, 1)), (1, 2, (1, 1)), (2, 3, (1, 1))];
    let file = folder.write("row.toml", row.toml());
    let text = oneport!("{question} {file}").ok().stdout;
    let wanted =
        "Doubled together (3 pairs and 1 triple tried):\n  +100 %  a -> m and m -> n and n -> b\n";
    assert!(text.contains(wanted), "{text}");
    // If a class alone gains, no pair is tried.
    faster.links[1].2 = (1, 1);
    let file = folder.write("one.toml", faster.toml());
    let answer = oneport!("{question} {file} --json").ok().object();
    assert_eq!(answer["pairs"].as_array().unwrap().len(), 0);
}

/// Ports of unequal costs with similar names are two classes, and the name of one includes no node of the other.
#[test]
fn classes_with_alike_names_list_their_own() {
    let folder = Folder::new();
    let node = |name: &str| (name.to_string(), Some((1, 1)));
    let links = (1..4).flat_map(|leaf| [(0, leaf, (leaf as i64, 1)), (leaf, 0, (leaf as i64, 1))]);
    let nodes = ["p0", "p1", "p2", "p3"].map(node).to_vec();
    let net = Net {
        model: "full-duplex",
        nodes,
        links: links.collect(),
    };
    let file = folder.write("star.toml", net.toml());
    let answer = oneport!("whatif scatter --source=p0 --platform {file} --json")
        .ok()
        .object();
    let rows = answer["rows"].as_array().unwrap();
    let ports: std::collections::BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["kind"] == "ports")
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert!(
        ports.contains("ports of p0, p1") && ports.iter().all(|name| !name.contains('*')),
        "{ports:?}"
    );
}
