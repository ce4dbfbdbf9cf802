//! Written files are read back, numbers keep their meaning, and files of other programs are understood.

use crate::common;

use std::collections::BTreeMap;

use common::{fixture, plain_platform, platform};
use oneport_files::{PlatformFormat, parse_platform, read_platform, write_platform};
use oneport_platform::{Platform, PortModel, Rational, ratio};
use oneport_testkit::{number, whole};
use proptest::prelude::*;

fn parse(text: &str, format: PlatformFormat) -> Platform {
    parse_platform("text", text.as_bytes(), format)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Links by the names of their ends: the contents of a platform, independent of the order.
fn links_by_name(platform: &Platform) -> BTreeMap<(String, String), Rational> {
    let name = |id| platform.name(id).to_string();
    platform
        .links()
        .iter()
        .map(|link| ((name(link.from), name(link.to)), link.cost.clone()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn native_files_are_read_back(platform in platform()) {
        for format in [PlatformFormat::Toml, PlatformFormat::Json] {
            let text = write_platform(&platform, format).expect("native files say everything");
            prop_assert_eq!(&parse(&text, format), &platform, "{}", text);
        }
    }

    #[test]
    fn matrices_are_read_back_up_to_the_order_of_links(platform in plain_platform()) {
        let text = write_platform(&platform, PlatformFormat::Matrix).expect("a plain platform");
        let read = parse(&text, PlatformFormat::Matrix);
        prop_assert_eq!(read.nodes(), platform.nodes(), "{}", text);
        prop_assert_eq!(links_by_name(&read), links_by_name(&platform), "{}", text);
    }

    /// A decimal in a file is the integer of its digits over a power of ten, in every format.
    #[test]
    fn decimals_are_exact(digits in "[1-9][0-9]{0,30}", decimals in 0..40_usize, exponent in -50..50_i32) {
        let padded = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, fraction) = padded.split_at(padded.len() - decimals);
        let point = if decimals == 0 { whole.to_string() } else { format!("{whole}.{fraction}") };
        let text = format!("{point}e{exponent}");
        let ten = Rational::from_integer(10.into());
        let integer = Rational::from_integer(digits.parse().expect("digits"));
        let expected = integer * ten.pow(exponent - decimals as i32);
        for quote in ["", "\""] {
            let value = format!("{quote}{text}{quote}");
            let toml = format!(
                "format = \"oneport-platform/1\"\nnode = [{{name = \"a\"}}, {{name = \"b\"}}]\n[[link]]\nfrom = \"a\"\nto = \"b\"\ncost = {value}"
            );
            let json = format!(
                r#"{{"format": "oneport-platform/1", "node": [{{"name": "a"}}, {{"name": "b"}}], "link": [{{"from": "a", "to": "b", "cost": {value}}}]}}"#
            );
            prop_assert_eq!(parse(&toml, PlatformFormat::Toml).links()[0].cost.clone(), expected.clone());
            prop_assert_eq!(parse(&json, PlatformFormat::Json).links()[0].cost.clone(), expected.clone());
            let inverse = toml.replace("cost", "bandwidth");
            prop_assert_eq!(parse(&inverse, PlatformFormat::Toml).links()[0].cost.recip(), expected.clone());
        }
        let matrix = parse(&format!("0 {text}\n0 0"), PlatformFormat::Matrix);
        prop_assert_eq!(matrix.links()[0].cost.recip(), expected);
    }
}

#[test]
fn every_key_is_understood_in_both_syntaxes() {
    let toml = r#"
format = "oneport-platform/1"
model = "multiport"
[[node]]
name = "a"
compute = 1_000.5      # legal TOML for 1000.5
ports = 3
[[node]]
name = "b"
model = "half-duplex"
replicates = false
[[link]]
from = "a"
to = "b"
bandwidth = 0x10
duplex = true
"#;
    let json = r#"{"link": [{"duplex": true, "bandwidth": "16", "to": "\u0062", "from": "a"}],
 "format": "oneport-platform/1", "model": "multiport",
 "node": [{"name": "a", "compute": "2001/2", "ports": 3}, {"name": "b", "model": "half-duplex", "replicates": false}]}"#;
    let platform = parse(toml, PlatformFormat::Toml);
    assert_eq!(platform, parse(json, PlatformFormat::Json));
    assert_eq!(platform.model(), PortModel::Multiport);
    let [a, b] = platform.nodes().iter().collect::<Vec<_>>()[..] else {
        panic!("two nodes")
    };
    assert_eq!(
        (a.compute.as_ref(), a.ports, a.model, a.replicates),
        (Some(&ratio(2001, 2)), Some(3), None, true)
    );
    assert_eq!(
        (b.compute.as_ref(), b.ports, b.model, b.replicates),
        (None, None, Some(PortModel::HalfDuplex), false)
    );
    assert_eq!(platform.links().len(), 2);
    assert!(
        platform
            .links()
            .iter()
            .all(|link| link.cost == ratio(1, 16))
    );
}

#[test]
fn matrices_of_every_dress_say_the_same() {
    let plain = parse("0 1/2 0\n4 0 -\n0.25 1e1 0", PlatformFormat::Matrix);
    assert_eq!(plain.name(plain.node_ids().next().expect("a node")), "P0");
    let expected = BTreeMap::from(
        [
            ("P0", "P1", ratio(2, 1)),
            ("P1", "P0", ratio(1, 4)),
            ("P2", "P0", ratio(4, 1)),
            ("P2", "P1", ratio(1, 10)),
        ]
        .map(|(from, to, cost)| ((from.to_string(), to.to_string()), cost)),
    );
    assert_eq!(links_by_name(&plain), expected);
    for text in [
        "# a comment\n\n0,1/2,0\n4,0,\n0.25,1e1,0\n",
        "inf;1/2;0\r\n4;inf;-\r\n0.25;10;inf\r\n",
        "P0 P1 P2\n0 1/2 0\n4 0 -\n0.25 10 0",
        ",P0,P1,P2\nP0,,0.5,\nP1,4,x,\nP2,1/4,10,nan",
        "P0 0 1/2 0\nP1 4 0 -\nP2 0.25 10 0",
        "P0 P1 P2\nP0 0 1/2 0\nP1 4 0 -\nP2 0.25 10 0",
        "\tP0\tP1\tP2\nP0\t\t1/2\t\nP1\t4\t\t\n\"P2\"\t0.25\t10\t",
    ] {
        assert_eq!(parse(text, PlatformFormat::Matrix), plain, "{text}");
    }
    let alone = parse("5", PlatformFormat::Matrix);
    assert_eq!((alone.nodes().len(), alone.links().len()), (1, 0));
}

#[test]
fn a_matrix_says_no_more_than_bandwidths() {
    for (change, reason) in [
        (
            "model = \"links\"\n[[node]]\nname = \"a\"\ncompute = 1",
            "its port model is links",
        ),
        ("[[node]]\nname = \"a\"", "node 'a' is a router"),
        (
            "[[node]]\nname = \"a\"\ncompute = 2",
            "node 'a' has a compute time",
        ),
        (
            "[[node]]\nname = \"a\"\ncompute = 1\nmodel = \"full-duplex\"",
            "node 'a' has a separate port model",
        ),
        (
            "[[node]]\nname = \"a\"\ncompute = 1\nports = 1",
            "node 'a' has a number of ports",
        ),
        (
            "[[node]]\nname = \"a\"\ncompute = 1\nreplicates = false",
            "node 'a' does not replicate",
        ),
    ] {
        let platform = parse(
            &format!("format = \"oneport-platform/1\"\n{change}"),
            PlatformFormat::Toml,
        );
        let error = write_platform(&platform, PlatformFormat::Matrix).expect_err(change);
        assert!(
            error.to_string().contains(reason) && error.to_string().contains("write toml or json"),
            "{error}"
        );
    }
}

#[test]
fn numbers_too_long_to_be_read_back_are_not_written() {
    let mut builder = Platform::builder();
    let huge = whole(10).pow(1200);
    builder
        .node(oneport_platform::Node::processor("a", huge))
        .expect("a processor");
    let platform = builder.build().expect("a platform");
    for format in [PlatformFormat::Toml, PlatformFormat::Json] {
        let error = write_platform(&platform, format).expect_err("1201 digits");
        assert!(error.to_string().contains("too long"), "{error}");
    }
}

/// Every fixture is read, and agrees with its source.
#[test]
fn fixtures() {
    let mut shapes = BTreeMap::new();
    for entry in std::fs::read_dir(fixture("")).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let platform = read_platform(&path).unwrap_or_else(|error| panic!("{error}"));
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        shapes.insert(
            name,
            (
                platform.nodes().len(),
                platform.processors().count(),
                platform.links().len(),
            ),
        );
    }
    for (name, shape) in [
        ("toy-scatter.toml", (5, 5, 5)),
        ("slide-platform.toml", (4, 4, 6)),
        ("toy-reduce.toml", (3, 3, 6)),
        ("toy-reduce-four.toml", (3, 3, 4)),
        ("toy-broadcast.toml", (5, 5, 6)),
        ("two-racks.toml", (11, 8, 20)),
        ("star.json", (6, 6, 10)),
        ("four-sites.csv", (4, 4, 10)),
        // Machines: GPUs with their NVSwitches and network switches, both ways over every cable.
        ("dgx-a100-1.toml", (8 + 1, 8, 2 * 8)),
        ("dgx-a100-2.toml", (16 + 2 + 2, 16, 2 * (16 + 16))),
        ("dgx-a100-4.toml", (32 + 4 + 2, 32, 2 * (32 + 32))),
        ("dgx-h100-2.toml", (16 + 2 + 1, 16, 2 * (16 + 16))),
        ("dgx1.toml", (8, 8, 2 * 16)),
        ("ndv2-2.toml", (16, 16, 2 * (2 * 16 + 1))),
        ("mi250-1.toml", (16, 16, 2 * 28)),
        ("mi250-2.toml", (32 + 1, 32, 2 * (2 * 28 + 32))),
        // Networks: hosts and switches, then cables to the hosts, and between switches.
        ("dragonfly-5-4-1.toml", (20 + 20, 20, 2 * (20 + 5 * 6 + 10))),
        ("fat-tree-4.toml", (16 + 20, 16, 2 * (16 + 16 + 16))),
        ("torus-4x4.toml", (16, 16, 4 * 16)),
    ] {
        assert_eq!(shapes.remove(name), Some(shape), "{name}");
    }
    assert!(shapes.is_empty(), "not described in this test: {shapes:?}");
    let toy = read_platform(fixture("toy-scatter.toml")).expect("the toy");
    let name = |from: &str, to: &str| (from.to_string(), to.to_string());
    let expected = BTreeMap::from([
        (name("Ps", "Pa"), ratio(1, 1)),
        (name("Ps", "Pb"), ratio(1, 1)),
        (name("Pa", "P0"), ratio(2, 3)),
        (name("Pb", "P0"), ratio(4, 3)),
        (name("Pb", "P1"), ratio(4, 3)),
    ]);
    assert_eq!(links_by_name(&toy), expected);
}

