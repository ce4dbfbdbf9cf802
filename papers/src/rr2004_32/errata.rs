//! One counterexample per erratum of RR-2004-32.

use anyhow::{Context, Result, ensure};
use num_traits::Signed;
use oneport::platform::Node;
use oneport::{Collective, NodeId, Platform, PortModel, Rational};
use oneport_exact::{Relation, Sense};
use oneport_lp::Watch;
use oneport_separation::gadget::gadget;
use oneport_separation::{Inequality, Instance, Separated};

use super::example::{ALL, Reading, T2, T3, over, printed_program};
use super::exhaustive;
use super::gadget;
use super::platforms::{
    answer, broadcast, figure_1, figure_2, half_duplex, only, random_platforms, throughput,
};
use super::program::{self, Ended, Net, Program};
use crate::cases;
use crate::errata::Sides;
use crate::numbers::{number, whole};
use crate::rows::{Check, Value};

pub const CHECKS: &[(&str, Check)] = &[
    ("bidirectional-program", |_| {
        Ok(occupations(true)?.finding().note("figure 2"))
    }),
    ("wrong-program", |_| {
        Ok(occupations(false)?.finding().note("figure 2"))
    }),
    ("third-matching", |_| {
        Ok(third_matching()?.finding().note("figure 2"))
    }),
    ("named-tree", |_| {
        Ok(named_tree()?.finding().note("T1 alone, T2 alone"))
    }),
    ("figure-1-matchings", |_| {
        Ok(eight_matchings()?
            .finding()
            .note("8 if P1 -> P2 and P2 -> P1 are taken for one; 5 are maximal"))
    }),
    ("figure-1-whole", |_| {
        Ok(whole_platform()?
            .finding()
            .note("the printed 2/5 is less than the best tree's 4/7"))
    }),
    ("figure-1-whole-trees", |_| {
        Ok(weights_of_the_whole()?.finding().note("T2 and T3"))
    }),
    ("exponential", |_| {
        Ok(exponential()?
            .finding()
            .note("complete graphs of 3 to 5 nodes"))
    }),
    ("dual-sign", |_| {
        Ok(sign_in_the_dual()?.finding().note("(D) on figure 2"))
    }),
    ("minimum-matching", |_| {
        Ok(minimum_matching()?
            .finding()
            .note("figure 2, v = (1, 0, 0)"))
    }),
    ("lemma-5-duration", |_| {
        Ok(duration()?.finding().note("one link of cost 2, K = 4"))
    }),
    ("lemma-5-equality", |_| {
        Ok(in_transit()?
            .finding()
            .note("s -> r: 1, r -> t: 1, K = 3: time on s -> r"))
    }),
    ("theorem-4-inverse", |_| {
        Ok(inverse()?.finding().note("one link of cost 1/2, K = 4"))
    }),
    ("depth-is-no-time", |_| {
        Ok(depth_is_no_time()?
            .finding()
            .note("a line of 5 links of cost 2, K = 9: messages"))
    }),
    ("source-in-node", |_| {
        Ok(source_in_node()?
            .finding()
            .note("0 -> 1 -> 2 and 1 -> 0, all of cost 1"))
    }),
    ("source-without-links", |_| {
        Ok(source_without_links()?
            .finding()
            .note("one link 0 -> 1 of cost 1"))
    }),
    ("exchange-in-nodes", |_| {
        Ok(exchange_in_nodes()?
            .finding()
            .note("0 -> 1, 1 -> 2, 1 -> 0: 1, 2 -> 1: 2, 2 -> 0: 3, total exchange"))
    }),
    ("dimension-of-d", |_| {
        Ok(dimension_of_d()?.finding().note("figure 2: columns of D"))
    }),
    ("spanning-trees", |_| {
        Ok(spanning_trees()?
            .finding()
            .note("figure 2: sets of two links that join all nodes"))
    }),
    ("not-in-np", |_| {
        let (sides, digits) = decision()?;
        Ok(sides.finding().note(format!(
            "certificates of both answers on 14 platforms: at most |E| + 1 numbers, of up to {digits} binary digits"
        )))
    }),
    ("owners-in-gadgets", |_| {
        Ok(owners_in_gadgets()?
            .finding()
            .note("bidirectional a <-> b, both links of cost 1"))
    }),
    ("variables-of-p-prime", |_| {
        Ok(variables_of_p_prime()?
            .finding()
            .note("figure 2, all inequalities of (D) and u >= 0"))
    }),
];

