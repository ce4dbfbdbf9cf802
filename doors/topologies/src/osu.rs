//! Output of the OSU micro-benchmarks for a collective: a title, and rows of a size and the average time.
//!
//! `osu_allgather`, `osu_alltoall`, `osu_gather` and `osu_scatter` count the bytes of one message, the others the bytes
//! of all messages of the operation.
//!
//! Facts from the OSU micro-benchmarks 7.3, `c/mpi/collective`.

use oneport_files::error::FormatError;
use oneport_files::source::Source;
use oneport_platform::{parse_rational, whole};

use crate::measurement::{Measurement, Measurements};
use crate::mistakes::{said, unexpected};

/// The collective of a title, our name, whether sizes are of one message, whether values are combined.
const TITLES: [(&str, &str, bool); 8] = [
    ("allreduce", "all-reduce", false),
    ("allgather", "all-gather", true),
    ("reduce_scatter", "reduce-scatter", false),
    ("all-to-all", "all-to-all", true),
    ("broadcast", "broadcast", false),
    ("reduce", "reduce", false),
    ("scatter", "scatter", true),
    ("gather", "gather", true),
];

/// The text of a title, `OSU MPI-CUDA Allreduce Latency Test v7.3`, if the line is one.
pub(super) fn title(line: &str) -> Option<&str> {
    let (_, comment) = line.split_once('#')?;
    let title = comment.trim();
    (title.starts_with("OSU ") && title.contains(" Test")).then_some(title)
}

/// A word without the label that a launcher glues to it: `[1,0]<stdout>:4`.
fn unlabelled(word: &str) -> &str {
    let rest = word.rsplit(['>', ']']).next().unwrap_or(word);
    rest.trim_start_matches(':')
}

/// Reads rows `size average [least most iterations]`, in microseconds.
pub(super) fn read(source: Source<'_>, title: &str) -> Result<Measurements, FormatError> {
    // "OSU", the library, then the collective.
    let words: Vec<&str> = title.split_whitespace().skip(2).collect();
    let name = words.first().copied().unwrap_or_default();
    let known = TITLES
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(name));
    let Some(&(_, collective, by_message)) = known.filter(|_| title.contains("Latency")) else {
        let text = format!(
            "'{title}' measures no collective that is compared here; give the output of osu_allreduce, osu_allgather, \
             osu_alltoall, osu_bcast, osu_reduce, osu_reduce_scatter, osu_scatter or osu_gather"
        );
        return Err(source.error_in_file(said(text)));
    };
    let mut rows = Vec::new();
    let mut titles = 0;
    for line in source.text.lines() {
        titles += usize::from(self::title(line).is_some());
        if titles > 1 {
            let text = "holds the output of several benchmarks; give that of one";
            return Err(source.error(source.offset_of(line), None, said(text)));
        }
        if line.contains('#') {
            continue;
        }
        // The first two adjacent numbers: launchers put labels before them.
        let words: Vec<&str> = line.split_whitespace().map(unlabelled).collect();
        let pair = words.windows(2).find_map(|pair| {
            let [size, time] = pair else { return None };
            Some((size.parse::<u64>().ok()?, parse_rational(time).ok()?))
        });
        let Some((bytes, time)) = pair else {
            continue;
        };
        rows.push(Measurement {
            bytes,
            time: Some(time / whole(1_000_000)),
            algbw: None,
            busbw: None,
            operator: None,
            root: None,
            in_place: false,
        });
    }
    if rows.is_empty() {
        let expected = "rows of a size in bytes and a time in microseconds";
        return Err(source.error_in_file(unexpected("a title without rows", expected)));
    }
    Ok(Measurements {
        program: "OSU",
        collective: Some(collective),
        ranks: None,
        rows,
        wrong: 0,
        by_message,
    })
}
