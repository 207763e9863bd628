//! The import of the compiled manifest of the plugin *lessons-learned*.
//!
//! The counterparts:
//!
//! | there | here |
//! |---|---|
//! | `hint`, `guard` | mode `advise`, `block` |
//! | `directive`, `protocol` | told at the start of every session |
//! | `toolNames` | `tools` |
//! | patterns | a trigger each; a lesson that asks for a text **and** a path is left out with the reason |
//! | `commandMatchTarget` | `subject`; what is not `executable` is `command`, also for guards |
//! | `message`, `problem`, `solution`, `summary` | `rule`, `mistake`, `summary`; see `texts` |
//! | `scope`, a folder with `-` for `/` | a project's key, if somebody knows which folder is meant |
//! | `disabled` | deprecated |
//!
//! A lesson that refuses needs an example of a call that it stops. A guard has none, so one is made from its
//! patterns and tested on them. If that fails, the lesson is imported as advice, with a note that says how to
//! make it refuse.
//!
//! ```
//! use lessons_store::import::lessons_learned;
//!
//! let manifest = br#"{ "type": "lessons-learned-manifest", "version": 1, "lessons": { "01A": {
//!   "slug": "stash", "type": "hint", "toolNames": ["Bash"],
//!   "commandRegexSources": [{ "source": "git stash" }, { "source": "git stash(?!.*-u)" }],
//!   "summary": "stash misses files", "problem": "New files stay behind.", "solution": "Use -u."
//! } } }"#;
//! let no_secrets_here = str::to_owned;
//! let import = lessons_learned::read(manifest, "2026-01-31", &|_folder| None, &no_secrets_here)?;
//! let imported = &import.lessons[0];
//! assert_eq!(imported.lesson.rule, "Use -u.");
//! assert!(imported.notes[0].contains("is left out: at character 10: look-ahead"));
//! # Ok::<(), lessons_learned::UnreadableManifest>(())
//! ```

use std::collections::{BTreeSet, HashSet};

use lessons_lesson::call::{tool_name, writes_files};
use lessons_lesson::id::slug;
use lessons_lesson::lesson::{MAX_SUMMARY_CHARS, MAX_TEXT_CHARS};
use lessons_lesson::{Lesson, LessonId, Level, Mode, Priority, Status, Subject, TopicId, When, validate};
use lessons_pattern::{Trigger, TriggerKind, prepared};
use lessons_text::{neutral, words};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Import, Imported, NotImported, sample};
use crate::capture::{first_free, union};
use crate::graph::{GENERAL_TOPIC, UnreadableGraph};

/// The longest id that is made from a slug, in bytes. It leaves room for a number.
const MAX_SLUG: usize = 80;

/// The categories of tags that name a topic, best first.
const TOPIC_TAGS: [&str; 3] = ["topic:", "tool:", "lang:"];

/// The value of the field `type`.
const KIND: &str = "lessons-learned-manifest";

/// The version of manifests that can be read.
const VERSION: u64 = 1;
/// What is said of a file whose lessons are in a list.
const NO_IDS: &str = "its `lessons` are a list and not lessons by id; this is no manifest of lessons-learned";

/// The placeholder for the command in a message of lessons-learned. Texts here have no placeholders.
const COMMAND: &str = "{command}";
const THIS_COMMAND: &str = "this command";

/// The words that a default message adds to the other texts.
const LABELS: [&str; 6] = ["lesson", "summary", "problem", "mistake", "solution", "fix"];

/// The reason why a file is no readable manifest, in a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableManifest(String);

/// A manifest. Its unknown fields are skipped, and so are those of a lesson.
#[derive(Deserialize)]
struct Manifest {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<Value>,
    lessons: Value,
}