/// E004-1: the programs of section 2.2 with `t <= c x` as printed, and with `t >= c x`.
pub fn occupations(bidirectional: bool) -> Result<Sides> {
    let ended = printed_program(Reading {
        at_most: true,
        bidirectional,
    })?;
    ensure!(
        ended == Ended::Unbounded,
        "the printed program is not unbounded: {ended:?}"
    );
    let right = printed_program(Reading {
        at_most: false,
        bidirectional,
    })?
    .value()?;
    Ok(Sides::new(Value::Words("unbounded".to_string()), right))
}

/// E004-2: the small program of section 2.2.2, with the third matching serving T2 at the cost of 1 -> 3, and at that of
/// 2 -> 3.
pub fn third_matching() -> Result<Sides> {
    let with = |cost: &str| -> Result<Rational> {
        let platform = figure_2()?;
        let cost = platform.link(cases::link(&platform, cost)?).cost.clone();
        let mut program = Program::default();
        let columns = program.many(6);
        let [total, x1, x2, x3, y1, y2] = columns[..] else {
            anyhow::bail!("six columns")
        };
        program.row(
            Relation::AtMost,
            whole(1),
            [x1, x2, x3].map(|x| (x, whole(1))),
        );
        program.row(
            Relation::Equal,
            whole(0),
            [(x1, whole(1)), (y1, whole(-1)), (y2, whole(-1))],
        );
        program.row(Relation::Equal, whole(0), [(x2, whole(1)), (y1, whole(-1))]);
        program.row(Relation::Equal, whole(0), [(x3, whole(1)), (y2, -cost)]);
        program.row(
            Relation::Equal,
            whole(0),
            [(y1, whole(1)), (y2, whole(1)), (total, whole(-1))],
        );
        program.end(Sense::Maximize, total)?.value()
    };
    let right = with("P2 -> P3")?;
    ensure!(
        right == throughput(&figure_2()?, &broadcast(&figure_2()?))?,
        "the corrected program is wrong too"
    );
    Ok(Sides::new(with("P1 -> P3")?, right))
}

/// E004-3: the throughput along T1, which the paper gives as 2/3, and along T2, which is 2/3.
pub fn named_tree() -> Result<Sides> {
    let along = |names: [&str; 2]| -> Result<Rational> {
        let platform = only(&figure_2()?, &names)?;
        throughput(&platform, &broadcast(&platform))
    };
    Ok(Sides::new(
        along(["P1 -> P2", "P1 -> P3"])?,
        along(["P1 -> P2", "P2 -> P3"])?,
    ))
}

/// E004-4: matchings of figure 1 if the two links between P1 and P2 are one, and if they are two.
pub fn eight_matchings() -> Result<Sides> {
    let platform = figure_1()?;
    let merged: Vec<&str> = ALL.into_iter().filter(|name| *name != "P2 -> P1").collect();
    let count = |platform: &Platform| Net::of(platform).matchings().len();
    let all = Net::of(&platform).matchings();
    let within = |one: &[usize], other: &[usize]| {
        one.len() < other.len() && one.iter().all(|link| other.contains(link))
    };
    let maximal = all
        .iter()
        .filter(|one| !all.iter().any(|other| within(one, other)))
        .count();
    ensure!(maximal == 5, "{maximal} matchings are maximal");
    Ok(Sides::new(
        count(&only(&platform, &merged)?),
        count(&platform),
    ))
}

/// The weights of T2 and T3 on the whole of figure 1, by (P) over these two trees.
fn of_two_trees() -> Result<[Rational; 2]> {
    let platform = figure_1()?;
    let net = Net::of(&platform);
    let tree = |names: &[&str]| {
        names
            .iter()
            .map(|name| Ok(cases::link(&platform, name)?.index()))
            .collect()
    };
    let trees = [tree(&T2), tree(&T3)]
        .into_iter()
        .collect::<Result<Vec<program::Links>>>()?;
    let optimum = program::primal(&net, &net.matchings(), &trees)?;
    let weight = |tree: &program::Links| optimum.patterns.iter().find(|(links, _)| links == tree);
    let weights = trees
        .iter()
        .map(|tree| weight(tree).map(|(_, weight)| weight.clone()));
    let weights: Vec<Rational> = weights
        .collect::<Option<_>>()
        .context("one of the trees is not used")?;
    weights.try_into().ok().context("two trees")
}

