//! The result of an importer.

use oneport_platform::{Change, Changed, NodeId, Platform, PlatformError};

use crate::Format;

/// A platform, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The platform.
    pub platform: Platform,
    /// The format of the file.
    pub format: Format,
    /// Per node id: the kind of the node, "GPU", "PCI switch", ...
    pub node_kinds: Vec<&'static str>,
    /// Per link id: the kind of the link, "nvlink", "pci", ...
    pub link_kinds: Vec<&'static str>,
    /// The file's accelerators, with their numbers in machine and job.
    pub accelerators: Vec<Accelerator>,
    /// Assumptions, merges and omissions, in the order of reading.
    pub notes: Vec<Note>,
}

impl Imported {
    /// The file with its platform changed: kinds and accelerators of the remaining nodes.
    #[must_use]
    pub fn changed(self, changed: Changed) -> Imported {
        fn kept<T, I>(all: Vec<T>, new_ids: &[Option<I>]) -> Vec<T> {
            let kept = all.into_iter().zip(new_ids);
            kept.filter(|(_, new_id)| new_id.is_some())
                .map(|(one, _)| one)
                .collect()
        }
        let new_id = |node: NodeId| changed.nodes.get(node.index()).copied().flatten();
        let accelerators = self.accelerators.into_iter();
        Imported {
            accelerators: accelerators
                .filter_map(|own| {
                    Some(Accelerator {
                        node: new_id(own.node)?,
                        ..own
                    })
                })
                .collect(),
            node_kinds: kept(self.node_kinds, &changed.nodes),
            link_kinds: kept(self.link_kinds, &changed.links),
            platform: changed.platform,
            ..self
        }
    }
}

/// An accelerator under the numbers of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accelerator {
    /// Its node.
    pub node: NodeId,
    /// Its machine, counted from 0.
    pub machine: usize,
    /// Its number in the machine.
    pub device: u64,
    /// Its rank in the job that wrote the file.
    pub rank: Option<u64>,
}

/// A remark on how the file was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The kind of remark.
    pub topic: Topic,
    /// One line without a full stop.
    pub text: String,
}

/// The kind of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Taken from a table, or from the user, because the file does not state it.
    Assumed,
    /// Several elements of the file are one in the platform.
    Merged,
    /// In the file, and not in the platform.
    LeftOut,
}

impl Topic {
    /// Every topic, in the order in which they are printed.
    pub const ALL: [Topic; 3] = [Topic::Assumed, Topic::Merged, Topic::LeftOut];

    /// The word printed before a remark.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Assumed => "assumed",
            Topic::Merged => "merged",
            Topic::LeftOut => "left out",
        }
    }
}

impl Imported {
    /// Adds an assumption.
    pub(crate) fn assume(&mut self, text: String) {
        let topic = Topic::Assumed;
        self.notes.push(Note { topic, text });
    }

    /// Removes some nodes and their links.
    ///
    /// # Errors
    /// No node would remain, or an id is of another platform.
    pub fn without(self, nodes: &[NodeId]) -> Result<Imported, PlatformError> {
        let gone: Vec<Change> = nodes.iter().copied().map(Change::WithoutNode).collect();
        let changed = self.platform.changed(&gone)?;
        Ok(self.changed(changed))
    }

    /// A platform without any assumption.
    pub fn plain(platform: Platform, format: Format) -> Self {
        let node_kinds =
            platform
                .nodes()
                .iter()
                .map(|node| match (node.is_processor(), node.merges()) {
                    (true, _) => "processor",
                    (false, true) => "router that combines",
                    (false, false) => "router",
                });
        Imported {
            node_kinds: node_kinds.collect(),
            link_kinds: vec!["link"; platform.links().len()],
            accelerators: Vec::new(),
            notes: Vec::new(),
            platform,
            format,
        }
    }
}
