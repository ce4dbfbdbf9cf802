//! Entering arcs in rows: for each set on top the cheapest arc from each other one.

use oneport_numbers::Exact;

use super::entering::{Entering, Tops, useful};

/// A square of arcs. Each set on top has a line: its row holds the arcs that enter it, its column the arcs that leave
/// it.
pub(super) struct Rows<N> {
    lines: usize,
    /// Row by row: cost and arc.
    arcs: Vec<Option<(N, usize)>>,
    /// Per row: the amount still to be subtracted from all costs.
    due: Vec<N>,
    /// The line of each set on top.
    line: Vec<usize>,
    /// The lines in use.
    used: Vec<usize>,
}

impl<N: Exact> Entering<N> for Rows<N> {
    fn take(&mut self, set: usize, _: &mut Tops) -> Option<(usize, N)> {
        let row = self.line[set];
        let cells = self
            .used
            .iter()
            .filter_map(|&column| self.arcs[row * self.lines + column].as_ref());
        let (cost, arc) = cells.min()?.clone();
        let due = std::mem::replace(&mut self.due[row], cost.clone());
        let mut rest = cost;
        rest -= &due;
        Some((arc, rest))
    }

    fn join(&mut self, parts: &[usize]) {
        let mut lines: Vec<usize> = parts.iter().map(|&set| self.line[set]).collect();
        let into = lines.swap_remove(0);
        self.line.push(into);
        self.used.retain(|line| !lines.contains(line));
        let used = std::mem::take(&mut self.used);
        for &other in used.iter().filter(|&&other| other != into) {
            self.settle(into, other);
            for &line in &lines {
                self.settle(line, other);
                self.lower(into, other, line, other);
                self.lower(other, into, other, line);
            }
        }
        self.used = used;
        self.due[into] = N::zero();
        self.arcs[into * self.lines + into] = None;
    }
}

impl<N: Exact> Rows<N> {
    pub(super) fn new(nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Self {
        let mut square: Vec<Option<(N, usize)>> = vec![None; nodes * nodes];
        for (arc, tail, head, cost) in useful(nodes, root, arcs) {
            let cell = &mut square[head * nodes + tail];
            if cell.as_ref().is_none_or(|(old, _)| cost < old) {
                *cell = Some((cost.clone(), arc));
            }
        }
        let lines: Vec<usize> = (0..nodes).collect();
        Rows {
            lines: nodes,
            arcs: square,
            due: vec![N::zero(); nodes],
            line: lines.clone(),
            used: lines,
        }
    }

    /// Applies the deferred subtraction.
    fn settle(&mut self, row: usize, column: usize) {
        if let Some((cost, _)) = &mut self.arcs[row * self.lines + column] {
            *cost -= &self.due[row];
        }
    }

    /// Keeps the cheaper of two cells in the first.
    fn lower(&mut self, row: usize, column: usize, from_row: usize, from_column: usize) {
        let from = self.arcs[from_row * self.lines + from_column].take();
        let cell = &mut self.arcs[row * self.lines + column];
        if from.is_some()
            && cell
                .as_ref()
                .is_none_or(|cell| from.as_ref().is_some_and(|from| from < cell))
        {
            *cell = from;
        }
    }
}
