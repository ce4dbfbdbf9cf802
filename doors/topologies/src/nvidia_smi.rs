//! The table of `nvidia-smi topo -m`: the connections of every two GPUs and network cards of a machine.
//!
//! GPUs are processors. `NV#` is a number of NVLinks between two GPUs. `PIX`, `PXB`, `PHB`, `NODE`, `SYS` give the PCI
//! tree: one switch, several switches, a NUMA node, the machine. NVLinks hide the PCI path between two GPUs, so the
//! column `NUMA Affinity` (else `CPU Affinity`) gives the GPUs that share a NUMA node.
//!
//! Facts from the legend that the command prints itself.

use std::borrow::Cow;
use std::collections::BTreeMap;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::whole;

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected};
use crate::pci_tree::{Near, PciTree};
use crate::smi_gpus::Gpus;

/// Limit on devices: a machine has some twenty.
const MAX_DEVICES: usize = 500;
/// Limit on the NVLinks of any GPU (H100 to B300).
const MAX_NVLINKS: u32 = 18;

/// Bytes of the longest cell: `NODE`, `NV18`.
const LONGEST_CELL: usize = 5;
/// The word after the labels.
const AFFINITY: &str = "CPU";
/// Cells of another table of the same command.
const P2P: [&str; 6] = ["OK", "NS", "CNS", "GNS", "TNS", "DR"];

/// The refusal of lines that do not fit one another.
const WRAPPED: &str = "the table was cut or wrapped, as by a narrow terminal; give what `nvidia-smi topo -m > FILE` writes";

/// A row of the table.
struct TopologyRow<'a> {
    offset: usize,
    cells: Vec<Cow<'a, str>>,
    /// The words after the cells: affinities.
    rest: Vec<Cow<'a, str>>,
}

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let (labels, rows) = table(source, draft)?;
    let legend = legend(source.text);
    let mut nodes = Vec::with_capacity(labels.len());
    for (label, row) in labels.iter().zip(&rows) {
        let located = |mistake| source.error(row.offset, Some(clip(label)), mistake);
        let gpu = gpu_number(label);
        let (kind, role) = if gpu.is_some() {
            ("GPU", Role::Processor)
        } else {
            ("network card", Role::Switch)
        };
        let node = draft
            .node(label.to_ascii_lowercase(), kind, role)
            .map_err(located)?;
        match gpu {
            Some(number) => draft.device(node, 0, number, None),
            None => match legend.get(label.as_ref()) {
                Some(&name) => {
                    draft.also(node, name);
                    draft.named_port(node, None, name);
                }
                None => draft.port(node, None),
            },
        }
        nodes.push(node);
    }
    let mut tree = PciTree::new(labels.len());
    let mut nvlinks = BTreeMap::new();
    for (one, row) in rows.iter().enumerate() {
        for (other, cell) in row.cells.iter().enumerate() {
            let label = |index: usize| labels.get(index).map_or("", |label| label);
            let key = || Some(format!("{}, {}", label(one), label(other)));
            match relation(cell) {
                Some(Relation::Own) if one == other => {}
                Some(Relation::Near(near)) if one != other => tree.join(one, other, near),
                Some(Relation::Far) if one != other => {}
                Some(Relation::NvLinks(count)) if one != other => {
                    nvlinks.insert((one, other), count);
                }
                _ if P2P.contains(&cell.as_ref()) => {
                    let text = "this table says which GPUs reach one another (`nvidia-smi topo -p2p`), not over what; give \
                                `nvidia-smi topo -m`";
                    return Err(source.error(row.offset, key(), said(text)));
                }
                _ => {
                    let expected = "what the legend knows: X on the diagonal, else NV1, NV2, ..., PIX, PXB, PHB, NODE or SYS";
                    let mistake = unexpected(format!("'{}'", clip(cell)), expected);
                    return Err(source.error(row.offset, key(), mistake));
                }
            }
        }
    }
    join_affine(&rows, &mut tree, draft);
    let widest = nvlinks.values().max().copied().unwrap_or(0);
    let sum = most_of_one(&nvlinks);
    let gpus = Gpus::of(source.text, sum, widest, coherent(&labels, &rows));
    add_nvlinks(draft, &nodes, &nvlinks, &gpus).map_err(|mistake| source.error_in_file(mistake))?;
    tree.add(draft, &nodes, &gpus)
        .map_err(|mistake| source.error_in_file(mistake))
}

