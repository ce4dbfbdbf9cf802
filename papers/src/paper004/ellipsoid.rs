//! Sections 3.4 and 3.5: SOPT over K by the ellipsoid method, SSEP by enumeration, theorems 1 and 2.
//!
//! `n = |E| + 1` coordinates: `u`, then the `v(e)`. The start is the box `0 <= v(e) <= 1/c(e)`, which loses nothing
//! (a pattern with a link of price `1/c(e)` or more reaches 1), and `0 <= u <= ` the heaviest matching of that
//! corner. Cuts go through the centre: a violated inequality, or `u <= u(centre)` inside. Numbers are multiples of
//! `2^-bits`.
//!
//! After rounding, nothing is claimed about what the ellipsoid contains. The answer is taken on two grounds:
//! - **basic** (theorem 2): (P') over the oracle's inequalities attains the value of a point that the exact oracle of
//!   `oneport-lp` calls inside; trees and matchings come with it;
//! - **rounded** (SOPT itself): the best centre and the bottom of the ellipsoid are so near to each other that one
//!   fraction with a denominator of a vertex of K lies between; that fraction is compared.

use anyhow::{Context, Result, bail, ensure};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport::{Platform, Problem, Rational};
use oneport_lp::separation::{Inequality, Instance, Separated};
use oneport_lp::{self as lp, Watch};
use oneport_numbers::common_denominator;

use super::platforms::{broadcast, figure_1, figure_2, half_duplex};
use super::program::{Links, Net};
use crate::cases::counted;
use crate::figures::Figure;
use crate::numbers::{number, unit_volumes, whole};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("definitions-2-5", |_| definitions()),
    ("theorem-1", |_| theorem_1()),
    ("theorem-2", |_| theorem_2()),
];

/// Binary digits for the first part of a run.
const BITS: u64 = 96;
/// A run that takes more steps has failed.
const MOST: usize = 20_000;

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

    /// A bound on the denominators of the vertices of K, costs as integers: `floor(sqrt(R^n)) + 1`, Hadamard's with
    /// the largest sum of squares `R` of an inequality's coefficients.
    fn denominators(&self, factor: &BigInt) -> BigInt {
        let integer = |link: usize| {
            (&self.net.arcs[link].cost * Rational::from_integer(factor.clone())).to_integer()
        };
        let square = |tree: &Links| {
            tree.iter()
                .map(|&link| integer(link).pow(2))
                .sum::<BigInt>()
        };
        let trees = self.trees.iter().map(square);
        let matchings = self.matchings.iter().map(|set| BigInt::from(set.len() + 1));
        let most = trees.chain(matchings).max().unwrap_or_default();
        most.pow(self.net.arcs.len() as u32 + 1).sqrt() + 1
    }
}

/// An ellipsoid `(x - centre)' shape^-1 (x - centre) <= 1`; numbers are multiples of `2^-bits`.
struct Ellipsoid {
    bits: u64,
    centre: Vec<BigInt>,
    shape: Vec<Vec<BigInt>>,
}

/// The nearest whole number to `p / q`, `q > 0`; of two the even one.
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
    fn new(bits: u64, sides: &[Rational]) -> Ellipsoid {
        let n = sides.len();
        let scaled = |value: &Rational| nearest(&(value.numer() << bits), value.denom());
        let shape = (0..n).map(|row| {
            let entry = |column: usize| match row == column {
                true => scaled(&(whole(n) * &sides[row] * &sides[row] / whole(4))),
                false => BigInt::zero(),
            };
            (0..n).map(entry).collect()
        });
        let centre = sides
            .iter()
            .map(|side| scaled(&(side / whole(2))))
            .collect();
        Ellipsoid {
            bits,
            centre,
            shape: shape.collect(),
        }
    }

    fn point(&self) -> Vec<Rational> {
        self.centre
            .iter()
            .map(|at| Rational::new(at.clone(), BigInt::one() << self.bits))
            .collect()
    }

    /// Half the width along `u`, rounded up.
    fn depth(&self) -> Rational {
        let root = (self.shape[0][0].clone() << self.bits).sqrt() + 1;
        Rational::new(root, BigInt::one() << self.bits)
    }

    /// The least ellipsoid around the half with `normal (x - centre) <= 0`, a little larger; whole coefficients.
    fn cut(&mut self, normal: &[BigInt]) -> Result<()> {
        let n = BigInt::from(self.centre.len());
        let along: Vec<BigInt> = self
            .shape
            .iter()
            .map(|row| row.iter().zip(normal).map(|(entry, at)| entry * at).sum())
            .collect();
        let square: BigInt = along.iter().zip(normal).map(|(entry, at)| entry * at).sum();
        ensure!(square.is_positive(), "the ellipsoid has degenerated");
        let root: BigInt = (square << self.bits).sqrt() + 1;
        let one = BigInt::one() << self.bits;
        let below = &root * (&n + 1);
        for (at, along) in self.centre.iter_mut().zip(&along) {
            *at = nearest(&(&*at * &below - &one * along), &below);
        }
        let squared = &n * &n;
        let blown = &squared * (BigInt::from(64) * &squared + 1);
        let under = (&squared - 1) * BigInt::from(64) * &squared * (&n + 1) * &root * &root;
        for (row, left) in self.shape.iter_mut().zip(&along) {
            for (entry, right) in row.iter_mut().zip(&along) {
                let inner =
                    &*entry * &root * &root * (&n + 1) - BigInt::from(2) * &one * left * right;
                *entry = nearest(&(&blown * inner), &under);
            }
        }
        Ok(())
    }
}

