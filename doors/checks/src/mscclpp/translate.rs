//! Translates the operations of a plan to steps of the machine.

use std::collections::BTreeMap;
use std::ops::Range;

use super::schema::{BufferType, ChannelType, ChunkRange, Name, Op, Plan, Threadblock};
use crate::buffers::Memory;
use crate::machine::{Act, Fault, Move, Part, Script, Span, malformed};

/// Iterations of a pipeline.
pub(super) const ITERATIONS: usize = 3;

/// Channels and semaphores as lines: the line of a channel is the one on which its owner waits.
#[derive(Debug)]
pub(super) struct Lines {
    /// Per line: owner, type, the other end's rank.
    pub channels: Vec<(usize, ChannelType, usize)>,
    /// Per line: the channel at the other end.
    partners: Vec<Option<usize>>,
    /// Per rank and type: its channels, in the order of the plan's numbers.
    owned: BTreeMap<(usize, ChannelType), Vec<usize>>,
    /// Per rank: the line of its first semaphore.
    semaphores: Vec<usize>,
    /// Per line: initial tokens.
    pub tokens: Vec<u32>,
}

impl Lines {
    /// All lines of a plan.
    ///
    /// # Errors
    /// A channel to a missing rank.
    pub(super) fn new(plan: &Plan) -> Result<Self, Fault> {
        let ranks = plan.gpus.len();
        let mut lines = Lines {
            channels: Vec::new(),
            partners: Vec::new(),
            owned: BTreeMap::new(),
            semaphores: Vec::new(),
            tokens: Vec::new(),
        };
        let mut between: BTreeMap<(usize, usize, ChannelType), Vec<usize>> = BTreeMap::new();
        for (rank, gpu) in plan.gpus.iter().enumerate() {
            for channel in &gpu.channels {
                for &peer in &channel.connected_to {
                    let peer = peer as usize;
                    if peer >= ranks || peer == rank {
                        let text = format!(
                            "rank {rank} has a channel to rank {peer}; there are {ranks} ranks, from 0 on"
                        );
                        return Err(malformed(text));
                    }
                    let line = lines.channels.len();
                    lines.channels.push((rank, channel.channel_type, peer));
                    lines
                        .owned
                        .entry((rank, channel.channel_type))
                        .or_default()
                        .push(line);
                    between
                        .entry((rank, peer, channel.channel_type))
                        .or_default()
                        .push(line);
                }
            }
        }
        let mut turn: BTreeMap<(usize, usize, ChannelType), usize> = BTreeMap::new();
        for &(rank, kind, peer) in &lines.channels {
            let turn = turn.entry((rank, peer, kind)).or_insert(0);
            lines.partners.push(
                between
                    .get(&(peer, rank, kind))
                    .and_then(|there| there.get(*turn))
                    .copied(),
            );
            *turn += 1;
        }
        lines.tokens = vec![0; lines.channels.len()];
        for gpu in &plan.gpus {
            lines.semaphores.push(lines.tokens.len());
            lines.tokens.extend(
                gpu.semaphores
                    .iter()
                    .map(|semaphore| semaphore.init_value.min(1 << 16)),
            );
        }
        Ok(lines)
    }

    /// The name of a line in messages.
    pub(super) fn name(&self, line: usize) -> String {
        match self.channels.get(line) {
            Some((owner, kind, peer)) => {
                let kind = if *kind == ChannelType::Port {
                    "port"
                } else {
                    "memory"
                };
                let number = self
                    .owned
                    .get(&(*owner, self.channels[line].1))
                    .and_then(|owned| owned.iter().position(|&it| it == line));
                format!(
                    "a signal of rank {peer} on rank {owner}'s {kind} channel {}",
                    number.unwrap_or(0)
                )
            }
            None => {
                let rank = self.sender(line).unwrap_or(0);
                format!(
                    "a release of rank {rank}'s semaphore {}",
                    line - self.semaphores[rank]
                )
            }
        }
    }

    /// Rank whose threads send tokens along a line.
    pub(super) fn sender(&self, line: usize) -> Option<usize> {
        match self.channels.get(line) {
            Some((_, _, peer)) => Some(*peer),
            None => self.semaphores.iter().rposition(|&first| first <= line),
        }
    }
}

