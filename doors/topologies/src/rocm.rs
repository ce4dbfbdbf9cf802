//! The tables of `rocm-smi --showtopo` and of `amd-smi topology`: the connections of every two GPUs of a machine.
//!
//! GPUs are processors. Pairs of link type XGMI have a direct link if their weight is the least: both commands print
//! one hop for every such pair, and a larger weight if the path leads through other GPUs. amd-smi's table of bandwidths
//! has MB/s of direct pairs. Without it, as in rocm-smi, the user gives the bandwidth (`--link-bandwidth xgmi=RATE`).
//!
//! Facts from ROCm/rocm-systems, `rocm_smi.py`, `amdsmi_commands.py` and issue 5763.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Signed;
use oneport_files::error::{FormatError, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, parse_rational, whole};

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many};
use crate::pci_tree::{Near, PciTree};
use crate::smi_gpus::Gpus;

/// Limit on GPUs: a machine has some twenty.
const MAX_GPUS: usize = 500;

/// The refusal of lines that do not fit one another.
const WRAPPED: &str = "the tables were cut or wrapped, as by a narrow terminal; give what the command writes into a file";

/// The tables by title, each with its rows of cells.
struct Tables<'a> {
    labels: Vec<&'a str>,
    types: BTreeMap<(usize, usize), &'a str>,
    weights: BTreeMap<(usize, usize), u64>,
    /// MB/s.
    rates: BTreeMap<(usize, usize), Rational>,
    /// Per GPU: its NUMA node.
    numa: BTreeMap<usize, &'a str>,
}

/// Reads the output of either.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let tables = Tables::read(source)?;
    let in_file = |mistake| source.error_in_file(mistake);
    if tables.types.is_empty() {
        let text = "there is no table of link types; give what `rocm-smi --showtopo` or `amd-smi topology` prints";
        return Err(in_file(said(text)));
    }
    let mut nodes = Vec::with_capacity(tables.labels.len());
    for number in 0..tables.labels.len() {
        let node = draft.node(format!("gpu{number}"), "GPU", Role::Processor);
        let node = node.map_err(in_file)?;
        draft.device(node, 0, number as u64, None);
        nodes.push(node);
    }
    if tables.labels.iter().any(|label| label.contains(':')) {
        draft.note(
            Topic::Assumed,
            "gpu0, gpu1, ... are the GPUs in the order of the tables",
        );
    }
    tables.add_links(draft, &nodes).map_err(in_file)?;
    let all = nodes.len() * nodes.len().saturating_sub(1);
    let xgmi = tables.direct().len();
    if tables.numa.is_empty() && xgmi == all {
        draft.note(
            Topic::LeftOut,
            "PCI: the tables do not say how the GPUs hang on it",
        );
        return Ok(());
    }
    let mut tree = PciTree::new(nodes.len());
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    for gpu in 0..nodes.len() {
        let numa = tables.numa.get(&gpu).copied().unwrap_or_default();
        let first = *firsts.entry(numa).or_insert(gpu);
        if first != gpu {
            tree.join(first, gpu, Near::Numa);
        }
    }
    if tables.numa.is_empty() {
        let text = "all GPUs share a NUMA node: the tables do not say which";
        draft.note(Topic::Assumed, text);
    }
    tree.add(draft, &nodes, &Gpus::default()).map_err(in_file)
}

impl<'a> Tables<'a> {
    fn read(source: &Source<'a>) -> Result<Self, FormatError> {
        let mut tables = Tables {
            labels: Vec::new(),
            types: BTreeMap::new(),
            weights: BTreeMap::new(),
            rates: BTreeMap::new(),
            numa: BTreeMap::new(),
        };
        let mut title = String::new();
        let mut rows: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for line in source.text.lines() {
            let text = line.trim();
            if text.starts_with("==") || text.ends_with("TABLE:") {
                title = text.to_ascii_lowercase();
                continue;
            }
            if let Some((gpu, numa)) = numa_of(text) {
                tables.numa.insert(gpu, numa);
                continue;
            }
            let words: Vec<&str> = text.split_whitespace().take(MAX_GPUS + 2).collect();
            if words.len() > MAX_GPUS {
                return Err(source.error_in_file(too_many("GPUs", MAX_GPUS, "give one machine")));
            }
            let Some((first, cells)) = words.split_first().filter(|(first, _)| is_gpu(first))
            else {
                continue;
            };
            if words.iter().all(|word| is_gpu(word)) && !words.is_empty() {
                if tables.labels.is_empty() {
                    tables.labels = words;
                } else if tables.labels != words {
                    let text = format!("this head names other GPUs than the first: {WRAPPED}");
                    return Err(source.error(source.offset_of(line), None, said(text)));
                }
                continue;
            }
            if tables.labels.is_empty() {
                continue;
            }
            let Some(row) = tables.labels.iter().position(|label| label == first) else {
                let text = format!("{} has a row and no column: {WRAPPED}", clip(first));
                return Err(source.error(source.offset_of(line), None, said(text)));
            };
            rows.entry(title.clone()).or_default().insert(row);
            if cells.len() != tables.labels.len() {
                let text = format!(
                    "the row of {} has {} cells, and there are {} GPUs: {WRAPPED}",
                    clip(first),
                    cells.len(),
                    tables.labels.len()
                );
                return Err(source.error(source.offset_of(line), None, said(text)));
            }
            tables.take(&title, row, cells);
        }
        let all = tables.labels.len();
        if let Some((title, rows)) = rows.iter().find(|(_, rows)| rows.len() != all) {
            let title = clip(title.trim_matches(['=', ' ', ':']));
            let text = format!("{title}: {} rows for {all} GPUs: {WRAPPED}", rows.len());
            return Err(source.error_in_file(said(text)));
        }
        Ok(tables)
    }

