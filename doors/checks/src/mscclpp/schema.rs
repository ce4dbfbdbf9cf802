//! The keys of MSCCL++ execution plans.

use serde::{Deserialize, Serialize};

pub use crate::buffers::BufferType;

/// A plan: the operations of every GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub name: String,
    pub collective: String,
    pub protocol: Protocol,
    pub inplace: bool,
    #[serde(default)]
    pub reuse_resources: bool,
    #[serde(default = "threads")]
    pub num_threads_per_block: u64,
    #[serde(default)]
    pub use_double_scratch_buffer: bool,
    #[serde(default = "alignment")]
    pub buffer_alignment: u64,
    #[serde(default)]
    pub min_message_size: u64,
    #[serde(default = "unlimited")]
    pub max_message_size: u64,
    pub gpus: Vec<Gpu>,
}

fn threads() -> u64 {
    1024
}

fn alignment() -> u64 {
    16
}

fn unlimited() -> u64 {
    u64::MAX
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    Simple,
    LL,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    pub id: u32,
    pub input_chunks: u32,
    pub output_chunks: u32,
    pub scratch_chunks: u32,
    pub threadblocks: Vec<Threadblock>,
    pub channels: Vec<Channel>,
    pub remote_buffers: Vec<RemoteBuffer>,
    #[serde(default)]
    pub semaphores: Vec<Semaphore>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    pub channel_type: ChannelType,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connected_to: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_type: Option<BufferType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rank_groups: Vec<Group>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelType {
    None,
    Memory,
    Port,
    Switch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub size: u32,
    pub ranks: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RemoteBuffer {
    pub rank: u32,
    #[serde(rename = "type")]
    pub buffer: BufferType,
    pub access_channel_types: Vec<ChannelType>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Semaphore {
    pub init_value: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Threadblock {
    pub id: u32,
    pub ops: Vec<Op>,
    #[serde(default)]
    pub channels: Vec<ChannelIds>,
    #[serde(default)]
    pub remote_buffer_refs: Vec<RemoteBufferIds>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelIds {
    pub channel_type: ChannelType,
    pub channel_ids: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteBufferIds {
    pub access_channel_type: ChannelType,
    pub remote_buffer_ids: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Op {
    pub name: Name,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub src_buff: Vec<ChunkRange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dst_buff: Vec<ChunkRange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channel_ids: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_type: Option<ChannelType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbg_info: Option<Share>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier_id: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_threadblocks: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub semaphore_ids: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce_op: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iter_context: Option<Iterations>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<Op>,
}

impl Op {
    /// An operation without operands.
    pub fn new(name: Name) -> Self {
        Op {
            name,
            src_buff: Vec::new(),
            dst_buff: Vec::new(),
            channel_ids: Vec::new(),
            channel_type: None,
            tbg_info: None,
            barrier_id: None,
            num_threadblocks: None,
            semaphore_ids: Vec::new(),
            reduce_op: None,
            iter_context: None,
            ops: Vec::new(),
        }
    }
}

impl Op {
    /// Whether it reads or writes packets.
    pub fn is_of_packets(&self) -> bool {
        use Name::{Cpkt, Gstorepkt, Ppkt, Recpkt, Recspkt, Repkt, Respkt, Rppkt, Upkt};
        matches!(
            self.name,
            Cpkt | Gstorepkt | Ppkt | Recpkt | Recspkt | Repkt | Respkt | Rppkt | Upkt
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Name {
    Nop,
    Barrier,
    Put,
    Pws,
    Pwsf,
    Get,
    Copy,
    Signal,
    Wait,
    Flush,
    Re,
    Res,
    Rre,
    Rres,
    Ppkt,
    Rppkt,
    Respkt,
    Cpkt,
    Upkt,
    Repkt,
    Recpkt,
    Recspkt,
    /// The DSL writes it, and no executor has it.
    Glre,
    Glres,
    Gstore,
    Gstorepkt,
    Rlxsignal,
    Rlxwait,
    Pipeline,
    #[serde(rename = "sem_acquire")]
    SemAcquire,
    #[serde(rename = "sem_release")]
    SemRelease,
}

impl Name {
    /// The spelling in the file.
    pub fn spelt(self) -> String {
        let name = serde_json::to_value(self).ok();
        let name = name.as_ref().and_then(|name| name.as_str());
        name.unwrap_or("?").to_string()
    }
}

/// Chunks `index` to `index + size - 1` of a buffer: a local one (`type`), a remote one (`buffer_id`, among the remote
/// buffers of the threadblock), or those of all ranks of a group (`switch_channel_id`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChunkRange {
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BufferType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_id: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch_channel_id: Option<u32>,
    pub index: u32,
    pub size: u32,
}

/// Which part of the operation's data this threadblock of a group works on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub tb_id: u32,
    pub tbg_size: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    pub unit_size: u64,
    pub num_chunks: u32,
}
