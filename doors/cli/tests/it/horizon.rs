//! `oneport run` and `solve --whole-messages`: a given time, a given number of operations, no message cut.

use serde_json::Value;

use crate::common;

use common::{Folder, fixture};

/// The plan of a broadcast on figure 1 of RR-2004-32, half-duplex.
fn plan(folder: &Folder, options: &str) -> String {
    let (path, platform) = (folder.path("plan.json"), fixture("toy-broadcast.toml"));
    oneport!(
        "solve broadcast --source Ps --model half-duplex --platform {platform} -o {path} {options}"
    )
    .ok();
    path
}

fn json(arguments: &str) -> Value {
    serde_json::from_str(&oneport!("{arguments}").ok().stdout).unwrap()
}

/// Without a list of one period, bound and the papers' policy are the answer. The limit is named.
#[test]
fn what_a_limit_leaves_unlisted_is_bounded() {
    let folder = Folder::new();
    let path = folder.path("long.json");
    oneport!("solve scatter --source hub --platform star.json --period 100000 -o {path}").ok();
    let whole = json(&format!("run {path} --until 1000000 --json"));
    assert!(
        whole["ended_by"].is_null() && whole["delivered"].is_string(),
        "{whole:#}"
    );
    let short = format!("run {path} --until 1000000 --memory-limit 50M");
    let limited = json(&format!("{short} --json"));
    assert_eq!(
        (&limited["ended_by"], &limited["delivered"]),
        (&Value::from("ended by --memory-limit"), &Value::Null),
        "{limited:#}"
    );
    for key in ["bound", "tp_k", "policy"] {
        assert_eq!(limited[key], whole[key]);
    }
    let said = oneport!("{short}").ok().stdout;
    assert!(
        said.contains("not counted") && said.contains("ended by --memory-limit"),
        "{said}"
    );
    oneport!("run {path} --instances 7 --memory-limit 50M")
        .refused(1, &["--instances", "ended by --memory-limit", "--until K"]);
}

