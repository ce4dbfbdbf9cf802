//! Slurm's `topology.conf`, the output of `scontrol show topology`, and `topology.yaml` (since 25.05): switches with
//! their nodes and switches, blocks, rings, tori.
//!
//! `scontrol` lists under each switch all nodes below it. [`crate::slurm_net`] attaches a node to its lowest switches
//! only.
//!
//! Facts from slurm.schedmd.com, topology.conf and topology.yaml, and from SchedMD/slurm, `src/plugins/topology`.

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::Rational;

use crate::draft::Draft;
use crate::graph::rate_in;
use crate::hostlist::expand;
use crate::imported::Topic;
use crate::mistakes::{said, unexpected};
use crate::slurm_net::{Cluster, Switch, Torus, add};
use crate::yaml::Yaml;

/// Limit on the names of all lists.
const MAX_NAMES: usize = 200_000;
/// The keys of `topology.conf` and of `scontrol show topology`.
const KEYS: [&str; 15] = [
    "SwitchName",
    "Nodes",
    "Switches",
    "LinkSpeed",
    "Level",
    "BlockName",
    "AggregatedBlock",
    "BlockIndex",
    "BlockSize",
    "BlockSizes",
    "RingName",
    "RingSize",
    "TorusName",
    "Dims",
    "PlacementDims",
];

/// Reads `topology.conf`, or the output of `scontrol show topology`.
pub(crate) fn read_conf(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut cluster = Cluster::default();
    let mut budget = MAX_NAMES;
    for line in source.text.lines() {
        let offset = source.offset_of(line);
        let text = line.split('#').next().unwrap_or_default();
        let line = Line::read(text, &mut budget)
            .and_then(|line| line.whole())
            .map_err(|mistake| source.error(offset, None, mistake))?;
        line.store(&mut cluster, draft, offset)
            .map_err(|mistake| source.error(offset, None, mistake))?;
    }
    add(source, draft, cluster)
}

/// A line of `topology.conf`.
#[derive(Default)]
struct Line {
    /// The key of its name in lower case, and the name.
    named: Option<(String, String)>,
    nodes: Vec<String>,
    switches: Vec<String>,
    speed: Option<(String, Option<Rational>)>,
    level: Option<u32>,
    dims: Option<Vec<usize>>,
    is_placement: bool,
}

impl Line {
    fn read(text: &str, budget: &mut usize) -> Result<Line, Mistake> {
        let mut line = Line::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                let expected = "KEY=VALUE, such as SwitchName=s0 Nodes=tux[0-3]";
                unexpected(format!("'{}'", clip(word)), expected)
            })?;
            let lower = key.to_ascii_lowercase();
            match lower.as_str() {
                "switchname" | "blockname" | "aggregatedblock" | "ringname" | "torusname" => {
                    line.named = Some((lower, value.to_string()));
                }
                "nodes" => line.nodes = expand(value, budget)?,
                "switches" => line.switches = expand(value, budget)?,
                "linkspeed" => line.speed = Some((clip(value), link_speed(value))),
                "level" => line.level = value.parse().ok(),
                "dims" => line.dims = Some(dims(value)?),
                "placementdims" => line.is_placement = true,
                "blockindex" | "blocksize" | "blocksizes" | "ringsize" | "anchors" => {}
                _ => {
                    return Err(Mistake::UnknownKey {
                        key: clip(key),
                        known: KEYS.to_vec(),
                    });
                }
            }
        }
        Ok(line)
    }

    /// Refuses a line that `SLURM_TOPO_LEN` cut off: a switch above others that names none of them.
    fn whole(self) -> Result<Line, Mistake> {
        match self.level {
            Some(1..) if self.switches.is_empty() => Err(said(
                "a switch above others (Level=1 or more) without Switches=: the line is cut off; print it whole with \
                 SLURM_TOPO_LEN=1000000 scontrol show topology",
            )),
            _ => Ok(self),
        }
    }

    fn store(
        self,
        cluster: &mut Cluster,
        draft: &mut Draft<'_>,
        offset: usize,
    ) -> Result<(), Mistake> {
        let Some((key, name)) = self.named else {
            return Ok(());
        };
        let switch = Switch {
            name,
            nodes: self.nodes,
            switches: self.switches,
            speed: self.speed,
            offset,
        };
        match key.as_str() {
            "blockname" => cluster.blocks.push(switch),
            "aggregatedblock" => draft.note(
                Topic::LeftOut,
                "aggregated blocks: they are blocks that are listed, taken together",
            ),
            "ringname" | "torusname" if self.is_placement => {}
            "ringname" | "torusname" => {
                let sizes = self.dims.unwrap_or_else(|| vec![switch.nodes.len()]);
                cluster.tori.push(torus(switch, sizes)?);
            }
            _ => cluster.switches.push(switch),
        }
        Ok(())
    }
}

