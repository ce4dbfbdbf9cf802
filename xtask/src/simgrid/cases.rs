//! Which plans are replayed.

use std::path::{Path, PathBuf};

/// A problem.
pub struct Case {
    /// The name in the report.
    pub name: String,
    /// The platform file.
    pub platform: PathBuf,
    /// Arguments with which `oneport` makes the platform file. `None` if it is a fixture.
    pub generate: Option<Vec<String>>,
    /// Arguments for `oneport solve`, without the platform.
    pub arguments: Vec<String>,
}

/// The collectives, and the option that names the root.
const COLLECTIVES: [(&str, Option<&str>); 9] = [
    ("scatter", Some("--source")),
    ("gather", Some("--target")),
    ("broadcast", Some("--source")),
    ("reduce", Some("--target")),
    ("all-to-all", None),
    ("all-gather", None),
    ("reduce-scatter", None),
    ("all-reduce", None),
    ("scan", None),
];
const MODELS: [&str; 4] = ["full-duplex", "half-duplex", "multiport", "links"];
/// Plans on random platforms.
const RANDOM: usize = 200;
/// The fixtures, and a processor of each: the root. Fixtures of up to nine nodes first.
const SMALL: [(&str, &str); 8] = [
    ("toy-scatter.toml", "Ps"),
    ("toy-reduce.toml", "0"),
    ("toy-broadcast.toml", "Ps"),
    ("slide-platform.toml", "P0"),
    ("star.json", "hub"),
    ("four-sites.csv", "north"),
    ("dgx1.toml", "box0.gpu0"),
    ("dgx-a100-1.toml", "box0.gpu0"),
];
const LARGE: [(&str, &str); 10] = [
    ("two-racks.toml", "a0"),
    ("ndv2-2.toml", "box0.gpu0"),
    ("dgx-a100-2.toml", "box0.gpu0"),
    ("dgx-a100-4.toml", "box0.gpu0"),
    ("dgx-h100-2.toml", "box0.gpu0"),
    ("mi250-1.toml", "box0.gpu0"),
    ("mi250-2.toml", "box0.gpu0"),
    ("fat-tree-4.toml", "pod0.edge0.host0"),
    ("dragonfly-5-4-1.toml", "group0.router0.host0"),
    ("torus-4x4.toml", "P0"),
];

/// Every collective on every fixture, under every model if it is small and under its own model otherwise. Then random
/// platforms.
pub fn all(root: &Path, folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (fixtures, models) in [(&SMALL[..], &MODELS[..]), (&LARGE[..], &[])] {
        for &(name, node) in fixtures {
            let platform = root.join("fixtures/platforms").join(name);
            for (collective, root) in COLLECTIVES {
                let own = models.is_empty().then_some(None);
                for model in models.iter().map(|&model| Some(model)).chain(own) {
                    let arguments = arguments(collective, root, model, node, &[]);
                    let name = format!("{name} {}", arguments.join(" "));
                    cases.push(Case {
                        name,
                        platform: platform.clone(),
                        generate: None,
                        arguments,
                    });
                }
            }
        }
    }
    cases.extend((0..RANDOM).map(|seed| random(folder, seed)));
    cases
}

/// A connected graph of 3 to 7 processors, with sizes, work and an operator that vary.
fn random(folder: &Path, seed: usize) -> Case {
    let platform = folder.join("random.toml");
    let (nodes, cost) = ((3 + seed % 5).to_string(), format!("1..{}", 2 + seed % 7));
    let generate = [
        "generate",
        "random",
        "--nodes",
        &nodes,
        "--degree",
        "2",
        "--seed",
        &seed.to_string(),
    ];
    let generate = [&generate[..], &["--cost", &cost, "--compute", "1..4"]].concat();
    let reduces = |name: &str| name.contains("reduce");
    let (collective, root) = COLLECTIVES[seed % COLLECTIVES.len()];
    let mut extra = Vec::new();
    match seed % 4 {
        0 => extra.extend(["--size", "2/3"]),
        1 if reduces(collective) => {
            extra.extend(["--size", "1+1/2n", "--work", "3/7", "--in-order"]);
        }
        2 if reduces(collective) => extra.push("--in-order"),
        _ => {}
    }
    let arguments = arguments(collective, root, Some(MODELS[seed / 9 % 4]), "P0", &extra);
    Case {
        name: format!("random {seed} {}", arguments.join(" ")),
        platform,
        generate: Some(generate.into_iter().map(String::from).collect()),
        arguments,
    }
}

fn arguments(
    name: &str,
    root: Option<&str>,
    model: Option<&str>,
    node: &str,
    extra: &[&str],
) -> Vec<String> {
    let option = |option: &str, value: Option<&str>| {
        value
            .map(|value| vec![option.to_string(), value.to_string()])
            .unwrap_or_default()
    };
    let mut arguments = vec![name.to_string()];
    arguments.extend(option("--model", model));
    arguments.extend(root.into_iter().flat_map(|root| option(root, Some(node))));
    arguments.extend(extra.iter().map(|word| word.to_string()));
    arguments
}
