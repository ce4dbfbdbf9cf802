//! A naive reader of the CPLEX LP files that we write: integers only, exactly.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use oneport::Rational;
use oneport_exact::{LinearProgram, Options, Outcome, Relation, Row, Sense, Solver};

use super::number;
use oneport_testkit::ratio;

/// A sum of variables by name.
pub type Sum = BTreeMap<String, Rational>;

/// The contents of a file.
#[derive(Debug, Default)]
pub struct File {
    pub maximise: bool,
    pub objective: Sum,
    /// Name, sum, sign, right-hand side.
    pub rows: Vec<(String, Sum, String, Rational)>,
    pub free: BTreeSet<String>,
}

/// The outcome of a program.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    Optimal(Rational),
    Infeasible,
    Unbounded,
}

impl File {
    /// Reads a file. Panics at any text that we do not write.
    pub fn read(text: &str) -> File {
        assert!(
            text.lines()
                .all(|line| line.len() <= 510 || line.starts_with('\\')),
            "a line is too long"
        );
        let words: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with('\\'))
            .flat_map(str::split_whitespace)
            .collect();
        let index_of = |word: &str| words.iter().position(|other| *other == word);
        let (to, end) = (index_of("To").unwrap(), index_of("End").unwrap());
        let bounds = index_of("Bounds").unwrap_or(end);
        let mut file = File {
            maximise: words[0] == "Maximize",
            ..File::default()
        };
        assert!(file.maximise || words[0] == "Minimize");
        assert_eq!(
            (words[1], words[to - 1], end + 1),
            ("obj:", "Subject", words.len())
        );
        file.objective = sum(&words[2..to - 1]);
        let mut rest = &words[to + 1..bounds];
        while let Some((name, more)) = rest.split_first() {
            let sign = more
                .iter()
                .position(|word| ["<=", "=", ">="].contains(word))
                .unwrap();
            let name = name.strip_suffix(':').unwrap().to_string();
            let row = (
                name,
                sum(&more[..sign]),
                more[sign].to_string(),
                whole(more[sign + 1]),
            );
            file.rows.push(row);
            rest = &more[sign + 2..];
        }
        for line in words[bounds..end]
            .split(|word| *word == "Bounds")
            .flat_map(|list| list.chunks(2))
        {
            assert_eq!(line[1], "free");
            file.free.insert(line[0].to_string());
        }
        let names: BTreeSet<&String> = file.rows.iter().map(|row| &row.0).collect();
        assert_eq!(names.len(), file.rows.len(), "two rows of one name");
        file
    }

    fn variables(&self) -> BTreeSet<&String> {
        self.rows
            .iter()
            .flat_map(|row| row.1.keys())
            .chain(self.objective.keys())
            .collect()
    }

    /// The objective at a point, if the point satisfies every row and sign. Missing variables are 0.
    pub fn value(&self, point: &Sum) -> Rational {
        let evaluate = |sum: &Sum| -> Rational {
            sum.iter()
                .map(|(name, value)| value * point.get(name).cloned().unwrap_or_default())
                .sum()
        };
        let known = self.variables();
        for (name, value) in point {
            assert!(
                value.is_zero() || known.contains(name),
                "the file has no variable {name}"
            );
            assert!(
                !value.is_negative() || self.free.contains(name),
                "{name} = {value}"
            );
        }
        for (name, sum, sign, side) in &self.rows {
            let left = evaluate(sum);
            let holds = match sign.as_str() {
                "<=" => left <= *side,
                "=" => left == *side,
                _ => left >= *side,
            };
            assert!(holds, "{name}: {left} {sign} {side}");
        }
        evaluate(&self.objective)
    }

    /// Solves the program exactly.
    pub fn solve(&self) -> Ended {
        let mut program = LinearProgram::new(if self.maximise {
            Sense::Maximize
        } else {
            Sense::Minimize
        });
        let rows: Vec<Row> = self
            .rows
            .iter()
            .map(|(_, _, sign, side)| {
                let relation = match sign.as_str() {
                    "<=" => Relation::AtMost,
                    "=" => Relation::Equal,
                    _ => Relation::AtLeast,
                };
                program.add_row(relation, side.clone())
            })
            .collect();
        for name in self.variables() {
            // A free variable is the difference of two.
            let signs = if self.free.contains(name) {
                vec![1, -1]
            } else {
                vec![1]
            };
            for sign in signs.into_iter().map(|sign| ratio(sign, 1)) {
                let cost = self.objective.get(name).cloned().unwrap_or_default() * &sign;
                let entries = self
                    .rows
                    .iter()
                    .zip(&rows)
                    .filter_map(|(row, &at)| Some((at, row.1.get(name)? * &sign)));
                program
                    .add_column(cost, entries.filter(|(_, value)| !value.is_zero()))
                    .unwrap();
            }
        }
        match Solver::new(program).solve(&Options::default()).unwrap() {
            Outcome::Optimal(optimum) => Ended::Optimal(optimum.objective),
            Outcome::Infeasible(_) => Ended::Infeasible,
            Outcome::Unbounded { .. } => Ended::Unbounded,
            Outcome::LimitReached { .. } => panic!("no limit was set"),
        }
    }
}

fn whole(word: &str) -> Rational {
    assert!(!word.contains(['.', '/', 'e']), "{word} is no integer");
    number(word)
}

fn sum(words: &[&str]) -> Sum {
    let mut sum = Sum::new();
    let (mut sign, mut factor) = (Rational::one(), Rational::one());
    for word in words {
        match *word {
            "+" => sign = Rational::one(),
            "-" => sign = -Rational::one(),
            word if word.starts_with(|letter: char| letter.is_ascii_digit()) => {
                factor = whole(word)
            }
            name => {
                let term = std::mem::replace(&mut sign, Rational::one())
                    * std::mem::replace(&mut factor, Rational::one());
                assert!(
                    sum.insert(name.to_string(), term).is_none(),
                    "{name} stands twice in a row"
                );
            }
        }
    }
    sum
}
