//! What each collective's input and output are, in chunks.

use super::memory::InPlace;

/// A chunk of a rank's output, and the input chunks (rank, chunk) that it must combine.
pub type Wanted = (usize, usize, Vec<(usize, usize)>);

/// Where input and output coincide.
pub fn in_place(collective: &str) -> InPlace {
    match collective {
        "allgather" => InPlace::InputInOutput,
        "reducescatter" => InPlace::OutputInInput,
        _ => InPlace::Same,
    }
}

const KNOWN: [&str; 5] = ["allgather", "reducescatter", "allreduce", "broadcast", "alltoall"];

/// What must lie in every output chunk at the end; `None` for collectives that are not known.
///
/// # Errors
/// Numbers of chunks that are not the collective's, with those that would be.
pub fn wanted(collective: &str, chunks: &[[u32; 3]], root: usize) -> Result<Option<Vec<Wanted>>, String> {
    let ranks = chunks.len();
    let Some(first) = chunks.first() else { return Ok(Some(Vec::new())) };
    let (input, output) = (first[0] as usize, first[1] as usize);
    let agree = |input: usize, output: usize| {
        let other = |chunks: &&[u32; 3]| (chunks[0] as usize, chunks[1] as usize) != (input, output);
        match chunks.iter().find(other).zip(chunks.iter().position(|chunks| other(&chunks))) {
            None => Ok(()),
            Some((has, rank)) => Err(format!(
                "rank {rank} has {} input and {} output chunks; in this {collective} among {ranks} it would be {input} \
                 and {output}",
                has[0], has[1]
            )),
        }
    };
    let all = |chunk: usize| (0..ranks).map(|rank| (rank, chunk)).collect::<Vec<_>>();
    let each = |wanted: &dyn Fn(usize, usize) -> Vec<(usize, usize)>| {
        let chunks = (0..ranks).flat_map(|rank| (0..output).map(move |chunk| (rank, chunk)));
        Ok(Some(chunks.map(|(rank, chunk)| (rank, chunk, wanted(rank, chunk))).collect()))
    };
    if input == 0 || output == 0 {
        return match KNOWN.contains(&collective) {
            true => Err(format!(
                "rank 0 has {input} input and {output} output chunks; a {collective} out of place has some of both"
            )),
            false => Ok(None),
        };
    }
    match collective {
        "allgather" => {
            agree(input, input * ranks)?;
            each(&|_, chunk| vec![(chunk / input, chunk % input)])
        }
        "reducescatter" => {
            agree(output * ranks, output)?;
            each(&|rank, chunk| all(rank * output + chunk))
        }
        "allreduce" => {
            agree(input, input)?;
            each(&|_, chunk| all(chunk))
        }
        "broadcast" => {
            agree(input, input)?;
            each(&|_, chunk| vec![(root, chunk)])
        }
        "alltoall" => {
            let block = (input / ranks).max(1);
            agree(block * ranks, block * ranks)?;
            each(&|rank, chunk| vec![(chunk / block, rank * block + chunk % block)])
        }
        _ => Ok(None),
    }
}
