//! Collectives with counts, and barriers, timed or compared as one operation.

use crate::common;

use common::{Folder, fixture, rational, read};
use oneport::parse_rational;
use oneport::platform::whole;
use serde_json::Value;

/// Three nodes, each linked with each at cost 1.
const THREE: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [{ from = "a", to = "b", cost = 1, duplex = true }, { from = "a", to = "c", cost = 1, duplex = true },
        { from = "b", to = "c", cost = 1, duplex = true }]
"#;

/// Three nodes in a row, with latency and overhead.
const ROW: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [{ from = "a", to = "b", cost = 2, duplex = true, latency = 5, overhead = 1 },
        { from = "b", to = "c", cost = 1, duplex = true, latency = 1, overhead = "1/2" }]
"#;

/// Every block goes directly to each of its goals: rounds of (from, to, block).
fn direct(folder: &Folder, name: &str, combine: bool, rounds: &[&[(&str, &str, u32)]]) -> String {
    let send = |(from, to, block): &(&str, &str, u32)| {
        format!(r#"{{"from": "{from}", "to": "{to}", "blocks": [{block}], "combine": {combine}}}"#)
    };
    let round = |sends: &&[(&str, &str, u32)]| {
        let sends: Vec<String> = sends.iter().map(send).collect();
        format!("[{}]", sends.join(", "))
    };
    let rounds: Vec<String> = rounds.iter().map(round).collect();
    let text = format!(
        r#"{{"format": "oneport-algorithm/1", "name": "direct", "rounds": [{}]}}"#,
        rounds.join(", ")
    );
    folder.write(name, text)
}

fn ask(arguments: &str) -> Value {
    oneport!("{arguments} --json").ok().object()
}

/// Some port of the three nodes is busy all the time if each block goes directly: the optimum, and no row is above it.
#[test]
fn an_algorithm_of_counts_is_no_better_than_the_optimum() {
    let folder = Folder::new();
    let platform = folder.write("three.toml", THREE);
    let scatter = direct(&folder, "s.json", false, &[&[("a", "b", 0), ("a", "c", 1)]]);
    let gather = direct(&folder, "g.json", false, &[&[("b", "a", 0), ("c", "a", 1)]]);
    let copies = [
        ("a", "b", 0),
        ("b", "c", 1),
        ("c", "a", 2),
        ("a", "c", 0),
        ("b", "a", 1),
        ("c", "b", 2),
    ];
    let (near, far) = copies.split_at(3);
    let around = direct(&folder, "ag.json", false, &[near, far]);
    let pairs = [
        ("a", "b", 0),
        ("a", "c", 1),
        ("b", "a", 2),
        ("b", "c", 3),
        ("c", "a", 4),
        ("c", "b", 5),
    ];
    let exchange = direct(&folder, "a2a.json", false, &[&pairs]);
    let combined = [
        ("a", "b", 1),
        ("b", "c", 2),
        ("c", "a", 0),
        ("a", "c", 2),
        ("b", "a", 0),
        ("c", "b", 1),
    ];
    let (near, far) = combined.split_at(3);
    let reduced = direct(&folder, "rs.json", true, &[near, far]);
    let rows: [(&str, &str, &str, &str); 5] = [
        // Transfers: out of a, into a, out of c, into a, into c.
        ("scatter-v --source=a", "1,2", &scatter, "1/3"),
        ("gather-v --target=a", "1,2", &gather, "1/3"),
        ("all-gather-v", "1,2,3", &around, "1/6"),
        ("all-to-all-v", "0,1,2;3,0,1;2,1,0", &exchange, "1/5"),
        (
            "reduce-scatter-v --commutative --work=0",
            "1,2,3",
            &reduced,
            "1/6",
        ),
    ];
    for (collective, counts, with, throughput) in rows {
        let found = ask(&format!(
            "compare {collective} --platform {platform} --counts {counts} --with {with}"
        ));
        let own = &found["rows"][0];
        assert_eq!(found["status"], "optimal", "{found}");
        assert_eq!(own["throughput"], throughput, "{found}");
        assert!(rational(&own["share"]) <= whole(1), "{found}");
        // One operation, at a size: no run is below the bound.
        let sized = format!("--size=6 --platform {platform} --counts {counts} --with {with}");
        let once = ask(&format!("compare {collective} {sized}"));
        let least = rational(&once["lower_bound"]);
        assert!(
            least <= rational(&once["time"]) && least <= rational(&once["rows"][0]["time"]),
            "{once}"
        );
        assert_eq!(once["rows"].as_array().map(Vec::len), Some(1), "{once}");
        // Three times the counts: three times the bound.
        let factor = |count: &str| (3 * count.parse::<u64>().expect("a count")).to_string();
        let thrice: Vec<String> = counts
            .split(';')
            .map(|row| row.split(',').map(factor).collect::<Vec<_>>().join(","))
            .collect();
        let thrice = ask(&format!(
            "time {collective} --size=6 --platform {platform} --counts {}",
            thrice.join(";")
        ));
        assert_eq!(
            rational(&thrice["lower_bound"]),
            least * whole(3),
            "{thrice}"
        );
    }
    let demands = r#"{"format": "oneport-demands/1", "demands": [{"values": ["a"], "wanted": ["b"]},
                      {"values": ["a"], "wanted": ["c"], "rate": 2}]}"#;
    let demands = folder.write("d.json", demands);
    let question = format!("--platform {platform} --size=6");
    let custom = format!("custom --demands {demands}");
    let counted = "scatter-v --source=a --counts=1,2".to_string();
    let [custom, counted] = [custom, counted].map(|collective| {
        oneport!("compare {collective} {question} --with {scatter} --json")
            .ok()
            .object()
    });
    for key in [
        "throughput",
        "upper_bound",
        "lower_bound",
        "time",
        "pieces",
        "rows",
    ] {
        assert_eq!(custom[key], counted[key], "{key}");
    }
    // 3 messages of 6 leave a.
    assert_eq!(
        (&counted["time"], &counted["lower_bound"]),
        (&"18".into(), &"18".into())
    );
    let group = "all-reduce --commutative --work=0 --group=a,b@3";
    let group = ask(&format!("compare {group} {question}"));
    let bounded = |found: &Value| rational(&found["lower_bound"]) <= rational(&found["time"]);
    assert!(bounded(&group) && group["lower_bound"] == "18", "{group}");
}

