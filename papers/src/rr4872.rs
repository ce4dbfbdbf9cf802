//! RR-4872, sections 1 to 3, and 4.6 for scatters: "Optimizing the steady-state throughput of scatter and reduce
//! operations". Section 4 is in [`crate::reduce`].

use std::collections::BTreeMap;
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use num_traits::Zero;
use oneport::platform::{LinkId, Node};
use oneport::schedule::{Horizon, Policy};
use oneport::watch::Watch;
use oneport::{
    Error, Formulation, NodeId, Options, Period, Platform, Problem, Rational, Refusal, referee,
    schedule, solve,
};
use oneport_drawings::svg;
use oneport_numbers::{ratio, whole};
use oneport_period::PeriodError;

use crate::cases::{self, Case};
use crate::chapter::Chapter;
use crate::errata;
use crate::exhaustive;
use crate::figures::{self, Figure};
use crate::matchings;
use crate::numbers::{common_denominator, pixels, short, unit_volumes};
use crate::printed::{Errata, Program};
use crate::reduce;
use crate::rows::{Check, Finding, Paper, Value};
use crate::runs::{ScheduleRun, limit_is_one};
use crate::search;
use crate::toy::Toy;

/// Sections 1 to 4.
pub const CHAPTER: Chapter = Chapter {
    number: "000",
    stem: "rr4872",
    checks: &[CHECKS, reduce::CHECKS],
    figures: &[figures, reduce::figures],
};

const CHECKS: &[(&str, Check)] = &[
    ("series-targets", |_| {
        Ok(errata::targets_counted_twice()?.finding())
    }),
    ("sssp", |_| {
        Ok(errata::conservation_at_the_source()?
            .finding()
            .note("(5) makes the source receive what it sends"))
    }),
    ("figure-1", |_| amounts_through_figure_1()),
    ("reception", |_| {
        Ok(errata::circulation_counts()?
            .finding()
            .note("the message for t travels t -> u -> t for ever"))
    }),
    ("reception-toy", |_| {
        Ok(errata::circulation_counts_on_the_toy()?.finding())
    }),
    ("toy-throughput", |_| toy_throughput()),
    ("toy-messages", |_| toy_messages()),
    ("toy-optimal", |_| toy_optimal()),
    ("figure-2-numbers", |_| figure_2_numbers()),
    ("toy-routes", |_| toy_routes()),
    ("matchings", |_| fewest_matchings()),
    ("matchings-number", |_| matchings_number()),
    ("period-split", |_| period_split()),
    ("split-message", |_| {
        Ok(Finding::value(errata::split_message()?.0)
            .note("9/2 messages pass in the first part: the fourth is through, the fifth is cut"))
    }),
    ("split-parts", |_| {
        Ok(Finding::value(list(errata::split_message()?.1)))
    }),
    ("unsplit-factor", |_| {
        Ok(Finding::value(Toy::load()?.unsplit_factor()?))
    }),
    ("period-unsplit", |_| period_unsplit()),
    ("period-order", |_| period_in_best_order()),
    ("figure-reference", figure_reference),
    ("lemma-1", |_| lemma_1()),
    ("lemma-1-proof", |_| {
        Ok(errata::in_transit()?
            .finding()
            .note("the lemma stands: what is in transit can be dropped"))
    }),
    ("whole-times", |_| {
        Ok(errata::whole_times_are_not_enough()?
            .finding()
            .note("T = 1 would carry half a message; section 3.1 has it right"))
    }),
    ("buffers", |_| {
        Ok(errata::a_buffer_within_a_period()?
            .finding()
            .note("a holds 5 of 3 when it begins to send, and receives 3 more before it sends"))
    }),
    ("buffers-ours", |_| buffers()),
    ("filling", |_| {
        Ok(errata::filling_a_long_path()?
            .finding()
            .note("not the diameter but the longest path of the solution counts"))
    }),
    ("filling-circulation", |_| {
        Ok(errata::filling_with_a_circulation()?
            .finding()
            .note("circulations are to be cancelled first"))
    }),
    ("clean-up", |_| {
        Ok(errata::emptying_a_long_path()?
            .finding()
            .note("I the diameter, 1 period; with I the longest path it holds"))
    }),
    ("filling-longest", |_| {
        by_policies("filling", |policy| policy.filling < policy.longest)
    }),
    ("clean-up-longest", |_| {
        by_policies("clean-up", |policy| policy.clean_up < policy.longest)
    }),
    ("buffers-longest", |_| {
        by_policies("buffers", |policy| {
            policy.fullest_between_periods < whole(2)
        })
    }),
    ("buffers-within", |_| {
        by_policies("buffers", |policy| policy.fullest < whole(3))
    }),
    ("steady-longest", |_| between_steady_and_ceiling()),
    ("proposition-1", |_| limit_is_one(&scatter_runs()?)),
    (
        "gossip-indices",
        |_| Ok(errata::gossip_indices()?.finding()),
    ),
    ("gossip-circulation", |_| {
        Ok(errata::gossip_circulation()?.finding())
    }),
    ("gossip", |_| gossip()),
    ("proposition-2", |_| limit_is_one(&gossip_runs()?)),
    ("proposition-2-opt", |_| exhaustive::gossips()),
    ("single-scatter", |_| exhaustive::single_scatters()),
    ("proposition-4", |_| fixed_period_loss()),
];

