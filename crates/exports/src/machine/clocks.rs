//! What one thread knows of the others: of each, up to which of its stretches everything is over.

use std::rc::Rc;

/// By thread, ascending: the last stretch that is over. Threads that are missing have none. Copies share what they hold
/// until one learns more: a signal tells all that its thread knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clocks(Rc<Vec<(u32, u32)>>);

impl Clocks {
    /// The last stretch of a thread that is over; 0 if none is.
    pub fn of(&self, thread: u32) -> u32 {
        self.0.binary_search_by_key(&thread, |&(thread, _)| thread).map_or(0, |at| self.0[at].1)
    }

    /// Learns that a stretch is over, and those before it.
    pub fn learn(&mut self, thread: u32, stretch: u32) {
        let known = Rc::make_mut(&mut self.0);
        match known.binary_search_by_key(&thread, |&(thread, _)| thread) {
            Ok(at) => known[at].1 = known[at].1.max(stretch),
            Err(at) => known.insert(at, (thread, stretch)),
        }
    }

    /// Learns all that another one knows. Linear in both.
    pub fn join(&mut self, other: &Clocks) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let (new, later) = self.unknown(other);
        if new == 0 && !later {
            return;
        }
        // Both lists end where the joined one ends, so it is filled from there.
        let known = Rc::make_mut(&mut self.0);
        let mut left = known.len();
        known.resize(left + new, (0, 0));
        let mut free = known.len();
        for &(thread, stretch) in other.0.iter().rev() {
            while left > 0 && known[left - 1].0 > thread {
                (left, free) = (left - 1, free - 1);
                known[free] = known[left];
            }
            free -= 1;
            let before = known[..left].last().filter(|known| known.0 == thread).map(|known| known.1);
            left -= usize::from(before.is_some());
            known[free] = (thread, stretch.max(before.unwrap_or(0)));
        }
    }

    /// How many threads another one knows that this one does not, and whether it knows a later stretch of any other.
    fn unknown(&self, other: &Clocks) -> (usize, bool) {
        if Rc::ptr_eq(&self.0, &other.0) {
            return (0, false);
        }
        let (mut new, mut later) = (0, false);
        let mut mine = self.0.iter().peekable();
        for &(thread, stretch) in other.0.iter() {
            while mine.next_if(|mine| mine.0 < thread).is_some() {}
            match mine.next_if(|mine| mine.0 == thread) {
                Some(mine) => later |= mine.1 < stretch,
                None => new += 1,
            }
        }
        (new, later)
    }
}
