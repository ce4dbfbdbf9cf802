//! Sections 3.4, 3.5 and 4: SOPT over K by the ellipsoid method with the oracle of `oneport_separation`, which
//! answers in polynomial time: theorems 1 to 3 as one algorithm, for broadcasts, scatters, total exchanges and
//! all-to-alls.
//!
//! `n = |E| + 1` coordinates: `u`, then the `v(e)`. The start is the box `0 <= v(e) <= 2/c(e)`, `0 <= u <= ` the sum of
//! all `2/c(e)`. Half of it suffices, since a pattern with a link of price `1/c(e)` or more reaches 1. Cuts go through
//! the centre: a violated inequality, or `u <= u(centre)` inside. Numbers are multiples of `2^-bits`. The oracle gets
//! the rounded centre itself, exactly.
//!
//! **The ellipsoid contains the optimum, in spite of the rounding.** Let `A` be the shape, `mu` a lower bound on its
//! least eigenvalue, `t = 1 / (64 n^2)`. A step makes it `A' = (1 + t) n^2/(n^2 - 1) (A - 2/(n + 1) b b')`, rounded,
//! with `b = A a / sqrt(a' A a)`. The root is too large by `2^-bits` at most, which makes `A'` larger. The error of an
//! entry is `2^-bits / 2` at most, so the error of `A'` as a matrix is `n 2^-bits / 2` at most. If that is at most
//! `mu / (128 n^2)`, the rounded `A'` is still `1 + t / 2` times the matrix whose ellipsoid contains the half, so the
//! centre may be wrong by `1 / (258 n^2)` in the norm of `A'`. It is wrong by `sqrt(n) 2^-bits / 2 / sqrt(mu / 2)`, and
//! by `2 / (n root)` for the root in units of `2^-bits`. [`Ellipsoid::cut`] keeps `2^bits min(mu, 1) >= 2^12 n^3` (it
//! appends digits when need be) and the root above `2^12 n`, which suffices for both. Since `b b' <= A`, a step leaves
//! at least `(n / (n + 1))^2 > 2^(-3/n)` of `mu`.
//!
//! **It ends after polynomially many steps.** Let `u*` be the optimum, at `v*`, for `p` nodes, and `g` a gap. These
//! points lie in K, because a matching has `p/2` links at most: every coordinate of `v` from that of `(1 + g/3u*) v*`
//! to `2g/3p` more, and `u` from `u* + 2g/3` to `u* + g`. Their volume is `V = g/3 (2g/3p)^|E|`. A step leaves the part
//! `e^(-1/(2n+2))` of the ellipsoid's volume, and rounding and blow-up make that `e^(1/64n)` times as much at most: so
//! less than `e^(-1/(3n+3))` is left. Once the ellipsoid is smaller than V, one of these points has been cut off, which
//! only a cut of the objective does: a centre inside is at most `g` above the optimum.
//!
//! The answer is taken on two grounds:
//! - **basic** (theorem 2): (P') over the oracle's inequalities attains the value of a point that the oracle proves to
//!   be inside. Patterns and matchings come with it.
//! - **rounded** (theorem 1): the optimum lies between the bottom of the ellipsoid and the best centre inside. If
//!   exactly one fraction with a denominator of a vertex of K lies between them, it is the optimum. After as many steps
//!   as the volume allows, the gap below the best centre replaces the bottom.

use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport::{Collective, NodeId, Platform, Problem, Rational};
use oneport_lp::{self as lp, Watch};
use oneport_numbers::{common_denominator, ratio, whole};
use oneport_separation::{Inequality, Instance, Separated};

use super::platforms::{broadcast, figure_1, figure_2, half_duplex, throughput};
use super::program::{Links, Net};
use crate::cases::counted;
use crate::figures::Figure;
use crate::numbers::unit_volumes;
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("definitions-2-5", |_| definitions()),
    ("definition-4", |_| facet_complexity()),
    ("theorem-1", |_| optimum("broadcast")),
    ("theorem-2", |_| theorem_2()),
    ("theorem-3-method", |_| method()),
    ("ellipsoid-4-1", |_| optimum("scatter")),
    ("ellipsoid-4-2", |_| optimum("all-gather")),
    ("ellipsoid-4-3", |_| optimum("all-to-all")),
];

