//! The PCI tree behind a table of distances between devices: the devices that share a switch, a NUMA node, a machine.

use std::collections::{BTreeMap, BTreeSet};

use oneport_files::error::Mistake;
use oneport_platform::Rational;

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::smi_gpus::Gpus;

/// The connection of two devices, from near to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Near {
    /// One PCI switch.
    Switch,
    /// Several PCI switches.
    Switches,
    /// A NUMA node.
    Numa,
}

/// Groups of devices, by union of pairs.
pub(super) struct PciTree {
    /// Per level: the group of each device, named by one of its members.
    levels: [Vec<usize>; 3],
}

impl PciTree {
    /// Devices without a common ancestor.
    pub(crate) fn new(devices: usize) -> Self {
        let apart: Vec<usize> = (0..devices).collect();
        PciTree {
            levels: [apart.clone(), apart.clone(), apart],
        }
    }

    /// Two devices are this near: they share a group there and in all wider groups.
    pub(crate) fn join(&mut self, one: usize, other: usize, near: Near) {
        for level in self.levels.iter_mut().skip(near as usize) {
            let (one, other) = (find(level, one), find(level, other));
            if let Some(group) = level.get_mut(one.max(other)) {
                *group = one.min(other);
            }
        }
    }

    /// Adds switches, NUMA nodes and links over PCI above the devices with the given nodes.
    pub(crate) fn add(
        mut self,
        draft: &mut Draft<'_>,
        devices: &[usize],
        gpus: &Gpus,
    ) -> Result<(), Mistake> {
        let (rate, what) = gpus.pci();
        let pci = draft.rate("pci", rate, &what);
        let mut above: Vec<usize> = devices.to_vec();
        for (level, kind) in [(Near::Switch, "pci"), (Near::Switches, "pcis")] {
            let groups = self.groups(level);
            for (number, members) in groups.values().enumerate() {
                // Devices that have the same node already are one at this level.
                let below = below(members, &above);
                if below.len() < 2 {
                    continue;
                }
                let switch = draft.node(format!("{kind}{number}"), "PCI switch", Role::Switch)?;
                for node in below {
                    draft.duplex(node, switch, "pci", pci.clone())?;
                }
                for &member in members {
                    if let Some(node) = above.get_mut(member) {
                        *node = switch;
                    }
                }
            }
        }
        self.add_cpus(draft, &above, &pci, gpus)
    }

    fn add_cpus(
        &mut self,
        draft: &mut Draft<'_>,
        above: &[usize],
        pci: &Rational,
        gpus: &Gpus,
    ) -> Result<(), Mistake> {
        let groups = self.groups(Near::Numa);
        draft.check_links(groups.len() * groups.len())?;
        let mut cpus = Vec::with_capacity(groups.len());
        for (number, members) in groups.values().enumerate() {
            let cpu = draft.node(format!("cpu{number}"), "CPU", Role::Switch)?;
            for node in below(members, above) {
                draft.duplex(node, cpu, "pci", pci.clone())?;
            }
            cpus.push(cpu);
        }
        if cpus.len() > 1 {
            draft.note(
                Topic::Merged,
                "all PCI host bridges of a NUMA node are one node, as in NCCL",
            );
            let (rate, what) = gpus.cpu();
            let rate = draft.rate("cpu", rate, &what);
            for (index, &one) in cpus.iter().enumerate() {
                for &other in cpus.iter().skip(index + 1) {
                    draft.duplex(one, other, "cpu", rate.clone())?;
                }
            }
        }
        Ok(())
    }

    fn groups(&mut self, near: Near) -> BTreeMap<usize, Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        if let Some(level) = self.levels.get_mut(near as usize) {
            for device in 0..level.len() {
                groups.entry(find(level, device)).or_default().push(device);
            }
        }
        groups
    }
}

/// The nodes of a group's members, each once.
fn below(members: &[usize], above: &[usize]) -> BTreeSet<usize> {
    let nodes = members.iter().filter_map(|&member| above.get(member));
    nodes.copied().collect()
}

/// The first member of a group. Paths are halved meanwhile.
fn find(groups: &mut [usize], mut device: usize) -> usize {
    while let Some(&parent) = groups.get(device) {
        if parent == device {
            break;
        }
        let grandparent = groups.get(parent).copied().unwrap_or(parent);
        if let Some(group) = groups.get_mut(device) {
            *group = grandparent;
        }
        device = grandparent;
    }
    device
}
