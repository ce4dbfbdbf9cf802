//! `oneport show` of one reduction, broadcast or all-reduction.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use oneport::Rational;
use oneport::plan::{
    Concurrency, Reduction, SingleAllReduce, SingleBroadcast, SingleCosts, SingleReduction,
};
use oneport::referee::{self, Recheck, Violation};
use oneport_drawings::{dot, svg};

use crate::answers::reduction as words;
use crate::answers::windows;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::numbers::readable;
use crate::words::output::{count, print};
use crate::words::usage::usage;

/// The requested drawings.
pub struct Drawings<'a> {
    /// The Gantt chart.
    pub gantt: &'a Option<PathBuf>,
    /// The tree.
    pub trees: [&'a Option<PathBuf>; 2],
    /// The tree of transmission windows.
    pub windows: &'a Option<PathBuf>,
}

/// A schedule that is executed once.
#[derive(Clone, Copy)]
pub enum Once<'a> {
    /// One reduction.
    Reduction(&'a SingleReduction),
    /// One broadcast.
    Broadcast(&'a SingleBroadcast),
    /// A reduction and the broadcast that follows it.
    AllReduce(&'a SingleAllReduce),
}

impl<'a> Once<'a> {
    /// In messages.
    pub fn name(self) -> &'static str {
        match self {
            Once::Reduction(_) => "reduction",
            Once::Broadcast(_) => "broadcast",
            Once::AllReduce(_) => "all-reduction",
        }
    }

    fn check(self) -> Result<Recheck, Violation> {
        match self {
            Once::Reduction(one) => referee::check_single(one),
            Once::Broadcast(one) => referee::check_single_broadcast(one),
            Once::AllReduce(all) => referee::check_all_reduce(all),
        }
    }

    /// The reduction, whose tree and windows are drawn.
    fn reduction(self) -> Option<&'a Reduction> {
        match self {
            Once::Reduction(one) => Some(&one.reduction),
            Once::AllReduce(all) => Some(&all.reduction),
            Once::Broadcast(_) => None,
        }
    }

    fn gantt(self) -> String {
        match self {
            Once::Reduction(one) => svg::reduction_gantt(&one.reduction),
            Once::Broadcast(one) => svg::broadcast_gantt(&one.broadcast),
            Once::AllReduce(all) => svg::all_reduce_gantt(&all.reduction, &all.broadcast),
        }
    }

    fn text(self, recheck: &Recheck) -> String {
        match self {
            Once::Reduction(one) => reduction_text(one, recheck),
            Once::Broadcast(one) => broadcast_text(one, recheck),
            Once::AllReduce(all) => all_reduce_text(all, recheck),
        }
    }
}

/// Prints a schedule that is executed once, or draws it.
pub fn run(plan: &Path, once: Once<'_>, arguments: &Drawings<'_>) -> Result<End> {
    // An invalid schedule is not drawn: the drawing would suggest that it is valid.
    let recheck = once
        .check()
        .with_context(|| format!("{}: violation", plan.display()))?;
    let tree = |option: &str| {
        once.reduction().ok_or_else(|| {
            usage(format!(
                "{option}: a broadcast is drawn with --gantt; its tree is that of the reduction, read backwards"
            ))
        })
    };
    let mut drawn = false;
    let write = |path: &Path, text: &str| -> Result<()> {
        drawing::write(path, text)?;
        print(&path.display().to_string())
    };
    if let Some(path) = arguments.gantt {
        write(path, &once.gantt())?;
        drawn = true;
    }
    for path in arguments.trees.into_iter().flatten() {
        let is_dot = ["dot", "gv"].contains(&drawing::extension(path).as_str());
        let reduction = tree("--tree")?;
        write(
            path,
            &if is_dot {
                dot::single_tree(reduction)
            } else {
                svg::single_tree(reduction)
            },
        )?;
        drawn = true;
    }
    if let Some(path) = arguments.windows {
        write(path, &windows::draw(path, tree("--windows")?)?)?;
        drawn = true;
    }
    if !drawn {
        print(&once.text(&recheck))?;
    }
    Ok(End::Done)
}

fn reduction_text(one: &SingleReduction, recheck: &Recheck) -> String {
    let reduction = &one.reduction;
    let proof = words::proof(one.proof.as_ref(), recheck);
    let mut text = format!(
        "reduction of {} into processor {}, {}\nlength  {}\noperator  {}",
        count(reduction.receivers.len(), "value"),
        reduction.root,
        costs(&reduction.costs, one.limit, "merge", "reducer"),
        words::length(
            &reduction.length,
            &one.lower_bound,
            *recheck == Recheck::Proved,
            &proof
        ),
        if one.commutative {
            "commutative"
        } else {
            "the operands keep their order"
        },
    );
    words::transfers(&mut text, reduction);
    text
}

fn broadcast_text(one: &SingleBroadcast, recheck: &Recheck) -> String {
    let broadcast = &one.broadcast;
    let proof = words::of_broadcast(one.proof.as_ref(), recheck);
    let mut text = format!(
        "broadcast from processor {} to {}, {}\nlength  {}",
        broadcast.root,
        count(broadcast.senders.len(), "processor"),
        costs(&broadcast.costs, one.limit, "preparation", "sender"),
        words::length(
            &broadcast.length,
            &one.lower_bound,
            *recheck == Recheck::Proved,
            &proof
        ),
    );
    words::received(&mut text, broadcast, &Rational::default());
    text
}

fn all_reduce_text(all: &SingleAllReduce, recheck: &Recheck) -> String {
    let (reduction, broadcast) = (&all.reduction, &all.broadcast);
    let (into, proof) = all
        .proof
        .as_ref()
        .map(|(into, proof)| (*into, proof))
        .unzip();
    let mut text = format!(
        "all-reduction among {} by way of processor {}, {}\nlength  {}\nparts   reduction {}, then broadcast {}",
        count(reduction.receivers.len(), "processor"),
        reduction.root,
        costs(&reduction.costs, Concurrency::Unlimited, "merge", "reducer"),
        words::length(
            &all.length(),
            &all.lower_bound,
            *recheck == Recheck::Proved,
            &words::of_all_reduce(into, proof, recheck)
        ),
        readable(&reduction.length),
        readable(&broadcast.length),
    );
    words::transfers(&mut text, reduction);
    text.push_str("\n  then");
    words::received(&mut text, broadcast, &reduction.length);
    text
}

fn costs(costs: &SingleCosts, limit: Concurrency, second: &str, limited: &str) -> String {
    let costs = match costs {
        SingleCosts::Equal { transfer, compute } => {
            format!(
                "transfer {}, {second} {}",
                readable(transfer),
                readable(compute)
            )
        }
        SingleCosts::PerSender(_) => "a transfer takes its sender's time".to_string(),
    };
    match limit {
        Concurrency::Unlimited => costs,
        Concurrency::Transfers(most) => {
            format!("{costs}, at most {} at once", count(most, "transfer"))
        }
        Concurrency::Reducers(most) => format!("{costs}, at most {}", count(most, limited)),
    }
}
