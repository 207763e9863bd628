//! The shortest circle of a graph of files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};

/// A graph of imports: each file with the files it imports from, and the names it imports.
pub(super) type ImportGraph = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// A circle of imports. Each file imports the names beside the next one, and the last file imports from the first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle<'g> {
    start: &'g Path,
    steps: Vec<(&'g Path, &'g BTreeSet<String>)>,
}

impl fmt::Display for Circle<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.start.display())?;
        for (file, names) in &self.steps {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            write!(out, " -> {} ({})", file.display(), names.join(", "))?;
        }
        Ok(())
    }
}

/// Finds one circle, a shortest one, in each knot: a set of files that all reach each other.
pub(super) fn one_per_knot(graph: &ImportGraph) -> Vec<Circle<'_>> {
    let reach: BTreeMap<&Path, BTreeSet<&Path>> =
        graph.keys().map(|file| (file.as_path(), reachable(graph, file))).collect();
    let reaches = |from: &Path, to: &Path| reach.get(from).is_some_and(|files| files.contains(to));
    let mut done: BTreeSet<&Path> = BTreeSet::new();
    let mut found = Vec::new();
    for file in graph.keys() {
        if done.contains(file.as_path()) || !reaches(file, file) {
            continue;
        }
        let knot: Vec<&Path> = graph
            .keys()
            .map(PathBuf::as_path)
            .filter(|other| reaches(file, other) && reaches(other, file))
            .collect();
        let circles = knot.iter().filter_map(|start| shortest(graph, start));
        found.extend(circles.min_by_key(|circle| circle.steps.len()));
        done.extend(knot);
    }
    found
}

/// Collects the files that `start` imports, directly or through others.
fn reachable<'g>(graph: &'g ImportGraph, start: &Path) -> BTreeSet<&'g Path> {
    let next = |file: &Path| graph.get(file).into_iter().flat_map(BTreeMap::keys).map(PathBuf::as_path);
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    let mut open: Vec<&Path> = next(start).collect();
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            open.extend(next(file));
        }
    }
    seen
}

/// Finds a shortest circle through `start` by a breadth-first search.
fn shortest<'g>(graph: &'g ImportGraph, start: &'g Path) -> Option<Circle<'g>> {
    let mut came_from: BTreeMap<&Path, (&Path, &BTreeSet<String>)> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for (next, names) in graph.get(file)? {
            came_from.entry(next).or_insert_with(|| {
                open.push_back(next);
                (file, names)
            });
        }
        if came_from.contains_key(start) {
            break;
        }
    }
    let mut steps = Vec::new();
    let mut at = start;
    loop {
        let (before, names) = came_from.get(at)?;
        steps.push((at, *names));
        at = before;
        if at == start {
            steps.reverse();
            return Some(Circle { start, steps });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(edges: &[(u8, u8)]) -> ImportGraph {
        let file = |number: u8| PathBuf::from(format!("{number}.rs"));
        let mut graph = ImportGraph::new();
        for (from, to) in edges {
            graph.entry(file(*to)).or_default();
            graph.entry(file(*from)).or_default().entry(file(*to)).or_default().insert("x".into());
        }
        graph
    }

    #[test]
    fn the_shorter_way_round_is_shown_and_each_knot_once() {
        let graph = graph(&[(1, 2), (2, 3), (3, 1), (3, 2), (5, 6), (6, 5), (1, 5)]);
        let shown: Vec<String> = one_per_knot(&graph).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["2.rs -> 3.rs (x) -> 2.rs (x)", "5.rs -> 6.rs (x) -> 5.rs (x)"]);
    }

    proptest! {
        /// A graph has a circle exactly if taking away files that import nothing more leaves some.
        #[test]
        fn a_graph_without_a_circle_can_be_taken_down_file_by_file(edges in prop::collection::vec((0u8..8, 0u8..8), 0..16)) {
            let edges: Vec<(u8, u8)> = edges.into_iter().filter(|(from, to)| from != to).collect();
            let graph = graph(&edges);
            let mut left = edges;
            loop {
                let before = left.len();
                let importing: BTreeSet<u8> = left.iter().map(|(from, _)| *from).collect();
                left.retain(|(_, to)| importing.contains(to));
                if left.len() == before {
                    break;
                }
            }
            prop_assert_eq!(one_per_knot(&graph).is_empty(), left.is_empty());
        }
    }
}