/// E004-5: the sum of the printed weights, and the optimum of the whole of figure 1.
pub fn whole_platform() -> Result<Sides> {
    let printed = number("1/5")? + number("1/5")?;
    ensure!(
        printed < over(&T2)?,
        "the printed throughput is as good as a tree's"
    );
    Ok(Sides::new(printed, over(&ALL)?))
}

/// E004-5: the printed weights, which keep the platform busy for half of the time only, and the optimum's weights.
pub fn weights_of_the_whole() -> Result<Sides> {
    let list =
        |weights: &[Rational]| Value::List(weights.iter().cloned().map(Value::Number).collect());
    let platform = figure_1()?;
    let net = Net::of(&platform);
    let tree = |names: &[&str]| {
        names
            .iter()
            .map(|name| Ok(cases::link(&platform, name)?.index()))
            .collect()
    };
    let printed = [number("1/5")?, number("1/5")?];
    let trees: Vec<program::Links> = [tree(&T2), tree(&T3)].into_iter().collect::<Result<_>>()?;
    let busy = program::busy(
        &net,
        &trees.into_iter().zip(printed.clone()).collect::<Vec<_>>(),
    );
    let time = program::least_time(&net.matchings(), &busy)?;
    ensure!(
        time == number("1/2")?,
        "the printed trees take {time} of the time"
    );
    Ok(Sides::new(list(&printed), list(&of_two_trees()?)))
}

/// E004-6: which of the two numbers of (P) outgrows |E| + 1.
pub fn exponential() -> Result<Sides> {
    let words = |text: &str| Value::Words(text.to_string());
    for n in 3..=5 {
        let net = Net::of(&cases::random(n, n - 1, 1, 1)?);
        let (constraints, variables) = (
            net.arcs.len() + 1,
            net.matchings().len() + net.trees(0).len(),
        );
        ensure!(
            variables > constraints,
            "n = {n}: {variables} variables, {constraints} constraints"
        );
        ensure!(
            n != 5 || (constraints, variables) == (21, 80 + 125),
            "the numbers of the entry are not right"
        );
        // Trees out of a root alone: n^(n - 2).
        ensure!(
            variables > n.pow(n as u32 - 2),
            "n = {n}: too few variables"
        );
    }
    Ok(Sides::new(words("constraints"), words("variables")))
}

/// E004-7: (D) with `u <= 0`, and with `u >= 0`.
pub fn sign_in_the_dual() -> Result<Sides> {
    let net = Net::of(&figure_2()?);
    let ended = |printed| program::dual(&net, &net.matchings(), &net.trees(0), printed);
    ensure!(
        ended(true)? == Ended::Infeasible,
        "(D) with u <= 0 has a solution"
    );
    Ok(Sides::new(
        Value::Words("infeasible".to_string()),
        ended(false)?.value()?,
    ))
}

/// E004-8: the weight of the lightest and of the heaviest matching under v = (1, 0, 0). With u = 1/2 only the latter
/// shows that an inequality of type I is violated.
pub fn minimum_matching() -> Result<Sides> {
    let weights = [1, 0, 0];
    let weight = |set: &program::Links| set.iter().map(|&link| weights[link]).sum::<i32>();
    let all: Vec<i32> = Net::of(&figure_2()?)
        .matchings()
        .iter()
        .map(weight)
        .collect();
    let least = all.iter().min().context("no matching")?;
    let most = all.iter().max().context("no matching")?;
    Ok(Sides::new(whole(*least), whole(*most)))
}

/// E004-9: messages that one link of cost 2 carries within K = 4, which is meant to bound the time used, and that time.
pub fn duration() -> Result<Sides> {
    let (platform, k) = (half_duplex("s t", &[("s", "t", "2")])?, 4);
    let solved = answer(&platform, &broadcast(&platform))?;
    let plan = solved.plan()?;
    let timeline = oneport::schedule::timeline(plan.problem, plan.schedule, 2)?;
    let pieces = timeline
        .events
        .iter()
        .flat_map(|event| &event.pieces)
        .filter(|(_, end)| *end <= whole(k));
    let used: Rational = pieces.map(|(start, end)| end - start).sum();
    let most = (&plan.steady_state.throughput * whole(k)).floor();
    ensure!(used == whole(k), "the link rests");
    Ok(Sides::new(most, used))
}

