//! NCCL's algorithms on boxes of GPUs: loads computed by hand, and a naive run that counts the blocks of every rank.

use std::collections::{BTreeMap, BTreeSet};

use oneport_baselines::{
    Algorithm, Boxes, NcclModel, RankHints, Routes, box_trees, named, ranks, run_by,
};
use oneport_numbers::units::Units;
use oneport_plan::{Amount, Collective, NodeId, Platform, Problem, Rational, Volumes};
use oneport_platform::generate::{self, SwitchedBoxes};
use oneport_platform::{Change, Node, PortModel, parse_rational};
use oneport_watch::Watch;

use crate::named::{check, routes};

fn boxes(boxes: usize) -> Platform {
    generate::dgx_a100(boxes).expect("boxes")
}

fn asked(platform: &Platform, collective: Collective) -> Problem {
    let mut volumes = Volumes::of_size(Rational::from_integer(1.into()));
    volumes.work = Amount::Constant(Rational::default());
    Problem::new(platform, &collective, &volumes).expect("a question")
}

fn all(platform: &Platform) -> Vec<NodeId> {
    platform.processors().collect()
}

/// The first algorithm whose name has this beginning, and its routes.
fn found(problem: &Problem, name: &str) -> Option<(Algorithm, Routes)> {
    let routes = routes(problem);
    // No search for an order and groups: it takes a second.
    let shape = RankHints {
        boxes: Boxes::find(problem, &ranks(problem), &routes),
        ..RankHints::default()
    };
    let mut all = named(problem, &shape).into_iter();
    let made = all.find(|algorithm| algorithm.name.starts_with(name))?;
    Some((made, routes))
}

/// Messages of one instance by link, walked one by one along the routes. After the run every rank holds, of every block
/// of its goals, each operand once.
fn walked(problem: &Problem, algorithm: &Algorithm, routes: &Routes) -> Vec<Rational> {
    let pieces = algorithm.pieces;
    let mut loads = vec![Rational::default(); problem.platform().links().len()];
    let mut held: BTreeMap<(usize, u32), BTreeSet<NodeId>> = BTreeMap::new();
    let demands = problem.demands().collect::<Vec<_>>();
    for (number, demand) in (0_u32..).zip(&demands) {
        for owner in demand.operands {
            let rank = algorithm.ranks.iter().position(|node| node == owner);
            for piece in 0..pieces {
                held.entry((rank.expect("a rank"), number * pieces + piece))
                    .or_default()
                    .insert(*owner);
            }
        }
    }
    let mut step = 0;
    let mut arriving: Vec<(usize, u32, BTreeSet<NodeId>, bool)> = Vec::new();
    let arrive = |held: &mut BTreeMap<(usize, u32), BTreeSet<NodeId>>, arriving: &mut Vec<_>| {
        for (to, block, sent, combine) in arriving.drain(..) {
            let own = held.entry((to, block)).or_default();
            if combine {
                assert!(own.is_disjoint(&sent), "{}: twice", algorithm.name);
                own.extend(sent);
            } else {
                *own = sent;
            }
        }
    };
    algorithm.messages(&mut |message| {
        if message.step != step {
            step = message.step;
            arrive(&mut held, &mut arriving);
        }
        let path = algorithm.path(message, routes).expect("a way");
        for &block in message.blocks {
            for link in &path {
                loads[link.index()] += Rational::new(1.into(), pieces.into());
            }
            let sent = held.get(&(message.from, block)).expect("held").clone();
            arriving.push((message.to, block, sent, message.combine));
        }
    });
    arrive(&mut held, &mut arriving);
    for (number, demand) in (0_u32..).zip(&demands) {
        for (goal, part) in demand.goals() {
            let rank = algorithm.ranks.iter().position(|node| *node == goal);
            for piece in 0..pieces {
                let block = (rank.expect("a rank"), number * pieces + piece);
                let wanted: BTreeSet<NodeId> = demand.operands[part.first..=part.last]
                    .iter()
                    .copied()
                    .collect();
                assert_eq!(held.get(&block), Some(&wanted), "{}", algorithm.name);
            }
        }
    }
    loads
}

