//! `lessons unshare`: ask those who have a shared lesson to use it no more.

use anyhow::{Result, bail};
use lessons_context::error::{Coded, Exit};
use lessons_lesson::id::LessonId;
use lessons_share::deletion::Deletion;
use lessons_sharing::sending::{self, Carrier, Destination};
use lessons_store::identity;
use lessons_store::shared_folder::OwnEvents;
use lessons_text::neutral::line;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;
use crate::verbs::sharing::asking;
use crate::verbs::sharing::asking::Share;

pub(crate) fn run(app: &App, args: &Share) -> Result<Exit> {
    let to = args.destination()?;
    let own = to.own_events(app)?;
    let deletion = deletion(app, args, &to, &own)?;
    let shown = shown(&deletion, &to);
    if !asking::confirmed(app, &to, args, &shown, "Ask them? [y/N]")? {
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
    let lines = vec![
        format!("unshared {}: {file}", ids.join(", ")),
        "Next: carry it to others as before, by a push or a sync; the text itself stays in the history"
            .to_owned(),
    ];
    let event = event.id().to_string();
    let fields = json!({ "unshared": ids, "events": events, "event": event, "file": file });
    app.done(&Answer::new(lines, fields))
}

/// The versions that still stand. The lesson itself may be gone from the store.
fn deletion(app: &App, args: &Share, to: &Destination, own: &OwnEvents) -> Result<Deletion> {
    let mut deletion = Deletion::default();
    for text in &args.ids {
        let id = LessonId::new(text.strip_prefix("user/").unwrap_or(text))?;
        let standing: Vec<_> = own.standing(&id).map(|own| own.event).collect();
        // What was printed for a relay left no file here.
        let may_be_elsewhere = to.carrier == Carrier::Relay && identity::read(&app.home)?.is_some();
        if standing.is_empty() && !may_be_elsewhere {
            let folder = line(&to.folder.to_string_lossy());
            bail!(Coded::refused(
                "NOT_SHARED",
                format!("you have shared no {id} in {folder}; nothing was written")
            ));
        }
        deletion.events.extend(standing);
        deletion.lessons.insert(id);
    }
    Ok(deletion)
}

fn shown(deletion: &Deletion, to: &Destination) -> String {
    let ids: Vec<&str> = deletion.lessons.iter().map(LessonId::as_str).collect();
    format!(
        "Ask others to use {} no more; the wish is shared {}\nTheir program follows it when it sees it; the text stays wherever \
         it was copied",
        ids.join(", "),
        to.audience()
    )
}
