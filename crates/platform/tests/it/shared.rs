//! Shared capacities: costs, changes and symmetries by hand.

use oneport_platform::{
    Change, LinkId, Node, NodeId, Number, Platform, PlatformError, PortModel, Rational, Shared,
    SharedId, free_automorphisms, ratio,
};

/// Three nodes, a link of cost 1 in both directions between each two, under the model `links`.
fn triangle(shared: impl IntoIterator<Item = (&'static str, Rational, Vec<usize>)>) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let ids = ["a", "b", "c"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        builder.duplex(ids[from], ids[to], ratio(1, 1)).unwrap();
    }
    for (name, rate, links) in shared {
        let links = links.into_iter().map(LinkId::new);
        builder.share(Shared::new(name, rate, links)).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn the_cost_of_a_member_is_its_time_when_it_is_alone() {
    let platform = triangle([
        ("fast", ratio(4, 1), vec![0, 1, 1]),
        ("slow", ratio(1, 3), vec![1, 2, 2]),
    ]);
    let costs: Vec<Rational> = platform
        .links()
        .iter()
        .map(|link| link.cost.clone())
        .collect();
    let expected = [1, 3, 6, 1, 1, 1].map(|cost| ratio(cost, 1));
    assert_eq!(costs, expected);
    assert!(
        platform
            .link_ids()
            .all(|link| platform.own_cost(link) == &ratio(1, 1))
    );
    // A message that is alone on link 1 takes 3 units of time, and the whole fast capacity for 2/4 of a unit.
    let used = |link: usize| platform.shared_by(LinkId::new(link)).to_vec();
    let [fast, slow] = [0, 1].map(SharedId::new);
    assert_eq!(used(0), [(fast, ratio(1, 4))]);
    assert_eq!(used(1), [(fast, ratio(1, 6)), (slow, ratio(1, 1))]);
    assert_eq!((used(2), used(3)), (vec![(slow, ratio(1, 1))], vec![]));
    assert_eq!(platform.find_shared("slow"), Some(slow));
    assert!(!platform.only_links() && triangle([]).only_links());
}

#[test]
fn changes_of_rates_reach_the_costs_and_the_gone_takes_its_share_along() {
    let old = triangle([
        ("bus", ratio(1, 3), vec![0, 2]),
        ("wire", ratio(1, 5), vec![4]),
    ]);
    let [bus, wire] = [0, 1].map(SharedId::new);
    let changed = |changes: &[Change]| old.changed(changes).unwrap();
    let faster = changed(&[Change::Rate(bus, Number::Times(ratio(6, 1)))]);
    let cost = |platform: &Platform, link: usize| platform.links()[link].cost.clone();
    // 1/3 x 6 = 2: the link's own cost of 1 remains.
    assert_eq!(
        (cost(&old, 0), cost(&faster.platform, 0)),
        (ratio(3, 1), ratio(1, 1))
    );
    assert_eq!(cost(&faster.platform, 4), ratio(5, 1));
    let own = changed(&[Change::Cost(LinkId::new(0), Number::Times(ratio(7, 1)))]);
    assert_eq!(
        (cost(&own.platform, 0), cost(&own.platform, 2)),
        (ratio(7, 1), ratio(3, 1))
    );
    let without = changed(&[
        Change::WithoutLink(LinkId::new(4)),
        Change::WithoutLink(LinkId::new(0)),
    ]);
    assert_eq!(*without.shared, [Some(bus), None]);
    assert_eq!(without.platform.shared()[0].weights.len(), 1);
    let gone = changed(&[Change::WithoutShared(bus)]);
    assert_eq!(
        (gone.shared.to_vec(), cost(&gone.platform, 0)),
        (vec![None, Some(SharedId::new(0))], ratio(1, 1))
    );
    assert_eq!(gone.platform.shared()[0].name, "wire");
    let unknown = old.changed(&[Change::WithoutShared(SharedId::new(2))]);
    assert_eq!(
        unknown,
        Err(PlatformError::UnknownSharedId { id: 2, shared: 2 })
    );
    assert_eq!(
        changed(&[Change::Rate(wire, Number::Exactly(ratio(1, 5)))]).platform,
        old
    );
}

#[test]
fn refused() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [a, b] = ["a", "b"].map(|name| builder.node(Node::router(name)).unwrap());
    let link = builder.link(a, b, ratio(0, 1)).unwrap();
    let mut share =
        |name: &str, rate, links: Vec<LinkId>| builder.share(Shared::new(name, rate, links));
    assert!(share("bus", ratio(1, 1), vec![link]).is_ok());
    let name = || "x".to_string();
    let bus = "bus".to_string();
    assert_eq!(
        share("bus", ratio(1, 1), vec![link]),
        Err(PlatformError::DuplicateShared { shared: bus })
    );
    assert_eq!(
        share("x", ratio(1, 1), vec![]),
        Err(PlatformError::NoLinks { shared: name() })
    );
    let rate = Box::new(ratio(-1, 2));
    assert_eq!(
        share("x", ratio(-1, 2), vec![link]),
        Err(PlatformError::BadRate {
            shared: name(),
            rate
        })
    );
    let strange = LinkId::new(1);
    assert_eq!(
        share("x", ratio(1, 1), vec![strange]),
        Err(PlatformError::UnknownLinkId { id: 1, links: 1 })
    );
    assert_eq!(
        share("x", ratio(1, 1), vec![link; 1001]),
        Err(PlatformError::BadWeight {
            shared: name(),
            link: 0,
            weight: 1001
        })
    );
    let platform = builder.build().unwrap();
    assert_eq!(platform.free_link(), None, "the bus limits the link");
    // Another model gives the ends ports.
    let ported = platform.clone().with_model(PortModel::HalfDuplex);
    let error = ported.check_shared().unwrap_err().to_string();
    assert!(
        error.contains("'a -> b' ends at 'a', which has ports (half-duplex)"),
        "{error}"
    );
    assert_eq!(platform.check_shared(), Ok(()));
}

/// Rotations of the triangle: all three if each link has a separate capacity, or all share one. Only the identity if
/// one capacity differs.
#[test]
fn symmetries_never_exchange_unlike_capacities() {
    let order = |shared: Vec<(&'static str, Rational, Vec<usize>)>| {
        let platform = triangle(shared);
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        free_automorphisms(&platform, &nodes).len()
    };
    let rate = ratio(1, 2);
    let alike = vec![
        ("x", rate.clone(), vec![0]),
        ("y", rate.clone(), vec![2]),
        ("z", rate.clone(), vec![4]),
    ];
    let weighted = vec![
        ("x", rate.clone(), vec![0, 0]),
        ("y", rate.clone(), vec![2]),
        ("z", rate.clone(), vec![4]),
    ];
    let other = vec![
        ("x", ratio(1, 3), vec![0]),
        ("y", rate.clone(), vec![2]),
        ("z", rate.clone(), vec![4]),
    ];
    assert_eq!(order(vec![]), 3);
    assert_eq!(order(alike), 3);
    assert_eq!(order(vec![("bus", rate.clone(), vec![0, 2, 4])]), 3);
    assert_eq!(order(weighted), 1);
    assert_eq!(order(other), 1);
    // Each of these links is like the others: one capacity of the same rate. But two of them share one.
    let pairs = vec![("x", rate.clone(), vec![0, 2]), ("y", rate, vec![4])];
    assert_eq!(order(pairs), 1);
}