/// Binary digits at the start of a run.
const BITS: u64 = 96;

/// Definition 5 by enumeration. Among equally heavy matchings, and equally light trees, it takes the list with the
/// lowest links.
struct Enumerated {
    net: Net,
    matchings: Vec<Links>,
    trees: Vec<Links>,
}

impl Enumerated {
    fn new(platform: &Platform) -> Enumerated {
        let net = Net::of(platform);
        let (mut matchings, mut trees) = (net.matchings(), net.trees(0));
        matchings.sort();
        trees.sort();
        Enumerated {
            net,
            matchings,
            trees,
        }
    }

    fn takes(&self, tree: &Links, v: &[Rational]) -> Rational {
        tree.iter()
            .map(|&link| &self.net.arcs[link].cost * &v[link])
            .sum()
    }

    /// An inequality that the point violates.
    fn violated(&self, u: &Rational, v: &[Rational]) -> Result<Option<Inequality>> {
        if u.is_negative() {
            return Ok(Some(Inequality::NegativeU));
        }
        if let Some(link) = v.iter().position(Signed::is_negative) {
            return Ok(Some(Inequality::NegativeV(link)));
        }
        let weight = |set: &Links| set.iter().map(|&link| &v[link]).sum::<Rational>();
        let mut heaviest = self.matchings.first().context("no link")?;
        for set in &self.matchings {
            if weight(set) > weight(heaviest) {
                heaviest = set;
            }
        }
        if weight(heaviest) > *u {
            return Ok(Some(Inequality::Matching(heaviest.clone())));
        }
        let lightest = self
            .trees
            .iter()
            .min_by_key(|tree| self.takes(tree, v))
            .context("no tree")?;
        let light = self.takes(lightest, v) < Rational::one();
        Ok(light.then(|| Inequality::Pattern(vec![lightest.clone()])))
    }
}

/// An ellipsoid `(x - centre)' shape^-1 (x - centre) <= 1`. Numbers are multiples of `2^-bits`.
struct Ellipsoid {
    bits: u64,
    centre: Vec<BigInt>,
    shape: Vec<Vec<BigInt>>,
    /// Its least eigenvalue is at least `2^-(flat / n)`.
    flat: u64,
}

/// The nearest whole number to `p / q`, `q > 0`. A tie goes to the even one.
fn nearest(p: &BigInt, q: &BigInt) -> BigInt {
    let two = BigInt::from(2);
    let floor = p / q;
    let floor = if (p - &floor * q).is_negative() {
        floor - 1
    } else {
        floor
    };
    let twice = (p - &floor * q) * &two;
    let up = twice > *q || (twice == *q && !(&floor % &two).is_zero());
    if up { floor + 1 } else { floor }
}

impl Ellipsoid {
    /// Around a box from 0 to `sides`.
    fn new(bits: u64, sides: &[Rational]) -> Ellipsoid {
        let n = sides.len();
        // Sides are rounded up to twice a multiple of 2^-bits, so that their halves are the centre.
        let scale = whole(BigInt::one() << (bits - 1));
        let centre: Vec<BigInt> = sides
            .iter()
            .map(|side| (side * &scale).ceil().to_integer())
            .collect();
        let shape = (0..n).map(|row| {
            let entry = |column: usize| {
                if row == column {
                    ((&centre[row] * &centre[row] * n) >> bits) + 1
                } else {
                    BigInt::zero()
                }
            };
            (0..n).map(entry).collect()
        });
        let shape: Vec<Vec<BigInt>> = shape.collect();
        let least = (0..n).map(|row| shape[row][row].bits()).min().unwrap_or(1);
        Ellipsoid {
            bits,
            flat: (bits + 1).saturating_sub(least) * n as u64,
            centre,
            shape,
        }
    }

    fn point(&self) -> Vec<Rational> {
        self.centre
            .iter()
            .map(|at| ratio(at.clone(), BigInt::one() << self.bits))
            .collect()
    }

    /// Half the width along `u`, rounded up.
    fn depth(&self) -> Rational {
        let root = (self.shape[0][0].clone() << self.bits).sqrt() + 1;
        ratio(root, BigInt::one() << self.bits)
    }

