//! Validation of a single lesson.
//!
//! The store checks rules about several lessons (dangling ids, cycles); the builder checks whether the examples
//! match.

use std::fmt;

use crate::hooked::is_tool_name;
use crate::id::{TopicId, is_hex, is_kebab};
use crate::lesson::{
    Lesson, MAX_METACOGNITION_CHARS, MAX_PHASE_CHARS, MAX_SUMMARY_CHARS, MAX_TEXT_CHARS, MAX_TRIGGERS,
    SampleCall, Status, Subject, TriggerRole, When,
};
use lessons_pattern::{Breadth, PatternError, Trigger, breadth, prepared};
use lessons_text::neutral;

mod reach;
#[cfg(test)]
mod tests;

/// The number of triggers above which a lesson is usually two lessons in one.
const MANY_TRIGGERS: usize = 8;
/// The longest tag, tool name, agent type, project key or piece of evidence, in characters.
const MAX_WORD_CHARS: usize = 200;
/// The most tags, topics, tools, scopes or pieces of evidence.
const MAX_WORDS: usize = 100;
/// The most examples of either kind that a lesson may have.
pub const MAX_EXAMPLES: usize = 200;
/// The code of the flaw of a lesson that refuses calls without an example of one.
pub const REFUSAL_WITHOUT_EXAMPLE: &str = "REFUSAL_WITHOUT_EXAMPLE";

lessons_text::named! {
    /// The severity of a flaw.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The lesson works, but not as well as it could.
        Warning = "warning",
        /// The lesson or trigger does not work and is left out.
        Error = "error",
    }
}

/// A flaw of a lesson, in words for the person who fixes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Flaw {
    /// The code for programs, such as `EMPTY_RULE`. A code never changes its meaning.
    pub code: &'static str,
    /// The severity.
    pub level: Level,
    /// A description of the problem.
    pub what: String,
    /// The remedy.
    pub hint: String,
    /// The id of the trigger or topic concerned, if the flaw is about one that the lesson names.
    pub about: Option<String>,
}

impl Flaw {
    /// A flaw that keeps something from working.
    pub fn error(code: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, level: Level::Error, what: what.into(), hint: hint.into(), about: None }
    }

    /// A flaw that is worth a look.
    pub fn warning(code: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, level: Level::Warning, what: what.into(), hint: hint.into(), about: None }
    }

    /// The same flaw, with the id of the trigger or topic concerned.
    #[must_use]
    pub fn about(mut self, id: impl Into<String>) -> Self {
        self.about = Some(id.into());
        self
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {} ({})", self.what, self.hint, self.code)
    }
}

/// The flaws of a lesson.
pub fn flaws(lesson: &Lesson) -> Vec<Flaw> {
    flaws_given(lesson, |trigger| prepared::prepare(trigger).map(|prepared| breadth::of(trigger, &prepared)))
}

/// The flaws of a lesson, for a caller that knows the patterns already: `check` returns the breadth of a trigger, or the
/// reason why it is refused.
pub fn flaws_given(lesson: &Lesson, check: impl Fn(&Trigger) -> Result<Breadth, PatternError>) -> Vec<Flaw> {
    let mut out = Vec::new();
    texts(lesson, &mut out);
    lists(lesson, &mut out);
    tags(lesson, &mut out);
    triggers(lesson, check, &mut out);
    examples(lesson, &mut out);
    for (name, date) in [("createdAt", Some(&lesson.created_at)), ("updatedAt", lesson.updated_at.as_ref())] {
        if date.is_some_and(|date| !is_date(date)) {
            let hint = "write it as 2026-01-31 or 2026-01-31T10:00:00Z";
            out.push(Flaw::error("SCHEMA_INVALID", format!("`{name}` is no date"), hint));
        }
    }
    out
}

fn texts(lesson: &Lesson, out: &mut Vec<Flaw>) {
    if lesson.rule.trim().is_empty() {
        out.push(Flaw::error("EMPTY_RULE", "the rule is empty", "say what to do instead of the mistake"));
    }
    for (name, text) in lesson.texts() {
        let chars = text.chars().count();
        let limit = match name {
            "summary" => MAX_SUMMARY_CHARS,
            "metacognition" => MAX_METACOGNITION_CHARS,
            _ => MAX_TEXT_CHARS,
        };
        if chars > limit {
            out.push(oversized(format!("`{name}` has {chars} characters"), format!("shorten it to {limit}")));
        }
    }
    if lesson.author.as_deref().is_some_and(|author| !is_key(author)) {
        let hint = "remove it: only what was received from a peer has one";
        out.push(Flaw::error("INVALID_AUTHOR", "`author` is not a public key", hint));
    }
    if lesson.phase.as_deref().is_some_and(|phase| !is_phase(phase)) {
        let most = MAX_PHASE_CHARS;
        let hint = format!("name it in lower case with hyphens, at most {most} characters, such as `plan`");
        out.push(Flaw::error("INVALID_PHASE", "`phase` is not a word", hint));
    }
}

