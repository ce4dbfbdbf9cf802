//! Exact simplex pivots: slow, sure, and needed only where floats lead nowhere.
//!
//! A primal simplex with a composite first phase (the sum of infeasibilities is made small before the cost), every
//! number exact. It chooses the largest violation. After a long run of steps without progress it chooses Bland's
//! smallest index, which cannot cycle. From a basis that is nearly optimal, a dual simplex runs before it. The dual
//! simplex makes the basis feasible and keeps its optimality, which the first phase would lose.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // magnitudes guide the choice of pivots, and decide nothing

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport_watch::Watch;

use crate::basis::{Member, activity, excess, reduced_costs};
use crate::factor::Singular;
use crate::form::{Coefficient, IntegerForm, bits, sign};
use crate::inverse::{Basic, Inverse};
use crate::kernel::Basis;
use crate::program::Relation;
use crate::scaled::decompose;
use crate::vector::RationalVector;

/// Steps without progress, besides two per row, before Bland's rule replaces the steepest choice. Trades time in cycles
/// for the steps of Bland's rule, which are many more on degenerate programs. Not measured.
const PATIENCE: usize = 50;

/// Where the pivots ended.
pub(crate) enum Pivoted {
    /// This basis is optimal.
    Optimal(Basis),
    /// No feasible point. The certificate is by row, in the integer form's units.
    Infeasible(RationalVector),
    /// The cost falls without end from this feasible point along this ray, both by column.
    Unbounded {
        point: RationalVector,
        ray: RationalVector,
    },
    /// The limit came first.
    Limit(Basis),
}

/// One member of the basis on the move: value and rate over a common scale.
struct Mover {
    member: Member,
    /// Distance to the bound it blocks at, over the point's denominator, not negative.
    distance: BigInt,
    /// Speed towards that bound, over the direction's denominator, positive.
    speed: BigInt,
}

/// Pivots from a basis until the end, the limit or the end of the watch.
///
/// # Errors
/// The starting basis is singular.
pub(crate) fn pivot<C: Coefficient>(
    form: &IntegerForm<C>,
    start: Basis,
    limit: usize,
    watch: &Watch,
) -> Result<Pivoted, Singular> {
    let mut basis = start;
    let mut inverse = Inverse::new(form, &basis, watch);
    let mut stalled = 0;
    let patience = PATIENCE + 2 * form.rhs.len();
    for _ in 0..limit {
        if watch.ask().is_err() {
            break;
        }
        let basic = Basic::new(form, &basis, inverse.as_ref(), watch)?;
        let lost = || Singular {
            rows: Vec::new(),
            columns: Vec::new(),
        };
        let point = basic.solve(&form.rhs).ok_or_else(lost)?;
        let activity = activity(form, &point.numerators);
        let wrong = infeasibilities(form, &basis, &point, &activity);
        let first_phase = !wrong.is_empty();
        let phase_cost = if first_phase {
            Some(infeasibility_cost(form, &wrong).ok_or_else(lost)?)
        } else {
            None
        };
        let cost = phase_cost.as_deref().unwrap_or(&form.cost);
        let dual = basic.multipliers(cost).ok_or_else(lost)?;
        let reduced = reduced_costs(form, cost, &dual);
        let Some((entering, upward)) = entering(form, &basis, &dual, &reduced, stalled > patience)
        else {
            return Ok(if first_phase {
                Pivoted::Infeasible(farkas(form, &wrong, dual))
            } else {
                Pivoted::Optimal(basis)
            });
        };
        let direction = direction(form, &basic, entering, upward).ok_or_else(lost)?;
        let movers = movers(form, &basis, &point, &activity, &direction);
        let Some(leaving) = first_to_block(movers, stalled > patience) else {
            let ray = RationalVector::new(direction.numerators, direction.denominator);
            return Ok(Pivoted::Unbounded { point, ray });
        };
        stalled = if leaving.distance.is_zero() {
            stalled + 1
        } else {
            0
        };
        set(&mut basis, entering, true);
        set(&mut basis, leaving.member, false);
        inverse = inverse.and_then(|mut inverse| {
            inverse
                .exchange(form, leaving.member, entering)
                .then_some(inverse)
        });
    }
    Ok(Pivoted::Limit(basis))
}

