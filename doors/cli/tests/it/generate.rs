//! `oneport generate`: the output is a platform that solve accepts, and equal seeds give equal outputs.

use crate::common;

use common::{Folder, first, fixture, read};

/// Shapes, each with its numbers of nodes and processors.
const SHAPES: &[(&str, usize, usize)] = &[
    ("complete --nodes 5", 5, 5),
    ("ring --nodes 6", 6, 6),
    ("star --leaves 4", 5, 5),
    ("grid --rows 2 --columns 3", 6, 6),
    ("random --nodes 12 --degree 3", 12, 12),
    ("torus --sides 3x3", 9, 9),
    ("fat-tree --ports 4", 36, 16),
    ("dragonfly --groups 2 --routers 2 --hosts 1", 8, 4),
    ("racks --racks 2 --hosts 3", 9, 6),
    ("dgx1", 8, 8),
    ("ndv2 --boxes 2", 16, 16),
    ("dgx-a100 --boxes 2", 20, 16),
    ("dgx-h100", 9, 8),
    ("dgx-b200 --boxes 2", 19, 16),
    ("gb200-nvl72", 73, 72),
    ("mi250", 16, 16),
    ("mi300x --boxes 3", 25, 24),
    ("boxes --boxes 3 --accelerators 4 --rails 4", 19, 12),
];

#[test]
fn every_shape_is_a_platform_that_can_be_solved() {
    let folder = Folder::new();
    for &(shape, nodes, processors) in SHAPES {
        let file = folder.path(&format!("{}.toml", first(shape)));
        let made = oneport!("generate {shape} -o {file}").ok();
        assert!(
            made.stdout
                .contains(&format!("{nodes} nodes ({processors} processors)")),
            "{shape}: {made:#?}"
        );
        let answer = oneport!("solve all-gather --platform {file} --json")
            .ok()
            .object();
        assert_eq!(answer["status"], "optimal", "{shape}");
    }
    let file = folder.path("tiers.toml");
    let made = oneport!("generate tiers -o {file}").ok();
    assert!(made.stdout.contains("27 nodes ("), "{made:#?}");
}

/// The bundled machines and networks name the sources of their facts, and equal the command's output today.
#[test]
fn fixtures_are_what_the_command_writes() {
    for (name, shape) in [
        ("dgx1.toml", "dgx1"),
        ("ndv2-2.toml", "ndv2 --boxes 2"),
        ("dgx-a100-1.toml", "dgx-a100"),
        ("dgx-a100-2.toml", "dgx-a100 --boxes 2"),
        ("dgx-a100-4.toml", "dgx-a100 --boxes 4"),
        ("dgx-h100-2.toml", "dgx-h100 --boxes 2"),
        ("mi250-1.toml", "mi250"),
        ("mi250-2.toml", "mi250 --boxes 2"),
        ("torus-4x4.toml", "torus --sides 4x4"),
        ("fat-tree-4.toml", "fat-tree --ports 4"),
        (
            "dragonfly-5-4-1.toml",
            "dragonfly --groups 5 --routers 4 --hosts 1",
        ),
    ] {
        let text = read(fixture(name));
        let (source, platform) = text.split_at(text.find("format =").unwrap());
        assert!(
            !source.is_empty() && source.lines().all(|line| line.starts_with("# ")),
            "{name}: {source}"
        );
        assert_eq!(platform, oneport!("generate {shape}").ok().stdout, "{name}");
    }
}

