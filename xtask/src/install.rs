//! `cargo xtask install` and `cargo xtask uninstall`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::claude::{self, Claude, Removal};
use crate::link::{self, LinkState};
use crate::user_home::{UserHome, quoted};
use crate::workspace::Workspace;
use crate::{copies, demo, dist};

/// Builds and installs the plugin and demonstrates it. `fix` is the text of the lesson in the demonstration.
pub(crate) fn run(workspace: &Workspace, home: &UserHome, fix: &str) -> Result<()> {
    let plugin = dist::run(workspace)?;
    let copy = copies::add(&workspace.root, &plugin, &workspace.version, home, SystemTime::now())?;
    println!("Installed {}", copy.display());
    link_command(home)?;
    let in_client = tell_client(workspace, home);

    // Both print their findings and may end with an exit code for them, so only the manifest is checked.
    lessons(home, "build")?;
    ensure!(
        home.manifest().is_file(),
        "the plugin is installed, but without a manifest it says nothing; run `lessons build` in a terminal"
    );
    lessons(home, "scan")?;

    println!();
    demo::run(&home.current(), fix)?;
    next_steps(home);
    in_client
}

/// Removes an installation and keeps the user's lessons.
pub(crate) fn undo(home: &UserHome) -> Result<()> {
    let in_client = take_out_of_client(home);
    if link::remove(home)? {
        println!("Removed {}", home.link().display());
    }
    let plugins = home.plugins();
    if plugins.is_dir() {
        std::fs::remove_dir_all(&plugins).with_context(|| format!("cannot remove {}", plugins.display()))?;
        println!("Removed {}", plugins.display());
    }
    if home.data().is_dir() {
        println!("Your lessons are left in {}", home.data().display());
        println!("If you want them gone as well: rm -r {}", quoted(home.data()));
    }
    in_client
}

fn link_command(home: &UserHome) -> Result<()> {
    let link = home.link();
    let link = link.display();
    match link::create(home)? {
        LinkState::Found => println!("Linked {link}"),
        LinkState::NotOnPath => println!("Linked {link}, whose folder is not on your PATH"),
        LinkState::Hidden(other) => println!("Linked {link}, but your shell finds {other} first"),
        LinkState::Foreign => println!(
            "Not linked: {link} is there and not ours. Use {} instead",
            quoted(&home.program("lessons"))
        ),
    }
    Ok(())
}

/// Installs the plugin into the client. An error is printed at once with the commands to type, and returned.
fn tell_client(workspace: &Workspace, home: &UserHome) -> Result<()> {
    let Some(client) = Claude::find(home) else {
        println!("Claude Code: no `claude` on the PATH. Where it is, type");
        show(&claude::commands_to_install(home));
        return Ok(());
    };
    match client.install(&workspace.version) {
        Ok(()) => {
            println!("Claude Code has the plugin {}; sessions that start from now on use it", claude::PLUGIN);
            Ok(())
        }
        Err(error) => {
            println!("Claude Code did not take the plugin: {error:#}\nTo try again by hand:");
            show(&claude::commands_to_install(home));
            Err(error.context("installed, but not into Claude Code"))
        }
    }
}

fn take_out_of_client(home: &UserHome) -> Result<()> {
    let Some(client) = Claude::find(home) else {
        println!("Claude Code: no `claude` on the PATH. Where it is, type");
        show(&claude::commands_to_uninstall(home));
        return Ok(());
    };
    match client.uninstall() {
        Ok(Removal::Plugin) => println!("Removed the plugin from Claude Code"),
        Ok(Removal::Nothing) => println!("Claude Code has nothing of this installation"),
        Err(error) => {
            println!("Claude Code did not remove the plugin: {error:#}\nTo try again by hand:");
            show(&claude::commands_to_uninstall(home));
            return Err(error.context("removed, but not from Claude Code"));
        }
    }
    Ok(())
}

fn show(commands: &[String]) {
    for command in commands {
        println!("  {command}");
    }
}

/// Runs the installed `lessons VERB` and prints its output. Its progress bar and its errors go to the terminal directly.
fn lessons(home: &UserHome, verb: &str) -> Result<()> {
    let mut command: Command = home.command(&home.program("lessons"));
    let output = command
        .arg(verb)
        .current_dir(home.folder())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start lessons {verb}"))?;
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.trim().is_empty()) {
        println!("lessons {verb}: {line}");
    }
    Ok(())
}

fn next_steps(home: &UserHome) {
    let prefix = home.prefix();
    let program = home.program("lessons");
    let lessons = if link_is_found(&home.link()) { "lessons".to_owned() } else { quoted(&program) };
    println!("Next, see what your past sessions would teach:\n  {prefix}{lessons} candidates");
    println!("Or start a session, which already has the lessons that ship with us:\n  {prefix}claude");
}

fn link_is_found(link: &Path) -> bool {
    crate::programs::find("lessons").is_some_and(|found| found == link)
}