/// E004-10: the time of the messages that have arrived everywhere, and the time that s -> r is busy, within K = 3: in
/// the run of our own plan, in which the most messages arrive.
pub fn in_transit() -> Result<Sides> {
    let (platform, k) = (
        half_duplex("s r t", &[("s", "r", "1"), ("r", "t", "1")])?,
        3u64,
    );
    let solved = answer(&platform, &broadcast(&platform))?;
    let plan = solved.plan()?;
    let timeline = oneport::schedule::timeline(plan.problem, plan.schedule, 2)?;
    let within = |name: &str| -> Result<Rational> {
        let link = cases::link(&platform, name)?;
        let pieces = timeline
            .events
            .iter()
            .filter(|event| event.link == link)
            .flat_map(|event| &event.pieces);
        Ok(pieces
            .filter(|(_, end)| *end <= whole(k))
            .map(|(start, end)| end - start)
            .sum())
    };
    // Both links take 1 per message, so times are numbers of messages.
    let (busy, arrived) = (within("s -> r")?, within("r -> t")?);
    let best = exhaustive::opt(&platform, 1, k)?
        .last()
        .copied()
        .unwrap_or(0);
    ensure!(
        arrived == whole(best),
        "{arrived} messages arrive, {best} are possible"
    );
    Ok(Sides::new(arrived, busy))
}

/// E004-11: `K / TP` and `TP K` for one link of cost 1/2, K = 4. The latter is attained.
pub fn inverse() -> Result<Sides> {
    let (platform, k) = (half_duplex("s t", &[("s", "t", "1/2")])?, whole(4));
    let throughput = throughput(&platform, &broadcast(&platform))?;
    Ok(Sides::new(&k / &throughput, throughput * k))
}

/// E004-12: messages that must have arrived by K = 9, `floor(TP (K - L))` with the depth for L, and messages that can
/// have.
pub fn depth_is_no_time() -> Result<Sides> {
    let k = 9;
    let line = ["a", "b", "c", "d", "e", "f"];
    let links: Vec<(&str, &str, &str)> = line
        .windows(2)
        .map(|pair| (pair[0], pair[1], "2"))
        .collect();
    let platform = half_duplex("a b c d e f", &links)?;
    let solved = answer(&platform, &broadcast(&platform))?;
    let plan = solved.plan()?;
    let depth = plan.schedule.depth();
    let printed = (&plan.steady_state.throughput * (whole(k) - whole(depth))).floor();
    let best = exhaustive::opt(&platform, 1, k)?
        .last()
        .copied()
        .unwrap_or(0);
    let corrected =
        &plan.steady_state.throughput * (whole(k) - &plan.schedule.period * whole(depth));
    ensure!(
        corrected <= whole(best),
        "the corrected number is too large as well"
    );
    Ok(Sides::new(printed, best))
}

/// E004-13: figure 7 as printed, and with links from the hearts to their in-nodes, which match the platform.
fn figure_7(
    nodes: &str,
    links: &[(&str, &str, &str)],
    collective: impl Fn(&Platform) -> Collective,
) -> Result<Sides> {
    let platform = half_duplex(nodes, links)?.with_model(PortModel::FullDuplex);
    let (right, collective) = (gadget(&platform)?, collective(&platform));
    let value = gadget::optimum(&right, &collective)?;
    ensure!(
        value == throughput(&platform, &collective)?,
        "with the links it is wrong too"
    );
    Ok(Sides::new(
        gadget::optimum(&gadget::without_back_links(right), &collective)?,
        value,
    ))
}

/// E004-13: a source that others send to.
pub fn source_in_node() -> Result<Sides> {
    figure_7(
        "0 1 2",
        &[("0", "1", "1"), ("1", "2", "1"), ("1", "0", "1")],
        broadcast,
    )
}

