//! Printed value, our value and the verdict of each row.
//!
//! The printed values live in `fixtures/papers/NAME.toml`, each with its place and the verdict expected. A check
//! computes our value, and [`judge`] compares it exactly. An unexpected verdict is a failure, and so is a row without a
//! check or a check without a row. Only a value that the paper prints can be `exact`. A statement `holds` if all trials
//! agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use oneport::{Rational, parse_rational};
use oneport_numbers::whole;
use serde::Deserialize;

use crate::numbers::short;

/// A value that is compared exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(Rational),
    /// Several, in order.
    List(Vec<Value>),
    /// Several, by name.
    Table(BTreeMap<String, Value>),
    /// Words. For a claim, the claim itself.
    Words(String),
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Result<&Rational> {
        match self {
            Value::Number(number) => Ok(number),
            other => bail!("'{other}' is not a number"),
        }
    }

    /// The entries, if it is a table of numbers.
    pub fn table(&self) -> Result<BTreeMap<&str, &Rational>> {
        let Value::Table(table) = self else {
            bail!("'{self}' is not a table")
        };
        table
            .iter()
            .map(|(name, value)| Ok((name.as_str(), value.number()?)))
            .collect()
    }

    /// The entries, if it is a list of numbers.
    pub fn list(&self) -> Result<Vec<&Rational>> {
        let Value::List(list) = self else {
            bail!("'{self}' is not a list")
        };
        list.iter().map(Value::number).collect()
    }

    fn read(value: &toml::Value) -> Result<Value> {
        Ok(match value {
            toml::Value::Integer(number) => Value::Number(whole(*number)),
            toml::Value::String(text) => {
                parse_rational(text).map_or_else(|_| Value::Words(text.clone()), Value::Number)
            }
            toml::Value::Array(values) => {
                Value::List(values.iter().map(Value::read).collect::<Result<_>>()?)
            }
            toml::Value::Table(values) => {
                let entry = |(name, value): (&String, &toml::Value)| {
                    Ok((name.clone(), Value::read(value)?))
                };
                Value::Table(values.iter().map(entry).collect::<Result<_>>()?)
            }
            other => bail!(
                "{other} is neither a whole number, a text, a list nor a table; write 1/2 as \"1/2\""
            ),
        })
    }
}

impl From<Rational> for Value {
    fn from(number: Rational) -> Self {
        Value::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::Number(whole(number))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => f.write_str(&short(number)),
            Value::Words(words) => f.write_str(words),
            Value::List(values) => {
                let nested = values
                    .iter()
                    .any(|value| !matches!(value, Value::Number(_) | Value::Words(_)));
                let parts: Vec<String> = values.iter().map(Value::to_string).collect();
                f.write_str(&parts.join(if nested { "; " } else { ", " }))
            }
            Value::Table(values) => {
                let parts: Vec<String> = values
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}"))
                    .collect();
                f.write_str(&parts.join(", "))
            }
        }
    }
}

/// Content of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A value that the paper prints.
    Printed,
    /// Value of a printed program, formula or rule, executed as printed by the check.
    Yields,
    /// A statement of the paper.
    Theorem,
    /// A tendency that the paper reports of experiments which cannot be repeated as they were.
    Trend,
    /// Our statement about the paper's contents. The paper does not make it.
    Ours,
}

impl RowKind {
    /// All, in the order of the fields of a fixture.
    pub const ALL: [RowKind; 5] = [
        RowKind::Printed,
        RowKind::Yields,
        RowKind::Theorem,
        RowKind::Trend,
        RowKind::Ours,
    ];

    /// For tables: the field's name in a fixture.
    pub fn name(self) -> &'static str {
        match self {
            RowKind::Printed => "printed",
            RowKind::Yields => "yields",
            RowKind::Theorem => "theorem",
            RowKind::Trend => "trend",
            RowKind::Ours => "ours",
        }
    }
}

/// Result of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our value equals the printed one.
    Exact,
    /// The statement holds in every trial.
    Holds,
    /// The paper is wrong. The erratum gives the reason.
    Corrected,
    /// It cannot be computed from our data.
    NotReproducible,
    /// It is not decided.
    Open,
}

impl Verdict {
    /// All, in the order of summaries.
    pub const ALL: [Verdict; 5] = [
        Verdict::Exact,
        Verdict::Holds,
        Verdict::Corrected,
        Verdict::NotReproducible,
        Verdict::Open,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Holds => "holds",
            Verdict::Corrected => "corrected",
            Verdict::NotReproducible => "not reproducible",
            Verdict::Open => "open",
        }
    }
}

