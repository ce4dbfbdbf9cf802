//! A source file that holds all its mutants: each function chooses its body.

use std::collections::BTreeMap;
use std::ops::Range;

use super::list::{Mutant, Position};
use crate::lexer::code_lines;

/// Added to a crate with mutants: the number of the chosen mutant, and, if a file is named for it, the functions
/// reached (each by the number of its first mutant).
pub const CHOICE: &str = r#"
pub(crate) fn mutant_chosen(function: usize) -> usize {
    use std::collections::BTreeSet;
    use std::io::Write;
    use std::sync::{LazyLock, Mutex};
    static CHOSEN: LazyLock<usize> =
        LazyLock::new(|| std::env::var("XTASK_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    static REACHED: LazyLock<Option<Mutex<(std::fs::File, BTreeSet<usize>)>>> = LazyLock::new(|| {
        let path = std::env::var_os("XTASK_MUTANT_REACHED")?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        Some(Mutex::new((file, BTreeSet::new())))
    });
    if let Some(reached) = &*REACHED {
        let mut reached = reached.lock().unwrap();
        if reached.1.insert(function) {
            writeln!(reached.0, "{function}").unwrap();
        }
    }
    *CHOSEN
}
"#;

/// A file with its mutants.
pub struct Schema {
    /// The new text.
    pub text: String,
    /// For each mutant that it holds: number, number of its function, and lines counted from 1.
    pub arms: Vec<Arm>,
    /// Numbers of the mutants that no function can choose: in constants, `const fn`, functions that return
    /// `impl Trait`.
    pub untried: Vec<usize>,
}

/// The position of a mutant.
#[derive(Debug, PartialEq, Eq)]
pub struct Arm {
    pub id: usize,
    /// Number that the function reports when reached.
    pub function: usize,
    pub lines: Range<usize>,
}

/// Puts the mutants into their file.
pub fn schema(text: &str, mutants: &[&Mutant]) -> Schema {
    let source = Source::new(text);
    let mut schema = Schema {
        text: String::new(),
        arms: Vec::new(),
        untried: Vec::new(),
    };
    let mut functions: BTreeMap<usize, (usize, Vec<&Mutant>)> = BTreeMap::new();
    for mutant in mutants {
        match source.function(mutant) {
            Some(range) => functions
                .entry(range.start)
                .or_insert((range.end, Vec::new()))
                .1
                .push(mutant),
            None => schema.untried.push(mutant.id),
        }
    }
    let mut done = 0;
    for (body, (end, mutants)) in merged(functions) {
        schema.text.extend(&source.chars[done..body]);
        schema.function(&source, body..end, &mutants);
        done = end;
    }
    schema.text.extend(&source.chars[done..]);
    schema
}

/// A function within another function is a part of that one's body.
fn merged(
    functions: BTreeMap<usize, (usize, Vec<&Mutant>)>,
) -> Vec<(usize, (usize, Vec<&Mutant>))> {
    let mut merged: Vec<(usize, (usize, Vec<&Mutant>))> = Vec::new();
    for (start, (end, mutants)) in functions {
        match merged.last_mut() {
            Some((_, (outer, all))) if start < *outer => all.extend(mutants),
            _ => merged.push((start, (end, mutants))),
        }
    }
    merged
}

impl Schema {
    /// Writes a body that chooses.
    fn function(&mut self, source: &Source, body: Range<usize>, mutants: &[&Mutant]) {
        let function = mutants[0].id;
        self.text += &format!("match crate::mutant_chosen({function}) {{\n");
        for mutant in mutants {
            let start = self.line();
            let (from, to) = (source.at(mutant.span.0), source.at(mutant.span.1));
            self.text += &format!("{} => {{", mutant.id);
            self.text.extend(&source.chars[body.start..from]);
            self.text.push_str(&mutant.replacement);
            self.text.push(' ');
            self.text.extend(&source.chars[to..body.end]);
            self.text += "}\n";
            self.arms.push(Arm {
                id: mutant.id,
                function,
                lines: start..self.line(),
            });
        }
        self.text += "_ => {";
        self.text.extend(&source.chars[body]);
        self.text += "}\n}";
    }

