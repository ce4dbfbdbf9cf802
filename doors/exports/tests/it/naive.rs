//! A naive twin of the interpreter: threadblocks take turns at random, an operation at a time. It has no clocks. It
//! finds the faults in the orders that it happens to try.

use oneport_testkit::Dice;
use std::collections::BTreeMap;

use serde_json::Value;

/// Values as the input chunks added up: rank, buffer, chunk, part, and multiplicity.
type Sum = BTreeMap<(usize, usize), u32>;
type Memory = BTreeMap<(usize, char, usize), Sum>;

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

/// Parts of a chunk.
const PARTS: usize = 4;

/// Runs a plan of an all-reduce, all-gather, reduce-scatter, broadcast or all-to-all in one random order. Returns
/// whether it ended with the right results, `None` if it has operations that the twin does not support.
pub fn run(plan: &Value, seed: u64) -> Option<bool> {
    let gpus = plan["gpus"].as_array()?;
    let (ranks, in_place) = (gpus.len(), plan["inplace"] == true);
    let collective = plan["collective"].as_str()?;
    let (input, output) = (
        number(&gpus[0]["input_chunks"]),
        number(&gpus[0]["output_chunks"]),
    );
    // In place, every buffer but scratch is the larger one.
    let cell = |rank: usize, kind: &str, chunk: usize, part: usize| {
        let (kind, chunk) = match (kind, collective) {
            ("s", _) => ('s', chunk),
            ("i", "allgather") if in_place => ('o', rank * input + chunk),
            ("o", "reducescatter") if in_place => ('i', rank * output + chunk),
            (_, "reducescatter") if in_place => ('i', chunk),
            (_, _) if in_place => ('o', chunk),
            (kind, _) => (kind.chars().next().unwrap_or('?'), chunk),
        };
        (rank, kind, chunk * PARTS + part)
    };
    let mut memory = Memory::new();
    for rank in 0..ranks {
        for chunk in 0..input {
            for part in 0..PARTS {
                let sum = Sum::from([((rank, chunk * PARTS + part), 1)]);
                memory.insert(cell(rank, "i", chunk, part), sum);
            }
        }
    }
    // Tokens by owner of the waiting channel and its number.
    let connected = |rank: usize| -> Vec<usize> {
        let channels = gpus[rank]["channels"].as_array().expect("channels").iter();
        channels
            .flat_map(|channel| {
                channel["connected_to"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(number)
            })
            .collect()
    };
    let mut tokens: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut threads = Vec::new();
    for (rank, gpu) in gpus.iter().enumerate() {
        threads.extend(
            gpu["threadblocks"]
                .as_array()?
                .iter()
                .map(|block| (rank, block, 0usize)),
        );
    }
    let mut dice = Dice(seed);
    let mut idle = 0;
    while threads
        .iter()
        .any(|(_, block, next)| block["ops"].get(*next).is_some())
    {
        let at = dice.below(threads.len());
        let (rank, block, next) = threads[at];
        let Some(op) = block["ops"].get(next) else {
            continue;
        };
        let channel = |id: &Value| number(&block["channels"][0]["channel_ids"][number(id)]);
        let ids = op["channel_ids"].as_array().cloned().unwrap_or_default();
        let cells = |buffer: &Value| -> Vec<(usize, char, usize)> {
            let (rank, kind) = match buffer["type"].as_str() {
                Some(kind) => (rank, kind),
                None => {
                    let id = &block["remote_buffer_refs"][0]["remote_buffer_ids"]
                        [number(&buffer["buffer_id"])];
                    let remote = &gpus[rank]["remote_buffers"][number(id)];
                    (
                        number(&remote["rank"]),
                        remote["type"].as_str().unwrap_or("?"),
                    )
                }
            };
            let all = number(&buffer["size"]) * PARTS;
            let (share, of) = if op["tbg_info"].is_object() {
                (
                    number(&op["tbg_info"]["tb_id"]),
                    number(&op["tbg_info"]["tbg_size"]),
                )
            } else {
                (0, 1)
            };
            let parts = all * share / of..all * (share + 1) / of;
            parts
                .map(|part| {
                    cell(
                        rank,
                        kind,
                        number(&buffer["index"]) + part / PARTS,
                        part % PARTS,
                    )
                })
                .collect()
        };
        let list = |key: &str| -> Vec<Vec<_>> {
            op[key]
                .as_array()
                .map(|list| list.iter().map(cells).collect())
                .unwrap_or_default()
        };
        match op["name"].as_str()? {
            "nop" => {}
            "signal" | "rlxsignal" => {
                for id in &ids {
                    let (mine, peers) = (channel(id), connected(rank));
                    let turn = peers[..mine]
                        .iter()
                        .filter(|&&peer| peer == peers[mine])
                        .count();
                    let there = connected(peers[mine]);
                    let there: Vec<usize> =
                        (0..there.len()).filter(|&at| there[at] == rank).collect();
                    *tokens.entry((peers[mine], there[turn])).or_default() += 1;
                }
            }
            "wait" | "rlxwait" => {
                let all: Vec<(usize, usize)> = ids.iter().map(|id| (rank, channel(id))).collect();
                if all
                    .iter()
                    .any(|channel| tokens.get(channel).is_none_or(|&tokens| tokens == 0))
                {
                    idle += 1;
                    if idle > 50 * threads.len() {
                        return Some(false);
                    }
                    continue;
                }
                for channel in &all {
                    *tokens.get_mut(channel).expect("tokens") -= 1;
                }
            }
            "put" | "get" | "copy" => {
                for (from, to) in list("src_buff").into_iter().zip(list("dst_buff")) {
                    for (from, to) in from.into_iter().zip(to) {
                        let sum = memory.get(&from).cloned().unwrap_or_default();
                        memory.insert(to, sum);
                    }
                }
            }
            "re" | "res" | "rre" | "rres" => {
                let (from, to) = (list("src_buff"), list("dst_buff"));
                for at in 0..from.first()?.len() {
                    let mut sum = Sum::new();
                    for source in &from {
                        for (&value, &count) in memory.get(&source[at]).into_iter().flatten() {
                            *sum.entry(value).or_default() += count;
                        }
                    }
                    for target in &to {
                        memory.insert(target[at], sum.clone());
                    }
                }
            }
            _ => return None,
        }
        idle = 0;
        threads[at].2 += 1;
    }
    let mut root = None;
    for rank in 0..ranks {
        for chunk in 0..output {
            for part in 0..PARTS {
                let there = memory
                    .get(&cell(rank, "o", chunk, part))
                    .cloned()
                    .unwrap_or_default();
                let all = |chunk: usize| {
                    (0..ranks)
                        .map(|rank| ((rank, chunk * PARTS + part), 1))
                        .collect::<Sum>()
                };
                let one =
                    |rank: usize, chunk: usize| Sum::from([((rank, chunk * PARTS + part), 1)]);
                let wanted = match collective {
                    "allreduce" => all(chunk),
                    "reducescatter" => all(rank * output + chunk),
                    "allgather" => one(chunk / input, chunk % input),
                    "alltoall" => one(
                        chunk / (input / ranks),
                        rank * (input / ranks) + chunk % (input / ranks),
                    ),
                    "broadcast" => {
                        let from = there.keys().next().map_or(0, |key| key.0);
                        one(*root.get_or_insert(from), chunk)
                    }
                    _ => return None,
                };
                if there != wanted {
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}
