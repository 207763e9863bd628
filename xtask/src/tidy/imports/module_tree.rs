//! The modules of a crate, as its source files declare them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::visit::Visit as _;
use syn::{Attribute, Expr, ForeignItem, Item, ItemMod, Lit, Meta};

use super::mentions::{self, ImportedName, Mentions, UseLeaf, WrittenPath};

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

/// Where the files of a module's children lie.
struct ChildFolder<'f> {
    /// The folder of `child.rs` and `child/mod.rs`.
    folder: PathBuf,
    /// The folder that a `#[path]` attribute starts from.
    beside: &'f Path,
}

impl ModuleTree {
    /// Reads the crate whose root is the file `root`. `library` is the name by which other crates use it.
    pub(super) fn add_crate(&mut self, library: Option<&str>, root: &Path) -> Result<()> {
        let id = self.add_module(root.to_owned(), None);
        if let Some(name) = library {
            self.libraries.insert(name.replace('-', "_"), id);
        }
        let folder = root.parent().context("a crate's root lies in no folder")?;
        self.read_file(id, root, folder.to_owned())
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

    fn read_file(&mut self, id: ModuleId, file: &Path, folder: PathBuf) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let syntax = syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
        let beside = file.parent().context("a file lies in no folder")?;
        self.read_items(id, &syntax.items, &ChildFolder { folder, beside })
    }

    fn read_items(&mut self, id: ModuleId, items: &[Item], children: &ChildFolder<'_>) -> Result<()> {
        let mut mentions = Mentions::default();
        for item in items.iter().filter(|item| !mentions::is_test(mentions::attributes(item))) {
            if let Item::Mod(declaration) = item {
                let child = self.read_child(id, declaration, children)?;
                self.bind(id, declaration.ident.to_string(), Binding::Child(child));
                continue;
            }
            for name in defined(item) {
                self.bind(id, name, Binding::Definition);
            }
            mentions.visit_item(item);
        }
        for UseLeaf { path, name } in mentions.uses {
            mentions.paths.push(path.clone());
            match name {
                ImportedName::Named(name) => self.bind(id, name, Binding::Import(path)),
                ImportedName::Glob => self.modules[id.0].globs.push(path),
                ImportedName::Unnamed => {}
            }
        }
        self.modules[id.0].paths.append(&mut mentions.paths);
        Ok(())
    }

    fn read_child(
        &mut self,
        parent: ModuleId,
        child: &ItemMod,
        places: &ChildFolder<'_>,
    ) -> Result<ModuleId> {
        let name = child.ident.to_string();
        if let Some((_, items)) = &child.content {
            let id = self.add_module(self.modules[parent.0].file.clone(), Some(parent));
            let inside = ChildFolder { folder: places.folder.join(&name), beside: places.beside };
            self.read_items(id, items, &inside)?;
            return Ok(id);
        }
        let (flat, nested) =
            (places.folder.join(format!("{name}.rs")), places.folder.join(&name).join("mod.rs"));
        let given = path_attribute(&child.attrs).map(|path| places.beside.join(path));
        let file = given.into_iter().chain([flat, nested]).find(|file| file.is_file());
        let file = file.with_context(|| {
            format!("there is no file for the module {name} in {}", places.folder.display())
        })?;
        // The children of `name.rs` lie in `name/`, those of `mod.rs` and of a file given by `#[path]` beside it.
        let is_flat = file.file_stem().is_some_and(|stem| stem == name.as_str());
        let beside = file.parent().context("a file lies in no folder")?;
        let folder = if is_flat { beside.join(&name) } else { beside.to_owned() };
        let id = self.add_module(file.clone(), Some(parent));
        self.read_file(id, &file, folder)?;
        Ok(id)
    }

    fn bind(&mut self, id: ModuleId, name: String, binding: Binding) {
        self.modules[id.0].bindings.entry(name).or_default().push(binding);
    }
}

/// Lists the names that an item defines in its module.
fn defined(item: &Item) -> Vec<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => return item.ident.iter().map(ToString::to_string).collect(),
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::ForeignMod(block) => {
            let functions = block.items.iter();
            return functions
                .filter_map(|item| {
                    if let ForeignItem::Fn(item) = item { Some(item.sig.ident.to_string()) } else { None }
                })
                .collect();
        }
        _ => return Vec::new(),
    };
    vec![name.to_string()]
}

/// Returns the file that `#[path = "…"]` gives.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(given) if given.path.is_ident("path") => match &given.value {
            Expr::Lit(literal) => {
                if let Lit::Str(path) = &literal.lit {
                    Some(path.value())
                } else {
                    None
                }
            }
            _ => None,
        },
        _ => None,
    })
}
