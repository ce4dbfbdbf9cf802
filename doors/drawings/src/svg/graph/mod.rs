//! The platform as a graph, with the flows of a steady state and its limiting resources.

mod amounts;
mod banks;
mod captions;
mod edges;
mod flows;
mod labels;
pub(super) mod layout;
mod nodes;
mod placement;
mod strokes;
mod tooltips;

use std::collections::BTreeSet;

use num_traits::Signed;
use oneport_plan::{Certificate, Collective, Problem, SteadyState};
use oneport_platform::{NodeId, Platform};

use self::amounts::Amounts;
use self::captions::Label;
use self::edges::Edge;
use self::flows::{Flows, Role};
use self::labels::{Area, Page};
use self::nodes::Marks;
use self::placement::{Frame, Placement};
use self::strokes::{CHARGED, Charged};
use super::legend::{self, Entry, Mark};
use super::page::{Head, MARGIN, Notes};
use super::xml::{Canvas, INK, SOFT_INK};
use crate::quantities;
use crate::words::{self, Messages};

const TOP: f64 = 64.0;
/// Limit on the links with labels.
const ALL_LABELS: usize = 40;

/// The platform as a graph. Processors are round, routers dark, routers that do not replicate hollow hexagons
/// (processors that do not have a dashed outline), links arrows. Nodes whose names have a common prefix (`box0.gpu0`,
/// `box0.gpu1`) are in a frame. A wider link has a higher bandwidth. With a steady state, a darker link is busy for
/// longer. Resources that the certificate prices, and that so limit the throughput, are red. A ring around a processor
/// shows its share of time computing. Every element has a tooltip with the exact figures.
///
/// The layout is deterministic. O(n m + n^2) up to 500 nodes, O(n + m) beyond.
pub fn graph(
    problem: &Problem,
    steady_state: Option<&SteadyState>,
    certificate: Option<&Certificate>,
) -> String {
    of_problem(problem, steady_state, None, certificate)
}

/// Draws [`graph`] with a steady state. Links that have room for labels show the amounts sent over them per unit of
/// time, and processors their merges, as figures 2(b), 6(c) and 10 of RR-4872 do, instead of cost and load. Tooltips
/// give all figures.
pub fn graph_of_rates(
    problem: &Problem,
    steady_state: &SteadyState,
    certificate: Option<&Certificate>,
) -> String {
    let amounts = amounts::amounts(problem, steady_state);
    of_problem(problem, Some(steady_state), Some(&amounts), certificate)
}

fn of_problem(
    problem: &Problem,
    steady_state: Option<&SteadyState>,
    amounts: Option<&Amounts>,
    certificate: Option<&Certificate>,
) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let flows = steady_state.map(|state| flows::flows(problem, state));
    drawn(
        platform,
        collective,
        [words::describe(problem), subtitle(problem, steady_state)],
        &flows::roles(platform, collective),
        flows,
        amounts,
        certificate,
    )
}

/// The platform alone, without participants, under a title and a line below it.
pub fn platform(platform: &Platform, title: &str, subtitle: &str) -> String {
    let none = Collective::Custom(Vec::new());
    let role = |role| {
        if matches!(role, Role::Router | Role::Switch) {
            role
        } else {
            Role::Alone
        }
    };
    let roles: Vec<Role> = flows::roles(platform, &none)
        .into_iter()
        .map(role)
        .collect();
    let heading = [title.to_string(), subtitle.to_string()];
    drawn(platform, &none, heading, &roles, None, None, None)
}

