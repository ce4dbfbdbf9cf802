//! The inverse of a small basis in integers, brought up to date at every pivot.
//!
//! Let `B` be the basis with a unit column for every basic row, and `d` the size of its determinant. Then `Q = d B^-1`
//! is an integer matrix. When column `a` becomes basic at position `p`, and `w = Q a`,
//!
//! ```text
//! Q'_i = (w_p Q_i - w_i Q_p) / d  for i != p,    Q'_p = Q_p,    d' = w_p
//! ```
//!
//! (all signs changed if `w_p < 0`), and every division is exact. A pivot costs as many products as `Q` has entries.
//! Factorising and lifting anew costs far more if numbers are long.
//!
//! Reference: J. Edmonds, Systems of distinct representatives and linear algebra, J. Res. Nat. Bur. Standards 71B
//! (1967).

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport_watch::Watch;

use crate::basis::Member;
use crate::factor::Singular;
use crate::form::{Coefficient, IntegerForm, bits, sign};
use crate::kernel::{Basis, Kernel};
use crate::vector::RationalVector;

/// Rows up to which a basis keeps its inverse. Trades memory (a larger inverse has more long numbers than lifting
/// makes) for time per system. Not measured.
const MOST_ROWS: usize = 64;

/// `Q` and `d` of a basis.
pub(crate) struct Inverse {
    /// Per position: the basic column or row.
    members: Vec<Member>,
    rows: Vec<Vec<BigInt>>,
    determinant: BigInt,
}

impl Inverse {
    /// For small bases of long numbers. `None` for other bases, for singular ones, and if the watch has ended.
    pub(crate) fn new<C: Coefficient>(
        form: &IntegerForm<C>,
        basis: &Basis,
        watch: &Watch,
    ) -> Option<Self> {
        let size = form.rhs.len();
        if !C::IS_LONG || size > MOST_ROWS || !basis.is_complete() {
            return None;
        }
        let unit = |position: usize| {
            (0..size)
                .map(|other| BigInt::from(u8::from(other == position)))
                .collect()
        };
        let mut inverse = Inverse {
            members: (0..size).map(Member::Row).collect(),
            rows: (0..size).map(unit).collect(),
            determinant: BigInt::one(),
        };
        for column in (0..form.columns()).filter(|&column| basis.columns[column]) {
            watch.ask().ok()?;
            let along = inverse.along(form, Member::Column(column));
            let leaves = |&position: &usize| {
                matches!(inverse.members[position], Member::Row(row) if !basis.rows[row])
                    && !along[position].is_zero()
            };
            let position = (0..size)
                .filter(leaves)
                .min_by_key(|&position| bits(&along[position]))?;
            inverse.put(position, Member::Column(column), along);
        }
        Some(inverse)
    }

    /// `Q a` for a member's column.
    fn along<C: Coefficient>(&self, form: &IntegerForm<C>, member: Member) -> Vec<BigInt> {
        let product = |row: &Vec<BigInt>| match member {
            Member::Row(position) => row[position].clone(),
            Member::Column(column) => {
                let mut sum = BigInt::zero();
                for (position, value) in form.entries(column) {
                    value.add_product(&row[position], &mut sum);
                }
                sum
            }
        };
        self.rows.iter().map(product).collect()
    }

    fn put(&mut self, position: usize, member: Member, along: Vec<BigInt>) {
        let negative = sign(&along[position]) < 0;
        let own = self.rows[position].clone();
        for (row, rate) in self
            .rows
            .iter_mut()
            .zip(&along)
            .enumerate()
            .filter(|(at, _)| *at != position)
            .map(|(_, pair)| pair)
        {
            for (value, other) in row.iter_mut().zip(&own) {
                let mut change = &*value * &along[position];
                if !rate.is_zero() && !other.is_zero() {
                    change -= rate * other;
                }
                *value = if change.is_zero() {
                    change
                } else {
                    change / &self.determinant
                };
                if negative {
                    *value = -std::mem::take(value);
                }
            }
        }
        if negative {
            for value in &mut self.rows[position] {
                *value = -std::mem::take(value);
            }
        }
        self.members[position] = member;
        self.determinant = BigInt::from(along[position].magnitude().clone());
    }

    /// Replaces one member by another. Returns whether that is possible.
    pub(crate) fn exchange<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        leaving: Member,
        entering: Member,
    ) -> bool {
        let along = self.along(form, entering);
        let position = self.members.iter().position(|member| *member == leaving);
        let position = position.filter(|&position| !along[position].is_zero());
        position
            .map(|position| self.put(position, entering, along))
            .is_some()
    }

    /// Per column: the solution if rows that are not basic hold with this right-hand side.
    fn solve<C: Coefficient>(&self, form: &IntegerForm<C>, rhs: &[C]) -> RationalVector {
        let mut x = vec![BigInt::zero(); form.columns()];
        for (member, row) in self.members.iter().zip(&self.rows) {
            if let Member::Column(column) = *member {
                for (value, side) in row.iter().zip(rhs).filter(|(value, _)| !value.is_zero()) {
                    side.add_product(value, &mut x[column]);
                }
            }
        }
        RationalVector::new(x, self.determinant.clone())
    }

    /// Per row: the multipliers if basic columns have this cost.
    fn multipliers<C: Coefficient>(&self, cost: &[C]) -> RationalVector {
        let mut y = vec![BigInt::zero(); self.rows.len()];
        for (member, row) in self.members.iter().zip(&self.rows) {
            if let Member::Column(column) = *member {
                for (value, sum) in row.iter().zip(&mut y) {
                    cost[column].add_product(value, sum);
                }
            }
        }
        RationalVector::new(y, self.determinant.clone())
    }
}