/// The largest sum of loads out of a processor over links to nodes of its box, and over links to others.
fn largest(platform: &Platform, loads: &[Rational]) -> [Rational; 2] {
    let its = |node: NodeId| {
        platform
            .name(node)
            .split_once('.')
            .map(|(its, _)| its.to_string())
    };
    [true, false].map(|inside| {
        let of = |node: NodeId| -> Rational {
            let links = platform.outgoing(node).iter();
            let counted =
                links.filter(|link| (its(platform.link(**link).to) == its(node)) == inside);
            counted.map(|link| loads[link.index()].clone()).sum()
        };
        platform.processors().map(of).max().expect("processors")
    })
}

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// Boxes of 8 A100 (300 GB/s to the switch, 25 GB/s to the network). Rings of `n` GPUs: every GPU receives 2(n - 1)/n
/// of the operation, of which all but every eighth part passes its switch. With an odd number of boxes all of it does,
/// since channels return over another GPU to stay on their rail. Trees: a chain's head and tail send once, the six
/// between twice, so 14/8 if chains are rotated. A card sends for one child or parent with two boxes, for two on
/// average from four boxes on.
#[test]
fn loads_of_ring_and_tree_by_hand() {
    let expected = [
        (1, "NCCL Ring", "7/4", "0", "1200/7"),
        (2, "NCCL Ring", "105/64", "15/64", "320/3"),
        (3, "NCCL Ring", "23/12", "23/96", "2400/23"),
        (4, "NCCL Ring", "217/128", "31/128", "3200/31"),
        (1, "NCCL Tree", "2", "0", "150"),
        (2, "NCCL Tree", "7/4", "1/8", "1200/7"),
        (3, "NCCL Tree", "7/4", "3/16", "400/3"),
        (4, "NCCL Tree", "7/4", "1/4", "100"),
    ];
    for (count, name, inside, outside, throughput) in expected {
        let platform = boxes(count);
        let problem = asked(&platform, Collective::all_reduce(all(&platform)));
        let (algorithm, routes) = found(&problem, name).expect(name);
        let loads = walked(&problem, &algorithm, &routes);
        let most = largest(&platform, &loads);
        assert_eq!(most, [number(inside), number(outside)], "{name} on {count}");
        let counted = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        let times: Vec<Rational> = loads
            .iter()
            .zip(platform.links())
            .map(|(load, link)| load * &link.cost)
            .collect();
        assert_eq!(*counted.links, *times, "{name} on {count}");
        let sustained = counted.throughput(&problem).expect("a throughput");
        assert_eq!(
            sustained.throughput,
            number(throughput),
            "{name} on {count}"
        );
    }
}

/// A broadcast or reduction passes every part once through every GPU and card: 8 cards of 25 GB/s, from any root.
#[test]
fn chains_along_all_rings_fill_the_cards() {
    for (count, root) in [(2, 0), (2, 11), (4, 0), (4, 17)] {
        let platform = boxes(count);
        let all = all(&platform);
        let others = || {
            all.iter()
                .copied()
                .filter(|&node| node != all[root])
                .collect()
        };
        for collective in [
            Collective::broadcast(all[root], others()),
            Collective::reduce(all[root], all.clone()),
        ] {
            let problem = asked(&platform, collective);
            let (algorithm, routes) = found(&problem, "NCCL Ring (8").expect("a ring");
            walked(&problem, &algorithm, &routes);
            let loads = algorithm
                .loads(&problem, &routes, &Watch::unlimited())
                .expect("loads");
            let sustained = loads.throughput(&problem).expect("a throughput");
            assert_eq!(sustained.throughput, number("200"), "{count} boxes, {root}");
        }
    }
}

fn switched(boxes: usize, accelerators: usize, rails: usize) -> Platform {
    generate::switched_boxes(SwitchedBoxes {
        sharp: false,
        boxes,
        accelerators,
        inside: 300,
        network: 25,
        rails,
    })
    .expect("boxes")
}

