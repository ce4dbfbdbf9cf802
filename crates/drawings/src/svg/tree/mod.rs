//! One reduction tree: values in operand order, merges, the result, from below or from the left.

mod picture;
mod right;

use oneport_plan::{Pattern, Problem};
use oneport_platform::Rational;

use self::picture::{Picture, WHAT, places};
use super::page::{Head, MARGIN, Notes};
use super::xml::Canvas;
use crate::reduction::{assemble, title};
use crate::words::Messages;

/// Wider trees go from left to right, unless they are deep as well.
const ABREAST: usize = 16;

/// Draws a reduction tree as RR-4872 figures 5, 7, 11 and 12 have it: values `v0, v1, ...` at their owners, merges
/// `T[k,l,m] @ P`, transfers as arrows with what travels and the links, read from below; the result at the target.
/// Trees of more than 16 values go from left to right. Vertices have the colour of the partial result they make, the
/// same as in [`gantt`](super::gantt); every element has a tooltip with sizes and times. `weight` is how often the
/// tree is carried out per unit of time.
///
/// Tasks that do not fit together are drawn as far as they go. `O(t log t)` for `t` tasks.
pub fn tree(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let collective = problem.collective();
    let assembly = assemble(collective, tree);
    let messages = Messages::new(problem);
    let [title, subtitle] = title(problem, tree, weight);
    let picture = Picture { problem, assembly: &assembly, demand: tree.demand, messages };
    let (places, columns) = places(&assembly);
    let layers = places.iter().map(|place| place.layer + 1).max().unwrap_or(0);
    if columns > ABREAST && 3 * layers <= columns {
        return right::draw(&picture, &places, columns, (&title, &subtitle));
    }
    let layout = picture.layout(places, columns);
    let width = (layout.columns as f64 * layout.column).max(Head::width(&title, &subtitle)) + 2.0 * MARGIN + 1.0;
    let head = Head::new(&title, &subtitle, width);
    let layout = layout.centred(width).lowered(head.extra);
    let notes = Notes::new(&[WHAT, "along an arrow, from below: what travels, and the links it takes"], width);
    let mut canvas = Canvas::new(width, layout.bottom + 14.0 + notes.height + 8.0, &format!("{title}; {subtitle}"));
    head.draw(&mut canvas);
    picture.draw_flows(&mut canvas, &layout);
    picture.draw_vertices(&mut canvas, &layout);
    notes.draw(&mut canvas, layout.bottom + 14.0);
    canvas.finish()
}
