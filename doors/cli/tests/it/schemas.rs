//! Answers as JSON: what fixtures/schemas says of them, and several platforms in one call.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::common;

use common::{Folder, Run, each, fixture, read};

fn schema(name: &str) -> Validator {
    let file = format!(
        "{}/../../fixtures/schemas/{name}.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let schema: Value = serde_json::from_str(&read(&file)).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Every line of the answer, each valid.
#[track_caller]
fn answers(schema: &Validator, run: &Run) -> Vec<Value> {
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!answers.is_empty(), "{run:#?}");
    for answer in &answers {
        let errors: Vec<String> = schema
            .iter_errors(answer)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?} {answer:#}");
    }
    answers
}

/// Without a key, with one too many, or with a number in place of a rational, it is valid no more.
#[track_caller]
fn is_strict(schema: &Validator, answer: &Value) {
    let object = answer.as_object().unwrap();
    // Forms with counts alone have them; plain numbers stand beside fractions.
    let needed = |key: &&String| *key != "counts" && !key.ends_with("_number");
    for key in object.keys().filter(needed) {
        let mut less = object.clone();
        less.remove(key);
        assert!(!schema.is_valid(&less.into()), "without {key}: {answer}");
    }
    for (key, value) in [
        ("throughputs", json!("1")),
        ("version", json!(1)),
        ("nodes", json!("5")),
    ] {
        let mut other = object.clone();
        other.insert(key.into(), value);
        assert!(!schema.is_valid(&other.into()), "{key}: {answer}");
    }
}

#[test]
fn answers_of_solve_are_as_the_schema_says() {
    let (schema, folder) = (schema("solve"), Folder::new());
    let cut = folder.write("cut.csv", "a;b\n0;1\n0;0\n");
    let box_of_eight = folder.path("box.toml");
    oneport!("generate dgx-a100 -o {box_of_eight}").ok();
    let cluster = "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" \
                   radical=\"0-5999\" suffix=\"\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/></zone></platform>";
    let cluster = folder.write("star.xml", cluster);
    let cases: &[(&str, &str)] = &[
        // Without a schedule.
        (
            &format!("reduce-scatter --commutative --work 0 --platform {cluster}"),
            "optimal",
        ),
        ("scatter --source Ps --platform toy-scatter.toml", "optimal"),
        (
            &format!("all-gather --platform {box_of_eight} --size '64 MiB'"),
            "optimal",
        ),
        (
            "reduce --target a0 --platform two-racks.toml --time-limit 0",
            "feasible",
        ),
        (&format!("all-to-all --platform {cut}"), "infeasible"),
        (
            "all-gather-v --participants a0,a1 --counts 1,2 --platform two-racks.toml",
            "optimal",
        ),
        (
            "all-gather --platform torus-4x4.toml --group P0,P1 --group P2,P3",
            "optimal",
        ),
    ];
    for (arguments, status) in cases {
        let run = oneport!("solve --json {arguments}");
        let [answer] = &answers(&schema, &run)[..] else {
            panic!("{run:#?}")
        };
        // A limit of nothing may find the optimum all the same.
        assert!(
            answer["status"] == *status || *status == "feasible",
            "{answer}"
        );
        if answer["units"].is_null() && answer["status"] != "infeasible" {
            assert!(
                ["size", "algbw", "busbw"]
                    .iter()
                    .all(|key| answer[key].is_null()),
                "{answer}"
            );
        }
        if arguments.contains("64 MiB") {
            // 8 messages; of every 8 a GPU receives 7.
            let number =
                |key: &str| oneport::parse_rational(answer[key].as_str().unwrap()).unwrap();
            assert_eq!(answer["size"], (8u64 << 26).to_string());
            let whole = |number: i64| oneport::Rational::from_integer(number.into());
            assert_eq!(number("busbw") * whole(8), number("algbw") * whole(7));
            // The platform's time is in seconds.
            assert_eq!(
                number("algbw") * whole(1_000_000_000),
                number("throughput") * number("size")
            );
        }
        is_strict(&schema, answer);
    }
}

#[test]
fn answers_of_whatif_are_as_the_schema_says() {
    let schema = schema("whatif");
    let whatif = |rest: &str| oneport!("whatif --json {rest}");
    for run in [
        whatif("reduce-scatter --platform toy-reduce.toml"),
        whatif("all-reduce --platform torus-4x4.toml --time-limit 0.2 --model half-duplex"),
        whatif("all-to-all --platform torus-4x4.toml --change 'P0 -> P1: bandwidth x2'"),
        whatif("all-to-all --platform torus-4x4.toml --change 'P0 <-> *: remove'"),
    ] {
        let [answer] = &answers(&schema, &run)[..] else {
            panic!("{run:#?}")
        };
        is_strict(&schema, answer);
        let mut bent = answer.clone();
        bent["rows"][0]["status"] = "stopped".into();
        assert!(
            answer["rows"][0]["status"] == "stopped" || !schema.is_valid(&bent),
            "{answer}"
        );
    }
}

#[test]
fn several_platforms_answer_line_by_line() {
    let (schema, folder) = (schema("solve"), Folder::new());
    let (toy, star) = (fixture("toy-scatter.toml"), fixture("star.json"));
    let cut = folder.write("cut.csv", "a;b\n0;1\n0;0\n");
    let broken = folder.write("broken.toml", "format = \n");
    let ask = |paths: &[&str], rest: &str| {
        let platforms = each("--platform", paths);
        oneport!("solve all-to-all {platforms} {rest}")
    };
    let together = ask(&[&toy, &cut, &broken, &star], "--json");
    assert_eq!(together.code, Some(1));
    let lines = answers(&schema, &together);
    let told: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            (
                line["platform"].as_str().unwrap(),
                line["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (&*toy, "infeasible"),
            (&cut, "infeasible"),
            (&broken, "error"),
            (&star, "optimal")
        ]
    );
    assert_eq!(together.stderr.lines().count(), 3, "{together:#?}");
    assert!(
        together
            .stderr
            .lines()
            .zip([&toy, &cut, &broken])
            .all(|(line, file)| line.contains(file.as_str()))
    );
    // Each answer is that of a call of its own.
    let alone = ask(&[&star], "--json").ok().object();
    for key in ["throughput", "upper_bound", "period", "bottleneck"] {
        assert_eq!(lines[3][key], alone[key]);
    }
    let text = ask(&[&star, &star], "").ok().stdout;
    assert_eq!(
        (
            text.matches(&star).count(),
            text.matches("throughput  ").count()
        ),
        (2, 2),
        "{text}"
    );
    let plan = folder.path("plan.json");
    ask(&[&star, &star], &format!("-o {plan}")).refused(2, &["--output", "one plan"]);
    ask(&[&star, &star], "--size 0 --json").refused(2, &["--size"]);
}
