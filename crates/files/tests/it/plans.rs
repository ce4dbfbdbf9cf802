//! Parts files: written files are read back, and all others are refused.

use crate::common;
use crate::common::{plan_from_json, plan_to_json, read_plan};
use oneport_testkit::{Parts, toys};

use common::{plan, ratio, reads_back};
use oneport_files::{
    AnswerFile, Chosen, ChosenShape, Mistake, read_answer, try_writing, write_atomically,
    write_atomically_with,
};
use oneport_plan::{
    BigUint, Certificate, Collective, Pattern, PeriodicSchedule, Problem, Resource,
    ScheduledPattern, Slot, Status, SteadyState, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_watch::Watch;
use proptest::prelude::*;

/// The scatter of RR-4872 figure 2 in period 2, with paths that the referee would accept.
fn toy() -> Parts {
    let platform = toys::scatter();
    let ids: Vec<_> = platform.node_ids().collect();
    let path =
        |commodity, links: [usize; 2]| Pattern::path(commodity, links.map(LinkId::new).to_vec());
    let patterns = [path(0, [0, 2]), path(1, [1, 4])];
    let slot = |length, links: &[usize]| Slot {
        shares: Vec::new(),
        length,
        links: links.iter().copied().map(LinkId::new).collect(),
    };
    let scatter = Collective::scatter(ids[0], vec![ids[3], ids[4]]);
    Parts {
        problem: Problem::new(platform, scatter, Volumes::default()).expect("a problem"),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 2),
            patterns: patterns
                .clone()
                .map(|pattern| WeightedPattern {
                    pattern,
                    weight: ratio(1, 2),
                })
                .to_vec(),
        },
        certificate: Certificate::of_prices(vec![(Resource::Send(ids[0]), ratio(1, 1))]),
        upper_bound: ratio(1, 2),
        schedule: PeriodicSchedule {
            period: ratio(2, 1),
            instances: BigUint::from(1_u32),
            patterns: patterns
                .map(|pattern| ScheduledPattern {
                    pattern,
                    copies: BigUint::from(1_u32),
                })
                .to_vec(),
            slots: vec![
                slot(ratio(2, 3), &[1, 2]),
                slot(ratio(1, 3), &[1, 4]),
                slot(ratio(1, 1), &[0, 4]),
            ],
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_are_read_back(plan in plan()) {
        let text = plan_to_json(&plan);
        let read = plan_from_json("plan.json", text.as_bytes());
        prop_assert_eq!(read, Ok(plan), "{}", text);
    }
}

/// The layout of the file is a contract with scripts.
#[test]
fn the_toy_plan_as_text() {
    let text = plan_to_json(&toy());
    let expected = r#"{
  "format": "oneport-plan/3",
  "collective": {"name": "scatter", "source": "Ps", "targets": ["P0", "P1"]},
  "model": "full-duplex",
  "size": "1",
  "status": "optimal",
  "throughput": "1/2",
  "upper_bound": "1/2",
  "certificate": {
    "prices": [
      {"resource": "send", "node": "Ps", "price": "1"}
    ]
  },
  "patterns": [
    {"demand": 0, "tasks": [{"link":0},{"link":2}], "weight": "1/2"},
    {"demand": 1, "tasks": [{"link":1},{"link":4}], "weight": "1/2"}
  ],
  "schedule": {
    "period": "2",
    "instances": "1",
    "patterns": [
      {"demand": 0, "tasks": [{"link":0},{"link":2}], "copies": "1"},
      {"demand": 1, "tasks": [{"link":1},{"link":4}], "copies": "1"}
    ],
    "slots": [
      {"length": "2/3", "links": [1,2]},
      {"length": "1/3", "links": [1,4]},
      {"length": "1", "links": [0,4]}
    ]
  },
  "platform": {
    "format": "oneport-platform/1",
    "model": "full-duplex",
"#;
    assert!(text.starts_with(expected), "{text}");
    // Numbers need not be in lowest terms, and may be JSON numbers.
    let loose = text
        .replace("\"1/2\"", "\"2/4\"")
        .replace("\"period\": \"2\"", "\"period\": 2.0");
    assert_eq!(plan_from_json("loose", loose.as_bytes()), Ok(toy()));
}

/// One change each: refused, with the location and a correct form.
#[test]
fn perturbed_plans_are_refused() {
    let text = plan_to_json(&toy());
    for (from, to, parts) in [
        (
            "oneport-plan/3",
            "oneport-plan/9",
            &["plan:2: format", "oneport-plan/9", "oneport-plan/3"][..],
        ),
        (
            "oneport-plan/3",
            "oneport-plan/1",
            &[
                "plan:2: format",
                "\"oneport-plan/1\"",
                "solve the question anew",
            ],
        ),
        (
            "oneport-plan/3",
            "oneport-plan/2",
            &[
                "plan:2: format",
                "\"oneport-plan/2\"",
                "solve the question anew",
            ],
        ),
        ("\"size\": \"1\",\n", "", &["'size' is missing"]),
        (
            "\"size\": \"1\"",
            "\"size\": \"1/0\"",
            &["plan:5: size", "1/0", "denominator"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": \"one\"",
            &["plan:5: size", "'one'", "a number"],
        ),
        (
            "\"size\": \"1\"",
            "\"size\": true",
            &["plan:5: size", "true", "a number"],
        ),
        ("\"size\"", "\"sise\"", &["unknown key 'sise'", "size"]),
        (
            "\"size\": \"1\"",
            "\"size\": \"1\", \"size\": \"1\"",
            &["'size' is given twice"],
        ),
        (
            "optimal",
            "perfect",
            &["status", "\"perfect\"", "optimal or feasible"],
        ),
        (
            "\"model\": \"full-duplex\"",
            "\"model\": \"links\"",
            &["model", "\"links\"", "\"full-duplex\""],
        ),
        (
            "\"model\": \"full-duplex\"",
            "\"model\": \"x\"",
            &["model", "'x'", "half-duplex"],
        ),
        (
            "\"name\": \"scatter\"",
            "\"name\": \"spread\"",
            &["collective.name", "\"spread\"", "all-to-all"],
        ),
        (
            "\"name\": \"scatter\"",
            "\"name\": \"gather\"",
            &["collective", "'participants' is missing"],
        ),
        (
            "\"source\": \"Ps\"",
            "\"source\": \"Pz\"",
            &["collective.source", "'Pz'", "did you mean"],
        ),
        (
            "\"source\": \"Ps\"",
            "\"source\": \"P0\"",
            &["collective", "'P0'", "itself"],
        ),
        (
            "[\"P0\", \"P1\"]",
            "[\"P0\", \"P0\"]",
            &["collective", "'P0' is listed twice"],
        ),
        (
            "[\"P0\", \"P1\"]",
            "[\"P0\", 1]",
            &["collective.targets[1]", "1", "a string"],
        ),
        ("[\"P0\", \"P1\"]", "[]", &["collective", "at least 1"]),
        (
            "[\"P0\", \"P1\"]",
            "[\"P0\", \"P1\"], \"target\": \"P0\"",
            &["collective", "'collective.target'", "name, source, targets"],
        ),
        (
            "\"resource\": \"send\"",
            "\"resource\": \"cpu\"",
            &[
                "certificate.prices[0].resource",
                "\"cpu\"",
                "send, receive, port, compute, link or shared",
            ],
        ),
        (
            "\"node\": \"Ps\"",
            "\"node\": \"nowhere\"",
            &["certificate.prices[0].node", "'nowhere'"],
        ),
        (
            "\"price\": \"1\"",
            "\"price\": true",
            &["certificate.prices[0].price", "true"],
        ),
        (
            "{\"link\":4}], \"weight\"",
            "{\"link\":5}], \"weight\"",
            &[
                "plan:16: patterns[1].tasks[1].link",
                "link 5",
                "there are 5",
            ],
        ),
        (
            "{\"link\":4}], \"weight\"",
            "{\"link\":-4}], \"weight\"",
            &["patterns[1].tasks[1].link", "-4", "counted from 0"],
        ),
        (
            "{\"link\":4}], \"weight\"",
            "{\"link\":4.0}], \"weight\"",
            &["patterns[1].tasks[1].link", "4.0"],
        ),
        (
            "{\"link\":4}], \"weight\"",
            "{\"link\":\"Pb\"}], \"weight\"",
            &["patterns[1].tasks[1].link", "\"Pb\""],
        ),
        (
            "{\"link\":4}], \"weight\"",
            "{\"link\":99999999999999999999}], \"weight\"",
            &["patterns[1].tasks[1].link", "99999999999999999999"],
        ),
        (
            "{\"link\":1},",
            "{\"link\":1,\"part\":[0,1]},",
            &["patterns[1].tasks[0].part[1]", "operand 1", "there are 1"],
        ),
        (
            "\"demand\": 1, ",
            "\"demand\": 2, ",
            &["patterns[1].demand", "demand 2", "there are 2"],
        ),
        (
            "\"demand\": 1, ",
            "",
            &["patterns[1]", "'demand' is missing"],
        ),
        (
            "\"demand\": 1, ",
            "\"from\": \"Ps\", ",
            &["patterns[1]", "'from'", "demand, order, tasks, weight"],
        ),
        (
            "\"copies\": \"1\"",
            "\"copies\": \"-1\"",
            &["schedule.patterns[0].copies", "\"-1\"", "whole number"],
        ),
        (
            "\"copies\": \"1\"",
            "\"copies\": \"1/2\"",
            &["schedule.patterns[0].copies", "\"1/2\"", "whole number"],
        ),
        (
            "\"instances\": \"1\"",
            "\"instances\": 1.5",
            &["schedule.instances", "1.5", "whole number"],
        ),
        (
            "\"slots\"",
            "\"slot\"",
            &[
                "schedule",
                "unknown key 'slot'",
                "period, instances, patterns, slots",
            ],
        ),
        (
            "\"length\": \"1/3\"",
            "\"length\": null",
            &["schedule.slots[1].length", "null"],
        ),
        (
            "\"links\": [0,4]}",
            "\"links\": {}}",
            &["schedule.slots[2].links", "an object", "an array"],
        ),
        (
            "oneport-platform/1",
            "oneport-platform/0",
            &["platform.format", "oneport-platform/0"],
        ),
        (
            "\"cost\": \"2/3\"",
            "\"cost\": \"-2/3\"",
            &["platform.link[2].cost", "-2/3", "0 or more"],
        ),
        (
            "\"name\": \"Pa\", \"compute\"",
            "\"name\": \"Pa\", \"speed\"",
            &["platform.node[1]", "'speed'", "compute"],
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let broken = text.replacen(from, to, 1);
        let error = plan_from_json("plan", broken.as_bytes()).expect_err(to);
        let message = error.to_string();
        assert!(
            message.starts_with("plan") && !message.contains('\n'),
            "{message}"
        );
        for part in parts {
            assert!(message.contains(part), "says '{part}': {message}");
        }
    }
    for end in 0..text.trim_end().len() {
        assert!(
            plan_from_json("cut", &text.as_bytes()[..end]).is_err(),
            "cut at {end}"
        );
    }
}

#[test]
fn exact_optima_may_be_long_but_not_endless() {
    let mut plan = toy();
    let digits = |count: usize| "7".repeat(count).parse::<BigUint>().expect("digits");
    plan.upper_bound = Rational::new(
        digits(1500).into(),
        "3".repeat(1400).parse().expect("digits"),
    );
    plan.schedule.instances = digits(2000);
    let text = plan_to_json(&plan);
    assert_eq!(plan_from_json("long", text.as_bytes()), Ok(plan));
    for (from, to) in [
        ("\"size\": \"1\"", "\"size\": \"X\""),
        ("\"copies\": \"1\"", "\"copies\": \"X\""),
    ] {
        let endless = text.replacen(from, &to.replace('X', &"9".repeat(1_000_000)), 1);
        let error = plan_from_json("endless", endless.as_bytes()).expect_err("a million digits");
        assert!(error.to_string().contains("1000000 characters"), "{error}");
    }
    let zero = text.replacen(
        "\"size\": \"1\"",
        &format!("\"size\": \"{}/0\"", "9".repeat(1001)),
        1,
    );
    let error = plan_from_json("zero", zero.as_bytes()).expect_err("divides by zero");
    assert!(matches!(&*error.mistake, Mistake::Number(_)), "{error}");
}

/// An invalid id does not panic: it is written as null, and refused when read.
#[test]
fn foreign_ids_are_written_and_refused() {
    let mut plan = toy();
    plan.steady_state.patterns[0].pattern = Pattern::path(7, Vec::new());
    let error =
        plan_from_json("foreign", plan_to_json(&plan).as_bytes()).expect_err("no commodity 7");
    assert!(
        error.to_string().contains("patterns[0].demand: demand 7"),
        "{error}"
    );
    let mut plan = toy();
    plan.certificate =
        Certificate::of_prices(vec![(Resource::Receive(NodeId::new(99)), ratio(1, 1))]);
    plan.schedule.slots[0].links = vec![LinkId::new(99)];
    assert!(plan_from_json("foreign", plan_to_json(&plan).as_bytes()).is_err());
}

#[test]
fn the_model_is_the_platforms() {
    let mut plan = toy();
    let platform = plan.platform().clone().with_model(PortModel::HalfDuplex);
    plan.problem = plan.problem.on(platform).expect("a problem");
    let text = plan_to_json(&plan);
    assert_eq!(text.matches("half-duplex").count(), 2);
    assert_eq!(plan_from_json("plan", text.as_bytes()), Ok(plan));
}

/// 10,000 nodes, 10,000 paths of ten hops, a million slot entries.
#[test]
fn a_large_plan_is_written_and_read_fast() {
    let count = 10_000;
    let mut builder = Platform::builder();
    let ids: Vec<_> = (0..count)
        .map(|index| {
            builder
                .node(Node::processor(format!("node-{index}"), ratio(1, 3)))
                .expect("a node")
        })
        .collect();
    for index in 0..count {
        builder
            .duplex(
                ids[index],
                ids[(index + 1) % count],
                ratio(index as i64 % 97 + 1, 7),
            )
            .expect("a link");
    }
    let patterns: Vec<_> = (1..count)
        .map(|index| Pattern::path(index - 1, (0..10).map(|hop| LinkId::new(index + hop))))
        .collect();
    let scatter = Collective::scatter(ids[0], ids[1..].to_vec());
    let platform = builder.build().expect("a platform");
    let plan = Parts {
        problem: Problem::new(platform, scatter, Volumes::default()).expect("a problem"),
        steady_state: SteadyState {
            throughput: ratio(1, 9999),
            patterns: patterns
                .iter()
                .map(|pattern| WeightedPattern {
                    pattern: pattern.clone(),
                    weight: ratio(1, 9999),
                })
                .collect(),
        },
        certificate: Certificate::of_prices(
            ids.iter()
                .map(|&id| (Resource::Receive(id), ratio(2, 3)))
                .collect(),
        ),
        schedule: PeriodicSchedule {
            period: ratio(9999, 1),
            instances: BigUint::from(1_u32),
            patterns: patterns
                .into_iter()
                .map(|pattern| ScheduledPattern {
                    pattern,
                    copies: BigUint::from(1_u32),
                })
                .collect(),
            slots: (0..1000)
                .map(|index| Slot {
                    shares: Vec::new(),
                    length: ratio(index + 1, 1000),
                    links: (0..1000).map(LinkId::new).collect(),
                })
                .collect(),
        },
        ..toy()
    };
    reads_back(plan, 30_000_000);
}

#[test]
fn outputs_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let text = plan_to_json(&toy());
    for content in [text.as_bytes(), b"{}", text.as_bytes()] {
        write_atomically(&path, content).expect("written");
        assert_eq!(std::fs::read(&path).expect("read"), content);
    }
    assert_eq!(read_plan(&path), Ok(toy()));
    // Files left by killed writers do not block a write, for any number of them.
    let killed = 1100;
    for number in 0..killed {
        let left = folder.path().join(format!(".oneport.part{number}"));
        std::fs::write(left, "half").expect("a left-over");
    }
    write_atomically(&path, b"new").expect("written");
    try_writing(&path).expect("it can be written");
    assert_eq!(std::fs::read(&path).expect("read"), b"new");
    // A name of the maximal length.
    let long = folder.path().join("n".repeat(255));
    for content in [b"one", b"two"] {
        try_writing(&long).expect("it can be written");
        write_atomically(&long, content).expect("written");
        assert_eq!(std::fs::read(&long).expect("read"), content);
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        killed + 2,
        "no temporary file stays"
    );
    assert!(write_atomically(&folder.path().join("missing/plan.json"), b"x").is_err());
    assert!(write_atomically(folder.path(), b"x").is_err());
    assert!(write_atomically(std::path::Path::new("/"), b"x").is_err());
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::write(&real, "old").expect("a file");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink(&real, &link).expect("a link");
    write_atomically(&link, b"new").expect("written");
    assert!(link.is_symlink());
    assert_eq!(std::fs::read(&real).expect("read"), b"new");
    assert_eq!(
        std::fs::metadata(&real)
            .expect("metadata")
            .permissions()
            .mode()
            & 0o777,
        0o640
    );
    // While a secret file is written, no other user can read it.
    let modes = || {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        let mode = |entry: std::io::Result<std::fs::DirEntry>| {
            let metadata = entry
                .expect("an entry")
                .path()
                .metadata()
                .expect("metadata");
            metadata.permissions().mode() & 0o777
        };
        entries.map(mode).collect::<Vec<u32>>()
    };
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    write_atomically_with(&link, |file| {
        file.write_all(b"secret")?;
        assert_eq!(modes(), [0o600; 3]);
        Ok(())
    })
    .expect("written");
    assert_eq!(std::fs::read(&real).expect("read"), b"secret");
    // Links to missing files, in a chain and from another folder.
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    let (first, second) = (
        folder.path().join("first"),
        folder.path().join("deep/second"),
    );
    symlink("deep/second", &first).expect("a link");
    symlink("../later", &second).expect("a link");
    try_writing(&first).expect("it can be written");
    assert!(!folder.path().join("later").exists());
    for content in [b"one", b"two"] {
        write_atomically(&first, content).expect("written");
        assert!(first.is_symlink() && second.is_symlink());
        let written = std::fs::read(folder.path().join("later")).expect("read");
        assert_eq!(written, content);
    }
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    symlink(&there, &here).expect("a link");
    symlink(&here, &there).expect("a link");
    assert!(write_atomically(&here, b"x").is_err() && try_writing(&here).is_err());
    write_atomically(std::path::Path::new("/dev/null"), b"gone").expect("a device");
    assert!(!std::path::Path::new("/dev/null").is_file());
}

/// The choice of links by a search is stored next to the plan, which is the same without it.
#[test]
fn a_choice_of_links_stands_beside_the_plan() {
    let chosen = Chosen {
        shape: ChosenShape::Acyclic,
        programs: 27,
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let mut text = Vec::new();
    let written = toy().with(|plan| {
        oneport_files::write_chosen_plan(plan, Some(&chosen), &mut text, &Watch::unlimited())
    });
    written.expect("a plan").expect("written");
    std::fs::write(&path, &text).expect("a file");
    assert_eq!(read_plan(&path), Ok(toy()));
    let answer = read_answer(&path).expect("an answer");
    let (claim, stated) = (Box::new(toy().claim()), toy().stated());
    assert_eq!(answer, AnswerFile::Plan(claim, stated, Some(chosen)));
    let text = String::from_utf8(text).expect("text");
    for (old, new, told) in [
        ("acyclic graph", "star", "a shape: tree or acyclic graph"),
        ("\"programs\": 27", "\"programs\": -1", "chosen.programs"),
        (", \"programs\": 27", "", "'programs' is missing"),
    ] {
        let refused = plan_from_json("plan", text.replace(old, new).as_bytes()).unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
    }
}