/// One printed value or claim.
#[derive(Debug, Clone)]
pub struct PaperRow {
    /// Links it to its check.
    pub id: String,
    /// Section, figure, slide.
    pub place: String,
    /// Description.
    pub what: String,
    /// Kind of the next field.
    pub kind: RowKind,
    /// The printed value, the result of the printed program, or the statement.
    pub stated: Value,
    /// The right value, if the paper is wrong.
    pub right: Option<Value>,
    /// The expected verdict.
    pub verdict: Verdict,
    /// Which entry of `docs/errata.md` explains it.
    pub erratum: Option<String>,
    /// The reason that it cannot be reproduced, or is not decided.
    pub reason: Option<String>,
    /// Titles of the report's figures that draw it.
    pub drawn: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    id: String,
    place: String,
    what: String,
    printed: Option<toml::Value>,
    yields: Option<toml::Value>,
    theorem: Option<toml::Value>,
    trend: Option<toml::Value>,
    ours: Option<toml::Value>,
    right: Option<toml::Value>,
    verdict: Verdict,
    erratum: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    drawn: Vec<String>,
}

/// A printed table that is too large for a row. Its rows are named, with cells separated by blanks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedTable {
    /// Name.
    pub id: String,
    /// Section, figure, slide.
    pub place: String,
    /// The printed cells.
    pub rows: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPaper {
    name: String,
    title: String,
    source: String,
    row: Vec<RawRow>,
    #[serde(default)]
    table: Vec<PrintedTable>,
}

/// The printed values of one paper.
#[derive(Debug, Clone)]
pub struct Paper {
    /// Short name: "RR-4872".
    pub name: String,
    /// Title.
    pub title: String,
    /// Authors and place of publication.
    pub source: String,
    /// In the order of the paper.
    pub rows: Vec<PaperRow>,
    /// Large tables.
    pub tables: Vec<PrintedTable>,
}

