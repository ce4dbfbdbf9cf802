//! RR-4872's slides. Slides 1 to 51 are here, those on reduces in [`crate::reduce`].

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use num_traits::Zero;
use oneport::Rational;

use crate::chapter::Chapter;
use crate::errata;
use crate::figures::Figure;
use crate::matchings;
use crate::numbers::{common_denominator, whole};
use crate::printed::{Errata, Program};
use crate::reduce;
use crate::rows::{Check, Finding, Paper, Value};
use crate::rr4872::{lemma_1, scatter_runs, toy_freedom};
use crate::runs::limit_is_one;
use crate::toy::Toy;

/// All slides.
pub const CHAPTER: Chapter = Chapter {
    number: "003",
    stem: "slides",
    checks: &[CHECKS, reduce::SLIDES],
    figures: &[figures],
};

const CHECKS: &[(&str, Check)] = &[
    ("link-time", |_| {
        Ok(errata::missing_cost()?
            .finding()
            .note("the factor c(i, j) is missing"))
    }),
    ("amounts", amounts),
    ("link-ends", |_| {
        Ok(Finding::value(errata::ends_of_a_link()?))
    }),
    ("right-side", |_| {
        Ok(errata::wrong_right_side()?
            .finding()
            .note("r may send without having received"))
    }),
    ("at-most-one", |_| {
        Ok(errata::at_most_one_message()?
            .finding()
            .note("a number of messages is no share of time"))
    }),
    ("sssp", |_| {
        Ok(errata::conservation_at_the_source()?.finding())
    }),
    ("reception", |_| Ok(errata::circulation_counts()?.finding())),
    ("costs", costs),
    ("flows", |_| flows()),
    ("occupations", |_| occupations()),
    ("transfer-times", |_| transfer_times()),
    ("vertices", |_| {
        Ok(Finding::value(errata::lower_vertices()?))
    }),
    ("matchings", matching_lengths),
    ("axis", |_| axis()),
    ("unsplit-period", |_| unsplit_period()),
    ("lemma", |_| lemma_1()),
    ("asymptotic", |_| limit_is_one(&scatter_runs()?)),
];

/// The slides use the drawings of RR-4872.
fn figures() -> Result<Vec<Figure>> {
    Ok(Vec::new())
}

/// The four amounts split into two incoming and two outgoing in exactly one way.
fn amounts(paper: &Paper) -> Result<Finding> {
    let amounts = paper.printed("amounts")?.list()?;
    ensure!(amounts.len() == 4, "four amounts");
    let total: Rational = amounts.iter().copied().sum();
    // The partner of the first amount decides.
    let halves: Vec<_> = amounts[1..]
        .iter()
        .filter(|&&other| (amounts[0] + other) * whole(2) == total)
        .collect();
    let split = halves.first().map_or(String::new(), |other| {
        format!("{} + {other} on one side", amounts[0])
    });
    Ok(Finding::claim(
        halves.len() == 1,
        format!("conserved, {split}"),
    ))
}

/// Costs by slides 29 and 30: time over messages, link by link. The platform's file must have the same costs.
fn costs(slides: &Paper) -> Result<Finding> {
    let mut messages: BTreeMap<&str, Rational> = BTreeMap::new();
    for (name, amount) in slides.printed("flows")?.table()? {
        let (link, _) = name.split_once(": ").context("a flow without a link")?;
        *messages.entry(link).or_default() += amount;
    }
    let platform = Toy::load()?.case.platform;
    let mut costs = BTreeMap::new();
    for (name, time) in slides.printed("occupations")?.table()? {
        let cost = time
            / messages
                .get(name)
                .with_context(|| format!("nothing is sent over {name}"))?;
        let written = &platform.link(crate::cases::link(&platform, name)?).cost;
        ensure!(
            cost == *written,
            "{name} costs {cost}, in the platform's file {written}"
        );
        costs.insert(name.to_string(), Value::Number(cost));
    }
    Ok(Finding::value(Value::Table(costs)).note("slide 30 over slide 29"))
}

