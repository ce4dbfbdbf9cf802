//! Clusters: racks of unequal hosts behind switches.

use super::Options;
use super::build::{check_costs, check_size, refuse};
use super::draw::{Draw, Purpose};
use crate::{Node, NodeId, Platform, PlatformError, PortModel};

/// The shape of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Racks {
    /// Number of racks, each with one switch.
    pub racks: usize,
    /// Hosts of a rack: a number drawn for every rack, both ends included.
    pub hosts: (usize, usize),
    /// Switches that all racks' switches are linked to. A single rack needs none.
    pub spines: usize,
    /// Whether the switches can duplicate messages.
    pub copying: bool,
    /// Port model of all nodes.
    pub model: PortModel,
}

impl Default for Racks {
    /// Three racks of 2 to 8 hosts, one spine, switches that do not copy, only links exclusive.
    fn default() -> Self {
        Racks {
            racks: 3,
            hosts: (2, 8),
            spines: 1,
            copying: false,
            model: PortModel::Links,
        }
    }
}

/// A cluster of racks: hosts `rack0.host0`, ... linked to `rack0.switch`, ..., which are linked to `spine0`, ... Every
/// duplex link draws its own cost, hosts first, rack by rack, then the links to the spines.
///
/// # Errors
/// No rack, several racks without a spine, no host in a rack, an empty range of hosts, an impossible cost range, or
/// more nodes or links than ids can number.
///
/// # Complexity
/// O(m log m) for `m` links.
///
/// ```
/// use oneport_platform::generate::{Options, Racks, racks};
/// let shape = Racks { racks: 2, hosts: (3, 3), ..Racks::default() };
/// let platform = racks(&shape, &Options::default())?;
/// assert_eq!((platform.processors().count(), platform.nodes().len()), (6, 9));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn racks(shape: &Racks, options: &Options) -> Result<Platform, PlatformError> {
    const NAME: &str = "racks";
    check_costs(NAME, options)?;
    let &Racks {
        racks,
        hosts: (fewest, most),
        spines,
        copying,
        model,
    } = shape;
    if racks == 0 {
        return Err(refuse(NAME, "racks", racks, "at least 1 is needed"));
    }
    if spines == 0 && racks > 1 {
        return Err(refuse(
            NAME,
            "spines",
            spines,
            "several racks need at least 1 to be connected",
        ));
    }
    if fewest == 0 || fewest > most {
        return Err(refuse(
            NAME,
            "hosts",
            format!("{fewest}..={most}"),
            "a range of at least 1 host is needed",
        ));
    }
    let all = most
        .checked_add(1)
        .and_then(|own| own.checked_mul(racks)?.checked_add(spines));
    check_size(
        all,
        most.checked_add(spines)
            .and_then(|links| links.checked_mul(racks)),
    )?;
    let [mut graph, mut compute, mut link] = [Purpose::Graph, Purpose::Compute, Purpose::Link]
        .map(|purpose| Draw::new(options.seed, purpose));
    let mut builder = Platform::builder();
    builder.model(model);
    let switch = |name: String| Node {
        replicates: copying,
        ..Node::router(name)
    };
    let mut switches: Vec<NodeId> = Vec::with_capacity(racks);
    for rack in 0..racks {
        let own = builder.node(switch(format!("rack{rack}.switch")))?;
        for host in 0..graph.between(fewest as u64, most as u64) {
            let cost = options.compute.draw(&mut compute);
            let host = builder.node(Node::processor(format!("rack{rack}.host{host}"), cost))?;
            builder.duplex(host, own, options.link_cost.draw(&mut link))?;
        }
        switches.push(own);
    }
    for spine in 0..spines {
        let spine = builder.node(switch(format!("spine{spine}")))?;
        for &own in &switches {
            builder.duplex(own, spine, options.link_cost.draw(&mut link))?;
        }
    }
    builder.build()
}
