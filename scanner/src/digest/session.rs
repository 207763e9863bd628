//! One transcript, read to its end: what is noted of it.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io;
use std::path::Path;
use std::rc::Rc;

use lessons_lesson::call::is_shell;
use lessons_text::digest;
use memchr::memmem;
use serde_json::Value;

use super::call_line::{end_of, shorten};
use super::error_line;
use super::memory;
use super::note::{Before, Failure, HowBefore, Note, NotedEvent, Place, ShownCall};
use super::signs::{ABOUT_CALL, CANCELLED, CLIENT_ERROR, MASKED, WORK};
use super::text::{PROMPT, clean, cut, typed_part, weight};
use crate::transcript::SessionFolder;
use crate::transcript::foreign;
use crate::transcript::line::{Line, LineRegion, LineSearch};
use crate::transcript::spoken::{Spoken, SpokenCall, SpokenEnd, SpokenLine, spoken};
use crate::transcript::timestamp::Timestamp;

/// The most events of a transcript.
const MOST_EVENTS: usize = 20_000;
/// The most calls that may be open at once.
const MOST_OPEN: usize = 256;
/// The most failures for which a call that works is looked for at once.
const MOST_UNSOLVED: usize = 64;
/// The calls of the same tool that are looked at for it.
const LOOK_AHEAD: usize = 8;
/// The share of words that such a call has in common, with another program and with the same, in percent.
const ALIKE: (usize, usize) = (50, 30);
/// The most lines of one addition to a memory file.
const MOST_LINES: usize = 60;
/// The lengths of shown texts, in characters: a call before a prompt, a refused one, a failed one, an error, a line of a
/// memory file, a prompt that holds a plan which the client made.
const BEFORE: usize = 60;
const REFUSED: usize = 150;
const FAILED: usize = 130;
const ERROR: usize = 140;
const LINE: usize = 140;
const PLAN: usize = 100;
/// The start of the prompt with which the client has a plan carried out.
const PLAN_START: &str = "Implement the following plan";
/// The fewest letters of a prompt that says something, of one that is a single word, and the part that makes its key.
const SAYS: usize = 4;
const WORD_SAYS: usize = 12;
const KEY: usize = 200;

/// What was noted of a transcript.
#[derive(Debug, Default)]
pub(super) struct SessionNotes {
    /// The events, in order, with their ids and times in milliseconds since 1970.
    pub(super) events: Vec<(String, u64, NotedEvent)>,
    /// The folder in which the session began.
    pub(super) folder: Option<SessionFolder>,
}

/// Reads a transcript of the session `name`. Lines that cannot be read are passed over.
pub(super) fn read(path: &Path, name: &str) -> io::Result<SessionNotes> {
    let mut search = LineSearch::new(foreign::open(path)?, 0);
    let mut notes = Notes { session: name.to_owned(), ..Notes::default() };
    while let Some(region) = search.next_region()? {
        if let LineRegion::Lines(lines) = region {
            lines.for_each(|line| notes.read(line));
        }
    }
    if let Some(tail) = search.tail() {
        notes.read(tail);
    }
    Ok(notes.finished())
}

/// Whether something may have happened in a line, as far as its bytes show.
fn may_speak(line: &[u8]) -> bool {
    let signs: [&[u8]; 4] = [b"\"tool_use\"", b"\"user\"", b"\"queue-operation\"", b"\"queued_command\""];
    signs.iter().any(|sign| memmem::find(line, sign).is_some())
}

/// A call that began.
struct Open {
    call: Rc<SpokenCall>,
    place: Place,
    order: usize,
    /// The file that is there to be remembered, and the lines that the call adds to it.
    remembered: Option<(String, Vec<String>)>,
}

/// A failure for which a call that works is looked for.
struct Unsolved {
    event: usize,
    failed: Open,
    words: BTreeSet<String>,
    seen: usize,
}

/// What stands before the next prompt.
struct Preceding {
    how: HowBefore,
    call: Option<Rc<SpokenCall>>,
    question: String,
}

#[derive(Default)]
struct Notes {
    session: String,
    noted: SessionNotes,
    /// The calls that have not ended, in their order.
    open: VecDeque<Open>,
    unsolved: VecDeque<Unsolved>,
    before: Option<Preceding>,
    /// What was typed into the queue and not delivered yet, with the numbers of the events.
    queued: HashMap<String, usize>,
    calls: usize,
    by_a_person: usize,
    may_be_program: bool,
}

impl Notes {
    fn read(&mut self, line: Line<'_>) {
        if self.noted.folder.is_none() {
            self.noted.folder = crate::transcript::folder(line.bytes);
        }
        if let Some(said) = Some(line.bytes).filter(|bytes| may_speak(bytes)).and_then(spoken) {
            self.line(said, line.number);
        }
    }

