//! hwloc's XML (version 2): matrices of bandwidths between GPUs (`NVLinkBandwidth`, `XGMIBandwidth`, ...), in MB/s.
//!
//! GPUs are processors, packages and NVSwitches forward. NVSwitches are merged into one: matrices do not show their
//! connections. Files of machines whose GPUs hwloc could not query (it needs the backends nvml, rsmi or levelzero) hold
//! no such matrix and are refused. PCI is left out.
//!
//! Facts from open-mpi/hwloc, `hwloc2.dtd` and `hwloc/distances.h`.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{parse_rational, whole};
use roxmltree::Node;

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::said;
use crate::xml::{self, children, error_at, integer, need};

/// The bit of `kind` that marks values as bandwidths.
const MEANS_BANDWIDTH: i64 = 8;
/// Limit on the objects of a matrix.
const MAX_OBJECTS: usize = 500;

/// Reads a machine.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let objects = objects(source, root)?;
    let mut nodes: BTreeMap<u64, usize> = BTreeMap::new();
    let mut found = false;
    for matrix in root.children().filter(Node::is_element) {
        let hetero = matrix.has_tag_name("distances2hetero");
        let kind = integer(source, matrix, "kind")?.unwrap_or(0);
        if !(hetero || matrix.has_tag_name("distances2")) || kind & MEANS_BANDWIDTH == 0 {
            continue;
        }
        found = true;
        add_matrix(source, draft, matrix, &objects, &mut nodes)?;
    }
    if !found {
        let text = "there is no matrix of bandwidths (distances2 whose kind has the bit 8): hwloc finds NVLinks only \
                    where lstopo was built with nvml. Give a dump of NCCL (NCCL_TOPO_DUMP_FILE=topo.xml) or the table \
                    of `nvidia-smi topo -m`";
        return Err(error_at(source, root, said(text)));
    }
    draft.note(
        Topic::LeftOut,
        "PCI: only the matrices of bandwidths are read",
    );
    join_packages(draft, root).map_err(|mistake| error_at(source, root, mistake))
}

/// Objects by their number in the machine.
fn objects<'d, 'i>(
    source: &Source<'_>,
    root: Node<'d, 'i>,
) -> Result<BTreeMap<u64, Node<'d, 'i>>, FormatError> {
    let mut objects = BTreeMap::new();
    for object in root
        .descendants()
        .filter(|node| node.has_tag_name("object"))
    {
        if let Some(index) =
            integer(source, object, "gp_index")?.and_then(|index| u64::try_from(index).ok())
        {
            objects.insert(index, object);
        }
    }
    Ok(objects)
}

fn add_matrix(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    matrix: Node<'_, '_>,
    objects: &BTreeMap<u64, Node<'_, '_>>,
    nodes: &mut BTreeMap<u64, usize>,
) -> Result<(), FormatError> {
    let bad = |text: String| error_at(source, matrix, said(text));
    let count = integer(source, matrix, "nbobjs")?
        .and_then(|count| usize::try_from(count).ok())
        .unwrap_or(0);
    if count == 0 || count > MAX_OBJECTS {
        return Err(bad(format!(
            "nbobjs is {count}; a matrix has 1 to {MAX_OBJECTS} objects"
        )));
    }
    if matrix.attribute("indexing") == Some("os") {
        return Err(bad(
            "indexing is os; only objects of indexing gp are found".to_string()
        ));
    }
    let mut members = Vec::with_capacity(count);
    for word in words(matrix, "indexes") {
        let number = word
            .rsplit(':')
            .next()
            .and_then(|digits| digits.parse::<u64>().ok());
        let object = number.and_then(|number| Some((number, objects.get(&number)?)));
        let (number, object) =
            object.ok_or_else(|| bad(format!("there is no object '{}'", clip(word))))?;
        let node = match nodes.get(&number) {
            Some(&node) => node,
            None => add_object(source, draft, *object, number)?,
        };
        nodes.insert(number, node);
        members.push(node);
        if members.len() > count {
            break;
        }
    }
    let values: Vec<&str> = words(matrix, "u64values").take(count * count + 1).collect();
    if members.len() != count || values.len() != count * count {
        return Err(bad(format!(
            "{} indexes and {} values for {count} objects",
            members.len(),
            values.len()
        )));
    }
    let kind = kind_of(matrix.attribute("name").unwrap_or_default());
    draft.note(
        Topic::Assumed,
        format!(
            "{kind}: as the matrix {} says",
            clip(matrix.attribute("name").unwrap_or("?"))
        ),
    );
    for (row, &from) in values.chunks(count).zip(&members) {
        for (value, &to) in row.iter().zip(&members) {
            let number = parse_rational(value)
                .map_err(|error| error_at(source, matrix, Mistake::Number(error)))?;
            if from == to || number.is_zero() {
                continue;
            }
            let rate = draft.stated(kind, number / whole(1000));
            draft
                .link(from, to, kind, rate)
                .map_err(|mistake| error_at(source, matrix, mistake))?;
        }
    }
    Ok(())
}

