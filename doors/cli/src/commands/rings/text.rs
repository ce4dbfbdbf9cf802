//! Formats the answer of `oneport rings`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use oneport::plan::Ring;
use oneport::platform::{LinkId, whole};
use oneport::watch::Limit;
use oneport::{Answer, NodeId, Platform, Rational, Rings, Status};
use oneport_topologies::PathType;
use serde_json::{Value, json};

use super::graph::{Judged, Ranks};
use crate::answers::answer::models;
use crate::answers::mixed;
use crate::flags::limits::named;
use crate::words::clock;
use crate::words::numbers::{both, percent, readable};
use crate::words::output::{MORE, count, few};
use crate::words::tables::{Sheet, plain};

/// Limit on the rings shown. The others are counted.
const SHOWN: usize = 32;

/// The question and its answer.
pub struct Report<'r> {
    /// The platform.
    pub platform: &'r Platform,
    /// Its processors that take part.
    pub gpus: &'r [NodeId],
    /// Their ranks and devices.
    pub ranks: Ranks,
    /// The best rings.
    pub rings: Rings,
    /// All-gathers over trees. `None` if a limit came first.
    pub trees: Option<Answer>,
    /// The rings of a graph file that is checked.
    pub judged: Option<Judged>,
    /// Nodes outside the box of the processors that the equal rings go through.
    pub outside: Vec<String>,
    /// An equal ring that mixes kinds of links within a box, and its PCI links.
    pub mixed: Option<(&'r Ring, Vec<LinkId>)>,
    /// The limit that ended a search, if one has.
    pub ended_by: Option<Limit>,
    /// Time since the command began.
    pub seconds: Duration,
}

/// Graph files that were written.
pub struct Written {
    /// The paths of the files.
    pub paths: Vec<PathBuf>,
    /// NCCL's type of the paths between GPUs.
    pub path_type: PathType,
    /// Channels of each.
    pub channels: u32,
    /// GB/s of a channel.
    pub speed: Rational,
}

impl Report<'_> {
    /// Reasons why NCCL may not attain the throughput of the rings.
    fn warnings(&self) -> Vec<String> {
        self.leaves_the_box()
            .into_iter()
            .chain(self.mixes())
            .collect()
    }

    fn mixes(&self) -> Option<String> {
        let (ring, links) = self.mixed.as_ref()?;
        let link = |&link: &LinkId| {
            let link = self.platform.link(link);
            format!(
                "{} -> {}",
                self.platform.name(link.from),
                self.platform.name(link.to)
            )
        };
        Some(format!(
            "ring {} has NVLink or xGMI between some GPUs and PCI between others ({}); a graph file names no links, and \
             NCCL takes one kind for all GPUs of a box: without its PCI links the rings are those that it can carry ({})",
            names(self, ring).join(" -> "),
            few(links.iter().map(link), 6, MORE),
            mixed::WITHOUT
        ))
    }

    fn leaves_the_box(&self) -> Option<String> {
        let names = few(&self.outside, 4, MORE);
        (!self.outside.is_empty()).then(|| {
            format!(
                "these rings leave the box through {names}; a graph file names no links, and NCCL stays within the \
                 box: without these nodes in the platform file the rings are those that it can carry"
            )
        })
    }

    /// Throughput of trees and its upper bound, as bus bandwidth, the measure of rings: an all-gather takes every
    /// processor's message to all others.
    fn of_trees(&self) -> Option<(Rational, Rational)> {
        let others = whole(self.gpus.len() as u64 - 1);
        let trees = self.trees.as_ref()?;
        Some((trees.throughput()? * &others, trees.bound() * &others))
    }
}

/// A rate in the platform's units.
fn rate(platform: &Platform, value: &Rational) -> String {
    match platform.units() {
        Some(units) if value.is_integer() => units.show_rate(value),
        Some(units) => format!("{} (= {})", units.show_rate(value), readable(value)),
        None => format!("{} per unit of time", both(value)),
    }
}

