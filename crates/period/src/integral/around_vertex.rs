//! Whole messages close to a fractional optimum: only the fractional amounts may change, up or down to the next
//! integer.
//!
//! A vertex of the program splits few messages, so few links carry a fractional number of messages per period. An
//! integer program over those links alone is tiny on any platform, and often has a solution: without ports it always
//! would, because flows between integer bounds round to integers. If the ports forbid it, the program is extended to
//! all links in use, and each may carry a few messages more or less (`reach`).

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport_exact::{
    Column, IntegerOptions, LinearProgram, Relation, Row, Sense, find_integer_point,
};
use oneport_lp::flow::{Group, GroupFlow, Leaf, Side};
use oneport_lp::{LpError, Question};
use oneport_plan::{Resource, SteadyState};
use oneport_platform::{LinkId, NodeId, Rational, whole};

/// Branch-and-bound nodes. Trades time for shorter periods. Not measured.
const NODES: u32 = 100;

/// Flows of all groups per period, split into whole numbers and the fractional links.
struct Parts {
    integers: Vec<GroupFlow>,
    /// Links whose flow lies between two integers.
    fractional: Vec<(usize, LinkId)>,
    /// The deficit of the whole numbers at a node, by group and node: positive if messages are missing.
    missing: BTreeMap<(usize, NodeId), BigInt>,
}

/// Integer flows of all groups for `instances` instances within `period`. `None` if none within `reach` of the steady
/// state is found.
///
/// # Errors
/// HiGHS refuses a call.
pub(super) fn round(
    question: &Question,
    groups: &[Group],
    steady_state: &SteadyState,
    instances: &BigInt,
    period: &Rational,
    reach: u32,
) -> Result<Option<Vec<GroupFlow>>, LpError> {
    let Parts {
        mut integers,
        fractional,
        missing,
    } = parts(question, groups, steady_state, instances, period, reach);
    if fractional.is_empty() {
        return Ok(missing.is_empty().then_some(integers));
    }
    let mut program = LinearProgram::new(Sense::Minimize);
    let mut balances: BTreeMap<(usize, NodeId), Row> = BTreeMap::new();
    let mut ports: BTreeMap<Resource, Row> = BTreeMap::new();
    let free = free_time(question, &integers, period);
    let mut columns: Vec<Column> = Vec::new();
    for &(index, link) in &fractional {
        let (from, to) = (
            question.platform().link(link).from,
            question.platform().link(link).to,
        );
        let (gains, loses) = if groups[index].side == Side::Source {
            (to, from)
        } else {
            (from, to)
        };
        let mut entries: Vec<(Row, Rational)> = Vec::with_capacity(4);
        for (node, sign) in [(gains, Rational::one()), (loses, -Rational::one())] {
            if node != groups[index].root {
                let key = (index, node);
                let side = || whole(missing.get(&key).cloned().unwrap_or_default());
                let row = *balances
                    .entry(key)
                    .or_insert_with(|| program.add_row(Relation::Equal, side()));
                entries.push((row, sign));
            }
        }
        for used in Resource::uses(question.platform(), link) {
            let resource = used.resource;
            let capacity = || period * whole(resource.capacity(question.platform()));
            let room = || free.get(&resource).cloned().unwrap_or_else(capacity);
            let row = *ports
                .entry(resource)
                .or_insert_with(|| program.add_row(Relation::AtMost, room()));
            entries.push((row, used.of(&question.time(link))));
        }
        columns.push(program.add_column(Rational::zero(), entries)?);
    }
    if missing.keys().any(|key| !balances.contains_key(key)) {
        return Ok(None);
    }
    let options = IntegerOptions {
        node_limit: NODES,
        upper: 2 * reach + 1,
    };
    let Some(point) = find_integer_point(&program, options, question.watch())? else {
        return Ok(None);
    };
    for (&(index, link), column) in fractional.iter().zip(columns) {
        *integers[index].entry(link).or_default() += &point[column.0];
    }
    for flow in &mut integers {
        flow.retain(|_, amount| amount.is_positive());
    }
    Ok(Some(integers))
}

fn parts(
    question: &Question,
    groups: &[Group],
    steady_state: &SteadyState,
    instances: &BigInt,
    period: &Rational,
    reach: u32,
) -> Parts {
    let mut group_of = vec![0; question.commodities().len()];
    let mut missing: BTreeMap<(usize, NodeId), BigInt> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        for &Leaf {
            node: leaf,
            demand: commodity,
            ..
        } in &group.leaves
        {
            group_of[commodity] = index;
            *missing.entry((index, leaf)).or_default() += instances;
        }
    }
    let mut integers = vec![GroupFlow::new(); groups.len()];
    let mut shares: BTreeMap<(usize, LinkId), Rational> = BTreeMap::new();
    for weighted in &steady_state.patterns {
        let index = group_of[weighted.pattern.demand];
        if weighted.weight == steady_state.throughput {
            for link in weighted.pattern.links() {
                *integers[index].entry(link).or_default() += instances;
            }
        } else {
            let share = &weighted.weight * period;
            for link in weighted.pattern.links() {
                *shares.entry((index, link)).or_insert_with(Rational::zero) += &share;
            }
        }
    }
    let mut fractional = Vec::new();
    for ((index, link), share) in shares {
        *integers[index].entry(link).or_default() += share.floor().to_integer();
        if !share.is_integer() {
            fractional.push((index, link));
        }
    }
    if reach > 0 {
        // Every link in use may change: its whole part is lowered, and the program may put it back and more.
        fractional.clear();
        for (index, flow) in integers.iter_mut().enumerate() {
            for (&link, amount) in flow.iter_mut() {
                *amount -= BigInt::from(reach).min(amount.clone());
                fractional.push((index, link));
            }
        }
    }
    for (index, (group, flow)) in groups.iter().zip(&integers).enumerate() {
        for (&link, amount) in flow {
            let (from, to) = (
                question.platform().link(link).from,
                question.platform().link(link).to,
            );
            let (gains, loses) = if group.side == Side::Source {
                (to, from)
            } else {
                (from, to)
            };
            *missing.entry((index, gains)).or_default() -= amount;
            *missing.entry((index, loses)).or_default() += amount;
        }
    }
    missing.retain(|(index, node), amount| !amount.is_zero() && *node != groups[*index].root);
    Parts {
        integers,
        fractional,
        missing,
    }
}

/// The part of the period that the whole numbers leave at every port they use.
fn free_time(
    question: &Question,
    integers: &[GroupFlow],
    period: &Rational,
) -> BTreeMap<Resource, Rational> {
    let mut counts: BTreeMap<LinkId, BigInt> = BTreeMap::new();
    for (&link, amount) in integers.iter().flatten() {
        *counts.entry(link).or_default() += amount;
    }
    let mut free: BTreeMap<Resource, Rational> = BTreeMap::new();
    for (link, count) in counts {
        let busy = question.time(link) * whole(count);
        for used in Resource::uses(question.platform(), link) {
            let resource = used.resource;
            let capacity = whole(resource.capacity(question.platform()));
            *free.entry(resource).or_insert_with(|| period * capacity) -= used.of(&busy);
        }
    }
    free
}
