//! Labels: numbers, names, widths of texts.

use num_traits::{Signed, ToPrimitive, Zero};
use oneport_plan::{Amount, Collective, Commodity, Interval, Message, Volumes};
use oneport_platform::{Link, LinkId, Node, NodeId, Platform, Rational};

use super::colour::Colour;

/// Longest exact rational printed as a fraction.
const EXACT: usize = 12;

/// Longest exact rational printed where there is little room.
const TERSE: usize = 6;

/// An exact fraction when it is short, else a decimal approximation after "≈".
pub(crate) fn show(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= EXACT { exact } else { format!("≈{}", approximate(value, 4)) }
}

/// As [`show`], shorter.
pub(super) fn terse(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= TERSE { exact } else { format!("≈{}", approximate(value, 2)) }
}

/// About so many significant digits.
fn approximate(value: &Rational, digits: usize) -> String {
    let float = pixels(value);
    if float.is_finite() && (float != 0.0 || value.is_zero()) {
        return decimal(float, digits);
    }
    // Beyond the range of f64: count digits instead.
    let flipped = value.abs() < Rational::from_integer(1.into());
    let large = if flipped { value.recip() } else { value.clone() };
    let digits = large.to_integer().abs().to_string();
    let sign = if value.is_negative() { "-" } else { "" };
    format!("{sign}1e{}{}", if flipped { "-" } else { "" }, digits.len().saturating_sub(1))
}