/// Several messages of one demand are sent as one. A common factor of all counts is one of the size.
#[test]
fn messages_of_one_demand_travel_together() {
    let folder = Folder::new();
    let row = folder.write("row.toml", ROW);
    let platform = format!("--platform {row}");
    let scatter = |rest: &str| ask(&format!("time {rest} --source=a --targets=b {platform}"));
    let three = scatter("scatter-v --counts=3");
    // 1 to begin, 6 to send, 5 in transit.
    assert_eq!(
        (&three["time"], &three["lower_bound"]),
        (&"12".into(), &"12".into())
    );
    let plain = scatter("scatter --size=3");
    let large = ask(
        "time all-gather-v --counts=500,500,500,500,500,500,500,500 --size=1MB \
         --platform dgx1.toml",
    );
    let alike = ask("time all-gather --size=500MB --platform dgx1.toml");
    for (counted, plain, name) in [
        (&three, &plain, "scatter-v"),
        (&large, &alike, "all-gather-v"),
    ] {
        assert_eq!(counted["collective"], name, "{counted}");
        for key in ["time", "pieces", "name", "lower_bound", "gap"] {
            assert_eq!(counted[key], plain[key], "{key} of {name}");
        }
        for (one, other) in counted["rows"]
            .as_array()
            .unwrap()
            .iter()
            .zip(plain["rows"].as_array().unwrap())
        {
            assert_eq!(
                (&one["name"], &one["time"]),
                (&other["name"], &other["time"]),
                "{name}"
            );
        }
    }
    // No benchmark counts them: values that the text leaves open are null.
    for key in ["bytes", "algbw", "busbw"] {
        assert!(
            large[key].is_null() && alike[key].is_string(),
            "{key}: {large}"
        );
        // Without units of the platform, nothing is in bytes either.
        assert!(
            three[key].is_null() && plain[key].is_null(),
            "{key}: {plain}"
        );
    }
    let question = format!("time scatter-v --source=a --targets=b --counts=3 --platform {row}");
    let text = oneport!("{question}").ok().stdout;
    assert!(text.starts_with("scatter-v of 3 messages on"), "{text}");
    oneport!("time scatter-v --source=a --counts=2,3 --bytes=8 --platform {row}")
        .refused(2, &["--bytes", "scatter-v"]);
}

