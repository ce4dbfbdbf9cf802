//! Links of cost 0, chains and cycles of them: every plan runs, for every order of links in the file.

use crate::planned::{parts, verify};
use oneport_testkit::Parts;
use std::collections::BTreeSet;

use num_traits::Zero;
use oneport::plan::{Kind, Pattern, Resource, Task};
use oneport::platform::Node;
use oneport::schedule::Watch;
use oneport::{
    Amount, Collective, Error, Formulation, LpError, NodeId, Options, Platform, PortModel, Problem,
    Rational, Refusal, Status, Volumes, referee, schedule, solve,
};

use crate::common::naive::Dice;
use crate::common::ratio;

/// Nodes and links that are not a platform yet.
struct Draft {
    model: PortModel,
    nodes: Vec<Node>,
    links: Vec<(usize, usize, Rational)>,
}

impl Draft {
    fn platform(&self) -> Platform {
        let mut builder = Platform::builder();
        builder.model(self.model);
        for node in &self.nodes {
            builder.node(node.clone()).unwrap();
        }
        for (from, to, cost) in &self.links {
            let [from, to] = [*from, *to].map(NodeId::new);
            builder.link(from, to, cost.clone()).unwrap();
        }
        builder.build().unwrap()
    }

    /// A ring and further one-way links, one third of them free. A third of the nodes are routers.
    fn random(dice: &mut Dice) -> Draft {
        let count = 3 + dice.below(4);
        let models = PortModel::ALL;
        let node = |at: usize, dice: &mut Dice| {
            let name = format!("n{at}");
            let mut node = if at > 1 && dice.below(2) == 0 {
                Node::router(name)
            } else {
                Node::processor(name, ratio(1 + dice.below(3) as i64, 2))
            };
            node.replicates = node.is_processor() || dice.below(2) == 0;
            node.model = (dice.below(4) == 0).then(|| models[dice.below(models.len())]);
            node.ports = Some(1 + dice.below(2) as u32);
            node
        };
        let nodes: Vec<Node> = (0..count).map(|at| node(at, dice)).collect();
        let around = (0..count).map(|at| (at, (at + 1) % count));
        let further = (0..2 * count).map(|_| (dice.below(count), dice.below(count)));
        let ends: BTreeSet<(usize, usize)> = around
            .chain(further.collect::<Vec<_>>())
            .filter(|(from, to)| from != to)
            .collect();
        let cost = |dice: &mut Dice| match dice.below(3) {
            0 => Rational::zero(),
            _ => dice.cost(),
        };
        Draft {
            model: models[dice.below(models.len())],
            nodes,
            links: ends
                .into_iter()
                .map(|(from, to)| (from, to, cost(dice)))
                .collect(),
        }
    }

    fn shuffle(&mut self, dice: &mut Dice) {
        for last in (1..self.links.len()).rev() {
            self.links.swap(last, dice.below(last + 1));
        }
    }

    fn collective(&self, kind: usize, dice: &mut Dice) -> Collective {
        let all = (0..self.nodes.len()).filter(|&at| self.nodes[at].is_processor());
        let mut all: Vec<NodeId> = all.map(NodeId::new).take(4).collect();
        let first = dice.below(all.len());
        all.rotate_left(first);
        let (first, others) = (all[0], all[1..].to_vec());
        let plain = match kind % 7 {
            0 => Collective::scatter(first, others),
            1 => Collective::gather(first, others),
            2 => Collective::all_to_all(all),
            3 => Collective::broadcast(first, others),
            4 => Collective::all_gather(all),
            5 => Collective::reduce(first, all).commutative(dice.below(2) == 0),
            _ => Collective::reduce_scatter(all).commutative(dice.below(2) == 0),
        };
        let counts: Vec<u64> = (0..plain.demands()).map(|_| dice.below(4) as u64).collect();
        match dice.below(2) {
            0 => plain.clone().with_counts(&counts).unwrap_or(plain),
            _ => plain,
        }
    }
}

/// The plan. `None` if an instance takes no time, or the formulation does not support the platform.
fn plan(problem: &Problem, formulation: Formulation) -> Option<Parts> {
    let options = Options {
        formulation,
        ..Options::default()
    };
    match solve(problem, &options) {
        Ok(solved) => Some(parts(&solved)),
        Err(Error::Problem(Refusal::Question(LpError::Unbounded { .. }))) => None,
        Err(_) if formulation == Formulation::Compact => None,
        other => panic!("{other:?}"),
    }
}

/// The plan is valid, and so are its runs, by its dates and as early as possible.
fn runs(plan: &Parts) -> Result<(), String> {
    let told = |violation: referee::Violation| violation.to_string();
    verify(plan).map_err(told)?;
    for periods in 1..=4 {
        let (problem, schedule) = (&plan.problem, &plan.schedule);
        let dated = schedule::timeline(problem, schedule, periods).unwrap();
        let dated = referee::check_timeline(problem, &dated).map_err(told)?;
        let eager = schedule::eager_timeline(problem, schedule, periods).unwrap();
        let eager = referee::check_timeline(problem, &eager)
            .map_err(|violation| format!("eager: {violation}"))?;
        assert_eq!(eager.delivered, dated.delivered);
        assert!(eager.last_arrival <= dated.last_arrival);
    }
    Ok(())
}

