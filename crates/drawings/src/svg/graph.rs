//! The platform as a graph, with the flows of a steady state.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{Collective, Message, Problem, SteadyState, Task};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};

use super::edges::{self, Edge};
use super::labels::{Area, Page};
use super::layout;
use super::legend::{self, Entry, Mark};
use super::xml::{Canvas, INK, SOFT_INK, diamond, number};
use crate::words::{self, Messages};

const MARGIN: f64 = 16.0;
const TOP: f64 = 60.0;
/// Most nodes whose names are printed whatever they touch.
const ALL_NAMES: usize = 60;
/// Most nodes whose names are printed where there is room.
const SOME_NAMES: usize = 1000;
/// Most links with a label of their own; beyond, only busy links have one, and a shorter one.
const ALL_LABELS: usize = 40;
/// A link's label may cover this many points of other lines, about 8 px apart.
const COVERED: usize = 1;
/// Beyond this many busy links no link has a label.
const BUSY_LABELS: usize = 60;
/// Colour of a processor's share of time computing.
const COMPUTING: &str = "#882255";
/// Largest side of the page.
const LARGEST: f64 = 2400.0;

/// What a node is to the collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Source,
    Target,
    Participant,
    Processor,
    Router,
    /// A router that cannot copy.
    Switch,
}

impl Role {
    /// Fill colour, and outline width: the ends of a collective differ by more than colour.
    fn style(self) -> (&'static str, f64) {
        match self {
            Role::Source => ("#d55e00", 3.5),
            Role::Target => ("#56b4e9", 1.2),
            Role::Participant => ("#2fb58c", 1.2),
            Role::Processor => ("#e4e4e4", 1.2),
            Role::Router => ("#555555", 0.0),
            Role::Switch => ("#ffffff", 2.5),
        }
    }

    fn name(self, collective: &Collective) -> &'static str {
        let groups = !collective.members().is_empty();
        let centre = words::centre(collective);
        match (self, centre) {
            (Role::Source, _) if groups => "source or target of a group",
            (Role::Participant, _) if groups => "member of a group",
            (Role::Target, Some("target")) => "sender",
            (Role::Source, Some("target")) if words::owns_too(collective) => "target and participant",
            (Role::Source, Some(centre)) => centre,
            (Role::Source, None) => "source",
            (Role::Target, _) => "target",
            (Role::Participant, _) => "participant",
            (Role::Processor, _) => "other processor",
            (Role::Router, _) => "router (forwards only)",
            (Role::Switch, _) => "switch (forwards only, does not copy)",
        }
    }
}

/// How long a link, port or processor is busy per unit of time, and with what.
#[derive(Default)]
struct Flows {
    busy: BTreeMap<LinkId, Rational>,
    rates: BTreeMap<LinkId, BTreeMap<Message, Rational>>,
    send: BTreeMap<NodeId, Rational>,
    receive: BTreeMap<NodeId, Rational>,
    compute: BTreeMap<NodeId, Rational>,
    merges: BTreeMap<NodeId, BTreeMap<Message, Rational>>,
}

/// The platform as a graph: processors are circles, routers small squares, routers that do not replicate hollow
/// diamonds (processors that do not have a dashed outline), links arrows. With a steady state, links
/// in use are blue, the wider the longer they are busy, and labelled with their share of busy time; the others are
/// light grey. A ring around a processor shows its share of time computing. Every element has a tooltip with the
/// exact figures.
///
/// The layout is deterministic. O(n m + n^2) up to 500 nodes, O(n + m) beyond.
pub fn graph(problem: Problem<'_>, steady_state: Option<&SteadyState>) -> String {
    let platform = problem.platform();
    let flows = flows(problem, steady_state);
    let roles = roles(problem);
    let count = platform.nodes().len();
    let pairs: Vec<(usize, usize)> = platform.links().iter().map(|link| (link.from.index(), link.to.index())).collect();
    let raw = layout::place(count, &pairs, root(platform, &roles));
    let entries = legend_entries(&roles, problem, steady_state.is_some(), &flows);
    let title = words::describe(problem);
    let subtitle = subtitle(problem, steady_state);

    let radius = radius(count);
    let density = platform.links().len() as f64 / count.max(1) as f64;
    let least = f64::max(words::width(&title, 17.0), words::width(&subtitle, 12.5)).clamp(520.0, 900.0) + 2.0 * MARGIN;
    let (places, width, graph_bottom) = scale(&raw, radius, longest_outer_name(platform, radius), density, least);
    let legend = legend::layout(&entries, MARGIN, width - 2.0 * MARGIN);
    let height = graph_bottom + legend.height + 14.0;

    let mut canvas = Canvas::new(width, height, &format!("{title}; {subtitle}"));
    canvas.text((MARGIN, 28.0), "start", 17.0, INK, &words::fit(&title, 17.0, width - 2.0 * MARGIN));
    canvas.text((MARGIN, 47.0), "start", 12.5, SOFT_INK, &words::fit(&subtitle, 12.5, width - 2.0 * MARGIN));

    let size_of = |node: NodeId| {
        let role = roles.get(node.index()).copied().unwrap_or(Role::Router);
        node_size(role, radius) + if flows.compute.contains_key(&node) { ring(radius) } else { 0.0 }
    };
    let edges = edges::edges(platform, &places, &flows.busy, steady_state.is_some(), size_of);
    let messages = Messages::new(problem);
    edges::draw(&mut canvas, &edges, |edge| link_tooltip(platform, edge.link, &flows, &messages));

    let bounds = Area { left: 4.0, top: TOP - 4.0, right: width - 4.0, bottom: graph_bottom - 2.0 };
    let mut page = Page::new(bounds, edges.iter().flat_map(Edge::samples));
    draw_nodes(&mut canvas, &mut page, problem, &roles, &places, radius, &flows, &messages);
    label_links(&mut canvas, &mut page, platform, &edges, &flows);
    legend::draw(&mut canvas, &entries, &legend, graph_bottom + 8.0);
    canvas.finish()
}