fn list(values: Vec<usize>) -> Value {
    Value::List(values.into_iter().map(Value::from).collect())
}

/// Two of the four drawn amounts come in and two go out. The assignment is unique.
fn amounts_through_figure_1() -> Result<Finding> {
    let slides = Paper::load("slides")?;
    let amounts = slides.printed("amounts")?.list()?;
    let total: Rational = amounts.iter().copied().sum();
    Ok(Finding::value(total / whole(2))
        .note("half of the amounts drawn on slide 20, RR-4872's slides"))
}

fn toy_throughput() -> Result<Finding> {
    let solved = cases::toy()?.answer()?;
    let plan = solved.plan()?;
    let prices: Vec<String> = plan
        .certificate
        .prices()
        .map(|(resource, price)| {
            format!("{} on {}", short(price), resource.describe(plan.platform()))
        })
        .collect();
    Ok(Finding::value(cases::toy()?.throughput()?)
        .note(format!("certificate: price {}", prices.join(", "))))
}

fn toy_messages() -> Result<Finding> {
    let toy = Toy::load()?;
    let schedule = toy.schedule(&toy.period()?)?;
    let instances = whole(schedule.instances.clone());
    Ok(Finding::value(Value::List(vec![
        instances.into(),
        schedule.period.into(),
    ])))
}

/// The papers' own flows, checked by the referee against our certificate, and their degrees of freedom.
fn toy_optimal() -> Result<Finding> {
    let toy = Toy::load()?;
    let (platform, collective, size) = (&toy.case.platform, &toy.case.collective, unit_volumes());
    let theirs = toy.steady_state()?;
    let sound = referee::check_steady_state(
        &Problem::new(platform, collective, size)?,
        &theirs,
        &Watch::unlimited(),
    );
    let bound = referee::bound(
        &Problem::new(platform, collective, size)?,
        &toy.case.certificate()?,
        &Watch::unlimited(),
    )?;
    let holds = sound.is_ok() && theirs.throughput == bound;
    let (low, high) = toy_freedom(&toy)?;
    Ok(Finding::claim(
        holds,
        format!("sustains {}, bound {bound}", theirs.throughput),
    )
    .note(format!(
        "not the only optimum: send(Pa -> P0, m0) may be anything from {low} to {high}"
    )))
}

/// The exact range of `send(Pa -> P0, m0)` over all optimal solutions.
pub fn toy_freedom(toy: &Toy) -> Result<(Rational, Rational)> {
    let mut program = Program::new(
        &toy.case.platform,
        &toy.case.collective.commodities(),
        Errata::default(),
    )?;
    program.fix_throughput(&toy.case.throughput()?);
    program.range(cases::link(&toy.case.platform, "Pa -> P0")?, 0)
}

/// Figure 2(b), (c): the slides' numbers over a period of 12 are integers, and one of them forces the others.
fn figure_2_numbers() -> Result<Finding> {
    let toy = Toy::load()?;
    let platform = &toy.case.platform;
    let free = (cases::link(platform, "Pa -> P0")?, 0);
    let mut program = Program::new(
        platform,
        &toy.case.collective.commodities(),
        Errata::default(),
    )?;
    program.fix_throughput(&toy.case.throughput()?);
    program.fix(
        free.0,
        free.1,
        toy.flows
            .get(&free)
            .context("slide 29 sends nothing from Pa to P0")?,
    );
    let period = toy.period()?;
    let (mut messages, mut times) = (Vec::new(), Vec::new());
    for link in platform.link_ids() {
        let mut counts = Vec::new();
        for message in 0..2 {
            let (low, high) = program.range(link, message)?;
            ensure!(
                low == high,
                "{} is not forced",
                toy.flow_name((link, message))
            );
            let count = low * &period;
            ensure!(
                count.is_integer(),
                "{}: {count}",
                toy.flow_name((link, message))
            );
            counts.extend((!count.is_zero()).then_some(count));
        }
        times.push(counts.iter().sum::<Rational>() * &platform.link(link).cost);
        messages.push(
            counts
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" + "),
        );
    }
    ensure!(
        times.iter().all(Rational::is_integer),
        "a time is not whole"
    );
    let times: Vec<String> = times.iter().map(ToString::to_string).collect();
    let names: Vec<String> = platform
        .link_ids()
        .map(|link| platform.link_name(link))
        .collect();
    let found = format!(
        "{} messages; {} units of time",
        messages.join(", "),
        times.join(", ")
    );
    let printed = Paper::load("rr4872")?
        .printed("figure-2-numbers")?
        .to_string();
    Ok(Finding::claim(found == printed, found)
        .note(format!("period {period}; {}", names.join(", "))))
}

