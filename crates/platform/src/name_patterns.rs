//! Patterns of names: `box*.gpu0`, `gpu0..7`, and lists of hosts as Slurm writes them, `cn[001-004,9]`.

use std::collections::BTreeSet;

use crate::{NodeId, Platform};

/// Limit: characters of a pattern, and most spans in it.
const LONGEST: usize = 2000;
/// Limit: digits of a number in a pattern.
const DIGITS: usize = 15;

/// A pattern of names. `*` stands for any letters or none, `4..7` for a number of this range, `[001-004,9]` for one of
/// these numbers, with as many digits at least as the first of a range has.
///
/// ```
/// use oneport_platform::Pattern;
/// let pattern = Pattern::parse("rack0..3.cn[001-004,9]")?;
/// assert!(pattern.matches("rack2.cn003") && pattern.matches("rack0.cn9"));
/// assert!(!pattern.matches("rack2.cn3") && !pattern.matches("rack4.cn003"));
/// # Ok::<(), oneport_platform::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    tokens: Vec<Token>,
}

/// Why a pattern has no nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A bracket without its counterpart, or without numbers.
    #[error("'{pattern}' is no pattern; write box*.gpu0, gpu0..7 or cn[001-004,9]")]
    Unreadable {
        /// The pattern, shortened.
        pattern: String,
    },
    /// Some of the names that the pattern lists.
    #[error("'{pattern}' has names that the platform has not, such as '{missing}'")]
    Missing {
        /// The pattern, shortened.
        pattern: String,
        /// The first of these names.
        missing: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    Any,
    Number(Vec<Span>),
}

/// Numbers from `first` to `last`, with at least `width` digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    first: u64,
    last: u64,
    width: usize,
}

