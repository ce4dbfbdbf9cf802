//! Collectives: the values that one instance of the operation must bring to nodes.
//!
//! A named collective is a row of the table of [forms](crate::Form) among nodes. Its demands follow from the row. No
//! code matches on names. All other code uses [demands](Collective::demand), for [blocks](Collective::blocks) of
//! demands of one [`Kind`](crate::Kind), or for the [roles](crate::Form::roles) that nodes play.

use std::fmt;
use std::sync::Arc;

use num_integer::Integer;
use oneport_platform::NodeId;

use crate::collective_error::CollectiveError;
use crate::demand::{CustomDemand, Demand};
use crate::form::{FORMS, Form};
use crate::named::Named;

/// A collective operation on named participants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collective {
    /// A row of the table among nodes.
    Named(Named),
    /// Several collectives at once on one platform (process groups). None of them is itself a list of groups.
    Groups(Vec<Member>),
    /// Any list of demands, in the order in which patterns name them.
    Custom(Vec<CustomDemand>),
}

/// One of several collectives that run side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The collective of the group.
    pub collective: Collective,
    /// Instances per instance of the whole. Positive.
    pub rate: u64,
}

impl fmt::Display for Collective {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Clones, because [`Problem::new`](crate::Problem::new) owns its parts.
impl From<&Collective> for Arc<Collective> {
    fn from(collective: &Collective) -> Self {
        Arc::new(collective.clone())
    }
}

/// Constructors. Operands may be combined in any order ([`in_order`](Collective::in_order) keeps theirs).
impl Collective {
    /// The source sends a distinct message to each target (RR-4872 section 3).
    pub fn scatter(source: NodeId, targets: Vec<NodeId>) -> Collective {
        Collective::of(Form::SCATTER, vec![source], targets)
    }

    /// Each participant sends a distinct message to the target. Scatter on the reversed graph.
    pub fn gather(target: NodeId, participants: Vec<NodeId>) -> Collective {
        Collective::of(Form::GATHER, participants, vec![target])
    }

    /// Personalised all-to-all, the "gossip" of RR-4872 section 3.5: each participant sends a distinct message to each
    /// other participant.
    pub fn all_to_all(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::ALL_TO_ALL, participants)
    }

    /// Personalised all-to-all of sources and targets (RR-4872 section 3.5 with `S` and `T`, and RR-2004-32, definition
    /// 8): each source sends a distinct message to each target but itself. Nodes that are both come to stand first in
    /// both lists.
    pub fn sources_to_targets(sources: Vec<NodeId>, targets: Vec<NodeId>) -> Collective {
        Collective::of(Form::SOURCES_TO_TARGETS, sources, targets)
    }

    /// The participants' values are combined into one at the target, a participant or not (RR-4872 section 4).
    pub fn reduce(target: NodeId, participants: Vec<NodeId>) -> Collective {
        Collective::of(Form::REDUCE, participants, vec![target])
    }

    /// One reduction per participant, each of separate values, with the result at that participant.
    pub fn reduce_scatter(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::REDUCE_SCATTER, participants)
    }

    /// The source's message is copied to all targets (RR-2004-32 section 3).
    pub fn broadcast(source: NodeId, targets: Vec<NodeId>) -> Collective {
        Collective::of(Form::BROADCAST, vec![source], targets)
    }

    /// Each participant's message is copied to all others: the "total exchange" of RR-2004-32 section 4.2.
    pub fn all_gather(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::ALL_GATHER, participants)
    }

    /// The participants' values are combined into one, which every participant receives.
    pub fn all_reduce(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::ALL_REDUCE, participants)
    }

    /// The participants' values are combined into one, which every target receives. Targets may be participants.
    pub fn reduce_to_several(targets: Vec<NodeId>, participants: Vec<NodeId>) -> Collective {
        Collective::of(Form::REDUCE_TO_SEVERAL, participants, targets)
    }

    /// Parallel prefix: participant `i` receives the combination of the values `0..=i`.
    pub fn scan(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::SCAN, participants)
    }

    /// No participant goes on before all have come: an all-reduce of a token.
    pub fn barrier(participants: Vec<NodeId>) -> Collective {
        Collective::mutual(Form::BARRIER, participants)
    }

    fn of(form: &'static Form, owners: Vec<NodeId>, targets: Vec<NodeId>) -> Collective {
        Collective::Named(Named::new(form, owners, targets))
    }

    fn mutual(form: &'static Form, participants: Vec<NodeId>) -> Collective {
        Collective::of(form, participants.clone(), participants)
    }

    /// This collective with values combined in the order of their owners, for an operator that is associative but not
    /// commutative. Groups, custom demands and a barrier (its tokens have no order) stay.
    pub fn in_order(self) -> Collective {
        self.commutative(false)
    }

    /// This collective with values combined in any order or in the order of their owners. Groups and custom demands
    /// stay, and so do forms that leave no choice ([`Form::may_keep_order`]).
    pub fn commutative(self, any_order: bool) -> Collective {
        match self {
            Collective::Named(named) => Collective::Named(named.commutative(any_order)),
            listed => listed,
        }
    }
}

