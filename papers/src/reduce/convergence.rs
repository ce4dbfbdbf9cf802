//! Section 4.6 of RR-4872: a fixed period.

use anyhow::{Result, ensure};
use num_traits::Zero;
use oneport::plan::SteadyState;
use oneport::watch::Watch;
use oneport::{Problem, Rational, referee, schedule};
use oneport_drawings::svg;
use oneport_numbers::{ratio, whole};
use oneport_period as period;
use oneport_period::PeriodError;
use oneport_period::rounding::Target;

use super::toy::{AT_1, Toy};
use crate::cases::{self, Case};
use crate::figures::Figure;
use crate::numbers::{common_denominator, pixels, unit_volumes};
use crate::rows::{Finding, Value};

/// The periods tabulated.
pub const PERIODS: [u64; 8] = [1, 2, 3, 4, 5, 7, 10, 100];

/// Throughputs for a fixed period.
struct Fixed {
    period: u64,
    /// The paper's rule: `r(T) = floor(w(T) T_fixed)`.
    rule: Rational,
    /// The rule, then as many further instances as the remaining room allows.
    refilled: Rational,
}

fn per_unit(instances: &oneport::plan::BigUint, period: u64) -> Rational {
    whole(instances.clone()) / whole(period)
}

fn fixed(case: &Case, steady_state: &SteadyState, period: u64) -> Result<Fixed> {
    let rule = period::rounding::rounded_down(&case.problem(), steady_state, &whole(period))?;
    let naive: Rational = steady_state
        .patterns
        .iter()
        .map(|one| (&one.weight * whole(period)).floor())
        .sum();
    let instances = whole(rule.instances.clone());
    ensure!(
        naive == instances,
        "period {period}: {instances} instances instead of {naive}"
    );
    let throughput = per_unit(&rule.instances, period);
    if !rule.instances.is_zero() {
        // "So these new values can be used to build a valid schedule."
        let schedule = schedule::periodic(&case.problem(), rule, &Watch::unlimited())?;
        referee::check_schedule(
            &Problem::new(&case.platform, &case.collective, unit_volumes())?,
            &schedule,
        )?;
    }
    let target = Target::Period(whole(period));
    let refilled = match period::rounding::round(
        &case.problem(),
        steady_state,
        &target,
        &Watch::unlimited(),
    ) {
        Ok(whole) => per_unit(&whole.instances, period),
        Err(PeriodError::PeriodTooShort { .. }) => Rational::zero(),
        Err(error) => return Err(error.into()),
    };
    Ok(Fixed {
        period,
        rule: throughput,
        refilled,
    })
}

/// `card(TREES) (1 - 1 / T) / T_fixed`, with `T` the period in which the weights are integers.
fn bound(steady_state: &SteadyState, period: u64) -> Rational {
    let own = whole(common_denominator(
        steady_state.patterns.iter().map(|one| &one.weight),
    ));
    whole(steady_state.patterns.len()) * (whole(1) - own.recip()) / whole(period)
}

/// The rule's throughput for the tabulated periods, on the paper's two trees.
pub fn rule() -> Result<Finding> {
    let toy = Toy::load()?;
    let steady_state = toy.steady_state()?;
    let rule = |period| Ok(Value::Number(fixed(&toy.case, &steady_state, period)?.rule));
    let found = Value::List(PERIODS.into_iter().map(rule).collect::<Result<_>>()?);
    // Computed by hand: two trees, floor(T / 3) + floor(2 T / 3) reductions in T.
    let by_hand = |period: u64| Value::Number(ratio(period / 3 + 2 * period / 3, period));
    let expected = Value::List(PERIODS.into_iter().map(by_hand).collect());
    let note = format!(
        "T = {}",
        PERIODS.map(|period| period.to_string()).join(", ")
    );
    ensure!(found == expected, "{found} is not {expected}, by hand");
    Ok(Finding::value(found).note(note))
}

