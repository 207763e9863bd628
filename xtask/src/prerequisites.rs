//! What this machine must have before the tests can run, told before anything is compiled.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::programs::on_path;
use crate::{client, musl};

/// Whether the tests drive the real Claude Code client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// They do.
    Real,
    /// They are left out, and the last line says so.
    Absent,
}

/// What follows from something that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// The tests cannot run.
    Needed,
    /// The tests run, and prove less.
    Wanted,
}

struct Missing {
    weight: Weight,
    what: String,
    mend: String,
}

/// Prints what is missing, with the command that installs it. An error if the tests cannot run.
pub(crate) fn check(target: &Path, client: Client) -> Result<()> {
    let missing = find(target, client)?;
    if missing.is_empty() {
        println!("Everything that the tests need is here.");
        return Ok(());
    }
    println!("This machine lacks:");
    for missing in &missing {
        let weight = match missing.weight {
            Weight::Needed => "needed",
            Weight::Wanted => "wanted",
        };
        println!("  {weight}: {}\n          {}", missing.what, missing.mend);
    }
    if missing.iter().any(|missing| missing.weight == Weight::Needed) {
        bail!("install what is needed, then run this again");
    }
    println!("The tests run without what is only wanted, and prove less.");
    Ok(())
}

fn find(target: &Path, client: Client) -> Result<Vec<Missing>> {
    let mut missing = Vec::new();
    let mut lacks = |weight, what: &str, mend: String| {
        missing.push(Missing { weight, what: what.to_owned(), mend });
    };
    if !on_path("cc") {
        lacks(Weight::Needed, "a C compiler, `cc`, for SQLite", install("gcc", "libc6-dev"));
    }
    if !on_path("git") {
        lacks(Weight::Needed, "`git`, which the tests of projects use", install("git", ""));
    }
    if client == Client::Real {
        for need in client::missing(target) {
            let leave_out = "or leave the client out: cargo xtask test --without-client";
            let mend = need.package.map(|package| format!("{}, {leave_out}", install(package, "")));
            lacks(Weight::Needed, &need.what, mend.unwrap_or_else(|| leave_out.to_owned()));
        }
        if cfg!(target_os = "linux") {
            if !on_path("unshare") || !on_path("ip") {
                lacks(
                    Weight::Wanted,
                    "`unshare` and `ip`, to run the client where no network is",
                    install("util-linux", "iproute2"),
                );
            } else if !namespaces_are_allowed() {
                lacks(
                    Weight::Wanted,
                    "the right to make a network namespace; the client runs with proxies that lead nowhere",
                    "run as root, or allow unprivileged user namespaces".to_owned(),
                );
            }
        }
    }
    if let Some((what, mend)) = musl::missing()? {
        lacks(Weight::Wanted, &format!("{what}, for hooks that start quickly"), mend);
    }
    Ok(missing)
}

/// The command that installs packages, as far as we know the system.
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
