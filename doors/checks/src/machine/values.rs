//! Values in memory as sets of combined input values, each with its multiplicity.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The number of a value, from 1 on. Equal values have equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Value(NonZeroU32);

/// Limit on the input values that one value combines.
const LARGEST: usize = 65_536;

/// All values that occur.
#[derive(Debug, Default)]
pub(crate) struct Values {
    all: Vec<Sum>,
    /// The last value of each sum of marks, except single input values.
    known: BTreeMap<u64, Value>,
    /// Per input value: the value that contains this input only.
    alone: Vec<Option<Value>>,
    /// Per unordered pair: the value that combines both. `None` unless sums in different orders are different values.
    pairs: Option<BTreeMap<(Value, Value), Value>>,
}

/// Combined input values.
#[derive(Debug)]
struct Sum {
    /// Their numbers, ascending.
    inputs: Box<[u32]>,
    /// The sum of their marks: different sums, different inputs.
    marks: u64,
    /// Another value with the same sum of marks.
    other: Option<Value>,
}

/// The last steps of SplitMix64 (Steele, Lea, Flood 2014).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Values {
    /// The value that combines these input values, ascending.
    pub(crate) fn of(&mut self, inputs: Box<[u32]>) -> Value {
        let marks = inputs.iter().fold(0u64, |marks, &input| {
            marks.wrapping_add(mixed(input.into()))
        });
        self.known_as(inputs, marks)
    }

    fn known_as(&mut self, inputs: Box<[u32]>, marks: u64) -> Value {
        if let [input] = *inputs {
            return self.alone(input);
        }
        let next = self.next();
        let last = self.known.insert(marks, next);
        let mut other = last;
        while let Some(value) = other {
            let known = &self.all[index(value)];
            if known.inputs == inputs {
                self.known.extend(last.map(|last| (marks, last)));
                return value;
            }
            other = known.other;
        }
        self.all.push(Sum {
            inputs,
            marks,
            other: last,
        });
        next
    }

    /// The number of the next new value.
    fn next(&self) -> Value {
        Value(NonZeroU32::MIN.saturating_add(self.all.len() as u32))
    }

    /// The value that is this input value.
    pub(crate) fn alone(&mut self, input: u32) -> Value {
        let at = input as usize;
        if self.alone.len() <= at {
            self.alone.resize(at + 1, None);
        }
        if let Some(value) = self.alone[at] {
            return value;
        }
        let value = self.next();
        self.all.push(Sum {
            inputs: Box::new([input]),
            marks: mixed(input.into()),
            other: None,
        });
        self.alone[at] = Some(value);
        value
    }

    /// From now on values that combine the same inputs in another order differ: `(a + b) + c` differs from
    /// `a + (b + c)`, as in floating-point arithmetic, while `a + b` equals `b + a`. Combined values no longer list
    /// their inputs.
    pub(crate) fn by_order(self) -> Values {
        Values {
            pairs: Some(BTreeMap::new()),
            ..self
        }
    }

    /// The input values that a value combines, ascending.
    pub(crate) fn inputs(&self, value: Value) -> &[u32] {
        self.all.get(index(value)).map_or(&[], |sum| &sum.inputs)
    }

    /// Combines two values. `None` if the result would be too large.
    pub(crate) fn combine(&mut self, one: Value, two: Value) -> Option<Value> {
        let next = self.next();
        if let Some(pairs) = &mut self.pairs {
            let value = *pairs.entry((one.min(two), one.max(two))).or_insert(next);
            if value == next {
                self.all.push(Sum {
                    inputs: Box::default(),
                    marks: 0,
                    other: None,
                });
            }
            return Some(value);
        }
        let inputs = merged(self.inputs(one), self.inputs(two));
        if inputs.len() > LARGEST {
            return None;
        }
        let [one, two] = [one, two].map(|value| self.all[index(value)].marks);
        Some(self.known_as(inputs.into(), one.wrapping_add(two)))
    }
}

fn index(value: Value) -> usize {
    value.0.get() as usize - 1
}

/// Merges two ascending lists.
fn merged(one: &[u32], two: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(one.len() + two.len());
    let mut left = one.iter().copied().peekable();
    for &input in two {
        while let Some(smaller) = left.next_if(|&other| other < input) {
            all.push(smaller);
        }
        all.push(input);
    }
    all.extend(left);
    all
}
