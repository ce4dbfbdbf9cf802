//! A run as `oneport export --to simgrid` writes it, its other order, and faults in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A run.
#[derive(Clone)]
pub struct Events {
    period: f64,
    /// Ports and links, each with its number of simultaneous transfers.
    limits: BTreeMap<String, usize>,
    events: Vec<Event>,
}

/// A transfer or merge.
#[derive(Clone)]
struct Event {
    kind: String,
    start: f64,
    end: f64,
    from: String,
    to: String,
    amount: String,
    /// Numbers of the events that end before.
    after: BTreeSet<usize>,
}

impl Events {
    /// Reads a run.
    pub fn read(path: &Path) -> Result<Events> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut run = Events {
            period: 0.0,
            limits: BTreeMap::new(),
            events: Vec::new(),
        };
        for line in text.lines() {
            run.line(&line.split(' ').collect::<Vec<_>>())
                .with_context(|| format!("`{line}`"))?;
        }
        Ok(run)
    }

    fn line(&mut self, words: &[&str]) -> Result<()> {
        match *words {
            ["period", period] => self.period = period.parse()?,
            ["limit", name, limit] => {
                self.limits.insert(name.to_string(), limit.parse()?);
            }
            [kind, start, end, from, to, amount, ref after @ ..] => self.events.push(Event {
                kind: kind.to_string(),
                start: start.parse()?,
                end: end.parse()?,
                from: from.to_string(),
                to: to.to_string(),
                amount: amount.to_string(),
                after: after
                    .iter()
                    .map(|number| number.parse())
                    .collect::<Result<_, _>>()?,
            }),
            _ => anyhow::bail!("not a line of a run"),
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// The text that the program reads.
    pub fn text(&self) -> String {
        let mut text = format!("period {}\n", self.period);
        for (name, limit) in self.limits.iter() {
            text.push_str(&format!("limit {name} {limit}\n"));
        }
        for Event {
            kind,
            start,
            end,
            from,
            to,
            amount,
            after,
        } in &self.events
        {
            let _ = write!(text, "{kind} {start} {end} {from} {to} {amount}");
            for input in after.iter() {
                text.push_str(&format!(" {input}"));
            }
            text.push('\n');
        }
        text
    }

    /// This order on every port, link and processor, without dates: a task starts when its predecessors on each of
    /// them have ended, and its inputs exist. The end dates follow from a recurrence, and the simulator must agree with
    /// them.
    pub fn as_soon_as_possible(&self) -> Events {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let key = |&number: &usize| (self.events[number].start, self.events[number].end);
        order.sort_by(|one, other| {
            key(one)
                .partial_cmp(&key(other))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut run = self.clone();
        // Per port: the last event of each lane.
        let mut last: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for number in order {
            let length = self.events[number].end - self.events[number].start;
            for (port, limit) in self.ports(number) {
                let lanes = last.entry(port).or_default();
                let free = |&other: &usize| {
                    self.events[other].end <= self.events[number].start + 1e-9 * self.period
                };
                match lanes.iter().position(free) {
                    Some(lane) => {
                        run.events[number]
                            .after
                            .insert(std::mem::replace(&mut lanes[lane], number));
                    }
                    // No lane is free, so the plan itself is wrong. The replay by dates reports it.
                    None if lanes.len() >= limit => {}
                    None => lanes.push(number),
                }
            }
            let ready = run.events[number]
                .after
                .iter()
                .map(|&before| run.events[before].end)
                .fold(0.0, f64::max);
            (run.events[number].start, run.events[number].end) = (0.0, ready + length);
        }
        // Errors add up along the run, so they are measured relative to its length.
        run.period = run.events.iter().map(|event| event.end).fold(0.0, f64::max);
        run
    }

    /// The resources of an event, and their capacities.
    fn ports(&self, number: usize) -> Vec<(String, usize)> {
        let event = &self.events[number];
        if event.kind == "merge" {
            return vec![(format!("merges at {}", event.from), 1)];
        }
        let end = |node: &str, kind: &str| node.replace("node", kind);
        let ports = [
            end(&event.from, "out"),
            end(&event.from, "port"),
            end(&event.to, "in"),
            end(&event.to, "port"),
        ];
        let limited = ports
            .into_iter()
            .filter_map(|port| Some((port.clone(), *self.limits.get(&port)?)));
        limited
            .chain([(format!("{} to {}", event.from, event.to), 1)])
            .collect()
    }

    /// Two transfers overlap on a port: one starts in the middle of another. No event waits for inputs, so only the
    /// ports can notice.
    pub fn overlap(&self) -> Option<Events> {
        let mut run = self.clone();
        for event in run.events.iter_mut() {
            event.after.clear();
        }
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..self.len() {
            let long = |event: &Event| {
                event.kind == "send" && event.end - event.start > 1e-6 * self.period
            };
            if !long(&self.events[number]) {
                continue;
            }
            for (port, limit) in self.ports(number) {
                let Some(&other) = seen.get(&port).filter(|_| limit == 1) else {
                    seen.insert(port, number);
                    continue;
                };
                let other = &self.events[other];
                let event = &mut run.events[number];
                let length = event.end - event.start;
                (event.start, event.end) = (
                    (other.start + other.end) / 2.0,
                    (other.start + other.end) / 2.0 + length,
                );
                return Some(run);
            }
        }
        None
    }

    /// A transfer or merge starts when its input starts. Ports have room for all transfers, so only the input can
    /// notice.
    pub fn early(&self, kind: &str) -> Option<Events> {
        let mut run = self.clone();
        for limit in run.limits.values_mut() {
            *limit = 1_000_000;
        }
        let long =
            |&input: &usize| self.events[input].end - self.events[input].start > 1e-6 * self.period;
        let inputs = self
            .events
            .iter()
            .map(|event| event.after.iter().copied().find(long));
        let (number, input) = inputs.enumerate().find_map(|(number, input)| {
            let event = &self.events[number];
            Some((number, input?)).filter(|_| event.kind == kind)
        })?;
        let event = &mut run.events[number];
        let length = event.end - event.start;
        (event.start, event.end) = (self.events[input].start, self.events[input].start + length);
        Some(run)
    }
}