/// The fields of a lesson. An absent one has the default value of that tool; one of the wrong type makes its lesson
/// unreadable and does not affect the others.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawLesson {
    slug: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    priority: Option<f64>,
    tool_names: Option<Vec<String>>,
    command_regex_sources: Option<Vec<RawPattern>>,
    command_match_target: Option<String>,
    path_regex_sources: Option<Vec<RawPattern>>,
    model_regex_sources: Option<Vec<RawPattern>>,
    tags: Option<Vec<String>>,
    scope: Option<String>,
    message: Option<String>,
    summary: Option<String>,
    problem: Option<String>,
    solution: Option<String>,
    disabled: Option<bool>,
}

/// A regular expression of JavaScript with its flags.
#[derive(Debug, Deserialize)]
struct RawPattern {
    source: String,
    #[serde(default)]
    flags: Option<String>,
}

/// Reads a manifest of lessons-learned.
///
/// `created_at` is the day of the import, RFC 3339: the manifest does not say when a lesson was
/// recorded. `resolve` gives the key of the project that a scope names. `redact` removes secrets from a text; it
/// is called before a text is cut, because half a secret cannot be recognised.
pub fn read(
    bytes: &[u8],
    created_at: &str,
    resolve: &dyn Fn(&str) -> Option<String>,
    redact: &dyn Fn(&str) -> String,
) -> Result<Import, UnreadableManifest> {
    let mut import = Import::default();
    let mut ids = BTreeSet::new();
    for (id, raw) in lessons_of(bytes).map_err(UnreadableManifest)? {
        let lesson = RawLesson::deserialize(raw).map_err(|error| format!("it cannot be read: {error}"));
        let lesson = lesson.and_then(|raw| {
            Reader { id: &id, raw: &raw, created_at, resolve, redact, notes: Vec::new() }.lesson(&ids)
        });
        match lesson {
            Ok(imported) => {
                ids.insert(imported.lesson.id.clone());
                import.lessons.push(imported);
            }
            Err(why) => import.left_out.push(NotImported { id: shown(&id), why }),
        }
    }
    Ok(import)
}

/// The lessons of a manifest by their ids.
fn lessons_of(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: Manifest = serde_json::from_slice(bytes).map_err(|error| {
        let error = UnreadableGraph::no_json("", &error);
        format!("{error}; this is no manifest of lessons-learned")
    })?;
    if let Some(kind) = file.kind.filter(|kind| kind != KIND) {
        let kind = shown(&kind);
        return Err(format!(
            "its `type` is `{kind}`, not `{KIND}`; import the file `lesson-manifest.json` of that tool"
        ));
    }
    if let Some(version) = file.version.filter(|version| version.as_u64() != Some(VERSION)) {
        let version = shown(&version.to_string());
        return Err(format!("it has version {version}, and this program reads {VERSION}; update lessons"));
    }
    match file.lessons {
        Value::Null => Ok(Map::new()),
        Value::Object(lessons) => Ok(lessons),
        // The store of that tool is a list.
        _ => Err(NO_IDS.to_owned()),
    }
}

/// The conversion of one lesson of the manifest.
struct Reader<'a> {
    id: &'a str,
    raw: &'a RawLesson,
    created_at: &'a str,
    resolve: &'a dyn Fn(&str) -> Option<String>,
    redact: &'a dyn Fn(&str) -> String,
    notes: Vec<String>,
}

