//! Bandwidths as benchmarks of collectives count them.

use oneport_platform::{NodeId, Rational, ratio, whole};

use crate::{Problem, Traffic};

/// The bandwidths of an operation, in the columns of nccl-tests: `size`, `algbw`, `busbw`.
///
/// The size of an operation among `n` ranks is the size of its message, or of `n` messages if every rank has one
/// (scatter, gather, all-gather, reduce-scatter, all-to-all). Algorithm bandwidth is size over time. Bus bandwidth
/// makes different `n` comparable: algorithm bandwidth times `2 (n - 1) / n` for an all-reduce, `(n - 1) / n` if every
/// rank has a message, 1 for broadcast and reduce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bandwidth {
    /// The ranks: nodes that send or receive values.
    pub ranks: usize,
    /// Messages of an operation.
    messages: u64,
    /// Bus bandwidth over algorithm bandwidth.
    pub bus_factor: Rational,
    /// Data of an operation, in units of data.
    pub size: Rational,
}

impl Bandwidth {
    /// The nccl-tests bandwidth rule of this problem. `None` for scans, groups, custom demands and non-constant sizes.
    pub fn of(problem: &Problem) -> Option<Bandwidth> {
        let collective = problem.collective();
        let traffic = collective.form()?.traffic?;
        let ranks = ranks(collective.cast());
        let messages = messages(traffic, ranks);
        let size = problem.volumes().size.constant()? * whole(messages);
        let bus_factor = match traffic.passes {
            0 => whole(1),
            passes => ratio(
                passes * (ranks as u64).saturating_sub(1),
                ranks.max(1) as u64,
            ),
        };
        Some(Bandwidth {
            ranks,
            messages,
            bus_factor,
            size,
        })
    }

    /// The size of a message of an operation of this size.
    pub fn message(&self, operation: &Rational) -> Rational {
        operation / whole(self.messages)
    }

    /// The algorithm bandwidth at this many operations per unit of time.
    pub fn algorithm(&self, throughput: &Rational) -> Rational {
        throughput * &self.size
    }

    /// The bus bandwidth at this many operations per unit of time.
    pub fn bus(&self, throughput: &Rational) -> Rational {
        self.algorithm(throughput) * &self.bus_factor
    }
}

fn ranks(cast: Vec<&[NodeId]>) -> usize {
    let mut nodes: Vec<NodeId> = cast.into_iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.len()
}

fn messages(traffic: Traffic, ranks: usize) -> u64 {
    if traffic.per_rank {
        ranks.max(1) as u64
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collective, Volumes};
    use oneport_platform::generate::torus;

    #[test]
    fn bandwidths_are_those_of_nccl_tests() -> Result<(), Box<dyn std::error::Error>> {
        let platform = torus(&[4])?;
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let volumes = Volumes::default();
        let seconds = ratio(1, 2);
        // Per operation of size 1 (or 4 messages of size 1) every half a unit of time.
        for (collective, algorithm, bus) in [
            (
                Collective::all_reduce(nodes.clone()),
                ratio(2, 1),
                ratio(3, 1),
            ),
            (
                Collective::all_gather(nodes.clone()),
                ratio(8, 1),
                ratio(6, 1),
            ),
            (
                Collective::all_to_all(nodes.clone()),
                ratio(8, 1),
                ratio(6, 1),
            ),
            (
                Collective::broadcast(nodes[0], nodes[1..].to_vec()),
                ratio(2, 1),
                ratio(2, 1),
            ),
            (
                Collective::scatter(nodes[0], nodes[1..].to_vec()),
                ratio(8, 1),
                ratio(6, 1),
            ),
        ] {
            let problem = Problem::new(&platform, &collective, &volumes)?;
            let bandwidth = Bandwidth::of(&problem).ok_or("counted")?;
            assert_eq!(
                bandwidth.algorithm(&seconds.recip()),
                algorithm,
                "{collective:?}"
            );
            assert_eq!(bandwidth.bus(&seconds.recip()), bus, "{collective:?}");
            assert_eq!(bandwidth.message(&bandwidth.size), ratio(1, 1));
        }
        let scan = Collective::scan(nodes);
        assert_eq!(
            Bandwidth::of(&Problem::new(&platform, &scan, &volumes)?),
            None
        );
        Ok(())
    }
}
