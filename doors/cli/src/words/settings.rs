//! Options that every command has.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::Args;

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

/// Notes on one topic: on a terminal one line, elsewhere a line each.
pub fn notes_on(topic: &str, texts: &[&str]) {
    match texts {
        [first, _, ..] if std::io::stderr().is_terminal() => note(&format!(
            "{topic}: {first}; and {} more ('oneport inspect' lists them, --quiet none)",
            texts.len() - 1
        )),
        texts => texts
            .iter()
            .for_each(|text| note(&format!("{topic}: {text}"))),
    }
}

/// Prints a note on standard error, unless --quiet is given.
pub fn note(text: &str) {
    if SET.get().is_none_or(|set| !set.quiet) {
        eprintln!("note: {text}");
    }
}
