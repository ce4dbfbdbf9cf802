//! Labels: numbers, names, widths of texts.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // widths in pixels

use std::collections::BTreeSet;

use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Collective, Goals, Interval, Kind, Member, Message, Pattern, Problem};
pub(crate) use oneport_platform::count as plural;
use oneport_platform::{
    Link, LinkId, Node, NodeId, Platform, Rational, decimal, parse_rational, readable,
};

/// Longest exact rational printed as a fraction.
const EXACT: usize = 12;

/// Digits of a float that are meant.
const DIGITS: usize = 15;

/// Groups named in a title.
const NAMED_GROUPS: usize = 3;

/// Longest exact rational printed if there is little room.
const TERSE: usize = 6;

/// An exact fraction when it is short, else a rounded number after "≈".
pub(crate) fn show(value: &Rational) -> String {
    readable(value, EXACT, 4)
}

/// Formats like [`show`], shorter.
pub(crate) fn terse(value: &Rational) -> String {
    readable(value, TERSE, 2)
}

/// The number that a float of a chart represents, without the noise of its last digit. `None` if it is not finite.
pub(crate) fn rational(value: f64) -> Option<Rational> {
    Rational::from_float(value).and_then(|value| parse_rational(&decimal(&value, DIGITS)).ok())
}

/// A rational as a float, for pixels only.
pub(crate) fn pixels(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(0.0)
}

/// `part / whole` as a float, for pixels only. 0 if `whole` is 0.
pub(crate) fn share(part: &Rational, whole: &Rational) -> f64 {
    if whole.is_zero() {
        0.0
    } else {
        pixels(&(part / whole))
    }
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

/// The part of a name before its first dot, slash or colon.
pub(crate) fn prefix(name: &str) -> Option<&str> {
    name.find(['.', '/', ':'])
        .and_then(|at| name.get(..at))
        .filter(|prefix| !prefix.is_empty())
}

/// `from → to`.
pub(crate) fn link_name(platform: &Platform, id: LinkId) -> String {
    match link(platform, id) {
        Some(link) => format!(
            "{} → {}",
            name(platform, link.from),
            name(platform, link.to)
        ),
        None => format!("link {id}"),
    }
}

/// Short names of the messages of one instance.
pub(crate) struct Messages<'a> {
    platform: &'a Platform,
    /// Per group: the number of its first demand, and its collective. A single collective is one group.
    groups: Vec<(usize, &'a Collective)>,
    grouped: bool,
}

impl<'a> Messages<'a> {
    pub(crate) fn new(platform: &'a Platform, collective: &'a Collective) -> Self {
        let members = collective.members();
        if members.is_empty() {
            return Messages {
                platform,
                groups: vec![(0, collective)],
                grouped: false,
            };
        }
        let mut first = 0_usize;
        let group = |member: &'a Member| {
            let start = first;
            first = first.saturating_add(member.collective.demands());
            (start, &member.collective)
        };
        Messages {
            platform,
            groups: members.iter().map(group).collect(),
            grouped: true,
        }
    }

    /// The group of a demand, the group's collective, and the demand's number there.
    fn find(&self, index: usize) -> Option<(usize, &'a Collective, usize)> {
        let group = self
            .groups
            .partition_point(|(first, _)| *first <= index)
            .checked_sub(1)?;
        let &(first, collective) = self.groups.get(group)?;
        Some((group, collective, index - first))
    }

    /// "m P0" if one end identifies it, "v[1,2]" for a partial result, else "A→B", and its group, counted from 1.
    pub(crate) fn label(&self, message: Message) -> String {
        let unknown = || format!("message {}", message.demand);
        let Some((group, collective, index)) = self.find(message.demand) else {
            return unknown();
        };
        let label =
            label_in(self.platform, collective, index, message.part).unwrap_or_else(unknown);
        if self.grouped {
            format!("{label} of group {}", group + 1)
        } else {
            label
        }
    }

    /// Whether the message's demand combines operands.
    pub(crate) fn combines(&self, message: Message) -> bool {
        let demand = self
            .find(message.demand)
            .and_then(|(_, collective, index)| collective.demand(index));
        demand.is_some_and(|demand| demand.kind().combines())
    }

    /// The label, then shorter forms of it for narrow boxes.
    pub(crate) fn short_label(&self, message: Message) -> Option<String> {
        let (_, collective, index) = self.find(message.demand)?;
        let demand = collective.demand(index)?;
        let name = |node| name(self.platform, node);
        match (demand.kind().combines(), demand.goals) {
            (true, _) => {
                let longer =
                    self.grouped || collective.demands() > 1 || demand.kind() == Kind::Prefix;
                longer.then(|| partial(message.part))
            }
            (false, Goals::At(target)) => match centre(collective) {
                Some("source") => Some(name(target)),
                Some(_) => Some(name(*demand.operands.first()?)),
                None => self
                    .grouped
                    .then(|| label_in(self.platform, collective, index, message.part))
                    .flatten(),
            },
            (false, _) => Some(format!("m {}", name(*demand.operands.first()?))),
        }
    }

    /// Messages of one category share a colour: each partial result of a single reduction has a colour. With many
    /// reductions, or groups, the partial results of a demand share one.
    pub(crate) fn category(&self, message: Message) -> usize {
        let combined = match self.groups.first() {
            Some((_, collective)) if !self.grouped && collective.demands() == 1 => collective
                .demand(0)
                .filter(|demand| demand.kind().combines())
                .map(|demand| demand.operands),
            _ => None,
        };
        let part = message.part;
        match combined {
            Some(operands) => {
                let (count, longer) = (operands.len(), part.operands().saturating_sub(1));
                // The single values first, then the pairs, and so on.
                let known = part.first <= part.last && part.last < count;
                if known {
                    longer * count - longer * longer.saturating_sub(1) / 2 + part.first
                } else {
                    0
                }
            }
            None => message.demand,
        }
    }

    /// The legend's text for the message's category.
    pub(crate) fn category_label(&self, message: Message) -> String {
        let Some((group, collective, index)) = self.find(message.demand) else {
            return self.label(message);
        };
        let several = collective.demands() > 1 && collective.combines();
        let values = match collective.demand(index).map(|demand| demand.goals) {
            Some(Goals::At(target)) if several => {
                format!("reduction to {}", name(self.platform, target))
            }
            None if several => format!("reduction to target {index}"),
            _ if self.grouped && self.combines(message) => {
                format!("values of the {}", collective.name())
            }
            _ => return self.label(message),
        };
        if self.grouped {
            format!("{values} of group {}", group + 1)
        } else {
            values
        }
    }
}

