//! Names of nodes that the CPLEX LP format allows within names of variables.
//!
//! A node's name is kept if it consists of letters, digits and `_ . # $ % & @ ~ '` of ASCII, and has at most 40 of
//! them. Commas and parentheses divide `send(Pi,Pj,m)` and are not kept. Every other node is called after its place,
//! and a comment of the file says so.

use std::collections::BTreeSet;

use oneport_platform::{LinkId, NodeId, Platform};

use crate::program::Program;

/// Fact: characters of a node's name; three names and the letters around them fit the 255 of a variable.
const LONGEST: usize = 40;

/// Names of nodes and links in the file.
pub(crate) struct Names<'a> {
    platform: &'a Platform,
    nodes: Vec<String>,
}

impl<'a> Names<'a> {
    /// Names the nodes, and says in the program's comments which names are not the platform's.
    pub(crate) fn new(platform: &'a Platform, program: &mut Program<'_>) -> Names<'a> {
        let kept: BTreeSet<&str> = platform
            .nodes()
            .iter()
            .map(|node| node.name.as_str())
            .filter(|name| fits(name))
            .collect();
        let mut nodes = Vec::new();
        for (place, node) in platform.nodes().iter().enumerate() {
            if fits(&node.name) {
                nodes.push(node.name.clone());
                continue;
            }
            let mut name = format!("node{place}");
            while kept.contains(name.as_str()) {
                name.push('_');
            }
            program.note(format!("{name} is the node {:?}.", node.name));
            nodes.push(name);
        }
        Names { platform, nodes }
    }

    /// The name of a node.
    pub(crate) fn node(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("", String::as_str)
    }

    /// The two ends of a link: `Pi,Pj`.
    pub(crate) fn link(&self, link: LinkId) -> String {
        let ends = self.platform.link(link);
        format!("{},{}", self.node(ends.from), self.node(ends.to))
    }
}

fn fits(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_.#$%&@~'".contains(letter);
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use oneport_platform::{Node, Platform, Rational};
    use oneport_watch::Watch;

    use super::*;
    use crate::program::{Paper, Sense};

    #[test]
    fn names_that_the_format_forbids_are_replaced_by_new_ones() {
        let mut builder = Platform::builder();
        let names = [
            "gpu 0",
            "a,b",
            "node0",
            "e1",
            "x:y",
            "+",
            "é",
            "node1",
            "node1_",
            &"n".repeat(41),
        ];
        for name in names {
            builder
                .node(Node::processor(name, Rational::from_integer(1.into())))
                .unwrap();
        }
        let platform = builder.build().unwrap();
        let (mut out, watch) = (Vec::new(), Watch::unlimited());
        let paper = Paper {
            out: &mut out,
            watch: &watch,
        };
        let mut program = Program::new(paper, "test", Sense::Maximise, "test".to_string());
        let named = Names::new(&platform, &mut program);
        let written: Vec<&str> = platform.node_ids().map(|node| named.node(node)).collect();
        assert_eq!(
            written,
            [
                "node0_", "node1__", "node0", "e1", "node4", "node5", "node6", "node1", "node1_",
                "node9"
            ]
        );
        assert_eq!(written.iter().collect::<BTreeSet<_>>().len(), names.len());
        program.end().unwrap();
        let text = String::from_utf8(out).unwrap();
        for (name, written) in names.iter().zip(written).filter(|(name, _)| !fits(name)) {
            assert!(
                text.contains(&format!("\\ {written} is the node {name:?}.")),
                "{text}"
            );
        }
    }
}