/// Machines are in GB/s, and their merges follow the size of messages: with twice the size all takes twice as long.
#[test]
fn machines_have_units() {
    let folder = Folder::new();
    let cases: &[(&str, &str, &str)] = &[
        // Eight ports of 300 GB/s to the switch: an all-gather receives seven messages at each.
        ("dgx-a100", "all-gather", "300/7"),
        // 28 links of 64 GB/s each way, 56 messages.
        ("mi300x", "all-gather", "64"),
        ("mi300x", "all-to-all", "64"),
        ("fat-tree --ports 4", "all-gather", "5/3"),
        (
            "fat-tree --ports 4 --bandwidth '100 Gbit/s'",
            "all-gather",
            "5/6",
        ),
        (
            "racks --racks 2 --hosts 3 --bandwidth 10",
            "all-to-all",
            "10/9",
        ),
        (
            "racks --racks 2 --hosts 3 --bandwidth 10 --uplink '40 GB/s'",
            "all-to-all",
            "2",
        ),
    ];
    for &(shape, collective, expected) in cases {
        let file = folder.path("made.toml");
        oneport!("generate {shape} -o {file}").ok();
        let text = read(&file);
        assert!(
            text.contains("units = \"GB/s\"") && text.contains("compute = \""),
            "{text}"
        );
        let solve = |collective: &str, size: &str| {
            let run = oneport!("solve {collective} --platform {file} --size '{size}' --json");
            run.ok().object()["throughput"]
                .as_str()
                .unwrap()
                .to_string()
        };
        assert_eq!(solve(collective, "1 GB"), expected, "{shape}");
        let [one, two] = ["1 GB", "500 MB"].map(|size| solve("reduce-scatter", size));
        let whole = |text: &str| oneport::parse_rational(text).unwrap();
        assert_eq!(whole(&one) + whole(&one), whole(&two), "{shape}");
    }
    let tiers = oneport!("generate tiers").ok().stdout;
    assert!(tiers.contains("units = \"MB/s\""), "{tiers}");
    let ring = oneport!("generate ring --nodes 3").ok().stdout;
    assert!(!ring.contains("units"), "{ring}");
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let folder = Folder::new();
    let make = |name: &str, seed: &str| {
        let file = folder.path(name);
        oneport!(
            "generate random --nodes 20 --cost 1..100 --compute 1/3 --model links --seed {seed} \
             --output {file}"
        )
        .ok();
        read(&file)
    };
    assert_eq!(make("a.json", "7"), make("b.json", "7"));
    assert_ne!(make("c.json", "7"), make("d.json", "8"));
    let printed = oneport!("generate ring --nodes 3 --cost 2/3").ok().stdout;
    assert!(
        printed.contains("cost = \"2/3\"") && printed.contains("format = \"oneport-platform/1\""),
        "{printed}"
    );
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new();
    let unknown = folder.path("a.xyz");
    let refused: &[(&str, &[&str])] = &[
        ("fat-tree --ports 3", &["3", "even"]),
        ("torus --sides 0", &["0"]),
        ("ring --nodes 0", &["at least 1"]),
        ("racks --hosts 8..2", &["--hosts", "8..2", "LOW..HIGH"]),
        ("ring --nodes 3 --cost 0", &["0"]),
        (
            "ring --nodes 3 --cost cheap",
            &["--cost cheap", "not a number"],
        ),
        ("ring --nodes 3 --model half", &["--model", "half"]),
        ("dgx1 --cost 3", &["--cost", "fixed"]),
        (
            "torus --sides 2x2 --seed 3",
            &["--seed", "nothing is drawn"],
        ),
        ("dgx1 --bandwidth 3", &["--bandwidth", "fixed rates"]),
        ("racks --uplink 3", &["--uplink", "--bandwidth is missing"]),
        ("racks --bandwidth 3 --cost 2", &["--cost", "fixed"]),
        (
            "torus --sides 2x2 --bandwidth 0",
            &["--bandwidth", "above 0"],
        ),
        (
            "torus --sides 2x2 --bandwidth '3 gb/s'",
            &["--bandwidth", "gb", "GB (bytes)"],
        ),
        (
            "torus --sides 2x2 --bandwidth '3 ms'",
            &["--bandwidth", "3 ms"],
        ),
        ("boxes --memory 0", &["--memory", "3350"]),
        ("boxes --rails 9", &["9"]),
        (
            "tiers --size huge",
            &["--size", "huge", "small, medium, large"],
        ),
        ("tiers --host-probability 2", &["2"]),
        (
            &format!("ring --nodes 3 -o {unknown}"),
            &["--output", "a.xyz", ".toml"],
        ),
    ];
    for (arguments, words) in refused {
        oneport!("generate {arguments}").refused(2, words);
    }
    oneport!("generate pentagon").misused(&["pentagon"]);
    assert!(folder.names().is_empty());
}
