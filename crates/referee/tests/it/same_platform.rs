//! A plan is for a platform if names and ends agree, in any order.

use oneport_platform::{Node, Platform, PortModel, Shared, Units};
use oneport_referee::{Rule, check_same_platform};
use oneport_testkit::{number, platform, whole};

const LINKS: [(&str, &str, &str); 3] = [("a", "b", "1/2"), ("b", "c", "2"), ("c", "a", "3")];

#[track_caller]
fn differ(plan: &Platform, other: &Platform, text: &str) {
    let fault = check_same_platform(plan, other).expect_err(text);
    assert_eq!(fault.to_string(), text);
    assert_eq!(fault.rule(), Rule::Claim);
}

#[test]
fn order_does_not_matter_and_names_do() {
    let plan = platform("a b c", &LINKS);
    let [one, two, three] = LINKS;
    for order in [[one, two, three], [three, one, two], [two, three, one]] {
        for names in ["a b c", "c b a", "b c a"] {
            assert_eq!(check_same_platform(&plan, &platform(names, &order)), Ok(()));
        }
    }
    // The same positions under other names.
    let renamed = platform("x b c", &[("x", "b", "1/2"), two, ("c", "x", "3")]);
    differ(
        &plan,
        &renamed,
        "node 'a' of the plan is not on the platform",
    );
    let swapped = platform(
        "c b a",
        &[("c", "b", "1/2"), ("b", "a", "2"), ("a", "c", "3")],
    );
    differ(
        &plan,
        &swapped,
        "link 'a -> b' of the plan is not on the platform",
    );
    let larger = platform("a b c d", &LINKS);
    differ(
        &plan,
        &larger,
        "node 'd' of the platform is not in the plan",
    );
    differ(
        &larger,
        &plan,
        "node 'd' of the plan is not on the platform",
    );
}

#[test]
fn a_link_that_differs_is_named_with_both_costs() {
    let plan = platform("a b c", &LINKS);
    let [_, two, three] = LINKS;
    let slower = platform("c b a", &[three, ("a", "b", "1"), two]);
    differ(
        &plan,
        &slower,
        "link 'a -> b' costs 1/2 in the plan and 1 on the platform",
    );
    let fewer = platform("a b c", &[two, three]);
    differ(
        &plan,
        &fewer,
        "link 'a -> b' of the plan is not on the platform",
    );
    differ(
        &fewer,
        &plan,
        "link 'a -> b' of the platform is not in the plan",
    );
}

#[test]
fn other_differences_are_named() {
    let made = |compute: &str, rate: &str, units: bool, model: PortModel| {
        let mut builder = Platform::builder();
        builder.model(model);
        if units {
            builder.units(Units::gigabytes_and_seconds());
        }
        let node = |name: &str, compute| Node::processor(name, compute);
        let a = builder.node(node("a", number(compute))).expect("a node");
        let b = builder.node(node("b", whole(1))).expect("a node");
        let (there, back) = builder.duplex(a, b, whole(1)).expect("a cable");
        if rate != "none" {
            builder
                .share(Shared::new("bus", number(rate), [there, back]))
                .expect("a bus");
        }
        builder.build().expect("a platform")
    };
    let links = PortModel::Links;
    let plan = made("1", "3", false, links);
    differ(
        &plan,
        &made("2", "3", false, links),
        "node 'a' has another compute in the plan than on the platform",
    );
    differ(
        &plan,
        &made("1", "2", false, links),
        "shared capacity 'bus' has rate 3 in the plan and 2 on the platform",
    );
    differ(
        &plan,
        &made("1", "none", false, links),
        "shared capacity 'bus' of the plan is not on the platform",
    );
    differ(
        &made("1", "none", false, links),
        &plan,
        "shared capacity 'bus' of the platform is not in the plan",
    );
    let [own, other] = [plan.units(), made("1", "3", true, links).units()];
    assert!(own.is_none() && other.is_some());
    assert!(check_same_platform(&plan, &made("1", "3", true, links)).is_err());
    let half = made("1", "none", false, PortModel::HalfDuplex);
    differ(
        &made("1", "none", false, links),
        &half,
        "the port model of the plan is links; that of the platform is half-duplex",
    );
}
