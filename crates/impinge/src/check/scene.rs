//! All pairs of parts of a scene that may be in contact.

use crate::scene::Scene;

/// The pairs of parts whose boxes, in the scene's frame and grown by half of `margin` each, overlap, without the ignored ones; ascending.
///
/// Conservative: a pair that is left out is further apart than `margin`. The boxes are swept along the x axis.
#[must_use]
pub fn candidate_pairs(scene: &Scene, margin: f64) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..scene.parts().len()).collect();
    // Relative poses are rounded again, so boxes that only just miss each other are kept.
    let boxes: Vec<_> = order
        .iter()
        .map(|i| {
            let bounds = scene.bounds_of(*i);
            let size = bounds.min.abs().max(bounds.max.abs()).max_element();
            let slack = if size.is_finite() { size * 64.0 * f64::EPSILON } else { 0.0 };
            bounds.grown(margin * 0.5 * (1.0 + f64::EPSILON) + slack)
        })
        .collect();
    order.retain(|i| !boxes[*i].is_empty());
    order.sort_by(|i, j| boxes[*i].min.x.total_cmp(&boxes[*j].min.x).then(i.cmp(j)));
    let mut pairs = Vec::new();
    for (k, i) in order.iter().enumerate() {
        for j in order[k + 1..].iter().take_while(|j| boxes[**j].min.x <= boxes[*i].max.x) {
            let pair = (*i.min(j), *i.max(j));
            if boxes[*i].overlaps(&boxes[*j]) && !scene.is_ignored(pair.0, pair.1) {
                pairs.push(pair);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
