//! Whole messages: cuts counted in the execution, schedules that cut none, the referee's own count.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_period::rounding::{Target, round};
use oneport_plan::{
    Collective, Pattern, PeriodicSchedule, Problem, Resource, ScheduledPattern, Slot, Task,
    Volumes, WholePatterns,
};
use oneport_platform::{Node, Platform, PortModel, Rational};
use oneport_referee::{check_schedule, check_timeline, check_whole_messages};
use oneport_schedule::{Execution, cuts, execution, periodic, tightened, timeline, whole_messages};
use oneport_watch::Watch;
use proptest::prelude::*;

use crate::models::{Models, any_models, cases, problem, schedule};
use oneport_testkit::ratio;

/// Transfers, those cut and the most pieces, by every single copy with its dates.
fn counted(execution: &Execution) -> (usize, usize, u64) {
    let sends = execution
        .tasks
        .iter()
        .filter(|dated| matches!(dated.task, Task::Send { .. }));
    let pieces: Vec<usize> = sends
        .filter(|dated| !dated.duration.is_zero())
        .map(|dated| dated.pieces.len())
        .collect();
    let most = pieces.iter().max().copied().unwrap_or(0) as u64;
    (
        pieces.len(),
        pieces.iter().filter(|&&pieces| pieces > 1).count(),
        most,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn cuts_are_those_of_single_messages(case in cases(any_models(), 6, 4), most in 1..30u64) {
        let schedule = schedule(&case, most);
        let cuts = cuts(&problem(&case), &schedule);
        let (transfers, cut, pieces) = counted(&execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap());
        prop_assert_eq!(&cuts.transfers, &BigUint::from(transfers));
        prop_assert_eq!(&cuts.cut, &BigUint::from(cut));
        prop_assert_eq!(cuts.pieces, pieces);
        prop_assert_eq!(check_whole_messages(&problem(&case), &schedule).is_ok(), cut == 0);
    }

    #[test]
    fn nothing_is_cut_in_the_longer_period(case in cases(any_models(), 5, 3), most in 1..12u64) {
        let before = schedule(&case, most);
        let (after, whole) = whole_messages(&problem(&case), &before);
        prop_assert!(!whole.factor.is_zero());
        prop_assert_eq!(&after.period, &(&before.period * ratio(whole.factor.clone(), 1)));
        prop_assert_eq!(after.throughput(), before.throughput());
        check_whole_messages(&problem(&case), &after).unwrap();
        prop_assert!(cuts(&problem(&case), &after).cut.is_zero());
        if cuts(&problem(&case), &before).cut.is_zero() {
            prop_assert_eq!(&after, &before);
        }
        if let Ok(run) = timeline(&problem(&case), &after, 2) {
            prop_assert!(run.events.iter().all(|event| event.pieces.len() == 1));
            check_timeline(&problem(&case), &run).unwrap();
        }
        prop_assert!(whole.tried.iter().all(|tried| BigUint::from(tried.factor) < whole.factor));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    /// If ports are a bipartite graph, equal messages need no longer period, if it is as long as a whole number of them
    /// (Koenig). With several ports it may not be: 3 messages at 2 ports take 3/2.
    #[test]
    fn equal_messages_of_bipartite_ports_stay_whole(case in cases(bipartite(), 6, 4), most in 1..20u64) {
        let whole = round(&problem(&case), &case.steady_state, &Target::Instances(most), &Watch::unlimited()).unwrap();
        let (platform, volumes) = (equal(&case.platform), Volumes::default());
        let problem = Problem::new(&platform, &case.collective, &volumes).unwrap();
        let schedule = periodic(&problem, tightened(&problem, whole).unwrap(), &Watch::unlimited()).unwrap();
        let (after, price) = whole_messages(&problem, &schedule);
        let several = Resource::of_platform(&platform).iter().any(|resource| resource.capacity(&platform) > 1);
        let most = if several { schedule.period.denom().magnitude().clone() } else { BigUint::one() };
        prop_assert!(price.factor <= most, "{price:?}, period {}", schedule.period);
        check_whole_messages(&problem, &after).unwrap();
    }
}

fn bipartite() -> impl Strategy<Value = Models> {
    let models = [
        PortModel::FullDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ];
    prop::sample::select(models.map(Models::All).to_vec())
}

/// The platform with links of cost 1.
fn equal(platform: &Platform) -> Platform {
    let mut builder = Platform::builder();
    builder.model(platform.model());
    for node in platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for link in platform.links() {
        builder.link(link.from, link.to, Rational::one()).unwrap();
    }
    builder.build().unwrap()
}

/// A slot cut in two with another between them is found, and so is one that is moved by a part of a message.
#[test]
fn the_referee_names_the_link_and_the_date() {
    let mut builder = Platform::builder();
    let one = || ratio(1, 1);
    let [a, b] = ["a", "b"].map(|name| builder.node(Node::processor(name, one())).unwrap());
    let link = builder.link(a, b, one()).unwrap();
    let platform = builder.build().unwrap();
    let (collective, volumes) = (Collective::scatter(a, vec![b]), Volumes::default());
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let patterns = vec![ScheduledPattern {
        pattern: Pattern::path(0, vec![link]),
        copies: 2u32.into(),
    }];
    let whole = WholePatterns {
        period: one() + one(),
        instances: 2u32.into(),
        patterns,
    };
    let schedule = periodic(&problem, whole, &Watch::unlimited()).unwrap();
    check_whole_messages(&problem, &schedule).unwrap();
    let [slot] = &schedule.slots[..] else {
        panic!("one link, one slot")
    };
    let third = ratio(1, 3);
    let part = Slot {
        shares: Vec::new(),
        length: &slot.length * &third,
        links: slot.links.clone(),
    };
    let rest = Slot {
        shares: Vec::new(),
        length: &slot.length - &part.length,
        links: slot.links.clone(),
    };
    let pause = Slot {
        shares: Vec::new(),
        length: third.clone(),
        links: Vec::new(),
    };
    let period = &schedule.period + &third;
    let cut = PeriodicSchedule {
        slots: vec![part, pause, rest],
        period,
        ..schedule
    };
    check_schedule(&problem, &cut).unwrap();
    let violation = check_whole_messages(&problem, &cut)
        .unwrap_err()
        .to_string();
    assert!(
        violation.contains("is cut at 2/3, with 1/3 of it left"),
        "{violation}"
    );
    assert_eq!(cuts(&problem, &cut).cut, 1u32.into());
    let (whole, price) = whole_messages(&problem, &cut);
    assert_eq!(
        price.factor,
        1u32.into(),
        "the search puts the two messages side by side"
    );
    check_whole_messages(&problem, &whole).unwrap();
}
