//! Adds up the inequalities of a certificate.
//!
//! Let every column (transfers over a link or route, merges at a processor, the merge that joins all first, single
//! tasks) be charged, over all inequalities of a demand, `weight x coefficient`. If no column is charged more than the
//! smallest one costs, an instance of the demand costs at least the sum of `weight x right side`. Why each inequality
//! holds stands in the file of its theorem. Nothing here depends on which it is.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Signed, Zero};
use oneport_plan::inequality::{Column, Inequality, Need};
use oneport_plan::{Interval, Problem, Task};
use oneport_platform::{LinkId, NodeId, PerLink, PerNode, Rational, whole};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts};
use crate::case::{Case, Group, least};
use crate::charges::{Charges, Way};
use crate::prices::Prices;
use crate::theorems::{self, Asked, Crossing};
use crate::violation::{bad_price, fault, part_name, shown, unordered};

/// The cost that each of the certificate's inequalities proves, in the unit of the scaled prices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proved {
    pub(crate) total: Rational,
    /// The parts, in the certificate's order. They add up to the total.
    pub(crate) by_need: Vec<(usize, Rational)>,
}

/// Lower bound on the price of a group's demands, in the unit of the scaled prices: the sum of both parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Least {
    /// The cost that cheapest patterns prove.
    pub(crate) cheapest: Rational,
    /// The cost that inequalities prove, by index in the certificate. An index may occur several times.
    pub(crate) by_need: Vec<(usize, Rational)>,
}

impl Least {
    pub(crate) fn total(&self) -> Rational {
        self.by_need
            .iter()
            .map(|(_, proved)| proved)
            .sum::<Rational>()
            + &self.cheapest
    }

    /// Takes in what inequalities prove of several demands alike.
    pub(crate) fn add(&mut self, proved: &Proved, times: usize) {
        let times = whole(times);
        self.by_need.extend(
            proved
                .by_need
                .iter()
                .map(|(index, proved)| (*index, proved * &times)),
        );
    }
}

/// The inequalities of a certificate, each checked by its theorem.
pub(crate) struct Needs<'a> {
    case: Case<'a>,
    needs: &'a [Need],
    /// Per demand (`None`: all demands): the indices of its inequalities.
    by_demand: BTreeMap<Option<usize>, Vec<usize>>,
    scale: Scale,
    links: Rc<Vec<Way>>,
}

