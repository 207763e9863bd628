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

/// Finds a shortest circle of a graph.
pub(super) fn shortest(graph: &ImportGraph) -> Option<Circle<'_>> {
    graph.keys().filter_map(|start| shortest_through(graph, start)).min_by_key(|circle| circle.steps.len())
}

/// Finds a shortest circle through `start` by a breadth-first search.
fn shortest_through<'g>(graph: &'g ImportGraph, start: &'g Path) -> Option<Circle<'g>> {
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
    fn the_shortest_circle_is_shown() {
        let graph = graph(&[(1, 2), (2, 3), (3, 1), (1, 5), (5, 6), (6, 5)]);
        assert_eq!(shortest(&graph).unwrap().to_string(), "5.rs -> 6.rs (x) -> 5.rs (x)");
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
            prop_assert_eq!(shortest(&graph).is_none(), left.is_empty());
        }
    }
}
