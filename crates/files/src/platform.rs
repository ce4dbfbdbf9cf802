//! Platform files of every format: reading, writing.

use std::path::Path;

use oneport_platform::Platform;

use crate::error::{FormatError, Mistake};
use crate::platform_format::PlatformFormat;
use crate::source::{Source, read_bytes};
use crate::topologies::{self, ImportOptions, Imported};
use crate::{gml, matrix, native, tiers_json};

/// Most bytes of a platform file.
pub const MAX_PLATFORM_BYTES: u64 = 64 << 20;

/// Reads a platform file of any format.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_PLATFORM_BYTES`]; else as [`parse_platform`].
pub fn read_platform(path: &Path) -> Result<Platform, FormatError> {
    Ok(read_topology(path, None, &ImportOptions::default())?.platform)
}

/// Reads a platform file of a format that the caller names.
///
/// # Errors
/// As [`read_platform`].
pub fn read_platform_as(path: &Path, format: PlatformFormat) -> Result<Platform, FormatError> {
    Ok(read_topology(path, Some(format), &ImportOptions::default())?.platform)
}

/// Reads a platform file, or a topology that another program wrote: in the given format, else in the format that its
/// name and content indicate. The options give what the file leaves open; the result includes notes on how it was read.
///
/// # Errors
/// As [`read_platform`], and options that do not fit the file.
pub fn read_topology(
    path: &Path,
    format: Option<PlatformFormat>,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    let bytes = read_bytes(path, MAX_PLATFORM_BYTES)?;
    let format = format.unwrap_or_else(|| PlatformFormat::detect(path, &bytes));
    parse_topology(&path.display().to_string(), &bytes, format, options)
}

/// Reads a platform from bytes; `name` is the file's name in messages. Time and memory are linear in the bytes
/// (times the logarithm of the number of nodes and links).
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn parse_platform(name: &str, bytes: &[u8], format: PlatformFormat) -> Result<Platform, FormatError> {
    Ok(parse_topology(name, bytes, format, &ImportOptions::default())?.platform)
}

/// As [`read_topology`], from bytes.
///
/// # Errors
/// As [`parse_platform`], and options that do not fit the file.
pub fn parse_topology(
    name: &str,
    bytes: &[u8],
    format: PlatformFormat,
    options: &ImportOptions,
) -> Result<Imported, FormatError> {
    if bytes.len() as u64 > MAX_PLATFORM_BYTES {
        return Err(FormatError::new(name, None, None, Mistake::TooLarge { limit: MAX_PLATFORM_BYTES }));
    }
    let source = Source::new(name, bytes, "a platform")?;
    match reader(format, options) {
        Reader::Platform(read) => topologies::plain(&source, read(source)?, format, options),
        Reader::Topology(read) => topologies::import(&source, read, format, options),
    }
}

/// How a format is read: as a platform that says everything, or as a topology of another program.
enum Reader {
    Platform(fn(Source<'_>) -> Result<Platform, FormatError>),
    Topology(topologies::Importer),
}

/// The list of readers.
fn reader(format: PlatformFormat, options: &ImportOptions) -> Reader {
    use Reader::{Platform, Topology};
    match format {
        PlatformFormat::Toml => Platform(native::read_toml),
        PlatformFormat::Json => Platform(native::read_json),
        PlatformFormat::Matrix => Platform(matrix::read),
        PlatformFormat::Gml if options.capacity.is_some() || options.capacity_default.is_some() => {
            Topology(gml::read_graph)
        }
        PlatformFormat::Gml => Platform(gml::read),
        PlatformFormat::Joined => Platform(tiers_json::read),
        PlatformFormat::Nccl => Topology(topologies::read_nccl),
        PlatformFormat::NvidiaSmi => Topology(topologies::read_nvidia_smi),
        PlatformFormat::NodeLink => Topology(topologies::read_node_link),
        PlatformFormat::GraphMl => Topology(topologies::read_graphml),
        PlatformFormat::Dot => Topology(topologies::read_dot),
        PlatformFormat::IbNetDiscover => Topology(topologies::read_ibnetdiscover),
        PlatformFormat::IbLinkInfo => Topology(topologies::read_iblinkinfo),
        PlatformFormat::SlurmConf => Topology(topologies::read_slurm_conf),
        PlatformFormat::SlurmYaml => Topology(topologies::read_slurm_yaml),
        PlatformFormat::AstraSim => Topology(topologies::read_astra_sim),
        PlatformFormat::Hwloc => Topology(topologies::read_hwloc),
        PlatformFormat::SimGrid => Topology(topologies::read_simgrid),
    }
}

/// The text of a platform file. Read back from TOML or JSON, it equals the platform; from a matrix, up to the order of
/// the links.
///
/// # Errors
/// A format that is only read, or that cannot say what the platform says: the reason, by name.
pub fn write_platform(platform: &Platform, format: PlatformFormat) -> Result<String, FormatError> {
    match format {
        PlatformFormat::Toml => native::write_toml(platform),
        PlatformFormat::Json => native::write_json(platform),
        PlatformFormat::Matrix => matrix::write(platform),
        _ => {
            let why = "this format is only read".to_string();
            let mistake = Mistake::Unsupported { format: format.name(), why };
            Err(FormatError::new("the platform", None, None, mistake))
        }
    }
}