    fn line(&mut self, line: SpokenLine, number: u64) {
        self.may_be_program |= line.may_be_program;
        let place =
            Place { session: self.session.clone(), line: number, uuid: line.uuid, ..Place::default() };
        let time = line.time.map_or(0, Timestamp::millis);
        for spoken in line.what {
            match spoken {
                Spoken::Typed(text) => self.typed(&text, &place, time),
                Spoken::Queued(text) => {
                    let event = self.noted.events.len();
                    self.typed(&text, &place, time);
                    if self.noted.events.len() > event {
                        self.queued.insert(text, event);
                    }
                }
                Spoken::Interrupted => self.interrupted(),
                Spoken::Remembered(text) => {
                    let lines = vec![cut(&clean(&text), LINE, 0)];
                    let id = digest::hex_of_parts(&[&time.to_le_bytes(), text.as_bytes()], 32);
                    let note = Note::Memory { file: "memory".into(), lines };
                    self.push(id, time, note, vec![place.clone()], None);
                }
                Spoken::Called(call) => self.called(call, &place),
                Spoken::Ended(id, end) => self.ended(&id, end, &place, time),
            }
        }
    }

    fn push(&mut self, id: String, time: u64, note: Note, places: Vec<Place>, call: Option<String>) {
        if self.noted.events.len() < MOST_EVENTS {
            self.noted.events.push((id, time, NotedEvent { note, places, call }));
        }
    }