/// E004-13: a source that nothing enters. Its in-node is a separate node, which no path reaches.
pub fn source_without_links() -> Result<Sides> {
    let platform = half_duplex("0 1", &[("0", "1", "1")])?.with_model(PortModel::FullDuplex);
    let right = throughput(&platform, &broadcast(&platform))?;
    // The transform makes no in-node if nothing enters. The printed one does.
    let mut net = Net::of_gadget(&gadget(&platform)?);
    net.nodes += 1;
    net.arcs.push(program::Arc {
        from: net.nodes - 1,
        to: 0,
        cost: whole(0),
    });
    Ok(Sides::new(
        program::primal(&net, &net.matchings(), &net.trees(0))?.value,
        right,
    ))
}

/// E004-13: a total exchange, whose every node is a source and has an in-node.
pub fn exchange_in_nodes() -> Result<Sides> {
    let links = [
        ("0", "1", "1"),
        ("1", "2", "1"),
        ("1", "0", "1"),
        ("2", "1", "2"),
        ("2", "0", "3"),
    ];
    figure_7("0 1 2", &links, |platform| {
        Collective::all_gather(platform.node_ids().collect())
    })
}

/// E004-14: (P) with every link counted once per pattern, and as often as the pattern uses it.
pub fn counted_once(what: &str) -> Result<Sides> {
    let line = [
        ("a", "b", "1"),
        ("b", "a", "1"),
        ("b", "c", "1"),
        ("c", "b", "1"),
    ];
    let platform = match what {
        "scatter" => half_duplex(
            "s r a b",
            &[("s", "r", "1"), ("r", "a", "1"), ("r", "b", "1")],
        )?,
        _ => half_duplex("a b c", &line)?,
    };
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let collective = match what {
        "scatter" => Collective::scatter(NodeId::new(0), vec![NodeId::new(2), NodeId::new(3)]),
        "total-exchange" => Collective::all_gather(participants),
        _ => Collective::all_to_all(participants),
    };
    let net = Net::of(&platform);
    let mut once = net.patterns(&collective)?;
    for pattern in &mut once {
        pattern.dedup();
    }
    let printed = program::primal(&net, &net.matchings(), &once)?.value;
    Ok(Sides::new(printed, throughput(&platform, &collective)?))
}

/// E004-15: a point of the printed K with a negative price. Shortest paths by Bellman and Ford give "outside" after any
/// number of rounds. The simple paths, to which K refers, give "inside". With v >= 0 it is outside for another reason.
pub fn prices_of_both_signs() -> Result<Sides> {
    let links = [
        ("s", "a", "1"),
        ("a", "b", "1"),
        ("b", "a", "1"),
        ("a", "t", "1"),
    ];
    let platform = half_duplex("s a b t", &links)?;
    let net = Net::of(&platform);
    let (u, v) = (whole(1), [1, -2, 1, 1].map(whole));
    let weight = |links: &program::Links| links.iter().map(|&link| &v[link]).sum::<Rational>();
    ensure!(
        net.matchings().iter().all(|set| weight(set) <= u),
        "an inequality of type I is violated"
    );
    let lightest = net
        .paths(0, 3)
        .iter()
        .map(weight)
        .min()
        .context("no path")?;
    let mut distances: Vec<Option<Rational>> = vec![None; net.nodes];
    distances[0] = Some(whole(0));
    let mut last = None;
    for round in 0..12 {
        for (link, arc) in net.arcs.iter().enumerate() {
            let through = distances[arc.from].as_ref().map(|so_far| so_far + &v[link]);
            distances[arc.to] = [distances[arc.to].take(), through]
                .into_iter()
                .flatten()
                .min();
        }
        let now = distances[3].clone();
        ensure!(round < 4 || now < last, "the distance has stopped to fall");
        last = now;
    }
    let verdict = |least: &Rational| {
        Value::Words(
            if *least < whole(1) {
                "outside"
            } else {
                "inside"
            }
            .to_string(),
        )
    };
    let scatter = Collective::scatter(NodeId::new(0), vec![NodeId::new(3)]);
    let corrected = Instance::new(&platform, &scatter)?.separate(&u, &v)?;
    ensure!(
        corrected == Separated::Outside(Inequality::NegativeV(1)),
        "with v >= 0 the price is not refused"
    );
    let last = last.context("t is not reached")?;
    ensure!(last.is_negative(), "the distance is {last}");
    Ok(Sides::new(verdict(&last), verdict(&lightest)))
}

