//! Figures 1 to 6 as far as the text determines them.

use anyhow::Result;
use oneport::plan::Plan;
use oneport::{Platform, PortModel};
use oneport_drawings::svg;

use super::example::{ALL, D1, T2};
use super::platforms::{broadcast, figure_1, figure_2, only, plan};
use super::program::{self, Net};
use crate::cases::Case;
use crate::figures::{self, Figure};

/// A platform's graph with its flows, and one period.
fn both(figures: &mut Vec<Figure>, name: &str, platform: Platform) -> Result<Plan> {
    let collective = broadcast(&platform);
    let plan = plan(&platform, &collective)?;
    let case = Case { name: name.to_string(), platform, collective };
    let tp = &plan.steady_state.throughput;
    let caption = format!("Throughput {tp}; links in use, the wider the busier.");
    let graph = figures::graph(&case, Some(&plan.steady_state));
    figures.push(Figure::svg(format!("Papers 004, {name}: flows"), caption, graph));
    let schedule = &plan.schedule;
    let caption = format!("{} messages every {} units of time.", schedule.instances, schedule.period);
    figures.push(Figure::svg(format!("Papers 004, {name}: one period"), caption, figures::gantt(&case, schedule)));
    Ok(plan)
}

/// Drawings and the three throughputs of every example.
pub fn figures() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let one = figure_1()?;
    for (name, links) in [("best tree T2", &T2[..]), ("best DAG D1", &D1[..]), ("whole platform", &ALL[..])] {
        both(&mut figures, &format!("figure 1, {name}"), only(&one, links)?)?;
    }
    let two = both(&mut figures, "figure 2", figure_2()?)?;
    for (place, weighted) in two.steady_state.patterns.iter().enumerate() {
        let drawing = svg::pattern(two.problem()?, &weighted.pattern, Some(&weighted.weight));
        let title = format!("Papers 004, figure 3: tree {} of our optimum on figure 2", place + 1);
        figures.push(Figure::svg(title, "T2; T1 is not used.", drawing));
    }
    let mut rows = Vec::new();
    for (name, platform) in [("figure 1", figure_1()?), ("figure 2", figure_2()?)] {
        let net = Net::of(&platform);
        let trees = net.trees(0);
        let wrong = program::ports_only(&net, &trees)?;
        let least = program::least_time(&net.matchings(), &program::busy(&net, &wrong.patterns))?;
        let full = platform.clone().with_model(PortModel::FullDuplex);
        rows.push(vec![
            name.to_string(),
            wrong.value.to_string(),
            least.to_string(),
            (&wrong.value / &least).to_string(),
            plan(&platform, &broadcast(&platform))?.steady_state.throughput.to_string(),
            plan(&full, &broadcast(&full))?.steady_state.throughput.to_string(),
        ]);
    }
    let header = [
        "platform",
        "ports only",
        "time its trees take",
        "so it achieves",
        "optimum, half-duplex",
        "optimum, full-duplex",
    ];
    figures.push(Figure::table(
        "Papers 004: port constraints are not enough",
        "The linear program that section 2.2.2 marks as wrong, what its trees really achieve, and the optima.",
        &header,
        rows,
    ));
    Ok(figures)
}
