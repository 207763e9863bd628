//! A proposal: what a command would change, in lines for a person, before anything of it is written.

use std::collections::BTreeSet;

use lessons_home::{Home, files};
use lessons_incident::IncidentIndex;
use lessons_incident::index::MOST_BYTES;
use lessons_ledger::ThingKind;
use lessons_ledger::journal::{Difference, Thing};
use lessons_lesson::{
    Conditions, Lesson, LessonId, Mode, Priority, Quality, Scope, Severity, Status, TriggerRole, When,
    names_of,
};
use lessons_store::{
    Graph, IncidentEntry, LessonChange, Peer, PeerTrust, Refusals, Snapshot, TrustedStore, decisions::trust,
};
use lessons_text::{digest, line};
use serde_json::Value;

use crate::known_projects::{EVERYWHERE, KnownProjects};
use crate::lesson_difference::{self, ChangedLesson};

/// What is said of a lesson without a trigger.
pub const NO_TRIGGER: &str = "no trigger: told when a session starts";

/// The number of digits of a candidate's id that are shown.
const ID_DIGITS: usize = 8;

/// How much of a command a proposal tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One change that the journal records.
    Change,
    /// Everything that the command does.
    Command,
}

/// What a command would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// How much of the command it tells.
    pub extent: Extent,
    /// The lines to show, each neutral.
    pub lines: Vec<String>,
    /// A digest of the change, down to the last byte.
    pub digest: String,
}

impl Proposal {
    /// The proposal of a change that the journal will record.
    pub fn of(changes: &[Difference], home: &Home, known: &KnownProjects) -> Self {
        let texts = changes.iter().map(|change| serde_json::to_vec(change).unwrap_or_default());
        let texts: Vec<Vec<u8>> = texts.collect();
        let parts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        // Where the store of a project changes, its approval follows by what is shown of the change.
        let in_project = in_project(changes);
        let shown = changes.iter().filter(|it| in_project.is_none() || it.thing.kind != ThingKind::Trust);
        let mut lines: Vec<String> = shown.flat_map(|change| lines_of(change, home, known)).collect();
        lines.extend(in_project);
        lines.extend(candidates(changes));
        // Topics and triggers come with the lessons that name them, and are shown where nothing else changes.
        if lines.is_empty() {
            lines = changes
                .iter()
                .map(|Difference { thing, after, .. }| {
                    let verb = if after.is_some() { "Change" } else { "Remove" };
                    format!("{verb} the {} {}", thing.kind.name(), line(&thing.name))
                })
                .collect();
        }
        Self { extent: Extent::Change, lines, digest: digest::hex_of_parts(&parts, 64) }
    }

    /// The proposal of a command that does something that the journal does not record, in words.
    pub fn said(text: &str) -> Self {
        Self {
            extent: Extent::Command,
            lines: text.lines().map(line).collect(),
            digest: digest::hex(text.as_bytes(), 64),
        }
    }
}

fn lines_of(change: &Difference, home: &Home, known: &KnownProjects) -> Vec<String> {
    let thing = &change.thing;
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    match thing.kind {
        ThingKind::Lesson | ThingKind::Accepted | ThingKind::ProjectLesson => {
            let (before, after) = (parsed(thing, before), parsed(thing, after));
            let is_of_project = thing.kind == ThingKind::ProjectLesson;
            let id = if is_of_project { thing.to_string() } else { format!("user/{}", thing.name) };
            let mut lines = lesson_lines(&id, before.as_ref(), after.as_ref(), known);
            lines.extend(after.as_ref().into_iter().flat_map(|after| like_incidents(home, after)));
            lines
        }
        ThingKind::Setting | ThingKind::AcceptedSetting => vec![setting_line(&thing.name, before, after)],
        ThingKind::Trust => trust_lines(home, &thing.name, before, after),
        ThingKind::Incident => incident_lines(home, &thing.name, before, after),
        ThingKind::Peer => vec![peer_line(&thing.name, before, after)],
        ThingKind::Received => {
            let [before, after] = [before, after].map(|text| serde_json::from_str::<Lesson>(text?).ok());
            lesson_lines(&thing.to_string(), before.as_ref(), after.as_ref(), known)
        }
        ThingKind::Shared => {
            let verb = if after.is_some() { "Write" } else { "Remove" };
            vec![format!("{verb} the shared file {}", line(&thing.name))]
        }
        ThingKind::ProjectStore | ThingKind::ProjectTopic | ThingKind::ProjectTrigger => Vec::new(),
        ThingKind::Topic | ThingKind::Trigger | ThingKind::Candidate | ThingKind::Label | ThingKind::Text => {
            Vec::new()
        }
    }
}

