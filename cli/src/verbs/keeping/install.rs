//! `lessons install` and `lessons uninstall`: the plugin in Claude Code, the hooks of other agents, and the command on the
//! PATH.

use std::time::SystemTime;

use anyhow::Error;
use lessons_client::Client;
use lessons_context::Authority;
use lessons_setup::machine::{machine, on_path};
use lessons_setup::{
    Agent, Claude, InstallFolders, Keeper, Package, State, claude, command_link, copies, first_lesson,
    schedule,
};
use lessons_text::shell_word::quoted_path as quoted;

use super::{build, scan};
use crate::prelude::*;
use crate::verbs::keeping::scan::Scan;

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
        let typed = format!("{} {}", quoted(&program), lessons_context::typed(&app.argv));
        let message = format!(
            "a person installs and uninstalls Lessons, outside Claude Code. Nothing was changed. The user types in a terminal \
             of their own:\n  {}",
            typed.trim_end()
        );
        bail!(Coded::refused("NEEDS_PERSON", message));
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

/// How a person at a terminal reaches `lessons`: by a link on the PATH, or by what there is to type.
pub(crate) fn status(app: &App) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let link = Some(folders.command_link()).filter(|it| command_link::is_ours(&folders, it) && it.exists());
    let package = Package::of_process(&folders).ok().filter(|_| link.is_none());
    let typed = package.map(|package| format!("{} install", quoted(&package.folder.join("bin/lessons"))));
    let said = match (&link, &typed) {
        (Some(link), _) => format!("A terminal finds `lessons` by {}", link.display()),
        (None, Some(typed)) => format!(
            "`lessons` is not linked into the user's PATH. To use it in a terminal, the user types there:\n  {typed}"
        ),
        (None, None) => "This `lessons` is not part of the plugin".to_owned(),
    };
    app.done(&Answer::new(vec![said], json!({ "link": link, "to_type": typed })))
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
    if folders.plugins.is_dir() {
        std::fs::remove_dir_all(&folders.plugins)
            .with_context(|| format!("cannot remove {}", folders.plugins.display()))?;
        app.say(&format!("Removed {}", folders.plugins.display()))?;
    }
    let home = app.home.root();
    if home.is_dir() {
        let (folder, typed) = (home.display(), quoted(home));
        app.say(&format!("Your lessons are left in {folder}\nTo delete them as well: rm -r {typed}"))?;
    }
    in_client.map(|()| Exit::Done)
}