fn set(basis: &mut Basis, member: Member, basic: bool) {
    match member {
        Member::Column(column) => basis.columns[column] = basic,
        Member::Row(row) => basis.rows[row] = basic,
    }
}

/// Basic members outside their bounds, with the sign their value has to move in.
fn infeasibilities<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    point: &RationalVector,
    activity: &[BigInt],
) -> Vec<(Member, i32)> {
    let mut wrong = Vec::new();
    for (column, numerator) in point.numerators.iter().enumerate() {
        if sign(numerator) < 0 {
            wrong.push((Member::Column(column), 1));
        }
    }
    for (row, activity) in activity
        .iter()
        .enumerate()
        .filter(|(row, _)| basis.rows[*row])
    {
        let over = sign(&excess(form, row, activity, &point.denominator));
        let is_wrong = match form.relations[row] {
            Relation::AtMost => over > 0,
            Relation::AtLeast => over < 0,
            Relation::Equal => over != 0,
        };
        if is_wrong {
            wrong.push((Member::Row(row), -over));
        }
    }
    wrong
}

/// The cost by column whose value is the sum of infeasibilities, up to a constant.
fn infeasibility_cost<C: Coefficient>(
    form: &IntegerForm<C>,
    wrong: &[(Member, i32)],
) -> Option<Vec<C>> {
    let mut row_weight = vec![0i32; form.rhs.len()];
    let mut cost = vec![BigInt::zero(); form.columns()];
    for &(member, sense) in wrong {
        match member {
            Member::Column(column) => cost[column] -= sense,
            Member::Row(row) => row_weight[row] = -sense,
        }
    }
    for (column, cost) in cost.iter_mut().enumerate() {
        for (row, value) in form.entries(column) {
            if row_weight[row] != 0 {
                *cost += value.to_big() * row_weight[row];
            }
        }
    }
    cost.into_iter().map(C::from_big).collect()
}

/// The member to enter and whether its value rises. `None` if the cost cannot fall.
fn entering<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    dual: &RationalVector,
    reduced: &[BigInt],
    bland: bool,
) -> Option<(Member, bool)> {
    let mut best: Option<(BigInt, Member, bool)> = None;
    let mut offer = |gain: BigInt, member: Member, upward: bool| {
        if best.as_ref().is_none_or(|found| !bland && gain > found.0) {
            best = Some((gain, member, upward));
        }
    };
    for (column, reduced) in reduced.iter().enumerate() {
        if !basis.columns[column] && sign(reduced) < 0 {
            // Multipliers and reduced costs share a denominator, so their numerators compare.
            offer(-reduced, Member::Column(column), true);
        }
    }
    for (row, multiplier) in dual.numerators.iter().enumerate() {
        let size = || BigInt::from(multiplier.magnitude().clone());
        match form.relations[row] {
            Relation::AtMost if !basis.rows[row] && sign(multiplier) > 0 => {
                offer(size(), Member::Row(row), false)
            }
            Relation::AtLeast if !basis.rows[row] && sign(multiplier) < 0 => {
                offer(size(), Member::Row(row), true)
            }
            _ => {}
        }
    }
    best.map(|(_, member, upward)| (member, upward))
}

/// How all columns move if the entering member moves by one: by column, over its own denominator.
fn direction<C: Coefficient>(
    form: &IntegerForm<C>,
    basic: &Basic<'_, C>,
    entering: Member,
    upward: bool,
) -> Option<RationalVector> {
    let mut rhs = vec![BigInt::zero(); form.rhs.len()];
    match entering {
        Member::Column(column) => {
            for (row, value) in form.entries(column) {
                rhs[row] = -value.to_big();
            }
        }
        Member::Row(row) => {
            rhs[row] = if upward {
                BigInt::one()
            } else {
                -BigInt::one()
            }
        }
    }
    let rhs: Vec<C> = rhs.into_iter().map(C::from_big).collect::<Option<_>>()?;
    let mut direction = basic.solve(&rhs)?;
    if let Member::Column(column) = entering {
        direction.numerators[column] = direction.denominator.clone();
    }
    Some(direction)
}