/// The greatest number of NVLinks of any GPU: those to all others together, or those to NVSwitches.
fn most_of_one(nvlinks: &BTreeMap<(usize, usize), u32>) -> u32 {
    let mut sums: BTreeMap<usize, u32> = BTreeMap::new();
    for (&(one, _), &count) in nvlinks {
        let sum = sums.entry(one).or_default();
        *sum = sum.saturating_add(count);
    }
    let sum = sums.values().max().copied().unwrap_or(0);
    if sum > MAX_NVLINKS {
        nvlinks.values().max().copied().unwrap_or(0)
    } else {
        sum
    }
}

/// Whether the memory of every GPU is a NUMA node, as with Grace: the third word after the cells is its number.
fn coherent(labels: &[Cow<'_, str>], rows: &[TopologyRow<'_>]) -> bool {
    let mut gpus = labels
        .iter()
        .zip(rows)
        .filter(|(label, _)| gpu_number(label).is_some());
    gpus.all(|(_, row)| {
        let last = row.rest.get(2).and_then(|text| text.parse::<u32>().ok());
        last.is_some()
    })
}

/// The names of network cards below the table: `NIC0: mlx5_0`.
fn legend(text: &str) -> BTreeMap<&str, &str> {
    let named = |line| -> Option<(&str, &str)> {
        let (label, name) = str::split_once(line, ':')?;
        let (label, name) = (label.trim(), name.trim());
        let digits = label.strip_prefix("NIC")?;
        let fits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let plain = !name.is_empty() && !name.contains(char::is_whitespace);
        (fits && plain && name.len() <= 60).then_some((label, name))
    };
    text.lines().filter_map(named).take(MAX_DEVICES).collect()
}

enum Relation {
    Own,
    Near(Near),
    Far,
    NvLinks(u32),
}

fn relation(cell: &str) -> Option<Relation> {
    Some(match cell {
        "X" => Relation::Own,
        "PIX" => Relation::Near(Near::Switch),
        "PXB" => Relation::Near(Near::Switches),
        "PHB" | "NODE" => Relation::Near(Near::Numa),
        // No peer access, or none recorded: the pair has only the machine in common.
        "SYS" | "SOC" | "N/A" => Relation::Far,
        _ => match cell.strip_prefix("NV")?.parse() {
            Ok(count @ 1..=1000) => Relation::NvLinks(count),
            _ => return None,
        },
    })
}

fn gpu_number(label: &str) -> Option<u64> {
    label.strip_prefix("GPU")?.parse().ok()
}

/// A line: its offset and its words.
type Line<'a> = (usize, Vec<Cow<'a, str>>);

/// The lines from the head of the first table of connections to the next head.
fn chosen_table<'a>(source: &Source<'a>, draft: &mut Draft<'_>) -> Vec<Line<'a>> {
    let mut tables: Vec<Vec<Line<'a>>> = Vec::new();
    for line in source.text.lines() {
        let line = (source.offset_of(line), words(line));
        // A second head without a row between is the rest of the first.
        let goes_on = matches!(tables.last().map(Vec::as_slice), Some([_]));
        if is_head(&line.1) && !goes_on {
            tables.push(vec![line]);
        } else if let Some(table) = tables.last_mut() {
            table.push(line);
        }
    }
    if tables.len() > 1 {
        let text = format!(
            "{} of {} tables: the first that says connections is read",
            tables.len() - 1,
            tables.len()
        );
        draft.note(Topic::LeftOut, text);
    }
    let says_reach = |table: &Vec<Line<'_>>| {
        let mut cells = table.iter().flat_map(|(_, words)| words.iter().skip(1));
        cells.any(|cell| *cell == "OK")
    };
    let chosen = tables.iter().position(|table| !says_reach(table));
    if tables.is_empty() {
        return Vec::new();
    }
    tables.swap_remove(chosen.unwrap_or(0))
}

