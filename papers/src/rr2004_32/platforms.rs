//! The paper's platforms, and the answers that the other files compare.

use anyhow::{Result, ensure};
use oneport::plan::Status;
use oneport::{
    Collective, DEFAULT_MAX_INSTANCES, NodeId, Options, Period, Platform, PortModel, Problem,
    Rational, Solved, solve,
};

use super::program::{self, Net, Optimum};
use crate::cases;
use crate::numbers::unit_volumes;

/// A half-duplex platform.
pub fn half_duplex(nodes: &str, links: &[(&str, &str, &str)]) -> Result<Platform> {
    Ok(cases::platform(nodes, links)?.with_model(PortModel::HalfDuplex))
}

/// Figure 1, from the numbers of section 2.3. The text does not describe its drawing.
pub fn figure_1() -> Result<Platform> {
    let links = [
        ("Ps", "P1", "1"),
        ("Ps", "P2", "1"),
        ("P1", "P2", "1/4"),
        ("P2", "P1", "1/4"),
        ("P1", "P3", "1/2"),
        ("P2", "P4", "1/2"),
    ];
    half_duplex("Ps P1 P2 P3 P4", &links)
}

/// Figure 2, from the programs of section 2.2.
pub fn figure_2() -> Result<Platform> {
    half_duplex(
        "P1 P2 P3",
        &[("P1", "P2", "1"), ("P1", "P3", "1"), ("P2", "P3", "1/2")],
    )
}

/// The platform with the named links only.
pub fn only(platform: &Platform, names: &[&str]) -> Result<Platform> {
    let kept = names
        .iter()
        .map(|name| cases::link(platform, name))
        .collect::<Result<Vec<_>>>()?;
    let mut builder = Platform::builder();
    builder.model(platform.model());
    for node in platform.nodes() {
        builder.node(node.clone())?;
    }
    for link in platform.link_ids().filter(|link| kept.contains(link)) {
        let link = platform.link(link);
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok(builder.build()?)
}

/// A broadcast from the first node to all others.
pub fn broadcast(platform: &Platform) -> Collective {
    Collective::broadcast(NodeId::new(0), platform.node_ids().skip(1).collect())
}

/// Our answer, which the referee has checked and which is optimal.
pub fn answer(platform: &Platform, collective: &Collective) -> Result<Solved> {
    let options = Options {
        period: Period::AtMost(DEFAULT_MAX_INSTANCES),
        ..Options::default()
    };
    let problem = Problem::new(platform, collective, unit_volumes())?;
    let solved = solve(&problem, &options)?;
    let plan = solved.plan()?;
    ensure!(
        plan.status == Status::Optimal,
        "our answer is not known to be optimal"
    );
    ensure!(
        plan.schedule.throughput() == plan.steady_state.throughput,
        "our schedule does not attain the optimum"
    );
    Ok(solved)
}

/// The throughput of [`answer`].
pub fn optimum(platform: &Platform, collective: &Collective) -> Result<Rational> {
    Ok(answer(platform, collective)?.answer.bound().clone())
}

/// (P) with everything enumerated.
pub fn enumerated(platform: &Platform, collective: &Collective) -> Result<Optimum> {
    let net = Net::of(platform);
    program::primal(
        &net,
        &program::allowed_sets(platform),
        &net.patterns(collective)?,
    )
}

/// The optimal throughput, on which our solver and (P) agree.
pub fn throughput(platform: &Platform, collective: &Collective) -> Result<Rational> {
    let (ours, theirs) = (
        optimum(platform, collective)?,
        enumerated(platform, collective)?.value,
    );
    ensure!(ours == theirs, "our solver finds {ours}, (P) {theirs}");
    Ok(ours)
}

/// Random connected platforms: `per_size` of each size and degree, links of cost 1 to 4, all half-duplex.
pub fn random_platforms(sizes: &[(usize, usize)], per_size: u64) -> Result<Vec<Platform>> {
    let mut platforms = Vec::new();
    for &(nodes, degree) in sizes {
        for seed in 1..=per_size {
            platforms
                .push(cases::random(nodes, degree, seed, 4)?.with_model(PortModel::HalfDuplex));
        }
    }
    Ok(platforms)
}
