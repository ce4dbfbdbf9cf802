//! One counterexample per erratum of RR-2004-32.

use anyhow::{Context, Result, ensure};
use oneport::{Platform, PortModel, Rational};
use oneport_exact::{Relation, Sense};

use super::example::{ALL, Reading, T2, T3, over, printed_program};
use super::gadget::Gadget;
use super::program::{self, Ended, Net, Program};
use super::{broadcast, exhaustive, figure_1, figure_2, half_duplex, only, plan, throughput};
use crate::cases;
use crate::errata::Sides;
use crate::numbers::{number, whole};
use crate::rows::{Check, Value};

pub const CHECKS: &[(&str, Check)] = &[
    ("bidirectional-program", |_| Ok(occupations(true)?.finding().note("figure 2"))),
    ("wrong-program", |_| Ok(occupations(false)?.finding().note("figure 2"))),
    ("third-matching", |_| Ok(third_matching()?.finding().note("figure 2"))),
    ("named-tree", |_| Ok(named_tree()?.finding().note("T1 alone, T2 alone"))),
    ("figure-1-matchings", |_| {
        Ok(eight_matchings()?.finding().note("8 if P1 -> P2 and P2 -> P1 are taken for one; 5 are maximal"))
    }),
    ("figure-1-whole", |_| Ok(whole_platform()?.finding().note("the printed 2/5 is less than the best tree's 4/7"))),
    ("figure-1-whole-trees", |_| Ok(weights_of_the_whole()?.finding().note("T2 and T3"))),
    ("exponential", |_| Ok(exponential()?.finding().note("complete graphs of 3 to 5 nodes"))),
    ("dual-sign", |_| Ok(sign_in_the_dual()?.finding().note("(D) on figure 2"))),
    ("minimum-matching", |_| Ok(minimum_matching()?.finding().note("figure 2, v = (1, 0, 0)"))),
    ("lemma-5-duration", |_| Ok(duration()?.finding().note("one link of cost 2, K = 4"))),
    ("lemma-5-equality", |_| Ok(in_transit()?.finding().note("s -> r: 1, r -> t: 1, K = 3: time on s -> r"))),
    ("theorem-4-inverse", |_| Ok(inverse()?.finding().note("one link of cost 1/2, K = 4"))),
    ("depth-is-no-time", |_| Ok(depth_is_no_time()?.finding().note("a line of 5 links of cost 2, K = 9: messages"))),
    ("source-in-node", |_| Ok(source_in_node()?.finding().note("0 -> 1 -> 2 and 1 -> 0, all of cost 1"))),
];

/// E004-1: the programs of section 2.2 with `t <= c x` as printed, and with `t >= c x`.
pub fn occupations(bidirectional: bool) -> Result<Sides> {
    let ended = printed_program(Reading { at_most: true, bidirectional })?;
    ensure!(ended == Ended::Unbounded, "the printed program is not unbounded: {ended:?}");
    let right = printed_program(Reading { at_most: false, bidirectional })?.value()?;
    Ok(Sides::new(Value::Words("unbounded".to_string()), right))
}

/// E004-2: the small program of section 2.2.2 with the third matching serving T2 at the cost of 1 -> 3; of 2 -> 3.
pub fn third_matching() -> Result<Sides> {
    let with = |cost: &str| -> Result<Rational> {
        let platform = figure_2()?;
        let cost = platform.link(cases::link(&platform, cost)?).cost.clone();
        let mut program = Program::default();
        let columns = program.many(6);
        let [total, x1, x2, x3, y1, y2] = columns[..] else { anyhow::bail!("six columns") };
        program.row(Relation::AtMost, whole(1), [x1, x2, x3].map(|x| (x, whole(1))));
        program.row(Relation::Equal, whole(0), [(x1, whole(1)), (y1, whole(-1)), (y2, whole(-1))]);
        program.row(Relation::Equal, whole(0), [(x2, whole(1)), (y1, whole(-1))]);
        program.row(Relation::Equal, whole(0), [(x3, whole(1)), (y2, -cost)]);
        program.row(Relation::Equal, whole(0), [(y1, whole(1)), (y2, whole(1)), (total, whole(-1))]);
        program.end(Sense::Maximize, total)?.value()
    };
    let right = with("P2 -> P3")?;
    ensure!(right == throughput(&figure_2()?, &broadcast(&figure_2()?))?, "the corrected program is wrong too");
    Ok(Sides::new(with("P1 -> P3")?, right))
}

