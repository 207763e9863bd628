//! `lessons share`: sign lessons of one's own, for others to take.

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_context::known_projects::KnownProjects;
use lessons_context::proposal;
use lessons_lesson::id::{QualifiedId, TopicId};
use lessons_review::lookup;
use lessons_share::shared_lesson::SharedLesson;
use lessons_sharing::sending::{self, Carrier, Destination};
use lessons_text::neutral::line;
use serde_json::{Value, json};

use crate::app::App;
use crate::ui::answer::Answer;
use crate::verbs::sharing::asking;
use crate::verbs::sharing::asking::Share;

/// The texts that are shown line by line; the rest is in the line below them.
const SAID: [&str; 6] = ["rule", "title", "mistake", "why", "metacognition", "phase"];

/// What was shared, and what is shared already as it is.
#[derive(Default)]
struct Told {
    lines: Vec<String>,
    shared: Vec<Value>,
    unchanged: Vec<Value>,
}

/// A lesson that is about to be shared.
struct Outgoing {
    id: QualifiedId,
    shared: SharedLesson,
    /// The date of the last event about it, in seconds since 1970.
    last: u64,
}

pub(crate) fn run(app: &App, args: &Share) -> Result<Exit> {
    let to = args.destination()?;
    let mut answer = Told::default();
    let outgoing = outgoing(app, args, &to, &mut answer)?;
    if outgoing.is_empty() {
        return answer.told(app);
    }
    let shown = shown(&outgoing, &to);
    if !asking::confirmed(app, &to, args, &shown, "Share this? [y/N]")? {
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
        answer.lines.push(format!("shared {id}, version {version}: {file}"));
        answer.shared.push(json!({ "id": id, "version": version, "event": event, "file": file }));
    }
    if to.carrier != Carrier::Relay {
        answer.lines.push(format!("Next: {}", next(&to)));
        return answer.told(app);
    }
    Ok(Exit::Done)
}

impl Told {
    fn told(self, app: &App) -> Result<Exit> {
        app.done(&Answer::new(self.lines, json!({ "shared": self.shared, "unchanged": self.unchanged })))
    }
}

/// The lessons that are new or changed, each checked. Those that were shared as they are go into the answer.
fn outgoing(app: &App, args: &Share, to: &Destination, answer: &mut Told) -> Result<Vec<Outgoing>> {
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
                    answer.lines.push(said);
                    answer.unchanged.push(json!({ "id": id, "version": version, "event": event }));
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
        let topics: Vec<&str> = lesson.topics.iter().map(TopicId::as_str).collect();
        let occasion = proposal::occasion(lesson, &KnownProjects::default());
        lines.push(format!("  {occasion}; {}, about {}", lesson.quality.name(), topics.join(", ")));
    }
    lines.push("signed with your public key; others keep what they have received".into());
    lines.join("\n")
}

fn next(to: &Destination) -> String {
    match to.carrier {
        Carrier::Git => {
            "commit and push .lessons/shared; `lessons undo` removes the file, and what was pushed is taken \
                         back by `lessons unshare` only"
                .to_owned()
        }
        Carrier::Folder | Carrier::Relay => {
            "`lessons undo` removes the file; what others have copied is taken back by \
                                             `lessons unshare` only"
                .to_owned()
        }
    }
}
