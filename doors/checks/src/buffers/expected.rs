//! Defines the input and output of each collective, in chunks.

use super::memory::InPlace;

/// The values that must lie in the output chunks at the end.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// Chunks of a rank's output, and the index of the sum that each must hold.
    pub chunks: Vec<(usize, usize, usize)>,
    /// Input chunks (rank, chunk) that are combined.
    pub sums: Vec<Vec<(usize, usize)>>,
}

/// Relation of input and output.
pub(crate) fn in_place(collective: &str) -> InPlace {
    match collective {
        "allgather" => InPlace::InputInOutput,
        "reducescatter" => InPlace::OutputInInput,
        _ => InPlace::Same,
    }
}

const KNOWN: [&str; 5] = [
    "allgather",
    "reducescatter",
    "allreduce",
    "broadcast",
    "alltoall",
];

/// The values of every output chunk at the end. `None` for unknown collectives.
///
/// # Errors
/// Numbers of chunks that do not fit the collective, with the right ones.
pub(crate) fn wanted(
    collective: &str,
    chunks: &[[u32; 3]],
    root: usize,
) -> Result<Option<Wanted>, String> {
    let ranks = chunks.len();
    let Some(first) = chunks.first() else {
        return Ok(Some(Wanted::default()));
    };
    let (input, output) = (first[0] as usize, first[1] as usize);
    let agree = |input: usize, output: usize| {
        let other =
            |chunks: &&[u32; 3]| (chunks[0] as usize, chunks[1] as usize) != (input, output);
        match chunks
            .iter()
            .find(other)
            .zip(chunks.iter().position(|chunks| other(&chunks)))
        {
            None => Ok(()),
            Some((has, rank)) => Err(format!(
                "rank {rank} has {} input and {} output chunks; in this {collective} among {ranks} it would be {input} \
                 and {output}",
                has[0], has[1]
            )),
        }
    };
    let all_ranks = |chunk: usize| (0..ranks).map(|rank| (rank, chunk)).collect::<Vec<_>>();
    let every = |sums: usize,
                 sum: &dyn Fn(usize) -> Vec<(usize, usize)>,
                 of: &dyn Fn(usize, usize) -> usize| {
        let chunks = (0..ranks).flat_map(|rank| (0..output).map(move |chunk| (rank, chunk)));
        let chunks = chunks
            .map(|(rank, chunk)| (rank, chunk, of(rank, chunk)))
            .collect();
        Ok(Some(Wanted {
            chunks,
            sums: (0..sums).map(sum).collect(),
        }))
    };
    let same = |_: usize, chunk: usize| chunk;
    let own_chunk = |rank: usize, chunk: usize| rank * output + chunk;
    if input == 0 || output == 0 {
        return if KNOWN.contains(&collective) {
            Err(format!(
                "rank 0 has {input} input and {output} output chunks; a {collective} out of place has some of both"
            ))
        } else {
            Ok(None)
        };
    }
    match collective {
        "allgather" => {
            agree(input, input * ranks)?;
            every(output, &|sum| vec![(sum / input, sum % input)], &same)
        }
        "reducescatter" => {
            agree(output * ranks, output)?;
            every(input, &all_ranks, &own_chunk)
        }
        "allreduce" => {
            agree(input, input)?;
            every(output, &all_ranks, &same)
        }
        "broadcast" => {
            agree(input, input)?;
            every(output, &|sum| vec![(root, sum)], &same)
        }
        "alltoall" => {
            let block = (input / ranks).max(1);
            agree(block * ranks, block * ranks)?;
            every(
                ranks * output,
                &|sum| {
                    let (rank, chunk) = (sum / output, sum % output);
                    vec![(chunk / block, rank * block + chunk % block)]
                },
                &own_chunk,
            )
        }
        _ => Ok(None),
    }
}
