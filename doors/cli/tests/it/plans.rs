//! `oneport verify` and `oneport show`: good plans pass, every tampered number is found, drawings are valid.

use crate::common;

use common::{Folder, first, read, toy, unwritable, with};
use serde_json::{Value, json};

/// A plan of the toy scatter.
fn plan(folder: &Folder, options: &str) -> String {
    let (path, platform) = (folder.path("plan.json"), toy());
    oneport!("solve scatter --platform {platform} --source Ps --targets P0,P1 -o {path} {options}")
        .ok();
    path
}

#[test]
fn plans_of_every_collective_are_verified_and_shown() {
    let folder = Folder::new();
    for question in [
        "scatter --source a0",
        "gather --target b1",
        "all-to-all --participants a0,b2,a1",
        "scatter --source b0 --size 2/7 --period 1000",
    ] {
        let path = folder.path("plan.json");
        oneport!("solve {question} --platform two-racks.toml -o {path}").ok();
        let verdict = oneport!("verify {path}").ok().stdout;
        assert!(
            verdict.starts_with("ok: ") && verdict.lines().count() == 1,
            "{verdict}"
        );
        oneport!("verify {path} --platform two-racks.toml").ok();
        let shown = oneport!("show {path}").ok().stdout;
        for word in [
            first(question),
            "throughput",
            "price",
            "path",
            "slot",
            "period",
        ] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
    }
}

/// The two sums: the least need of an instance, and so the number of instances. Here the bound is the inverse of the
/// need.
#[test]
fn the_certificate_is_read_aloud() {
    let folder = Folder::new();
    let path = folder.path("plan.json");
    for (name, question) in [
        ("toy-scatter.toml", "scatter --source Ps --targets P0,P1"),
        ("four-sites.csv", "all-to-all"),
        (
            "toy-broadcast.toml",
            "broadcast --source Ps --model half-duplex",
        ),
        ("dgx-a100-2.toml", "all-gather"),
        ("toy-reduce.toml", "reduce --target 0"),
        ("toy-reduce.toml", "scan"),
        ("two-racks.toml", "all-reduce --size 64MiB"),
        ("dgx1.toml", "all-reduce --commutative --work 0"),
    ] {
        let answer = oneport!("solve {question} --platform {name} -o {path} --json");
        let answer = answer.ok().object();
        let told = oneport!("show {path} --explain --exact").ok().stdout;
        let optimal = answer["status"] == "optimal";
        assert_eq!(told.contains("it is optimal"), optimal, "{name}: {told}");
        // The unit of time is the second if the platform has one, so the numbers are the same.
        let bound = answer["upper_bound"].as_str().unwrap();
        assert!(
            told.lines().next().unwrap().contains(bound),
            "{name}: {told}"
        );
        let (above, below) = bound.split_once('/').unwrap_or((bound, "1"));
        let need = if above == "1" {
            below.to_string()
        } else {
            format!("{below}/{above}")
        };
        assert!(told.contains("costs at least"), "{name}: {told}");
        let takes = told
            .lines()
            .find(|line| line.contains("So an instance takes"))
            .unwrap();
        let said = [format!("takes {need} "), format!("(= {need})")];
        assert!(
            said.iter().any(|said| takes.contains(said)),
            "{name}: {need}: {told}"
        );
        let shown = oneport!("show {path} --prices").ok().stdout;
        let parts = shown.lines().filter_map(|line| {
            line.trim_end()
                .strip_suffix(" %")?
                .rsplit(' ')
                .next()?
                .parse::<f64>()
                .ok()
        });
        let sum: f64 = parts.sum();
        assert!((sum - 100.0).abs() < 1.0, "{name}: {sum}: {shown}");
    }
}

