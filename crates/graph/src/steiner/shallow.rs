//! A shallow tree over the same nodes that costs at most as much.

use oneport_numbers::Exact;

use super::solution::Steiner;
use crate::arborescence::shallow_arborescence;

impl<N: Exact> Steiner<N> {
    /// A tree over nodes of this one that costs at most as much and, unless it costs less, is no deeper if every arc of
    /// the list (by its index) counts `hops`. The proof is unchanged. Among trees over exactly these nodes it has the
    /// depth of [`shallow_arborescence`].
    ///
    /// `root`, `required` and `arcs` are those of the question that this tree answers. Takes the time of one
    /// arborescence over the nodes of the tree.
    #[must_use]
    pub fn shallow(
        self,
        root: usize,
        required: &[usize],
        arcs: &[(usize, usize, N)],
        hops: impl Fn(usize) -> u32,
    ) -> Self {
        let Some(found) = self.respanned(root, required, arcs, &hops) else {
            return self;
        };
        let mut cost = N::zero();
        for &arc in &found {
            cost += &arcs[arc].2;
        }
        let deeper = || depth(&found, arcs, &hops) > depth(&self.arcs, arcs, &hops);
        if cost > self.cost || cost == self.cost && deeper() {
            return self;
        }
        Steiner {
            arcs: found,
            cost,
            ..self
        }
    }

    /// The arcs of a shallow arborescence over the same nodes, each after the one that enters its tail, without leaves
    /// that are not required.
    fn respanned(
        &self,
        root: usize,
        required: &[usize],
        arcs: &[(usize, usize, N)],
        hops: &impl Fn(usize) -> u32,
    ) -> Option<Vec<usize>> {
        let heads = self
            .arcs
            .iter()
            .map(|&arc| Some(arcs.get(arc)?.1))
            .collect::<Option<Vec<usize>>>()?;
        let mut nodes: Vec<usize> = heads.into_iter().chain([root]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let index = |node: usize| nodes.binary_search(&node).ok();
        let mut own: Vec<(usize, usize, N)> = Vec::new();
        let mut indices: Vec<usize> = Vec::new();
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            if let (Some(tail), Some(head)) = (index(*tail), index(*head)) {
                own.push((tail, head, cost.clone()));
                indices.push(arc);
            }
        }
        let found =
            shallow_arborescence(nodes.len(), index(root)?, &own, |arc| hops(indices[arc]))?;
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for &arc in found.entering.iter().flatten() {
            leaving[own[arc].0].push(arc);
        }
        let (mut order, mut next): (Vec<usize>, Vec<usize>) = (Vec::new(), vec![index(root)?]);
        while let Some(node) = next.pop() {
            order.extend(&leaving[node]);
            next.extend(leaving[node].iter().map(|&arc| own[arc].1));
        }
        let mut kept: Vec<bool> = vec![false; nodes.len()];
        for node in required.iter().filter_map(|&node| index(node)) {
            kept[node] = true;
        }
        for &arc in order.iter().rev() {
            kept[own[arc].0] |= kept[own[arc].1];
        }
        order.retain(|&arc| kept[own[arc].1]);
        Some(order.into_iter().map(|arc| indices[arc]).collect())
    }
}

/// The distance of the farthest node of a tree. Arcs come after the arcs that enter their tails.
fn depth<N>(tree: &[usize], arcs: &[(usize, usize, N)], hops: &impl Fn(usize) -> u32) -> u32 {
    let mut far = std::collections::BTreeMap::new();
    for &arc in tree {
        let (tail, head, _) = &arcs[arc];
        let known = far.get(tail).copied().unwrap_or(0);
        far.insert(*head, known + hops(arc));
    }
    far.into_values().max().unwrap_or(0)
}