    /// Appends digits until `2^bits min(mu, 1) >= 2^12 n^3`.
    fn refine(&mut self) {
        let n = self.centre.len() as u64;
        let needed = self.flat.div_ceil(n) + 12 + 3 * u64::from(n.ilog2() + 1);
        let more = needed.saturating_sub(self.bits);
        self.bits += more;
        for entry in self
            .centre
            .iter_mut()
            .chain(self.shape.iter_mut().flatten())
        {
            *entry <<= more;
        }
    }

    /// An ellipsoid around the half with `normal (x - centre) <= 0`. Coefficients are whole.
    fn cut(&mut self, normal: &[BigInt]) -> Result<()> {
        self.flat += 3;
        self.refine();
        let n = BigInt::from(self.centre.len());
        let along: Vec<BigInt> = self
            .shape
            .iter()
            .map(|row| row.iter().zip(normal).map(|(entry, at)| entry * at).sum())
            .collect();
        let square: BigInt = along.iter().zip(normal).map(|(entry, at)| entry * at).sum();
        ensure!(square.is_positive(), "the ellipsoid has degenerated");
        let root: BigInt = (square << self.bits).sqrt() + 1;
        ensure!(
            root >= BigInt::from(1 << 12) * &n,
            "the ellipsoid is too flat to be cut"
        );
        let one = BigInt::one() << self.bits;
        let below = &root * (&n + 1);
        for (at, along) in self.centre.iter_mut().zip(&along) {
            *at = nearest(&(&*at * &below - &one * along), &below);
        }
        let squared = &n * &n;
        let blown = &squared * (BigInt::from(64) * &squared + 1);
        let under = (&squared - 1) * BigInt::from(64) * &squared * (&n + 1) * &root * &root;
        let kept: BigInt = &root * &root * (&n + 1);
        for (row, left) in self.shape.iter_mut().zip(&along) {
            for (entry, right) in row.iter_mut().zip(&along) {
                let inner = &*entry * &kept - BigInt::from(2) * &one * left * right;
                *entry = nearest(&(&blown * inner), &under);
            }
        }
        Ok(())
    }
}

/// The outcome of one run.
#[derive(Debug, Clone, Default)]
struct EllipsoidRun {
    /// Steps with `u >= 0`, `v >= 0`, type I, type II and the objective as the cut.
    calls: [usize; 5],
    /// The number of steps after which (P') over the inequalities so far attains the optimum, and its numbers of
    /// different patterns and matchings.
    basic: Option<(usize, usize, usize)>,
    /// The objective of the best centre inside.
    best: Option<Rational>,
    /// The bottom of the ellipsoid.
    bottom: Rational,
    /// Binary digits at the end.
    bits: u64,
    /// The first centres.
    centres: Vec<Vec<Rational>>,
}

/// Number of centres of a run that are kept.
const KEPT: usize = 300;

impl EllipsoidRun {
    fn steps(&self) -> usize {
        self.calls.iter().sum()
    }
}

/// A box whose half holds an optimal point of K: `u`, then the `v(e)`.
fn sides(instance: &Instance) -> Result<Vec<Rational>> {
    let costs = instance.links().iter().map(|(_, _, cost)| cost);
    ensure!(
        costs.clone().all(Signed::is_positive),
        "a link takes no time"
    );
    let corner: Vec<Rational> = costs.map(|cost| whole(2) / cost).collect();
    Ok([corner.iter().sum()].into_iter().chain(corner).collect())
}

/// The costs as integer multiples of a unit.
fn factor(instance: &Instance) -> Rational {
    whole(common_denominator(
        instance.links().iter().map(|(_, _, cost)| cost),
    ))
}

/// A bound on the denominators of the vertices of K, costs as integers: `floor(sqrt(R^n)) + 1`, Hadamard's with a bound
/// `R` on the sum of squares of an inequality's coefficients. A pattern uses a link once per message at most.
fn denominators(instance: &Instance) -> BigInt {
    let messages: u64 = instance.messages().iter().map(|message| message.rate).sum();
    let factor = factor(instance);
    let most = |(_, _, cost): &(usize, usize, Rational)| {
        (cost * &factor).to_integer().pow(2) * BigInt::from(messages).pow(2)
    };
    let pattern: BigInt = instance.links().iter().map(most).sum();
    let matching = BigInt::from(instance.nodes() / 2 + 1);
    pattern
        .max(matching)
        .pow(instance.links().len() as u32 + 1)
        .sqrt()
        + 1
}

