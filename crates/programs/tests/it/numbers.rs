//! The numbers are the file's: a program in memory has the optimum of the text, in both readings, with times as
//! variables and without, and with the rows of resources instead of the paper's.

use oneport::platform::LinkId;
use oneport::{Collective, NodeId, Platform, PortModel, Problem};
use oneport_exact::{Options, Outcome, Solver};
use oneport_programs::{
    Errata, Form, Limits, Linear, Message, Reductions, Which, build, copies, messages, reductions,
};

use super::reader::{Ended, File};
use super::{nodes, platform, scatter, volumes};

fn solved(program: Linear) -> Ended {
    let program = program.solvable().unwrap().program;
    match Solver::new(program).solve(&Options::default()).unwrap() {
        Outcome::Optimal(optimum) => Ended::Optimal(optimum.objective),
        Outcome::Unbounded { .. } => Ended::Unbounded,
        Outcome::Infeasible(_) => Ended::Infeasible,
        Outcome::LimitReached { .. } => panic!("no limit was set"),
    }
}

/// The text of a program and its numbers agree. `write` makes the numbers.
fn check(
    which: Which,
    problem: &Problem,
    printed: Errata,
    write: impl Fn(Errata, Limits) -> Linear,
) {
    for (form, errors) in [(Form::Corrected, Errata::NONE), (Form::Printed, printed)] {
        let text = build(which, problem, form).unwrap().to_lp();
        let right = File::read(&text).solve();
        assert_eq!(solved(write(errors, Limits::Papers)), right, "{text}");
        for limits in [Limits::Papers, Limits::Resources] {
            let short = write(errors, limits).substituted();
            assert_eq!(solved(short), right, "{limits:?}: {text}");
        }
    }
}

/// Five nodes with cycles, and a second size.
fn cyclic() -> Platform {
    let links = [
        ("a", "b", "1"),
        ("b", "a", "1/2"),
        ("b", "c", "2/3"),
        ("c", "a", "3"),
        ("c", "d", "1"),
        ("d", "b", "1/4"),
        ("a", "d", "5/2"),
        ("d", "e", "1"),
        ("e", "c", "1/3"),
    ];
    platform(PortModel::FullDuplex, "a b c d e", &links)
}

fn problem(platform: &Platform, collective: Collective) -> Problem {
    Problem::new(platform, collective, volumes("3/2")).unwrap()
}

#[test]
fn messages_are_those_of_the_file() {
    let platform = cyclic();
    let time = |link: LinkId| time_of(&platform, link);
    let all = nodes(&platform, "a c e");
    for (which, collective, printed) in [
        (Which::Sssp, scatter(&platform, "a", "c d e"), Errata::SSSP),
        (Which::Sspa2a, Collective::all_to_all(all), Errata::SSPA2A),
    ] {
        let commodities = collective.commodities();
        let problem = problem(&platform, collective);
        check(which, &problem, printed, |errors, limits| {
            messages(&platform, &commodities, &time, errors, limits).unwrap()
        });
    }
}

fn time_of(platform: &Platform, link: LinkId) -> oneport::Rational {
    &platform.link(link).cost * super::number("3/2")
}

#[test]
fn reductions_are_those_of_the_file() {
    let platform = cyclic();
    let participants = nodes(&platform, "b a d");
    let target = nodes(&platform, "c");
    let collective = Collective::reduce(target[0], participants.clone()).in_order();
    let problem = problem(&platform, collective);
    let volumes = problem.volumes();
    let given = Reductions {
        platform: &platform,
        participants: &participants,
        targets: &target,
        send_time: &|_, link, part| problem.transfer_time(link, part),
        can_merge: &|_, _, _| true,
        merge_time: &|node, part, split| volumes.merge_time(&platform, node, part, split),
    };
    check(Which::Ssr, &problem, Errata::SSR, |errors, limits| {
        reductions(given, errors, limits).unwrap()
    });
}

#[test]
fn copies_are_those_of_the_file() {
    let platform = cyclic();
    let targets: Vec<NodeId> = nodes(&platform, "b c d e");
    let source = nodes(&platform, "a")[0];
    let problem = problem(&platform, Collective::broadcast(source, targets.clone()));
    let time = |link: LinkId| time_of(&platform, link);
    let message = Message {
        source,
        targets: &targets,
        rate: 1,
        time: &time,
    };
    check(
        Which::Broadcast,
        &problem,
        Errata::BROADCAST,
        |errors, limits| copies(&platform, &[message], errors, limits).unwrap(),
    );
}
