//! Limits of the executor of MSCCL++.

/// Operations of one threadblock (`MAX_OPERATION` of the executor).
pub const OPERATIONS: usize = 64;
/// Channels of one type, and remote buffers, that one threadblock refers to (`MAX_CHANNEL`).
pub const CHANNELS: usize = 16;
/// Channels that one operation names (`MAX_CHANNEL_PER_OPERATION`).
pub const CHANNELS_AT_ONCE: usize = 8;
/// Threadblocks of one GPU: they wait for one another, so all of them must run at once, each on a separate
/// multiprocessor. An A100 has 108 (an H100 132, an MI300X 304).
pub const THREADBLOCKS: usize = 108;
/// Bytes that the offset of every chunk is a multiple of (`buffer_alignment`): the kernel copies and adds 16 at once.
pub const ALIGNMENT: u64 = 16;
/// Bytes that an input or an output may have: offsets have 32 bits, and the offset of a buffer in its allocation is
/// added to them, so half of them are left to that.
pub const BUFFER: u64 = 1 << 31;
/// Bytes of scratch: its offsets have 32 bits.
pub const SCRATCH: u64 = 1 << 32;
