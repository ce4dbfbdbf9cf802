//! Matrices of bandwidths that were measured between the GPUs of a machine: `p2pBandwidthLatencyTest` of NVIDIA's CUDA
//! samples, and `nvbandwidth`.
//!
//! Both print several matrices. Those of one direction count: of p2pBandwidthLatencyTest the first of "P2P=Enabled"
//! (writes, then reads), else of "P2P=Disabled". Of nvbandwidth: `device_to_device_memcpy_` `write_ce`, `read_ce`,
//! `write_sm`, `read_sm`. Pairs were measured one at a time, so a GPU sends to one and receives from one at a time.
//!
//! Facts from NVIDIA/cuda-samples, `p2pBandwidthLatencyTest.cu`, and NVIDIA/nvbandwidth, `testcases.cpp`.

use num_traits::{Signed, Zero};
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{PortModel, Rational, parse_rational};

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected};

/// Limit on GPUs.
const MAX_GPUS: usize = 2000;
/// The tests of nvbandwidth that count, the best first.
const TESTS: [&str; 4] = ["write_ce", "read_ce", "write_sm", "read_sm"];

/// A matrix with its title.
struct Matrix<'a> {
    title: &'a str,
    offset: usize,
    /// The matrix of the smallest value counts. `None` if the matrix does not count.
    preference: Option<usize>,
    /// Whether the row's GPU receives.
    row_receives: bool,
    columns: Vec<&'a str>,
    /// Offset, label and cells.
    rows: Vec<(usize, &'a str, Vec<&'a str>)>,
}

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut matrices = matrices(source)?;
    let numbered = matrices.iter().enumerate();
    let best = numbered
        .filter_map(|(at, matrix)| Some((matrix.preference?, at)))
        .min();
    let Some((_, best)) = best else {
        let text = "no matrix of one direction between GPUs is in it; run p2pBandwidthLatencyTest (Unidirectional ... Matrix \
                    (GB/s)) or nvbandwidth -t device_to_device_memcpy_write_ce";
        return Err(source.error_in_file(said(text)));
    };
    let chosen = matrices.swap_remove(best);
    if !matrices.is_empty() {
        let text = format!("all matrices but '{}'", clip(chosen.title));
        draft.note(Topic::LeftOut, text);
    }
    add(source, draft, &chosen)
}

/// All matrices of GB/s between GPUs.
fn matrices<'a>(source: &Source<'a>) -> Result<Vec<Matrix<'a>>, FormatError> {
    let mut found: Vec<Matrix<'a>> = Vec::new();
    let (mut running, mut open) = ("", false);
    for line in source.text.lines() {
        let text = line.trim();
        if let Some(test) = text.strip_prefix("Running ") {
            running = test.trim_end_matches('.');
        }
        if let Some((preference, row_receives)) = title(text, running) {
            found.push(Matrix {
                title: if running.is_empty() { text } else { running },
                offset: source.offset_of(line),
                preference,
                row_receives,
                columns: Vec::new(),
                rows: Vec::new(),
            });
            open = true;
            continue;
        }
        let Some(matrix) = found.last_mut().filter(|_| open) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().take(MAX_GPUS + 2).collect();
        if words.len() > MAX_GPUS {
            let mistake = too_many("GPUs", MAX_GPUS, "give one machine");
            return Err(source.error(matrix.offset, None, mistake));
        }
        let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        match words.split_first() {
            // The corner `D\D` is there, or is not.
            Some((first, rest)) if matrix.columns.is_empty() => {
                matrix.columns = rest.to_vec();
                if is_number(first) {
                    matrix.columns.insert(0, first);
                }
                open = matrix.columns.iter().all(is_number);
            }
            Some((label, cells)) if is_number(label) => {
                matrix
                    .rows
                    .push((source.offset_of(line), label, cells.to_vec()));
            }
            _ => open = matrix.rows.is_empty() && words.is_empty(),
        }
    }
    Ok(found)
}