/// Upper bound on the binary logarithm.
fn logarithm(value: &Rational) -> i64 {
    value.numer().bits() as i64 - value.denom().bits() as i64 + 1
}

/// Number of steps after which the volume of the ellipsoid is below that of the points of K at most a gap above the
/// optimum.
fn steps_at_most(instance: &Instance, gap: &Rational) -> Result<usize> {
    let sides = sides(instance)?;
    let n = sides.len() as i64;
    // A ball of dimension n in a cube of side 2, a semi-axis of sqrt(n) / 2 sides.
    let start = n * logarithm(&whole(n)) + sides.iter().map(logarithm).sum::<i64>();
    let edge = gap * whole(2) / whole(3 * instance.nodes());
    let end = logarithm(&(whole(3) / gap)) + (n - 1) * logarithm(&edge.recip());
    // 3 (n + 1) ln 2 steps, or less, halve the volume.
    Ok(usize::try_from(3 * (n + 1) * (start + end))?)
}

/// Runs until the best centre and the bottom are nearer than the gap. Searches `optimum` among the answers of (P').
fn run(instance: &Instance, gap: &Rational, optimum: &Rational) -> Result<EllipsoidRun> {
    let sides = sides(instance)?;
    let factor = factor(instance);
    let mut ellipsoid = Ellipsoid::new(BITS, &sides);
    let mut run = EllipsoidRun::default();
    let (mut matchings, mut patterns): (Vec<Links>, Vec<Vec<Links>>) = (Vec::new(), Vec::new());
    let most = steps_at_most(instance, gap)?;
    loop {
        let point = ellipsoid.point();
        if run.centres.len() < KEPT {
            run.centres.push(point.clone());
        }
        let violated = match instance.separate(&point[0], &point[1..])? {
            Separated::Outside(inequality) => Some(inequality),
            Separated::Inside(proof) => {
                proof.check(instance, &point[0], &point[1..])?;
                None
            }
        };
        let kind = match &violated {
            Some(Inequality::NegativeU) => 0,
            Some(Inequality::NegativeV(_)) => 1,
            Some(Inequality::Matching(_)) => 2,
            Some(Inequality::Pattern(_)) => 3,
            None => 4,
        };
        run.calls[kind] += 1;
        let mut normal = vec![BigInt::zero(); sides.len()];
        match &violated {
            Some(inequality) => {
                let half = inequality.halfspace(instance);
                normal[0] = -(&half.u * &factor).to_integer();
                for (&link, value) in &half.v {
                    normal[link + 1] = -(value * &factor).to_integer();
                }
            }
            None => {
                normal[0] = BigInt::one();
                let best = run.best.take().unwrap_or_else(|| point[0].clone());
                run.best = Some(best.min(point[0].clone()));
            }
        }
        let new = match violated {
            Some(Inequality::Matching(set)) if !matchings.contains(&set) => {
                matchings.push(set);
                true
            }
            Some(Inequality::Pattern(ways)) if !patterns.contains(&ways) => {
                patterns.push(ways);
                true
            }
            _ => false,
        };
        if new && run.basic.is_none() {
            let weighted =
                instance.restricted(matchings.clone(), patterns.clone(), &Watch::unlimited())?;
            if weighted.value == *optimum {
                run.basic = Some((run.steps(), patterns.len(), matchings.len()));
            }
        }
        run.bottom = &point[0] - ellipsoid.depth();
        run.bits = ellipsoid.bits;
        if run
            .best
            .as_ref()
            .is_some_and(|best| best - &run.bottom < *gap)
        {
            return Ok(run);
        }
        if run.steps() >= most {
            let best = run.best.as_ref().context("no centre was inside")?;
            run.bottom = best - gap;
            return Ok(run);
        }
        ellipsoid.cut(&normal)?;
    }
}

/// The fraction of least denominator in a closed interval of positive numbers.
fn simplest(low: &Rational, high: &Rational) -> Rational {
    let floor = low.floor();
    if floor == *low || floor.clone() + Rational::one() <= *high {
        return low.ceil();
    }
    let (low, high) = (low - &floor, high - &floor);
    floor + simplest(&high.recip(), &low.recip()).recip()
}