#[test]
fn figure_1_until_k() {
    let folder = Folder::new();
    let path = plan(&folder, "");
    for (until, bound, delivered) in [
        ("0", "0", "0"),
        ("5/2", "2", "0"),
        ("5", "4", "2"),
        ("10", "8", "6"),
        ("25", "20", "18"),
    ] {
        let run = json(&format!("run {path} --until {until} --json"));
        assert_eq!(
            [&run["bound"], &run["delivered"]],
            [bound, delivered],
            "{run:#}"
        );
        let exact = |value: &Value| oneport::parse_rational(value.as_str().unwrap()).unwrap();
        assert_eq!(
            exact(&run["tp_k"]).floor(),
            exact(&run["bound"]),
            "the plan is optimal"
        );
        assert_eq!(
            exact(&run["steady"]),
            exact(&run["rounds"]) * exact(&run["instances_per_period"])
        );
        assert_eq!(
            [&run["initialisation"], &run["period"]],
            ["5/2", "5/2"],
            "{run:#}"
        );
        assert!(
            run["followed"].as_bool().unwrap() && run["policy"].is_null(),
            "{run:#}"
        );
        let count = |key: &str| run[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(
            count("steady") <= count("delivered") && count("delivered") <= count("bound"),
            "{run:#}"
        );
        assert!(
            count("eager") >= count("delivered") && count("eager") <= count("bound"),
            "{run:#}"
        );
    }
    let text = oneport!("run {path} --until 25").ok().stdout;
    for words in [
        "20 instances, TP K: no schedule delivers more by K",
        "14 instances: r T TP with r = floor((K - 2I - T) / T) = 7",
        "18 instances by the plan's dates (90 % of it)",
        "the referee followed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn the_least_time_for_n_instances() {
    let folder = Folder::new();
    let path = plan(&folder, "");
    for instances in ["1", "2", "7", "18", "1000000000000000000"] {
        let run = json(&format!("run {path} --instances {instances} --json"));
        let [delivered, wanted] = [run["delivered"].as_str().unwrap(), instances]
            .map(|text| text.parse::<u64>().unwrap());
        assert!(delivered >= wanted && delivered < wanted + 2, "{run:#}");
        assert_eq!(run["followed"], instances.len() < 5, "{run:#}");
        // At the resulting time, the same number is delivered.
        let again = json(&format!(
            "run {path} --until {} --json",
            run["until"].as_str().unwrap()
        ));
        assert_eq!(again["delivered"], run["delivered"]);
    }
}

#[test]
fn the_papers_policy_on_the_toy() {
    let folder = Folder::new();
    let (path, platform) = (folder.path("plan.json"), fixture("toy-scatter.toml"));
    oneport!("solve scatter --platform {platform} --source Ps --targets P0,P1 -o {path}").ok();
    let run = json(&format!("run {path} --until 200 --json"));
    let policy = &run["policy"];
    let longest = policy["longest_path"].as_u64().unwrap();
    assert!(
        policy["filling_periods"].as_u64().unwrap() < longest
            && policy["clean_up_periods"].as_u64().unwrap() < longest
    );
    let count = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    assert!(
        count(&policy["delivered"]) >= count(&run["steady"])
            && count(&policy["delivered"]) <= count(&run["bound"])
    );
    let text = oneport!("run {path} --until 200").ok().stdout;
    assert!(text.contains("by the papers' policy"), "{text}");
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::new();
    let path = plan(&folder, "");
    for (arguments, word) in [
        (format!("run {path}"), "--until <K>|--instances <N>"),
        (format!("run {path} --until 1 --instances 1"), "--instances"),
        (format!("run {path} --until -1"), "negative"),
        (format!("run {path} --until soon"), "--until"),
        (
            format!("run {path} --instances 0"),
            "whole number from 1 on",
        ),
        (
            format!("run {path} --instances 3/2"),
            "whole number from 1 on",
        ),
    ] {
        let run = oneport!("{arguments}");
        assert_eq!(run.code, Some(2), "{run:#?}");
        assert!(run.stderr.contains(word), "{run:#?}");
    }
    let broken = folder.write("broken.json", "{}");
    assert_eq!(oneport!("run {broken} --until 1").code, Some(1));
}

#[test]
fn the_referee_checks_a_plan_for_cuts() {
    let folder = Folder::new();
    let (path, platform) = (folder.path("plan.json"), folder.path("random.toml"));
    oneport!("generate random --nodes 6 --seed 2 -o {platform}").ok();
    let question =
        format!("solve all-to-all --platform {platform} --model half-duplex -o {path} --json");
    assert_ne!(json(&question)["cut"], "0");
    oneport!("verify {path}").ok();
    let refused = oneport!("verify {path} --whole-messages");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is cut at"), "{refused:#?}");
    json(&format!("{question} --whole-messages"));
    let text = oneport!("verify {path} --whole-messages").ok().stdout;
    assert!(text.contains("no message cut"), "{text}");
}

#[test]
fn no_message_is_cut() {
    let (folder, mut cut) = (Folder::new(), 0);
    let platform = folder.path("random.toml");
    for seed in ["1", "2", "3", "4", "5", "6"] {
        oneport!("generate random --nodes 6 --seed {seed} -o {platform}").ok();
        for model in ["full-duplex", "half-duplex"] {
            let question = format!("solve all-to-all --platform {platform} --model {model}");
            let before = json(&format!("{question} --json"));
            let after = json(&format!("{question} --whole-messages --json"));
            assert_eq!(
                [&before["throughput"], &before["status"]],
                [&after["throughput"], &after["status"]]
            );
            assert_eq!(before["schedule_throughput"], after["schedule_throughput"]);
            assert!(before["period_factor"].is_null());
            assert_eq!(
                [&after["cut"], &after["pieces"]],
                [&Value::from("0"), &Value::from(1)],
                "{after:#}"
            );
            let text = oneport!("{question} --whole-messages").ok().stdout;
            assert!(text.contains("no message is cut: period"), "{text}");
            if before["cut"] != "0" {
                cut += 1;
                let text = oneport!("{question}").ok().stdout;
                assert!(text.contains("--whole-messages cuts none"), "{text}");
            }
        }
    }
    assert!(cut > 0, "some plans cut messages");
}

const BOXES: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 2 }, { name = "c", compute = 3 }, { name = "r" }]
link = [
  { from = "a", to = "r", cost = 1, duplex = true },
  { from = "b", to = "r", cost = 2, duplex = true },
  { from = "c", to = "r", cost = "1/2", duplex = true },
  { from = "a", to = "b", cost = 3 },
]
"#;

/// A plan whose period has some 12 transfers for each of `counts`.
fn of_counts(folder: &Folder, counts: &str) -> String {
    let (path, platform) = (folder.path("many.json"), folder.write("n.toml", BOXES));
    oneport!("solve scatter-v --source a --counts {counts} --platform {platform} -o {path}").ok();
    path
}

/// A period of 10^19 transfers is not listed: the values that do not need the list are printed, the rest is null.
#[test]
fn periods_too_long_to_list() {
    let folder = Folder::new();
    let path = of_counts(&folder, "1000000000000000000,1");
    let run = json(&format!("run {path} --until 24000000000000000002 --json"));
    assert_eq!(
        [&run["bound"], &run["period"], &run["instances_per_period"]],
        ["12", "12000000000000000001", "6"]
    );
    for key in [
        "delivered",
        "eager",
        "initialisation",
        "steady_periods",
        "depth",
        "rounds",
        "steady",
        "buffer",
    ] {
        assert!(run[key].is_null(), "{key}: {run:#}");
    }
    // The papers' policy starts instances in the first of two periods and empties the buffers in the second.
    assert_eq!(run["policy"]["delivered"], "6", "{run:#}");
    assert_eq!(run["followed"], false);
    oneport!("run {path} --until 100").ok().prints(&[
        "bound       0 instances",
        "not counted",
        "papers",
    ]);
    oneport!("run {path} --instances 7")
        .refused(1, &["--instances", "too many transfers", "--until K"]);
    for format in ["graphml", "node-link", "dot"] {
        let out = folder.path(format);
        oneport!("export {path} --to {format} {out}").ok();
        // a sends b its messages by r, all but one, and c one.
        let written = std::fs::read_to_string(&out).unwrap();
        assert!(written.contains("6000000000000000005"), "{written}");
    }
    oneport!("export {path} --to events {}", folder.path("events")).refused(
        1,
        &["one period has more than", "fewer instances per period"],
    );
    oneport!("show {path} --gantt {}", folder.path("period.svg")).ok();
    oneport!("verify {path}").ok();
}

/// A run of many transfers is drawn within a limit, and refused beyond it with the number that fits.
#[test]
fn timelines_of_many_transfers() {
    let folder = Folder::new();
    let path = of_counts(&folder, "20000,1");
    let drawn = folder.path("t.svg");
    oneport!("show {path} --timeline {drawn} --periods 2").refused(
        1,
        &[
            "2 periods have 240",
            "250000",
            "--periods 1 or fewer",
            "--gantt",
        ],
    );
    let path = of_counts(&folder, "100000,1");
    oneport!("show {path} --timeline {drawn}").refused(
        1,
        &["one period has 12", "250000", "--gantt", "--max-instances"],
    );
}