/// Boxes of H100 (450 GB/s to an NVSwitch that combines and duplicates, 50 GB/s to the network). The network switches
/// in `hubs` do both, too.
fn combining(boxes: usize, accelerators: usize, rails: usize, hubs: &[&str]) -> Platform {
    let platform = generate::switched_boxes(SwitchedBoxes {
        sharp: true,
        boxes,
        accelerators,
        inside: 450,
        network: 50,
        rails,
    });
    let platform = platform.expect("boxes");
    let changes = hubs.iter().flat_map(|name| {
        let hub = platform.find(name).expect("a switch");
        [
            Change::Reduces(hub, Some(Rational::default())),
            Change::Replicates(hub, true),
        ]
    });
    let changes: Vec<Change> = changes.collect();
    platform.changed(&changes).expect("a platform").platform
}

/// With a switch that combines, `S/n` of the data that a GPU sends is its head's sum, and all `S` its own shares, the
/// head's included: `(1 + 1/n) S` each way, 450/(9/8) = 400. Trees among the heads load cards like the trees of chains:
/// `d S/8` with `d` = 1, 3/2, 2 for 2, 3, 4 boxes. If the network combines, every card has `S/8` each way for any
/// number of boxes. Chains, and shares sent directly, pass `2 (n - 1)/n S` inside.
#[test]
fn loads_of_switches_that_combine_by_hand() {
    let rails: Vec<String> = (0..8).map(|rail| format!("ib{rail}")).collect();
    let rails: Vec<&str> = rails.iter().map(String::as_str).collect();
    let expected = [
        (1, false, "NCCL NVLS", "9/8", "0", "400"),
        (2, false, "NCCL NVLSTree", "9/8", "1/8", "400"),
        (3, false, "NCCL NVLSTree", "9/8", "3/16", "800/3"),
        (4, false, "NCCL NVLSTree", "9/8", "1/4", "200"),
        (2, true, "NCCL NVLS", "9/8", "1/8", "400"),
        (4, true, "NCCL NVLS", "9/8", "1/8", "400"),
        (2, true, "NCCL CollNetChain", "7/4", "1/8", "1800/7"),
        (4, true, "NCCL CollNetChain", "7/4", "1/8", "1800/7"),
        (3, true, "NCCL CollNetDirect", "7/4", "1/8", "1800/7"),
    ];
    for (count, in_network, name, inside, outside, throughput) in expected {
        let platform = combining(count, 8, 8, if in_network { &rails } else { &[] });
        let problem = asked(&platform, Collective::all_reduce(all(&platform)));
        let (algorithm, routes) = found(&problem, name).expect(name);
        assert_eq!(algorithm.name, name);
        assert_eq!(run_by(&problem, name), Some("NCCL"));
        let loads = walked(&problem, &algorithm, &routes);
        let most = largest(&platform, &loads);
        assert_eq!(most, [number(inside), number(outside)], "{name} on {count}");
        let loads = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        let sustained = loads.throughput(&problem).expect("a throughput");
        assert_eq!(
            sustained.throughput,
            number(throughput),
            "{name} on {count}"
        );
    }
    // An all-gather of one message each: one leaves, and eight arrive, including the rank's own.
    let platform = combining(1, 8, 1, &[]);
    for collective in [
        Collective::all_gather(all(&platform)),
        Collective::reduce_scatter(all(&platform)),
    ] {
        let problem = asked(&platform, collective);
        let (algorithm, routes) = found(&problem, "NCCL NVLS").expect("a row");
        let loads = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        let sustained = loads.throughput(&problem).expect("a throughput");
        assert_eq!(sustained.throughput, number("450/8"));
    }
}