/// One line of the table.
struct Case {
    name: &'static str,
    platform: Platform,
    collective: Collective,
}

impl Case {
    fn new(
        name: &'static str,
        platform: Platform,
        collective: impl Fn(&Platform) -> Collective,
    ) -> Case {
        Case {
            name,
            collective: collective(&platform),
            platform,
        }
    }

    fn instance(&self) -> Result<Instance> {
        Ok(Instance::new(&self.platform, &self.collective)?)
    }
}

/// The paper's platforms, and small ones of ours for collectives that need links in both directions.
fn cases() -> Result<Vec<Case>> {
    let chain = [
        ("0", "1", "1"),
        ("1", "2", "2"),
        ("0", "2", "3"),
        ("1", "3", "1/2"),
        ("2", "3", "1"),
    ];
    let triangle = ["01", "02", "10", "12", "20", "21"].map(|ends| (&ends[..1], &ends[1..], "1"));
    let line = [
        ("a", "b", "1"),
        ("b", "a", "2"),
        ("b", "c", "1/2"),
        ("c", "b", "1"),
    ];
    let scatter = |platform: &Platform| {
        Collective::scatter(NodeId::new(0), platform.node_ids().skip(1).collect())
    };
    let all_gather = |platform: &Platform| Collective::all_gather(platform.node_ids().collect());
    let all_to_all = |platform: &Platform| Collective::all_to_all(platform.node_ids().collect());
    let (two_way, three) = (
        half_duplex("a b c", &line)?,
        half_duplex("0 1 2", &triangle)?,
    );
    let (over_line, over_chain) = (
        "a->b:1, b->a:2, b->c:1/2, c->b:1",
        "0->1:1, 1->2:2, 0->2:3, 1->3:1/2, 2->3:1",
    );
    Ok(vec![
        Case::new("figure 2", figure_2()?, broadcast),
        Case::new("figure 1", figure_1()?, broadcast),
        Case::new(over_chain, half_duplex("0 1 2 3", &chain)?, broadcast),
        Case::new("triangle, six links of 1", three.clone(), broadcast),
        Case::new("figure 2", figure_2()?, scatter),
        Case::new("figure 1", figure_1()?, scatter),
        Case::new(over_line, two_way.clone(), all_gather),
        Case::new("triangle, six links of 1", three.clone(), all_gather),
        Case::new(over_line, two_way, all_to_all),
        Case::new("triangle, six links of 1", three, all_to_all),
    ])
}

/// Both endings of one run.
struct Solved {
    case: Case,
    instance: Instance,
    /// The optimum over the oracle's inequalities, which the oracle has proved.
    optimum: Rational,
    denominators: BigInt,
    /// Down to a gap that leaves one fraction.
    run: EllipsoidRun,
    /// The fraction between the bottom and the best centre.
    rounded: Rational,
    /// Rounds of column generation.
    rounds: usize,
}

impl Solved {
    fn new(case: Case) -> Result<Solved> {
        let instance = case.instance()?;
        let proved = instance.optimum(&Watch::unlimited())?;
        proved.check(&instance)?;
        let optimum = proved.weighted.value;
        let denominators = denominators(&instance);
        let run = run(&instance, &one_fraction(&denominators), &optimum)?;
        let best = run.best.clone().context("no centre was inside")?;
        let rounded = simplest(&run.bottom, &best);
        let problem = Problem::new(&case.platform, &case.collective, unit_volumes())?;
        let (solution, rounds) = counted(lp::Question::new(&problem))?;
        ensure!(
            solution.steady_state.throughput == optimum,
            "column generation finds another optimum"
        );
        Ok(Solved {
            case,
            instance,
            optimum,
            denominators,
            run,
            rounded,
            rounds,
        })
    }
}

/// An interval of this length holds one fraction of such a denominator at most.
fn one_fraction(denominators: &BigInt) -> Rational {
    ratio(BigInt::one(), BigInt::from(2) * denominators * denominators)
}

/// All lines of the table, computed once.
fn solved() -> Result<&'static [Solved]> {
    static SOLVED: OnceLock<Vec<Solved>> = OnceLock::new();
    if let Some(done) = SOLVED.get() {
        return Ok(done);
    }
    let all: Result<Vec<Solved>> = cases()?.into_iter().map(Solved::new).collect();
    let all = all?;
    Ok(SOLVED.get_or_init(|| all))
}

