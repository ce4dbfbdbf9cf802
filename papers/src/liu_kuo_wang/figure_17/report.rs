//! Curves and tables of figure 17.

use anyhow::{Context, Result};
use oneport_drawings::svg::{self, CurveOptions, Measure, Series};

use super::model::{Operator, Question, ROOTS, TICKS, VALUES};
use super::programs::{Answers, BUILTIN, Bench, Choice, LIBRARY, Network, Requests};
use super::{SHORTEST, SIMULATIONS, SNF, Simulated, requests, simulated, ticks};
use crate::figures::Figure;
use crate::numbers::digits;

/// Differences from the paper's cluster.
const CLUSTER: &str = "The paper's Xeons (3.2 GHz), Athlons (2 GHz), fast Ethernet and MPICH 1.2.6 are gone, no \
     speeds and no absolute times are stated, and the curves are not in the text we have. Ours: a fast processor sends \
     a message in 50 us and 80 ns for each byte (with 16 bytes of envelope) and merges a value in 2 ns (MAX) or 200 ns \
     (gcd); a slow one takes 8/5 of everything. Ranks 0 to 3 are fast.";

/// Curves, tables, and the times of real libraries.
pub fn figures() -> Result<Vec<Figure>> {
    let title = "Liu-Kuo-Wang 2009, figure 17";
    let here =
        "One port, dates added up exactly. No tree at all is shorter than slowest node first here.";
    let caption = format!("{here} {CLUSTER}");
    let mut figures = vec![Figure::svg(title, caption, times(title)?)];
    let Some(simulated) = simulated()? else {
        return Ok(figures);
    };
    for (network, name) in [
        (Network::OnePort, "one port"),
        (Network::Default, "SMPI's own network"),
    ] {
        let title = format!("Liu-Kuo-Wang 2009, figure 17 in SimGrid: {name}");
        let caption = "gcd, fast root: times over that of slowest node first. SMPI follows the MPI libraries' choices \
             of algorithm; those that cut the vector, and (where ports share their bandwidth) the flat tree, are no trees \
             under one port.";
        figures.push(Figure::svg(
            &title,
            caption,
            shares(&title, simulated, network)?,
        ));
        figures.push(table(
            &format!("{title}, microseconds"),
            simulated,
            network,
        )?);
    }
    figures.extend(measured()?);
    Ok(figures)
}

fn times(title: &str) -> Result<String> {
    let mut series = Vec::new();
    for operator in Operator::ALL {
        let all = VALUES.map(|values| {
            Ok((
                values,
                ticks(&Question {
                    operator,
                    values,
                    root: ROOTS[0],
                })?,
            ))
        });
        let all: Vec<(u64, [u64; 3])> = all.into_iter().collect::<Result<_>>()?;
        let shown = operator.name().replace("max", "MAX");
        for (index, name) in [
            "MPI_Reduce, binomial tree",
            "slowest node first, a shortest tree",
        ]
        .into_iter()
        .enumerate()
        {
            let points = all
                .iter()
                .map(|(values, ticks)| (*values as f64, ticks[index] as f64 / TICKS))
                .collect();
            series.push(Series {
                name: format!("{name}: {shown}"),
                points,
            });
        }
    }
    let measures = (Measure::Number, Measure::Seconds);
    let options = CurveOptions {
        log_x: true,
        log_y: true,
        measures,
        ..Default::default()
    };
    Ok(svg::curve(
        title,
        "values of each processor",
        "time of a reduction",
        &series,
        &options,
    ))
}

/// The libraries' choices that were simulated on a network.
fn choices(network: Network) -> impl Iterator<Item = Choice> {
    SIMULATIONS
        .into_iter()
        .filter(move |(its, _)| *its == network)
        .map(|(_, choice)| choice)
}

fn at(
    simulated: &Simulated,
    network: Network,
    choice: Choice,
    question: Question,
    name: &str,
) -> Result<f64> {
    let answers = simulated.get(&(network, choice)).context("no simulation")?;
    answers
        .get(&(question, name.to_string()))
        .copied()
        .context("no answer")
}

fn shares(title: &str, simulated: &Simulated, network: Network) -> Result<String> {
    let mut series = Vec::new();
    for choice in choices(network) {
        let point = |values| {
            let question = Question {
                operator: Operator::Gcd,
                values,
                root: ROOTS[0],
            };
            let time = |name| at(simulated, network, choice, question, name);
            Ok((values as f64, time(LIBRARY)? / time(SNF)?))
        };
        let points = VALUES.into_iter().map(point).collect::<Result<_>>()?;
        series.push(Series {
            name: format!("MPI_Reduce: {}", choice.name()),
            points,
        });
    }
    let reference = Some((1.0, "slowest node first".to_string()));
    let options = CurveOptions {
        log_x: true,
        reference,
        ..Default::default()
    };
    Ok(svg::curve(
        title,
        "values of each processor",
        "time over that of slowest node first",
        &series,
        &options,
    ))
}

