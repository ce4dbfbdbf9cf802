//! `oneport check`: another program's schedule, run in the interpreter.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use oneport_checks::{Fault, FaultKind, Verdict, check};

use crate::words::exit::End;
use crate::words::objects::line;
use crate::words::output::{count, print};

/// Largest file that is read, in bytes.
const LIMIT: u64 = 1 << 28;

/// Check an MSCCL or MSCCL++ schedule for races, deadlocks and wrong results.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// An MSCCL++ execution plan (JSON) or an MSCCL algorithm (XML).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Messages that a connection of an MSCCL algorithm holds (default: NCCL's 8; protocol Simple: 2).
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    slots: Option<u32>,
    /// Reject schedules that are race-free only if the threadblocks of a group run in lockstep, and schedules out of
    /// place that overwrite their caller's input.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> Result<End> {
    let name = arguments.file.display();
    let size = std::fs::metadata(&arguments.file)
        .with_context(|| format!("cannot read {name}"))?
        .len();
    anyhow::ensure!(
        size <= LIMIT,
        "{name} has {size} bytes; at most {LIMIT} are read"
    );
    let text =
        std::fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {name}"))?;
    let strictly =
        |verdict: Verdict| match (arguments.strict, &verdict.in_step, &verdict.overwritten) {
            (true, Some(text), _) => Err(Fault::new(FaultKind::Race, text.clone())),
            (true, None, Some(text)) => Err(Fault::new(FaultKind::Input, text.clone())),
            _ => Ok(verdict),
        };
    let verdict = check(&text, arguments.slots).and_then(strictly);
    if arguments.json {
        let object = match &verdict {
            Ok(good) => serde_json::json!({
                "status": "valid", "format": good.format, "collective": good.collective, "ranks": good.ranks,
                "threadblocks": good.threads, "steps": good.steps, "results_compared": good.known,
                "in_step_only": good.in_step, "overwritten": good.overwritten, "orders": good.orders,
            }),
            Err(fault) => serde_json::json!({
                "status": "refused", "kind": format!("{:?}", fault.kind).to_lowercase(), "fault": fault.text,
            }),
        };
        print(&line(object))?;
        return Ok(if verdict.is_ok() {
            End::Done
        } else {
            End::Refused
        });
    }
    let good = verdict.with_context(|| format!("{name}"))?;
    let compared = if good.known {
        "every result is right"
    } else {
        "results not compared: the collective is not known"
    };
    print(&format!(
        "{}: {} among {}, {}, {} run; no race, no deadlock, {compared}",
        good.format,
        good.collective,
        count(good.ranks, "rank"),
        count(good.threads, "threadblock"),
        count(good.steps, "step"),
    ))?;
    if let Some(text) = good.in_step {
        print(&format!(
            "correct only if the threadblocks of a group run in lockstep, which executors do not guarantee: {text}"
        ))?;
    }
    if let Some(text) = good.overwritten {
        print(&format!(
            "warning: {text}; NCCL and MPI never do that to a caller (--strict refuses it)"
        ))?;
    }
    if let Some(text) = good.orders {
        print(&format!(
            "note: {text}; floating-point results differ bit by bit between ranks"
        ))?;
    }
    Ok(End::Done)
}