/// Latency and overhead: read in both syntaxes, with and without units, written and read back. Below 0 they are
/// refused.
#[test]
fn delays_of_links() {
    let text = |link: &str| {
        format!(
            "format = \"oneport-platform/1\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             link = [{{ from = \"a\", to = \"b\", {link} }}]\n"
        )
    };
    let read = |text: &str, format| oneport_files::parse_platform("text", text.as_bytes(), format);
    let of = |link: &str| {
        read(&text(link), PlatformFormat::Toml).unwrap_or_else(|error| panic!("{error}"))
    };
    let platform =
        of("bandwidth = \"25 GB/s\", latency = \"5 us\", overhead = \"1/2 us\", duplex = true");
    for link in platform.links() {
        assert_eq!(
            (link.latency(), link.overhead()),
            (number("1/200000"), number("1/2000000"))
        );
    }
    for format in [PlatformFormat::Toml, PlatformFormat::Json] {
        let written = oneport_files::write_platform(&platform, format).expect("written");
        assert_eq!(
            read(&written, format).expect("read").links().iter().next(),
            platform.links().iter().next(),
            "{written}"
        );
        assert_eq!(
            written.matches("latency").count(),
            1,
            "a duplex link is one entry: {written}"
        );
    }
    assert!(
        of("cost = 1, latency = 0")
            .links()
            .iter()
            .all(|link| link.delays.is_none())
    );
    for (link, words) in [
        (
            "cost = 1, latency = -1",
            "latency is -1; a time is 0 or more",
        ),
        ("cost = 1, overhead = \"-1/3\"", "overhead is -1/3"),
        (
            "cost = \"1 s/GB\", latency = \"5 GB\"",
            "'5 GB' is an amount of data",
        ),
        ("cost = 1, latency = true", "link[0].latency"),
    ] {
        let error = read(&text(link), PlatformFormat::Toml)
            .expect_err(link)
            .to_string();
        assert!(error.contains(words), "{link}: {error}");
    }
}
