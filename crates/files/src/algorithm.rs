//! A user's own algorithm in a file: a ring, a tree, or rounds of sends.

use std::path::Path;

use oneport_platform::{NodeId, Platform};

use crate::demands::of_text;
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::nodes::find;
use crate::plan::{flag, read_nodes};
use crate::source::{Source, read_bytes};

/// Most bytes of a file of an algorithm.
pub const MAX_ALGORITHM_BYTES: u64 = 64 << 20;

/// The name of the format, which every file states.
const FORMAT: &str = "oneport-algorithm/1";

/// An algorithm as its file lists it. Its meaning for a collective is decided elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAlgorithm {
    /// The algorithm's name. Empty if the file gives none.
    pub name: String,
    /// The listed steps.
    pub steps: ListedSteps,
}

/// The steps that an algorithm lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedSteps {
    /// Nodes in the order in which a ring passes them.
    Ring(Vec<NodeId>),
    /// Pairs of a parent and its child. A parent serves its children in the order of the list.
    Tree(Vec<(NodeId, NodeId)>),
    /// Sends, by round. Values are cut into this number of pieces.
    Rounds(u32, Vec<Vec<ListedSend>>),
}

/// A send of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSend {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// Numbers of the blocks sent: piece `k` of demand `d` is block `d * pieces + k`.
    pub blocks: Vec<u32>,
    /// Whether the receiver combines them with its own.
    pub combine: bool,
}

/// Reads an algorithm: `{"format": "oneport-algorithm/1", "name": "mine", "ring": ["a", "b", "c"]}`, or with
/// `"tree": [["a", "b"], ["a", "c"]]`, pairs of a parent and its child, or with `"pieces": 2` (1 if absent) and
/// `"rounds": [[{"from": "a", "to": "b", "blocks": [0], "combine": true}]]`. `"blocks"` is `[0]` and `"combine"` false
/// if absent. A file that ends in `.toml` has the same keys.
///
/// # Errors
/// A file that cannot be read, text that is neither JSON nor TOML, unknown or missing keys and names.
pub fn read_algorithm(path: &Path, platform: &Platform) -> Result<ListedAlgorithm, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_ALGORITHM_BYTES)?;
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    of_text(&name, &bytes, is_toml, "an algorithm", &|source| {
        read(source, platform)
    })
}

fn read(source: Source<'_>, platform: &Platform) -> Result<ListedAlgorithm, FormatError> {
    let top = Json::parse(source)?;
    let [format, name, ring, tree, pieces, rounds] =
        top.object(["format", "name", "ring", "tree", "pieces", "rounds"])?;
    let format = need(&top, format, "format", "\"oneport-algorithm/1\"")?;
    if format.string()? != FORMAT {
        return Err(format.wrong("\"oneport-algorithm/1\""));
    }
    let name = name
        .map(|name| name.string())
        .transpose()?
        .unwrap_or_default()
        .into_owned();
    if let (Some(pieces), None) = (pieces, rounds) {
        return Err(pieces.fail(Mistake::NotHere {
            key: "pieces",
            why: "only rounds say what becomes of each",
        }));
    }
    let steps = match (ring, tree, rounds) {
        (Some(ring), None, None) => ListedSteps::Ring(read_nodes(&ring, platform)?),
        (None, Some(tree), None) => ListedSteps::Tree(edges(&tree, platform)?),
        (None, None, Some(rounds)) => {
            let pieces = pieces.map_or(Ok(1), |pieces| {
                number(&pieces, 1, "a number of pieces from 1 to 65536")
            })?;
            ListedSteps::Rounds(pieces, read_rounds(&rounds, platform)?)
        }
        (None, None, None) => {
            let meaning = "the nodes in the order of a ring (or give 'tree', pairs of a parent and its child, or 'rounds' \
                           of sends)";
            return Err(top.fail(Mistake::MissingKey {
                key: "ring",
                meaning,
            }));
        }
        (Some(_), Some(second), _) => return Err(second.fail(Mistake::BothKeys("ring", "tree"))),
        (Some(_), None, Some(second)) => {
            return Err(second.fail(Mistake::BothKeys("ring", "rounds")));
        }
        (None, Some(_), Some(second)) => {
            return Err(second.fail(Mistake::BothKeys("tree", "rounds")));
        }
    };
    Ok(ListedAlgorithm { name, steps })
}

fn edges(tree: &Json<'_, '_>, platform: &Platform) -> Result<Vec<(NodeId, NodeId)>, FormatError> {
    let mut edges = Vec::new();
    tree.each(|_, pair| {
        let [parent, child] = read_nodes(&pair, platform)?[..] else {
            return Err(pair.wrong("a pair of a parent and its child, such as [\"a\", \"b\"]"));
        };
        edges.push((parent, child));
        Ok(())
    })?;
    Ok(edges)
}

fn read_rounds(
    rounds: &Json<'_, '_>,
    platform: &Platform,
) -> Result<Vec<Vec<ListedSend>>, FormatError> {
    let mut all = Vec::new();
    rounds.each(|_, round| {
        let mut sends = Vec::new();
        round.each(|_, send| {
            sends.push(read_send(&send, platform)?);
            Ok(())
        })?;
        all.push(sends);
        Ok(())
    })?;
    Ok(all)
}

fn read_send(send: &Json<'_, '_>, platform: &Platform) -> Result<ListedSend, FormatError> {
    let [from, to, listed, combine] = send.object(["from", "to", "blocks", "combine"])?;
    let from = find(&need(send, from, "from", "the sending node")?, platform)?;
    let to = find(&need(send, to, "to", "the receiving node")?, platform)?;
    let mut blocks = Vec::new();
    match listed {
        None => blocks.push(0),
        Some(list) => list.each(|_, block| {
            let found = number(&block, 0, "the number of a block, from 0")?;
            if blocks.contains(&found) {
                return Err(block.wrong("a block listed once"));
            }
            blocks.push(found);
            Ok(())
        })?,
    }
    Ok(ListedSend {
        from,
        to,
        blocks,
        combine: flag(combine)?,
    })
}

/// A whole number, with some room to count.
fn number(value: &Json<'_, '_>, least: u64, meaning: &'static str) -> Result<u32, FormatError> {
    const MOST: u64 = 1 << 16;
    let found = value.whole()?;
    let most = if least == 0 {
        u64::from(u32::MAX)
    } else {
        MOST
    };
    u32::try_from(found)
        .ok()
        .filter(|_| (least..=most).contains(&found))
        .ok_or_else(|| value.wrong(meaning))
}
