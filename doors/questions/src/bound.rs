//! The bound of a collective as values: no schedule exceeds it.

use num_traits::Zero;
use oneport::explain::averaged;
use oneport::plan::inequality::{Inequality, Need};
use oneport::plan::{Certificate, Form, LinkId, Resource};
use oneport::platform::whole;
use oneport::watch::Limit;
use oneport::{
    Amount, Answer, Bandwidth, Collective, Error, Goal, NodeId, Options, Platform, Problem,
    ProblemError, Rational, Refusal, Status, Volumes, count, solve,
};
use serde::Serialize;

use crate::error::{Result, usage};
use crate::limiting::{OddSetWords, odd_set_sentence, summary};
use crate::limits::named;
use crate::numbers::{exact, text};
use crate::shown::{Shown, both};
use crate::words::few;

/// Limit on the links or resources named in a sentence.
const NAMED: usize = 4;
/// The rest of a list, after its first names.
const MORE: &str = " and {} more";

/// The result of a search for a bound.
#[derive(Debug, Clone)]
pub enum BoundResult {
    /// A bound.
    Bounded(Box<Bounded>),
    /// Messages cannot arrive. The sentence names them.
    Infeasible(String),
    /// The limit that ended the search before a bound was proved.
    Stopped(Limit),
    /// The reason why the problem is too large.
    TooLarge(String),
}

/// A proved bound on the throughput of every schedule, for every cost of merges and every order of the operands. In
/// JSON rationals are texts in lowest terms.
#[derive(Debug, Clone, Serialize)]
pub struct Bounded {
    /// The collective's name.
    pub collective: &'static str,
    /// Instances per unit of time.
    #[serde(serialize_with = "text")]
    pub bound: Rational,
    /// `attained` if a steady state attains the bound, else `bound`.
    pub status: &'static str,
    /// The throughput of the best steady state that is known.
    #[serde(serialize_with = "exact")]
    pub known: Option<Rational>,
    /// The distance of that throughput from the bound, as a share of the bound.
    #[serde(serialize_with = "text")]
    pub gap: Rational,
    /// The bound as an algorithm bandwidth, in the platform's units.
    #[serde(serialize_with = "exact")]
    pub algbw: Option<Rational>,
    /// The bound as a bus bandwidth, in the platform's units.
    #[serde(serialize_with = "exact")]
    pub busbw: Option<Rational>,
    /// The cut, if one cut proves the bound.
    pub cut: Option<CutWords>,
    /// The odd sets that the certificate charges.
    pub odd_sets: Vec<OddSetWords>,
    /// The reason of the bound.
    pub sentence: String,
    /// The class of the priced resources, if others are like them: each proves the bound as well.
    pub alike: Option<String>,
    /// The sentence on the limit that ended the search.
    pub ended_by: Option<&'static str>,
    /// The rule of nccl-tests, which turns a throughput into bandwidths.
    #[serde(skip)]
    pub bandwidth: Option<Bandwidth>,
}

/// A cut in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CutWords {
    /// The participants on its side of the sources.
    pub inside: Vec<String>,
    /// The other participants.
    pub outside: Vec<String>,
    /// The links that leave it.
    pub links: Vec<String>,
    /// Messages per unit of time over these links.
    #[serde(serialize_with = "text")]
    pub capacity: Rational,
    /// Messages per instance over these links, at least.
    #[serde(serialize_with = "text")]
    pub messages: Rational,
}

/// The collective of a form among these participants. `root` is the source or the target of a collective that has one,
/// the first participant if it is `None`. Operands commute.
///
/// # Errors
/// There is no participant.
pub fn collective(
    form: &'static Form,
    participants: &[NodeId],
    root: Option<NodeId>,
) -> Result<Collective> {
    let centre = root.or(participants.first().copied());
    let rooted = form.roles.iter().any(|role| !role.many);
    let nodes = |many: bool| -> Vec<NodeId> {
        match many {
            false => centre.into_iter().collect(),
            true if rooted && !form.overlaps() => participants
                .iter()
                .copied()
                .filter(|&node| Some(node) != centre)
                .collect(),
            true => participants.to_vec(),
        }
    };
    let nodes: Vec<Vec<NodeId>> = form.roles.iter().map(|role| nodes(role.many)).collect();
    form.build(&nodes, true)
        .ok_or_else(|| usage(format!("{} needs a participant", form.name)))
}

