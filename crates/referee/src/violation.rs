//! Violations: the mistakes in a plan, a run or a proof.

use std::borrow::Borrow;
use std::fmt;

use num_traits::Signed;
use oneport_plan::{Interval, ProblemError};
use oneport_platform::{LinkId, NodeId, Platform, Rational, decimal};
use oneport_watch::Limit;

/// Shown: numbers of at most this many bits. The magnitude of longer ones is shown.
const SHOWN_BITS: u64 = 200;
/// Shown: digits of a longer number.
const DIGITS: usize = 6;

/// The subject of a broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The question makes sense: participants, sizes, work, costs, limits.
    Question,
    /// Ids of links, demands and instances exist.
    Unknown,
    /// Numbers and tables fit in memory.
    TooLarge,
    /// Every source reaches its targets. Otherwise no schedule and no bound exist.
    Unreachable,
    /// Prices and odd sets are well formed, and needs meet the conditions of their theorems.
    Certificate,
    /// Parts of a proof charge no link and no task for more than it costs.
    Overcharge,
    /// Under the prices, some demand costs something.
    NoBound,
    /// Tasks use values that are present: sends, copies, merges.
    Task,
    /// A steady state is as frequent as it says, and overloads nothing.
    SteadyState,
    /// Links of half-duplex nodes can be busy for their times.
    OddSet,
    /// A schedule's copies, slots and merges fit together, and in its period.
    Schedule,
    /// The dates of a run.
    Run,
    /// A single reduction or broadcast: its tree, its dates, its limits.
    Single,
    /// The proof of a single reduction's shortest length.
    Proof,
    /// Claims equal the computed values: bound, status, length.
    Claim,
    /// No fault: this limit ended the check itself.
    Stopped(Limit),
}

/// A broken rule: location, value found, value expected, in a sentence ([`Display`](fmt::Display)). Nodes, links and
/// messages have their names. Numbers count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    rule: Rule,
    /// Empty if the value found implies it.
    location: String,
    found: String,
    /// Empty if the violation implies it.
    right: String,
}

impl Violation {
    pub(crate) fn new(rule: Rule, found: String, right: String) -> Violation {
        Violation {
            rule,
            location: String::new(),
            found,
            right,
        }
    }

    /// This violation, found at this location.
    pub(crate) fn at(self, location: String) -> Violation {
        Violation { location, ..self }
    }

    /// The subject of the broken rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The limit that ended the check, if that is all.
    pub fn stopped(&self) -> Option<Limit> {
        match self.rule {
            Rule::Stopped(limit) => Some(limit),
            _ => None,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            location,
            found,
            right,
            ..
        } = self;
        let colon = if location.is_empty() { "" } else { ": " };
        let semicolon = if right.is_empty() { "" } else { "; " };
        write!(f, "{location}{colon}{found}{semicolon}{right}")
    }
}

impl std::error::Error for Violation {}

/// A broken rule in one line: the value found and, after a semicolon, the value expected. Both have the form of
/// [`format!`] arguments.
macro_rules! fault {
    ($rule:ident, $found:literal $(, $of:expr)*) => {
        $crate::Violation::new($crate::Rule::$rule, format!($found $(, $of)*), String::new())
    };
    ($rule:ident, $found:literal $(, $of:expr)*; $right:literal $(, $to:expr)*) => {
        $crate::Violation::new($crate::Rule::$rule, format!($found $(, $of)*), format!($right $(, $to)*))
    };
}
pub(crate) use fault;

impl From<ProblemError> for Violation {
    fn from(error: ProblemError) -> Violation {
        match error {
            ProblemError::Unreachable { .. } => fault!(Unreachable, "{error}"),
            _ => fault!(Question, "{error}"),
        }
    }
}

impl From<Limit> for Violation {
    fn from(limit: Limit) -> Violation {
        let found = format!("{limit} ended the check before the bound was recomputed");
        Violation::new(Rule::Stopped(limit), found, "allow more".to_string())
    }
}

/// Numbers that share so little that they cannot be written over one denominator.
pub(crate) fn too_large(what: &str, bits: u64, limit: u64) -> Violation {
    let right = format!("at most {limit} fit in memory (use fewer different denominators)");
    fault!(TooLarge, "the common denominator of {what} has at least {bits} bits"; "{right}")
}

/// A number out of its range.
pub(crate) fn bad_number(what: &str, found: &Rational, right: &str) -> Violation {
    fault!(Question, "the {what} is {}", shown(found); "it must be {right}")
}

