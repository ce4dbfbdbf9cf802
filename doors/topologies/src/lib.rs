//! Topologies that other programs write, read as platforms.
//!
//! One file per format. An importer puts nodes and links of a [kind](Imported::link_kinds) into a [`Draft`], asks it
//! for the bandwidths that its file does not state, and notes what it assumed, merged and left out. Nothing else is
//! shared.

mod astra_sim;
mod dot;
mod draft;
mod graph;
mod graphml;
mod hostlist;
mod hwloc;
mod iblinkinfo;
mod ibnetdiscover;
mod imported;
mod infiniband;
mod nccl;
mod nccl_links;
mod nccl_rates;
mod node_link;
mod nvidia_smi;
mod options;
mod pci_tree;
mod replicate;
mod simgrid;
mod simgrid_cluster;
mod slurm;
pub(crate) mod xml;
mod yaml;

pub(crate) use draft::Draft;
pub(crate) use graph::{Attributes, Graph, MAX_ATTRIBUTES};
pub use imported::{Accelerator, Imported, Note, Topic};
pub use options::{Capacity, Fabric, ImportOptions, Replicate};

use oneport_platform::Platform;

use crate::error::{FormatError, Mistake};
use crate::platform_format::PlatformFormat;
use crate::source::Source;

pub(crate) use astra_sim::read as read_astra_sim;
pub(crate) use dot::read as read_dot;
pub(crate) use graphml::read as read_graphml;
pub(crate) use hwloc::read as read_hwloc;
pub(crate) use iblinkinfo::read as read_iblinkinfo;
pub(crate) use ibnetdiscover::read as read_ibnetdiscover;
pub(crate) use nccl::read as read_nccl;
pub(crate) use node_link::read as read_node_link;
pub(crate) use nvidia_smi::read as read_nvidia_smi;
pub(crate) use simgrid::read as read_simgrid;
pub(crate) use slurm::{read_conf as read_slurm_conf, read_yaml as read_slurm_yaml};

/// Puts what a file says into a draft.
pub(crate) type Importer = fn(&Source<'_>, &mut Draft<'_>) -> Result<(), FormatError>;

/// Reads a topology.
pub(crate) fn import(
    source: &Source<'_>,
    read: Importer,
    format: PlatformFormat,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    let mut draft = Draft::new(options);
    read(source, &mut draft)?;
    if let Some(order) = &options.replicate {
        replicate::replicate(&mut draft, order).map_err(|mistake| source.error_in_file(mistake))?;
    }
    draft.finish(source, format)
}

/// A platform that says everything itself: options have nothing to add.
pub(crate) fn plain(
    source: &Source<'_>,
    platform: Platform,
    format: PlatformFormat,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    if *options != ImportOptions::default() {
        let text =
            format!("is a {}, which says everything itself; leave out the options for topologies", format.about());
        return Err(source.error_in_file(Mistake::Import(text)));
    }
    let node_kinds = platform.nodes().iter().map(|node| if node.is_processor() { "processor" } else { "router" });
    Ok(Imported {
        node_kinds: node_kinds.collect(),
        link_kinds: vec!["link"; platform.links().len()],
        accelerators: Vec::new(),
        notes: Vec::new(),
        platform,
        format,
    })
}