/// The relative amount by which `value` is below `other`.
fn below(value: &Rational, other: &Rational) -> Rational {
    whole(1) - value / other
}

/// The lines of the answer.
pub fn text(report: &Report<'_>, written: Option<&Written>) -> String {
    let Report {
        platform,
        gpus,
        rings,
        ..
    } = report;
    let (packing, equal) = (&rings.packing, &rings.equal);
    let shown = |value: &Rational| rate(platform, value);
    let mut out = format!(
        "rings over {} on {}, {} ({})\n",
        count(gpus.len(), "processor"),
        count(platform.nodes().len(), "node"),
        count(platform.links().len(), "link"),
        models(platform)
    );
    let proof = match rings.status {
        Status::Optimal => {
            "optimal: the referee recomputed the bound over all sets of processors".to_string()
        }
        Status::Feasible => {
            let gap = percent(&below(&packing.total, &packing.upper_bound));
            format!(
                "feasible; upper bound {}, gap {gap}",
                shown(&packing.upper_bound)
            )
        }
    };
    let _ = writeln!(
        out,
        "rings       {} on {} ({proof})",
        shown(&packing.total),
        count(packing.rings.len(), "ring")
    );
    let _ = writeln!(out, "equal       {}", of_equal(report));
    let _ = writeln!(out, "trees       {}", of_trees(report));
    if let Some(judged) = &report.judged {
        let total = judged.rings.total();
        let lost = below(&total, &packing.upper_bound);
        let stated = oneport::decimal(&judged.stated, 6);
        let _ = if judged.paths {
            writeln!(
                out,
                "checked     {} of {} each, together {}, from network card to network card: channels of a job of several \
                 boxes, whose rings return through the other boxes; its speeds add up to {stated} GB/s",
                count(judged.rings.count(), "path"),
                shown(&judged.rings.share),
                shown(&total),
            )
        } else {
            writeln!(
                out,
                "checked     {} of {} each, together {}: {} below the best; its speeds add up to {} GB/s",
                count(judged.rings.count(), "ring"),
                shown(&judged.rings.share),
                shown(&total),
                percent(&lost),
                stated,
            )
        };
    }
    let _ = writeln!(out, "limited by  {}", limits(report));
    let _ = writeln!(out, "numbers     {}", report.ranks.origin);
    for (ring, times) in equal.rings.iter().take(SHOWN) {
        let _ = writeln!(
            out,
            "{times:>4} x      {}",
            names(report, ring).join(" -> ")
        );
    }
    if let Some(limit) = report.ended_by {
        let _ = writeln!(out, "search      {}", named(limit));
    }
    for warning in report.warnings() {
        let _ = writeln!(out, "warning     {warning}");
    }
    if let Some(Written {
        paths,
        path_type,
        channels,
        speed,
    }) = written
    {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let _ = writeln!(
            out,
            "written     {}: read back, {} as above in {} of {} GB/s{}; ways between GPUs are called {path_type} \
             (--path-type){}",
            names.join(", "),
            count(equal.count(), "ring"),
            count(*channels, "channel"),
            oneport::decimal(speed, 6),
            if paths.len() > 1 { " in each box" } else { "" },
            if platform.units().is_some() {
                ""
            } else {
                ", speeds taken as GB/s (--units)"
            }
        );
    }
    let _ = write!(out, "time        {}", clock::seconds(report.seconds));
    out
}

fn names(report: &Report<'_>, ring: &Ring) -> Vec<String> {
    ring.order(report.platform)
        .into_iter()
        .map(|node| report.platform.name(node).to_string())
        .collect()
}

