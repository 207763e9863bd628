//! The items of a project, made of what was noted in its sessions.
//!
//! One event is one item, whatever copies of it a resumed session, a fork or a work tree holds, and what was said again or
//! failed again is said once, with its count.

use std::collections::{BTreeSet, HashMap, HashSet};

use lessons_lesson::call::is_shell;
use lessons_text::digest;
use serde::{Deserialize, Serialize};

use super::note::{Failure, HowBefore, Note, NotedEvent, Place, ShownCall};
use super::signs::EMPHASIS;
use super::text::cut;

/// The longest prompt that gets a call before it: it cannot be understood alone. In characters.
const SHORT: usize = 90;
/// The characters that are shown of an addition to a memory file, and the lines that go into it.
const MEMORY: usize = 800;
const MEMORY_LINES: usize = 10;
/// The most groups of errors of a project.
const MOST_ERRORS: usize = 30;
/// The sessions in which the errors of a client's own file tools must come up: it explains them itself.
const FILE_TOOLS: ([&str; 5], usize) = (["Edit", "Write", "Read", "MultiEdit", "NotebookEdit"], 3);
/// Tools whose failures say something only where they come twice.
const SEARCHES: [&str; 3] = ["Grep", "Glob", "WebFetch"];

lessons_text::named! {
    /// The kind of an item, by the letter with which its ids begin.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ItemKind {
        /// What a person typed.
        Prompt = "p",
        /// A call that a person refused.
        Refusal = "r",
        /// Failures of one kind.
        Error = "e",
        /// Lines that were added to a file that is there to be remembered.
        Memory = "m",
    }
}

/// What a person did about the call that an item is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Correction {
    /// Nothing.
    #[default]
    None,
    /// They refused or stopped it.
    Stopped,
    /// They refused it and said why.
    Reasoned,
}

/// A call of the past.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CitedCall {
    /// Its session.
    pub session: String,
    /// The client's id of it.
    pub tool_use: String,
}

/// An item of a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// The text after the id, one line, of an error up to three.
    pub text: String,
    /// The lines that show it.
    pub places: Vec<Place>,
    /// The calls that failed, were refused, or stood before a prompt.
    pub calls: Vec<CitedCall>,
    /// The root of the project, or the client's name for its folder.
    pub project: String,
    /// When it came up first, in milliseconds since 1970.
    pub time: u64,
    /// The call that it says worked.
    pub worked: Vec<CitedCall>,
    /// How often it came up.
    pub times: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// Whether a person stopped or refused the call: with a prompt right after it, or with a reason.
    #[serde(default)]
    pub correction: Correction,
    /// By what it is known once it was read. It changes when the item has come up in twice as many sessions.
    pub mark: String,
    /// The session, and the time of its beginning in milliseconds since 1970.
    #[serde(skip)]
    pub(super) session: (u64, String),
}

/// The items of a project.
#[derive(Debug, Default)]
pub(super) struct ProjectItems {
    /// What people said and what was remembered, in the order of time.
    pub(super) told: Vec<Item>,
    /// Its groups of errors, the strongest first.
    pub(super) errors: Vec<Item>,
}

/// An event with its session, and the beginning of that.
#[derive(Debug, Clone)]
pub(super) struct PlacedEvent {
    pub(super) id: String,
    pub(super) project: String,
    pub(super) time: u64,
    pub(super) session: (u64, String),
    pub(super) event: NotedEvent,
}

impl PlacedEvent {
    /// The call that it is about.
    fn cited(&self) -> Option<CitedCall> {
        self.event.call.as_ref().map(|id| self.cites(id))
    }

    /// A call of its session.
    fn cites(&self, id: &str) -> CitedCall {
        CitedCall { session: self.session.1.clone(), tool_use: id.to_owned() }
    }
}

impl Item {
    /// The item of events that are alike by their key. The first says when it came up; of a prompt it is said how often.
    fn of(events: &[&PlacedEvent], kind: ItemKind, text: String, key: &str) -> Self {
        let places: Vec<Place> = events.iter().flat_map(|event| event.event.places.clone()).collect();
        let sessions: BTreeSet<&String> = places.iter().map(|place| &place.session).collect();
        let (times, sessions) = (events.len(), sessions.len().max(1));
        let again = format!(" (x{times}, {sessions}s)");
        Self {
            kind,
            text: if kind == ItemKind::Prompt && times > 1 { text + &again } else { text },
            places,
            calls: events.iter().filter_map(|event| event.cited()).collect(),
            project: events[0].project.clone(),
            time: events[0].time,
            worked: Vec::new(),
            times,
            sessions,
            correction: Correction::None,
            mark: format!("{} {}", digest::hex(key.as_bytes(), 24), sessions.ilog2()),
            session: events[0].session.clone(),
        }
    }
}

/// What is left out.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The marks of what was read.
    pub(super) read: HashSet<String>,
    /// The lines that a decided candidate explains.
    pub(super) decided: HashSet<String>,
}

impl Known {
    fn is_new(&self, item: &Item) -> bool {
        !self.read.contains(&item.mark) && !item.places.iter().any(|place| self.decided.contains(&place.uuid))
    }
}

