//! What can be wrong with a plan or a timeline.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_plan::{CollectiveError, Interval, VolumeError};
use oneport_platform::Rational;
use oneport_watch::Limit;

use crate::arithmetic::is_sound;
use crate::{CopyFault, ProofFault, ReductionFault};

/// Numbers of more bits are shown by their magnitude.
const SHOWN_BITS: u64 = 200;

/// A broken rule: where, what was found, and what would be right. Nodes, links and messages go by their names;
/// numbers count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    // The question.
    /// A collective that does not fit the platform.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// Sizes or work that do not fit the collective.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// A size or an amount of work over zero or less.
    #[error("the {what} {} is no number; give it a positive denominator", shown(.found))]
    NoNumber {
        /// "size" or "work".
        what: &'static str,
        /// The value.
        found: Box<Rational>,
    },
    /// Numbers that share so little that they cannot be written over one denominator.
    #[error(
        "the common denominator of {what} has at least {bits} bits; at most {limit} fit in memory (use fewer different denominators)"
    )]
    TooLarge {
        /// Which numbers.
        what: &'static str,
        /// Bits of the common denominator so far.
        bits: u64,
        /// Most bits accepted.
        limit: u64,
    },
    /// A link id outside the platform.
    #[error("{place}: link id {id} does not exist; the platform has {links} links, numbered from 0")]
    UnknownLink {
        /// Where it stands.
        place: String,
        /// The id's number.
        id: usize,
        /// How many links there are.
        links: usize,
    },
    /// A commodity or reduction number outside the collective.
    #[error("{place}: commodity {commodity} does not exist; an instance has {commodities}, numbered from 0")]
    UnknownCommodity {
        /// Where it stands.
        place: String,
        /// The number.
        commodity: usize,
        /// How many commodities there are.
        commodities: usize,
    },

    // The certificate.
    /// A price, an odd set or a cut that is not as it should be.
    #[error(transparent)]
    Proof(#[from] ProofFault),
    /// A certificate that takes too much memory to check.
    #[error(
        "{operands} operands on {processors} processors make {states} partial results and places; at most {limit} fit in memory"
    )]
    TooManyStates {
        /// How many operands.
        operands: usize,
        /// How many processors.
        processors: usize,
        /// Partial results times processors.
        states: u128,
        /// Most accepted.
        limit: u128,
    },
    /// A commodity that no path carries: there is no bound because there is no schedule.
    #[error("no path leads from '{from}' to '{target}'; every source must reach its targets")]
    Unreachable {
        /// The commodity's source.
        from: String,
        /// Its target.
        target: String,
    },
    /// Prices under which everything is free.
    #[error(
        "the {prices} prices make every cheapest pattern free, which proves nothing; some commodity must have to pay"
    )]
    NoBound {
        /// How many prices there are.
        prices: usize,
    },

    // Patterns.
    /// A rule of sending and copying.
    #[error("{place}: {fault}")]
    Copy {
        /// Which pattern and task, or which demand of which instance.
        place: String,
        /// The rule.
        fault: Box<CopyFault>,
    },
    /// A rule of reductions.
    #[error("{place}: {fault}")]
    Reduction {
        /// Which tree and task, or which merge.
        place: String,
        /// The rule.
        fault: ReductionFault,
    },
    /// A path, or a reduction tree, that does not end at its target.
    #[error("{pattern} ({commodity}) ends at '{node}'; it must end at the target")]
    WrongEnd {
        /// Which pattern.
        pattern: String,
        /// "source=>target".
        commodity: String,
        /// Where it ends.
        node: String,
    },

    // The steady state.
    /// A throughput that is not positive.
    #[error("the throughput is {}; it must be positive", shown(.found))]
    BadThroughput {
        /// The throughput.
        found: Box<Rational>,
    },
    /// A weight that is not positive.
    #[error("{pattern} ({commodity}) has weight {}; a weight must be positive", shown(.found))]
    BadWeight {
        /// Which pattern.
        pattern: String,
        /// "source=>target".
        commodity: String,
        /// The weight.
        found: Box<Rational>,
    },
    /// A pattern listed after one of a later commodity.
    #[error("{pattern} ({commodity}) follows one of {previous}; sort patterns by commodity")]
    PatternOrder {
        /// Which pattern.
        pattern: String,
        /// "source=>target".
        commodity: String,
        /// The commodity before it.
        previous: String,
    },
    /// Weights that do not add up.
    #[error("the weights of {commodity} add up to {}; they must add up to {}the throughput, {}", shown(.found), times_name(*.times), shown(.throughput))]
    CommodityRate {
        /// "source=>target".
        commodity: String,
        /// The sum.
        found: Box<Rational>,
        /// How often it is carried out per instance.
        times: u64,
        /// Instances per unit of time.
        throughput: Box<Rational>,
    },
    /// A port, link or processor busy for more than it can be.
    #[error("the {resource} is busy for {} of the time; at most {capacity} is possible", shown(.load))]
    Overload {
        /// "send port of 'a'", "link 'a -> b'".
        resource: String,
        /// Fraction of the time.
        load: Box<Rational>,
        /// How many transfers or merges it serves at a time.
        capacity: u32,
    },
    /// Links that no sequence of slots can keep busy for as long as they should be.
    #[error(
        "{links} links among {} are busy for {} of the time together; at most {capacity} of them can be busy at a time",
        first_of(.ports), shown(.load)
    )]
    OddSetOverload {
        /// The ports.
        ports: Vec<String>,
        /// How many links.
        links: usize,
        /// Fraction of the time, all links together.
        load: Box<Rational>,
        /// Half of what ports and further links offer, rounded down.
        capacity: u64,
    },

    // The schedule.
    /// A period that is not positive.
    #[error("the period is {}; it must be positive", shown(.found))]
    BadPeriod {
        /// The period.
        found: Box<Rational>,
    },
    /// A schedule that starts nothing.
    #[error("the schedule starts 0 instances per period; at least 1 is needed")]
    NoInstances,
    /// A pattern without copies.
    #[error("{pattern} ({commodity}) has 0 copies; leave it out, or start at least 1")]
    NoCopies {
        /// Which pattern.
        pattern: String,
        /// "source=>target".
        commodity: String,
    },
    /// Copies that do not add up.
    #[error("the copies of {commodity} add up to {found}; the schedule starts {}{instances} instances per period", times_name(*.times))]
    CommodityCopies {
        /// "source=>target".
        commodity: String,
        /// The sum.
        found: Box<BigUint>,
        /// How often it is carried out per instance.
        times: u64,
        /// Instances per period.
        instances: Box<BigUint>,
    },
    /// A slot whose length is not positive.
    #[error("slot {slot} has length {}; it must be positive", shown(.found))]
    BadSlotLength {
        /// Its number, from 0.
        slot: usize,
        /// Its length.
        found: Box<Rational>,
    },
    /// Links of a slot out of order, or one listed twice.
    #[error("slot {slot}: {link} follows {previous}; list links by id, each once")]
    SlotOrder {
        /// Its number, from 0.
        slot: usize,
        /// The link.
        link: String,
        /// The link before it.
        previous: String,
    },
    /// Two links of a slot that need the same port.
    #[error("slot {slot}: {first} and {second} both need the {resource}; it serves one at a time")]
    SlotPort {
        /// Its number, from 0.
        slot: usize,
        /// "send port of 'a'".
        resource: String,
        /// One link.
        first: String,
        /// The other link.
        second: String,
    },
    /// More links of a slot than a port serves.
    #[error("slot {slot}: {link} is one link too many for the {resource}; it serves {capacity} at a time")]
    SlotPorts {
        /// Its number, from 0.
        slot: usize,
        /// "send port of 'a'".
        resource: String,
        /// The link that does not fit.
        link: String,
        /// How many it serves at a time.
        capacity: u32,
    },
    /// Slots that do not fit in the period.
    #[error("the slots last {} together; the period is {}", shown(.total), shown(.period))]
    SlotsTooLong {
        /// Sum of the lengths.
        total: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },
    /// A link whose slots do not last as long as its messages take.
    #[error("the slots of {link} last {} per period; its messages take {}", shown(.found), shown(.needed))]
    LinkTime {
        /// The link.
        link: String,
        /// Sum of the lengths of its slots.
        found: Box<Rational>,
        /// copies * size * cost.
        needed: Box<Rational>,
    },

    /// Merges that do not fit in the period.
    #[error("the merges at '{node}' take {} per period; the period is {}", shown(.found), shown(.period))]
    MergesTooLong {
        /// The processor.
        node: String,
        /// Sum of copies * work * compute.
        found: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },

    // The plan.
    /// No fault of the plan: the check itself was ended.
    #[error("{0} ended the check before the bound was recomputed; allow more")]
    Stopped(#[from] Limit),
    /// An upper bound that the certificate does not prove.
    #[error("the plan states the upper bound {}; the certificate proves {}", shown(.stated), shown(.proved))]
    BoundDiffers {
        /// The plan's upper bound.
        stated: Box<Rational>,
        /// What the prices prove.
        proved: Box<Rational>,
    },
    /// A rate above the bound: impossible unless the referee errs.
    #[error("the throughput of the {what} is {}, above the proved bound {}; please report this", shown(.throughput), shown(.bound))]
    AboveBound {
        /// "steady state" or "schedule".
        what: &'static str,
        /// Its throughput.
        throughput: Box<Rational>,
        /// The bound.
        bound: Box<Rational>,
    },
    /// A status that the proof does not bear out.
    #[error("the status is {stated}; with throughput {} and bound {} it must be {right}", shown(.throughput), shown(.bound))]
    WrongStatus {
        /// The plan's status.
        stated: &'static str,
        /// The right one.
        right: &'static str,
        /// Of the steady state.
        throughput: Box<Rational>,
        /// Proved by the certificate.
        bound: Box<Rational>,
    },

    // The timeline.
    /// A run that starts nothing.
    #[error(
        "{starting_periods} starting periods of {instances_per_period} instances start nothing; both must be positive"
    )]
    EmptyRun {
        /// Number of starting periods.
        starting_periods: u64,
        /// Instances in each.
        instances_per_period: u64,
    },
    /// An event or a merge of an instance that is not started.
    #[error("{place} belongs to instance {instance}; {started} instances are started, numbered from 0")]
    UnknownInstance {
        /// "event" or "merge", and its place in the list, from 0.
        place: String,
        /// The number.
        instance: u64,
        /// How many there are.
        started: u128,
    },
    /// An event without dates.
    #[error("event {event} ({message} over {link}) has no pieces; a transfer takes time")]
    NoPieces {
        /// Its place in the list, from 0.
        event: usize,
        /// What travels.
        message: String,
        /// The link.
        link: String,
    },
    /// A date before the start of the run.
    #[error("{message} over {link}: date {}; dates start at 0", shown(.found))]
    BadDate {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// The date.
        found: Box<Rational>,
    },
    /// A piece that is empty, reversed, or starts before the previous one ends.
    #[error("event {event} ({message} over {link}): piece from {} to {} after one that ends at {}; pieces must be positive, ascending and disjoint", shown(.start), shown(.end), shown(.previous))]
    PieceOrder {
        /// Its place in the list, from 0.
        event: usize,
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// Start of the piece.
        start: Box<Rational>,
        /// Its end.
        end: Box<Rational>,
        /// End of the piece before it; 0 if none.
        previous: Box<Rational>,
    },
    /// A transfer after the end of the run.
    #[error("{message} over {link} ends at {}; the run ends at {}", shown(.end), shown(.horizon))]
    AfterHorizon {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// End of the transfer.
        end: Box<Rational>,
        /// End of the run.
        horizon: Box<Rational>,
    },
    /// A transfer that takes too long or too short.
    #[error("event {event} ({message} over {link}) takes {}; the transfer takes {}", shown(.found), shown(.needed))]
    EventTime {
        /// Its place in the list, from 0.
        event: usize,
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// Sum of its pieces.
        found: Box<Rational>,
        /// size * cost.
        needed: Box<Rational>,
    },
    /// More transfers at one port, or merges at one processor, than it serves at a time.
    #[error("the {resource} starts {second} at {}, while {first} lasts until {}; it serves {} at a time", shown(.start), shown(.end), count_name(*.capacity))]
    Overlap {
        /// "send port of 'a'", "link 'a -> b'", "processor of 'a'".
        resource: String,
        /// A transfer that is under way.
        first: String,
        /// The one that starts before it ends.
        second: String,
        /// Start of the second.
        start: Box<Rational>,
        /// End of the first.
        end: Box<Rational>,
        /// How many it serves at a time.
        capacity: u32,
    },
    /// A message sent from a node that does not hold it.
    #[error("{message} starts over {link} at {}, but '{holder}' holds it then, or is about to", shown(.start))]
    NotThere {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// Start of the transfer.
        start: Box<Rational>,
        /// Where the message is, or is on its way to.
        holder: String,
    },
    /// A message sent on before it has arrived.
    #[error("{message} starts over {link} at {}, but arrives at '{node}' only at {}", shown(.start), shown(.arrival))]
    NotArrived {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// Start of the transfer.
        start: Box<Rational>,
        /// The sending node.
        node: String,
        /// When the message arrives there.
        arrival: Box<Rational>,
    },
    /// A message that comes to a node again.
    #[error("{message} comes over {link} to '{node}', where it has been before; deliver it once")]
    DeliveredTwice {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// The node.
        node: String,
    },
    /// A message sent on from its target.
    #[error("{message} starts over {link} at {}, after its arrival at its target '{target}'", shown(.start))]
    LeavesTarget {
        /// What travels.
        message: String,
        /// The link.
        link: String,
        /// Start of the transfer.
        start: Box<Rational>,
        /// The target.
        target: String,
    },
    /// A message of a started instance that never arrives.
    #[error("{message} gets no further than '{node}'; it must arrive at '{target}'")]
    Undelivered {
        /// Which message.
        message: String,
        /// Where it stays.
        node: String,
        /// Its target.
        target: String,
    },
    /// An instance that starts outside its starting period.
    #[error("instance {instance} starts at {}; it belongs to period {period}, from {} until before {}", shown(.found), shown(.from), shown(.until))]
    StartPeriod {
        /// The instance.
        instance: u64,
        /// Its starting period: instance / instances per period.
        period: u64,
        /// Start of its first transfer or merge.
        found: Box<Rational>,
        /// Start of the period.
        from: Box<Rational>,
        /// Its end.
        until: Box<Rational>,
    },
    /// Clean-up periods after the last arrival.
    #[error("{stated} clean-up periods, but the last message arrives at {}; {right} are enough", shown(.last))]
    IdleCleanUp {
        /// Clean-up periods stated.
        stated: u64,
        /// How many are needed.
        right: u64,
        /// The last arrival.
        last: Box<Rational>,
    },
}

/// Nothing for once, else "3 times ".
fn times_name(times: u64) -> String {
    if times == 1 { String::new() } else { format!("{times} times ") }
}

/// All of them, or the first and how many more there are.
fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 5;
    match names.get(..SHOWN) {
        Some(first) if names.len() > SHOWN + 1 => format!("{} and {} more", first.join(", "), names.len() - SHOWN),
        _ => names.join(", "),
    }
}

/// "one", or the number.
fn count_name(capacity: u32) -> String {
    if capacity == 1 { "one".to_string() } else { capacity.to_string() }
}

/// `v[k,m]`.
pub(crate) fn part_name(part: &Interval) -> String {
    format!("v[{},{}]", part.first, part.last)
}

/// The number itself, or its magnitude when it is too long for a message.
pub(crate) fn shown(value: &Rational) -> String {
    let bits = value.numer().bits() + value.denom().bits();
    if bits <= SHOWN_BITS || !is_sound(value) {
        return value.to_string();
    }
    // The float is for the reader only.
    match value.to_f64().filter(|about| about.is_finite()) {
        Some(about) => format!("about {about:e} (a fraction of {bits} bits)"),
        None => format!("a fraction of {bits} bits"),
    }
}
