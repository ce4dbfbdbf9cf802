//! Drawings and tables of section 4.

use anyhow::Result;
use oneport::plan::{Pattern, SteadyState};
use oneport::{Rational, schedule};
use oneport_drawings::svg;

use super::errata::{self, Circulation};
use super::tasks;
use super::toy::{self, AT_1, Toy};
use super::{convergence, experiment, runs, single};
use crate::cases::Case;
use crate::figures::{self, Figure};

fn draw(case: &Case, tree: &Pattern, weight: Option<&Rational>) -> String {
    svg::tree(&case.problem(), tree, weight)
}

/// All drawings of section 4, and ours.
pub fn figures() -> Result<Vec<Figure>> {
    let toy = Toy::load()?;
    let two = toy.steady_state()?;
    let (connected, example) = (toy::connected()?, toy::listed("rr4872", "figure-5")?);
    let mut figures = vec![
        Figure::svg(
            "The example of a reduction tree (figure 5)",
            "Section 4.1, step by step from below. The referee finds it to be a reduction tree.",
            draw(&connected, &example, None),
        ),
        Figure::svg(
            "One reduction by that tree",
            "Every task as early as it can, with the costs of figure 6.",
            svg::timeline_gantt(&connected.problem(), &single::run(&connected, &example)),
        ),
        Figure::svg(
            "The platform of figure 6(a), four links",
            "Slide 81 has four cost labels beside the nodes 0, 1, 2, all 1; figure 6(b) uses four links.",
            svg::platform(
                &toy.case.platform,
                "Figure 6(a)",
                "four links of cost 1; node 0 merges in 1/2, nodes 1 and 2 in 1",
            ),
        ),
        Figure::svg(
            "The paper's solution of the reduce (figure 6c)",
            "Figure 6(b) on the topology, per unit of time, as slide 82 has it. It satisfies the corrected program and is optimal.",
            svg::graph_of_rates(&toy.case.problem(), &two, None),
        ),
    ];
    for (index, (tree, weight)) in toy.extracted()?.iter().enumerate() {
        figures.push(Figure::svg(
            format!(
                "Reduction tree {} of the paper's solution (figure 7)",
                index + 1
            ),
            format!("Found by the corrected EXTRACT_TREES, with weight {weight}."),
            draw(&toy.case, tree, Some(weight)),
        ));
    }
    figures.extend(tables(&toy)?);
    figures.extend(schedules(&toy, &two)?);
    figures.push(circulation()?);
    let runs = runs()?;
    let caption = "A run of each schedule; the referee carries every value along. K is counted in whole periods; I is the number of stages.";
    figures.push(figures::asymptotic_table(
        "Proposition 3, measured",
        caption,
        &runs,
    )?);
    let caption =
        "Reductions finished by time K over TP(G) K; below each, the bound as for scatters.";
    figures.push(Figure::svg(
        "Proposition 3",
        caption,
        figures::asymptotic_curve("Series of reduces: delivered over optimal", &runs),
    ));
    figures.extend(convergence::figures()?);
    figures.extend(experiment::figures()?);
    Ok(figures)
}

/// Figures 6(d) and 6(e) as printed.
fn tables(toy: &Toy) -> Result<[Figure; 2]> {
    let mark = "An exclamation mark: a port that serves two links at this time.";
    let caption = format!(
        "Node 1 merges twice and node 2 once, the mirror of figure 6(b); on 2 -> 1 it should be v22; P0 receives twice at 2. {mark}"
    );
    let basic = errata::table(&toy.case, "figure-6d")?
        .figure("The table of figure 6d, as printed", &caption);
    let caption = format!(
        "P0 receives twice at 2, 5, 8, 11, and P1 sends twice at 3, 6, 9, so this is no schedule under the one-port model. {mark}"
    );
    let pipelined = errata::table(&toy.case, "figure-6e")?
        .figure("The table of figure 6e, as printed", &caption);
    Ok([basic, pipelined])
}

fn schedules(toy: &Toy, two: &SteadyState) -> Result<Vec<Figure>> {
    let schedule = toy.schedule(two)?;
    let timeline = schedule::timeline(&toy.case.problem(), &schedule, 5)?;
    let three = schedule::timeline(&toy.case.problem(), &schedule, 1)?;
    let one = toy.single(&AT_1)?;
    let tree = tasks::trees(&one.patterns)
        .next()
        .map(|(tree, weight)| draw(&toy.case, tree, Some(weight)));
    Ok(vec![
        Figure::svg(
            "The two trees over a period of 3",
            "Two matchings, one per tree: what figures 6(d) and 6(e) should show.",
            figures::gantt(&toy.case, &schedule),
        ),
        Figure::svg(
            "Three reductions by the two trees (figure 6d), valid",
            "One period's reductions from the first transfer to the last merge; the referee accepts it, one port and all.",
            svg::timeline_gantt(&toy.case.problem(), &three),
        ),
        Figure {
            wide: true,
            ..Figure::svg(
                "The two trees, five periods with start-up and clean-up (figure 6e), valid",
                "A timeline that the referee accepts; every value has its dates.",
                svg::timeline_gantt(&toy.case.problem(), &timeline),
            )
        },
        Figure::svg(
            "One tree does as well",
            "The tree that merges at node 1, for every reduction: TP = 1 with a period of 1. Its mirror does as well.",
            tree.unwrap_or_default(),
        ),
        Figure::svg(
            "Our schedule of the reduce of figure 6",
            "Period 1.",
            figures::gantt(&toy.case, &toy.case.schedule()?),
        ),
    ])
}

/// The solution on which FIND_TREE does not end.
fn circulation() -> Result<Figure> {
    let circulation = Circulation::load()?;
    let rows = circulation.rates.iter().map(|(&task, rate)| {
        let cancelled = if tasks::name(&circulation.case.platform, task) == "0 -> 1: v[1,2]" {
            "all of it"
        } else {
            ""
        };
        vec![
            tasks::name(&circulation.case.platform, task),
            rate.to_string(),
            cancelled.to_string(),
        ]
    });
    let caption = "Fully connected, with links of cost 1/4: TP = 2, optimal, and 0 -> 1 carries as much of v[1,2] as it can in an optimal \
                   solution. FIND_TREE may follow v[1,2] from 0 to 1 to 0 for ever; ours cancels the circulation first.";
    let header = ["task", "times per unit of time", "circulates"];
    Ok(Figure::table(
        "A solution on which FIND_TREE does not end",
        caption,
        &header,
        rows.collect(),
    ))
}