/// Labels in their order, and a row for each.
fn table<'a>(
    source: &Source<'a>,
    draft: &mut Draft<'_>,
) -> Result<(Vec<Cow<'a, str>>, Vec<TopologyRow<'a>>), FormatError> {
    let mut labels: Vec<Cow<'a, str>> = Vec::new();
    let mut rows: BTreeMap<Cow<'a, str>, TopologyRow<'a>> = BTreeMap::new();
    // Whether no blank line has ended the rows.
    let mut open = true;
    for (offset, words) in &chosen_table(source, draft) {
        let Some((first, others)) = words.split_first() else {
            open &= rows.is_empty();
            continue;
        };
        if labels.is_empty() {
            labels = head(words);
            if labels.len() > MAX_DEVICES {
                let mistake = too_many("devices", MAX_DEVICES, "give one machine");
                return Err(source.error_in_file(mistake));
            }
            continue;
        }
        let is_row = others.first().is_some_and(|word| is_cell(word));
        let refuse = |text: String| Err(source.error(*offset, Some(clip(first)), said(text)));
        match labels.contains(first) {
            true if open || is_row => {}
            false if is_row && !is_cell(first) => {
                return refuse(format!("this row has no column in the head: {WRAPPED}"));
            }
            false if open && (rows.is_empty() || words.iter().all(|word| is_rest(word))) => {
                return refuse(format!("this line goes on with the one above: {WRAPPED}"));
            }
            _ => continue,
        }
        let row = row(*offset, others, labels.len());
        if row.cells.len() < labels.len() {
            let (has, needs) = (row.cells.len(), labels.len());
            let label = clip(first);
            let text = format!(
                "the row of {label} is missing or cut off: {has} cells for {needs} devices"
            );
            return refuse(format!("{text}: {WRAPPED}"));
        }
        if row
            .rest
            .first()
            .is_some_and(|word| word != "N/A" && is_cell(word))
        {
            return refuse(format!(
                "this row has more cells than the head has devices: {WRAPPED}"
            ));
        }
        if rows.insert(first.clone(), row).is_some() {
            return Err(source.error(*offset, None, Mistake::DuplicateKey(clip(first))));
        }
    }
    if labels.is_empty() {
        let text = "there is no head line GPU0 GPU1 ...; give what `nvidia-smi topo -m` prints";
        return Err(source.error_in_file(said(text)));
    }
    check_legend(source, draft, &labels)?;
    mirror(&labels, &mut rows, draft);
    let mut ordered = Vec::with_capacity(labels.len());
    for label in &labels {
        ordered.push(rows.remove(label).ok_or_else(|| {
            let text = format!(
                "the row of {} is missing or cut off; it has a cell for each of {}",
                clip(label),
                labels.len()
            );
            source.error_in_file(said(format!("{text} devices")))
        })?);
    }
    Ok((labels, ordered))
}

/// Cards of the legend that have no column.
fn check_legend(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    labels: &[Cow<'_, str>],
) -> Result<(), FormatError> {
    let legend = legend(source.text);
    let Some(card) = legend
        .keys()
        .find(|card| !labels.iter().any(|label| label == *card))
    else {
        return Ok(());
    };
    let text = format!("{card} is in the legend and has no column");
    if labels.iter().any(|label| label.starts_with("NIC")) {
        return Err(source.error_in_file(said(format!("{text}: {WRAPPED}"))));
    }
    draft.note(Topic::LeftOut, text);
    Ok(())
}

/// Whether a word is one or several cells.
fn is_cell(word: &str) -> bool {
    P2P.contains(&word) || cells(word, MAX_DEVICES).is_some()
}

/// Whether a word may be the rest of cells and affinities: `18`, `DE`, `32-63,96-127`, `N/A`.
fn is_rest(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-,/".contains(c);
    word.chars().all(fits)
}

/// Whether a line names the columns.
fn is_head(words: &[Cow<'_, str>]) -> bool {
    let begins = |word: &Cow<'_, str>| {
        let word = word.strip_suffix(AFFINITY).unwrap_or(word);
        gpu_number(word).is_some()
    };
    let second = words.get(1).is_none_or(|word| !is_cell(word));
    second && words.first().is_some_and(begins)
}

/// The labels of a head line, up to `CPU Affinity`, which may be glued to the last.
fn head<'a>(words: &[Cow<'a, str>]) -> Vec<Cow<'a, str>> {
    let mut labels = Vec::new();
    for word in words.iter().take_while(|word| *word != AFFINITY) {
        match word.strip_suffix(AFFINITY) {
            Some(glued) => {
                labels.push(Cow::Owned(glued.to_string()));
                break;
            }
            None => labels.push(word.clone()),
        }
    }
    labels
}