/// Makes the items of a project from its events. Returns its failures besides.
pub(super) fn of_project(mut events: Vec<PlacedEvent>, known: &Known) -> (ProjectItems, Vec<PlacedEvent>) {
    // Stable: the events of a session are in its order. Each counts once.
    events.sort_by(|one, other| one.session.cmp(&other.session));
    let mut seen = HashSet::new();
    events.retain(|event| seen.insert(event.id.clone()));
    let is_failure = |event: &PlacedEvent| matches!(event.event.note, Note::Failure(_));
    let (failures, others): (Vec<_>, Vec<_>) = events.into_iter().partition(is_failure);
    let mut written = HashSet::new();
    let keyed = others.iter().filter_map(|event| {
        let (key, kind, text, correction) = told(event, &mut written)?;
        Some((key, (event, kind, text, correction)))
    });
    let of_group = |(key, group): (String, Vec<(&PlacedEvent, ItemKind, String, Correction)>)| {
        let events: Vec<&PlacedEvent> = group.iter().map(|(event, ..)| *event).collect();
        let (_, kind, text, correction) = group.into_iter().next()?;
        Some(Item { correction, ..Item::of(&events, kind, text, &key) })
    };
    let told = grouped(keyed).into_iter().filter_map(of_group).filter(|item| known.is_new(item)).collect();
    let errors = of_failures(&failures, known);
    (ProjectItems { told, errors }, failures)
}

/// What came with its keys, together by them, in the order in which each key came first.
fn grouped<T>(keyed: impl Iterator<Item = (String, T)>) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (key, value) in keyed {
        let at = *by_key.entry(key.clone()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[at].1.push(value);
    }
    groups
}

/// What an event tells that is no failure, in front the key of those that tell the same. Of lines to be remembered only those
/// are told that are not `written` yet.
fn told(
    event: &PlacedEvent,
    written: &mut HashSet<String>,
) -> Option<(String, ItemKind, String, Correction)> {
    Some(match &event.event.note {
        Note::Prompt { text, key, before } => {
            let correction = match before.as_ref().map(|before| before.how) {
                Some(HowBefore::Refused | HowBefore::Stopped) => Correction::Stopped,
                Some(HowBefore::Called | HowBefore::Asked) | None => Correction::None,
            };
            let is_short = text.chars().count() <= SHORT;
            let before = before.as_ref().filter(|before| is_short || before.how != HowBefore::Called);
            let after = before.map(|before| match before.how {
                HowBefore::Called => format!(" [after {}]", before.text),
                HowBefore::Refused => format!(" [after refused {}]", before.text),
                HowBefore::Stopped => format!(" [after stopped {}]", before.text),
                HowBefore::Asked => format!(" [after \"{}\"]", before.text),
            });
            let text = format!("\"{text}\"{}", after.unwrap_or_default());
            (format!("p{key}"), ItemKind::Prompt, text, correction)
        }
        Note::Refusal { call, said } => {
            let correction = if said.is_some() { Correction::Reasoned } else { Correction::Stopped };
            let said = said.as_ref().map(|said| format!(" -- \"{said}\"")).unwrap_or_default();
            (format!("r{call}{said}"), ItemKind::Refusal, format!("{call}{said}"), correction)
        }
        Note::Memory { file, lines } => {
            let is_new = |line: &&String| written.insert((*line).clone());
            let fresh: Vec<&str> = lines.iter().filter(is_new).map(String::as_str).collect();
            if fresh.is_empty() {
                return None;
            }
            (format!("m{}", event.id), ItemKind::Memory, memory_text(file, &fresh), Correction::None)
        }
        Note::Failure(_) => return None,
    })
}

/// The groups of errors that reach two sessions only over several projects. `shown` are the marks of the others.
pub(super) fn of_all_projects(failures: &[PlacedEvent], shown: &HashSet<String>, known: &Known) -> Vec<Item> {
    let mut items = of_failures(failures, known);
    let kind_of = |mark: &str| mark.rsplit_once(' ').map_or(mark.to_owned(), |(kind, _)| kind.to_owned());
    let shown: HashSet<String> = shown.iter().map(|mark| kind_of(mark)).collect();
    items.retain(|item| item.sessions > 1 && !shown.contains(&kind_of(&item.mark)));
    items
}

fn memory_text(file: &str, lines: &[&str]) -> String {
    let mut few = lines.to_vec();
    if few.len() > MEMORY_LINES {
        // A long addition: its emphasised lines, then its first ones.
        few.sort_by_key(|line| !EMPHASIS.is_in(line));
        few.truncate(MEMORY_LINES);
    }
    let more = lines.len() - few.len();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    format!("{file}: {}{more}", cut(&few.join(" / "), MEMORY, 0))
}

fn of_failures(failures: &[PlacedEvent], known: &Known) -> Vec<Item> {
    let keyed = failures.iter().filter_map(|event| {
        let Note::Failure(failure) = &event.event.note else { return None };
        Some((format!("e{} {}", failure.tool, failure.key), (event, failure)))
    });
    let items = grouped(keyed).into_iter().filter_map(|(key, group)| of_group(&key, &group));
    let mut ranked: Vec<(Rank, Item)> = items.filter(|(_, item)| known.is_new(item)).collect();
    ranked.sort_by(|(one, _), (other, _)| other.cmp(one));
    ranked.into_iter().take(MOST_ERRORS).map(|(_, item)| item).collect()
}

