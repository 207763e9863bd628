//! Typing a raw lesson.
//!
//! A field of the wrong type makes the whole lesson unusable: a lesson that is half understood could fire where its
//! author did not want it. All flaws are reported at once.

use lessons_lesson::conditions::ConditionWord;
use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::{Confidence, Examples, Lesson, Priority, SampleCall, Scope};
use lessons_pattern::trigger::Trigger;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Origin;
use super::triggers::Resolved;
use crate::problem::{Flaw, invalid, shown};

/// The result of reading a raw lesson.
pub(super) struct Reading {
    /// The lesson, if it is usable.
    pub(super) lesson: Option<Lesson>,
    /// Its flaws.
    pub(super) flaws: Vec<Flaw>,
}

/// A function that resolves the id of a trigger.
pub(super) type Resolve<'a> = &'a dyn Fn(&str) -> Resolved<'a>;

/// Reads the lesson with this id.
pub(super) fn lesson(id: &str, raw: &Value, triggers: Resolve<'_>, origin: Origin) -> Reading {
    let mut flaws = Vec::new();
    let id = match LessonId::new(id) {
        Ok(id) => Some(id),
        Err(error) => {
            flaws.push(invalid(error.to_string(), "rename it"));
            None
        }
    };
    if !raw.is_object() {
        flaws.push(invalid("the lesson is not an object", "write it as {\"rule\": …}"));
        return Reading { lesson: None, flaws };
    }
    let mut fields = Fields { raw, origin, flaws, usable: true };
    let lesson = id.and_then(|id| fields.lesson(id, triggers)).filter(|_| fields.usable);
    Reading { lesson, flaws: fields.flaws }
}

/// The fields of a raw lesson while they are read.
struct Fields<'a> {
    raw: &'a Value,
    origin: Origin,
    flaws: Vec<Flaw>,
    usable: bool,
}

impl<'a> Fields<'a> {
    fn lesson(&mut self, id: LessonId, triggers: Resolve<'_>) -> Option<Lesson> {
        let rule = self.required("rule", "write what to do instead");
        if rule.as_ref().is_some_and(|rule| rule.trim().is_empty()) {
            self.reject("`rule` is empty", "write what to do instead");
        }
        let created_at = self.required("createdAt", "write the day, for example 2026-01-31");
        let topics = self.topics();
        let status = self.status();
        let evidence = self.evidence();
        let superseded_by = self.word("supersededBy", "an id of a lesson");
        let first = topics.first().cloned();
        let read = Lesson {
            mistake: self.text("mistake"),
            summary: self.text("summary"),
            rationale: self.text("rationale"),
            metacognition: self.text("metacognition"),
            phase: self.text("phase"),
            author: self.text("author"),
            detail: self.text("detail"),
            topics,
            tags: self.texts("tags"),
            triggers: self.triggers("triggers", triggers),
            also: self.triggers("also", triggers),
            unless: self.triggers("unless", triggers),
            tools: self.texts("tools"),
            os: self.words("os"),
            shell: self.words("shell"),
            state: self.words("state"),
            mode: self.choice("mode", "advise, bump or block"),
            when: self.choice("when", "tool or session"),
            priority: self.priority(),
            confidence: self.confidence(),
            severity: self.choice("severity", "low, medium, high or critical"),
            quality: self.choice("quality", "trivial, valuable or critical"),
            scope: self.scope(),
            subject: self.word("subject", "command, executable or program"),
            examples: self.examples(),
            evidence,
            status,
            superseded_by,
            updated_at: self.text("updatedAt"),
            ..Lesson::new(id, rule.unwrap_or_default(), first?, created_at.unwrap_or_default())
        };
        Some(read)
    }

    /// Reports a flaw that makes the lesson unusable.
    fn reject(&mut self, what: impl Into<String>, hint: impl Into<String>) {
        self.usable = false;
        self.flaws.push(invalid(what, hint));
    }

