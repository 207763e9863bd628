//! `lessons install` and `lessons uninstall`: the plugin in Claude Code, the hooks of other agents, and the command on the
//! PATH.

use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use clap::Args;
use lessons_client::Client;
use lessons_context::authority::Authority;
use lessons_context::error::{Coded, Exit};
use lessons_home::home::Home;
use lessons_publish::building;
use serde::Serialize;

use super::{build, scan};
use crate::agents::{Agent, State};
use crate::app::App;
use crate::install::client::{self, Claude, Removal};
use crate::install::command_link::{self, LinkState};
use crate::install::folders::{InstallFolders, quoted};
use crate::install::package::{Keeper, Package};
use crate::install::{copies, first_lesson};
use crate::schedule::state::{machine, on_path};
use crate::schedule::{self, SchedulerName};
use crate::ui::prompt;
use crate::verbs::keeping::scan::Scan;
use crate::verbs::seeing::agents::NOT_TRUSTED;

/// Arguments of `lessons install`.
#[derive(Debug, Args)]
pub struct Install {
    /// Link `lessons` into ~/.local/bin, and check the lines that slash commands run, without asking
    #[arg(long)]
    pub yes: bool,
    /// Only show whether your terminal finds `lessons`, and what to type if it does not
    #[arg(long, conflicts_with = "yes")]
    pub status: bool,
    /// Install into this agent instead of Claude Code: codex, copilot, opencode, pi, gemini, qwen, claude, or `all` that are
    /// on this machine
    #[arg(long, value_name = "NAME", value_parser = chosen)]
    pub client: Option<Chosen>,
}

/// Arguments of `lessons uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    /// Remove it from this agent only; `all` is the same as no option
    #[arg(long, value_name = "NAME", value_parser = chosen)]
    pub client: Option<Chosen>,
}

/// The agents that a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// All that are on this machine.
    All,
    /// One.
    One(Client),
}

fn chosen(name: &str) -> Result<Chosen, String> {
    if name == "all" {
        return Ok(Chosen::All);
    }
    let names = || Client::ALL.map(Client::name).join(", ");
    Client::named(name).map(Chosen::One).ok_or_else(|| format!("the agents are {}, and all", names()))
}

/// The context with the authority to install or uninstall: a person at a terminal, or a script where scripts may decide
/// or nothing is in force yet. An agent cannot be approved: it would change the program that asks.
pub(crate) fn permitted(app: &App) -> Result<App> {
    let is_agent = match &app.authority {
        Authority::Person | Authority::Script | Authority::Background => false,
        Authority::Approved(_) | Authority::Planning(_) => true,
        Authority::Missing(why) => why.is_under_client(),
    };
    if is_agent {
        let program = std::env::current_exe().context("where this program is")?;
        let typed = format!("{} {}", quoted(&program), lessons_context::context::typed(&app.argv));
        bail!(Coded::refused(
            "NEEDS_PERSON",
            format!(
                "a person installs and uninstalls Lessons, outside Claude Code. Nothing was changed. The user types in a \
                 terminal of their own:\n  {}",
                typed.trim_end()
            )
        ));
    }
    app.in_new_home().map_or_else(|| app.permitted(), Ok)
}

pub(crate) fn run(app: &App, args: &Install) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let package = Package::of_process(&folders)?;
    let (claude, agents) = clients(args.client, &folders);
    let in_client = match package.keeper {
        Keeper::Client => {
            copies::use_in_place(&package, &folders)?;
            app.say(&format!("Claude Code has the plugin, version {}", package.version()))?;
            Ok(())
        }
        Keeper::User => {
            let copy = copies::add(&package, &folders, SystemTime::now())?;
            app.say(&format!("Installed {}", copy.display()))?;
            if claude { tell_client(app, &package, &folders) } else { Ok(()) }
        }
    };
    // Every agent is tried, and the first error is the one that is returned.
    let in_client = agents.iter().fold(in_client, |so_far, agent| so_far.and(install_into(app, agent)));
    link_command(app, args, &folders)?;
    if claude {
        check_skill_lines(app, args, &folders)?;
    }
    build::run(app)?;
    scan::run(app, &Scan { root: Vec::new(), background: None })?;
    show_first_lesson(app, &folders)?;
    next_steps(app, &folders)?;
    in_client.map(|()| Exit::Done)
}

/// The answer: how a person at a terminal reaches `lessons`.
#[derive(Debug, Serialize)]
struct CommandStatus {
    /// The link on the PATH, if it is ours.
    link: Option<PathBuf>,
    /// The command to type in a terminal, where there is no such link.
    to_type: Option<String>,
}

impl fmt::Display for CommandStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.link, &self.to_type) {
            (Some(link), _) => write!(f, "A terminal finds `lessons` by {}", link.display()),
            (None, Some(typed)) => write!(
                f,
                "`lessons` is not linked into the user's PATH. To use it in a terminal, the user types there:\n  {typed}"
            ),
            (None, None) => f.write_str("This `lessons` is not part of the plugin"),
        }
    }
}

