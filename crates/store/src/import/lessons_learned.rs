//! The import of the compiled manifest of the plugin *lessons-learned*.
//!
//! The counterparts:
//!
//! | there | here |
//! |---|---|
//! | `hint`, `guard` | mode `advise`, `block` |
//! | `directive`, `protocol` | told at the start of every session |
//! | `toolNames` | `tools` |
//! | patterns | see [`conditions`] |
//! | `commandMatchTarget` | `subject`; what is not `executable` is `command`, also for guards |
//! | `message`, `problem`, `solution`, `summary` | `rule`, `mistake`, `summary`; see [`texts`] |
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

mod conditions;
mod raw;
mod texts;

use std::collections::BTreeSet;

use lessons_lesson::id::{LessonId, TopicId, slug};
use lessons_lesson::lesson::{Lesson, Mode, Priority, Status, Subject, When};
use lessons_lesson::validate::{self, Level};
use lessons_pattern::trigger::TriggerKind;
use lessons_text::neutral;

use self::conditions::Conditions;
use self::raw::RawLesson;
pub use self::raw::UnreadableManifest;
use super::{Import, Imported, NotImported, sample};

/// The longest id that is made from a slug, in bytes. It leaves room for a number.
const MAX_SLUG: usize = 80;
/// The topic of a lesson whose tags name none.
const GENERAL: &str = "general";
/// The categories of tags that name a topic, best first.
const TOPIC_TAGS: [&str; 3] = ["topic:", "tool:", "lang:"];

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
    for (id, raw) in raw::read(bytes)? {
        let lesson = raw
            .map_err(|error| format!("it cannot be read: {error}"))
            .and_then(|raw| Reader { id: &id, raw: &raw, created_at, resolve, redact }.lesson(&mut ids));
        match lesson {
            Ok(imported) => import.lessons.push(imported),
            Err(why) => import.left_out.push(NotImported { id: shown(&id), why }),
        }
    }
    Ok(import)
}

/// The conversion of one lesson of the manifest.
struct Reader<'a> {
    id: &'a str,
    raw: &'a RawLesson,
    created_at: &'a str,
    resolve: &'a dyn Fn(&str) -> Option<String>,
    redact: &'a dyn Fn(&str) -> String,
}

