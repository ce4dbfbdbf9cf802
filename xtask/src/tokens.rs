//! `cargo xtask tokens`: the size of product code, whatever its formatting.
//!
//! Words, numbers and other characters of Rust files below `src`, one each; a string counts as three. Comments, white
//! space, items behind `#[cfg(test)]`, and programs outside of the product (tests, benches, papers, truth, xtask) do
//! not count. A quote between apostrophes is taken for the beginning of a string; figures are comparable all the same.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::workspace::{self, Source};

/// Folders that hold no product code.
const APART: [&str; 8] = [
    "target", "tests", "benches", "papers", "truth", "xtask", "testkit", "fuzz",
];
const TEST: &str = "#[cfg(test)]";

/// Prints the tokens of each crate, the largest first, and of all.
///
/// # Errors
/// The repository cannot be read.
pub fn run() -> Result<()> {
    let mut crates: Vec<(String, usize)> = count(&workspace::sources()?).into_iter().collect();
    crates.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    for (name, tokens) in &crates {
        println!("{tokens:>8} {name}");
    }
    println!(
        "{:>8} tokens of product code",
        crates.iter().map(|(_, tokens)| tokens).sum::<usize>()
    );
    Ok(())
}

/// Tokens by crate.
fn count(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut crates = BTreeMap::new();
    for source in sources.iter().filter(|source| is_product(&source.path)) {
        let name: Vec<&str> = source.path.splitn(3, '/').take(2).collect();
        *crates.entry(name.join("/")).or_default() += tokens(&product(bare(&source.text)));
    }
    crates
}

fn is_product(path: &str) -> bool {
    let below_src = path.split('/').rev().skip(1).any(|folder| folder == "src");
    let apart = path.split('/').any(|part| APART.contains(&part)) || path.ends_with("tests.rs");
    path.ends_with(".rs") && below_src && !apart
}

/// The text without comments, and with `"S"` for every string.
fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&letter) = chars.get(at) {
        match (letter, chars.get(at + 1)) {
            ('/', Some('/')) => at = find(&chars, at, &['\n']),
            ('/', Some('*')) => at = end_of_comment(&chars, at + 2),
            _ => match start_of_string(&chars, at) {
                Some((raw, hashes, start)) => {
                    at = if raw {
                        end_of_raw(&chars, start, hashes)
                    } else {
                        end_of_string(&chars, start)
                    };
                    out.push_str(" \"S\" ");
                }
                None => {
                    out.push(letter);
                    at += 1;
                }
            },
        }
    }
    out
}

/// Where a sequence of characters begins, or the end of the text.
fn find(chars: &[char], from: usize, wanted: &[char]) -> usize {
    let rest = chars.get(from..).unwrap_or_default();
    rest.windows(wanted.len())
        .position(|window| window == wanted)
        .map_or(chars.len(), |ahead| from + ahead)
}

fn end_of_comment(chars: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from, 1);
    while at < chars.len() && depth > 0 {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => depth += 1,
            ('*', Some('/')) => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    at
}

/// Whether a string is raw, its hashes, and where its text begins; `None` if none begins here.
fn start_of_string(chars: &[char], at: usize) -> Option<(bool, usize, usize)> {
    let in_word = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let prefix = match (chars[at], chars.get(at + 1)) {
        ('"', _) => return Some((false, 0, at + 1)),
        _ if at > 0 && in_word(&chars[at - 1]) => return None,
        ('b', Some('r')) => 2,
        ('r' | 'b', _) => 1,
        _ => return None,
    };
    let hashes = chars[at + prefix..]
        .iter()
        .take_while(|letter| **letter == '#')
        .count();
    let quote = at + prefix + hashes;
    (chars.get(quote) == Some(&'"')).then_some((chars[at + prefix - 1] == 'r', hashes, quote + 1))
}

fn end_of_raw(chars: &[char], from: usize, hashes: usize) -> usize {
    let mut close = vec!['#'; hashes + 1];
    close[0] = '"';
    (find(chars, from, &close) + close.len()).min(chars.len())
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The text without the items behind `#[cfg(test)]`: a line that ends in a semicolon, or what braces enclose.
fn product(mut text: String) -> String {
    while let Some(start) = text.find(TEST) {
        let after = &text[start + TEST.len()..];
        let (brace, semicolon) = (
            after.find('{').unwrap_or(after.len()),
            after.find(';').unwrap_or(after.len()),
        );
        let length = if semicolon < brace {
            semicolon + 1
        } else {
            brace + braces(&after[brace..])
        };
        text.replace_range(start..start + TEST.len() + length, "");
    }
    text
}

/// The length of what begins with a brace, up to the one that closes it.
fn braces(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_alphabetic() || letter == '_' {
            while letters
                .next_if(|next| next.is_ascii_alphanumeric() || *next == '_')
                .is_some()
            {}
        } else if letter.is_ascii_digit() {
            while letters
                .next_if(|next| next.is_alphanumeric() || ['_', '.'].contains(next))
                .is_some()
            {}
        }
        count += usize::from(!letter.is_whitespace());
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: usize) {
        assert_eq!(tokens(&product(bare(text))), expected, "{text}");
    }

    #[test]
    fn words_numbers_and_signs_count_one_each() {
        check("let a_1 = 2.5e3 + b;", 7);
        check("a::b  \n\n ->\tc", 7);
        check("", 0);
    }

    #[test]
    fn comments_do_not_count_and_strings_count_alike() {
        check("a // b c\n/* d /* e */ f */ g", 2);
        check(r#"a("x \" y")"#, 6);
        check(r##"r#"a " b"# b"c" br"\" bar "d""##, 13);
        check("\"open", 3);
    }

    #[test]
    fn tests_do_not_count() {
        check("a; #[cfg(test)] mod tests; b", 3);
        check("a #[cfg(test)]\nmod tests { fn a() { b } } c", 2);
        check("a #[cfg(test)] mod open { b", 1);
    }

    #[test]
    fn what_is_no_product_is_left_out() {
        let source = |path: &str| Source {
            path: path.to_string(),
            text: "a b".to_string(),
        };
        let paths = [
            "crates/a/src/lib.rs",
            "crates/a/src/b/c.rs",
            "doors/d/src/main.rs",
        ];
        let others = [
            "crates/a/src/tests.rs",
            "crates/a/tests/it/src/a.rs",
            "truth/src/a.rs",
            "crates/a/build.rs",
        ];
        let counted = count(
            &paths
                .iter()
                .chain(&others)
                .map(|path| source(path))
                .collect::<Vec<_>>(),
        );
        let expected = [("crates/a".to_string(), 4), ("doors/d".to_string(), 2)];
        assert_eq!(counted.into_iter().collect::<Vec<_>>(), expected);
    }
}