pub(crate) fn status(app: &App) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let link = folders.command_link();
    let is_linked = command_link::is_ours(&folders, &link) && link.exists();
    let package = Package::of_process(&folders);
    let typed = |package: Package| format!("{} install", quoted(&package.folder.join("bin/lessons")));
    let to_type = package.ok().filter(|_| !is_linked).map(typed);
    app.done(&CommandStatus { link: is_linked.then_some(link), to_type })
}

pub(crate) fn undo(app: &App, args: &Uninstall) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    if let Some(Chosen::One(client)) = args.client {
        match Agent::of(client, &folders) {
            Some(agent) => take_out_of(app, &agent)?,
            None => take_out_of_client(app, &folders)?,
        }
        return Ok(Exit::Done);
    }
    if is_scheduled(&folders)? {
        bail!(
            "`lessons nightly` runs every night on this machine, and would no longer be there. Nothing was changed. \
             First: lessons schedule remove"
        );
    }
    // Before the program that they start goes.
    for agent in Agent::all(&folders) {
        take_out_of(app, &agent)?;
    }
    let in_client = take_out_of_client(app, &folders);
    if command_link::remove(&folders)? {
        app.say(&format!("Removed {}", folders.command_link().display()))?;
    }
    if folders.plugins().is_dir() {
        std::fs::remove_dir_all(folders.plugins())
            .with_context(|| format!("cannot remove {}", folders.plugins().display()))?;
        app.say(&format!("Removed {}", folders.plugins().display()))?;
    }
    say_what_is_left(app, &app.home)?;
    in_client.map(|()| Exit::Done)
}

/// Whether a scheduler starts a program of this installation. One user may have several homes, and one schedule.
fn is_scheduled(folders: &InstallFolders) -> Result<bool> {
    let machine = machine()?;
    let ours = [folders.plugins().to_owned(), folders.command_link()].map(|path| path.display().to_string());
    let jobs =
        SchedulerName::ALL.into_iter().filter_map(|with| schedule::installed(with, &machine).ok().flatten());
    let mut lines = jobs.map(|job| job.job_lines);
    Ok(lines.any(|lines| ours.iter().any(|path| lines.contains(path.as_str()))))
}

fn say_what_is_left(app: &App, home: &Home) -> Result<()> {
    if home.root().is_dir() {
        app.say(&format!(
            "Your lessons are left in {}\nTo delete them as well: rm -r {}",
            home.root().display(),
            quoted(home.root())
        ))?;
    }
    Ok(())
}

/// Whether Claude Code is meant, and the other agents that are.
fn clients(chosen: Option<Chosen>, folders: &InstallFolders) -> (bool, Vec<Agent>) {
    match chosen {
        None => (true, Vec::new()),
        Some(Chosen::One(client)) => {
            (client == Client::ClaudeCode, Agent::of(client, folders).into_iter().collect())
        }
        Some(Chosen::All) => {
            let found = Agent::all(folders).into_iter().filter(|agent| agent.is_found);
            (on_path(Client::ClaudeCode.name()).is_some(), found.collect())
        }
    }
}

/// Installs the hooks into another agent. An error is printed at once, and returned.
fn install_into(app: &App, agent: &Agent) -> Result<()> {
    let title = agent.client.title();
    match agent.install() {
        Ok(true) => app.say(&format!("{title} starts Lessons: {}", agent.file.display()))?,
        Ok(false) => app.say(&format!("{title} has it already: {}", agent.file.display()))?,
        Err(error) => {
            app.say(&format!("{title}: {error:#}"))?;
            return Err(error.context(format!("installed, but not into {title}")));
        }
    }
    if agent.state() == State::NotTrusted { app.say(&format!("{title}: {NOT_TRUSTED}")) } else { Ok(()) }
}

/// Removes the hooks from another agent.
fn take_out_of(app: &App, agent: &Agent) -> Result<()> {
    if !agent.uninstall()? {
        return Ok(());
    }
    app.say(&format!("{} starts Lessons no more: {}", agent.client.title(), agent.file.display()))?;
    if agent.client == Client::Codex && agent.file.exists() {
        app.say(&"Codex asks again whether it may run the hooks that stood behind those of Lessons")?;
    }
    Ok(())
}

/// Installs the plugin into Claude Code. An error is printed at once with the commands to type, and returned.
fn tell_client(app: &App, package: &Package, folders: &InstallFolders) -> Result<()> {
    let by_hand = || client::commands_to_install(folders);
    let Some(claude) = Claude::find(folders) else {
        return say_commands(app, "Claude Code: no `claude` on the PATH. Where it is, type", &by_hand());
    };
    match claude.install(package) {
        Ok(()) => app.say(&format!(
            "Claude Code has the plugin {}, version {}; sessions that start from now on use it",
            client::PLUGIN,
            package.version()
        )),
        Err(error) => {
            let said = format!("Claude Code did not take the plugin: {error:#}\nTo try again by hand:");
            say_commands(app, &said, &by_hand())?;
            Err(error.context("installed, but not into Claude Code"))
        }
    }
}

