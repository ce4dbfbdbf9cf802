//! Several equal machines, and the network between them.

use num_traits::Zero;
use oneport_files::error::Mistake;
use oneport_platform::{Rational, whole};

use crate::cards;
use crate::draft::{Draft, Port, Role, gigabytes};
use crate::imported::Topic;
use crate::mistakes::{said, too_many};
use crate::options::{Fabric, Replicate};

/// Puts `count` copies of the draft's machine into the draft and joins them. Their nodes are called `box0.NAME`, ...
pub(crate) fn replicate(draft: &mut Draft<'_>, order: &Replicate) -> Result<(), Mistake> {
    let ports = ports(draft, order)?;
    check_size(draft, order, ports.len())?;
    let size = draft.members.len();
    let (links, groups) = (draft.wires.clone(), std::mem::take(&mut draft.groups));
    let (members, devices) = draft.take_nodes();
    for machine in 0..order.count {
        for member in &members {
            let node = draft.node(
                format!("box{machine}.{}", member.name),
                member.kind,
                member.role,
            )?;
            if let Some(alias) = &member.alias {
                draft.also(node, &format!("box{machine}.{alias}"));
            }
        }
        for device in &devices {
            draft.device(
                machine * size + device.node.index(),
                machine,
                device.device,
                device.rank,
            );
        }
        // The first machine's links are there already.
        for wire in links.iter().filter(|_| machine > 0) {
            draft.copy(wire, machine * size)?;
        }
        for group in &groups {
            let weights = group.weights.iter();
            let weights = weights.map(|(&link, &count)| (machine * links.len() + link, count));
            let name = format!("box{machine}.{}", group.name);
            draft.share(&name, &group.rate, weights.collect());
        }
    }
    join(draft, order, &ports, size)
}

/// A port of one machine, with its bandwidth and its latency in seconds.
struct Joined {
    node: usize,
    rate: Rational,
    latency: Rational,
}

/// The ports of one machine with their bandwidths.
fn ports(draft: &mut Draft<'_>, order: &Replicate) -> Result<Vec<Joined>, Mistake> {
    if draft.devices.iter().any(|device| device.machine > 0) {
        return Err(said(
            "the file holds several machines already; leave out --replicate",
        ));
    }
    if order.count == 0 {
        return Err(said("no machine is left by --replicate 0; give 1 or more"));
    }
    let mut ports = cards::counting(draft)?;
    if draft.ports.is_empty() {
        let processors = draft
            .members
            .iter()
            .enumerate()
            .filter(|(_, member)| member.role == Role::Processor);
        ports = processors
            .map(|(node, _)| Port {
                node,
                rate: None,
                latency: Rational::default(),
                name: None,
            })
            .collect();
        draft.note(
            Topic::Assumed,
            "every processor has a separate network port: the file has no network cards",
        );
    }
    let given = order.bandwidth.as_ref();
    if let Some(rate) = given {
        let what = if order.fabric == Fabric::Full {
            "cable"
        } else {
            "network port"
        };
        draft.note(
            Topic::Assumed,
            format!("net: {} for every {what}, as given", gigabytes(rate)),
        );
    }
    // A port to several machines shares its bandwidth among them.
    let cables = if order.fabric == Fabric::Full {
        order.count.saturating_sub(1).max(1)
    } else {
        1
    };
    let mut rated = Vec::with_capacity(ports.len());
    for port in ports {
        let net = draft.options.link_bandwidth.get("net");
        let own = port
            .rate
            .or_else(|| Some(draft.stated("net", net?.clone())));
        let rate = match (given, own) {
            (Some(given), _) => given.clone(),
            (None, Some(rate)) => rate / whole(cables),
            (None, None) => {
                let text = "the file does not say how fast its network ports are; say it: --fabric switch,25 or rail,25 or \
                            full,25 (GB/s), or --link-bandwidth net=25";
                return Err(said(text));
            }
        };
        rated.push(Joined {
            node: port.node,
            rate,
            latency: port.latency,
        });
    }
    if given.is_none() && cables > 1 {
        draft.note(
            Topic::Assumed,
            format!("net: every port shares its bandwidth among cables to {cables} machines"),
        );
    }
    Ok(rated)
}

/// Refuses a network that would be too large before it is built.
fn check_size(draft: &Draft<'_>, order: &Replicate, ports: usize) -> Result<(), Mistake> {
    let peers = if order.fabric == Fabric::Full {
        order.count.saturating_sub(1)
    } else {
        2
    };
    let links = draft
        .wires
        .len()
        .saturating_add(ports.saturating_mul(peers))
        .saturating_mul(order.count);
    draft.check_links(links)?;
    let nodes = draft.members.len().saturating_mul(order.count);
    if nodes > crate::draft::MAX_NODES {
        let instead = "give a smaller number to --replicate";
        return Err(too_many("nodes", crate::draft::MAX_NODES, instead));
    }
    Ok(())
}

fn join(
    draft: &mut Draft<'_>,
    order: &Replicate,
    ports: &[Joined],
    size: usize,
) -> Result<(), Mistake> {
    if order.count == 1 {
        return Ok(());
    }
    let switches = match order.fabric {
        Fabric::Switch => vec![draft.node("fabric", "network switch", Role::Network)?],
        Fabric::Rail => (0..ports.len())
            .map(|rail| draft.node(format!("rail{rail}"), "network switch", Role::Network))
            .collect::<Result<_, _>>()?,
        Fabric::Full => Vec::new(),
    };
    for machine in 0..order.count {
        for (index, port) in ports.iter().enumerate() {
            let own = machine * size + port.node;
            if let Some(&switch) = switches.get(index.min(switches.len().saturating_sub(1))) {
                cable(draft, own, switch, port)?;
                continue;
            }
            for other in machine + 1..order.count {
                cable(draft, own, other * size + port.node, port)?;
            }
        }
    }
    Ok(())
}

/// A cable of a port, in both directions.
fn cable(draft: &mut Draft<'_>, own: usize, other: usize, port: &Joined) -> Result<(), Mistake> {
    draft.duplex(own, other, "net", port.rate.clone())?;
    if !port.latency.is_zero() {
        draft.latency(own, other, port.latency.clone());
        draft.latency(other, own, port.latency.clone());
    }
    Ok(())
}
