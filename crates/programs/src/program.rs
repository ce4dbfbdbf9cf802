//! Linear programs, written row by row in the CPLEX LP format or kept as exact numbers.
//!
//! Variables are not negative unless they are free. In a file every row is multiplied by the least common denominator
//! of its numbers, so that it holds integers alone and rounds nothing. No row of a file is kept: memory is that of the
//! longest.

use std::fmt::Write as _;
use std::io;
use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_exact::{Relation, Sense};
use oneport_platform::Rational;
use oneport_watch::{Limit, Watch};

use crate::form::ProgramError;
use crate::linear::{Equation, Line, Linear, Quantity, added_up};
use crate::names::Names;

/// Fact: characters after which a row goes on in a new line. Readers may refuse lines of more than 560.
const WIDTH: usize = 100;
/// Bytes of a term in memory: a variable, and a number of two short integers. Trades rows that would just fit for
/// tables that do not. Not measured.
const TERM: u64 = 160;
/// Terms of a row between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 10;

/// Where a program goes.
pub(crate) enum Out<'p> {
    /// To a file in the CPLEX LP format, row by row.
    Text(&'p mut dyn io::Write),
    /// Into memory, as exact numbers.
    Numbers(&'p mut Linear),
}

/// Where a program is written.
pub(crate) struct Paper<'p> {
    /// Receives the rows.
    pub(crate) out: Out<'p>,
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
    objective: Vec<Quantity>,
    /// The variable that a row without terms names.
    first: Option<Quantity>,
    names: Option<Rc<Names<'p>>>,
    free: Vec<Quantity>,
    /// Text that is not written yet.
    text: String,
    /// The next section's heading. It is written with its first row.
    heading: Option<String>,
    begun: bool,
    size: Size,
    /// Variables announced before the first row.
    expected: u64,
}

impl<'p> Program<'p> {
    /// A program without rows. `code` names it in errors.
    pub(crate) fn new(paper: Paper<'p>, code: &'static str, sense: Sense) -> Self {
        Program {
            code,
            paper,
            sense,
            objective: Vec::new(),
            first: None,
            names: None,
            free: Vec::new(),
            text: String::new(),
            heading: None,
            begun: false,
            size: Size::default(),
            expected: 0,
        }
    }