fn table(title: &str, simulated: &Simulated, network: Network) -> Result<Figure> {
    let mut header = vec!["operator", "values", "root"];
    header.extend(choices(network).map(Choice::name));
    header.extend(["slowest node first", "shortest tree"]);
    let mut rows = Vec::new();
    for question in ROOTS.into_iter().flat_map(Question::all) {
        let trees = [SNF, SHORTEST].map(|name| (Choice::Binomial, name));
        let columns = choices(network)
            .map(|choice| (choice, LIBRARY))
            .chain(trees);
        let mut row = start(question);
        for (choice, name) in columns {
            row.push(digits(
                at(simulated, network, choice, question, name)? * 1e6,
            ));
        }
        rows.push(row);
    }
    Ok(Figure::table(
        title,
        "Simulated; roots: 0 is fast, 4 slow.",
        &header,
        rows,
    ))
}

fn start(question: Question) -> Vec<String> {
    vec![
        question.operator.name().to_string(),
        question.values.to_string(),
        question.root.to_string(),
    ]
}

/// Real libraries, if installed. Results are compared, times are only reported. Tests leave the libraries out. MPICH
/// waits at full speed if ranks outnumber cores, so few sizes are tried under it unless `ONEPORT_MPI` gives a number of
/// runs (the paper has 1000).
fn measured() -> Result<Option<Figure>> {
    let asked = std::env::var("ONEPORT_MPI")
        .ok()
        .map(|runs| runs.parse().unwrap_or(1));
    let thorough = asked.is_some();
    if cfg!(test) && !thorough {
        return Ok(None);
    }
    let (mut header, mut rows) = (vec!["operator", "values", "root"], Vec::new());
    let mut columns: Vec<(Answers, &str)> = Vec::new();
    let bench = Bench::new("mpi")?;
    let few = |question: &Question| thorough || [4, 256, 4096].contains(&question.values);
    for (compiler, launcher, package, names) in [
        (
            "mpicc.openmpi",
            "mpirun.openmpi",
            "libopenmpi-dev",
            [
                "Open MPI",
                "Open MPI, MPI_MAX",
                "Open MPI, SNF",
                "Open MPI, shortest",
            ],
        ),
        (
            "mpicc.mpich",
            "mpirun.mpich",
            "libmpich-dev",
            ["MPICH", "MPICH, MPI_MAX", "MPICH, SNF", "MPICH, shortest"],
        ),
    ] {
        let Some(program) = bench.compile(compiler, package)? else {
            continue;
        };
        let questions = ROOTS.into_iter().flat_map(Question::all).filter(few);
        let requests: Requests = requests(questions)?;
        let runs = asked.unwrap_or(if launcher.ends_with("openmpi") { 5 } else { 1 });
        let answers = bench.measured(&program, launcher, &requests, runs)?;
        header.extend(names);
        columns.extend([LIBRARY, BUILTIN, SNF, SHORTEST].map(|name| (answers.clone(), name)));
    }
    for question in ROOTS.into_iter().flat_map(Question::all).filter(few) {
        let cells = columns.iter().map(|(answers, name)| {
            if *name == BUILTIN && question.operator != Operator::Max {
                return Ok("-".to_string());
            }
            let seconds = answers
                .get(&(question, name.to_string()))
                .context("no answer")?;
            Ok(format!("{:.0}", seconds * 1e6))
        });
        rows.push(
            start(question)
                .into_iter()
                .map(Ok)
                .chain(cells)
                .collect::<Result<_>>()?,
        );
    }
    let caption = "Eight ranks on the cores of this machine; merging waits as long as the processor's speed says, \
         messages take what they take. Every result was compared with the definition. MPI_MAX is MPI's own operator, as in the paper, \
         and merges as fast as this machine can; the column before it is the same with an operator of the user's. Medians of 5 runs (MPICH: 1); \
         `ONEPORT_MPI=N` takes N of all sizes. The times say little where ranks outnumber cores.";
    let title = "Liu-Kuo-Wang 2009, figure 17 on real MPI, microseconds";
    Ok((!columns.is_empty()).then(|| Figure::table(title, caption, &header, rows)))
}
