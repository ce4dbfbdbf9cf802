//! The tree of transmission windows of one reduction (Liu-Kuo-Wang 2009, figures 9 to 11).

use oneport_plan::Window;

use super::colour::Colour;
use super::page::{Head, Notes};
use super::xml::{Canvas, INK, SOFT_INK};
use crate::words;

const MARGIN: f64 = 16.0;
const TOP: f64 = 62.0;
const LEVEL: f64 = 58.0;
const RADIUS: f64 = 14.0;
const SIZE: f64 = 11.0;
const SIDE: f64 = 9.5;
/// Limit on the drawn windows.
const MOST: usize = 200;

/// The windows as a binary tree: the destination's last reception at the top, and below every window the windows that
/// it waits for. Each node contains the time, with the sender to its left and the receiver to its right. The heaviest
/// path from the top is the length of the schedule. Windows beyond the first 200 are left out. O(n).
pub fn windows(windows: &[Window]) -> String {
    let positions = positions(windows);
    let drawn: Vec<(usize, (f64, usize))> = positions
        .iter()
        .enumerate()
        .filter_map(|(at, position)| Some((at, (*position)?)))
        .collect();
    let title = format!(
        "Transmission windows of {}",
        words::plural(windows.len(), "sender")
    );
    let subtitle = "a window waits for those below it";
    let side = |number: u32| words::width(&number.to_string(), SIDE);
    let widest = drawn
        .iter()
        .map(|&(at, _)| side(windows[at].sender) + side(windows[at].receiver));
    let step = 2.0 * RADIUS + widest.fold(0.0, f64::max) + 14.0;
    let columns = drawn
        .iter()
        .map(|(_, position)| position.0)
        .fold(0.0, f64::max);
    let levels = drawn
        .iter()
        .map(|(_, position)| position.1)
        .max()
        .unwrap_or(0);
    let wide = (columns + 1.0) * step;
    let width = wide.max(Head::width(&title, subtitle)) + 2.0 * MARGIN;
    let head = Head::new(&title, subtitle, width);
    let mut note =
        "in the node: the sender's time; left: the sender; right: the receiver".to_string();
    if windows.len() > drawn.len() {
        note = format!("{} more are not shown; {note}", windows.len() - drawn.len());
    }
    let notes = Notes::new(&[note], width);
    let origin = ((width - wide + step) / 2.0, TOP + head.extra + RADIUS);
    let spot =
        |(column, level): (f64, usize)| (origin.0 + column * step, origin.1 + level as f64 * LEVEL);
    let bottom = origin.1 + levels as f64 * LEVEL + RADIUS + 14.0;
    let mut canvas = head.page(bottom + notes.height + 10.0);
    for &(at, position) in &drawn {
        for below in windows[at]
            .waits_for
            .iter()
            .flatten()
            .filter_map(|&below| positions.get(below).copied().flatten())
        {
            canvas.line(spot(position), spot(below), SOFT_INK, 1.0);
        }
    }
    for &(at, position) in &drawn {
        draw(&mut canvas, &windows[at], spot(position));
    }
    notes.draw(&mut canvas, bottom);
    canvas.finish()
}

fn draw(canvas: &mut Canvas, window: &Window, (x, y): (f64, f64)) {
    let colour = Colour::category(window.sender as usize);
    let time = words::terse(&window.time);
    let tooltip = format!(
        "{} to {}, {}",
        window.sender,
        window.receiver,
        words::show(&window.time)
    );
    let tag = canvas.circle("", (x, y), RADIUS).fill(&colour.hex());
    tag.stroke("#333", 0.6).titled(&tooltip);
    let size = if time.len() > 3 { 8.0 } else { SIZE };
    canvas.text((x, y + size * 0.36), "middle", size, colour.text(), &time);
    canvas.text(
        (x - RADIUS - 3.0, y + 3.5),
        "end",
        SIDE,
        INK,
        &window.sender.to_string(),
    );
    canvas.text(
        (x + RADIUS + 3.0, y + 3.5),
        "start",
        SIDE,
        INK,
        &window.receiver.to_string(),
    );
}

/// Column (in leaves) and level of every drawn window. The windows that a window waits for are below it, left and
/// right.
fn positions(windows: &[Window]) -> Vec<Option<(f64, usize)>> {
    let mut positions = vec![None; windows.len()];
    let (mut drawn, mut leaves) = (0, 0.0);
    let mut visited = vec![false; windows.len()];
    let mut stack = vec![(0, 0, false)];
    while let Some((at, level, done)) = stack.pop() {
        let Some(window) = windows.get(at) else {
            continue;
        };
        let below = || window.waits_for.iter().flatten().copied();
        if done {
            let columns: Vec<f64> = below()
                .filter_map(|below| positions.get(below).copied().flatten())
                .map(|(column, _)| column)
                .collect();
            let middle = match (columns.first(), columns.last()) {
                (Some(first), Some(last)) => (first + last) / 2.0,
                _ => {
                    leaves += 1.0;
                    leaves - 1.0
                }
            };
            positions[at] = Some((middle, level));
        } else if drawn < MOST && !visited[at] {
            (drawn, visited[at]) = (drawn + 1, true);
            stack.push((at, level, true));
            stack.extend(
                below()
                    .map(|below| (below, level + 1, false))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev(),
            );
        }
    }
    positions
}
