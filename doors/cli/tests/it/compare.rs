//! `oneport compare`: named and listed algorithms, measured values.

use crate::common;

use common::{Folder, fixture};
use serde_json::Value;

const ALL_REDUCE: &str = "compare all-reduce --commutative --work=0";

fn share(row: &Value) -> f64 {
    row["share_decimal"]
        .as_str()
        .expect("a share")
        .parse()
        .expect("a number")
}

/// Rows of a comparison by name.
fn row<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rows = report["rows"].as_array().expect("rows");
    rows.iter()
        .find(|row| row["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {report}"))
}

#[test]
fn shares_descend_from_the_optimum() {
    let report = oneport!("{ALL_REDUCE} --platform torus-4x4.toml --json")
        .ok()
        .object();
    assert_eq!(
        (&report["status"], &report["throughput"]),
        (&"optimal".into(), &report["upper_bound"])
    );
    let shares: Vec<f64> = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(share)
        .collect();
    assert!(
        shares.len() > 8 && shares.windows(2).all(|pair| pair[0] >= pair[1]),
        "{shares:?}"
    );
    assert!(
        shares.iter().all(|share| (0.0..=1.0).contains(share)),
        "{shares:?}"
    );
    // A ring through neighbours keeps one of the four links out of every node busy.
    assert_eq!(row(&report, "ring, best order found")["share"], "1/4");
    let text = oneport!("{ALL_REDUCE} --platform torus-4x4.toml")
        .ok()
        .stdout;
    for word in [
        "optimum ",
        "limited by",
        "of the optimum",
        "Rabenseifner",
        "cheapest path",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn one_operation_is_timed_where_its_size_is_given() {
    let folder = Folder::new();
    let question = format!("{ALL_REDUCE} --platform torus-4x4.toml --bytes=1MB");
    let report = oneport!("{question} --json").ok().object();
    let seconds = |value: &Value| {
        let text = value.as_str().expect("a time");
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
    };
    let least = seconds(&report["lower_bound"]);
    assert!(least <= seconds(&report["time"]), "{report}");
    for row in report["rows"].as_array().expect("rows") {
        // A single operation is at most as fast as a steady state.
        let throughput = seconds(&row["throughput"]);
        assert!(
            least <= seconds(&row["time"])
                && 1.0 <= throughput * seconds(&row["time"]) * (1.0 + 1e-9),
            "{row}"
        );
    }
    let chart = folder.path("chart.svg");
    let text = oneport!("{question} -o {chart}").ok().stdout;
    for word in [
        "no schedule takes less than",
        "oneport's own",
        "one operation",
        "of the bound",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let svg = std::fs::read_to_string(chart).expect("drawn");
    assert!(
        svg.matches("class=\"second\"").count() > 8 && svg.contains("once"),
        "{svg}"
    );
    let unsized_ = oneport!("{ALL_REDUCE} --platform torus-4x4.toml --json")
        .ok()
        .object();
    assert!(
        unsized_["lower_bound"].is_null() && row(&unsized_, "ring")["time"].is_null(),
        "{unsized_}"
    );
}

#[test]
fn order_counts_unless_the_operator_commutes() {
    let text = oneport!("compare all-reduce --in-order --work=0 --platform torus-4x4.toml")
        .ok()
        .stdout;
    let (table, left) = text
        .split_once("left out")
        .expect("some need another order");
    assert!(left.contains("ring") && table.contains("chain"), "{text}");
}

#[test]
fn own_algorithms_are_rated() {
    let folder = Folder::new();
    let file = |name: &str, text: &str| {
        let path = folder.path(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let ring = file(
        "given.toml",
        "format = 'oneport-algorithm/1'\nring = ['hub', 'leaf1', 'leaf2', 'leaf3', 'leaf4', 'leaf5']\n",
    );
    let tree = file(
        "tree.json",
        r#"{"format": "oneport-algorithm/1", "name": "mine", "tree": [["hub", "leaf1"], ["hub", "leaf2"], ["hub", "leaf3"],
            ["hub", "leaf4"], ["hub", "leaf5"]]}"#,
    );
    let report = oneport!("{ALL_REDUCE} --platform star.json --with {ring} --with {tree} --json")
        .ok()
        .object();
    assert_eq!(
        row(&report, "given")["throughput"],
        row(&report, "ring")["throughput"]
    );
    assert_eq!(
        row(&report, "mine")["throughput"],
        row(&report, "flat tree")["throughput"]
    );
    assert_eq!(row(&report, "mine")["own"], true);

    let refused = |name: &str, text: &str, words: &[&str]| {
        let path = file(name, text);
        oneport!("{ALL_REDUCE} --platform star.json --with {path}").refused(1, words);
    };
    let list = |rest: &str| format!(r#"{{"format": "oneport-algorithm/1", {rest}}}"#);
    refused(
        "a.json",
        &list(r#""ring": ["hub", "leaf1", "leaf2", "leaf3", "leaf5"]"#),
        &["misses 'leaf4'"],
    );
    refused(
        "b.json",
        &list(r#""ring": ["hub", "hub"]"#),
        &["'hub' twice"],
    );
    refused(
        "c.json",
        &list(r#""rounds": [[{"from": "leaf1", "to": "leaf2"}]]"#),
        &["step 1", "'leaf1'", "no link"],
    );
    refused(
        "d.json",
        &list(r#""rounds": [[{"from": "leaf1", "to": "hub"}]]"#),
        &["'hub'", "missing"],
    );
    refused(
        "e.json",
        &list(r#""rounds": [[{"from": "leaf1", "to": "hup"}]]"#),
        &["'hup'", "'hub'", "rounds[0][0].to"],
    );
    refused(
        "f.json",
        &list(r#""tree": [["hub", "leaf1"]]"#),
        &["without a parent"],
    );
    let circle = r#""tree": [["hub", "leaf1"], ["leaf1", "hub"], ["hub", "leaf2"], ["hub", "leaf3"], ["hub", "leaf4"],
        ["hub", "leaf5"]]"#;
    refused(
        "h.json",
        &list(circle),
        &["every node has a parent", "circle"],
    );
    // A user's algorithm with the name of another is listed in addition to it.
    let twin = file(
        "twin.json",
        &list(r#""name": "ring", "ring": ["hub", "leaf2", "leaf1", "leaf3", "leaf4", "leaf5"]"#),
    );
    let report = oneport!("{ALL_REDUCE} --platform star.json --with {twin} --json")
        .ok()
        .object();
    let rings = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["name"] == "ring");
    assert_eq!(
        rings.filter(|row| row["own"] == true).count(),
        1,
        "{report}"
    );
    refused(
        "g.json",
        &list(r#""name": "nothing""#),
        &["'ring' is missing", "rounds"],
    );
}

/// MSCCL's steps of a chain of three ranks up and down, on one chunk.
fn chain() -> String {
    let step = |number: usize, kind: &str| {
        format!(
            "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" \
             depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
        )
    };
    let block = |id: usize, (send, receive): (usize, usize), steps: String| {
        format!("<tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"0\">{steps}</tb>")
    };
    let gpu = |id: usize, blocks: String| {
        format!("<gpu id=\"{id}\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"0\">{blocks}</gpu>")
    };
    let gpus = [
        gpu(0, block(0, (1, 1), step(0, "s") + &step(1, "r"))),
        gpu(
            1,
            block(0, (2, 0), step(0, "rrs")) + &block(1, (0, 2), step(0, "rcs")),
        ),
        gpu(2, block(0, (1, 1), step(0, "rrc") + &step(1, "s"))),
    ];
    format!(
        "<algo name=\"chain\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"3\" coll=\"allreduce\" \
         inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"1048576\">{}</algo>",
        gpus.concat()
    )
}

/// A chain of three GPUs sends the operation twice at its middle, over 450 GB/s: 225, on the bus 225 x 4/3 = 300. In
/// one piece its four messages of 450 MB over two links each take 8 x (1 ms + 1 us). A plan's own exports have the
/// plan's traffic, all-pairs 450/(14/8) on eight GPUs.
#[test]
fn schedules_of_other_programs_are_rated_and_timed() {
    let folder = Folder::new();
    let file = folder.path("box.toml");
    oneport!("generate dgx-h100 -o {file}").ok();
    let chain = folder.write("chain.xml", chain());
    let question = |command, rest: &str| {
        oneport!(
            "{command} all-reduce {file} --with {chain} --participants box0.gpu0..2 --work=0 {rest}"
        )
    };
    let report = question("compare", "--json").ok().object();
    let own = row(&report, "chain");
    let listed: Vec<&Value> = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["own"] == true)
        .collect();
    assert_eq!(listed.len(), 1);
    assert_eq!(own["throughput"], listed[0]["throughput"]);
    assert_eq!(listed[0]["throughput"], "225");
    assert_eq!(listed[0]["busbw"], "300 GB/s");
    let sized = "--bytes 450MB --latency 1us";
    let timed = question("time", sized).ok().stdout;
    assert!(timed.contains("chain (yours)"), "{timed}");
    let whole = question("compare", &format!("{sized} --json"));
    let whole = whole.ok().object();
    let rows = whole["rows"].as_array().expect("rows").iter();
    let times: Vec<(&Value, &Value)> = rows
        .filter(|row| row["name"] == "chain")
        .map(|row| (&row["pieces"], &row["time"]))
        .collect();
    assert_eq!(times.len(), 2);
    assert_eq!(times[0], times[1], "the same chain");
    let plan = folder.path("plan.json");
    oneport!("solve all-reduce {file} -o {plan}").ok();
    for (target, name) in [("msccl", "plan.xml"), ("mscclpp", "plan2.json")] {
        let out = folder.path(name);
        oneport!("export --to {target} {plan} {out}").ok();
        let report = oneport!("compare all-reduce {file} --with {out} --json")
            .ok()
            .object();
        let mut rows = report["rows"].as_array().expect("rows").iter();
        let own = rows.find(|row| row["own"] == true).expect("a row");
        assert_eq!(own["throughput"], "1800/7", "{target}");
        assert_eq!(own["share"], "1", "{target}");
    }
    oneport!("compare all-reduce {file} --with {chain}")
        .refused(1, &["chain.xml", "among 3 ranks", "among 8"]);
    oneport!("compare all-gather {file} --with {chain}")
        .refused(1, &["chain.xml", "'allreduce'", "'all-gather'"]);
}

#[test]
fn rounds_are_carried_out() {
    let folder = Folder::new();
    let (toy, path) = (fixture("toy-broadcast.toml"), folder.path("rounds.toml"));
    let rounds = "format = 'oneport-algorithm/1'\nname = 'relay'\nrounds = [\n  [{ from = 'Ps', to = 'P1' }],\n  \
                  [{ from = 'P1', to = 'P2' }],\n  [{ from = 'P1', to = 'P3' }, { from = 'P2', to = 'P4' }],\n]\n";
    std::fs::write(&path, rounds).expect("written");
    let question = format!("compare broadcast --source=Ps --platform {toy} --with {path}");
    let report = oneport!("{question} --json").ok().object();
    // P1 receives for 1, sends for 1/4 + 1/2, with one port for both.
    assert_eq!(row(&report, "relay")["throughput"], "4/7");
    let chart = folder.path("chart.svg");
    oneport!("{question} -o {chart}").ok();
    let svg = std::fs::read_to_string(chart).expect("drawn");
    assert!(
        svg.contains("relay (yours)") && svg.matches("class=\"bar\"").count() > 3,
        "{svg}"
    );
}

#[test]
fn measured_values_stand_beside_the_bound() {
    let folder = Folder::new();
    let measured =
        |value: &str| oneport!("{ALL_REDUCE} --platform dgx-a100-2.toml --measured '{value}'");
    // 520/3 operations of 1 GB per second, times 2 x 15/16: 325 GB/s on the bus.
    let text = measured("260 GB/s").ok().stdout;
    assert!(
        text.contains("your 260 GB/s is 80 % of the proved optimum, 325 GB/s; that is limited by"),
        "{text}"
    );
    assert!(measured("6 ms").ok().stdout.contains("is 96.2 %"));
    assert!(measured("80 GB/s algbw").ok().stdout.contains("is 46.2 %"));
    // A measurement above the optimum is a row above 100 %, and never the end of the table.
    let above = measured("390 GB/s").ok().stdout;
    for words in [
        "your 390 GB/s is 120 % of the proved optimum, 325 GB/s",
        "the platform file or the measurement is wrong",
        "rings, one per member of a group",
    ] {
        assert!(above.contains(words), "{words}: {above}");
    }
    let row = above
        .lines()
        .find(|line| line.trim_start().starts_with("measured ") && line.contains("120 %  "));
    assert!(row.is_some_and(|row| row.contains("390 GB/s")), "{above}");
    let latency = folder.path("latency.toml");
    let row = "format = 'oneport-platform/1'\nnode = [{ name = 'a', compute = '1 us' }, { name = 'b', compute = '1 us' }]\n\
               link = [{ from = 'a', to = 'b', bandwidth = '1 GB/s', latency = '5 us', duplex = true }]\n";
    std::fs::write(&latency, row).expect("written");
    let once = |time: &str| {
        oneport!(
            "compare broadcast --source=a --platform {latency} --bytes=1kB --measured '{time}'"
        )
    };
    // 1 us to send, 5 us in transit.
    assert!(
        once("12 us")
            .ok()
            .stdout
            .contains("no less than 6 us is possible, 50 % of it")
    );
    let above = once("5.9 us").ok().stdout;
    assert!(
        above.contains("no schedule of one operation takes less than 6 us (proved)"),
        "{above}"
    );
    measured("5 GB").refused(2, &["--measured", "an amount of data"]);
    measured("0").refused(2, &["--measured", "not positive"]);

    let tests = folder.path("nccl.json");
    let file = r#"{"version": 3, "args": ["./build/all_reduce_perf", "-J", "x"], "results": [
        {"size": 8, "count": 2, "out_of_place": {"time": 30.5, "alg_bw": 0.0, "bus_bw": 0.000000, "nwrong": 0}, "in_place": null},
        {"size": 1073741824, "out_of_place": {"time": 1, "bus_bw": 162.5}, "in_place": {"time": 1, "bus_bw": "nan"}}]}"#;
    std::fs::write(&tests, file).expect("written");
    let text = measured(&tests).ok().stdout;
    assert!(
        text.contains("162.5 GB/s (busbw of nccl-tests, 1 GiB, out of place) is 50 %"),
        "{text}"
    );
    oneport!("compare all-gather --platform dgx-a100-2.toml --measured {tests}")
        .refused(1, &["all-reduce", "all-gather"]);
    // Their printed text: the row of the largest size counts, in place or out of place.
    let log = folder.path("nccl.txt");
    let text = "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 8\n\
        #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n\
        #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n  \
        536870912     134217728     float     sum      -1     4000  134.22  260.00      0     4100  130.94  253.70    N/A\n \
        1073741824     268435456     float     sum      -1    11552   92.95  130.00      0    11550   92.97  162.50      0\n\
        # Avg bus bandwidth    : 201.55\n";
    std::fs::write(&log, text).expect("written");
    let shown = measured(&log).ok().stdout;
    assert!(
        shown.contains("162.5 GB/s (busbw of nccl-tests, 1 GiB, in place) is 50 %"),
        "{shown}"
    );
    oneport!("compare all-gather --platform dgx-a100-2.toml --measured {log}")
        .refused(1, &["all-reduce", "all-gather"]);
    // A row of NVIDIA/nccl-tests issue 44: old versions lack root and operator, and print errors as decimals.
    let row = "   134217728      16777216   float   3298.6   20.34   20.34  0e+00   3070.3   21.86   21.86  0e+00\n";
    std::fs::write(&log, row).expect("written");
    let shown = measured(&log).ok().stdout;
    assert!(
        shown.contains("21.86 GB/s (busbw of nccl-tests, 128 MiB, in place)"),
        "{shown}"
    );
    // An old all-gather lacks operator and root.
    let old = text
        .replace("all_reduce_perf", "x")
        .replace("sum      -1", "");
    std::fs::write(&log, old).expect("written");
    assert!(
        measured(&log)
            .ok()
            .stdout
            .contains("162.5 GB/s (busbw of nccl-tests, 1 GiB, in place) is 50 %")
    );
    std::fs::write(&log, "nothing\n").expect("written");
    measured(&log).refused(1, &["text without rows"]);
}

/// A DGX-1 runs six equal rings at once, all links busy: nothing has a higher throughput, and the row agrees with
/// `rings`. They are NCCL's rings, too.
#[test]
fn several_rings_at_once_are_a_row() {
    let report = oneport!("{ALL_REDUCE} --platform dgx1.toml --json")
        .ok()
        .object();
    let first = row(&report, "equal rings at once");
    assert_eq!(
        (&first["share"], &first["own"]),
        (&"1".into(), &false.into())
    );
    let nccl = row(&report, "NCCL Ring (6 channels)");
    assert_eq!(
        (&nccl["share"], &nccl["run_by"], &first["run_by"]),
        (&"1".into(), &"NCCL, RCCL".into(), &Value::Null)
    );
    // Six channels of 20 GB/s, as NCCL counts NVLink of a V100.
    assert_eq!(nccl["nccl_expects"]["busbw_GB_per_s"], "120");
    let rings = oneport!("rings dgx1.toml --json").ok().object();
    let count: u64 = rings["equal"]["rings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|ring| ring["times"].as_u64())
        .sum();
    assert!(
        first["about"]
            .as_str()
            .unwrap()
            .starts_with(&format!("{count} rings at once")),
        "{first}"
    );
    // Eight GPUs: 7/4 of a message passes every place.
    assert_eq!(first["throughput"], "600/7");
    let text = oneport!("{ALL_REDUCE} --platform dgx1.toml").ok().stdout;
    assert!(
        text.contains(&format!("{count} equal rings at once"))
            && text.contains("senders take turns"),
        "{text}"
    );
    // One operation is timed on them, too.
    let timed = oneport!("{ALL_REDUCE} --platform dgx1.toml --bytes=64MiB --json")
        .ok()
        .object();
    assert!(
        row(&timed, "equal rings at once")["time"].is_string(),
        "{timed}"
    );
}

/// Two boxes of 8 A100: NCCL's trees have 300 / (14/8) GB/s, its rings the 8 cards of 25 GB/s. Its own model picks the
/// rings, at 8 channels of 24 GB/s. A measurement has its share of each.
#[test]
fn nccls_algorithms_stand_beside_its_own_model() {
    let question = format!("{ALL_REDUCE} --platform dgx-a100-2.toml '--measured=192 GB/s'");
    let report = oneport!("{question} --json").ok().object();
    let [tree, ring] =
        ["NCCL Tree (8 channels)", "NCCL Ring (8 channels)"].map(|name| row(&report, name));
    assert_eq!(
        (&tree["throughput"], &ring["throughput"]),
        (&"1200/7".into(), &"320/3".into())
    );
    assert_eq!(report["nccl"]["pick"]["algorithm"], "Ring");
    assert_eq!(ring["nccl_expects"]["busbw_GB_per_s"], "192");
    assert_eq!(ring["measured_share"], "0.96");
    let text = oneport!("{question}").ok().stdout;
    for line in [
        "would pick Ring (Simple): its own model expects busbw 192 GB/s",
        "the best schedule of its own algorithms here: NCCL Tree (8 channels), 321.429 GB/s",
        "96 % of NCCL Ring (8 channels), which NCCL would pick",
        "59.7 % of NCCL Tree (8 channels), the algorithm here that carries most",
        "run by",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // A broadcast is a chain along every ring.
    let report = oneport!("compare broadcast --source=box0.gpu0 --platform dgx-a100-2.toml --json");
    assert_eq!(
        row(&report.ok().object(), "NCCL Ring (8 channels)")["share"],
        "1"
    );
}

/// With a size, rows are in the order of the time of one operation.
#[test]
fn rows_are_in_the_order_of_the_size() {
    let report = oneport!("{ALL_REDUCE} --platform torus-4x4.toml --bytes=1MB --json")
        .ok()
        .object();
    let rows = report["rows"].as_array().expect("rows");
    let shares: Vec<f64> = rows
        .iter()
        .filter_map(|row| row["share_once"].as_str()?.parse().ok())
        .collect();
    assert!(
        shares.len() > 8 && shares.is_sorted_by(|one, other| one >= other),
        "{shares:?}"
    );
    assert!(report["nccl"].is_null(), "{report}");
}