fn flows(problem: Problem<'_>, steady_state: Option<&SteadyState>) -> Flows {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let mut flows = Flows::default();
    for weighted in steady_state.iter().flat_map(|state| &state.patterns) {
        for task in &weighted.pattern.tasks {
            let message = weighted.pattern.message(task.part());
            match *task {
                Task::Send { link: id, .. } => {
                    let Some(link) = words::link(platform, id) else { continue };
                    let time = &weighted.weight * volumes.size_of(message) * &link.cost;
                    add(flows.rates.entry(id).or_default(), message, &weighted.weight);
                    add(&mut flows.busy, id, &time);
                    add(&mut flows.send, link.from, &time);
                    add(&mut flows.receive, link.to, &time);
                }
                Task::Merge { node, part, .. } => {
                    let time = &weighted.weight * volumes.merge_time(platform, node, part);
                    add(flows.merges.entry(node).or_default(), message, &weighted.weight);
                    add(&mut flows.compute, node, &time);
                }
            }
        }
    }
    flows
}

fn add<K: Ord>(sums: &mut BTreeMap<K, Rational>, key: K, value: &Rational) {
    *sums.entry(key).or_insert_with(Rational::zero) += value;
}

fn roles(problem: Problem<'_>) -> Vec<Role> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let role = |node: &Node| match (node.is_processor(), node.replicates) {
        (true, _) => Role::Processor,
        (false, true) => Role::Router,
        (false, false) => Role::Switch,
    };
    let mut roles: Vec<Role> = platform.nodes().iter().map(role).collect();
    assign(&mut roles, collective);
    if !collective.members().is_empty() {
        collective.members().iter().for_each(|member| assign(&mut roles, &member.collective));
        for role in roles.iter_mut().filter(|role| **role == Role::Target) {
            *role = Role::Participant;
        }
    }
    roles
}

/// The roles of the nodes that take part in a collective: the one that a single node plays stands out.
fn assign(roles: &mut [Role], collective: &Collective) {
    let mut give = |nodes: &[NodeId], role: Role| {
        for node in nodes {
            if let Some(place) = roles.get_mut(node.index()) {
                *place = role;
            }
        }
    };
    for demand in collective.custom() {
        give(&demand.owners, Role::Participant);
        give(demand.demand().targets(), Role::Participant);
    }
    let Some(form) = collective.form() else { return };
    let others = if words::centre(collective).is_some() && !form.combines { Role::Target } else { Role::Participant };
    for (role, nodes) in form.roles.iter().zip(collective.cast()).rev() {
        give(nodes, if role.many { others } else { Role::Source });
    }
}

/// Where the drawing starts: the one end of the collective, else the node with most links.
fn root(platform: &Platform, roles: &[Role]) -> usize {
    let degree = |index: &usize| {
        let id = NodeId::new(*index);
        (platform.outgoing(id).len() + platform.incoming(id).len(), std::cmp::Reverse(*index))
    };
    let source = roles.iter().position(|&role| role == Role::Source);
    source.or_else(|| (0..roles.len()).max_by_key(degree)).unwrap_or(0)
}