impl Reader<'_> {
    /// The lesson that the entry becomes, or the reason why it becomes none. `ids` are the ids in use.
    fn lesson(&self, ids: &mut BTreeSet<LessonId>) -> Result<Imported, String> {
        let mut notes = Vec::new();
        let (mode, when) = self.mode_and_time()?;
        let conditions = match when {
            When::Session => Conditions::default(),
            When::Tool => conditions::of(self.raw, &mut notes)?,
        };
        let mut lesson = self.common(self.free_id(ids)?, when, &mut notes)?;
        self.limit(&mut lesson, mode, conditions, &mut notes);
        if let Some(error) = validate::flaws(&lesson).iter().find(|flaw| flaw.level == Level::Error) {
            return Err(error.to_string());
        }
        ids.insert(lesson.id.clone());
        Ok(Imported { lesson, notes })
    }

    fn mode_and_time(&self) -> Result<(Mode, When), String> {
        match self.raw.kind.as_deref().unwrap_or("hint") {
            "hint" => Ok((Mode::Advise, When::Tool)),
            "guard" => Ok((Mode::Block, When::Tool)),
            "directive" | "protocol" => Ok((Mode::Advise, When::Session)),
            other => Err(format!("its type `{}` has no counterpart", shown(other))),
        }
    }

    /// The lesson without the parts that depend on its tools.
    fn common(&self, id: LessonId, when: When, notes: &mut Vec<String>) -> Result<Lesson, String> {
        let texts = texts::of(self.raw, id.as_str(), self.redact, notes);
        let tags = self.tags(notes);
        let topic = topic(&tags)?;
        let mut lesson = Lesson::new(id, texts.rule, topic, self.created_at);
        lesson.mistake = texts.mistake;
        lesson.summary = texts.summary;
        lesson.tags = tags;
        lesson.when = when;
        lesson.priority = self.priority(notes)?;
        lesson.scope.projects = self.project()?.into_iter().collect();
        lesson.evidence =
            slug(self.id, MAX_SLUG).map(|id| format!("import:lessons-learned/{id}")).into_iter().collect();
        if self.raw.disabled == Some(true) {
            lesson.status = Status::Deprecated;
        }
        Ok(lesson)
    }

    /// The id that is made from the slug, with a number if it is taken.
    fn free_id(&self, taken: &BTreeSet<LessonId>) -> Result<LessonId, String> {
        let name = self.raw.slug.as_deref().and_then(|name| slug(name, MAX_SLUG));
        let name = name.or_else(|| slug(self.id, MAX_SLUG)).unwrap_or_else(|| "imported".to_owned());
        let mut id = LessonId::new(&name).map_err(|error| error.to_string())?;
        let mut number = 2_usize;
        while taken.contains(&id) {
            id = LessonId::new(&format!("{name}-{number}")).map_err(|error| error.to_string())?;
            number += 1;
        }
        Ok(id)
    }

    fn tags(&self, notes: &mut Vec<String>) -> Vec<String> {
        let (good, bad): (Vec<String>, Vec<String>) = self
            .raw
            .tags
            .iter()
            .flatten()
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .partition(|tag| validate::is_tag(tag));
        for tag in bad {
            notes
                .push(format!("the tag `{}` is left out: it is not of the form category:value", shown(&tag)));
        }
        good
    }

    /// The priority, rounded to the nearest valid one.
    fn priority(&self, notes: &mut Vec<String>) -> Result<Priority, String> {
        let Some(given) = self.raw.priority else { return Ok(Priority::default()) };
        let (lowest, highest) = (Priority::RANGE.start(), Priority::RANGE.end());
        let nearest = Priority::RANGE
            .min_by(|a, b| (f64::from(*a) - given).abs().total_cmp(&(f64::from(*b) - given).abs()))
            .unwrap_or(*lowest);
        if (f64::from(nearest) - given).abs() > f64::EPSILON {
            notes.push(format!(
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

    /// Sets the conditions and the mode. A lesson that blocks needs a call that it blocks; without one it advises.
    fn limit(&self, lesson: &mut Lesson, mode: Mode, conditions: Conditions, notes: &mut Vec<String>) {
        let Conditions { tools, triggers, also } = conditions;
        let looks_at_commands = triggers.iter().any(|trigger| trigger.kind == TriggerKind::CommandPattern);
        lesson.subject = looks_at_commands.then_some(match self.raw.command_match_target.as_deref() {
            Some("executable") => Subject::Executable,
            _ => Subject::Command,
        });
        (lesson.tools, lesson.triggers, lesson.also, lesson.mode) = (tools, triggers, also, mode);
        if !mode.refuses() {
            return;
        }
        if let Some(call) = sample::call(lesson) {
            lesson.examples.fires.push(call);
        } else {
            lesson.mode = Mode::Advise;
            notes.push(format!(
                "it blocked calls and now only advises: a lesson that blocks needs an example of a call that it \
                 blocks; give one with `lessons edit {} --mode block --fires CALL`",
                lesson.id
            ));
        }
    }
}

/// The topic that the tags name.
fn topic(tags: &[String]) -> Result<TopicId, String> {
    let named = TOPIC_TAGS.iter().find_map(|category| tags.iter().find_map(|tag| tag.strip_prefix(category)));
    let name = named.and_then(|name| slug(name, MAX_SLUG));
    TopicId::new(name.as_deref().unwrap_or(GENERAL)).map_err(|error| error.to_string())
}

/// A text of the file, fit for a message: one line, at most 80 characters, without hidden characters.
fn shown(text: &str) -> String {
    neutral::shortened(&neutral::line(text), 80)
}

#[cfg(test)]
mod tests;