/// `4x4x2`.
fn dims(text: &str) -> Result<Vec<usize>, Mistake> {
    let sizes: Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
    sizes.map_err(|_| unexpected(format!("'{}'", clip(text)), "three sizes, such as 4x4x2"))
}

/// GB/s of a `LinkSpeed` that has a unit: `100G`, `25Gbit/s`. Slurm's own is a number of arbitrary units.
fn link_speed(text: &str) -> Option<Rational> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let unit = match text.get(number.len()..)? {
        "" => return None,
        "G" | "Gb" | "Gbps" | "Gbit" | "GbE" => "Gbit/s",
        "M" | "Mb" | "Mbps" | "Mbit" => "Mbit/s",
        unit => unit,
    };
    let units = oneport_platform::Units::gigabytes_and_seconds();
    rate_in(&format!("{number} {unit}"), units).ok()
}

/// A torus whose nodes are in the order of its positions.
fn torus(listed: Switch, sizes: Vec<usize>) -> Result<Torus, Mistake> {
    let positions = sizes
        .iter()
        .try_fold(1_usize, |product, &size| product.checked_mul(size));
    if positions != Some(listed.nodes.len()) {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        return Err(said(format!(
            "'{}' has {} nodes, but {} places; name a node for every place",
            clip(&listed.name),
            listed.nodes.len(),
            sizes.join(" x ")
        )));
    }
    Ok(Torus {
        name: listed.name,
        sizes,
        nodes: listed.nodes.into_iter().map(Some).collect(),
        offset: listed.offset,
    })
}

/// Reads `topology.yaml`.
pub(crate) fn read_yaml(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = Yaml::parse(source)?;
    let topologies = document.list(source)?;
    let is_default = |topology: &&Yaml| {
        topology
            .get("cluster_default")
            .and_then(Yaml::text)
            .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    };
    let chosen = topologies
        .iter()
        .find(is_default)
        .or_else(|| topologies.first());
    let Some(chosen) = chosen else {
        return Err(document.error(source, said("there is no topology in the list")));
    };
    if topologies.len() > 1 {
        let name = chosen
            .get("topology")
            .and_then(Yaml::text)
            .unwrap_or_default();
        draft.note(
            Topic::LeftOut,
            format!(
                "all topologies but {}: it is the default, or the first",
                clip(name)
            ),
        );
    }
    let listed = |of: &Yaml, key, meaning, one: &'static str| -> Result<Vec<Switch>, FormatError> {
        let list = of
            .get(key)
            .ok_or_else(|| of.error(source, Mistake::MissingKey { key, meaning }))?;
        let mut budget = MAX_NAMES;
        let entries = list.list(source)?.iter();
        entries
            .map(|entry| switch(source, entry, one, &mut budget))
            .collect()
    };
    let mut cluster = Cluster::default();
    if let Some(tree) = chosen.get("tree") {
        cluster.switches = listed(tree, "switches", "the switches", "switch")?;
    } else if let Some(block) = chosen.get("block") {
        cluster.blocks = listed(block, "blocks", "the blocks", "block")?;
    } else if let Some(ring) = chosen.get("ring") {
        for ring in listed(ring, "rings", "the rings", "ring")? {
            let (sizes, offset) = (vec![ring.nodes.len()], ring.offset);
            let ring = torus(ring, sizes).map_err(|mistake| source.error(offset, None, mistake))?;
            cluster.tori.push(ring);
        }
    } else if let Some(tori) = chosen.get("torus3d") {
        cluster.tori = yaml_tori(source, tori)?;
    } else {
        let text = "none of 'tree', 'block', 'ring', 'torus3d' is given; a flat topology lists no nodes: write the network \
                    as a graph (DOT, GraphML, node-link JSON)";
        return Err(chosen.error(source, said(text)));
    }
    add(source, draft, cluster)
}

