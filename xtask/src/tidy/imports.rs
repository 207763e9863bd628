//! Circles of imports between source files.
//!
//! A reader who meets a circle has to know all of its files to understand one. Cargo forbids circles between crates,
//! the compiler allows them between modules, so this check draws the graph of all files of the workspace and fails on
//! the shortest circle.
//!
//! - [`module_tree`]: the modules of each crate, with the names they bind and the paths they mention.
//! - [`tokens`]: the items of a file, and the paths that they mention.
//! - [`resolve`]: from a path to the file that defines the item.
//! - [`mod@circle`]: the shortest circle of a graph.
//!
//! An import is any path to an item of another file, in a `use` or in the code. A re-export is followed to the file
//! that defines the item. Declaring a module and naming a module are no imports, and a child may use the items of the
//! modules around it, so a parent lies on no circle with its own children. Test code, examples and benchmarks are left out.

mod circle;
mod module_tree;
mod resolve;
mod tokens;

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use module_tree::ModuleTree;

/// Describes a shortest circle, as `a.rs -> b.rs (names) -> a.rs (names)`.
pub(super) fn circle(root: &Path, packages: &[Value]) -> Result<Option<String>> {
    let mut tree = ModuleTree::default();
    for package in packages {
        for (crate_root, name) in crate_roots(package) {
            tree.add_crate(name, &crate_root)?;
        }
    }
    let graph = resolve::imports(&tree, root);
    Ok(circle::shortest(&graph).map(|circle| format!("circle of imports: {circle}")))
}