fn drawn(
    platform: &Platform,
    collective: &Collective,
    [title, subtitle]: [String; 2],
    roles: &[Role],
    flows: Option<Flows>,
    amounts: Option<&Amounts>,
    certificate: Option<&Certificate>,
) -> String {
    let solved = flows.is_some();
    let flows = flows.unwrap_or_default();
    let charged = Charged::of(platform, certificate);
    let marks = Marks::new(platform, roles, &flows, &charged);
    let placement = placement(platform, roles, &marks);
    let strokes = strokes::strokes(platform, &flows, &charged, solved);
    // If amounts are drawn, only links in use have a label.
    let labelled = match amounts {
        Some(amounts) => amounts.links.len() <= ALL_LABELS,
        None => has_room_for_labels(platform, edges::count(platform, &strokes)),
    };
    let edges = edges::edges(
        platform,
        &marks.areas(&placement.positions),
        &strokes,
        labelled,
    );
    // Arrows may reach beyond the nodes.
    let extent = edges
        .iter()
        .flat_map(Edge::samples)
        .fold(placement.area, |all, point| {
            all.join(&Area::around(point, 8.0, 8.0))
        });
    let width = (extent.right - extent.left).max(Head::width(&title, &subtitle).max(520.0))
        + 2.0 * MARGIN
        + 12.0;
    let head = Head::new(&title, &subtitle, width);
    let top = TOP + head.extra;
    let (dx, dy) = ((width - extent.right - extent.left) / 2.0, top - extent.top);
    let placement = placement.moved(dx, dy);
    let edges: Vec<Edge> = edges.into_iter().map(|edge| edge.moved(dx, dy)).collect();
    let bottom = extent.bottom + dy + 14.0;
    let areas = marks.areas(&placement.positions);
    let bounds = Area {
        left: 4.0,
        top: top - 4.0,
        right: width - 4.0,
        bottom,
    };
    let mut page = Page::new(bounds, edges.iter().flat_map(Edge::samples));
    page.taken.extend(areas.iter().map(|area| area.grown(1.5)));
    page.taken.extend(placement.frames.iter().map(title_area));
    let mut captions = captions::Captions::default();
    if labelled {
        captions.links(&mut page, platform, &edges, &flows, amounts);
    }
    if let Some(amounts) = amounts {
        captions.nodes(&mut page, &areas, amounts);
    }
    let labels = &captions.labels;
    let entries = legend_entries(platform, collective, roles, &flows, &charged, solved);
    let mut notes = label_notes(platform, &flows, labels, amounts.is_some());
    notes.extend(captions.note());
    let legend = legend::layout(&entries, MARGIN, width - 2.0 * MARGIN);
    let notes = Notes::new(&notes, width);
    let height = bottom + 12.0 + legend.height + notes.height + 8.0;

    let mut canvas = head.page(height);
    draw_frames(&mut canvas, &placement.frames);
    let messages = Messages::new(platform, collective);
    edges::draw(&mut canvas, &edges, |link| {
        tooltips::link_tooltip(platform, link, &flows, &messages, amounts)
    });
    marks.draw(&mut canvas, &mut page, &areas, |node, role| {
        let limits = charged
            .of_node(node)
            .map(|what| format!("; limits the throughput: {what}"))
            .unwrap_or_default();
        tooltips::node_tooltip(platform, collective, node, role, &flows, &messages, amounts)
            + &limits
    });
    draw_titles(&mut canvas, &placement.frames);
    captions::draw(&mut canvas, labels);
    legend::draw(&mut canvas, &entries, &legend, bottom + 12.0);
    notes.draw(&mut canvas, bottom + legend.height + 4.0);
    canvas.finish()
}

fn placement(platform: &Platform, roles: &[Role], marks: &Marks) -> Placement {
    let count = platform.nodes().len();
    let names: Vec<&str> = platform
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    let links: Vec<(usize, usize)> = platform
        .links()
        .iter()
        .map(|link| (link.from.index(), link.to.index()))
        .collect();
    let unit = match count {
        0..=12 => 150.0,
        13..=30 => 130.0,
        31..=60 => 115.0,
        61..=150 => 90.0,
        151..=500 => 60.0,
        _ => 36.0,
    };
    // Small dense graphs need room for their labels.
    let density = platform.links().len() as f64 / count.max(1) as f64;
    let unit = if count <= 30 {
        unit * (density / 3.0).clamp(1.0, 1.6)
    } else {
        unit
    };
    let root = root(platform, roles);
    placement::arrange(&placement::Nodes {
        names: &names,
        sizes: marks.sizes(),
        links: &links,
        root,
        unit,
    })
}

/// Position of the name of a frame.
fn title_area(frame: &Frame) -> Area {
    let width = words::width(&frame.name, 12.0) * 1.08;
    Area {
        left: frame.area.left + 10.0,
        top: frame.area.top + 4.0,
        right: frame.area.left + 10.0 + width,
        bottom: frame.area.top + placement::TITLE,
    }
}