/// The tori of `toruses`: nodes by position, or regions of them.
fn yaml_tori(source: &Source<'_>, tori: &Yaml) -> Result<Vec<Torus>, FormatError> {
    let need = |of: &Yaml, key, meaning| of.error(source, Mistake::MissingKey { key, meaning });
    let list = tori
        .get("toruses")
        .ok_or_else(|| need(tori, "toruses", "the tori"))?;
    let mut budget = MAX_NAMES;
    let mut read = Vec::new();
    for one in list.list(source)? {
        let sizes = one
            .get("dims")
            .ok_or_else(|| need(one, "dims", "x, y and z"))?;
        let sizes = xyz(source, sizes, 1)?;
        if one.get("regions").is_none() {
            let listed = switch(source, one, "name", &mut budget)?;
            read.push(torus(listed, sizes.to_vec()).map_err(|mistake| one.error(source, mistake))?);
            continue;
        }
        let name = one.get("name").and_then(Yaml::text).unwrap_or_default();
        let positions = sizes
            .iter()
            .try_fold(1_usize, |product, &size| product.checked_mul(size))
            .filter(|&positions| positions <= MAX_NAMES);
        let Some(positions) = positions else {
            let text = format!("a torus has at most {MAX_NAMES} places");
            return Err(one.error(source, said(text)));
        };
        let mut torus = Torus {
            name: name.to_string(),
            sizes: sizes.to_vec(),
            nodes: vec![None; positions],
            offset: one.offset,
        };
        for region in one
            .get("regions")
            .map_or(Ok(&[][..]), |all| all.list(source))?
        {
            add_region(source, region, sizes, &mut torus, &mut budget)?;
        }
        read.push(torus);
    }
    Ok(read)
}

/// Puts the nodes of a region at their positions.
fn add_region(
    source: &Source<'_>,
    region: &Yaml,
    sizes: [usize; 3],
    torus: &mut Torus,
    budget: &mut usize,
) -> Result<(), FormatError> {
    let part = |key, least| {
        let meaning = "x, y and z";
        let given = region
            .get(key)
            .ok_or_else(|| region.error(source, Mistake::MissingKey { key, meaning }))?;
        xyz(source, given, least)
    };
    let (anchor, dims) = (part("anchor", 0)?, part("dims", 1)?);
    let text = region.get("nodes").and_then(Yaml::text).unwrap_or_default();
    let names = expand(text, budget).map_err(|mistake| region.error(source, mistake))?;
    let fits = anchor
        .iter()
        .zip(&dims)
        .zip(&sizes)
        .all(|((anchor, size), all)| anchor.checked_add(*size).is_some_and(|end| end <= *all));
    let [width, depth, _] = dims;
    if !fits || dims.iter().product::<usize>() != names.len() {
        let text = "a region fits into its torus and has a node for every place of its dims";
        return Err(region.error(source, said(text)));
    }
    for (at, name) in names.into_iter().enumerate() {
        let [x, y, z] = [at % width, at / width % depth, at / width / depth];
        let position = anchor[0] + x + sizes[0] * (anchor[1] + y + sizes[1] * (anchor[2] + z));
        if let Some(node) = torus.nodes.get_mut(position) {
            *node = Some(name);
        }
    }
    Ok(())
}

/// `{x: 4, y: 4, z: 2}`, each at least `least`.
fn xyz(source: &Source<'_>, given: &Yaml, least: usize) -> Result<[usize; 3], FormatError> {
    let mut sizes = [0; 3];
    for (size, key) in sizes.iter_mut().zip(["x", "y", "z"]) {
        let text = given.get(key).and_then(Yaml::text).unwrap_or_default();
        let parsed = text.parse().ok().filter(|&size| size >= least);
        *size = parsed.ok_or_else(|| {
            let expected = format!("a whole number from {least} for {key}");
            given.error(source, unexpected(format!("'{}'", clip(text)), expected))
        })?;
    }
    Ok(sizes)
}

fn switch(
    source: &Source<'_>,
    one: &Yaml,
    key: &'static str,
    budget: &mut usize,
) -> Result<Switch, FormatError> {
    let name = one.get(key).and_then(Yaml::text).ok_or_else(|| {
        one.error(
            source,
            Mistake::MissingKey {
                key,
                meaning: "the name",
            },
        )
    })?;
    let mut names = |key: &str| -> Result<Vec<String>, FormatError> {
        let Some(list) = one.get(key) else {
            return Ok(Vec::new());
        };
        let text = list.text().ok_or_else(|| {
            let expected = "a list of names in one text, such as node[01-16]";
            list.error(source, unexpected(key, expected))
        })?;
        expand(text, budget).map_err(|mistake| list.error(source, mistake))
    };
    Ok(Switch {
        name: name.to_string(),
        nodes: names("nodes")?,
        switches: names("children")?,
        speed: None,
        offset: one.offset,
    })
}
