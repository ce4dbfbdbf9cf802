//! The formats of each option: an option that does not apply to a file is refused, not ignored.

use oneport_files::error::Mistake;

use crate::mistakes::said;
use crate::{Format, ImportOptions};

const GRAPHS: [Format; 4] = [Format::Gml, Format::NodeLink, Format::GraphMl, Format::Dot];
/// The part of a format that holds attributes of links: edges, or columns.
const LISTS: [Format; 5] = [
    Format::Gml,
    Format::NodeLink,
    Format::GraphMl,
    Format::Dot,
    Format::Edges,
];
/// Files that may hold NVSwitches.
const SWITCHES: [Format; 3] = [Format::Nccl, Format::NvidiaSmi, Format::Hwloc];
/// Files that may hold network cards.
const CARDS: [Format; 2] = [Format::Nccl, Format::NvidiaSmi];

/// Refuses an option that is for other formats. An option outside of this table is for all formats, or its file
/// decides.
pub(crate) fn check(format: Format, options: &ImportOptions) -> Result<(), Mistake> {
    let given: [(&str, bool, &[Format]); 5] = [
        ("--capacity", options.capacity.is_some(), &LISTS),
        (
            "--capacity-default",
            options.capacity_default.is_some(),
            &GRAPHS,
        ),
        ("--latency-attribute", options.latency.is_some(), &LISTS),
        ("--multicast", options.multicast, &SWITCHES),
        ("--nics", !options.nics.is_empty(), &CARDS),
    ];
    let is_refused =
        |(_, given, takes): &&(&str, bool, &[Format])| *given && !takes.contains(&format);
    let Some((name, _, takes)) = given.iter().find(is_refused) else {
        return Ok(());
    };
    let takes: Vec<&str> = takes.iter().map(|format| format.name()).collect();
    Err(said(format!(
        "is a {}, which {name} says nothing about: it is for {}; leave it out",
        format.about(),
        takes.join(", ")
    )))
}
