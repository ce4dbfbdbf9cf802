//! The reference loop for other benchmarks: sums of fractions, without our code.

use criterion::{Criterion, criterion_group, criterion_main};
use num_traits::Zero;
use oneport::Rational;

/// Number of terms. The sum takes some milliseconds.
const TERMS: i64 = 500;

/// 1/(1 2) + 1/(2 3) + ... = n / (n + 1).
fn telescope() -> Rational {
    let term = |k: i64| Rational::new(1.into(), (k * (k + 1)).into());
    (1..=TERMS)
        .map(term)
        .fold(Rational::zero(), |sum, term| sum + term)
}

fn reference(criterion: &mut Criterion) {
    let expected = Rational::new(TERMS.into(), (TERMS + 1).into());
    criterion.bench_function("reference", |bencher| {
        bencher.iter(|| assert_eq!(telescope(), expected))
    });
}

criterion_group!(benches, reference);
criterion_main!(benches);
