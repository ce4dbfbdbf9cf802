//! The tables of `rocm-smi --showtopo`: what connects every two GPUs of a machine.
//!
//! GPUs are processors. Pairs of link type XGMI with the least weight (15 for one hop) have a direct link; where the
//! weights are absent, all pairs of that type. Every GPU also hangs on its NUMA node by PCI. With the table of
//! bandwidths (`--shownodesbw`, MB/s) the links of its pairs have these bandwidths.
//!
//! Facts from ROCm/rocm-systems issue 5763 and pull request 7372 (weights, hops) and outputs shown in
//! ROCm/rocm_smi_lib issue 108.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use num_traits::{Signed, Zero};
use oneport_platform::{Rational, parse_rational};

use super::Draft;
use super::draft::Role;
use super::imported::Topic;
use super::pci_tree::{Near, PciTree};
use crate::error::{FormatError, Mistake, clip};
use crate::source::Source;

/// Most GPUs: a machine has some sixteen.
const MAX_DEVICES: usize = 500;
/// The weight of one hop over xGMI.
const ONE_HOP: u32 = 15;

/// Cells of a table by its row and column.
type Table<'a> = BTreeMap<(u64, u64), (&'a str, usize)>;

#[derive(Default)]
struct Tables<'a> {
    weights: Table<'a>,
    types: Table<'a>,
    bandwidths: Table<'a>,
    numa: BTreeMap<u64, &'a str>,
}

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let tables = tables(source)?;
    let in_file = |mistake| source.error_in_file(mistake);
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    for &(gpu, _) in tables.types.keys() {
        if let Entry::Vacant(place) = places.entry(gpu) {
            place.insert(nodes.len());
            let node = draft.node(format!("gpu{gpu}"), "GPU", Role::Processor).map_err(in_file)?;
            draft.device(node, 0, gpu, None);
            nodes.push(node);
        }
    }
    if nodes.is_empty() || nodes.len() > MAX_DEVICES {
        let text =
            "there is no table 'Link Type between two GPUs' of 1 to 500 GPUs; give what `rocm-smi --showtopo` prints";
        return Err(in_file(Mistake::Import(text.to_string())));
    }
    add_xgmi(source, draft, &tables, &places, &nodes)?;
    let mut tree = PciTree::new(nodes.len());
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    for (gpu, &place) in &places {
        let numa = tables.numa.get(gpu).copied().unwrap_or_default();
        tree.join(*firsts.entry(numa).or_insert(place), place, Near::Numa);
    }
    if tables.numa.is_empty() {
        draft.note(Topic::Assumed, "one NUMA node: the file lists none");
    }
    tree.add(draft, &nodes).map_err(in_file)
}

fn add_xgmi(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    tables: &Tables<'_>,
    places: &BTreeMap<u64, usize>,
    nodes: &[usize],
) -> Result<(), FormatError> {
    for (&(one, other), &(kind, offset)) in &tables.types {
        let at = |mistake| source.error(offset, Some(format!("GPU{one}, GPU{other}")), mistake);
        if one == other {
            continue;
        }
        let node = |gpu: u64| places.get(&gpu).and_then(|&place| nodes.get(place)).copied();
        let (Some(from), Some(to)) = (node(one), node(other)) else {
            let text = format!("GPU{other} has a column and no row; the tables are cut off");
            return Err(at(Mistake::Import(text)));
        };
        match kind {
            "XGMI" => {}
            "PCIE" | "N/A" => continue,
            // The text of rocm-smi for a type that it does not know.
            "XXXX" => {
                draft.note(Topic::Assumed, "pairs of link type XXXX have no separate link");
                continue;
            }
            _ => {
                let expected = "XGMI, PCIE, XXXX or N/A, a type of links".into();
                return Err(at(Mistake::WrongValue { value: clip(kind), expected }));
            }
        }
        if !direct(tables, (one, other)).map_err(at)? {
            draft.note(Topic::LeftOut, "xGMI over several hops: pairs of a weight over 15 have no separate link");
            continue;
        }
        let rate = match tables.bandwidths.get(&(one, other)) {
            Some(&(text, offset)) => {
                let key = Some(format!("GPU{one}, GPU{other}"));
                let stated = megabytes(text).map_err(|mistake| source.error(offset, key, mistake))?;
                match stated {
                    Some(stated) => draft.stated("xgmi", stated),
                    None => continue,
                }
            }
            None => {
                let what = "per pair of GPUs, one link of MI300, RCCL's table; the file does not say which GPU or how \
                            many links (MI200: 36 each, MI100 and older: 24)";
                draft.rate("xgmi", Rational::from_integer(48.into()), what)
            }
        };
        draft.link(from, to, "xgmi", rate).map_err(at)?;
    }
    Ok(())
}