/// Every piece that takes time has one of the ports of either end, if these are limited. The others have none.
fn check_ports(plan: &Parts) {
    let platform = plan.platform();
    for dated in schedule::execution(&plan.problem, &plan.schedule, &Watch::unlimited())
        .unwrap()
        .tasks
    {
        let Task::Send { link, .. } = dated.task else {
            continue;
        };
        for piece in &dated.pieces {
            for (end, lane) in Resource::ends(platform, link).into_iter().zip(piece.lanes) {
                let ports = end.filter(|_| piece.start < piece.end);
                assert_eq!(ports.is_some(), lane.is_some());
                let ports = ports.map_or(0, |port| port.capacity(platform));
                assert!(lane.is_none_or(|lane| lane < ports), "{lane:?} of {ports}");
            }
        }
    }
}

/// Whether a copy returns to a node although it was not a goal and not copied since it left.
fn has_detour(plan: &Parts, pattern: &Pattern) -> bool {
    let demand = plan.problem.collective().demand(pattern.demand).unwrap();
    if demand.kind() != Kind::Copy {
        return false;
    }
    let hop = |index: usize| match pattern.tasks[index] {
        Task::Send { link, after, .. } => (plan.platform().link(link).to, after),
        Task::Merge { .. } => panic!("a copy is not merged"),
    };
    let uses = |index: usize| {
        let after = |task: &&Task| task.inputs().any(|input| input == index);
        pattern.tasks.iter().filter(after).count()
    };
    (0..pattern.tasks.len()).any(|index| {
        let (end, mut after) = hop(index);
        while let Some(before) = after.map(|before| before as usize) {
            let (node, earlier) = hop(before);
            if node == end {
                return true;
            }
            if uses(before) > 1 || demand.targets().contains(&node) {
                return false;
            }
            after = earlier;
        }
        false
    })
}

#[test]
fn every_plan_runs_in_whatever_order_links_are_listed() {
    plans_run(0..140);
}

#[test]
#[ignore = "long: 420 further questions"]
fn further_plans_run_in_whatever_order_links_are_listed() {
    plans_run(140..560);
}

fn plans_run(seeds: std::ops::Range<u64>) {
    let (mut planned, mut unbounded, mut refused) = (0, 0, Vec::new());
    let drawn = seeds.clone().count();
    for seed in seeds {
        let dice = &mut Dice::new(seed);
        let mut draft = Draft::random(dice);
        let collective = draft.collective(seed as usize, dice);
        // Merges may take no time, too.
        let volumes = Volumes {
            size: Amount::Constant(dice.cost()),
            work: Amount::Constant(ratio(dice.below(2) as i64, 1)),
        };
        let formulation = match dice.below(4) {
            0 => Formulation::Compact,
            _ => Formulation::Columns,
        };
        let mut found: Vec<Option<Parts>> = Vec::new();
        for _ in 0..2 {
            let problem = Problem::new(draft.platform(), &collective, &volumes).unwrap();
            found.push(plan(&problem, formulation));
            draft.shuffle(dice);
        }
        for plan in found.iter().flatten() {
            planned += 1;
            check_ports(plan);
            if let Err(told) = runs(plan) {
                refused.push(format!("seed {seed}, {}: {told}", collective.name()));
            }
            let patterns = plan.schedule.patterns.iter();
            if let Some(detour) = patterns
                .map(|scheduled| &scheduled.pattern)
                .find(|pattern| has_detour(plan, pattern))
            {
                refused.push(format!("seed {seed}: detour in {detour:?}"));
            }
        }
        match &found[..] {
            [Some(one), Some(other)] => {
                let optimal = |plan: &Parts| plan.status == Status::Optimal;
                assert!(
                    !(optimal(one) && optimal(other))
                        || one.steady_state.throughput == other.steady_state.throughput,
                    "seed {seed}"
                );
            }
            [None, None] => unbounded += 1,
            _ => panic!("seed {seed}: the order of links decides whether there is a plan"),
        }
    }
    assert!(
        refused.is_empty(),
        "{} of {planned}\n{}",
        refused.len(),
        refused.join("\n")
    );
    let often = 4 * planned > 5 * drawn && 20 * unbounded > drawn;
    assert!(often, "{planned} plans, {unbounded} without a bound");
}

/// A switch with free links to a router and back: the circle costs nothing, and is in no pattern.
#[test]
fn free_circles_through_a_switch_are_left_out() {
    let [n0, n1, n2, n3] = [0, 1, 2, 3];
    let switch = Node {
        replicates: false,
        ..Node::router("n2")
    };
    let nodes = vec![
        Node::router("n0"),
        Node::processor("n1", ratio(1, 1)),
        switch,
        Node::processor("n3", ratio(6, 1)),
    ];
    let links = [
        (n2, n1, 0),
        (n3, n0, 4),
        (n1, n2, 1),
        (n3, n2, 0),
        (n2, n0, 0),
        (n2, n3, 0),
        (n0, n2, 0),
        (n0, n3, 2),
    ];
    let draft = Draft {
        model: PortModel::FullDuplex,
        nodes,
        links: links
            .map(|(from, to, cost)| (from, to, ratio(cost, 1)))
            .to_vec(),
    };
    let broadcast = Collective::broadcast(NodeId::new(n1), vec![NodeId::new(n3)]);
    let problem = Problem::new(draft.platform(), broadcast, Volumes::default()).unwrap();
    let plan = plan(&problem, Formulation::Columns).expect("a plan");
    runs(&plan).unwrap();
    let patterns = &plan.schedule.patterns;
    assert!(
        !patterns.iter().any(|one| has_detour(&plan, &one.pattern)),
        "{patterns:?}"
    );
}
