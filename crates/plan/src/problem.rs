//! A valid problem: a platform, a collective and volumes that fit together.

use std::collections::BTreeSet;
use std::sync::Arc;

use oneport_platform::{LinkId, NodeId, PerNode, Platform, PlatformError, Rational, whole};

use crate::{Block, Collective, CollectiveError, Demand, Interval, VolumeError, Volumes};

/// Why a problem is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The platform does not support the question.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The collective does not fit the platform.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The sizes or the work do not fit the collective.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// Messages cannot arrive.
    #[error("{collective} is infeasible: no path {}; connect the nodes, or leave them out of the collective", listed(.missing))]
    Unreachable {
        /// The collective's name. Of groups, the name of the first.
        collective: &'static str,
        /// The names of the source and the target of each message that cannot arrive, each pair once. The first
        /// [`ProblemError::MOST_LISTED`] of them.
        missing: Vec<(String, String)>,
    },
}

impl ProblemError {
    /// Limit: pairs of nodes without a path that an error lists.
    pub const MOST_LISTED: usize = 10_000;
}

/// The first five pairs.
fn listed(missing: &[(String, String)]) -> String {
    /// Shown: pairs in the message.
    const SHOWN: usize = 5;
    let pair = |(from, to): &(String, String)| format!("from '{from}' to '{to}'");
    let shown: Vec<String> = missing.iter().take(SHOWN).map(pair).collect();
    let shown = shown.join(", ");
    match missing.len().saturating_sub(SHOWN) {
        0 => shown,
        more if missing.len() < ProblemError::MOST_LISTED => format!("{shown} and {more} more"),
        more => format!("{shown} and at least {more} more"),
    }
}

/// A platform, a collective and volumes that fit together, all messages of which can arrive. The check is made here
/// once. Functions that take a problem need not repeat it. The parts are shared: a clone is cheap.
///
/// ```
/// use oneport_plan::{Collective, Problem, Volumes};
/// use oneport_platform::{Node, Platform, whole};
/// let mut builder = Platform::builder();
/// let one = whole(1);
/// let a = builder.node(Node::processor("a", one.clone()))?;
/// let b = builder.node(Node::processor("b", one.clone()))?;
/// builder.link(a, b, one.clone())?;
/// let platform = builder.build()?;
/// let volumes = Volumes::of_size(one);
/// let scatter = Collective::scatter(a, vec![b]);
/// let problem = Problem::new(platform, scatter, volumes)?;
/// assert_eq!(problem.demands().count(), 1);
/// assert!(problem.asking(Collective::scatter(a, vec![])).is_err());
/// assert!(problem.asking(Collective::scatter(b, vec![a])).is_err(), "no link leads back");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    platform: Arc<Platform>,
    collective: Arc<Collective>,
    volumes: Arc<Volumes>,
}

impl Problem {
    /// Checks that the collective fits the platform, the volumes the collective, and that every message can arrive.
    /// References are cloned. `O(n + m)` beside the size of the collective, on `n` nodes and `m` links. If some node
    /// cannot reach another, that times the sources, or the targets if there are fewer of them.
    ///
    /// # Errors
    /// The first node or value that does not fit, by name. A shared capacity at a node with ports. Pairs of nodes
    /// without a path.
    pub fn new(
        platform: impl Into<Arc<Platform>>,
        collective: impl Into<Arc<Collective>>,
        volumes: impl Into<Arc<Volumes>>,
    ) -> Result<Self, ProblemError> {
        let problem = Problem {
            platform: platform.into(),
            collective: collective.into(),
            volumes: volumes.into(),
        };
        problem.platform.check_shared()?;
        problem.collective.validate(&problem.platform)?;
        problem.volumes.validate(&problem.collective)?;
        problem.volumes.validate_on(&problem.platform)?;
        problem.check_paths()?;
        Ok(problem)
    }

    /// This problem on another platform with the same nodes.
    ///
    /// # Errors
    /// Those of [`Problem::new`].
    pub fn on(&self, platform: impl Into<Arc<Platform>>) -> Result<Self, ProblemError> {
        Problem::new(platform, self.collective.clone(), self.volumes.clone())
    }

    /// Another collective on the same platform, with the same volumes.
    ///
    /// # Errors
    /// Those of [`Problem::new`].
    pub fn asking(&self, collective: impl Into<Arc<Collective>>) -> Result<Self, ProblemError> {
        Problem::new(self.platform.clone(), collective, self.volumes.clone())
    }

