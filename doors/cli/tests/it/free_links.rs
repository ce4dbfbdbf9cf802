//! Links that cost nothing, through every command: each answers, or names the obstacle.

use crate::common;

use common::{Folder, first};

/// Two boxes: inside them messages take no time, between them they do.
const BOXES: &str = r#"
format = "oneport-platform/1"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }, { name = "d", compute = 2 }]
link = [
  { from = "a", to = "b", cost = 0, duplex = true },
  { from = "c", to = "d", cost = "0", duplex = true },
  { from = "b", to = "c", cost = 2, duplex = true },
  { from = "d", to = "a", cost = 3 },
]
"#;

#[test]
fn plans_over_links_that_cost_nothing() {
    let folder = Folder::new();
    let platform = folder.write("boxes.toml", BOXES);
    let plan = folder.path("plan.json");
    for (question, throughput) in [
        // c and d receive over b -> c alone.
        ("scatter --source a", "1/4"),
        // Two of three values come from the other box, over c -> b at 2 and d -> a at 3.
        ("gather --target a", "5/12"),
        ("broadcast --source a", "1/2"),
        ("all-gather", "1/4"),
        ("reduce --target a --work 0", "5/6"),
        // Four messages either way: 8 on b -> c. Back 24/5.
        ("all-to-all", "1/8"),
    ] {
        for model in ["full-duplex", "half-duplex", "links"] {
            let answer =
                oneport!("solve {question} --platform {platform} --model {model} -o {plan} --json")
                    .ok()
                    .object();
            assert_eq!(answer["status"], "optimal", "{question}");
            if model == "links" {
                assert_eq!(answer["throughput"], throughput, "{question}");
            }
            oneport!("verify {plan}").ok();
            oneport!("show {plan}").ok();
            for drawing in ["--gantt", "--graph", "--timeline"] {
                oneport!("show {plan} {drawing} {}", folder.path("drawing.svg")).ok();
            }
            for format in oneport_exports::FORMATS {
                let out = folder.path(&format!("out-{}-{model}-{}", format.name, first(question)));
                let exported = oneport!("export {plan} --to {} {out}", format.name);
                match exported.code {
                    Some(0) => {}
                    // Formats of a few collectives.
                    _ => _ = exported.refused(1, &[format.name, "no", first(question)]),
                }
            }
        }
    }
}

#[test]
fn other_commands_on_links_that_cost_nothing() {
    let folder = Folder::new();
    let platform = folder.write("boxes.toml", BOXES);
    let asked = |words: &str| {
        let run = oneport!("{words} --platform {platform}");
        assert!(!run.stderr.contains("panicked"), "{run:#?}");
        run
    };
    for model in ["full-duplex", "links"] {
        for question in ["all-gather", "scatter --source a", "reduce --target a"] {
            asked(&format!("compare {question} --model {model}")).ok();
            asked(&format!("time {question} --size 4 --model {model}")).ok();
            asked(&format!("whatif {question} --model {model}")).ok();
        }
        oneport!("bound {platform} all-gather --model {model}")
            .ok()
            .prints(&["no schedule exceeds 0.25"]);
        oneport!("rings {platform} --model {model}").refused(1, &["'a -> b' costs nothing"]);
        for collective in ["all-reduce", "scan"] {
            asked(&format!("solve {collective} --model {model}"))
                .refused(1, &[collective, "'a -> b' costs nothing"]);
        }
        oneport!("bound {platform} all-reduce --model {model}")
            .refused(1, &["'a -> b' costs nothing"]);
    }
    for program in ["sssp", "broadcast", "p", "p-prime", "d"] {
        asked(&format!("program {program} --source a --targets c,d")).ok();
    }
    oneport!("inspect {platform}")
        .ok()
        .prints(&["takes no time"]);
    let object = oneport!("inspect {platform} --json").ok().object();
    assert!(
        object["links"]
            .as_array()
            .unwrap()
            .iter()
            .any(|class| class["bandwidth"].is_null()),
        "{object}"
    );
    asked("solve broadcast --source a --targets b")
        .refused(1, &["broadcast", "in no time", "'a -> b'"]);
    asked("solve scatter --source d --targets c").refused(1, &["scatter", "in no time"]);
    let alike = folder.write("alike.toml", BOXES.replace("compute = 2", "compute = 1"));
    oneport!("convert {alike} {}", folder.path("matrix.csv"))
        .refused(1, &["a matrix holds bandwidths", "a -> b"]);
    let again = folder.path("again.json");
    oneport!("convert {platform} {again}").ok();
    let negative = folder.write("negative.toml", BOXES.replace("cost = 0,", "cost = -1,"));
    oneport!("inspect {negative}").refused(1, &["a link's cost is -1; it must be 0 or more"]);
}
