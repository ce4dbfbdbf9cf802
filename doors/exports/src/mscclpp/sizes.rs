//! Sizes of messages that a plan runs: the executor's loader throws at all others.

use oneport_checks::mscclpp::limits::{ALIGNMENT, BUFFER, SCRATCH};
use oneport_checks::mscclpp::schema::Plan;

/// Sizes in bytes of the executor's message: the output of an all-gather, else the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Sizes are multiples of it: every chunk has a multiple of 16 bytes.
    pub multiple: u64,
    /// The smallest.
    pub least: u64,
    /// The largest: offsets have 32 bits.
    pub most: u64,
    /// Whether the message is the output.
    of_output: bool,
}

impl Sizes {
    /// Sizes for a plan whose ranks have equal buffers.
    pub(crate) fn of(plan: &Plan) -> Sizes {
        let most = |chunks: fn(&oneport_checks::mscclpp::schema::Gpu) -> u32| {
            plan.gpus.iter().map(chunks).max().unwrap_or(0).max(1)
        };
        let (input, output) = (most(|gpu| gpu.input_chunks), most(|gpu| gpu.output_chunks));
        let scratch = most(|gpu| gpu.scratch_chunks);
        let of_output = plan.collective == "allgather";
        let chunks = u64::from(if of_output { output } else { input });
        let chunk = (BUFFER / u64::from(input.max(output))).min(SCRATCH / u64::from(scratch));
        let multiple = ALIGNMENT * chunks;
        Sizes {
            multiple,
            least: multiple,
            most: (chunk / ALIGNMENT).max(1) * multiple,
            of_output,
        }
    }

    /// The sizes in words.
    pub(crate) fn note(&self) -> String {
        let Sizes {
            multiple,
            least,
            most,
            of_output,
        } = self;
        let of = if *of_output {
            "output, which is the message of an all-gather"
        } else {
            "input"
        };
        format!("sizes: multiples of {multiple} bytes, from {least} to {most}, of the {of}")
    }
}
