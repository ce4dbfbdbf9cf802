//! Refusals, and the spelling of hostile names.

use oneport::platform::Node;
use oneport::{Collective, Platform, PortModel, Problem};
use oneport_exact::FileOutcome;
use oneport_programs::{Form, ProgramError, Which, build};

use super::optimum::{highs, plan};
use super::reader::File;
use super::{nodes, number, platform, scatter, volumes};

fn refusal(which: Which, form: Form, platform: &Platform, collective: &Collective) -> ProgramError {
    let volumes = volumes("1");
    build(
        which,
        &Problem::new(platform, collective, &volumes).unwrap(),
        form,
    )
    .unwrap_err()
}

#[test]
fn a_program_of_another_collective_is_refused() {
    let pair = platform(
        PortModel::FullDuplex,
        "a b",
        &[("a", "b", "1"), ("b", "a", "1")],
    );
    let all = nodes(&pair, "a b");
    let reduce = Collective::reduce(all[0], all.clone());
    let one = scatter(&pair, "a", "b");
    for (which, collective) in [
        (Which::Sssp, &reduce),
        (Which::Sspa2a, &one),
        (Which::Ssr, &reduce),
        (Which::Broadcast, &one),
        (Which::P, &reduce),
        (Which::D, &reduce),
    ] {
        let refused = refusal(which, Form::Corrected, &pair, collective);
        assert!(
            matches!(refused, ProgramError::Collective { .. }),
            "{refused}"
        );
    }
    assert_eq!(
        refusal(Which::PPrime, Form::Corrected, &pair, &one),
        ProgramError::NoPlan
    );
}

#[test]
fn ports_that_the_rows_do_not_describe_are_refused() {
    let links = [("a", "b", "1")];
    for (model, form, refused) in [
        (PortModel::HalfDuplex, Form::Corrected, true),
        (PortModel::HalfDuplex, Form::Printed, true),
        (PortModel::Links, Form::Printed, true),
        (PortModel::Links, Form::Corrected, false),
    ] {
        let pair = platform(model, "a b", &links);
        let (collective, volumes) = (scatter(&pair, "a", "b"), volumes("1"));
        let found = build(
            Which::Sssp,
            &Problem::new(&pair, &collective, &volumes).unwrap(),
            form,
        );
        assert_eq!(
            matches!(found, Err(ProgramError::Model { ref node, .. }) if node == "a"),
            refused
        );
    }
    let pair = platform(PortModel::Links, "a b", &links);
    let broadcast = Collective::broadcast(nodes(&pair, "a")[0], nodes(&pair, "b"));
    let refused = refusal(Which::Broadcast, Form::Printed, &pair, &broadcast).to_string();
    assert!(refused.contains("full-duplex or half-duplex"), "{refused}");
}

#[test]
fn switches_are_refused_where_copies_are_made() {
    let mut builder = Platform::builder();
    let a = builder.node(Node::processor("a", number("1"))).unwrap();
    let switch = builder
        .node(Node {
            replicates: false,
            ..Node::router("switch")
        })
        .unwrap();
    let b = builder.node(Node::processor("b", number("1"))).unwrap();
    builder.link(a, switch, number("1")).unwrap();
    builder.link(switch, b, number("1")).unwrap();
    let platform = builder.build().unwrap();
    let broadcast = Collective::broadcast(a, vec![b]);
    for which in [Which::Broadcast, Which::P, Which::D] {
        let refused = refusal(which, Form::Corrected, &platform, &broadcast);
        assert!(
            matches!(refused, ProgramError::Switch { ref node, .. } if node == "switch"),
            "{refused}"
        );
    }
    let scatter = Collective::scatter(a, vec![b]);
    assert!(
        build(
            Which::P,
            &Problem::new(&platform, &scatter, volumes("1")).unwrap(),
            Form::Corrected
        )
        .is_ok()
    );
}

/// Both enumerations stop at their limits, also if they never find a result.
#[test]
fn too_many_patterns_or_matchings_are_refused() {
    let names: Vec<String> = (0..12).map(|name| format!("n{name}")).collect();
    let mut links = Vec::new();
    for from in &names {
        links.extend(
            names
                .iter()
                .filter(|to| *to != from)
                .map(|to| (from.as_str(), to.as_str(), "1")),
        );
    }
    let clique = platform(PortModel::HalfDuplex, &names.join(" "), &links);
    for which in [Which::P, Which::D] {
        let refused = refusal(
            which,
            Form::Corrected,
            &clique,
            &scatter(&clique, "n0", "n1"),
        );
        assert!(
            matches!(
                refused,
                ProgramError::TooMany {
                    what: "matchings",
                    ..
                }
            ),
            "{refused}"
        );
    }
    // One link leads from the clique to the target.
    let mut lonely = Platform::builder();
    lonely.model(PortModel::HalfDuplex);
    for name in names.iter().map(String::as_str).chain(["alone"]) {
        lonely.node(Node::processor(name, number("1"))).unwrap();
    }
    let ids: Vec<_> = names
        .iter()
        .map(|name| lonely.find(name).unwrap())
        .collect();
    for (from, to, _) in &links {
        lonely
            .link(
                lonely.find(from).unwrap(),
                lonely.find(to).unwrap(),
                number("1"),
            )
            .unwrap();
    }
    let alone = lonely.find("alone").unwrap();
    lonely.link(ids[1], alone, number("1")).unwrap();
    let lonely = lonely.build().unwrap();
    let far = Collective::scatter(ids[0], vec![alone]);
    let refused = refusal(Which::P, Form::Corrected, &lonely, &far);
    assert!(matches!(refused, ProgramError::TooMany { .. }), "{refused}");
}

/// Names that the format forbids, or that it would read as another token, are replaced. The optimum stays.
#[test]
fn hostile_names_are_read_by_highs() {
    let hostile = [
        "gpu 0", "a,b", "x:y", "1e5", "free", "st", "<=", "End", "inf", "\\",
    ];
    let mut builder = Platform::builder();
    let ids: Vec<_> = hostile
        .iter()
        .map(|name| builder.node(Node::processor(*name, number("1"))).unwrap())
        .collect();
    for pair in ids.windows(2) {
        builder.duplex(pair[0], pair[1], number("2/3")).unwrap();
    }
    let line = builder.build().unwrap();
    let volumes = volumes("1");
    let reduce = Collective::reduce(ids[0], ids[..4].to_vec()).in_order();
    let broadcast = Collective::broadcast(ids[0], ids[1..].to_vec());
    let scatter = Collective::scatter(ids[0], ids[1..].to_vec());
    let gossip = Collective::all_to_all(ids[..3].to_vec());
    for (which, collective) in [
        (Which::Ssr, reduce),
        (Which::Broadcast, broadcast),
        (Which::Sssp, scatter),
        (Which::Sspa2a, gossip),
    ] {
        let problem = Problem::new(&line, &collective, &volumes).unwrap();
        let text = build(which, &problem, Form::Corrected).unwrap().to_lp();
        let right = plan(&problem).upper_bound;
        assert_eq!(
            File::read(&text).solve(),
            super::reader::Ended::Optimal(right.clone()),
            "{text}"
        );
        assert!(matches!(highs(&text), FileOutcome::Optimal(_)), "{text}");
        assert!(text.contains("node1 is the node \"a,b\"."), "{text}");
    }
}
