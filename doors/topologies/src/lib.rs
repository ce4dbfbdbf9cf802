#![doc = include_str!("../README.md")]

// One file per format. An importer puts nodes and links of a [kind](Imported::link_kinds) into a [`Draft`], gets the
// bandwidths that its file does not state from it, and notes its assumptions, merges and omissions. Importers share
// nothing else.
mod astra_sim;
mod cards;
mod detect;
mod dot;
mod draft;
mod edges;
mod format;
mod gml;
mod gml_lists;
mod gpu_matrix;
mod graph;
mod graph_roles;
mod graphml;
mod hostlist;
mod hwloc;
mod iblinkinfo;
mod ibnetdiscover;
mod imb;
mod imported;
mod infiniband;
mod latency;
mod measurement;
mod mistakes;
mod nccl;
mod nccl_graph;
mod nccl_links;
mod nccl_rates;
mod nccl_tests;
mod nccl_tuning;
mod node_link;
mod nvidia_smi;
mod options;
mod osu;
mod pci_tree;
mod replicate;
mod rocm;
mod simgrid;
mod simgrid_cluster;
mod simgrid_fat_tree;
mod simgrid_net;
mod simgrid_search;
mod simgrid_stages;
mod simgrid_sums;
#[cfg(test)]
mod simgrid_test;
mod simgrid_units;
mod simgrid_zones;
mod slurm;
mod slurm_net;
mod smi_gpus;
mod taken;
mod tiers_json;
mod unread;
mod xml;
mod yaml;

pub use format::{Format, ParseFormatError};
pub use imported::{Accelerator, Imported, Note, Topic};
pub use latency::{KindLatency, Latencies, Origin, UnknownKind};
pub use measurement::{Measurement, Measurements};
pub use nccl_graph::{
    MAX_GRAPH_BYTES, NcclChannel, NcclGpu, NcclGraph, PathType, parse_nccl_graphs,
    write_nccl_graphs,
};
pub use nccl_tests::{MAX_MEASUREMENTS_BYTES, parse_measurements, read_measurements};
pub use nccl_tuning::{Tuned, read_tuning};
pub use oneport_files::{FormatError, Platform, PlatformFormat, Rational};
pub use options::{Capacity, Fabric, ImportOptions, LatencyAttribute, Replicate};
pub use unread::Unread;

use std::path::Path;

use crate::mistakes::said;
use oneport_files::error::Mistake;
use oneport_files::source::{Source, read_bytes};
use oneport_files::{MAX_PLATFORM_BYTES, parse_platform_with_any_ports};
use oneport_platform::DEFAULT_MERGE_RATE;

use draft::Draft;

/// Reads a platform file of any format, ours or other programs'.
///
/// # Errors
/// The errors of [`read_topology`].
pub fn read_platform(path: impl AsRef<Path>) -> Result<Platform, FormatError> {
    let path = path.as_ref();
    Ok(read_topology(path, None, &ImportOptions::default())?.platform)
}

/// Reads a platform file, or a topology that another program wrote: in the given format, else in the format that its
/// name and content indicate. The options supply facts that the file leaves open. The result includes notes on the
/// reading.
///
/// # Errors
/// The file cannot be read or is over [`MAX_PLATFORM_BYTES`]. Otherwise the errors of [`parse_topology`].
pub fn read_topology(
    path: &Path,
    format: Option<Format>,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    let imported = read_topology_with_any_ports(path, format, options)?;
    checked(&path.display().to_string(), imported)
}

/// Reads like [`read_topology`], for a platform whose port model is about to change: links with shared capacities may
/// end at nodes with ports ([`check_shared`](Platform::check_shared)).
///
/// # Errors
/// The errors of [`read_topology`], except those of such links.
pub fn read_topology_with_any_ports(
    path: &Path,
    format: Option<Format>,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    let bytes = read_bytes(path, MAX_PLATFORM_BYTES)?;
    let format = format.unwrap_or_else(|| Format::detect(path, &bytes));
    parse(&path.display().to_string(), &bytes, format, options)
}

fn checked(name: &str, imported: Imported) -> Result<Imported, FormatError> {
    match imported.platform.check_shared() {
        Ok(()) => Ok(imported),
        Err(error) => Err(FormatError::new(name, None, None, Mistake::Platform(error))),
    }
}