/// The proposition on the toy and on random platforms: the rule loses less than the paper's bound, even than the
/// sharper one, and refilling loses at most as much.
pub fn proposition_4() -> Result<Finding> {
    let toy = Toy::load()?;
    let mut tried = vec![(toy.steady_state()?, toy.case.clone(), 300)];
    for seed in 1..=5 {
        let case = cases::reduce_of_all("random", cases::random(4, 3, seed, 6)?)?;
        tried.push((case.steady_state()?, case, 30));
    }
    // Few trees first, then the period: the bound counts trees.
    let single = toy.single(&AT_1)?;
    for period in 1..=100 {
        ensure!(
            fixed(&toy.case, &single, period)?.rule == single.throughput,
            "one tree loses in a period of {period}"
        );
    }
    let (mut pairs, mut holds, mut better, mut trees) = (0, true, 0, 0);
    for (steady_state, case, longest) in &tried {
        trees += steady_state.patterns.len();
        for period in 1..=*longest {
            let found = fixed(case, steady_state, period)?;
            let loss = &steady_state.throughput - &found.rule;
            holds &= loss < ratio(steady_state.patterns.len(), period);
            holds &= loss <= bound(steady_state, period);
            holds &= found.refilled >= found.rule && found.refilled <= steady_state.throughput;
            better += usize::from(found.refilled > found.rule);
            pairs += 1;
        }
    }
    let tried = format!(
        "{} platforms with {trees} trees in all, {pairs} periods, schedules refereed",
        tried.len()
    );
    Ok(Finding::claim(holds, tried).note(format!(
        "loss < card(TREES) / T_fixed, even <= card(TREES) (1 - 1/T) / T_fixed, T the period of whole weights; refilling the room left is better for {better} periods; one tree \
         of weight 1 loses nothing (toy, T_fixed up to 100)"
    )))
}

/// A table and a curve.
pub fn figures() -> Result<Vec<Figure>> {
    let toy = Toy::load()?;
    let two = toy.steady_state()?;
    let one = toy.single(&AT_1)?;
    let mut rows = Vec::new();
    for period in PERIODS {
        let found = fixed(&toy.case, &two, period)?;
        let least = &two.throughput - bound(&two, period);
        let cells = [
            whole(period),
            found.rule,
            least.max(Rational::zero()),
            found.refilled,
        ];
        let single = fixed(&toy.case, &one, period)?.rule;
        rows.push(
            cells
                .iter()
                .chain([&single])
                .map(ToString::to_string)
                .collect(),
        );
    }
    let header = [
        "T_fixed",
        "rule of section 4.6",
        "at least, by the bound",
        "rule, then refilled",
        "one tree",
    ];
    let caption = "Throughput of the reduce of figure 6 for a given period: the paper's two trees of weights 1/3 and 2/3 \
                   rounded down, the same with the room that is left filled again, and the single tree of weight 1.";
    let table = Figure::table(
        "Reduce with a fixed period, table (section 4.6)",
        caption,
        &header,
        rows,
    );
    let all: Vec<Fixed> = (1..=60)
        .map(|period| fixed(&toy.case, &two, period))
        .collect::<Result<_>>()?;
    let points = |value: &dyn Fn(&Fixed) -> Rational| {
        all.iter()
            .map(|fixed| (fixed.period as f64, pixels(&value(fixed))))
            .collect()
    };
    let series = [
        svg::Series {
            name: "rule, then refilled; or one tree".to_string(),
            points: points(&|fixed| fixed.refilled.clone()),
        },
        svg::Series {
            name: "rule of section 4.6, two trees".to_string(),
            points: points(&|fixed| fixed.rule.clone()),
        },
        svg::Series {
            name: "at least, by the bound".to_string(),
            points: points(&|fixed| {
                (&two.throughput - bound(&two, fixed.period)).max(Rational::zero())
            }),
        },
    ];
    let options = svg::CurveOptions {
        log_x: false,
        reference: Some((1.0, "optimum".to_string())),
        ..Default::default()
    };
    let title = "Reduce of figure 6 with a fixed period";
    let curve = svg::curve(
        title,
        "T_fixed, units of time",
        "throughput / TP",
        &series,
        &options,
    );
    let caption = "Proposition 4: rounding every tree down converges to the optimum, at least as fast as the bound TP - card(TREES) (1 - 1/T) / T_fixed.";
    Ok(vec![
        table,
        Figure::svg("Reduce with a fixed period (section 4.6)", caption, curve),
    ])
}
