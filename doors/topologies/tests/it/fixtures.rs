//! A small file of every format, written by hand in the manner of the real one: nodes, links and bandwidths as counted
//! and computed by hand.

use std::collections::BTreeSet;
use std::path::Path;

use oneport_topologies::{Format, ImportOptions, parse_topology};

use crate::{bandwidths, check_whole, fixture, rate, reached};

/// A file, and its contents.
struct Expected {
    file: &'static str,
    format: Format,
    /// Bandwidths of kinds of links that the file does not state, in GB/s.
    given: &'static [(&'static str, u32)],
    nodes: usize,
    processors: usize,
    links: usize,
    /// Ends and GB/s.
    rates: &'static [(&'static str, &'static str, &'static str)],
}

const fn file(file: &'static str, format: Format) -> Expected {
    Expected {
        file,
        format,
        given: &[],
        nodes: 3,
        processors: 2,
        links: 4,
        rates: &[],
    }
}

/// Two cables to a switch and one past it.
const fn triangle(name: &'static str, format: Format) -> Expected {
    Expected {
        links: 6,
        // 40 Gbit/s are 5 GB/s.
        rates: &[("x", "s", "25"), ("s", "y", "25/2"), ("y", "x", "5")],
        ..file(name, format)
    }
}

const FILES: &[Expected] = &[
    Expected {
        processors: 3,
        // Gigabits.
        rates: &[("Lyon", "Nancy", "10"), ("Sophia", "Nancy", "5/2")],
        ..file("three-cities.gml", Format::Gml)
    },
    Expected {
        rates: &[("Leeds", "JANET", "100"), ("Oxford", "JANET", "25/2")],
        ..file("two-sites.joined.json", Format::Joined)
    },
    Expected {
        // Four NVLinks of 20 GB/s. 16 and 8 lanes at 16 GT/s, half of 48 GB/s and of that.
        rates: &[
            ("gpu0", "gpu1", "80"),
            ("gpu0", "cpu0", "24"),
            ("cpu0", "gpu1", "12"),
        ],
        links: 6,
        ..file("nccl-topo.xml", Format::Nccl)
    },
    triangle("triangle.json", Format::NodeLink),
    triangle("triangle.graphml", Format::GraphMl),
    triangle("triangle.dot", Format::Dot),
    Expected {
        // Four lanes of 50 and of 25 Gbit/s.
        rates: &[("n1", "leaf", "25"), ("leaf", "n2", "25/2")],
        ..file("ibnetdiscover.txt", Format::IbNetDiscover)
    },
    Expected {
        rates: &[("n1", "leaf", "25"), ("leaf", "n2", "25/2")],
        ..file("iblinkinfo.txt", Format::IbLinkInfo)
    },
    Expected {
        given: &[("node", 25), ("level1", 40)],
        nodes: 8,
        processors: 5,
        links: 14,
        rates: &[("n5", "leaf2", "25"), ("core", "leaf1", "40")],
        ..file("slurm-tree.conf", Format::SlurmConf)
    },
    Expected {
        // Two rings of four, both ways, and a switch for each of the four pairs. A GB is 2^30 bytes: 2^30 x 100 /
        // 10^9 = 2^23 / 5^7, 2^30 x 25 / 10^9 = 2^21 / 5^7.
        nodes: 12,
        processors: 8,
        links: 32,
        rates: &[
            ("npu3", "npu0", "8388608/78125"),
            ("npu4", "npu5", "8388608/78125"),
            ("npu6", "switch1.2", "2097152/78125"),
        ],
        ..file("astra-sim.yml", Format::AstraSim)
    },
    Expected {
        // Megabytes.
        rates: &[("cuda0", "cuda1", "50"), ("cpu0", "cuda0", "25")],
        ..file("hwloc.xml", Format::Hwloc)
    },
];

#[test]
fn files_of_every_format_are_read() {
    for expected in FILES {
        let options = if expected.given.is_empty() {
            ImportOptions::default()
        } else {
            bandwidths(expected.given)
        };
        let (file, text) = (expected.file, fixture(expected.file));
        let format = Format::detect(Path::new(file), text.as_bytes());
        let imported = parse_topology(file, text.as_bytes(), format, &options)
            .unwrap_or_else(|error| panic!("{error}"));
        let platform = &imported.platform;
        assert_eq!(imported.format, expected.format, "{file}");
        let counts = (
            platform.nodes().len(),
            platform.processors().count(),
            platform.links().len(),
            reached(platform),
        );
        let all = (
            expected.nodes,
            expected.processors,
            expected.links,
            expected.processors,
        );
        assert_eq!(counts, all, "{file}");
        for (from, to, bandwidth) in expected.rates {
            assert_eq!(rate(platform, from, to), *bandwidth, "{file}: {from}, {to}");
        }
        if !matches!(expected.format, Format::Gml | Format::Joined) {
            check_whole(&imported);
        }
    }
}

/// Formats whose small files other modules read.
const ELSEWHERE: [(Format, &str); 6] = [
    (Format::NvidiaSmi, "smi-glued.txt"),
    (Format::SlurmYaml, "slurm-torus.yaml"),
    (Format::SimGrid, "simgrid-zones.xml"),
    (Format::Rocm, "rocm-smi.txt"),
    (Format::GpuMatrix, "p2p-bandwidth-latency-test.txt"),
    (Format::Edges, "edges.csv"),
];

#[test]
fn every_format_has_a_small_file() {
    let elsewhere = ELSEWHERE.map(|(format, file)| {
        let found = Format::detect(Path::new(file), fixture(file).as_bytes());
        assert_eq!(found, format, "{file}");
        format
    });
    let here = FILES.iter().map(|expected| expected.format);
    let known: BTreeSet<Format> = here.chain(elsewhere).collect();
    for format in Format::all() {
        let is_ours = matches!(format, Format::Own(_));
        assert!(is_ours || known.contains(&format), "{format}");
    }
}
