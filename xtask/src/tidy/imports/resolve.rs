//! From a written path to the file that defines the item.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::circle::ImportGraph;
use super::module_tree::{Binding, Module, ModuleId, ModuleTree};
use super::tokens::WrittenPath;

/// The meaning of a path. A path to an item outside the workspace has none here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Module(ModuleId),
    Item { module: ModuleId, name: String },
}

/// Draws the graph of imports between all files of `tree`, with paths relative to `root`.
pub(super) fn imports(tree: &ModuleTree, root: &Path) -> ImportGraph {
    let relative = |file: &Path| -> PathBuf { file.strip_prefix(root).unwrap_or(file).to_owned() };
    let mut graph = ImportGraph::new();
    for (id, module) in tree.modules() {
        let imported = graph.entry(relative(&module.file)).or_default();
        for path in &module.paths {
            let Some(Target::Item { module: definer, name }) = Resolver::new(tree).path(id, path) else {
                continue;
            };
            if is_around(tree, definer, module) {
                continue;
            }
            let Some(definer) = tree.module(definer).filter(|definer| definer.file != module.file) else {
                continue;
            };
            imported.entry(relative(&definer.file)).or_default().insert(name);
        }
    }
    graph
}

/// Whether `outer` is a parent of `module`, or a parent of its parent. A child may use the items around it: a module
/// and its children are read together.
fn is_around(tree: &ModuleTree, outer: ModuleId, module: &Module) -> bool {
    let parents = std::iter::successors(module.parent, |parent| tree.module(*parent)?.parent);
    parents.into_iter().any(|parent| parent == outer)
}

/// The search for one path. It remembers which names it is looking up, as imports may lead in a ring.
struct Resolver<'t> {
    tree: &'t ModuleTree,
    open: BTreeSet<(ModuleId, String)>,
}

impl<'t> Resolver<'t> {
    fn new(tree: &'t ModuleTree) -> Self {
        Self { tree, open: BTreeSet::new() }
    }

    /// Follows `path` from the module that mentions it.
    fn path(&mut self, from: ModuleId, path: &WrittenPath) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = self.tree.module(from)?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(start.crate_root),
            "self" => Target::Module(from),
            "super" => Target::Module(start.parent?),
            name => self
                .name(from, name, rest.is_empty())
                .or_else(|| self.tree.root_of(name).map(Target::Module))?,
        };
        for (index, segment) in rest.iter().enumerate() {
            let Target::Module(module) = target else { break };
            target = match segment.as_str() {
                "self" => target,
                "super" => Target::Module(self.tree.module(module)?.parent?),
                name => self.member(module, name, index + 1 == rest.len())?,
            };
        }
        Some(target)
    }

    /// Looks up a name behind `module::`. A macro may have made it, and then it is taken for the module's own; a
    /// name that comes from another crate is nothing.
    fn member(&mut self, module: ModuleId, name: &str, is_last: bool) -> Option<Target> {
        let found = self.name(module, name, is_last);
        let is_bound = self.tree.module(module)?.bindings.contains_key(name);
        if found.is_none() && !is_bound && is_last {
            return Some(Target::Item { module, name: name.to_owned() });
        }
        found
    }

    /// Looks up a name in the scope of a module. Of several meanings the last segment of a path wants an item, and any
    /// other a module.
    fn name(&mut self, module: ModuleId, name: &str, is_last: bool) -> Option<Target> {
        if !self.open.insert((module, name.to_owned())) {
            return None;
        }
        let tree = self.tree;
        let scope = tree.module(module)?;
        let mut found: Vec<Target> = Vec::new();
        for binding in scope.bindings.get(name).into_iter().flatten() {
            found.extend(match binding {
                Binding::Child(child) => Some(Target::Module(*child)),
                Binding::Definition => Some(Target::Item { module, name: name.to_owned() }),
                Binding::Import(path) => self.path(module, path),
            });
        }
        if found.is_empty() {
            found.extend(scope.globs.iter().filter_map(|glob| match self.path(module, glob)? {
                Target::Module(inside) => self.name(inside, name, is_last),
                Target::Item { .. } => None,
            }));
        }
        self.open.remove(&(module, name.to_owned()));
        let is_wanted = |target: &&Target| matches!(target, Target::Item { .. }) == is_last;
        found.iter().find(is_wanted).or(found.first()).cloned()
    }
}
