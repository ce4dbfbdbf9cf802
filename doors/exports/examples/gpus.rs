//! A plan for MSCCL++ and its Gantt chart: `cargo run -p oneport-exports --example gpus -- gpus.json gpus.svg`.

#![allow(clippy::disallowed_methods)] // a program reads its arguments

use oneport::platform::generate::dgx1;
use oneport::{Collective, Options, Problem, Volumes, solve};
use oneport_exports::{Request, format};

/// The files of an all-gather on the eight GPUs of a DGX-1: the plan that MSCCL++ executes, and a drawing for people.
pub fn files() -> Result<[String; 2], Box<dyn std::error::Error>> {
    let machine = dgx1()?;
    let all_gather = Collective::all_gather(machine.processors().collect());
    let volumes = Volumes::default();
    let problem = Problem::new(&machine, &all_gather, &volumes)?;
    let solved = solve(&problem, &Options::default())?;
    let schedule = solved.plan()?.schedule;
    let written = format("mscclpp")?.write(&Request::new(&problem, schedule))?;
    let [plan] = &written.files[..] else {
        return Err("one file is expected".into());
    };
    Ok([
        String::from_utf8(plan.bytes.clone())?,
        oneport_drawings::svg::gantt(&problem, schedule),
    ])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [plan, chart] = &names[..] else {
        return Err("usage: gpus PLAN.json CHART.svg".into());
    };
    let [for_gpus, for_people] = files()?;
    oneport::files::write_atomically(plan.as_ref(), for_gpus.as_bytes())?;
    Ok(oneport::files::write_atomically(
        chart.as_ref(),
        for_people.as_bytes(),
    )?)
}