/// E004-16: the number of columns of D if it multiplies y, as printed, and if it multiplies X.
pub fn dimension_of_d() -> Result<Sides> {
    let net = Net::of(&figure_2()?);
    let (matchings, trees) = (net.matchings().len(), net.trees(0).len());
    Ok(Sides::new(trees, matchings + trees))
}

/// E004-16: the number of constraints of (D'), `u >= 0` among them, which the paper takes for the variables of (P'),
/// and the number of its variables.
pub fn variables_of_p_prime() -> Result<Sides> {
    let net = Net::of(&figure_2()?);
    let variables = net.matchings().len() + net.trees(0).len();
    Ok(Sides::new(variables + 1, variables))
}

/// E004-16: spanning trees of figure 2 without regard to directions, and those rooted in the source.
pub fn spanning_trees() -> Result<Sides> {
    let net = Net::of(&figure_2()?);
    let links = net.arcs.len();
    let joined = |chosen: u32| {
        let mut reached = vec![false; net.nodes];
        reached[0] = true;
        for _ in 0..net.nodes {
            for (link, arc) in net.arcs.iter().enumerate() {
                if chosen >> link & 1 == 1 && (reached[arc.from] || reached[arc.to]) {
                    (reached[arc.from], reached[arc.to]) = (true, true);
                }
            }
        }
        reached.into_iter().all(|reached| reached)
    };
    let of_size = |chosen: &u32| chosen.count_ones() as usize + 1 == net.nodes;
    let all = (0..1u32 << links)
        .filter(of_size)
        .filter(|&chosen| joined(chosen));
    Ok(Sides::new(all.count(), net.trees(0).len()))
}

/// E004-17: certificates that the throughput is at least, and at most, the optimum: at most `|E| + 1` weights and at
/// most `|E| + 1` prices, checked by adding up. Returns the most binary digits of one of their numbers. By Cramer's
/// rule a basic solution has numerators and denominators of at most `n (1 + log n + 2 n C)` digits for rows of `n`
/// numbers of `C`.
pub fn decision() -> Result<(Sides, u64)> {
    let mut platforms = vec![figure_1()?, figure_2()?];
    platforms.extend(random_platforms(&[(4, 2), (5, 3), (6, 3)], 4)?);
    let length = |value: &Rational| value.numer().bits().max(value.denom().bits());
    let mut longest = 0;
    for platform in &platforms {
        let instance = Instance::new(platform, &broadcast(platform))?;
        let found = instance.optimum(&Watch::unlimited())?;
        found.check(&instance)?;
        let of_matchings = found.weighted.matchings.iter().map(|(_, weight)| weight);
        let of_patterns = found.weighted.patterns.iter().map(|(_, weight)| weight);
        let weights: Vec<&Rational> = of_matchings.chain(of_patterns).collect();
        let n = platform.links().len() as u64 + 1;
        ensure!(
            weights.len() as u64 <= n,
            "{} weights, {n} rows",
            weights.len()
        );
        let of_cost = platform
            .links()
            .iter()
            .map(|link| length(&link.cost))
            .max()
            .unwrap_or(1);
        let most = n * (1 + u64::from(n.ilog2() + 1) + 2 * of_cost * n);
        let prices = found.weighted.v.iter().chain([&found.weighted.u]);
        let digits = weights
            .into_iter()
            .chain(prices)
            .map(length)
            .max()
            .unwrap_or(0);
        ensure!(digits <= most, "{digits} digits, {most} at most");
        longest = longest.max(digits);
    }
    let words = |text: &str| Value::Words(text.to_string());
    Ok((Sides::new(words("not in NP"), words("in P")), longest))
}

