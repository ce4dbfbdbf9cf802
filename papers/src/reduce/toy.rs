//! The reduce of RR-4872, figure 6, and the paper's own solution of it.

use anyhow::{Context, Result};
use num_bigint::BigInt;
use num_traits::One;
use oneport::plan::{Pattern, PeriodicSchedule, SteadyState};
use oneport::platform::Node;
use oneport::schedule::Watch;
use oneport::{Platform, Rational, schedule};
use oneport_period as period;

use super::tasks::{self, Rates};
use crate::cases::{self, Case};
use crate::numbers::{common_denominator, number, whole};
use crate::rows::Paper;

/// Figure 7: the tree that merges at node 1.
pub const AT_1: [&str; 4] = [
    "2 -> 1: v[2,2]",
    "1: T[1,1,2]",
    "1 -> 0: v[1,2]",
    "0: T[0,0,2]",
];

/// Figure 7: the tree that merges at node 2.
pub const AT_2: [&str; 4] = [
    "1 -> 2: v[1,1]",
    "2: T[1,1,2]",
    "2 -> 0: v[1,2]",
    "0: T[0,0,2]",
];

/// The links of figure 6(a): four labels, and the four links of figure 6(b).
const FOUR: [(&str, &str); 4] = [("1", "0"), ("2", "0"), ("1", "2"), ("2", "1")];

/// All six, "fully connected" as in section 4.1: our reading.
const SIX: [(&str, &str); 6] = [
    ("0", "1"),
    ("1", "0"),
    ("0", "2"),
    ("2", "0"),
    ("1", "2"),
    ("2", "1"),
];

/// The figure's platform and reduce with other costs: of every link, and of a merge at nodes 0, 1 and 2.
pub fn four(name: &str, link: &str, compute: [&str; 3]) -> Result<Case> {
    case(name, &FOUR, link, compute)
}

/// The nodes of figure 6, fully connected.
pub fn six(name: &str, link: &str, compute: [&str; 3]) -> Result<Case> {
    case(name, &SIX, link, compute)
}

/// Section 4.1's example: fully connected, with the costs of figure 6.
pub fn connected() -> Result<Case> {
    cases::reduce(
        "fully connected, costs of figure 6",
        cases::fixture("toy-reduce.toml")?,
        "0",
        "0 1 2",
    )
}

fn case(name: &str, links: &[(&str, &str)], link: &str, compute: [&str; 3]) -> Result<Case> {
    let mut builder = Platform::builder();
    for (name, compute) in ["0", "1", "2"].iter().zip(compute) {
        builder.node(Node::processor(*name, number(compute)?))?;
    }
    for (from, to) in links {
        let find = |name: &str| {
            builder
                .find(name)
                .with_context(|| format!("no node {name}"))
        };
        let (from, to) = (find(from)?, find(to)?);
        builder.link(from, to, number(link)?)?;
    }
    cases::reduce(name, builder.build()?, "0", "0 1 2")
}

/// Tasks that a paper lists one by one in a table, as a tree on [`connected`].
pub fn listed(stem: &str, id: &str) -> Result<Pattern> {
    let steps: Vec<String> = Paper::load(stem)?
        .table(id)?
        .rows
        .values()
        .cloned()
        .collect();
    tasks::tree(
        &connected()?.platform,
        &steps.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

/// Figure 6 with the solution 6(b).
pub struct Toy {
    /// Platform and reduce.
    pub case: Case,
    /// The slides' solution (slide 82), figure 6(b) per unit of time.
    pub rates: Rates,
}

impl Toy {
    /// Reads the platform's file and the values of slide 82.
    pub fn load() -> Result<Toy> {
        let platform = cases::fixture("toy-reduce-four.toml")?;
        let case = cases::reduce("reduce of figure 6", platform, "0", "0 1 2")?;
        let rates = tasks::rates(
            &case.platform,
            Paper::load("slides")?.printed("reduce-solution")?,
        )?;
        Ok(Toy { case, rates })
    }

    /// Section 3.1's rule, announced for reduces in section 4.2: the least common multiple of all denominators.
    pub fn period(&self) -> BigInt {
        common_denominator(self.rates.values())
    }

    /// The trees that EXTRACT_TREES finds in the paper's solution, with their weights per unit of time.
    pub fn extracted(&self) -> Result<Vec<(Pattern, Rational)>> {
        // One reduction per unit of time.
        tasks::extracted(&self.case, &Rational::one(), &self.rates)
    }

    /// The paper's trees as a steady state.
    pub fn steady_state(&self) -> Result<SteadyState> {
        let patterns = self
            .extracted()?
            .into_iter()
            .map(|(tree, weight)| tasks::weighted(tree, weight))
            .collect();
        Ok(SteadyState {
            throughput: Rational::one(),
            patterns,
        })
    }

    /// A steady state of one of the trees above, once per unit of time.
    pub fn single(&self, names: &[&str]) -> Result<SteadyState> {
        let pattern = tasks::weighted(tasks::tree(&self.case.platform, names)?, whole(1));
        Ok(SteadyState {
            throughput: whole(1),
            patterns: vec![pattern],
        })
    }

    /// A periodic schedule of a steady state of this platform, in the shortest period that makes its trees integral.
    pub fn schedule(&self, steady_state: &SteadyState) -> Result<PeriodicSchedule> {
        Ok(schedule::periodic(
            &self.case.problem(),
            period::rounding::own_period(steady_state),
            &Watch::unlimited(),
        )?)
    }
}