fn solved_broadcasts() -> Result<impl Iterator<Item = &'static Solved>> {
    let all = solved()?.iter();
    Ok(all.filter(|solved| solved.case.collective.name() == "broadcast"))
}

/// Definitions 2 to 5: on the centres of the runs, and on points around the optimum, the oracle agrees with the
/// enumeration. A point inside has a proof that adds up, a point outside an inequality that separates it from the
/// optimum.
fn definitions() -> Result<Finding> {
    let (mut inside, mut outside) = (0usize, 0usize);
    for solved in solved_broadcasts()? {
        let (name, instance) = (solved.case.name, &solved.instance);
        let oracle = Enumerated::new(&solved.case.platform);
        let best = instance.optimum(&Watch::unlimited())?.weighted;
        for point in solved
            .run
            .centres
            .iter()
            .cloned()
            .chain(around(&best.u, &best.v))
        {
            let (u, v) = (&point[0], &point[1..]);
            let expected = oracle.violated(u, v)?;
            match instance.separate(u, v)? {
                Separated::Inside(proof) => {
                    ensure!(
                        expected.is_none(),
                        "{name}: the enumeration finds {expected:?}"
                    );
                    proof.check(instance, u, v)?;
                    inside += 1;
                }
                Separated::Outside(inequality) => {
                    ensure!(expected.is_some(), "{name}: the enumeration says inside");
                    let half = inequality.halfspace(instance);
                    ensure!(half.slack(u, v).is_negative(), "the inequality is kept");
                    ensure!(
                        !half.slack(&best.u, &best.v).is_negative(),
                        "the inequality cuts off the optimum"
                    );
                    outside += 1;
                }
            }
        }
    }
    Ok(Finding::claim(
        inside > 0 && outside > 0,
        format!("{inside} points inside, proved; {outside} outside, separated"),
    )
    .note(format!(
        "up to {KEPT} centres of each run and 100 points round each optimum"
    )))
}

/// Points around an optimum. Every other one is inside: its prices of links are up to a tenth above the optimum, and
/// its price of time is higher still.
fn around(u: &Rational, v: &[Rational]) -> Vec<Vec<Rational>> {
    let hundredths = |value: i64| ratio(value, 100);
    let point = |step: i64| {
        let (least, most) = if step % 2 == 0 { (100, 11) } else { (90, 21) };
        let price = |(index, at): (usize, &Rational)| {
            at * hundredths(least + (step * 7 + index as i64 * 31) % most)
        };
        let u = if step % 2 == 0 {
            u * hundredths(111)
        } else {
            price((0, u))
        };
        [u].into_iter()
            .chain(v.iter().enumerate().map(|(link, v)| price((link + 1, v))))
            .collect()
    };
    (0..100).map(point).collect()
}

/// The digits of a fraction in binary, as in definition 4: a sign, numerator and denominator.
fn length(value: &Rational) -> u64 {
    1 + value.numer().bits() + value.denom().bits()
}

/// Definition 4: every inequality of K is at most as long as `1 + |E|` coefficients and the right side. The coefficient
/// of `v(e)` is at most as long as `m c(e)`, with the number m of messages.
fn facet_complexity() -> Result<Finding> {
    let (mut checked, mut longest) = (0usize, 0);
    for solved in solved()? {
        let instance = &solved.instance;
        let messages: u64 = instance.messages().iter().map(|message| message.rate).sum();
        let one = length(&whole(1));
        let of_link = |(_, _, cost): &(usize, usize, Rational)| {
            one.max(length(cost) + length(&whole(messages)))
        };
        let most = 2 * one + instance.links().iter().map(of_link).sum::<u64>();
        let net = Net::of(&solved.case.platform);
        let ways = |message: &oneport_separation::Message| match message.target {
            Some(target) => net.paths(message.source, target),
            None => net.trees(message.source),
        };
        let mut patterns: Vec<Vec<Links>> = vec![Vec::new()];
        for message in instance.messages() {
            let ways = ways(message);
            let longer = |pattern: &Vec<Links>| {
                let pattern = pattern.clone();
                ways.iter()
                    .map(move |way| [&pattern[..], std::slice::from_ref(way)].concat())
                    .collect::<Vec<_>>()
            };
            patterns = patterns.iter().flat_map(longer).collect();
        }
        let matchings = net.matchings().into_iter().map(Inequality::Matching);
        for inequality in matchings.chain(patterns.into_iter().map(Inequality::Pattern)) {
            let half = inequality.halfspace(instance);
            let entries =
                (0..instance.links().len()).map(|link| half.v.get(&link).map_or(one - 1, length));
            let found = length(&half.u) + length(&half.least) + entries.sum::<u64>();
            ensure!(
                found <= most,
                "{}: an inequality has length {found}, the bound is {most}",
                solved.case.name
            );
            longest = longest.max(found);
            checked += 1;
        }
    }
    Ok(Finding::claim(
        longest > 0,
        format!(
            "{checked} inequalities, all of K on {} questions, up to {longest} binary digits",
            solved()?.len()
        ),
    )
    .note("bound: two numbers more than the costs, each with the digits of the number of messages"))
}

