//! The GPUs behind a table of `nvidia-smi topo -m`, which does not name them: by their names elsewhere in the file,
//! else by the NVLinks of a GPU. They say the generation of NVLink and PCI, and the usual processor beside them.

use oneport_platform::{Rational, ratio};

/// Rates in tenths of GB/s per direction.
#[derive(Clone, Copy)]
pub(super) struct Gpus {
    /// Their names, for people. Empty if nothing says them.
    names: &'static str,
    /// One NVLink, by NCCL's table.
    nvlink: u32,
    /// The generation of PCI, of 16 lanes.
    pci: u32,
    /// Between NUMA nodes, and of which processor, by NCCL's table.
    cpu: (u32, &'static str),
}

const BROADWELL: (u32, &str) = (60, "Intel's Broadwell");
const SKYLAKE: (u32, &str) = (100, "Intel's Skylake");
const ZEN: (u32, &str) = (160, "AMD's Zen 1 or 2");
const SAPPHIRE: (u32, &str) = (220, "Intel's Sapphire Rapids");
const GRACE: (u32, &str) = (60, "Arm");

const fn gpus(names: &'static str, nvlink: u32, pci: u32, cpu: (u32, &'static str)) -> Gpus {
    Gpus {
        names,
        nvlink,
        pci,
        cpu,
    }
}

/// GPUs of an unknown model.
const UNKNOWN: Gpus = gpus("", 200, 4, ZEN);
/// GPUs by a part of the name. The longer names first.
const NAMED: [(&str, Gpus); 20] = [
    ("GB300", gpus("GB300", 401, 5, GRACE)),
    ("GB200", gpus("GB200", 401, 5, GRACE)),
    ("GH200", gpus("GH200", 206, 5, GRACE)),
    ("B300", gpus("B300", 401, 5, SAPPHIRE)),
    ("B200", gpus("B200", 401, 5, SAPPHIRE)),
    ("H200", gpus("H200", 206, 5, SAPPHIRE)),
    ("H100", gpus("H100", 206, 5, SAPPHIRE)),
    ("H800", gpus("H800", 206, 5, SAPPHIRE)),
    ("H20", gpus("H20", 206, 5, SAPPHIRE)),
    ("A100", gpus("A100", 200, 4, ZEN)),
    ("A800", gpus("A800", 200, 4, ZEN)),
    ("A6000", gpus("A6000", 120, 4, ZEN)),
    ("A40", gpus("A40", 120, 4, ZEN)),
    ("RTX 3090", gpus("RTX 3090", 120, 4, ZEN)),
    ("V100", gpus("V100", 200, 3, SKYLAKE)),
    ("TITAN V", gpus("Titan V", 200, 3, SKYLAKE)),
    ("P100", gpus("P100", 180, 3, BROADWELL)),
    ("K80", gpus("K80", 200, 3, BROADWELL)),
    ("RTX 4090", gpus("RTX 4090", 200, 4, ZEN)),
    ("RTX 5090", gpus("RTX 5090", 200, 5, ZEN)),
];

impl Gpus {
    /// Those of a file with `nvlinks` at each GPU, at most `widest` of them to one other. `coherent` says that the
    /// GPUs' memory is a NUMA node, as beside Grace.
    pub(crate) fn of(text: &str, nvlinks: u32, widest: u32, coherent: bool) -> Gpus {
        let named = |line: &str| {
            let name = line.trim().strip_prefix("GPU ")?.split_once(": ")?.1;
            let name = name.to_ascii_uppercase();
            let known = NAMED.iter().find(|(known, _)| name.contains(known));
            known.map(|(_, gpus)| *gpus)
        };
        if let Some(known) = text.lines().find_map(named) {
            return known;
        }
        match nvlinks {
            18 if coherent => gpus("GB200", 401, 5, GRACE),
            18 => gpus("H100 or H200", 206, 5, SAPPHIRE),
            12 => gpus("A100", 200, 4, ZEN),
            // Later GPUs have four or more to each other.
            6 => gpus("V100", 200, 3, SKYLAKE),
            _ if (1..=3).contains(&widest) => gpus("V100", 200, 3, SKYLAKE),
            _ => UNKNOWN,
        }
    }

    fn said(&self) -> String {
        if self.names.is_empty() {
            "; the file does not say which GPU".to_string()
        } else {
            format!(" of {}", self.names)
        }
    }

    /// GB/s of one NVLink, and what to say about it.
    pub(crate) fn nvlink(&self) -> (Rational, String) {
        let others = "sm 70, 80: 20; sm 90: 20.6; sm 100: 40.1";
        let what = format!("per NVLink{}, NCCL's table ({others})", self.said());
        (tenths(self.nvlink), what)
    }

    /// GB/s of PCI with 16 lanes, and what to say about it.
    pub(crate) fn pci(&self) -> (Rational, String) {
        let rate = match self.pci {
            3 => 120,
            4 => 240,
            _ => 480,
        };
        let what = format!("of PCI {}.0 x16{}", self.pci, self.said());
        (tenths(rate), what)
    }

    /// GB/s between NUMA nodes, and what to say about it.
    pub(crate) fn cpu(&self) -> (Rational, String) {
        let (rate, name) = self.cpu;
        let what =
            format!("between NUMA nodes, as in NCCL for {name}; the file does not say which");
        (tenths(rate), what)
    }
}

impl Default for Gpus {
    fn default() -> Self {
        UNKNOWN
    }
}

fn tenths(value: u32) -> Rational {
    ratio(value, 10)
}