    fn called(&mut self, mut call: SpokenCall, place: &Place) {
        let remembered = memory::added(&call);
        shorten(&mut call.input);
        let call = Rc::new(call);
        self.calls += 1;
        self.before = Some(Preceding::call(HowBefore::Called, &call));
        // One that never ends must not hold memory for ever.
        if self.open.len() >= MOST_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Open { call, place: place.clone(), order: self.calls, remembered });
    }

    fn interrupted(&mut self) {
        self.by_a_person += 1;
        match &mut self.before {
            Some(before) if before.how == HowBefore::Refused => {}
            Some(before) => before.how = HowBefore::Stopped,
            None => self.before = Some(Preceding::text(HowBefore::Stopped, "")),
        }
    }

    fn typed(&mut self, text: &str, place: &Place, time: u64) {
        if let Some((_, _, event)) =
            self.queued.remove(text).and_then(|event| self.noted.events.get_mut(event))
        {
            event.places = vec![place.clone()];
            return;
        }
        self.by_a_person += 1;
        let typed = typed_part(text);
        let follows_a_stop = self.before.as_ref().is_some_and(|before| before.how != HowBefore::Called);
        let (says, is_word) = (weight(&typed), !typed.contains(' '));
        if says < SAYS || is_word && says < WORD_SAYS && !follows_a_stop {
            // "Yes", "go on": it says nothing alone.
            if !follows_a_stop {
                self.before = None;
            }
            return;
        }
        let (before, call) = self
            .before
            .take()
            .map(|before| (before.shown(), before.call.map(|call| call.id.clone())))
            .unzip();
        let most = if text.trim_start().starts_with(PLAN_START) { PLAN } else { PROMPT };
        let key: String = typed.to_lowercase().chars().take(KEY).collect();
        let note =
            Note::Prompt { text: cut(&typed, most, most / 3), key: digest::hex(key.as_bytes(), 16), before };
        let id = digest::hex_of_parts(&[&time.to_le_bytes(), text.as_bytes()], 32);
        self.push(id, time, note, vec![place.clone()], call.flatten());
    }

    fn ended(&mut self, id: &str, end: SpokenEnd, place: &Place, time: u64) {
        let at = self.open.iter().rposition(|open| open.call.id == id);
        let Some(open) = at.and_then(|at| self.open.remove(at)) else { return };
        let end = match end {
            // Only the client tells of a refusal; the results of servers are their own words.
            SpokenEnd::Refused(_) if open.call.tool.starts_with("mcp__") => SpokenEnd::Stopped,
            // Editors give the reason for a refused edit as the whole result.
            SpokenEnd::Failed(text) if is_reason(&open.call.tool, &text) => SpokenEnd::Refused(Some(text)),
            SpokenEnd::Done(text) if is_shell(&open.call.tool) && MASKED.is_in(head(&text, 200)) => {
                SpokenEnd::Failed(text)
            }
            end => end,
        };
        let works = matches!(end, SpokenEnd::Done(_));
        self.look_for_solved(&open, works);
        let places = vec![place.clone(), open.place.clone()];
        match end {
            SpokenEnd::Done(result) => {
                if open.call.tool == "AskUserQuestion" {
                    self.answers(&open.call, &result, place, time);
                } else if let Some((file, lines)) = &open.remembered {
                    let file = clean(end_of(file, 2));
                    let lines =
                        lines.iter().take(MOST_LINES).map(|line| cut(&clean(line), LINE, 0)).collect();
                    self.push(id.to_owned(), time, Note::Memory { file, lines }, places, Some(id.to_owned()));
                }
            }
            SpokenEnd::Refused(said) => {
                self.by_a_person += 1;
                let call = open.call.line(REFUSED);
                let said = said.filter(|said| !said.starts_with("The user wants to clarify"));
                let said = said.map(|said| cut(&typed_part(&said), PROMPT, PROMPT / 3));
                let said = said.filter(|said| !said.is_empty());
                self.push(id.to_owned(), time, Note::Refusal { call, said }, places, Some(id.to_owned()));
                self.before = Some(Preceding::call(HowBefore::Refused, &open.call));
            }
            SpokenEnd::Failed(text) => self.failed(open, &text, places, time),
            SpokenEnd::Stopped => {}
        }
    }

    fn failed(&mut self, open: Open, text: &str, places: Vec<Place>, time: u64) {
        let line = clean(&error_line::telling_line(text));
        let is_about_call = ABOUT_CALL.is_in(&line);
        let is_work = open.call.command().is_some_and(|command| WORK.is_in(command))
            && !ABOUT_CALL.is_in(head(text, 600));
        if line.is_empty()
            || is_work
            || CANCELLED.is_in(head(text, 200))
            || self.noted.events.len() >= MOST_EVENTS
        {
            return;
        }
        let failure = Failure {
            tool: open.call.tool.clone(),
            key: error_line::key(&line),
            call: shown(&open.call),
            line: cut(&line, ERROR, 0),
            worked: None,
            is_about_call,
        };
        let (event, id) = (self.noted.events.len(), open.call.id.clone());
        self.push(id.clone(), time, Note::Failure(failure), places, Some(id));
        if self.unsolved.len() >= MOST_UNSOLVED {
            self.unsolved.pop_front();
        }
        let words = open.call.words();
        self.unsolved.push_back(Unsolved { event, failed: open, words, seen: 0 });
    }

    /// Looks whether a call that ended is what works in the place of one that failed before it.
    fn look_for_solved(&mut self, later: &Open, works: bool) {
        let mut of_later = None;
        let events = &mut self.noted.events;
        self.unsolved.retain_mut(|Unsolved { event, failed, words, seen }| {
            if failed.call.tool != later.call.tool || later.order < failed.order {
                return true;
            }
            *seen += 1;
            if *seen > LOOK_AHEAD {
                return false;
            }
            if !works || failed.call.input == later.call.input {
                return true;
            }
            let said = of_later.get_or_insert_with(|| later.call.words());
            let shared = words.intersection(said).count() * 100;
            let of = words.len().min(said.len()).max(1);
            let needed = if failed.call.program() == later.call.program() { ALIKE.1 } else { ALIKE.0 };
            if shared / of < needed {
                return true;
            }
            if let Some((_, _, NotedEvent { note: Note::Failure(failure), .. })) = events.get_mut(*event) {
                failure.worked = Some(shown(&later.call));
            }
            false
        });
    }

    /// The answers to a question of the assistant that are none of the offered ones: they were typed.
    fn answers(&mut self, call: &SpokenCall, result: &str, place: &Place, time: u64) {
        let questions = call.input["questions"].as_array().into_iter().flatten();
        let options = questions.filter_map(|question| question["options"].as_array()).flatten();
        let label = |option: &Value| Some(option["label"].as_str()?.trim().to_lowercase());
        let offered: HashSet<String> = options.filter_map(label).collect();
        let mut rest = result;
        while let Some((before, after)) = rest.split_once("\"=\"") {
            let question = before.rsplit('"').next().unwrap_or_default();
            let (answer, after) = after.split_once('"').unwrap_or((after, ""));
            rest = after;
            let is_offered = |answer: &str| offered.contains(&answer.trim().to_lowercase());
            if !is_offered(answer) && !answer.split(", ").all(is_offered) {
                self.before = Some(Preceding::text(HowBefore::Asked, question));
                self.typed(answer, place, time);
            }
        }
    }

    /// What was noted. Of what a program sent, nothing is.
    fn finished(mut self) -> SessionNotes {
        if self.may_be_program && self.by_a_person < 2 {
            self.noted.events.clear();
        }
        self.noted
    }
}

impl Preceding {
    fn call(how: HowBefore, call: &Rc<SpokenCall>) -> Self {
        Self { how, call: Some(Rc::clone(call)), question: String::new() }
    }

    fn text(how: HowBefore, question: &str) -> Self {
        Self { how, call: None, question: question.to_owned() }
    }

    fn shown(&self) -> Before {
        let text = match &self.call {
            Some(call) => call.line(if self.how == HowBefore::Refused { 40 } else { BEFORE }),
            None => cut(&clean(&self.question), BEFORE, BEFORE - 1),
        };
        Before { how: self.how, text }
    }
}

fn shown(call: &SpokenCall) -> ShownCall {
    ShownCall { id: call.id.clone(), short: call.line(FAILED), whole: call.whole_line(FAILED) }
}

fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Whether the whole error of an edit is what a person typed.
fn is_reason(tool: &str, text: &str) -> bool {
    let is_edit = matches!(tool, "Edit" | "Write" | "MultiEdit");
    let text = text.trim_start();
    is_edit
        && text.starts_with(char::is_alphabetic)
        && text.chars().nth(8).is_some()
        && text.contains(char::is_whitespace)
        && !CLIENT_ERROR.is_in(text)
}