impl Reader<'_> {
    /// The lesson that the entry becomes, or the reason why it becomes none. `ids` are the ids in use.
    fn lesson(mut self, ids: &BTreeSet<LessonId>) -> Result<Imported, String> {
        let (mode, when) = match self.raw.kind.as_deref().unwrap_or("hint") {
            "hint" => (Mode::Advise, When::Tool),
            "guard" => (Mode::Block, When::Tool),
            "directive" | "protocol" => (Mode::Advise, When::Session),
            other => return Err(format!("its type `{}` has no counterpart", shown(other))),
        };
        let (tools, triggers) = match when {
            When::Session => (Vec::new(), Vec::new()),
            When::Tool => self.conditions()?,
        };
        let id = self.free_id(ids)?;
        let Texts { rule, mistake, summary } = texts(self.raw, id.as_str(), self.redact, &mut self.notes);
        let tags = self.tags();
        let looks_at_commands = triggers.iter().any(|trigger| trigger.kind == TriggerKind::CommandPattern);
        let subject = match self.raw.command_match_target.as_deref() {
            Some("executable") => Subject::Executable,
            _ => Subject::Command,
        };
        let evidence = slug(self.id, MAX_SLUG).map(|id| format!("import:lessons-learned/{id}"));
        let mut lesson = Lesson {
            mistake,
            summary,
            triggers,
            tools,
            mode,
            when,
            priority: self.priority()?,
            subject: looks_at_commands.then_some(subject),
            status: if self.raw.disabled == Some(true) { Status::Deprecated } else { Status::Active },
            evidence: evidence.into_iter().collect(),
            ..Lesson::new(id, rule, topic(&tags)?, self.created_at)
        };
        lesson.tags = tags;
        lesson.scope.projects = self.project()?.into_iter().collect();
        self.prove(&mut lesson);
        match validate::flaws(&lesson).iter().find(|flaw| flaw.level == Level::Error) {
            Some(error) => Err(error.to_string()),
            None => Ok(Imported { lesson, notes: self.notes }),
        }
    }

    /// The tools, without those for which it could never fire, and the triggers of which any must match.
    ///
    /// In lessons-learned one list of patterns looks at commands and at the new text of edits, another at paths. One that
    /// asks for both, or different things of different tools, is left out: a lesson that fires where its author did not
    /// want it would be worse.
    fn conditions(&mut self) -> Result<(Vec<String>, Vec<Trigger>), String> {
        let raw = self.raw;
        let texts = raw.command_regex_sources.as_deref().unwrap_or_default();
        let paths = raw.path_regex_sources.as_deref().unwrap_or_default();
        let tools = tools_of(raw);
        if tools.is_empty() {
            return Err("it names no tool, so it fires on none".to_owned());
        }
        if raw.model_regex_sources.as_ref().is_some_and(|models| !models.is_empty()) {
            return Err("its `modelRegexSources` have no counterpart".to_owned());
        }
        if texts.is_empty() && paths.is_empty() {
            let triggers = tools.iter().map(|tool| Trigger::new(TriggerKind::Tool, tool)).collect();
            return Ok((tools, triggers));
        }
        let edits: Vec<&str> = tools.iter().map(String::as_str).filter(|tool| writes_files(tool)).collect();
        if !texts.is_empty() && !paths.is_empty() && !edits.is_empty() {
            let edits = edits.join(", ");
            return Err(match tools.first().map(String::as_str) {
                Some("Bash") => {
                    format!("it asks different things of Bash and of {edits}; add a lesson for each")
                }
                _ => format!("it asks for a path and a text of {edits} at once; add a lesson with an `also`"),
            });
        }
        let looks_at = |tool: &String| match tool.as_str() {
            "Bash" => (!texts.is_empty()).then_some((TriggerKind::CommandPattern, texts)),
            _ if texts.is_empty() => Some((TriggerKind::PathPattern, paths)),
            tool => writes_files(tool).then_some((TriggerKind::ContentPattern, texts)),
        };
        let (tools, never): (Vec<String>, Vec<String>) =
            tools.into_iter().partition(|tool| looks_at(tool).is_some());
        if !never.is_empty() {
            let never = never.join(", ");
            self.notes.push(format!("it never fires on {never}: its patterns look at what other tools take"));
        }
        let mut triggers = Vec::new();
        for (kind, patterns) in tools.iter().filter_map(looks_at) {
            union(&mut triggers, &self.usable(kind, patterns));
        }
        if triggers.is_empty() {
            return Err(format!("nothing is left on which it would fire: {}", self.notes.join("; ")));
        }
        Ok((tools, triggers))
    }

    /// The triggers of `kind` for those patterns that can be matched. The others are noted, each once.
    fn usable(&mut self, kind: TriggerKind, patterns: &[RawPattern]) -> Vec<Trigger> {
        let triggers = patterns.iter().filter_map(|pattern| {
            let note = |why| format!("the pattern `{}` is left out: {why}", shown(&pattern.source));
            trigger(kind, pattern).map_err(|why| union(&mut self.notes, &[note(why)])).ok()
        });
        triggers.collect()
    }

    /// The id that is made from the slug, with a number if it is taken.
    fn free_id(&self, taken: &BTreeSet<LessonId>) -> Result<LessonId, String> {
        let name = self.raw.slug.as_deref().and_then(|name| slug(name, MAX_SLUG));
        let name = name.or_else(|| slug(self.id, MAX_SLUG)).unwrap_or_else(|| "imported".to_owned());
        let is_free = |id: &str| !LessonId::new(id).is_ok_and(|id| taken.contains(&id));
        first_free(&name, is_free).map_err(|error| error.to_string())
    }

    fn tags(&mut self) -> Vec<String> {
        let tags = self.raw.tags.iter().flatten().map(|tag| tag.trim().to_owned());
        let (good, bad): (Vec<String>, Vec<String>) =
            tags.filter(|tag| !tag.is_empty()).partition(|tag| validate::is_tag(tag));
        let note = |tag: &String| {
            format!("the tag `{}` is left out: it is not of the form category:value", shown(tag))
        };
        self.notes.extend(bad.iter().map(note));
        good
    }

    /// The priority, rounded to the nearest valid one.
    fn priority(&mut self) -> Result<Priority, String> {
        let Some(given) = self.raw.priority else { return Ok(Priority::default()) };
        let (lowest, highest) = (Priority::RANGE.start(), Priority::RANGE.end());
        let nearest = Priority::RANGE
            .min_by(|a, b| (f64::from(*a) - given).abs().total_cmp(&(f64::from(*b) - given).abs()))
            .unwrap_or(*lowest);
        if (f64::from(nearest) - given).abs() > f64::EPSILON {
            self.notes.push(format!(
                "its priority {given} became {nearest}: whole numbers from {lowest} to {highest} are allowed"
            ));
        }
        Priority::new(nearest).map_err(|error| error.to_string())
    }

    fn project(&self) -> Result<Option<String>, String> {
        let Some(scope) = self.raw.scope.as_deref().filter(|scope| !scope.is_empty()) else {
            return Ok(None);
        };
        (self.resolve)(scope).map(Some).ok_or_else(|| {
            let name = shown(scope);
            format!("it is for the project `{name}`, and no project on this machine is known by that name; say where it lies")
        })
    }

    /// Gives a lesson that blocks a call that it blocks; without one it advises.
    fn prove(&mut self, lesson: &mut Lesson) {
        if !lesson.mode.refuses() {
            return;
        }
        if let Some(call) = sample::call(lesson) {
            lesson.examples.fires.push(call);
            return;
        }
        lesson.mode = Mode::Advise;
        let id = &lesson.id;
        self.notes.push(format!(
            "it blocked calls and now only advises: a lesson that blocks needs an example of a call that it \
             blocks; give one with `lessons edit {id} --mode block --fires CALL`"
        ));
    }
}

