//! Paje traces, for ViTE and pj_dump: a container per node, within it one per port, link or processor.

use std::fmt::Write as _;

use oneport_platform::floored_quotient;

use crate::run::RepeatedPeriod;
use crate::{ExportError, File, Format, Request};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "paje",
    about: "a Paje trace for ViTE and pj_dump: a container per port, link, processor",
    lacks: "exact dates (rounded down to 12 decimals), what is wanted where, the proof",
    write: |request| Ok(File::only(write(request)?)),
};

/// Decimals of dates.
const DECIMALS: u32 = 12;

/// The events that are used, with their fields.
const HEADER: &str = "\
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
0 N 0 Node
0 T N Track
1 S T Work
";

fn write(request: &Request<'_>) -> Result<String, ExportError> {
    let run = RepeatedPeriod::new(request)?;
    let (platform, execution) = (run.problem.platform(), &run.execution);
    let tracks = run.all_tracks();
    let mut text = HEADER.to_string();
    let mut node = None;
    for (number, track) in tracks.iter().enumerate() {
        if node.replace(track.node) != Some(track.node) {
            let _ = writeln!(
                text,
                "2 0 n{} N 0 {}",
                track.node,
                quoted(platform.name(track.node))
            );
        }
        let _ = writeln!(
            text,
            "2 0 t{number} T n{} {}",
            track.node,
            quoted(&track.name(platform))
        );
    }
    // Sorted by date. Ends come before starts, and events without duration end after they began.
    let mut lines = Vec::new();
    for occurrence in run.occurrences() {
        for track in run.tracks(occurrence.dated, occurrence.piece) {
            let Ok(number) = tracks.binary_search(&track) else {
                continue;
            };
            let empty = occurrence.start == occurrence.end;
            let [from, to] = [&occurrence.start, &occurrence.end]
                .map(|date| floored_quotient(date, &execution.units, DECIMALS));
            let push = format!("4 {from} S t{number} {}", quoted(&run.label(&occurrence)));
            if empty {
                lines.push((
                    occurrence.end.clone(),
                    1,
                    format!("{push}\n5 {to} S t{number}"),
                ));
            } else {
                lines.push((occurrence.start.clone(), 2, push));
                lines.push((occurrence.end.clone(), 0, format!("5 {to} S t{number}")));
            }
        }
    }
    lines.sort();
    for (_, _, line) in lines.iter() {
        let _ = writeln!(text, "{line}");
    }
    let end = lines
        .last()
        .map(|(end, _, _)| floored_quotient(end, &execution.units, DECIMALS))
        .unwrap_or("0".to_string());
    for number in 0..tracks.len() {
        let _ = writeln!(text, "3 {end} T t{number}");
    }
    let mut nodes: Vec<_> = tracks.iter().map(|track| track.node).collect();
    nodes.dedup();
    for node in nodes {
        let _ = writeln!(text, "3 {end} N n{node}");
    }
    Ok(text)
}

/// A string in the syntax of the format, which has no escapes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "'"))
}
