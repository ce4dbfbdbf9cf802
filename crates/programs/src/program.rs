//! Linear programs with names, and their text in the CPLEX LP format.
//!
//! Variables are not negative unless they are free. Every row is multiplied by the least common denominator of its
//! numbers, so that the file holds integers alone and rounds nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_platform::Rational;

/// Fact: characters after which a row goes on in a new line; readers may refuse lines of more than 560.
const WIDTH: usize = 100;

/// Whether the objective is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// As large as possible.
    Maximise,
    /// As small as possible.
    Minimise,
}

/// How the two sides of a row compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
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

/// Place of a variable in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable(usize);

/// A row: a sum of variables, compared with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name in the file.
    pub name: String,
    /// The coefficients that are not 0.
    pub terms: BTreeMap<Variable, Rational>,
    /// How the sum compares.
    pub relation: Relation,
    /// With what.
    pub side: Rational,
}

/// Rows that stand under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    heading: String,
    rows: Vec<Row>,
}

/// A linear program with names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    notes: Vec<String>,
    sense: Sense,
    objective: BTreeMap<Variable, Rational>,
    names: Vec<String>,
    free: Vec<Variable>,
    sections: Vec<Section>,
}

impl Program {
    /// A program without rows, under this first line of the file.
    pub fn new(sense: Sense, title: impl Into<String>) -> Program {
        Program {
            notes: vec![title.into()],
            sense,
            objective: BTreeMap::new(),
            names: Vec::new(),
            free: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Adds a comment at the top of the file.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// A new variable `>= 0`.
    pub fn variable(&mut self, name: String) -> Variable {
        self.names.push(name);
        Variable(self.names.len() - 1)
    }

    /// A new variable of either sign.
    pub fn free_variable(&mut self, name: String) -> Variable {
        let variable = self.variable(name);
        self.free.push(variable);
        variable
    }

    /// Adds a variable to the objective, with coefficient 1.
    pub fn aim(&mut self, variable: Variable) {
        self.objective.insert(variable, Rational::one());
    }

    /// The rows from here on stand under this heading.
    pub fn section(&mut self, heading: &str) {
        self.sections.push(Section {
            heading: heading.to_string(),
            rows: Vec::new(),
        });
    }

    /// A new row; coefficients of the same variable are added up. A row in which nothing is left is `0` against the
    /// right-hand side; it is written with the coefficient 0 of the first variable.
    pub fn row(
        &mut self,
        name: String,
        terms: impl IntoIterator<Item = (Variable, Rational)>,
        relation: Relation,
        side: Rational,
    ) {
        let mut sum: BTreeMap<Variable, Rational> = BTreeMap::new();
        for (variable, value) in terms {
            *sum.entry(variable).or_default() += value;
        }
        sum.retain(|_, value| !value.is_zero());
        if self.sections.is_empty() {
            self.section("rows");
        }
        if let Some(section) = self.sections.last_mut() {
            section.rows.push(Row {
                name,
                terms: sum,
                relation,
                side,
            });
        }
    }

    /// Whether the objective is maximised.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// The objective's coefficients.
    pub fn objective(&self) -> &BTreeMap<Variable, Rational> {
        &self.objective
    }

    /// All variables, in the order in which they were made.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + use<> {
        (0..self.names.len()).map(Variable)
    }

    /// A variable's name in the file.
    pub fn name(&self, variable: Variable) -> &str {
        self.names.get(variable.0).map_or("", String::as_str)
    }

    /// Whether a variable may be negative.
    pub fn is_free(&self, variable: Variable) -> bool {
        self.free.binary_search(&variable).is_ok()
    }

    /// All rows as in the file, except for the common denominator.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|section| &section.rows)
    }

    /// The program in the CPLEX LP format. `O(n)` on `n` coefficients.
    pub fn to_lp(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            comment(&mut text, note);
        }
        text.push_str(match self.sense {
            Sense::Maximise => "Maximize\n",
            Sense::Minimise => "Minimize\n",
        });
        text.push_str(" obj:");
        self.sum(&mut text, 5, &self.objective, &BigInt::one());
        text.push_str("\nSubject To\n");
        for section in &self.sections {
            if !section.rows.is_empty() {
                comment(&mut text, &section.heading);
            }
            for row in &section.rows {
                self.write_row(&mut text, row);
            }
        }
        if !self.free.is_empty() {
            text.push_str("Bounds\n");
        }
        for &variable in &self.free {
            // Writing to a string does not fail.
            let _ = writeln!(text, " {} free", self.name(variable));
        }
        text.push_str("End\n");
        text
    }

    fn write_row(&self, text: &mut String, row: &Row) {
        let numbers = row.terms.values().chain([&row.side]);
        let scale = numbers.fold(BigInt::one(), |scale, number| scale.lcm(number.denom()));
        let start = text.len();
        let _ = write!(text, " {}:", row.name);
        self.sum(text, text.len() - start, &row.terms, &scale);
        let side = (&row.side * Rational::from_integer(scale)).to_integer();
        let _ = writeln!(text, " {} {side}", row.relation.sign());
    }

    /// A sum of variables; `used` characters of the line are taken.
    fn sum(
        &self,
        text: &mut String,
        mut used: usize,
        terms: &BTreeMap<Variable, Rational>,
        scale: &BigInt,
    ) {
        if terms.is_empty() {
            let _ = write!(text, " 0 {}", self.names.first().map_or("", String::as_str));
        }
        for (place, (&variable, value)) in terms.iter().enumerate() {
            let value = (value * Rational::from_integer(scale.clone())).to_integer();
            let sign = if value.is_negative() { "- " } else { "+ " };
            let sign = if place == 0 && !value.is_negative() {
                ""
            } else {
                sign
            };
            let value = value.abs();
            let factor = if value.is_one() {
                String::new()
            } else {
                format!("{value} ")
            };
            let term = format!("{sign}{factor}{}", self.name(variable));
            if used + term.len() >= WIDTH {
                text.push_str("\n  ");
                used = 2;
            }
            text.push(' ');
            text.push_str(&term);
            used += term.len() + 1;
        }
    }
}

/// A line that readers of the format skip.
fn comment(text: &mut String, line: &str) {
    for part in line.lines() {
        let _ = writeln!(text, "\\ {part}");
    }
}
