//! `oneport time`: one operation, with latency.

use crate::common;

use common::{Folder, read};
use serde_json::Value;

/// Three nodes in a row at 1 GB/s: latency 10 us, overhead 1 us.
const ROW: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = "1 us" }, { name = "b", compute = "1 us" }, { name = "c", compute = "1 us" }]
[[link]]
from = "a"
to = "b"
bandwidth = "1 GB/s"
latency = "10 us"
overhead = "1 us"
duplex = true
[[link]]
from = "b"
to = "c"
bandwidth = "1 GB/s"
latency = "10 us"
overhead = "1 us"
duplex = true
"#;

fn row(folder: &Folder) -> String {
    let path = folder.path("row.toml");
    std::fs::write(&path, ROW).expect("written");
    path
}

fn rational(value: &Value) -> f64 {
    let text = value.as_str().expect("a rational");
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
}

#[test]
fn one_operation_has_a_time_and_a_bound() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question = format!("time broadcast --source=a --platform {platform} --bytes");
    let two = oneport!("{question} 8000 --targets=b --json").ok().object();
    // 8 us to send, overhead, latency: the bound is met.
    assert_eq!(
        (&two["time"], &two["lower_bound"]),
        (&"19/1000000".into(), &"19/1000000".into())
    );
    assert_eq!(
        (&two["pieces"], &two["algbw"], &two["busbw"]),
        (&1.into(), &"8/19".into(), &"8/19".into())
    );

    let report = oneport!("{question} 1MB --json").ok().object();
    let rows = report["rows"].as_array().expect("rows");
    assert!(
        rows.len() > 4 && report["pieces"].as_u64() > Some(4),
        "{report}"
    );
    // Never slower than a named algorithm, never faster than the bound.
    assert!(
        rows.iter()
            .all(|other| rational(&other["time"]) >= rational(&report["time"])),
        "{report}"
    );
    assert!(
        rational(&report["lower_bound"]) <= rational(&report["time"]),
        "{report}"
    );
    assert!(
        rational(&report["time"]) < 1.2 * rational(&report["lower_bound"]),
        "{report}"
    );
    let text = oneport!("{question} 1MB").ok().stdout;
    for word in [
        "time ",
        "no schedule takes less than",
        "chain",
        "the referee executed the best",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn sizes_make_a_table_and_a_curve() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question = format!(
        "time all-reduce --commutative --work=0 --platform {platform} --sizes=1KiB:1MiB:x32"
    );
    let report = oneport!("{question} --json").ok().object();
    let sizes = report["sizes"].as_array().expect("sizes");
    let bytes: Vec<&str> = sizes
        .iter()
        .filter_map(|size| size["bytes"].as_str())
        .collect();
    assert_eq!(bytes, ["1024", "32768", "1048576"]);
    assert!(
        sizes
            .windows(2)
            .all(|pair| rational(&pair[0]["time"]) < rational(&pair[1]["time"])),
        "{report}"
    );
    let text = oneport!("{question}").ok().stdout;
    assert!(
        text.contains("32 KiB") && text.contains("no less than"),
        "{text}"
    );
    let (csv, svg) = (folder.path("curve.csv"), folder.path("curve.svg"));
    oneport!("{question} -o {csv}").ok();
    oneport!("{question} -o {svg}").ok();
    let csv = std::fs::read_to_string(csv).expect("written");
    assert!(
        csv.starts_with("bytes,algorithm,pieces,time,lower_bound")
            && csv.contains("\n1048576,\"ring\","),
        "{csv}"
    );
    let svg = std::fs::read_to_string(svg).expect("drawn");
    assert!(
        svg.contains("proved bound") && svg.contains("bus bandwidth"),
        "{svg}"
    );
    let png = folder.path("curve.png");
    oneport!("{question} -o {png}").ok();
    assert!(std::fs::read(png).expect("drawn").starts_with(b"\x89PNG"));
    oneport!("{question} -o curve.pdf").refused(2, &["--output", "curve.pdf", "svg", "png", "csv"]);
}