/// Whether a scheduler starts a program of this installation. One user may have several homes, and one schedule.
fn is_scheduled(folders: &InstallFolders) -> Result<bool> {
    let ours = [folders.plugins.clone(), folders.command_link()].map(|path| path.display().to_string());
    // A file that is not ours starts nothing of ours.
    let jobs = schedule::all_installed(&machine()?).unwrap_or_default();
    Ok(jobs.iter().any(|job| ours.iter().any(|path| job.job_lines.contains(path.as_str()))))
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
    match agent.install().map_err(Error::from) {
        Ok(true) => app.say(&format!("{title} starts Lessons: {}", agent.file.display()))?,
        Ok(false) => app.say(&format!("{title} has it already: {}", agent.file.display()))?,
        Err(error) => {
            app.say(&format!("{title}: {error:#}"))?;
            return Err(error.context(format!("installed, but not into {title}")));
        }
    }
    match agent.state() {
        State::NotTrusted => app.say(&format!("{title}: {NOT_TRUSTED}")),
        State::PluginToo => app.say(&format!("{title} has the plugin too: {}", agent.once())),
        _ => Ok(()),
    }
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

/// Installs the plugin into Claude Code.
fn tell_client(app: &App, package: &Package, folders: &InstallFolders) -> Result<()> {
    let by_hand = claude::commands_to_install(folders);
    in_claude(app, folders, ["take the plugin", "installed, but not into Claude Code"], &by_hand, |claude| {
        claude.install(package)?;
        let (plugin, version) = (claude::PLUGIN, package.version());
        Ok(format!(
            "Claude Code has the plugin {plugin}, version {version}; sessions that start from now on use it"
        ))
    })
}

fn take_out_of_client(app: &App, folders: &InstallFolders) -> Result<()> {
    take_out_of(app, &Agent::skill_lines(folders))?;
    let by_hand = claude::commands_to_uninstall();
    in_claude(app, folders, ["remove the plugin", "removed, but not from Claude Code"], &by_hand, |claude| {
        Ok(claude.uninstall()?)
    })
}

/// Does something in Claude Code and prints what it says. An error is printed at once with the commands to type, and returned.
fn in_claude(
    app: &App,
    folders: &InstallFolders,
    [wanted, reached]: [&'static str; 2],
    by_hand: &[String],
    act: impl FnOnce(&Claude<'_>) -> Result<String>,
) -> Result<()> {
    let by_hand = by_hand.join("\n  ");
    let Some(claude) = Claude::find(folders) else {
        return app.say(&format!("Claude Code: no `claude` on the PATH. Where it is, type\n  {by_hand}"));
    };
    act(&claude).map_or_else(
        |error| {
            app.say(&format!("Claude Code did not {wanted}: {error:#}\nTo try again by hand:\n  {by_hand}"))?;
            Err(error.context(reached))
        },
        |said| app.say(&said),
    )
}

/// Links `lessons` into the PATH if the person agrees. A link of ours is renewed without a question.
fn link_command(app: &App, args: &Install, folders: &InstallFolders) -> Result<()> {
    let link = folders.command_link();
    let shown = link.display();
    let question = format!("Link `lessons` into {shown}, so that you can type it? [Y/n]");
    if !args.yes && !command_link::is_ours(folders, &link) && !agrees(app, &question)? {
        let program = quoted(&folders.program("lessons"));
        let later = "or link it later: lessons install --yes";
        return app.say(&format!("Not linked. `lessons` is {program}, {later}"));
    }
    app.say(&command_link::create(folders)?)
}

/// Asks at the terminal. Where nobody can answer, the answer is no.
fn agrees(app: &App, question: &str) -> Result<bool> {
    let answer = if prompt::is_possible(app) { prompt::ask(question)? } else { "n".to_owned() };
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
    match settings.install().map_err(Error::from) {
        Ok(true) => app.say(&format!("Commands of slash commands and skills are checked too: {file}")),
        Ok(false) => Ok(()),
        Err(error) => app.say(&format!("Commands of slash commands and skills are not checked: {error:#}")),
    }
}

fn show_first_lesson(app: &App, folders: &InstallFolders) -> Result<()> {
    let told = first_lesson::told(folders).context("the installed hook tells no built-in lesson")?;
    let (command, lesson) = (first_lesson::COMMAND, first_lesson::lesson(&told).join("\n  "));
    app.say(&format!(
        "\nIt works. When an agent runs `{command}`, the installed hook tells it, from a built-in lesson:\n  {lesson}"
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

/// What a person does about hooks that Codex does not trust.
pub(crate) const NOT_TRUSTED: &str = "installed, but not trusted: start `codex` and trust the hooks of Lessons. Until then it \
                                      runs none of them, and `codex exec` does not say so";

pub(crate) fn agents(app: &App) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let claude = Client::ClaudeCode.name();
    let row = |client: &str, is_found: bool, said: &str, state: Option<State>, file: Option<&PathBuf>| {
        let found = if is_found { "" } else { " (not found on this machine)" };
        let fields = json!({ "client": client, "found": is_found, "state": state, "file": file });
        Answer::new(vec![format!("{client:9} {said}{found}")], fields)
    };
    // Claude Code keeps what it has of ours itself.
    let itself = row(claude, on_path(claude).is_some(), "`lessons doctor` checks its plugin", None, None);
    let others = Agent::all(&folders).into_iter().map(|agent| {
        let (client, state) = (agent.client.name(), agent.state());
        let install = format!("lessons install --client {client}");
        let said = match state {
            State::Absent if agent.is_found => format!("not installed: {install}"),
            State::Absent => "not installed".to_owned(),
            State::Installed => "installed".to_owned(),
            State::Differs => format!("installed differently: {install}"),
            State::Twice => format!("installed twice: {}", agent.once()),
            State::Plugin => "installed as its plugin".to_owned(),
            State::PluginToo => format!("installed twice, as its plugin too: {}", agent.once()),
            State::NotTrusted => NOT_TRUSTED.to_owned(),
            State::Unreadable => format!("its settings cannot be read: {install}"),
        };
        row(client, agent.is_found, &said, Some(state), Some(&agent.file))
    });
    let Answer { lines, fields } = Answer::of_all(std::iter::once(itself).chain(others));
    app.done(&Answer::new(lines, json!({ "agents": fields })))
}