fn subtitle(problem: Problem<'_>, steady_state: Option<&SteadyState>) -> String {
    let platform = problem.platform();
    let mut parts = vec![
        words::plural(platform.nodes().len(), "node"),
        words::plural(platform.links().len(), "link"),
        platform.model().name().to_string(),
    ];
    if let Some(state) = steady_state {
        parts.push(format!("throughput {}", words::show(&state.throughput)));
        parts.push(words::volumes(problem));
    }
    parts.join(" · ")
}

/// Radius of a processor's circle.
fn radius(nodes: usize) -> f64 {
    match nodes {
        0..=12 => 19.0,
        13..=30 => 16.0,
        31..=60 => 13.0,
        61..=150 => 9.0,
        _ => 5.0,
    }
}

/// Half the extent of a node's mark.
fn node_size(role: Role, radius: f64) -> f64 {
    match role {
        Role::Router => radius * 0.6,
        Role::Switch => radius * 0.75,
        _ => radius,
    }
}

/// Width of the ring around a processor that computes.
fn ring(radius: f64) -> f64 {
    (radius * 0.3).clamp(2.0, 5.0)
}

/// Places in pixels, the width of the page and the bottom of the graph.
fn scale(raw: &[(f64, f64)], radius: f64, name_room: f64, density: f64, least: f64) -> (Vec<(f64, f64)>, f64, f64) {
    let extent = |pick: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            raw.iter().map(pick).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if low <= high { (low, high - low) } else { (0.0, 0.0) }
    };
    let ((left, across), (top, down)) = (extent(|place| place.0), extent(|place| place.1));
    let wanted = match raw.len() {
        0..=12 => 160.0,
        13..=30 => 140.0,
        31..=60 => 125.0,
        61..=150 => 100.0,
        151..=500 => 70.0,
        _ => 36.0,
    };
    // Small dense graphs need room for their labels.
    let wanted = if raw.len() <= 30 { wanted * (density / 3.0).clamp(1.0, 1.6) } else { wanted };
    let side = MARGIN + radius + name_room.max(30.0);
    let unit = f64::min(wanted, (LARGEST - 2.0 * side) / across.max(down).max(1.0));
    let width = (across * unit + 2.0 * side).max(least);
    let x0 = (width - across * unit) / 2.0;
    let y0 = TOP + radius + 26.0;
    let places = raw.iter().map(|&(x, y)| (x0 + (x - left) * unit, y0 + (y - top) * unit)).collect();
    (places, width, y0 + down * unit + radius + 34.0)
}

const NAME_SIZE: f64 = 11.5;

fn name_size(radius: f64) -> f64 {
    if radius < 8.0 { 8.5 } else { NAME_SIZE.min(radius) }
}

/// Room left and right of the outermost nodes for names that do not fit into their circle.
fn longest_outer_name(platform: &Platform, radius: f64) -> f64 {
    let size = name_size(radius);
    let widths = platform.nodes().iter().map(|node| words::width(&node.name, size));
    widths.filter(|&width| width > 2.0 * radius - 4.0).fold(0.0, f64::max).min(110.0) / 2.0
}

