//! Processors that take no part in a question: whether they forward.

use oneport::platform::{Change, names};
use oneport::{NodeId, Platform};
use serde::Deserialize;
use serde_json::{Value, json};

/// Treatment of processors that take no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Idle {
    /// They are left out, with their links.
    Out,
    /// They forward, and merge.
    Forward,
}

/// The processors that are left out of a question.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Their ids on the whole platform.
    pub nodes: Vec<NodeId>,
    names: Vec<String>,
    /// The names as people read them.
    listed: String,
}

impl LeftOut {
    /// Processors that are not among `takers`, ascending. Unless the user decides otherwise, they are left out if they
    /// are accelerators: no process of the job runs there.
    pub fn of(platform: &Platform, takers: &[NodeId], idle: Option<Idle>) -> LeftOut {
        let stands_idle = |&node: &NodeId| {
            takers.binary_search(&node).is_err()
                && match idle {
                    None => platform.node(node).accelerator,
                    Some(Idle::Out) => true,
                    Some(Idle::Forward) => false,
                }
        };
        let nodes: Vec<NodeId> = platform.processors().filter(stands_idle).collect();
        LeftOut {
            names: nodes
                .iter()
                .map(|&node| platform.name(node).to_string())
                .collect(),
            listed: names::list(platform, nodes.iter().copied()),
            nodes,
        }
    }

    /// The changes that leave them out.
    pub fn changes(&self) -> Vec<Change> {
        self.nodes
            .iter()
            .copied()
            .map(Change::WithoutNode)
            .collect()
    }

    /// `gpu3 takes no part and forwards nothing; --idle forward lets it`. Empty if none is left out.
    pub fn sentence(&self) -> String {
        let listed = &self.listed;
        match self.nodes.len() {
            0 => String::new(),
            1 => format!("{listed} takes no part and forwards nothing; --idle forward lets it"),
            _ => format!("{listed} take no part and forward nothing; --idle forward lets them"),
        }
    }

    /// A line of the answer. Empty if none is left out.
    pub fn line(&self) -> String {
        if self.nodes.is_empty() {
            String::new()
        } else {
            format!("left out    {}\n", self.sentence())
        }
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their names, for `--json`.
    pub fn json(&self) -> Value {
        json!({ "left_out": self.names })
    }
}
