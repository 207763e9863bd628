//! `cargo xtask install` and `cargo xtask uninstall`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::claude::{self, Claude, Removed};
use crate::link::{self, Linked};
use crate::place::{Place, quoted};
use crate::workspace::Workspace;
use crate::{copies, demo, dist};

/// Builds, installs, and shows that it works. `fix` is what the lesson that is shown says.
pub(crate) fn run(workspace: &Workspace, place: &Place, fix: &str) -> Result<()> {
    let plugin = dist::run(workspace)?;
    let copy = copies::add(&workspace.root, &plugin, &workspace.version, place, SystemTime::now())?;
    println!("Installed {}", copy.display());
    link_command(place)?;
    let in_client = tell_client(workspace, place);

    // Both may end with findings that they tell; what counts is what they leave behind.
    lessons(place, "build")?;
    ensure!(
        place.manifest().is_file(),
        "the plugin is installed, but without a manifest it says nothing; run `lessons build` in a terminal"
    );
    lessons(place, "scan")?;

    println!();
    demo::run(&place.current(), fix)?;
    next_steps(place);
    in_client
}

/// Takes everything out again but the user's lessons.
pub(crate) fn undo(place: &Place) -> Result<()> {
    let in_client = take_out_of_client(place);
    if link::remove(place)? {
        println!("Removed {}", place.link().display());
    }
    let plugins = place.plugins();
    if plugins.is_dir() {
        std::fs::remove_dir_all(&plugins).with_context(|| format!("cannot remove {}", plugins.display()))?;
        println!("Removed {}", plugins.display());
    }
    if place.data().is_dir() {
        println!("Your lessons are left in {}", place.data().display());
        println!("If you want them gone as well: rm -r {}", quoted(place.data()));
    }
    in_client
}

fn link_command(place: &Place) -> Result<()> {
    let link = place.link();
    let link = link.display();
    match link::create(place)? {
        Linked::Yes => println!("Linked {link}"),
        Linked::NotOnPath => println!("Linked {link}, whose folder is not on your PATH"),
        Linked::Hidden(other) => println!("Linked {link}, but your shell finds {other} first"),
        Linked::Foreign => println!(
            "Not linked: {link} is there and not ours. Use {} instead",
            quoted(&place.program("lessons"))
        ),
    }
    Ok(())
}

/// Installs into the client. What goes wrong there is told at once, and again by the exit code.
fn tell_client(workspace: &Workspace, place: &Place) -> Result<()> {
    let Some(client) = Claude::find(place) else {
        println!("Claude Code: no `claude` on the PATH. Where it is, type");
        show(&claude::commands_to_install(place));
        return Ok(());
    };
    match client.install(&workspace.version) {
        Ok(()) => {
            println!("Claude Code has the plugin {}; sessions that start from now on use it", claude::PLUGIN);
            Ok(())
        }
        Err(error) => {
            println!("Claude Code did not take the plugin: {error:#}\nTo try again by hand:");
            show(&claude::commands_to_install(place));
            Err(error.context("installed, but not into Claude Code"))
        }
    }
}

fn take_out_of_client(place: &Place) -> Result<()> {
    let Some(client) = Claude::find(place) else {
        println!("Claude Code: no `claude` on the PATH. Where it is, type");
        show(&claude::commands_to_uninstall(place));
        return Ok(());
    };
    match client.uninstall() {
        Ok(Removed::Plugin) => println!("Removed the plugin from Claude Code"),
        Ok(Removed::Nothing) => println!("Claude Code has nothing of this installation"),
        Err(error) => {
            println!("Claude Code did not remove the plugin: {error:#}\nTo try again by hand:");
            show(&claude::commands_to_uninstall(place));
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

/// Runs the installed `lessons VERB` and shows the first lines of what it says. Its progress bar
/// and its errors go to the terminal as they come.
fn lessons(place: &Place, verb: &str) -> Result<()> {
    let mut command: Command = place.command(&place.program("lessons"));
    let output = command
        .arg(verb)
        .current_dir(place.home())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start lessons {verb}"))?;
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.trim().is_empty()) {
        println!("lessons {verb}: {line}");
    }
    Ok(())
}

fn next_steps(place: &Place) {
    let prefix = place.prefix();
    let program = place.program("lessons");
    let lessons = if link_is_found(&place.link()) { "lessons".to_owned() } else { quoted(&program) };
    println!("Next, see what your past sessions would teach:\n  {prefix}{lessons} candidates");
    println!("Or start a session, which already has the lessons that ship with us:\n  {prefix}claude");
}

fn link_is_found(link: &Path) -> bool {
    crate::programs::find("lessons").is_some_and(|found| found == link)
}