fn toy_routes() -> Result<Finding> {
    let theirs = Toy::load()?.steady_state()?;
    let ours = cases::toy()?.steady_state()?;
    let routes = |patterns: &[oneport::plan::WeightedPattern]| {
        patterns
            .iter()
            .filter(|one| one.pattern.demand == 0)
            .count()
    };
    Ok(Finding::value(routes(&theirs.patterns)).note(format!(
        "our schedule needs {} for the same throughput",
        routes(&ours.patterns)
    )))
}

fn fewest_matchings() -> Result<Finding> {
    let toy = Toy::load()?;
    let (platform, occupations) = (&toy.case.platform, toy.occupations());
    matchings::check(platform, &occupations, &toy.matchings)?;
    let links: Vec<_> = occupations.keys().copied().collect();
    let all = matchings::all_matchings(platform, &links).len();
    let fewest = (1..=toy.matchings.len()).find_map(|count| {
        match matchings::cuts(platform, &occupations, count) {
            Ok(cuts) if cuts.is_empty() => None,
            found => Some(found.map(|cuts| (count, cuts.len()))),
        }
    });
    let (fewest, ways) = fewest.context("the printed matchings are one way")??;
    let problem = Problem::new(platform, &toy.case.collective, unit_volumes())?;
    let ours = schedule::periodic(&problem, toy.whole(&toy.period()?)?, &Watch::unlimited())?
        .slots
        .len();
    Ok(Finding::value(fewest).note(format!(
        "the fewest: none of the smaller sets of the {all} matchings does; {ways} sets of {fewest} do; our decomposition takes {ours}"
    )))
}

/// At most one matching per link and two per node, on random platforms.
fn matchings_number() -> Result<Finding> {
    let (mut tried, mut most) = (0, Rational::zero());
    for (nodes, degree) in [(4, 3), (6, 3), (8, 3), (10, 2)] {
        for seed in 1..=4 {
            let platform = cases::random(nodes, degree, seed, 9)?;
            let bound = platform.links().len() + 2 * nodes;
            let scatter = cases::scatter_to_all("random", platform.clone())?;
            for case in [scatter, cases::all_to_all_of_all("random", platform)?] {
                let slots = case.schedule()?.slots.len();
                ensure!(
                    slots <= bound,
                    "{nodes} nodes, degree {degree}, seed {seed}: {slots} matchings, {bound}"
                );
                most = most.max(ratio(slots, bound));
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} scatters and gossips of 4 to 10 nodes: at most |E| + 2 n"),
    )
    .note(format!("at most {} of it", short(&most))))
}

fn period_split() -> Result<Finding> {
    let toy = Toy::load()?;
    let period = toy.period()?;
    let theirs = toy.schedule(&period)?;
    referee::check_schedule(
        &Problem::new(&toy.case.platform, &toy.case.collective, unit_volumes())?,
        &theirs,
    )?;
    let split = split_transfers(&toy.case, &theirs)?;
    let ours = ours_in_short(&toy)?;
    Ok(Finding::value(period).note(format!("{split} messages split per period; ours: {ours}")))
}

fn period_unsplit() -> Result<Finding> {
    let toy = Toy::load()?;
    let theirs = toy.schedule(&(toy.period()? * toy.unsplit_factor()?))?;
    referee::check_schedule(
        &Problem::new(&toy.case.platform, &toy.case.collective, unit_volumes())?,
        &theirs,
    )?;
    ensure!(
        split_transfers(&toy.case, &theirs)? == 0,
        "a message is split"
    );
    let period = theirs.period;
    Ok(Finding::value(period).note(format!(
        "the price of the order, and of whole messages in each matching: see the next row; ours: {}",
        ours_in_short(&toy)?
    )))
}

/// The least period without a split message, over all orders of the paper's four matchings. The order that we choose
/// needs no longer period.
fn period_in_best_order() -> Result<Finding> {
    let toy = Toy::load()?;
    let problem = toy.case.problem();
    let periods = unsplit_by_order(&toy)?;
    let least = periods.iter().map(|(period, _)| period).min();
    let least = least.context("there is an order")?.clone();
    let names = |wanted: &Rational| {
        let orders = periods.iter().filter(|(period, _)| period == wanted);
        let named = orders.map(|(_, order)| {
            let indices: Vec<String> = order.iter().map(|index| (index + 1).to_string()).collect();
            indices.join(" ")
        });
        named.collect::<Vec<_>>().join(", ")
    };
    let (ours, _) = schedule::whole_messages(&problem, &toy.schedule(&least)?);
    referee::check_whole_messages(&problem, &ours)?;
    ensure!(ours.period == least, "our order needs {}", ours.period);
    let printed = periods.first().context("there is an order")?;
    Ok(Finding::value(least.clone()).note(format!(
        "in the orders {}; in the printed order {} is enough, since messages go on from matching 3 to 4. So 12 and 48 are the \
         price of the order and of the rule, and not of the solution",
        names(&least),
        printed.0
    )))
}

