//! `lessons log`: list every change, who made it and when, and whether it was undone.

use lessons_decide::claims::session_hash;
use lessons_ledger::events::fired::OVERRIDDEN;
use lessons_ledger::journal::{Change, JournalEntry, Thing};
use lessons_ledger::{FiredEvent, ThingKind, events};
use lessons_lesson::{Contents, MAIN};
use lessons_replay::{CallOutcome, History, RecordedCall};
use lessons_review::overridden;
use lessons_share::{Deletion, PublicKey, SharedLesson, Unverified};
use lessons_store::{NodeKind, Peers};

use crate::prelude::*;

/// Arguments of `lessons log`.
#[derive(Debug, Args)]
pub struct Log {
    /// List only changes of this lesson, candidate, project or setting: its id, or the start of it
    pub id: Option<String>,
    /// List instead what was told and stopped: when, where, at which call, and what came of it
    #[arg(long)]
    pub fired: bool,
    /// Only of today
    #[arg(long, requires = "fired")]
    pub today: bool,
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// The number of changes that are read at once.
const PAGE: u32 = 100;

/// The most items that are named for a change of many, in one line of the list.
const MOST_IN_LINE: usize = 3;

pub(crate) fn run(app: &App, args: &Log) -> Result<Exit> {
    let database = app.database()?;
    let peers = Peers::read(&app.home).unwrap_or_default();
    let wanted = args.id.as_deref();
    let mut changes: Vec<Change> = Vec::new();
    let mut before = None;
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    while changes.len() < limit {
        let page = database.changes(before, PAGE)?;
        let Some(oldest) = page.last() else { break };
        before = Some(oldest.number);
        let about = page.into_iter().filter(|change| {
            wanted.is_none_or(|text| {
                let is_named = |entry| peer(&peers, entry).is_some_and(|name| name.starts_with(text));
                change.entries.iter().any(|entry| is_meant(&entry.thing, text) || is_named(entry))
            })
        });
        changes.extend(about);
    }
    changes.truncate(limit);
    if let (Some(text), true) = (wanted, changes.is_empty()) {
        let text = line(text);
        bail!(Refused(format!("nothing of `{text}` was ever changed; `lessons log` shows every change")));
    }
    let can_be_undone = |change: &Change| change.undone_by.is_none() && !change.is_final();
    let entry = |change: &Change| {
        let (time, what, by) =
            (app.local.time(change.time), what(&peers, change, MOST_IN_LINE), line(&change.actor));
        let undone = change.undone_by.map(|by| format!(" (undone by {by})")).unwrap_or_default();
        let said = format!("{:>5}  {time}  {what}, by {by}{undone}", change.number);
        let row = json!({
            "number": change.number,
            "time": change.time,
            "by": change.actor,
            "action": change.action,
            "things": shown(change).into_iter().map(|entry| &entry.thing).collect::<Vec<_>>(),
            "undoes": change.undoes,
            "undoneBy": change.undone_by,
            "canBeUndone": can_be_undone(change),
        });
        Answer::new(vec![said], row).given("fields", fields(&change.entries))
    };
    let next = match changes.iter().find(|change| can_be_undone(change)) {
        Some(change) => format!("Next: lessons undo {}", change.number),
        None => "Nothing can be undone\nNext: lessons".to_owned(),
    };
    app.recorded(&Answer::of_all(changes.iter().map(entry)).and(next))
}

/// Whether `text` is the id of an item, or the start of it.
fn is_meant(thing: &Thing, text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    match thing.kind {
        ThingKind::Lesson | ThingKind::Label | ThingKind::Accepted => {
            thing.name.starts_with(text.strip_prefix("user/").unwrap_or(text))
        }
        ThingKind::Setting | ThingKind::AcceptedSetting => {
            let id = thing.name.strip_prefix("off.").unwrap_or(&thing.name);
            let names = [&thing.name, id, id.strip_prefix("user/").unwrap_or(id)];
            names.iter().any(|name| name.starts_with(text))
        }
        ThingKind::ProjectLesson | ThingKind::ProjectTopic | ThingKind::ProjectTrigger => {
            let id = thing.node().is_some_and(|(_, id)| id.starts_with(text));
            let full = thing.lesson().is_some_and(|id| id.to_string().starts_with(text));
            id || full || thing.project().is_some_and(|root| root.starts_with(text))
        }
        ThingKind::Received => {
            let shown = thing.to_string();
            let (_, id) = shown.split_once('/').unwrap_or_default();
            shown.starts_with(text) || id.starts_with(text)
        }
        ThingKind::Text => false,
        _ => thing.name.starts_with(text),
    }
}

/// The changed items. Topics and triggers are left out: they come with the lessons that name them.
fn shown(change: &Change) -> Vec<&JournalEntry> {
    let is_lesson = |entry: &&JournalEntry| matches!(entry.thing.node(), Some((NodeKind::Lesson, _)));
    let lessons: Vec<_> = change.entries.iter().filter(is_lesson).collect();
    if lessons.is_empty() { change.entries.iter().collect() } else { lessons }
}

/// A change in words, with the names of this many things, as a person knows them. Without the peers, they are named by their
/// keys.
pub(crate) fn what(peers: &Peers, change: &Change, most: usize) -> String {
    let entries = shown(change);
    let mut names: Vec<String> = entries.iter().take(most).map(|entry| name(peers, entry)).collect();
    names.extend((entries.len() > most).then(|| format!("{} more", entries.len() - most)));
    let fields = fields(&change.entries);
    let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    match change.undoes {
        Some(undone) => format!("undid {undone}: {}", names.join(", ")),
        None => format!("{} {}{fields}", line(&change.action), names.join(", ")),
    }
}

fn name(peers: &Peers, entry: &JournalEntry) -> String {
    let thing = &entry.thing;
    match thing.kind {
        ThingKind::Trust => line(&thing.name),
        ThingKind::Accepted => line(&format!("user/{}", thing.name)),
        ThingKind::Setting | ThingKind::AcceptedSetting => {
            line(thing.name.strip_prefix("off.").unwrap_or(&thing.name))
        }
        ThingKind::Peer => {
            peer(peers, entry).map_or_else(|| thing.to_string(), |name| format!("peer {name}"))
        }
        ThingKind::Received => match peer(peers, entry) {
            Some(name) => format!("{thing} of {name}"),
            None => thing.to_string(),
        },
        ThingKind::Shared => shared_lessons(entry).unwrap_or_else(|| thing.to_string()),
        _ => thing.to_string(),
    }
}

/// The name that the person gave the peer whom an entry is about: today, or then if the key is trusted no more.
fn peer(peers: &Peers, entry: &JournalEntry) -> Option<String> {
    let key = match entry.thing.kind {
        ThingKind::Peer => entry.thing.name.as_str(),
        ThingKind::Received => entry.thing.name.split_once('/')?.0,
        _ => return None,
    };
    let key: PublicKey = key.parse().ok()?;
    let then = || {
        let mut texts = [&entry.after, &entry.before].into_iter().flatten();
        texts.find_map(|text| serde_json::from_str(text).ok())
    };
    peers.0.get(&key).cloned().or_else(then).map(|peer| peer.name.to_string())
}

/// The lessons that a shared file is about.
fn shared_lessons(entry: &JournalEntry) -> Option<String> {
    let text = entry.after.as_ref().or(entry.before.as_ref())?;
    let event = Unverified::parse(text.trim_ascii_end().as_bytes()).ok()?.verify().ok()?;
    if let Ok(shared) = SharedLesson::read(&event) {
        return Some(format!("user/{}, version {}", shared.lesson().id, shared.version));
    }
    let deletion = Deletion::read(&event)?;
    let ids = deletion.lessons.iter().map(|id| format!("user/{id}"));
    Some(listed(ids)).filter(|ids| !ids.is_empty())
}

/// The names of the fields that differ, if one existing lesson changed.
fn fields(entries: &[JournalEntry]) -> Vec<String> {
    let mut lessons =
        entries.iter().filter(|entry| matches!(entry.thing.node(), Some((NodeKind::Lesson, _))));
    let (Some(entry), None) = (lessons.next(), lessons.next()) else { return Vec::new() };
    let [before, after] = entry.lessons();
    let versions = || Some((before?.lesson, after?.lesson));
    let Some((Value::Object(before), Value::Object(after))) = versions() else { return Vec::new() };
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differ = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    // Every change sets `updatedAt`.
    differ.filter(|name| *name != "updatedAt").map(|name| line(name)).collect()
}

/// The longest call that is shown, in characters.
const LONGEST_CALL: usize = 100;

pub(crate) fn fired(app: &App, args: &Log) -> Result<Exit> {
    let mut database = app.database()?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let from = if args.today { app.local.day_start(app.now_ms()) } else { 0 };
    let events = database.fired(from, args.id.as_deref(), args.limit)?;
    let is_wanted = |id: &str| events.iter().any(|event| event.session == session_hash(id));
    let folders = lookup::transcript_folders(app, &[])?;
    let history = History::of_sessions(&folders, &is_wanted, Contents::Skip);
    let (mut lines, mut rows, mut next) = (Vec::new(), Vec::new(), None);
    let are_several = events.windows(2).any(|pair| matches!(pair, [a, b] if a.client != b.client));
    for event in &events {
        let session = history.sessions.iter().find(|session| session_hash(&session.id) == event.session);
        let project = session.and_then(|session| session.project().or(session.start.as_deref()));
        let found = (!event.call.is_empty()).then(|| found_call(event, &history)).flatten();
        let (time, what) = (app.local.time(event.time), in_words(&event.outcome));
        let to = if event.agent == MAIN { String::new() } else { format!(", to {}", line(&event.agent)) };
        let place = project.map(|project| format!(", in {}", line(project))).unwrap_or_default();
        let with = if are_several { format!(", with {}", event.client.title()) } else { String::new() };
        lines.push(format!("{time}  {what}  {}{to}{place}{with}", line(&event.lessons.join(", "))));
        lines.push(match &found {
            Some((said, _)) => format!("    {said}"),
            None if event.call.is_empty() => "    at the start".to_owned(),
            None => format!("    call {}, which no transcript holds", line(&event.call)),
        });
        next = next.or(found.as_ref().map(|_| &event.call));
        let mut row = json!({
            "time": event.time, "outcome": event.outcome, "lessons": event.lessons, "agent": event.agent,
            "client": event.client, "project": project, "call": event.call,
        });
        if let (Some(row), Some((_, Value::Object(call)))) = (row.as_object_mut(), found) {
            row.extend(call);
        }
        rows.push(row);
    }
    lines.push(match next {
        Some(call) => format!("Next: lessons explain --tool-use {}", line(call)),
        None if events.is_empty() => "Nothing was told or stopped\nNext: lessons list".to_owned(),
        None => "Next: lessons show ID".to_owned(),
    });
    app.recorded(&Answer::new(lines, rows.into()))
}

/// The call of an event, as the transcript holds it: how it ended, and how the next one ended that says the same, if the thread
/// made one. In words, and for programs.
fn found_call(event: &FiredEvent, history: &History) -> Option<(String, Value)> {
    let mut calls = overridden::calls_from(event, history);
    let found = calls.next()?;
    let call = &found.call;
    let result = match (event.outcome.as_str(), found.outcome) {
        (OVERRIDDEN, _) | ("refused", CallOutcome::Fine) => {
            "ran all the same: something else dropped the block"
        }
        // A refusal of a hook looks like a failure in some transcripts.
        ("refused", _) => "was stopped",
        _ => ending(found),
    };
    let says_the_same = |RecordedCall { call: later, .. }: &&RecordedCall| {
        (&call.tool, &call.command, &call.paths) == (&later.tool, &later.command, &later.paths)
    };
    let again = calls.find(says_the_same).map(ending);
    let mut said = line(&call.tool);
    for part in call.command.iter().chain(&call.paths) {
        said.extend([" `", &shortened(&line(part), LONGEST_CALL), "`"]);
    }
    let then =
        again.map_or_else(|| "did not come again".to_owned(), |again| format!("came again and {again}"));
    let said = format!("{said} {result}; the same call {then}");
    let (tool, command, files) = (&call.tool, &call.command, &call.paths);
    let fields =
        json!({ "tool": tool, "command": command, "files": files, "result": result, "again": again });
    Some((said, fields))
}

/// How a call ended.
fn ending(call: &RecordedCall) -> &'static str {
    match call.outcome {
        CallOutcome::Fine => "ran",
        CallOutcome::Failed => "failed",
        CallOutcome::Stopped | CallOutcome::Rejected => "was stopped",
    }
}

/// What a hook did, in the words of a person.
pub(crate) fn in_words(outcome: &str) -> &'static str {
    match outcome {
        "refused" | OVERRIDDEN => "blocked",
        "passed" => "allowed on retry",
        _ => "reminder",
    }
}
