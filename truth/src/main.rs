//! The wide run: `oneport-truth --instances N --seed S`. Prints a table, and exits with 1 if a check fails.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use oneport_files::{PlatformFormat, write_platform};
use oneport_truth::certificates::CertificateKind;
use oneport_truth::check::{Checked, Effort, Verdict, check, referee};
use oneport_truth::draw::Draw;
use oneport_truth::sample::{Sample, sample};

const USAGE: &str = "usage: oneport-truth [--instances N] [--seed S] [--from INSTANCE] [--solver-every N] [--states N]";

/// The command line.
struct Arguments {
    instances: u64,
    seed: u64,
    from: u64,
    solver_every: u64,
    states: u64,
}

/// Counts of one column of the table.
#[derive(Clone, Copy, Default)]
struct Count {
    checked: u64,
    tight: u64,
}

/// One row of the table.
#[derive(Default)]
struct Tally {
    instances: u64,
    /// Per kind, with the solver's answers last.
    counts: BTreeMap<Option<CertificateKind>, Count>,
    refused: u64,
    given_up: u64,
    wrong: u64,
}

/// The smallest case of one kind of mistake.
struct Failure {
    /// Nodes, links, length of the text.
    size: (usize, usize, usize),
    text: String,
    count: u64,
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut rows: BTreeMap<(String, &'static str), Tally> = BTreeMap::new();
    let mut failures: BTreeMap<String, Failure> = BTreeMap::new();
    for instance in arguments.from..arguments.from + arguments.instances {
        let mut draw = Draw::new(arguments.seed, instance);
        let sample = sample(&mut draw);
        let solver = instance % arguments.solver_every == 0;
        let effort = Effort {
            certificates: 1,
            solver,
            states: arguments.states as usize,
        };
        let results = check(&mut draw, &sample, effort, &referee);
        let row = rows
            .entry((sample.label.clone(), sample.model))
            .or_default();
        row.instances += 1;
        for one in &results {
            row.add(one);
            note(&mut failures, &sample, one, arguments.seed, instance);
        }
    }
    print!("{}", table(&rows));
    for (mistake, Failure { text, count, .. }) in &failures {
        println!("\nWRONG {count} times: {mistake}; the smallest case:\n{text}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

fn arguments() -> Option<Arguments> {
    let mut all = Arguments {
        instances: 1000,
        seed: 1,
        from: 0,
        solver_every: 10,
        states: 10_000,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value: u64 = words.next()?.parse().ok()?;
        match word.as_str() {
            "--instances" => all.instances = value,
            "--seed" => all.seed = value,
            "--from" => all.from = value,
            "--solver-every" => all.solver_every = value.max(1),
            "--states" => all.states = value,
            _ => return None,
        }
    }
    Some(all)
}

impl Tally {
    fn add(&mut self, one: &Checked) {
        match one.verdict {
            Verdict::Refused => self.refused += 1,
            Verdict::GivenUp => self.given_up += 1,
            Verdict::Wrong(_) => self.wrong += 1,
            Verdict::Holds { tight } => {
                let count = self.counts.entry(one.kind).or_default();
                count.checked += 1;
                count.tight += u64::from(tight);
            }
        }
    }
}

/// Keeps the smallest case of every mistake: by collective, kind of certificate and first words.
fn note(
    failures: &mut BTreeMap<String, Failure>,
    sample: &Sample,
    one: &Checked,
    seed: u64,
    instance: u64,
) {
    let Verdict::Wrong(text) = &one.verdict else {
        return;
    };
    let kind = one.kind.map_or("solver", CertificateKind::name);
    let words: Vec<&str> = text
        .split(' ')
        .take(4)
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    let mistake = format!("{}, {kind}, {}", sample.label, words.join(" "));
    let text = describe(sample, one, text, seed, instance);
    let size = (
        sample.platform.nodes().len(),
        sample.platform.links().len(),
        text.len(),
    );
    let failure = failures.entry(mistake).or_insert(Failure {
        size,
        text: text.clone(),
        count: 0,
    });
    failure.count += 1;
    if size < failure.size {
        (failure.size, failure.text) = (size, text);
    }
}

fn describe(sample: &Sample, one: &Checked, text: &str, seed: u64, instance: u64) -> String {
    let platform = &sample.platform;
    let mut out =
        format!("{text}\n--seed {seed} --from {instance} --instances 1 --solver-every 1\n");
    let _ = writeln!(out, "{:?}\n{:?}", sample.collective, sample.volumes);
    if let Some(certificate) = &one.certificate {
        for (resource, price) in certificate.prices() {
            let _ = writeln!(out, "price of the {}: {price}", resource.describe(platform));
        }
        let odd_sets: Vec<_> = certificate.odd_sets().collect();
        let _ = writeln!(out, "{odd_sets:?} {:?}", certificate.needs);
    }
    out + &write_platform(platform, PlatformFormat::Toml).unwrap_or_else(|fault| fault.to_string())
}

/// Per collective and model: instances. Per kind of certificate: the bounds that hold and the tight ones. For the
/// solver: the answers that hold and the optimal ones.
fn table(rows: &BTreeMap<(String, &'static str), Tally>) -> String {
    let mut columns: Vec<Option<CertificateKind>> =
        CertificateKind::ALL.into_iter().map(Some).collect();
    columns.push(None);
    let mut out = format!("{:27} {:11} {:>7}", "collective", "model", "cases");
    for kind in &columns {
        let _ = write!(
            out,
            " {:>15}",
            kind.map_or("answers", CertificateKind::name)
        );
    }
    let _ = writeln!(out, " {:>8} {:>8} {:>6}", "refused", "given up", "wrong");
    let mut sum = Tally::default();
    for ((label, model), row) in rows {
        line(&mut out, label, model, row, &columns);
        sum.instances += row.instances;
        (sum.refused, sum.given_up) = (sum.refused + row.refused, sum.given_up + row.given_up);
        sum.wrong += row.wrong;
        for (kind, count) in &row.counts {
            let all = sum.counts.entry(*kind).or_default();
            (all.checked, all.tight) = (all.checked + count.checked, all.tight + count.tight);
        }
    }
    line(&mut out, "all", "", &sum, &columns);
    out
}

fn line(
    out: &mut String,
    label: &str,
    model: &str,
    row: &Tally,
    columns: &[Option<CertificateKind>],
) {
    let _ = write!(out, "{label:27} {model:11} {:>7}", row.instances);
    for kind in columns {
        let Count { checked, tight } = row.counts.get(kind).copied().unwrap_or_default();
        let _ = write!(out, " {:>15}", format!("{checked} ({tight})"));
    }
    let _ = writeln!(
        out,
        " {:>8} {:>8} {:>6}",
        row.refused, row.given_up, row.wrong
    );
}