/// When a run ends.
enum Gap {
    /// At a distance.
    Of(Rational),
    /// At a distance of this part of the best objective.
    Part(Rational),
}

impl Gap {
    fn of(&self, best: &Rational) -> Rational {
        match self {
            Gap::Of(distance) => distance.clone(),
            Gap::Part(part) => part * best,
        }
    }
}

/// The outcome of one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Run {
    /// Steps with `u >= 0`, `v >= 0`, type I, type II and the objective as the cut.
    calls: [usize; 5],
    /// After how many steps (P') over the inequalities so far attains the optimum, with how many different trees
    /// and matchings.
    basic: Option<(usize, usize, usize)>,
    /// The objective of the best centre inside.
    best: Option<Rational>,
    /// The bottom of the ellipsoid.
    bottom: Rational,
}

impl Run {
    fn steps(&self) -> usize {
        self.calls.iter().sum()
    }
}

/// Runs until the best centre and the bottom are nearer than the gap, the last call counted. `optimum` is looked for
/// among the answers of (P').
fn run(platform: &Platform, bits: u64, gap: &Gap, optimum: Option<&Rational>) -> Result<Run> {
    let oracle = Enumerated::new(platform);
    let instance = Instance::new(platform, &broadcast(platform))?;
    let costs: Vec<&Rational> = oracle.net.arcs.iter().map(|arc| &arc.cost).collect();
    let factor = Rational::from_integer(common_denominator(costs.iter().copied()));
    let corner: Vec<Rational> = costs.iter().map(|cost| cost.recip()).collect();
    let widest = oracle
        .matchings
        .iter()
        .map(|set| set.iter().map(|&link| &corner[link]).sum::<Rational>())
        .max();
    let sides: Vec<Rational> = widest.into_iter().chain(corner).collect();
    let mut ellipsoid = Ellipsoid::new(bits, &sides);
    let mut run = Run::default();
    let (mut matchings, mut trees): (Vec<Links>, Vec<Vec<Links>>) = (Vec::new(), Vec::new());
    while run.steps() < MOST {
        let point = ellipsoid.point();
        let violated = oracle.violated(&point[0], &point[1..])?;
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
                let half = inequality.halfspace(&instance);
                normal[0] = -(&half.u * &factor).to_integer();
                half.v
                    .iter()
                    .for_each(|(&link, value)| normal[link + 1] = -(value * &factor).to_integer());
            }
            None => {
                normal[0] = BigInt::one();
                let better = run.best.as_ref().is_none_or(|best| point[0] < *best);
                run.best = if better {
                    Some(point[0].clone())
                } else {
                    run.best.take()
                };
            }
        }
        let new = match violated {
            Some(Inequality::Matching(set)) if !matchings.contains(&set) => {
                matchings.push(set);
                true
            }
            Some(Inequality::Pattern(ways)) if !trees.contains(&ways) => {
                trees.push(ways);
                true
            }
            _ => false,
        };
        if new && run.basic.is_none() && optimum.is_some() {
            let weighted =
                instance.restricted(matchings.clone(), trees.clone(), &Watch::unlimited())?;
            if Some(&weighted.value) == optimum {
                run.basic = Some((run.steps(), trees.len(), matchings.len()));
            }
        }
        run.bottom = &point[0] - ellipsoid.depth();
        if run
            .best
            .as_ref()
            .is_some_and(|best| best - &run.bottom < gap.of(best))
        {
            return Ok(run);
        }
        ellipsoid.cut(&normal)?;
    }
    bail!("{MOST} steps were not enough")
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

