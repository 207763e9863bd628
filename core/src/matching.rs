//! Which lessons a call matches.
//!
//! Work is linear in the call and in the number of lessons, whatever the patterns: each distinct
//! trigger is tried at most once per view of the call, its literals are looked for first, and only
//! then is its pattern compiled. No lesson can use up the time of another.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use memchr::memmem;

use crate::call::{Call, tool_name};
use crate::lesson::{Subject, When};
use crate::manifest::{LessonEntry, Manifest, TriggerEntry};
use crate::pattern::{Compiled, keyword};
use crate::project::Place;
use crate::shell;
use crate::trigger::TriggerKind;

/// A text that patterns look at, with a lower-case copy for their literals and its words for keywords:
/// each made once, however many lessons ask.
struct View<'a> {
    text: Cow<'a, str>,
    lower: OnceCell<String>,
    words: OnceCell<Vec<String>>,
}

impl<'a> View<'a> {
    fn new(text: Cow<'a, str>) -> Self {
        Self { text, lower: OnceCell::new(), words: OnceCell::new() }
    }

    fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_ascii_lowercase())
    }

    fn words(&self) -> &[String] {
        self.words.get_or_init(|| keyword::tokens(&self.text))
    }

    /// Whether one of the literals, of which every match holds one, is there.
    fn may_match(&self, literals: &[String]) -> bool {
        literals.is_empty()
            || literals
                .iter()
                .any(|literal| memmem::find(self.lower().as_bytes(), literal.as_bytes()).is_some())
    }
}

/// Everything that triggers can look at in one call. Each view is made when first asked for.
pub struct Views<'a> {
    call: &'a Call<'a>,
    place: &'a Place,
    typed: OnceCell<Vec<View<'a>>>,
    executable: OnceCell<Vec<View<'a>>>,
    absolute: OnceCell<Vec<View<'a>>>,
    relative: OnceCell<Vec<View<'a>>>,
    contents: OnceCell<Vec<View<'a>>>,
}

impl<'a> Views<'a> {
    /// The views of `call`, made at `place`.
    pub fn new(call: &'a Call<'a>, place: &'a Place) -> Self {
        Self {
            call,
            place,
            typed: OnceCell::new(),
            executable: OnceCell::new(),
            absolute: OnceCell::new(),
            relative: OnceCell::new(),
            contents: OnceCell::new(),
        }
    }

    /// What makes this call this call, for a bump: what its patterns look at.
    pub fn identity(&self, subject: Subject) -> String {
        let mut parts = vec![self.call.tool.as_ref()];
        parts.extend(self.command(subject).first().map(|view| view.text.as_ref()));
        parts.extend(self.absolute().iter().map(|view| view.text.as_ref()));
        parts.extend(self.call.contents.iter().map(AsRef::as_ref));
        parts.join("\0")
    }

    /// The command, as patterns look at it: the whole, and where it is what would run, each of its
    /// lines too, so that `^` and `$` hold for a command that a shell inside the command runs.
    fn command(&self, subject: Subject) -> &[View<'a>] {
        let Some(command) = self.call.command.as_deref() else { return &[] };
        match subject {
            Subject::Command => self.typed.get_or_init(|| vec![View::new(shell::typed(command))]),
            Subject::Executable => self.executable.get_or_init(|| {
                let whole = shell::executable(command);
                let lines: Vec<&str> = whole.lines().collect();
                let each = if lines.len() > 1 { lines } else { Vec::new() };
                let each: Vec<_> =
                    each.into_iter().map(|line| View::new(Cow::Owned(line.to_owned()))).collect();
                std::iter::once(View::new(Cow::Owned(whole))).chain(each).collect()
            }),
        }
    }

    fn absolute(&self) -> &[View<'a>] {
        self.absolute.get_or_init(|| {
            self.call.absolute_paths().into_iter().map(|path| View::new(Cow::Owned(path))).collect()
        })
    }