/// For each order of the paper's matchings the least period in which its flows are integers and no message is split.
pub fn unsplit_by_order(toy: &Toy) -> Result<Vec<(Rational, Vec<usize>)>> {
    let whole_flows = common_denominator(toy.flows.values());
    let mut found = Vec::new();
    for order in orders(toy.matchings.len()) {
        for times in 1u32.. {
            let period = whole(&whole_flows * times);
            let schedule = toy.schedule_in(&period, &order)?;
            if split_transfers(&toy.case, &schedule)? == 0 {
                referee::check_schedule(&toy.case.problem(), &schedule)?;
                found.push((period, order));
                break;
            }
        }
    }
    Ok(found)
}

/// All permutations of `0..count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut longer = Vec::new();
    for order in orders(count - 1) {
        for index in 0..count {
            let mut order = order.clone();
            order.insert(index, count - 1);
            longer.push(order);
        }
    }
    longer.sort();
    longer
}

/// Period, slots and split messages of our schedule of the toy.
fn ours_in_short(toy: &Toy) -> Result<String> {
    let schedule = toy.case.schedule()?;
    let split = split_transfers(&toy.case, &schedule)?;
    Ok(format!(
        "period {}, {} slots, {split} split",
        schedule.period,
        schedule.slots.len()
    ))
}

/// Transfers per period that are interrupted.
pub fn split_transfers(case: &Case, plan: &oneport::plan::PeriodicSchedule) -> Result<usize> {
    let timeline = schedule::timeline(&case.problem(), plan, 1)?;
    Ok(timeline
        .events
        .iter()
        .filter(|event| event.pieces.len() > 1)
        .count())
}

fn figure_reference(paper: &Paper) -> Result<Finding> {
    let captions = [
        ("figure 4(a)", paper.printed("period-split")?),
        ("figure 4(b)", paper.printed("period-unsplit")?),
    ];
    Ok(Finding::value(errata::figure_of_the_long_schedule(
        captions,
    )?))
}

/// The platforms on which every schedule is tried, with integer costs, each with its last date.
fn lemma_cases() -> Result<Vec<(Case, usize)>> {
    let platform = cases::platform(
        "s t u",
        &[("s", "t", "1"), ("t", "u", "1/4"), ("u", "t", "1/4")],
    )?;
    let line = cases::platform("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
    Ok(vec![
        (cases::scaled(cases::toy()?)?.0, 30),
        (
            cases::scaled(cases::scatter("detour of E000-2", platform, "s", "t")?)?.0,
            16,
        ),
        (cases::scatter("line of costs 1 and 2", line, "s", "t")?, 16),
        (
            cases::scatter_to_all(
                "random, 4 nodes",
                cases::downwards(&cases::random(4, 2, 1, 3)?)?,
            )?,
            14,
        ),
        (
            cases::scatter_to_all(
                "random, 4 nodes, complete",
                cases::downwards(&cases::random(4, 3, 2, 2)?)?,
            )?,
            12,
        ),
        (
            cases::scatter_to_all(
                "random, 5 nodes",
                cases::downwards(&cases::random(5, 2, 3, 3)?)?,
            )?,
            16,
        ),
        (
            cases::scatter_to_all("random, 4 nodes, duplex", cases::random(4, 2, 4, 2)?)?,
            6,
        ),
    ])
}

/// Lemma 1 by exhaustion. Two papers state it, and it is tried once.
pub fn lemma_1() -> Result<Finding> {
    static TRIED: OnceLock<Finding> = OnceLock::new();
    match TRIED.get() {
        Some(finding) => Ok(finding.clone()),
        None => try_lemma_1().map(|finding| TRIED.get_or_init(|| finding).clone()),
    }
}

fn try_lemma_1() -> Result<Finding> {
    let (mut pairs, mut tight, mut halves, mut failed) = (0, 0, 0, Vec::new());
    let cases = lemma_cases()?;
    for (case, horizon) in &cases {
        let throughput = case.throughput()?;
        let all = search::opt_up_to(case, *horizon, exhaustive::beyond(case, *horizon)?)?;
        // In half the time, every half counts as a whole message here.
        halves += (0..=horizon / 2)
            .filter(|&time| all[2 * time] / 2 > all[time])
            .count();
        for (time, best) in all.into_iter().enumerate() {
            let ceiling = &throughput * whole(time);
            pairs += 1;
            tight += usize::from(whole(best) == ceiling && time > 0);
            if whole(best) > ceiling {
                failed.push(format!("{}, K = {time}: opt {best} > {ceiling}", case.name));
            }
        }
    }
    let tried = format!(
        "{} platforms, {pairs} pairs (G, K), every schedule tried",
        cases.len()
    );
    let tried = failed.first().cloned().unwrap_or(tried);
    Ok(Finding::claim(failed.is_empty(), tried).note(format!(
        "equality in {tight} of them; messages cut into halves are whole sooner for {halves} K, and bounded alike"
    )))
}

/// Scatter schedules to run: ours and the papers' on the toy, and a random platform.
pub fn scatter_runs() -> Result<Vec<ScheduleRun>> {
    let toy = Toy::load()?;
    let random = cases::scatter_to_all("random", cases::random(8, 3, 7, 4)?)?;
    Ok(vec![
        ScheduleRun::new("toy, our period 2", &toy.case, &toy.case.schedule()?, 500)?,
        ScheduleRun::new(
            "toy, the paper's period 12",
            &toy.case,
            &toy.schedule(&toy.period()?)?,
            200,
        )?,
        ScheduleRun::new(
            "random platform, 8 nodes",
            &random,
            &random.schedule()?,
            300,
        )?,
    ])
}

/// All-to-all schedules to run.
fn gossip_runs() -> Result<Vec<ScheduleRun>> {
    let mut runs = Vec::new();
    for (name, platform) in [
        ("random platform, 6 nodes", cases::random(6, 3, 11, 3)?),
        ("star of 6 nodes", cases::fixture("star.json")?),
    ] {
        let case = cases::all_to_all_of_all(name, platform)?;
        runs.push(ScheduleRun::new(name, &case, &case.schedule()?, 100)?);
    }
    Ok(runs)
}

fn buffers() -> Result<Finding> {
    let toy = Toy::load()?;
    let random = cases::scatter_to_all("random", cases::random(8, 3, 7, 4)?)?;
    let gossip = cases::all_to_all_of_all("star", cases::fixture("star.json")?)?;
    let schedules = [
        (&toy.case, toy.case.schedule()?),
        (&toy.case, toy.schedule(&toy.period()?)?),
        (
            &toy.case,
            toy.schedule(&(toy.period()? * toy.unsplit_factor()?))?,
        ),
        (&random, random.schedule()?),
        (&gossip, gossip.schedule()?),
    ];
    let mut holds = true;
    for (case, schedule) in &schedules {
        holds &= ScheduleRun::new("", case, schedule, 30)?.buffers_hold(&case.platform, schedule);
    }
    Ok(Finding::claim(
        holds,
        format!(
            "{} schedules, 30 periods each, buffers counted by the referee",
            schedules.len()
        ),
    ))
}

/// Scatters and gossips on random platforms.
fn routed_cases() -> Result<Vec<Case>> {
    let mut cases = vec![
        cases::toy()?,
        cases::all_to_all_of_all("star", cases::fixture("star.json")?)?,
    ];
    for seed in 1..=8 {
        cases.push(cases::scatter_to_all(
            "random",
            cases::random(8, 3, seed, 9)?,
        )?);
        cases.push(cases::all_to_all_of_all(
            "random",
            cases::random(6, 2, seed, 9)?,
        )?);
    }
    Ok(cases)
}

/// The papers' policy on each of them. Three rows use it, and it is simulated once.
fn policies() -> Result<&'static [Policy]> {
    static FOLLOWED: OnceLock<Vec<Policy>> = OnceLock::new();
    if let Some(policies) = FOLLOWED.get() {
        return Ok(policies);
    }
    let follow = |case: &Case| {
        let policy = Policy::of(&case.problem(), &case.schedule()?);
        policy.with_context(|| format!("{}: messages are copied or combined", case.name))
    };
    let policies: Vec<Policy> = routed_cases()?.iter().map(follow).collect::<Result<_>>()?;
    Ok(FOLLOWED.get_or_init(|| policies))
}

