//! Chakra traces, decoded by hand and run: every node gets its turn, every message its receiver.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::files;

/// A field of a protocol buffer: number, and the value or the bytes.
type Field<'a> = (u64, u64, &'a [u8]);

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        match key & 7 {
            0 => fields.push((key >> 3, value, &bytes[..0])),
            2 => {
                let (body, rest) = bytes.split_at(value as usize);
                fields.push((key >> 3, value, body));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        shift += 7;
        if first & 0x80 == 0 {
            return number;
        }
    }
}

#[derive(Debug)]
struct Node {
    kind: u64,
    after: Vec<u64>,
    attributes: BTreeMap<String, u64>,
}

fn nodes(mut bytes: &[u8]) -> Vec<Node> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let length = varint(&mut bytes) as usize;
        let (message, rest) = bytes.split_at(length);
        messages.push(fields(message));
        bytes = rest;
    }
    assert_eq!(messages[0][0].0, 1, "the version comes first");
    let node = |(number, message): (usize, Vec<Field<'_>>)| {
        let one = |field: u64| message.iter().find(|it| it.0 == field).map_or(0, |it| it.1);
        assert_eq!(one(1), number as u64);
        let mut after = Vec::new();
        let mut packed = message
            .iter()
            .find(|it| it.0 == 5)
            .map_or(&[][..], |it| it.2);
        while !packed.is_empty() {
            after.push(varint(&mut packed));
        }
        let attributes = message.iter().filter(|it| it.0 == 10).map(|it| {
            let attribute = fields(it.2);
            (
                String::from_utf8(attribute[0].2.to_vec()).unwrap(),
                attribute[1].1,
            )
        });
        Node {
            kind: one(3),
            after,
            attributes: attributes.collect(),
        }
    };
    messages.into_iter().skip(1).enumerate().map(node).collect()
}

#[test]
fn every_node_gets_its_turn() {
    for name in ["all-gather", "reduce", "scan", "all-to-all"] {
        for seed in 0..8 {
            let files = files(name, "chakra", seed, Some(3)).unwrap();
            let ranks: Vec<Vec<Node>> = files.iter().map(|file| nodes(&file.bytes)).collect();
            assert!(
                files
                    .iter()
                    .enumerate()
                    .all(|(rank, file)| file.suffix == format!(".{rank}.et"))
            );
            let mut done: BTreeSet<(usize, u64)> = BTreeSet::new();
            let mut sent: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
            let all: usize = ranks.iter().map(Vec::len).sum();
            while done.len() < all {
                let before = done.len();
                for (rank, nodes) in ranks.iter().enumerate() {
                    for (number, node) in nodes.iter().enumerate() {
                        let ready = node
                            .after
                            .iter()
                            .all(|&after| done.contains(&(rank, after)));
                        if !ready || done.contains(&(rank, number as u64)) {
                            continue;
                        }
                        let attribute =
                            |key: &str| node.attributes.get(key).copied().unwrap_or(u64::MAX);
                        let message: Vec<u64> = ["comm_src", "comm_dst", "comm_tag", "comm_size"]
                            .map(attribute)
                            .to_vec();
                        match node.kind {
                            5 => {
                                assert_eq!(attribute("comm_src"), rank as u64);
                                *sent.entry(message).or_default() += 1;
                            }
                            6 => {
                                assert_eq!(attribute("comm_dst"), rank as u64);
                                match sent.get_mut(&message) {
                                    Some(count) if *count > 0 => *count -= 1,
                                    _ => continue,
                                }
                            }
                            kind => assert_eq!(kind, 4),
                        }
                        done.insert((rank, number as u64));
                    }
                }
                assert!(done.len() > before, "{name} {seed}: stuck");
            }
            assert!(sent.values().all(|&left| left == 0), "{name} {seed}");
        }
    }
}
