//! Partial results by the operands that they combine.

use std::fmt;

use crate::Interval;

/// The operands that a partial result combines, by their indices among the demand's operands. `v[k,m]` of RR-4872
/// is `k..=m`. If operands may be combined in any order, it is any set of them.
///
/// Kept as maximal runs of consecutive operands, so that an interval of any length takes one pair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value(Vec<(usize, usize)>);

impl From<Interval> for Value {
    /// The operands `first..=last`. None if the interval is empty.
    fn from(part: Interval) -> Self {
        Value(if part.first <= part.last {
            vec![(part.first, part.last)]
        } else {
            Vec::new()
        })
    }
}

impl Value {
    /// The operands, in any order. One given twice counts once. `O(n log n)` for `n` operands.
    pub fn of(operands: impl IntoIterator<Item = usize>) -> Self {
        let mut all: Vec<usize> = operands.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for operand in all {
            match runs.last_mut() {
                Some((_, last)) if operand - *last == 1 => *last = operand,
                _ => runs.push((operand, operand)),
            }
        }
        Value(runs)
    }

    /// One operand as it is.
    pub fn single(operand: usize) -> Self {
        Value(vec![(operand, operand)])
    }

    /// The only operand, if it is one.
    pub fn alone(&self) -> Option<usize> {
        self.interval()
            .filter(|part| part.first == part.last)
            .map(|part| part.first)
    }

    /// The operands as `[k,m]`, if they are consecutive.
    pub fn interval(&self) -> Option<Interval> {
        if let [(first, last)] = self.0[..] {
            Some(Interval { first, last })
        } else {
            None
        }
    }

    /// The operands, ascending.
    pub fn operands(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|&(first, last)| first..=last)
    }

    /// How many operands are combined.
    pub fn count(&self) -> usize {
        self.0
            .iter()
            .map(|(first, last)| (last - first).saturating_add(1))
            .fold(0, usize::saturating_add)
    }

    /// The largest operand. `None` of none.
    pub fn last(&self) -> Option<usize> {
        self.0.last().map(|&(_, last)| last)
    }

    /// The operands of both. `None` if they share one. `O(r)` for `r` runs.
    pub fn join(&self, other: &Value) -> Option<Value> {
        let mut runs: Vec<(usize, usize)> = self.0.iter().chain(&other.0).copied().collect();
        runs.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::with_capacity(runs.len());
        for (first, last) in runs {
            match joined.last_mut() {
                Some((_, before)) if *before >= first => return None,
                Some((_, before)) if first - *before == 1 => *before = last,
                _ => joined.push((first, last)),
            }
        }
        Some(Value(joined))
    }
}

impl fmt::Display for Value {
    /// `v[k,m]`, or `v{0,2,3}` where operands are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.interval() {
            Some(part) => write!(f, "v[{},{}]", part.first, part.last),
            None => {
                let operands: Vec<String> =
                    self.operands().map(|operand| operand.to_string()).collect();
                write!(f, "v{{{}}}", operands.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sets as bits: every pair of sets of five operands.
    #[test]
    fn values_are_sets() {
        let bits = |set: usize| (0..5).filter(move |operand| set >> operand & 1 == 1);
        for one in 1..32_usize {
            let value = Value::of(bits(one));
            assert_eq!(
                value.operands().collect::<Vec<_>>(),
                bits(one).collect::<Vec<_>>()
            );
            assert_eq!(
                (value.count(), value.last()),
                (bits(one).count(), bits(one).max())
            );
            for other in 1..32_usize {
                let joined = value.join(&Value::of(bits(other)));
                assert_eq!(
                    joined,
                    (one & other == 0).then(|| Value::of(bits(one | other)))
                );
            }
        }
        assert_eq!(Value::of([2, 0, 3]).to_string(), "v{0,2,3}");
        assert_eq!(
            Value::of([2, 1, 2]),
            Value::from(Interval { first: 1, last: 2 })
        );
        assert_eq!(Value::from(Interval { first: 2, last: 1 }).count(), 0);
    }
}
