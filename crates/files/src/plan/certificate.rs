//! Certificates of a plan: prices of resources and odd sets, cuts, shares, and what all-reduces exchange.

use std::fmt::Write as _;

use oneport_plan::{Certificate, Cut, Goals, OddSet, Plan, Resource, Share};
use oneport_platform::{Platform, Rational};

use super::cells::{Reader, find, link_list, link_number, links_of, list, name, node_list};
use super::exchange;
use super::task::{self, Tasks};
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::native::quote;
use crate::number::rational;

/// The values of `certificate`, `odd_sets`, `cuts`, `shares`, and what all-reduces exchange.
pub(super) struct Lists<'a, 'e> {
    pub prices: Json<'a, 'e>,
    pub odd_sets: Option<Json<'a, 'e>>,
    pub cuts: Option<Json<'a, 'e>>,
    pub shares: Option<Json<'a, 'e>>,
    pub exchange: exchange::Lists<'a, 'e>,
}

impl Reader<'_> {
    /// Every name and number exists; whether the lists are sorted and prove anything is the referee's part.
    pub fn read(&self, lists: Lists<'_, '_>) -> Result<Certificate, FormatError> {
        let mut certificate = Certificate::default();
        lists.prices.each(|_, entry| {
            certificate.prices.push(self.price(&entry)?);
            Ok(())
        })?;
        if let Some(list) = lists.odd_sets {
            list.each(|_, entry| {
                certificate.odd_sets.push(self.odd_set(&entry)?);
                Ok(())
            })?;
        }
        if let Some(list) = lists.cuts {
            list.each(|_, entry| {
                certificate.cuts.push(self.cut(&entry)?);
                Ok(())
            })?;
        }
        if let Some(list) = lists.shares {
            list.each(|_, entry| {
                certificate.shares.push(self.share(&entry)?);
                Ok(())
            })?;
        }
        self.read_exchange(lists.exchange, &mut certificate)?;
        Ok(certificate)
    }

    pub fn price(&self, entry: &Json<'_, '_>) -> Result<(Resource, Rational), FormatError> {
        let [resource, node, link, price] = entry.object(["resource", "node", "link", "price"])?;
        let resource = self.resource(entry, [resource, node, link])?;
        Ok((resource, rational(need(entry, price, "price", "the resource's price")?)?))
    }

    /// A resource by its kind and its node or link.
    fn resource(
        &self,
        entry: &Json<'_, '_>,
        [resource, node, link]: [Option<Json<'_, '_>>; 3],
    ) -> Result<Resource, FormatError> {
        const KINDS: &str = "a resource: send, receive, port, compute or link";
        let resource = need(entry, resource, "resource", KINDS)?;
        let kind = resource.string()?;
        if kind == "link" {
            if let Some(node) = node {
                return Err(node.fail(Mistake::NotHere { key: "node", why: "a link is known by its number" }));
            }
            let link = need(entry, link, "link", "the link's number")?;
            return Ok(Resource::Link(link_number(&link, self.platform)?));
        }
        let make = match kind.as_ref() {
            "send" => Resource::Send,
            "receive" => Resource::Receive,
            "port" => Resource::Port,
            "compute" => Resource::Compute,
            _ => return Err(resource.wrong(KINDS)),
        };
        if let Some(link) = link {
            return Err(link.fail(Mistake::NotHere { key: "link", why: "the resource belongs to a node" }));
        }
        Ok(make(find(&need(entry, node, "node", "the node of the resource")?, self.platform)?))
    }

    pub fn odd_set(&self, entry: &Json<'_, '_>) -> Result<(OddSet, Rational), FormatError> {
        let [ports, links, price] = entry.object(["ports", "links", "price"])?;
        let mut set = OddSet { ports: Vec::new(), links: Vec::new() };
        need(entry, ports, "ports", "the ports of the set")?.each(|_, port| {
            let [resource, node] = port.object(["resource", "node"])?;
            let found = self.resource(&port, [resource, node, None])?;
            if let (Resource::Compute(_), Some(resource)) = (found, resource) {
                return Err(resource.wrong("a port: send, receive or port"));
            }
            set.ports.push(found);
            Ok(())
        })?;
        set.links = links_of(&need(entry, links, "links", "further links of the set, [] for none")?, self.platform)?;
        Ok((set, rational(need(entry, price, "price", "the set's price")?)?))
    }

    fn cut(&self, entry: &Json<'_, '_>) -> Result<Cut, FormatError> {
        let [demand, nodes, weight] = entry.object(["demand", "nodes", "weight"])?;
        let demand = demand.map(|demand| demand.place("demand", self.demands.count())).transpose()?;
        let mut cut = Cut { demand, nodes: Vec::new(), weight: Rational::default() };
        need(entry, nodes, "nodes", "the nodes of the cut")?.each(|_, node| {
            cut.nodes.push(find(&node, self.platform)?);
            Ok(())
        })?;
        cut.weight = rational(need(entry, weight, "weight", "how much of the prices the cut takes")?)?;
        Ok(cut)
    }

    fn share(&self, entry: &Json<'_, '_>) -> Result<Share, FormatError> {
        let [demand, goal, link, merge, part, split, price] =
            entry.object(["demand", "goal", "link", "merge", "part", "split", "price"])?;
        let value = need(entry, demand, "demand", "the number of the demand, counted from 0")?;
        let place = value.place("demand", self.demands.count())?;
        let demand = self.demands.get(place).ok_or_else(|| value.wrong("a demand of the plan's collective"))?;
        let operands = demand.operands.len();
        let goals = match demand.goals {
            Goals::At(_) => 1,
            Goals::Everywhere(nodes) => nodes.len(),
            Goals::Prefixes => operands,
        };
        let goal = need(entry, goal, "goal", "the number of the demand's goal, counted from 0")?;
        let goal = goal.place("goal", goals)?;
        let (platform, commutative) = (self.platform, demand.commutative);
        let tasks = Tasks { platform, demands: self.demands, demand: place, operands, commutative };
        let task = tasks.plain(entry, [link, merge, part, split])?;
        let price = rational(need(entry, price, "price", "what the goal pays for the task")?)?;
        Ok(Share { demand: place, goal, task, price })
    }
}