impl<'a> Needs<'a> {
    /// Checks that the inequalities are sorted, of positive weight, and meet the conditions of their theorems.
    ///
    /// Linear in the certificate, up to logarithms.
    pub(crate) fn new(
        case: &Case<'a>,
        needs: &'a [Need],
        lengths: &PerLink<(BigUint, BigUint)>,
    ) -> Result<Needs<'a>, Violation> {
        let mut by_demand: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (index, need) in needs.iter().enumerate() {
            let name = || format!("need {index} ({})", need.inequality.name());
            if !is_positive(&need.weight) {
                return Err(bad_price(&name(), &need.weight));
            }
            theorems::check(case, need).map_err(|fault| fault.at(name()))?;
            by_demand.entry(need.demand).or_default().push(index);
        }
        if !needs.is_sorted() {
            return Err(unordered("certificate: the needs"));
        }
        for (demand, of_demand) in &by_demand {
            let trees = of_demand
                .iter()
                .filter(|&&index| matches!(needs[index].inequality, Inequality::Tree(_)))
                .count();
            if trees > 0 && trees < of_demand.len() {
                let found = format!(
                    "demand {} has trees beside other needs",
                    demand.unwrap_or_default()
                );
                return Err(fault!(Certificate, "{found}"; "list trees alone, or none"));
            }
        }
        let numbers: Vec<Rational> = needs.iter().flat_map(theorems::numbers).collect();
        let platform = case.platform;
        let entries = numbers.len() + platform.links().len();
        let scale = Scale::new("the weights of the needs", numbers.iter(), entries)?;
        let link = |(link, length): (LinkId, &(BigUint, BigUint))| {
            let ends = platform.link(link);
            Way {
                from: ends.from,
                to: ends.to,
                link: Some(link),
                length: length.clone(),
            }
        };
        let listed: &[_] = if needs.is_empty() { &[] } else { lengths };
        let links = platform.link_ids().zip(listed).map(link).collect();
        Ok(Needs {
            case: *case,
            needs,
            by_demand,
            scale,
            links: Rc::new(links),
        })
    }

    /// The inequality of this index.
    pub(crate) fn inequality(&self, index: usize) -> Option<&'a Inequality> {
        self.needs.get(index).map(|need| &need.inequality)
    }

    /// The links as ways.
    pub(crate) fn links(&self) -> Rc<Vec<Way>> {
        Rc::clone(&self.links)
    }

    /// Per demand of a group, ascending: the indices of the inequalities that prove something of it. None if their kind
    /// proves nothing alone.
    ///
    /// O(cuts x participants x log nodes) for cuts of all demands.
    pub(crate) fn of_group(&self, group: &Group<'_>) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); group.case.demands()];
        if self.needs.is_empty() {
            return found;
        }
        for &index in self.by_demand.get(&None).into_iter().flatten() {
            let mut crossing = Crossing::new(&self.needs[index].inequality);
            for (number, found) in found.iter_mut().enumerate() {
                if group
                    .case
                    .demand(number)
                    .is_some_and(|demand| crossing.concerns(&demand))
                {
                    found.push(index);
                }
            }
        }
        for (number, found) in found.iter_mut().enumerate() {
            for &index in self
                .by_demand
                .get(&Some(group.first + number))
                .into_iter()
                .flatten()
            {
                let mut crossing = Crossing::new(&self.needs[index].inequality);
                if group
                    .case
                    .demand(number)
                    .is_some_and(|demand| crossing.concerns(&demand))
                {
                    found.push(index);
                }
            }
            let is_tree =
                |index: &usize| matches!(self.needs[*index].inequality, Inequality::Tree(_));
            if found.iter().any(is_tree) {
                // Charges of tasks and of transfers are not added up: cuts of all demands are left out here.
                found.retain(is_tree);
            }
            if found
                .iter()
                .all(|&index| theorems::only_helps(&self.needs[index].inequality))
            {
                found.clear();
            }
        }
        found
    }

    /// Adds up the inequalities of these indices, after a check that no column is charged more than it costs. `number`
    /// is the index of the demand in its group. `ways` are its links or routes.
    ///
    /// O(inequalities x ways) additions, and the searches of the theorems.
    pub(crate) fn sum(
        &self,
        group: &Group<'_>,
        number: usize,
        found: &[usize],
        (ways, prices): (&[Way], &Prices),
    ) -> Result<Proved, Violation> {
        let Some(demand) = group.case.demand(number) else {
            return Ok(Proved::default());
        };
        let asked = Asked {
            case: &self.case,
            demand: &demand,
        };
        let mut charges = Charges::new(&self.case, ways, &self.scale);
        let (mut whole, mut total) = (BigInt::zero(), Rational::zero());
        let unit = fraction(
            prices.factor.0.clone(),
            &(&prices.factor.1 * self.scale.denominator()),
        );
        let mut by_need = Vec::with_capacity(found.len());
        for &index in found {
            self.case.ask()?;
            let proved = theorems::charge(&asked, &self.needs[index], &mut charges)?;
            if proved.is_integer() {
                whole += proved.numer()
            } else {
                total += &proved
            }
            by_need.push((index, proved));
        }
        self.check(group, number, &charges, prices)?;
        let total = (total + Rational::from_integer(whole)) * &unit;
        // Every instance costs at least nothing.
        let unit = if total.is_negative() {
            Rational::zero()
        } else {
            unit
        };
        for (_, proved) in by_need.iter_mut() {
            *proved *= &unit;
        }
        Ok(Proved {
            total: total.max(Rational::zero()),
            by_need,
        })
    }

    /// No column is charged more than the smallest of it costs.
    fn check(
        &self,
        group: &Group<'_>,
        number: usize,
        charges: &Charges<'_>,
        prices: &Prices,
    ) -> Result<(), Violation> {
        let case = &self.case;
        let operands = group
            .case
            .demand(number)
            .map_or(1, |demand| demand.operands.len());
        let bearable = |charge: &BigInt,
                        cost: &(BigUint, BigUint),
                        amount: &Rational,
                        what: &dyn Fn() -> String| match self
            .is_bearable(charge, cost, amount, prices)
        {
            Ok(()) => Ok(()),
            Err((charge, cost)) => {
                let (demand, what) = (case.demand_name(group.first + number), what());
                let found = format!("the needs of {demand} charge {charge} for {what}");
                Err(fault!(Overcharge, "{found}"; "it costs {cost}"))
            }
        };
        let size = least(&case.volumes.size, operands, 1);
        for (charge, way) in charges
            .transfers
            .iter()
            .zip(charges.ways)
            .filter(|(charge, _)| charge.is_positive())
        {
            bearable(charge, &way.length, &size, &|| {
                format!("a message over {}", way.name(case))
            })?;
        }
        let (merges, free) = (prices.merges(case), (BigUint::zero(), BigUint::from(1u32)));
        let cost = |node: NodeId| merges[node].as_ref().unwrap_or(&free);
        let work = least(&case.volumes.work, operands, 2);
        for node in case.platform.mergers() {
            let (merges, joins) = (&charges.merges[node], &charges.joins[node]);
            bearable(merges, cost(node), &work, &|| {
                format!("a merge at '{}'", case.name(node))
            })?;
            bearable(joins, &free, &work, &|| {
                format!("joining all operands at '{}'", case.name(node))
            })?;
        }
        // Tasks are charged if the needs are trees. Nothing else is charged then.
        for (task, charge) in &charges.tasks {
            let (cost, amount) = match *task {
                Task::Send { link, part, .. } => {
                    (&charges.ways[link.index()].length, case.size(part))
                }
                Task::Merge {
                    node, part, split, ..
                } => (
                    cost(node),
                    case.volumes
                        .work
                        .of_merge(node, part, split)
                        .unwrap_or_default(),
                ),
            };
            bearable(charge, cost, &amount, &|| task_name(case, *task))?;
        }
        Ok(())
    }

    /// Both in the unit of the certificate, if the charge is the larger one.
    fn is_bearable(
        &self,
        charge: &BigInt,
        (cost, over): &(BigUint, BigUint),
        amount: &Rational,
        prices: &Prices,
    ) -> Result<(), (String, String)> {
        if charge.sign() != Sign::Plus {
            return Ok(());
        }
        let (amount, by) = parts(amount);
        let (charge, cost, cost_over) = (
            charge.magnitude() * &prices.factor.0,
            cost * amount,
            over * by,
        );
        let charge_over = &prices.factor.1 * self.scale.denominator();
        if &charge * &cost_over <= &cost * &charge_over {
            return Ok(());
        }
        let unit = fraction(prices.factor.1.clone(), &prices.factor.0);
        Err((
            shown(fraction(charge, &charge_over) * &unit),
            shown(fraction(cost, &cost_over) * unit),
        ))
    }

    /// The nodes inside each of these cuts.
    pub(crate) fn sides(&self, indices: &[usize]) -> Vec<PerNode<bool>> {
        let platform = self.case.platform;
        indices
            .iter()
            .filter_map(|&index| theorems::side(self.inequality(index)?, platform))
            .collect()
    }
}

