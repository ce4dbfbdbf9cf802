//! In-network reduction: the bound if the switches of the platform, which only forward, combined and duplicated (NVLS,
//! SHARP).

use std::collections::BTreeMap;

use oneport::platform::whole;
use oneport::platform::{Change, Link};
use oneport::units::Quantity;
use oneport::{Amount, Goal, NodeId, Options, Problem, Rational, Volumes, percent, solve};
use serde::Serialize;

use crate::measured::Measured;
use crate::words::few;

/// Fact: NCCL counts 18 NVLinks of 20.6 GB/s for an H100, whose NVSwitch may combine. An A100, whose NVSwitch only
/// forwards, has 12 of 25 GB/s at most.
const RATE: &str = "370 GB/s";
/// Limit on the switches named in a line.
const NAMED: usize = 2;

/// The bound on the throughput if some switches combine and duplicate the values that pass through them.
#[derive(Debug, Clone)]
pub struct InNetwork {
    /// Their names.
    switches: Vec<String>,
    /// The proved bound.
    pub bound: Rational,
}

/// The bound with in-network reduction as texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InNetworkNumbers {
    /// The switches that combine and duplicate.
    pub switches: Vec<String>,
    /// The proved bound, in operations per unit of time.
    pub bound: String,
    /// The measurement as a share of the bound.
    pub share: String,
}

impl InNetwork {
    /// Returns the bound of a measured question with in-network reduction, if it is above `bound`. A router combines if
    /// it is the fastest router for at least two participants. If the measurement is not above `bound`, only routers
    /// combine that may be NVSwitches of an H100 or later GPU, by their bandwidths.
    pub fn of(
        problem: &Problem,
        measured: &Measured,
        bound: &Rational,
        options: &Options,
    ) -> Option<InNetwork> {
        let fast = measured.throughput <= *bound;
        let switches = switches(problem, fast);
        if switches.is_empty() {
            return None;
        }
        let changes = switches.iter().flat_map(|&node| {
            [
                Change::Reduces(node, Some(Rational::default())),
                Change::Replicates(node, true),
            ]
        });
        let platform = problem.platform();
        let changed = platform
            .changed(&changes.collect::<Vec<_>>())
            .ok()?
            .platform;
        let volumes = Volumes {
            work: Amount::Constant(Rational::default()),
            ..problem.volumes().clone()
        };
        let problem = Problem::new(changed, problem.collective().clone(), volumes).ok()?;
        let options = options.clone().goal(Goal::Bound);
        let found = solve(&problem, &options).ok()?.answer.bound().clone();
        (found > *bound).then(|| InNetwork {
            switches: switches
                .iter()
                .map(|&node| platform.name(node).to_string())
                .collect(),
            bound: found,
        })
    }

    /// `if box0.nvswitch combines and duplicates in no time (NVLS, SHARP), the bound is 787.5 GB/s: your 480 GB/s is
    /// 61 % of it`.
    pub fn sentence(&self, measured: &Measured, bound_shown: &str) -> String {
        let names = few(self.switches.iter().cloned(), NAMED, " and {} more");
        let verbs = match self.switches.len() {
            1 => "combines and duplicates",
            _ => "combine and duplicate",
        };
        format!(
            "if {names} {verbs} in no time (in-network reduction: NVLS, SHARP), the bound is {bound_shown}: your {} is {} \
             of it",
            measured.shown,
            percent(&(&measured.throughput / &self.bound))
        )
    }

    /// Its numbers beside those of the measurement.
    pub fn numbers(&self, measured: &Measured) -> InNetworkNumbers {
        InNetworkNumbers {
            switches: self.switches.clone(),
            bound: self.bound.to_string(),
            share: (&measured.throughput / &self.bound).to_string(),
        }
    }
}

/// Routers that do not combine and that at least two participants reach faster than other routers. If `fast` is set,
/// each participant reaches them at [`RATE`] or more.
fn switches(problem: &Problem, fast: bool) -> Vec<NodeId> {
    let platform = problem.platform();
    let rate = Quantity::parse(RATE).ok().zip(platform.units());
    let least = rate.and_then(|(rate, units)| units.rate(&rate, RATE).ok());
    let one = whole(1);
    // The switch of accelerators is of the same box: if it is slower, it is an older one.
    let carries = |link: &Link| {
        !(fast || platform.node(link.from).accelerator)
            || least
                .as_ref()
                .is_some_and(|least| &link.cost * least <= one)
    };
    let mut reached: BTreeMap<NodeId, usize> = BTreeMap::new();
    for participant in problem.collective().cast().concat() {
        let links = platform
            .outgoing(participant)
            .iter()
            .map(|&link| platform.link(link));
        let both = |link: &&Link| platform.link_between(link.to, participant).is_some();
        let routers = links
            .filter(|link| !platform.node(link.to).merges())
            .filter(both);
        let nearest = routers.min_by(|one, other| one.cost.cmp(&other.cost));
        if let Some(link) = nearest.filter(|link| carries(link)) {
            *reached.entry(link.to).or_default() += 1;
        }
    }
    let several = reached.into_iter().filter(|(_, count)| *count > 1);
    several.map(|(node, _)| node).collect()
}
