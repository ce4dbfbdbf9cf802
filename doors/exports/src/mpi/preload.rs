//! Writes a library for LD_PRELOAD. It serves the MPI calls of unmodified programs for which it has a plan.
//!
//! A call without a plan for its communicator, root, operator, datatypes and bytes is passed to MPI, as is an invalid
//! call. The plans of one library are for different collectives, numbers of ranks, roots or sizes.

use std::fmt::Write as _;

use super::{FORMAT, HEAD, Table, operation};
use crate::format::check_rates;
use crate::{ExportError, File, Format, Request};

/// The library with one plan, for messages of any size.
pub(crate) const PRELOAD: Format = Format {
    name: "mpi-preload",
    about: "a C library (mpicc -shared -fPIC) for LD_PRELOAD: serves the MPI calls of unmodified programs",
    lacks: FORMAT.lacks,
    write: |request| {
        Ok(preload(
            &[Preloaded {
                request: request.clone(),
                at_least: 0,
            }],
            false,
        )?
        .into())
    },
};

/// A plan of a library for LD_PRELOAD.
#[derive(Debug, Clone)]
pub struct Preloaded<'a> {
    /// The plan.
    pub request: Request<'a>,
    /// Bytes of the shortest messages of this plan: of one rank's message to one rank, as MPI counts them. If two plans
    /// fit a call, the plan of the longer messages serves it.
    pub at_least: u64,
}

fn refused(reason: String) -> ExportError {
    ExportError::refused(PRELOAD.name, reason)
}

/// A library with several plans. The first plan names the ranks of all plans for the same nodes. With `hosts`, names of
/// nodes are names of hosts: their list by rank is a separate file, and calls on other hosts are passed to MPI.
///
/// # Errors
/// There is no plan, a plan has no MPI call, two plans are for the same calls, or values are combined in another order
/// of ranks. With `hosts`, also if plans are for other nodes.
pub fn preload(plans: &[Preloaded<'_>], hosts: bool) -> Result<Vec<File>, ExportError> {
    let mut tables: Vec<Table<'_>> = Vec::with_capacity(plans.len());
    for (number, plan) in plans.iter().enumerate() {
        check_rates(PRELOAD.name, &plan.request)?;
        let (operation, _) = operation(&plan.request)?;
        if let [note, ..] = &operation.note(plan.request.problem.platform())[..] {
            return Err(refused(format!(
                "a call is served on ranks that all take part; this plan has {note}"
            )));
        }
        if operation.form.counted {
            let name = operation.collective;
            return Err(refused(format!(
                "no call of {name} is served; write a program of it with --to mpi"
            )));
        }
        let mut table = Table {
            problem: plan.request.problem,
            operation,
            number,
            at_least: plan.at_least,
            hosts,
        };
        if let Some(first) = tables.first() {
            follow(first, &mut table, hosts)?;
        }
        if let Some(same) = tables.iter().find(|other| serves_the_same(other, &table)) {
            return Err(refused(format!(
                "plans {} and {} are both of {} on {} ranks for messages from {} bytes on; give each a size of its own",
                same.number + 1,
                number + 1,
                table.operation.collective,
                table.operation.ranks.len(),
                table.at_least
            )));
        }
        tables.push(table);
    }
    let Some(first) = tables.first() else {
        return Err(refused(
            "no plan is given; a library has one or more".to_string(),
        ));
    };
    let mut files = File::only(library(&tables)).files;
    if hosts {
        let bytes = first
            .names()
            .iter()
            .map(|name| format!("{name}\n"))
            .collect::<String>()
            .into_bytes();
        files.push(File {
            suffix: ".hosts".to_string(),
            bytes,
        });
    }
    Ok(files)
}

fn serves_the_same(one: &Table<'_>, other: &Table<'_>) -> bool {
    let calls = |table: &Table<'_>| {
        let operation = &table.operation;
        (
            operation.collective,
            operation.ranks.len(),
            table.root(),
            table.ordered(),
            table.at_least,
        )
    };
    calls(one) == calls(other)
}

/// Gives the ranks of a plan the order that the first plan has them in, if both are for the same nodes.
fn follow(first: &Table<'_>, table: &mut Table<'_>, hosts: bool) -> Result<(), ExportError> {
    let names = |table: &Table<'_>| -> Vec<String> {
        let platform = table.problem.platform();
        table
            .operation
            .ranks
            .iter()
            .map(|&node| platform.name(node).to_string())
            .collect()
    };
    let (wanted, there) = (names(first), names(table));
    let order: Vec<usize> = wanted
        .iter()
        .filter_map(|name| there.iter().position(|it| it == name))
        .collect();
    if order.len() != there.len() || wanted.len() != there.len() {
        if !hosts {
            return Ok(());
        }
        let number = table.number + 1;
        return Err(refused(format!(
            "plan {number} is for {}, and the first plan is for {}; hosts can be named for plans of the same nodes only",
            there.join(", "),
            wanted.join(", ")
        )));
    }
    if table.ordered() && there != wanted {
        let (number, collective) = (table.number + 1, table.operation.collective);
        return Err(refused(format!(
            "plan {number}, {collective}, combines values in the order {}, and the ranks of the first plan are {}; give that \
             plan first, or participants in the same order",
            there.join(", "),
            wanted.join(", ")
        )));
    }
    table.operation.reorder(&order);
    Ok(())
}

fn library(tables: &[Table<'_>]) -> String {
    let mut text =
        "/* MPI calls served by plans of oneport. Compile: mpicc -O2 -shared -fPIC FILE.c -o liboneport.so; run: \
                    mpirun -np N -x LD_PRELOAD=./liboneport.so PROGRAM (Open MPI),\n   mpirun -np N -genv LD_PRELOAD \
                    ./liboneport.so PROGRAM (MPICH), on all ranks; ONEPORT_REPORT=1 counts the calls.\n"
            .to_string();
    for table in tables {
        let (operation, number) = (&table.operation, table.number + 1);
        let (name, ranks) = (operation.collective, operation.ranks.len());
        let _ = writeln!(
            text,
            "   Plan {number}: {name} on {ranks} ranks, messages of {} bytes or more.\n{}",
            table.at_least.max(1),
            table.ranks()
        );
    }
    let _ = writeln!(
        text,
        "*/\n\n{HEAD}#include <pthread.h>\n#include <stdatomic.h>\n"
    );
    let mut kinds: Vec<String> = tables.iter().map(Table::kind).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        let _ = writeln!(text, "#define HAS_{kind} 1");
    }
    let _ = write!(text, "\n{}", include_str!("table.c"));
    for table in tables.iter() {
        table.write(&mut text);
    }
    let lines: String = tables.iter().map(Table::line).collect();
    let _ = writeln!(
        text,
        "\nstatic const struct plan plans[] = {{\n{lines}}};\n"
    );
    for part in [
        include_str!("run.c"),
        "\n",
        include_str!("preload.c"),
        "\n",
        include_str!("preload_names.c"),
    ] {
        text.push_str(part);
    }
    text
}