/// The flaw of a field that is longer than it may be.
fn oversized(what: String, hint: String) -> Flaw {
    Flaw::error("OVERSIZED_FIELD", what, hint)
}

/// Whether a text is a public key: 64 hexadecimal digits, in lower case.
fn is_key(text: &str) -> bool {
    text.len() == 64 && is_hex(text)
}

/// Whether a text can be the phase of a lesson: kebab-case, at most [`MAX_PHASE_CHARS`].
pub fn is_phase(text: &str) -> bool {
    text.len() <= MAX_PHASE_CHARS && is_kebab(text)
}

fn lists(lesson: &Lesson, out: &mut Vec<Flaw>) {
    if lesson.topics.is_empty() {
        out.push(Flaw::error("SCHEMA_INVALID", "it has no topic", "give it at least one"));
    }
    let mut topics: Vec<_> = lesson.topics.iter().map(TopicId::as_str).collect();
    topics.sort_unstable();
    if let Some([name, _]) = topics.array_windows().find(|[one, next]| one == next) {
        let what = format!("topic `{name}` is named twice");
        out.push(Flaw::error("DUPLICATE_TOPIC_REF", what, "name it once").about(*name));
    }
    for (name, words) in [
        ("tags", &lesson.tags),
        ("tools", &lesson.tools),
        ("scope.projects", &lesson.scope.projects),
        ("scope.agents", &lesson.scope.agents),
        ("evidence", &lesson.evidence),
    ] {
        if words.len() > MAX_WORDS {
            let what = format!("`{name}` has {} entries", words.len());
            out.push(oversized(what, format!("keep at most {MAX_WORDS}")));
        }
        if words.iter().any(|word| word.chars().count() > MAX_WORD_CHARS) {
            let what = format!("an entry of `{name}` is too long");
            out.push(oversized(what, format!("shorten it to {MAX_WORD_CHARS} characters")));
        }
        if words.iter().any(|word| word.trim().is_empty()) {
            out.push(Flaw::error("EMPTY_FIELD", format!("an entry of `{name}` is empty"), "remove it"));
        }
    }
    let is_odd = |tool: &&String| !tool.trim().is_empty() && !is_tool_name(tool.trim_end_matches('*'));
    for tool in lesson.tools.iter().filter(is_odd) {
        let what = format!("`{}` is no tool's name", shown(tool));
        let hint = "write it as the client does, for example Bash, Edit, mcp__server__tool or mcp__server__*";
        out.push(Flaw::error("INVALID_TOOL_NAME", what, hint));
    }
}

fn tags(lesson: &Lesson, out: &mut Vec<Flaw>) {
    for tag in lesson.tags.iter().filter(|tag| !tag.trim().is_empty() && !is_tag(tag)) {
        let what = format!("tag `{}` is not of the form category:value", shown(tag));
        out.push(Flaw::error("INVALID_TAG", what, "write it like tool:git or severity:data-loss"));
    }
}

fn triggers(lesson: &Lesson, check: impl Fn(&Trigger) -> Result<Breadth, PatternError>, out: &mut Vec<Flaw>) {
    let count = lesson.all_triggers().count();
    let (code, what) = ("OVERSIZED_LESSON_TRIGGERS", format!("it has {count} triggers"));
    if count > MAX_TRIGGERS {
        out.push(Flaw::error(code, what, format!("keep at most {MAX_TRIGGERS}, or make it two lessons")));
    } else if count > MANY_TRIGGERS {
        out.push(Flaw::warning(code, what, "see whether it is two lessons"));
    }
    let mut works = false;
    for (role, trigger) in lesson.all_triggers() {
        match check(trigger) {
            Ok(_) => works |= role == TriggerRole::Any,
            Err(error) => {
                let what = format!("{role} `{}`: {error}", shown(&trigger.to_string()));
                out.push(Flaw::error(error.code(), what, "change the pattern"));
            }
        }
    }
    reach::broad(lesson, |trigger| check(trigger).unwrap_or(Breadth::Narrow), out);
    reach::dead(lesson, out);
    reach::unhooked(lesson, out);
    reach::late_refusals(lesson, out);
    if lesson.when == When::Tool && lesson.status == Status::Active && !works {
        let hint = "give it a trigger, or make it a session lesson";
        out.push(Flaw::error("UNRECALLABLE_LESSON", "it has no trigger that works", hint));
    }
}

