//! Linear programs with names, written row by row in the CPLEX LP format.
//!
//! Variables are not negative unless they are free. Every row is multiplied by the least common denominator of its
//! numbers, so that the file holds integers alone and rounds nothing. No row is kept: memory is that of the longest.

use std::fmt::Write as _;
use std::io;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_platform::Rational;
use oneport_watch::{Limit, Watch};

use crate::form::ProgramError;

/// Fact: characters after which a row goes on in a new line; readers may refuse lines of more than 560.
const WIDTH: usize = 100;
/// Bytes of a term in memory: a variable, and a number of two short integers. Trades rows that would just fit for
/// tables that do not. Not measured.
const TERM: u64 = 160;
/// Terms of a row between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 10;

/// Whether the objective is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    /// As large as possible.
    Maximise,
    /// As small as possible.
    Minimise,
}

/// How the two sides of a row compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The sum is at most the right-hand side.
    AtMost,
    /// The sum is the right-hand side.
    Equal,
    /// The sum is at least the right-hand side.
    AtLeast,
}

impl Relation {
    fn sign(self) -> &'static str {
        match self {
            Relation::AtMost => "<=",
            Relation::Equal => "=",
            Relation::AtLeast => ">=",
        }
    }
}

/// A variable of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variable {
    /// 0: it has a name of its own; else its family, counted from 1.
    family: usize,
    /// Its place among the names, or in its family.
    place: u64,
}

/// Variables whose names are made when they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family(usize);

impl Family {
    /// The variable at a place of the family.
    pub(crate) fn at(self, place: u64) -> Variable {
        Variable {
            family: self.0,
            place,
        }
    }
}

/// Writes the name of a family's variable.
type Namer<'p> = Box<dyn Fn(u64, &mut String) + 'p>;

/// Where a program is written.
pub(crate) struct Paper<'p> {
    /// Receives the text.
    pub(crate) out: &'p mut dyn io::Write,
    /// Ends the writing.
    pub(crate) watch: &'p Watch,
}

/// How large a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Variables, including those without a cost.
    pub variables: u64,
    /// Rows.
    pub rows: u64,
}

/// A linear program that is being written.
pub(crate) struct Program<'p> {
    code: &'static str,
    paper: Paper<'p>,
    sense: Sense,
    objective: Vec<Variable>,
    names: Vec<String>,
    families: Vec<Namer<'p>>,
    free: Vec<Variable>,
    /// Text that is not written yet.
    text: String,
    /// The next section's heading; it is written with its first row.
    heading: Option<String>,
    begun: bool,
    size: Size,
    /// Variables announced before the first row.
    expected: u64,
}

impl<'p> Program<'p> {
    /// A program without rows, under this first line of the file. `code` names it in errors.
    pub(crate) fn new(paper: Paper<'p>, code: &'static str, sense: Sense, title: String) -> Self {
        let mut program = Program {
            code,
            paper,
            sense,
            objective: Vec::new(),
            names: Vec::new(),
            families: Vec::new(),
            free: Vec::new(),
            text: String::new(),
            heading: None,
            begun: false,
            size: Size::default(),
            expected: 0,
        };
        program.note(title);
        program
    }

    /// Says how many variables will be in rows at most, and how many terms the longest row has at most.
    ///
    /// # Errors
    /// [`ProgramError::TooLarge`] if that row does not fit into memory; [`ProgramError::Stopped`].
    pub(crate) fn expect(&mut self, variables: u64, longest: u64) -> Result<(), ProgramError> {
        self.expected = variables;
        let bytes = longest.saturating_mul(TERM);
        match self.paper.watch.room_for(bytes) {
            Ok(()) => Ok(()),
            Err(Limit::Memory) => Err(ProgramError::TooLarge {
                program: self.code,
                variables,
                bytes,
            }),
            Err(limit) => Err(self.stopped(limit)),
        }
    }

    fn stopped(&self, limit: Limit) -> ProgramError {
        ProgramError::Stopped {
            program: self.code,
            limit,
            rows: self.size.rows,
            variables: self.expected.max(self.size.variables),
        }
    }

    /// Adds a comment at the top of the file.
    pub(crate) fn note(&mut self, note: impl AsRef<str>) {
        comment(&mut self.text, note.as_ref());
    }

    /// A new variable `>= 0`.
    pub(crate) fn variable(&mut self, name: String) -> Variable {
        self.names.push(name);
        self.size.variables += 1;
        Variable {
            family: 0,
            place: self.names.len() as u64 - 1,
        }
    }

    /// A new variable of either sign.
    pub(crate) fn free_variable(&mut self, name: String) -> Variable {
        let variable = self.variable(name);
        self.free.push(variable);
        variable
    }

    /// Variables `>= 0`. They count where [`declare`](Self::declare) says so.
    pub(crate) fn family(&mut self, name: impl Fn(u64, &mut String) + 'p) -> Family {
        self.families.push(Box::new(name));
        Family(self.families.len())
    }

    /// Counts variables of families.
    pub(crate) fn declare(&mut self, variables: u64) {
        self.size.variables += variables;
    }

    /// Adds a variable to the objective, with coefficient 1.
    pub(crate) fn aim(&mut self, variable: Variable) {
        self.objective.push(variable);
    }

    /// The rows from here on stand under this heading.
    pub(crate) fn section(&mut self, heading: &str) {
        self.heading = Some(heading.to_string());
    }

