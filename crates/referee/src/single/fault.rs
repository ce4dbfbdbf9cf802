//! What can be wrong with a single reduction or broadcast, or with the claim that none is shorter.

use oneport_platform::Rational;

use crate::violation::shown;

/// A broken rule of a [`Reduction`], a [`Broadcast`] or a [`Shortest`]. Processors and operands count from 0.
///
/// [`Reduction`]: oneport_plan::Reduction
/// [`Broadcast`]: oneport_plan::Broadcast
/// [`Shortest`]: oneport_plan::Shortest
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SingleFault {
    // Shape.
    /// No processor at all.
    #[error("there is no processor; a schedule has at least one, its root")]
    Empty,
    /// More processors than ids.
    #[error("there are {processors} processors; at most {limit} can be numbered")]
    TooMany {
        /// How many there are.
        processors: usize,
        /// Most accepted.
        limit: u32,
    },
    /// A list of the wrong length.
    #[error("the list of {list} has {found} entries; give one for each of the {processors} processors")]
    ListLength {
        /// Which list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// How many processors there are.
        processors: usize,
    },
    /// A list that the cost model needs.
    #[error("the list of {list} is missing; with equal costs every transfer needs its date there")]
    ListMissing {
        /// Which list.
        list: &'static str,
    },
    /// A list that the cost model has no use for.
    #[error("there is a list of {list}, but with a cost per sender they are part of the transfer; leave it out")]
    ListUnused {
        /// Which list.
        list: &'static str,
    },
    /// A number that is negative, or no number.
    #[error("the {what} is {}; it must be {right}", shown(.found))]
    BadNumber {
        /// Which number, with its processor.
        what: String,
        /// The value.
        found: Box<Rational>,
        /// "at least 0" or "positive".
        right: &'static str,
    },
    /// Numbers that share so little that they cannot be written over one denominator.
    #[error(
        "the common denominator of the costs and dates has at least {bits} bits; at most {limit} fit in memory (use fewer different denominators)"
    )]
    TooLarge {
        /// Bits of the common denominator so far.
        bits: u64,
        /// Most bits accepted.
        limit: u64,
    },
    /// A root that does not exist.
    #[error("the root is processor {root}; there are {processors} processors, numbered from 0")]
    RootRange {
        /// The id.
        root: u32,
        /// How many processors there are.
        processors: usize,
    },
    /// A receiver or sender that does not exist.
    #[error("the {role} of processor {processor} is processor {found}; there are {processors}, numbered from 0")]
    PartnerRange {
        /// "receiver" or "sender".
        role: &'static str,
        /// Whose.
        processor: usize,
        /// The id.
        found: u32,
        /// How many processors there are.
        processors: usize,
    },
    /// A root with a receiver or sender.
    #[error("the {role} of the root, processor {root}, is processor {found}; the root is its own {role}")]
    RootPartner {
        /// "receiver" or "sender".
        role: &'static str,
        /// The root.
        root: u32,
        /// The id.
        found: u32,
    },
    /// A root with dates of its own.
    #[error("the root, processor {root}, has {} in the list of {list}; it must be 0", shown(.found))]
    RootDate {
        /// The root.
        root: u32,
        /// Which list.
        list: &'static str,
        /// The date.
        found: Box<Rational>,
    },
    /// Processors that go round in a circle.
    #[error("processor {processor} is its own {role} by a circle; all {role}s must lead to the root, processor {root}")]
    Cycle {
        /// A processor on the circle.
        processor: usize,
        /// "receiver" or "sender".
        role: &'static str,
        /// The root.
        root: u32,
    },

    // Dates of a reduction.
    /// A transfer that starts before its value is complete.
    #[error("processor {processor} sends at {}, but its value is complete only at {}", shown(.start), shown(.complete))]
    SentIncomplete {
        /// The sender.
        processor: usize,
        /// Start of the transfer.
        start: Box<Rational>,
        /// When the value is complete.
        complete: Box<Rational>,
    },
    /// Two transfers at one processor at once.
    #[error(
        "processor {processor} takes part in two transfers at once: that {way} processor {second} starts at {}, that {way} processor {first} lasts until {}",
        shown(.start),
        shown(.end)
    )]
    TransfersOverlap {
        /// Where.
        processor: usize,
        /// "from" or "to".
        way: &'static str,
        /// The partner of the earlier transfer.
        first: usize,
        /// When that one ends.
        end: Box<Rational>,
        /// The partner of the later transfer.
        second: usize,
        /// When that one starts.
        start: Box<Rational>,
    },
    /// A merge before its operand has arrived.
    #[error(
        "processor {receiver} merges the value of processor {sender} at {}, but that arrives only at {}",
        shown(.start),
        shown(.arrival)
    )]
    MergedBeforeArrival {
        /// Where.
        receiver: usize,
        /// Whose value.
        sender: usize,
        /// Start of the merge.
        start: Box<Rational>,
        /// End of the transfer.
        arrival: Box<Rational>,
    },
    /// A merge before the receiver's own value is there.
    #[error(
        "processor {receiver} merges the value of processor {sender} at {}, but its own value is there only from {}",
        shown(.start),
        shown(.ready)
    )]
    MergedBeforeReady {
        /// Where.
        receiver: usize,
        /// Whose value.
        sender: usize,
        /// Start of the merge.
        start: Box<Rational>,
        /// When the own value is there.
        ready: Box<Rational>,
    },
    /// Two merges at one processor at once.
    #[error(
        "processor {receiver} runs two merges at once: that of processor {second}'s value starts at {}, that of processor {first}'s lasts until {}",
        shown(.start),
        shown(.end)
    )]
    MergesOverlap {
        /// Where.
        receiver: usize,
        /// Whose value is merged earlier.
        first: usize,
        /// When that merge ends.
        end: Box<Rational>,
        /// Whose value is merged later.
        second: usize,
        /// When that merge starts.
        start: Box<Rational>,
    },
    /// A merge of values that are not neighbours.
    #[error(
        "processor {receiver} holds {held} when it merges {received} from processor {sender}; only neighbours may be merged, the operands keep their order"
    )]
    NotNeighbours {
        /// Where.
        receiver: usize,
        /// Whose value.
        sender: usize,
        /// The operands held.
        held: String,
        /// The operands received.
        received: String,
    },
    /// A result that is not the product of all operands in their order.
    #[error("the result combines {found}; it must combine {right}")]
    WrongResult {
        /// The operands.
        found: String,
        /// What would be right.
        right: String,
    },

    // Dates of a broadcast.
    /// A preparation, or a transfer without one, before the message is there.
    #[error(
        "processor {sender} {what} the transfer to processor {receiver} at {}, but has the message only from {}",
        shown(.start),
        shown(.held)
    )]
    NotHeld {
        /// The sender.
        sender: usize,
        /// "prepares" or "starts".
        what: &'static str,
        /// The receiver.
        receiver: usize,
        /// When.
        start: Box<Rational>,
        /// When the sender has the message.
        held: Box<Rational>,
    },
    /// A transfer before it is prepared.
    #[error(
        "processor {sender} starts the transfer to processor {receiver} at {}, but it is prepared only at {}",
        shown(.start),
        shown(.prepared)
    )]
    NotPrepared {
        /// The sender.
        sender: usize,
        /// The receiver.
        receiver: usize,
        /// Start of the transfer.
        start: Box<Rational>,
        /// End of the preparation.
        prepared: Box<Rational>,
    },
    /// Two preparations at one processor at once.
    #[error(
        "processor {sender} prepares two transfers at once: that to processor {second} from {} on, that to processor {first} until {}",
        shown(.start),
        shown(.end)
    )]
    PreparationsOverlap {
        /// Where.
        sender: usize,
        /// The receiver prepared for earlier.
        first: usize,
        /// When that preparation ends.
        end: Box<Rational>,
        /// The receiver prepared for later.
        second: usize,
        /// When that preparation starts.
        start: Box<Rational>,
    },

    // Limits and length.
    /// More transfers at once than allowed.
    #[error("at {} there are {found} transfers at once; at most {limit} are allowed", shown(.date))]
    TooManyTransfers {
        /// When.
        date: Box<Rational>,
        /// How many there are.
        found: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// More processors that merge (that send, in a broadcast) than allowed.
    #[error("{found} processors {act}; at most {limit} may")]
    TooManyReducers {
        /// "receive" or "send".
        act: &'static str,
        /// How many do.
        found: u64,
        /// How many may.
        limit: u64,
    },
    /// A length that is not the end of the schedule.
    #[error("the length is given as {}; the schedule ends at {}", shown(.found), shown(.right))]
    WrongLength {
        /// The length given.
        found: Box<Rational>,
        /// The end.
        right: Box<Rational>,
    },

    // The question.
    /// No value to reduce.
    #[error("there are 0 values; give at least 1")]
    NoValues,
    /// A limit that nothing can be done under.
    #[error("the limit is 0 {what}; with more than one value allow at least 1")]
    ZeroLimit {
        /// "transfers" or "reducers".
        what: &'static str,
    },
    /// An empty class.
    #[error("class {class} has 0 senders; leave it out")]
    EmptyClass {
        /// The class, from 0.
        class: usize,
    },
    /// Classes out of order.
    #[error(
        "class {class} takes {}, the class before it {}; list the classes fastest first, each time once",
        shown(.time),
        shown(.before)
    )]
    ClassOrder {
        /// The class, from 0.
        class: usize,
        /// Its time.
        time: Box<Rational>,
        /// The time of the class before it.
        before: Box<Rational>,
    },

    // The answer.
    /// A schedule for something else.
    #[error("the schedule does not answer the question: {what} {found}, not {right}")]
    OtherQuestion {
        /// What differs.
        what: String,
        /// What the schedule has.
        found: String,
        /// What the question asks for.
        right: String,
    },
    /// A length that the schedule does not have.
    #[error("the length is given as {}, but the schedule's is {}", shown(.found), shown(.right))]
    OtherLength {
        /// The length given.
        found: Box<Rational>,
        /// The schedule's.
        right: Box<Rational>,
    },
    /// A bound that contradicts the schedule.
    #[error("the lower bound {} exceeds the length {}", shown(.bound), shown(.length))]
    BoundAboveLength {
        /// The bound.
        bound: Box<Rational>,
        /// The length.
        length: Box<Rational>,
    },
    /// A kind of proof that does not fit the question.
    #[error("a proof by {proof} needs {needs}")]
    ProofKind {
        /// The kind.
        proof: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// Dates of prices that do not ascend.
    #[error(
        "price {place} is for date {}, the one before it for {}; list the dates ascending, each once, from 0 on",
        shown(.date),
        shown(.before)
    )]
    PriceOrder {
        /// The price, from 0.
        place: usize,
        /// Its date.
        date: Box<Rational>,
        /// The date before.
        before: Box<Rational>,
    },
    /// A proof that proves less than the bound.
    #[error("the lower bound {} is not proved: {why}", shown(.bound))]
    NotProved {
        /// The bound.
        bound: Box<Rational>,
        /// What the proof shows.
        why: String,
    },
}

/// A number or date that must not be negative.
pub(super) fn bad_number(what: String, found: &Rational, right: &'static str) -> SingleFault {
    SingleFault::BadNumber { what, found: Box::new(found.clone()), right }
}