    /// The current line, from 1.
    fn line(&self) -> usize {
        self.text.matches('\n').count() + 1
    }
}

/// A file as characters.
struct Source {
    chars: Vec<char>,
    /// The text with comments and strings blanked.
    code: Vec<char>,
    /// Start of each line.
    lines: Vec<usize>,
}

impl Source {
    fn new(text: &str) -> Source {
        let chars: Vec<char> = text.chars().collect();
        let after = chars
            .iter()
            .enumerate()
            .filter(|(_, c)| **c == '\n')
            .map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(after).collect();
        Source {
            code: code_lines(text).join("\n").chars().collect(),
            chars,
            lines,
        }
    }

    fn at(&self, (line, column): Position) -> usize {
        self.lines[line - 1] + column - 1
    }

    /// The inside of the braces of the mutant's function, if that can choose.
    fn function(&self, mutant: &Mutant) -> Option<Range<usize>> {
        let (start, end) = mutant.function?;
        let (start, end) = (self.at(start), self.at(end) - 1);
        let mut depth = 0;
        let open = (start..end).find(|at| {
            match self.code[*at] {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            depth == 0 && self.code[*at] == '{'
        })?;
        let signature: String = self.code[start..open].iter().collect();
        (!mutant.opaque && !signature.contains("const fn")).then_some(open + 1..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const A: u8 = 1 + 2;\n/// {\nfn a(b: [u8; 2]) -> u8 {\n    b[0] + 1\n}\nconst fn c() -> u8 {\n    1\n}\n";

    fn mutant(
        id: usize,
        function: Option<(Position, Position)>,
        span: (Position, Position),
        replacement: &str,
    ) -> Mutant {
        let (name, file) = (String::new(), String::new());
        Mutant {
            id,
            name,
            file,
            function,
            opaque: false,
            span,
            replacement: replacement.to_string(),
        }
    }

    #[test]
    fn a_function_chooses_its_body() {
        let a = Some(((2, 1), (5, 2)));
        let sum = mutant(4, a, ((4, 10), (4, 11)), "-");
        let all = mutant(5, a, ((4, 5), (4, 13)), "0");
        let constant = mutant(1, None, ((1, 17), (1, 18)), "-");
        let constant_function = mutant(6, Some(((6, 1), (8, 2))), ((7, 5), (7, 6)), "0");
        let schema = schema(TEXT, &[&constant, &sum, &all, &constant_function]);
        let expected = "const A: u8 = 1 + 2;\n/// {\nfn a(b: [u8; 2]) -> u8 {match crate::mutant_chosen(4) {\n\
                        4 => {\n    b[0] -  1\n}\n5 => {\n    0 \n}\n_ => {\n    b[0] + 1\n}\n}}\n\
                        const fn c() -> u8 {\n    1\n}\n";
        assert_eq!(schema.text, expected);
        let arm = |id, lines| Arm {
            id,
            function: 4,
            lines,
        };
        assert_eq!(schema.arms, [arm(4, 4..7), arm(5, 7..10)]);
        assert_eq!(schema.untried, [1, 6]);
    }

    #[test]
    fn a_function_within_a_function_is_part_of_its_body() {
        let text = "fn a() -> u8 {\n    fn b() -> u8 {\n        1 + 1\n    }\n    b() + 1\n}\n";
        let inner = mutant(1, Some(((2, 5), (4, 6))), ((3, 11), (3, 12)), "-");
        let outer = mutant(2, Some(((1, 1), (6, 2))), ((5, 9), (5, 10)), "*");
        let schema = schema(text, &[&inner, &outer]);
        assert_eq!(schema.text.matches("mutant_chosen").count(), 1);
        assert_eq!(schema.text.matches("1 -  1").count(), 1);
        assert_eq!(schema.text.matches("b() *  1").count(), 1);
    }
}
