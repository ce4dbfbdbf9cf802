//! Rust source with everything blanked that is not code: comments, and the contents of strings and characters.

/// The code of each line. Blanked characters become spaces, so that line numbers stand and words stay apart.
pub fn code_lines(text: &str) -> Vec<String> {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        at: 0,
        code: String::with_capacity(text.len()),
    };
    while lexer.at < lexer.chars.len() {
        lexer.next();
    }
    lexer.code.lines().map(str::to_string).collect()
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    code: String,
}

impl Lexer {
    fn next(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (Some('/'), Some('/')) => self.blank_while(|lexer| lexer.peek(0) != Some('\n')),
            (Some('/'), Some('*')) => self.block_comment(),
            (Some('"'), _) => self.string(),
            (Some('\''), _) => self.quote(),
            (Some('r'), Some('"' | '#')) if self.raw_hashes().is_some() => self.raw_string(),
            _ => self.keep(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        self.code.extend(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self) {
        let blank = if self.peek(0) == Some('\n') {
            '\n'
        } else {
            ' '
        };
        self.code.push(blank);
        self.at += 1;
    }

    fn blank_while(&mut self, more: impl Fn(&Lexer) -> bool) {
        while self.at < self.chars.len() && more(self) {
            self.blank();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.blank();
                    continue;
                }
            }
            self.blank();
            self.blank();
            if depth == 0 {
                return;
            }
        }
    }

    /// Keeps the quotes and blanks the text between them, minding `\"`.
    fn string(&mut self) {
        self.keep();
        while let Some(c) = self.peek(0) {
            match c {
                '"' => return self.keep(),
                '\\' => {
                    self.blank();
                    self.blank_while_one();
                }
                _ => self.blank(),
            }
        }
    }

    fn blank_while_one(&mut self) {
        if self.at < self.chars.len() {
            self.blank();
        }
    }

    /// A character (`'a'`, `'\n'`, `'\''`) is blanked. A lifetime or label (`'a`) stays.
    fn quote(&mut self) {
        self.keep();
        if self.peek(0) == Some('\\') {
            self.blank();
            self.blank_while_one();
            self.blank_while(|lexer| lexer.peek(0) != Some('\''));
        } else if self.peek(1) == Some('\'') {
            self.blank();
        } else {
            return;
        }
        if self.at < self.chars.len() {
            self.keep();
        }
    }

    /// How many `#` follow, if a raw string starts here (`r"`, `br#"`, ...) and not a name that ends in r.
    fn raw_hashes(&self) -> Option<usize> {
        let before = |back: usize| {
            self.at
                .checked_sub(back)
                .and_then(|at| self.chars.get(at))
                .copied()
        };
        let named = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let prefixed = matches!(before(1), Some('b' | 'c')) && !named(before(2));
        if named(before(1)) && !prefixed {
            return None;
        }
        let hashes = self.chars[self.at + 1..]
            .iter()
            .take_while(|c| **c == '#')
            .count();
        (self.peek(1 + hashes) == Some('"')).then_some(hashes)
    }

    fn raw_string(&mut self) {
        let hashes = self.raw_hashes().unwrap_or(0);
        for _ in 0..hashes + 2 {
            self.keep();
        }
        let closes = |lexer: &Lexer| {
            lexer.peek(0) == Some('"') && (1..=hashes).all(|ahead| lexer.peek(ahead) == Some('#'))
        };
        self.blank_while(|lexer| !closes(lexer));
        for _ in 0..(hashes + 1).min(self.chars.len() - self.at) {
            self.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of one line, with runs of spaces as one.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let code = code_lines(line).join("|");
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>().join(" "),
            expected,
            "{line}"
        );
        assert_eq!(code.chars().count(), line.chars().count(), "{line}");
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        check("a(); // b()", "a();");
        check("/// b()", "");
        check("a /* b /* c */ d */ e", "a e");
        check(r#"a("b \" // c") + d"#, r#"a(" ") + d"#);
        check(r##"a(r#"b " c"#) + d"##, r##"a(r#" "#) + d"##);
        check(r#"a(br"b\") + d"#, r#"a(br" ") + d"#);
        check("r#type + d", "r#type + d");
        check(r#"bar"x" + d"#, r#"bar" " + d"#);
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        check("a('\"', '\\'', '/', \"b\")", "a(' ', ' ', ' ', \" \")");
        check("fn a<'b>(c: &'b str) // d", "fn a<'b>(c: &'b str)");
        check("'\\u{41}' + a", "' ' + a");
    }

    #[test]
    fn lines_are_kept() {
        assert_eq!(
            code_lines("a\n/* b\nc */ d\n\"e\nf\"\n"),
            ["a", "    ", "     d", "\" ", " \""]
        );
        assert!(code_lines("").is_empty());
    }

    #[test]
    fn unfinished_text_ends() {
        for text in [
            "\"a",
            "'",
            "'\\",
            "/* a",
            "r#\"a",
            "r#",
            "\"\\",
            "br##\"a\"#",
        ] {
            assert_eq!(code_lines(text).len(), 1, "{text}");
        }
    }
}