fn draw_frames(canvas: &mut Canvas, frames: &[Frame]) {
    for frame in frames {
        let area = &frame.area;
        let tag = canvas
            .rect("frame", (area.left, area.top), area.size())
            .n("rx", 8.0);
        let tag = tag.fill("#f3f5f7").stroke("#9aa5b1", 1.0);
        tag.titled(&format!(
            "{}: {}",
            frame.name,
            words::plural(frame.members.len(), "node")
        ));
    }
}

fn draw_titles(canvas: &mut Canvas, frames: &[Frame]) {
    canvas.g().s("font-weight", "bold").untouched().start();
    for frame in frames {
        nodes::halo(canvas, &title_area(frame));
        let at = (frame.area.left + 10.0, frame.area.top + 16.0);
        canvas.text(at, "start", 12.0, SOFT_INK, &frame.name);
    }
    canvas.close();
}

/// Start of the drawing: the source of the collective, else the node with most links.
fn root(platform: &Platform, roles: &[Role]) -> usize {
    let degree = |index: &usize| {
        let id = NodeId::new(*index);
        (
            platform.outgoing(id).len() + platform.incoming(id).len(),
            std::cmp::Reverse(*index),
        )
    };
    let source = roles.iter().position(|&role| role == Role::Source);
    source
        .or_else(|| (0..roles.len()).max_by_key(degree))
        .unwrap_or(0)
}

fn subtitle(problem: &Problem, steady_state: Option<&SteadyState>) -> String {
    let platform = problem.platform();
    let mut parts = vec![
        words::plural(platform.nodes().len(), "node"),
        words::plural(platform.links().len(), "link"),
        platform.model().name().to_string(),
    ];
    if let Some(state) = steady_state {
        parts.push(format!(
            "throughput {}",
            quantities::frequency(platform, &state.throughput)
        ));
        parts.push(quantities::volumes(problem));
    }
    parts.join(" · ")
}

/// Whether `lines` lines have room for labels that clearly belong to one line each.
fn has_room_for_labels(platform: &Platform, lines: usize) -> bool {
    platform.links().len() <= ALL_LABELS && 5 * lines <= 8 * platform.nodes().len()
}

/// The legend.
fn legend_entries(
    platform: &Platform,
    collective: &Collective,
    roles: &[Role],
    flows: &Flows,
    charged: &Charged,
    solved: bool,
) -> Vec<Entry> {
    let present: BTreeSet<Role> = roles.iter().copied().collect();
    let mut entries: Vec<Entry> = present
        .into_iter()
        .map(|role| {
            let (fill, outline) = role.style();
            let mark = match role {
                Role::Router => Mark::Square(fill),
                Role::Switch => Mark::Diamond(fill),
                _ => Mark::Circle(fill.to_string(), INK, outline),
            };
            Entry::new(mark, role.name(collective))
        })
        .collect();
    if flows.compute.values().any(|share| share.is_positive()) {
        let mark = Mark::Circle("#ffffff".to_string(), nodes::COMPUTING, 3.0);
        entries.push(Entry::new(mark, "ring: share of time computing"));
    }
    entries.extend(strokes::legend(platform, flows, solved));
    if charged.any() {
        let label = "red: limits the throughput (charged by the certificate)";
        entries.push(Entry::line(CHARGED, 3.0, "", label));
    }
    entries
}

/// The explanation of the labels: amounts (`rates`), or cost and load.
fn label_notes(platform: &Platform, flows: &Flows, labels: &[Label], rates: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if rates && !labels.is_empty() {
        let merges = if flows.merges.is_empty() {
            ""
        } else {
            "; at a node, its merges"
        };
        notes.push(format!(
            "on a link, what is sent and how often per unit of time{merges}"
        ));
    } else if !labels.is_empty() {
        let cost = if platform.units().is_some() {
            "its bandwidth"
        } else {
            "c: time for one unit of message"
        };
        let load = "%: how much of the time the link is busy";
        let cost = strokes::uniform_cost(platform).is_none().then_some(cost);
        let load = (!flows.busy.is_empty()).then_some(load);
        let parts: Vec<&str> = cost.into_iter().chain(load).collect();
        let pairs = platform
            .links()
            .iter()
            .any(|link| platform.link_between(link.to, link.from).is_some());
        let pairs = if pairs {
            "; one line for both directions where they are equal"
        } else {
            ""
        };
        notes.push(format!("on a link, {}{pairs}", parts.join(", ")));
    }
    notes
}
