//! Lists of nodes as people read them: alike names are abbreviated.

use std::collections::{BTreeMap, BTreeSet};

use crate::{NodeId, Platform};

/// Shown: most names or groups of names in a list.
const LISTED: usize = 12;

/// The text with `*` for every number in it: the common part of alike names.
///
/// ```
/// assert_eq!(oneport_platform::names::common("link 'ib0' -> 'box12.gpu7'"), "link 'ib*' -> 'box*.gpu*'");
/// ```
pub fn common(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('*') => {}
            true => text.push('*'),
            false => text.push(letter),
        }
    }
    text
}

/// A set of nodes: `{a, box1.*}`, or `all but {b}` if that is shorter. `box1.*` are all nodes whose names begin so.
pub fn set(platform: &Platform, nodes: &[NodeId]) -> String {
    let inside: BTreeSet<NodeId> = nodes.iter().copied().collect();
    let outside: Vec<NodeId> = platform
        .node_ids()
        .filter(|node| !inside.contains(node))
        .collect();
    if !outside.is_empty() && outside.len() < inside.len() {
        return format!("all but {{{}}}", list(platform, outside.into_iter()));
    }
    format!("{{{}}}", list(platform, inside.into_iter()))
}

/// The names in the order of `nodes`. A family that is present as a whole is `family.*`.
pub fn list(platform: &Platform, nodes: impl Iterator<Item = NodeId>) -> String {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for family in platform
        .node_ids()
        .filter_map(|node| family(platform.name(node)))
    {
        *sizes.entry(family).or_default() += 1;
    }
    let nodes: Vec<NodeId> = nodes.collect();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for family in nodes.iter().filter_map(|&node| family(platform.name(node))) {
        *found.entry(family).or_default() += 1;
    }
    let is_whole = |family: &&str| sizes[family] > 1 && found.get(family) == sizes.get(family);
    let mut words: Vec<String> = Vec::new();
    for &node in &nodes {
        let name = platform.name(node);
        let word = family(name)
            .filter(is_whole)
            .map_or_else(|| name.to_string(), |family| format!("{family}.*"));
        if words.last() != Some(&word) {
            words.push(word);
        }
    }
    let mut seen = BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let mut words = ranges(words);
    let more = words.len().saturating_sub(LISTED);
    words.truncate(LISTED);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", words.join(", "))
}

/// Names that count up, three or more, as one: `gpu1..7`.
fn ranges(words: Vec<String>) -> Vec<String> {
    let numbered = |word: &str| {
        let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let digits = word
            .get(stem.len()..)
            .filter(|digits| *digits == "0" || !digits.starts_with('0'))?;
        Some((stem.to_string(), digits.parse::<u64>().ok()?))
    };
    let mut runs: Vec<Vec<String>> = Vec::new();
    for word in words {
        let follows = |run: &Vec<String>| {
            let (last, own) = (numbered(run.last()?)?, numbered(&word)?);
            (last.0 == own.0 && last.1.checked_add(1) == Some(own.1)).then_some(())
        };
        match runs.last_mut().filter(|run| follows(run).is_some()) {
            Some(run) => run.push(word),
            None => runs.push(vec![word]),
        }
    }
    let short = |run: Vec<String>| match (&run[..], run.last().and_then(|last| numbered(last))) {
        ([first, _, _, ..], Some((_, last))) => vec![format!("{first}..{last}")],
        _ => run,
    };
    runs.into_iter().flat_map(short).collect()
}

/// The part of a name before its first point: `box1` for `box1.gpu7`.
fn family(name: &str) -> Option<&str> {
    name.split_once('.')
        .map(|(family, _)| family)
        .filter(|family| !family.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, PlatformError, generate::torus};

    #[test]
    fn sets_are_said_by_their_smaller_side() -> Result<(), PlatformError> {
        let mut builder = Platform::builder();
        for name in ["box0.gpu0", "box0.gpu1", "box1.gpu0", "box1.gpu1", "ib"] {
            builder.node(Node::router(name))?;
        }
        let platform = builder.build()?;
        let nodes = |indices: &[usize]| {
            indices
                .iter()
                .map(|&index| NodeId::new(index))
                .collect::<Vec<_>>()
        };
        assert_eq!(set(&platform, &nodes(&[0, 1])), "{box0.*}");
        assert_eq!(
            set(&platform, &nodes(&[0, 1, 2])),
            "all but {box1.gpu1, ib}"
        );
        assert_eq!(set(&platform, &nodes(&[0, 2])), "{box0.gpu0, box1.gpu0}");
        assert_eq!(
            set(&platform, &nodes(&[0, 1, 2, 3, 4])),
            "{box0.*, box1.*, ib}"
        );
        let many = torus(&[40])?;
        let all: Vec<NodeId> = many.node_ids().collect();
        assert_eq!(list(&many, all.iter().copied()), "P0..39");
        let odd = all.iter().copied().skip(1).step_by(2);
        assert!(
            list(&many, odd).ends_with(", and 8 more"),
            "{}",
            list(&many, all.iter().copied())
        );
        Ok(())
    }
}