/// One token is not cut: every run is at least as long as the path of an uncut token to the farthest node.
#[test]
fn a_token_is_whole() {
    let folder = Folder::new();
    let late = folder.write(
        "late.toml",
        THREE.replace("cost = 1,", "cost = 1, latency = 3,"),
    );
    let row = folder.write("row.toml", ROW);
    let (dgx1, torus) = (fixture("dgx1.toml"), fixture("torus-4x4.toml"));
    // 8 bytes at 50 GB/s. 2 + 3. From a to c 4 + 1 + 5 + 2 + 1/2 + 1.
    for (platform, size, way) in [
        (&dgx1, "--size=8B", "4/25000000000"),
        (&torus, "--size=8B", "0"),
        (&late, "--size=2", "5"),
        (&row, "--size=2", "27/2"),
    ] {
        let question = format!("barrier --work=0 --commutative {size} --platform {platform}");
        let once = ask(&format!("time {question}"));
        assert!(
            rational(&once["lower_bound"]) >= parse_rational(way).unwrap(),
            "{once}"
        );
        assert!(
            rational(&once["lower_bound"]) <= rational(&once["time"]),
            "{once}"
        );
        let rows = once["rows"].as_array().unwrap();
        assert!(
            rows.len() > 1 && rows.iter().all(|row| row["pieces"] == 1),
            "{once}"
        );
        assert!(once["bytes"].is_null() && once["busbw"].is_null(), "{once}");
        let text = oneport!("time {question}").ok().stdout;
        assert!(
            text.contains("in one piece") && !text.contains("smaller pieces"),
            "{text}"
        );
        let compared = ask(&format!("compare {question}"));
        for row in compared["rows"].as_array().unwrap() {
            let cut = ["equal rings at once", "ring", "two shots", "Rabenseifner"]
                .contains(&row["name"].as_str().unwrap());
            assert!(!cut && row["pieces"] == 1, "{compared}");
            assert!(
                rational(&row["time"]) >= rational(&compared["lower_bound"]),
                "{compared}"
            );
        }
        assert_eq!(compared["lower_bound"], once["lower_bound"]);
    }
}

/// The answer reports that a limit ended it.
#[test]
fn a_limit_is_named() {
    let question = "time all-gather-v --counts=499,500,501,502,503,504,505,506 --size=1MB \
                    --platform dgx1.toml";
    let ended = oneport!("{question} --time-limit=0 --json").ok().object();
    assert_eq!(ended["ended_by"], "ended by --time-limit", "{ended}");
    assert!(
        rational(&ended["lower_bound"]) <= rational(&ended["time"]),
        "{ended}"
    );
    let text = oneport!("{question} --time-limit=0").ok().stdout;
    assert!(text.contains("ended by --time-limit"), "{text}");
    let whole = ask("time barrier --platform dgx1.toml");
    assert!(whole.get("ended_by").is_none(), "{whole}");
    // If the platform has units, a token has 8 bytes.
    let token = ask("time barrier --platform dgx1.toml --size=8B");
    assert_eq!(whole["rows"], token["rows"]);
}

/// A ring in one direction, on which every order of the participants has a break: an all-reduce in order sends along
/// two of the three paths around, and one in any order along all three.
const ONE_WAY: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [{ from = "a", to = "c", cost = 1 }, { from = "c", to = "b", cost = 1 }, { from = "b", to = "a", cost = 1 }]
"#;

/// A barrier's tokens have no order with or without the option: all commands agree, and a plan in order is refused.
#[test]
fn a_barrier_has_no_order() {
    let folder = Folder::new();
    let (ring, plan) = (folder.write("ring.toml", ONE_WAY), folder.path("plan.json"));
    let any = "--commutative";
    let orders = ["a,b,c", "c,b,a", "a,c,b"];
    for order in orders {
        let question = format!("--work=0 --platform {ring} --participants {order}");
        let throughput = |name, more: &str| {
            let found = ask(&format!("solve {name} {question} {more}"));
            assert_eq!(found["status"], "optimal");
            found["throughput"].clone()
        };
        assert_eq!(throughput("all-reduce", "--in-order"), "2/3");
        assert_eq!(throughput("all-reduce", ""), "3/4");
        assert_eq!(throughput("all-reduce", any), "3/4");
        assert_eq!(throughput("barrier", ""), "3/4");
        assert_eq!(throughput("barrier", any), "3/4");
        let stripped = |command, more: &str| {
            let mut found = ask(&format!("{command} barrier {question} {more}"));
            let keys = found.as_object_mut().unwrap();
            keys.retain(|key, _| !key.contains("seconds"));
            found
        };
        for command in ["time", "compare", "whatif"] {
            assert_eq!(stripped(command, ""), stripped(command, any), "{command}");
        }
    }
    let bounds = ask(&format!("bound {ring} barrier"));
    assert_eq!(bounds["bounds"][0]["bound"], "3/4", "{bounds}");
    oneport!("solve barrier --platform {ring} -o {plan}").ok();
    oneport!("verify {plan}")
        .ok()
        .prints(&["barrier throughput 3/4 (optimal)"]);
    let text = read(&plan);
    let said = |value: &str| {
        let key = format!("\"name\": \"barrier\", \"commutative\": {value},");
        folder.write(
            "said.json",
            text.replacen("\"name\": \"barrier\",", &key, 1),
        )
    };
    oneport!("verify {}", said("true")).ok();
    oneport!("verify {}", said("false")).refused(1, &["'commutative'", "tokens have no order"]);
}