/// Prices are fractions on request, and add up to the whole.
#[test]
fn prices_are_exact_on_request() {
    let folder = Folder::new();
    let path = folder.path("plan.json");
    oneport!("solve scatter --source=Ps --platform toy-scatter.toml -o {path}").ok();
    let shown = oneport!("show {path} --prices --exact").ok().stdout;
    let fraction = |line: &str| -> Option<(i64, i64)> {
        let text = line.split_once(" % (= ")?.1.split_once(')')?.0.to_string();
        let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
        Some((above.parse().ok()?, below.parse().ok()?))
    };
    let parts: Vec<(i64, i64)> = shown.lines().filter_map(fraction).collect();
    assert!(!parts.is_empty(), "{shown}");
    let (above, below) = parts.iter().fold((0, 1), |sum, part| {
        (sum.0 * part.1 + part.0 * sum.1, sum.1 * part.1)
    });
    assert_eq!(above, below, "{shown}");
}

/// No line is wider than a page, and an option shows all lines.
#[test]
fn what_is_shown_fits_the_page() {
    let folder = Folder::new();
    let path = folder.path("plan.json");
    oneport!("solve all-gather --platform dgx-a100-4.toml -o {path}").ok();
    for options in ["", "--explain", "--prices", "--patterns", "--slots"] {
        let text = oneport!("show {path} {options}").ok().stdout;
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 160, "{options:?}: {widest}");
    }
    let short = oneport!("show {path}").ok().stdout;
    assert!(
        short.contains("32 alike") && short.contains("box0.gpu1..7"),
        "{short}"
    );
    let all = oneport!("show {path} --patterns").ok().stdout;
    assert!(
        all.contains("box3.gpu7 -> box3.nvswitch") && !all.contains("..."),
        "{all}"
    );
}

#[test]
fn every_tampered_number_is_found() {
    let folder = Folder::new();
    let original: Value = serde_json::from_str(&read(plan(&folder, ""))).unwrap();
    let check = |changed: &Value, what: &str| {
        assert_ne!(*changed, original, "{what} was changed to what it was");
        let path = folder.write("tampered.json", changed.to_string());
        let run = oneport!("verify {path}").refused(1, &["tampered.json"]);
        assert!(run.stderr.len() > 60, "{what}: {}", run.stderr);
        oneport!("show {path}").refused(1, &["tampered.json"]);
    };
    for key in [
        "/throughput",
        "/upper_bound",
        "/size",
        "/schedule/instances",
        "/schedule/period",
    ] {
        check(&with(&original, key, json!("3/7")), key);
        check(&with(&original, key, json!("0")), key);
        check(&with(&original, key, json!("-1")), key);
    }
    check(&with(&original, "/status", json!("feasible")), "status");
    check(&with(&original, "/model", json!("links")), "model");
    check(
        &with(&original, "/certificate/prices", json!([])),
        "certificate",
    );
    check(
        &with(&original, "/certificate/prices/0/price", json!("-1")),
        "price",
    );
    check(
        &with(&original, "/certificate/prices/0/node", json!("Pa")),
        "certificate node",
    );
    for (list, number) in [
        ("/patterns", "weight"),
        ("/schedule/patterns", "copies"),
        ("/schedule/slots", "length"),
        ("/platform/link", "cost"),
    ] {
        let count = original
            .pointer(list)
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        assert!(count >= 2, "{list}: {original}");
        for index in 0..count {
            let key = format!("{list}/{index}/{number}");
            // Pb -> P0 costs 4/3 and carries nothing in this plan.
            let unused = original.pointer(&key) == Some(&json!("4/3")) && index == 3;
            if !unused {
                check(&with(&original, &key, json!("7")), &key);
            }
        }
        let mut shorter = original.clone();
        shorter
            .pointer_mut(list)
            .and_then(Value::as_array_mut)
            .unwrap()
            .pop();
        check(&shorter, list);
    }
    check(
        &with(&original, "/schedule/slots/0/links", json!([])),
        "slots",
    );
    check(
        &with(&original, "/schedule/slots/0/links", json!([0, 0])),
        "slots",
    );
    check(
        &with(&original, "/schedule/slots/0/links/0", json!(99)),
        "slots",
    );
    for list in ["/patterns", "/schedule/patterns"] {
        check(
            &with(&original, &format!("{list}/0/tasks"), json!([])),
            list,
        );
        check(
            &with(
                &original,
                &format!("{list}/0/tasks"),
                json!([{"link": 0}, {"link": 0}]),
            ),
            list,
        );
        check(
            &with(&original, &format!("{list}/0/tasks/0/link"), json!(99)),
            list,
        );
    }
    check(
        &with(&original, "/collective/targets", json!(["P0"])),
        "targets",
    );
    check(
        &with(&original, "/collective/source", json!("Pa")),
        "source",
    );
}

