//! Programs are written row by row: the text is that of `build`, sizes are those of a reader, and a limit ends it.

use std::collections::BTreeSet;
use std::time::Duration;

use oneport::watch::{Left, Limit, Watch};
use oneport::{Collective, Platform, PortModel, Problem};
use oneport_programs::{Form, ProgramError, Size, Which, build, write};

use super::optimum::plan;
use super::reader::File;
use super::{nodes, platform, volumes};

/// Four nodes, with links in both directions between some of them, and a problem for every program.
fn questions() -> (Platform, Vec<(Which, Collective)>) {
    let links = [
        ("a", "b", "2/3"),
        ("b", "a", "1"),
        ("b", "c", "1/5"),
        ("c", "b", "1/7"),
        ("c", "d", "1/2"),
        ("d", "a", "3"),
        ("d", "c", "1"),
    ];
    let square = platform(PortModel::FullDuplex, "a b c d", &links);
    let all = nodes(&square, "a b c d");
    let scatter = Collective::scatter(all[0], all[1..].to_vec());
    let broadcast = Collective::broadcast(all[0], all[1..].to_vec());
    let asked = vec![
        (Which::Sssp, scatter),
        (Which::Sspa2a, Collective::all_to_all(all.clone())),
        (
            Which::Ssr,
            Collective::reduce(all[1], all.clone()).in_order(),
        ),
        (Which::Broadcast, broadcast.clone()),
        (Which::P, broadcast.clone()),
        (Which::D, broadcast),
    ];
    (square, asked)
}

#[test]
fn sizes_are_those_of_a_reader() {
    let (square, asked) = questions();
    for (which, collective) in asked {
        for form in [Form::Corrected, Form::Printed] {
            let problem = Problem::new(&square, &collective, volumes("7/2")).unwrap();
            let mut written = Vec::new();
            let size = write(which, &problem, form, &mut written, &Watch::unlimited()).unwrap();
            let text = String::from_utf8(written).unwrap();
            let built = build(which, &problem, form).unwrap();
            assert_eq!((built.to_lp(), built.size), (text.clone(), size));
            let file = File::read(&text);
            let sums = file.rows.iter().map(|row| &row.1).chain([&file.objective]);
            let names: BTreeSet<&String> = sums.flat_map(|sum| sum.keys()).collect();
            let found = Size {
                variables: names.len() as u64,
                rows: file.rows.len() as u64,
            };
            assert_eq!(size, found, "{which:?}, {form:?}:\n{text}");
        }
    }
}

/// For every last check, nothing more is written, and the error states the progress.
#[test]
fn a_limit_ends_the_writing() {
    let (square, asked) = questions();
    for (which, collective) in asked {
        let problem = Problem::new(&square, &collective, volumes("1")).unwrap();
        let whole = build(which, &problem, Form::Corrected).unwrap();
        let mut ended = 0;
        for questions in 0.. {
            let watch = Watch::counting(questions, Duration::ZERO);
            let mut text = Vec::new();
            let Err(error) = write(which, &problem, Form::Corrected, &mut text, &watch) else {
                break;
            };
            ended += 1;
            assert!(whole.to_lp().as_bytes().starts_with(&text), "{which:?}");
            match error {
                ProgramError::Stopped {
                    limit,
                    rows,
                    variables,
                    ..
                } => {
                    let rows_written = String::from_utf8(text).unwrap();
                    let rows_written = rows_written
                        .lines()
                        .filter(|line| line.contains('='))
                        .count();
                    assert_eq!((limit, rows), (Limit::Caller, rows_written as u64));
                    // A bound, available before the first row.
                    assert!(variables >= whole.size.variables, "{which:?}: {variables}");
                }
                ProgramError::Unlisted { limit, .. } => assert_eq!(limit, Limit::Caller),
                error => panic!("{error}"),
            }
        }
        assert!(ended as u64 > whole.size.rows, "{which:?}: {ended}");
    }
}

#[test]
fn a_row_without_room_is_refused_with_its_size() {
    let (square, asked) = questions();
    for (which, collective) in asked {
        let problem = Problem::new(&square, &collective, volumes("1")).unwrap();
        let watch = Watch::new(|| Left {
            bytes: Some(100),
            ..Left::default()
        });
        let mut text = Vec::new();
        let refused = write(which, &problem, Form::Corrected, &mut text, &watch).unwrap_err();
        let whole = build(which, &problem, Form::Corrected).unwrap();
        assert!(
            matches!(refused, ProgramError::TooLarge { variables, bytes, .. }
                if variables >= whole.size.variables && bytes > 100),
            "{refused}"
        );
        let said = refused.to_string();
        assert!(
            said.starts_with(which.name()) && said.contains("variables"),
            "{said}"
        );
        assert!(text.is_empty());
    }
    // The restricted program, too, is under a watch.
    let all = nodes(&square, "a b c d");
    let broadcast = Collective::broadcast(all[0], all[1..].to_vec());
    let plan = plan(&Problem::new(&square, &broadcast, volumes("1")).unwrap());
    let watch = Watch::counting(0, Duration::ZERO);
    let ended = plan.with(|plan| {
        oneport_programs::write_restricted(&plan, Form::Corrected, &mut Vec::new(), &watch)
    });
    let ended = ended.unwrap();
    assert!(
        matches!(ended, Err(ProgramError::Stopped { .. })),
        "{ended:?}"
    );
}