    /// This problem with the common factor of all rates moved into the sizes and the work: the same data in fewer and
    /// larger messages. If messages stay whole, the problem stays unchanged. `O(d)` for `d` demands.
    ///
    /// ```
    /// # use oneport_plan::{Collective, Problem, Volumes};
    /// # use oneport_platform::{Node, Platform, whole};
    /// # let mut builder = Platform::builder();
    /// # let one = whole(1);
    /// # let a = builder.node(Node::processor("a", one.clone()))?;
    /// # let b = builder.node(Node::processor("b", one.clone()))?;
    /// # builder.link(a, b, one.clone())?;
    /// # let platform = builder.build()?;
    /// let scatter = Collective::scatter(a, vec![b]);
    /// let three = Problem::new(&platform, scatter.clone().with_counts(&[3])?, Volumes::of_size(one.clone()))?;
    /// let alike = three.with_largest_messages();
    /// assert_eq!(alike.collective(), &scatter);
    /// assert_eq!(alike.volumes().size.constant(), Some(&(one * whole(3))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_largest_messages(&self) -> Problem {
        let common = self.collective.common_rate();
        let counted = self.collective.form().is_some_and(|form| form.counted);
        if !self.collective.is_cut() || common == 1 && !counted {
            return self.clone();
        }
        let factor = whole(common);
        let collective = Collective::clone(&self.collective).with_rates_over(common);
        let volumes = Volumes {
            size: self.volumes.size.times(&factor),
            work: self.volumes.work.times(&factor),
        };
        Problem {
            platform: self.platform.clone(),
            collective: collective.into(),
            volumes: volumes.into(),
        }
    }

    /// The platform.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        &self.collective
    }

    /// Sizes of messages and work of merges.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// All demands of an instance, in order.
    pub fn demands(&self) -> impl Iterator<Item = Demand<'_>> {
        let collective = self.collective();
        (0..collective.demands()).map_while(|index| collective.demand(index))
    }

    /// The demands, by blocks of one kind and rate.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        self.collective.blocks()
    }

    /// The time that a message, or a partial result, takes on a link: its size times the link's cost.
    pub fn transfer_time(&self, link: LinkId, part: Interval) -> Rational {
        self.volumes.size.of(part).unwrap_or_default() * &self.platform.link(link).cost
    }

    /// Refuses values that cannot reach a node that needs them or their combination.
    fn check_paths(&self) -> Result<(), ProblemError> {
        if is_strong(&self.platform) {
            return Ok(());
        }
        let name = |node| self.platform.name(node).to_string();
        let mut seen = BTreeSet::new();
        let new = self
            .without_path()
            .filter(|&(from, to)| seen.insert((from, to)));
        let missing: Vec<(String, String)> = new
            .take(ProblemError::MOST_LISTED)
            .map(|(from, to)| (name(from), name(to)))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let first = self.collective.members().first();
        let named = first.map_or(self.collective(), |member| &member.collective);
        Err(ProblemError::Unreachable {
            collective: named.name(),
            missing,
        })
    }

    /// Source and target of each message that cannot arrive, in order.
    fn without_path(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let sources: BTreeSet<NodeId> = self
            .demands()
            .flat_map(|demand| demand.operands.to_vec())
            .collect();
        let targets: BTreeSet<NodeId> = self
            .demands()
            .flat_map(|demand| demand.goals())
            .map(|goal| goal.0)
            .collect();
        let forward = sources.len() <= targets.len();
        let mut reached: PerNode<Option<PerNode<bool>>> = self.platform.per_node(None);
        let messages = self.demands().flat_map(|demand| {
            demand.goals().into_iter().flat_map(move |(target, part)| {
                demand.operands[part.first..=part.last]
                    .iter()
                    .map(move |&source| (source, target))
            })
        });
        messages.filter(move |&(source, target)| {
            let (root, end) = if forward {
                (source, target)
            } else {
                (target, source)
            };
            let from_root =
                reached[root].get_or_insert_with(|| reach(&self.platform, root, forward));
            !from_root[end]
        })
    }
}

/// Whether messages from every node can reach every other.
fn is_strong(platform: &Platform) -> bool {
    let Some(first) = platform.node_ids().next() else {
        return true;
    };
    [true, false].iter().all(|&forward| {
        reach(platform, first, forward)
            .into_iter()
            .all(|reached| reached)
    })
}

/// The nodes that messages from a node can reach. If not `forward`, the nodes whose messages can reach it.
fn reach(platform: &Platform, from: NodeId, forward: bool) -> PerNode<bool> {
    let mut seen = platform.per_node(false);
    seen[from] = true;
    let mut queue = vec![from];
    while let Some(node) = queue.pop() {
        let links = if forward {
            platform.outgoing(node)
        } else {
            platform.incoming(node)
        };
        for &link in links {
            let ends = platform.link(link);
            let next = if forward { ends.to } else { ends.from };
            if !std::mem::replace(&mut seen[next], true) {
                queue.push(next);
            }
        }
    }
    seen
}