/// E004-3: the throughput along T1, which is said to be 2/3, and along T2, which is.
pub fn named_tree() -> Result<Sides> {
    let along = |names: [&str; 2]| -> Result<Rational> {
        let platform = only(&figure_2()?, &names)?;
        throughput(&platform, &broadcast(&platform))
    };
    Ok(Sides::new(along(["P1 -> P2", "P1 -> P3"])?, along(["P1 -> P2", "P2 -> P3"])?))
}

/// E004-4: matchings of figure 1 when the two links between P1 and P2 are one; and when they are two.
pub fn eight_matchings() -> Result<Sides> {
    let platform = figure_1()?;
    let merged: Vec<&str> = ALL.into_iter().filter(|name| *name != "P2 -> P1").collect();
    let count = |platform: &Platform| Net::of(platform).matchings().len();
    let all = Net::of(&platform).matchings();
    let within =
        |one: &[usize], other: &[usize]| one.len() < other.len() && one.iter().all(|link| other.contains(link));
    let maximal = all.iter().filter(|one| !all.iter().any(|other| within(one, other))).count();
    ensure!(maximal == 5, "{maximal} matchings are maximal");
    Ok(Sides::new(count(&only(&platform, &merged)?), count(&platform)))
}

/// How much of T2 and of T3 the whole of figure 1 takes when both take as much, by (P) over these two trees.
fn of_two_trees() -> Result<[Rational; 2]> {
    let platform = figure_1()?;
    let net = Net::of(&platform);
    let tree = |names: &[&str]| names.iter().map(|name| Ok(cases::link(&platform, name)?.index())).collect();
    let trees = [tree(&T2), tree(&T3)].into_iter().collect::<Result<Vec<program::Links>>>()?;
    let optimum = program::primal(&net, &net.matchings(), &trees)?;
    let weight = |tree: &program::Links| optimum.patterns.iter().find(|(links, _)| links == tree);
    let weights = trees.iter().map(|tree| weight(tree).map(|(_, weight)| weight.clone()));
    let weights: Vec<Rational> = weights.collect::<Option<_>>().context("one of the trees is not used")?;
    weights.try_into().ok().context("two trees")
}

/// E004-5: the sum of the printed weights, and the optimum of the whole of figure 1.
pub fn whole_platform() -> Result<Sides> {
    let printed = number("1/5")? + number("1/5")?;
    ensure!(printed < over(&T2)?, "the printed throughput is as good as a tree's");
    Ok(Sides::new(printed, over(&ALL)?))
}

/// E004-5: the weights themselves. Half of the right ones, though the matchings are printed for the right ones.
pub fn weights_of_the_whole() -> Result<Sides> {
    let right = of_two_trees()?;
    let list = |weights: &[Rational]| Value::List(weights.iter().cloned().map(Value::Number).collect());
    let halves: Vec<Rational> = right.iter().map(|weight| weight / whole(2)).collect();
    Ok(Sides::new(list(&halves), list(&right)))
}

/// E004-6: which of the two numbers of (P) outgrows |E| + 1.
pub fn exponential() -> Result<Sides> {
    let words = |text: &str| Value::Words(text.to_string());
    for n in 3..=5 {
        let net = Net::of(&cases::random(n, n - 1, 1, 1)?);
        let (constraints, variables) = (net.arcs.len() + 1, net.matchings().len() + net.trees(0).len());
        ensure!(variables > constraints, "n = {n}: {variables} variables, {constraints} constraints");
        ensure!(n != 5 || (constraints, variables) == (21, 80 + 125), "the numbers of the entry are not right");
        // Trees out of a root alone: n^(n - 2).
        ensure!(variables > n.pow(n as u32 - 2), "n = {n}: too few variables");
    }
    Ok(Sides::new(words("constraints"), words("variables")))
}

/// E004-7: (D) with `u <= 0`, and with `u >= 0`.
pub fn sign_in_the_dual() -> Result<Sides> {
    let net = Net::of(&figure_2()?);
    let ended = |printed| program::dual(&net, &net.matchings(), &net.trees(0), printed);
    ensure!(ended(true)? == Ended::Infeasible, "(D) with u <= 0 has a solution");
    Ok(Sides::new(Value::Words("infeasible".to_string()), ended(false)?.value()?))
}

/// E004-8: the weight of the lightest and of the heaviest matching under v = (1, 0, 0). With u = 1/2 only the latter
/// shows that an inequality of type I is violated.
pub fn minimum_matching() -> Result<Sides> {
    let weights = [1, 0, 0];
    let weight = |set: &program::Links| set.iter().map(|&link| weights[link]).sum::<i32>();
    let all: Vec<i32> = Net::of(&figure_2()?).matchings().iter().map(weight).collect();
    let least = all.iter().min().context("no matching")?;
    let most = all.iter().max().context("no matching")?;
    Ok(Sides::new(whole(*least), whole(*most)))
}