/// A float with so many significant digits, without trailing zeros.
pub(super) fn decimal(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_string() } else { value.to_string() };
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match exponent {
        -4..=5 => {
            let decimals = digits as i64 - 1 - i64::from(exponent);
            trim(&format!("{value:.*}", usize::try_from(decimals).unwrap_or(0)))
        }
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// A rational as a float, for pixels only.
pub(super) fn pixels(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(0.0)
}

/// `part / whole` as a float, for pixels only; 0 when there is no whole.
pub(super) fn share(part: &Rational, whole: &Rational) -> f64 {
    if whole.is_zero() { 0.0 } else { pixels(&(part / whole)) }
}

/// "1 instance", "3 instances".
pub(crate) fn plural(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The node, unless the id is of another platform.
pub(crate) fn node(platform: &Platform, id: NodeId) -> Option<&Node> {
    platform.nodes().get(id.index())
}

/// The link, unless the id is of another platform.
pub(crate) fn link(platform: &Platform, id: LinkId) -> Option<&Link> {
    platform.links().get(id.index())
}

/// The node's name, or its number when it is of another platform.
pub(crate) fn name(platform: &Platform, id: NodeId) -> String {
    node(platform, id).map_or_else(|| format!("node {id}"), |node| node.name.clone())
}

/// `from → to`.
pub(crate) fn link_name(platform: &Platform, id: LinkId) -> String {
    match link(platform, id) {
        Some(link) => format!("{} → {}", name(platform, link.from), name(platform, link.to)),
        None => format!("link {id}"),
    }
}

/// Short names of the messages of one instance.
pub(super) struct Messages<'a> {
    platform: &'a Platform,
    collective: &'a Collective,
    commodities: Vec<Commodity>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(platform: &'a Platform, collective: &'a Collective) -> Self {
        Messages { platform, collective, commodities: collective.commodities() }
    }

    /// "m P0" where one end says it all, "v[1,2]" for a partial result, else "A→B".
    pub(super) fn label(&self, message: Message) -> String {
        if let Some(part) = message.part {
            return match self.collective {
                Collective::ReduceScatter { .. } => format!("{}→{}", partial(part), self.target(message.commodity)),
                _ => partial(part),
            };
        }
        let commodity = message.commodity;
        let Some(ends) = self.commodities.get(commodity) else { return format!("message {commodity}") };
        match self.collective {
            Collective::Scatter { .. } => format!("m {}", name(self.platform, ends.target)),
            Collective::Gather { .. } => format!("m {}", name(self.platform, ends.source)),
            _ => format!("{}→{}", name(self.platform, ends.source), name(self.platform, ends.target)),
        }
    }

    /// The label, then shorter forms of it for narrow boxes.
    pub(super) fn short_label(&self, message: Message) -> Option<String> {
        if let Some(part) = message.part {
            return matches!(self.collective, Collective::ReduceScatter { .. }).then(|| partial(part));
        }
        let ends = self.commodities.get(message.commodity)?;
        match self.collective {
            Collective::Scatter { .. } => Some(name(self.platform, ends.target)),
            Collective::Gather { .. } => Some(name(self.platform, ends.source)),
            _ => None,
        }
    }

    /// Messages of one category share a colour: the partial results of one reduction have one each, those of many
    /// reductions one by reduction.
    pub(super) fn category(&self, message: Message) -> usize {
        match (self.collective, message.part) {
            (Collective::Reduce { participants, .. }, Some(part)) => {
                let (count, longer) = (participants.len(), part.operands().saturating_sub(1));
                // The single values first, then the pairs, and so on.
                let known = part.first <= part.last && part.last < count;
                if known { longer * count - longer * longer.saturating_sub(1) / 2 + part.first } else { 0 }
            }
            _ => message.commodity,
        }
    }

    pub(super) fn colour(&self, message: Message) -> Colour {
        Colour::category(self.category(message))
    }

    /// What a legend says of the message's category.
    pub(super) fn category_label(&self, message: Message) -> String {
        match self.collective {
            Collective::ReduceScatter { .. } => format!("reduction to {}", self.target(message.commodity)),
            _ => self.label(message),
        }
    }

    fn target(&self, reduction: usize) -> String {
        let target = self.collective.reductions().get(reduction);
        target.map_or_else(|| format!("target {reduction}"), |&target| name(self.platform, target))
    }
}

/// `v1`, or `v[1,2]`.
pub(crate) fn partial(part: Interval) -> String {
    if part.first == part.last { format!("v{}", part.first) } else { format!("v[{},{}]", part.first, part.last) }
}

/// The inputs of a merge.
pub(crate) fn inputs(part: Interval, split: usize) -> [Interval; 2] {
    let right = Interval { first: split.saturating_add(1), last: part.last };
    [Interval { first: part.first, last: split }, right]
}

/// `v[0,2] of v0 and v[1,2]`.
pub(crate) fn merge(part: Interval, split: usize) -> String {
    let [left, right] = inputs(part, split);
    format!("{} of {} and {}", partial(part), partial(left), partial(right))
}

/// "3/2", "1 + 1/2 n" or "by table".
pub(crate) fn amount(amount: &Amount) -> String {
    match amount {
        Amount::Constant(value) => show(value),
        Amount::Affine { fixed, per_operand } => format!("{} + {} n", show(fixed), show(per_operand)),
        Amount::Table(_) => "by table".to_string(),
    }
}

/// "message size 1", with the work of merges where there are any.
pub(crate) fn volumes(collective: &Collective, volumes: &Volumes) -> String {
    let size = format!("message size {}", amount(&volumes.size));
    match collective.operands() {
        Some(_) => format!("{size} · work of a merge {}", amount(&volumes.work)),
        None => size,
    }
}

/// The collective in words: "Scatter from Ps to 2 targets".
pub(crate) fn describe(platform: &Platform, collective: &Collective) -> String {
    match collective {
        Collective::Scatter { source, targets } => {
            format!("Scatter from {} to {}", name(platform, *source), plural(targets.len(), "target"))
        }
        Collective::Gather { target, participants } => {
            format!("Gather to {} from {}", name(platform, *target), plural(participants.len(), "sender"))
        }
        Collective::AllToAll { participants } => {
            format!("All-to-all between {}", plural(participants.len(), "participant"))
        }
        Collective::Reduce { target, participants, commutative } => {
            let values = plural(participants.len(), "value");
            format!(
                "{} to {} of {values}",
                if *commutative { "Commutative reduce" } else { "Reduce" },
                name(platform, *target)
            )
        }
        Collective::ReduceScatter { participants, commutative } => {
            let kind = if *commutative { "Commutative reduce-scatter" } else { "Reduce-scatter" };
            format!("{kind} between {}", plural(participants.len(), "participant"))
        }
    }
}

/// Width of a text in pixels, rather too large than too small: the fonts of readers differ.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// Advance width of a character in a wide sans-serif font.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | ' ' | '·' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 0.41,
        'm' | 'W' | '@' | '%' | '—' => 1.0,
        'w' | 'M' | '→' | '≈' | '×' | '+' | '<' | '>' | '=' | '&' | 'O' | 'Q' => 0.85,
        '\u{300}'..='\u{36f}' => 0.0,
        c if c.is_ascii_digit() => 0.64,
        c if c.is_ascii_uppercase() => 0.71,
        c if c.is_ascii() => 0.62,
        '\u{1100}'.. => 1.05,
        _ => 0.72,
    }
}

/// The name, or its two ends around "…" where it is wider than `room` pixels: names often differ in their last part.
pub(super) fn fit_name(name: &str, size: f64, room: f64) -> String {
    if width(name, size) <= room {
        return name.to_string();
    }
    let part = |chars: &mut dyn Iterator<Item = char>| -> Vec<char> {
        let mut left = (room - size) / 2.0;
        chars
            .take_while(|&c| {
                left -= em(c) * size;
                left >= 0.0
            })
            .collect()
    };
    let head: String = part(&mut name.chars()).into_iter().collect();
    let tail: String = part(&mut name.chars().rev()).into_iter().rev().collect();
    format!("{head}…{tail}")
}

/// The text, or its beginning and "…" where it is wider than `room` pixels.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut left = room - size;
    let head: String = text
        .chars()
        .take_while(|&c| {
            left -= em(c) * size;
            left >= 0.0
        })
        .collect();
    format!("{}…", head.trim_end())
}
