//! The limits of a throughput in words.

use num_traits::One;
use oneport::explain::{self, Class, Hint, Limits, Members};
use oneport::{Answer, Platform};
use oneport_questions::{Limiting, class_name, limiting_names, odd_set_sentence, of_classes};
use serde_json::{Value, json};

use crate::words::numbers::percent;

/// The limits of a throughput, on the platform whose names they have.
pub struct Bottleneck<'a> {
    platform: &'a Platform,
    /// The library's answer.
    pub limits: Limits,
    /// A sentence for each hint.
    pub hints: Vec<String>,
}

/// The hint that the order of the operands may cost something.
pub const IN_ORDER: &str = "operands are combined in their order; any order";

/// Limit on the classes named in a line.
const NAMED: usize = 3;

/// The bottleneck from the certificate and the loads of the patterns.
pub fn of(answer: &Answer) -> Bottleneck<'_> {
    let platform = answer.problem().platform();
    let limits = explain::limits(answer);
    let hints = limits
        .hints
        .iter()
        .map(|&hint| sentence(platform, hint))
        .collect();
    Bottleneck {
        platform,
        limits,
        hints,
    }
}

fn sentence(platform: &Platform, hint: Hint) -> String {
    match hint {
        Hint::RouterPort(node) => format!(
            "the port of router '{}' limits, which forwards one message at a time; a switch that forwards on all its ports \
             at once says switch = true",
            platform.name(node)
        ),
        Hint::Merging => {
            "processors limit; is --work, times each node's compute, the time of a merge?"
                .to_string()
        }
        Hint::Latency => {
            "a token is small, so latency decides: 'oneport time barrier' counts it".to_string()
        }
        _ => format!("{IN_ORDER} may give more"),
    }
}

impl Bottleneck<'_> {
    /// "send port of 'a', 'b'", or "8 x link 'ib*' -> 'gpu*'".
    fn named(&self, class: &Class) -> String {
        class_name(self.platform, class)
    }

    /// The classes that limit, as values.
    pub fn classes(&self) -> Vec<Limiting> {
        of_classes(self.platform, &self.limits.limiting)
    }

    /// The bottleneck, for `--json`.
    pub fn json(&self) -> Value {
        json!(self.classes())
    }

    /// The names of the classes with the largest shares.
    pub fn limiting_names(&self) -> String {
        limiting_names(self.platform, &self.limits)
    }

    /// The lines of a report, without hints.
    pub fn plainly(&self) -> Vec<String> {
        let limiting = &self.limits.limiting;
        let named = || limiting.iter().take(NAMED);
        let shares = named().map(|class| {
            let share = if class.share.is_one() {
                String::new()
            } else {
                format!(" ({})", percent(&class.share))
            };
            format!(
                "{}{share}, {} busy",
                self.named(class),
                percent(&class.busy)
            )
        });
        let more = match limiting.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let mut lines = Vec::new();
        if !limiting.is_empty() {
            lines.push(format!(
                "limited by  {}{more}",
                shares.collect::<Vec<_>>().join("; ")
            ));
        }
        lines.extend(named().filter_map(|class| match &class.members {
            Members::OddSet(set, _) => Some(format!(
                "odd set     {}",
                odd_set_sentence(self.platform, set)
            )),
            _ => None,
        }));
        let next = self.limits.next.as_ref();
        lines.extend(next.map(|next| {
            let busy = percent(&next.busy);
            format!(
                "next        {}, {busy} busy{}",
                self.named(next),
                self.full()
            )
        }));
        lines
    }

    /// The other classes that are full.
    fn full(&self) -> String {
        let full = &self.limits.full;
        let shown = full.iter().take(NAMED);
        let mut text: String = shown
            .map(|class| format!("; {}, {} busy", self.named(class), percent(&class.busy)))
            .collect();
        if full.len() > NAMED {
            text.push_str(&format!("; and {} more", full.len() - NAMED));
        }
        text
    }

    /// The lines of a report.
    pub fn lines(&self) -> Vec<String> {
        let hints = self.hints.iter().map(|hint| format!("hint        {hint}"));
        self.plainly().into_iter().chain(hints).collect()
    }
}