/// Reads like [`read_topology`], from bytes. `name` is the file's name in messages. Time and memory are linear in the
/// bytes (times the logarithm of the number of nodes and links).
///
/// # Errors
/// The first fault: its line, key and value, and a correct form. Also options that do not fit the file.
pub fn parse_topology(
    name: &str,
    bytes: &[u8],
    format: Format,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    checked(name, parse(name, bytes, format, options)?)
}

/// Reads like [`read_topology_with_any_ports`], from bytes. `name` is the file's name in messages.
///
/// # Errors
/// The errors of [`parse_topology`], except those of links with shared capacities at nodes with ports.
pub fn parse_topology_with_any_ports(
    name: &str,
    bytes: &[u8],
    format: Format,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    parse(name, bytes, format, options)
}

fn parse(
    name: &str,
    bytes: &[u8],
    format: Format,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    if let Format::Own(own) = format {
        let platform = parse_platform_with_any_ports(name, bytes, own)?;
        let mut imported = plain(name, platform, format, options)?;
        let units = imported.platform.units();
        if units.is_some() && own == PlatformFormat::Matrix {
            imported.assume(merges_of_a_matrix());
        }
        return Ok(imported);
    }
    if bytes.len() as u64 > MAX_PLATFORM_BYTES {
        return Err(FormatError::new(
            name,
            None,
            None,
            Mistake::TooLarge {
                limit: MAX_PLATFORM_BYTES,
            },
        ));
    }
    let source = Source::new(name, bytes, "a platform")?;
    if !matches!(format, Format::Joined | Format::Unread(_)) {
        taken::check(format, options).map_err(|mistake| source.error_in_file(mistake))?;
    }
    let read: Importer = match format {
        // Our own formats are read above.
        Format::Own(_) | Format::Gml => gml::read,
        Format::Joined => return plain(name, tiers_json::read(source)?, format, options),
        Format::Nccl => nccl::read,
        Format::NvidiaSmi => nvidia_smi::read,
        Format::NodeLink => node_link::read,
        Format::GraphMl => graphml::read,
        Format::Dot => dot::read,
        Format::IbNetDiscover => ibnetdiscover::read,
        Format::IbLinkInfo => iblinkinfo::read,
        Format::SlurmConf => slurm::read_conf,
        Format::SlurmYaml => slurm::read_yaml,
        Format::AstraSim => astra_sim::read,
        Format::Hwloc => hwloc::read,
        Format::SimGrid => simgrid::read,
        Format::Rocm => rocm::read,
        Format::GpuMatrix => gpu_matrix::read,
        Format::Edges => edges::read,
        Format::Unread(unread) => {
            let names: Vec<&str> = Format::all().map(Format::name).collect();
            return Err(source.error_in_file(unread.mistake(&names.join(", "))));
        }
    };
    import(&source, read, format, options)
}

/// The speed of merges of a matrix with units, as text for messages.
pub fn merges_of_a_matrix() -> String {
    format!(
        "every processor combines values at {DEFAULT_MERGE_RATE} GB/s: the file does not say how fast; --work 0 leaves merges out"
    )
}

/// A platform that is complete: options add nothing.
fn plain(
    name: &str,
    platform: Platform,
    format: Format,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    if *options != ImportOptions::default() {
        let text = format!(
            "is a {}, which says everything itself; leave out the options for topologies",
            format.about()
        );
        return Err(FormatError::new(name, None, None, said(text)));
    }
    Ok(Imported::plain(platform, format))
}

/// Puts the contents of a file into a draft.
type Importer = fn(&Source<'_>, &mut Draft<'_>) -> Result<(), FormatError>;

fn import(
    source: &Source<'_>,
    read: Importer,
    format: Format,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    let mut draft = Draft::new(options);
    read(source, &mut draft)?;
    if let Some(order) = &options.replicate {
        replicate::replicate(&mut draft, order).map_err(|mistake| source.error_in_file(mistake))?;
    }
    cards::note(&mut draft).map_err(|mistake| source.error_in_file(mistake))?;
    draft.finish(source, format)
}