/// The tools by the names that calls use, without duplicates, shells first.
fn tools_of(raw: &RawLesson) -> Vec<String> {
    let names = raw.tool_names.iter().flatten().map(|tool| tool_name(tool.trim()).to_owned());
    let mut tools = Vec::new();
    union(&mut tools, &names.collect::<Vec<_>>());
    tools.sort_by_key(|tool| tool != "Bash");
    tools
}

/// The topic that the tags name.
fn topic(tags: &[String]) -> Result<TopicId, String> {
    let named = TOPIC_TAGS.iter().find_map(|category| tags.iter().find_map(|tag| tag.strip_prefix(category)));
    let name = named.and_then(|name| slug(name, MAX_SLUG));
    TopicId::new(name.as_deref().unwrap_or(GENERAL_TOPIC)).map_err(|error| error.to_string())
}

/// The trigger for a pattern, or the reason why there is none.
fn trigger(kind: TriggerKind, raw: &RawPattern) -> Result<Trigger, String> {
    let mut prefix = "";
    for flag in raw.flags.as_deref().unwrap_or_default().chars() {
        match flag {
            'i' => prefix = "(?i)",
            // These flags concern the search after a match.
            'g' | 'd' => {}
            other => return Err(format!("its flag `{}` has no counterpart", other.escape_debug())),
        }
    }
    let trigger = Trigger::new(kind, format!("{prefix}{}", raw.source));
    prepared::prepare(&trigger).map(|_| trigger).map_err(|error| error.to_string())
}