    /// The paths below the project's root, from there. Asks the disk for the root.
    fn relative(&self) -> &[View<'a>] {
        self.relative.get_or_init(|| {
            let Some(roots) = self.place.roots() else { return Vec::new() };
            let below = |path: &View<'_>| {
                let rest = Path::new(path.text.as_ref()).strip_prefix(&roots.root).ok()?;
                let rest = rest.to_str().filter(|rest| !rest.is_empty())?;
                Some(View::new(Cow::Owned(rest.to_owned())))
            };
            self.absolute().iter().filter_map(below).collect()
        })
    }

    fn contents(&self) -> &[View<'a>] {
        self.contents.get_or_init(|| {
            self.call.contents.iter().map(|text| View::new(Cow::Borrowed(text.as_ref()))).collect()
        })
    }

    /// Whether a trigger matches.
    fn matches(&self, trigger: &TriggerEntry, subject: Subject) -> bool {
        match (&trigger.compiled, trigger.kind) {
            (Compiled::Tool { name }, _) => tool_name(name) == self.call.tool,
            (Compiled::Keyword { tokens }, _) => self.matches_keyword(tokens, subject),
            (Compiled::Regex { literals }, TriggerKind::CommandPattern) => {
                let views = self.command(subject).iter().filter(|view| !view.text.is_empty());
                any_matches(views, trigger, literals)
            }
            (Compiled::Regex { literals }, TriggerKind::ContentPattern) => {
                any_matches(self.contents(), trigger, literals)
            }
            (Compiled::Regex { literals }, TriggerKind::FileGlob | TriggerKind::PathPattern) => {
                // What stands in the relative path stands in the absolute one, so literals that are
                // not there spare the search for the root.
                let worth_it = self.absolute().iter().any(|path| path.may_match(literals));
                worth_it && any_matches(self.absolute().iter().chain(self.relative()), trigger, literals)
            }
            // An error has not happened yet, and the other kinds have no regular expression.
            (
                Compiled::Regex { .. },
                TriggerKind::ErrorPattern | TriggerKind::Keyword | TriggerKind::Tool,
            ) => false,
        }
    }

    fn matches_keyword(&self, needle: &[String], subject: Subject) -> bool {
        let has = |view: &View<'_>| keyword::contains_run(view.words(), needle);
        let paths = if self.relative().is_empty() { self.absolute() } else { self.relative() };
        self.command(subject).first().is_some_and(has) || paths.iter().any(has)
    }
}

/// Whether a pattern matches one of the views. One that does not compile matches nothing; the builder
/// has reported it.
fn any_matches<'v, 'a: 'v>(
    views: impl IntoIterator<Item = &'v View<'a>>,
    trigger: &TriggerEntry,
    literals: &[String],
) -> bool {
    views.into_iter().filter(|view| view.may_match(literals)).any(|view| {
        let regex = trigger.once.regex(trigger.kind, &trigger.pattern);
        regex.is_some_and(|regex| regex.is_match(&view.text))
    })
}

/// A lesson that a call matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match<'m> {
    /// The lesson.
    pub lesson: &'m LessonEntry,
    /// The most particular of its triggers that matched.
    pub trigger: &'m TriggerEntry,
}

/// The lessons that a call of `agent` matches at `now` (milliseconds since 1970), best first.
pub fn matches<'m>(manifest: &'m Manifest, views: &Views<'_>, agent: &str, now: u64) -> Vec<Match<'m>> {
    let mut known: HashMap<(u32, bool), bool> = HashMap::new();
    let mut holds = |trigger: u32, subject: Subject| {
        *known.entry((trigger, subject == Subject::Executable)).or_insert_with(|| {
            manifest.triggers.get(trigger as usize).is_some_and(|entry| views.matches(entry, subject))
        })
    };
    let mut found: Vec<Match<'m>> = manifest
        .lessons
        .iter()
        .filter(|lesson| lesson.when == When::Tool && !lesson.is_off(now))
        .filter(|lesson| lesson.tools.is_empty() || lesson.tools.iter().any(|tool| *tool == views.call.tool))
        .filter(|lesson| lesson.agents.is_empty() || lesson.agents.iter().any(|name| name == agent))
        .filter_map(|lesson| {
            let mut holds = |&trigger: &u32| holds(trigger, lesson.subject);
            let best = lesson
                .triggers
                .iter()
                .filter(|trigger| holds(trigger))
                .filter_map(|&trigger| manifest.triggers.get(trigger as usize))
                .min_by_key(|entry| entry.fanout)?;
            let also = lesson.also.iter().all(&mut holds);
            (also && !lesson.unless.iter().any(&mut holds)).then_some(Match { lesson, trigger: best })
        })
        .filter(|found| in_scope(found.lesson, views.place))
        .collect();
    found.sort_by(|a, b| rank(a).cmp(&rank(b)));
    found
}

/// Whether a lesson fires in this project. Asks the disk only for lessons with a scope.
pub fn in_scope(lesson: &LessonEntry, place: &Place) -> bool {
    let Some(scopes) = &lesson.roots else { return true };
    let Some(roots) = place.roots() else { return false };
    scopes.iter().any(|scope| roots.within(Path::new(scope)))
}

/// The order in which lessons are told: layer, priority, relevance (the inverse of the trigger's
/// fanout), newest, id. Always the same for the same call.
fn rank<'m>(found: &Match<'m>) -> impl Ord + use<'m> {
    let lesson = found.lesson;
    (
        &lesson.id.layer,
        Reverse(lesson.priority),
        found.trigger.fanout,
        Reverse(lesson.created_at.as_str()),
        &lesson.id,
    )
}
