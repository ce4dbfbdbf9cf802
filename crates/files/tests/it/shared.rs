//! Capacities that links share, in platform files: every key, and each refusal.

use oneport_files::{PlatformFormat, parse_platform, write_platform};
use oneport_platform::{Platform, Rational};

const NODES: &str = r#"
format = "oneport-platform/1"
model = "links"
units = "GB/s"
node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "a -> b", compute = 1 }]
link = [
  { from = "a", to = "b", duplex = true },
  { from = "a -> b", to = "a", bandwidth = "5 GB/s" },
  { from = "b", to = "a -> b", cost = 1 },
]
"#;

fn parse(text: &str) -> Result<Platform, String> {
    parse_platform("p.toml", text.as_bytes(), PlatformFormat::Toml)
        .map_err(|error| error.to_string())
}

#[test]
fn a_shared_capacity_is_read_and_written() {
    let shared = r#"
[[shared]]
name = "bus"
bandwidth = "8 Gbit/s"
links = ["a -> b", "b->a", ["a -> b", "a"], ["a", "b"]]
[[shared]]
bandwidth = 20
links = ["b -> a"]
"#;
    let platform = parse(&format!("{NODES}{shared}")).unwrap();
    let weights = |index: usize| {
        let weights = platform.shared()[index].weights.iter();
        weights
            .map(|(link, weight)| (link.index(), *weight))
            .collect::<Vec<_>>()
    };
    // 8 Gbit/s are 1 GB/s. "a -> b" is named twice. The third node's name has an arrow in it.
    assert_eq!(weights(0), [(0, 2), (1, 1), (2, 1)]);
    assert_eq!(weights(1), [(1, 1)]);
    let names = platform.shared().iter().map(|shared| shared.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["bus", "shared1"]);
    let ratio = |p: i32, q: i32| Rational::new(p.into(), q.into());
    let links: Vec<_> = platform.link_ids().collect();
    let alone = links.iter().map(|&link| platform.link(link).cost.clone());
    assert_eq!(
        alone.collect::<Vec<_>>(),
        [ratio(2, 1), ratio(1, 1), ratio(1, 1), ratio(1, 1)]
    );
    let own = links.iter().map(|&link| platform.own_cost(link).clone());
    assert_eq!(
        own.collect::<Vec<_>>(),
        [ratio(0, 1), ratio(0, 1), ratio(1, 5), ratio(1, 1)]
    );
    for format in [PlatformFormat::Toml, PlatformFormat::Json] {
        let text = write_platform(&platform, format).unwrap();
        assert_eq!(
            parse_platform("again", text.as_bytes(), format).unwrap(),
            platform,
            "{text}"
        );
    }
    let refused = write_platform(&platform, PlatformFormat::Matrix).unwrap_err();
    let model = "its port model is links";
    assert!(refused.to_string().contains(model), "{refused}");
}

#[test]
fn each_mistake_is_named() {
    let bus = |rest: &str| format!("{NODES}\n[[shared]]\nname = \"bus\"\n{rest}");
    for (text, said) in [
        (
            bus("bandwidth = 1\nlinks = [\"a -> c\"]"),
            "p.toml:15: shared[0].links: \"a -> c\" is not a link of the platform",
        ),
        (
            bus("bandwidth = 1\nlinks = [[\"a\", \"c\"]]"),
            "no node is named 'c'",
        ),
        (
            bus("bandwidth = 1\nlinks = [[\"a\", \"a -> b\"]]"),
            "\"a -> a -> b\" is not a link of the platform",
        ),
        (
            bus("bandwidth = 1\nlinks = [7]"),
            "shared[0].links: 7 is not a link: \"a -> b\", or its two ends as [\"a\", \"b\"]",
        ),
        (
            bus("bandwidth = 1\nlinks = []"),
            "shared 'bus' has no links",
        ),
        (bus("bandwidth = 1"), "'links' is missing"),
        (bus("links = [\"a -> b\"]"), "'bandwidth' is missing"),
        (
            bus("bandwidth = 0\nlinks = [\"a -> b\"]"),
            "the bandwidth of a shared capacity is 0; it must be positive",
        ),
        (
            bus("cost = 1\nlinks = [\"a -> b\"]"),
            "unknown key 'cost'; the keys here are name, bandwidth, links",
        ),
        // Without the bus, b -> a has no limit.
        (
            bus("bandwidth = 1\nlinks = [\"a -> b\"]"),
            "p.toml:7: link[0]: 'cost' is missing",
        ),
        (
            bus(
                "bandwidth = 1\nlinks = [\"a -> b\", \"b -> a\"]\n[[shared]]\nname = \"bus\"\nbandwidth = 2\nlinks = [\"a -> b\"]",
            ),
            "shared 'bus' is given twice",
        ),
        (
            bus("bandwidth = 1\nlinks = [\"a -> b\", \"b -> a\"]")
                .replace("\"links\"", "\"full-duplex\""),
            "shared 'bus': link 'a -> b' ends at 'a', which has ports (full-duplex); one transfer at a time does not \
             divide a shared capacity. Put model = \"links\" on 'a', or write its port as a shared capacity of its links",
        ),
    ] {
        let error = parse(&text).expect_err(said);
        assert!(error.contains(said), "{error}\nnot\n{said}");
    }
}