/// E004-18: a total exchange on a gadget whose nodes are all sources, and on the platform.
pub fn owners_in_gadgets() -> Result<Sides> {
    let links = [("a", "b", "1"), ("b", "a", "1")];
    let platform = half_duplex("a b", &links)?.with_model(PortModel::FullDuplex);
    let all_gather = |platform: &Platform| Collective::all_gather(platform.node_ids().collect());
    let right = throughput(&platform, &all_gather(&platform))?;
    let gadget = gadget(&platform)?;
    let cores = Instance::of_gadget(&platform, &gadget, &all_gather(&platform))?;
    ensure!(
        cores.optimum(&Watch::unlimited())?.weighted.value == right,
        "with the cores as sources it is wrong too"
    );
    let mut builder = Platform::builder();
    builder.model(PortModel::HalfDuplex);
    for index in 0..gadget.nodes.len() {
        builder.node(Node::processor(format!("n{index}"), whole(1)))?;
    }
    for link in &gadget.links {
        builder.link(
            NodeId::new(link.from),
            NodeId::new(link.to),
            link.cost.clone(),
        )?;
    }
    let owning = builder.build()?;
    let printed = Instance::new(&owning, &all_gather(&owning))?.optimum(&Watch::unlimited())?;
    Ok(Sides::new(printed.weighted.value, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errata::tests::check;

    fn words(text: &str) -> Value {
        Value::Words(text.to_string())
    }

    #[test]
    fn e004_1_a_link_is_busy_for_at_least_its_messages() -> Result<()> {
        assert_eq!(occupations(true)?, Sides::new(words("unbounded"), whole(1)));
        assert_eq!(
            occupations(false)?,
            Sides::new(words("unbounded"), number("3/4")?)
        );
        Ok(())
    }

    #[test]
    fn e004_2_the_third_matching_is_the_link_from_2_to_3() {
        check(third_matching(), "1/2", "2/3");
    }

    #[test]
    fn e004_3_the_best_tree_is_t2() {
        check(named_tree(), "1/2", "2/3");
    }

    #[test]
    fn e004_4_there_are_nine_matchings() {
        check(eight_matchings(), "8", "9");
    }

    #[test]
    fn e004_5_the_whole_platform_achieves_twice_as_much() -> Result<()> {
        check(whole_platform(), "2/5", "4/5");
        let both = |text: &str| -> Result<Value> {
            Ok(Value::List(vec![Value::Number(number(text)?); 2]))
        };
        assert_eq!(
            weights_of_the_whole()?,
            Sides::new(both("1/5")?, both("2/5")?)
        );
        Ok(())
    }

    #[test]
    fn e004_6_the_variables_are_exponentially_many() -> Result<()> {
        assert_eq!(
            exponential()?,
            Sides::new(words("constraints"), words("variables"))
        );
        Ok(())
    }

    #[test]
    fn e004_7_u_is_not_negative() -> Result<()> {
        assert_eq!(
            sign_in_the_dual()?,
            Sides::new(words("infeasible"), number("2/3")?)
        );
        Ok(())
    }

    #[test]
    fn e004_8_the_heaviest_matching_separates() {
        check(minimum_matching(), "0", "1");
    }

    #[test]
    fn e004_9_the_intervals_last_as_long_as_the_schedule() {
        check(duration(), "2", "4");
    }

    #[test]
    fn e004_10_messages_in_transit_take_time_too() {
        check(in_transit(), "1", "2");
    }

    #[test]
    fn e004_11_throughput_times_time() {
        check(inverse(), "2", "8");
    }

    #[test]
    fn e004_12_a_depth_is_no_time() {
        check(depth_is_no_time(), "1", "0");
    }

    #[test]
    fn e004_13_the_source_need_not_receive() {
        check(source_in_node(), "1/2", "1");
        check(source_without_links(), "0", "1");
        check(exchange_in_nodes(), "1/5", "3/10");
    }

    #[test]
    fn e004_14_a_link_is_counted_as_often_as_it_is_used() {
        check(counted_once("scatter"), "1/3", "1/4");
        check(counted_once("total-exchange"), "1/4", "1/6");
        check(counted_once("all-to-all"), "1/4", "1/8");
    }

    #[test]
    fn e004_15_prices_are_not_negative() -> Result<()> {
        assert_eq!(
            prices_of_both_signs()?,
            Sides::new(words("outside"), words("inside"))
        );
        Ok(())
    }

    #[test]
    fn e004_16_slips_of_the_pen() {
        check(dimension_of_d(), "2", "5");
        check(variables_of_p_prime(), "6", "5");
        check(spanning_trees(), "3", "2");
    }

    #[test]
    fn e004_17_the_broadcast_problem_is_in_p() -> Result<()> {
        let (sides, digits) = decision()?;
        assert_eq!(sides, Sides::new(words("not in NP"), words("in P")));
        assert!(digits > 1);
        Ok(())
    }

    #[test]
    fn e004_18_in_nodes_and_out_nodes_own_nothing() {
        check(owners_in_gadgets(), "1/4", "1");
    }
}
