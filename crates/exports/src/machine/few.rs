//! Lists that mostly hold one thing, which then lies in place.

use std::ops::Deref;

/// A list; one thing alone needs no memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Few<T> {
    /// One.
    One(T),
    /// None, or several.
    Many(Vec<T>),
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Few::Many(Vec::new())
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::One(one) => std::slice::from_ref(one),
            Few::Many(many) => many,
        }
    }
}

impl<'f, T> IntoIterator for &'f Few<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Few::default();
        items.into_iter().for_each(|item| few.push(item));
        few
    }
}

impl<T> Few<T> {
    /// Adds one behind the others.
    pub fn push(&mut self, item: T) {
        *self = match std::mem::take(self) {
            Few::Many(many) if many.is_empty() => Few::One(item),
            Few::One(one) => Few::Many(vec![one, item]),
            Few::Many(mut many) => {
                many.push(item);
                Few::Many(many)
            }
        };
    }
}
