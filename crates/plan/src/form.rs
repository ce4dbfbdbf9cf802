//! The named collectives as data: names, roles, constructors. Readers, writers and commands loop over them.

/// The values that are wanted, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Each target receives a value of its own: of every owner, or of all owners combined.
    Each,
    /// All targets receive the same values.
    All,
    /// Each owner receives the values up to its own, combined.
    Prefix,
}

/// A role that nodes play in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name in files and options: `source`, `targets`.
    pub key: &'static str,
    /// The name of one node of the role in messages: `source`, `target`.
    pub one: &'static str,
    /// Whether several nodes play it.
    pub many: bool,
    /// Whether its nodes own values.
    pub owns: bool,
}

/// The roles and properties of a named collective. Readers, writers and commands need no others.
///
/// | form | owners | wanted at | combined |
/// |---|---|---|---|
/// | scatter, gather, all-to-all | one, each, each | each: its own | no |
/// | broadcast, all-gather | one, each | all: the same | no |
/// | reduce, reduce-scatter | each | each: its own | yes |
/// | all-reduce, reduce-to-several, barrier | each | all: the same | yes |
/// | scan | each | the owner of each prefix | yes |
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// The name used on the command line and in files.
    pub name: &'static str,
    /// One sentence that describes it.
    pub about: &'static str,
    /// The roles: at most one that a single node plays, before the lists.
    pub roles: &'static [Role],
    /// Which target receives which values.
    pub wants: Wants,
    /// Whether values are combined, so that work matters.
    pub combines: bool,
    /// How benchmarks count its bandwidth. `None` if they do not.
    pub traffic: Option<Traffic>,
    /// Whether every demand has a count of its own: the "v" of MPI's names.
    pub counted: bool,
}

impl Form {
    /// The form of this name.
    pub fn find(name: &str) -> Option<&'static Form> {
        FORMS.iter().copied().find(|form| form.name == name)
    }

    /// The form of a name as libraries write it: `AllReduce`, `MPI_Allreduce`, `ncclReduceScatter`, `bcast`,
    /// `alltoall_perf`. Case, dashes and underscores do not count.
    pub fn called(name: &str) -> Option<&'static Form> {
        let bare = letters(name);
        let library = ["mpix", "mpi", "nccl", "rccl"]
            .into_iter()
            .find_map(|library| bare.strip_prefix(library));
        let call = library.unwrap_or(&bare);
        let call = call.strip_suffix("perf").unwrap_or(call);
        // MPI's calls that return at once begin with an i.
        let names = [Some(call), library.and(call.strip_prefix('i'))];
        names.into_iter().flatten().find_map(|call| {
            let other = OTHERS.iter().find(|(other, _)| *other == call);
            let name = other.map_or_else(|| call.to_string(), |(_, name)| letters(name));
            FORMS
                .iter()
                .copied()
                .find(|form| letters(form.name) == name)
        })
    }

    /// The form with a count for every demand. `None` if no form has counts.
    pub fn counted_form(&self) -> Option<&'static Form> {
        let counted =
            |form: &&'static Form| form.counted && form.name.strip_suffix("-v") == Some(self.name);
        if self.counted {
            Form::find(self.name)
        } else {
            FORMS.iter().copied().find(counted)
        }
    }

    /// The form without counts. `None` if it is the form itself.
    pub(crate) fn uncounted_form(&self) -> Option<&'static Form> {
        Form::find(self.name.strip_suffix("-v").filter(|_| self.counted)?)
    }

    /// The first form with the same owners, wants and combination. A pattern that executes that form executes this one.
    /// A barrier is an all-reduce.
    pub fn alike(&'static self) -> &'static Form {
        let facts = |form: &Form| (form.roles, form.wants, form.combines, form.counted);
        FORMS
            .iter()
            .copied()
            .find(|form| facts(form) == facts(self))
            .unwrap_or(self)
    }

    /// Whether its messages may be cut into pieces: a barrier's token is whole.
    pub fn is_cut(&self) -> bool {
        self != Form::BARRIER
    }

    /// Whether the operator may be commutative: prefixes need an order.
    pub fn commutes(&self) -> bool {
        self.combines && self.wants != Wants::Prefix
    }

    /// Whether the order of operands is part of the question: prefixes always have one, a barrier's tokens never.
    pub fn may_keep_order(&self) -> bool {
        self.commutes() && self != Form::BARRIER
    }

    /// Whether every owner has a value for each target: then MPI's input has a block for every rank.
    pub fn input_by_target(&self) -> bool {
        self.wants == Wants::Each
            && self
                .roles
                .iter()
                .any(|role| role.many && (!role.owns || self.is_mutual()))
    }

    /// Whether every target gets a value of each owner: then MPI's output has a block for every rank.
    pub fn output_by_owner(&self) -> bool {
        !self.combines && self.roles.iter().any(|role| role.many && role.owns)
    }

    /// Whether owners and receivers are the same nodes by definition.
    pub fn is_mutual(&self) -> bool {
        self.roles.len() == 1
    }

    /// Whether each of several owners has a value for each of several targets.
    pub fn is_pairwise(&self) -> bool {
        self.input_by_target() && self.output_by_owner()
    }

    /// Whether a node may play both the first role and one of the others. The target of a reduction may own a value,
    /// but a source does not send to itself.
    pub fn overlaps(&self) -> bool {
        self.combines
    }
}

