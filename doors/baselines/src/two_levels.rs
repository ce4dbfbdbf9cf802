//! All-reduces in two levels: among the members of each group, and among members of the same number across groups.

use oneport_plan::{Form, Problem};
use oneport_watch::Watch;

use crate::catalogue::Maker;
use crate::phase::{ExchangeOp, Phase, Step};
use crate::{Algorithm, RankHints};

/// All-reduces of two or three hops, for [groups](RankHints::groups) of the same number of members: made for one
/// operation of moderate size, for which latency counts. Empty for another collective.
pub fn in_two_levels(problem: &Problem, watch: &Watch) -> Vec<Algorithm> {
    Maker::new(problem).two_levels(&RankHints::groups(problem, watch))
}

impl Maker<'_> {
    /// All-reduces of few hops, for groups of the same number of members.
    fn two_levels(&self, groups: &[Vec<usize>]) -> Vec<Algorithm> {
        let members = groups.first().map_or(0, Vec::len);
        let alike = groups.iter().all(|group| group.len() == members);
        if !self.is_carried_out_as(Form::ALL_REDUCE) || groups.len() < 2 || members < 2 || !alike {
            return Vec::new();
        }
        let levels = Levels { groups, members };
        let (inside, across) = (|block| levels.inside(block), |block| levels.across(block));
        let shares = vec![
            levels.shared(ExchangeOp::OfReceiver),
            Phase::Steps(vec![
                (0..members)
                    .flat_map(|own| levels.exchange(own, own))
                    .collect(),
            ]),
            levels.shared(ExchangeOp::OfSender),
        ];
        let first = "everyone combines all operands of its group, sent directly";
        let about =
            format!("{first}, then those of the other groups, from members of the same number");
        let both =
            format!("one half: {first}, then the groups'; the other half: across groups first");
        let shared = "everyone combines one share in its group, exchanges it with members of the same number in the other \
                      groups, and sends the result to its group";
        vec![
            self.made(
                "two levels, one shot each",
                &about,
                1,
                vec![Phase::Steps(vec![inside(0), across(0)])],
            ),
            self.made(
                "two levels, half in each order",
                &both,
                2,
                vec![Phase::Steps(vec![
                    [inside(0), across(1)].concat(),
                    [across(0), inside(1)].concat(),
                ])],
            ),
            self.made("two levels, in shares", shared, members, shares),
        ]
    }
}

/// Groups of equal numbers of members.
struct Levels<'g> {
    groups: &'g [Vec<usize>],
    members: usize,
}

impl Levels<'_> {
    /// Every member sends the block to all others of its group, to the next first.
    fn inside(&self, block: usize) -> Vec<Step> {
        let of_group = |group: &Vec<usize>| direct(group, block);
        self.groups.iter().flat_map(of_group).collect()
    }

    /// Every member sends the block to the members of the same number in the other groups, to the next group first.
    fn across(&self, block: usize) -> Vec<Step> {
        (0..self.members)
            .flat_map(|member| self.exchange(member, block))
            .collect()
    }

    /// The members of this number exchange the block.
    fn exchange(&self, member: usize, block: usize) -> Vec<Step> {
        let member_of = |group: &Vec<usize>| group.get(member).copied();
        let alike: Vec<usize> = self.groups.iter().filter_map(member_of).collect();
        direct(&alike, block)
    }

    /// Directly in every group: a share for every member.
    fn shared(&self, between: ExchangeOp) -> Phase {
        let order: Vec<usize> = (0..self.members).collect();
        let phase_of_group =
            |group: &Vec<usize>| (group.clone(), Phase::Direct(order.clone(), between));
        Phase::Parallel(self.groups.iter().map(phase_of_group).collect())
    }
}

/// Every rank sends the block to all others, who combine it with their own: to left and right neighbours alternately,
/// at growing distance, so that combined operands stay adjacent.
fn direct(ranks: &[usize], block: usize) -> Vec<Step> {
    let step = |from: usize, to: usize| Step {
        from,
        to,
        blocks: vec![u32::try_from(block).unwrap_or(u32::MAX)],
        combine: true,
    };
    let mut all = Vec::new();
    for distance in 1..ranks.len() {
        for (position, &from) in ranks.iter().enumerate() {
            let before = position.checked_sub(distance);
            for other in [before, position.checked_add(distance)]
                .into_iter()
                .flatten()
            {
                all.extend(ranks.get(other).map(|&to| step(from, to)));
            }
        }
    }
    all
}
