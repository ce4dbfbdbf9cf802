//! `oneport reduce homogeneous --rank`: one processor's neighbours, without the rest of the tree.

use anyhow::Result;
use oneport::homogeneous::{Concurrency, Costs, Strategy, Tie, length, neighbours_at};
use oneport::{Rational, Status};
use serde_json::json;

use crate::words::exit::End;
use crate::words::numbers::readable;
use crate::words::objects::line;
use crate::words::output::{count, print};

/// Children named in the text.
const NAMED: usize = 100;

/// Prints whom a processor receives from and sends to in the shortest reduction into `root`.
pub fn run(values: u64, root: u64, rank: u64, costs: &Costs, as_json: bool) -> Result<End> {
    let found = neighbours_at(values, root, rank, costs)?;
    let length: Rational = length(
        values,
        costs,
        Strategy::Greedy,
        Concurrency::Unlimited,
        Tie::Oldest,
    )?;
    if as_json {
        let report = json!({
            "model": "homogeneous",
            "n": values,
            "transfer": costs.transfer().to_string(),
            "compute": costs.compute().to_string(),
            "length": length.to_string(),
            "status": Status::Optimal.name(),
            "root": root,
            "rank": rank,
            "receiver": found.receiver,
            "children": found.children,
            "depth": found.depth,
        });
        print(&line(report))?;
        return Ok(End::Done);
    }
    let receiver = match found.receiver {
        Some(receiver) => format!(
            "to {receiver}, {} from the root",
            count(found.depth, "transfer")
        ),
        None => "nothing: it is the root".to_string(),
    };
    let named: Vec<String> = found
        .children
        .iter()
        .take(NAMED)
        .map(u64::to_string)
        .collect();
    let children = match found.children.len() {
        0 => "nothing".to_string(),
        more if more > NAMED => format!("{}, ... {} in all, in this order", named.join(", "), more),
        _ => format!("{}, in this order", named.join(", ")),
    };
    print(&format!(
        "processor {rank} of {values} in the shortest reduction into processor {root}, length {}\n\
         sends     {receiver}\nreceives  {children}",
        readable(&length)
    ))?;
    Ok(End::Done)
}