/// A lesson of the journal. `None` if there is none, or none that can be used.
fn parsed(thing: &Thing, text: Option<&str>) -> Option<Lesson> {
    let snapshot: Snapshot = serde_json::from_str(text?).ok()?;
    let mut graph = Graph::empty(Home::at("/".into()).lessons());
    let id = thing.node().map_or(&*thing.name, |(_, id)| id);
    graph.restore([(id, Some(snapshot))]);
    graph.get(&LessonId::new(id).ok()?).cloned()
}

/// The line that says which project's store a change is made to, and what it does to the trust in it.
fn in_project(changes: &[Difference]) -> Option<String> {
    let root = changes.iter().find_map(|change| change.thing.project())?;
    let trust = changes.iter().find(|change| change.thing.kind == ThingKind::Trust);
    let trusted = match trust.map(|trust| (trust.before.is_some(), trust.after.is_some())) {
        Some((false, true)) => "; its lessons are used from now on, and only advise",
        Some((_, false)) => "; its lessons are no longer used",
        Some((true, true)) => "; what you approved of it follows",
        None => "; what you approved of it stays as it is",
    };
    Some(format!("In .lessons/lessons.json of {}{trusted}", line(root)))
}

fn lesson_lines(
    id: &str,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
    known: &KnownProjects,
) -> Vec<String> {
    let id = line(id);
    let Some(after) = after else {
        return vec![match before {
            Some(before) => format!("Remove {id}: {}", line(&before.rule)),
            None => format!("Change {id}, which cannot be used as it is"),
        }];
    };
    let shown_in_full = |lines: &mut Vec<String>| {
        let is_everywhere = after.scope.projects.is_empty() && id.starts_with("user/");
        let everywhere = if is_everywhere { format!(", {EVERYWHERE}") } else { String::new() };
        lines.push(format!("  {}{everywhere}{}", occasion(after, known), weight(after)));
        lines.extend(texts(after));
    };
    let mut lines = Vec::new();
    match before {
        None => {
            lines.push(format!("New lesson that {}: {}", effect(after.mode), line(&after.rule)));
            shown_in_full(&mut lines);
        }
        Some(before) => {
            let verb = match (before.status, after.status) {
                (Status::Active, Status::Deprecated | Status::Superseded) => "Retire",
                (Status::Deprecated | Status::Superseded, Status::Active) => "Bring back",
                _ => "Change",
            };
            lines.push(format!("{verb} {id} ({}): {}", effect(after.mode), line(&after.rule)));
            if verb == "Bring back" {
                shown_in_full(&mut lines);
            }
            lines.extend(changed_fields(before, after, known));
        }
    }
    lines.extend(waived(before, after));
    lines
}

fn effect(mode: Mode) -> &'static str {
    match mode {
        Mode::Advise => "advises",
        Mode::Bump => "blocks a call once",
        Mode::Block => "blocks every call",
    }
}

/// How much a lesson weighs, as far as that is not what a lesson has by itself: it decides which lessons are told first.
fn weight(lesson: &Lesson) -> String {
    let Lesson { priority, severity, quality, .. } = lesson;
    let parts = [
        (*priority != Priority::default()).then(|| format!(", priority {}", priority.get())),
        (*severity != Severity::default()).then(|| format!(", {} severity", severity.name())),
        (*quality != Quality::default()).then(|| format!(", {} quality", quality.name())),
    ];
    parts.into_iter().flatten().collect()
}

/// When a lesson is told: triggers, conditions, tools and scope.
pub fn occasion(lesson: &Lesson, known: &KnownProjects) -> String {
    let mut text = match lesson.when {
        When::Tool => "on".to_owned(),
        When::Session if lesson.triggers.is_empty() => NO_TRIGGER.to_owned(),
        When::Session => "at the start of every session".to_owned(),
    };
    text.extend(lesson.all_triggers().map(|(role, trigger)| match role {
        TriggerRole::Any => format!(" {}", line(&trigger.to_string())),
        role => format!(" {role} {}", line(&trigger.to_string())),
    }));
    let clause = |what: &str, names: String| (!names.is_empty()).then(|| format!(", {what} {names}"));
    let Conditions { os, shell, state } = lesson.conditions();
    let Scope { projects, agents } = &lesson.scope;
    let clauses = [
        clause("subject", lesson.subject.map_or_else(String::new, |subject| subject.name().to_owned())),
        clause("tools", line(&lesson.tools.join(" "))),
        clause("only where os is", names_of(&os).join(" or ")),
        clause("only where shell is", names_of(&shell).join(" or ")),
        clause("only where state is", names_of(&state).join(" and ")),
        (!projects.is_empty()).then(|| format!(", {}", known.holds(projects))),
        clause("only for agents", line(&agents.join(", "))),
    ];
    text.extend(clauses.into_iter().flatten());
    text
}

