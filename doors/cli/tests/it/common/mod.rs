//! The built command, run as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use oneport::{Rational, parse_rational};
use serde_json::Value;

/// The platform of RR-4872, figure 2.
pub fn toy() -> String {
    fixture("toy-scatter.toml")
}

pub fn fixture(name: &str) -> String {
    format!(
        "{}/../../fixtures/platforms/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// The results of a run of the command.
#[derive(Debug)]
pub struct Run {
    #[expect(dead_code, reason = "Debug shows it where an assertion fails")]
    pub command: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub time: Duration,
}

/// The words of a line, as a shell splits it: quoted text is one word. A backslash has a meaning in double
/// quotes alone, so that `{value:?}` is one word for every value.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            quote @ ('\'' | '"') => {
                let quoted = word.get_or_insert_default();
                loop {
                    let letter = letters.next();
                    match letter.unwrap_or_else(|| panic!("an open quote in: {line}")) {
                        end if end == quote => break,
                        '\\' if quote == '"' => quoted.extend(letters.next()),
                        letter => quoted.push(letter),
                    }
                }
            }
            space if space.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// An option before each of its values.
pub fn each(option: &str, values: &[&str]) -> String {
    let words: Vec<String> = values
        .iter()
        .map(|value| format!("{option} {value:?}"))
        .collect();
    words.join(" ")
}

/// The first word of a line.
pub fn first(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Runs the command in the folder of platforms, with nothing to read and no terminal, for `oneport!`.
pub fn typed(line: &str) -> Run {
    let arguments = words(line);
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_oneport"))
        .args(&arguments)
        .current_dir(fixture(""))
        .stdin(Stdio::null())
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("the command was built");
    Run {
        command: format!("oneport {line}"),
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        time: started.elapsed(),
    }
}

impl Run {
    /// Exit 0 and an empty stderr, progress included.
    #[track_caller]
    pub fn ok(self) -> Run {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert_eq!(self.stderr, "", "{self:#?}");
        self
    }

    /// Exit 0, and on stderr only notes, each of these words among them.
    #[track_caller]
    pub fn noted(self, words: &[&str]) -> Run {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert!(
            self.stderr.lines().all(|line| line.starts_with("note: ")),
            "{self:#?}"
        );
        self.says(words)
    }

    /// Refused by us: the exit code, nothing on stdout, and one line on stderr that contains each of the words.
    #[track_caller]
    pub fn refused(self, code: i32, words: &[&str]) -> Run {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        self.one_error(words)
    }

    /// One line on stderr that begins with "error:" and contains each of the words.
    #[track_caller]
    pub fn one_error(self, words: &[&str]) -> Run {
        assert!(self.stderr.starts_with("error: "), "{self:#?}");
        assert!(
            self.stderr.ends_with('\n') && self.stderr.lines().count() == 1,
            "{self:#?}"
        );
        self.says(words)
    }

    /// Refused while the command line was read: exit 2, and an explanation that contains each of the words.
    #[track_caller]
    pub fn misused(self, words: &[&str]) -> Run {
        assert_eq!(self.code, Some(2), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        assert!(self.stderr.starts_with("error: "), "{self:#?}");
        self.says(words)
    }

    /// The output has each of the words, on either channel.
    #[track_caller]
    pub fn prints(self, words: &[&str]) -> Run {
        for word in words {
            assert!(
                self.stdout.contains(word) || self.stderr.contains(word),
                "'{word}' is not printed: {self:#?}"
            );
        }
        self
    }

    #[track_caller]
    fn says(self, words: &[&str]) -> Run {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "'{word}' is not said: {self:#?}"
            );
        }
        self
    }

    /// Stdout as one JSON object on one line.
    #[track_caller]
    pub fn object(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:#?}");
        let value: Value =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"));
        assert!(value.is_object(), "{self:#?}");
        value
    }
}

/// A folder of one test's own files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> String {
        self.0
            .path()
            .join(name)
            .to_str()
            .expect("a plain name")
            .to_string()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("the folder is ours");
        path
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder is ours");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("listed")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

/// The exact number of a text in JSON.
#[track_caller]
pub fn rational(value: &Value) -> Rational {
    let text = value
        .as_str()
        .unwrap_or_else(|| panic!("no number: {value}"));
    parse_rational(text).expect("a rational")
}

pub fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref())
        .unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// `base` with one value replaced, found by its path.
pub fn with(base: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = base.clone();
    *changed
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no {pointer}")) = value;
    changed
}

/// A path that cannot be written to, for every user: its folder is a file.
pub fn unwritable(folder: &Folder) -> String {
    let file = folder.write("a-file", "not a folder");
    PathBuf::from(file)
        .join("out")
        .to_str()
        .expect("a plain name")
        .to_string()
}
