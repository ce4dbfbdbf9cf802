//! Options that every command has.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::Args;
use oneport_questions::Note;

/// Options that every command has.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Settings {
    /// Overwrite files that oneport did not write, and its own files of another kind.
    #[arg(long, global = true)]
    pub force: bool,
    /// Print no notes on how a file was read.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

static SET: OnceLock<Settings> = OnceLock::new();

/// Sets the options, once.
pub fn set(settings: Settings) {
    let _ = SET.set(settings);
}

/// Whether files of other programs may be overwritten.
pub fn force() -> bool {
    SET.get().is_some_and(|set| set.force)
}

/// Prints a note on the reading of a platform.
pub fn hear(note: Note<'_>) {
    match note {
        Note::Of(file, texts) => notes_on(file, texts),
        Note::Plain(text) => self::note(text),
    }
}

/// Notes on the reading of a file, each with its topic: on a terminal one line, elsewhere a line each, for a log keeps
/// them.
fn notes_on(file: &str, texts: &[(&str, &str)]) {
    if std::io::stderr().is_terminal()
        && let Some(line) = folded(file, texts)
    {
        return note(&line);
    }
    for (topic, text) in texts {
        note(&format!("{topic}: {text}"));
    }
}

/// Several notes in one line: their number on each topic, the last note, and the command that lists all. `None`
/// for fewer than two.
fn folded(file: &str, texts: &[(&str, &str)]) -> Option<String> {
    let [.., (topic, text)] = texts else {
        return None;
    };
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (topic, _) in texts {
        match counts.last_mut().filter(|(known, _)| known == topic) {
            Some((_, count)) => *count += 1,
            None => counts.push((topic, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(topic, count)| format!("{count} {topic}"))
        .collect();
    (texts.len() > 1).then(|| {
        format!(
            "{}; {topic}: {text} ('oneport inspect {file}' lists all, --quiet none)",
            counts.join(", ")
        )
    })
}

/// Prints a note on standard error, unless --quiet is given.
pub fn note(text: &str) {
    if SET.get().is_none_or(|set| !set.quiet) {
        eprintln!("note: {text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_notes_are_one_line() {
        let notes = [("assumed", "a"), ("assumed", "b"), ("left out", "c")];
        let line =
            "2 assumed, 1 left out; left out: c ('oneport inspect f.xml' lists all, --quiet none)";
        assert_eq!(folded("f.xml", &notes).as_deref(), Some(line));
        assert_eq!(folded("f.xml", &notes[..1]), None);
        assert_eq!(folded("f.xml", &[]), None);
    }
}
