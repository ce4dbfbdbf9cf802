//! From the operations of a plan to the steps of the machine.

use std::collections::BTreeMap;
use std::ops::Range;

use super::schema::{BufferType, ChannelType, Name, Op, Place, Plan, Threadblock};
use crate::buffers::Memory;
use crate::machine::{Act, Fault, Few, Kind, Move, Program, Span};

/// Iterations of a pipeline.
pub const ITERATIONS: usize = 3;

/// Channels and semaphores as lines: the line of a channel is the one on which its owner waits.
#[derive(Debug)]
pub struct Lines {
    /// By line: owner, type, the other end's rank.
    pub channels: Vec<(usize, ChannelType, usize)>,
    /// By line: the channel at the other end.
    partners: Vec<Option<usize>>,
    /// By rank and type: its channels, in the order of the plan's numbers.
    owned: BTreeMap<(usize, ChannelType), Vec<usize>>,
    /// By rank: the line of its first semaphore.
    semaphores: Vec<usize>,
    /// By line: tokens from the start.
    pub tokens: Vec<u32>,
}

impl Lines {
    /// All lines of a plan.
    ///
    /// # Errors
    /// A channel to a rank that is not there.
    pub fn new(plan: &Plan) -> Result<Self, Fault> {
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
                        let text =
                            format!("rank {rank} has a channel to rank {peer}; there are {ranks} ranks, from 0 on");
                        return Err(Fault::new(Kind::Malformed, text));
                    }
                    let line = lines.channels.len();
                    lines.channels.push((rank, channel.channel_type, peer));
                    lines.owned.entry((rank, channel.channel_type)).or_default().push(line);
                    between.entry((rank, peer, channel.channel_type)).or_default().push(line);
                }
            }
        }
        let mut turn: BTreeMap<(usize, usize, ChannelType), usize> = BTreeMap::new();
        for &(rank, kind, peer) in &lines.channels {
            let turn = turn.entry((rank, peer, kind)).or_insert(0);
            lines.partners.push(between.get(&(peer, rank, kind)).and_then(|there| there.get(*turn)).copied());
            *turn += 1;
        }
        lines.tokens = vec![0; lines.channels.len()];
        for gpu in &plan.gpus {
            lines.semaphores.push(lines.tokens.len());
            lines.tokens.extend(gpu.semaphores.iter().map(|semaphore| semaphore.init_value.min(1 << 16)));
        }
        Ok(lines)
    }

    /// What is waited for along a line.
    pub fn name(&self, line: usize) -> String {
        match self.channels.get(line) {
            Some((owner, kind, peer)) => {
                let kind = if *kind == ChannelType::Port { "port" } else { "memory" };
                let number = self
                    .owned
                    .get(&(*owner, self.channels[line].1))
                    .and_then(|owned| owned.iter().position(|&it| it == line));
                format!("a signal of rank {peer} on rank {owner}'s {kind} channel {}", number.unwrap_or(0))
            }
            None => {
                let rank = self.semaphores.iter().rposition(|&first| first <= line).unwrap_or(0);
                format!("a release of rank {rank}'s semaphore {}", line - self.semaphores[rank])
            }
        }
    }

    /// Whose threads send tokens along it.
    pub fn sender(&self, line: usize) -> Option<usize> {
        match self.channels.get(line) {
            Some((_, _, peer)) => Some(*peer),
            None => self.semaphores.iter().rposition(|&first| first <= line),
        }
    }
}

/// What threadblocks become.
pub struct Translation<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its buffers.
    pub memory: &'a Memory,
    /// Its channels and semaphores.
    pub lines: &'a Lines,
    /// Ranks of the agents: one for each port channel that is used.
    pub agents: Vec<usize>,
    /// By line of a port channel: its agent.
    pub known: BTreeMap<usize, u32>,
}

/// Where an operation stands.
#[derive(Clone, Copy)]
struct Site<'a> {
    rank: usize,
    block: &'a Threadblock,
    operation: usize,
    op: &'a Op,
    /// Which time a pipeline runs it.
    iteration: Option<usize>,
}