/// A switch that combines and does not duplicate cannot store. One network switch on another path than the others' does
/// not join the heads. Boxes with fewer cards than GPUs have no trees of NVLS.
#[test]
fn switches_that_do_not_do_both_have_no_rows() {
    let rows = |platform: &Platform| -> Vec<String> {
        let problem = asked(platform, Collective::all_reduce(all(platform)));
        let routes = routes(&problem);
        let shape = RankHints {
            boxes: Boxes::find(&problem, &ranks(&problem), &routes),
            ..RankHints::default()
        };
        let rows = named(&problem, &shape).into_iter().map(|row| row.name);
        rows.filter(|name| name.contains("NVLS") || name.contains("CollNet"))
            .collect()
    };
    let both = combining(1, 4, 1, &[]);
    assert_eq!(rows(&both), ["NCCL NVLS"]);
    let switch = both.find("box0.nvswitch").expect("a switch");
    let one = both.changed(&[Change::Replicates(switch, false)]);
    assert_eq!(rows(&one.expect("a platform").platform), [""; 0]);
    assert_eq!(rows(&combining(2, 2, 2, &["ib0"])), ["NCCL NVLSTree"]);
    let all = combining(2, 2, 2, &["ib0", "ib1"]);
    let expected = [
        "NCCL NVLS",
        "NCCL NVLSTree",
        "NCCL CollNetChain",
        "NCCL CollNetDirect",
    ];
    assert_eq!(rows(&all), expected);
}

/// Boxes of four GPUs in a circle of links of 20 GB/s, each with a path of 10 GB/s to the network.
fn circles(boxes: usize) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let cost = |rate: i64| Rational::new(1.into(), rate.into());
    let net = builder.node(Node::router("net")).expect("a node");
    for its in 0..boxes {
        let gpu = |place| Node::processor(format!("box{its}.gpu{place}"), cost(1));
        let gpus = [0, 1, 2, 3].map(|place| builder.node(gpu(place)).expect("a node"));
        for place in 0..4 {
            let next = gpus[(place + 1) % 4];
            builder.duplex(gpus[place], next, cost(20)).expect("a link");
            builder.duplex(gpus[place], net, cost(10)).expect("a link");
        }
    }
    builder.build().expect("a platform")
}

/// Channels 0 to 3 pass a box as 0123, 1032, 2301 and 3210: they leave at four different GPUs, and no link has more
/// than two of them, which the twelve hops over eight directed links need. On a ring of 8 a channel passes 14/8 of S/4
/// = 7/16 S on, so two are 7/8 S over 20 GB/s, and one 7/16 S over a card of 10: 160/7 both. As chains, links 0-1 and
/// 2-3 have all four channels both ways, S over 20 GB/s.
#[test]
fn boxes_without_a_switch_have_paths_from_card_to_card() {
    let platform = circles(2);
    let problem = asked(&platform, Collective::all_reduce(all(&platform)));
    let routes = routes(&problem);
    let boxes = Boxes::find(&problem, &ranks(&problem), &routes);
    let first: Vec<Vec<usize>> = boxes.chains.iter().map(|of| of[0].clone()).collect();
    assert_eq!(
        first,
        [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]
    );
    for (name, inside, outside, throughput) in [
        ("NCCL Ring (4 channels)", "21/16", "7/16", "160/7"),
        ("NCCL Tree (4 channels)", "3/2", "1/4", "20"),
    ] {
        let (algorithm, routes) = found(&problem, name).expect(name);
        let loads = walked(&problem, &algorithm, &routes);
        let most = largest(&platform, &loads);
        assert_eq!(most, [number(inside), number(outside)], "{name}");
        let loads = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        let sustained = loads.throughput(&problem).expect("a throughput");
        assert_eq!(sustained.throughput, number(throughput), "{name}");
    }
}