fn take_out_of_client(app: &App, folders: &InstallFolders) -> Result<()> {
    take_out_of(app, &Agent::skill_lines(folders))?;
    let by_hand = client::commands_to_uninstall();
    let Some(claude) = Claude::find(folders) else {
        return say_commands(app, "Claude Code: no `claude` on the PATH. Where it is, type", &by_hand);
    };
    match claude.uninstall() {
        Ok(Removal::Plugin) => app.say(&"Removed the plugin from Claude Code"),
        Ok(Removal::Foreign(plugin)) => app.say(&format!(
            "The plugin came from another marketplace and stays in Claude Code. To remove it as well: claude plugin \
             uninstall {plugin}"
        )),
        Ok(Removal::Nothing) => app.say(&"Claude Code has nothing of this installation"),
        Err(error) => {
            let said = format!("Claude Code did not remove the plugin: {error:#}\nTo try again by hand:");
            say_commands(app, &said, &by_hand)?;
            Err(error.context("removed, but not from Claude Code"))
        }
    }
}

fn say_commands(app: &App, said: &str, commands: &[String]) -> Result<()> {
    app.say(&format!("{said}\n  {}", commands.join("\n  ")))
}

/// Links `lessons` into the PATH if the person agrees. A link of ours is renewed without a question.
fn link_command(app: &App, args: &Install, folders: &InstallFolders) -> Result<()> {
    let link = folders.command_link();
    let shown = link.display();
    if !args.yes && !command_link::is_ours(folders, &link) && !wants_link(app, folders)? {
        return app.say(&format!(
            "Not linked. `lessons` is {}, or link it later: lessons install --yes",
            quoted(&folders.program("lessons"))
        ));
    }
    let said = match command_link::create(folders)? {
        LinkState::Found => format!("Linked {shown}"),
        LinkState::NotOnPath => format!(
            "Linked {shown}. Its folder is not on your PATH; add this line to the start-up file of your shell:\n  \
             export PATH=\"$HOME/.local/bin:$PATH\""
        ),
        LinkState::Hidden(other) => format!("Linked {shown}, but your shell finds {other} first"),
        LinkState::Foreign => {
            format!("Not linked: {shown} exists and is not ours. Use {}", quoted(&folders.program("lessons")))
        }
    };
    app.say(&said)
}

fn wants_link(app: &App, folders: &InstallFolders) -> Result<bool> {
    let link = folders.command_link();
    agrees(app, &format!("Link `lessons` into {}, so that you can type it? [Y/n]", link.display()))
}

/// Asks at the terminal. Where nobody can answer, the answer is no.
fn agrees(app: &App, question: &str) -> Result<bool> {
    if !prompt::is_possible(app) {
        return Ok(false);
    }
    let answer = prompt::ask(question)?;
    Ok(answer.is_empty() || prompt::is_yes(&answer))
}

/// Has Claude Code ask us before it runs a line of a slash command or a skill, if the person agrees. An entry of ours is
/// renewed without a question.
fn check_skill_lines(app: &App, args: &Install, folders: &InstallFolders) -> Result<()> {
    let settings = Agent::skill_lines(folders);
    let file = settings.file.display();
    let question = format!(
        "A slash command or a skill can run commands of its own, past what you block. Have them checked too, by an entry in \
         {file}? [Y/n]"
    );
    let is_there = !matches!(settings.state(), State::Absent | State::Unreadable);
    if !args.yes && !is_there && !agrees(app, &question)? {
        return Ok(());
    }
    match settings.install() {
        Ok(true) => app.say(&format!("Commands of slash commands and skills are checked too: {file}")),
        Ok(false) => Ok(()),
        Err(error) => app.say(&format!("Commands of slash commands and skills are not checked: {error:#}")),
    }
}

fn show_first_lesson(app: &App, folders: &InstallFolders) -> Result<()> {
    let told = first_lesson::told(folders).context("the installed hook tells no built-in lesson")?;
    app.say(&format!(
        "\nIt works. When an agent runs `{}`, the installed hook tells it, from a built-in lesson:\n  {}",
        first_lesson::COMMAND,
        first_lesson::lesson(&told).join("\n  ")
    ))
}

fn next_steps(app: &App, folders: &InstallFolders) -> Result<()> {
    let link = folders.command_link();
    let lessons = if on_path("lessons").is_some_and(|found| found == link) {
        "lessons".to_owned()
    } else if command_link::is_ours(folders, &link) {
        quoted(&link)
    } else {
        quoted(&folders.program("lessons"))
    };
    let version = building::VERSION;
    app.say(&format!(
        "\nLessons {version} is installed. Next:\n  {lessons} candidates   shows what your past sessions would teach\n  \
         claude   starts a session, which has the built-in lessons already"
    ))
}