/// A price, or the like, that is not positive.
pub(crate) fn bad_price(what: &str, found: &Rational) -> Violation {
    let found = shown(found);
    fault!(Certificate, "price of {what} is {found}"; "a price must be positive (leave out what costs nothing)")
}

/// A part of a certificate that is out of order: "cut 3: its nodes".
pub(crate) fn unordered(what: &str) -> Violation {
    fault!(Certificate, "{what} are out of order"; "list them ascending, each once")
}

/// A node outside the platform: "share 3: the processor" of it.
pub(crate) fn no_node(what: &str, id: NodeId, platform: &Platform) -> Violation {
    let (id, nodes) = (id.index(), platform.nodes().len());
    fault!(Certificate, "{what} of node id {id}: no such node"; "the platform has {nodes} nodes, numbered from 0")
}

/// A link outside the platform: "share 3: the" link.
pub(crate) fn no_link(location: &str, id: LinkId, platform: &Platform) -> Violation {
    let (id, links) = (id.index(), platform.links().len());
    fault!(Certificate, "{location} link id {id} does not exist"; "the platform has {links} links, numbered from 0")
}

/// A value used before it is made, or never made.
pub(crate) fn not_made(part: Interval) -> Violation {
    fault!(Task, "{} is needed, but not made before", part_name(&part))
}

/// A value used twice that may be used once only.
pub(crate) fn used_again(part: Interval) -> Violation {
    let part = part_name(&part);
    fault!(Task, "{part} is used again"; "where one node wants the result, every value is used once")
}

/// A value used at a node that does not have it.
pub(crate) fn elsewhere(part: Interval, node: &str, holder: &str) -> Violation {
    fault!(
        Task,
        "{} is needed at '{node}', but is at '{holder}' then",
        part_name(&part)
    )
}

/// A result that combines other values than the participants'.
pub(crate) fn wrong_result(found: &str, right: &str) -> Violation {
    fault!(Run, "the result combines the values of {found}"; "it must combine those of {right}")
}

/// Nothing for once, else "3 times ".
pub(crate) fn times_name(times: u64) -> String {
    if times == 1 {
        String::new()
    } else {
        format!("{times} times ")
    }
}

/// All of them, or the first and how many more there are.
pub(crate) fn first_of(names: &[String]) -> String {
    // Shown: names of a list.
    const SHOWN: usize = 5;
    match names.get(..SHOWN) {
        Some(first) if names.len() > SHOWN + 1 => {
            format!("{} and {} more", first.join(", "), names.len() - SHOWN)
        }
        _ => names.join(", "),
    }
}

/// "one", or the number.
pub(crate) fn count_name(capacity: u32) -> String {
    if capacity == 1 {
        "one".to_string()
    } else {
        capacity.to_string()
    }
}

/// `v[k,m]`.
pub(crate) fn part_name(part: &Interval) -> String {
    format!("v[{},{}]", part.first, part.last)
}

/// The number itself, or its magnitude when it is too long for a message.
pub(crate) fn shown(value: impl Borrow<Rational>) -> String {
    let value = value.borrow();
    let bits = value.numer().bits() + value.denom().bits();
    if bits <= SHOWN_BITS || !value.denom().is_positive() {
        return value.to_string();
    }
    format!(
        "about {} (a fraction of {bits} bits)",
        decimal(value, DIGITS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to six names are listed. Of more, five are listed, and the number of the others.
    #[test]
    fn long_lists_are_cut_short() {
        let lists = [
            "1, 2, 3, 4",
            "1, 2, 3, 4, 5",
            "1, 2, 3, 4, 5, 6",
            "1, 2, 3, 4, 5 and 2 more",
            "1, 2, 3, 4, 5 and 3 more",
        ];
        for (count, list) in (4..).zip(lists) {
            assert_eq!(
                first_of(
                    &(1..=count)
                        .map(|port: usize| port.to_string())
                        .collect::<Vec<_>>()
                ),
                list
            );
        }
    }

    /// Location, finding and remedy make a sentence, also if some of them are left out.
    #[test]
    fn sentences_have_three_parts() {
        let part = Interval { first: 0, last: 2 };
        let bare = fault!(Task, "{} is used", part_name(&part));
        assert_eq!(
            (bare.rule(), bare.to_string()),
            (Rule::Task, "v[0,2] is used".to_string())
        );
        let whole = fault!(Task, "it is {}", 1; "it must be {}", 2).at("slot 3".to_string());
        assert_eq!(whole.to_string(), "slot 3: it is 1; it must be 2");
    }
}
