//! Platforms in few words.

use oneport_platform::{Node, Platform, Rational, parse_rational, ratio};

/// The number that a text states: `3`, `2/3`, `1.5`, `1e60`.
///
/// # Panics
/// The text is not a number.
#[track_caller]
pub fn number(text: &str) -> Rational {
    parse_rational(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A platform of nodes named by single words, and of links (from, to, cost). A merge takes a processor one unit of
/// time, or the time behind its name (`P0=1/2`). A router's name is in parentheses (`(r)`).
///
/// # Panics
/// A link between unknown nodes. A cost that is not a number. A node or link that a builder refuses.
#[track_caller]
pub fn platform(nodes: &str, links: &[(&str, &str, &str)]) -> Platform {
    let mut builder = Platform::builder();
    for word in nodes.split_whitespace() {
        let router = word
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        let node = match (router, word.split_once('=')) {
            (Some(name), _) => Node::router(name),
            (None, Some((name, time))) => Node::processor(name, number(time)),
            (None, None) => Node::processor(word, ratio(1, 1)),
        };
        builder.node(node).unwrap_or_else(|error| panic!("{error}"));
    }
    for (from, to, cost) in links {
        let [one, other] = [from, to].map(|name| {
            let node = builder.find(name);
            node.unwrap_or_else(|| panic!("{from} -> {to}: no node {name}"))
        });
        let link = builder.link(one, other, number(cost));
        link.unwrap_or_else(|error| panic!("{error}"));
    }
    builder.build().unwrap_or_else(|error| panic!("{error}"))
}
