//! Drawings and tables of the report.

use anyhow::Result;
use oneport::plan::{PeriodicSchedule, SteadyState};
use oneport_drawings::svg;

use crate::cases::Case;
use crate::numbers::{digits, pixels, whole};
use crate::runs::ScheduleRun;

/// A drawing or a table with its explanation.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Heading and file name of the drawing.
    pub title: String,
    /// Caption.
    pub caption: String,
    /// The drawing or table.
    pub body: Body,
    /// Whether it takes the page's whole width.
    pub wide: bool,
}

/// Content of a figure.
#[derive(Debug, Clone)]
pub enum Body {
    /// A drawing.
    Svg(String),
    /// A table.
    Table {
        /// Column heads.
        header: Vec<String>,
        /// Cells.
        rows: Vec<Vec<String>>,
    },
}

/// Fact: half of the page's width in pixels. A wider drawing is shrunk there, and its type with it.
const HALF: usize = 510;

/// Tables with more columns take the page's whole width.
const NARROW: usize = 5;

impl Figure {
    /// A drawing.
    pub fn svg(title: impl Into<String>, caption: impl Into<String>, svg: String) -> Figure {
        Figure {
            title: title.into(),
            caption: caption.into(),
            wide: width(&svg).is_some_and(|width| width > HALF),
            body: Body::Svg(svg),
        }
    }

    /// A table.
    pub fn table(title: &str, caption: &str, header: &[&str], rows: Vec<Vec<String>>) -> Figure {
        let header: Vec<String> = header.iter().map(|head| head.to_string()).collect();
        let wide = header.len() > NARROW;
        Figure {
            title: title.to_string(),
            caption: caption.to_string(),
            body: Body::Table { header, rows },
            wide,
        }
    }
}

/// Width of a drawing in whole pixels, as its first element states it.
fn width(svg: &str) -> Option<usize> {
    let (_, rest) = svg.split_once(" width=\"")?;
    let (number, _) = rest.split_once(['"', '.', 'p'])?;
    number.parse().ok()
}

/// A table for spreadsheets.
pub fn csv(header: &[String], rows: &[Vec<String>]) -> String {
    let quoted = |cell: &String| {
        if cell.contains([',', '"', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    let line = |cells: &[String]| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    line(header) + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// A platform and, if given, the flows on it.
pub fn graph(case: &Case, steady_state: Option<&SteadyState>) -> String {
    svg::graph(&case.problem(), steady_state, None)
}

/// One period.
pub fn gantt(case: &Case, schedule: &PeriodicSchedule) -> String {
    svg::gantt(&case.problem(), schedule)
}

/// Delivered over optimal against time, and the paper's lower bound for each run.
pub fn asymptotic_curve(title: &str, runs: &[ScheduleRun]) -> String {
    let points = |run: &ScheduleRun, value: &dyn Fn(u64) -> u64| {
        let point = |k: u64| {
            (
                pixels(&run.period) * k as f64,
                value(k) as f64 / run.ceiling(k) as f64,
            )
        };
        run.grid().into_iter().map(point).collect()
    };
    let mut series = Vec::new();
    for run in runs {
        series.push(svg::Series {
            name: run.name.clone(),
            points: points(run, &|k| run.delivered(k)),
        });
        let name = format!("bound: {}", run.name);
        series.push(svg::Series {
            name,
            points: points(run, &|k| run.paper_floor(k)),
        });
    }
    let options = svg::CurveOptions {
        log_x: true,
        reference: Some((1.0, "optimum, TP K".to_string())),
        ..Default::default()
    };
    svg::curve(
        title,
        "K, units of time",
        "instances delivered / (TP K)",
        &series,
        &options,
    )
}

/// The curve as a table.
pub fn asymptotic_table(title: &str, caption: &str, runs: &[ScheduleRun]) -> Result<Figure> {
    let mut rows = Vec::new();
    for run in runs {
        for k in [5, 20, run.periods]
            .into_iter()
            .filter(|&k| k <= run.periods)
        {
            let time = &run.period * whole(k);
            rows.push(vec![
                run.name.clone(),
                crate::numbers::short(&time),
                run.paper_floor(k).to_string(),
                run.delivered(k).to_string(),
                run.ceiling(k).to_string(),
                digits(run.delivered(k) as f64 / run.ceiling(k) as f64),
            ]);
        }
    }
    rows.dedup();
    let header = [
        "schedule",
        "K",
        "paper's bound steady(G, K)",
        "delivered by K (measured)",
        "TP K",
        "delivered / TP K",
    ];
    Ok(Figure::table(title, caption, &header, rows))
}