impl Site<'_> {
    fn fault(&self, text: impl AsRef<str>) -> Fault {
        let name = serde_json::to_value(self.op.name).ok();
        let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or("?");
        let (rank, block, operation) = (self.rank, self.block.id, self.operation);
        Fault::new(
            Kind::Malformed,
            format!("rank {rank}, threadblock {block}, operation {operation} ({name}): {}", text.as_ref()),
        )
    }
}

/// Which operations read and write buffers of which kinds: `l` local, `r` remote, `s` of a switch channel; the last one
/// as often as wanted (`*`).
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

fn fits(shape: &str, places: &[Place]) -> bool {
    let kind = |place: &Place| match place {
        Place { buffer: Some(_), .. } => 'l',
        Place { buffer_id: Some(_), .. } => 'r',
        _ => 's',
    };
    let kinds: Vec<char> = shape.chars().filter(|&kind| kind != '*').collect();
    let repeats = kinds.len() < shape.len();
    let wanted = |place: usize| kinds.get(place).or(kinds.last().filter(|_| repeats)).copied();
    places.len() >= kinds.len() && places.iter().enumerate().all(|(at, place)| wanted(at) == Some(kind(place)))
}

/// Places, which are of packets from a number on.
fn marked(places: &[Place], packets: usize) -> Vec<(&Place, bool)> {
    places.iter().enumerate().map(|(at, place)| (place, at >= packets)).collect()
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

/// The group of a threadblock: those of its GPU that do the same, each on its part. Named by the first one's number.
fn group(plan: &Plan, rank: usize, block: &Threadblock) -> Option<usize> {
    let shape = |block: &Threadblock| -> Vec<(Name, Option<u32>)> {
        block.ops.iter().map(|op| (op.name, op.tbg_info.map(|share| share.tbg_size))).collect()
    };
    let ours = shape(block);
    ours.iter().find(|(_, size)| size.is_some())?;
    let blocks = &plan.gpus[rank].threadblocks;
    let before: usize = plan.gpus[..rank].iter().map(|gpu| gpu.threadblocks.len()).sum();
    blocks.iter().position(|other| shape(other) == ours).map(|first| before + first)
}

impl Translation<'_> {
    /// The programs of all threadblocks, by ranks.
    ///
    /// # Errors
    /// The first operation that names something that is not there.
    pub fn programs(&mut self) -> Result<Vec<Program>, Fault> {
        let plan = self.plan;
        let mut programs = Vec::new();
        for (rank, gpu) in plan.gpus.iter().enumerate() {
            for block in &gpu.threadblocks {
                let mut acts = Vec::new();
                for (operation, op) in block.ops.iter().enumerate() {
                    let mut add = |site: Site<'_>| {
                        let steps = self.acts(site)?;
                        acts.extend(steps.into_iter().map(|act| (act, operation as u32)));
                        Ok(())
                    };
                    if op.name != Name::Pipeline {
                        add(Site { rank, block, operation, op, iteration: None })?;
                        continue;
                    }
                    for iteration in 0..ITERATIONS {
                        for inner in &op.ops {
                            let site = Site { rank, block, operation, op: inner, iteration: Some(iteration) };
                            let chunks = op.iter_context.as_ref().map_or(0, |it| it.num_chunks);
                            let spans = inner.src_buff.iter().chain(&inner.dst_buff);
                            if let Some(place) = spans.into_iter().find(|place| place.size != chunks) {
                                let text = format!("it works on {} chunks of the pipeline's {chunks}", place.size);
                                return Err(site.fault(text));
                            }
                            add(site)?;
                        }
                    }
                }
                programs.push(Program { rank, group: group(plan, rank, block), acts });
            }
        }
        Ok(programs)
    }

    fn acts(&mut self, site: Site<'_>) -> Result<Vec<Act>, Fault> {
        let op = site.op;
        if op.reduce_op.as_deref().is_some_and(|operator| operator != "sum") {
            return Err(site.fault("the executor adds, whatever the reduce_op; it must be 'sum'"));
        }
        let is_port = op.channel_type == Some(ChannelType::Port);
        Ok(match op.name {
            Name::Nop => vec![Act::Sync],
            Name::Barrier => vec![self.barrier(site)?],
            Name::Signal | Name::Rlxsignal => self.signals(site, op.name == Name::Rlxsignal)?,
            Name::Wait | Name::Rlxwait => {
                vec![Act::Wait { lines: self.channels(site)?.into_iter().collect(), relaxed: op.name == Name::Rlxwait }]
            }
            Name::Flush => vec![self.flush(site)?],
            Name::SemAcquire => vec![Act::Wait { lines: self.semaphores(site)?.into_iter().collect(), relaxed: false }],
            Name::SemRelease => {
                vec![Act::Signal { lines: self.semaphores(site)?.into_iter().collect(), relaxed: false, agent: None }]
            }
            Name::Pipeline => return Err(site.fault("a pipeline within a pipeline")),
            Name::Glre => {
                return Err(site.fault(
                    "the executor has no such operation: the DSL leaves it where a reduction through a switch is not \
                     followed by a broadcast of the same chunks; with one it becomes glres",
                ));
            }
            Name::Put | Name::Ppkt if is_port => self.port(site, false)?,
            Name::Pws => self.port(site, true)?,
            Name::Pwsf => {
                let mut acts = self.port(site, true)?;
                acts.push(self.flush(site)?);
                acts
            }
            _ => vec![Act::Move { moves: self.moves(site)?, agent: None }],
        })
    }

    fn barrier(&self, site: Site<'_>) -> Result<Act, Fault> {
        match (site.op.barrier_id, site.op.num_threadblocks) {
            (Some(id), Some(threads)) if id < 16 && threads > 0 => {
                Ok(Act::Barrier { barrier: site.rank * 16 + id as usize, threads })
            }
            _ => Err(site.fault("a barrier has a barrier_id below 16 and num_threadblocks")),
        }
    }

    /// The channels that an operation names, by lines.
    fn channels(&self, site: Site<'_>) -> Result<Vec<usize>, Fault> {
        let kind = site.op.channel_type.unwrap_or(ChannelType::None);
        let ours: Vec<u32> = site
            .block
            .channels
            .iter()
            .filter(|ids| ids.channel_type == kind)
            .flat_map(|ids| ids.channel_ids.iter().copied())
            .collect();
        let owned = self.lines.owned.get(&(site.rank, kind)).map_or(&[][..], Vec::as_slice);
        let line = |&id: &u32| {
            let line = ours.get(id as usize).and_then(|&id| owned.get(id as usize)).copied();
            line.ok_or_else(|| site.fault(format!("channel {id} is not among the threadblock's {}", ours.len())))
        };
        let lines = site.op.channel_ids.iter().map(line).collect::<Result<Vec<usize>, Fault>>()?;
        match lines.is_empty() {
            true => Err(site.fault("it names no channel")),
            false => Ok(lines),
        }
    }

    fn signals(&mut self, site: Site<'_>, relaxed: bool) -> Result<Vec<Act>, Fault> {
        let lines = self.channels(site)?;
        let mut acts = Vec::new();
        for line in lines {
            let Some(there) = self.lines.partners[line] else {
                let (_, _, peer) = self.lines.channels[line];
                return Err(site.fault(format!("rank {peer} has no channel at the other end")));
            };
            let agent = (site.op.channel_type == Some(ChannelType::Port)).then(|| self.agent(line, site.rank));
            acts.push(Act::Signal { lines: Few::One(there), relaxed, agent });
        }
        Ok(acts)
    }

    /// Who works through what is put through a port channel.
    fn agent(&mut self, line: usize, rank: usize) -> u32 {
        let first: usize = self.plan.gpus.iter().map(|gpu| gpu.threadblocks.len()).sum();
        let agents = &mut self.agents;
        *self.known.entry(line).or_insert_with(|| {
            agents.push(rank);
            (first + agents.len() - 1) as u32
        })
    }

    fn flush(&mut self, site: Site<'_>) -> Result<Act, Fault> {
        let lines = self.channels(site)?;
        Ok(Act::Flush { agents: lines.into_iter().map(|line| self.agent(line, site.rank)).collect() })
    }

    fn semaphores(&self, site: Site<'_>) -> Result<Vec<usize>, Fault> {
        let count = self.plan.gpus[site.rank].semaphores.len();
        if site.op.semaphore_ids.len() > 16 {
            return Err(site.fault("it names more than 16 semaphores"));
        }
        let line = |&id: &u32| match (id as usize) < count {
            true => Ok(self.lines.semaphores[site.rank] + id as usize),
            false => Err(site.fault(format!("semaphore {id} is not among the {count} of the rank"))),
        };
        site.op.semaphore_ids.iter().map(line).collect()
    }

    /// Puts through port channels, each by the channel's agent, and signals behind them.
    fn port(&mut self, site: Site<'_>, signals: bool) -> Result<Vec<Act>, Fault> {
        let (lines, moves) = (self.channels(site)?, self.moves(site)?);
        if lines.len() != moves.len() {
            return Err(site.fault(format!("{} channels for {} messages; one each", lines.len(), moves.len())));
        }
        let mut acts = Vec::new();
        for (line, it) in lines.into_iter().zip(&moves) {
            let agent = self.agent(line, site.rank);
            acts.push(Act::Move { moves: Few::One(it.clone()), agent: Some(agent) });
            if signals {
                let there = self.lines.partners[line];
                let there = there.ok_or_else(|| site.fault("there is no channel at the other end"))?;
                acts.push(Act::Signal { lines: Few::One(there), relaxed: false, agent: Some(agent) });
            }
        }
        Ok(acts)
    }

    /// What data an operation moves.
    fn moves(&self, site: Site<'_>) -> Result<Few<Move>, Fault> {
        let op = site.op;
        let shape = SHAPES.iter().find(|(names, ..)| names.contains(&op.name));
        let Some((_, from, to)) = shape else { return Err(site.fault("it moves no data")) };
        for (shape, places, key) in [(from, &op.src_buff, "src_buff"), (to, &op.dst_buff, "dst_buff")] {
            if !fits(shape, places) {
                return Err(site.fault(format!("its {key} must be: {}", words(shape))));
            }
        }
        let pairs = |packets: [bool; 2]| -> Result<Few<Move>, Fault> {
            if op.src_buff.len() != op.dst_buff.len() || op.src_buff.is_empty() {
                return Err(site.fault("it has as many src_buff as dst_buff, one at least"));
            }
            let pairs = op.src_buff.iter().zip(&op.dst_buff);
            pairs.map(|(from, to)| self.one(site, &[(from, packets[0])], &[(to, packets[1])])).collect()
        };
        let all = |sources: Vec<(&Place, bool)>, targets: Vec<(&Place, bool)>| -> Result<Few<Move>, Fault> {
            Ok(Few::One(self.one(site, &sources, &targets)?))
        };
        let (sources, targets) = (&op.src_buff, &op.dst_buff);
        let never = usize::MAX;
        match op.name {
            Name::Put | Name::Pws | Name::Pwsf | Name::Copy => pairs([false, false]),
            Name::Get => match op.src_buff.iter().zip(&op.dst_buff).find(|(from, to)| from.index != to.index) {
                Some((from, to)) => Err(site.fault(format!(
                    "it gets chunk {} into chunk {}: the executor exchanges the two offsets of a get, so both must be equal",
                    from.index, to.index
                ))),
                None => pairs([false, false]),
            },
            Name::Ppkt | Name::Cpkt => pairs([op.channel_type == Some(ChannelType::Port), true]),
            Name::Upkt => pairs([true, false]),
            Name::Re | Name::Res | Name::Rre | Name::Rres => all(marked(sources, never), marked(targets, never)),
            Name::Rppkt => all(marked(sources, 0), marked(targets, 0)),
            Name::Repkt | Name::Respkt | Name::Recpkt | Name::Recspkt => all(marked(sources, 1), marked(targets, 1)),
            Name::Glres => all(marked(sources, never), marked(targets, never)),
            Name::Gstore => all(marked(sources, never), marked(targets, never)),
            Name::Gstorepkt => all(marked(sources, 0), marked(targets, 0)),
            _ => Err(site.fault("it moves no data")),
        }
    }

    fn one(&self, site: Site<'_>, sources: &[(&Place, bool)], targets: &[(&Place, bool)]) -> Result<Move, Fault> {
        let spans = |places: &[(&Place, bool)]| -> Result<Few<Span>, Fault> {
            let mut spans = Few::default();
            for &(place, packets) in places {
                self.spans(site, place, packets, &mut spans)?;
            }
            Ok(spans)
        };
        let through_switch = targets.iter().any(|(place, _)| place.switch_channel_id.is_some());
        let it = Move { sources: spans(sources)?, targets: spans(targets)?, through_switch };
        let length = it.sources.first().map_or(0, |span| span.cells.len());
        if it.targets.is_empty() || it.sources.iter().chain(&it.targets).any(|span| span.cells.len() != length) {
            return Err(site.fault("its src_buff and dst_buff have different sizes, or are missing"));
        }
        let apart = |a: &Range<usize>, b: &Range<usize>| a == b || a.end <= b.start || b.end <= a.start;
        if it.sources.iter().any(|from| it.targets.iter().any(|to| !apart(&from.cells, &to.cells))) {
            return Err(site.fault("its src_buff and dst_buff overlap without being the same"));
        }
        Ok(it)
    }

    /// The cells of a place: one's own, another's, or those of all ranks of a switch channel.
    fn spans(&self, site: Site<'_>, place: &Place, packets: bool, spans: &mut Few<Span>) -> Result<(), Fault> {
        let owners: Few<(usize, BufferType)> = match *place {
            Place { buffer: Some(buffer), .. } => Few::One((site.rank, buffer)),
            Place { buffer_id: Some(id), .. } => {
                let kind = site.op.channel_type.unwrap_or(ChannelType::Memory);
                let refs = site.block.remote_buffer_refs.iter().filter(|refs| refs.access_channel_type == kind);
                let mut ids = refs.flat_map(|refs| refs.remote_buffer_ids.iter().copied());
                let remote = ids.nth(id as usize);
                let remote = remote.and_then(|id| self.plan.gpus[site.rank].remote_buffers.get(id as usize));
                let remote =
                    remote.ok_or_else(|| site.fault(format!("buffer {id} is not among its remote buffers")))?;
                Few::One((remote.rank as usize, remote.buffer))
            }
            Place { switch_channel_id: Some(id), .. } => self.group(site, id)?.into_iter().collect(),
            _ => return Err(site.fault("a buffer has a type, a buffer_id or a switch_channel_id")),
        };
        let span = |&(rank, buffer): &(usize, BufferType)| {
            let cells = self.memory.chunk(rank, buffer, place.index as usize, place.size as usize, packets);
            let cells = cells.ok_or_else(|| {
                let (chunks, last) = (self.memory.chunks(rank, buffer), u64::from(place.index) + u64::from(place.size));
                let name = ["input", "output", "scratch"][buffer as usize];
                let index = place.index;
                site.fault(format!("chunks {index} to {last} (excluded) of rank {rank}'s {name}, which has {chunks}"))
            })?;
            Ok(Span { cells: self.share(site, cells)?, rank, packets })
        };
        owners.iter().try_for_each(|owner| {
            spans.push(span(owner)?);
            Ok(())
        })
    }

    /// The part of a group's threadblock, and of a pipeline's iteration.
    fn share(&self, site: Site<'_>, cells: Range<usize>) -> Result<Range<usize>, Fault> {
        let part = |cells: Range<usize>, place: usize, of: usize| {
            let length = cells.len();
            cells.start + length * place / of..cells.start + length * (place + 1) / of
        };
        let cells = match site.op.tbg_info {
            Some(share) if share.tb_id >= share.tbg_size => {
                return Err(site.fault(format!("tb_id {} of a group of {}", share.tb_id, share.tbg_size)));
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
        let ids = site.block.channels.iter().filter(|ids| ids.channel_type == ChannelType::Switch);
        let ids: Vec<u32> = ids.flat_map(|ids| ids.channel_ids.iter().copied()).collect();
        let channels = &self.plan.gpus[site.rank].channels;
        let groups = channels.iter().filter(|channel| channel.channel_type == ChannelType::Switch);
        let groups =
            groups.flat_map(|channel| channel.rank_groups.iter().map(move |group| (channel.buffer_type, group)));
        let groups: Vec<_> = groups.collect();
        let group = ids.get(id as usize).and_then(|&id| groups.get(id as usize));
        match group {
            Some((Some(buffer), group)) => Ok(group.ranks.iter().map(|&rank| (rank as usize, *buffer)).collect()),
            _ => Err(site.fault(format!("switch channel {id} is not among the threadblock's"))),
        }
    }
}
