//! Tiers: random networks of three tiers (Doar, *A better model for generating test networks*, Globecom 1996), and
//! platforms made of them by drawing measured speeds and bandwidths.
//!
//! [`generate`] draws a [`TiersTopology`]: positions in the plane and edges, no costs. [`instantiate`] turns a
//! topology, drawn or read from a file, into a [`Platform`](crate::Platform): some LAN nodes become processors, all
//! else routers.
//!
//! ```
//! use oneport_platform::generate::tiers::{TiersInstance, TiersParameters, generate, instantiate};
//! let topology = generate(&TiersParameters::SMALL, 1)?;
//! assert_eq!((topology.nodes.len(), topology.edges.len()), (27, 26));
//! let platform = instantiate(&topology, &TiersInstance::default())?;
//! assert_eq!(platform.links().len(), 2 * 26);
//! # Ok::<(), oneport_platform::PlatformError>(())
//! ```
//!
//! # The network
//!
//! | tier | networks | nodes each | unit | shape | cells |
//! |---|---|---|---|---|---|
//! | WAN | `wans` = 1 | `wan_nodes` | 40 | minimum spanning tree | the square of 100 x 100 cells at the origin |
//! | MAN | `mans_per_wan` | `man_nodes` | 8 | minimum spanning tree | a square of 100 x 100 cells beside its parent WAN node |
//! | LAN | `lans_per_man` per MAN | `lan_nodes` | 2 | star around its first node | likewise, at its parent MAN node |
//!
//! - *Numbering.* The WAN's nodes, then the nodes of each MAN, then the nodes of each LAN. LAN `l` belongs to MAN `l /
//!   lans_per_man`.
//! - *Positions.* A node stands on a random free cell of its network's square, `unit` apart in both directions. WAN
//!   coordinates are multiples of 40. A MAN's square has its corner at most 40 from its parent, a whole number of units
//!   in each coordinate. A LAN's square has its corner at its parent + (1, 1).
//! - *Length.* The tree minimises the sum of `floor(euclidean distance / unit)` ([`length`]).
//! - *Redundancy inside a network.* For `R >= 2`: after the tree, in the order of ids, a node of degree below `R`
//!   is linked to the nearest node of its network to which it is not linked, unless that one has degree above `R`.
//! - *Between networks.* A random node of a MAN, its gateway, is linked to the parent WAN node, which is random too. A
//!   LAN's first node is linked to the parent MAN node, a random node of the LAN's MAN. For a redundancy `R >= 2`,
//!   `R - 1` further edges lead to the nodes nearest to the parent in the parent's network.
//!
//! # Known rules and our choices
//!
//! The rules are inferred from four output files of the original program, which the SimGrid project published in 2005
//! (parameter sets [`SMALL`](TiersParameters::SMALL), [`MEDIUM`](TiersParameters::MEDIUM) and twice
//! [`LARGE`](TiersParameters::LARGE)). This is an independent implementation: it neither reproduces the original's
//! random numbers nor has seen its code. The tests hold these files and our networks against the same rules. Our
//! choices, if the files do not show a rule or contradict it:
//!
//! 1. `wans` is 1 in every file and example that we have. Other values are refused: we have no rule to join WANs.
//! 2. A MAN's corner: in the files MAN nodes lie -40 to +824 from the parent, which fits a square moved by -40 to +40.
//!    We draw that shift uniformly in whole units.
//! 3. In the files no two nodes of any tier coincide. We draw uniformly among the free cells.
//! 4. Ties of the spanning tree and of the nearest node go to the smallest id.
//! 5. Redundancy inside a network is seen for the WAN with `R = 2` only (all four redundant WAN edges, and the one
//!    leaf left without, follow the rule). We use the same rule for MANs and LANs and, for `R > 2`, link a node again
//!    until its degree is `R` or its nearest partner refuses.
//! 6. The first MAN of both files of the large set has one or two redundant edges, although the parameter is 0. Each
//!    leads from a leaf of the tree to the nearest node to which it is not linked, 44 units or more away. No such edge
//!    starts at the leaves whose nearest such node is within 39 units, nor in any other MAN. The reason is unknown. We
//!    draw no such edges.
//! 7. A redundant WAN-MAN edge leads to the WAN node nearest to the parent in all 10 cases of the files. Its MAN end is
//!    the gateway in 6 cases and some other node in 4, by no rule that we found. We always take the gateway.
//! 8. LAN-MAN redundancy above 1 is not seen in the files. We use the WAN-MAN rule, from the LAN's first node.
//! 9. Tiers' delays (which grow with the length) and its proximity test (off in every file) are left out.
//!
//! # The costs
//!
//! The rule is the one by which A. Legrand made SimGrid platforms of these files in 2005. All draws are uniform and
//! independent. A LAN node is a host with probability 7/10, every other node a router. A host's speed is drawn from
//! twelve measured ones, a link's bandwidth from the values measured for its class, the class being the wider tier of
//! its two ends (WAN links are fastest, LAN links slowest). The papers on steady-state collectives do not state whether
//! their platforms were made by it. Departures:
//!
//! 1. The measured bandwidths are not part of oneport. [`TiersTables::default`] holds round numbers of our own within
//!    the measured range and near its median. Pass tables of your own for other values.
//! 2. Latencies are left out: the steady-state model has none.
//! 3. Links follow the edges. No routes are computed.
//! 4. With few LAN nodes, or a small probability, a platform without any host can come out.

mod instance;
mod parameters;
mod topology;

pub use instance::{TiersInstance, TiersTables, instantiate};
pub use parameters::TiersParameters;
pub use topology::{EdgeState, TiersEdge, TiersNode, TiersTopology, generate, length};

/// The name of these generators in errors.
const NAME: &str = "tiers";
/// Fact: cells along a side of a network's square.
const SIDE: usize = 100;

/// A tier of the network. It is also the class of a link: the wider tier of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Wide area: the backbone.
    Wan,
    /// Metropolitan area.
    Man,
    /// Local area.
    Lan,
}

impl Tier {
    /// From the widest to the narrowest, which is the order of the codes 0, 1, 2 in Tiers' output.
    pub const ALL: [Tier; 3] = [Tier::Wan, Tier::Man, Tier::Lan];

    /// Distance of neighbouring cells of the tier's square.
    pub fn unit(self) -> u32 {
        match self {
            Tier::Wan => 40,
            Tier::Man => 8,
            Tier::Lan => 2,
        }
    }

    /// The nominal bandwidth by which Tiers' output marks a link of this class. It has no physical meaning.
    pub fn bandwidth(self) -> u32 {
        match self {
            Tier::Wan => 10,
            Tier::Man => 100,
            Tier::Lan => 1000,
        }
    }
}
