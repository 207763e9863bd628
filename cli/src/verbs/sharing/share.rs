//! `lessons share`: sign lessons of one's own, for others to take.

use lessons_context::{KnownProjects, proposal};
use lessons_lesson::{LessonId, QualifiedId};
use lessons_share::{Deletion, SharedLesson};
use lessons_sharing::sending::{self, Carrier, Destination};
use lessons_store::shared_folder::OwnEvents;
use lessons_store::shared_folder::identity;

use crate::prelude::*;

/// The texts that are shown line by line; the rest is in the line below them.
const SAID: [&str; 6] = ["rule", "title", "mistake", "why", "metacognition", "phase"];

/// A lesson that is about to be shared.
struct Outgoing {
    id: QualifiedId,
    shared: SharedLesson,
    /// The date of the last event about it, in seconds since 1970.
    last: u64,
}

pub(crate) fn run(app: &App, args: &Share) -> Result<Exit> {
    let to = args.destination()?;
    let (mut unchanged, mut sent) = (Vec::new(), Vec::new());
    let outgoing = outgoing(app, args, &to, &mut unchanged)?;
    if outgoing.is_empty() {
        return told(app, &unchanged, &[], None);
    }
    let shown = shown(&outgoing, &to);
    if !confirmed(app, &to, args, &shown, "Share this? [y/N]")? {
        app.say(&"Nothing was shared.")?;
        return Ok(Exit::Findings);
    }
    let lock = app.lock()?;
    let key = sending::key(&lock)?;
    for Outgoing { id, mut shared, last } in outgoing {
        if to.carrier == Carrier::Relay {
            shared.project = shared.project.hashed();
        }
        let unsigned = shared.to_unsigned(key.public(), sending::date(app, last));
        let event = sending::signed(unsigned, &key)?;
        if to.carrier == Carrier::Relay {
            app.say(&event.to_json())?;
            continue;
        }
        let file = sending::write(app, &lock, "shared", &to.folder, &event)?;
        let (version, event) = (shared.version, event.id().to_string());
        let said = format!("shared {id}, version {version}: {file}");
        let fields = json!({ "id": id, "version": version, "event": event, "file": file });
        sent.push(Answer::new(vec![said], fields));
    }
    if to.carrier == Carrier::Relay { Ok(Exit::Done) } else { told(app, &unchanged, &sent, Some(next(&to))) }
}

/// Tells what is shared already as it is, and what was shared.
fn told(app: &App, unchanged: &[Answer], shared: &[Answer], next: Option<&str>) -> Result<Exit> {
    let lines = unchanged.iter().chain(shared).flat_map(|it| it.lines.clone());
    let lines = lines.chain(next.map(|next| format!("Next: {next}")));
    app.done(&Answer::new(lines.collect(), json!({ "shared": shared, "unchanged": unchanged })))
}

/// The lessons that are new or changed, each checked. Those that are shared as they are go into `unchanged`.
fn outgoing(app: &App, args: &Share, to: &Destination, unchanged: &mut Vec<Answer>) -> Result<Vec<Outgoing>> {
    let own = to.own_events(app)?;
    let mut outgoing: Vec<Outgoing> = Vec::new();
    for text in &args.ids {
        let (id, lesson) = lookup::find_lesson(app, text)?;
        if outgoing.iter().any(|other| other.id == id) {
            continue;
        }
        let mut shared = SharedLesson::of(&lesson, to.project.clone());
        sending::check(app, &id, &lesson, &shared, to)?;
        if let Some(newest) = own.newest(&id.id) {
            let is_standing = own.standing(&id.id).any(|standing| standing.event == newest.event);
            if is_standing && shared.says_the_same(&newest.shared) {
                if to.carrier != Carrier::Relay {
                    let (version, event) = (newest.shared.version, newest.event.to_string());
                    let said = format!("{id} is shared already, as version {version}; nothing was written");
                    let fields = json!({ "id": id, "version": version, "event": event });
                    unchanged.push(Answer::new(vec![said], fields));
                    continue;
                }
                // A relay gets the version that others have already.
                shared = newest.shared.clone();
            } else {
                shared = shared.after(&newest.shared, newest.event);
            }
        }
        let last = own.last_said(&id.id);
        outgoing.push(Outgoing { id, shared, last });
    }
    Ok(outgoing)
}

/// Everything that others will read, and what cannot be taken back.
fn shown(outgoing: &[Outgoing], to: &Destination) -> String {
    let mut lines = Vec::new();
    for Outgoing { id, shared, .. } in outgoing {
        lines.push(format!("Share {id}, version {}, {}:", shared.version, to.audience()));
        let lesson = shared.lesson();
        let said = shared.texts().into_iter().filter(|(name, _)| SAID.contains(name));
        lines.extend(said.map(|(name, text)| format!("  {name}: {}", line(text))));
        let occasion = proposal::occasion(lesson, &KnownProjects::default());
        lines.push(format!("  {occasion}; {}, about {}", lesson.quality.name(), listed(&lesson.topics)));
    }
    lines.push("signed with your public key; others keep what they have received".into());
    lines.join("\n")
}

fn next(to: &Destination) -> &'static str {
    match to.carrier {
        Carrier::Git => {
            "commit and push .lessons/shared; `lessons undo` removes the file, and what was pushed is taken back by \
             `lessons unshare` only"
        }
        Carrier::Folder | Carrier::Relay => {
            "`lessons undo` removes the file; what others have copied is taken back by `lessons unshare` only"
        }
    }
}

