//! Dates and lengths of a run as integers in one unit.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Problem, Run};
use oneport_platform::Rational;

use crate::Violation;
use crate::arithmetic::Scale;

/// Machine integers where all dates fit, else big ones.
pub(crate) trait Date: Clone + Ord + Zero + std::ops::Mul<Output = Self> {
    /// The same number of any length.
    fn big(&self) -> BigUint;
}

impl Date for u128 {
    fn big(&self) -> BigUint {
        (*self).into()
    }
}

impl Date for BigUint {
    fn big(&self) -> BigUint {
        self.clone()
    }
}

/// What deeds take, and when they start.
pub(crate) struct Clock<N> {
    scale: Scale,
    /// By link: latency, overhead, time of the smallest share.
    pub(crate) links: Vec<[N; 3]>,
    /// By node: time of a merge of the smallest share; 0 where nobody merges.
    pub(crate) nodes: Vec<N>,
    /// By piece: how many smallest shares.
    pub(crate) shares: Vec<N>,
    /// By action.
    pub(crate) starts: Vec<N>,
}

impl<N: Date> Clock<N> {
    /// A date or length as time.
    pub(crate) fn time(&self, date: &N) -> Rational {
        self.scale.rational(date.big())
    }
}

impl Clock<BigUint> {
    /// Everything over the least common denominator. Shares and the unit of dates must be positive.
    ///
    /// # Errors
    /// Numbers whose common denominator does not fit in memory.
    pub(crate) fn of(problem: Problem<'_>, run: &Run, size: &Rational, work: &Rational) -> Result<Self, Violation> {
        let platform = problem.platform();
        let shares: Vec<&Rational> = run.pieces.iter().map(|piece| &piece.share).collect();
        let of_shares = Scale::new("shares", shares.iter().copied(), shares.len())?;
        let smallest = of_shares.rational(1_u8.into());
        let (size, work) = (size * &smallest, work * &smallest);
        let links: Vec<[Rational; 3]> =
            platform.links().iter().map(|link| [link.latency(), link.overhead(), &link.cost * &size]).collect();
        let merge =
            |node: &oneport_platform::Node| node.compute.as_ref().map_or_else(Rational::zero, |one| one * &work);
        let nodes: Vec<Rational> = platform.nodes().iter().map(merge).collect();
        let all = links.iter().flatten().chain(&nodes).chain([&run.unit]);
        let scale = Scale::new("dates", all, 3 * links.len() + nodes.len() + run.actions.len())?;
        let unit = scale.scaled(&run.unit);
        Ok(Clock {
            links: links.iter().map(|three| three.each_ref().map(|time| scale.scaled(time))).collect(),
            nodes: nodes.iter().map(|time| scale.scaled(time)).collect(),
            shares: shares.into_iter().map(|share| of_shares.scaled(share)).collect(),
            starts: run.actions.iter().map(|action| &action.start * &unit).collect(),
            scale,
        })
    }

    /// The same in machine integers, if no deed can end later than these count.
    pub(crate) fn narrow(&self) -> Option<Clock<u128>> {
        let largest = |numbers: &mut dyn Iterator<Item = &BigUint>| numbers.map(BigUint::bits).max().unwrap_or(0);
        let all_shares: BigUint = self.shares.iter().sum();
        // A deed moves or merges every piece once at most.
        let longest = largest(&mut self.links.iter().flatten().chain(&self.nodes)) + all_shares.bits();
        if largest(&mut self.starts.iter()).max(longest) + 2 >= u128::BITS.into() {
            return None;
        }
        let list = |numbers: &[BigUint]| numbers.iter().map(BigUint::to_u128).collect::<Option<Vec<u128>>>();
        let link =
            |[latency, overhead, time]: &[BigUint; 3]| Some([latency.to_u128()?, overhead.to_u128()?, time.to_u128()?]);
        let scale = self.scale.clone();
        Some(Clock {
            links: self.links.iter().map(link).collect::<Option<_>>()?,
            nodes: list(&self.nodes)?,
            shares: list(&self.shares)?,
            starts: list(&self.starts)?,
            scale,
        })
    }
}