fn label_in(
    platform: &Platform,
    collective: &Collective,
    index: usize,
    part: Interval,
) -> Option<String> {
    let demand = collective.demand(index)?;
    let name = |node| name(platform, node);
    let source = *demand.operands.first()?;
    Some(match (demand.kind().combines(), demand.goals) {
        (true, Goals::At(target)) if collective.demands() > 1 => {
            format!("{}→{}", partial(part), name(target))
        }
        (true, Goals::Prefixes) if part.first == 0 && part.last > 0 => {
            format!("prefix {}", partial(part))
        }
        (true, _) => partial(part),
        (false, Goals::At(target)) => match centre(collective) {
            Some("source") => format!("m {}", name(target)),
            Some(_) => format!("m {}", name(source)),
            None => format!("{}→{}", name(source), name(target)),
        },
        (false, _) => format!("copies of {}'s message", name(source)),
    })
}

/// `v1`, or `v[1,2]`.
pub(crate) fn partial(part: Interval) -> String {
    if part.first == part.last {
        format!("v{}", part.first)
    } else {
        format!("v[{},{}]", part.first, part.last)
    }
}

/// Limit on the operands whose owners are named.
const NAMED_OPERANDS: usize = 48;

/// "v0 of a, v1 of b": the owners of the operands, in the one order of all patterns: each pattern's own, or that of the
/// participants.
pub(crate) fn owners<'p>(
    problem: &Problem,
    patterns: impl Iterator<Item = &'p Pattern>,
) -> Option<String> {
    let [block] = problem.collective().blocks()[..] else {
        return None;
    };
    let owners = block.operands();
    if !block.kind.combines() || !(1..=NAMED_OPERANDS).contains(&owners.len()) {
        return None;
    }
    let own: Vec<usize> = (0..owners.len()).collect();
    let orders: BTreeSet<&[usize]> = patterns
        .map(|pattern| pattern.order.as_deref().unwrap_or(&own))
        .collect();
    let order = orders.first().filter(|_| orders.len() == 1)?;
    let owner = |(index, &operand): (usize, &usize)| {
        Some(format!(
            "v{index} of {}",
            name(problem.platform(), *owners.get(operand)?)
        ))
    };
    let told: Option<Vec<String>> = order.iter().enumerate().map(owner).collect();
    Some(told?.join(", "))
}

/// The inputs of a merge.
pub(crate) fn inputs(part: Interval, split: usize) -> [Interval; 2] {
    part.split(split).into()
}

/// `v[0,2] of v0 and v[1,2]`.
pub(crate) fn merge(part: Interval, split: usize) -> String {
    let [left, right] = inputs(part, split);
    format!(
        "{} of {} and {}",
        partial(part),
        partial(left),
        partial(right)
    )
}

/// The role of the only node that plays it, as messages call it: "source" or "target". `None` if many nodes play each
/// role.
pub(crate) fn centre(collective: &Collective) -> Option<&'static str> {
    collective
        .form()?
        .roles
        .iter()
        .find(|role| !role.many)
        .map(|role| role.one)
}

/// Whether the only node of a role is in the list of the others, too.
pub(crate) fn owns_too(collective: &Collective) -> bool {
    matches!(collective.cast()[..], [&[centre], list] if list.contains(&centre))
}