/// Three boxes of three GPUs in a line, and a card at the middle one.
fn lines() -> Platform {
    let mut builder = Platform::builder();
    let one = Rational::from_integer(1.into());
    let net = builder.node(Node::router("net")).expect("a node");
    for its in 0..3 {
        let gpu = |place| Node::processor(format!("box{its}.gpu{place}"), one.clone());
        let gpus = [0, 1, 2].map(|place| builder.node(gpu(place)).expect("a node"));
        let card = builder
            .node(Node::router(format!("box{its}.nic0")))
            .expect("a node");
        for [one_end, other] in [
            [gpus[0], gpus[1]],
            [gpus[1], gpus[2]],
            [gpus[1], card],
            [card, net],
        ] {
            builder.duplex(one_end, other, one.clone()).expect("a link");
        }
    }
    builder.build().expect("a platform")
}

/// Every row of NCCL does its collective: the naive run, and the referee.
#[test]
fn the_referee_accepts_every_row() {
    let mut names = BTreeSet::new();
    for platform in [
        switched(1, 3, 1),
        switched(2, 3, 3),
        switched(3, 2, 1),
        switched(3, 2, 2),
        switched(5, 1, 1),
        combining(1, 3, 1, &[]),
        combining(3, 2, 2, &[]),
        combining(2, 3, 3, &["ib0", "ib1", "ib2"]),
        combining(3, 2, 1, &["ib"]),
        circles(2),
        circles(3),
        lines(),
    ] {
        for collective in crate::named::collectives(&platform) {
            let problem = Problem::new(&platform, &collective, Volumes::default());
            let problem = problem.expect("a question");
            let routes = routes(&problem);
            let shape = RankHints::find(&problem, &routes, &Watch::unlimited());
            let rows = named(&problem, &shape);
            for algorithm in rows.iter().filter(|row| row.name.starts_with("NCCL")) {
                walked(&problem, algorithm, &routes);
                check(&problem, algorithm, &routes);
                names.insert(algorithm.name.clone());
            }
        }
    }
    let expected = [
        "NCCL CollNetChain",
        "NCCL CollNetDirect",
        "NCCL NVLS",
        "NCCL NVLSTree",
        "NCCL PAT",
        "NCCL PXN",
        "NCCL Ring",
        "NCCL Ring (1 channel)",
        "NCCL Ring (2 channels)",
        "NCCL Ring (3 channels)",
        "NCCL Ring (4 channels)",
        "NCCL Tree",
        "NCCL Tree (1 channel)",
        "NCCL Tree (2 channels)",
        "NCCL Tree (3 channels)",
        "NCCL Tree (4 channels)",
    ];
    assert_eq!(names, expected.map(str::to_string).into());
}

/// NCCL's trees over four and five boxes, as `ncclGetDtree` builds them: per box its parent.
#[test]
fn trees_over_four_and_five_boxes() {
    let four = [
        [None, Some(2), Some(0), Some(2)],
        [Some(1), Some(3), Some(1), None],
    ];
    assert_eq!(box_trees(4), four.map(|tree| tree.to_vec()));
    let five = [
        [None, Some(2), Some(4), Some(2), Some(0)],
        [Some(1), None, Some(3), Some(0), Some(3)],
    ];
    assert_eq!(box_trees(5), five.map(|tree| tree.to_vec()));
    for boxes in 2..70 {
        let trees = box_trees(boxes);
        let inner = |tree: &[Option<usize>]| -> BTreeSet<usize> {
            tree.iter().flatten().copied().collect()
        };
        let roots = trees
            .iter()
            .map(|tree| tree.iter().position(Option::is_none));
        let second = if boxes % 2 == 0 { boxes - 1 } else { 1 };
        assert_eq!(
            roots.collect::<Vec<_>>(),
            [Some(0), Some(second)],
            "{boxes}"
        );
        for place in 0..boxes {
            let ends = |tree: &Vec<Option<usize>>| {
                tree.iter().filter(|parent| **parent == Some(place)).count()
                    + usize::from(tree[place].is_some())
            };
            let ends: usize = trees.iter().map(ends).sum();
            assert!(ends <= 4, "{boxes}: box {place} has {ends}");
        }
        assert!(
            inner(&trees[0]).intersection(&inner(&trees[1])).count() <= 1,
            "{boxes}"
        );
    }
}

