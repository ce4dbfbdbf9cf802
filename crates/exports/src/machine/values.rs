//! What lies in memory, without numbers: which input values have been combined, each as often as it was.

use std::collections::BTreeMap;

/// The number of a value. Equal values have equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(u32);

/// Most input values that one value combines.
const LARGEST: usize = 65_536;

/// All values that have come up.
#[derive(Debug, Default)]
pub struct Values {
    /// Numbers of input values, ascending.
    all: Vec<Box<[u32]>>,
    known: BTreeMap<Box<[u32]>, Value>,
    combined: BTreeMap<(Value, Value), Value>,
    /// The value that is one input value alone, by input value.
    alone: Vec<Option<Value>>,
    /// Whether a value combined with itself is itself: minima and maxima.
    pub idempotent: bool,
}

impl Values {
    /// The value that combines these input values, ascending.
    pub fn of(&mut self, inputs: Box<[u32]>) -> Value {
        if let [input] = *inputs {
            return self.alone(input);
        }
        if let Some(&value) = self.known.get(&inputs) {
            return value;
        }
        let value = Value(self.all.len() as u32);
        self.all.push(inputs.clone());
        self.known.insert(inputs, value);
        value
    }

    /// The value that is this input value.
    pub fn alone(&mut self, input: u32) -> Value {
        let place = input as usize;
        if self.alone.len() <= place {
            self.alone.resize(place + 1, None);
        }
        let next = Value(self.all.len() as u32);
        let value = *self.alone[place].get_or_insert(next);
        if value == next {
            self.all.push(Box::new([input]));
        }
        value
    }

    /// Which input values it combines, ascending.
    pub fn inputs(&self, value: Value) -> &[u32] {
        self.all.get(value.0 as usize).map_or(&[], |inputs| inputs)
    }

    /// Two values combined; `None` if it would be too large to be written down.
    pub fn combine(&mut self, one: Value, two: Value) -> Option<Value> {
        let pair = (one.min(two), one.max(two));
        if let Some(&value) = self.combined.get(&pair) {
            return Some(value);
        }
        let mut inputs = [self.inputs(one), self.inputs(two)].concat();
        inputs.sort_unstable();
        if self.idempotent {
            inputs.dedup();
        }
        if inputs.len() > LARGEST {
            return None;
        }
        let value = self.of(inputs.into());
        self.combined.insert(pair, value);
        Some(value)
    }
}
