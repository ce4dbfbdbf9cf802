//! Patterns of a plan: paths, arborescences, reduction trees, schemes.

use std::fmt::Write as _;

use oneport_plan::{Arborescence, Demand, Goals, Hop, Pattern, ReductionTree, Scheme};
use oneport_platform::{NodeId, Platform};

use super::certificate::{link_number, links_of};
use super::demand::{Demands, Kind};
use super::question::find;
use super::task::{self, Tasks};
use super::write::{link_list, name};
use crate::error::{FormatError, Problem};
use crate::json::{Json, need};

/// What the patterns of a plan refer to.
pub(super) struct Patterns<'c> {
    platform: &'c Platform,
    demands: &'c Demands<'c>,
    /// The kind of all patterns, where there are no groups.
    kind: Kind,
}

/// A pattern, and the value that says how often it is carried out.
type Counted<'a, 'e> = (Pattern, Option<Json<'a, 'e>>);

impl<'c> Patterns<'c> {
    pub fn new(platform: &'c Platform, demands: &'c Demands<'c>) -> Self {
        let kind = demands.get(0).map_or(Kind::Path, |demand| Kind::of(&demand));
        Patterns { platform, demands, kind }
    }

    /// A pattern and the value of `last`: how often. Every name and number exists; whether the pattern carries out its
    /// demand is the referee's part.
    pub fn read<'a, 'e>(&self, entry: &'e Json<'a, '_>, last: &'static str) -> Result<Counted<'a, 'e>, FormatError> {
        if self.demands.grouped() {
            return self.in_groups(entry, last);
        }
        match self.kind {
            Kind::Path => {
                let [from, to, links, last] = entry.object(["from", "to", "links", last])?;
                let commodity = self.message(entry, from, to)?;
                Ok((self.path(entry, commodity, links)?, last))
            }
            Kind::Tree => {
                let [to, order, tasks, last] = entry.object(["to", "order", "tasks", last])?;
                let commodity = self.reduction(entry, to)?;
                Ok((self.tree(entry, commodity, order, tasks)?, last))
            }
            Kind::Copies => {
                let [demand, hops, last] = entry.object(["demand", "hops", last])?;
                let (commodity, _) = self.demand(entry, demand)?;
                Ok((self.arborescence(entry, commodity, hops)?, last))
            }
            Kind::Scheme => {
                let [demand, order, tasks, last] = entry.object(["demand", "order", "tasks", last])?;
                let (commodity, _) = self.demand(entry, demand)?;
                Ok((self.scheme(entry, commodity, order, tasks)?, last))
            }
        }
    }

    /// In groups, two demands may have the same ends: every pattern names its demand by its number.
    fn in_groups<'a, 'e>(&self, entry: &'e Json<'a, '_>, last: &'static str) -> Result<Counted<'a, 'e>, FormatError> {
        let [demand, links, hops, order, tasks, last] =
            entry.object(["demand", "links", "hops", "order", "tasks", last])?;
        let (commodity, demand) = self.demand(entry, demand)?;
        let kind = Kind::of(&demand);
        let ordered = matches!(kind, Kind::Tree | Kind::Scheme);
        let given = [
            ("links", links, kind == Kind::Path),
            ("hops", hops, kind == Kind::Copies),
            ("order", order, ordered),
            ("tasks", tasks, ordered),
        ];
        for (key, value, fits) in given {
            if let Some(value) = value.filter(|_| !fits) {
                let why = match kind {
                    Kind::Path => "this demand is a message for one target: 'links' are its path",
                    Kind::Copies => "this demand is a message for several targets: 'hops' are its arborescence",
                    Kind::Tree | Kind::Scheme => "this demand combines values: 'tasks' are its transfers and merges",
                };
                return Err(value.fail(Problem::NotHere { key, why }));
            }
        }
        let pattern = match kind {
            Kind::Path => self.path(entry, commodity, links)?,
            Kind::Copies => self.arborescence(entry, commodity, hops)?,
            Kind::Tree => self.tree(entry, commodity, order, tasks)?,
            Kind::Scheme => self.scheme(entry, commodity, order, tasks)?,
        };
        Ok((pattern, last))
    }

    /// `demand`: its number.
    fn demand(&self, entry: &Json<'_, '_>, value: Option<Json<'_, '_>>) -> Result<(usize, Demand<'c>), FormatError> {
        let value = need(entry, value, "demand", "the number of the demand that is carried out, counted from 0")?;
        let place = value.place("demand", self.demands.count())?;
        let demand = self.demands.get(place).ok_or_else(|| value.wrong("a demand of the plan's collective"))?;
        Ok((place, demand))
    }

    /// `from` and `to`: the ends of a message.
    fn message(
        &self,
        entry: &Json<'_, '_>,
        from: Option<Json<'_, '_>>,
        to: Option<Json<'_, '_>>,
    ) -> Result<usize, FormatError> {
        let source = find(&need(entry, from, "from", "the node where the message starts")?, self.platform)?;
        let target = find(&need(entry, to, "to", "the node where the message has to arrive")?, self.platform)?;
        self.demands.message(source, target).ok_or_else(|| {
            let value = format!("{} -> {}", self.platform.name(source), self.platform.name(target));
            entry.fail(Problem::WrongValue { value, expected: "a message of the plan's collective".into() })
        })
    }

