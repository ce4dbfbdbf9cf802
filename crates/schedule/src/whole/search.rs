//! Start dates of messages that are not interrupted: an open shop, searched date by date.
//!
//! A message can always be moved to an earlier date until one of its resources is busy just before it. So it is enough
//! to start messages at the beginning and at ends of others. The search goes from date to date. At each it starts a
//! message or leaves it, the one with least room first.

use std::collections::BTreeSet;

/// Steps per attempt. Trades time for schedules that cut no message. Not measured.
const STEPS: u32 = 20_000;
/// Attempts, each with another order of messages of equal room. Trades time for schedules that cut no message. Not
/// measured.
const ATTEMPTS: u64 = 10;
/// Messages up to which the search runs. Trades time for schedules that cut no message. Not measured.
const MESSAGES: u64 = 1000;

/// Messages by kind, and their resources. Messages of one kind pass one link and take equally long.
#[derive(Debug, Clone)]
pub(super) struct Shop {
    /// For each kind: the time of a message, positive.
    pub durations: Vec<u64>,
    /// For each kind: how many messages.
    pub counts: Vec<u32>,
    /// For each kind: the kind before it on the same link. All messages of that kind come first.
    pub after: Vec<Option<usize>>,
    /// For each kind: the resources that a message occupies. A message occupies one lane of each.
    pub needs: Vec<Vec<usize>>,
    /// For each resource: how many messages it serves at a time.
    pub capacities: Vec<u32>,
    /// When all has to be over.
    pub period: u64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome<T> {
    /// A schedule.
    Found(T),
    /// No schedule exists.
    None,
    /// The search ended before it knew.
    Ended,
}

impl<T> Outcome<T> {
    /// Replaces the schedule by a function of it.
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Outcome::Found(found) => Outcome::Found(f(found)),
            Outcome::None => Outcome::None,
            Outcome::Ended => Outcome::Ended,
        }
    }
}

/// The search went on for too long.
struct Ended;

/// A date with all that is known there.
type State = (u64, Vec<u32>, BTreeSet<(u64, usize)>);

struct ShopSearch<'s> {
    shop: &'s Shop,
    left: Vec<u32>,
    /// Messages in flight, by their ends.
    running: BTreeSet<(u64, usize)>,
    /// For each resource: how many more it can serve now.
    free: Vec<u32>,
    /// For each resource: the remaining work from now on.
    load: Vec<u128>,
    starts: Vec<(usize, u64)>,
    failed: BTreeSet<State>,
    steps: u32,
    attempt: u64,
}

impl Shop {
    /// Kind and start of every message. An attempt that is exhaustive decides. Any other is followed by one in another
    /// order.
    pub(super) fn search(&self) -> Outcome<Vec<(usize, u64)>> {
        let attempts = (0..ATTEMPTS).map(|attempt| self.attempt(attempt));
        attempts
            .into_iter()
            .find(|outcome| *outcome != Outcome::Ended)
            .unwrap_or(Outcome::Ended)
    }

    fn attempt(&self, attempt: u64) -> Outcome<Vec<(usize, u64)>> {
        if self
            .counts
            .iter()
            .map(|&count| u64::from(count))
            .sum::<u64>()
            > MESSAGES
        {
            return Outcome::Ended;
        }
        let mut load = vec![0; self.capacities.len()];
        for ((needs, &time), &count) in self.needs.iter().zip(&self.durations).zip(&self.counts) {
            for &own in needs {
                load[own] += u128::from(time) * u128::from(count);
            }
        }
        let mut search = ShopSearch {
            shop: self,
            left: self.counts.clone(),
            running: BTreeSet::new(),
            free: self.capacities.clone(),
            load,
            starts: Vec::new(),
            failed: BTreeSet::new(),
            steps: STEPS,
            attempt,
        };
        match if search.fits(0) {
            search.at(0, vec![false; self.counts.len()])
        } else {
            Ok(false)
        } {
            Ok(true) => Outcome::Found(search.starts),
            Ok(false) => Outcome::None,
            Err(Ended) => Outcome::Ended,
        }
    }
}