/// Every basic member that a step along the direction drives to a bound.
fn movers<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    point: &RationalVector,
    activity: &[BigInt],
    direction: &RationalVector,
) -> Vec<Mover> {
    let mut movers = Vec::new();
    for column in (0..form.columns()).filter(|&column| basis.columns[column]) {
        // The bound is 0: a feasible value meets it falling, an infeasible one rising.
        let (value, rate) = (&point.numerators[column], &direction.numerators[column]);
        offer_mover(&mut movers, Member::Column(column), value, rate, 1);
    }
    let speeds = self::activity(form, &direction.numerators);
    for row in (0..form.rhs.len()).filter(|&row| basis.rows[row]) {
        let value = excess(form, row, &activity[row], &point.denominator);
        let rate = &speeds[row];
        match form.relations[row] {
            Relation::AtLeast => offer_mover(&mut movers, Member::Row(row), &value, rate, 1),
            Relation::AtMost => offer_mover(&mut movers, Member::Row(row), &value, rate, -1),
            Relation::Equal if value.is_zero() && !rate.is_zero() => {
                let speed = BigInt::from(rate.magnitude().clone());
                movers.push(Mover {
                    member: Member::Row(row),
                    distance: BigInt::zero(),
                    speed,
                });
            }
            Relation::Equal => {
                offer_mover(&mut movers, Member::Row(row), &value, rate, sign(&value))
            }
        }
    }
    movers
}

/// A value measured from its bound, feasible if `side * value >= 0`. It blocks if it moves towards the bound.
fn offer_mover(movers: &mut Vec<Mover>, member: Member, value: &BigInt, rate: &BigInt, side: i32) {
    let position = sign(value) * side;
    let motion = sign(rate) * side;
    let blocks = if position >= 0 {
        motion < 0
    } else {
        motion > 0
    };
    if blocks {
        let (distance, speed) = (
            BigInt::from(value.magnitude().clone()),
            BigInt::from(rate.magnitude().clone()),
        );
        movers.push(Mover {
            member,
            distance,
            speed,
        });
    }
}

/// The mover with the shortest time to its bound. Among equals the fastest one, or the smallest under Bland's rule.
fn first_to_block(movers: Vec<Mover>, bland: bool) -> Option<Mover> {
    movers.into_iter().reduce(|best, next| {
        let (ours, theirs) = (&next.distance * &best.speed, &best.distance * &next.speed);
        let preferred = if bland || next.speed == best.speed {
            next.member < best.member
        } else {
            next.speed > best.speed
        };
        if ours < theirs || (ours == theirs && preferred) {
            next
        } else {
            best
        }
    })
}

/// Makes a basis feasible by dual pivots, the most violated member first, and stops there. It gives up if no pivot
/// helps, the basis is singular, the limit is reached, or the watch ends the work. Reduced costs with wrong signs count
/// as zero.
pub(crate) fn dual_pivots<C: Coefficient>(
    form: &IntegerForm<C>,
    start: Basis,
    limit: usize,
    watch: &Watch,
) -> Basis {
    let mut basis = start;
    let mut inverse = Inverse::new(form, &basis, watch);
    for _ in 0..limit {
        match dual_pivot(form, &basis, inverse.as_ref(), watch) {
            Some((leaving, entering)) => {
                set(&mut basis, leaving, false);
                set(&mut basis, entering, true);
                inverse = inverse.and_then(|mut inverse| {
                    inverse.exchange(form, leaving, entering).then_some(inverse)
                });
            }
            None => break,
        }
    }
    basis
}