fn by_policies(what: &str, holds: fn(&Policy) -> bool) -> Result<Finding> {
    let policies = policies()?;
    let most = |of: fn(&Policy) -> u64| policies.iter().map(of).max().unwrap_or(0);
    let fullest = |of: fn(&Policy) -> &Rational| {
        let most = policies.iter().map(of).max().cloned();
        short(&most.unwrap_or_default())
    };
    let tried = format!(
        "{} schedules, L up to {}, filled in up to {} periods, emptied in up to {}, buffers up to {} of buff-min-size between \
         periods and {} within one",
        policies.len(),
        most(|policy| policy.longest),
        most(|policy| policy.filling),
        most(|policy| policy.clean_up),
        fullest(|policy| &policy.fullest_between_periods),
        fullest(|policy| &policy.fullest),
    );
    let tight = policies
        .iter()
        .filter(|policy| policy.filling + 1 == policy.longest)
        .count();
    Ok(
        Finding::claim(policies.iter().all(holds), tried).note(format!(
            "{what}: proved in docs/theory.md; filling takes exactly I in {tight} of them"
        )),
    )
}

/// The end of every whole period up to 30, and a third of a period later. The referee counts too.
fn between_steady_and_ceiling() -> Result<Finding> {
    let (mut dates, mut failed) = (0, Vec::new());
    let cases = routed_cases()?;
    for case in &cases {
        let (solved, problem) = (case.answer()?, case.problem());
        let plan = solved.plan()?;
        let horizon = Horizon::new(
            &problem,
            &schedule::execution(&problem, plan.schedule, &Watch::unlimited())?,
        );
        let report =
            referee::check_timeline(&problem, &schedule::timeline(&problem, plan.schedule, 31)?)?;
        for third in 0..=90 {
            let until = &plan.schedule.period * ratio(third, 3);
            let (steady, delivered) = (horizon.steady(&until), horizon.delivered(&until));
            let ceiling = &plan.steady_state.throughput * &until;
            let counted = delivered == report.complete_by(&until).into();
            dates += 1;
            if !counted || steady > delivered || whole(delivered.clone()) > ceiling {
                failed.push(format!(
                    "{}, K = {until}: {steady}, {delivered}, {ceiling}",
                    case.name
                ));
            }
        }
    }
    let tried = format!(
        "{} schedules, {dates} pairs (G, K), counted by the referee too",
        cases.len()
    );
    Ok(Finding::claim(
        failed.is_empty(),
        failed.first().cloned().unwrap_or(tried),
    ))
}