/// Reads a title: the preference of its matrix, and whether the row's GPU receives. `None` for other lines.
fn title(text: &str, running: &str) -> Option<(Option<usize>, bool)> {
    if text.contains("directional P2P=") && text.contains("Bandwidth") && text.contains("(GB/s)") {
        let preference = match text {
            _ if !text.starts_with("Unidirectional") => None,
            _ if text.contains("Reads") => Some(1),
            _ if text.contains("P2P=Enabled") => Some(0),
            _ => Some(2),
        };
        return Some((preference, false));
    }
    let between = text.contains("(row)") && text.contains("(column)") && text.contains("(GB/s)");
    if !between {
        return None;
    }
    let one_way =
        text.contains("GPU(row)") && text.contains("GPU(column)") && !text.contains("<->");
    let both = running.contains("bidirectional") || text.contains("Total");
    let test = TESTS.iter().position(|test| running.ends_with(test));
    let preference = test.or(running.is_empty().then_some(TESTS.len()));
    Some((preference.filter(|_| one_way && !both), text.contains("<-")))
}

/// Puts the GPUs and their links into the draft.
fn add(source: &Source<'_>, draft: &mut Draft<'_>, matrix: &Matrix<'_>) -> Result<(), FormatError> {
    draft.ports_of(PortModel::FullDuplex);
    draft.note(
        Topic::Assumed,
        "a GPU sends to one GPU and receives from one at a time, as pairs were measured; --model links lets all of them at once",
    );
    let mut nodes = Vec::with_capacity(matrix.columns.len());
    for (number, label) in (0..).zip(&matrix.columns) {
        let node = draft
            .node(format!("gpu{label}"), "GPU", Role::Processor)
            .map_err(|mistake| source.error(matrix.offset, Some(clip(label)), mistake))?;
        draft.device(node, 0, label.parse().unwrap_or(number), None);
        nodes.push(node);
    }
    if matrix.rows.len() != nodes.len() {
        let mistake = Mistake::NotSquare {
            rows: matrix.rows.len(),
            columns: nodes.len(),
        };
        return Err(source.error(matrix.offset, None, mistake));
    }
    for ((offset, label, cells), (&row, column)) in
        matrix.rows.iter().zip(nodes.iter().zip(&matrix.columns))
    {
        let located =
            |mistake| source.error(*offset, Some(format!("row {}", clip(label))), mistake);
        if label != column || cells.len() != nodes.len() {
            let expected = format!("row {} with {} cells", clip(column), nodes.len());
            let found = format!("row {} with {} cells", clip(label), cells.len());
            return Err(located(unexpected(found, expected)));
        }
        // Both programs print the same number of decimals in every cell.
        let decimals = |cell: &&str| {
            cell.split_once('.')
                .map_or(0, |(_, decimals)| decimals.len())
        };
        let most = cells.iter().map(decimals).max();
        let is_truncated =
            |cell: &&&str| !cell.eq_ignore_ascii_case("n/a") && Some(decimals(cell)) < most;
        if let Some(cell) = cells.last().filter(is_truncated) {
            let text = format!(
                "the line ends with '{}', which was cut: other cells have more decimals",
                clip(cell)
            );
            return Err(located(said(text)));
        }
        for (cell, &other) in cells.iter().zip(&nodes) {
            let Some(rate) = bandwidth(cell).map_err(located)?.filter(|_| row != other) else {
                continue;
            };
            let (from, to) = if matrix.row_receives {
                (other, row)
            } else {
                (row, other)
            };
            let rate = draft.stated("p2p", rate);
            draft.link(from, to, "p2p", rate).map_err(located)?;
        }
    }
    Ok(())
}

/// A cell. `None` if it holds no measurement.
fn bandwidth(cell: &str) -> Result<Option<Rational>, Mistake> {
    if cell.eq_ignore_ascii_case("n/a") {
        return Ok(None);
    }
    let value = parse_rational(cell)?;
    if value.is_negative() {
        return Err(unexpected(clip(cell), "a bandwidth in GB/s, or N/A"));
    }
    Ok(Some(value).filter(|value| !value.is_zero()))
}
