//! Small files of every format, cut and changed at every byte: an answer, never a panic.

use std::collections::BTreeMap;

use oneport_testkit::whole;
use oneport_topologies::{Format, ImportOptions, parse_topology};

use crate::{cluster, try_import};

/// A file of every format that is read and not written.
fn files() -> Vec<(Format, String)> {
    let nccl = r#"<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
<pci busid="0:1" class="0x060400" vendor="0x1000" device="0xc010" link_speed="16 GT/s" link_width="16"><pci busid="0:2" class="0x0302"
link_speed="" link_width="0"><gpu dev="0" sm="80" rank="0"><nvlink target="0:3" count="2" tclass="0x068000"/><c2c bw="9" count="1"/></gpu></pci>
<pci busid="0:4" class="0x02" link_width="8"><nic><net dev="0" speed="-1"/></nic></pci></pci></cpu></system>"#;
    let smi = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV2\tPIX\t0-7\t0\nGPU1\tNV2\t X \tSYS\t8-9\t1\nNIC0\tPIX\tSYS\t X\n";
    let node_link = r#"{"directed": false, "nodes": [{"id": 0}, {"id": "b", "router": true}], "links": [{"source": 0,
        "target": "b", "capacity": "10 Gbit/s"}]}"#;
    let graphml = r#"<graphml><key id="d" for="edge" attr.name="capacity" attr.type="double"/><graph edgedefault="undirected">
<node id="a"/><node id="b"/><edge source="a" target="b"><data key="d">2.5</data></edge></graph></graphml>"#;
    let dot = "graph g { a [type=\"switch\"]; subgraph s { b -- a [capacity=\"3\"] } edge [capacity=4]; c -- a -- d }";
    let gml =
        "graph [ node [ id 0 label \"x\" ] node [ id 1 ] edge [ source 0 target 1 capacity 1e1 ] ]";
    let joined = r#"{"nodes": [{"id": 0, "speed": 2}, {"id": 1, "router": true}], "links": [{"u": 0, "v": 1, "bandwidth": 2.5}]}"#;
    let net = "switchguid=0x1(1)\nSwitch 2 \"S-1\" # \"leaf\" lid 2\n[1] \"H-2\"[1](3) # \"n mlx5_0\" lid 5 4xHDR\n\n\
               caguid=0x2\nCa 1 \"H-2\" # \"n mlx5_0\"\n[1](3) \"S-1\"[1] # lid 5 lmc 0 \"leaf\" lid 2 4xHDR\n";
    let links = "Switch: 0x01 leaf:\n 2 1[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 5 1[ ] \"n mlx5_0\" ( )\n\
                 CA: n mlx5_0:\n 0x02 5 1[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 2 1[ ] \"leaf\" ( )\n";
    let slurm = "SwitchName=s0 Nodes=tux[0-2,7] LinkSpeed=1\nSwitchName=s1 Nodes=n\nSwitchName=t Switches=s[0-1]\n";
    let yaml = "- topology: a\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        nodes: n[1-2]\n";
    let astra = "topology: [ Ring, Switch ]\nnpus_count: [ 3, 2 ]\nbandwidth: [ 50.0, 2 ]\nlatency: [ 5, 5 ]\n";
    let hwloc = r#"<topology version="2.0"><object type="Package" os_index="0" gp_index="3"/><object type="OSDev" gp_index="7"
name="c"/><distances2hetero nbobjs="2" kind="25" name="NVLinkBandwidth"><indexes>OSDev:7 Package:3</indexes><u64values>1 2 3
4</u64values></distances2hetero></topology>"#;
    let simgrid = r#"<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1f"/><host id="b" speed="1f"/><link id="l"
bandwidth="1GBps"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>"#;
    let rocm = "Weight between two GPUs ==\n GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n== Link Type between two GPUs ==\n GPU0 GPU1\n\
                GPU0 0 XGMI\nGPU1 XGMI 0\nGPU[0] : (Topology) Numa Node: 0\nGPU[1] : (Topology) Numa Node: 1\n";
    let matrix = "Running device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n 0 1\n 0 N/A 2.5\n\
                  1 3 N/A\n\nUnidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n D\\D 0 1\n 0 9 1\n 1 2 9\n";
    let edges = "# c\nsrc,dst,Gbit/s\na,b,2.5\nb,a,\"3\"\na,c,-\n";
    let fat_tree = cluster("FAT_TREE", "2;2,2;1,2;1,1", 4, "limiter_link=\"1GBps\"");
    use Format as F;
    let files = [
        (F::Nccl, nccl),
        (F::NvidiaSmi, smi),
        (F::NodeLink, node_link),
        (F::GraphMl, graphml),
        (F::Dot, dot),
        (F::Gml, gml),
        (F::Joined, joined),
        (F::IbNetDiscover, net),
        (F::IbLinkInfo, links),
        (F::SlurmConf, slurm),
        (F::SlurmYaml, yaml),
        (F::AstraSim, astra),
        (F::Hwloc, hwloc),
        (F::SimGrid, simgrid),
        (F::Rocm, rocm),
        (F::GpuMatrix, matrix),
        (F::Edges, edges),
        (F::SimGrid, &fat_tree),
        (F::SimGrid, &cluster("DRAGONFLY", "2,1;1,1;2,2;1", 4, "")),
        (F::SimGrid, &cluster("TORUS", "2,2", 4, "")),
    ];
    files
        .into_iter()
        .map(|(format, text)| (format, text.to_string()))
        .collect()
}

