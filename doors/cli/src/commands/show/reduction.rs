//! `oneport show` of one reduction.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use oneport::plan::{Costs, Limit, OneReduction};
use oneport::referee::{self, Recheck};
use oneport_drawings::{dot, svg};

use crate::answers::reduction as words;
use crate::answers::windows;
use crate::words::drawing;
use crate::words::end::End;
use crate::words::numbers::readable;
use crate::words::output::{count, print};

/// The requested drawings.
pub struct Drawings<'a> {
    /// The Gantt chart.
    pub gantt: &'a Option<PathBuf>,
    /// The tree.
    pub trees: [&'a Option<PathBuf>; 2],
    /// The tree of transmission windows.
    pub windows: &'a Option<PathBuf>,
}

/// Prints one reduction, or draws it.
pub fn run(plan: &Path, one: &OneReduction, arguments: &Drawings<'_>) -> Result<End> {
    // An invalid schedule is not drawn: the drawing would suggest that it is valid.
    let recheck =
        referee::check_one(one).with_context(|| format!("{}: violation", plan.display()))?;
    let reduction = &one.reduction;
    let mut drawn = false;
    let write = |path: &Path, text: &str| -> Result<()> {
        drawing::write(path, text)?;
        print(&path.display().to_string())
    };
    if let Some(path) = arguments.gantt {
        write(path, &svg::reduction_gantt(reduction))?;
        drawn = true;
    }
    for path in arguments.trees.into_iter().flatten() {
        let is_dot = ["dot", "gv"].contains(&drawing::extension(path).as_str());
        write(
            path,
            &if is_dot {
                dot::once_tree(reduction)
            } else {
                svg::once_tree(reduction)
            },
        )?;
        drawn = true;
    }
    if let Some(path) = arguments.windows {
        write(path, &windows::draw(path, reduction)?)?;
        drawn = true;
    }
    if !drawn {
        let proof = words::proof(one.proof.as_ref(), &recheck);
        let mut text = format!(
            "reduction of {} into processor {}, {}\nlength  {}\noperator  {}",
            count(reduction.receivers.len(), "value"),
            reduction.root,
            costs(one),
            words::length(
                &reduction.length,
                &one.lower_bound,
                recheck == Recheck::Proved,
                &proof
            ),
            if one.commutative {
                "commutative"
            } else {
                "the operands keep their order"
            },
        );
        words::transfers(&mut text, reduction);
        print(&text)?;
    }
    Ok(End::Done)
}

fn costs(one: &OneReduction) -> String {
    let costs = match &one.reduction.costs {
        Costs::Equal { transfer, compute } => {
            format!(
                "transfer {}, merge {}",
                readable(transfer),
                readable(compute)
            )
        }
        Costs::PerSender(_) => "a transfer takes its sender's time".to_string(),
    };
    match one.limit {
        Limit::Unlimited => costs,
        Limit::Transfers(most) => format!("{costs}, at most {} at once", count(most, "transfer")),
        Limit::Reducers(most) => format!("{costs}, at most {}", count(most, "reducer")),
    }
}
