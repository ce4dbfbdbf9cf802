//! Platforms changed in a few places, against newly built ones.

use num_traits::Zero;
use oneport_platform::generate::{Options, random_connected, torus};
use oneport_platform::{
    Change, LinkId, NodeId, Number, Platform, PlatformError, PortModel, Rational, whole,
};

fn times(value: i64) -> Number {
    Number::Times(whole(value))
}

/// A platform without a node and a link, built link by link. The rest is unchanged.
fn rebuilt(old: &Platform, node: NodeId, link: LinkId) -> Platform {
    let mut builder = Platform::builder();
    builder.model(old.model());
    for id in old.node_ids().filter(|&id| id != node) {
        builder.node(old.node(id).clone()).unwrap();
    }
    for id in old.link_ids().filter(|&id| id != link) {
        let one = old.link(id);
        if let (Some(from), Some(to)) = (
            builder.find(old.name(one.from)),
            builder.find(old.name(one.to)),
        ) {
            builder.link(from, to, one.cost.clone()).unwrap();
        }
    }
    builder.build().unwrap()
}

#[test]
fn what_is_gone_takes_its_links_along_and_the_rest_keeps_its_order() {
    let old = random_connected(12, 4, &Options::default())
        .unwrap()
        .with_model(PortModel::HalfDuplex);
    for (node, link) in [(0, 0), (5, 9), (11, 3)] {
        let (node, link) = (NodeId::new(node), LinkId::new(link));
        let changed = old
            .changed(&[Change::WithoutNode(node), Change::WithoutLink(link)])
            .unwrap();
        assert_eq!(changed.platform, rebuilt(&old, node, link));
        assert_eq!((changed.nodes[node], changed.links[link]), (None, None));
        for id in old.link_ids() {
            let Some(new) = changed.links[id] else {
                continue;
            };
            assert_eq!(changed.platform.link_name(new), old.link_name(id));
        }
    }
}

#[test]
fn changes_come_one_after_another() {
    let old = torus(&[3, 3]).unwrap();
    assert_eq!(old.changed(&[]).unwrap().platform, old);
    let (node, link) = (NodeId::new(4), LinkId::new(7));
    let set = |value| Number::Exactly(whole(value));
    let there = [
        Change::Cost(link, set(3)),
        Change::Cost(link, times(5)),
        Change::Compute(node, times(7)),
    ];
    let changed = old.changed(&there).unwrap().platform;
    assert_eq!(
        (&changed.link(link).cost, &changed.node(node).compute),
        (&whole(15), &Some(whole(7)))
    );
    let back = [
        Change::Cost(link, Number::Exactly(old.link(link).cost.clone())),
        Change::Compute(node, set(1)),
    ];
    assert_eq!(changed.changed(&back).unwrap().platform, old);
    // A change of a removed node or link changes nothing.
    let gone = [
        Change::WithoutLink(link),
        Change::Cost(link, set(1)),
        Change::WithoutNode(node),
        Change::Ports(node, 0),
    ];
    assert_eq!(
        old.changed(&gone).unwrap().platform.links().len(),
        old.links().len() - 9
    );
    let own = old
        .changed(&[
            Change::Model(node, PortModel::Multiport),
            Change::Ports(node, 3),
        ])
        .unwrap()
        .platform;
    assert_eq!(
        (own.model_of(node), own.node(node).ports),
        (PortModel::Multiport, Some(3))
    );
}

#[test]
fn a_router_reduces_until_it_is_a_processor() {
    let old = torus(&[2, 2]).unwrap();
    let node = NodeId::new(0);
    let changed_node =
        |changes: &[Change]| old.changed(changes).unwrap().platform.node(node).clone();
    let free = Change::Reduces(node, Some(Rational::zero()));
    let reduces = [
        Change::Router(node),
        free.clone(),
        Change::Replicates(node, false),
    ];
    let switch = changed_node(&reduces);
    assert_eq!(switch.merge_time(), Some(&Rational::zero()));
    assert!(!switch.is_processor() && switch.merges() && !switch.replicates);
    let again = |change| changed_node(&[&reduces[..], &[change]].concat());
    assert!(!again(Change::Router(node)).merges());
    assert!(!again(Change::Reduces(node, None)).merges());
    let one = whole(1);
    let processor = again(Change::Compute(node, Number::Exactly(one.clone())));
    assert_eq!((processor.compute, processor.reduces), (Some(one), None));
}

#[test]
fn impossible_changes_are_refused() {
    let old = torus(&[2, 2]).unwrap();
    let (node, link) = (NodeId::new(0), LinkId::new(0));
    let refused = |changes: &[Change]| old.changed(changes).unwrap_err();
    assert!(matches!(
        refused(&[Change::Cost(link, times(-1))]),
        PlatformError::BadCost { .. }
    ));
    assert!(matches!(
        refused(&[Change::Compute(node, times(0))]),
        PlatformError::BadCompute { .. }
    ));
    assert!(matches!(
        refused(&[Change::Reduces(node, Some(Rational::zero()))]),
        PlatformError::MergesTwice { .. }
    ));
    let negative = Some(whole(-1));
    let negative = [Change::Router(node), Change::Reduces(node, negative)];
    assert!(matches!(
        refused(&negative),
        PlatformError::BadReduces { .. }
    ));
    let router = [Change::Router(node), Change::Compute(node, times(2))];
    assert!(matches!(refused(&router), PlatformError::NoCompute { .. }));
    assert!(matches!(
        refused(&[Change::Ports(node, 0)]),
        PlatformError::NoPorts { .. }
    ));
    let stranger = Change::Cost(LinkId::new(999), times(2));
    assert!(matches!(
        refused(&[stranger]),
        PlatformError::UnknownLinkId { id: 999, .. }
    ));
    assert!(matches!(
        refused(&[Change::Router(NodeId::new(99))]),
        PlatformError::UnknownNodeId { id: 99, .. }
    ));
    let all: Vec<Change> = old.node_ids().map(Change::WithoutNode).collect();
    assert_eq!(refused(&all), PlatformError::Empty);
}
