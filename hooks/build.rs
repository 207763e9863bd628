//! How the hooks are linked where they are static: for the fewest pages to be brought in at their start.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "musl") {
        // Headers, code and constants in one segment: one map and one page fault less.
        println!("cargo:rustc-link-arg-bins=--no-rosegment");
        // All data begins with a page, so that what is left of this page, which the system fills in any case,
        // serves the memory that the program asks for first.
        println!("cargo:rustc-link-arg-bins=-zseparate-loadable-segments");
        // And with sixteen pages, which is what the system brings in around one that is touched. Where data began
        // behind the code, wherever that ended, a call took up to 1.5 us longer.
        println!("cargo:rustc-link-arg-bins=-zmax-page-size=65536");
        println!("cargo:rustc-link-arg-bins=--build-id=none");
        // Nothing is relocated in a static program and nobody would protect the pages afterwards, and all
        // data lies in one page: one page fault less.
        println!("cargo:rustc-link-arg-bins=-znorelro");
    }
}
