//! Graph files of NCCL: written files are read back, dumps are read unchanged, and graphs that NCCL would misread are
//! refused.

use oneport_platform::Rational;
use oneport_topologies::{
    NcclChannel, NcclGpu, NcclGraph, PathType, parse_nccl_graphs, write_nccl_graphs,
};
use proptest::prelude::*;

/// In the manner of a dump: four GPUs, one ring on NVLink, a graph without channels.
const DUMP: &str = r#"<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="22" speedinter="22" latencyinter="0" typeintra="NVL" typeinter="PIX" samechannels="0">
    <channel>
      <net dev="0"/>
      <gpu dev="0"/>
      <gpu dev="2" rank="17"/>
      <gpu dev="a"/>
      <gpu dev="0xb"/>
      <net dev="1"/>
    </channel>
  </graph>
  <graph id="3" pattern="5" crossnic="0" nchannels="0" speedintra="0" speedinter="0.5" typeintra="LOC" typeinter="LOC" samechannels="0"/>
</graphs>
"#;

fn read(text: &str) -> Result<Vec<NcclGraph>, String> {
    parse_nccl_graphs("graph.xml", text.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn dumps_are_read() {
    let graphs = read(DUMP).unwrap();
    let [rings, other] = &graphs[..] else {
        panic!("two graphs: {graphs:?}")
    };
    assert_eq!(
        (rings.id, rings.pattern, rings.type_intra, rings.type_inter),
        (0, 4, PathType::Nvl, PathType::Pix)
    );
    assert_eq!(rings.channels[0].nets, [0, 1]);
    let gpu = |device, rank| NcclGpu { device, rank };
    assert_eq!(
        rings.channels[0].gpus,
        [gpu(0, None), gpu(2, Some(17)), gpu(10, None), gpu(11, None)]
    );
    assert_eq!(other.speed_inter, Rational::new(1.into(), 2.into()));
    assert_eq!(
        (other.latency_inter.clone(), other.channels.len()),
        (None, 0)
    );
}

/// The rings and trees that Azure ships for four A100 (Azure/azhpc-images, `ncv4/graph.xml`).
#[test]
fn a_graph_file_of_a_cloud() {
    let graph = |id: u64, pattern: u64, channels: &[[u64; 4]]| {
        let gpus = |order: &[u64; 4]| {
            order
                .map(|device| format!("      <gpu dev=\"{device}\"/>\n"))
                .concat()
        };
        let channels: String = channels
            .iter()
            .map(|order| format!("    <channel>\n{}    </channel>\n", gpus(order)))
            .collect();
        let count = channels.matches("<channel>").count();
        format!(
            "  <graph id=\"{id}\" pattern=\"{pattern}\" crossnic=\"0\" nchannels=\"{count}\" speedintra=\"12\" speedinter=\"12\" \
             latencyinter=\"0\" typeintra=\"SYS\" typeinter=\"PIX\" samechannels=\"0\">\n{channels}  </graph>\n"
        )
    };
    let rings = graph(0, 4, &[[0, 1, 2, 3], [0, 3, 2, 1]]);
    let trees = graph(
        1,
        1,
        &[[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1]],
    );
    let graphs = read(&format!(
        "<graphs version=\"1\">\n{rings}{trees}</graphs>\n"
    ))
    .unwrap();
    let speeds: Vec<_> = graphs
        .iter()
        .map(|graph| (graph.id, graph.channels.len(), graph.type_intra))
        .collect();
    assert_eq!(speeds, [(0, 2, PathType::Sys), (1, 4, PathType::Sys)]);
    let back: Vec<u64> = graphs[0].channels[1]
        .gpus
        .iter()
        .map(|gpu| gpu.device)
        .collect();
    assert_eq!(back, [0, 3, 2, 1]);
    assert_eq!(read(&write_nccl_graphs(&graphs)), Ok(graphs));
}

#[test]
fn what_would_be_misread_is_refused() {
    for (from, to, says) in [
        (
            "version=\"1\"",
            "version=\"2\"",
            "the only one that NCCL reads",
        ),
        ("version=\"1\"", "", "'version' is missing"),
        ("<graphs ", "<system ", "not valid XML"),
        (
            "nchannels=\"1\"",
            "nchannels=\"2\"",
            "graph.xml:2: <graph>: nchannels is not the number of <channel>",
        ),
        (
            "pattern=\"4\"",
            "pattern=\"four\"",
            "pattern 'four' is not a whole number",
        ),
        (
            "speedintra=\"22\"",
            "speedintra=\"fast\"",
            "speedintra 'fast' is not a number",
        ),
        ("typeintra=\"NVL\"", "typeintra=\"NVS\"", "one of LOC, NVL"),
        (
            "<gpu dev=\"a\"/>",
            "<gpu dev=\"0\"/>",
            "graph.xml:7: <gpu>: dev 0 is not listed once",
        ),
        (
            "<gpu dev=\"a\"/>",
            "<gpu dev=\"g\"/>",
            "dev 'g' is not a hexadecimal number",
        ),
        ("<gpu dev=\"a\"/>", "<cpu dev=\"1\"/>", "<gpu> or <net>"),
        ("samechannels=\"0\">", ">", "'samechannels' is missing"),
        (
            "<graphs version=\"1\">",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><graphs version=\"1\">",
            "entities are not read",
        ),
    ] {
        let text = DUMP.replacen(from, to, 1);
        assert_ne!(text, DUMP, "{from}");
        let error = read(&text).unwrap_err();
        assert!(error.contains(says), "{from} -> {to}: {error}");
    }
    assert!(read("").unwrap_err().contains("empty"));
    assert!(read("<graphs>").unwrap_err().contains("not valid XML"));
    let wide: String = (0..200_000)
        .map(|index| format!(" a{index}=\"\""))
        .collect();
    assert!(
        read(&format!("<graphs{wide}/>"))
            .unwrap_err()
            .contains("attributes in one element")
    );
}

fn graphs() -> impl Strategy<Value = NcclGraph> {
    let gpus = prop::collection::btree_map(0..300u64, prop::option::of(0..300u64), 0..20);
    let channel = (prop::bool::ANY, gpus).prop_map(|(nets, gpus)| NcclChannel {
        nets: if nets { vec![0, 12] } else { Vec::new() },
        gpus: gpus
            .into_iter()
            .map(|(device, rank)| NcclGpu { device, rank })
            .collect(),
    });
    let kind = || prop::sample::select(PathType::ALL.to_vec());
    let speed = (0..100_000i64, 1..100i64).prop_map(|(value, over)| (value / over * over, over));
    (
        0..5u64,
        speed,
        kind(),
        kind(),
        prop::collection::vec(channel, 0..5),
    )
        .prop_map(
            |(id, (value, over), type_intra, type_inter, channels)| NcclGraph {
                id,
                pattern: 4,
                cross_nic: 1,
                speed_intra: Rational::new(value.into(), over.into()),
                speed_inter: Rational::new(1.into(), 4.into()),
                latency_inter: Some(Rational::new(3.into(), 2.into())),
                type_intra,
                type_inter,
                same_channels: 1,
                channels,
            },
        )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(graphs in prop::collection::vec(graphs(), 0..4)) {
        prop_assert_eq!(read(&write_nccl_graphs(&graphs)), Ok(graphs));
    }
}
