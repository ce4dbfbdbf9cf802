//! The question put to the programs: a platform, a collective and volumes that fit together.

use oneport_exact::ExactError;
use oneport_plan::{Collective, CollectiveError, Commodity, Interval, VolumeError, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LpError {
    /// The collective does not fit the platform.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The sizes or the work do not fit the collective.
    #[error("{0}")]
    Volume(#[from] Box<VolumeError>),
    /// A port model whose programs are not written yet.
    #[error("node '{node}': port model {model} is not yet supported; only full-duplex is, so far")]
    NotYet {
        /// The first node under that model.
        node: String,
        /// The model.
        model: PortModel,
    },
    /// The compact program of reductions knows intervals of operands only.
    #[error(
        "the compact formulation keeps the operands in order; use the columns formulation for a commutative operator"
    )]
    CompactCommutative,
    /// The linear programming layer failed.
    #[error("the linear program could not be solved: {0}")]
    Exact(#[from] ExactError),
    /// The solver's answer contradicts the theory; this is a defect of oneport.
    #[error("internal contradiction: {0}; please report it with the platform file")]
    Contradiction(&'static str),
}

/// A validated question.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    platform: &'a Platform,
    collective: &'a Collective,
    volumes: &'a Volumes,
    size: Rational,
    commodities: Vec<Commodity>,
}

impl<'a> Question<'a> {
    /// Checks that collective, volumes and port models fit.
    ///
    /// # Errors
    /// See [`LpError`]; never the variants that solving produces.
    pub fn new(platform: &'a Platform, collective: &'a Collective, volumes: &'a Volumes) -> Result<Self, LpError> {
        collective.validate(platform)?;
        volumes.validate(collective).map_err(Box::new)?;
        if let Some(node) = platform.node_ids().find(|&node| platform.model_of(node) != PortModel::FullDuplex) {
            return Err(LpError::NotYet { node: platform.name(node).to_string(), model: platform.model_of(node) });
        }
        let size = volumes.size.of(Interval { first: 0, last: 0 }).unwrap_or_default();
        Ok(Question { platform, collective, volumes, size, commodities: collective.commodities() })
    }

    /// The platform.
    pub fn platform(&self) -> &'a Platform {
        self.platform
    }

    /// The collective.
    pub fn collective(&self) -> &'a Collective {
        self.collective
    }

    /// Sizes of messages and work of merges.
    pub fn volumes(&self) -> &'a Volumes {
        self.volumes
    }

    /// The distinct messages of one instance; none for reductions.
    pub fn commodities(&self) -> &[Commodity] {
        &self.commodities
    }

    /// Time one message takes on a link: `size x c(i, j)`. For collectives whose messages have one size.
    pub fn time(&self, link: LinkId) -> Rational {
        &self.size * &self.platform.link(link).cost
    }

    /// Messages whose target cannot be reached from their source, in order; for reductions the operands that cannot
    /// reach a target.
    pub fn unreachable(&self) -> Vec<Commodity> {
        let operands = self.collective.operands().unwrap_or_default();
        let needs = |&target: &NodeId| operands.iter().map(move |&source| Commodity { source, target });
        let wanted: Vec<Commodity> = match self.collective.operands() {
            Some(_) => self.collective.reductions().iter().flat_map(needs).collect(),
            None => self.commodities.clone(),
        };
        let mut reached: Vec<Option<Vec<bool>>> = vec![None; self.platform.nodes().len()];
        let mut missing = Vec::new();
        for commodity in wanted {
            let from_source = reached[commodity.source.index()].get_or_insert_with(|| self.reach(commodity.source));
            if !from_source[commodity.target.index()] {
                missing.push(commodity);
            }
        }
        missing
    }

    /// Which nodes messages from `source` can reach.
    fn reach(&self, source: NodeId) -> Vec<bool> {
        let mut seen = vec![false; self.platform.nodes().len()];
        seen[source.index()] = true;
        let mut queue = vec![source];
        while let Some(node) = queue.pop() {
            for &link in self.platform.outgoing(node) {
                let next = self.platform.link(link).to;
                if !std::mem::replace(&mut seen[next.index()], true) {
                    queue.push(next);
                }
            }
        }
        seen
    }
}
