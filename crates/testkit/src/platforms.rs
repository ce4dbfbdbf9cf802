//! Numbers and platforms in few words.

use oneport_platform::{Node, Platform, parse_rational, ratio};

/// A platform of processors with these names, which merge in a unit of time, and of links (from, to, cost).
///
/// # Panics
/// A link between unknown nodes; a cost that is not a number; a node or link that a builder refuses.
#[track_caller]
pub fn platform(nodes: &str, links: &[(&str, &str, &str)]) -> Platform {
    let mut builder = Platform::builder();
    for name in nodes.split_whitespace() {
        let node = Node::processor(name, ratio(1, 1));
        builder.node(node).unwrap_or_else(|error| panic!("{error}"));
    }
    for (from, to, cost) in links {
        let [one, other] = [from, to].map(|name| {
            let node = builder.find(name);
            node.unwrap_or_else(|| panic!("{from} -> {to}: no node {name}"))
        });
        let cost = parse_rational(cost).unwrap_or_else(|error| panic!("{cost}: {error}"));
        let link = builder.link(one, other, cost);
        link.unwrap_or_else(|error| panic!("{error}"));
    }
    builder.build().unwrap_or_else(|error| panic!("{error}"))
}