    /// A new row; coefficients of the same variable are added up. A row in which nothing is left is `0` against the
    /// right-hand side; it is written with the coefficient 0 of the first variable.
    ///
    /// # Errors
    /// [`ProgramError::Stopped`], [`ProgramError::Output`].
    pub(crate) fn row(
        &mut self,
        name: String,
        terms: impl IntoIterator<Item = (Variable, Rational)>,
        relation: Relation,
        side: Rational,
    ) -> Result<(), ProgramError> {
        self.ask()?;
        let mut sum: Vec<(Variable, Rational)> = Vec::new();
        for (place, term) in terms.into_iter().enumerate() {
            if place % OFTEN == OFTEN - 1 {
                self.ask()?;
            }
            sum.push(term);
        }
        let sum = added_up(sum);
        self.begin();
        if let Some(heading) = self.heading.take() {
            comment(&mut self.text, &heading);
        }
        self.write_row(&name, &sum, relation, &side)?;
        self.size.rows += 1;
        Ok(())
    }

    /// The end of the file.
    ///
    /// # Errors
    /// [`ProgramError::Output`].
    pub(crate) fn end(mut self) -> Result<Size, ProgramError> {
        self.begin();
        if !self.free.is_empty() {
            self.text.push_str("Bounds\n");
        }
        for variable in std::mem::take(&mut self.free) {
            self.text.push(' ');
            self.write_name(variable);
            self.text.push_str(" free\n");
        }
        self.text.push_str("End\n");
        self.flush()?;
        self.paper.out.flush().map_err(output)?;
        Ok(self.size)
    }

    fn ask(&self) -> Result<(), ProgramError> {
        self.paper.watch.ask().map_err(|limit| self.stopped(limit))
    }

    /// The objective, before the first row.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        self.text.push_str(match self.sense {
            Sense::Maximise => "Maximize\n",
            Sense::Minimise => "Minimize\n",
        });
        self.text.push_str(" obj:");
        let aims = std::mem::take(&mut self.objective);
        if aims.is_empty() {
            self.nothing();
        }
        let mut line = 5;
        for (place, variable) in aims.into_iter().enumerate() {
            line = self.term(line, place == 0, variable, &BigInt::one());
        }
        self.text.push_str("\nSubject To\n");
    }

    fn write_row(
        &mut self,
        name: &str,
        terms: &[(Variable, Rational)],
        relation: Relation,
        side: &Rational,
    ) -> Result<(), ProgramError> {
        let numbers = terms.iter().map(|(_, value)| value).chain([side]);
        let scale = numbers.fold(BigInt::one(), |scale, number| {
            if number.is_integer() {
                scale
            } else {
                scale.lcm(number.denom())
            }
        });
        let scaled = |value: &Rational| {
            if scale.is_one() {
                value.numer().clone()
            } else {
                value.numer() * (&scale / value.denom())
            }
        };
        let start = self.text.len();
        let _ = write!(self.text, " {name}:");
        let mut line = self.text.len() - start;
        if terms.is_empty() {
            self.nothing();
        }
        for (place, (variable, value)) in terms.iter().enumerate() {
            line = self.term(line, place == 0, *variable, &scaled(value));
            if place % OFTEN == OFTEN - 1 {
                self.ask()?;
                self.flush()?;
            }
        }
        let _ = writeln!(self.text, " {} {}", relation.sign(), scaled(side));
        self.flush()
    }

    fn nothing(&mut self) {
        let first = self.names.first().map_or("", String::as_str);
        // Writing to a string does not fail.
        let _ = write!(self.text, " 0 {first}");
    }

    /// A term of a sum; `used` characters of the line are taken. Returns how many are taken then.
    fn term(&mut self, used: usize, first: bool, variable: Variable, value: &BigInt) -> usize {
        let start = self.text.len();
        self.text.push_str(match (value.is_negative(), first) {
            (true, _) => " - ",
            (false, true) => " ",
            (false, false) => " + ",
        });
        if !value.magnitude().is_one() {
            let _ = write!(self.text, "{} ", value.magnitude());
        }
        self.write_name(variable);
        let length = self.text.len() - start;
        if used + length > WIDTH {
            self.text.insert_str(start, "\n  ");
            return 2 + length;
        }
        used + length
    }

    fn write_name(&mut self, variable: Variable) {
        match variable.family.checked_sub(1) {
            None => {
                let name = self.names.get(variable.place as usize);
                self.text.push_str(name.map_or("", String::as_str));
            }
            Some(family) => {
                if let Some(name) = self.families.get(family) {
                    name(variable.place, &mut self.text);
                }
            }
        }
    }

    fn flush(&mut self) -> Result<(), ProgramError> {
        let written = self.paper.out.write_all(self.text.as_bytes());
        self.text.clear();
        written.map_err(output)
    }
}

/// Sorted by variables, each once, without zeros.
fn added_up(mut terms: Vec<(Variable, Rational)>) -> Vec<(Variable, Rational)> {
    terms.sort_by_key(|(variable, _)| *variable);
    let mut sum: Vec<(Variable, Rational)> = Vec::with_capacity(terms.len());
    for (variable, value) in terms {
        match sum.last_mut() {
            Some((last, total)) if *last == variable => *total += value,
            _ => sum.push((variable, value)),
        }
    }
    sum.retain(|(_, value)| !value.is_zero());
    sum
}

fn output(error: io::Error) -> ProgramError {
    ProgramError::Output {
        kind: error.kind(),
        message: error.to_string(),
    }
}

/// A line that readers of the format skip.
fn comment(text: &mut String, line: &str) {
    for part in line.lines() {
        let _ = writeln!(text, "\\ {part}");
    }
}
