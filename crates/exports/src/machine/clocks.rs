//! What one thread knows of the others: of each, up to which of its stretches everything is over.

/// By thread, ascending: the last stretch that is over. Threads that are missing have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clocks(Vec<(u32, u32)>);

impl Clocks {
    /// The last stretch of a thread that is over; 0 if none is.
    pub fn of(&self, thread: u32) -> u32 {
        self.0.binary_search_by_key(&thread, |&(thread, _)| thread).map_or(0, |at| self.0[at].1)
    }

    /// Learns that a stretch is over, and those before it.
    pub fn learn(&mut self, thread: u32, stretch: u32) {
        match self.0.binary_search_by_key(&thread, |&(thread, _)| thread) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(stretch),
            Err(at) => self.0.insert(at, (thread, stretch)),
        }
    }

    /// Learns all that another one knows. Linear in both.
    pub fn join(&mut self, other: &Clocks) {
        if other.0.is_empty() {
            return;
        }
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let mut joined = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut mine, mut theirs) = (self.0.iter().copied().peekable(), other.0.iter().copied().peekable());
        loop {
            match (mine.peek().copied(), theirs.peek().copied()) {
                (Some(one), Some(two)) if one.0 == two.0 => {
                    joined.push((one.0, one.1.max(two.1)));
                    mine.next();
                    theirs.next();
                }
                (Some(one), two) if two.is_none_or(|two| one.0 < two.0) => {
                    joined.push(one);
                    mine.next();
                }
                (_, Some(two)) => {
                    joined.push(two);
                    theirs.next();
                }
                (_, None) => break,
            }
        }
        self.0 = joined;
    }
}
