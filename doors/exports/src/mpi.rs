//! MPI: a C program that runs the operation with point-to-point messages, and compares it with the library's operation.
//! [`preload`] writes a library that serves the calls of unmodified programs.
//!
//! The number of elements is free: piece `j` of `K` holds the elements from `n j / K` to `n (j + 1) / K`, rounded down.
//! `MPI_Reduce_local` combines values in the order of the plan, so user operators need not commute unless the plan
//! requires it.

pub(crate) mod preload;
mod table;

use std::fmt::Write as _;

use table::Table;

use crate::operation::{Operation, Order, may_have_rank};
use crate::{ExportError, File, Format, Request, Written};

/// The program.
pub(crate) const FORMAT: Format = Format {
    name: "mpi",
    about: "a C program for mpicc: the operation by point-to-point messages, compared with the library's own",
    lacks: "dates (the order of every processor is kept), routers, costs, sizes that are not proportional, the proof",
    write: program,
};

/// Limit on sends and merges of a program.
const STEPS: usize = 200_000;

/// Collectives and the library's call for them.
const LIBRARY: [(&str, &str); 14] = [
    (
        "scatter",
        "MPI_Scatter(send, count, type, recv, count, type, ROOT, comm)",
    ),
    (
        "gather",
        "MPI_Gather(send, count, type, recv, count, type, ROOT, comm)",
    ),
    (
        "broadcast",
        "if (own_0[ROOT][0] >= 0 && recv) { int rank; MPI_Comm_rank(comm, &rank); \
         if (rank == ROOT) memcpy(recv, send, count * sizeof *recv); MPI_Bcast(recv, count, type, ROOT, comm); }",
    ),
    (
        "all-gather",
        "MPI_Allgather(send, count, type, recv, count, type, comm)",
    ),
    (
        "all-to-all",
        "MPI_Alltoall(send, count, type, recv, count, type, comm)",
    ),
    (
        "reduce",
        "MPI_Reduce(send, recv, count, type, op, ROOT, comm)",
    ),
    (
        "reduce-scatter",
        "MPI_Reduce_scatter_block(send, recv, count, type, op, comm)",
    ),
    (
        "all-reduce",
        "MPI_Allreduce(send, recv, count, type, op, comm)",
    ),
    ("scan", "MPI_Scan(send, recv, count, type, op, comm)"),
    (
        "scatter-v",
        "MPI_Scatterv(send, to, to_at, type, recv, from[ROOT], type, ROOT, comm)",
    ),
    (
        "gather-v",
        "MPI_Gatherv(send, to[ROOT], type, recv, from, from_at, type, ROOT, comm)",
    ),
    (
        "all-gather-v",
        "MPI_Allgatherv(send, to[0], type, recv, from, from_at, type, comm)",
    ),
    (
        "all-to-all-v",
        "MPI_Alltoallv(send, to, to_at, type, recv, from, from_at, type, comm)",
    ),
    (
        "reduce-scatter-v",
        "MPI_Reduce_scatter(send, recv, to, type, op, comm)",
    ),
];

const HEAD: &str = "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

fn refused(reason: impl Into<String>) -> ExportError {
    ExportError::refused(FORMAT.name, reason)
}

fn program(request: &Request<'_>) -> Result<Written, ExportError> {
    let (operation, library) = operation(request)?;
    let notes = operation.note(request.problem.platform());
    let table = Table {
        problem: request.problem,
        operation,
        number: 0,
        at_least: 0,
        hosts: false,
    };
    let (name, ranks) = (table.operation.collective, table.operation.ranks.len());
    let mut text = format!(
        "/* {name} by oneport. Compile: mpicc -O2 FILE.c; run: mpirun -np {ranks} ./a.out [ELEMENTS] [RUNS].\n{} */\n\n\
         {HEAD}\n{}{}",
        table.ranks(),
        table.defines(),
        include_str!("mpi/table.c")
    );
    table.write(&mut text);
    let _ = writeln!(
        text,
        "\nstatic const struct plan plans[] = {{\n{}}};\n",
        table.line()
    );
    text.push_str(include_str!("mpi/run.c"));
    let _ = writeln!(
        text,
        "\n#define LIBRARY {library}\n{}",
        table.moved().unwrap_or_default()
    );
    text.push_str(include_str!("mpi/main.c"));
    Ok(Written {
        notes,
        ..File::only(text)
    })
}

/// The operation, and the library's call for it.
fn operation(request: &Request<'_>) -> Result<(Operation, &'static str), ExportError> {
    let name = request.problem.collective().name();
    let Some((_, library)) = LIBRARY.iter().find(|(ours, _)| *ours == name) else {
        let known: Vec<&str> = LIBRARY.iter().map(|(ours, _)| *ours).collect();
        return Err(refused(format!(
            "{name} has no MPI program here; these have one: {}",
            known.join(", ")
        )));
    };
    let platform = request.problem.platform();
    let operation = Operation::new(request, FORMAT.name, Order::Dates, |node| {
        may_have_rank(platform, node)
    })?;
    if operation.steps.len() > STEPS {
        let fewer = (operation.pieces * STEPS as u64 / operation.steps.len() as u64).max(1);
        return Err(refused(format!(
            "{} sends and merges, and {STEPS} is the limit of a program; --pieces {fewer} may fit",
            operation.steps.len()
        )));
    }
    Ok((operation, library))
}