/// E004-9: messages that one link of cost 2 carries within K = 4, which is to bound the time used; and that time.
pub fn duration() -> Result<Sides> {
    let (platform, k) = (half_duplex("s t", &[("s", "t", "2")])?, 4);
    let plan = plan(&platform, &broadcast(&platform))?;
    let timeline = oneport::schedule::timeline(plan.problem()?, &plan.schedule, 2)?;
    let pieces = timeline.events.iter().flat_map(|event| &event.pieces).filter(|(_, end)| *end <= whole(k));
    let used: Rational = pieces.map(|(start, end)| end - start).sum();
    let most = (&plan.steady_state.throughput * whole(k)).floor();
    ensure!(used == whole(k), "the link rests");
    Ok(Sides::new(most, used))
}

/// E004-10: the time of the messages that have arrived everywhere, and the time that s -> r is busy, within K = 3.
pub fn in_transit() -> Result<Sides> {
    let (platform, k) = (half_duplex("s r t", &[("s", "r", "1"), ("r", "t", "1")])?, 3);
    // All links meet at r, so one transfer at a time is all that the ports ask.
    let transfers = [(0, "s -> r"), (1, "r -> t"), (2, "s -> r")];
    let at = |name: &str| transfers.iter().filter(|(start, link)| *link == name && *start < k).count();
    let arrived = at("r -> t");
    let most = (throughput(&platform, &broadcast(&platform))? * whole(k)).floor();
    ensure!(whole(arrived) == most, "the schedule is not optimal");
    let cost = &platform.link(cases::link(&platform, "s -> r")?).cost;
    Ok(Sides::new(cost * whole(arrived), cost * whole(at("s -> r"))))
}

/// E004-11: `K / TP` and `TP K` for one link of cost 1/2, K = 4. The latter is attained.
pub fn inverse() -> Result<Sides> {
    let (platform, k) = (half_duplex("s t", &[("s", "t", "1/2")])?, whole(4));
    let throughput = throughput(&platform, &broadcast(&platform))?;
    Ok(Sides::new(&k / &throughput, throughput * k))
}

/// E004-12: messages that are to have arrived by K = 9, `floor(TP (K - L))` with the depth for L; and that can have.
pub fn depth_is_no_time() -> Result<Sides> {
    let k = 9;
    let line = ["a", "b", "c", "d", "e", "f"];
    let links: Vec<(&str, &str, &str)> = line.windows(2).map(|pair| (pair[0], pair[1], "2")).collect();
    let platform = half_duplex("a b c d e f", &links)?;
    let plan = plan(&platform, &broadcast(&platform))?;
    let depth = plan.schedule.depth();
    let printed = (&plan.steady_state.throughput * (whole(k) - whole(depth))).floor();
    let best = exhaustive::opt(&platform, 1, k)?.last().copied().unwrap_or(0);
    let corrected = &plan.steady_state.throughput * (whole(k) - &plan.schedule.period * whole(depth));
    ensure!(corrected <= whole(best), "the corrected number is too large as well");
    Ok(Sides::new(printed, best))
}

/// E004-13: the transformed platform with the source's in-node, and without.
pub fn source_in_node() -> Result<Sides> {
    let links = [("0", "1", "1"), ("1", "2", "1"), ("1", "0", "1")];
    let platform = half_duplex("0 1 2", &links)?.with_model(PortModel::FullDuplex);
    let optimum = |kept: bool| Gadget::of_broadcast(&platform, kept, true).optimum();
    let right = optimum(false)?;
    ensure!(right == throughput(&platform, &broadcast(&platform))?, "without the in-node it is wrong too");
    Ok(Sides::new(optimum(true)?, right))
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
        assert_eq!(occupations(false)?, Sides::new(words("unbounded"), number("3/4")?));
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
        let both = |text: &str| -> Result<Value> { Ok(Value::List(vec![Value::Number(number(text)?); 2])) };
        assert_eq!(weights_of_the_whole()?, Sides::new(both("1/5")?, both("2/5")?));
        Ok(())
    }

    #[test]
    fn e004_6_the_variables_are_exponentially_many() -> Result<()> {
        assert_eq!(exponential()?, Sides::new(words("constraints"), words("variables")));
        Ok(())
    }

    #[test]
    fn e004_7_u_is_not_negative() -> Result<()> {
        assert_eq!(sign_in_the_dual()?, Sides::new(words("infeasible"), number("2/3")?));
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
    }
}