#[allow(clippy::too_many_arguments)] // one drawing step: everything it shows
fn draw_nodes(
    canvas: &mut Canvas,
    page: &mut Page,
    problem: Problem<'_>,
    roles: &[Role],
    places: &[(f64, f64)],
    radius: f64,
    flows: &Flows,
    messages: &Messages,
) {
    let platform = problem.platform();
    for ((id, &role), &place) in platform.node_ids().zip(roles).zip(places) {
        let half = node_size(role, radius);
        let share = flows.compute.get(&id).map(|share| words::pixels(share).clamp(0.0, 1.0));
        let extent = half + if share.is_some() { ring(radius) } else { 0.0 };
        page.taken.push(Area::around(place, 2.0 * extent + 4.0, 2.0 * extent + 4.0));
        let (fill, outline) = role.style();
        let tag = match role {
            Role::Router => {
                let tag = canvas.tag("rect").n("x", place.0 - half).n("y", place.1 - half);
                tag.n("width", 2.0 * half).n("height", 2.0 * half)
            }
            Role::Switch => canvas.tag("path").s("d", &diamond(place, half)),
            _ => canvas.tag("circle").n("cx", place.0).n("cy", place.1).n("r", half),
        };
        let tag = tag.s("class", "node").s("fill", fill).s("stroke", INK).n("stroke-width", outline);
        let dashed = words::node(platform, id).is_some_and(|node| node.is_processor() && !node.replicates);
        let tag = if dashed { tag.s("stroke-dasharray", "3 2") } else { tag };
        tag.titled(&node_tooltip(problem, id, role, flows, messages));
        if let Some(share) = share {
            draw_ring(canvas, place, half + 0.5 + ring(radius) / 2.0, ring(radius), share);
        }
    }
    canvas.g().s("pointer-events", "none").start();
    for ((id, &role), &place) in platform.node_ids().zip(roles).zip(places) {
        let inner = node_size(role, radius);
        let half = inner + if flows.compute.contains_key(&id) { ring(radius) } else { 0.0 };
        let size = name_size(radius);
        let name = words::fit_name(&words::name(platform, id), size, 110.0);
        let width = words::width(&name, size);
        if !matches!(role, Role::Router | Role::Switch) && width <= 2.0 * inner - 4.0 {
            canvas.text((place.0, place.1 + size * 0.36), "middle", size, INK, &name);
            continue;
        }
        let (dx, dy) = (half + 4.0 + width / 2.0, half + 4.0 + size / 2.0);
        let shifts = [(0.0, dy), (0.0, -dy), (dx, 0.0), (-dx, 0.0), (dx, dy), (-dx, dy), (dx, -dy), (-dx, -dy)];
        let candidates: Vec<Area> =
            shifts.iter().map(|(x, y)| Area::around((place.0 + x, place.1 + y), width, size + 2.0)).collect();
        let forced = || if roles.len() <= ALL_NAMES { page.least_bad(&candidates) } else { None };
        let free = if roles.len() <= SOME_NAMES { page.choose(&candidates, usize::MAX) } else { None };
        let Some(area) = free.or_else(forced) else { continue };
        page.taken.push(area);
        let (x, y) = area.centre();
        halo(canvas, &area);
        canvas.text((x, y + size * 0.36), "middle", size, INK, &name);
    }
    canvas.close();
}

/// A ring filled to `share`, clockwise from the top.
fn draw_ring(canvas: &mut Canvas, (x, y): (f64, f64), radius: f64, width: f64, share: f64) {
    let circle = |canvas: &mut Canvas, stroke| {
        let tag = canvas.tag("circle").n("cx", x).n("cy", y).n("r", radius).s("fill", "none").s("stroke", stroke);
        tag.n("stroke-width", width).s("pointer-events", "none").end();
    };
    circle(canvas, if share >= 0.999 { COMPUTING } else { "#dddddd" });
    if share < 0.999 {
        let angle = share * std::f64::consts::TAU;
        let end = (number(x + radius * angle.sin()), number(y - radius * angle.cos()));
        let (r, large) = (number(radius), if share > 0.5 { 1 } else { 0 });
        let arc = format!("M{} {} A{r} {r} 0 {large} 1 {} {}", number(x), number(y - radius), end.0, end.1);
        let tag = canvas.tag("path").s("d", &arc).s("fill", "none").s("stroke", COMPUTING);
        tag.n("stroke-width", width).s("pointer-events", "none").end();
    }
}

/// A nearly white area that keeps lines from crossing a text.
fn halo(canvas: &mut Canvas, area: &Area) {
    let tag = canvas.tag("rect").n("x", area.left).n("y", area.top).n("width", area.right - area.left);
    let tag = tag.n("height", area.bottom - area.top).n("rx", 2.0).s("fill", "#ffffff");
    tag.n("fill-opacity", 0.82).end();
}

fn node_tooltip(problem: Problem<'_>, id: NodeId, role: Role, flows: &Flows, messages: &Messages) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let mut text = format!("{}: {}", words::name(platform, id), role.name(collective));
    if let Some(node) = words::node(platform, id) {
        if let Some(compute) = &node.compute {
            text += &format!(", compute {}", words::show(compute));
        }
        if let Some(model) = node.model {
            text += &format!(", {model}");
        }
        if let Some(ports) = node.ports.filter(|_| platform.model_of(id) == PortModel::Multiport) {
            text += &format!(", {}", words::plural(ports, "port"));
        }
        if !node.replicates && role != Role::Switch {
            text += ", does not replicate";
        }
    }
    let verbs = [("sends", &flows.send), ("receives", &flows.receive), ("computes", &flows.compute)];
    for (verb, busy) in verbs.map(|(verb, busy)| (verb, busy.get(&id))) {
        if let Some(busy) = busy {
            text += &format!(", {verb} {} of the time", words::show(busy));
        }
    }
    text + &rate_list(flows.merges.get(&id), messages)
}

