//! `lessons accept` and `lessons restore --store`: accept or discard lessons and settings that were changed in their
//! files.

use lessons_ledger::decisions::accepting::{self, Comparison};
use lessons_lesson::{Layer, Lesson, QualifiedId};
use lessons_store::accepted::SettingTexts;

use crate::change;
use crate::prelude::*;

/// Arguments of `lessons accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// Only show the differences from what you accepted
    #[arg(long)]
    pub dry_run: bool,
}

/// The longest line about a lesson, in characters.
const LINE: usize = 100;
/// The most lessons that are shown to a person.
const MOST_SHOWN: usize = 30;

pub(crate) fn run(app: &App, args: &Accept) -> Result<Exit> {
    if args.dry_run {
        let next = "Next: lessons accept, to put this into force, or lessons restore --store, to restore lessons.json";
        return app.recorded(&shown(&Comparison::of(&app.home)?, &[], None, Some(next.to_owned())));
    }
    let (lock, mut database) = app.lock_database()?;
    // Looked at before, as what is in force changes with the build.
    let own = |id: QualifiedId| (id.layer == Layer::User).then_some(id.id);
    let in_force = in_force::lessons(app).into_keys().filter_map(own).collect();
    let built = in_force::readable_index(app).and_then(|index| index.manifest().ok());
    let lost = built.into_iter().flat_map(|manifest| manifest.lost_refusals).filter_map(|lost| own(lost.id));
    let settled = accepting::accept(&lock, &mut database, &app.deed("accepted"), in_force, lost.collect())?;
    let only_in_force: Vec<String> = settled.only_in_force.iter().map(|id| format!("user/{id}")).collect();
    let next = settled.change.map(|number| format!("Accepted. Next: lessons undo {number}, to undo that"));
    let answer = shown(&settled.comparison, &only_in_force, settled.change, next);
    app.recorded(&answer.given("accepted", true))?;
    let outcome = change::bring_into_force(app, &lock, &database)?;
    let changed = &settled.comparison.unaccepted.lessons;
    let left_out: Vec<_> = outcome
        .report
        .findings()
        .filter(|noted| changed.iter().any(|(id, _)| format!("user/{id}") == noted.id.to_string()))
        .map(|noted| format!("{} is not in force: {}", noted.id, noted.reason))
        .collect();
    if app.output == Output::Text && !left_out.is_empty() {
        app.say(&line(&left_out.join("; ")))?;
    }
    Ok(if left_out.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Runs `lessons restore --store`.
pub(crate) fn restore_store(app: &App) -> Result<Exit> {
    let (lock, mut database) = app.lock_database()?;
    let change = accepting::restore_store(&lock, &mut database, &app.deed("restored"))?;
    change::bring_into_force(app, &lock, &database)?;
    let (done, said, next) = match change {
        Some(number) => {
            ("restored", "is restored to what you accepted", format!("lessons undo {number}, to undo that"))
        }
        None => ("unchanged", "holds what you accepted already", "lessons list".to_owned()),
    };
    app.done(&Message::new(done, "lessons.json", format!("lessons.json {said}")).then(next))
}

/// The differences from the accepted copies; `gone` are lessons that are missing from the store and in force, where
/// those copies are unreadable, or that should be. `change` is the number of their acceptance in the journal.
fn shown(comparison: &Comparison, gone: &[String], change: Option<u64>, next: Option<String>) -> Answer {
    let (mut lines, mut lessons, mut settings) = (Vec::new(), Vec::new(), Vec::new());
    let Comparison { accepted, store, settings: now, .. } = comparison;
    if let Some(corrupt) = &comparison.corrupt {
        lines.push(line(corrupt));
        lines.push("What was accepted before is not known, so every lesson is new.".to_owned());
    }
    for (id, change) in &comparison.unaccepted.lessons {
        let (before, after) = (accepted.graph.get(id), store.get(id));
        let (id, before, after) = (format!("user/{id}"), before.map(told), after.map(told));
        if lessons.len() < MOST_SHOWN {
            lines.push(format!("{change:7}  {id}"));
            lines.extend(before.iter().map(|text| format!("         - {text}")));
            lines.extend(after.iter().map(|text| format!("         + {text}")));
        }
        lessons.push(json!({ "id": id, "change": change, "before": before, "after": after }));
    }
    if let more @ 1.. = lessons.len().saturating_sub(MOST_SHOWN) {
        lines.push(format!("… and {more} more; with --json all of them are shown"));
    }
    lines.extend(gone.iter().map(|id| format!("removed  {id}")));
    for key in &comparison.unaccepted.settings {
        let told = |settings: &SettingTexts| settings.get(key).map(|text| line(text));
        let (before, after) = (told(&accepted.settings), told(now));
        let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "not set".into());
        lines.push(format!("setting  {}: {} -> {}", line(key), value(&before), value(&after)));
        settings.push(json!({ "key": key, "before": before, "after": after }));
    }
    if lessons.is_empty() && settings.is_empty() && gone.is_empty() {
        lines.push("Nothing differs from what you accepted.".to_owned());
    } else {
        lines.extend(next);
    }
    let fields = json!({ "lessons": lessons, "settings": settings, "accepted": false, "change": change });
    Answer::new(lines, fields).given("corrupt", &comparison.corrupt).given("onlyInForce", gone)
}

/// A lesson in one line, with everything that decides when it fires and what it does.
fn told(lesson: &Lesson) -> String {
    let triggers: Vec<String> = lesson.all_triggers().map(|(role, it)| format!("{role} {it}")).collect();
    let rule = shortened(&line(&lesson.rule), LINE);
    line(&format!("{rule} ({}, {}; {})", lesson.mode, lesson.status, triggers.join(", ")))
}
