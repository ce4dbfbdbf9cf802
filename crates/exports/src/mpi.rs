//! MPI: a C program that carries out the operation with point-to-point messages, and compares it with the library's
//! own.
//!
//! Any number of elements goes: piece `j` of `K` holds the elements from `n j / K` to `n (j + 1) / K`, rounded down.
//! Values are combined in the order of the plan by `MPI_Reduce_local`, so user operators need not commute unless the
//! plan does.

use std::fmt::Write as _;

use crate::operation::{Operation, Order, Step, Value};
use crate::{ExportError, File, Format, Request};

/// The program.
pub const FORMAT: Format = Format {
    name: "mpi",
    about: "a C program for mpicc: the operation by point-to-point messages, compared with the library's own",
    lacks: "dates (the order of every processor is kept), routers, costs, sizes that are not proportional, the proof",
    write: |request| Ok(File::only(program(request)?)),
};

/// The library that serves unmodified programs.
pub const PRELOAD: Format = Format {
    name: "mpi-preload",
    about: "a C library (mpicc -shared -fPIC) for LD_PRELOAD: serves the MPI call of this collective in unmodified programs",
    lacks: FORMAT.lacks,
    write: |request| Ok(File::only(preload(request)?)),
};

/// Most sends and merges of a program.
const STEPS: usize = 200_000;

/// Collectives and the library's call for them.
const LIBRARY: [(&str, &str); 9] = [
    ("scatter", "MPI_Scatter(send, count, type, recv, count, type, ROOT, comm)"),
    ("gather", "MPI_Gather(send, count, type, recv, count, type, ROOT, comm)"),
    (
        "broadcast",
        "if (own[ROOT][0] >= 0 && recv) { int rank; MPI_Comm_rank(comm, &rank); \
         if (rank == ROOT) memcpy(recv, send, count * sizeof *recv); MPI_Bcast(recv, count, type, ROOT, comm); }",
    ),
    ("all-gather", "MPI_Allgather(send, count, type, recv, count, type, comm)"),
    ("all-to-all", "MPI_Alltoall(send, count, type, recv, count, type, comm)"),
    ("reduce", "MPI_Reduce(send, recv, count, type, op, ROOT, comm)"),
    ("reduce-scatter", "MPI_Reduce_scatter_block(send, recv, count, type, op, comm)"),
    ("all-reduce", "MPI_Allreduce(send, recv, count, type, op, comm)"),
    ("scan", "MPI_Scan(send, recv, count, type, op, comm)"),
];

const HEAD: &str =
    "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";

fn refused(reason: impl Into<String>) -> ExportError {
    ExportError::Refused { format: FORMAT.name, reason: reason.into() }
}

fn program(request: &Request<'_>) -> Result<String, ExportError> {
    let (operation, library) = operation(request)?;
    let ranks = operation.ranks.len();
    let mut text = head(
        request,
        &operation,
        &format!("Compile: mpicc -O2 FILE.c; run: mpirun -np {ranks} ./a.out [ELEMENTS] [RUNS]."),
    );
    let _ = writeln!(text, "#define LIBRARY {library}\n");
    text.push_str(include_str!("mpi/run.c"));
    text.push('\n');
    text.push_str(include_str!("mpi/main.c"));
    Ok(text)
}

fn preload(request: &Request<'_>) -> Result<String, ExportError> {
    let (operation, _) = operation(request)?;
    let ranks = operation.ranks.len();
    let how = format!(
        "Compile: mpicc -O2 -shared -fPIC FILE.c -o liboneport.so; run: mpirun -np {ranks} -x LD_PRELOAD=./liboneport.so \
         PROGRAM (Open MPI), mpirun -np {ranks} -genv LD_PRELOAD ./liboneport.so PROGRAM (MPICH)."
    );
    let mut text = head(request, &operation, &how);
    let name = operation.collective.replace('-', "_");
    let _ = writeln!(text, "#define IS_{name} 1\n#define QUOTED(x) #x\n#define TEXT(x) QUOTED(x)\n");
    text.push_str(include_str!("mpi/run.c"));
    text.push('\n');
    text.push_str(include_str!("mpi/preload.c"));
    Ok(text)
}

/// The operation, and the library's call for it.
fn operation(request: &Request<'_>) -> Result<(Operation, &'static str), ExportError> {
    let name = request.problem.collective().name();
    let Some((_, library)) = LIBRARY.iter().find(|(ours, _)| *ours == name) else {
        let known: Vec<&str> = LIBRARY.iter().map(|(ours, _)| *ours).collect();
        return Err(refused(format!("MPI has no {name}; it has {}", known.join(", "))));
    };
    let platform = request.problem.platform();
    let operation = Operation::new(request, FORMAT.name, Order::Dates, |node| platform.node(node).is_processor())?;
    if operation.steps.len() > STEPS {
        let fewer = (operation.pieces * STEPS as u64 / operation.steps.len() as u64).max(1);
        return Err(refused(format!(
            "{} sends and merges, and {STEPS} is the limit of a program; --pieces {fewer} may fit",
            operation.steps.len()
        )));
    }
    Ok((operation, library))
}

