//! Platforms for examples and counterexamples, and the collectives on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use oneport::plan::{Certificate, PeriodicSchedule, SteadyState};
use oneport::platform::generate::{self, Costs};
use oneport::platform::{LinkId, Node};
use oneport::watch::Watch;
use oneport::{
    Collective, DEFAULT_MAX_INSTANCES, Formulation, NodeId, Options, Period, Platform, Problem,
    Rational, Solved, files, solve,
};
use oneport_lp as lp;

use crate::numbers::{common_denominator, number, unit_volumes, whole};
use crate::rows;

/// A platform and a collective on it. Messages have size 1, merges take one unit of work.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name in tables.
    pub name: String,
    /// The platform.
    pub platform: Platform,
    /// The collective.
    pub collective: Collective,
}

/// Nodes named by single words, links as (from, to, cost).
///
/// # Errors
/// An edge has an undeclared node, or a cost is not a number.
pub fn platform(nodes: &str, links: &[(&str, &str, &str)]) -> Result<Platform> {
    let mut builder = Platform::builder();
    for name in nodes.split_whitespace() {
        builder.node(Node::processor(name, whole(1)))?;
    }
    for (from, to, cost) in links {
        let find = |name: &str| {
            builder
                .find(name)
                .with_context(|| format!("no node {name}"))
        };
        let (from, to) = (find(from)?, find(to)?);
        builder.link(from, to, number(cost)?)?;
    }
    Ok(builder.build()?)
}

/// The node of this name.
pub fn node(platform: &Platform, name: &str) -> Result<NodeId> {
    platform
        .find(name)
        .with_context(|| format!("the platform has no node {name}"))
}

/// The link of this name, "a -> b".
pub fn link(platform: &Platform, name: &str) -> Result<LinkId> {
    let (from, to) = name
        .split_once(" -> ")
        .with_context(|| format!("'{name}' is not a link"))?;
    let found = platform.link_between(node(platform, from)?, node(platform, to)?);
    found.with_context(|| format!("the platform has no link {name}"))
}

/// The case with all costs of links and merges multiplied to be whole, and the factor.
pub fn scaled(case: Case) -> Result<(Case, Rational)> {
    let computes = case
        .platform
        .nodes()
        .iter()
        .filter_map(|node| node.compute.as_ref());
    let factor = whole(common_denominator(
        case.platform
            .links()
            .iter()
            .map(|link| &link.cost)
            .chain(computes),
    ));
    let mut builder = Platform::builder();
    for node in case.platform.nodes() {
        let compute = node.compute.as_ref().map(|compute| compute * &factor);
        builder.node(Node {
            compute,
            ..node.clone()
        })?;
    }
    for link in case.platform.links() {
        builder.link(link.from, link.to, &link.cost * &factor)?;
    }
    let name = if factor == whole(1) {
        case.name
    } else {
        format!("{}, costs times {factor}", case.name)
    };
    Ok((
        Case {
            name,
            platform: builder.build()?,
            collective: case.collective,
        },
        factor,
    ))
}

/// A scatter on a platform of one's own.
pub fn scatter(name: &str, platform: Platform, source: &str, targets: &str) -> Result<Case> {
    let targets = targets
        .split_whitespace()
        .map(|target| node(&platform, target))
        .collect::<Result<_>>()?;
    let collective = Collective::scatter(node(&platform, source)?, targets);
    Ok(Case {
        name: name.to_string(),
        platform,
        collective,
    })
}

/// An all-to-all among the named nodes.
pub fn all_to_all(name: &str, platform: Platform, participants: &str) -> Result<Case> {
    let participants = participants
        .split_whitespace()
        .map(|name| node(&platform, name))
        .collect::<Result<_>>()?;
    Ok(Case {
        name: name.to_string(),
        platform,
        collective: Collective::all_to_all(participants),
    })
}

/// A reduce to `target` of the values of the named participants, in that order.
pub fn reduce(name: &str, platform: Platform, target: &str, participants: &str) -> Result<Case> {
    let participants = participants
        .split_whitespace()
        .map(|name| node(&platform, name))
        .collect::<Result<_>>()?;
    let collective = Collective::reduce(node(&platform, target)?, participants).in_order();
    Ok(Case {
        name: name.to_string(),
        platform,
        collective,
    })
}

/// The scatter of RR-4872, figure 2.
pub fn toy() -> Result<Case> {
    scatter(
        "toy of figure 2",
        fixture("toy-scatter.toml")?,
        "Ps",
        "P0 P1",
    )
}

/// The toy with the reverse of every link, at the same cost.
pub fn symmetrised_toy() -> Result<Case> {
    let toy = fixture("toy-scatter.toml")?;
    let mut builder = Platform::builder();
    for node in toy.nodes() {
        builder.node(node.clone())?;
    }
    for link in toy.links() {
        builder.duplex(link.from, link.to, link.cost.clone())?;
    }
    scatter(
        "toy, every link in both directions",
        builder.build()?,
        "Ps",
        "P0 P1",
    )
}

