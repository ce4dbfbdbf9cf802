//! Whole senders: date by date and class by class, with the relaxation solved again after every choice.
//!
//! The dates are taken in ascending order, so that the number of slots of a date is known when its turn comes. The
//! first number tried is that of the relaxation's mixture, rounded. Then numbers further and further from it, on either
//! side until the relaxation rules one out. The allowed numbers are convex, so all beyond are ruled out too. A dive
//! that comes to its end without a placement is therefore a proof. Two rules lose nothing: the sender at date 0 is a
//! fastest one (Liu-Kuo-Wang 2009, Observation 1), and no slot stays idle while senders are left that fit (one from a
//! later slot, with all below it, could move there).
//!
//! Rounding costs a little each time. So the relaxation has to find room for a *reserve* of slowest senders that
//! do not exist (more of them never help, Liu-Kuo-Wang 2009, Lemma 4), as large as it allows, smaller as it is used up.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_traits::{Signed, ToPrimitive, Zero};
use oneport_platform::{Rational, whole};

use super::flow::Flow;
use super::relaxation::{Mixture, State, Verdict, decide};
use crate::Error;
use crate::snf_placement::{Placed, length};

/// The outcome of a dive.
pub(super) enum Dive {
    /// A placement.
    Placed(Vec<Placed>),
    /// No placement exists.
    Never,
    /// None was found.
    Open,
}

/// The state of a dive: the next class to be given slots of the next date, and the choices so far.
#[derive(Clone)]
struct Cursor {
    date: usize,
    class: usize,
    state: State,
    rows: usize,
    reserve: u64,
    /// Whether the mixture places the senders that exist, without a reserve.
    sound: bool,
    /// Whether it has been departed from.
    departed: bool,
}

/// A point to return to, and the numbers of senders to try there next: below and above those tried.
struct Frame {
    cursor: Cursor,
    /// The number of the mixture, which the relaxation allows.
    wish: Rational,
    below: Option<u64>,
    above: Option<u64>,
    most: u64,
}

/// One dive under a deadline (the index of a date).
pub(super) struct Diver<'a> {
    pub flow: &'a Flow,
    pub deadline: usize,
    pub senders: &'a [u64],
    /// Weights worth trying.
    pub memory: &'a mut Vec<Vec<i128>>,
    /// Relaxations that may still be solved.
    pub questions: &'a mut usize,
}