/// Two programs and the certificate agree on the throughput of gossiping.
fn gossip() -> Result<Finding> {
    let cases = [
        cases::all_to_all_of_all("random 6", cases::random(6, 3, 11, 3)?)?,
        cases::all_to_all_of_all("random 5", cases::random(5, 2, 4, 10)?)?,
        cases::all_to_all_of_all("star", cases::fixture("star.json")?)?,
        cases::all_to_all_of_all("two racks", cases::fixture("two-racks.toml")?)?,
        cases::all_to_all_of_all("four sites", cases::fixture("four-sites.csv")?)?,
    ];
    let mut agree = 0;
    for case in &cases {
        let columns = case.throughput_by(Formulation::Columns)?;
        let bound = referee::bound(
            &Problem::new(&case.platform, &case.collective, unit_volumes())?,
            &case.certificate()?,
            &Watch::unlimited(),
        )?;
        agree +=
            usize::from(columns == case.throughput_by(Formulation::Compact)? && columns == bound);
    }
    Ok(Finding::claim(
        agree == cases.len(),
        format!("equal on {agree} of {} platforms", cases.len()),
    ))
}

/// A fixed period: throughput by the paper's rule of rounding every path down, and ours.
struct Fixed {
    period: u64,
    rule: Rational,
    ours: Rational,
}

fn fixed_periods(toy: &Toy, longest: u64) -> Result<Vec<Fixed>> {
    let patterns = toy.steady_state()?.patterns;
    let messages = toy.case.collective.commodities().len();
    (1..=longest)
        .map(|period| {
            let length = whole(period);
            let mut whole_messages = vec![Rational::zero(); messages];
            for one in &patterns {
                whole_messages[one.pattern.demand] += (&one.weight * &length).floor();
            }
            let rule = whole_messages.into_iter().min().unwrap_or_default() / &length;
            let options = Options {
                period: Period::Fixed(length),
                ..Options::default()
            };
            let ours = match solve(&toy.case.problem(), &options) {
                Ok(solved) => solved.plan()?.schedule.throughput(),
                Err(Error::Problem(Refusal::Period(PeriodError::PeriodTooShort { .. }))) => {
                    Rational::zero()
                }
                other => anyhow::bail!("period {period}: {other:?}"),
            };
            Ok(Fixed { period, rule, ours })
        })
        .collect()
}

fn fixed_period_loss() -> Result<Finding> {
    let toy = Toy::load()?;
    let steady_state = toy.steady_state()?;
    let paths = steady_state.patterns.len();
    let all = fixed_periods(&toy, 48)?;
    let bounded =
        |fixed: &Fixed| &steady_state.throughput - &fixed.rule <= ratio(paths, fixed.period);
    let holds = all.iter().all(|fixed| {
        bounded(fixed) && fixed.ours >= fixed.rule && fixed.ours <= steady_state.throughput
    });
    let better = all.iter().filter(|fixed| fixed.ours > fixed.rule).count();
    Ok(
        Finding::claim(holds, format!("T = 1 to {}, toy, {paths} paths", all.len())).note(format!(
            "ours is never below the paper's rule and above it for {better} of the periods"
        )),
    )
}

/// Drawings and tables.
fn figures() -> Result<Vec<Figure>> {
    let toy = Toy::load()?;
    let solved = toy.case.answer()?;
    let plan = solved.plan()?;
    let period = toy.period()?;
    let mut figures = vec![
        Figure::svg(
            "The platform of the toy (figure 2a)",
            "Costs as on slide 28.",
            svg::platform(
                &toy.case.platform,
                "Figure 2(a)",
                "Ps scatters to P0 and P1",
            ),
        ),
        Figure::svg(
            "The paper's solution of the toy (figure 2)",
            "Two routes for the messages of P0, messages per unit of time as on slide 29. The referee finds it optimal.",
            svg::graph_of_rates(&toy.case.problem(), &toy.steady_state()?, None),
        ),
        Figure::svg(
            "Our solution of the toy",
            "The same throughput with one route per target, and a period of 2 instead of 12.",
            figures::graph(&toy.case, Some(plan.steady_state)),
        ),
        bipartite_graph(
            &toy,
            "Bipartite graph of the toy (figure 3a), drawn",
            "An edge per link: its time per unit of time.",
            &toy.occupations(),
        )?,
        bipartite(&toy),
        Figure::svg(
            "The paper's schedule (figure 4a)",
            "The four matchings over a period of 12; two messages are split.",
            figures::gantt(&toy.case, &toy.schedule(&period)?),
        ),
        Figure::svg(
            "Our schedule of the toy",
            "Period 2: one whole scatter, every message in one piece.",
            figures::gantt(&toy.case, plan.schedule),
        ),
        Figure::svg(
            "The paper's schedule without split messages (figure 4b)",
            "The same matchings over a period of 48.",
            figures::gantt(
                &toy.case,
                &toy.schedule(&(&period * toy.unsplit_factor()?))?,
            ),
        ),
        lemma_table(&toy)?,
    ];
    figures.extend(drawn_matchings(&toy)?);
    figures.push(matching_table(&toy));
    let runs = scatter_runs()?;
    let caption = "A run of each schedule, executed message by message by the referee. K is counted in whole periods.";
    figures.push(figures::asymptotic_table(
        "Proposition 1, measured",
        caption,
        &runs,
    )?);
    let caption =
        "Instances delivered by time K over TP(G) K; below each, the bound from the paper's proof.";
    figures.push(Figure::svg(
        "Proposition 1",
        caption,
        figures::asymptotic_curve("Series of scatters: delivered over optimal", &runs),
    ));
    let runs = gossip_runs()?;
    let caption = "The same for the personalised all-to-all.";
    figures.push(Figure::svg(
        "Proposition 2",
        caption,
        figures::asymptotic_curve("Series of gossips: delivered over optimal", &runs),
    ));
    figures.push(fixed_curve(&toy)?);
    Ok(figures)
}

