//! Why a test is not part of every run, as its attribute states it.
//!
//! `#[ignore = "long: REASON"]` is for the long run. `#[ignore = "needs THINGS"]` names things that some machines lack.
//! Such a test runs on each machine that has them. A test that is both says `long, needs THINGS`. The things are
//! separated by commas, each a kind and a name, such as `program dot` or `data tiers/WAN_3.json`.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::setup::{mpi, tools};
use crate::simgrid;

/// Names the folder with the data of other people.
const DATA: &str = "ONEPORT_DATA";

/// The reason of an ignored test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Only the long run has the test.
    pub is_long: bool,
    /// All of these must be there.
    pub needs: Vec<Need>,
}

/// One thing that a machine may lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    kind: Kind,
    name: String,
}

/// The kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A program in a folder of PATH.
    Program,
    /// A module of python3.
    Python,
    /// SimGrid's library with its headers.
    Library,
    /// Open MPI or MPICH, of the system or fetched.
    Mpi,
    /// An environment variable that names a folder.
    Variable,
    /// A file or folder below the one that `ONEPORT_DATA` names.
    Data,
}

/// The kinds by the words that name them.
const KINDS: [(&str, Kind); 6] = [
    ("program", Kind::Program),
    ("python", Kind::Python),
    ("library", Kind::Library),
    ("mpi", Kind::Mpi),
    ("variable", Kind::Variable),
    ("data", Kind::Data),
];

impl Reason {
    /// Reads the text of an attribute. `None` if it has another form.
    pub fn read(text: &str) -> Option<Reason> {
        if text.starts_with("long: ") {
            return Some(Reason {
                is_long: true,
                needs: Vec::new(),
            });
        }
        let after_long = text.strip_prefix("long, ");
        let things = after_long.unwrap_or(text).strip_prefix("needs ")?;
        Some(Reason {
            is_long: after_long.is_some(),
            needs: things.split(", ").map(Need::read).collect::<Option<_>>()?,
        })
    }

    /// The parts of it that this machine lacks.
    pub fn missing(&self) -> Vec<&Need> {
        self.needs.iter().filter(|need| !need.is_here()).collect()
    }
}

impl Need {
    fn read(text: &str) -> Option<Need> {
        let (word, name) = text.split_once(' ')?;
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == word)?;
        Some(Need {
            kind: *kind,
            name: name.to_string(),
        })
    }

    fn is_here(&self) -> bool {
        let name = self.name.as_str();
        let folder = |variable: &str| env::var_os(variable).map(PathBuf::from);
        match self.kind {
            Kind::Program => !tools::on_path(name).is_empty(),
            Kind::Python => imports(name),
            Kind::Library => name == "simgrid" && simgrid::is_here(),
            Kind::Mpi => mpi::is_here(name),
            Kind::Variable => folder(name).is_some_and(|folder| folder.is_dir()),
            Kind::Data => folder(DATA).is_some_and(|folder| folder.join(name).exists()),
        }
    }
}

fn imports(module: &str) -> bool {
    let mut python = Command::new("python3");
    let output = python.args(["-c", &format!("import {module}")]).output();
    output.is_ok_and(|output| output.status.success())
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.kind {
            Kind::Program => write!(f, "the program {name}"),
            Kind::Python => write!(f, "{name} in python3"),
            Kind::Library => write!(f, "the library {name}"),
            Kind::Mpi => write!(f, "the MPI library {name}"),
            Kind::Variable => write!(f, "a folder named by {name}"),
            Kind::Data => write!(f, "{name} in the folder named by {DATA}"),
        }
    }
}

/// The reasons in a test program's list of ignored tests: `test NAME ... ignored, REASON`.
pub fn reasons(output: &str) -> Vec<(&str, &str)> {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... ignored, "))
        .collect()
}

/// The reasons in a source, each with its line, counted from 1: empty if an attribute has no text. A macro's
/// argument (`$`) is left to `cargo xtask test`.
pub fn in_source(text: &str) -> Vec<(usize, &str)> {
    // In halves, so that this file has no such attribute.
    let start = ["#[", "ignore"].concat();
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let rest = line.trim().strip_prefix(start.as_str())?;
            let text = rest
                .strip_prefix(" = \"")
                .and_then(|rest| rest.strip_suffix("\"]"));
            (!rest.starts_with(" = $")).then_some((index + 1, text.unwrap_or_default()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read() {
        let long = Reason::read("long: a hundred programs").unwrap();
        assert!(long.is_long && long.needs.is_empty());
        let both = Reason::read("long, needs mpi mpich, program no-such-program").unwrap();
        assert!(both.is_long);
        let needs: Vec<String> = both.needs.iter().map(Need::to_string).collect();
        assert_eq!(
            needs,
            ["the MPI library mpich", "the program no-such-program"]
        );
        for wrong in ["", "takes a minute", "needs ", "needs luck", "needs moon x"] {
            assert_eq!(Reason::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_absent_is_missing() {
        let missing = |text: &str| -> Vec<String> {
            let reason = Reason::read(text).unwrap();
            reason.missing().iter().map(ToString::to_string).collect()
        };
        assert!(missing("needs program sh").is_empty());
        assert_eq!(
            missing("needs program sh, program no-such-program, variable NO_SUCH_VARIABLE"),
            [
                "the program no-such-program",
                "a folder named by NO_SUCH_VARIABLE"
            ]
        );
    }

    #[test]
    fn a_test_program_says_why_it_ignores() {
        let output = "running 2 tests\ntest a::b ... ignored, needs program dot\ntest c ... ok\n\ntest result: ok.\n";
        assert_eq!(reasons(output), [("a::b", "needs program dot")]);
    }

    #[test]
    fn sources_say_why_they_ignore() {
        let text = "#[test]\n#[ig_nore = \"long: x\"]\n#[ig_nore = $reason]\n#[ig_nore]\n";
        let found = text.replace('_', "");
        assert_eq!(in_source(&found), [(2, "long: x"), (4, "")]);
    }
}