fn of_equal(report: &Report<'_>) -> String {
    let (packing, equal) = (&report.rings.packing, &report.rings.equal);
    let total = equal.total();
    let verdict = if total == packing.total {
        "attain the optimum".to_string()
    } else {
        let lost = percent(&below(&total, &packing.total));
        match total == equal.upper_bound {
            true => format!("{lost} below the weighted rings, and no equal rings carry more"),
            false => format!(
                "{lost} below the weighted rings; no equal rings carry over {}, gap {}",
                rate(report.platform, &equal.upper_bound),
                percent(&below(&total, &equal.upper_bound))
            ),
        }
    };
    let (share, total) = (
        rate(report.platform, &equal.share),
        rate(report.platform, &total),
    );
    format!(
        "{} of {share} each, together {total}: {verdict}",
        count(equal.count(), "ring")
    )
}

/// The optimum over trees, in the measure of rings.
fn of_trees(report: &Report<'_>) -> String {
    let Some((trees, bound)) = report.of_trees() else {
        return "not known: a limit came first".to_string();
    };
    let packing = &report.rings.packing;
    let proof = if trees == bound {
        "optimal".to_string()
    } else {
        format!("upper bound {}", rate(report.platform, &bound))
    };
    let cost = if packing.total >= trees {
        "rings cost nothing".to_string()
    } else {
        format!("rings cost {}", percent(&below(&packing.total, &trees)))
    };
    format!(
        "{} of bus bandwidth for all-gathers ({proof}): {cost}",
        rate(report.platform, &trees)
    )
}

/// The names of the resources that the proof charges.
fn limits(report: &Report<'_>) -> String {
    const NAMED: usize = 4;
    let prices = report.rings.packing.certificate.prices();
    few(
        prices.map(|(resource, _)| resource.describe(report.platform)),
        NAMED,
        MORE,
    )
}

/// The equal rings, each with its number of copies and the bandwidth of a copy.
pub fn sheet(report: &Report<'_>) -> Sheet {
    let equal = &report.rings.equal;
    let share = rate(report.platform, &equal.share);
    let row = |(ring, times): &(Ring, u32)| {
        let order = names(report, ring).join(" -> ");
        vec![order, times.to_string(), share.clone()]
    };
    let rows = equal.rings.iter().map(row);
    plain(&["ring", "times", "bandwidth of each"], &[1, 2], rows)
}

/// One object.
pub fn json(report: &Report<'_>) -> Value {
    let (packing, equal) = (&report.rings.packing, &report.rings.equal);
    let names = |ring: &Ring| names(report, ring);
    let rings: Vec<Value> = packing
        .rings
        .iter()
        .map(|(ring, rate)| json!({"order": names(ring), "rate": rate.to_string()}))
        .collect();
    let times: Vec<Value> = equal
        .rings
        .iter()
        .map(|(ring, times)| json!({"order": names(ring), "times": times}))
        .collect();
    let prices: Vec<Value> = packing
        .certificate
        .prices()
        .map(|(one, price)| json!({"resource": one.describe(report.platform), "price": price.to_string()}))
        .collect();
    let trees = report
        .of_trees()
        .map(|(trees, bound)| json!({"bus_bandwidth": trees.to_string(), "upper_bound": bound.to_string()}));
    let checked = report.judged.as_ref().map(|judged| {
        json!({
            "rings": judged.rings.count(),
            "share": judged.rings.share.to_string(),
            "total": judged.rings.total().to_string(),
            "paths_between_cards": judged.paths,
        })
    });
    json!({
        "processors": report.gpus.iter().map(|&gpu| report.platform.name(gpu)).collect::<Vec<_>>(),
        "model": report.platform.model().name(),
        "units": report.platform.units().map(|units| units.to_string()),
        "total": packing.total.to_string(),
        "upper_bound": packing.upper_bound.to_string(),
        "status": report.rings.status.name(),
        "rings": rings,
        "prices": prices,
        "equal": {
            "rings": times,
            "share": equal.share.to_string(),
            "total": equal.total().to_string(),
            "upper_bound": equal.upper_bound.to_string(),
        },
        "trees": trees,
        "checked": checked,
        "warning": Some(report.warnings().join("; ")).filter(|warning| !warning.is_empty()),
        "ended_by": report.ended_by.map(named),
        "seconds": report.seconds.as_secs_f64(),
    })
}
