//! Dates and lengths of a run as integers in one unit.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Problem, Run};
use oneport_platform::{PerLink, PerNode, Rational};

use crate::Violation;
use crate::arithmetic::Scale;

/// Machine integers if all dates fit, else big ones.
pub(crate) trait Date: Clone + Ord + Zero + std::ops::Mul<Output = Self> {
    /// How many bits a number may have.
    const BITS: u64;

    /// This number in a type of any length.
    fn big(&self) -> BigUint;

    /// This number in this type, if it fits.
    fn narrow(number: &BigUint) -> Option<Self>;
}

impl Date for u64 {
    // Fact: the width of the type.
    const BITS: u64 = 64;

    fn big(&self) -> BigUint {
        (*self).into()
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        number.to_u64()
    }
}

impl Date for u128 {
    // Fact: the width of the type.
    const BITS: u64 = 128;

    fn big(&self) -> BigUint {
        (*self).into()
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        number.to_u128()
    }
}

impl Date for BigUint {
    const BITS: u64 = u64::MAX;

    fn big(&self) -> BigUint {
        self.clone()
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }
}

/// Durations of tasks, and the unit of dates, as integers.
pub(crate) struct Clock<N> {
    scale: Scale,
    /// Per link: latency, overhead, time of the smallest share.
    pub(crate) links: PerLink<[N; 3]>,
    /// Per node: time of a merge of the smallest share. 0 if the node cannot merge.
    pub(crate) nodes: PerNode<N>,
    /// Per piece: its size in smallest shares.
    pub(crate) shares: Vec<N>,
    /// How many smallest shares a message has.
    pub(crate) whole: N,
    /// The time that dates of the run count.
    unit: N,
}

impl<N: Date> Clock<N> {
    /// A date or length as time.
    pub(crate) fn time(&self, date: &N) -> Rational {
        self.scale.rational(date.big())
    }

    /// A date of the run.
    pub(crate) fn date(&self, start: &BigUint) -> N {
        N::narrow(start).unwrap_or_else(N::zero) * self.unit.clone()
    }
}

impl Clock<BigUint> {
    /// Everything over the least common denominator. Shares, of pieces and of rates, and the unit of dates
    /// must be positive.
    ///
    /// # Errors
    /// Numbers whose common denominator does not fit in memory.
    pub(crate) fn of(
        problem: &Problem,
        run: &Run,
        size: &Rational,
        work: &Rational,
    ) -> Result<Self, Violation> {
        let platform = problem.platform();
        let shares: Vec<&Rational> = run.pieces.iter().map(|piece| &piece.share).collect();
        let of_shares = Scale::new("shares", shares.iter().copied(), shares.len())?;
        let smallest = of_shares.rational(1_u8.into());
        let (size, work) = (size * &smallest, work * &smallest);
        let links: Vec<[Rational; 3]> = platform
            .link_ids()
            .map(|id| {
                let (link, share) = (platform.link(id), run.shares.get(&id));
                let time = &link.cost * &size;
                let time = share.map_or_else(|| time.clone(), |share| &time / share);
                [link.latency(), link.overhead(), time]
            })
            .collect();
        let merge = |node: &oneport_platform::Node| {
            node.merge_time()
                .map_or_else(Rational::zero, |one| one * &work)
        };
        let nodes: Vec<Rational> = platform.nodes().iter().map(merge).collect();
        let all = links.iter().flatten().chain(&nodes).chain([&run.unit]);
        let scale = Scale::new(
            "dates",
            all,
            3 * links.len() + nodes.len() + run.tasks.len(),
        )?;
        Ok(Clock {
            links: links
                .iter()
                .map(|three| three.each_ref().map(|time| scale.scaled(time)))
                .collect(),
            nodes: nodes.iter().map(|time| scale.scaled(time)).collect(),
            shares: shares
                .into_iter()
                .map(|share| of_shares.scaled(share))
                .collect(),
            whole: of_shares.denominator().clone(),
            unit: scale.scaled(&run.unit),
            scale,
        })
    }

    /// This clock in machine integers, if every task of the run ends within their range.
    pub(crate) fn narrow<N: Date>(&self, run: &Run) -> Option<Clock<N>> {
        let largest = |numbers: &mut dyn Iterator<Item = &BigUint>| {
            numbers.map(BigUint::bits).max().unwrap_or(0)
        };
        let all_shares: BigUint = self.shares.iter().sum();
        // A task moves or merges every piece at most once.
        let longest =
            largest(&mut self.links.iter().flatten().chain(&self.nodes)) + all_shares.bits();
        let last = run
            .tasks
            .iter()
            .map(|task| &task.start)
            .max()
            .map_or(0, |start| (start * &self.unit).bits());
        if last.max(longest) + 2 >= N::BITS {
            return None;
        }
        let list = |numbers: &[BigUint]| numbers.iter().map(N::narrow).collect::<Option<Vec<N>>>();
        let link = |[latency, overhead, time]: &[BigUint; 3]| {
            Some([N::narrow(latency)?, N::narrow(overhead)?, N::narrow(time)?])
        };
        Some(Clock {
            links: self.links.iter().map(link).collect::<Option<_>>()?,
            nodes: list(&self.nodes)?.into(),
            shares: list(&self.shares)?,
            whole: N::narrow(&self.whole)?,
            unit: N::narrow(&self.unit)?,
            scale: self.scale.clone(),
        })
    }
}