/// On eight boxes of one GPU a block reaches 7 ranks over distances 4, 2 and 1, which carry 1, 2 and 4 blocks.
#[test]
fn parallel_aggregated_trees_carry_1_2_and_4_blocks() {
    let platform = switched(8, 1, 1);
    for (collective, blocks) in [
        (Collective::all_gather(all(&platform)), [1, 2, 4]),
        (Collective::reduce_scatter(all(&platform)), [4, 2, 1]),
    ] {
        let problem = asked(&platform, collective);
        let (algorithm, routes) = found(&problem, "NCCL PAT").expect("a row");
        walked(&problem, &algorithm, &routes);
        let mut sizes = BTreeSet::new();
        algorithm.messages(&mut |message| {
            sizes.insert((message.step, message.blocks.len()));
        });
        let expected: BTreeSet<(usize, usize)> = blocks.into_iter().enumerate().collect();
        assert_eq!(sizes, expected);
    }
}

/// Two boxes of 8: each GPU sends its 8 messages for the other box through its own card, and on separate rails no
/// message changes the rail.
#[test]
fn pxn_stays_on_the_rail() {
    let platform = switched(2, 8, 8);
    let problem = asked(&platform, Collective::all_to_all(all(&platform)));
    let (algorithm, routes) = found(&problem, "NCCL PXN").expect("a row");
    let loads = walked(&problem, &algorithm, &routes);
    for (link, load) in platform.links().iter().zip(&loads) {
        let rail = |node: NodeId| platform.name(node).starts_with("ib");
        if rail(link.from) || rail(link.to) {
            assert_eq!(*load, number("8"));
        }
    }
}

fn model(platform: Platform, collective: &Collective) -> (NcclModel, &'static oneport_plan::Form) {
    let platform = platform.with_units(Some(Units::gigabytes_and_seconds()));
    let problem = asked(&platform, collective.clone());
    let routes = routes(&problem);
    let boxes = Boxes::find(&problem, &ranks(&problem), &routes);
    let form = collective.form().expect("a form");
    (
        NcclModel::of(&problem, &boxes, &routes).expect("a model"),
        form,
    )
}

/// Algorithm bandwidths, in GB/s, that NCCL's model gives all-reduces by protocol Simple, computed by hand from
/// src/graph/tuning.cc. 8 A100 have 12 channels of 20. With 8 cards of 25 GB/s they have 8 of 24, with cards of 12.5, 8
/// of 12. 8 H100: NVLS has 8 channels of 40 x 0.85 x 2 x 7/8. Measured in public issues: 192 and 480 GB/s of bus
/// bandwidth for the second and the last but two.
#[test]
fn the_model_of_nccl_by_hand() {
    let h100 = |boxes| generate::dgx_h100(boxes).expect("boxes");
    let slow = |boxes, network| {
        generate::switched_boxes(SwitchedBoxes {
            sharp: false,
            boxes,
            accelerators: 8,
            inside: 300,
            network,
            rails: 8,
        })
        .expect("boxes")
    };
    let expected = [
        (boxes(1), "Ring", "960/7", true),
        (boxes(1), "Tree", "552/5", false),
        (boxes(2), "Ring", "512/5", true),
        (boxes(2), "Tree", "472/5", false),
        (boxes(4), "Ring", "3072/31", true),
        (boxes(4), "Tree", "356/5", false),
        (slow(2, 12), "Ring", "256/5", false),
        (slow(2, 12), "Tree", "2208/25", true),
        (generate::dgx1().expect("a box"), "Ring", "480/7", true),
        (h100(1), "Ring", "1440/7", false),
        (h100(1), "NVLS", "272", true),
        (h100(2), "Ring", "1024/5", false),
        (h100(2), "NVLSTree", "18464/75", true),
        (h100(4), "Ring", "6144/31", true),
        (h100(4), "NVLSTree", "5824/31", false),
    ];
    for (platform, algorithm, bandwidth, picked) in expected {
        let nodes = all(&platform);
        let (model, form) = model(platform, &Collective::all_reduce(nodes));
        let all = model.estimates(form);
        let found = all
            .iter()
            .find(|row| row.algorithm == algorithm && row.protocol == "Simple")
            .expect(algorithm);
        let at = format!("{algorithm} on {} ranks", model.ranks);
        assert_eq!(found.bandwidth, number(bandwidth), "{at}");
        let pick = model.pick(form, None).expect("a choice");
        assert_eq!((pick.algorithm == algorithm), picked, "{at}: {pick:?}");
    }
}