impl Diver<'_> {
    /// Searches for whole numbers: with a reserve, then without one if the first dive ends too early to be a proof.
    pub(super) fn dive(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Dive, Error> {
        let reserve = self.senders.last().map_or(0, |&slowest| slowest / 4);
        let all = *self.questions;
        *self.questions = all / 2;
        let first = self.dive_with(reserve, go_on)?;
        *self.questions += all - all / 2;
        if matches!(first, Dive::Open) {
            self.dive_with(0, go_on)
        } else {
            Ok(first)
        }
    }

    fn dive_with(&mut self, reserve: u64, go_on: &mut dyn FnMut() -> bool) -> Result<Dive, Error> {
        let mut rows: Vec<(usize, usize, u64)> = vec![(0, 0, 1)];
        let mut frames: Vec<Frame> = Vec::new();
        let mut mixture = Mixture::default();
        let state = State::rooted(self.flow, self.deadline, self.senders);
        let mut cursor = Cursor {
            date: 1,
            class: 0,
            state,
            rows: 1,
            reserve,
            sound: false,
            departed: false,
        };
        let mut fits = self.ask(&mut cursor, &mut mixture, go_on)?;
        let mut complete = true;
        loop {
            if !go_on() {
                return Ok(Dive::Open);
            }
            let mut end = false;
            while fits && !end && !self.at_choice(&cursor) {
                end = !self.advance(&mut cursor, &mut rows, &mixture);
                // After a departure from the mixture another one is needed.
                if !end && cursor.departed {
                    fits = self.ask(&mut cursor, &mut mixture, go_on)?;
                }
            }
            if fits && end {
                if let Some(placed) = self.finish(&cursor.state, &rows) {
                    return Ok(Dive::Placed(placed));
                }
                fits = false;
            }
            if fits {
                cursor.class = self
                    .fitting(&cursor)
                    .into_iter()
                    .find(|&class| class >= cursor.class)
                    .unwrap_or(cursor.class);
                let frame = Frame::new(&cursor, mixture.senders(cursor.class, cursor.date));
                let number = frame.first();
                let follows = frame.wish == whole(number);
                self.give(&mut cursor, number, &mut rows);
                fits = follows || self.ask(&mut cursor, &mut mixture, go_on)?;
                frames.push(frame);
                if !fits {
                    complete &= frames.last_mut().is_none_or(|frame| frame.close(number));
                }
            }
            while !fits {
                let Some(frame) = frames.last_mut() else {
                    return Ok(if complete { Dive::Never } else { Dive::Open });
                };
                if *self.questions == 0 {
                    return Ok(Dive::Open);
                }
                let Some(number) = frame.next() else {
                    frames.pop();
                    continue;
                };
                cursor = frame.cursor.clone();
                rows.truncate(cursor.rows);
                self.give(&mut cursor, number, &mut rows);
                fits = self.ask(&mut cursor, &mut mixture, go_on)?;
                if !fits {
                    complete &= frame.close(number);
                }
            }
        }
    }

    /// The classes with senders left that fit the date.
    fn fitting(&self, cursor: &Cursor) -> Vec<usize> {
        let fits = |class: usize| {
            cursor.state.senders[class] > 0
                && self.flow.opens(class, cursor.date, self.deadline).is_some()
        };
        (0..self.senders.len())
            .filter(|&class| fits(class))
            .collect()
    }

    /// Whether the date leaves a choice. If so, `cursor.class` may take part in it.
    fn at_choice(&self, cursor: &Cursor) -> bool {
        cursor.date < self.deadline
            && cursor.state.slots[cursor.date] > 0
            && self
                .fitting(cursor)
                .iter()
                .filter(|&&class| class >= cursor.class)
                .count()
                > 1
    }

    /// Ends a date and moves on, false at the end: the last class that fits takes what is left, and what it cannot take
    /// goes to others, slowest first.
    fn advance(
        &self,
        cursor: &mut Cursor,
        rows: &mut Vec<(usize, usize, u64)>,
        mixture: &Mixture,
    ) -> bool {
        if cursor.date >= self.deadline || cursor.state.senders.iter().all(|&left| left == 0) {
            return false;
        }
        if cursor.state.slots[cursor.date] > 0 {
            let fitting = self.fitting(cursor);
            let from = cursor.class;
            let last = fitting.iter().copied().filter(|&class| class >= from);
            for (turn, class) in last
                .chain(fitting.iter().copied().rev())
                .collect::<Vec<_>>()
                .into_iter()
                .enumerate()
            {
                cursor.class = class;
                let number = cursor.most();
                let due = turn == 0 && class >= from;
                let wish = if due {
                    mixture.senders(class, cursor.date)
                } else {
                    Rational::zero()
                };
                cursor.departed |= whole(number) != wish;
                self.give(cursor, number, rows);
            }
            cursor.state.slots[cursor.date] = 0;
        }
        (cursor.date, cursor.class) = (cursor.date + 1, 0);
        true
    }

    /// Gives slots of the date to senders of the class, and closes it to that class.
    fn give(&self, cursor: &mut Cursor, number: u64, rows: &mut Vec<(usize, usize, u64)>) {
        if let Some(open) = self
            .flow
            .opens(cursor.class, cursor.date, self.deadline)
            .filter(|_| number > 0)
        {
            cursor.state.slots[cursor.date] -= u128::from(number);
            cursor.state.slots[open] += 2 * u128::from(number);
            cursor.state.senders[cursor.class] -= number;
            rows.push((cursor.date, cursor.class, number));
        }
        cursor.class += 1;
        cursor.state.closed = (cursor.date, cursor.class);
        cursor.rows = rows.len();
    }

    /// Solves the relaxation for the rest. Returns false if it is ruled out.
    fn ask(
        &mut self,
        cursor: &mut Cursor,
        mixture: &mut Mixture,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        (cursor.sound, cursor.departed) = (false, false);
        while *self.questions > 0 {
            *self.questions -= 1;
            self.memory.drain(..self.memory.len().saturating_sub(64));
            let mut more = cursor.state.clone();
            if let Some(slowest) = more.senders.last_mut() {
                *slowest = slowest.saturating_add(cursor.reserve);
            }
            match decide(self.flow, self.deadline, &more, self.memory, go_on)? {
                Verdict::Never(_) if cursor.reserve == 0 => return Ok(false),
                Verdict::Never(_) => cursor.reserve /= 4,
                Verdict::Mixture(found) => {
                    *mixture = found;
                    cursor.sound = cursor.reserve == 0;
                    break;
                }
                Verdict::Unknown => break,
            }
        }
        Ok(true)
    }

    /// Puts senders left over into idle slots, the latest that fit. Returns the placement, if all find one.
    fn finish(&self, state: &State, rows: &[(usize, usize, u64)]) -> Option<Vec<Placed>> {
        let (flow, deadline) = (self.flow, self.deadline);
        let mut idle = State::new(deadline, &[]).slots;
        let mut count = BTreeMap::new();
        for &(date, class, taken) in rows {
            idle[date] = idle[date].checked_sub(u128::from(taken))?;
            idle[flow.opens(class, date, deadline)?] += 2 * u128::from(taken);
            *count.entry((date, class)).or_insert(0u64) += taken;
        }
        for (class, &left) in state.senders.iter().enumerate() {
            let mut left = left;
            for date in (0..=deadline).rev() {
                let Some(open) = flow.opens(class, date, deadline).filter(|_| left > 0) else {
                    continue;
                };
                let taken = u64::try_from(idle[date]).unwrap_or(u64::MAX).min(left);
                if taken > 0 {
                    idle[date] -= u128::from(taken);
                    idle[open] += 2 * u128::from(taken);
                    left -= taken;
                    *count.entry((date, class)).or_insert(0) += taken;
                }
            }
            if left > 0 {
                return None;
            }
        }
        let cursor = |((date, class), senders)| Placed {
            date: flow.dates[date],
            class,
            senders,
        };
        let placed: Vec<Placed> = count.into_iter().map(cursor).collect();
        let length = length(&flow.times, self.senders, &placed)?;
        (length <= flow.dates[deadline]).then_some(placed)
    }
}

