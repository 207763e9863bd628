//! The prerequisites of the tests, checked before anything is compiled.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::programs::on_path;
use crate::{client, release::musl};

/// Whether the tests drive the real Claude Code client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientTests {
    /// They run.
    Included,
    /// They are left out, and the last line says so.
    LeftOut,
}

/// The importance of a prerequisite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Importance {
    /// The tests cannot run.
    Needed,
    /// The tests run, and prove less.
    Wanted,
}

/// A prerequisite that this machine lacks.
struct MissingPrerequisite {
    importance: Importance,
    what: String,
    /// The command or the advice that brings it.
    remedy: String,
}

/// Prints what is missing, with the command that installs it. Fails if the tests cannot run.
pub(crate) fn check(target: &Path, client: ClientTests) -> Result<()> {
    let missing = find(target, client)?;
    if missing.is_empty() {
        println!("Everything that the tests need is here.");
        return Ok(());
    }
    println!("This machine lacks:");
    for missing in &missing {
        let importance = match missing.importance {
            Importance::Needed => "needed",
            Importance::Wanted => "wanted",
        };
        println!("  {importance}: {}\n          {}", missing.what, missing.remedy);
    }
    if missing.iter().any(|missing| missing.importance == Importance::Needed) {
        bail!("install what is needed, then run this again");
    }
    println!("The tests run without what is only wanted, and prove less.");
    Ok(())
}

fn find(target: &Path, client: ClientTests) -> Result<Vec<MissingPrerequisite>> {
    let mut missing = Vec::new();
    let mut lacks = |importance, what: &str, remedy: String| {
        missing.push(MissingPrerequisite { importance, what: what.to_owned(), remedy });
    };
    if !on_path("cc") {
        lacks(Importance::Needed, "a C compiler, `cc`, for SQLite", install("gcc", "libc6-dev"));
    }
    if !on_path("git") {
        lacks(Importance::Needed, "`git`, which the tests of projects use", install("git", ""));
    }
    if client == ClientTests::Included {
        for need in client::missing(target) {
            let leave_out = "or leave the client out: cargo xtask test --without-client";
            let remedy = need.package.map(|package| format!("{}, {leave_out}", install(package, "")));
            lacks(Importance::Needed, &need.what, remedy.unwrap_or_else(|| leave_out.to_owned()));
        }
        if cfg!(target_os = "linux") {
            if !on_path("unshare") || !on_path("ip") {
                lacks(
                    Importance::Wanted,
                    "`unshare` and `ip`, to run the client where no network is",
                    install("util-linux", "iproute2"),
                );
            } else if !namespaces_are_allowed() {
                lacks(
                    Importance::Wanted,
                    "the right to make a network namespace; the client runs with proxies that lead nowhere",
                    "run as root, or allow unprivileged user namespaces".to_owned(),
                );
            }
        }
    }
    // The names that `crates/effect/tests/page/browser.rs` looks for.
    if !["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .iter()
        .any(|name| on_path(name))
    {
        lacks(
            Importance::Wanted,
            "`chromium`, to look at the page of `lessons report` in a browser",
            install("chromium", ""),
        );
    }
    if let Some((what, remedy)) = musl::missing()? {
        lacks(Importance::Wanted, &format!("{what}, for hooks that start quickly"), remedy);
    }
    Ok(missing)
}

/// Returns the command that installs one or two packages on this system.
fn install(first: &str, second: &str) -> String {
    let packages = format!("{first} {second}");
    let packages = packages.trim_end();
    if cfg!(target_os = "macos") {
        return match first {
            "gcc" | "git" => "xcode-select --install".to_owned(),
            _ => format!("brew install {packages}"),
        };
    }
    if on_path("apt-get") {
        return format!("sudo apt-get install -y {packages}");
    }
    format!("install with your package manager: {packages}")
}

fn namespaces_are_allowed() -> bool {
    // Root needs no user namespace, and has none where they are forbidden.
    [["-n", "true"].as_slice(), &["-r", "-n", "true"]].iter().any(|arguments| {
        let mut unshare = Command::new("unshare");
        unshare.args(*arguments).stdout(Stdio::null()).stderr(Stdio::null());
        unshare.status().is_ok_and(|status| status.success())
    })
}