/// The texts beside the rule that the model can be told or shown.
fn texts(lesson: &Lesson) -> Vec<String> {
    let texts = [
        ("mistake", &lesson.mistake),
        ("summary", &lesson.summary),
        ("why", &lesson.rationale),
        ("detail", &lesson.detail),
    ];
    let told = texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
    told.map(|(name, text)| format!("  {name}: {}", line(text))).collect()
}

/// Each field that differs, before and after.
fn changed_fields(before: &Lesson, after: &Lesson, known: &KnownProjects) -> Vec<String> {
    let changed = ChangedLesson::between(after.id.as_str(), LessonChange::Changed, Some(before), Some(after))
        .with_folders(known);
    let joined = |values: &[String]| match values {
        [] => "none".to_owned(),
        values => line(&values.join(" ")),
    };
    let fields = changed.fields.iter();
    fields.map(|it| format!("  {}: {} -> {}", it.field, joined(&it.before), joined(&it.after))).collect()
}

/// What a person has said so that a lesson may do more than its proof allows: evidence that is new.
fn waived(before: Option<&Lesson>, after: &Lesson) -> Vec<String> {
    let is_new = |entry: &&String| before.is_none_or(|before| !before.evidence.contains(entry));
    let said = after.evidence.iter().filter(is_new).filter_map(|entry| {
        let forced = entry.strip_prefix("forced:block:").map(|why| ("blocks without proof", why));
        forced.or_else(|| entry.strip_prefix("accepted:").map(|why| ("taken although flagged", why)))
    });
    said.map(|(what, why)| format!("  {what}: {}", line(why))).collect()
}

/// A change of the trust in a project: its lessons before and after, from the copies that are kept of them.
fn trust_lines(home: &Home, root: &str, before: Option<&str>, after: Option<&str>) -> Vec<String> {
    let store = |text: Option<&str>| TrustedStore::of_journal(root, text?);
    let (before, after) = (store(before), store(after));
    let graph = |store: Option<&TrustedStore>| store.and_then(|store| trust::approved_lessons(home, store));
    let (old, new) = (graph(before.as_ref()), graph(after.as_ref()));
    let Some(after) = after else { return vec![format!("No longer use the lessons of {}", line(root))] };
    let mut lines = vec![format!(
        "Use the lessons of {}; {}",
        line(root),
        match after.refusals {
            Refusals::Allowed => "they may block calls",
            Refusals::BecomeAdvice => "they advise only",
        }
    )];
    if new.is_none() {
        lines.push("  the copy of them is gone, so none will be in force".to_owned());
    }
    let graphs = [&old, &new].into_iter().flatten();
    let all: BTreeSet<String> = graphs.flat_map(Graph::ids).map(str::to_owned).collect();
    for id in all {
        let lesson = |graph: &Option<Graph>| graph.as_ref()?.get(&LessonId::new(&id).ok()?).cloned();
        let (old, new) = (lesson(&old), lesson(&new));
        if old != new {
            lines.extend(lesson_lines(&id, old.as_ref(), new.as_ref(), &KnownProjects::default()));
        }
    }
    lines.extend(after.accepted.iter().map(|id| format!("  {id} is taken although flagged")));
    let settings = after.settings.iter().flat_map(|settings| settings.values.lines());
    lines.extend(settings.map(|setting| format!("  setting {}", line(&setting))));
    lines
}

/// A change of the trust in a peer.
fn peer_line(key: &str, before: Option<&str>, after: Option<&str>) -> String {
    let [before, after] = [before, after].map(|text| serde_json::from_str::<Peer>(text?).ok());
    match (after, before) {
        (Some(Peer { name, trust, .. }), _) => {
            let what = match trust {
                PeerTrust::Review => "become candidates",
                PeerTrust::Auto => "advise at once, without a review",
            };
            format!("Trust the key {} as {name}: lessons signed with it {what}", line(key))
        }
        (None, Some(Peer { name, .. })) => format!("No longer trust {name}, the key {}", line(key)),
        (None, None) => format!("No longer trust the key {}", line(key)),
    }
}

