//! Random tiny problems: every kind of node, every port model, every collective, easy and nasty numbers.

use oneport_plan::{Amount, Collective, CustomDemand, Form, Member, Volumes, Wanted};
use oneport_platform::{
    Change, LinkId, Node, NodeId, Number, Platform, PlatformBuilder, PortModel, Rational, Shared,
    parse_rational,
};

use crate::draw::Draw;

/// A problem.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The platform.
    pub platform: Platform,
    /// The collective, valid on it.
    pub collective: Collective,
    /// Volumes, valid for the collective.
    pub volumes: Volumes,
    /// For the table: the collective's name, and whether its operator commutes.
    pub label: String,
    /// The port model in the table, or "mixed".
    pub model: &'static str,
}

/// Collectives to draw, with weights: those with harder bounds come more often.
const COLLECTIVES: &[(&str, usize)] = &[
    ("scatter", 2),
    ("gather", 2),
    ("all-to-all", 2),
    ("sources-to-targets", 2),
    ("broadcast", 4),
    ("all-gather", 3),
    ("reduce", 3),
    ("reduce commutative", 3),
    ("reduce-scatter", 2),
    ("reduce-scatter commutative", 2),
    ("all-reduce", 6),
    ("all-reduce commutative", 8),
    ("scan", 5),
    ("barrier", 4),
    ("groups", 3),
    ("reduce-to-several", 3),
    ("reduce-to-several commutative", 3),
    ("custom", 6),
];

/// Draws a problem: the name of its collective first, then participants, nodes, links and numbers.
pub fn sample(draw: &mut Draw) -> Sample {
    let label = weighted(draw, COLLECTIVES);
    let most = draw.pick(&[3, 4, 4, 4, 5, 5]);
    let few = [
        "all-to-all",
        "sources-to-targets",
        "reduce-scatter",
        "reduce-scatter commutative",
        "groups",
        "custom",
    ]
    .contains(&label);
    let members = draw
        .pick(if few {
            &[2, 3, 3]
        } else {
            &[2, 2, 3, 3, 3, 3, 3, 4]
        })
        .min(most);
    let nodes = draw.between(members, most);
    let order = draw.shuffled((0..nodes).map(NodeId::new));
    let copies = [
        "broadcast",
        "all-gather",
        "all-reduce",
        "all-reduce commutative",
        "scan",
        "barrier",
        "groups",
        "custom",
    ]
    .contains(&label)
        || label.starts_with("reduce-to-several");
    // The target of a reduction may be a processor without an operand.
    let outside = label.starts_with("reduce")
        && !label.starts_with("reduce-")
        && nodes > members
        && draw.percent(30);
    let moves = [
        "scatter",
        "gather",
        "all-to-all",
        "sources-to-targets",
        "broadcast",
        "all-gather",
    ]
    .contains(&label);
    let processors = &order[..members + usize::from(outside)];
    let mixed = draw.percent(25);
    let model = draw.pick(&PortModel::ALL);
    let mut builder = Platform::builder();
    builder.model(model);
    let numbers = palette(draw);
    for node in (0..nodes).map(NodeId::new) {
        let mut drawn = random_node(draw, node, processors.contains(&node), copies);
        // Messages that only move may have owners and receivers without compute, except switches.
        if moves && processors.contains(&node) && drawn.replicates && draw.percent(25) {
            drawn.compute = None;
        }
        if mixed && draw.percent(80) {
            drawn.model = Some(draw.pick(&PortModel::ALL));
        }
        builder.node(drawn).expect("a good node");
    }
    link(draw, &mut builder, nodes, &numbers);
    let collective = collective(
        draw,
        label,
        &order[..members],
        processors[processors.len() - 1],
    );
    let volumes = volumes(draw, &collective);
    let platform = shared(draw, builder);
    let model = if mixed { "mixed" } else { model.name() };
    Sample {
        platform,
        collective,
        volumes,
        label: label.to_string(),
        model,
    }
}

