//! Reasons for the optimum: their costs add up to the cost of an instance.

use oneport::explain::why;
use oneport::{Collective, Goal, platform::PortModel, solve};
use oneport::{NodeId, Options, Problem, Rational, Volumes, files};
use oneport_testkit::whole;

#[test]
fn shares_add_up_to_the_inverse_of_the_bound() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/platforms/");
    let (mut inequalities, mut patterns) = (0, 0);
    for name in ["toy-scatter.toml", "dgx1.toml", "star.json"] {
        let platform = files::read_platform(format!("{folder}{name}")).unwrap();
        let participants: Vec<NodeId> = platform.processors().collect();
        for model in [PortModel::Links, PortModel::FullDuplex] {
            let platform = platform.clone().with_model(model);
            let participants = participants.clone();
            let volumes = Volumes::of_size(whole(1));
            for collective in [
                Collective::all_reduce(participants.clone()),
                Collective::all_gather(participants.clone()),
                Collective::broadcast(participants[0], participants[1..].to_vec()),
                Collective::all_to_all(participants.clone()),
            ] {
                let Ok(problem) = Problem::new(&platform, &collective, &volumes) else {
                    continue;
                };
                let Ok(solved) = solve(&problem, &Options::of(Goal::Bound)) else {
                    continue;
                };
                let reasons = why(&problem, solved.answer.certificate()).unwrap();
                let total: Rational = reasons.iter().map(|reason| &reason.share).sum();
                assert_eq!(
                    total,
                    solved.answer.bound().recip(),
                    "{name}, {model}, {collective:?}: {reasons:?}"
                );
                assert!(reasons.iter().all(|reason| !reason.sentence.is_empty()));
                let said = |words: &str| {
                    usize::from(reasons.iter().any(|reason| reason.sentence.contains(words)))
                };
                inequalities += said("at least");
                patterns += said("the cheapest");
            }
        }
    }
    assert!(
        inequalities > 2 && patterns > 2,
        "{inequalities} {patterns}"
    );
}
