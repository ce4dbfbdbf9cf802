//! Traces for ui.perfetto.dev and others that read the Trace Event Format: a track per port, link or processor.

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_integer::Integer;
use oneport_plan::Task;
use oneport_platform::{Rational, floored_quotient, whole};

use crate::run::RepeatedPeriod;
use crate::text::json;
use crate::{ExportError, File, Format, Request};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "perfetto",
    about: "a trace for ui.perfetto.dev, chrome://tracing, speedscope: a track per port, link, processor",
    lacks: "exact dates (rounded down to 1e-6 microseconds), what is wanted where, the proof",
    write: |request| Ok(File::only(write(request)?)),
};

/// Decimals of a microsecond.
const DECIMALS: u32 = 6;

fn write(request: &Request<'_>) -> Result<String, ExportError> {
    let run = RepeatedPeriod::new(request)?;
    let (platform, execution) = (run.problem.platform(), &run.execution);
    let tracks = run.all_tracks();
    let scale = microseconds(&execution.time(&execution.period));
    let mut text = String::from("{\"displayTimeUnit\":\"ms\",");
    let _ = write!(
        text,
        "\"otherData\":{{\"microseconds per unit of time\":\"{scale}\"}},\n\"traceEvents\":["
    );
    let mut comma = "\n";
    for (number, track) in tracks.iter().enumerate() {
        let (pid, node, name) = (
            track.node,
            json(platform.name(track.node)),
            json(&track.name(platform)),
        );
        for (what, tid, name) in [
            ("process_name", 0, &node),
            ("thread_name", number + 1, &name),
        ] {
            let of = format!("\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid}");
            let _ = write!(
                text,
                "{comma}{{\"name\":\"{what}\",{of},\"args\":{{\"name\":{name}}}}}"
            );
            comma = ",\n";
        }
    }
    // Both ends are rounded in the same direction, so that successive events on a track do not overlap.
    let whole = BigInt::from(10).pow(DECIMALS);
    let factor = scale.to_integer() * &whole;
    let written = |ticks: &BigInt| floored_quotient(ticks, &whole, DECIMALS);
    let ticks = |date: &BigInt| (date * &factor).div_floor(&execution.units);
    for occurrence in run.occurrences() {
        let (start, end) = (ticks(&occurrence.start), ticks(&occurrence.end));
        let what = match occurrence.dated.task {
            Task::Send { link, .. } => platform.link_name(link),
            Task::Merge { node, split, .. } => format!("split {split} at {}", platform.name(node)),
        };
        let dates = [&occurrence.start, &occurrence.end].map(|date| execution.time(date));
        let args = format!(
            "{{\"what\":{},\"task\":{},\"period\":{},\"stage\":{},\"start\":\"{}\",\"end\":\"{}\"}}",
            json(&what),
            occurrence.number,
            occurrence.period,
            occurrence.dated.stage,
            dates[0],
            dates[1]
        );
        let times = format!(
            "\"ts\":{},\"dur\":{}",
            written(&start),
            written(&(&end - &start))
        );
        let name = json(&run.label(&occurrence));
        for track in run.tracks(occurrence.dated, occurrence.piece) {
            let tid = tracks.binary_search(&track).map_or(0, |index| index + 1);
            let of = format!("\"ph\":\"X\",\"pid\":{},\"tid\":{tid}", track.node);
            let _ = write!(
                text,
                "{comma}{{\"name\":{name},{of},{times},\"args\":{args}}}"
            );
        }
    }
    text.push_str("]}\n");
    Ok(text)
}

/// Microseconds per unit of time in the trace: a second, or as many more powers of 1000 as give the period a
/// millisecond.
fn microseconds(period: &Rational) -> Rational {
    let mut scale = BigInt::from(1_000_000);
    while period * &scale < whole(1000) && scale.bits() < 1000 && period.numer().bits() > 0 {
        scale *= 1000;
    }
    whole(scale)
}