/// The members that leave and enter. `None` if nothing is violated or nothing helps.
fn dual_pivot<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    inverse: Option<&Inverse>,
    watch: &Watch,
) -> Option<(Member, Member)> {
    watch.ask().ok()?;
    let basic = Basic::new(form, basis, inverse, watch).ok()?;
    let point = basic.solve(&form.rhs)?;
    let activity = activity(form, &point.numerators);
    let wrong = infeasibilities(form, basis, &point, &activity);
    let size = |member: Member| match member {
        Member::Column(column) => magnitude(&point.numerators[column]),
        Member::Row(row) => {
            magnitude(&excess(form, row, &activity[row], &point.denominator))
                - factor_bits(form, row)
        }
    };
    let (leaving, sense) = wrong
        .into_iter()
        .rev()
        .max_by(|a, b| size(a.0).total_cmp(&size(b.0)))?;
    // The violated member as a function of the members that are not basic: its slopes.
    let mut functional = vec![BigInt::zero(); form.columns()];
    match leaving {
        Member::Column(column) => functional[column] = BigInt::one(),
        Member::Row(row) => {
            for (column, slope) in functional.iter_mut().enumerate() {
                for (_, value) in form.entries(column).filter(|entry| entry.0 == row) {
                    *slope = value.to_big();
                }
            }
        }
    }
    let functional: Vec<C> = functional
        .into_iter()
        .map(C::from_big)
        .collect::<Option<_>>()?;
    let sigma = basic.multipliers(&functional)?;
    let slopes = reduced_costs(form, &functional, &sigma);
    let dual = basic.multipliers(&form.cost)?;
    let reduced = reduced_costs(form, &form.cost, &dual);
    let entering = dual_entering(form, basis, &reduced, &dual, &slopes, &sigma, sense)?;
    Some((leaving, entering))
}

/// The ratio test of the dual simplex: of all members that move the violated one in the right sense, the first whose
/// reduced cost would become negative. Of equals the one with the largest slope.
fn dual_entering<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    reduced: &[BigInt],
    dual: &RationalVector,
    slopes: &[BigInt],
    sigma: &RationalVector,
    sense: i32,
) -> Option<Member> {
    let mut best: Option<(BigInt, BigInt, f64, Member)> = None;
    let mut offer = |price: BigInt, slope: BigInt, steep: f64, member: Member| {
        if sign(&slope) <= 0 {
            return;
        }
        let price = if sign(&price) < 0 {
            BigInt::zero()
        } else {
            price
        };
        let better = best.as_ref().is_none_or(|(known, pace, steepest, _)| {
            let (ours, theirs) = (&price * pace, known * &slope);
            ours < theirs || (ours == theirs && steep > *steepest)
        });
        if better {
            best = Some((price, slope, steep, member));
        }
    };
    for column in (0..form.columns()).filter(|&column| !basis.columns[column]) {
        let slope = &slopes[column] * sense;
        let steep = magnitude(&slope);
        offer(
            reduced[column].clone(),
            slope,
            steep,
            Member::Column(column),
        );
    }
    for row in (0..form.rhs.len()).filter(|&row| !basis.rows[row]) {
        let (price, slope) = match form.relations[row] {
            Relation::AtMost => (-&dual.numerators[row], &sigma.numerators[row] * -sense),
            Relation::AtLeast => (dual.numerators[row].clone(), &sigma.numerators[row] * sense),
            Relation::Equal => continue,
        };
        let steep = magnitude(&slope) + factor_bits(form, row);
        offer(price, slope, steep, Member::Row(row));
    }
    best.map(|(.., member)| member)
}

/// Binary logarithm of a number's size, for comparisons. Minus infinity for zero.
fn magnitude(value: &BigInt) -> f64 {
    let (mantissa, exponent) = decompose(value, &BigInt::one());
    mantissa.abs().log2() + exponent as f64
}

/// Binary logarithm of a row's factor, rounded.
fn factor_bits<C>(form: &IntegerForm<C>, row: usize) -> f64 {
    let factor = &form.row_factors[row];
    bits(factor.numer()) as f64 - bits(factor.denom()) as f64
}

/// The certificate of infeasibility: the violated rows' weights in the phase-one cost less its multipliers.
fn farkas<C: Coefficient>(
    form: &IntegerForm<C>,
    wrong: &[(Member, i32)],
    dual: RationalVector,
) -> RationalVector {
    let mut numerators: Vec<BigInt> = dual.numerators.into_iter().map(|value| -value).collect();
    debug_assert_eq!(numerators.len(), form.rhs.len());
    for &(member, sense) in wrong {
        if let Member::Row(row) = member {
            numerators[row] -= &dual.denominator * sense;
        }
    }
    RationalVector::new(numerators, dual.denominator)
}
