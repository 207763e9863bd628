//! `cargo xtask test`: the whole test suite, as the README says.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::client::{self, Pin};
use crate::prerequisites::{self, ClientTests};
use crate::workspace::Workspace;
use crate::{cargo, tidy};

/// Checks the prerequisites and the rules of `tidy`, fetches the client and runs all tests.
pub(crate) fn run(workspace: &Workspace, client: ClientTests) -> Result<()> {
    prerequisites::check(&workspace.target, client)?;
    tidy::run(workspace)?;
    if client == ClientTests::Included {
        for pin in Pin::ALL {
            let program = client::fetch(&workspace.target, pin)?;
            println!("Claude Code {}: {}", pin.version(), program.display());
        }
    }
    let mut tests = cargo::command(&workspace.root);
    tests.args(["test", "--workspace", "--no-fail-fast"]);
    if client == ClientTests::LeftOut {
        // The tests of the real client are a default feature of `lessons-tests`.
        tests.arg("--no-default-features");
    }
    succeed(&mut tests)?;
    match client {
        ClientTests::Included => println!("All tests passed, with the real Claude Code client."),
        ClientTests::LeftOut => {
            println!("All tests passed WITHOUT the real Claude Code client: less is proved.");
        }
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().context("cannot start cargo")?;
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}