fn examples(lesson: &Lesson, out: &mut Vec<Flaw>) {
    let both = [("fires", &lesson.examples.fires), ("quiet", &lesson.examples.quiet)];
    for (name, calls) in both {
        if calls.len() > MAX_EXAMPLES {
            let what = format!("`examples.{name}` has {} calls", calls.len());
            out.push(oversized(what, format!("keep at most {MAX_EXAMPLES}")));
        }
        if calls.iter().any(says_nothing) {
            let what = format!("a call in `examples.{name}` has no tool, or is Bash without a command");
            out.push(Flaw::error("EMPTY_EXAMPLE", what, "give `tool` and `command`, `file` or `content`"));
        }
    }
    if lesson.mode.refuses() && lesson.when == When::Tool && lesson.examples.fires.is_empty() {
        let what = "a lesson that refuses calls needs an example of one";
        let hint = "take one of your sessions (`lessons replay ID --label`), or give one with --fires (`examples.fires`)";
        out.push(Flaw::error(REFUSAL_WITHOUT_EXAMPLE, what, hint));
    }
    if refuses_a_program(lesson) && lesson.examples.fires.iter().all(|call| call.command.is_none()) {
        let what = "a lesson that refuses programs needs an example of a command";
        let hint = "give one with --fires (`examples.fires`), or remove the subject `program`";
        out.push(Flaw::error(REFUSAL_WITHOUT_EXAMPLE, what, hint));
    }
    if lesson.mode.refuses() && lesson.when == When::Session {
        let hint = "set its mode to advise, or `when` to tool";
        out.push(Flaw::error(
            "REFUSAL_WITHOUT_CALL",
            "a session lesson sees no call that it could refuse",
            hint,
        ));
    }
}

/// Whether a lesson refuses commands by the programs that they would run. Whether its example matches under this
/// subject is tested by a build.
fn refuses_a_program(lesson: &Lesson) -> bool {
    lesson.mode.refuses()
        && lesson.when == When::Tool
        && lesson.subject == Some(Subject::Program)
        && !lesson.examples.fires.is_empty()
}

/// Whether a sample of Bash or an MCP tool has no input. A tool trigger fires on the name alone.
fn says_nothing(call: &SampleCall) -> bool {
    call.tool.trim().is_empty()
        || (call.tool == "Bash" && call.command.as_ref().is_none_or(|command| command.trim().is_empty()))
}

/// A text of a lesson, neutral and shortened for a message.
fn shown(text: &str) -> String {
    neutral::shortened(&neutral::line(text), 60)
}

/// Whether `text` is a tag, `category:value`: a lower-case category, a value without white space or control characters.
pub fn is_tag(text: &str) -> bool {
    text.split_once(':').is_some_and(|(category, value)| {
        is_kebab(category) && !value.is_empty() && !value.chars().any(|c| c.is_whitespace() || c.is_control())
    })
}

/// Whether `text` has the shape of an RFC 3339 date or time.
fn is_date(text: &str) -> bool {
    let Some((day, time)) = text.split_at_checked(10) else { return false };
    has_shape(day, "0000-00-00")
        && matches!(day[5..7].parse(), Ok(1..=12))
        && matches!(day[8..].parse(), Ok(1..=31))
        && (time.is_empty() || is_time(time))
}

/// Whether `text` has the shape of `pattern`, where a 0 stands for a digit.
fn has_shape(text: &str, pattern: &str) -> bool {
    let is_alike = |(b, p): (u8, u8)| if p == b'0' { b.is_ascii_digit() } else { b.eq_ignore_ascii_case(&p) };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(is_alike)
}

/// Whether `text` has the shape `T10:00:00`, a fraction, then `Z` or an offset.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(9) else { return false };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        Some(_) => return false,
        None => rest,
    };
    has_shape(clock, "T00:00:00") && ["Z", "+00:00", "-00:00"].iter().any(|it| has_shape(zone, it))
}