/// One platform of the table.
struct Case {
    name: &'static str,
    platform: Platform,
}

fn cases() -> Result<Vec<Case>> {
    let chain = [
        ("0", "1", "1"),
        ("1", "2", "2"),
        ("0", "2", "3"),
        ("1", "3", "1/2"),
        ("2", "3", "1"),
    ];
    let triangle = [
        ("0", "1", "1"),
        ("0", "2", "1"),
        ("1", "0", "1"),
        ("1", "2", "1"),
        ("2", "0", "1"),
        ("2", "1", "1"),
    ];
    Ok(vec![
        Case {
            name: "figure 2",
            platform: figure_2()?,
        },
        Case {
            name: "figure 1",
            platform: figure_1()?,
        },
        Case {
            name: "0->1:1, 1->2:2, 0->2:3, 1->3:1/2, 2->3:1",
            platform: half_duplex("0 1 2 3", &chain)?,
        },
        Case {
            name: "triangle, six links of 1",
            platform: half_duplex("0 1 2", &triangle)?,
        },
    ])
}

/// Both endings on one platform.
struct Solved {
    dimension: usize,
    /// The optimum by theorem 2, which `lp`'s oracle has proved.
    optimum: Rational,
    /// Down to a gap of 1/1000 of the best objective, at 96 bits.
    coarse: Run,
    denominators: BigInt,
    bits: u64,
    /// Down to a gap that leaves one fraction.
    fine: Run,
    /// That fraction.
    rounded: Rational,
    /// Rounds of column generation.
    rounds: usize,
}

fn solved(platform: &Platform) -> Result<Solved> {
    let instance = Instance::new(platform, &broadcast(platform))?;
    let proved = instance.optimum(&Watch::unlimited())?;
    proved.check(&instance)?;
    let optimum = proved.weighted.value;
    let oracle = Enumerated::new(platform);
    let factor = common_denominator(oracle.net.arcs.iter().map(|arc| &arc.cost));
    let denominators = oracle.denominators(&factor);
    let dimension = oracle.net.arcs.len() + 1;
    let bits = 64 + 2 * denominators.bits() + 16 * dimension as u64;
    let coarse = run(
        platform,
        BITS,
        &Gap::Part(number("1/1000")?),
        Some(&optimum),
    )?;
    let gap = Rational::new(
        BigInt::one(),
        BigInt::from(2) * &denominators * &denominators,
    );
    let fine = run(platform, bits, &Gap::Of(gap), None)?;
    let best = fine.best.clone().context("no centre was inside")?;
    let rounded = simplest(&fine.bottom, &best);
    let (collective, volumes) = (broadcast(platform), unit_volumes());
    let question = lp::Question::new(&Problem::new(platform, &collective, volumes)?);
    let (solution, rounds) = counted(question)?;
    ensure!(
        solution.steady_state.throughput == optimum,
        "column generation finds another optimum"
    );
    Ok(Solved {
        dimension,
        optimum,
        coarse,
        denominators,
        bits,
        fine,
        rounded,
        rounds,
    })
}

