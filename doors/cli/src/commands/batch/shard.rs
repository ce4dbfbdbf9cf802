//! Parts of a file of questions.

use anyhow::Result;

use crate::words::usage::usage;

/// One of several parts: every N-th line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 on.
    part: u64,
    parts: u64,
}

impl Shard {
    /// Reads `2/4`. Without a text, all lines are of this part.
    ///
    /// # Errors
    /// A right value.
    pub fn read(text: Option<&str>) -> Result<Shard> {
        let Some(text) = text else {
            return Ok(Shard { part: 1, parts: 1 });
        };
        let numbers = text.split_once('/').and_then(|(part, parts)| {
            Some((part.trim().parse().ok()?, parts.trim().parse().ok()?))
        });
        match numbers {
            Some((0, parts)) => Err(usage(format!(
                "--shard: shards count from 1; Slurm: --array=1-{parts} and --shard $SLURM_ARRAY_TASK_ID/{parts}"
            ))),
            Some((part, parts)) if part > parts => Err(usage(format!(
                "--shard: '{text}' is beyond the last shard, {parts}/{parts}"
            ))),
            Some((part, parts)) => Ok(Shard { part, parts }),
            None => Err(usage(format!(
                "--shard: '{text}' is no shard; write I/N, such as 2/4 for the second of four"
            ))),
        }
    }

    /// Whether a line, from 1 on, is of this part.
    pub fn has(self, line: u64) -> bool {
        line % self.parts == self.part % self.parts
    }

    /// How many of the first lines are of this part.
    pub fn size(self, lines: u64) -> u64 {
        match lines.checked_sub(self.part) {
            Some(others) => others / self.parts + 1,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_of_one_part() {
        for parts in 1..6 {
            let shards: Vec<Shard> = (1..=parts)
                .map(|part| Shard::read(Some(&format!("{part}/{parts}"))).unwrap())
                .collect();
            for lines in 0..20 {
                for line in 1..=lines {
                    let of = shards.iter().filter(|shard| shard.has(line));
                    assert_eq!(of.count(), 1);
                }
                for shard in &shards {
                    let own = (1..=lines).filter(|line| shard.has(*line)).count();
                    assert_eq!(shard.size(lines), own as u64, "{shard:?} of {lines}");
                }
            }
        }
        let last = Shard::read(Some("1/18446744073709551615")).unwrap();
        assert_eq!((last.size(0), last.size(1), last.size(u64::MAX)), (0, 1, 1));
        for text in ["0/4", "5/4", "4", "a/b", "1/0", "0/0"] {
            assert!(Shard::read(Some(text)).is_err(), "{text}");
        }
    }
}