impl Cursor {
    /// As many senders of the class as could take slots of the date.
    fn most(&self) -> u64 {
        self.state.senders[self.class]
            .min(u64::try_from(self.state.slots[self.date]).unwrap_or(u64::MAX))
    }
}

impl Frame {
    fn new(cursor: &Cursor, wish: Rational) -> Frame {
        let most = cursor.most();
        let mut frame = Frame {
            cursor: cursor.clone(),
            wish,
            below: None,
            above: None,
            most,
        };
        let first = frame.first();
        (frame.below, frame.above) = (first.checked_sub(1), (first < most).then_some(first + 1));
        frame
    }

    /// The number nearest to the wish.
    fn first(&self) -> u64 {
        self.wish
            .round()
            .to_integer()
            .to_u64()
            .unwrap_or(0)
            .min(self.most)
    }

    /// The next number to try, the nearer of the two sides.
    fn next(&mut self) -> Option<u64> {
        let far = |number: Option<u64>| number.map(|number| (whole(number) - &self.wish).abs());
        let up = match (far(self.below), far(self.above)) {
            (Some(below), Some(above)) => above <= below,
            (_, above) => above.is_some(),
        };
        if up {
            let number = self.above?;
            self.above = (number < self.most).then_some(number + 1);
            Some(number)
        } else {
            let number = self.below?;
            self.below = number.checked_sub(1);
            Some(number)
        }
    }

    /// A number was ruled out, and with it all beyond, seen from the wish. False if the wish may be ruled out itself.
    fn close(&mut self, number: u64) -> bool {
        match whole(number).cmp(&self.wish) {
            Ordering::Less => self.below = None,
            Ordering::Greater => self.above = None,
            Ordering::Equal => {}
        }
        self.cursor.sound
    }
}
