//! Reads the output of `ibnetdiscover` (and the input of `ibsim`): blocks of switches, channel adapters and routers
//! with their ports.
//!
//! Facts from linux-rdma/rdma-core, `infiniband-diags/ibnetdiscover.c` and the networks that come with ibsim.

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;

use crate::draft::Draft;
use crate::infiniband::{End, Fabric, FabricNode, Width, quoted};
use crate::mistakes::{said, unexpected};

/// Own port, the other end, width and speed where the line has them.
type PortLine = (u32, End, Option<Width>);

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut fabric = Fabric::default();
    let mut block: Option<String> = None;
    for line in source.text.lines() {
        let offset = source.offset_of(line);
        let wrong = |mistake| source.error(offset, None, mistake);
        let line = line.trim();
        let kind = line.split_whitespace().next().unwrap_or_default();
        if line.starts_with('[') {
            let owner = block
                .as_ref()
                .ok_or_else(|| wrong(broken("a port before any Switch, Ca or Rt")))?;
            let (one, other, width) = port(line).map_err(wrong)?;
            fabric
                .link((owner.clone(), one), other, width)
                .map_err(wrong)?;
        } else if matches!(kind, "Switch" | "Ca" | "Rt" | "Hca") {
            let (key, rest) =
                quoted(line).ok_or_else(|| wrong(broken("the name in quotes is missing")))?;
            let name = quoted(rest).map_or("", |(name, _)| name).to_string();
            // A router leads to other subnets and forwards.
            let node = FabricNode {
                name,
                is_switch: matches!(kind, "Switch" | "Rt"),
                offset,
            };
            if fabric.nodes.insert(key.to_string(), node).is_some() {
                return Err(wrong(Mistake::DuplicateKey(clip(key))));
            }
            block = Some(key.to_string());
        }
    }
    if fabric.nodes.is_empty() {
        return Err(source.error_in_file(broken("no line begins with Switch or Ca")));
    }
    let lost = fabric.ends().find(|key| !fabric.nodes.contains_key(*key));
    if let Some(key) = lost {
        let text = format!("{} has no block; the file is cut off", clip(key));
        return Err(source.error_in_file(said(text)));
    }
    fabric.add(source, draft)
}

fn broken(what: &str) -> Mistake {
    said(format!(
        "{what}; give what `ibnetdiscover` prints, without options"
    ))
}

/// `[1](guid)  "S-..."[17](guid)  # "name" lid 5 4xHDR`: own port, the other end, width and speed.
fn port(line: &str) -> Result<PortLine, Mistake> {
    let number = |text: &str| -> Option<u32> {
        text.strip_prefix('[')?
            .split_once(']')?
            .0
            .trim()
            .parse()
            .ok()
    };
    let own = number(line).ok_or_else(|| broken("'[number]' is expected"))?;
    let (key, rest) = quoted(line).ok_or_else(|| broken("the other end in quotes is missing"))?;
    let other = number(rest.trim_start())
        .ok_or_else(|| broken("'[number]' of the other end is expected"))?;
    // Old versions end with the lid, ibsim's nets with the port.
    let comment = rest.split_once('#').map_or("", |(_, comment)| comment);
    let behind_name = quoted(comment).map_or(comment, |(_, behind)| behind);
    let last = behind_name
        .split_whitespace()
        .rev()
        .find(|word| word.contains('x') && !word.starts_with("0x"));
    let Some(text) = last else {
        return Ok((own, (key.to_string(), other), None));
    };
    let width = Width::named(text).ok_or_else(|| {
        let expected = "width and speed, such as 4xHDR, at the end of the line";
        unexpected(format!("'{}'", clip(text)), expected)
    })?;
    Ok((own, (key.to_string(), other), Some(width)))
}