    /// `to`: the target of a reduction.
    fn reduction(&self, entry: &Json<'_, '_>, to: Option<Json<'_, '_>>) -> Result<usize, FormatError> {
        let to = need(entry, to, "to", "the node that receives the result")?;
        let place = self.demands.reduction(find(&to, self.platform)?);
        place.ok_or_else(|| to.wrong("the target of the plan's collective, or of one of its reductions"))
    }

    fn path(
        &self,
        entry: &Json<'_, '_>,
        commodity: usize,
        links: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let links = links_of(&need(entry, links, "links", "the links of the path")?, self.platform)?;
        Ok(Pattern::path(commodity, links))
    }

    fn arborescence(
        &self,
        entry: &Json<'_, '_>,
        commodity: usize,
        hops: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let mut list: Vec<Hop> = Vec::new();
        need(entry, hops, "hops", "the hops of the arborescence")?.each(|index, hop| {
            list.push(self.hop(&hop, index)?);
            Ok(())
        })?;
        Ok(Pattern::Arborescence(Arborescence { commodity, hops: list }))
    }

    /// `[link, after]`: the link and the hop before.
    fn hop(&self, value: &Json<'_, '_>, before: usize) -> Result<Hop, FormatError> {
        let (mut link, mut after) = (None, None);
        value.each(|index, part| {
            match index {
                0 => link = Some(link_number(&part, self.platform)?),
                1 => after = Some(task::earlier(&part, "earlier hop", before.min(u32::MAX as usize))?),
                _ => return Err(part.fail(not_a_hop("a third entry"))),
            }
            Ok(())
        })?;
        let (Some(link), Some(after)) = (link, after) else { return Err(value.fail(not_a_hop("a shorter list"))) };
        Ok(Hop { link, after: after.and_then(|after| u32::try_from(after).ok()) })
    }

    fn tree(
        &self,
        entry: &Json<'_, '_>,
        commodity: usize,
        order: Option<Json<'_, '_>>,
        tasks: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let reader = self.tasks(entry, commodity)?;
        let order = order.map(|order| reader.order(&order)).transpose()?;
        let mut list = Vec::new();
        need(entry, tasks, "tasks", "the tree's transfers and merges")?.each(|_, task| {
            list.push(reader.task(&task)?);
            Ok(())
        })?;
        Ok(Pattern::Reduction(ReductionTree { commodity, order, tasks: list }))
    }

    fn scheme(
        &self,
        entry: &Json<'_, '_>,
        commodity: usize,
        order: Option<Json<'_, '_>>,
        tasks: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let reader = self.tasks(entry, commodity)?;
        let order = order.map(|order| reader.order(&order)).transpose()?;
        let mut list = Vec::new();
        need(entry, tasks, "tasks", "the scheme's transfers and merges")?.each(|index, task| {
            list.push(reader.scheme_task(&task, index)?);
            Ok(())
        })?;
        Ok(Pattern::Scheme(Scheme { commodity, order, tasks: list }))
    }

    fn tasks(&self, entry: &Json<'_, '_>, commodity: usize) -> Result<Tasks<'c>, FormatError> {
        let demand = self.demands.get(commodity).ok_or_else(|| entry.wrong("a demand of the plan's collective"))?;
        let (operands, commutative) = (demand.operands.len(), demand.commutative);
        Ok(Tasks { platform: self.platform, demands: self.demands, commodity, operands, commutative })
    }
}

fn not_a_hop(found: &str) -> Problem {
    let expected = "a hop: [link, after], a link and the number of the hop before, or null at the source".into();
    Problem::WrongValue { value: found.to_string(), expected }
}

/// The pattern as [`Patterns::read`] reads it, but for the braces.
pub(super) fn write(out: &mut String, platform: &Platform, demands: &Demands<'_>, pattern: &Pattern) {
    let commodity = pattern.commodity();
    let demand = demands.get(commodity);
    let known = |node: Option<NodeId>| node.map_or_else(|| "null".to_string(), |node| name(platform, node));
    let target = match demand.as_ref().map(|demand| demand.goals) {
        Some(Goals::At(target)) => known(Some(target)),
        _ => "null".to_string(),
    };
    let source = || known(demand.as_ref().and_then(|demand| demand.operands.first().copied()));
    let _ = match pattern {
        Pattern::Path(_) if !demands.grouped() => write!(out, "\"from\": {}, \"to\": {target}, ", source()),
        Pattern::Reduction(_) if !demands.grouped() => write!(out, "\"to\": {target}, "),
        _ => write!(out, "\"demand\": {commodity}, "),
    };
    match pattern {
        Pattern::Path(path) => link_list(out, &path.links),
        Pattern::Arborescence(tree) => write_hops(out, &tree.hops),
        Pattern::Reduction(ReductionTree { order, .. }) | Pattern::Scheme(Scheme { order, .. }) => {
            if let Some(order) = order {
                let operands = demand.as_ref().map(|demand| demand.operands).unwrap_or_default();
                let names: Vec<String> = order.iter().map(|&place| known(operands.get(place).copied())).collect();
                let _ = write!(out, "\"order\": [{}], ", names.join(","));
            }
            task::write(out, platform, pattern);
        }
    }
}

fn write_hops(out: &mut String, hops: &[Hop]) {
    out.push_str("\"hops\": [");
    for (index, hop) in hops.iter().enumerate() {
        let _ = write!(out, "{}[{},", if index == 0 { "" } else { "," }, hop.link);
        task::write_input(out, hop.after);
        out.push(']');
    }
    out.push(']');
}
