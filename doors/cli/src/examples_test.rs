//! Every command has examples, and they are read.

use crate::limits_test::TURN;
use crate::words::examples::EXAMPLES;

/// The words of a line as a shell splits it, up to `>`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            '>' if !quoted => break,
            letter => {
                if let Some(word) = words.last_mut() {
                    word.push(letter);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Commands without subcommands, by their names.
fn leaves(command: &clap::Command, name: &str, all: &mut Vec<String>) {
    let mut under = command.get_subcommands().peekable();
    // Shapes are one command's.
    if under.peek().is_none() || name == "generate" {
        all.push(name.to_string());
        return;
    }
    for one in under {
        leaves(one, format!("{name} {}", one.get_name()).trim(), all);
    }
}

#[test]
fn every_command_has_examples_that_are_read() {
    let _turn = TURN.lock();
    let mut names = Vec::new();
    leaves(&crate::command(), "", &mut names);
    for name in &names {
        assert!(
            EXAMPLES.iter().any(|(known, _)| known == name),
            "{name} has no example"
        );
    }
    for (name, lines) in EXAMPLES {
        assert!(
            name.is_empty() || names.iter().any(|known| known == name),
            "{name}"
        );
        for line in lines {
            // The words after the columns of the first help are no part of the command.
            let line = line.split("     ").next().unwrap();
            let read = crate::command().try_get_matches_from(words(line));
            assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            assert!(line.starts_with(&format!("oneport {name}")), "{line}");
        }
    }
}