/// Translation of threadblocks into a script.
pub(super) struct Translation<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its buffers.
    pub memory: &'a Memory,
    /// Its channels and semaphores.
    pub lines: &'a Lines,
    /// Ranks of the agents: one for each port channel that is used.
    pub agents: Vec<usize>,
    /// Per line of a port channel: its agent.
    pub known: BTreeMap<usize, u32>,
    /// The programs of the threadblocks.
    pub script: Script,
}

/// A threadblock's numbers of channels and remote buffers.
struct Local<'a> {
    block: &'a Threadblock,
    /// Per type: the line of each channel, if it exists.
    channels: BTreeMap<ChannelType, Vec<Option<usize>>>,
    /// Per type of channel: the plan's number of each remote buffer.
    buffers: BTreeMap<ChannelType, Vec<u32>>,
}

impl<'a> Local<'a> {
    fn new(block: &'a Threadblock, rank: usize, lines: &Lines) -> Self {
        let mut local = Local {
            block,
            channels: BTreeMap::new(),
            buffers: BTreeMap::new(),
        };
        for ids in &block.channels {
            let owned = lines.owned.get(&(rank, ids.channel_type));
            let line = |&id: &u32| owned?.get(id as usize).copied();
            let ours = ids.channel_ids.iter().map(line);
            local
                .channels
                .entry(ids.channel_type)
                .or_default()
                .extend(ours);
        }
        for refs in &block.remote_buffer_refs {
            local
                .buffers
                .entry(refs.access_channel_type)
                .or_default()
                .extend(&refs.remote_buffer_ids);
        }
        local
    }
}

/// Position of an operation.
#[derive(Clone, Copy)]
struct Site<'a> {
    rank: usize,
    local: &'a Local<'a>,
    operation: usize,
    op: &'a Op,
    /// Iteration of the pipeline, from 0. `None` outside a pipeline.
    iteration: Option<usize>,
}

impl Site<'_> {
    fn fault(&self, text: impl AsRef<str>) -> Fault {
        let (rank, block, operation) = (self.rank, self.local.block.id, self.operation);
        malformed(format!(
            "rank {rank}, threadblock {block}, operation {operation} ({}): {}",
            self.op.name.spelt(),
            text.as_ref()
        ))
    }
}

/// Kinds of buffers that operations read and write: `l` local, `r` remote, `s` of a switch channel. `*` repeats the
/// last one.
const SHAPES: [(&[Name], &str, &str); 12] = [
    (&[Name::Put, Name::Pws, Name::Pwsf, Name::Ppkt], "l*", "r*"),
    (&[Name::Get], "r*", "l*"),
    (&[Name::Copy, Name::Cpkt, Name::Upkt], "l", "l"),
    (&[Name::Re, Name::Repkt], "ll*", "l"),
    (&[Name::Res, Name::Respkt], "ll*", "lr*"),
    (&[Name::Rre], "lr*", "l"),
    (&[Name::Rres], "lr*", "lr*"),
    (&[Name::Rppkt], "l", "r*"),
    (&[Name::Recpkt], "ll*", "ll"),
    (&[Name::Recspkt], "ll*", "llr*"),
    (&[Name::Glres], "s", "s"),
    (&[Name::Gstore, Name::Gstorepkt], "l", "s"),
];

fn fits(shape: &str, ranges: &[ChunkRange]) -> bool {
    let kind = |range: &ChunkRange| match range {
        ChunkRange {
            buffer: Some(_), ..
        } => 'l',
        ChunkRange {
            buffer_id: Some(_), ..
        } => 'r',
        _ => 's',
    };
    let kinds = shape.trim_end_matches('*').as_bytes();
    let repeats = kinds.len() < shape.len();
    let wanted = |index: usize| {
        kinds
            .get(index)
            .or(kinds.last().filter(|_| repeats))
            .copied()
            .map(char::from)
    };
    ranges.len() >= kinds.len()
        && ranges
            .iter()
            .enumerate()
            .all(|(at, range)| wanted(at) == Some(kind(range)))
}

fn words(shape: &str) -> String {
    let word = |letter: char| match letter {
        'l' => "one of its own (type)",
        'r' => "a remote one (buffer_id)",
        's' => "a switch channel's (switch_channel_id)",
        _ => "more of these",
    };
    shape.chars().map(word).collect::<Vec<_>>().join(", ")
}