/// A decision about an incident. Its text is never shown: it gives orders.
fn incident_lines(home: &Home, id: &str, before: Option<&str>, after: Option<&str>) -> Vec<String> {
    let entry = |text: Option<&str>| serde_json::from_str::<IncidentEntry>(text?).ok();
    let [before, after] = [before, after].map(|text| entry(text).unwrap_or_default());
    let index = incident_index(home);
    let rows = index.iter().flat_map(IncidentIndex::rows);
    let known = rows.into_iter().find(|row| row.id.to_string() == id);
    let about = known.map_or_else(String::new, |row| format!(" ({}, from {})", row.kind, line(&row.source)));
    let because = |reason: &str| match reason {
        "" => String::new(),
        reason => format!(": {}", line(reason)),
    };
    let mut lines = Vec::new();
    if before.retired != after.retired {
        lines.push(match &after.retired {
            Some(retired) => format!("Let incident {id}{about} pass from now on{}", because(&retired.reason)),
            None => format!("Let incident {id}{about} count again"),
        });
    }
    if before.confirmed != after.confirmed {
        lines.push(match &after.confirmed {
            Some(confirmed) => {
                let because = because(&confirmed.reason);
                format!(
                    "Withhold texts like incident {id}{about} from the model, whatever they come from; of WebFetch and \
                     WebSearch the results stay, with a note{because}"
                )
            }
            None => format!("Withhold texts like incident {id}{about} only where they are critical by themselves"),
        });
    }
    if before.reported != after.reported {
        lines.push(match &after.reported {
            Some(reported) => format!(
                "Record incident {id} ({}, {} characters, from {}){}",
                reported.severity,
                reported.pattern.text().chars().count(),
                line(&reported.source),
                because(reported.reason.as_deref().unwrap_or_default())
            ),
            None => format!("Take the report of incident {id} back"),
        });
    }
    if lines.is_empty() {
        lines.push(format!("Change incident {id}{about}"));
    }
    lines
}

/// The incidents that a lesson is like.
fn like_incidents(home: &Home, lesson: &Lesson) -> Vec<String> {
    let Some(index) = incident_index(home) else { return Vec::new() };
    let text = lesson_difference::text_of(lesson);
    let matches = index.matches(&text);
    matches.iter().map(|found| format!("  like incident {} ({})", found.row.id, found.row.kind)).collect()
}

fn incident_index(home: &Home) -> Option<IncidentIndex> {
    let bytes = files::read(&home.incident_index(), MOST_BYTES).ok()??;
    IncidentIndex::read(&bytes)
}

fn setting_line(key: &str, before: Option<&str>, after: Option<&str>) -> String {
    let lesson = key.strip_prefix("off.").map(|id| line(id.trim_matches('"')));
    match (lesson, after) {
        (Some(id), Some(until)) => match until.trim_matches('"') {
            "" => format!("Switch off {id}"),
            until => format!("Switch off {id} until {}", line(until)),
        },
        (Some(id), None) => format!("Switch on {id}"),
        (None, _) => {
            let value = |text: Option<&str>| text.map_or_else(|| "not set".to_owned(), line);
            format!("Setting {}: {} -> {}", line(key), value(before), value(after))
        }
    }
}

/// The candidates, a line for each status that they get.
fn candidates(changes: &[Difference]) -> Vec<String> {
    let mut by_status: Vec<(String, Vec<String>)> = Vec::new();
    for change in changes.iter().filter(|change| change.thing.kind == ThingKind::Candidate) {
        let status: Option<Value> = change.after.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let status = status.as_ref().and_then(|status| status["status"].as_str()).unwrap_or("gone");
        let verb = match status {
            "rejected" => "Reject",
            "new" => "Let wait again",
            _ => "Put away",
        };
        // Enough to tell it from the others; the digest holds all of it.
        let id: String = line(&change.thing.name).chars().take(ID_DIGITS).collect();
        match by_status.iter_mut().find(|(known, _)| known == verb) {
            Some((_, ids)) => ids.push(id),
            None => by_status.push((verb.to_owned(), vec![id])),
        }
    }
    by_status.into_iter().map(|(verb, ids)| format!("{verb}: candidate {}", ids.join(", "))).collect()
}