/// Names of MPI and PyTorch that are not ours without their dashes.
const OTHERS: [(&str, &str); 6] = [
    ("bcast", "broadcast"),
    ("reducescatterblock", "reduce-scatter"),
    ("reducescattertensor", "reduce-scatter"),
    ("allgatherintotensor", "all-gather"),
    ("alltoallsingle", "all-to-all"),
    ("prefix", "scan"),
];

/// The name in lower case without dashes, underscores and blanks.
fn letters(name: &str) -> String {
    let counted = name
        .chars()
        .filter(|letter| !matches!(letter, '-' | '_' | ' '));
    counted.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// How benchmarks (nccl-tests) count the bandwidth of a collective among `n` ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Whether the size of an operation is that of `n` messages (one per rank), and not of one.
    pub per_rank: bool,
    /// Bus bandwidth is algorithm bandwidth times `passes (n - 1) / n`. 0 passes: they are the same.
    pub passes: u64,
}

/// One message per rank. Each rank sends or receives all but its own.
const SPREAD: Traffic = Traffic {
    per_rank: true,
    passes: 1,
};
/// One message, which passes every rank once.
const ROOTED: Traffic = Traffic {
    per_rank: false,
    passes: 0,
};
/// One message, reduced and spread again.
const TWICE: Traffic = Traffic {
    per_rank: false,
    passes: 2,
};

const SOURCES: Role = Role {
    key: "sources",
    one: "source",
    many: true,
    owns: true,
};
const SOURCE: Role = Role {
    key: "source",
    one: "source",
    many: false,
    owns: true,
};
const TARGET: Role = Role {
    key: "target",
    one: "target",
    many: false,
    owns: false,
};
const TARGETS: Role = Role {
    key: "targets",
    one: "target",
    many: true,
    owns: false,
};
const PARTICIPANTS: Role = Role {
    key: "participants",
    one: "participant",
    many: true,
    owns: true,
};

const MOVES: bool = false;
const COMBINES: bool = true;

const fn row(
    name: &'static str,
    about: &'static str,
    roles: &'static [Role],
    wants: Wants,
    combines: bool,
    traffic: Option<Traffic>,
) -> Form {
    Form {
        name,
        about,
        roles,
        wants,
        combines,
        traffic,
        counted: false,
    }
}

/// A form whose demands have counts.
const fn counted(name: &'static str, about: &'static str, of: &'static Form) -> Form {
    Form {
        name,
        about,
        traffic: None,
        counted: true,
        ..*of
    }
}