/// Demands of a user have no algorithm with a name: the optimum's own patterns are timed.
#[test]
fn listed_demands_have_a_time() {
    let folder = Folder::new();
    let platform = row(&folder);
    let demands = folder.write(
        "moves.toml",
        "format = \"oneport-demands/1\"\ndemands = [{ values = [\"a\"], wanted = [\"b\", \"c\"] }]\n",
    );
    let question = format!("custom --demands {demands} --platform {platform} --size=8000 --json");
    let time = oneport!("time {question}").ok().object();
    let broadcast = format!("time broadcast --source=a --platform {platform} --size=8000 --json");
    let broadcast = oneport!("{broadcast}").ok().object();
    assert_eq!(
        time["lower_bound"], broadcast["lower_bound"],
        "{time} {broadcast}"
    );
    assert_eq!(time["rows"].as_array().map(Vec::len), Some(1), "{time}");
    let compared = oneport!("compare {question}").ok().object();
    assert_eq!(
        (&compared["time"], compared["rows"].as_array().map(Vec::len)),
        (&time["time"], Some(0)),
        "{compared}"
    );
}

/// Small random machines in GB/s. Links have latency, and overhead if their number is even.
fn drawn(folder: &Folder, seed: &str, model: &str) -> String {
    let path = folder.path(&format!("drawn{seed}.json"));
    oneport!(
        "generate random --nodes=5 --seed {seed} --cost=1..4 --compute=1..4 --model {model} \
         -o {path}"
    )
    .ok();
    let text = std::fs::read_to_string(&path).expect("written");
    let mut platform: Value = serde_json::from_str(&text).expect("a platform");
    platform["units"] = "GB/s".into();
    for (number, link) in platform["link"]
        .as_array_mut()
        .expect("links")
        .iter_mut()
        .enumerate()
    {
        link["latency"] = format!("{} us", 1 + number % 3).into();
        if number % 2 == 0 {
            link["overhead"] = "1/2 us".into();
        }
    }
    std::fs::write(&path, platform.to_string()).expect("written");
    path
}

