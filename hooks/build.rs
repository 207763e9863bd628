//! How the hooks are linked where they are static: for the fewest pages to be brought in at their start.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "musl") {
        // Headers, code and constants in one segment: one map and one page fault less.
        println!("cargo:rustc-link-arg-bins=--no-rosegment");
        println!("cargo:rustc-link-arg-bins=--build-id=none");
    }
}
