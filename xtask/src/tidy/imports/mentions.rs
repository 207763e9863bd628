//! The paths that a piece of Rust syntax mentions, without those in test code.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemUse, Lit, Meta, TraitItem, UseTree};

/// A path as it is written, without generic arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenPath {
    /// Whether it begins with `::`, so that its first segment is a crate.
    pub(super) is_global: bool,
    /// The names between the `::`.
    pub(super) segments: Vec<String>,
}

/// The name that one leaf of a `use` tree binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImportedName {
    /// One name.
    Named(String),
    /// Every name of a module or an enum (`*`).
    Glob,
    /// None (`as _`): a trait whose methods are called.
    Unnamed,
}

/// One leaf of a `use` tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UseLeaf {
    pub(super) path: WrittenPath,
    pub(super) name: ImportedName,
}

/// Everything that a piece of syntax mentions.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Paths in types, expressions, patterns, attributes and macro calls.
    pub(super) paths: Vec<WrittenPath>,
    /// The leaves of all `use` declarations, those inside functions too.
    pub(super) uses: Vec<UseLeaf>,
}

impl Visit<'_> for Mentions {
    fn visit_item(&mut self, item: &Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &TraitItem) {
        let attributes = if let TraitItem::Fn(item) = item { &item.attrs } else { &Vec::new() };
        if !is_test(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        let start = WrittenPath { is_global: item.leading_colon.is_some(), segments: Vec::new() };
        leaves(&item.tree, start, &mut self.uses);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        self.paths.push(written(path));
        visit::visit_path(self, path);
    }

    /// The tokens of a macro call have no syntax of their own, so every sequence that looks like a path is taken.
    fn visit_macro(&mut self, call: &syn::Macro) {
        self.paths.push(written(&call.path));
        paths_in_tokens(call.tokens.clone(), &mut self.paths);
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        if attribute.path().is_ident("doc") {
            return;
        }
        self.paths.push(written(attribute.path()));
        if let Meta::List(list) = &attribute.meta {
            paths_in_tokens(list.tokens.clone(), &mut self.paths);
            paths_in_strings(list.tokens.clone(), &mut self.paths);
        }
    }
}

/// Whether attributes make what follows them part of a test build only.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    fn names_test(tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_negated = |at: usize| {
            at.checked_sub(1)
                .is_some_and(|before| matches!(&tokens[before], TokenTree::Ident(name) if name == "not"))
        };
        tokens.iter().enumerate().any(|(at, token)| match token {
            TokenTree::Ident(name) => name == "test",
            TokenTree::Group(group) => !is_negated(at) && names_test(group.stream()),
            _ => false,
        })
    }
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && names_test(list.tokens.clone()),
        Meta::NameValue(_) => false,
    })
}

/// Returns the attributes of an item.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn written(path: &syn::Path) -> WrittenPath {
    WrittenPath {
        is_global: path.leading_colon.is_some(),
        segments: path.segments.iter().map(|segment| segment.ident.to_string()).collect(),
    }
}

fn leaves(tree: &UseTree, mut path: WrittenPath, into: &mut Vec<UseLeaf>) {
    match tree {
        UseTree::Path(step) => {
            path.segments.push(step.ident.to_string());
            leaves(&step.tree, path, into);
        }
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, path.clone(), into)),
        UseTree::Glob(_) => into.push(UseLeaf { path, name: ImportedName::Glob }),
        UseTree::Name(leaf) => {
            let name = leaf.ident.to_string();
            // `a::{self}` names `a`.
            if name != "self" || path.segments.is_empty() {
                path.segments.push(name);
            }
            let last = path.segments.last().cloned().unwrap_or_default();
            into.push(UseLeaf { path, name: ImportedName::Named(last) });
        }
        UseTree::Rename(leaf) => {
            if leaf.ident != "self" || path.segments.is_empty() {
                path.segments.push(leaf.ident.to_string());
            }
            let name = leaf.rename.to_string();
            let name = if name == "_" { ImportedName::Unnamed } else { ImportedName::Named(name) };
            into.push(UseLeaf { path, name });
        }
    }
}

/// Collects every longest sequence `name::name::name` of a token stream, single names too.
fn paths_in_tokens(tokens: TokenStream, into: &mut Vec<WrittenPath>) {
    let mut path = WrittenPath::default();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 && !path.segments.is_empty() {
                    into.push(std::mem::take(&mut path));
                }
                path.segments.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            other => {
                if !path.segments.is_empty() {
                    into.push(std::mem::take(&mut path));
                }
                colons = 0;
                if let TokenTree::Group(group) = other {
                    paths_in_tokens(group.stream(), into);
                }
            }
        }
    }
    if !path.segments.is_empty() {
        into.push(path);
    }
}

/// Collects the paths that attributes such as `#[serde(with = "a::b")]` give as strings.
fn paths_in_strings(tokens: TokenStream, into: &mut Vec<WrittenPath>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => paths_in_strings(group.stream(), into),
            TokenTree::Literal(literal) => {
                if let Lit::Str(text) = Lit::new(literal)
                    && let Ok(path) = text.parse::<syn::Path>()
                    && path.segments.len() > 1
                {
                    into.push(written(&path));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(source: &str) -> Mentions {
        let mut mentions = Mentions::default();
        mentions.visit_file(&syn::parse_file(source).unwrap());
        mentions
    }

    fn paths(source: &str) -> Vec<String> {
        mentions(source).paths.into_iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn a_use_tree_has_a_leaf_for_each_name() {
        let leaf = |path: &[&str], name| UseLeaf {
            path: WrittenPath {
                is_global: false,
                segments: path.iter().map(|segment| (*segment).to_owned()).collect(),
            },
            name,
        };
        let named = |name: &str| ImportedName::Named(name.to_owned());
        assert_eq!(
            mentions("use a::{self, b::C as D, e::*, F as _};").uses,
            [
                leaf(&["a"], named("a")),
                leaf(&["a", "b", "C"], named("D")),
                leaf(&["a", "e"], ImportedName::Glob),
                leaf(&["a", "F"], ImportedName::Unnamed),
            ]
        );
    }

    #[test]
    fn paths_inside_macro_calls_and_generic_arguments_are_mentioned() {
        let found = paths("fn f(x: Vec<a::B>) { assert!(c::d(x, e::F { g: 1 }) == h::I::J); }");
        for path in ["a::B", "c::d", "e::F", "h::I::J"] {
            assert!(found.iter().any(|found| found == path), "{path} is not in {found:?}");
        }
    }

    #[test]
    fn only_code_of_a_test_build_is_left_out() {
        for test in ["#[cfg(test)]", "#[test]", "#[cfg(all(unix, test))]", "#[cfg(any(test, fuzzing))]"] {
            assert!(!paths(&format!("{test} fn f() {{ a::b() }}")).contains(&"a::b".to_owned()), "{test}");
        }
        for other in ["#[cfg(unix)]", "#[cfg(not(test))]", "#[cfg_attr(test, allow(dead_code))]", "#[inline]"]
        {
            assert!(paths(&format!("{other} fn f() {{ a::b() }}")).contains(&"a::b".to_owned()), "{other}");
        }
    }

    #[test]
    fn a_string_is_a_path_only_in_an_attribute_and_never_in_documentation() {
        assert!(paths("#[serde(with = \"a::b\")] struct S;").contains(&"a::b".to_owned()));
        assert!(!paths("#[doc = \"a::b\"] struct S;").contains(&"a::b".to_owned()));
        assert!(!paths("const S: &str = \"a::b\";").contains(&"a::b".to_owned()));
    }
}
