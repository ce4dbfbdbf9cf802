//! What an importer hands over.

use oneport_platform::{NodeId, Platform};

use crate::platform_format::PlatformFormat;

/// A platform, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The platform.
    pub platform: Platform,
    /// The format of the file.
    pub format: PlatformFormat,
    /// What each node is, by node id: "GPU", "PCI switch", ...
    pub node_kinds: Vec<&'static str>,
    /// What each link is, by link id: "nvlink", "pci", ...
    pub link_kinds: Vec<&'static str>,
    /// What the file's accelerators are called where they come from.
    pub accelerators: Vec<Accelerator>,
    /// What was assumed, merged and left out, in the order of reading.
    pub notes: Vec<Note>,
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
    /// What it is about.
    pub topic: Topic,
    /// One line without a full stop.
    pub text: String,
}

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Taken from a table, or from the user, because the file does not say it.
    Assumed,
    /// Several things of the file are one in the platform.
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