/// Strong optimisation by strong separation: one fraction remains, and it is the value of (P) with everything listed.
fn optimum(collective: &str) -> Result<Finding> {
    let mut steps = Vec::new();
    let is_of_collective = |solved: &&Solved| solved.case.collective.name() == collective;
    for Solved {
        case, rounded, run, ..
    } in solved()?.iter().filter(is_of_collective)
    {
        let right = throughput(&case.platform, &case.collective)?;
        ensure!(*rounded == right, "{}: {rounded}, not {right}", case.name);
        steps.push(format!("{rounded} in {}", run.steps()));
    }
    Ok(Finding::claim(
        !steps.is_empty(),
        format!("{} platforms: {} steps", steps.len(), steps.join(", ")),
    ))
}

/// The inequalities that the oracle has given suffice: (P') over them is optimal long before the ellipsoid is small.
fn theorem_2() -> Result<Finding> {
    let mut steps = Vec::new();
    for solved in solved()? {
        let (step, ..) = solved
            .run
            .basic
            .with_context(|| format!("{}: (P') is not optimal", solved.case.name))?;
        steps.push(step.to_string());
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} questions, after {} steps",
            steps.len(),
            steps.join(", ")
        ),
    ))
}

/// Theorem 3 as an algorithm: steps taken, and the polynomial bound on them.
fn method() -> Result<Finding> {
    let mut shown = Vec::new();
    for solved in solved_broadcasts()? {
        let (steps, most) = (
            solved.run.steps(),
            steps_at_most(&solved.instance, &one_fraction(&solved.denominators))?,
        );
        ensure!(
            steps <= most,
            "{}: {steps} steps, {most} are the bound",
            solved.case.name
        );
        ensure!(
            solved.rounded == solved.optimum,
            "{}: {}",
            solved.case.name,
            solved.rounded
        );
        shown.push(format!("{steps} of {most}"));
    }
    Ok(Finding::claim(
        !shown.is_empty(),
        format!(
            "{} broadcasts, {} steps at most",
            shown.len(),
            shown.join(", ")
        ),
    )
    .note("oracle: heaviest matching and lightest arborescence, exact; rounding proved harmless"))
}

