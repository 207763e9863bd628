//! The modules of a crate, as its source files declare them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};

use super::tokens::{self, ImportedName, Mentions, WrittenPath};

/// The keywords behind which an item has its name.
const KEYWORDS: [&str; 8] = ["const", "enum", "fn", "static", "struct", "trait", "type", "union"];

/// The index of a module in its [`ModuleTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ModuleId(usize);

/// The meaning of a name in a module.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// A module declared here.
    Child(ModuleId),
    /// An item defined here.
    Definition,
    /// The meaning of another path.
    Import(WrittenPath),
}

/// A module: a file, or a block `mod name { … }` inside one.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    /// The root of the crate, which is its own root.
    pub(super) crate_root: ModuleId,
    pub(super) parent: Option<ModuleId>,
    /// A name can stand for several things, such as a module and a function.
    pub(super) bindings: BTreeMap<String, Vec<Binding>>,
    pub(super) globs: Vec<WrittenPath>,
    /// Every path that the module mentions, those of its `use` declarations too.
    pub(super) paths: Vec<WrittenPath>,
}

/// The modules of all crates that were added.
#[derive(Debug, Default)]
pub(super) struct ModuleTree {
    modules: Vec<Module>,
    libraries: BTreeMap<String, ModuleId>,
}

impl ModuleTree {
    /// Reads the crate whose root is the file `root`. `library` is the name by which other crates use it.
    pub(super) fn add_crate(&mut self, library: Option<&str>, root: &Path) -> Result<()> {
        let id = self.add_module(root.to_owned(), None);
        if let Some(name) = library {
            self.libraries.insert(name.replace('-', "_"), id);
        }
        self.read_file(id, root, root.parent().context("a crate's root lies in no folder")?)
    }

    /// Returns the module of an id that this tree handed out.
    pub(super) fn module(&self, id: ModuleId) -> Option<&Module> {
        self.modules.get(id.0)
    }

    /// Lists all modules.
    pub(super) fn modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.modules.iter().enumerate().map(|(index, module)| (ModuleId(index), module))
    }

    /// Returns the root of the library that other crates call `name`.
    pub(super) fn root_of(&self, name: &str) -> Option<ModuleId> {
        self.libraries.get(name).copied()
    }

    fn add_module(&mut self, file: PathBuf, parent: Option<ModuleId>) -> ModuleId {
        let id = ModuleId(self.modules.len());
        let crate_root = parent.and_then(|parent| self.module(parent)).map_or(id, |parent| parent.crate_root);
        self.modules.push(Module {
            file,
            crate_root,
            parent,
            bindings: BTreeMap::new(),
            globs: Vec::new(),
            paths: Vec::new(),
        });
        id
    }

    /// Reads a file whose child modules lie in `children`.
    fn read_file(&mut self, id: ModuleId, file: &Path, children: &Path) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let tokens =
            text.parse().map_err(|error| anyhow::anyhow!("cannot read {}: {error}", file.display()))?;
        self.read_items(id, tokens, children)
    }

    fn read_items(&mut self, id: ModuleId, tokens: TokenStream, children: &Path) -> Result<()> {
        let mut mentions = Mentions::default();
        for item in tokens::items(tokens) {
            if let Some(name) = tokens::name_after(&item, "mod") {
                let child = self.read_child(id, &name, &item, children)?;
                self.bind(id, name, Binding::Child(child));
                continue;
            }
            for name in KEYWORDS.iter().filter_map(|keyword| tokens::name_after(&item, keyword)) {
                self.bind(id, name, Binding::Definition);
            }
            mentions.read(item);
        }
        for (path, name) in mentions.uses {
            mentions.paths.push(path.clone());
            match name {
                ImportedName::Named(name) => self.bind(id, name, Binding::Import(path)),
                ImportedName::Glob => self.modules[id.0].globs.push(path),
            }
        }
        self.modules[id.0].paths.append(&mut mentions.paths);
        Ok(())
    }

    /// Reads the module `name` that `item` declares: a block, or a file in the folder `children`.
    fn read_child(
        &mut self,
        parent: ModuleId,
        name: &str,
        item: &[TokenTree],
        children: &Path,
    ) -> Result<ModuleId> {
        if let Some(TokenTree::Group(block)) = item.last() {
            let id = self.add_module(self.modules[parent.0].file.clone(), Some(parent));
            self.read_items(id, block.stream(), &children.join(name))?;
            return Ok(id);
        }
        let folder = children.join(name);
        let candidates = [children.join(format!("{name}.rs")), folder.join("mod.rs")];
        let file = candidates.into_iter().find(|file| file.is_file());
        let file = file
            .with_context(|| format!("there is no file for the module {name} in {}", children.display()))?;
        let id = self.add_module(file.clone(), Some(parent));
        self.read_file(id, &file, &folder)?;
        Ok(id)
    }

    fn bind(&mut self, id: ModuleId, name: String, binding: Binding) {
        self.modules[id.0].bindings.entry(name).or_default().push(binding);
    }
}
