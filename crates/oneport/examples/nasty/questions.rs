//! Small questions with unfriendly numbers: near ties, wide ranges, long fractions, one huge number among ones, links
//! and nodes of no use, every collective, every port model.

use oneport_platform::whole;
use std::time::{Duration, Instant};

use oneport::plan::Member;
use oneport::platform::Node;
use oneport::watch::{Left, Watch};
use oneport::{
    Amount, Collective, Error, Formulation, NodeId, Options, Period, Platform, PortModel, Problem,
    ProblemError, Rational, Refusal, Until, Volumes, referee, solve,
};
use oneport_lp::LpError;

/// A question, and the options of its solution.
#[derive(Debug)]
pub struct Nasty {
    /// The platform.
    pub platform: Platform,
    /// The collective.
    pub collective: Collective,
    /// Sizes of messages and work of merges.
    pub volumes: Volumes,
    /// The options.
    pub options: Options,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Answered. The referee agrees that it is optimal.
    Optimal,
    /// Answered. The referee agrees with the bound.
    Feasible,
    /// Some messages cannot arrive.
    Infeasible,
    /// Refused with a reason that lies in the question.
    Refused,
}

/// Pseudo-random numbers (Steele, Lea, Flood: splitmix64).
pub struct Dice(u64);

impl Dice {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

fn read(text: &str) -> Rational {
    oneport::parse_rational(text).unwrap_or_else(|_| whole(1))
}

/// A positive number of this kind.
fn number(dice: &mut Dice, kind: usize) -> Rational {
    let digits = |dice: &mut Dice, count: usize| -> String {
        (0..count)
            .map(|_| char::from(b'1' + dice.below(9) as u8))
            .collect()
    };
    match kind {
        0 => read(&format!("{}", 1 + dice.below(3))),
        1 => read(&format!("1.00000000{}", dice.below(4))),
        2 => read(&format!("1.00000000000{}", dice.below(10))),
        3 => read(&format!(
            "{}e{}",
            1 + dice.below(9),
            dice.below(25) as i64 - 12
        )),
        4 => read(&format!("{}/{}", digits(dice, 200), digits(dice, 200))),
        5 if dice.one_in(6) => read(&format!("1e{}", 3 + dice.below(40))),
        6 if dice.one_in(6) => read(&format!("1e-{}", 3 + dice.below(40))),
        // The primes that exact solutions are computed with.
        7 if dice.one_in(3) => {
            read("2305843009213693951") * read("2305843009213693921") * read("1152921504606846883")
        }
        _ => read("1"),
    }
}

/// The question of this seed.
pub fn question(seed: u64) -> Nasty {
    let mut dice = Dice::new(seed);
    let kind = dice.below(8);
    let platform = platform(&mut dice, kind);
    let processors: Vec<NodeId> = platform.processors().collect();
    let collective = if dice.one_in(5) {
        let member = |dice: &mut Dice| Member {
            collective: collective(dice, &processors),
            rate: 1 + dice.below(3) as u64,
        };
        Collective::Groups((0..1 + dice.below(3)).map(|_| member(&mut dice)).collect())
    } else {
        collective(&mut dice, &processors)
    };
    let size = number(&mut dice, kind);
    let work = if dice.one_in(3) {
        Rational::default()
    } else {
        number(&mut dice, kind)
    };
    let formulation = if dice.one_in(5) {
        Formulation::Compact
    } else {
        Formulation::Columns
    };
    let period = if dice.one_in(4) {
        Period::AtMost(10)
    } else {
        Period::AtMost(oneport::DEFAULT_MAX_INSTANCES)
    };
    let watch = if dice.one_in(6) {
        Watch::in_questions(dice.below(30) as u64)
    } else {
        Watch::default()
    };
    let rounds = dice.one_in(6).then(|| 1 + dice.below(3));
    let volumes = Volumes {
        size: Amount::Constant(size),
        work: Amount::Constant(work),
    };
    let options = Options {
        formulation,
        period,
        until: Until {
            bound: None,
            rounds,
        },
        watch,
        ..Options::default()
    };
    Nasty {
        platform,
        collective,
        volumes,
        options,
    }
}

/// Two to five nodes. Most links join them to a ring, others are random. Some nodes are isolated or dead ends.
fn platform(dice: &mut Dice, kind: usize) -> Platform {
    let models = [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ];
    let mut builder = Platform::builder();
    builder.model(models[dice.below(4)]);
    let mut ids = Vec::new();
    for index in 0..2 + dice.below(4) {
        let name = format!("n{index}");
        let router = index > 1 && dice.one_in(4);
        let mut node = if router {
            Node::router(name)
        } else {
            Node::processor(name, number(dice, kind))
        };
        node.ports = (dice.one_in(4)).then(|| 1 + dice.below(3) as u32);
        node.replicates = !(index > 1 && dice.one_in(6));
        ids.extend(builder.node(node));
    }
    let count = ids.len();
    let isolated = dice.one_in(4);
    for at in 0..count {
        let (from, to) = (ids[at], ids[(at + 1) % count]);
        if isolated && (from.index() == count - 1 || to.index() == count - 1) && count > 2 {
            continue;
        }
        let _ = builder.link(from, to, number(dice, kind));
        if dice.one_in(2) || isolated {
            let _ = builder.link(to, from, number(dice, kind));
        }
    }
    for _ in 0..dice.below(5) {
        // A loop or a second link must be refused.
        let (from, to) = (ids[dice.below(count)], ids[dice.below(count)]);
        let _ = builder.link(from, to, number(dice, kind));
    }
    builder.build().expect("named nodes, positive costs")
}

/// Any collective but groups, on some of the processors.
fn collective(dice: &mut Dice, processors: &[NodeId]) -> Collective {
    let mut participants = processors.to_vec();
    participants.rotate_left(dice.below(processors.len()));
    participants.truncate(2 + dice.below(processors.len() - 1));
    let (first, rest) = (participants[0], participants[1..].to_vec());
    let commutative = dice.one_in(2);
    match dice.below(9) {
        0 => Collective::scatter(first, rest),
        1 => Collective::gather(first, rest),
        2 => Collective::all_to_all(participants),
        3 => Collective::broadcast(first, rest),
        4 => Collective::all_gather(participants),
        5 => Collective::reduce(processors[dice.below(processors.len())], participants)
            .commutative(commutative),
        6 => Collective::reduce_scatter(participants).commutative(commutative),
        7 => Collective::all_reduce(participants).commutative(commutative),
        _ => Collective::scan(participants),
    }
}

/// Asks, and has the referee look at the plan once more.
///
/// # Errors
/// A defect of oneport: a contradiction, a plan that the referee refuses, or a wrong optimum.
pub fn ask(nasty: &Nasty, at_most: Duration) -> Result<Fate, String> {
    let started = Instant::now();
    let problem = match Problem::new(&nasty.platform, &nasty.collective, &nasty.volumes) {
        Ok(problem) => problem,
        Err(ProblemError::Unreachable { .. }) => return Ok(Fate::Infeasible),
        // A part that does not fit, such as a processor that cannot copy.
        Err(_) => return Ok(Fate::Refused),
    };
    let left = move || Left {
        time: Some(at_most.saturating_sub(started.elapsed())),
        ..Left::default()
    };
    let watch = if nasty.options.watch.is_unlimited() {
        Watch::new(left)
    } else {
        nasty.options.watch.clone()
    };
    match solve(
        &problem,
        &Options {
            watch,
            ..nasty.options.clone()
        },
    ) {
        Ok(solved) if solved.unwritten.is_none() => {
            let (stated, claim) = (solved.answer.stated(), solved.answer.into_claim());
            let verdict = referee::verify(claim, &stated, &Watch::unlimited())
                .map_err(|violation| format!("refused: {violation}"))?;
            let optimal = verdict.status() == oneport::Status::Optimal;
            Ok(if optimal {
                Fate::Optimal
            } else {
                Fate::Feasible
            })
        }
        Ok(_) => Ok(Fate::Refused),
        // A formulation that a collective does not have.
        Err(Error::Problem(Refusal::Question(
            LpError::NoCompact { .. }
            | LpError::CompactSwitches { .. }
            | LpError::CompactTooLarge { .. }
            | LpError::CompactCommutative,
        ))) => Ok(Fate::Refused),
        Err(Error::Stopped(_)) => Ok(Fate::Refused),
        Err(error) => Err(error.to_string()),
    }
}