/// The time that `time` reports is at most that of every algorithm of `compare`, and at least the bound.
#[test]
fn never_slower_than_what_is_compared() {
    let folder = Folder::new();
    let roles = |collective: &str| match collective {
        "broadcast" | "scatter" => "--source=P0",
        "reduce" => "--target=P0 --commutative",
        "reduce-scatter" | "all-reduce" => "--commutative",
        "gather" => "--target=P0",
        _ => "",
    };
    let mut compared = 0;
    for (number, model) in ["full-duplex", "half-duplex", "links"].iter().enumerate() {
        let platform = drawn(&folder, &(1 + number).to_string(), model);
        for (index, collective) in [
            "broadcast",
            "reduce",
            "all-gather",
            "reduce-scatter",
            "all-reduce",
            "all-to-all",
            "scatter",
            "gather",
        ]
        .into_iter()
        .enumerate()
        {
            // Every collective under some models, every model with half of the collectives, at either size.
            if (index / 2 + number) % 2 == 1 {
                continue;
            }
            let bytes = ["--bytes=1kB", "--bytes=1MB"][index % 2];
            let roles = roles(collective);
            let question = format!("{collective} --platform {platform} {bytes} --json {roles}");
            let once = oneport!("time {question}").ok().object();
            let rated = oneport!("compare {question}").ok().object();
            let (time, least) = (rational(&once["time"]), rational(&once["lower_bound"]));
            assert_eq!(
                once["lower_bound"], rated["lower_bound"],
                "{collective} {model}"
            );
            for row in rated["rows"].as_array().expect("rows") {
                let named = rational(&row["time"]);
                assert!(
                    least <= time && time <= named,
                    "{collective} {model}: {time} against {row}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn groups_run_at_once() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question =
        format!("time all-reduce --commutative --work=0 --platform {platform} --size=1MB --json");
    let both = oneport!("{question} --group=a,b --group=b,c").ok().object();
    let one = oneport!("{question} --group=a,b").ok().object();
    // The node in the middle serves both.
    assert!(
        rational(&both["time"]) > rational(&one["time"]),
        "{both} {one}"
    );
    assert!(
        rational(&both["lower_bound"]) <= rational(&both["time"]),
        "{both}"
    );
    let often = oneport!("{question} --group=a,b --group=b,c@2");
    // Twice the data takes longer, and no number is too large.
    let often = often.ok().object();
    assert!(
        rational(&often["time"]) > rational(&both["time"]),
        "{often} {both}"
    );
    let many = oneport!("{question} --group=a,b --group=b,c@5000");
    let many = many.ok().object();
    assert!(
        rational(&many["time"]) > rational(&often["time"])
            && rational(&many["lower_bound"]) <= rational(&many["time"]),
        "{many}"
    );
}

#[test]
fn sizes_are_checked() {
    let folder = Folder::new();
    let platform = row(&folder);
    let question = format!("time broadcast --source=a --platform {platform}");
    for sizes in [
        "--sizes=8",
        "--sizes=8:4:x2",
        "--sizes=8:64:x1",
        "--sizes=0:64:x2",
        "--sizes=8 us:64:x2",
    ] {
        oneport!("{question} '{sizes}'").refused(2, &["--sizes"]);
    }
    oneport!("{question} --sizes=8:64:x2 --bytes=8").misused(&["--bytes"]);
}

/// RR-2004-32, figure 1, half-duplex: the plan's own schedule follows its matchings, and the rest is start-up.
#[test]
fn a_pipelined_broadcast_follows_the_matchings() {
    let platform = common::fixture("toy-broadcast.toml");
    for model in ["half-duplex", "full-duplex"] {
        let report = oneport!(
            "time broadcast --source=Ps --size=10 --model {model} --platform {platform} --json"
        )
        .ok()
        .object();
        assert!(report["pieces"].as_u64() >= Some(512), "{report}");
        assert_eq!(report["rows"][0]["name"], "oneport", "{report}");
        assert!(
            rational(&report["time"]) <= 1.003 * rational(&report["lower_bound"]),
            "{report}"
        );
    }
}

/// A larger size takes at least as long as a smaller one: the best schedule for it is also used for the smaller.
#[test]
fn larger_sizes_take_no_less_time() {
    let folder = Folder::new();
    let file = folder.path("boxes.toml");
    oneport!("generate dgx-a100 --boxes 2 -o {file}").ok();
    let text = read(&file).replace("cost = \"1/", "latency = \"5 us\"\ncost = \"1/");
    let file = folder.write("late.toml", text);
    let answer =
        oneport!("time reduce-scatter --commutative --sizes 1KiB:8KiB:x2 --json --platform {file}")
            .ok()
            .object();
    let sizes = answer["sizes"].as_array().unwrap();
    let times = sizes
        .iter()
        .map(|row| oneport::parse_rational(row["time"].as_str().unwrap()).unwrap());
    let times: Vec<_> = times.collect();
    assert!(
        times.len() == 4
            && times.is_sorted()
            && times[0] > oneport::parse_rational("1/50000").unwrap(),
        "{times:?}"
    );
}

/// A path of several cheap links may take longer than one expensive link. A message of 1/100 takes 5/100 on the link
/// from a to c, and 3/2 of latency by b. With overheads, c sends to a from 0 to 11/10, arrives at 41/10, and then sends
/// to b.
#[test]
fn messages_take_the_quicker_of_two_paths() {
    let folder = Folder::new();
    let late = folder.write(
        "late.toml",
        r#"
format = "oneport-platform/1"
model = "links"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [
  { from = "a", to = "b", cost = 2, latency = "3/2" },
  { from = "a", to = "c", cost = 5 },
  { from = "b", to = "c", cost = "2/5" },
]
"#,
    );
    let slow = folder.write(
        "slow.toml",
        r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
link = [
  { from = "c", to = "a", cost = 1, latency = 3, overhead = 1 },
  { from = "a", to = "b", cost = 1, latency = 1 },
  { from = "c", to = "b", cost = 5, latency = 0, overhead = 1 },
]
"#,
    );
    for (collective, file, size, time) in [
        ("gather", &late, "1/100", "1/20"),
        ("broadcast", &slow, "1/10", "41/10"),
    ] {
        let timed = oneport!("time {collective} {file} --root c --size {size} --json");
        let timed = timed.ok().object();
        assert_eq!(
            (&timed["time"], &timed["lower_bound"]),
            (&time.into(), &time.into()),
            "{collective}"
        );
    }
}