impl Paper {
    /// Reads `fixtures/papers/STEM.toml`.
    ///
    /// # Errors
    /// The file cannot be read, or a row contradicts itself.
    pub fn load(stem: &str) -> Result<Paper> {
        let path = root().join(format!("fixtures/papers/{stem}.toml"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Paper::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Paper> {
        let raw: RawPaper = toml::from_str(text)?;
        let mut ids = BTreeSet::new();
        let mut rows = Vec::new();
        if let Some(table) = raw.table.iter().find(|table| table.rows.is_empty()) {
            bail!("table '{}' ({}) has no rows", table.id, table.place);
        }
        for row in raw.row {
            ensure!(
                ids.insert(row.id.clone()),
                "row '{}' is given twice",
                row.id
            );
            rows.push(checked(row)?);
        }
        Ok(Paper {
            name: raw.name,
            title: raw.title,
            source: raw.source,
            rows,
            tables: raw.table,
        })
    }

    /// A large table.
    pub fn table(&self, id: &str) -> Result<&PrintedTable> {
        let table = self.tables.iter().find(|table| table.id == id);
        table.with_context(|| format!("{}: no table '{id}'", self.name))
    }

    /// The value that a row states.
    pub fn printed(&self, id: &str) -> Result<&Value> {
        let row = self.rows.iter().find(|row| row.id == id);
        Ok(&row
            .with_context(|| format!("{}: no row '{id}'", self.name))?
            .stated)
    }
}

fn checked(raw: RawRow) -> Result<PaperRow> {
    let RawRow {
        id,
        place,
        what,
        printed,
        yields,
        theorem,
        trend,
        ours,
        right,
        verdict,
        erratum,
        reason,
        drawn,
    } = raw;
    let given = RowKind::ALL
        .into_iter()
        .zip([printed, yields, theorem, trend, ours]);
    let mut given = given.filter_map(|(kind, value)| Some((kind, value?)));
    let names = RowKind::ALL.map(RowKind::name).join(", ");
    let (Some((kind, stated)), None) = (given.next(), given.next()) else {
        bail!("row '{id}': exactly one of {names} says what the row holds")
    };
    let fits = match verdict {
        Verdict::Exact => kind == RowKind::Printed,
        Verdict::Holds => matches!(kind, RowKind::Theorem | RowKind::Trend | RowKind::Ours),
        Verdict::Corrected | Verdict::NotReproducible => true,
        Verdict::Open => kind != RowKind::Yields,
    };
    ensure!(
        fits,
        "row '{id}': a row of kind '{}' cannot be '{}'",
        kind.name(),
        verdict.name()
    );
    ensure!(
        kind != RowKind::Yields || verdict == Verdict::Corrected,
        "row '{id}': what a program yields is corrected"
    );
    let corrected = verdict == Verdict::Corrected;
    ensure!(
        corrected == right.is_some(),
        "row '{id}': `right` belongs to corrected rows, and to all of them"
    );
    ensure!(
        corrected == erratum.is_some(),
        "row '{id}': `erratum` belongs to corrected rows, and to all of them"
    );
    let lost = matches!(verdict, Verdict::NotReproducible | Verdict::Open);
    ensure!(
        lost == reason.is_some(),
        "row '{id}': `reason` belongs to rows that are open or not reproducible, and to all of them"
    );
    let stated = Value::read(&stated).with_context(|| format!("row '{id}'"))?;
    let right = right
        .as_ref()
        .map(Value::read)
        .transpose()
        .with_context(|| format!("row '{id}'"))?;
    Ok(PaperRow {
        id,
        place,
        what,
        kind,
        stated,
        right,
        verdict,
        erratum,
        reason,
        drawn,
    })
}

/// Result of a check.
#[derive(Debug, Clone)]
pub struct Finding {
    ours: Ours,
    /// Result of the paper's text, executed as printed. It is compared with the printed value.
    as_printed: Option<Value>,
    note: String,
}

#[derive(Debug, Clone)]
enum Ours {
    Value(Value),
    /// The cells of a printed table.
    Cells {
        equal: usize,
        of: usize,
        words: String,
    },
    Claim {
        holds: bool,
        tried: String,
    },
    Undecided(String),
}

impl Finding {
    /// A value of ours.
    pub fn value(ours: impl Into<Value>) -> Finding {
        Finding {
            ours: Ours::Value(ours.into()),
            as_printed: None,
            note: String::new(),
        }
    }

    /// Whether a claim holds, and the inputs on which it was tried.
    pub fn claim(holds: bool, tried: impl Into<String>) -> Finding {
        Finding {
            ours: Ours::Claim {
                holds,
                tried: tried.into(),
            },
            as_printed: None,
            note: String::new(),
        }
    }

    /// The number of cells of a printed table that we reproduce, and the number of its cells.
    pub fn cells(equal: usize, of: usize, words: impl Into<String>) -> Finding {
        Finding {
            ours: Ours::Cells {
                equal,
                of,
                words: words.into(),
            },
            as_printed: None,
            note: String::new(),
        }
    }

    /// Evidence for a statement that is not proved and not refuted.
    pub fn undecided(found: impl Into<String>) -> Finding {
        Finding {
            ours: Ours::Undecided(found.into()),
            as_printed: None,
            note: String::new(),
        }
    }

    /// Adds the value of the printed text.
    pub fn with_printed(mut self, value: impl Into<Value>) -> Finding {
        self.as_printed = Some(value.into());
        self
    }

    /// A remark for the reader.
    pub fn note(mut self, note: impl Into<String>) -> Finding {
        self.note = note.into();
        self
    }
}

/// Computes ours for one row.
pub type Check = fn(&Paper) -> Result<Finding>;

/// A row with its outcome.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The row.
    pub row: PaperRow,
    /// Ours, as shown.
    pub ours: String,
    /// The verdict, or the error.
    pub verdict: Result<Verdict, String>,
    /// A remark.
    pub note: String,
}

/// Runs every check of a paper against its rows.
///
/// # Errors
/// Checks without a row. Everything else is a verdict.
pub fn judge_all(paper: &Paper, checks: &[(&str, Check)]) -> Result<Vec<Judged>> {
    judge_some(paper, checks, |_| true)
}

/// [`judge_all`] for some rows. Their checks get the full paper, since some read values of other rows.
///
/// # Errors
/// Checks without a row.
pub fn judge_some(
    paper: &Paper,
    checks: &[(&str, Check)],
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Judged>> {
    let mut by_id = BTreeMap::new();
    for &(id, check) in checks {
        ensure!(
            by_id.insert(id, check).is_none(),
            "{}: two checks named '{id}'",
            paper.name
        );
    }
    if let Some(id) = by_id
        .keys()
        .find(|&&id| paper.rows.iter().all(|row| row.id != id))
    {
        bail!(
            "{}: check '{id}' has no row; add one to the fixture",
            paper.name
        );
    }
    Ok(paper
        .rows
        .iter()
        .filter(|row| wanted(&row.id))
        .map(|row| judge(paper, row, by_id.get(row.id.as_str()).copied()))
        .collect())
}

fn judge(paper: &Paper, row: &PaperRow, check: Option<Check>) -> Judged {
    let judged = |ours: String, verdict, note| Judged {
        row: row.clone(),
        ours,
        verdict,
        note,
    };
    let finding = match (check, &row.reason) {
        (None, Some(reason)) => return judged("-".to_string(), Ok(row.verdict), reason.clone()),
        (None, None) => {
            return judged(
                "-".to_string(),
                Err("the row has no check".to_string()),
                String::new(),
            );
        }
        (Some(_), Some(_)) if row.verdict == Verdict::NotReproducible => {
            return judged(
                "-".to_string(),
                Err("a row that is not reproducible has a check".to_string()),
                String::new(),
            );
        }
        (Some(check), _) => match check(paper) {
            Ok(finding) => finding,
            Err(error) => {
                return judged(
                    "-".to_string(),
                    Err(format!("the check failed: {error:#}")),
                    String::new(),
                );
            }
        },
    };
    let verdict = verdict_of(row, &finding).and_then(|found| {
        if found == row.verdict {
            Ok(found)
        } else {
            Err(format!(
                "found {}, expected {}",
                found.name(),
                row.verdict.name()
            ))
        }
    });
    let ours = match &finding.ours {
        Ours::Value(value) => value.to_string(),
        Ours::Claim { holds: true, tried } => format!("holds: {tried}"),
        Ours::Claim {
            holds: false,
            tried,
        } => format!("FAILS: {tried}"),
        Ours::Cells { equal, of, words } => format!("{equal} of {of} cells{words}"),
        Ours::Undecided(found) => found.clone(),
    };
    let notes: Vec<&str> = [Some(finding.note.as_str()), row.reason.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    judged(
        ours,
        verdict,
        notes
            .into_iter()
            .filter(|note| !note.is_empty())
            .collect::<Vec<_>>()
            .join("; "),
    )
}

fn verdict_of(row: &PaperRow, finding: &Finding) -> Result<Verdict, String> {
    if let Some(value) = finding
        .as_printed
        .as_ref()
        .filter(|&value| *value != row.stated)
    {
        return Err(format!(
            "the printed text yields {value}, not {}",
            row.stated
        ));
    }
    if row.kind == RowKind::Yields && finding.as_printed.is_none() {
        return Err("the check does not carry out what is printed".to_string());
    }
    let printed = row.kind == RowKind::Printed;
    // Values that a row states besides those of the paper are compared too.
    let is_ours = matches!(row.kind, RowKind::Ours | RowKind::Trend);
    match &finding.ours {
        Ours::Claim { .. } | Ours::Undecided(_) if printed => {
            Err("a printed value wants a value of ours".to_string())
        }
        Ours::Claim { holds: true, .. } => Ok(Verdict::Holds),
        Ours::Claim { holds: false, .. } => Err("the statement fails".to_string()),
        Ours::Undecided(_) => Ok(Verdict::Open),
        Ours::Cells { equal, of, .. } if printed && equal == of && *of > 0 => Ok(Verdict::Exact),
        Ours::Cells { equal, of, .. } => Err(format!("{equal} of {of} cells")),
        Ours::Value(value) if printed && *value == row.stated => Ok(Verdict::Exact),
        Ours::Value(value) if is_ours && *value == row.stated => Ok(Verdict::Holds),
        Ours::Value(value) if Some(value) == row.right.as_ref() => Ok(Verdict::Corrected),
        Ours::Value(value) => match &row.right {
            Some(right) => Err(format!(
                "{value} is neither the printed {} nor the right {right}",
                row.stated
            )),
            None => Err(format!("{value} is not the stated {}", row.stated)),
        },
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(1).unwrap_or(folder).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_numbers::ratio;

    const HEAD: &str = "name = 'n'\ntitle = 't'\nsource = 's'\n";

    fn half(_: &Paper) -> Result<Finding> {
        Ok(Finding::value(ratio(1, 2)))
    }

    #[track_caller]
    fn verdict(row: &str) -> Result<Verdict, String> {
        let text = format!("{HEAD}[[row]]\nid = 'a'\nplace = 'p'\nwhat = 'w'\n{row}");
        let paper = Paper::parse(&text).map_err(|error| format!("{error:#}"))?;
        let judged = judge_all(&paper, &[("a", half)]).map_err(|error| error.to_string())?;
        judged
            .into_iter()
            .next()
            .map_or(Err("no row".to_string()), |judged| judged.verdict)
    }

    #[test]
    fn verdicts_are_compared_with_what_was_expected() {
        assert_eq!(
            verdict("printed = '2/4'\nverdict = 'exact'"),
            Ok(Verdict::Exact)
        );
        let wrong = "printed = 1\nright = '1/2'\nerratum = 'E'\nverdict = 'corrected'";
        assert_eq!(verdict(wrong), Ok(Verdict::Corrected));
        for unexpected in [
            "printed = '1/3'\nverdict = 'exact'",
            "printed = '1/2'\nright = '1/3'\nerratum = 'E'\nverdict = 'corrected'",
            "printed = 1\nright = '1/3'\nerratum = 'E'\nverdict = 'corrected'",
            "printed = 1\nverdict = 'corrected'",
            "printed = 0.5\nverdict = 'exact'",
            "printed = '1/2'\nverdict = 'not-reproducible'\nreason = 'lost'",
            "printed = '1/2'\nverdict = 'not-reproducible'",
            "printed = '1/2'\nverdict = 'holds'",
            "theorem = '1/2'\nverdict = 'exact'",
            "theorem = '1/2'\nverdict = 'holds'",
            "printed = '1/2'\ntheorem = 'both'\nverdict = 'exact'",
            "yields = 1\nright = '1/2'\nerratum = 'E'\nverdict = 'corrected'",
            "verdict = 'exact'",
        ] {
            assert!(verdict(unexpected).is_err(), "{unexpected}");
        }
    }

    #[test]
    fn rows_and_checks_must_match() -> Result<()> {
        let text = format!(
            "{HEAD}[[row]]\nid = 'a'\nplace = 'p'\nwhat = 'w'\nprinted = '1/2'\nverdict = 'exact'"
        );
        let paper = Paper::parse(&text)?;
        assert!(judge_all(&paper, &[])?[0].verdict.is_err());
        assert!(judge_all(&paper, &[("a", half), ("b", half)]).is_err());
        assert!(judge_all(&paper, &[("a", half), ("a", half)]).is_err());
        Ok(())
    }

    #[test]
    fn a_printed_program_must_yield_what_is_printed() -> Result<()> {
        let row = "[[row]]\nid = 'a'\nplace = 'p'\nwhat = 'w'\nprinted = 0\nright = '1/2'\nerratum = 'E'\nverdict = 'corrected'";
        let paper = Paper::parse(&format!("{HEAD}{row}"))?;
        let with = |check: Check| -> Result<bool> {
            Ok(judge_all(&paper, &[("a", check)])?[0].verdict.is_ok())
        };
        assert!(with(|paper| Ok(half(paper)?.with_printed(0)))?);
        assert!(!with(|paper| Ok(half(paper)?.with_printed(1)))?);
        assert!(!with(|_| Ok(Finding::claim(false, "nothing")))?);
        assert!(!with(|_| Ok(Finding::claim(true, "everything")))?);
        Ok(())
    }

    #[test]
    fn statements_hold_and_tables_are_exact() -> Result<()> {
        let found = |row: &str, check: Check| -> Result<Option<Verdict>> {
            let paper = Paper::parse(&format!(
                "{HEAD}[[row]]\nid = 'a'\nplace = 'p'\nwhat = 'w'\n{row}"
            ))?;
            Ok(judge_all(&paper, &[("a", check)])?[0].verdict.clone().ok())
        };
        let theorem = "theorem = 'always'\nverdict = 'holds'";
        assert_eq!(
            found(theorem, |_| Ok(Finding::claim(true, "all")))?,
            Some(Verdict::Holds)
        );
        assert_eq!(found(theorem, |_| Ok(Finding::claim(false, "one")))?, None);
        let ours = |value: &str| format!("ours = {value}\nverdict = 'holds'");
        assert_eq!(found(&ours("'1/2'"), half)?, Some(Verdict::Holds));
        assert_eq!(found(&ours("'1/3'"), half)?, None);
        let table = "printed = '3 cells'\nverdict = 'exact'";
        assert_eq!(
            found(table, |_| Ok(Finding::cells(3, 3, "")))?,
            Some(Verdict::Exact)
        );
        assert_eq!(found(table, |_| Ok(Finding::cells(2, 3, "")))?, None);
        assert_eq!(found(table, |_| Ok(Finding::cells(0, 0, "")))?, None);
        let open = "theorem = 'always'\nverdict = 'open'\nreason = 'no proof'";
        assert_eq!(
            found(open, |_| Ok(Finding::undecided("tried")))?,
            Some(Verdict::Open)
        );
        assert_eq!(found(open, |_| Ok(Finding::claim(true, "all")))?, None);
        Ok(())
    }
}