#[test]
fn a_violation_names_what_is_wrong() {
    let folder = Folder::new();
    let original: Value = serde_json::from_str(&read(plan(&folder, ""))).unwrap();
    let verify = |pointer: &str, value: Value| {
        oneport!(
            "verify {}",
            folder.write("t.json", with(&original, pointer, value).to_string())
        )
    };
    verify("/throughput", json!("3/4")).refused(1, &["violation", "3/4"]);
    verify("/upper_bound", json!("2/3")).refused(1, &["violation", "2/3", "1/2"]);
    verify("/schedule/instances", json!("5")).refused(1, &["violation", "5"]);
    verify("/status", json!("feasible")).refused(1, &["feasible", "optimal"]);
    verify("/patterns/0/weight", json!("1e3")).refused(1, &["violation", "P0"]);
}

#[test]
fn what_is_no_plan_is_refused() {
    let folder = Folder::new();
    for (name, content) in [
        ("empty.json", ""),
        ("braces.json", "{}"),
        ("list.json", "[]"),
        ("number.json", "1"),
        ("cut.json", "{\"format\": \"oneport-plan/3\","),
        ("other.json", "{\"format\": \"oneport-plan/9\"}"),
    ] {
        let path = folder.write(name, content);
        oneport!("verify {path}").refused(1, &[name]);
        oneport!("show {path}").refused(1, &[name]);
    }
    oneport!("verify toy-scatter.toml").refused(1, &["toy-scatter.toml"]);
    oneport!("verify {}", folder.path("no-such-file")).refused(1, &["no-such-file"]);
    oneport!("verify {}", folder.path("")).refused(1, &["directory"]);
    oneport!("verify").misused(&["PLAN"]);
}

#[test]
fn every_truncation_of_a_plan_is_refused() {
    let folder = Folder::new();
    let text = read(plan(&folder, ""));
    let text = text.trim_end();
    for keep in (0..text.len()).step_by(text.len() / 25 + 1) {
        let path = folder.write("cut.json", &text[..keep]);
        oneport!("verify {path}").refused(1, &["cut.json"]);
    }
}

#[test]
fn a_plan_is_for_one_platform() {
    let folder = Folder::new();
    let plan = plan(&folder, "");
    let text = read(toy());
    let verify = |name: &str, content: &str| {
        oneport!("verify {plan} --platform {}", folder.write(name, content))
    };
    verify("same.toml", &text).ok();
    verify("cost.toml", &text.replace("2/3", "3/4"))
        .refused(1, &["cost.toml", "Pa -> P0", "3/4", "2/3"]);
    verify("name.toml", &text.replace("\"Pa\"", "\"Px\"")).refused(1, &["name.toml", "Pa"]);
    let more = format!("{text}\n[[link]]\nfrom = \"Pa\"\nto = \"P1\"\ncost = 1\n");
    verify("link.toml", &more).refused(1, &["link.toml", "Pa -> P1"]);
    verify("model.toml", &text.replace("full-duplex", "links"))
        .refused(1, &["model.toml", "links", "full-duplex"]);
    // Names decide, not positions: the two targets, which have unequal links, under each other's names.
    let swapped = text.replace("\"P0\"", "\"Px\"");
    let swapped = swapped
        .replace("\"P1\"", "\"P0\"")
        .replace("\"Px\"", "\"P1\"");
    verify("swapped.toml", &swapped).refused(1, &["swapped.toml", "the plan is not for", "'P"]);
    verify("broken.toml", "broken").refused(1, &["broken.toml"]);
    oneport!("verify {plan} --platform star.json").refused(1, &["star.json"]);
}