/// How much errors of one kind say: in how many sessions they came, whether again, whether they are about their call, how
/// often they came.
type Rank = (usize, bool, bool, usize);

/// The item of some failures of one kind, with its rank. `None` where they say too little.
fn of_group(key: &str, group: &[(&PlacedEvent, &Failure)]) -> Option<(Rank, Item)> {
    let &(event, first) = group.first()?;
    let sessions: BTreeSet<&String> = group.iter().map(|(event, _)| &event.session.1).collect();
    let sessions = sessions.len();
    let (tools, least) = FILE_TOOLS;
    let tool = first.tool.as_str();
    let solved = group.iter().find(|(_, failure)| failure.worked.is_some());
    // In one session: what the program under work said is work; an error about the call itself may teach.
    let is_about = first.is_about_call || !is_shell(tool);
    let teaches = solved.is_some() && is_about && (group.len() > 1 || !SEARCHES.contains(&tool));
    if tools.contains(&tool) && sessions < least || sessions < 2 && !teaches {
        return None;
    }
    let &(shown, best) = solved.unwrap_or(&(event, first));
    // Where only the folder differs, it is what made the difference.
    let is_same = best.worked.as_ref().is_some_and(|worked| worked.short == best.call.short);
    let written = |call: &ShownCall| if is_same { call.whole.clone() } else { call.short.clone() };
    let failed = written(&best.call);
    let mut text = format!("{sessions}s x{} {failed}\n   ! {}", group.len(), best.line);
    if let Some(worked) = best.worked.as_ref().map(written).filter(|worked| *worked != failed) {
        text = format!("{text}\n   > {worked}");
    }
    let events: Vec<&PlacedEvent> = group.iter().map(|(event, _)| *event).collect();
    let worked = best.worked.iter().map(|worked| shown.cites(&worked.id)).collect();
    let item = Item { worked, ..Item::of(&events, ItemKind::Error, text, key) };
    Some(((sessions, group.len() > 1, is_about, group.len()), item))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, session: &str, note: Note) -> PlacedEvent {
        let places =
            vec![Place { session: session.into(), line: 1, uuid: format!("u-{id}"), ..Place::default() }];
        PlacedEvent {
            id: id.into(),
            project: "/p".into(),
            time: 0,
            session: (0, session.into()),
            event: NotedEvent { note, places, call: Some(format!("t-{id}")) },
        }
    }

    fn prompt(id: &str, session: &str, text: &str) -> PlacedEvent {
        event(id, session, Note::Prompt { text: text.into(), key: text.into(), before: None })
    }

    fn failure(id: &str, session: &str) -> PlacedEvent {
        let call = |short: &str| ShownCall {
            id: String::new(),
            short: short.into(),
            whole: format!("cd x && {short}"),
        };
        let failure = Failure {
            tool: "Bash".into(),
            key: "k".into(),
            call: call("Bash a"),
            line: "unknown flag".into(),
            worked: Some(call("Bash b")),
            is_about_call: true,
        };
        event(id, session, Note::Failure(failure))
    }

    fn items(events: Vec<PlacedEvent>, known: &Known) -> Vec<Item> {
        let (ProjectItems { told, errors }, _) = of_project(events, known);
        told.into_iter().chain(errors).collect()
    }

    fn texts(events: Vec<PlacedEvent>) -> Vec<String> {
        items(events, &Known::default()).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn one_event_is_one_item_whatever_copies_there_are() {
        let events = vec![
            prompt("1", "s1", "use make"),
            prompt("1", "s2", "use make"),
            failure("2", "s1"),
            failure("2", "s2"),
        ];
        assert_eq!(texts(events), ["\"use make\"", "1s x1 Bash a\n   ! unknown flag\n   > Bash b"]);
    }

    #[test]
    fn what_was_said_again_is_said_once_with_its_count() {
        let events = vec![prompt("1", "s1", "use make"), prompt("2", "s2", "use make")];
        assert_eq!(texts(events), ["\"use make\" (x2, 2s)"]);
    }

    #[test]
    fn what_was_read_comes_again_only_when_it_has_doubled() {
        let once = vec![prompt("1", "s1", "use make")];
        let mut known = Known::default();
        known.read.extend(items(once.clone(), &known).into_iter().map(|item| item.mark));
        assert_eq!(items(once.clone(), &known).len(), 0);
        let twice = [once, vec![prompt("2", "s2", "use make")]].concat();
        assert_eq!(items(twice, &known).len(), 1);
    }

    #[test]
    fn what_a_decided_candidate_explains_is_left_out() {
        let known = Known { decided: HashSet::from(["u-1".to_owned()]), ..Known::default() };
        let left = items(vec![prompt("1", "s1", "use make"), prompt("2", "s1", "use just")], &known);
        assert_eq!(left.len(), 1);
    }
}