impl Pattern {
    /// Reads a pattern. A name without special letters is one, too.
    ///
    /// # Errors
    /// A bracket without its counterpart, or with anything but numbers and ranges in it, or more than 2000 characters.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        let unreadable = || PatternError::Unreadable {
            pattern: short(text),
        };
        if text.len() > LONGEST {
            return Err(unreadable());
        }
        let mut tokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (token, behind) = next(rest).ok_or_else(unreadable)?;
            match (tokens.last_mut(), token) {
                (Some(Token::Text(text)), Token::Text(more)) => text.push_str(&more),
                (Some(Token::Any), Token::Any) => {}
                (_, token) => tokens.push(token),
            }
            rest = behind;
        }
        Ok(Pattern { tokens })
    }

    /// Whether it holds a `*`, and so leaves open which names there are.
    pub fn is_open(&self) -> bool {
        self.tokens.contains(&Token::Any)
    }

    /// Whether it is the whole of this name.
    pub fn matches(&self, name: &str) -> bool {
        self.choices(name).is_some()
    }

    /// The nodes whose name, or else whose alias, it is: in the order of its numbers, the first number first, then in
    /// that of the platform. Empty if none matches.
    ///
    /// # Errors
    /// If numbers are listed, some of them without a node.
    ///
    /// # Complexity
    /// `O(n p)` for names of `n` letters together and a pattern of `p`. Numbers that no node has take no time.
    pub fn nodes(&self, platform: &Platform) -> Result<Vec<NodeId>, PatternError> {
        let found = |id: NodeId| {
            let node = platform.node(id);
            let aliased = || self.choices(node.alias.as_deref()?);
            Some((self.choices(&node.name).or_else(aliased)?, id))
        };
        let mut found: Vec<(Vec<u64>, NodeId)> = platform.node_ids().filter_map(found).collect();
        found.sort();
        let choices: BTreeSet<&Vec<u64>> = found.iter().map(|(choices, _)| choices).collect();
        match self.absent(&choices) {
            Some(missing) if !found.is_empty() => Err(PatternError::Missing {
                pattern: short(&self.text()),
                missing,
            }),
            _ => Ok(found.into_iter().map(|(_, id)| id).collect()),
        }
    }

    /// Returns the [`nodes`](Self::nodes) of the pattern. If it is open, only nodes that may own or receive data: the
    /// processors, or, on a platform without processors, the nodes that replicate.
    ///
    /// # Errors
    /// The errors of [`nodes`](Self::nodes).
    pub fn participants(&self, platform: &Platform) -> Result<Vec<NodeId>, PatternError> {
        let mut nodes = self.nodes(platform)?;
        if self.is_open() {
            let may = platform.participants();
            nodes.retain(|node| may.binary_search(node).is_ok());
        }
        Ok(nodes)
    }

    /// The first listed name that is not found.
    fn absent(&self, found: &BTreeSet<&Vec<u64>>) -> Option<String> {
        let sizes: Vec<u64> = self
            .spans()
            .map(|spans| spans.iter().map(Span::len).sum())
            .collect();
        let mut choices = vec![0; sizes.len()];
        // One more than there are found ones are looked at, at most.
        while found.contains(&choices) {
            let next = choices
                .iter()
                .zip(&sizes)
                .rposition(|(index, size)| index + 1 < *size)?;
            choices[next] += 1;
            choices[next + 1..].fill(0);
        }
        Some(self.at(&choices))
    }

    fn spans(&self) -> impl Iterator<Item = &Vec<Span>> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Number(spans) => Some(spans),
            _ => None,
        })
    }

    /// The name with these of its numbers.
    fn at(&self, choices: &[u64]) -> String {
        let mut choices = choices.iter();
        let mut name = String::new();
        for token in &self.tokens {
            match token {
                Token::Text(text) => name.push_str(text),
                Token::Any => name.push('*'),
                Token::Number(spans) => {
                    let mut index = choices.next().copied().unwrap_or(0);
                    for span in spans {
                        if index < span.len() {
                            let number = span.first + index;
                            name.push_str(&format!("{number:0width$}", width = span.width));
                            break;
                        }
                        index -= span.len();
                    }
                }
            }
        }
        name
    }

    fn text(&self) -> String {
        let span = |span: &Span| {
            let number = |number: u64| format!("{number:0width$}", width = span.width);
            if span.first == span.last {
                number(span.first)
            } else {
                format!("{}-{}", number(span.first), number(span.last))
            }
        };
        let token = |token: &Token| match token {
            Token::Text(text) => text.clone(),
            Token::Any => "*".to_string(),
            Token::Number(spans) => {
                format!("[{}]", spans.iter().map(span).collect::<Vec<_>>().join(","))
            }
        };
        self.tokens.iter().map(token).collect()
    }

    /// Which of its numbers the name has. `None` if it does not match.
    fn choices(&self, name: &str) -> Option<Vec<u64>> {
        let mut choices = Vec::new();
        let mut failed = BTreeSet::new();
        self.rest(0, name, &mut choices, &mut failed)
            .then_some(choices)
    }

    /// Whether the tokens from `at` on are the whole of `name`. `failed` are the pairs that are known not to be.
    fn rest(
        &self,
        at: usize,
        name: &str,
        choices: &mut Vec<u64>,
        failed: &mut BTreeSet<(usize, usize)>,
    ) -> bool {
        let Some(token) = self.tokens.get(at) else {
            return name.is_empty();
        };
        if failed.contains(&(at, name.len())) {
            return false;
        }
        let found = match token {
            Token::Text(text) => name
                .strip_prefix(text.as_str())
                .is_some_and(|name| self.rest(at + 1, name, choices, failed)),
            Token::Any => {
                let ends = name.char_indices().map(|(end, _)| end).chain([name.len()]);
                ends.into_iter()
                    .any(|end| self.rest(at + 1, &name[end..], choices, failed))
            }
            Token::Number(spans) => {
                let digits = name.bytes().take_while(u8::is_ascii_digit).count();
                (1..=digits.min(DIGITS)).any(|end| {
                    let (number, behind) = name.split_at(end);
                    let Some(index) = index_in(spans, number) else {
                        return false;
                    };
                    choices.push(index);
                    let found = self.rest(at + 1, behind, choices, failed);
                    if !found {
                        choices.pop();
                    }
                    found
                })
            }
        };
        if !found {
            failed.insert((at, name.len()));
        }
        found
    }
}

impl Span {
    fn len(&self) -> u64 {
        self.last - self.first + 1
    }
}

/// The index of a number, as it is written, among those of all spans.
fn index_in(spans: &[Span], number: &str) -> Option<u64> {
    let value: u64 = number.parse().ok()?;
    let mut before = 0;
    for span in spans {
        let written = (span.first..=span.last).contains(&value)
            && format!("{value:0width$}", width = span.width) == number;
        if written {
            return Some(before + value - span.first);
        }
        before += span.len();
    }
    None
}