/// Elements are closed in order, attributes are quoted, and all text is inside the one root.
#[track_caller]
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        assert!(
            !open.is_empty() || rest[..at].trim().is_empty(),
            "text outside the root: {}",
            &rest[..at]
        );
        let end = at + rest[at..].find('>').expect("every < has its >");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('?') || tag.starts_with('!') {
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "</{name}>");
            continue;
        }
        roots += usize::from(open.is_empty());
        let name = tag.split([' ', '\n', '/']).next().expect("a name");
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(
        open.is_empty() && rest.trim().is_empty() && roots == 1,
        "{open:?}, {roots} roots, then {rest:?}"
    );
    assert!(text.contains("<svg"));
}

#[test]
fn drawings_are_whole_svg_files() {
    let folder = Folder::new();
    let plan = plan(&folder, "");
    let [gantt, graph, timeline] =
        ["gantt.svg", "graph.svg", "timeline.svg"].map(|name| folder.path(name));
    oneport!("show {plan} --gantt {gantt} --graph {graph} --timeline {timeline} --periods 2").ok();
    for path in [&gantt, &graph, &timeline] {
        let text = read(path);
        well_formed(&text);
        for name in ["Ps", "Pa", "P1"] {
            assert!(text.contains(name), "{path}: {name} is not drawn");
        }
    }
    assert_eq!(
        folder.names(),
        ["gantt.svg", "graph.svg", "plan.json", "timeline.svg"]
    );
    // Two drawings are equal, and a failed drawing leaves no trace.
    let before = read(&gantt);
    oneport!("show {plan} --gantt {gantt}").ok();
    assert_eq!(read(&gantt), before);
    let refused = format!("show {plan} --timeline {gantt} --periods 99999999999");
    oneport!("{refused}").refused(1, &["99999999999", "periods"]);
    assert_eq!(read(&gantt), before);
    for option in ["--gantt", "--graph", "--timeline"] {
        oneport!("show {plan} {option} {}", unwritable(&folder))
            .refused(1, &["cannot write", "a-file"]);
    }
    oneport!("show {plan} --periods=-1").misused(&["--periods"]);
    oneport!("show {plan} --timeline {timeline} --periods 0").misused(&["--periods"]);
    // As soon as possible it ends at the latest at the same date, and is another drawing.
    let dated = read(&timeline);
    let said = oneport!("show {plan} --timeline {timeline} --periods 2 --eager")
        .ok()
        .stdout;
    assert!(
        said.starts_with("2 periods started: finished after "),
        "{said}"
    );
    assert!(
        said.contains(" (as soon as possible), ") && said.contains(" (planned dates)\n"),
        "{said}"
    );
    well_formed(&read(&timeline));
    assert_ne!(read(&timeline), dated);
    oneport!("show {plan} --eager").misused(&["--timeline"]);
    // Without a number there are enough periods for a steady state.
    oneport!("show {plan} --timeline {timeline}").ok();
    assert!(read(&timeline).contains(">steady state<"));
}

/// Names with the special characters of XML, TOML, JSON and a comma-separated list.
#[test]
fn any_name_can_be_drawn() {
    let folder = Folder::new();
    let node = |name: &str| json!({"name": name, "compute": 1});
    let names = ["<&>", "a \"b\"", "c, d", "é '"];
    let links: Vec<Value> = names[1..]
        .iter()
        .map(|to| json!({"from": names[0], "to": to, "cost": "1/3"}))
        .collect();
    let platform = json!({"format": "oneport-platform/1", "node": names.map(node), "link": links});
    let platform = folder.write("names.json", platform.to_string());
    let plan = folder.path("plan.json");
    oneport!("solve scatter --platform {platform} --source '<&>' -o {plan}").ok();
    oneport!("solve scatter --platform {platform} --source '<&>' --targets 'c, d'").ok();
    oneport!("verify {plan} --platform {platform}").ok();
    for option in ["--gantt", "--graph", "--timeline"] {
        let path = folder.path("drawing.svg");
        oneport!("show {plan} {option} {path}").ok();
        well_formed(&read(&path));
    }
}
