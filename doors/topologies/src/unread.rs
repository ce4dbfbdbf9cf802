//! Files that are recognised and hold no platform, or not enough of one: their name, and the input to give instead.

use oneport_files::error::Mistake;

use crate::mistakes::said;

/// A file that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unread {
    /// The table of `npu-smi info -t topo`.
    NpuSmi,
    /// A log of `NCCL_DEBUG`.
    NcclLog,
    /// Output of nccl-tests, the OSU benchmarks or the Intel MPI Benchmarks.
    Measurements,
    /// Output of `nvidia-smi` without `topo -m`.
    NvidiaSmi,
    /// Output of `nvidia-smi nvlink --status`.
    NvLinkStatus,
    /// JSON of `rocm-smi` or `amd-smi`.
    AmdJson,
    /// JSON of `nvbandwidth`.
    NvBandwidthJson,
    /// Output of `iperf`, `ib_write_bw` or a similar program for one pair.
    OnePair,
    /// A file of an unknown kind.
    Unknown,
}

impl Unread {
    /// The name of the file, and the input to give instead. `formats` lists the names of the known formats.
    pub(crate) fn mistake(self, formats: &str) -> Mistake {
        let pairs = "a list of links (src,dst,Gbit/s) or a matrix of bandwidths";
        said(match self {
            Unread::NpuSmi => format!(
                "is the table of npu-smi info -t topo: it says which NPUs HCCS joins, not how fast; give {pairs}, as hccn_tool \
                 or hccl_test measure them"
            ),
            Unread::NcclLog => "is a log of NCCL_DEBUG; give the dump that NCCL or RCCL writes where NCCL_TOPO_DUMP_FILE=topo.xml \
                                is set, or the table of nvidia-smi topo -m"
                .to_string(),
            Unread::Measurements => "holds measurements of collectives, not a platform; give it with --measured beside a \
                                     platform, such as a dump of NCCL (NCCL_TOPO_DUMP_FILE=topo.xml)"
                .to_string(),
            Unread::NvidiaSmi => {
                "is output of nvidia-smi that names no connections; give what `nvidia-smi topo -m` prints".to_string()
            }
            Unread::NvLinkStatus => "is the output of nvidia-smi nvlink: it does not say where the links lead; give what \
                                     `nvidia-smi topo -m` prints, with --link-bandwidth nvlink=RATE"
                .to_string(),
            Unread::AmdJson => {
                "is JSON of rocm-smi or amd-smi; give the text of `rocm-smi --showtopo` or `amd-smi topology`, or RCCL's dump \
                 (NCCL_TOPO_DUMP_FILE=topo.xml)"
                    .to_string()
            }
            Unread::NvBandwidthJson => {
                "is JSON of nvbandwidth; give the text that it prints without --json".to_string()
            }
            Unread::OnePair => format!("is the bandwidth of one pair of hosts; collect them in {pairs}"),
            Unread::Unknown => {
                format!(
                    "not recognised; the known formats are {formats}; --from FORMAT of inspect and convert names one \
                     (docs/topologies.md)"
                )
            }
        })
    }

    /// The kind of file, by a line that occurs in one kind only. `None` for other lines.
    pub(crate) fn of_line(line: &str) -> Option<Unread> {
        let line = line.trim();
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        let numbered = |prefix: &str| {
            let rest = first.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        Some(match line {
            _ if numbered("NPU") && second == Some("X") => Unread::NpuSmi,
            _ if line.contains("NCCL INFO") || line.contains("NCCL WARN") => Unread::NcclLog,
            _ if line.contains("# nThread ") || line.contains("#wrong") => Unread::Measurements,
            _ if line.contains("# OSU ") && line.contains(" Test") => Unread::Measurements,
            _ if line.contains("# Benchmarking ") => Unread::Measurements,
            _ if line.contains("| NVIDIA-SMI ") => Unread::NvidiaSmi,
            _ if line.starts_with("Link 0: ") && line.ends_with("GB/s") => Unread::NvLinkStatus,
            _ if line.contains(" BW Test") && line.contains("RDMA_") => Unread::OnePair,
            _ if line.starts_with("Client connecting to ") => Unread::OnePair,
            _ if line.starts_with("Connecting to host ") => Unread::OnePair,
            _ => return None,
        })
    }
}