/// The problem whose bound holds for every cost of merges: they take no time.
///
/// # Errors
/// Those of [`Problem::new`].
pub fn problem(platform: &Platform, collective: Collective) -> Result<Problem, ProblemError> {
    let volumes = Volumes {
        work: Amount::Constant(Rational::zero()),
        ..Volumes::default()
    };
    Problem::new(platform.clone(), collective, volumes)
}

/// Bounds the throughput of a problem. The sentences name these participants.
///
/// # Errors
/// A defect of oneport.
pub fn bounded(
    problem: &Problem,
    participants: &[NodeId],
    options: &Options,
) -> Result<BoundResult> {
    let options = options.clone().goal(Goal::Bound);
    let solved = match solve(problem, &options) {
        Ok(solved) => solved,
        Err(Error::Stopped(limit)) => return Ok(BoundResult::Stopped(limit)),
        Err(error @ Error::Problem(Refusal::TooLarge { .. })) => {
            return Ok(BoundResult::TooLarge(error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let (platform, answer) = (problem.platform(), &solved.answer);
    let across = Across::of(platform, problem.collective(), answer);
    let bandwidth = Bandwidth::of(problem);
    let at_bound = |rate: fn(&Bandwidth, &Rational) -> Rational| {
        let bandwidth = bandwidth.as_ref();
        bandwidth.map(|bandwidth| rate(bandwidth, answer.bound()))
    };
    let sets = answer.certificate().odd_sets();
    Ok(BoundResult::Bounded(Box::new(Bounded {
        collective: problem.collective().name(),
        bound: answer.bound().clone(),
        status: match answer.status() {
            Status::Optimal => "attained",
            Status::Feasible => "bound",
        },
        known: answer.throughput().cloned(),
        gap: answer.gap(),
        algbw: at_bound(Bandwidth::algorithm),
        busbw: at_bound(Bandwidth::bus),
        cut: across
            .as_ref()
            .and_then(|across| across.cut(platform, participants)),
        odd_sets: sets
            .map(|(set, price)| OddSetWords::of(platform, set, Some(price)))
            .collect(),
        sentence: across.map_or_else(
            || by_prices(platform, answer),
            |across| across.sentence(platform, answer.bound()),
        ),
        alike: alike(problem, answer),
        ended_by: solved.ended_by.map(named),
        bandwidth,
    })))
}

impl Bounded {
    /// A throughput in the columns of nccl-tests, if they count the collective.
    pub fn numbers(&self, platform: &Platform, throughput: &Rational) -> String {
        match &self.bandwidth {
            Some(bandwidth) => {
                let (algorithm, bus) = (bandwidth.algorithm(throughput), bandwidth.bus(throughput));
                format!(
                    "algbw {}, busbw {}",
                    rate(platform, &algorithm),
                    rate(platform, &bus)
                )
            }
            None => Shown::of(platform, false).frequency(throughput),
        }
    }
}

fn rate(platform: &Platform, value: &Rational) -> String {
    match platform.units() {
        Some(units) => units.show_rate(value),
        None => format!("{} per unit of time", both(value)),
    }
}

/// The inequality that alone proves a bound, and the links that it counts.
struct Across<'b> {
    need: &'b Need,
    links: Vec<LinkId>,
    capacity: Rational,
    /// How many messages pass the links at least.
    messages: Rational,
}

impl<'b> Across<'b> {
    fn of(platform: &Platform, collective: &Collective, bounded: &'b Answer) -> Option<Across<'b>> {
        let [need] = &bounded.certificate().needs[..] else {
            return None;
        };
        let statement = need.inequality.statement();
        let times = statement.of_links(platform);
        let links: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| !times[link.index()].is_zero())
            .collect();
        if links.iter().any(|&link| platform.link(link).cost.is_zero()) {
            return None;
        }
        let capacity: Rational = links
            .iter()
            .map(|&link| &times[link.index()] / &platform.link(link).cost)
            .sum();
        let demands = (0..collective.demands())
            .filter(|index| need.demand.is_none_or(|demand| demand == *index));
        let demands = demands
            .filter_map(|index| collective.demand(index))
            .filter(|demand| statement.concerns(demand));
        let messages = demands
            .map(|demand| statement.right_side(&demand))
            .sum::<Option<Rational>>()?;
        (capacity == &messages * bounded.bound()).then_some(Across {
            need,
            links,
            capacity,
            messages,
        })
    }

    fn sentence(&self, platform: &Platform, bound: &Rational) -> String {
        let statement = self.statement(platform);
        let (links, capacity) = (links(platform, &self.links), rate(platform, &self.capacity));
        let (each, per) = if self.messages == whole(1) {
            ("", capacity.clone())
        } else {
            let each = if self.need.demand.is_none() {
                " for each message"
            } else {
                ""
            };
            (
                each,
                format!("{capacity} / {} = {}", self.messages, rate(platform, bound)),
            )
        };
        format!(
            "{statement}{each}: through {links} of {capacity} together no schedule exceeds {per} per operation"
        )
    }

    /// States the inequality. A cut with a long list of nodes is named by its other side, if that is short.
    fn statement(&self, platform: &Platform) -> String {
        let rest: Vec<NodeId> = match &self.need.inequality {
            Inequality::Cut(cut) if cut.nodes.len() > NAMED => platform
                .node_ids()
                .filter(|node| cut.nodes.binary_search(node).is_err())
                .collect(),
            _ => Vec::new(),
        };
        if rest.is_empty() || rest.len() > NAMED {
            return self.need.inequality.statement().sentence(platform);
        }
        let names = few(rest.iter().map(|&node| platform.name(node)), NAMED, MORE);
        format!("at least 1 transfer leads into {{{names}}}")
    }

    /// The participants on both sides, if the inequality is a cut.
    fn cut(&self, platform: &Platform, participants: &[NodeId]) -> Option<CutWords> {
        let Inequality::Cut(cut) = &self.need.inequality else {
            return None;
        };
        let (inside, outside): (Vec<NodeId>, Vec<NodeId>) = participants
            .iter()
            .partition(|node| cut.nodes.binary_search(node).is_ok());
        let names = |nodes: Vec<NodeId>| {
            let names = nodes.into_iter().map(|node| platform.name(node));
            names.map(str::to_string).collect()
        };
        let links = self.links.iter().map(|&link| platform.link_name(link));
        Some(CutWords {
            inside: names(inside),
            outside: names(outside),
            links: links.map(|name| name.to_string()).collect(),
            capacity: self.capacity.clone(),
            messages: self.messages.clone(),
        })
    }
}

fn links(platform: &Platform, links: &[LinkId]) -> String {
    let names = few(
        links.iter().map(|&link| platform.link_name(link)),
        NAMED,
        ", ...",
    );
    format!("{} ({names})", count(links.len(), "link"))
}

/// The class of the priced resources: `4 x link 'leaf3 -> old*'`. `None` if it has no other members.
fn alike(problem: &Problem, bounded: &Answer) -> Option<String> {
    let priced = bounded.certificate().prices();
    let priced = priced.filter(|(_, price)| !price.is_zero()).count();
    let all: Vec<Resource> = averaged(problem, bounded.certificate())
        .into_keys()
        .collect();
    (all.len() > priced).then(|| summary(problem.platform(), &all))
}

/// The sentence of a bound that several inequalities prove.
fn by_prices(platform: &Platform, bounded: &Answer) -> String {
    let certificate = bounded.certificate();
    let priced = few(priced(platform, certificate), NAMED, MORE);
    let bound = Shown::of(platform, false).frequency(bounded.bound());
    let sets = certificate.odd_sets().take(NAMED);
    let sets: String = sets
        .map(|(set, _)| format!("; {}", odd_set_sentence(platform, set)))
        .collect();
    format!("by the prices of {priced} no schedule exceeds {bound}{sets}")
}

/// The names of the odd sets, then of the resources that the certificate charges.
fn priced(platform: &Platform, certificate: &Certificate) -> Vec<String> {
    let sets = certificate
        .odd_sets()
        .map(|(set, _)| set.describe(platform));
    sets.chain(
        certificate
            .prices()
            .map(|(resource, _)| resource.describe(platform)),
    )
    .collect()
}