/// A platform file of the repository.
pub fn fixture(name: &str) -> Result<Platform> {
    Ok(files::read_platform(
        rows::root().join("fixtures/platforms").join(name),
    )?)
}

/// A random connected platform whose links cost 1 to `most`.
pub fn random(nodes: usize, degree: usize, seed: u64, most: u64) -> Result<Platform> {
    let costs = Costs::Uniform { low: 1, high: most };
    let options = generate::Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    };
    Ok(generate::random_connected(nodes, degree, &options)?)
}

/// The platform without the links from a node to an earlier one.
pub fn downwards(platform: &Platform) -> Result<Platform> {
    let mut builder = Platform::builder();
    for node in platform.nodes() {
        builder.node(node.clone())?;
    }
    for link in platform.links().iter().filter(|link| link.from < link.to) {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok(builder.build()?)
}

/// A scatter from the first processor to all others.
pub fn scatter_to_all(name: &str, platform: Platform) -> Result<Case> {
    let source = platform.processors().next().context("no processor")?;
    let targets = platform.processors().skip(1).collect();
    Ok(Case {
        name: name.to_string(),
        platform,
        collective: Collective::scatter(source, targets),
    })
}

/// A gather to the first processor from all others.
pub fn gather_from_all(name: &str, platform: Platform) -> Result<Case> {
    let target = platform.processors().next().context("no processor")?;
    let participants = platform.processors().skip(1).collect();
    Ok(Case {
        name: name.to_string(),
        platform,
        collective: Collective::gather(target, participants),
    })
}

/// An all-to-all among all processors.
pub fn all_to_all_of_all(name: &str, platform: Platform) -> Result<Case> {
    let participants = platform.processors().collect();
    Ok(Case {
        name: name.to_string(),
        platform,
        collective: Collective::all_to_all(participants),
    })
}

/// A reduce of the values of all processors to the first.
pub fn reduce_of_all(name: &str, platform: Platform) -> Result<Case> {
    let target = platform.processors().next().context("no processor")?;
    let participants = platform.processors().collect();
    Ok(Case {
        name: name.to_string(),
        platform,
        collective: Collective::reduce(target, participants).in_order(),
    })
}

impl Case {
    /// The problem, with messages of size 1.
    ///
    /// # Panics
    /// A case that makes no sense.
    pub fn problem(&self) -> Problem {
        Problem::new(&self.platform, &self.collective, unit_volumes()).expect("cases make sense")
    }

    /// A solution with a schedule, checked by the referee. It is optimal unless the period is too long.
    pub fn answer(&self) -> Result<Solved> {
        let options = Options {
            period: Period::AtMost(DEFAULT_MAX_INSTANCES),
            ..Options::default()
        };
        let solved = solve(&self.problem(), &options)?;
        solved.plan().with_context(|| self.name.clone())?;
        Ok(solved)
    }

    /// The schedule of [`answer`](Self::answer).
    pub fn schedule(&self) -> Result<PeriodicSchedule> {
        Ok(self.answer()?.plan()?.schedule.clone())
    }

    /// The steady state of [`answer`](Self::answer).
    pub fn steady_state(&self) -> Result<SteadyState> {
        Ok(self.answer()?.plan()?.steady_state.clone())
    }

    /// The certificate of [`answer`](Self::answer).
    pub fn certificate(&self) -> Result<Certificate> {
        Ok(self.answer()?.answer.certificate().clone())
    }

    /// The optimal throughput by one of the two corrected programs.
    pub fn throughput_by(&self, formulation: Formulation) -> Result<Rational> {
        let question = lp::Question::new(&self.problem());
        let solution = lp::solve(&question, &lp::Options::from(formulation))?;
        Ok(solution.steady_state.throughput)
    }

    /// The optimal throughput. Both programs and the referee agree on it.
    pub fn throughput(&self) -> Result<Rational> {
        let solved = self.answer()?;
        let plan = solved.plan()?;
        let throughput = plan.steady_state.throughput.clone();
        let bound = oneport::referee::bound(
            &Problem::new(&self.platform, &self.collective, unit_volumes())?,
            plan.certificate,
            &Watch::unlimited(),
        )?;
        anyhow::ensure!(
            bound == throughput,
            "{}: the certificate proves {bound}, not {throughput}",
            self.name
        );
        let compact = self.throughput_by(Formulation::Compact)?;
        anyhow::ensure!(
            compact == throughput,
            "{}: the two programs differ: {compact}, {throughput}",
            self.name
        );
        Ok(throughput)
    }
}

/// The solution, and the rounds of column generation that it took.
pub fn counted(question: lp::Question) -> Result<(lp::Solution, usize)> {
    let rounds = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&rounds);
    let watch = question.watch().clone().heard(move |_| {
        heard.fetch_add(1, Ordering::Relaxed);
    });
    let solution = lp::solve(&question.watched(watch), &lp::Options::default())?;
    Ok((solution, rounds.load(Ordering::Relaxed)))
}