fn link_tooltip(platform: &Platform, link: LinkId, flows: &Flows, messages: &Messages) -> String {
    let cost = words::link(platform, link).map_or_else(String::new, |link| words::show(&link.cost));
    let mut text = format!("{}: cost {cost}", words::link_name(platform, link));
    if let Some(busy) = flows.busy.get(&link) {
        text += &format!(", busy {} of the time", words::show(busy));
    }
    text + &rate_list(flows.rates.get(&link), messages)
}

/// "; per unit of time v[1,2] ×1/3, ...", the first few.
fn rate_list(rates: Option<&BTreeMap<Message, Rational>>, messages: &Messages) -> String {
    const LISTED: usize = 8;
    let Some(rates) = rates else { return String::new() };
    let list: Vec<String> = rates
        .iter()
        .take(LISTED)
        .map(|(&message, rate)| format!("{} ×{}", messages.label(message), words::show(rate)))
        .collect();
    let more = if rates.len() > LISTED { format!(", {} more", rates.len() - LISTED) } else { String::new() };
    format!("; per unit of time {}{more}", list.join(", "))
}

/// Labels of links, busy ones first, each where there is room.
fn label_links(canvas: &mut Canvas, page: &mut Page, platform: &Platform, edges: &[Edge], flows: &Flows) {
    const SIZE: f64 = 10.5;
    let busy = |edge: &&Edge| flows.busy.contains_key(&edge.link);
    let count = edges.iter().filter(busy).count();
    let all = edges.len() <= ALL_LABELS;
    if !all && count > BUSY_LABELS {
        return;
    }
    canvas.g().s("pointer-events", "none").start();
    // Edges are sorted by width: the busiest come last.
    for edge in edges.iter().rev().filter(busy).chain(edges.iter().filter(|edge| all && !busy(edge))) {
        let Some(link) = words::link(platform, edge.link) else { continue };
        let cost = format!("c {}", words::show(&link.cost));
        let forms = match flows.busy.get(&edge.link) {
            Some(share) if all => {
                let share = format!("busy {}", words::show(share));
                vec![vec![format!("{cost} · {share}")], vec![cost, share.clone()], vec![share]]
            }
            Some(share) => vec![vec![format!("busy {}", words::terse(share))]],
            None => vec![vec![cost]],
        };
        let fill = if busy(&edge) { "#003a66" } else { SOFT_INK };
        for lines in forms {
            let width = lines.iter().map(|line| words::width(line, SIZE)).fold(0.0, f64::max) + 2.0;
            let height = lines.len() as f64 * (SIZE + 2.0);
            let Some(area) = page.choose(&edge.label_areas(width, height), COVERED) else { continue };
            page.taken.push(area);
            halo(canvas, &area);
            for (row, line) in lines.iter().enumerate() {
                let y = area.top + (row as f64 + 0.82) * (SIZE + 2.0) - 0.4;
                canvas.text((area.centre().0, y), "middle", SIZE, fill, line);
            }
            break;
        }
    }
    canvas.close();
}

fn legend_entries(roles: &[Role], problem: Problem<'_>, solved: bool, flows: &Flows) -> Vec<Entry> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let mut present = roles.to_vec();
    present.sort_unstable();
    present.dedup();
    let mut entries: Vec<Entry> = present
        .into_iter()
        .map(|role| {
            let (fill, outline) = role.style();
            let mark = match role {
                Role::Router => Mark::Square(fill),
                Role::Switch => Mark::Diamond(fill),
                _ => Mark::Circle(fill.to_string(), INK, outline),
            };
            Entry { mark, label: role.name(collective).to_string() }
        })
        .collect();
    let mut line = |stroke: &str, width: f64, label: &str| {
        entries.push(Entry { mark: Mark::Line(stroke.to_string(), width, ""), label: label.to_string() });
    };
    if !flows.busy.is_empty() {
        line(edges::BUSY, 4.0, "link in use, the wider the busier");
    }
    if solved && flows.busy.len() < platform.links().len() {
        line(edges::UNUSED, 1.2, "link not in use");
    }
    if !solved && !platform.links().is_empty() {
        let labelled = platform.links().len() <= ALL_LABELS;
        let label = if labelled { "link, c: time per unit of message" } else { "link; its tooltip tells its cost" };
        line(edges::PLAIN, 1.2, label);
    }
    if !flows.compute.is_empty() {
        let mark = Mark::Circle("#ffffff".to_string(), COMPUTING, 3.0);
        entries.push(Entry { mark, label: "ring: share of time computing".to_string() });
    }
    entries
}