/// A graph of send and receive ports, each edge with its time.
fn bipartite_graph(
    toy: &Toy,
    title: &str,
    caption: &str,
    edges: &BTreeMap<LinkId, Rational>,
) -> Result<Figure> {
    let platform = &toy.case.platform;
    let mut ports = Platform::builder();
    let port = |node, side| Node::router(format!("{} {side}", platform.name(node)));
    let send: Vec<_> = platform
        .node_ids()
        .filter(|&node| !platform.outgoing(node).is_empty())
        .map(|node| Ok((node, ports.node(port(node, "send"))?)))
        .collect::<Result<_>>()?;
    let receive: Vec<_> = platform
        .node_ids()
        .filter(|&node| !platform.incoming(node).is_empty())
        .map(|node| Ok((node, ports.node(port(node, "recv"))?)))
        .collect::<Result<_>>()?;
    let port_of = |list: &[(NodeId, NodeId)], node| {
        let found = list.iter().find(|(other, _)| *other == node);
        found.map(|(_, port)| *port).context("a link has no port")
    };
    for (&link, time) in edges {
        let ends = platform.link(link);
        ports.link(
            port_of(&send, ends.from)?,
            port_of(&receive, ends.to)?,
            time.clone(),
        )?;
    }
    let drawing = svg::platform(&ports.build()?, title, caption);
    Ok(Figure::svg(title, caption, drawing))
}

/// Figures 3(b) to 3(e).
fn drawn_matchings(toy: &Toy) -> Result<Vec<Figure>> {
    let drawn = toy.matchings.iter().zip(["b", "c", "d", "e"]).enumerate();
    let figure = |(index, ((links, time), letter)): (usize, (&matchings::Weighted, &str))| {
        let edges = links.iter().map(|&link| (link, time.clone())).collect();
        bipartite_graph(
            toy,
            &format!("Matching {} (figure 3{letter})", index + 1),
            &format!("Kept for {time} of a unit of time."),
            &edges,
        )
    };
    drawn.map(figure).collect()
}

/// Figure 3(a) as a table: sender, receiver, time.
fn bipartite(toy: &Toy) -> Figure {
    let platform = &toy.case.platform;
    let busy = toy.occupations();
    let receivers: Vec<_> = platform
        .node_ids()
        .filter(|&node| !platform.incoming(node).is_empty())
        .collect();
    let mut header = vec!["send \\ receive".to_string()];
    header.extend(
        receivers
            .iter()
            .map(|&node| platform.name(node).to_string()),
    );
    header.push("total".to_string());
    let mut rows = Vec::new();
    for sender in platform
        .node_ids()
        .filter(|&node| !platform.outgoing(node).is_empty())
    {
        let time = |receiver| {
            platform
                .link_between(sender, receiver)
                .and_then(|link| busy.get(&link))
        };
        let times: Vec<Option<&Rational>> =
            receivers.iter().map(|&receiver| time(receiver)).collect();
        let total: Rational = times.iter().flatten().copied().sum();
        let mut row = vec![platform.name(sender).to_string()];
        row.extend(
            times
                .iter()
                .map(|time| time.map_or(String::new(), ToString::to_string)),
        );
        row.push(total.to_string());
        rows.push(row);
    }
    let mut totals = vec!["total".to_string()];
    totals.extend(receivers.iter().map(|&node| {
        platform
            .incoming(node)
            .iter()
            .filter_map(|link| busy.get(link))
            .sum::<Rational>()
            .to_string()
    }));
    totals.push(String::new());
    rows.push(totals);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let caption = "The paper's solution: share of time for which each sender is busy with each receiver. No total exceeds 1, so matchings of total length 1 exist.";
    Figure::table(
        "Bipartite graph of the toy (figure 3a)",
        caption,
        &header,
        rows,
    )
}

