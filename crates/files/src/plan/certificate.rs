//! Certificates of a plan: prices of resources and odd sets, and needs.

use std::fmt::Write as _;

use oneport_plan::{CapacityRow, Certificate, OddSet, Plan, Resource};
use oneport_platform::{Platform, Rational};

use super::cells::{Reader, link_list, link_number, links_of, list, name};
use super::needs;
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::native::quote;
use crate::nodes::find;
use crate::number::rational;

impl Reader<'_> {
    /// Every name and number exists. Whether the lists are sorted and prove anything is the referee's part.
    pub(super) fn read(&self, value: &Json<'_, '_>) -> Result<Certificate, FormatError> {
        let [prices, odd_sets, needs] = value.object(["prices", "odd_sets", "needs"])?;
        let mut certificate = Certificate::default();
        let prices = need(value, prices, "prices", "the prices of resources")?;
        self.read_rows(Some(prices), odd_sets, &mut certificate)?;
        needs.map_or(Ok(()), |list| {
            list.each(|_, entry| {
                certificate.needs.push(self.need(&entry)?);
                Ok(())
            })
        })?;
        Ok(certificate)
    }

    /// Prices of resources and of odd sets.
    pub(super) fn read_rows(
        &self,
        prices: Option<Json<'_, '_>>,
        odd_sets: Option<Json<'_, '_>>,
        certificate: &mut Certificate,
    ) -> Result<(), FormatError> {
        prices.map_or(Ok(()), |list| {
            list.each(|_, entry| {
                let (resource, price) = self.price(&entry)?;
                certificate
                    .rows
                    .push((CapacityRow::Resource(resource), price));
                Ok(())
            })
        })?;
        odd_sets.map_or(Ok(()), |list| {
            list.each(|_, entry| {
                let (set, price) = self.odd_set(&entry)?;
                certificate.rows.push((CapacityRow::OddSet(set), price));
                Ok(())
            })
        })
    }

    fn price(&self, entry: &Json<'_, '_>) -> Result<(Resource, Rational), FormatError> {
        let [resource, node, link, name, price] =
            entry.object(["resource", "node", "link", "name", "price"])?;
        let resource = self.resource(entry, [resource, node, link, name])?;
        Ok((
            resource,
            rational(need(entry, price, "price", "the resource's price")?)?,
        ))
    }

    /// A resource by its kind and its node, link or name.
    fn resource(
        &self,
        entry: &Json<'_, '_>,
        [resource, node, link, name]: [Option<Json<'_, '_>>; 4],
    ) -> Result<Resource, FormatError> {
        const KINDS: &str = "a resource: send, receive, port, compute, link or shared";
        let resource = need(entry, resource, "resource", KINDS)?;
        let kind = resource.string()?;
        let absent = |values: [(&'static str, Option<Json<'_, '_>>); 2], why: &'static str| {
            let given = values
                .into_iter()
                .find_map(|(key, value)| Some((key, value?)));
            given.map_or(Ok(()), |(key, value)| {
                Err(value.fail(Mistake::NotHere { key, why }))
            })
        };
        if kind == "shared" {
            absent(
                [("node", node), ("link", link)],
                "a shared capacity is known by its name",
            )?;
            let name = need(entry, name, "name", "the name of the shared capacity")?;
            let found = self.platform.find_shared(&name.string()?);
            let found = found.ok_or_else(|| name.wrong("a shared capacity of the platform"))?;
            return Ok(Resource::Shared(found));
        }
        if kind == "link" {
            absent(
                [("node", node), ("name", name)],
                "a link is known by its number",
            )?;
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
        absent(
            [("link", link), ("name", name)],
            "the resource belongs to a node",
        )?;
        Ok(make(find(
            &need(entry, node, "node", "the node of the resource")?,
            self.platform,
        )?))
    }

    fn odd_set(&self, entry: &Json<'_, '_>) -> Result<(OddSet, Rational), FormatError> {
        let [ports, links, price] = entry.object(["ports", "links", "price"])?;
        let mut set = OddSet {
            ports: Vec::new(),
            links: Vec::new(),
        };
        need(entry, ports, "ports", "the ports of the set")?.each(|_, port| {
            let [resource, node] = port.object(["resource", "node"])?;
            let found = self.resource(&port, [resource, node, None, None])?;
            if let (Resource::Compute(_) | Resource::Shared(_), Some(resource)) = (found, resource)
            {
                return Err(resource.wrong("a port: send, receive or port"));
            }
            set.ports.push(found);
            Ok(())
        })?;
        set.links = links_of(
            &need(
                entry,
                links,
                "links",
                "further links of the set, [] for none",
            )?,
            self.platform,
        )?;
        Ok((
            set,
            rational(need(entry, price, "price", "the set's price")?)?,
        ))
    }
}

/// `certificate`, the prices, and the other lists if there are any.
pub(super) fn write(out: &mut String, plan: Plan<'_>) {
    out.push_str("  \"certificate\": {\n");
    write_prices(out, plan, "    ");
    let needs = &plan.certificate.needs;
    if !needs.is_empty() {
        out.push_str(",\n");
        list(out, "    ", "needs", needs, |out, need| {
            needs::write(out, plan.platform(), need)
        });
    }
    out.push_str("\n  },\n");
}

/// The prices of resources, and `odd_sets` if there are any.
pub(super) fn write_prices(out: &mut String, plan: Plan<'_>, indent: &str) {
    let (platform, certificate) = (plan.platform(), plan.certificate);
    let prices: Vec<(Resource, &Rational)> = certificate.prices().collect();
    list(out, indent, "prices", &prices, |out, (resource, price)| {
        write_resource(out, platform, *resource);
        let _ = write!(out, ", \"price\": \"{price}\"");
    });
    let odd_sets: Vec<(&OddSet, &Rational)> = certificate.odd_sets().collect();
    if !odd_sets.is_empty() {
        out.push_str(",\n");
        list(out, indent, "odd_sets", &odd_sets, |out, (set, price)| {
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
    }
}

fn write_resource(out: &mut String, platform: &Platform, resource: Resource) {
    let _ = write!(out, "\"resource\": {}, ", quote(resource.kind()));
    let _ = match resource {
        Resource::Link(link) => write!(out, "\"link\": {link}"),
        Resource::Shared(id) => {
            let shared = platform.shared().get(id.index());
            let name = shared.map_or("", |shared| &shared.name);
            write!(out, "\"name\": {}", quote(name))
        }
        Resource::Send(node)
        | Resource::Receive(node)
        | Resource::Compute(node)
        | Resource::Port(node) => {
            write!(out, "\"node\": {}", name(platform, node))
        }
    };
}