/// The texts of an imported lesson.
#[derive(Debug, PartialEq, Eq)]
struct Texts {
    rule: String,
    mistake: Option<String>,
    summary: Option<String>,
}

/// The texts of `raw`. `name` is the rule of a lesson without any text. In lessons-learned, `message` is the text for the
/// model, by default made from the other texts. Here the model gets mistake and rule, each on a line of its own.
fn texts(raw: &RawLesson, name: &str, redact: &dyn Fn(&str) -> String, notes: &mut Vec<String>) -> Texts {
    let mut text = |name, text: &Option<String>, max| cleaned(name, text.as_deref()?, max, redact, notes);
    let message = text("message", &raw.message, MAX_TEXT_CHARS);
    let mistake = text("problem", &raw.problem, MAX_TEXT_CHARS);
    let solution = text("solution", &raw.solution, MAX_TEXT_CHARS);
    let summary = text("summary", &raw.summary, MAX_SUMMARY_CHARS);
    let others: Vec<&str> =
        [&mistake, &solution, &summary].into_iter().flatten().map(String::as_str).collect();
    let others: HashSet<String> = words::tokens(&others.join(" ")).into_iter().collect();
    let is_new = |word: &String| !others.contains(word) && !LABELS.contains(&word.as_str());
    let rule = match (message.filter(|message| words::tokens(message).iter().any(is_new)), solution) {
        (Some(message), Some(solution)) if message.contains(&solution) => message,
        (Some(message), Some(solution)) => {
            let both = format!("{message}\n{solution}");
            if both.chars().count() > MAX_TEXT_CHARS {
                let note = "its solution is left out of the rule, which would be too long with it";
                notes.push(note.to_owned());
                message
            } else {
                both
            }
        }
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => mistake.clone().or_else(|| summary.clone()).unwrap_or_else(|| {
            notes.push("it has no text; its name stands in for the rule until you write one".to_owned());
            name.to_owned()
        }),
    };
    Texts { mistake: mistake.filter(|mistake| *mistake != rule), rule, summary }
}

/// A text without hidden characters, secrets and placeholders, within `max` characters; `None` if nothing is
/// left of it.
fn cleaned(
    name: &str,
    text: &str,
    max: usize,
    redact: &dyn Fn(&str) -> String,
    notes: &mut Vec<String>,
) -> Option<String> {
    let typed = text.trim().to_owned();
    let visible = neutral::visible(&typed);
    let redacted = redact(&visible);
    let spelled = redacted.replace(COMMAND, THIS_COMMAND);
    let cut = neutral::shortened(&spelled, max);
    let length = spelled.chars().count();
    let steps = [
        (typed != visible, format!("hidden characters were taken out of its {name}")),
        (visible != redacted, format!("a secret in its {name} was replaced; nothing of it is stored")),
        (
            redacted != spelled,
            format!("`{COMMAND}` in its {name} became \"{THIS_COMMAND}\": texts have no placeholders"),
        ),
        (spelled != cut, format!("its {name} was cut to {max} characters of {length}")),
    ];
    notes.extend(steps.into_iter().filter(|(is_changed, _)| *is_changed).map(|(_, note)| note));
    (!cut.trim().is_empty()).then_some(cut)
}

/// A text of the file, fit for a message: one line, at most 80 characters, without hidden characters.
fn shown(text: &str) -> String {
    neutral::shortened(&neutral::line(text), 80)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod texts_tests;