impl Collective {
    /// This collective with a count for every demand, "v" in MPI's names: its number of messages (or reductions) of the
    /// common size. Demands of count 0 are left out.
    ///
    /// # Errors
    /// If the collective has no counted form, if there is not one count for each demand, or if all are 0.
    pub fn with_counts(self, counts: &[u64]) -> Result<Collective, CollectiveError> {
        let (name, listed) = (self.name(), || CollectiveError::Uncounted {
            collective: self.name(),
        });
        let named = self.named().ok_or_else(listed)?.clone();
        match named.form().counted_form() {
            None => Err(listed()),
            Some(_) if counts.len() != named.uncounted() => Err(CollectiveError::Counts {
                collective: name,
                count: counts.len(),
                wanted: named.uncounted(),
            }),
            Some(_) if counts.iter().all(|&count| count == 0) => {
                Err(CollectiveError::NoCount { collective: name })
            }
            Some(form) => Ok(Collective::Named(named.counted(form, counts))),
        }
    }

    /// The named collectives.
    pub fn forms() -> &'static [&'static Form] {
        &FORMS
    }

    /// The name used on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Collective::Named(named) => named.form().name,
            Collective::Groups(_) => "groups",
            Collective::Custom(_) => "custom",
        }
    }

    /// The named collective. `None` for groups and custom demands.
    pub fn named(&self) -> Option<&Named> {
        if let Collective::Named(named) = self {
            Some(named)
        } else {
            None
        }
    }

    /// The form of a named collective. `None` for groups and custom demands.
    pub fn form(&self) -> Option<&'static Form> {
        self.named().map(Named::form)
    }

    /// Whether it is a named collective of this form.
    pub fn is(&self, form: &Form) -> bool {
        self.form() == Some(form)
    }

    /// The nodes of each role of the [form](Collective::form), in its order. Empty for groups and custom demands.
    pub fn cast(&self) -> Vec<&[NodeId]> {
        self.named().map_or(Vec::new(), Named::cast)
    }

    /// Every node that owns or receives a value, once, ascending. Linear in the list's length.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = match self {
            Collective::Named(named) => named.cast().concat(),
            Collective::Groups(members) => {
                let each = members.iter().map(|member| member.collective.nodes());
                each.flatten().collect()
            }
            Collective::Custom(demands) => {
                let ends = |demand: &CustomDemand| {
                    let wanted = demand.demand();
                    [demand.owners.clone(), wanted.targets().to_vec()].concat()
                };
                demands.iter().flat_map(ends).collect()
            }
        };
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The groups. None for other collectives.
    pub fn members(&self) -> &[Member] {
        if let Collective::Groups(members) = self {
            members
        } else {
            &[]
        }
    }

    /// The custom demands. None for other collectives.
    pub fn custom(&self) -> &[CustomDemand] {
        if let Collective::Custom(demands) = self {
            demands
        } else {
            &[]
        }
    }

    /// The count of every message or reduction of a counted form, in the order of the form without counts, 0 if there
    /// is none. `None` for other forms.
    pub fn counts(&self) -> Option<impl Iterator<Item = u64> + use<'_>> {
        self.named()
            .filter(|named| named.form().counted)
            .map(Named::every_count)
    }

    /// Whether only the index of a demand identifies it, and not its ends: groups and custom demands may repeat ends.
    pub fn is_listed(&self) -> bool {
        self.named().is_none()
    }

    /// Whether every demand is executed once per instance by definition: no groups, no custom demands, no counts.
    pub fn is_uniform(&self) -> bool {
        self.named().is_some_and(|named| named.counts().is_empty())
    }

    /// How many patterns one instance consists of. They are not listed: an all-to-all among ten thousand has 10^8.
    pub fn demands(&self) -> usize {
        match self {
            Collective::Named(named) => named.demands(),
            Collective::Groups(members) => members.iter().fold(0, |all, member| {
                all.saturating_add(member.collective.demands())
            }),
            Collective::Custom(demands) => demands.len(),
        }
    }

    /// The demand at this index, from 0. `None` beyond the last. Patterns name their demand by this index.
    pub fn demand(&self, index: usize) -> Option<Demand<'_>> {
        match self {
            Collective::Named(named) => named.demand(index),
            Collective::Groups(_) => {
                let (member, index) = self.member(index)?;
                member.collective.demand(index)
            }
            Collective::Custom(demands) => demands.get(index).map(CustomDemand::demand),
        }
    }

    /// Instances of this demand per instance of the collective: 1, its count, the rate of its group times that, or its
    /// own.
    pub fn rate(&self, index: usize) -> u64 {
        match self {
            Collective::Named(named) => named.rate(index),
            Collective::Groups(_) => self.member(index).map_or(1, |(member, index)| {
                member.rate.saturating_mul(member.collective.rate(index))
            }),
            Collective::Custom(demands) => demands.get(index).map_or(1, |demand| demand.rate),
        }
    }

    /// Whether messages may be cut into pieces: a barrier's token is whole.
    pub fn is_cut(&self) -> bool {
        match self {
            Collective::Named(named) => named.form().is_cut(),
            Collective::Groups(members) => members.iter().all(|one| one.collective.is_cut()),
            Collective::Custom(_) => true,
        }
    }

    /// The greatest common divisor of all rates. 1 without demands, or if a rate exceeds 64 bits.
    pub(crate) fn common_rate(&self) -> u64 {
        let common =
            |rates: &mut dyn Iterator<Item = u64>| rates.fold(0, |one, two| one.gcd(&two)).max(1);
        match self {
            Collective::Named(named) => common(&mut named.counts().iter().map(|one| one.1)),
            Collective::Groups(members) => {
                let rate = |one: &Member| one.rate.checked_mul(one.collective.common_rate());
                common(&mut members.iter().map(|one| rate(one).unwrap_or(1)))
            }
            Collective::Custom(demands) => common(&mut demands.iter().map(|one| one.rate)),
        }
    }

    /// Every rate divided by a common divisor of all. Counts that are all 1 afterwards are left out.
    pub(crate) fn with_rates_over(self, divisor: u64) -> Collective {
        match self {
            Collective::Named(named) => Collective::Named(named.with_counts_over(divisor)),
            Collective::Groups(members) => {
                let member = |Member { collective, rate }: Member| {
                    let own = rate.gcd(&divisor);
                    let collective = collective.with_rates_over(divisor / own);
                    let rate = rate / own;
                    Member { collective, rate }
                };
                Collective::Groups(members.into_iter().map(member).collect())
            }
            Collective::Custom(demands) => {
                let demand = |demand: CustomDemand| CustomDemand {
                    rate: demand.rate / divisor,
                    ..demand
                };
                Collective::Custom(demands.into_iter().map(demand).collect())
            }
        }
    }

    /// The group of a demand, and its index there. `None` if there are no groups.
    pub fn member(&self, mut index: usize) -> Option<(&Member, usize)> {
        for member in self.members() {
            let demands = member.collective.demands();
            if index < demands {
                return Some((member, index));
            }
            index -= demands;
        }
        None
    }
}

impl Form {
    /// The collective whose roles are played by these nodes, one list per role. A list that is missing is empty. A role
    /// that a single node plays needs one. `None` if the lists do not fit the roles. The order of operands is used only
    /// if the form leaves the choice ([`Form::may_keep_order`]).
    pub fn build(&'static self, nodes: &[Vec<NodeId>], commutative: bool) -> Option<Collective> {
        let complete = self
            .roles
            .iter()
            .enumerate()
            .all(|(index, role)| match nodes.get(index) {
                Some(nodes) => role.many || nodes.len() == 1,
                None => role.many,
            })
            && nodes.len() <= self.roles.len();
        let list = |owns: bool| {
            let index = self
                .roles
                .iter()
                .position(|role| role.owns == owns)
                .unwrap_or(0);
            nodes.get(index).cloned().unwrap_or_default()
        };
        complete.then(|| {
            Collective::Named(Named::new(self, list(true), list(false)).commutative(commutative))
        })
    }
}