/// The first token of a text, and the rest.
fn next(text: &str) -> Option<(Token, &str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((Token::Any, rest));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, behind) = rest.split_once(']')?;
        let span = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            span(first.trim(), last.trim())
        };
        let spans = inside.split(',').map(span).collect::<Option<Vec<_>>>()?;
        return Some((Token::Number(spans), behind));
    }
    if text.starts_with(']') {
        return None;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    if first == 0 {
        let end = text.find(|c: char| "*[]".contains(c) || c.is_ascii_digit());
        let (plain, behind) = text.split_at(end.unwrap_or(text.len()));
        return Some((Token::Text(plain.to_string()), behind));
    }
    let (number, behind) = text.split_at(first);
    if let Some(after) = behind.strip_prefix("..")
        && let (last, rest) = after.split_at(digits(after))
        && let Some(span) = span(number, last)
    {
        return Some((Token::Number(vec![span]), rest));
    }
    Some((Token::Text(number.to_string()), behind))
}

fn span(first: &str, last: &str) -> Option<Span> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (digits && text.len() <= DIGITS).then(|| text.parse::<u64>().ok())?
    };
    let width = first.len();
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(Span { first, last, width })
}

fn short(text: &str) -> String {
    text.chars().take(60).flat_map(char::escape_debug).collect()
}

/// The parts of a list between commas. Commas in brackets belong to a part.
pub fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    list.split(move |letter: char| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, PlatformError};

    fn platform(names: &[&str]) -> Result<Platform, PlatformError> {
        let mut builder = Platform::builder();
        for name in names {
            builder.node(Node::router(*name))?;
        }
        builder.build()
    }

    fn found(pattern: &str, platform: &Platform) -> Result<String, PatternError> {
        let nodes = Pattern::parse(pattern)?.nodes(platform)?;
        let names: Vec<&str> = nodes.iter().map(|&node| platform.name(node)).collect();
        Ok(names.join(" "))
    }

    #[test]
    fn names_come_in_the_order_of_the_numbers() -> Result<(), Box<dyn std::error::Error>> {
        let names = [
            "box1.gpu0",
            "box1.gpu1",
            "box0.gpu1",
            "box0.gpu0",
            "cn008",
            "cn009",
            "cn10",
        ];
        let platform = platform(&names)?;
        for (pattern, expected) in [
            ("box0..1.gpu0..1", "box0.gpu0 box0.gpu1 box1.gpu0 box1.gpu1"),
            ("box[1,0].gpu1", "box1.gpu1 box0.gpu1"),
            ("box0.*", "box0.gpu1 box0.gpu0"),
            ("*gpu[0]", "box1.gpu0 box0.gpu0"),
            ("cn[008-009]", "cn008 cn009"),
            ("cn008..009", "cn008 cn009"),
            ("cn[10,008]", "cn10 cn008"),
            ("*0*", "box1.gpu0 box0.gpu1 box0.gpu0 cn008 cn009 cn10"),
            ("box1.gpu1", "box1.gpu1"),
            ("cn7", ""),
            ("x[0-9]", ""),
        ] {
            assert_eq!(found(pattern, &platform)?, expected, "{pattern}");
        }
        for (pattern, missing) in [
            ("cn[008-010]", "cn010"),
            ("cn[8-10]", "cn8"),
            ("box[0-1].gpu[0-99999999999]", "box0.gpu2"),
            ("box0..2.*", "box2.*"),
        ] {
            let error = found(pattern, &platform).expect_err(pattern).to_string();
            assert!(error.contains(&format!("'{missing}'")), "{error}");
        }
        for pattern in ["cn[", "cn]", "cn[a]", "cn[2-1]", "cn[]", "cn[1-]"] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
        Ok(())
    }

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "a", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*b*", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("*bc*c", "abc", false),
            ("r*.h*", "rack1.host2", true),
            ("**", "x", true),
        ] {
            let matched = Pattern::parse(pattern).is_ok_and(|it| it.matches(name));
            assert_eq!(matched, expected, "{pattern} {name}");
        }
    }

    /// A pattern of stars is matched in polynomial time.
    #[test]
    fn many_stars_take_no_time() {
        let pattern = Pattern::parse(&"a*".repeat(60)).expect("a pattern");
        assert!(!pattern.matches(&format!("{}b!", "a".repeat(59))));
        assert!(pattern.matches(&"a".repeat(200)));
    }

    #[test]
    fn commas_in_brackets_part_nothing() {
        let list: Vec<&str> = parts("a,cn[1,2],b[3").collect();
        assert_eq!(list, ["a", "cn[1,2]", "b[3"]);
    }
}