/// Lists the root files of a package's library and programs, as `cargo metadata` describes it. Only a library has a
/// name that other crates use.
fn crate_roots(package: &Value) -> Vec<(PathBuf, Option<&str>)> {
    let targets = package["targets"].as_array().into_iter().flatten();
    targets
        .filter_map(|target| {
            let path = PathBuf::from(target["src_path"].as_str()?);
            match target["kind"][0].as_str()? {
                "lib" | "rlib" | "proc-macro" => Some((path, target["name"].as_str())),
                "bin" => Some((path, None)),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    /// Writes the files of a library named `made_up` and returns its circle.
    fn circle_of(files: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut targets =
            vec![json!({"kind": ["lib"], "name": "made_up", "src_path": folder.path().join("lib.rs")})];
        if folder.path().join("main.rs").exists() {
            targets.push(json!({"kind": ["bin"], "name": "run", "src_path": folder.path().join("main.rs")}));
        }
        circle(folder.path(), &[json!({ "targets": targets })]).unwrap()
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle_with_the_names() {
        let found = circle_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::{Second, second}; pub struct First; fn f(_: Second) { second() }"),
            ("b.rs", "use super::a::First; pub struct Second(First); pub fn second() {}"),
        ]);
        assert_eq!(
            found.as_deref(),
            Some("circle of imports: a.rs -> b.rs (Second, second) -> a.rs (First)")
        );
    }

    #[test]
    fn a_path_in_the_code_is_an_import_and_so_is_one_in_a_macro_or_an_attribute() {
        for use_of_a in [
            "pub fn b() { crate::a::a() }",
            "use crate::a; pub fn b() { a::a() }",
            "use crate::a as other; pub fn b() { other::a() }",
            "pub fn b() { println!(\"{}\", super::a::a()) }",
            "#[serde(with = \"crate::a::a\")] pub fn b() {}",
            "pub fn b() { use super::a; a::a() }",
            "pub type Alias = Vec<crate::a::A>; pub fn b() {}",
            "impl crate::a::A { fn more() {} } pub fn b() {}",
            "use crate::a::*; pub fn b() { a() }",
        ] {
            let found = circle_of(&[
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "pub struct A; pub fn a() { crate::b::b() }"),
                ("b.rs", use_of_a),
            ]);
            assert!(found.is_some(), "{use_of_a}");
        }
    }

    #[test]
    fn a_child_may_use_the_items_of_its_parent_and_a_stranger_that_does_is_on_a_circle() {
        let parent = ("lib.rs", "mod outer; mod other;");
        let outer = (
            "outer.rs",
            "mod child; pub struct Own; pub fn outer() { child::child(Own); crate::other::other() }",
        );
        let child = ("outer/child.rs", "pub fn child(_: super::Own) {}");
        assert_eq!(circle_of(&[parent, outer, child, ("other.rs", "pub fn other() {}")]), None);
        let other = ("other.rs", "pub fn other() { drop(crate::outer::Own) }");
        assert!(circle_of(&[parent, outer, child, other]).is_some());
    }

    #[test]
    fn a_parent_that_only_declares_and_exports_again_is_on_no_circle() {
        let found = circle_of(&[
            ("lib.rs", "pub mod outer;"),
            ("outer/mod.rs", "mod first; mod second; pub use first::First; pub use second::*;"),
            ("outer/first.rs", "pub struct First;"),
            ("outer/second.rs", "use super::First; pub struct Second(First);"),
        ]);
        assert_eq!(found, None);
    }

    #[test]
    fn a_name_is_followed_through_exports_to_the_file_that_defines_it() {
        let found = circle_of(&[
            ("lib.rs", "mod middle; mod user; pub use middle::Deep;"),
            ("middle.rs", "mod deep; pub use self::deep::Deeper as Deep;"),
            ("middle/deep.rs", "use crate::user::User; pub struct Deeper(User);"),
            ("user.rs", "pub struct User; fn f(_: crate::Deep) {}"),
        ]);
        assert_eq!(
            found.as_deref(),
            Some("circle of imports: middle/deep.rs -> user.rs (User) -> middle/deep.rs (Deeper)")
        );
    }

    #[test]
    fn a_module_and_a_function_of_one_name_are_told_apart() {
        let found = circle_of(&[
            ("lib.rs", "mod count; mod names; pub use count::count;"),
            ("count.rs", "pub fn count() {} pub struct Counted;"),
            ("names.rs", "use crate::count::{Counted, count}; fn f() -> Counted { count(); Counted }"),
        ]);
        assert_eq!(found, None);
    }

    #[test]
    fn tests_make_no_circle() {
        let found = circle_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() {} #[cfg(test)] mod tests { use crate::b::b; #[test] fn t() { b() } }"),
            (
                "b.rs",
                "pub fn b() { super::a::a() } #[cfg(all(test, unix))] use super::a; #[cfg(test)] mod none;",
            ),
        ]);
        assert_eq!(found, None);
    }

    #[test]
    fn a_long_circle_is_shown_whole() {
        let found = circle_of(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "pub fn a() { crate::b::b() }"),
            ("b.rs", "pub fn b() { crate::c::c() }"),
            ("c.rs", "pub fn c() { crate::a::a(); crate::d::d() }"),
            ("d.rs", "pub fn d() {}"),
        ]);
        assert_eq!(found.as_deref(), Some("circle of imports: a.rs -> b.rs (b) -> c.rs (c) -> a.rs (a)"));
    }

    #[test]
    fn a_program_may_use_the_library_beside_it_and_inline_modules_belong_to_their_file() {
        let found = circle_of(&[
            ("lib.rs", "pub mod inner { pub use super::shared; } pub fn shared() { inner::shared() }"),
            ("main.rs", "mod part; use made_up::shared; pub struct Own; fn main() { shared(); part::run() }"),
            ("part.rs", "pub fn run() { made_up::inner::shared() }"),
        ]);
        assert_eq!(found, None);
    }

    #[test]
    fn a_module_without_a_file_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("lib.rs");
        fs::write(&root, "mod gone;").unwrap();
        let error = ModuleTree::default().add_crate(None, &root).unwrap_err();
        assert!(format!("{error:#}").contains("gone"), "{error:#}");
    }
}