fn weighted(draw: &mut Draw, list: &[(&'static str, usize)]) -> &'static str {
    let mut at = draw.below(list.iter().map(|(_, weight)| weight).sum());
    for &(name, weight) in list {
        if at < weight {
            return name;
        }
        at -= weight;
    }
    list[0].0
}

/// Participants compute, and replicate if the collective needs it. All others are of any kind.
fn random_node(draw: &mut Draw, node: NodeId, takes_part: bool, copies: bool) -> Node {
    let name = format!("n{node}");
    let compute = draw.pick(&["1", "1", "1/2", "2", "1/10", "3"]);
    let computes = takes_part || draw.percent(50);
    let mut node = if computes {
        Node::processor(name, number(compute))
    } else {
        Node::router(name)
    };
    node.replicates = if takes_part {
        copies || draw.percent(65)
    } else {
        draw.percent(50)
    };
    node.ports = draw.percent(60).then(|| draw.between(1, 3) as u32);
    // A router that reduces, in some time or in none. Now and then it is a switch of a fabric, which has no ports.
    if !computes && draw.percent(50) {
        node.reduces = Some(number(draw.pick(&["0", "0", "1", "1/2", "3"])));
        node.model = draw.percent(40).then_some(PortModel::Links);
    }
    node
}

/// A family of costs.
fn palette(draw: &mut Draw) -> Vec<&'static str> {
    let families: &[&[&str]] = &[
        &["1"],
        &["1"],
        &["1", "2"],
        &["1", "2", "3"],
        &["1/2", "1", "1/3", "2", "3/2"],
        &["1", "1", "1", "10"],
        &["1", "1.000000001", "0.999999999"],
        &["7/3", "5/11", "13/17", "19/23"],
        &["1", "1000000000", "1e-6"],
    ];
    draw.pick(families).to_vec()
}

/// Links: a random tree, star, ring or none to start with, then further pairs. Each pair has both directions, equal or
/// not, or one.
fn link(draw: &mut Draw, builder: &mut PlatformBuilder, nodes: usize, numbers: &[&str]) {
    let order = draw.shuffled(0..nodes);
    let mut pairs: Vec<(usize, usize)> = match draw.below(8) {
        0..3 => (1..nodes)
            .map(|index| (order[draw.below(index)], order[index]))
            .collect(),
        3..5 => (1..nodes).map(|index| (order[0], order[index])).collect(),
        5..7 => (0..nodes)
            .map(|index| (order[index], order[(index + 1) % nodes]))
            .collect(),
        _ => Vec::new(),
    };
    let all = (0..nodes).flat_map(|one| (one + 1..nodes).map(move |other| (one, other)));
    let further = draw.pick(&[0, 0, 10, 30, 60]);
    pairs.extend(all.filter(|_| draw.percent(further)));
    let one_way = draw.pick(&[0, 0, 0, 15, 50]);
    let alike = draw.percent(60);
    for (one, other) in draw.shuffled(pairs) {
        let (one, other) = (NodeId::new(one), NodeId::new(other));
        let cost = number(draw.pick(numbers));
        let back = if alike {
            cost.clone()
        } else {
            number(draw.pick(numbers))
        };
        // A pair drawn twice keeps its first links.
        let _ = builder.link(one, other, cost);
        if !draw.percent(one_way) {
            let _ = builder.link(other, one, back);
        }
    }
}

/// The platform, now and then with capacities that some of the links without ports share: weights of 1 to 3, and
/// members with and without a separate limit.
fn shared(draw: &mut Draw, mut builder: PlatformBuilder) -> Platform {
    let plain = builder.clone().build().expect("it has nodes");
    let without_ports = |link: &LinkId| {
        let ends = [plain.link(*link).from, plain.link(*link).to];
        ends.iter()
            .all(|&node| plain.model_of(node) == PortModel::Links)
    };
    let all: Vec<LinkId> = plain.link_ids().filter(without_ports).collect();
    if all.is_empty() || draw.percent(40) {
        return plain;
    }
    for index in 0..draw.between(1, 3) {
        let mut members = Vec::new();
        for &link in &all {
            if draw.percent(60) {
                members.extend(vec![link; draw.pick(&[1, 1, 1, 2, 3])]);
            }
        }
        let rate = number(draw.pick(&["1", "1", "1/2", "2", "3/2", "1/3"]));
        if !members.is_empty() {
            let capacity = Shared::new(format!("s{index}"), rate, members);
            builder.share(capacity).expect("a good capacity");
        }
    }
    let platform = builder.build().expect("no member has ports");
    let unlimited = all
        .into_iter()
        .filter(|&link| !platform.shared_by(link).is_empty() && draw.percent(40));
    let changes: Vec<Change> = unlimited
        .map(|link| Change::Cost(link, Number::Exactly(Rational::default())))
        .collect();
    let changed = platform.changed(&changes).expect("good costs");
    changed.platform
}

/// The collective of this name among these nodes, in this order. For a reduction, `target` is the last processor drawn.
fn collective(draw: &mut Draw, label: &str, members: &[NodeId], target: NodeId) -> Collective {
    let commutative = label.ends_with("commutative");
    let participants = members.to_vec();
    let (first, rest) = (members[0], members[1..].to_vec());
    match label.trim_end_matches(" commutative") {
        "scatter" => Collective::scatter(first, rest),
        "gather" => Collective::gather(first, rest),
        "all-to-all" => Collective::all_to_all(participants),
        "sources-to-targets" => sources_to_targets(draw, members),
        "broadcast" => Collective::broadcast(first, rest),
        "all-gather" => Collective::all_gather(participants),
        "reduce" => Collective::reduce(target, participants).commutative(commutative),
        "reduce-scatter" => Collective::reduce_scatter(participants).commutative(commutative),
        "all-reduce" => Collective::all_reduce(participants).commutative(commutative),
        "scan" => Collective::scan(participants),
        "barrier" => Collective::barrier(participants).commutative(draw.percent(50)),
        "reduce-to-several" => {
            let several = draw.between(1, members.len());
            let targets = draw.shuffled(members.iter().copied())[..several].to_vec();
            Collective::reduce_to_several(targets, participants).commutative(commutative)
        }
        "custom" => {
            let count = draw.between(1, 2);
            Collective::Custom((0..count).map(|_| custom(draw, members)).collect())
        }
        _ => Collective::Groups((0..2).map(|_| group(draw, members)).collect()),
    }
}

/// From the first of these nodes on to some of the others. Some may be both.
fn sources_to_targets(draw: &mut Draw, members: &[NodeId]) -> Collective {
    let sources = members[..draw.between(1, members.len())].to_vec();
    let several = draw.between(1, members.len() - 1);
    let targets = draw.shuffled(members[1..].iter().copied())[..several].to_vec();
    Form::find("sources-to-targets")
        .and_then(|form| form.build(&[sources, targets], false))
        .expect("roles")
}

/// A demand of values of some of these nodes, with goals at some of them.
fn custom(draw: &mut Draw, members: &[NodeId]) -> CustomDemand {
    let count = draw.between(1, members.len());
    let owners = draw.shuffled(members.iter().copied())[..count].to_vec();
    let several = draw.between(1, members.len());
    let mut wanted = draw.shuffled(members.iter().copied())[..several].to_vec();
    if let &[owner] = &owners[..] {
        // An owner needs no message.
        wanted.retain(|&node| node != owner);
        if wanted.is_empty() {
            wanted.extend(members.iter().copied().find(|&node| node != owner));
        }
    }
    let wanted = if count > 1 && draw.percent(15) {
        Wanted::Prefixes
    } else {
        Wanted::At(wanted)
    };
    CustomDemand {
        owners,
        wanted,
        commutative: draw.percent(50),
        rate: draw.between(1, 2) as u64,
    }
}

/// A collective among some of these nodes, at a rate.
fn group(draw: &mut Draw, members: &[NodeId]) -> Member {
    let size = draw.between(2, members.len());
    let some = draw.shuffled(members.iter().copied());
    let names: Vec<&str> = COLLECTIVES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !["groups", "custom"].contains(name))
        .collect();
    let name = draw.pick(&names);
    let target = draw.pick(&some[..size]);
    Member {
        collective: collective(draw, name, &some[..size], target),
        rate: draw.between(1, 3) as u64,
    }
}

/// Sizes and work: mostly constant. If all values are combined, now and then growing or by table.
fn volumes(draw: &mut Draw, collective: &Collective) -> Volumes {
    let (sizes, works) = (
        ["1", "1", "1", "2", "1/2", "5/3"],
        ["1", "0", "0", "1/2", "2", "1/7"],
    );
    let constant = |draw: &mut Draw, list: &[&str]| Amount::Constant(number(draw.pick(list)));
    let blocks = collective.blocks();
    let operands = blocks.first().map_or(0, |block| block.operands().len());
    // Otherwise amounts have to be constant, or tables of several sizes.
    let alike = blocks
        .iter()
        .all(|block| block.kind.combines() && block.operands().len() == operands);
    let Some(operands) = alike.then_some(operands) else {
        return Volumes {
            size: constant(draw, &sizes),
            work: constant(draw, &works),
        };
    };
    let any = |draw: &mut Draw, list: &[&str]| match draw.below(10) {
        0 => Amount::Affine {
            fixed: number(draw.pick(list)),
            per_operand: number(draw.pick(list)),
        },
        1 if !collective.is_commutative() => {
            let row =
                |draw: &mut Draw, length| (0..length).map(|_| number(draw.pick(list))).collect();
            Amount::Table(
                (0..operands)
                    .map(|first| row(draw, operands - first))
                    .collect(),
            )
        }
        _ => constant(draw, list),
    };
    Volumes {
        size: any(draw, &sizes),
        work: any(draw, &works),
    }
}

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number of this file")
}