fn matching_table(toy: &Toy) -> Figure {
    let platform = &toy.case.platform;
    let rows = toy
        .matchings
        .iter()
        .zip(toy.messages_per_matching())
        .enumerate()
        .map(|(index, ((_, time), messages))| {
            let messages: Vec<String> = messages
                .iter()
                .map(|(link, count)| format!("{} ({count})", platform.link_name(*link)))
                .collect();
            vec![
                (index + 1).to_string(),
                time.to_string(),
                messages.join(", "),
            ]
        });
    let caption = "How long each matching is kept per unit of time, and in brackets the messages that it carries.";
    Figure::table(
        "Matchings (figure 3b to 3e)",
        caption,
        &["matching", "kept for", "links (messages)"],
        rows.collect(),
    )
}

fn lemma_table(toy: &Toy) -> Result<Figure> {
    // Three units of the scaled platform are one of the toy's.
    let factor = 3;
    let last = 10;
    let best = search::opt(&cases::scaled(toy.case.clone())?.0, factor * last)?;
    let run = ScheduleRun::new("toy", &toy.case, &toy.case.schedule()?, last as u64)?;
    let throughput = toy.case.throughput()?;
    let rows = (2..=last).map(|time| {
        let periods = (whole(time) / &run.period)
            .to_integer()
            .try_into()
            .unwrap_or(0);
        let best = best
            .get(factor * time)
            .map_or(String::new(), ToString::to_string);
        vec![
            time.to_string(),
            run.delivered(periods).to_string(),
            best,
            (&throughput * whole(time)).to_string(),
        ]
    });
    let header = [
        "K",
        "our schedule",
        "opt(G, K), every schedule tried",
        "TP(G) K",
    ];
    let caption = "No schedule delivers more than TP(G) K instances by time K. Ours is counted at the end of whole periods.";
    Ok(Figure::table(
        "Lemma 1 on the toy",
        caption,
        &header,
        rows.collect(),
    ))
}

fn fixed_curve(toy: &Toy) -> Result<Figure> {
    let all = fixed_periods(toy, 48)?;
    let throughput = toy.case.throughput()?;
    let points = |value: &dyn Fn(&Fixed) -> &Rational| {
        all.iter()
            .map(|fixed| (fixed.period as f64, pixels(&(value(fixed) / &throughput))))
            .collect()
    };
    let series = [
        svg::Series {
            name: "ours".to_string(),
            points: points(&|fixed| &fixed.ours),
        },
        svg::Series {
            name: "rounding down the paper's paths".to_string(),
            points: points(&|fixed| &fixed.rule),
        },
    ];
    let options = svg::CurveOptions {
        log_x: false,
        reference: Some((1.0, "optimum".to_string())),
        ..Default::default()
    };
    let attained = all.iter().filter(|fixed| fixed.ours == throughput).count();
    let caption = format!(
        "Throughput of the toy for a given period, as a share of the optimum; ours is optimal for {attained} of {} periods.",
        all.len()
    );
    let curve = svg::curve(
        "Scatter with a fixed period",
        "T, units of time",
        "throughput / TP",
        &series,
        &options,
    );
    Ok(Figure::svg("Fixed period (section 4.6)", caption, curve))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;

    #[test]
    fn our_schedule_of_the_toy_is_short_and_whole() -> Result<()> {
        let toy = Toy::load()?;
        assert_eq!(ours_in_short(&toy)?, "period 2, 3 slots, 0 split");
        assert_eq!(
            split_transfers(&toy.case, &toy.schedule(&toy.period()?)?)?,
            2
        );
        Ok(())
    }

    #[test]
    fn the_toy_leaves_this_much_freedom() -> Result<()> {
        assert_eq!(
            toy_freedom(&Toy::load()?)?,
            (number("1/4")?, number("1/2")?)
        );
        Ok(())
    }

    /// Whole messages in each matching take 48, as printed. In the printed order messages may go on from matching 3 to
    /// 4, so 16 is enough. In the order 3, 1, 4, 2 the same matchings need 4.
    #[test]
    fn the_order_of_the_matchings_makes_the_period_long() -> Result<()> {
        let toy = Toy::load()?;
        let sets = matchings::cuts(&toy.case.platform, &toy.occupations(), 4)?;
        let links = |set: &[matchings::Weighted]| {
            let mut links: Vec<_> = set.iter().map(|(links, _)| links.clone()).collect();
            links.sort();
            links
        };
        assert!(sets.iter().any(|set| links(set) == links(&toy.matchings)));
        let periods = unsplit_by_order(&toy)?;
        assert_eq!(periods.len(), 24);
        let period = |order: [usize; 4]| periods.iter().find(|(_, other)| *other == order);
        assert_eq!(period([0, 1, 2, 3]).context("printed")?.0, whole(16));
        assert_eq!(period([2, 0, 3, 1]).context("3, 1, 4, 2")?.0, whole(4));
        assert_eq!(toy.period()? * toy.unsplit_factor()?, whole(48));
        Ok(())
    }
}