/// The collective in words: "Scatter from Ps to 2 targets".
pub(crate) fn describe(problem: &Problem) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let Some(form) = collective.form() else {
        return listed(collective);
    };
    let commutative = if form.may_keep_order() && collective.is_commutative() {
        "commutative "
    } else {
        ""
    };
    let mut text = format!("{commutative}{}", form.name);
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    // Values if they are combined into one result.
    let values = form.combines && collective.demands() == 1;
    let alone = centre(collective);
    for (role, nodes) in form.roles.iter().zip(collective.cast()) {
        let count = nodes.len();
        text += &match (role.key, nodes) {
            ("source", &[node]) => format!(" from {}", name(platform, node)),
            ("target", &[node]) => format!(" to {}", name(platform, node)),
            (_, _) if role.key == "targets" => format!(" to {}", plural(count, "target")),
            (_, _) if values => format!(" of {}", plural(count, "value")),
            (_, _) if alone.is_some() => format!(" from {}", plural(count, "sender")),
            (_, _) => format!(" between {}", plural(count, role.one)),
        };
    }
    text
}

/// Groups or custom demands in words.
fn listed(collective: &Collective) -> String {
    let members = collective.members();
    if members.is_empty() {
        return format!(
            "Custom collective of {}",
            plural(collective.demands(), "demand")
        );
    }
    let mut names: Vec<String> = members.iter().take(NAMED_GROUPS).map(member).collect();
    if members.len() > NAMED_GROUPS {
        names.push(format!("{} more", members.len() - NAMED_GROUPS));
    }
    format!("{}: {}", plural(members.len(), "group"), names.join(", "))
}

/// ", group 2" for a demand of a list of groups, otherwise empty.
pub(crate) fn group_of(collective: &Collective, number: usize) -> String {
    if !collective.custom().is_empty() {
        return format!(", demand {number}");
    }
    let mut first = 0_usize;
    let group = collective.members().iter().position(|member| {
        first = first.saturating_add(member.collective.demands());
        number < first
    });
    group
        .map(|group| format!(", group {}", group + 1))
        .unwrap_or_default()
}

/// "broadcast among 4 ×2".
fn member(Member { collective, rate }: &Member) -> String {
    let nodes: BTreeSet<NodeId> = collective.cast().into_iter().flatten().copied().collect();
    let nodes = nodes.len();
    let often = if *rate == 1 {
        String::new()
    } else {
        format!(" ×{rate}")
    };
    format!("{} among {nodes}{often}", collective.name())
}

/// Upper estimate of the width of a text in pixels: the fonts of readers differ.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// Width of the widest text. 0 without any.
pub(crate) fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, size: f64) -> f64 {
    let widths = texts.into_iter().map(|text| width(text.as_ref(), size));
    widths.fold(0.0, f64::max)
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

/// The name, shortened if it is wider than `room` pixels. Names often differ in their last part, so the parts before it
/// become initials first (`g0.r1.host3`). Then the middle becomes "…", with most of the room for the end.
pub(crate) fn fit_name(name: &str, size: f64, room: f64) -> String {
    if width(name, size) <= room {
        return name.to_string();
    }
    let mut parts: Vec<String> = name.split('.').map(str::to_string).collect();
    for index in 0..parts.len().saturating_sub(1) {
        if let Some(part) = parts.get_mut(index) {
            *part = initial(part);
        }
        let shorter = parts.join(".");
        if width(&shorter, size) <= room {
            return shorter;
        }
    }
    let name = parts.join(".");
    let part = |chars: &mut dyn Iterator<Item = char>, mut left: f64| -> Vec<char> {
        chars
            .take_while(|&c| {
                left -= em(c) * size;
                left >= 0.0
            })
            .collect()
    };
    let room = room - size;
    let head: String = part(&mut name.chars(), 0.4 * room).into_iter().collect();
    let tail: String = part(&mut name.chars().rev(), 0.6 * room)
        .into_iter()
        .rev()
        .collect();
    format!("{head}…{tail}")
}

/// "g0" of "group0", "par" of "paris".
fn initial(part: &str) -> String {
    let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return part.chars().take(3).collect();
    }
    part.chars()
        .take(1)
        .filter(|c| !c.is_ascii_digit())
        .chain(digits.chars())
        .collect()
}

/// The text in lines at most `room` wide, broken at spaces, or inside a word that is too long.
pub(crate) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(broken(word, size, room)),
        }
    }
    lines
}

/// A word in pieces no wider than `room`.
fn broken(word: &str, size: f64, room: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut left = room;
    for c in word.chars() {
        let own = em(c) * size;
        if own > left && pieces.last().is_some_and(|piece| !piece.is_empty()) {
            pieces.push(String::new());
            left = room;
        }
        left -= own;
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

/// The text, or its beginning and "…" if it is wider than `room` pixels.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> String {
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