    fn take(&mut self, title: &str, row: usize, cells: &[&'a str]) {
        for (column, cell) in cells
            .iter()
            .enumerate()
            .filter(|(column, _)| *column != row)
        {
            let pair = (row, column);
            if title.contains("link type") {
                self.types.insert(pair, cell);
            } else if title.contains("weight") {
                self.weights
                    .extend(cell.parse().map(|weight| (pair, weight)));
            } else if title.contains("numa bw") {
                let most = cell.rsplit('-').next().unwrap_or_default();
                let rate = parse_rational(most).ok().filter(Rational::is_positive);
                self.rates.extend(rate.map(|rate| (pair, rate)));
            }
        }
    }

    /// The pairs that XGMI joins without a GPU between: those of the least weight, and with a rate if any has one.
    fn direct(&self) -> Vec<(usize, usize)> {
        let is_xgmi = |pair: &(usize, usize)| {
            let kind = self.types.get(pair);
            kind.is_some_and(|kind| kind.eq_ignore_ascii_case("xgmi"))
        };
        let pairs = || self.types.keys().filter(|pair| is_xgmi(pair)).copied();
        let least = pairs().filter_map(|pair| self.weights.get(&pair)).min();
        pairs()
            .filter(|pair| self.weights.get(pair).or(least) == least)
            .filter(|pair| self.rates.is_empty() || self.rates.contains_key(pair))
            .collect()
    }

    fn add_links(
        &self,
        draft: &mut Draft<'_>,
        nodes: &[usize],
    ) -> Result<(), oneport_files::error::Mistake> {
        let direct = self.direct();
        draft.allow("xgmi");
        let given = draft.options.link_bandwidth.get("xgmi").cloned();
        if self.rates.is_empty() && given.is_none() && !direct.is_empty() {
            return Err(said(
                "the tables do not say how fast the XGMI links are; give GB/s between two GPUs, as --link-bandwidth xgmi=48 \
                 (an MI300X, by RCCL's table), or RCCL's dump (NCCL_TOPO_DUMP_FILE=topo.xml)",
            ));
        }
        if given.is_some() {
            let text = "xgmi: the same between every two GPUs that are joined: the tables do not say how many links there are";
            draft.note(Topic::Assumed, text);
        }
        let xgmi = self
            .types
            .values()
            .filter(|kind| kind.eq_ignore_ascii_case("xgmi"));
        let longer = xgmi.count() - direct.len();
        if longer > 0 {
            let text = format!(
                "{longer} pairs of type XGMI whose way leads through another GPU, by their weights or rates"
            );
            draft.note(Topic::LeftOut, text);
        }
        for (one, other) in direct {
            let (Some(&from), Some(&to)) = (nodes.get(one), nodes.get(other)) else {
                continue;
            };
            let stated = self.rates.get(&(one, other));
            let stated = stated.map(|rate| rate / whole(1000));
            let Some(rate) = stated.or_else(|| given.clone()) else {
                continue;
            };
            let rate = draft.stated("xgmi", rate);
            draft.link(from, to, "xgmi", rate)?;
        }
        Ok(())
    }
}

/// `GPU3`, or the PCI address of a GPU.
fn is_gpu(word: &str) -> bool {
    let number = word.strip_prefix("GPU");
    let number =
        number.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    let address = word.bytes().filter(|byte| *byte == b':').count() == 2
        && word
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.');
    number || address
}

/// `GPU[0] : (Topology) Numa Node: 1`: the GPU and its NUMA node.
fn numa_of(text: &str) -> Option<(usize, &str)> {
    let (gpu, node) = text.split_once("Numa Node:")?;
    let digits = gpu.strip_prefix("GPU")?.trim_start_matches(['[', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    Some((digits.get(..end)?.parse().ok()?, node.trim()))
}