/// Whether a pair has the weight of one hop, or no weight at all.
fn direct(tables: &Tables<'_>, pair: (u64, u64)) -> Result<bool, Mistake> {
    match tables.weights.get(&pair) {
        None => Ok(true),
        Some((text, _)) => match text.parse::<u32>() {
            Ok(weight) => Ok(weight <= ONE_HOP),
            Err(_) => Err(Mistake::WrongValue { value: clip(text), expected: "a weight, such as 15".into() }),
        },
    }
}

/// `50000-100000` in MB/s: the largest. `None` for N/A and 0: there is no link.
fn megabytes(text: &str) -> Result<Option<Rational>, Mistake> {
    if text == "N/A" {
        return Ok(None);
    }
    let most = text.rsplit('-').next().unwrap_or(text);
    let value = parse_rational(most)?;
    if value.is_negative() {
        return Err(Mistake::NotPositive { what: "a bandwidth", value: clip(text) });
    }
    Ok((!value.is_zero()).then(|| value / Rational::from_integer(1000.into())))
}

fn tables<'a>(source: &Source<'a>) -> Result<Tables<'a>, FormatError> {
    let mut tables = Tables::default();
    let mut title = "";
    let mut columns: Vec<u64> = Vec::new();
    for line in source.text.lines() {
        let offset = source.offset_of(line);
        if line.trim_start().starts_with("==") {
            title = line.trim_matches(|c: char| c == '=' || c.is_whitespace());
            columns.clear();
            continue;
        }
        if let Some((gpu, numa)) = line.split_once("(Topology) Numa Node:") {
            // `GPU[0]`, before ROCm 5 `GPU 0`.
            let digits = gpu.trim_matches(|c: char| !c.is_ascii_digit());
            if let Some(number) =
                Some(digits).filter(|_| gpu.trim_start().starts_with("GPU")).and_then(|n| n.parse().ok())
            {
                tables.numa.insert(number, numa.trim());
            }
            continue;
        }
        let table = match title {
            "Weight between two GPUs" => &mut tables.weights,
            "Link Type between two GPUs" => &mut tables.types,
            _ if title.starts_with("Bandwidth") => &mut tables.bandwidths,
            _ => continue,
        };
        let words: Vec<&str> = line.split_whitespace().take(MAX_DEVICES + 2).collect();
        let number = |word: &str| word.strip_prefix("GPU").and_then(|digits| digits.parse::<u64>().ok());
        let Some((row, cells)) = words.split_first().and_then(|(first, cells)| Some((number(first)?, cells))) else {
            continue;
        };
        if columns.is_empty() {
            columns = words.iter().filter_map(|word| number(word)).collect();
            continue;
        }
        if cells.len() != columns.len() {
            let text = format!("{} cells, and {} columns; the table is cut off", cells.len(), columns.len());
            return Err(source.error(offset, Some(format!("GPU{row}")), Mistake::Import(text)));
        }
        for (&column, cell) in columns.iter().zip(cells) {
            if table.insert((row, column), (cell, offset)).is_some() {
                let mistake = Mistake::DuplicateKey(format!("GPU{row}, GPU{column}"));
                return Err(source.error(offset, None, mistake));
            }
        }
    }
    Ok(tables)
}