    /// Names the variables and rows, and lists in comments the nodes that have other names in the file. A program in
    /// memory has no names.
    pub(crate) fn name(&mut self, names: impl FnOnce() -> Names<'p>) -> Option<Rc<Names<'p>>> {
        if matches!(self.paper.out, Out::Numbers(_)) {
            return None;
        }
        let names = Rc::new(names());
        for note in names.replaced() {
            self.note(note);
        }
        self.names = Some(Rc::clone(&names));
        Some(names)
    }

    /// Says how many variables will be in rows at most, and how many terms the longest row has at most.
    ///
    /// # Errors
    /// [`ProgramError::TooLarge`] if that row does not fit into memory. [`ProgramError::Stopped`].
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

    /// Says that the variable may have either sign.
    pub(crate) fn free(&mut self, variable: Quantity) {
        self.free.push(variable);
    }

    /// Counts variables.
    pub(crate) fn declare(&mut self, variables: u64) {
        self.size.variables += variables;
    }

    /// Adds a variable to the objective, with coefficient 1.
    pub(crate) fn aim(&mut self, variable: Quantity) {
        self.first.get_or_insert(variable);
        self.objective.push(variable);
    }

    /// Rows without terms name this variable.
    pub(crate) fn first(&mut self, variable: Quantity) {
        self.first = Some(variable);
    }

    /// The rows from here on stand under this heading.
    pub(crate) fn section(&mut self, heading: &str) {
        self.heading = Some(heading.to_string());
    }

    /// A row that sets a variable to a sum. `terms` are the sum.
    ///
    /// # Errors
    /// Those of [`row`](Self::row).
    pub(crate) fn define(
        &mut self,
        equation: Equation,
        variable: Quantity,
        terms: impl IntoIterator<Item = (Quantity, Rational)>,
    ) -> Result<(), ProgramError> {
        let mut count = 0;
        let taken = terms.into_iter().map(|(term, value)| {
            count += 1;
            (term, -value)
        });
        let terms = std::iter::once((variable, Rational::one())).chain(taken);
        self.row(equation, terms, Relation::Equal, Rational::zero())?;
        self.declare(count);
        Ok(())
    }

    /// A new row. Coefficients of the same variable are added up. A row without a nonzero coefficient is `0` against
    /// the right-hand side. It is written with the coefficient 0 of the first variable.
    ///
    /// # Errors
    /// [`ProgramError::Stopped`], [`ProgramError::Output`].
    pub(crate) fn row(
        &mut self,
        equation: Equation,
        terms: impl IntoIterator<Item = (Quantity, Rational)>,
        relation: Relation,
        side: Rational,
    ) -> Result<(), ProgramError> {
        self.ask()?;
        let mut sum: Vec<(Quantity, Rational)> = Vec::new();
        for (index, term) in terms.into_iter().enumerate() {
            if index % OFTEN == OFTEN - 1 {
                self.ask()?;
            }
            sum.push(term);
        }
        let terms = added_up(sum);
        self.size.rows += 1;
        if let Out::Numbers(linear) = &mut self.paper.out {
            linear.lines.push(Line {
                equation,
                terms,
                relation,
                side,
            });
            return Ok(());
        }
        self.begin();
        if let Some(heading) = self.heading.take() {
            comment(&mut self.text, &heading);
        }
        self.write_row(equation, &terms, relation, &side)
    }

    /// The end of the program.
    ///
    /// # Errors
    /// [`ProgramError::Output`].
    pub(crate) fn end(mut self) -> Result<Size, ProgramError> {
        if let Out::Numbers(linear) = &mut self.paper.out {
            linear.sense = self.sense;
            linear.objective = self.objective;
            linear.free = self.free.into_iter().collect();
            return Ok(self.size);
        }
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
        match &mut self.paper.out {
            Out::Text(out) => out.flush().map_err(output)?,
            Out::Numbers(_) => {}
        }
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
            Sense::Maximize => "Maximize\n",
            Sense::Minimize => "Minimize\n",
        });
        self.text.push_str(" obj:");
        let aims = std::mem::take(&mut self.objective);
        if aims.is_empty() {
            self.nothing();
        }
        let mut line = 5;
        for (index, variable) in aims.into_iter().enumerate() {
            line = self.term(line, index == 0, variable, &BigInt::one());
        }
        self.text.push_str("\nSubject To\n");
    }

    fn write_row(
        &mut self,
        equation: Equation,
        terms: &[(Quantity, Rational)],
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
        self.text.push(' ');
        if let Some(names) = &self.names {
            names.equation(equation, &mut self.text);
        }
        self.text.push(':');
        let mut line = self.text.len() - start;
        if terms.is_empty() {
            self.nothing();
        }
        for (index, (variable, value)) in terms.iter().enumerate() {
            line = self.term(line, index == 0, *variable, &scaled(value));
            if index % OFTEN == OFTEN - 1 {
                self.ask()?;
                self.flush()?;
            }
        }
        let _ = writeln!(self.text, " {} {}", sign(relation), scaled(side));
        self.flush()
    }

    fn nothing(&mut self) {
        self.text.push_str(" 0 ");
        if let Some(first) = self.first {
            self.write_name(first);
        }
    }

    /// A term of a sum. `used` characters of the line are taken. Returns the number taken after it.
    fn term(&mut self, used: usize, first: bool, variable: Quantity, value: &BigInt) -> usize {
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

    fn write_name(&mut self, variable: Quantity) {
        if let Some(names) = &self.names {
            names.quantity(variable, &mut self.text);
        }
    }

    fn flush(&mut self) -> Result<(), ProgramError> {
        let written = match &mut self.paper.out {
            Out::Text(out) => out.write_all(self.text.as_bytes()),
            Out::Numbers(_) => Ok(()),
        };
        self.text.clear();
        written.map_err(output)
    }
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::AtMost => "<=",
        Relation::Equal => "=",
        Relation::AtLeast => ">=",
    }
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