/// What stands before the functions: how to use the file, who is which rank, the table.
fn head(request: &Request<'_>, operation: &Operation, how: &str) -> String {
    let mut text = format!("/* {} by oneport. {how}\n   Ranks:", operation.collective);
    let platform = request.problem.platform();
    for (rank, &node) in operation.ranks.iter().enumerate() {
        let name: String = platform.name(node).chars().map(|it| if it.is_ascii_graphic() { it } else { '_' }).collect();
        let _ = write!(text, " {rank} = {}", name.replace("*/", "*_").replace("/*", "_*"));
        text.push(if rank + 1 == operation.ranks.len() { '.' } else { ',' });
    }
    text.push_str(" */\n\n");
    text.push_str(HEAD);
    table(&mut text, request, operation);
    text
}

fn table(text: &mut String, request: &Request<'_>, operation: &Operation) {
    let [inputs, outputs] = operation.sizes();
    let demand = request.problem.demands().next();
    let combines = request.problem.collective().combines();
    let defines = [
        ("RANKS", operation.ranks.len()),
        ("PARTICIPANTS", operation.participants),
        ("PIECES", operation.pieces as usize),
        ("STEPS", operation.steps.len()),
        ("DEPTH", operation.steps.iter().map(|step| step.stage + 1).max().unwrap_or(1)),
        ("INPUT_BLOCKS", inputs),
        ("OUTPUT_BLOCKS", outputs),
        ("COMBINES", usize::from(combines)),
        ("COMMUTATIVE", usize::from(demand.is_some_and(|demand| demand.commutative))),
        ("ROOT", root(operation)),
    ];
    for (name, value) in defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
    let _ = writeln!(text, "#define NONE INT32_MIN\n#define COLLECTIVE \"{}\"\n", operation.collective);
    text.push_str(
        "/* `left` goes from a rank to another, or is combined with `right`: the number of the step that left it, or -1 - b:\n   \
         block b of the rank's own input. `result`: the block of the output, or -1. `stage`: periods after the first. */\n\
         static const struct step { int from, to, piece, left, right, result, stage; } steps[STEPS + 1] = {\n",
    );
    for step in &operation.steps {
        let value = |place: usize| match step.inputs.get(place) {
            None => "NONE".to_string(),
            Some(Value::Of(before)) => before.to_string(),
            Some(Value::Own(_)) => (-1 - operation.input_block(step.demand) as i64).to_string(),
        };
        let Step { from, to, piece, stage, .. } = step;
        let result = if step.result { operation.output_block(step.demand) as i64 } else { -1 };
        let _ = writeln!(text, "    {{{from}, {to}, {piece}, {}, {}, {result}, {stage}}},", value(0), value(1));
    }
    text.push_str(
        "    {0, 0, 0, 0, 0, 0, 0}};\n\n/* Steps in the order of a period. */\nstatic const int turns[STEPS + 1] = {",
    );
    for (place, turn) in operation.turns.iter().enumerate() {
        let _ = write!(text, "{}{turn},", if place % 16 == 0 { "\n    " } else { " " });
    }
    text.push_str("\n    0};\n\n/* What a rank copies from its input to its output: blocks, or -1. */\n");
    let _ = writeln!(text, "static const int own[RANKS][2] = {{");
    for rank in 0..operation.ranks.len() {
        let [from, to] = operation.own(rank).map_or([-1, -1], |blocks| blocks.map(|block| block as i64));
        let _ = writeln!(text, "    {{{from}, {to}}},");
    }
    let owner = |rank: usize| operation.blocks.iter().any(|block| block.owners.contains(&rank));
    let owns: Vec<&str> = (0..operation.ranks.len()).map(|rank| if owner(rank) { "1" } else { "0" }).collect();
    let _ = writeln!(
        text,
        "}};\n\n/* Whether a rank owns an operand. */\nstatic const int owns[RANKS] = {{{}}};\n",
        owns.join(", ")
    );
}

/// The rank of the root of a rooted collective: who owns all messages, or wants all.
fn root(operation: &Operation) -> usize {
    let first = operation.blocks.first();
    let root = match operation.collective {
        "gather" | "reduce" => first.and_then(|block| block.goals.first()).map(|goal| goal.0),
        _ => first.and_then(|block| block.owners.first()).copied(),
    };
    root.unwrap_or(0)
}