/// Splits words into `columns` cells and the rest. If columns were squeezed, two cells may be in one word: `NODENODE`.
fn row<'a>(offset: usize, words: &[Cow<'a, str>], columns: usize) -> TopologyRow<'a> {
    let mut row = TopologyRow {
        offset,
        cells: Vec::with_capacity(columns),
        rest: Vec::new(),
    };
    for word in words {
        if row.cells.len() == columns {
            row.rest.push(word.clone());
            continue;
        }
        if relation(word).is_some() {
            row.cells.push(word.clone());
            continue;
        }
        match cells(word, columns - row.cells.len()) {
            Some(cells) => row.cells.extend(cells.into_iter().map(Cow::Owned)),
            _ if row.cells.len() + 1 == columns => match glued(word, &row.cells) {
                Some((cell, affinity)) => {
                    row.cells.push(Cow::Owned(cell));
                    row.rest.push(Cow::Owned(affinity));
                }
                None => row.cells.push(word.clone()),
            },
            _ => row.cells.push(word.clone()),
        }
    }
    row
}

/// The last cell and the affinity that is glued to it: `NV120-31`. A number of NVLinks that another cell of the row has
/// takes precedence, then the largest that a GPU can have.
fn glued(word: &str, others: &[Cow<'_, str>]) -> Option<(String, String)> {
    let rest_of = |end: usize| {
        let (cell, rest) = word.split_at_checked(end)?;
        let is_list = rest.contains('-')
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_digit() || "-,".contains(c));
        (relation(cell).is_some() && is_list).then(|| (cell.to_string(), rest.to_string()))
    };
    let ends = 1..word.len().min(LONGEST_CELL);
    let mut splits: Vec<(String, String)> = ends.filter_map(rest_of).collect();
    splits.retain(|(cell, _)| {
        let count = cell
            .strip_prefix("NV")
            .and_then(|count| count.parse::<u32>().ok());
        count.is_none_or(|count| count <= MAX_NVLINKS)
    });
    let known = splits
        .iter()
        .position(|(cell, _)| others.iter().any(|other| other == cell));
    match known {
        Some(at) => Some(splits.swap_remove(at)),
        None => splits.pop(),
    }
}

/// The cells that a word consists of. `None` if it has more than `most`, or is not a sequence of cells.
fn cells(word: &str, most: usize) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        if cells.len() == most {
            return None;
        }
        let known = ["NODE", "SYS", "SOC", "PIX", "PXB", "PHB", "N/A", "X"]
            .iter()
            .find(|name| rest.starts_with(**name));
        let length = match known {
            Some(name) => name.len(),
            None => {
                let digits = rest.strip_prefix("NV")?;
                2 + digits.len()
                    - digits
                        .trim_start_matches(|c: char| c.is_ascii_digit())
                        .len()
            }
        };
        let (cell, behind) = rest.split_at_checked(length)?;
        relation(cell)?;
        cells.push(cell.to_string());
        rest = behind;
    }
    Some(cells)
}

