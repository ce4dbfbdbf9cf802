//! Reads which names a Rust file takes from elsewhere, without its tests: `use` declarations, and paths in the code.

use std::collections::BTreeSet;

use crate::lexer::code_lines;

/// Words that are followed by the name of an item.
const ITEMS: [&str; 10] = [
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "const",
    "static",
    "type",
    "mod",
    "macro_rules",
];

/// One name taken in by `use`.
#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    /// Its path, as written: `super`, `child`, `Name`. That of a glob is the path before the `*`.
    pub path: Vec<String>,
    /// Its name here; `*` for a glob.
    pub name: String,
    /// Whether others can take it from here: `pub use`, with or without a restriction.
    pub exported: bool,
    /// Line, counted from 1.
    pub line: usize,
}

/// Imports and items of a file, without tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Child modules in separate files.
    pub children: BTreeSet<String>,
    /// Items declared here.
    pub items: BTreeSet<String>,
    /// Names taken in by `use`.
    pub imports: Vec<Import>,
    /// Paths of two and more words in the code, with their lines counted from 1.
    pub paths: Vec<(Vec<String>, usize)>,
}

/// A word, `::`, or any other character.
struct Token {
    text: String,
    line: usize,
}

impl File {
    /// Reads a file.
    pub fn read(text: &str) -> File {
        let tokens = without_tests(tokens(text));
        let mut file = File::default();
        let mut at = 0;
        while at < tokens.len() {
            at = file.take(&tokens, at);
        }
        file
    }

    /// Reads the item that begins at a token. Returns the index of the next.
    fn take(&mut self, tokens: &[Token], at: usize) -> usize {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let before = at.checked_sub(1).map_or("", word);
        match word(at) {
            "use" => {
                let exported = before == "pub" || before == ")";
                return self.declaration(tokens, at + 1, &[], exported) + 1;
            }
            "mod" if word(at + 2) == ";" => {
                self.children.insert(word(at + 1).to_string());
                return at + 3;
            }
            item if ITEMS.contains(&item) => {
                let name = if word(at + 1) == "!" { at + 2 } else { at + 1 };
                self.items.insert(word(name).to_string());
                return at + 1;
            }
            _ => {}
        }
        if !is_word(word(at)) || before == "::" || word(at + 1) != "::" {
            return at + 1;
        }
        let mut path = vec![word(at).to_string()];
        let mut end = at + 1;
        while word(end) == "::" && is_word(word(end + 1)) {
            path.push(word(end + 1).to_string());
            end += 2;
        }
        if path.len() > 1 {
            self.paths.push((path, tokens[at].line));
        }
        end
    }

    /// Reads one tree of a `use` declaration. Returns its end.
    fn declaration(
        &mut self,
        tokens: &[Token],
        from: usize,
        prefix: &[String],
        exported: bool,
    ) -> usize {
        let word = |at: usize| tokens.get(at).map_or(";", |token| token.text.as_str());
        let mut path = prefix.to_vec();
        let mut at = from;
        loop {
            match word(at) {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while !["}", ";"].contains(&word(at)) {
                        at = self.declaration(tokens, at, &path, exported);
                        at += usize::from(word(at) == ",");
                    }
                    return at + 1;
                }
                "*" => {
                    self.imports.push(Import {
                        path,
                        name: "*".to_string(),
                        exported,
                        line: tokens[at].line,
                    });
                    return at + 1;
                }
                "self" if !path.is_empty() => at += 1,
                text if is_word(text) && text != "as" => {
                    path.push(text.to_string());
                    at += 1;
                }
                _ => break,
            }
        }
        let line = tokens.get(from).map_or(0, |token| token.line);
        let renamed = word(at) == "as";
        let name = if renamed {
            Some(word(at + 1).to_string())
        } else {
            path.last().cloned()
        };
        if let Some(name) = name {
            self.imports.push(Import {
                path,
                name,
                exported,
                line,
            });
        }
        if renamed { at + 2 } else { at }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (number, line) in code_lines(text).into_iter().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let length = match first {
                _ if in_word(first) => rest.find(|letter| !in_word(letter)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            tokens.push(Token {
                text: rest[..length].to_string(),
                line: number + 1,
            });
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Leaves out the items after `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let is_test = |at: usize| {
        TEST.iter().enumerate().all(|(ahead, text)| {
            tokens
                .get(at + ahead)
                .is_some_and(|token| token.text == *text)
        })
    };
    let mut kept = vec![true; tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        if !is_test(at) {
            at += 1;
            continue;
        }
        let end = end_of_item(&tokens, at + TEST.len());
        kept[at..end].fill(false);
        at = end;
    }
    tokens
        .into_iter()
        .zip(kept)
        .filter(|(_, kept)| *kept)
        .map(|(token, _)| token)
        .collect()
}

/// Behind the `;` or the closing brace of the item that begins at a token.
fn end_of_item(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = [";", "}"].contains(&token.text.as_str());
        if ends && depth == 0 {
            // The braces of `use a::{b, c};` are followed by its semicolon.
            let further = tokens.get(at + 1).is_some_and(|next| next.text == ";");
            return at + 1 + usize::from(further);
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split("::").map(str::to_string).collect()
    }

    #[track_caller]
    fn check_imports(text: &str, expected: &[(&str, &str, bool)]) {
        let imports = File::read(text).imports;
        let found: Vec<_> = imports
            .iter()
            .map(|one| (one.path.join("::"), one.name.as_str(), one.exported))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(path, name, exported)| (path.to_string(), name, exported))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn declarations_are_read_as_trees() {
        check_imports("use crate::a::B;", &[("crate::a::B", "B", false)]);
        check_imports(
            "pub(crate) use super::{a::{self, B as C}, d};",
            &[
                ("super::a", "a", true),
                ("super::a::B", "C", true),
                ("super::d", "d", true),
            ],
        );
        check_imports(
            "use a::*; pub use b::c;",
            &[("a", "*", false), ("b::c", "c", true)],
        );
        check_imports(
            "// use a::b;\nfn f() { use c::d; }",
            &[("c::d", "d", false)],
        );
    }

    #[test]
    fn paths_children_and_items_are_read() {
        let file = File::read(
            "mod a;\npub mod b;\nstruct C;\nfn d(x: u8) { crate::e::f::<u8>(a::G::new()); x.h() }",
        );
        assert_eq!(file.children.iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(file.items.iter().collect::<Vec<_>>(), ["C", "d"]);
        assert_eq!(
            file.paths,
            [(words("crate::e::f"), 4), (words("a::G::new"), 4)]
        );
    }

    #[test]
    fn tests_are_left_out() {
        for test in [
            "mod tests;",
            "mod tests { use a::b; fn c() { d::e(); } }",
            "use a::{b, c};",
            "const A: [u8; 2] = [b::C; 2];",
        ] {
            let file = File::read(&format!(
                "#[cfg(test)]\n#[allow(unused)]\n{test}\nuse x::y;"
            ));
            assert_eq!(file.imports.len(), 1, "{test}: {file:?}");
            assert_eq!(
                (file.imports[0].line, file.paths.len(), file.children.len()),
                (4, 0, 0),
                "{test}"
            );
        }
    }

    #[test]
    fn unfinished_text_ends() {
        for text in [
            "use",
            "use a::{",
            "use a as",
            "mod",
            "fn",
            "#[cfg(test)]",
            "a::",
            "use {{",
        ] {
            File::read(text);
        }
    }
}