fn words<'d>(matrix: Node<'d, '_>, name: &'static str) -> impl Iterator<Item = &'d str> {
    children(matrix, name)
        .filter_map(|element| element.text())
        .flat_map(str::split_whitespace)
}

fn kind_of(name: &str) -> &'static str {
    match name {
        "NVLinkBandwidth" => "nvlink",
        "XGMIBandwidth" => "xgmi",
        "XeLinkBandwidth" => "xelink",
        _ => "link",
    }
}

fn add_object(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    object: Node<'_, '_>,
    number: u64,
) -> Result<usize, FormatError> {
    let located = |mistake| error_at(source, object, mistake);
    let subtype = object.attribute("subtype").unwrap_or_default();
    if subtype.contains("NVSwitch") {
        return nvswitch(draft).map_err(located);
    }
    let kind = need(source, object, "type", "the kind of the object")?;
    let os_index = object.attribute("os_index").unwrap_or_default();
    let (name, kind, role) = match kind {
        "Package" => (format!("cpu{os_index}"), "CPU", Role::Switch),
        _ => (
            object
                .attribute("name")
                .map_or_else(|| format!("gpu.{number}"), clip),
            "GPU",
            Role::Processor,
        ),
    };
    let name = if draft.has_name(&name) {
        format!("{name}#{number}")
    } else {
        name
    };
    let node = draft.node(name, kind, role).map_err(located)?;
    if role == Role::Processor {
        draft.device(node, 0, draft.devices.len() as u64, None);
    }
    Ok(node)
}

/// The one switch that represents all.
fn nvswitch(draft: &mut Draft<'_>) -> Result<usize, Mistake> {
    match draft
        .members
        .iter()
        .position(|member| member.kind == "NVSwitch")
    {
        Some(known) => {
            draft.note(
                Topic::Merged,
                "all NVSwitches are one, as in NCCL: the matrix does not say how they are joined",
            );
            Ok(known)
        }
        None => draft.node("nvswitch", "NVSwitch", Role::Multicast),
    }
}

/// Packages that the matrices name are joined: GPUs reach one another through them.
fn join_packages(draft: &mut Draft<'_>, root: Node<'_, '_>) -> Result<(), Mistake> {
    let packages: Vec<usize> = draft
        .members
        .iter()
        .enumerate()
        .filter(|(_, member)| member.kind == "CPU")
        .map(|(index, _)| index)
        .collect();
    if packages.len() < 2 {
        return Ok(());
    }
    let power = root.descendants().any(|info| {
        info.has_tag_name("info")
            && info
                .attribute("value")
                .is_some_and(|value| value.starts_with("POWER"))
    });
    let (stated, what) = if power {
        (32, "between packages of POWER, NCCL's table")
    } else {
        (
            16,
            "between packages, as in NCCL for AMD's Zen 1 or 2; the file does not say it",
        )
    };
    let rate = draft.rate("cpu", whole(stated), what);
    for (index, &one) in packages.iter().enumerate() {
        for &other in packages.iter().skip(index + 1) {
            if !draft.has_link(one, other) {
                draft.duplex(one, other, "cpu", rate.clone())?;
            }
        }
    }
    Ok(())
}
