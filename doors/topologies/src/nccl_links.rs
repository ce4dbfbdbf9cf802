//! NVLink, xGMI and C2C of the GPUs in a dump of NCCL, and links between PCI bridges outside the tree.

use oneport_files::error::{FormatError, clip};
use oneport_platform::{Rational, whole};
use roxmltree::Node;

use crate::draft::Role;
use crate::imported::Topic;
use crate::mistakes::unexpected;
use crate::nccl::{Device, Gpu, Reader, bus_id, is_gpu};
use crate::nccl_rates::{local, nvlink, xgmi};
use crate::xml::{error_at, integer, need};

/// Class of an NVLink bridge on the processor's side (POWER9).
const CPU_BRIDGE: &str = "0x068001";

/// Fact: compute capability of the first GPUs (H100) whose NVSwitches can combine.
const NVLS: i64 = 90;

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// NVLink, xGMI and C2C: the links that leave each GPU.
    pub(super) fn add_gpu_links(&mut self) -> Result<(), FormatError> {
        let gpus = std::mem::take(&mut self.gpus);
        let mut done = std::collections::BTreeSet::new();
        // Ranks that share a GPU list the same links: the first counts.
        for gpu in gpus.iter().filter(|gpu| done.insert((gpu.host, gpu.bus))) {
            let Some(&Device { node, cpu }) = self.devices.get(&(gpu.host, gpu.bus)) else {
                continue;
            };
            for link in gpu.element.children().filter(Node::is_element) {
                match link.tag_name().name() {
                    kind @ ("nvlink" | "xgmi") => self.add_fast(gpu, node, cpu, link, kind)?,
                    "c2c" => self.add_c2c(node, cpu, link)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn add_fast(
        &mut self,
        gpu: &Gpu<'d, 'i>,
        node: usize,
        cpu: Option<usize>,
        link: Node<'d, 'i>,
        name: &str,
    ) -> Result<(), FormatError> {
        let (kind, (stated, what)) = match name {
            "nvlink" => ("nvlink", nvlink(integer(self.source, gpu.element, "sm")?)),
            _ => ("xgmi", xgmi(gpu.element.attribute("gcn"))),
        };
        let count = self.count(link)?;
        let rate = self.draft.rate(kind, stated, &what) * whole(count);
        let target = need(
            self.source,
            link,
            "target",
            "the PCI address of what the link leads to",
        )?;
        let class = match link.attribute("tclass") {
            Some(class) => class,
            None => self.class_of(gpu.host, target),
        };
        if is_gpu(class) {
            // The other GPU lists the opposite direction.
            return match self
                .devices
                .get(&(gpu.host, bus_id(target)))
                .map(|device| device.node)
            {
                Some(other) => self.at(link, |draft| draft.link(node, other, kind, rate)),
                None => {
                    self.draft.note(
                        Topic::LeftOut,
                        format!(
                            "{kind} to GPUs that are not in the file, such as {}",
                            clip(target)
                        ),
                    );
                    Ok(())
                }
            };
        }
        let other = match cpu {
            Some(cpu) if class.starts_with(CPU_BRIDGE) => cpu,
            _ => self.nvswitch(gpu, link)?,
        };
        self.at(link, |draft| draft.duplex(node, other, kind, rate))
    }

    /// The class of a link's target if the file gives none: a GPU that is in the file, else an NVSwitch.
    fn class_of(&mut self, host: usize, target: &str) -> &'static str {
        self.draft.note(
            Topic::Assumed,
            "links without tclass lead to GPUs that are in the file, else to NVSwitches",
        );
        if self.devices.contains_key(&(host, bus_id(target))) {
            "0x03"
        } else {
            "0x068000"
        }
    }

    /// Adds links between PCI bridges outside the tree (`<pcilink>`).
    pub(super) fn add_pci_links(&mut self, system: Node<'d, 'i>) -> Result<(), FormatError> {
        for link in system
            .descendants()
            .filter(|element| element.has_tag_name("pcilink"))
        {
            let cpu = link.ancestors().find(|element| element.has_tag_name("cpu"));
            let hash = cpu.and_then(|cpu| cpu.attribute("host_hash"));
            let Some(host) = self.hosts.iter().position(|other| *other == hash) else {
                continue;
            };
            let own = link
                .parent_element()
                .and_then(|parent| parent.attribute("busid"));
            let ends = [own, link.attribute("target")]
                .map(|bus| self.bridges.get(&(host, bus_id(bus?))).copied());
            if let [Some(from), Some(to)] = ends {
                self.at(link, |draft| draft.link(from, to, "local", local()))?;
            }
        }
        Ok(())
    }

    /// The one switch that represents all: NCCL merges them, for every GPU reaches each.
    fn nvswitch(&mut self, gpu: &Gpu<'d, 'i>, link: Node<'d, 'i>) -> Result<usize, FormatError> {
        self.note_shared(gpu.host, link);
        if let Some(node) = self.nvswitch {
            return Ok(node);
        }
        let node = self.at(link, |draft| {
            draft.node("nvswitch", "NVSwitch", Role::Multicast)
        })?;
        let target = gpu
            .element
            .children()
            .filter(|other| other.has_tag_name("nvlink"));
        let text = if target.count() > 1
            || link
                .attribute("target")
                .is_some_and(|target| target.starts_with("ffff"))
        {
            "all NVSwitches are one, as in NCCL: every GPU reaches each of them"
        } else {
            "NVSwitch: one, as in NCCL"
        };
        self.draft.note(Topic::Merged, text);
        if integer(self.source, gpu.element, "sm")?.is_some_and(|sm| sm >= NVLS) {
            self.draft.note_nvls();
        }
        self.nvswitch = Some(node);
        Ok(node)
    }

    /// NVSwitches on the PCI bus of a machine belong to it. If two machines list the same address, only the user can
    /// decide whether one NVLink network joins them.
    fn note_shared(&mut self, host: usize, link: Node<'d, 'i>) {
        let target = link.attribute("target").unwrap_or_default();
        // Fact: NCCL's address of NVSwitches that a machine does not see, as in an NVL72.
        if target.is_empty() || target.starts_with("ffff") {
            return;
        }
        if *self.switches.entry(bus_id(target)).or_insert(host) != host {
            let text = "several machines list an NVSwitch of the same PCI address, and one NVSwitch joins them here, as \
                        in an NVL72; if each machine has its own, give the dump of one, with --replicate and --fabric";
            self.draft.note(Topic::Assumed, text);
        }
    }

    fn add_c2c(
        &mut self,
        node: usize,
        cpu: Option<usize>,
        link: Node<'d, 'i>,
    ) -> Result<(), FormatError> {
        let Some(cpu) = cpu else { return Ok(()) };
        let count = self.count(link)?;
        need(self.source, link, "bw", "megabytes per second of one link")?;
        let megabytes = integer(self.source, link, "bw")?.unwrap_or(0);
        let rate = Rational::new(megabytes.into(), 1000.into()) * whole(count);
        let rate = self.draft.stated("c2c", rate);
        self.at(link, |draft| draft.duplex(node, cpu, "c2c", rate))
    }

    /// The number of links that an element represents.
    fn count(&self, link: Node<'d, 'i>) -> Result<i64, FormatError> {
        /// Above the number of any GPU.
        const MOST: i64 = 1000;
        need(self.source, link, "count", "the number of links")?;
        match integer(self.source, link, "count")? {
            Some(count @ 1..=MOST) => Ok(count),
            other => {
                let value = other.unwrap_or(0).to_string();
                let expected = format!("a number of links from 1 to {MOST}");
                Err(error_at(self.source, link, unexpected(value, expected)))
            }
        }
    }
}