pub(crate) fn unshare(app: &App, args: &Share) -> Result<Exit> {
    let to = args.destination()?;
    let own = to.own_events(app)?;
    let deletion = deletion(app, args, &to, &own)?;
    let asked_of_others = asked_of_others(&deletion, &to);
    if !confirmed(app, &to, args, &asked_of_others, "Ask them? [y/N]")? {
        app.say(&"Nothing was unshared.")?;
        return Ok(Exit::Findings);
    }
    let lock = app.lock()?;
    let key = sending::key(&lock)?;
    let last = deletion.lessons.iter().map(|id| own.last_said(id)).max().unwrap_or(0);
    let event = sending::signed(deletion.to_unsigned(key.public(), sending::date(app, last)), &key)?;
    if to.carrier == Carrier::Relay {
        app.say(&event.to_json())?;
        return Ok(Exit::Done);
    }
    let file = sending::write(app, &lock, "unshared", &to.folder, &event)?;
    let ids: Vec<String> = deletion.lessons.iter().map(ToString::to_string).collect();
    let events: Vec<String> = deletion.events.iter().map(ToString::to_string).collect();
    let next =
        "Next: carry it to others as before, by a push or a sync; the text itself stays in the history";
    let lines = vec![format!("unshared {}: {file}", ids.join(", ")), next.to_owned()];
    let event = event.id().to_string();
    let fields = json!({ "unshared": ids, "events": events, "event": event, "file": file });
    app.done(&Answer::new(lines, fields))
}

/// The versions that still stand. The lesson itself may be gone from the store.
fn deletion(app: &App, args: &Share, to: &Destination, own: &OwnEvents) -> Result<Deletion> {
    let mut deletion = Deletion::default();
    for text in &args.ids {
        // What was printed for a relay left no file here.
        let may_be_elsewhere = to.carrier == Carrier::Relay && identity::read(&app.home)?.is_some();
        let mut id = LessonId::new(text.strip_prefix("user/").unwrap_or(text))?;
        if own.standing(&id).next().is_none() && !may_be_elsewhere {
            let meant = own.shared().filter(|it| it.as_str().starts_with(id.as_str())).cloned().collect();
            id = lookup::only_one(text, meant, ToString::to_string)?.unwrap_or(id);
        }
        let standing: Vec<_> = own.standing(&id).map(|own| own.event).collect();
        if standing.is_empty() && !may_be_elsewhere {
            let folder = line(&to.folder.to_string_lossy());
            let message = format!("you have shared no {id} in {folder}; nothing was written");
            bail!(Coded::refused("NOT_SHARED", message));
        }
        deletion.events.extend(standing);
        deletion.lessons.insert(id);
    }
    Ok(deletion)
}

fn asked_of_others(deletion: &Deletion, to: &Destination) -> String {
    let (lessons, audience) = (listed(&deletion.lessons), to.audience());
    format!(
        "Ask others to use {lessons} no more; the wish is shared {audience}\nTheir program follows it when it sees it; the text \
         stays wherever it was copied"
    )
}

/// Arguments of `lessons share` and `lessons unshare`.
#[derive(Debug, Args)]
pub struct Share {
    /// The ids of your lessons
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Write into this folder, such as one that is synced, instead of the project's .lessons/shared
    #[arg(long, value_name = "FOLDER", conflicts_with = "print")]
    pub to: Option<PathBuf>,
    /// Print the signed events for a relay and write nothing; the project is named by a hash
    #[arg(long)]
    pub print: bool,
    /// The folder of the project that the lessons are for
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub project: PathBuf,
    /// Show what becomes public and share it without asking
    #[arg(long)]
    pub yes: bool,
}

impl Share {
    /// Where the events go.
    pub fn destination(&self) -> Result<Destination> {
        let carrier = match &self.to {
            Some(_) => Carrier::Folder,
            None if self.print => Carrier::Relay,
            None => Carrier::Git,
        };
        Ok(Destination::of(&self.project, carrier, self.to.as_deref())?)
    }
}

/// Shows what is about to leave, and asks: a person here, for an agent by way of the client. Returns whether it may.
fn confirmed(app: &App, to: &Destination, args: &Share, shown: &str, question: &str) -> Result<bool> {
    app.agree(shown)?;
    // What an agent shares, its person has seen in the client's question.
    if app.is_agent() {
        return Ok(true);
    }
    // What is printed for a relay goes through a pipe.
    let is_piped = to.carrier == Carrier::Relay;
    if args.yes {
        match app.output {
            Output::Text if is_piped => messages::beside(shown),
            Output::Text => app.say(&shown)?,
            Output::Json => {}
        }
        return Ok(true);
    }
    let is_possible = if is_piped { prompt::is_possible_beside(app) } else { prompt::is_possible(app) };
    if !is_possible {
        let how = match app.output {
            Output::Json => "--json asks nothing",
            Output::Text => "there is no terminal to ask in",
        };
        bail!(Refused(format!(
            "{how}; this would be shared:\n{shown}\nIf that is right, run it again with --yes"
        )));
    }
    let ask = if is_piped { prompt::ask_beside } else { prompt::ask };
    Ok(prompt::is_yes(&ask(&format!("{shown}\n{question}"))?))
}
