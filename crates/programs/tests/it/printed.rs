//! Results of the printed programs: the counterexamples of docs/errata.md.

use oneport::platform::Node;
use oneport::{Collective, Platform, PortModel, Problem};
use oneport_exact::FileOutcome;
use oneport_programs::{Form, Which, build};

use super::optimum::highs;
use super::reader::{Ended, File};
use super::{nodes, number, platform, scatter, volumes};

fn ended(
    which: Which,
    form: Form,
    platform: &Platform,
    collective: &Collective,
) -> (Ended, String) {
    let volumes = volumes("1");
    let problem = Problem::new(platform, collective, &volumes).unwrap();
    let text = build(which, &problem, form).unwrap().to_lp();
    (File::read(&text).solve(), text)
}

/// Printed and corrected program yield these.
fn check(
    which: Which,
    platform: &Platform,
    collective: &Collective,
    printed: &str,
    corrected: &str,
) {
    for (form, right) in [(Form::Printed, printed), (Form::Corrected, corrected)] {
        let (found, text) = ended(which, form, platform, collective);
        assert_eq!(found, Ended::Optimal(number(right)), "{form:?}:\n{text}");
        assert_eq!(text.contains("as printed"), form == Form::Printed);
    }
}

const FULL: PortModel = PortModel::FullDuplex;
const HALF: PortModel = PortModel::HalfDuplex;

#[test]
fn the_source_conserves_what_it_emits() {
    let one = platform(FULL, "s t", &[("s", "t", "1")]);
    check(Which::Sssp, &one, &scatter(&one, "s", "t"), "0", "1");
}

#[test]
fn receptions_are_counted() {
    let links = [("s", "t", "1"), ("t", "u", "1/4"), ("u", "t", "1/4")];
    let loops = platform(FULL, "s t u", &links);
    check(Which::Sssp, &loops, &scatter(&loops, "s", "t"), "4", "1");
}

#[test]
fn the_last_line_of_sspa2a_counts_at_the_source() {
    let one = platform(FULL, "k l", &[("k", "l", "1")]);
    let message = Collective::sources_to_targets(nodes(&one, "k"), nodes(&one, "l"));
    check(Which::Sspa2a, &one, &message, "0", "1");
}

#[test]
fn a_result_that_comes_back_is_counted() {
    let mut builder = Platform::builder();
    for name in ["0", "1", "2"] {
        builder.node(Node::processor(name, number("10"))).unwrap();
    }
    for (from, to) in [("0", "1"), ("0", "2"), ("1", "2")] {
        let (from, to) = (builder.find(from).unwrap(), builder.find(to).unwrap());
        builder.duplex(from, to, number("1")).unwrap();
    }
    let figure = builder.build().unwrap();
    let participants = nodes(&figure, "0 1 2");
    let reduce = Collective::reduce(participants[0], participants).in_order();
    check(Which::Ssr, &figure, &reduce, "1", "3/20");
}

/// E004-1: no link need be busy.
#[test]
fn the_printed_flow_program_is_unbounded() {
    let figure = platform(
        FULL,
        "1 2 3",
        &[("1", "2", "1"), ("1", "3", "1"), ("2", "3", "1/2")],
    );
    let broadcast = Collective::broadcast(nodes(&figure, "1")[0], nodes(&figure, "2 3"));
    let (found, text) = ended(Which::Broadcast, Form::Printed, &figure, &broadcast);
    assert_eq!(found, Ended::Unbounded, "{text}");
    assert_eq!(highs(&text), FileOutcome::Unbounded);
    let (found, _) = ended(Which::Broadcast, Form::Corrected, &figure, &broadcast);
    assert_eq!(found, Ended::Optimal(number("1")));
}

/// The program that section 2.2.2 calls wrong: unbounded as printed, 3/4 with E004-1 corrected, while 2/3 is possible.
#[test]
fn half_duplex_ports_promise_too_much() {
    let links = [("1", "2", "1"), ("1", "3", "1"), ("2", "3", "1/2")];
    let figure = platform(HALF, "1 2 3", &links);
    let broadcast = Collective::broadcast(nodes(&figure, "1")[0], nodes(&figure, "2 3"));
    let (found, text) = ended(Which::Broadcast, Form::Printed, &figure, &broadcast);
    assert_eq!(found, Ended::Unbounded, "{text}");
    let (found, text) = ended(Which::Broadcast, Form::Corrected, &figure, &broadcast);
    assert_eq!(found, Ended::Optimal(number("3/4")), "{text}");
    assert!(
        text.contains("(wrong solution)") && text.contains("upper bound"),
        "{text}"
    );
    assert!(
        text.contains(" busy(2): - t(1,2) - t(2,3) + t(2) = 0\n"),
        "{text}"
    );
}

/// Figure 2 of RR-2004-32: 2/3 in both forms, and (D) is the dual of (P).
#[test]
fn broadcasts_have_one_optimum_in_both_forms() {
    let figure = platform(
        HALF,
        "1 2 3",
        &[("1", "2", "1"), ("1", "3", "1"), ("2", "3", "1/2")],
    );
    let broadcast = Collective::broadcast(nodes(&figure, "1")[0], nodes(&figure, "2 3"));
    check(Which::P, &figure, &broadcast, "2/3", "2/3");
    check(Which::D, &figure, &broadcast, "2/3", "2/3");
}

/// As printed, (edge_k) counts a link once per pattern, though two of its paths use it.
#[test]
fn a_link_that_two_paths_use_is_counted_twice() {
    let tree = platform(
        HALF,
        "s r a b",
        &[("s", "r", "1"), ("r", "a", "1"), ("r", "b", "1")],
    );
    let scatter = scatter(&tree, "s", "a b");
    check(Which::P, &tree, &scatter, "1/3", "1/4");
    check(Which::D, &tree, &scatter, "1/3", "1/4");
    let line = platform(
        HALF,
        "a b c",
        &[
            ("a", "b", "1"),
            ("b", "a", "1"),
            ("b", "c", "1"),
            ("c", "b", "1"),
        ],
    );
    let participants = nodes(&line, "a b c");
    check(
        Which::P,
        &line,
        &Collective::all_gather(participants.clone()),
        "1/4",
        "1/6",
    );
    check(
        Which::P,
        &line,
        &Collective::all_to_all(participants),
        "1/4",
        "1/8",
    );
}
