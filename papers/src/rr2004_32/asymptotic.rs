//! Section 6: messages delivered within K against TP K.

use anyhow::{Context, Result, ensure};
use oneport::{Platform, PortModel};
use oneport_drawings::svg;

use super::exhaustive;
use super::platforms::{answer, broadcast, figure_1, figure_2, half_duplex, optimum};
use crate::cases::{self, Case};
use crate::figures::Figure;
use crate::numbers::{digits, pixels, short, whole};
use crate::rows::{Check, Finding};
use crate::runs::ScheduleRun;

pub const CHECKS: &[(&str, Check)] = &[("lemma-5", |_| lemma_5()), ("theorem-4", |_| theorem_4())];

/// Periods of every run.
const PERIODS: u64 = 100;

/// A run and the depth of its trees, L.
struct Followed {
    run: ScheduleRun,
    depth: u64,
}

impl Followed {
    /// The corrected `steady(G, K) = TP (K - L T)` at the end of a period.
    fn floor(&self, periods: u64) -> u64 {
        periods.saturating_sub(self.depth) * self.run.instances
    }
}

fn runs() -> Result<Vec<Followed>> {
    let line = half_duplex(
        "a b c d e",
        &[
            ("a", "b", "1"),
            ("b", "c", "2"),
            ("c", "d", "1"),
            ("d", "e", "2"),
        ],
    )?;
    let random: Platform = cases::random(8, 3, 7, 4)?.with_model(PortModel::HalfDuplex);
    let named = [
        ("figure 1", figure_1()?),
        ("figure 2", figure_2()?),
        ("line of 5", line),
        ("random, 8 nodes", random),
    ];
    let mut runs = Vec::new();
    for (name, platform) in named {
        let collective = broadcast(&platform);
        let solved = answer(&platform, &collective)?;
        let plan = solved.plan()?;
        let case = Case {
            name: name.to_string(),
            platform,
            collective,
        };
        let run = ScheduleRun::new(name, &case, plan.schedule, PERIODS)?;
        runs.push(Followed {
            run,
            depth: plan.schedule.depth() as u64,
        });
    }
    Ok(runs)
}

/// The platform with all costs multiplied.
fn stretched(platform: &Platform, factor: u64) -> Result<Platform> {
    let mut builder = Platform::builder();
    builder.model(platform.model());
    for node in platform.nodes() {
        builder.node(node.clone())?;
    }
    for link in platform.links() {
        builder.link(link.from, link.to, &link.cost * whole(factor))?;
    }
    Ok(builder.build()?)
}

/// No run delivers more than TP K, and no schedule of a few broadcasts does.
fn lemma_5() -> Result<Finding> {
    let mut points = 0u64;
    for Followed { run, .. } in runs()? {
        for k in 0..=PERIODS {
            ensure!(
                run.delivered(k) <= run.ceiling(k),
                "{}: more than TP K after {k} periods",
                run.name
            );
            points += 1;
        }
    }
    let line = half_duplex(
        "a b c d",
        &[("a", "b", "1"), ("b", "c", "2"), ("c", "d", "1")],
    )?;
    let mut most = Vec::new();
    for (platform, messages, horizon) in [
        (stretched(&figure_2()?, 2)?, 4, 14),
        (stretched(&figure_1()?, 4)?, 2, 14),
        (line, 4, 14),
    ] {
        let throughput = optimum(&platform, &broadcast(&platform))?;
        let best = exhaustive::opt(&platform, messages, horizon)?;
        for (k, &best) in best.iter().enumerate() {
            ensure!(
                whole(best) <= &throughput * whole(k),
                "opt({k}) = {best} is more than TP K"
            );
            // A result equal to the search's limit proves nothing.
            points += u64::from(best < messages);
        }
        let all = best
            .iter()
            .position(|&best| best == messages)
            .context("the horizon is too short")?;
        let least = (whole(messages) / &throughput).ceil();
        most.push(format!(
            "{messages} messages in {all}, by TP K in no less than {least}"
        ));
    }
    let most = most.join("; ");
    Ok(Finding::claim(
        true,
        format!("{points} dates; 4 runs, and every schedule of 3 small platforms: {most}"),
    ))
}

/// Every run delivers TP (K - L T), and stays a constant behind TP K.
fn theorem_4() -> Result<Finding> {
    let mut shown = Vec::new();
    for followed in runs()? {
        let run = &followed.run;
        for k in 0..=PERIODS {
            ensure!(
                run.delivered(k) >= followed.floor(k),
                "{}: too few after {k} periods",
                run.name
            );
        }
        let loss = run
            .constant_loss()
            .with_context(|| format!("{}: the loss grows", run.name))?;
        shown.push(format!("{} {loss}", run.name));
    }
    Ok(Finding::claim(
        true,
        format!(
            "messages behind TP K, from the start-up on: {}",
            shown.join(", ")
        ),
    ))
}

/// The ratios as curves and as a table.
pub fn figures() -> Result<Vec<Figure>> {
    let runs = runs()?;
    let (mut series, mut rows): (Vec<svg::Series>, _) = (Vec::new(), Vec::new());
    // Curves that coincide are drawn once, under all their names.
    let mut add = |name: String, points: Vec<(f64, f64)>| match series
        .iter_mut()
        .find(|drawn| drawn.points == points)
    {
        Some(drawn) => drawn.name = format!("{}; {name}", drawn.name),
        None => series.push(svg::Series { name, points }),
    };
    for followed in &runs {
        let run = &followed.run;
        let points = |value: &dyn Fn(u64) -> u64| {
            let point = |k: u64| (k as f64, value(k) as f64 / run.ceiling(k) as f64);
            run.grid().into_iter().map(point).collect()
        };
        add(run.name.clone(), points(&|k| run.delivered(k)));
        let name = format!("TP (K - L T): {}", run.name);
        add(name, points(&|k| followed.floor(k)));
        for k in [2, 5, 20, PERIODS] {
            rows.push(vec![
                run.name.clone(),
                short(&(&run.period * whole(k))),
                followed.depth.to_string(),
                followed.floor(k).to_string(),
                run.delivered(k).to_string(),
                run.ceiling(k).to_string(),
                digits(run.delivered(k) as f64 / run.ceiling(k) as f64),
            ]);
        }
    }
    let title = "Series of broadcasts: delivered within K";
    let options = svg::CurveOptions {
        log_x: true,
        reference: Some((1.0, "optimum, TP K".to_string())),
        ..Default::default()
    };
    let drawing = svg::curve(
        title,
        "K, periods",
        "broadcasts delivered / (TP K)",
        &series,
        &options,
    );
    let periods: Vec<String> = runs
        .iter()
        .map(|followed| {
            format!(
                "{} T = {}",
                followed.run.name,
                digits(pixels(&followed.run.period))
            )
        })
        .collect();
    let caption = format!("Half-duplex. Periods: {}.", periods.join(", "));
    let header = [
        "platform",
        "K",
        "depth L",
        "TP (K - L T)",
        "delivered by K (measured)",
        "TP K",
        "delivered / TP K",
    ];
    Ok(vec![
        Figure::svg(title, caption.clone(), drawing),
        Figure::table(
            "Series of broadcasts: delivered within K, numbers",
            &caption,
            &header,
            rows,
        ),
    ])
}