/// How a need is read here: the coefficient of every transfer (over a link, and between every two nodes), merge and
/// first join of all operands, and the right side. The weight plays no part. It is compared with the statement of the
/// inequality.
///
/// # Errors
/// A demand that does not exist, or a condition of the theorem that does not hold.
pub fn reading(
    problem: &Problem,
    need: &Need,
) -> Result<(Vec<(Column, Rational)>, Rational), Violation> {
    let case = Case::new(problem);
    theorems::check(&case, need)?;
    let need = &Need::once(need.demand, need.inequality.clone());
    let Some(demand) = case.demand(need.demand.unwrap_or(0)) else {
        return Ok((Vec::new(), Rational::zero()));
    };
    let (platform, free) = (case.platform, (BigUint::zero(), BigUint::from(1u32)));
    let way = |from, to, link| Way {
        from,
        to,
        link,
        length: free.clone(),
    };
    let links = platform
        .link_ids()
        .map(|link| way(platform.link(link).from, platform.link(link).to, Some(link)));
    let pairs = platform
        .node_ids()
        .flat_map(|from| platform.node_ids().map(move |to| (from, to)));
    let pairs = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| way(from, to, None));
    let ways: Vec<Way> = links.chain(pairs).collect();
    let scale = Scale::new(
        "the weights of the needs",
        theorems::numbers(need).iter(),
        ways.len(),
    )?;
    let mut charges = Charges::new(&case, &ways, &scale);
    let right_side = theorems::charge(
        &Asked {
            case: &case,
            demand: &demand,
        },
        need,
        &mut charges,
    )?;
    let unit = fraction(1u32.into(), scale.denominator());
    let number = |charge: BigInt| Rational::from_integer(charge) * &unit;
    let Charges {
        transfers,
        merges,
        joins,
        ..
    } = charges;
    let transfers = ways.iter().zip(transfers);
    let transfers = transfers.map(|(way, charge)| {
        (
            Column::Transfer {
                from: way.from,
                to: way.to,
                link: way.link,
            },
            charge,
        )
    });
    let nodes = || platform.node_ids();
    let merges = nodes().map(Column::Merge).zip(merges);
    let joins = nodes().map(Column::Place).zip(joins);
    let columns = transfers
        .chain(merges)
        .chain(joins)
        .map(|(column, charge)| (column, number(charge)));
    Ok((columns.collect(), right_side * &unit))
}

/// For messages. The task exists.
fn task_name(case: &Case<'_>, task: Task) -> String {
    match task {
        Task::Send { link, part, .. } => format!(
            "{} over link '{}'",
            part_name(&part),
            case.platform.link_name(link)
        ),
        Task::Merge {
            node, part, split, ..
        } => {
            let [left, right] = [(part.first, split), (split + 1, part.last)]
                .map(|(first, last)| part_name(&Interval { first, last }));
            format!("the merge of {left} and {right} at '{}'", case.name(node))
        }
    }
}