/// One number is free on the optimal face. The slide's choice for it determines the rest, which is computed here.
fn flows() -> Result<Finding> {
    let toy = Toy::load()?;
    let platform = &toy.case.platform;
    let mut program = Program::new(
        platform,
        &toy.case.collective.commodities(),
        Errata::default(),
    )?;
    program.fix_throughput(&toy.case.throughput()?);
    let free = (crate::cases::link(platform, "Pa -> P0")?, 0);
    program.fix(
        free.0,
        free.1,
        toy.flows
            .get(&free)
            .context("slide 29 sends nothing from Pa to P0")?,
    );
    let mut forced = BTreeMap::new();
    for link in platform.link_ids() {
        for message in 0..2 {
            let (low, high) = program.range(link, message)?;
            ensure!(
                low == high,
                "{} is not forced: {low} to {high}",
                toy.flow_name((link, message))
            );
            if !low.is_zero() {
                forced.insert(toy.flow_name((link, message)), low.into());
            }
        }
    }
    let (low, high) = toy_freedom(&toy)?;
    let note =
        format!("send(Pa -> P0, m0) = 1/4 is a choice out of [{low}, {high}]; the rest follows");
    Ok(Finding::value(Value::Table(forced)).note(note))
}

fn occupations() -> Result<Finding> {
    let toy = Toy::load()?;
    Ok(Finding::value(toy.by_link(&toy.occupations())))
}

fn transfer_times() -> Result<Finding> {
    let toy = Toy::load()?;
    let time = |(&(link, message), amount): (&(_, usize), &Rational)| {
        (
            toy.flow_name((link, message)),
            Value::Number(amount * &toy.case.platform.link(link).cost),
        )
    };
    Ok(Finding::value(Value::Table(
        toy.flows.iter().map(time).collect(),
    )))
}

/// The lengths that the slides' four sets of links must have to make up the occupations, independent of the printed
/// lengths.
fn forced_lengths(toy: &Toy) -> Result<Vec<Rational>> {
    let cuts = matchings::cuts(&toy.case.platform, &toy.occupations(), toy.matchings.len())?;
    let has_all_sets = |cut: &&Vec<matchings::Weighted>| {
        toy.matchings
            .iter()
            .all(|(links, _)| cut.iter().any(|(set, _)| set == links))
    };
    let cut = cuts
        .iter()
        .find(has_all_sets)
        .context("these sets do not make up the occupations")?;
    let length = |links: &matchings::Matching| {
        cut.iter()
            .find(|(set, _)| set == links)
            .map(|(_, time)| time.clone())
    };
    toy.matchings
        .iter()
        .map(|(links, _)| length(links).context("a set without a length"))
        .collect()
}

fn matching_lengths(slides: &Paper) -> Result<Finding> {
    let toy = Toy::load()?;
    matchings::check(&toy.case.platform, &toy.occupations(), &toy.matchings)?;
    let Value::List(printed) = slides.printed("matchings")? else {
        anyhow::bail!("the matchings are not a list")
    };
    let mut ours = Vec::new();
    for (length, entry) in forced_lengths(&toy)?.into_iter().zip(printed) {
        let name = entry
            .table()?
            .keys()
            .next()
            .map_or(String::new(), ToString::to_string);
        ours.push(Value::Table([(name, Value::Number(length))].into()));
    }
    Ok(Finding::value(Value::List(ours))
        .note("the lengths follow from the sets; they reproduce every occupation exactly"))
}

/// The ends of the parts, by the lengths that the sets force.
fn axis() -> Result<Finding> {
    let ends = forced_lengths(&Toy::load()?)?
        .into_iter()
        .scan(Rational::zero(), |end, time| {
            *end += time;
            Some(Value::Number(end.clone()))
        });
    Ok(Finding::value(Value::List(ends.collect())))
}

fn unsplit_period() -> Result<Finding> {
    let counts: Vec<Rational> = Toy::load()?
        .messages_per_matching()
        .into_iter()
        .flatten()
        .map(|(_, count)| count)
        .collect();
    Ok(Finding::value(whole(common_denominator(&counts))))
}
