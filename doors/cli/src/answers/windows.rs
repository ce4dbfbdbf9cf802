//! The transmission windows of a reduction, drawn.

use std::path::Path;

use anyhow::{Result, bail};
use oneport::heterogeneous::Dependency;
use oneport::plan::{Reduction, SingleCosts};

use crate::words::drawing;
use crate::words::usage::usage;

/// The windows of a reduction, drawn in the format of a file name.
pub fn draw(path: &Path, reduction: &Reduction) -> Result<String> {
    if !matches!(reduction.costs, SingleCosts::PerSender(_)) {
        bail!(usage(
            "--windows: transmission windows belong to a time per sender; draw the tree with --tree"
        ));
    }
    let windows = Dependency::of(reduction)?.windows();
    Ok(match drawing::extension(path).as_str() {
        "dot" | "gv" => oneport_drawings::dot::windows(&windows),
        _ => oneport_drawings::svg::windows(&windows),
    })
}