/// The rows.
#[rustfmt::skip]
impl Form {
    /// The source sends a distinct message to each target.
    pub const SCATTER: &'static Form = &row("scatter", "The source sends a distinct message to each target", &[SOURCE, TARGETS], Wants::Each, MOVES, Some(SPREAD));
    /// Each participant sends a distinct message to the target.
    pub const GATHER: &'static Form = &row("gather", "Each participant sends a distinct message to the target", &[TARGET, PARTICIPANTS], Wants::Each, MOVES, Some(SPREAD));
    /// Each participant sends a distinct message to each other participant.
    pub const ALL_TO_ALL: &'static Form = &row("all-to-all", "Each participant sends a distinct message to each other participant", &[PARTICIPANTS], Wants::Each, MOVES, Some(SPREAD));
    /// Each source sends a distinct message to each target.
    pub const SOURCES_TO_TARGETS: &'static Form = &row("sources-to-targets", "Each source sends a distinct message to each target", &[SOURCES, TARGETS], Wants::Each, MOVES, None);
    /// The participants' values are combined into one at the target.
    pub const REDUCE: &'static Form = &row("reduce", "The participants' values are combined into one at the target", &[TARGET, PARTICIPANTS], Wants::Each, COMBINES, Some(ROOTED));
    /// One reduction per participant, with the result at that participant.
    pub const REDUCE_SCATTER: &'static Form = &row("reduce-scatter", "One reduction per participant, with the result at that participant", &[PARTICIPANTS], Wants::Each, COMBINES, Some(SPREAD));
    /// The source's message is copied to all targets.
    pub const BROADCAST: &'static Form = &row("broadcast", "The source's message is copied to all targets", &[SOURCE, TARGETS], Wants::All, MOVES, Some(ROOTED));
    /// Each participant's message is copied to all others.
    pub const ALL_GATHER: &'static Form = &row("all-gather", "Each participant's message is copied to all others", &[PARTICIPANTS], Wants::All, MOVES, Some(SPREAD));
    /// The participants' values are combined into one, which all receive.
    pub const ALL_REDUCE: &'static Form = &row("all-reduce", "The participants' values are combined into one, which all receive", &[PARTICIPANTS], Wants::All, COMBINES, Some(TWICE));
    /// The participants' values are combined into one, which every target receives.
    pub const REDUCE_TO_SEVERAL: &'static Form = &row("reduce-to-several", "The participants' values are combined into one, which every target receives", &[TARGETS, PARTICIPANTS], Wants::All, COMBINES, None);
    /// Parallel prefix: each participant receives the values up to its own, combined.
    pub const SCAN: &'static Form = &row("scan", "Parallel prefix: each participant receives the values up to its own, combined", &[PARTICIPANTS], Wants::Prefix, COMBINES, None);
    /// No participant goes on before all have come: an all-reduce of a token.
    pub const BARRIER: &'static Form = &row("barrier", "No participant goes on before all have come: an all-reduce of a token", &[PARTICIPANTS], Wants::All, COMBINES, None);
    /// Scatter of a number of messages for each target.
    pub const SCATTER_V: &'static Form = &counted("scatter-v", "Scatter of a number of messages for each target", Form::SCATTER);
    /// Gather of a number of messages from each participant.
    pub const GATHER_V: &'static Form = &counted("gather-v", "Gather of a number of messages from each participant", Form::GATHER);
    /// All-to-all of a number of messages for each pair of participants.
    pub const ALL_TO_ALL_V: &'static Form = &counted("all-to-all-v", "All-to-all of a number of messages for each pair of participants", Form::ALL_TO_ALL);
    /// Reduce-scatter of a number of reductions for each participant.
    pub const REDUCE_SCATTER_V: &'static Form = &counted("reduce-scatter-v", "Reduce-scatter of a number of reductions for each participant", Form::REDUCE_SCATTER);
    /// All-gather of a number of messages of each participant.
    pub const ALL_GATHER_V: &'static Form = &counted("all-gather-v", "All-gather of a number of messages of each participant", Form::ALL_GATHER);
}

/// The named collectives.
pub(crate) static FORMS: [&Form; 17] = [
    Form::SCATTER,
    Form::GATHER,
    Form::ALL_TO_ALL,
    Form::SOURCES_TO_TARGETS,
    Form::REDUCE,
    Form::REDUCE_SCATTER,
    Form::BROADCAST,
    Form::ALL_GATHER,
    Form::ALL_REDUCE,
    Form::REDUCE_TO_SEVERAL,
    Form::SCAN,
    Form::BARRIER,
    Form::SCATTER_V,
    Form::GATHER_V,
    Form::ALL_TO_ALL_V,
    Form::REDUCE_SCATTER_V,
    Form::ALL_GATHER_V,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_libraries_write_them() {
        for (text, name) in [
            ("allreduce", "all-reduce"),
            ("AllReduce", "all-reduce"),
            ("MPI_Allreduce", "all-reduce"),
            ("MPI_Iallreduce", "all-reduce"),
            ("ncclAllReduce", "all-reduce"),
            ("all_reduce_perf", "all-reduce"),
            ("bcast", "broadcast"),
            ("MPI_Ibcast", "broadcast"),
            ("alltoall", "all-to-all"),
            ("MPI_Alltoallv", "all-to-all-v"),
            ("all_gather_into_tensor", "all-gather"),
            ("MPI_Reduce_scatter_block", "reduce-scatter"),
            ("Exscan", ""),
            ("iallreduce", ""),
            ("", ""),
            ("mpi", ""),
            ("box.toml", ""),
        ] {
            let found = Form::called(text).map_or("", |form| form.name);
            assert_eq!(found, name, "{text}");
        }
        for form in FORMS {
            assert_eq!(Form::called(form.name), Some(form));
        }
    }
}
