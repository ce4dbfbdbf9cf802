//! Ways between GPUs of one box over NVLink or xGMI and over PCI at once, which no runtime takes: it has one way
//! between two GPUs.

#[cfg(feature = "exports")]
use oneport::plan::{SteadyState, Task};
use oneport::platform::LinkId;
use oneport::{NodeId, Platform};

/// The kind of a link: `pci`, `nvlink`, `xgmi`, or another.
pub type Kind<'k> = dyn Fn(LinkId) -> &'static str + 'k;

/// The change that leaves NVLink alone, for messages.
pub const WITHOUT: &str = "--change '*gpu* <-> *pci*: remove' leaves NVLink alone, if the GPUs need no PCI to leave the box";

/// The PCI links of hops between GPUs of one box, if other such hops have faster links all the way. A hop is the links
/// from one processor to the next.
pub fn pci_links(platform: &Platform, hops: &[Vec<LinkId>], kind: &Kind<'_>) -> Vec<LinkId> {
    let box_of = |node: NodeId| platform.name(node).split_once('.').map(|(name, _)| name);
    let within = |hop: &&Vec<LinkId>| {
        let ends = hop.first().zip(hop.last());
        ends.is_some_and(|(first, last)| {
            box_of(platform.link(*first).from) == box_of(platform.link(*last).to)
        })
    };
    let (slow, others): (Vec<&Vec<LinkId>>, Vec<&Vec<LinkId>>) = hops
        .iter()
        .filter(within)
        .partition(|hop| hop.iter().any(|&link| kind(link) == "pci"));
    let is_fast = |hop: &&Vec<LinkId>| {
        hop.iter()
            .all(|&link| ["nvlink", "xgmi"].contains(&kind(link)))
    };
    if !others.iter().any(is_fast) {
        return Vec::new();
    }
    let links = slow.into_iter().flatten().copied();
    links.filter(|&link| kind(link) == "pci").collect()
}

/// The hops of a steady state, each way once.
#[cfg(feature = "exports")]
pub fn hops(platform: &Platform, state: &SteadyState) -> Vec<Vec<LinkId>> {
    let mut all = Vec::new();
    for weighted in &state.patterns {
        let tasks = &weighted.pattern.tasks;
        for task in tasks {
            let Task::Send {
                link, mut after, ..
            } = *task
            else {
                continue;
            };
            if !platform.node(platform.link(link).to).is_processor() {
                continue;
            }
            let mut hop = vec![link];
            let mut from = platform.link(link).from;
            while !platform.node(from).is_processor() {
                let before = after.and_then(|before| tasks.get(before as usize).copied());
                let Some(Task::Send {
                    link, after: next, ..
                }) = before
                else {
                    break;
                };
                hop.push(link);
                (from, after) = (platform.link(link).from, next);
            }
            hop.reverse();
            all.push(hop);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The kind of a link by the names of its ends, as readers of dumps give them: `gpu0`, `pci1`, `nvswitch`.
#[cfg(feature = "exports")]
pub fn kind_by_names(platform: &Platform, link: LinkId) -> &'static str {
    let link = platform.link(link);
    let is_called = |node: NodeId, prefix: &str| {
        let name = platform.name(node);
        let own = name.rsplit_once('.').map_or(name, |(_, own)| own);
        let rest = own.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let ends = [link.from, link.to];
    if ends.iter().any(|&node| is_called(node, "pci")) {
        "pci"
    } else if ends
        .iter()
        .all(|&node| is_called(node, "gpu") || is_called(node, "nvswitch"))
    {
        "nvlink"
    } else {
        ""
    }
}