/// Latencies of protocol LL, in microseconds, from the tables of NCCL: 6.6 + 14 x 0.6 for the ring of 8 A100.
#[test]
fn latencies_of_nccl_by_hand() {
    for (count, ring, tree) in [(1, "15", "76/5"), (2, "68", "126/5")] {
        let platform = boxes(count);
        let nodes = all(&platform);
        let (model, form) = model(platform, &Collective::all_reduce(nodes));
        for (algorithm, latency) in [("Ring", ring), ("Tree", tree)] {
            let all = model.estimates(form);
            let found = all
                .iter()
                .find(|row| row.algorithm == algorithm && row.protocol == "LL");
            assert_eq!(
                found.expect(algorithm).latency,
                number(latency),
                "{algorithm} on {count}"
            );
        }
        // A small operation takes the fewest steps, a large one the most bandwidth.
        let small = model.pick(form, Some(&number("1024"))).expect("a choice");
        let large = model
            .pick(form, Some(&number("4294967296")))
            .expect("a choice");
        assert_eq!((&small.protocol[..], &large.protocol[..]), ("LL", "Simple"));
    }
}

/// Rows that libraries run, and rows that none does.
#[test]
fn libraries_are_named_by_collective() {
    let platform = boxes(1);
    let problem = asked(&platform, Collective::all_reduce(all(&platform)));
    let rows = [
        ("ring", Some("Open MPI and MPICH ring")),
        ("NCCL Ring (8 channels)", Some("NCCL, RCCL")),
        ("double binary tree", None),
        ("Rabenseifner's", None),
        ("ringlet", None),
    ];
    for (name, libraries) in rows {
        assert_eq!(run_by(&problem, name), libraries, "{name}");
    }
    let problem = asked(&platform, Collective::all_gather(all(&platform)));
    assert_eq!(run_by(&problem, "chain"), None);
}

/// Algorithms of Open MPI, on a complete graph with unit costs and full-duplex ports, computed by hand. An inner rank
/// of a split binary tree sends a half to two children and one in the swap. Neighbors exchange 7 blocks of 8 ranks in 4
/// steps. Four chains leave the root four times.
#[test]
fn loads_of_open_mpi_by_hand() {
    let one = generate::Costs::Constant(number("1"));
    let options = generate::Options {
        seed: 1,
        link_cost: one.clone(),
        compute: one,
    };
    for (nodes, name, steps, throughput) in [
        (7, "split binary tree", 4, "2/3"),
        (8, "split binary tree", 4, "2/3"),
        (8, "neighbor exchange", 4, "1/7"),
        (9, "4 chains", 5, "1/4"),
        (16, "4-nomial tree", 6, "1/6"),
    ] {
        let platform = generate::complete(nodes, &options).expect("a platform");
        let all = all(&platform);
        let collective = match name {
            "neighbor exchange" => Collective::all_gather(all),
            _ => Collective::broadcast(all[0], all[1..].to_vec()),
        };
        let problem = asked(&platform, collective);
        let (algorithm, routes) = found(&problem, name).expect(name);
        walked(&problem, &algorithm, &routes);
        check(&problem, &algorithm, &routes);
        let mut last = 0;
        algorithm.messages(&mut |message| last = last.max(message.step + 1));
        let loads = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        let sustained = loads.throughput(&problem).expect("a throughput");
        assert_eq!(
            (last, sustained.throughput),
            (steps, number(throughput)),
            "{name} of {nodes}"
        );
    }
}