impl ShopSearch<'_> {
    /// How long a resource can rest from a date on. Negative if it is too busy.
    fn room(&self, resource: usize, date: u64) -> i128 {
        let offered = u128::from(self.shop.capacities[resource])
            * u128::from(self.shop.period.saturating_sub(date));
        offered.cast_signed() - self.load[resource].cast_signed()
    }

    fn fits(&self, date: u64) -> bool {
        date <= self.shop.period
            && (0..self.load.len()).all(|resource| self.room(resource, date) >= 0)
    }

    /// The message to start next: it can start, is not left out, and its resources have least room. Ties go to the
    /// longest in the first attempt, at random in later ones.
    fn next(&self, date: u64, leave: &[bool]) -> Option<usize> {
        let can_start = |&job: &usize| {
            let needs = &self.shop.needs[job];
            let in_turn = self.shop.after[job].is_none_or(|before| self.left[before] == 0);
            self.left[job] > 0
                && !leave[job]
                && in_turn
                && needs.iter().all(|&own| self.free[own] > 0)
        };
        let key = |&job: &usize| {
            let room = self.shop.needs[job]
                .iter()
                .map(|&own| self.room(own, date))
                .min();
            let drawn = match self.attempt {
                0 => u64::MAX - self.shop.durations[job],
                attempt => mixed(attempt ^ date.rotate_left(20) ^ (job as u64).rotate_left(40)),
            };
            (room, drawn, job)
        };
        (0..self.left.len()).filter(can_start).min_by_key(key)
    }

    /// All that may be started at a date.
    fn at(&mut self, date: u64, mut leave: Vec<bool>) -> Result<bool, Ended> {
        loop {
            self.steps = self.steps.checked_sub(1).ok_or(Ended)?;
            if self.left.iter().all(|&count| count == 0) {
                return Ok(true);
            }
            let Some(job) = self.next(date, &leave) else {
                return self.later(date);
            };
            let end = date.saturating_add(self.shop.durations[job]);
            self.left[job] -= 1;
            for &own in &self.shop.needs[job] {
                self.free[own] -= 1;
            }
            self.running.insert((end, job));
            self.starts.push((job, date));
            if self.at(date, leave.clone())? {
                return Ok(true);
            }
            self.starts.pop();
            self.running.remove(&(end, job));
            for &own in &self.shop.needs[job] {
                self.free[own] += 1;
            }
            self.left[job] += 1;
            leave[job] = true;
        }
    }

    /// From the next end of a message on.
    fn later(&mut self, date: u64) -> Result<bool, Ended> {
        let Some(&(next, _)) = self.running.first() else {
            return Ok(false);
        };
        let before = (self.running.clone(), self.free.clone(), self.load.clone());
        for (resource, free) in self.free.iter().enumerate() {
            let busy = self.shop.capacities[resource] - free;
            self.load[resource] -= u128::from(busy) * u128::from(next - date);
        }
        while let Some(&(end, job)) = self.running.first().filter(|(end, _)| *end == next) {
            self.running.remove(&(end, job));
            for &own in &self.shop.needs[job] {
                self.free[own] += 1;
            }
        }
        let state = (next, self.left.clone(), self.running.clone());
        if self.fits(next) && !self.failed.contains(&state) {
            if self.at(next, vec![false; self.left.len()])? {
                return Ok(true);
            }
            self.failed.insert(state);
        }
        (self.running, self.free, self.load) = before;
        Ok(false)
    }
}

