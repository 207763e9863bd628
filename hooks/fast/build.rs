//! How the program is linked, where it starts itself: see `src/start/linux.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "musl") {
        // Past the start of the C library, which nothing here needs.
        println!("cargo:rustc-link-arg-bins=--entry=hook_start");
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