/// Definitions 2 to 5: on every centre of a run the exact oracle of `oneport-lp` says what the enumeration says;
/// inside with a proof that adds up, outside with an inequality that separates the centre from the optimum.
fn definitions() -> Result<Finding> {
    let (mut inside, mut outside) = (0usize, 0usize);
    for case in cases()? {
        let oracle = Enumerated::new(&case.platform);
        let instance = Instance::new(&case.platform, &broadcast(&case.platform))?;
        let best = instance.optimum(&Watch::unlimited())?.weighted;
        for step in 0..400i64 {
            // Every other point is inside: prices of links up to a tenth above the optimum's, that of time more.
            let (least, most) = if step % 2 == 0 { (100, 11) } else { (90, 21) };
            let price = |at: &Rational, place: usize| {
                at * Rational::new(
                    (least + (step * 7 + place as i64 * 31) % most).into(),
                    100.into(),
                )
            };
            let u = if step % 2 == 0 {
                &best.u * number("111/100")?
            } else {
                price(&best.u, 0)
            };
            let v: Vec<Rational> = best
                .v
                .iter()
                .enumerate()
                .map(|(link, v)| price(v, link + 1))
                .collect();
            let expected = oracle.violated(&u, &v)?;
            match instance.separate(&u, &v)? {
                Separated::Inside(proof) => {
                    ensure!(
                        expected.is_none(),
                        "{}: the enumeration finds {expected:?}",
                        case.name
                    );
                    proof.check(&instance, &u, &v)?;
                    inside += 1;
                }
                Separated::Outside(inequality) => {
                    ensure!(
                        expected.is_some(),
                        "{}: the enumeration says inside",
                        case.name
                    );
                    let half = inequality.halfspace(&instance);
                    ensure!(half.slack(&u, &v).is_negative(), "the inequality is kept");
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
    ))
}

/// Strong optimisation by strong separation: the fraction that is left is the optimum.
fn theorem_1() -> Result<Finding> {
    let mut steps = Vec::new();
    for case in cases()? {
        let solved = solved(&case.platform)?;
        ensure!(
            solved.rounded == solved.optimum,
            "{}: {}, not {}",
            case.name,
            solved.rounded,
            solved.optimum
        );
        steps.push(solved.fine.steps().to_string());
    }
    Ok(Finding::claim(
        true,
        format!("{} platforms, {} steps", steps.len(), steps.join(", ")),
    ))
}

/// The inequalities that the oracle has given suffice: (P') over them is optimal long before the ellipsoid is small.
fn theorem_2() -> Result<Finding> {
    let mut steps = Vec::new();
    for case in cases()? {
        let (step, ..) = solved(&case.platform)?
            .coarse
            .basic
            .with_context(|| format!("{}: (P') is not optimal", case.name))?;
        steps.push(step.to_string());
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} platforms, after {} steps",
            steps.len(),
            steps.join(", ")
        ),
    ))
}

/// The table: ours, the paper gives no numbers.
pub fn figures() -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    for case in cases()? {
        let solved = solved(&case.platform)?;
        let calls: Vec<String> = solved.coarse.calls.iter().map(usize::to_string).collect();
        let (step, trees, matchings) = solved.coarse.basic.context("(P') is not optimal")?;
        rows.push(vec![
            case.name.to_string(),
            solved.dimension.to_string(),
            format!("{step} ({trees}, {matchings})"),
            format!("{} ({})", solved.coarse.steps(), calls.join(", ")),
            format!("{}, {}", solved.denominators, solved.bits),
            format!("{}: {}", solved.fine.steps(), solved.rounded),
            solved.rounds.to_string(),
        ]);
    }
    let header = [
        "platform",
        "n",
        "steps until (P') is optimal (trees, matchings)",
        "steps to a relative gap of 1/1000 (u, v, I, II, objective)",
        "denominators at most, bits",
        "steps to one fraction, which",
        "rounds of column generation",
    ];
    let caption = "Broadcast by the ellipsoid method with central cuts, the oracle by enumeration; of equal matchings and \
                   trees the lowest links. Computed by us: the paper names the method and gives no numbers.";
    Ok(vec![Figure::table(
        "Papers 004: the ellipsoid method",
        caption,
        &header,
        rows,
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps, and the fraction that is left: nothing here depends on the machine.
    #[test]
    fn the_table() -> Result<()> {
        type Line = (
            usize,
            (usize, usize, usize),
            [usize; 5],
            u64,
            u64,
            usize,
            &'static str,
        );
        let expected: [Line; 3] = [
            (4, (7, 1, 2), [0, 0, 69, 35, 40], 65, 142, 177, "2/3"),
            (
                7,
                (18, 2, 5),
                [0, 0, 295, 146, 87],
                404_772,
                214,
                1963,
                "4/5",
            ),
            (6, (41, 4, 3), [0, 17, 113, 61, 61], 85_185, 194, 621, "1/3"),
        ];
        for (case, (n, basic, calls, denominators, bits, steps, value)) in
            cases()?.iter().zip(expected)
        {
            let found = solved(&case.platform)?;
            assert_eq!(
                (found.dimension, found.coarse.basic),
                (n, Some(basic)),
                "{}",
                case.name
            );
            assert_eq!(found.coarse.calls, calls, "{}", case.name);
            assert_eq!(
                (found.denominators, found.bits),
                (denominators.into(), bits),
                "{}",
                case.name
            );
            assert_eq!(
                (found.fine.steps(), found.rounded),
                (steps, number(value)?),
                "{}",
                case.name
            );
        }
        let triangle = solved(&cases()?[3].platform)?;
        assert_eq!(
            (triangle.dimension, triangle.coarse.basic),
            (7, Some((4, 1, 2)))
        );
        assert_eq!(
            (triangle.coarse.steps(), triangle.rounded),
            (372, number("1/2")?)
        );
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