/// A basis that systems are solved with: factorised, or inverted.
pub(crate) enum Basic<'a, C> {
    /// Factorised anew.
    Factorised(Box<Kernel<'a, C>>),
    /// Brought up to date.
    Inverted(&'a IntegerForm<C>, &'a Inverse),
}

impl<'a, C: Coefficient> Basic<'a, C> {
    /// With the inverse, if there is one.
    ///
    /// # Errors
    /// Those of [`Kernel::new`].
    pub(crate) fn new(
        form: &'a IntegerForm<C>,
        basis: &Basis,
        inverse: Option<&'a Inverse>,
        watch: &'a Watch,
    ) -> Result<Self, Singular> {
        match inverse {
            Some(inverse) => Ok(Basic::Inverted(form, inverse)),
            None => {
                Kernel::new(form, basis, watch).map(|kernel| Basic::Factorised(Box::new(kernel)))
            }
        }
    }

    /// Per column: the solution if rows that are not basic hold with this right-hand side and other columns are zero.
    /// `None` only if the watch ended the work.
    pub(crate) fn solve(&self, rhs: &[C]) -> Option<RationalVector> {
        match self {
            Basic::Factorised(kernel) => Some(kernel.spread(kernel.solve(rhs)?)),
            Basic::Inverted(form, inverse) => Some(inverse.solve(form, rhs)),
        }
    }

    /// Per row: the multipliers if basic columns have this cost and basic rows have multiplier zero.
    pub(crate) fn multipliers(&self, cost: &[C]) -> Option<RationalVector> {
        match self {
            Basic::Factorised(kernel) => kernel.multipliers(cost),
            Basic::Inverted(_, inverse) => Some(inverse.multipliers(cost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use oneport_numbers::whole;
    use proptest::prelude::*;

    use super::*;
    use crate::form::{AnyForm, integer_form};
    use crate::program::{LinearProgram, Relation, Sense};

    proptest! {
        /// After any sequence of pivots, the systems of a basis have the solutions that its factors give.
        #[test]
        fn exchanged_inverses_solve_as_factors_do(
            raw in proptest::collection::vec(-9i64..10, 24),
            exchanges in proptest::collection::vec((0usize..10, 0usize..10), 0..12),
        ) {
            let mut program = LinearProgram::new(Sense::Minimize);
            let number = |value: i64| whole(BigInt::from(value).pow(31));
            let rows: Vec<_> = (0..4).map(|row| program.add_row(Relation::AtMost, number(row + 2))).collect();
            for column in 0..6 {
                let entries = rows.iter().enumerate().map(|(row, &name)| (name, number(raw[column * 4 + row])));
                program.add_column(number(column as i64), entries).unwrap();
            }
            let AnyForm::Big(form) = integer_form(&program) else { return Ok(()) };
            let watch = Watch::unlimited();
            let mut basis = Basis::slack(6, 4);
            let mut inverse = Inverse::new(&form, &basis, &watch).unwrap();
            let member = |position: usize| if position < 6 { Member::Column(position) } else { Member::Row(position - 6) };
            for (leaving, entering) in exchanges {
                let (leaving, entering) = (member(leaving), member(entering));
                let is_basic = |basis: &Basis, member: Member| match member {
                    Member::Column(column) => basis.columns[column],
                    Member::Row(row) => basis.rows[row],
                };
                let possible = is_basic(&basis, leaving) && !is_basic(&basis, entering);
                if !possible || !inverse.exchange(&form, leaving, entering) {
                    continue;
                }
                for (member, basic) in [(leaving, false), (entering, true)] {
                    match member {
                        Member::Column(column) => basis.columns[column] = basic,
                        Member::Row(row) => basis.rows[row] = basic,
                    }
                }
                let anew = Inverse::new(&form, &basis, &watch).unwrap();
                let factors = Basic::new(&form, &basis, None, &watch).unwrap();
                for inverse in [&inverse, &anew] {
                    let inverted = Basic::new(&form, &basis, Some(inverse), &watch).unwrap();
                    let (one, other) = (inverted.solve(&form.rhs).unwrap(), factors.solve(&form.rhs).unwrap());
                    let same = |one: &RationalVector, other: &RationalVector| {
                        let mut pairs = one.numerators.iter().zip(&other.numerators);
                        pairs.all(|(one_part, part)| one_part * &other.denominator == part * &one.denominator)
                    };
                    prop_assert!(same(&one, &other));
                    let one = inverted.multipliers(&form.cost).unwrap();
                    prop_assert!(same(&one, &factors.multipliers(&form.cost).unwrap()));
                }
            }
        }
    }
}