/// The table is symmetric: rows of network cards that were left out follow from their columns.
fn mirror<'a>(
    labels: &[Cow<'a, str>],
    rows: &mut BTreeMap<Cow<'a, str>, TopologyRow<'a>>,
    draft: &mut Draft<'_>,
) {
    let missing: Vec<(usize, &Cow<'a, str>)> = labels
        .iter()
        .enumerate()
        .filter(|(_, label)| !rows.contains_key(*label))
        .collect();
    if missing.is_empty() || missing.iter().any(|(_, label)| gpu_number(label).is_some()) {
        return;
    }
    draft.note(
        Topic::Assumed,
        "network cards without a row share nothing with one another: their columns alone are given",
    );
    for (index, missing) in missing {
        let mut cells = Vec::with_capacity(labels.len());
        for (other, label) in labels.iter().enumerate() {
            let mirrored = rows
                .get(label)
                .and_then(|row| row.cells.get(index))
                .cloned();
            cells.push(if other == index {
                Cow::Borrowed("X")
            } else {
                mirrored.unwrap_or(Cow::Borrowed("SYS"))
            });
        }
        let row = TopologyRow {
            offset: 0,
            cells,
            rest: Vec::new(),
        };
        rows.insert(missing.clone(), row);
    }
}

/// The words of a line without the control sequences that underline the head.
fn words(line: &str) -> Vec<Cow<'_, str>> {
    line.split_whitespace()
        .filter_map(|word| {
            if !word.contains('\u{1b}') {
                return Some(Cow::Borrowed(word));
            }
            let mut parts = word.split('\u{1b}');
            let mut plain = parts.next().unwrap_or_default().to_string();
            for part in parts {
                plain.push_str(
                    part.find('m')
                        .and_then(|end| part.get(end + 1..))
                        .unwrap_or_default(),
                );
            }
            (!plain.is_empty()).then_some(Cow::Owned(plain))
        })
        // Affinities follow the cells.
        .take(MAX_DEVICES + 10)
        .collect()
}

/// GPUs of one NUMA node, else of the same processors, share a NUMA node.
fn join_affine<'a>(rows: &[TopologyRow<'a>], tree: &mut PciTree, draft: &mut Draft<'_>) {
    let numa = |row: &TopologyRow<'a>| {
        let text = row.rest.get(1);
        text.filter(|text| text.parse::<u32>().is_ok()).cloned()
    };
    let cpus = |row: &TopologyRow<'a>| row.rest.first().filter(|text| *text != "N/A").cloned();
    let by_numa = rows.iter().any(|row| numa(row).is_some());
    let mut firsts: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let name = if by_numa { numa(row) } else { cpus(row) };
        let Some(name) = name else { continue };
        let first = *firsts.entry(name).or_insert(index);
        if first != index {
            tree.join(first, index, Near::Numa);
        }
    }
    let text = if firsts.is_empty() {
        "the table has no affinities of GPUs: no two share a NUMA node unless a PCI path of the table joins them"
    } else {
        "GPUs of the same affinity share a NUMA node"
    };
    draft.note(Topic::Assumed, text);
}

/// Direct links, unless a GPU would have more than any has: then they lead to NVSwitches.
fn add_nvlinks(
    draft: &mut Draft<'_>,
    nodes: &[usize],
    nvlinks: &BTreeMap<(usize, usize), u32>,
    gpus: &Gpus,
) -> Result<(), Mistake> {
    let Some(most) = nvlinks.values().max() else {
        return Ok(());
    };
    let (rate, what) = gpus.nvlink();
    let each = draft.rate("nvlink", rate, &what);
    let rate = |count: u32| &each * whole(count);
    let mut totals: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    for (&(one, _), &count) in nvlinks {
        let (sum, largest) = totals.entry(one).or_default();
        *sum = sum.saturating_add(count);
        *largest = (*largest).max(count);
    }
    let switched = totals.values().any(|&(sum, _)| sum > MAX_NVLINKS);
    if switched {
        let text = format!(
            "NVLinks lead to NVSwitches, all of which are one: {most} to every other GPU would be more than the \
             {MAX_NVLINKS} of any GPU"
        );
        draft.note(Topic::Merged, text);
        if *most == MAX_NVLINKS {
            draft.note_nvls();
        }
        let switch = draft.node("nvswitch", "NVSwitch", Role::Multicast)?;
        for (&one, &(_, count)) in &totals {
            let Some(&node) = nodes.get(one) else {
                continue;
            };
            draft.duplex(node, switch, "nvlink", rate(count))?;
        }
        return Ok(());
    }
    draft.note(Topic::Assumed, "NVLinks lead straight to the other GPU");
    for (&(one, other), &count) in nvlinks {
        let (Some(&from), Some(&to)) = (nodes.get(one), nodes.get(other)) else {
            continue;
        };
        draft.link(from, to, "nvlink", rate(count))?;
    }
    Ok(())
}