/// Group of a threadblock: the threadblocks of its GPU that do the same, each on its part. Its number is that of its
/// first threadblock.
fn group(plan: &Plan, rank: usize, block: &Threadblock) -> Option<usize> {
    let shape = |block: &Threadblock| -> Vec<(Name, Option<u32>)> {
        block
            .ops
            .iter()
            .map(|op| (op.name, op.tbg_info.map(|share| share.tbg_size)))
            .collect()
    };
    let ours = shape(block);
    ours.iter().find(|(_, size)| size.is_some())?;
    let blocks = &plan.gpus[rank].threadblocks;
    let before: usize = plan.gpus[..rank]
        .iter()
        .map(|gpu| gpu.threadblocks.len())
        .sum();
    blocks
        .iter()
        .position(|other| shape(other) == ours)
        .map(|first| before + first)
}

impl Translation<'_> {
    /// Writes the programs of all threadblocks, by ranks.
    ///
    /// # Errors
    /// The first operation that names a missing object.
    pub(super) fn write(&mut self) -> Result<(), Fault> {
        let plan = self.plan;
        for (rank, gpu) in plan.gpus.iter().enumerate() {
            for block in &gpu.threadblocks {
                let local = &Local::new(block, rank, self.lines);
                for (operation, op) in block.ops.iter().enumerate() {
                    if op.name != Name::Pipeline {
                        self.acts(Site {
                            rank,
                            local,
                            operation,
                            op,
                            iteration: None,
                        })?;
                        continue;
                    }
                    for iteration in 0..ITERATIONS {
                        for inner in &op.ops {
                            let site = Site {
                                rank,
                                local,
                                operation,
                                op: inner,
                                iteration: Some(iteration),
                            };
                            let chunks = op.iter_context.as_ref().map_or(0, |it| it.num_chunks);
                            let spans = inner.src_buff.iter().chain(&inner.dst_buff);
                            if let Some(range) =
                                spans.into_iter().find(|range| range.size != chunks)
                            {
                                let text = format!(
                                    "it works on {} chunks of the pipeline's {chunks}",
                                    range.size
                                );
                                return Err(site.fault(text));
                            }
                            self.acts(site)?;
                        }
                    }
                }
                self.script.end(rank, group(plan, rank, block));
            }
        }
        Ok(())
    }

    fn act(&mut self, site: Site<'_>, act: Act) {
        self.script.act(act, site.operation as u32);
    }

    fn acts(&mut self, site: Site<'_>) -> Result<(), Fault> {
        let op = site.op;
        if op
            .reduce_op
            .as_deref()
            .is_some_and(|operator| operator != "sum")
        {
            return Err(site.fault("the executor adds, whatever the reduce_op; it must be 'sum'"));
        }
        let is_port = op.channel_type == Some(ChannelType::Port);
        let act = match op.name {
            Name::Nop => Act::Sync,
            Name::Barrier => self.barrier(site)?,
            Name::Signal | Name::Rlxsignal => {
                return self.signals(site, op.name == Name::Rlxsignal);
            }
            Name::Wait | Name::Rlxwait => {
                let lines = self.channels(site)?;
                Act::Wait {
                    lines: self.script.numbers(lines),
                    relaxed: op.name == Name::Rlxwait,
                }
            }
            Name::Flush => self.flush(site)?,
            Name::SemAcquire => Act::Wait {
                lines: self.semaphores(site)?,
                relaxed: false,
            },
            Name::SemRelease => Act::Signal {
                lines: self.semaphores(site)?,
                relaxed: false,
                agent: None,
            },
            Name::Pipeline => return Err(site.fault("a pipeline within a pipeline")),
            Name::Glre => {
                return Err(site.fault(
                    "the executor has no such operation: the DSL leaves it where a reduction through a switch is not \
                     followed by a broadcast of the same chunks; with one it becomes glres",
                ));
            }
            Name::Put | Name::Ppkt if is_port => return self.port(site, false),
            Name::Pws => return self.port(site, true),
            Name::Pwsf => {
                self.port(site, true)?;
                self.flush(site)?
            }
            _ => Act::Move {
                moves: self.moves(site)?,
                agent: None,
            },
        };
        self.act(site, act);
        Ok(())
    }

    fn barrier(&self, site: Site<'_>) -> Result<Act, Fault> {
        match (site.op.barrier_id, site.op.num_threadblocks) {
            (Some(id), Some(threads)) if id < 16 && threads > 0 => Ok(Act::Barrier {
                barrier: site.rank as u32 * 16 + id,
                threads,
            }),
            _ => Err(site.fault("a barrier has a barrier_id below 16 and num_threadblocks")),
        }
    }

    /// The channels that an operation names, by lines.
    fn channels(&self, site: Site<'_>) -> Result<Vec<usize>, Fault> {
        let kind = site.op.channel_type.unwrap_or(ChannelType::None);
        let ours = site
            .local
            .channels
            .get(&kind)
            .map_or(&[][..], Vec::as_slice);
        let line = |&id: &u32| {
            let line = ours.get(id as usize).copied().flatten();
            line.ok_or_else(|| {
                site.fault(format!(
                    "channel {id} is not among the threadblock's {}",
                    ours.len()
                ))
            })
        };
        if site.op.channel_ids.is_empty() {
            return Err(site.fault("it names no channel"));
        }
        site.op.channel_ids.iter().map(line).collect()
    }

    fn signals(&mut self, site: Site<'_>, relaxed: bool) -> Result<(), Fault> {
        for line in self.channels(site)? {
            let Some(there) = self.lines.partners[line] else {
                let (_, _, peer) = self.lines.channels[line];
                return Err(site.fault(format!("rank {peer} has no channel at the other end")));
            };
            let agent = (site.op.channel_type == Some(ChannelType::Port))
                .then(|| self.agent(line, site.rank));
            let lines = self.script.numbers([there]);
            self.act(
                site,
                Act::Signal {
                    lines,
                    relaxed,
                    agent,
                },
            );
        }
        Ok(())
    }

    /// Agent that executes the puts of a port channel.
    fn agent(&mut self, line: usize, rank: usize) -> u32 {
        let first: usize = self
            .plan
            .gpus
            .iter()
            .map(|gpu| gpu.threadblocks.len())
            .sum();
        let agents = &mut self.agents;
        *self.known.entry(line).or_insert_with(|| {
            agents.push(rank);
            (first + agents.len() - 1) as u32
        })
    }

    fn flush(&mut self, site: Site<'_>) -> Result<Act, Fault> {
        let lines = self.channels(site)?;
        let agents: Vec<usize> = lines
            .into_iter()
            .map(|line| self.agent(line, site.rank) as usize)
            .collect();
        Ok(Act::Flush {
            agents: self.script.numbers(agents),
        })
    }

    fn semaphores(&mut self, site: Site<'_>) -> Result<Part, Fault> {
        let count = self.plan.gpus[site.rank].semaphores.len();
        if site.op.semaphore_ids.len() > 16 {
            return Err(site.fault("it names more than 16 semaphores"));
        }
        let ids = site.op.semaphore_ids.iter().map(|&id| id as usize);
        if let Some(id) = ids.clone().find(|&id| id >= count) {
            return Err(site.fault(format!(
                "semaphore {id} is not among the {count} of the rank"
            )));
        }
        let first = self.lines.semaphores[site.rank];
        Ok(self.script.numbers(ids.map(|id| first + id)))
    }

    /// Puts through port channels, each by the channel's agent, and then signals.
    fn port(&mut self, site: Site<'_>, signals: bool) -> Result<(), Fault> {
        let (lines, moves) = (self.channels(site)?, self.moves(site)?);
        if lines.len() != moves.len() {
            return Err(site.fault(format!(
                "{} channels for {} messages; one each",
                lines.len(),
                moves.len()
            )));
        }
        for (line, moves) in lines.into_iter().zip(moves.each()) {
            let agent = Some(self.agent(line, site.rank));
            self.act(site, Act::Move { moves, agent });
            if signals {
                let there = self.lines.partners[line];
                let there =
                    there.ok_or_else(|| site.fault("there is no channel at the other end"))?;
                let lines = self.script.numbers([there]);
                self.act(
                    site,
                    Act::Signal {
                        lines,
                        relaxed: false,
                        agent,
                    },
                );
            }
        }
        Ok(())
    }

    /// The moves of an operation.
    fn moves(&mut self, site: Site<'_>) -> Result<Part, Fault> {
        let op = site.op;
        let shape = SHAPES.iter().find(|(names, ..)| names.contains(&op.name));
        let Some((_, from, to)) = shape else {
            return Err(site.fault("it moves no data"));
        };
        for (shape, ranges, key) in [
            (from, &op.src_buff, "src_buff"),
            (to, &op.dst_buff, "dst_buff"),
        ] {
            if !fits(shape, ranges) {
                return Err(site.fault(format!("its {key} must be: {}", words(shape))));
            }
        }
        match op.name {
            Name::Put | Name::Pws | Name::Pwsf | Name::Copy => self.pairs(site, [false, false]),
            Name::Get => match op.src_buff.iter().zip(&op.dst_buff).find(|(from, to)| from.index != to.index) {
                Some((from, to)) => Err(site.fault(format!(
                    "it gets chunk {} into chunk {}: the executor exchanges the two offsets of a get, so both must be equal",
                    from.index, to.index
                ))),
                None => self.pairs(site, [false, false]),
            },
            Name::Ppkt | Name::Cpkt => self.pairs(site, [op.channel_type == Some(ChannelType::Port), true]),
            Name::Upkt => self.pairs(site, [true, false]),
            Name::Rppkt | Name::Gstorepkt => self.together(site, 0),
            Name::Repkt | Name::Respkt | Name::Recpkt | Name::Recspkt => self.together(site, 1),
            Name::Re | Name::Res | Name::Rre | Name::Rres | Name::Glres | Name::Gstore => {
                self.together(site, usize::MAX)
            }
            _ => Err(site.fault("it moves no data")),
        }
    }

    /// Moves each source to the target of the same index. `from` and `to` are true for packets.
    fn pairs(&mut self, site: Site<'_>, [from, to]: [bool; 2]) -> Result<Part, Fault> {
        let op = site.op;
        if op.src_buff.len() != op.dst_buff.len() || op.src_buff.is_empty() {
            return Err(site.fault("it has as many src_buff as dst_buff, one at least"));
        }
        let packets = |packets: bool| if packets { 0 } else { usize::MAX };
        let mut moves = Vec::with_capacity(op.src_buff.len());
        for (source, target) in op.src_buff.chunks(1).zip(op.dst_buff.chunks(1)) {
            moves.push(self.one(site, (source, packets(from)), (target, packets(to)))?);
        }
        Ok(self.script.moves(moves))
    }

    /// Moves all sources, combined, to all targets. Sources from index `packets` on are packets.
    fn together(&mut self, site: Site<'_>, packets: usize) -> Result<Part, Fault> {
        let it = self.one(
            site,
            (&site.op.src_buff, packets),
            (&site.op.dst_buff, packets),
        )?;
        Ok(self.script.moves([it]))
    }

    fn one(
        &mut self,
        site: Site<'_>,
        from: (&[ChunkRange], usize),
        to: (&[ChunkRange], usize),
    ) -> Result<Move, Fault> {
        let through_switch = to.0.iter().any(|range| range.switch_channel_id.is_some());
        let (sources, targets) = (self.spans(site, from)?, self.spans(site, to)?);
        let (reads, writes) = (self.script.spans_of(sources), self.script.spans_of(targets));
        let length = reads.first().map_or(0, |span| span.count);
        if writes.is_empty() || reads.iter().chain(writes).any(|span| span.count != length) {
            return Err(
                site.fault("its src_buff and dst_buff have different sizes, or are missing")
            );
        }
        let apart =
            |a: Range<usize>, b: Range<usize>| a == b || a.end <= b.start || b.end <= a.start;
        if reads
            .iter()
            .any(|from| writes.iter().any(|to| !apart(from.cells(), to.cells())))
        {
            return Err(site.fault("its src_buff and dst_buff overlap without being the same"));
        }
        Ok(Move {
            sources,
            targets,
            through_switch,
        })
    }

    /// The cells of ranges: local, remote, or of all ranks of a switch channel. Ranges from index `packets` on are
    /// packets.
    fn spans(
        &mut self,
        site: Site<'_>,
        (ranges, packets): (&[ChunkRange], usize),
    ) -> Result<Part, Fault> {
        let mut spans = Vec::with_capacity(ranges.len());
        for (at, range) in ranges.iter().enumerate() {
            let mut add = |(rank, buffer): (usize, BufferType)| {
                spans.push(self.span(site, range, rank, buffer, at >= packets)?);
                Ok(())
            };
            match *range {
                ChunkRange {
                    buffer: Some(buffer),
                    ..
                } => add((site.rank, buffer))?,
                ChunkRange {
                    buffer_id: Some(id),
                    ..
                } => {
                    let kind = site.op.channel_type.unwrap_or(ChannelType::Memory);
                    let remote = site
                        .local
                        .buffers
                        .get(&kind)
                        .and_then(|ids| ids.get(id as usize));
                    let remote = remote
                        .and_then(|&id| self.plan.gpus[site.rank].remote_buffers.get(id as usize));
                    let remote = remote.ok_or_else(|| {
                        site.fault(format!("buffer {id} is not among its remote buffers"))
                    })?;
                    add((remote.rank as usize, remote.buffer))?;
                }
                ChunkRange {
                    switch_channel_id: Some(id),
                    ..
                } => {
                    for buffer in self.group(site, id)? {
                        add(buffer)?;
                    }
                }
                _ => {
                    return Err(
                        site.fault("a buffer has a type, a buffer_id or a switch_channel_id")
                    );
                }
            }
        }
        self.script.spans(spans.into_iter().map(Ok))
    }

    fn span(
        &self,
        site: Site<'_>,
        range: &ChunkRange,
        rank: usize,
        buffer: BufferType,
        packets: bool,
    ) -> Result<Span, Fault> {
        let cells = self.memory.chunk(
            rank,
            buffer,
            range.index as usize,
            range.size as usize,
            packets,
        );
        let cells = cells.ok_or_else(|| {
            let (chunks, last) = (
                self.memory.chunks(rank, buffer),
                u64::from(range.index) + u64::from(range.size),
            );
            let (name, index) = (buffer.name(), range.index);
            site.fault(format!(
                "chunks {index} to {last} (excluded) of rank {rank}'s {name}, which has {chunks}"
            ))
        })?;
        Ok(Span::new(self.share(site, cells)?, rank, packets))
    }

    /// The part of a group's threadblock, and of a pipeline's iteration.
    fn share(&self, site: Site<'_>, cells: Range<usize>) -> Result<Range<usize>, Fault> {
        let part = |cells: Range<usize>, index: usize, count: usize| {
            let length = cells.len();
            cells.start + length * index / count..cells.start + length * (index + 1) / count
        };
        let cells = match site.op.tbg_info {
            Some(share) if share.tb_id >= share.tbg_size => {
                return Err(site.fault(format!(
                    "tb_id {} of a group of {}",
                    share.tb_id, share.tbg_size
                )));
            }
            Some(share) => part(cells, share.tb_id as usize, share.tbg_size as usize),
            None => cells,
        };
        Ok(match site.iteration {
            Some(iteration) => part(cells, iteration, ITERATIONS),
            None => cells,
        })
    }

    fn group(&self, site: Site<'_>, id: u32) -> Result<Vec<(usize, BufferType)>, Fault> {
        let ids = site
            .local
            .block
            .channels
            .iter()
            .filter(|ids| ids.channel_type == ChannelType::Switch);
        let ids: Vec<u32> = ids
            .flat_map(|ids| ids.channel_ids.iter().copied())
            .collect();
        let channels = &self.plan.gpus[site.rank].channels;
        let groups = channels
            .iter()
            .filter(|channel| channel.channel_type == ChannelType::Switch);
        let groups = groups.flat_map(|channel| {
            channel
                .rank_groups
                .iter()
                .map(move |group| (channel.buffer_type, group))
        });
        let groups: Vec<_> = groups.collect();
        let group = ids.get(id as usize).and_then(|&id| groups.get(id as usize));
        match group {
            Some((Some(buffer), group)) => Ok(group
                .ranks
                .iter()
                .map(|&rank| (rank as usize, *buffer))
                .collect()),
            _ => Err(site.fault(format!(
                "switch channel {id} is not among the threadblock's"
            ))),
        }
    }
}