/// A number that looks drawn: the finalizer of splitmix64.
fn mixed(seed: u64) -> u64 {
    let mut bits = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;

    /// Rows are senders, columns receivers: how long the one message between them takes, 0 for none.
    fn rows(times: &[&[u64]], period: u64) -> Shop {
        let mut shop = Shop {
            durations: Vec::new(),
            counts: Vec::new(),
            after: Vec::new(),
            needs: Vec::new(),
            capacities: vec![1; times.len() + times[0].len()],
            period,
        };
        for (row, of) in times.iter().enumerate() {
            for (column, &time) in of.iter().enumerate().filter(|(_, time)| **time > 0) {
                shop.durations.push(time);
                shop.counts.push(1);
                shop.after.push(None);
                shop.needs.push(vec![row, times.len() + column]);
            }
        }
        shop
    }

    /// Whether there is a schedule, by trying every start on the grid for one message after the other.
    fn tried(shop: &Shop) -> bool {
        let kinds = 0..shop.counts.len();
        let jobs: Vec<usize> = kinds
            .flat_map(|kind| vec![kind; shop.counts[kind] as usize])
            .collect();
        let mut busy = vec![vec![0; shop.period as usize]; shop.capacities.len()];
        place(shop, &jobs, &mut busy, &mut vec![0; shop.counts.len()])
    }

    /// Places the first of some messages, then the others. `ends` is the last end by kind. Kinds are in the order of
    /// their links.
    fn place(shop: &Shop, jobs: &[usize], busy: &mut Vec<Vec<u32>>, ends: &mut Vec<u64>) -> bool {
        let Some((&job, rest)) = jobs.split_first() else {
            return true;
        };
        let (time, known) = (shop.durations[job], ends[job]);
        let first = shop.after[job].map_or(0, |before| ends[before]);
        (first..(shop.period + 1).saturating_sub(time)).any(|start| {
            let dates = start as usize..(start + time) as usize;
            let fits = |own: &usize| {
                busy[*own][dates.clone()]
                    .iter()
                    .all(|busy| *busy < shop.capacities[*own])
            };
            if !shop.needs[job].iter().all(fits) {
                return false;
            }
            for &own in &shop.needs[job] {
                for busy in busy[own][dates.clone()].iter_mut() {
                    *busy += 1;
                }
            }
            ends[job] = known.max(start + time);
            let placed = place(shop, rest, busy, ends);
            ends[job] = known;
            for &own in &shop.needs[job] {
                for busy in busy[own][dates.clone()].iter_mut() {
                    *busy -= 1;
                }
            }
            placed
        })
    }

    /// No resource serves too many, all messages are there, and kinds of one link in their order.
    fn holds(shop: &Shop, starts: &[(usize, u64)]) -> bool {
        let starts_of = |kind: usize| {
            starts
                .iter()
                .filter(move |(job, _)| *job == kind)
                .map(|&(_, start)| start)
        };
        let in_order = |(kind, before): (usize, &Option<usize>)| {
            before.is_none_or(|before| {
                starts_of(before).max()
                    <= starts_of(kind)
                        .min()
                        .map(|first| first - shop.durations[before])
            })
        };
        if !shop.after.iter().enumerate().all(in_order) {
            return false;
        }
        let mut counts = shop.counts.clone();
        let mut busy = vec![vec![0; shop.period as usize]; shop.capacities.len()];
        for &(job, start) in starts {
            counts[job] -= 1;
            for &own in &shop.needs[job] {
                for date in start..start + shop.durations[job] {
                    busy[own][date as usize] += 1;
                }
            }
        }
        counts.iter().all(|&count| count == 0)
            && busy
                .iter()
                .zip(&shop.capacities)
                .all(|(dates, capacity)| dates.iter().all(|busy| busy <= capacity))
    }

    #[test]
    fn the_smallest_open_shop_without_a_schedule_in_its_longest_row() {
        let shop = rows(&[&[0, 0, 3], &[2, 2, 1], &[2, 2, 1]], 5);
        assert_eq!(shop.search(), Outcome::None);
        assert!(!tried(&shop));
        let twice = Shop {
            counts: vec![2; shop.counts.len()],
            period: 10,
            ..shop
        };
        let Outcome::Found(starts) = twice.search() else {
            panic!("two periods are enough")
        };
        assert!(holds(&twice, &starts));
    }

    #[test]
    fn the_petersen_graph_has_no_three_matchings() {
        let links: Vec<Vec<usize>> = (0..5)
            .flat_map(|k| {
                [
                    vec![k, (k + 1) % 5],
                    vec![k, k + 5],
                    vec![k + 5, (k + 2) % 5 + 5],
                ]
            })
            .collect();
        let (durations, counts, after) = (vec![1; 15], vec![1; 15], vec![None; 15]);
        let shop = Shop {
            durations,
            counts,
            after,
            needs: links,
            capacities: vec![1; 10],
            period: 3,
        };
        assert_eq!(shop.search(), Outcome::None);
        let twice = Shop {
            counts: vec![2; 15],
            period: 6,
            ..shop
        };
        let Outcome::Found(starts) = twice.search() else {
            panic!("each link is in 2 of 6 perfect matchings")
        };
        assert!(holds(&twice, &starts));
    }

    #[test]
    fn random_shops_against_all_starts() {
        let mut dice = Dice::new(7);
        let mut draw = |below: u64| dice.below(below);
        let (mut found, mut none, mut ordered) = (0, 0, 0);
        for _ in 0..600 {
            let (links, resources) = (1 + draw(5) as usize, 2 + draw(3) as usize);
            let mut shop = Shop {
                durations: (0..links).map(|_| 1 + draw(3)).collect(),
                counts: (0..links).map(|_| 1 + draw(2) as u32).collect(),
                after: vec![None; links],
                needs: (0..links)
                    .map(|_| {
                        vec![
                            draw(resources as u64) as usize,
                            draw(resources as u64) as usize,
                        ]
                    })
                    .collect(),
                capacities: (0..resources).map(|_| 1 + draw(2) as u32).collect(),
                period: 0,
            };
            for (link, needs) in shop.needs.iter_mut().enumerate() {
                needs.dedup();
                // The link itself.
                needs.push(resources + link);
            }
            // Every third message passes the link of the one before it, after that.
            for kind in (1..links).filter(|_| draw(3) == 0).collect::<Vec<_>>() {
                shop.needs[kind] = shop.needs[kind - 1].clone();
                shop.after[kind] = Some(kind - 1);
                ordered += 1;
            }
            shop.capacities.extend(vec![1; links]);
            let load = |own: usize| {
                let using = (0..links).filter(|&link| shop.needs[link].contains(&own));
                using
                    .map(|link| shop.durations[link] * u64::from(shop.counts[link]))
                    .sum::<u64>()
            };
            let loads = (0..shop.capacities.len())
                .map(|own| load(own).div_ceil(shop.capacities[own].into()));
            shop.period = loads.max().unwrap_or(0).min(9);
            match shop.search() {
                Outcome::Found(starts) => {
                    assert!(holds(&shop, &starts), "{shop:?}: {starts:?}");
                    found += 1;
                }
                Outcome::None => {
                    assert!(!tried(&shop), "{shop:?}");
                    none += 1;
                }
                Outcome::Ended => panic!("{shop:?}"),
            }
        }
        assert!(
            found > 100 && none > 20 && ordered > 100,
            "{found} found, {none} not; {ordered} in order"
        );
    }

    #[test]
    fn an_empty_shop_and_too_many_messages() {
        let (durations, counts, after, needs) = (vec![], vec![], vec![], vec![]);
        let shop = Shop {
            durations,
            counts,
            after,
            needs,
            capacities: vec![],
            period: 0,
        };
        assert_eq!(shop.search(), Outcome::Found(vec![]));
        let (durations, counts, after, needs) = (vec![1], vec![1001], vec![None], vec![vec![0]]);
        let many = Shop {
            durations,
            counts,
            after,
            needs,
            capacities: vec![1],
            period: 2000,
        };
        assert_eq!(many.search(), Outcome::Ended);
    }
}