    /// A field that is present and not null.
    fn get(&self, name: &str) -> Option<&'a Value> {
        given(self.raw, name)
    }

    /// The value of a field; `None` where it is missing, or has another form, which makes the lesson unusable.
    fn read<T: DeserializeOwned>(&mut self, name: &str, form: &str, hint: &str) -> Option<T> {
        let read = T::deserialize(self.get(name)?).ok();
        if read.is_none() {
            self.reject(format!("`{name}` is not {form}"), hint);
        }
        read
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.read(name, "a text", "put it in quotes")
    }

    fn required(&mut self, name: &str, hint: &str) -> Option<String> {
        if self.get(name).is_none() {
            self.reject(format!("`{name}` is missing"), hint);
        }
        self.text(name)
    }

    fn texts(&mut self, name: &str) -> Vec<String> {
        self.read(name, "a list of texts", "write it as [\"…\"]").unwrap_or_default()
    }

    /// A required list. A project's file is not the user's to fix, so there its absence is only reported.
    fn required_texts(&mut self, name: &str, hint: &str) -> Vec<String> {
        if self.get(name).is_none() {
            match self.origin {
                Origin::Own => self.reject(format!("`{name}` is missing"), hint),
                Origin::Project => {
                    self.flaws.push(Flaw::warning("SCHEMA_INVALID", format!("`{name}` is missing"), hint));
                }
            }
        }
        self.texts(name)
    }

    fn evidence(&mut self) -> Vec<String> {
        self.required_texts("evidence", "say where it comes from, or write []")
    }

    fn status(&mut self) -> lessons_lesson::lesson::Status {
        if self.get("status").is_none() {
            self.reject("`status` is missing", "write active, deprecated or superseded");
        }
        self.choice("status", "active, deprecated or superseded")
    }

    fn topics(&mut self) -> Vec<TopicId> {
        let hint = "name at least one";
        let names = self.required_texts("topics", hint);
        let mut topics = Vec::with_capacity(names.len());
        for name in names {
            match TopicId::new(&name) {
                Ok(topic) => topics.push(topic),
                Err(error) => self.reject(format!("topic {error}"), "rename it"),
            }
        }
        if topics.is_empty() && self.usable {
            match self.origin {
                Origin::Own => self.reject("`topics` is empty", hint),
                Origin::Project => topics.extend(TopicId::new(super::GENERAL_TOPIC)),
            }
        }
        topics
    }

    /// A word of a closed list, or the default.
    fn choice<T: DeserializeOwned + Default>(&mut self, name: &str, allowed: &str) -> T {
        self.word(name, allowed).unwrap_or_default()
    }

    /// A list of words of a closed list. One that is not known is a condition that cannot be checked.
    fn words<T: ConditionWord>(&mut self, name: &str) -> Vec<T> {
        let texts = self.texts(name);
        let words: Vec<T> = texts.iter().filter_map(|text| T::parse(text)).collect();
        if words.len() < texts.len() {
            let allowed = T::names();
            self.reject(format!("`{name}` holds a word that is not {allowed}"), format!("write {allowed}"));
        }
        words
    }

    /// A word that a type accepts.
    fn word<T: DeserializeOwned>(&mut self, name: &str, allowed: &str) -> Option<T> {
        self.read(name, allowed, &format!("write {allowed}"))
    }

    /// A number within `low..=high`. Outside, the user's own lesson is unusable and a project's number is clamped.
    fn number(&mut self, name: &str, low: f64, high: f64) -> Option<f64> {
        let number = self.get(name)?.as_f64();
        if let Some(number) = number.filter(|number| (low..=high).contains(number)) {
            return Some(number);
        }
        let allowed = format!("a number from {low} to {high}");
        let flaw = format!("`{name}` is not {allowed}");
        if let (Some(number), Origin::Project) = (number, self.origin) {
            let clamped = number.clamp(low, high);
            self.flaws.push(Flaw::warning("NUMBER_CLAMPED", flaw, format!("{clamped} is used")));
            Some(clamped)
        } else {
            self.reject(flaw, format!("write {allowed}"));
            None
        }
    }

    fn priority(&mut self) -> Priority {
        let range = Priority::RANGE;
        let Some(number) = self.number("priority", f64::from(*range.start()), f64::from(*range.end())) else {
            return Priority::default();
        };
        // Other tools write 5.0; 5.5 is a mistake.
        let whole = range.into_iter().find(|&whole| (f64::from(whole) - number).abs() < f64::EPSILON);
        whole.and_then(|whole| Priority::new(whole).ok()).unwrap_or_else(|| {
            self.reject("`priority` is not a whole number", "write a whole number from 1 to 10");
            Priority::default()
        })
    }

    fn confidence(&mut self) -> Confidence {
        self.number("confidence", 0.0, 1.0)
            .and_then(|number| Confidence::new(number).ok())
            .unwrap_or_default()
    }

    fn scope(&mut self) -> Scope {
        let read = match self.get("scope") {
            None => return Scope::default(),
            Some(scope) => Some(scope).filter(|scope| scope.is_object()).and_then(|scope| {
                let list = |name: &str| given(scope, name).map_or_else(|| Some(Vec::new()), texts_of);
                Some(Scope { projects: list("projects")?, agents: list("agents")? })
            }),
        };
        read.unwrap_or_else(|| {
            self.reject(
                "`scope` is not an object of lists",
                "write it as {\"projects\": [\"…\"], \"agents\": [\"…\"]}",
            );
            Scope::default()
        })
    }

    fn examples(&mut self) -> Examples {
        let read = match self.get("examples") {
            None => return Examples::default(),
            Some(examples) => Some(examples).filter(|examples| examples.is_object()).and_then(|examples| {
                let list = |name: &str| match given(examples, name) {
                    None => Some(Vec::new()),
                    Some(calls) => calls.as_array()?.iter().map(sample).collect(),
                };
                Some(Examples { fires: list("fires")?, quiet: list("quiet")? })
            }),
        };
        read.unwrap_or_else(|| {
            self.reject(
                "`examples` holds something that is not a call",
                "write calls as {\"tool\": \"Bash\", \"command\": \"…\"} in `fires` and `quiet`",
            );
            Examples::default()
        })
    }

    /// A list of triggers. Without one of `triggers` the others still work; without an `also` or
    /// `unless` the lesson would fire where it should not, so it is taken out.
    fn triggers(&mut self, name: &str, triggers: Resolve<'_>) -> Vec<Trigger> {
        let ids = self.texts(name);
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            let (code, what) = match triggers(&id) {
                Resolved::Usable(trigger) => {
                    out.push(trigger.clone());
                    continue;
                }
                Resolved::Broken => ("BROKEN_TRIGGER", "cannot be used"),
                Resolved::Missing => ("DANGLING_TRIGGER", "does not exist"),
            };
            self.usable &= name == "triggers";
            self.flaws.push(
                Flaw::error(
                    code,
                    format!("`{name}` names trigger `{}`, which {what}", shown(&id)),
                    "fix the trigger, or take it out of the list",
                )
                .about(id),
            );
        }
        out
    }
}

/// The value of a key, if it is not null.
fn given<'a>(raw: &'a Value, key: &str) -> Option<&'a Value> {
    raw.get(key).filter(|value| !value.is_null())
}

/// The texts of a list.
fn texts_of(raw: &Value) -> Option<Vec<String>> {
    Vec::deserialize(raw).ok()
}

/// A sample call; fields that we do not know are left to whoever wrote them.
pub(super) fn sample(raw: &Value) -> Option<SampleCall> {
    let text = |name: &str| match given(raw, name) {
        None => Some(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())),
    };
    Some(SampleCall {
        tool: text("tool")??,
        command: text("command")?,
        file: text("file")?,
        content: text("content")?,
        error: text("error")?,
        cwd: text("cwd")?,
    })
}
