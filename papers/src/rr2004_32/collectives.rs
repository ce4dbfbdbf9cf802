//! Section 4: the other collectives by (P) over products of patterns.

use anyhow::{Context, Result, ensure};
use oneport::plan::Form;
use oneport::{Collective, NodeId, Platform, PortModel, Rational};

use oneport_lp::Watch;
use oneport_separation::Instance;

use super::errata;
use super::platforms::{figure_2, half_duplex, random_platforms, throughput};
use super::program::Net;
use crate::errata::Sides;
use crate::numbers::short;
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("scatter", |_| {
        agree(
            errata::counted_once("scatter")?,
            &[(3, 2), (4, 2), (4, 3), (5, 2)],
            4,
            |platform| Collective::scatter(NodeId::new(0), platform.node_ids().skip(1).collect()),
        )
    }),
    ("total-exchange", |_| {
        agree(
            errata::counted_once("total-exchange")?,
            &[(3, 2), (4, 2)],
            4,
            |platform| Collective::all_gather(platform.node_ids().collect()),
        )
    }),
    ("all-to-all", |_| {
        agree(
            errata::counted_once("all-to-all")?,
            &[(3, 2), (4, 2)],
            4,
            |platform| Collective::all_to_all(platform.node_ids().collect()),
        )
    }),
    ("definition-8", |_| definition_8()),
    ("lemma-4", |_| {
        Ok(errata::prices_of_both_signs()?.finding().note(lemma_4()?))
    }),
    ("separation-4-2", |_| oracle(Collective::all_gather)),
    ("separation-4-3", |_| oracle(Collective::all_to_all)),
];

/// The oracle on random half-duplex platforms: the optimum over its inequalities is proved, and equals that of (P)
/// enumerated.
fn oracle(collective: impl Fn(Vec<NodeId>) -> Collective) -> Result<Finding> {
    let platforms = random_platforms(&[(3, 2), (4, 2)], 4)?;
    let mut most = 0;
    for platform in &platforms {
        let collective = collective(platform.node_ids().collect());
        let instance = Instance::new(platform, &collective)?;
        let found = instance.optimum(&Watch::unlimited())?;
        found.check(&instance)?;
        let ours = throughput(platform, &collective)?;
        ensure!(
            found.weighted.value == ours,
            "{} by the oracle, {ours} by enumeration",
            found.weighted.value
        );
        most = most.max(found.type_one + found.type_two);
    }
    Ok(Finding::claim(
        most > 0,
        format!(
            "{} platforms, optima proved, up to {most} inequalities",
            platforms.len()
        ),
    ))
}

/// The erratum's sides, and our solver and (P), with links counted as often as used, on random half-duplex platforms of
/// these sizes and degrees.
fn agree(
    sides: Sides,
    sizes: &[(usize, usize)],
    per_size: u64,
    collective: impl Fn(&Platform) -> Collective,
) -> Result<Finding> {
    let platforms = random_platforms(sizes, per_size)?;
    let (mut patterns, mut slower) = (0, 0);
    for platform in &platforms {
        let collective = collective(platform);
        let half = throughput(platform, &collective)?;
        let full = throughput(
            &platform.clone().with_model(PortModel::FullDuplex),
            &collective,
        )?;
        ensure!(
            half <= full,
            "{} half-duplex, {} full-duplex",
            short(&half),
            short(&full)
        );
        slower += usize::from(half < full);
        patterns = patterns.max(Net::of(platform).patterns(&collective)?.len());
    }
    let tried = platforms.len();
    ensure!(slower > 0, "no platform tells half-duplex from full-duplex");
    let note = format!(
        "as often as used, (P) is right on {tried} platforms, up to {patterns} patterns; {slower} slower than full-duplex"
    );
    Ok(sides.finding().note(note))
}

/// All-to-all of sources and targets, which may share nodes: our solver and (P) over products of paths.
fn definition_8() -> Result<Finding> {
    let platforms = random_platforms(&[(4, 2), (4, 3), (5, 2)], 4)?;
    let (mut tried, mut faster) = (0usize, 0usize);
    for platform in &platforms {
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let last = nodes.len() - 1;
        let optimum = |sources: &[usize], targets: &[usize]| -> Result<Rational> {
            let lists =
                [sources, targets].map(|list| list.iter().map(|&node| nodes[node]).collect());
            let form = Form::find("sources-to-targets").context("a form")?;
            throughput(
                platform,
                &form.build(&lists, false).context("sources and targets")?,
            )
        };
        let apart = optimum(&[0, 1], &[last - 1, last])?;
        let shared = optimum(&[0, 1], &[1, last])?;
        let scatter = optimum(&[0], &[last - 1, last])?;
        // Without the second source, the first goes on as it did.
        ensure!(
            scatter >= apart,
            "a second source makes it faster: {scatter}, {apart}"
        );
        faster += usize::from(scatter > apart);
        tried += 2;
        ensure!(shared > Rational::default(), "nothing is sent");
    }
    Ok(Finding::claim(
        faster > 0,
        format!(
            "{tried} pairs of two sources and two targets on {} platforms",
            platforms.len()
        ),
    ))
}

/// The lightest pattern of a scatter consists of shortest paths, for all positive prices.
fn lemma_4() -> Result<String> {
    let mut platforms = vec![
        figure_2()?,
        half_duplex(
            "a b c",
            &[("a", "b", "2"), ("b", "c", "1"), ("a", "c", "4")],
        )?,
    ];
    platforms.extend(random_platforms(&[(4, 2), (4, 3), (5, 2)], 3)?);
    let mut tried = 0usize;
    for platform in &platforms {
        let net = Net::of(platform);
        let targets: Vec<NodeId> = platform.node_ids().skip(1).collect();
        let patterns = net.patterns(&Collective::scatter(NodeId::new(0), targets.clone()))?;
        for round in 0..5u64 {
            let price = |link: usize| 1 + (link as u64 * 7 + round * 11) * 13 % 17;
            let weight = |links: &[usize]| links.iter().map(|&link| price(link)).sum::<u64>();
            let lightest = patterns.iter().map(|pattern| weight(pattern)).min();
            // Bellman and Ford.
            let mut distance: Vec<Option<u64>> = vec![None; net.nodes];
            distance[0] = Some(0);
            for _ in 1..net.nodes {
                for (link, arc) in net.arcs.iter().enumerate() {
                    let through = distance[arc.from].map(|so_far| so_far + price(link));
                    distance[arc.to] = [distance[arc.to], through].into_iter().flatten().min();
                }
            }
            let shortest: Option<u64> = targets.iter().map(|target| distance[target.index()]).sum();
            ensure!(
                lightest == shortest,
                "{lightest:?} is the lightest pattern, {shortest:?} the shortest paths"
            );
            tried += 1;
        }
    }
    Ok(format!(
        "right for {tried} lists of positive prices, all patterns"
    ))
}