/// Options that a format needs besides its file.
fn options(format: Format) -> ImportOptions {
    let kinds: &[&str] = match format {
        Format::Rocm => &["xgmi"],
        Format::SlurmConf => &["node", "level1"],
        Format::SlurmYaml => &["node"],
        _ => &[],
    };
    let link_bandwidth = kinds.iter().map(|kind| (kind.to_string(), whole(25)));
    let capacity_default = matches!(format, Format::Gml | Format::Dot);
    ImportOptions {
        link_bandwidth: link_bandwidth.collect::<BTreeMap<_, _>>(),
        capacity_default: capacity_default.then(|| whole(1)),
        ..ImportOptions::default()
    }
}

/// Reads bytes as a format. Returns whether it accepts them.
#[track_caller]
fn survives(bytes: &[u8], format: Format) -> bool {
    let options = options(format);
    match parse_topology("mutant", bytes, format, &options) {
        Ok(_) => true,
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.starts_with("mutant") && !message.contains('\n') && message.len() < 800,
                "{message}"
            );
            false
        }
    }
}

#[test]
fn the_files_are_good() {
    for (format, text) in files() {
        let imported = parse_topology("good", text.as_bytes(), format, &options(format));
        assert!(
            imported
                .as_ref()
                .is_ok_and(|imported| imported.format == format),
            "{imported:?}\n{text}"
        );
    }
}

#[test]
fn cut_anywhere() {
    for (format, text) in files() {
        let accepted = (0..text.len())
            .filter(|&end| survives(&text.as_bytes()[..end], format))
            .count();
        // Lists and lines may end anywhere. A tree in brackets may not.
        if !matches!(text.trim_start().as_bytes().first(), Some(b'<' | b'{')) {
            continue;
        }
        assert_eq!(accepted, 0, "{format}: a cut file was accepted");
    }
}

/// Four of the nasty bytes at every position, as the format and as the format that the text resembles.
#[test]
fn bytes_replaced() {
    let nasty = b"\0\n\"<[{},=-9x \xFF";
    for (format, text) in files() {
        for position in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            for turn in 0..4 {
                bytes[position] = nasty[(4 * position + turn) % nasty.len()];
                survives(&bytes, format);
            }
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = try_import(&text, &options(format));
            }
        }
    }
}

/// Every number by a nasty one, every word by its neighbour, every line twice and left out.
#[test]
fn words_and_lines_exchanged() {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (format, text) in files() {
        let bytes = text.as_bytes();
        let starts = (0..bytes.len())
            .filter(|&at| is_word(bytes[at]) && (at == 0 || !is_word(bytes[at - 1])));
        let words: Vec<(usize, usize)> = starts
            .map(|at| {
                (
                    at,
                    at + bytes[at..]
                        .iter()
                        .take_while(|byte| is_word(**byte))
                        .count(),
                )
            })
            .collect();
        for pair in words.windows(2) {
            let &[(start, end), (next, last)] = pair else {
                continue;
            };
            let swapped = [
                &text[..start],
                &text[next..last],
                &text[end..next],
                &text[start..end],
                &text[last..],
            ];
            survives(swapped.concat().as_bytes(), format);
            for nasty in [
                "-1",
                "0",
                "99999999999999999999",
                "1e999999",
                "1000000000",
                "0-999999999",
                "NaN",
                "\u{e9}\u{1f600}",
            ] {
                survives(
                    [&text[..start], nasty, &text[end..]].concat().as_bytes(),
                    format,
                );
            }
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for position in 0..lines.len() {
            let (before, after) = (lines[..position].concat(), lines[position + 1..].concat());
            survives(
                [before.as_str(), after.as_str()].concat().as_bytes(),
                format,
            );
            survives(
                [
                    before.as_str(),
                    lines[position],
                    lines[position],
                    after.as_str(),
                ]
                .concat()
                .as_bytes(),
                format,
            );
        }
    }
}

/// Entities that grow, deep nesting, and large numbers at every count.
#[test]
fn bombs() {
    let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let none = ImportOptions::default();
    for root in ["system", "graphml", "topology", "platform version=\"4.1\""] {
        let name = root.split(' ').next().unwrap_or_default();
        crate::refused(
            &format!("{bomb}<{root}>&b;</{name}>"),
            &none,
            &["entities are not read"],
        );
        let deep = 200_000;
        let nested = format!(
            "<{root}>{}{}</{name}>",
            "<pci busid=\"1\">".repeat(deep),
            "</pci>".repeat(deep)
        );
        crate::refused(&nested, &none, &["file"]);
    }
    crate::refused(
        &cluster("TORUS", "1000000000", 4, ""),
        &none,
        &["topo_parameters"],
    );
    let radical = cluster("FLAT", "", 4, "").replace("0-3", "0-1000000000");
    crate::refused(&radical, &none, &["<cluster>"]);
    let many = cluster("FLAT", "", 4, "").replace("0-3", "0-99999");
    crate::refused(&many, &none, &["over 100000"]);
}