/// The table: ours, the paper gives no numbers.
pub fn figures() -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    for solved in solved()? {
        let run = &solved.run;
        let calls: Vec<String> = run.calls.iter().map(usize::to_string).collect();
        let (step, patterns, matchings) = run.basic.context("(P') is not optimal")?;
        rows.push(vec![
            format!("{}, {}", solved.case.collective.name(), solved.case.name),
            (solved.instance.links().len() + 1).to_string(),
            format!("{step} ({patterns}, {matchings})"),
            format!("{} ({})", run.steps(), calls.join(", ")),
            format!("{}, {}", solved.denominators.bits(), run.bits),
            solved.rounded.to_string(),
            solved.rounds.to_string(),
        ]);
    }
    let header = [
        "question",
        "n",
        "steps until (P') is optimal (patterns, matchings)",
        "steps to one fraction (u, v, I, II, objective)",
        "digits of a denominator at most, of the numbers at the end",
        "that fraction",
        "rounds of column generation",
    ];
    let caption = "The ellipsoid method with central cuts; the oracle is a heaviest matching (Edmonds) and lightest arborescences or \
                   shortest paths, exact. Digits are binary. Computed by us: the paper names the method and gives no numbers.";
    Ok(vec![Figure::table(
        "RR-2004-32: the ellipsoid method",
        caption,
        &header,
        rows,
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;

    /// Whether a point lies in an ellipsoid: `d' shape^-1 d <= 1`, by elimination.
    fn contains(ellipsoid: &Ellipsoid, point: &[Rational]) -> bool {
        let unit = whole(BigInt::one() << ellipsoid.bits);
        let difference: Vec<Rational> = point
            .iter()
            .zip(ellipsoid.point())
            .map(|(x, c)| x - c)
            .collect();
        let mut rows: Vec<Vec<Rational>> = ellipsoid
            .shape
            .iter()
            .zip(&difference)
            .map(|(row, d)| {
                let entries = row.iter().map(|entry| whole(entry.clone()) / &unit);
                entries.chain([d.clone()]).collect()
            })
            .collect();
        let n = rows.len();
        for pivot in 0..n {
            let row = rows[pivot].clone();
            for (index, other) in rows.iter_mut().enumerate() {
                if index != pivot {
                    let times = &other[pivot] / &row[pivot];
                    for (entry, pivot) in other.iter_mut().zip(&row) {
                        *entry -= pivot * &times;
                    }
                }
            }
        }
        let solution = rows
            .iter()
            .enumerate()
            .map(|(index, row)| &row[n] / &row[index]);
        solution
            .zip(&difference)
            .map(|(x, d)| x * d)
            .sum::<Rational>()
            <= whole(1)
    }

    /// The rounding argument: after every step the optimum is inside. Figure 2, down to one fraction.
    #[test]
    fn the_ellipsoid_contains_the_optimum() -> Result<()> {
        let instance = Instance::new(&figure_2()?, &broadcast(&figure_2()?))?;
        let best = instance.optimum(&Watch::unlimited())?.weighted;
        let optimum: Vec<Rational> = [best.u].into_iter().chain(best.v).collect();
        let mut ellipsoid = Ellipsoid::new(BITS, &sides(&instance)?);
        let factor = factor(&instance);
        for step in 0..60 {
            assert!(contains(&ellipsoid, &optimum), "after {step} steps");
            let point = ellipsoid.point();
            let mut normal = vec![BigInt::zero(); optimum.len()];
            match instance.separate(&point[0], &point[1..])? {
                Separated::Inside(_) => normal[0] = BigInt::one(),
                Separated::Outside(inequality) => {
                    let half = inequality.halfspace(&instance);
                    normal[0] = -(half.u * &factor).to_integer();
                    for (link, value) in half.v {
                        normal[link + 1] = -(value * &factor).to_integer();
                    }
                }
            }
            ellipsoid.cut(&normal)?;
        }
        Ok(())
    }

    /// On the paper's smaller platform every ending is the optimum: of a broadcast, and of a scatter.
    #[test]
    fn figure_2_by_the_ellipsoid_method() -> Result<()> {
        for case in cases()?.into_iter().filter(|case| case.name == "figure 2") {
            let solved = Solved::new(case)?;
            assert_eq!(solved.rounded, solved.optimum);
            assert!(solved.run.basic.is_some());
            let best = solved.run.best.context("a centre inside")?;
            assert!(solved.run.bottom <= solved.optimum && solved.optimum <= best);
        }
        Ok(())
    }

    #[test]
    fn the_simplest_fraction() -> Result<()> {
        for (low, high, right) in [
            ("3/10", "2/5", "1/3"),
            ("66/100", "67/100", "2/3"),
            ("1/2", "1/2", "1/2"),
            ("5/4", "3", "2"),
        ] {
            assert_eq!(simplest(&number(low)?, &number(high)?), number(right)?);
        }
        Ok(())
    }

    #[test]
    fn halves_to_even() {
        let rounded = |p: i64, q: i64| nearest(&p.into(), &q.into());
        assert_eq!(
            [(1, 2), (3, 2), (-1, 2), (-3, 2), (7, 3), (-7, 3)].map(|(p, q)| rounded(p, q)),
            [0, 2, 0, -2, 2, -2].map(BigInt::from)
        );
    }
}