/// `certificate`, and the other lists where there are any.
pub(super) fn write(out: &mut String, plan: &Plan) {
    let (platform, Certificate { cuts, shares, .. }) = (&plan.platform, &plan.certificate);
    write_prices(out, plan, "certificate");
    if !cuts.is_empty() {
        list(out, "  ", "cuts", cuts, |out, cut| {
            if let Some(demand) = cut.demand {
                let _ = write!(out, "\"demand\": {demand}, ");
            }
            node_list(out, platform, "nodes", &cut.nodes);
            let _ = write!(out, ", \"weight\": \"{}\"", cut.weight);
        });
        out.push_str(",\n");
    }
    if !shares.is_empty() {
        list(out, "  ", "shares", shares, |out, share| {
            let _ = write!(out, "\"demand\":{},\"goal\":{},", share.demand, share.goal);
            task::write_plain(out, platform, share.task, false);
            let _ = write!(out, ",\"price\":\"{}\"", share.price);
        });
        out.push_str(",\n");
    }
    exchange::write(out, platform, &plan.certificate);
}

/// The prices of resources under this key, and `odd_sets` where there are any.
pub(super) fn write_prices(out: &mut String, plan: &Plan, key: &str) {
    let (platform, Certificate { prices, odd_sets, .. }) = (&plan.platform, &plan.certificate);
    list(out, "  ", key, prices, |out, (resource, price)| {
        write_resource(out, platform, *resource);
        let _ = write!(out, ", \"price\": \"{price}\"");
    });
    out.push_str(",\n");
    if !odd_sets.is_empty() {
        list(out, "  ", "odd_sets", odd_sets, |out, (set, price)| {
            out.push_str("\"ports\": [");
            for (index, port) in set.ports.iter().enumerate() {
                out.push_str(if index == 0 { "{" } else { ", {" });
                write_resource(out, platform, *port);
                out.push('}');
            }
            out.push_str("], ");
            link_list(out, &set.links);
            let _ = write!(out, ", \"price\": \"{price}\"");
        });
        out.push_str(",\n");
    }
}

fn write_resource(out: &mut String, platform: &Platform, resource: Resource) {
    let _ = write!(out, "\"resource\": {}, ", quote(resource.kind()));
    let _ = match resource {
        Resource::Link(link) => write!(out, "\"link\": {link}"),
        Resource::Send(node) | Resource::Receive(node) | Resource::Compute(node) | Resource::Port(node) => {
            write!(out, "\"node\": {}", name(platform, node))
        }
    };
}
